//! Inspect's messages as steps: parts of thought and of tools on the server among the content, flat
//! tool calls, errors of tools, and texts that were moved to attachments.
//!
//! What is *not* here: OpenAI's shape (`chat`). Unlike there a later user message is a user's, since
//! tools answer in messages of their own.

use crate::domain::{Step, StepKind};
use crate::formats::chat::{call, content, push};
use crate::formats::json::{self, Fields, JsonError, Kind, Raw};

/// The steps of a sample's messages; what cannot be read is told and left out.
pub(super) fn steps(items: &[Raw<'_>], problems: &mut Vec<String>) -> Vec<Step> {
    let mut out = Vec::new();
    for (index, raw) in items.iter().enumerate() {
        let read = json::element("messages", index, *raw, |fields| message(fields, &mut out));
        if let Err(error) = read {
            problems.push(error.to_string());
        }
    }
    out
}

fn message(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let role = fields.text("role")?.unwrap_or_default();
    let kind = match role.as_str() {
        "system" | "developer" => StepKind::System,
        "user" => StepKind::User,
        "assistant" => StepKind::Message,
        "tool" => StepKind::Observation,
        _ => StepKind::Other,
    };
    let mut text = String::new();
    let mut on_server = Vec::new();
    match fields.some("content") {
        Some(raw) if raw.kind() == Kind::List => {
            for part in json::list("content", raw)? {
                if let Some(more) = part_text(part, out, &mut on_server)? {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(&more);
                }
            }
        }
        raw => text = content(raw)?,
    }
    let error = fields.object("error").ok().flatten();
    let failed = error.is_some();
    if let Some(error) = error {
        let word = |key: &str| error.text(key).ok().flatten().unwrap_or_default();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("[error {}: {}]", word("type"), word("message")));
    }
    let calls = fields.list("tool_calls")?.unwrap_or_default();
    // An answer that only calls tools has nothing to show of its own.
    let silent = kind == StepKind::Message && text.trim().is_empty();
    if !silent {
        out.push(Step {
            kind: Some(kind),
            role: Some(role),
            text,
            tool: fields.text("function").ok().flatten(),
            call_id: fields.text("tool_call_id").ok().flatten(),
            failed,
            ..Step::default()
        });
    }
    out.append(&mut on_server);
    for (index, raw) in calls.into_iter().enumerate() {
        let step = json::element("tool_calls", index, raw, |fields| {
            let word = |key: &str| fields.text(key).ok().flatten();
            let mut step = call(word("function"), fields.some("arguments"), word("id"));
            if let Some(error) = word("parse_error") {
                step.text.push_str(&format!("\n[not parsed: {error}]"));
            }
            Ok(step)
        })?;
        out.push(step);
    }
    Ok(())
}

/// The text of one part; thoughts become steps at once, tools that ran on the server after it.
fn part_text(
    part: Raw<'_>,
    out: &mut Vec<Step>,
    on_server: &mut Vec<Step>,
) -> Result<Option<String>, JsonError> {
    let Ok(fields) = Fields::of("content", part) else {
        return content(Some(part)).map(Some);
    };
    let word = |key: &str| fields.text(key).ok().flatten();
    match word("type").as_deref() {
        Some("reasoning") => {
            let redacted = fields.boolean("redacted").ok().flatten() == Some(true);
            let thought = word("reasoning").filter(|_| !redacted);
            let thought = thought.or_else(|| word("summary"));
            let thought = thought.unwrap_or_else(|| "[redacted]".to_owned());
            push(out, StepKind::Reasoning, thought);
            Ok(None)
        }
        Some("tool_use") => {
            on_server.push(call(word("name"), fields.some("arguments"), word("id")));
            on_server.push(Step {
                kind: Some(StepKind::Observation),
                failed: word("error").is_some_and(|error| !error.is_empty()),
                text: word("error").or_else(|| word("result")).unwrap_or_default(),
                call_id: word("id"),
                ..Step::default()
            });
            Ok(None)
        }
        _ => Ok(Some(
            marker(&fields).unwrap_or_else(|| part.get().to_owned()),
        )),
    }
}

/// A text part's text, or what stands for an image, a sound, a film or a document.
fn marker(fields: &Fields<'_>) -> Option<String> {
    let word = |key: &str| fields.text(key).ok().flatten();
    if let Some(text) = word("text") {
        return Some(text);
    }
    let kind = word("type")?;
    let data = word(&kind)?;
    let shown = match data.strip_prefix("data:") {
        Some(data) => {
            let media = data.split([';', ',']).next().unwrap_or_default();
            format!("[{kind} {media}, {} kB]", data.len().div_ceil(1000))
        }
        None if data.len() <= 200 => format!("[{kind} {data}]"),
        None => format!("[{kind}, {} kB]", data.len().div_ceil(1000)),
    };
    Some(shown)
}

/// What stands for a text that was moved to the attachments.
const REFERENCE: &str = "attachment://";
/// Length of the hash behind it, in bytes.
const HASH: usize = 32;

/// Puts attachments into the places that refer to them.
pub(super) fn resolve(text: &str, attachments: &Fields<'_>) -> Option<String> {
    let mut rest = text;
    let mut out = String::new();
    while let Some(at) = rest.find(REFERENCE) {
        let behind = &rest[at + REFERENCE.len()..];
        let (before, found) = (&rest[..at], behind.get(..HASH));
        let moved = found.and_then(|hash| attachments.text(hash).ok().flatten());
        out.push_str(before);
        match moved {
            Some(moved) => {
                out.push_str(&moved);
                rest = &behind[HASH..];
            }
            None => {
                out.push_str(REFERENCE);
                rest = behind;
            }
        }
    }
    if out.is_empty() && rest.len() == text.len() {
        return None;
    }
    out.push_str(rest);
    Some(out)
}

/// Puts attachments into a step; in arguments, which are JSON, as they are written there.
pub(super) fn resolve_step(step: &mut Step, attachments: &Fields<'_>) {
    if let Some(text) = resolve(&step.text, attachments) {
        step.text = text;
    }
    let Some(args) = step.args.as_deref().filter(|args| args.contains(REFERENCE)) else {
        return;
    };
    let mut args = args.to_owned();
    for (hash, raw) in attachments.pairs() {
        let reference = format!("{REFERENCE}{hash}");
        if args.contains(&reference) {
            // Without its quotes a JSON text stands within another one.
            let text = raw.get();
            let inner = text.get(1..text.len().saturating_sub(1));
            args = args.replace(&reference, inner.unwrap_or_default());
        }
    }
    step.args = Some(args);
}
