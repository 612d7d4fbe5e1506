//! What keys do on this screen, and how the rules are asked.

use super::filter::RemarkFilter;
use super::state::{Asking, Given, Row, Spotted};
use crate::domain::scope::Remark;
use crate::review::{Change, Verdict};
use crate::tui::action::Action;
use crate::tui::area::{self, Area};
use crate::tui::effect::Effect;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::overlays::{Overlay, PromptKind};
use crate::tui::screens::compare;
use crate::tui::scroll::reveal;
use crate::tui::text;
use crate::tui::update::{change, go_to, open_group};

/// Rows that a turn of the wheel moves by.
const WHEEL: usize = 3;
/// Lines above the list: counts, progress or filter, names of columns.
pub(super) const HEAD: u16 = 3;
/// Columns from which on the list has room for reasons.
const WIDE: u16 = 110;
/// Lines below the list in a narrower window.
const FOOT: u16 = 2;

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
        Action::Back if !model.remarks.filter.text().is_empty() => {
            model.remarks.filter = RemarkFilter::default();
            refresh(model);
            model.say(Severity::Info, "the filter is off");
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
        Action::UndoVerdict => take_back(model, &mut effects),
        Action::RedoVerdict => give_again(model, &mut effects),
        Action::UnfoldRemarks => unfold(model),
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
        say_nothing_chosen(model);
        return Vec::new();
    };
    let is_there = model.compare.group == Some(row.group) && model.screen == Screen::Compare;
    let mut effects = match is_there {
        true => Vec::new(),
        false => open_group(model, row.group),
    };
    model.compare.is_spotting = true;
    model.compare.came_from = Screen::Remarks;
    model.remarks.last_change = last_change(model, row.group);
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
    let Some(next) = judge_chosen(model, verdict, &mut effects) else {
        return effects;
    };
    let said = model.status.text.clone();
    match next < model.remarks.shown.len() {
        true => {
            move_to(model, next);
            effects.extend(open(model));
            model.say(Severity::Info, format!("next remark · {said}"));
        }
        false => model.say(Severity::Info, format!("the last of the list · {said}")),
    }
    effects
}

fn judge(model: &mut Model, verdict: Verdict, effects: &mut Vec<Effect>) {
    if let Some(next) = judge_chosen(model, verdict, effects) {
        move_to(model, next);
        if let Some(key) = model.keymap.key_of(Action::UndoVerdict) {
            model.status.text.push_str(&format!(" · {key} undoes it"));
        }
    }
}

/// Judges the chosen row, all remarks of a folded one; answers the row that comes next when something
/// changed. A verdict that all of them have already is taken back.
fn judge_chosen(model: &mut Model, verdict: Verdict, effects: &mut Vec<Effect>) -> Option<usize> {
    let Some(first) = model.remarks.selected().cloned() else {
        say_nothing_chosen(model);
        return None;
    };
    let place = model.remarks.cursor;
    let rows = model.remarks.remarks(place);
    let has = |row: &&Row| row.said.own == Some(verdict);
    let all_have = rows.clone().all(|row| has(&row));
    let wanted = rows.filter(|row| all_have || !has(row));
    let wanted: Vec<Remark> = wanted.map(|row| row.remark.clone()).collect();
    let group = first.group;
    let mut events = Vec::with_capacity(wanted.len());
    for remark in &wanted {
        if !compare::judge_remark(model, (group, remark), verdict, effects) {
            break;
        }
        events.extend(last_change(model, group));
    }
    let done = events.len();
    if done == 0 {
        return None;
    }
    if wanted.len() > 1 {
        let what = match (all_have, verdict) {
            (true, _) => "taken back",
            (false, Verdict::Confirmed) => "confirmed",
            (false, Verdict::Dismissed) => "dismissed",
        };
        let rule = first.remark.rule;
        model.say(Severity::Info, format!("{done} remarks of {rule} {what}"));
    }
    let row = first;
    model.remarks.given.push(Given { group, events, row });
    model.remarks.taken_back.clear();
    judged(model, group);
    let open_only = model.remarks.open_only;
    // With only open ones listed the next one has come to the place of the judged one.
    model.remarks.cursor = place;
    Some(place + usize::from(!open_only))
}

/// The id of what undo would take back in a group.
fn last_change(model: &Model, group: usize) -> Option<String> {
    let judgement = model.session.as_ref()?.judgement(group)?;
    judgement.undo.last().cloned()
}

/// Takes the last verdict of this screen back, else the last one about the chosen row's group, and goes
/// to its row.
fn take_back(model: &mut Model, effects: &mut Vec<Effect>) {
    while let Some(given) = model.remarks.given.pop() {
        if last_change(model, given.group).as_ref() == given.events.last() {
            for _ in &given.events {
                change(model, given.group, Change::Undo, effects);
            }
            after(model, &given, "undone");
            model.remarks.taken_back.push(given);
            return;
        }
        let judgement = model
            .session
            .as_ref()
            .and_then(|of| of.judgement(given.group));
        let stands = given
            .events
            .iter()
            .any(|event| judgement.is_some_and(|judgement| judgement.undo.contains(event)));
        if stands {
            let said = "the group was changed after that verdict: undo that first, in the group";
            model.remarks.given.push(given);
            return model.say(Severity::Info, said);
        }
        // It was taken back elsewhere.
    }
    let chosen = model.remarks.selected().map(|row| row.group);
    let is_verdict = |group: &usize| {
        let judgement = model.session.as_ref().and_then(|of| of.judgement(*group));
        let word = judgement.and_then(|of| of.change_word(of.undo.last()?));
        word == Some("verdict on a remark")
    };
    match chosen.filter(is_verdict) {
        Some(group) => {
            change(model, group, Change::Undo, effects);
            judged(model, group);
        }
        None => model.say(Severity::Info, "no verdict to take back here"),
    }
}

/// Gives the verdict again that was taken back last.
fn give_again(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(given) = model.remarks.taken_back.pop() else {
        return model.say(Severity::Info, "no verdict to give again");
    };
    let judgement = model
        .session
        .as_ref()
        .and_then(|of| of.judgement(given.group));
    let next = judgement.and_then(|judgement| judgement.redo.last());
    if next != given.events.first() {
        let said = "the group was changed since; the verdict is not given again";
        return model.say(Severity::Info, said);
    }
    for _ in &given.events {
        change(model, given.group, Change::Redo, effects);
    }
    after(model, &given, "given again");
    model.remarks.given.push(given);
}

/// Goes to the row of verdicts that were taken back or given again.
fn after(model: &mut Model, given: &Given, what: &str) {
    judged(model, given.group);
    if let Some(place) = model.remarks.find(&given.row) {
        model.remarks.cursor = place;
    }
    let place = text::sanitize_line(&given.row.remark.place());
    let said = match given.events.len() {
        1 => format!("{what}: the verdict on {} · {place}", given.row.remark.rule),
        count => format!("{what}: {count} verdicts on {}", given.row.remark.rule),
    };
    model.say(Severity::Info, said);
}

/// Undo while the list is walked through in the compare screen: the last verdict, unless something was
/// changed in the group since it was opened; `None` = it is not ours to undo.
pub fn undo_walking(model: &mut Model) -> Option<Vec<Effect>> {
    let group = model.compare.group?;
    let given = model.remarks.given.last()?;
    let is_newest = last_change(model, given.group).as_ref() == given.events.last();
    let is_untouched =
        given.group == group || last_change(model, group) == model.remarks.last_change;
    if !(is_newest && is_untouched) {
        return None;
    }
    let mut effects = Vec::new();
    take_back(model, &mut effects);
    let said = std::mem::take(&mut model.status.text);
    effects.extend(open(model));
    model.say(Severity::Info, said);
    Some(effects)
}

fn unfold(model: &mut Model) {
    let Some(chosen) = model.remarks.selected().cloned() else {
        return say_nothing_chosen(model);
    };
    let before = model.remarks.shown.len();
    model.remarks.toggle_fold();
    if let Some(place) = model.remarks.find(&chosen) {
        model.remarks.cursor = place;
    }
    if model.remarks.shown.len() == before {
        model.say(Severity::Info, "nothing is folded here");
    }
}

/// A key that needs a remark says why it does nothing.
fn say_nothing_chosen(model: &mut Model) {
    let filtered = !model.remarks.filter.text().is_empty();
    let key = model.keymap.key_of(Action::Back).filter(|_| filtered);
    let said = match key {
        Some(key) => format!("no remark is shown; {key} takes the filter off"),
        None => "no remark is shown".to_owned(),
    };
    model.say(Severity::Info, said);
}

fn move_to(model: &mut Model, place: usize) {
    let last = model.remarks.shown.len().saturating_sub(1);
    model.remarks.cursor = place.min(last);
}

fn to_open(model: &mut Model, forward: bool) {
    match model.remarks.open_beside(forward) {
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

fn judged(model: &mut Model, group: usize) {
    if let Some(session) = &model.session {
        model.remarks.judged(session, group);
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
    if let Some(session) = model.session.as_ref().filter(|_| !spotted.found.is_empty()) {
        state.take(spotted.found, session);
    }
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
    match model.screen {
        Screen::Remarks => settle(model),
        _ => Vec::new(),
    }
}

/// The rows of the list on screen.
pub(super) fn list(model: &Model) -> Area {
    body(model).0
}

/// The lines below the list that tell the chosen remark in full; none in a wide window, where the list
/// does.
pub(super) fn foot(model: &Model) -> Area {
    body(model).1
}

fn body(model: &Model) -> (Area, Area) {
    let body = area::screen(model.size).split_top(HEAD).1;
    let foot = if body.width < WIDE { FOOT } else { 0 };
    body.split_top(body.height.saturating_sub(foot))
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
    // Verdicts come from other screens and other people too.
    if let Some(session) = &model.session
        && model.remarks.is_behind(session)
    {
        model.remarks.refresh(session);
    }
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
