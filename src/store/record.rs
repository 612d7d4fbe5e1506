//! The parts of events that other layers hand over whole: findings, verdicts, what a rule was.
//!
//! Trajectories are ids here; [`crate::domain::Finding`] is a grader's finding bound to indices.

use serde::{Deserialize, Serialize};

use crate::domain::rubric::Severity;

/// Which side of a patch lines are counted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The base.
    Old,
    /// The result of the patch.
    New,
}

/// A remark of a person about a trajectory, a file of its patch, or lines of that file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingRecord {
    /// The trajectory's id.
    pub trajectory: String,
    /// Code of the rubric (`out_of_scope`, …).
    pub code: String,
    /// Version of the rubric that the code was chosen from.
    pub rubric: String,
    /// How bad it is.
    pub severity: Severity,
    /// The file in the patch; `None` = the whole trajectory.
    pub file: Option<String>,
    /// Which side [`Self::lines`] are on.
    pub side: Option<Side>,
    /// First and last line (1-based, inclusive); `None` = the whole file.
    pub lines: Option<(u32, u32)>,
    /// The remark in words; may be empty.
    pub note: String,
    /// The rule whose remark this was, when a person confirmed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleStamp>,
    /// Whether a blind group had been revealed by then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_reveal: bool,
}

/// Which rule of which version made a remark.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RuleStamp {
    /// The rule's id (`stray_file`, …).
    pub id: String,
    /// Version of the rules, with a mark when the configuration changed them.
    pub version: String,
}

/// What a person said of a rule's remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The remark is right: it became a finding.
    Confirmed,
    /// The remark is wrong or does not matter.
    Dismissed,
}

/// Which of two candidates is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairVerdict {
    /// The first.
    First,
    /// The second.
    Second,
    /// Neither.
    Tie,
}
