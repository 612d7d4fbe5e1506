//! SWE-bench: predictions, reports of every vintage, task rows and traces, joined into runs.
//!
//! A run is a folder (or, when several runs share one, a predictions file); its name is the
//! trajectory's id, `instance_id` is the group's. What is *not* here: evaluation.

mod gather;
pub(crate) mod metrics;
pub(crate) mod predictions;
pub(crate) mod reports;
mod runs;
pub(crate) mod tasks;
pub(crate) mod traces;

use super::found::FoundGroup;

pub(crate) use runs::{Joined, Known, join};

use std::collections::HashSet;

/// What was found of SWE-bench runs, before it is joined.
#[derive(Debug, Default, Clone)]
pub(crate) struct Parts {
    /// Predictions.
    pub predictions: Vec<predictions::Prediction>,
    /// Verdicts of run summaries and old reports.
    pub run_reports: Vec<reports::RunReport>,
    /// Verdicts of task reports.
    pub task_reports: Vec<reports::TaskReport>,
    /// Task rows.
    pub tasks: Vec<tasks::TaskRow>,
    /// Traces.
    pub traces: Vec<traces::Trace>,
    /// Metrics.
    pub metrics: Vec<metrics::Metrics>,
    /// Messages of a task that has no patch and no verdict with them: they belong to the prediction
    /// beside them, else they are rollouts of their own.
    pub conversations: Vec<FoundGroup>,
}

impl Parts {
    /// Takes over what another part found.
    pub(crate) fn merge(&mut self, other: Self) {
        self.predictions.extend(other.predictions);
        self.run_reports.extend(other.run_reports);
        self.task_reports.extend(other.task_reports);
        self.tasks.extend(other.tasks);
        self.traces.extend(other.traces);
        self.metrics.extend(other.metrics);
        self.conversations.extend(other.conversations);
    }
    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.predictions.is_empty()
            && self.run_reports.is_empty()
            && self.task_reports.is_empty()
            && self.tasks.is_empty()
            && self.traces.is_empty()
            && self.metrics.is_empty()
            && self.conversations.is_empty()
    }

    /// Forgets what files told; answers whether they told anything.
    pub(crate) fn withdraw(&mut self, files: &HashSet<usize>) -> bool {
        let before = self.len();
        self.predictions
            .retain(|part| !files.contains(&part.at.file));
        self.run_reports
            .retain(|part| !files.contains(&part.at.file));
        self.task_reports
            .retain(|part| !files.contains(&part.at.file));
        self.tasks.retain(|part| !files.contains(&part.at.file));
        self.traces.retain(|part| !files.contains(&part.at.file));
        self.metrics.retain(|part| !files.contains(&part.at.file));
        self.conversations
            .retain(|part| !files.contains(&part.at.file));
        self.len() != before
    }

    /// Puts everything into the order of the files, whatever order it came in.
    pub(crate) fn sort(&mut self) {
        self.predictions.sort_by_key(|part| part.at.file);
        self.run_reports.sort_by_key(|part| part.at.file);
        self.task_reports.sort_by_key(|part| part.at.file);
        self.tasks.sort_by_key(|part| part.at.file);
        self.traces.sort_by_key(|part| part.at.file);
        self.metrics.sort_by_key(|part| part.at.file);
        self.conversations.sort_by_key(|part| part.at.file);
    }

    fn len(&self) -> usize {
        self.predictions.len()
            + self.run_reports.len()
            + self.task_reports.len()
            + self.tasks.len()
            + self.traces.len()
            + self.metrics.len()
            + self.conversations.len()
    }
}
