//! What keys do on the steps screen, and what is on it.
//!
//! What is *not* here: the search (`find`), the lists on the left (`panels`), ways to and from hunks
//! (`links`), the mouse (`mouse`).

use std::sync::Arc;

use super::heads::StepHead;
use super::layout::Layout;
use super::state::{Key, Open, Panel};
use super::transcript::{Lines, Row, Transcript};
use super::{find, links, panels};
use crate::domain::Step;
use crate::tui::action::Action;
use crate::tui::area;
use crate::tui::effect::Effect;
use crate::tui::long_text::{self, Extent};
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::overlays::{Overlay, PromptKind};
use crate::tui::screens::compare;
use crate::tui::scroll::Position;
use crate::tui::update::go_to;

/// The focused trajectory: (group, trajectory).
#[must_use]
pub fn shown(model: &Model) -> Option<Key> {
    Some((model.compare.group?, model.compare.focus()?))
}

/// The trajectories on screen, from the left: the focused one, and maybe one beside it.
#[must_use]
pub fn columns(model: &Model) -> Vec<Key> {
    let Some(focused) = shown(model) else {
        return Vec::new();
    };
    match beside(model) {
        None => vec![focused],
        Some(other) if model.steps.is_right => vec![other, focused],
        Some(other) => vec![focused, other],
    }
}

/// The trajectory beside the focused one.
#[must_use]
pub fn beside(model: &Model) -> Option<Key> {
    let focused = shown(model)?;
    let other = model.steps.other;
    other.filter(|other| other.0 == focused.0 && other.1 != focused.1)
}

/// How many candidates there are whose steps could be read.
#[must_use]
pub fn candidates(model: &Model) -> usize {
    let group = model.compare.group.and_then(|group| model.opened(group));
    group.map_or(0, |opened| opened.patches.len())
}

/// Whether the current step, or the call that it answers, is known to edit a file.
#[must_use]
pub fn may_have_hunk(model: &Model) -> bool {
    let here = shown(model).and_then(|of| Some((model.steps.transcript(of)?, step_of(model, of)?)));
    here.is_some_and(|(transcript, step)| {
        let steps = [Some(step), step.checked_sub(1)];
        let mut heads = steps
            .into_iter()
            .flatten()
            .filter_map(|step| transcript.head(step));
        heads.any(|head| head.edits)
    })
}

/// Where things stand now.
#[must_use]
pub fn layout(model: &Model) -> Layout {
    let needs_list = model.steps.panel != Panel::Steps;
    Layout::of(
        area::screen(model.size),
        columns(model).len().max(1),
        needs_list,
    )
}

/// The steps of a trajectory, once the group's texts are open.
#[must_use]
pub fn steps_of(model: &Model, (group, trajectory): Key) -> Option<&[Step]> {
    let content = model.opened(group)?.content.trajectories.get(trajectory)?;
    Some(&content.steps)
}

/// A trajectory's transcript with its steps and scroll position, once it is built.
#[must_use]
pub fn transcript_of(model: &Model, of: Key) -> Option<(&Transcript, &[Step], Position)> {
    let transcript = model.steps.transcript(of)?;
    let at = model.steps.positions.get(&of).copied().unwrap_or_default();
    Some((transcript, steps_of(model, of)?, at))
}

/// The focused transcript.
#[must_use]
pub fn focused(model: &Model) -> Option<(&Transcript, &[Step], Position)> {
    transcript_of(model, shown(model)?)
}

/// Lines of a row at a width.
#[must_use]
pub fn height(transcript: &Transcript, steps: &[Step], row: usize, width: usize) -> usize {
    match transcript.row(row) {
        None | Some(Row::Head(_)) => 1,
        Some(row) => long_text::height_of(&transcript.line(steps, row).text, width),
    }
}

/// Cells of a line of a trajectory on screen.
pub(super) fn text_width(model: &Model, of: Key) -> usize {
    let place = columns(model).iter().position(|column| *column == of);
    usize::from(layout(model).text(place.unwrap_or(0)).width).max(1)
}

/// Performs an action.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let mut effects = Vec::new();
    match action {
        Action::Back if model.steps.panel != Panel::Steps => model.steps.panel = Panel::Steps,
        Action::Back if find::take_off(model) => {}
        Action::Back => return go_to(model, Screen::Compare),
        Action::OtherColumn if beside(model).is_some() => swap(model),
        Action::NextTrajectory | Action::OtherColumn => sibling(model, Action::FocusNext),
        Action::PreviousTrajectory => sibling(model, Action::FocusPrevious),
        Action::SecondTrajectory => second(model),
        Action::SyncColumns => sync(model),
        Action::WholeTexts => whole(model),
        Action::Search => {
            let typed = model.steps.search.typed.clone();
            model.overlay = Some(Overlay::prompt(PromptKind::SearchSteps, &typed));
        }
        Action::NextMatch => effects = find::find(model, true, false),
        Action::PreviousMatch => effects = find::find(model, false, false),
        Action::SearchHits => effects = panels::hits(model),
        Action::FilterKinds => panels::kinds(model),
        Action::OpenHunk => return links::open_hunk(model),
        _ if model.steps.panel != Panel::Steps && panels::takes(action) => {
            effects = panels::update(model, action);
        }
        _ => walk(model, action),
    }
    effects.extend(settle(model));
    effects
}

/// Fits the positions to what is shown and builds transcripts that are not there.
pub fn settle(model: &mut Model) -> Vec<Effect> {
    let Some(focused) = shown(model) else {
        return Vec::new();
    };
    if model.opened(focused.0).is_none() {
        return Vec::new();
    }
    let keys = columns(model);
    // A sibling first seen now opens at the step of the same number.
    let step = step_before(model, focused);
    for &key in &keys {
        build(model, key, step);
    }
    model.steps.open.retain(|open| keys.contains(&open.of));
    if model.steps.together
        && let (Some(other), Some(step)) = (beside(model), step_of(model, focused))
        && let Some(transcript) = model.steps.transcript(other)
        && step_of(model, other) != Some(step)
    {
        let row = transcript.start(step.min(transcript.steps().saturating_sub(1)));
        model.steps.positions.insert(other, Position::at(row));
    }
    for key in keys {
        let width = text_width(model, key);
        if let Some((transcript, steps, at)) = transcript_of(model, key) {
            // The last row may stand at the top, so that every step can be the current one.
            let at = at.clamp(1, transcript.len(), |row| {
                height(transcript, steps, row, width)
            });
            model.steps.positions.insert(key, at);
        }
    }
    Vec::new()
}

/// Builds the transcript of a trajectory, unless it is there and still right.
fn build(model: &mut Model, key: Key, step: Option<usize>) {
    let (Some(opened), Some(steps)) = (model.opened(key.0), steps_of(model, key)) else {
        return;
    };
    let extent = model.steps.extent;
    let texts = Arc::downgrade(opened);
    let before = model.steps.open.iter().find(|open| open.of == key);
    let is_there = before.is_some_and(|open| open.extent == extent && open.texts.ptr_eq(&texts));
    if is_there {
        return;
    }
    let mut transcript = Transcript::with(Lines::of(steps, extent), model.steps.hidden);
    let mut position = model.steps.positions.get(&key).copied();
    if let Some(before) = before {
        // Lines have other numbers now: the step stays.
        let step = position.map(|at| before.transcript.step_at(at.row));
        transcript.fold_like(before.transcript.folds());
        position = step.map(|step| Position::at(transcript.start(step)));
    } else if position.is_none() {
        let last = transcript.steps().saturating_sub(1);
        position = step.map(|step| Position::at(transcript.start(step.min(last))));
    }
    model.steps.open.retain(|open| open.of != key);
    model.steps.open.push(Open {
        of: key,
        texts,
        extent,
        transcript,
    });
    model
        .steps
        .positions
        .insert(key, position.unwrap_or_default());
}

/// The current step of a trajectory on screen.
pub(super) fn step_of(model: &Model, key: Key) -> Option<usize> {
    let at = model.steps.positions.get(&key)?;
    Some(model.steps.transcript(key)?.step_at(at.row))
}

/// The step that the focused trajectory stands at, or the one of the same group on screen before.
fn step_before(model: &Model, focused: Key) -> Option<usize> {
    let mut open = model.steps.open.iter().map(|open| open.of);
    let before = step_of(model, focused).map(|_| focused);
    let key = before.or_else(|| open.find(|key| key.0 == focused.0 && Some(*key) != beside(model)));
    step_of(model, key?)
}

/// Focuses the other of two trajectories.
fn swap(model: &mut Model) {
    if let (Some(focused), Some(other)) = (shown(model), beside(model)) {
        // The focus is the compare screen's, so that going back shows the candidate read last.
        model.compare.focus_on(other.0, other.1);
        model.steps.other = Some(focused);
        model.steps.is_right = !model.steps.is_right;
    }
}

/// Moves the focus to the next candidate that is not on screen.
fn sibling(model: &mut Model, action: Action) {
    let before = shown(model);
    compare::update(model, action, None);
    if shown(model).is_some() && shown(model) == model.steps.other {
        compare::update(model, action, None);
        if shown(model) == model.steps.other
            && let Some((group, trajectory)) = before
        {
            model.compare.focus_on(group, trajectory);
            model.say(Severity::Info, "there is no other candidate");
        }
    }
}

/// Opens the next candidate beside the focused one, or closes it.
fn second(model: &mut Model) {
    if beside(model).is_some() {
        model.steps.other = None;
        model.steps.is_right = false;
        return;
    }
    let Some(focused) = shown(model) else { return };
    compare::update(model, Action::FocusNext, None);
    if shown(model) == Some(focused) {
        compare::update(model, Action::FocusPrevious, None);
    }
    let other = shown(model).filter(|other| *other != focused);
    model.compare.focus_on(focused.0, focused.1);
    model.steps.is_right = false;
    model.steps.other = other;
    let said = match other {
        Some(_) => "",
        None => "this group has only one candidate",
    };
    model.say(Severity::Info, said);
}

fn sync(model: &mut Model) {
    model.steps.together = !model.steps.together;
    let said = if model.steps.together {
        "the other trajectory follows to the step of the same number"
    } else {
        "each trajectory scrolls on its own"
    };
    model.say(Severity::Info, said);
}

fn whole(model: &mut Model) {
    let steps = shown(model).and_then(|of| steps_of(model, of));
    if steps.is_some_and(<[Step]>::is_empty) {
        let said = "no trace is recorded for this candidate: there is nothing to show whole";
        return model.say(Severity::Info, said);
    }
    let (extent, said) = match model.steps.extent {
        Extent::Gist => (
            Extent::Whole,
            "every state of overwritten lines and all encoded data is shown",
        ),
        Extent::Whole => (
            Extent::Gist,
            "overwritten lines by their last state, encoded data by its size",
        ),
    };
    model.steps.extent = extent;
    model.say(Severity::Info, said);
}

fn walk(model: &mut Model, action: Action) {
    let Some(wanted) = shown(model) else { return };
    let page = usize::from(layout(model).text(0).height);
    let page = page.saturating_sub(2).max(1);
    let width = text_width(model, wanted);
    let Some((transcript, steps, at)) = focused(model) else {
        return;
    };
    let tall = |row| height(transcript, steps, row, width);
    let step = transcript.step_at(at.row);
    let down = |lines| Some(at.down(lines, transcript.len(), tall));
    let up = |lines| Some(at.up(lines, tall));
    let start = |step: Option<usize>| step.map(|step| Position::at(transcript.start(step)));
    let next = |wanted: fn(&StepHead) -> bool| start(transcript.next(step, wanted));
    let previous = |wanted: fn(&StepHead) -> bool| start(transcript.previous(step, wanted));
    let (to, none) = match action {
        Action::Down => (down(1), ""),
        Action::Up => (up(1), ""),
        Action::PageDown => (down(page), ""),
        Action::PageUp => (up(page), ""),
        Action::HalfPageDown => (down((page / 2).max(1)), ""),
        Action::HalfPageUp => (up((page / 2).max(1)), ""),
        Action::Top => (Some(Position::default()), ""),
        Action::Bottom => {
            let filled = Position::at(transcript.len()).clamp(page, transcript.len(), tall);
            // The last step becomes the current one, though short steps leave room below it.
            let last = transcript.visible().last().copied().unwrap_or(0);
            (Some(filled.max(Position::at(transcript.start(last)))), "")
        }
        Action::NextStep => (next(|_| true), "this is the last step"),
        Action::PreviousStep => {
            let begin = Position::at(transcript.start(step));
            let before = if at > begin {
                Some(begin)
            } else {
                previous(|_| true)
            };
            (before, "this is the first step")
        }
        Action::NextError => (next(|head| head.failed), "no failed step below"),
        Action::PreviousError => (previous(|head| head.failed), "no failed step above"),
        Action::NextEdit => (next(|head| head.edits), "no step below is known to edit"),
        Action::PreviousEdit => (
            previous(|head| head.edits),
            "no step above is known to edit",
        ),
        Action::FoldStep | Action::FoldAll => return fold(model, action, wanted, step),
        _ => return,
    };
    match to {
        Some(to) => {
            model.steps.positions.insert(wanted, to);
        }
        None => model.say(Severity::Info, none),
    }
}

fn fold(model: &mut Model, action: Action, of: Key, step: usize) {
    let Some(transcript) = model.steps.transcript_mut(of) else {
        return;
    };
    let said = if action == Action::FoldAll {
        Some(if transcript.fold_all() {
            "every step is folded"
        } else {
            "every step is unfolded"
        })
    } else {
        transcript.fold(step, !transcript.is_folded(step));
        None
    };
    let at = Position::at(transcript.start(step));
    model.steps.positions.insert(of, at);
    if let Some(said) = said {
        model.say(Severity::Info, said);
    }
}
