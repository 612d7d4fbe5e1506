//! Loading: the real group sets row by row, gagar's own files, and inputs that are broken.

mod cache;
mod containers;
mod harbor;
mod inspect;
mod lines;
mod live;
mod mapped;
mod native_out;
mod nemo_gym;
mod openhands;
mod own_rollouts;
mod patch_files;
mod real_folders;
#[cfg(feature = "remote")]
mod remote;
mod swe_agents;
mod swebench_relatives;
mod tables;
mod text_dumps;
mod trainers;
mod verdicts;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gagar::domain::Outcome;
use gagar::formats::{LoadOptions, LoadedSet, load};

fn load_all(paths: &[PathBuf]) -> LoadedSet {
    load(paths, &LoadOptions::default(), &mut |_| true)
}

/// `group/rollout outcome reward [marks]` of everything loaded, without the marks of equal patches.
fn rows(loaded: &LoadedSet) -> Vec<String> {
    let groups = loaded.groups.iter();
    groups
        .flat_map(|group| {
            group.trajectories.iter().map(|t| {
                let reward = t.reward.map_or("-".to_owned(), |r| r.to_string());
                // Every patch here is the same one.
                let told = t
                    .marks
                    .iter()
                    .filter(|mark| !mark.starts_with("= same patch"));
                let marks = told.cloned().collect::<Vec<_>>().join("; ");
                format!(
                    "{}/{} {} {reward} [{marks}]",
                    group.id,
                    t.id,
                    t.outcome.word()
                )
            })
        })
        .collect()
}

fn real_data() -> Option<PathBuf> {
    let folder = std::env::var_os("GAGAR_REAL_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real-data"),
        PathBuf::from,
    );
    if folder.join("groups/GROUPS.tsv").is_file() {
        return Some(folder);
    }
    println!("skipped: no real data (set GAGAR_REAL_DATA)");
    None
}

/// Checks every row of one set against what is loaded.
fn check_set(set: &str, folder: &str) {
    let Some(data) = real_data() else { return };
    let loaded = load_all(&[data.join("groups").join(folder)]);
    for problem in &loaded.problems {
        println!("{problem}");
    }
    let table = fs::read_to_string(data.join("groups/GROUPS.tsv")).expect("table");
    let mut rows = 0;
    for line in table.lines().skip(1) {
        let row: Vec<&str> = line.split('\t').collect();
        if row[0] != set {
            continue;
        }
        rows += 1;
        let group = loaded
            .groups
            .iter()
            .find(|group| group.id.as_str() == row[1]);
        let group = group.unwrap_or_else(|| panic!("{} is missing", row[1]));
        let count = |outcome| {
            group
                .trajectories
                .iter()
                .filter(|t| t.outcome == outcome)
                .count()
        };
        let (pass, fail) = (count(Outcome::Pass), count(Outcome::Fail));
        assert_eq!(
            group.trajectories.len().to_string(),
            row[2],
            "rollouts of {}",
            row[1]
        );
        assert_eq!(pass.to_string(), row[3], "passing of {}", row[1]);
        assert_eq!(fail.to_string(), row[4], "failing of {}", row[1]);
        let kind = match (pass, fail) {
            (0, _) => "all-fail",
            (_, 0) => "all-pass",
            _ => "mixed",
        };
        assert_eq!(kind, row[5], "kind of {}", row[1]);
        let traced = group
            .trajectories
            .iter()
            .filter(|t| t.steps.is_some())
            .count();
        assert_eq!(traced.to_string(), row[6], "traces of {}", row[1]);
        let outcomes: BTreeMap<&str, &str> = row[8]
            .split(',')
            .filter_map(|part| part.split_once('='))
            .collect();
        for trajectory in &group.trajectories {
            let expected = outcomes.get(trajectory.id.as_str()).copied();
            let word = if trajectory.outcome.is_pass() {
                "P"
            } else {
                "F"
            };
            assert_eq!(Some(word), expected, "{}/{}", row[1], trajectory.id);
        }
    }
    assert_eq!(loaded.groups.len(), rows, "groups of {set}");
    let mut differ = 0;
    for (index, group) in loaded.groups.iter().enumerate() {
        let content = loaded.open(index).expect("open");
        assert_eq!(content.problems, Vec::<String>::new(), "{}", group.id);
        let start = format!("{set}\t{}\t", group.id);
        let row = table.lines().find(|line| line.starts_with(&start));
        let row: Vec<&str> = row.expect("row").split('\t').collect();
        let lengths = content.trajectories.iter().filter_map(|t| t.patch.as_ref());
        let largest = lengths
            .map(|patch| patch.chars().count())
            .max()
            .unwrap_or(0);
        if largest.to_string() != row[7] {
            println!("largest patch of {}: {largest}, told {}", row[1], row[7]);
            differ += 1;
        }
        for (trajectory, content) in group.trajectories.iter().zip(&content.trajectories) {
            let steps = trajectory.steps.unwrap_or(0) as usize;
            assert_eq!(
                content.steps.len(),
                steps,
                "steps of {}/{}",
                group.id,
                trajectory.id
            );
        }
    }
    // Redaction changed a few patches by some characters after the table was made.
    assert!(differ <= 2, "{differ} largest patches differ");
}

#[test]
fn swebench_lite_equals_its_table() {
    check_set("lite", "swebench-lite");
}

#[test]
fn swebench_verified_equals_its_table() {
    check_set("verified", "swebench-verified");
}

fn sample(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sample-data")
        .join(part)
}

#[test]
fn sample_data_loads_without_a_problem() {
    for part in ["native", "swebench"] {
        let loaded = load_all(&[sample(part)]);
        let shown: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
        assert_eq!(shown, Vec::<String>::new(), "{part}");
        for (index, group) in loaded.groups.iter().enumerate() {
            let content = loaded.open(index).expect("open");
            assert_eq!(content.problems, Vec::<String>::new(), "{}", group.id);
            assert!(content.task.text.is_some(), "{}", group.id);
            assert!(content.task.reference_patch.is_some(), "{}", group.id);
        }
    }
}

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        fs::write(path, bytes).expect("write");
    }
    folder
}

fn load_folder(files: &[(&str, &[u8])]) -> (LoadedSet, tempfile::TempDir) {
    let folder = folder(files);
    let loaded = load_all(&[folder.path().to_path_buf()]);
    (loaded, folder)
}

/// (line, record, reason) of every problem.
fn problems(loaded: &LoadedSet) -> Vec<(Option<u64>, Option<&str>, &str)> {
    let all = loaded.problems.iter();
    all.map(|p| (p.line, p.record.as_deref(), p.reason.as_str()))
        .collect()
}

fn has_problem(loaded: &LoadedSet, line: Option<u64>, words: &str) {
    let found = problems(loaded)
        .iter()
        .any(|(at, _, why)| *at == line && why.contains(words));
    assert!(
        found,
        "no problem {words:?} at {line:?} in {:#?}",
        loaded.problems
    );
}

const PATCH: &str = "diff --git a/a b/a\\n--- a/a\\n+++ b/a\\n@@ -1 +1 @@\\n-a\\n+b\\n";

#[test]
fn a_loaded_set_can_be_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<LoadedSet>();
}

#[test]
fn broken_lines_are_told_and_the_rest_is_loaded() {
    let lines = [
        "\u{feff}{\"schema\":\"gagar.group/1\",\"group_id\":\"g1\",\"trajectories\":[\
         {\"trajectory_id\":\"a\",\"reward\":NaN,\"patch\":\"x\\ud800y\"},\
         {\"trajectory_id\":\"b\",\"reward\":Infinity},\
         {\"trajectory_id\":\"c\",\"reward\":1,\"outcome\":\"fail\"},\
         {\"trajectory_id\":\"d\",\"reward\":0.5,\"reward\":0.7},\
         {\"trajectory_id\":\"a\",\"reward\":1},\
         {\"reward\":1},\
         {\"trajectory_id\":\"e\",\"outcome\":\"solved\",\"colour\":[1,2]}]}\r\n",
        "\r\n",
        "{\"group_id\":\"g2\",\"trajectory_id\":\"a\",\"outcome\":\"pass\"}\n",
        "{\"group_id\":7,\"trajectory_id\":\"b\",\"outcome\":\"pass\"}\n",
        "{\"group_id\":\"g2\",\"trajectory_id\":\"b\"",
    ];
    let (loaded, _folder) = load_folder(&[("x.jsonl", lines.concat().as_bytes())]);
    let ids: Vec<&str> = loaded
        .groups
        .iter()
        .map(|group| group.id.as_str())
        .collect();
    assert_eq!(ids, ["7", "g1", "g2"]);
    let group = &loaded.groups[1];
    let words: Vec<(&str, &str)> = group
        .trajectories
        .iter()
        .map(|t| (t.id.as_str(), t.outcome.word()))
        .collect();
    let expected = [
        ("a", "unscored"),
        ("b", "unscored"),
        ("c", "fail"),
        ("d", "pass"),
        ("e", "unscored"),
    ];
    assert_eq!(words, expected);
    assert!(
        group.trajectories[0]
            .marks
            .iter()
            .any(|mark| mark.contains("NaN"))
    );
    assert_eq!(group.trajectories[3].reward, Some(0.7));
    assert_eq!(
        group.trajectories[4].meta.0,
        [("colour".to_owned(), "[1,2]".to_owned())]
    );
    for words in [
        "inf is not a finite number",
        "contradicts",
        "occurs twice",
        "missing",
        "solved",
    ] {
        has_problem(&loaded, Some(1), words);
    }
    has_problem(&loaded, Some(5), "cut off");
    let content = loaded.open(1).expect("open");
    assert_eq!(content.trajectories[0].patch.as_deref(), Some("x\u{fffd}y"));
    assert_eq!(content.trajectories[4].patch, None);
    assert_eq!(content.problems, Vec::<String>::new());
}

#[test]
fn bytes_that_are_not_utf8_are_replaced() {
    let mut line = br#"{"group_id":"g","trajectory_id":"a","outcome":"pass","patch":"x"#.to_vec();
    line.extend([0xff, b'"', b'}', b'\n']);
    let (loaded, _folder) = load_folder(&[("x.jsonl", &line)]);
    has_problem(&loaded, Some(1), "UTF-8");
    let content = loaded.open(0).expect("open");
    assert_eq!(content.trajectories[0].patch.as_deref(), Some("x\u{fffd}"));
}

#[test]
fn the_fingerprint_does_not_depend_on_the_order() {
    let line = |id: &str| {
        format!(
            "{{\"group_id\":\"g\",\"trajectory_id\":\"{id}\",\"reward\":1,\"patch\":\"{id}\"}}\n"
        )
    };
    let print = |text: String| {
        load_folder(&[("x.jsonl", text.as_bytes())]).0.groups[0]
            .fingerprint
            .clone()
    };
    let there = print(line("a") + &line("b"));
    assert_eq!(there.len(), 64);
    assert_eq!(there, print(line("b") + &line("a")));
    assert_ne!(there, print(line("a") + &line("c")));
}

#[test]
fn swebench_traps() {
    let id = "acme__tool-1";
    let predictions = format!(
        "{{\"instance_id\":\"{id}\",\"model_name_or_path\":\"m\",\"model_patch\":\"{PATCH}\"}}\n\
         {{\"instance_id\":\"acme__tool-2\",\"model_patch\":null}}\n\
         {{\"instance_id\":\"acme__tool-3\",\"model_patch\":\"# No patch generated\"}}\n\
         {{\"instance_id\":\"acme__tool-4\",\"model_patch\":\"\"}}\n\
         {{\"instance_id\":5,\"model_patch\":[1]}}\n"
    );
    let summary = "{\"resolved_ids\":[\"acme__tool-1\",\"acme__tool-3\",\"acme__tool-9\"],\
                   \"unresolved_ids\":[\"acme__tool-2\"],\"infra_failure_ids\":[\"acme__tool-4\"]}";
    let flat = "{\"patch_exists\":true,\"resolved\":true,\"tests_status\":{\"FAIL_TO_PASS\":\
                {\"success\":[\"t\"],\"failure\":[]}}}";
    let list = format!("[{{\"instance_id\":\"{id}\",\"patch\":\"{PATCH}\",\"prefix\":\"p\"}}]");
    let gold =
        format!("{{\"{id}\":{{\"model_patch\":\"{PATCH}\",\"model_name_or_path\":\"gold\"}}}}");
    let traj = "{\"info\":{\"exit_status\":\"Submitted\",\"submission\":\"\"},\"messages\":[\
                {\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":[{\"type\":\
                \"text\",\"text\":\"t\"}]},{\"role\":\"assistant\",\"content\":\"a\"},{\"role\":\
                \"user\",\"content\":\"<returncode>3</returncode>\"}]}";
    let (loaded, root) = load_folder(&[
        ("one/preds.jsonl", predictions.as_bytes()),
        ("one/m.run.json", summary.as_bytes()),
        ("one/logs/deep/acme__tool-1/report.json", flat.as_bytes()),
        ("one/logs/deep/acme__tool-1/test_output.txt", b"log"),
        (
            "one/trajs/acme__tool-1/acme__tool-1.traj.json",
            traj.as_bytes(),
        ),
        ("one/notes.md", b"{"),
        ("two/list.json", list.as_bytes()),
        ("reference/gold.json", gold.as_bytes()),
        ("other/data.json", b"{\"a\":1}"),
    ]);
    let word = |group: &str, id: &str| {
        let group = loaded
            .groups
            .iter()
            .find(|g| g.id.as_str() == group)
            .expect("group");
        let found = group
            .trajectories
            .iter()
            .find(|t| t.id.as_str() == id)
            .expect("trajectory");
        (found.outcome.word(), found.marks.join(", "))
    };
    assert_eq!(word("acme__tool-1", "one"), ("pass", String::new()));
    assert_eq!(
        word("acme__tool-1", "p"),
        ("unscored", "no report, = same patch as one".to_owned())
    );
    assert_eq!(
        word("acme__tool-2", "one"),
        ("fail", "no patch recorded".to_owned())
    );
    let marks = "text instead of a diff, passes without a diff".to_owned();
    assert_eq!(word("acme__tool-3", "one"), ("pass", marks));
    let marks = "infrastructure failure, empty patch".to_owned();
    assert_eq!(word("acme__tool-4", "one"), ("unscored", marks));
    has_problem(&loaded, None, "resolved but has no prediction");
    has_problem(&loaded, None, "no report beside");
    assert_eq!(loaded.notes.len(), 1, "{:?}", loaded.notes);
    let named = "1 file is not a rollout file: ";
    assert!(
        loaded.notes[0].reason.starts_with(named),
        "{:?}",
        loaded.notes
    );
    assert_eq!(loaded.foreign.len(), 1, "{:?}", loaded.foreign);
    has_problem(&loaded, Some(5), "model_patch: expected a text");
    let index = loaded
        .groups
        .iter()
        .position(|group| group.id.as_str() == id)
        .expect("group");
    let attempts = loaded.groups[index].trajectories.len();
    assert_eq!(attempts, 2, "the reference run is no trajectory");
    let content = loaded.open(index).expect("open");
    assert!(content.task.reference_patch.is_some());
    let one = &content.trajectories[0];
    assert_eq!(one.test_log.as_deref(), Some("log"));
    assert_eq!(one.tests[0].group, "fail_to_pass");
    let kinds: Vec<&str> = one.steps.iter().map(|step| step.kind().word()).collect();
    assert_eq!(kinds, ["system", "user", "message", "observation"]);
    assert_eq!(one.steps[3].exit_code, Some(3));

    fs::remove_file(
        root.path()
            .join("one/trajs/acme__tool-1/acme__tool-1.traj.json"),
    )
    .expect("rm");
    let content = loaded.open(index).expect("open");
    assert_eq!(content.problems.len(), 1);
    assert!(content.trajectories[0].patch.is_some());
}

#[test]
fn runs_are_told_apart() {
    let line = |model: &str, patch: &str| {
        format!(
            "{{\"instance_id\":\"a__b-1\",\"model_name_or_path\":\"{model}\",\"model_patch\":\"{patch}\"}}\n\
                 {{\"instance_id\":\"a__b-2\",\"model_name_or_path\":\"{model}\",\"model_patch\":\"{patch}\"}}\n"
        )
    };
    let ids = |loaded: &LoadedSet| -> Vec<String> {
        loaded.groups[0]
            .trajectories
            .iter()
            .map(|t| t.id.0.clone())
            .collect()
    };
    let (x, y) = (line("m", "x"), line("n/o", "y"));
    let (loaded, _root) = load_folder(&[("r/m.jsonl", x.as_bytes()), ("r/n.jsonl", y.as_bytes())]);
    assert_eq!(ids(&loaded), ["r/m", "r/n"]);
    let (loaded, _root) =
        load_folder(&[("p/r/a.jsonl", x.as_bytes()), ("q/r/a.jsonl", y.as_bytes())]);
    assert_eq!(ids(&loaded), ["p/r", "q/r"]);
    let (loaded, _root) = load_folder(&[("r/all.jsonl", (x.clone() + &y).as_bytes())]);
    assert_eq!(ids(&loaded), ["r/m", "r/n__o"]);
    let (loaded, root) =
        load_folder(&[("r/a.jsonl", x.as_bytes()), ("r/copy.jsonl", x.as_bytes())]);
    assert_eq!(ids(&loaded), ["r"]);
    let loaded = load_all(&[root.path().join("r"), root.path().to_path_buf()]);
    assert_eq!(ids(&loaded), ["r"]);
    let loaded = load_all(&[root.path().join("r/a.jsonl"), root.path().join("nothing")]);
    assert_eq!(ids(&loaded), ["r"]);
    has_problem(&loaded, None, "cannot be read");
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_astray() {
    let line = "{\"group_id\":\"g\",\"trajectory_id\":\"a\",\"reward\":1}\n";
    let root = folder(&[("in/x.jsonl", line.as_bytes()), ("out/y.jsonl", b"{}")]);
    let inside = root.path().join("in");
    std::os::unix::fs::symlink(&inside, inside.join("loop")).expect("link");
    std::os::unix::fs::symlink(root.path().join("out"), inside.join("away")).expect("link");
    let loaded = load_all(&[inside]);
    assert_eq!(loaded.groups.len(), 1);
    assert_eq!(loaded.problems.len(), 1);
    has_problem(&loaded, None, "leads out");
}

#[test]
fn rankings_are_checked() {
    let group = "{\"group_id\":\"g\",\"trajectories\":[{\"trajectory_id\":\"a\",\"reward\":1},\
                 {\"trajectory_id\":\"b\",\"reward\":1},{\"trajectory_id\":\"c\",\"reward\":0}],\
                 \"rankings\":[{\"grader\":{\"name\":\"in\"},\"status\":\"ok\",\"tiers\":[[\"b\"],[\"a\"]]}]}\n";
    let head = "{\"schema\":\"gagar.ranking/1\",\"group_id\":\"g\",\"grader\":{\"name\":\"n\"},";
    let bad = [
        (
            "\"status\":\"ok\",\"tiers\":[[\"a\"]]}",
            "neither ranked nor unranked",
        ),
        (
            "\"status\":\"ok\",\"tiers\":[[\"a\",\"b\"],[\"c\"]]}",
            "does not pass",
        ),
        (
            "\"status\":\"ok\",\"tiers\":[[\"a\",\"b\"],[\"a\"]]}",
            "two places",
        ),
        (
            "\"status\":\"ok\",\"tiers\":[[\"a\"],[\"z\"]]}",
            "no trajectory of group",
        ),
        (
            "\"status\":\"ok\",\"tiers\":[[\"a\"],[],[\"b\"]]}",
            "is empty",
        ),
        ("\"status\":\"ok\",\"tiers\":[1,2]}", "a bare list"),
        ("\"status\":\"ok\",\"ranking\":[1,2]}", "a bare list"),
        ("\"status\":\"ok\"}", "missing beside"),
        (
            "\"status\":\"timeout\",\"tiers\":[[\"a\"]]}",
            "stand beside",
        ),
        ("\"status\":\"fine\",\"tiers\":[[\"a\"]]}", "not known"),
        (
            "\"status\":\"ok\",\"tiers\":[[\"a\",\"b\"]],\"shown_order\":[\"a\"]}",
            "permutation",
        ),
        (
            "\"status\":\"ok\",\"tiers\":[[\"a\",\"b\"]],\"not_eligible\":[\"c\",\"c\"]}",
            "twice",
        ),
        (
            "\"status\":\"ok\",\"tiers\":[[\"a\",\"b\"]],\"vote\":-1}",
            "vote",
        ),
        (
            "\"status\":\"ok\",\"tiers\":[[\"a\"],[\"b\"]],\"ranking\":[\"b\",\"a\"]}",
            "ranking contradicts tiers",
        ),
        (
            "\"status\":\"ok\",\"tiers\":[[\"a\",\"b\"]],\"usage\":{\"cost_source\":\"guess\"}}",
            "usage.cost_source: \"guess\" is not one of",
        ),
    ];
    let mut text = String::new();
    for (tail, _) in &bad {
        text += &format!("{head}{tail}\n");
    }
    text += "[2,1,3]\n";
    text += &format!("{head}\"status\":\"timeout\"}}\n");
    text += &format!(
        "{head}\"status\":\"partial\",\"tiers\":[[\"a\"]],\"unranked\":[\"b\"],\"not_eligible\":[\"c\"],\
         \"shown_order\":[\"c\",\"b\",\"a\"],\"findings\":[{{\"trajectory_id\":\"b\",\"code\":\"x\",\"lines\":[1,2]}}]}}\n"
    );
    text += &text
        .lines()
        .last()
        .expect("line")
        .replace("\"g\"", "\"other\"");
    let root = folder(&[
        ("data/x.jsonl", group.as_bytes()),
        ("more/r.jsonl", text.as_bytes()),
    ]);
    let options = LoadOptions {
        rankings: vec![root.path().join("more/r.jsonl")],
        ..LoadOptions::default()
    };
    let loaded = load(&[root.path().join("data")], &options, &mut |_| true);
    for (index, (_, words)) in bad.iter().enumerate() {
        has_problem(&loaded, Some(index as u64 + 1), words);
    }
    has_problem(&loaded, Some(16), "a bare list");
    has_problem(&loaded, Some(19), "no group of this id");
    let answers = &loaded.answers[0];
    let shown: Vec<(&str, bool)> = answers
        .iter()
        .map(|answer| (answer.status.as_str(), answer.ranking.is_some()))
        .collect();
    assert_eq!(shown, [("ok", true), ("timeout", false), ("partial", true)]);
    assert_eq!(answers[2].shown_order, [2, 1, 0]);
    assert_eq!(answers[2].findings[0].trajectory, 1);
    // The same answers lie beside the data: found by their content.
    let beside = load_all(&[root.path().to_path_buf()]);
    assert_eq!(beside.answers, loaded.answers);
}

#[test]
fn a_load_can_be_stopped() {
    let line = "{\"group_id\":\"g\",\"trajectory_id\":\"a\",\"reward\":1}\n";
    let root = folder(&[("x.jsonl", line.as_bytes())]);
    let loaded = load(
        &[root.path().to_path_buf()],
        &LoadOptions::default(),
        &mut |_| false,
    );
    assert!(loaded.groups.is_empty());
}

#[test]
fn whole_files_are_mended_and_broken_ones_read_up_to_the_break() {
    let list = format!(
        "[\n {{\"instance_id\":\"a__b-1\",\"model_patch\":\"{PATCH}\",\"cost\":NaN}},\n \
         {{\"instance_id\":\"a__b-2\",\"model_patch\":\"x\\udc80\"}}\n]\n"
    );
    let (loaded, _root) = load_folder(&[("r/preds.json", list.as_bytes())]);
    assert_eq!(loaded.groups.len(), 2);
    let patch = |index: usize| {
        loaded.open(index).expect("open").trajectories[0]
            .patch
            .clone()
    };
    assert!(patch(0).is_some_and(|patch| patch.starts_with("diff --git")));
    assert_eq!(patch(1).as_deref(), Some("x\u{fffd}"));

    let whole =
        "{\"a__b-1\":{\"model_patch\":\"x\"},\"a__b-2\":{\"model_patch\":\"y\"},\"a__b-3\":{\"mo";
    let (loaded, _root) = load_folder(&[("r/preds.json", whole.as_bytes())]);
    assert_eq!(loaded.groups.len(), 2);
    has_problem(&loaded, None, "not valid JSON");
    assert_eq!(
        loaded.open(1).expect("open").trajectories[0]
            .patch
            .as_deref(),
        Some("y")
    );

    // Groups in a list that had to be mended have no place of their own.
    let groups = "[{\"group_id\":\"g\",\"trajectories\":[{\"trajectory_id\":\"a\",\"reward\":NaN},\
                  {\"trajectory_id\":\"b\",\"reward\":1,\"patch\":\"p\"}]}]";
    let (loaded, _root) = load_folder(&[("x.json", groups.as_bytes())]);
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    assert_eq!(content.trajectories[1].patch.as_deref(), Some("p"));
}

#[test]
fn files_with_one_broken_line_and_other_versions_are_told() {
    let (loaded, _root) = load_folder(&[("x.jsonl", b"{\"group_id\":\"g\",\"trajectory_id\":\"a")]);
    has_problem(&loaded, Some(1), "cut off");
    let (loaded, _root) = load_folder(&[("x.jsonl", b"{\"schema\":\"gagar.group/2\"}\n")]);
    has_problem(&loaded, Some(1), "not known to this version");
    let (loaded, _root) = load_folder(&[("x.jsonl", b"")]);
    has_problem(&loaded, None, "empty");
}

#[test]
fn parts_of_a_group_in_several_files_are_joined() {
    let one = "{\"group_id\":\"g\",\"step\":1,\"task\":{\"text\":\"\\n Title\\nmore\"},\"trajectories\":[\
               {\"trajectory_id\":\"a\",\"reward\":1}]}";
    let two = "{\"group_id\":\"g\",\"step\":1,\"task\":{\"text\":\"Other\"},\"trajectories\":[\
               {\"trajectory_id\":\"a\",\"reward\":0},{\"trajectory_id\":\"b\",\"reward\":0.4}]}";
    let files: [(&str, &[u8]); 2] = [("1.jsonl", one.as_bytes()), ("2.jsonl", two.as_bytes())];
    let (loaded, root) = load_folder(&files);
    let group = &loaded.groups[0];
    assert_eq!(group.trajectories.len(), 2);
    assert!(group.trajectories[0].outcome.is_pass());
    assert_eq!(
        (group.step, group.task.title.as_deref()),
        (Some(1), Some("Title"))
    );
    for words in ["task differs", "trajectory occurs twice"] {
        has_problem(&loaded, Some(1), words);
    }
    let options = LoadOptions {
        pass_at: 0.4,
        ..LoadOptions::default()
    };
    let loaded = load(&[root.path().to_path_buf()], &options, &mut |_| true);
    assert!(loaded.groups[0].trajectories[1].outcome.is_pass());
}

#[test]
fn a_tree_of_evaluation_logs_is_a_run() {
    let patch = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n";
    let report = "{\"a__b-1\":{\"patch_exists\":true,\"resolved\":true}}";
    let (loaded, _root) = load_folder(&[
        (
            "logs/run_evaluation/r1/model-x/a__b-1/report.json",
            report.as_bytes(),
        ),
        (
            "logs/run_evaluation/r1/model-x/a__b-1/patch.diff",
            patch.as_bytes(),
        ),
    ]);
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let trajectory = &loaded.groups[0].trajectories[0];
    assert_eq!(
        (trajectory.id.as_str(), trajectory.outcome.word()),
        ("model-x", "pass")
    );
    assert_eq!(
        loaded.open(0).expect("open").trajectories[0]
            .patch
            .as_deref(),
        Some(patch)
    );
}

#[test]
fn a_file_written_to_after_the_load_is_not_opened() {
    let line = |id: &str| {
        format!(
            "{{\"group_id\":\"{id}\",\"trajectory_id\":\"a\",\"reward\":1,\"patch\":\"{id}\"}}\n"
        )
    };
    let files = line("g1") + &line("g2");
    let (loaded, root) = load_folder(&[("x.jsonl", files.as_bytes())]);
    assert!(loaded.open(0).is_ok());
    // The same length: the places still lead to whole records.
    let path = root.path().join("x.jsonl");
    let other = root.path().join("other");
    fs::write(&other, line("g2") + &line("g1")).expect("write");
    fs::rename(&other, &path).expect("rename");
    let problem = loaded.open(0).expect_err("changed");
    assert!(problem.reason.contains("changed since it was loaded"));
    assert_eq!(problem.path, path);
    assert!(loaded.open(1).is_err());
    // In place, too.
    let (loaded, root) = load_folder(&[("x.jsonl", files.as_bytes())]);
    let path = root.path().join("x.jsonl");
    fs::write(&path, line("g2") + &line("g1") + &line("g3")).expect("write");
    assert!(loaded.open(0).is_err());
    // A file that only grew holds what it held.
    fs::write(&path, files.clone() + &line("g3")).expect("write");
    assert!(loaded.open(0).is_ok());
}

#[cfg(unix)]
#[test]
fn a_record_of_another_group_is_not_shown() {
    let line = |id: &str| {
        format!(
            "{{\"group_id\":\"{id}\",\"trajectory_id\":\"a\",\"reward\":1,\"patch\":\"{id}\"}}\n"
        )
    };
    let (loaded, root) = load_folder(&[("x.jsonl", (line("g1") + &line("g2")).as_bytes())]);
    let path = root.path().join("x.jsonl");
    // A writer that puts back the time leaves the stamp as it was.
    let time = fs::metadata(&path)
        .and_then(|meta| meta.modified())
        .expect("time");
    fs::write(&path, line("g2") + &line("g1")).expect("write");
    let file = fs::File::options().append(true).open(&path).expect("open");
    file.set_modified(time).expect("time");
    let problem = loaded.open(0).expect_err("another record");
    assert!(problem.is_changed_file(), "{problem}");
}

#[test]
fn a_nan_reward_is_told_and_null_is_not() {
    let text = "{\"group_id\":\"g\",\"trajectories\":[{\"trajectory_id\":\"a\",\"reward\":NaN},\
                {\"trajectory_id\":\"b\",\"reward\":null},\
                {\"trajectory_id\":\"c\",\"reward\":NaN,\"outcome\":\"pass\"}]}\n\
                {\"group_id\":\"g\",\"trajectory_id\":\"d\",\"reward\":1,\"advantage\":NaN}\n";
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    let reason = "reward: NaN is not a finite number";
    let expected = [
        (Some(1), Some("g/a"), reason),
        (Some(1), Some("g/c"), reason),
        (
            Some(2),
            Some("g/d"),
            "advantage: NaN is not a finite number",
        ),
    ];
    assert_eq!(problems(&loaded), expected);
    let words: Vec<&str> = loaded.groups[0]
        .trajectories
        .iter()
        .map(|t| t.outcome.word())
        .collect();
    assert_eq!(words, ["unscored", "unscored", "pass", "pass"]);
}

#[test]
fn ids_that_no_text_can_hold_are_refused() {
    let mut text = b"{\"group_id\":\"g\\ud800\",\"trajectory_id\":\"a\",\"reward\":1}\n\
        {\"group_id\":\"g\\ud801\",\"trajectory_id\":\"a\",\"reward\":NaN}\n\
        {\"group_id\":\"g\",\"trajectories\":[{\"trajectory_id\":\"a\\udc00\"},{\"trajectory_id\":\"b\"}]}\n\
        {\"group_id\":\"g\\ufffd\",\"trajectory_id\":\"a\",\"reward\":1}\n\
        {\"group_id\":\"h"
        .to_vec();
    text.extend(b"\xff\",\"trajectory_id\":\"a\",\"reward\":1}\n");
    let predictions = "{\"i\\ud800\":{\"model_patch\":\"x\"},\"i\\ud801\":{\"model_patch\":\"y\"},\
                       \"k\":{\"instance_id\":\"k\\ud800\",\"model_patch\":\"z\"}}";
    let (loaded, _root) = load_folder(&[
        ("x.jsonl", text.as_slice()),
        ("r/preds.json", predictions.as_bytes()),
    ]);
    let shown: Vec<(&str, usize)> = loaded
        .groups
        .iter()
        .map(|group| (group.id.as_str(), group.trajectories.len()))
        .collect();
    // A replacement character that was written as such is one.
    assert_eq!(shown, [("g", 1), ("g\u{fffd}", 1)]);
    for line in [1, 2, 3, 5] {
        has_problem(&loaded, Some(line), "the id holds a lone surrogate");
    }
    let refused = problems(&loaded)
        .into_iter()
        .filter(|(line, _, why)| line.is_none() && why.contains("instance_id: the id holds"));
    // Both keys are shown in the same way, and once.
    assert_eq!(refused.count(), 2);
}

#[test]
fn traces_and_rankings_with_such_ids_are_refused_too() {
    let text = "{\"group_id\":\"g\\ufffd\",\"trajectory_id\":\"a\",\"reward\":1}\n\
                {\"schema\":\"gagar.ranking/1\",\"group_id\":\"g\\ud800\",\"grader\":{\"name\":\"n\"},\
                \"status\":\"timeout\"}\n";
    let trace = "{\"instance_id\":\"i\\ud800\",\"info\":{\"submission\":\"x\"},\"messages\":[\
                 {\"role\":\"user\",\"content\":\"c\"}]}";
    let (loaded, _root) = load_folder(&[
        ("x.jsonl", text.as_bytes()),
        ("t/i.traj.json", trace.as_bytes()),
    ]);
    assert_eq!(loaded.groups.len(), 1);
    assert_eq!(loaded.answers.len(), 1);
    assert!(loaded.answers[0].is_empty());
    has_problem(&loaded, Some(2), "group_id: the id holds a lone surrogate");
    has_problem(&loaded, None, "instance_id: the id holds a lone surrogate");
}

#[test]
fn ids_that_are_numbers_are_told_once_a_file() {
    let text = "{\"group_id\":5,\"trajectory_id\":1.0,\"reward\":1}\n\
                {\"group_id\":5,\"trajectory_id\":2,\"reward\":1}\n";
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(loaded.groups[0].trajectories[0].id.as_str(), "1.0");
    assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
    has_problem(&loaded, Some(1), "ids should be strings: group_id 5");
    assert!(loaded.open(0).expect("open").problems.is_empty());
}

#[test]
fn a_group_without_trajectories_is_told() {
    let text = "{\"group_id\":\"g\",\"trajectories\":[]}\n\
                {\"group_id\":\"h\",\"trajectories\":[]}\n\
                {\"group_id\":\"h\",\"trajectory_id\":\"a\",\"reward\":1}\n";
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    let expected = [(Some(1), Some("g"), "trajectories: the group has none")];
    assert_eq!(problems(&loaded), expected);
}

#[test]
fn one_bad_entry_does_not_drop_a_list_of_ids() {
    let predictions = "{\"instance_id\":\"i1\",\"model_patch\":\"x\"}\n\
                       {\"instance_id\":\"i2\",\"model_patch\":\"y\"}\n";
    let report = "{\"resolved_ids\":[\"i1\",5],\"unresolved_ids\":[\"i2\"]}";
    let (loaded, _root) = load_folder(&[
        ("r/preds.jsonl", predictions.as_bytes()),
        ("r/report.json", report.as_bytes()),
    ]);
    let reason = "resolved_ids: element 2: expected a text, found 5";
    assert_eq!(problems(&loaded), [(None, None, reason)]);
    let words: Vec<&str> = loaded
        .groups
        .iter()
        .map(|group| group.trajectories[0].outcome.word())
        .collect();
    assert_eq!(words, ["pass", "fail"]);
}

#[test]
fn malformed_texts_are_told_with_record_and_field() {
    let text = "{\"group_id\":\"g\",\"task\":{\"text\":\"t\",\"tests\":{\"fail_to_pass\":[\"n\",1]}},\
                \"base_files\":{\"a\":5,\"b\":\"x\"},\"trajectories\":[{\"trajectory_id\":\"t\",\"reward\":1,\
                \"steps\":[1,null,{\"kind\":5,\"text\":\"s\"},{\"text\":{\"a\":1}}],\
                \"patch\":\"p\"}]}\n";
    let (loaded, root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    let content = loaded.open(0).expect("open");
    let path = root.path().join("x.jsonl").display().to_string();
    let expected = [
        "g: base_files: a: expected a text, found 5",
        "g: task: tests: fail_to_pass: element 2: expected a text, found 1",
        "g/t: steps: element 1: expected an object, found 1",
        "g/t: steps: element 2: expected an object, found null",
        "g/t: steps: element 3: kind: expected a text, found 5",
        "g/t: steps: element 4: text: expected a text, found {\"a\":1}",
    ];
    let shown: Vec<&str> = content
        .problems
        .iter()
        .filter_map(|problem| problem.strip_prefix(&path)?.strip_prefix(": "))
        .collect();
    assert_eq!(shown, expected);
    assert_eq!(content.task.text.as_deref(), Some("t"));
    assert_eq!(content.task.base_files.len(), 1);
    let texts: Vec<&str> = content.trajectories[0]
        .steps
        .iter()
        .map(|step| step.text.as_str())
        .collect();
    assert_eq!(texts, ["1", "null", "s", "{\"a\":1}"]);
}

#[test]
fn a_folder_with_mixed_model_names_is_one_run() {
    let line = |id: &str, model: &str| {
        format!("{{\"instance_id\":\"{id}\"{model},\"model_patch\":\"{PATCH}\"}}\n")
    };
    let (m, odd, none) = (
        ",\"model_name_or_path\":\"m\"",
        ",\"model_name_or_path\":\"m\u{2026}\"",
        "",
    );
    let report = "{\"resolved_ids\":[\"a__b-1\",\"a__b-3\"],\"unresolved_ids\":[\"a__b-2\"]}";
    let plain = [line("a__b-1", odd), line("a__b-2", m), line("a__b-3", none)].concat();
    // Written again by a second try of the run.
    let again = plain.clone() + &line("a__b-1", m) + &line("a__b-2", none);
    let third = plain.clone() + &line("a__b-1", m) + &line("a__b-1", m);
    for text in [&plain, &again, &third] {
        let (loaded, _root) = load_folder(&[
            ("runA/all_preds.jsonl", text.as_bytes()),
            ("runA/results/results.json", report.as_bytes()),
        ]);
        let shown: Vec<(&str, &str)> = loaded
            .groups
            .iter()
            .flat_map(|group| &group.trajectories)
            .map(|t| (t.id.as_str(), t.outcome.word()))
            .collect();
        assert_eq!(
            shown,
            [("runA", "pass"), ("runA", "fail"), ("runA", "pass")]
        );
        let others = problems(&loaded)
            .into_iter()
            .filter(|(_, _, why)| !why.contains("the task occurs twice"));
        assert_eq!(others.count(), 0, "{:?}", loaded.problems);
    }
}

#[test]
fn bare_lists_given_as_rankings_are_refused_with_a_reason() {
    let group = "{\"group_id\":\"g\",\"trajectory_id\":\"a\",\"reward\":1}\n";
    let lists = [
        "[\"a\",\"b\",\"c\"]",
        "[2,1,3]",
        "[[\"a\",\"b\"],[\"c\"]]\n",
    ];
    for list in lists {
        for name in ["more/r.json", "more/r.jsonl"] {
            let root = folder(&[("data/x.jsonl", group.as_bytes()), (name, list.as_bytes())]);
            let options = LoadOptions {
                rankings: vec![root.path().join(name)],
                ..LoadOptions::default()
            };
            let loaded = load(&[root.path().join("data")], &options, &mut |_| true);
            let told = problems(&loaded)
                .iter()
                .all(|(_, _, why)| why.contains("order or rank vector cannot be told apart"));
            assert!(
                told && !loaded.problems.is_empty(),
                "{list}: {:?}",
                loaded.problems
            );
        }
        let (loaded, _root) = load_folder(&[
            ("x.jsonl", group.as_bytes()),
            ("my-Rankings.json", list.as_bytes()),
        ]);
        has_problem(&loaded, None, "order or rank vector cannot be told apart");
    }
    // A file given as rankings may also lie in the data folder, under another spelling.
    let root = folder(&[
        ("x.jsonl", group.as_bytes()),
        ("r.json", lists[0].as_bytes()),
    ]);
    let options = LoadOptions {
        rankings: vec![root.path().join("./r.json")],
        ..LoadOptions::default()
    };
    let loaded = load(&[root.path().to_path_buf()], &options, &mut |_| true);
    assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
    has_problem(&loaded, None, "order or rank vector cannot be told apart");
    // A list of words in a file of another name is nobody's ranking.
    let (loaded, _root) = load_folder(&[
        ("x.jsonl", group.as_bytes()),
        ("words.json", lists[0].as_bytes()),
    ]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(loaded.foreign.len(), 1);
}
