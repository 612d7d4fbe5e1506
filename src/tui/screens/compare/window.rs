//! A column's window on its document: how it follows the cursor, and how far it can go.
//!
//! Every step looks at no more rows than a window holds. What is *not* here: which column moves, and
//! which follow it (`reading.rs`).

use std::sync::Arc;

use super::layout::Column;
use super::state::Place;
use crate::tui::document::Document;
use crate::tui::model::Model;
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

    pub(super) fn on(model: &Model, column: &Column, document: Arc<Document>) -> Self {
        Self {
            lines: usize::from(column.text.height),
            width: document.text_width(column.text.width.saturating_sub(column.share)),
            wrap: model.compare.wrap,
            document,
        }
    }

    /// Display lines of a row, at least 1.
    pub(super) fn height(&self, row: usize) -> usize {
        self.document.height(row, self.width, self.wrap).max(1)
    }

    pub(super) fn rows(&self) -> usize {
        self.document.len()
    }

    pub(super) fn margin(&self) -> usize {
        MARGIN.min(self.lines.saturating_sub(1) / 2)
    }

    pub(super) fn up(&self, at: Position, lines: usize) -> Position {
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
    pub(super) fn lowest(&self) -> Position {
        let end = Position::at(self.rows());
        end.clamp(self.lines, self.rows(), |row| self.height(row))
    }

    /// The last line of a row.
    fn end_of(&self, row: usize) -> Position {
        Position {
            row,
            line: self.height(row) - 1,
        }
    }

    /// The last line of a window that begins at `top`.
    fn bottom(&self, top: Position) -> Position {
        let below = self.lines.saturating_sub(1);
        top.down(below, self.rows(), |row| self.height(row))
    }

    /// Moves the window so that the cursor is in sight, no further than it must: the whole row, or
    /// some of a row that is too high for the window.
    fn reveal(&self, place: Place) -> Place {
        let margin = self.margin();
        let (start, end) = (Position::at(place.cursor), self.end_of(place.cursor));
        let is_tall = end.line + 1 + 2 * margin > self.lines;
        let (upper, lower) = if is_tall { (end, start) } else { (start, end) };
        let above = self.up(upper, margin);
        let room = self.lines.saturating_sub(1 + margin);
        let below = self.up(lower, room).min(self.lowest()).min(above);
        Place {
            top: place.top.max(below).min(above),
            ..place
        }
    }

    /// The lines from the top of the window to the cursor's row; at most the window's.
    pub(super) fn offset(&self, place: Place) -> usize {
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

    /// Moves the cursor; what is out of sight of a row is read line by line first.
    pub(super) fn step(&self, place: Place, go: Go) -> Place {
        let Place { top, cursor } = place;
        let last = self.rows().saturating_sub(1);
        let (start, end) = (Position::at(cursor), self.end_of(cursor));
        let bottom = self.bottom(top);
        match go {
            Go::Down(1) if start <= bottom && bottom < end => {
                let top = top.down(1, self.rows(), |row| self.height(row));
                return Place { top, cursor };
            }
            Go::Up(1) if start < top && top <= end => {
                let top = self.up(top, 1);
                return Place { top, cursor };
            }
            _ => {}
        }
        let to = |top, cursor| self.reveal(Place { top, cursor });
        match go {
            Go::Down(rows) => to(top, cursor.saturating_add(rows).min(last)),
            Go::Up(rows) => to(top, cursor.saturating_sub(rows)),
            Go::Top => to(Position::default(), 0),
            // A window that a jump put further down stays there.
            Go::Bottom => to(top.max(self.lowest()), last),
        }
    }

    /// Moves the window and the cursor with it.
    pub(super) fn leaf(&self, place: Place, go: Go) -> Place {
        let moved = go.from(place.top, self.rows(), |row| self.height(row));
        let lowest = self.lowest();
        // Scrolling ends when the window is filled; it does not take back what a jump showed.
        let top = match go {
            Go::Down(_) | Go::Bottom => moved.min(lowest.max(place.top)),
            Go::Up(_) | Go::Top => moved,
        };
        if top == place.top {
            // At either end only the cursor is left to move.
            return self.step(place, go);
        }
        let first = match top == Position::default() {
            true => 0,
            false => self.margin(),
        };
        let last = self.lines.saturating_sub(1 + self.margin());
        let offset = self.offset(place).clamp(first.min(last), last);
        // The row may be cut by an edge of the window; to show it whole would take lines back.
        let cursor = self.row_at(top, offset).unwrap_or(place.cursor);
        Place { top, cursor }
    }

    /// Moves the window; the cursor comes along when it would get out of sight.
    pub(super) fn roll(&self, place: Place, go: Go) -> Place {
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

#[cfg(test)]
mod tests;
