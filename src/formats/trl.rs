//! TRL completion logs, rows of Parquet or JSON: prompt, completion, a column per reward function, advantage.
//!
//! What is *not* here: reading Parquet (`table`).

use crate::domain::{Outcome, Trajectory};

use super::files::Record;
use super::found::{Found, Scope};
use super::json::{self, Fields};
use super::prompt_answer::{PromptAnswer, prompt_name};
use super::rollout::{Rollout, Verdict, extra, place_name};

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
    let (rewards, others) = columns(fields);
    Verdict::of_sum(&rewards, found.options.pass_at).put(&mut trajectory);
    match (rewards.as_slice(), others.as_slice()) {
        ([], others) => {
            trajectory.marks.push("no reward column".to_owned());
            if !others.is_empty() {
                found.problem_of_file(&format!(
                    "no column is called like a reward function (reward, score, _func); a map can \
                     name one of {}",
                    others.join(", ")
                ));
            }
        }
        ([_], []) => {}
        (rewards, _) => {
            let names: Vec<&str> = rewards.iter().map(|(name, _)| *name).collect();
            trajectory
                .marks
                .push(format!("reward = {}", names.join(" + ")));
        }
    }
    let advantage = found.note(record, &name, fields.number("advantage"));
    trajectory.recorded_advantage = advantage.filter(|value| value.is_finite());
    let task = match PromptAnswer::of_columns(fields) {
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

/// The columns that are rewards, and the other columns with numbers. `reward` counts alone when
/// there is one, else every column that is called as reward functions are; a name alone does not
/// tell whether any other number is a reward or a length, a loss, a seed.
fn columns<'a>(fields: &'a Fields<'_>) -> (Vec<(&'a str, Option<f64>)>, Vec<&'a str>) {
    let is_total = fields.has("reward");
    let is_reward = |key: &str| {
        let key = key.to_ascii_lowercase();
        let is_called_so =
            key.contains("reward") || key.contains("score") || key.ends_with("_func");
        if is_total {
            key == "reward"
        } else {
            is_called_so
        }
    };
    let (mut rewards, mut others): (Vec<(&str, Option<f64>)>, Vec<&str>) = Default::default();
    for (key, raw) in fields.pairs() {
        let number = json::number(raw.get());
        // A text under such a name is no reward that is missing.
        let is_scalar = number.is_some() || raw.get() == "null";
        if KNOWN.contains(&key) || !is_scalar {
            continue;
        }
        if is_reward(key) {
            // Of a key that occurs twice, the last counts.
            rewards.retain(|(before, _)| *before != key);
            rewards.push((key, number));
        } else if number.is_some() {
            others.push(key);
        }
    }
    (rewards, others)
}
