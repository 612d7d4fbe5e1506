//! A spot: a place of a candidate's patch, and how the screen goes there.
//!
//! Places are those of the parsed patch, not rows of a column: they stay true however the columns
//! show the patch.

use super::reading::{document_of, go_to_row, prepare};
use super::state::Body;
use super::update::{opened, settle};
use crate::diff::{LineKind, Patch};
use crate::domain::TrajectoryIndex;
use crate::tui::document::{Document, Side, find_line};
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::update::go_to;

/// A file, a hunk or a line of a patch; in the order in which a patch shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchSpot {
    /// 0-based file; 0 in a text that is no diff.
    pub file: usize,
    /// 0-based hunk; `None` = the head of the file, or text that is no hunk.
    pub hunk: Option<usize>,
    /// 0-based line of the hunk, or of the text that is no hunk; `None` = the head.
    pub line: Option<usize>,
}

impl PatchSpot {
    /// The head of a file.
    #[must_use]
    pub fn file(file: usize) -> Self {
        Self {
            file,
            hunk: None,
            line: None,
        }
    }

    /// Whether it is the head of a file.
    #[must_use]
    pub fn is_file(self) -> bool {
        self.hunk.is_none() && self.line.is_none()
    }

    /// The head of a hunk.
    #[must_use]
    pub fn hunk(file: usize, hunk: usize) -> Self {
        Self {
            file,
            hunk: Some(hunk),
            line: None,
        }
    }

    /// A line of a hunk.
    #[must_use]
    pub fn line(file: usize, hunk: usize, line: usize) -> Self {
        Self {
            file,
            hunk: Some(hunk),
            line: Some(line),
        }
    }

    /// A line of text that is no hunk.
    #[must_use]
    pub fn raw(file: usize, line: usize) -> Self {
        Self {
            file,
            hunk: None,
            line: Some(line),
        }
    }
}

/// A place of a candidate's patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// Whose patch.
    pub candidate: TrajectoryIndex,
    /// Where.
    pub at: PatchSpot,
}

/// Shows a place: its candidate gets the focus, the cursor goes there. A line that is folded away is
/// shown by its file.
pub fn show(model: &mut Model, spot: &Spot) {
    let Some(group) = model.compare.group else {
        return;
    };
    model.compare.body = Body::Diff;
    model.compare.focus_on(group, spot.candidate);
    let Some(opened) = opened(model).cloned() else {
        return;
    };
    let slot = Some(spot.candidate);
    prepare(model, &opened);
    if let Some(document) = document_of(model, &opened, slot)
        && let Some(row) = row_of(&document, spot.at)
    {
        go_to_row(model, slot, row);
    }
}

/// Opens the compare screen on the first change of a hunk of the focused candidate's patch; without
/// a hunk on its file.
pub fn show_hunk(model: &mut Model, file: usize, hunk: Option<usize>) -> Vec<Effect> {
    show_in_focused(model, |patch| {
        let change = hunk.and_then(|hunk| {
            let found = patch.files.get(file)?.hunks.get(hunk)?;
            let mut lines = found.lines.iter();
            let change = lines.position(|line| line.kind != LineKind::Context);
            Some(PatchSpot::line(file, hunk, change.unwrap_or(0)))
        });
        change.unwrap_or(PatchSpot::file(file))
    })
}

/// Shows lines (1-based, inclusive) of a file of a candidate's patch, or its head, or the patch as it
/// stands when no file is meant; says so when the patch does not quote them.
pub fn show_lines(
    model: &mut Model,
    candidate: TrajectoryIndex,
    path: Option<&str>,
    old_side: bool,
    lines: Option<(u32, u32)>,
) -> Vec<Effect> {
    let Some(group) = model.compare.group else {
        return Vec::new();
    };
    model.compare.focus_on(group, candidate);
    let Some(path) = path else {
        model.compare.body = Body::Diff;
        model.compare.interdiff = None;
        return go_to(model, Screen::Compare);
    };
    let patch = opened(model).and_then(|opened| opened.patches.get(candidate).cloned());
    let side = if old_side { Side::Old } else { Side::New };
    let found = patch.and_then(|patch| {
        let line = lines.and_then(|lines| find_line(&patch, path, side, lines));
        let file = patch.files.iter().position(|file| file.path() == path);
        let line = line.map(|(file, hunk, line)| PatchSpot::line(file, hunk, line));
        line.or(file.map(PatchSpot::file))
    });
    let Some(at) = found else {
        let said = "the patch does not touch the file of this finding";
        model.say(Severity::Info, said);
        return show_in_focused(model, |_| PatchSpot::file(0));
    };
    if at.is_file() && lines.is_some() {
        model.say(Severity::Info, "the patch does not quote these lines");
    }
    show_in_focused(model, |_| at)
}

/// Opens the compare screen on a place of the focused candidate's patch.
pub fn show_place(model: &mut Model, at: PatchSpot) -> Vec<Effect> {
    show_in_focused(model, |_| at)
}

fn show_in_focused(model: &mut Model, at: impl Fn(&Patch) -> PatchSpot) -> Vec<Effect> {
    model.compare.body = Body::Diff;
    // The place is one of the patch.
    model.compare.interdiff = None;
    let mut effects = go_to(model, Screen::Compare);
    effects.extend(settle(model));
    let Some(candidate) = model.compare.focus() else {
        return effects;
    };
    let patch = opened(model).and_then(|opened| opened.patches.get(candidate).cloned());
    if let Some(patch) = patch {
        let at = at(&patch);
        show(model, &Spot { candidate, at });
    }
    effects.extend(settle(model));
    effects
}

/// The row that shows a place.
fn row_of(document: &Document, at: PatchSpot) -> Option<usize> {
    let exact = match (at.hunk, at.line) {
        (None, None) => None,
        (Some(hunk), Some(line)) => document.row_of(at.file, hunk, line),
        (Some(hunk), None) => document.row_of_hunk(at.file, hunk),
        (None, Some(line)) => document.row_of_raw(at.file, line),
    };
    let start = || {
        let file = document.shown_file(at.file).unwrap_or(at.file);
        document.file_starts().get(file).copied()
    };
    exact.or_else(start)
}

/// The place of the focused candidate's patch that the cursor is at, when there is one.
#[must_use]
pub fn current(model: &Model) -> Option<Spot> {
    let candidate = model.compare.focus()?;
    let document = model.compare.document(Some(candidate))?;
    let row = model.compare.place(Some(candidate)).cursor;
    let shown = document.file_at(row).unwrap_or(0);
    let file = document.patch_file(shown).unwrap_or(0);
    let at = if let Some(line) = document.line(row) {
        PatchSpot::line(line.file, line.hunk, line.line)
    } else if let Some((file, hunk)) = document.hunk_at(row) {
        PatchSpot::hunk(file, hunk)
    } else if let Some(line) = document.raw_at(row) {
        PatchSpot::raw(file, line)
    } else {
        PatchSpot::file(file)
    };
    Some(Spot { candidate, at })
}
