//! `gagar scope` as a person runs it, and its rates over real rollouts where they are at hand.
#![cfg(feature = "cli")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

fn added(path: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 \
         @@\n+x\n"
    )
}

fn fix(value: &str) -> String {
    format!("--- a/src/a.py\n+++ b/src/a.py\n@@ -3,1 +3,1 @@\n-a\n+{value}\n")
}

struct Desk {
    folder: TempDir,
}

impl Desk {
    /// A group with a stray file (passing), a skipped test (failing) and nothing odd (passing).
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let skip = "--- a/tests/test_a.py\n+++ b/tests/test_a.py\n@@ -1,1 +1,2 @@\n+@pytest.mark.skip\n a\n";
        let rollout = |id: &str, passed: bool, patch: String| json!({"trajectory_id": id, "policy": "p", "reward": f64::from(u8::from(passed)), "passed": passed, "patch": patch});
        let group = json!({
            "schema": "gagar.group/1",
            "group_id": "g1",
            "task": {"text": "fix a"},
            "trajectories": [
                rollout("t1", true, format!("{}{}", fix("b"), added("repro.py"))),
                rollout("t2", false, format!("{}{skip}", fix("c"))),
                rollout("t3", true, fix("d")),
            ],
        });
        std::fs::write(folder.path().join("groups.jsonl"), format!("{group}\n")).unwrap();
        Self { folder }
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_gagar"))
            .args(["scope", "groups.jsonl"])
            .args(args)
            .env_clear()
            .env("HOME", self.folder.path())
            .env("USER", "tester")
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    fn lines(&self, args: &[&str]) -> Vec<Value> {
        let (code, out, err) = self.run(args);
        assert_eq!(code, 0, "{err}");
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

#[test]
fn remarks_are_listed_what_is_worth_most_first() {
    let desk = Desk::new();
    let (code, out, _) = desk.run(&[]);
    assert_eq!(code, 0);
    let rules: Vec<&str> = out
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(rules[..2], ["stray_file", "test_weakened"], "{out}");
    assert!(out.contains("repro.py"), "{out}");
}

#[test]
fn json_lines_have_everything_a_script_needs() {
    let desk = Desk::new();
    let lines = desk.lines(&["--level", "check", "--passing", "--json"]);
    assert_eq!(
        lines,
        [json!({
            "group_id": "g1", "trajectory_id": "t1", "policy": "p", "outcome": "pass",
            "rule": "stray_file", "version": "gagar-rules-1", "level": "check",
            "file": "repro.py", "hunk": null, "lines": null, "side": null,
            "reason": "added with the name of a scratch file", "code": "debug_leftover", "verdicts": {},
        })]
    );
    let lines = desk.lines(&["--rule", "test_weakened", "--json"]);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["lines"], json!([1, 1]));
    assert_eq!(lines[0]["side"], "new");
}

#[test]
fn the_configuration_switches_rules_and_marks_the_version() {
    let desk = Desk::new();
    let config = desk.folder.path().join("gagar.toml");
    std::fs::write(&config, "[scope.rule.stray_file]\non = false\n").unwrap();
    let lines = desk.lines(&["--json"]);
    assert!(lines.iter().all(|line| line["rule"] != "stray_file"));
    let version = lines[0]["version"].as_str().unwrap();
    assert!(version.starts_with("gagar-rules-1+"), "{version}");
    // One that is named is asked all the same.
    assert_eq!(desk.lines(&["--rule", "stray_file", "--json"]).len(), 1);
    std::fs::write(&config, "\n[scope.rule.nothing]\non = false\n").unwrap();
    let (code, _, err) = desk.run(&[]);
    assert_eq!(code, 2);
    assert!(err.contains("no rule `nothing`"), "{err}");
    // The line of the rule that is wrong, not of the first one.
    let text = "[scope.rule.stray_file]\non = true\n\n[scope.rule.rename]\npatterns = [\"x\"]\n";
    std::fs::write(&config, text).unwrap();
    let (code, _, err) = desk.run(&[]);
    assert_eq!(code, 2);
    assert!(err.contains("line 4: [scope]: the rule `rename`"), "{err}");
    std::fs::remove_file(&config).unwrap();
    let (code, _, err) = desk.run(&["--rule", "x"]);
    assert_eq!(code, 2, "{err}");
    // Figures are about all levels and candidates: half an answer would be a wrong one.
    for args in [
        &["--stats", "--passing"][..],
        &["--stats", "--level", "check"],
    ] {
        let (code, _, err) = desk.run(args);
        assert_eq!(code, 2, "{err}");
    }
}

#[test]
fn figures_tell_how_often_each_rule_speaks() {
    let desk = Desk::new();
    let lines = desk.lines(&["--stats", "--json"]);
    let of = |name: &str| lines.iter().find(|line| line["rule"] == name).unwrap();
    let stray = of("stray_file");
    assert_eq!(
        (&stray["passing"], &stray["of_passing"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(stray["passing_percent"], 50.0);
    assert_eq!(of("test_weakened")["failing_percent"], 100.0);
    assert_eq!(of("file_not_in_issue")["on"], false);
    assert_eq!(stray["precision"], Value::Null);
    let (_, out, err) = desk.run(&["--stats", "--rule", "stray_file"]);
    assert_eq!(out.lines().count(), 2, "{out}");
    assert!(err.contains("2 passing, 1 failing"), "{err}");
}

#[test]
fn many_remarks_of_one_rule_about_one_candidate_are_one_line() {
    let desk = Desk::new();
    let litter: String = (0..6)
        .map(|at| added(&format!("build/lib/a{at}.py")))
        .collect();
    let rollout = |id: &str, patch: String| json!({"trajectory_id": id, "reward": 1.0, "passed": true, "patch": patch});
    let group = json!({"schema": "gagar.group/1", "group_id": "g1", "task": {"text": "fix a"},
        "trajectories": [rollout("t1", format!("{}{litter}", fix("b"))), rollout("t2", fix("c"))]});
    std::fs::write(
        desk.folder.path().join("groups.jsonl"),
        format!("{group}\n"),
    )
    .unwrap();
    let (_, out, err) = desk.run(&["--rule", "junk_file"]);
    assert_eq!(out.lines().count(), 2, "{out}");
    assert!(out.contains("6 files under build/lib/"), "{out}");
    assert!(err.contains("--all lists each"), "{err}");
    let (_, out, _) = desk.run(&["--rule", "junk_file", "--all"]);
    assert_eq!(out.lines().count(), 7, "{out}");
    assert_eq!(desk.lines(&["--rule", "junk_file", "--json"]).len(), 6);
}

/// Rates among passing candidates as `grader-and-scope.md` 4.3 gives them for its set V, in percent,
/// with how far ours may be: the set here has 762 candidates with a diff of its 774, and where a rule
/// says how it must be read the numbers are the same to a few candidates.
const SET_V: [(&str, f64, f64); 10] = [
    ("stray_file", 0.6, 0.2),
    ("junk_file", 0.1, 0.1),
    ("env_artefact", 2.1, 0.3),
    ("test_weakened", 3.2, 0.3),
    ("binary", 0.1, 0.1),
    ("file_deleted", 0.1, 0.1),
    ("whitespace_hunk", 2.5, 0.5),
    ("adds_trailing_ws", 9.0, 0.5),
    ("debug_output", 0.3, 0.3),
    // Of the candidates in groups with three passing ones, as there; a stray file is told by its own
    // rule alone.
    ("extra_region", 14.8, 2.0),
];

#[test]
fn rates_over_real_rollouts_are_those_of_the_survey() {
    let Some(folder) = std::env::var_os("GAGAR_REAL_DATA") else {
        return;
    };
    let folder = PathBuf::from(folder).join("groups/swebench-verified");
    if !Path::new(&folder).exists() {
        return;
    }
    let desk = Desk::new();
    let output = Command::new(env!("CARGO_BIN_EXE_gagar"))
        .arg("scope")
        .arg(&folder)
        .args(["--stats", "--json", "--no-cache"])
        .current_dir(desk.folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (name, percent, within) in SET_V {
        let line = lines.iter().find(|line| line["rule"] == name).unwrap();
        let ours = line["passing_percent"].as_f64().unwrap();
        assert!(
            (ours - percent).abs() <= within,
            "{name}: {ours}, not {percent}"
        );
    }
}
