//! Adding whole logs to a file: all of them or none.
//!
//! What is *not* here: rows ([`super::union`]).

use std::time::Instant;

use rusqlite::TransactionBehavior;

use super::super::StoreError;
use super::super::log::{BrokenChain, Log};
use super::place::Part;
use super::union::{Added, add, hash_of, read_log};
use super::{BUSY, SqliteStore};

/// What happens to a chain that is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// Nothing of the log is taken.
    Refuse,
    /// The events before the broken one are taken.
    Skip,
}

/// What [`SqliteStore::absorb`] did with one log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Absorbed {
    /// Events the log held.
    pub events: u64,
    /// What was added.
    pub added: Added,
    /// Events left out because they, or one before them, are not what was written.
    pub skipped: u64,
    /// Where chains are broken.
    pub broken: Vec<BrokenChain>,
}

impl SqliteStore {
    /// Everything the file holds, events by store and sequence number; nothing when there is no
    /// file.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub fn log(&self) -> Result<Log, StoreError> {
        self.open_existing(Instant::now() + BUSY)?;
        let opened = self.opened.borrow();
        let Some(opened) = opened.as_ref() else {
            return Ok(Log::default());
        };
        // One transaction, so that groups and events are of one moment.
        let fail = |error: rusqlite::Error| self.fail(&error);
        let moment = opened.connection.unchecked_transaction().map_err(fail)?;
        read_log(&moment).map_err(fail)
    }

    /// Adds the events of other logs that are not here yet, in one transaction, and makes the file
    /// when it is not there. Every chain is checked first. Adding a log again adds nothing; the
    /// order of logs does not matter. One answer per log.
    ///
    /// The logs are asked for one by one, so that only one is in memory.
    ///
    /// # Errors
    /// What reading a log answered; [`StoreError::Broken`] when a chain is broken and damage is
    /// refused; [`StoreError::Conflict`] when two logs hold different events under one id or in
    /// one place. Nothing is added then.
    pub fn absorb<E: From<StoreError>>(
        &mut self,
        logs: impl IntoIterator<Item = Result<Log, E>>,
        damage: Damage,
        made_ms: i64,
    ) -> Result<Vec<Absorbed>, E> {
        self.open_existing(Instant::now() + BUSY)?;
        if self.opened.get_mut().is_none() && !self.reading {
            // A file that does not come to its end is none.
            let part = Part::beside(&self.path);
            let mut whole = Self::at(part.path())
                .with_probe(self.probe)
                .shown_as(&self.path);
            whole.open_or_create(Instant::now() + BUSY)?;
            let answers = whole.absorb(logs, damage, made_ms)?;
            // Closed first: its side files have its name.
            drop(whole);
            let put = part.put(&self.path, false);
            put.map_err(|reason| self.unusable(reason))?;
            self.verify()?;
            return Ok(answers);
        }
        let mut borrowed = self.opened.borrow_mut();
        let Some(opened) = borrowed.as_mut().filter(|opened| opened.writable) else {
            return Err(self
                .unusable("read-only; nothing was stored".to_owned())
                .into());
        };
        let fail = |error: rusqlite::Error| self.fail(&error);
        let transaction = opened
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        super::rows::store_id(&transaction, made_ms).map_err(fail)?;
        let mut answers = Vec::new();
        for log in logs {
            let mut log = log?;
            log.sort_by_chain();
            let mut absorbed = Absorbed {
                events: log.events.len() as u64,
                ..Absorbed::default()
            };
            absorbed.broken = log
                .broken_chains(|store_id, seq| hash_of(&transaction, store_id, seq).ok().flatten());
            match absorbed.broken.first() {
                Some(first) if damage == Damage::Refuse => {
                    return Err(
                        StoreError::Broken(Box::new(first.clone()), absorbed.broken.len()).into(),
                    );
                }
                _ => absorbed.skipped = log.keep_intact(&absorbed.broken) as u64,
            }
            absorbed.added = add(self, &transaction, &log)?;
            answers.push(absorbed);
        }
        transaction.commit().map_err(fail)?;
        Ok(answers)
    }
}
