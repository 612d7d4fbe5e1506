//! How far a file of lines was read, and what tells later that what was read is still there.
//!
//! What is *not* here: reading the lines.

use std::hash::{DefaultHasher, Hasher as _};
use std::io;

use rayon::prelude::*;

use super::source::Candidate;

/// Bytes at each end of what was read that are looked at again.
const EDGE: u64 = 64 << 10;
/// What was read of a file that grew is looked at as a whole while it is no longer than this (bytes):
/// that takes some hundredths of a second, in the background.
const SHORT: u64 = 512 << 20;
/// Bytes of a piece that one core looks at.
const PIECE: u64 = 4 << 20;
/// Else so many blocks of it are, evenly spread.
const SAMPLES: u64 = 64;
/// Bytes of one such block.
const SAMPLE: u64 = 4 << 10;
/// Files on servers and in archives up to this long are looked at as a whole.
const SHORT_FAR: u64 = 4 << 20;

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
    /// Hash of blocks spread over everything before it.
    pub samples: u64,
    /// Device and inode of the file, where there are such.
    pub node: Option<(u64, u64)>,
}

impl Indexed {
    /// Notes that a file was read up to `end`, which lies behind `lines` line ends.
    ///
    /// # Errors
    /// When the file cannot be read, or is shorter by now.
    pub(crate) fn of(file: &Candidate, end: u64, lines: u64) -> io::Result<Self> {
        Ok(Self {
            end,
            lines,
            mapped: false,
            edges: edges(file, end)?,
            samples: samples(file, end)?,
            // As it was listed: a file put in its place since then is another one.
            node: file.stamp.node(),
        })
    }

    /// Whether the bytes at both ends of what was read are still there.
    pub(crate) fn is_there(&self, file: &Candidate) -> bool {
        edges(file, self.end).is_ok_and(|edges| edges == self.edges)
    }

    /// Whether a file that was listed with `listed` bytes only grew since: it is no other file, it is
    /// longer, and the bytes at both ends of what was read and in between are the same. Of long files
    /// samples are looked at, which is why the bytes of every record that is opened are compared as
    /// well.
    pub(crate) fn only_grew(&self, file: &Candidate, listed: u64) -> bool {
        let Ok(now) = file.stamp_now() else {
            return false;
        };
        now.node() == self.node
            && now.bytes() > listed
            && now.bytes() >= self.end
            && self.is_there(file)
            && samples(file, self.end).is_ok_and(|samples| samples == self.samples)
    }
}

/// Hash of blocks spread over the first `end` bytes; of all of them when these are few.
fn samples(file: &Candidate, end: u64) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    let short = if file.is_plain() { SHORT } else { SHORT_FAR };
    if end <= short {
        let pieces: Vec<u64> = (0..end).step_by(PIECE as usize).collect();
        let sums: io::Result<Vec<u32>> = pieces
            .into_par_iter()
            .map(|start| {
                let bytes = file.read(start, PIECE.min(end - start))?;
                Ok(super::files::digest(&bytes))
            })
            .collect();
        for sum in sums? {
            hasher.write_u32(sum);
        }
    } else {
        let last = end - SAMPLE;
        for number in 0..SAMPLES {
            hasher.write(&file.read(last / (SAMPLES - 1) * number, SAMPLE)?);
        }
    }
    Ok(hasher.finish())
}

fn edges(file: &Candidate, end: u64) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    hasher.write(&file.read(0, end.min(EDGE))?);
    let from = end.saturating_sub(EDGE);
    hasher.write(&file.read(from, end - from)?);
    Ok(hasher.finish())
}
