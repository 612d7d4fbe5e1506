//! Folding: files, and lines of the base that no column changes.

use std::collections::BTreeSet;

use super::update::{focused, opened};
use crate::tui::document::{Revealed, Shape};
use crate::tui::model::{Model, Severity};

/// Folds or unfolds what the cursor is on: lines of the base, else the file.
pub(super) fn fold(model: &mut Model) {
    let slot = focused(model);
    let Some((group, document)) = model
        .compare
        .group
        .zip(model.compare.document(slot).cloned())
    else {
        return;
    };
    let cursor = model.compare.place(slot).cursor;
    let Some(file) = document.file_at(cursor) else {
        model.say(Severity::Info, "there is nothing to fold here");
        return;
    };
    let Some(grid) = document.grid() else {
        let unfolded = model.compare.unfolded.entry((group, slot)).or_default();
        if let Some((file, lines)) = document.fold_at(cursor) {
            unfolded.unfold(file, lines);
            return;
        }
        let base = document.base_line(cursor);
        if base.is_some_and(|(file, line)| unfolded.fold(file, line)) {
            return;
        }
        let folded = model.compare.folded.entry((group, slot)).or_default();
        if !folded.remove(&file) {
            folded.insert(file);
        }
        return;
    };
    let revealed = model.compare.revealed.entry(group).or_default();
    if let Some((file, (from, to))) = grid.fold_at(cursor) {
        if !grid.is_readable(cursor) {
            model.say(
                Severity::Info,
                "no candidate quotes these lines, and the base is not known",
            );
            return;
        }
        revealed.unfold(file, (from, to));
        return;
    }
    let line = grid.base_at(cursor).map(|(_, line)| line);
    if line.is_some_and(|line| revealed.fold(file, line)) {
        return;
    }
    if !revealed.folded.remove(&file) {
        revealed.folded.insert(file);
    }
}

/// Unfolds everything, or folds it again.
pub(super) fn folds(model: &mut Model) {
    let slot = focused(model);
    let Some((group, document)) = model
        .compare
        .group
        .zip(model.compare.document(slot).cloned())
    else {
        return;
    };
    let said = if document.shape() == Shape::Aligned {
        let revealed = model.compare.revealed.entry(group).or_default();
        let all = !revealed.all;
        *revealed = Revealed::default();
        revealed.all = all;
        let known = opened(model)
            .and_then(|opened| opened.bases())
            .is_some_and(|bases| !bases.is_empty());
        match (all, known) {
            (true, true) => "all lines of the base are shown",
            (true, false) => "all lines that any candidate quotes are shown: the base is not known",
            (false, _) => "unchanged lines are folded",
        }
    } else if document.has_base() {
        let unfolded = model.compare.unfolded.entry((group, slot)).or_default();
        let all = !unfolded.all;
        *unfolded = Revealed::default();
        unfolded.all = all;
        model.compare.folded.remove(&(group, slot));
        match all {
            true => "all lines of the base are shown",
            false => "unchanged lines are folded",
        }
    } else {
        let files = document.file_starts().len();
        let folded = model.compare.folded.entry((group, slot)).or_default();
        if folded.is_empty() {
            *folded = (0..files).collect();
            "all files are folded; the base is not known: only what hunks quote can be shown"
        } else {
            *folded = BTreeSet::new();
            "all files are unfolded; the base is not known: only what hunks quote can be shown"
        }
    };
    model.say(Severity::Info, said);
}
