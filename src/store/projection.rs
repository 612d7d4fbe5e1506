//! What the log says now: per annotator and group the draft, the submission, undo and redo.
//!
//! A fold over events: nothing here is stored, and a replay of the log gives the same answer. The
//! logs of several stores are folded in one canonical order ([`super::order`]): each store's events
//! by `seq`; between stores by time made monotone per store, then store id, then `seq`. So merging
//! in any order gives the same projection.
//! What is *not* here: the file (the stores), and what a group looks like (`crate::domain`).

use std::collections::BTreeMap;

use super::event::{Event, EventBody};
use super::order;
use super::record::{FindingRecord, PairVerdict, RuleStamp, Verdict};

/// Tiers of trajectory ids, best first.
pub type IdTiers = Vec<Vec<String>>;

/// One annotator's judgement of one group as the log says it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// Fingerprint of the group that the latest event saw.
    pub fingerprint: String,
    /// The draft after the latest change; `None` when nothing was ever set (or all is undone).
    pub draft: Option<IdTiers>,
    /// Where the draft came from: `scratch`, `edited_grader`, `accepted_grader`, `pairs`; empty = no
    /// draft.
    pub origin: String,
    /// The submission that counts, when one does.
    pub submitted: Option<Submission>,
    /// Whether the draft, or the confidence in it, is not what was submitted.
    pub edited_since_submit: bool,
    /// Every submission in effect, oldest first; the last one is [`Self::submitted`] unless the group
    /// was skipped afterwards.
    pub submissions: Vec<Submission>,
    /// Why the group was set aside without a ranking, when it is.
    pub skipped: Option<String>,
    /// Why the group is flagged for another look, when it is; may be empty.
    pub flagged: Option<String>,
    /// How sure the annotator is: 1 low, 2 medium, 3 high.
    pub confidence: Option<u8>,
    /// The findings in effect: (id, finding), oldest first.
    pub findings: Vec<(String, FindingRecord)>,
    /// What was said of rules' remarks, by [`crate::domain::scope::Remark::key`].
    pub remarks: BTreeMap<String, (RuleStamp, Verdict)>,
    /// The pairs compared, oldest first: (first, second, verdict), trajectory ids.
    pub pairs: Vec<(String, String, PairVerdict)>,
    /// How this person settled the group, having seen every ranking.
    pub adjudication: Option<Adjudication>,
    /// Whether the group was opened blind.
    pub blind: bool,
    /// Whether what was hidden has been shown since. What was said before stands: it is neither in
    /// [`Self::undo`] nor in [`Self::redo`] any more.
    pub revealed: bool,
    /// Focused time on the group so far, in milliseconds.
    pub spent_ms: u64,
    /// The group's note.
    pub note: String,
    /// Ids of events that undo would take back, oldest first.
    pub undo: Vec<String>,
    /// Ids of events that redo would bring back, next one last.
    pub redo: Vec<String>,
    /// Time of the first event.
    pub created_ms: i64,
    /// The order in which the candidates were shown when the judgement began.
    pub opened_order: Vec<String>,
    /// The same person's judgement of the group as it was before its data changed (another
    /// fingerprint), when there is one; it may hold an older one in turn.
    pub stale: Option<Box<Judgement>>,
    /// The findings that confirmed remarks became: finding id by remark.
    confirmed: BTreeMap<String, String>,
    /// The judgement as it was when a blind group was revealed.
    at_reveal: Option<Box<Judgement>>,
    /// Every change in log order, undone ones too.
    changes: Vec<Change>,
    /// Whether the group was set aside when it was revealed.
    revealed_aside: bool,
}

/// An undoable event and whether it is in effect.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    event_id: String,
    at_ms: i64,
    body: EventBody,
    undone: bool,
    /// Whether it came before the reveal, so that it stays what it was then.
    sealed: bool,
}

/// How far a judgement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Never opened.
    Unseen,
    /// Opened, and nothing is judged (or everything was undone).
    Opened,
    /// There is a draft that is not what was submitted.
    Draft,
    /// Set aside without a ranking.
    Skipped,
    /// The draft is what was submitted.
    Submitted,
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unseen => "unseen",
            Self::Opened => "opened",
            Self::Skipped => "skipped",
            Self::Draft => "draft",
            Self::Submitted => "submitted",
        })
    }
}

impl Judgement {
    /// The last submission made blind and before anything was revealed, unless the group was set
    /// aside before the reveal, too: what the person said knowing neither names nor grader.
    #[must_use]
    pub fn blind_submission(&self) -> Option<&Submission> {
        let mut all = self.submissions.iter().rev();
        let aside = match self.revealed {
            true => self.revealed_aside,
            false => self.skipped.is_some(),
        };
        all.find(|sent| sent.blind && !sent.after_reveal)
            .filter(|_| !aside)
    }

    /// The submission that counts; with `blind_only` the one of [`Self::blind_submission`].
    #[must_use]
    pub fn counting(&self, blind_only: bool) -> Option<&Submission> {
        match blind_only {
            true => self.blind_submission(),
            false => self.submitted.as_ref(),
        }
    }

    /// Whether a change that came before the reveal is in effect, or (`undone`) is not: neither can
    /// be changed any more.
    #[must_use]
    pub fn has_sealed(&self, undone: bool) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|change| change.sealed && change.undone == undone)
    }

    /// How far this judgement is.
    #[must_use]
    pub fn state(&self) -> State {
        match (&self.submitted, &self.draft) {
            _ if self.skipped.is_some() => State::Skipped,
            (Some(_), _) if !self.edited_since_submit => State::Submitted,
            (Some(_), _) | (None, Some(_)) => State::Draft,
            (None, None) => State::Opened,
        }
    }

    /// The judgement as it was before a blind group was revealed when only that counts, else as it
    /// is: note, findings, confidence, skip and flag of the time.
    #[must_use]
    pub fn said(&self, blind_only: bool) -> &Self {
        let before = self.at_reveal.as_deref().filter(|_| blind_only);
        before.unwrap_or(self)
    }

    /// The finding of this id.
    #[must_use]
    pub fn finding(&self, finding_id: &str) -> Option<&FindingRecord> {
        let found = self.findings.iter().find(|(id, _)| id == finding_id);
        found.map(|(_, finding)| finding)
    }

    /// Whether anything was ever said about the group, undone or not.
    #[must_use]
    pub fn is_touched(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The judgement of the group as it had this fingerprint: this one or an older one behind it.
    #[must_use]
    pub fn at(&self, fingerprint: &str) -> Option<&Self> {
        let mut next = Some(self);
        while let Some(judgement) = next {
            if judgement.fingerprint == fingerprint {
                return Some(judgement);
            }
            next = judgement.stale.as_deref();
        }
        None
    }

    /// What a change of this judgement was about, in words; `None` for an event that is none.
    #[must_use]
    pub fn change_word(&self, event_id: &str) -> Option<&'static str> {
        let change = self
            .changes
            .iter()
            .find(|change| change.event_id == event_id)?;
        match change.body {
            EventBody::RankSet { .. } => Some("ranking"),
            EventBody::RankSubmit { .. } => Some("submission"),
            EventBody::NoteSet { .. } => Some("note"),
            EventBody::PairSet { .. } => Some("verdict on a pair"),
            EventBody::SkipSet { .. } => Some("skip"),
            EventBody::FlagSet { .. } => Some("flag"),
            EventBody::ConfidenceSet { .. } => Some("confidence"),
            EventBody::FindingSet { .. } => Some("finding"),
            EventBody::RemarkSet { .. } => Some("verdict on a remark"),
            EventBody::Adjudicate { .. } => Some("settlement"),
            _ => None,
        }
    }

    /// Takes the judgement of this fingerprint out of the chain, if it is there.
    fn take(chain: &mut Option<Box<Self>>, fingerprint: &str) -> Option<Box<Self>> {
        let mut found = chain.take()?;
        if found.fingerprint == fingerprint {
            *chain = found.stale.take();
            return Some(found);
        }
        let taken = Self::take(&mut found.stale, fingerprint);
        *chain = Some(found);
        taken
    }

    fn apply(&mut self, event: &Event) {
        match &event.body {
            EventBody::RankSet { .. }
            | EventBody::PairSet { .. }
            | EventBody::RankSubmit { .. }
            | EventBody::SkipSet { .. }
            | EventBody::FlagSet { .. }
            | EventBody::ConfidenceSet { .. }
            | EventBody::FindingSet { .. }
            | EventBody::RemarkSet { .. }
            | EventBody::Adjudicate { .. }
            | EventBody::NoteSet { .. } => {
                if let EventBody::RankSubmit { active_ms, .. } = event.body {
                    self.spent_ms = self.spent_ms.max(active_ms);
                }
                let change = Change {
                    event_id: event.event_id.clone(),
                    at_ms: event.at_ms,
                    body: event.body.clone(),
                    undone: false,
                    sealed: false,
                };
                self.fold(&change);
                self.changes.push(change);
                self.redo.clear();
            }
            EventBody::DraftKeep { fingerprint } => {
                let from = self
                    .stale
                    .as_deref()
                    .and_then(|stale| stale.at(fingerprint));
                if let Some((changes, redo)) = from.map(Self::drafted) {
                    self.changes.retain(|change| change.sealed);
                    self.changes.extend(changes);
                    self.redo = redo;
                    self.fold_again();
                }
            }
            EventBody::Undo { event_id } => {
                if let Some(place) = self.undo.iter().rposition(|id| id == event_id) {
                    self.redo.push(self.undo.remove(place));
                    self.set_undone(event_id, true);
                }
            }
            EventBody::Redo { event_id } => {
                if let Some(place) = self.redo.iter().rposition(|id| id == event_id) {
                    self.redo.remove(place);
                    self.set_undone(event_id, false);
                }
            }
            EventBody::GroupOpen {
                shown_order, blind, ..
            } => {
                if self.opened_order.is_empty() {
                    self.opened_order.clone_from(shown_order);
                    self.blind = *blind;
                }
            }
            EventBody::Reveal { .. } => self.reveal(),
            EventBody::TimeAdd { active_ms } => {
                self.spent_ms = self.spent_ms.saturating_add(*active_ms);
            }
            EventBody::GoldSet { .. } | EventBody::Export { .. } | EventBody::Unknown { .. } => {}
        }
    }

    /// Seals what was said so far; a second reveal shows nothing new.
    fn reveal(&mut self) {
        if self.revealed {
            return;
        }
        if self.blind {
            let mut at_reveal = self.clone();
            at_reveal.stale = None;
            self.at_reveal = Some(Box::new(at_reveal));
        }
        self.revealed = true;
        self.revealed_aside = self.skipped.is_some();
        for change in &mut self.changes {
            change.sealed = true;
        }
        self.undo.clear();
        self.redo.clear();
    }

    /// The changes that made the draft, without submissions, and those of them to redo.
    fn drafted(&self) -> (Vec<Change>, Vec<String>) {
        let changes = self.changes.iter();
        let changes: Vec<_> = changes
            .filter(|change| !matches!(change.body, EventBody::RankSubmit { .. }))
            .cloned()
            .map(|change| Change {
                sealed: false,
                ..change
            })
            .collect();
        let mut redo = self.redo.clone();
        redo.retain(|id| changes.iter().any(|change| change.event_id == *id));
        (changes, redo)
    }

    /// Puts one change out of effect or back, and folds the changes in effect again.
    fn set_undone(&mut self, event_id: &str, undone: bool) {
        for change in &mut self.changes {
            if change.event_id == event_id {
                change.undone = undone;
            }
        }
        self.fold_again();
    }

    fn fold_again(&mut self) {
        self.draft = None;
        self.origin.clear();
        self.submitted = None;
        self.submissions.clear();
        self.edited_since_submit = false;
        self.skipped = None;
        self.flagged = None;
        self.confidence = None;
        self.findings.clear();
        self.remarks.clear();
        self.confirmed.clear();
        self.pairs.clear();
        self.adjudication = None;
        self.note.clear();
        self.undo.clear();
        let changes = std::mem::take(&mut self.changes);
        for change in changes.iter().filter(|change| !change.undone) {
            self.fold(change);
        }
        self.changes = changes;
    }

    fn fold(&mut self, change: &Change) {
        match &change.body {
            EventBody::RankSet { after, origin, .. } => self.set_draft(after, origin),
            EventBody::PairSet {
                first,
                second,
                verdict,
                after,
                ..
            } => {
                self.pairs.push((first.clone(), second.clone(), *verdict));
                self.set_draft(after, "pairs");
            }
            EventBody::RankSubmit {
                tiers,
                unranked,
                shown_order,
                active_ms,
                origin,
                blind,
                after_reveal,
                confidence,
            } => {
                self.draft = Some(tiers.clone());
                self.origin.clone_from(origin);
                self.confidence = *confidence;
                self.edited_since_submit = false;
                self.skipped = None;
                let submission = Submission {
                    event_id: change.event_id.clone(),
                    tiers: tiers.clone(),
                    unranked: unranked.clone(),
                    shown_order: shown_order.clone(),
                    at_ms: change.at_ms,
                    fingerprint: self.fingerprint.clone(),
                    active_ms: *active_ms,
                    origin: origin.clone(),
                    blind: *blind,
                    after_reveal: *after_reveal,
                    confidence: *confidence,
                };
                self.submissions.push(submission.clone());
                self.submitted = Some(submission);
            }
            EventBody::SkipSet { reason, .. } => {
                self.skipped.clone_from(reason);
                // What is set aside does not count; taken back, it does again.
                self.submitted = match reason {
                    Some(_) => None,
                    None => self.submissions.last().cloned(),
                };
                self.compare_with_submitted();
            }
            EventBody::FlagSet { reason, .. } => self.flagged.clone_from(reason),
            EventBody::ConfidenceSet { level, .. } => {
                self.confidence = *level;
                self.compare_with_submitted();
            }
            EventBody::FindingSet {
                finding_id, after, ..
            } => self.set_finding(finding_id, after.as_ref()),
            EventBody::RemarkSet {
                remark,
                rule,
                verdict,
                finding,
                ..
            } => {
                match verdict {
                    Some(verdict) => {
                        let said = (rule.clone(), *verdict);
                        self.remarks.insert(remark.clone(), said);
                    }
                    None => {
                        self.remarks.remove(remark);
                    }
                }
                // Another verdict takes the finding of the one before away.
                if let Some(before) = self.confirmed.remove(remark) {
                    self.set_finding(&before, None);
                }
                if finding.is_some() {
                    let id = change.event_id.clone();
                    self.confirmed.insert(remark.clone(), id);
                }
                self.set_finding(&change.event_id, finding.as_ref());
            }
            EventBody::Adjudicate {
                tiers,
                unranked,
                sources,
                note,
                active_ms,
            } => {
                self.adjudication = (!tiers.is_empty()).then(|| Adjudication {
                    event_id: change.event_id.clone(),
                    tiers: tiers.clone(),
                    unranked: unranked.clone(),
                    sources: sources.clone(),
                    note: note.clone(),
                    at_ms: change.at_ms,
                    active_ms: *active_ms,
                });
            }
            EventBody::NoteSet { text, .. } => self.note.clone_from(text),
            _ => return,
        }
        if !change.sealed {
            self.undo.push(change.event_id.clone());
        }
    }

    fn set_draft(&mut self, after: &IdTiers, origin: &str) {
        self.draft = Some(after.clone());
        origin.clone_into(&mut self.origin);
        self.skipped = None;
        if self.submitted.is_none() {
            self.submitted = self.submissions.last().cloned();
        }
        self.compare_with_submitted();
    }

    /// A change and its reverse leave what was submitted, so nothing is to submit.
    fn compare_with_submitted(&mut self) {
        self.edited_since_submit = self.submitted.as_ref().is_some_and(|sent| {
            Some(&sent.tiers) != self.draft.as_ref()
                || sent.origin != self.origin
                || sent.confidence != self.confidence
        });
    }

    fn set_finding(&mut self, finding_id: &str, after: Option<&FindingRecord>) {
        let place = self.findings.iter().position(|(id, _)| id == finding_id);
        match (place, after) {
            (Some(place), Some(after)) => self.findings[place].1 = after.clone(),
            (Some(place), None) => {
                self.findings.remove(place);
            }
            (None, Some(after)) => self.findings.push((finding_id.to_owned(), after.clone())),
            (None, None) => {}
        }
    }
}

/// A submitted ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    /// Event id; the `annotation_id` of exports.
    pub event_id: String,
    /// The ranking.
    pub tiers: IdTiers,
    /// Passing trajectories left unranked.
    pub unranked: Vec<String>,
    /// The order shown.
    pub shown_order: Vec<String>,
    /// When.
    pub at_ms: i64,
    /// Fingerprint of the group judged.
    pub fingerprint: String,
    /// Focused time in milliseconds.
    pub active_ms: u64,
    /// Where the ranking came from.
    pub origin: String,
    /// Whether names, grader and advantages were hidden until then.
    pub blind: bool,
    /// Whether a blind group had been revealed by then.
    pub after_reveal: bool,
    /// How sure the annotator was: 1 low, 2 medium, 3 high.
    pub confidence: Option<u8>,
}

/// A group settled by one person who saw every ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Adjudication {
    /// Event id.
    pub event_id: String,
    /// The ranking.
    pub tiers: IdTiers,
    /// Passing trajectories left unranked.
    pub unranked: Vec<String>,
    /// Ids of the submissions that were seen.
    pub sources: Vec<String>,
    /// Why.
    pub note: String,
    /// When.
    pub at_ms: i64,
    /// Focused time in milliseconds.
    pub active_ms: u64,
}

/// The known ranking of a group that tests annotators.
#[derive(Debug, Clone, PartialEq)]
pub struct Gold {
    /// The known ranking.
    pub tiers: IdTiers,
    /// Why it is known.
    pub reason: String,
    /// Fingerprint of the group it is known for.
    pub fingerprint: String,
    /// Who said so.
    pub annotator: String,
    /// When.
    pub at_ms: i64,
}

/// Every judgement in a log, by (group id, annotator).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Projection {
    /// The judgements.
    pub judgements: BTreeMap<(String, String), Judgement>,
    /// The known rankings, by group id.
    pub gold: BTreeMap<String, Gold>,
}

impl Projection {
    /// Folds one more event in. What a person said of a group can be undone; saying something new
    /// clears the redo list, and a reveal takes what was said before it out of both lists: it
    /// stands. Undo of a submission takes it back (the one before counts again). An
    /// undo of what is not in effect, or a redo of what is not undone, changes nothing: two
    /// processes may have written at once.
    ///
    /// An event that saw another fingerprint goes to the judgement of that fingerprint, which
    /// becomes the current one; the others stay behind it as [`Judgement::stale`].
    pub fn apply(&mut self, event: &Event) {
        let Some(group_id) = &event.group_id else {
            return;
        };
        if matches!(
            event.body,
            EventBody::Export { .. } | EventBody::Unknown { .. }
        ) {
            return;
        }
        let fingerprint = event.fingerprint.as_deref().unwrap_or_default();
        if let EventBody::GoldSet { tiers, reason } = &event.body {
            let gold = Gold {
                tiers: tiers.clone(),
                reason: reason.clone(),
                fingerprint: fingerprint.to_owned(),
                annotator: event.annotator.clone(),
                at_ms: event.at_ms,
            };
            match tiers.is_empty() {
                true => self.gold.remove(group_id),
                false => self.gold.insert(group_id.clone(), gold),
            };
            return;
        }
        let fresh = || Judgement {
            fingerprint: fingerprint.to_owned(),
            created_ms: event.at_ms,
            ..Judgement::default()
        };
        let judgement = self
            .judgements
            .entry((group_id.clone(), event.annotator.clone()))
            .or_insert_with(fresh);
        if judgement.fingerprint != fingerprint {
            let mut older = Some(Box::new(std::mem::take(judgement)));
            let found = Judgement::take(&mut older, fingerprint);
            *judgement = found.map_or_else(fresh, |found| *found);
            judgement.stale = older;
        }
        judgement.apply(event);
    }

    /// Folds a whole log, in the canonical order of [`super::order`] whatever order it is given in.
    #[must_use]
    pub fn of(events: &[Event]) -> Self {
        let mut events = std::borrow::Cow::Borrowed(events);
        if !order::is_in_order(&events) {
            events = order::in_order(events.into_owned()).into();
        }
        let mut projection = Self::default();
        for event in events.iter() {
            projection.apply(event);
        }
        projection
    }
}
