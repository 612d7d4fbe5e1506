//! The interdiff: what turns another candidate's result into the focused one's.

use super::candidates::letter;
use super::layout::Slot;
use super::update::{focused, layout, opened, shown_order};
use crate::diff::{Certainty, Compared, Interdiff};
use crate::tui::colouring::ColourOf;
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Severity};

/// Shows the interdiff against the candidate beside the focused one, or the patch again.
pub(super) fn toggle(model: &mut Model) {
    if model.compare.interdiff.take().is_some() {
        model.say(Severity::Info, "the patches against the base");
        return;
    }
    match beside(model) {
        Some(from) => show(model, from),
        None => next(model),
    }
}

/// Whose result the focused one is compared with first: that of the column on its left, else on its
/// right; with one column that of the candidate ranked just above, else just below.
fn beside(model: &Model) -> Option<Slot> {
    let to = focused(model);
    let columns = layout(model).columns.into_iter().map(|column| column.slot);
    let mut slots: Vec<Slot> = columns.collect();
    if slots.len() < 2 {
        slots = shown_order(model).into_iter().map(Some).collect();
    }
    let at = slots.iter().position(|&slot| slot == to)?;
    let left = at.checked_sub(1).and_then(|left| slots.get(left));
    left.or_else(|| slots.get(at + 1)).copied()
}

fn show(model: &mut Model, from: Slot) {
    model.compare.interdiff = Some(from);
    let said = format!("from {} to {}", name(from), name(focused(model)));
    model.say(Severity::Info, said);
}

/// Shows the interdiff against the next candidate in the order shown, at last the reference.
pub(super) fn next(model: &mut Model) {
    let to = focused(model);
    let order = shown_order(model);
    let reference = opened(model).is_some_and(|opened| opened.reference.is_some());
    let slots: Vec<Slot> = order
        .into_iter()
        .map(Some)
        .chain(reference.then_some(None))
        .collect();
    let at = model.compare.interdiff.unwrap_or(to);
    let place = slots.iter().position(|&slot| slot == at).unwrap_or(0);
    let rotated = slots.iter().cycle().skip(place + 1).take(slots.len());
    match rotated.copied().find(|&slot| slot != to) {
        Some(from) => show(model, from),
        None => model.say(Severity::Info, "there is no other result to compare with"),
    }
}

/// Asks for the interdiff that is to be shown, once.
pub(super) fn request(model: &mut Model, group: usize) -> Option<Effect> {
    let (from, to, found) = model.compare.interdiff_shown()?;
    let key = (group, from, to);
    let wanted = found.is_none() && model.compare.interdiffing.insert(key);
    wanted.then_some(Effect::Interdiff { group, from, to })
}

/// Whose colours a column shows: those of its patch, or of what stands in its place.
pub(super) fn colours_of(model: &Model, slot: Slot) -> ColourOf {
    match model.compare.interdiff_shown() {
        Some((from, to, Some(_))) if to == slot => ColourOf::Interdiff(from, to),
        _ => ColourOf::Patch(slot),
    }
}

/// What a title calls a result.
pub(super) fn name(slot: Slot) -> String {
    slot.map_or_else(|| "the reference".to_owned(), letter)
}

/// What the title says of an interdiff.
pub(super) fn title(from: Slot, to: Slot, found: Option<&Interdiff>) -> String {
    let what = match found {
        None => "comparing …".to_owned(),
        Some(found) => {
            let sure = match found.certainty() {
                Certainty::Exact => "exact",
                Certainty::AsFarAsQuoted => "as far as quoted",
            };
            let unknown = found
                .files
                .iter()
                .filter(|file| matches!(file.outcome, Compared::NotComparable(_)))
                .count();
            let same = if found.is_equal() {
                "same result, "
            } else {
                ""
            };
            match unknown {
                0 => format!("{same}{sure}"),
                1 => format!("{sure}, 1 file not comparable"),
                n => format!("{sure}, {n} files not comparable"),
            }
        }
    };
    format!("interdiff {} → {}: {what}", name(from), name(to))
}
