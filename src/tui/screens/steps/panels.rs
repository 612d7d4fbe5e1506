//! The lists that stand in the place of the steps: places that match, and kinds to show.

use super::find::{ask, find, go_to_row};
use super::kinds::Kinds;
use super::state::{Jump, Key, Panel};
use super::transcript::{Row, Transcript};
use super::update::{layout, shown};
use crate::domain::StepKind;
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Severity};
use crate::tui::scroll::Position;

/// Whether a list in the place of the steps takes an action.
pub(super) fn takes(action: Action) -> bool {
    matches!(
        action,
        Action::Down
            | Action::Up
            | Action::PageDown
            | Action::PageUp
            | Action::HalfPageDown
            | Action::HalfPageUp
            | Action::Top
            | Action::Bottom
            | Action::FoldStep
            | Action::FoldAll
    )
}

/// Shows or leaves the list of places.
pub(super) fn hits(model: &mut Model) -> Vec<Effect> {
    if model.steps.panel == Panel::Hits {
        model.steps.panel = Panel::Steps;
        return Vec::new();
    }
    let Some(of) = shown(model) else {
        return Vec::new();
    };
    if model.steps.search.pattern.is_none() {
        model.say(Severity::Info, "nothing is searched for yet");
        return Vec::new();
    }
    model.steps.panel = Panel::Hits;
    if model.steps.hits(of).is_none() && model.steps.transcript(of).is_some() {
        model.steps.search.waiting = Some(Jump {
            forward: true,
            here: true,
        });
        return ask(of);
    }
    Vec::new()
}

/// Shows or leaves the list of kinds.
pub(super) fn kinds(model: &mut Model) {
    model.steps.panel = match model.steps.panel {
        Panel::Kinds(_) => Panel::Steps,
        Panel::Steps | Panel::Hits => {
            // The kind of the step that is read is the one to begin with.
            let of = shown(model);
            let transcript = of.and_then(|of| model.steps.transcript(of));
            let step = of.and_then(|of| super::update::step_of(model, of));
            let head = transcript.zip(step).and_then(|(t, step)| t.head(step));
            let kind = head.map_or(StepKind::System, |head| head.kind);
            let place = StepKind::ALL.iter().position(|other| *other == kind);
            Panel::Kinds(place.unwrap_or(0))
        }
    };
}

/// Performs an action that the open list takes.
pub(super) fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    match model.steps.panel {
        Panel::Steps => {}
        Panel::Hits => return in_hits(model, action),
        Panel::Kinds(at) => in_kinds(model, action, at),
    }
    Vec::new()
}

/// The place that the reader is at, or the last one before: a position in the hits.
#[must_use]
pub fn current_hit(model: &Model, of: Key) -> Option<usize> {
    let hits = model.steps.hits(of)?;
    let transcript = model.steps.transcript(of)?;
    let at = model.steps.positions.get(&of)?;
    let here = transcript.row(at.row).map(Row::place)?;
    let after = hits.found.partition_point(|(row, _)| row.place() <= here);
    Some(after.saturating_sub(1))
}

fn in_hits(model: &mut Model, action: Action) -> Vec<Effect> {
    let Some(of) = shown(model) else {
        return Vec::new();
    };
    let page = usize::from(layout(model).list.height.saturating_sub(1)).max(1);
    let (Some(hits), Some(at)) = (model.steps.hits(of), current_hit(model, of)) else {
        model.steps.panel = Panel::Steps;
        return Vec::new();
    };
    let last = hits.found.len().saturating_sub(1);
    let to = match action {
        Action::Down => return find(model, true, false),
        Action::Up => return find(model, false, false),
        Action::PageDown => (at + page).min(last),
        Action::PageUp => at.saturating_sub(page),
        Action::HalfPageDown => (at + page.div_ceil(2)).min(last),
        Action::HalfPageUp => at.saturating_sub(page.div_ceil(2)),
        Action::Top => 0,
        Action::Bottom => last,
        _ => {
            model.steps.panel = Panel::Steps;
            return Vec::new();
        }
    };
    let row = hits.found.get(to).map(|(row, _)| *row);
    if let Some(row) = row {
        go_to_hit(model, of, row);
    }
    Vec::new()
}

/// Goes to a place of the list, unless its step is hidden.
pub(super) fn go_to_hit(model: &mut Model, of: Key, row: Row) {
    let transcript = model.steps.transcript(of);
    if transcript.is_some_and(|transcript| transcript.is_visible(row.step())) {
        go_to_row(model, of, row);
    } else {
        let said = format!("step {} is of a hidden kind", row.step() + 1);
        model.say(Severity::Info, said);
    }
}

fn in_kinds(model: &mut Model, action: Action, at: usize) {
    let last = StepKind::ALL.len() - 1;
    let to = match action {
        Action::Down => (at + 1).min(last),
        Action::Up => at.saturating_sub(1),
        Action::PageUp | Action::HalfPageUp | Action::Top => 0,
        Action::PageDown | Action::HalfPageDown | Action::Bottom => last,
        _ => {
            let kind = StepKind::ALL[at.min(last)];
            let only = Kinds::all_but(kind);
            let hidden = match action {
                Action::FoldStep => model.steps.hidden.toggled(kind),
                _ if model.steps.hidden == only => Kinds::default(),
                _ => only,
            };
            hide(model, hidden);
            at
        }
    };
    model.steps.panel = Panel::Kinds(to);
}

/// Hides these kinds in every transcript; the step that is read stays, or the next one shown.
pub(super) fn hide(model: &mut Model, hidden: Kinds) {
    model.steps.hidden = hidden;
    for open in &mut model.steps.open {
        let at = model.steps.positions.entry(open.of).or_default();
        let before = open.transcript.row(at.row);
        let step = before.map_or(0, Row::step);
        open.transcript.hide(hidden);
        *at = match before {
            Some(row) if open.transcript.is_visible(step) => Position {
                row: open.transcript.row_of(row),
                line: at.line,
            },
            _ => Position::at(open.transcript.start(step)),
        };
    }
}

/// The steps before which others are hidden, in words; nothing when all are shown.
#[must_use]
pub fn hidden_words(transcript: &Transcript, hidden: Kinds) -> String {
    let count = transcript.steps() - transcript.visible().len();
    if count == 0 {
        return String::new();
    }
    let kinds = hidden.iter().filter(|kind| transcript.count_of(*kind) > 0);
    let kinds: Vec<&str> = kinds.map(StepKind::word).collect();
    format!("{count} hidden: {}", kinds.join(", "))
}
