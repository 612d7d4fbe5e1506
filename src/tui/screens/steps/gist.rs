//! What a step says in one line, and a tool call's arguments as a person reads them.
//!
//! What is *not* here: how lines are drawn (`view`), and the rows of whole texts (`transcript`).

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::domain::{Step, StepKind};
use crate::tui::text;

/// Most bytes of a line that a gist is taken from, and of blank lines before it.
const GIST_BYTES: usize = 400;

/// Longest text that stands for a call when none of its keys is known, in bytes.
const SHORT: usize = 120;

/// Arguments that hold what is run.
const COMMANDS: [&str; 5] = ["command", "cmd", "code", "keystrokes", "script"];

/// Arguments that say what it is run on, the most telling first.
const OBJECTS: [&str; 14] = [
    "path",
    "file_path",
    "filepath",
    "file",
    "filename",
    "file_name",
    "query",
    "pattern",
    "search_term",
    "url",
    "uri",
    "message",
    "description",
    "directory",
];

/// Returns what a step says in one line: of a tool call its command with the path it is for, its
/// path, query or url, else its first short text; of every other step the first line of its text.
/// Untrusted text, but without colours and overwritten states.
#[must_use]
pub fn gist(step: &Step) -> String {
    match arguments(step) {
        Some(map) => of_arguments(&map),
        None if step.text.trim().is_empty() => first_line(step.args.as_deref().unwrap_or_default()),
        None => first_line(&step.text),
    }
}

/// A tool call's arguments when they are an object: those it has, else its text. A call is the text
/// and its arguments; both may be the same JSON.
fn arguments(step: &Step) -> Option<Map<String, Value>> {
    if step.kind() != StepKind::ToolCall {
        return None;
    }
    object(step.args.as_deref().unwrap_or_default()).or_else(|| object(&step.text))
}

fn object(text: &str) -> Option<Map<String, Value>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Some(map),
        _ => None,
    }
}

fn of_arguments(map: &Map<String, Value>) -> String {
    let of = |keys: &[&str]| {
        keys.iter()
            .find_map(|key| map.get(*key).map(said).map(|text| first_line(&text)))
            .filter(|line| !line.is_empty())
    };
    match (of(&COMMANDS), of(&OBJECTS)) {
        // Editors tell in `command` what they do with a file: one word, without a blank.
        (Some(command), Some(object)) if !command.contains(' ') => format!("{command} {object}"),
        (Some(line), _) | (None, Some(line)) => line,
        (None, None) => {
            let texts = || map.values().filter_map(Value::as_str);
            let short = texts().find(|text| !text.trim().is_empty() && text.len() <= SHORT);
            match short.or_else(|| texts().find(|text| !text.trim().is_empty())) {
                Some(text) => first_line(text),
                None => {
                    let pairs = map.iter().map(|(key, value)| format!("{key}: {value}"));
                    first_line(&pairs.collect::<Vec<_>>().join(", "))
                }
            }
        }
    }
}

/// A value as a person reads it: a text with its line breaks, a list of words as a command line.
fn said(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_string) => {
            let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Cow::Owned(words.join(" "))
        }
        other => Cow::Owned(other.to_string()),
    }
}

/// The first line with something in it, as it is shown.
fn first_line(text: &str) -> String {
    let mut left = GIST_BYTES;
    for line in text.split('\n') {
        // Of a line that overwrote itself the last state counts, however far behind it is.
        let (last, states) = text::last_state(line);
        let shown = text::printed(&last[..last.floor_char_boundary(GIST_BYTES)]);
        let shown = shown.trim();
        if !shown.is_empty() {
            return match states {
                0 => shown.to_owned(),
                states => format!("⟲{states} {shown}"),
            };
        }
        // Not every text has such a line near.
        match left.checked_sub(line.len() + 1) {
            Some(rest) => left = rest,
            None => break,
        }
    }
    String::new()
}

/// What the transcript shows of a step: whether its text is shown, and its arguments, keys with
/// their texts. Arguments that are no object stay as they are; what the text says is not said again.
#[must_use]
pub fn shown(step: &Step) -> (bool, String) {
    let args = step.args.as_deref().unwrap_or_default();
    let Some(map) = arguments(step) else {
        let repeats = args.trim() == step.text.trim();
        return (true, if repeats { "" } else { args }.to_owned());
    };
    // The arguments once more, as JSON, or what the writer made of them.
    let is_json = object(&step.text).is_some();
    let mut shown = String::new();
    for (name, value) in &map {
        let text = match value {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            other => Cow::Owned(other.to_string()),
        };
        if !is_json && !step.text.trim().is_empty() && text.trim() == step.text.trim() {
            continue;
        }
        if !shown.is_empty() {
            shown.push('\n');
        }
        shown.push_str(name);
        shown.push_str(if text.contains('\n') { ":\n" } else { ": " });
        shown.push_str(text.strip_suffix('\n').unwrap_or(&text));
    }
    (!is_json, shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(text: &str, args: &str) -> Step {
        Step {
            kind: Some(StepKind::ToolCall),
            text: text.to_owned(),
            args: (!args.is_empty()).then(|| args.to_owned()),
            ..Step::default()
        }
    }

    #[test]
    fn the_gist_of_a_call_is_what_it_does() {
        for (args, wanted) in [
            (r#"{"command":"ls -l\ncat a","timeout":3}"#, "ls -l"),
            (r#"{"timeout":3,"cmd":"  make"}"#, "make"),
            (r#"{"command":["bash","-lc","ls"]}"#, "bash -lc ls"),
            (r#"{"content":"x = 1","path":"tests/a.py"}"#, "tests/a.py"),
            ("{\n  \"file_path\": \"a.py\",\n  \"old\": \"b\"\n}", "a.py"),
            (r#"{"command":"view","path":"/src"}"#, "view /src"),
            (r#"{"command":"grep -r x","path":"/src"}"#, "grep -r x"),
            (r#"{"top":5,"query":"parse_date"}"#, "parse_date"),
            (r#"{"url":"https://acme.example"}"#, "https://acme.example"),
            (r#"{"n":1,"long":"","note":"\nso it is\n"}"#, "so it is"),
            (r#"{"n":1,"deep":{"a":2}}"#, r#"n: 1, deep: {"a":2}"#),
            ("{}", ""),
            ("not json", "not json"),
        ] {
            assert_eq!(gist(&call(args, args)), wanted, "{args}");
            assert_eq!(gist(&call("", args)), wanted, "{args}");
        }
        // JSON in the text alone is the arguments as well; elsewhere it is text.
        assert_eq!(gist(&call(r#"{"path":"a"}"#, "")), "a");
        let message = Step {
            text: "\n {\"path\":\"a\"}".to_owned(),
            ..Step::default()
        };
        assert_eq!(gist(&message), "{\"path\":\"a\"}");
        let progress = Step {
            text: "\u{1b}[0m\n\u{1b}[32m1%\r99%\u{1b}[0m\n".to_owned(),
            ..Step::default()
        };
        assert_eq!(gist(&progress), "⟲1 99%");
    }

    #[test]
    fn arguments_are_shown_once() {
        let args = r#"{"path":"a.py","content":"x = 1\ny = 2\n"}"#;
        let readable = "path: a.py\ncontent:\nx = 1\ny = 2".to_owned();
        assert_eq!(shown(&call(args, args)), (false, readable.clone()));
        assert_eq!(shown(&call(args, "")), (false, readable.clone()));
        let pretty = "{\n \"content\": \"x\", \"path\": \"a\"}";
        assert_eq!(shown(&call(pretty, args)), (false, readable));
        // The text is one of the arguments.
        let args = r#"{"command":"ls -l","timeout":3}"#;
        assert_eq!(shown(&call("ls -l\n", args)), (true, "timeout: 3".into()));
        // No object: as it stands, once.
        assert_eq!(shown(&call("{cut", "{cut")), (true, String::new()));
        assert_eq!(shown(&call("", "{cut")), (true, "{cut".to_owned()));
    }
}
