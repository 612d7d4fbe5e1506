//! Events of OpenHands as steps: pairs and typed dictionaries of the old agent, events with a
//! `kind` of the SDK.
//!
//! What is *not* here: which events are one conversation.

use crate::domain::{Step, StepKind};
use crate::formats::chat::{content, push, push_said};
use crate::formats::json::{self, Fields, JsonError, Kind, Raw};
use crate::formats::native::call_text;

/// Events of the SDK whose name does not end in `Event`.
const KINDS: [&str; 4] = [
    "Condensation",
    "CondensationRequest",
    "CondensationSummaryEvent",
    "UserRejectObservation",
];

/// What the agent keeps beside an action, in its arguments or next to them.
const KEPT_BESIDE: [&str; 20] = [
    "action",
    "action_risk",
    "blocking",
    "cause",
    "confirmation_state",
    "hidden",
    "id",
    "include_extra",
    "is_confirmed",
    "keep_prompt",
    "kernel_init_code",
    "llm_metrics",
    "message",
    "security_risk",
    "source",
    "state",
    "thought",
    "timestamp",
    "tool_call_metadata",
    "translated_ipython_code",
];

/// The role of events that tell the environment's state.
const STATE: &str = "state";

/// Who an event of the SDK may come from.
const SOURCES: [&str; 4] = ["agent", "user", "environment", "hook"];

/// Whether an object is an event of the SDK: of a name that is known, or of a later one that ends as
/// they do and comes from whom they come from.
pub(super) fn is_sdk(fields: &Fields<'_>) -> bool {
    let text = |key: &str| fields.text(key).ok().flatten();
    let is_of_sdk = |kind: String| {
        KINDS.contains(&kind.as_str())
            || kind
                .strip_suffix("Event")
                .is_some_and(|name| !name.is_empty())
                && text("source").is_some_and(|source| SOURCES.contains(&source.as_str()))
    };
    fields.has("id")
        && fields.has("source")
        && fields.has("timestamp")
        && text("kind").is_some_and(is_of_sdk)
}

/// Whether an object is an event of the old agent.
pub(super) fn is_old(fields: &Fields<'_>) -> bool {
    (fields.has("action") || fields.has("observation"))
        && (fields.has("args")
            || fields.has("extras")
            || (fields.has("source") && fields.has("timestamp")))
}

/// The steps of a history; what cannot be read is told and shown as it is.
pub(super) fn history(items: &[Raw<'_>], problems: &mut Vec<String>) -> Vec<Step> {
    let mut out = Vec::new();
    let mut response = None;
    for (index, raw) in items.iter().enumerate() {
        let start = out.len();
        if let Err(error) = item(*raw, &mut response, &mut out) {
            problems.push(format!("{}: {error}", json::element_name("history", index)));
            out.truncate(start);
            out.push(other(raw.get().to_owned()));
        }
    }
    out
}

/// An event, or the pair of an action and what came of it. `response` is the id of the last answer
/// of the model: its tokens count once.
fn item(raw: Raw<'_>, response: &mut Option<String>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    if raw.kind() == Kind::List {
        for raw in json::list("history", raw)? {
            // The observation of an action that had none.
            if raw.get() != "null" {
                event(&Fields::of("history", raw)?, response, out)?;
            }
        }
        return Ok(());
    }
    event(&Fields::of("history", raw)?, response, out)
}

/// Adds the steps of one event.
pub(super) fn event(
    fields: &Fields<'_>,
    response: &mut Option<String>,
    out: &mut Vec<Step>,
) -> Result<(), JsonError> {
    let start = out.len();
    let text = |key: &str| fields.text(key).ok().flatten();
    if fields.has("kind") {
        sdk(fields, out)?;
    } else if let Some(action) = text("action") {
        old_action(fields, &action, response, out)?;
    } else if text("observation").is_some() {
        old_observation(fields, out)?;
    } else {
        out.push(other(whole(fields)));
    }
    let time = text("timestamp");
    for step in &mut out[start..] {
        step.time.clone_from(&time);
    }
    Ok(())
}

/// An object as JSON text, its values as they are.
fn whole(fields: &Fields<'_>) -> String {
    without(fields, &[])
}

/// An object without some of its keys as JSON text.
fn without(fields: &Fields<'_>, keys: &[&str]) -> String {
    let pairs: Vec<String> = fields
        .pairs()
        .filter(|(key, _)| !keys.contains(key))
        .map(|(key, raw)| {
            let key = serde_json::to_string(key).unwrap_or_default();
            format!("{key}: {}", raw.strict())
        })
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

fn other(text: String) -> Step {
    Step {
        kind: Some(StepKind::Other),
        text,
        ..Step::default()
    }
}

/// The first of these keys that holds a text with something in it.
fn first_text(fields: &Fields<'_>, keys: &[&str]) -> Option<String> {
    keys.iter()
        .filter_map(|key| fields.text(key).ok().flatten())
        .find(|text| !text.trim().is_empty())
}

fn old_action(
    fields: &Fields<'_>,
    action: &str,
    response: &mut Option<String>,
    out: &mut Vec<Step>,
) -> Result<(), JsonError> {
    let start = out.len();
    // The first versions have the arguments beside the action.
    let args = fields.some("args");
    let inner = args.map(|raw| Fields::of("args", raw)).transpose()?;
    let given = inner.as_ref().unwrap_or(fields);
    let call = fields
        .object("tool_call_metadata")
        .ok()
        .flatten()
        .unwrap_or_default();
    let answer = call
        .object("model_response")
        .ok()
        .flatten()
        .unwrap_or_default();
    if let Some(thought) = reasoning(&answer) {
        push(out, StepKind::Reasoning, thought);
    }
    let is_agent = fields.text("source").ok().flatten().as_deref() != Some("user");
    match action {
        "system" => push(
            out,
            StepKind::System,
            first_text(given, &["content"])
                .or_else(|| first_text(fields, &["message"]))
                .unwrap_or_default(),
        ),
        "message" => {
            // The first versions do not say who speaks; the user speaks first.
            let said = fields.has("source") || !fields.has("wait_for_response");
            let kind = match (said, is_agent) {
                (true, true) => StepKind::Message,
                _ => StepKind::User,
            };
            let text = first_text(given, &["content"]);
            let text = text.or_else(|| first_text(fields, &["message"]));
            match kind {
                StepKind::Message => push_said(out, text.unwrap_or_default()),
                kind => push(out, kind, text.unwrap_or_default()),
            }
        }
        "think" => push(
            out,
            StepKind::Reasoning,
            first_text(given, &["thought"]).unwrap_or_default(),
        ),
        "finish" => {
            let text = first_text(given, &["final_thought", "thought", "content"]);
            out.push(Step {
                kind: Some(StepKind::Submit),
                text: text
                    .or_else(|| first_text(fields, &["message"]))
                    .unwrap_or_default(),
                ..Step::default()
            });
        }
        "recall" | "change_agent_state" | "null" | "condensation" | "condensation_request" => {
            let text = first_text(fields, &["message"]);
            let text = text.or_else(|| first_text(given, &["summary", "query"]));
            out.push(other(match text {
                Some(text) => format!("[{action}] {text}"),
                None => whole(fields),
            }));
        }
        _ => {
            if let Some(thought) = first_text(given, &["thought"]) {
                push_said(out, thought);
            }
            let text = first_text(given, &["command", "code", "path"]);
            let args = without(given, &KEPT_BESIDE);
            out.push(Step {
                kind: Some(StepKind::ToolCall),
                // Edits and others of their kind are their arguments.
                text: text
                    .filter(|_| is_command(action))
                    .unwrap_or_else(|| args.clone()),
                tool: call
                    .text("function_name")
                    .ok()
                    .flatten()
                    .or_else(|| Some(action.to_owned())),
                args: Some(args),
                call_id: call
                    .text("tool_call_id")
                    .ok()
                    .flatten()
                    .or_else(|| fields.text_or_number("id").ok().flatten()),
                ..Step::default()
            });
        }
    }
    let id = answer.text("id").ok().flatten();
    if id.is_some() && id != *response {
        let usage = answer.object("usage").ok().flatten().unwrap_or_default();
        if let Some(last) = out[start..].last_mut() {
            last.tokens = usage.count("completion_tokens").ok().flatten();
        }
        *response = id;
    }
    Ok(())
}

/// Whether an action is told by its command, code or path alone.
fn is_command(action: &str) -> bool {
    ["run", "run_ipython", "read"].contains(&action)
}

/// The reasoning in a model's answer as it was kept beside an action.
fn reasoning(answer: &Fields<'_>) -> Option<String> {
    let choices = answer.list("choices").ok().flatten()?;
    let choice = Fields::of("choices", *choices.first()?).ok()?;
    let message = choice.object("message").ok().flatten()?;
    first_text(&message, &["reasoning_content"])
}

fn old_observation(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let extras = fields.object("extras").ok().flatten().unwrap_or_default();
    let metadata = extras.object("metadata").ok().flatten().unwrap_or_default();
    let code = |fields: &Fields<'_>| fields.integer("exit_code").ok().flatten();
    let call = fields.object("tool_call_metadata").ok().flatten();
    let text = content(fields.some("content"))?;
    out.push(Step {
        kind: Some(StepKind::Observation),
        text: if text.is_empty() {
            first_text(fields, &["message"]).unwrap_or_default()
        } else {
            text
        },
        failed: fields.text("observation").ok().flatten().as_deref() == Some("error"),
        tool: fields.text("observation").ok().flatten(),
        call_id: call
            .and_then(|call| call.text("tool_call_id").ok().flatten())
            .or_else(|| fields.text_or_number("cause").ok().flatten()),
        exit_code: code(&metadata)
            .or_else(|| code(&extras))
            .or_else(|| code(fields)),
        ..Step::default()
    });
    Ok(())
}

fn sdk(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let kind = fields.text("kind")?.unwrap_or_default();
    match kind.as_str() {
        "SystemPromptEvent" => {
            let prompt = fields.object("system_prompt")?;
            let text = prompt
                .map(|prompt| content(prompt.some("text")))
                .transpose()?;
            push(out, StepKind::System, text.unwrap_or_default());
        }
        "MessageEvent" => sdk_message(fields, out)?,
        "ActionEvent" => sdk_action(fields, out)?,
        "ObservationEvent" => sdk_observation(fields, out)?,
        "AgentErrorEvent" | "UserRejectObservation" | "ConversationErrorEvent" => {
            let text = first_text(fields, &["error", "rejection_reason", "detail", "code"]);
            out.push(Step {
                kind: Some(StepKind::Observation),
                // What a person refused did not fail.
                failed: kind != "UserRejectObservation",
                role: Some(kind),
                text: text.unwrap_or_else(|| whole(fields)),
                tool: fields.text("tool_name")?,
                call_id: fields.text("tool_call_id")?,
                ..Step::default()
            });
        }
        "CondensationSummaryEvent" | "Condensation" => {
            let summary = first_text(fields, &["summary"]);
            let forgotten = fields.list("forgotten_event_ids").ok().flatten();
            out.push(other(match (forgotten, summary) {
                (None, None) => whole(fields),
                (ids, summary) => format!(
                    "[condensation: {} events forgotten]\n{}",
                    ids.map_or(0, |ids| ids.len()),
                    summary.unwrap_or_default()
                ),
            }));
        }
        "ConversationStateUpdateEvent" => {
            let key = fields.text_or_number("key")?.unwrap_or_default();
            let value = fields.raw("value").map_or("null", Raw::get);
            // Whole objects (statistics, settings) go below the line that names them.
            let between = if value.starts_with(['{', '[']) {
                "\n"
            } else {
                " "
            };
            out.push(Step {
                role: Some(STATE.to_owned()),
                ..other(format!("[state] {key}:{between}{value}"))
            });
        }
        _ => out.push(other(whole(fields))),
    }
    Ok(())
}

fn sdk_message(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let message = fields.object("llm_message")?.unwrap_or_default();
    let source = fields.text("source")?;
    let role = message.text("role")?;
    let kind = match (source.as_deref(), role.as_deref()) {
        (Some("user"), _) => StepKind::User,
        (Some("agent"), _) | (None, Some("assistant")) => StepKind::Message,
        (_, Some("system")) => StepKind::System,
        (_, Some("tool")) => StepKind::Observation,
        _ => StepKind::User,
    };
    let thought = first_text(&message, &["reasoning_content"]);
    push(out, StepKind::Reasoning, thought.unwrap_or_default());
    let mut text = content(message.some("content"))?;
    if let Some(more) = fields.some("extended_content") {
        let more = content(Some(more))?;
        if !more.trim().is_empty() {
            text.push('\n');
            text.push_str(&more);
        }
    }
    match kind {
        StepKind::Message => push_said(out, text),
        kind => push(out, kind, text),
    }
    Ok(())
}

fn sdk_action(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let thought = first_text(fields, &["reasoning_content"]);
    push(out, StepKind::Reasoning, thought.unwrap_or_default());
    push_said(out, content(fields.some("thought"))?);
    let call = fields.object("tool_call")?.unwrap_or_default();
    let action = fields.some("action");
    let inner = action.and_then(|raw| Fields::of("action", raw).ok());
    let kind = inner
        .as_ref()
        .and_then(|action| action.text("kind").ok().flatten());
    let tool = fields.text("tool_name")?;
    if kind.as_deref() == Some("FinishAction") || tool.as_deref() == Some("finish") {
        let message = inner.and_then(|action| first_text(&action, &["message"]));
        out.push(Step {
            kind: Some(StepKind::Submit),
            text: message.unwrap_or_default(),
            tool,
            call_id: fields.text("tool_call_id")?,
            ..Step::default()
        });
        return Ok(());
    }
    let arguments = call.some("arguments").or(action);
    let args = arguments
        .map(|raw| json::text("arguments", raw.get()).unwrap_or_else(|_| raw.get().to_owned()));
    let text = match (action, args.as_deref().map(Raw::parse)) {
        // The action is what was made of the arguments, without what the model adds to them.
        (Some(action), _) => call_text(action),
        (None, Some(Ok(args))) => call_text(args),
        (None, _) => args.clone().unwrap_or_default(),
    };
    out.push(Step {
        kind: Some(StepKind::ToolCall),
        text,
        tool,
        args,
        call_id: fields.text("tool_call_id")?,
        ..Step::default()
    });
    Ok(())
}

fn sdk_observation(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let observation = fields.some("observation");
    let inner = observation
        .and_then(|raw| Fields::of("observation", raw).ok())
        .unwrap_or_default();
    let metadata = inner.object("metadata").ok().flatten().unwrap_or_default();
    let code = |fields: &Fields<'_>| fields.integer("exit_code").ok().flatten();
    let text = match inner.some("content").or_else(|| inner.some("output")) {
        Some(raw) => content(Some(raw))?,
        None => observation.map_or(String::new(), |raw| raw.get().to_owned()),
    };
    // -1: the command did not end, or never began.
    let exit_code = code(&inner).or_else(|| code(&metadata).filter(|code| *code >= 0));
    out.push(Step {
        kind: Some(StepKind::Observation),
        text,
        tool: fields.text("tool_name")?,
        call_id: fields.text("tool_call_id")?,
        exit_code,
        failed: inner.boolean("is_error").ok().flatten().unwrap_or(false),
        ..Step::default()
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(event: &str) -> Vec<Step> {
        let mut problems = Vec::new();
        let steps = history(&[Raw::known(event)], &mut problems);
        assert_eq!(problems, Vec::<String>::new());
        steps
    }

    #[test]
    fn calls_have_their_own_arguments_only() {
        let beside = r#"{"code":"x = 1","thought":"I set x.","keep_prompt":true,"action":"run_ipython",
            "is_confirmed":"confirmed","action_risk":null,"kernel_init_code":""}"#;
        let old = r#"{"id":3,"source":"agent","timestamp":"t","action":"run_ipython","args":{"code":"x = 1",
            "thought":"I set x.","confirmation_state":"confirmed","security_risk":null}}"#;
        for event in [beside, old] {
            let steps = steps(event);
            assert_eq!((steps.len(), &*steps[0].text), (2, "I set x."));
            assert_eq!(steps[1].text, "x = 1");
            assert_eq!(steps[1].args.as_deref(), Some(r#"{"code": "x = 1"}"#));
        }
    }

    #[test]
    fn a_thought_is_shown_once() {
        let event = |thought: &str| {
            format!(
                r#"{{"kind":"ActionEvent","thought":[{{"type":"text","text":"<think>{thought}\n</think>\n\n"}}],
                "reasoning_content":"I list.","tool_name":"terminal","tool_call_id":"1",
                "action":{{"kind":"A","command":"ls"}}}}"#
            )
        };
        let kinds = |event: &str| -> Vec<&str> {
            steps(event).iter().map(|step| step.kind().word()).collect()
        };
        assert_eq!(kinds(&event("I list.")), ["reasoning", "tool_call"]);
        let other = ["reasoning", "reasoning", "tool_call"];
        assert_eq!(kinds(&event("Else.")), other);
    }

    #[test]
    fn states_have_a_short_first_line() {
        let state = |value: &str| {
            let event = format!(
                r#"{{"kind":"ConversationStateUpdateEvent","key":"stats","value":{value}}}"#
            );
            steps(&event).remove(0)
        };
        assert_eq!(state("{\"a\":1}").text, "[state] stats:\n{\"a\":1}");
        assert_eq!(state("\"on\"").text, "[state] stats: \"on\"");
        assert_eq!(state("1").role.as_deref(), Some(STATE));
    }
}
