//! prime-rl episodes: an episode a line, with the traces of its agents as trees of messages.
//!
//! What is *not* here: the lines prime-rl wrote before, which are verifiers results (`verifiers`).

use std::collections::HashSet;
use std::path::Path;

use crate::domain::{Extra, Outcome, Trajectory};

use super::files::{Body, Record};
use super::found::{Again, Found, Scope};
use super::json::{self, Fields, JsonError, Kind, Raw};
use super::prompt_answer::PromptAnswer;
use super::rollout::{self, Opened, Rollout, Verdict, extra, place_name};
use super::step_in_path::{at_step, behind};

const KNOWN: &[&str] = &["group", "id", "ok", "task", "traces", "errors", "env"];

/// An episode: traces of a task, and whether it went well.
pub(crate) fn is_episode(record: &Record<'_>) -> bool {
    record.has_list("traces") && record.has("task") && record.has("ok")
}

/// Reads what the index needs of an episode.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let step = behind(&found.path, "step_");
    let (base, title) = group(fields);
    let Some(base) = base.or_else(|| title.clone()) else {
        return found.problem(
            record,
            None,
            "group.id: the key is missing, and the task has no key",
        );
    };
    let group = at_step(&base, step);
    let episode = fields.text_or_number("id").ok().flatten();
    let episode = episode.unwrap_or_else(|| place_name(record));
    let traces = found
        .note(record, &group, fields.list("traces"))
        .unwrap_or_default();
    if traces.is_empty() {
        let reason = "traces: the episode has none";
        found.problem(record, Some(&format!("{group}/{episode}")), reason);
    }
    let several = traces.len() > 1;
    for (part, raw) in (0_u32..).zip(traces) {
        let trace = match Fields::of(&json::element_name("traces", part as usize), raw) {
            Ok(trace) => trace,
            Err(error) => {
                found.problem(record, Some(&group), error.to_string());
                continue;
            }
        };
        found.contradictions(record, &trace, found.problems.len());
        let agent = trace.text("agent").ok().flatten().filter(|_| several);
        let group = agent.map_or_else(|| group.clone(), |agent| format!("{group} · {agent}"));
        let trajectory = trajectory(record, fields, &trace, (&group, &episode), found);
        let (mut trajectory, task) = trajectory;
        trajectory.meta = extra(fields, KNOWN);
        let metrics = trace.object("metrics").ok().flatten().unwrap_or_default();
        let metrics = extra(&metrics, &[]).0.into_iter();
        let named = metrics.map(|(key, value)| (format!("metrics.{key}"), value));
        trajectory.meta.0.extend(named);
        let mut summary = task.unwrap_or_default();
        summary.title = summary.title.or_else(|| title.clone());
        let env = fields.text("env").ok().flatten();
        let env = env.map(|env| ("env".to_owned(), format!("{env:?}")));
        let rollout = Rollout {
            scope: Some(scope(&found.path)),
            step,
            part: Some(part),
            task: Some(summary),
            meta: Extra(env.into_iter().collect()),
            ..Rollout::new(group, trajectory)
        };
        let again = if is_effective(&found.path) {
            Again::Copy
        } else {
            Again::Number
        };
        found.rollout_again(record, rollout, again);
    }
    if is_effective(&found.path) {
        let reason = "a subset of all/traces.jsonl: rollouts found in both are loaded once";
        found.note_of_file(reason);
    }
}

/// The group's id, and the task's key, which names it.
fn group(fields: &Fields<'_>) -> (Option<String>, Option<String>) {
    let of = |object: &str, key: &str| {
        let object = fields.object(object).ok().flatten()?;
        object.text_or_number(key).ok().flatten()
    };
    (
        of("group", "id"),
        of("task", "key").or_else(|| of("task", "hash")),
    )
}

/// Whether a file holds the episodes that were trained on, which `all` beside it holds as well.
fn is_effective(path: &Path) -> bool {
    path.parent()
        .is_some_and(|folder| folder.ends_with("effective"))
}

/// The run, whose folder is the one above the step's `rollouts`; its evaluations are another scope.
fn scope(path: &Path) -> Scope {
    let is_step = |folder: &&Path| {
        let name = folder.file_name().and_then(std::ffi::OsStr::to_str);
        name.is_some_and(|name| name.starts_with("step_"))
    };
    let step = path.ancestors().find(is_step);
    let rollouts = step.or_else(|| path.parent()).and_then(Path::parent);
    let run = rollouts.and_then(Path::parent).or(rollouts).unwrap_or(path);
    if path.iter().any(|part| part == "eval") {
        return Scope::of(&run.join("eval"));
    }
    Scope::of(run)
}

/// One trace as an index entry.
fn trajectory(
    record: &Record<'_>,
    fields: &Fields<'_>,
    trace: &Fields<'_>,
    (group, episode): (&str, &str),
    found: &mut Found,
) -> (Trajectory, Option<crate::domain::TaskSummary>) {
    let name = format!("{group}/{episode}");
    let mut trajectory = Trajectory::new(episode, Outcome::Unscored);
    match verdict(fields, trace, found.options.pass_at) {
        Ok(verdict) => verdict.put(&mut trajectory),
        Err(reason) => found.problem(record, Some(&name), reason),
    }
    trajectory.exit_status = trace.text("stop_condition").ok().flatten();
    if trace.boolean("is_completed").ok().flatten() == Some(false) {
        trajectory.truncated = true;
        trajectory.marks.push("not completed".to_owned());
    }
    let advantage = found.note(record, &name, trace.number("advantage"));
    trajectory.recorded_advantage = advantage.filter(|value| value.is_finite());
    let task = match texts(trace) {
        Ok((texts, branches)) => {
            let task = texts.describe(&mut trajectory);
            if branches > 1 {
                let mark = format!("{branches} branches; the last one is shown");
                trajectory.marks.push(mark);
            }
            Some(task)
        }
        Err(error) => {
            found.problem(record, Some(&name), error.to_string());
            None
        }
    };
    (trajectory, task)
}

/// The sum of score times weight, none when a part of it is missing; an episode or a trace that broke down has no verdict.
fn verdict(fields: &Fields<'_>, trace: &Fields<'_>, pass_at: f64) -> Result<Verdict, String> {
    let rewards = trace.object("rewards").map_err(|error| error.to_string())?;
    let rewards = rewards.unwrap_or_default();
    let mut parts = Vec::new();
    for (name, raw) in rewards.pairs() {
        let inside = |error: JsonError| format!("rewards: {name}: {error}");
        let value = if raw.kind() == Kind::Object {
            let reward = Fields::of(name, raw).map_err(inside)?;
            let weight = reward.number("weight").map_err(inside)?.unwrap_or(1.0);
            let score = reward.number("score").map_err(inside)?;
            // What weighs nothing is only watched.
            let score = score.or((weight == 0.0).then_some(0.0));
            score.map(|score| score * weight)
        } else {
            json::number(raw.get())
        };
        parts.push((name, value));
    }
    let verdict = Verdict::of_sum(&parts, pass_at);
    let broke = |fields: &Fields<'_>| fields.boolean("ok").ok().flatten() == Some(false);
    if broke(fields) || broke(trace) {
        let told = verdict.reward;
        let told = told.map_or("no reward".to_owned(), |reward| format!("reward {reward}"));
        let error = first_error(trace).or_else(|| first_error(fields));
        let error = error.unwrap_or_else(|| "not ok".to_owned());
        return Ok(Verdict::unscored(format!("error: {error} ({told})")));
    }
    Ok(verdict)
}

/// The first error in a few words.
fn first_error(fields: &Fields<'_>) -> Option<String> {
    let errors = fields.list("errors").ok().flatten()?;
    let first = errors.first()?;
    let of_object = || {
        let error = Fields::of("errors", *first).ok()?;
        let text = |key: &str| error.text(key).ok().flatten();
        text("message").or_else(|| text("type"))
    };
    let text = json::text("errors", first.get()).ok().or_else(of_object);
    let text = text.unwrap_or_else(|| first.get().to_owned());
    Some(text.chars().take(80).collect())
}

/// The messages on the main branch, and the number of branches.
///
/// Messages form a tree; compaction and sub-agents start further branches. The main branch is the
/// path from the root to the last leaf.
fn texts(trace: &Fields<'_>) -> Result<(PromptAnswer, usize), JsonError> {
    let nodes = trace.list("nodes")?.unwrap_or_default();
    let mut parents = Vec::with_capacity(nodes.len());
    let mut messages: Vec<Raw<'_>> = Vec::with_capacity(nodes.len());
    for (index, raw) in nodes.iter().enumerate() {
        let name = json::element_name("nodes", index);
        let node = Fields::of(&name, *raw)?;
        let parent = node.some("parent").map(|raw| raw.get().parse::<usize>());
        match parent {
            None => parents.push(None),
            // A parent comes before its child: no path can run in circles.
            Some(Ok(parent)) if parent < index => parents.push(Some(parent)),
            Some(_) => {
                let found = node.raw("parent").map_or("", Raw::get);
                return Err(json::wrong(
                    &format!("{name}: parent"),
                    "an earlier node",
                    found,
                ));
            }
        }
        let message = node.raw("message");
        messages.push(message.ok_or_else(|| json::wrong(&name, "a message", raw.get()))?);
    }
    let inner: HashSet<usize> = parents.iter().flatten().copied().collect();
    let branches = (0..nodes.len())
        .filter(|index| !inner.contains(index))
        .count();
    let mut path = Vec::new();
    let mut at = nodes.len().checked_sub(1);
    while let Some(index) = at {
        path.extend(messages.get(index).copied());
        at = parents.get(index).copied().flatten();
    }
    path.reverse();
    let info = trace.object("info").ok().flatten().unwrap_or_default();
    let patch = info.text("model_patch").ok().flatten();
    Ok((PromptAnswer::of_messages(&path, patch)?, branches))
}

/// Opens the texts of a trace.
///
/// # Errors
/// When the trace is not there any more or its tree is none.
pub(crate) fn open(
    body: &Body<'_>,
    part: Option<u32>,
    _problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let traces = rollout::object(body)?.list("traces")?.unwrap_or_default();
    let trace = rollout::element(&traces, "traces", part.unwrap_or(0))?;
    texts(&trace).map(|(texts, _)| texts.opened())
}
