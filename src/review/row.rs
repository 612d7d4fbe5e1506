//! One line of the list of groups.

use super::session::ReviewSession;
use super::view::{RankingSource, ReviewedGroup};
use crate::domain::{GroupClass, Outcome};
use crate::raters::Provenance;

/// Where an annotator's work on a group stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewState {
    /// Never opened.
    Unseen,
    /// Opened, and nothing judged.
    Opened,
    /// A draft that does not count yet.
    Draft,
    /// Set aside without a ranking.
    Skipped,
    /// Submitted.
    Submitted,
    /// Submitted, then changed: the submission still counts until the next one.
    Edited,
    /// Judged on other data than what is loaded.
    Stale,
}

impl ReviewState {
    /// Whether the annotator is through with the group: submitted or skipped.
    #[must_use]
    pub fn is_finished(self) -> bool {
        matches!(self, Self::Submitted | Self::Skipped)
    }

    /// The word used on screen, in filters and in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unseen => "unseen",
            Self::Opened => "opened",
            Self::Draft => "draft",
            Self::Skipped => "skipped",
            Self::Submitted => "submitted",
            Self::Edited => "edited",
            Self::Stale => "stale",
        }
    }
}

/// Share of the passing credit that a ranking is taken to move before there is one.
const UNRANKED_SHARE: f64 = 0.1;

/// What the list of groups shows of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupRow {
    /// Training step, when known.
    pub step: Option<i64>,
    /// Number of trajectories.
    pub n: usize,
    /// Passing ones.
    pub passing: usize,
    /// Failing ones.
    pub failing: usize,
    /// Unscored ones.
    pub unscored: usize,
    /// Why the group is kept or not.
    pub class: GroupClass,
    /// Whose ranking counts: the annotator's, once submitted, else the grader's.
    pub ranked_by: Option<String>,
    /// Share of the passing credit that the ranking moved; `None` when none was.
    pub credit_moved: Option<f64>,
    /// Whether advantages cannot be computed: estimator or rules do not fit the group.
    pub without_advantages: bool,
    /// Credit disagreement between grader and annotator; `None` unless both ranked.
    pub disagreement: Option<f64>,
    /// Number of grader findings.
    pub findings: usize,
    /// Where the annotator's work stands.
    pub state: ReviewState,
    /// Why the annotator set it aside, when they did.
    pub skipped: Option<String>,
    /// Why the annotator flagged it, when they did; may be empty.
    pub flagged: Option<String>,
    /// Findings of the grader and the annotator, and remarks the annotator judged.
    pub remarked: usize,
    /// How much advantage a ranking moves: the share that one moved of the passing candidates'
    /// advantages. Without a ranking all of those may move, and count a tenth; 0 where nothing can.
    pub at_stake: f64,
    /// The annotator's focused time on it, in milliseconds.
    pub spent_ms: u64,
    /// How people's ranking of it came about; `None` when nobody ranked it, or while that is hidden.
    pub provenance: Option<Provenance>,
}

impl GroupRow {
    /// Whether no file holds a rollout of the group any more: it keeps its index for the session,
    /// but is in no list and no count.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.n == 0
    }

    pub(super) fn of(session: &ReviewSession, group: usize) -> Option<Self> {
        let data = session.group(group)?;
        let reviewed = ReviewedGroup::of(session, group)?;
        let count = |wanted| {
            data.trajectories
                .iter()
                .filter(|t| t.outcome == wanted)
                .count()
        };
        // A draft is nobody's ranking yet.
        let source = match session.settings().source {
            RankingSource::Best => session.counted_shown(group).map(|shown| shown.source),
            _ => Some(reviewed.shown.source.clone()),
        };
        let ranked_by = source
            .as_deref()
            .and_then(|source| source.split_once(':'))
            .map(|(_, name)| name.to_owned());
        let findings = session.findings(group).len();
        let judgement = session.judgement(group);
        let remarked = judgement.map_or(0, |said| said.remarks.len());
        let class = reviewed.class;
        let credit_moved = reviewed.credit_moved();
        let pot: f64 = match &reviewed.baseline {
            Ok(baseline) if class.is_kept() && count(Outcome::Pass) >= 2 => {
                let passing = data.trajectories.iter().zip(baseline);
                let passing = passing.filter(|(t, _)| t.outcome.is_pass());
                passing.map(|(_, advantage)| advantage.abs()).sum()
            }
            _ => 0.0,
        };
        Some(Self {
            step: data.step,
            n: data.trajectories.len(),
            passing: count(Outcome::Pass),
            failing: count(Outcome::Fail),
            unscored: count(Outcome::Unscored),
            class,
            ranked_by: ranked_by.filter(|name| !name.is_empty()),
            credit_moved,
            without_advantages: !session.is_hidden(group)
                && (reviewed.baseline.is_err() || reviewed.redistributed.is_err()),
            disagreement: reviewed.disagreement(session, group),
            findings,
            state: session.state(group),
            skipped: judgement.and_then(|said| said.skipped.clone()),
            flagged: judgement.and_then(|said| said.flagged.clone()),
            remarked: findings + remarked,
            at_stake: pot * credit_moved.unwrap_or(UNRANKED_SHARE),
            spent_ms: judgement.map_or(0, |said| said.spent_ms),
            provenance: match session.is_hidden(group) {
                true => None,
                false => session.provenance(group),
            },
        })
    }
}
