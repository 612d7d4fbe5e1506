//! Where bytes come from: files, and what is packed in them, read at any position.
//!
//! What is *not* here: records (`files`), and what they mean.

mod archive;
mod list;
mod packed;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
#[cfg(feature = "remote")]
mod remote;
mod spool;
mod store;

use std::fs;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

pub(crate) use list::{check_path, list, list_again, real_path};
use store::Store;

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
        let file = Store::File(Arc::from(path.as_path()));
        Self {
            bytes: meta.len(),
            named,
            stamp: Stamp::of(meta),
            store: if meta.is_file() {
                file
            } else {
                archive::stream(file)
            },
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
        self.store.changed(&self.stamp)
    }

    /// The stamp of the file on the disk as it is now.
    ///
    /// # Errors
    /// When it is gone, or stands on a server.
    pub(crate) fn stamp_now(&self) -> io::Result<Stamp> {
        fs::metadata(self.origin()).map(|meta| Stamp::of(&meta))
    }

    /// Unpacks compressed bytes when that was not done yet. `tell` is told now and then how many of
    /// the compressed bytes were read, and answers whether to go on. Answers whether they can be read
    /// now without unpacking.
    pub(crate) fn prepare(&self, tell: &mut dyn FnMut(u64) -> bool) -> bool {
        self.store.prepare(tell)
    }

    /// Whether the bytes are compressed.
    pub(crate) fn is_packed(&self) -> bool {
        matches!(self.store, Store::Packed(_))
    }

    /// Whether the bytes are those of a file on the disk, as they lie there.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.store, Store::File(_))
    }

    /// Whether there is nothing to read in it: what is wrong with it was told when it was listed.
    pub(crate) fn is_told(&self) -> bool {
        matches!(self.store, Store::Nothing(_))
    }

    /// Whether it is a pipe or the like, which can be read only once.
    pub(crate) fn is_stream(&self) -> bool {
        self.store.is_stream()
    }

    /// What is wrong with compressed bytes although some of them could be unpacked; what was
    /// unpacked is what the other methods read. Unpacks.
    pub(crate) fn damage(&self) -> Option<&str> {
        self.store.damage()
    }

    /// The path without the ending of a compressed file: what the file is called that was
    /// compressed.
    pub(crate) fn content_path(&self) -> PathBuf {
        let is_compressed =
            matches!(&self.store, Store::Packed(packed) if packed.is_compressed_file());
        let extension = self.path.extension().and_then(|name| name.to_str());
        match extension {
            Some("gz" | "gzip" | "zst" | "zstd") if is_compressed => self.path.with_extension(""),
            _ => self.path.clone(),
        }
    }

    /// The path on the disk, or the address, of the file that the bytes are stored in.
    pub(crate) fn origin(&self) -> &Path {
        self.store.origin()
    }
}

/// What tells one state of a file from a later one, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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

    /// Length in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Device and inode, where there are such.
    pub(crate) fn node(&self) -> Option<(u64, u64)> {
        self.node
    }

    /// Whether it is one file, and length and time of the last change are the same, and known.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        *self == *other && self.modified.is_some()
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

/// Endings of archives' names, longer ones first.
const ARCHIVES: &[&str] = &[
    ".tar.gz", ".tar.zst", ".tgz", ".tzst", ".tar", ".zip", ".eval",
];

/// The name of a folder, or of an archive as the folder that was packed into it; `None` for `.`,
/// `..` and roots.
pub(crate) fn folder_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let stem = ARCHIVES
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .filter(|stem| !stem.is_empty());
    Some(stem.unwrap_or(&name).to_owned())
}
