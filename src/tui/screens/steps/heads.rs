//! What is said of a step without its text: kind, tool, gist, figures, and what it answers.
//!
//! What is *not* here: how that is drawn (`figures`, `list`).

use std::collections::HashMap;

use super::gist;
use crate::domain::{Step, StepKind};
use crate::review::edits;

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
    /// Whether it reports a failure, see [`Step::is_failure`].
    pub failed: bool,
    /// Whether it is known to edit files.
    pub edits: bool,
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
            failed: step.is_failure(),
            edits: !edits::of_step(step).is_empty(),
            ms: step.ms,
            tokens: step.tokens,
            cost_usd: step.cost_usd,
            time: step.time.clone(),
            truncated: step.truncated,
        }
    }

    /// The heads of a trace; observations know the last call of their id before them.
    pub(super) fn of_all(steps: &[Step]) -> Vec<Self> {
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
