//! What keys, the mouse and the worker's answers do on this screen.

use std::sync::Arc;

use super::request::{Answer, Request};
use super::state::{Asked, State, areas};
use crate::audit::accuracy::MeasuredAccuracy;
use crate::audit::schedules::{Case, Question};
use crate::review::Settings;
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::update::{go_to, open_group, refresh_reviewed};

/// Groups kept for the list of each scheme.
const TOP: usize = 100;

/// Performs an action.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let window = usize::from(areas(model.size, model.schedules.order.len()).0.height).max(1);
    let state = &mut model.schedules;
    let last = state.order.len().saturating_sub(1);
    let cursor = state.cursor;
    match action {
        Action::Back => return go_to(model, Screen::Groups),
        Action::OpenAffected => return open_selected(model),
        Action::UseScheme => use_selected(model),
        Action::SortSchedules => {
            state.sort = state.sort.next();
            state.sort_rows();
            let (title, doc) = (state.sort.title(), state.sort.doc());
            model.say(Severity::Info, format!("sorted by {title}: {doc}"));
        }
        Action::NextAffected => state.group += 1,
        Action::PreviousAffected => state.group = state.group.saturating_sub(1),
        Action::Down => state.cursor = (cursor + 1).min(last),
        Action::Up => state.cursor = cursor.saturating_sub(1),
        Action::PageDown | Action::HalfPageDown => state.cursor = (cursor + window).min(last),
        Action::PageUp | Action::HalfPageUp => state.cursor = cursor.saturating_sub(window),
        Action::Top => state.cursor = 0,
        Action::Bottom => state.cursor = last,
        _ => {}
    }
    if model.schedules.cursor != cursor {
        model.schedules.group = 0;
    }
    settle(model)
}

/// Uses the mouse at a cell: a click selects, the wheel moves the selection below it.
pub fn mouse(model: &mut Model, kind: MouseKind, x: u16, y: u16) -> Vec<Effect> {
    let (table, list) = areas(model.size, model.schedules.order.len());
    let state = &mut model.schedules;
    let in_table = table.contains(x, y);
    match kind {
        MouseKind::Down if in_table => {
            let row = state.first + usize::from(y - table.y);
            if row < state.order.len() && row != state.cursor {
                state.cursor = row;
                state.group = 0;
            }
        }
        MouseKind::Down if list.contains(x, y) => {
            state.group = state.first_group + usize::from(y - list.y);
        }
        MouseKind::ScrollDown if in_table => return update(model, Action::Down),
        MouseKind::ScrollUp if in_table => return update(model, Action::Up),
        MouseKind::ScrollDown => state.group += 1,
        MouseKind::ScrollUp => state.group = state.group.saturating_sub(1),
        MouseKind::Down | MouseKind::Drag | MouseKind::Up => {}
    }
    settle(model)
}

/// Keeps the windows filled, and asks for a comparison when what it depends on changed.
pub fn settle(model: &mut Model) -> Vec<Effect> {
    model.schedules.clamp(model.size);
    if is_hidden(model) {
        model.schedules.answer = None;
        model.schedules.order.clear();
        return Vec::new();
    }
    let Some(session) = &model.session else {
        return Vec::new();
    };
    let saves = model.saves.stored + model.saves.pending.len();
    let wanted = Asked::of(session, &model.initial_settings, saves);
    let state = &mut model.schedules;
    if state.asked.as_ref() == Some(&wanted) {
        return Vec::new();
    }
    state.asked = Some(wanted);
    state.number += 1;
    state.under_way = Some((0, session.set().groups.len()));
    vec![Effect::CompareSchemes {
        number: state.number,
    }]
}

/// Whether grader and advantages are hidden from this person, so that nothing is compared; what is
/// shown instead is said in one place for all such screens.
fn is_hidden(model: &Model) -> bool {
    let session = model.session.as_ref();
    session.is_some_and(|session| session.hidden_groups() > 0)
}

/// What a worker needs to answer the newest request; `None` when it is not the newest any more.
#[must_use]
pub fn request(model: &Model, number: u64) -> Option<Request> {
    let session = model.session.as_ref()?;
    let asked = model.schedules.asked.as_ref();
    let asked = asked.filter(|_| model.schedules.number == number)?;
    let groups: Vec<usize> = (0..session.set().groups.len()).collect();
    let accuracy = MeasuredAccuracy::of(session, &groups);
    Some(Request {
        number,
        cases: groups
            .into_iter()
            .filter_map(|group| Case::of(session, group))
            .collect(),
        question: Question {
            schemes: asked.schemes.clone(),
            policies: session.settings().policies,
            accuracy: accuracy.map(|accuracy| accuracy.share),
            top: TOP,
        },
        accuracy,
    })
}

/// Takes how far the worker is.
pub fn progressed(model: &mut Model, number: u64, done: usize, all: usize) {
    if model.schedules.number == number && model.schedules.under_way.is_some() {
        model.schedules.under_way = Some((done, all));
    }
}

/// Takes the worker's answer, when it is to the newest request.
pub fn answered(model: &mut Model, number: u64, result: Result<Box<Answer>, String>) {
    let state = &mut model.schedules;
    if state.number != number {
        return;
    }
    state.under_way = None;
    match result {
        Ok(answer) => {
            state.answer = Some(Arc::new(*answer));
            state.sort_rows();
            state.clamp(model.size);
        }
        Err(reason) => model.say(Severity::Error, format!("nothing compared: {reason}")),
    }
}

/// Makes the comparison anew when it is looked at next: somebody else changed the log.
pub fn forget(state: &mut State) {
    state.asked = None;
}

fn open_selected(model: &mut Model) -> Vec<Effect> {
    let state = &model.schedules;
    let affected = state
        .selected()
        .and_then(|row| row.most_affected.get(state.group));
    match affected.map(|affected| affected.group) {
        Some(group) => {
            model.groups.select(group);
            open_group(model, group)
        }
        None => {
            model.say(Severity::Info, "this scheme changes no group");
            Vec::new()
        }
    }
}

fn use_selected(model: &mut Model) {
    let Some(scheme) = model.schedules.selected().map(|row| row.scheme.clone()) else {
        return;
    };
    let Some(session) = &mut model.session else {
        return;
    };
    if session.settings().scheme == scheme {
        model.say(Severity::Info, format!("{scheme} is used already"));
        return;
    }
    let settings = Settings {
        scheme: scheme.clone(),
        ..session.settings().clone()
    };
    session.set_settings(settings);
    if let Some(group) = model.reviewed.as_ref().map(|(group, _)| *group) {
        refresh_reviewed(model, group);
    }
    model.say(
        Severity::Info,
        format!("{scheme} is used in this session from now on"),
    );
}
