//! One patch on its own: its files, hunks and lines in the order of its text.

mod build;
mod place;
mod row;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::pairs::Pairs;
use super::{Anchor, Change, Code, Line, Mark, Row, Shape, Side};
use crate::diff::{HunkLine, LineKind, Patch};

pub(super) use build::digits;

/// The rows of one patch.
#[derive(Debug)]
pub struct Own {
    patch: Arc<Patch>,
    shape: Shape,
    folded: BTreeSet<usize>,
    entries: Vec<Entry>,
    /// Lines of text that is no hunk.
    raws: Vec<Range<usize>>,
    /// Row that shows the beginning of each file.
    file_starts: Vec<usize>,
    /// Row from which on each file is the current one.
    file_from: Vec<usize>,
    /// (file, hunk) of every hunk that is shown.
    hunks: Vec<(usize, usize)>,
    /// Header row of every entry of `hunks`.
    hunk_starts: Vec<usize>,
    /// First changed row of every entry of `hunks`.
    change_starts: Vec<usize>,
    pairs: Pairs,
    digits: usize,
}

/// No line on this side of a row.
const NONE: u32 = u32::MAX;

/// What a row shows, in as few bytes as can be: a patch may have hundreds of thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Blank,
    /// A note on the patch.
    Note(u32),
    File(u32),
    FileNote {
        file: u32,
        note: u32,
    },
    /// What is folded of a file.
    Folded(u32),
    /// The header of a hunk, by its place in `Document::hunks`.
    Hunk(u32),
    /// A line of a hunk.
    Line {
        hunk: u32,
        line: u32,
    },
    /// An old and a new line of a hunk in one row; [`NONE`] where there is none.
    Pair {
        hunk: u32,
        old: u32,
        new: u32,
    },
    /// A line of `Document::raws`.
    Raw(u32),
}

impl Own {
    /// How it is laid out.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The files of which only the header is shown.
    #[must_use]
    pub fn folded(&self) -> &BTreeSet<usize> {
        &self.folded
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The row at which each file begins.
    #[must_use]
    pub fn file_starts(&self) -> &[usize] {
        &self.file_starts
    }

    /// The first changed row of each hunk.
    #[must_use]
    pub fn change_starts(&self) -> &[usize] {
        &self.change_starts
    }

    /// The file (of the patch) that a row belongs to.
    #[must_use]
    pub fn file_at(&self, row: usize) -> Option<usize> {
        self.file_from
            .partition_point(|&from| from <= row)
            .checked_sub(1)
    }

    /// The place of a file in the patch.
    #[must_use]
    pub fn patch_file(&self, file: usize) -> Option<usize> {
        (file < self.patch.files.len()).then_some(file)
    }

    /// Where a file of the patch is among those shown.
    #[must_use]
    pub fn shown_file(&self, file: usize) -> Option<usize> {
        self.patch_file(file)
    }

    /// Whether a row shows a removed or an added line.
    #[must_use]
    pub fn is_change(&self, row: usize) -> bool {
        let changed = |hunk, line| {
            let line = self.hunk_line(hunk, line);
            line.is_some_and(|line| matches!(line.kind, LineKind::Added | LineKind::Removed))
        };
        match self.entries.get(row) {
            Some(&Entry::Line { hunk, line }) => changed(hunk, line),
            Some(&Entry::Pair { hunk, old, new }) => changed(hunk, old) || changed(hunk, new),
            _ => false,
        }
    }

    /// Path of a file, as shown. Untrusted text.
    #[must_use]
    pub fn file_path(&self, file: usize) -> &str {
        self.patch.files.get(file).map_or("", |file| file.path())
    }

    /// Digits of the largest line number.
    #[must_use]
    pub fn digits(&self) -> usize {
        self.digits
    }

    /// The texts of a row that come from the patch itself: one, or the old and the new side's. None
    /// for headers and notes. Untrusted.
    #[must_use]
    pub fn texts(&self, row: usize) -> [Option<&str>; 2] {
        let of = |hunk, line| {
            let line = self.hunk_line(hunk, line)?;
            Some(self.patch.line_text(line))
        };
        match self.entries.get(row) {
            Some(&Entry::Line { hunk, line }) => [of(hunk, line), None],
            Some(&Entry::Pair { hunk, old, new }) => [of(hunk, old), of(hunk, new)],
            Some(&Entry::Raw(raw)) => [self.raw(raw), None],
            _ => [None, None],
        }
    }

    fn raw(&self, raw: u32) -> Option<&str> {
        let range = self.raws.get(raw as usize)?;
        self.patch.text.get(range.clone())
    }

    /// A line by its hunk's place in `hunks` and its own in the hunk.
    fn hunk_line(&self, hunk: u32, line: u32) -> Option<&HunkLine> {
        let &(file, hunk) = self.hunks.get(hunk as usize)?;
        let hunk = self.patch.files.get(file)?.hunks.get(hunk)?;
        hunk.lines.get(line as usize)
    }

    /// The changed words of a line that is paired with another one; empty for the others.
    fn changed_words(&self, hunk: u32, line: u32) -> Vec<Range<usize>> {
        let found = self.hunks.get(hunk as usize);
        found.map_or_else(Vec::new, |&(file, hunk)| {
            self.pairs.changed_words((file, hunk, line as usize))
        })
    }

    /// What stands behind the second `@@` of a hunk.
    fn section(&self, hunk: u32) -> Option<&str> {
        let &(file, hunk) = self.hunks.get(hunk as usize)?;
        let hunk = self.patch.files.get(file)?.hunks.get(hunk)?;
        self.patch.text.get(hunk.section.clone())
    }
}

#[cfg(test)]
mod tests;
