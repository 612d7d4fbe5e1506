//! `gagar agreement` as a person runs it, over stores of up to three annotators.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder of its own with four groups of four passing candidates and a grader's answers.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        desk.write(&[
            Some([&["a"][..], &["b"], &["c"], &["d"]]),
            Some([&["a"][..], &["b"], &["c"], &["d"]]),
            Some([&["d"][..], &["c"], &["b"], &["a"]]),
            None,
        ]);
        desk
    }

    /// Writes the groups, with the grader's ranking of each where there is one.
    fn write(&self, rankings: &[Option<[&[&str]; 4]>]) {
        let lines = rankings.iter().enumerate().map(|(at, ranking)| {
            let patch = |id: &str| {
                format!("--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n-x = 0\n+x = '{id}{at}'\n")
            };
            let passing = ["a", "b", "c", "d"].map(|id| {
                json!({"trajectory_id": id, "outcome": "pass", "reward": 1.0, "patch": patch(id)})
            });
            let mut trajectories = passing.to_vec();
            trajectories.push(json!({
                "trajectory_id": "z", "outcome": "fail", "reward": 0.0, "patch": patch("z")
            }));
            let rankings = ranking.map(|tiers| {
                json!({
                    "grader": {"name": "listwise"}, "status": "ok", "tiers": tiers,
                    "shown_order": ["a", "b", "c", "d"],
                    "findings": [{"trajectory_id": "d", "code": "out_of_scope"}],
                })
            });
            let mut group = json!({
                "schema": "gagar.group/1", "group_id": format!("g{at}"),
                "task": {"text": "Fix it"}, "trajectories": trajectories,
            });
            if let Some(ranking) = rankings {
                group["rankings"] = json!([ranking]);
            }
            format!("{group}\n")
        });
        let text: String = lines.collect();
        std::fs::write(self.path().join("groups.jsonl"), text).unwrap();
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        self.run_in(args, None)
    }

    fn run_in(&self, args: &[&str], columns: Option<&str>) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_gagar"))
            .args(args)
            .env_clear()
            .env("HOME", self.path())
            .env("USER", "tester")
            .envs(columns.map(|columns| ("COLUMNS", columns)))
            .current_dir(self.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap();
        (code, text(output.stdout), text(output.stderr))
    }

    fn rank(&self, who: &str, group: &str, tiers: &str) {
        let args = [
            "rank",
            "groups.jsonl",
            "--db",
            "x.db",
            "--group",
            group,
            "--annotator",
            who,
            "--tiers",
            tiers,
        ];
        let (code, _, err) = self.run(&args);
        assert_eq!(code, 0, "{err}");
    }

    fn agreement(&self, more: &[&str]) -> Value {
        let mut args = vec!["agreement", "groups.jsonl", "--db", "x.db", "--json"];
        args.extend(more);
        let (code, out, err) = self.run(&args);
        assert_eq!(code, 0, "{err}");
        serde_json::from_str(&out).unwrap()
    }
}

/// Three annotators: all of them on g0, two on g1, one on g2.
fn judged() -> Desk {
    let desk = Desk::new();
    desk.rank("ann", "g0", r#"[["a"],["b"],["c"],["d"]]"#);
    desk.rank("ben", "g0", r#"[["a"],["b","c"],["d"]]"#);
    desk.rank("cho", "g0", r#"[["a"],["c"],["b"],["d"]]"#);
    desk.rank("ann", "g1", r#"[["a"],["b"],["c"],["d"]]"#);
    desk.rank("ben", "g1", r#"[["a"],["b"],["c"],["d"]]"#);
    desk.rank("ann", "g2", r#"[["a","b","c","d"]]"#);
    desk
}

fn pair<'a>(found: &'a Value, reference: &str, prediction: &str) -> &'a Value {
    let mut pairs = found["pairs"].as_array().unwrap().iter();
    let wanted = |pair: &&Value| pair["reference"] == reference && pair["prediction"] == prediction;
    pairs.find(wanted).unwrap_or_else(|| panic!("{found:#}"))
}

#[track_caller]
fn near(found: &Value, wanted: f64) {
    assert!(
        (found.as_f64().unwrap() - wanted).abs() < 5e-7,
        "{found} is not {wanted}"
    );
}

#[test]
fn figures_of_three_annotators_and_a_grader() {
    let desk = judged();
    let found = desk.agreement(&["--seed", "7"]);
    // g0: one swap between ann and cho is 0.666667, a tie between them 0.912871 (table 1.5).
    near(
        &pair(&found, "annotator:ann", "annotator:cho")["tau_b"]["mean"],
        2.0 / 3.0,
    );
    let two = pair(&found, "annotator:ann", "annotator:ben");
    near(&two["tau_b"]["mean"], (0.912_870_9 + 1.0) / 2.0);
    assert_eq!((&two["groups"], &two["identical"]), (&json!(2), &json!(1)));
    // ann ties all of g2: undefined there, left out of the mean and counted.
    let grader = pair(&found, "annotator:ann", "grader:listwise");
    near(&grader["tau_b"]["mean"], 1.0);
    assert_eq!(grader["groups"], 3);
    assert_eq!(grader["tau_b"]["groups"], 2);
    assert_eq!(
        grader["tau_b"]["undefined"],
        json!([{"reason": "one of the rankings ties everything", "groups": 1}])
    );
    assert!(grader["tau_b"]["interval"].is_array());
    let one = pair(&found, "annotator:cho", "grader:listwise");
    assert_eq!(one["tau_b"]["interval"], Value::Null);
    // Borda of g0 is a > b=c > d: five of five strict pairs.
    let headline = pair(&found, "consensus", "grader:listwise");
    near(&headline["tau_b"]["mean"], (0.912_870_9 + 1.0) / 2.0);
    near(&headline["pairwise_accuracy"]["mean"], 1.0);
    let by: Vec<(&str, u64)> = found["provenance"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let word = row["provenance"].as_str().unwrap();
            (word, row["groups"].as_u64().unwrap())
        })
        .collect();
    let wanted = [
        ("single", 1),
        ("unanimous", 1),
        ("adjudicated", 0),
        ("aggregate", 1),
        ("unresolved", 0),
    ];
    assert_eq!(by, wanted);
    // The grader repeats the order shown twice and reverses it once.
    let position = &found["positions"][0];
    near(&position["tau_b"]["mean"], 1.0 / 3.0);
    near(&position["first_on_top"]["mean"], 2.0 / 3.0);
    near(&position["chance"], 0.25);
    // Only the grader flags anything: kappa is 0 or less, never undefined here.
    let kappa = &found["kappas"][0];
    assert_eq!(
        (&kappa["code"], &kappa["only_first"]),
        (&Value::Null, &json!(3))
    );
    near(&kappa["kappa"], 0.0);
    assert_eq!(found["alphas"][0]["candidates"], 4);
    assert_eq!(found["people"][0]["annotator"], "ann");
    assert_eq!(found["people"][0]["median_seconds"], Value::Null);
    // The same seed gives the same bytes, another one other intervals.
    assert_eq!(desk.agreement(&["--seed", "7"]), found);
}

#[test]
fn aggregates_and_filters_are_chosen() {
    let desk = judged();
    let kemeny = desk.agreement(&["--aggregate", "kemeny"]);
    assert_eq!(kemeny["options"]["aggregate"], "kemeny");
    // Of g0 two orders are equally near.
    let by = kemeny["provenance"].as_array().unwrap();
    assert_eq!(by[4]["groups"], 1, "{by:?}");
    let strengths = desk.agreement(&["--aggregate", "bradley-terry:prior=0.1"]);
    near(
        &pair(&strengths, "consensus", "grader:listwise")["pairwise_accuracy"]["mean"],
        1.0,
    );
    let some = desk.agreement(&["--filter", "task~g1"]);
    assert_eq!(some["groups"], 1);
    let args = ["agreement", "groups.jsonl", "--aggregate", "condorcet"];
    assert_eq!(desk.run(&args).0, 2);
}

#[test]
fn graders_alone_people_alone_and_nobody_say_what_is_missing() {
    let desk = Desk::new();
    let (code, out, err) = desk.run(&["agreement", "groups.jsonl"]);
    assert_eq!(code, 0);
    assert!(err.contains("no such database"), "{err}");
    assert!(out.contains("missing: no submitted ranking"), "{out}");
    assert!(out.contains("first on top"), "{out}");

    desk.write(&[None, None]);
    let (code, out, _) = desk.run(&["agreement", "groups.jsonl"]);
    assert_eq!(code, 0);
    assert!(out.contains("missing: no grader's ranking"), "{out}");
    desk.rank("ann", "g0", r#"[["a"],["b"],["c"],["d"]]"#);
    let (_, out, _) = desk.run(&["agreement", "groups.jsonl", "--db", "x.db"]);
    assert!(out.contains("missing: one annotator only"), "{out}");
}

#[test]
fn tables_fit_the_width_and_names_stay_distinct() {
    let desk = judged();
    let long = "a-name-that-is-far-longer-than-any-table-has-room-for";
    desk.rank(long, "g0", r#"[["d"],["b"],["c"],["a"]]"#);
    for other in ["1", "2"] {
        desk.rank(
            &format!("{long}-{other}"),
            "g0",
            r#"[["d"],["b"],["c"],["a"]]"#,
        );
    }
    let agreement = ["agreement", "groups.jsonl", "--db", "x.db"];
    let widest = |out: &str| out.lines().map(|line| line.chars().count()).max().unwrap();
    for (columns, most) in [(Some("80"), 80), (None, 100), (Some("200"), 200)] {
        let (code, out, _) = desk.run_in(&agreement, columns);
        assert_eq!(code, 0);
        assert!(widest(&out) <= most, "{columns:?}:\n{out}");
        let mut work = out
            .lines()
            .skip_while(|line| !line.starts_with("Annotators: work"));
        let mut names: Vec<&str> = work
            .by_ref()
            .take_while(|line| !line.is_empty())
            .filter_map(|line| line.split("  ").next())
            .filter(|name| name.starts_with("a-name"))
            .collect();
        names.dedup();
        assert_eq!(names.len(), 3, "{out}");
    }
    let (_, out, _) = desk.run_in(&agreement, Some("200"));
    assert!(out.contains(long), "{out}");
    assert!(
        out.contains("undefined 2 times: tau-b: one of the rankings ties"),
        "{out}"
    );
}

#[test]
fn exports_tell_provenance_and_the_consensus_moves_advantages() {
    let desk = judged();
    let export = |what: &str, more: &[&str]| -> Vec<Value> {
        let mut args = vec!["export", what, "groups.jsonl", "--db", "x.db", "-o", "-"];
        args.extend(more);
        let (code, out, err) = desk.run(&args);
        assert_eq!(code, 0, "{err}");
        let lines = out.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let by = |rows: &[Value], group: &str| -> Vec<String> {
        let of = rows.iter().filter(|row| row["group_id"] == group);
        of.map(|row| row["provenance"].as_str().unwrap().to_owned())
            .collect()
    };
    let rows = export("annotations", &[]);
    assert_eq!(by(&rows, "g0"), ["aggregate"; 3]);
    assert_eq!(by(&rows, "g1"), ["unanimous"; 2]);
    assert_eq!(by(&rows, "g2"), ["single"]);
    let sft = export("sft", &[]);
    let meta: Value = serde_json::from_str(sft[0]["gagar_meta"].as_str().unwrap()).unwrap();
    assert_eq!(meta["provenance"], "aggregate");
    let rows = export("advantages", &["--source", "consensus"]);
    let of = |group: &str| {
        let mut of = rows.iter().filter(|row| row["group_id"] == group);
        of.next().unwrap()["source"].as_str().unwrap().to_owned()
    };
    assert_eq!(of("g0"), "consensus:aggregate");
    assert_eq!(of("g1"), "consensus:unanimous");
    assert_eq!(of("g2"), "consensus:single");
    assert_eq!(of("g3"), "none:");
    // b and c tie in the consensus of g0.
    let tier = |id: &str| {
        let mut of = rows.iter();
        let row = of.find(|row| row["group_id"] == "g0" && row["trajectory_id"] == id);
        row.unwrap()["rank"].as_u64().unwrap()
    };
    assert_eq!([tier("a"), tier("b"), tier("c"), tier("d")], [1, 2, 2, 4]);
}
