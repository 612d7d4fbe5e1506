//! SWE-agent trajectories (`*.traj`) of 0.x and 1.x, and the attempts of its retry agent.
//!
//! Source: SWE-agent/SWE-agent, `sweagent/agent/agents.py` and `sweagent/types.py`. What is *not*
//! here: to which run a trajectory belongs (`swebench::runs`).

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::chat::{content, message, push, settle};
use super::files::{Body, Record};
use super::found::{Found, FoundTask, TaskSource};
use super::json::{self, Fields, JsonError, Kind};
use super::native::title;
use super::rollout::Opened;
use super::swebench::traces::{Trace, small};
use crate::diff::summarize;
use crate::domain::{Extra, Step, StepKind, TaskContent, TaskSummary, TrajectoryContent};

/// Keys of `info` that are read, or are views of the submission.
const INFO: &[&str] = &[
    "exit_status",
    "submission",
    "model_stats",
    "edited_files30",
    "edited_files50",
    "edited_files70",
];

/// An object with a trajectory of actions and observations beside `info`, a history of this agent,
/// or attempts that have such.
pub(crate) fn is_swe_agent(record: &Record<'_>) -> bool {
    record.fields().is_some_and(|fields| {
        is_attempt(fields) || first(fields, "attempts").is_some_and(|attempt| is_attempt(&attempt))
    })
}

fn is_attempt(fields: &Fields<'_>) -> bool {
    if fields.has("model_patch") || fields.has("patch") || fields.has("fix_patch") {
        return false;
    }
    if let Some(step) = first(fields, "trajectory") {
        return step.has("action") && step.has("observation");
    }
    // An agent that never came to its first step leaves an empty trajectory.
    let died = fields.has("info")
        && fields
            .raw("trajectory")
            .is_some_and(|raw| raw.get() == "[]")
        && (fields.has("history") || fields.has("environment"));
    died || first(fields, "history").is_some_and(|message| {
        message.has("role")
            && (fields.has("info") || message.has("agent") || message.has("message_type"))
    })
}

/// The first element of a list, when it is an object.
fn first<'a>(fields: &Fields<'a>, key: &str) -> Option<Fields<'a>> {
    let items = fields.list(key).ok().flatten()?;
    Fields::of(key, *items.first()?).ok()
}

/// Reads what the index needs of a trajectory and of the attempts behind it.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let (Some(fields), Some(mut trace)) = (record.fields(), Trace::start(record, found)) else {
        return;
    };
    let name = trace.instance.clone();
    trace.alone = true;
    let task = task(fields);
    trace.model = model(fields);
    if let Some(text) = &task.text {
        let summary = TaskSummary {
            title: title(text),
            base_commit: base_commit(fields),
            ..TaskSummary::default()
        };
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        trace.task = Some(FoundTask {
            summary,
            source: TaskSource::Of(found.format, record.place, None),
            digest: hasher.finish(),
        });
    }
    if let Err(error) = scalars(fields, &mut trace, &mut |problem| {
        found.problem(record, name.as_deref(), problem);
    }) {
        found.problem(
            record,
            name.as_deref(),
            format!("the trace cannot be read: {error}"),
        );
        return;
    }
    let attempts = found.note(record, "attempts", fields.list("attempts"));
    for (index, raw) in attempts.unwrap_or_default().into_iter().enumerate() {
        let mut attempt = trace.of_part(index);
        let read = json::element("attempts", index, raw, |fields| {
            scalars(fields, &mut attempt, &mut |problem| {
                found.problem(record, name.as_deref(), problem);
            })
        });
        match read {
            Ok(()) => trace.attempts.push(attempt),
            Err(error) => found.problem(record, name.as_deref(), error.to_string()),
        }
    }
    trace.chosen = fields
        .object("info")
        .ok()
        .flatten()
        .and_then(|info| info.count("best_attempt_idx").ok().flatten())
        .and_then(|index| u32::try_from(index).ok());
    found.swebench.traces.push(trace);
}

/// Reads steps, ending, cost and submission of one attempt.
fn scalars(
    fields: &Fields<'_>,
    trace: &mut Trace,
    tell: &mut dyn FnMut(String),
) -> Result<(), JsonError> {
    let mut problems = Vec::new();
    let steps = steps(fields, &mut problems)?;
    problems.into_iter().for_each(tell);
    trace.steps = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    let Some(info) = fields.object("info").ok().flatten() else {
        // A history alone, or attempts of which none was chosen.
        return Ok(());
    };
    trace.exit_status = info.text("exit_status").ok().flatten();
    trace.submission = Some(summarize(info.text("submission").ok().flatten().as_deref()));
    if let Some(stats) = info.object("model_stats").ok().flatten() {
        let finite = |cost: &f64| cost.is_finite();
        trace.cost_usd = stats.number("instance_cost").ok().flatten().filter(finite);
        trace.tokens = (
            stats.count("tokens_sent").ok().flatten(),
            stats.count("tokens_received").ok().flatten(),
        );
    }
    trace.meta = Extra(small(info.extra(INFO)));
    // Also behind another status: `submitted (exit_cost)`.
    trace.truncated = trace.exit_status.as_deref().is_some_and(|status| {
        ["exit_cost", "exit_context", "exit_total_execution_time"]
            .iter()
            .any(|word| status.contains(word))
    });
    Ok(())
}

/// Opens one attempt, or what the file says as a whole.
///
/// # Errors
/// When the attempt is gone, or its trajectory is no list.
pub(crate) fn open(
    body: &Body<'_>,
    part: Option<u32>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let Body::Object(fields) = body else {
        return Err(json::wrong("trajectory", "an object", "a list"));
    };
    let attempt = match part {
        None => None,
        Some(index) => {
            let items = fields.list("attempts")?.unwrap_or_default();
            let raw = items.get(index as usize).copied();
            let raw = raw.ok_or_else(|| json::wrong("attempts", "an attempt", "nothing"))?;
            Some(Fields::of("attempts", raw)?)
        }
    };
    let own = attempt.as_ref().unwrap_or(fields);
    let info = own.object("info").ok().flatten().unwrap_or_default();
    Ok(Opened {
        content: TrajectoryContent {
            patch: info.text("submission")?,
            steps: steps(own, problems)?,
            ..TrajectoryContent::default()
        },
        task: task(fields),
    })
}

/// The steps: the prompts before the first answer, then thought, action and observation of each
/// entry of `trajectory`; without such, the history.
fn steps(fields: &Fields<'_>, problems: &mut Vec<String>) -> Result<Vec<Step>, JsonError> {
    let mut out = Vec::new();
    let mut history = fields.list("history").ok().flatten().unwrap_or_default();
    let trajectory = fields.list("trajectory")?.unwrap_or_default();
    if history.is_empty() {
        // Every step repeats its prompt, under a key that changed with 1.1.
        let first = first(fields, "trajectory").unwrap_or_default();
        let asked = ["query", "messages"]
            .into_iter()
            .find_map(|key| first.list(key).ok().flatten());
        history = asked.unwrap_or_default();
    }
    let mut asked = false;
    for (index, raw) in history.iter().enumerate() {
        let more = json::element("history", index, *raw, |message| {
            past(message, trajectory.is_empty(), &mut asked, &mut out)
        });
        match more {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => problems.push(error.to_string()),
        }
    }
    for (index, raw) in trajectory.iter().enumerate() {
        if let Err(error) = json::element("trajectory", index, *raw, |step| entry(step, &mut out)) {
            problems.push(error.to_string());
        }
    }
    settle(&mut out);
    Ok(out)
}

/// One message of the history; answers whether to go on. Demonstrations are part of the prompt,
/// not of the rollout.
fn past(
    fields: &Fields<'_>,
    whole: bool,
    asked: &mut bool,
    out: &mut Vec<Step>,
) -> Result<bool, JsonError> {
    if fields.boolean("is_demo").ok().flatten() == Some(true) {
        return Ok(true);
    }
    let role = fields.text("role")?.unwrap_or_default();
    if role == "assistant" && !whole {
        // From here on the trajectory tells it, with times and states.
        return Ok(false);
    }
    let from = out.len();
    if role == "assistant" && fields.some("action").is_some() {
        // Thought and action stand apart as well; tool calls only repeat the action.
        *asked = true;
        thought(fields, out)?;
        action(fields, out)?;
    } else if whole {
        message(fields, asked, out)?;
    } else {
        // Whatever stands before the first answer is the prompt.
        message(fields, &mut false, out)?;
    }
    for step in out.iter_mut().skip(from) {
        step.role = Some(role.clone()).filter(|role| !role.is_empty());
    }
    Ok(true)
}

/// One entry of `trajectory`.
fn entry(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    thought(fields, out)?;
    action(fields, out)?;
    let seconds = fields.number("execution_time").ok().flatten();
    let before = out.len();
    push(
        out,
        StepKind::Observation,
        content(fields.some("observation"))?,
    );
    if let (Some(step), Some(seconds)) = (out.get_mut(before), seconds) {
        // The cast saturates.
        step.ms = Some((seconds.max(0.0) * 1000.0).round() as u64);
    }
    Ok(())
}

/// The thought, else the whole answer; never both, the one is cut out of the other.
fn thought(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let thought = content(fields.some("thought"))?;
    let text = if thought.trim().is_empty() {
        content(fields.some("response").or_else(|| fields.some("content")))?
    } else {
        thought
    };
    push(out, StepKind::Message, text);
    Ok(())
}

fn action(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let action = content(fields.some("action"))?;
    let kind = if action.trim() == "submit" {
        StepKind::Submit
    } else {
        StepKind::ToolCall
    };
    push(out, kind, action);
    Ok(())
}

/// What was configured: an object, or (later files) a JSON text that holds one.
fn with_config<T>(fields: &Fields<'_>, read: impl FnOnce(&Fields<'_>) -> Option<T>) -> Option<T> {
    let raw = fields.some("replay_config")?;
    match raw.kind() {
        Kind::Text => {
            let inner = json::text("replay_config", raw.get()).ok()?;
            read(&Fields::parse(inner.as_bytes()).ok()?)
        }
        _ => read(&Fields::of("replay_config", raw).ok()?),
    }
}

/// The text, when it was handed over as such.
fn task(fields: &Fields<'_>) -> TaskContent {
    let text = with_config(fields, |config| {
        let problem = config.object("problem_statement").ok().flatten()?;
        problem.text("text").ok().flatten()
    });
    TaskContent {
        text: text.filter(|text| !text.trim().is_empty()),
        ..TaskContent::default()
    }
}

fn base_commit(fields: &Fields<'_>) -> Option<String> {
    with_config(fields, |config| {
        let repo = config.object("env").ok().flatten()?.object("repo").ok()??;
        let commit = repo.text("base_commit").ok().flatten()?;
        // `HEAD` is what was checked out, not a name for it.
        commit
            .bytes()
            .all(|b| b.is_ascii_hexdigit())
            .then_some(commit)
    })
}

fn model(fields: &Fields<'_>) -> Option<String> {
    with_config(fields, |config| {
        let agent = config.object("agent").ok().flatten()?;
        agent.object("model").ok().flatten()?.text("name").ok()?
    })
}
