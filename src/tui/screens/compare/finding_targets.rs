//! What a new finding can be about at the cursor: selected lines, the line, the hunk, the file, the
//! candidate.
//!
//! What is *not* here: the editor of findings ([`crate::tui::overlays`]).

use super::selecting::selected;
use super::update::focused;
use crate::diff::LineKind;
use crate::review::Side;
use crate::tui::document::Document;
use crate::tui::model::Model;

/// What a finding is about, within one candidate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// The file; `None` = the whole candidate. Untrusted text.
    pub file: Option<String>,
    /// Which side the lines are on.
    pub side: Option<Side>,
    /// First and last line (1-based, inclusive).
    pub lines: Option<(u32, u32)>,
    /// What kind of place it is, in a word.
    pub word: &'static str,
}

/// The candidate as such, without a place in its patch.
#[must_use]
pub fn whole_candidate() -> Target {
    Target {
        word: "whole candidate",
        ..Target::default()
    }
}

/// The targets at the cursor, the narrowest first, and the one to begin with.
#[must_use]
pub fn targets(model: &Model) -> (Vec<Target>, usize) {
    let whole = whole_candidate();
    let slot = focused(model);
    let document = model.compare.document(slot);
    let Some(document) = document.filter(|_| model.compare.body.has_columns()) else {
        return (vec![whole], 0);
    };
    let cursor = model.compare.place(slot).cursor;
    let mut targets = Vec::new();
    let chosen = selected(model, slot).and_then(|rows| lines(document, rows, cursor));
    let first = match chosen {
        Some(chosen) => {
            targets.push(Target {
                word: "selected lines",
                ..chosen
            });
            0
        }
        None => {
            targets.extend(lines(document, (cursor, cursor), cursor));
            targets.len()
        }
    };
    targets.extend(hunk(document, cursor));
    targets.extend(file(document, cursor));
    targets.push(whole);
    let first = first.min(targets.len() - 1);
    (targets, first)
}

/// The lines of some rows, of the file that the cursor is in: those of the result where there are
/// any, else those of the base.
pub(super) fn lines(
    document: &Document,
    (first, last): (usize, usize),
    cursor: usize,
) -> Option<Target> {
    let shown = document.file_at(cursor)?;
    let rows = (first..=last).filter(|&row| document.file_at(row) == Some(shown));
    let (mut new, mut old) = (None, None);
    let mut path = None;
    for row in rows {
        if let Some(line) = document.line(row) {
            path.get_or_insert(line.path);
            extend(&mut new, line.new_no);
            extend(&mut old, line.old_no);
        } else if let Some((_, line)) = document.base_line(row) {
            extend(&mut old, Some(line));
        }
    }
    let path = path.unwrap_or_else(|| document.file_path(shown));
    let (side, lines) = match (new, old) {
        (Some(lines), _) => (Side::New, lines),
        (None, Some(lines)) => (Side::Old, lines),
        (None, None) => return None,
    };
    Some(Target {
        file: Some(path.to_owned()),
        side: Some(side),
        lines: Some(lines),
        word: "line",
    })
}

fn extend(range: &mut Option<(u32, u32)>, number: Option<u32>) {
    if let Some(number) = number {
        let (first, last) = range.unwrap_or((number, number));
        *range = Some((first.min(number), last.max(number)));
    }
}

/// The changed lines of the hunk: those that it adds, else those that it removes.
fn hunk(document: &Document, cursor: usize) -> Option<Target> {
    let (file, hunk) = document.hunk_at(cursor)?;
    let file = document.patch().files.get(file)?;
    let (mut new, mut old) = (None, None);
    for line in &file.hunks.get(hunk)?.lines {
        match line.kind {
            LineKind::Added => extend(&mut new, line.new_no),
            LineKind::Removed => extend(&mut old, line.old_no),
            LineKind::Context | LineKind::NoNewline => {}
        }
    }
    let (side, lines) = match (new, old) {
        (Some(lines), _) => (Side::New, lines),
        (None, lines) => (Side::Old, lines?),
    };
    Some(Target {
        file: Some(file.path().to_owned()),
        side: Some(side),
        lines: Some(lines),
        word: "hunk",
    })
}

/// The file, when the patch touches it.
fn file(document: &Document, cursor: usize) -> Option<Target> {
    let file = document.patch_file(document.file_at(cursor)?)?;
    let file = document.patch().files.get(file)?;
    Some(Target {
        file: Some(file.path().to_owned()),
        word: "file",
        ..Target::default()
    })
}
