//! What a column of a diff shows, row by row, whichever view it is: the one thing that drawing,
//! scrolling, jumps, search and copying know of.
//!
//! A document is built once per patch and view; a row is made up only when it is looked at, so that a
//! frame costs what its window holds. What is *not* here: cells and colours
//! (`crate::tui::widgets::diff_lines`), and where a column is scrolled to.

mod build;
mod place;
mod row;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::diff::{HunkLine, Patch, emphasis};
use crate::tui::text;

pub use build::Shape;
pub use place::{Anchor, Line, Side};
pub use row::{Change, Code, Row};

/// A patch as rows.
#[derive(Debug)]
pub struct Document {
    patch: Arc<Patch>,
    shape: Shape,
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
    /// Which removed and added lines belong together, per entry of `hunks`, found when first shown.
    pairs: Vec<OnceLock<Vec<Option<usize>>>>,
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

impl Document {
    /// The patch.
    #[must_use]
    pub fn patch(&self) -> &Arc<Patch> {
        &self.patch
    }

    /// How it is laid out.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The row at which each file begins.
    #[must_use]
    pub fn file_starts(&self) -> &[usize] {
        &self.file_starts
    }

    /// The header row of each hunk.
    #[must_use]
    pub fn hunk_starts(&self) -> &[usize] {
        &self.hunk_starts
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

    /// The files that have a row in a range.
    #[must_use]
    pub fn files_between(&self, first: usize, end: usize) -> Range<usize> {
        match (
            self.file_at(first),
            self.file_at(end.saturating_sub(1).max(first)),
        ) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        }
    }

    /// Path of a file, as shown. Untrusted text.
    #[must_use]
    pub fn file_path(&self, file: usize) -> &str {
        self.patch.files.get(file).map_or("", |file| file.path())
    }

    /// Status letter and path of a file (both paths of a rename). Untrusted text.
    #[must_use]
    pub fn file_title(&self, file: usize) -> String {
        self.patch.files.get(file).map_or_else(String::new, |file| {
            format!("{} {}", file.status.letter(), file.display_path())
        })
    }

    /// Lines added and removed in a file, as shown.
    #[must_use]
    pub fn file_counts(&self, file: usize) -> String {
        self.patch.files.get(file).map_or_else(String::new, |file| {
            format!("+{} −{}", file.added, file.removed)
        })
    }

    /// Columns of a line number in a text area of this width; narrow ones cut large numbers.
    #[must_use]
    pub fn digits(&self, width: u16) -> usize {
        let numbers = match self.shape {
            Shape::Split => 1,
            Shape::Unified => 2,
        };
        self.digits
            .min(usize::from(width.saturating_sub(12)) / numbers)
            .max(1)
    }

    /// Columns left of a line's text: its numbers, a mark, the sign, a gap. The same for every row.
    /// `width` is that of the lines: half a column when old and new stand side by side.
    #[must_use]
    pub fn gutter(&self, width: u16) -> usize {
        match self.shape {
            Shape::Split => self.digits(width) + 3,
            Shape::Unified => 2 * self.digits(width) + 4,
        }
    }

    /// Columns of the lines of a column of this width: without scroll bar, and of the narrower half
    /// when old and new stand side by side.
    #[must_use]
    pub fn line_width(&self, column: u16) -> u16 {
        let whole = column.saturating_sub(1);
        match self.shape {
            Shape::Split => whole.saturating_sub(1) / 2,
            Shape::Unified => whole,
        }
    }

    /// Columns for a line's text in a column of this width.
    #[must_use]
    pub fn text_width(&self, column: u16) -> usize {
        let width = self.line_width(column);
        usize::from(width).saturating_sub(self.gutter(width)).max(1)
    }

    /// Display lines of a row when its texts have `width` columns.
    #[must_use]
    pub fn height(&self, row: usize, width: usize, wrap: bool) -> usize {
        if !wrap {
            return 1;
        }
        let texts = self.texts(row).into_iter().flatten();
        texts
            .map(|text| wrapped_height(text, width))
            .max()
            .unwrap_or(1)
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

    /// The line that a line is paired with.
    fn partner(&self, hunk: u32, line: u32) -> Option<u32> {
        let place = hunk as usize;
        let &(file, hunk) = self.hunks.get(place)?;
        let pairs = self.pairs.get(place)?;
        let pairs = pairs.get_or_init(|| self.patch.pairs(file, hunk));
        let partner = pairs.get(line as usize).copied().flatten()?;
        u32::try_from(partner).ok()
    }

    /// The changed words of a line that is paired with another one; empty for the others.
    fn changed_words(&self, hunk: u32, line: u32) -> Vec<Range<usize>> {
        let partner = self.partner(hunk, line);
        let lines = partner.and_then(|partner| {
            let this = self.hunk_line(hunk, line)?;
            Some((this, self.hunk_line(hunk, partner)?))
        });
        let Some((this, other)) = lines else {
            return Vec::new();
        };
        let (text, other_text) = (self.patch.line_text(this), self.patch.line_text(other));
        if this.new_no.is_none() {
            emphasis(text, other_text).0
        } else {
            emphasis(other_text, text).1
        }
    }

    /// What stands behind the second `@@` of a hunk.
    fn section(&self, hunk: u32) -> Option<&str> {
        let &(file, hunk) = self.hunks.get(hunk as usize)?;
        let hunk = self.patch.files.get(file)?.hunks.get(hunk)?;
        self.patch.text.get(hunk.section.clone())
    }
}

fn wrapped_height(text: &str, width: usize) -> usize {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        text.len().div_ceil(width).max(1)
    } else {
        text::wrap(text, width).len()
    }
}

#[cfg(test)]
mod tests;
