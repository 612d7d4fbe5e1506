//! Files that commands write: never over what they read, nor over a database; and what a database
//! that knows nothing, or other things, of what is asked for is told as.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::Command;

const GROUP: &str = r#"{"schema":"gagar.group/1","group_id":"g","trajectories":[{"trajectory_id":"a","reward":1.0,"patch":"x"},{"trajectory_id":"b","reward":1.0,"patch":"y"},{"trajectory_id":"c","reward":0.0,"patch":"z"}]}"#;

/// Exit code and everything that was said.
fn run(folder: &Path, args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gagar"))
        .args(args)
        .env_clear()
        .env("HOME", folder)
        .env("USER", "tester")
        .current_dir(folder)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    let code = output.status.code().unwrap();
    (code, String::from_utf8(said).unwrap())
}

/// A folder with rollouts in files of every ending, and two databases.
fn desk() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::create_dir_all(path.join("runs/below")).unwrap();
    std::fs::write(path.join("runs/below/g.jsonl"), format!("{GROUP}\n")).unwrap();
    let rank = [
        "rank",
        "runs",
        "--group",
        "g",
        "--tiers",
        r#"[["a"],["b"]]"#,
        "--annotator",
        "ada",
    ];
    for db in ["gagar.db", "all.db", "all.html"] {
        let answer = run(path, &[&rank[..], &["--db", db]].concat());
        assert_eq!(answer.0, 0, "{answer:?}");
    }
    folder
}

/// Every command that writes a file, with `out` as the file.
fn writers(out: &str) -> Vec<Vec<&str>> {
    let mut all: Vec<Vec<&str>> = vec![
        vec!["assign", "runs", "--annotators", "ada,bob", "-o", out],
        vec!["convert", "runs", "--force", "-o", out],
        vec![
            "screenshot",
            "runs",
            "--force",
            "--format",
            "txt",
            "-o",
            out,
        ],
        vec!["export", "events", "--db", "gagar.db", "-o", out],
    ];
    for what in ["sft", "annotations", "findings", "advantages"] {
        all.push(vec!["export", what, "runs", "-o", out]);
    }
    all
}

#[test]
fn nothing_that_was_loaded_is_written_over() {
    let desk = desk();
    let loaded = desk.path().join("runs/below/g.jsonl");
    for args in writers("runs/below/g.jsonl") {
        // It loads nothing.
        if args.contains(&"events") {
            continue;
        }
        let (code, said) = run(desk.path(), &args);
        assert_eq!(code, 2, "{args:?}: {said}");
        assert!(said.contains("would overwrite"), "{args:?}: {said}");
        assert_eq!(
            std::fs::read_to_string(&loaded).unwrap(),
            format!("{GROUP}\n")
        );
    }
}

#[test]
fn no_database_is_written_over() {
    let desk = desk();
    let content = std::fs::read(desk.path().join("all.db")).unwrap();
    let mut all = writers("all.db");
    all.push(vec!["report", "runs", "-o", "all.html"]);
    for args in all {
        let (code, said) = run(desk.path(), &args);
        assert_eq!(code, 2, "{args:?}: {said}");
        assert!(said.contains("is a database"), "{args:?}: {said}");
        let now = std::fs::read(desk.path().join("all.db")).unwrap();
        assert!(now == content, "{args:?}");
    }
}

#[test]
fn a_report_is_not_written_when_a_table_cannot_be() {
    let desk = desk();
    let args = ["report", "runs", "-o", "r.md", "--csv", "tables"];
    assert_eq!(run(desk.path(), &args).0, 0);
    let tables: Vec<_> = std::fs::read_dir(desk.path().join("tables"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    // Written again as it was.
    assert_eq!(run(desk.path(), &args).0, 0);
    std::fs::remove_file(desk.path().join("r.md")).unwrap();
    std::fs::copy(desk.path().join("all.db"), tables.last().unwrap()).unwrap();
    let (code, said) = run(desk.path(), &args);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("is a database"), "{said}");
    assert!(!desk.path().join("r.md").exists());
    let (code, _) = run(
        desk.path(),
        &["report", "runs", "-o", "r.md", "--csv", "all.db"],
    );
    assert_eq!(code, 3);
    assert!(!desk.path().join("r.md").exists());
}

#[test]
fn a_database_that_knows_nothing_of_what_is_asked_for_says_so() {
    let desk = desk();
    let path = desk.path();
    // Judgements of other data by several people do not matter.
    std::fs::write(
        path.join("other.jsonl"),
        GROUP.replace(r#"_id":"g""#, r#"_id":"h""#),
    )
    .unwrap();
    for who in ["ada", "bob"] {
        let rank = [
            "rank",
            "other.jsonl",
            "--group",
            "h",
            "--tiers",
            r#"[["a"],["b"]]"#,
            "--annotator",
            who,
            "--db",
            "other.db",
        ];
        assert_eq!(run(path, &rank).0, 0);
    }
    let (code, said) = run(path, &["advantages", "runs", "--db", "other.db"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = run(path, &["advantages", "other.jsonl", "--db", "other.db"]);
    assert_eq!(code, 2, "{said}");

    let (code, said) = run(path, &["log", "--group", "nosuch", "--annotator", "nobody"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("knows no group nosuch"), "{said}");
    assert!(said.contains("knows no annotator nobody"), "{said}");

    let assign = [
        "assign",
        "runs",
        "--annotators",
        "ada,bob",
        "--overlap",
        "2",
        "-o",
        "assign.jsonl",
    ];
    assert_eq!(run(path, &assign).0, 0);
    let (code, said) = run(
        path,
        &["assign", "--status", "assign.jsonl", "--db", "x.db"],
    );
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("no judgements") && said.contains("ada"),
        "{said}"
    );

    let (code, said) = run(path, &["export", "annotations", "runs", "-o", "a.jsonl"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("recorded in gagar.db as an export by tester"),
        "{said}"
    );
    let (_, said) = run(path, &["doctor"]);
    assert!(said.contains("annotators  ada 3\n"), "{said}");
    assert!(said.contains("exported by tester 1\n"), "{said}");

    assert_eq!(run(path, &["rubric", "nofile"]).0, 3);
}
