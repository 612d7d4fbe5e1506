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

impl Default for Scheme {
    fn default() -> Self {
        Self::Linear { floor: 0.5 }
    }
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Uniform => f.write_str("uniform"),
            Self::Linear { floor } => write!(f, "linear:floor={floor}"),
            Self::Geometric { gamma } => write!(f, "geometric:gamma={gamma}"),
            Self::Reciprocal => f.write_str("reciprocal"),
            Self::Dcg => f.write_str("dcg"),
            Self::Bottom { fraction, factor } => {
                write!(f, "bottom:fraction={fraction},factor={factor}")
            }
            Self::BelowMedian { factor } => write!(f, "below_median:factor={factor}"),
            Self::Top { k, rest } => write!(f, "top:k={k},rest={rest}"),
            Self::Table(weights) => {
                f.write_str("table:")?;
                for (position, weight) in weights.iter().enumerate() {
                    let comma = if position == 0 { "" } else { "," };
                    write!(f, "{comma}{weight}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::str::FromStr for Scheme {
    type Err = RedistributeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |why: String| RedistributeError::BadScheme(why);
        let (name, rest) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        let number = |value: &str| {
            value
                .trim()
                .parse::<f64>()
                .map_err(|_| bad(format!("{value:?} is not a number")))
        };
        if name == "table" {
            let weights = rest
                .split(',')
                .filter(|v| !v.trim().is_empty())
                .map(number)
                .collect::<Result<_, _>>()?;
            let scheme = Self::Table(weights);
            scheme.check()?;
            return Ok(scheme);
        }
        let mut options = Vec::new();
        for part in rest.split(',').filter(|part| !part.trim().is_empty()) {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| bad(format!("{part:?} is not key=value")))?;
            options.push((key.trim(), number(value)?));
        }
        let allowed: &[&str] = match name {
            "uniform" | "reciprocal" | "dcg" => &[],
            "linear" => &["floor"],
            "geometric" => &["gamma"],
            "bottom" => &["fraction", "factor"],
            "below_median" => &["factor"],
            "top" => &["k", "rest"],
            _ => return Err(bad(format!("no scheme is called {name:?}"))),
        };
        if let Some((key, _)) = options.iter().find(|(key, _)| !allowed.contains(key)) {
            return Err(bad(format!("{name} has no parameter {key:?}")));
        }
        let given = |key: &str| {
            options
                .iter()
                .rev()
                .find(|(k, _)| *k == key)
                .map(|(_, v)| *v)
        };
        let needed = |key: &str| given(key).ok_or_else(|| bad(format!("{name} needs {key}=…")));
        let scheme = match name {
            "linear" => Self::Linear {
                floor: given("floor").unwrap_or(0.5),
            },
            "geometric" => Self::Geometric {
                gamma: needed("gamma")?,
            },
            "bottom" => Self::Bottom {
                fraction: needed("fraction")?,
                factor: needed("factor")?,
            },
            "below_median" => Self::BelowMedian {
                factor: given("factor").unwrap_or(0.5),
            },
            "top" => {
                let k = given("k").unwrap_or(1.0);
                if k.fract() != 0.0 || !k.is_finite() {
                    return Err(bad("top: k is not a whole number".to_owned()));
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a whole number, saturating"
                )]
                Self::Top {
                    k: k as i64,
                    rest: given("rest").unwrap_or(0.0),
                }
            }
            "reciprocal" => Self::Reciprocal,
            "dcg" => Self::Dcg,
            _ => Self::Uniform,
        };
        scheme.check()?;
        Ok(scheme)
    }
}

impl Scheme {
    /// Checks the parameters' ranges.
    ///
    /// # Errors
    /// [`RedistributeError::BadScheme`].
    pub fn check(&self) -> Result<(), RedistributeError> {
        let unit = |name: &str, value: f64| {
            if (0.0..=1.0).contains(&value) {
                Ok(())
            } else {
                Err(RedistributeError::BadScheme(format!(
                    "{name} = {value} is not in 0..=1"
                )))
            }
        };
        match self {
            Self::Uniform | Self::Reciprocal | Self::Dcg => Ok(()),
            Self::Linear { floor } => unit("floor", *floor),
            Self::Geometric { gamma } if *gamma == 0.0 => Err(RedistributeError::BadScheme(
                "gamma = 0 is not in (0, 1]".to_owned(),
            )),
            Self::Geometric { gamma } => unit("gamma", *gamma),
            Self::Bottom { fraction, factor } => {
                unit("fraction", *fraction)?;
                unit("factor", *factor)
            }
            Self::BelowMedian { factor } => unit("factor", *factor),
            Self::Top { k, .. } if *k < 1 => Err(RedistributeError::BadScheme(format!(
                "k = {k} is less than 1"
            ))),
            Self::Top { rest, .. } => unit("rest", *rest),
            Self::Table(weights) if weights.is_empty() => Err(RedistributeError::BadScheme(
                "the table is empty".to_owned(),
            )),
            Self::Table(weights) => match weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
                Some(weight) => Err(RedistributeError::BadScheme(format!(
                    "table weight {weight} is not a finite number of at least 0"
                ))),
                None => Ok(()),
            },
        }
    }

    /// Weight of a place (0 = best) among `places` places.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "places are small non-negative whole numbers"
    )]
    pub fn weight(&self, place: usize, places: usize) -> f64 {
        let bottom = |fraction: f64, factor: f64| {
            let count = (fraction * places as f64 + 1e-9).floor() as usize;
            if place + count >= places { factor } else { 1.0 }
        };
        match self {
            Self::Uniform => 1.0,
            Self::Linear { .. } if places < 2 => 1.0,
            Self::Linear { floor } => 1.0 - (1.0 - floor) * place as f64 / (places - 1) as f64,
            Self::Geometric { gamma } => gamma.powf(place as f64),
            Self::Reciprocal => 1.0 / (place + 1) as f64,
            Self::Dcg => 1.0 / ((place + 2) as f64).log2(),
            Self::Bottom { fraction, factor } => bottom(*fraction, *factor),
            Self::BelowMedian { factor } => bottom(0.5, *factor),
            Self::Top { k, rest } => {
                if i64::try_from(place).is_ok_and(|place| place < *k) {
                    1.0
                } else {
                    *rest
                }
            }
            Self::Table(weights) => weights
                .get(place)
                .or(weights.last())
                .copied()
                .unwrap_or(1.0),
        }
    }

    /// Whether a worse place can weigh more than a better one (only a table can).
    #[must_use]
    pub fn rises(&self) -> bool {
        matches!(self, Self::Table(weights) if weights.windows(2).any(|pair| pair[1] > pair[0]))
    }
}

/// Running Neumaier sum: the error stays near one rounding whatever the order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    total: f64,
    lost: f64,
}

impl Sum {
    pub(super) fn add(&mut self, value: f64) {
        let next = self.total + value;
        self.lost += if self.total.abs() >= value.abs() {
            (self.total - next) + value
        } else {
            (value - next) + self.total
        };
        self.total = next;
    }

    pub(super) fn value(self) -> f64 {
        self.total + self.lost
    }

    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> f64 {
        let mut sum = Self::default();
        for value in values {
            sum.add(value);
        }
        sum.value()
    }
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

/// Length figures of a group before and after (`advantage-math.md` 2.7).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LengthMetrics {
    /// Credit-weighted mean length before and after, in tokens.
    pub credit_length: (f64, f64),
    /// First-order push on the mean length, (1/n) Σ A (L - mean L), before and after.
    pub pressure: (f64, f64),
    /// Σ L A' / Σ L A over the credit; `None` when every length is 0.
    pub token_credit_ratio: Option<f64>,
}

/// Figures about the credit: passing trajectories with a positive base advantage.
#[derive(Debug, Clone, PartialEq)]
pub struct CreditMetrics {
    /// Share of the credit before; `None` outside it.
    pub share_before: Vec<Option<f64>>,
    /// Share of the credit after; `None` outside it.
    pub share_after: Vec<Option<f64>>,
    /// Effective number of trajectories, 1 / Σ share², before and after.
    pub n_eff: (f64, f64),
    /// Entropy of the shares in nats, before and after.
    pub entropy: (f64, f64),
    /// Largest multiplier.
    pub max_boost: f64,
    /// Smallest multiplier.
    pub min_boost: f64,
    /// Half the L1 distance between the shares, in 0..=1.
    pub credit_moved: f64,
    /// Σ A'² / Σ A² over the group.
    pub variance_inflation: f64,
    /// Length figures, when lengths are known.
    pub length: Option<LengthMetrics>,
}

/// What a reviewer is shown of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct Metrics {
    /// Sum over passing trajectories, before and after.
    pub sum_passing: (f64, f64),
    /// Sum over the group, before and after.
    pub sum_group: (f64, f64),
    /// `None` when no passing trajectory has a positive advantage.
    pub credit: Option<CreditMetrics>,
}

/// Returns the figures of a redistribution. `before`, `after`, `passed` and `lengths` (tokens) have
/// the group's length; entries beyond the shortest are not read.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    reason = "group sizes are small whole numbers"
)]
pub fn metrics(before: &[f64], after: &[f64], passed: &[bool], lengths: Option<&[f64]>) -> Metrics {
    let passing = |values: &[f64]| {
        Sum::of(
            values
                .iter()
                .zip(passed)
                .filter(|(_, pass)| **pass)
                .map(|(value, _)| *value),
        )
    };
    let group = |values: &[f64]| Sum::of(values.iter().copied());
    let holders: Vec<usize> = (0..before.len().min(after.len()).min(passed.len()))
        .filter(|&i| passed[i] && before[i] > 0.0)
        .collect();
    let credit = (!holders.is_empty()).then(|| {
        let share_before = shares(before, &holders);
        let share_after = shares(after, &holders);
        let per_holder =
            |all: &[Option<f64>]| -> Vec<f64> { all.iter().flatten().copied().collect() };
        let (b, a) = (per_holder(&share_before), per_holder(&share_after));
        let n_eff = |s: &[f64]| 1.0 / Sum::of(s.iter().map(|x| x * x));
        let entropy =
            |s: &[f64]| Sum::of(s.iter().filter(|x| **x > 0.0).map(|x| -x * x.ln())).max(0.0);
        let boosts = || holders.iter().map(|&i| after[i] / before[i]);
        let largest = before
            .iter()
            .chain(after)
            .fold(0.0_f64, |max, x| max.max(x.abs()));
        let square = |s: &[f64]| Sum::of(s.iter().map(|x| (x / largest) * (x / largest)));
        let length = lengths.map(|lengths| {
            let mean = group(lengths) / lengths.len().max(1) as f64;
            let at = |s: &[f64]| Sum::of(s.iter().zip(&holders).map(|(x, &i)| x * lengths[i]));
            let pressure = |s: &[f64]| {
                Sum::of(s.iter().zip(lengths).map(|(x, l)| x * (l - mean))) / s.len() as f64
            };
            let tokens = (at(&b), at(&a));
            LengthMetrics {
                credit_length: tokens,
                pressure: (pressure(before), pressure(after)),
                token_credit_ratio: (tokens.0 > 0.0).then(|| tokens.1 / tokens.0),
            }
        });
        CreditMetrics {
            n_eff: (n_eff(&b), n_eff(&a)),
            entropy: (entropy(&b), entropy(&a)),
            max_boost: boosts().fold(f64::NEG_INFINITY, f64::max),
            min_boost: boosts().fold(f64::INFINITY, f64::min),
            credit_moved: 0.5 * Sum::of(b.iter().zip(&a).map(|(x, y)| (y - x).abs())),
            variance_inflation: square(after) / square(before),
            length,
            share_before,
            share_after,
        }
    });
    Metrics {
        sum_passing: (passing(before), passing(after)),
        sum_group: (group(before), group(after)),
        credit,
    }
}

/// Shares of the holders in their sum, scaled by the largest so that nothing overflows.
fn shares(values: &[f64], holders: &[usize]) -> Vec<Option<f64>> {
    let largest = holders
        .iter()
        .fold(f64::MIN_POSITIVE, |max, &i| max.max(values[i]));
    let sum = Sum::of(holders.iter().map(|&i| values[i] / largest));
    let mut all = vec![None; values.len()];
    for &i in holders {
        all[i] = Some(values[i] / largest / sum);
    }
    all
}

/// Returns the reward that would have earned the redistributed advantage, in reward units: the
/// group mean plus the distance from it times the multiplier.
#[must_use]
pub fn equivalent_reward(reward: f64, group_mean: f64, multiplier: f64) -> f64 {
    group_mean + (reward - group_mean) * multiplier
}
