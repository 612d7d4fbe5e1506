//! Every ranking of the open group side by side, and the settlement of the group, in place of the
//! patches.
//!
//! The settlement under way stands in the last column and counts for nothing until it is settled.

mod board;
mod view;

use board::Board;
pub use view::draw;

use super::reading::Go;
use super::state::Body;
use super::update::shown_order;
use crate::domain::{Move, Ranking, RolloutGroup, TrajectoryIndex};
use crate::raters::Rater;
use crate::review::Change;
use crate::tui::action::Action;
use crate::tui::area::Area;
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Severity};
use crate::tui::overlays::{Overlay, PromptKind};
use crate::tui::update::change;

/// What the body remembers.
#[derive(Debug, Default)]
pub struct State {
    /// What is shown, made anew after every change.
    board: Option<Board>,
    /// The focused column.
    focused: usize,
    /// First column that is seen.
    first_column: usize,
    /// First line of the differences that is seen.
    first: usize,
    /// Whether raters are numbered instead of named.
    are_names_hidden: bool,
    /// The settlement under way, and of which group.
    draft: Option<(usize, Ranking)>,
    /// The rater to focus once the board is made.
    wanted: Option<Rater>,
}

/// Shows the rankings of the open group, this rater's in focus.
pub fn show(model: &mut Model, rater: Option<Rater>) {
    model.compare.body = Body::Rankings;
    model.compare.rankings.wanted = rater;
}

/// Whether the rankings of the open group are hidden: it is blind and not revealed.
fn is_hidden(model: &Model) -> bool {
    let session = model.session.as_ref().zip(model.compare.group);
    session.is_some_and(|(session, group)| session.is_hidden(group))
}

/// Makes the board anew and fits the positions.
pub fn settle(model: &mut Model, area: Area) {
    let board = Board::of(model);
    let state = &mut model.compare.rankings;
    let Some(board) = board else {
        state.board = None;
        return;
    };
    if let Some(wanted) = state.wanted.take()
        && let Some(at) = board.find(&wanted)
        && at != state.focused
    {
        state.focused = at;
        // Marks are those against the focused column.
        return settle(model, area);
    }
    let columns = board.columns.len();
    state.focused = state.focused.min(columns.saturating_sub(1));
    // The settlement has its own place: the raters before it are scrolled.
    let raters = columns.saturating_sub(1);
    let seen = view::columns_seen(area, columns).saturating_sub(1);
    state.first_column = state.first_column.min(raters.saturating_sub(seen));
    if state.focused < state.first_column {
        state.first_column = state.focused;
    } else if state.focused < raters && state.focused >= state.first_column + seen {
        state.first_column = (state.focused + 1).saturating_sub(seen);
    }
    let lines = board.differences.len();
    let window = view::differences_seen(area, &board);
    state.first = state.first.min(lines.saturating_sub(window));
    state.board = Some(board);
}

/// Scrolls the list of differences.
pub fn scroll(model: &mut Model, go: Go) {
    let state = &mut model.compare.rankings;
    let lines = state
        .board
        .as_ref()
        .map_or(0, |board| board.differences.len());
    state.first = go.line(state.first, lines);
}

/// What an action means here; `None` when it means what it does on the rest of the screen.
pub fn act(model: &mut Model, action: Action, digit: Option<usize>) -> Option<Vec<Effect>> {
    let focus = model.compare.focus();
    let edit = |edit: fn(TrajectoryIndex) -> Move| focus.map(edit);
    let edit = match action {
        Action::NextRater | Action::PreviousRater => {
            step(model, action == Action::NextRater);
            return Some(Vec::new());
        }
        Action::HideNames => {
            let state = &mut model.compare.rankings;
            state.are_names_hidden = !state.are_names_hidden;
            return Some(Vec::new());
        }
        Action::TakeRanking => {
            take(model);
            return Some(Vec::new());
        }
        Action::Settle => {
            ask(model);
            return Some(Vec::new());
        }
        Action::MoveUp => edit(Move::Up),
        Action::MoveDown => edit(Move::Down),
        Action::TieAbove => edit(Move::TieAbove),
        Action::Split => edit(Move::Split),
        Action::Unrank => edit(Move::Unrank),
        Action::PlaceDigit => focus
            .zip(digit)
            .map(|(focus, place)| Move::ToPlace(focus, place)),
        Action::Undo if draft(model).is_some() => {
            model.compare.rankings.draft = None;
            model.say(Severity::Info, "the settlement under way is dropped");
            return Some(Vec::new());
        }
        _ => return None,
    };
    if let Some(edit) = edit {
        change_draft(model, edit);
    }
    Some(Vec::new())
}

/// The settlement under way of the open group.
fn draft(model: &Model) -> Option<&Ranking> {
    let draft = model.compare.rankings.draft.as_ref();
    let (_, ranking) = draft.filter(|(group, _)| Some(*group) == model.compare.group)?;
    Some(ranking)
}

fn put_draft(model: &mut Model, ranking: Ranking) {
    if let Some(group) = model.compare.group {
        model.compare.rankings.draft = Some((group, ranking));
    }
}

fn step(model: &mut Model, forward: bool) {
    let state = &mut model.compare.rankings;
    let count = state.board.as_ref().map_or(0, |board| board.columns.len());
    if count > 0 {
        let step = if forward { 1 } else { count - 1 };
        state.focused = (state.focused + step) % count;
        state.first = 0;
    }
}

/// The ranking of the focused column.
fn focused(model: &Model) -> Option<&Ranking> {
    let state = &model.compare.rankings;
    let column = state.board.as_ref()?.columns.get(state.focused)?;
    column.ranking.as_ref()
}

fn take(model: &mut Model) {
    match focused(model).cloned() {
        Some(ranking) => {
            put_draft(model, ranking);
            let key = model.keymap.key_of(Action::Settle).unwrap_or_default();
            let said = format!("taken for the settlement: move candidates, {key} settles");
            model.say(Severity::Info, said);
        }
        None => model.say(Severity::Info, "this column has no ranking"),
    }
}

/// Changes the settlement under way; it begins with the settlement there is, else with the focused
/// ranking, else with the last one there is.
fn change_draft(model: &mut Model, edit: Move) {
    if is_hidden(model) {
        return;
    }
    let (Move::Up(index)
    | Move::Down(index)
    | Move::ToPlace(index, _)
    | Move::TieAbove(index)
    | Move::Split(index)
    | Move::Unrank(index)) = edit;
    let session = model.session.as_ref().zip(model.compare.group);
    let data = session.and_then(|(session, group)| session.group(group));
    let found = data.and_then(|data| data.trajectories.get(index));
    if !found.is_some_and(|found| found.outcome.is_pass()) {
        return model.say(Severity::Info, "only passing candidates are ranked");
    }
    let settled = || {
        let board = model.compare.rankings.board.as_ref()?;
        board.settled.as_ref()
    };
    // In the empty last column there is nothing to begin with: what stands beside it is meant.
    let beside = || {
        let board = model.compare.rankings.board.as_ref()?;
        let mut columns = board.columns.iter().rev();
        columns.find_map(|column| column.ranking.as_ref())
    };
    let start = draft(model)
        .or_else(settled)
        .or_else(|| focused(model))
        .or_else(beside);
    let start = start.cloned().unwrap_or_default();
    match start.apply(edit) {
        Some(ranking) => put_draft(model, ranking),
        None => model.say(Severity::Info, "it stands there already"),
    }
}

/// Asks for the note with which the group is settled.
fn ask(model: &mut Model) {
    if is_hidden(model) {
        return;
    }
    if draft(model).is_none() {
        let key = model.keymap.key_of(Action::TakeRanking).unwrap_or_default();
        let said = format!("nothing to settle with: {key} takes the focused ranking");
        return model.say(Severity::Info, said);
    }
    model.overlay = Some(Overlay::prompt(PromptKind::Settle, ""));
}

/// Keeps the settlement under way of a group whose data changed, by the candidates' ids; drops it
/// when one of them is gone or does not pass any more. Answers what became of it, in words.
pub fn carry_over(
    model: &mut Model,
    group: usize,
    is: &RolloutGroup,
    place: &dyn Fn(TrajectoryIndex) -> Option<TrajectoryIndex>,
) -> Option<&'static str> {
    let draft = &mut model.compare.rankings.draft;
    let (_, before) = draft.take_if(|(of, _)| *of == group)?;
    let passes = |index: &TrajectoryIndex| {
        let found = is.trajectories.get(*index);
        found.is_some_and(|found| found.outcome.is_pass())
    };
    let tiers = before.tiers().iter().map(|tier| {
        let tier = tier.iter().map(|&index| place(index).filter(passes));
        tier.collect::<Option<Vec<_>>>()
    });
    let tiers = tiers.collect::<Option<Vec<_>>>();
    match tiers.and_then(|tiers| Ranking::new(tiers).ok()) {
        Some(ranking) => {
            *draft = Some((group, ranking));
            Some("; the settlement under way is kept")
        }
        None => Some("; the settlement under way is dropped: not all of its candidates pass now"),
    }
}

/// Settles the group with the settlement under way and this note.
///
/// # Errors
/// Why that is not possible, one sentence.
pub fn settled(model: &mut Model, note: &str) -> Result<Vec<Effect>, String> {
    let mut effects = Vec::new();
    let (Some(group), Some(ranking)) = (model.compare.group, draft(model).cloned()) else {
        return Err("there is nothing to settle with: the data of the group changed".to_owned());
    };
    let wanted = Change::Adjudicate {
        ranking,
        note: note.trim().to_owned(),
    };
    if change(model, group, wanted, &mut effects) {
        model.compare.rankings.draft = None;
        super::judging::tell_undo(model);
    } else if model.status.severity == Severity::Warning {
        return Err(model.status.text.clone());
    }
    effects.extend(super::settle(model));
    Ok(effects)
}

/// The candidates that a ranking leaves out, in the order shown.
fn left_out(model: &Model, ranking: &Ranking) -> Vec<TrajectoryIndex> {
    let session = model.session.as_ref().zip(model.compare.group);
    let data = session.and_then(|(session, group)| session.group(group));
    let passes = |index: &TrajectoryIndex| {
        let found = data.and_then(|data| data.trajectories.get(*index));
        found.is_some_and(|found| found.outcome.is_pass())
    };
    let order = shown_order(model).into_iter();
    order
        .filter(passes)
        .filter(|index| ranking.tier_of(*index).is_none())
        .collect()
}
