//! The diff model: a patch's text as files, hunks and lines, with everything that was odd about it.
//!
//! Pure: no terminal, no file. What is *not* here: colours and cells (`crate::tui`).

mod aligned;
mod anchors;
mod base;
mod combined;
mod conflicts;
mod consensus;
mod decode;
mod excerpt;
mod facts;
mod glob;
mod hunks;
mod interdiff;
mod model;
mod moves;
mod pairing;
mod parse;
mod patch;
mod paths;
mod repair;
mod results;
mod sections;
mod sequence;
mod whitespace;
mod words;

use sha2::{Digest, Sha256};

use crate::domain::{PatchHash, PatchSummary};

pub use aligned::{
    Aligned, AlignedFile, AlignedRow, CandidatePatch, Cell, FileOf, LineText, Region, Touch,
};
pub use base::{Anchor, BaseOrigin, BaseText, Bases, Contradiction, anchors};
pub use conflicts::ConflictMarker;
pub use consensus::{Consensus, Share};
pub use decode::{Decoded, decode};
pub use excerpt::hunk_patch;
pub use glob::matches_glob;
pub use interdiff::{Compared, Interdiff, InterdiffFile, interdiff};
pub use model::{
    BinaryData, BinarySizes, Combined, FilePatch, FileStatus, Hunk, HunkLine, LineKind, LineSpan,
};
pub use moves::{Move, MoveEnd, Moves, moves};
pub use patch::{DiffRow, Patch};
pub use repair::Repair;
pub use results::{Certainty, Classes, Results};
pub use sequence::NotComparable;
pub use whitespace::{Reindented, WhitespaceChange, whitespace_change};
pub use words::emphasis;

/// Returns what the index keeps of a patch: presence, hash, counts. `None` = no patch recorded.
#[must_use]
pub fn summarize(patch: Option<&str>) -> PatchSummary {
    let text = patch.unwrap_or("");
    let sha256 = PatchHash::new(Sha256::digest(text.as_bytes()).into());
    let Some(text) = patch else {
        return PatchSummary {
            sha256,
            ..PatchSummary::default()
        };
    };
    let read = parse::parse(text);
    PatchSummary {
        presence: read.presence,
        sha256,
        bytes: text.len() as u64,
        files: u32::try_from(read.files.len()).unwrap_or(u32::MAX),
        added: read.files.iter().map(|file| file.added).sum(),
        removed: read.files.iter().map(|file| file.removed).sum(),
    }
}
