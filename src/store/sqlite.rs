//! The event log in one SQLite file.
//!
//! Every append is one `BEGIN IMMEDIATE` transaction under WAL and `synchronous=FULL`: what was
//! acknowledged survives a crash, and writers of several processes queue instead of failing. What
//! is *not* here: what the events mean ([`super::projection`]).

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, TransactionBehavior, params};

use super::{Event, EventBody, EventStore, GroupRecord, NewEvent, StoreError, chain};

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
    opened: RefCell<Option<Opened>>,
    /// Everything that was appended through this store, in order.
    acknowledged: Vec<NewEvent>,
    /// Ids of events that were committed just when the file was found removed or replaced: they
    /// may be in the file or not, so storing them again is no error.
    doubtful: HashSet<String>,
}

#[derive(Debug)]
struct Opened {
    connection: Connection,
    writable: bool,
    /// What stood at the path when it was opened.
    identity: FileIdentity,
    /// Whether the acknowledged events are known to be in this file.
    complete: bool,
}

/// Device and inode; where the system has none, every file is the same one.
type FileIdentity = (u64, u64);

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Write,
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
            opened: RefCell::new(None),
            acknowledged: Vec::new(),
            doubtful: HashSet::new(),
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
    fn open_existing(&self, until: Instant) -> Result<(), StoreError> {
        if self.is_replaced() {
            self.let_go();
        }
        if let Some(opened) = self.opened.borrow().as_ref() {
            return wait_until(&opened.connection, until).map_err(|e| self.fail(&e));
        }
        match fs::metadata(&self.path) {
            // An empty file holds no events; opening it for reading must not fill it.
            Ok(found) if found.is_file() && found.len() == 0 => Ok(()),
            Ok(found) if !found.is_file() => Err(self.unusable("not a file".to_owned())),
            Ok(found) => {
                let access = if is_writable(&self.path, &found) {
                    Access::Write
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
            identity,
            complete: false,
        };
        if writable {
            set_journal(&opened.connection, &self.path, until).map_err(fail)?;
            migrate(&mut opened.connection, &self.path, MIGRATIONS).map_err(fail)?;
            wait_until(&opened.connection, until).map_err(fail)?;
        }
        Ok(opened)
    }

    fn connect(&self, access: Access, until: Instant) -> rusqlite::Result<Connection> {
        let no_mutex = OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match access {
            Access::Write => Connection::open_with_flags(
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
        let rows = read(&opened.connection, seq, "seq, store_id").map_err(|e| self.fail(&e))?;
        Ok(rows.into_iter().map(|(event, _)| event).collect())
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

/// Lets the connection wait for others until this moment.
fn wait_until(connection: &Connection, until: Instant) -> rusqlite::Result<()> {
    connection.busy_timeout(until.saturating_duration_since(Instant::now()))
}

#[cfg(unix)]
fn identity(path: &Path) -> std::io::Result<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> std::io::Result<FileIdentity> {
    fs::metadata(path).map(|_| (0, 0))
}

/// Whether this process may write the file, and make side files in its folder.
fn is_writable(path: &Path, found: &fs::Metadata) -> bool {
    if found.permissions().readonly() {
        return false;
    }
    #[cfg(unix)]
    {
        let may = |path: &Path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok();
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        may(path) && may(folder)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        true
    }
}

/// The URI of a file that nobody changes while it is read.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from(if path.is_absolute() {
        "file://"
    } else {
        "file:"
    });
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri + "?mode=ro&immutable=1"
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
fn set_journal(connection: &Connection, path: &Path, until: Instant) -> rusqlite::Result<()> {
    let mode = if is_network(path) { "DELETE" } else { "WAL" };
    loop {
        wait_until(connection, until)?;
        let answer: rusqlite::Result<String> =
            connection.query_row(&format!("PRAGMA journal_mode={mode}"), [], |row| row.get(0));
        match answer {
            // Two processes that make the file at once: the busy timeout does not cover this one.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < until =>
            {
                std::thread::sleep(PAUSE);
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

/// The columns of an event, in the order [`as_event`] reads them.
const COLUMNS: &str = "event_id, store_id, seq, at_ms, annotator_id, session_id, group_id,
                       fingerprint, kind, body, prev, hash";

/// Reads events above `seq` with their body texts, in this order of columns.
fn read(connection: &Connection, seq: u64, order: &str) -> rusqlite::Result<Vec<(Event, String)>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM event WHERE seq > ?1 ORDER BY {order}"
    ))?;
    statement.query_map([signed(seq)], as_event)?.collect()
}

/// Reads one event, if it is stored.
fn find(connection: &Connection, event_id: &str) -> rusqlite::Result<Option<Event>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM event WHERE event_id = ?1"))?;
    let mut found = statement.query_map([event_id], as_event)?;
    found
        .next()
        .map(|row| row.map(|(event, _)| event))
        .transpose()
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
