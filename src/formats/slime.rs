//! slime samples exported as JSON: one sample a record, or a record with a list of them.
//!
//! What is *not* here: slime's own debug dumps, which are torch pickles; [`PICKLE`] says what to do
//! with them.

use crate::domain::{Outcome, Trajectory};

use super::files::{Body, Record};
use super::found::{Found, Scope};
use super::json::{self, Fields, JsonError, Kind, Raw};
use super::prompt_answer::{PromptAnswer, recorded_patch};
use super::rollout::{self, Opened, Rollout, Verdict, extra, last_word, place_name};

/// Why a torch pickle is not read, and what to do.
pub(crate) const PICKLE: &str = "a torch pickle, which only Python can read; export it first: \
     python -c \"import json, sys, torch; [print(json.dumps(s, default=str)) for s in \
     torch.load(sys.argv[1], weights_only=False)['samples']]\" FILE.pt > FILE.jsonl";

const KNOWN: &[&str] = &[
    "group_index",
    "index",
    "prompt",
    "remove_sample",
    "response",
    "response_length",
    "reward",
    "status",
];

/// Whether a file is a torch pickle by its name and first bytes: those of a zip or a bare pickle.
pub(crate) fn is_pickle(path: &std::path::Path, head: &[u8]) -> bool {
    let extension = path.extension().and_then(std::ffi::OsStr::to_str);
    matches!(extension, Some("pt" | "pth" | "pkl" | "pickle"))
        && (head.starts_with(b"PK\x03\x04") || head.starts_with(b"\x80"))
}

/// A sample, or a record with a list of them.
pub(crate) fn is_samples(record: &Record<'_>) -> bool {
    record.fields().is_some_and(|fields| {
        is_sample(fields)
            || samples(fields).is_ok_and(|list| {
                let first = list.first().map(|raw| Fields::of("samples", *raw));
                first.is_some_and(|first| first.is_ok_and(|first| is_sample(&first)))
            })
    })
}

fn is_sample(fields: &Fields<'_>) -> bool {
    ["group_index", "prompt", "response"]
        .iter()
        .all(|key| fields.has(key))
}

fn samples<'a>(fields: &Fields<'a>) -> Result<Vec<Raw<'a>>, JsonError> {
    fields.list("samples").map(Option::unwrap_or_default)
}

/// Reads what the index needs of the samples in a record.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let step = found.note(record, "rollout_id", fields.integer("rollout_id"));
    if is_sample(fields) {
        return read_sample(record, fields, None, step, found);
    }
    let list = samples(fields).unwrap_or_default();
    for (part, raw) in (0_u32..).zip(list) {
        match Fields::of(&json::element_name("samples", part as usize), raw) {
            Ok(fields) => {
                found.contradictions(record, &fields, found.problems.len());
                read_sample(record, &fields, Some(part), step, found);
            }
            Err(error) => found.problem(record, None, error.to_string()),
        }
    }
}

fn read_sample(
    record: &Record<'_>,
    fields: &Fields<'_>,
    part: Option<u32>,
    step: Option<i64>,
    found: &mut Found,
) {
    let group = match fields.integer("group_index") {
        Ok(Some(index)) => format!("group-{index}"),
        Ok(None) => return found.problem(record, None, "group_index: null, so no group is known"),
        Err(error) => return found.problem(record, None, error.to_string()),
    };
    let order = found.note(record, &group, fields.integer("index"));
    let id = match (order, part) {
        (Some(index), _) => format!("sample-{index}"),
        (None, Some(part)) => format!("sample {}", part + 1),
        (None, None) => place_name(record),
    };
    let name = format!("{group}/{id}");
    let mut trajectory = Trajectory::new(id, Outcome::Unscored);
    let status = found.note(record, &name, fields.text("status"));
    let verdict = verdict(fields.raw("reward"), found.options.pass_at);
    // An enum's name or its value, depending on who exported it: `Status.ABORTED`, `aborted`.
    let word = status.as_deref().map(last_word);
    match (verdict, word.as_deref()) {
        (_, Some(word @ ("aborted" | "failed" | "pending"))) => {
            Verdict::unscored(format!("the sample is {word}")).put(&mut trajectory);
        }
        (Ok(verdict), _) => verdict.put(&mut trajectory),
        (Err(reason), _) => found.problem(record, Some(&name), format!("reward: {reason}")),
    }
    trajectory.truncated = word.as_deref() == Some("truncated");
    trajectory.exit_status = status;
    trajectory.masked = found.note(record, &name, fields.boolean("remove_sample")) == Some(true);
    if trajectory.masked {
        let told = trajectory
            .reward
            .map_or("no reward".to_owned(), |r| format!("reward {r}"));
        Verdict::unscored(format!("removed from training ({told})")).put(&mut trajectory);
    }
    trajectory.output_tokens = found.note(record, &name, fields.count("response_length"));
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
            scope: Some(Scope::of(&found.path)),
            step,
            order,
            part,
            task,
            ..Rollout::new(group, trajectory)
        },
    );
}

/// The reward: a number, or an object with one under `reward` or `score`.
fn verdict(raw: Option<Raw<'_>>, pass_at: f64) -> Result<Verdict, String> {
    let Some(object) = raw.filter(|raw| raw.kind() == Kind::Object) else {
        return Verdict::of(raw, pass_at);
    };
    let object = Fields::of("reward", object).map_err(|error| error.to_string())?;
    let inner = object.raw("reward").or_else(|| object.raw("score"));
    let inner = inner.ok_or("the object has neither reward nor score")?;
    Verdict::of(Some(inner), pass_at)
}

fn texts(fields: &Fields<'_>) -> Result<PromptAnswer, JsonError> {
    let metadata = fields.object("metadata").ok().flatten().unwrap_or_default();
    let patch = metadata.text("model_patch").ok().flatten();
    let patch = patch.map_or_else(|| recorded_patch(fields), |patch| Ok(Some(patch)))?;
    PromptAnswer::read(fields.some("prompt"), fields.some("response"), patch)
}

/// Opens the texts of a sample.
///
/// # Errors
/// When a text cannot be decoded or the sample is not there.
pub(crate) fn open(
    body: &Body<'_>,
    part: Option<u32>,
    _problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let fields = rollout::object(body)?;
    let sample = match part {
        None => return texts(fields).map(PromptAnswer::opened),
        Some(part) => rollout::element(&samples(fields)?, "samples", part)?,
    };
    texts(&sample).map(PromptAnswer::opened)
}
