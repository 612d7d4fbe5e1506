//! SWE-bench task rows: issue text, reference patch, test lists.
//!
//! What is *not* here: predictions.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::domain::{TaskContent, TaskSummary};
use crate::formats::files::Record;
use crate::formats::found::{At, Found, FoundTask, TaskSource};
use crate::formats::json::{self, Fields, JsonError, Kind};
use crate::formats::native::title;

/// One task row.
#[derive(Debug, Clone)]
pub(crate) struct TaskRow {
    /// Task.
    pub instance: String,
    /// What it tells.
    pub task: FoundTask,
    /// File and line.
    pub at: At,
}

/// A record with an instance id and a problem statement, and no prediction.
pub(crate) fn is_task(record: &Record<'_>) -> bool {
    (record.has("instance_id") || record.key.is_some())
        && record.has("problem_statement")
        && !record.has("model_patch")
}

/// Reads a task row.
pub(crate) fn read_task(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let own = found.id(record, fields, "instance_id");
    let key = || {
        record
            .checked_key("instance_id")
            .map(|key| key.map(str::to_owned))
    };
    let instance = match own.and_then(|own| own.map_or_else(key, |own| Ok(Some(own)))) {
        Ok(Some(instance)) => instance,
        Ok(None) => {
            found.problem(record, None, "instance_id: the key is missing");
            return;
        }
        Err(error) => {
            found.problem(record, None, error.to_string());
            return;
        }
    };
    let text = found.note(record, &instance, fields.text("problem_statement"));
    let summary = TaskSummary {
        title: text.as_deref().and_then(title),
        repo: found.note(record, &instance, fields.text("repo")),
        base_commit: found.note(record, &instance, fields.text("base_commit")),
        has_reference: fields.some("patch").is_some(),
    };
    for key in ["FAIL_TO_PASS", "PASS_TO_PASS"] {
        found.note(record, &instance, names(fields, key).map(Some));
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let task = FoundTask {
        summary,
        source: TaskSource::Row(record.place),
        digest: hasher.finish(),
    };
    found.swebench.tasks.push(TaskRow {
        instance,
        task,
        at: At::of(record),
    });
}

/// Opens the texts of a task row.
pub(crate) fn task_content(fields: &Fields<'_>) -> Result<TaskContent, JsonError> {
    Ok(TaskContent {
        text: fields.text("problem_statement")?,
        reference_patch: fields.text("patch")?,
        fail_to_pass: names(fields, "FAIL_TO_PASS")?,
        pass_to_pass: names(fields, "PASS_TO_PASS")?,
        base_files: Vec::new(),
    })
}

/// Test names: a list, or a JSON text that holds a list.
fn names(fields: &Fields<'_>, key: &str) -> Result<Vec<String>, JsonError> {
    let Some(raw) = fields.some(key) else {
        return Ok(Vec::new());
    };
    if json::kind(raw.get()) != Kind::Text {
        return Ok(fields.texts(key)?.unwrap_or_default());
    }
    let inner = json::text(key, raw.get())?;
    if inner.trim().is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(&inner).map_err(|_| json::wrong(key, "a list of test names", &inner))
}
