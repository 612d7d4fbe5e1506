//! The steps of a trajectory as rows: a head per step and, unless it is folded, its lines.
//!
//! Line starts are found once, when a trajectory is opened; whatever a window shows is looked up.

use std::borrow::Cow;
use std::sync::Arc;

use super::gist;
use super::heads::StepHead;
use super::kinds::Kinds;
use crate::domain::{Step, StepKind};
use crate::tui::long_text::{Extent, LongText, Shown};
use crate::tui::pattern::Pattern;

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

impl Row {
    /// The step that the row belongs to.
    #[must_use]
    pub fn step(self) -> usize {
        let (Self::Head(step) | Self::Text(step, _) | Self::Args(step, _)) = self;
        step
    }

    /// Where the row stands among all, folded and hidden ones too.
    #[must_use]
    pub fn place(self) -> (usize, u8, usize) {
        match self {
            Self::Head(step) => (step, 0, 0),
            Self::Text(step, line) => (step, 1, line),
            Self::Args(step, line) => (step, 2, line),
        }
    }
}

/// The heads and lines of one trajectory's steps; folding and filtering do not change them.
#[derive(Debug)]
pub struct Lines {
    steps: Vec<Body>,
}

#[derive(Debug)]
struct Body {
    head: StepHead,
    text: LongText,
    args: String,
    arg_lines: LongText,
    /// Whether it is folded until asked for.
    folded: bool,
}

/// The rows of one trajectory's steps.
#[derive(Debug)]
pub struct Transcript {
    lines: Arc<Lines>,
    folded: Vec<bool>,
    /// The steps of kinds that are shown.
    visible: Vec<usize>,
    /// First row of every step, and the number of all rows at the end; a hidden step has none.
    starts: Vec<usize>,
}

/// Whether a step is folded until asked for: a system prompt, or several lines on the state of the
/// environment, which no reader of the agent's work needs.
fn starts_folded(step: &Step) -> bool {
    let is_state = step.kind() == StepKind::Other && step.role.as_deref() == Some("state");
    step.kind() == StepKind::System || (is_state && step.text.contains('\n'))
}

impl Lines {
    /// Finds the lines of every step.
    #[must_use]
    pub fn of(steps: &[Step], extent: Extent) -> Self {
        let steps = steps
            .iter()
            .zip(StepHead::of_all(steps))
            .map(|(step, head)| {
                let (has_text, args) = gist::shown(step);
                Body {
                    head,
                    text: if has_text {
                        LongText::with(&step.text, extent)
                    } else {
                        LongText::default()
                    },
                    arg_lines: LongText::with(&args, extent),
                    args,
                    folded: starts_folded(step),
                }
            })
            .collect();
        Self { steps }
    }

    /// The lines of one step that match, in order, with the number of matches in each.
    #[must_use]
    pub fn matches(&self, index: usize, step: &Step, wanted: &Pattern) -> Vec<(Row, usize)> {
        let Some(body) = self.steps.get(index) else {
            return Vec::new();
        };
        let text = body.text.matches(&step.text, wanted).into_iter();
        let text = text.map(|(line, count)| (Row::Text(index, line), count));
        let args = body.arg_lines.matches(&body.args, wanted).into_iter();
        text.chain(args.map(|(line, count)| (Row::Args(index, line), count)))
            .collect()
    }
}

impl Transcript {
    /// The rows of these steps; system prompts and states of the environment are folded at the
    /// start.
    #[must_use]
    pub fn of(steps: &[Step]) -> Self {
        Self::with(Lines::of(steps, Extent::Gist), Kinds::default())
    }

    /// The rows of these lines without the hidden kinds.
    #[must_use]
    pub fn with(lines: Lines, hidden: Kinds) -> Self {
        let folded = lines.steps.iter().map(|body| body.folded).collect();
        let mut transcript = Self {
            lines: Arc::new(lines),
            folded,
            visible: Vec::new(),
            starts: Vec::new(),
        };
        transcript.hide(hidden);
        transcript
    }

    /// Hides the steps of these kinds, and no others.
    pub fn hide(&mut self, hidden: Kinds) {
        let steps = self.lines.steps.iter().enumerate();
        self.visible = steps
            .filter(|(_, body)| !hidden.has(body.head.kind))
            .map(|(step, _)| step)
            .collect();
        self.count();
    }

    fn count(&mut self) {
        self.starts.clear();
        let mut row = 0;
        let mut visible = self.visible.iter().peekable();
        for (step, (body, folded)) in self.lines.steps.iter().zip(&self.folded).enumerate() {
            self.starts.push(row);
            if visible.next_if(|next| **next == step).is_none() {
                continue;
            }
            row += 1;
            if !folded {
                row += body.text.len() + body.arg_lines.len();
            }
        }
        self.starts.push(row);
    }

    /// What the rows are of.
    #[must_use]
    pub fn lines(&self) -> &Arc<Lines> {
        &self.lines
    }

    /// What the list says of a step.
    #[must_use]
    pub fn head(&self, step: usize) -> Option<&StepHead> {
        self.lines.steps.get(step).map(|body| &body.head)
    }

    /// Number of steps, the hidden ones too.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.lines.steps.len()
    }

    /// The steps that are shown, in order.
    #[must_use]
    pub fn visible(&self) -> &[usize] {
        &self.visible
    }

    /// Whether a step is shown.
    #[must_use]
    pub fn is_visible(&self, step: usize) -> bool {
        self.visible.binary_search(&step).is_ok()
    }

    /// How many steps of a kind there are, hidden or not.
    #[must_use]
    pub fn count_of(&self, kind: StepKind) -> usize {
        let steps = self.lines.steps.iter();
        steps.filter(|body| body.head.kind == kind).count()
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

    /// The step that a row belongs to; the last one shown past the end.
    #[must_use]
    pub fn step_at(&self, row: usize) -> usize {
        if row >= self.len() {
            return self.visible.last().copied().unwrap_or(0);
        }
        let after = self.starts.partition_point(|&start| start <= row);
        after.saturating_sub(1)
    }

    /// The head's row of a step; of a hidden one the row of the next that is shown.
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
        let body = self.lines.steps.get(step)?;
        let Some(line) = (row - self.starts[step]).checked_sub(1) else {
            return Some(Row::Head(step));
        };
        Some(match line.checked_sub(body.text.len()) {
            None => Row::Text(step, line),
            Some(line) => Row::Args(step, line),
        })
    }

    /// A row's line as it is shown; empty for a head. `steps` is what the transcript was made of.
    #[must_use]
    pub fn line<'a>(&'a self, steps: &'a [Step], row: Row) -> Shown<'a> {
        let body = self.lines.steps.get(row.step());
        match (row, body, steps.get(row.step())) {
            (Row::Text(_, line), Some(body), Some(step)) => body.text.shown(&step.text, line),
            (Row::Args(_, line), Some(body), _) => body.arg_lines.shown(&body.args, line),
            _ => Shown {
                text: Cow::Borrowed(""),
                looks: Vec::new(),
            },
        }
    }

    /// Whether a step is folded.
    #[must_use]
    pub fn is_folded(&self, step: usize) -> bool {
        self.folded.get(step).copied().unwrap_or(false)
    }

    /// Which steps are folded.
    #[must_use]
    pub fn folds(&self) -> &[bool] {
        &self.folded
    }

    /// Folds as another transcript of the same steps did.
    pub fn fold_like(&mut self, folds: &[bool]) {
        if folds.len() == self.folded.len() {
            self.folded.copy_from_slice(folds);
            self.count();
        }
    }

    /// Folds or unfolds a step.
    pub fn fold(&mut self, step: usize, folded: bool) {
        if let Some(place) = self.folded.get_mut(step) {
            *place = folded;
        }
        self.count();
    }

    /// Folds every step, or unfolds all when all are folded. Answers whether they are folded now.
    pub fn fold_all(&mut self) -> bool {
        let folded = self.visible.iter().any(|&step| !self.folded[step]);
        self.folded.fill(folded);
        self.count();
        folded
    }

    /// The nearest step after `step` that is shown and of which `wanted` holds.
    #[must_use]
    pub fn next(&self, step: usize, wanted: impl Fn(&StepHead) -> bool) -> Option<usize> {
        let from = self.visible.partition_point(|&other| other <= step);
        let mut steps = self.visible[from..].iter().copied();
        steps.find(|&other| wanted(&self.lines.steps[other].head))
    }

    /// The nearest step before `step` that is shown and of which `wanted` holds.
    #[must_use]
    pub fn previous(&self, step: usize, wanted: impl Fn(&StepHead) -> bool) -> Option<usize> {
        let end = self.visible.partition_point(|&other| other < step);
        let mut steps = self.visible[..end].iter().rev().copied();
        steps.find(|&other| wanted(&self.lines.steps[other].head))
    }

    /// The row of a line of a step's text or arguments.
    #[must_use]
    pub fn row_of(&self, at: Row) -> usize {
        match at {
            Row::Head(step) => self.start(step),
            Row::Text(step, line) => self.start(step) + 1 + line,
            Row::Args(step, line) => {
                let text = self.lines.steps.get(step).map_or(0, |body| body.text.len());
                self.start(step) + 1 + text + line
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::heads::Answered;
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
            .map(|row| transcript.line(&steps, transcript.row(row).unwrap()).text)
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
        let hits = transcript
            .lines()
            .matches(0, &steps[0], &Pattern::plain("very"));
        assert_eq!(hits, [(Row::Text(0, 1), 1)]);
        assert!(transcript.fold_all());
        assert_eq!(transcript.len(), 3);
        assert!(!transcript.fold_all());
        assert_eq!(transcript.row(2), Some(Row::Text(0, 1)));
        assert_eq!(transcript.next(0, |head| head.failed), Some(2));
        assert_eq!(transcript.next(2, |head| head.failed), None);
        assert_eq!(transcript.previous(2, |head| head.failed), None);
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
        let lines: Vec<_> = (0..transcript.len())
            .map(|row| transcript.line(&steps, transcript.row(row).unwrap()).text)
            .collect();
        assert_eq!(lines, ["", "path: a.py", "content:", "x", "y"]);
        let hits = transcript
            .lines()
            .matches(0, &steps[0], &Pattern::plain("a.py"));
        assert_eq!(hits, [(Row::Args(0, 0), 1)]);
    }

    #[test]
    fn no_steps_are_no_rows() {
        let transcript = Transcript::of(&[]);
        assert!(transcript.is_empty());
        assert_eq!(transcript.row(0), None);
    }

    #[test]
    fn hidden_kinds_have_no_rows_and_are_jumped_over() {
        let steps = steps();
        let mut transcript = Transcript::of(&steps);
        transcript.hide(Kinds::default().toggled(StepKind::ToolCall));
        assert_eq!(transcript.visible(), [0, 2]);
        assert_eq!(transcript.row(1), Some(Row::Head(2)));
        assert_eq!(transcript.step_at(1), 2);
        assert_eq!(transcript.step_at(99), 2);
        assert_eq!(transcript.next(0, |_| true), Some(2));
        assert_eq!(transcript.previous(2, |_| true), Some(0));
        transcript.hide(Kinds::default().toggled(StepKind::Observation));
        assert_eq!((transcript.step_at(99), transcript.len()), (1, 6));
        transcript.hide(Kinds::all_but(StepKind::Other));
        assert!(transcript.is_empty());
        assert_eq!((transcript.row(0), transcript.step_at(0)), (None, 0));
    }
}
