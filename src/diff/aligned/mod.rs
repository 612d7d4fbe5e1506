//! The patches of a group side by side on the base they share: rows keyed by base line, one cell per
//! candidate.
//!
//! What is *not* here: the counts over passing candidates, folds and anything drawn.

mod build;
mod insertions;
mod jumps;
mod regions;

use std::sync::Arc;

use super::base::{Anchor, BaseText, Bases, Contradiction};
use super::{LineKind, Patch};

pub use regions::{Region, Touch};

/// One candidate of the group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidatePatch {
    /// Its patch; one that is missing, empty or no diff touches no file.
    pub patch: Arc<Patch>,
    /// Whether its tests pass.
    pub passing: bool,
}

/// All patches of a group on their base. Candidates are named by their index in the list that
/// [`Aligned::of`] got (0-based, the group's trajectories).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aligned {
    /// The union of the candidates' files, in the order in which the candidates name them first.
    pub files: Vec<AlignedFile>,
    candidates: Vec<CandidatePatch>,
}

/// One file of the base (or one new file) with what every candidate does to it.
///
/// A path that a patch names twice is there twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlignedFile {
    /// The path in the base; for a file that is new in every candidate, or the target of a copy, its
    /// new path.
    pub path: String,
    /// The path in the base; `None` when the file is new in every candidate.
    pub base_path: Option<String>,
    /// Whether this is the target of a copy: not there in the base, where [`Self::base_path`] is its
    /// source.
    pub is_copy: bool,
    /// Its place in each candidate's patch, with counts; `None` where it does not touch the file.
    /// One row of the file matrix.
    pub candidates: Vec<Option<FileOf>>,
    /// The whole base text, when known.
    pub base: Option<Arc<BaseText>>,
    /// Base lines that are given in two ways, in order.
    pub contradictions: Vec<Contradiction>,
    /// The places that some candidate changes, in order.
    pub regions: Vec<Region>,
    rows: Vec<AlignedRow>,
    /// `columns.len()` cells per row.
    cells: Vec<Packed>,
    columns: Vec<Column>,
}

/// A file of one candidate's patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOf {
    /// Its index in the patch's files.
    pub file: usize,
    /// Added lines.
    pub added: u32,
    /// Removed lines.
    pub removed: u32,
    /// Where each of its hunks stands.
    pub anchors: Vec<Anchor>,
    /// Whether the patch changes the content in a way that has no lines (binary, combined diff): see
    /// [`Patch::file_notes`].
    pub opaque: bool,
    column: usize,
}

/// A row of a file. Base lines are 1-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlignedRow {
    /// A line of the base that some candidate quotes.
    Line {
        /// The line.
        base: u32,
    },
    /// A line that some candidate inserts behind a base line.
    Inserted {
        /// The base line before it; 0 at the top.
        after: u32,
    },
    /// Base lines that no candidate quotes.
    Gap {
        /// The first one.
        from: u32,
        /// The last one; `None` when the end of the file is not known.
        to: Option<u32>,
        /// Whether the lines can be shown, see [`AlignedFile::base_text`].
        known: bool,
    },
}

/// What one candidate does in a row. Hunks and lines are 0-based within the candidate's file, see
/// [`Aligned::line`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// The base line is there and the patch is silent about it: [`Aligned::base_of_row`] has the text.
    Untouched,
    /// The patch quotes the base line as context.
    Context {
        /// The hunk.
        hunk: u32,
        /// The line in the hunk.
        line: u32,
    },
    /// The patch removes the base line.
    Removed {
        /// The hunk.
        hunk: u32,
        /// The line in the hunk.
        line: u32,
    },
    /// The patch adds a line.
    Added {
        /// The hunk.
        hunk: u32,
        /// The line in the hunk.
        line: u32,
    },
    /// Others inserted here.
    Filler,
    /// The candidate does not touch the file.
    Absent,
    /// The candidate changes the file in a way that has no lines, see [`FileOf::opaque`].
    Opaque,
}

impl Cell {
    /// Whether the candidate changes something here.
    #[must_use]
    pub fn is_change(self) -> bool {
        matches!(self, Self::Added { .. } | Self::Removed { .. })
    }
}

/// A cell without hunk numbers: kind in the upper bits, index of the line over all hunks below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Packed(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum PackedKind {
    Untouched = 0,
    Context = 1,
    Removed = 2,
    Added = 3,
    Filler = 4,
}

impl Packed {
    const SHIFT: u32 = 29;
    const UNTOUCHED: Self = Self::new(PackedKind::Untouched, 0);
    const FILLER: Self = Self::new(PackedKind::Filler, 0);

    /// `line` beyond 2^29 wraps: no patch has so many lines, its text would be over 500 MB.
    const fn new(kind: PackedKind, line: u32) -> Self {
        Self(((kind as u32) << Self::SHIFT) | (line & ((1 << Self::SHIFT) - 1)))
    }

    const fn line(self) -> u32 {
        self.0 & ((1 << Self::SHIFT) - 1)
    }

    const fn kind(self) -> PackedKind {
        match self.0 >> Self::SHIFT {
            1 => PackedKind::Context,
            2 => PackedKind::Removed,
            3 => PackedKind::Added,
            4 => PackedKind::Filler,
            _ => PackedKind::Untouched,
        }
    }

    const fn is_change(self) -> bool {
        matches!(self.kind(), PackedKind::Added | PackedKind::Removed)
    }
}

/// A candidate that touches the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    candidate: usize,
    file: usize,
    /// Index of the first line of each hunk over all hunks of the file.
    hunk_starts: Vec<u32>,
    /// Base line from which on lines are shifted, and by how much, ascending.
    shifts: Vec<(u32, i64)>,
    opaque: bool,
}

impl Column {
    fn place(&self, line: u32) -> (u32, u32) {
        let after = self.hunk_starts.partition_point(|start| *start <= line);
        let hunk = after.saturating_sub(1);
        let start = self.hunk_starts.get(hunk).copied().unwrap_or(0);
        (u32::try_from(hunk).unwrap_or(u32::MAX), line - start)
    }
}

/// A line's text and whether the file ends behind it without a newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineText<'a> {
    /// Without newline.
    pub text: &'a str,
    /// "No newline at end of file".
    pub no_newline: bool,
}

impl AlignedFile {
    /// Number of rows. A file without hunks has none.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows: no candidate has lines for this file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A row (0-based).
    #[must_use]
    pub fn row(&self, row: usize) -> Option<AlignedRow> {
        self.rows.get(row).copied()
    }

    /// The rows in order.
    #[must_use]
    pub fn rows(&self) -> &[AlignedRow] {
        &self.rows
    }

    /// What a candidate does in a row.
    #[must_use]
    pub fn cell(&self, row: usize, candidate: usize) -> Cell {
        let Some(of) = self.file_of(candidate) else {
            return Cell::Absent;
        };
        let Some(column) = self.columns.get(of.column) else {
            return Cell::Absent;
        };
        if column.opaque {
            return Cell::Opaque;
        }
        let index = row * self.columns.len() + of.column;
        let Some(packed) = self.cells.get(index).copied() else {
            return Cell::Absent;
        };
        let (hunk, line) = column.place(packed.line());
        match packed.kind() {
            PackedKind::Untouched => Cell::Untouched,
            PackedKind::Context => Cell::Context { hunk, line },
            PackedKind::Removed => Cell::Removed { hunk, line },
            PackedKind::Added => Cell::Added { hunk, line },
            PackedKind::Filler => Cell::Filler,
        }
    }

    /// A candidate's file, when it touches it.
    #[must_use]
    pub fn file_of(&self, candidate: usize) -> Option<&FileOf> {
        self.candidates.get(candidate)?.as_ref()
    }

    /// A line of the base, when the whole text is known; for the lines of a [`AlignedRow::Gap`].
    #[must_use]
    pub fn base_text(&self, line: u32) -> Option<&str> {
        self.base.as_ref()?.line(line)
    }

    /// The line in a candidate's result that a base line becomes when the candidate does not remove
    /// it (1-based). Right for rows in which it is silent and for gaps; in its hunks the patch's own
    /// numbers count.
    #[must_use]
    pub fn new_line(&self, base: u32, candidate: usize) -> u32 {
        let column = self
            .file_of(candidate)
            .and_then(|of| self.columns.get(of.column));
        let Some(column) = column else {
            return base;
        };
        let after = column.shifts.partition_point(|(from, _)| *from <= base);
        let shift = after
            .checked_sub(1)
            .and_then(|index| column.shifts.get(index));
        let shift = shift.map_or(0, |(_, by)| *by);
        u32::try_from(i64::from(base).saturating_add(shift)).unwrap_or(0)
    }

    /// The row in which a line of a candidate's hunk stands.
    #[must_use]
    pub fn row_of(&self, candidate: usize, hunk: usize, line: usize) -> Option<usize> {
        let of = self.file_of(candidate)?;
        let column = self.columns.get(of.column)?;
        let start = *column.hunk_starts.get(hunk)?;
        let wanted = start.saturating_add(u32::try_from(line).ok()?);
        let mut cells = self
            .cells
            .iter()
            .skip(of.column)
            .step_by(self.columns.len().max(1));
        cells.position(|cell| {
            cell.line() == wanted
                && !matches!(cell.kind(), PackedKind::Untouched | PackedKind::Filler)
        })
    }

    /// The candidates that change something in a row, ascending.
    pub fn touching(&self, row: usize) -> impl Iterator<Item = usize> {
        let cells = self.cells_of(row).iter().zip(&self.columns);
        cells
            .filter(|(cell, _)| cell.is_change())
            .map(|(_, column)| column.candidate)
    }

    /// The region that a row is part of.
    #[must_use]
    pub fn region_at(&self, row: usize) -> Option<&Region> {
        let after = self
            .regions
            .partition_point(|region| region.rows.start <= row);
        let region = self.regions.get(after.checked_sub(1)?)?;
        region.rows.contains(&row).then_some(region)
    }

    fn cells_of(&self, row: usize) -> &[Packed] {
        let width = self.columns.len();
        let range = row.saturating_mul(width)..row.saturating_add(1).saturating_mul(width);
        self.cells.get(range).unwrap_or(&[])
    }
}

impl Aligned {
    /// Lays the patches side by side. A base text of `bases` decides where hunks stand; without one
    /// the union of the candidates' quotes is what is known of a file.
    #[must_use]
    pub fn of(candidates: &[CandidatePatch], bases: &Bases) -> Self {
        Self {
            files: build::files(candidates, bases),
            candidates: candidates.to_vec(),
        }
    }

    /// The candidates.
    #[must_use]
    pub fn candidates(&self) -> &[CandidatePatch] {
        &self.candidates
    }

    /// The text that a candidate's cell shows: its own line, the base's where it is silent.
    #[must_use]
    pub fn text(&self, file: usize, row: usize, candidate: usize) -> Option<LineText<'_>> {
        let of = self.files.get(file)?;
        match of.cell(row, candidate) {
            Cell::Context { hunk, line }
            | Cell::Removed { hunk, line }
            | Cell::Added { hunk, line } => self.line(file, candidate, hunk, line),
            // The target of a copy is not there where nobody makes it.
            Cell::Absent if of.is_copy => None,
            Cell::Untouched | Cell::Absent => self.base_of_row(file, row),
            Cell::Filler | Cell::Opaque => None,
        }
    }

    /// A line of a candidate's hunk.
    #[must_use]
    pub fn line(
        &self,
        file: usize,
        candidate: usize,
        hunk: u32,
        line: u32,
    ) -> Option<LineText<'_>> {
        let index = self.files.get(file)?.file_of(candidate)?.file;
        let patch = &self.candidates.get(candidate)?.patch;
        let lines = &patch.files.get(index)?.hunks.get(hunk as usize)?.lines;
        let line = line as usize;
        Some(LineText {
            text: patch.line_text(lines.get(line)?),
            no_newline: lines
                .get(line + 1)
                .is_some_and(|next| next.kind == LineKind::NoNewline),
        })
    }

    /// The base's text of a [`AlignedRow::Line`]: from the base when known, else from the first
    /// candidate that quotes it.
    #[must_use]
    pub fn base_of_row(&self, file: usize, row: usize) -> Option<LineText<'_>> {
        let of = self.files.get(file)?;
        let AlignedRow::Line { base: number } = of.row(row)? else {
            return None;
        };
        if let Some(base) = &of.base
            && let Some(text) = base.line(number)
        {
            let no_newline = number == base.lines() && !base.ends_with_newline();
            return Some(LineText { text, no_newline });
        }
        let mut quotes = of.cells_of(row).iter().zip(&of.columns);
        let (packed, column) = quotes.find(|(packed, _)| {
            matches!(packed.kind(), PackedKind::Context | PackedKind::Removed)
        })?;
        let (hunk, line) = column.place(packed.line());
        self.line(file, column.candidate, hunk, line)
    }

    /// Whether these candidates do not all leave the same behind in a row.
    #[must_use]
    pub fn differs(&self, file: usize, row: usize, among: &[usize]) -> bool {
        let Some(of) = self.files.get(file) else {
            return false;
        };
        let what = |candidate: usize| {
            let cell = of.cell(row, candidate);
            match cell {
                Cell::Added { .. } => (2, self.text(file, row, candidate)),
                Cell::Removed { .. } => (1, None),
                Cell::Opaque => (3, None),
                // An insertion that a candidate does not make, and a base line that it keeps.
                Cell::Untouched | Cell::Context { .. } | Cell::Filler | Cell::Absent => (0, None),
            }
        };
        let mut all = among.iter().map(|candidate| what(*candidate));
        let first = all.next();
        all.any(|one| Some(one) != first)
    }

    /// Rows over all files.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.files.iter().map(AlignedFile::len).sum()
    }
}

#[cfg(test)]
mod tests;
