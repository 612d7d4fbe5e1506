//! The rows that all columns share.

use std::ops::Range;
use std::sync::Arc;

use crate::diff::{Aligned, AlignedFile, AlignedRow, Anchor as HunkAnchor, Cell, Patch, Region};
use crate::tui::document::Revealed;
use crate::tui::document::own::digits;
use crate::tui::document::pairs::Pairs;

/// A row of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Blank,
    File(u32),
    /// What is to be known of a file, another sentence for each column.
    Fact {
        file: u32,
        fact: u32,
    },
    /// A file that is folded, or that no column touches.
    Closed(u32),
    /// A row of a file.
    Row {
        file: u32,
        row: u32,
    },
    /// A base line that no patch quotes.
    Base {
        file: u32,
        line: u32,
    },
    /// Base lines that are not shown: first, last, how many of them nobody quotes.
    Fold {
        file: u32,
        from: u32,
        to: u32,
        unknown: u32,
    },
}

/// A place that some candidate changes, as far as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RegionRows {
    pub rows: Range<usize>,
    pub file: usize,
    pub region: usize,
}

/// Rows keyed by base lines, for the columns that are shown.
#[derive(Debug)]
pub struct Grid {
    pub(super) aligned: Arc<Aligned>,
    shown: Vec<usize>,
    revealed: Revealed,
    /// Whether changes of white space only are not shown as changes.
    quiet: bool,
    /// The pairs of lines of each shown candidate's patch.
    pairs: Vec<Arc<Pairs>>,
    pub(super) entries: Vec<Entry>,
    pub(super) file_starts: Vec<usize>,
    pub(super) file_from: Vec<usize>,
    pub(super) regions: Vec<RegionRows>,
    /// Sentences by file and shown column.
    facts: Vec<Vec<Vec<String>>>,
    pub(super) digits: usize,
}

impl Grid {
    /// The rows for some candidates (indices of `aligned`), in the order of their columns; when it is
    /// to be `quiet`, two lines that differ in white space only share a row.
    #[must_use]
    pub fn of(aligned: Arc<Aligned>, shown: Vec<usize>, revealed: Revealed, quiet: bool) -> Self {
        let patches = shown
            .iter()
            .filter_map(|&candidate| aligned.candidates().get(candidate));
        let digits = patches.map(|found| digits(&found.patch)).max().unwrap_or(3);
        let pairs = shown.iter().map(|&candidate| {
            let found = aligned.candidates().get(candidate);
            let patch = found.map(|found| Arc::clone(&found.patch));
            Arc::new(Pairs::of(
                patch.unwrap_or_else(|| Arc::new(Patch::missing())),
            ))
        });
        let mut grid = Self {
            pairs: pairs.collect(),
            shown,
            revealed,
            quiet,
            entries: Vec::new(),
            file_starts: Vec::new(),
            file_from: Vec::new(),
            regions: Vec::new(),
            facts: Vec::new(),
            digits,
            aligned: Arc::clone(&aligned),
        };
        if quiet {
            for pairs in &grid.pairs {
                pairs.keep_order_of_many();
            }
        }
        for (number, file) in aligned.files.iter().enumerate() {
            grid.push_file(number, file);
        }
        grid
    }

    /// The patches on their base.
    #[must_use]
    pub fn aligned(&self) -> &Arc<Aligned> {
        &self.aligned
    }

    /// The candidates that have a column.
    #[must_use]
    pub fn shown(&self) -> &[usize] {
        &self.shown
    }

    /// Whether changes of white space only are not shown as changes.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The pairs of lines of a shown candidate's patch.
    pub(super) fn pairs(&self, candidate: usize) -> Option<&Arc<Pairs>> {
        let column = self.shown.iter().position(|&other| other == candidate)?;
        self.pairs.get(column)
    }

    /// Whether a candidate's added line shares the row of the line that it replaces.
    fn is_joined(&self, file: &AlignedFile, cell: Cell, candidate: usize) -> bool {
        let (true, Cell::Added { hunk, line }) = (self.quiet, cell) else {
            return false;
        };
        let at = file.file_of(candidate).zip(self.pairs(candidate));
        at.is_some_and(|(of, pairs)| {
            let at = (of.file, hunk as usize, line as usize);
            pairs.joined(at).is_some()
        })
    }

    /// What is folded.
    #[must_use]
    pub fn revealed(&self) -> &Revealed {
        &self.revealed
    }

    /// The first rows of the places that `wanted` takes.
    pub fn regions(&self, wanted: impl Fn(&Region) -> bool) -> impl Iterator<Item = usize> {
        let all = self.regions.iter().filter(move |found| {
            let file = self.aligned.files.get(found.file);
            let region = file.and_then(|file| file.regions.get(found.region));
            region.is_some_and(&wanted)
        });
        all.map(|found| found.rows.start)
    }

    /// The place that begins with a row.
    #[must_use]
    pub fn region_beginning(&self, row: usize) -> Option<&Region> {
        let starts = |found: &RegionRows| found.rows.start.cmp(&row);
        let place = self.regions.binary_search_by(starts).ok()?;
        let found = self.regions.get(place)?;
        let file = self.aligned.files.get(found.file)?;
        let region = file.regions.get(found.region)?;
        // What no column shows would be a riddle.
        let mut shown = self.shown.iter();
        shown
            .any(|&candidate| region.is_touched_by(candidate))
            .then_some(region)
    }

    /// The file and base lines (first, last) that a row folds.
    #[must_use]
    pub fn fold_at(&self, row: usize) -> Option<(usize, (u32, u32))> {
        match *self.entries.get(row)? {
            Entry::Fold { file, from, to, .. } => Some((file as usize, (from, to))),
            _ => None,
        }
    }

    /// Whether some of the lines that a row folds can be shown.
    #[must_use]
    pub fn is_readable(&self, row: usize) -> bool {
        match self.entries.get(row) {
            Some(&Entry::Fold {
                from, to, unknown, ..
            }) => unknown < (to + 1).saturating_sub(from),
            _ => false,
        }
    }

    /// The file and the base line of a row.
    #[must_use]
    pub fn base_at(&self, row: usize) -> Option<(usize, u32)> {
        match *self.entries.get(row)? {
            Entry::Base { file, line } => Some((file as usize, line)),
            Entry::Row { file, row } => match self.aligned_row(file, row)? {
                AlignedRow::Line { base } => Some((file as usize, base)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The texts of a row in all columns.
    pub fn texts(&self, row: usize) -> impl Iterator<Item = &str> {
        self.shown
            .iter()
            .filter_map(move |&candidate| self.text(row, candidate))
    }

    pub(super) fn text(&self, row: usize, candidate: usize) -> Option<&str> {
        match *self.entries.get(row)? {
            Entry::Base { file, line } => self.file(file)?.base_text(line),
            Entry::Row { file, row } => {
                let text = self.aligned.text(file as usize, row as usize, candidate)?;
                Some(text.text)
            }
            _ => None,
        }
    }

    pub(super) fn file(&self, file: u32) -> Option<&AlignedFile> {
        self.aligned.files.get(file as usize)
    }

    pub(super) fn aligned_row(&self, file: u32, row: u32) -> Option<AlignedRow> {
        self.file(file)?.row(row as usize)
    }

    pub(super) fn fact(&self, file: u32, fact: u32, candidate: usize) -> Option<&str> {
        let column = self.shown.iter().position(|&other| other == candidate)?;
        let facts = self.facts.get(file as usize)?.get(column)?;
        facts.get(fact as usize).map(String::as_str)
    }

    /// The rows of a file, its header left out.
    pub(super) fn rows_of(&self, file: usize) -> Range<usize> {
        let start = self.file_starts.get(file).copied().unwrap_or(0);
        let end = self.file_from.get(file + 1).copied();
        start..end.unwrap_or(self.entries.len())
    }

    /// Where a row stands in its file: base line, and 1 behind it for what is inserted there.
    pub(super) fn key(&self, row: usize) -> (u32, u8) {
        match self.entries.get(row) {
            Some(&Entry::Base { line, .. }) => (line, 0),
            Some(&Entry::Fold { from, .. }) => (from, 0),
            Some(&Entry::Row { file, row }) => match self.aligned_row(file, row) {
                Some(AlignedRow::Line { base }) => (base, 0),
                Some(AlignedRow::Inserted { after }) => (after, 1),
                Some(AlignedRow::Gap { from, .. }) => (from, 0),
                None => (0, 0),
            },
            _ => (0, 0),
        }
    }

    fn push_file(&mut self, number: usize, file: &AlignedFile) {
        let name = count(number);
        if number > 0 {
            self.entries.push(Entry::Blank);
            self.file_from.push(self.entries.len());
            self.entries.push(Entry::File(name));
        } else {
            // The line above the text names the first file already.
            self.file_from.push(0);
        }
        self.file_starts.push(self.entries.len());
        let candidates = self.aligned.candidates();
        let facts: Vec<Vec<String>> = self
            .shown
            .iter()
            .map(|&candidate| {
                let patch = candidates.get(candidate).map(|found| &*found.patch);
                patch.map_or_else(Vec::new, |patch| facts(file, patch, candidate))
            })
            .collect();
        let most = facts.iter().map(Vec::len).max().unwrap_or(0);
        self.facts.push(facts);
        let rows = (0..count(most)).map(|fact| Entry::Fact { file: name, fact });
        self.entries.extend(rows);
        let touched = |candidate: &usize| file.file_of(*candidate).is_some();
        if self.revealed.folded.contains(&number) || !self.shown.iter().any(touched) {
            self.entries.push(Entry::Closed(name));
        } else {
            self.push_rows(number, file);
        }
        // A file without a row of its own is shown by its header.
        if let (Some(start), Some(&from)) = (self.file_starts.last_mut(), self.file_from.last())
            && *start == self.entries.len()
        {
            *start = from;
        }
    }

    fn push_rows(&mut self, number: usize, file: &AlignedFile) {
        let name = count(number);
        let mut fold = Fold::default();
        let mut region = 0;
        for (at, row) in file.rows().iter().enumerate() {
            let quoted = self.shown.iter().any(|&candidate| {
                let cell = file.cell(at, candidate);
                matches!(
                    cell,
                    Cell::Context { .. } | Cell::Removed { .. } | Cell::Added { .. }
                ) && !self.is_joined(file, cell, candidate)
            });
            match *row {
                AlignedRow::Line { base } if quoted || self.revealed.shows(number, base) => {}
                AlignedRow::Line { base } => {
                    fold.hide(base, base, false);
                    fold.only = Some(Entry::Row {
                        file: name,
                        row: count(at),
                    });
                    continue;
                }
                AlignedRow::Inserted { .. } if quoted => {}
                // Only candidates without a column insert something here, or what stands in
                // another row.
                AlignedRow::Inserted { .. } => continue,
                AlignedRow::Gap { from, to, known } => {
                    self.push_gap(number, &mut fold, (from, to), known);
                    continue;
                }
            }
            self.push_fold(name, &mut fold);
            while file
                .regions
                .get(region)
                .is_some_and(|found| found.rows.end <= at)
            {
                region += 1;
            }
            let here = file
                .regions
                .get(region)
                .is_some_and(|found| found.rows.contains(&at));
            if here {
                let row = self.entries.len();
                match self.regions.last_mut() {
                    Some(open) if open.file == number && open.region == region => {
                        open.rows.end = row + 1;
                    }
                    _ => self.regions.push(RegionRows {
                        rows: row..row + 1,
                        file: number,
                        region,
                    }),
                }
            }
            self.entries.push(Entry::Row {
                file: name,
                row: count(at),
            });
        }
        self.push_fold(name, &mut fold);
    }

    fn push_gap(
        &mut self,
        number: usize,
        fold: &mut Fold,
        (from, to): (u32, Option<u32>),
        known: bool,
    ) {
        // How far the file goes on is not known: nothing can be said of it.
        let Some(to) = to else { return };
        if !known {
            fold.hide(from, to, true);
            return;
        }
        for line in from..=to {
            if self.revealed.shows(number, line) {
                self.push_fold(count(number), fold);
                self.entries.push(Entry::Base {
                    file: count(number),
                    line,
                });
            } else {
                fold.hide(line, line, false);
                fold.only = Some(Entry::Base {
                    file: count(number),
                    line,
                });
            }
        }
    }

    fn push_fold(&mut self, file: u32, fold: &mut Fold) {
        let folded = std::mem::take(fold);
        let Some((from, to)) = folded.lines else {
            return;
        };
        self.entries.push(match folded.only {
            // One line takes no more room than the words for it.
            Some(line) if from == to && folded.unknown == 0 => line,
            _ => Entry::Fold {
                file,
                from,
                to,
                unknown: folded.unknown,
            },
        });
    }
}

/// Lines that are about to be folded.
#[derive(Debug, Default)]
struct Fold {
    lines: Option<(u32, u32)>,
    unknown: u32,
    /// The row of the last line.
    only: Option<Entry>,
}

impl Fold {
    fn hide(&mut self, from: u32, to: u32, unknown: bool) {
        let first = self.lines.map_or(from, |(first, _)| first);
        self.lines = Some((first, to));
        if unknown {
            self.unknown += (to + 1).saturating_sub(from);
        }
    }
}

/// What is to be known of a candidate's file.
fn facts(file: &AlignedFile, patch: &Patch, candidate: usize) -> Vec<String> {
    let Some(of) = file.file_of(candidate) else {
        return match file.is_copy {
            true => vec!["not there: others copy it".to_owned()],
            false => Vec::new(),
        };
    };
    let mut facts = patch.file_notes(of.file);
    if of.opaque && !file.is_empty() {
        facts.push("content not known: the change has no lines".to_owned());
    }
    for (hunk, anchor) in of.anchors.iter().enumerate() {
        if let (true, Some(mark)) = (*anchor != HunkAnchor::AsWritten, anchor.mark()) {
            facts.push(format!("hunk {}: {mark}", hunk + 1));
        }
    }
    let contradicts = file
        .contradictions
        .iter()
        .filter(|found| found.others.contains(&candidate));
    match contradicts.count() {
        0 => {}
        1 => facts.push("⚠ quotes 1 line of the base otherwise than the others".to_owned()),
        n => facts.push(format!(
            "⚠ quotes {n} lines of the base otherwise than the others"
        )),
    }
    facts
}

/// What no group reaches: rows are numbered with 32 bits.
pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
