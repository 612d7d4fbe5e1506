//! What a file holds and how it is kept, in numbers.
//!
//! What is *not* here: whether it is whole ([`SqliteStore::verify`]).

use std::collections::HashSet;
use std::time::Instant;

use rusqlite::Connection;

use super::super::StoreError;
use super::file::{is_blank, pragma};
use super::{BUSY, SqliteStore};

/// What [`SqliteStore::survey`] found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Survey {
    /// Schema version; 0 when there is no file.
    pub schema: i64,
    /// The newest schema version known here.
    pub newest_schema: i64,
    /// SQLite's journal mode, for example `wal`.
    pub journal: String,
    /// (kind, events), most first.
    pub kinds: Vec<(String, u64)>,
    /// (annotator, events), most first; without those who only exported.
    pub annotators: Vec<(String, u64)>,
    /// (who only exported, events), most first.
    pub exporters: Vec<(String, u64)>,
    /// (store id, events), most first: more than one in a merged file.
    pub stores: Vec<(String, u64)>,
    /// Groups as they were seen.
    pub groups: u64,
}

impl SqliteStore {
    /// Counts what the file holds.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub fn survey(&self) -> Result<Survey, StoreError> {
        self.open_existing(Instant::now() + BUSY)?;
        let mut survey = Survey {
            newest_schema: super::MIGRATIONS.len() as i64,
            ..Survey::default()
        };
        let opened = self.opened.borrow();
        if let Some(opened) = opened.as_ref() {
            let filled = fill(&mut survey, &opened.connection);
            filled.map_err(|error| self.fail(&error))?;
        }
        Ok(survey)
    }
}

fn fill(survey: &mut Survey, connection: &Connection) -> rusqlite::Result<()> {
    survey.schema = pragma(connection, "user_version")?;
    survey.journal = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if is_blank(connection)? {
        return Ok(());
    }
    survey.kinds = count_by(connection, "kind")?;
    let judges: HashSet<String> = connection
        .prepare("SELECT DISTINCT annotator_id FROM event WHERE kind != 'export'")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let people = count_by(connection, "annotator_id")?.into_iter();
    (survey.annotators, survey.exporters) = people.partition(|(name, _)| judges.contains(name));
    survey.stores = count_by(connection, "store_id")?;
    let groups: i64 = connection.query_row("SELECT count(*) FROM grp", [], |row| row.get(0))?;
    survey.groups = groups.unsigned_abs();
    Ok(())
}

fn count_by(connection: &Connection, column: &str) -> rusqlite::Result<Vec<(String, u64)>> {
    connection
        .prepare(&format!(
            "SELECT {column}, count(*) FROM event GROUP BY 1 ORDER BY 2 DESC, 1"
        ))?
        .query_map([], |row| {
            Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()))
        })?
        .collect()
}
