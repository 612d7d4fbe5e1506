//! What stands beside the samples: whole logs, headers, the journal's start, summaries, and the
//! parts that are known but tell nothing about a rollout.
//!
//! What is *not* here: samples.

use std::path::{Path, PathBuf};

use super::sample;
use crate::formats::files::{Body, Record};
use crate::formats::found::{At, Found};
use crate::formats::json::{self, Fields, JsonError, Kind};
use crate::formats::rollout::Opened;

/// What is known of a log as a whole.
#[derive(Debug, Clone)]
pub(super) struct Log {
    /// The log: the file, or the folder or archive that the header lies in.
    pub path: PathBuf,
    /// Task.
    pub task: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// `success`, `cancelled`, `error` or `started`; `None` in the journal's start.
    pub status: Option<String>,
    /// Why it ended, when it did not succeed.
    pub error: Option<String>,
    /// File.
    pub at: At,
}

/// A sample as the summaries list it.
#[derive(Debug, Clone)]
pub(super) struct Summary {
    /// The log.
    pub path: PathBuf,
    /// Sample.
    pub id: String,
    /// Epoch.
    pub epoch: i64,
    /// What ended it, when that was an error.
    pub error: Option<String>,
    /// File.
    pub at: At,
}

/// The log that a file in a folder of its own lies in: `<log>/header.json`,
/// `<log>/_journal/start.json`, `<log>/_journal/summaries/1.json`.
fn log_of(path: &Path) -> PathBuf {
    let outer = path.ancestors().skip(1).take(3).find_map(|folder| {
        let journal = folder.file_name().is_some_and(|name| name == "_journal");
        folder.parent().filter(|_| journal)
    });
    outer.or(path.parent()).unwrap_or(path).to_path_buf()
}

/// An object that describes an evaluation: a whole log, a header, or the journal's start.
pub(crate) fn is_log(record: &Record<'_>) -> bool {
    record.key.is_none()
        && record.fields().is_some_and(|fields| {
            fields.has("version")
                && ["status", "plan", "samples"]
                    .iter()
                    .any(|key| fields.has(key))
                && fields
                    .object("eval")
                    .ok()
                    .flatten()
                    .is_some_and(|eval| eval.has("task") && eval.has("model"))
        })
}

/// Reads a log's description, and its samples when they are inside.
pub(crate) fn read_log(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let name = found.path.file_name().unwrap_or_default();
    let beside = !fields.has("samples") && (name == "header.json" || name == "start.json");
    let path = if beside {
        log_of(&found.path)
    } else {
        // A log that ended before its first sample has no list of them either.
        found.path.clone()
    };
    let eval = fields.object("eval").ok().flatten().unwrap_or_default();
    let error = fields.object("error").ok().flatten();
    let log = Log {
        path: path.clone(),
        task: found.note(record, "eval", eval.text("task")),
        model: found.note(record, "eval", eval.text("model")),
        status: found.note(record, "status", fields.text("status")),
        error: error.and_then(|error| error.text("message").ok().flatten()),
        at: At::of(record),
    };
    found.inspect.logs.push(log);
    let samples = found.note(record, "samples", fields.list("samples"));
    for (index, raw) in samples.unwrap_or_default().into_iter().enumerate() {
        let read = json::element("samples", index, raw, |fields| {
            let place = record.place_of(raw, index);
            let inside = place.element.is_some();
            // What has no place of its own is found by its number in the log.
            let at = if inside {
                let part = u32::try_from(index).unwrap_or(u32::MAX);
                (found.format, record.place, Some(part))
            } else {
                (sample::format(found), place, None)
            };
            sample::read_one(fields, at, record, &path, found)
        });
        if let Err(error) = read {
            found.problem(record, None, error.to_string());
        }
    }
}

/// Opens a sample that has no place of its own.
///
/// # Errors
/// When it is gone, or has no list of messages.
pub(crate) fn open_in_log(
    body: &Body<'_>,
    part: Option<u32>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let Body::Object(fields) = body else {
        return Err(json::wrong("log", "an object", "a list"));
    };
    let samples = fields.list("samples")?.unwrap_or_default();
    let raw = part.and_then(|part| samples.get(part as usize).copied());
    let raw = raw.ok_or_else(|| json::wrong("samples", "a sample", "nothing"))?;
    sample::open_fields(&Fields::of("samples", raw)?, problems)
}

/// What stands beside samples and is none: lists of summaries, reductions, listings of logs.
pub(crate) fn is_beside(record: &Record<'_>) -> bool {
    let has = |fields: &Fields<'_>, keys: &[&str]| keys.iter().all(|key| fields.has(key));
    match &record.body {
        Body::List(items) => {
            let first = items.first().filter(|raw| raw.kind() == Kind::Object);
            first.is_some_and(|raw| {
                Fields::of("", *raw).is_ok_and(|fields| {
                    is_summary(&fields)
                        // The messages of a sample that is stored in chunks.
                        || is_message(&fields)
                        // Reduced scores over epochs.
                        || (has(&fields, &["scorer", "samples"]) && fields.keys().count() <= 4)
                })
            })
        }
        // `logs.json` lists logs by name, with their headers or an overview of them.
        Body::Object(fields) => {
            record.key.is_some()
                && (has(fields, &["eval_id", "run_id", "task", "model"])
                    || (has(fields, &["version", "eval"])
                        && fields
                            .object("eval")
                            .ok()
                            .flatten()
                            .is_some_and(|eval| has(&eval, &["task", "model"]))))
        }
    }
}

fn is_message(fields: &Fields<'_>) -> bool {
    let source = fields.text("source").ok().flatten();
    ["id", "role", "content"].iter().all(|key| fields.has(key))
        && !fields.has("type")
        && (fields.has("source")
            || fields
                .text("role")
                .is_ok_and(|r| r.as_deref() == Some("system")))
        && source.is_none_or(|source| ["input", "generate", "operator"].contains(&source.as_str()))
}

fn is_summary(fields: &Fields<'_>) -> bool {
    ["id", "epoch", "input", "target"]
        .iter()
        .all(|key| fields.has(key))
        && !fields.has("messages")
}

/// Reads the summaries; the rest is only known.
pub(crate) fn read_beside(record: &Record<'_>, found: &mut Found) {
    let Body::List(items) = &record.body else {
        return;
    };
    let path = log_of(&found.path);
    for (index, raw) in items.iter().enumerate() {
        let read = json::element("summaries", index, *raw, |fields| {
            if is_summary(fields) {
                let summary = summary(fields, &path, record)?;
                found.inspect.summaries.push(summary);
            }
            Ok(())
        });
        if let Err(error) = read {
            found.problem(record, None, error.to_string());
        }
    }
}

fn summary(fields: &Fields<'_>, path: &Path, record: &Record<'_>) -> Result<Summary, JsonError> {
    let (id, epoch) = sample::identity(fields, record.mended)?;
    // An error is its text here, an object in samples.
    let error = match fields.some("error") {
        Some(raw) if raw.kind() == Kind::Text => fields.text("error")?,
        other => other.map(|raw| raw.get().chars().take(200).collect()),
    };
    Ok(Summary {
        path: path.to_path_buf(),
        id,
        epoch,
        error,
        at: At::of(record),
    })
}
