//! Files that are written whole or not at all.
//!
//! What is *not* here: what they hold.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use sha2::{Digest, Sha256};

use crate::export::hex;

/// Writes to a file beside `path` and renames it, so that nobody sees half a file. Returns what
/// `write` returned and the SHA-256 of the bytes, lower-case hex.
///
/// # Errors
/// When `write` fails or the file cannot be made; what stood there before is then untouched.
pub fn write_whole<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> io::Result<(T, String)> {
    // A link stays a link: the file it names is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if std::fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
        // A device or a pipe is written to, never replaced.
        let file = File::options().write(true).open(&path)?;
        let mut out = Hashing::new(BufWriter::new(file));
        let result = write(&mut out)?;
        out.flush()?;
        return Ok((result, out.hex()));
    }
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.tmp", std::process::id()));
    let stop = Stop::on_signals()?;
    let temporary = Temporary(path.with_file_name(beside));
    let file = File::create_new(&temporary.0)?;
    let mut out = Hashing::new(BufWriter::new(file));
    let result = write(&mut Stoppable {
        inner: &mut out,
        stop: &stop,
    })?;
    let (out, hash) = out.finish();
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    std::fs::rename(&temporary.0, &path)?;
    Ok((result, hash))
}

/// Whether the program was asked to end (Ctrl-C, SIGTERM) while a file is written: the file beside
/// is then removed first. Asked a second time, it ends at once.
struct Stop {
    asked: Arc<AtomicBool>,
    registered: Vec<signal_hook::SigId>,
}

impl Stop {
    fn on_signals() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        let mut registered = Vec::new();
        for signal in [SIGINT, SIGTERM] {
            let status = 128 + signal;
            let again = Arc::clone(&asked);
            registered.push(flag::register_conditional_shutdown(signal, status, again)?);
            registered.push(flag::register(signal, Arc::clone(&asked))?);
        }
        Ok(Self { asked, registered })
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// Writes until the program is asked to end.
struct Stoppable<'a, W> {
    inner: W,
    stop: &'a Stop,
}

impl<W: Write> Write for Stoppable<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stop.asked.load(Ordering::Relaxed) {
            // Not the kind `Interrupted`: that is tried again.
            return Err(io::Error::other("stopped; nothing was written"));
        }
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A file that is removed when it was not renamed.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Gone already when it was renamed; and a leftover does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Hashes what goes through.
pub struct Hashing<W> {
    inner: W,
    hash: Sha256,
}

impl<W> Hashing<W> {
    /// Hashes what goes to `inner`.
    pub fn new(inner: W) -> Self {
        Self {
            inner,
            hash: Sha256::new(),
        }
    }

    /// The SHA-256 of what went through, lower-case hex.
    pub fn hex(self) -> String {
        self.finish().1
    }

    fn finish(self) -> (W, String) {
        (self.inner, hex(&self.hash.finalize()))
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hash.update(bytes.get(..count).unwrap_or(bytes));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jsonl");
        std::fs::write(&path, "before").expect("written");
        let result = write_whole(&path, |out| {
            out.write_all(b"half")?;
            signal_hook::low_level::raise(SIGTERM)?;
            out.write_all(b"rest")
        });
        assert!(result.is_err());
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .expect("listed")
            .map(|entry| entry.expect("entry").file_name())
            .collect();
        assert_eq!(left, ["out.jsonl"]);
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "before");
    }
}
