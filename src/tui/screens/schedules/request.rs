//! The work that a worker does for the screen, and what it answers.

use crate::audit::accuracy::MeasuredAccuracy;
use crate::audit::schedules::{Case, Comparison, Question, compare};
use crate::domain::Scheme;

/// Groups between two reports of progress.
const STEP: usize = 250;

/// A comparison to make.
#[derive(Debug, Clone)]
pub struct Request {
    /// Which one; a newer number replaces it.
    pub number: u64,
    /// The groups.
    pub cases: Vec<Case>,
    /// What is asked.
    pub question: Question,
    /// The grader's accuracy as it was measured.
    pub accuracy: Option<MeasuredAccuracy>,
}

/// A comparison made.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The figures.
    pub found: Comparison,
    /// The schemes asked for.
    pub schemes: Vec<Scheme>,
    /// The grader's accuracy as it was measured.
    pub accuracy: Option<MeasuredAccuracy>,
}

impl Request {
    /// Does the work; `progress` is told now and then how many groups are done, of how many. `None`
    /// when `is_stale` answered true.
    #[must_use]
    pub fn run(
        self,
        is_stale: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Option<Answer> {
        let all = self.cases.len();
        let mut go_on = |done: usize| {
            if done.is_multiple_of(STEP) {
                progress(done, all);
                return !is_stale();
            }
            true
        };
        let found = compare(&self.cases, &self.question, &mut |_| (), &mut go_on)?;
        Some(Answer {
            found,
            schemes: self.question.schemes,
            accuracy: self.accuracy,
        })
    }
}
