//! Files that are written whole or not at all.
//!
//! What is *not* here: what they hold.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

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
    let temporary = Temporary(path.with_file_name(beside));
    let file = File::create_new(&temporary.0)?;
    let mut out = Hashing::new(BufWriter::new(file));
    let result = write(&mut out)?;
    let (out, hash) = out.finish();
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    std::fs::rename(&temporary.0, &path)?;
    Ok((result, hash))
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
