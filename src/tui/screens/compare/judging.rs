//! What keys change of the judgement: the ranking, its submission, undo.

use super::looking;
use super::update::opened;
use crate::domain::{Move, TrajectoryIndex};
use crate::review::Change;
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::help;
use crate::tui::model::{Model, Severity};
use crate::tui::queue;
use crate::tui::screens::remarks;
use crate::tui::update::change;

/// The actions that change the judgement.
pub(super) fn judge(model: &mut Model, action: Action, digit: Option<usize>) -> Vec<Effect> {
    let Some(group) = model.compare.group else {
        return Vec::new();
    };
    if action == Action::Undo
        && model.compare.is_spotting
        && let Some(effects) = remarks::undo_walking(model)
    {
        return effects;
    }
    let mut effects = Vec::new();
    let focus = model.compare.focus();
    let moved = |edit: fn(TrajectoryIndex) -> Move| focus.map(|focus| Change::Move(edit(focus)));
    let wanted = match action {
        Action::MoveUp => moved(Move::Up),
        Action::MoveDown => moved(Move::Down),
        Action::PlaceDigit => focus
            .zip(digit)
            .map(|(focus, place)| Change::Move(Move::ToPlace(focus, place))),
        Action::TieAbove => moved(Move::TieAbove),
        Action::Split => moved(Move::Split),
        Action::Unrank => moved(Move::Unrank),
        Action::AcceptGrader => Some(Change::AcceptGrader),
        Action::Submit => Some(Change::Submit),
        Action::Undo => Some(Change::Undo),
        Action::Redo => Some(Change::Redo),
        Action::Confidence => Some(Change::Confidence(next_confidence(model, group))),
        _ => None,
    };
    let Some(wanted) = wanted else { return effects };
    if action == Action::Submit && looking::asks(model, group) {
        return effects;
    }
    let unread = opened(model).map_or(0, |opened| opened.content.problems.len());
    let is_move = matches!(wanted, Change::Move(_) | Change::AcceptGrader);
    let placed = match &wanted {
        Change::Move(
            Move::Up(index) | Move::Down(index) | Move::ToPlace(index, _) | Move::TieAbove(index),
        ) => Some(*index),
        _ => None,
    };
    let done = change(model, group, wanted, &mut effects);
    if let Some(placed) = placed {
        // Also one that stands there already: that is where it belongs.
        looking::place(model, group, placed);
    }
    if done && is_move {
        tell_undo(model);
    }
    if done && action == Action::Confidence {
        tell_submit(model, group);
    }
    if done && action == Action::Submit && unread > 0 {
        model.say(
            Severity::Warning,
            format!(
                "{}, though its texts could not all be read",
                model.status.text
            ),
        );
    }
    if done && action == Action::Submit && model.saves.failed.is_some() {
        // Not away from what may be lost.
        model.say(Severity::Error, "the submission is not stored");
    } else if done && action == Action::Submit {
        let said = model.status.text.clone();
        queue::go_to_next(model, &said, &mut effects);
        let session = model.session.as_ref();
        let waits = session.is_some_and(|session| session.awaits_reveal(group));
        if let Some(key) = model.keymap.key_of(Action::Reveal).filter(|_| waits) {
            let hint = format!("; {key} reveals it");
            model.status.text.push_str(&hint);
        }
    }
    effects
}

/// Low, medium, high, not said, and again.
fn next_confidence(model: &Model, group: usize) -> Option<u8> {
    let session = model.session.as_ref();
    let judgement = session.and_then(|session| session.judgement(group));
    match judgement.and_then(|judgement| judgement.confidence) {
        None => Some(1),
        Some(level) if level < 3 => Some(level + 1),
        Some(_) => None,
    }
}

/// A submission holds the confidence that was said before it.
fn tell_submit(model: &mut Model, group: usize) {
    let session = model.session.as_ref();
    let judgement = session.and_then(|session| session.judgement(group));
    let submitted = judgement.is_some_and(|judgement| judgement.submitted.is_some());
    if let Some(key) = model.keymap.key_of(Action::Submit).filter(|_| submitted) {
        let hint = format!("; {key} submits the ranking with it");
        model.status.text.push_str(&hint);
    }
}

/// Names the key that takes a change back, where there is room.
pub(super) fn tell_undo(model: &mut Model) {
    let hint = help::undo_hint(model);
    model.status.text.push_str(&hint);
}
