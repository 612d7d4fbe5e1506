//! SWE-bench predictions: one patch per task of a run.
//!
//! What is *not* here: to which run a prediction belongs (`runs`).

use crate::diff::summarize;
use crate::domain::{Extra, PatchSummary};
use crate::formats::files::{Place, Record};
use crate::formats::found::{At, FormatId, Found};
use crate::formats::json::{Fields, JsonError};
use crate::formats::mapped;

use super::reports::pull_request;
use super::traces::small;

/// Keys that hold the patch. The last is what old instructions told people to write.
const PATCH: [&str; 4] = ["model_patch", "patch", "fix_patch", "prediction"];

/// Keys that are read, or (`all_results`) are further candidates that were not submitted.
const KEYS: &[&str] = &[
    "instance_id",
    "model_name_or_path",
    "model_patch",
    "patch",
    "fix_patch",
    "prediction",
    "cost",
    "resolved",
    "all_results",
    "prefix",
];

/// What holds a prediction's patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatchSource {
    /// A record with a patch key.
    Record,
    /// A whole file that is the patch.
    File,
    /// A trace of this format that records a submission.
    Trace(FormatId),
    /// A trace with attempts of which none was submitted: there is no prediction of the run's own.
    Attempts,
}

/// One prediction.
#[derive(Debug, Clone)]
pub(crate) struct Prediction {
    /// Task.
    pub instance: String,
    /// `model_name_or_path`.
    pub model: Option<String>,
    /// What tells several rollouts of one file apart (SWE-bench Pro).
    pub prefix: Option<String>,
    /// What is known of the patch.
    pub patch: PatchSummary,
    /// Cost in US dollars.
    pub cost_usd: Option<f64>,
    /// The verdict, when the record itself has it.
    pub resolved: Option<bool>,
    /// Where the record is.
    pub place: Place,
    /// What stands there.
    pub source: PatchSource,
    /// Its rollout's id, when its file has several judged records of a task: each is a rollout then.
    pub row: Option<String>,
    /// File and line.
    pub at: At,
    /// What is odd about it.
    pub marks: Vec<String>,
    /// Unknown keys.
    pub meta: Extra,
}

impl Prediction {
    /// What tells rollouts of one file apart: the prefix, else the model.
    pub(super) fn label(&self) -> Option<&str> {
        self.prefix.as_deref().or(self.model.as_deref())
    }
}

/// An object with a patch key and an instance id (its own, or the key it stands under).
pub(crate) fn is_prediction(record: &Record<'_>) -> bool {
    let named = record.has("instance_id")
        || (record.has("org") && record.has("repo") && record.has("number"))
        || record.key.is_some();
    let old = record.has("instance_id") && record.has("model") && record.has("prediction");
    let predicts = old || (named && PATCH[..3].iter().any(|key| record.has(key)));
    predicts && !record.fields().is_some_and(mapped::is_row)
}

/// Reads a prediction.
pub(crate) fn read_prediction(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let Some(instance) = instance(record, fields, found) else {
        return;
    };
    for key in fields.duplicates() {
        let reason = format!("{key}: the key occurs twice, the last counts");
        found.problem(record, Some(&instance), reason);
    }
    if let Some(key) = &record.key
        && *key != instance
    {
        let reason = format!("instance_id contradicts the key \"{key}\" it stands under");
        found.problem(record, Some(&instance), reason);
    }
    let patch = found.note(record, &instance, patch(fields));
    let model = found.note(record, &instance, fields.text("model_name_or_path"));
    let cost = found
        .note(record, &instance, fields.number("cost"))
        .filter(|cost| cost.is_finite());
    let resolved = fields.boolean("resolved").ok().flatten();
    let old = || {
        fields
            .has("prediction")
            .then(|| fields.text("model").ok()?)?
    };
    let mut meta = fields.extra(KEYS);
    let candidates = fields.list("all_results").ok().flatten();
    if let Some(candidates) = candidates.filter(|candidates| !candidates.is_empty()) {
        // Which of these was submitted is told by the record itself; the others were never judged.
        meta.push(("all_results".to_owned(), candidates.len().to_string()));
    }
    found.swebench.predictions.push(Prediction {
        model: model.or_else(old),
        prefix: fields.text("prefix").ok().flatten(),
        patch: summarize(patch.as_deref()),
        cost_usd: cost,
        resolved,
        place: record.place,
        source: PatchSource::Record,
        row: None,
        at: At::of(record),
        marks: Vec::new(),
        meta: Extra(small(meta)),
        instance,
    });
}

/// The patch; `None` for null.
pub(crate) fn patch(fields: &Fields<'_>) -> Result<Option<String>, JsonError> {
    for key in PATCH {
        if let Some(patch) = fields.text(key)? {
            return Ok(Some(patch));
        }
    }
    Ok(None)
}

fn instance(record: &Record<'_>, fields: &Fields<'_>, found: &mut Found) -> Option<String> {
    match found.id(record, fields, "instance_id") {
        Ok(Some(id)) if !id.is_empty() => return Some(id),
        Ok(_) => {}
        Err(error) => {
            found.problem(record, None, error.to_string());
            return None;
        }
    }
    // Multi-SWE-bench names the pull request instead.
    if let Some(id) = pull_request(fields) {
        return Some(id);
    }
    match record.checked_key("instance_id") {
        Ok(Some(key)) => Some(key.to_owned()),
        Ok(None) => {
            found.problem(record, None, "instance_id: missing or empty");
            None
        }
        Err(error) => {
            found.problem(record, None, error.to_string());
            None
        }
    }
}
