//! A list of places of the candidates' patches to choose from: what its rows say, and going there.
//!
//! What is *not* here: how the list is drawn and typed into ([`crate::tui::overlays`]).

use super::candidates::letter;
use super::spot::{Spot, show};
use super::update::{opened, settle};
use crate::diff::{LineKind, Patch};
use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::overlays::Overlay;
use crate::tui::query::Query;

/// Most places that are listed; the others are counted.
pub const MOST_LISTED: usize = 2000;
/// Bytes of a line that a row of the list holds.
const TEXT: usize = 240;
/// Bytes in front of what is found that a row shows of a long line.
const LEAD: usize = 24;

/// Places to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaceList {
    /// What they are, with counts.
    pub title: String,
    /// The rows.
    pub rows: Vec<Listed>,
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Where it goes.
    pub place: Spot,
    /// Candidate, path and line number. Untrusted text.
    pub left: String,
    /// Sign and text of the line. Untrusted text.
    pub text: String,
}

impl Listed {
    /// The row for a place of a patch; a long line begins shortly before what `find` finds.
    #[must_use]
    pub fn of(patch: &Patch, place: Spot, find: &dyn Fn(&str) -> Option<usize>) -> Self {
        let at = place.at;
        let file = patch.files.get(at.file);
        let path = file.map_or("", |file| file.path());
        let hunk = file
            .zip(at.hunk)
            .and_then(|(file, hunk)| file.hunks.get(hunk));
        let line = hunk
            .zip(at.line)
            .and_then(|(hunk, line)| hunk.lines.get(line));
        let (number, sign, text) = match (hunk, line) {
            (_, Some(line)) => {
                let sign = match line.kind {
                    LineKind::Added => "+",
                    LineKind::Removed => "−",
                    LineKind::Context => " ",
                    LineKind::NoNewline => "\\",
                };
                (line.new_no.or(line.old_no), sign, patch.line_text(line))
            }
            (Some(hunk), None) => {
                let section = patch.text.get(hunk.section.clone()).unwrap_or("");
                (Some(hunk.new_start), "@@ ", section)
            }
            (None, None) => match (file, at.line) {
                (Some(file), Some(line)) => {
                    let raw = file
                        .raw
                        .iter()
                        .filter_map(|range| patch.text.get(range.clone()));
                    (None, "", raw.flat_map(str::lines).nth(line).unwrap_or(""))
                }
                (None, Some(line)) => (None, "", patch.text.split('\n').nth(line).unwrap_or("")),
                // The path is what was found, and stands on the left.
                (_, None) => (None, "", "the file"),
            },
        };
        let number = number
            .map(|number| format!(":{number}"))
            .unwrap_or_default();
        Self {
            place,
            left: format!("{} {path}{number}", letter(place.candidate)),
            text: format!("{sign}{}", around(text, find(text))),
        }
    }
}

/// A piece of a line that holds what stands at byte `found`.
fn around(line: &str, found: Option<usize>) -> String {
    let from = match found {
        Some(found) if found > TEXT / 3 => line.floor_char_boundary(found - LEAD),
        _ => 0,
    };
    let to = line.floor_char_boundary((from + TEXT).min(line.len()));
    let mark = if from > 0 { "…" } else { "" };
    format!("{mark}{}", &line[from..to])
}

/// Where a search begins in a line.
pub fn first_match(query: &Query) -> impl Fn(&str) -> Option<usize> {
    move |line| query.find(line).first().map(|range| range.start)
}

/// Opens the list of these places over the screen.
pub fn open(
    model: &mut Model,
    title: String,
    places: &[Spot],
    find: &dyn Fn(&str) -> Option<usize>,
) {
    let Some(opened) = opened(model) else { return };
    let rows = places.iter().filter_map(|&place| {
        let patch = opened.patches.get(place.candidate)?;
        Some(Listed::of(patch, place, find))
    });
    let rows = rows.take(MOST_LISTED).collect();
    model.compare.listed = PlaceList { title, rows };
    model.overlay = Some(Overlay::places());
}

/// Goes to a row of the list.
pub fn choose(model: &mut Model, row: usize) -> Vec<Effect> {
    let Some(place) = model
        .compare
        .listed
        .rows
        .get(row)
        .map(|listed| listed.place)
    else {
        return Vec::new();
    };
    show(model, &place);
    settle(model)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::spot::PatchSpot;
    use super::*;

    #[test]
    fn a_row_says_where_the_line_is_and_what_it_is() {
        let text = "--- a/new.py\n+++ b/new.py\n@@ -7,2 +7,1 @@ def f\n a\n-let\n";
        let patch = Patch::read(Arc::from(text));
        let row = |at| {
            let row = Listed::of(&patch, Spot { candidate: 1, at }, &|_| None);
            (row.left, row.text)
        };
        let of = |left: &str, text: &str| (left.to_owned(), text.to_owned());
        assert_eq!(row(PatchSpot::line(0, 0, 1)), of("B new.py:8", "−let"));
        assert_eq!(row(PatchSpot::line(0, 0, 0)), of("B new.py:7", " a"));
        assert_eq!(row(PatchSpot::hunk(0, 0)), of("B new.py:7", "@@ def f"));
        assert_eq!(row(PatchSpot::file(0)), of("B new.py", "the file"));
    }

    #[test]
    fn a_long_line_shows_what_was_found() {
        let line = "é".repeat(500) + "here" + &"x".repeat(500);
        let found = line.find("here");
        let shown = around(&line, found);
        assert!(shown.starts_with('…') && shown.contains("here"), "{shown}");
        assert!(shown.len() < 300);
        assert_eq!(around("short here", Some(6)), "short here");
    }
}
