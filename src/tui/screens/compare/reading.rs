//! Moving through the patches: the cursor's line, the window that follows it, jumps, and the columns
//! that follow the focused one.
//!
//! Every step looks at no more rows than a window holds. What is *not* here: which key does what
//! (`update`), and what a row is (`crate::tui::document`).

use std::sync::Arc;

use super::layout::{Column, Layout, Slot};
use super::places::share_width;
use super::state::Place;
use super::update::{focused, layout, opened};
use crate::tui::document::{Document, Grid, Shape, View};
use crate::tui::model::{Model, OpenedGroup, Severity};
use crate::tui::scroll::Position;

/// Rows kept in sight above and below the cursor.
const MARGIN: usize = 3;

/// How far a document is scrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Go {
    Down(usize),
    Up(usize),
    Top,
    Bottom,
}

impl Go {
    /// The position in a document without a cursor.
    pub(super) fn from(
        self,
        at: Position,
        rows: usize,
        height: impl Fn(usize) -> usize,
    ) -> Position {
        match self {
            Self::Down(lines) => at.down(lines, rows, height),
            Self::Up(lines) => at.up(lines, height),
            Self::Top => Position::default(),
            Self::Bottom => Position::at(rows),
        }
    }

    /// Where a cursor at `at` of `count` lines goes.
    pub(super) fn line(self, at: usize, count: usize) -> usize {
        let to = match self {
            Self::Down(lines) => at.saturating_add(lines),
            Self::Up(lines) => at.saturating_sub(lines),
            Self::Top => 0,
            Self::Bottom => count,
        };
        to.min(count.saturating_sub(1))
    }
}

/// A column's window on its document.
pub(super) struct Window {
    pub document: Arc<Document>,
    /// Lines that are seen.
    pub lines: usize,
    width: usize,
    wrap: bool,
}

impl Window {
    /// The window of a column, once its document is there.
    pub(super) fn of(model: &Model, column: &Column) -> Option<Self> {
        let document = Arc::clone(model.compare.document(column.slot)?);
        Some(Self::on(model, column, document))
    }

    fn on(model: &Model, column: &Column, document: Arc<Document>) -> Self {
        let kept = share_width(model, column, true);
        let whole = match document.shape() {
            Shape::Aligned => column.narrowest,
            Shape::Unified | Shape::Split => column.text.width,
        };
        Self {
            lines: usize::from(column.text.height),
            width: document.text_width(whole.saturating_sub(kept)),
            wrap: model.compare.wrap,
            document,
        }
    }

    /// Display lines of a row, at least 1.
    pub(super) fn height(&self, row: usize) -> usize {
        self.document.height(row, self.width, self.wrap).max(1)
    }

    fn rows(&self) -> usize {
        self.document.len()
    }

    fn margin(&self) -> usize {
        MARGIN.min(self.lines.saturating_sub(1) / 2)
    }

    fn up(&self, at: Position, lines: usize) -> Position {
        at.up(lines, |row| self.height(row))
    }

    /// A place inside the document.
    pub(super) fn fit(&self, place: Place) -> Place {
        Place {
            top: place.top.clamp(1, self.rows(), |row| self.height(row)),
            cursor: place.cursor.min(self.rows().saturating_sub(1)),
        }
    }

    /// The lowest top whose window is filled.
    fn lowest(&self) -> Position {
        let end = Position::at(self.rows());
        end.clamp(self.lines, self.rows(), |row| self.height(row))
    }

    /// Moves the window so that the cursor is in sight, no further than it must.
    fn reveal(&self, place: Place) -> Place {
        let margin = self.margin();
        let above = self.up(Position::at(place.cursor), margin);
        let last = Position {
            row: place.cursor,
            line: self.height(place.cursor) - 1,
        };
        let room = self.lines.saturating_sub(1 + margin);
        let below = self.up(last, room).min(self.lowest()).min(above);
        Place {
            top: place.top.max(below).min(above),
            ..place
        }
    }

    /// The lines from the top of the window to the cursor's row; at most the window's.
    fn offset(&self, place: Place) -> usize {
        if place.cursor < place.top.row {
            return 0;
        }
        let mut lines = 0;
        for row in place.top.row..place.cursor {
            lines += self.height(row);
            if lines > self.lines + place.top.line {
                break;
            }
        }
        lines.saturating_sub(place.top.line).min(self.lines)
    }

    /// The row at a line of the window.
    pub(super) fn row_at(&self, top: Position, line: usize) -> Option<usize> {
        let at = top.down(line, self.rows(), |row| self.height(row));
        (at.row < self.rows()).then_some(at.row)
    }

    /// The place with the cursor on a row: where it is in sight the window stays.
    pub(super) fn jump(&self, place: Place, row: usize) -> Place {
        let to = Place {
            cursor: row.min(self.rows().saturating_sub(1)),
            ..place
        };
        let seen = to.cursor >= place.top.row
            && self.offset(to) + self.margin() < self.lines
            && (self.offset(to) >= self.margin() || place.top == Position::default());
        if seen {
            return to;
        }
        let top = self.up(Position::at(to.cursor), self.lines / 4);
        self.reveal(Place {
            top: top.min(self.lowest()),
            ..to
        })
    }

    /// The place with a row at the top of the window, as far as the document is long enough.
    pub(super) fn begin(&self, row: usize) -> Place {
        Place {
            top: Position::at(row).min(self.lowest()),
            cursor: row.min(self.rows().saturating_sub(1)),
        }
    }

    /// Moves the cursor; a row that is higher than the window is read line by line.
    fn step(&self, place: Place, go: Go) -> Place {
        let Place { mut top, cursor } = place;
        let last = self.rows().saturating_sub(1);
        let on_top = top.row == cursor;
        match go {
            Go::Down(1) if on_top && top.line + self.lines < self.height(cursor) => {
                top.line += 1;
                return Place { top, cursor };
            }
            Go::Up(1) if on_top && top.line > 0 => {
                top.line -= 1;
                return Place { top, cursor };
            }
            _ => {}
        }
        let cursor = match go {
            Go::Down(rows) => cursor.saturating_add(rows).min(last),
            Go::Up(rows) => cursor.saturating_sub(rows),
            Go::Top => 0,
            Go::Bottom => last,
        };
        self.reveal(Place { top, cursor })
    }

    /// Moves the window and the cursor with it.
    fn leaf(&self, place: Place, go: Go) -> Place {
        let moved = go.from(place.top, self.rows(), |row| self.height(row));
        let lowest = self.lowest();
        // Scrolling ends when the window is filled; it does not take back what a jump showed.
        let top = match go {
            Go::Down(_) | Go::Bottom => moved.min(lowest.max(place.top)),
            Go::Up(_) | Go::Top => moved,
        };
        let offset = self.offset(place);
        let cursor = if top == place.top {
            // At either end only the cursor is left to move.
            return self.step(place, go);
        } else {
            self.row_at(top, offset).unwrap_or(place.cursor)
        };
        self.reveal(Place { top, cursor })
    }

    /// Moves the window; the cursor comes along when it would get out of sight.
    fn roll(&self, place: Place, go: Go) -> Place {
        let moved = go.from(place.top, self.rows(), |row| self.height(row));
        let top = match go {
            Go::Down(_) | Go::Bottom => moved.min(self.lowest().max(place.top)),
            Go::Up(_) | Go::Top => moved,
        };
        let margin = if top == Position::default() {
            0
        } else {
            self.margin()
        };
        let first = self.row_at(top, margin).unwrap_or(place.cursor);
        let below = self.lines.saturating_sub(1 + self.margin());
        let last = self.row_at(top, below).unwrap_or(place.cursor).max(first);
        let last = if top >= self.lowest() {
            self.rows().saturating_sub(1).max(first)
        } else {
            last
        };
        Place {
            top,
            cursor: place.cursor.clamp(first, last),
        }
    }
}

/// How keys and the mouse move a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    /// The cursor moves, the window follows.
    Step,
    /// Both move.
    Leaf,
    /// The window moves.
    Roll,
}

/// Moves the cursor or the window of a column.
pub(super) fn scroll(model: &mut Model, layout: &Layout, slot: Slot, motion: Motion, go: Go) {
    let Some(window) = layout
        .column(slot)
        .and_then(|column| Window::of(model, column))
    else {
        return;
    };
    if window.document.is_empty() {
        return;
    }
    let place = window.fit(model.compare.place(slot));
    let moved = match motion {
        Motion::Step => window.step(place, go),
        Motion::Leaf => window.leaf(place, go),
        Motion::Roll => window.roll(place, go),
    };
    put(model, slot, moved);
}

/// Sets the place of a column; the others follow the focused one.
pub(super) fn put(model: &mut Model, slot: Slot, place: Place) {
    model.compare.put(slot, place);
    if slot == focused(model) {
        lead(model);
    }
}

/// Puts the cursor of a column on a row and shows it.
pub fn go_to_row(model: &mut Model, slot: Slot, row: usize) {
    let layout = layout(model);
    if let Some(window) = layout
        .column(slot)
        .and_then(|column| Window::of(model, column))
    {
        let place = window.jump(model.compare.place(slot), row);
        put(model, slot, place);
    }
}

/// Shows a file of the focused patch from its beginning.
pub(super) fn go_to_file(model: &mut Model, file: usize) {
    let slot = focused(model);
    let layout = layout(model);
    let window = layout
        .column(slot)
        .and_then(|column| Window::of(model, column));
    if let Some(window) = window
        && let Some(&row) = window.document.file_starts().get(file)
    {
        put(model, slot, window.begin(row));
    }
}

/// What a jump goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Hunk,
    File,
}

/// Goes to the next or the last mark of the focused patch.
pub(super) fn jump(model: &mut Model, mark: Mark, forward: bool) {
    let slot = focused(model);
    let Some(document) = model.compare.document(slot).cloned() else {
        return;
    };
    let cursor = model.compare.place(slot).cursor;
    let marks = match mark {
        Mark::Hunk => document.change_starts(),
        Mark::File => document.file_starts(),
    };
    let target = if forward {
        marks.get(marks.partition_point(|&row| row <= cursor))
    } else {
        let before = marks.partition_point(|&row| row < cursor);
        before.checked_sub(1).and_then(|place| marks.get(place))
    };
    let what = match mark {
        Mark::Hunk => "hunk",
        Mark::File => "file",
    };
    match (target, mark) {
        (Some(&row), Mark::Hunk) => go_to_row(model, slot, row),
        (Some(&row), Mark::File) => {
            if let Some(file) = document.file_at(row) {
                go_to_file(model, file);
            }
        }
        (None, _) => {
            let end = if forward { "last" } else { "first" };
            model.say(Severity::Info, format!("this is the {end} {what}"));
        }
    }
}

/// The document of a patch in the shape that is shown now, built when it is first needed; the place
/// in it stays what it was in another shape.
pub(super) fn document_of(
    model: &mut Model,
    opened: &OpenedGroup,
    slot: Slot,
) -> Option<Arc<Document>> {
    let key = (opened.group, slot);
    let shape = model.compare.shape;
    let grid = model.compare.grid.as_ref();
    let grid = grid.filter(|(group, _)| *group == opened.group && shape == Shape::Aligned);
    let grid = grid.map(|(_, grid)| grid);
    let before = model.compare.documents.get(&key).cloned();
    let interdiff = match model.compare.interdiff_shown() {
        Some((_, to, found)) if to == slot => found.map(|found| &found.patch),
        _ => None,
    };
    let patch = match slot {
        Some(index) => opened.patches.get(index)?,
        None => opened.reference.as_ref()?,
    };
    let plain = View::default();
    let view = View {
        split: shape == Shape::Split,
        quiet: model.compare.quiet_whitespace,
        folded: model.compare.folded.get(&key).unwrap_or(plain.folded),
        revealed: model.compare.unfolded.get(&key).unwrap_or(plain.revealed),
        // An interdiff is of results, not of the base.
        bases: opened
            .bases()
            .map(AsRef::as_ref)
            .filter(|_| interdiff.is_none()),
    };
    let patch = interdiff.unwrap_or(patch);
    let is_current = |document: &&Arc<Document>| match (grid, document.grid()) {
        (Some(grid), Some(other)) => Arc::ptr_eq(grid, other),
        (None, None) => Arc::ptr_eq(document.patch(), patch) && document.is_own_in(view),
        _ => false,
    };
    if let Some(document) = before.as_ref().filter(is_current) {
        return Some(Arc::clone(document));
    }
    let document = match grid {
        Some(grid) => Document::aligned(Arc::clone(grid), candidate(opened, slot)),
        None => Document::own_in(Arc::clone(patch), view),
    };
    let document = Arc::new(document);
    if let (Some(before), Some(place)) = (before, model.compare.places.get_mut(&key)) {
        *place = match Arc::ptr_eq(before.patch(), document.patch()) {
            true => carried(&before, &document, *place),
            false => Place::default(),
        };
    }
    model.compare.documents.insert(key, Arc::clone(&document));
    Some(document)
}

/// The index of a column among the patches on their base: the reference is the last one.
pub(super) fn candidate(opened: &OpenedGroup, slot: Slot) -> usize {
    slot.unwrap_or(opened.patches.len())
}

/// Makes the rows that the columns share, when they share any and others than before.
pub(super) fn share_rows(model: &mut Model, opened: &OpenedGroup, layout: &Layout) {
    let Some(aligned) = opened.aligned().filter(|_| layout.shape == Shape::Aligned) else {
        return;
    };
    let slots = layout.columns.iter().map(|column| column.slot);
    let shown: Vec<usize> = slots.map(|slot| candidate(opened, slot)).collect();
    let revealed = model.compare.revealed.get(&opened.group);
    let revealed = revealed.cloned().unwrap_or_default();
    let quiet = model.compare.quiet_whitespace;
    let is_current = model.compare.grid.as_ref().is_some_and(|(group, grid)| {
        *group == opened.group
            && Arc::ptr_eq(grid.aligned(), aligned)
            && grid.shown() == shown
            && *grid.revealed() == revealed
            && grid.is_quiet() == quiet
    });
    if !is_current {
        let grid = Grid::of(Arc::clone(aligned), shown, revealed, quiet);
        model.compare.grid = Some((opened.group, Arc::new(grid)));
    }
}

/// A place of a document in another one of the same patch; the cursor stays about where it was in
/// the window.
pub(super) fn carried(before: &Document, after: &Document, place: Place) -> Place {
    let line = before.line(place.cursor);
    let same = line.and_then(|line| after.row_of(line.file, line.hunk, line.line));
    let nearby = || {
        let anchor = before.anchor(place.cursor)?;
        after.find_anchor(anchor)
    };
    let cursor = match place.cursor {
        0 => 0,
        _ => same.or_else(nearby).unwrap_or(0),
    };
    let above = place.cursor.saturating_sub(place.top.row);
    Place {
        top: Position::at(cursor.saturating_sub(above)),
        cursor,
    }
}

/// The place of a patch that shows the place of the base that the focused one shows, at the same
/// height. At the top of the focused one every patch shows its own top, so that no file is above the
/// screen before the person has scrolled.
pub(super) fn follow(
    model: &Model,
    layout: &Layout,
    slot: Slot,
    document: &Arc<Document>,
) -> Option<Place> {
    let leader = focused(model);
    if leader == slot {
        return None;
    }
    let leading = Window::of(model, layout.column(leader)?)?;
    let at = model.compare.place(leader);
    let same = match (leading.document.grid(), document.grid()) {
        (Some(grid), Some(other)) => Arc::ptr_eq(grid, other),
        _ => false,
    };
    if same || at == Place::default() {
        return Some(at);
    }
    let cursor = document.find_anchor(leading.document.anchor(at.cursor)?)?;
    let offset = leading.offset(at);
    let top = match layout.column(slot) {
        Some(column) => {
            let window = Window::on(model, column, Arc::clone(document));
            window.up(Position::at(cursor), offset).min(window.lowest())
        }
        None => Position::at(cursor.saturating_sub(offset)),
    };
    Some(Place { top, cursor })
}

/// Lets the other visible columns follow the focused one.
pub(super) fn lead(model: &mut Model) {
    if model.compare.interdiff_shown().is_some() {
        // The lines of an interdiff are those of a result, not of the base.
        return;
    }
    if !model.compare.together && model.compare.shape != Shape::Aligned {
        return;
    }
    let Some(opened) = opened(model).cloned() else {
        return;
    };
    let layout = layout(model);
    for column in &layout.columns {
        if let Some(document) = document_of(model, &opened, column.slot)
            && let Some(place) = follow(model, &layout, column.slot, &document)
        {
            model.compare.put(column.slot, place);
        }
    }
}
