//! What the agreement screen remembers, and the lines of its table.

use std::sync::Arc;

use crate::raters::{Aggregate, Agreement, Table, TableKind};
use crate::tui::list::ListPlace;
use crate::tui::text;

/// Cells that the first column keeps however wide the rest is.
const LEAST: usize = 12;

/// State of the screen.
#[derive(Debug, Default)]
pub struct State {
    /// The open table.
    pub kind: TableKind,
    /// How the consensus is made.
    pub aggregate: Aggregate,
    /// What is being computed: revision of the review and aggregate.
    pub asked: Option<(u64, Aggregate)>,
    /// What was computed last, and of what.
    pub found: Option<((u64, Aggregate), Arc<Agreement>)>,
    /// The open table of it.
    pub table: Option<Table>,
    /// The cursor and the first visible row.
    pub at: ListPlace,
}

impl State {
    /// Makes the open table anew.
    pub fn refresh(&mut self) {
        let found = self.found.as_ref();
        self.table = found.map(|(_, found)| found.table(self.kind));
    }
}

/// Widths of a table's columns in `room` cells, two cells between them: the first column gives way.
#[must_use]
pub fn widths(table: &Table, room: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = table.header.iter().map(|name| text::width(name)).collect();
    for row in &table.rows {
        for (width, cell) in widths.iter_mut().zip(&row.cells) {
            *width = (*width).max(text::width(&text::sanitize_line(cell)));
        }
    }
    let rest: usize = widths.iter().skip(1).map(|width| width + 2).sum();
    if let Some(first) = widths.first_mut() {
        *first = (*first).min(room.saturating_sub(rest).max(LEAST));
    }
    widths
}

/// The notes below a table, broken between words into lines of `room` cells.
#[must_use]
pub fn notes(table: &Table, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for note in &table.notes {
        let note = text::sanitize_line(note);
        let mut line = String::new();
        for word in note.split(' ') {
            if !line.is_empty() && text::width(&line) + 1 + text::width(word) > room {
                lines.push(std::mem::take(&mut line));
                line.push_str("  ");
            }
            if !line.trim().is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}
