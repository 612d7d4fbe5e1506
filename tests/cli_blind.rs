//! Exports of what was submitted blind: `--blind-only`, and what the rows say of it.
#![cfg(all(feature = "cli", feature = "tui"))]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use gagar::store::SqliteStore;
use gagar::tui::testing::Harness;
use serde_json::Value;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data/native")
}

/// `ann` submits the first group blind, reveals it and submits another ranking; `bob` submits it
/// seeing everything.
fn judged(folder: &Path) -> PathBuf {
    let db = folder.join("gagar.db");
    let open = |name: &str, blind: bool| {
        let store = Box::new(SqliteStore::at(&db));
        let mut harness = Harness::open_as(name, blind, &[sample()], (200, 60), store).unwrap();
        harness.press("<enter>");
        harness
    };
    let mut ann = open("ann", true);
    ann.press("1<enter>EE");
    ann.press("l1<enter>");
    open("bob", false).press("a<enter>");
    db
}

fn run(folder: &Path, args: &[&str]) -> Output {
    gagar(folder, args, &["-o", "-"])
}

/// `gagar ARGS sample-data/native --db gagar.db MORE`.
fn gagar(folder: &Path, args: &[&str], more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gagar"))
        .args(args)
        .arg(sample())
        .args(["--db", "gagar.db"])
        .args(more)
        .env_clear()
        .env("HOME", folder)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn rows(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn labels_tell_how_they_were_made_and_blind_only_takes_the_last_one_before_the_reveal() {
    let folder = tempfile::tempdir().unwrap();
    judged(folder.path());
    let all = rows(&run(folder.path(), &["export", "annotations"]));
    let all: Vec<_> = all
        .iter()
        .filter(|row| row["state"] == "submitted")
        .collect();
    let told: Vec<_> = all
        .iter()
        .map(|row| (&row["annotator"], &row["blind"], &row["after_reveal"]))
        .collect();
    let [yes, no] = [true, false].map(Value::from);
    assert_eq!(
        told,
        [(&"ann".into(), &yes, &yes), (&"bob".into(), &no, &no)]
    );
    let shown = all[0]["shown_order"].as_array().unwrap();
    assert_eq!(shown.len(), all[1]["shown_order"].as_array().unwrap().len());
    assert_ne!(all[0]["shown_order"], all[1]["shown_order"]);

    let blind = rows(&run(
        folder.path(),
        &["export", "annotations", "--blind-only"],
    ));
    assert_eq!(blind.len(), 1, "{blind:?}");
    assert_eq!(blind[0]["annotator"], "ann");
    assert_eq!((&blind[0]["blind"], &blind[0]["after_reveal"]), (&yes, &no));
    assert_eq!(blind[0]["shown_order"], all[0]["shown_order"]);
    assert_eq!(blind[0]["tiers"].as_array().unwrap().len(), 1);
    assert_eq!(all[0]["tiers"].as_array().unwrap().len(), 2);
}

#[test]
fn records_and_advantages_of_blind_rankings_only() {
    let folder = tempfile::tempdir().unwrap();
    judged(folder.path());
    let sft = |more: &[&str]| {
        let args: Vec<_> = ["export", "sft"].iter().chain(more).copied().collect();
        rows(&run(folder.path(), &args)).len()
    };
    assert_eq!((sft(&[]), sft(&["--blind-only"])), (2, 1));
    let ids = |more: &[&str]| -> Vec<String> {
        let args = ["export", "advantages", "--annotator"].iter().chain(more);
        let rows = rows(&run(folder.path(), &args.copied().collect::<Vec<_>>()));
        let mut sources: Vec<_> = rows
            .iter()
            .map(|row| row["source"].as_str().unwrap().to_owned())
            .collect();
        sources.sort();
        sources.dedup();
        sources
    };
    assert_eq!(ids(&["ann", "--blind-only"]), ["human:ann", "none:"]);
    assert_eq!(ids(&["bob", "--blind-only"]), ["none:"]);
    let refused = run(
        folder.path(),
        &["export", "advantages", "--blind-only", "--source", "grader"],
    );
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

#[test]
fn figures_say_that_rankings_were_changed_after_the_reveal_and_leave_that_out_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    judged(folder.path());
    let text = |args: &[&str], more: &[&str]| {
        let output = gagar(folder.path(), args, more);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let json = |args: &[&str]| -> Value { serde_json::from_str(&text(args, &["--json"])).unwrap() };
    let all = json(&["agreement"]);
    assert_eq!(all["after_reveal"], 1);
    assert_eq!(all["people"].as_array().unwrap().len(), 2);
    let told = text(&["agreement"], &[]);
    let told: String = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("1 ranking was changed after the reveal, knowing grader and names"),
        "{told}"
    );
    let blind = json(&["agreement", "--blind-only"]);
    assert_eq!(blind["after_reveal"], 0);
    assert_eq!(blind["options"]["blind_only"], true);
    let raters = blind["raters"].as_array().unwrap();
    let groups = |name: &str| {
        raters
            .iter()
            .find(|row| row["rater"] == name)
            .map(|row| &row["groups"])
    };
    assert_eq!(groups("annotator:ann"), Some(&1.into()));
    assert!(groups("annotator:bob").is_none_or(|groups| groups == 0));
    let told = text(&["agreement", "--blind-only"], &[]);
    assert!(!told.contains("changed after the reveal"), "{told}");
    assert!(told.contains("only rankings submitted blind"), "{told}");

    // One candidate was ranked blind: no pair is ordered, so nothing is measured.
    let accuracy = |args: &[&str]| json(args)["grader_accuracy"].clone();
    assert_eq!(accuracy(&["schedules"])["after_reveal"], 1);
    assert_eq!(accuracy(&["schedules"])["submissions"], 2);
    assert!(accuracy(&["schedules", "--blind-only"]).is_null());

    let report = |args: &[&str]| {
        let file = folder.path().join("report.md");
        text(args, &["-o", "report.md"]);
        std::fs::read_to_string(file).unwrap()
    };
    assert!(report(&["report"]).contains("1 ranking was changed after the reveal"));
    let blind = report(&["report", "--blind-only"]);
    assert!(!blind.contains("changed after the reveal"), "{blind}");
    assert!(blind.contains("only those submitted blind, before the reveal"));
}
