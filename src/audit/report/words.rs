//! Sentences of the report: the summary, numbers, rankings in words.

use super::Findings;
use crate::domain::{Ranking, RolloutGroup};
use crate::raters::Rater;

/// A number with three decimals, or a word that there is none.
pub fn number(value: Option<f64>) -> String {
    match value {
        // Rounding must not leave "-0.000".
        Some(value) => format!("{:.3}", (value * 1000.0).round() / 1000.0 + 0.0),
        None => "undefined".to_owned(),
    }
}

/// `1 group`, `2 groups`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

/// A ranking as `a > b = c`, trajectory ids.
pub fn ranking(group: &RolloutGroup, ranking: &Ranking) -> String {
    let id = |index: &usize| {
        let found = group.trajectories.get(*index);
        found.map_or("?", |trajectory| trajectory.id.as_str())
    };
    let tier = |tier: &Vec<usize>| tier.iter().map(id).collect::<Vec<_>>().join(" = ");
    let tiers: Vec<String> = ranking.tiers().iter().map(tier).collect();
    tiers.join(" > ")
}

/// What a reader in a hurry should know.
pub fn in_short(found: &Findings<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let judged = found
        .evidence
        .iter()
        .filter(|group| group.submitted().next().is_some())
        .count();
    let people = found
        .agreement
        .people
        .iter()
        .filter(|p| p.groups > 0)
        .count();
    lines.push(match judged {
        0 => "Nobody has submitted a ranking of these groups: there are no figures about people, \
              and nothing is known about how good the grader is."
            .to_owned(),
        _ => format!(
            "{} of {} ranked by {}.",
            judged,
            counted(found.evidence.len(), "group", "groups"),
            counted(people, "annotator", "annotators"),
        ),
    });
    for pair in &found.agreement.pairs {
        if matches!(pair.prediction, Rater::Grader(_)) && pair.reference == Rater::Consensus {
            let interval = pair
                .pairwise_accuracy
                .interval
                .map_or_else(String::new, |[low, high]| {
                    format!(", 95 % interval {low:.3} to {high:.3}")
                });
            lines.push(format!(
                "{} orders a pair of candidates as the annotators' consensus does with a probability of {} \
                 (mean over {}{interval}); mean tau-b {}.",
                pair.prediction,
                number(pair.pairwise_accuracy.mean),
                counted(pair.pairwise_accuracy.groups, "group", "groups"),
                number(pair.tau_b.mean),
            ));
        }
    }
    let used = &found.inputs.session.settings().scheme;
    let mut rows = found.comparison.schemes.iter();
    if let Some(row) = rows.find(|row| row.scheme == *used)
        && let Some(moved) = row.credit_moved
    {
        let misplaced = row.misplaced.map_or_else(String::new, |share| {
            format!("; about {share:.2} of it is expected at the wrong candidate")
        });
        lines.push(format!(
            "The scheme {used} moves {:.3} of a group's credit on average over {}{misplaced}.",
            moved.mean,
            counted(found.comparison.movable, "group", "groups"),
        ));
    }
    if let Some(first) = found.disagreements.first() {
        lines.push(format!(
            "Grader and people disagree about the credit of {}; most in {} ({:.3} of the credit).",
            counted(found.disagreements.len(), "group", "groups"),
            found.group_id(first.group),
            first.credit,
        ));
    }
    lines
}
