//! OpenHands: rows of benchmarks and of the issue resolver, and conversations.

use gagar::domain::{Outcome, StepKind};
use gagar::formats::LoadedSet;

use super::{has_problem, load_all, load_folder, problems, real_data, sample};

/// (group, rollout, outcome, steps) of everything loaded.
fn shown(loaded: &LoadedSet) -> Vec<(&str, &str, &str, u32)> {
    loaded
        .groups
        .iter()
        .flat_map(|group| group.trajectories.iter().map(move |t| (group, t)))
        .map(|(group, t)| {
            let steps = t.steps.unwrap_or(0);
            (group.id.as_str(), t.id.as_str(), t.outcome.word(), steps)
        })
        .collect()
}

/// Opens every group: no problem, and as many steps as the index says.
fn check_opened(loaded: &LoadedSet) {
    for (index, group) in loaded.groups.iter().enumerate() {
        let content = loaded.open(index).expect("open");
        assert_eq!(content.problems, Vec::<String>::new(), "{}", group.id);
        for (trajectory, content) in group.trajectories.iter().zip(&content.trajectories) {
            let steps = trajectory.steps.unwrap_or(0) as usize;
            assert_eq!(content.steps.len(), steps, "{}", trajectory.id);
        }
    }
}

#[test]
fn real_rows_and_events_are_read_whole() {
    let Some(data) = real_data() else { return };
    let root = data.join("formats/openhands");
    let parts = ["eval-output", "resolver-output", "sdk-events"].map(|part| root.join(part));
    let loaded = load_all(&parts);
    assert_eq!(problems(&loaded), []);
    let no_report = "no report beside the traces: 1 trajectory is unscored";
    assert_eq!(loaded.notes.len(), 1, "{:?}", loaded.notes);
    assert_eq!(loaded.notes[0].reason, no_report);
    assert_eq!(
        shown(&loaded),
        [
            ("neubig/pr-viewer#5", "resolver-output", "unscored", 11),
            ("ponylang__ponyc-4595", "eval-output", "unscored", 70),
            // One of its two thoughts only repeats the reasoning beside it.
            ("sdk-events", "events", "unscored", 13),
        ]
    );
    check_opened(&loaded);
    let content = loaded.open(0).expect("open");
    let patch = content.trajectories[0].patch.as_deref().expect("patch");
    // Carriage returns are kept as recorded.
    assert_eq!(patch.matches("\r\n").count(), patch.matches('\n').count());
    assert!(patch.matches("\r\n").count() > 20);
    let marks = &loaded.groups[0].trajectories[0].marks;
    assert!(
        marks
            .iter()
            .any(|m| m == "no tests: the agent itself says success"),
        "{marks:?}"
    );
    let pony = &loaded.groups[1];
    let trajectory = &pony.trajectories[0];
    assert_eq!(
        (
            trajectory.input_tokens,
            trajectory.output_tokens,
            trajectory.cost_usd
        ),
        (Some(565_158), Some(2558), Some(0.0))
    );
    assert_eq!(
        trajectory.policy.as_deref(),
        Some("CodeActAgent openai/openrouter-llama-4-maverick")
    );
    assert_eq!((trajectory.patch.files, trajectory.patch.added), (1, 1));
    assert!(pony.task.base_commit.is_some() && !pony.task.has_reference);
    assert_eq!(pony.task.repo.as_deref(), Some("ponylang/ponyc"));
    let content = loaded.open(1).expect("open");
    let kinds = |kind: StepKind| {
        let steps = content.trajectories[0].steps.iter();
        steps.filter(|step| step.kind() == kind).count()
    };
    assert_eq!(
        (
            kinds(StepKind::System),
            kinds(StepKind::User),
            kinds(StepKind::ToolCall),
            kinds(StepKind::Observation),
            kinds(StepKind::Submit)
        ),
        (1, 1, 21, 23, 1)
    );
    assert_eq!(
        loaded.groups[2].trajectories[0].policy.as_deref(),
        Some("litellm_proxy/minimax-m2.7")
    );
}

#[test]
fn the_sample_has_every_history_and_every_verdict() {
    let loaded = load_all(&[sample("formats/openhands")]);
    assert_eq!(problems(&loaded), []);
    assert!(loaded.foreign.is_empty(), "{:?}", loaded.foreign);
    let run = |version: &str, run: u32| format!("quill-8b_maxiter_30_N_v{version}-run_{run}");
    let (one, two, three) = (run("1.0", 1), run("1.0", 2), run("1.1", 1));
    let first = format!("{one}@1");
    assert_eq!(
        shown(&loaded),
        [
            ("acme-talk", "acme-talk", "unscored", 7),
            ("acme/buoy#9", "resolver", "unscored", 4),
            ("acme__kelp-farm-3", one.as_str(), "pass", 5),
            ("acme__kelp-farm-3", two.as_str(), "fail", 3),
            ("acme__kelp-farm-3", three.as_str(), "unscored", 7),
            ("acme__kelp-farm-3", first.as_str(), "unscored", 5),
            ("acme__kelp-farm-4", three.as_str(), "unscored", 0),
        ]
    );
    check_opened(&loaded);
    let marks = |group: usize, rollout: usize| {
        let trajectory = &loaded.groups[group].trajectories[rollout];
        trajectory.marks.join("; ")
    };
    assert!(
        marks(2, 2).contains("the evaluation failed"),
        "{}",
        marks(2, 2)
    );
    assert!(marks(2, 3).contains("attempt 1, not the one handed in"));
    assert!(marks(3, 0).contains("error: RuntimeError: Agent reached maximum iteration"));
    assert!(loaded.groups[3].trajectories[0].truncated);
    let talk = &loaded.groups[0].trajectories[0];
    assert_eq!(
        (
            talk.output_tokens,
            talk.policy.as_deref(),
            talk.exit_status.as_deref()
        ),
        (Some(77), Some("acme/quill-8b"), Some("finished"))
    );
    let content = loaded.open(2).expect("open");
    assert!(
        content
            .task
            .text
            .as_deref()
            .expect("task")
            .starts_with("Empty beds")
    );
    assert!(content.task.reference_patch.is_some());
    assert_eq!(content.task.fail_to_pass, ["test_beds.py::test_empty"]);
    let sdk: Vec<(StepKind, &str)> = content.trajectories[2]
        .steps
        .iter()
        .map(|step| (step.kind(), step.text.as_str()))
        .collect();
    assert_eq!(
        sdk[2],
        (StepKind::Reasoning, "max(1, ...) hides the empty case.")
    );
    assert_eq!(sdk[3], (StepKind::Message, "One line is wrong."));
    assert_eq!(sdk[4].0, StepKind::ToolCall);
    assert_eq!(
        sdk[6],
        (StepKind::Observation, "tool `brwose` is not known")
    );
    let call = &content.trajectories[0].steps[2];
    assert_eq!(
        (
            call.kind(),
            call.text.as_str(),
            call.tool.as_deref(),
            call.call_id.as_deref()
        ),
        (
            StepKind::ToolCall,
            "cat beds.py",
            Some("execute_bash"),
            Some("k1")
        )
    );
    assert_eq!(call.tokens, Some(41));
    assert_eq!(content.trajectories[0].steps[3].exit_code, Some(0));
    let patch = loaded.open(1).expect("open").trajectories[0].patch.clone();
    assert!(patch.expect("patch").contains("\r\n+twice\r\n"));
}

fn row(id: &str, patch: &str, rest: &str) -> String {
    format!("{{\"instance_id\":\"{id}\",\"test_result\":{{\"git_patch\":{patch}}}{rest}}}\n")
}

const PATCH: &str = "\"diff --git a/a b/a\\n--- a/a\\n+++ b/a\\n@@ -1 +1 @@\\n-a\\n+b\\n\"";

#[test]
fn reports_beside_the_rows_are_joined() {
    let rows = [
        row("a__b-1", PATCH, ""),
        row("a__b-2", PATCH, ""),
        row("a__b-3", "null", ""),
    ]
    .concat();
    let report = "{\"resolved_ids\":[\"a__b-1\"],\"unresolved_ids\":[\"a__b-2\"],\"empty_patch_ids\":[\"a__b-3\"]}";
    let evaluated = [
        row(
            "a__b-1",
            PATCH,
            ",\"report\":{\"resolved\":false,\"test_timeout\":true}",
        ),
        row("a__b-2", PATCH, ",\"report\":{\"resolved\":true}"),
    ]
    .concat();
    let (loaded, _root) = load_folder(&[
        ("one_N_run_1/output.jsonl", rows.as_bytes()),
        ("one_N_run_1/report.json", report.as_bytes()),
        ("two_N_run_1/output.jsonl", rows.as_bytes()),
        (
            "two_N_run_1/output.swebench_eval.jsonl",
            evaluated.as_bytes(),
        ),
    ]);
    assert_eq!(problems(&loaded), []);
    let shown: Vec<(&str, &str, &str)> = shown(&loaded)
        .into_iter()
        .map(|(group, id, word, _)| (group, id, word))
        .collect();
    assert_eq!(
        shown,
        [
            ("a__b-1", "one_N_run_1", "pass"),
            ("a__b-1", "two_N_run_1", "fail"),
            ("a__b-2", "one_N_run_1", "fail"),
            ("a__b-2", "two_N_run_1", "pass"),
            ("a__b-3", "one_N_run_1", "fail"),
            ("a__b-3", "two_N_run_1", "unscored"),
        ]
    );
    let marks = loaded.groups[0].trajectories[1].marks.join("; ");
    assert!(marks.contains("the tests ran into a timeout"), "{marks}");
    assert_eq!(loaded.open(0).expect("open").problems, Vec::<String>::new());
}

#[test]
fn rows_converted_for_the_harness_are_no_further_run() {
    let spaced = PATCH.replacen("\"diff", "\"\\ndiff", 1);
    let rows = [row("a__b-1", &spaced, ""), row("a__b-2", &spaced, "")].concat();
    let converted = |id: &str| {
        format!(
            "{{\"instance_id\":\"{id}\",\"model_name_or_path\":\"m\",\"model_patch\":{PATCH}}}\n"
        )
    };
    let converted = [converted("a__b-1"), converted("a__b-2")].concat();
    let report = "{\"resolved_ids\":[\"a__b-1\"],\"unresolved_ids\":[\"a__b-2\"]}";
    let (loaded, _root) = load_folder(&[
        ("r/output.jsonl", rows.as_bytes()),
        ("r/output.swebench.jsonl", converted.as_bytes()),
        ("r/report.json", report.as_bytes()),
    ]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(
        shown(&loaded),
        [("a__b-1", "r", "pass", 0), ("a__b-2", "r", "fail", 0)]
    );
    let content = loaded.open(0).expect("open");
    let patch = content.trajectories[0].patch.as_deref().expect("patch");
    assert!(patch.starts_with("\ndiff"), "kept as recorded");
}

#[test]
fn broken_rows_between_good_ones_are_told() {
    let rows = [
        row("a__b-1", PATCH, ",\"history\":[{\"action\":\"run\",\"args\":{\"command\":\"ls\"}},5,{\"odd\":1}],\"instance\":{\"x\":NaN}"),
        "{\"instance_id\":\"a__b-2\",\"test_result\":{\"git_patch\":\n".to_owned(),
        row("a__b-3", "7", ",\"metrics\":{\"accumulated_cost\":\"much\"},\"history\":null"),
        row("a__b-4", PATCH, ",\"metadata\":null,\"error\":\"gone\",\"attempt\":1"),
        row("a__b-4", "\"\"", ",\"attempt\":2"),
        "{\"git_patch\":\"x\",\"history\":[],\"success\":true}\n".to_owned(),
    ]
    .concat();
    let (loaded, _root) = load_folder(&[("r/output.jsonl", rows.as_bytes())]);
    has_problem(&loaded, Some(1), "history: element 2: ");
    has_problem(&loaded, Some(2), "EOF");
    has_problem(&loaded, Some(3), "git_patch: expected a text, found 7");
    has_problem(&loaded, Some(3), "accumulated_cost: expected a number");
    has_problem(&loaded, Some(6), "neither instance_id nor issue");
    assert_eq!(
        shown(&loaded),
        [
            ("a__b-1", "r", "unscored", 3),
            ("a__b-3", "r", "unscored", 0),
            ("a__b-4", "r", "unscored", 0),
            ("a__b-4", "r@1", "unscored", 0),
        ]
    );
    let content = loaded.open(0).expect("open");
    let steps: Vec<(StepKind, &str)> = content.trajectories[0]
        .steps
        .iter()
        .map(|step| (step.kind(), step.text.as_str()))
        .collect();
    assert_eq!(
        steps,
        [
            (StepKind::ToolCall, "ls"),
            (StepKind::Other, "5"),
            (StepKind::Other, "{\"odd\": 1}")
        ]
    );
}

#[test]
fn a_trial_takes_the_conversation_in_its_folder() {
    let result = "{\"task_name\":\"t\",\"trial_name\":\"t__x\",\"agent_info\":{\"name\":\"openhands\"},\
                  \"verifier_result\":{\"rewards\":{\"reward\":1}}}";
    let events = "[{\"id\":0,\"timestamp\":\"1\",\"source\":\"user\",\"action\":\"message\",\"args\":{\"content\":\"Do it.\"}},\
                  {\"id\":1,\"timestamp\":\"2\",\"source\":\"agent\",\"action\":\"finish\",\"args\":{\"final_thought\":\"Done.\"}}]";
    let (loaded, _root) = load_folder(&[
        ("job/t__x/result.json", result.as_bytes()),
        (
            "job/t__x/agent/openhands.trajectory.json",
            events.as_bytes(),
        ),
    ]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(shown(&loaded), [("t", "t__x", "pass", 2)]);
    assert_eq!(loaded.groups[0].trajectories[0].outcome, Outcome::Pass);
    check_opened(&loaded);
    let content = loaded.open(0).expect("open");
    assert_eq!(content.task.text.as_deref(), Some("Do it."));
}
