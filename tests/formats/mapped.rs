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
        // Tools speak for themselves here: this is the user.
        (StepKind::User, "go on\n[image image/png, 1 kB]"),
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
        file: "gagar.toml".into(),
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
    // 75 messages; 35 answers have a text before their `<function=…>` call (counted apart).
    assert_eq!((t.outcome, t.steps), (Outcome::Unscored, Some(110)));
    assert_eq!(kinds(&loaded, 0, 0).len(), 110);
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

/// Sixty records of which one has something else where the messages should be.
fn sixty_with(odd: &str) -> String {
    let chat = r#"[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]"#;
    let row = |n: usize| {
        let messages = if n == 9 { odd } else { chat };
        format!(
            "{{\"task_id\":\"t{}\",\"run_id\":\"r{n}\",\"reward\":1,\"messages\":{messages}}}\n",
            n % 6
        )
    };
    (0..60).map(row).collect()
}

#[test]
fn one_odd_record_does_not_spoil_the_guess() {
    for (odd, told) in [
        ("[]", None),
        ("\"\"", None),
        ("null", None),
        ("\"oops\"", Some("\"oops\" is no list of messages")),
        ("5", Some("a list of messages")),
        ("[\"oops\"]", Some("a list of messages")),
    ] {
        let text = sixty_with(odd);
        let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
        let map = map_of(&loaded);
        assert!(map.contains("steps=messages"), "{odd}: {map}");
        let traces = table(&loaded).iter().filter(|row| row.3 == Some(2)).count();
        assert_eq!(traces, 59, "{odd}");
        match told {
            Some(words) => {
                assert_eq!(loaded.problems.len(), 1, "{odd}: {:?}", loaded.problems);
                has_problem(&loaded, Some(10), words);
            }
            None => {
                assert_eq!(problems(&loaded), [], "{odd}");
                let odd_one = table(&loaded).into_iter().find(|row| row.1 == "r9");
                assert_eq!(odd_one.and_then(|row| row.3), None);
            }
        }
    }
    // What is no list is shown all the same.
    let (loaded, _root) = load_folder(&[("x.jsonl", sixty_with("\"oops\"").as_bytes())]);
    let content = loaded.open(3).expect("open");
    let shown = content.trajectories.iter().flat_map(|t| &t.steps);
    assert!(shown.into_iter().any(|step| step.text == "oops"));
}

/// Records with columns of their own.
const OWN: &str = concat!(
    r#"{"prob":"bug-1","attempt":0,"tests":{"ok":true,"n":3},"final_diff":"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n","#,
    r#""chat":[{"role":"user","content":"q1"},{"role":"assistant","content":"a"}]}"#,
    "\n",
    r#"{"prob":"bug-1","attempt":1,"tests":{"ok":false,"n":3},"final_diff":"","#,
    r#""chat":[{"role":"user","content":"q1"},{"role":"assistant","content":"b"}]}"#,
    "\n",
);

#[test]
fn columns_of_a_map_that_no_record_has_are_told_once_a_file() {
    let map = "group=prob,reward=nope,patch=nada,steps=chat,cost=tests.usd,tokens_in=tests.n";
    let (loaded, _root) = with_map(&[("x.jsonl", OWN.as_bytes())], map);
    assert_eq!(loaded.groups[0].trajectories.len(), 2);
    let seen =
        "prob (text), attempt (number), tests (object: ok, n), final_diff (diff), chat (messages)";
    let of = |column: &str, key: &str| {
        format!("no record has a column `{column}` ({key}); the columns: {seen}")
    };
    let told: Vec<String> = problems(&loaded).iter().map(|p| p.2.to_owned()).collect();
    let expected = [
        of("nope", "reward"),
        of("nada", "patch"),
        of("tests.usd", "cost"),
    ];
    assert_eq!(told, expected);
    // A column that is null everywhere is there.
    let text = OWN.replace("\"attempt\":", "\"nope\":null,\"attempt\":");
    let (loaded, _root) = with_map(&[("x.jsonl", text.as_bytes())], "group=prob,reward=nope");
    assert_eq!(problems(&loaded), []);
    // In a list, and when a later record has it.
    let list = format!("[{}]", OWN.trim_end().replace('\n', ","));
    let (loaded, _root) = with_map(&[("x.json", list.as_bytes())], "group=prob,reward=nope");
    has_problem(&loaded, None, "no record has a column `nope` (reward)");
    let late = OWN.repeat(50) + "{\"prob\":\"bug-2\",\"nope\":1}\n";
    let (loaded, _root) = with_map(&[("x.jsonl", late.as_bytes())], "group=prob,reward=nope");
    assert_eq!(problems(&loaded), []);
}

#[test]
fn a_group_column_that_is_not_there_is_told_once_a_file() {
    let root = folder(&[("x.jsonl", OWN.as_bytes()), ("y.jsonl", OWN.as_bytes())]);
    let options = LoadOptions {
        map: Some("group=porb,steps=chat".parse().expect("map")),
        ..LoadOptions::default()
    };
    let named = [root.path().join("x.jsonl")];
    for paths in [&named[..], &[root.path().to_path_buf()]] {
        let loaded = load(paths, &options, &mut |_| true);
        let told = problems(&loaded);
        assert_eq!(told.len(), 1, "{told:#?}");
        assert!(
            told[0]
                .2
                .contains("no record has a column `porb` (group); the columns: prob (text)")
        );
        assert!(!told[0].2.contains("known format\""), "{told:#?}");
    }
}

#[test]
fn messages_and_patches_are_found_by_what_they_are() {
    let (loaded, _root) = load_folder(&[("x.jsonl", OWN.as_bytes())]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(
        map_of(&loaded),
        "id=attempt,steps=chat,patch=final_diff,group=prob"
    );
    let said = loaded.guessed[0].to_string();
    assert!(
        said.contains("no verdict was found: all are unscored (perhaps reward=tests.ok)"),
        "{said}"
    );
    assert!(!said.contains("no patch was found"), "{said}");
    // The patch of the tests is not the rollout's, and of two none is.
    for text in [
        OWN.replace("final_diff", "gold_diff"),
        OWN.replace(
            "\"attempt\":0",
            "\"attempt\":0,\"other\":\"--- a\\n+++ b\\n@@ -1 +1 @@\\n\"",
        ),
    ] {
        let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
        assert_eq!(map_of(&loaded), "id=attempt,steps=chat,group=prob");
        assert!(loaded.guessed[0].to_string().contains("no patch was found"));
    }
    // Messages without an answer are a prompt.
    let text = OWN.replace("assistant", "user");
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(map_of(&loaded), "id=attempt,patch=final_diff,group=prob");
}

#[test]
fn columns_that_no_guess_takes_are_told_once_a_file() {
    let row = |n: u32| {
        format!(
            "{{\"prob\":\"bug-{}\",\"attempt\":{n},\"tests\":{{\"ok\":true}},\"log\":\"x\"}}\n",
            n / 2
        )
    };
    let text: String = (0..8).map(row).collect();
    let root = folder(&[
        ("a/x.jsonl", text.as_bytes()),
        ("a/y.jsonl", text.as_bytes()),
    ]);
    let options = LoadOptions::default();
    let named = load(&[root.path().join("a/x.jsonl")], &options, &mut |_| true);
    let inside = load(&[root.path().to_path_buf()], &options, &mut |_| true);
    for loaded in [named, inside] {
        let told = problems(&loaded);
        assert_eq!(told.len(), 1, "{told:#?}");
        let words = "its columns: prob (text), attempt (number), tests (object: ok), log (text); \
                     `--map group=…,steps=…` reads them, here perhaps --map group=prob,id=attempt,reward=tests.ok";
        assert!(told[0].2.contains(words), "{told:#?}");
    }
    // Beside rollouts they are no problem, but still named.
    let root = folder(&[
        ("x.jsonl", text.as_bytes()),
        ("y.jsonl", OWN.as_bytes()),
        ("z.json", b"{\"a\":1}"),
    ]);
    let loaded = load(&[root.path().to_path_buf()], &options, &mut |_| true);
    assert_eq!(problems(&loaded), []);
    let left_out: Vec<_> = loaded.notes.iter().map(|f| f.reason.as_str()).collect();
    assert_eq!(left_out.len(), 2, "{left_out:?}");
    assert!(
        left_out[0].starts_with("its columns: prob (text)"),
        "{left_out:?}"
    );
    assert_eq!(left_out[1], "1 file is not a rollout file: z.json");
}

#[test]
fn a_column_with_the_tasks_name_goes_before_the_prompt() {
    let row = |task: &str, n: u32| {
        format!(
            "{{\"task\":\"{task}\",\"id\":{n},\"score\":1,\"messages\":[{{\"role\":\"user\",\"content\":\"q{n}\"}}]}}\n"
        )
    };
    let text = row("t1", 1) + &row("t1", 2) + &row("t2", 3);
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(
        map_of(&loaded),
        "steps=messages,reward=score,group=task,id=id"
    );
    assert_eq!(loaded.groups.len(), 2);
    // A whole task is no name.
    let long = "a long story ".repeat(20);
    let text = row(&long, 1) + &row(&long, 2) + &row("t2", 3);
    let (loaded, _root) = load_folder(&[("x.jsonl", text.replace("\"id\"", "\"n\"").as_bytes())]);
    assert_eq!(
        map_of(&loaded),
        "steps=messages,reward=score,task=task,group=@prompt"
    );
    let said = loaded.guessed[0].to_string();
    assert!(
        said.contains("no task's name was found: equal first user messages make a group"),
        "{said}"
    );
}
