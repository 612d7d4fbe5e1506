//! NeMo RL training data: records of columns, each column a list with an element per rollout.
//!
//! What is *not* here: NeMo Gym's rollouts (`nemo_gym`), which that trainer may have used.

use crate::domain::{Outcome, Trajectory};

use super::decoded_chat::{Speaker, split};
use super::files::{Body, Record};
use super::found::{Found, Scope};
use super::json::{self, JsonError, Kind, Raw};
use super::prompt_answer::{PromptAnswer, prompt_name};
use super::rollout::{self, Opened, Rollout, Verdict, place_name};
use super::step_in_path::behind;

/// Columns of contents and rewards.
pub(crate) fn is_columns(record: &Record<'_>) -> bool {
    record.has_list("content") && record.has_list("rewards") && !record.has("messages")
}

/// Reads what the index needs of the rollouts in a record.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let step = behind(&found.path, "step");
    let lists = (fields.list("content"), fields.list("rewards"));
    let (contents, rewards) = match lists {
        (Ok(Some(contents)), Ok(Some(rewards))) => (contents, rewards),
        (Err(error), _) | (_, Err(error)) => return found.problem(record, None, error.to_string()),
        _ => return,
    };
    if contents.len() != rewards.len() {
        let reason = format!(
            "content has {} elements, rewards has {}: rollouts without a reward are unscored, \
             rewards without a rollout are left out",
            contents.len(),
            rewards.len()
        );
        found.problem(record, None, reason);
    }
    let advantages = found.note(record, "advantages", fields.list("advantages"));
    let advantages = advantages.unwrap_or_default();
    let lengths = fields
        .list("input_lengths")
        .ok()
        .flatten()
        .unwrap_or_default();
    let index = found.note(record, "idx", fields.integer("idx"));
    for (part, raw) in (0_u32..).zip(contents.iter().copied()) {
        let at = part as usize;
        let id = match (index, contents.len()) {
            (Some(index), 1) => format!("sample-{index}"),
            (_, 1) => place_name(record),
            (_, _) => format!("sample-{part}"),
        };
        let mut trajectory = Trajectory::new(id.clone(), Outcome::Unscored);
        let prompt = match prompt(raw) {
            Ok(prompt) => prompt,
            Err(error) => {
                found.problem(record, Some(&id), error.to_string());
                continue;
            }
        };
        let group = match &prompt {
            Some(prompt) => prompt_name(step, prompt),
            None => {
                let mark = "the prompt cannot be told from the answer: a group of its own";
                trajectory.marks.push(mark.to_owned());
                prompt_name(step, &format!("{}{id}", raw.get()))
            }
        };
        let name = format!("{group}/{id}");
        match Verdict::of(rewards.get(at).copied(), found.options.pass_at) {
            Ok(verdict) => verdict.put(&mut trajectory),
            Err(reason) => {
                let element = json::element_name("rewards", at);
                found.problem(record, Some(&name), format!("{element}: {reason}"));
            }
        }
        match advantages.get(at).map(|raw| advantage(*raw)) {
            None => {}
            Some(Some(value)) => trajectory.recorded_advantage = Some(value),
            Some(None) => {
                let mark = "advantages differ between tokens: none is shown";
                trajectory.marks.push(mark.to_owned());
            }
        }
        let tokens = lengths.get(at).and_then(|raw| json::number(raw.get()));
        trajectory
            .meta
            .0
            .extend(tokens.map(|n| ("input_lengths".to_owned(), n.to_string())));
        let task = match texts(raw) {
            Ok(texts) => Some(texts.describe(&mut trajectory)),
            Err(error) => {
                found.problem(record, Some(&name), error.to_string());
                None
            }
        };
        found.rollout(
            record,
            Rollout {
                scope: Some(Scope::folder_of(&found.path)),
                step,
                order: index.or(Some(i64::from(part))),
                part: Some(part),
                task,
                ..Rollout::new(group, trajectory)
            },
        );
    }
}

/// One advantage: a number, or one per token that are all the same where they are not 0 (tokens of
/// the prompt and of tools).
fn advantage(raw: Raw<'_>) -> Option<f64> {
    if raw.kind() != Kind::List {
        return json::number(raw.get()).filter(|value| value.is_finite());
    }
    let mut found = None;
    for raw in json::list("advantages", raw).ok()? {
        let value = advantage(raw)?;
        if value != 0.0 {
            if found.is_some_and(|found| found != value) {
                return None;
            }
            found = Some(value);
        }
    }
    Some(found.unwrap_or(0.0))
}

/// What was asked, as the text that rollouts of one task share: the messages before the first
/// answer. `None` when a text has no clear turns.
fn prompt(raw: Raw<'_>) -> Result<Option<String>, JsonError> {
    if raw.kind() == Kind::List {
        let first = json::list("content", raw)?.first().copied();
        return Ok(first.map(|raw| raw.get().to_owned()));
    }
    let mut steps = Vec::new();
    let text = json::text("content", raw.get())?;
    let mut asked = false;
    split(&text, Speaker::User, &mut asked, &mut steps);
    let of_policy = |step: &crate::domain::Step| step.role.as_deref() == Some("assistant");
    let answer = steps.iter().position(of_policy);
    let asked = answer.map(|answer| &steps[..answer]);
    Ok(asked.map(|steps| {
        steps
            .iter()
            .map(|step| format!("{}\n", step.text))
            .collect()
    }))
}

/// The steps: of one decoded text, or of a list of them, what was asked first.
fn texts(raw: Raw<'_>) -> Result<PromptAnswer, JsonError> {
    let parts = match raw.kind() {
        Kind::List => json::list("content", raw)?,
        _ => vec![raw],
    };
    let (mut steps, mut asked) = (Vec::new(), false);
    for (index, raw) in parts.iter().enumerate() {
        let name = json::element_name("content", index);
        // Without markers, prompt and answers take turns as the log lists them.
        let speaker = match index {
            0 => Speaker::User,
            index if index % 2 == 1 => Speaker::Assistant,
            _ => Speaker::Tool,
        };
        split(
            &json::text(&name, raw.get())?,
            speaker,
            &mut asked,
            &mut steps,
        );
    }
    // A text without turns is searched as it is.
    let whole = match steps.as_slice() {
        [only] => Some(only.text.clone()),
        _ => None,
    };
    Ok(PromptAnswer::of_steps(steps, 0, whole.as_deref(), None))
}

/// Opens the texts of one rollout.
///
/// # Errors
/// When it is not there any more, or its content is no text.
pub(crate) fn open(
    body: &Body<'_>,
    part: Option<u32>,
    _problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let contents = rollout::object(body)?.list("content")?.unwrap_or_default();
    let at = contents.get(part.unwrap_or(0) as usize).copied();
    let raw = at.ok_or_else(|| json::wrong("content", "a text", "nothing"))?;
    texts(raw).map(PromptAnswer::opened)
}
