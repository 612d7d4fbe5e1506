//! Chat messages with columns of any name: the shapes of the public data sets, maps given and
//! guessed, every dialect of messages.

use gagar::domain::{Outcome, PatchPresence, StepKind};
use gagar::formats::{LoadOptions, LoadedSet, NamedMap, load};

use super::{folder, has_problem, load_folder, problems, real_data};

const PATCH: &str = "diff --git a/a b/a\\n--- a/a\\n+++ b/a\\n@@ -1 +1 @@\\n-a\\n+b\\n";

/// Group, id, verdict, steps of every trajectory.
fn table(loaded: &LoadedSet) -> Vec<(&str, &str, &str, Option<u32>)> {
    loaded
        .groups
        .iter()
        .flat_map(|group| {
            group.trajectories.iter().map(|t| {
                let word = t.outcome.word();
                (group.id.as_str(), t.id.as_str(), word, t.steps)
            })
        })
        .collect()
}

fn kinds(loaded: &LoadedSet, group: usize, trajectory: usize) -> Vec<(StepKind, String)> {
    let content = loaded.open(group).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    let steps = &content.trajectories[trajectory].steps;
    steps
        .iter()
        .map(|step| (step.kind(), step.text.clone()))
        .collect()
}

fn map_of(loaded: &LoadedSet) -> String {
    assert_eq!(loaded.guessed.len(), 1, "{:?}", loaded.guessed);
    loaded.guessed[0].map.to_string()
}

fn with_map(files: &[(&str, &[u8])], map: &str) -> (LoadedSet, tempfile::TempDir) {
    let root = folder(files);
    let options = LoadOptions {
        map: Some(map.parse().expect("map")),
        ..LoadOptions::default()
    };
    let loaded = load(&[root.path().to_path_buf()], &options, &mut |_| true);
    (loaded, root)
}

#[test]
fn swe_agent_rows_with_roles_of_their_own() {
    let row = |target: &str, status: &str| {
        format!(
            "{{\"instance_id\":\"acme__a-1\",\"model_name\":\"m\",\"target\":{target},\"trajectory\":[\
             {{\"role\":\"system\",\"text\":null,\"system_prompt\":\"be good\",\"mask\":false,\"cutoff_date\":\"01.01.2023\"}},\
             {{\"role\":\"user\",\"text\":\"fix it\",\"system_prompt\":null}},\
             {{\"role\":\"ai\",\"text\":\"ls\",\"system_prompt\":null}},\
             {{\"role\":\"user\",\"text\":\"a.py\"}}],\
             \"exit_status\":\"{status}\",\"generated_patch\":\"{PATCH}\",\"eval_logs\":\"log\"}}\n"
        )
    };
    let text = row("true", "submitted") + &row("false", "exit_cost");
    let (loaded, _root) = load_folder(&[("train.jsonl", text.as_bytes())]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(
        table(&loaded),
        [
            ("acme__a-1", "train:1", "pass", Some(4)),
            ("acme__a-1", "train:2", "fail", Some(4))
        ]
    );
    assert_eq!(
        map_of(&loaded),
        "steps=trajectory,group=instance_id,reward=target,patch=generated_patch,policy=model_name,\
         exit_status=exit_status"
    );
    assert_eq!(loaded.guessed[0].left_over, ["eval_logs"]);
    let first = &loaded.groups[0].trajectories[0];
    assert_eq!(first.policy.as_deref(), Some("m"));
    assert_eq!(first.exit_status.as_deref(), Some("submitted"));
    assert_eq!(first.patch.presence, PatchPresence::Diff);
    let expected = [
        (StepKind::System, "be good"),
        (StepKind::User, "fix it"),
        (StepKind::Message, "ls"),
        (StepKind::Observation, "a.py"),
    ];
    let shown = kinds(&loaded, 0, 1);
    assert!(
        shown
            .iter()
            .map(|(kind, text)| (*kind, text.as_str()))
            .eq(expected)
    );
    let opened = loaded.open(0).expect("open");
    assert!(
        opened.trajectories[0]
            .patch
            .as_deref()
            .is_some_and(|p| p.starts_with("diff --git"))
    );
}

#[test]
fn openhands_rows_have_every_column_in_every_message() {
    let row = |id: &str, resolved: &str, arguments: &str| {
        let message = |role: &str, content: &str, calls: &str, id: &str| {
            format!(
                "{{\"role\":\"{role}\",\"content\":{content},\"name\":null,\"tool_calls\":{calls},\"tool_call_id\":{id}}}"
            )
        };
        let calls = format!(
            "[{{\"id\":\"c1\",\"type\":\"function\",\"function\":{{\"name\":\"execute_bash\",\"arguments\":\"{arguments}\"}}}}]"
        );
        let messages = [
            message("system", "\"s\"", "null", "null"),
            message("user", "\"fix\"", "null", "null"),
            message("assistant", "null", &calls, "null"),
            message("tool", "\"out\"", "null", "\"c1\""),
        ];
        format!(
            "{{\"trajectory_id\":\"{id}\",\"instance_id\":\"acme__b-1\",\"repo\":\"acme/b\",\"trajectory\":[{}],\
             \"tools\":[],\"model_patch\":\"{PATCH}\",\"exit_status\":\"submit\",\"resolved\":{resolved},\
             \"gen_tests_correct\":null}}\n",
            messages.join(",")
        )
    };
    let text =
        row("t1", "1", "{\\\"command\\\": \\\"ls\\\"}") + &row("t2", "0", "{\\\"command\\\": ");
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(
        table(&loaded),
        [
            ("acme__b-1", "t1", "pass", Some(4)),
            ("acme__b-1", "t2", "fail", Some(4))
        ]
    );
    assert_eq!(loaded.groups[0].task.repo.as_deref(), Some("acme/b"));
    let content = loaded.open(0).expect("open");
    let call = &content.trajectories[0].steps[2];
    assert_eq!(
        (call.kind(), call.text.as_str()),
        (StepKind::ToolCall, "ls")
    );
    assert_eq!(call.tool.as_deref(), Some("execute_bash"));
    let result = &content.trajectories[0].steps[3];
    assert_eq!(
        (result.call_id.as_deref(), result.text.as_str()),
        (Some("c1"), "out")
    );
    // Arguments that are no JSON are shown as they are.
    assert_eq!(content.trajectories[1].steps[2].text, "{\"command\": ");
}

#[test]
fn messages_may_be_a_json_text() {
    let messages = r#"[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":\"a \\ud83d\"}]"#;
    let row = |id: &str, resolved: bool| {
        format!(
            "{{\"messages\":\"{messages}\",\"instance_id\":\"acme__c-1\",\"resolved\":{resolved},\
             \"model\":\"m\",\"traj_id\":\"{id}\",\"patch\":\"{PATCH}\"}}\n"
        )
    };
    let text = row("c.1", true) + &row("c.2", false);
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(
        table(&loaded),
        [
            ("acme__c-1", "c.1", "pass", Some(2)),
            ("acme__c-1", "c.2", "fail", Some(2))
        ]
    );
    assert_eq!(kinds(&loaded, 0, 0)[1].1, "a \u{fffd}");
}

#[test]
fn gym_rows_of_every_kind() {
    let gym = format!(
        "{{\"instance_id\":\"acme__d-1\",\"run_id\":\"r0\",\"resolved\":true,\"messages\":[{{\"role\":\"user\",\
         \"content\":\"q\"}}],\"git_patch\":\"{PATCH}\",\"tools\":null}}\n\
         {{\"instance_id\":\"acme__d-1\",\"run_id\":\"r1\",\"resolved\":false,\"messages\":[{{\"role\":\"user\",\
         \"content\":\"q\"}}],\"git_patch\":null}}\n"
    );
    let own = format!(
        "{{\"trajectory_steps\":[{{\"step_idx\":0,\"thought\":\"think\",\"action\":\"<function=x>\",\"observation\":\"out\",\
         \"done\":false,\"info\":{{}},\"token_usage_completion\":12,\"env_exec_time\":0.5}}],\
         \"problem_statement\":\"\\nBroken\\nmore\",\"docker_image\":\"acme/d:2\",\"exp_name\":\"e1\",\
         \"ds\":{{\"instance_id\":\"acme__d-2\"}},\"exit_reason\":\"agent\",\"output_patch\":\"{PATCH}\",\"reward\":1.0,\
         \"test_output\":\"ok\"}}\n"
    );
    // Nothing but messages: a group is a prompt.
    let sft = "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"one\"}]}\n\
               {\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"two\"}]}\n\
               {\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"one\"},\
               {\"role\":\"assistant\",\"content\":\"x\"}]}\n";
    let (loaded, _root) = load_folder(&[
        ("gym/a.jsonl", gym.as_bytes()),
        ("own/b.jsonl", own.as_bytes()),
        ("sft/c.jsonl", sft.as_bytes()),
    ]);
    assert_eq!(problems(&loaded), []);
    let shown = table(&loaded);
    assert_eq!(
        shown[..3],
        [
            ("acme__d-1", "r0", "pass", Some(1)),
            ("acme__d-1", "r1", "fail", Some(1)),
            ("acme__d-2", "e1", "pass", Some(3)),
        ]
    );
    let mut sft: Vec<_> = shown[3..].iter().map(|row| (row.1, row.2, row.3)).collect();
    sft.sort_unstable();
    assert_eq!(
        sft,
        [
            ("c:1", "unscored", Some(2)),
            ("c:2", "unscored", Some(2)),
            ("c:3", "unscored", Some(3))
        ]
    );
    assert_eq!(loaded.groups.len(), 4);
    assert!(loaded.groups[2].id.as_str().starts_with("prompt-"));
    assert_eq!(
        loaded.groups[0].trajectories[1].patch.presence,
        PatchPresence::Missing
    );
    let content = loaded.open(1).expect("open");
    assert_eq!(content.task.text.as_deref(), Some("\nBroken\nmore"));
    let steps = &content.trajectories[0].steps;
    assert_eq!((steps[0].tokens, steps[2].ms), (Some(12), Some(500)));
    assert_eq!(loaded.groups[1].task.title.as_deref(), Some("Broken"));
    assert_eq!(loaded.guessed.len(), 3);
}

#[test]
fn rows_without_a_verdict_are_unscored() {
    let row = |id: &str| {
        format!(
            "{{\"instance_id\":\"acme__e-1\",\"repo\":\"acme/e\",\"license\":\"MIT\",\"trajectory_id\":\"{id}\",\
             \"trajectory\":[{{\"role\":\"user\",\"content\":\"q\"}}],\"model_patch\":\"{PATCH}\",\"dataset\":\"d\"}}\n"
        )
    };
    let text = row("a") + &row("b");
    let (loaded, _root) = load_folder(&[("zero/x.jsonl", text.as_bytes())]);
    assert_eq!(problems(&loaded), []);
    let expected = [
        ("acme__e-1", "a", "unscored", Some(1)),
        ("acme__e-1", "b", "unscored", Some(1)),
    ];
    assert_eq!(table(&loaded), expected);
    let kept = &loaded.groups[0].trajectories[0].meta.0;
    assert!(
        kept.contains(&("license".to_owned(), "\"MIT\"".to_owned())),
        "{kept:?}"
    );
}

#[test]
fn every_dialect_of_messages() {
    let messages = r#"[
        {"from":"system","value":"s"},{"from":"human","value":"q"},{"from":"gpt","value":"a"},
        {"from":"function_call","value":"{\"name\":\"sh\",\"arguments\":{\"command\":\"ls\"}}"},
        {"from":"observation","value":"o"},
        {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},
          {"type":"text","text":"t1"},{"type":"tool_use","id":"u1","name":"bash","input":{"command":"pwd"}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"u1","content":[{"type":"text","text":"/w"}]},
          {"type":"text","text":"go on"},
          {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},
        {"role":"assistant","content":null,"reasoning_content":"r",
          "tool_calls":[{"id":"u2","type":"function","function":{"name":"bash","arguments":{"command":"id"}}}]},
        {"role":"tool","tool_call_id":"u2","content":"root"},
        {"role":"assistant","content":"","function_call":{"name":"f","arguments":"{\"cmd\":\"w\"}"}},
        {"role":"user","content":"demo","is_demo":true},
        {"thought":"th","action":"act","observation":"obs"}
    ]"#;
    let text = format!(
        "{{\"task_id\":\"t\",\"score\":0.5,\"conversations\":{}}}\n",
        messages.replace('\n', "")
    );
    let (loaded, _root) = load_folder(&[("x.jsonl", (text.clone() + &text).as_bytes())]);
    assert_eq!(problems(&loaded), []);
    let shown = kinds(&loaded, 0, 0);
    let expected = [
        (StepKind::System, "s"),
        (StepKind::User, "q"),
        (StepKind::Message, "a"),
        (StepKind::ToolCall, "ls"),
        (StepKind::Observation, "o"),
        (StepKind::Reasoning, "hm"),
        (StepKind::Message, "t1"),
        (StepKind::ToolCall, "pwd"),
        (StepKind::Observation, "/w"),
        (StepKind::Observation, "go on\n[image image/png, 1 kB]"),
        (StepKind::Reasoning, "r"),
        (StepKind::ToolCall, "id"),
        (StepKind::Observation, "root"),
        (StepKind::ToolCall, "w"),
        (StepKind::Message, "th"),
        (StepKind::ToolCall, "act"),
        (StepKind::Observation, "obs"),
    ];
    let shown: Vec<_> = shown
        .iter()
        .map(|(kind, text)| (*kind, text.as_str()))
        .collect();
    assert_eq!(shown, expected);
    assert_eq!(loaded.groups[0].trajectories[0].steps, Some(17));
    let content = loaded.open(0).expect("open");
    assert_eq!(
        content.trajectories[0].steps[8].call_id.as_deref(),
        Some("u1")
    );
}

#[test]
fn a_given_map_goes_before_the_formats_and_into_values() {
    let text = "{\"meta\":\"{\\\"task\\\":{\\\"id\\\":\\\"t\\\"}}\",\"runs\":[{\"ok\":\"pass\",\"d\":\"x\"}],\"a.b\":1,\
                \"chat\":\"just text\",\"instance_id\":\"i\",\"model_patch\":\"p\",\"cut\":1,\"adv\":\"0.5\"}\n";
    let text = text.to_owned() + "{\"instance_id\":\"other\",\"model_patch\":\"p\"}\n";
    let map = "group=meta.task.id,id=a\\.b,reward=runs.0.ok,patch=runs.0.d,steps=chat,truncated=cut,advantage=adv";
    let (loaded, _root) = with_map(&[("x.jsonl", text.as_bytes())], map);
    // The second line has no such group: it stays a prediction.
    assert_eq!(
        table(&loaded)[1],
        ("t", "1", "pass", Some(1)),
        "{:?}",
        loaded.problems
    );
    assert_eq!(loaded.groups[0].id.as_str(), "other");
    let t = &loaded.groups[1].trajectories[0];
    assert!(t.truncated);
    assert_eq!(t.recorded_advantage, Some(0.5));
    assert_eq!(
        loaded.open(1).expect("open").trajectories[0]
            .patch
            .as_deref(),
        Some("x")
    );
    assert!(loaded.guessed.is_empty());
}

#[test]
fn a_map_of_the_configuration_applies_to_records_with_its_columns() {
    let named = |name: &str, matches: &[&str], map: &str| NamedMap {
        name: name.to_owned(),
        matches: matches.iter().map(|&column| column.to_owned()).collect(),
        map: map.parse().expect("map"),
    };
    let options = LoadOptions {
        maps: vec![
            named("never", &[], "group=q"),
            named("other", &["q", "none"], "group=r"),
            named("mine", &["q", "v"], "group=q,reward=v"),
        ],
        ..LoadOptions::default()
    };
    let root = folder(&[(
        "x.jsonl",
        b"{\"q\":\"g\",\"v\":1}\n{\"q\":\"g\",\"v\":0}\n{\"z\":1}\n",
    )]);
    let loaded = load(&[root.path().to_path_buf()], &options, &mut |_| true);
    assert_eq!(
        table(&loaded),
        [("g", "x:1", "pass", None), ("g", "x:2", "fail", None)]
    );
    has_problem(&loaded, Some(3), "no known format");
}

#[test]
fn what_does_not_fit_is_told_and_the_rest_is_read() {
    let good = |n: u32| {
        format!(
            "{{\"task_id\":\"t\",\"run_id\":\"r{n}\",\"reward\":{n},\"messages\":[{{\"role\":\"user\",\"content\":\"q\"}}]}}\n"
        )
    };
    let text = good(0)
        + "{\"task_id\":null,\"reward\":1,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}\n"
        + "{\"task_id\":\"t\",\"run_id\":\"bad\",\"reward\":{\"a\":1},\"messages\":[1,{\"role\":[]}]}\n"
        + "{\"task_id\":\"t\",\"run_id\":\"nan\",\"reward\":NaN,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}\n"
        + "{\"something\":1}\n"
        + "{\"task_id\":\"t\",\"run\n"
        + &good(1);
    // The guess is made from what fits: the odd records are in the way of the verdict's column.
    let map = "group=task_id,id=run_id,reward=reward,steps=messages";
    let (loaded, _root) = with_map(&[("x.jsonl", text.as_bytes())], map);
    let expected = [
        ("t", "r0", "fail", Some(1)),
        ("t", "bad", "unscored", None),
        ("t", "nan", "unscored", Some(1)),
        ("t", "r1", "pass", Some(1)),
    ];
    assert_eq!(table(&loaded), expected);
    has_problem(
        &loaded,
        Some(3),
        "reward (reward): {\"a\":1} is no reward and no verdict",
    );
    has_problem(&loaded, Some(3), "steps (messages): messages: element 2");
    has_problem(&loaded, Some(5), "no known format");
    has_problem(&loaded, Some(6), "not valid JSON");
    // A record that a guess does not fit.
    let text = good(0) + &good(1) + "{\"something\":1}\n";
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(loaded.groups[0].trajectories.len(), 2);
    has_problem(
        &loaded,
        Some(3),
        "the map guessed for this file says group=task_id",
    );
}

#[test]
fn an_id_of_each_answer_is_not_the_task() {
    let line = |id: u32, prompt: &str, n: u32| {
        format!(
            "{{\"id\":{id},\"score\":{n},\"messages\":[{{\"role\":\"user\",\"content\":\"{prompt}\"}},\
             {{\"role\":\"assistant\",\"content\":\"{id}\"}}]}}\n"
        )
    };
    let text = line(1, "p", 0) + &line(2, "p", 1) + &line(3, "q", 1);
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(
        map_of(&loaded),
        "steps=messages,reward=score,group=@prompt,id=id"
    );
    assert_eq!(loaded.groups.len(), 2);
    // Ids that come again are the tasks'.
    let text = line(1, "p", 0) + &line(1, "p", 1) + &line(2, "q", 1);
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(map_of(&loaded), "steps=messages,reward=score,group=id");
    // In a JSON object the key may be the only name.
    let text = "{\"k1\":{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"reward\":1},\
                \"k2\":{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"reward\":0}}";
    let (loaded, _root) = load_folder(&[("x.json", text.as_bytes())]);
    assert_eq!(map_of(&loaded), "steps=messages,reward=reward,group=@key");
    assert_eq!(loaded.groups[1].id.as_str(), "k2");
}

#[test]
fn messages_beside_predictions_of_their_task_join_them() {
    let prediction = format!("{{\"instance_id\":\"i1\",\"model_patch\":\"{PATCH}\"}}\n");
    let chat = |id: &str| {
        format!(
            "{{\"instance_id\":\"{id}\",\"messages\":[{{\"role\":\"user\",\"content\":\"q\"}},\
             {{\"role\":\"assistant\",\"content\":\"a\"}}]}}\n"
        )
    };
    let chats = chat("i1") + &chat("i2");
    let (loaded, _root) = load_folder(&[
        ("run/preds.jsonl", prediction.as_bytes()),
        (
            "run/report.json",
            b"{\"resolved_ids\":[\"i1\"],\"unresolved_ids\":[]}",
        ),
        ("run/chats.jsonl", chats.as_bytes()),
    ]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(
        table(&loaded),
        [
            ("i1", "run", "pass", Some(2)),
            ("i2", "chats:2", "unscored", Some(2))
        ]
    );
    assert_eq!(kinds(&loaded, 0, 0)[1].1, "a");
    assert_eq!(kinds(&loaded, 1, 0).len(), 2);
}

#[test]
fn fine_tuning_example_of_swe_smith() {
    let Some(data) = real_data() else { return };
    let path = data.join("formats/swe-smith/ft_xml_example.jsonl");
    let loaded = load(&[path], &LoadOptions::default(), &mut |_| true);
    assert_eq!(problems(&loaded), []);
    assert_eq!(loaded.groups.len(), 1);
    assert_eq!(
        loaded.groups[0].id.as_str(),
        "pandas-dev__pandas.95280573.pr_53652"
    );
    let t = &loaded.groups[0].trajectories[0];
    assert_eq!((t.outcome, t.steps), (Outcome::Unscored, Some(75)));
    assert_eq!(kinds(&loaded, 0, 0).len(), 75);
    assert_eq!(map_of(&loaded), "steps=messages,group=instance_id");
}

#[test]
fn the_sample_needs_its_map() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data/formats/chat-jsonl");
    let loaded = load(
        std::slice::from_ref(&path),
        &LoadOptions::default(),
        &mut |_| true,
    );
    assert_eq!(problems(&loaded), []);
    assert_eq!(loaded.groups.len(), 2);
    let unscored = |t: &gagar::domain::Trajectory| t.outcome == Outcome::Unscored;
    assert!(
        loaded
            .groups
            .iter()
            .all(|group| group.trajectories.iter().all(unscored))
    );
    assert_eq!(
        loaded.guessed[0].left_over,
        ["sample", "policy_version", "metrics"]
    );
    let map = "group=task_id,id=sample,reward=metrics.tests_ok,patch=diff,steps=messages,\
               policy=policy_version,task=issue,cost=metrics.usd,tokens_out=metrics.out";
    let options = LoadOptions {
        map: Some(map.parse().expect("map")),
        ..LoadOptions::default()
    };
    let loaded = load(&[path], &options, &mut |_| true);
    assert_eq!(problems(&loaded), []);
    assert_eq!(
        table(&loaded),
        [
            ("acme__heron-1", "0", "pass", Some(5)),
            ("acme__heron-1", "1", "fail", Some(8)),
            ("acme__heron-1", "2", "unscored", Some(2)),
            ("acme__heron-2", "0", "pass", Some(2)),
            ("acme__heron-2", "1", "fail", Some(2)),
        ]
    );
    let first = &loaded.groups[0].trajectories[0];
    assert_eq!(
        (first.cost_usd, first.output_tokens),
        (Some(0.021), Some(412))
    );
    assert_eq!(
        loaded.groups[0].task.title.as_deref(),
        Some("`greet(None)` raises TypeError")
    );
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    assert_eq!(content.trajectories[1].steps[4].kind(), StepKind::ToolCall);
}
