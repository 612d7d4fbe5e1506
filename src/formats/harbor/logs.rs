//! Logs of agents in a trial's folder: chat messages or events, one JSON value a line, as steps;
//! any other text as one step.
//!
//! What is *not* here: which files are logs (`join`).

use crate::domain::{Step, StepKind};
use crate::formats::chat;
use crate::formats::json::{self, Fields, Kind, Raw, kind};

/// Longest text of a log shown as one step, in bytes.
const SHOWN: usize = 1 << 20;

/// The steps of a log. Always at least one, so that the log is seen to be there.
pub(crate) fn steps(name: &str, text: &str) -> Vec<Step> {
    if let Some(steps) = of_lines(text) {
        return steps;
    }
    let shown = &text[..text.floor_char_boundary(SHOWN)];
    vec![Step {
        kind: Some(StepKind::Other),
        role: Some(name.to_owned()),
        text: readable(shown),
        truncated: shown.len() < text.len(),
        ..Step::default()
    }]
}

/// The steps of a log whose lines are JSON objects, at least one of them a chat message; lines
/// between them stay as they are.
fn of_lines(text: &str) -> Option<Vec<Step>> {
    let mut out = Vec::new();
    let mut messages = 0_usize;
    let mut asked = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let object = match kind(line) {
            Kind::Object => Raw::parse(line)
                .ok()
                .and_then(|raw| Fields::of("", raw).ok()),
            _ => None,
        };
        let Some(fields) = object else {
            other(&mut out, line);
            continue;
        };
        // Streams of coding agents wrap the message: `{"type":"assistant","message":{…}}`.
        let wrapped = fields
            .object("message")
            .ok()
            .flatten()
            .filter(|inner| inner.has("role"));
        let message = match &wrapped {
            Some(inner) => inner,
            None if fields.has("role") && (fields.has("content") || fields.has("tool_calls")) => {
                &fields
            }
            None => {
                other(&mut out, line);
                continue;
            }
        };
        let start = out.len();
        if chat::message(message, &mut asked, &mut out).is_ok() {
            messages += 1;
        } else {
            out.truncate(start);
            other(&mut out, line);
        }
    }
    chat::settle(&mut out);
    (messages > 0).then_some(out)
}

fn other(out: &mut Vec<Step>, line: &str) {
    chat::push(out, StepKind::Other, readable(line));
}

/// A log as a person reads it: lines that are JSON objects with texts of several lines in them as
/// keys with their texts, blank lines between such records; other lines as they are.
fn readable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // Only texts with line ends gain by it.
        let has_lines = line.starts_with('{') && line.contains("\\n");
        let fields = has_lines.then(|| Fields::parse(line.trim_end().as_bytes()).ok());
        let Some(fields) = fields.flatten() else {
            out.push_str(line);
            continue;
        };
        for (key, raw) in fields.pairs() {
            let text = json::text(key, raw.get()).unwrap_or_else(|_| raw.get().to_owned());
            out.push_str(key);
            out.push_str(if text.contains('\n') { ":\n" } else { ": " });
            out.push_str(text.strip_suffix('\n').unwrap_or(&text));
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_of_json_lines_have_real_line_ends() {
        let log = "start\n{\"event\":\"output\",\"n\":1,\"text\":\"a\\nb\\n\"}\n{\"event\":\"end\"}\n{cut\\n";
        let steps = steps("agent.jsonl", log);
        assert_eq!(steps.len(), 1);
        let expected = "start\nevent: output\nn: 1\ntext:\na\nb\n\n{\"event\":\"end\"}\n{cut\\n";
        assert_eq!(steps[0].text, expected);
    }
}
