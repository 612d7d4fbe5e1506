//! SkyRL evaluation dumps: a line per sample with prompt, response and score.
//!
//! What is *not* here: how the texts are split and the patch is cut (`prompt_answer`).

use crate::domain::{Outcome, Trajectory};

use super::files::{Body, Record};
use super::found::{Found, Scope};
use super::json::{self, Fields, JsonError, Kind, Raw};
use super::prompt_answer::{PromptAnswer, prompt_name, recorded_patch};
use super::rollout::{self, Opened, Rollout, Verdict, extra, place_name};
use super::step_in_path::{at_step, behind};

const KNOWN: &[&str] = &["input_prompt", "output_response", "score", "stop_reason"];

/// A prompt, a response and a score.
pub(crate) fn is_sample(record: &Record<'_>) -> bool {
    ["input_prompt", "output_response", "score"]
        .iter()
        .all(|key| record.has(key))
}

/// Reads what the index needs of a sample.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let step = behind(&found.path, "step_");
    let extras = fields.object("env_extras").ok().flatten();
    let instance = extras.and_then(|extras| extras.text("instance_id").ok().flatten());
    let group = match instance {
        Some(instance) => at_step(&instance, step),
        None => {
            let prompt = fields.raw("input_prompt").map_or("", Raw::get);
            prompt_name(step, prompt)
        }
    };
    let id = place_name(record);
    let name = format!("{group}/{id}");
    let mut trajectory = Trajectory::new(id, Outcome::Unscored);
    match verdict(fields.raw("score"), found.options.pass_at) {
        Ok(verdict) => verdict.put(&mut trajectory),
        Err(reason) => found.problem(record, Some(&name), format!("score: {reason}")),
    }
    trajectory.exit_status = found.note(record, &name, fields.text("stop_reason"));
    trajectory.truncated = trajectory.exit_status.as_deref() == Some("length");
    let task = match texts(fields) {
        Ok(texts) => Some(texts.describe(&mut trajectory)),
        Err(error) => {
            found.problem(record, Some(&name), error.to_string());
            None
        }
    };
    trajectory.meta = extra(fields, KNOWN);
    // Files of one step hold one data source each.
    let source = found.note(record, &name, fields.text("data_source"));
    found.rollout(
        record,
        Rollout {
            scope: Some(Scope::of(&found.path).named(source)),
            step,
            task,
            ..Rollout::new(group, trajectory)
        },
    );
}

/// The score: a number, or numbers per token that are summed.
fn verdict(raw: Option<Raw<'_>>, pass_at: f64) -> Result<Verdict, String> {
    let Some(list) = raw.filter(|raw| raw.kind() == Kind::List) else {
        return Verdict::of(raw, pass_at);
    };
    let tokens = json::list("score", list).map_err(|error| error.to_string())?;
    let numbers: Option<Vec<f64>> = tokens.iter().map(|raw| json::number(raw.get())).collect();
    let numbers = numbers.ok_or("an element of the list is no number")?;
    if numbers.is_empty() {
        return Ok(Verdict::unscored("the list of scores is empty"));
    }
    let mut verdict = Verdict::of_reward(Some(numbers.iter().sum()), pass_at);
    let mark = format!("score summed over {} tokens", numbers.len());
    verdict.mark = Some(
        verdict
            .mark
            .map_or(mark.clone(), |why| format!("{mark}; {why}")),
    );
    Ok(verdict)
}

fn texts(fields: &Fields<'_>) -> Result<PromptAnswer, JsonError> {
    let patch = recorded_patch(fields)?;
    PromptAnswer::read(
        fields.some("input_prompt"),
        fields.some("output_response"),
        patch,
    )
}

/// Opens the texts of a sample.
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
