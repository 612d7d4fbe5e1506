//! How often the grader orders a pair of candidates as people do, over everything judged.

use serde::Serialize;

use crate::domain::agreement::compare;
use crate::review::ReviewSession;

/// Pairwise accuracy of the grader with people's submitted rankings as the reference, pooled over
/// pairs: it is not the mean over groups against the consensus that [`crate::raters::Agreement`]
/// tells.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeasuredAccuracy {
    /// Share of the pairs that people order which the grader orders alike; a tie of the grader
    /// counts half. Every pair of every submission counts once.
    pub share: f64,
    /// Pairs that people order.
    pub pairs: usize,
    /// Submissions compared with the grader's ranking.
    pub submissions: usize,
    /// Of those, the ones that are the grader's ranking, accepted.
    pub accepted: usize,
    /// Of the submissions, those made after a blind group was revealed.
    pub after_reveal: usize,
}

impl MeasuredAccuracy {
    /// Measures over these groups (0-based): every annotator's submission on the data as they are
    /// now. `None` when nobody ordered a pair that the grader ranked.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    pub fn of(session: &ReviewSession, groups: &[usize]) -> Option<Self> {
        let (mut right, mut pairs) = (0.0, 0);
        let (mut submissions, mut accepted, mut after_reveal) = (0, 0, 0);
        for &group in groups {
            let grader = session.answer(group).and_then(|a| a.ranking.as_ref());
            let Some((grader, data)) = grader.zip(session.group(group)) else {
                continue;
            };
            let from = (data.id.as_str().to_owned(), String::new());
            let judged = session.projection().judgements.range(from..);
            for (_, judgement) in judged.take_while(|((id, _), _)| id == data.id.as_str()) {
                let submitted = judgement
                    .at(&data.fingerprint)
                    .and_then(|judgement| judgement.counting(session.settings().blind_only));
                let Some(submitted) = submitted else { continue };
                let Some(human) = session.to_ranking(group, &submitted.tiers) else {
                    continue;
                };
                let found = compare(&human, grader);
                submissions += 1;
                accepted += usize::from(submitted.origin == "accepted_grader");
                after_reveal += usize::from(submitted.after_reveal);
                pairs += found.concordant + found.inversions.len() + found.tied_prediction;
                right += found.concordant as f64 + found.tied_prediction as f64 / 2.0;
            }
        }
        (pairs > 0).then(|| Self {
            share: right / pairs as f64,
            pairs,
            submissions,
            accepted,
            after_reveal,
        })
    }
}
