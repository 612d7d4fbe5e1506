//! A rollout group: one task and the trajectories that attempted it.
//!
//! What is *not* here: patches and steps as text. Those are opened on demand as [`Content`] by the
//! layer that knows where the bytes are; a group holds the index only, so that a dump of gigabytes
//! costs megabytes.

use std::cmp::Ordering;

use super::trajectory::{Step, TestResult, Trajectory};

/// Identifies a rollout group within a loaded set (verl `uid`, SWE-bench `instance_id`, …).
///
/// Ids are ordered as people read them: runs of digits as numbers (`step 7` before `step 12`), equal
/// numbers and everything else by bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GroupId(pub String);

impl Ord for GroupId {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut a, mut b) = (self.0.as_bytes(), other.0.as_bytes());
        while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
            let order = if x.is_ascii_digit() && y.is_ascii_digit() {
                let (one, rest) = number(a);
                a = rest;
                let (two, rest) = number(b);
                b = rest;
                // Without leading zeros the longer one is larger.
                one.len().cmp(&two.len()).then_with(|| one.cmp(two))
            } else {
                (a, b) = (&a[1..], &b[1..]);
                x.cmp(&y)
            };
            if order.is_ne() {
                return order;
            }
        }
        a.len().cmp(&b.len()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for GroupId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The digits at the start without leading zeros, and what follows them.
fn number(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    (&digits[zeros..], rest)
}

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
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Extra(pub Vec<(String, String)>);

/// What a list of groups shows of the task without opening it.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_ordered_as_people_read_them() {
        let mut ids = [
            "step 12 · a",
            "step 7 · b",
            "a-010",
            "a-9",
            "a-10",
            "step 7 · a",
            "a",
        ]
        .map(|id| GroupId(id.to_owned()));
        ids.sort();
        let ids = ids.map(|id| id.0);
        assert_eq!(
            ids,
            [
                "a",
                "a-9",
                "a-010",
                "a-10",
                "step 7 · a",
                "step 7 · b",
                "step 12 · a"
            ]
        );
    }
}
