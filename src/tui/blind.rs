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
use crate::review::{Change, EventBody, HIDDEN, NewEvent, ReviewSession};

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
                let or_other = match session.assignment() {
                    Some(_) => " (those that are not assigned to you stay hidden)",
                    None => "",
                };
                vec![
                    format!("{what} is hidden in blind mode."),
                    format!("It is made from the grader's rankings, and {left} {groups} not"),
                    format!("revealed yet{or_other}. {key} reveals a group once you submitted it."),
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

/// What the key of revealing is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Revealing {
    /// The group submitted last since the program began, by id.
    submitted: Option<String>,
    /// The group that the last key asked about, by id.
    asked: Option<String>,
}

/// Notes what was submitted now.
pub fn submitted(model: &mut Model, events: &[NewEvent]) {
    let sent = events
        .iter()
        .filter(|event| matches!(event.body, EventBody::RankSubmit { .. }));
    if let Some(group) = sent.filter_map(|event| event.group.as_ref()).next_back() {
        model.revealing.submitted = Some(group.group_id.clone());
    }
}

/// A question is answered by the next key or not at all.
pub fn forget_question(model: &mut Model, action: Action) {
    if action != Action::Reveal {
        model.revealing.asked = None;
    }
}

/// Reveals the open group when it was submitted. Else asks about the one just submitted, and goes
/// back to it and reveals it when the key is pressed again; about no other.
pub fn reveal(model: &mut Model) -> Vec<Effect> {
    let asked = model.revealing.asked.take();
    let Some(open) = model.compare.group else {
        return Vec::new();
    };
    let Some(session) = &model.session else {
        return Vec::new();
    };
    let mut effects = Vec::new();
    let last = model.revealing.submitted.as_deref();
    let last = last.and_then(|id| session.find(id)).filter(|&last| {
        last != open && !session.awaits_reveal(open) && session.awaits_reveal(last)
    });
    let Some((last, data)) = last.and_then(|last| Some((last, session.group(last)?))) else {
        change(model, open, Change::Reveal, &mut effects);
        return effects;
    };
    let shown = name(&data.id);
    if asked.as_deref() != Some(data.id.as_str()) {
        model.revealing.asked = Some(data.id.as_str().to_owned());
        let key = model.keymap.key_of(Action::Reveal).unwrap_or_default();
        model.say(Severity::Info, format!("{key} again reveals {shown}"));
        return effects;
    }
    effects.extend(open_group(model, last));
    if change(model, last, Change::Reveal, &mut effects) {
        let said = format!("back in {shown}, {}", model.status.text);
        model.say(Severity::Info, said);
    }
    effects
}

fn name(id: &GroupId) -> String {
    text::cut_middle(id.as_str(), 24)
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
