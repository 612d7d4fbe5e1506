//! Harbor and Terminal-Bench job folders: a trial's result with what lies in its folder.
//!
//! The trial is the rollout, its task the group. What is *not* here: the traces' own format
//! (`atif`).

mod join;
pub(crate) mod logs;
pub(crate) mod terminal_bench;
pub(crate) mod trials;
pub(crate) mod verifier;

pub(crate) use join::{Jobs, join};

use std::collections::HashSet;

use super::atif::Document;

/// What was found of trials and of traces, before it is joined.
#[derive(Debug, Default, Clone)]
pub(crate) struct Parts {
    /// Trials of Harbor.
    pub trials: Vec<trials::Trial>,
    /// Trials of Terminal-Bench.
    pub old: Vec<terminal_bench::Trial>,
    /// What Terminal-Bench runs tell of themselves.
    pub runs: Vec<terminal_bench::Run>,
    /// Jobs.
    pub jobs: Vec<trials::Job>,
    /// Configurations of trials.
    pub configs: Vec<trials::Config>,
    /// Test reports.
    pub reports: Vec<verifier::Report>,
    /// ATIF documents, of trials or not.
    pub documents: Vec<Document>,
}

impl Parts {
    /// Takes over what another part found.
    pub(crate) fn merge(&mut self, other: Self) {
        self.trials.extend(other.trials);
        self.old.extend(other.old);
        self.runs.extend(other.runs);
        self.jobs.extend(other.jobs);
        self.configs.extend(other.configs);
        self.reports.extend(other.reports);
        self.documents.extend(other.documents);
    }

    /// Number of rollouts found: trials.
    pub(crate) fn rollouts(&self) -> usize {
        self.trials.len() + self.old.len()
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets what files told; answers whether they told anything.
    pub(crate) fn withdraw(&mut self, files: &HashSet<usize>) -> bool {
        let before = self.len();
        self.trials.retain(|part| !files.contains(&part.at.file));
        self.old.retain(|part| !files.contains(&part.at.file));
        self.runs.retain(|part| !files.contains(&part.at.file));
        self.jobs.retain(|part| !files.contains(&part.at.file));
        self.configs.retain(|part| !files.contains(&part.at.file));
        self.reports.retain(|part| !files.contains(&part.at.file));
        self.documents.retain(|part| !files.contains(&part.at.file));
        self.len() != before
    }

    /// Puts everything into the order of the files, whatever order it came in.
    pub(crate) fn sort(&mut self) {
        self.trials.sort_by_key(|part| part.at.file);
        self.old.sort_by_key(|part| part.at.file);
        self.runs.sort_by_key(|part| part.at.file);
        self.jobs.sort_by_key(|part| part.at.file);
        self.configs.sort_by_key(|part| part.at.file);
        self.reports.sort_by_key(|part| part.at.file);
        self.documents.sort_by_key(|part| part.at.file);
    }

    fn len(&self) -> usize {
        self.trials.len()
            + self.old.len()
            + self.runs.len()
            + self.jobs.len()
            + self.configs.len()
            + self.reports.len()
            + self.documents.len()
    }
}
