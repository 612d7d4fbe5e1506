//! What the mouse does on the compare screen: focus, scroll bars, dragging candidates in the ranking.

use super::candidates::letter;
use super::judging::tell_undo;
use super::layout::{Column, Layout};
use super::panel;
use super::reading::{self, Go, Motion, Window, go_to_file};
use super::state::Place;
use super::update::{first_listed, focus, focus_by, focused, layout, scroll, settle, shown_order};
use crate::domain::{Move, TrajectoryIndex};
use crate::review::Change;
use crate::tui::effect::Effect;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::update::{change, shown_ranking};
use crate::tui::widgets::diff_lines::scroll_bar_row;

/// Lines that one turn of the wheel scrolls.
const WHEEL: usize = 3;

/// What the mouse does.
pub fn mouse(model: &mut Model, kind: MouseKind, x: u16, y: u16) -> Vec<Effect> {
    let mut effects = Vec::new();
    let layout = layout(model);
    let over_column = layout.columns.iter().find(|column| {
        [column.title, column.file, column.text]
            .iter()
            .any(|area| area.contains(x, y))
    });
    let slot = over_column.map(|column| column.slot);
    match kind {
        MouseKind::Down => {
            if let Some(index) = strip_row(model, &layout, x, y) {
                focus(model, index);
                model.compare.drag = Some(index);
            } else if layout.panel.is_some() {
                panel::click(model, (x, y));
            } else if let Some(file) = file_row(model, &layout, x, y) {
                go_to_file(model, file);
            } else if let Some(column) = over_column {
                click(model, column, y);
                model.compare.dragged_bar = on_bar(column, x, y).then_some(column.slot);
                drag_bar(model, &layout, y);
            }
        }
        MouseKind::Drag => {
            drag_bar(model, &layout, y);
            if let Some((dragged, place)) = drop_place(model, &layout, x, y) {
                model.say(
                    Severity::Info,
                    format!("{} to place {place}", letter(dragged)),
                );
            }
        }
        MouseKind::Up => {
            let target = drop_place(model, &layout, x, y);
            model.compare.drag = None;
            model.compare.dragged_bar = None;
            if let Some(((dragged, place), group)) = target.zip(model.compare.group) {
                let moved = Change::Move(Move::ToPlace(dragged, place));
                if change(model, group, moved, &mut effects) {
                    tell_undo(model);
                }
            }
        }
        MouseKind::ScrollUp | MouseKind::ScrollDown => {
            let down = kind == MouseKind::ScrollDown;
            let go = if down { Go::Down(WHEEL) } else { Go::Up(WHEEL) };
            if layout.strip.contains(x, y) {
                focus_by(model, if down { 1 } else { -1 });
            } else if layout.panel.is_some() {
                scroll(model, Motion::Roll, go);
            } else if let Some(slot) = slot {
                reading::scroll(model, &layout, slot, Motion::Roll, go);
            }
        }
    }
    if model.screen == Screen::Compare {
        effects.extend(settle(model));
    }
    effects
}

/// A click into a column: it gets the focus, and the line the cursor.
fn click(model: &mut Model, column: &Column, y: u16) {
    if let (Some(group), Some(index)) = (model.compare.group, column.slot) {
        model.compare.focus_on(group, index);
    }
    if !column.text.contains(column.text.x, y) {
        return;
    }
    let line = usize::from(y - column.text.y);
    let place = model.compare.place(column.slot);
    if let Some(window) = Window::of(model, column)
        && let Some(cursor) = window.row_at(place.top, line)
    {
        reading::put(model, column.slot, Place { cursor, ..place });
    }
}

fn on_bar(column: &Column, x: u16, y: u16) -> bool {
    let text = column.text;
    text.contains(x, y) && x + 1 == text.x + text.width
}

/// Shows the part of the document that the mouse holds on the scroll bar.
fn drag_bar(model: &mut Model, layout: &Layout, y: u16) {
    let column = model
        .compare
        .dragged_bar
        .and_then(|slot| layout.column(slot));
    if let Some(column) = column
        && let Some(window) = Window::of(model, column)
    {
        let rows = window.document.len();
        let row = scroll_bar_row(column.text, y, rows);
        reading::put(model, column.slot, window.begin(row));
    }
}

fn strip_row(model: &Model, layout: &Layout, x: u16, y: u16) -> Option<TrajectoryIndex> {
    if !layout.strip.contains(x, y) || model.compare.strip_folded {
        return None;
    }
    let row = layout.strip_first + usize::from(y - layout.strip.y);
    shown_order(model).get(row).copied()
}

/// The dragged candidate and the rank of the row under the mouse, when that is another one's.
fn drop_place(model: &Model, layout: &Layout, x: u16, y: u16) -> Option<(TrajectoryIndex, usize)> {
    let dragged = model.compare.drag?;
    let over = strip_row(model, layout, x, y).filter(|&over| over != dragged)?;
    Some((dragged, shown_ranking(model)?.rank_of(over)?))
}

/// The file of the list under the mouse.
fn file_row(model: &Model, layout: &Layout, x: u16, y: u16) -> Option<usize> {
    let area = layout.files.filter(|area| area.contains(x, y))?;
    let document = model.compare.document(focused(model))?;
    let row = usize::from(y - area.y).checked_sub(1)?;
    let window = usize::from(area.height).saturating_sub(1);
    let file = first_listed(model, document, window) + row;
    (file < document.file_starts().len()).then_some(file)
}
