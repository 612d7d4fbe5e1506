//! The steps of a trajectory: what is seen of every kind of step, and how a reader gets around.

use std::fmt::Write as _;
use std::path::PathBuf;

use gagar::tui::testing::Harness;
use serde_json::{Value, json};

const PATCH: &str = "\
diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,4 @@
 import os
-limit = 1
+limit = 2
+pause = 3
 end = 0
@@ -20,2 +21,2 @@
 keep = 1
-last = 1
+last = 2
diff --git a/setup.py b/setup.py
--- a/setup.py
+++ b/setup.py
@@ -1 +1 @@
-version = 1
+version = 2
";

fn call(id: &str, tool: &str, args: Value) -> Value {
    json!({"kind": "tool_call", "tool": tool, "id": id, "args": args})
}

fn seen(id: &str, text: &str, rest: Value) -> Value {
    let mut step = json!({"kind": "observation", "id": id, "text": text});
    for (key, value) in rest.as_object().unwrap() {
        step[key] = value.clone();
    }
    step
}

/// A trace with one step of everything that is told apart.
fn steps() -> Vec<Value> {
    let progress: String = (0..40).map(|n| format!("\r{n:>3} of 40 files")).collect();
    let data = "iVBORw0KGgo9a/+".repeat(200);
    vec![
        json!({"kind": "system", "text": "You fix one issue."}),
        json!({"kind": "user", "role": "user", "text": "The limit is wrong."}),
        json!({"kind": "reasoning", "text": "Look for the limit first.", "tokens": 812}),
        call("1", "bash", json!({"command": "grep -rn limit src"})),
        seen(
            "1",
            "\u{1b}[35msrc/a.py\u{1b}[0m:\u{1b}[1;32m2\u{1b}[0m:limit = 1\n\u{1b}[38;2;255;170;0mone\nplace\u{1b}[0m found\u{1b}[2J",
            json!({"exit_code": 0, "ms": 12}),
        ),
        call(
            "2",
            "str_replace_editor",
            json!({"command": "str_replace", "path": "/repo/src/a.py", "old_str": "limit = 1", "new_str": "limit = 2\npause = 3"}),
        ),
        seen("2", "The file was edited.", json!({})),
        call(
            "3",
            "bash",
            json!({"command": "sed -i 's/version = 1/version = 2/' setup.py && pip install ."}),
        ),
        seen(
            "3",
            &format!("{progress}\ndone\n"),
            json!({"exit_code": 0, "ms": 2_400}),
        ),
        call("4", "screenshot", json!({"of": "the page"})),
        seen(
            "4",
            &format!("data:image/png;base64,{data}\n"),
            json!({"failed": true}),
        ),
        call("5", "bash", json!({"command": "python -m pytest"})),
        seen(
            "5",
            "E   assert limit == 3\n1 failed",
            json!({"exit_code": 1, "ms": 61_000}),
        ),
        json!({"kind": "message", "text": "The limit is right now.", "truncated": true}),
        json!({"kind": "submit", "text": PATCH}),
    ]
}

/// A group of two: one with everything, one with little.
fn group() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let record = json!({
        "schema": "gagar.group/1",
        "group_id": "acme__limit-1",
        "task": {"text": "The limit is wrong."},
        "trajectories": [
            {"trajectory_id": "r0", "outcome": "pass", "reward": 1.0, "patch": PATCH, "steps": steps()},
            {"trajectory_id": "r1", "outcome": "fail", "reward": 0.0, "patch": "",
             "steps": [{"kind": "user", "text": "The limit is wrong."},
                       {"kind": "message", "text": "I cannot find it."}]},
        ],
    });
    let path = folder.path().join("groups.jsonl");
    std::fs::write(&path, record.to_string() + "\n").unwrap();
    (folder, path)
}

/// The steps of the first candidate.
fn open(columns: u16, rows: u16) -> Harness {
    let (_folder, path) = group();
    let mut harness = Harness::open(&[path], columns, rows).unwrap();
    if harness.model.screen.context().word() == "groups" {
        harness.press("<enter>");
    }
    harness.press("s");
    harness
}

fn status(harness: &Harness) -> &str {
    &harness.model.status.text
}

#[test]
fn every_kind_of_step_at_three_sizes() {
    for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
        let mut harness = open(columns, rows);
        harness.press("nnnn");
        insta::assert_snapshot!(format!("steps_{columns}x{rows}"), harness.styled());
    }
}

#[test]
fn failures_and_edits_are_reached_and_told() {
    let mut harness = open(120, 40);
    harness.press("E");
    assert!(
        harness.screen().contains("step 11 of 15"),
        "{}",
        harness.screen()
    );
    assert!(harness.screen().contains("✗ error"));
    harness.press("E");
    assert!(harness.screen().contains("step 13 of 15"));
    harness.press("E");
    assert_eq!(status(&harness), "no failed step below");
    harness.press("<alt-e>");
    assert!(harness.screen().contains("step 11 of 15"));
    harness.press("<alt-d>");
    assert!(harness.screen().contains("step 8 of 15"));
    harness.press("<alt-d><alt-d>");
    assert_eq!(status(&harness), "no step above is known to edit");
}

#[test]
fn kinds_are_filtered_everywhere() {
    let mut harness = open(120, 40);
    // From the system prompt down to observations, which are hidden.
    harness.press("fjjjjj<space>");
    insta::assert_snapshot!("kinds_120x40", harness.screen());
    harness.press("<esc>E");
    assert_eq!(status(&harness), "no failed step below");
    assert!(
        harness
            .screen()
            .contains("5 hidden: observation · step 1 of 15")
    );
    harness.press("/failed<enter>");
    assert!(
        status(&harness).contains("1 in hidden kinds"),
        "{}",
        status(&harness)
    );
    // One kind alone, then all again.
    harness.press("fgekz<esc>gg");
    assert!(
        harness.screen().contains("step 15 of 15"),
        "{}",
        harness.screen()
    );
    harness.press("fz<esc>");
    assert!(!harness.screen().contains("hidden"));
}

#[test]
fn a_search_has_its_places_listed() {
    let mut harness = open(120, 40);
    harness.press("/re:limit = [0-9]<enter>");
    assert!(
        status(&harness).starts_with("match 1 of 5 lines · <ctrl-n> next"),
        "{}",
        status(&harness)
    );
    harness.press("g/jj");
    insta::assert_snapshot!("places_120x40", harness.screen());
    harness.press("<enter><ctrl-n><ctrl-n><ctrl-n>");
    assert!(
        status(&harness).starts_with("match 1 of 5 lines"),
        "{}",
        status(&harness)
    );
    harness.press("/<ctrl-u>re:a(b<enter>");
    assert!(
        harness
            .screen()
            .contains("this regular expression cannot be read: unclosed group")
    );
    harness.press("<esc>/<ctrl-u>a(b<enter>");
    assert!(status(&harness).contains("is not in these steps"));
}

#[test]
fn an_edit_leads_to_its_hunk_and_back() {
    let mut harness = open(120, 40);
    harness.press("De");
    assert_eq!(status(&harness), "the step writes 2 lines of this hunk");
    assert!(harness.screen().contains("src/a.py"));
    harness.press("gs");
    assert!(
        status(&harness).starts_with("step 6 removes 1 line of this hunk"),
        "{}",
        status(&harness)
    );
    // The observation of the call leads to the same hunk; another edit to another file.
    harness.press("ne");
    assert_eq!(status(&harness), "the step writes 2 lines of this hunk");
    harness.press("sDe");
    assert_eq!(status(&harness), "the step writes 1 line of this hunk");
    harness.press("sEe");
    assert_eq!(status(&harness), "this step is not known to edit a file");
}

#[test]
fn two_trajectories_have_their_own_places() {
    let mut harness = open(120, 40);
    harness.press("nn|");
    insta::assert_snapshot!("two_120x40", harness.screen());
    harness.press("<tab>p");
    let screen = harness.screen();
    assert!(
        screen.contains("3 of 15") && screen.contains("1 of 2"),
        "{screen}"
    );
    harness.press("on");
    assert!(harness.screen().contains("2 of 15"), "{}", harness.screen());
    harness.press("|");
    assert!(
        harness.screen().contains("r1 · fail"),
        "{}",
        harness.screen()
    );
}

#[test]
fn what_is_shown_in_short_is_shown_whole_when_asked_for() {
    let mut harness = open(120, 40);
    harness.press("/of 40<enter>");
    assert!(
        harness.screen().contains("⟲39  39 of 40 files"),
        "{}",
        harness.screen()
    );
    assert!(!harness.screen().contains("12 of 40"));
    harness.press("r");
    assert!(
        harness.screen().contains(" 12 of 40 files"),
        "{}",
        harness.screen()
    );
    harness.press("E");
    assert!(!harness.screen().contains("encoded data"));
    harness.press("r");
    assert!(
        harness.screen().contains("⧉ encoded data, 3000"),
        "{}",
        harness.screen()
    );
}

#[test]
fn no_sequence_of_a_trace_reaches_the_terminal() {
    let mut harness = open(200, 60);
    let mut seen = String::new();
    for _ in 0..15 {
        writeln!(seen, "{}", harness.screen()).unwrap();
        harness.press("n");
    }
    assert!(seen.contains("found␛[2J"), "{seen}");
    assert!(!seen.contains('\u{1b}'));
}
