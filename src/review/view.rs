//! What is computed for one group: ranking shown, advantages before and after, figures.

use super::session::{ReviewSession, sentence};
use crate::domain::redistribution::Status;
use crate::domain::{
    GroupClass, Ranking, RankingDifference, Redistribution, RolloutGroup, redistribute,
};
use crate::raters::{Aggregate, Provenance};

/// Whose ranking moves the advantages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RankingSource {
    /// The annotator's draft when there is one, else the grader's ranking.
    #[default]
    Best,
    /// What counts: the annotator's submitted ranking when there is one, else the grader's.
    Counted,
    /// The annotator's submitted ranking only.
    Human,
    /// What all annotators say: the settlement, else what one submitted or several agree on, else
    /// their rankings put together by Borda.
    Consensus,
    /// The grader's ranking only.
    Grader,
    /// None: plain group-relative advantages.
    None,
}

/// Where the ranking shown comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Made by the annotator without a grader's ranking.
    Scratch,
    /// The grader's ranking, changed by the annotator.
    EditedGrader,
    /// The grader's ranking, accepted by the annotator.
    AcceptedGrader,
    /// The grader's ranking as it is.
    Grader,
    /// Nobody ranked.
    Nobody,
}

impl Origin {
    /// The word used in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Scratch => "scratch",
            Self::EditedGrader => "edited_grader",
            Self::AcceptedGrader => "accepted_grader",
            Self::Grader => "grader",
            Self::Nobody => "none",
        }
    }

    fn from_word(word: &str) -> Self {
        match word {
            "edited_grader" => Self::EditedGrader,
            "accepted_grader" => Self::AcceptedGrader,
            _ => Self::Scratch,
        }
    }
}

/// The ranking that a group is shown with.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownRanking {
    /// The ranking; empty when nobody ranked.
    pub ranking: Ranking,
    /// Where it comes from.
    pub origin: Origin,
    /// `human:NAME`, `consensus:PROVENANCE`, `grader:NAME` or `none:`, as `gagar.advantage/1` writes it.
    pub source: String,
    /// Event id of the submission, when it is a submitted ranking; else empty.
    pub annotation_id: String,
}

/// Everything that is computed for one group. Vectors have the group's length and order.
#[derive(Debug, Clone)]
pub struct ReviewedGroup {
    /// Why the group is kept or not.
    pub class: GroupClass,
    /// The ranking shown.
    pub shown: ShownRanking,
    /// The grader's ranking, when there is one.
    pub grader: Option<Ranking>,
    /// From the grader's ranking to the one shown.
    pub difference: RankingDifference,
    /// Baseline advantages, or why there are none.
    pub baseline: Result<Vec<f64>, String>,
    /// Redistributed advantages, or why there are none. In a group that is not kept the ranking is
    /// not applied: the baseline stands.
    pub redistributed: Result<Redistribution, String>,
}

/// One flag per trajectory: does it pass.
#[must_use]
pub fn passing(group: &RolloutGroup) -> Vec<bool> {
    group
        .trajectories
        .iter()
        .map(|t| t.outcome.is_pass())
        .collect()
}

/// Loss-token lengths when every scored trajectory has one (0 for unscored ones without).
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "token counts stay below 2^53")]
pub fn lengths(group: &RolloutGroup) -> Option<Vec<f64>> {
    group
        .trajectories
        .iter()
        .map(|t| match (t.output_tokens, t.reward) {
            (Some(tokens), _) => Some(tokens as f64),
            (None, None) => Some(0.0),
            (None, Some(_)) => None,
        })
        .collect()
}

impl ReviewSession {
    /// The ranking that a group is shown with under the settings' source.
    #[must_use]
    pub fn shown_ranking(&self, group: usize) -> ShownRanking {
        let found = match self.settings().source {
            RankingSource::Best => self.draft_shown(group).or_else(|| self.grader_shown(group)),
            RankingSource::Counted => self.counted_shown(group),
            RankingSource::Human => self.submitted_shown(group),
            RankingSource::Consensus => self.consensus_shown(group),
            RankingSource::Grader => self.grader_shown(group),
            RankingSource::None => None,
        };
        found.unwrap_or_else(|| ShownRanking {
            ranking: Ranking::default(),
            origin: Origin::Nobody,
            source: "none:".to_owned(),
            annotation_id: String::new(),
        })
    }

    fn draft_shown(&self, group: usize) -> Option<ShownRanking> {
        let judgement = self.judgement(group)?;
        let submitted = judgement
            .submitted
            .as_ref()
            .filter(|_| !judgement.edited_since_submit);
        Some(ShownRanking {
            ranking: self.draft(group)?,
            origin: Origin::from_word(&judgement.origin),
            source: format!("human:{}", self.identity().annotator),
            annotation_id: submitted.map(|s| s.event_id.clone()).unwrap_or_default(),
        })
    }

    /// The submitted ranking of this annotator, else the grader's: what counts.
    pub(super) fn counted_shown(&self, group: usize) -> Option<ShownRanking> {
        self.submitted_shown(group)
            .or_else(|| self.grader_shown(group))
    }

    fn submitted_shown(&self, group: usize) -> Option<ShownRanking> {
        let submission = self.counting(self.judgement(group)?)?;
        Some(ShownRanking {
            ranking: self.to_ranking(group, &submission.tiers)?,
            origin: Origin::from_word(&submission.origin),
            source: format!("human:{}", self.identity().annotator),
            annotation_id: submission.event_id.clone(),
        })
    }

    /// What people say of the group together; nothing while others' rankings are hidden.
    fn consensus_shown(&self, group: usize) -> Option<ShownRanking> {
        if self.is_hidden(group) {
            return None;
        }
        let found = self.evidence_of(group)?;
        let (ranking, provenance) = found.counting(Aggregate::default())?;
        let event = match provenance {
            Provenance::Adjudicated => found.settlement.map(|settled| settled.event_id),
            Provenance::Single => {
                let mut people = found.people.into_iter();
                people
                    .find(|person| person.ranking.is_some())
                    .map(|person| person.event_id)
            }
            Provenance::Unanimous | Provenance::Aggregate | Provenance::Unresolved => None,
        };
        Some(ShownRanking {
            ranking,
            origin: Origin::Scratch,
            source: format!("consensus:{}", provenance.word()),
            annotation_id: event.unwrap_or_default(),
        })
    }

    fn grader_shown(&self, group: usize) -> Option<ShownRanking> {
        let answer = self.answer(group)?;
        Some(ShownRanking {
            ranking: answer.ranking.clone()?,
            origin: Origin::Grader,
            source: format!("grader:{}", answer.grader.name),
            annotation_id: String::new(),
        })
    }
}

impl ReviewedGroup {
    pub(super) fn of(session: &ReviewSession, group: usize) -> Option<Self> {
        let data = session.group(group)?;
        let class = GroupClass::of(&data.trajectories);
        let shown = session.shown_ranking(group);
        let grader = session
            .answer(group)
            .and_then(|answer| answer.ranking.clone());
        let difference = grader
            .as_ref()
            .map(|grader| grader.difference(&shown.ranking))
            .unwrap_or_default();
        // A dropped group trains nothing: its advantages are 0 whatever an estimator would say of
        // rewards that differ among passing trajectories.
        let baseline = match session.baseline(group) {
            Ok(advantages) if !class.is_kept() => Ok(vec![0.0; advantages.len()]),
            other => other,
        };
        let redistributed = baseline.clone().and_then(|advantages| {
            let settings = session.settings();
            let ranking = class.is_kept().then_some(&shown.ranking);
            redistribute(
                &advantages,
                &passing(data),
                ranking,
                &settings.scheme,
                settings.policies,
            )
            .map_err(|error| sentence(&error, error.trajectory(), data))
        });
        Some(Self {
            class,
            shown,
            grader,
            difference,
            baseline,
            redistributed,
        })
    }

    /// Half the L1 distance of the advantages before and after, as a share of the passing sum;
    /// `None` when nothing was redistributed.
    #[must_use]
    pub fn credit_moved(&self) -> Option<f64> {
        let (Ok(before), Ok(after)) = (&self.baseline, &self.redistributed) else {
            return None;
        };
        if after.status != Status::Redistributed {
            return None;
        }
        let total: f64 = before
            .iter()
            .zip(&after.weights)
            .filter(|(_, w)| w.is_some())
            .map(|(a, _)| a)
            .sum();
        (total > 0.0).then(|| half_distance(before, &after.advantages) / total)
    }

    /// Credit disagreement of the grader's ranking and the annotator's draft under the current
    /// scheme (`advantage-math.md` 2.7), 0..=1; `None` unless both ranked.
    #[must_use]
    pub fn disagreement(&self, session: &ReviewSession, group: usize) -> Option<f64> {
        let grader = self.grader.as_ref()?;
        let draft = session.draft(group)?;
        let baseline = self.baseline.as_ref().ok()?;
        let passed = passing(session.group(group)?);
        let settings = session.settings();
        let run = |ranking| {
            redistribute(
                baseline,
                &passed,
                Some(ranking),
                &settings.scheme,
                settings.policies,
            )
            .ok()
        };
        let (a, b) = (run(grader)?, run(&draft)?);
        let credit = baseline
            .iter()
            .zip(&passed)
            .filter(|(a, passes)| **passes && **a > 0.0);
        let total: f64 = credit.map(|(a, _)| a).sum();
        (total > 0.0).then(|| half_distance(&a.advantages, &b.advantages) / total)
    }
}

fn half_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum::<f64>() / 2.0
}
