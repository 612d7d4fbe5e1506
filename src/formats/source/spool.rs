//! Where unpacked bytes stay: in memory while there is little of them, else in a file that has no
//! name and is gone with the process.
//!
//! What is *not* here: unpacking.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::store::{file_read_at, file_write_at};

/// Bytes written at a time; contents no longer than this may stay in memory.
const CHUNK: usize = 8 << 20;
/// Bytes that all contents in memory may have together.
const IN_MEMORY: u64 = 64 << 20;
/// Bytes that are left free on the disk.
#[cfg(unix)]
const LEFT_FREE: u64 = 256 << 20;

/// The room for the unpacked contents of one listing.
#[derive(Debug, Default)]
pub(super) struct Spool {
    in_memory: AtomicU64,
    file: OnceLock<Result<Room, (io::ErrorKind, String)>>,
}

/// The file, and which slots of [`CHUNK`] bytes in it are taken.
#[derive(Debug)]
struct Room {
    file: File,
    slots: Mutex<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    /// First byte after the last slot.
    end: u64,
    /// First bytes of slots given back.
    free: Vec<u64>,
}

/// The slots of one content, in order; given back when it goes.
#[derive(Debug)]
struct Chunks {
    spool: Arc<Spool>,
    at: Vec<u64>,
}

/// Unpacked bytes.
#[derive(Debug)]
pub(super) struct Content {
    len: u64,
    at: Kept,
}

#[derive(Debug)]
enum Kept {
    Memory(Vec<u8>),
    /// All chunks but the last are full.
    File(Chunks),
}

/// Takes unpacked bytes.
#[derive(Debug)]
pub(super) struct Writer {
    buffer: Vec<u8>,
    chunks: Chunks,
    len: u64,
}

impl Spool {
    fn room(&self) -> io::Result<&Room> {
        let made = self.file.get_or_init(|| {
            temporary()
                .map(|file| Room {
                    file,
                    slots: Mutex::default(),
                })
                .map_err(|error| (error.kind(), error.to_string()))
        });
        made.as_ref()
            .map_err(|(kind, text)| io::Error::new(*kind, text.clone()))
    }
}

impl Room {
    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chunks {
    /// Writes one chunk behind the others.
    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = self.spool.room()?;
        check_free(&room.file, bytes.len() as u64)?;
        let slot = {
            let mut slots = room.slots();
            slots.free.pop().unwrap_or_else(|| {
                let slot = slots.end;
                slots.end += CHUNK as u64;
                slot
            })
        };
        self.at.push(slot);
        file_write_at(&room.file, slot, bytes)
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        if !self.at.is_empty()
            && let Ok(room) = self.spool.room()
        {
            room.slots().free.append(&mut self.at);
        }
    }
}

impl Writer {
    pub(super) fn new(spool: &Arc<Spool>) -> Self {
        Self {
            buffer: Vec::new(),
            chunks: Chunks {
                spool: Arc::clone(spool),
                at: Vec::new(),
            },
            len: 0,
        }
    }

    /// Bytes taken so far.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Takes bytes.
    ///
    /// # Errors
    /// When the file cannot be made or written, or the disk is nearly full.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.len += bytes.len() as u64;
        while !bytes.is_empty() {
            if self.buffer.len() == CHUNK {
                self.chunks.push(&self.buffer)?;
                self.buffer.clear();
            }
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK - self.buffer.len()));
            self.buffer.extend_from_slice(now);
            bytes = later;
        }
        Ok(())
    }

    /// The first `len` bytes of what was taken.
    ///
    /// # Errors
    /// As for [`Writer::push`].
    pub(super) fn finish(mut self, len: u64) -> io::Result<Content> {
        let len = len.min(self.len);
        let own = self.buffer.len() as u64;
        if self.chunks.at.is_empty() {
            // Bytes in memory are counted for the whole life of the spool.
            let in_memory = &self.chunks.spool.in_memory;
            if in_memory.fetch_add(own, Ordering::Relaxed) + own <= IN_MEMORY {
                self.buffer.shrink_to_fit();
                let at = Kept::Memory(self.buffer);
                return Ok(Content { len, at });
            }
            in_memory.fetch_sub(own, Ordering::Relaxed);
        }
        if own > 0 {
            self.chunks.push(&self.buffer)?;
        }
        let at = Kept::File(self.chunks);
        Ok(Content { len, at })
    }
}

impl Content {
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Reads from `start` on; 0 at the end.
    pub(super) fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.len.saturating_sub(start);
        let count = buf.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if count == 0 {
            return Ok(0);
        }
        let gone = || io::Error::from(io::ErrorKind::UnexpectedEof);
        match &self.at {
            Kept::Memory(bytes) => {
                let start = usize::try_from(start).map_err(io::Error::other)?;
                let from = bytes.get(start..start + count).ok_or_else(gone)?;
                buf[..count].copy_from_slice(from);
                Ok(count)
            }
            Kept::File(chunks) => {
                let number = usize::try_from(start / CHUNK as u64).map_err(io::Error::other)?;
                let inside = start % CHUNK as u64;
                let count = count.min(CHUNK - inside as usize);
                let slot = chunks.at.get(number).ok_or_else(gone)?;
                let file = &chunks.spool.room()?.file;
                file_read_at(file, slot + inside, &mut buf[..count])
            }
        }
    }
}

/// A file without a name in the user's cache folder, else in the folder for temporary files (which
/// is memory on some systems).
fn temporary() -> io::Result<File> {
    let in_cache = cache_folder().and_then(|folder| {
        fs::create_dir_all(&folder).ok()?;
        tempfile::tempfile_in(folder).ok()
    });
    in_cache.map_or_else(tempfile::tempfile, Ok)
}

fn cache_folder() -> Option<PathBuf> {
    let set = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    set("XDG_CACHE_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .map(|folder| folder.join("gagar"))
}

/// Refuses to fill the disk to its end.
#[cfg(unix)]
fn check_free(file: &File, more: u64) -> io::Result<()> {
    let Ok(stat) = rustix::fs::fstatvfs(file) else {
        return Ok(());
    };
    if stat.f_bavail.saturating_mul(stat.f_frsize) < more + LEFT_FREE {
        return Err(io::Error::new(
            io::ErrorKind::StorageFull,
            "unpacking it needs more room than is free in the cache folder",
        ));
    }
    Ok(())
}

/// The system refuses when the disk is full.
#[cfg(not(unix))]
fn check_free(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_of_every_length_are_given_back() {
        let spool = Arc::new(Spool::default());
        let byte = |at: u64| (at % 251) as u8;
        let mut contents = Vec::new();
        for len in [0_u64, 5, CHUNK as u64, CHUNK as u64 + 1, 20 << 20, 60 << 20] {
            let mut writer = Writer::new(&spool);
            let bytes: Vec<u8> = (0..len).map(byte).collect();
            for part in bytes.chunks(300_000) {
                writer.push(part).expect("push");
            }
            contents.push((len, writer.finish(u64::MAX).expect("finish")));
        }
        for (len, content) in contents {
            assert_eq!(content.len(), len);
            let mut at = 0;
            let mut buf = vec![0; 1_000_003];
            loop {
                let count = content.read_at(at, &mut buf).expect("read");
                if count == 0 {
                    break;
                }
                assert!((0..count).all(|i| buf[i] == byte(at + i as u64)));
                at += count as u64;
            }
            assert_eq!(at, len);
        }
    }
}
