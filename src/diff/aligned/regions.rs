//! The places of a file that candidates change: maximal runs of rows in which one of them does, and
//! which candidates leave the same there.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use super::{AlignedFile, AlignedRow, CandidatePatch, Column, LineText, Packed, PackedKind};
use crate::diff::LineKind;
use crate::diff::base::BaseText;

/// A place of the base that some candidate changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its rows.
    pub rows: Range<usize>,
    /// Base lines from..=to (1-based); `to + 1 == from` when lines are only inserted before `from`.
    pub base: (u32, u32),
    /// The candidates that change something here, ascending.
    pub touched: Box<[Touch]>,
}

/// A candidate that changes something in a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// The candidate.
    pub candidate: u32,
    /// Candidates with equal numbers leave the same text behind here; 0 is the text of the base.
    pub result: u32,
}

impl Region {
    /// Whether a candidate changes something here.
    #[must_use]
    pub fn is_touched_by(&self, candidate: usize) -> bool {
        let found = |touch: &Touch| (touch.candidate as usize).cmp(&candidate);
        self.touched.binary_search_by(found).is_ok()
    }

    /// Whether a candidate changes something here and no other one of these does.
    #[must_use]
    pub fn touched_only_by(&self, candidate: usize, among: &[usize]) -> bool {
        let mut others = among.iter().filter(|other| **other != candidate);
        self.is_touched_by(candidate) && !others.any(|other| self.is_touched_by(*other))
    }

    /// What a candidate leaves behind here, see [`Touch::result`].
    #[must_use]
    pub fn result_of(&self, candidate: usize) -> u32 {
        let found = |touch: &Touch| (touch.candidate as usize).cmp(&candidate);
        let index = self.touched.binary_search_by(found).ok();
        index
            .and_then(|index| self.touched.get(index))
            .map_or(0, |touch| touch.result)
    }

    /// Whether these candidates do not all leave the same behind.
    #[must_use]
    pub fn differs(&self, among: &[usize]) -> bool {
        let mut results = among.iter().map(|candidate| self.result_of(*candidate));
        let first = results.next();
        results.any(|result| Some(result) != first)
    }
}

/// The regions of a file whose rows and cells are made.
pub(super) fn regions(file: &AlignedFile, candidates: &[CandidatePatch]) -> Vec<Region> {
    let width = file.columns.len();
    if width == 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut last_line = 0;
    let mut from = 0;
    let texts = Texts {
        columns: &file.columns,
        candidates,
        base: file.base.as_deref(),
    };
    for (row, cells) in file.cells.chunks(width).enumerate() {
        let changes = cells.iter().any(|cell| cell.is_change());
        if let (Some(start), false) = (open, changes) {
            found.push(texts.region(file, start..row, (from, last_line)));
            open = None;
        }
        if changes && open.is_none() {
            (open, from) = (Some(row), last_line + 1);
        }
        match file.rows.get(row) {
            Some(AlignedRow::Line { base }) => last_line = *base,
            Some(AlignedRow::Gap { to: Some(to), .. }) => last_line = *to,
            _ => {}
        }
    }
    if let Some(start) = open {
        found.push(texts.region(file, start..file.rows.len(), (from, last_line)));
    }
    found
}

/// Where the texts of a file's cells are.
pub(super) struct Texts<'a> {
    pub columns: &'a [Column],
    pub candidates: &'a [CandidatePatch],
    pub base: Option<&'a BaseText>,
}

impl<'a> Texts<'a> {
    /// The line that a column's cell stands for.
    pub fn line(&self, column: usize, packed: Packed) -> Option<LineText<'a>> {
        let column = self.columns.get(column)?;
        let patch = &self.candidates.get(column.candidate)?.patch;
        let file = patch.files.get(column.file)?;
        let (hunk, line) = column.place(packed.line());
        let lines = &file.hunks.get(hunk as usize)?.lines;
        let next = lines.get(line as usize + 1);
        Some(LineText {
            text: patch.line_text(lines.get(line as usize)?),
            no_newline: next.is_some_and(|next| next.kind == LineKind::NoNewline),
        })
    }

    /// The base's text of a row that is keyed by a base line.
    pub fn base(&self, number: u32, cells: &[Packed]) -> Option<LineText<'a>> {
        if let Some(base) = self.base
            && let Some(text) = base.line(number)
        {
            let no_newline = number == base.lines() && !base.ends_with_newline();
            return Some(LineText { text, no_newline });
        }
        let quotes =
            |cell: &Packed| matches!(cell.kind(), PackedKind::Context | PackedKind::Removed);
        let column = cells.iter().position(quotes)?;
        self.line(column, *cells.get(column)?)
    }

    fn region(&self, file: &AlignedFile, rows: Range<usize>, base: (u32, u32)) -> Region {
        let width = self.columns.len();
        let untouched = DefaultHasher::new();
        let mut base_text = untouched.clone();
        let mut touched = vec![false; width];
        let mut results = vec![untouched; width];
        for row in rows.clone() {
            let cells = file.cells_of(row);
            let kept = match file.rows.get(row) {
                Some(AlignedRow::Line { base }) => self.base(*base, cells),
                _ => None,
            };
            if let Some(kept) = kept {
                kept.hash(&mut base_text);
            }
            for (index, cell) in cells.iter().enumerate() {
                touched[index] |= cell.is_change();
                let text = match cell.kind() {
                    PackedKind::Untouched | PackedKind::Context => kept,
                    PackedKind::Added => self.line(index, *cell),
                    PackedKind::Removed | PackedKind::Filler => None,
                };
                if let Some(text) = text {
                    text.hash(&mut results[index]);
                }
            }
        }
        let mut distinct = vec![base_text.finish()];
        let touched = (0..width).filter(|index| touched[*index]).map(|index| {
            let hash = results[index].finish();
            let result = distinct.iter().position(|known| *known == hash);
            let result = result.unwrap_or_else(|| {
                distinct.push(hash);
                distinct.len() - 1
            });
            let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            Touch {
                candidate: narrow(self.columns[index].candidate),
                result: narrow(result),
            }
        });
        Region {
            rows,
            base,
            touched: touched.collect(),
        }
    }
}
