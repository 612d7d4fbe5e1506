//! Group-relative advantages as the trainers compute them (`advantage-math.md` section 1).
//!
//! What is *not* here: redistribution by rank ([`super::redistribution`]) and the choice of groups
//! to train on ([`super::GroupClass`]).

use super::summation::Sum;

/// What an estimator needs of one group; all slices have the group's length.
#[derive(Debug, Clone, Copy)]
pub struct GroupRewards<'a> {
    /// Rewards; `None` = unscored: out of the statistics, advantage 0.
    pub rewards: &'a [Option<f64>],
    /// Loss-token counts, when every scored trajectory has one.
    pub lengths: Option<&'a [f64]>,
    /// Advantages from the file, for the estimator `file`.
    pub recorded: &'a [Option<f64>],
}

/// What a lone scored trajectory gets.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Lone {
    Zero,
    /// Its reward.
    Reward,
    /// Its reward over 1 + eps: the framework takes mean 0 and deviation 1.
    RewardOverEps,
}

/// Which standard deviation divides.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Deviation {
    None,
    /// Over n - 1.
    Sample,
    /// Over n.
    Population,
}

/// The formula of a preset, without its eps.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    /// (r - m) / (s + eps).
    Mean(Deviation, Lone),
    /// r - mean of the others.
    LeaveOneOut(Lone),
    /// As above, over the deviation of its own results plus eps (`AReaL`).
    LeaveOneOutNormed,
    /// r - mean of the others, over the sample deviation of the others plus eps (`NeMo-RL`).
    OthersNormed,
    /// (r - m) / (m + eps).
    OverMean(Lone),
    /// (r - m) / m, 0 when m <= 0.
    OverPositiveMean,
    /// r - length-weighted mean.
    LengthBaseline,
    /// The best gets its lead over the second, others 0.
    BestOnly(Deviation),
    /// (r - m) times (rewards of the batch / non-zero rewards).
    NonzeroScaled,
    /// (r - m) / (deviation of the batch's rewards + eps).
    BatchDeviation,
    /// (r - m) / (deviation of the batch's r - m, plus eps).
    BatchCentredDeviation,
    /// (r - mean of the batch) / (deviation of the batch + eps).
    Pooled(Deviation),
    /// r - m, then standardised over the batch's trajectories.
    Whitened,
    /// r (or r - m), then standardised over the batch's tokens, unbiased variance + eps.
    TokenWhitened { centred: bool },
    /// r - m, then standardised over the batch's tokens, population variance of at least eps.
    TokenStandardised,
    /// As recorded in the file.
    File,
}

/// A preset: name, default eps (`None` = the formula has none), rule.
struct Preset {
    eps: Option<f64>,
    rule: Rule,
}

/// Declares the presets and their table together, so that they cannot drift apart.
macro_rules! presets {
    ($($name:literal, $eps:expr, $rule:expr, $doc:literal;)+) => {
        const PRESETS: &[Preset] = &[$(Preset { eps: $eps, rule: $rule }),+];
        const INFO: &[EstimatorInfo] = &[$(EstimatorInfo { name: $name, doc: $doc }),+];
    };
}

use Deviation::{Population, Sample};
use Lone::{Reward, RewardOverEps, Zero};
use Rule::{LeaveOneOut, Mean};

presets! {
    "verl", Some(1e-6), Mean(Sample, RewardOverEps), "(r-m)/(s+eps), verl grpo; a lone pass keeps its reward";
    "sample", Some(1e-6), Mean(Sample, Zero), "(r-m)/(s+eps), sample deviation";
    "population", Some(1e-6), Mean(Population, Zero), "(r-m)/(p+eps), population deviation";
    "none", None, Mean(Deviation::None, Zero), "r-m, no division (Dr.GRPO)";
    "loo", None, LeaveOneOut(Zero), "r - mean of the others";
    "file", None, Rule::File, "the advantages recorded in the file";
    "verl-nostd", None, Mean(Deviation::None, Reward), "r-m, verl grpo without norm_adv_by_std_in_grpo";
    "verl-vectorized", Some(1e-6), Mean(Sample, RewardOverEps), "(r-m)/(s+eps), verl grpo_vectorized";
    "verl-rloo", None, LeaveOneOut(Reward), "n/(n-1)(r-m), verl rloo; a lone one keeps its reward";
    "verl-rloo-vectorized", None, LeaveOneOut(Zero), "n/(n-1)(r-m), verl rloo_vectorized";
    "verl-opo", None, Rule::LengthBaseline, "r - length-weighted mean, verl opo";
    "verl-gpg", None, Rule::NonzeroScaled, "(r-m) N/nonzero over the batch, verl gpg";
    "verl-passk", Some(1e-6), Rule::BestOnly(Sample), "best: (r1-r2)/(s+eps), others 0, verl grpo_passk";
    "verl-passk-nostd", None, Rule::BestOnly(Deviation::None), "best: r1-r2, others 0, verl grpo_passk without std";
    "verl-reinforce++-baseline", Some(1e-8), Rule::TokenWhitened { centred: true }, "r-m, whitened over the batch's tokens, verl";
    "verl-reinforce++", Some(1e-8), Rule::TokenWhitened { centred: false }, "r, whitened over the batch's tokens, verl (gamma 1)";
    "trl", Some(1e-4), Mean(Sample, Zero), "(r-m)/(s+eps), TRL scale_rewards=group";
    "trl-batch", Some(1e-4), Rule::BatchDeviation, "(r-m)/(s of the batch + eps), TRL scale_rewards=batch";
    "trl-none", None, Mean(Deviation::None, Zero), "r-m, TRL scale_rewards=none";
    "trl-async", Some(1e-8), Mean(Population, Zero), "(r-m)/(p+eps), TRL async_grpo";
    "openrlhf", Some(1e-9), Mean(Sample, Zero), "(r-m)/(s+eps), OpenRLHF group_norm";
    "openrlhf-dr-grpo", None, Mean(Deviation::None, Zero), "r-m, OpenRLHF dr_grpo";
    "openrlhf-rloo", None, LeaveOneOut(Zero), "r - mean of the others, OpenRLHF rloo";
    "openrlhf-reinforce-baseline", Some(1e-8), Rule::TokenStandardised, "r-m, z-score over the batch's tokens, OpenRLHF";
    "slime", Some(1e-6), Mean(Sample, Zero), "(r-m)/(s+eps), slime grpo and gspo";
    "slime-nostd", None, Mean(Deviation::None, Zero), "r-m, slime without std normalisation";
    "slime-pool", Some(1e-6), Rule::Pooled(Sample), "the whole batch as one group: slime with a ragged batch";
    "skyrl", Some(1e-6), Mean(Sample, RewardOverEps), "(r-m)/(s+eps), SkyRL grpo";
    "skyrl-nostd", None, Mean(Deviation::None, Reward), "r-m, SkyRL grpo without std";
    "skyrl-rloo", None, LeaveOneOut(Zero), "n/(n-1)(r-m), SkyRL rloo";
    "skyrl-maxrl", Some(1e-6), Rule::OverMean(Reward), "(r-m)/(m+eps), SkyRL maxrl";
    "prime-rl", None, Mean(Deviation::None, Zero), "r-m, prime-rl grpo";
    "prime-rl-maxrl", None, Rule::OverPositiveMean, "(r-m)/m, 0 if m<=0, prime-rl max_rl";
    "rllm", Some(1e-6), Mean(Population, RewardOverEps), "(r-m)/(p+eps), rLLM grpo";
    "rllm-nostd", None, Mean(Deviation::None, Reward), "r-m, rLLM grpo without std";
    "rllm-rloo", None, LeaveOneOut(Reward), "n/(n-1)(r-m), rLLM rloo";
    "rllm-prpo", Some(1e-6), Rule::Pooled(Population), "(r-M)/(P+eps) over the batch, rLLM prpo";
    "rllm-reinforce++-baseline", Some(1e-6), Rule::Whitened, "r-m, standardised over the batch, rLLM";
    "areal", Some(1e-5), Mean(Sample, Zero), "(r-m)/(s+eps), AReaL group norm";
    "areal-biased", Some(1e-5), Mean(Population, Zero), "(r-m)/(p+eps), AReaL with std_unbiased off";
    "areal-nostd", None, Mean(Deviation::None, Zero), "r-m, AReaL without std";
    "areal-loo", Some(1e-5), Rule::LeaveOneOutNormed, "r - mean of the others, over its deviation, AReaL";
    "areal-batch-std", Some(1e-5), Rule::BatchCentredDeviation, "r-m over the batch's deviation, AReaL";
    "areal-batch", Some(1e-5), Rule::Pooled(Sample), "(r-M)/(S+eps) over the batch, AReaL";
    "nemo-rl", Some(1e-6), Rule::OthersNormed, "(r - mean of others)/(s of others + eps), NeMo-RL default";
    "nemo-rl-no-loo", Some(1e-6), Mean(Sample, Zero), "(r-m)/(s+eps), NeMo-RL without leave-one-out";
    "nemo-rl-loo", None, LeaveOneOut(Zero), "r - mean of the others, NeMo-RL without normalisation";
    "nemo-rl-none", None, Mean(Deviation::None, Zero), "r-m, NeMo-RL with both off";
}

/// A named way to turn rewards into advantages, with its options. Parsed from and printed as
/// `verl`, `sample:eps=1e-6`, `file`, ….
#[derive(Debug, Clone, PartialEq)]
pub struct Estimator {
    /// Row of [`Estimator::TABLE`].
    preset: usize,
    /// Added to the divisor; 0 when the formula has none.
    eps: f64,
}

/// Why an advantage cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AdvantageError {
    /// No preset has this name.
    #[error("no advantage estimator is called {0:?}")]
    UnknownEstimator(String),
    /// An option is unknown or its value is not allowed.
    #[error(
        "bad estimator option {0:?} (eps=NUMBER, finite and at least 0, where the formula has one)"
    )]
    BadOption(String),
    /// A list does not have the group's length.
    #[error("{what}: {found} values for {expected} trajectories")]
    LengthMismatch {
        /// Which list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The number of rewards.
        expected: usize,
    },
    /// A reward is NaN or infinite.
    #[error("the reward of trajectory {0} is not a finite number")]
    NonFiniteReward(usize),
    /// The estimator weighs by length and a length is missing or not allowed.
    #[error("{0} needs the loss-token count of every scored trajectory")]
    NeedsLengths(&'static str),
    /// `file` without a recorded advantage for a scored trajectory.
    #[error("the file records no advantage for trajectory {0}")]
    NotRecorded(usize),
    /// The group has too few scored trajectories for the formula.
    #[error("{0} needs at least two scored trajectories")]
    TooFew(&'static str),
}

impl AdvantageError {
    /// The trajectory that the error is about, by its 0-based index, when it is about one.
    #[must_use]
    pub fn trajectory(&self) -> Option<usize> {
        match self {
            Self::NonFiniteReward(index) | Self::NotRecorded(index) => Some(*index),
            Self::UnknownEstimator(_)
            | Self::BadOption(_)
            | Self::LengthMismatch { .. }
            | Self::NeedsLengths(_)
            | Self::TooFew(_) => None,
        }
    }
}

/// One row of the table of estimators.
#[derive(Debug, Clone, Copy)]
pub struct EstimatorInfo {
    /// Name, as typed.
    pub name: &'static str,
    /// One line: the formula and the framework it is from.
    pub doc: &'static str,
}

/// Mean and deviation of the scored rewards.
#[derive(Debug, Clone, Copy)]
struct Stats {
    count: usize,
    mean: f64,
    deviation: f64,
    all_equal: bool,
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn float(count: usize) -> f64 {
    count as f64
}

/// Statistics of the values; a deviation of fewer than two values is 0.
fn stats(values: impl Iterator<Item = f64> + Clone, deviation: Deviation) -> Stats {
    let (mut sum, mut count) = (Sum::default(), 0);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.clone() {
        sum.add(value);
        count += 1;
        low = low.min(value);
        high = high.max(value);
    }
    let mean = if count == 0 {
        0.0
    } else {
        sum.value() / float(count)
    };
    let divisor = match deviation {
        Deviation::None => 0,
        Deviation::Sample => count.saturating_sub(1),
        Deviation::Population => count,
    };
    let deviation = if divisor == 0 {
        0.0
    } else {
        (Sum::of(values.map(|value| (value - mean) * (value - mean))) / float(divisor)).sqrt()
    };
    Stats {
        count,
        mean,
        deviation,
        all_equal: low >= high,
    }
}

/// 0/0 is 0: equal rewards carry no signal.
fn ratio(above: f64, below: f64) -> f64 {
    if above == 0.0 { 0.0 } else { above / below }
}

impl Estimator {
    /// Every estimator by name, in the order of the schedule screen; the first is the default.
    pub const TABLE: &'static [EstimatorInfo] = INFO;

    /// The name, without options.
    #[must_use]
    pub fn name(&self) -> &'static str {
        INFO[self.preset].name
    }

    /// What is added to the divisor; `None` when the formula has no such term.
    #[must_use]
    pub fn eps(&self) -> Option<f64> {
        PRESETS[self.preset].eps.map(|_| self.eps)
    }

    /// Returns the estimator with another eps.
    ///
    /// # Errors
    /// [`AdvantageError::BadOption`] when the formula has none or the value is negative or not
    /// finite.
    pub fn with_eps(mut self, eps: f64) -> Result<Self, AdvantageError> {
        if PRESETS[self.preset].eps.is_none() || !eps.is_finite() || eps < 0.0 {
            return Err(AdvantageError::BadOption(format!("eps={eps}")));
        }
        self.eps = eps;
        Ok(self)
    }

    fn rule(&self) -> Rule {
        PRESETS[self.preset].rule
    }

    /// Whether an advantage depends on the whole batch of groups, not on the group alone.
    #[must_use]
    pub fn is_batch_level(&self) -> bool {
        matches!(
            self.rule(),
            Rule::NonzeroScaled
                | Rule::BatchDeviation
                | Rule::BatchCentredDeviation
                | Rule::Pooled(_)
                | Rule::Whitened
                | Rule::TokenWhitened { .. }
                | Rule::TokenStandardised
        )
    }

    /// Returns one advantage per trajectory, in group order, 0 for unscored ones. A batch-level
    /// estimator takes the group for the whole batch.
    ///
    /// # Errors
    /// See [`AdvantageError`].
    pub fn advantages(&self, group: &GroupRewards<'_>) -> Result<Vec<f64>, AdvantageError> {
        if self.is_batch_level() {
            let mut all = self.batch_advantages(std::slice::from_ref(group))?;
            return Ok(all.pop().unwrap_or_default());
        }
        let mut result = Vec::new();
        self.advantages_into(group, &mut result)?;
        Ok(result)
    }

    /// Returns the advantages of every group of a batch, in order. The same as
    /// [`Self::advantages`] per group unless [`Self::is_batch_level`].
    ///
    /// # Errors
    /// See [`AdvantageError`].
    pub fn batch_advantages(
        &self,
        groups: &[GroupRewards<'_>],
    ) -> Result<Vec<Vec<f64>>, AdvantageError> {
        if !self.is_batch_level() {
            return groups.iter().map(|group| self.advantages(group)).collect();
        }
        // Step 1: the group-level part, r or r - m.
        let centre = match self.rule() {
            Rule::Pooled(_) | Rule::TokenWhitened { centred: false } => None,
            Rule::NonzeroScaled | Rule::TokenWhitened { .. } => Some(Mean(Deviation::None, Reward)),
            _ => Some(Mean(Deviation::None, Zero)),
        };
        let mut all = Vec::with_capacity(groups.len());
        for group in groups {
            let mut values = Vec::new();
            match centre {
                Some(rule) => self.apply(rule, group, &mut values)?,
                None => {
                    check(group)?;
                    values.extend(group.rewards.iter().map(|reward| reward.unwrap_or(0.0)));
                }
            }
            all.push(values);
        }
        self.finish_batch(groups, &mut all)?;
        Ok(all)
    }

    /// Step 2 of a batch-level rule: what depends on all groups.
    fn finish_batch(
        &self,
        groups: &[GroupRewards<'_>],
        all: &mut [Vec<f64>],
    ) -> Result<(), AdvantageError> {
        let rewards = groups
            .iter()
            .flat_map(|group| group.rewards)
            .filter_map(|reward| *reward);
        let scored: Vec<f64> = groups
            .iter()
            .zip(all.iter())
            .flat_map(|(group, values)| group.rewards.iter().zip(values))
            .filter(|(reward, _)| reward.is_some())
            .map(|(_, value)| *value)
            .collect();
        let eps = self.eps;
        let (shift, divisor) = match self.rule() {
            Rule::NonzeroScaled => {
                let nonzero = rewards
                    .clone()
                    .filter(|reward| *reward != 0.0)
                    .count()
                    .max(1);
                (0.0, float(nonzero) / float(rewards.count().max(1)))
            }
            Rule::BatchDeviation => (0.0, stats(rewards, Sample).deviation + eps),
            Rule::BatchCentredDeviation => {
                (0.0, stats(scored.iter().copied(), Sample).deviation + eps)
            }
            Rule::Pooled(deviation) => {
                let pool = stats(scored.iter().copied(), deviation);
                if pool.all_equal {
                    all.iter_mut().flatten().for_each(|value| *value = 0.0);
                    return Ok(());
                }
                (pool.mean, pool.deviation + eps)
            }
            Rule::Whitened => {
                let pool = stats(scored.iter().copied(), Population);
                (pool.mean, pool.deviation + eps)
            }
            rule => self.token_moments(rule, groups, &scored)?,
        };
        for (group, values) in groups.iter().zip(all) {
            for (reward, value) in group.rewards.iter().zip(values) {
                *value = if reward.is_some() {
                    ratio(*value - shift, divisor)
                } else {
                    0.0
                };
            }
        }
        Ok(())
    }

    /// Token-weighted mean and divisor of the values of the scored trajectories.
    fn token_moments(
        &self,
        rule: Rule,
        groups: &[GroupRewards<'_>],
        scored: &[f64],
    ) -> Result<(f64, f64), AdvantageError> {
        let mut tokens = Vec::with_capacity(scored.len());
        for group in groups {
            let lengths = self.lengths(group)?;
            let known = group
                .rewards
                .iter()
                .zip(lengths)
                .filter(|(reward, _)| reward.is_some());
            tokens.extend(known.map(|(_, length)| *length));
        }
        let total = Sum::of(tokens.iter().copied());
        if total <= 0.0 {
            return Err(AdvantageError::NeedsLengths(self.name()));
        }
        let weighted = |power: &dyn Fn(f64) -> f64| {
            Sum::of(
                scored
                    .iter()
                    .zip(&tokens)
                    .map(|(value, tokens)| power(*value) * tokens),
            ) / total
        };
        let mean = weighted(&|value| value);
        let variance = weighted(&|value| (value - mean) * (value - mean));
        let divisor = if rule == Rule::TokenStandardised {
            variance.max(self.eps).sqrt()
        } else {
            let unbiased = if total > 1.0 {
                variance * total / (total - 1.0)
            } else {
                variance
            };
            (unbiased + self.eps).sqrt()
        };
        Ok((mean, divisor))
    }

    /// The group's lengths, checked.
    fn lengths<'a>(&self, group: &GroupRewards<'a>) -> Result<&'a [f64], AdvantageError> {
        let missing = AdvantageError::NeedsLengths(self.name());
        let lengths = group.lengths.ok_or(missing.clone())?;
        let bad = |(reward, length): (&Option<f64>, &f64)| {
            reward.is_some() && !(length.is_finite() && *length >= 0.0)
        };
        if group.rewards.iter().zip(lengths).any(bad) {
            Err(missing)
        } else {
            Ok(lengths)
        }
    }

    /// [`Self::advantages`] into a buffer of the caller (cleared first), for many groups in a row.
    ///
    /// # Errors
    /// See [`AdvantageError`].
    pub fn advantages_into(
        &self,
        group: &GroupRewards<'_>,
        result: &mut Vec<f64>,
    ) -> Result<(), AdvantageError> {
        if self.is_batch_level() {
            *result = self.advantages(group)?;
            return Ok(());
        }
        result.clear();
        self.apply(self.rule(), group, result)
    }

    /// A group-level rule; appends to `result`.
    fn apply(
        &self,
        rule: Rule,
        group: &GroupRewards<'_>,
        result: &mut Vec<f64>,
    ) -> Result<(), AdvantageError> {
        check(group)?;
        if rule == Rule::File {
            return recorded(group, result);
        }
        let deviation = match rule {
            Mean(deviation, _) | Rule::BestOnly(deviation) => deviation,
            _ => Deviation::None,
        };
        let stats = stats(group.rewards.iter().filter_map(|reward| *reward), deviation);
        let eps = self.eps;
        let lone = match rule {
            Mean(_, lone) | LeaveOneOut(lone) | Rule::OverMean(lone) => lone,
            Rule::LeaveOneOutNormed => RewardOverEps,
            Rule::LengthBaseline => Reward,
            Rule::BestOnly(_) if stats.count == 1 => {
                return Err(AdvantageError::TooFew(self.name()));
            }
            _ => Zero,
        };
        let mut each = |value: &dyn Fn(usize, f64) -> f64| {
            let rewards = group.rewards.iter().enumerate();
            result.extend(rewards.map(|(i, reward)| reward.map_or(0.0, |r| value(i, r))));
        };
        if stats.count == 1 {
            each(&|_, r| match lone {
                Zero => 0.0,
                Reward => r,
                RewardOverEps => r / (1.0 + eps),
            });
            return Ok(());
        }
        // Exactly 0: rounding of the mean must not become a signal (`advantage-math.md` 1.4).
        if stats.all_equal {
            each(&|_, _| 0.0);
            return Ok(());
        }
        let mean = stats.mean;
        let share = float(stats.count) / (float(stats.count) - 1.0);
        match rule {
            Mean(Deviation::None, _) => each(&|_, r| r - mean),
            Mean(..) => {
                let divisor = stats.deviation + eps;
                each(&|_, r| (r - mean) / divisor);
            }
            LeaveOneOut(_) => each(&|_, r| share * (r - mean)),
            Rule::LeaveOneOutNormed => {
                let centred = group.rewards.iter().flatten().map(|r| share * (r - mean));
                let divisor = self::stats(centred, Sample).deviation + eps;
                each(&|_, r| share * (r - mean) / divisor);
            }
            Rule::OthersNormed => each(&|i, r| others_normed(group, i, r, eps)),
            Rule::OverMean(_) => each(&|_, r| (r - mean) / (mean + eps)),
            Rule::OverPositiveMean => {
                each(&|_, r| if mean > 0.0 { (r - mean) / mean } else { 0.0 });
            }
            Rule::LengthBaseline => {
                let lengths = self.lengths(group)?;
                let scored = || {
                    group
                        .rewards
                        .iter()
                        .zip(lengths)
                        .filter_map(|(r, l)| Some(((*r)?, *l)))
                };
                let total = Sum::of(scored().map(|(_, l)| l));
                if total <= 0.0 {
                    return Err(AdvantageError::NeedsLengths(self.name()));
                }
                let baseline = Sum::of(scored().map(|(r, l)| r * l)) / total;
                each(&|_, r| r - baseline);
            }
            Rule::BestOnly(deviation) => {
                let divisor = if deviation == Deviation::None {
                    1.0
                } else {
                    stats.deviation + eps
                };
                let (best, lead) = lead(group.rewards);
                each(&|i, _| if Some(i) == best { lead / divisor } else { 0.0 });
            }
            // Handled above or in the batch.
            _ => each(&|_, _| 0.0),
        }
        Ok(())
    }

    /// Names of the estimators that reproduce the advantages recorded in the groups' file, to 2e-5
    /// (absolute, or relative for values above 1: the file is often float32). Empty when no scored
    /// trajectory has a recorded advantage. Groups without any are left out.
    #[must_use]
    pub fn reproducing(groups: &[GroupRewards<'_>]) -> Vec<&'static str> {
        let known: Vec<GroupRewards<'_>> = groups
            .iter()
            .filter(|group| group.recorded.iter().any(Option::is_some))
            .copied()
            .collect();
        if known.is_empty() {
            return Vec::new();
        }
        let fits = |estimator: &Self| {
            estimator.batch_advantages(&known).is_ok_and(|all| {
                known.iter().zip(all).all(|(group, values)| {
                    let pairs = group.recorded.iter().zip(group.rewards).zip(values);
                    pairs.filter(|((_, reward), _)| reward.is_some()).all(
                        |((recorded, _), value)| {
                            recorded
                                .is_none_or(|a| (a - value).abs() <= 2e-5 * value.abs().max(1.0))
                        },
                    )
                })
            })
        };
        (0..PRESETS.len())
            .map(|preset| Self {
                preset,
                eps: PRESETS[preset].eps.unwrap_or(0.0),
            })
            .filter(|estimator| estimator.rule() != Rule::File && fits(estimator))
            .map(|estimator| estimator.name())
            .collect()
    }
}

/// Weights of prime-rl's length penalty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LengthPenalty {
    /// Of output tokens.
    pub output_tokens: f64,
    /// Of input tokens.
    pub input_tokens: f64,
    /// Of turns.
    pub turns: f64,
}

impl LengthPenalty {
    /// Returns the rewards less `mean * (weighted sum of length / largest length)`, ready for the
    /// estimator `prime-rl`. All slices have the group's length; a length that is 0 everywhere
    /// weighs nothing. Source: prime-rl `GRPOAlgorithm.score_group`.
    #[must_use]
    pub fn apply(
        &self,
        rewards: &[f64],
        output_tokens: &[f64],
        input_tokens: &[f64],
        turns: &[f64],
    ) -> Vec<f64> {
        let mean = stats(rewards.iter().copied(), Sample).mean;
        let part = |values: &[f64], index: usize| {
            let largest = values.iter().copied().fold(0.0, f64::max);
            let own = values.get(index).copied().unwrap_or(0.0);
            if largest > 0.0 { own / largest } else { 0.0 }
        };
        let penalty = |index: usize| {
            self.output_tokens * part(output_tokens, index)
                + self.input_tokens * part(input_tokens, index)
                + self.turns * part(turns, index)
        };
        let pairs = rewards.iter().enumerate();
        pairs
            .map(|(index, reward)| reward - mean * penalty(index))
            .collect()
    }
}

/// Checks lengths of the lists and finiteness of the rewards.
fn check(group: &GroupRewards<'_>) -> Result<(), AdvantageError> {
    let expected = group.rewards.len();
    if let Some(lengths) = group.lengths
        && lengths.len() != expected
    {
        return Err(AdvantageError::LengthMismatch {
            what: "lengths",
            found: lengths.len(),
            expected,
        });
    }
    match group
        .rewards
        .iter()
        .position(|reward| reward.is_some_and(|r| !r.is_finite()))
    {
        Some(i) => Err(AdvantageError::NonFiniteReward(i)),
        None => Ok(()),
    }
}

/// The recorded advantages; every scored trajectory must have one.
fn recorded(group: &GroupRewards<'_>, result: &mut Vec<f64>) -> Result<(), AdvantageError> {
    for (i, reward) in group.rewards.iter().enumerate() {
        let value = group.recorded.get(i).copied().flatten();
        match (value, reward) {
            (Some(value), _) => result.push(value),
            (None, None) => result.push(0.0),
            (None, Some(_)) => return Err(AdvantageError::NotRecorded(i)),
        }
    }
    Ok(())
}

/// `NeMo-RL`'s default: distance from the others' mean over the others' deviation, where not 0.
fn others_normed(group: &GroupRewards<'_>, i: usize, reward: f64, eps: f64) -> f64 {
    let others = group
        .rewards
        .iter()
        .enumerate()
        .filter(|(j, _)| *j != i)
        .filter_map(|(_, r)| *r);
    let others = stats(others, Sample);
    let distance = reward - others.mean;
    if others.all_equal {
        distance
    } else {
        distance / (others.deviation + eps)
    }
}

/// The best trajectory (first of equals) and its lead over the second.
fn lead(rewards: &[Option<f64>]) -> (Option<usize>, f64) {
    let (mut best, mut second): (Option<(usize, f64)>, Option<f64>) = (None, None);
    for (i, reward) in rewards
        .iter()
        .enumerate()
        .filter_map(|(i, r)| Some((i, (*r)?)))
    {
        match best {
            Some((_, top)) if reward <= top => {
                second = Some(second.map_or(reward, |s| s.max(reward)));
            }
            _ => {
                second = best.map(|(_, top)| top);
                best = Some((i, reward));
            }
        }
    }
    let lead = best
        .zip(second)
        .map_or(0.0, |((_, top), second)| top - second);
    (best.map(|(i, _)| i), lead)
}

impl Default for Estimator {
    fn default() -> Self {
        Self {
            preset: 0,
            eps: PRESETS[0].eps.unwrap_or(0.0),
        }
    }
}

impl std::str::FromStr for Estimator {
    type Err = AdvantageError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, options) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        let preset = INFO
            .iter()
            .position(|info| info.name == name)
            .ok_or_else(|| AdvantageError::UnknownEstimator(name.to_owned()))?;
        let mut estimator = Self {
            preset,
            eps: PRESETS[preset].eps.unwrap_or(0.0),
        };
        for option in options
            .split(',')
            .filter(|option| !option.trim().is_empty())
        {
            let bad = || AdvantageError::BadOption(option.to_owned());
            let (key, value) = option.split_once('=').ok_or_else(bad)?;
            if key.trim() != "eps" {
                return Err(bad());
            }
            estimator = estimator.with_eps(value.trim().parse().map_err(|_| bad())?)?;
        }
        Ok(estimator)
    }
}

impl std::fmt::Display for Estimator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())?;
        match PRESETS[self.preset].eps {
            #[expect(clippy::float_cmp, reason = "whether it is the default, exactly")]
            Some(default) if default != self.eps => write!(f, ":eps={:e}", self.eps),
            _ => Ok(()),
        }
    }
}
