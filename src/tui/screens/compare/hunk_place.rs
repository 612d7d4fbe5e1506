//! Where the reader of a patch is, and how to get to a hunk: ways to and from the steps.

use super::reading::{go_to_file, go_to_row};
use super::update::settle;
use super::{Body, Slot};
use crate::diff::LineKind;
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Screen};
use crate::tui::update::go_to;

/// A place in a patch: (file, hunk, line), 0-based.
pub type PatchPlace = (usize, Option<usize>, Option<usize>);

/// The place of the cursor in the focused candidate's patch; `None` when no file is there.
#[must_use]
pub fn current_place(model: &Model) -> Option<PatchPlace> {
    let slot: Slot = model.compare.focus();
    let document = model.compare.document(slot)?;
    let row = model.compare.place(slot).cursor;
    if let Some(line) = document.line(row) {
        return Some((line.file, Some(line.hunk), Some(line.line)));
    }
    if let Some((file, hunk)) = document.hunk_at(row) {
        return Some((file, Some(hunk), None));
    }
    Some((document.patch_file(document.file_at(row)?)?, None, None))
}

/// Opens the compare screen on the first change of a hunk of the focused candidate's patch; without
/// a hunk on its file.
pub fn show_hunk(model: &mut Model, file: usize, hunk: Option<usize>) -> Vec<Effect> {
    model.compare.body = Body::Diff;
    let mut effects = go_to(model, Screen::Compare);
    effects.extend(settle(model));
    let slot: Slot = model.compare.focus();
    let Some(document) = model.compare.document(slot) else {
        return effects;
    };
    let row = hunk.and_then(|hunk| {
        let found = document.patch().files.get(file)?.hunks.get(hunk)?;
        let lines = &found.lines;
        let change = lines.iter().position(|line| line.kind != LineKind::Context);
        document.row_of(file, hunk, change.unwrap_or(0))
    });
    let shown = document.shown_file(file);
    match (row, shown) {
        (Some(row), _) => go_to_row(model, slot, row),
        (None, Some(file)) => go_to_file(model, file),
        (None, None) => {}
    }
    effects.extend(settle(model));
    effects
}
