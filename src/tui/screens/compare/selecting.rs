//! A selection of lines in the focused column: begun with a key, extended by the cursor.
//!
//! What is *not* here: what a selection is taken for (`finding_targets.rs`), and how its lines are
//! drawn (`crate::tui::widgets::diff_lines`).

use std::sync::Arc;

use super::finding_targets::lines;
use super::layout::Slot;
use super::update::focused;
use crate::review::Side;
use crate::tui::action::Action;
use crate::tui::document::Document;
use crate::tui::model::{Model, Severity};

/// Where a selection began.
#[derive(Debug, Clone)]
pub struct Selecting {
    /// In which column.
    slot: Slot,
    /// The row it began at.
    anchor: usize,
    /// The rows as they were: in others the selection means nothing.
    document: Arc<Document>,
}

/// The first and the last selected row of a column, when it has any.
#[must_use]
pub fn selected(model: &Model, slot: Slot) -> Option<(usize, usize)> {
    let selecting = model.compare.selecting.as_ref()?;
    let document = model.compare.document(slot)?;
    let is_here = selecting.slot == slot
        && focused(model) == slot
        && Arc::ptr_eq(document, &selecting.document);
    let cursor = model.compare.place(slot).cursor;
    let anchor = selecting.anchor;
    is_here.then(|| (anchor.min(cursor), anchor.max(cursor)))
}

/// Begins a selection at the cursor, or ends it.
pub(super) fn toggle(model: &mut Model) {
    if end(model) {
        return;
    }
    let slot = focused(model);
    let document = model.compare.document(slot).cloned();
    let why_not = match (&document, model.compare.body) {
        (_, body) if !body.has_columns() => Some("lines are selected in the patches"),
        _ if model.compare.interdiff_shown().is_some() => {
            Some("an interdiff is no patch of a candidate: its lines cannot be selected")
        }
        (None, _) => Some("there is no line to select"),
        _ => None,
    };
    if let Some(said) = why_not {
        return model.say(Severity::Info, said);
    }
    model.compare.selecting = document.map(|document| Selecting {
        slot,
        anchor: model.compare.place(slot).cursor,
        document,
    });
}

/// Ends a selection; answers whether there was one.
pub(super) fn end(model: &mut Model) -> bool {
    model.compare.selecting.take().is_some()
}

/// Drops a selection whose column is another one now, else says how many lines it has.
pub(super) fn settle(model: &mut Model) {
    if model.compare.selecting.is_none() {
        return;
    }
    let slot = focused(model);
    let document = model.compare.document(slot);
    let Some((rows, document)) = selected(model, slot).zip(document) else {
        model.compare.selecting = None;
        return;
    };
    if !model.status.text.is_empty() {
        return;
    }
    // Those that a finding would be bound to: rows may be no lines, or lines that are gone.
    let bound = lines(document, rows, model.compare.place(slot).cursor);
    let key = |action| model.keymap.key_of(action).unwrap_or_default();
    let (add, stop) = (key(Action::AddFinding), key(Action::SelectLines));
    let base = match bound.as_ref().and_then(|bound| bound.side) {
        Some(Side::Old) => " of the base",
        _ => "",
    };
    let bound = match bound.and_then(|bound| bound.lines) {
        None => "0 lines selected".to_owned(),
        Some((first, last)) if first == last => format!("1 line{base} selected: {first}"),
        Some((first, last)) => {
            let count = last - first + 1;
            format!("{count} lines{base} selected: {first}–{last}")
        }
    };
    let said = format!("{bound} · {add} adds a finding · {stop} ends this");
    model.say(Severity::Info, said);
}
