//! Logs of agents in a trial's folder: chat messages or events, one JSON value a line, as steps;
//! any other text as one step.
//!
//! What is *not* here: which files are logs (`join`).

use crate::domain::{Step, StepKind};
use crate::formats::chat;
use crate::formats::json::{Fields, Kind, Raw, kind};

/// Longest text of a log shown as one step, in bytes.
const SHOWN: usize = 1 << 20;

/// The steps of a log. Always at least one, so that the log is seen to be there.
pub(crate) fn steps(name: &str, text: &str) -> Vec<Step> {
    if let Some(steps) = of_lines(text) {
        return steps;
    }
    let mut end = text.len().min(SHOWN);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    vec![Step {
        kind: Some(StepKind::Other),
        role: Some(name.to_owned()),
        text: text[..end].to_owned(),
        truncated: end < text.len(),
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
    (messages > 0).then_some(out)
}

fn other(out: &mut Vec<Step>, line: &str) {
    chat::push(out, StepKind::Other, line.to_owned());
}
