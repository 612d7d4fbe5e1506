//! The visible rows of a patch: numbers, sign, coloured text, marks.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::line::{paint, put, put_right};
use crate::diff::{DiffRow, LineKind};
use crate::tui::area::Area;
use crate::tui::highlight::{FileColours, SyntaxRole};
use crate::tui::long_text;
use crate::tui::screens::compare::Rows;
use crate::tui::scroll::Position;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};

/// How rows are to look.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// The theme.
    pub theme: &'a Theme,
    /// Whether long lines wrap.
    pub wrap: bool,
    /// Columns scrolled to the right; 0 when lines wrap.
    pub shift: usize,
    /// What is searched for; empty = nothing.
    pub search: &'a str,
    /// Lines that somebody remarked on.
    pub flags: &'a [Flag<'a>],
}

/// Lines of a file that a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag<'a> {
    /// The file's path.
    pub path: &'a str,
    /// Whether the lines are those of the old side.
    pub old_side: bool,
    /// First and last line, 1-based, inclusive.
    pub lines: (u32, u32),
}

impl Flag<'_> {
    fn covers(&self, path: &str, old: Option<u32>, new: Option<u32>) -> bool {
        let number = if self.old_side { old } else { new };
        let (first, last) = self.lines;
        self.path == path && number.is_some_and(|number| (first..=last).contains(&number))
    }
}

/// Draws the rows from `at` on into `area`; `colours` gives a file's syntax colours once they are
/// there.
pub fn draw<'a>(
    buffer: &mut Buffer,
    area: Area,
    rows: &Rows,
    at: Position,
    look: &Look<'_>,
    colours: &dyn Fn(usize) -> Option<&'a FileColours>,
) {
    let bottom = area.y.saturating_add(area.height);
    let (mut y, mut row, mut skip) = (area.y, at.row, at.line);
    while y < bottom {
        let Some(found) = rows.row(row) else { break };
        let place = Area {
            y,
            height: bottom - y,
            width: area.width.saturating_sub(1),
            ..area
        };
        let mut painter = Painter {
            buffer,
            rows,
            look,
            place,
        };
        y += painter.row(found, skip, colours).max(1);
        row += 1;
        skip = 0;
    }
    scroll_bar(buffer, area, at.row, row - at.row, rows.len(), look.theme);
}

/// A mark at the right edge for the part of a document that is seen.
fn scroll_bar(
    buffer: &mut Buffer,
    area: Area,
    first: usize,
    seen: usize,
    all: usize,
    theme: &Theme,
) {
    if seen >= all || area.width == 0 || area.height == 0 {
        return;
    }
    let height = usize::from(area.height);
    let length = (seen * height / all).clamp(1, height);
    let from = (first * height / all).min(height - length);
    let x = area.x + area.width - 1;
    for (place, y) in (0..height).zip(area.y..) {
        let inside = (from..from + length).contains(&place);
        let role = if inside {
            Role::FocusedBorder
        } else {
            Role::Border
        };
        put(
            buffer,
            (x, y),
            1,
            if inside { "┃" } else { "│" },
            theme.style(role),
        );
    }
}

struct Painter<'a> {
    buffer: &'a mut Buffer,
    rows: &'a Rows,
    look: &'a Look<'a>,
    /// From the row's first line to the bottom of the window.
    place: Area,
}

/// What gives a line's text its style, as byte ranges in order.
struct Layers<'a> {
    base: Style,
    syntax: &'a [(Range<usize>, SyntaxRole)],
    words: Vec<Range<usize>>,
    word: Style,
    matches: Vec<Range<usize>>,
}

impl Painter<'_> {
    fn style(&self, role: Role) -> Style {
        self.look.theme.style(role)
    }

    fn columns(&self) -> usize {
        usize::from(self.place.width)
    }

    /// Draws a row, without its first `skip` display lines; returns the lines drawn.
    fn row<'c>(
        &mut self,
        row: &DiffRow,
        skip: usize,
        colours: &dyn Fn(usize) -> Option<&'c FileColours>,
    ) -> u16 {
        match *row {
            DiffRow::Blank => 1,
            DiffRow::FileHeader { file } => {
                let said = text::cut(&self.rows.file_title(file), self.columns());
                let counts = self.rows.file_counts(file);
                self.banner(&said, Some(&counts), Role::FileHeader)
            }
            DiffRow::FileNote { file, note } => {
                let notes = self.rows.patch().file_notes(file);
                let said = notes
                    .get(note)
                    .map_or(String::new(), |note| text::cut(note, self.columns()));
                self.banner(&format!("  {said}"), None, Role::Dim)
            }
            DiffRow::Note(note) => {
                let notes = &self.rows.patch().notes;
                let said = notes
                    .get(note)
                    .map_or(String::new(), |note| text::cut(note, self.columns()));
                self.banner(&format!("  {said}"), None, Role::Warning)
            }
            DiffRow::HunkHeader { file, hunk } => {
                let said = self.hunk_title(file, hunk);
                self.banner(&said, None, Role::HunkHeader)
            }
            DiffRow::Raw(_) => {
                let layers = self.layers(self.style(Role::Text), self.rows.text(row));
                self.text(self.rows.text(row), skip, layers)
            }
            DiffRow::Line { file, hunk, line } => {
                let syntax = colours(file).map_or(&[][..], |colours| colours.of(hunk, line));
                self.line((file, hunk, line), skip, syntax)
            }
        }
    }

    fn banner(&mut self, said: &str, right: Option<&str>, role: Role) -> u16 {
        let Area { x, y, width, .. } = self.place;
        let style = self.style(role);
        if right.is_some() {
            paint(self.buffer, (x, y), width, style);
        }
        let taken = right.map_or(0, |right| {
            u16::try_from(right.chars().count() + 1).unwrap_or(0)
        });
        let taken = taken.min(width);
        put(self.buffer, (x, y), width - taken, said, style);
        if let Some(right) = right {
            put_right(self.buffer, (x, y), width, right, style);
        }
        1
    }

    fn hunk_title(&self, file: usize, hunk: usize) -> String {
        let patch = self.rows.patch();
        let Some(hunk) = patch.files.get(file).and_then(|file| file.hunks.get(hunk)) else {
            return String::new();
        };
        let section = patch.text.get(hunk.section.clone()).unwrap_or("");
        format!(
            "{} {}",
            hunk.header(),
            text::cut(section.trim(), usize::from(self.place.width)),
        )
    }

    fn line(
        &mut self,
        (file, hunk, line): (usize, usize, usize),
        skip: usize,
        syntax: &[(Range<usize>, SyntaxRole)],
    ) -> u16 {
        let Some(found) = self.rows.line(file, hunk, line) else {
            return 1;
        };
        let (sign, role, word) = match found.kind {
            LineKind::Context => (" ", Role::Text, Role::Text),
            LineKind::Added => ("+", Role::Added, Role::AddedWord),
            LineKind::Removed => ("−", Role::Removed, Role::RemovedWord),
            LineKind::NoNewline => {
                return self.banner("  \\ no newline at the end of the file", None, Role::Dim);
            }
        };
        let Area { x, y, width, .. } = self.place;
        let digits = u16::try_from(self.rows.digits(width)).unwrap_or(3);
        let base = self.style(Role::Text).patch(self.style(role));
        if role != Role::Text {
            paint(self.buffer, (x, y), width, base);
        }
        if skip == 0 {
            let number = |no: Option<u32>| no.map_or(String::new(), |no| no.to_string());
            let dim = self.style(Role::LineNumber);
            put_right(self.buffer, (x, y), digits, &number(found.old_no), dim);
            put_right(
                self.buffer,
                (x + digits + 1, y),
                digits,
                &number(found.new_no),
                dim,
            );
        }
        put(self.buffer, (x + 2 * digits + 2, y), 1, sign, base);
        let path = self.rows.file_path(file);
        let flags = self.look.flags;
        if flags
            .iter()
            .any(|flag| flag.covers(path, found.old_no, found.new_no))
        {
            let style = base.patch(self.style(Role::Finding));
            put(self.buffer, (x + 2 * digits + 1, y), 1, "⚑", style);
        }
        let text = self.rows.patch().line_text(found);
        let words = if role == Role::Text {
            Vec::new()
        } else {
            self.rows.changed_words(file, hunk, line)
        };
        let matches = self.matches(text);
        let layers = Layers {
            base,
            syntax,
            words,
            word: self.style(word),
            matches,
        };
        self.text(text, skip, layers)
    }

    fn layers<'l>(&self, base: Style, text: &str) -> Layers<'l> {
        let matches = self.matches(text);
        Layers {
            base,
            syntax: &[],
            words: Vec::new(),
            word: base,
            matches,
        }
    }

    fn matches(&self, text: &str) -> Vec<Range<usize>> {
        // Only what can be seen is searched: a line may be a megabyte.
        let reach = if self.look.wrap {
            text.len()
        } else {
            8 * (self.look.shift + 512)
        };
        long_text::find(
            &text[..text.floor_char_boundary(reach.min(text.len()))],
            self.look.search,
        )
    }

    fn text(&mut self, text: &str, skip: usize, layers: Layers<'_>) -> u16 {
        let gutter = u16::try_from(self.rows.gutter(self.place.width))
            .unwrap_or(0)
            .min(self.place.width);
        let width = usize::from(self.place.width - gutter).max(1);
        let x = self.place.x + gutter;
        if !self.look.wrap {
            self.cells(
                text,
                0,
                (x, self.place.y),
                (self.look.shift, width),
                &layers,
            );
            return 1;
        }
        let mut y = self.place.y;
        for part in long_text::pieces(text, width, skip, usize::from(self.place.height)) {
            if y > self.place.y {
                paint(
                    self.buffer,
                    (self.place.x, y),
                    self.place.width,
                    layers.base,
                );
                // Where a line goes on is not where one starts.
                put(
                    self.buffer,
                    (x.saturating_sub(2), y),
                    1,
                    "↪",
                    self.style(Role::LineNumber),
                );
            }
            self.cells(&text[part.clone()], part.start, (x, y), (0, width), &layers);
            y += 1;
        }
        y - self.place.y
    }

    /// Draws the cells of a text whose first byte is byte `offset` of the line.
    fn cells(
        &mut self,
        text: &str,
        offset: usize,
        (x, y): (u16, u16),
        (shift, width): (usize, usize),
        layers: &Layers<'_>,
    ) {
        let (mut column, mut end) = (0, 0);
        for cell in text::cells(text, shift, width) {
            let at = offset + cell.source.start;
            let mut style = layers.base;
            if let Some(role) = covering(layers.syntax, at, |(range, _)| range).map(|(_, r)| *r) {
                style = style.patch(foreground(self.look.theme.style(syntax_role(role))));
            }
            if covering(&layers.words, at, |range| range).is_some() {
                style = style.patch(layers.word);
            }
            if cell.stand_in {
                style = style.patch(self.style(Role::Control));
            }
            if covering(&layers.matches, at, |range| range).is_some() {
                style = style.patch(self.style(Role::Match));
            }
            let place = x + u16::try_from(column).unwrap_or(0);
            put(
                self.buffer,
                (place, y),
                u16::try_from(width - column).unwrap_or(0),
                &cell.symbol,
                style,
            );
            column += cell.width;
            end = cell.source.end;
        }
        let edge = x + u16::try_from(width - 1).unwrap_or(0);
        if column >= width && end < text.len() {
            put(self.buffer, (edge, y), 1, "›", self.style(Role::Control));
        }
        if shift > 0 && !text.is_empty() {
            put(
                self.buffer,
                (x.saturating_sub(1), y),
                1,
                "‹",
                self.style(Role::Control),
            );
        }
    }
}

/// The entry whose range holds a byte; the ranges are in order.
fn covering<T>(all: &[T], at: usize, range: impl Fn(&T) -> &Range<usize>) -> Option<&T> {
    let after = all.partition_point(|entry| range(entry).end <= at);
    all.get(after).filter(|entry| range(entry).contains(&at))
}

/// Syntax gives the letters their colour and leaves the background to the change.
fn foreground(style: Style) -> Style {
    Style { bg: None, ..style }
}

fn syntax_role(role: SyntaxRole) -> Role {
    match role {
        SyntaxRole::Keyword => Role::SyntaxKeyword,
        SyntaxRole::String => Role::SyntaxString,
        SyntaxRole::Comment => Role::SyntaxComment,
        SyntaxRole::Number => Role::SyntaxNumber,
        SyntaxRole::Function => Role::SyntaxFunction,
        SyntaxRole::Type => Role::SyntaxType,
        SyntaxRole::Constant => Role::SyntaxConstant,
        SyntaxRole::Variable => Role::SyntaxVariable,
        SyntaxRole::Operator => Role::SyntaxOperator,
        SyntaxRole::Punctuation => Role::SyntaxPunctuation,
        SyntaxRole::Tag => Role::SyntaxTag,
        SyntaxRole::Attribute => Role::SyntaxAttribute,
    }
}
