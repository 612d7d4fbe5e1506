//! Harbor job folders, Terminal-Bench results and ATIF trajectories.

use gagar::domain::{Outcome, StepKind, TestStatus};
use gagar::formats::LoadedSet;

use super::{has_problem, load_all, load_folder, problems, real_data, sample};

/// (passing, failing, unscored) of everything loaded.
fn outcomes(loaded: &LoadedSet) -> (usize, usize, usize) {
    let count = |outcome| {
        let all = loaded.groups.iter().flat_map(|group| &group.trajectories);
        all.filter(|t| t.outcome == outcome).count()
    };
    (
        count(Outcome::Pass),
        count(Outcome::Fail),
        count(Outcome::Unscored),
    )
}

#[test]
fn real_jobs_equal_what_their_results_say() {
    let Some(data) = real_data() else { return };
    let loaded = load_all(&[data.join("formats/harbor")]);
    // One job was stopped before its third trial left anything.
    let missing = "1 of 3 trials of the job are not there";
    assert_eq!(
        problems(&loaded),
        [(None, Some("2026-04-10__19-24-14"), missing)]
    );
    assert!(loaded.foreign.is_empty(), "{:?}", loaded.foreign);
    assert_eq!(loaded.groups.len(), 10);
    assert_eq!(outcomes(&loaded), (7, 6, 4));
    let all = || loaded.groups.iter().flat_map(|group| &group.trajectories);
    let both = all().filter(|t| t.reward.is_some() && t.exit_status.is_some());
    assert_eq!(both.count(), 7);
    let cancelled = all().filter(|t| t.marks.iter().any(|mark| mark == "cancelled"));
    assert!(
        cancelled
            .clone()
            .all(|t| t.outcome == Outcome::Unscored && t.reward.is_none())
    );
    assert_eq!(cancelled.count(), 4);
    let eigen = all().find(|t| t.id.as_str() == "largest-eigenval__5Qg6fwe");
    let eigen = eigen.expect("trial");
    assert_eq!((eigen.outcome, eigen.reward), (Outcome::Pass, Some(1.0)));
    assert_eq!(eigen.marks, ["NonZeroAgentExitCodeError beside the reward"]);
    assert_eq!(
        eigen.policy.as_deref(),
        Some("pydantic-deep anthropic/claude-opus-4-6")
    );
    assert_eq!(eigen.tests.map(|t| (t.passed, t.failed)), Some((3, 0)));
    let mut tests = (0, 0);
    for (index, group) in loaded.groups.iter().enumerate() {
        let content = loaded.open(index).expect("open");
        assert_eq!(content.problems, Vec::<String>::new());
        for (trajectory, content) in group.trajectories.iter().zip(&content.trajectories) {
            assert_eq!(content.patch, None, "{}", trajectory.id);
            assert_eq!(
                content.test_log.is_some(),
                trajectory.reward.is_some(),
                "{}",
                trajectory.id
            );
            let ended = content
                .steps
                .iter()
                .filter(|step| {
                    let start = trajectory.exit_status.as_deref().unwrap_or("none");
                    step.kind() == StepKind::Other && step.text.starts_with(start)
                })
                .count();
            assert_eq!(ended, usize::from(trajectory.exit_status.is_some()));
            // How it ended is a step as well, so that table and screen say the same number.
            let counted = trajectory.steps.unwrap_or(0) as usize;
            assert_eq!(content.steps.len(), counted);
            for test in &content.tests {
                match test.status {
                    TestStatus::Pass => tests.0 += 1,
                    TestStatus::Fail => tests.1 += 1,
                    _ => panic!("{test:?}"),
                }
            }
        }
    }
    assert_eq!(tests, (26, 10));
}

#[test]
fn real_atif_trajectories_are_read_whole() {
    let Some(data) = real_data() else { return };
    let loaded = load_all(&[data.join("formats/atif")]);
    assert_eq!(problems(&loaded), []);
    let shown: Vec<(&str, &str, Option<u64>, Option<u64>)> = loaded
        .groups
        .iter()
        .flat_map(|group| group.trajectories.iter().map(move |t| (group, t)))
        .map(|(group, t)| {
            (
                group.id.as_str(),
                t.id.as_str(),
                t.input_tokens,
                t.output_tokens,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (
                "NORMALIZED_SESSION_ID",
                "openhands_hello-world.trajectory",
                Some(220),
                Some(80)
            ),
            (
                "NORMALIZED_SESSION_ID",
                "terminus_2_linear-history.trajectory",
                Some(7802),
                Some(1030)
            ),
            (
                "harbor-terminus2-invalid-json",
                "harbor_terminus2_invalid_json",
                Some(2417),
                Some(200)
            ),
            (
                "harbor-terminus2-timeout",
                "harbor_terminus2_timeout",
                Some(982),
                Some(145)
            ),
            ("run-v17-001", "parent-doc", Some(42), Some(12)),
            (
                "sess-multimodal-test",
                "multimodal_trajectory",
                Some(2600),
                Some(125)
            ),
            (
                "sess-parallel-mixed",
                "parallel_tools_mixed_results",
                Some(1200),
                Some(105)
            ),
        ]
    );
    for (index, group) in loaded.groups.iter().enumerate() {
        let content = loaded.open(index).expect("open");
        assert_eq!(content.problems, Vec::<String>::new());
        assert!(content.task.text.is_some());
        for (trajectory, content) in group.trajectories.iter().zip(&content.trajectories) {
            assert_eq!(trajectory.outcome, Outcome::Unscored);
            assert_eq!(
                Some(content.steps.len()),
                trajectory.steps.map(|n| n as usize)
            );
        }
    }
    let linear = &loaded.groups[0].trajectories[1];
    for mark in [
        "4 copied steps shown as one",
        "3 sub-agent trajectories are not there",
    ] {
        // The continuation holds the copies.
        let is_there = linear.marks.iter().any(|m| m == mark);
        assert!(is_there, "{:?}", linear.marks);
    }
    let steps = |id: &str| {
        let index = loaded
            .groups
            .iter()
            .position(|group| group.id.as_str() == id);
        let content = loaded.open(index.expect("group")).expect("open");
        content.trajectories[0].steps.clone()
    };
    // Every result stands behind its call, also the one without a content.
    let parallel: Vec<(StepKind, Option<String>)> = steps("sess-parallel-mixed")
        .into_iter()
        .filter(|step| step.call_id.is_some())
        .map(|step| (step.kind(), step.call_id))
        .collect();
    let expected: Vec<(StepKind, Option<String>)> = ["weather", "stock", "news"]
        .iter()
        .flat_map(|name| {
            [StepKind::ToolCall, StepKind::Observation]
                .map(|kind| (kind, Some(format!("call_{name}"))))
        })
        .collect();
    assert_eq!(parallel, expected);
    let image = &steps("sess-multimodal-test")[0].text;
    assert!(image.contains("\n[image image/png https://"), "{image}");
    let nested: Vec<String> = steps("run-v17-001").into_iter().map(|s| s.text).collect();
    let begins = nested
        .iter()
        .position(|text| text == "[sub-agent child-doc (researcher) begins]");
    let inside = &nested[begins.expect("marker") + 1..];
    assert!(inside[0].starts_with("[copied context: 1 steps]"));
    assert!(inside[1].starts_with("ATIF v1.7 uses trajectory_id"));
    assert_eq!(inside[2], "[sub-agent child-doc (researcher) ends]");
}

#[test]
fn the_harbor_sample_loads() {
    let loaded = load_all(&[sample("formats/harbor")]);
    assert_eq!(problems(&loaded), []);
    assert!(loaded.foreign.is_empty(), "{:?}", loaded.foreign);
    assert_eq!((loaded.groups.len(), outcomes(&loaded)), (1, (2, 1, 1)));
    let group = &loaded.groups[0];
    assert_eq!(group.id.as_str(), "acme__anchor-lint-1");
    assert!(
        group
            .task
            .title
            .as_deref()
            .expect("title")
            .starts_with("The linter")
    );
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    let [a, b, c, d] = group.trajectories.as_slice() else {
        panic!("{group:?}");
    };
    assert_eq!((a.wall_ms, a.output_tokens), (Some(140_250), Some(150)));
    assert_eq!((a.patch.added, a.patch.files), (2, 1));
    assert!(
        a.marks
            .contains(&"patch from artifacts/change.patch".to_owned()),
        "{:?}",
        a.marks
    );
    let patch = content.trajectories[0].patch.as_deref().expect("patch");
    assert!(patch.starts_with("diff --git a/lint.py"));
    // The continuation's total counts the whole run, its copied step is no further one.
    assert_eq!((b.input_tokens, b.output_tokens), (Some(1500), Some(50)));
    assert_eq!(b.tests.map(|t| (t.passed, t.failed)), Some((1, 1)));
    let texts: Vec<&str> = content.trajectories[1]
        .steps
        .iter()
        .map(|s| s.text.as_str())
        .collect();
    assert_eq!(texts.len(), b.steps.expect("steps") as usize);
    assert_eq!(texts[3], "[continued in trajectory.cont-1.json]");
    assert_eq!(
        (c.outcome, c.marks.as_slice()),
        (Outcome::Unscored, ["cancelled".to_owned()].as_slice())
    );
    let kinds: Vec<StepKind> = content.trajectories[3]
        .steps
        .iter()
        .map(|s| s.kind())
        .collect();
    assert_eq!(kinds, [StepKind::Other, StepKind::User, StepKind::Message]);
    assert_eq!(d.steps, Some(3));
}

#[test]
fn the_atif_sample_shows_its_sub_agent_and_its_diff() {
    let loaded = load_all(&[sample("formats/atif")]);
    assert_eq!(problems(&loaded), []);
    let group = &loaded.groups[0];
    assert_eq!(group.id.as_str(), "acme__tide-table-2");
    let trajectory = &group.trajectories[0];
    assert_eq!(
        (trajectory.output_tokens, trajectory.patch.added),
        (Some(25), 1)
    );
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    assert!(
        content.trajectories[0]
            .patch
            .as_deref()
            .expect("patch")
            .starts_with("diff --git")
    );
    assert!(
        trajectory
            .marks
            .contains(&"patch from git diff in step 3 of the trace".to_owned()),
        "{:?}",
        trajectory.marks
    );
}

fn trial(name: &str, rest: &str) -> String {
    format!(
        "{{\"task_name\":\"t\",\"trial_name\":\"{name}\",\"source\":\"s\",\
         \"agent_info\":{{\"name\":\"a\",\"model_info\":null}}{rest}}}"
    )
}

const JOB: &str = "{\"n_total_trials\":9,\"stats\":{\"evals\":{\"e\":{\"reward_stats\":{\"reward\":{\"1.0\":[\"t__lost\"]}},\
                   \"exception_stats\":{}}}}}";

#[test]
fn trials_in_odd_states_are_told() {
    let trials = [
        ("null", trial("null", ",\"verifier_result\":null")),
        (
            "cancelled",
            trial(
                "cancelled",
                ",\"verifier_result\":{\"rewards\":{\"reward\":0}},\"exception_info\":{\"exception_type\":\"CancelledError\"}",
            ),
        ),
        (
            "file",
            trial("file", ",\"verifier_result\":{\"rewards\":null}"),
        ),
        (
            "other",
            trial(
                "other",
                ",\"task_checksum\":\"2\",\"verifier_result\":{\"rewards\":{\"reward\":0.0}}",
            ),
        ),
        (
            "several",
            trial(
                "several",
                ",\"task_checksum\":\"1\",\"verifier_result\":{\"rewards\":{\"a\":1,\"b\":0}}",
            ),
        ),
        (
            "one",
            trial("one", ",\"verifier_result\":{\"rewards\":{\"score\":0.75}}"),
        ),
        ("broken", "{\"task_name\":\"t\",\"trial_name\":".to_owned()),
        (
            "nan",
            trial("nan", ",\"verifier_result\":{\"rewards\":{\"reward\":NaN}}"),
        ),
    ];
    let mut files: Vec<(String, String)> = trials
        .iter()
        .map(|(name, text)| (format!("job/{name}/result.json"), text.clone()))
        .collect();
    let config = "{\"trial_name\":\"crashed\",\"task\":{},\"trials_dir\":\"x\"}";
    files.push(("job/crashed/config.json".to_owned(), config.to_owned()));
    files.push(("job/result.json".to_owned(), JOB.to_owned()));
    files.push(("job/file/verifier/reward.txt".to_owned(), "1\n".to_owned()));
    files.push((
        "job/other/verifier/reward.json".to_owned(),
        "{\"reward\":1}".to_owned(),
    ));
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    let (loaded, _root) = load_folder(&files);
    let shown: Vec<(&str, &str, Option<f64>)> = loaded.groups[0]
        .trajectories
        .iter()
        .map(|t| (t.id.as_str(), t.outcome.word(), t.reward))
        .collect();
    assert_eq!(
        shown,
        [
            ("cancelled", "unscored", None),
            ("file", "pass", Some(1.0)),
            ("nan", "unscored", None),
            ("null", "unscored", None),
            ("one", "pass", Some(0.75)),
            ("other", "fail", Some(0.0)),
            ("several", "unscored", None),
        ]
    );
    has_problem(&loaded, None, "EOF");
    has_problem(&loaded, None, "has no result.json");
    has_problem(
        &loaded,
        None,
        "2 of 9 trials of the job are not there: t__lost",
    );
    has_problem(&loaded, None, "contradicts 1 in verifier/reward.json");
    has_problem(&loaded, None, "task_checksum 1 differs from 2");
    assert_eq!(loaded.problems.len(), 5, "{:?}", loaded.problems);
    let marks = |name: &str| {
        let t = loaded.groups[0]
            .trajectories
            .iter()
            .find(|t| t.id.as_str() == name);
        t.expect("trial").marks.join("; ")
    };
    assert_eq!(marks("cancelled"), "cancelled (recorded reward: 0)");
    assert_eq!(marks("null"), "no verifier result");
    assert_eq!(marks("several"), "several rewards: a 1, b 0");
    assert_eq!(
        marks("file"),
        "reward from verifier/reward.txt: the result has none"
    );
}

#[test]
fn a_trial_of_several_steps_shows_all_of_them() {
    let result = trial(
        "m",
        ",\"verifier_result\":{\"rewards\":{\"reward\":1}},\"step_results\":[{\"step_name\":\"one\"},\
         {\"step_name\":\"two\",\"verifier_result\":{\"rewards\":{\"reward\":1}}}]",
    );
    let trace = |text: &str| {
        format!(
            "{{\"schema_version\":\"ATIF-v1.6\",\"session_id\":\"s\",\"agent\":{{\"name\":\"a\"}},\
             \"steps\":[{{\"step_id\":1,\"source\":\"user\",\"message\":\"{text}\"}}]}}"
        )
    };
    let ctrf = "{\"results\":{\"summary\":{},\"tests\":[{\"name\":\"n\",\"status\":\"passed\"}]}}";
    let (one, two) = (trace("do one"), trace("do two"));
    let (loaded, _root) = load_folder(&[
        ("job/m/result.json", result.as_bytes()),
        ("job/m/steps/one/agent/trajectory.json", one.as_bytes()),
        ("job/m/steps/one/verifier/ctrf.json", ctrf.as_bytes()),
        ("job/m/steps/two/agent/trajectory.json", two.as_bytes()),
        ("job/m/steps/two/verifier/ctrf.json", ctrf.as_bytes()),
    ]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(loaded.groups.len(), 1);
    let content = loaded.open(0).expect("open");
    let texts: Vec<&str> = content.trajectories[0]
        .steps
        .iter()
        .map(|s| s.text.as_str())
        .collect();
    assert_eq!(
        texts[..4],
        [
            "[step one of the trial]",
            "do one",
            "[step two of the trial]",
            "do two"
        ]
    );
    assert_eq!(content.trajectories[0].tests.len(), 2);
    assert_eq!(
        loaded.groups[0].trajectories[0].tests.map(|t| t.passed),
        Some(2)
    );
}

#[test]
fn results_of_a_job_and_of_terminal_bench_are_not_counted_twice() {
    let (one, two) = (
        trial("one", ",\"verifier_result\":{\"rewards\":{\"reward\":1}}"),
        trial("two", ",\"verifier_result\":{\"rewards\":{\"reward\":0}}"),
    );
    let job = format!("{{\"n_total_trials\":2,\"stats\":{{}},\"trial_results\":[{one},{two}]}}");
    let old = |attempt: u32, resolved: &str| {
        format!(
            "{{\"trial_name\":\"o.{attempt}-of-2.run\",\"task_id\":\"o\",\"instruction\":\"Do it.\",\
             \"is_resolved\":{resolved},\"failure_mode\":\"agent_timeout\",\
             \"parser_results\":{{\"x\":\"passed\",\"y\":\"failed\"}}}}"
        )
    };
    let (first, second) = (old(1, "false"), old(2, "null"));
    let run = format!("{{\"id\":\"r\",\"results\":[{first},{second}]}}");
    let metadata = "{\"run_id\":\"run\",\"agent_name\":\"terminus\",\"model_name\":\"m\",\"dataset_name\":\"d\"}";
    let (loaded, _root) = load_folder(&[
        ("job/result.json", job.as_bytes()),
        ("job/one/result.json", one.as_bytes()),
        ("run/results.json", run.as_bytes()),
        ("run/run_metadata.json", metadata.as_bytes()),
        ("run/o/o.1-of-2.run/results.json", first.as_bytes()),
    ]);
    assert_eq!(problems(&loaded), []);
    let shown: Vec<(&str, &str, &str)> = loaded
        .groups
        .iter()
        .flat_map(|group| group.trajectories.iter().map(move |t| (group, t)))
        .map(|(group, t)| (group.id.as_str(), t.id.as_str(), t.outcome.word()))
        .collect();
    assert_eq!(
        shown,
        [
            ("o", "o.1-of-2.run", "fail"),
            ("o", "o.2-of-2.run", "unscored"),
            ("t", "one", "pass"),
            ("t", "two", "fail"),
        ]
    );
    assert_eq!(
        loaded.groups[0].trajectories[1].policy.as_deref(),
        Some("terminus m")
    );
    let content = loaded.open(0).expect("open");
    assert_eq!(content.task.text.as_deref(), Some("Do it."));
    assert_eq!(content.trajectories[1].tests.len(), 2);
    assert!(loaded.open(1).expect("open").problems.is_empty());
}

#[test]
fn broken_steps_of_a_trajectory_are_shown_as_they_are() {
    let text = "{\"parent\":{\"schema_version\":\"ATIF-v1.5\",\"session_id\":\"s\",\"agent\":{\"name\":\"a\"},\
                \"continued_trajectory_ref\":\"gone.json\",\
                \"steps\":[{\"step_id\":1,\"source\":\"user\",\"message\":\"u\"},7,\
                {\"step_id\":3,\"source\":\"agent\",\"message\":{\"x\":1},\"tool_calls\":5},\
                {\"step_id\":9,\"source\":\"agent\",\"message\":\"end\",\"tool_calls\":[{\"tool_call_id\":\"c\",\
                \"function_name\":\"f\",\"arguments\":\"{not json\"}],\
                \"observation\":{\"results\":[{\"source_call_id\":null,\"content\":\"seen\"}]}}]},\
                \"child\":{\"schema_version\":\"ATIF-v1.5\",\"session_id\":\"c\",\"agent\":{\"name\":\"b\"},\
                \"steps\":[{\"step_id\":1,\"source\":\"user\",\"message\":\"child\"}]}}";
    let none = "{\"schema_version\":\"ATIF-v1.5\",\"agent\":{},\"steps\":null}";
    let (loaded, _root) = load_folder(&[("x.json", text.as_bytes()), ("y.json", none.as_bytes())]);
    has_problem(&loaded, None, "steps: element 2: expected an object");
    has_problem(
        &loaded,
        None,
        "steps: element 3: tool_calls: expected a list",
    );
    has_problem(&loaded, None, "the trace cannot be read: steps");
    assert_eq!(loaded.problems.len(), 3, "{:?}", loaded.problems);
    assert_eq!(loaded.groups.len(), 1);
    let trajectory = &loaded.groups[0].trajectories[0];
    for mark in [
        "continued in gone.json, which is not there",
        "step ids are not 1, 2, 3, …",
    ] {
        assert!(
            trajectory.marks.iter().any(|m| m == mark),
            "{:?}",
            trajectory.marks
        );
    }
    let content = loaded.open(0).expect("open");
    let texts: Vec<&str> = content.trajectories[0]
        .steps
        .iter()
        .map(|s| s.text.as_str())
        .collect();
    assert_eq!(texts[1], "7");
    assert_eq!(
        texts[3..],
        [
            "end",
            "{not json",
            "seen",
            "[sub-agent in x.json: child]",
            "child"
        ]
    );
}

#[test]
fn a_log_of_messages_is_a_trace() {
    let result = trial(
        "x",
        ",\"verifier_result\":{\"rewards\":{\"reward\":1}},\
        \"exception_info\":{\"exception_type\":\"AgentTimeoutError\",\"exception_message\":\"too slow\"}",
    );
    let log = "starting\n\
        {\"type\":\"system\",\"subtype\":\"init\"}\n\
        {\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"I look.\"},\
        {\"type\":\"tool_use\",\"id\":\"u1\",\"name\":\"Bash\",\"input\":{\"command\":\"ls\"}}]}}\n\
        {\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"u1\",\"content\":\"a.py\"}]}}\n";
    let (loaded, _root) = load_folder(&[
        ("job/x/result.json", result.as_bytes()),
        ("job/x/agent/claude-code.txt", log.as_bytes()),
    ]);
    assert_eq!(problems(&loaded), []);
    let trajectory = &loaded.groups[0].trajectories[0];
    assert!(trajectory.truncated && trajectory.outcome.is_pass());
    let content = loaded.open(0).expect("open");
    let steps: Vec<(StepKind, Option<&str>)> = content.trajectories[0]
        .steps
        .iter()
        .map(|step| (step.kind(), step.call_id.as_deref()))
        .collect();
    assert_eq!(
        steps,
        [
            (StepKind::Other, None),
            (StepKind::Other, None),
            (StepKind::Message, None),
            (StepKind::ToolCall, Some("u1")),
            (StepKind::Observation, Some("u1")),
            (StepKind::Other, None),
        ]
    );
    // The exception is shown behind the trace and counted with it.
    assert_eq!(trajectory.steps, Some(6));
    assert!(
        content.trajectories[0].steps[5]
            .text
            .starts_with("AgentTimeoutError: too slow")
    );
}

#[test]
fn trajectories_as_lines_are_rollouts_of_their_own() {
    let line = |session: &str| {
        format!(
            "{{\"schema_version\":\"ATIF-v1.6\",\"session_id\":\"{session}\",\"agent\":{{\"name\":\"a\"}},\
             \"steps\":[{{\"step_id\":1,\"source\":\"user\",\"message\":\"m\"}}]}}\n"
        )
    };
    let text = [
        line("s"),
        "{\"schema_version\":\"ATIF-v1.6\",\n".to_owned(),
        line("s"),
    ]
    .concat();
    let (loaded, _root) = load_folder(&[("t.cont-1.jsonl", text.as_bytes())]);
    has_problem(&loaded, Some(2), "EOF");
    assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
    let ids: Vec<&str> = loaded.groups[0]
        .trajectories
        .iter()
        .map(|t| t.id.as_str())
        .collect();
    assert_eq!(ids, ["t.cont-1:1", "t.cont-1:3"]);
    assert!(loaded.open(0).expect("open").problems.is_empty());
}

#[test]
fn a_trial_takes_the_submission_in_its_trace() {
    let result = trial("x", ",\"verifier_result\":{\"rewards\":{\"reward\":1}}");
    let patch = "diff --git a/a b/a\\n--- a/a\\n+++ b/a\\n@@ -1 +1 @@\\n-a\\n+b\\n";
    let trace = format!(
        "{{\"info\":{{\"exit_status\":\"Submitted\",\"submission\":\"{patch}\",\"model_stats\":{{\"instance_cost\":0.5}}}},\
         \"trajectory_format\":\"mini-swe-agent-1\",\"messages\":[{{\"role\":\"system\",\"content\":\"s\"}},\
         {{\"role\":\"user\",\"content\":\"Do it.\"}},{{\"role\":\"assistant\",\"content\":\"ok\"}}]}}"
    );
    let (loaded, _root) = load_folder(&[
        ("job/x/result.json", result.as_bytes()),
        (
            "job/x/agent/mini-swe-agent.trajectory.json",
            trace.as_bytes(),
        ),
    ]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(loaded.groups.len(), 1, "{:?}", loaded.groups);
    let trajectory = &loaded.groups[0].trajectories[0];
    assert_eq!(trajectory.marks, ["patch from the submission in the trace"]);
    assert_eq!((trajectory.patch.added, trajectory.steps), (1, Some(3)));
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    assert_eq!(content.trajectories[0].steps.len(), 3);
    let opened = content.trajectories[0].patch.as_deref().expect("patch");
    assert_eq!(opened, patch.replace("\\n", "\n"));
}

#[test]
fn sub_agents_in_files_of_their_own_are_shown_behind_their_run() {
    let document = |session: &str, steps: &str| {
        format!(
            "{{\"schema_version\":\"ATIF-v1.7\",\"session_id\":\"{session}\",\"agent\":{{\"name\":\"a\"}},\
             \"steps\":[{steps}]}}"
        )
    };
    let refers = "{\"step_id\":1,\"source\":\"system\",\"message\":\"handed over\",\"observation\":{\"results\":[\
        {\"subagent_trajectory_ref\":[{\"session_id\":\"s-1\",\"trajectory_path\":\"t.summary.json\",\"extra\":{\"summary\":\"in short\"}},\
        {\"session_id\":\"s-2\"},{\"session_id\":\"s-3\",\"trajectory_path\":\"t.gone.json\"}]}]}}";
    let step =
        |text: &str| format!("{{\"step_id\":1,\"source\":\"agent\",\"message\":\"{text}\"}}");
    let (main, one, two) = (
        document("s", refers),
        document("s-1", &step("one")),
        document("s-2", &step("two")),
    );
    let (loaded, _root) = load_folder(&[
        ("d/t.json", main.as_bytes()),
        ("d/t.summary.json", one.as_bytes()),
        ("d/u.json", two.as_bytes()),
    ]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(loaded.groups.len(), 1);
    let trajectory = &loaded.groups[0].trajectories[0];
    assert!(
        trajectory
            .marks
            .contains(&"1 sub-agent trajectories are not there".to_owned()),
        "{:?}",
        trajectory.marks
    );
    let content = loaded.open(0).expect("open");
    let texts: Vec<&str> = content.trajectories[0]
        .steps
        .iter()
        .map(|s| s.text.as_str())
        .collect();
    assert_eq!(
        texts,
        [
            "handed over",
            "[sub-agent t.summary.json: in short]",
            "[sub-agent s-2]",
            "[sub-agent t.gone.json]",
            "[sub-agent in t.summary.json]",
            "one",
            "[sub-agent in u.json]",
            "two"
        ]
    );
    assert_eq!(trajectory.steps, Some(8));
}
