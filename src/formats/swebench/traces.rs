//! Traces of agents beside predictions: mini-swe-agent (all generations), SWE-agent, plain message
//! lists, and lists of typed model and tool calls.
//!
//! What is *not* here: to which run a trace belongs (`runs`).

use crate::diff::summarize;
use crate::domain::{PatchSummary, Step, StepKind, TrajectoryContent};
use crate::formats::chat::{content, message, messages, observation, push};
use crate::formats::files::{Body, Place, Record};
use crate::formats::found::{At, FormatId, Found};
use crate::formats::json::{self, Fields, JsonError, Kind, Raw};
use crate::formats::native::call_text;
use crate::formats::rollout::Opened;

/// What the index knows of a trace.
#[derive(Debug)]
pub(crate) struct Trace {
    /// Task, when the record names it; else the file name does.
    pub instance: Option<String>,
    /// Number of steps.
    pub steps: u32,
    /// How the agent ended.
    pub exit_status: Option<String>,
    /// Cost in US dollars.
    pub cost_usd: Option<f64>,
    /// Input and output tokens.
    pub tokens: (Option<u64>, Option<u64>),
    /// The patch submitted, when the trace records one.
    pub submission: Option<PatchSummary>,
    /// The format whose `open` reads the trace.
    pub format: FormatId,
    /// Where the record is.
    pub place: Place,
    /// 0-based element of the record, when it holds several traces.
    pub part: Option<u32>,
    /// File and line.
    pub at: At,
}

/// An object with messages or steps, or a list of messages.
pub(crate) fn is_trace(record: &Record<'_>) -> bool {
    // A list under some key of a record is a part of it, not a trace of its own.
    match &record.body {
        Body::List(items) => record.key.is_none() && first_has(items, &["role", "content"]),
        Body::Object(fields) => {
            if ["model_patch", "patch", "fix_patch"]
                .iter()
                .any(|key| fields.has(key))
            {
                return false;
            }
            let list = |key: &str| fields.list(key).ok().flatten().unwrap_or_default();
            first_has(&list("messages"), &["role"])
                || first_has(&list("trajectory"), &["action", "observation"])
                || first_has(&list("trajectory"), &["type"])
                || (fields.has("info") && first_has(&list("history"), &["role"]))
        }
    }
}

fn first_has(items: &[Raw<'_>], keys: &[&str]) -> bool {
    items.first().is_some_and(|raw| {
        json::kind(raw.get()) == Kind::Object
            && Fields::of("", *raw).is_ok_and(|fields| keys.iter().all(|key| fields.has(key)))
    })
}

/// Reads what the index needs of a trace.
pub(crate) fn read_trace(record: &Record<'_>, found: &mut Found) {
    let steps = match steps(&record.body) {
        Ok(steps) => u32::try_from(steps.len()).unwrap_or(u32::MAX),
        Err(error) => {
            found.problem(record, None, format!("the trace cannot be read: {error}"));
            return;
        }
    };
    let mut trace = Trace {
        instance: record.key.clone(),
        steps,
        exit_status: None,
        cost_usd: None,
        tokens: (None, None),
        submission: None,
        format: found.format,
        place: record.place,
        part: None,
        at: At::of(record),
    };
    if let Some(fields) = record.fields() {
        match fields.id("instance_id", record.mended) {
            Err(error @ JsonError::Id(_)) => {
                found.problem(record, None, error.to_string());
                return;
            }
            // An id of another type is none; the file's name tells the task.
            Err(_) => {}
            Ok(id) => trace.instance = id.map(|(id, _)| id).or(trace.instance),
        }
        if let Some(info) = fields.object("info").ok().flatten() {
            trace.exit_status = info.text("exit_status").ok().flatten();
            trace.submission = info
                .text("submission")
                .ok()
                .map(|text| summarize(text.as_deref()));
            if let Some(stats) = info.object("model_stats").ok().flatten() {
                let finite = |cost: &f64| cost.is_finite();
                trace.cost_usd = stats.number("instance_cost").ok().flatten().filter(finite);
                trace.tokens = (
                    stats.count("tokens_sent").ok().flatten(),
                    stats.count("tokens_received").ok().flatten(),
                );
            }
        }
    }
    found.swebench.traces.push(trace);
}

/// Opens a trace.
///
/// # Errors
/// As [`steps`].
pub(crate) fn open(
    body: &Body<'_>,
    _part: Option<u32>,
    _problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    Ok(Opened {
        content: TrajectoryContent {
            steps: steps(body)?,
            ..TrajectoryContent::default()
        },
        ..Opened::default()
    })
}

/// The steps of a trace.
///
/// # Errors
/// When the record is no trace or a list in it cannot be split.
pub(crate) fn steps(body: &Body<'_>) -> Result<Vec<Step>, JsonError> {
    let mut out = Vec::new();
    match body {
        Body::List(items) => messages(items, &mut out)?,
        Body::Object(fields) => {
            if let Some(items) = fields.list("messages")? {
                messages(&items, &mut out)?;
            } else if let Some(items) = fields.list("trajectory")? {
                for raw in items {
                    entry(&Fields::of("trajectory", raw)?, &mut out)?;
                }
            } else if let Some(items) = fields.list("history")? {
                messages(&items, &mut out)?;
            }
        }
    }
    Ok(out)
}

/// An entry of `trajectory`: a SWE-agent step, or a typed model or tool call.
fn entry(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let text = |key: &str| content(fields.some(key));
    let kind = fields.text("type").ok().flatten();
    match kind.as_deref() {
        None if fields.has("action") || fields.has("observation") => {
            let seconds = fields.number("execution_time").ok().flatten();
            push(out, StepKind::Message, text("thought")?);
            push(out, StepKind::ToolCall, text("action")?);
            push(out, StepKind::Observation, text("observation")?);
            if let (Some(last), Some(seconds)) = (out.last_mut(), seconds)
                && last.kind == Some(StepKind::Observation)
            {
                // The cast saturates.
                last.ms = Some((seconds.max(0.0) * 1000.0).round() as u64);
            }
        }
        Some("llm_call") => {
            for raw in fields
                .list("task_prompt")
                .ok()
                .flatten()
                .unwrap_or_default()
            {
                let prompt = Fields::of("task_prompt", raw)?;
                message(&prompt, &mut false, out)?;
            }
            // The calls of the answer follow as entries of their own, with their results.
            if let Some(output) = fields.object("output").ok().flatten() {
                push(out, StepKind::Message, content(output.some("content"))?);
            }
        }
        Some("tool_call") => {
            let args = fields.some("arguments");
            out.push(Step {
                kind: Some(StepKind::ToolCall),
                text: args.map_or_else(String::new, call_text),
                tool: fields.text("tool").ok().flatten(),
                args: args.map(|raw| raw.get().to_owned()),
                ..Step::default()
            });
            if let Some(result) = fields.some("result") {
                out.push(observation(result)?);
            }
        }
        other => {
            let mut whole = String::new();
            for (key, raw) in fields.pairs().filter(|(key, _)| *key != "type") {
                let value = content(Some(raw))?;
                whole.push_str(key);
                whole.push_str(": ");
                whole.push_str(&value);
                whole.push('\n');
            }
            out.push(Step {
                kind: Some(StepKind::Other),
                role: other.map(str::to_owned),
                text: whole,
                ..Step::default()
            });
        }
    }
    Ok(())
}
