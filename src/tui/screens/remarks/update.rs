//! What keys do on this screen, and how the rules are asked.

use super::filter::RemarkFilter;
use super::state::{Asking, Spotted};
use crate::review::Verdict;
use crate::tui::action::Action;
use crate::tui::area::{self, Area};
use crate::tui::effect::Effect;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::overlays::{Overlay, PromptKind};
use crate::tui::screens::compare;
use crate::tui::scroll::reveal;
use crate::tui::update::{go_to, open_group};

/// Rows that a turn of the wheel moves by.
const WHEEL: usize = 3;
/// Lines above the list: counts, progress or filter, names of columns.
pub(super) const HEAD: u16 = 3;

/// Goes to the screen; asks on where the person stopped it.
pub fn enter(model: &mut Model) -> Vec<Effect> {
    model.remarks.asking.stopped = false;
    go_to(model, Screen::Remarks)
}

/// Performs an action.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let window = usize::from(list(model).height).max(1);
    let at = model.remarks.cursor;
    let mut effects = Vec::new();
    match action {
        Action::Back if model.remarks.asking.runs => {
            model.remarks.asking.runs = false;
            model.remarks.asking.stopped = true;
            model.remarks.asked.clear();
            let key = model.keymap.key_of(Action::OpenRemarks).unwrap_or_default();
            model.say(Severity::Info, format!("stopped; {key} goes on"));
            effects.push(Effect::StopSpotting);
        }
        Action::Back => return go_to(model, Screen::Groups),
        Action::Down => move_to(model, at + 1),
        Action::Up => move_to(model, at.saturating_sub(1)),
        Action::PageDown => move_to(model, at + window),
        Action::PageUp => move_to(model, at.saturating_sub(window)),
        Action::HalfPageDown => move_to(model, at + window / 2),
        Action::HalfPageUp => move_to(model, at.saturating_sub(window / 2)),
        Action::Top => move_to(model, 0),
        Action::Bottom => move_to(model, usize::MAX),
        Action::NextOpenRemark => to_open(model, true),
        Action::PreviousOpenRemark => to_open(model, false),
        Action::RemarkFilter => {
            let text = model.remarks.filter.text();
            model.overlay = Some(Overlay::prompt(PromptKind::RemarkFilter, text));
        }
        Action::PassingOnly => {
            model.remarks.passing_only = !model.remarks.passing_only;
            refresh(model);
        }
        Action::OpenOnly => {
            model.remarks.open_only = !model.remarks.open_only;
            refresh(model);
        }
        Action::Artefacts => {
            model.remarks.artefacts = !model.remarks.artefacts;
            refresh(model);
        }
        Action::ConfirmListed => judge(model, Verdict::Confirmed, &mut effects),
        Action::DismissListed => judge(model, Verdict::Dismissed, &mut effects),
        Action::OpenRemark => return open(model),
        _ => {}
    }
    effects.extend(settle(model));
    effects
}

/// Filters; empty = no filter.
///
/// # Errors
/// What is wrong in the expression; the filter stays as it was.
pub fn filtered(model: &mut Model, text: &str) -> Result<Vec<Effect>, String> {
    model.remarks.filter = RemarkFilter::read(text)?;
    refresh(model);
    Ok(settle(model))
}

/// Opens the chosen remark in the compare screen, whose keys walk through the list then.
fn open(model: &mut Model) -> Vec<Effect> {
    let Some(row) = model.remarks.selected().cloned() else {
        return Vec::new();
    };
    let is_there = model.compare.group == Some(row.group) && model.screen == Screen::Compare;
    let mut effects = match is_there {
        true => Vec::new(),
        false => open_group(model, row.group),
    };
    model.compare.is_spotting = true;
    model.compare.came_from = Screen::Remarks;
    compare::show_remark(model, row.group, row.remark);
    effects.extend(compare::settle(model));
    effects
}

/// Goes to the next or the last remark of the list, in whichever group it is.
pub fn walk(model: &mut Model, forward: bool) -> Vec<Effect> {
    let at = model.remarks.cursor;
    let next = match forward {
        true => at + 1,
        false => at.wrapping_sub(1),
    };
    if next >= model.remarks.shown.len() {
        let end = if forward { "last" } else { "first" };
        model.say(
            Severity::Info,
            format!("this is the {end} remark of the list"),
        );
        return Vec::new();
    }
    move_to(model, next);
    open(model)
}

/// Judges the chosen remark from the compare screen and goes to the next one.
pub fn judge_and_go_on(model: &mut Model, verdict: Verdict) -> Vec<Effect> {
    let mut effects = Vec::new();
    let Some(row) = model.remarks.selected().cloned() else {
        return effects;
    };
    if !compare::judge_remark(model, (row.group, &row.remark), verdict, &mut effects) {
        return effects;
    }
    let said = model.status.text.clone();
    let (place, open_only) = (model.remarks.cursor, model.remarks.open_only);
    refresh(model);
    // With only open ones listed the next one has come to the place of the judged one.
    model.remarks.cursor = place;
    let next = place + usize::from(!open_only);
    match next < model.remarks.shown.len() {
        true => {
            move_to(model, next);
            effects.extend(open(model));
            model.say(Severity::Info, format!("{said} · next remark"));
        }
        false => model.say(
            Severity::Info,
            format!("{said} · it was the last of the list"),
        ),
    }
    effects
}

fn judge(model: &mut Model, verdict: Verdict, effects: &mut Vec<Effect>) {
    let Some(row) = model.remarks.selected().cloned() else {
        return;
    };
    if compare::judge_remark(model, (row.group, &row.remark), verdict, effects) {
        let (place, open_only) = (model.remarks.cursor, model.remarks.open_only);
        refresh(model);
        move_to(model, place + usize::from(!open_only));
    }
}

fn move_to(model: &mut Model, place: usize) {
    let last = model.remarks.shown.len().saturating_sub(1);
    model.remarks.cursor = place.min(last);
}

fn to_open(model: &mut Model, forward: bool) {
    let session = model.session.as_ref();
    let found = session.and_then(|session| model.remarks.open_beside(session, forward));
    match found {
        Some(place) => move_to(model, place),
        None => {
            let side = if forward { "down" } else { "up" };
            let said = format!("no remark without a verdict further {side}");
            model.say(Severity::Info, said);
        }
    }
}

fn refresh(model: &mut Model) {
    if let Some(session) = &model.session {
        model.remarks.refresh(session);
    }
}

/// Takes answers of the rules over.
pub fn spotted(model: &mut Model, spotted: Spotted) -> Vec<Effect> {
    let state = &mut model.remarks;
    if spotted.number != state.number || !state.asking.runs {
        return Vec::new();
    }
    state.asking.done = spotted.done;
    state.asking.elapsed = spotted.elapsed;
    let is_new = !spotted.found.is_empty();
    state.take(spotted.found);
    if spotted.ended {
        state.asking.runs = false;
        // What was not answered about is not asked about again and again.
        let asked = std::mem::take(&mut state.asked);
        for (group, data) in asked {
            if state.answered.len() <= group {
                state.answered.resize(group + 1, None);
            }
            state.answered[group] = Some(data);
        }
    }
    if is_new {
        refresh(model);
    }
    match model.screen {
        Screen::Remarks => settle(model),
        _ => Vec::new(),
    }
}

/// The rows of the list on screen.
pub(super) fn list(model: &Model) -> Area {
    area::screen(model.size).split_top(HEAD).1
}

/// Uses the mouse at a cell: a click chooses, a click on the chosen remark opens it, the wheel moves.
pub fn mouse(model: &mut Model, kind: MouseKind, x: u16, y: u16) -> Vec<Effect> {
    let list = list(model);
    if !list.contains(x, y) {
        return Vec::new();
    }
    let at = model.remarks.cursor;
    match kind {
        MouseKind::ScrollDown => move_to(model, at + WHEEL),
        MouseKind::ScrollUp => move_to(model, at.saturating_sub(WHEEL)),
        MouseKind::Down => {
            let clicked = model.remarks.first + usize::from(y - list.y);
            if clicked == at {
                return update(model, Action::OpenRemark);
            }
            if clicked < model.remarks.shown.len() {
                move_to(model, clicked);
            }
        }
        MouseKind::Drag | MouseKind::Up => {}
    }
    settle(model)
}

/// Fits the scroll position to what is shown now, and asks the rules about groups that are new or
/// were replaced.
pub fn settle(model: &mut Model) -> Vec<Effect> {
    let window = usize::from(list(model).height);
    let state = &mut model.remarks;
    state.first = reveal(state.first, state.cursor, window, state.shown.len());
    if state.asking.runs || state.asking.stopped {
        return Vec::new();
    }
    let Some(session) = &model.session else {
        return Vec::new();
    };
    let all = &session.set().groups;
    let groups = state.unanswered(session);
    if groups.is_empty() {
        return Vec::new();
    }
    state.number += 1;
    state.asking = Asking {
        groups: groups.len(),
        runs: true,
        ..Asking::default()
    };
    let asked = groups
        .iter()
        .filter_map(|&group| Some((group, all.get(group)?.clone())));
    state.asked = asked.collect();
    vec![Effect::Spot {
        number: state.number,
        groups,
    }]
}
