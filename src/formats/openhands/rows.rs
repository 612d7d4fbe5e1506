//! A row of `output.jsonl`: an instance with its patch and history, or an issue that was resolved.
//!
//! What is *not* here: events (`events`), and which rows repeat each other (`join`).

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::diff::summarize;
use crate::domain::{
    Extra, Outcome, PatchSummary, TaskContent, TaskSummary, Trajectory, TrajectoryContent,
};
use crate::formats::assemble::mark_patch;
use crate::formats::atif::policy;
use crate::formats::files::{Body, Record};
use crate::formats::found::{At, Found, FoundTask, TaskSource};
use crate::formats::json::{Fields, JsonError};
use crate::formats::native::title;
use crate::formats::rollout::{Opened, Rollout};
use crate::formats::source;
use crate::formats::swebench::reports::Verdict;
use crate::formats::swebench::tasks;
use crate::formats::swebench::traces::{Trace, small};

use super::events;

/// Keys that are read, or are texts.
const KEYS: &[&str] = &[
    "instance_id",
    "test_result",
    "instruction",
    "metadata",
    "history",
    "metrics",
    "error",
    "instance",
    "attempt",
    "git_patch",
    "report",
    "issue",
    "base_commit",
    "success",
    "runtime_runs",
];

/// A row of a benchmark.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Task.
    pub instance: String,
    /// `attempt`, when the row tells it.
    pub attempt: Option<u64>,
    /// What is known of the patch.
    pub patch: PatchSummary,
    /// The verdict, when the row has one.
    pub verdict: Option<Verdict>,
    /// The trace, with what else the row tells of the rollout.
    pub trace: Trace,
    /// What is odd about it.
    pub marks: Vec<String>,
    /// File and line.
    pub at: At,
}

/// `instance_id` with `test_result`, or `git_patch` with `history`.
pub(crate) fn is_row(record: &Record<'_>) -> bool {
    let test_result = || {
        record
            .fields()
            .is_some_and(|fields| matches!(fields.object("test_result"), Ok(Some(_))))
    };
    (record.has("instance_id") && test_result())
        || (record.has("git_patch") && record.has("history"))
}

/// Reads a row.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    match found.id(record, fields, "instance_id") {
        Ok(Some(id)) if !id.is_empty() => read_instance(record, fields, id, found),
        Ok(_) => read_issue(record, fields, found),
        Err(error) => found.problem(record, None, error.to_string()),
    }
}

fn read_instance(record: &Record<'_>, fields: &Fields<'_>, id: String, found: &mut Found) {
    let patch = found.note(record, &id, patch(fields));
    let Some(mut trace) = Trace::start(record, found) else {
        return;
    };
    describe(record, fields, &id, &mut trace, found);
    trace.task = Some(task(record, fields, found));
    let mut marks = Vec::new();
    if let Some(error) = found.note(record, &id, fields.text_or_number("error")) {
        let line = error.lines().find(|line| !line.trim().is_empty());
        let line: String = line.unwrap_or_default().chars().take(80).collect();
        marks.push(format!("error: {line}"));
        trace.exit_status = Some("error".to_owned());
        trace.truncated = error.contains("maximum iteration");
    }
    let verdict = verdict(record, fields, &id, found);
    let attempt = found.note(record, &id, fields.count("attempt"));
    found.openhands.rows.push(Row {
        attempt,
        instance: id,
        patch: summarize(patch.as_deref()),
        verdict,
        trace,
        marks,
        at: At::of(record),
    });
}

/// The verdict of the report that the harness wrote into the row.
fn verdict(
    record: &Record<'_>,
    fields: &Fields<'_>,
    id: &str,
    found: &mut Found,
) -> Option<Verdict> {
    let inside = fields.object("test_result").ok().flatten();
    let inside = inside.and_then(|result| result.object("report").ok().flatten());
    let report = match inside {
        Some(report) => report,
        None => found.note(record, id, fields.object("report"))?,
    };
    let flag = |key: &str| report.boolean(key).ok().flatten() == Some(true);
    let resolved = found.note(record, id, report.boolean("resolved"))?;
    if resolved {
        return Some(Verdict::of_flag(true));
    }
    if flag("error_eval") {
        return Some(Verdict::infra("the evaluation failed", None));
    }
    let mut verdict = Verdict::of_flag(false);
    verdict.mark = [
        ("empty_generation", "no patch was generated"),
        ("failed_apply_patch", "the patch did not apply"),
        ("test_timeout", "the tests ran into a timeout"),
    ]
    .into_iter()
    .find(|(key, _)| flag(key))
    .map(|(_, mark)| mark.to_owned());
    Some(verdict)
}

/// Writes steps, cost and model into a trace.
fn describe(
    record: &Record<'_>,
    fields: &Fields<'_>,
    id: &str,
    trace: &mut Trace,
    found: &mut Found,
) {
    let mut problems = Vec::new();
    let history = found.note(record, id, fields.list("history"));
    let steps = events::history(&history.unwrap_or_default(), &mut problems).len();
    for problem in problems {
        found.problem(record, Some(id), problem);
    }
    trace.steps = u32::try_from(steps).unwrap_or(u32::MAX);
    if let Some(metrics) = found.note(record, id, fields.object("metrics")) {
        let cost = found.note(record, id, metrics.number("accumulated_cost"));
        trace.cost_usd = cost.filter(|cost| cost.is_finite());
        let usage = metrics.object("accumulated_token_usage").ok().flatten();
        let usage = usage.unwrap_or_default();
        trace.tokens = (
            found.note(record, id, usage.count("prompt_tokens")),
            found.note(record, id, usage.count("completion_tokens")),
        );
    }
    if let Some(metadata) = found.note(record, id, fields.object("metadata")) {
        let model = ["llm_config", "llm"].into_iter().find_map(|key| {
            let config = metadata.object(key).ok().flatten()?;
            config.text("model").ok().flatten()
        });
        let agent = metadata.text("agent_class").ok().flatten();
        trace.model = policy(agent.as_deref(), model.as_deref());
    }
    trace.meta = Extra(small(fields.extra(KEYS)));
}

fn task(record: &Record<'_>, fields: &Fields<'_>, found: &Found) -> FoundTask {
    let instance = fields.object("instance").ok().flatten().unwrap_or_default();
    let text = |fields: &Fields<'_>, key: &str| fields.text(key).ok().flatten();
    let issue = fields.object("issue").ok().flatten().unwrap_or_default();
    let statement = text(&instance, "problem_statement")
        .or_else(|| text(&issue, "title"))
        .or_else(|| text(fields, "instruction"));
    let owner = text(&issue, "owner").zip(text(&issue, "repo"));
    let mut hasher = DefaultHasher::new();
    statement.hash(&mut hasher);
    FoundTask {
        summary: TaskSummary {
            title: statement.as_deref().and_then(title),
            repo: text(&instance, "repo")
                .or_else(|| owner.map(|(owner, repo)| format!("{owner}/{repo}"))),
            base_commit: text(&instance, "base_commit")
                .or_else(|| text(fields, "base_commit"))
                .filter(|commit| !commit.is_empty()),
            has_reference: text(&instance, "patch").is_some_and(|patch| !patch.is_empty()),
        },
        source: TaskSource::Of(found.format, record.place, None),
        digest: hasher.finish(),
    }
}

/// A row of the issue resolver: nobody tested it, and it is alone with its issue.
fn read_issue(record: &Record<'_>, fields: &Fields<'_>, found: &mut Found) {
    let issue = fields.object("issue").ok().flatten().unwrap_or_default();
    let text = |key: &str| issue.text(key).ok().flatten();
    let number = issue.text_or_number("number").ok().flatten();
    let group = match (text("owner"), text("repo"), number) {
        (Some(owner), Some(repo), Some(number)) => format!("{owner}/{repo}#{number}"),
        _ => {
            let reason = "neither instance_id nor issue with owner, repo and number";
            found.problem(record, None, reason);
            return;
        }
    };
    let folder = found.path.parent().and_then(source::folder_name);
    let stem = found.path.file_stem().map(|stem| stem.to_string_lossy());
    let id = match (folder, stem.as_deref()) {
        (Some(folder), Some("output") | None) => folder,
        (Some(folder), Some(stem)) => format!("{folder}/{stem}"),
        (None, stem) => stem.unwrap_or("output").to_owned(),
    };
    let patch = found.note(record, &group, patch(fields));
    let Some(mut trace) = Trace::start(record, found) else {
        return;
    };
    describe(record, fields, &group, &mut trace, found);
    let mut trajectory = Trajectory::new(id, Outcome::Unscored);
    trajectory.patch = summarize(patch.as_deref());
    trace.put(&mut trajectory);
    let mark = match found.note(record, &group, fields.boolean("success")) {
        Some(true) => "no tests: the agent itself says success",
        Some(false) => "no tests: the agent itself says no success",
        None => "no tests",
    };
    trajectory.marks.push(mark.to_owned());
    if found
        .note(record, &group, fields.text_or_number("error"))
        .is_some()
    {
        trajectory.exit_status = Some("error".to_owned());
    }
    mark_patch(&mut trajectory);
    let task = task(record, fields, found);
    let mut rollout = Rollout::new(group, trajectory);
    rollout.task = Some(task.summary);
    found.rollout(record, rollout);
}

/// The patch as recorded.
fn patch(fields: &Fields<'_>) -> Result<Option<String>, JsonError> {
    match fields.object("test_result")? {
        Some(result) if result.has("git_patch") => result.text("git_patch"),
        _ => fields.text("git_patch"),
    }
}

/// Opens a row.
///
/// # Errors
/// When the record is no row any more, or its patch no text.
pub(crate) fn open(
    body: &Body<'_>,
    _part: Option<u32>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let Body::Object(fields) = body else {
        let reason = "the record is not there any more";
        return Err(JsonError::Syntax(reason.to_owned()));
    };
    let mut steps = Vec::new();
    match fields.list("history") {
        Ok(history) => steps = events::history(&history.unwrap_or_default(), problems),
        Err(error) => problems.push(error.to_string()),
    }
    let instance = fields.object("instance").ok().flatten().unwrap_or_default();
    let mut task = if instance.has("problem_statement") {
        tasks::task_content(&instance).unwrap_or_else(|error| {
            problems.push(format!("instance: {error}"));
            TaskContent::default()
        })
    } else {
        TaskContent::default()
    };
    if task.text.is_none() {
        let issue = fields.object("issue").ok().flatten().unwrap_or_default();
        let title = issue.text("title").ok().flatten();
        let body = issue.text("body").ok().flatten();
        let whole: Vec<String> = [title, body].into_iter().flatten().collect();
        task.text = if whole.is_empty() {
            fields.text("instruction").ok().flatten()
        } else {
            Some(whole.join("\n\n"))
        };
    }
    Ok(Opened {
        content: TrajectoryContent {
            patch: patch(fields)?,
            steps,
            ..TrajectoryContent::default()
        },
        task,
    })
}
