//! A log as it is moved between files: events with the text of their bodies, and what they refer to.
//!
//! What is *not* here: how a file holds it ([`super::sqlite`]), how a line of text does
//! ([`super::jsonl`]).

use super::{Event, GroupRecord, chain};

/// An event with the text of its body, which its hash covers.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    /// The event.
    pub event: Event,
    /// The body's JSON text as stored.
    pub body: String,
}

impl StoredEvent {
    /// Whether the event's hash is that of its columns and body.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        chain::hash(&self.event, &self.body).is_ok_and(|hash| hash == self.event.hash)
    }
}

/// Everything a file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Log {
    /// The events.
    pub events: Vec<StoredEvent>,
    /// The groups as they were seen.
    pub groups: Vec<GroupRecord>,
    /// (annotator, name shown) of every annotator.
    pub annotators: Vec<(String, String)>,
}

/// Where a chain of events is broken: the first event that is not what was written, or does not
/// follow the one before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("store {store_id}, event {seq} ({event_id} of {annotator}): {reason}")]
pub struct BrokenChain {
    /// The store whose chain it is.
    pub store_id: String,
    /// Sequence number of the event.
    pub seq: u64,
    /// Its id.
    pub event_id: String,
    /// Who it names.
    pub annotator: String,
    /// What is wrong.
    pub reason: String,
}

impl BrokenChain {
    pub(super) fn at(event: &Event, reason: impl Into<String>) -> Self {
        Self {
            store_id: event.store_id.clone(),
            seq: event.seq,
            event_id: event.event_id.clone(),
            annotator: event.annotator.clone(),
            reason: reason.into(),
        }
    }
}

impl Log {
    /// Sorts the events by store and sequence number, as chains run.
    pub fn sort_by_chain(&mut self) {
        self.events.sort_by(|a, b| {
            (&a.event.store_id, a.event.seq).cmp(&(&b.event.store_id, b.event.seq))
        });
    }

    /// Where chains are broken, the first place of each. The events must be sorted by chain; a
    /// chain begins at 1, or after the event that `known` answers for (store id, seq): its hash.
    ///
    /// Rows cut off the end cannot be noticed by a chain.
    pub fn broken_chains(&self, known: impl Fn(&str, u64) -> Option<String>) -> Vec<BrokenChain> {
        let mut broken = Vec::new();
        for chain in self.chains() {
            let mut before: Option<(u64, String)> = None;
            for stored in chain {
                let event = &stored.event;
                let wanted = match &before {
                    Some((seq, hash)) => Ok((seq + 1, hash.clone())),
                    None if event.seq <= 1 => Ok((1, String::new())),
                    None => known(&event.store_id, event.seq - 1)
                        .map(|hash| (event.seq, hash))
                        .ok_or_else(|| missing(1, event.seq)),
                };
                let reason = match wanted {
                    Err(reason) => Some(reason),
                    Ok((seq, _)) if event.seq < seq => {
                        Some("its sequence number stands there twice".to_owned())
                    }
                    Ok((seq, _)) if event.seq > seq => Some(missing(seq, event.seq)),
                    Ok(_) if !stored.is_intact() => {
                        Some("it is not what was written: its hash does not fit".to_owned())
                    }
                    Ok((_, prev)) if event.prev != prev => Some(
                        "it does not follow the event before it: that one was changed or \
                         re-ordered"
                            .to_owned(),
                    ),
                    Ok(_) => None,
                };
                if let Some(reason) = reason {
                    broken.push(BrokenChain::at(event, reason));
                    break;
                }
                before = Some((event.seq, event.hash.clone()));
            }
        }
        broken
    }

    /// Drops every broken chain's events from the broken one on; returns how many.
    pub fn keep_intact(&mut self, broken: &[BrokenChain]) -> usize {
        let count = self.events.len();
        for place in broken {
            self.events.retain(|stored| {
                stored.event.store_id != place.store_id || stored.event.seq < place.seq
            });
        }
        count - self.events.len()
    }

    /// The events of each store; the events must be sorted by chain.
    pub(super) fn chains(&self) -> impl Iterator<Item = &[StoredEvent]> {
        self.events
            .chunk_by(|a, b| a.event.store_id == b.event.store_id)
    }
}

fn missing(first: u64, next: u64) -> String {
    match next - first {
        1 => format!("event {first} before it is missing"),
        _ => format!("events {first} to {} before it are missing", next - 1),
    }
}
