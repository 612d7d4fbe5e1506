//! One patch on the shared rows.

use std::sync::Arc;

use super::grid::{Entry, Grid};
use crate::diff::{
    AlignedFile, AlignedRow, Anchor as HunkAnchor, Cell, Hunk, HunkLine, Patch, WhitespaceChange,
};
use crate::tui::document::pairs::Pairs;
use crate::tui::document::{Anchor, Change, Code, Line, Mark, Row};

/// What one candidate does in the rows of a [`Grid`].
#[derive(Debug)]
pub struct Column {
    grid: Arc<Grid>,
    candidate: usize,
    patch: Arc<Patch>,
    pairs: Arc<Pairs>,
    /// Changes of white space only that are not shown as changes.
    hidden: usize,
    /// First row of each region that the candidate changes.
    change_starts: Vec<usize>,
    /// The file of the grid that each file of the patch is.
    files: Vec<Option<usize>>,
}

impl Column {
    /// The column of a candidate, by its index in the grid's [`crate::diff::Aligned`].
    #[must_use]
    pub fn of(grid: Arc<Grid>, candidate: usize) -> Self {
        let aligned = grid.aligned();
        let found = aligned.candidates().get(candidate);
        let patch = found.map_or_else(|| Arc::new(Patch::missing()), |of| Arc::clone(&of.patch));
        let mut files = vec![None; patch.files.len()];
        for (number, file) in aligned.files.iter().enumerate() {
            let of = file.file_of(candidate).map(|of| of.file);
            if let Some(place) = of.and_then(|of| files.get_mut(of)) {
                *place = Some(number);
            }
        }
        let mut column = Self {
            candidate,
            pairs: match grid.pairs(candidate) {
                Some(pairs) => Arc::clone(pairs),
                None => Arc::new(Pairs::of(Arc::clone(&patch))),
            },
            hidden: 0,
            patch,
            change_starts: Vec::new(),
            files,
            grid,
        };
        let regions = column.grid.regions.iter();
        let starts = regions.filter_map(|region| {
            let mut rows = region.rows.clone();
            rows.find(|&row| column.is_change(row))
        });
        column.change_starts = starts.collect();
        if column.grid.is_quiet() {
            let files = column.patch.files.iter().enumerate();
            let hunks = files
                .flat_map(|(place, file)| (0..file.hunks.len()).map(move |hunk| (place, hunk)));
            let blanks = hunks.map(|(file, hunk)| column.pairs.blanks(file, hunk).0);
            column.hidden = blanks.sum();
        }
        column
    }

    /// The rows.
    #[must_use]
    pub fn grid(&self) -> &Arc<Grid> {
        &self.grid
    }

    /// The patch.
    #[must_use]
    pub fn patch(&self) -> Arc<Patch> {
        Arc::clone(&self.patch)
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.grid.entries.len()
    }

    /// The row at which each file begins.
    #[must_use]
    pub fn file_starts(&self) -> &[usize] {
        &self.grid.file_starts
    }

    /// First row of each place that the candidate changes.
    #[must_use]
    pub fn change_starts(&self) -> &[usize] {
        &self.change_starts
    }

    /// Digits of the largest line number.
    #[must_use]
    pub fn digits(&self) -> usize {
        self.grid.digits
    }

    /// The file that a row belongs to.
    #[must_use]
    pub fn file_at(&self, row: usize) -> Option<usize> {
        let from = &self.grid.file_from;
        from.partition_point(|&from| from <= row).checked_sub(1)
    }

    /// The place of a file in the patch.
    #[must_use]
    pub fn patch_file(&self, file: usize) -> Option<usize> {
        let file = self.grid.aligned.files.get(file)?;
        file.file_of(self.candidate).map(|of| of.file)
    }

    /// Where a file of the patch is among those shown.
    #[must_use]
    pub fn shown_file(&self, file: usize) -> Option<usize> {
        self.files.get(file).copied().flatten()
    }

    /// Path of a file. Untrusted text.
    #[must_use]
    pub fn file_path(&self, file: usize) -> &str {
        let file = self.grid.aligned.files.get(file);
        file.map_or("", |file| &file.path)
    }

    fn cell(&self, row: usize) -> Option<Cell> {
        match *self.grid.entries.get(row)? {
            Entry::Row { file, row } => {
                Some(self.grid.file(file)?.cell(row as usize, self.candidate))
            }
            _ => None,
        }
    }

    /// Whether the candidate removes or adds the line of a row.
    #[must_use]
    pub fn is_change(&self, row: usize) -> bool {
        self.cell(row).is_some_and(Cell::is_change)
            && !self.source(row).is_some_and(|at| self.is_quiet(at))
    }

    /// Changes of white space only that are not shown as changes.
    #[must_use]
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Whether a line that changed is not shown so: only in white space.
    fn is_quiet(&self, at: (usize, usize, usize)) -> bool {
        self.grid.is_quiet() && self.pairs.is_blank(at)
    }

    /// The text of a row.
    #[must_use]
    pub fn texts(&self, row: usize) -> [Option<&str>; 2] {
        [self.grid.text(row, self.candidate), None]
    }

    /// A row.
    #[must_use]
    pub fn row(&self, at: usize) -> Option<Row<'_>> {
        let entry = *self.grid.entries.get(at)?;
        Some(match entry {
            Entry::Blank => Row::Blank,
            Entry::File(file) => Row::File {
                file: file as usize,
            },
            Entry::Fact { file, fact } => match self.grid.fact(file, fact, self.candidate) {
                Some(fact) => Row::Fact(fact.to_owned()),
                None => Row::Blank,
            },
            Entry::Closed(file) => Row::Fold(self.closed(file)),
            Entry::Fold {
                from, to, unknown, ..
            } => Row::Fold(folded((to + 1).saturating_sub(from), unknown)),
            Entry::Base { file, line } => {
                let found = self.grid.file(file)?;
                if !self.keeps_base(found) {
                    return Some(Row::Filler);
                }
                let text = found.base_text(line).unwrap_or("");
                Row::Code(self.untouched(at, (file, line), text))
            }
            Entry::Row { file, row } => self.line_row(at, (file, row)),
        })
    }

    /// Whether base lines that the candidate does not quote are in its file: not in a copy that it
    /// does not make, and nobody knows what a change without lines leaves behind.
    fn keeps_base(&self, file: &AlignedFile) -> bool {
        match file.file_of(self.candidate) {
            Some(of) => !of.opaque,
            None => !file.is_copy,
        }
    }

    fn closed(&self, file: u32) -> String {
        let Some(found) = self.grid.file(file) else {
            return String::new();
        };
        let touching = found.candidates.iter().flatten().count();
        let shown = self.grid.shown().iter();
        let shown = shown.filter(|&&candidate| found.file_of(candidate).is_some());
        match (shown.count(), touching) {
            (0, 1) => "⋯ changed by one candidate without a column".to_owned(),
            (0, n) => format!("⋯ changed by {n} candidates without a column"),
            _ => "⋯ folded".to_owned(),
        }
    }

    fn untouched<'a>(&self, at: usize, (file, line): (u32, u32), text: &'a str) -> Code<'a> {
        let new = self.grid.file(file);
        let new = new.map(|file| file.new_line(line, self.candidate));
        Code {
            change: Change::Untouched,
            old_no: Some(line),
            new_no: new,
            text,
            words: Vec::new(),
            whitespace: WhitespaceChange::None,
            source: None,
            base: Some(at),
            mark: None,
            note: None,
            no_newline: false,
        }
    }

    fn line_row(&self, at: usize, (file, row): (u32, u32)) -> Row<'_> {
        let Some(found) = self.grid.file(file) else {
            return Row::Blank;
        };
        let cell = found.cell(row as usize, self.candidate);
        let text = self
            .grid
            .aligned
            .text(file as usize, row as usize, self.candidate);
        let base = match self.grid.aligned_row(file, row) {
            Some(AlignedRow::Line { base }) => Some(base),
            _ => None,
        };
        let (change, hunk, line) = match cell {
            Cell::Context { hunk, line } => (Change::Context, hunk, line),
            Cell::Removed { hunk, line } => (Change::Removed, hunk, line),
            Cell::Added { hunk, line } => (Change::Added, hunk, line),
            Cell::Untouched | Cell::Absent | Cell::Opaque => {
                return match (base, text) {
                    (Some(base), Some(text)) => {
                        Row::Code(self.untouched(at, (file, base), text.text))
                    }
                    _ => Row::Filler,
                };
            }
            Cell::Filler => return Row::Filler,
        };
        let source = (
            found.file_of(self.candidate).map_or(0, |of| of.file),
            hunk as usize,
            line as usize,
        );
        let quoted = self.hunk_line(source);
        let changed = matches!(change, Change::Added | Change::Removed);
        let quiet = changed && self.is_quiet(source);
        let partner = self.pairs.joined(source).filter(|_| quiet);
        if partner.is_some() && change == Change::Added {
            // It stands in the row of the line that it replaces.
            return Row::Filler;
        }
        let new = partner.map(|line| (source.0, source.1, line));
        let new_line = new.and_then(|at| self.hunk_line(at));
        let shown = new.unwrap_or(source);
        let change = if quiet { Change::Context } else { change };
        let contradicts = base.is_some_and(|base| {
            let all = &found.contradictions;
            let place = all.binary_search_by(|other| other.line.cmp(&base));
            place.is_ok_and(|place| all[place].others.contains(&self.candidate))
        });
        Row::Code(Code {
            change,
            old_no: quoted.and_then(|line| line.old_no),
            new_no: new_line.or(quoted).and_then(|line| line.new_no),
            text: match new_line {
                Some(line) => self.patch.line_text(line),
                None => text.map_or("", |text| text.text),
            },
            words: match change {
                Change::Added | Change::Removed => self.pairs.changed_words(source),
                Change::Context | Change::Untouched => Vec::new(),
            },
            whitespace: match changed {
                true => self.pairs.whitespace(source),
                false => WhitespaceChange::None,
            },
            source: Some(shown),
            base: None,
            mark: match (contradicts, self.pairs.is_conflict(source)) {
                (true, _) => Some(Mark::Contradicts),
                (_, true) => Some(Mark::Conflict),
                (false, false) => quiet.then_some(Mark::Whitespace),
            },
            note: match changed {
                true => self.pairs.shift_note(shown),
                false => None,
            },
            no_newline: text.is_some_and(|text| text.no_newline),
        })
    }

    fn hunk(&self, file: usize, hunk: usize) -> Option<&Hunk> {
        self.patch.files.get(file)?.hunks.get(hunk)
    }

    fn hunk_line(&self, (file, hunk, line): (usize, usize, usize)) -> Option<&HunkLine> {
        self.hunk(file, hunk)?.lines.get(line)
    }

    fn source(&self, row: usize) -> Option<(usize, usize, usize)> {
        let file = self.patch_file(self.file_at(row)?)?;
        match self.cell(row)? {
            Cell::Context { hunk, line }
            | Cell::Removed { hunk, line }
            | Cell::Added { hunk, line } => Some((file, hunk as usize, line as usize)),
            Cell::Untouched | Cell::Filler | Cell::Absent | Cell::Opaque => None,
        }
    }

    /// The line of the patch that a row shows.
    #[must_use]
    pub fn line(&self, row: usize) -> Option<Line<'_>> {
        let source = self.source(row)?;
        let found = self.hunk_line(source)?;
        let (file, hunk, line) = source;
        Some(Line {
            file,
            hunk,
            line,
            path: self.patch.files.get(file).map_or("", |file| file.path()),
            old_no: found.old_no,
            new_no: found.new_no,
            text: self.patch.line_text(found),
        })
    }

    /// The line of the patch that a row shows, as file, hunk and line.
    #[must_use]
    pub fn sources(&self, row: usize) -> [Option<(usize, usize, usize)>; 2] {
        [self.source(row), None]
    }

    /// The line of the base that a row shows though the patch does not quote it.
    #[must_use]
    pub fn base_line(&self, row: usize) -> Option<(usize, u32)> {
        self.grid
            .base_at(row)
            .filter(|_| self.source(row).is_none())
    }

    /// The hunk that a row belongs to.
    #[must_use]
    pub fn hunk_at(&self, row: usize) -> Option<(usize, usize)> {
        self.source(row).map(|(file, hunk, _)| (file, hunk))
    }

    /// The row of a line of the patch.
    #[must_use]
    pub fn row_of(&self, file: usize, hunk: usize, line: usize) -> Option<usize> {
        let number = self.files.get(file).copied().flatten()?;
        let found = self.hunk(file, hunk)?;
        let added = found
            .lines
            .get(line)
            .is_some_and(|line| line.old_no.is_none());
        let at = (file, hunk, line);
        let line = match self.pairs.joined(at).filter(|_| added && self.is_quiet(at)) {
            Some(replaced) => replaced,
            None => line,
        };
        let aligned = self.grid.aligned.files.get(number)?;
        let of = aligned.file_of(self.candidate)?;
        let shift = match of.anchors.get(hunk) {
            Some(HunkAnchor::Relocated(by)) => *by,
            _ => 0,
        };
        let before = found.lines.get(..=line)?;
        let base = before.iter().rev().find_map(|line| line.old_no);
        let base = base.unwrap_or_else(|| match found.old_count {
            0 => found.old_start,
            _ => found.old_start.saturating_sub(1),
        });
        let base = u32::try_from(i64::from(base) + shift).unwrap_or(0);
        let inserted = found
            .lines
            .get(line)
            .is_some_and(|line| line.old_no.is_none());
        let rows = self.grid.rows_of(number);
        let from = self.lower_bound(number, (base, u8::from(inserted)));
        (from..rows.end)
            .take_while(|&row| self.grid.key(row).0 <= base)
            .find(|&row| self.source(row) == Some((file, hunk, line)))
    }

    /// The first row of a file whose place is not before `key`.
    fn lower_bound(&self, file: usize, key: (u32, u8)) -> usize {
        let rows = self.grid.rows_of(file);
        let (mut low, mut high) = (rows.start, rows.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.grid.key(middle) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The place of the base that a row shows.
    #[must_use]
    pub fn anchor(&self, row: usize) -> Option<Anchor<'_>> {
        let file = self.file_at(row)?;
        let (line, behind) = self.grid.key(row);
        let mut after = 0;
        if behind > 0 {
            let first = self.grid.file_starts.get(file).copied().unwrap_or(0);
            let inserted = (first..=row).rev();
            let inserted = inserted.take_while(|&row| self.grid.key(row) == (line, behind));
            let own = inserted.filter(|&row| self.cell(row).is_some_and(Cell::is_change));
            after = super::grid::count(own.count());
        }
        Some(Anchor {
            path: self.file_path(file),
            line,
            after,
            header: false,
        })
    }

    /// The row that shows a place of the base.
    #[must_use]
    pub fn find_anchor(&self, anchor: Anchor<'_>) -> Option<usize> {
        let files = &self.grid.aligned.files;
        let file = files.iter().position(|file| file.path == anchor.path);
        let named = || {
            let all = self.patch.files.iter();
            let mut all = all.zip(&self.files);
            let (_, place) = all.find(|(file, _)| file.path() == anchor.path)?;
            *place
        };
        let file = file.or_else(named)?;
        let rows = self.grid.rows_of(file);
        if anchor.line == 0 && anchor.after == 0 {
            return Some(rows.start);
        }
        if anchor.after == 0 {
            let at = self.lower_bound(file, (anchor.line, 0));
            // A fold shows all of its lines.
            let exact = at < rows.end && self.grid.key(at).0 == anchor.line;
            let within = at.checked_sub(1).filter(|&row| {
                !exact
                    && self
                        .grid
                        .fold_at(row)
                        .is_some_and(|(_, (from, to))| (from..=to).contains(&anchor.line))
            });
            return Some(within.unwrap_or(at).min(rows.end.saturating_sub(1)));
        }
        let from = self.lower_bound(file, (anchor.line, 1));
        let inserted = (from..rows.end).take_while(|&row| self.grid.key(row) == (anchor.line, 1));
        let own = inserted.filter(|&row| self.cell(row).is_some_and(Cell::is_change));
        let place = (anchor.after as usize).saturating_sub(1);
        let row = own.take(place + 1).last().unwrap_or(from.saturating_sub(1));
        Some(row.clamp(rows.start, rows.end.saturating_sub(1).max(rows.start)))
    }
}

/// What a fold says.
fn folded(lines: u32, unknown: u32) -> String {
    let plural = if lines == 1 { "" } else { "s" };
    match unknown {
        0 => format!("⋯ {lines} unchanged"),
        all if all == lines => format!("⋯ {lines} line{plural} not quoted"),
        some => format!("⋯ {lines} unchanged, {some} of them not quoted"),
    }
}
