//! Sum-preserving redistribution of the passing advantages by rank (`advantage-math.md` section 2).
//!
//! What is *not* here: the weights by place ([`super::scheme`]) and the figures a reviewer is shown
//! ([`super::metrics`]).

use super::ranking::Ranking;
use super::scheme::Scheme;
use super::summation::Sum;

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

/// The twelve error kinds, in checking order (`advantage-math.md` 2.4).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RedistributeError {
    /// The group is empty.
    #[error("the group has no trajectory")]
    EmptyGroup,
    /// Pass flags or lengths do not match the advantages.
    #[error("{what}: {found} values for {expected} trajectories")]
    LengthMismatch {
        /// Which list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The number of advantages.
        expected: usize,
    },
    /// An advantage is NaN or infinite.
    #[error("the advantage of trajectory {0} is not a finite number")]
    NonFiniteAdvantage(usize),
    /// A length is negative or not finite.
    #[error("the length of trajectory {0} is not a finite number of at least 0")]
    BadLength(usize),
    /// An option has an unknown value.
    #[error("unknown option value {0:?}")]
    BadOption(String),
    /// The scheme or one of its parameters is not allowed.
    #[error("bad weight scheme: {0}")]
    BadScheme(String),
    /// A ranked index is outside the group.
    #[error("trajectory {0} is ranked but not in the group")]
    UnknownTrajectory(usize),
    /// A trajectory is ranked twice.
    #[error("trajectory {0} stands in the ranking twice")]
    DuplicateInRanking(usize),
    /// A trajectory that does not pass is ranked.
    #[error("trajectory {0} is ranked but does not pass")]
    RankOnFailing(usize),
    /// A passing trajectory is not ranked and the policy asks for all.
    #[error("trajectory {0} passes but is not ranked")]
    MissingRank(usize),
    /// A ranked pass has an advantage of 0 or less and the policy forbids it.
    #[error("trajectory {0} is ranked but its advantage is not positive")]
    NonpositiveAdvantage(usize),
    /// The weights leave no credit to hand out.
    #[error("the weights leave no credit: their advantage-weighted sum is 0")]
    ZeroWeightSum,
}

impl RedistributeError {
    /// The trajectory that the error is about, by its 0-based index, when it is about one.
    #[must_use]
    pub fn trajectory(&self) -> Option<usize> {
        match self {
            Self::NonFiniteAdvantage(index)
            | Self::BadLength(index)
            | Self::UnknownTrajectory(index)
            | Self::DuplicateInRanking(index)
            | Self::RankOnFailing(index)
            | Self::MissingRank(index)
            | Self::NonpositiveAdvantage(index) => Some(*index),
            _ => None,
        }
    }

    /// The kind's word (`empty_group`, `bad_scheme`, …).
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::EmptyGroup => "empty_group",
            Self::LengthMismatch { .. } => "length_mismatch",
            Self::NonFiniteAdvantage(_) => "non_finite_advantage",
            Self::BadLength(_) => "bad_length",
            Self::BadOption(_) => "bad_option",
            Self::BadScheme(_) => "bad_scheme",
            Self::UnknownTrajectory(_) => "unknown_trajectory",
            Self::DuplicateInRanking(_) => "duplicate_in_ranking",
            Self::RankOnFailing(_) => "rank_on_failing",
            Self::MissingRank(_) => "missing_rank",
            Self::NonpositiveAdvantage(_) => "nonpositive_advantage",
            Self::ZeroWeightSum => "zero_weight_sum",
        }
    }
}

/// Implements `FromStr` and `word` for an option enum.
macro_rules! option_words {
    ($name:ident { $($variant:ident => $word:literal),+ }) => {
        impl $name {
            /// The word used in files.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
        impl std::str::FromStr for $name {
            type Err = RedistributeError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(RedistributeError::BadOption(text.to_owned())),
                }
            }
        }
    };
}

option_words!(TieRule { Share => "share", Dense => "dense", Min => "min" });
option_words!(UnrankedPolicy { Keep => "keep", Last => "last", Error => "error" });
option_words!(FailingRankPolicy { Error => "error", Drop => "drop" });
option_words!(NonpositivePolicy { Skip => "skip", Error => "error" });

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
    let tiers = ranking.map_or(&[][..], Ranking::tiers);
    redistribute_tiers(advantages, passed, tiers, None, scheme, policies)
}

/// [`redistribute`] on raw tiers (any indices, empty tiers skipped) and optional lengths (tokens,
/// only checked here).
///
/// # Errors
/// See [`RedistributeError`]; the first kind in checking order.
pub fn redistribute_tiers(
    advantages: &[f64],
    passed: &[bool],
    tiers: &[Vec<usize>],
    lengths: Option<&[f64]>,
    scheme: &Scheme,
    policies: Policies,
) -> Result<Redistribution, RedistributeError> {
    let group = RankedGroup {
        advantages,
        passed,
        tiers,
        lengths,
    };
    let mut result = Redistribution::default();
    redistribute_into(
        group,
        scheme,
        policies,
        &mut Scratch::default(),
        &mut result,
    )?;
    Ok(result)
}

/// One group as the redistribution reads it; all slices but `tiers` have the group's length.
#[derive(Debug, Clone, Copy)]
pub struct RankedGroup<'a> {
    /// Base advantages.
    pub advantages: &'a [f64],
    /// Pass flags.
    pub passed: &'a [bool],
    /// Raw tiers of indices, best first.
    pub tiers: &'a [Vec<usize>],
    /// Lengths in tokens; only checked.
    pub lengths: Option<&'a [f64]>,
}

/// Buffers that [`redistribute_into`] reuses from group to group.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    seen: Vec<bool>,
    /// Credit set in ranking order.
    order: Vec<usize>,
    /// End of each non-empty tier within `order`.
    ends: Vec<usize>,
}

impl Default for Redistribution {
    fn default() -> Self {
        Self {
            advantages: Vec::new(),
            weights: Vec::new(),
            multipliers: Vec::new(),
            scale: None,
            status: Status::NoCredit,
            warnings: Vec::new(),
        }
    }
}

/// [`redistribute_tiers`] into buffers of the caller, for many groups in a row. On an error `result`
/// holds nothing meaningful.
///
/// # Errors
/// See [`RedistributeError`]; the first kind in checking order.
pub fn redistribute_into(
    group: RankedGroup<'_>,
    scheme: &Scheme,
    policies: Policies,
    scratch: &mut Scratch,
    result: &mut Redistribution,
) -> Result<(), RedistributeError> {
    let RankedGroup { advantages, .. } = group;
    let n = advantages.len();
    check_numbers(group)?;
    scheme.check()?;
    result.advantages.clear();
    result.advantages.extend_from_slice(advantages);
    result.weights.clear();
    result.weights.resize(n, None);
    result.multipliers.clear();
    result.multipliers.resize(n, 1.0);
    result.scale = None;
    result.status = Status::NoCredit;
    result.warnings.clear();

    collect_credit_set(group, policies, scratch, &mut result.warnings)?;
    let Scratch { order, ends, .. } = scratch;
    if order.is_empty() {
        return Ok(());
    }

    // Weights by tier; c = S/D. Extreme advantages are scaled so that no sum over- or underflows.
    let largest = order.iter().fold(0.0_f64, |max, &i| max.max(advantages[i]));
    let unit = if (1e-200..1e200).contains(&largest) {
        1.0
    } else {
        largest
    };
    let (mut sum, mut weighted) = (Sum::default(), Sum::default());
    let (mut start, mut first, mut equal) = (0, None, true);
    for (tier, &end) in ends.iter().enumerate() {
        let weight = tier_weight(
            scheme,
            policies.ties,
            tier,
            start..end,
            (order.len(), ends.len()),
        );
        equal &= *first.get_or_insert(weight) == weight;
        for &i in &order[start..end] {
            result.weights[i] = Some(weight);
            sum.add(advantages[i] / unit);
            weighted.add(weight * (advantages[i] / unit));
        }
        start = end;
    }
    let scale = sum.value() / weighted.value();
    if order.len() == 1 {
        result.status = Status::Identity;
        result.scale = scale.is_finite().then_some(scale);
        return Ok(());
    }
    if !(weighted.value() > 0.0 && scale.is_finite()) {
        return Err(RedistributeError::ZeroWeightSum);
    }
    result.scale = Some(scale);
    if equal {
        result.status = Status::Identity;
        return Ok(());
    }
    result.status = Status::Redistributed;
    for &i in order.iter() {
        if let Some(weight) = result.weights[i] {
            let multiplier = weight * scale;
            result.multipliers[i] = multiplier;
            result.advantages[i] = advantages[i] * multiplier;
        }
    }
    Ok(())
}

/// The checks that need no ranking.
fn check_numbers(group: RankedGroup<'_>) -> Result<(), RedistributeError> {
    let n = group.advantages.len();
    if n == 0 {
        return Err(RedistributeError::EmptyGroup);
    }
    let mismatch = |what, found| RedistributeError::LengthMismatch {
        what,
        found,
        expected: n,
    };
    if group.passed.len() != n {
        return Err(mismatch("pass flags", group.passed.len()));
    }
    if let Some(lengths) = group.lengths
        && lengths.len() != n
    {
        return Err(mismatch("lengths", lengths.len()));
    }
    if let Some(i) = group.advantages.iter().position(|a| !a.is_finite()) {
        return Err(RedistributeError::NonFiniteAdvantage(i));
    }
    let bad = |l: &f64| !(l.is_finite() && *l >= 0.0);
    if let Some(i) = group
        .lengths
        .and_then(|lengths| lengths.iter().position(bad))
    {
        return Err(RedistributeError::BadLength(i));
    }
    Ok(())
}

/// Fills the scratch with the credit set: passed, ranked, positive advantage; by tier.
fn collect_credit_set(
    group: RankedGroup<'_>,
    policies: Policies,
    scratch: &mut Scratch,
    warnings: &mut Vec<String>,
) -> Result<(), RedistributeError> {
    let RankedGroup {
        advantages,
        passed,
        tiers,
        ..
    } = group;
    let n = advantages.len();
    let Scratch { seen, order, ends } = scratch;
    seen.clear();
    seen.resize(n, false);
    order.clear();
    ends.clear();
    let (mut duplicate, mut failing, mut nonpositive, mut negative) = (None, None, None, false);
    for tier in tiers {
        for &i in tier {
            if i >= n {
                return Err(first_unknown(tiers, n));
            }
            if seen[i] {
                duplicate = duplicate.or(Some(i));
            } else if !passed[i] {
                failing = failing.or(Some(i));
            } else if advantages[i] > 0.0 {
                order.push(i);
            } else {
                nonpositive = nonpositive.or(Some(i));
                negative |= advantages[i] < 0.0;
            }
            seen[i] = true;
        }
        if ends.last().copied().unwrap_or(0) < order.len() {
            ends.push(order.len());
        }
    }
    if let Some(i) = duplicate {
        return Err(RedistributeError::DuplicateInRanking(i));
    }
    if let Some(i) = failing {
        if policies.failing_rank == FailingRankPolicy::Error {
            return Err(RedistributeError::RankOnFailing(i));
        }
        warnings.push("rank_on_failing_dropped".to_owned());
    }
    if let Some(i) = (0..n).find(|&i| passed[i] && !seen[i]) {
        match policies.unranked {
            UnrankedPolicy::Error => return Err(RedistributeError::MissingRank(i)),
            UnrankedPolicy::Keep => warnings.push("unranked_kept".to_owned()),
            UnrankedPolicy::Last => {
                warnings.push("unranked_placed_last".to_owned());
                for i in (0..n).filter(|&i| passed[i] && !seen[i]) {
                    if advantages[i] > 0.0 {
                        order.push(i);
                    } else {
                        nonpositive = nonpositive.or(Some(i));
                        negative |= advantages[i] < 0.0;
                    }
                }
                if ends.last().copied().unwrap_or(0) < order.len() {
                    ends.push(order.len());
                }
            }
        }
    }
    if let Some(i) = nonpositive
        && policies.nonpositive == NonpositivePolicy::Error
    {
        return Err(RedistributeError::NonpositiveAdvantage(i));
    }
    if negative {
        warnings.push("nonpositive_advantage_skipped".to_owned());
    }
    Ok(())
}

/// The first index outside the group, as the error.
fn first_unknown(tiers: &[Vec<usize>], n: usize) -> RedistributeError {
    let index = tiers
        .iter()
        .flatten()
        .copied()
        .find(|&i| i >= n)
        .unwrap_or(n);
    RedistributeError::UnknownTrajectory(index)
}

/// Weight of a tier that covers `places` of (credit holders, tiers).
#[expect(clippy::cast_precision_loss, reason = "places are small whole numbers")]
fn tier_weight(
    scheme: &Scheme,
    ties: TieRule,
    tier: usize,
    places: std::ops::Range<usize>,
    (holders, tiers): (usize, usize),
) -> f64 {
    match ties {
        TieRule::Dense => scheme.weight(tier, tiers),
        TieRule::Min => scheme.weight(places.start, holders),
        TieRule::Share => {
            let best = scheme.weight(places.start, holders);
            let width = places.len();
            if width < 2 {
                return best;
            }
            // As a difference from the first: exact when all are equal.
            let rest: f64 = places
                .skip(1)
                .map(|place| scheme.weight(place, holders) - best)
                .sum();
            best + rest / width as f64
        }
    }
}
