//! The database file: who it is, what may be done with it, its journal and its migrations.
//!
//! What is *not* here: events and their rows ([`super::rows`]).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::{APPLICATION_ID, FileIdentity, PAUSE};

/// Lets the connection wait for others until this moment.
pub(super) fn wait_until(connection: &Connection, until: Instant) -> rusqlite::Result<()> {
    connection.busy_timeout(until.saturating_duration_since(Instant::now()))
}

#[cfg(unix)]
pub(super) fn identity(path: &Path) -> std::io::Result<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
pub(super) fn identity(path: &Path) -> std::io::Result<FileIdentity> {
    fs::metadata(path).map(|_| (0, 0))
}

/// Whether this process may write the file, and make side files in its folder.
pub(super) fn is_writable(path: &Path, found: &fs::Metadata) -> bool {
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
pub(super) fn immutable_uri(path: &Path) -> String {
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

pub(super) fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

/// Whether no table was made yet.
pub(super) fn is_blank(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT NOT EXISTS(SELECT 1 FROM sqlite_schema)",
        [],
        |row| row.get(0),
    )
}

/// Runs `quick_check` or `integrity_check`; `None` when it finds nothing.
pub(super) fn check(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    let answer: String =
        connection.query_row(&format!("PRAGMA {name}(1)"), [], |row| row.get(0))?;
    Ok((answer != "ok").then_some(answer))
}

/// WAL needs memory shared by all processes, which a network file system does not give.
pub(super) fn set_journal(
    connection: &Connection,
    network: bool,
    until: Instant,
) -> rusqlite::Result<()> {
    let mode = if network { "DELETE" } else { "WAL" };
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

/// The network file system that a file lies on, by the magic numbers of Linux `statfs(2)`;
/// elsewhere than on Linux this is not known and answers none.
#[cfg(target_os = "linux")]
pub(super) fn network_of(path: &Path) -> Option<&'static str> {
    const KNOWN: [(u32, &str); 8] = [
        (0x6969, "NFS"),
        (0x517b, "SMB"),
        (0xff53_4d42, "CIFS"),
        (0xfe53_4d42, "SMB2"),
        (0x0102_1997, "9p"),
        (0x6573_5546, "FUSE"),
        (0x00c3_6400, "Ceph"),
        (0x5346_414f, "AFS"),
    ];
    let found = rustix::fs::statfs(path).ok()?;
    // The magic number is 32 bits wide in a field whose width depends on the platform.
    let magic = found.f_type as u32;
    let known = KNOWN.iter().find(|(number, _)| *number == magic);
    known.map(|(_, name)| *name)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn network_of(_path: &Path) -> Option<&'static str> {
    None
}

/// Takes the file to the newest schema, with a copy of the old one beside it (`NAME.vN.bak`).
pub(super) fn migrate(
    connection: &mut Connection,
    path: &Path,
    migrations: &[&str],
) -> rusqlite::Result<()> {
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
    copy_into(connection, &part)?;
    fs::rename(&part, backup).map_err(io)
}

/// Copies the database into a new file, readable by its owner only, and waits until it is on the
/// disk.
pub(super) fn copy_into(connection: &Connection, path: &Path) -> rusqlite::Result<()> {
    let io = |error: std::io::Error| rusqlite::Error::ToSqlConversionFailure(Box::new(error));
    let name = path.to_str().ok_or_else(|| {
        io(std::io::Error::new(
            std::io::ErrorKind::InvalidFilename,
            "the name is not UTF-8",
        ))
    })?;
    make_private(path).map_err(io)?;
    connection.execute("VACUUM INTO ?1", [name])?;
    let file = fs::File::open(path).map_err(io)?;
    file.sync_all().map_err(io)
}

/// Makes an empty file, readable by its owner only; a file that is there stays as it is.
pub(super) fn make_private(path: &Path) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(|_| ())
}
