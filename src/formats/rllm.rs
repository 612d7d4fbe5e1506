//! rLLM episodes: a file per episode with its trajectories.
//!
//! What is *not* here: chat messages (`chat`).

use crate::domain::{Outcome, Step, StepKind, TaskSummary, Trajectory};

use super::chat;
use super::files::{Body, Record};
use super::found::{Found, Scope};
use super::json::{self, Fields, JsonError, Kind, Raw};
use super::native::title;
use super::prompt_answer::PromptAnswer;
use super::rollout::{self, Opened, Rollout, Verdict, extra, last_word, short_hash};
use super::step_in_path::{at_step, behind};

const KNOWN: &[&str] = &[
    "episode_id",
    "id",
    "is_correct",
    "reward",
    "task",
    "task_hash",
    "training_step",
    "trajectories",
];

/// An episode: a task's hash and trajectories.
pub(crate) fn is_episode(record: &Record<'_>) -> bool {
    record.has_list("trajectories") && (record.has("task_hash") || record.has("training_step"))
}

/// Reads what the index needs of an episode.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let text = |key: &str| fields.text_or_number(key).ok().flatten();
    let step = found.note(record, "training_step", fields.integer("training_step"));
    let step = step.or_else(|| behind(&found.path, "step_"));
    let task = fields.some("task");
    let Some(hash) = text("task_hash").or_else(|| task.map(|task| short_hash(task.get()))) else {
        return found.problem(record, None, "task_hash: the key is missing");
    };
    let group = at_step(&hash, step);
    let file = found
        .path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let own = text("episode_id").or_else(|| text("id"));
    let episode = own.or(file).unwrap_or_default();
    let list = found
        .note(record, &group, fields.list("trajectories"))
        .unwrap_or_default();
    if list.is_empty() {
        let reason = "trajectories: the episode has none";
        found.problem(record, Some(&format!("{group}/{episode}")), reason);
    }
    let several = list.len() > 1;
    for (part, raw) in (0_u32..).zip(list) {
        let inner = match Fields::of(&json::element_name("trajectories", part as usize), raw) {
            Ok(inner) => inner,
            Err(error) => {
                found.problem(record, Some(&group), error.to_string());
                continue;
            }
        };
        found.contradictions(record, &inner, found.problems.len());
        let role = inner.text("name").ok().flatten().filter(|_| several);
        let group = role.map_or_else(|| group.clone(), |role| format!("{group} · {role}"));
        let name = format!("{group}/{episode}");
        let mut trajectory = Trajectory::new(episode.clone(), Outcome::Unscored);
        match verdict(fields, &inner, found.options.pass_at) {
            Ok(verdict) => verdict.put(&mut trajectory),
            Err(reason) => found.problem(record, Some(&name), reason),
        }
        trajectory.exit_status = fields.text("termination_reason").ok().flatten();
        let mut summary = match texts(&inner) {
            Ok(texts) => texts.describe(&mut trajectory),
            Err(error) => {
                found.problem(record, Some(&name), error.to_string());
                TaskSummary::default()
            }
        };
        summary.title = asked(fields).as_deref().and_then(title).or(summary.title);
        trajectory.meta = extra(fields, KNOWN);
        // The folder is the step's, the one above it the run's.
        let run = found.path.parent().and_then(std::path::Path::parent);
        found.rollout(
            record,
            Rollout {
                scope: run.map(Scope::of),
                step,
                part: Some(part),
                task: Some(summary),
                ..Rollout::new(group, trajectory)
            },
        );
    }
}

/// The trajectory's reward, else the episode's, else whether it was correct. An episode that broke
/// down has no verdict.
fn verdict(fields: &Fields<'_>, inner: &Fields<'_>, pass_at: f64) -> Result<Verdict, String> {
    let verdict = recorded(fields, inner, pass_at)?;
    let reason = fields.text("termination_reason").ok().flatten();
    if reason.is_some_and(|reason| last_word(&reason) == "error") {
        let told = verdict
            .reward
            .map_or("no reward".to_owned(), |reward| format!("reward {reward}"));
        return Ok(Verdict::unscored(format!("ended by an error ({told})")));
    }
    Ok(verdict)
}

fn recorded(fields: &Fields<'_>, inner: &Fields<'_>, pass_at: f64) -> Result<Verdict, String> {
    for (of, key) in [
        (inner, "reward"),
        (fields, "reward"),
        (fields, "is_correct"),
    ] {
        if let Some(raw) = of.some(key) {
            return Verdict::of(Some(raw), pass_at).map_err(|reason| format!("{key}: {reason}"));
        }
    }
    Ok(Verdict::of_reward(None, pass_at))
}

/// What was asked: the task, or what it holds under one of its usual keys.
fn asked(fields: &Fields<'_>) -> Option<String> {
    let task = fields.some("task")?;
    if task.kind() != Kind::Object {
        return json::text("task", task.get()).ok();
    }
    let task = Fields::of("task", task).ok()?;
    [
        "problem_statement",
        "question",
        "instruction",
        "prompt",
        "text",
    ]
    .into_iter()
    .find_map(|key| task.text(key).ok().flatten())
}

/// The steps of a trajectory: the last chat that a step holds, since each holds all before it; else
/// what each step observed, thought and did.
fn texts(inner: &Fields<'_>) -> Result<PromptAnswer, JsonError> {
    let steps = inner.list("steps")?.unwrap_or_default();
    let mut chat_of_last = None;
    let mut out = Vec::new();
    for (index, raw) in steps.into_iter().enumerate() {
        let name = json::element_name("steps", index);
        let step = Fields::of(&name, raw)?;
        match step.list("chat_completions") {
            Ok(Some(messages)) if !messages.is_empty() => chat_of_last = Some(messages),
            _ => own_step(&step, &mut out)?,
        }
    }
    let patch = inner.text("model_patch").ok().flatten();
    match chat_of_last {
        Some(messages) => PromptAnswer::of_messages(&messages, patch),
        None => Ok(PromptAnswer::of_steps(out, 0, None, patch)),
    }
}

fn own_step(step: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let text = |key: &str| match step.some(key) {
        Some(raw) if raw.kind() == Kind::Object => Ok(Raw::get(raw).to_owned()),
        raw => chat::content(raw),
    };
    let first = if out.is_empty() {
        StepKind::User
    } else {
        StepKind::Observation
    };
    chat::push(out, first, text("observation")?);
    chat::push(out, StepKind::Reasoning, text("thought")?);
    let said = text("model_response")?;
    if said.trim().is_empty() {
        chat::push(out, StepKind::ToolCall, text("action")?);
    } else {
        chat::push(out, StepKind::Message, said);
    }
    Ok(())
}

/// Opens the texts of a trajectory.
///
/// # Errors
/// When it is not there any more, or a message is none.
pub(crate) fn open(
    body: &Body<'_>,
    part: Option<u32>,
    _problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let fields = rollout::object(body)?;
    let list = fields.list("trajectories")?.unwrap_or_default();
    let inner = rollout::element(&list, "trajectories", part.unwrap_or(0))?;
    let mut opened = texts(&inner)?.opened();
    opened.task.text = asked(fields).or(opened.task.text);
    Ok(opened)
}
