//! Sentences of the report: the summary, numbers, rankings in words.

use super::Findings;
use crate::domain::{Ranking, RolloutGroup, counted};
use crate::raters::{Rater, after_reveal};

/// A number with three decimals, or a word that there is none.
pub fn number(value: Option<f64>) -> String {
    match value {
        // Rounding must not leave "-0.000".
        Some(value) => format!("{:.3}", (value * 1000.0).round() / 1000.0 + 0.0),
        None => "undefined".to_owned(),
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

/// Why the accuracy behind misplaced credit is another one than that of the table of pairs, with both
/// numbers; `None` unless both are there.
pub fn two_accuracies(found: &Findings<'_>) -> Option<String> {
    let pooled = found.accuracy?;
    let mut pairs = found.agreement.pairs.iter();
    let pair = pairs.find(|pair| {
        pair.reference == Rater::Consensus && matches!(pair.prediction, Rater::Grader(_))
    })?;
    let of_groups = &pair.pairwise_accuracy;
    Some(format!(
        "Two pairwise accuracies of the grader: {} is the mean over {}, each counting once, against \
         the consensus; {:.3} counts each of the {} that {} order once, so that large groups and \
         every annotator count. Misplaced credit uses the second.",
        number(of_groups.mean),
        counted(of_groups.groups, "group", "groups"),
        pooled.share,
        counted(pooled.pairs, "pair", "pairs"),
        counted(pooled.submissions, "submission", "submissions"),
    ))
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
    if let Some(said) = after_reveal(found.agreement.after_reveal) {
        lines.push(format!("{said}."));
    }
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
    lines.extend(two_accuracies(found));
    let used = &found.inputs.session.settings().scheme;
    let mut rows = found.comparison.schemes.iter();
    if let Some(row) = rows.find(|row| row.scheme == *used)
        && let Some(moved) = row.credit_moved
    {
        let misplaced = row.misplaced.map_or_else(String::new, |share| {
            let per_moved = row
                .misplaced_per_moved
                .map_or_else(String::new, |per_moved| {
                    format!(
                        " ({per_moved:.2} per unit moved; above 1, more is misplaced than moved)"
                    )
                });
            format!(
                "; at the grader's measured accuracy {share:.3} of the credit is expected at the \
                 wrong candidates{per_moved}"
            )
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
