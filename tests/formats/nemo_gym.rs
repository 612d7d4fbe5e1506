//! NeMo Gym rollouts: the real files, the sample, and the traps.

use std::sync::Arc;

use gagar::domain::{Outcome, PatchPresence, RolloutGroup, StepKind};

use super::{has_problem, load_all, load_folder, problems, real_data, sample};

/// (pass, fail, unscored) of groups.
fn counts<'a>(groups: impl IntoIterator<Item = &'a Arc<RolloutGroup>>) -> (usize, usize, usize) {
    let mut counts = (0, 0, 0);
    for trajectory in groups.into_iter().flat_map(|group| &group.trajectories) {
        match trajectory.outcome {
            Outcome::Pass => counts.0 += 1,
            Outcome::Fail => counts.1 += 1,
            Outcome::Unscored => counts.2 += 1,
        }
    }
    counts
}

#[test]
fn real_rollouts_equal_what_their_rows_say() {
    let Some(data) = real_data() else { return };
    let loaded = load_all(&[data.join("formats/nemo-gym")]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(loaded.groups.len(), 17);
    // One of the failing rows says itself that it was never evaluated.
    assert_eq!(counts(&loaded.groups), (10, 18, 1));
    let mut groups_of_five = 0;
    for (index, group) in loaded.groups.iter().enumerate() {
        let content = loaded.open(index).expect("open");
        assert_eq!(content.problems, Vec::<String>::new(), "{}", group.id);
        assert!(content.task.text.is_some(), "{}", group.id);
        groups_of_five += usize::from(group.trajectories.len() == 5);
        for (trajectory, content) in group.trajectories.iter().zip(&content.trajectories) {
            let steps = trajectory.steps.unwrap_or(0) as usize;
            assert_eq!(content.steps.len(), steps, "{}/{}", group.id, trajectory.id);
            let bytes = content.patch.as_ref().map_or(0, String::len) as u64;
            assert_eq!(bytes, trajectory.patch.bytes);
        }
    }
    assert_eq!(groups_of_five, 3);

    let agent = |group: &&Arc<RolloutGroup>| group.id.as_str().contains("anyswe_openclaw");
    let openclaw = loaded.groups.iter().find(agent).expect("the agent's group");
    let lengths = openclaw.trajectories.iter().map(|t| t.patch.bytes);
    assert!(
        lengths
            .clone()
            .all(|bytes| Some(bytes) == lengths.clone().next())
    );
    let hashes: std::collections::BTreeSet<_> = openclaw
        .trajectories
        .iter()
        .map(|t| &t.patch.sha256)
        .collect();
    assert_eq!(hashes.len(), 5, "equal length, different patches");
    for (index, trajectory) in openclaw.trajectories.iter().enumerate() {
        assert_eq!(trajectory.id.as_str(), format!("rollout-{index}"));
        assert_eq!(trajectory.output_tokens, None, "zeros are no count");
    }

    let hashed: Vec<_> = loaded
        .groups
        .iter()
        .flat_map(|group| &group.trajectories)
        .filter(|t| {
            t.marks
                .iter()
                .any(|mark| mark.contains("only the patch's hash"))
        })
        .collect();
    assert_eq!(hashed.len(), 5);
    assert!(
        hashed
            .iter()
            .all(|t| t.patch.presence == PatchPresence::Missing)
    );
    let failed = hashed.iter().filter_map(|t| t.tests).map(|t| t.failed);
    assert_eq!(failed.sum::<u32>(), 1 + 6);
}

#[test]
fn the_sample_loads_in_order_and_masks_what_is_masked() {
    let loaded = load_all(&[sample("formats/nemo-gym")]);
    assert_eq!(problems(&loaded), []);
    let group = &loaded.groups[0];
    assert_eq!(group.id.as_str(), "acme__nemo-1");
    let ids: Vec<&str> = group.trajectories.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "rollout-0",
            "rollout-1",
            "rollout-2",
            "rollout-3",
            "rollout-4"
        ]
    );
    assert_eq!(counts(&loaded.groups), (2, 2, 1));
    let masked = &group.trajectories[1];
    assert!(masked.masked && masked.truncated);
    assert_eq!((masked.outcome, masked.reward), (Outcome::Unscored, None));
    assert_eq!(group.trajectories[0].output_tokens, Some(310));
    assert_eq!(group.trajectories[4].output_tokens, None);
    let content = loaded.open(0).expect("open");
    let kinds: Vec<StepKind> = content.trajectories[0]
        .steps
        .iter()
        .map(|s| s.kind())
        .collect();
    use StepKind::{Message, Observation, Reasoning, ToolCall};
    assert_eq!(kinds, [Message, ToolCall, Observation, Reasoning, Message]);
    assert_eq!(content.trajectories[0].steps[2].exit_code, Some(0));
}

#[test]
fn agents_and_files_do_not_mix_and_broken_rows_are_told() {
    let row = |agent: &str, index: u32, more: &str| {
        format!(
            "{{\"responses_create_params\":{{\"input\":\"Fix it\",\"metadata\":{{\"instance_id\":\"t\"}}}},\
             \"response\":{{\"output\":[]}},\"reward\":1.0,\"_ng_rollout_index\":{index},\
             \"agent_ref\":{{\"name\":\"{agent}\"}}{more}}}\n"
        )
    };
    let one = [
        row("a", 1, ""),
        row("a", 0, ",\"resolved\":false"),
        "{\"responses_create_params\":{\"input\":\n".to_owned(),
        row("b", 0, ",\"response\":{\"output\":[5]}"),
        row("a", 2, ",\"reward\":\"maybe\""),
        row("a", 3, ",\"reward\":NaN"),
    ]
    .concat();
    let two = row("a", 0, "");
    let (loaded, _root) = load_folder(&[("1.jsonl", one.as_bytes()), ("2.jsonl", two.as_bytes())]);
    let ids: Vec<&str> = loaded.groups.iter().map(|g| g.id.as_str()).collect();
    // The second file's agent has the first one's name.
    assert_eq!(ids, ["t", "t (a)", "t (b)"]);
    let sizes: Vec<usize> = loaded.groups.iter().map(|g| g.trajectories.len()).collect();
    assert_eq!(sizes, [4, 1, 1]);
    let group = &loaded.groups[0];
    let words: Vec<&str> = group
        .trajectories
        .iter()
        .map(|t| t.outcome.word())
        .collect();
    assert_eq!(words, ["fail", "pass", "unscored", "unscored"]);
    assert!(group.trajectories[0].marks[0].contains("resolved contradicts the reward"));
    assert_eq!(group.trajectories[1].steps, Some(1));
    has_problem(&loaded, Some(3), "not valid JSON");
    has_problem(
        &loaded,
        Some(4),
        "output: element 1: expected an object, found 5",
    );
    has_problem(
        &loaded,
        Some(5),
        "reward: \"maybe\" is no reward and no verdict",
    );
}
