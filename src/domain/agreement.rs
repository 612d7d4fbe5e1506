//! Agreement of rankings and their aggregation (`advantage-math.md` section 3).
//!
//! What is *not* here: whose rankings are compared and what is shown of it. A figure that is not
//! defined is an [`Undefined`], never 0 or NaN.

use super::ranking::Ranking;
use super::redistribution::{Policies, RedistributeError, redistribute};
use super::scheme::Scheme;
use super::summation::Sum;

/// Why a figure does not exist for these rankings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Undefined {
    /// Fewer than two trajectories are ranked by both.
    #[error("fewer than two trajectories are ranked by both")]
    TooFewCommon,
    /// No trajectory is ranked by both.
    #[error("no trajectory is ranked by both")]
    NothingCommon,
    /// One of the rankings ties everything.
    #[error("one of the rankings ties everything")]
    Constant,
    /// The reference orders no pair.
    #[error("the reference orders no pair")]
    NoOrderedPair,
    /// No pair is ordered by both.
    #[error("no pair is ordered by both")]
    NoDecidedPair,
    /// Fewer than two different values among units judged twice.
    #[error("fewer than two different values among items judged by two raters")]
    OneValue,
    /// A ranking is missing items.
    #[error("not every ranking is complete")]
    Incomplete,
    /// Fewer than two rankings.
    #[error("fewer than two rankings")]
    TooFewRaters,
    /// Someone never loses or never wins: strengths have no finite maximum without a prior.
    #[error("the strengths have no finite maximum without a prior")]
    NoFiniteMaximum,
    /// An index outside the items, a negative prior, or more items than the method copes with.
    #[error("the input is out of range")]
    OutOfRange,
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn float(count: usize) -> f64 {
    count as f64
}

/// Comparison of two rankings over the trajectories that both rank.
#[derive(Debug, Clone, PartialEq)]
pub struct PairAgreement {
    /// Trajectories ranked by both.
    pub common: usize,
    /// Pairs ordered alike.
    pub concordant: usize,
    /// Pairs ordered oppositely (inversions), listed: (better by the reference, worse).
    pub inversions: Vec<(usize, usize)>,
    /// Pairs tied by the reference only.
    pub tied_reference: usize,
    /// Pairs tied by the prediction only.
    pub tied_prediction: usize,
    /// Pairs tied by both.
    pub tied_both: usize,
    /// Kendall's tau-b, -1..=1.
    pub tau_b: Result<f64, Undefined>,
    /// Spearman's rho on average ranks, -1..=1.
    pub spearman: Result<f64, Undefined>,
    /// Share of the pairs the reference orders that the prediction orders alike; a tie is half.
    pub pairwise_accuracy: Result<f64, Undefined>,
    /// Goodman and Kruskal's gamma, -1..=1.
    pub gamma: Result<f64, Undefined>,
    /// Kendall distance, half a point for one-sided ties.
    pub kendall: f64,
    /// The distance over the number of pairs, 0..=1.
    pub kendall_normalized: Result<f64, Undefined>,
    /// Jaccard index of the two best tiers, 0..=1.
    pub top1: Result<f64, Undefined>,
}

impl PairAgreement {
    /// Number of pairs of common trajectories.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.concordant
            + self.inversions.len()
            + self.tied_reference
            + self.tied_prediction
            + self.tied_both
    }

    /// Whether the two order the common trajectories the same way, ties included.
    #[must_use]
    pub fn is_identical(&self) -> bool {
        self.inversions.is_empty() && self.tied_reference == 0 && self.tied_prediction == 0
    }
}

/// Tiers of a ranking restricted to members that the other ranks too.
fn restricted(ranking: &Ranking, other: &Ranking) -> Vec<Vec<usize>> {
    let keep = |tier: &Vec<usize>| -> Vec<usize> {
        tier.iter()
            .copied()
            .filter(|&i| other.tier_of(i).is_some())
            .collect()
    };
    ranking
        .tiers()
        .iter()
        .map(keep)
        .filter(|tier| !tier.is_empty())
        .collect()
}

/// (item, tier, average rank) of every item, best first.
fn places(tiers: &[Vec<usize>]) -> Vec<(usize, usize, f64)> {
    let (mut all, mut above) = (Vec::new(), 0);
    for (at, tier) in tiers.iter().enumerate() {
        let rank = float(above) + (float(tier.len()) + 1.0) / 2.0;
        all.extend(tier.iter().map(|&item| (item, at, rank)));
        above += tier.len();
    }
    all
}

/// Compares a prediction with a reference.
#[must_use]
pub fn compare(reference: &Ranking, prediction: &Ranking) -> PairAgreement {
    let (a, b) = (
        restricted(reference, prediction),
        restricted(prediction, reference),
    );
    let (mut left, mut right) = (places(&a), places(&b));
    left.sort_unstable_by_key(|(item, ..)| *item);
    right.sort_unstable_by_key(|(item, ..)| *item);
    let common = left.len();
    let (mut concordant, mut inversions) = (0, Vec::new());
    let (mut only_a, mut only_b, mut both) = (0, 0, 0);
    for i in 0..common {
        for j in i + 1..common {
            let (x, y) = (left[i].1.cmp(&left[j].1), right[i].1.cmp(&right[j].1));
            match (x.is_eq(), y.is_eq()) {
                (true, true) => both += 1,
                (true, false) => only_a += 1,
                (false, true) => only_b += 1,
                (false, false) if x == y => concordant += 1,
                _ if x.is_lt() => inversions.push((left[i].0, left[j].0)),
                _ => inversions.push((left[j].0, left[i].0)),
            }
        }
    }
    let (con, dis) = (float(concordant), float(inversions.len()));
    let few = if common < 2 {
        Err(Undefined::TooFewCommon)
    } else {
        Ok(())
    };
    let pairs = con + dis + float(only_a + only_b + both);
    let (by_a, by_b) = (con + dis + float(only_b), con + dis + float(only_a));
    let varied = few.and(if by_a == 0.0 || by_b == 0.0 {
        Err(Undefined::Constant)
    } else {
        Ok(())
    });
    let kendall = dis + float(only_a + only_b) / 2.0;
    let correlation = || {
        let middle = (float(common) + 1.0) / 2.0;
        let product = |x: &[(usize, usize, f64)], y: &[(usize, usize, f64)]| {
            Sum::of(
                x.iter()
                    .zip(y)
                    .map(|(x, y)| (x.2 - middle) * (y.2 - middle)),
            )
        };
        product(&left, &right) / (product(&left, &left) * product(&right, &right)).sqrt()
    };
    let top1 = match (a.first(), b.first()) {
        (Some(a), Some(b)) => {
            let shared = a.iter().filter(|item| b.contains(item)).count();
            Ok(float(shared) / float(a.len() + b.len() - shared))
        }
        _ => Err(Undefined::NothingCommon),
    };
    PairAgreement {
        common,
        concordant,
        tied_reference: only_a,
        tied_prediction: only_b,
        tied_both: both,
        tau_b: varied.map(|()| (con - dis) / (by_a * by_b).sqrt()),
        spearman: varied.map(|()| correlation()),
        pairwise_accuracy: few.and(if by_a == 0.0 {
            Err(Undefined::NoOrderedPair)
        } else {
            Ok((con + float(only_b) / 2.0) / by_a)
        }),
        gamma: few.and(if con + dis == 0.0 {
            Err(Undefined::NoDecidedPair)
        } else {
            Ok((con - dis) / (con + dis))
        }),
        kendall,
        kendall_normalized: few.map(|()| kendall / pairs),
        top1,
        inversions,
    }
}

/// Credit disagreement: half the L1 distance, 0..=1, between the credit shares that two rankings of
/// a group give under one scheme. `advantages` and `passed` have the group's length.
///
/// Without credit on a side the distance is 0: there is nothing to hand out.
///
/// # Errors
/// As [`redistribute`].
pub fn credit_disagreement(
    advantages: &[f64],
    passed: &[bool],
    rankings: (&Ranking, &Ranking),
    scheme: &Scheme,
    policies: Policies,
) -> Result<f64, RedistributeError> {
    let a = redistribute(advantages, passed, Some(rankings.0), scheme, policies)?;
    let b = redistribute(advantages, passed, Some(rankings.1), scheme, policies)?;
    let credit = |values: &[f64]| -> Vec<f64> {
        values
            .iter()
            .zip(passed)
            .map(|(v, p)| if *p && *v > 0.0 { *v } else { 0.0 })
            .collect()
    };
    let (a, b) = (credit(&a.advantages), credit(&b.advantages));
    let (x, y) = (Sum::of(a.iter().copied()), Sum::of(b.iter().copied()));
    if x <= 0.0 || y <= 0.0 {
        return Ok(0.0);
    }
    Ok(0.5 * Sum::of(a.iter().zip(&b).map(|(a, b)| (a / x - b / y).abs())))
}

/// How far two values are apart, for Krippendorff's alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Same or different.
    Nominal,
    /// By the number of values between.
    Ordinal,
    /// By the squared difference.
    Interval,
}

/// Krippendorff's alpha. `data` is rater × unit; a missing judgement is `None`; rows may differ in
/// length (missing at the end).
///
/// # Errors
/// [`Undefined::OneValue`]; [`Undefined::OutOfRange`] for a value that is not finite.
pub fn alpha(data: &[Vec<Option<f64>>], level: Level) -> Result<f64, Undefined> {
    let units = data.iter().map(Vec::len).max().unwrap_or(0);
    let unit = |u: usize| -> Vec<f64> {
        data.iter()
            .filter_map(|row| row.get(u).copied().flatten())
            .collect()
    };
    let judged: Vec<Vec<f64>> = (0..units)
        .map(unit)
        .filter(|values| values.len() > 1)
        .collect();
    let mut domain: Vec<f64> = judged.iter().flatten().copied().collect();
    if domain.iter().any(|value| !value.is_finite()) {
        return Err(Undefined::OutOfRange);
    }
    let total = float(domain.len());
    domain.sort_unstable_by(f64::total_cmp);
    domain.dedup();
    let size = domain.len();
    if size < 2 {
        return Err(Undefined::OneValue);
    }
    let index = |value: f64| domain.partition_point(|known| *known < value);
    let mut coincidences = vec![vec![0.0; size]; size];
    let mut counts = vec![0.0; size];
    for values in &judged {
        let share = 1.0 / (float(values.len()) - 1.0);
        for (i, a) in values.iter().enumerate() {
            counts[index(*a)] += 1.0;
            for (j, b) in values.iter().enumerate() {
                if i != j {
                    coincidences[index(*a)][index(*b)] += share;
                }
            }
        }
    }
    let (mut observed, mut expected) = (Sum::default(), Sum::default());
    for c in 0..size {
        let mut between = counts[c];
        for k in c + 1..size {
            between += counts[k];
            let distance: f64 = match level {
                Level::Nominal => 1.0,
                Level::Ordinal => between - f64::midpoint(counts[c], counts[k]),
                Level::Interval => domain[k] - domain[c],
            };
            observed.add(coincidences[c][k] * distance * distance);
            expected.add(counts[c] * counts[k] * distance * distance);
        }
    }
    Ok(1.0 - (total - 1.0) * observed.value() / expected.value())
}

/// Ordinal alpha over the items of several groups: (number of items, one ranking or none per rater,
/// raters in the same order everywhere). A rater's value is the item's average rank in its group;
/// pooling groups of different size is a convention.
///
/// # Errors
/// As [`alpha`].
pub fn pooled_alpha(groups: &[(usize, Vec<Option<Ranking>>)]) -> Result<f64, Undefined> {
    let raters = groups
        .iter()
        .map(|(_, rankings)| rankings.len())
        .max()
        .unwrap_or(0);
    let mut data = vec![Vec::new(); raters];
    for (items, rankings) in groups {
        for (rater, row) in data.iter_mut().enumerate() {
            let start = row.len();
            row.resize(start + items, None);
            let Some(ranking) = rankings.get(rater).and_then(Option::as_ref) else {
                continue;
            };
            for (item, _, rank) in places(ranking.tiers()) {
                *row.get_mut(start + item)
                    .filter(|_| item < *items)
                    .ok_or(Undefined::OutOfRange)? = Some(rank);
            }
        }
    }
    alpha(&data, Level::Ordinal)
}

/// Checks that every ranked index is one of the items.
fn within(items: usize, rankings: &[Ranking]) -> Result<(), Undefined> {
    let outside = rankings
        .iter()
        .any(|r| r.tiers().iter().flatten().any(|&i| i >= items));
    if outside {
        Err(Undefined::OutOfRange)
    } else {
        Ok(())
    }
}

/// Kendall's W, corrected for ties, 0..=1.
///
/// # Errors
/// [`Undefined`]: fewer than two rankings, an incomplete one, or all tied.
pub fn kendall_w(items: usize, rankings: &[Ranking]) -> Result<f64, Undefined> {
    within(items, rankings)?;
    if rankings.len() < 2 {
        return Err(Undefined::TooFewRaters);
    }
    if rankings.iter().any(|ranking| ranking.ranked() != items) {
        return Err(Undefined::Incomplete);
    }
    let cube = |n: f64| n * n * n - n;
    let (m, n) = (float(rankings.len()), float(items));
    let mut sums = vec![0.0; items];
    let mut ties = 0.0;
    for ranking in rankings {
        for (item, _, rank) in places(ranking.tiers()) {
            sums[item] += rank;
        }
        ties += ranking
            .tiers()
            .iter()
            .map(|tier| cube(float(tier.len())))
            .sum::<f64>();
    }
    let mean = m * (n + 1.0) / 2.0;
    let spread = Sum::of(sums.iter().map(|sum| (sum - mean) * (sum - mean)));
    let largest = m * m * cube(n) - m * ties;
    if largest <= 0.0 {
        Err(Undefined::Constant)
    } else {
        Ok(12.0 * spread / largest)
    }
}

/// Wins of item i over item j over all rankings, half a win for a tie; item × item.
///
/// # Errors
/// [`Undefined::OutOfRange`] for an index that is no item.
pub fn wins(items: usize, rankings: &[Ranking]) -> Result<Vec<Vec<f64>>, Undefined> {
    within(items, rankings)?;
    let mut wins = vec![vec![0.0; items]; items];
    for ranking in rankings {
        let all = places(ranking.tiers());
        for (i, a, _) in &all {
            for (j, b, _) in all.iter().filter(|(j, ..)| j != i) {
                wins[*i][*j] += if a < b {
                    1.0
                } else if a == b {
                    0.5
                } else {
                    0.0
                };
            }
        }
    }
    Ok(wins)
}

/// Borda scores: mean share of the other ranked items beaten (a tie is half), `None` for an item
/// that no ranking of two or more holds; and the consensus they give.
///
/// # Errors
/// [`Undefined::OutOfRange`] for an index that is no item.
pub fn borda(items: usize, rankings: &[Ranking]) -> Result<(Vec<Option<f64>>, Ranking), Undefined> {
    within(items, rankings)?;
    let mut totals = vec![(0.0, 0usize); items];
    for ranking in rankings.iter().filter(|ranking| ranking.ranked() > 1) {
        let ranked = float(ranking.ranked());
        for (item, _, rank) in places(ranking.tiers()) {
            totals[item].0 += (ranked - rank) / (ranked - 1.0);
            totals[item].1 += 1;
        }
    }
    let score = |(sum, count): &(f64, usize)| (*count > 0).then(|| sum / float(*count));
    let scores: Vec<Option<f64>> = totals.iter().map(score).collect();
    let mut order: Vec<(usize, f64)> = scores
        .iter()
        .enumerate()
        .filter_map(|(i, score)| Some((i, (*score)?)))
        .collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut tiers: Vec<Vec<usize>> = Vec::new();
    let mut last = f64::INFINITY;
    for (item, score) in order {
        match tiers.last_mut() {
            // Equal up to rounding of the mean.
            Some(tier) if last - score <= 1e-12 => tier.push(item),
            _ => tiers.push(vec![item]),
        }
        last = score;
    }
    for tier in &mut tiers {
        tier.sort_unstable();
    }
    let consensus = Ranking::new(tiers).map_err(|_| Undefined::OutOfRange)?;
    Ok((scores, consensus))
}

/// The strict orders with the fewest pairwise disagreements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kemeny {
    /// Strict disagreements of the optimum, over all raters.
    pub cost: u64,
    /// Number of orders that reach it.
    pub optima: u64,
    /// The lexicographically first of them, best first.
    pub first: Vec<usize>,
}

/// Kemeny consensus by dynamic programming over subsets, to 16 items.
///
/// # Errors
/// [`Undefined::OutOfRange`] for more items or an index that is no item.
pub fn kemeny(items: usize, rankings: &[Ranking]) -> Result<Kemeny, Undefined> {
    within(items, rankings)?;
    if items > 16 {
        return Err(Undefined::OutOfRange);
    }
    // above[i][j]: raters who put j strictly above i; paid when i comes first.
    let mut above = vec![vec![0u64; items]; items];
    for ranking in rankings {
        let all = places(ranking.tiers());
        for (i, a, _) in &all {
            for (j, b, _) in &all {
                above[*i][*j] += u64::from(b < a);
            }
        }
    }
    let members = |set: usize| (0..items).filter(move |i| set >> i & 1 == 1);
    let first_cost = |i: usize, set: usize| members(set).map(|j| above[i][j]).sum::<u64>();
    let mut best = vec![(0u64, 1u64); 1 << items];
    for set in 1..1usize << items {
        let (mut cost, mut count) = (u64::MAX, 0);
        for i in members(set) {
            let (rest, ways) = best[set & !(1 << i)];
            let total = first_cost(i, set) + rest;
            if total < cost {
                (cost, count) = (total, ways);
            } else if total == cost {
                count += ways;
            }
        }
        best[set] = (cost, count);
    }
    let mut set = (1usize << items) - 1;
    let (cost, optima) = best[set];
    let mut first = Vec::with_capacity(items);
    while let Some(next) =
        members(set).find(|&i| first_cost(i, set) + best[set & !(1 << i)].0 == best[set].0)
    {
        first.push(next);
        set &= !(1 << next);
    }
    Ok(Kemeny {
        cost,
        optima,
        first,
    })
}

/// Bradley-Terry log strengths with mean 0, after `prior` virtual wins each way between every pair.
///
/// # Errors
/// [`Undefined::NoFiniteMaximum`]; [`Undefined::OutOfRange`] for a bad prior or index.
pub fn bradley_terry(
    items: usize,
    rankings: &[Ranking],
    prior: f64,
) -> Result<Vec<f64>, Undefined> {
    if !(prior.is_finite() && prior >= 0.0) {
        return Err(Undefined::OutOfRange);
    }
    let mut wins = wins(items, rankings)?;
    for (i, row) in wins.iter_mut().enumerate() {
        for (j, win) in row.iter_mut().enumerate() {
            *win += if i == j { 0.0 } else { prior };
        }
    }
    // A finite maximum exists exactly when everyone reaches everyone by wins.
    let reaches_all = |forward: bool| {
        let mut seen = vec![false; items];
        let mut open: Vec<usize> = (items > 0).then_some(0).into_iter().collect();
        while let Some(i) = open.pop() {
            if !std::mem::replace(&mut seen[i], true) {
                let won = |j: &usize| {
                    if forward {
                        wins[i][*j] > 0.0
                    } else {
                        wins[*j][i] > 0.0
                    }
                };
                open.extend((0..items).filter(won));
            }
        }
        seen.into_iter().all(|seen| seen)
    };
    if !reaches_all(true) || !reaches_all(false) {
        return Err(Undefined::NoFiniteMaximum);
    }
    let mut strength = vec![1.0_f64; items];
    // Minorise-maximise (Hunter 2004), in place; linear convergence.
    for _ in 0..100_000 {
        let mut change = 0.0_f64;
        for i in 0..items {
            let others = || (0..items).filter(|&j| j != i);
            let won = Sum::of(others().map(|j| wins[i][j]));
            let met =
                Sum::of(others().map(|j| (wins[i][j] + wins[j][i]) / (strength[i] + strength[j])));
            if met > 0.0 {
                let next = won / met;
                change = change.max((next / strength[i]).ln().abs());
                strength[i] = next;
            }
        }
        if change < 1e-14 {
            break;
        }
    }
    let logs: Vec<f64> = strength.iter().map(|s| s.ln()).collect();
    let mean = Sum::of(logs.iter().copied()) / float(items.max(1));
    Ok(logs.into_iter().map(|log| log - mean).collect())
}
