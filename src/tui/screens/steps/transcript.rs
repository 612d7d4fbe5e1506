//! The steps of a trajectory as rows: a head per step and, unless it is folded, its lines.
//!
//! Line starts are found once, when a trajectory is opened; whatever a window shows is looked up.

use std::collections::HashMap;

use super::gist;
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
    head: StepHead,
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
    /// Name of the tool, when it has one; of an observation that of its call. Untrusted text.
    pub tool: Option<String>,
    /// What it says in one line, see [`gist::gist`]. Untrusted text.
    pub gist: String,
    /// The call that an observation answers, when the trace tells it.
    pub answers: Option<Answered>,
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

/// The call that an observation answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The call's gist. Untrusted text.
    pub call: String,
    /// `(place, count)` from 1 among the calls made at once; `None` for one made alone.
    pub place: Option<(usize, usize)>,
}

impl StepHead {
    /// The head of a step by itself; which call it answers only the trace tells.
    #[must_use]
    pub fn of(step: &Step) -> Self {
        Self {
            kind: step.kind(),
            tool: step.tool.clone(),
            gist: gist::gist(step),
            answers: None,
            exit_code: step.exit_code,
            ms: step.ms,
            tokens: step.tokens,
            cost_usd: step.cost_usd,
            time: step.time.clone(),
            truncated: step.truncated,
        }
    }

    /// The heads of a trace; observations know the last call of their id before them.
    fn of_all(steps: &[Step]) -> Vec<Self> {
        let mut heads: Vec<Self> = steps.iter().map(Self::of).collect();
        let mut calls: HashMap<&str, usize> = HashMap::new();
        // `(place, count)` of each step among those of its kind that follow each other.
        let mut places = Vec::with_capacity(steps.len());
        for run in steps.chunk_by(|a, b| a.kind() == b.kind()) {
            places.extend((1..=run.len()).map(|place| (place, run.len())));
        }
        for (index, step) in steps.iter().enumerate() {
            let Some(id) = step.call_id.as_deref().filter(|id| !id.is_empty()) else {
                continue;
            };
            match step.kind() {
                StepKind::ToolCall => {
                    calls.insert(id, index);
                }
                StepKind::Observation => {
                    let Some(&call) = calls.get(id) else { continue };
                    let answered = Answered {
                        call: heads[call].gist.clone(),
                        place: Some(places[call]).filter(|(_, count)| *count > 1),
                    };
                    let tool = heads[call].tool.clone();
                    heads[index].tool = tool.or(heads[index].tool.take());
                    heads[index].answers = Some(answered);
                }
                _ => {}
            }
        }
        heads
    }
}

/// Whether a step reports a failure: an exit code other than 0.
#[must_use]
pub fn is_failure(step: &Step) -> bool {
    step.exit_code.is_some_and(|code| code != 0)
}

/// Whether a step is folded until asked for: a system prompt, or several lines on the state of the
/// environment, which no reader of the agent's work needs.
fn starts_folded(step: &Step) -> bool {
    let is_state = step.kind() == StepKind::Other && step.role.as_deref() == Some("state");
    step.kind() == StepKind::System || (is_state && step.text.contains('\n'))
}

impl Transcript {
    /// Finds the lines of every step; system prompts and states of the
    /// environment are folded at the start.
    #[must_use]
    pub fn of(steps: &[Step]) -> Self {
        let steps = steps
            .iter()
            .zip(StepHead::of_all(steps))
            .map(|(step, head)| {
                let (has_text, args) = gist::shown(step);
                Body {
                    head,
                    text: if has_text {
                        LongText::of(&step.text)
                    } else {
                        LongText::default()
                    },
                    arg_lines: LongText::of(&args),
                    args,
                    folded: starts_folded(step),
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

    /// What the list says of a step.
    #[must_use]
    pub fn head(&self, step: usize) -> Option<&StepHead> {
        self.steps.get(step).map(|body| &body.head)
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
    fn observations_name_the_call_they_answer() {
        let of = |kind, id: &str, text: &str| Step {
            call_id: Some(id.to_owned()),
            tool: (kind == StepKind::ToolCall).then(|| "bash".to_owned()),
            ..step(kind, text)
        };
        let (call, seen) = (StepKind::ToolCall, StepKind::Observation);
        let steps = [
            of(call, "a", "ls"),
            of(call, "b", "cat x"),
            of(seen, "b", "x"),
            of(seen, "a", "y"),
            of(seen, "z", "of no call"),
            step(seen, "without an id"),
            // The id again: the last call counts.
            of(call, "a", "pwd"),
            of(seen, "a", "/"),
        ];
        let transcript = Transcript::of(&steps);
        let answers = |index| transcript.head(index).unwrap().answers.clone();
        let of = |call: &str, place| {
            let call = call.to_owned();
            Some(Answered { call, place })
        };
        assert_eq!(answers(2), of("cat x", Some((2, 2))));
        assert_eq!(answers(3), of("ls", Some((1, 2))));
        assert_eq!((answers(4), answers(5)), (None, None));
        assert_eq!(answers(7), of("pwd", None));
        let tool = |index| transcript.head(index).unwrap().tool.as_deref();
        assert_eq!((tool(2), tool(4)), (Some("bash"), None));
    }

    #[test]
    fn states_of_the_environment_are_folded() {
        let state = |text| Step {
            role: Some("state".to_owned()),
            ..step(StepKind::Other, text)
        };
        let steps = [state("[state] stats:\n{}"), state("[state] status: on")];
        let transcript = Transcript::of(&steps);
        assert!(transcript.is_folded(0) && !transcript.is_folded(1));
        assert_eq!(transcript.head(0).unwrap().gist, "[state] stats:");
    }

    #[test]
    fn a_call_is_shown_once() {
        let args = r#"{"path":"a.py","content":"x\ny"}"#;
        let call = Step {
            args: Some(args.to_owned()),
            ..step(StepKind::ToolCall, args)
        };
        let steps = [call];
        let transcript = Transcript::of(&steps);
        let lines: Vec<&str> = (0..transcript.len())
            .map(|row| transcript.line(&steps, transcript.row(row).unwrap()))
            .collect();
        assert_eq!(lines, ["", "path: a.py", "content:", "x", "y"]);
        assert_eq!(transcript.hits(&steps, "a.py"), [Row::Args(0, 0)]);
    }

    #[test]
    fn no_steps_are_no_rows() {
        let transcript = Transcript::of(&[]);
        assert!(transcript.is_empty());
        assert_eq!(transcript.row(0), None);
    }
}
