//! A copy of the whole file, made while others use it.
//!
//! What is *not* here: the copy made before a migration ([`super::file`]).

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::super::StoreError;
use super::file::copy_into;
use super::{BUSY, SqliteStore, Verified};

impl SqliteStore {
    /// Copies the database to a file, readable by its owner only, with one moment's content; the
    /// copy is checked whole before it takes its name. What stands there is replaced.
    ///
    /// # Errors
    /// Why this file cannot be read or the copy not be written, or that the copy is damaged;
    /// what stood at `to` is then untouched.
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
        let copied = copy_into(connection, &part.0);
        set(only_reads)?;
        copied.map_err(|error| match error {
            rusqlite::Error::ToSqlConversionFailure(error) => there(&error),
            other => self.fail(&other),
        })?;
        let verified = SqliteStore::reading(&part.0).verify()?;
        std::fs::rename(&part.0, to).map_err(|error| there(&error))?;
        Ok(verified)
    }
}

/// A file that is removed, with what SQLite puts beside it, unless it was renamed.
pub(super) struct Part(pub(super) PathBuf);

impl Part {
    /// A name beside `path` that nobody else takes.
    pub(super) fn beside(path: &Path) -> Self {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.part", std::process::id()));
        Self(path.with_file_name(name))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        for side in ["", "-wal", "-shm", "-journal"] {
            let mut name = self.0.as_os_str().to_owned();
            name.push(side);
            // Gone already when it was renamed; and a leftover does no harm.
            let _ = std::fs::remove_file(name);
        }
    }
}
