//! Chat messages of every dialect as steps: the one place where messages, parts, tool calls and tool
//! results become the neutral shape.
//!
//! What is *not* here: which key of a record holds the messages.

use std::borrow::Cow;

use super::decoded_chat::{Speaker, split_turn};
use super::files;
use super::json::{self, Fields, JsonError, Kind, Raw};
use super::native::call_text;
use super::responses;
use super::split;
use super::swebench::traces::entry;
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
    settle(out);
    Ok(())
}

/// Tells users from the environment once the whole conversation is known. Agents without tool
/// messages hand over observations as user messages; where tools speak for themselves, what a user
/// says is the user's. `OBSERVATION:`, which some prompts put before observations, goes.
pub(crate) fn settle(steps: &mut [Step]) {
    let is_of = |step: &Step, kind| {
        step.role
            .as_deref()
            .is_some_and(|role| kind_of(role) == kind)
    };
    let has_tools = steps.iter().any(|step| {
        step.kind == Some(StepKind::Observation)
            && (is_of(step, StepKind::Observation) || step.call_id.is_some())
    });
    for step in steps {
        if step.kind != Some(StepKind::Observation) {
            continue;
        }
        if let Some(seen) = step.text.strip_prefix("OBSERVATION:") {
            step.text = seen.trim_start().to_owned();
        } else if has_tools && is_of(step, StepKind::User) && step.call_id.is_none() {
            step.kind = Some(StepKind::User);
        }
    }
}

/// The steps of a JSON value that holds a conversation: a list of messages, of actions with
/// observations or of typed entries, in any mix; a text that holds such a list as JSON; an object
/// with the list inside. A text that is no JSON is one message.
///
/// # Errors
/// When it is a value of another kind, or an element cannot be split.
pub(crate) fn turns(json_text: &str) -> Result<Vec<Step>, JsonError> {
    let mut out = Vec::new();
    with_turns(json_text, &mut |items| {
        let mut asked = false;
        for (index, raw) in items.iter().enumerate() {
            turn(index, *raw, &mut asked, &mut out)?;
        }
        Ok(())
    })?
    .into_iter()
    .for_each(|text| push(&mut out, StepKind::Message, text));
    settle(&mut out);
    Ok(out)
}

/// The number of [`turns`], counted without decoding long texts.
///
/// # Errors
/// As [`turns`].
pub(crate) fn count_turns(json_text: &str) -> Result<usize, JsonError> {
    match json::kind(json_text) {
        Kind::List => turns(&brief(json_text)),
        // A text may hold the conversation as JSON: it cannot be cut.
        Kind::Text => {
            let text = json::text("messages", json_text)?;
            if json::kind(&text) == Kind::List && files::Body::split(text.trim()).is_ok() {
                return count_turns(text.trim());
            }
            turns(json_text)
        }
        _ => turns(json_text),
    }
    .map(|steps| steps.len())
}

/// A conversation of which the steps can be counted, without its long texts where possible.
pub(crate) fn brief(json_text: &str) -> Cow<'_, str> {
    // Whether a thought repeats the reasoning beside it only the whole texts tell.
    if json_text.contains("think>") && json_text.contains("reasoning") {
        return Cow::Borrowed(json_text);
    }
    Cow::Owned(split::abridge(json_text))
}

/// The text of the first user message of a conversation.
pub(crate) fn first_user_text(json_text: &str) -> Option<String> {
    let mut found = None;
    let other = with_turns(json_text, &mut |items| {
        found = items.iter().find_map(|raw| {
            let fields = Fields::of("", *raw).ok()?;
            let is_user = kind_of(&role_of(&fields)) == StepKind::User;
            is_user.then(|| body_text(&fields).ok()).flatten()
        });
        Ok(())
    });
    found.or(other.ok().flatten())
}

/// Hands over the elements of a conversation; returns the text when it is one that holds no list.
fn with_turns(
    json_text: &str,
    read: &mut dyn FnMut(&[Raw<'_>]) -> Result<(), JsonError>,
) -> Result<Option<String>, JsonError> {
    let raw = Raw::known(json_text);
    match raw.kind() {
        Kind::List => read(&json::list("messages", raw)?).map(|()| None),
        Kind::Object => {
            let fields = Fields::of("messages", raw)?;
            let inner = ["messages", "trajectory", "history", "steps", "content"]
                .into_iter()
                .find_map(|key| fields.some(key))
                .filter(|inner| inner.kind() != Kind::Object)
                .ok_or_else(|| json::wrong("messages", "a list of messages", json_text))?;
            with_turns(inner.get(), read)
        }
        Kind::Text => {
            let text = json::text("messages", json_text)?;
            if !text.trim_start().starts_with(['[', '{']) {
                return Ok(Some(text));
            }
            match files::Body::split(text.trim()) {
                Ok(_) => with_turns(text.trim(), read),
                Err(_) => Ok(Some(text)),
            }
        }
        Kind::Number | Kind::Word => Err(json::wrong("messages", "a list of messages", json_text)),
    }
}

/// One element of a conversation.
fn turn(
    index: usize,
    raw: Raw<'_>,
    asked: &mut bool,
    out: &mut Vec<Step>,
) -> Result<(), JsonError> {
    if raw.kind() != Kind::Object {
        push(out, StepKind::Other, content(Some(raw))?);
        return Ok(());
    }
    let fields = Fields::of(&json::element_name("messages", index), raw)?;
    // Demonstrations are part of the prompt, not of the rollout.
    if fields.boolean("is_demo").ok().flatten() == Some(true) {
        return Ok(());
    }
    let told = |error| JsonError::Inside(json::element_name("messages", index), Box::new(error));
    if fields.some("role").or(fields.some("from")).is_some() {
        message(&fields, asked, out).map_err(told)
    } else if fields.some("type").is_none()
        && ["action", "observation", "thought"]
            .iter()
            .any(|key| fields.has(key))
    {
        action(&fields, out).map_err(told)
    } else if fields
        .text("type")
        .ok()
        .flatten()
        .is_some_and(|kind| is_item(&kind))
    {
        responses::items(&[raw], out).map_err(told)
    } else {
        entry(&fields, out).map_err(told)
    }
}

/// Whether an entry of this type is an item of the Responses API.
fn is_item(kind: &str) -> bool {
    kind == "reasoning"
        || ["_call", "_call_output"].iter().any(|end| {
            kind.strip_suffix(end)
                .is_some_and(|start| ["function", "custom_tool", "local_shell"].contains(&start))
        })
}

/// A step of an agent that writes thought, action and observation together.
fn action(fields: &Fields<'_>, out: &mut Vec<Step>) -> Result<(), JsonError> {
    let text = |key: &str| content(fields.some(key));
    let before = out.len();
    push(out, StepKind::Message, text("thought")?);
    push(out, StepKind::ToolCall, text("action")?);
    if let Some(first) = out.get_mut(before) {
        first.tokens = fields.count("token_usage_completion").ok().flatten();
    }
    let seconds = ["execution_time", "env_exec_time"]
        .into_iter()
        .find_map(|key| fields.number(key).ok().flatten());
    let before = out.len();
    push(out, StepKind::Observation, text("observation")?);
    if let (Some(step), Some(seconds)) = (out.get_mut(before), seconds) {
        // The cast saturates.
        step.ms = Some((seconds.max(0.0) * 1000.0).round() as u64);
    }
    Ok(())
}

/// The role of a message: `role`, or `from` in ShareGPT's dialect.
fn role_of(fields: &Fields<'_>) -> String {
    let text = |key: &str| fields.text(key).ok().flatten();
    text("role").or_else(|| text("from")).unwrap_or_default()
}

/// What a message of this role is, as long as the task was not given.
fn kind_of(role: &str) -> StepKind {
    match role {
        "system" | "developer" => StepKind::System,
        "user" | "human" => StepKind::User,
        "assistant" | "ai" | "gpt" | "model" | "bot" | "chatbot" => StepKind::Message,
        "tool" | "function" | "observation" | "function_response" | "environment" => {
            StepKind::Observation
        }
        "function_call" => StepKind::ToolCall,
        "exit" => StepKind::Submit,
        _ => StepKind::Other,
    }
}

/// What a message says: `content`, `text` or `value`; a system turn may have its text in
/// `system_prompt`.
fn said<'a>(fields: &Fields<'a>) -> Option<Raw<'a>> {
    ["content", "text", "value", "system_prompt"]
        .into_iter()
        .find_map(|key| fields.some(key))
}

fn body_text(fields: &Fields<'_>) -> Result<String, JsonError> {
    content(said(fields))
}

/// One chat message. `asked` tells whether the task was given: agents without tool calls hand over
/// observations as user messages, so each later one is an observation.
pub(crate) fn message(
    fields: &Fields<'_>,
    asked: &mut bool,
    out: &mut Vec<Step>,
) -> Result<(), JsonError> {
    if let (false, Some(raw)) = (fields.has("from"), fields.some("role")) {
        json::text("role", raw.get())?;
    }
    let role = role_of(fields);
    let mut calls = fields.list("tool_calls").ok().flatten().unwrap_or_default();
    // Before there were tool calls there was one function call.
    let function = fields.object("function_call").ok().flatten();
    let kind = match kind_of(&role) {
        StepKind::User if *asked => StepKind::Observation,
        kind => kind,
    };
    if kind == StepKind::ToolCall {
        out.push(function_call_text(&body_text(fields)?));
        return Ok(());
    }
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
    let number = |key: &str| fields.number(key).ok().flatten().filter(|n| n.is_finite());
    let plain = Step {
        kind: Some(kind),
        role: Some(role).filter(|role| !role.is_empty()),
        call_id: fields.text("tool_call_id").ok().flatten(),
        time: fields.text_or_number("timestamp").ok().flatten(),
        ..Step::default()
    };
    let before = out.len();
    let has_others = parts(said(fields), &plain, out)?;
    let is_call = !calls.is_empty() || function.is_some() || has_others;
    if out.len() == before && !(kind == StepKind::Message && is_call) {
        out.push(plain);
    }
    split_tags(out, before);
    if let Some(step) = out.get_mut(before..).and_then(|steps| steps.first_mut()) {
        step.cost_usd = number("cost");
        step.tokens = fields.count("completion_tokens").ok().flatten();
    }
    for step in out.iter_mut().skip(before) {
        if step.kind == Some(StepKind::Observation) {
            step.exit_code = return_code(fields, &step.text);
            bare_answer(step);
        }
    }
    for raw in calls.drain(..) {
        out.push(tool_call(raw)?);
    }
    if let Some(function) = function {
        let name = function.text("name").ok().flatten();
        out.push(call(name, function.some("arguments"), None));
    }
    Ok(())
}

/// Splits the steps from `from` on at the tags that templates write into texts.
pub(crate) fn split_tags(out: &mut Vec<Step>, from: usize) {
    for step in out.split_off(from) {
        let speaker = match step.kind {
            Some(StepKind::Message) => Speaker::Assistant,
            Some(StepKind::Observation) => Speaker::User,
            _ => {
                out.push(step);
                continue;
            }
        };
        let start = out.len();
        if !split_turn(&step.text, speaker, out) {
            out.push(step);
            continue;
        }
        for new in &mut out[start..] {
            new.time.clone_from(&step.time);
            if new.kind == Some(StepKind::Observation) {
                new.call_id.clone_from(&step.call_id);
            } else {
                new.role.clone_from(&step.role);
            }
        }
        drop_repeated(out, start);
    }
}

/// Drops the thought at `at` when the reasoning just before it says the same.
fn drop_repeated(out: &mut Vec<Step>, at: usize) {
    let is_thought = |step: &&Step| step.kind == Some(StepKind::Reasoning);
    let before = at.checked_sub(1).and_then(|before| out.get(before));
    let repeats = before.filter(is_thought).is_some_and(|before| {
        let thought = out.get(at).filter(is_thought);
        thought.is_some_and(|thought| thought.text.trim() == before.text.trim())
    });
    if repeats {
        out.remove(at);
    }
}

/// Adds what the policy says, split at the tags in it; a thought that repeats the reasoning just
/// before is none.
pub(crate) fn push_said(out: &mut Vec<Step>, text: String) {
    let start = out.len();
    push(out, StepKind::Message, text);
    split_tags(out, start);
}

/// A tool call written as the text of a message: JSON with a name and arguments, else as it is.
fn function_call_text(text: &str) -> Step {
    match Fields::parse(text.as_bytes()) {
        Ok(fields) if fields.has("name") => call(
            fields.text("name").ok().flatten(),
            fields.some("arguments").or(fields.some("parameters")),
            None,
        ),
        _ => Step {
            kind: Some(StepKind::ToolCall),
            text: text.to_owned(),
            ..Step::default()
        },
    }
}

/// What a message says as steps: its text, and the thoughts, tool calls and tool results that stand
/// among its parts, in their order. Answers whether there were such.
fn parts(said: Option<Raw<'_>>, plain: &Step, out: &mut Vec<Step>) -> Result<bool, JsonError> {
    let mut texts: Vec<String> = Vec::new();
    let mut has_others = false;
    let flush = |texts: &mut Vec<String>, out: &mut Vec<Step>| {
        let text = std::mem::take(texts).join("\n");
        if !text.is_empty() {
            out.push(Step {
                text,
                ..plain.clone()
            });
        }
    };
    let items = match said {
        Some(raw) if raw.kind() == Kind::List => json::list("content", raw)?,
        other => {
            texts.push(content(other)?);
            Vec::new()
        }
    };
    for raw in items {
        match part_step(raw, plain)? {
            Some(step) => {
                has_others = true;
                flush(&mut texts, out);
                out.push(step);
            }
            None => texts.push(part(raw)?),
        }
    }
    flush(&mut texts, out);
    Ok(has_others)
}

/// A part that is a step of its own; `None` when it is a text or a marker within one.
fn part_step(raw: Raw<'_>, plain: &Step) -> Result<Option<Step>, JsonError> {
    let Ok(fields) = Fields::of("content", raw) else {
        return Ok(None);
    };
    let text = |key: &str| fields.text(key).ok().flatten();
    let step = match text("type").as_deref() {
        Some("thinking" | "reasoning") => Step {
            kind: Some(StepKind::Reasoning),
            role: plain.role.clone(),
            text: text("thinking")
                .or_else(|| text("reasoning"))
                .or_else(|| text("text"))
                .unwrap_or_default(),
            ..Step::default()
        },
        Some("redacted_thinking") => Step {
            kind: Some(StepKind::Reasoning),
            role: plain.role.clone(),
            text: "[redacted]".to_owned(),
            ..Step::default()
        },
        Some("tool_use") => call(text("name"), fields.some("input"), text("id")),
        Some("tool_result") => Step {
            kind: Some(StepKind::Observation),
            text: content(fields.some("content"))?,
            call_id: text("tool_use_id"),
            failed: fields.boolean("is_error").ok().flatten().unwrap_or(false),
            ..plain.clone()
        },
        _ => return Ok(None),
    };
    Ok(Some(step))
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

/// Leaves of an answer in mini-swe-agent's tags what the command printed; its exit code is read.
pub(crate) fn bare_answer(step: &mut Step) {
    let text = step.text.trim_start();
    let Some((code, rest)) = text
        .strip_prefix("<returncode>")
        .and_then(|rest| rest.split_once("</returncode>"))
    else {
        return;
    };
    if code.trim().parse().ok() != step.exit_code || step.exit_code.is_none() {
        return;
    }
    let rest = rest.trim_start();
    let output = rest.trim_end().strip_prefix("<output>");
    let output = output.and_then(|inner| inner.strip_suffix("</output>"));
    // Anything beside the output (warnings, elided parts) stays as it is.
    let bare = match output.filter(|inner| !inner.contains("</output>")) {
        Some(inner) => {
            let inner = inner.strip_prefix('\n').unwrap_or(inner);
            inner.strip_suffix('\n').unwrap_or(inner)
        }
        None => rest,
    };
    step.text = bare.to_owned();
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
            for item in json::list("content", raw)? {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(&part(item)?);
            }
            Ok(out)
        }
        _ => Ok(raw.get().to_owned()),
    }
}

/// A part of a message as text.
fn part(raw: Raw<'_>) -> Result<String, JsonError> {
    match Fields::of("content", raw) {
        Ok(fields) => Ok(part_text(&fields).unwrap_or_else(|| raw.get().to_owned())),
        Err(_) => content(Some(raw)),
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
    if let Some(source) = fields.object("source").ok().flatten()
        && let Some(data) = source.text("data").ok().flatten()
    {
        let media = source.text("media_type").ok().flatten().unwrap_or_default();
        return Some(format!(
            "[{kind} {media}, {} kB]",
            data.len().div_ceil(1000)
        ));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Kind and text of every step of a conversation; the count agrees.
    fn steps(json: &str) -> Vec<(&'static str, String)> {
        let steps = turns(json).expect("a conversation");
        assert_eq!(count_turns(json).expect("counts"), steps.len(), "{json}");
        let shown = |step: Step| (step.kind().word(), step.text);
        steps.into_iter().map(shown).collect()
    }

    #[test]
    fn calls_in_texts_are_split_and_counted_alike() {
        let thought = "so it is ".repeat(40);
        let json = format!(
            r#"[{{"role":"user","content":"fix"}},
            {{"role":"assistant","content":"<think>{thought}</think>I look.\n<function=bash>\n<parameter=command>ls</parameter>\n</function>"}},
            {{"role":"user","content":"OBSERVATION:\na.py"}},
            {{"role":"assistant","reasoning_content":"{thought}","content":"<think>\n{thought}\n</think>\n<tool_call>{{\"name\":\"bash\",\"arguments\":{{\"command\":\"cat {thought}\"}}}}</tool_call>"}},
            {{"role":"user","content":"<tool_response>\nx = 1\n</tool_response>"}}]"#
        );
        let steps = steps(&json);
        let kinds: Vec<&str> = steps.iter().map(|(kind, _)| *kind).collect();
        let expected =
            "user reasoning message tool_call observation reasoning tool_call observation";
        assert_eq!(kinds.join(" "), expected);
        assert_eq!(steps[3].1, "ls");
        assert_eq!(
            (steps[4].1.as_str(), steps[7].1.as_str()),
            ("a.py", "x = 1")
        );
    }

    #[test]
    fn users_are_told_from_tools() {
        let tools = r#"[{"role":"user","content":"fix"},{"role":"assistant","content":"a"},
            {"role":"tool","tool_call_id":"1","content":"x"},{"role":"user","content":"Continue."}]"#;
        let kinds = |json| -> Vec<&str> { steps(json).into_iter().map(|(kind, _)| kind).collect() };
        assert_eq!(kinds(tools), ["user", "message", "observation", "user"]);
        let none = r#"[{"role":"user","content":"fix"},{"role":"assistant","content":"a"},
            {"role":"user","content":"x"}]"#;
        assert_eq!(kinds(none), ["user", "message", "observation"]);
        let parts = r#"[{"role":"user","content":"fix"},{"role":"assistant","content":"a"},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"},
            {"type":"text","text":"Go on."}]}]"#;
        assert_eq!(kinds(parts), ["user", "message", "observation", "user"]);
    }

    #[test]
    fn answers_lose_their_tags_and_keep_their_code() {
        let answer = |text: &str| {
            let mut step = Step {
                text: text.to_owned(),
                exit_code: return_code(&Fields::default(), text),
                ..Step::default()
            };
            bare_answer(&mut step);
            (step.exit_code, step.text)
        };
        let of = |code, text: &str| (code, text.to_owned());
        let whole = "<returncode>1</returncode>\n<output>\n  a\nb\n</output>";
        assert_eq!(answer(whole), of(Some(1), "  a\nb"));
        let warned = "<returncode>0</returncode>\n<warning>\nlong\n</warning><output_head>\na";
        assert_eq!(
            answer(warned),
            of(Some(0), &warned["<returncode>0</returncode>\n".len()..])
        );
        assert_eq!(
            answer("<returncode>x</returncode>"),
            of(None, "<returncode>x</returncode>")
        );
        assert_eq!(answer("<output>a</output>"), of(None, "<output>a</output>"));
    }
}
