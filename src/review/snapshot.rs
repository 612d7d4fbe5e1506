//! A review as it stands at one moment, for work that takes longer than a key may wait.

use std::sync::Arc;

use super::session::{ReviewSession, Settings, baseline_of};
use super::view::passing;
use crate::domain::agreement::{Undefined, compare, credit_disagreement};
use crate::domain::{GroupClass, Ranking};
use crate::formats::LoadedSet;
use crate::raters::{Aggregate, GroupEvidence, Rater};
use crate::store::projection::Projection;

/// A review as it stands at one moment. It shows what a blind review hides.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(super) set: Arc<LoadedSet>,
    pub(super) projection: Arc<Projection>,
    pub(super) settings: Settings,
    /// Baseline advantages of every group under a batch-level estimator, else empty.
    pub(super) batch: Vec<Result<Vec<f64>, String>>,
    /// Groups left out of everything: no file holds them any more.
    pub(super) gone: Vec<usize>,
}

/// How two raters differ on one group.
#[derive(Debug, Clone, PartialEq)]
pub struct Disagreement {
    /// The group, 0-based.
    pub group: usize,
    /// Share of the credit, 0 to 1, that would go to other trajectories; or why it is not known.
    pub credit: Result<f64, String>,
    /// Kendall's tau-b.
    pub tau_b: Result<f64, Undefined>,
    /// Pairs that the two order oppositely.
    pub flipped: usize,
    /// Pairs that one of them orders and the other ties.
    pub tied: usize,
}

impl Snapshot {
    /// Whether only rankings submitted blind and before a reveal count.
    #[must_use]
    pub fn blind_only(&self) -> bool {
        self.settings.blind_only
    }

    /// Everything that was said of the groups.
    #[must_use]
    pub fn evidence(&self) -> Vec<GroupEvidence> {
        let all = 0..self.set.groups.len();
        let chosen: Vec<usize> = all.filter(|group| !self.gone.contains(group)).collect();
        GroupEvidence::gather(
            &self.set,
            &chosen,
            &self.projection,
            self.settings.blind_only,
        )
    }

    /// The groups that both raters ranked, most credit at stake first, then most flipped pairs, then
    /// in the order of the set; `None` when `go_on` says no meanwhile.
    #[must_use]
    pub fn disagreements(
        &self,
        evidence: &[GroupEvidence],
        raters: (&Rater, &Rater),
        aggregate: Aggregate,
        go_on: &dyn Fn() -> bool,
    ) -> Option<Vec<Disagreement>> {
        let mut found = Vec::new();
        for group in evidence {
            if !go_on() {
                return None;
            }
            let ranking = |rater| group.ranking_by(rater, aggregate);
            if let (Some(a), Some(b)) = (ranking(raters.0), ranking(raters.1)) {
                found.push(self.disagreement(group.group, (&a, &b)));
            }
        }
        let credit = |of: &Disagreement| of.credit.as_ref().map_or(-1.0, |credit| *credit);
        found.sort_by(|a, b| {
            credit(b)
                .total_cmp(&credit(a))
                .then(b.flipped.cmp(&a.flipped))
                .then(b.tied.cmp(&a.tied))
                .then(a.group.cmp(&b.group))
        });
        Some(found)
    }

    fn disagreement(&self, group: usize, (a, b): (&Ranking, &Ranking)) -> Disagreement {
        let pair = compare(a, b);
        Disagreement {
            group,
            credit: self.credit(group, (a, b)),
            tau_b: pair.tau_b,
            flipped: pair.inversions.len(),
            tied: pair.tied_reference + pair.tied_prediction,
        }
    }

    /// Credit disagreement of two rankings of a group under the settings, 0 to 1.
    fn credit(&self, group: usize, rankings: (&Ranking, &Ranking)) -> Result<f64, String> {
        let data = self.set.groups.get(group).ok_or("no such group")?;
        let class = GroupClass::of(&data.trajectories);
        if !class.is_kept() {
            return Err(class.reason().to_owned());
        }
        let advantages = baseline_of(data, self.batch.get(group), &self.settings)?;
        let settings = &self.settings;
        credit_disagreement(
            &advantages,
            &passing(data),
            rankings,
            &settings.scheme,
            settings.policies,
        )
        .map_err(|error| error.to_string())
    }
}

impl ReviewSession {
    /// The review as it stands now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            set: Arc::clone(&self.set),
            projection: Arc::clone(&self.projection),
            settings: self.settings().clone(),
            batch: self.batch().to_vec(),
            gone: (0..self.set.groups.len())
                .filter(|&group| self.is_gone(group))
                .collect(),
        }
    }

    /// Credit disagreement of two rankings of a group under the settings, 0 to 1.
    ///
    /// # Errors
    /// Why there are no advantages, or that they are hidden, one sentence.
    pub fn credit_between(
        &self,
        group: usize,
        rankings: (&Ranking, &Ranking),
    ) -> Result<f64, String> {
        let data = self.group(group).ok_or("no such group")?;
        let class = GroupClass::of(&data.trajectories);
        if !class.is_kept() {
            return Err(class.reason().to_owned());
        }
        let settings = self.settings();
        credit_disagreement(
            &self.baseline(group)?,
            &passing(data),
            rankings,
            &settings.scheme,
            settings.policies,
        )
        .map_err(|error| error.to_string())
    }
}
