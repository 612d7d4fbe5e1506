//! The steps of a trajectory as rows: a head per step and, unless it is folded, its lines.
//!
//! Line starts are found once, when a trajectory is opened; whatever a window shows is looked up.

use crate::domain::{Step, StepKind};
use crate::tui::long_text::LongText;

/// What one row of the transcript is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// The head of a step.
    Head(usize),
    /// A line of a step's text: (step, line).
    Text(usize, usize),
    /// A line of a tool call's arguments: (step, line).
    Args(usize, usize),
}

/// The rows of one trajectory's steps.
#[derive(Debug)]
pub struct Transcript {
    steps: Vec<Body>,
    /// First row of every step, and the number of all rows at the end.
    starts: Vec<usize>,
}

#[derive(Debug)]
struct Body {
    text: LongText,
    args: String,
    arg_lines: LongText,
    folded: bool,
    failed: bool,
}

/// What the list says of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepHead {
    /// What the step is.
    pub kind: StepKind,
    /// Name of the tool, when it has one. Untrusted text.
    pub tool: Option<String>,
    /// The first words of its text. Untrusted text.
    pub gist: String,
    /// Exit code, when recorded.
    pub exit_code: Option<i64>,
    /// Duration in milliseconds, when recorded.
    pub ms: Option<u64>,
    /// Tokens written, when recorded.
    pub tokens: Option<u64>,
    /// Cost in US dollars, when recorded.
    pub cost_usd: Option<f64>,
    /// When it happened, as recorded. Untrusted text.
    pub time: Option<String>,
    /// Whether its text was cut off.
    pub truncated: bool,
}

/// Most bytes of a step's text that a gist is taken from.
const GIST_BYTES: usize = 400;

impl StepHead {
    /// The head of a step.
    #[must_use]
    pub fn of(step: &Step) -> Self {
        let words = if step.text.trim().is_empty() {
            step.args.as_deref().unwrap_or_default()
        } else {
            &step.text
        };
        Self {
            kind: step.kind(),
            tool: step.tool.clone(),
            gist: gist(words),
            exit_code: step.exit_code,
            ms: step.ms,
            tokens: step.tokens,
            cost_usd: step.cost_usd,
            time: step.time.clone(),
            truncated: step.truncated,
        }
    }
}

fn gist(text: &str) -> String {
    let mut end = text.len().min(GIST_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let line = text[..end]
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty());
    line.unwrap_or_default().to_owned()
}

/// Whether a step reports a failure: an exit code other than 0.
#[must_use]
pub fn is_failure(step: &Step) -> bool {
    step.exit_code.is_some_and(|code| code != 0)
}

impl Transcript {
    /// Finds the lines of every step; system prompts are folded at the start.
    #[must_use]
    pub fn of(steps: &[Step]) -> Self {
        let steps = steps
            .iter()
            .map(|step| {
                let args = shown_args(step);
                Body {
                    text: LongText::of(&step.text),
                    arg_lines: LongText::of(&args),
                    args,
                    folded: step.kind() == StepKind::System,
                    failed: is_failure(step),
                }
            })
            .collect();
        let mut transcript = Self {
            steps,
            starts: Vec::new(),
        };
        transcript.count();
        transcript
    }

    fn count(&mut self) {
        self.starts.clear();
        let mut row = 0;
        for body in &self.steps {
            self.starts.push(row);
            row += 1;
            if !body.folded {
                row += body.text.len() + body.arg_lines.len();
            }
        }
        self.starts.push(row);
    }

    /// Number of steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The step that a row belongs to; the last one past the end.
    #[must_use]
    pub fn step_at(&self, row: usize) -> usize {
        let after = self.starts.partition_point(|&start| start <= row);
        after
            .saturating_sub(1)
            .min(self.steps.len().saturating_sub(1))
    }

    /// The head's row of a step.
    #[must_use]
    pub fn start(&self, step: usize) -> usize {
        self.starts.get(step).copied().unwrap_or(0)
    }

    /// What a row is.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<Row> {
        if row >= self.len() {
            return None;
        }
        let step = self.step_at(row);
        let body = self.steps.get(step)?;
        let Some(line) = (row - self.starts[step]).checked_sub(1) else {
            return Some(Row::Head(step));
        };
        Some(match line.checked_sub(body.text.len()) {
            None => Row::Text(step, line),
            Some(line) => Row::Args(step, line),
        })
    }

    /// The text of a row's line; empty for a head. `steps` is what the transcript was made of.
    #[must_use]
    pub fn line<'a>(&'a self, steps: &'a [Step], row: Row) -> &'a str {
        match row {
            Row::Head(_) => "",
            Row::Text(step, line) => match (self.steps.get(step), steps.get(step)) {
                (Some(body), Some(step)) => body.text.line(&step.text, line),
                _ => "",
            },
            Row::Args(step, line) => self
                .steps
                .get(step)
                .map_or("", |body| body.arg_lines.line(&body.args, line)),
        }
    }

    /// Whether a step is folded.
    #[must_use]
    pub fn is_folded(&self, step: usize) -> bool {
        self.steps.get(step).is_some_and(|body| body.folded)
    }

    /// Folds or unfolds a step.
    pub fn fold(&mut self, step: usize, folded: bool) {
        if let Some(body) = self.steps.get_mut(step) {
            body.folded = folded;
        }
        self.count();
    }

    /// Folds every step, or unfolds all when all are folded. Answers whether they are folded now.
    pub fn fold_all(&mut self) -> bool {
        let folded = self.steps.iter().any(|body| !body.folded);
        for body in &mut self.steps {
            body.folded = folded;
        }
        self.count();
        folded
    }

    /// The first failed step after `step`.
    #[must_use]
    pub fn next_failure(&self, step: usize) -> Option<usize> {
        (step + 1..self.steps.len()).find(|&other| self.steps[other].failed)
    }

    /// The row of a line of a step's text or arguments.
    #[must_use]
    pub fn row_of(&self, at: Row) -> usize {
        match at {
            Row::Head(step) => self.start(step),
            Row::Text(step, line) => self.start(step) + 1 + line,
            Row::Args(step, line) => {
                let text = self.steps.get(step).map_or(0, |body| body.text.len());
                self.start(step) + 1 + text + line
            }
        }
    }

    /// The lines that hold a text, in order: folded steps too.
    #[must_use]
    pub fn hits(&self, steps: &[Step], wanted: &str) -> Vec<Row> {
        let mut hits = Vec::new();
        for (index, (body, step)) in self.steps.iter().zip(steps).enumerate() {
            let lines = body.text.hits(&step.text, wanted);
            hits.extend(lines.into_iter().map(|line| Row::Text(index, line)));
            let lines = body.arg_lines.hits(&body.args, wanted);
            hits.extend(lines.into_iter().map(|line| Row::Args(index, line)));
        }
        hits
    }
}

/// A tool call's arguments as a person reads them: strings with their line breaks. Empty when the
/// step's text says the same already.
fn shown_args(step: &Step) -> String {
    let Some(args) = step.args.as_deref().filter(|args| !args.trim().is_empty()) else {
        return String::new();
    };
    let Ok(serde_json::Value::Object(map)) = serde_json::from_str(args) else {
        return if args.trim() == step.text.trim() {
            String::new()
        } else {
            args.to_owned()
        };
    };
    let mut shown = String::new();
    for (name, value) in &map {
        let text = match value {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if text.trim() == step.text.trim() {
            continue;
        }
        if !shown.is_empty() {
            shown.push('\n');
        }
        shown.push_str(name);
        shown.push_str(if text.contains('\n') { ":\n" } else { ": " });
        shown.push_str(text.strip_suffix('\n').unwrap_or(&text));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(kind: StepKind, text: &str) -> Step {
        Step {
            kind: Some(kind),
            text: text.to_owned(),
            ..Step::default()
        }
    }

    fn steps() -> Vec<Step> {
        vec![
            step(StepKind::System, "be good\nvery"),
            Step {
                args: Some(r#"{"command":"ls\ncat a","timeout":3}"#.to_owned()),
                tool: Some("bash".to_owned()),
                ..step(StepKind::ToolCall, "")
            },
            Step {
                exit_code: Some(2),
                ..step(StepKind::Observation, "no\nsuch\nfile\n")
            },
        ]
    }

    #[test]
    fn rows_are_heads_and_lines() {
        let steps = steps();
        let transcript = Transcript::of(&steps);
        assert_eq!(transcript.row(0), Some(Row::Head(0)));
        assert_eq!(transcript.row(1), Some(Row::Head(1)));
        let args: Vec<_> = (2..6)
            .map(|row| {
                transcript
                    .line(&steps, transcript.row(row).unwrap())
                    .to_owned()
            })
            .collect();
        assert_eq!(args, ["command:", "ls", "cat a", "timeout: 3"]);
        assert_eq!(transcript.row(6), Some(Row::Head(2)));
        assert_eq!(transcript.row(7), Some(Row::Text(2, 0)));
        assert_eq!(transcript.len(), 10);
        assert_eq!(transcript.row(10), None);
        for row in 0..transcript.len() {
            assert_eq!(transcript.row_of(transcript.row(row).unwrap()), row);
        }
    }

    #[test]
    fn folding_hides_lines_and_search_still_finds_them() {
        let steps = steps();
        let mut transcript = Transcript::of(&steps);
        assert!(transcript.is_folded(0));
        assert_eq!(transcript.hits(&steps, "very"), [Row::Text(0, 1)]);
        assert!(transcript.fold_all());
        assert_eq!(transcript.len(), 3);
        assert!(!transcript.fold_all());
        assert_eq!(transcript.row(2), Some(Row::Text(0, 1)));
        assert_eq!(transcript.next_failure(0), Some(2));
        assert_eq!(transcript.next_failure(2), None);
    }

    #[test]
    fn arguments_that_the_text_says_already_are_left_out() {
        let call = Step {
            args: Some(r#"{"command":"ls -l"}"#.to_owned()),
            ..step(StepKind::ToolCall, "ls -l\n")
        };
        assert_eq!(shown_args(&call), "");
        assert_eq!(StepHead::of(&call).gist, "ls -l");
    }

    #[test]
    fn no_steps_are_no_rows() {
        let transcript = Transcript::of(&[]);
        assert!(transcript.is_empty());
        assert_eq!(transcript.row(0), None);
    }
}
