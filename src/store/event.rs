//! What an event is.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::record::{FindingRecord, PairVerdict, RuleStamp, Verdict};

/// Whether a flag is off; such flags are not written, so that events of earlier versions keep their
/// text and their hash.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_off(flag: &bool) -> bool {
    !*flag
}

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
    /// A group was opened. Nothing is judged by it.
    #[serde(rename = "group.open")]
    GroupOpen {
        /// The order in which the candidates were shown: their letters are A, B, … in this order.
        shown_order: Vec<String>,
        /// Whether names, grader and advantages were hidden.
        blind: bool,
        /// What the order was shuffled with, beside annotator and group; `None` = not shuffled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
    },
    /// What was hidden in a blind group was shown.
    #[serde(rename = "reveal")]
    Reveal {
        /// What was shown, in words.
        what: String,
    },
    /// The draft ranking was changed.
    #[serde(rename = "rank.set")]
    RankSet {
        /// Tiers before (what the change started from).
        before: Vec<Vec<String>>,
        /// Tiers after.
        after: Vec<Vec<String>>,
        /// `scratch`, `edited_grader`, `accepted_grader` or `pairs`.
        origin: String,
        /// Whether a blind group had been revealed by then.
        #[serde(default, skip_serializing_if = "is_off")]
        after_reveal: bool,
    },
    /// Two candidates were compared; the draft ranking that follows stands in `after`.
    #[serde(rename = "pair.set")]
    PairSet {
        /// The candidate shown on the left.
        first: String,
        /// The candidate shown on the right.
        second: String,
        /// Which is better.
        verdict: PairVerdict,
        /// Tiers before.
        before: Vec<Vec<String>>,
        /// Tiers after: the draft as far as the verdicts give it.
        after: Vec<Vec<String>>,
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
        /// `scratch`, `edited_grader`, `accepted_grader` or `pairs`.
        origin: String,
        /// Whether names, grader and advantages were hidden until then.
        #[serde(default, skip_serializing_if = "is_off")]
        blind: bool,
        /// Whether a blind group had been revealed by then.
        #[serde(default, skip_serializing_if = "is_off")]
        after_reveal: bool,
        /// How sure the annotator was: 1 low, 2 medium, 3 high.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<u8>,
    },
    /// The group was set aside without a ranking (`None` = no longer).
    #[serde(rename = "skip.set")]
    SkipSet {
        /// Why.
        reason: Option<String>,
        /// What stood there before.
        before: Option<String>,
    },
    /// The group was flagged for another look (`None` = no longer). It says nothing on the ranking.
    #[serde(rename = "flag.set")]
    FlagSet {
        /// Why; may be empty.
        reason: Option<String>,
        /// What stood there before.
        before: Option<String>,
    },
    /// How sure the annotator is was set: 1 low, 2 medium, 3 high, `None` = not said.
    #[serde(rename = "confidence.set")]
    ConfidenceSet {
        /// The level.
        level: Option<u8>,
        /// The level before.
        before: Option<u8>,
    },
    /// A finding was added (`before` is `None`), changed, or removed (`after` is `None`).
    #[serde(rename = "finding.set")]
    FindingSet {
        /// Which one: the id of the event that added it.
        finding_id: String,
        /// The finding before.
        before: Option<FindingRecord>,
        /// The finding after.
        after: Option<FindingRecord>,
    },
    /// A remark of a rule was confirmed, dismissed, or left open again (`None`).
    #[serde(rename = "remark.set")]
    RemarkSet {
        /// Which remark: see [`crate::domain::scope::Remark::key`].
        remark: String,
        /// The rule that made it.
        rule: RuleStamp,
        /// The trajectory it is about.
        trajectory: String,
        /// The file, when it is about one.
        file: Option<String>,
        /// First and last line of the new text (1-based), when it is about lines.
        lines: Option<(u32, u32)>,
        /// What the person said.
        verdict: Option<Verdict>,
        /// What was said before.
        before: Option<Verdict>,
        /// The finding that a confirmed remark became; its id is this event's.
        finding: Option<FindingRecord>,
    },
    /// One person settled the group, having seen every ranking.
    #[serde(rename = "adjudicate")]
    Adjudicate {
        /// The ranking; empty = the settlement is taken back.
        tiers: Vec<Vec<String>>,
        /// Passing trajectories left unranked.
        unranked: Vec<String>,
        /// Ids of the submissions that were seen.
        sources: Vec<String>,
        /// Why.
        note: String,
        /// Focused time in milliseconds, 0 when not measured.
        active_ms: u64,
    },
    /// The known ranking of a group that tests annotators; empty tiers = it is no test any more.
    #[serde(rename = "gold.set")]
    GoldSet {
        /// The known ranking.
        tiers: Vec<Vec<String>>,
        /// Why it is known.
        reason: String,
    },
    /// Focused time on a group that no submission holds yet.
    #[serde(rename = "time.add")]
    TimeAdd {
        /// Milliseconds without the idle ones.
        active_ms: u64,
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
    /// Whether a person changed something: not the opening of a group or the time spent on it.
    #[must_use]
    pub fn is_change(&self) -> bool {
        !matches!(self, Self::GroupOpen { .. } | Self::TimeAdd { .. })
    }

    /// The name under which this kind is stored.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::GroupOpen { .. } => "group.open",
            Self::Reveal { .. } => "reveal",
            Self::RankSet { .. } => "rank.set",
            Self::PairSet { .. } => "pair.set",
            Self::RankSubmit { .. } => "rank.submit",
            Self::SkipSet { .. } => "skip.set",
            Self::FlagSet { .. } => "flag.set",
            Self::ConfidenceSet { .. } => "confidence.set",
            Self::FindingSet { .. } => "finding.set",
            Self::RemarkSet { .. } => "remark.set",
            Self::Adjudicate { .. } => "adjudicate",
            Self::GoldSet { .. } => "gold.set",
            Self::TimeAdd { .. } => "time.add",
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
        // In one go, without a tree of values between: logs are long. The body alone must be JSON,
        // so that it cannot reach beyond its place.
        let at_once = || {
            let raw: &RawValue = serde_json::from_str(body)?;
            let kind = serde_json::to_string(kind)?;
            serde_json::from_str(&format!("{{\"kind\":{kind},\"body\":{}}}", raw.get()))
        };
        // The tree takes what others may have written: a field that stands there twice.
        let by_tree = |_: serde_json::Error| {
            let value: Value = serde_json::from_str(body)?;
            serde_json::from_value(serde_json::json!({ "kind": kind, "body": value }))
        };
        at_once()
            .or_else(by_tree)
            .unwrap_or_else(|_: serde_json::Error| Self::Unknown {
                kind: kind.to_owned(),
                body: body.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_read_whatever_wrote_them_and_never_beyond_their_place() {
        let undo = EventBody::Undo {
            event_id: "1".to_owned(),
        };
        for body in [
            r#"{"event_id":"1"}"#,
            r#" { "more": [1.5], "event_id" : "1" } "#,
            r#"{"event_id":"0","event_id":"1"}"#,
        ] {
            assert_eq!(EventBody::from_parts("undo", body), undo, "{body}");
        }
        for (kind, body) in [
            ("later", "{}"),
            ("undo", r#"{"event_id":"1"},"x":{}"#),
            ("undo", "{}"),
            ("undo\",\"kind\":\"undo", r#"{"event_id":"1"}"#),
            ("undo", "no JSON"),
        ] {
            let unknown = EventBody::Unknown {
                kind: kind.to_owned(),
                body: body.to_owned(),
            };
            assert_eq!(EventBody::from_parts(kind, body), unknown);
        }
        if std::env::var_os("GAGAR_MEASURE").is_some() {
            let body = r#"{"before":[["traj-1","traj-2"],["traj-3"]],"after":[["traj-2"],["traj-1","traj-3"]],"origin":"scratch"}"#;
            let start = std::time::Instant::now();
            (0..200_000).for_each(|_| drop(EventBody::from_parts("rank.set", body)));
            println!("200,000 bodies: {:?}", start.elapsed());
            let start = std::time::Instant::now();
            for _ in 0..200_000 {
                let value: Value = serde_json::from_str(body).unwrap();
                let read = serde_json::json!({ "kind": "rank.set", "body": value });
                drop(serde_json::from_value::<EventBody>(read).unwrap());
            }
            println!("by a tree: {:?}", start.elapsed());
        }
    }
}
