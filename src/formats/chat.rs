//! Chat messages of every dialect as steps: the one place where messages, parts, tool calls and tool
//! results become the neutral shape.
//!
//! What is *not* here: which key of a record holds the messages.

use super::json::{self, Fields, JsonError, Kind, Raw};
use super::native::call_text;
use crate::domain::{Step, StepKind};

/// The steps of a list of chat messages; demonstrations are left out.
pub(crate) fn messages(items: &[Raw<'_>], out: &mut Vec<Step>) -> Result<(), JsonError> {
    let mut asked = false;
    for raw in items {
        let fields = Fields::of("messages", *raw)?;
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
pub(crate) fn message(
    fields: &Fields<'_>,
    asked: &mut bool,
    out: &mut Vec<Step>,
) -> Result<(), JsonError> {
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
pub(crate) fn return_code(fields: &Fields<'_>, text: &str) -> Option<i64> {
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
pub(crate) fn content(raw: Option<Raw<'_>>) -> Result<String, JsonError> {
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
                    Ok(fields) => match part_text(&fields) {
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

/// The text of a part of a message: its own, a refusal, or a marker for what is no text; `None` for
/// a part of another kind.
fn part_text(fields: &Fields<'_>) -> Option<String> {
    let text = |key: &str| fields.text(key).ok().flatten();
    if let Some(text) = text("text").or_else(|| text("refusal")) {
        return Some(text);
    }
    let kind = text("type")?;
    let kind = ["image", "audio", "file", "video"]
        .into_iter()
        .find(|word| kind.contains(word))?;
    let url = ["image_url", "url", "data", "file_data"]
        .into_iter()
        .find_map(|key| {
            let inner = || {
                fields
                    .object(key)
                    .ok()
                    .flatten()?
                    .text("url")
                    .ok()
                    .flatten()
            };
            text(key).or_else(inner)
        });
    Some(
        match url.as_deref().map(|url| (url.strip_prefix("data:"), url)) {
            Some((Some(data), _)) => {
                let media = data.split([';', ',']).next().unwrap_or_default();
                format!("[{kind} {media}, {} kB]", data.len().div_ceil(1000))
            }
            Some((None, url)) if url.len() <= 200 => format!("[{kind} {url}]"),
            Some((None, data)) => format!("[{kind}, {} kB]", data.len().div_ceil(1000)),
            None => format!("[{kind}]"),
        },
    )
}

/// A tool call in the OpenAI shape.
pub(crate) fn tool_call(raw: Raw<'_>) -> Result<Step, JsonError> {
    let fields = Fields::of("tool_calls", raw)?;
    let function = fields.object("function").ok().flatten().unwrap_or_default();
    let (name, id) = (function.text("name"), fields.text("id"));
    Ok(call(
        name.ok().flatten(),
        function.some("arguments"),
        id.ok().flatten(),
    ))
}

/// A tool call from its parts; arguments are a JSON text, in some files an object.
pub(crate) fn call(
    tool: Option<String>,
    arguments: Option<Raw<'_>>,
    call_id: Option<String>,
) -> Step {
    let args = arguments.map(|raw| match json::text("arguments", raw.get()) {
        Ok(text) => text,
        Err(_) => raw.get().to_owned(),
    });
    let text = match args.as_deref().map(Raw::parse) {
        Some(Ok(inner)) => call_text(inner),
        _ => args.clone().unwrap_or_default(),
    };
    Step {
        kind: Some(StepKind::ToolCall),
        role: None,
        text,
        tool,
        args,
        call_id,
        ..Step::default()
    }
}

/// Adds a step with a text; a blank one is none.
pub(crate) fn push(out: &mut Vec<Step>, kind: StepKind, text: String) {
    if !text.trim().is_empty() {
        out.push(Step {
            kind: Some(kind),
            text,
            ..Step::default()
        });
    }
}

/// What a tool answered: a text, or an object with streams and an exit code.
pub(crate) fn observation(raw: Raw<'_>) -> Result<Step, JsonError> {
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
