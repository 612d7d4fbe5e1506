//! Putting a finished file under its name, and what may lie beside that name from a file before.
//!
//! SQLite takes a `-wal` or `-journal` beside a file for the file's own: one that an earlier file
//! of that name left would be played into the new one. What is *not* here: making the file
//! ([`super::copy`], [`super::merge`]).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::super::is_database;

/// What SQLite puts beside a file; the first two hold changes, the last is only shared memory.
const SIDES: [&str; 3] = ["-wal", "-journal", "-shm"];
/// How long a file in use may take to come free.
const BUSY: Duration = Duration::from_secs(1);

/// A file that is removed, with what SQLite puts beside it, unless it was put in its place.
pub(super) struct Part(PathBuf);

impl Part {
    /// A name beside `path` that nobody else takes.
    pub(super) fn beside(path: &Path) -> Self {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.part", std::process::id()));
        Self(path.with_file_name(name))
    }

    /// Its name until then.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Gives the file, which nobody has open, the name `to`. What stands there is replaced when
    /// `replace` says so: first with its side files put into it, and only when no other process has
    /// it open.
    ///
    /// # Errors
    /// Why not, in one sentence; what stood there is then as it was.
    pub(super) fn put(self, to: &Path, replace: bool) -> Result<(), String> {
        // A link stays a link: the file it names is replaced.
        let real = to.canonicalize().unwrap_or_else(|_| to.to_owned());
        if let Some(reason) = orphans(&real) {
            return Err(reason);
        }
        if !changes_beside(&self.0).is_empty() {
            return Err("the new file was not written whole".to_owned());
        }
        // Held until the name is given away.
        let _held = match real.exists() {
            true if replace && is_database(&real) => settle(&real)?,
            true if replace => None,
            true => return Err("another process made it meanwhile".to_owned()),
            false => None,
        };
        let left = changes_beside(&real);
        if !left.is_empty() {
            return Err(format!(
                "{} would be taken for changes of the new file, and cannot be put into the old one: \
                 move both away, or choose another name",
                listed(&left)
            ));
        }
        fs::rename(&self.0, &real).map_err(|error| error.to_string())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Gone already when it was renamed; and a leftover does no harm.
        let _ = fs::remove_file(&self.0);
        for side in SIDES {
            let _ = fs::remove_file(beside(&self.0, side));
        }
    }
}

/// Puts what lies beside the database into it and locks it; nothing is answered for one that SQLite
/// cannot read.
fn settle(path: &Path) -> Result<Option<Connection>, String> {
    let settled = || -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        // Ends the WAL, which only the one process that has the file open can do.
        connection.query_row("PRAGMA journal_mode=DELETE", [], |_| Ok(()))?;
        connection.execute_batch("BEGIN EXCLUSIVE")?;
        Ok(connection)
    };
    match settled() {
        Ok(connection) => Ok(Some(connection)),
        Err(error)
            if matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
            ) =>
        {
            Err(
                "another process has it open: end that one first, or choose another name"
                    .to_owned(),
            )
        }
        Err(_) => Ok(None),
    }
}

/// What is wrong when changes lie beside a file that is not there, or is empty: they are of a file
/// that stood there before, and SQLite would play them into a new one or throw them away.
pub(super) fn orphans(path: &Path) -> Option<String> {
    let left = changes_beside(path);
    // Looked at after its side files: who makes a file makes them after it.
    let gone = match fs::metadata(path) {
        // One that is being made is empty at first, beside its journal.
        Ok(found) => found.len() == 0 && left.iter().any(|left| *left == beside(path, SIDES[0])),
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    (gone && !left.is_empty()).then(|| {
        format!(
            "there is no such database, but {} of an earlier one, with judgements that a new file \
             would lose: put the old database back beside it, or move it away",
            listed(&left)
        )
    })
}

/// The side files that hold something.
fn changes_beside(path: &Path) -> Vec<PathBuf> {
    let sides = SIDES.iter().take(2).map(|side| beside(path, side));
    let is_filled = |side: &PathBuf| fs::metadata(side).is_ok_and(|found| found.len() > 0);
    sides.filter(is_filled).collect()
}

fn beside(path: &Path, side: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(side);
    PathBuf::from(name)
}

fn listed(paths: &[PathBuf]) -> String {
    let names: Vec<_> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    names.join(" and ")
}
