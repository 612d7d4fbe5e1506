//! What keys and the mouse do on the schedule screen.

use super::rows::Summary;
use super::values::{Line, lines};
use crate::review::Settings;
use crate::tui::action::Action;
use crate::tui::area::{self, Area};
use crate::tui::effect::Effect;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::overlays::{Overlay, PromptKind};
use crate::tui::update::{go_to, refresh_reviewed};

/// State of the schedule screen.
#[derive(Debug, Default)]
pub struct State {
    /// Line under the cursor, 0-based.
    pub cursor: usize,
    /// Means over all groups under the settings shown.
    pub summary: Option<Summary>,
}

/// Performs an action of the screen.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let last = model
        .session
        .as_ref()
        .map_or(0, |s| lines(s.settings()).len().saturating_sub(1));
    let state = &mut model.schedule;
    match action {
        Action::Back if model.compare.group.is_some() => return go_to(model, Screen::Compare),
        Action::Back => return go_to(model, Screen::Groups),
        Action::Down => state.cursor = (state.cursor + 1).min(last),
        Action::Up => state.cursor = state.cursor.saturating_sub(1),
        Action::Top | Action::PageUp | Action::HalfPageUp => state.cursor = 0,
        Action::Bottom | Action::PageDown | Action::HalfPageDown => state.cursor = last,
        Action::NextValue => step(model, true),
        Action::PreviousValue => step(model, false),
        Action::EditValue => {
            if let Some((line, settings)) = chosen(model) {
                model.overlay = Some(Overlay::prompt(PromptKind::Value, &line.value(&settings)));
            }
        }
        Action::ResetSchedule => {
            let initial = model.initial_settings.clone();
            set(model, initial);
        }
        _ => {}
    }
    Vec::new()
}

/// Computes the means when they are not there yet.
pub fn settle(model: &mut Model) -> Vec<Effect> {
    model.schedule.summary = model.session.as_ref().map(Summary::of);
    Vec::new()
}

/// Takes a typed value for the line under the cursor.
///
/// # Errors
/// Why it is not a value, one sentence.
pub fn typed(model: &mut Model, text: &str) -> Result<Vec<Effect>, String> {
    if let Some((line, settings)) = chosen(model) {
        let new = line.typed(&settings, text)?;
        set(model, new);
    }
    Ok(Vec::new())
}

/// Handles the mouse: a click chooses a line, the wheel changes its value.
pub fn mouse(model: &mut Model, kind: MouseKind, x: u16, y: u16) -> Vec<Effect> {
    let area = lines_area(model);
    if !area.contains(x, y) {
        return Vec::new();
    }
    match kind {
        MouseKind::Down => model.schedule.cursor = usize::from(y - area.y),
        MouseKind::ScrollUp => step(model, false),
        MouseKind::ScrollDown => step(model, true),
        MouseKind::Drag | MouseKind::Up => {}
    }
    Vec::new()
}

/// Where the lines are drawn, below the title.
#[must_use]
pub fn lines_area(model: &Model) -> Area {
    let count = model
        .session
        .as_ref()
        .map_or(0, |session| lines(session.settings()).len());
    let (_, rest) = area::screen(model.size).split_top(2);
    rest.split_top(u16::try_from(count).unwrap_or(u16::MAX)).0
}

fn chosen(model: &Model) -> Option<(Line, Settings)> {
    let settings = model.session.as_ref()?.settings().clone();
    let line = lines(&settings).get(model.schedule.cursor).copied()?;
    Some((line, settings))
}

fn step(model: &mut Model, forward: bool) {
    let Some((line, settings)) = chosen(model) else {
        return;
    };
    match line.step(&settings, forward) {
        Ok(new) => set(model, new),
        Err(reason) => model.say(Severity::Info, reason),
    }
}

fn set(model: &mut Model, settings: Settings) {
    let Some(session) = &mut model.session else {
        return;
    };
    if *session.settings() == settings {
        return;
    }
    session.set_settings(settings);
    let last = lines(session.settings()).len().saturating_sub(1);
    model.schedule.cursor = model.schedule.cursor.min(last);
    if let Some(group) = model.reviewed.as_ref().map(|(group, _)| *group) {
        refresh_reviewed(model, group);
    }
    settle(model);
}
