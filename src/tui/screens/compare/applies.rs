//! Whether a key of the patches would do something now, as far as that is cheap to tell: for the key
//! sheet and the footer.

use super::places::{Wanted, is_moved_here, is_wanted};
use super::rule_remarks::has as has_rule_remarks;
use super::update::{focused, layout, opened, shown_order};
use super::{State, has_remarks};
use crate::tui::action::Action;
use crate::tui::model::Model;

/// Places of the base that are looked at: among more there is taken to be one.
const LOOKED_AT: usize = 500;

/// Whether an action on the patches would do something; `None` = it is none of them.
#[must_use]
pub fn applies(model: &Model, action: Action) -> Option<bool> {
    Some(match action {
        Action::Aligned => opened(model).is_some_and(|opened| opened.aligned().is_some()),
        Action::Reference => opened(model).is_some_and(|opened| opened.reference.is_some()),
        Action::NextRemark | Action::PreviousRemark => has_remarks(model, focused(model)),
        Action::ConfirmRemark | Action::DismissRemark => {
            model.compare.is_spotting || has_rule_remarks(model, focused(model))
        }
        Action::Interdiff => has_interdiff(&model.compare) || results(model) > 1,
        Action::InterdiffOther => has_interdiff(&model.compare) && results(model) > 2,
        Action::ColumnsRight => columns_beyond(model).1,
        Action::ColumnsLeft => columns_beyond(model).0,
        Action::NextDifference | Action::PreviousDifference => has(model, Wanted::Difference),
        Action::NextUnique | Action::PreviousUnique => has(model, Wanted::Unique),
        Action::OtherEnd => is_moved_here(model),
        Action::Fold | Action::Folds | Action::NextHunk | Action::PreviousHunk => {
            let document = model.compare.document(focused(model));
            document.is_some_and(|document| !document.patch().files.is_empty())
        }
        _ => return None,
    })
}

fn has_interdiff(compare: &State) -> bool {
    compare.interdiff.is_some()
}

/// Results that can be compared with each other.
fn results(model: &Model) -> usize {
    let Some(opened) = opened(model) else {
        return 0;
    };
    opened.patches.len() + usize::from(opened.reference.is_some())
}

/// Whether candidates without a column come before those with one, and behind them.
fn columns_beyond(model: &Model) -> (bool, bool) {
    let columns = layout(model).columns;
    let shown = columns.iter().filter(|column| column.slot.is_some());
    let shown = shown.count();
    let first = model.compare.first_column;
    (
        shown > 0 && first > 0,
        shown > 0 && first + shown < shown_order(model).len(),
    )
}

/// Whether there is a place that is looked for.
fn has(model: &Model, wanted: Wanted) -> bool {
    let Some(opened) = opened(model) else {
        return false;
    };
    let Some(on_base) = opened.on_base() else {
        return false;
    };
    let is_wanted = is_wanted(model, opened, wanted);
    let files = on_base.aligned.files.iter();
    let mut regions = files.flat_map(|file| &file.regions);
    regions.by_ref().take(LOOKED_AT).any(&is_wanted) || regions.next().is_some()
}
