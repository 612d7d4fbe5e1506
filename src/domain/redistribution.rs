//! Sum-preserving redistribution of the passing advantages by rank (`advantage-math.md` section 2),
//! and the figures a reviewer is shown of it.

use super::ranking::Ranking;

/// Weight by place. Parsed from and printed as `linear:floor=0.5`, `geometric:gamma=0.8`,
/// `table:1,0.5,0.25`, ….
#[derive(Debug, Clone, PartialEq)]
pub enum Scheme {
    /// Weight 1 everywhere: plain GRPO.
    Uniform,
    /// `1 - (1-floor) k/(m-1)`.
    Linear {
        /// Weight of the last place, in 0..=1.
        floor: f64,
    },
    /// `gamma^k`.
    Geometric {
        /// In (0, 1].
        gamma: f64,
    },
    /// `1/(k+1)`.
    Reciprocal,
    /// `1/log2(k+2)`.
    Dcg,
    /// The last `floor(fraction*m + 1e-9)` places get `factor`.
    Bottom {
        /// Share of the places, in 0..=1.
        fraction: f64,
        /// Their weight, in 0..=1.
        factor: f64,
    },
    /// `Bottom` with fraction 0.5.
    BelowMedian {
        /// Weight of the lower half, in 0..=1.
        factor: f64,
    },
    /// The first `k` places get 1, the others `rest`.
    Top {
        /// Number of places, at least 1. Signed so that a bad value can be reported.
        k: i64,
        /// Weight of the others, in 0..=1.
        rest: f64,
    },
    /// A given list; the last entry repeats.
    Table(Vec<f64>),
}

/// How tied trajectories share the weights of the places they cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TieRule {
    /// The mean weight of the places covered.
    #[default]
    Share,
    /// Tiers are the places.
    Dense,
    /// The weight of the best place covered.
    Min,
}

/// What happens to a passing trajectory that nobody ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnrankedPolicy {
    /// Keeps its advantage (with a warning).
    #[default]
    Keep,
    /// One tier below the last.
    Last,
    /// `missing_rank`.
    Error,
}

/// What happens to a ranked trajectory that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailingRankPolicy {
    /// `rank_on_failing`.
    #[default]
    Error,
    /// Dropped from the ranking (with a warning).
    Drop,
}

/// What happens to a passing trajectory with an advantage of 0 or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NonpositivePolicy {
    /// Left as it is (with a warning when negative).
    #[default]
    Skip,
    /// `nonpositive_advantage`.
    Error,
}

/// The rules beside the scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policies {
    /// Tie rule.
    pub ties: TieRule,
    /// Unranked passes.
    pub unranked: UnrankedPolicy,
    /// Ranked failures.
    pub failing_rank: FailingRankPolicy,
    /// Passes with an advantage of 0 or less.
    pub nonpositive: NonpositivePolicy,
}

/// What the redistribution did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Advantages were moved.
    Redistributed,
    /// All weights equal or one credit holder: the input, bit for bit.
    Identity,
    /// No ranked passing trajectory with a positive advantage: the input, bit for bit.
    NoCredit,
}

impl Status {
    /// The word used in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Redistributed => "redistributed",
            Self::Identity => "identity",
            Self::NoCredit => "no_credit",
        }
    }
}

/// The twelve error kinds, in checking order (`advantage-math.md` 2.4). Helper A completes them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RedistributeError {
    /// The group is empty.
    #[error("the group has no trajectory")]
    EmptyGroup,
}

/// The result: all vectors have the group's length and order.
#[derive(Debug, Clone, PartialEq)]
pub struct Redistribution {
    /// Redistributed advantages.
    pub advantages: Vec<f64>,
    /// Weights; `None` outside the credit set.
    pub weights: Vec<Option<f64>>,
    /// Multipliers A'/A; 1 outside the credit set.
    pub multipliers: Vec<f64>,
    /// The common factor c = S/D; `None` without credit.
    pub scale: Option<f64>,
    /// What was done.
    pub status: Status,
    /// Warnings, by the words of the vectors.
    pub warnings: Vec<String>,
}

/// Redistributes base advantages by rank.
///
/// `advantages`, `passed` (and `lengths` when given) have the same length n ≥ 1. Always called with
/// the *base* advantages: applying it to its own result compounds the weights.
///
/// # Errors
/// See [`RedistributeError`]; the first kind in checking order.
pub fn redistribute(
    advantages: &[f64],
    passed: &[bool],
    ranking: Option<&Ranking>,
    scheme: &Scheme,
    policies: Policies,
) -> Result<Redistribution, RedistributeError> {
    let _ = (advantages, passed, ranking, scheme, policies);
    todo!("helper A")
}
