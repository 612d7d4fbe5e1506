//! Text of chat templates as steps: a conversation that a template wrote as one text, and the
//! thoughts, calls and tool responses that stand as tags in what one speaker says.
//!
//! What is *not* here: messages that are JSON (`chat`), and the patch in such a text (`cut_patch`).

use crate::domain::{Step, StepKind};

use super::chat::call;
use super::json::{Fields, Raw};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The system prompt.
    System,
    /// The user, or the environment that answers.
    User,
    /// The policy.
    Assistant,
    /// A tool.
    Tool,
}

impl Speaker {
    fn of(word: &str) -> Option<Self> {
        match word.trim() {
            "system" | "developer" => Some(Self::System),
            "user" | "human" => Some(Self::User),
            "assistant" | "model" => Some(Self::Assistant),
            "tool" | "ipython" | "environment" => Some(Self::Tool),
            _ => None,
        }
    }

    fn role(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// How templates mark a turn: what stands before the role, behind it, and at the turn's end.
const MARKERS: &[(&str, &str, &[&str])] = &[
    ("<|im_start|>", "\n", &["<|im_end|>"]),
    (
        "<|start_header_id|>",
        "<|end_header_id|>",
        &["<|eot_id|>", "<|eom_id|>"],
    ),
    ("<start_of_turn>", "\n", &["<end_of_turn>"]),
];

/// Markers that are the role themselves.
const ROLES: &[(&str, Speaker)] = &[
    ("<｜User｜>", Speaker::User),
    ("<｜Assistant｜>", Speaker::Assistant),
];

/// The steps of a decoded text; `first` speaks up to the first marker. Without clear markers the
/// text is one message. `asked` tells whether the task was given: what a user says later is an
/// observation.
pub(crate) fn split(text: &str, first: Speaker, asked: &mut bool, out: &mut Vec<Step>) {
    for (speaker, turn) in turns(text, first) {
        match speaker {
            Speaker::System => push(out, StepKind::System, speaker, turn),
            Speaker::Assistant => {
                *asked = true;
                blocks(turn, speaker, TAGS, out);
            }
            Speaker::User if !*asked => {
                *asked |= !turn.trim().is_empty();
                push(out, StepKind::User, speaker, turn);
            }
            Speaker::User | Speaker::Tool => blocks(turn, speaker, RESPONSES, out),
        }
    }
}

/// The text in turns. Special tokens are believed wherever they stand; bare role lines, which is
/// what remains of a template without its special tokens, only at the start of the text or around
/// tool responses.
fn turns(text: &str, first: Speaker) -> Vec<(Speaker, &str)> {
    for (open, behind, ends) in MARKERS {
        if !text.contains(open) {
            continue;
        }
        let mut parts = text.split(open);
        // Before the first turn there is nothing, or a token that begins the text.
        let before = parts.next().unwrap_or_default();
        let token = before.trim();
        let is_token = token.starts_with('<') && token.ends_with('>') && !token.contains(' ');
        let mut out = vec![(first, if is_token { "" } else { before })];
        for part in parts {
            let (role, body) = part.split_once(behind).unwrap_or((part, ""));
            let end = ends.iter().filter_map(|end| body.find(end)).min();
            let body = &body[..end.unwrap_or(body.len())];
            out.push((Speaker::of(role).unwrap_or(Speaker::Tool), body));
        }
        return out;
    }
    if ROLES.iter().any(|(marker, _)| text.contains(marker)) {
        return by_role_tokens(text, first);
    }
    by_role_lines(text, first)
}

fn by_role_tokens(text: &str, first: Speaker) -> Vec<(Speaker, &str)> {
    let (mut out, mut rest, mut speaker) = (Vec::new(), text, first);
    loop {
        // One pass over the text however rare a marker is.
        let next = rest.match_indices('<').find_map(|(at, _)| {
            let marker = ROLES
                .iter()
                .find(|(marker, _)| rest[at..].starts_with(marker));
            marker.map(|(marker, role)| (at, marker.len(), *role))
        });
        let Some((at, len, role)) = next else {
            out.push((speaker, rest));
            return out;
        };
        out.push((speaker, &rest[..at]));
        rest = &rest[at + len..];
        speaker = role;
    }
}

fn by_role_lines(text: &str, first: Speaker) -> Vec<(Speaker, &str)> {
    let mut out = Vec::new();
    let (mut speaker, mut start, mut at) = (first, 0, 0);
    let mut marked = false;
    let mut before = "";
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let (here, next) = (at, at + line.len());
        at = next;
        let word = line.trim_end_matches(['\n', '\r']);
        let follows = lines.peek().copied().unwrap_or_default();
        let role = match word {
            "system" if here == 0 => Some(Speaker::System),
            "user" if here == 0 => Some(Speaker::User),
            "assistant" if here == 0 => Some(Speaker::Assistant),
            // Behind a system prompt or around what a tool said.
            "user" if marked && speaker == Speaker::System => Some(Speaker::User),
            "user" if follows.starts_with("<tool_response>") => Some(Speaker::User),
            "tool" if marked && speaker == Speaker::Assistant => Some(Speaker::Tool),
            "assistant" if before.trim_end() == "</tool_response>" => Some(Speaker::Assistant),
            "assistant" if marked && matches!(speaker, Speaker::User | Speaker::Tool) => {
                Some(Speaker::Assistant)
            }
            _ => None,
        };
        if !line.trim().is_empty() {
            before = line;
        }
        if let Some(role) = role {
            out.push((speaker, &text[start..here]));
            (speaker, start, marked) = (role, next, true);
        }
    }
    out.push((speaker, &text[start..]));
    out
}

/// What begins and ends a block, and what it is.
type Tag = (&'static str, &'static str, StepKind);

/// Tags in a text in which the environment's answers may stand as well.
const TAGS: &[Tag] = &[
    ("<think>", "</think>", StepKind::Reasoning),
    ("<tool_call>", "</tool_call>", StepKind::ToolCall),
    ("<function=", "</function>", StepKind::ToolCall),
    ("<tool_response>", "</tool_response>", StepKind::Observation),
];

/// Tags in what the policy says; a tool response in it is made up.
const SAID: &[Tag] = TAGS.split_at(3).0;

/// Tags in what a user or a tool says.
const RESPONSES: &[Tag] = TAGS.split_at(3).1;

const THOUGHT_END: &str = "</think>";

/// Splits what one speaker of a chat says at the tags that are believed of this speaker; `false`,
/// with nothing added, when there is none.
pub(crate) fn split_turn(turn: &str, speaker: Speaker, out: &mut Vec<Step>) -> bool {
    let tags = match speaker {
        Speaker::Assistant => SAID,
        _ => RESPONSES,
    };
    let thinks = speaker == Speaker::Assistant && turn.contains(THOUGHT_END);
    let before = out.len();
    if thinks || next_tag(turn, tags).is_some() {
        blocks(turn, speaker, tags, out);
    }
    out.len() > before
}

/// The next block of a text: where it begins, its inner text, where it ends when it does, and what it
/// is. Quoted tags are talked about, and so are those that stand in a line and do not end.
fn next_tag<'a>(text: &'a str, tags: &[Tag]) -> Option<(usize, &'a str, Option<usize>, StepKind)> {
    text.match_indices('<').find_map(|(at, _)| {
        let (open, close, kind) = tags.iter().find(|tag| text[at..].starts_with(tag.0))?;
        if is_quoted(text, at) {
            return None;
        }
        // The name of a function is part of its opening tag.
        let from = if open.ends_with('=') {
            at
        } else {
            at + open.len()
        };
        let Some(end) = text[from..].find(close) else {
            let line = text[..at].rsplit('\n').next().unwrap_or_default();
            let stands_alone = line.trim().is_empty();
            return stands_alone.then(|| (at, &text[from..], None, *kind));
        };
        let inner = &text[from..from + end];
        Some((at, inner, Some(from + end + close.len()), *kind))
    })
}

fn is_quoted(text: &str, at: usize) -> bool {
    text[..at].ends_with(['`', '"', '\''])
}

/// The steps of one turn: its thoughts, calls and tool responses, and the text between them. A tag
/// that is not closed reaches to the end of the turn and is marked as truncated.
fn blocks(turn: &str, speaker: Speaker, tags: &[Tag], out: &mut Vec<Step>) {
    let plain = match speaker {
        Speaker::Assistant => StepKind::Message,
        _ => StepKind::Observation,
    };
    let mut rest = turn;
    // Templates put the opening tag into the prompt: the answer begins within the thought.
    if speaker == Speaker::Assistant
        && let Some(end) = rest.find(THOUGHT_END)
        && rest.find("<think>").is_none_or(|open| open > end)
        && !is_quoted(rest, end)
    {
        push(out, StepKind::Reasoning, speaker, &rest[..end]);
        rest = &rest[end + THOUGHT_END.len()..];
    }
    while let Some((at, inner, end, kind)) = next_tag(rest, tags) {
        push(out, plain, speaker, &rest[..at]);
        let before = out.len();
        match kind {
            StepKind::ToolCall => out.push(tool_call(inner.trim())),
            StepKind::Observation => push(out, kind, Speaker::Tool, inner),
            kind => push(out, kind, speaker, inner),
        }
        let Some(end) = end else {
            for step in &mut out[before..] {
                step.truncated = true;
            }
            return;
        };
        rest = &rest[end..];
    }
    push(out, plain, speaker, rest);
}

/// A tool call as templates write it: JSON with name and arguments, or `<function=name>` with
/// `<parameter=key>` tags.
fn tool_call(text: &str) -> Step {
    let json = Fields::parse(text.as_bytes()).ok();
    if let Some(name) = json.as_ref().and_then(|json| json.text("name").ok()?) {
        let arguments = json.as_ref().and_then(|json| json.some("arguments"));
        return call(Some(name), arguments, None);
    }
    let Some((name, body)) = text
        .split_once("<function=")
        .and_then(|(_, rest)| rest.split_once('>'))
    else {
        return Step {
            kind: Some(StepKind::ToolCall),
            text: text.to_owned(),
            args: Raw::parse(text).is_ok().then(|| text.to_owned()),
            ..Step::default()
        };
    };
    let name = Some(name.to_owned());
    match parameters(body) {
        Some(json) => call(name, Some(Raw::known(&json)), None),
        None => Step {
            kind: Some(StepKind::ToolCall),
            text: text.to_owned(),
            tool: name,
            ..Step::default()
        },
    }
}

/// The parameters of a function tag as a JSON object of texts; `None` when there is anything else
/// between the tags.
fn parameters(body: &str) -> Option<String> {
    let body = body.split("</function>").next().unwrap_or_default();
    let mut out = String::from("{");
    let mut rest = body.trim_start();
    while let Some(inner) = rest.strip_prefix("<parameter=") {
        let (key, inner) = inner.split_once('>')?;
        // One that is cut off reaches to the end.
        let (value, behind) = inner.split_once("</parameter>").unwrap_or((inner, ""));
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&serde_json::to_string(key).ok()?);
        out.push(':');
        out.push_str(&serde_json::to_string(value).ok()?);
        rest = behind.trim_start();
    }
    out.push('}');
    rest.is_empty().then_some(out)
}

/// Adds a step; a blank one is none.
fn push(out: &mut Vec<Step>, kind: StepKind, speaker: Speaker, text: &str) {
    let text = text.trim_matches(['\n', '\r']);
    if !text.trim().is_empty() {
        out.push(Step {
            kind: Some(kind),
            role: Some(speaker.role().to_owned()),
            text: text.to_owned(),
            ..Step::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str, first: Speaker) -> Vec<(&'static str, String)> {
        let mut out = Vec::new();
        split(text, first, &mut (first == Speaker::Assistant), &mut out);
        let shown = |step: Step| (step.kind().word(), step.text);
        out.into_iter().map(shown).collect()
    }

    fn own(pairs: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        let owned = |(kind, text): &(&'static str, &str)| (*kind, (*text).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn templates_are_told_apart() {
        let im = "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n";
        assert_eq!(
            kinds(im, Speaker::User),
            own(&[("system", "S"), ("user", "U")])
        );
        let llama = "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nU<|eot_id|>\
                     <|start_header_id|>assistant<|end_header_id|>\n\nA";
        let expected = own(&[("user", "U"), ("message", "A")]);
        assert_eq!(kinds(llama, Speaker::User), expected);
        let plain = "system\nS\nuser\nThe user\nuser\nsays\nassistant\n";
        let expected = own(&[("system", "S"), ("user", "The user\nuser\nsays")]);
        assert_eq!(kinds(plain, Speaker::User), expected);
        assert_eq!(
            kinds("a\nuser\nb", Speaker::User),
            own(&[("user", "a\nuser\nb")])
        );
    }

    #[test]
    fn answers_are_split_at_their_tags() {
        let text = "so\n</think>\nI look.\n<tool_call>\n{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n\
                    </tool_call>\nuser\n<tool_response>\nx\n</tool_response>\nassistant\nthe\nuser\n<tool_call>\ncut";
        let expected = own(&[
            ("reasoning", "so"),
            ("message", "I look."),
            ("tool_call", "ls"),
            ("observation", "x"),
            ("message", "the\nuser"),
            ("tool_call", "cut"),
        ]);
        assert_eq!(kinds(text, Speaker::Assistant), expected);
        let mut out = Vec::new();
        split(text, Speaker::Assistant, &mut true, &mut out);
        assert!(out[5].truncated && !out[2].truncated);
        assert_eq!(out[2].tool.as_deref(), Some("bash"));
        // What a tool said is the tool's, whoever's turn it stands in.
        assert_eq!(out[3].role.as_deref(), Some("tool"));
    }

    #[test]
    fn function_tags_are_calls_with_their_parameters() {
        let text = "I look.\n\n<function=edit>\n<parameter=command>view</parameter>\n\
                    <parameter=path>\n/a\"b.py\n</parameter>\n</function>\nThen `<function=x>` and <think>.";
        let mut out = Vec::new();
        assert!(split_turn(text, Speaker::Assistant, &mut out));
        let kinds: Vec<_> = out.iter().map(|step| step.kind().word()).collect();
        assert_eq!(kinds, ["message", "tool_call", "message"]);
        assert_eq!(out[1].tool.as_deref(), Some("edit"));
        let args = r#"{"command":"view","path":"/a\"b.py"}"#;
        assert_eq!(out[1].args.as_deref(), Some(args));
        assert_eq!(out[2].text, "Then `<function=x>` and <think>.");
        // Without parameters, cut off, and with something else.
        for (text, args, truncated) in [
            ("<function=submit>\n</function>", Some("{}"), false),
            ("<function=a>\n<parameter=b>\nc", Some(r#"{"b":"c"}"#), true),
            ("<function=a>{\"b\":1}</function>", None, false),
        ] {
            let mut out = Vec::new();
            assert!(split_turn(text, Speaker::Assistant, &mut out), "{text}");
            assert_eq!(out[0].args.as_deref(), args, "{text}");
            assert_eq!(out[0].truncated, truncated, "{text}");
        }
    }

    #[test]
    fn tags_are_believed_of_who_may_write_them() {
        let mut out = Vec::new();
        assert!(!split_turn(
            "Use <tool_call> here",
            Speaker::Assistant,
            &mut out
        ));
        let made_up = "<tool_response>x</tool_response>";
        assert!(!split_turn(made_up, Speaker::Assistant, &mut out));
        let reminder = "<function=a></function><think>x</think>";
        assert!(!split_turn(reminder, Speaker::User, &mut out));
        assert!(split_turn(made_up, Speaker::User, &mut out));
        assert_eq!(out[0].role.as_deref(), Some("tool"));
    }
}
