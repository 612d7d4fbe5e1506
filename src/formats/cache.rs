//! The index of long files of lines, kept between starts in a folder: one file each, valid while the
//! file, gagar and what was asked for are the same.
//!
//! When a file only grew, what was kept of it still holds and only the rest is read. Whatever goes
//! wrong here costs time, never data: a kept index that cannot be read is as good as none. What is
//! *not* here: reading the files, and which folder it is.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use super::found::Found;
use super::indexed::Indexed;
use super::source::{Candidate, Stamp};
use super::{FORMATS, LoadOptions};

/// Most bytes in the folder; the files that were not used for the longest time go first.
const MOST: u64 = 2 << 30;
/// A file that was not finished is left over from a process that was killed when it is this old.
const LEFT_OVER: Duration = Duration::from_secs(24 * 60 * 60);
const EXTENSION: &str = "index";
/// The end of every file: also the version of its layout.
const MAGIC: [u8; 8] = *b"gagarix2";
/// Bytes behind the end note: its length, the hash of everything before, [`MAGIC`].
const TAIL: usize = 8 + 32 + 8;

/// The place for the index of one file.
#[derive(Debug)]
pub(super) struct Cache {
    path: PathBuf,
    rules: [u8; 32],
}

/// What was kept of a file.
#[derive(Debug)]
pub(super) struct Kept {
    /// What was found, part by part.
    pub parts: Vec<Found>,
    /// What is told at the end of the file.
    pub whole: Found,
    /// How far the file was read.
    pub indexed: Indexed,
    /// The parts as they are stored.
    bytes: Vec<u8>,
}

/// What stands behind the parts.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    /// Hash of everything that decides how a file is read.
    rules: [u8; 32],
    /// The file when it was listed.
    stamp: Stamp,
    indexed: Indexed,
    /// Whether the last line had an end, so that more lines can follow.
    ended: bool,
    parts: usize,
    whole: Found,
}

impl Cache {
    /// The place in `folder` for the index of a file that is read in this way; `how` is what else
    /// decides how it is read. `None` when the file has no path of its own.
    pub(super) fn of(
        folder: &Path,
        file: &Candidate,
        options: &LoadOptions,
        how: [bool; 3],
    ) -> Option<Self> {
        let path = path_of(folder, file)?;
        let rules = format!("{} {how:?} {options:?} {}", *BUILD, formats());
        Some(Self {
            path,
            rules: Sha256::digest(rules.as_bytes()).into(),
        })
    }

    /// What was kept of the file, when it still holds. `file` gets the index under which the file is
    /// known now.
    pub(super) fn read(&self, candidate: &Candidate, file: usize) -> Option<Kept> {
        let bytes = fs::read(&self.path).ok()?;
        let (bytes, note) = open(bytes)?;
        let is_same = note.stamp.agrees(&candidate.stamp) && note.indexed.is_there(candidate);
        let listed = note.stamp.bytes();
        let only_grew = || note.ended && note.indexed.only_grew(candidate, listed);
        if note.rules != self.rules || !(is_same || only_grew()) {
            return None;
        }
        let mut parts = Vec::with_capacity(note.parts.min(1 << 16));
        let mut rest = bytes.as_slice();
        for _ in 0..note.parts {
            let (mut part, behind) = postcard::take_from_bytes::<Found>(rest).ok()?;
            part.set_file(file);
            parts.push(part);
            rest = behind;
        }
        note_use(&self.path);
        Some(Kept {
            parts,
            whole: note.whole,
            indexed: note.indexed,
            bytes,
        })
    }

    /// Begins to keep the index of the file, with what is known of it already. `None` when nothing
    /// can be written there.
    pub(super) fn write(&self, before: Option<&Kept>) -> Option<Writer> {
        let folder = self.path.parent()?;
        fs::create_dir_all(folder).ok()?;
        let file = tempfile::Builder::new()
            .prefix(".")
            .tempfile_in(folder)
            .ok()?;
        let mut writer = Writer {
            out: BufWriter::with_capacity(1 << 18, file),
            hash: Sha256::new(),
            parts: 0,
            path: self.path.clone(),
            rules: self.rules,
            ok: true,
        };
        if let Some(kept) = before {
            writer.put(&kept.bytes);
            writer.parts = kept.parts.len();
        }
        Some(writer)
    }
}

/// Keeps what is found in a file part by part. Dropped without [`Writer::finish`], nothing is kept.
#[derive(Debug)]
pub(super) struct Writer {
    out: BufWriter<NamedTempFile>,
    hash: Sha256,
    parts: usize,
    path: PathBuf,
    rules: [u8; 32],
    ok: bool,
}

impl Writer {
    /// Adds the next part.
    pub(super) fn add(&mut self, part: &Found) {
        // Parts of runs are joined with other files; they are short.
        self.ok &= part.is_alone();
        if !self.ok {
            return;
        }
        match postcard::to_stdvec(part) {
            Ok(bytes) => self.put(&bytes),
            Err(_) => self.ok = false,
        }
        self.parts += 1;
    }

    /// Keeps the index of the file, which was read up to there.
    pub(super) fn finish(mut self, candidate: &Candidate, whole: &Found, indexed: Indexed) {
        let Ok(ended) = ends_with_a_line(candidate, indexed.end) else {
            return;
        };
        let note = NoteOut {
            rules: self.rules,
            stamp: candidate.stamp,
            indexed,
            ended,
            parts: self.parts,
            whole,
        };
        let Ok(note) = postcard::to_stdvec(&note) else {
            return;
        };
        self.ok &= whole.is_alone();
        self.put(&note);
        self.put(&(note.len() as u64).to_le_bytes());
        let hash = std::mem::take(&mut self.hash).finalize();
        self.put(&hash);
        self.put(&MAGIC);
        if !self.ok {
            return;
        }
        // All or nothing: the file appears under its name when it is whole.
        let Ok(file) = self.out.into_inner() else {
            return;
        };
        if file.persist(&self.path).is_ok()
            && let Some(folder) = self.path.parent()
        {
            let _ = tidy(folder, MOST);
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.ok &= self.out.write_all(bytes).is_ok();
    }
}

/// [`Note`] when it is written.
#[derive(Debug, Serialize)]
struct NoteOut<'a> {
    rules: [u8; 32],
    stamp: Stamp,
    indexed: Indexed,
    ended: bool,
    parts: usize,
    whole: &'a Found,
}

/// The file for the index of a file; `None` when the file has no path of its own.
fn path_of(folder: &Path, file: &Candidate) -> Option<PathBuf> {
    let real = fs::canonicalize(file.origin()).ok()?;
    // Paths are told as they were given.
    let mut name = Sha256::new_with_prefix(real.as_os_str().as_encoded_bytes());
    name.update([0]);
    name.update(file.path.as_os_str().as_encoded_bytes());
    let name = name.finalize().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    Some(folder.join(name).with_extension(EXTENSION))
}

/// Removes what was kept of a file, when anything was.
pub(super) fn forget(folder: &Path, file: &Candidate) {
    if let Some(path) = path_of(folder, file) {
        // What is not there need not go, and what cannot go is told again when it is opened.
        let _ = fs::remove_file(path);
    }
}

/// Notes that a file was used: what is used is not the oldest.
#[expect(
    clippy::disallowed_methods,
    reason = "only the order of removal depends on it"
)]
fn note_use(path: &Path) {
    let used = File::options().append(true).open(path);
    let _ = used.and_then(|used| used.set_modified(SystemTime::now()));
}

/// The bytes of the parts, and what stands behind them; `None` when the file is damaged.
fn open(mut bytes: Vec<u8>) -> Option<(Vec<u8>, Note)> {
    let tail = bytes.len().checked_sub(TAIL)?;
    let (content, tail) = bytes.split_at(tail);
    let (length, tail) = tail.split_at(8);
    let (hash, magic) = tail.split_at(32);
    let hashed = content.len() + length.len();
    if magic != MAGIC || Sha256::digest(&bytes[..hashed]).as_slice() != hash {
        return None;
    }
    let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
    let parts = content.len().checked_sub(length)?;
    let note = postcard::from_bytes(&content[parts..]).ok()?;
    bytes.truncate(parts);
    Some((bytes, note))
}

/// Whether a line ends right before byte `end`.
fn ends_with_a_line(file: &Candidate, end: u64) -> io::Result<bool> {
    match end.checked_sub(1) {
        None => Ok(true),
        Some(last) => Ok(file.read(last, 1)? == b"\n"),
    }
}

/// Removes what was not used for the longest time until no more than `most` bytes are left, and what
/// killed processes left behind.
fn tidy(folder: &Path, most: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        let path = entry.path();
        if !meta.is_file() {
            continue;
        }
        let used = meta.modified()?;
        if path.extension().is_some_and(|found| found == EXTENSION) {
            files.push((used, meta.len(), path));
        } else if used.elapsed().is_ok_and(|age| age > LEFT_OVER) {
            fs::remove_file(path)?;
        }
    }
    let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    files.sort();
    for (_, bytes, path) in files {
        if total <= most {
            break;
        }
        fs::remove_file(path)?;
        total -= bytes;
    }
    Ok(())
}

/// What tells this build of gagar from another: another may read files in another way.
static BUILD: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
    let program = std::env::current_exe().and_then(fs::metadata).ok();
    let stamp = program.map(|meta| (meta.len(), meta.modified().ok()));
    format!("{} {stamp:?}", env!("CARGO_PKG_VERSION"))
});

/// The table of formats as text: its order numbers the formats.
fn formats() -> String {
    FORMATS
        .iter()
        .map(|format| format.name)
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_the_longest_time_goes_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let long_ago = SystemTime::UNIX_EPOCH + LEFT_OVER;
        let write = |name: &str, bytes: usize, age: u32| {
            let path = folder.path().join(name);
            fs::write(&path, vec![0; bytes]).expect("written");
            let file = File::options().append(true).open(&path).expect("opened");
            file.set_modified(long_ago + age * Duration::from_secs(60))
                .expect("set");
        };
        write("a.index", 100, 3);
        write("b.index", 100, 1);
        write("c.index", 100, 2);
        write(".left", 10, 1);
        fs::write(folder.path().join(".begun"), b"x").expect("written");
        tidy(folder.path(), 250).expect("tidied");
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .expect("listed")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        assert_eq!(names, [".begun", "a.index", "c.index"]);
    }

    #[test]
    fn damaged_files_are_as_good_as_none() {
        assert!(open(Vec::new()).is_none());
        assert!(open(vec![7; 500]).is_none());
        let mut bytes = vec![0; 100];
        bytes.extend(u64::MAX.to_le_bytes());
        let hash = Sha256::digest(&bytes);
        bytes.extend(hash);
        bytes.extend(MAGIC);
        assert!(open(bytes).is_none());
    }
}
