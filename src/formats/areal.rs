//! AReaL rollout dumps: a file per task under a folder per weights version, a line per sample.
//!
//! What is *not* here: how the texts are split and the patch is cut (`prompt_answer`).

use crate::domain::{Outcome, Trajectory};

use super::files::Record;
use super::found::{Found, Scope};
use super::prompt_answer::PromptAnswer;
use super::rollout::{Rollout, Verdict, extra, place_name};
use super::step_in_path::{at_step, of_folder};

const KNOWN: &[&str] = &[
    "completion",
    "prompt",
    "prompt_len",
    "reward",
    "sample_idx",
    "seqlen",
    "task_id",
];

/// A sample of a task, with both texts.
pub(crate) fn is_sample(record: &Record<'_>) -> bool {
    ["task_id", "sample_idx", "prompt", "completion"]
        .iter()
        .all(|key| record.has(key))
}

/// Reads what the index needs of a sample.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    // The trainer's own task ids are numbers.
    let task_id = match fields.text_or_number("task_id") {
        Ok(Some(id)) => id,
        Ok(None) => return found.problem(record, None, "task_id: the key is missing"),
        Err(error) => return found.problem(record, None, error.to_string()),
    };
    let step = of_folder(&found.path);
    let group = at_step(&task_id, step);
    let order = found.note(record, &group, fields.integer("sample_idx"));
    let id = order.map_or_else(|| place_name(record), |index| format!("sample-{index}"));
    let name = format!("{group}/{id}");
    let mut trajectory = Trajectory::new(id, Outcome::Unscored);
    match Verdict::of(fields.raw("reward"), found.options.pass_at) {
        Ok(verdict) => verdict.put(&mut trajectory),
        Err(reason) => found.problem(record, Some(&name), format!("reward: {reason}")),
    }
    let all = found.note(record, &name, fields.count("seqlen"));
    trajectory.input_tokens = found.note(record, &name, fields.count("prompt_len"));
    trajectory.output_tokens = all
        .zip(trajectory.input_tokens)
        .and_then(|(all, prompt)| all.checked_sub(prompt));
    let task = match PromptAnswer::of_columns(fields) {
        Ok(texts) => Some(texts.describe(&mut trajectory)),
        Err(error) => {
            found.problem(record, Some(&name), error.to_string());
            None
        }
    };
    trajectory.meta = extra(fields, KNOWN);
    // The file is the task's, the folder above the version's the run's.
    let run = found.path.parent().and_then(std::path::Path::parent);
    let scope = run.map(Scope::of);
    found.rollout(
        record,
        Rollout {
            scope,
            step,
            order,
            task,
            ..Rollout::new(group, trajectory)
        },
    );
}
