//! How far a file of lines was read, and what tells later that what was read is still there.
//!
//! What is *not* here: reading the lines.

use std::hash::{DefaultHasher, Hasher as _};
use std::io;

use super::source::Candidate;

/// Bytes at each end of what was read that are looked at again.
const EDGE: u64 = 64 << 10;

/// How far a file of lines was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Indexed {
    /// The byte behind what was read.
    pub end: u64,
    /// Line ends before it.
    pub lines: u64,
    /// Whether its records are read through a map, which its first lines choose.
    pub mapped: bool,
    /// Hash of the first and the last bytes before it.
    pub edges: u64,
}

impl Indexed {
    /// Notes that a file was read up to `end`, which lies behind `lines` line ends.
    ///
    /// # Errors
    /// When the file cannot be read, or is shorter by now.
    pub(crate) fn of(file: &Candidate, end: u64, lines: u64) -> io::Result<Self> {
        let edges = edges(file, end)?;
        Ok(Self {
            end,
            lines,
            mapped: false,
            edges,
        })
    }

    /// Whether the bytes at both ends of what was read are still there.
    pub(crate) fn is_there(&self, file: &Candidate) -> bool {
        edges(file, self.end).is_ok_and(|edges| edges == self.edges)
    }

    /// Whether a file that was listed with `listed` bytes only grew since: it is longer, and the
    /// bytes at both ends of what was read are the same. A file that changed only between them is
    /// not noticed, which is why every record that is opened must name itself.
    pub(crate) fn only_grew(&self, file: &Candidate, listed: u64) -> bool {
        file.len().is_ok_and(|len| len > listed && len >= self.end) && self.is_there(file)
    }
}

fn edges(file: &Candidate, end: u64) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    hasher.write(&file.read(0, end.min(EDGE))?);
    let from = end.saturating_sub(EDGE);
    hasher.write(&file.read(from, end - from)?);
    Ok(hasher.finish())
}
