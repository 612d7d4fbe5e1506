//! SWE-bench predictions and reports of the close relatives and the later vintages.

use std::fs;
use std::path::Path;

use gagar::domain::{Outcome, PatchPresence, Trajectory};
use gagar::formats::LoadedSet;
use serde_json::{Value, json};

use super::{load_all, real_data, sample};

fn write(folder: &Path, name: &str, value: &Value) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    fs::write(path, value.to_string()).expect("write");
}

fn shown(loaded: &LoadedSet) -> Vec<String> {
    loaded.problems.iter().map(ToString::to_string).collect()
}

fn diff(line: &str) -> String {
    format!("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+{line}\n")
}

fn predictions(ids: &[&str]) -> Value {
    let one =
        |id: &&str| json!({"instance_id": id, "model_name_or_path": "m", "model_patch": diff(id)});
    ids.iter().map(one).collect()
}

fn only<'a>(loaded: &'a LoadedSet, group: &str) -> &'a Trajectory {
    let found = loaded.groups.iter().find(|g| g.id.as_str() == group);
    let found = found.unwrap_or_else(|| panic!("{group}: {:?}", shown(loaded)));
    assert_eq!(found.trajectories.len(), 1, "{group}");
    &found.trajectories[0]
}

const IDS: [&str; 6] = [
    "acme__reef-1",
    "acme__reef-2",
    "acme__reef-3",
    "acme__reef-4",
    "acme__reef-5",
    "acme__reef-6",
];

#[test]
fn failures_of_the_environment_are_unscored_whatever_else_repeats_them() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run-a");
    write(&run, "preds.json", &predictions(&IDS));
    write(
        &run,
        "m.run-a.json",
        &json!({"resolved_ids": [IDS[0]], "unresolved_ids": [IDS[1], IDS[2], IDS[3]],
            "error_ids": [IDS[4]], "infra_failure_ids": [IDS[2], IDS[4]],
            "ambiguous_failure_ids": [IDS[3]],
            "failure_reasons": {IDS[2]: "out_of_memory"}, "completed_ids": IDS[..4],
            "submitted_ids": IDS, "schema_version": 2}),
    );
    // The report of the same task does not know the log.
    let path = format!("logs/run_evaluation/run-a/m/{}/report.json", IDS[2]);
    write(
        &run,
        &path,
        &json!({IDS[2]: {"patch_exists": true, "patch_successfully_applied": true,
                         "resolved": false, "infra_failure": false}}),
    );
    let loaded = load_all(&[folder.path().to_path_buf()]);
    assert_eq!(shown(&loaded), Vec::<String>::new());
    let outcomes: Vec<Outcome> = IDS.iter().map(|id| only(&loaded, id).outcome).collect();
    use Outcome::{Fail, Pass, Unscored};
    assert_eq!(
        outcomes,
        [Pass, Fail, Unscored, Unscored, Unscored, Unscored]
    );
    let marks = &only(&loaded, IDS[2]).marks;
    assert_eq!(marks, &["infrastructure failure: out_of_memory"]);
    assert_eq!(only(&loaded, IDS[3]).marks, ["ambiguous failure"]);
    assert_eq!(only(&loaded, IDS[3]).reward, None);
}

#[test]
fn what_sb_cli_could_not_run_is_unscored_and_strangers_in_resolved_are_told() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run-b");
    write(&run, "preds.json", &predictions(&IDS[..4]));
    write(
        &run,
        "sb-cli.json",
        &json!({"resolved_ids": [IDS[0], "acme__reef-99"], "unresolved_ids": [IDS[1]],
                "pending_ids": [IDS[2]], "failed_ids": [IDS[3]], "error_ids": []}),
    );
    let loaded = load_all(&[folder.path().to_path_buf()]);
    let problems = shown(&loaded);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("acme__reef-99: listed as resolved but has no prediction"));
    let outcomes: Vec<Outcome> = IDS[..4]
        .iter()
        .map(|id| only(&loaded, id).outcome)
        .collect();
    use Outcome::{Fail, Pass, Unscored};
    assert_eq!(outcomes, [Pass, Fail, Unscored, Unscored]);
    assert_eq!(only(&loaded, IDS[2]).marks, ["evaluation pending"]);
    assert_eq!(only(&loaded, IDS[3]).marks, ["the evaluation run failed"]);
}

#[test]
fn pro_predictions_are_named_by_their_prefix() {
    let folder = tempfile::tempdir().expect("folder");
    let one = |id: &str, prefix: &str| json!({"instance_id": id, "patch": diff(prefix), "prefix": prefix});
    write(
        folder.path(),
        "one/patches.json",
        &json!([
            one("instance_acme__reef-1", "s1"),
            one("instance_acme__reef-2", "s1")
        ]),
    );
    write(
        folder.path(),
        "one/eval_results.json",
        &json!({"instance_acme__reef-1": true, "instance_acme__reef-2": null}),
    );
    write(
        folder.path(),
        "two/patches.json",
        &json!([
            one("instance_acme__reef-1", "s2"),
            one("instance_acme__reef-1", "s3"),
            one("instance_acme__reef-2", "s2")
        ]),
    );
    let loaded = load_all(&[folder.path().to_path_buf()]);
    let group = &loaded.groups[0];
    assert_eq!(group.id.as_str(), "instance_acme__reef-1");
    let ids: Vec<&str> = group.trajectories.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(ids, ["s1", "s2", "s3"]);
    assert_eq!(group.trajectories[0].outcome, Outcome::Pass);
    assert_eq!(group.trajectories[1].outcome, Outcome::Unscored);
    assert_eq!(loaded.groups[1].trajectories[0].outcome, Outcome::Unscored);
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    assert_eq!(content.trajectories[2].patch, Some(diff("s3")));
}

#[test]
fn two_files_with_one_prefix_stay_apart() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("all");
    for file in ["first", "second"] {
        let one = |id: &str| json!({"instance_id": id, "patch": diff(file), "prefix": "s1"});
        write(
            &run,
            &format!("{file}.json"),
            &json!([one(IDS[0]), one(IDS[1])]),
        );
    }
    let loaded = load_all(&[folder.path().to_path_buf()]);
    let ids = |group: usize| -> Vec<&str> {
        let all = &loaded.groups[group].trajectories;
        all.iter().map(|t| t.id.as_str()).collect()
    };
    assert_eq!(ids(0), ["all/first", "all/second"]);
    assert_eq!(ids(1), ["all/first", "all/second"]);
}

#[test]
fn pull_requests_of_multi_swe_bench_join_their_final_report_and_rows() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run-c");
    fs::create_dir_all(&run).expect("folder");
    let line = |number: Value| {
        json!({"org": "acme", "repo": "reef", "number": number, "fix_patch": diff("x")}).to_string()
    };
    // The number is a number or a text, as writers have it.
    let lines = [
        line(json!(1)),
        line(json!("2")),
        line(json!(3)),
        line(json!(4)),
    ]
    .join("\n");
    fs::write(run.join("patch.jsonl"), lines).expect("write");
    write(
        &run,
        "final_report.json",
        &json!({"resolved_ids": ["acme/reef:pr-1"], "unresolved_ids": ["acme/reef:pr-2"],
                "incomplete_ids": ["acme/reef:pr-3"], "error_ids": [], "empty_patch_ids": [],
                "submitted_ids": ["acme/reef:pr-1", "acme/reef:pr-2", "acme/reef:pr-3"],
                "completed_ids": ["acme/reef:pr-1", "acme/reef:pr-2"]}),
    );
    write(
        &run,
        "workdir/acme/reef/evals/pr-4/report.json",
        &json!({"org": "acme", "repo": "reef", "number": 4, "valid": true, "error_msg": "",
                "run_result": {}, "test_patch_result": {}, "fix_patch_result": {}}),
    );
    fs::create_dir_all(folder.path().join("tasks")).expect("folder");
    let row = json!({"org": "acme", "repo": "reef", "number": 1, "title": "PR", "body": "",
        "base": {"label": "main", "ref": "main", "sha": "abc123"}, "fix_patch": diff("gold"),
        "test_patch": diff("test"), "resolved_issues": [{"number": 7, "title": "Crash", "body": "It does."}]});
    fs::write(folder.path().join("tasks/reef.jsonl"), row.to_string()).expect("write");
    let loaded = load_all(&[folder.path().to_path_buf()]);
    assert_eq!(shown(&loaded), Vec::<String>::new());
    let of = |n: u32| only(&loaded, &format!("acme__reef-{n}")).outcome;
    use Outcome::{Fail, Pass, Unscored};
    assert_eq!([of(1), of(2), of(3), of(4)], [Pass, Fail, Unscored, Pass]);
    assert_eq!(loaded.groups[0].task.title.as_deref(), Some("Crash"));
    assert_eq!(loaded.groups[0].task.repo.as_deref(), Some("acme/reef"));
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    assert_eq!(content.task.text.as_deref(), Some("Crash\n\nIt does."));
    assert_eq!(content.task.reference_patch, Some(diff("gold")));
    assert_eq!(content.trajectories[0].patch, Some(diff("x")));
}

#[test]
fn the_real_line_of_multi_swe_bench_is_a_rollout() {
    let Some(data) = real_data() else { return };
    let loaded = load_all(&[data.join("formats/openhands/multi-swe-bench-patch.jsonl")]);
    let trajectory = only(&loaded, "ponylang__ponyc-4595");
    assert_eq!(trajectory.outcome, Outcome::Unscored);
    assert_eq!(trajectory.patch.presence, PatchPresence::Diff);
}

#[test]
fn the_index_of_openhands_has_verdict_and_cost() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run-d");
    write(&run, "preds.json", &predictions(&IDS[..2]));
    write(
        &run,
        "index.json",
        &json!({IDS[0]: {"cost": 0.5, "resolved": true}, IDS[1]: {"cost": null, "resolved": false}}),
    );
    let loaded = load_all(&[folder.path().to_path_buf()]);
    assert_eq!(shown(&loaded), Vec::<String>::new());
    assert_eq!(only(&loaded, IDS[0]).outcome, Outcome::Pass);
    assert_eq!(only(&loaded, IDS[0]).cost_usd, Some(0.5));
    assert_eq!(only(&loaded, IDS[1]).outcome, Outcome::Fail);
    assert_eq!(only(&loaded, IDS[1]).cost_usd, None);
}

#[test]
fn keys_of_old_instructions_are_read() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run-e");
    let one = json!({"instance_id": IDS[0], "model": "m", "prediction": diff("x")});
    write(&run, "preds.json", &json!([one]));
    let loaded = load_all(&[folder.path().to_path_buf()]);
    let trajectory = only(&loaded, IDS[0]);
    assert_eq!(trajectory.policy.as_deref(), Some("m"));
    let content = loaded.open(0).expect("open");
    assert_eq!(content.trajectories[0].patch, Some(diff("x")));
}

#[test]
fn a_leaderboard_entry_is_one_run_with_everything_beside_it() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("evaluation/verified/20250101_acme");
    write(&run, "all_preds.json", &predictions(&IDS[..3]));
    fs::write(run.join("metadata.yaml"), "name: acme\n").expect("write");
    write(
        &run,
        "results/results.json",
        &json!({"no_generation": [], "no_logs": [], "resolved": [IDS[0]]}),
    );
    write(
        &run,
        "results/resolved_by_repo.json",
        &json!({"acme/reef": {"resolved": 1, "total": 3}}),
    );
    write(
        &run,
        "results/resolved_by_time.json",
        &json!({"2024": {"resolved": 1, "total": 3}}),
    );
    let report = json!({"patch_exists": true, "resolved": true, "tests_status":
        {"FAIL_TO_PASS": {"success": ["t"], "failure": []}}});
    write(
        &run,
        &format!("logs/{}/report.json", IDS[0]),
        &json!({IDS[0]: report}),
    );
    fs::write(
        run.join(format!("logs/{}/test_output.txt", IDS[0])),
        "1 passed",
    )
    .expect("write");
    write(
        &run,
        &format!("trajs/{}.traj", IDS[0]),
        &json!({"trajectory": [{"action": "ls", "observation": "a", "response": "r", "thought": "t"}],
                "info": {"exit_status": "submitted", "submission": "x"}}),
    );
    let loaded = load_all(&[folder.path().to_path_buf()]);
    assert_eq!(shown(&loaded), Vec::<String>::new());
    let outcomes: Vec<Outcome> = IDS[..3]
        .iter()
        .map(|id| only(&loaded, id).outcome)
        .collect();
    assert_eq!(outcomes, [Outcome::Pass, Outcome::Fail, Outcome::Fail]);
    assert_eq!(only(&loaded, IDS[0]).id.as_str(), "20250101_acme");
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    let opened = &content.trajectories[0];
    assert_eq!(opened.test_log.as_deref(), Some("1 passed"));
    assert_eq!(opened.tests.len(), 1);
    assert_eq!(opened.steps.len(), 3);
    assert_eq!(
        opened.patch,
        Some(diff(IDS[0])),
        "of the predictions, not of the trace"
    );
}

#[test]
fn further_candidates_of_a_record_are_counted() {
    let Some(data) = real_data() else { return };
    let loaded = load_all(&[data.join("groups/swebench-lite")]);
    let counted: usize = loaded
        .groups
        .iter()
        .flat_map(|group| &group.trajectories)
        .flat_map(|trajectory| &trajectory.meta.0)
        .filter(|(key, _)| key == "all_results")
        .map(|(_, value)| value.parse::<usize>().expect("a count"))
        .sum();
    // 523 in all; 410 in records of the patch that the predictions file holds, too.
    assert_eq!(counted, 410);
}

#[test]
fn the_samples_load_without_a_problem() {
    for (part, expected) in [
        (
            "formats/swebench-pro",
            ["pass fail", "unscored fail"].as_slice(),
        ),
        ("formats/multi-swe-bench", &["pass fail"]),
    ] {
        let loaded = load_all(&[sample(part)]);
        assert_eq!(shown(&loaded), Vec::<String>::new(), "{part}");
        let words: Vec<String> = loaded
            .groups
            .iter()
            .map(|group| {
                let words = group.trajectories.iter().map(|t| t.outcome.word());
                words.collect::<Vec<_>>().join(" ")
            })
            .collect();
        assert_eq!(words, expected, "{part}");
        for index in 0..loaded.groups.len() {
            let content = loaded.open(index).expect("open");
            assert_eq!(content.problems, Vec::<String>::new(), "{part}");
        }
    }
}
