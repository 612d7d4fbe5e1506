//! Traces beside predictions: what the index knows of one, plain message lists, and lists of typed
//! model and tool calls.
//!
//! What is *not* here: the agents' own formats (`mini_swe_agent`, `swe_agent`), and to which run a
//! trace belongs (`runs`).

use crate::diff::summarize;
use crate::domain::{Extra, PatchSummary, Step, StepKind, Trajectory, TrajectoryContent};
use crate::formats::chat::{content, message, messages, observation, push};
use crate::formats::files::{Body, Place, Record};
use crate::formats::found::{At, FormatId, Found, FoundTask};
use crate::formats::json::{self, Fields, JsonError, Kind, Raw};
use crate::formats::mapped;
use crate::formats::native::call_text;
use crate::formats::rollout::Opened;

/// What the index knows of a trace.
#[derive(Debug, Clone)]
pub(crate) struct Trace {
    /// Task, when the record names it; else the file name does.
    pub instance: Option<String>,
    /// Number of steps.
    pub steps: u32,
    /// How the agent ended.
    pub exit_status: Option<String>,
    /// Whether a limit ended it.
    pub truncated: bool,
    /// Cost in US dollars.
    pub cost_usd: Option<f64>,
    /// Input and output tokens.
    pub tokens: (Option<u64>, Option<u64>),
    /// The model, when the trace names it.
    pub model: Option<String>,
    /// The patch submitted, when the trace records one.
    pub submission: Option<PatchSummary>,
    /// The task, when the trace tells it.
    pub task: Option<FoundTask>,
    /// Small values kept as they are.
    pub meta: Extra,
    /// Whether it is a rollout even where no predictions are.
    pub alone: bool,
    /// The attempts in one file of which one was submitted, as traces of their own.
    pub attempts: Vec<Trace>,
    /// Which of them (0-based), when the file says so.
    pub chosen: Option<u32>,
    /// The format whose `open` reads the trace.
    pub format: FormatId,
    /// Where the record is.
    pub place: Place,
    /// 0-based element of the record, when it holds several traces.
    pub part: Option<u32>,
    /// File and line.
    pub at: At,
}

impl Trace {
    /// A trace of which only place and task are known; `None` (and a problem) when its id is no
    /// text.
    pub(crate) fn start(record: &Record<'_>, found: &mut Found) -> Option<Self> {
        let mut instance = record.key.clone();
        if let Some(fields) = record.fields() {
            match fields.id("instance_id", record.mended) {
                Err(error @ JsonError::Id(_)) => {
                    found.problem(record, None, error.to_string());
                    return None;
                }
                // An id of another type is none; the file's name tells the task.
                Err(_) => {}
                Ok(id) => instance = id.map(|(id, _)| id).or(instance),
            }
        }
        Some(Self {
            instance,
            steps: 0,
            exit_status: None,
            truncated: false,
            cost_usd: None,
            tokens: (None, None),
            model: None,
            submission: None,
            task: None,
            meta: Extra::default(),
            alone: false,
            attempts: Vec::new(),
            chosen: None,
            format: found.format,
            place: record.place,
            part: None,
            at: At::of(record),
        })
    }

    /// An attempt of which only the place is known, beside this trace in its record.
    pub(crate) fn of_part(&self, index: usize) -> Self {
        Self {
            steps: 0,
            exit_status: None,
            truncated: false,
            cost_usd: None,
            tokens: (None, None),
            submission: None,
            task: None,
            meta: Extra::default(),
            attempts: Vec::new(),
            chosen: None,
            part: u32::try_from(index).ok(),
            ..self.clone()
        }
    }

    /// Writes what the trace tells into a trajectory; what is known already stays.
    pub(crate) fn put(&self, trajectory: &mut Trajectory) {
        trajectory.steps = Some(self.steps);
        trajectory.exit_status.clone_from(&self.exit_status);
        trajectory.truncated |= self.truncated;
        trajectory.cost_usd = trajectory.cost_usd.or(self.cost_usd);
        trajectory.input_tokens = self.tokens.0;
        trajectory.output_tokens = self.tokens.1;
        if trajectory.policy.is_none() {
            trajectory.policy.clone_from(&self.model);
        }
        for pair in &self.meta.0 {
            if trajectory.meta.0.iter().all(|(key, _)| *key != pair.0) {
                trajectory.meta.0.push(pair.clone());
            }
        }
    }
}

/// Longest JSON text that the index keeps of an unknown value, in bytes.
const SMALL: usize = 4096;

/// The pairs that are small enough for the index.
pub(crate) fn small(pairs: Vec<(String, String)>) -> Vec<(String, String)> {
    let small = |pair: &(String, String)| pair.1.len() <= SMALL && pair.1 != "null";
    pairs.into_iter().filter(small).collect()
}

/// Seconds since 1970 as ISO 8601; `None` when they are none.
pub(crate) fn seconds(seconds: f64) -> Option<String> {
    if !seconds.is_finite() {
        return None;
    }
    // The cast saturates; such times are refused by the next line.
    let micros = (seconds * 1e6).round() as i64;
    let time = jiff::Timestamp::from_microsecond(micros).ok()?;
    Some(time.to_string())
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
            // Rows of a table of rollouts have messages as one of their columns.
            if mapped::is_row(fields) {
                return false;
            }
            let list = |key: &str| fields.list(key).ok().flatten().unwrap_or_default();
            // The elements of a list begin behind its bracket.
            let is_file = record.line.is_none() && record.key.is_none() && record.place.start == 0;
            let is_whole = is_file && record.in_file() && !fields.has("instance_id");
            ((is_whole || fields.has("info")) && first_has(&list("messages"), &["role"]))
                || first_has(&list("trajectory"), &["type"])
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
    let Some(mut trace) = Trace::start(record, found) else {
        return;
    };
    trace.steps = steps;
    let info = record
        .fields()
        .and_then(|fields| fields.object("info").ok().flatten());
    if let Some(info) = info {
        trace.exit_status = info.text("exit_status").ok().flatten();
        let submission = info.text("submission").ok();
        trace.submission = submission.map(|text| summarize(text.as_deref()));
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
    let info = match body {
        Body::Object(fields) => fields.object("info").ok().flatten(),
        Body::List(_) => None,
    };
    Ok(Opened {
        content: TrajectoryContent {
            patch: info.and_then(|info| info.text("submission").ok().flatten()),
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
            }
        }
    }
    Ok(out)
}

/// An entry of `trajectory`: a typed model or tool call.
pub(crate) fn entry(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let kind = fields.text("type").ok().flatten();
    match kind.as_deref() {
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
                args: args.map(|raw| raw.strict().into_owned()),
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
