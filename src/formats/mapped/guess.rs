//! Guesses a map from the first records of a file: by the names of their columns and by what stands
//! under them.
//!
//! What is *not* here: reading records through a map, and the words about columns that no guess
//! takes (`columns`).

use std::collections::BTreeSet;

use super::field_map::{FieldMap, FieldPath, MapKey, follow};
use crate::formats::chat;
use crate::formats::files::Record;
use crate::formats::json::{self, Fields, Kind, Raw};
use crate::formats::rollout::Verdict;

/// What has to stand under a column for it to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A text or a number.
    Id,
    /// A text.
    Text,
    /// A text, or a list of messages.
    Prompt,
    /// A number, a boolean or a word for a verdict.
    Verdict,
    /// A number.
    Number,
    /// `true` or `false`, or a number.
    Flag,
    /// A list of messages or steps, or a text that holds one as JSON.
    Turns,
    /// A number, or one short line.
    Name,
    /// A list of messages with a role or a speaker, an answer among them, or a text that holds one as
    /// JSON.
    Chat,
    /// A text that reads as a diff.
    Diff,
    /// `true` or `false`, 0 or 1.
    Bit,
}

/// The columns that a field may be called, the likelier first; dots lead inside.
const NAMES: &[(MapKey, Shape, &[&str])] = &[
    (MapKey::Steps, Shape::Turns, TURNS),
    (MapKey::Group, Shape::Id, GROUP),
    (
        MapKey::Id,
        Shape::Id,
        &[
            "trajectory_id",
            "traj_id",
            "rollout_id",
            "run_id",
            "sample_id",
            "attempt_id",
            "attempt",
            "exp_name",
            "rollout_index",
            "sample_index",
            "uuid",
        ],
    ),
    (MapKey::Reward, Shape::Verdict, VERDICT),
    (
        MapKey::Patch,
        Shape::Text,
        &[
            "model_patch",
            "generated_patch",
            "output_patch",
            "git_patch",
            "final_patch",
            "fix_patch",
            "test_result.git_patch",
            "info.submission",
        ],
    ),
    // Versions, shares and labels are called so, too.
    (MapKey::Patch, Shape::Diff, &["patch", "diff"]),
    (
        MapKey::Policy,
        Shape::Id,
        &[
            "model_name_or_path",
            "model_name",
            "model",
            "policy",
            "agent",
        ],
    ),
    (
        MapKey::Task,
        Shape::Prompt,
        &[
            "problem_statement",
            "ds.problem_statement",
            "instruction",
            "issue",
            "question",
            "prompt",
            "task",
        ],
    ),
    (MapKey::Repo, Shape::Text, &["repo", "repo_name", "ds.repo"]),
    (
        MapKey::BaseCommit,
        Shape::Text,
        &["base_commit", "ds.base_commit"],
    ),
    (
        MapKey::Step,
        Shape::Number,
        &["training_step", "global_step", "step"],
    ),
    (MapKey::Advantage, Shape::Number, &["advantage"]),
    (
        MapKey::Truncated,
        Shape::Flag,
        &["truncated", "is_truncated"],
    ),
    (MapKey::Masked, Shape::Flag, &["masked", "mask_sample"]),
    (
        MapKey::Cost,
        Shape::Number,
        &["cost_usd", "total_cost", "instance_cost", "cost"],
    ),
    (
        MapKey::TokensIn,
        Shape::Number,
        &[
            "prompt_tokens",
            "input_tokens",
            "tokens_in",
            "usage.prompt_tokens",
        ],
    ),
    (
        MapKey::TokensOut,
        Shape::Number,
        &[
            "completion_tokens",
            "output_tokens",
            "tokens_out",
            "usage.completion_tokens",
        ],
    ),
    (
        MapKey::ExitStatus,
        Shape::Text,
        &["exit_status", "exit_reason"],
    ),
];

/// Longest value (bytes of JSON) that is taken for the name of a task.
const LONGEST_NAME: usize = 100;

const TURNS: &[&str] = &[
    "messages",
    "trajectory",
    "conversations",
    "conversation",
    "history",
    "trajectory_steps",
    "completion",
];

const GROUP: &[&str] = &[
    "instance_id",
    "task_id",
    "problem_id",
    "ds.instance_id",
    "info.instance_id",
    "metadata.instance_id",
    "docker_image",
];

/// Columns that may name the task when none of [`GROUP`] is there; they hold a whole task as often.
const TASK_NAMES: &[&str] = &[
    "task_name",
    "problem_name",
    "issue_id",
    "bug_id",
    "question_id",
    "prompt_id",
    "example_id",
    "problem",
    "task",
    "prob",
    "issue",
    "bug",
];

/// Words in the names of columns whose diff is not the rollout's.
const NOT_HANDED_IN: &[&str] = &[
    "test", "gold", "ref", "oracle", "expected", "base", "before",
];

const VERDICT: &[&str] = &[
    "resolved",
    "target",
    "reward",
    "score",
    "success",
    "is_success",
    "passed",
    "correct",
    "label",
];

/// Columns that tell the rollouts of a task apart, or judge each: predictions of the harness have
/// neither, for there a task occurs once.
const OWN: &[&str] = &[
    "trajectory_id",
    "traj_id",
    "rollout_id",
    "run_id",
    "run",
    "sample_id",
    "attempt_id",
    "attempt",
    "rollout_index",
    "sample_index",
    "reward",
    "score",
    "success",
    "is_success",
    "passed",
    "correct",
];

/// Whether a record is a row of a table of rollouts, which neither a prediction nor a trace alone is:
/// messages in one column and, in others, the patch, the verdict or the rollout's id; or a patch with
/// the rollout's id or reward.
pub(crate) fn is_row(fields: &Fields<'_>) -> bool {
    // Columns are there where a row has nothing to say, too.
    let has = |columns: &[&str]| columns.iter().any(|column| fields.has(column));
    if !has(GROUP) || fields.has("info") {
        return false;
    }
    // A task row's own `patch` is the reference.
    let is_task = has(&["test_patch", "FAIL_TO_PASS"]);
    if has(OWN) && (has(&["model_patch"]) || (has(&["patch", "fix_patch"]) && !is_task)) {
        return true;
    }
    (has(VERDICT) || has(&["trajectory_id", "traj_id", "generated_patch", "git_patch"]))
        && TURNS.iter().any(|column| {
            fields
                .raw(column)
                .is_some_and(|raw| may_be_turns(column, raw))
        })
}

/// Whether a value may stand in a column of messages: also where a row has none, or broken ones.
fn may_be_turns(column: &str, raw: Raw<'_>) -> bool {
    match raw.kind() {
        Kind::List => json::list("", raw).is_ok_and(|items| {
            is_turn_list(&items) || items.iter().all(|item| item.get() == "null")
        }),
        Kind::Text => {
            let text = json::text("", raw.get()).unwrap_or_default();
            let text = text.trim_start();
            // What else stands under other names may be the path of a trace.
            column == "messages" || text.is_empty() || text.starts_with('[')
        }
        _ => raw.get() == "null",
    }
}

/// A guess.
#[derive(Debug)]
pub(super) struct Guess {
    /// The map.
    pub map: FieldMap,
    /// The columns it does not use, in file order.
    pub left_over: Vec<String>,
    /// A column that looks like a verdict, when the map has none.
    pub perhaps_reward: Option<FieldPath>,
}

/// The map that fits these records; `None` when there is no list of messages, and no patch with a
/// task's name.
pub(super) fn guess(records: &[&Record<'_>]) -> Option<Guess> {
    let rows: Vec<&Fields<'_>> = records
        .iter()
        .filter_map(|record| record.fields())
        .collect();
    if rows.is_empty() {
        return None;
    }
    let mut map = by_columns(&rows);
    let has_steps = map.get(MapKey::Steps).is_some();
    if map.get(MapKey::Group).is_none() {
        name_group(records, &rows, &mut map)?;
    }
    if !has_steps && map.get(MapKey::Patch).is_none() {
        return None;
    }
    drop_ambiguous_id(&rows, &mut map);
    let left_over = left_over(&rows, &map);
    let perhaps_reward = match map.get(MapKey::Reward) {
        None => likely_verdict(&rows, &map),
        Some(_) => None,
    };
    Some(Guess {
        map,
        left_over,
        perhaps_reward,
    })
}

/// What the columns are by their names and, for messages and patches, by what stands under them.
pub(super) fn by_columns(rows: &[&Fields<'_>]) -> FieldMap {
    let mut map = FieldMap::default();
    for (key, shape, names) in NAMES {
        // A field may have two rows, of different shapes.
        if map.get(*key).is_some() {
            continue;
        }
        let fits = names.iter().map(|name| path(name)).find(|path| {
            let is_taken = map.fields().any(|(_, known)| known == path);
            !is_taken && fits(rows, path, *shape)
        });
        if let Some(path) = fits {
            map.set(*key, path);
        }
    }
    // A task row's own `patch` is the reference.
    let is_task = rows.iter().any(|row| row.has("test_patch"));
    if map.get(MapKey::Patch) == Some(&FieldPath::column("patch")) && is_task {
        map.remove(MapKey::Patch);
    }
    if map.get(MapKey::Steps).is_none()
        && let Some(path) = only_of(rows, &map, Shape::Chat, |_| true)
    {
        map.set(MapKey::Steps, path);
    }
    let may_be_handed_in = |name: &str| {
        let name = name.to_ascii_lowercase();
        let is_other = NOT_HANDED_IN.iter().any(|word| name.contains(word));
        !is_other && (!is_task || name != "patch")
    };
    if map.get(MapKey::Patch).is_none()
        && let Some(path) = only_of(rows, &map, Shape::Diff, may_be_handed_in)
    {
        map.set(MapKey::Patch, path);
    }
    map
}

/// The only column of this shape that the map does not use; `None` when there are several.
fn only_of(
    rows: &[&Fields<'_>],
    map: &FieldMap,
    shape: Shape,
    accepts: impl Fn(&str) -> bool,
) -> Option<FieldPath> {
    let mut found = places(rows).into_iter().filter(|place| {
        let is_taken = map.fields().any(|(_, known)| known == place);
        !is_taken && accepts(&place.to_string()) && fits(rows, place, shape)
    });
    found.next().filter(|_| found.next().is_none())
}

/// A column that looks like a verdict but is not called like one surely: at the top, or one level
/// down.
pub(super) fn likely_verdict(rows: &[&Fields<'_>], map: &FieldMap) -> Option<FieldPath> {
    const WORDS: &[&str] = &[
        "passed", "pass", "ok", "resolved", "correct", "success", "solved", "reward", "score",
    ];
    let mut all = places(rows);
    // What is called so alone before what is called so among other words.
    let words = |place: &FieldPath| {
        let FieldPath::Columns(columns) = place else {
            return 0;
        };
        let last = columns.last().map(String::as_str).unwrap_or_default();
        let mut parts = last.split(|c: char| !c.is_alphanumeric());
        match parts.any(|part| WORDS.contains(&part.to_ascii_lowercase().as_str())) {
            true => last.len(),
            false => 0,
        }
    };
    all.retain(|place| words(place) > 0);
    all.sort_by_key(words);
    all.into_iter().find(|place| {
        let is_taken = map.fields().any(|(_, known)| known == place);
        !is_taken && fits(rows, place, Shape::Bit)
    })
}

/// A column that looks like the name of a task: short values of which some come again.
pub(super) fn likely_group(rows: &[&Fields<'_>], map: &FieldMap) -> Option<FieldPath> {
    let mut named = TASK_NAMES.iter().map(|name| path(name));
    if let Some(found) = named.find(|place| fits(rows, place, Shape::Name)) {
        return Some(found);
    }
    let comes_again = |place: &FieldPath| {
        let values = values(rows, place);
        let different: BTreeSet<&String> = values.iter().collect();
        let is_text = values.iter().all(|value| json::kind(value) == Kind::Text);
        is_text && different.len() > 1 && different.len() < values.len()
    };
    columns(rows)
        .into_iter()
        .map(FieldPath::column)
        .filter(|place| !map.fields().any(|(_, known)| known == place))
        .find(|place| fits(rows, place, Shape::Name) && comes_again(place))
}

/// The top-level columns, in file order.
pub(super) fn columns<'r>(rows: &[&'r Fields<'_>]) -> Vec<&'r str> {
    let mut seen = BTreeSet::new();
    let keys = rows.iter().flat_map(|row| row.keys());
    keys.filter(|key| seen.insert(*key)).collect()
}

/// The columns at the top and those one level down, in file order.
fn places(rows: &[&Fields<'_>]) -> Vec<FieldPath> {
    let mut all = Vec::new();
    for column in columns(rows) {
        all.push(FieldPath::column(column));
        let mut seen = BTreeSet::new();
        for raw in rows.iter().filter_map(|row| row.some(column)) {
            let Ok(inner) = Fields::of("", raw) else {
                continue;
            };
            for key in inner.keys().filter(|key| !key.is_empty()) {
                if seen.insert(key.to_owned()) {
                    let path = vec![column.to_owned(), key.to_owned()];
                    all.push(FieldPath::Columns(path));
                }
            }
        }
    }
    all
}

fn path(name: &str) -> FieldPath {
    FieldPath::Columns(name.split('.').map(str::to_owned).collect())
}

/// Finds the group of records without a column that surely names the task.
fn name_group(records: &[&Record<'_>], rows: &[&Fields<'_>], map: &mut FieldMap) -> Option<()> {
    let mut names = TASK_NAMES.iter().map(|name| path(name));
    if let Some(name) = names.find(|name| fits(rows, name, Shape::Name)) {
        if map.get(MapKey::Task) == Some(&name) {
            map.remove(MapKey::Task);
        }
        map.set(MapKey::Group, name);
        let id = FieldPath::column("id");
        if map.get(MapKey::Id).is_none() && fits(rows, &id, Shape::Id) {
            map.set(MapKey::Id, id);
        }
        return Some(());
    }
    let has_key = |record: &&Record<'_>| record.key.as_deref().is_some_and(|key| key != "data");
    if records.iter().all(has_key) {
        map.set(MapKey::Group, FieldPath::RecordKey);
        return Some(());
    }
    let steps = map.get(MapKey::Steps).cloned();
    let prompts: Vec<String> = rows
        .iter()
        .filter_map(|row| map.value(row, MapKey::Steps))
        .filter_map(|turns| chat::first_user_text(&turns))
        .collect();
    let id = FieldPath::column("id");
    let has_id = fits(rows, &id, Shape::Id);
    let different = |texts: &[String]| texts.iter().collect::<BTreeSet<_>>().len();
    let ids = values(rows, &id);
    // An id of its own for each answer to one prompt tells the answers apart, not the tasks.
    let is_rollout = different(&ids) == ids.len() && different(&prompts) < prompts.len();
    if has_id && !is_rollout {
        map.set(MapKey::Group, id);
    } else if steps.is_some() && !prompts.is_empty() {
        map.set(MapKey::Group, FieldPath::Prompt);
        if has_id && map.get(MapKey::Id).is_none() {
            map.set(MapKey::Id, id);
        }
    } else {
        return None;
    }
    Some(())
}

/// An id that occurs twice in a group does not tell its rollouts apart.
fn drop_ambiguous_id(rows: &[&Fields<'_>], map: &mut FieldMap) {
    let Some(FieldPath::Columns(id)) = map.get(MapKey::Id) else {
        return;
    };
    let mut seen = BTreeSet::new();
    let is_clear = rows.iter().all(|row| {
        let group = map.value(row, MapKey::Group).map(|text| text.into_owned());
        seen.insert((group, follow(row, id).map(|text| text.into_owned())))
    });
    if !is_clear && map.get(MapKey::Group) != Some(&FieldPath::RecordKey) {
        map.remove(MapKey::Id);
    }
}

/// The top-level columns that no path of the map begins with, in file order.
fn left_over(rows: &[&Fields<'_>], map: &FieldMap) -> Vec<String> {
    let is_used = |key: &str| map.fields().any(|(_, path)| path.first() == Some(key));
    let all = columns(rows).into_iter();
    all.filter(|key| !is_used(key)).map(str::to_owned).collect()
}

fn values(rows: &[&Fields<'_>], path: &FieldPath) -> Vec<String> {
    let FieldPath::Columns(columns) = path else {
        return Vec::new();
    };
    rows.iter()
        .filter_map(|row| follow(row, columns))
        .map(|text| text.into_owned())
        .collect()
}

/// Whether what stands at a path has the shape in most of the records that have something there: one
/// odd record is its own problem. A task's name and the messages have to be there in most records.
pub(super) fn fits(rows: &[&Fields<'_>], path: &FieldPath, shape: Shape) -> bool {
    let values = values(rows, path);
    let enough = match shape {
        Shape::Id | Shape::Turns | Shape::Name | Shape::Chat => values.len() * 2 > rows.len(),
        _ => true,
    };
    if !enough {
        return false;
    }
    let (mut fitting, mut others) = (0, 0);
    for value in &values {
        if has_shape(value, shape) {
            fitting += 1;
        } else if !is_empty(value) {
            others += 1;
        }
    }
    fitting > others
}

/// Whether a value says that there is nothing.
pub(super) fn is_empty(value: &str) -> bool {
    matches!(
        value.split_whitespace().collect::<String>().as_str(),
        "\"\"" | "[]" | "{}" | "\"[]\"" | "\"{}\""
    )
}

fn has_shape(value: &str, shape: Shape) -> bool {
    let kind = json::kind(value);
    let raw = Raw::known(value);
    match shape {
        Shape::Id => kind == Kind::Number || (kind == Kind::Text && value.len() < 1000),
        Shape::Text => kind == Kind::Text,
        Shape::Prompt => kind == Kind::Text || is_turns(raw),
        Shape::Verdict => Verdict::of(Some(raw), 0.5).is_ok(),
        Shape::Number => kind == Kind::Number,
        Shape::Flag => matches!(kind, Kind::Word | Kind::Number),
        Shape::Turns => is_turns(raw),
        Shape::Name => {
            kind == Kind::Number
                || (kind == Kind::Text
                    && (3..=LONGEST_NAME).contains(&value.len())
                    && !value.contains("\\n"))
        }
        Shape::Chat => with_items(raw, is_chat),
        Shape::Diff => {
            kind == Kind::Text
                && value.contains("+++ ")
                && json::text("", value).is_ok_and(|text| is_diff(&text))
        }
        Shape::Bit => matches!(value, "true" | "false" | "0" | "1" | "0.0" | "1.0"),
    }
}

/// Whether a text reads as a diff.
fn is_diff(text: &str) -> bool {
    let has_line = |start: &str| text.lines().any(|line| line.starts_with(start));
    has_line("--- ") && has_line("+++ ") && has_line("@@ ")
}

/// Whether these are messages of a conversation with an answer.
fn is_chat(items: &[Raw<'_>]) -> bool {
    let mut has_answer = false;
    let is_message = |raw: &Raw<'_>| {
        let Ok(fields) = Fields::of("", *raw) else {
            return false;
        };
        let role = ["role", "from"].iter().find_map(|key| fields.some(key));
        let role = role.and_then(|raw| json::text("", raw.get()).ok());
        has_answer |= role.as_deref().is_some_and(|role| {
            ["assistant", "gpt", "ai", "model", "bot", "chatbot"].contains(&role)
        });
        let has_text = ["content", "value", "text", "tool_calls"];
        role.is_some() && has_text.iter().any(|key| fields.has(key))
    };
    !items.is_empty() && items.iter().all(is_message) && has_answer
}

/// Whether a value is a list of messages or steps, or a text that holds one as JSON.
pub(super) fn is_turns(raw: Raw<'_>) -> bool {
    with_items(raw, is_turn_list)
}

/// What is answered of the elements of a list, or of one that a text holds as JSON.
fn with_items(raw: Raw<'_>, answer: impl FnOnce(&[Raw<'_>]) -> bool) -> bool {
    match raw.kind() {
        Kind::List => json::list("", raw).is_ok_and(|items| answer(&items)),
        Kind::Text => {
            let text = json::text("", raw.get()).unwrap_or_default();
            text.trim_start().starts_with('[')
                && json::elements(text.trim()).is_ok_and(|items| answer(&items))
        }
        _ => false,
    }
}

fn is_turn_list(items: &[Raw<'_>]) -> bool {
    items.first().is_some_and(|raw| {
        raw.kind() == Kind::Object
            && Fields::of("", *raw).is_ok_and(|fields| {
                ["role", "from", "action", "observation"]
                    .iter()
                    .any(|key| fields.has(key))
                    || (fields.has("type")
                        && ["content", "output", "arguments", "timestamp"]
                            .iter()
                            .any(|key| fields.has(key)))
            })
    })
}
