//! Blind review: which groups are shown under letters, in which order, and what is hidden of them.
//!
//! A blind group is held with its trajectories in a shuffled order, so that everything that counts
//! trajectories by index (texts, answers, rankings) follows it. Until it is revealed it is shown
//! masked, and without a grader's answer.
//!
//! What is *not* here: what masking leaves (`masked.rs`), what is recorded of it (`change.rs`, `labels.rs`), and the words on screen.

use std::collections::BTreeSet;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::masked::masked;
use super::session::ReviewSession;
use crate::domain::{GraderAnswer, RolloutGroup, TrajectoryIndex};
use crate::formats::{LoadedSet, TextPlaces};
use crate::store::projection::Judgement;

/// Why something of a blind group is not shown, one sentence.
pub const HIDDEN: &str = "hidden in blind mode until you submit and reveal the group";

/// Which groups are reviewed blind. The default hides nothing, for commands that are no review.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlindPlan {
    /// Every group, but for [`Self::open`].
    pub all: bool,
    /// These are not hidden though all others are, by id.
    pub open: BTreeSet<String>,
    /// Those that the annotator began blind and has not revealed yet, whatever else is said: what was
    /// begun blind is not ended seeing everything by accident.
    pub begun: bool,
    /// What orders are shuffled with, beside annotator and group.
    pub seed: u64,
}

impl BlindPlan {
    /// A review that hides what was begun blind, and every group when `all`.
    #[must_use]
    pub fn review(all: bool, seed: u64) -> Self {
        Self {
            all,
            open: BTreeSet::new(),
            begun: true,
            seed,
        }
    }

    /// Whether the plan itself names this group.
    #[must_use]
    pub fn names(&self, group_id: &str) -> bool {
        self.all && !self.open.contains(group_id)
    }

    /// Whether no group can be blind under it.
    fn is_off(&self) -> bool {
        !self.all && !self.begun
    }
}

/// The order in which a person sees the trajectories of a group blind: the 0-based index of each in
/// `ids`, in the order shown. It follows the SHA-256 of (seed, annotator, group id, trajectory id),
/// each with its length (64 bits, little-endian) before it, compared byte by byte: the same on every
/// machine, at every start and in whatever order the files were read.
#[must_use]
pub fn blind_order(seed: u64, annotator: &str, group_id: &str, ids: &[&str]) -> Vec<usize> {
    let key = |index: &usize| {
        let mut hash = Sha256::new();
        hash.update(seed.to_le_bytes());
        for part in [annotator, group_id, ids.get(*index).unwrap_or(&"")] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        hash.finalize().to_vec()
    };
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by_cached_key(key);
    order
}

/// How a blind group is shown.
#[derive(Debug)]
pub(super) struct Face {
    /// As it was loaded.
    raw: Arc<RolloutGroup>,
    raw_answers: Arc<[GraderAnswer]>,
    /// Index in `raw` by index shown.
    order: Vec<TrajectoryIndex>,
    /// In the order shown.
    truth: Arc<RolloutGroup>,
    answers: Arc<[GraderAnswer]>,
    /// Where its texts are; `None` when the set knows of none.
    places: Option<TextPlaces>,
    /// The truth without what is hidden, while something is.
    masked: Option<RolloutGroup>,
}

impl Face {
    /// What is shown of the group.
    pub(super) fn shown(&self) -> &RolloutGroup {
        self.masked.as_ref().unwrap_or(&self.truth)
    }

    /// Whether something of the group is hidden.
    pub(super) fn is_hidden(&self) -> bool {
        self.masked.is_some()
    }

    /// Index in the group as it was loaded by index shown.
    pub(super) fn order(&self) -> &[TrajectoryIndex] {
        &self.order
    }

    fn set_hidden(&mut self, hidden: bool) {
        if hidden != self.is_hidden() {
            self.masked = hidden.then(|| masked(&self.truth, &self.answers));
        }
    }
}

impl ReviewSession {
    /// Changes which groups are blind, before one of them is opened: their order changes, and what
    /// was opened of them is in another one.
    pub fn set_blind(&mut self, plan: BlindPlan) {
        self.identity.blind = plan;
        self.faces.clear();
        self.face_all();
        self.recompute();
    }

    /// Whether a group is shown under letters in a shuffled order, revealed or not.
    #[must_use]
    pub fn is_blind(&self, group: usize) -> bool {
        self.faces.contains_key(&group)
    }

    /// Whether names, grader and advantages of a group are hidden now.
    #[must_use]
    pub fn is_hidden(&self, group: usize) -> bool {
        self.faces.get(&group).is_some_and(Face::is_hidden)
    }

    /// How many groups have something hidden: while there is one, nothing is shown that is made from
    /// all of them.
    #[must_use]
    pub fn hidden_groups(&self) -> usize {
        self.hidden
    }

    /// Whether what names files or runs of the whole set is hidden: a group is, or every group that
    /// may come will be.
    #[must_use]
    pub fn hides_names(&self) -> bool {
        self.hidden > 0 || self.identity.blind.all && self.faces.is_empty()
    }

    /// Whether a group is hidden and was submitted, so that it can be revealed.
    #[must_use]
    pub fn awaits_reveal(&self, group: usize) -> bool {
        let judgement = self.judgement(group).filter(|_| self.is_hidden(group));
        judgement.is_some_and(|judgement| !judgement.submissions.is_empty())
    }

    /// The group with its true names, in the order shown.
    pub(super) fn truth(&self, group: usize) -> Option<&RolloutGroup> {
        self.set.groups.get(group).map(AsRef::as_ref)
    }

    /// Makes the faces of every group of the set as it was loaded, and the set in their order.
    pub(super) fn face_all(&mut self) {
        self.set = Arc::clone(&self.raw);
        self.hidden = 0;
        if self.identity.blind.is_off() {
            return;
        }
        let mut set: Option<LoadedSet> = None;
        for group in 0..self.raw.groups.len() {
            let Some(face) = self.face_of(group) else {
                self.faces.remove(&group);
                continue;
            };
            let set = set.get_or_insert_with(|| self.raw.as_ref().clone());
            self.hidden += usize::from(face.is_hidden());
            set.put_in_order(group, &face.truth, &face.answers, face.places.as_ref());
            self.faces.insert(group, face);
        }
        if let Some(set) = set {
            self.set = Arc::new(set);
        }
    }

    /// The face of a group of the set as it was loaded; `None` when it is shown as it is.
    fn face_of(&mut self, group: usize) -> Option<Face> {
        let raw = self.raw.groups.get(group)?;
        let answers = self.raw.answers.get(group);
        let before = self.faces.remove(&group);
        let same = before.filter(|face| {
            Arc::ptr_eq(&face.raw, raw)
                && answers.is_none_or(|answers| Arc::ptr_eq(&face.raw_answers, answers))
                && face
                    .places
                    .as_ref()
                    .is_none_or(|places| self.raw.has_places(group, places))
        });
        if same.is_some() {
            return same;
        }
        let key = (raw.id.0.clone(), self.identity.annotator.clone());
        let judgement = self.projection.judgements.get(&key);
        let current = judgement.and_then(|judgement| judgement.at(&raw.fingerprint));
        let plan = &self.identity.blind;
        let begun_blind = |at: &&Judgement| plan.begun && at.blind && !at.revealed;
        // What was begun blind and has changed since is begun again.
        let begun = current.or(judgement).filter(begun_blind).is_some();
        let was_blind = current.is_some_and(|current| current.blind);
        if !begun && !plan.names(raw.id.as_str()) {
            return None;
        }
        let ids: Vec<&str> = raw.trajectories.iter().map(|t| t.id.as_str()).collect();
        let recorded = current.filter(|_| was_blind);
        let order = recorded
            .and_then(|current| positions(&current.opened_order, &ids))
            .unwrap_or_else(|| {
                let annotator = &self.identity.annotator;
                blind_order(plan.seed, annotator, raw.id.as_str(), &ids)
            });
        let hidden = !current.is_some_and(|current| current.revealed);
        let truth = in_order(raw, &order);
        let raw_answers = answers.map_or_else(Arc::default, Arc::clone);
        let answers = raw_answers.iter().map(|answer| reordered(answer, &order));
        let masked = hidden.then(|| masked(&truth, &raw_answers));
        Some(Face {
            answers: answers.collect(),
            raw: Arc::clone(raw),
            raw_answers,
            places: self.raw.places_in_order(group, &order),
            masked,
            truth: Arc::new(truth),
            order,
        })
    }

    /// Lets the faces there are follow what was said: a group is revealed. None comes and none goes
    /// while the program runs, since the order of what is on screen must stay.
    pub(super) fn follow_reveal(&mut self, group: usize) {
        let hidden = !self.judgement(group).is_some_and(|found| found.revealed);
        if let Some(face) = self.faces.get_mut(&group) {
            self.hidden -= usize::from(face.is_hidden());
            face.set_hidden(hidden);
            self.hidden += usize::from(hidden);
        }
    }

    /// [`Self::follow_reveal`] of every group.
    pub(super) fn follow_reveals(&mut self) {
        let groups: Vec<usize> = self.faces.keys().copied().collect();
        for group in groups {
            self.follow_reveal(group);
        }
    }

    /// Whether a judgement that begins now is one of somebody who has not seen what is hidden.
    pub(super) fn begins_blind(&self, group: usize) -> bool {
        let chain = std::iter::successors(self.any_judgement(group), |at| at.stale.as_deref());
        let mut seen = chain.filter(|at| !at.opened_order.is_empty());
        self.is_hidden(group) && !seen.any(|at| !at.blind || at.revealed)
    }
}

/// Where each id of `order` stands in `ids`; `None` unless both hold the same ids.
fn positions(order: &[String], ids: &[&str]) -> Option<Vec<usize>> {
    let found: Option<Vec<usize>> = order
        .iter()
        .map(|id| ids.iter().position(|other| other == id))
        .collect();
    let found = found.filter(|found| found.len() == ids.len())?;
    let different: BTreeSet<usize> = found.iter().copied().collect();
    (different.len() == ids.len()).then_some(found)
}

fn in_order(raw: &RolloutGroup, order: &[TrajectoryIndex]) -> RolloutGroup {
    let picked = order
        .iter()
        .filter_map(|&index| raw.trajectories.get(index));
    RolloutGroup {
        id: raw.id.clone(),
        step: raw.step,
        task: raw.task.clone(),
        trajectories: picked.cloned().collect(),
        fingerprint: raw.fingerprint.clone(),
        meta: raw.meta.clone(),
    }
}

/// The answer about the group in another order.
fn reordered(answer: &GraderAnswer, order: &[TrajectoryIndex]) -> GraderAnswer {
    let place = |raw: TrajectoryIndex| order.iter().position(|&at| at == raw).unwrap_or(raw);
    let mut answer = answer.clone();
    answer.ranking = answer.ranking.map(|ranking| {
        let tiers = ranking.tiers().iter();
        let tiers = tiers.map(|tier| tier.iter().map(|&raw| place(raw)).collect());
        // The same tiers under other numbers.
        crate::domain::Ranking::new(tiers.collect()).unwrap_or_default()
    });
    for index in &mut answer.shown_order {
        *index = place(*index);
    }
    for (index, _) in &mut answer.summaries {
        *index = place(*index);
    }
    for finding in &mut answer.findings {
        finding.trajectory = place(finding.trajectory);
    }
    answer
}
