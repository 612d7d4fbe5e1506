//! The append-only log of what people judged, and the projections read from it.
//!
//! The log is the truth (`annotation.md` 4.3): a judgement is an [`Event`], never an update. The
//! store is reached only through [`EventStore`], so that another engine can stand beside SQLite.
//! What is *not* here: what a key does (`crate::review`).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

mod chain;
mod event;
pub mod jsonl;
mod log;
mod memory;
pub mod order;
pub mod projection;
mod record;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use event::{Event, EventBody, GroupRecord, NewEvent};
pub use log::{BrokenChain, Log, StoredEvent};
pub use memory::MemoryStore;
pub use record::{FindingRecord, PairVerdict, RuleStamp, Side, Verdict};
#[cfg(feature = "sqlite")]
pub use sqlite::{Absorbed, Added, Damage, Probe, SqliteStore, Survey, Verified};

/// Whether a file begins as every SQLite database does: then it may hold judgements.
#[must_use]
pub fn is_database(path: &Path) -> bool {
    const MAGIC: &[u8; 16] = b"SQLite format 3\0";
    let mut begin = [0; 16];
    let is_file = std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let mut read = || File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    is_file && read().is_ok() && begin == *MAGIC
}

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file was written by a newer gagar.
    #[error("{path} was written by a newer gagar (schema {found}, this one knows {known})")]
    Newer {
        /// The file.
        path: String,
        /// Its schema version.
        found: i64,
        /// The newest version known here.
        known: i64,
    },
    /// The file cannot be opened, read or written.
    #[error("{path}: {reason}")]
    Unusable {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },
    /// The file is not one of gagar's.
    #[error("{path}: {reason}")]
    Foreign {
        /// The file.
        path: String,
        /// What it is.
        reason: String,
    },
    /// The file's content contradicts itself.
    #[error("{path} is damaged: {reason}")]
    Damaged {
        /// The file.
        path: String,
        /// What was found.
        reason: String,
    },
    /// The file can be read whole, but an event in it is not what was written.
    #[error("{path} is damaged: {broken}")]
    Tampered {
        /// The file.
        path: String,
        /// The first such event.
        broken: Box<BrokenChain>,
    },
    /// The hash chain of a log is broken: it was tampered with, cut or re-ordered.
    #[error("{0}{more}", more = match .1 { 0 | 1 => String::new(), more => format!(" (and {} more chains are broken)", more - 1) })]
    Broken(Box<BrokenChain>, usize),
    /// A log says that a group was another one than is stored under the same fingerprint.
    #[error(
        "group {group_id}: other trajectories, patches or rewards than {path} holds under the same \
         fingerprint"
    )]
    OtherGroup {
        /// The file.
        path: String,
        /// The group.
        group_id: String,
    },
    /// Two logs hold different events under one id, or in one place of one chain.
    #[error("{0}")]
    Conflict(Box<BrokenChain>),
}

/// An append-only log of events.
pub trait EventStore: Send {
    /// Appends events in one transaction, all or none, and returns them as stored (with `seq` and
    /// hash). An event whose `event_id` is already stored is an error.
    ///
    /// # Errors
    /// See [`StoreError`]; nothing is stored then.
    fn append(&mut self, events: &[NewEvent]) -> Result<Vec<Event>, StoreError>;

    /// Returns the events with a sequence number above `seq`, in the order of [`order`]; 0 = all.
    ///
    /// # Errors
    /// See [`StoreError`].
    fn events_since(&self, seq: u64) -> Result<Vec<Event>, StoreError>;

    /// Returns the events beyond what is known: (store id, last known sequence number), nothing
    /// known = 0; in the order of [`order`].
    ///
    /// # Errors
    /// See [`StoreError`].
    fn events_beyond(&self, known: &BTreeMap<String, u64>) -> Result<Vec<Event>, StoreError> {
        let mut events = self.events_since(0)?;
        events.retain(|event| {
            known
                .get(&event.store_id)
                .is_none_or(|seq| event.seq > *seq)
        });
        Ok(events)
    }

    /// Whether something was written past this handle since the last call; false when that cannot
    /// happen. Cheap enough to be asked several times a second.
    ///
    /// # Errors
    /// See [`StoreError`].
    fn is_changed_elsewhere(&mut self) -> Result<bool, StoreError> {
        Ok(false)
    }
}
