//! The visible rows of a document: numbers, signs, coloured text, marks.
//!
//! Drawn from a [`Document`] and a [`Look`] alone, so that a screen and a printed diff are the same.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::line::{paint, put, put_right};
use crate::diff::{Share, WhitespaceChange};
use crate::domain::scope::Level;
use crate::tui::area::Area;
use crate::tui::document::{Change, Code, Document, Line, Mark, Row, Shape, Side};
use crate::tui::highlight::{ColouredSpan, FileColours};
use crate::tui::long_text;
use crate::tui::query::Query;
use crate::tui::scroll::Position;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};

/// How rows are to look.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The theme.
    pub theme: &'a Theme,
    /// Whether long lines wrap.
    pub wrap: bool,
    /// Columns scrolled to the right; 0 when lines wrap.
    pub shift: usize,
    /// What is searched for.
    pub search: Option<&'a Query>,
    /// Lines that somebody remarked on.
    pub flags: &'a [Flag<'a>],
    /// The first and the last row that are selected.
    pub selected: Option<(usize, usize)>,
    /// The row of the cursor, and whether the column has the focus.
    pub cursor: Option<(usize, bool)>,
    /// Display lines of a row.
    pub height: &'a dyn Fn(usize) -> usize,
    /// The move that a line (file, hunk, line) of the patch is part of.
    pub moved: &'a dyn Fn((usize, usize, usize)) -> Option<Moved>,
    /// Columns kept at the right for [`Self::share`].
    pub share_width: u16,
    /// How many of the passing candidates touch the place that a row begins; of all candidates
    /// (`true`) where few pass.
    pub share: &'a dyn Fn(usize) -> Option<(Share, bool)>,
    /// A file's syntax colours once they are there.
    pub colours: &'a dyn Fn(usize) -> Option<&'a FileColours>,
    /// The colours of the line of the base that a row shows though the patch does not quote it.
    pub base_colours: &'a dyn Fn(usize) -> &'a [ColouredSpan],
}

/// A line of a block that was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Where the other end is; at the first line and at edited ones.
    pub note: Option<String>,
    /// For a line that was edited on the way: the bytes that the line at the other end does not have.
    pub edited: Option<Vec<Range<usize>>>,
}

/// Who points at a place, the weightiest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlagBy {
    /// An out-of-scope rule.
    Rule(Level),
    /// A grader's finding.
    Grader,
    /// A person's finding.
    Person,
}

/// The sign of a rule's remark.
#[must_use]
pub fn remark_sign(level: Level) -> &'static str {
    match level {
        Level::Check => "◆",
        Level::Info => "◇",
        Level::Artefact => "◌",
    }
}

/// A file, or lines of it, that a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag<'a> {
    /// The file's path.
    pub path: &'a str,
    /// Whether the lines are those of the old side.
    pub old_side: bool,
    /// First and last line, 1-based, inclusive; `None` = the whole file.
    pub lines: Option<(u32, u32)>,
    /// Who says so.
    pub by: FlagBy,
}

impl Flag<'_> {
    /// The sign of a grader's finding.
    pub const OF_GRADER: &'static str = "⚑";
    /// The sign of a person's finding.
    pub const OF_PERSON: &'static str = "✎";

    /// The sign that stands at what it is about.
    #[must_use]
    pub fn sign(&self) -> &'static str {
        match self.by {
            FlagBy::Person => Self::OF_PERSON,
            FlagBy::Grader => Self::OF_GRADER,
            FlagBy::Rule(level) => remark_sign(level),
        }
    }

    fn covers(&self, path: &str, code: &Code<'_>) -> bool {
        let number = if self.old_side {
            code.old_no
        } else {
            code.new_no
        };
        self.holds(path, number)
    }

    fn holds(&self, path: &str, number: Option<u32>) -> bool {
        let (Some((first, last)), Some(number)) = (self.lines, number) else {
            return false;
        };
        self.path == path && (first..=last).contains(&number)
    }

    /// Whether a line of the patch is one of them.
    #[must_use]
    pub fn covers_line(&self, line: &Line<'_>) -> bool {
        let number = if self.old_side {
            line.old_no
        } else {
            line.new_no
        };
        self.holds(line.path, number)
    }

    /// The row that shows the first of the lines, or the head of the file.
    #[must_use]
    pub fn row(&self, document: &Document) -> Option<usize> {
        let side = if self.old_side { Side::Old } else { Side::New };
        let Some(lines) = self.lines else {
            let files = &document.patch().files;
            let file = files.iter().position(|file| file.path() == self.path)?;
            let shown = document.shown_file(file)?;
            return document.file_starts().get(shown).copied();
        };
        document.row_of_number(self.path, side, lines)
    }
}

/// Draws the rows from `top` on into `area`.
pub fn draw(buffer: &mut Buffer, area: Area, document: &Document, top: Position, look: &Look<'_>) {
    let bottom = area.y.saturating_add(area.height);
    let (mut y, mut at, mut skip) = (area.y, top.row, top.line);
    while y < bottom {
        let Some(row) = document.row(at) else { break };
        let whole = (look.height)(at).max(1).saturating_sub(skip);
        let height = u16::try_from(whole).unwrap_or(u16::MAX).min(bottom - y);
        let place = Area {
            y,
            height,
            width: area.width.saturating_sub(1 + look.share_width),
            ..area
        };
        let mut painter = Painter {
            buffer,
            document,
            look,
            place,
        };
        painter.row(&row, skip);
        let selected = look.selected;
        if selected.is_some_and(|(first, last)| (first..=last).contains(&at)) {
            painter.selected();
        }
        if let Some((cursor, focused)) = look.cursor
            && cursor == at
        {
            painter.cursor(focused);
        }
        if look.share_width > 0
            && skip == 0
            && let Some(share) = (look.share)(at)
        {
            painter.share(share);
        }
        y += height;
        at += 1;
        skip = 0;
    }
    scroll_bar(buffer, area, (top.row, at - top.row), document, look);
}

/// Draws one row, without its first `skip` display lines, into all of `place`.
pub fn draw_row(
    buffer: &mut Buffer,
    place: Area,
    document: &Document,
    (row, skip): (&Row<'_>, usize),
    look: &Look<'_>,
) {
    let mut painter = Painter {
        buffer,
        document,
        look,
        place,
    };
    painter.row(row, skip);
}

/// Which part of a document is seen, and where its hunks and remarks are.
fn scroll_bar(
    buffer: &mut Buffer,
    area: Area,
    (first, seen): (usize, usize),
    document: &Document,
    look: &Look<'_>,
) {
    let all = document.len();
    if seen >= all || area.width == 0 || area.height == 0 {
        return;
    }
    let height = usize::from(area.height);
    let length = (seen * height / all).clamp(1, height);
    let from = (first * height / all).min(height - length);
    let x = area.x + area.width - 1;
    let remarks: Vec<(usize, &str)> = look
        .flags
        .iter()
        .filter_map(|flag| Some((flag.row(document)?, flag.sign())))
        .collect();
    for (place, y) in (0..height).zip(area.y..) {
        let inside = (from..from + length).contains(&place);
        let rows = place * all / height..((place + 1) * all / height).max(place * all / height + 1);
        let starts = document.change_starts();
        let next = starts.partition_point(|&start| start < rows.start);
        let hunk = starts.get(next).is_some_and(|start| rows.contains(start));
        let remark = remarks.iter().find(|(row, _)| rows.contains(row));
        let (symbol, role) = match (remark, hunk, inside) {
            (Some((_, sign)), _, _) => (*sign, Role::Finding),
            (_, true, true) => ("▪", Role::FocusedBorder),
            (_, true, false) => ("▪", Role::Dim),
            (_, _, true) => ("┃", Role::FocusedBorder),
            (_, _, false) => ("│", Role::Border),
        };
        put(buffer, (x, y), 1, symbol, look.theme.style(role));
    }
}

/// The row of a document that a line of its scroll bar stands for.
#[must_use]
pub fn scroll_bar_row(area: Area, y: u16, rows: usize) -> usize {
    let height = usize::from(area.height).max(1);
    let place = usize::from(y.saturating_sub(area.y)).min(height - 1);
    place * rows / height
}

struct Painter<'a, 'l> {
    buffer: &'a mut Buffer,
    document: &'a Document,
    look: &'a Look<'l>,
    /// The lines of the row that are seen.
    place: Area,
}

/// What gives a line's text its style, as byte ranges in order.
struct Layers<'a> {
    base: Style,
    syntax: &'a [ColouredSpan],
    words: &'a [Range<usize>],
    word: Style,
    /// What the line, and a changed word of it, is: what code lies on.
    grounds: (Role, Role),
    matches: Vec<Range<usize>>,
    /// Whether a blank at a byte is to be seen.
    blanks: &'a dyn Fn(usize) -> bool,
}

/// Which line numbers stand before a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Both,
    Only(Side),
}

impl Painter<'_, '_> {
    fn style(&self, role: Role) -> Style {
        self.look.theme.style(role)
    }

    fn columns(&self) -> usize {
        usize::from(self.place.width)
    }

    /// The line of the cursor stands out over its whole width, also without colours.
    fn cursor(&mut self, focused: bool) {
        let Area {
            x,
            y,
            width,
            height,
        } = self.place;
        let style = self.style(Role::CursorLine);
        for y in (y..y + height).filter(|_| focused) {
            paint(self.buffer, (x, y), width, style);
        }
        let mark = if focused { "▸" } else { "▹" };
        if matches!(self.buffer[(x, y)].symbol(), " " | "╱") {
            put(self.buffer, (x, y), 1, mark, style);
        }
    }

    /// A bar beside a selected line, its numbers reversed.
    fn selected(&mut self) {
        let Area {
            x,
            y,
            width,
            height,
        } = self.place;
        let gutter = self.gutter(self.document.line_width(width.saturating_add(1)));
        let bar = self.style(Role::Cursor);
        for y in y..y + height {
            let reversed = Style::new().add_modifier(Modifier::REVERSED);
            paint(self.buffer, (x, y), gutter.saturating_sub(1), reversed);
            let at = (x + gutter.saturating_sub(1), y);
            put(self.buffer, at, 1, "┃", bar);
        }
    }

    /// How many candidates touch the place that begins here, beside the lines.
    fn share(&mut self, (share, is_weak): (Share, bool)) {
        let role = match (share.touching, share.passing) {
            // Failing candidates are weaker evidence.
            _ if is_weak => Role::Dim,
            (touching, all) if touching == all => Role::ConsensusAll,
            (0 | 1, _) => Role::ConsensusFew,
            _ => Role::Dim,
        };
        let weak = if is_weak { "~" } else { "" };
        let said = format!("{weak}{}/{}", share.touching, share.passing);
        let at = (self.place.x + self.place.width, self.place.y);
        put_right(
            self.buffer,
            at,
            self.look.share_width,
            &said,
            self.style(role),
        );
    }

    /// Draws a row, without its first `skip` display lines.
    fn row(&mut self, row: &Row<'_>, skip: usize) {
        match row {
            Row::Blank => {}
            Row::File { file } => {
                let said = text::cut(&self.document.file_title(*file), self.columns());
                let mut counts = self.document.file_counts(*file);
                for sign in self.signs_of_file(*file) {
                    counts = format!("{sign} {counts}");
                }
                self.banner(&said, Some(&counts), Role::FileHeader);
            }
            Row::Fact(said) => self.said(said, Role::Dim),
            Row::Warning(said) => self.said(said, Role::Warning),
            Row::Fold(said) => self.said(said, Role::Fold),
            Row::Filler => self.filler(),
            Row::Hunk(said) => {
                let said = text::cut(said, self.columns());
                self.banner(&said, None, Role::HunkHeader);
            }
            Row::Raw(raw) => {
                let layers = self.plain(self.style(Role::Text), raw);
                let gutter = self.gutter(self.place.width);
                self.text(raw, skip, gutter, &layers);
            }
            Row::NoNewline { old, new } => self.no_newline(*old, *new),
            Row::Code(code) => self.line(code, skip, Numbers::Both),
            Row::Split(old, new) => {
                let (left, right) = self.halves();
                let whole = self.place;
                for (code, place, side) in [(old, left, Side::Old), (new, right, Side::New)] {
                    self.place = place;
                    match code {
                        Some(code) => self.line(code, skip, Numbers::Only(side)),
                        None => self.filler(),
                    }
                }
                self.place = whole;
                self.divider(right);
            }
        }
    }

    /// The two halves of a row whose sides stand beside each other.
    fn halves(&self) -> (Area, Area) {
        let width = self.place.width.saturating_sub(1);
        let left = Area {
            width: width / 2,
            ..self.place
        };
        let right = Area {
            x: self.place.x + width / 2 + 1,
            width: width - width / 2,
            ..self.place
        };
        (left, right)
    }

    fn divider(&mut self, right: Area) {
        let style = self.style(Role::Border);
        for y in self.place.y..self.place.y + self.place.height {
            put(self.buffer, (right.x - 1, y), 1, "│", style);
        }
    }

    /// Where the other side has lines of its own.
    fn filler(&mut self) {
        let style = self.style(Role::Filler);
        let pattern = "╱".repeat(self.columns());
        for y in self.place.y..self.place.y + self.place.height {
            put(
                self.buffer,
                (self.place.x, y),
                self.place.width,
                &pattern,
                style,
            );
        }
    }

    fn no_newline(&mut self, old: bool, new: bool) {
        let said = "\\ no newline at the end of the file";
        if self.document.shape() != Shape::Split {
            return self.said(said, Role::Dim);
        }
        let (left, right) = self.halves();
        let whole = self.place;
        for (here, place) in [(old, left), (new, right)] {
            self.place = place;
            if here {
                self.said(said, Role::Dim);
            } else {
                self.filler();
            }
        }
        self.place = whole;
        self.divider(right);
    }

    fn said(&mut self, said: &str, role: Role) {
        let said = text::cut(said, self.columns().saturating_sub(2));
        self.banner(&format!("  {said}"), None, role);
    }

    fn banner(&mut self, said: &str, right: Option<&str>, role: Role) {
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
    }

    fn gutter(&self, width: u16) -> u16 {
        u16::try_from(self.document.gutter(width))
            .unwrap_or(0)
            .min(width)
    }

    fn line(&mut self, code: &Code<'_>, skip: usize, numbers: Numbers) {
        let (sign, role, word) = match code.change {
            Change::Untouched => (" ", Role::Untouched, Role::Untouched),
            Change::Context => (" ", Role::Text, Role::Text),
            Change::Added => ("+", Role::Added, Role::AddedWord),
            Change::Removed => ("−", Role::Removed, Role::RemovedWord),
        };
        let moved = code.source.and_then(|source| {
            let changed = matches!(code.change, Change::Added | Change::Removed);
            changed.then(|| (self.look.moved)(source)).flatten()
        });
        // An edited line of a moved block is a change like others.
        let edited = moved.as_ref().and_then(|moved| moved.edited.as_deref());
        let words = edited.unwrap_or(&code.words);
        let role = match (&moved, code.change) {
            _ if code.mark == Some(Mark::Whitespace) => Role::Untouched,
            _ if edited.is_some() => role,
            (Some(_), Change::Removed) => Role::MovedFrom,
            (Some(_), Change::Added) => Role::MovedTo,
            _ => role,
        };
        let Area {
            x,
            y,
            width,
            height,
        } = self.place;
        let digits = u16::try_from(self.document.digits(width)).unwrap_or(3);
        let base = self.style(Role::Text).patch(self.style(role));
        if matches!(code.change, Change::Added | Change::Removed) && role != Role::Untouched {
            for y in y..y + height {
                paint(self.buffer, (x, y), width, base);
            }
        }
        let gutter = self.gutter(width);
        let sign_at = x + gutter.saturating_sub(2);
        if skip == 0 {
            let number = |no: Option<u32>| no.map_or(String::new(), |no| no.to_string());
            let dim = self.style(Role::LineNumber);
            match numbers {
                Numbers::Both => {
                    put_right(self.buffer, (x, y), digits, &number(code.old_no), dim);
                    let new = (x + digits + 1, y);
                    put_right(self.buffer, new, digits, &number(code.new_no), dim);
                }
                Numbers::Only(Side::Old) => {
                    put_right(self.buffer, (x, y), digits, &number(code.old_no), dim);
                }
                Numbers::Only(Side::New) => {
                    put_right(self.buffer, (x, y), digits, &number(code.new_no), dim);
                }
            }
        }
        put(self.buffer, (sign_at, y), 1, sign, base);
        let sign_columns = u16::try_from(self.document.signs()).unwrap_or(1);
        let signs_at = (sign_at + 1).saturating_sub(sign_columns).max(x);
        let signs = code.source.and_then(|(file, hunk, line)| {
            let patch = self.document.patch();
            patch.signs(file, hunk, line)
        });
        if let Some(signs) = signs.filter(|_| skip == 0 && sign_columns > 1) {
            // One column per parent.
            let signs = signs.replace('-', "−");
            put_right(self.buffer, (signs_at, y), sign_columns, &signs, base);
        }
        let flag = self.flag(code);
        let finding = flag.filter(|flag| !matches!(flag.by, FlagBy::Rule(_)));
        let mark = match code.mark {
            _ if let Some(flag) = finding => Some((flag.sign(), Role::Finding)),
            Some(Mark::Contradicts) => Some(("≠", Role::Conflict)),
            Some(Mark::Conflict) => Some(("!", Role::Conflict)),
            _ if let Some(flag) = flag => Some((flag.sign(), Role::Finding)),
            Some(Mark::Whitespace) => Some(("~", Role::Whitespace)),
            None => edited.map(|_| ("±", Role::Dim)),
        };
        if let Some((symbol, role)) = mark {
            let style = base.patch(self.style(role));
            let at = (signs_at.saturating_sub(1), y);
            put(self.buffer, at, 1, symbol, style);
        }
        let syntax = code.source.and_then(|(file, hunk, line)| {
            let colours = (self.look.colours)(file)?;
            Some(colours.of(hunk, line))
        });
        let syntax = syntax.or_else(|| code.base.map(self.look.base_colours));
        let trailing = code.text.trim_end().len();
        let leading = match code.whitespace {
            WhitespaceChange::Indent => code.text.len() - code.text.trim_start().len(),
            _ => 0,
        };
        let layers = Layers {
            base,
            syntax: syntax.unwrap_or(&[]),
            words,
            word: self.style(word),
            grounds: (role, word),
            matches: self.matches(code.text),
            blanks: &|at| {
                let changed = matches!(code.change, Change::Added | Change::Removed);
                let only_blanks = code.whitespace != WhitespaceChange::None;
                changed
                    && (at >= trailing
                        || only_blanks
                            && (covering(words, at, Range::clone).is_some() || at < leading))
            },
        };
        self.text(code.text, skip, gutter, &layers);
        let note = moved.as_ref().and_then(|moved| moved.note.clone());
        let note = note.or_else(|| code.note.clone());
        let note = note.or_else(|| {
            let said = "\\ no newline at the end of the file";
            code.no_newline.then(|| said.to_owned())
        });
        if let Some(note) = note.filter(|_| skip == 0) {
            // Where there is room: the line comes first.
            let used = usize::from(gutter) + text::width_up_to(code.text, usize::from(width));
            let free = usize::from(width).saturating_sub(used + 2);
            let note = text::cut(&note, free);
            put_right(self.buffer, (x, y), width, &note, self.style(Role::Dim));
        }
    }

    /// The finding at a line; one of a person comes first.
    fn flag(&self, code: &Code<'_>) -> Option<&Flag<'_>> {
        let (file, ..) = code.source?;
        let file = self.document.patch().files.get(file)?;
        let flags = self.look.flags.iter();
        let covering = flags.filter(|flag| flag.covers(file.path(), code));
        covering.max_by_key(|flag| flag.by)
    }

    /// The signs of the findings about a file as a whole, as it is shown.
    fn signs_of_file(&self, file: usize) -> Vec<&'static str> {
        let Some(file) = self.document.patch_file(file) else {
            return Vec::new();
        };
        let path = self
            .document
            .patch()
            .files
            .get(file)
            .map(|file| file.path());
        let flags = self.look.flags.iter();
        let signs = flags.filter(|flag| flag.lines.is_none() && Some(flag.path) == path);
        let mut signs: Vec<_> = signs.map(Flag::sign).collect();
        signs.sort_unstable();
        signs.dedup();
        signs
    }

    fn plain(&self, base: Style, text: &str) -> Layers<'static> {
        Layers {
            base,
            syntax: &[],
            words: &[],
            word: base,
            grounds: (Role::Text, Role::Text),
            matches: self.matches(text),
            blanks: &|_| false,
        }
    }

    fn matches(&self, text: &str) -> Vec<Range<usize>> {
        // Only what can be seen is searched: a line may be a megabyte.
        let reach = if self.look.wrap {
            text.len()
        } else {
            8 * (self.look.shift + 512)
        };
        let seen = &text[..text.floor_char_boundary(reach.min(text.len()))];
        self.look
            .search
            .map_or(Vec::new(), |query| query.find(seen))
    }

    fn text(&mut self, text: &str, skip: usize, gutter: u16, layers: &Layers<'_>) {
        let width = usize::from(self.place.width - gutter).max(1);
        let x = self.place.x + gutter;
        if !self.look.wrap {
            let at = (x, self.place.y);
            self.cells(text, 0, at, (self.look.shift, width), layers);
            return;
        }
        let parts = long_text::pieces(text, width, skip, usize::from(self.place.height));
        for (y, part) in (self.place.y..).zip(parts) {
            if y > self.place.y || skip > 0 {
                // Where a line goes on is not where one starts.
                put(
                    self.buffer,
                    (x.saturating_sub(2), y),
                    1,
                    "↪",
                    self.style(Role::LineNumber),
                );
            }
            self.cells(&text[part.clone()], part.start, (x, y), (0, width), layers);
        }
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
        // What is no line end here may be drawn as a control character.
        let end_mark = text.ends_with('\r').then(|| offset + text.len() - 1);
        for cell in text::cells(text, shift, width) {
            let at = offset + cell.source.start;
            let mut style = layers.base;
            let in_word = covering(layers.words, at, Range::clone).is_some();
            if in_word {
                style = style.patch(layers.word);
            }
            if let Some(span) = covering(layers.syntax, at, ColouredSpan::range) {
                let (line, word) = layers.grounds;
                let ground = if in_word { word } else { line };
                style = style.patch(self.look.theme.syntax(span.style, ground));
            }
            if cell.stand_in {
                let ends_line = end_mark == Some(at);
                let role = if ends_line {
                    Role::Whitespace
                } else {
                    Role::Control
                };
                style = style.patch(self.style(role));
            }
            let symbol = match blank(&text[cell.source.clone()], cell.width) {
                Some(shown) if (layers.blanks)(at) => {
                    style = style.patch(foreground(self.style(Role::Whitespace)));
                    shown
                }
                _ => cell.symbol,
            };
            if covering(&layers.matches, at, Range::clone).is_some() {
                style = style.patch(self.style(Role::Match));
            }
            let place = x + u16::try_from(column).unwrap_or(0);
            put(
                self.buffer,
                (place, y),
                u16::try_from(width - column).unwrap_or(0),
                &symbol,
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

/// How a blank looks that is to be seen: a dot, or an arrow to the tab's stop.
fn blank(text: &str, width: usize) -> Option<String> {
    match text {
        " " => Some("·".to_owned()),
        "\t" => Some(format!("→{}", " ".repeat(width.saturating_sub(1)))),
        _ => None,
    }
}

/// Only the letters are styled: what they lie on stays.
fn foreground(style: Style) -> Style {
    Style { bg: None, ..style }
}

/// The entry whose range holds a byte; the ranges are in order.
fn covering<T>(all: &[T], at: usize, range: impl Fn(&T) -> Range<usize>) -> Option<&T> {
    let after = all.partition_point(|entry| range(entry).end <= at);
    all.get(after).filter(|entry| range(entry).contains(&at))
}
