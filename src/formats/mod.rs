//! Files to rollout groups: one file per format, one row each in [`FORMATS`].
//!
//! A loader hands over an *index* (ids, outcome, scalars, where the bytes are); texts are opened on
//! demand through [`LoadedSet::open`]. What is *not* here: rankings' arithmetic, storage, screens.

use std::path::PathBuf;

use crate::domain::{Content, GraderAnswer, RolloutGroup};

/// Something that could not be read, where, and why; the rest was loaded.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// The file (or folder).
    pub path: PathBuf,
    /// 1-based line, for line formats.
    pub line: Option<u64>,
    /// Key of the record (`instance_id`, `group_id/trajectory_id`) or field, when known.
    pub record: Option<String>,
    /// The reason, one sentence.
    pub reason: String,
}

/// Options of a load.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadOptions {
    /// Reward from which a trajectory counts as passing when only a reward is given.
    pub pass_at: f64,
    /// Further `gagar.ranking/1` files.
    pub rankings: Vec<PathBuf>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            pass_at: 0.5,
            rankings: Vec::new(),
        }
    }
}

/// How far a load has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Bytes read so far.
    pub bytes_done: u64,
    /// Bytes in all files to read (0 while they are still being listed).
    pub bytes_total: u64,
    /// Groups found so far.
    pub groups: usize,
}

/// Everything loaded from the paths given.
#[derive(Debug, Default)]
pub struct LoadedSet {
    /// The groups, sorted by id.
    pub groups: Vec<RolloutGroup>,
    /// Grader answers per group (same length and order as `groups`), in file order.
    pub answers: Vec<Vec<GraderAnswer>>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    // helper C adds private locators
}

impl LoadedSet {
    /// Opens the texts of one group (0-based index into `groups`).
    ///
    /// # Errors
    /// A sentence naming the file that cannot be read.
    pub fn open(&self, group: usize) -> Result<Content, Problem> {
        let _ = group;
        todo!("helper C")
    }
}

/// Loads every rollout group found under `paths`. `progress` is called now and then and answers
/// whether to go on; when it answers false, what was read so far is returned.
#[must_use]
pub fn load(
    paths: &[PathBuf],
    options: &LoadOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> LoadedSet {
    let _ = (paths, options, progress);
    todo!("helper C")
}
