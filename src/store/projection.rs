//! What the log says now: per annotator and group the draft, the submission, undo and redo.
//! Helper D completes this; the names are the contract.

use std::collections::BTreeMap;

use super::event::Event;

/// Tiers of trajectory ids, best first.
pub type IdTiers = Vec<Vec<String>>;

/// One annotator's judgement of one group as the log says it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// Fingerprint of the group that the latest event saw.
    pub fingerprint: String,
    /// The draft after the latest change; `None` when nothing was ever set (or all is undone).
    pub draft: Option<IdTiers>,
    /// Where the draft came from: `scratch`, `edited_grader`, `accepted_grader`; empty = no draft.
    pub origin: String,
    /// The submission that counts, when one does.
    pub submitted: Option<Submission>,
    /// Whether the draft was changed after the submission.
    pub edited_since_submit: bool,
    /// The group's note.
    pub note: String,
    /// Ids of events that undo would take back, oldest first.
    pub undo: Vec<String>,
    /// Ids of events that redo would bring back, next one last.
    pub redo: Vec<String>,
    /// Time of the first event.
    pub created_ms: i64,
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
}

/// Every judgement in a log, by (group id, annotator).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Projection {
    /// The judgements.
    pub judgements: BTreeMap<(String, String), Judgement>,
}

impl Projection {
    /// Folds one more event in. `RankSet`, `RankSubmit` and `NoteSet` can be undone; a new one
    /// clears the redo list. Undo of a submission takes it back (the one before counts again).
    pub fn apply(&mut self, event: &Event) {
        let _ = event;
        todo!("helper D")
    }

    /// Folds a whole log.
    #[must_use]
    pub fn of(events: &[Event]) -> Self {
        let mut projection = Self::default();
        for event in events {
            projection.apply(event);
        }
        projection
    }
}
