//! Items of the OpenAI Responses API as steps.
//!
//! What is *not* here: chat messages (`chat`), and which key of a record holds the items.

use crate::domain::{Step, StepKind};

use super::chat::{bare_answer, call, content, return_code, split_tags};
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
        let next = items.get(index + 1).map(|raw| Fields::of("output", *raw));
        let next = next.and_then(|next| next.ok()?.text("type").ok()?);
        let has_calls = next.is_some_and(|kind| kind.ends_with("_call"));
        item(*raw, &fields, has_calls, out)
            .map_err(|error| JsonError::Inside(name.clone(), Box::new(error)))?;
    }
    Ok(())
}

/// One item; `has_calls` tells whether a call follows it.
fn item(
    raw: Raw<'_>,
    fields: &Fields<'_>,
    has_calls: bool,
    out: &mut Vec<Step>,
) -> Result<(), JsonError> {
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
            let said = content(fields.some("content"))?;
            if kind == StepKind::Message {
                if !terminal_answer(&said, has_calls, out) {
                    let start = out.len();
                    push(out, kind, role.as_deref(), said);
                    split_tags(out, start);
                }
            } else {
                push(out, kind, role.as_deref(), said);
            }
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
            let mut step = Step {
                kind: Some(StepKind::Observation),
                exit_code: return_code(fields, &answer),
                text: answer,
                call_id: text("call_id"),
                ..Step::default()
            };
            bare_answer(&mut step);
            out.push(step);
        }
        // Built-in tools and what comes after this was written: shown as it stands.
        other => push(out, StepKind::Other, Some(other), raw.get().to_owned()),
    }
    Ok(())
}

/// The answer of a terminal agent (Terminus), one JSON object with `analysis`, `plan` and `commands`,
/// as its text and a call per command; the calls that follow it already are not repeated. `false`,
/// with nothing added, for any other text.
fn terminal_answer(text: &str, has_calls: bool, out: &mut Vec<Step>) -> bool {
    if !text.trim_start().starts_with('{') {
        return false;
    }
    let Ok(fields) = Fields::parse(text.as_bytes()) else {
        return false;
    };
    let Ok(Some(commands)) = fields.list("commands") else {
        return false;
    };
    if !fields.has("analysis") && !fields.has("plan") {
        return false;
    }
    let mut said = Vec::new();
    for (key, raw) in fields.pairs().filter(|(key, _)| *key != "commands") {
        let name = match key {
            "analysis" => "Analysis",
            "plan" => "Plan",
            other => other,
        };
        // That it goes on needs no word.
        if (key, raw.get()) != ("task_complete", "false") {
            let text = super::json::text(key, raw.get()).unwrap_or_else(|_| raw.get().to_owned());
            said.push(format!("{name}: {text}"));
        }
    }
    push(out, StepKind::Message, Some("assistant"), said.join("\n\n"));
    if !has_calls {
        let calls = commands.into_iter().map(|raw| call(None, Some(raw), None));
        out.extend(calls);
    }
    true
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_a_terminal_agent_are_text_and_calls() {
        let answer = r#"{"analysis":"It is\nempty.","plan":"List.","commands":[{"keystrokes":"ls\n",
            "duration":0.1},{"keystrokes":"pwd\n"}],"task_complete":false}"#;
        let of = |more: &str| {
            let message = format!(
                r#"{{"items":[{{"type":"message","role":"assistant","content":{}}}{more}]}}"#,
                serde_json::to_string(answer).expect("JSON")
            );
            let fields = Fields::parse(message.as_bytes()).expect("JSON");
            let list = fields.list("items").expect("a list").unwrap_or_default();
            let mut out = Vec::new();
            items(&list, &mut out).expect("items");
            let shown = |step: Step| (step.kind().word(), step.text);
            out.into_iter().map(shown).collect::<Vec<_>>()
        };
        let message = (
            "message",
            "Analysis: It is\nempty.\n\nPlan: List.".to_owned(),
        );
        let call = |text: &str| ("tool_call", text.to_owned());
        assert_eq!(of(""), [message.clone(), call("ls\n"), call("pwd\n")]);
        let follows = r#",{"type":"function_call","name":"bash_command","call_id":"1",
            "arguments":"{\"keystrokes\":\"ls\\n\"}"}"#;
        assert_eq!(of(follows), [message, call("ls\n")]);
    }
}
