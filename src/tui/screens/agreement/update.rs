//! What keys do on this screen.

use std::sync::Arc;

use super::state::notes;
use crate::raters::{Agreement, Rater, TableKind};
use crate::tui::action::Action;
use crate::tui::area::{self, Area};
use crate::tui::auditing::Audit;
use crate::tui::effect::Effect;
use crate::tui::list::ListPlace;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::screens::disagreements;
use crate::tui::update::go_to;

/// Lines above the table: tabs, what is computed, names of the columns.
pub const HEAD: u16 = 3;

/// Whether a group is blind and not revealed, so that nothing is computed that would tell what its
/// raters said; [`crate::tui::blind`] says so on the screen.
#[must_use]
pub fn is_hidden(model: &Model) -> bool {
    let session = model.session.as_ref();
    session.is_some_and(|session| session.hidden_groups() > 0)
}

/// Performs an action.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let page = usize::from(rows_area(model).height).max(1);
    let state = &mut model.agreement;
    let kind = state.kind;
    let to = |kind: TableKind, step: usize| {
        let all = TableKind::ALL;
        let at = all.iter().position(|other| *other == kind).unwrap_or(0);
        all[(at + step) % all.len()]
    };
    match action {
        Action::Back => return go_to(model, Screen::Groups),
        Action::OpenPair => return open_pair(model),
        Action::NextTable => open(model, to(kind, 1)),
        Action::PreviousTable => open(model, to(kind, TableKind::ALL.len() - 1)),
        Action::NextAggregate => state.aggregate = state.aggregate.next(),
        walk => state.at.walk(walk, page),
    }
    settle(model)
}

fn open(model: &mut Model, kind: TableKind) {
    let state = &mut model.agreement;
    state.kind = kind;
    state.at = ListPlace::default();
    state.refresh();
}

/// The two raters whose rankings the line under the cursor is about.
#[must_use]
pub fn selected_pair(model: &Model) -> Option<&(Rater, Rater)> {
    let state = &model.agreement;
    let table = state.table.as_ref()?;
    table.rows.get(state.at.cursor)?.pair.as_ref()
}

/// Opens the groups that the two raters under the cursor rank differently.
fn open_pair(model: &mut Model) -> Vec<Effect> {
    let state = &model.agreement;
    match selected_pair(model).cloned() {
        Some(pair) => {
            let aggregate = state.aggregate;
            disagreements::show(model, pair, aggregate);
            go_to(model, Screen::Disagreements)
        }
        None if state.kind == TableKind::Raters => {
            open(model, TableKind::Pairs);
            settle(model)
        }
        None => {
            let said = "this line is not about two rankings: those of the tab pairs are";
            model.say(Severity::Info, said);
            Vec::new()
        }
    }
}

/// Where the table's lines stand.
#[must_use]
pub fn rows_area(model: &Model) -> Area {
    area::screen(model.size).split_top(HEAD).1
}

/// Number of lines: the table's, a blank one, the notes.
fn count(model: &Model) -> usize {
    let room = usize::from(model.size.0.saturating_sub(3));
    let table = model.agreement.table.as_ref();
    table.map_or(0, |table| table.rows.len() + 1 + notes(table, room).len())
}

/// Uses the mouse at a cell.
pub fn mouse(model: &mut Model, kind: MouseKind, x: u16, y: u16) -> Vec<Effect> {
    let area = rows_area(model);
    if model.agreement.at.mouse(kind, area, (x, y)) {
        return open_pair(model);
    }
    settle(model)
}

/// Fits the scroll position to what is shown now, and asks for the figures when they are old.
pub fn settle(model: &mut Model) -> Vec<Effect> {
    let lines = count(model);
    let window = usize::from(rows_area(model).height);
    let state = &mut model.agreement;
    state.at.settle(window, lines);
    if is_hidden(model) {
        let state = &mut model.agreement;
        (state.found, state.table, state.asked) = (None, None, None);
        return Vec::new();
    }
    let Some(session) = &model.session else {
        return Vec::new();
    };
    let state = &mut model.agreement;
    let wanted = (session.revision(), state.aggregate);
    let is_there = state.found.as_ref().is_some_and(|(of, _)| *of == wanted);
    if is_there || state.asked == Some(wanted) {
        return Vec::new();
    }
    state.asked = Some(wanted);
    vec![Effect::Audit(Audit::Agreement(state.aggregate))]
}

/// Takes the figures over a revision of the review.
pub fn found(model: &mut Model, revision: u64, found: &Arc<Agreement>) {
    let state = &mut model.agreement;
    let of = (revision, found.options.aggregate);
    if state.asked == Some(of) {
        state.asked = None;
    }
    state.found = Some((of, Arc::clone(found)));
    state.refresh();
}

/// Forgets what was asked for: it was given up.
pub fn given_up(model: &mut Model) {
    model.agreement.asked = None;
}
