//! Findings, confidence and notes on their way out: annotations, findings, training records.
#![cfg(feature = "tui")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gagar::tui::testing::Harness;
use serde_json::Value;

fn sample() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("sample-data/native")
}

/// Rows of an export of the sample data, with the judgements of this file.
fn rows(db: &Path, args: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_gagar"))
        .args(["export", args[0]])
        .arg(sample())
        .arg("--db")
        .arg(db)
        .args(["-o", "-"])
        .args(&args[1..])
        .env_clear()
        .env("HOME", db.parent().unwrap())
        .env("USER", "ann")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn what_was_found_and_said_is_exported() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("gagar.db");
    let mut harness = Harness::open_with_db(&[sample()], 120, 40, &db).unwrap();
    harness.press("<enter>nn+o,not asked for<enter>+s<space><tab><tab><enter>CCNbecause<enter>");
    let draft = rows(&db, &["annotations"]);
    assert_eq!((&draft[0]["state"], draft.len()), (&"draft".into(), 1));
    harness.press("JK<enter>");
    drop(harness);

    let label = &rows(&db, &["annotations"])[0];
    assert_eq!(label["state"], "submitted");
    assert_eq!(label["confidence"], "medium");
    assert_eq!(label["notes"][0]["text"], "because");
    let found = &label["findings"][0];
    assert_eq!(found["code"], "out_of_scope");
    assert_eq!(found["rubric"], "gagar-1");
    assert_eq!(found["side"], "new");
    assert!(found["lines"][0].as_u64().is_some());
    assert_eq!(label["findings"][1]["severity"], "major");
    assert_eq!(label["findings"][1].get("file"), None);

    let found = rows(&db, &["findings"]);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["schema"], "gagar.finding/1");
    assert_eq!(found[0]["provenance"], "human");
    assert_eq!(found[0]["by"], "ann");
    assert_eq!(found[0]["note"], "not asked for");
    let all = rows(&db, &["findings", "--grader"]);
    let graders: Vec<_> = all
        .iter()
        .filter(|row| row["provenance"] == "grader")
        .collect();
    assert!(!graders.is_empty() && graders.len() == all.len() - 2);
    assert!(graders.iter().all(|row| row.get("finding_id").is_none()));

    let completion = |args: &[&str]| {
        let rows = rows(&db, args);
        let meta: Value = serde_json::from_str(rows[0]["gagar_meta"].as_str().unwrap()).unwrap();
        let text = rows[0]["completion"][0]["content"]
            .as_str()
            .unwrap()
            .to_owned();
        (text, meta["reasoning_source"].as_str().unwrap().to_owned())
    };
    let (text, source) = completion(&["sft"]);
    assert!(text.starts_with("because\n"), "{text}");
    assert_eq!(source, "note");
    let (text, source) = completion(&["sft", "--reason-from-findings"]);
    assert_eq!(source, "findings+note");
    assert!(
        text.contains(": out_of_scope (minor) in fetcher/retry.py lines 24-30: not asked for\n"),
        "{text}"
    );
    assert!(text.contains("\nbecause\n"), "{text}");
}
