//! Items of the OpenAI Responses API as steps.
//!
//! What is *not* here: chat messages (`chat`), and which key of a record holds the items.

use crate::domain::{Step, StepKind};

use super::chat::{call, content, return_code};
use super::json::{Fields, JsonError, Kind, Raw};

/// The steps of an `input`: a text, or a list of items.
///
/// # Errors
/// When it is neither, or an item is no object.
pub(crate) fn input(raw: Raw<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    if raw.kind() == Kind::List {
        return items(&super::json::list("input", raw)?, out);
    }
    let text = super::json::text("input", raw.get())?;
    push(out, StepKind::User, Some("user"), text);
    Ok(())
}

/// The steps of a list of items; blank messages are none.
///
/// # Errors
/// When an item is no object or a text in it cannot be decoded.
pub(crate) fn items(items: &[Raw<'_>], out: &mut Vec<Step>) -> Result<(), JsonError> {
    for (index, raw) in items.iter().enumerate() {
        let name = super::json::element_name("output", index);
        let fields = Fields::of(&name, *raw)?;
        item(*raw, &fields, out)
            .map_err(|error| JsonError::Inside(name.clone(), Box::new(error)))?;
    }
    Ok(())
}

fn item(raw: Raw<'_>, fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let text = |key: &str| fields.text(key).ok().flatten();
    let kind = fields.text("type")?.unwrap_or_else(|| "message".to_owned());
    match kind.as_str() {
        "message" => {
            let role = text("role");
            let kind = match role.as_deref() {
                Some("system" | "developer") => StepKind::System,
                Some("user") => StepKind::User,
                Some("assistant") => StepKind::Message,
                Some("tool" | "function") => StepKind::Observation,
                _ => StepKind::Other,
            };
            push(out, kind, role.as_deref(), content(fields.some("content"))?);
        }
        "reasoning" => {
            let mut thought = content(fields.some("summary"))?;
            let more = content(fields.some("content"))?;
            if !thought.is_empty() && !more.is_empty() {
                thought.push('\n');
            }
            thought.push_str(&more);
            if thought.trim().is_empty() && fields.some("encrypted_content").is_some() {
                "[encrypted]".clone_into(&mut thought);
            }
            push(out, StepKind::Reasoning, None, thought);
        }
        "function_call" => out.push(call(
            text("name"),
            fields.some("arguments"),
            text("call_id"),
        )),
        "custom_tool_call" => out.push(call(text("name"), fields.some("input"), text("call_id"))),
        "local_shell_call" => {
            let name = Some("local_shell".to_owned());
            out.push(call(name, fields.some("action"), text("call_id")));
        }
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            let answer = content(fields.some("output"))?;
            out.push(Step {
                kind: Some(StepKind::Observation),
                exit_code: return_code(fields, &answer),
                text: answer,
                call_id: text("call_id"),
                ..Step::default()
            });
        }
        // Built-in tools and what comes after this was written: shown as it stands.
        other => push(out, StepKind::Other, Some(other), raw.get().to_owned()),
    }
    Ok(())
}

fn push(out: &mut Vec<Step>, kind: StepKind, role: Option<&str>, text: String) {
    if !text.trim().is_empty() {
        out.push(Step {
            kind: Some(kind),
            role: role.map(str::to_owned),
            text,
            ..Step::default()
        });
    }
}
