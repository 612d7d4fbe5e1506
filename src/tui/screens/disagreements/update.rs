//! What keys do on this screen.

use std::sync::Arc;

use crate::raters::Aggregate;
use crate::review::Disagreement;
use crate::tui::action::Action;
use crate::tui::area::{self, Area};
use crate::tui::auditing::{Audit, Disagreements, Pairing};
use crate::tui::effect::Effect;
use crate::tui::list::ListPlace;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen};
use crate::tui::screens::{agreement, compare};
use crate::tui::text;
use crate::tui::update::{go_to, open_group};

/// Lines above the rows: the pairing, the names of the columns.
pub const HEAD: u16 = 2;

/// What a list is over: revision of the review, pairing asked for, aggregate.
type Over = (u64, Option<Pairing>, Aggregate);

/// State of the screen.
#[derive(Debug, Default)]
pub struct State {
    /// Whose rankings are wanted; `None` = the annotator's and the grader's, or what there is.
    pub pairing: Option<Pairing>,
    /// How the consensus is made.
    pub aggregate: Aggregate,
    /// What is being computed.
    asked: Option<Over>,
    /// What was computed last, and over what.
    found: Option<(Over, Arc<Disagreements>)>,
    /// Cells of the longest name among the groups of the rows.
    pub name_width: usize,
    /// The cursor and the first visible row.
    pub at: ListPlace,
}

impl State {
    /// What was computed last.
    #[must_use]
    pub fn list(&self) -> Option<&Disagreements> {
        self.found.as_ref().map(|(_, found)| found.as_ref())
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Disagreement] {
        self.list().map_or(&[], |list| &list.rows)
    }

    /// Whether something newer is being computed.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.asked.is_some()
    }
}

/// Wants the rankings of these two raters.
pub fn show(model: &mut Model, pairing: Pairing, aggregate: Aggregate) {
    let state = &mut model.disagreements;
    state.pairing = Some(pairing);
    state.aggregate = aggregate;
    state.at = ListPlace::default();
}

/// Performs an action.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let page = usize::from(rows_area(model).height).max(1);
    let state = &mut model.disagreements;
    match action {
        Action::Back => return go_to(model, Screen::Groups),
        Action::OpenDisagreement => return open(model),
        Action::NextPairing => next_pairing(state),
        walk => state.at.walk(walk, page),
    }
    settle(model)
}

/// The pairing after the one shown.
fn next_pairing(state: &mut State) {
    let Some(list) = state.list() else { return };
    let shown = list.pairing.as_ref();
    let at = shown.and_then(|shown| list.pairings.iter().position(|other| other == shown));
    let next = at.map_or(0, |at| at + 1);
    let count = list.pairings.len().max(1);
    let next = list.pairings.get(next % count).cloned();
    if next.is_some() {
        state.pairing = next;
        state.at = ListPlace::default();
    }
}

/// Opens the group under the cursor with every ranking of it.
fn open(model: &mut Model) -> Vec<Effect> {
    let state = &model.disagreements;
    let Some(group) = state.rows().get(state.at.cursor).map(|row| row.group) else {
        return Vec::new();
    };
    let pairing = state.list().and_then(|list| list.pairing.clone());
    let mut effects = open_group(model, group);
    model.compare.came_from = Screen::Disagreements;
    compare::show_rankings(model, pairing.map(|(reference, _)| reference));
    effects.extend(compare::settle(model));
    effects
}

/// Where the rows stand.
#[must_use]
pub fn rows_area(model: &Model) -> Area {
    area::screen(model.size).split_top(HEAD).1
}

/// Uses the mouse at a cell.
pub fn mouse(model: &mut Model, kind: MouseKind, x: u16, y: u16) -> Vec<Effect> {
    let area = rows_area(model);
    if model.disagreements.at.mouse(kind, area, (x, y)) {
        return open(model);
    }
    settle(model)
}

/// Fits the scroll position to what is shown now, and asks for the list when it is old.
pub fn settle(model: &mut Model) -> Vec<Effect> {
    let window = usize::from(rows_area(model).height);
    let is_hidden = agreement::is_hidden(model);
    let state = &mut model.disagreements;
    if is_hidden {
        (state.found, state.asked) = (None, None);
        return Vec::new();
    }
    let count = state.rows().len();
    state.at.settle(window, count);
    let Some(session) = &model.session else {
        return Vec::new();
    };
    let state = &mut model.disagreements;
    let wanted = (session.revision(), state.pairing.clone(), state.aggregate);
    let is_there = state.found.as_ref().is_some_and(|(of, _)| *of == wanted);
    if is_there || state.asked.as_ref() == Some(&wanted) {
        return Vec::new();
    }
    state.asked = Some(wanted);
    vec![Effect::Audit(Audit::Disagreements {
        pairing: state.pairing.clone(),
        annotator: session.identity().annotator.clone(),
        aggregate: state.aggregate,
    })]
}

/// Takes the list over a revision of the review.
pub fn found(model: &mut Model, over: (u64, Option<Pairing>, Aggregate), list: Arc<Disagreements>) {
    let name = |row: &Disagreement| {
        let group = model.session.as_ref()?.group(row.group)?;
        Some(text::width(&text::sanitize_line(group.id.as_str())))
    };
    let widest = list.rows.iter().filter_map(name).max().unwrap_or(0);
    let state = &mut model.disagreements;
    if state.asked.as_ref() == Some(&over) {
        state.asked = None;
    }
    state.name_width = widest;
    state.found = Some((over, list));
}

/// Forgets what was asked for: it was given up.
pub fn given_up(model: &mut Model) {
    model.disagreements.asked = None;
}
