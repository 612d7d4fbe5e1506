//! The diff model: a patch's text as files, hunks and lines, with everything that was odd about it.
//!
//! Pure: no terminal, no file. What is *not* here: colours and cells (`crate::tui`).

mod aligned;
mod base;
mod pairing;
mod parse;
mod paths;

use std::ops::Range;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::domain::{PatchHash, PatchPresence, PatchSummary};

pub use aligned::{
    Aligned, AlignedFile, AlignedRow, CandidatePatch, Cell, FileOf, LineText, Region, Touch,
};
pub use base::{Anchor, BaseOrigin, BaseText, Bases, Contradiction};
pub use pairing::emphasis;

/// What a hunk's line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineKind {
    /// On both sides.
    Context,
    /// On the new side only.
    Added,
    /// On the old side only.
    Removed,
    /// `\ No newline at end of file`, about the line before.
    NoNewline,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkLine {
    /// What it is.
    pub kind: LineKind,
    /// 1-based line number on the old side, when it is there.
    pub old_no: Option<u32>,
    /// 1-based line number on the new side, when it is there.
    pub new_no: Option<u32>,
    /// Bytes of the patch's text, without sign and newline (a trailing CR is kept).
    pub range: Range<usize>,
}

/// A hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// First line on the old side, 1-based (0 for a new file).
    pub old_start: u32,
    /// Lines on the old side, as counted.
    pub old_count: u32,
    /// First line on the new side, 1-based (0 for a deleted file).
    pub new_start: u32,
    /// Lines on the new side, as counted.
    pub new_count: u32,
    /// Bytes of the text behind the second `@@`.
    pub section: Range<usize>,
    /// The lines.
    pub lines: Vec<HunkLine>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum FileStatus {
    /// Content changed.
    #[default]
    Modified,
    /// New file.
    Added,
    /// File removed.
    Deleted,
    /// Renamed, maybe edited.
    Renamed,
    /// Copied, maybe edited.
    Copied,
    /// Only the mode changed.
    ModeChanged,
}

impl FileStatus {
    /// One letter, as git prints it.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Modified => 'M',
            Self::Added => 'A',
            Self::Deleted => 'D',
            Self::Renamed => 'R',
            Self::Copied => 'C',
            Self::ModeChanged => 'T',
        }
    }
}

/// One file of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilePatch {
    /// Path before, without `a/`; `None` for a new file.
    pub old_path: Option<String>,
    /// Path after, without `b/`; `None` for a deleted file.
    pub new_path: Option<String>,
    /// What happened.
    pub status: FileStatus,
    /// Mode before, when given (octal text).
    pub old_mode: Option<String>,
    /// Mode after, when given (octal text).
    pub new_mode: Option<String>,
    /// Whether the content is binary.
    pub binary: bool,
    /// Similarity in percent, for renames and copies.
    pub similarity: Option<u8>,
    /// The hunks.
    pub hunks: Vec<Hunk>,
    /// What was odd or repaired, one sentence each.
    pub notes: Vec<String>,
    /// Bytes of text that belongs to the file but is no hunk that can be read (combined diffs).
    pub raw: Vec<Range<usize>>,
    /// Added lines.
    pub added: u32,
    /// Removed lines.
    pub removed: u32,
}

impl FilePatch {
    /// The path to show: the new one, `old → new` for renames and copies.
    #[must_use]
    pub fn display_path(&self) -> String {
        match (&self.old_path, &self.new_path) {
            (Some(old), Some(new)) if old != new => format!("{old} → {new}"),
            (_, Some(path)) | (Some(path), None) => path.clone(),
            (None, None) => "(no file name)".to_owned(),
        }
    }

    /// The path on the new side, or the old one when there is none.
    #[must_use]
    pub fn path(&self) -> &str {
        self.new_path
            .as_deref()
            .or(self.old_path.as_deref())
            .unwrap_or("")
    }
}

/// One row of a unified view. Indices are 0-based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffRow {
    /// A file begins.
    FileHeader {
        /// The file.
        file: usize,
    },
    /// A note on the file (mode change, binary, repair).
    FileNote {
        /// The file.
        file: usize,
        /// The note, see [`Patch::file_notes`].
        note: usize,
    },
    /// A hunk begins.
    HunkHeader {
        /// The file.
        file: usize,
        /// The hunk.
        hunk: usize,
    },
    /// A line of a hunk.
    Line {
        /// The file.
        file: usize,
        /// The hunk.
        hunk: usize,
        /// The line.
        line: usize,
    },
    /// Text shown as it is.
    Raw(
        /// Bytes of the patch's text.
        Range<usize>,
    ),
    /// A note on the patch, see [`Patch::notes`].
    Note(
        /// The note.
        usize,
    ),
    /// An empty row between files.
    Blank,
}

/// A patch: its text and what was read from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The text, exactly as recorded; every range points into it.
    pub text: Arc<str>,
    /// The files, in order.
    pub files: Vec<FilePatch>,
    /// What was odd about the patch as a whole, one sentence each.
    pub notes: Vec<String>,
    /// What the text is.
    pub presence: PatchPresence,
}

impl Patch {
    /// Reads a patch. Never fails: what cannot be read is kept as raw text with a note.
    #[must_use]
    pub fn read(text: Arc<str>) -> Self {
        parse::parse(text)
    }

    /// The patch of a record that has none.
    #[must_use]
    pub fn missing() -> Self {
        Self {
            text: Arc::from(""),
            files: Vec::new(),
            notes: Vec::new(),
            presence: PatchPresence::Missing,
        }
    }

    /// Added lines over all files.
    #[must_use]
    pub fn added(&self) -> u32 {
        self.files.iter().map(|file| file.added).sum()
    }

    /// Removed lines over all files.
    #[must_use]
    pub fn removed(&self) -> u32 {
        self.files.iter().map(|file| file.removed).sum()
    }

    /// The text of a hunk's line, without sign and newline.
    #[must_use]
    pub fn line_text(&self, line: &HunkLine) -> &str {
        self.text.get(line.range.clone()).unwrap_or("")
    }

    /// Facts and notes of a file in the order in which they are shown: mode change, binary,
    /// similarity, empty file, then [`FilePatch::notes`].
    #[must_use]
    pub fn file_notes(&self, file: usize) -> Vec<String> {
        let Some(file) = self.files.get(file) else {
            return Vec::new();
        };
        let mut notes = Vec::new();
        match (&file.old_mode, &file.new_mode) {
            (Some(old), Some(new)) if old != new => {
                notes.push(format!("mode {old} → {new}{}", mode_word(new)));
            }
            (None, Some(new)) if new != "100644" => {
                notes.push(format!("new file mode {new}{}", mode_word(new)));
            }
            _ => {}
        }
        if let Some(similarity) = file.similarity {
            notes.push(format!("similarity {similarity}%"));
        }
        if file.binary {
            notes.push("binary file: no text to show".to_owned());
        } else if file.hunks.is_empty() && file.raw.is_empty() {
            match file.status {
                FileStatus::Added => notes.push("empty file".to_owned()),
                FileStatus::Deleted => notes.push("empty file removed".to_owned()),
                FileStatus::Renamed | FileStatus::Copied => {
                    notes.push("content unchanged".to_owned());
                }
                FileStatus::ModeChanged | FileStatus::Modified => {}
            }
        }
        notes.extend(file.notes.iter().cloned());
        notes
    }

    /// Every row of the unified view.
    #[must_use]
    pub fn rows(&self) -> Vec<DiffRow> {
        let mut rows: Vec<_> = (0..self.notes.len()).map(DiffRow::Note).collect();
        if self.presence == PatchPresence::NotADiff {
            rows.extend(line_ranges(&self.text, 0..self.text.len()).map(DiffRow::Raw));
            return rows;
        }
        for (file, patch) in self.files.iter().enumerate() {
            if file > 0 {
                rows.push(DiffRow::Blank);
            }
            rows.push(DiffRow::FileHeader { file });
            let notes = self.file_notes(file).len();
            rows.extend((0..notes).map(|note| DiffRow::FileNote { file, note }));
            for (hunk, lines) in patch.hunks.iter().enumerate() {
                rows.push(DiffRow::HunkHeader { file, hunk });
                rows.extend((0..lines.lines.len()).map(|line| DiffRow::Line { file, hunk, line }));
            }
            for raw in &patch.raw {
                rows.extend(line_ranges(&self.text, raw.clone()).map(DiffRow::Raw));
            }
        }
        rows
    }

    /// For every line of a hunk the line it is paired with in the same change block (a removed with
    /// an added one), by likeness; `None` for the others. Same length as the hunk's lines.
    #[must_use]
    pub fn pairs(&self, file: usize, hunk: usize) -> Vec<Option<usize>> {
        match self.files.get(file).and_then(|file| file.hunks.get(hunk)) {
            Some(hunk) => pairing::pairs(&self.text, hunk),
            None => Vec::new(),
        }
    }
}

fn mode_word(mode: &str) -> &'static str {
    match mode {
        "120000" => " (symbolic link)",
        "160000" => " (submodule)",
        "100755" => " (executable)",
        _ => "",
    }
}

/// Ranges of the lines of `text` within `range`, without newlines.
fn line_ranges(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    let mut at = range.start;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let rest = text.get(at..end)?;
        let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let line = at..at + length;
        at += length + 1;
        Some(line)
    })
}

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
    let read = Patch::read(Arc::from(text));
    PatchSummary {
        presence: read.presence,
        sha256,
        bytes: text.len() as u64,
        files: u32::try_from(read.files.len()).unwrap_or(u32::MAX),
        added: read.added(),
        removed: read.removed(),
    }
}
