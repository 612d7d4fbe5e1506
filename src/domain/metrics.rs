//! The figures a reviewer is shown of a redistribution (`advantage-math.md` 2.7).

use super::agreement::{Undefined, compare};
use super::ranking::Ranking;
use super::summation::Sum;

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

/// Returns Spearman's rho of the ranking with the order by length (1 = every worse rank is longer),
/// over the ranked trajectories whose `tokens` (by 0-based index) are known.
///
/// # Errors
/// When it is not defined: fewer than two such trajectories, or all tied.
pub fn rank_length(
    ranking: &Ranking,
    tokens: impl Fn(usize) -> Option<u64>,
) -> Result<f64, Undefined> {
    let mut by_length: Vec<(u64, Vec<usize>)> = Vec::new();
    let mut ranked: Vec<(u64, usize)> = ranking
        .order()
        .into_iter()
        .filter_map(|index| Some((tokens(index)?, index)))
        .collect();
    ranked.sort_unstable();
    for (tokens, index) in ranked {
        match by_length.last_mut() {
            Some((last, tier)) if *last == tokens => tier.push(index),
            _ => by_length.push((tokens, vec![index])),
        }
    }
    let tiers = by_length.into_iter().map(|(_, tier)| tier).collect();
    let order = Ranking::new(tiers).map_err(|_| Undefined::OutOfRange)?;
    compare(ranking, &order).spearman
}

/// Returns the reward that would have earned the redistributed advantage, in reward units: the
/// group mean plus the distance from it times the multiplier.
#[must_use]
pub fn equivalent_reward(reward: f64, group_mean: f64, multiplier: f64) -> f64 {
    group_mean + (reward - group_mean) * multiplier
}
