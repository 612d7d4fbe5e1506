//! Everything that was said of one group, by rater, bound to the group's trajectory indices.
//!
//! Judgements of the group as it was before its data changed are left out and counted.

use super::consensus::Aggregate;
use super::rater::Rater;
use crate::domain::{GraderAnswer, Ranking, RolloutGroup, TrajectoryIndex};
use crate::formats::LoadedSet;
use crate::store::projection::{IdTiers, Judgement, Projection, Submission};

/// What a grader said: of several answers of one name the first with a ranking, else the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Graded {
    /// The grader's name.
    pub name: String,
    /// The ranking of passing trajectories, when there is one.
    pub ranking: Option<Ranking>,
    /// The order in which it saw the candidates; empty when unknown.
    pub shown_order: Vec<TrajectoryIndex>,
    /// (trajectory, rubric code) of its findings.
    pub findings: Vec<(TrajectoryIndex, String)>,
    /// Answers of this name about the group.
    pub answers: usize,
}

/// What an annotator said.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The annotator's name.
    pub annotator: String,
    /// The submission that counts.
    pub ranking: Option<Ranking>,
    /// Whether that one was submitted after a blind group was revealed.
    pub is_after_reveal: bool,
    /// The last submission made while everything was hidden.
    pub blind: Option<Ranking>,
    /// The last submission made after everything was shown.
    pub after_reveal: Option<Ranking>,
    /// Whether a blind group was revealed.
    pub revealed: bool,
    /// Focused time in milliseconds of the submission that counts, 0 when not measured.
    pub active_ms: u64,
    /// How sure: 1 low, 2 medium, 3 high.
    pub confidence: Option<u8>,
    /// (trajectory, rubric code) of the findings made before a reveal.
    pub findings: Vec<(TrajectoryIndex, String)>,
    /// Findings made after a reveal: they are not independent of the grader's.
    pub findings_after_reveal: usize,
    /// Event id of the submission that counts, or empty.
    pub event_id: String,
}

/// How a person settled the group.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    /// Who.
    pub annotator: String,
    /// The ranking.
    pub ranking: Ranking,
    /// Why; may be empty.
    pub note: String,
    /// When, in milliseconds since the Unix epoch.
    pub at_ms: i64,
    /// Event id.
    pub event_id: String,
}

/// Everything that was said of one group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupEvidence {
    /// The group, 0-based in the set.
    pub group: usize,
    /// One flag per trajectory: does it pass.
    pub passing: Vec<bool>,
    /// The graders, in file order.
    pub graders: Vec<Graded>,
    /// The annotators who judged the group as it is, by name.
    pub people: Vec<Judged>,
    /// The known ranking.
    pub gold: Option<Ranking>,
    /// The newest settlement.
    pub settlement: Option<Settlement>,
    /// Annotators who judged the group on other data only.
    pub stale: usize,
}

impl GroupEvidence {
    /// What was said of the group at this 0-based index; `answers` are the graders' about it. With
    /// `blind_only` of each annotator the last ranking submitted blind and before a reveal counts,
    /// and no settlement: whoever settles has seen every ranking.
    #[must_use]
    pub fn of(
        index: usize,
        group: &RolloutGroup,
        answers: &[GraderAnswer],
        projection: &Projection,
        blind_only: bool,
    ) -> Self {
        let passing: Vec<bool> = group
            .trajectories
            .iter()
            .map(|trajectory| trajectory.outcome.is_pass())
            .collect();
        let mut found = Self {
            group: index,
            graders: graded(answers, &passing),
            passing,
            ..Self::default()
        };
        let id = group.id.as_str();
        let first = (id.to_owned(), String::new());
        let of_group = projection.judgements.range(first..);
        for ((_, annotator), newest) in of_group.take_while(|((of, _), _)| of == id) {
            let Some(judgement) = newest.at(&group.fingerprint) else {
                found.stale += usize::from(newest.is_touched());
                continue;
            };
            found.add(group, annotator, judgement, blind_only);
        }
        let gold = projection.gold.get(id);
        let gold = gold.filter(|gold| gold.fingerprint == group.fingerprint);
        found.gold = gold.and_then(|gold| found.bind(group, &gold.tiers));
        found
    }

    /// What was said of the chosen groups (0-based indices) of a set; see [`Self::of`].
    #[must_use]
    pub fn gather(
        set: &LoadedSet,
        chosen: &[usize],
        projection: &Projection,
        blind_only: bool,
    ) -> Vec<Self> {
        let one = |&index: &usize| {
            let group = set.groups.get(index)?;
            let answers = set.answers.get(index);
            let answers = answers.map_or(&[][..], AsRef::as_ref);
            Some(Self::of(index, group, answers, projection, blind_only))
        };
        chosen.iter().filter_map(one).collect()
    }

    fn add(
        &mut self,
        group: &RolloutGroup,
        annotator: &str,
        judgement: &Judgement,
        blind_only: bool,
    ) {
        let index = |id: &str| group.trajectories.iter().position(|t| t.id.as_str() == id);
        let counting = judgement.counting(blind_only);
        let ranking = |sent: &Submission| self.bind(group, &sent.tiers);
        let mut sent = judgement.submissions.iter().rev();
        let after_reveal = sent.find(|sent| sent.after_reveal);
        let independent = || {
            let findings = judgement.findings.iter().map(|(_, finding)| finding);
            findings.filter(|finding| !finding.after_reveal)
        };
        let person = Judged {
            annotator: annotator.to_owned(),
            ranking: counting.and_then(ranking),
            is_after_reveal: counting.is_some_and(|sent| sent.after_reveal),
            blind: judgement.blind_submission().and_then(ranking),
            after_reveal: after_reveal.and_then(ranking),
            revealed: judgement.blind && judgement.revealed,
            active_ms: counting.map_or(0, |sent| sent.active_ms),
            confidence: counting.and_then(|sent| sent.confidence),
            findings: independent()
                .filter_map(|finding| Some((index(&finding.trajectory)?, finding.code.clone())))
                .collect(),
            findings_after_reveal: judgement.findings.len() - independent().count(),
            event_id: counting.map_or_else(String::new, |sent| sent.event_id.clone()),
        };
        if person.ranking.is_some() || !judgement.findings.is_empty() {
            self.people.push(person);
        }
        let settled = judgement.adjudication.as_ref().filter(|_| !blind_only);
        let settled = settled.and_then(|settled| {
            Some(Settlement {
                annotator: annotator.to_owned(),
                ranking: self.bind(group, &settled.tiers)?,
                note: settled.note.clone(),
                at_ms: settled.at_ms,
                event_id: settled.event_id.clone(),
            })
        });
        let is_newer = |settled: &Settlement| {
            self.settlement.as_ref().is_none_or(|before| {
                (before.at_ms, &before.event_id) < (settled.at_ms, &settled.event_id)
            })
        };
        if let Some(settled) = settled.filter(is_newer) {
            self.settlement = Some(settled);
        }
    }

    /// Tiers of ids as a ranking of the group's passing trajectories; `None` when an id is not in
    /// the group or nothing is left.
    fn bind(&self, group: &RolloutGroup, tiers: &IdTiers) -> Option<Ranking> {
        let index = |id: &String| group.trajectories.iter().position(|t| t.id.as_str() == id);
        let tiers = tiers
            .iter()
            .map(|tier| tier.iter().map(index).collect::<Option<Vec<_>>>());
        let tiers = tiers.collect::<Option<Vec<_>>>()?;
        passing_only(&Ranking::new(tiers).ok()?, &self.passing)
    }

    /// The rankings of the annotators that count, by annotator.
    pub fn submitted(&self) -> impl Iterator<Item = (&str, &Ranking)> {
        let people = self.people.iter();
        people.filter_map(|person| Some((person.annotator.as_str(), person.ranking.as_ref()?)))
    }

    /// The ranking of a rater other than the consensus (see [`Self::consensus`]).
    #[must_use]
    pub fn ranking(&self, rater: &Rater) -> Option<&Ranking> {
        match rater {
            Rater::Grader(name) => {
                let mut graders = self.graders.iter();
                graders
                    .find(|grader| grader.name == *name)?
                    .ranking
                    .as_ref()
            }
            Rater::Annotator(name) => self.person(name)?.ranking.as_ref(),
            Rater::Settlement => Some(&self.settlement.as_ref()?.ranking),
            Rater::Gold => self.gold.as_ref(),
            Rater::Consensus => None,
        }
    }

    /// The ranking of a rater, the consensus by this aggregate too.
    #[must_use]
    pub fn ranking_by(&self, rater: &Rater, aggregate: Aggregate) -> Option<Ranking> {
        match rater {
            Rater::Consensus => self.consensus(aggregate).ranking.ok(),
            rater => self.ranking(rater).cloned(),
        }
    }

    /// What this annotator said.
    #[must_use]
    pub fn person(&self, name: &str) -> Option<&Judged> {
        self.people.iter().find(|person| person.annotator == name)
    }

    /// Number of passing trajectories.
    #[must_use]
    pub fn candidates(&self) -> usize {
        self.passing.iter().filter(|passes| **passes).count()
    }
}

/// The graders' answers, one per name.
fn graded(answers: &[GraderAnswer], passing: &[bool]) -> Vec<Graded> {
    let mut graders: Vec<Graded> = Vec::new();
    for answer in answers {
        let ranking = answer.ranking.as_ref();
        let ranking = ranking.and_then(|ranking| passing_only(ranking, passing));
        let findings = || {
            let findings = answer.findings.iter();
            findings
                .map(|finding| (finding.trajectory, finding.code.clone()))
                .collect()
        };
        let known = graders
            .iter_mut()
            .find(|known| known.name == answer.grader.name);
        match known {
            Some(known) => {
                known.answers += 1;
                if known.ranking.is_none() && ranking.is_some() {
                    known.ranking = ranking;
                    known.shown_order.clone_from(&answer.shown_order);
                    known.findings = findings();
                }
            }
            None => graders.push(Graded {
                name: answer.grader.name.clone(),
                ranking,
                shown_order: answer.shown_order.clone(),
                findings: findings(),
                answers: 1,
            }),
        }
    }
    graders
}

/// The ranking without trajectories that do not pass; `None` when nothing is left.
fn passing_only(ranking: &Ranking, passing: &[bool]) -> Option<Ranking> {
    let keep = |index: &usize| passing.get(*index).copied().unwrap_or(false);
    let tiers = ranking
        .tiers()
        .iter()
        .map(|tier| tier.iter().copied().filter(keep).collect())
        .collect();
    let kept = Ranking::new(tiers).ok()?;
    (!kept.is_empty()).then_some(kept)
}
