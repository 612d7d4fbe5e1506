//! The candidates of the open group in the order shown, with every figure of the ranking strip.
//!
//! Pure: what the strip's columns look like is `view.rs`.

use std::collections::HashMap;
use std::sync::Arc;

use super::patch_notes::PatchNotes;
use crate::diff::{Certainty, Results};
pub use crate::domain::letter;
use crate::domain::{
    Outcome, PatchHash, PatchPresence, Ranking, RolloutGroup, Trajectory, TrajectoryIndex,
};

use crate::formats::SAME_PATCH;
use crate::review::{ReviewSession, ReviewedGroup};

/// One row of the ranking strip.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its index in the group.
    pub index: TrajectoryIndex,
    /// A, B, … in group order: short, and the same whatever the ranking.
    pub letter: String,
    /// Trajectory id, with the policy when known. Untrusted text.
    pub name: String,
    /// 1-based rank; `None` = unranked.
    pub rank: Option<usize>,
    /// Whether it ties with others.
    pub tied: bool,
    /// What the hidden tests said.
    pub outcome: Outcome,
    /// Advantage before redistribution.
    pub base: Option<f64>,
    /// Advantage after it.
    pub after: Option<f64>,
    /// After / before; `None` outside the credit set.
    pub multiplier: Option<f64>,
    /// Share of the passing credit after redistribution, 0..=1; `None` outside the credit set.
    pub share: Option<f64>,
    /// Files touched.
    pub files: u32,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// Steps, when a trace is known.
    pub steps: Option<u32>,
    /// Findings about it, of the grader and of people.
    pub findings: usize,
    /// Rank in the grader's ranking when that is not the one shown; inner `None` = unranked there.
    pub grader_rank: Option<Option<usize>>,
    /// Whether it ties with others in the grader's ranking.
    pub grader_tied: bool,
    /// Whether its rank, or those it ties with, are others in the grader's ranking.
    pub differs: bool,
    /// Words on it: duplicates, empty patch, masked, ….
    pub marks: Vec<String>,
    /// Sentences on bytes of its patch that are no text.
    pub not_utf8: Vec<String>,
    /// What is odd about its patch, once that is on its base.
    pub patch: Option<Arc<PatchNotes>>,
}

impl Candidate {
    /// Whether there is anything to read about it.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.brief_marks().next().is_some()
    }

    /// Every mark, with one word for what is odd about the patch.
    pub fn brief_marks(&self) -> impl Iterator<Item = &str> {
        let patch = self.patch.as_deref();
        let words = [
            (!self.not_utf8.is_empty(), "not UTF-8"),
            (
                patch.is_some_and(|patch| !patch.repairs.is_empty()),
                "⚕ repaired",
            ),
            (
                patch.is_some_and(|patch| !patch.lost.is_empty()),
                "does not apply here",
            ),
        ];
        let words = words.into_iter().filter(|(is_so, _)| *is_so);
        let marks = self.marks.iter().map(String::as_str);
        marks.chain(words.map(|(_, word)| word))
    }

    /// Every mark, whole.
    pub fn whole_marks(&self) -> impl Iterator<Item = &str> {
        let marks = self.marks.iter().chain(&self.not_utf8);
        let patch = self.patch.iter();
        let patch = patch.flat_map(|patch| patch.repairs.iter().chain(&patch.lost));
        marks.chain(patch).map(String::as_str)
    }
}

/// The candidates in the order shown: ranked ones by rank, then unranked passing, failing and
/// unscored ones, each in group order.
#[must_use]
pub fn order(group: &RolloutGroup, ranking: &Ranking) -> Vec<TrajectoryIndex> {
    let count = group.trajectories.len();
    let mut order: Vec<_> = ranking.order().into_iter().filter(|&i| i < count).collect();
    let mut ranked = vec![false; count];
    for &index in &order {
        ranked[index] = true;
    }
    for outcome in [Outcome::Pass, Outcome::Fail, Outcome::Unscored] {
        order
            .extend((0..count).filter(|&i| !ranked[i] && group.trajectories[i].outcome == outcome));
    }
    order
}

/// The rows of the strip, in the order of [`order`].
#[must_use]
pub fn candidates(
    session: &ReviewSession,
    group: usize,
    reviewed: &ReviewedGroup,
) -> Vec<Candidate> {
    let Some(data) = session.group(group) else {
        return Vec::new();
    };
    let places = Places::of(&reviewed.shown.ranking);
    let grader =
        reviewed.grader.as_ref().map(Places::of).filter(|grader| {
            (0..data.trajectories.len()).any(|index| !places.agrees(grader, index))
        });
    let duplicates = duplicates(data);
    let mut findings: HashMap<TrajectoryIndex, (usize, usize)> = HashMap::new();
    for finding in session.findings(group) {
        let (all, people) = findings.entry(finding.trajectory).or_default();
        *all += 1;
        *people += usize::from(finding.by.is_person());
    }
    let credit = credit(reviewed);
    order(data, &reviewed.shown.ranking)
        .into_iter()
        .map(|index| {
            let trajectory = &data.trajectories[index];
            let after = reviewed.redistributed.as_ref().ok();
            let weighted =
                after.filter(|after| after.weights.get(index).copied().flatten().is_some());
            let advantage = after.and_then(|after| after.advantages.get(index).copied());
            Candidate {
                index,
                letter: letter(index),
                name: name(index, trajectory),
                rank: places.rank(index),
                tied: places.tied(index),
                outcome: trajectory.outcome,
                base: reviewed
                    .baseline
                    .as_ref()
                    .ok()
                    .and_then(|all| all.get(index).copied()),
                after: advantage,
                multiplier: weighted.and_then(|after| after.multipliers.get(index).copied()),
                share: weighted
                    .and(advantage)
                    .filter(|_| credit > 0.0)
                    .map(|advantage| advantage / credit),
                files: trajectory.patch.files,
                added: trajectory.patch.added,
                removed: trajectory.patch.removed,
                steps: trajectory.steps,
                findings: findings.get(&index).map_or(0, |(all, _)| *all),
                grader_rank: grader.as_ref().map(|places| places.rank(index)),
                grader_tied: grader.as_ref().is_some_and(|places| places.tied(index)),
                differs: grader
                    .as_ref()
                    .is_some_and(|grader| !places.agrees(grader, index)),
                marks: {
                    let mut marks = marks(trajectory, duplicates.get(&index).map(String::as_str));
                    let people = findings.get(&index).map_or(0, |(_, people)| *people);
                    if people > 0 {
                        marks.insert(0, format!("✎ {people}"));
                    }
                    marks
                },
                not_utf8: {
                    let marks = trajectory.marks.iter();
                    marks.filter(|mark| is_not_utf8(mark)).cloned().collect()
                },
                patch: None,
            }
        })
        .collect()
}

/// Takes ranks, and what follows from them, off the candidates and puts them in the order of nobody's
/// ranking: while pairs are compared a verdict is to be one's own.
pub fn hide_ranks(candidates: &mut [Candidate], order: &[TrajectoryIndex]) {
    for found in candidates.iter_mut() {
        (found.rank, found.tied) = (None, false);
        (found.grader_rank, found.grader_tied, found.differs) = (None, false, false);
        found.after = found.base;
        (found.multiplier, found.share) = (None, None);
    }
    candidates.sort_by_key(|found| order.iter().position(|&index| index == found.index));
}

/// Sum of the redistributed advantages of those that share the credit.
fn credit(reviewed: &ReviewedGroup) -> f64 {
    reviewed.redistributed.as_ref().map_or(0.0, |after| {
        after
            .advantages
            .iter()
            .zip(&after.weights)
            .filter(|(_, w)| w.is_some())
            .map(|(a, _)| a)
            .sum()
    })
}

/// The group's figures beside the candidates'.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Sum of the baseline advantages of the passing.
    pub before: f64,
    /// The same after redistribution.
    pub after: f64,
    /// Effective number of trajectories that share the credit, 1 / Σ share² (`advantage-math.md`
    /// 2.7); `None` when nobody has credit.
    pub effective: Option<f64>,
    /// How many share it.
    pub sharing: usize,
}

/// The group's figures, or why there are none.
///
/// # Errors
/// The reason that the baseline or the redistribution cannot be computed.
pub fn figures(group: &RolloutGroup, reviewed: &ReviewedGroup) -> Result<Figures, String> {
    let before = reviewed.baseline.as_ref().map_err(Clone::clone)?;
    let after = reviewed.redistributed.as_ref().map_err(Clone::clone)?;
    let passing = |advantages: &[f64]| -> f64 {
        advantages
            .iter()
            .zip(&group.trajectories)
            .filter(|(_, trajectory)| trajectory.outcome.is_pass())
            .map(|(advantage, _)| advantage)
            .sum()
    };
    let credit = credit(reviewed);
    let holders = || {
        after
            .advantages
            .iter()
            .zip(&after.weights)
            .filter(|(_, w)| w.is_some())
            .map(|(a, _)| *a)
    };
    let squares: f64 = holders()
        .map(|advantage| (advantage / credit).powi(2))
        .sum();
    Ok(Figures {
        before: passing(before),
        after: passing(&after.advantages),
        effective: (credit > 0.0 && squares > 0.0).then(|| 1.0 / squares),
        sharing: holders().count(),
    })
}

/// Rank and tier of every ranked trajectory, looked up in one step.
struct Places<'a>(HashMap<TrajectoryIndex, (usize, &'a [TrajectoryIndex])>);

impl<'a> Places<'a> {
    fn of(ranking: &'a Ranking) -> Self {
        let mut places = HashMap::new();
        let mut rank = 1;
        for tier in ranking.tiers() {
            for &index in tier {
                places.insert(index, (rank, tier.as_slice()));
            }
            rank += tier.len();
        }
        Self(places)
    }

    fn rank(&self, index: TrajectoryIndex) -> Option<usize> {
        self.0.get(&index).map(|(rank, _)| *rank)
    }

    fn tied(&self, index: TrajectoryIndex) -> bool {
        self.0.get(&index).is_some_and(|(_, tier)| tier.len() > 1)
    }

    /// Whether both rank it the same and tie it with the same ones.
    fn agrees(&self, other: &Self, index: TrajectoryIndex) -> bool {
        match (self.0.get(&index), other.0.get(&index)) {
            (Some((rank, tier)), Some((other_rank, other_tier))) => {
                rank == other_rank
                    && tier.len() == other_tier.len()
                    && tier.iter().all(|member| other_tier.contains(member))
            }
            (None, None) => true,
            _ => false,
        }
    }
}

/// Nothing where the letter is all that is known, in a blind group.
fn name(index: TrajectoryIndex, trajectory: &Trajectory) -> String {
    if trajectory.id.as_str() == letter(index) {
        return String::new();
    }
    match &trajectory.policy {
        Some(policy) if policy != trajectory.id.as_str() => {
            format!("{} {policy}", trajectory.id)
        }
        _ => trajectory.id.to_string(),
    }
}

/// The letters of candidates that are the same as another one: the first ones when they are many.
fn named(others: impl Iterator<Item = TrajectoryIndex>) -> String {
    let mut letters: Vec<String> = others.take(MOST_NAMED + 1).map(letter).collect();
    if let Some(last) = letters.get_mut(MOST_NAMED) {
        "…".clone_into(last);
    }
    letters.join(", ")
}

/// For each trajectory whose patch others have too: those, by their letters.
fn duplicates(group: &RolloutGroup) -> HashMap<TrajectoryIndex, String> {
    let mut same: HashMap<PatchHash, Vec<TrajectoryIndex>> = HashMap::new();
    for (index, trajectory) in group.trajectories.iter().enumerate() {
        if trajectory.patch.presence == PatchPresence::Diff {
            same.entry(trajectory.patch.sha256).or_default().push(index);
        }
    }
    let mut duplicates = HashMap::new();
    for members in same.values().filter(|members| members.len() > 1) {
        for &index in members {
            let others = members.iter().copied().filter(|&other| other != index);
            duplicates.insert(index, named(others));
        }
    }
    duplicates
}

/// Most candidates that a mark names.
const MOST_NAMED: usize = 3;
/// Marks of candidates that change nothing: that their results are the same says nothing.
const NO_DIFF: [&str; 2] = ["no patch recorded", "empty patch"];

/// Marks the candidates whose results are the same although their patches are written otherwise.
pub fn mark_results(candidates: &mut [Candidate], results: &Results) {
    let all = candidates.len();
    for found in candidates {
        let others = results.overall.equals(found.index);
        let others = named(others.filter(|&other| other < all));
        let is_told = found
            .marks
            .iter()
            .any(|mark| mark.starts_with(SAME_PATCH) || NO_DIFF.contains(&mark.as_str()));
        if !others.is_empty() && !is_told {
            let at_least = match results.overall.certainty {
                Certainty::Exact => "",
                Certainty::AsFarAsQuoted => " as far as quoted",
            };
            let mark = format!("= result of {others}{at_least}");
            found.marks.insert(0, mark);
        }
    }
}

/// Notes what is odd about the candidates' patches.
pub fn note_patches(candidates: &mut [Candidate], notes: &[Arc<PatchNotes>]) {
    for found in candidates {
        found.patch = notes.get(found.index).cloned();
    }
}

/// Whether a mark is what a reader of bytes said of some that are no text.
fn is_not_utf8(mark: &str) -> bool {
    mark.contains(" not UTF-8: ")
}

fn marks(trajectory: &Trajectory, duplicates: Option<&str>) -> Vec<String> {
    let mut marks = Vec::new();
    match trajectory.patch.presence {
        PatchPresence::Missing => marks.push("no patch recorded".to_owned()),
        PatchPresence::Empty => marks.push("empty patch".to_owned()),
        // The index marks it.
        PatchPresence::NotADiff | PatchPresence::Diff => {}
    }
    if let Some(others) = duplicates {
        marks.push(format!("{SAME_PATCH}{others}"));
    }
    if trajectory.masked {
        marks.push("masked".to_owned());
    }
    if trajectory.truncated {
        marks.push("truncated".to_owned());
    }
    if let Some(tests) = trajectory.tests.filter(|tests| tests.failed > 0) {
        let plural = if tests.failed == 1 { "" } else { "s" };
        marks.push(format!("{} test{plural} failed", tests.failed));
    }
    for mark in &trajectory.marks {
        // Letters say it shorter than ids.
        let is_told = duplicates.is_some() && mark.starts_with(SAME_PATCH);
        if !is_told && !is_not_utf8(mark) && !marks.contains(mark) {
            marks.push(mark.clone());
        }
    }
    marks
}

#[cfg(test)]
impl Candidate {
    /// A passing candidate of which nothing more is known.
    pub(crate) fn unranked(index: TrajectoryIndex, name: &str) -> Self {
        Self {
            index,
            letter: letter(index),
            name: name.to_owned(),
            rank: None,
            tied: false,
            outcome: Outcome::Pass,
            base: None,
            after: None,
            multiplier: None,
            share: None,
            files: 0,
            added: 0,
            removed: 0,
            steps: None,
            findings: 0,
            grader_rank: None,
            grader_tied: false,
            differs: false,
            marks: Vec::new(),
            not_utf8: Vec::new(),
            patch: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_patches_are_noted_in_short_and_whole() {
        let mut trajectory = Trajectory::new("a", Outcome::Pass);
        let said = "2 lines not UTF-8: shown byte by byte, as Latin-1";
        trajectory.marks.push(said.to_owned());
        assert!(!marks(&trajectory, None).contains(&said.to_owned()));
        let mut all = [Candidate::unranked(0, "a")];
        assert!(!all[0].is_marked());
        all[0].not_utf8 = vec![said.to_owned()];
        let notes = PatchNotes {
            repairs: vec!["one".to_owned(), "two".to_owned()],
            lost: Vec::new(),
        };
        note_patches(&mut all, &[Arc::new(notes)]);
        let brief: Vec<_> = all[0].brief_marks().collect();
        assert_eq!(brief, ["not UTF-8", "⚕ repaired"]);
        let whole: Vec<_> = all[0].whole_marks().collect();
        assert_eq!(whole, [said, "one", "two"]);
    }

    #[test]
    fn duplicates_name_the_others() {
        let mut first = Trajectory::new("a", Outcome::Pass);
        first.patch.presence = PatchPresence::Diff;
        first.patch.sha256 = PatchHash::new([1; 32]);
        let mut other = first.clone();
        other.patch.sha256 = PatchHash::new([2; 32]);
        let group = RolloutGroup {
            id: crate::domain::GroupId("g".to_owned()),
            step: None,
            task: crate::domain::TaskSummary::default(),
            trajectories: vec![first.clone(), other, first.clone(), first],
            fingerprint: String::new(),
            meta: crate::domain::Extra::default(),
        };
        let found = duplicates(&group);
        let others = |index: usize| found.get(&index).map(String::as_str);
        assert_eq!(others(0), Some("C, D"));
        assert_eq!(others(2), Some("A, D"));
        assert_eq!(others(3), Some("A, C"));
        assert_eq!(named(1..9), "B, C, D, …");
        assert_eq!(found.get(&1), None);
    }

    #[test]
    fn the_order_puts_unscored_last() {
        let outcomes = [
            Outcome::Unscored,
            Outcome::Fail,
            Outcome::Pass,
            Outcome::Pass,
        ];
        let group = RolloutGroup {
            id: crate::domain::GroupId("g".to_owned()),
            step: None,
            task: crate::domain::TaskSummary::default(),
            trajectories: outcomes
                .map(|outcome| Trajectory::new("t", outcome))
                .to_vec(),
            fingerprint: String::new(),
            meta: crate::domain::Extra::default(),
        };
        let ranking = Ranking::new(vec![vec![3]]).unwrap();
        assert_eq!(order(&group, &ranking), [3, 2, 1, 0]);
    }
}
