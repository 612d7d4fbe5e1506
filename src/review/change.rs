//! A change of a judgement: what it means, and the events that record it.

use super::session::ReviewSession;
use super::view::{Origin, passing};
use crate::domain::{GroupClass, Move, Ranking, TrajectoryIndex};
use crate::store::projection::Judgement;
use crate::store::{
    EventBody, FindingRecord, GroupRecord, NewEvent, PairVerdict, RuleStamp, Verdict,
};

/// What a person wants changed in a group's judgement.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Moves one trajectory in the draft (which starts from the ranking shown).
    Move(Move),
    /// Replaces the draft by this ranking.
    Set(Ranking),
    /// Takes the grader's order as the draft: an explicit, recorded act.
    AcceptGrader,
    /// Takes the draft of the group as it was before its data changed as the draft of the group as
    /// it is.
    KeepDraft,
    /// Submits the draft: from now on it counts.
    Submit,
    /// Sets the group's note.
    Note(String),
    /// Records that the group was opened; once only.
    Open,
    /// Sets the group aside without a ranking, with a reason; `None` = no longer.
    Skip(Option<String>),
    /// Flags the group for another look, with a reason that may be empty; `None` = no longer.
    Flag(Option<String>),
    /// How sure the annotator is: 1 low, 2 medium, 3 high; `None` = not said.
    Confidence(Option<u8>),
    /// Adds a finding.
    AddFinding(FindingRecord),
    /// Changes the finding of this id.
    ChangeFinding(String, FindingRecord),
    /// Removes the finding of this id.
    RemoveFinding(String),
    /// Says that a rule's remark is right or wrong, or nothing any more.
    Remark(RemarkChange),
    /// Says which of two candidates is better; `after` is the draft that follows.
    Pair {
        /// The candidate on the left.
        first: TrajectoryIndex,
        /// The candidate on the right.
        second: TrajectoryIndex,
        /// Which is better.
        verdict: PairVerdict,
        /// The draft as far as the verdicts give it.
        after: Ranking,
    },
    /// Settles the group, having seen every ranking; an empty ranking takes the settlement back.
    Adjudicate {
        /// The ranking.
        ranking: Ranking,
        /// Why.
        note: String,
    },
    /// Makes this the known ranking of the group; an empty ranking takes it back.
    Gold {
        /// The ranking.
        ranking: Ranking,
        /// Why it is known.
        reason: String,
    },
    /// Shows what is hidden in a blind group that was submitted.
    Reveal,
    /// Adds focused time, in milliseconds, that no submission holds.
    Spend(u64),
    /// Takes the last change back.
    Undo,
    /// Brings the last undone change back.
    Redo,
}

/// What a person says of a rule's remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemarkChange {
    /// [`crate::domain::scope::Remark::key`].
    pub remark: String,
    /// The rule that made it.
    pub rule: RuleStamp,
    /// The trajectory's id, as [`ReviewSession::true_id`] gives it.
    pub trajectory: String,
    /// The file, when it is about one.
    pub file: Option<String>,
    /// First and last line (1-based), when it is about lines.
    pub lines: Option<(u32, u32)>,
    /// What the person says; `None` = nothing any more.
    pub verdict: Option<Verdict>,
    /// The finding that it becomes when confirmed.
    pub finding: Option<FindingRecord>,
}

/// A change described: the events that would record it. Apply it, then store them.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The group, 0-based.
    pub group: usize,
    /// The events, to be stored in one transaction.
    pub events: Vec<NewEvent>,
    /// One line for the status bar.
    pub summary: String,
}

/// Why a change is not possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReviewError {
    /// No such group or trajectory.
    #[error("no such group or trajectory")]
    NoGroup,
    /// No file holds a rollout of the group any more: what would be said of it could not be shown.
    #[error("the rollouts of this group are gone: nothing can be stored about it")]
    Gone,
    /// The trajectory does not pass, so it has no rank.
    #[error("only passing candidates are ranked; {0} does not pass")]
    NotPassing(String),
    /// The ranking is not one of this group's passing trajectories.
    #[error("{0}")]
    Invalid(String),
    /// It would show what is hidden.
    #[error("the grader's order is hidden in blind mode until you submit and reveal the group")]
    Hidden,
    /// It came before the reveal.
    #[error("what was judged blind stands; changes from now on are recorded as after the reveal")]
    Sealed,
    /// There is nothing to submit.
    #[error("nothing to submit yet: move a candidate, or accept the grader's order")]
    NoDraft,
    /// The change would change nothing.
    #[error("nothing to change: {0}")]
    Nothing(&'static str),
}

impl ReviewSession {
    /// Describes a change of a group's judgement; nothing is changed yet.
    ///
    /// # Errors
    /// Why the change is not possible; the state stands as it was.
    pub fn propose(&mut self, group: usize, change: Change) -> Result<Proposal, ReviewError> {
        let record = self.record(group)?;
        if record.trajectories.is_empty() {
            return Err(ReviewError::Gone);
        }
        let first = self.judgement(group).is_none();
        // A known ranking is about the group, not somebody's judgement of it.
        let is_open = matches!(change, Change::Open | Change::Gold { .. });
        let id = self.next_id();
        let (body, summary) = match change {
            Change::Move(edit) => self.propose_move(group, edit)?,
            Change::Set(ranking) => {
                self.check(group, &ranking)?;
                self.set_to(group, &ranking, Origin::Scratch, "ranking set")
            }
            Change::AcceptGrader => self.propose_accept(group)?,
            Change::KeepDraft => self.propose_keep(group)?,
            Change::Submit => self.propose_submit(group)?,
            Change::Note(text) => self.propose_note(group, text)?,
            Change::Undo => self.propose_undo(group)?,
            Change::Redo => self.propose_redo(group)?,
            other => self.propose_label(group, other, &id)?,
        };
        let mut bodies = Vec::with_capacity(2);
        if first && !is_open {
            let opening = self.opening(group);
            bodies.push((self.next_id(), opening));
        }
        bodies.push((id, body));
        let at_ms = self.now_ms();
        let identity = self.identity().clone();
        let events = bodies
            .into_iter()
            .map(|(event_id, body)| NewEvent {
                event_id,
                at_ms,
                annotator: identity.annotator.clone(),
                session_id: identity.session_id.clone(),
                group: Some(record.clone()),
                body,
            })
            .collect();
        Ok(Proposal {
            group,
            events,
            summary,
        })
    }

    /// The order in which candidates are shown now: ranked ones by rank, then the others in group
    /// order, as true trajectory ids.
    #[must_use]
    pub fn shown_order(&self, group: usize) -> Vec<String> {
        let Some(data) = self.truth(group) else {
            return Vec::new();
        };
        let mut order = self.shown_ranking(group).ranking.order();
        let rest: Vec<_> = (0..data.trajectories.len())
            .filter(|i| !order.contains(i))
            .collect();
        order.extend(rest);
        order
            .iter()
            .filter_map(|&i| data.trajectories.get(i))
            .map(|t| t.id.0.clone())
            .collect()
    }

    fn propose_move(&self, group: usize, edit: Move) -> Result<(EventBody, String), ReviewError> {
        let (Move::Up(index)
        | Move::Down(index)
        | Move::ToPlace(index, _)
        | Move::TieAbove(index)
        | Move::Split(index)
        | Move::Unrank(index)) = edit;
        let data = self.group(group).ok_or(ReviewError::NoGroup)?;
        let trajectory = data.trajectories.get(index).ok_or(ReviewError::NoGroup)?;
        if !trajectory.outcome.is_pass() {
            return Err(ReviewError::NotPassing(trajectory.id.to_string()));
        }
        let shown = self.shown_ranking(group);
        // A grader's ranking may hold failing trajectories that the policy drops; a person's never.
        let base = restrict(&shown.ranking, &passing(data));
        let start = self.start_of_move(group, edit, &base);
        let begins = start != base;
        let after = match start.apply(edit) {
            Some(after) => after,
            // The candidate stays where it is shown, which is the ranking now.
            None if begins => start,
            None if base.tier_of(index).is_none() => {
                return Err(ReviewError::Nothing("it is not ranked"));
            }
            None => return Err(ReviewError::Nothing("it stands there already")),
        };
        let tied = after
            .tier_of(index)
            .and_then(|tier| after.tiers().get(tier))
            .map_or(0, |tier| tier.len() - 1);
        let mut summary = match after.rank_of(index) {
            Some(rank) if tied > 0 => {
                format!("{} → rank {rank}, tied with {tied} more", trajectory.id)
            }
            Some(rank) => format!("{} → rank {rank}", trajectory.id),
            None => format!("{} → unranked", trajectory.id),
        };
        if begins && after.ranked() > 1 {
            summary.push_str("; the others are ranked as shown");
        }
        let origin = match shown.origin {
            Origin::Grader | Origin::AcceptedGrader | Origin::EditedGrader => Origin::EditedGrader,
            Origin::Scratch | Origin::Nobody => Origin::Scratch,
        };
        let body = EventBody::RankSet {
            before: self.to_ids(group, &base),
            after: self.to_ids(group, &after),
            origin: origin.word().to_owned(),
            after_reveal: self.is_revealed(group),
        };
        Ok((body, summary))
    }

    /// The ranking that a move starts from. Up, down and "tie with the one above" are about what
    /// stands on screen: where nothing is ranked they start from the passing candidates, each in a
    /// tier of its own, in the order shown. Else one that is not ranked enters at the bottom.
    fn start_of_move(&self, group: usize, edit: Move, base: &Ranking) -> Ranking {
        let relative = matches!(edit, Move::Up(_) | Move::Down(_) | Move::TieAbove(_));
        let Some(data) = self.group(group).filter(|_| relative && base.is_empty()) else {
            return base.clone();
        };
        // With nothing ranked the candidates are shown in group order.
        let tiers = base.unranked(&passing(data)).into_iter();
        Ranking::new(tiers.map(|index| vec![index]).collect()).unwrap_or_default()
    }

    fn propose_accept(&self, group: usize) -> Result<(EventBody, String), ReviewError> {
        if self.is_hidden(group) {
            return Err(ReviewError::Hidden);
        }
        let ranking = self
            .answer(group)
            .and_then(|answer| answer.ranking.clone())
            .ok_or(ReviewError::Nothing("no grader ranked this group"))?;
        let data = self.group(group).ok_or(ReviewError::NoGroup)?;
        let ranking = restrict(&ranking, &passing(data));
        let same = self.draft(group).is_some_and(|draft| draft == ranking)
            && self
                .judgement(group)
                .is_some_and(|j| j.origin == Origin::AcceptedGrader.word());
        if same {
            return Err(ReviewError::Nothing(
                "the grader's order is accepted already",
            ));
        }
        Ok(self.set_to(
            group,
            &ranking,
            Origin::AcceptedGrader,
            "grader's order accepted",
        ))
    }

    fn propose_keep(&self, group: usize) -> Result<(EventBody, String), ReviewError> {
        const NOTHING: ReviewError = ReviewError::Nothing("no draft of the group as it was");
        let data = self.group(group).ok_or(ReviewError::NoGroup)?;
        let before = self.any_judgement(group).ok_or(NOTHING)?;
        let counts = before.submitted.is_some() && !before.edited_since_submit;
        if counts || before.fingerprint == data.fingerprint {
            return Err(NOTHING);
        }
        let draft = before.draft.as_ref().ok_or(NOTHING)?;
        let ranking = self.to_ranking(group, draft).ok_or_else(|| {
            ReviewError::Invalid("a candidate of the draft is not there any more".to_owned())
        })?;
        self.check(group, &ranking)?;
        let body = EventBody::DraftKeep {
            fingerprint: before.fingerprint.clone(),
        };
        Ok((body, "draft kept".to_owned()))
    }

    fn propose_submit(&self, group: usize) -> Result<(EventBody, String), ReviewError> {
        let draft = self
            .draft(group)
            .filter(|draft| !draft.is_empty())
            .ok_or(ReviewError::NoDraft)?;
        let data = self.group(group).ok_or(ReviewError::NoGroup)?;
        let judgement = self.judgement(group).ok_or(ReviewError::NoGroup)?;
        if judgement.submitted.is_some() && !judgement.edited_since_submit {
            return Err(ReviewError::Nothing("submitted already"));
        }
        let unranked: Vec<String> = draft
            .unranked(&passing(data))
            .into_iter()
            .filter_map(|i| self.true_id(group, i))
            .collect();
        let mut summary = match unranked.len() {
            0 => "submitted".to_owned(),
            left => format!("submitted; {left} passing left unranked"),
        };
        if !GroupClass::of(&data.trajectories).is_kept() {
            summary.push_str("; a dropped group: no advantage changes");
        }
        let body = EventBody::RankSubmit {
            tiers: self.to_ids(group, &draft),
            unranked,
            // As shown when the judgement began: the order on screen follows every move, and would
            // only repeat the answer.
            shown_order: match judgement.opened_order.as_slice() {
                [] => self.shown_order(group),
                order => order.to_vec(),
            },
            active_ms: judgement.spent_ms.saturating_add(self.stretch_ms()),
            origin: judgement.origin.clone(),
            // Begun blind, and shown so until now or until it was revealed.
            blind: judgement.blind && self.is_blind(group),
            after_reveal: self.is_revealed(group),
            confidence: judgement.confidence,
        };
        Ok((body, summary))
    }

    fn propose_note(&self, group: usize, text: String) -> Result<(EventBody, String), ReviewError> {
        let before = self
            .judgement(group)
            .map(|j| j.note.clone())
            .unwrap_or_default();
        if before == text {
            return Err(ReviewError::Nothing("the note is the same"));
        }
        Ok((EventBody::NoteSet { text, before }, "note saved".to_owned()))
    }

    fn propose_undo(&self, group: usize) -> Result<(EventBody, String), ReviewError> {
        let judgement = self.judgement(group);
        let last = judgement.and_then(|judgement| judgement.undo.last());
        let event_id = last.ok_or_else(|| no_change(judgement, false))?;
        let what = judgement.and_then(|judgement| judgement.change_word(event_id));
        let summary = match what {
            Some("submission") => "undone: the submission, it is a draft again".to_owned(),
            what => format!("undone: {}", what.unwrap_or("change")),
        };
        let event_id = event_id.clone();
        Ok((EventBody::Undo { event_id }, summary))
    }

    fn propose_redo(&self, group: usize) -> Result<(EventBody, String), ReviewError> {
        let judgement = self.judgement(group);
        let last = judgement.and_then(|judgement| judgement.redo.last());
        let event_id = last.ok_or_else(|| no_change(judgement, true))?;
        let what = judgement.and_then(|judgement| judgement.change_word(event_id));
        let summary = format!("redone: {}", what.unwrap_or("change"));
        let event_id = event_id.clone();
        Ok((EventBody::Redo { event_id }, summary))
    }

    fn set_to(
        &self,
        group: usize,
        after: &Ranking,
        origin: Origin,
        summary: &str,
    ) -> (EventBody, String) {
        let body = EventBody::RankSet {
            before: self.to_ids(group, &self.draft(group).unwrap_or_default()),
            after: self.to_ids(group, after),
            origin: origin.word().to_owned(),
            after_reveal: self.is_revealed(group),
        };
        (body, summary.to_owned())
    }

    pub(super) fn check(&self, group: usize, ranking: &Ranking) -> Result<(), ReviewError> {
        let data = self.group(group).ok_or(ReviewError::NoGroup)?;
        ranking
            .validate(&passing(data))
            .map_err(|error| ReviewError::Invalid(error.to_string()))
    }

    fn record(&self, group: usize) -> Result<GroupRecord, ReviewError> {
        // As loaded, so that the same group is the same record whoever saw it in whatever order.
        let raw = self.raw.groups.get(group);
        let data = raw.ok_or(ReviewError::NoGroup)?;
        Ok(GroupRecord {
            group_id: data.id.0.clone(),
            fingerprint: data.fingerprint.clone(),
            task: data.task.title.clone().unwrap_or_default(),
            source: self.identity().source.clone(),
            trajectories: data
                .trajectories
                .iter()
                .map(|t| (t.id.0.clone(), t.patch.sha256.to_string(), t.reward))
                .collect(),
        })
    }
}

/// Why there is no change to undo, or to redo.
fn no_change(judgement: Option<&Judgement>, redo: bool) -> ReviewError {
    match (judgement, redo) {
        (Some(judgement), _) if judgement.has_sealed(redo) => ReviewError::Sealed,
        (_, false) => ReviewError::Nothing("no change to undo in this group"),
        (_, true) => ReviewError::Nothing("no change to redo in this group"),
    }
}

/// The ranking without trajectories that do not pass.
pub(super) fn restrict(ranking: &Ranking, passing: &[bool]) -> Ranking {
    let keep = |i: &usize| passing.get(*i).copied().unwrap_or(false);
    let tiers = ranking
        .tiers()
        .iter()
        .map(|tier| tier.iter().copied().filter(keep).collect())
        .collect();
    // A subset of a valid ranking has no duplicates.
    Ranking::new(tiers).unwrap_or_default()
}
