//! Dumps of RL trainers that hold decoded texts: verl, AReaL, SkyRL, slime, TRL.

use std::collections::BTreeSet;

use gagar::domain::{PatchPresence, StepKind};

use super::{has_problem, load_all, load_folder, problems, real_data, rows};

/// A patch, as the inside of a JSON text.
const PATCH: &str = "diff --git a/a b/a\\n--- a/a\\n+++ b/a\\n@@ -1 +1 @@\\n-a\\n+b\\n";

#[test]
fn real_verl_dumps_are_grouped_and_their_patches_cut() {
    let Some(data) = real_data() else { return };
    let loaded = load_all(&[data.join("constructed/verl")]);
    let shown = problems(&loaded);
    assert!(
        shown.iter().all(|(_, _, why)| why.contains("NaN")),
        "{shown:?}"
    );
    let groups: Vec<(Option<i64>, Vec<&str>)> = loaded
        .groups
        .iter()
        .map(|g| {
            (
                g.step,
                g.trajectories.iter().map(|t| t.outcome.word()).collect(),
            )
        })
        .collect();
    let (pass, fail) = ("pass", "fail");
    let expected = [
        (Some(2), vec![pass, fail, pass, pass, pass]),
        (Some(1), vec![pass, fail, fail, fail, fail]),
    ];
    assert_eq!(groups, expected);
    assert_eq!(
        loaded.groups[0].id.as_str(),
        "6f8a767f-ec87-b10b-5b43-89054d033cf6@2"
    );
    assert!(loaded.groups[1].id.as_str().starts_with("step 1 · "));
    // The dumps were written from these rollouts, with the patch in a fence at the end.
    let sources = load_all(&[data.join("formats/nemo-gym/anyswe")]);
    let patches: BTreeSet<String> = (0..sources.groups.len())
        .flat_map(|index| sources.open(index).expect("open").trajectories)
        .filter_map(|trajectory| trajectory.patch)
        .collect();
    for (index, group) in loaded.groups.iter().enumerate() {
        let content = loaded.open(index).expect("open");
        assert_eq!(content.problems, Vec::<String>::new());
        assert!(
            content
                .task
                .text
                .is_some_and(|text| text.starts_with("Modeling's"))
        );
        for (trajectory, content) in group.trajectories.iter().zip(&content.trajectories) {
            let patch = content.patch.as_deref().expect("a patch");
            let with_end = format!("{}\n", patch.trim_end_matches('\n'));
            let same =
                |source: &&String| format!("{}\n", source.trim_end_matches('\n')) == with_end;
            assert!(
                patches.iter().any(|source| same(&source)),
                "{}",
                trajectory.id
            );
            assert_eq!(trajectory.patch.presence, PatchPresence::Diff);
            assert!(
                trajectory
                    .marks
                    .iter()
                    .any(|mark| mark == "patch cut from the text")
            );
            assert_eq!(
                Some(content.steps.len()),
                trajectory.steps.map(|n| n as usize)
            );
            let calls = content
                .steps
                .iter()
                .filter(|s| s.kind() == StepKind::ToolCall);
            let answers = content
                .steps
                .iter()
                .filter(|s| s.kind() == StepKind::Observation);
            assert!(calls.count() > 1 && answers.count() > 1);
        }
    }
}

#[test]
fn verl_lines_survive_what_its_writer_does() {
    let line = |output: &str, more: &str| {
        format!(
            "{{\"input\":\"user\\nFix it\\nassistant\\n\",\"output\":\"{output}\",\"gts\":null{more}}}\n"
        )
    };
    let text = [
        line("no diff here", ",\"score\":NaN,\"acc\":NaN"),
        line(
            &format!("so\\n{PATCH}Done."),
            ",\"score\":-0.25,\"extra\":\"<Obj at 0x1>\"",
        ),
        "{\"input\":\"x\",\"output\":\n".to_owned(),
        line("x", ",\"score\":\"high\""),
        line("x", ",\"score\":1,\"step\":9,\"uid\":\"s_1\""),
        line(
            &format!("```diff\\n{PATCH}```"),
            ",\"score\":1,\"step\":9,\"uid\":\"s_1_2\"",
        ),
        line("x", ",\"score\":0,\"step\":9,\"uid\":\"s_0_0\""),
    ]
    .concat();
    let (loaded, _root) = load_folder(&[
        ("run/12.jsonl", text.as_bytes()),
        ("run/13.jsonl", b""),
        ("other/12.jsonl", line("x", ",\"score\":1").as_bytes()),
    ]);
    let name = &loaded
        .groups
        .iter()
        .find(|g| g.step == Some(12))
        .expect("step 12")
        .id;
    assert!(name.as_str().starts_with("step 12 · "), "{name}");
    let shown = rows(&loaded);
    let none = "no patch found in the text";
    let cut = "patch cut from the text";
    let expected = [
        "s@9/0_0 fail 0 [no patch found in the text]".to_owned(),
        format!("s@9/1_2 pass 1 [{cut}]"),
        format!("s_1@9/line 5 pass 1 [{none}]"),
        format!("{name}/line 1 pass 1 [{none}]"),
    ];
    assert_eq!(shown[..4], expected);
    // The other folder's step 12 is another run's.
    let expected = [
        format!("line 1 unscored - [the reward is NaN; {none}]"),
        format!("line 2 fail -0.25 [{cut}]"),
        format!("line 4 unscored - [{none}]"),
    ];
    for (row, end) in shown[4..].iter().zip(expected) {
        assert!(
            row.starts_with(&format!("{name} (")) && row.ends_with(&format!("/{end}")),
            "{row}"
        );
    }
    let kept = &loaded.groups.last().expect("a group").trajectories[1]
        .meta
        .0;
    assert_eq!(kept, &[("extra".to_owned(), "\"<Obj at 0x1>\"".to_owned())]);
    has_problem(&loaded, Some(3), "not valid JSON");
    has_problem(
        &loaded,
        Some(4),
        "score: \"high\" is no reward and no verdict",
    );
    has_problem(&loaded, None, "the file is empty");
    let content = loaded.open(0).expect("open");
    assert_eq!(content.task.text.as_deref(), Some("Fix it"));
    assert_eq!(
        content.trajectories[1].patch.as_deref(),
        Some(PATCH.replace("\\n", "\n").as_str())
    );
}

#[test]
fn areal_skyrl_slime_and_trl_are_grouped_by_their_keys() {
    let areal = |index: u32| {
        format!(
            "{{\"task_id\":7,\"sample_idx\":{index},\"seqlen\":30,\"prompt_len\":10,\"head_version\":3,\
             \"tail_version\":4,\"reward\":{index}.0,\"prompt\":\"Fix\",\"completion\":\"{PATCH}\"}}\n"
        )
    };
    let (loaded, _root) =
        load_folder(&[("run/3/7.jsonl", [areal(1), areal(0)].concat().as_bytes())]);
    assert_eq!(problems(&loaded), []);
    let cut = "[patch cut from the text]";
    let expected = [
        format!("7@3/sample-0 fail 0 {cut}"),
        format!("7@3/sample-1 pass 1 {cut}"),
    ];
    assert_eq!(rows(&loaded), expected);
    let tokens = loaded.groups[0].trajectories[0].clone();
    assert_eq!(
        (tokens.input_tokens, tokens.output_tokens),
        (Some(10), Some(20))
    );

    let skyrl = |score: &str, why: &str, extras: &str| {
        format!(
            "{{\"input_prompt\":[{{\"role\":\"user\",\"content\":\"Fix\"}}],\"output_response\":\"{PATCH}\",\
             \"score\":{score},\"stop_reason\":\"{why}\",\"env_class\":\"swe\",\"env_extras\":{extras},\
             \"data_source\":\"acme\"}}\n"
        )
    };
    let text = [
        skyrl("[0.0,0.0,1.0]", "stop", "{\"instance_id\":\"a__b-1\"}"),
        skyrl("0.0", "length", "{\"instance_id\":\"a__b-1\"}"),
        skyrl("[0.5,\"x\"]", "stop", "null"),
    ];
    let (loaded, _root) =
        load_folder(&[("global_step_40_evals/acme.jsonl", text.concat().as_bytes())]);
    let shown = rows(&loaded);
    assert_eq!(
        shown[0],
        "a__b-1@40/line 1 pass 1 [score summed over 3 tokens; patch cut from the text]"
    );
    assert_eq!(shown[1], format!("a__b-1@40/line 2 fail 0 {cut}"));
    assert!(loaded.groups[0].trajectories[1].truncated);
    assert!(
        shown[2].starts_with("step 40 · ") && shown[2].contains("unscored"),
        "{}",
        shown[2]
    );
    has_problem(
        &loaded,
        Some(3),
        "score: an element of the list is no number",
    );

    let slime = |group: &str, index: u32, status: &str, reward: &str| {
        format!(
            "{{\"group_index\":{group},\"index\":{index},\"prompt\":\"Fix\",\"response\":\"{PATCH}\",\
             \"reward\":{reward},\"status\":\"{status}\",\"response_length\":5,\"metadata\":{{}}}}"
        )
    };
    let lines = [
        slime("2", 5, "completed", "{\"score\":1.0}"),
        slime("2", 4, "aborted", "0.0"),
        slime("2", 6, "truncated", "0.0"),
        slime("null", 7, "completed", "1.0"),
    ];
    let whole = format!(
        "{{\"rollout_id\":8,\"samples\":[{},{}]}}",
        lines[0], lines[1]
    );
    let (loaded, _root) = load_folder(&[
        ("a.jsonl", lines.join("\n").as_bytes()),
        ("b.json", whole.as_bytes()),
        ("c.pt", b"PK\x03\x04rollout/data.pkl"),
    ]);
    let shown = rows(&loaded);
    assert_eq!(
        shown[0],
        "group-2/sample-4 unscored - [the sample is aborted; patch cut from the text]"
    );
    assert_eq!(shown[1], format!("group-2/sample-5 pass 1 {cut}"));
    assert!(loaded.groups[0].trajectories[2].truncated);
    assert_eq!(loaded.groups[1].step, Some(8));
    let content = loaded.open(1).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    assert!(content.trajectories[1].patch.is_some() && content.trajectories[1].steps.len() == 2);
    has_problem(&loaded, Some(4), "group_index: null, so no group is known");
    has_problem(
        &loaded,
        None,
        "a torch pickle, which only Python can read; export it first",
    );

    let trl = |rewards: &str, advantage: &str| {
        format!(
            "{{\"step\":12,\"prompt\":[{{\"role\":\"user\",\"content\":\"Fix\"}}],\"completion\":\
             [{{\"role\":\"assistant\",\"content\":\"{PATCH}\"}}],{rewards},\"advantage\":{advantage}}}\n"
        )
    };
    let text = [
        trl(
            "\"format_reward\":0.25,\"tests_reward\":1.0,\"length\":900",
            "0.7",
        ),
        trl(
            "\"format_reward\":null,\"tests_reward\":0.0,\"length\":100",
            "NaN",
        ),
        trl("\"correct\":1", "-0.7"),
    ];
    let (loaded, _root) = load_folder(&[("completions.jsonl", text.concat().as_bytes())]);
    let shown = rows(&loaded);
    let ends = [
        "/line 1 pass 1.25 [reward = format_reward + tests_reward; patch cut from the text]"
            .to_owned(),
        "/line 2 unscored - [no reward from format_reward; \
         reward = format_reward + tests_reward; patch cut from the text]"
            .to_owned(),
        "/line 3 unscored - [no reward column; patch cut from the text]".to_owned(),
    ];
    has_problem(
        &loaded,
        None,
        "no column is called like a reward function (reward, score, _func); a map can name one of \
         correct",
    );
    for (row, end) in shown.iter().zip(ends) {
        assert!(
            row.starts_with("step 12 · ") && row.ends_with(&end),
            "{row}"
        );
    }
    let advantages: Vec<_> = loaded.groups[0]
        .trajectories
        .iter()
        .map(|t| t.recorded_advantage)
        .collect();
    assert_eq!(advantages, [Some(0.7), None, Some(-0.7)]);
    // Before TRL logged advantages.
    let early = "{\"step\":1,\"prompt\":\"Fix\",\"completion\":\"no\",\"tests_reward\":0.0}\n";
    let (loaded, _root) = load_folder(&[("early.jsonl", early.as_bytes())]);
    assert!(rows(&loaded)[0].ends_with("/line 1 fail 0 [no patch found in the text]"));
}
