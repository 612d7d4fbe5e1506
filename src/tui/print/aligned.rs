//! Candidates side by side: a row a line of the base, a column a candidate.
//!
//! What is *not* here: patches one after the other.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::ops::Range;

use ratatui::buffer::Buffer;

use super::paper::Paper;
use super::{PrintError, PrintOptions, Printed};
use crate::diff::{Aligned, AlignedFile, AlignedRow, Cell, Consensus, HunkLine, Patch, emphasis};
use crate::tui::area::Area;
use crate::tui::highlight::{ColouredSpan, FileColours, Highlighter};
use crate::tui::model::OnBase;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::code_text::{self, Layers};
use crate::tui::widgets::line::{paint, put, put_right};

/// The least columns of a candidate's text.
const LEAST: usize = 8;
/// Columns that a candidate has when several sheets are needed to show all.
const COMFORTABLE: usize = 36;

/// Prints the files.
///
/// # Errors
/// No room for so many columns, or an output that cannot be written.
pub fn print(
    on_base: &OnBase,
    files: &[usize],
    candidates: &[Printed],
    options: &PrintOptions,
    paper: &mut Paper<'_>,
) -> Result<(), PrintError> {
    let aligned: &Aligned = &on_base.aligned;
    let consensus = &on_base.consensus;
    let highlighter = RefCell::new(Highlighter::default());
    let digits = digits(aligned, files);
    let sheets = sheets(paper.width, candidates.len(), digits, consensus);
    let per_sheet = candidates.len().div_ceil(sheets).max(1);
    for (place, candidates) in candidates.chunks(per_sheet).enumerate() {
        let columns = columns(paper.width, candidates.len(), digits, consensus)?;
        if place > 0 {
            paper.blank()?;
            paper.blank()?;
        }
        let mut sheet = Sheet {
            aligned,
            candidates,
            options,
            consensus,
            highlighter: &highlighter,
            digits,
            columns,
            paper,
        };
        sheet.titles()?;
        for &file in files {
            if let Some(of) = aligned.files.get(file) {
                sheet.file(file, of)?;
            }
        }
    }
    Ok(())
}

/// How many sheets, one below the other, are needed so that every candidate has room.
fn sheets(width: u16, candidates: usize, digits: u16, consensus: &Consensus) -> usize {
    let room = usize::from(width).saturating_sub(usize::from(digits) + 1 + right_width(consensus));
    candidates.div_ceil((room / COMFORTABLE).max(1)).max(1)
}

/// Digits of the largest line number.
fn digits(aligned: &Aligned, files: &[usize]) -> u16 {
    let largest = files.iter().filter_map(|&file| aligned.files.get(file));
    let largest = largest.flat_map(|file| {
        file.rows().iter().map(|row| match row {
            AlignedRow::Line { base } => *base,
            AlignedRow::Inserted { after } => *after,
            AlignedRow::Gap { from, to, .. } => to.unwrap_or(*from),
        })
    });
    let patches = aligned.candidates().iter();
    let hunks = patches.flat_map(|c| c.patch.files.iter().flat_map(|file| &file.hunks));
    let new = hunks.map(|hunk| hunk.new_start.saturating_add(hunk.new_count));
    let largest = largest.chain(new).max().unwrap_or(0);
    u16::try_from(largest.to_string().len())
        .unwrap_or(10)
        .max(3)
}

/// Where each candidate's column is.
fn columns(
    width: u16,
    candidates: usize,
    digits: u16,
    consensus: &Consensus,
) -> Result<Vec<Range<u16>>, PrintError> {
    let gutter = usize::from(digits) + 1;
    let right = right_width(consensus);
    // A number, a sign and a gap stand before a candidate's text, a line behind it.
    let least = gutter + 2 + LEAST + 1;
    let needed = gutter + candidates * least + right;
    let room = usize::from(width).saturating_sub(gutter + right);
    if usize::from(width) < needed {
        return Err(PrintError::Narrow {
            candidates,
            needed,
            width,
        });
    }
    let from = |place: usize| {
        let x = gutter + place * room / candidates.max(1);
        u16::try_from(x).unwrap_or(u16::MAX)
    };
    Ok((0..candidates)
        .map(|place| from(place)..from(place + 1).saturating_sub(1))
        .collect())
}

/// Columns of the consensus at the right edge.
fn right_width(consensus: &Consensus) -> usize {
    2 * consensus.counted().len().to_string().len() + 2
}

struct Sheet<'a, 'p> {
    aligned: &'a Aligned,
    candidates: &'a [Printed],
    options: &'a PrintOptions,
    consensus: &'a Consensus,
    highlighter: &'a RefCell<Highlighter>,
    digits: u16,
    columns: Vec<Range<u16>>,
    paper: &'a mut Paper<'p>,
}

/// What a candidate has in a row.
struct Part<'a> {
    number: Option<u32>,
    sign: &'static str,
    text: &'a str,
    role: Role,
    words: Vec<Range<usize>>,
    syntax: &'a [ColouredSpan],
    no_newline: bool,
}

/// What is kept of a file while its rows are printed.
#[derive(Default)]
struct Known {
    /// Syntax colours per column.
    colours: Vec<Option<FileColours>>,
    /// Partners of the lines of a hunk, by column and hunk.
    pairs: HashMap<(usize, u32), Vec<Option<usize>>>,
}

/// Said behind a line that has no newline.
const NO_NEWLINE: &str = "\\ no newline at the end of the file";

impl<'a> Sheet<'a, '_> {
    /// Which candidate each column is.
    fn titles(&mut self) -> io::Result<()> {
        let titles: Vec<_> = self.candidates.iter().map(|c| c.title.clone()).collect();
        self.said(&titles, Role::Title)
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
                let parts = text::wrap(said, usize::from(column.end - column.start).max(1));
                parts
                    .into_iter()
                    .filter_map(|part| said.get(part))
                    .collect()
            })
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
        self.paper.lines(height, |buffer, skip, area| {
            for (column, parts) in columns.iter().zip(&wrapped) {
                for y in 0..area.height {
                    let width = column.end - column.start;
                    let part = parts.get(skip + usize::from(y)).copied().unwrap_or("");
                    let part = text::cut(part, usize::from(width));
                    put(buffer, (column.start, y), width, &part, style);
                    put(buffer, (column.end, y), 1, "│", border);
                }
            }
        })
    }

    fn file(&mut self, file: usize, of: &AlignedFile) -> io::Result<()> {
        self.paper.blank()?;
        let touching = self
            .candidates
            .iter()
            .filter(|c| of.file_of(c.index).is_some());
        let right = format!("{} of {}", touching.count(), self.candidates.len());
        self.paper.banner(&of.path, &right, Role::FileHeader)?;
        let patches = self.aligned.candidates();
        let place = |candidate: &Printed| {
            let patch = &patches.get(candidate.index)?.patch;
            Some((patch, of.file_of(candidate.index)?))
        };
        let heads: Vec<String> = self
            .candidates
            .iter()
            .map(|candidate| match place(candidate) {
                None => "not touched".to_owned(),
                Some((patch, found)) => {
                    let status = patch
                        .files
                        .get(found.file)
                        .map_or_else(String::new, |file| {
                            let letter = file.status.letter();
                            if file.display_path() == of.path {
                                letter.to_string()
                            } else {
                                format!("{letter} {}", file.display_path())
                            }
                        });
                    format!("{status} +{} −{}", found.added, found.removed)
                }
            })
            .collect();
        self.said(&heads, Role::Header)?;
        let notes: Vec<Vec<String>> = self
            .candidates
            .iter()
            .map(|candidate| {
                place(candidate).map_or_else(Vec::new, |(patch, found)| {
                    let moved = found.anchors.iter().filter_map(|anchor| anchor.mark());
                    patch
                        .file_notes(found.file)
                        .into_iter()
                        .chain(moved)
                        .collect()
                })
            })
            .collect();
        let most = notes.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..most {
            let said: Vec<String> = notes
                .iter()
                .map(|notes| notes.get(line).cloned().unwrap_or_default())
                .collect();
            self.said(&said, Role::Dim)?;
        }
        for contradiction in &of.contradictions {
            let said = format!(
                "line {}: the patches quote it in two ways",
                contradiction.line
            );
            self.paper.say(&said, Role::Warning)?;
        }
        self.rows(file, of)?;
        self.raw(of)
    }

    /// Text of a candidate's file that is no hunk, as it is recorded.
    fn raw(&mut self, of: &AlignedFile) -> io::Result<()> {
        let patches = self.aligned.candidates();
        for (candidate, column) in self.candidates.iter().zip(self.columns.clone()) {
            let found = of.file_of(candidate.index);
            let patch = patches.get(candidate.index).map(|found| &found.patch);
            let Some((patch, found)) = patch.zip(found) else {
                continue;
            };
            let raw = patch
                .files
                .get(found.file)
                .map_or(&[][..], |file| &file.raw);
            let recorded = raw.iter().filter_map(|range| patch.text.get(range.clone()));
            let mut lines: Vec<String> = recorded.flat_map(str::lines).map(str::to_owned).collect();
            if found.opaque {
                lines.extend(hunk_lines(patch, found.file));
            }
            for line in lines {
                self.one(&line, &column)?;
            }
        }
        Ok(())
    }

    fn one(&mut self, line: &str, column: &Range<u16>) -> io::Result<()> {
        let wrap = self.options.wrap;
        let width = column.end - column.start;
        let theme = self.paper.theme;
        let layers = Layers {
            base: theme.style(Role::Text),
            syntax: &[],
            words: &[],
            word: theme.style(Role::Text),
            grounds: (Role::Text, Role::Text),
        };
        let height = code_text::height(line, usize::from(width), wrap);
        self.paper.lines(height, |buffer, skip, area| {
            let area = Area {
                x: column.start,
                width,
                ..area
            };
            code_text::draw(buffer, area, (line, skip), wrap, theme, &layers);
        })
    }

    fn rows(&mut self, file: usize, of: &AlignedFile) -> io::Result<()> {
        let seen = self.seen(of);
        let mut known = Known::default();
        if self.options.syntax && self.paper.is_coloured() {
            known.colours = self.colours(of);
        }
        if !seen.contains(&true) {
            return Ok(());
        }
        let mut hidden = Hidden::default();
        for (row, &at) in of.rows().iter().enumerate() {
            if !seen.get(row).copied().unwrap_or(false) {
                hidden.add(at);
                continue;
            }
            if let Some(said) = hidden.take() {
                self.paper.say(&said, Role::Fold)?;
            }
            self.row((file, of), row, at, &mut known)?;
        }
        if let Some(said) = hidden.take() {
            self.paper.say(&said, Role::Fold)?;
        }
        Ok(())
    }

    /// Which rows are shown: changes of the candidates, and the lines around them.
    fn seen(&self, of: &AlignedFile) -> Vec<bool> {
        let cells = |row: usize| self.candidates.iter().map(move |c| of.cell(row, c.index));
        let rows = of.rows();
        let is_line = |row: usize| matches!(rows.get(row), Some(AlignedRow::Line { .. }));
        let Some(context) = self.options.context else {
            let quoted = |cell: Cell| cell.is_change() || matches!(cell, Cell::Context { .. });
            return (0..rows.len()).map(|row| cells(row).any(quoted)).collect();
        };
        let changed: Vec<bool> = (0..rows.len())
            .map(|row| cells(row).any(Cell::is_change))
            .collect();
        let mut seen = changed.clone();
        // Once downwards and once upwards: how many lines are left of the context.
        let mut spread = |order: &mut dyn Iterator<Item = usize>| {
            let mut left = 0;
            for row in order {
                if changed[row] {
                    left = context;
                } else if is_line(row) && left > 0 {
                    seen[row] = true;
                    left -= 1;
                } else if matches!(rows.get(row), Some(AlignedRow::Gap { .. })) {
                    left = 0;
                }
            }
        };
        spread(&mut (0..rows.len()));
        spread(&mut (0..rows.len()).rev());
        seen
    }

    fn colours(&self, of: &AlignedFile) -> Vec<Option<FileColours>> {
        let patches = self.aligned.candidates();
        let colour = |candidate: &Printed| {
            let found = of.file_of(candidate.index)?;
            let patch = &patches.get(candidate.index)?.patch;
            let mut highlighter = self.highlighter.borrow_mut();
            Some(highlighter.colour_file(patch, found.file, None))
        };
        self.candidates.iter().map(colour).collect()
    }

    fn row(
        &mut self,
        (file, of): (usize, &AlignedFile),
        row: usize,
        at: AlignedRow,
        known: &mut Known,
    ) -> io::Result<()> {
        for column in 0..self.candidates.len() {
            self.learn_pairs(of, row, column, known);
        }
        let parts: Vec<Option<Part<'_>>> = (0..self.candidates.len())
            .map(|column| self.part((file, of), row, column, known))
            .collect();
        let base = match at {
            AlignedRow::Line { base } => Some(base),
            AlignedRow::Inserted { .. } | AlignedRow::Gap { .. } => None,
        };
        let region = of.region_at(row).filter(|region| region.rows.start == row);
        let said = region.map(|region| self.consensus.share(region));
        let said = said.filter(|share| share.passing > 0);
        let said = said.map(|share| format!("{}/{}", share.touching, share.passing));
        let (wrap, digits, theme) = (self.options.wrap, self.digits, self.paper.theme);
        let columns = &self.columns;
        let text_of = |column: &Range<u16>| {
            let start = column.start + digits + 3;
            start..column.end.max(start)
        };
        let heights: Vec<usize> = parts
            .iter()
            .zip(columns)
            .map(|(part, column)| {
                let text = text_of(column);
                let width = usize::from(text.end - text.start);
                part.as_ref().map_or(1, |part| {
                    code_text::height(part.text, width, wrap) + usize::from(part.no_newline)
                })
            })
            .collect();
        let height = heights.iter().copied().max().unwrap_or(1);
        self.paper.lines(height, |buffer, skip, area| {
            if skip == 0 {
                let number = base.map_or(String::new(), |base| base.to_string());
                put_right(
                    buffer,
                    (0, 0),
                    digits,
                    &number,
                    theme.style(Role::LineNumber),
                );
                if let Some(said) = &said {
                    put_right(buffer, (0, 0), area.width, said, theme.style(Role::Dim));
                }
            }
            for ((part, column), &height) in parts.iter().zip(columns).zip(&heights) {
                for y in 0..area.height {
                    put(buffer, (column.end, y), 1, "│", theme.style(Role::Border));
                }
                let Some(part) = part else { continue };
                let place = Place {
                    column,
                    text: text_of(column),
                    digits,
                };
                draw_part(buffer, area, skip, (part, height), &place, (wrap, theme));
            }
        })
    }

    /// Finds the partners of the lines of the hunk that a changed line of a column stands in.
    fn learn_pairs(&self, of: &AlignedFile, row: usize, column: usize, known: &mut Known) {
        let Some(candidate) = self.candidates.get(column) else {
            return;
        };
        let (Cell::Added { hunk, .. } | Cell::Removed { hunk, .. }) = of.cell(row, candidate.index)
        else {
            return;
        };
        let found = of.file_of(candidate.index);
        let patch = self.aligned.candidates().get(candidate.index);
        if let Some((patch, found)) = patch.zip(found) {
            let key = (column, hunk);
            known
                .pairs
                .entry(key)
                .or_insert_with(|| patch.patch.pairs(found.file, hunk as usize));
        }
    }

    fn part<'k>(
        &self,
        (file, of): (usize, &AlignedFile),
        row: usize,
        column: usize,
        known: &'k Known,
    ) -> Option<Part<'k>>
    where
        'a: 'k,
    {
        let candidate = self.candidates.get(column)?.index;
        let patch = &self.aligned.candidates().get(candidate)?.patch;
        let of_file = of.file_of(candidate);
        let base = match of.row(row)? {
            AlignedRow::Line { base } => Some(base),
            _ => None,
        };
        let (sign, role, hunk, line) = match of.cell(row, candidate) {
            Cell::Context { hunk, line } => (" ", Role::Text, hunk, line),
            Cell::Removed { hunk, line } => ("−", Role::Removed, hunk, line),
            Cell::Added { hunk, line } => ("+", Role::Added, hunk, line),
            Cell::Untouched => {
                let found = self.aligned.base_of_row(file, row)?;
                return Some(Part {
                    number: base.map(|base| of.new_line(base, candidate)),
                    sign: " ",
                    text: found.text,
                    role: Role::Dim,
                    words: Vec::new(),
                    syntax: &[],
                    no_newline: found.no_newline,
                });
            }
            Cell::Filler | Cell::Absent | Cell::Opaque => return None,
        };
        let of_file = of_file?;
        let lines = &patch
            .files
            .get(of_file.file)?
            .hunks
            .get(hunk as usize)?
            .lines;
        let found = lines.get(line as usize)?;
        let partner = known
            .pairs
            .get(&(column, hunk))
            .and_then(|pairs| *pairs.get(line as usize)?)
            .and_then(|partner| lines.get(partner));
        let words = partner.map_or_else(Vec::new, |other| words(patch, found, other, role));
        let colours = known.colours.get(column).and_then(Option::as_ref);
        Some(Part {
            number: found.new_no,
            sign,
            text: patch.line_text(found),
            role,
            words,
            syntax: colours.map_or(&[], |colours| colours.of(hunk as usize, line as usize)),
            no_newline: self
                .aligned
                .line(file, candidate, hunk, line)
                .is_some_and(|line| line.no_newline),
        })
    }
}

/// The hunks of a file that stand on no single base: headers and lines, signs and all.
fn hunk_lines(patch: &Patch, file: usize) -> Vec<String> {
    let hunks = patch.files.get(file).map_or(&[][..], |file| &file.hunks);
    let mut found = Vec::new();
    for (place, hunk) in hunks.iter().enumerate() {
        found.push(format!("@@ +{},{} @@", hunk.new_start, hunk.new_count));
        for (at, line) in hunk.lines.iter().enumerate() {
            let signs = patch.signs(file, place, at).unwrap_or("");
            found.push(format!("{signs} {}", patch.line_text(line)));
        }
    }
    found
}

/// The changed words of a line beside its partner.
fn words(patch: &Patch, line: &HunkLine, other: &HunkLine, role: Role) -> Vec<Range<usize>> {
    let (text, other) = (patch.line_text(line), patch.line_text(other));
    if role == Role::Removed {
        emphasis(text, other).0
    } else {
        emphasis(other, text).1
    }
}

/// Where a part is drawn.
struct Place<'a> {
    column: &'a Range<u16>,
    text: Range<u16>,
    digits: u16,
}

fn draw_part(
    buffer: &mut Buffer,
    area: Area,
    skip: usize,
    (part, height): (&Part<'_>, usize),
    place: &Place<'_>,
    (wrap, theme): (bool, &Theme),
) {
    let Range { start, end } = *place.column;
    let base = theme.style(Role::Text).patch(theme.style(part.role));
    let rows = height.saturating_sub(skip).min(usize::from(area.height));
    let rows = u16::try_from(rows).unwrap_or(area.height);
    if matches!(part.role, Role::Added | Role::Removed) {
        for y in 0..rows {
            paint(buffer, (start, y), end - start, base);
        }
    }
    if skip == 0 {
        let number = part
            .number
            .map_or(String::new(), |number| number.to_string());
        let dim = theme.style(Role::LineNumber);
        put_right(buffer, (start, 0), place.digits, &number, dim);
        put(buffer, (start + place.digits + 1, 0), 1, part.sign, base);
    }
    let word = if part.role == Role::Removed {
        Role::RemovedWord
    } else {
        Role::AddedWord
    };
    let layers = Layers {
        base,
        syntax: part.syntax,
        words: &part.words,
        word: theme.style(word),
        grounds: (part.role, word),
    };
    let width = place.text.end - place.text.start;
    let lines = code_text::height(part.text, usize::from(width), wrap);
    let of_text = lines.saturating_sub(skip).min(usize::from(rows));
    let of_text = u16::try_from(of_text).unwrap_or(rows);
    let text = Area {
        x: place.text.start,
        y: 0,
        width,
        height: of_text,
    };
    code_text::draw(buffer, text, (part.text, skip), wrap, theme, &layers);
    if part.no_newline && rows > of_text {
        let said = text::cut(NO_NEWLINE, usize::from(width));
        put(
            buffer,
            (text.x, of_text),
            width,
            &said,
            theme.style(Role::Dim),
        );
    }
}

/// Rows that are not shown, told by the base lines they stand for.
#[derive(Default)]
struct Hidden {
    from: Option<u32>,
    to: Option<u32>,
    open: bool,
}

impl Hidden {
    fn add(&mut self, row: AlignedRow) {
        let (from, to) = match row {
            AlignedRow::Line { base } => (base, Some(base)),
            AlignedRow::Gap { from, to, .. } => (from, to),
            // Inserted by candidates that are not printed.
            AlignedRow::Inserted { .. } => return,
        };
        self.from.get_or_insert(from);
        self.to = to.or(self.to);
        self.open = to.is_none();
    }

    fn take(&mut self) -> Option<String> {
        let Self { from, to, open } = std::mem::take(self);
        let from = from?;
        Some(match to {
            _ if open => format!("⋯ from line {from} on"),
            Some(to) if to != from => format!("⋯ lines {from}–{to}"),
            _ => format!("⋯ line {from}"),
        })
    }
}
