//! Results and training data with chat messages: verifiers, prime-rl, rLLM, NeMo RL; and patch lists.

use gagar::domain::{Outcome, PatchPresence, StepKind};
use gagar::formats::LoadedSet;

use super::{has_problem, load_all, load_folder, problems, real_data, rows, sample};

/// A patch, as the inside of a JSON text.
const PATCH: &str = "diff --git a/a b/a\\n--- a/a\\n+++ b/a\\n@@ -1 +1 @@\\n-a\\n+b\\n";

/// Opens every group; steps and patches equal the index.
fn open_all(loaded: &LoadedSet) {
    for (index, group) in loaded.groups.iter().enumerate() {
        let content = loaded.open(index).expect("open");
        assert_eq!(content.problems, Vec::<String>::new(), "{}", group.id);
        for (t, content) in group.trajectories.iter().zip(&content.trajectories) {
            assert_eq!(
                t.steps.unwrap_or(0) as usize,
                content.steps.len(),
                "{}",
                t.id
            );
            let bytes = content.patch.as_ref().map_or(0, String::len) as u64;
            assert_eq!(t.patch.bytes, bytes, "{}", t.id);
        }
    }
}

#[test]
fn real_verifiers_results_are_grouped_by_example() {
    let Some(data) = real_data() else { return };
    let loaded = load_all(&[data.join("formats/verifiers")]);
    assert_eq!(problems(&loaded), []);
    assert!(loaded.foreign.is_empty());
    type Verdicts = Vec<(Outcome, Option<f64>)>;
    let shown: Vec<(&str, Verdicts)> = loaded
        .groups
        .iter()
        .map(|group| {
            let of = group.trajectories.iter().map(|t| (t.outcome, t.reward));
            (group.id.as_str(), of.collect())
        })
        .collect();
    use Outcome::{Fail, Pass};
    let expected = [
        ("example-0", vec![(Pass, Some(1.0))]),
        (
            "synthetic-arith/0",
            vec![(Pass, Some(1.0)), (Fail, Some(0.2)), (Pass, Some(0.8))],
        ),
        (
            "synthetic-arith/1",
            vec![(Fail, Some(0.2)), (Pass, Some(1.0))],
        ),
    ];
    assert_eq!(shown, expected);
    let first = &loaded.groups[1].trajectories[0];
    assert_eq!(first.policy.as_deref(), Some("synthetic/test-model"));
    assert_eq!((first.output_tokens, first.wall_ms), (Some(14), Some(1200)));
    let kept = |key: &str| first.meta.0.iter().any(|(name, _)| name == key);
    assert!(kept("judge_notes") && kept("metrics.format_reward"));
    open_all(&loaded);
    let content = loaded.open(0).expect("open");
    let kinds: Vec<_> = content.trajectories[0]
        .steps
        .iter()
        .map(|s| s.kind())
        .collect();
    use StepKind::{Message, Observation, ToolCall, User};
    assert_eq!(kinds, [User, ToolCall, Observation, Message]);
}

#[test]
fn real_patch_lists_equal_their_lists() {
    let Some(data) = real_data() else { return };
    let loaded = load_all(&[data.join("formats/trae-patch-selection")]);
    assert_eq!(problems(&loaded), []);
    let group = &loaded.groups[0];
    assert_eq!(group.id.as_str(), "astropy__astropy-14369");
    let passed: Vec<bool> = group
        .trajectories
        .iter()
        .map(|t| t.outcome.is_pass())
        .collect();
    let (n, y) = (false, true);
    assert_eq!(passed, [n, y, y, n, y, y, y, n, y, y]);
    assert_eq!(group.trajectories[0].patch.presence, PatchPresence::Empty);
    let content = loaded.open(0).expect("open");
    let lengths: Vec<usize> = content
        .trajectories
        .iter()
        .map(|t| t.patch.as_ref().map_or(0, |patch| patch.chars().count()))
        .collect();
    assert_eq!(
        lengths,
        [0, 10348, 9109, 628, 8802, 12416, 9064, 935, 9124, 2779]
    );
    assert!(
        content
            .task
            .text
            .is_some_and(|text| text.starts_with("Incorrect units"))
    );

    let loaded = load_all(&[data.join("formats/augment-ensembler")]);
    assert_eq!(problems(&loaded), []);
    let sizes: Vec<usize> = loaded.groups.iter().map(|g| g.trajectories.len()).collect();
    assert_eq!(sizes, [3, 3]);
    assert!(
        loaded.groups[0]
            .trajectories
            .iter()
            .all(|t| t.patch.presence == PatchPresence::Diff)
    );
    let passed: Vec<bool> = loaded.groups[0]
        .trajectories
        .iter()
        .map(|t| t.outcome.is_pass())
        .collect();
    assert_eq!(passed, [y, n, n]);
    open_all(&loaded);
}

#[test]
fn lists_of_different_length_are_told() {
    let line = |patches: &str, verdicts: &str| {
        format!(
            "{{\"instance_id\":\"t\",\"issue\":\"i\",\"patches\":[{patches}],\"success_id\":[{verdicts}]}}\n"
        )
    };
    let three = format!("\"{PATCH}\",null,5");
    let text = [
        line(&three, "1"),
        line("\"\"", "0,1"),
        line("\"\"", "\"so\""),
    ]
    .concat();
    let moatless = format!(
        "{{\"t__1\":{{\"true\":[[{{\"role\":\"user\",\"content\":\"Fix\"}},{{\"role\":\"assistant\",\
         \"content\":\"{PATCH}\"}}]],\"false\":[{{\"messages\":[{{\"role\":\"user\",\"content\":\"Fix\"}}]}},\
         {{\"messages\":[5]}}]}},\"t__2\":{{\"true\":[],\"false\":[{{\"role\":\"user\",\"content\":\"Fix\"}}]}}}}"
    );
    let (loaded, _root) = load_folder(&[
        ("a.jsonl", text.as_bytes()),
        ("b.json", moatless.as_bytes()),
    ]);
    let shown = rows(&loaded);
    assert_eq!(shown[0], "t/candidate-0 pass 1 []");
    assert_eq!(
        shown[1],
        "t/candidate-1 unscored - [no verdict in success_id; no patch recorded]"
    );
    has_problem(&loaded, Some(1), "patches has 3 elements, success_id has 1");
    has_problem(
        &loaded,
        Some(1),
        "patches: element 3: expected a text, found 5",
    );
    has_problem(&loaded, Some(2), "patches has 1 elements, success_id has 2");
    has_problem(
        &loaded,
        Some(3),
        "success_id: element 1: \"so\" is no reward and no verdict",
    );
    let of = |id: &str| {
        shown
            .iter()
            .filter(|row| row.starts_with(id))
            .cloned()
            .collect::<Vec<_>>()
    };
    let expected = [
        "t__1/pass-0 pass 1 [patch cut from the text]",
        "t__1/fail-0 fail 0 [no patch found in the text]",
        "t__1/fail-1 fail 0 []",
    ];
    assert_eq!(of("t__1"), expected);
    assert_eq!(
        of("t__2"),
        ["t__2/fail-0 fail 0 [no patch found in the text]"]
    );
    has_problem(
        &loaded,
        None,
        "answer: element 1: expected an object, found 5",
    );
}

#[test]
fn verifiers_errors_are_unscored_and_steps_told_apart() {
    let line = |example: u32, more: &str| {
        format!(
            "{{\"example_id\":{example},\"prompt\":[{{\"role\":\"user\",\"content\":\"Fix\"}}],\
             \"completion\":[{{\"role\":\"assistant\",\"content\":\"{PATCH}\"}}],\"task\":\"swe\"{more}}}\n"
        )
    };
    let text = [
        line(
            3,
            ",\"reward\":1.0,\"info\":\"{\\\"a\\\":1}\",\"is_truncated\":true",
        ),
        line(
            3,
            ",\"reward\":0.0,\"error\":{\"error\":\"SandboxError\",\"error_chain_str\":\"x\"}",
        ),
        line(4, ",\"reward\":null"),
        "{\"example_id\":\n".to_owned(),
        line(4, ",\"reward\":0.0,\"error\":null,\"advantage\":-0.5"),
    ]
    .concat();
    let (loaded, _root) = load_folder(&[
        ("step_2/train_rollouts.jsonl", text.as_bytes()),
        (
            "step_3/train_rollouts.jsonl",
            line(3, ",\"reward\":1").as_bytes(),
        ),
    ]);
    let cut = "patch cut from the text";
    let expected = [
        format!("swe/3@2/line 1 pass 1 [{cut}]"),
        format!("swe/3@2/line 2 unscored - [error: SandboxError (reward 0); {cut}]"),
        format!("swe/3@3/line 1 pass 1 [{cut}]"),
        format!("swe/4@2/line 3 unscored - [{cut}]"),
        format!("swe/4@2/line 5 fail 0 [{cut}]"),
    ];
    assert_eq!(rows(&loaded), expected);
    assert!(loaded.groups[0].trajectories[0].truncated);
    assert_eq!(loaded.groups[1].step, Some(3));
    assert_eq!(
        loaded.groups[2].trajectories[1].recorded_advantage,
        Some(-0.5)
    );
    has_problem(&loaded, Some(4), "not valid JSON");
    open_all(&loaded);
}

#[test]
fn prime_rl_episodes_follow_their_last_branch_and_load_once() {
    let message =
        |role: &str, text: &str| format!("{{\"role\":\"{role}\",\"content\":\"{text}\"}}");
    let node = |parent: &str, role: &str, text: &str| {
        format!(
            "{{\"parent\":{parent},\"message\":{},\"sampled\":true}}",
            message(role, text)
        )
    };
    let nodes = [
        node("null", "user", "Fix"),
        node("0", "assistant", "dead end"),
        node("0", "assistant", PATCH),
        node("2", "tool", "ok"),
    ];
    let trace = |nodes: &str, rewards: &str, more: &str| {
        format!(
            "{{\"id\":\"t\",\"agent\":\"solver\",\"nodes\":[{nodes}],\"rewards\":{rewards},\"ok\":true{more}}}"
        )
    };
    let episode = |id: &str, ok: bool, traces: &str| {
        format!(
            "{{\"id\":\"{id}\",\"env\":\"swe\",\"task\":{{\"key\":\"acme__x-1\"}},\"group\":{{\"id\":\"g7\"}},\
             \"ok\":{ok},\"errors\":[{{\"type\":\"Timeout\",\"message\":\"too late\"}}],\"traces\":[{traces}]}}\n"
        )
    };
    let rewards = "{\"tests\":{\"score\":1.0,\"weight\":0.75},\"style\":{\"score\":0.5,\"weight\":0.5},\"judge\":{\"score\":null,\"weight\":0.0}}";
    let good = trace(&nodes.join(","), rewards, "");
    let one = episode("e1", true, &good);
    let all = [
        one.clone(),
        episode(
            "e2",
            false,
            &trace(
                &nodes[..1].join(","),
                "{\"tests\":{\"score\":0.0,\"weight\":1.0}}",
                "",
            ),
        ),
        episode("e3", true, &trace(&node("5", "user", "Fix"), "{}", "")),
        episode(
            "e4",
            true,
            &format!("{good},{}", good.replace("solver", "critic")),
        ),
    ]
    .concat();
    let (loaded, _root) = load_folder(&[
        ("run/rollouts/step_5/train/all/traces.jsonl", all.as_bytes()),
        (
            "run/rollouts/step_5/train/effective/traces.jsonl",
            one.as_bytes(),
        ),
    ]);
    let cut = "2 branches; the last one is shown";
    let shown = rows(&loaded);
    let expected = [
        format!("g7@5/e1 pass 1 [patch cut from the text; {cut}]"),
        "g7@5/e2 unscored - [error: too late (reward 0); no patch found in the text]".to_owned(),
        "g7@5/e3 unscored - []".to_owned(),
        format!("g7@5 · critic/e4 pass 1 [patch cut from the text; {cut}]"),
        format!("g7@5 · solver/e4 pass 1 [patch cut from the text; {cut}]"),
    ];
    assert_eq!(shown, expected);
    let group = &loaded.groups[0];
    assert_eq!(group.step, Some(5));
    has_problem(
        &loaded,
        Some(3),
        "nodes: element 1: parent: expected an earlier node, found 5",
    );
    let notes: Vec<&str> = loaded.notes.iter().map(|n| n.reason.as_str()).collect();
    assert_eq!(
        notes,
        ["a subset of all/traces.jsonl: rollouts found in both are loaded once"]
    );
    let content = loaded.open(0).expect("open");
    let texts: Vec<&str> = content.trajectories[0]
        .steps
        .iter()
        .map(|s| s.text.as_str())
        .collect();
    assert_eq!((texts.len(), texts[0], texts[2]), (3, "Fix", "ok"));
}

#[test]
fn rllm_episodes_and_nemo_rl_columns_are_read() {
    let episode = |id: &str, inner: &str| {
        format!(
            "{{\"training_step\":12,\"task_hash\":\"0f3c\",\"episode_id\":\"{id}\",\"task\":{{\"question\":\"Fix it\"}},\
             \"is_correct\":true,\"trajectories\":[{{\"name\":\"agent\",{inner}}}]}}"
        )
    };
    let chat = format!(
        "\"reward\":0.0,\"steps\":[{{\"chat_completions\":[{{\"role\":\"user\",\"content\":\"Fix\"}}]}},\
         {{\"chat_completions\":[{{\"role\":\"user\",\"content\":\"Fix\"}},{{\"role\":\"assistant\",\"content\":\"{PATCH}\"}}]}}]"
    );
    let plain = "\"steps\":[{\"observation\":\"Fix\",\"thought\":\"hm\",\"action\":\"ls\",\"reward\":0.0,\"done\":false},\
                 {\"observation\":{\"out\":\"a.py\"},\"thought\":\"\",\"model_response\":\"done\"}]";
    let (loaded, _root) = load_folder(&[
        (
            "train_step_12_epoch_0/episode_hash0f3c_id1.json",
            episode("0f3c:1", &chat).as_bytes(),
        ),
        (
            "train_step_12_epoch_0/episode_hash0f3c_id2.json",
            episode("0f3c:2", plain).as_bytes(),
        ),
    ]);
    assert_eq!(problems(&loaded), []);
    let expected = [
        "0f3c@12/0f3c:1 fail 0 [patch cut from the text]",
        "0f3c@12/0f3c:2 pass 1 [no patch found in the text]",
    ];
    assert_eq!(rows(&loaded), expected);
    assert_eq!(loaded.groups[0].task.title.as_deref(), Some("Fix it"));
    open_all(&loaded);
    let content = loaded.open(0).expect("open");
    let kinds: Vec<_> = content.trajectories[1]
        .steps
        .iter()
        .map(|s| s.kind())
        .collect();
    use StepKind::{Message, Observation, Reasoning, ToolCall, User};
    assert_eq!(kinds, [User, Reasoning, ToolCall, Observation, Message]);

    let asked = "<|im_start|>user\\nFix<|im_end|>\\n<|im_start|>assistant\\n";
    let columns = format!(
        "{{\"content\":[\"{asked}{PATCH}\",\"{asked}no\",[\"Fix\",\"{PATCH}\"],\"no turns\"],\
         \"rewards\":[1.0,0.0,NaN],\"advantages\":[[0.0,0.7,0.7],-0.7,[0.1,0.2]],\"input_lengths\":[9,8,7,6]}}\n"
    );
    let row = format!(
        "{{\"content\":[\"{asked}again\"],\"rewards\":[0.5],\"advantages\":[[0.0,0.0]],\"idx\":31}}\n"
    );
    let text = [columns, row].concat();
    let (loaded, _root) = load_folder(&[("exp_001/train_data_step7.jsonl", text.as_bytes())]);
    let group = loaded
        .groups
        .iter()
        .find(|g| g.trajectories.len() == 3)
        .expect("the prompt's group");
    assert!(group.id.as_str().starts_with("step 7 · "));
    let shown: Vec<(&str, &str, Option<f64>)> = group
        .trajectories
        .iter()
        .map(|t| (t.id.as_str(), t.outcome.word(), t.recorded_advantage))
        .collect();
    let expected = [
        ("sample-0", "pass", Some(0.7)),
        ("sample-1", "fail", Some(-0.7)),
        ("sample-31", "pass", Some(0.0)),
    ];
    assert_eq!(shown, expected);
    let rest = rows(&loaded);
    let marks = "the reward is NaN; advantages differ between tokens: none is shown; patch cut from the text";
    assert!(
        rest.iter()
            .any(|row| row.ends_with(&format!("/sample-2 unscored - [{marks}]"))),
        "{rest:#?}"
    );
    assert!(
        rest.iter()
            .any(|row| row.contains("/sample-3 unscored") && row.contains("a group of its own"))
    );
    has_problem(&loaded, Some(1), "content has 4 elements, rewards has 3");
    open_all(&loaded);
}

#[test]
fn samples_load_as_their_table_says() {
    // (folder, pass, fail, unscored, what is told)
    let expected: &[(&str, [usize; 3], &[&str])] = &[
        ("verl", [3, 4, 0], &[]),
        ("trl", [2, 1, 1], &[]),
        ("areal", [1, 2, 0], &[]),
        ("skyrl", [1, 2, 0], &[]),
        ("slime", [1, 2, 1], &[]),
        ("nemo-rl", [2, 2, 0], &[]),
        ("rllm", [1, 2, 0], &[]),
        ("verifiers", [1, 3, 1], &[]),
        ("prime-rl", [1, 1, 1], &["a subset of all/traces.jsonl"]),
        ("patch-list", [4, 3, 0], &[]),
    ];
    for (folder, counts, told) in expected {
        let loaded = load_all(&[sample(&format!("formats/{folder}"))]);
        assert_eq!(problems(&loaded), [], "{folder}");
        assert_eq!(loaded.notes.len(), told.len(), "{folder}");
        for (note, word) in loaded.notes.iter().zip(*told) {
            assert!(note.reason.contains(word), "{folder}: {note}");
        }
        assert!(loaded.foreign.is_empty(), "{folder}: {:?}", loaded.foreign);
        let mut found = [0; 3];
        for trajectory in loaded.groups.iter().flat_map(|group| &group.trajectories) {
            found[match trajectory.outcome {
                Outcome::Pass => 0,
                Outcome::Fail => 1,
                Outcome::Unscored => 2,
            }] += 1;
        }
        assert_eq!(found, *counts, "{folder}");
        for (index, group) in loaded.groups.iter().enumerate() {
            let content = loaded.open(index).expect("open");
            assert!(content.task.text.is_some(), "{folder}: {}", group.id);
            assert!(group.trajectories.len() > 1, "{folder}: {}", group.id);
        }
        open_all(&loaded);
    }
}
