//! Which lines of a column are to be coloured: those on screen, then a window ahead and behind.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Slot;
use crate::tui::document::Document;
use crate::tui::effect::Effect;
use crate::tui::highlight::ColourUnit;
use crate::tui::model::{Model, OpenedGroup};
use crate::tui::workers::{base_of, patch_of};

/// Asks for the colours of the rows on screen that are neither there nor asked for yet.
pub(super) fn wanted(
    model: &mut Model,
    opened: &OpenedGroup,
    slot: Slot,
    document: &Document,
    seen: Range<usize>,
) -> Vec<Effect> {
    let window = seen.len();
    let mut urgent = BTreeMap::new();
    collect(document, seen.clone(), &mut urgent);
    let mut ahead = BTreeMap::new();
    collect(document, seen.end..seen.end + window, &mut ahead);
    collect(
        document,
        seen.start.saturating_sub(window)..seen.start,
        &mut ahead,
    );
    let Some(patch) = patch_of(opened, slot) else {
        return Vec::new();
    };
    let mut effects = Vec::new();
    let mut files: Vec<usize> = urgent.keys().chain(ahead.keys()).copied().collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let base_is_known = base_of(opened, patch, file).is_some();
        let colours = model.colours.get(&(opened.group, slot, file));
        let colouring = &mut model.colouring;
        let mut missing = |units: Option<&Vec<ColourUnit>>| -> Vec<ColourUnit> {
            let units = units.into_iter().flatten().copied();
            units
                .filter(|unit| !colours.is_some_and(|known| known.has(*unit, base_is_known)))
                .filter(|unit| colouring.insert((opened.group, slot, file, *unit)))
                .collect()
        };
        let mut units = missing(urgent.get(&file));
        let seen = units.len();
        units.extend(missing(ahead.get(&file)));
        if !units.is_empty() {
            effects.push(Effect::Highlight {
                group: opened.group,
                trajectory: slot,
                file,
                units,
                urgent: seen,
            });
        }
    }
    effects
}

fn collect(document: &Document, rows: Range<usize>, units: &mut BTreeMap<usize, Vec<ColourUnit>>) {
    for row in rows.start..rows.end.min(document.len()) {
        for (file, hunk, line) in document.sources(row).into_iter().flatten() {
            let unit = ColourUnit::of(hunk, line);
            let known = units.entry(file).or_default();
            if !known.contains(&unit) {
                known.push(unit);
            }
        }
    }
}
