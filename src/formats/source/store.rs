//! Bytes that can be read at any position: of a file, of a part of one, or unpacked.
//!
//! What is *not* here: what is packed in what (`archive`), and unpacking (`packed`).

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::Stamp;
use super::packed::Packed;

/// What bytes are read from. A clone reads the same.
#[derive(Debug, Clone)]
pub(super) enum Store {
    /// A file on the disk. It is opened for every read: there may be more files than a process may
    /// hold open.
    File(Arc<Path>),
    /// A file on the disk, or an object on a server, in which nothing can be read. It stays in the
    /// list, so that it is known when the files are listed again.
    Nothing(Arc<Path>),
    /// A range of other bytes.
    Part {
        /// The other bytes.
        of: Arc<Store>,
        /// Its first byte.
        start: u64,
        /// Its length.
        len: u64,
    },
    /// What is unpacked from other bytes.
    Packed(Arc<Packed>),
    /// An object on a server.
    #[cfg(feature = "remote")]
    Remote(Arc<super::remote::Object>),
}

impl Store {
    /// The path on the disk, or the address, of the outermost file.
    pub(super) fn origin(&self) -> &Path {
        match self {
            Self::File(path) | Self::Nothing(path) => path,
            Self::Part { of, .. } => of.origin(),
            Self::Packed(packed) => packed.of().origin(),
            #[cfg(feature = "remote")]
            Self::Remote(object) => object.shown(),
        }
    }

    /// Number of bytes.
    pub(super) fn len(&self) -> io::Result<u64> {
        match self {
            Self::File(path) => Ok(fs::metadata(path)?.len()),
            Self::Nothing(_) => Ok(0),
            Self::Part { len, .. } => Ok(*len),
            Self::Packed(packed) => Ok(packed.content()?.len()),
            #[cfg(feature = "remote")]
            Self::Remote(object) => Ok(object.len()),
        }
    }

    /// Reads from `start` on, as many bytes as one read gives; 0 at the end.
    pub(super) fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(path) => file_read_at(&File::open(path)?, start, buf),
            Self::Nothing(_) => Ok(0),
            Self::Part {
                of,
                start: first,
                len,
            } => {
                let left = usize::try_from(len.saturating_sub(start)).unwrap_or(usize::MAX);
                let count = left.min(buf.len());
                if count == 0 {
                    return Ok(0);
                }
                of.read_at(first + start, &mut buf[..count])
            }
            Self::Packed(packed) => packed.content()?.read_at(start, buf),
            #[cfg(feature = "remote")]
            Self::Remote(object) => object.read_at(start, buf),
        }
    }

    /// Reads exactly `len` bytes from `start` on.
    pub(super) fn read(&self, start: u64, len: u64) -> io::Result<Vec<u8>> {
        match self {
            Self::File(path) => {
                let file = File::open(path)?;
                let there = file.metadata()?.len();
                fill(start, len, there, |at, buf| file_read_at(&file, at, buf))
            }
            _ => fill(start, len, self.len()?, |at, buf| self.read_at(at, buf)),
        }
    }

    /// Reads everything.
    pub(super) fn whole(&self) -> io::Result<Vec<u8>> {
        match self {
            // Not by its length: a log may grow meanwhile.
            Self::File(path) => fs::read(path),
            _ => self.read(0, self.len()?),
        }
    }

    /// The first bytes, at most `count`, without unpacking everything.
    pub(super) fn head(&self, count: usize) -> io::Result<Vec<u8>> {
        if let Self::Packed(packed) = self {
            return packed.head(count);
        }
        let mut bytes = Vec::new();
        self.reader().take(count as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// What is wrong with the bytes although some of them could be unpacked.
    pub(super) fn damage(&self) -> Option<&str> {
        match self {
            Self::Packed(packed) => packed.damage(),
            _ => None,
        }
    }

    /// Unpacks what is packed, see [`Packed::prepare`]; true when there is nothing to unpack.
    pub(super) fn prepare(&self, tell: &mut dyn FnMut(u64) -> bool) -> bool {
        match self {
            Self::Packed(packed) if !packed.is_stream() => packed.prepare(tell),
            _ => true,
        }
    }

    /// Whether it is a stream that can be read once: it does not stay as it was listed.
    pub(super) fn is_stream(&self) -> bool {
        match self {
            Self::File(_) | Self::Nothing(_) => false,
            Self::Part { of, .. } => of.is_stream(),
            Self::Packed(packed) => packed.is_stream(),
            #[cfg(feature = "remote")]
            Self::Remote(_) => false,
        }
    }

    /// Whether reading a little takes long.
    pub(super) fn is_far(&self) -> bool {
        match self {
            Self::File(_) | Self::Nothing(_) => false,
            Self::Part { of, .. } => of.is_far(),
            Self::Packed(packed) => packed.of().is_far(),
            #[cfg(feature = "remote")]
            Self::Remote(_) => true,
        }
    }

    /// Whether the bytes are others now than when they had this stamp.
    pub(super) fn changed(&self, stamp: &Stamp) -> bool {
        match self {
            Self::File(path) | Self::Nothing(path) => stamp.differs(path),
            Self::Part { of, .. } => of.changed(stamp),
            Self::Packed(packed) => !packed.is_stream() && packed.of().changed(stamp),
            #[cfg(feature = "remote")]
            Self::Remote(object) => object.changed(),
        }
    }

    /// A reader from the start on.
    pub(super) fn reader(&self) -> Reader<'_> {
        Reader { store: self, at: 0 }
    }
}

/// Reads bytes one after the other.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    store: &'a Store,
    at: u64,
}

impl Read for Reader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.store.read_at(self.at, buf)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Reader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.store.len()?.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
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
pub(super) fn file_read_at(file: &File, start: u64, buf: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, start)
}

/// Reads at a position; the file's own position plays no part.
#[cfg(windows)]
pub(super) fn file_read_at(file: &File, start: u64, buf: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buf, start)
}

/// Writes all bytes at a position.
#[cfg(unix)]
pub(super) fn file_write_at(file: &File, start: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, start)
}

/// Writes all bytes at a position.
#[cfg(windows)]
pub(super) fn file_write_at(file: &File, start: u64, mut bytes: &[u8]) -> io::Result<()> {
    let mut at = start;
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[count..];
        at += count as u64;
    }
    Ok(())
}
