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

pub(crate) use runs::{Known, join};

/// What was found of SWE-bench runs, before it is joined.
#[derive(Debug, Default)]
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
    }
}
