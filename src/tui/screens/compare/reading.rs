//! Moving through the patches: jumps, the documents that columns show, and the columns that follow
//! the focused one.
//!
//! What is *not* here: which key does what (`update`), how a window follows its cursor (`window.rs`),
//! and what a row is (`crate::tui::document`).

use std::sync::Arc;

use super::layout::{Layout, Slot};
use super::state::Place;
use super::update::{focused, layout, opened};
pub(super) use super::window::{Go, Window};
use crate::tui::document::{Document, Grid, Shape, View};
use crate::tui::model::{Model, OpenedGroup, Severity};
use crate::tui::scroll::Position;

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

/// Makes the rows of what is to be shown now, before a place in them is looked for: the focus may
/// have moved to a candidate that had no column.
pub(super) fn prepare(model: &mut Model, opened: &OpenedGroup) {
    let layout = layout(model);
    model.compare.shape = layout.shape;
    share_rows(model, opened, &layout);
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
