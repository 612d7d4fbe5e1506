//! Traces of agents beside predictions: mini-swe-agent (all generations), SWE-agent, plain message
//! lists, and lists of typed model and tool calls.
//!
//! What is *not* here: to which run a trace belongs (`runs`).

use serde_json::value::RawValue;

use crate::diff::summarize;
use crate::domain::{PatchSummary, Step, StepKind};
use crate::formats::files::{Body, Place, Record};
use crate::formats::found::{At, Found};
use crate::formats::json::{self, Fields, JsonError, Kind};
use crate::formats::native::call_text;

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
    /// Where the record is.
    pub place: Place,
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

fn first_has(items: &[&RawValue], keys: &[&str]) -> bool {
    items.first().is_some_and(|raw| {
        json::kind(raw.get()) == Kind::Object
            && Fields::of("", raw).is_ok_and(|fields| keys.iter().all(|key| fields.has(key)))
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
        place: record.place,
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

fn messages(items: &[&RawValue], out: &mut Vec<Step>) -> Result<(), JsonError> {
    let mut asked = false;
    for raw in items {
        let fields = Fields::of("messages", raw)?;
        // Demonstrations are part of the prompt, not of the rollout.
        if fields.boolean("is_demo").ok().flatten() == Some(true) {
            continue;
        }
        message(&fields, &mut asked, out)?;
    }
    Ok(())
}

/// One chat message. `asked` tells whether the task was given: agents without tool calls hand over
/// observations as user messages, so each later one is an observation.
fn message(fields: &Fields<'_>, asked: &mut bool, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let role = fields.text("role")?.unwrap_or_default();
    let text = content(fields.some("content"))?;
    let calls = fields.list("tool_calls").ok().flatten().unwrap_or_default();
    let kind = match role.as_str() {
        "system" | "developer" => StepKind::System,
        "user" if *asked => StepKind::Observation,
        "user" => StepKind::User,
        "assistant" => StepKind::Message,
        "tool" | "function" => StepKind::Observation,
        "exit" => StepKind::Submit,
        _ => StepKind::Other,
    };
    match kind {
        StepKind::User => *asked = true,
        StepKind::Message => {
            // Without a task up front, the first answer settles it as well.
            *asked = true;
            for key in ["reasoning_content", "reasoning"] {
                if let Some(thought) = fields.text(key).ok().flatten()
                    && !thought.trim().is_empty()
                {
                    out.push(Step {
                        kind: Some(StepKind::Reasoning),
                        role: Some(role.clone()),
                        text: thought,
                        ..Step::default()
                    });
                    break;
                }
            }
        }
        _ => {}
    }
    let call_id = fields.text("tool_call_id").ok().flatten();
    let exit_code = if kind == StepKind::Observation {
        return_code(fields, &text)
    } else {
        None
    };
    if !(text.is_empty() && kind == StepKind::Message && !calls.is_empty()) {
        out.push(Step {
            kind: Some(kind),
            role: Some(role).filter(|role| !role.is_empty()),
            text,
            call_id,
            exit_code,
            ..Step::default()
        });
    }
    for raw in calls {
        out.push(tool_call(raw)?);
    }
    Ok(())
}

/// The exit code of an observation: mini-swe-agent writes it into the text and, lately, beside it.
fn return_code(fields: &Fields<'_>, text: &str) -> Option<i64> {
    let beside = fields
        .object("extra")
        .ok()
        .flatten()
        .and_then(|extra| extra.integer("returncode").ok().flatten());
    beside.or_else(|| {
        text.trim_start()
            .strip_prefix("<returncode>")?
            .split_once("</returncode>")?
            .0
            .trim()
            .parse()
            .ok()
    })
}

/// A message's text: a text, or a list of parts.
fn content(raw: Option<&RawValue>) -> Result<String, JsonError> {
    let Some(raw) = raw else {
        return Ok(String::new());
    };
    match json::kind(raw.get()) {
        Kind::Text => json::text("content", raw.get()),
        Kind::List => {
            let mut out = String::new();
            for part in json::list("content", raw)? {
                if !out.is_empty() {
                    out.push('\n');
                }
                match Fields::of("content", part) {
                    Ok(fields) => match fields.text("text").ok().flatten() {
                        Some(text) => out.push_str(&text),
                        None => out.push_str(part.get()),
                    },
                    Err(_) => out.push_str(&content(Some(part))?),
                }
            }
            Ok(out)
        }
        _ => Ok(raw.get().to_owned()),
    }
}

/// A tool call in the OpenAI shape.
fn tool_call(raw: &RawValue) -> Result<Step, JsonError> {
    let fields = Fields::of("tool_calls", raw)?;
    let function = fields.object("function").ok().flatten().unwrap_or_default();
    let arguments = function.some("arguments");
    // Arguments are a JSON text, in some files an object.
    let args = arguments.map(|raw| match json::text("arguments", raw.get()) {
        Ok(text) => text,
        Err(_) => raw.get().to_owned(),
    });
    let text = match args.as_deref().map(serde_json::from_str::<&RawValue>) {
        Some(Ok(inner)) => call_text(inner),
        _ => args.clone().unwrap_or_default(),
    };
    Ok(Step {
        kind: Some(StepKind::ToolCall),
        role: None,
        text,
        tool: function.text("name").ok().flatten(),
        args,
        call_id: fields.text("id").ok().flatten(),
        ..Step::default()
    })
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

fn push(out: &mut Vec<Step>, kind: StepKind, text: String) {
    if !text.trim().is_empty() {
        out.push(Step {
            kind: Some(kind),
            text,
            ..Step::default()
        });
    }
}

/// What a tool answered: a text, or an object with streams and an exit code.
fn observation(raw: &RawValue) -> Result<Step, JsonError> {
    let mut step = Step {
        kind: Some(StepKind::Observation),
        ..Step::default()
    };
    let fields = match Fields::of("result", raw) {
        Ok(fields) if fields.has("stdout") || fields.has("stderr") => fields,
        _ => {
            step.text = content(Some(raw))?;
            return Ok(step);
        }
    };
    for key in ["stdout", "stderr"] {
        let stream = content(fields.some(key))?;
        if !step.text.is_empty() && !stream.is_empty() && !step.text.ends_with('\n') {
            step.text.push('\n');
        }
        step.text.push_str(&stream);
    }
    step.exit_code = ["exitCode", "exit_code", "returncode"]
        .into_iter()
        .find_map(|key| fields.integer(key).ok().flatten());
    Ok(step)
}
