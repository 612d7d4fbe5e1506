//! Inspect logs: real ones in both encodings, and small ones with what they can hold.

use std::fs;
use std::path::{Path, PathBuf};

use gagar::domain::{Outcome, PatchPresence, StepKind};
use gagar::formats::LoadedSet;
use serde_json::{Value, json};

use super::{load_all, real_data, sample as sample_data};

fn shown(loaded: &LoadedSet) -> Vec<String> {
    loaded.problems.iter().map(ToString::to_string).collect()
}

/// Groups, rollouts, passing, failing and unscored.
fn counts(loaded: &LoadedSet) -> [usize; 5] {
    let all = || loaded.groups.iter().flat_map(|group| &group.trajectories);
    let of = |outcome| all().filter(|t| t.outcome == outcome).count();
    [
        loaded.groups.len(),
        all().count(),
        of(Outcome::Pass),
        of(Outcome::Fail),
        of(Outcome::Unscored),
    ]
}

/// Opens every group; answers the number of steps in all.
fn open_all(loaded: &LoadedSet) -> usize {
    let mut steps = 0;
    for (index, group) in loaded.groups.iter().enumerate() {
        let content = loaded.open(index).expect("open");
        assert_eq!(content.problems, Vec::<String>::new(), "{}", group.id);
        assert!(content.task.text.is_some(), "{}", group.id);
        for (trajectory, opened) in group.trajectories.iter().zip(&content.trajectories) {
            assert_eq!(trajectory.steps, u32::try_from(opened.steps.len()).ok());
            steps += opened.steps.len();
            for step in &opened.steps {
                assert!(!step.text.contains("attachment://"), "{}", group.id);
            }
        }
    }
    steps
}

#[test]
fn real_logs_load_in_both_encodings() {
    let Some(data) = real_data() else { return };
    for (file, expected, steps) in [
        ("2025-09-23_security-guide.eval", [16, 16, 11, 5, 0], 48),
        ("log_formats.eval", [1, 1, 0, 1, 0], 3),
        ("log_formats.json", [1, 1, 0, 1, 0], 3),
        ("log_streaming.eval", [2, 4, 3, 1, 0], 12),
        (
            "2025-05-12T20-28-13-04-00_popularity.json",
            [3, 3, 2, 1, 0],
            9,
        ),
        ("log_tool_call_error.json", [1, 1, 0, 0, 1], 11),
    ] {
        let loaded = load_all(&[data.join("formats/inspect").join(file)]);
        assert_eq!(shown(&loaded), Vec::<String>::new(), "{file}");
        assert_eq!(loaded.notes, Vec::new(), "{file}");
        assert_eq!(counts(&loaded), expected, "{file}");
        assert_eq!(open_all(&loaded), steps, "{file}");
    }
}

#[test]
fn a_real_archive_with_slashes_in_its_ids_and_an_error() {
    let Some(data) = real_data() else { return };
    let path = data.join("constructed/inspect/swe_bench_replay_epochs5_zstd.eval");
    let loaded = load_all(&[path]);
    assert_eq!(shown(&loaded), Vec::<String>::new());
    assert_eq!(counts(&loaded), [2, 10, 4, 5, 1]);
    open_all(&loaded);
    let ids: Vec<&str> = loaded.groups.iter().map(|g| g.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "astropy__astropy-12907/claude_code",
            "astropy__astropy-12907/opencode"
        ]
    );
    let group = &loaded.groups[1];
    let epochs: Vec<&str> = group.trajectories.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(
        epochs,
        ["epoch 1", "epoch 2", "epoch 3", "epoch 4", "epoch 5"]
    );
    let errored = &group.trajectories[4];
    assert_eq!(errored.outcome, Outcome::Unscored);
    assert!(
        errored
            .marks
            .iter()
            .any(|m| m.starts_with("errored: RuntimeError('sandbox lost")),
        "{:?}",
        errored.marks
    );
    let first = &group.trajectories[0];
    assert_eq!(first.policy.as_deref(), Some("mockllm/model"));
    assert_eq!(first.patch.presence, PatchPresence::Diff);
    let content = loaded.open(1).expect("open");
    let patch = content.trajectories[0].patch.as_deref().expect("patch");
    assert!(patch.starts_with("diff --git a/astropy/modeling/separable.py"));
    let steps = &content.trajectories[0].steps;
    let call = steps
        .iter()
        .find(|s| s.kind() == StepKind::ToolCall)
        .expect("call");
    assert!(call.tool.is_some() && call.call_id.is_some() && call.args.is_some());
}

fn sample(id: &str, epoch: i64, more: Value) -> Value {
    let mut sample = json!({
        "id": id, "epoch": epoch, "input": "attachment://00000000000000000000000000000001",
        "target": "", "metadata": {"patch": "--- gold", "repo": "acme/nemo"}, "store": {},
        "messages": [
            {"role": "user", "content": "attachment://00000000000000000000000000000001"},
            {"role": "assistant", "content": [{"type": "reasoning", "reasoning": "Hm."},
                {"type": "text", "text": "Look."},
                {"type": "image", "image": "data:image/png;base64,AAAA"}],
             "tool_calls": [{"id": "c1", "function": "bash", "type": "function",
                "arguments": {"cmd": "attachment://00000000000000000000000000000002"}}]},
            {"role": "tool", "tool_call_id": "c1", "function": "bash", "content": "",
             "error": {"type": "timeout", "message": "too slow"}},
            {"role": "user", "content": "Go on."}],
        "output": {"model": "m-1", "choices": [], "completion": "done"},
        "scores": {"swe": {"value": "C", "metadata": {"model_patch": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}}},
        "events": [{}, {}, {}],
        "model_usage": {"m": {"input_tokens": 5, "input_tokens_cache_read": 10, "output_tokens": 2, "total_tokens": 17}},
        "total_time": 1.5,
        "attachments": {"00000000000000000000000000000001": "Fix it\nplease",
                        "00000000000000000000000000000002": "say \"hi\""}});
    for (key, value) in more.as_object().expect("object") {
        sample[key] = value.clone();
    }
    sample
}

fn header(status: &str) -> Value {
    json!({"version": 2, "status": status, "plan": {},
           "eval": {"task": "swe", "model": "acme/m", "dataset": {}, "config": {"epochs": 2}}})
}

fn write(folder: &Path, name: &str, value: &Value) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    fs::write(path, value.to_string()).expect("write");
}

fn load_folder(write: impl FnOnce(&Path)) -> (LoadedSet, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    write(folder.path());
    let loaded = load_all(&[PathBuf::from(folder.path())]);
    (loaded, folder)
}

#[test]
fn an_unpacked_log_has_everything_where_it_belongs() {
    let (loaded, _folder) = load_folder(|folder| {
        write(folder, "a.eval/header.json", &header("success"));
        write(
            folder,
            "a.eval/_journal/start.json",
            &json!({"version": 2, "plan": {},
            "eval": {"task": "swe", "model": "acme/m"}}),
        );
        write(
            folder,
            "a.eval/samples/acme/nemo-1_epoch_2.json",
            &sample(
                "acme/nemo-1",
                2,
                json!({"limit": {"type": "token", "limit": 100}, "scores": {"swe": {"value": "I"}}}),
            ),
        );
        write(
            folder,
            "a.eval/samples/acme/nemo-1_epoch_1.json",
            &sample("acme/nemo-1", 1, json!({})),
        );
        let summary = |id: &str, epoch: i64| {
            json!({"id": id, "epoch": epoch, "input": "x",
            "target": "", "completed": true, "scores": {}})
        };
        let all = json!([summary("acme/nemo-1", 1), summary("acme/nemo-1", 2)]);
        write(folder, "a.eval/summaries.json", &all);
        write(folder, "a.eval/_journal/summaries/1.json", &all);
        write(
            folder,
            "a.eval/reductions.json",
            &json!([{"scorer": "swe", "samples": [{"value": 0.5, "sample_id": "acme/nemo-1"}]}]),
        );
        write(folder, "logs.json", &json!({"a.eval": header("success")}));
    });
    assert_eq!(shown(&loaded), Vec::<String>::new());
    assert_eq!(loaded.notes, Vec::new());
    assert_eq!(counts(&loaded), [1, 2, 1, 1, 0]);
    let group = &loaded.groups[0];
    assert_eq!(group.task.title.as_deref(), Some("Fix it"));
    assert_eq!(group.task.repo.as_deref(), Some("acme/nemo"));
    assert!(group.task.has_reference);
    let first = &group.trajectories[0];
    assert_eq!(first.id.as_str(), "epoch 1");
    assert_eq!(first.policy.as_deref(), Some("acme/m"));
    assert_eq!(first.input_tokens, Some(15));
    assert_eq!(first.wall_ms, Some(1500));
    let meta = |key: &str| {
        let found = first.meta.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    };
    assert_eq!(meta("events"), Some("3"));
    assert_eq!(meta("inspect.task"), Some("\"swe\""));
    assert!(group.trajectories[1].truncated);
    assert_eq!(
        group.trajectories[1].exit_status.as_deref(),
        Some("limit: token")
    );
    let content = loaded.open(0).expect("open");
    assert_eq!(content.task.text.as_deref(), Some("Fix it\nplease"));
    assert_eq!(content.task.reference_patch.as_deref(), Some("--- gold"));
    let steps = &content.trajectories[0].steps;
    let kinds: Vec<StepKind> = steps.iter().map(|step| step.kind()).collect();
    use StepKind::{Message, Observation, Reasoning, ToolCall, User};
    assert_eq!(
        kinds,
        [User, Reasoning, Message, ToolCall, Observation, User]
    );
    assert_eq!(steps[0].text, "Fix it\nplease");
    assert_eq!(steps[2].text, "Look.\n[image image/png, 1 kB]");
    assert_eq!(steps[3].text, "say \"hi\"");
    let args: Value = serde_json::from_str(steps[3].args.as_deref().expect("args")).expect("JSON");
    assert_eq!(args["cmd"], "say \"hi\"");
    assert_eq!(steps[4].text, "[error timeout: too slow]");
    // The reference in the sample's metadata is never taken for the answer.
    assert_eq!(content.trajectories[1].patch, None);
}

#[test]
fn a_run_that_crashed_has_its_journal_and_lost_samples_are_told() {
    let (loaded, _folder) = load_folder(|folder| {
        write(
            folder,
            "a.eval/_journal/start.json",
            &json!({"version": 2, "plan": {},
            "eval": {"task": "swe", "model": "acme/m"}}),
        );
        write(
            folder,
            "a.eval/samples/1_epoch_1.json",
            &sample("1", 1, json!({})),
        );
        write(
            folder,
            "a.eval/_journal/summaries/1.json",
            &json!([
            {"id": 1, "epoch": 1, "input": "x", "target": "", "completed": true},
            {"id": 2, "epoch": 1, "input": "x", "target": "", "error": "lost", "completed": false}]),
        );
    });
    assert_eq!(counts(&loaded), [1, 1, 1, 0, 0]);
    let problems = shown(&loaded);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("no header.json"), "{problems:?}");
    assert!(
        problems[1].contains("2/epoch 1: listed in the summaries only"),
        "{problems:?}"
    );
    assert!(problems[1].contains("lost"));
    let policy = loaded.groups[0].trajectories[0].policy.as_deref();
    assert_eq!(policy, Some("acme/m"));
}

#[test]
fn a_sample_in_chunks_has_its_verdict_and_is_told() {
    let (loaded, _folder) = load_folder(|folder| {
        write(folder, "a.eval/header.json", &header("success"));
        let mut shell = sample("7", 1, json!({"message_refs": [[0, 2]]}));
        let shell = shell.as_object_mut().expect("object");
        for key in ["messages", "events", "attachments", "metadata"] {
            shell.remove(key);
        }
        let prefix = "a.eval/samples/7_epoch_1";
        write(folder, &format!("{prefix}/sample.json"), &json!(shell));
        write(
            folder,
            &format!("{prefix}/messages/0.json"),
            &json!([
            {"id": "a", "role": "user", "content": "x", "source": "input"},
            {"id": "b", "role": "assistant", "content": "y", "source": "generate"}]),
        );
        write(
            folder,
            &format!("{prefix}/events/0.json"),
            &json!([{"event": "info"}]),
        );
    });
    assert_eq!(counts(&loaded), [1, 1, 1, 0, 0]);
    let problems = shown(&loaded);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("stored in chunks"), "{problems:?}");
    assert_eq!(loaded.groups[0].trajectories[0].steps, None);
}

#[test]
fn logs_without_a_list_of_samples_stay_apart() {
    let (loaded, _folder) = load_folder(|folder| {
        write(folder, "a.json", &header("error"));
        write(folder, "b.json", &header("started"));
    });
    let problems = shown(&loaded);
    assert!(
        problems[0].contains("a.json: the log has no samples (status error)"),
        "{problems:?}"
    );
    assert!(
        problems[1].contains("b.json: the log has no samples (status started)"),
        "{problems:?}"
    );
}

#[test]
fn one_sample_in_two_logs_is_two_groups() {
    let (loaded, _folder) = load_folder(|folder| {
        for log in ["a.eval", "b.eval"] {
            write(folder, &format!("{log}/header.json"), &header("success"));
            write(
                folder,
                &format!("{log}/samples/7_epoch_1.json"),
                &sample("7", 1, json!({})),
            );
        }
    });
    let ids: Vec<&str> = loaded.groups.iter().map(|g| g.id.as_str()).collect();
    assert_eq!(ids, ["swe/7", "swe/7 (m)"]);
    assert_eq!(counts(&loaded), [2, 2, 2, 0, 0]);
    open_all(&loaded);
}

#[test]
fn a_whole_log_with_nan_and_a_broken_sample() {
    let (loaded, _folder) = load_folder(|folder| {
        let mut log = header("cancelled");
        log["samples"] = json!([
            sample("n-1", 1, json!({"scores": {"swe": {"value": "@NaN@"}}})),
            7,
            sample("n-1", 2, json!({"id": null})),
            sample(
                "n-1",
                3,
                json!({"scores": {"style": {"value": 0.5}, "tests": {"value": 0}}})
            ),
            sample("n-2", 1, json!({"scores": null})),
        ]);
        let text = log.to_string().replace("\"@NaN@\"", "NaN");
        fs::write(folder.join("log.json"), text).expect("write");
    });
    let problems = shown(&loaded);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("samples: element 2"), "{problems:?}");
    assert!(problems[1].contains("samples: element 3"), "{problems:?}");
    assert_eq!(counts(&loaded), [2, 3, 0, 1, 2]);
    let group = &loaded.groups[0];
    assert!(
        group.trajectories[0]
            .marks
            .iter()
            .any(|m| m.contains("NaN"))
    );
    assert!(
        group.trajectories[1]
            .marks
            .iter()
            .any(|m| m == "verdict of tests")
    );
    let style = group.trajectories[1]
        .meta
        .0
        .iter()
        .find(|(key, _)| key == "score.style");
    assert_eq!(style.map(|(_, value)| value.as_str()), Some("0.5"));
    assert_eq!(open_all(&loaded), 18);
}

#[test]
fn an_empty_log_says_how_it_ended() {
    let (loaded, _folder) = load_folder(|folder| {
        let mut log = header("error");
        log["samples"] = json!([]);
        log["error"] = json!({"message": "no key", "traceback": ""});
        write(folder, "log.json", &log);
    });
    let problems = shown(&loaded);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].contains("no samples (status error: no key)"),
        "{problems:?}"
    );
}

#[test]
fn the_sample_loads_without_a_problem() {
    let loaded = load_all(&[sample_data("formats/inspect")]);
    assert_eq!(shown(&loaded), Vec::<String>::new());
    assert_eq!(loaded.notes, Vec::new());
    assert_eq!(counts(&loaded), [1, 3, 1, 1, 1]);
    open_all(&loaded);
    let group = &loaded.groups[0];
    assert_eq!(group.id.as_str(), "acme__kelp/4");
    assert!(
        group
            .trajectories
            .iter()
            .all(|t| t.policy.as_deref() == Some("acme/heron-32b"))
    );
    let marks = &group.trajectories[0].marks;
    assert!(
        marks.iter().any(|mark| mark == "verdict of tests"),
        "{marks:?}"
    );
}
