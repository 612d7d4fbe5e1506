//! Candidates side by side: a row a line of the base, a column a candidate, as on the screen.
//!
//! What is *not* here: patches one after the other ([`super::own`]).

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::ahead::{Ahead, Wanted, print_with};
use super::folding::{Folding, Kind, sentence};
use super::paper::Paper;
use super::{PrintError, PrintOptions, Printed, tell_quiet};
use crate::diff::{Aligned, AlignedFile, Moves, Patch, Share, moves};
use crate::tui::area::Area;
use crate::tui::document::{Document, Grid, Revealed, Row};
use crate::tui::highlight::{ColouredSpan, FileColours};
use crate::tui::model::OnBase;
use crate::tui::text;
use crate::tui::theme::Role;
use crate::tui::widgets::diff_lines::{self, Look};
use crate::tui::widgets::line::{put, put_right};
use crate::tui::widgets::moved;

/// The least columns of a candidate.
const LEAST: usize = 24;
/// Columns that a candidate has when several sheets are needed to show all.
const COMFORTABLE: usize = 38;

/// Prints the files.
///
/// # Errors
/// No room for a column, or an output that cannot be written.
pub fn print(
    on_base: &OnBase,
    files: &[usize],
    candidates: &[Printed],
    options: &PrintOptions,
    paper: &mut Paper<'_>,
) -> Result<(), PrintError> {
    let files: BTreeSet<usize> = files.iter().copied().collect();
    let passing = on_base.consensus.counted().len();
    let share_width = match passing {
        0 => 0,
        passing => 2 * passing.to_string().len() + 2,
    };
    let room = usize::from(paper.width).saturating_sub(share_width);
    let sheets = candidates.len().div_ceil((room / COMFORTABLE).max(1));
    let per_sheet = candidates.len().div_ceil(sheets.max(1)).max(1);
    let needed = per_sheet * LEAST + share_width;
    if usize::from(paper.width) < needed {
        return Err(PrintError::Narrow {
            candidates: per_sheet,
            needed,
            width: paper.width,
        });
    }
    let sheets = candidates.chunks(per_sheet);
    let coloured = options.syntax && paper.is_coloured();
    let wanted: Vec<Wanted> = match coloured {
        true => sheets
            .clone()
            .flat_map(|sheet| wanted(&on_base.aligned, &files, sheet))
            .collect(),
        false => Vec::new(),
    };
    print_with(&wanted, |ahead| {
        for (place, sheet) in sheets.enumerate() {
            if place > 0 {
                paper.blank()?;
                paper.blank()?;
            }
            let shown = sheet.iter().map(|candidate| candidate.index).collect();
            let aligned = Arc::clone(&on_base.aligned);
            let grid = Grid::of(
                aligned,
                shown,
                Revealed::default(),
                options.quiet_whitespace,
            );
            let grid = Arc::new(grid);
            let mut sheet = Sheet {
                on_base,
                all: candidates,
                candidates: sheet,
                options,
                ahead,
                columns: columns(&grid, sheet, room),
                grid: &grid,
                paper,
            };
            sheet.print(&files)?;
        }
        Ok(())
    })
}

/// The files that the columns of a sheet colour, in the order in which they are printed.
fn wanted(aligned: &Aligned, files: &BTreeSet<usize>, sheet: &[Printed]) -> Vec<Wanted> {
    let of = |file: &usize| {
        let found = aligned.files.get(*file)?;
        let columns = sheet.iter().filter_map(move |candidate| {
            Some(Wanted {
                patch: Arc::clone(&aligned.candidates().get(candidate.index)?.patch),
                file: found.file_of(candidate.index)?.file,
                base: found.base.clone(),
            })
        });
        Some(columns)
    };
    files.iter().filter_map(of).flatten().collect()
}

/// The columns of a sheet, side by side in the room there is.
fn columns(grid: &Arc<Grid>, sheet: &[Printed], room: usize) -> Vec<Column> {
    let from = |place: usize| u16::try_from(place * room / sheet.len()).unwrap_or(0);
    let column = |(place, candidate): (usize, &Printed)| {
        let document = Document::aligned(Arc::clone(grid), candidate.index);
        Column {
            moves: moves(document.patch()),
            place: from(place)..from(place + 1).saturating_sub(1),
            colours: None,
            document,
        }
    };
    sheet.iter().enumerate().map(column).collect()
}

struct Column {
    /// Where its text is; the line behind it parts it from the next one.
    place: Range<u16>,
    document: Document,
    moves: Moves,
    /// The colours of the file of its patch that is printed.
    colours: Option<(usize, FileColours)>,
}

struct Sheet<'a, 'p, 'h> {
    on_base: &'a OnBase,
    /// Those of every sheet.
    all: &'a [Printed],
    candidates: &'a [Printed],
    options: &'a PrintOptions,
    ahead: &'a mut Ahead<'h>,
    columns: Vec<Column>,
    grid: &'a Grid,
    paper: &'a mut Paper<'p>,
}

impl Sheet<'_, '_, '_> {
    fn print(&mut self, files: &BTreeSet<usize>) -> io::Result<()> {
        let titles: Vec<_> = self.candidates.iter().map(|c| c.title.clone()).collect();
        self.said(&titles, Role::Title)?;
        let rows = self
            .columns
            .first()
            .map_or(0, |column| column.document.len());
        let mut folding = Folding::new(self.options.context);
        let mut open = None;
        for row in 0..rows {
            let file = self.columns.first().and_then(|c| c.document.file_at(row));
            let Some(file) = file.filter(|file| files.contains(file)) else {
                continue;
            };
            if open != Some(file) {
                self.fold(folding.end())?;
                if let Some(open) = open.replace(file) {
                    self.recorded(open)?;
                }
                self.head(file)?;
            }
            if !self.is_touched_here(file) {
                continue;
            }
            let shown = folding.next(row, self.kind(row));
            self.fold(shown.folded)?;
            for row in shown.rows {
                self.row(row)?;
            }
        }
        self.fold(folding.end())?;
        if let Some(open) = open {
            self.recorded(open)?;
        }
        Ok(())
    }

    fn kind(&self, row: usize) -> Kind {
        let mut documents = self.columns.iter().map(|column| &column.document);
        if documents.clone().any(|document| document.is_change(row)) {
            Kind::Changed
        } else if documents.any(|document| document.texts(row)[0].is_some()) {
            Kind::Unchanged
        } else {
            Kind::Other
        }
    }

    fn fold(&mut self, rows: usize) -> io::Result<()> {
        match rows {
            0 => Ok(()),
            rows => self.paper.say(&sentence(rows), Role::Fold),
        }
    }

    /// The path of a file, and what each candidate does to it.
    fn head(&mut self, file: usize) -> io::Result<()> {
        let Some(of) = self.on_base.aligned.files.get(file) else {
            return Ok(());
        };
        self.paper.blank()?;
        let touched = self.touched(of);
        let path = text::visible_tabs(&of.path);
        if !self.is_touched_here(file) {
            let right = format!("{touched}; by none on this sheet");
            return self.paper.banner(&path, &right, Role::FileHeader);
        }
        self.paper.banner(&path, &touched, Role::FileHeader)?;
        let heads: Vec<String> = self
            .columns
            .iter()
            .map(|column| {
                let counts = column.document.file_counts(file);
                let patch = column.document.patch();
                let found = column.document.patch_file(file);
                match found.and_then(|file| patch.files.get(file)) {
                    None => counts,
                    Some(found) if found.display_path() == of.path => {
                        let mark = found.status.mark(found.binary);
                        mark.map_or(counts.clone(), |mark| format!("{mark} {counts}"))
                    }
                    Some(found) => {
                        let mark = found.status.mark(found.binary).unwrap_or("");
                        let said = format!("{mark} {} {counts}", found.display_path());
                        said.trim_start().to_owned()
                    }
                }
            })
            .collect();
        self.said(&heads, Role::Header)?;
        let patches = self.columns.iter().filter_map(|column| {
            let file = column.document.patch_file(file)?;
            Some((&**column.document.patch(), file))
        });
        tell_quiet(patches, self.options, self.paper)?;
        for column in &mut self.columns {
            let found = column.document.patch_file(file);
            let patch = column.document.patch();
            column.colours = found.and_then(|file| Some((file, self.ahead.colours(patch, file)?)));
        }
        Ok(())
    }

    /// By how many a file is touched: of all candidates that are printed, on whichever sheet, and of
    /// the group's passing results, of which equal ones count once.
    fn touched(&self, file: &AlignedFile) -> String {
        let candidates = || self.all.iter().filter(|candidate| !candidate.is_reference);
        let touching = candidates().filter(|c| file.file_of(c.index).is_some());
        let mut said = format!(
            "touched by {} of {}",
            touching.count(),
            match candidates().count() {
                1 => "1 candidate".to_owned(),
                count => format!("{count} candidates"),
            }
        );
        let passing = self.on_base.consensus.counted();
        if !passing.is_empty() {
            let touching = passing.iter().filter(|&&c| file.file_of(c).is_some());
            let (touching, all) = (touching.count(), passing.len());
            let results = if all == 1 { "result" } else { "results" };
            said.push_str(&format!(", {touching}/{all} passing {results}"));
        }
        said
    }

    /// Whether a column of this sheet touches a file.
    fn is_touched_here(&self, file: usize) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| column.document.patch_file(file).is_some())
    }

    /// A sentence per column, wrapped. Untrusted text.
    fn said(&mut self, said: &[String], role: Role) -> io::Result<()> {
        let style = self.paper.theme.style(role);
        let border = self.paper.theme.style(Role::Border);
        let columns = &self.columns;
        let wrapped: Vec<Vec<&str>> = said
            .iter()
            .zip(columns)
            .map(|(said, column)| {
                let width = usize::from(column.place.end - column.place.start);
                let parts = text::wrap(said, width.max(1));
                parts
                    .into_iter()
                    .filter_map(|part| said.get(part))
                    .collect()
            })
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
        self.paper.lines(height, |buffer, skip, area| {
            for (column, parts) in columns.iter().zip(&wrapped) {
                let Range { start, end } = column.place;
                for y in 0..area.height {
                    let part = parts.get(skip + usize::from(y)).copied().unwrap_or("");
                    let part = text::cut(part, usize::from(end - start));
                    put(buffer, (start, y), end - start, &part, style);
                    put(buffer, (end, y), 1, "│", border);
                }
            }
        })
    }

    fn row(&mut self, at: usize) -> io::Result<()> {
        let rows: Vec<Option<Row<'_>>> = self
            .columns
            .iter()
            .map(|column| column.document.row(at))
            .collect();
        // What is no code is said in full: a column of the screen would cut it.
        let sentence = |row: &Option<Row<'_>>| match row {
            Some(Row::Fact(said) | Row::Warning(said)) => Some(said.clone()),
            _ => None,
        };
        if rows.iter().any(|row| sentence(row).is_some()) {
            let said: Vec<String> = rows
                .iter()
                .map(|row| sentence(row).unwrap_or_default())
                .collect();
            drop(rows);
            return self.said(&said, Role::Dim);
        }
        match rows.first() {
            // The head has said it.
            Some(Some(Row::Blank | Row::File { .. })) => return Ok(()),
            Some(Some(Row::Fold(said))) => {
                let said = said.clone();
                return self.paper.say(&said, Role::Fold);
            }
            _ => {}
        }
        let wrap = self.options.wrap;
        let heights: Vec<usize> = self
            .columns
            .iter()
            .map(|column| {
                // A column of the screen has a scroll bar beside its text.
                let width = column.place.end - column.place.start + 1;
                let width = column.document.text_width(width);
                column.document.height(at, width, wrap).max(1)
            })
            .collect();
        let share = self
            .grid
            .region_beginning(at)
            .map(|region| self.on_base.consensus.share(region))
            .filter(|share| share.passing > 0);
        let (theme, options, columns) = (self.paper.theme, self.options, &self.columns);
        let height = heights.iter().copied().max().unwrap_or(1);
        self.paper.lines(height, |buffer, skip, area| {
            for ((column, row), &height) in columns.iter().zip(&rows).zip(&heights) {
                for y in 0..area.height {
                    put(
                        buffer,
                        (column.place.end, y),
                        1,
                        "│",
                        theme.style(Role::Border),
                    );
                }
                let left = height.saturating_sub(skip).min(usize::from(area.height));
                let (Some(row), true) = (row, left > 0) else {
                    continue;
                };
                let place = Area {
                    x: column.place.start,
                    y: 0,
                    width: column.place.end - column.place.start,
                    height: u16::try_from(left).unwrap_or(area.height),
                };
                let patch = column.document.patch();
                let colours = column.colours.as_ref();
                let look = Look {
                    theme,
                    wrap: options.wrap,
                    shift: 0,
                    search: None,
                    flags: &[],
                    selected: None,
                    cursor: None,
                    height: &|_| 1,
                    moved: &|line| moved::mark(&column.moves, patch, line),
                    share_width: 0,
                    share: &|_| None,
                    colours: &|file| {
                        let found = colours.filter(|(of, _)| *of == file);
                        found.map(|(_, colours)| colours)
                    },
                    base_colours: &|row| quoted_colours(columns, row),
                };
                diff_lines::draw_row(buffer, place, &column.document, (row, skip), &look);
            }
            if let Some(Share { touching, passing }) = share
                && skip == 0
            {
                let said = format!("{touching}/{passing}");
                put_right(buffer, (0, 0), area.width, &said, theme.style(Role::Dim));
            }
        })
    }

    /// What of a file stands on no line of the base, as each candidate's patch has it.
    fn recorded(&mut self, file: usize) -> io::Result<()> {
        let aligned: &Aligned = &self.on_base.aligned;
        let Some(of) = aligned.files.get(file) else {
            return Ok(());
        };
        let lines: Vec<Vec<String>> = self
            .columns
            .iter()
            .zip(self.candidates)
            .map(|(column, candidate)| match of.file_of(candidate.index) {
                Some(found) => recorded(column.document.patch(), found.file, found.opaque),
                None => Vec::new(),
            })
            .collect();
        let most = lines.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..most {
            let said: Vec<String> = lines
                .iter()
                .map(|lines| lines.get(line).cloned().unwrap_or_default())
                .collect();
            self.said(&said, Role::Text)?;
        }
        Ok(())
    }
}

/// The colours of a row's line as the first column shows it that quotes it.
fn quoted_colours(columns: &[Column], row: usize) -> &[ColouredSpan] {
    let mut all = columns.iter().filter_map(|column| {
        let (of, colours) = column.colours.as_ref()?;
        let (file, hunk, line) = column.document.sources(row)[0]?;
        (*of == file).then(|| colours.of(hunk, line))
    });
    all.find(|spans| !spans.is_empty()).unwrap_or(&[])
}

/// Text that is no hunk, and the hunks that stand on no single base, signs and all.
fn recorded(patch: &Patch, file: usize, opaque: bool) -> Vec<String> {
    let Some(found) = patch.files.get(file) else {
        return Vec::new();
    };
    let raw = found
        .raw
        .iter()
        .filter_map(|range| patch.text.get(range.clone()));
    let mut lines: Vec<String> = raw.flat_map(str::lines).map(str::to_owned).collect();
    for (place, hunk) in found.hunks.iter().enumerate().filter(|_| opaque) {
        lines.push(format!("@@ +{},{} @@", hunk.new_start, hunk.new_count));
        for (at, line) in hunk.lines.iter().enumerate() {
            let signs = patch.signs(file, place, at).unwrap_or("");
            lines.push(format!("{signs} {}", patch.line_text(line)));
        }
    }
    lines
}
