//! What keys and the mouse do on the list of groups.

use super::columns;
use super::rows::{MOST_DOTS, in_numbers};
use super::state::{Layout, PREVIEW_FROM};
use super::view::MARK;
use crate::review::{Filter, ReviewSession};
use crate::tui::action::Action;
use crate::tui::area;
use crate::tui::effect::Effect;
use crate::tui::loading;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Severity};
use crate::tui::overlays::{Overlay, PromptKind};
use crate::tui::scroll::reveal;
use crate::tui::text;
use crate::tui::update::open_group;

/// Rows that a turn of the wheel moves by.
const WHEEL: usize = 3;

/// Performs an action of the screen.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let window = usize::from(layout(model).rows.height).max(1);
    let state = &mut model.groups;
    let at = state.cursor();
    match action {
        Action::Down | Action::NextMatch => state.move_to(at + 1),
        Action::Up | Action::PreviousMatch => state.move_to(at.saturating_sub(1)),
        Action::PageDown => state.move_to(at + window),
        Action::PageUp => state.move_to(at.saturating_sub(window)),
        Action::HalfPageDown => state.move_to(at + window / 2),
        Action::HalfPageUp => state.move_to(at.saturating_sub(window / 2)),
        Action::Top => state.move_to(0),
        Action::Bottom => state.move_to(usize::MAX),
        Action::Sort => sort_by_shown(model, columns::Column::next),
        Action::SortBack => sort_by_shown(model, columns::Column::previous),
        Action::SortReverse => sort_by(model, model.groups.sort, !model.groups.reversed),
        Action::KeptOnly => {
            state.kept_only = !state.kept_only;
            refresh(model);
        }
        Action::QueueOrder => model.overlay = Some(Overlay::orders()),
        Action::TogglePreview => toggle_preview(model),
        Action::Search => {
            model.overlay = Some(Overlay::prompt(PromptKind::Search, &model.groups.search));
        }
        Action::Filter => {
            let text = model.groups.filter.text();
            model.overlay = Some(Overlay::prompt(PromptKind::Filter, text));
        }
        Action::Back => return back(model),
        Action::OpenGroup => {
            if let Some(group) = model.groups.selected() {
                return open_group(model, group);
            }
        }
        _ => {}
    }
    scroll(model);
    Vec::new()
}

/// Lists everything anew, after loading.
pub fn reload(model: &mut Model) -> Vec<Effect> {
    if let Some(session) = &model.session {
        model.groups.needs = needs(session);
        let complete = model.loading.stage == loading::Stage::Complete;
        model.groups.problems = session.assignment_problems(complete);
    }
    refresh(model);
    scroll(model);
    Vec::new()
}

/// What the cells of the groups need.
fn needs(session: &ReviewSession) -> columns::Needs {
    let rows = || session.rows().iter().filter(|row| !row.is_gone());
    let groups = session.set().groups.iter();
    let names = groups
        .filter(|group| !group.trajectories.is_empty())
        .map(|group| text::width(group.id.as_str()));
    let mut steps = rows().map(|row| row.step);
    let first = steps.next().flatten();
    let dots = rows().map(|row| row.n).filter(|&n| n <= MOST_DOTS);
    let cells = |cells: Option<usize>| u16::try_from(cells.unwrap_or(0)).unwrap_or(u16::MAX);
    columns::Needs {
        task: cells(names.max()),
        // One step for all needs no column.
        steps: steps.any(|step| step != first),
        disagrees: rows().any(|row| row.disagreement.is_some()),
        dots: cells(dots.max()),
        numbers: cells(rows().map(|row| in_numbers(row).len()).max()),
        are_hidden: are_hidden(session),
    }
}

/// Whether grader and advantages of every group are hidden.
fn are_hidden(session: &ReviewSession) -> bool {
    let hidden = session.hidden_groups();
    hidden > 0 && hidden >= session.rows().len()
}

/// Fits the list to the window, and follows the group that the compare screen went to.
pub fn settle(model: &mut Model) -> Vec<Effect> {
    if let Some(session) = &model.session {
        model.groups.count(session);
        model.groups.needs.are_hidden = are_hidden(session);
    }
    if model.compare.group != model.groups.followed {
        model.groups.followed = model.compare.group;
        if let Some(group) = model.compare.group {
            model.groups.select(group);
        }
    }
    scroll(model);
    Vec::new()
}

/// The groups shown, in order.
#[must_use]
pub fn visible(model: &Model) -> &[usize] {
    model.groups.visible()
}

/// Searches; empty = no search.
pub fn searched(model: &mut Model, text: &str) -> Vec<Effect> {
    text.clone_into(&mut model.groups.search);
    model.groups.by_match = !text.is_empty();
    refresh(model);
    if !text.is_empty() && model.overlay.is_some() {
        // While it is typed the best match is the one wanted.
        model.groups.move_to(0);
    }
    scroll(model);
    Vec::new()
}

/// Filters; empty = no filter.
///
/// # Errors
/// What is wrong in the expression; the filter stays as it was.
pub fn filtered(model: &mut Model, text: &str) -> Result<Vec<Effect>, String> {
    model.groups.filter = Filter::read(text)?;
    refresh(model);
    scroll(model);
    Ok(Vec::new())
}

/// Handles the mouse: a click selects, a click on the selected group opens it, a click on a
/// column's name sorts, the wheel moves.
pub fn mouse(model: &mut Model, kind: MouseKind, x: u16, y: u16) -> Vec<Effect> {
    let layout = layout(model);
    let at = model.groups.cursor();
    if kind == MouseKind::Down && layout.header.contains(x, y) {
        let cell = (x - layout.header.x).saturating_sub(MARK);
        let placed = columns::place(layout.header.width.saturating_sub(MARK), model.groups.needs);
        let hit = placed.columns.iter().rev().find(|placed| placed.x <= cell);
        if let Some(column) = hit.map(|placed| placed.column) {
            let again = column == model.groups.sort && !model.groups.by_match;
            sort_by(model, column, again && !model.groups.reversed);
        }
    } else if layout.list.contains(x, y) {
        match kind {
            MouseKind::ScrollDown => model.groups.move_to(at + WHEEL),
            MouseKind::ScrollUp => model.groups.move_to(at.saturating_sub(WHEEL)),
            MouseKind::Down if layout.rows.contains(x, y) => {
                let clicked = first_row(model, layout) + usize::from(y - layout.rows.y);
                if clicked == at {
                    return update(model, Action::OpenGroup);
                }
                if clicked < model.groups.visible().len() {
                    model.groups.move_to(clicked);
                }
            }
            MouseKind::Down | MouseKind::Drag | MouseKind::Up => {}
        }
    }
    scroll(model);
    Vec::new()
}

/// Where things stand.
#[must_use]
pub fn layout(model: &Model) -> Layout {
    Layout::of(area::screen(model.size), model.groups.preview)
}

/// The first row shown.
#[must_use]
pub fn first_row(model: &Model, layout: Layout) -> usize {
    let state = &model.groups;
    let window = usize::from(layout.rows.height);
    reveal(state.first, state.cursor(), window, state.visible().len())
}

fn scroll(model: &mut Model) {
    model.groups.first = first_row(model, layout(model));
}

fn refresh(model: &mut Model) {
    if let Some(session) = &model.session {
        model.groups.refresh(session);
    }
}

/// Sorts by the first column in a direction that is on the screen.
fn sort_by_shown(model: &mut Model, step: fn(columns::Column) -> columns::Column) {
    let placed = columns::place(
        layout(model).header.width.saturating_sub(MARK),
        model.groups.needs,
    );
    let mut column = step(model.groups.sort);
    // The task is always shown, so this ends.
    while column != columns::Column::Task && !placed.has(column) {
        column = step(column);
    }
    sort_by(model, column, false);
}

fn sort_by(model: &mut Model, column: columns::Column, reversed: bool) {
    model.groups.sort = column;
    model.groups.reversed = reversed;
    model.groups.queue = None;
    model.groups.by_match = false;
    refresh(model);
}

fn toggle_preview(model: &mut Model) {
    if model.size.0 < PREVIEW_FROM {
        let text = format!("the preview needs {PREVIEW_FROM} columns");
        model.say(Severity::Info, text);
    } else {
        model.groups.preview = !model.groups.preview;
    }
}

/// Takes the search off, then the filter.
fn back(model: &mut Model) -> Vec<Effect> {
    let state = &mut model.groups;
    if !state.search.is_empty() {
        state.search.clear();
        state.by_match = false;
    } else if !state.filter.is_empty() || state.kept_only {
        state.filter = Filter::default();
        state.kept_only = false;
    } else if loading::can_stop(model) {
        return vec![Effect::StopLoading];
    } else {
        let key = model.keymap.key_of(Action::Quit).unwrap_or_default();
        model.say(Severity::Info, format!("{key} leaves gagar"));
        return Vec::new();
    }
    refresh(model);
    scroll(model);
    Vec::new()
}
