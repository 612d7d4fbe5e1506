//! A copy of the whole file, made while others use it.
//!
//! What is *not* here: the copy made before a migration ([`super::file`]).

use std::path::Path;
use std::time::Instant;

use super::super::StoreError;
use super::file::copy_into;
use super::place::Part;
use super::{BUSY, SqliteStore, Verified};

impl SqliteStore {
    /// Copies the database to a file, readable by its owner only, with one moment's content; the
    /// copy is checked whole before it takes its name. What stands there is replaced, unless another
    /// process has it open.
    ///
    /// # Errors
    /// Why this file cannot be read or the copy not be written, that the copy is damaged, or that
    /// changes of an earlier file lie beside `to`; what stood at `to` is then untouched.
    pub fn copy_to(&self, to: &Path) -> Result<Verified, StoreError> {
        self.open_existing(Instant::now() + BUSY)?;
        let opened = self.opened.borrow();
        let Some(opened) = opened.as_ref() else {
            return Err(self.unusable("there is nothing to copy".to_owned()));
        };
        let part = Part::beside(to);
        let there = |error: &dyn std::fmt::Display| StoreError::Unusable {
            path: to.display().to_string(),
            reason: error.to_string(),
        };
        let connection = &opened.connection;
        // A connection that only reads may not even write another file.
        let only_reads = connection.pragma_query_value(None, "query_only", |row| row.get(0));
        let only_reads: bool = only_reads.map_err(|error| self.fail(&error))?;
        let set = |on: bool| {
            let set = connection.pragma_update(None, "query_only", on);
            set.map_err(|error| self.fail(&error))
        };
        set(false)?;
        let copied = copy_into(connection, part.path());
        set(only_reads)?;
        copied.map_err(|error| match error {
            rusqlite::Error::ToSqlConversionFailure(error) => there(&error),
            other => self.fail(&other),
        })?;
        // What is wrong with the copy is wrong with this file.
        let copy = SqliteStore::reading(part.path()).shown_as(&self.path);
        copy.verify()?;
        drop(copy);
        part.put(to, true).map_err(|reason| there(&reason))?;
        // Once more under its name: what lies beside a name belongs to a file.
        SqliteStore::reading(to).verify()
    }
}
