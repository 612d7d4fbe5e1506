//! What is no verdict (masked, cancelled, broken down, a sum with a gap), verdicts that contradict
//! each other, and files that only look like rollouts.

use gagar::domain::Outcome;
use gagar::formats::{LoadOptions, LoadedSet, load};

use super::{PATCH, has_problem, load_folder, problems};

/// `outcome reward [marks]` of everything loaded, in the order of the groups.
fn verdicts(loaded: &LoadedSet) -> Vec<String> {
    let all = loaded.groups.iter().flat_map(|group| &group.trajectories);
    all.map(|t| {
        let reward = t.reward.map_or("-".to_owned(), |reward| reward.to_string());
        // Of patches others tell.
        let told = t.marks.iter().filter(|mark| !mark.contains("patch"));
        let marks: Vec<&str> = told.map(String::as_str).collect();
        format!("{} {reward} [{}]", t.outcome.word(), marks.join("; "))
    })
    .collect()
}

fn of_lines(text: &str) -> (LoadedSet, Vec<String>) {
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    let shown = verdicts(&loaded);
    (loaded, shown)
}

#[test]
fn masked_rollouts_have_no_verdict() {
    let messages = "[{\"role\":\"user\",\"content\":\"Fix\"}]";
    let chat = |id: &str, more: &str| {
        format!(
            "{{\"instance_id\":\"i\",\"trajectory_id\":\"{id}\",\"messages\":{messages},{more}}}\n"
        )
    };
    let text = [
        chat("a", "\"resolved\":false,\"mask_sample\":true"),
        chat("b", "\"resolved\":true,\"mask_sample\":false"),
    ];
    let (loaded, shown) = of_lines(&text.concat());
    let masked = "unscored - [masked (fail, reward 0)]";
    assert_eq!(shown, [masked, "pass 1 []"]);
    assert!(loaded.groups[0].trajectories[0].masked);

    let native = |id: &str, more: &str| {
        format!("{{\"group_id\":\"g\",\"trajectory_id\":\"{id}\",{more}}}\n")
    };
    let text = [
        native("a", "\"reward\":0,\"masked\":true"),
        native("b", "\"outcome\":\"pass\",\"masked\":true"),
        native("c", "\"outcome\":\"pass\",\"masked\":false"),
        native("d", "\"outcome\":\"unscored\""),
    ]
    .concat();
    let (_, shown) = of_lines(&text);
    let expected = [
        masked,
        "unscored - [masked (pass, reward 1)]",
        "pass 1 [passes without a diff]",
        "unscored - []",
    ];
    assert_eq!(shown, expected);

    // Nor are they failures when what is unscored counts as one.
    let root = tempfile::tempdir().expect("folder");
    std::fs::write(root.path().join("x.jsonl"), &text).expect("write");
    let options = LoadOptions {
        unscored_as_fail: true,
        ..LoadOptions::default()
    };
    let loaded = load(&[root.path().to_path_buf()], &options, &mut |_| true);
    let outcomes: Vec<Outcome> = loaded.groups[0]
        .trajectories
        .iter()
        .map(|t| t.outcome)
        .collect();
    use Outcome::{Fail, Pass, Unscored};
    assert_eq!(outcomes, [Unscored, Unscored, Pass, Fail]);
}

#[test]
fn an_unknown_outcome_is_unscored_whatever_the_reward() {
    let line = |id: &str, outcome: &str| {
        format!(
            "{{\"group_id\":\"g\",\"trajectory_id\":\"{id}\",\"outcome\":{outcome},\"reward\":0.0}}\n"
        )
    };
    let text = [
        line("a", "\"cancelled\""),
        line("b", "false"),
        line("c", "null"),
    ];
    let (loaded, shown) = of_lines(&text.concat());
    assert_eq!(shown, ["unscored - []", "unscored - []", "fail 0 []"]);
    has_problem(&loaded, Some(1), "\"cancelled\" is not pass, fail");
    has_problem(&loaded, Some(2), "outcome: expected a text");
    assert_eq!(loaded.problems.len(), 2, "{:?}", loaded.problems);
}

#[test]
fn only_columns_called_so_are_rewards() {
    let row = |more: &str| {
        format!("{{\"step\":1,\"prompt\":\"p\",\"completion\":\"c\",\"advantage\":0.1,{more}}}\n")
    };
    let others = "\"completion_length\":900,\"kl\":0.5,\"seed\":7,\"is_truncated\":true";
    let text = [
        row(&format!("\"tests_reward\":0.0,{others}")),
        row(&format!(
            "\"len_func\":0.25,\"judge_score\":0.5,\"name\":\"x\",{others}"
        )),
        row(&format!("\"reward\":0.0,\"tests_reward\":1.0,{others}")),
        row(others),
    ];
    let (loaded, shown) = of_lines(&text.concat());
    let expected = [
        "fail 0 [reward = tests_reward]",
        "pass 0.75 [reward = len_func + judge_score]",
        "fail 0 [reward = reward]",
        "unscored - [no reward column]",
    ];
    assert_eq!(shown, expected);
    let kept = &loaded.groups[0].trajectories[0].meta.0;
    let seed = ("seed".to_owned(), "7".to_owned());
    assert!(kept.contains(&seed), "{kept:?}");
    has_problem(&loaded, None, "a map can name one of completion_length, kl");
    assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
}

#[test]
fn a_sum_with_a_gap_is_unscored() {
    let row = |more: &str| {
        format!("{{\"step\":1,\"prompt\":\"p\",\"completion\":\"c\",\"advantage\":0.1,{more}}}\n")
    };
    let text = [
        row("\"a_reward\":NaN,\"b_reward\":0"),
        row("\"a_reward\":null,\"b_reward\":0"),
        row("\"reward\":null,\"b_reward\":0"),
        row("\"a_reward\":1,\"b_reward\":0"),
    ];
    let (_, shown) = of_lines(&text.concat());
    let gap = "unscored - [no reward from a_reward; reward = a_reward + b_reward]";
    let expected = [
        gap,
        gap,
        "unscored - [reward = reward]",
        "pass 1 [reward = a_reward + b_reward]",
    ];
    assert_eq!(shown, expected);

    let episode = |id: &str, rewards: &str| {
        format!(
            "{{\"id\":\"{id}\",\"task\":{{\"key\":\"t\"}},\"ok\":true,\"traces\":[{{\"ok\":true,\
             \"nodes\":[],\"rewards\":{rewards}}}]}}\n"
        )
    };
    let text = [
        episode("a", "{\"s\":0,\"t\":null}"),
        episode("b", "{\"s\":0,\"t\":{\"score\":null,\"weight\":0.0}}"),
        episode("c", "{\"s\":1,\"t\":0}"),
    ];
    let (_, shown) = of_lines(&text.concat());
    let expected = ["unscored - [no reward from t]", "fail 0 []", "pass 1 []"];
    assert_eq!(shown, expected);
}

#[test]
fn what_broke_down_is_unscored_however_it_is_spelled() {
    let sample = |index: u32, status: &str| {
        format!(
            "{{\"group_index\":1,\"index\":{index},\"prompt\":\"p\",\"response\":\"r\",\
             \"reward\":0,\"status\":\"{status}\"}}\n"
        )
    };
    let text = [
        sample(0, "ABORTED"),
        sample(1, "Status.ABORTED"),
        sample(2, "aborted"),
        sample(3, "Status.TRUNCATED"),
        sample(4, "COMPLETED"),
    ];
    let (loaded, shown) = of_lines(&text.concat());
    let aborted = "unscored - [the sample is aborted]";
    assert_eq!(shown, [aborted, aborted, aborted, "fail 0 []", "fail 0 []"]);
    let truncated: Vec<bool> = loaded.groups[0]
        .trajectories
        .iter()
        .map(|t| t.truncated)
        .collect();
    assert_eq!(truncated, [false, false, false, true, false]);

    let episode = |id: &str, reason: &str, reward: &str| {
        format!(
            "{{\"id\":\"{id}\",\"task_hash\":\"h\",\"training_step\":1,\"termination_reason\":\
             \"{reason}\",\"trajectories\":[{{\"reward\":{reward},\"steps\":[]}}]}}\n"
        )
    };
    let text = [
        episode("a", "error", "0.0"),
        episode("b", "TerminationReason.ERROR", "1.0"),
        episode("c", "env_done", "1.0"),
    ];
    let (_, shown) = of_lines(&text.concat());
    let expected = [
        "unscored - [ended by an error (reward 0)]",
        "unscored - [ended by an error (reward 1)]",
        "pass 1 []",
    ];
    assert_eq!(shown, expected);

    let gym = |index: u32, resolved: &str| {
        format!(
            "{{\"responses_create_params\":{{\"input\":[],\"metadata\":{{\"instance_id\":\"i\"}}}},\
             \"response\":{{\"output\":[]}},\"reward\":0.0,{resolved}\"model_patch\":\"{PATCH}\",\
             \"_ng_task_index\":0,\"_ng_rollout_index\":{index}}}\n"
        )
    };
    let text = [
        gym(0, "\"resolved\":null,"),
        gym(1, "\"resolved\":false,"),
        gym(2, ""),
    ];
    let (_, shown) = of_lines(&text.concat());
    let expected = [
        "unscored - [resolved is null (reward 0); no messages recorded]",
        "fail 0 [no messages recorded]",
        "fail 0 [no messages recorded]",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn keys_that_contradict_themselves_are_told_in_every_format() {
    let verl = "{\"input\":\"x\",\"output\":\"o\",\"gts\":null,\"score\":1.0,\"score\":0.0,\"step\":7}\n\
                {\"input\":\"x\",\"output\":\"o\",\"gts\":null,\"score\":1.0,\"score\":1.0,\"step\":7}\n";
    let (loaded, shown) = of_lines(verl);
    assert_eq!(shown, ["fail 0 []", "pass 1 []"]);
    let told = "score: the key occurs twice, the last counts";
    assert_eq!(problems(&loaded), [(Some(1), None, told)]);

    let chat = "{\"instance_id\":\"i\",\"messages\":[{\"role\":\"user\",\"content\":\"Fix\"}],\
                \"resolved\":true,\"resolved\":false}\n";
    let (loaded, _) = of_lines(chat);
    has_problem(&loaded, Some(1), "resolved: the key occurs twice");

    let inside = "{\"samples\":[{\"group_index\":1,\"index\":0,\"prompt\":\"p\",\"response\":\"r\",\
                  \"reward\":1,\"reward\":0}]}\n{\"samples\":[]}\n";
    let (loaded, _) = of_lines(inside);
    has_problem(&loaded, Some(1), "reward: the key occurs twice");

    // Those that tell it by themselves do so once.
    let native = "{\"group_id\":\"g\",\"trajectory_id\":\"a\",\"reward\":1,\"reward\":0}\n\
                  {\"group_id\":\"g\",\"trajectory_id\":\"b\",\"reward\":1}\n";
    let (loaded, _) = of_lines(native);
    assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
}

#[test]
fn what_was_trained_on_must_not_contradict_all() {
    let episode = |id: u32, score: &str| {
        format!(
            "{{\"id\":{id},\"task\":{{\"key\":\"t\"}},\"ok\":true,\"traces\":[{{\"ok\":true,\
             \"nodes\":[],\"rewards\":{{\"s\":{score}}}}}]}}\n"
        )
    };
    let all = [episode(1, "1"), episode(2, "0")].concat();
    let effective = [episode(1, "1"), episode(2, "1")].concat();
    let (loaded, _root) = load_folder(&[
        ("r/step_5/train/all/traces.jsonl", all.as_bytes()),
        (
            "r/step_5/train/effective/traces.jsonl",
            effective.as_bytes(),
        ),
    ]);
    assert_eq!(verdicts(&loaded), ["pass 1 []", "fail 0 []"]);
    let told: Vec<_> = problems(&loaded)
        .into_iter()
        .filter(|(line, ..)| line.is_some())
        .collect();
    let reason = "pass (reward 1) here, fail (reward 0) where it was found first, which counts";
    assert_eq!(told, [(Some(2), Some("t@5/2"), reason)]);
}

#[test]
fn files_that_only_look_like_rollouts_are_left_alone() {
    let foreign = [
        // Texts of a user interface, versions, shares.
        "{\"id\":\"ID\",\"patch\":\"Patch\",\"title\":\"T\"}",
        "[{\"id\":1,\"patch\":\"v1\",\"body\":\"x\"},{\"id\":2,\"patch\":\"v2\",\"body\":\"y\"}]",
        "[{\"id\":1,\"diff\":\"3%\"}]",
        // An event of a cluster.
        "{\"kind\":\"Event\",\"id\":\"1\",\"timestamp\":\"t\",\"source\":\"x\"}",
        "{\"kind\":\"PodEvent\",\"id\":\"1\",\"timestamp\":\"t\",\"source\":\"kubelet\"}",
        "[1,2,3]",
        // Rows for fine-tuning.
        "[{\"instruction\":\"i\",\"input\":\"x\",\"output\":\"o\",\"score\":1.0}]",
        "[{\"instruction\":\"i\",\"input\":\"x\",\"output\":\"o\",\"score\":1.0,\"step\":\"two\"}]",
    ];
    for text in foreign {
        let (loaded, _root) = load_folder(&[("data.json", text.as_bytes())]);
        assert!(loaded.groups.is_empty(), "{text}");
        // Only that it is none, and what its columns are.
        let is_told = |reason: &str| {
            reason == "1 file is not a rollout file: data.json"
                || reason.starts_with("its columns: ")
        };
        let told = problems(&loaded);
        assert!(
            told.iter().all(|(_, _, why)| is_told(why)),
            "{text}: {told:?}"
        );
    }
    let rollouts = [
        format!("[{{\"id\":1,\"patch\":\"{PATCH}\"}},{{\"id\":2,\"patch\":\"\"}}]"),
        "{\"kind\":\"LaterEvent\",\"id\":\"1\",\"timestamp\":\"t\",\"source\":\"agent\"}"
            .to_owned(),
        "[{\"input\":\"x\",\"output\":\"o\",\"score\":1.0,\"step\":2}]".to_owned(),
    ];
    for text in &rollouts {
        let (loaded, _root) = load_folder(&[("data.json", text.as_bytes())]);
        assert!(!loaded.groups.is_empty(), "{text}");
    }
}
