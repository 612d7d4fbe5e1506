//! `gagar rubric`: the built-in codes, those of a project, and what is wrong with a file that names
//! them.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gagar"))
        .args(args)
        .env_clear()
        .env("HOME", folder)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_built_in_rubric() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["rubric"]);
    let out = text(&output.stdout);
    assert!(out.starts_with("rubric gagar-1\n"), "{out}");
    assert!(out.contains("\n  o  out_of_scope"), "{out}");
    let output = run(folder.path(), &["rubric", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["schema"], "gagar.rubric/1");
    assert_eq!(json["codes"][0]["key"], "o");
    assert_eq!(json["guidelines"], serde_json::Value::Null);
}

#[test]
fn a_project_has_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("gagar.toml");
    std::fs::write(folder.path().join("GUIDE.md"), "# Ours\n").unwrap();
    let written = "guidelines = \"GUIDE.md\"\n[rubric]\nversion = \"acme-3\"\n\
                   [[rubric.code]]\ncode = \"naming\"\nkey = \"n\"\ntitle = \"names that mislead\"\n";
    std::fs::write(&config, written).unwrap();
    let out = text(&run(folder.path(), &["rubric"]).stdout);
    let wanted = "rubric acme-3\n  n  naming  names that mislead\nguidelines GUIDE.md\n";
    assert_eq!(out, wanted);

    std::fs::write(
        &config,
        format!("{written}[[rubric.code]]\ncode='x'\nkey='/'\ntitle=''\n"),
    )
    .unwrap();
    let output = run(folder.path(), &["rubric"]);
    assert_eq!(output.status.code(), Some(2));
    let err = text(&output.stderr);
    assert!(
        err.contains("gagar.toml: line 8: [[rubric.code]]:"),
        "{err}"
    );

    std::fs::write(&config, "\nguidelines = 'GONE.md'\n").unwrap();
    let err = text(&run(folder.path(), &["rubric"]).stderr);
    assert!(
        err.contains("gagar.toml: line 2: guidelines GONE.md:"),
        "{err}"
    );
}
