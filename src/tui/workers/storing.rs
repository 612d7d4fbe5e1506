//! The thread that stores judgements and looks for what other processes stored.

use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::{Post, caught};
use crate::store::{Event, EventBody, EventStore, NewEvent, StoreError};
use crate::tui::message::Message;

/// Time between two looks for what other processes stored.
pub(super) const LOOK_STORE: Duration = Duration::from_millis(400);

/// The same while the store cannot be read.
pub(super) const LOOK_FAILING: Duration = Duration::from_secs(10);

/// Time after a failed save until it is tried again.
pub(super) const RETRY: Duration = Duration::from_secs(3);

pub(super) struct StoreRequest {
    pub(super) epoch: u64,
    pub(super) events: Vec<NewEvent>,
}

/// What this run of the program knows of the log.
#[derive(Debug, Clone, Default)]
pub struct KnownLog {
    /// Last known sequence number by store.
    ends: BTreeMap<String, u64>,
    /// Ids of the events this run stored.
    own: HashSet<String>,
    /// Whose judgements this run makes; `None` = somebody's.
    annotator: Option<String>,
}

impl KnownLog {
    /// Knows these events, a whole log.
    #[must_use]
    pub fn of(log: &[Event]) -> Self {
        let mut known = Self::default();
        known.extend(log);
        known
    }

    /// The same, for a run that judges for this annotator only.
    #[must_use]
    pub fn for_annotator(mut self, annotator: &str) -> Self {
        self.annotator = Some(annotator.to_owned());
        self
    }

    fn extend(&mut self, events: &[Event]) {
        for event in events {
            let end = self.ends.entry(event.store_id.clone()).or_default();
            *end = event.seq.max(*end);
        }
    }

    fn end(&self, store_id: &str) -> u64 {
        self.ends.get(store_id).copied().unwrap_or(0)
    }

    /// Whether folding these events on top gives what folding the whole log would: they are others',
    /// of the one store there is, and change nothing that is shared.
    fn is_continued_by(&self, foreign: &[Event]) -> bool {
        let one_store = |event: &Event| self.ends.keys().all(|store| *store == event.store_id);
        foreign.iter().all(|event| {
            one_store(event)
                && self
                    .annotator
                    .as_ref()
                    .is_some_and(|own| *own != event.annotator)
                && !matches!(event.body, EventBody::GoldSet { .. })
        }) && foreign
            .windows(2)
            .all(|pair| pair[0].store_id == pair[1].store_id)
    }
}

/// Stores events and answers what the interface is to be told: also when somebody else wrote since
/// the log was last looked at.
pub fn store_events(
    store: &mut dyn EventStore,
    known: &mut KnownLog,
    events: &[NewEvent],
) -> Vec<Message> {
    let stored = match store.append(events) {
        Ok(stored) => stored,
        Err(error) => return vec![Message::SaveFailed(error.to_string())],
    };
    known
        .own
        .extend(events.iter().map(|event| event.event_id.clone()));
    let follows = stored
        .first()
        .is_none_or(|first| first.seq == known.end(&first.store_id) + 1);
    if follows {
        known.extend(&stored);
        return vec![Message::Saved];
    }
    // A log that cannot be read now is read after the next save: what is known stays as it was.
    let foreign = read_foreign(store, known).unwrap_or_default();
    [Message::Saved].into_iter().chain(foreign).collect()
}

/// Answers what the interface is to be told of what somebody else wrote since the log was last
/// looked at. Costs next to nothing when nobody did.
///
/// # Errors
/// When the store cannot be read.
pub fn look(
    store: &mut dyn EventStore,
    known: &mut KnownLog,
) -> Result<Option<Message>, StoreError> {
    match store.is_changed_elsewhere()? {
        true => read_foreign(store, known),
        false => Ok(None),
    }
}

pub(super) fn read_foreign(
    store: &mut dyn EventStore,
    known: &mut KnownLog,
) -> Result<Option<Message>, StoreError> {
    let new = store.events_beyond(&known.ends)?;
    let is_foreign = |event: &&Event| !known.own.contains(&event.event_id);
    let foreign: Vec<Event> = new.iter().filter(is_foreign).cloned().collect();
    let message = if !foreign.iter().any(|event| event.group_id.is_some()) {
        None
    } else if known.is_continued_by(&foreign) {
        Some(Message::LogChanged {
            whole: None,
            foreign,
        })
    } else {
        Some(Message::LogChanged {
            whole: Some(store.events_since(0)?),
            foreign,
        })
    };
    known.extend(&new);
    Ok(message)
}

/// Stores what is handed over, tries again after a failure, and looks for what others write.
pub(super) fn run_store(
    requests: &Receiver<StoreRequest>,
    mut store: impl EventStore,
    (loaded, begun): (&OnceLock<KnownLog>, &AtomicBool),
    post: &Post,
) {
    let mut known = None;
    let mut failed_in = None;
    let mut failed_at: Option<Instant> = None;
    let mut next_look = Instant::now() + LOOK_STORE;
    loop {
        match requests.recv_timeout(LOOK_STORE) {
            // The interface keeps these with the failed ones and sends them again in order.
            Ok(StoreRequest { epoch, .. }) if failed_in == Some(epoch) => {}
            Ok(StoreRequest { events, epoch }) => {
                // There is nothing to save before the log is read; a log that could not be is all
                // new.
                let known = known.get_or_insert_with(|| loaded.get().cloned().unwrap_or_default());
                let answers = caught(|| store_events(&mut store, known, &events))
                    .unwrap_or_else(|reason| vec![Message::SaveFailed(reason)]);
                for answer in answers {
                    if matches!(answer, Message::SaveFailed(_)) {
                        failed_in = Some(epoch);
                        failed_at = Some(Instant::now());
                    }
                    post(answer);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if failed_at.is_some_and(|at| at.elapsed() >= RETRY) {
            failed_at = None;
            post(Message::RetryDue);
        }
        // A session that has not begun would not hear of it.
        if Instant::now() < next_look || !begun.load(Ordering::Acquire) {
            continue;
        }
        next_look = Instant::now() + LOOK_STORE;
        if known.is_none() {
            known = loaded.get().cloned();
        }
        let Some(known) = known.as_mut() else {
            continue;
        };
        match caught(|| look(&mut store, known)) {
            Ok(Ok(Some(message))) => post(message),
            Ok(Ok(None)) => {}
            // What is wrong with the file is told when something is to be stored in it.
            Ok(Err(_)) | Err(_) => next_look = Instant::now() + LOOK_FAILING,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::sync::{Arc, Mutex};

    use super::*;

    struct Flaky(Vec<bool>);

    impl EventStore for Flaky {
        fn append(&mut self, _: &[NewEvent]) -> Result<Vec<Event>, StoreError> {
            if self.0.remove(0) {
                Ok(Vec::new())
            } else {
                let (path, reason) = ("db".to_owned(), "disk full".to_owned());
                Err(StoreError::Unusable { path, reason })
            }
        }

        fn events_since(&self, _: u64) -> Result<Vec<Event>, StoreError> {
            Ok(Vec::new())
        }
    }

    fn event(id: &str) -> NewEvent {
        NewEvent {
            event_id: id.to_owned(),
            at_ms: 0,
            annotator: "a".to_owned(),
            session_id: "s".to_owned(),
            group: None,
            body: EventBody::Undo {
                event_id: String::new(),
            },
        }
    }

    #[test]
    fn nothing_is_stored_past_a_failure_until_it_is_known() {
        let (save, saves) = channel();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let post: Post = {
            let seen = seen.clone();
            Arc::new(move |message| seen.lock().unwrap().push(matches!(message, Message::Saved)))
        };
        for (epoch, id) in [(0, "a"), (0, "b"), (0, "c"), (1, "d")] {
            save.send(StoreRequest {
                epoch,
                events: vec![event(id)],
            })
            .unwrap();
        }
        drop(save);
        run_store(
            &saves,
            Flaky(vec![true, false, true]),
            (&OnceLock::new(), &AtomicBool::new(false)),
            &post,
        );
        assert_eq!(*seen.lock().unwrap(), [true, false, true]);
    }
}
