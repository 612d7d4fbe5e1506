//! The figures of the open group under a schedule, and what is worth a warning about it
//! (`advantage-math.md` 2.3, 2.7).

use crate::domain::metrics::{self, CreditMetrics, Metrics};
use crate::domain::{Ranking, Redistribution, RolloutGroup, Scheme};
use crate::review::{ReviewSession, lengths, passing};
use crate::tui::number::signed;

/// A boost above this leaves most of the credit with one or two trajectories.
const HIGH_BOOST: f64 = 3.0;
/// An effective share of the credit holders below this does the same.
const LOW_SHARE: f64 = 0.5;

/// The figures of a group before and after.
pub fn of(data: &RolloutGroup, before: &[f64], after: &Redistribution) -> Metrics {
    metrics::metrics(
        before,
        &after.advantages,
        &passing(data),
        lengths(data).as_deref(),
    )
}

/// The figures in lines: credit, then length when lengths are known.
#[must_use]
pub fn lines(data: &RolloutGroup, figures: &Metrics, ranking: &Ranking) -> Vec<String> {
    let Some(credit) = &figures.credit else {
        return Vec::new();
    };
    let mut lines = vec![
        format!(
            "n_eff {:.2} → {:.2} of {} · ×{:.3} to ×{:.3}",
            credit.n_eff.0,
            credit.n_eff.1,
            holders(credit),
            credit.min_boost,
            credit.max_boost,
        ),
        format!(
            "credit moved {:.3} · variance of the group ×{:.3}",
            credit.credit_moved, credit.variance_inflation
        ),
    ];
    if let Some(length) = &credit.length {
        let ratio = length
            .token_credit_ratio
            .map_or_else(|| "—".to_owned(), |ratio| format!("×{ratio:.3}"));
        lines.push(format!(
            "credited length {:.0} → {:.0} tokens · token credit {ratio}",
            length.credit_length.0, length.credit_length.1
        ));
        lines.push(format!(
            "length pressure {} → {} · {}",
            signed(length.pressure.0, 1),
            signed(length.pressure.1, 1),
            rank_length(data, ranking),
        ));
    }
    lines
}

/// What a reader of the figures should know, one sentence each.
#[must_use]
pub fn warnings(figures: &Metrics, scheme: &Scheme, after: &Redistribution) -> Vec<String> {
    let mut warnings: Vec<String> = after.warnings.iter().map(|word| sentence(word)).collect();
    if scheme.rises() {
        warnings.push("the table rises: a worse place may weigh more than a better one".to_owned());
    }
    if let Some(credit) = &figures.credit {
        if credit.max_boost > HIGH_BOOST {
            warnings.push(format!(
                "the best gets ×{:.2}, more than ×{HIGH_BOOST}",
                credit.max_boost
            ));
        }
        let share = credit.n_eff.1 / count(holders(credit)).max(1.0);
        if share < LOW_SHARE {
            warnings.push(format!(
                "n_eff/m is {share:.2}: few candidates hold most of the credit"
            ));
        }
    }
    warnings
}

/// Which estimators reproduce the advantages that the file holds for this group, in one line; `None`
/// when the file has none.
#[must_use]
pub fn recorded(session: &ReviewSession, group: usize) -> Option<String> {
    let data = session.group(group)?;
    data.trajectories
        .iter()
        .find_map(|t| t.recorded_advantage)?;
    let found = session.reproducing(group);
    Some(if found.is_empty() {
        "the file's advantages are those of no estimator here".to_owned()
    } else {
        let more = found.len().saturating_sub(4);
        let first = found
            .get(..found.len().min(4))
            .unwrap_or_default()
            .join(", ");
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("the file's advantages are those of {first}{more}")
    })
}

fn sentence(word: &str) -> String {
    match word {
        "unranked_kept" => "a passing candidate is not ranked and keeps its advantage",
        "unranked_placed_last" => "a passing candidate is not ranked and counts as last",
        "rank_on_failing_dropped" => "the ranking holds a failing candidate, which is left out",
        "nonpositive_advantage_skipped" => {
            "a passing candidate's negative advantage stays as it is"
        }
        other => other,
    }
    .to_owned()
}

/// Whether worse ranks are longer: Spearman's rho of the ranking with the order by length.
fn rank_length(data: &RolloutGroup, ranking: &Ranking) -> String {
    let tokens = |index: usize| data.trajectories.get(index)?.output_tokens;
    match metrics::rank_length(ranking, tokens) {
        Ok(rho) => format!("rank-length ρ {}", signed(rho, 2)),
        Err(_) => "rank-length ρ undefined".to_owned(),
    }
}

fn holders(credit: &CreditMetrics) -> usize {
    credit.share_after.iter().flatten().count()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn count(number: usize) -> f64 {
    number as f64
}

/// Mean of the group's rewards, unscored ones left out; `None` without any.
#[must_use]
pub fn mean_reward(data: &RolloutGroup) -> Option<f64> {
    let rewards: Vec<f64> = data.trajectories.iter().filter_map(|t| t.reward).collect();
    (!rewards.is_empty()).then(|| rewards.iter().sum::<f64>() / count(rewards.len()))
}
