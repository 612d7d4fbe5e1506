//! What an event is.

use serde::{Deserialize, Serialize};

/// The group an event is about, as it was seen: recorded with the first event of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupRecord {
    /// Group id.
    pub group_id: String,
    /// Fingerprint of what was seen ([`crate::domain::RolloutGroup::fingerprint`]).
    pub fingerprint: String,
    /// The task's title, or empty.
    pub task: String,
    /// Where it was loaded from (the paths given), or empty.
    pub source: String,
    /// (trajectory id, patch SHA-256, reward or none) per trajectory, in group order.
    pub trajectories: Vec<(String, String, Option<f64>)>,
}

/// An event to append.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Unique id, chosen by the caller (so that a later event can name it before it is stored).
    pub event_id: String,
    /// Milliseconds since the Unix epoch.
    pub at_ms: i64,
    /// Who.
    pub annotator: String,
    /// The session (one run of the program).
    pub session_id: String,
    /// The group it is about; none for session events.
    pub group: Option<GroupRecord>,
    /// What happened.
    pub body: EventBody,
}

/// An event as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Unique id.
    pub event_id: String,
    /// Store it was written in.
    pub store_id: String,
    /// Sequence number in that store, from 1, without gaps.
    pub seq: u64,
    /// Milliseconds since the Unix epoch (order by `seq`, never by this).
    pub at_ms: i64,
    /// Who.
    pub annotator: String,
    /// The session.
    pub session_id: String,
    /// The group it is about.
    pub group_id: Option<String>,
    /// Fingerprint of the group as seen.
    pub fingerprint: Option<String>,
    /// What happened.
    pub body: EventBody,
    /// Hash of the event before it (empty for the first).
    pub prev: String,
    /// SHA-256 over `prev` and this row, lower-case hex.
    pub hash: String,
}

/// What happened. Tiers are trajectory ids, best tier first. Stored as `kind` + JSON body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body")]
pub enum EventBody {
    /// A group was opened and then judged (written with its first judgement, never alone).
    #[serde(rename = "group.open")]
    GroupOpen {
        /// The order in which the candidates were shown.
        shown_order: Vec<String>,
        /// Whether the grader's answer was hidden.
        blind: bool,
    },
    /// The draft ranking was changed.
    #[serde(rename = "rank.set")]
    RankSet {
        /// Tiers before (what the change started from).
        before: Vec<Vec<String>>,
        /// Tiers after.
        after: Vec<Vec<String>>,
        /// `scratch`, `edited_grader` or `accepted_grader`.
        origin: String,
    },
    /// A ranking was submitted: from now on it counts.
    #[serde(rename = "rank.submit")]
    RankSubmit {
        /// The ranking.
        tiers: Vec<Vec<String>>,
        /// Passing trajectories left unranked.
        unranked: Vec<String>,
        /// The order in which the candidates were shown when the judgement began.
        shown_order: Vec<String>,
        /// Focused time in milliseconds, 0 when not measured.
        active_ms: u64,
        /// `scratch`, `edited_grader` or `accepted_grader`.
        origin: String,
    },
    /// The group's note was set (empty = removed).
    #[serde(rename = "note.set")]
    NoteSet {
        /// The text.
        text: String,
        /// The text before.
        before: String,
    },
    /// The draft of the group as it was before its data changed became the draft of the group as
    /// it is, with its changes one by one.
    #[serde(rename = "draft.keep")]
    DraftKeep {
        /// Fingerprint of the group as it was.
        fingerprint: String,
    },
    /// A change of this annotator and group was undone.
    #[serde(rename = "undo")]
    Undo {
        /// The undone event.
        event_id: String,
    },
    /// An undone change was done again.
    #[serde(rename = "redo")]
    Redo {
        /// The redone event.
        event_id: String,
    },
    /// Rows were exported.
    #[serde(rename = "export")]
    Export {
        /// Which export.
        format: String,
        /// Its options, as text.
        options: String,
        /// SHA-256 of the file written.
        sha256: String,
        /// Rows written.
        rows: u64,
    },
    /// A kind, or a body of a known kind, that this version cannot read; kept as it was written,
    /// never interpreted.
    #[serde(skip)]
    Unknown {
        /// The kind as stored.
        kind: String,
        /// The body's JSON text as stored.
        body: String,
    },
}

impl EventBody {
    /// Whether a person changed something: not the opening of a group, which is recorded with its
    /// first change.
    #[must_use]
    pub fn is_change(&self) -> bool {
        !matches!(self, Self::GroupOpen { .. })
    }

    /// The name under which this kind is stored.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::GroupOpen { .. } => "group.open",
            Self::RankSet { .. } => "rank.set",
            Self::RankSubmit { .. } => "rank.submit",
            Self::NoteSet { .. } => "note.set",
            Self::DraftKeep { .. } => "draft.keep",
            Self::Undo { .. } => "undo",
            Self::Redo { .. } => "redo",
            Self::Export { .. } => "export",
            Self::Unknown { kind, .. } => kind,
        }
    }

    /// The body as JSON text, without the kind.
    ///
    /// # Errors
    /// When the body cannot be written as JSON.
    pub fn body_json(&self) -> Result<String, serde_json::Error> {
        if let Self::Unknown { body, .. } = self {
            return Ok(body.clone());
        }
        let mut tagged = serde_json::to_value(self)?;
        serde_json::to_string(&tagged["body"].take())
    }

    /// Reads a stored kind and body. What this version cannot read becomes
    /// [`EventBody::Unknown`] with the same text, so that nothing is lost.
    #[must_use]
    pub fn from_parts(kind: &str, body: &str) -> Self {
        serde_json::from_str::<serde_json::Value>(body)
            .and_then(|value| {
                serde_json::from_value(serde_json::json!({ "kind": kind, "body": value }))
            })
            .unwrap_or_else(|_| Self::Unknown {
                kind: kind.to_owned(),
                body: body.to_owned(),
            })
    }
}
