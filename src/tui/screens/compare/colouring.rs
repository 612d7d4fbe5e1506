//! Which lines of a column are to be coloured: those on screen, then a window ahead and behind.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::tui::colouring::ColourOf;
use crate::tui::document::Document;
use crate::tui::effect::Effect;
use crate::tui::highlight::ColourUnit;
use crate::tui::model::{Model, OpenedGroup};
use crate::tui::workers::base_of;

/// Asks for the colours of the rows on screen that are neither there nor asked for yet.
pub(super) fn wanted(
    model: &mut Model,
    opened: &OpenedGroup,
    of: ColourOf,
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
    let mut effects = Vec::new();
    let mut files: Vec<usize> = urgent.keys().chain(ahead.keys()).copied().collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let base = base_of(opened, document.patch(), file);
        let base_is_known = base.is_some() && matches!(of, ColourOf::Patch(_));
        let colours = model.colours.get(&(opened.group, of, file));
        let colouring = &mut model.colouring;
        let mut missing = |units: Option<&Vec<ColourUnit>>| -> Vec<ColourUnit> {
            let units = units.into_iter().flatten().copied();
            units
                .filter(|unit| base_is_known || !matches!(unit, ColourUnit::Base { .. }))
                .filter(|unit| !colours.is_some_and(|known| known.has(*unit, base_is_known)))
                .filter(|unit| colouring.insert((opened.group, of, file, *unit)))
                .collect()
        };
        let mut units = missing(urgent.get(&file));
        let seen = units.len();
        units.extend(missing(ahead.get(&file)));
        if !units.is_empty() {
            effects.push(Effect::Highlight {
                group: opened.group,
                of,
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
        let quoted = document.sources(row).into_iter().flatten();
        let quoted = quoted.map(|(file, hunk, line)| (file, ColourUnit::of(hunk, line)));
        let base = document.base_line(row);
        let base = base
            .and_then(|(file, line)| Some((document.patch_file(file)?, ColourUnit::of_base(line))));
        for (file, unit) in quoted.chain(base) {
            let known = units.entry(file).or_default();
            if !known.contains(&unit) {
                known.push(unit);
            }
        }
    }
}
