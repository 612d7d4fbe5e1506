//! What each annotator did: how much, how fast, how much like the others.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bootstrap::Figure;
use super::evidence::{GroupEvidence, Judged};
use crate::domain::Ranking;
use crate::domain::agreement::compare;

/// Focused time below which an answer counts as too fast to have been read, in milliseconds.
pub const TOO_FAST_MS: u64 = 2_000;

/// One annotator's work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PersonRow {
    /// Who.
    pub annotator: String,
    /// Groups with a submission that counts.
    pub groups: usize,
    /// Of those, groups whose focused time was measured.
    pub timed: usize,
    /// Groups per hour of focused time; `None` = no time was measured.
    pub per_hour: Option<f64>,
    /// Median focused time in seconds; `None` = no time was measured.
    pub median_seconds: Option<f64>,
    /// Submissions after less than [`TOO_FAST_MS`] of focused time.
    pub too_fast: usize,
    /// Mean tau-b with the other annotators: per group the mean over them.
    pub with_others: Figure,
    /// Mean tau-b with the known rankings.
    pub with_gold: Figure,
    /// Mean tau-b with the graders: per group the mean over them.
    pub with_graders: Figure,
    /// Findings made before a reveal, in groups ranked.
    pub findings: usize,
    /// Findings made after a reveal; in no other figure.
    pub findings_after_reveal: usize,
    /// Findings before a reveal, per group ranked; `None` = no group.
    pub findings_per_group: Option<f64>,
    /// Submissions with low, medium and high confidence.
    pub confidence: [usize; 3],
    /// Submissions that say nothing of confidence.
    pub confidence_not_said: usize,
}

/// Findings of an annotator in groups that they did not rank: remarks of rules that were spot-checked,
/// or findings alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpotCheckRow {
    /// Who.
    pub annotator: String,
    /// Groups with a finding and without a ranking.
    pub groups: usize,
    /// Findings in them, before and after a reveal.
    pub findings: usize,
}

impl SpotCheckRow {
    /// One row for each annotator who has any, by name.
    pub(super) fn all(groups: &[GroupEvidence]) -> Vec<Self> {
        let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let people = groups.iter().flat_map(|group| &group.people);
        for person in people.filter(|person| person.ranking.is_none()) {
            let row = rows.entry(&person.annotator).or_default();
            row.0 += 1;
            row.1 += person.findings.len() + person.findings_after_reveal;
        }
        rows.into_iter()
            .map(|(annotator, (groups, findings))| Self {
                annotator: annotator.to_owned(),
                groups,
                findings,
            })
            .collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn ratio(part: f64, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part / whole as f64)
}

/// The mean tau-b of a ranking with others; `None` when there are no others.
fn mean_tau<'a>(
    own: &Ranking,
    others: impl Iterator<Item = &'a Ranking>,
) -> Option<Result<f64, String>> {
    let (mut sum, mut count, mut reason) = (0.0, 0, None);
    for other in others {
        match compare(other, own).tau_b {
            Ok(tau) => {
                sum += tau;
                count += 1;
            }
            Err(why) => reason = Some(why.to_string()),
        }
    }
    match (ratio(sum, count), reason) {
        (Some(mean), _) => Some(Ok(mean)),
        (None, Some(reason)) => Some(Err(reason)),
        (None, None) => None,
    }
}

impl PersonRow {
    #[expect(clippy::cast_precision_loss, reason = "times are far below 2^52")]
    pub(super) fn of(name: &str, groups: &[GroupEvidence], seed: u64) -> Self {
        let judged: Vec<(&GroupEvidence, &Judged)> = groups
            .iter()
            .filter_map(|group| Some((group, group.person(name)?)))
            .collect();
        let ranked: Vec<(&GroupEvidence, &Judged, &Ranking)> = judged
            .iter()
            .filter_map(|(group, person)| Some((*group, *person, person.ranking.as_ref()?)))
            .collect();
        let mut times: Vec<u64> = ranked
            .iter()
            .map(|(_, person, _)| person.active_ms)
            .filter(|ms| *ms > 0)
            .collect();
        times.sort_unstable();
        let total = times.iter().sum::<u64>();
        let middle = |at: usize| times.get(at).map(|ms| *ms as f64 / 1000.0);
        let median = times.len().checked_sub(1).and_then(|last| {
            let (low, high) = (middle(last / 2)?, middle(last.div_ceil(2))?);
            Some(f64::midpoint(low, high))
        });
        let with = |others: &dyn Fn(&GroupEvidence) -> Vec<Ranking>| {
            let taus = ranked
                .iter()
                .filter_map(|(group, _, own)| mean_tau(own, others(group).iter()));
            Figure::of(taus, seed)
        };
        let of_others = |group: &GroupEvidence| {
            let others = group.submitted().filter(|(other, _)| *other != name);
            others.map(|(_, ranking)| ranking.clone()).collect()
        };
        let of_graders = |group: &GroupEvidence| {
            let graders = group.graders.iter();
            graders
                .filter_map(|grader| grader.ranking.clone())
                .collect()
        };
        let sure = |level: u8| {
            let of = ranked.iter();
            of.filter(|(_, person, _)| person.confidence == Some(level))
                .count()
        };
        let confidence = [sure(1), sure(2), sure(3)];
        let findings = ranked.iter().map(|(_, person, _)| person.findings.len());
        let findings = findings.sum();
        Self {
            annotator: name.to_owned(),
            groups: ranked.len(),
            timed: times.len(),
            per_hour: (total > 0).then(|| times.len() as f64 * 3_600_000.0 / total as f64),
            median_seconds: median,
            too_fast: times.iter().filter(|ms| **ms < TOO_FAST_MS).count(),
            with_others: with(&of_others),
            with_gold: with(&|group| group.gold.iter().cloned().collect()),
            with_graders: with(&of_graders),
            findings,
            findings_after_reveal: judged
                .iter()
                .map(|(_, person)| person.findings_after_reveal)
                .sum(),
            findings_per_group: ratio(findings as f64, ranked.len()),
            confidence,
            confidence_not_said: ranked.len() - confidence.iter().sum::<usize>(),
        }
    }
}
