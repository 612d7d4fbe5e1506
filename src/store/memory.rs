//! An event store in memory: for tests, and until the first judgement makes a file.

use std::collections::HashSet;

use super::{Event, EventStore, NewEvent, StoreError, chain};

/// Events in memory, numbered and chained as in a file.
#[derive(Debug, Default)]
pub struct MemoryStore {
    events: Vec<Event>,
}

impl MemoryStore {
    /// A store that holds these events, as another store returned them: all of it, in order.
    #[must_use]
    pub fn holding(events: Vec<Event>) -> Self {
        Self { events }
    }
}

impl EventStore for MemoryStore {
    fn append(&mut self, events: &[NewEvent]) -> Result<Vec<Event>, StoreError> {
        let unusable = |reason: String| StoreError::Unusable {
            path: "memory".to_owned(),
            reason,
        };
        let mut ids: HashSet<&str> = self.events.iter().map(|e| e.event_id.as_str()).collect();
        let mut stored = Vec::with_capacity(events.len());
        let mut prev = self
            .events
            .last()
            .map_or_else(String::new, |event| event.hash.clone());
        for (seq, new) in (self.events.len() as u64 + 1..).zip(events) {
            if !ids.insert(&new.event_id) {
                return Err(unusable(format!(
                    "event {} is stored already",
                    new.event_id
                )));
            }
            let (event, _) = chain::link(new, "memory", seq, &prev)
                .map_err(|error| unusable(error.to_string()))?;
            prev.clone_from(&event.hash);
            stored.push(event);
        }
        self.events.extend(stored.iter().cloned());
        Ok(stored)
    }

    fn events_since(&self, seq: u64) -> Result<Vec<Event>, StoreError> {
        Ok(self
            .events
            .iter()
            .filter(|event| event.seq > seq)
            .cloned()
            .collect())
    }
}
