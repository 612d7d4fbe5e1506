//! A patch as a whole: its text, what was read from it, and the rows of its unified view.
//!
//! Not here: reading (`parse`), likeness of lines (`pairing`), moved blocks (`moves`).

use std::ops::Range;
use std::sync::Arc;

use super::conflicts::{self, ConflictMarker};
use super::model::{FilePatch, FileStatus, Hunk, HunkLine, LineKind};
use super::repair::Repair;
use super::whitespace::{self, Reindented, WhitespaceChange};
use super::{pairing, parse};
use crate::domain::PatchPresence;

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
    /// What was odd about the patch as a whole, one sentence each; the repairs too.
    pub notes: Vec<String>,
    /// What had to be mended of the patch as a whole.
    pub repairs: Vec<Repair>,
    /// What the text is.
    pub presence: PatchPresence,
}

impl Patch {
    /// Reads a patch. Never fails: what cannot be read is kept as raw text with a note.
    #[must_use]
    pub fn read(text: Arc<str>) -> Self {
        let read = parse::parse(&text);
        Self {
            files: read.files,
            notes: read.notes,
            repairs: read.repairs,
            presence: read.presence,
            text,
        }
    }

    /// The patch of a record that has none.
    #[must_use]
    pub fn missing() -> Self {
        Self {
            text: Arc::from(""),
            files: Vec::new(),
            notes: Vec::new(),
            repairs: Vec::new(),
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

    /// The sign columns of a line of a combined diff, one per parent: `"+ "` differs from the first
    /// of two. `None` for ordinary hunks and where the columns are missing.
    #[must_use]
    pub fn signs(&self, file: usize, hunk: usize, line: usize) -> Option<&str> {
        let hunk = self.hunk(file, hunk)?;
        let parents = hunk.combined.as_deref()?.parents.len();
        let start = hunk.lines.get(line)?.range.start;
        let signs = self.text.get(start.checked_sub(parents)?..start)?;
        signs
            .bytes()
            .all(|sign| b" +-".contains(&sign))
            .then_some(signs)
    }

    fn hunk(&self, file: usize, hunk: usize) -> Option<&Hunk> {
        self.files.get(file)?.hunks.get(hunk)
    }

    /// Facts and notes of a file in the order in which they are shown: mode change, binary,
    /// similarity, empty file, then [`FilePatch::notes`] and [`FilePatch::repairs`].
    #[must_use]
    pub fn file_notes(&self, file: usize) -> Vec<String> {
        let Some(file) = self.files.get(file) else {
            return Vec::new();
        };
        let mut notes = Vec::new();
        if file.parents > 0 {
            notes.push(format!(
                "combined diff of {} parents: a sign column for each tells whom a line differs from",
                file.parents
            ));
        }
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
        if let Some(dissimilarity) = file.dissimilarity {
            notes.push(format!("rewritten: {dissimilarity}% of it differs"));
        }
        if file.binary {
            notes.push(binary_note(file));
        } else if file.hunks.is_empty() && file.raw.is_empty() {
            match file.status {
                FileStatus::Added => notes.push("empty file".to_owned()),
                FileStatus::Deleted => notes.push("empty file removed".to_owned()),
                FileStatus::Renamed | FileStatus::Copied => {
                    notes.push("content unchanged".to_owned());
                }
                FileStatus::ModeChanged | FileStatus::TypeChanged | FileStatus::Modified => {}
            }
        }
        notes.extend(file.notes.iter().cloned());
        notes.extend(file.repairs.iter().map(Repair::note));
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
        match self.hunk(file, hunk) {
            Some(hunk) => pairing::pairs(&self.text, hunk),
            None => Vec::new(),
        }
    }

    /// For every line of a hunk how it changed in white space only; `partners` are its
    /// [`Self::pairs`]. Same length as the hunk's lines.
    #[must_use]
    pub fn whitespace(
        &self,
        file: usize,
        hunk: usize,
        partners: &[Option<usize>],
    ) -> Vec<WhitespaceChange> {
        match self.hunk(file, hunk) {
            Some(hunk) => whitespace::of_hunk(&self.text, hunk, partners),
            None => Vec::new(),
        }
    }

    /// Changes of a file in white space only; two lines that are paired count once. Pairs the lines
    /// of every hunk of the file.
    #[must_use]
    pub fn whitespace_changes(&self, file: usize) -> usize {
        let hunks = self.files.get(file).map_or(&[][..], |file| &file.hunks);
        let changes = hunks.iter().enumerate().map(|(place, hunk)| {
            let pairs = self.pairs(file, place);
            let kinds = self.whitespace(file, place, &pairs);
            let is_blank = |line: usize| {
                let kind = kinds.get(line).copied().unwrap_or_default();
                kind != WhitespaceChange::None
            };
            let lines = hunk.lines.iter().enumerate();
            let counted = lines.filter(|(at, line)| {
                let partner = pairs.get(*at).copied().flatten();
                is_blank(*at)
                    && partner
                        .is_none_or(|partner| is_blank(partner) && line.kind == LineKind::Added)
            });
            counted.count()
        });
        changes.sum()
    }

    /// The blocks of a hunk that were only shifted; `partners` are its [`Self::pairs`].
    #[must_use]
    pub fn reindented(
        &self,
        file: usize,
        hunk: usize,
        partners: &[Option<usize>],
    ) -> Vec<Reindented> {
        match self.hunk(file, hunk) {
            Some(hunk) => whitespace::reindented(&self.text, hunk, partners),
            None => Vec::new(),
        }
    }

    /// The conflict markers of a hunk, by index of line.
    #[must_use]
    pub fn conflict_markers(&self, file: usize, hunk: usize) -> Vec<(usize, ConflictMarker)> {
        match self.hunk(file, hunk) {
            Some(hunk) => conflicts::markers(&self.text, hunk),
            None => Vec::new(),
        }
    }
}

/// What is known of binary content.
fn binary_note(file: &FilePatch) -> String {
    let Some(sizes) = file.binary_sizes else {
        return "binary file: no text to show".to_owned();
    };
    match (file.status, sizes.old) {
        (FileStatus::Added, _) | (_, None) => format!("binary file: {}", sizes.new),
        (FileStatus::Deleted, Some(old)) => format!("binary file: was {old}"),
        (_, Some(old)) => format!("binary file: {}, back {old}", sizes.new),
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
pub(super) fn line_ranges(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
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
