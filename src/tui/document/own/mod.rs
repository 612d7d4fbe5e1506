//! One patch on its own: its files, hunks and lines in the order of its text.

mod build;
mod place;
mod row;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::pairs::Pairs;
use super::{Anchor, Change, Code, Line, Mark, Revealed, Row, Shape, Side};
use crate::diff::{BaseText, Bases, HunkLine, LineKind, Patch};

pub(super) use build::digits;

/// How one patch is laid out.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Whether old and new stand side by side.
    pub split: bool,
    /// Whether changes of white space only are not shown as changes.
    pub quiet: bool,
    /// Files of which only the header is shown.
    pub folded: &'a BTreeSet<usize>,
    /// Lines of the base that are shown though no hunk quotes them.
    pub revealed: &'a Revealed,
    /// The known texts of the base.
    pub bases: Option<&'a Bases>,
}

impl Default for View<'_> {
    fn default() -> Self {
        static NOTHING: Revealed = Revealed::NONE;
        static NO_FILE: BTreeSet<usize> = BTreeSet::new();
        Self {
            split: false,
            quiet: false,
            folded: &NO_FILE,
            revealed: &NOTHING,
            bases: None,
        }
    }
}

/// The rows of one patch.
#[derive(Debug)]
pub struct Own {
    patch: Arc<Patch>,
    shape: Shape,
    quiet: bool,
    folded: BTreeSet<usize>,
    revealed: Revealed,
    /// Number of base texts that were known.
    bases_known: usize,
    /// The base texts of files whose hunks all stand where they say.
    bases: Vec<Option<Arc<BaseText>>>,
    /// Changes of white space only that are not shown as changes.
    hidden: usize,
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
    /// Hunks that change nothing but white space: the first of them, and how many changes.
    Hidden {
        hunk: u32,
        changes: u32,
    },
    /// A line of the base that no hunk quotes.
    Base {
        file: u32,
        line: u32,
    },
    /// Lines of the base that no hunk quotes, from the first to the last.
    Gap {
        file: u32,
        from: u32,
        to: u32,
    },
}

impl Own {
    /// How it is laid out.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether it is laid out so.
    #[must_use]
    pub fn is_in(&self, view: View<'_>) -> bool {
        (self.shape == Shape::Split) == view.split
            && self.quiet == view.quiet
            && self.folded == *view.folded
            && self.revealed == *view.revealed
            && self.bases_known == view.bases.map_or(0, Bases::len)
    }

    /// Changes of white space only that are not shown as changes.
    #[must_use]
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Whether the base of a file is known.
    #[must_use]
    pub fn has_base(&self) -> bool {
        self.bases.iter().any(Option::is_some)
    }

    /// The file and the base lines, first and last, that a row folds.
    #[must_use]
    pub fn fold_at(&self, row: usize) -> Option<(usize, (u32, u32))> {
        match *self.entries.get(row)? {
            Entry::Gap { file, from, to } => Some((file as usize, (from, to))),
            _ => None,
        }
    }

    fn base_text(&self, file: u32, line: u32) -> Option<&str> {
        self.bases.get(file as usize)?.as_ref()?.line(line)
    }

    /// Whether a line of a hunk changed, but is not shown so: only in white space.
    fn is_quiet(&self, hunk: u32, line: u32) -> bool {
        self.quiet
            && self
                .hunks
                .get(hunk as usize)
                .is_some_and(|&(file, hunk)| self.pairs.is_blank((file, hunk, line as usize)))
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
            let found = self.hunk_line(hunk, line);
            let changed =
                found.is_some_and(|line| matches!(line.kind, LineKind::Added | LineKind::Removed));
            changed && !self.is_quiet(hunk, line)
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
            Some(&Entry::Pair { hunk, new, .. }) if self.shape == Shape::Unified => {
                [of(hunk, new), None]
            }
            Some(&Entry::Pair { hunk, old, new }) => [of(hunk, old), of(hunk, new)],
            Some(&Entry::Raw(raw)) => [self.raw(raw), None],
            Some(&Entry::Base { file, line }) => [self.base_text(file, line), None],
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
