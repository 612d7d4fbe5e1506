//! Records that list the candidates of one task: trae's patch selection, Augment's ensembler, and
//! verifier training data with passing and failing conversations.
//!
//! What is *not* here: formats with a record per rollout.

use crate::diff::summarize;
use crate::domain::{Outcome, TaskContent, TaskSummary, Trajectory};

use super::assemble::mark_patch;
use super::files::{Body, Record};
use super::found::{Found, Scope};
use super::json::{self, Fields, JsonError, Kind, Raw};
use super::native::title;
use super::prompt_answer::PromptAnswer;
use super::rollout::{self, Opened, Rollout, Verdict, extra};

/// The lists of one kind of record.
struct Lists {
    id: &'static str,
    task: &'static str,
    patches: &'static str,
    verdicts: &'static str,
    /// The key of a verdict, when the list holds objects.
    verdict: Option<&'static str>,
    /// Seconds per candidate, when there are.
    seconds: Option<&'static str>,
}

const TRAE: Lists = Lists {
    id: "instance_id",
    task: "issue",
    patches: "patches",
    verdicts: "success_id",
    verdict: None,
    seconds: None,
};

const AUGMENT: Lists = Lists {
    id: "id",
    task: "instruction",
    patches: "diffs",
    verdicts: "eval_outcomes",
    verdict: Some("is_success"),
    seconds: Some("agent_durations"),
};

impl Lists {
    fn of(fields: &Fields<'_>) -> Option<&'static Self> {
        let is_list = |key: &str| fields.raw(key).is_some_and(|raw| raw.kind() == Kind::List);
        [&TRAE, &AUGMENT].into_iter().find(|lists| {
            is_list(lists.patches)
                && (fields.has(lists.verdicts) || is_list("patches") && fields.has(lists.task))
        })
    }
}

/// A list of patches with a list of verdicts.
pub(crate) fn is_list(record: &Record<'_>) -> bool {
    record
        .fields()
        .is_some_and(|fields| Lists::of(fields).is_some())
}

/// Reads what the index needs of the candidates.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let Some(lists) = Lists::of(fields) else {
        return;
    };
    let id = match found.id(record, fields, lists.id) {
        Ok(Some(id)) => id,
        Ok(None) => {
            return found.problem(record, None, format!("{}: the key is missing", lists.id));
        }
        Err(error) => return found.problem(record, None, error.to_string()),
    };
    let list = |key: &str| fields.list(key).map(Option::unwrap_or_default);
    let (patches, verdicts) = match (list(lists.patches), list(lists.verdicts)) {
        (Ok(patches), Ok(verdicts)) => (patches, verdicts),
        (Err(error), _) | (_, Err(error)) => {
            return found.problem(record, Some(&id), error.to_string());
        }
    };
    let seconds = lists.seconds.map_or_else(Vec::new, |key| {
        found
            .note(record, &id, fields.list(key))
            .unwrap_or_default()
    });
    if patches.len() != verdicts.len() {
        let reason = format!(
            "{} has {} elements, {} has {}: patches without a verdict are unscored, verdicts \
             without a patch are left out",
            lists.patches,
            patches.len(),
            lists.verdicts,
            verdicts.len()
        );
        found.problem(record, Some(&id), reason);
    }
    let text = found.note(record, &id, fields.text(lists.task));
    let summary = TaskSummary {
        title: text.as_deref().and_then(title),
        ..TaskSummary::default()
    };
    let known = [lists.id, lists.task, lists.patches, lists.verdicts];
    for (part, patch) in (0_u32..).zip(patches) {
        let index = part as usize;
        let name = format!("{id}/candidate-{part}");
        let mut trajectory = Trajectory::new(format!("candidate-{part}"), Outcome::Unscored);
        let pass_at = found.options.pass_at;
        match verdict(lists, verdicts.get(index).copied(), index, pass_at) {
            Ok(verdict) => verdict.put(&mut trajectory),
            Err(reason) => found.problem(record, Some(&name), reason),
        }
        match text_of(lists, index, patch) {
            Ok(patch) => trajectory.patch = summarize(patch.as_deref()),
            Err(error) => found.problem(record, Some(&name), error.to_string()),
        }
        mark_patch(&mut trajectory);
        let took = seconds.get(index).and_then(|raw| json::number(raw.get()));
        trajectory.wall_ms = took
            .filter(|took| took.is_finite() && *took >= 0.0)
            // The cast saturates.
            .map(|took| (took * 1000.0).round() as u64);
        found.rollout(
            record,
            Rollout {
                part: Some(part),
                scope: Some(Scope::of(&found.path)),
                task: Some(summary.clone()),
                meta: extra(fields, &known),
                ..Rollout::new(id.clone(), trajectory)
            },
        );
    }
}

fn verdict(
    lists: &Lists,
    raw: Option<Raw<'_>>,
    index: usize,
    pass_at: f64,
) -> Result<Verdict, String> {
    let name = json::element_name(lists.verdicts, index);
    let Some(raw) = raw else {
        return Ok(Verdict::unscored(format!(
            "no verdict in {}",
            lists.verdicts
        )));
    };
    let inner = match lists.verdict {
        Some(key) if raw.get() != "null" => {
            let fields = Fields::of(&name, raw).map_err(|error| error.to_string())?;
            fields.raw(key)
        }
        _ => Some(raw),
    };
    Verdict::of(inner, pass_at).map_err(|reason| format!("{name}: {reason}"))
}

/// A candidate's patch; `null` is none.
fn text_of(lists: &Lists, index: usize, raw: Raw<'_>) -> Result<Option<String>, JsonError> {
    if raw.get() == "null" {
        return Ok(None);
    }
    json::text(&json::element_name(lists.patches, index), raw.get()).map(Some)
}

/// Opens one candidate.
///
/// # Errors
/// When the record or the candidate is not there any more.
pub(crate) fn open(
    body: &Body<'_>,
    part: Option<u32>,
    _problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let fields = rollout::object(body)?;
    let lists = Lists::of(fields).ok_or_else(|| json::wrong("record", "lists of patches", ""))?;
    let index = part.unwrap_or(0) as usize;
    let patches = fields.list(lists.patches)?.unwrap_or_default();
    let raw = patches.get(index).copied();
    let raw = raw.ok_or_else(|| json::wrong(lists.patches, "a patch", "nothing"))?;
    let mut opened = Opened {
        task: TaskContent {
            text: fields.text(lists.task)?,
            ..TaskContent::default()
        },
        ..Opened::default()
    };
    opened.content.patch = text_of(lists, index, raw)?;
    Ok(opened)
}

/// The two lists of verifier training data, and what their conversations are.
const SIDES: [(&str, Outcome); 2] = [("true", Outcome::Pass), ("false", Outcome::Fail)];

/// An object under a task's id that holds conversations under `true` and `false` only.
pub(crate) fn is_conversations(record: &Record<'_>) -> bool {
    record.key.is_some()
        && record.fields().is_some_and(|fields| {
            fields.keys().next().is_some()
                && fields.pairs().all(|(key, raw)| {
                    SIDES.iter().any(|(side, _)| *side == key) && raw.kind() == Kind::List
                })
        })
}

/// The conversations with their outcome: lists of messages, or objects with such a list. A side that
/// is itself a list of messages is one conversation.
fn conversations<'a>(fields: &Fields<'a>) -> Result<Vec<(Raw<'a>, Outcome)>, JsonError> {
    let mut out = Vec::new();
    for (side, outcome) in SIDES {
        let items = fields.list(side)?.unwrap_or_default();
        let is_message = |raw: &Raw<'a>| {
            raw.kind() == Kind::Object
                && Fields::of(side, *raw).is_ok_and(|fields| fields.has("role"))
        };
        if items.first().is_some_and(is_message) {
            out.extend(fields.raw(side).map(|raw| (raw, outcome)));
            continue;
        }
        for (index, raw) in items.into_iter().enumerate() {
            let raw = if raw.kind() == Kind::Object {
                let name = json::element_name(side, index);
                let inner = Fields::of(&name, raw)?.raw("messages");
                inner.ok_or_else(|| json::wrong(&name, "messages", raw.get()))?
            } else {
                raw
            };
            out.push((raw, outcome));
        }
    }
    Ok(out)
}

/// Reads what the index needs of the conversations.
pub(crate) fn read_conversations(record: &Record<'_>, found: &mut Found) {
    let (Some(fields), Ok(Some(key))) = (record.fields(), record.checked_key("instance_id")) else {
        return found.problem(
            record,
            None,
            JsonError::Id("instance_id".to_owned()).to_string(),
        );
    };
    let list = match conversations(fields) {
        Ok(list) => list,
        Err(error) => return found.problem(record, None, error.to_string()),
    };
    let mut counts = [0, 0];
    for (part, (raw, outcome)) in (0_u32..).zip(list) {
        let count = &mut counts[usize::from(outcome == Outcome::Fail)];
        let id = format!("{}-{count}", outcome.word());
        *count += 1;
        let name = format!("{key}/{id}");
        let mut trajectory = Trajectory::new(id, outcome);
        let task = match PromptAnswer::read(None, Some(raw), None) {
            Ok(texts) => Some(texts.describe(&mut trajectory)),
            Err(error) => {
                found.problem(record, Some(&name), error.to_string());
                None
            }
        };
        found.rollout(
            record,
            Rollout {
                part: Some(part),
                scope: Some(Scope::of(&found.path)),
                task,
                ..Rollout::new(key, trajectory)
            },
        );
    }
}

/// Opens one conversation.
///
/// # Errors
/// When it is not there any more or a message is none.
pub(crate) fn open_conversation(
    body: &Body<'_>,
    part: Option<u32>,
    _problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let list = conversations(rollout::object(body)?)?;
    let at = list.get(part.unwrap_or(0) as usize);
    let (raw, _) = at.ok_or_else(|| json::wrong("record", "a conversation", "nothing"))?;
    PromptAnswer::read(None, Some(*raw), None).map(PromptAnswer::opened)
}
