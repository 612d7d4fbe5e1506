//! SWE-agent and mini-swe-agent trajectories: real files of every generation, attempts, and files
//! that are broken.

use std::fs;
use std::path::Path;

use gagar::domain::{Outcome, PatchPresence, StepKind};
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

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("read")).expect("JSON")
}

#[test]
fn real_trajectories_are_rollouts_of_their_own() {
    let Some(data) = real_data() else { return };
    // (file, task, thoughts + actions + observations + prompts, has a patch)
    for (file, task, patch) in [
        (
            "swe-smith/pydantic__pydantic.acb0f10f.pr_8316.traj",
            "pydantic__pydantic.acb0f10f.pr_8316",
            true,
        ),
        (
            "swe-agent/v0/pydicom__pydicom-1458.traj",
            "pydicom__pydicom-1458",
            true,
        ),
        (
            "swe-agent/v1/function_calling_replace/marshmallow-code__marshmallow-1867.traj",
            "marshmallow-code__marshmallow-1867",
            true,
        ),
        (
            "swe-agent/v1/function_calling_simple.traj",
            "function_calling_simple",
            false,
        ),
    ] {
        let path = data.join("formats").join(file);
        let loaded = load_all(std::slice::from_ref(&path));
        assert_eq!(loaded.groups.len(), 1, "{file}: {:?}", shown(&loaded));
        let group = &loaded.groups[0];
        assert_eq!(group.id.as_str(), task);
        assert_eq!(group.trajectories.len(), 1);
        let trajectory = &group.trajectories[0];
        assert_eq!(trajectory.outcome, Outcome::Unscored);
        let value = read_json(&path);
        let content = loaded.open(0).expect("open");
        assert_eq!(content.problems, Vec::<String>::new(), "{file}");
        let told = value["info"]["submission"].as_str();
        assert_eq!(content.trajectories[0].patch.as_deref(), told, "{file}");
        assert_eq!(trajectory.patch.presence == PatchPresence::Diff, patch);
        let steps = &content.trajectories[0].steps;
        assert_eq!(trajectory.steps, Some(steps.len() as u32));
        let count = |kind: &str| -> usize {
            let all = value["trajectory"].as_array();
            let filled = |step: &&Value| {
                step[kind]
                    .as_str()
                    .is_some_and(|text| !text.trim().is_empty())
            };
            all.map_or(0, |all| all.iter().filter(filled).count())
        };
        let of = |kinds: &[StepKind]| steps.iter().filter(|s| kinds.contains(&s.kind())).count();
        if !value["trajectory"].is_null() {
            let acted = of(&[StepKind::ToolCall, StepKind::Submit]);
            assert_eq!(acted, count("action"), "{file}");
            assert_eq!(of(&[StepKind::Observation]), count("observation"), "{file}");
            assert_eq!(of(&[StepKind::Message]), count("thought"), "{file}");
        }
        assert!(of(&[StepKind::User]) >= 1, "{file}: the task is shown");
        let demos = value["history"].as_array().expect("history");
        for demo in demos.iter().filter(|message| message["is_demo"] == true) {
            let text = demo["content"].as_str().expect("text");
            assert!(steps.iter().all(|step| step.text != text), "{file}");
        }
        // Handed over as an object in one file and as a text in another.
        if !value["replay_config"].is_null() {
            assert!(content.task.text.is_some(), "{file}");
            assert!(group.task.title.is_some(), "{file}");
        }
    }
}

#[test]
fn the_bare_list_of_v0_has_the_last_answer_as_its_patch() {
    let Some(data) = real_data() else { return };
    let path = data.join("formats/mini-swe-agent/v0-list/github_issue.traj.json");
    let loaded = load_all(std::slice::from_ref(&path));
    assert_eq!(loaded.groups.len(), 1, "{:?}", shown(&loaded));
    let value = read_json(&path);
    let content = loaded.open(0).expect("open");
    let last = value[21]["content"].as_str();
    assert_eq!(content.trajectories[0].patch.as_deref(), last);
    // 22 messages; 10 answers are a thought and a command.
    assert_eq!(content.trajectories[0].steps.len(), 32);
    let codes = content.trajectories[0]
        .steps
        .iter()
        .filter(|s| s.exit_code.is_some());
    let told = value.as_array().expect("list").iter().filter(|message| {
        let text = message["content"].as_str().expect("text");
        message["role"] == "user" && text.starts_with("<returncode>")
    });
    assert_eq!(codes.count(), told.count());
}

fn attempt(patch: &str, status: &str) -> Value {
    json!({
        "trajectory": [{"action": "ls", "observation": "a.py", "response": "Look. ls",
                        "thought": "Look.", "state": {}, "execution_time": 0.25}],
        "history": [{"role": "system", "content": "S", "agent": "main"},
                    {"role": "user", "content": "demo", "is_demo": true, "agent": "main"},
                    {"role": "user", "content": [{"type": "text", "text": "Fix it"}], "agent": "main"}],
        "info": {"exit_status": status, "submission": patch,
                 "model_stats": {"instance_cost": 0.5, "tokens_sent": 10, "tokens_received": 2}},
    })
}

fn diff(line: &str) -> String {
    format!("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+{line}\n")
}

#[test]
fn attempts_of_one_file_are_rollouts_and_the_best_is_not_counted_twice() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run-r");
    let mut whole = attempt(&diff("second"), "submitted (exit_cost)");
    whole["info"]["best_attempt_idx"] = json!(1);
    whole["attempts"] = json!([
        attempt(&diff("first"), "submitted"),
        attempt(&diff("second"), "submitted (exit_cost)"),
        attempt(&diff("third"), "exit_format"),
    ]);
    write(&run, "acme__nemo-1/acme__nemo-1.traj", &whole);
    write(
        &run,
        "preds.json",
        &json!({"acme__nemo-1": {"instance_id": "acme__nemo-1", "model_name_or_path": "m",
                "model_patch": diff("second")}}),
    );
    write(
        &run,
        "results.json",
        &json!({"resolved_ids": ["acme__nemo-1"]}),
    );
    let loaded = load_all(&[folder.path().to_path_buf()]);
    assert_eq!(shown(&loaded), Vec::<String>::new());
    let group = &loaded.groups[0];
    let ids: Vec<&str> = group.trajectories.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(
        ids,
        ["run-r/attempt-1", "run-r/attempt-2", "run-r/attempt-3"]
    );
    let outcomes: Vec<Outcome> = group.trajectories.iter().map(|t| t.outcome).collect();
    assert_eq!(
        outcomes,
        [Outcome::Unscored, Outcome::Pass, Outcome::Unscored]
    );
    let chosen = &group.trajectories[1];
    assert!(chosen.marks.iter().any(|mark| mark == "the attempt chosen"));
    assert!(chosen.truncated, "a compound ending");
    assert!(!group.trajectories[0].truncated);
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    for (index, line) in ["first", "second", "third"].into_iter().enumerate() {
        let opened = &content.trajectories[index];
        assert_eq!(opened.patch.as_deref(), Some(diff(line).as_str()));
        let kinds: Vec<StepKind> = opened.steps.iter().map(|step| step.kind()).collect();
        assert_eq!(
            kinds,
            [
                StepKind::System,
                StepKind::User,
                StepKind::Message,
                StepKind::ToolCall,
                StepKind::Observation
            ]
        );
        assert_eq!(opened.steps[4].ms, Some(250));
        assert!(opened.steps.iter().all(|step| step.text != "demo"));
    }
}

#[test]
fn without_a_history_the_first_step_has_the_prompt_and_lost_traces_are_told() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run-r");
    for (id, key) in [("acme__nemo-1", "query"), ("acme__nemo-2", "messages")] {
        let mut one = attempt(&diff("x"), "submitted");
        one["trajectory"][0][key] = one["history"].clone();
        one.as_object_mut().expect("object").remove("history");
        write(&run, &format!("{id}/{id}.traj"), &one);
        let loaded = load_all(&[run.join(format!("{id}/{id}.traj"))]);
        let content = loaded.open(0).expect("open");
        let kinds: Vec<StepKind> = content.trajectories[0].steps[..2]
            .iter()
            .map(|step| step.kind())
            .collect();
        assert_eq!(kinds, [StepKind::System, StepKind::User], "{key}");
    }
    write(
        &run,
        "preds.json",
        &json!({"acme__nemo-1": {"instance_id": "acme__nemo-1", "model_patch": diff("x")}}),
    );
    write(
        &run,
        "results.json",
        &json!({"resolved_ids": ["acme__nemo-1"]}),
    );
    let loaded = load_all(&[folder.path().to_path_buf()]);
    assert_eq!(loaded.groups.len(), 1);
    let problems = shown(&loaded);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("1 trace is of a task"), "{problems:?}");
}

#[test]
fn a_broken_attempt_is_told_and_the_numbers_of_the_others_stay() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run-r");
    let mut whole = attempt(&diff("third"), "submitted");
    whole["info"]["best_attempt_idx"] = json!(2);
    whole["attempts"] = json!([
        attempt(&diff("first"), "submitted"),
        7,
        attempt(&diff("third"), "submitted"),
    ]);
    write(&run, "acme__nemo-1.traj", &whole);
    write(
        &run,
        "results.json",
        &json!({"unresolved_ids": ["acme__nemo-1"], "resolved_ids": []}),
    );
    let loaded = load_all(&[folder.path().to_path_buf()]);
    let problems = shown(&loaded);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("attempts: element 2"), "{problems:?}");
    let told: Vec<(&str, Outcome)> = loaded.groups[0]
        .trajectories
        .iter()
        .map(|t| (t.id.as_str(), t.outcome))
        .collect();
    assert_eq!(
        told,
        [
            ("run-r/attempt-1", Outcome::Unscored),
            ("run-r/attempt-3", Outcome::Fail)
        ]
    );
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    assert_eq!(content.trajectories[1].patch, Some(diff("third")));
    assert!(!content.trajectories[1].steps.is_empty());
}

#[test]
fn a_prediction_of_another_patch_is_a_rollout_beside_the_attempts() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run-r");
    let mut whole = attempt(&diff("first"), "submitted");
    whole["info"]["best_attempt_idx"] = json!(0);
    whole["attempts"] = json!([attempt(&diff("first"), "submitted")]);
    write(&run, "acme__nemo-1.traj", &whole);
    write(
        &run,
        "preds.json",
        &json!({"acme__nemo-1": {"instance_id": "acme__nemo-1", "model_patch": diff("edited")}}),
    );
    write(
        &run,
        "results.json",
        &json!({"resolved_ids": ["acme__nemo-1"]}),
    );
    let loaded = load_all(&[folder.path().to_path_buf()]);
    assert_eq!(shown(&loaded), Vec::<String>::new());
    let told: Vec<(&str, Outcome)> = loaded.groups[0]
        .trajectories
        .iter()
        .map(|t| (t.id.as_str(), t.outcome))
        .collect();
    assert_eq!(
        told,
        [
            ("run-r/attempt-1", Outcome::Unscored),
            ("run-r", Outcome::Pass)
        ]
    );
}

#[test]
fn without_a_choice_no_attempt_gets_the_verdict() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run-r");
    let whole = json!({"attempts": [attempt(&diff("first"), "submitted"),
                                    attempt(&diff("second"), "submitted")]});
    write(&run, "acme__nemo-1.traj", &whole);
    write(
        &run,
        "results.json",
        &json!({"resolved_ids": ["acme__nemo-1"]}),
    );
    let loaded = load_all(&[folder.path().to_path_buf()]);
    let group = &loaded.groups[0];
    assert_eq!(group.trajectories.len(), 2, "{:?}", shown(&loaded));
    for trajectory in &group.trajectories {
        assert_eq!(trajectory.outcome, Outcome::Unscored);
        assert!(
            trajectory
                .marks
                .iter()
                .any(|mark| mark.contains("not told"))
        );
    }
}

#[test]
fn a_folder_of_trajectories_alone_loads_and_a_broken_one_is_told() {
    let folder = tempfile::tempdir().expect("folder");
    let run = folder.path().join("run-m");
    let good = json!({
        "info": {"exit_status": "", "submission": "", "model_stats": {"instance_cost": 0.1},
                 "mini_version": "2.1.0", "config": {"model": {"model_name": "acme/m"}}},
        "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "Fix"},
                     {"role": "assistant", "content": "THOUGHT"},
                     {"role": "exit", "content": "LimitsExceeded",
                      "extra": {"exit_status": "LimitsExceeded", "submission": ""}}],
        "trajectory_format": "mini-swe-agent-1.1"});
    write(&run, "acme__nemo-1/acme__nemo-1.traj.json", &good);
    let mut last = good.clone();
    last["info"] = json!({"mini_version": "2.1.0", "exit_status": "LimitsExceeded"});
    last["messages"][3]["extra"]["submission"] = json!(diff("x"));
    write(&run, "acme__nemo-2/acme__nemo-2.traj.json", &last);
    let cut: String = good.to_string().chars().take(150).collect();
    fs::create_dir_all(run.join("acme__nemo-3")).expect("folder");
    fs::write(run.join("acme__nemo-3/acme__nemo-3.traj.json"), cut).expect("write");
    // An agent that died before its first step.
    write(
        &run,
        "acme__nemo-4/acme__nemo-4.traj",
        &json!({"environment": "main", "trajectory": [], "history": [],
                "info": {"exit_status": "exit_environment_error", "submission": null}}),
    );
    let loaded = load_all(&[folder.path().to_path_buf()]);
    let ids: Vec<&str> = loaded
        .groups
        .iter()
        .map(|group| group.id.as_str())
        .collect();
    assert_eq!(ids, ["acme__nemo-1", "acme__nemo-2", "acme__nemo-4"]);
    let of = |index: usize| &loaded.groups[index].trajectories[0];
    assert_eq!(of(0).patch.presence, PatchPresence::Empty);
    assert_eq!(of(0).policy.as_deref(), Some("acme/m"));
    assert_eq!(
        of(1).patch.presence,
        PatchPresence::Diff,
        "the last message tells"
    );
    assert!(of(1).truncated);
    assert_eq!(of(2).steps, Some(0));
    assert_eq!(of(2).patch.presence, PatchPresence::Missing);
    let problems = shown(&loaded);
    assert!(
        problems
            .iter()
            .any(|p| p.contains("acme__nemo-3") && p.contains("not valid JSON")),
        "{problems:?}"
    );
}

#[test]
fn the_samples_load_without_a_problem() {
    let loaded = load_all(&[sample("formats/swe-agent")]);
    assert_eq!(shown(&loaded), Vec::<String>::new());
    let group = &loaded.groups[0];
    let told: Vec<(&str, Outcome)> = group
        .trajectories
        .iter()
        .map(|t| (t.id.as_str(), t.outcome))
        .collect();
    use Outcome::{Fail, Pass, Unscored};
    assert_eq!(
        told,
        [
            ("retry-heron-32b/attempt-1", Unscored),
            ("retry-heron-32b/attempt-2", Pass),
            ("retry-heron-32b/attempt-3", Unscored),
        ]
    );
    assert_eq!(
        group.task.title.as_deref(),
        Some("Buoys at the date line are drawn twice")
    );
    let loaded = load_all(&[sample("formats/mini-swe-agent")]);
    assert_eq!(shown(&loaded), Vec::<String>::new());
    let told: Vec<(&str, Outcome, PatchPresence)> = loaded.groups[0]
        .trajectories
        .iter()
        .map(|t| (t.id.as_str(), t.outcome, t.patch.presence))
        .collect();
    assert_eq!(
        told,
        [
            ("osprey-v0", Fail, PatchPresence::Diff),
            ("osprey-v1", Fail, PatchPresence::Empty),
            ("osprey-v2", Pass, PatchPresence::Diff),
        ]
    );
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
}
