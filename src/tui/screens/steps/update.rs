//! What keys and the mouse do on the steps screen, and where things stand on it.

use super::transcript::{Row, Transcript};
use crate::domain::{Step, TrajectoryIndex};
use crate::tui::action::Action;
use crate::tui::area::{self, Area};
use crate::tui::effect::Effect;
use crate::tui::long_text;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::overlays::{Overlay, PromptKind};
use crate::tui::screens::compare;
use crate::tui::scroll::{Position, reveal};
use crate::tui::update::go_to;

/// Lines that one turn of the wheel scrolls.
const WHEEL: usize = 3;

/// Where things stand: a pure function of the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Whose steps, how many.
    pub title: Area,
    /// The list of steps.
    pub list: Area,
    /// The transcript.
    pub text: Area,
}

impl Layout {
    /// Lays the screen out.
    #[must_use]
    pub fn of(screen: Area) -> Self {
        let (title, body) = screen.split_top(1);
        let (list, text) = body.split_left((body.width * 2 / 5).clamp(18, 60));
        // One cell between the two.
        let (_, text) = text.split_left(1);
        Self { title, list, text }
    }
}

/// The trajectory on screen: (group, trajectory).
#[must_use]
pub fn shown(model: &Model) -> Option<(usize, TrajectoryIndex)> {
    Some((model.compare.group?, model.compare.focus()?))
}

/// Its steps, once the group's texts are open.
#[must_use]
pub fn steps(model: &Model) -> Option<&[Step]> {
    let (group, trajectory) = shown(model)?;
    let content = model.opened(group)?.content.trajectories.get(trajectory)?;
    Some(&content.steps)
}

/// The transcript on screen and its scroll position, once it is built.
#[must_use]
pub fn transcript(model: &Model) -> Option<(&Transcript, Position)> {
    let wanted = shown(model)?;
    let (of, transcript) = model.steps.transcript.as_ref()?;
    let at = model
        .steps
        .positions
        .get(&wanted)
        .copied()
        .unwrap_or_default();
    (*of == wanted).then_some((transcript, at))
}

/// Lines of a row at a width.
#[must_use]
pub fn height(transcript: &Transcript, steps: &[Step], row: usize, width: usize) -> usize {
    match transcript.row(row) {
        None | Some(Row::Head(_)) => 1,
        Some(row) => long_text::height(transcript.line(steps, row), width),
    }
}

/// First visible row of the list of steps.
#[must_use]
pub fn first_listed(step: usize, window: usize, steps: usize) -> usize {
    reveal(step.saturating_sub(window / 2), step, window, steps)
}

/// Performs an action.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Back => return go_to(model, Screen::Compare),
        Action::NextTrajectory => sibling(model, Action::FocusNext),
        Action::PreviousTrajectory => sibling(model, Action::FocusPrevious),
        Action::Search => {
            model.overlay = Some(Overlay::prompt(PromptKind::Search, &model.steps.search));
        }
        Action::NextMatch => find(model, true, false),
        Action::PreviousMatch => find(model, false, false),
        _ => walk(model, action),
    }
    settle(model)
}

/// Fits the position to what is shown and builds the transcript when it is another one.
pub fn settle(model: &mut Model) -> Vec<Effect> {
    let Some(wanted) = shown(model) else {
        return Vec::new();
    };
    if model.opened(wanted.0).is_none() {
        return Vec::new();
    }
    if model
        .steps
        .transcript
        .as_ref()
        .is_none_or(|(of, _)| *of != wanted)
    {
        let step = transcript_step(model);
        let built = Transcript::of(steps(model).unwrap_or_default());
        if !model.steps.positions.contains_key(&wanted)
            && let Some(step) = step
        {
            // A sibling first seen now opens at the step of the same number.
            let row = built.start(step.min(built.steps().saturating_sub(1)));
            model.steps.positions.insert(wanted, Position::at(row));
        }
        model.steps.transcript = Some((wanted, built));
    }
    let width = text_width(model);
    if let (Some((transcript, at)), Some(steps)) = (transcript(model), steps(model)) {
        // The last row may stand at the top, so that every step can be the current one.
        let at = at.clamp(1, transcript.len(), |row| {
            height(transcript, steps, row, width)
        });
        model.steps.positions.insert(wanted, at);
    }
    Vec::new()
}

/// The current step of the transcript that was on screen before, when it was of the same group.
fn transcript_step(model: &Model) -> Option<usize> {
    let (of, transcript) = model.steps.transcript.as_ref()?;
    let at = model.steps.positions.get(of)?;
    (of.0 == shown(model)?.0).then(|| transcript.step_at(at.row))
}

fn text_width(model: &Model) -> usize {
    usize::from(Layout::of(area::screen(model.size)).text.width).max(1)
}

fn sibling(model: &mut Model, action: Action) {
    // The focus is the compare screen's, so that going back shows the candidate read last.
    compare::update(model, action, None);
}

fn walk(model: &mut Model, action: Action) {
    let Some(wanted) = shown(model) else { return };
    let page = usize::from(Layout::of(area::screen(model.size)).text.height);
    let page = page.saturating_sub(2).max(1);
    let width = text_width(model);
    let (Some((transcript, at)), Some(steps)) = (transcript(model), steps(model)) else {
        return;
    };
    let tall = |row| height(transcript, steps, row, width);
    let step = transcript.step_at(at.row);
    let down = |lines| Some(at.down(lines, transcript.len(), tall));
    let up = |lines| Some(at.up(lines, tall));
    let start = |step: Option<usize>| step.map(|step| Position::at(transcript.start(step)));
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
            let last = Position::at(transcript.start(transcript.steps().saturating_sub(1)));
            (Some(filled.max(last)), "")
        }
        Action::NextStep => (
            start(Some(step + 1).filter(|&next| next < transcript.steps())),
            "this is the last step",
        ),
        Action::PreviousStep => {
            let before = if at > Position::at(transcript.start(step)) {
                Some(step)
            } else {
                step.checked_sub(1)
            };
            (start(before), "this is the first step")
        }
        Action::NextError => (start(transcript.next_failure(step)), "no failed step below"),
        Action::FoldStep | Action::FoldAll => return fold(model, action, step),
        _ => return,
    };
    match to {
        Some(to) => {
            model.steps.positions.insert(wanted, to);
        }
        None => model.say(Severity::Info, none),
    }
}

fn fold(model: &mut Model, action: Action, step: usize) {
    let Some(((group, trajectory), transcript)) = model.steps.transcript.as_mut() else {
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
    model
        .steps
        .positions
        .insert((*group, *trajectory), Position::at(transcript.start(step)));
    if let Some(said) = said {
        model.say(Severity::Info, said);
    }
}

/// Searches the steps for a text that the prompt gave.
pub fn searched(model: &mut Model, text: &str) -> Vec<Effect> {
    model.steps.search = text.to_owned();
    if !text.is_empty() {
        find(model, true, true);
    }
    settle(model)
}

fn find(model: &mut Model, forward: bool, here: bool) {
    if model.steps.search.is_empty() {
        model.say(Severity::Info, "nothing is searched for yet");
        return;
    }
    let (Some(wanted), Some((transcript, at)), Some(steps)) =
        (shown(model), transcript(model), steps(model))
    else {
        return;
    };
    let hits = transcript.hits(steps, &model.steps.search);
    let rows = hits.iter().map(|&hit| {
        if transcript.is_folded(step_of(hit)) {
            transcript.start(step_of(hit))
        } else {
            transcript.row_of(hit)
        }
    });
    let rows: Vec<usize> = rows.collect();
    let place = if forward {
        rows.iter()
            .position(|&row| row > at.row || (here && row == at.row))
            .or(Some(0))
    } else {
        rows.iter()
            .rposition(|&row| row < at.row)
            .or(rows.len().checked_sub(1))
    };
    let Some((place, hit)) = place.and_then(|place| hits.get(place).map(|&hit| (place, hit)))
    else {
        let said = format!("{:?} is not in these steps", model.steps.search);
        model.say(Severity::Info, said);
        return;
    };
    let count = hits.len();
    if let Some((_, transcript)) = model.steps.transcript.as_mut() {
        transcript.fold(step_of(hit), false);
        let row = transcript.row_of(hit);
        model.steps.positions.insert(wanted, Position::at(row));
    }
    model.say(
        Severity::Info,
        format!("match {} of {count} lines", place + 1),
    );
}

fn step_of(row: Row) -> usize {
    let (Row::Head(step) | Row::Text(step, _) | Row::Args(step, _)) = row;
    step
}

/// What the mouse does.
pub fn mouse(model: &mut Model, kind: MouseKind, x: u16, y: u16) -> Vec<Effect> {
    let layout = Layout::of(area::screen(model.size));
    let Some(wanted) = shown(model) else {
        return Vec::new();
    };
    let width = text_width(model);
    let (Some((transcript, at)), Some(steps)) = (transcript(model), steps(model)) else {
        return Vec::new();
    };
    let tall = |row| height(transcript, steps, row, width);
    let over_list = layout.list.contains(x, y);
    let step = transcript.step_at(at.row);
    let to = match kind {
        MouseKind::Down if over_list => {
            let first = first_listed(step, usize::from(layout.list.height), transcript.steps());
            let row = first + usize::from(y - layout.list.y);
            (row < transcript.steps()).then(|| Position::at(transcript.start(row)))
        }
        MouseKind::ScrollDown if over_list => {
            (step + 1 < transcript.steps()).then(|| Position::at(transcript.start(step + 1)))
        }
        MouseKind::ScrollUp if over_list => step
            .checked_sub(1)
            .map(|step| Position::at(transcript.start(step))),
        MouseKind::ScrollDown => Some(at.down(WHEEL, transcript.len(), tall)),
        MouseKind::ScrollUp => Some(at.up(WHEEL, tall)),
        _ => None,
    };
    if let Some(to) = to {
        model.steps.positions.insert(wanted, to);
    }
    settle(model)
}
