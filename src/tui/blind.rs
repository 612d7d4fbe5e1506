//! Blind mode in the interface: what is said in the place of what is hidden, and revealing.
//!
//! What is *not* here: hiding itself. Names, answers and advantages of a blind group are not in what
//! the session shows ([`crate::review`]).

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::action::Action;
use super::effect::Effect;
use super::model::{Model, Screen, Severity};
use super::text;
use super::theme::{Role, Theme};
use super::update::{change, open_group};
use super::widgets::line::put;
use crate::domain::GroupId;
use crate::review::{Change, HIDDEN, ReviewSession};

/// What the header says of a group: nothing when it is not blind.
#[must_use]
pub fn word(session: &ReviewSession, group: usize) -> Option<&'static str> {
    if !session.is_blind(group) {
        return None;
    }
    Some(match session.is_hidden(group) {
        true => "blind",
        false => "blind, revealed",
    })
}

/// Whether paths, problems and whatever else names files and runs of the whole set are hidden.
#[must_use]
pub fn hides_names(model: &Model) -> bool {
    match &model.session {
        Some(session) => session.hides_names(),
        None => model.starts_blind,
    }
}

/// What the title bar calls the loaded set: its path may be a model's name.
#[must_use]
pub fn title(model: &Model) -> String {
    match hides_names(model) {
        true => "blind".to_owned(),
        false => text::sanitize_line(&model.title),
    }
}

/// A sentence that may name a file, for a group on screen (`None` = for the whole set).
#[must_use]
pub fn sentence(model: &Model, group: Option<usize>, said: &str) -> String {
    let hidden = match (&model.session, group) {
        (Some(session), Some(group)) => session.is_hidden(group),
        _ => hides_names(model),
    };
    match hidden {
        true => "why is hidden in blind mode: it may name a file".to_owned(),
        false => text::sanitize_line(said),
    }
}

/// Why the open screen shows nothing; `None` when it shows what it has.
#[must_use]
pub fn withheld(model: &Model) -> Option<Vec<String>> {
    let session = model.session.as_ref()?;
    match model.screen {
        Screen::Grader => {
            let group = model.compare.group?;
            session.is_hidden(group).then(|| vec![HIDDEN.to_owned()])
        }
        Screen::Agreement | Screen::Disagreements | Screen::Schedules => {
            let what = match model.screen {
                Screen::Agreement => "How much grader and annotators agree",
                Screen::Disagreements => "The list of disagreements",
                _ => "The comparison of schemes",
            };
            let left = session.hidden_groups();
            let groups = if left == 1 { "group is" } else { "groups are" };
            let key = model.keymap.key_of(Action::Reveal).unwrap_or_default();
            (left > 0).then(|| {
                vec![
                    format!("{what} is hidden in blind mode."),
                    format!("It is made from the grader's rankings, and {left} {groups} not"),
                    format!("revealed yet. {key} reveals a group once you submitted it."),
                ]
            })
        }
        _ => None,
    }
}

/// Draws what [`withheld`] says.
pub fn draw_withheld(lines: &[String], theme: &Theme, buffer: &mut Buffer, area: Rect) {
    for (line, y) in lines.iter().zip(area.y + 1..area.y + area.height) {
        let width = area.width.saturating_sub(1);
        put(
            buffer,
            (area.x + 1, y),
            width,
            line,
            theme.style(Role::Text),
        );
    }
}

/// Reveals the open group when it was submitted, else goes back to the one submitted last and
/// reveals that.
pub fn reveal(model: &mut Model) -> Vec<Effect> {
    let Some(group) = model.compare.group else {
        return Vec::new();
    };
    let Some(session) = &model.session else {
        return Vec::new();
    };
    let waits = session.awaits_reveal(group);
    let last = session
        .submitted_last()
        .filter(|_| !waits && session.is_hidden(group));
    let mut effects = Vec::new();
    let group = match last {
        Some(last) => {
            effects.extend(open_group(model, last));
            last
        }
        None => group,
    };
    let done = change(model, group, Change::Reveal, &mut effects);
    if done && last.is_some() {
        let id = model
            .session
            .as_ref()
            .and_then(|session| session.group(group));
        let id = id.map(|data| name(&data.id)).unwrap_or_default();
        let said = format!("back in {id}: {}", model.status.text);
        model.say(Severity::Info, said);
    }
    effects
}

fn name(id: &GroupId) -> String {
    text::cut(id.as_str(), 40)
}

/// Records that a group was opened, when there is a place for it or it matters: a file with
/// judgements, an assignment, a blind group. What was judged before stays what it is.
pub fn record_opening(model: &mut Model, group: usize) -> Vec<Effect> {
    let Some(session) = model.session.as_mut() else {
        return Vec::new();
    };
    let is_assigned = session.assignment().is_some();
    let has_place = model.records_openings || model.saves.stored > 0 || is_assigned;
    if !(has_place || session.is_blind(group)) || session.is_gone(group) {
        return Vec::new();
    }
    // What is known already is not said again.
    let Ok(proposal) = session.propose(group, Change::Open) else {
        return Vec::new();
    };
    session.apply(&proposal);
    super::update::save(model, proposal.events)
}
