//! Guesses a map from the first records of a file: by the names of their columns and by what stands
//! under them.
//!
//! What is *not* here: reading records through a map.

use std::collections::BTreeSet;

use super::field_map::{FieldMap, FieldPath, MapKey, follow};
use crate::formats::chat;
use crate::formats::files::Record;
use crate::formats::json::{self, Fields, Kind, Raw};
use crate::formats::rollout::Verdict;

/// What has to stand under a column for it to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
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
            "patch",
            "diff",
            "test_result.git_patch",
            "info.submission",
        ],
    ),
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

/// Whether a record is a row of a table of rollouts: messages in one column and, in others, the
/// patch, the verdict or the rollout's id, which neither a prediction nor a trace alone has.
pub(crate) fn is_row(fields: &Fields<'_>) -> bool {
    // Columns are there where a row has nothing to say, too.
    let has = |columns: &[&str]| columns.iter().any(|column| fields.has(column));
    has(GROUP)
        && (has(VERDICT) || has(&["trajectory_id", "traj_id", "generated_patch", "git_patch"]))
        && !fields.has("info")
        && TURNS.iter().any(|column| {
            let turns = fields.raw(column);
            turns.is_some_and(|raw| raw.get() == "null" || is_turns(raw))
        })
}

/// The map that fits these records, and the columns it does not use; `None` when there is no list of
/// messages, and no patch with a task's name.
pub(super) fn guess(records: &[&Record<'_>]) -> Option<(FieldMap, Vec<String>)> {
    let rows: Vec<&Fields<'_>> = records
        .iter()
        .filter_map(|record| record.fields())
        .collect();
    if rows.is_empty() {
        return None;
    }
    let mut map = FieldMap::default();
    for (key, shape, names) in NAMES {
        let fits = names.iter().map(|name| path(name)).find(|path| {
            let is_taken = map.fields().any(|(_, known)| known == path);
            !is_taken && fits(&rows, path, *shape)
        });
        if let Some(path) = fits {
            map.set(*key, path);
        }
    }
    // A task row's own `patch` is the reference.
    if map.get(MapKey::Patch) == Some(&FieldPath::column("patch"))
        && rows.iter().any(|row| row.has("test_patch"))
    {
        map.remove(MapKey::Patch);
    }
    let has_steps = map.get(MapKey::Steps).is_some();
    if map.get(MapKey::Group).is_none() {
        name_group(records, &rows, &mut map)?;
    }
    if !has_steps && map.get(MapKey::Patch).is_none() {
        return None;
    }
    drop_ambiguous_id(&rows, &mut map);
    let left_over = left_over(&rows, &map);
    Some((map, left_over))
}

fn path(name: &str) -> FieldPath {
    FieldPath::Columns(name.split('.').map(str::to_owned).collect())
}

/// Finds the group of records without a column that names the task.
fn name_group(records: &[&Record<'_>], rows: &[&Fields<'_>], map: &mut FieldMap) -> Option<()> {
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
    let mut columns: Vec<String> = Vec::new();
    for key in rows.iter().flat_map(|row| row.keys()) {
        let is_used = map.fields().any(|(_, path)| path.first() == Some(key));
        if !is_used && !columns.iter().any(|column| column == key) {
            columns.push(key.to_owned());
        }
    }
    columns
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

/// Whether what stands at a path has the shape in every record, and is there in one at least. A
/// task's name has to be there in most.
fn fits(rows: &[&Fields<'_>], path: &FieldPath, shape: Shape) -> bool {
    let values = values(rows, path);
    let enough = match shape {
        Shape::Id | Shape::Turns => values.len() * 2 > rows.len(),
        _ => !values.is_empty(),
    };
    enough && values.iter().all(|value| has_shape(value, shape))
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
    }
}

/// Whether a value is a list of messages or steps, or a text that holds one as JSON.
fn is_turns(raw: Raw<'_>) -> bool {
    match raw.kind() {
        Kind::List => json::list("", raw).is_ok_and(|items| is_turn_list(&items)),
        Kind::Text => {
            let text = json::text("", raw.get()).unwrap_or_default();
            text.trim_start().starts_with('[')
                && json::elements(text.trim()).is_ok_and(|items| is_turn_list(&items))
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
