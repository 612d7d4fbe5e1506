//! The headless commands as a person runs them: the built program, its streams and exit codes.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder of its own with a small data set, as home and current folder.
struct Desk {
    folder: TempDir,
}

impl Desk {
    fn new() -> Self {
        let desk = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        desk.write("groups.jsonl", &desk_groups());
        desk
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gagar"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.path())
            .env("USER", "tester")
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Answer {
        Answer::of(&self.command(args).output().unwrap())
    }

    /// Runs a command that must end with this code and returns its JSON lines.
    fn rows(&self, code: i32, args: &[&str]) -> Vec<Value> {
        let answer = self.run(args);
        assert_eq!(answer.code, code, "{answer:?}");
        answer.rows()
    }

    /// Ranks group g1 as annotator `ann`.
    fn rank(&self, tiers: &str) -> Answer {
        self.run(&[
            "rank",
            "groups.jsonl",
            "--group",
            "g1",
            "--tiers",
            tiers,
            "--annotator",
            "ann",
        ])
    }
}

#[derive(Debug)]
struct Answer {
    code: i32,
    out: String,
    err: String,
}

impl Answer {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self {
            code: output.status.code().unwrap(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    fn rows(&self) -> Vec<Value> {
        let lines = self.out.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

fn desk_groups() -> String {
    let patch = |file: &str| {
        format!("diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-a\n+b\n")
    };
    let group = |id: &str, outcomes: &[&str]| {
        let trajectories: Vec<Value> = outcomes
            .iter()
            .enumerate()
            .map(|(i, outcome)| {
                let mut t = json!({"trajectory_id": format!("t{}", i + 1), "outcome": outcome,
                                   "policy": "secret-7b", "patch": patch(&format!("f{i}.py"))});
                if *outcome != "unscored" {
                    t["reward"] = json!(if *outcome == "pass" { 1.0 } else { 0.0 });
                }
                t
            })
            .collect();
        json!({"schema": "gagar.group/1", "group_id": id, "task": {"text": "Fix it.\nPlease."},
               "trajectories": trajectories})
    };
    let mut first = group("g1", &["pass", "fail", "pass", "pass", "unscored"]);
    first["rankings"] = json!([{"schema": "gagar.ranking/1", "group_id": "g1",
        "grader": {"name": "robo"}, "status": "ok", "tiers": [["t3"], ["t1", "t4"]],
        "reasoning": "t3 is the smallest."}]);
    [
        first,
        group("g2", &["pass", "pass"]),
        group("g3", &["fail", "fail"]),
    ]
    .iter()
    .map(|group| format!("{group}\n"))
    .collect()
}

#[test]
fn groups_are_listed_as_json_and_as_a_table() {
    let desk = Desk::new();
    let rows = desk.rows(0, &["groups", "groups.jsonl", "--json"]);
    assert_eq!(
        rows[0],
        json!({"group_id": "g1", "n": 5, "passing": 3, "failing": 1, "unscored": 1,
               "class": "mixed", "kept": true, "ranked_by": "robo", "state": "unseen",
               "skipped": null, "flagged": null, "provenance": null})
    );
    assert_eq!(rows[1]["class"], "all_pass");
    assert_eq!(rows[2]["kept"], false);
    assert_eq!(rows.len(), 3);
    let table = desk.run(&["groups", "groups.jsonl"]);
    insta::assert_snapshot!(table.out, @r"
    group  n  pass  fail  unscored  class     kept  ranked by  state
    g1     5     3     1         1  mixed     yes   robo       unseen
    g2     2     2     0         0  all_pass  no    -          unseen
    g3     2     0     2         0  all_fail  no    -          unseen
    ");
    assert!(
        !desk.path().join("gagar.db").exists(),
        "looking writes nothing"
    );
}

#[test]
fn check_names_path_line_and_reason_and_ends_with_one() {
    let desk = Desk::new();
    desk.write("groups.jsonl", &format!("{}{{\"schema\":\n", desk_groups()));
    let rows = desk.rows(1, &["check", "groups.jsonl", "--json"]);
    let of_kind =
        |kind: &str| -> Vec<&Value> { rows.iter().filter(|row| row["kind"] == kind).collect() };
    let problems = of_kind("problem");
    assert_eq!(
        rows.last().unwrap(),
        &json!({"kind": "summary", "groups": 3, "trajectories": 9, "problems": problems.len(), "notes": 0, "foreign": 0})
    );
    assert!(!problems.is_empty());
    assert_eq!(problems[0]["line"], 4);
    for problem in problems {
        let keys: Vec<_> = problem.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["kind", "path", "line", "record", "reason"]);
    }
    let files = of_kind("file");
    assert_eq!(files.len(), 1);
    assert_eq!(files[0]["path"], "groups.jsonl");
    assert_eq!(
        files[0]["formats"],
        json!([{"name": "gagar.group/1", "records": 3}])
    );
    assert_eq!(
        (&files[0]["groups"], &files[0]["trajectories"]),
        (&json!(3), &json!(9))
    );
    let words = desk.run(&["check", "groups.jsonl"]);
    let first = words.out.lines().next().unwrap();
    assert_eq!(
        first,
        "groups.jsonl: 3 × gagar.group/1; 9 trajectories; 1 problem"
    );
    assert!(
        words.out.contains("problem: groups.jsonl:4"),
        "{}",
        words.out
    );
}

#[test]
fn advantages_move_by_the_graders_ranking_and_keep_their_sum() {
    let desk = Desk::new();
    let rows = desk.rows(0, &["advantages", "groups.jsonl", "--source", "grader"]);
    assert_eq!(rows.len(), 4, "the unscored one has no row");
    let keys: Vec<_> = rows[0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "schema",
            "group_id",
            "trajectory_id",
            "reward",
            "passed",
            "rank",
            "tier_size",
            "weight",
            "advantage_base",
            "advantage",
            "estimator",
            "scheme",
            "status",
            "source",
            "annotation_id",
            "export_id"
        ]
    );
    let best = &rows[2];
    assert_eq!(
        (&best["trajectory_id"], &best["rank"]),
        (&json!("t3"), &json!(1))
    );
    assert_eq!(
        (&rows[0]["rank"], &rows[0]["tier_size"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(
        (&rows[1]["rank"], &rows[1]["weight"]),
        (&json!(0), &json!(1.0))
    );
    assert_eq!(best["source"], "grader:robo");
    assert_eq!(best["status"], "redistributed");
    let number = |row: &Value, key: &str| row[key].as_f64().unwrap();
    assert!(number(best, "advantage") > number(best, "advantage_base"));
    let sum = |key: &str| -> f64 {
        rows.iter()
            .filter(|row| row["passed"] == true)
            .map(|row| number(row, key))
            .sum()
    };
    assert!((sum("advantage") - sum("advantage_base")).abs() < 1e-12);

    let plain = desk.rows(0, &["advantages", "groups.jsonl", "--source", "none"]);
    for row in &plain {
        assert_eq!(row["advantage"], row["advantage_base"]);
        assert_eq!(row["source"], "none:");
    }
    assert_ne!(plain[0]["export_id"], rows[0]["export_id"]);
    let all = desk.rows(
        0,
        &["advantages", "groups.jsonl", "--source", "grader", "--all"],
    );
    assert_eq!(all.len(), 8);
}

#[test]
fn an_export_of_advantages_has_a_manifest_and_is_recorded() {
    let desk = Desk::new();
    let args = [
        "export",
        "advantages",
        "groups.jsonl",
        "-o",
        "adv.jsonl",
        "--source",
        "grader",
    ];
    assert_eq!(desk.run(&args).code, 0);
    assert!(
        !desk.path().join("gagar.db").exists(),
        "an export makes no log"
    );
    let printed = desk
        .run(&["advantages", "groups.jsonl", "--source", "grader"])
        .out;
    assert_eq!(printed, desk.read("adv.jsonl"));
    let row: Value = serde_json::from_str(printed.lines().next().unwrap()).unwrap();
    let manifest: Value = serde_json::from_str(&desk.read("adv.jsonl.manifest.json")).unwrap();
    assert_eq!(manifest["export_id"], row["export_id"]);
    assert_eq!(
        (&manifest["rows"], &manifest["groups"]),
        (&json!(4), &json!(1))
    );

    assert_eq!(desk.rank(r#"[["t4"]]"#).code, 0);
    let events = |desk: &Desk| {
        let out = desk.run(&["doctor"]).out;
        let line = out
            .lines()
            .find(|line| line.starts_with("database"))
            .unwrap()
            .to_owned();
        line.split_whitespace()
            .find_map(|word| word.parse::<u32>().ok())
            .unwrap()
    };
    let before = events(&desk);
    assert_eq!(desk.run(&args).code, 0);
    assert_eq!(events(&desk), before + 1);
}

#[test]
fn what_cannot_be_computed_is_told_with_group_and_trajectory() {
    let desk = Desk::new();
    let answer = desk.run(&["advantages", "groups.jsonl", "--estimator", "file"]);
    assert_eq!((answer.code, answer.out.as_str()), (1, ""), "{answer:?}");
    assert!(
        answer.err.contains("group g1") && answer.err.contains("trajectory t1"),
        "{answer:?}"
    );
    assert_eq!(desk.rank(r#"[["t4"],["t1"]]"#).code, 0);
    let args = [
        "advantages",
        "groups.jsonl",
        "--source",
        "human",
        "--unranked",
        "error",
    ];
    let answer = desk.run(&args);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.err.contains("group g1: trajectory t3"), "{answer:?}");
}

#[test]
fn options_before_a_command_get_a_hint() {
    let desk = Desk::new();
    let answer = desk.run(&["--db", "x.db", "groups", "groups.jsonl"]);
    assert_eq!(answer.code, 3);
    assert!(answer.err.contains("after the command"), "{answer:?}");
}

#[test]
fn a_database_in_a_folder_that_is_missing_is_told_before_anything_is_judged() {
    let desk = Desk::new();
    let answer = desk.run(&["groups.jsonl", "--db", "nowhere/gagar.db"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.err.contains("nowhere is no folder"), "{answer:?}");
}

#[test]
fn unscored_trajectories_are_counted_on_stderr() {
    let desk = Desk::new();
    let answer = desk.run(&["advantages", "groups.jsonl", "--source", "grader"]);
    assert!(answer.err.contains("1 unscored"), "{answer:?}");
}

#[test]
fn a_ranking_is_submitted_and_counts() {
    let desk = Desk::new();
    let answer = desk.rank(r#"[["t4"],["t1"]]"#);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        answer.err.contains("t3"),
        "the unranked one is named: {answer:?}"
    );
    let rows = desk.rows(
        0,
        &["groups", "groups.jsonl", "--json", "--annotator", "ann"],
    );
    assert_eq!(
        (&rows[0]["ranked_by"], &rows[0]["state"]),
        (&json!("ann"), &json!("submitted"))
    );
    // The log knows one annotator only: no need to name it.
    let rows = desk.rows(0, &["advantages", "groups.jsonl", "--source", "human"]);
    assert_eq!(
        (&rows[3]["rank"], &rows[3]["source"]),
        (&json!(1), &json!("human:ann"))
    );
    assert_eq!(rows[2]["rank"], 0);
    assert_ne!(rows[3]["annotation_id"], "");
    let counted = desk.rows(0, &["advantages", "groups.jsonl"]);
    assert_eq!(counted[3]["source"], "human:ann");
}

#[test]
fn rankings_that_are_none_are_refused_with_id_and_group() {
    let desk = Desk::new();
    let refused = [
        (r#"["t1","t3"]"#, "tiers"),
        (r"[1,2]", "tiers"),
        (r"[]", "empty"),
        (r#"[["t1"],["t9"]]"#, "trajectory t9 is not in group g1"),
        (
            r#"[["t1"],["t1"]]"#,
            "trajectory t1 stands in the ranking of group g1 twice",
        ),
        (
            r#"[["t2"]]"#,
            "trajectory t2 of group g1 is ranked but does not pass",
        ),
    ];
    for (tiers, reason) in refused {
        let answer = desk.rank(tiers);
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.err.contains(reason), "{answer:?}");
    }
    assert!(!desk.path().join("gagar.db").exists(), "nothing was stored");
}

#[test]
fn an_unknown_group_gets_close_ones_as_a_hint() {
    let desk = Desk::new();
    let answer = desk.run(&[
        "rank",
        "groups.jsonl",
        "--group",
        "g11",
        "--tiers",
        r#"[["t1"]]"#,
    ]);
    assert_eq!(answer.code, 2);
    assert!(
        answer.err.contains("g11") && answer.err.contains("close: g1"),
        "{answer:?}"
    );
}

#[test]
fn sft_rows_hide_ids_and_end_in_the_answer() {
    let desk = Desk::new();
    assert_eq!(desk.rank(r#"[["t4"],["t3","t1"]]"#).code, 0);
    let export = [
        "export",
        "sft",
        "groups.jsonl",
        "--db",
        "gagar.db",
        "-o",
        "sft.jsonl",
    ];
    let answer = desk.run(&export);
    assert_eq!(answer.code, 0, "{answer:?}");
    let first = desk.read("sft.jsonl");
    let row: Value = serde_json::from_str(&first).unwrap();
    let keys: Vec<_> = row.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["prompt", "completion", "gagar_meta"]);
    let meta: Value = serde_json::from_str(row["gagar_meta"].as_str().unwrap()).unwrap();
    let map = meta["label_map"].as_object().unwrap();
    let shown: Vec<_> = map.values().map(|id| id.as_str().unwrap()).collect();
    // As the grader's ranking showed them, not in the order of the answer; failing ones too.
    assert_eq!(shown, ["t3", "t1", "t4", "t2", "t5"]);
    let question = row["prompt"][1]["content"].as_str().unwrap();
    assert!(question.contains("Fix it.") && !question.contains("secret-7b"));
    let completion = row["completion"][0]["content"].as_str().unwrap();
    let tiers: Value = serde_json::from_str(completion.lines().last().unwrap()).unwrap();
    let named: Vec<Vec<&str>> = tiers["tiers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tier| {
            let mut ids: Vec<_> = tier
                .as_array()
                .unwrap()
                .iter()
                .map(|letter| map[letter.as_str().unwrap()].as_str().unwrap())
                .collect();
            ids.sort_unstable();
            ids
        })
        .collect();
    assert_eq!(named, [vec!["t4"], vec!["t1", "t3"]]);

    assert_eq!(desk.run(&export).code, 0);
    assert_eq!(
        first,
        desk.read("sft.jsonl"),
        "the same input gives the same bytes"
    );
    let leftovers = std::fs::read_dir(desk.path()).unwrap();
    let leftovers = leftovers.filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .ends_with(".tmp")
    });
    assert_eq!(leftovers.count(), 0);
}

#[test]
fn annotations_keep_stale_labels_and_sft_leaves_them_out() {
    let desk = Desk::new();
    assert_eq!(desk.rank(r#"[["t4"],["t3","t1"]]"#).code, 0);
    desk.write("groups.jsonl", &desk_groups().replace("f2.py", "other.py"));
    let export = |what: &str| desk.run(&["export", what, "groups.jsonl", "-o", "out.jsonl"]);
    assert_eq!(export("annotations").code, 0);
    let row: Value = serde_json::from_str(&desk.read("out.jsonl")).unwrap();
    assert_eq!(
        (&row["stale"], &row["state"]),
        (&json!(true), &json!("submitted"))
    );
    assert_eq!(row["tiers"], json!([["t4"], ["t3", "t1"]]));
    assert_eq!(row["annotator"], "ann");
    let answer = export("sft");
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.err.contains("stale"));
    assert_eq!(desk.read("out.jsonl"), "");
}

#[test]
fn an_export_never_overwrites_its_inputs() {
    let desk = Desk::new();
    assert_eq!(desk.rank(r#"[["t4"]]"#).code, 0);
    for output in ["groups.jsonl", "gagar.db"] {
        let answer = desk.run(&["export", "annotations", "groups.jsonl", "-o", output]);
        assert_eq!(answer.code, 2, "{answer:?}");
    }
    // Also when the folder that the file lies in was given.
    for (what, output) in [
        ("annotations", "groups.jsonl"),
        ("advantages", "./groups.jsonl"),
    ] {
        let answer = desk.run(&["export", what, ".", "-o", output]);
        assert_eq!(answer.code, 2, "{answer:?}");
    }
    assert_eq!(desk.read("groups.jsonl"), desk_groups());
}

#[test]
fn wrong_usage_ends_with_two_and_what_cannot_be_done_with_three() {
    let desk = Desk::new();
    for args in [
        &["groups"][..],
        &["advantages", "groups.jsonl", "--source", "nobody"],
        &["advantages", "groups.jsonl", "--scheme", "nonsense"],
        &["advantages", "groups.jsonl", "--estimator", "nonsense"],
        &["export", "nonsense", "groups.jsonl", "-o", "x"],
        &["groups", "groups.jsonl", "--annotator", " "],
        &[],
    ] {
        let answer = desk.run(args);
        assert_eq!(answer.code, 2, "{args:?}: {answer:?}");
        assert!(
            !answer.err.is_empty() && answer.out.is_empty(),
            "{answer:?}"
        );
    }
    for args in [
        &["groups", "nowhere"][..],
        &["nowhere"],
        &["advantages", "groups.jsonl", "--source", "human"],
        &["export", "sft", "groups.jsonl", "-o", "x"],
        &["groups.jsonl"],
    ] {
        let answer = desk.run(args);
        assert_eq!(answer.code, 3, "{args:?}: {answer:?}");
        assert!(answer.err.starts_with("gagar: "), "{answer:?}");
    }
}

#[test]
fn help_keys_completions_and_doctor_answer() {
    let desk = Desk::new();
    let help = desk.run(&["--help"]);
    assert_eq!(help.code, 0);
    assert!(help.out.contains("Examples:") && help.out.contains("Exit codes:"));
    let keys = desk.run(&["keys"]);
    assert!(
        keys.code == 0 && keys.out.contains("accept_grader"),
        "{keys:?}"
    );
    for shell in ["bash", "zsh", "fish"] {
        assert!(desk.run(&["completions", shell]).out.contains("gagar"));
    }
    let doctor = desk.run(&["doctor", "groups.jsonl"]);
    assert_eq!(doctor.code, 0, "{doctor:?}");
    assert!(doctor.out.contains("sqlite") && doctor.out.contains("3 groups (1 kept)"));
    desk.write("keys.toml", "[compare]\nfly = [\"x\"]\n");
    let doctor = desk.run(&["doctor", "--keys", "keys.toml"]);
    assert!(doctor.code == 1 && doctor.out.contains("fly"), "{doctor:?}");
}

#[test]
fn text_from_rollouts_cannot_steer_the_terminal() {
    let desk = Desk::new();
    let evil = desk_groups().replace("\"g1\"", "\"g1\\u001b]0;owned\\u0007\"");
    desk.write("groups.jsonl", &evil);
    let table = desk.run(&["groups", "groups.jsonl"]);
    assert!(!table.out.contains(['\u{1b}', '\u{7}']), "{table:?}");
    assert!(table.out.contains("owned"));
    let json = desk.run(&["groups", "groups.jsonl", "--json"]);
    assert!(!json.out.contains('\u{1b}'), "{json:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let desk = Desk::new();
    let many: String = (0..2000)
        .map(|i| {
            desk_groups()
                .lines()
                .last()
                .unwrap()
                .replace("g3", &format!("n{i}"))
                + "\n"
        })
        .collect();
    desk.write("groups.jsonl", &many);
    let mut child = desk
        .command(&["groups", "groups.jsonl", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let answer = Answer::of(&child.wait_with_output().unwrap());
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
}

#[cfg(feature = "tui")]
#[test]
fn a_theme_that_is_not_there_is_a_usage_error() {
    let desk = Desk::new();
    let output = desk
        .command(&["--theme", "nope", "groups.jsonl"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("dark, light, github-dark"), "{said}");
    assert!(!said.contains("no terminal"), "{said}");
}

#[test]
fn a_device_is_written_to_and_a_dash_is_stdout() {
    let dir = TempDir::new().unwrap();
    let run = |output: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_gagar"))
            .args([
                "export",
                "advantages",
                "sample-data/native",
                "--source",
                "grader",
            ])
            .args(["--db", "none.db", "-o", output])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("HOME", dir.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let rows = run("-");
    assert!(rows.lines().count() > 10 && rows.starts_with("{\"schema\":\"gagar.advantage/1\""));
    assert_eq!(run("/dev/null"), "");
    let kind = std::os::unix::fs::FileTypeExt::is_char_device;
    assert!(kind(&std::fs::metadata("/dev/null").unwrap().file_type()));
    let (target, link) = (dir.path().join("target"), dir.path().join("link"));
    std::fs::write(&target, "before").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    run(link.to_str().unwrap());
    assert!(link.is_symlink());
    assert_eq!(std::fs::read_to_string(&target).unwrap(), rows);
}

#[test]
fn convert_writes_what_loads_as_the_same_groups() {
    let desk = Desk::new();
    let answer = desk.run(&["convert", "groups.jsonl", "-o", "out.jsonl", "--json"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let summary = &answer.rows()[0];
    assert_eq!(summary["output"], "out.jsonl");
    assert_eq!(summary["files"][0]["path"], "groups.jsonl");
    let groups = desk.rows(0, &["groups", "groups.jsonl", "--json"]);
    assert_eq!(summary["groups"], json!(groups.len()));
    assert_eq!(summary["problems"], 0);
    assert_eq!(groups, desk.rows(0, &["groups", "out.jsonl", "--json"]));
    let streamed = desk.run(&["convert", "groups.jsonl", "-o", "-"]);
    assert_eq!(streamed.out, desk.read("out.jsonl"));
    let both = desk.run(&["convert", "groups.jsonl", "-o", "-", "--json"]);
    assert_eq!(both.code, 2, "{both:?}");
    let again = desk.run(&["convert", "out.jsonl", "-o", "-"]);
    assert_eq!(again.out, streamed.out, "a second round changes nothing");
}

#[test]
fn convert_replaces_only_what_it_may() {
    let desk = Desk::new();
    desk.write("other.jsonl", "precious\n");
    let refused = desk.run(&["convert", "groups.jsonl", "-o", "other.jsonl"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("--force"), "{}", refused.err);
    assert_eq!(desk.read("other.jsonl"), "precious\n");
    let forced = desk.run(&["convert", "groups.jsonl", "-o", "other.jsonl", "--force"]);
    assert_eq!(forced.code, 0, "{forced:?}");
    let before = desk.read("groups.jsonl");
    for paths in ["groups.jsonl", "."] {
        let slip = desk.run(&["convert", paths, "-o", "groups.jsonl", "--force"]);
        assert_eq!(slip.code, 2, "{slip:?}");
        assert!(slip.err.contains("overwrite"), "{}", slip.err);
        assert_eq!(desk.read("groups.jsonl"), before);
    }
    let inside = desk.run(&["convert", ".", "-o", "new.jsonl", "--json"]);
    assert!(inside.err.contains("reads both"), "{inside:?}");
    let folder = desk.run(&["convert", "groups.jsonl", "-o", ".", "--force"]);
    assert_eq!(folder.code, 2, "{folder:?}");
    let names = std::fs::read_dir(desk.path()).unwrap();
    let left = names.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().contains(".tmp")
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn convert_tells_what_could_not_be_read_and_writes_the_rest() {
    let desk = Desk::new();
    desk.write(
        "broken.jsonl",
        &format!("{{\"group_id\":\n{}", desk_groups()),
    );
    let answer = desk.run(&["convert", "broken.jsonl", "-o", "out.jsonl"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(
        answer.err.contains("problem: broken.jsonl:1"),
        "{}",
        answer.err
    );
    assert_eq!(
        desk.read("out.jsonl").lines().count(),
        desk_groups().lines().count()
    );
}

#[test]
fn formats_are_listed_in_eighty_columns_and_as_json() {
    let desk = Desk::new();
    let text = desk.run(&["formats"]);
    assert_eq!(text.code, 0);
    assert!(text.out.lines().all(|line| line.chars().count() <= 80));
    let rows = desk.rows(0, &["formats", "--json"]);
    for row in &rows {
        assert!(text.out.contains(row["name"].as_str().unwrap()));
        let keys: &[&str] = match row["kind"].as_str().unwrap() {
            "format" => &["doc", "group", "rollout", "reward", "patch"],
            _ => &["doc"],
        };
        for key in keys {
            assert!(row[key].is_string(), "{row}");
        }
    }
    assert!(rows.iter().any(|row| row["kind"] == "container"));
}

#[test]
fn a_filter_chooses_groups_in_every_command() {
    let desk = Desk::new();
    let all = desk.rows(0, &["groups", "groups.jsonl", "--json"]);
    let ids = |rows: &[Value]| -> Vec<String> {
        let ids = rows.iter().map(|row| row["group_id"].as_str().unwrap());
        let mut ids: Vec<_> = ids.map(str::to_owned).collect();
        ids.dedup();
        ids
    };
    let kept: Vec<Value> = all
        .iter()
        .filter(|row| row["kept"] == true)
        .cloned()
        .collect();
    assert!(kept.len() < all.len() && !kept.is_empty());
    let chosen = desk.rows(
        0,
        &["groups", "groups.jsonl", "--json", "--filter", "kept n>=1"],
    );
    assert_eq!(chosen, kept);
    let out = desk.rows(
        0,
        &["convert", "groups.jsonl", "-o", "-", "--filter", "kept"],
    );
    assert_eq!(ids(&out), ids(&kept));
    let dropped = ["--all", "--filter", "dropped"];
    let rows = desk.rows(0, &[&["advantages", "groups.jsonl"], &dropped[..]].concat());
    assert!(ids(&rows).iter().all(|id| !ids(&kept).contains(id)));
    assert!(!rows.is_empty());
    assert_eq!(desk.rank(r#"[["t1"],["t3","t4"]]"#).code, 0);
    let export = |filter: &str| {
        let args = [
            "export",
            "annotations",
            "groups.jsonl",
            "-o",
            "-",
            "--filter",
            filter,
        ];
        desk.rows(0, &args).len()
    };
    assert_eq!((export("kept"), export("dropped")), (1, 0));
    let wrong = desk.run(&["groups", "groups.jsonl", "--filter", "fly"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.err.contains("problems") && wrong.err.contains("kept"),
        "{}",
        wrong.err
    );
}

#[test]
fn a_filter_knows_formats_and_problems() {
    let desk = Desk::new();
    let bad = r#"{"group_id":"bad","trajectories":[{"trajectory_id":"a/b","outcome":"pass","reward":NaN},{"reward":1}]}"#;
    desk.write("more.jsonl", &format!("{bad}\n"));
    let ids = |filter: &str| -> Vec<String> {
        let rows = desk.rows(1, &["groups", ".", "--json", "--filter", filter]);
        rows.iter()
            .map(|row| row["group_id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids("problems>0"), ["bad"]);
    assert_eq!(ids("problems=2"), ["bad"]);
    assert!(!ids("format:gagar.group").is_empty());
    assert!(ids("format:verl").is_empty());
}

/// Records with columns of their own: one holds something else where its messages should be.
fn own_columns() -> String {
    let row = |n: usize| {
        let chat = match n {
            2 => json!("oops"),
            _ => json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]),
        };
        let row = json!({"prob": format!("bug-{}", n / 3), "attempt": n % 3, "tests": {"ok": n.is_multiple_of(2)}, "chat": chat});
        format!("{row}\n")
    };
    (0..6).map(row).collect()
}

#[test]
fn a_problem_says_file_and_record_once() {
    let desk = Desk::new();
    desk.write("dump.jsonl", &own_columns());
    let map = "group=prob,patch=chat,steps=chat";
    let answer = desk.run(&["check", "dump.jsonl", "--map", map]);
    assert_eq!(answer.code, 1, "{answer:?}");
    let told: Vec<&str> = answer
        .out
        .lines()
        .filter(|line| line.starts_with("problem"))
        .collect();
    // Five lists where the patch should be, and a text where the messages should be.
    assert_eq!(told.len(), 6, "{told:#?}");
    for line in told {
        assert_eq!(line.matches("dump.jsonl").count(), 1, "{line}");
        assert_eq!(line.matches("/dump:").count(), 1, "{line}");
    }
}

#[test]
fn maps_beside_the_data_count_behind_those_here() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path().join("data")).unwrap();
    desk.write("data/dump.jsonl", &own_columns());
    let map = |name: &str, reward: &str| {
        format!(
            "[map.{name}]\nmatch = [\"prob\"]\ngroup = \"prob\"\nreward = \"{reward}\"\nsteps = \"chat\"\n"
        )
    };
    desk.write("data/gagar.toml", &map("mine", "tests.ok"));
    let passing = |paths: &[&str]| {
        let rows = desk.rows(1, &[&["groups", "--json"], paths].concat());
        rows.iter()
            .map(|row| row["passing"].as_u64().unwrap())
            .sum::<u64>()
    };
    for path in ["data", "data/dump.jsonl"] {
        assert_eq!(passing(&[path]), 3, "{path}");
        let answer = desk.run(&["check", path]);
        let note = "note: data/dump.jsonl: read through [map.mine] of data/gagar.toml";
        assert!(answer.err.contains(note), "{answer:?}");
    }
    assert_eq!(passing(&["data", "--map", "mine"]), 3);
    // The user's own comes last, the current folder's first.
    std::fs::create_dir_all(desk.path().join(".config/gagar")).unwrap();
    desk.write(".config/gagar/config.toml", &map("mine", "none"));
    assert_eq!(passing(&["data"]), 3);
    desk.write("gagar.toml", &map("mine", "attempt"));
    assert_eq!(passing(&["data"]), 4);
    let rows = desk.rows(1, &["check", "data", "--json"]);
    let used = rows.iter().find(|row| row["kind"] == "map").unwrap();
    assert_eq!(used["title"], "[map.mine] of gagar.toml");
}

#[test]
fn what_is_missing_is_told_where_nothing_was_found() {
    let desk = Desk::new();
    desk.write("x.jsonl", "{\"prob\":\"b\",\"tests\":{\"ok\":true}}\n");
    for command in ["check", "groups"] {
        let answer = desk.run(&[command, "x.jsonl"]);
        let told = answer.out.clone() + &answer.err;
        let words = "its columns: prob (text), tests (object: ok); `--map group=…,steps=…` reads them, here perhaps --map group=prob,reward=tests.ok";
        assert_eq!(told.matches(words).count(), 1, "{told}");
    }
    // The guess says what it did not find.
    desk.write("dump.jsonl", &own_columns());
    let rows = desk.rows(1, &["check", "dump.jsonl", "--json"]);
    let guessed = rows.iter().find(|row| row["kind"] == "guessed").unwrap();
    assert_eq!(guessed["missing"], json!(["reward", "patch"]));
}

#[test]
fn the_map_in_the_help_can_be_pasted() {
    let desk = Desk::new();
    let help = desk.run(&["groups", "--help"]).out;
    let map = "group=instance_id,reward=resolved,patch=model_patch,steps=messages,id=run";
    assert!(help.contains(map), "{help}");
    let examples = desk.run(&["--help"]).out;
    let (_, examples) = examples.split_once("Examples:").unwrap();
    let columns = |words: &str| {
        let line = examples.lines().find(|line| line.contains(words)).unwrap();
        line.find(words).unwrap()
    };
    assert_eq!(
        columns("records with columns"),
        columns("rows for a trainer")
    );
}

/// The sample data that is shipped, copied: its folder is not the current one of a desk.
fn samples() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data");
    folder.to_str().unwrap().to_owned()
}

#[test]
fn the_sample_data_has_notes_and_no_problems() {
    let desk = Desk::new();
    let samples = samples();
    for args in [
        &["groups", &samples][..],
        &["convert", &samples, "-o", "all.jsonl"],
        &["check", &samples],
    ] {
        let answer = desk.run(args);
        assert_eq!(answer.code, 0, "{args:?}: {}", answer.err);
        assert!(!answer.err.contains("problem: "), "{}", answer.err);
    }
    let told = desk.run(&["check", &samples]);
    assert!(told.err.contains("a subset of all/traces.jsonl"));
    assert!(told.out.contains(", 0 problems\n"), "{}", told.out);
}

#[test]
fn the_trajectories_of_the_files_add_up() {
    let desk = Desk::new();
    let rows = desk.rows(0, &["check", &samples(), "--json"]);
    let of_kind = |kind: &'static str| rows.iter().filter(move |row| row["kind"] == kind);
    let sum = |key: &str| -> u64 {
        of_kind("file")
            .map(|file| file[key].as_u64().unwrap())
            .sum()
    };
    let total = rows.last().unwrap();
    assert_eq!(sum("trajectories"), total["trajectories"].as_u64().unwrap());
    assert_eq!(sum("references"), 3, "the gold patches");
    assert_eq!(sum("copies"), 2, "effective/traces.jsonl repeats two");
    assert_eq!(
        of_kind("foreign").count() as u64,
        total["foreign"].as_u64().unwrap()
    );
    assert!(of_kind("note").count() > 0);
}

#[test]
fn where_nothing_is_found_is_told() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path().join("empty")).unwrap();
    for command in ["groups", "check", "advantages"] {
        let answer = desk.run(&[command, "empty"]);
        assert_eq!(answer.code, 1, "{answer:?}");
        let said = format!("{}{}", answer.out, answer.err);
        assert!(
            said.contains("problem: empty: no rollouts were found in it"),
            "{said}"
        );
    }
    let told = desk.run(&["check", "empty"]).out;
    assert!(
        told.ends_with("0 groups, 0 trajectories, 1 problem\n"),
        "{told}"
    );
}

#[test]
fn a_file_that_is_no_data_is_named_and_has_one_problem() {
    let desk = Desk::new();
    desk.write("table.tsv", "a\tb\n1\t2\n");
    let rows = desk.rows(1, &["check", "table.tsv", "--json"]);
    let problems = rows.iter().filter(|row| row["kind"] == "problem");
    assert_eq!(problems.count(), 1, "{rows:?}");
    let told = desk.run(&["check", "."]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(
        told.err.contains("1 file is not a rollout file: table.tsv"),
        "{told:?}"
    );
}

#[test]
fn a_mistyped_command_is_a_usage_error_with_the_command_meant() {
    let desk = Desk::new();
    let answer = desk.run(&["gropus", "x"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    let meant = "gropus: no such file; did you mean the command `groups`?";
    assert!(answer.err.contains(meant), "{answer:?}");
}

#[test]
fn convert_keeps_the_formats_that_were_read() {
    let desk = Desk::new();
    let verl = format!("{}/formats/verl", samples());
    let answer = desk.run(&["convert", &verl, "-o", "all.jsonl"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    for again in ["all.jsonl", "twice.jsonl"] {
        let rows = desk.rows(0, &["groups", again, "--filter", "format:verl", "--json"]);
        assert!(!rows.is_empty(), "{again}");
        desk.run(&["convert", "all.jsonl", "-o", "twice.jsonl"]);
        let other = desk.rows(0, &["groups", again, "--filter", "format:trl", "--json"]);
        assert!(other.is_empty(), "{again}");
    }
    let piped = desk.run(&["convert", "all.jsonl", "-o", "-"]);
    assert!(piped.err.contains("standard output: "), "{}", piped.err);
}

#[test]
fn a_screenshot_is_drawn_by_keys_and_writes_nothing_else() {
    let desk = Desk::new();
    let shot = |more: &[&str]| {
        let mut args = vec!["screenshot", "groups.jsonl", "--size", "100x30"];
        args.extend(more);
        desk.run(&args)
    };
    let text = shot(&["-o", "-", "--format", "txt", "--keys", "<enter>J"]);
    assert_eq!(text.code, 0, "{text:?}");
    assert_eq!(text.out.lines().count(), 30, "{text:?}");
    assert!(text.out.contains("g1 ·"), "{text:?}");
    let again = shot(&["-o", "-", "--format", "txt", "--keys", "<enter>J"]);
    assert_eq!(text.out, again.out);

    assert_eq!(shot(&["-o", "a.svg", "--keys", "<enter>"]).code, 0);
    let svg = desk.read("a.svg");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.chars().all(|c| c == '\n' || !c.is_control()));
    let kept = shot(&["-o", "a.svg", "--colour", "none"]);
    assert!(kept.code == 2 && kept.err.contains("--force"), "{kept:?}");
    assert_eq!(desk.read("a.svg"), svg);
    assert_eq!(
        shot(&["-o", "a.svg", "--colour", "none", "--force"]).code,
        0
    );
    assert!(!desk.path().join("gagar.db").exists());

    // Judgements of a file are shown, what the keys add stays out of it.
    desk.rank(r#"[["t1"],["t3"]]"#);
    let before = std::fs::read(desk.path().join("gagar.db")).unwrap();
    let db = ["--db", "gagar.db", "--annotator", "ann"];
    let judged = shot(
        &[
            &["-o", "-", "--format", "txt", "--keys", "<enter>u"],
            &db[..],
        ]
        .concat(),
    );
    assert_eq!(judged.code, 0, "{judged:?}");
    assert_eq!(before, std::fs::read(desk.path().join("gagar.db")).unwrap());
}

#[test]
fn a_screenshot_that_cannot_be_drawn_says_why() {
    let desk = Desk::new();
    let wrong: [(&[&str], i32, &str); 7] = [
        (
            &["--keys", "<ctrl-nope>", "-o", "a.svg"],
            2,
            "<ctrl-nope> is not a key",
        ),
        (&["--keys", "q", "-o", "a.svg"], 2, "q leaves gagar"),
        (&["--size", "0x9", "-o", "a.svg"], 2, "160x48"),
        (&["--theme", "mauve", "-o", "a.svg"], 2, "mauve"),
        (&["-o", "a.png"], 2, ".svg or .txt"),
        (
            &["-o", "groups.jsonl", "--format", "svg"],
            2,
            "would overwrite",
        ),
        (&["--db", "none.db", "-o", "a.svg"], 3, "no such database"),
    ];
    for (args, code, reason) in wrong {
        let answer = desk.run(&[&["screenshot", "groups.jsonl"], args].concat());
        assert_eq!(answer.code, code, "{answer:?}");
        assert!(answer.err.contains(reason), "{answer:?}");
    }
}
