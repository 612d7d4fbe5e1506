//! One sample in one epoch: what the index needs of it, and its texts.
//!
//! The patch is a text under a known key in the metadata of the scorer that decided, of the other
//! scorers, in the `store`, or `model_patch` in the sample's metadata; else the answer or the output,
//! when that is a diff. A `patch` in the sample's metadata is the data set's reference. What is *not*
//! here: to which log a sample belongs (`join`).

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use super::messages::{self, resolve, resolve_step};
use super::{SAMPLE, score};
use crate::diff::summarize;
use crate::domain::{
    Extra, Outcome, PatchPresence, TaskContent, TaskSummary, Trajectory, TrajectoryContent,
};
use crate::formats::FORMATS;
use crate::formats::chat::content;
use crate::formats::files::{Body, Place, Record};
use crate::formats::found::{At, FormatId, Found, FoundTask, RecordAt, TaskSource};
use crate::formats::json::{self, Fields, JsonError, Kind};
use crate::formats::native::title;
use crate::formats::rollout::{Opened, Verdict};
use crate::formats::swebench::traces::small;

/// Keys of a patch in what scorers and agents leave.
const PATCH: [&str; 7] = [
    "model_patch",
    "patch",
    "git_patch",
    "final_patch",
    "submission",
    "git_diff",
    "diff",
];

/// Keys that are read, or that `open` shows.
const KNOWN: &[&str] = &[
    "id",
    "epoch",
    "input",
    "messages",
    "output",
    "scores",
    "score",
    "store",
    "events",
    "transcript",
    "timelines",
    "events_data",
    "attachments",
    "model_usage",
    "role_usage",
    "total_time",
    "error",
    "error_retries",
    "limit",
];

/// A rollout, until its log is known.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// The log it lies in.
    pub path: PathBuf,
    /// The sample's id: the group.
    pub id: String,
    /// Whether the id is a number.
    pub is_number: bool,
    /// Its epoch.
    pub epoch: i64,
    /// The index entry.
    pub trajectory: Trajectory,
    /// The task.
    pub task: FoundTask,
    /// Where it is.
    pub record: RecordAt,
    /// File.
    pub at: At,
}

/// An object with id, epoch and input that has lists of messages or events, or a model's output.
pub(crate) fn is_sample(record: &Record<'_>) -> bool {
    let output = || {
        let raw = record.fields().and_then(|fields| fields.raw("output"));
        raw.is_some_and(|raw| raw.kind() == Kind::Object)
    };
    ["id", "epoch", "input"].iter().all(|key| record.has(key))
        && (["messages", "events", "message_refs"]
            .iter()
            .any(|key| record.has_list(key))
            || output())
}

/// The row of the table that opens samples; the row of the record when there is none.
pub(super) fn format(found: &Found) -> FormatId {
    FORMATS
        .iter()
        .position(|format| format.name == SAMPLE)
        .unwrap_or(found.format)
}

/// Id and epoch of a sample.
pub(super) fn identity(fields: &Fields<'_>, mended: bool) -> Result<(String, i64), JsonError> {
    // Numbers are common here and mean themselves as text.
    let id = fields.id("id", mended)?.map(|(id, _)| id);
    let id = id.filter(|id| !id.is_empty());
    let id = id.ok_or_else(|| json::wrong("id", "a text or a number", "nothing"))?;
    Ok((id, fields.integer("epoch")?.unwrap_or(1)))
}

/// Reads a sample that is a file of its own.
pub(crate) fn read_sample(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let path = identity(fields, record.mended)
        .map(|(id, _)| log_of(&found.path, &id))
        .unwrap_or_else(|_| found.path.clone());
    let at = (found.format, record.place, None);
    if let Err(error) = read_one(fields, at, record, &path, found) {
        found.problem(record, None, error.to_string());
    }
}

/// The log of `<log>/samples/<id>_epoch_<n>.json`; slashes in the id make folders. The file itself
/// when it lies elsewhere.
fn log_of(path: &Path, id: &str) -> PathBuf {
    // A chunked sample is a folder with `sample.json` in it.
    let chunked = path.file_name().is_some_and(|name| name == "sample.json");
    let depth = 1 + id.matches('/').count() + usize::from(chunked);
    path.ancestors()
        .nth(depth)
        .filter(|folder| folder.file_name().is_some_and(|name| name == "samples"))
        .and_then(Path::parent)
        .unwrap_or(path)
        .to_path_buf()
}

/// Reads a sample at a place (format, record, element); only ids are worth refusing it.
pub(super) fn read_one(
    fields: &Fields<'_>,
    (format, place, part): (FormatId, Place, Option<u32>),
    record: &Record<'_>,
    path: &Path,
    found: &mut Found,
) -> Result<(), JsonError> {
    let (id, epoch) = identity(fields, record.mended)?;
    let name = format!("{id}/epoch {epoch}");
    let scores = found.note(record, &name, fields.object("scores"));
    let scored = score::scored(scores.as_ref(), found.options.pass_at);
    let mut trajectory = Trajectory::new(format!("epoch {epoch}"), Outcome::Unscored);
    let several = scores.as_ref().is_some_and(|s| s.keys().count() > 1);
    let ended = error(fields);
    let invalid = fields.some("invalidation").is_some();
    if let Some(reason) = &ended {
        let first = reason.lines().next().unwrap_or_default();
        let shown: String = first.chars().take(120).collect();
        Verdict::unscored(format!("errored: {shown}")).put(&mut trajectory);
        trajectory.exit_status = Some("error".to_owned());
    } else if invalid {
        Verdict::unscored("invalidated").put(&mut trajectory);
    } else {
        scored.verdict.put(&mut trajectory);
        if let Some(scorer) = scored.scorer.as_ref().filter(|_| several) {
            trajectory.marks.push(format!("verdict of {scorer}"));
        }
    }
    if let Some(limit) = fields.object("limit").ok().flatten() {
        trajectory.truncated = true;
        let kind = limit.text("type").ok().flatten().unwrap_or_default();
        let status = format!("limit: {kind}");
        trajectory.exit_status.get_or_insert(status);
    }
    match patch(fields, scored.scorer.as_deref()) {
        Some(patch) => trajectory.patch = summarize(Some(&patch)),
        None => trajectory.patch = summarize(None),
    }
    let mut problems = Vec::new();
    if let Some(items) = found.note(record, &name, fields.list("messages")) {
        let steps = messages::steps(&items, &mut problems);
        trajectory.steps = u32::try_from(steps.len()).ok();
    }
    for problem in problems {
        found.problem(record, Some(&name), problem);
    }
    if fields.has("message_refs") {
        let reason = "the sample is stored in chunks; its messages are not read";
        found.problem(record, Some(&name), reason);
    }
    usage(fields, &mut trajectory);
    let output = fields.object("output").ok().flatten().unwrap_or_default();
    trajectory.policy = output.text("model").ok().flatten();
    trajectory.wall_ms = fields
        .number("total_time")
        .ok()
        .flatten()
        .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
        // The cast saturates.
        .map(|seconds| (seconds * 1000.0).round() as u64);
    let mut meta = scored.others;
    if let Some(events) = fields.list("events").ok().flatten() {
        meta.push(("events".to_owned(), events.len().to_string()));
    }
    meta.extend(fields.extra(KNOWN));
    meta.retain(|(_, json)| !matches!(json.as_str(), "{}" | "[]" | "\"\""));
    trajectory.meta = Extra(small(meta));
    crate::formats::assemble::mark_patch(&mut trajectory);

    let at = At::of(record);
    found.inspect.samples.push(Sample {
        path: path.to_path_buf(),
        is_number: fields
            .some("id")
            .is_some_and(|id| id.kind() == Kind::Number),
        id,
        epoch,
        trajectory,
        task: FoundTask {
            summary: summary(fields),
            source: TaskSource::Of(format, place, part),
            digest: {
                let mut hasher = DefaultHasher::new();
                fields.raw("input").map(|raw| raw.get()).hash(&mut hasher);
                hasher.finish()
            },
        },
        record: RecordAt::Of(format, place, part),
        at,
    });
    Ok(())
}

/// What ended the sample, when that was an error.
fn error(fields: &Fields<'_>) -> Option<String> {
    let raw = fields.some("error")?;
    if raw.kind() == Kind::Text {
        return json::text("error", raw.get()).ok();
    }
    let error = Fields::of("error", raw).ok()?;
    error
        .text("message")
        .ok()
        .flatten()
        .or_else(|| Some("unknown error".to_owned()))
}

/// Sums of tokens and costs over the models used.
fn usage(fields: &Fields<'_>, trajectory: &mut Trajectory) {
    let models = fields.object("model_usage").ok().flatten();
    for (name, raw) in models.iter().flat_map(Fields::pairs) {
        let Ok(usage) = Fields::of(name, raw) else {
            continue;
        };
        let count = |key: &str| usage.count(key).ok().flatten();
        let add = |sum: &mut Option<u64>, more: Option<u64>| {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0).saturating_add(more));
            }
        };
        // What came from a cache is not among the input tokens.
        for key in [
            "input_tokens",
            "input_tokens_cache_read",
            "input_tokens_cache_write",
        ] {
            add(&mut trajectory.input_tokens, count(key));
        }
        add(&mut trajectory.output_tokens, count("output_tokens"));
        let cost = usage.number("total_cost").ok().flatten();
        if let Some(cost) = cost.filter(|cost| cost.is_finite()) {
            trajectory.cost_usd = Some(trajectory.cost_usd.unwrap_or(0.0) + cost);
        }
    }
}

/// The patch by the rule at the top of this file.
fn patch(fields: &Fields<'_>, scorer: Option<&str>) -> Option<String> {
    let attachments = attachments(fields);
    let text = |fields: &Fields<'_>, key: &str| {
        let text = fields.text(key).ok().flatten()?;
        Some(resolve(&text, &attachments).unwrap_or(text))
    };
    let among = |fields: &Fields<'_>| PATCH.iter().find_map(|key| text(fields, key));
    let scores = fields.object("scores").ok().flatten().unwrap_or_default();
    let deciding = scorer.and_then(|scorer| scores.object(scorer).ok().flatten());
    let others = || {
        let others = scores.pairs().filter(|(name, _)| Some(*name) != scorer);
        others.filter_map(|(name, raw)| Fields::of(name, raw).ok())
    };
    let of_score = |score: &Fields<'_>| among(&score.object("metadata").ok().flatten()?);
    if let Some(patch) = deciding.as_ref().and_then(of_score) {
        return Some(patch);
    }
    if let Some(patch) = others().find_map(|score| of_score(&score)) {
        return Some(patch);
    }
    if let Some(store) = fields.object("store").ok().flatten() {
        // Typed stores put their name before the key.
        let found = store.pairs().find_map(|(key, _)| {
            let own = key.rsplit(':').next().unwrap_or(key);
            PATCH.contains(&own).then(|| text(&store, key)).flatten()
        });
        if found.is_some() {
            return found;
        }
    }
    if let Some(metadata) = fields.object("metadata").ok().flatten() {
        let nested = || {
            metadata.pairs().find_map(|(key, raw)| {
                let inner = Fields::of(key, raw).ok()?;
                text(&inner, "model_patch")
            })
        };
        if let Some(patch) = text(&metadata, "model_patch").or_else(nested) {
            return Some(patch);
        }
    }
    let is_diff = |text: &String| summarize(Some(text)).presence == PatchPresence::Diff;
    let answer = deciding.and_then(|score| text(&score, "answer"));
    answer.filter(is_diff).or_else(|| {
        let output = fields.object("output").ok().flatten()?;
        text(&output, "completion").filter(is_diff)
    })
}

fn attachments<'a>(fields: &Fields<'a>) -> Fields<'a> {
    let attachments = fields.object("attachments").ok().flatten();
    attachments.unwrap_or_default()
}

/// The task in one line.
fn summary(fields: &Fields<'_>) -> TaskSummary {
    let metadata = fields.object("metadata").ok().flatten().unwrap_or_default();
    let word = |key: &str| metadata.text(key).ok().flatten();
    TaskSummary {
        title: input(fields).as_deref().and_then(title),
        repo: word("repo"),
        base_commit: word("base_commit"),
        has_reference: word("patch").is_some_and(|patch| !patch.trim().is_empty()),
    }
}

/// What was asked: a text, or messages of which the user's count.
fn input(fields: &Fields<'_>) -> Option<String> {
    let raw = fields.some("input")?;
    let text = match raw.kind() {
        Kind::Text => json::text("input", raw.get()).ok()?,
        Kind::List => {
            let items = json::list("input", raw).ok()?;
            let users = items.iter().filter_map(|raw| {
                let message = Fields::of("input", *raw).ok()?;
                let role = message.text("role").ok().flatten()?;
                (role == "user").then(|| content(message.some("content")).ok())?
            });
            users.collect::<Vec<_>>().join("\n\n")
        }
        _ => return None,
    };
    Some(resolve(&text, &attachments(fields)).unwrap_or(text))
}

/// Opens a sample.
///
/// # Errors
/// When it has no list of messages.
pub(crate) fn open(
    body: &Body<'_>,
    _part: Option<u32>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    match body {
        Body::Object(fields) => open_fields(fields, problems),
        Body::List(_) => Err(json::wrong("sample", "an object", "a list")),
    }
}

/// The same of a sample within a log.
pub(super) fn open_fields(
    fields: &Fields<'_>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let items = fields.list("messages")?.unwrap_or_default();
    let mut steps = messages::steps(&items, problems);
    let attachments = attachments(fields);
    for step in &mut steps {
        resolve_step(step, &attachments);
    }
    let scores = fields.object("scores").ok().flatten();
    let scorer = score::scored(scores.as_ref(), 0.5).scorer;
    let metadata = fields.object("metadata").ok().flatten().unwrap_or_default();
    let names = |key: &str| {
        let list = metadata.texts(key).ok().flatten();
        // Also as a JSON text that holds the list.
        let text = || serde_json::from_str(&metadata.text(key).ok().flatten()?).ok();
        list.or_else(text).unwrap_or_default()
    };
    Ok(Opened {
        content: TrajectoryContent {
            patch: patch(fields, scorer.as_deref()),
            steps,
            test_log: explanations(scores.as_ref(), &attachments),
            ..TrajectoryContent::default()
        },
        task: TaskContent {
            text: input(fields),
            reference_patch: metadata
                .text("patch")
                .ok()
                .flatten()
                .filter(|patch| !patch.trim().is_empty()),
            fail_to_pass: names("FAIL_TO_PASS"),
            pass_to_pass: names("PASS_TO_PASS"),
            base_files: Vec::new(),
        },
    })
}

/// What the scorers said about their scores.
fn explanations(scores: Option<&Fields<'_>>, attachments: &Fields<'_>) -> Option<String> {
    let mut out = String::new();
    for (name, raw) in scores.into_iter().flat_map(Fields::pairs) {
        let Ok(score) = Fields::of(name, raw) else {
            continue;
        };
        let Some(text) = score.text("explanation").ok().flatten() else {
            continue;
        };
        let text = resolve(&text, attachments).unwrap_or(text);
        let value = score.raw("value").map_or("", |raw| raw.get());
        let shown: String = value.chars().take(200).collect();
        out.push_str(&format!("{name}: {shown}\n{text}\n"));
    }
    Some(out).filter(|out| !out.is_empty())
}
