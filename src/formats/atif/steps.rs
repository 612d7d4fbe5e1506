//! The steps of an ATIF document in the neutral shape.
//!
//! Calls stand before their results, paired by `source_call_id`; embedded sub-agents stand where
//! they are referred to, between two marker lines; copied context becomes one step. What is *not*
//! here: what the index keeps of it.

use crate::domain::{Step, StepKind};
use crate::formats::chat::content;
use crate::formats::json::{self, Fields, JsonError, Kind, Raw};
use crate::formats::native::call_text;

use super::Usage;

/// How deep sub-agents of sub-agents are shown.
const DEPTH: usize = 8;

/// A document's steps and what was learnt on the way.
#[derive(Debug, Default)]
pub(super) struct Converted {
    /// The steps.
    pub steps: Vec<Step>,
    /// The first message of the user.
    pub task: Option<String>,
    /// The model that the first step of the agent names.
    pub model: Option<String>,
    /// The sum over the document's own steps.
    pub own: Usage,
    /// The sum over all its steps.
    pub all: Usage,
    /// Number of steps that are copied context.
    pub copied: usize,
    /// Whether the step ids are not 1, 2, 3, ….
    pub out_of_order: bool,
    /// Sub-agents' trajectories that are not embedded.
    pub refers: Vec<String>,
    /// The patch it plainly holds, and where.
    pub patch: Option<(String, String)>,
    /// Steps that cannot be read.
    pub problems: Vec<String>,
}

/// Converts a document.
///
/// # Errors
/// When `steps` is missing or no list.
pub(super) fn convert(fields: &Fields<'_>) -> Result<Converted, JsonError> {
    let mut out = Converted::default();
    document(fields, 0, &mut out)?;
    let extra = fields.object("extra").ok().flatten().unwrap_or_default();
    for key in ["git_patch", "model_patch", "patch"] {
        if let Some(patch) = extra.text(key).ok().flatten() {
            out.patch = Some((patch, format!("extra.{key} of the trace")));
            break;
        }
    }
    Ok(out)
}

/// First line of a task. Terminus puts it behind its own instructions.
pub(super) fn title(task: &str) -> Option<String> {
    let start = task
        .find("Task Description:")
        .map_or(0, |at| at + "Task Description:".len());
    let mut lines = task[start..].lines().chain(task.lines());
    lines
        .find(|line| !line.trim().is_empty())
        .map(|line| line.trim().to_owned())
}

fn document(fields: &Fields<'_>, depth: usize, out: &mut Converted) -> Result<(), JsonError> {
    let steps = fields.list("steps")?.ok_or_else(|| JsonError::Type {
        field: "steps".to_owned(),
        expected: "a list",
        found: "nothing".to_owned(),
    })?;
    let embedded = fields
        .list("subagent_trajectories")
        .unwrap_or_else(|error| {
            out.problems.push(error.to_string());
            None
        })
        .unwrap_or_default();
    let mut agents = Agents {
        embedded: embedded
            .iter()
            .filter_map(|raw| Fields::of("subagent_trajectories", *raw).ok())
            .map(|fields| (fields, false))
            .collect(),
        depth,
    };
    if agents.embedded.len() < embedded.len() {
        let reason = "subagent_trajectories: an element is no object";
        out.problems.push(reason.to_owned());
    }
    let mut copied: Vec<Step> = Vec::new();
    let mut run = 0;
    for (index, raw) in steps.into_iter().enumerate() {
        let fields = match Fields::of(&json::element_name("steps", index), raw) {
            Ok(fields) => fields,
            Err(error) => {
                out.problems.push(error.to_string());
                out.steps.push(other(raw.get().to_owned()));
                continue;
            }
        };
        if depth == 0 {
            let expected = i64::try_from(index).map_or(i64::MAX, |index| index + 1);
            let id = fields.integer("step_id").ok().flatten();
            out.out_of_order |= id.is_some_and(|id| id != expected);
        }
        let is_copy = fields.boolean("is_copied_context").ok().flatten() == Some(true);
        if !is_copy {
            flush(&mut copied, &mut run, out);
        }
        let start = out.steps.len();
        if let Err(error) = step(&fields, (index, is_copy), &mut agents, out) {
            let name = json::element_name("steps", index);
            out.problems.push(format!("{name}: {error}"));
            out.steps.truncate(start);
            out.steps.push(other(raw.get().to_owned()));
        }
        if is_copy {
            copied.extend(out.steps.drain(start..));
            run += 1;
            if depth == 0 {
                out.copied += 1;
            }
        }
    }
    flush(&mut copied, &mut run, out);
    // Sub-agents that no step refers to are shown as well.
    for index in 0..agents.embedded.len() {
        if !agents.embedded[index].1 {
            agents.show(index, out);
        }
    }
    Ok(())
}

/// Turns copied steps into one: they repeat what stands elsewhere.
fn flush(copied: &mut Vec<Step>, run: &mut usize, out: &mut Converted) {
    if *run == 0 {
        return;
    }
    let mut text = format!("[copied context: {run} steps]");
    for step in copied.drain(..) {
        text.push_str("\n\n[");
        text.push_str(step.kind().word());
        text.push_str("]\n");
        text.push_str(&step.text);
    }
    out.steps.push(other(text));
    *run = 0;
}

fn other(text: String) -> Step {
    Step {
        kind: Some(StepKind::Other),
        text,
        ..Step::default()
    }
}

/// The sub-agents' trajectories embedded in a document, and whether each was shown.
struct Agents<'a> {
    embedded: Vec<(Fields<'a>, bool)>,
    depth: usize,
}

impl Agents<'_> {
    /// Shows an embedded trajectory between two marker lines.
    fn show(&mut self, index: usize, out: &mut Converted) {
        let Some((fields, shown)) = self.embedded.get_mut(index) else {
            return;
        };
        *shown = true;
        let name = name(fields);
        out.steps.push(other(format!("[sub-agent {name} begins]")));
        if self.depth + 1 >= DEPTH {
            out.steps.push(other("[not shown: too deep]".to_owned()));
        } else {
            // Its tokens are its own, its task is not the run's.
            let mut inner = Converted::default();
            match document(fields, self.depth + 1, &mut inner) {
                Ok(()) => {
                    out.steps.append(&mut inner.steps);
                    out.refers.append(&mut inner.refers);
                    out.problems.append(&mut inner.problems);
                }
                Err(error) => out.problems.push(format!("sub-agent {name}: {error}")),
            }
        }
        out.steps.push(other(format!("[sub-agent {name} ends]")));
    }

    /// Shows what a result refers to: embedded trajectories themselves, a line for the others.
    fn refer(&mut self, raw: Raw<'_>, out: &mut Converted) {
        let items = json::list("subagent_trajectory_ref", raw).unwrap_or_else(|_| vec![raw]);
        for raw in items {
            let Ok(fields) = Fields::of("subagent_trajectory_ref", raw) else {
                let text = json::text("", raw.get()).unwrap_or_else(|_| raw.get().to_owned());
                out.steps.push(other(format!("[sub-agent {text}]")));
                out.refers.push(text);
                continue;
            };
            let text = |key: &str| fields.text(key).ok().flatten();
            let ids = [text("trajectory_id"), text("session_id")];
            let embedded = ["trajectory_id", "session_id"]
                .into_iter()
                .zip(&ids)
                .find_map(|(key, id)| {
                    let id = id.as_deref()?;
                    let is = |(fields, shown): &(Fields<'_>, bool)| {
                        !shown && fields.text(key).ok().flatten().as_deref() == Some(id)
                    };
                    self.embedded.iter().position(is)
                });
            if let Some(index) = embedded {
                self.show(index, out);
                continue;
            }
            let [id, session] = ids;
            let target = text("trajectory_path").or(id).or(session);
            let target = target.unwrap_or_else(|| raw.get().to_owned());
            let extra = fields.object("extra").ok().flatten().unwrap_or_default();
            let line = match extra.text("summary").ok().flatten() {
                Some(summary) => format!("[sub-agent {target}: {summary}]"),
                None => format!("[sub-agent {target}]"),
            };
            out.steps.push(other(line));
            out.refers.push(target);
        }
    }
}

fn name(fields: &Fields<'_>) -> String {
    let text = |key: &str| fields.text(key).ok().flatten();
    let id = text("trajectory_id").or_else(|| text("session_id"));
    let agent = fields.object("agent").ok().flatten().unwrap_or_default();
    let agent = agent.text("name").ok().flatten();
    match (id, agent) {
        (Some(id), Some(agent)) => format!("{id} ({agent})"),
        (one, other) => one.or(other).unwrap_or_else(|| "without a name".to_owned()),
    }
}

/// Adds one step of a document. `(index, is_copy)`: its position, and whether it is copied context.
fn step(
    fields: &Fields<'_>,
    (index, is_copy): (usize, bool),
    agents: &mut Agents<'_>,
    out: &mut Converted,
) -> Result<(), JsonError> {
    let source = fields.text("source")?.unwrap_or_default();
    let kind = match source.as_str() {
        "system" => StepKind::System,
        "user" => StepKind::User,
        "agent" => StepKind::Message,
        _ => StepKind::Other,
    };
    let time = fields.text_or_number("timestamp").ok().flatten();
    let metrics = fields.object("metrics").ok().flatten().unwrap_or_default();
    let usage = Usage::of(&metrics, ["prompt_tokens", "completion_tokens", "cost_usd"]);
    out.all = out.all.plus(usage);
    if !is_copy {
        out.own = out.own.plus(usage);
    }
    if kind == StepKind::Message && out.model.is_none() {
        out.model = fields.text("model_name").ok().flatten();
    }
    let start = out.steps.len();
    if let Some(thought) = fields.some("reasoning_content") {
        let text = parts(thought)?;
        if !text.trim().is_empty() {
            out.steps.push(Step {
                kind: Some(StepKind::Reasoning),
                text,
                ..Step::default()
            });
        }
    }
    let message = fields
        .some("message")
        .map(parts)
        .transpose()?
        .unwrap_or_default();
    if kind == StepKind::User && out.task.is_none() && !message.trim().is_empty() {
        out.task = Some(message.clone());
    }
    let calls = fields.list("tool_calls")?.unwrap_or_default();
    let observation = fields.object("observation")?.unwrap_or_default();
    let mut results: Vec<Option<Fields<'_>>> = Vec::new();
    for raw in observation.list("results")?.unwrap_or_default() {
        results.push(Some(Fields::of("results", raw)?));
    }
    if !message.trim().is_empty() || (calls.is_empty() && results.is_empty()) {
        out.steps.push(Step {
            kind: Some(kind),
            text: message,
            ..Step::default()
        });
    }
    for raw in calls {
        let call = call(raw)?;
        let id = call.call_id.clone();
        let asks_diff = call
            .args
            .as_deref()
            .is_some_and(|args| args.contains("git diff"));
        out.steps.push(call);
        for slot in &mut results {
            let answers = slot.as_ref().is_some_and(|fields| {
                let to = fields.text("source_call_id").ok().flatten();
                to.is_some() && to == id
            });
            if answers && let Some(fields) = slot.take() {
                let seen = result(&fields, agents, out)?;
                if asks_diff && seen.trim_start().starts_with("diff --git ") {
                    out.patch =
                        Some((seen, format!("git diff in step {} of the trace", index + 1)));
                }
            }
        }
    }
    // Results of no call: terminals answer without one.
    for fields in results.into_iter().flatten() {
        result(&fields, agents, out)?;
    }
    if let Some(last) = out.steps[start..]
        .iter_mut()
        .rfind(|step| step.kind() != StepKind::Observation && step.kind() != StepKind::Other)
    {
        last.tokens = usage.output;
        last.cost_usd = usage.cost;
    }
    for step in &mut out.steps[start..] {
        if step.time.is_none() {
            step.time.clone_from(&time);
        }
    }
    Ok(())
}

fn call(raw: Raw<'_>) -> Result<Step, JsonError> {
    let fields = Fields::of("tool_calls", raw)?;
    let arguments = fields.some("arguments");
    let text = arguments.map(|raw| {
        let keys = Fields::of("arguments", raw).ok();
        keys.and_then(|keys| keys.text("keystrokes").ok().flatten())
            .unwrap_or_else(|| call_text(raw))
    });
    Ok(Step {
        kind: Some(StepKind::ToolCall),
        text: text.unwrap_or_default(),
        tool: fields.text("function_name")?,
        args: arguments.map(|raw| match json::text("arguments", raw.get()) {
            // Arguments that the writer could not parse stay the text they were.
            Ok(text) => text,
            Err(_) => raw.get().to_owned(),
        }),
        call_id: fields.text_or_number("tool_call_id")?,
        ..Step::default()
    })
}

/// Adds what a tool answered, with the sub-agents it refers to, and returns the text.
fn result(
    fields: &Fields<'_>,
    agents: &mut Agents<'_>,
    out: &mut Converted,
) -> Result<String, JsonError> {
    let text = fields
        .some("content")
        .map(parts)
        .transpose()?
        .unwrap_or_default();
    let refers = fields.some("subagent_trajectory_ref");
    if !text.is_empty() || refers.is_none() {
        out.steps.push(Step {
            kind: Some(StepKind::Observation),
            text: text.clone(),
            call_id: fields.text_or_number("source_call_id")?,
            ..Step::default()
        });
    }
    if let Some(raw) = refers {
        agents.refer(raw, out);
    }
    Ok(text)
}

/// A text, or parts of which those that are no text become a marker.
fn parts(raw: Raw<'_>) -> Result<String, JsonError> {
    if raw.kind() != Kind::List {
        return content(Some(raw));
    }
    let mut out = String::new();
    for part in json::list("content", raw)? {
        if !out.is_empty() {
            out.push('\n');
        }
        match Fields::of("content", part) {
            Ok(fields) if fields.has("source") => out.push_str(&marker(&fields)),
            Ok(fields) => match fields.text("text").ok().flatten() {
                Some(text) => out.push_str(&text),
                None => out.push_str(part.get()),
            },
            Err(_) => out.push_str(&content(Some(part))?),
        }
    }
    Ok(out)
}

/// `[image image/png images/1.png]`; data in place of a path is only counted.
fn marker(fields: &Fields<'_>) -> String {
    let kind = fields.text("type").ok().flatten();
    let source = fields.object("source").ok().flatten().unwrap_or_default();
    let text = |key: &str| source.text(key).ok().flatten();
    let mut out = format!("[{}", kind.as_deref().unwrap_or("part"));
    if let Some(media) = text("media_type") {
        out.push(' ');
        out.push_str(&media);
    }
    match (text("path"), text("data")) {
        (Some(path), _) if !path.starts_with("data:") => {
            out.push(' ');
            out.push_str(&path);
        }
        (Some(data), _) | (None, Some(data)) => {
            // Base64 has four letters for three bytes.
            let bytes = data.len() / 4 * 3;
            out.push_str(&format!(", {} kB", bytes.div_ceil(1000)));
        }
        (None, None) => {}
    }
    out.push(']');
    out
}
