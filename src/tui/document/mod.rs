//! What a column of a diff shows, row by row, whichever view it is: the one thing that drawing,
//! scrolling, jumps, search and copying know of.
//!
//! A document is built once per patch and view; a row is made up only when it is looked at, so that a
//! frame costs what its window holds. What is *not* here: cells and colours
//! (`crate::tui::widgets::diff_lines`), and where a column is scrolled to.

mod aligned;
mod own;
mod pairs;
mod place;
mod revealed;
mod row;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diff::Patch;
use crate::tui::text;

pub use aligned::Grid;
pub use own::View;
pub use place::{Anchor, Line, Side, find_line};
pub use revealed::Revealed;
pub use row::{Change, Code, Mark, Row};

/// How a patch is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Shape {
    /// Removed lines above added ones, over the whole width.
    #[default]
    Unified,
    /// The old side on the left, the new one on the right.
    Split,
    /// Rows of the base, shared by all columns.
    Aligned,
}

/// What a column shows.
#[derive(Debug)]
pub struct Document {
    patch: Arc<Patch>,
    rows: Rows,
    /// Columns of signs before a line.
    signs: usize,
}

#[derive(Debug)]
enum Rows {
    Own(Box<own::Own>),
    Aligned(aligned::Column),
}

/// Calls the same method of whichever rows there are.
macro_rules! rows {
    ($self:ident, $rows:ident => $call:expr) => {
        match &$self.rows {
            Rows::Own($rows) => $call,
            Rows::Aligned($rows) => $call,
        }
    };
}

impl Document {
    /// A patch on its own, old beside new or one below the other; `folded` are files of which only
    /// the header is shown.
    #[must_use]
    pub fn own(patch: Arc<Patch>, split: bool, folded: &BTreeSet<usize>) -> Self {
        let view = View {
            split,
            folded,
            ..View::default()
        };
        Self::own_in(patch, view)
    }

    /// A patch on its own.
    #[must_use]
    pub fn own_in(patch: Arc<Patch>, view: View<'_>) -> Self {
        let rows = own::Own::of(Arc::clone(&patch), view);
        Self {
            signs: sign_columns(&patch),
            patch,
            rows: Rows::Own(Box::new(rows)),
        }
    }

    /// One candidate of several that are shown on the rows of their base. `candidate` is its index
    /// there.
    #[must_use]
    pub fn aligned(grid: Arc<Grid>, candidate: usize) -> Self {
        let column = aligned::Column::of(grid, candidate);
        Self {
            patch: column.patch(),
            rows: Rows::Aligned(column),
            // A combined diff has no lines on a single base.
            signs: 1,
        }
    }

    /// The patch.
    #[must_use]
    pub fn patch(&self) -> &Arc<Patch> {
        &self.patch
    }

    /// How it is laid out.
    #[must_use]
    pub fn shape(&self) -> Shape {
        match &self.rows {
            Rows::Own(own) => own.shape(),
            Rows::Aligned(_) => Shape::Aligned,
        }
    }

    /// The rows that it shares with the columns beside it.
    #[must_use]
    pub fn grid(&self) -> Option<&Arc<Grid>> {
        match &self.rows {
            Rows::Own(_) => None,
            Rows::Aligned(column) => Some(column.grid()),
        }
    }

    /// Whether this is a patch on its own, laid out so.
    #[must_use]
    pub fn is_own_in(&self, view: View<'_>) -> bool {
        match &self.rows {
            Rows::Own(own) => own.is_in(view),
            Rows::Aligned(_) => false,
        }
    }

    /// Changes of white space only that are not shown as changes; 0 while they are shown.
    #[must_use]
    pub fn hidden(&self) -> usize {
        rows!(self, rows => rows.hidden())
    }

    /// The file (as shown) and the base lines, first and last, that a row folds.
    #[must_use]
    pub fn fold_at(&self, row: usize) -> Option<(usize, (u32, u32))> {
        match &self.rows {
            Rows::Own(own) => own.fold_at(row),
            Rows::Aligned(column) => column.grid().fold_at(row),
        }
    }

    /// Whether the base of a file is known, so that there are lines between hunks to unfold.
    #[must_use]
    pub fn has_base(&self) -> bool {
        match &self.rows {
            Rows::Own(own) => own.has_base(),
            Rows::Aligned(_) => true,
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        rows!(self, rows => rows.len())
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A row; nothing behind the last one.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<Row<'_>> {
        rows!(self, rows => rows.row(row))
    }

    /// The row at which each file begins. Files are counted as they are shown: those of the patch, or
    /// those of all columns.
    #[must_use]
    pub fn file_starts(&self) -> &[usize] {
        rows!(self, rows => rows.file_starts())
    }

    /// The first row of each change.
    #[must_use]
    pub fn change_starts(&self) -> &[usize] {
        rows!(self, rows => rows.change_starts())
    }

    /// The file that a row belongs to.
    #[must_use]
    pub fn file_at(&self, row: usize) -> Option<usize> {
        rows!(self, rows => rows.file_at(row))
    }

    /// The files of the patch that have a row in a range.
    #[must_use]
    pub fn files_between(&self, first: usize, end: usize) -> Vec<usize> {
        let last = end.saturating_sub(1).max(first);
        match (self.file_at(first), self.file_at(last)) {
            (Some(first), Some(last)) => (first..=last)
                .filter_map(|file| self.patch_file(file))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The place of a file in the patch; `None` when the patch does not touch it.
    #[must_use]
    pub fn patch_file(&self, file: usize) -> Option<usize> {
        rows!(self, rows => rows.patch_file(file))
    }

    /// Where a file of the patch is among those shown.
    #[must_use]
    pub fn shown_file(&self, file: usize) -> Option<usize> {
        rows!(self, rows => rows.shown_file(file))
    }

    /// Path of a file, as shown. Untrusted text.
    #[must_use]
    pub fn file_path(&self, file: usize) -> &str {
        rows!(self, rows => rows.file_path(file))
    }

    /// Path of a file in the base, as anchors name it; the new one where the base has none.
    #[must_use]
    pub fn anchor_path(&self, file: usize) -> Option<&str> {
        match &self.rows {
            Rows::Own(_) => {
                let file = self.patch.files.get(file)?;
                file.old_path.as_deref().or(file.new_path.as_deref())
            }
            Rows::Aligned(column) => Some(column.file_path(file)),
        }
    }

    /// Status letter and path of a file (both paths of a rename). Untrusted text.
    #[must_use]
    pub fn file_title(&self, file: usize) -> String {
        let title = match self
            .patch_file(file)
            .and_then(|file| self.patch.files.get(file))
        {
            Some(file) => format!("{} {}", file.status.letter(), file.display_path()),
            None => format!("· {}", self.file_path(file)),
        };
        text::visible_tabs(&title).into_owned()
    }

    /// Lines added and removed in a file, as shown.
    #[must_use]
    pub fn file_counts(&self, file: usize) -> String {
        match self
            .patch_file(file)
            .and_then(|file| self.patch.files.get(file))
        {
            Some(file) => format!("+{} −{}", file.added, file.removed),
            None => "not touched".to_owned(),
        }
    }

    /// Whether a row shows a removed or an added line.
    #[must_use]
    pub fn is_change(&self, row: usize) -> bool {
        rows!(self, rows => rows.is_change(row))
    }

    /// The texts of a row: one, or the old and the new side's. None for headers and notes. Untrusted.
    #[must_use]
    pub fn texts(&self, row: usize) -> [Option<&str>; 2] {
        rows!(self, rows => rows.texts(row))
    }

    /// The line of the patch that a row shows; none for headers, notes, folds, and lines of the base
    /// that the patch does not quote.
    #[must_use]
    pub fn line(&self, row: usize) -> Option<Line<'_>> {
        rows!(self, rows => rows.line(row))
    }

    /// The lines of the patch that a row shows, as file, hunk and line: one, or the old and the new
    /// side's.
    #[must_use]
    pub fn sources(&self, row: usize) -> [Option<(usize, usize, usize)>; 2] {
        rows!(self, rows => rows.sources(row))
    }

    /// The line of the base (the file as shown, 1-based line) that a row shows though the patch does
    /// not quote it.
    #[must_use]
    pub fn base_line(&self, row: usize) -> Option<(usize, u32)> {
        rows!(self, rows => rows.base_line(row))
    }

    /// The hunk of the patch that a row belongs to: its file, its place in the file.
    #[must_use]
    pub fn hunk_at(&self, row: usize) -> Option<(usize, usize)> {
        rows!(self, rows => rows.hunk_at(row))
    }

    /// The row that shows a line (file, hunk, line) of the patch, when it is shown.
    #[must_use]
    pub fn row_of(&self, file: usize, hunk: usize, line: usize) -> Option<usize> {
        rows!(self, rows => rows.row_of(file, hunk, line))
    }

    /// The row of a line (0-based) of a file's text that is no hunk.
    #[must_use]
    pub fn row_of_raw(&self, file: usize, line: usize) -> Option<usize> {
        match &self.rows {
            Rows::Own(own) => own.row_of_raw(file, line),
            Rows::Aligned(_) => None,
        }
    }

    /// The 0-based line of the file's text that is no hunk which a row shows.
    #[must_use]
    pub fn raw_at(&self, row: usize) -> Option<usize> {
        match &self.rows {
            Rows::Own(own) => own.raw_at(row),
            Rows::Aligned(_) => None,
        }
    }

    /// The row that begins a hunk of the patch: its header, or its first line where there is none.
    #[must_use]
    pub fn row_of_hunk(&self, file: usize, hunk: usize) -> Option<usize> {
        let line = self.row_of(file, hunk, 0)?;
        let before = line.checked_sub(1);
        let header = before.filter(|&row| self.hunk_at(row) == Some((file, hunk)));
        Some(header.unwrap_or(line))
    }

    /// The row of the first of the lines numbered `numbers` (inclusive) on one side of a file that the
    /// patch quotes.
    #[must_use]
    pub fn row_of_number(&self, path: &str, side: Side, numbers: (u32, u32)) -> Option<usize> {
        let (file, hunk, line) = place::find_line(&self.patch, path, side, numbers)?;
        self.row_of(file, hunk, line)
    }

    /// The place of the base that a row shows.
    #[must_use]
    pub fn anchor(&self, row: usize) -> Option<Anchor<'_>> {
        rows!(self, rows => rows.anchor(row))
    }

    /// The row that shows a place of the base, or what comes next after it in that file; `None`
    /// when the file is not there.
    #[must_use]
    pub fn find_anchor(&self, anchor: Anchor<'_>) -> Option<usize> {
        rows!(self, rows => rows.find_anchor(anchor))
    }

    /// Columns of a line number in lines of this width; narrow ones cut large numbers.
    #[must_use]
    pub fn digits(&self, width: u16) -> usize {
        let numbers = match self.shape() {
            Shape::Split => 1,
            Shape::Unified | Shape::Aligned => 2,
        };
        let digits = rows!(self, rows => rows.digits());
        digits
            .min(usize::from(width.saturating_sub(12)) / numbers)
            .max(1)
    }

    /// Columns left of a line's text: its numbers, a mark, the sign, a gap. The same for every row.
    /// `width` is that of the lines: half a column when old and new stand side by side.
    #[must_use]
    pub fn gutter(&self, width: u16) -> usize {
        match self.shape() {
            Shape::Split => self.digits(width) + 2 + self.signs,
            Shape::Unified | Shape::Aligned => 2 * self.digits(width) + 3 + self.signs,
        }
    }

    /// Columns of signs before a line: one, or in a combined diff one per parent.
    #[must_use]
    pub fn signs(&self) -> usize {
        self.signs
    }

    /// Columns of the lines of a column of this width: without scroll bar, and of the narrower half
    /// when old and new stand side by side.
    #[must_use]
    pub fn line_width(&self, column: u16) -> u16 {
        let whole = column.saturating_sub(1);
        match self.shape() {
            Shape::Split => whole.saturating_sub(1) / 2,
            Shape::Unified | Shape::Aligned => whole,
        }
    }

    /// Columns for a line's text in a column of this width.
    #[must_use]
    pub fn text_width(&self, column: u16) -> usize {
        let width = self.line_width(column);
        usize::from(width).saturating_sub(self.gutter(width)).max(1)
    }

    /// Display lines of a row when its texts have `width` columns; of shared rows the most that a
    /// column needs.
    #[must_use]
    pub fn height(&self, row: usize, width: usize, wrap: bool) -> usize {
        if !wrap {
            return 1;
        }
        let highest = |texts: &mut dyn Iterator<Item = &str>| {
            let heights = texts.map(|text| wrapped_height(text, width));
            heights.max().unwrap_or(1)
        };
        match &self.rows {
            Rows::Own(own) => highest(&mut own.texts(row).into_iter().flatten()),
            Rows::Aligned(column) => highest(&mut column.grid().texts(row)),
        }
    }
}

/// The most parents of a hunk of a patch.
fn sign_columns(patch: &Patch) -> usize {
    let hunks = patch.files.iter().flat_map(|file| &file.hunks);
    let parents = hunks.filter_map(|hunk| Some(hunk.combined.as_deref()?.parents.len()));
    parents.max().unwrap_or(1).max(1)
}

fn wrapped_height(text: &str, width: usize) -> usize {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        text.len().div_ceil(width).max(1)
    } else {
        text::wrap(text, width).len()
    }
}
