//! Rollouts that other rollouts could hide: each record, file and step stays one of its own.

use gagar::formats::LoadedSet;
use serde_json::{Value, json};

use super::{has_problem, load_folder, problems};

/// (group, rollout, policy, verdict) of every rollout.
fn rollouts(loaded: &LoadedSet) -> Vec<(String, String, Option<String>, &'static str)> {
    let mut all = Vec::new();
    for group in &loaded.groups {
        for one in &group.trajectories {
            all.push((
                group.id.to_string(),
                one.id.to_string(),
                one.policy.clone(),
                one.outcome.word(),
            ));
        }
    }
    all
}

/// "group/rollout verdict" of every rollout.
fn shown(loaded: &LoadedSet) -> Vec<String> {
    let all = rollouts(loaded).into_iter();
    all.map(|(group, id, _, word)| format!("{group}/{id} {word}"))
        .collect()
}

fn lines(rows: &[Value]) -> Vec<u8> {
    let rows: Vec<String> = rows.iter().map(Value::to_string).collect();
    rows.join("\n").into_bytes()
}

fn file(rows: &[Value]) -> (LoadedSet, tempfile::TempDir) {
    load_folder(&[("r.jsonl", &lines(rows))])
}

fn patches(loaded: &LoadedSet, group: usize) -> Vec<Option<String>> {
    let content = loaded.open(group).expect("open");
    let all = content.trajectories.into_iter();
    all.map(|one| one.patch).collect()
}

fn diff(line: &str) -> String {
    format!("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+{line}\n")
}

#[test]
fn rows_with_an_id_or_a_verdict_are_not_merged() {
    let (p1, p2) = (diff("1"), diff("2"));
    let (loaded, _root) = file(&[
        json!({"instance_id": "i", "trajectory_id": "a", "resolved": false, "model_patch": p1}),
        json!({"instance_id": "i", "trajectory_id": "b", "resolved": null, "model_patch": p2}),
    ]);
    assert_eq!(shown(&loaded), ["i/a fail", "i/b unscored"]);
    let both = [Some(p1.clone()), Some(p2.clone())];
    assert_eq!(patches(&loaded, 0), both);

    let task = json!({"problem_statement": "Fix.", "repo": "acme/nemo", "base_commit": "c"});
    let mut one = json!({"instance_id": "i", "run": 1, "resolved": true, "patch": p1});
    let mut two = json!({"instance_id": "i", "run": 2, "resolved": false, "patch": p2});
    for with_task in [false, true] {
        if with_task {
            for row in [&mut one, &mut two] {
                let row = row.as_object_mut().expect("object");
                row.extend(task.as_object().expect("object").clone());
            }
        }
        let (loaded, _root) = file(&[one.clone(), two.clone()]);
        let verdicts: Vec<&str> = rollouts(&loaded).iter().map(|r| r.3).collect();
        assert_eq!(verdicts, ["pass", "fail"], "{:?}", shown(&loaded));
        assert_eq!(patches(&loaded, 0), both);
    }

    let (loaded, _root) = file(&[
        json!({"instance_id": "i", "reward": 1.0, "model_patch": p1}),
        json!({"instance_id": "i", "reward": 0.0, "model_patch": p2}),
    ]);
    assert_eq!(shown(&loaded), ["i/r:1 pass", "i/r:2 fail"]);

    let (loaded, _root) = file(&[
        json!({"instance_id": "i", "model_name_or_path": "m", "resolved": true, "model_patch": p1}),
        json!({"instance_id": "i", "model_name_or_path": "m", "resolved": false, "model_patch": p2}),
        json!({"instance_id": "i", "model_name_or_path": "m", "resolved": null, "model_patch": p1}),
        json!({"instance_id": "j", "model_name_or_path": "m", "resolved": true, "model_patch": p1}),
    ]);
    let expected = ["i/r:1 pass", "i/r:2 fail", "i/r:3 unscored", "j/r:4 pass"];
    assert_eq!(shown(&loaded), expected);
    assert_eq!(problems(&loaded), []);
    assert_eq!(patches(&loaded, 0)[1], Some(p2));
}

#[test]
fn rows_whose_messages_are_missing_follow_the_others() {
    for empty in [
        json!([]),
        json!(""),
        json!("[]"),
        json!([null]),
        json!("[{\"role\":"),
    ] {
        let chat = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
        let row = |id: &str, messages: &Value, resolved: bool| {
            json!({"instance_id": "i", "trajectory_id": id, "messages": messages,
                   "model_patch": diff(id), "resolved": resolved})
        };
        let (loaded, _root) = file(&[
            row("a", &chat, true),
            row("b", &empty, true),
            row("c", &empty, false),
        ]);
        let expected = ["i/a pass", "i/b pass", "i/c fail"];
        assert_eq!(shown(&loaded), expected, "{empty}");

        let row = |id: &str, messages: &Value, reward: f64| json!({"instance_id": "i", "trajectory_id": id, "messages": messages, "reward": reward});
        let (loaded, _root) = file(&[
            row("a", &chat, 1.0),
            row("b", &chat, 0.0),
            row("c", &empty, 0.0),
        ]);
        let expected = ["i/a pass", "i/b fail", "i/c fail"];
        assert_eq!(shown(&loaded), expected, "{empty}");
        assert_eq!(loaded.groups[0].trajectories[0].steps, Some(2), "{empty}");
    }
}

#[test]
fn predictions_of_several_models_in_a_folder_keep_their_verdicts() {
    let prediction = |model: &str, patch: &str| {
        lines(&[json!({"instance_id": "t", "model_name_or_path": model, "model_patch": patch})])
    };
    let report = |resolved: bool| {
        let (yes, no) = if resolved {
            (vec!["t"], vec![])
        } else {
            (vec![], vec!["t"])
        };
        json!({"resolved_ids": yes, "unresolved_ids": no, "completed_ids": ["t"],
               "submitted_ids": ["t"], "error_ids": []})
        .to_string()
    };
    // Equal patches are of two models, too.
    for other in ["2", "1"] {
        let (loaded, _root) = load_folder(&[
            ("tm/A.jsonl", &prediction("A", &diff("1"))),
            ("tm/B.jsonl", &prediction("B", &diff(other))),
            ("tm/A.run.json", report(true).as_bytes()),
            ("tm/B.run.json", report(false).as_bytes()),
        ]);
        let own = |id: &str, model: &str, word| {
            (
                String::from("t"),
                id.to_owned(),
                Some(model.to_owned()),
                word,
            )
        };
        let expected = [own("tm/A", "A", "pass"), own("tm/B", "B", "fail")];
        assert_eq!(rollouts(&loaded), expected);
        assert_eq!(problems(&loaded), []);
        assert_eq!(patches(&loaded, 0), [Some(diff("1")), Some(diff(other))]);
    }
    let pull = |line: &str| {
        lines(&[json!({"org": "acme", "repo": "nemo", "number": 1, "fix_patch": diff(line)})])
    };
    let (loaded, _root) = load_folder(&[("m/a.jsonl", &pull("1")), ("m/b.jsonl", &pull("2"))]);
    assert_eq!(rollouts(&loaded).len(), 2, "{:?}", shown(&loaded));
}

#[test]
fn files_that_repeat_a_run_task_by_task_are_told_by_name_when_they_differ() {
    let one = |id: &str, line: &str| json!({"instance_id": id, "model_name_or_path": "m", "model_patch": diff(line)});
    let (loaded, _root) = load_folder(&[
        (
            "run/all_preds.jsonl",
            &lines(&[one("t-1", "1"), one("t-2", "1")]),
        ),
        ("run/t-1.json", &lines(&[one("t-1", "1")])),
        ("run/t-2.json", &lines(&[one("t-2", "2")])),
    ]);
    assert_eq!(shown(&loaded), ["t-1/run unscored", "t-2/run unscored"]);
    assert_eq!(patches(&loaded, 1), [Some(diff("1"))]);
    has_problem(
        &loaded,
        None,
        "holds another patch than the run's predictions file",
    );
    let told = problems(&loaded);
    assert!(told.iter().any(|(_, id, _)| *id == Some("t-2")), "{told:?}");
}

#[test]
fn traces_of_one_task_in_a_folder_are_rollouts() {
    let trace = json!({"instance_id": "t", "trajectory_format": "mini-swe-agent-1",
        "info": {"exit_status": "Submitted", "submission": diff("1"),
                 "mini_version": "1.0.0", "model_stats": {"instance_cost": 0.1, "api_calls": 1}},
        "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "Fix"},
                     {"role": "assistant", "content": "```bash\nls\n```"}]})
    .to_string();
    let (loaded, _root) = load_folder(&[
        ("r/0.traj.json", trace.as_bytes()),
        ("r/1.traj.json", trace.as_bytes()),
        ("r/2.traj.json", trace.as_bytes()),
    ]);
    let expected = ["t/r/0 unscored", "t/r/1 unscored", "t/r/2 unscored"];
    assert_eq!(shown(&loaded), expected, "{:?}", problems(&loaded));
    assert!(
        loaded.groups[0]
            .trajectories
            .iter()
            .all(|one| one.steps == Some(3))
    );
}

#[test]
fn openhands_outputs_in_a_folder_are_runs() {
    let row = |line: &str, resolved: bool| {
        lines(&[
            json!({"instance_id": "t", "instruction": "Fix", "history": [],
            "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "m"}},
            "test_result": {"git_patch": diff(line), "report": {"resolved": resolved}}}),
        ])
    };
    let (loaded, _root) = load_folder(&[
        ("o/a.jsonl", &row("1", true)),
        ("o/b.jsonl", &row("2", false)),
    ]);
    assert_eq!(
        shown(&loaded),
        ["t/o/a pass", "t/o/b fail"],
        "{:?}",
        problems(&loaded)
    );
}

#[test]
fn a_model_called_gold_is_no_reference() {
    let prediction = |model: &str| {
        lines(&[json!({"instance_id": "t", "model_name_or_path": model, "model_patch": diff("1")})])
    };
    let report = json!({"resolved_ids": ["t"], "unresolved_ids": []}).to_string();
    let (loaded, _root) = load_folder(&[
        ("gold-7b/preds.jsonl", &prediction("gold-7b")),
        ("gold-7b/report.json", report.as_bytes()),
        ("golden_gate/preds.jsonl", &prediction("m")),
        ("SWE-bench_Lite_golden/preds.jsonl", &prediction("x")),
    ]);
    assert_eq!(shown(&loaded), ["t/gold-7b pass", "t/golden_gate unscored"]);
    assert!(loaded.groups[0].task.has_reference);
    let (loaded, _root) = load_folder(&[("gold/preds.jsonl", &prediction("gold"))]);
    assert_eq!(shown(&loaded), Vec::<String>::new());
    has_problem(&loaded, None, "references by the run's name (gold)");
}

#[test]
fn steps_of_one_group_are_groups() {
    let row = |id: &str, step: u32, reward: f64| {
        json!({"schema": "gagar.trajectory/1", "group_id": "g", "trajectory_id": id, "step": step,
               "reward": reward, "patch": diff(id)})
    };
    let (loaded, _root) = file(&[
        row("a", 1, 1.0),
        row("b", 1, 0.0),
        row("a", 2, 0.0),
        row("b", 2, 1.0),
    ]);
    let expected = ["g/a pass", "g/b fail", "g@2/a fail", "g@2/b pass"];
    assert_eq!(shown(&loaded), expected);
    assert_eq!(loaded.groups[1].step, Some(2));
    let told = problems(&loaded);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].0, told[0].1), (Some(3), Some("g@2")));

    let chat = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
    let row =
        |step: u32| json!({"instance_id": "i", "messages": chat, "reward": 1.0, "step": step});
    let (loaded, _root) = file(&[row(1), row(2), row(1)]);
    assert_eq!(shown(&loaded), ["i/r:1 pass", "i/r:3 pass", "i@2/r:2 pass"]);
}

#[test]
fn rankings_in_a_record_are_about_the_group_at_its_step() {
    let group = |step: u32, grader: &str| {
        json!({"schema": "gagar.group/1", "group_id": "g", "step": step,
            "trajectories": [{"trajectory_id": "a", "reward": 1.0}, {"trajectory_id": "b", "reward": 1.0}],
            "rankings": [{"grader": {"name": grader}, "status": "ok", "tiers": [["a"], ["b"]]}]})
    };
    let (loaded, _root) = file(&[group(1, "one"), group(2, "two")]);
    let graders = |index: usize| -> Vec<String> {
        let answers = loaded.answers[index].iter();
        answers.map(|answer| answer.grader.name.clone()).collect()
    };
    assert_eq!(
        (graders(0), graders(1)),
        (vec!["one".into()], vec!["two".into()])
    );
}

#[test]
fn prompts_that_differ_are_groups_however_many() {
    let hashes: std::collections::BTreeSet<String> = {
        let rows: Vec<Value> = (0..6000)
            .map(|n| json!({"input": format!("prompt {n}"), "output": "o", "gts": null, "score": 1.0, "step": 7}))
            .collect();
        let (loaded, _root) = file(&rows);
        loaded
            .groups
            .iter()
            .map(|group| group.id.to_string())
            .collect()
    };
    assert_eq!(hashes.len(), 6000);
    assert!(
        hashes
            .iter()
            .all(|id| id.rsplit(' ').next().is_some_and(|hash| hash.len() == 12))
    );
}

#[test]
fn a_trace_beside_the_result_of_another_task_is_a_rollout() {
    let result = "{\"task_name\":\"t\",\"trial_name\":\"t__1\",\"source\":\"s\",\
                  \"agent_info\":{\"name\":\"a\",\"model_info\":null},\
                  \"verifier_result\":{\"rewards\":{\"reward\":1}}}";
    let trace = |task: &str| {
        json!({"schema_version": "ATIF-v1.4", "session_id": "s-1",
            "agent": {"name": "a", "version": "1", "model_name": "m"}, "extra": {"instance_id": task},
            "steps": [{"step_id": 1, "source": "user", "message": "Fix"},
                      {"step_id": 2, "source": "agent", "message": "Done"}]})
        .to_string()
    };
    let (loaded, _root) = load_folder(&[
        ("f/result.json", result.as_bytes()),
        ("f/other.json", trace("u").as_bytes()),
    ]);
    assert_eq!(shown(&loaded), ["t/t__1 pass", "u/other unscored"]);
    let (loaded, _root) = load_folder(&[
        ("f/result.json", result.as_bytes()),
        ("f/agent/trajectory.json", trace("u").as_bytes()),
    ]);
    assert_eq!(shown(&loaded), ["t/t__1 pass"]);
    assert_eq!(loaded.groups[0].trajectories[0].steps, Some(2));
}

#[test]
fn a_trial_listed_twice_is_kept_twice_and_told() {
    let trial =
        |resolved: bool| json!({"trial_name": "o.1", "task_id": "o", "is_resolved": resolved});
    let run = json!({"id": "r", "results": [trial(true), trial(false)]}).to_string();
    let (loaded, _root) = load_folder(&[("run/results.json", run.as_bytes())]);
    assert_eq!(shown(&loaded), ["o/o.1 pass", "o/o.1#2 fail"]);
    has_problem(&loaded, None, "the id occurs twice");
}

#[test]
fn samples_1_and_the_text_1_are_two() {
    let sample = |id: Value, score: &str| {
        json!({"id": id, "epoch": 1, "input": "x", "target": "", "metadata": {}, "store": {},
               "messages": [{"role": "user", "content": "x"}], "output": {"model": "m", "choices": []},
               "scores": {"s": {"value": score}}})
    };
    let log = json!({"version": 2, "status": "success",
        "eval": {"task": "t", "task_id": "1", "run_id": "1", "created": "2026-01-01T00:00:00",
                 "model": "m", "dataset": {}, "config": {}},
        "samples": [sample(json!(1), "C"), sample(json!("1"), "I")]})
    .to_string();
    let (loaded, _root) = load_folder(&[("l.json", log.as_bytes())]);
    assert_eq!(shown(&loaded), ["\"1\"/epoch 1 fail", "t/1/epoch 1 pass"]);
}
