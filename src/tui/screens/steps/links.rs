//! From a step to the hunk that it made, and from a hunk to its step.
//!
//! What is *not* here: which edits a step is known to make (`crate::review::edits`).

use super::transcript::Row;
use super::update::{shown, step_of, steps_of};
use crate::domain::{Step, StepKind};
use crate::review::edits;
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::screens::compare;
use crate::tui::scroll::Position;
use crate::tui::text;
use crate::tui::update::go_to;

/// Goes to the hunk that the current step made; of an observation, the one that its call made. A step
/// that a place of the patch led to leads back there.
pub(super) fn open_hunk(model: &mut Model) -> Vec<Effect> {
    let Some(of) = shown(model) else {
        return Vec::new();
    };
    let (Some(steps), Some(step)) = (steps_of(model, of), step_of(model, of)) else {
        return Vec::new();
    };
    let call = step.checked_sub(1).and_then(|call| steps.get(call));
    let made_by_call = call.is_some_and(|call| call.kind() == StepKind::ToolCall)
        && steps.get(step).map(Step::kind) == Some(StepKind::Observation);
    let at = if made_by_call { step - 1 } else { step };
    let Some(made) = steps.get(at) else {
        return Vec::new();
    };
    let came_from = model.steps.came_from;
    let back = came_from.filter(|&(from, of_step, _)| from == of && [at, step].contains(&of_step));
    let opened = model.opened(of.0);
    let Some(patch) = opened.and_then(|opened| opened.patches.get(of.1)) else {
        return Vec::new();
    };
    let found = edits::hunk_of(made, patch);
    if let Some((.., place)) = back {
        let said = match &found {
            Ok(hunk) if (hunk.file, hunk.hunk) == (place.file, place.hunk) => {
                format!("the step {}", hunk.certainty)
            }
            _ => "back where the step was asked for".to_owned(),
        };
        let effects = compare::show_place(model, place);
        model.say(Severity::Info, said);
        return effects;
    }
    match found {
        Ok(place) => {
            let said = format!("the step {}", place.certainty);
            let effects = compare::show_hunk(model, place.file, place.hunk);
            model.say(Severity::Info, said);
            effects
        }
        Err(reason) => {
            model.say(Severity::Info, text::sanitize_line(&reason.to_string()));
            Vec::new()
        }
    }
}

/// Goes to the step of a trajectory of the open group that made a hunk of its patch.
pub fn open_step_of(model: &mut Model, place: compare::PatchSpot) -> Vec<Effect> {
    let Some(of) = shown(model) else {
        return Vec::new();
    };
    let opened = model.opened(of.0);
    let patch = opened.and_then(|opened| opened.patches.get(of.1));
    let (Some(patch), Some(steps)) = (patch, steps_of(model, of)) else {
        return Vec::new();
    };
    if steps.is_empty() {
        model.say(Severity::Info, "no trace is recorded for this trajectory");
        return Vec::new();
    }
    // Text that is no hunk has lines of its own.
    let line = place.hunk.and(place.line);
    match edits::step_of(steps, patch, (place.file, place.hunk, line)) {
        Ok(found) => {
            let others = match found.others {
                0 => String::new(),
                1 => " · 1 other step edits the file".to_owned(),
                count => format!(" · {count} other steps edit the file"),
            };
            let said = format!("step {} {}{others}", found.step + 1, found.certainty);
            model.steps.came_from = Some((of, found.step, place));
            let mut effects = go_to(model, Screen::Steps);
            show_step(model, found.step);
            effects.extend(super::settle(model));
            model.say(Severity::Info, said);
            effects
        }
        Err(reason) => {
            model.say(Severity::Info, text::sanitize_line(&reason.to_string()));
            Vec::new()
        }
    }
}

/// Puts a step at the top of the focused transcript, with its kind shown.
fn show_step(model: &mut Model, step: usize) {
    let Some(of) = shown(model) else { return };
    let Some(transcript) = model.steps.transcript(of) else {
        return;
    };
    let kind = transcript.head(step).map(|head| head.kind);
    if let Some(kind) = kind.filter(|kind| model.steps.hidden.has(*kind)) {
        super::panels::hide(model, model.steps.hidden.toggled(kind));
    }
    if let Some(transcript) = model.steps.transcript_mut(of) {
        transcript.fold(step, false);
        let at = Position::at(transcript.row_of(Row::Head(step)));
        model.steps.positions.insert(of, at);
    }
}
