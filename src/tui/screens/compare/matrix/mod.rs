//! The file matrix: a row per file, a column per candidate; its state and what keys do in it.

mod table;
mod view;

use std::sync::Arc;

use super::candidates::letter;
use super::grid::{Grid, Needs};
use super::of_group::OfGroup;
use super::reading::Go;
use super::search;
use super::spot::{PatchSpot, Spot, show};
use super::update::{opened, shown_order};
use crate::domain::TrajectoryIndex;
use crate::tui::action::Action;
use crate::tui::area::Area;
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Severity};
use crate::tui::scroll::reveal;

pub use table::Table;
pub use view::draw;

/// Cells of what follows the candidates: touched by how many passing, by how many of all, a word.
const TAIL: usize = 20;

/// What the matrix remembers.
pub type State = OfGroup<Table>;

/// The files of the group on screen, when they are built.
fn table(model: &Model) -> Option<&Arc<Table>> {
    model.compare.matrix.table(opened(model)?)
}

/// Where the columns stand.
fn grid(model: &Model, table: &Table, area: Area, order: &[TrajectoryIndex]) -> Grid {
    let needs = Needs {
        name: table.longest + 2,
        cell: table.widest.max(4),
        tail: TAIL + reference_width(model, table, area, order.len()),
        columns: order.len(),
    };
    let focus = order.iter().position(|&i| Some(i) == model.compare.focus());
    Grid::of(
        area,
        needs,
        model.compare.matrix.first_column,
        focus.unwrap_or(0),
    )
}

/// Cells of the reference's column, the gap included; 0 when there is no reference, or no room for
/// it beside all candidates.
fn reference_width(model: &Model, table: &Table, area: Area, columns: usize) -> usize {
    let has_reference = opened(model).is_some_and(|opened| opened.reference.is_some());
    let width = table.widest.max(9) + 1;
    let name = (table.longest + 2).min(usize::from(area.width) * 2 / 5);
    let needed = name + columns * (table.widest.max(4) + 1) + TAIL + width + 2;
    if has_reference && needed <= usize::from(area.width) {
        width
    } else {
        0
    }
}

/// Builds the files when they are first shown, and fits the positions.
pub fn settle(model: &mut Model, area: Area) {
    let Some(opened) = opened(model).cloned() else {
        return;
    };
    let make = || Table::of(&opened.patches, opened.reference.as_deref());
    model.compare.matrix.build(&opened, make);
    let Some(table) = table(model).cloned() else {
        return;
    };
    let order = shown_order(model);
    let grid = grid(model, &table, area, &order);
    let state = &mut model.compare.matrix;
    state.first_column = grid.first;
    state.cursor = state.cursor.min(table.rows.len().saturating_sub(1));
    state.first = reveal(state.first, state.cursor, window(area), table.rows.len());
}

/// Rows of files that are seen.
fn window(area: Area) -> usize {
    usize::from(area.height.saturating_sub(1))
}

/// Moves the cursor.
pub fn scroll(model: &mut Model, go: Go) {
    let count = table(model).map_or(0, |table| table.rows.len());
    let state = &mut model.compare.matrix;
    state.cursor = go.line(state.cursor, count);
}

/// What an action means here; `None` when it means what it does on the rest of the screen.
pub fn act(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::OpenFile => open_file(model),
        Action::NextFile | Action::NextHunk => scroll(model, Go::Down(1)),
        Action::PreviousFile | Action::PreviousHunk => scroll(model, Go::Up(1)),
        Action::Left => return Some(super::update::update(model, Action::FocusPrevious, None)),
        Action::Right => return Some(super::update::update(model, Action::FocusNext, None)),
        _ => return None,
    }
    Some(Vec::new())
}

/// Chooses the row under the mouse.
pub fn click(model: &mut Model, area: Area, y: u16) {
    let Some(row) = usize::from(y.saturating_sub(area.y)).checked_sub(1) else {
        return;
    };
    let count = table(model).map_or(0, |table| table.rows.len());
    let row = model.compare.matrix.first + row;
    if row < count {
        model.compare.matrix.cursor = row;
    }
}

/// Goes to the next file whose path is searched for; `here` = the one under the cursor counts.
pub fn find(model: &mut Model, forward: bool, here: bool) {
    let Some(table) = table(model).cloned() else {
        return;
    };
    let at = model.compare.matrix.cursor;
    let names = table.rows.iter().map(|row| row.path.as_str());
    if let Some(row) = search::find_line(model, names, at, (forward, here), "no path of the group")
    {
        model.compare.matrix.cursor = row;
    }
}

fn open_file(model: &mut Model) {
    let (Some(table), Some(focus)) = (table(model).cloned(), model.compare.focus()) else {
        return;
    };
    let Some(row) = table.rows.get(model.compare.matrix.cursor) else {
        return;
    };
    match row.cells.get(focus).and_then(Option::as_ref) {
        Some(cell) => {
            let place = Spot {
                candidate: focus,
                at: PatchSpot::file(cell.file),
            };
            show(model, &place);
        }
        None => model.say(
            Severity::Info,
            format!("{} does not touch this file", letter(focus)),
        ),
    }
}

/// The mark of a change that another candidate makes too.
fn same_word(other: TrajectoryIndex) -> String {
    format!(" ={}", letter(other))
}
