//! What is written as `gagar.group/1` loads as the same groups with the same texts.

use std::fs;
use std::path::{Path, PathBuf};

use gagar::domain::{Extra, PatchPresence};
use gagar::export::write_group;
use gagar::formats::{LoadedSet, load};

use super::{load_all, real_data};

/// Writes everything of a set and loads what was written.
fn again(set: &LoadedSet) -> (LoadedSet, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("groups.jsonl");
    let mut out = Vec::new();
    for (index, group) in set.groups.iter().enumerate() {
        let content = set.open(index).unwrap();
        let lost = write_group(&mut out, group, &content, &set.answers[index]).unwrap();
        assert_eq!(lost, Vec::<String>::new(), "{}", group.id);
    }
    let lines = out.split(|byte| *byte == b'\n').count() - 1;
    assert_eq!(lines, set.groups.len(), "one line a group");
    fs::write(&path, out).unwrap();
    let loaded = load_all(std::slice::from_ref(&path));
    assert_eq!(loaded.problems, []);
    assert_same(set, &loaded);
    (loaded, folder)
}

/// Raw JSON may be spaced and escaped in another way; it must mean the same.
fn meaning(extra: &Extra) -> Vec<(String, serde_json::Value)> {
    let pairs = extra.0.iter();
    pairs
        .map(|(key, json)| {
            let value = serde_json::from_str(json);
            (key.clone(), value.unwrap_or_else(|_| json.clone().into()))
        })
        .collect()
}

fn assert_same(before: &LoadedSet, after: &LoadedSet) {
    assert_eq!(before.groups.len(), after.groups.len());
    for (index, (old, new)) in before.groups.iter().zip(&after.groups).enumerate() {
        assert_eq!(old.fingerprint, new.fingerprint, "{}", old.id);
        assert_eq!(meaning(&old.meta), meaning(&new.meta), "{}", old.id);
        let (mut plain_old, mut plain_new) = ((**old).clone(), (**new).clone());
        for plain in [&mut plain_old, &mut plain_new] {
            plain.meta = Extra::default();
        }
        for (old, new) in plain_old
            .trajectories
            .iter_mut()
            .zip(&mut plain_new.trajectories)
        {
            assert_eq!(meaning(&old.meta), meaning(&new.meta), "{}", old.id);
            old.meta = Extra::default();
            new.meta = Extra::default();
        }
        assert_eq!(plain_old, plain_new);
        let (mut old_texts, mut new_texts) =
            (before.open(index).unwrap(), after.open(index).unwrap());
        assert_eq!(new_texts.problems, Vec::<String>::new(), "{}", old.id);
        // What could not be opened before was told then.
        old_texts.problems.clear();
        for texts in [&mut old_texts, &mut new_texts] {
            for step in texts.trajectories.iter_mut().flat_map(|t| &mut t.steps) {
                let value = step
                    .args
                    .as_deref()
                    .map(serde_json::from_str::<serde_json::Value>);
                if let Some(Ok(value)) = value {
                    step.args = Some(value.to_string());
                }
            }
        }
        assert_eq!(old_texts, new_texts, "{}", old.id);
        assert_eq!(before.answers[index], after.answers[index], "{}", old.id);
    }
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sample-data")
        .join(name)
}

/// A round for every folder in a folder; answers how many groups there were.
fn rounds(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let mut groups = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let set = load_all(std::slice::from_ref(&path));
            println!("{}: {} groups", path.display(), set.groups.len());
            groups += set.groups.len();
            if !set.groups.is_empty() {
                again(&again(&set).0);
            }
        }
    }
    groups
}

#[test]
fn the_sample_data_is_the_same_after_a_round() {
    assert!(rounds(&sample("")) > 0);
    rounds(&sample("formats"));
}

#[test]
fn the_real_data_is_the_same_after_a_round() {
    let Some(data) = real_data() else { return };
    assert!(rounds(&data.join("groups")) > 0);
    rounds(&data.join("formats"));
    rounds(&data.join("constructed"));
}

/// Every control character, what hides in a terminal, and the replacement character.
fn every_control() -> String {
    let controls = (0_u32..0xa0).chain([0x61c, 0x200b, 0x202e, 0x2028, 0x2066, 0xfeff, 0xfffd]);
    let mut text: String = controls.filter_map(char::from_u32).collect();
    text.push_str("\\u202e \\ \" é 日 😀\r\n");
    text
}

#[test]
fn strange_texts_numbers_and_keys_are_the_same_after_a_round() {
    let odd = serde_json::to_string(&every_control()).unwrap();
    // Ids in a record that has to be mended hold no replacement character.
    let id = every_control().replace('\u{fffd}', "");
    let id = serde_json::to_string(&id).unwrap();
    let line = format!(
        r#"{{"group_id":{id},"step":-3,"task":{{"text":{odd},"tests":{{"fail_to_pass":[{odd}]}}}},
"base_files":{{{odd}:{odd},"b":""}},"colour":{{"a": [1,
2], "b": {odd}}},"meta":7,
"trajectories":[
{{"trajectory_id":"a{inner}","outcome":"pass","reward":0.25,"patch":{odd},"policy":"","masked":true,"truncated":true,"zeal":{odd},
"steps":[{{"kind":"tool_call","args":{{"x": {odd},
"y":null}},"text":"","tokens":3,"cost_usd":0.1,"time":"12:00","truncated":true}},
{{"kind":"odd","args":"\ud800 lone"}},{{"args_text":"{{not json","id":"c"}}],
"tests":[{{"name":"t","status":"pass"}},{{"name":"u","group":"g","status":"error","message":{odd}}}],"test_log":{odd},
"tokens":{{"output":5}},"cost_usd":1e-300,"wall_ms":9,"exit_status":{odd}}},
{{"trajectory_id":"b","reward":NaN,"patch":""}},
{{"trajectory_id":"c","reward":null,"patch":null,"steps":[],"tests":[]}},
{{"trajectory_id":"d","reward":-0.0}},
{{"trajectory_id":"e","outcome":"fail","advantage":-1.5,"patch":"no diff \ud800"}}]}}"#,
        inner = id.trim_matches('"'),
    )
    .replace('\n', " ");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.jsonl");
    fs::write(&path, format!("{line}\n")).unwrap();
    let set = load_all(std::slice::from_ref(&path));
    let reasons: Vec<&str> = set.problems.iter().map(|p| p.reason.as_str()).collect();
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    let presence = |set: &LoadedSet| -> Vec<PatchPresence> {
        let all = set.groups[0].trajectories.iter();
        all.map(|t| t.patch.presence).collect()
    };
    use PatchPresence::{Empty, Missing, NotADiff};
    let expected = [NotADiff, Empty, Missing, Missing, NotADiff];
    assert_eq!(presence(&set), expected);
    let (after, _folder) = again(&set);
    assert_eq!(presence(&after), expected);
    assert_eq!(after.groups[0].id, set.groups[0].id);
    assert_eq!(
        after.open(0).unwrap().trajectories[0].patch.as_deref(),
        Some(every_control().as_str())
    );
    assert_eq!(
        after.groups[0].trajectories[1].marks[0],
        "the reward is NaN"
    );
    assert_eq!(after.groups[0].meta.0.len(), 2);
}

#[test]
fn a_line_holds_no_character_that_drives_a_terminal() {
    let set = load_all(&[sample("native")]);
    let mut group = (*set.groups[0]).clone();
    let mut content = set.open(0).unwrap();
    group.id.0 = every_control();
    content.task.text = Some(every_control());
    group.meta = Extra(vec![(
        "k".into(),
        serde_json::to_string(&every_control()).unwrap(),
    )]);
    let mut out = Vec::new();
    write_group(&mut out, &group, &content, &[]).unwrap();
    let text = String::from_utf8(out).unwrap();
    let line = text.strip_suffix('\n').unwrap();
    assert!(!line.chars().any(char::is_control));
    assert!(!line.contains(['\u{202e}', '\u{200b}', '\u{feff}']));
}

#[test]
fn what_options_decided_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let line = r#"{"group_id":"g","trajectories":[{"trajectory_id":"a","reward":0.3},{"trajectory_id":"b","reward":0.1}]}"#;
    fs::write(&path, line).unwrap();
    let options = gagar::formats::LoadOptions {
        pass_at: 0.2,
        ..Default::default()
    };
    let set = load(&[path], &options, &mut |_| true);
    let (after, _folder) = again(&set);
    assert!(after.groups[0].trajectories[0].outcome.is_pass());
}

#[test]
fn a_key_of_meta_that_occurs_twice_is_told_and_kept_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let line = r#"{"group_id":"g","":1,"meta":{"":2,"k":3},"trajectories":[{"trajectory_id":"a","reward":1,"meta":{"":4,"":5}}]}"#;
    fs::write(&path, line).unwrap();
    let set = load_all(&[path]);
    let reasons: Vec<&str> = set.problems.iter().map(|p| p.reason.as_str()).collect();
    assert_eq!(
        reasons,
        ["meta: \"\": the key occurs twice, the last counts"; 2]
    );
    let pair = |key: &str, json: &str| (key.to_owned(), json.to_owned());
    let group = &set.groups[0];
    assert_eq!(group.meta.0, [pair("", "2"), pair("k", "3")]);
    assert_eq!(group.trajectories[0].meta.0, [pair("", "5")]);
    again(&set);
}

/// Random groups as a loader may hand them over, each thing known or not by itself.
mod random {
    use gagar::diff::summarize;
    use gagar::domain::{
        Content, Extra, GroupId, Outcome, RolloutGroup, Step, StepKind, TaskContent, TaskSummary,
        TestCounts, TestResult, TestStatus, Trajectory, TrajectoryContent,
    };
    use proptest::option::of;
    use proptest::prelude::*;

    /// Any characters, controls among them.
    fn text() -> impl Strategy<Value = String> {
        let chars = prop::collection::vec(any::<char>(), 0..12);
        chars.prop_map(|chars| chars.into_iter().collect())
    }

    fn number() -> impl Strategy<Value = f64> {
        any::<f64>().prop_filter("finite", |value| value.is_finite())
    }

    /// Counts are read as numbers: exact below 2^53.
    fn count() -> impl Strategy<Value = u64> {
        0..1_u64 << 53
    }

    fn json() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("[1, {\"a\":null}]".to_owned()),
            Just("-0.0".to_owned()),
            Just("{\"command\":\"ls\"}".to_owned()),
            text().prop_map(|text| serde_json::to_string(&text).unwrap()),
        ]
    }

    fn extra() -> impl Strategy<Value = Extra> {
        // A record's keys are told once: the first counts.
        let pairs = prop::collection::btree_map(text(), json(), 0..3);
        pairs.prop_map(|pairs| Extra(pairs.into_iter().collect()))
    }

    fn step() -> impl Strategy<Value = Step> {
        let kind = of(prop::sample::select(StepKind::ALL.to_vec()));
        let texts = (
            of(text()),
            text(),
            of(text()),
            of(prop_oneof![json(), text()]),
        );
        let numbers = (of(any::<i64>()), of(count()), of(count()), of(number()));
        (kind, texts, of(text()), numbers, of(text()), any::<bool>()).prop_map(
            |(kind, (role, text, tool, args), call_id, numbers, time, truncated)| Step {
                kind,
                role,
                text,
                tool,
                args,
                call_id,
                exit_code: numbers.0,
                ms: numbers.1,
                tokens: numbers.2,
                cost_usd: numbers.3,
                time,
                truncated,
                failed: !truncated,
            },
        )
    }

    fn test() -> impl Strategy<Value = TestResult> {
        use TestStatus::{Error, Fail, Pass, Skip, Unknown};
        let status = prop::sample::select(vec![Pass, Fail, Error, Skip, Unknown]);
        (text(), text(), status, of(text())).prop_map(|(name, group, status, message)| TestResult {
            name,
            group,
            status,
            message,
        })
    }

    fn trajectory() -> impl Strategy<Value = (Trajectory, TrajectoryContent)> {
        let verdict = prop_oneof![
            Just((Outcome::Unscored, None)),
            number().prop_map(|reward| (Outcome::Pass, Some(reward))),
            number().prop_map(|reward| (Outcome::Fail, Some(reward))),
        ];
        let texts = (
            of(text()),
            prop::collection::vec(step(), 0..4),
            prop::collection::vec(test(), 0..3),
            of(text()),
        );
        let counts = (of(0_u32..9), of((0_u32..9, 0_u32..9)));
        let numbers = (
            of(number()),
            of(count()),
            of(count()),
            of(number()),
            of(count()),
        );
        let words = (of(text()), of(text()), prop::collection::vec(text(), 0..3));
        let flags = (any::<bool>(), any::<bool>());
        (verdict, texts, counts, numbers, words, flags, extra()).prop_map(
            |(verdict, texts, counts, numbers, words, flags, meta)| {
                let mut trajectory = Trajectory::new("", verdict.0);
                trajectory.reward = verdict.1;
                trajectory.patch = summarize(texts.0.as_deref());
                trajectory.steps = counts.0;
                trajectory.tests = counts
                    .1
                    .map(|(passed, failed)| TestCounts { passed, failed });
                trajectory.recorded_advantage = numbers.0;
                trajectory.input_tokens = numbers.1;
                trajectory.output_tokens = numbers.2;
                trajectory.cost_usd = numbers.3;
                trajectory.wall_ms = numbers.4;
                trajectory.policy = words.0;
                trajectory.exit_status = words.1;
                trajectory.marks = words.2;
                (trajectory.masked, trajectory.truncated) = flags;
                // What is masked has no verdict.
                if trajectory.masked {
                    (trajectory.outcome, trajectory.reward) = (Outcome::Unscored, None);
                }
                trajectory.meta = meta;
                let content = TrajectoryContent {
                    patch: texts.0,
                    steps: texts.1,
                    tests: texts.2,
                    test_log: texts.3,
                };
                (trajectory, content)
            },
        )
    }

    fn task() -> impl Strategy<Value = (TaskSummary, TaskContent)> {
        let names = || prop::collection::vec(text(), 0..3);
        let summary = (of(text()), of(text()), of(text()), any::<bool>());
        let files = prop::collection::vec((text(), text()), 0..3);
        (summary, of(text()), of(text()), names(), names(), files).prop_map(
            |(summary, text, reference_patch, fail_to_pass, pass_to_pass, base_files)| {
                let summary = TaskSummary {
                    title: summary.0,
                    repo: summary.1,
                    base_commit: summary.2,
                    has_reference: summary.3,
                };
                let content = TaskContent {
                    text,
                    reference_patch,
                    fail_to_pass,
                    pass_to_pass,
                    base_files,
                };
                (summary, content)
            },
        )
    }

    /// A group and its texts; ids are not empty and differ.
    pub(super) fn group() -> impl Strategy<Value = (RolloutGroup, Content)> {
        let trajectories = prop::collection::vec(trajectory(), 1..4);
        (text(), of(any::<i64>()), task(), trajectories, extra()).prop_map(
            |(id, step, (summary, task), pairs, meta)| {
                let (mut trajectories, contents): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
                for (index, trajectory) in trajectories.iter_mut().enumerate() {
                    trajectory.id.0 = format!("{index}{id}");
                }
                let group = RolloutGroup {
                    id: GroupId(format!("g{id}")),
                    step,
                    task: summary,
                    trajectories,
                    fingerprint: String::new(),
                    meta,
                };
                let content = Content {
                    task,
                    trajectories: contents,
                    problems: Vec::new(),
                };
                (group, content)
            },
        )
    }
}

proptest::proptest! {
    #[test]
    fn any_group_is_the_same_after_a_round((group, content) in random::group()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("groups.jsonl");
        let mut out = Vec::new();
        write_group(&mut out, &group, &content, &[]).unwrap();
        fs::write(&path, out).unwrap();
        let loaded = load_all(&[path]);
        proptest::prop_assert_eq!(&loaded.problems, &[]);
        let mut found = gagar::domain::RolloutGroup::clone(&loaded.groups[0]);
        found.fingerprint.clear();
        let mut group = group;
        for group in [&mut found, &mut group] {
            spaced_alike(&mut group.meta);
            for trajectory in &mut group.trajectories {
                spaced_alike(&mut trajectory.meta);
            }
        }
        proptest::prop_assert_eq!(found, group);
        let (mut found, mut content) = (loaded.open(0).unwrap(), content);
        for texts in [&mut found, &mut content] {
            for step in texts.trajectories.iter_mut().flat_map(|t| &mut t.steps) {
                if let Some(args) = &mut step.args {
                    *args = escaped_alike(args);
                }
            }
        }
        proptest::prop_assert_eq!(found, content);
    }
}

/// JSON written in one way, whatever its blanks and escapes were.
fn escaped_alike(json: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(json) {
        Ok(value) => value.to_string(),
        Err(_) => json.to_owned(),
    }
}

fn spaced_alike(extra: &mut Extra) {
    for (_, json) in &mut extra.0 {
        *json = escaped_alike(json);
    }
}
