//! What keys and the mouse do on the grader screen.

use std::sync::Arc;

use super::rows::{Line, lines};
use crate::domain::GraderAnswer;
use crate::tui::action::Action;
use crate::tui::area::{self, Area};
use crate::tui::effect::Effect;
use crate::tui::list::walked;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::update::go_to;

/// Lines that a turn of the wheel moves by.
const WHEEL: usize = 3;

/// State of the grader screen.
#[derive(Debug, Default)]
pub struct State {
    /// Which answer about the group, 0-based; `None` = the one whose ranking is shown.
    pub place: Option<usize>,
    /// Whether the raw answer is shown.
    pub raw: bool,
    /// Lines above the window.
    pub first: usize,
    /// The lines of what is shown.
    pub lines: Arc<Vec<Line>>,
    built: Option<Built>,
}

/// What the lines were built from; they are built anew when it differs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Built {
    group: usize,
    place: usize,
    raw: bool,
    width: u16,
    /// Judgements change what is said beside the ranking.
    saves: usize,
}

/// Performs an action of the screen.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let window = usize::from(text_area(model).height).max(1);
    let state = &mut model.grader;
    match action {
        Action::Back => return go_to(model, Screen::Compare),
        Action::NextVote => next_answer(model),
        Action::RawAnswer => {
            state.raw = !state.raw;
            state.first = 0;
        }
        walk => state.first = walked(state.first, walk, window).unwrap_or(state.first),
    }
    settle(model)
}

/// Builds the lines of the answer shown and keeps the window filled.
pub fn settle(model: &mut Model) -> Vec<Effect> {
    let text = text_area(model);
    let wanted = shown(model).map(|(group, place, _, _)| Built {
        group,
        place,
        raw: model.grader.raw,
        width: text.width,
        saves: model.saves.stored + model.saves.pending.len(),
    });
    if wanted != model.grader.built {
        let same_group = match (&wanted, &model.grader.built) {
            (Some(a), Some(b)) => a.group == b.group,
            _ => false,
        };
        if !same_group {
            model.grader.place = None;
            model.grader.first = 0;
        }
        let built = shown(model).and_then(|(group, _, _, answer)| {
            let data = model.session.as_ref()?.group(group)?;
            let ranking = model
                .reviewed
                .as_ref()
                .map(|(_, reviewed)| &reviewed.shown.ranking);
            Some(lines(
                data,
                answer,
                ranking,
                model.grader.raw,
                usize::from(text.width),
            ))
        });
        model.grader.lines = Arc::new(built.unwrap_or_default());
        model.grader.built = wanted;
    }
    let most = model
        .grader
        .lines
        .len()
        .saturating_sub(usize::from(text.height));
    model.grader.first = model.grader.first.min(most);
    Vec::new()
}

/// Handles the mouse: the wheel scrolls.
pub fn mouse(model: &mut Model, kind: MouseKind, _x: u16, _y: u16) -> Vec<Effect> {
    match kind {
        MouseKind::ScrollDown => model.grader.first += WHEEL,
        MouseKind::ScrollUp => model.grader.first = model.grader.first.saturating_sub(WHEEL),
        MouseKind::Down | MouseKind::Drag | MouseKind::Up => {}
    }
    settle(model)
}

/// The answer shown: (group, its place, number of answers, the answer).
#[must_use]
pub fn shown(model: &Model) -> Option<(usize, usize, usize, &GraderAnswer)> {
    let group = model.reviewed.as_ref()?.0;
    let answers = model.session.as_ref()?.answers(group);
    let with_ranking = answers.iter().position(|answer| answer.ranking.is_some());
    let place = model.grader.place.filter(|&place| place < answers.len());
    let place = place.or(with_ranking).unwrap_or(0);
    Some((group, place, answers.len(), answers.get(place)?))
}

/// Where the lines are drawn, below the title's two lines.
#[must_use]
pub fn text_area(model: &Model) -> Area {
    let (_, text) = area::screen(model.size).split_top(2);
    Area {
        x: text.x + 1,
        width: text.width.saturating_sub(2),
        ..text
    }
}

fn next_answer(model: &mut Model) {
    match shown(model).map(|(_, place, count, _)| (place, count)) {
        Some((place, count)) if count > 1 => {
            model.grader.place = Some((place + 1) % count);
            model.grader.first = 0;
        }
        _ => model.say(Severity::Info, "there is no other answer about this group"),
    }
}
