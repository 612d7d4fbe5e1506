//! The event log in one SQLite file.
//!
//! Every append is one `BEGIN IMMEDIATE` transaction under WAL and `synchronous=FULL`: what was
//! acknowledged survives a crash, and writers of several processes queue instead of failing. What
//! is *not* here: what the events mean ([`super::projection`]).

mod copy;
mod file;
mod merge;
mod place;
mod rows;
mod survey;
mod union;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use self::file::{
    check, identity, immutable_uri, is_blank, is_writable, make_private, migrate, pragma,
    set_journal, wait_until,
};
use self::rows::{find, insert, insert_group, last, read, read_beyond, store_id};
use super::{Event, EventStore, NewEvent, StoreError, chain, order};

pub use self::merge::{Absorbed, Damage};
pub use self::survey::Survey;
pub use self::union::Added;

/// The migration at index n takes a file from `user_version` n to n + 1.
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_init.sql")];
/// `PRAGMA application_id` of our files: "gagr".
const APPLICATION_ID: i64 = 0x6761_6772;
/// How long an append or a reading waits for other processes, in all.
const BUSY: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// The event log in one SQLite file.
///
/// A file that is removed or replaced while it is open is noticed by the next append, which fails;
/// the append after that opens the file anew and first stores again what this store had
/// acknowledged and is not in it.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    /// What messages call it.
    shown: PathBuf,
    opened: RefCell<Option<Opened>>,
    /// Everything that was appended through this store, in order.
    acknowledged: Vec<NewEvent>,
    /// Ids of events that were committed just when the file was found removed or replaced: they
    /// may be in the file or not, so storing them again is no error.
    doubtful: HashSet<String>,
    /// Whether a file that was open here was removed or replaced: what lies beside its name then is
    /// its, and what was acknowledged is stored again.
    lost: Cell<bool>,
    /// Whether nothing may be changed through this store.
    reading: bool,
    probe: Probe,
}

#[derive(Debug)]
struct Opened {
    connection: Connection,
    writable: bool,
    /// What stood at the path when it was opened.
    identity: FileIdentity,
    /// Whether the acknowledged events are known to be in this file.
    complete: bool,
    /// SQLite's `data_version` when it was last asked for: another one says that somebody else
    /// wrote.
    data_version: Option<i64>,
}

/// Device and inode; where the system has none, every file is the same one.
type FileIdentity = (u64, u64);

/// Answers the name of the network file system that a file lies on.
pub type Probe = fn(&Path) -> Option<&'static str>;

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Write,
    /// As a process that may write, which asks for no change: of the side files others leave it can
    /// make use, and its own go away with it.
    Watch,
    /// Beside a process that may write.
    Read,
    /// Without side files and locks, which a file that cannot be written may not get.
    Immutable,
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
            shown: path.to_owned(),
            opened: RefCell::new(None),
            acknowledged: Vec::new(),
            doubtful: HashSet::new(),
            lost: Cell::new(false),
            reading: false,
            probe: file::network_of,
        }
    }

    /// Names a file that is only read: its schema and journal stay as they are, and an `append`
    /// fails.
    #[must_use]
    pub fn reading(path: &Path) -> Self {
        let mut store = Self::at(path);
        store.reading = true;
        store
    }

    /// The same store, called by another name in messages: the one that a person knows.
    fn shown_as(mut self, path: &Path) -> Self {
        path.clone_into(&mut self.shown);
        self
    }

    /// The same store, with another answer to what file system a file lies on.
    #[must_use]
    pub fn with_probe(mut self, probe: Probe) -> Self {
        self.probe = probe;
        self
    }

    /// The name of the network file system that the file (or the folder it will be made in) lies
    /// on; `None` when it is a local one, or unknown. There the journal is a file beside the
    /// database instead of WAL, which needs memory shared by all processes.
    #[must_use]
    pub fn network(&self) -> Option<&'static str> {
        let folder = self.path.parent();
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        if self.path.exists() {
            (self.probe)(&self.path)
        } else {
            (self.probe)(folder.unwrap_or(Path::new(".")))
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
        self.open_existing(Instant::now() + BUSY)?;
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
        let log = union::read_log(connection).map_err(|e| self.fail(&e))?;
        // A merged file holds several stores, each with its own chain.
        match log.broken_chains(|_, _| None).first() {
            Some(first) => Err(StoreError::Tampered {
                path: self.shown.display().to_string(),
                broken: Box::new(first.clone()),
            }),
            None => Ok(log.events.len() as u64),
        }
    }

    /// Opens the file unless it is open already or is not there.
    fn open_existing(&self, until: Instant) -> Result<(), StoreError> {
        if self.is_replaced() {
            self.let_go();
        }
        if let Some(opened) = self.opened.borrow().as_ref() {
            return wait_until(&opened.connection, until).map_err(|e| self.fail(&e));
        }
        if !self.lost.get()
            && let Some(reason) = place::orphans(&self.path)
        {
            return Err(self.unusable(reason));
        }
        match fs::metadata(&self.path) {
            // An empty file holds no events; opening it for reading must not fill it.
            Ok(found) if found.is_file() && found.len() == 0 => Ok(()),
            Ok(found) if !found.is_file() => Err(self.unusable("not a file".to_owned())),
            Ok(found) => {
                let access = if is_writable(&self.path, &found) {
                    match self.reading {
                        true => Access::Watch,
                        false => Access::Write,
                    }
                } else if self.has_journal() {
                    Access::Read
                } else {
                    Access::Immutable
                };
                let opened = self.open(access, until)?;
                *self.opened.borrow_mut() = Some(opened);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(self.unusable(error.to_string())),
        }
    }

    /// Opens the file for appending, and makes it when it is not there.
    fn open_or_create(&self, until: Instant) -> Result<(), StoreError> {
        self.open_existing(until)?;
        if self.opened.borrow().is_some() {
            return Ok(());
        }
        if self.reading {
            return Err(self.unusable("only read here; nothing was stored".to_owned()));
        }
        let io = |error: std::io::Error| self.unusable(error.to_string());
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(io)?;
        }
        // SQLite gives its side files the mode of the main one.
        make_private(&self.path).map_err(io)?;
        *self.opened.borrow_mut() = Some(self.open(Access::Write, until)?);
        Ok(())
    }

    fn open(&self, access: Access, until: Instant) -> Result<Opened, StoreError> {
        let fail = |error: rusqlite::Error| self.fail(&error);
        // Before the opening: a file put in its place meanwhile is then noticed as another one.
        let identity = identity(&self.path).map_err(|error| self.unusable(error.to_string()))?;
        let connection = self.connect(access, until).map_err(fail)?;
        let writable = access == Access::Write && !connection.is_readonly("main").map_err(fail)?;
        let version = pragma(&connection, "user_version").map_err(fail)?;
        let known = MIGRATIONS.len() as i64;
        if !is_blank(&connection).map_err(fail)? {
            if pragma(&connection, "application_id").map_err(fail)? != APPLICATION_ID {
                return Err(self.foreign("an SQLite file of another program"));
            }
            if version < 1 {
                return Err(self.damaged(format!("no gagar writes schema version {version}")));
            }
        }
        if version > known {
            return Err(StoreError::Newer {
                path: self.shown.display().to_string(),
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
            identity,
            complete: false,
            data_version: None,
        };
        if writable {
            let network = (self.probe)(&self.path).is_some();
            set_journal(&opened.connection, network, until).map_err(fail)?;
            migrate(&mut opened.connection, &self.path, MIGRATIONS).map_err(fail)?;
            wait_until(&opened.connection, until).map_err(fail)?;
        }
        Ok(opened)
    }

    fn connect(&self, access: Access, until: Instant) -> rusqlite::Result<Connection> {
        let no_mutex = OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match access {
            Access::Write | Access::Watch => Connection::open_with_flags(
                &self.path,
                OpenFlags::SQLITE_OPEN_READ_WRITE | no_mutex,
            ),
            Access::Read => {
                Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY | no_mutex)
            }
            Access::Immutable => Connection::open_with_flags(
                immutable_uri(&self.path),
                OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | no_mutex,
            ),
        }?;
        wait_until(&connection, until)?;
        connection.execute_batch(
            "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON;",
        )?;
        if access == Access::Watch {
            connection.execute_batch("PRAGMA query_only=ON;")?;
        }
        Ok(connection)
    }

    /// Whether another process left changes beside the file that are not in it yet.
    fn has_journal(&self) -> bool {
        let mut wal = self.path.as_os_str().to_owned();
        wal.push("-wal");
        fs::metadata(wal).is_ok_and(|found| found.len() > 0)
    }

    /// Whether what was opened is not what stands at the path now.
    fn is_replaced(&self) -> bool {
        let opened = self.opened.borrow();
        opened
            .as_ref()
            .is_some_and(|opened| opened.is_replaced(&self.path))
    }

    /// Closes a file that was removed or replaced.
    fn let_go(&self) {
        if let Some(opened) = self.opened.borrow_mut().take() {
            opened.abandon();
            self.lost.set(true);
        }
    }

    fn replaced(&self) -> StoreError {
        self.unusable("the file was removed or replaced while in use".to_owned())
    }

    fn append_all(
        &self,
        connection: &mut Connection,
        again: &[NewEvent],
        events: &[NewEvent],
    ) -> Result<Vec<Event>, StoreError> {
        let fail = |error: rusqlite::Error| self.fail(&error);
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        let first = again.iter().chain(events).next();
        let made_ms = first.map_or(0, |event| event.at_ms);
        let store_id = store_id(&transaction, made_ms).map_err(fail)?;
        let (mut seq, mut prev) = last(&transaction, &store_id).map_err(fail)?;
        let mut stored = Vec::with_capacity(events.len());
        for (place, new) in again.iter().chain(events).enumerate() {
            let is_new = place >= again.len();
            if let Some(found) = find(&transaction, &new.event_id).map_err(fail)? {
                if is_new && !self.doubtful.contains(&new.event_id) {
                    return Err(self.unusable(format!("event {} is stored already", new.event_id)));
                }
                if is_new {
                    stored.push(found);
                }
                continue;
            }
            seq += 1;
            let (event, body) = chain::link(new, &store_id, seq, &prev)
                .map_err(|error| self.unusable(error.to_string()))?;
            if let Some(group) = &new.group {
                insert_group(&transaction, group).map_err(fail)?;
            }
            insert(&transaction, &event, &body).map_err(fail)?;
            prev.clone_from(&event.hash);
            if is_new {
                stored.push(event);
            }
        }
        transaction.commit().map_err(fail)?;
        Ok(stored)
    }

    fn unusable(&self, reason: String) -> StoreError {
        StoreError::Unusable {
            path: self.shown.display().to_string(),
            reason,
        }
    }

    fn foreign(&self, reason: &str) -> StoreError {
        StoreError::Foreign {
            path: self.shown.display().to_string(),
            reason: reason.to_owned(),
        }
    }

    fn damaged(&self, reason: String) -> StoreError {
        StoreError::Damaged {
            path: self.shown.display().to_string(),
            reason,
        }
    }

    fn fail(&self, error: &rusqlite::Error) -> StoreError {
        let reason = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt) => return self.damaged(error.to_string()),
            Some(ErrorCode::NotADatabase) => return self.foreign("not an SQLite file"),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                format!("another process has locked it for {} s", BUSY.as_secs())
            }
            Some(ErrorCode::ReadOnly) => "read-only".to_owned(),
            Some(ErrorCode::CannotOpen) if self.has_journal() => {
                "the latest changes lie in the file NAME-wal beside it, which can only be read \
                 with the right to write there"
                    .to_owned()
            }
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
        if self.is_replaced() {
            self.let_go();
            return Err(self.replaced());
        }
        // What was read-only may be writable by now.
        self.opened.get_mut().take_if(|opened| !opened.writable);
        self.open_or_create(Instant::now() + BUSY)?;
        let mut borrowed = self.opened.borrow_mut();
        let Some(opened) = borrowed.as_mut().filter(|opened| opened.writable) else {
            return Err(self.unusable("read-only; nothing was stored".to_owned()));
        };
        let again: &[NewEvent] = if opened.complete {
            &[]
        } else {
            &self.acknowledged
        };
        let stored = self.append_all(&mut opened.connection, again, events)?;
        let replaced = opened.is_replaced(&self.path);
        opened.complete = true;
        drop(borrowed);
        if replaced {
            // Committed to a file that nobody can open any more.
            self.doubtful
                .extend(events.iter().map(|event| event.event_id.clone()));
            self.let_go();
            return Err(self.replaced());
        }
        self.acknowledged.extend_from_slice(events);
        Ok(stored)
    }

    fn events_since(&self, seq: u64) -> Result<Vec<Event>, StoreError> {
        self.open_existing(Instant::now() + BUSY)?;
        let opened = self.opened.borrow();
        let Some(opened) = opened.as_ref() else {
            return Ok(Vec::new());
        };
        if is_blank(&opened.connection).map_err(|e| self.fail(&e))? {
            return Ok(Vec::new());
        }
        let rows = read(&opened.connection, 0, "store_id, seq").map_err(|e| self.fail(&e))?;
        let events = rows.into_iter().map(|(event, _)| event).collect();
        // Before the earlier ones are left out: later times count from theirs.
        let mut events = order::in_order(events);
        events.retain(|event| event.seq > seq);
        Ok(events)
    }

    fn events_beyond(&self, known: &BTreeMap<String, u64>) -> Result<Vec<Event>, StoreError> {
        self.open_existing(Instant::now() + BUSY)?;
        let opened = self.opened.borrow();
        let Some(opened) = opened.as_ref() else {
            return Ok(Vec::new());
        };
        if is_blank(&opened.connection).map_err(|e| self.fail(&e))? {
            return Ok(Vec::new());
        }
        let events = read_beyond(&opened.connection, known).map_err(|e| self.fail(&e))?;
        Ok(order::in_order(events))
    }

    fn is_changed_elsewhere(&mut self) -> Result<bool, StoreError> {
        if self.is_replaced() {
            // The next append says so.
            return Ok(false);
        }
        self.open_existing(Instant::now() + PAUSE)?;
        let Some(opened) = self.opened.get_mut() else {
            return Ok(false);
        };
        let version = pragma(&opened.connection, "data_version");
        match version {
            Ok(version) => Ok(opened.data_version.replace(version) != Some(version)),
            Err(error) => Err(self.fail(&error)),
        }
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        let Some(opened) = self.opened.get_mut().take() else {
            return;
        };
        if opened.is_replaced(&self.path) {
            opened.abandon();
        } else if opened.writable {
            // So that the one file can be copied. Everything is stored already: when another
            // process still reads, it will do this, so a failure here loses nothing and is not
            // worth a wait.
            let _ = opened.connection.busy_timeout(Duration::ZERO);
            let _ = opened
                .connection
                .execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE);");
        }
    }
}

impl Opened {
    /// Whether what was opened is not what stands at the path now: another file, none, or one that
    /// was emptied.
    fn is_replaced(&self, path: &Path) -> bool {
        let emptied = || fs::metadata(path).is_ok_and(|found| found.len() == 0);
        identity(path).map_or(true, |now| now != self.identity) || emptied()
    }

    /// Closes without touching the side files: by name they are those of the new file.
    fn abandon(self) {
        // Without this setting nothing is lost that could still be read.
        let _ = self
            .connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }
}

#[cfg(test)]
mod tests {
    use super::super::EventBody;
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

    #[test]
    fn a_full_disk_is_told_and_everything_is_stored_when_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.db");
        let event = |id: usize| NewEvent {
            event_id: id.to_string(),
            at_ms: 5,
            annotator: "ada".to_owned(),
            session_id: "s".to_owned(),
            group: None,
            body: EventBody::NoteSet {
                text: "x".repeat(3000),
                before: String::new(),
            },
        };
        let mut store = SqliteStore::at(&path);
        store.append(&[event(0)]).unwrap();
        let limit = |store: &SqliteStore, pages: i64| {
            let opened = store.opened.borrow();
            let connection = &opened.as_ref().unwrap().connection;
            let set = format!("PRAGMA max_page_count={pages}");
            connection.query_row(&set, [], |_| Ok(())).unwrap();
        };
        limit(&store, 1);
        let mut stored = 1;
        let error = loop {
            match store.append(&[event(stored)]) {
                Ok(_) => stored += 1,
                Err(error) => break error.to_string(),
            }
        };
        assert!(error.contains("the disk is full"), "{error}");
        // All or none of several.
        assert!(store.append(&[event(stored), event(stored + 1)]).is_err());
        assert_eq!(store.events_since(0).unwrap().len(), stored);
        limit(&store, 1_000_000);
        store.append(&[event(stored), event(stored + 1)]).unwrap();
        assert_eq!(store.verify().unwrap().events, stored as u64 + 2);
    }
}
