//! A day's work in a real terminal: two annotators rank groups blind, one reveals and changes a
//! ranking, a third settles what they disagree on, a report is written; then the store is compared
//! with what was typed.

#![cfg(all(unix, feature = "cli", feature = "tui"))]

mod pty;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pty::{Session, Start};
use serde_json::Value;

/// Groups that each annotator ranks.
const GROUPS: usize = 20;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_gagar"))
        .args(arguments)
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // 1 = done, with problems reported.
    assert!(output.status.code() <= Some(1), "{arguments:?}: {said}");
    output
}

fn lines(text: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(text).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_default()
}

/// Which keys an annotator ranks the nth group with, when all that pass stand in the order shown:
/// everything in its own tier, the second candidate first; or tied with the first.
fn keys(annotator: &str, nth: usize) -> &'static str {
    match (annotator, nth % 3) {
        ("ann", _) | (_, 0) => "lK",
        (_, 1) => "l=",
        _ => "J",
    }
}

/// The tiers that those keys make of the passing candidates in the order shown.
fn ranked(keys: &str, passing: &[String]) -> Vec<Vec<String>> {
    let mut tiers: Vec<Vec<String>> = passing.iter().map(|id| vec![id.clone()]).collect();
    match keys {
        "lK" | "J" => tiers.swap(0, 1),
        _ => {
            let second = tiers.remove(1);
            tiers[0].extend(second);
        }
    }
    tiers
}

/// Tiers whose members stand in no order.
fn sorted(mut tiers: Vec<Vec<String>>) -> Vec<Vec<String>> {
    tiers.iter_mut().for_each(|tier| tier.sort());
    tiers
}

fn tiers(body: &Value) -> Vec<Vec<String>> {
    sorted(serde_json::from_value(body["tiers"].clone()).unwrap())
}

/// One annotator's day: every group assigned, in order, then a reveal and a second thought.
fn annotate(folder: &Path, data: &Path, annotator: &str, groups: &[String]) {
    let start = Start {
        arguments: vec![
            "--assignment".into(),
            folder.join("assign.jsonl").into(),
            "--annotator".into(),
            annotator.into(),
            data.into(),
        ],
        db: Some(folder.join(format!("{annotator}.db"))),
        size: (140, 40),
    };
    let mut session = Session::start_with(start, &[]);
    session.wait_for(&format!("0/{}", groups.len()));
    session.wait_for(&groups[0]);
    session.write("\r");
    for (nth, group) in groups.iter().enumerate() {
        let opened = format!("{group} ·");
        session.wait_for(&opened);
        session.wait_for("blind");
        session.write(keys(annotator, nth));
        session.wait_for("you: draft");
        match groups.get(nth + 1) {
            Some(next) => session.submit(&format!("{next} ·")),
            None => session.submit("no unfinished group is left"),
        }
    }
    if annotator == "ann" {
        session.write("E");
        session.wait_for("revealed");
        // The best one down again, and submitted: the log knows that it comes after the reveal.
        session.write("J");
        session.wait_for("you: edited");
        session.submit("you: submitted");
    }
    session.write("q");
    assert!(session.end().0.success());
}

/// The groups of an annotator in an assignment, in order.
fn assigned(rows: &[Value], annotator: &str) -> Vec<String> {
    let mut own: Vec<_> = rows
        .iter()
        .filter(|row| text(row, "annotator") == annotator)
        .collect();
    own.sort_by_key(|row| row["position"].as_u64());
    own.iter()
        .map(|row| text(row, "group_id").to_owned())
        .collect()
}

fn a_day(data: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let data_text = data.to_str().unwrap();
    let limit = GROUPS.to_string();
    run(
        folder,
        &[
            "assign",
            data_text,
            "--annotators",
            "ann,bob",
            "--overlap",
            "2",
            "--seed",
            "7",
            "--blind",
            "--limit",
            &limit,
            "-o",
            "assign.jsonl",
        ],
    );
    let plan = lines(&std::fs::read(folder.join("assign.jsonl")).unwrap());
    let of_ann = assigned(&plan, "ann");
    let of_bob = assigned(&plan, "bob");
    assert!(!of_ann.is_empty());
    assert_eq!(of_ann.len(), of_bob.len());

    annotate(folder, data, "ann", &of_ann);
    annotate(folder, data, "bob", &of_bob);
    run(folder, &["merge", "ann.db", "bob.db", "-o", "all.db"]);

    let start = Start {
        arguments: vec!["--annotator".into(), "chief".into(), data.into()],
        db: Some(folder.join("all.db")),
        size: (140, 40),
    };
    let mut session = Session::start_with(start, &[]);
    session.wait_for("groups");
    session.write("D");
    session.wait_for(" ~ ");
    session.write("\r");
    session.wait_for("settlement");
    session.write("a");
    session.write("\r");
    session.wait_for("settle");
    session.write("\r");
    session.wait_for("group settled");
    session.write("q");
    assert!(session.end().0.success());

    run(
        folder,
        &["report", data_text, "--db", "all.db", "-o", "report.md"],
    );
    let report = std::fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(report.contains("ann") && report.contains("bob"), "{report}");
    run(folder, &["doctor", "--db", "all.db"]);
    compare(folder, &of_ann, &of_bob);
}

/// Compares the store with what was typed.
fn compare(folder: &Path, of_ann: &[String], of_bob: &[String]) {
    let log = run(folder, &["export", "events", "--db", "all.db", "-o", "-"]);
    let rows = lines(&log.stdout);
    let mut passing: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows.iter().filter(|row| text(row, "row") == "group") {
        let passes = |one: &&Value| one["reward"].as_f64().is_some_and(|reward| reward >= 0.5);
        let ids = row["trajectories"]
            .as_array()
            .unwrap()
            .iter()
            .filter(passes);
        let ids = ids
            .map(|one| text(one, "trajectory_id").to_owned())
            .collect();
        passing.insert(text(row, "group_id").to_owned(), ids);
    }
    let mut submissions: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
    let mut orders: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let (mut reveals, mut settled) = (0, 0);
    for row in rows.iter().filter(|row| text(row, "row") == "event") {
        let body: Value = serde_json::from_str(text(row, "body")).unwrap();
        let whose = (
            text(row, "annotator").to_owned(),
            text(row, "group_id").to_owned(),
        );
        match text(row, "kind") {
            "group.open" if whose.0 != "chief" => {
                assert_eq!(body["blind"], true);
                let order = serde_json::from_value(body["shown_order"].clone()).unwrap();
                orders.insert(whose, order);
            }
            "rank.submit" => submissions.entry(whose).or_default().push(body),
            "reveal" => reveals += 1,
            "adjudicate" => {
                assert_eq!(whose.0, "chief");
                assert_eq!(body["sources"].as_array().unwrap().len(), 2);
                assert!(!tiers(&body).is_empty());
                settled += 1;
            }
            _ => {}
        }
    }
    assert_eq!((reveals, settled), (1, 1));
    let mut differently_shown = 0;
    for (annotator, groups) in [("ann", of_ann), ("bob", of_bob)] {
        for (nth, group) in groups.iter().enumerate() {
            let whose = (annotator.to_owned(), group.clone());
            let shown: Vec<String> = orders[&whose]
                .iter()
                .filter(|id| passing[group].contains(id))
                .cloned()
                .collect();
            let expected = sorted(ranked(keys(annotator, nth), &shown));
            let sent = &submissions[&whose];
            assert_eq!(tiers(&sent[0]), expected, "{annotator} on {group}");
            assert_eq!(sent[0]["blind"], true);
            assert_eq!(sent[0]["shown_order"], Value::from(orders[&whose].clone()));
            assert!(sent[0]["after_reveal"].is_null());
            let is_last_of_ann = annotator == "ann" && nth + 1 == groups.len();
            assert_eq!(sent.len(), if is_last_of_ann { 2 } else { 1 });
            if is_last_of_ann {
                assert_eq!(sent[1]["after_reveal"], true);
                let as_shown: Vec<_> = shown.iter().map(|id| vec![id.clone()]).collect();
                assert_eq!(tiers(&sent[1]), as_shown);
            }
            let other = if annotator == "ann" { "bob" } else { "ann" };
            let other = &orders[&(other.to_owned(), group.clone())];
            differently_shown += usize::from(*other != orders[&whose]);
        }
    }
    assert!(differently_shown > 0, "everybody saw the same orders");
}

#[test]
fn two_annotators_a_settlement_and_a_report() {
    a_day(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data"));
}

#[test]
fn two_annotators_on_real_rollouts() {
    let folder = std::env::var_os("GAGAR_REAL_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real-data"),
        PathBuf::from,
    );
    let data = folder.join("groups/swebench-verified");
    if !data.is_dir() {
        eprintln!("skipped: {} is not there", data.display());
        return;
    }
    a_day(&data);
}
