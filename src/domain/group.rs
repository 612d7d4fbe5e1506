//! A rollout group: one task and the trajectories that attempted it.
//!
//! What is *not* here: patches and steps as text. Those are opened on demand as [`Content`] by the
//! layer that knows where the bytes are; a group holds the index only, so that a dump of gigabytes
//! costs megabytes.

use super::trajectory::{Step, TestResult, Trajectory};

/// Identifies a rollout group within a loaded set (verl `uid`, SWE-bench `instance_id`, …).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub String);

impl GroupId {
    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for GroupId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Unknown keys of a record, kept as (key, JSON text) in file order, so that they can be passed
/// through unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extra(pub Vec<(String, String)>);

/// What a list of groups shows of the task without opening it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskSummary {
    /// First non-empty line of the issue text, when there is one.
    pub title: Option<String>,
    /// Repository (`owner/name`), when known.
    pub repo: Option<String>,
    /// Commit that every patch of the group applies to, when known.
    pub base_commit: Option<String>,
    /// Whether a reference (gold) patch can be opened.
    pub has_reference: bool,
}

/// The attempts at one task: the index of a rollout group.
#[derive(Debug, Clone, PartialEq)]
pub struct RolloutGroup {
    /// The group's id, unique within a loaded set.
    pub id: GroupId,
    /// Training step the rollouts were sampled at, when known.
    pub step: Option<i64>,
    /// The task in one line.
    pub task: TaskSummary,
    /// The trajectories in input order; a [`super::TrajectoryIndex`] indexes this list (0-based).
    pub trajectories: Vec<Trajectory>,
    /// Hash over the group id and every (trajectory id, patch hash, outcome, reward), lower-case
    /// hex. A stored judgement is bound to it (`annotation.md` 4.3).
    pub fingerprint: String,
    /// Unknown keys of the group's record.
    pub meta: Extra,
}

/// What is opened on demand: the texts of one group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Content {
    /// The task's texts.
    pub task: TaskContent,
    /// One entry per trajectory, same order and length as [`RolloutGroup::trajectories`].
    pub trajectories: Vec<TrajectoryContent>,
    /// Problems met while opening (a file that vanished, a step that cannot be read), one sentence
    /// each; shown, never swallowed.
    pub problems: Vec<String>,
}

/// The texts of a task.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskContent {
    /// The issue text or prompt, when known.
    pub text: Option<String>,
    /// The reference (gold) patch, when known.
    pub reference_patch: Option<String>,
    /// Names of tests that must go from failing to passing.
    pub fail_to_pass: Vec<String>,
    /// Names of tests that must stay passing.
    pub pass_to_pass: Vec<String>,
    /// Base files by path with their full text, when known.
    pub base_files: Vec<(String, String)>,
}

/// The texts of one trajectory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrajectoryContent {
    /// The patch exactly as recorded; `None` when the record has none (null or absent).
    pub patch: Option<String>,
    /// Messages, tool calls and observations in order; empty when no trace is known.
    pub steps: Vec<Step>,
    /// Test results, when known.
    pub tests: Vec<TestResult>,
    /// Log of the test run, when known.
    pub test_log: Option<String>,
}
