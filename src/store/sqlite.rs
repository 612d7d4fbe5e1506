//! The event log in one SQLite file.
//!
//! Every append is one `BEGIN IMMEDIATE` transaction under WAL and `synchronous=FULL`: what was
//! acknowledged survives a crash, and writers of several processes queue instead of failing. What
//! is *not* here: what the events mean ([`super::projection`]).

use std::cell::RefCell;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Row, TransactionBehavior, params};

use super::{Event, EventBody, EventStore, GroupRecord, NewEvent, StoreError, chain};

/// The migration at index n takes a file from `user_version` n to n + 1.
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_init.sql")];
/// `PRAGMA application_id` of our files: "gagr".
const APPLICATION_ID: i64 = 0x6761_6772;
/// How long a writer waits for another one.
const BUSY: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// The event log in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    opened: RefCell<Option<Opened>>,
}

#[derive(Debug)]
struct Opened {
    connection: Connection,
    writable: bool,
}

/// What [`SqliteStore::verify`] looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Events whose hash and place in the chain are right.
    pub events: u64,
    /// Schema version of the file, 0 when there is no file.
    pub schema: i64,
}

impl SqliteStore {
    /// Names the file; nothing is read or created yet. The file is created by the first `append`;
    /// `events_since` on a file that does not exist answers no events.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            opened: RefCell::new(None),
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks the whole file: SQLite's `integrity_check` and foreign keys, and the hash chain
    /// (each row's hash, the link to the row before, no gap). Rows cut off the end cannot be
    /// noticed by a chain.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] with the first contradiction, or why the file cannot be read.
    pub fn verify(&self) -> Result<Verified, StoreError> {
        self.open_existing()?;
        let opened = self.opened.borrow();
        let Some(opened) = opened.as_ref() else {
            return Ok(Verified {
                events: 0,
                schema: 0,
            });
        };
        let schema = pragma(&opened.connection, "user_version").map_err(|e| self.fail(&e))?;
        check(&opened.connection, "integrity_check")
            .map_err(|e| self.fail(&e))?
            .map_or(Ok(()), |reason| Err(self.damaged(reason)))?;
        let dangling = opened
            .connection
            .prepare("PRAGMA foreign_key_check")
            .and_then(|mut statement| statement.exists([]))
            .map_err(|e| self.fail(&e))?;
        if dangling {
            return Err(
                self.damaged("an event names a group or annotator that is not there".into())
            );
        }
        let events = self.verify_chain(&opened.connection)?;
        Ok(Verified { events, schema })
    }

    fn verify_chain(&self, connection: &Connection) -> Result<u64, StoreError> {
        if is_blank(connection).map_err(|e| self.fail(&e))? {
            return Ok(0);
        }
        let rows = read(connection, 0, "store_id, seq").map_err(|e| self.fail(&e))?;
        let mut before: Option<&Event> = None;
        for (event, body) in &rows {
            // A merged file holds several stores, each with its own chain.
            let last = before.filter(|last| last.store_id == event.store_id);
            let (seq, prev) = last.map_or((1, ""), |last| (last.seq + 1, last.hash.as_str()));
            if event.seq != seq {
                return Err(self.damaged(format!("event {seq} is missing before {}", event.seq)));
            }
            let hash = chain::hash(event, body).map_err(|e| self.unusable(e.to_string()))?;
            if event.prev != prev || event.hash != hash {
                return Err(self.damaged(format!(
                    "event {seq} ({}) is not what was written: its hash does not fit",
                    event.event_id
                )));
            }
            before = Some(event);
        }
        Ok(rows.len() as u64)
    }

    /// Opens the file unless it is open already or is not there.
    fn open_existing(&self) -> Result<(), StoreError> {
        if self.opened.borrow().is_some() {
            return Ok(());
        }
        match fs::metadata(&self.path) {
            // An empty file holds no events; opening it for reading must not fill it.
            Ok(found) if found.is_file() && found.len() == 0 => Ok(()),
            Ok(found) if !found.is_file() => Err(self.unusable("not a file".to_owned())),
            Ok(found) => {
                let opened = self.open(!found.permissions().readonly())?;
                *self.opened.borrow_mut() = Some(opened);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(self.unusable(error.to_string())),
        }
    }

    /// Opens the file for appending, and makes it when it is not there.
    fn open_or_create(&self) -> Result<(), StoreError> {
        self.open_existing()?;
        if self.opened.borrow().is_some() {
            return Ok(());
        }
        let io = |error: std::io::Error| self.unusable(error.to_string());
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(io)?;
        }
        // SQLite gives its side files the mode of the main one.
        make_private(&self.path).map_err(io)?;
        *self.opened.borrow_mut() = Some(self.open(true)?);
        Ok(())
    }

    fn open(&self, writable: bool) -> Result<Opened, StoreError> {
        let fail = |error: rusqlite::Error| self.fail(&error);
        let connection = self.connect(writable).map_err(fail)?;
        let writable = writable && !connection.is_readonly("main").map_err(fail)?;
        let version = pragma(&connection, "user_version").map_err(fail)?;
        let known = MIGRATIONS.len() as i64;
        if !is_blank(&connection).map_err(fail)?
            && pragma(&connection, "application_id").map_err(fail)? != APPLICATION_ID
        {
            return Err(self.unusable("an SQLite file of another program".to_owned()));
        }
        if version > known {
            return Err(StoreError::Newer {
                path: self.path.display().to_string(),
                found: version,
                known,
            });
        }
        if let Some(reason) = check(&connection, "quick_check").map_err(fail)? {
            return Err(self.damaged(reason));
        }
        let mut opened = Opened {
            connection,
            writable,
        };
        if writable {
            set_journal(&opened.connection, &self.path).map_err(fail)?;
            migrate(&mut opened.connection, &self.path, MIGRATIONS).map_err(fail)?;
        }
        Ok(opened)
    }

    fn connect(&self, writable: bool) -> rusqlite::Result<Connection> {
        let flags = if writable {
            OpenFlags::SQLITE_OPEN_READ_WRITE
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        };
        let connection =
            Connection::open_with_flags(&self.path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(BUSY)?;
        connection.execute_batch(
            "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON;",
        )?;
        Ok(connection)
    }

    fn append_all(
        &self,
        connection: &mut Connection,
        events: &[NewEvent],
    ) -> Result<Vec<Event>, StoreError> {
        let fail = |error: rusqlite::Error| self.fail(&error);
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        let made_ms = events.first().map_or(0, |event| event.at_ms);
        let store_id = store_id(&transaction, made_ms).map_err(fail)?;
        let (mut seq, mut prev) = last(&transaction, &store_id).map_err(fail)?;
        let mut stored = Vec::with_capacity(events.len());
        for new in events {
            seq += 1;
            let known = transaction
                .prepare_cached("SELECT 1 FROM event WHERE event_id = ?1")
                .and_then(|mut statement| statement.exists([&new.event_id]))
                .map_err(fail)?;
            if known {
                return Err(self.unusable(format!("event {} is stored already", new.event_id)));
            }
            let (event, body) = chain::link(new, &store_id, seq, &prev)
                .map_err(|error| self.unusable(error.to_string()))?;
            if let Some(group) = &new.group {
                insert_group(&transaction, group).map_err(fail)?;
            }
            insert(&transaction, &event, &body).map_err(fail)?;
            prev.clone_from(&event.hash);
            stored.push(event);
        }
        transaction.commit().map_err(fail)?;
        Ok(stored)
    }

    fn unusable(&self, reason: String) -> StoreError {
        StoreError::Unusable {
            path: self.path.display().to_string(),
            reason,
        }
    }

    fn damaged(&self, reason: String) -> StoreError {
        StoreError::Damaged {
            path: self.path.display().to_string(),
            reason,
        }
    }

    fn fail(&self, error: &rusqlite::Error) -> StoreError {
        let reason = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt) => return self.damaged(error.to_string()),
            Some(ErrorCode::NotADatabase) => "not an SQLite file".to_owned(),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                format!("another process has locked it for {} s", BUSY.as_secs())
            }
            Some(ErrorCode::ReadOnly) => "read-only".to_owned(),
            Some(ErrorCode::DiskFull) => "the disk is full".to_owned(),
            _ => error.to_string(),
        };
        self.unusable(reason)
    }
}

impl EventStore for SqliteStore {
    fn append(&mut self, events: &[NewEvent]) -> Result<Vec<Event>, StoreError> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        self.open_or_create()?;
        let mut opened = self.opened.borrow_mut();
        match opened.as_mut() {
            Some(opened) if opened.writable => self.append_all(&mut opened.connection, events),
            _ => Err(self.unusable("read-only; nothing was stored".to_owned())),
        }
    }

    fn events_since(&self, seq: u64) -> Result<Vec<Event>, StoreError> {
        self.open_existing()?;
        let opened = self.opened.borrow();
        let Some(opened) = opened.as_ref() else {
            return Ok(Vec::new());
        };
        if is_blank(&opened.connection).map_err(|e| self.fail(&e))? {
            return Ok(Vec::new());
        }
        let rows = read(&opened.connection, seq, "seq, store_id").map_err(|e| self.fail(&e))?;
        Ok(rows.into_iter().map(|(event, _)| event).collect())
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        if let Some(opened) = self.opened.get_mut()
            && opened.writable
        {
            // So that the one file can be copied. Everything is stored already: when another
            // process still reads, it will do this, so a failure here loses nothing.
            let _ = opened
                .connection
                .execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE);");
        }
    }
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

/// Whether no table was made yet.
fn is_blank(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT NOT EXISTS(SELECT 1 FROM sqlite_schema)",
        [],
        |row| row.get(0),
    )
}

/// Runs `quick_check` or `integrity_check`; `None` when it finds nothing.
fn check(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    let answer: String =
        connection.query_row(&format!("PRAGMA {name}(1)"), [], |row| row.get(0))?;
    Ok((answer != "ok").then_some(answer))
}

/// WAL needs memory shared by all processes, which a network filesystem does not give.
fn set_journal(connection: &Connection, path: &Path) -> rusqlite::Result<()> {
    let mode = if is_network(path) { "DELETE" } else { "WAL" };
    let mut waited = Duration::ZERO;
    loop {
        let answer: rusqlite::Result<String> =
            connection.query_row(&format!("PRAGMA journal_mode={mode}"), [], |row| row.get(0));
        match answer {
            // Two processes that make the file at once: the busy timeout does not cover this one.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && waited < BUSY =>
            {
                std::thread::sleep(PAUSE);
                waited += PAUSE;
            }
            other => return other.map(|_| ()),
        }
    }
}

/// Whether the file lies on a network filesystem (NFS, SMB, CIFS, 9p, FUSE, Ceph, AFS by the magic
/// numbers of Linux `statfs(2)`); elsewhere than on Linux this is not known and answers no.
#[cfg(target_os = "linux")]
fn is_network(path: &Path) -> bool {
    const MAGIC: [u32; 8] = [
        0x6969,
        0x517b,
        0xff53_4d42,
        0xfe53_4d42,
        0x0102_1997,
        0x6573_5546,
        0x00c3_6400,
        0x5346_414f,
    ];
    // The magic number is 32 bits wide in a field whose width depends on the platform.
    rustix::fs::statfs(path).is_ok_and(|found| MAGIC.contains(&(found.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
fn is_network(_path: &Path) -> bool {
    false
}

/// Takes the file to the newest schema, with a copy of the old one beside it (`NAME.vN.bak`).
fn migrate(connection: &mut Connection, path: &Path, migrations: &[&str]) -> rusqlite::Result<()> {
    let version = pragma(connection, "user_version")?;
    if version >= migrations.len() as i64 {
        return Ok(());
    }
    if version > 0 {
        let mut backup = path.as_os_str().to_owned();
        backup.push(format!(".v{version}.bak"));
        back_up(connection, Path::new(&backup))?;
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Again, inside the lock: another process may have migrated meanwhile.
    let version = pragma(&transaction, "user_version")?;
    let done = usize::try_from(version).unwrap_or(usize::MAX);
    for migration in migrations.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    if done < migrations.len() {
        transaction.pragma_update(None, "user_version", migrations.len() as i64)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    transaction.commit()
}

/// Copies the database to `backup`, readable by its owner only. A copy that is there already is
/// the older one, of a migration that did not come to its end: it is kept.
fn back_up(connection: &Connection, backup: &Path) -> rusqlite::Result<()> {
    if backup.exists() {
        return Ok(());
    }
    let io = |error: std::io::Error| rusqlite::Error::ToSqlConversionFailure(Box::new(error));
    // Under another name until it is whole; the process id keeps two migrations apart.
    let mut part = backup.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(part);
    make_private(&part).map_err(io)?;
    connection.execute("VACUUM INTO ?1", [part.to_string_lossy()])?;
    fs::rename(&part, backup).map_err(io)
}

/// Makes an empty file, readable by its owner only; a file that is there stays as it is.
fn make_private(path: &Path) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(|_| ())
}

/// This file's store id; made with the first event.
fn store_id(connection: &Connection, made_ms: i64) -> rusqlite::Result<String> {
    connection.execute(
        "INSERT INTO store SELECT 1, ?1, ?2 WHERE NOT EXISTS(SELECT 1 FROM store)",
        params![format!("{:032x}", rand::random::<u128>()), made_ms],
    )?;
    connection.query_row("SELECT store_id FROM store", [], |row| row.get(0))
}

/// Sequence number and hash of the store's last event.
fn last(connection: &Connection, store_id: &str) -> rusqlite::Result<(u64, String)> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, hash FROM event WHERE store_id = ?1 ORDER BY seq DESC LIMIT 1",
    )?;
    let mut rows = statement.query([store_id])?;
    rows.next()?.map_or(Ok((0, String::new())), |row| {
        Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?))
    })
}

fn insert_group(connection: &Connection, group: &GroupRecord) -> rusqlite::Result<()> {
    let new = connection.execute(
        "INSERT OR IGNORE INTO grp VALUES(?1, ?2, ?3, ?4)",
        params![group.group_id, group.fingerprint, group.task, group.source],
    )?;
    if new == 0 {
        return Ok(());
    }
    for (place, (id, patch, reward)) in group.trajectories.iter().enumerate() {
        connection.execute(
            "INSERT INTO traj VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                group.group_id,
                group.fingerprint,
                id,
                place as i64,
                patch,
                reward
            ],
        )?;
    }
    Ok(())
}

fn insert(connection: &Connection, event: &Event, body: &str) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT OR IGNORE INTO annotator VALUES(?1, ?1)",
        [&event.annotator],
    )?;
    connection
        .prepare_cached(
            "INSERT INTO event VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            event.event_id,
            event.store_id,
            signed(event.seq),
            event.at_ms,
            event.annotator,
            event.session_id,
            event.group_id,
            event.fingerprint,
            event.body.kind(),
            body,
            event.prev,
            event.hash,
        ])?;
    Ok(())
}

/// Reads events above `seq` with their body texts, in this order of columns.
fn read(connection: &Connection, seq: u64, order: &str) -> rusqlite::Result<Vec<(Event, String)>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT event_id, store_id, seq, at_ms, annotator_id, session_id, group_id, fingerprint,
                kind, body, prev, hash
         FROM event WHERE seq > ?1 ORDER BY {order}"
    ))?;
    statement.query_map([signed(seq)], as_event)?.collect()
}

/// SQLite's integers are signed; no log reaches the end of them.
fn signed(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

fn as_event(row: &Row<'_>) -> rusqlite::Result<(Event, String)> {
    let kind: String = row.get(8)?;
    let body: String = row.get(9)?;
    let event = Event {
        event_id: row.get(0)?,
        store_id: row.get(1)?,
        seq: row.get::<_, i64>(2)?.unsigned_abs(),
        at_ms: row.get(3)?,
        annotator: row.get(4)?,
        session_id: row.get(5)?,
        group_id: row.get(6)?,
        fingerprint: row.get(7)?,
        body: EventBody::from_parts(&kind, &body),
        prev: row.get(10)?,
        hash: row.get(11)?,
    };
    Ok((event, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_version_1_is_copied_then_migrated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.db");
        let new = NewEvent {
            event_id: "1".to_owned(),
            at_ms: 5,
            annotator: "ada".to_owned(),
            session_id: "s".to_owned(),
            group: None,
            body: EventBody::from_parts("later.kind", "{\"n\": 1.0e400}"),
        };
        let stored = SqliteStore::at(&path).append(&[new]).unwrap();
        let second = [MIGRATIONS[0], "ALTER TABLE annotator ADD COLUMN mail TEXT"];
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &second).unwrap();
        migrate(&mut connection, &path, &second).unwrap();
        assert_eq!(pragma(&connection, "user_version").unwrap(), 2);
        connection
            .execute("UPDATE annotator SET mail = ''", [])
            .unwrap();
        assert_eq!(read(&connection, 0, "seq").unwrap()[0].0, stored[0]);
        let backup = SqliteStore::at(&folder.path().join("j.db.v1.bak"));
        assert_eq!(
            backup.verify().unwrap(),
            Verified {
                events: 1,
                schema: 1
            }
        );
        assert_eq!(backup.events_since(0).unwrap(), stored);
        let names = fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name());
        assert!(
            !names
                .into_iter()
                .any(|n| n.to_string_lossy().ends_with(".part"))
        );
    }

    #[test]
    fn a_migration_that_fails_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.db");
        fs::write(&path, b"").unwrap();
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, MIGRATIONS).unwrap();
        let broken = [MIGRATIONS[0], "CREATE TABLE more(x); nonsense"];
        assert!(migrate(&mut connection, &path, &broken).is_err());
        assert_eq!(pragma(&connection, "user_version").unwrap(), 1);
        assert!(connection.prepare("SELECT x FROM more").is_err());
    }
}
