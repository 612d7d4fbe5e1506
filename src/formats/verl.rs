//! verl rollout dumps: a line per sample with the decoded prompt and answer and the score.
//!
//! What is *not* here: how the texts are split and the patch is cut (`prompt_answer`).

use crate::domain::{Outcome, Trajectory};

use super::files::{Body, Record};
use super::found::{Found, Scope};
use super::json::{Fields, JsonError, Kind};
use super::prompt_answer::{PATCH_KEYS, PromptAnswer, prompt_name, recorded_patch};
use super::rollout::{self, Opened, Rollout, Verdict, extra, place_name};
use super::step_in_path::{at_step, of_name};

const KNOWN: &[&str] = &["input", "output", "score", "step", "uid", "request_id"];

/// Two texts, a score, and what only a trainer writes beside them: the step, the ground truth, or
/// whose sample it is. Rows for fine-tuning have texts and scores of the same names.
pub(crate) fn is_sample(record: &Record<'_>) -> bool {
    let is_text = |fields: &Fields<'_>, key: &str| {
        fields.raw(key).is_some_and(|raw| raw.kind() == Kind::Text)
    };
    record.fields().is_some_and(|fields| {
        is_text(fields, "input")
            && is_text(fields, "output")
            && fields.has("score")
            && (["gts", "uid", "request_id"]
                .iter()
                .any(|key| fields.has(key))
                || fields.integer("step").is_ok_and(|step| step.is_some()))
    })
}

/// Reads what the index needs of a sample.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let step = found.note(record, "step", fields.integer("step"));
    let step = step.or_else(|| of_name(&found.path));
    let uid = found.note(record, "uid", fields.text_or_number("uid"));
    let (group, own, order) = match &uid {
        Some(uid) => {
            let (base, own, order) = split_uid(uid);
            (at_step(base, step), own.map(str::to_owned), order)
        }
        None => {
            let input = fields.raw("input").map_or("", |raw| raw.get());
            (prompt_name(step, input), None, None)
        }
    };
    let request = found.note(record, "request_id", fields.text_or_number("request_id"));
    let id = own.or(request).unwrap_or_else(|| place_name(record));
    let name = format!("{group}/{id}");
    let mut trajectory = Trajectory::new(id, Outcome::Unscored);
    match Verdict::of(fields.raw("score"), found.options.pass_at) {
        Ok(verdict) => verdict.put(&mut trajectory),
        Err(reason) => found.problem(record, Some(&name), format!("score: {reason}")),
    }
    let task = match texts(fields) {
        Ok(texts) => Some(texts.describe(&mut trajectory)),
        Err(error) => {
            found.problem(record, Some(&name), error.to_string());
            None
        }
    };
    trajectory.meta = extra(fields, &[KNOWN, PATCH_KEYS].concat());
    found.rollout(
        record,
        Rollout {
            scope: Some(Scope::folder_of(&found.path)),
            step,
            order,
            task,
            ..Rollout::new(group, trajectory)
        },
    );
}

/// The trainer's uid in group, rollout and its position: `<sample>_<rollout>_<output>`, split from
/// the right; a uid of another shape is the group's.
fn split_uid(uid: &str) -> (&str, Option<&str>, Option<i64>) {
    let split = || {
        let (rest, output) = uid.rsplit_once('_')?;
        let (base, rollout) = rest.rsplit_once('_')?;
        output.parse::<u32>().ok()?;
        let order = rollout.parse::<u32>().ok()?;
        (!base.is_empty()).then(|| (base, Some(&uid[base.len() + 1..]), Some(i64::from(order))))
    };
    split().unwrap_or((uid, None, None))
}

fn texts(fields: &Fields<'_>) -> Result<PromptAnswer, JsonError> {
    let patch = recorded_patch(fields)?;
    PromptAnswer::read(fields.some("input"), fields.some("output"), patch)
}

/// Opens the texts of a sample.
///
/// # Errors
/// When a text cannot be decoded.
pub(crate) fn open(
    body: &Body<'_>,
    _part: Option<u32>,
    _problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    texts(rollout::object(body)?).map(PromptAnswer::opened)
}
