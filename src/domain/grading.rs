//! What a grader (or a rule, or a person) said of a group: a ranking with reasoning and findings.
//!
//! What is *not* here: the ranking's own arithmetic ([`super::ranking`]) and the file format
//! ([`crate::formats`]).

use super::ranking::Ranking;
use super::trajectory::TrajectoryIndex;

/// Who ranked: name and how it was run (`gagar.ranking/1`, `grader`).
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Grader {
    /// Name, as shown.
    pub name: String,
    /// `command`, `http`, `import`, `human` or `rule`, when given.
    pub kind: Option<String>,
    /// Version, when given.
    pub version: Option<String>,
    /// Model, when given.
    pub model: Option<String>,
}

/// One answer of a grader about one group, bound to the group's trajectory indices.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct GraderAnswer {
    /// Who ranked.
    pub grader: Grader,
    /// `ok`, `partial`, `repaired`, or why there is no ranking (`timeout`, `no_ranking`, …).
    pub status: String,
    /// The ranking; `None` unless the status is `ok`, `partial` or `repaired`.
    pub ranking: Option<Ranking>,
    /// Order in which the candidates were shown to the grader; empty when unknown.
    pub shown_order: Vec<TrajectoryIndex>,
    /// The grader's reasoning, when given.
    pub reasoning: Option<String>,
    /// (trajectory, summary) pairs.
    pub summaries: Vec<(TrajectoryIndex, String)>,
    /// Remarks bound to a trajectory and possibly to lines.
    pub findings: Vec<Finding>,
    /// Problems as recorded: (code, detail).
    pub problems: Vec<(String, String)>,
    /// Run id, when given.
    pub run_id: Option<String>,
    /// Vote number (0-based), when given.
    pub vote: Option<u32>,
    /// Cost in US dollars, when given.
    pub cost_usd: Option<f64>,
    /// (input tokens, output tokens), when given.
    pub tokens: Option<(u64, u64)>,
    /// The raw answer, when kept.
    pub raw: Option<String>,
}

/// A remark about a trajectory.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Finding {
    /// The trajectory it is about.
    pub trajectory: TrajectoryIndex,
    /// Rubric code (`out_of_scope`, `debug_leftover`, …).
    pub code: String,
    /// `info`, `minor` or `major`, when given.
    pub severity: Option<String>,
    /// File in the patch, when given.
    pub file: Option<String>,
    /// `old` or `new`, when given.
    pub side: Option<String>,
    /// First and last line (1-based, inclusive), when given.
    pub lines: Option<(u32, u32)>,
    /// The remark, when given.
    pub note: Option<String>,
}
