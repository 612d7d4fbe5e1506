//! How much two raters agree over the groups that both ranked.

use serde::Serialize;

use super::bootstrap::Figure;
use super::consensus::Consensus;
use super::evidence::GroupEvidence;
use super::rater::Rater;
use crate::domain::Ranking;
use crate::domain::agreement::{PairAgreement, compare};

/// Agreement of two raters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairRow {
    /// The one taken as right.
    pub reference: Rater,
    /// The one compared with it.
    pub prediction: Rater,
    /// Groups ranked by both.
    pub groups: usize,
    /// Groups that both rank the same way.
    pub identical: usize,
    /// Mean Kendall tau-b, -1 to 1.
    pub tau_b: Figure,
    /// Mean share of the pairs that the reference orders which the prediction orders alike.
    pub pairwise_accuracy: Figure,
    /// Mean Jaccard index of the two best tiers.
    pub top1: Figure,
}

/// A rater's ranking of a group, the consensus too.
pub(super) fn ranking_by<'a>(
    group: &'a GroupEvidence,
    consensus: &'a Consensus,
    rater: &Rater,
) -> Option<&'a Ranking> {
    match rater {
        Rater::Consensus => consensus.ranking.as_ref().ok(),
        rater => group.ranking(rater),
    }
}

impl PairRow {
    pub(super) fn of(
        reference: &Rater,
        prediction: &Rater,
        groups: &[(&GroupEvidence, Consensus)],
        seed: u64,
    ) -> Self {
        let both = groups.iter().filter_map(|(group, consensus)| {
            let reference = ranking_by(group, consensus, reference)?;
            let prediction = ranking_by(group, consensus, prediction)?;
            Some(compare(reference, prediction))
        });
        let found: Vec<PairAgreement> = both.collect();
        Self {
            reference: reference.clone(),
            prediction: prediction.clone(),
            groups: found.len(),
            identical: found.iter().filter(|pair| pair.is_identical()).count(),
            tau_b: Figure::of(found.iter().map(|pair| pair.tau_b), seed),
            pairwise_accuracy: Figure::of(found.iter().map(|pair| pair.pairwise_accuracy), seed),
            top1: Figure::of(found.iter().map(|pair| pair.top1), seed),
        }
    }
}

/// The pairs that are compared, (reference, prediction): graders against everybody, annotators
/// against each other and against what is settled or known. An annotator is not compared with the
/// consensus that holds its own ranking.
pub(super) fn pairs_of(raters: &[Rater]) -> Vec<(Rater, Rater)> {
    let authority = |rater: &Rater| match rater {
        Rater::Gold => 4,
        Rater::Settlement => 3,
        Rater::Consensus => 2,
        Rater::Annotator(_) => 1,
        Rater::Grader(_) => 0,
    };
    let mut pairs = Vec::new();
    for (place, a) in raters.iter().enumerate() {
        for b in raters.iter().skip(place + 1) {
            let (reference, prediction) = match authority(a) >= authority(b) {
                true => (a, b),
                false => (b, a),
            };
            if !(*reference == Rater::Consensus && authority(prediction) == 1) {
                pairs.push((reference.clone(), prediction.clone()));
            }
        }
    }
    // Graders first, against the consensus first: the headline.
    let first = |rater: &Rater| match rater {
        Rater::Consensus => 0,
        Rater::Settlement => 1,
        Rater::Gold => 2,
        Rater::Annotator(_) => 3,
        Rater::Grader(_) => 4,
    };
    pairs.sort_by_key(|(reference, prediction)| (authority(prediction), first(reference)));
    pairs
}
