//! Inspect logs: one sample in one epoch is a rollout; header, journal and summaries tell the rest.
//!
//! A log is one JSON file, or a folder (a `.eval` archive reads like one) with `header.json`,
//! `_journal/`, `summaries.json` and `samples/`. Source: UKGovernmentBEIS/inspect_ai, `log/_log.py`
//! and `log/_recorders/`. What is *not* here: archives, and events, which are counted but not read.

mod header;
mod join;
mod messages;
mod sample;
mod score;

pub(crate) use header::{is_beside, is_log, open_in_log, read_beside, read_log};
pub(crate) use join::join;
pub(crate) use sample::{is_sample, open, read_sample};

/// The row of the table that opens a sample.
const SAMPLE: &str = "Inspect sample";

/// What was found of logs, before it is joined.
#[derive(Debug, Default, Clone)]
pub(crate) struct Parts {
    logs: Vec<header::Log>,
    samples: Vec<sample::Sample>,
    summaries: Vec<header::Summary>,
}

impl Parts {
    /// Takes over what another part found.
    pub(crate) fn merge(&mut self, other: Self) {
        self.logs.extend(other.logs);
        self.samples.extend(other.samples);
        self.summaries.extend(other.summaries);
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of rollouts.
    pub(crate) fn rollouts(&self) -> usize {
        self.samples.len()
    }

    /// Forgets what files told; answers whether they told anything.
    pub(crate) fn withdraw(&mut self, files: &std::collections::HashSet<usize>) -> bool {
        let before = self.len();
        self.logs.retain(|part| !files.contains(&part.at.file));
        self.samples.retain(|part| !files.contains(&part.at.file));
        self.summaries.retain(|part| !files.contains(&part.at.file));
        self.len() != before
    }

    /// Puts everything into the order of the files, whatever order it came in.
    pub(crate) fn sort(&mut self) {
        self.logs.sort_by_key(|part| part.at.file);
        self.samples.sort_by_key(|part| part.at.file);
        self.summaries.sort_by_key(|part| part.at.file);
    }

    fn len(&self) -> usize {
        self.logs.len() + self.samples.len() + self.summaries.len()
    }
}
