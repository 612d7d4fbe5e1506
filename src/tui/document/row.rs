//! A row as it is drawn: made up when it is looked at, with borrowed text.

use std::ops::Range;

use super::place::Side;
use super::{Document, Entry, NONE};
use crate::diff::{HunkLine, LineKind};

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// On both sides.
    Context,
    /// On the new side only.
    Added,
    /// On the old side only.
    Removed,
}

/// A line of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code<'a> {
    /// What became of it.
    pub change: Change,
    /// 1-based number on the old side.
    pub old_no: Option<u32>,
    /// 1-based number on the new side.
    pub new_no: Option<u32>,
    /// Its text. Untrusted.
    pub text: &'a str,
    /// The changed words, as bytes of the text.
    pub words: Vec<Range<usize>>,
    /// Where its syntax colours stand: file, hunk, line of the patch.
    pub source: (usize, usize, usize),
}

/// What a row shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row<'a> {
    /// Nothing.
    Blank,
    /// A file begins.
    File {
        /// The file.
        file: usize,
    },
    /// Something to know about a file. Untrusted text.
    Fact(String),
    /// Something to know about the patch. Untrusted text.
    Warning(String),
    /// So many rows of a file are folded.
    Fold {
        /// Lines that are hidden.
        lines: usize,
        /// What they are.
        what: &'static str,
    },
    /// A hunk begins. Untrusted text.
    Hunk(String),
    /// A line over the whole width.
    Code(Code<'a>),
    /// The old and the new side of a row; none where the other side has lines of its own.
    Split(Option<Code<'a>>, Option<Code<'a>>),
    /// The line before has no newline at its end; on which sides.
    NoNewline {
        /// On the old side.
        old: bool,
        /// On the new side.
        new: bool,
    },
    /// Text as it is recorded. Untrusted.
    Raw(&'a str),
}

impl Document {
    /// A row; nothing behind the last one.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<Row<'_>> {
        Some(match *self.entries.get(row)? {
            Entry::Blank => Row::Blank,
            Entry::Note(note) => Row::Warning(
                self.patch
                    .notes
                    .get(note as usize)
                    .cloned()
                    .unwrap_or_default(),
            ),
            Entry::File(file) => Row::File {
                file: file as usize,
            },
            Entry::FileNote { file, note } => {
                let mut notes = self.patch.file_notes(file as usize).into_iter();
                Row::Fact(notes.nth(note as usize).unwrap_or_default())
            }
            Entry::Folded(file) => {
                let hunks = self.patch.files.get(file as usize).map(|file| &file.hunks);
                let hunks = hunks.map_or(&[][..], Vec::as_slice);
                Row::Fold {
                    lines: hunks.iter().map(|hunk| hunk.lines.len()).sum(),
                    what: "lines folded",
                }
            }
            Entry::Hunk(hunk) => Row::Hunk(self.hunk_title(hunk)),
            Entry::Raw(raw) => Row::Raw(self.raw(raw).unwrap_or("")),
            Entry::Line { hunk, line } => {
                let found = self.hunk_line(hunk, line)?;
                match found.kind {
                    LineKind::NoNewline => {
                        let side = self.side_without_newline(hunk, line);
                        Row::NoNewline {
                            old: side != Some(Side::New),
                            new: side != Some(Side::Old),
                        }
                    }
                    _ => Row::Code(self.code(hunk, line, found)),
                }
            }
            Entry::Pair { hunk, old, new } => {
                let of = |line: u32| {
                    let found = self.hunk_line(hunk, line);
                    found.filter(|_| line != NONE)
                };
                let (left, right) = (of(old), of(new));
                let ends = |line: Option<&HunkLine>| {
                    line.is_some_and(|line| line.kind == LineKind::NoNewline)
                };
                if ends(left) || ends(right) {
                    return Some(Row::NoNewline {
                        old: ends(left),
                        new: ends(right),
                    });
                }
                Row::Split(
                    left.map(|line| self.code(hunk, old, line)),
                    right.map(|line| self.code(hunk, new, line)),
                )
            }
        })
    }

    /// The side that a "no newline" mark is about; `None` for both.
    fn side_without_newline(&self, hunk: u32, line: u32) -> Option<Side> {
        match self.hunk_line(hunk, line.checked_sub(1)?)?.kind {
            LineKind::Removed => Some(Side::Old),
            LineKind::Added => Some(Side::New),
            LineKind::Context | LineKind::NoNewline => None,
        }
    }

    fn code<'a>(&'a self, hunk: u32, line: u32, found: &HunkLine) -> Code<'a> {
        let change = match found.kind {
            LineKind::Added => Change::Added,
            LineKind::Removed => Change::Removed,
            LineKind::Context | LineKind::NoNewline => Change::Context,
        };
        let words = match change {
            Change::Context => Vec::new(),
            Change::Added | Change::Removed => self.changed_words(hunk, line),
        };
        let (file, hunk) = self.hunks.get(hunk as usize).copied().unwrap_or_default();
        Code {
            change,
            old_no: found.old_no,
            new_no: found.new_no,
            text: self.patch.line_text(found),
            words,
            source: (file, hunk, line as usize),
        }
    }

    fn hunk_title(&self, place: u32) -> String {
        let found = self.hunks.get(place as usize).and_then(|&(file, hunk)| {
            let file = self.patch.files.get(file)?;
            file.hunks.get(hunk)
        });
        let Some(hunk) = found else {
            return String::new();
        };
        let section = self.section(place).unwrap_or("").trim();
        format!("{} {section}", hunk.header())
    }
}
