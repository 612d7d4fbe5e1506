//! `gagar schedules` and `gagar report` as a person runs them.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with a file of groups and a file of rankings.
struct Desk {
    folder: TempDir,
}

#[derive(Debug)]
struct Answer {
    code: i32,
    out: String,
    err: String,
}

/// A group of six rollouts of which the first `passing` pass.
fn group(id: &str, passing: usize) -> Value {
    let rollouts: Vec<Value> = (0..6)
        .map(|i| {
            json!({
                "trajectory_id": format!("{id}-t{i}"),
                "reward": f64::from(u8::from(i < passing)),
                "tokens": {"output": 100 * (i + 1)},
                "patch": format!(
                    "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1 +1 @@\n-old\n+new {i} ``` <script>alert({i})</script>\n"
                ),
            })
        })
        .collect();
    json!({"schema": "gagar.group/1", "group_id": id, "task": {"statement": "fix it"}, "trajectories": rollouts})
}

fn ranking(id: &str, order: &[usize]) -> Value {
    let tiers: Vec<Vec<String>> = order.iter().map(|i| vec![format!("{id}-t{i}")]).collect();
    json!({"schema": "gagar.ranking/1", "group_id": id, "grader": {"name": "judge"}, "status": "ok", "tiers": tiers})
}

impl Desk {
    fn of(groups: &[Value], rankings: &[Value]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let lines = |values: &[Value]| -> String {
            values.iter().map(|value| format!("{value}\n")).collect()
        };
        std::fs::write(folder.path().join("groups.jsonl"), lines(groups)).unwrap();
        std::fs::write(folder.path().join("rankings.jsonl"), lines(rankings)).unwrap();
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self, args: &[&str]) -> Answer {
        let output = Command::new(env!("CARGO_BIN_EXE_gagar"))
            .args(args)
            .env_clear()
            .env("HOME", self.path())
            .env("USER", "tester")
            .current_dir(self.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Answer {
            code: output.status.code().unwrap(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    fn out(&self, args: &[&str]) -> String {
        let answer = self.run(args);
        assert_eq!(answer.code, 0, "{args:?}: {answer:?}");
        answer.out
    }

    /// Submits a ranking of a group's rollouts as somebody.
    fn rank(&self, who: &str, id: &str, order: &[usize]) {
        let tiers: Vec<Vec<String>> = order.iter().map(|i| vec![format!("{id}-t{i}")]).collect();
        let tiers = json!(tiers).to_string();
        self.out(&[
            "rank",
            "groups.jsonl",
            "--group",
            id,
            "--tiers",
            &tiers,
            "--annotator",
            who,
        ]);
    }
}

fn judged() -> Desk {
    let groups = [
        group("g1", 4),
        group("g2", 2),
        group("g3", 3),
        group("g4", 6),
    ];
    let rankings = [ranking("g1", &[0, 1, 2, 3]), ranking("g2", &[0, 1])];
    Desk::of(&groups, &rankings)
}

#[test]
fn schemes_are_compared_over_the_groups_whose_ranking_moves_credit() {
    let desk = judged();
    let text = desk.out(&["schedules", "groups.jsonl", "--rankings", "rankings.jsonl"]);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert!(
        text.contains("4 groups, 2 of them with a ranking"),
        "{text}"
    );
    assert!(
        text.contains("left out 1: dropped by dynamic sampling"),
        "{text}"
    );
    assert!(text.contains("left out 1: nobody ranked it"), "{text}");
    assert!(text.contains("not measured"), "{text}");
    let linear = text.lines().find(|line| line.starts_with("linear 0.5"));
    // Mean of 1/9 (m = 4) and 1/6 (m = 2).
    assert!(linear.unwrap().contains(" 0.139 "), "{text}");

    let json = desk.out(&[
        "schedules",
        "groups.jsonl",
        "--rankings",
        "rankings.jsonl",
        "--json",
        "--scheme",
        "linear:floor=0",
        "--scheme",
        "top:k=3",
        "--top",
        "1",
    ]);
    let found: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(found["movable"], 2);
    assert_eq!(found["schemes"][0]["scheme"], "linear:floor=0");
    assert_eq!(
        found["schemes"][1]["moves"], 1,
        "two candidates keep what they have"
    );
    assert_eq!(found["schemes"].as_array().unwrap().len(), 11);
    let affected = &found["schemes"][0]["most_affected"];
    assert_eq!(affected.as_array().unwrap().len(), 1);
    assert_eq!(
        affected[0]["group_id"], "g2",
        "half of the credit against a third"
    );
    assert!(found["grader_accuracy"].is_null() && found["schemes"][0]["misplaced"].is_null());
}

#[test]
fn the_misplaced_share_uses_the_measured_accuracy() {
    let desk = judged();
    // One of six pairs the other way round, and one of one.
    desk.rank("ann", "g1", &[1, 0, 2, 3]);
    desk.rank("bob", "g2", &[1, 0]);
    let json = desk.out(&[
        "schedules",
        "groups.jsonl",
        "--rankings",
        "rankings.jsonl",
        "--json",
    ]);
    let found: Value = serde_json::from_str(&json).unwrap();
    let accuracy = &found["grader_accuracy"];
    assert_eq!(accuracy["pairs"], 7);
    assert!((accuracy["share"].as_f64().unwrap() - 5.0 / 7.0).abs() < 1e-12);
    assert!(
        found["schemes"][0]["misplaced"].is_null(),
        "uniform moves nothing"
    );
    let share = found["schemes"][1]["misplaced"].as_f64().unwrap();
    assert!((0.5..0.95).contains(&share), "{share}");
}

#[test]
fn one_scheme_is_enough_elsewhere() {
    let desk = judged();
    let answer = desk.run(&[
        "groups",
        "groups.jsonl",
        "--scheme",
        "dcg",
        "--scheme",
        "uniform",
    ]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.err.contains("more than once"), "{answer:?}");
}
