//! Where bytes come from: files, and what is packed in them, read at any position.
//!
//! What is *not* here: records (`files`), and what they mean.

mod list;

use std::fs::{self, File};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

pub(crate) use list::list;

/// Bytes that may hold rollouts: a file, or a member of an archive.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// Where it is, as shown; members of an archive lie in it as in a folder.
    pub path: PathBuf,
    /// Length in bytes where it is stored: of compressed bytes when it is compressed. What can be
    /// read is told by [`Candidate::len`].
    pub bytes: u64,
    /// Whether the caller named the file itself (such a file is never skipped by its name).
    pub named: bool,
    /// What tells whether the file is still the one that was listed.
    pub stamp: Stamp,
    store: Store,
}

impl Candidate {
    /// A file as it lies on the disk.
    fn of_file(path: PathBuf, meta: &fs::Metadata, named: bool) -> Self {
        Self {
            bytes: meta.len(),
            named,
            stamp: Stamp::of(meta),
            store: Store::File(Arc::from(path.as_path())),
            path,
        }
    }

    /// Number of bytes that can be read now. Compressed bytes are unpacked when this is first
    /// asked.
    ///
    /// # Errors
    /// When the bytes cannot be read at all.
    pub(crate) fn len(&self) -> io::Result<u64> {
        self.store.len()
    }

    /// Reads bytes from `start` on into `buf`, as many as one read gives; 0 at the end. Any number
    /// of threads may read at once.
    ///
    /// # Errors
    /// When the bytes cannot be read.
    pub(crate) fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.store.read_at(start, buf)
    }

    /// Reads exactly `len` bytes from `start` on.
    ///
    /// # Errors
    /// `UnexpectedEof` when there are fewer; nothing is allocated for what is not there.
    pub(crate) fn read(&self, start: u64, len: u64) -> io::Result<Vec<u8>> {
        self.store.read(start, len)
    }

    /// Reads everything.
    ///
    /// # Errors
    /// When the bytes cannot be read.
    pub(crate) fn whole(&self) -> io::Result<Bytes> {
        self.store.whole().map(Bytes)
    }

    /// Whether what was listed is another file now. One that is gone cannot be mistaken for another.
    pub(crate) fn changed(&self) -> bool {
        self.stamp.differs(self.store.origin())
    }

    /// The path on the disk of the file that the bytes are stored in.
    pub(crate) fn origin(&self) -> &Path {
        self.store.origin()
    }
}

/// What tells one state of a file from a later one, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Device and inode, where there are such: a file put in place of another has its own.
    node: Option<(u64, u64)>,
}

impl Stamp {
    /// The stamp in a file's metadata.
    pub(crate) fn of(meta: &fs::Metadata) -> Self {
        #[cfg(unix)]
        let node = {
            use std::os::unix::fs::MetadataExt as _;
            Some((meta.dev(), meta.ino()))
        };
        #[cfg(not(unix))]
        let node = None;
        Self {
            bytes: meta.len(),
            modified: meta.modified().ok(),
            node,
        }
    }

    /// Whether there is another file now than the one stamped. A file that is gone cannot be
    /// mistaken for another.
    pub(crate) fn differs(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|meta| Self::of(&meta) != *self)
    }
}

/// All bytes of a candidate.
#[derive(Debug)]
pub(crate) struct Bytes(Vec<u8>);

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// What the bytes are read from.
#[derive(Debug, Clone)]
enum Store {
    /// A file on the disk. It is opened for every read: there may be more files than a process may
    /// hold open.
    File(Arc<Path>),
}

impl Store {
    /// The path on the disk.
    fn origin(&self) -> &Path {
        match self {
            Self::File(path) => path,
        }
    }

    fn len(&self) -> io::Result<u64> {
        match self {
            Self::File(path) => Ok(fs::metadata(path)?.len()),
        }
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(path) => file_read_at(&File::open(path)?, start, buf),
        }
    }

    fn read(&self, start: u64, len: u64) -> io::Result<Vec<u8>> {
        match self {
            Self::File(path) => {
                let file = File::open(path)?;
                let there = file.metadata()?.len();
                fill(start, len, there, |at, buf| file_read_at(&file, at, buf))
            }
        }
    }

    fn whole(&self) -> io::Result<Vec<u8>> {
        match self {
            // Not by its length: a pipe has none, and a log may grow meanwhile.
            Self::File(path) => fs::read(path),
        }
    }
}

/// Reads `len` bytes from `start` on out of `there` bytes.
fn fill(
    start: u64,
    len: u64,
    there: u64,
    read_at: impl Fn(u64, &mut [u8]) -> io::Result<usize>,
) -> io::Result<Vec<u8>> {
    let shorter = || {
        io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the file became shorter since it was loaded",
        )
    };
    if start.checked_add(len).is_none_or(|end| end > there) {
        return Err(shorter());
    }
    let len = usize::try_from(len).map_err(io::Error::other)?;
    let mut bytes = vec![0; len];
    let mut done = 0;
    while done < len {
        match read_at(start + done as u64, &mut bytes[done..]) {
            Ok(0) => return Err(shorter()),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// Reads at a position; the file's own position plays no part.
#[cfg(unix)]
fn file_read_at(file: &File, start: u64, buf: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, start)
}

/// Reads at a position; the file's own position plays no part.
#[cfg(windows)]
fn file_read_at(file: &File, start: u64, buf: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buf, start)
}
