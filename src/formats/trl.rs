//! TRL completion logs, rows of Parquet or JSON: prompt, completion, a column per reward function, advantage.
//!
//! What is *not* here: reading Parquet (`table`).

use crate::domain::{Outcome, Trajectory};

use super::files::{Body, Record};
use super::found::{Found, Scope};
use super::json::{self, Fields, JsonError, Kind};
use super::prompt_answer::{PromptAnswer, prompt_name, recorded_patch};
use super::rollout::{self, Opened, Rollout, Verdict, extra, place_name};

/// Columns that are no rewards.
const KNOWN: &[&str] = &[
    "step",
    "prompt",
    "completion",
    "advantage",
    "image",
    "images",
];

/// A prompt and a completion with an advantage or, as TRL logged it at first, a step and a reward.
pub(crate) fn is_row(record: &Record<'_>) -> bool {
    record.fields().is_some_and(|fields| {
        let is_reward = |key: &str| key.contains("reward");
        fields.has("prompt")
            && fields.has("completion")
            && (fields.has("advantage") || fields.has("step") && fields.keys().any(is_reward))
            && !fields.has("example_id")
            && !fields.has("task_id")
    })
}

/// Reads what the index needs of a row.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let step = found.note(record, "step", fields.integer("step"));
    let prompt = fields.raw("prompt").map_or("", |raw| raw.get());
    let group = prompt_name(step, prompt);
    let id = place_name(record);
    let name = format!("{group}/{id}");
    let mut trajectory = Trajectory::new(id, Outcome::Unscored);
    let (reward, columns) = reward(fields);
    Verdict::of_reward(reward, found.options.pass_at).put(&mut trajectory);
    match columns.as_slice() {
        [] => trajectory.marks.push("no reward column".to_owned()),
        [_] => {}
        several => {
            let mark = format!("reward = {}", several.join(" + "));
            trajectory.marks.push(mark);
        }
    }
    let advantage = found.note(record, &name, fields.number("advantage"));
    trajectory.recorded_advantage = advantage.filter(|value| value.is_finite());
    let task = match texts(fields) {
        Ok(texts) => Some(texts.describe(&mut trajectory)),
        Err(error) => {
            found.problem(record, Some(&name), error.to_string());
            None
        }
    };
    trajectory.meta = extra(fields, KNOWN);
    found.rollout(
        record,
        Rollout {
            scope: Some(Scope::folder_of(&found.path)),
            step,
            task,
            ..Rollout::new(group, trajectory)
        },
    );
}

/// The reward and the columns it is the sum of: `reward` alone when there is one, else every column
/// with `reward` in its name, else every other number. A function that gave no number to this row
/// does not count.
fn reward<'a>(fields: &'a Fields<'_>) -> (Option<f64>, Vec<&'a str>) {
    let columns: Vec<(&str, f64)> = fields
        .pairs()
        .filter(|(key, raw)| !KNOWN.contains(key) && raw.kind() != Kind::Text)
        .filter_map(|(key, raw)| Some((key, json::number(raw.get())?)))
        .collect();
    let only = |keep: &dyn Fn(&str) -> bool| {
        let kept: Vec<_> = columns
            .iter()
            .copied()
            .filter(|(key, _)| keep(key))
            .collect();
        (!kept.is_empty()).then_some(kept)
    };
    let columns = only(&|key| key == "reward")
        .or_else(|| only(&|key| key.contains("reward")))
        .unwrap_or_else(|| columns.clone());
    let reward = (!columns.is_empty()).then(|| columns.iter().map(|(_, value)| value).sum());
    (reward, columns.into_iter().map(|(key, _)| key).collect())
}

fn texts(fields: &Fields<'_>) -> Result<PromptAnswer, JsonError> {
    let patch = recorded_patch(fields)?;
    PromptAnswer::read(fields.some("prompt"), fields.some("completion"), patch)
}

/// Opens the texts of a row.
///
/// # Errors
/// When a text cannot be decoded or a message is none.
pub(crate) fn open(
    body: &Body<'_>,
    _part: Option<u32>,
    _problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    texts(rollout::object(body)?).map(PromptAnswer::opened)
}
