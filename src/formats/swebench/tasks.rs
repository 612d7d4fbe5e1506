//! SWE-bench task rows: issue text, reference patch, test lists.
//!
//! What is *not* here: predictions.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::domain::{TaskContent, TaskSummary};
use crate::formats::files::Record;
use crate::formats::found::{At, Found, FoundTask, TaskSource};
use crate::formats::json::{self, Fields, JsonError, Kind};
use crate::formats::mapped;
use crate::formats::native::title;

use super::reports::pull_request;

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

/// A record with an instance id and a problem statement, and no prediction; in Multi-SWE-bench a
/// pull request with its test patch.
pub(crate) fn is_task(record: &Record<'_>) -> bool {
    if is_pull_request(record) {
        return true;
    }
    (record.has("instance_id") || record.key.is_some())
        && record.has("problem_statement")
        && !record.has("model_patch")
        && !record.fields().is_some_and(mapped::is_row)
}

/// A row of Multi-SWE-bench: its `fix_patch` is the reference, where in predictions it is the
/// answer.
fn is_pull_request(record: &Record<'_>) -> bool {
    ["org", "repo", "number", "base", "test_patch"]
        .iter()
        .all(|key| record.has(key))
}

/// Reads a task row.
pub(crate) fn read_task(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let own = found.id(record, fields, "instance_id");
    let key = || {
        if let Some(id) = pull_request(fields) {
            return Ok(Some(id));
        }
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
    let text = found.note(record, &instance, statement(fields));
    let repo = found.note(record, &instance, fields.text("repo"));
    let org = fields.text("org").ok().flatten();
    let base = fields.object("base").ok().flatten();
    let commit = match base {
        Some(base) => base.text("sha"),
        None => fields.text("base_commit"),
    };
    let summary = TaskSummary {
        title: text.as_deref().and_then(title),
        repo: match (org, repo) {
            (Some(org), Some(repo)) => Some(format!("{org}/{repo}")),
            (_, repo) => repo,
        },
        base_commit: found.note(record, &instance, commit),
        has_reference: ["patch", "fix_patch"]
            .iter()
            .any(|key| fields.some(key).is_some()),
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
        text: statement(fields)?,
        reference_patch: match fields.text("patch")? {
            None => fields.text("fix_patch")?,
            patch => patch,
        },
        fail_to_pass: names(fields, "FAIL_TO_PASS")?,
        pass_to_pass: names(fields, "PASS_TO_PASS")?,
        base_files: Vec::new(),
    })
}

/// The text; for a pull request the issues it resolves, else its own title and body.
fn statement(fields: &Fields<'_>) -> Result<Option<String>, JsonError> {
    if let Some(text) = fields.text("problem_statement")? {
        return Ok(Some(text));
    }
    let whole = |fields: &Fields<'_>| -> Result<String, JsonError> {
        let parts = [fields.text("title")?, fields.text("body")?];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        Ok(parts.join("\n\n"))
    };
    let mut texts = Vec::new();
    for (index, raw) in fields
        .list("resolved_issues")?
        .unwrap_or_default()
        .into_iter()
        .enumerate()
    {
        texts.push(json::element("resolved_issues", index, raw, whole)?);
    }
    if texts.is_empty() {
        texts.push(whole(fields)?);
    }
    Ok(Some(texts.join("\n\n")).filter(|text| !text.trim().is_empty()))
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
