//! Skipping and flagging the open group, and its history.
//!
//! What is *not* here: what those events mean ([`crate::review::Change`]) and the overlays they are
//! typed and listed in.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::judging::tell_undo;
use crate::review::{Change, Event, HistoryEntry, ReviewSession, history};
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Severity};
use crate::tui::overlays::{Overlay, PromptKind};
use crate::tui::queue;
use crate::tui::update::change;

/// Reasons for a skip that one digit gives, 1 first.
pub const PRESETS: [&str; 5] = [
    "cannot judge",
    "task unclear",
    "no real difference",
    "broken data",
    "later",
];

/// The reason that a digit stands for.
#[must_use]
pub fn preset(digit: char) -> Option<&'static str> {
    let place = usize::try_from(digit.to_digit(10)?).ok()?;
    PRESETS.get(place.checked_sub(1)?).copied()
}

/// Asks why the group is skipped; a group that is, is no longer.
pub(super) fn skip(model: &mut Model) -> Vec<Effect> {
    let is_skipped = said(model, |session, group| {
        session.judgement(group)?.skipped.as_ref()
    });
    if is_skipped {
        return changed(model, Change::Skip(None));
    }
    model.overlay = Some(Overlay::prompt(PromptKind::Skip, ""));
    Vec::new()
}

/// Asks why the group is flagged; a group that is, is no longer.
pub(super) fn flag(model: &mut Model) -> Vec<Effect> {
    let is_flagged = said(model, |session, group| {
        session.judgement(group)?.flagged.as_ref()
    });
    if is_flagged {
        return changed(model, Change::Flag(None));
    }
    model.overlay = Some(Overlay::prompt(PromptKind::Flag, ""));
    Vec::new()
}

fn said(
    model: &Model,
    reason: impl for<'a> Fn(&'a ReviewSession, usize) -> Option<&'a String>,
) -> bool {
    let session = model.session.as_ref().zip(model.compare.group);
    session.is_some_and(|(session, group)| reason(session, group).is_some())
}

/// Skips the open group for a reason, which may be empty, and goes on.
pub fn skipped(model: &mut Model, reason: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    let Some(group) = model.compare.group else {
        return effects;
    };
    let wanted = Change::Skip(Some(reason.trim().to_owned()));
    // Not away from what may be lost.
    if change(model, group, wanted, &mut effects) && model.saves.failed.is_none() {
        let said = model.status.text.clone();
        queue::go_to_next(model, &said, &mut effects);
    }
    effects
}

/// Flags the open group, for a reason which may be empty.
pub fn flagged(model: &mut Model, reason: &str) -> Vec<Effect> {
    changed(model, Change::Flag(Some(reason.trim().to_owned())))
}

fn changed(model: &mut Model, wanted: Change) -> Vec<Effect> {
    let mut effects = Vec::new();
    if let Some(group) = model.compare.group
        && change(model, group, wanted, &mut effects)
    {
        tell_undo(model);
    }
    effects
}

/// Lists the events of the open group.
pub(super) fn open_history(model: &mut Model) {
    let Some((session, group)) = model.session.as_ref().zip(model.compare.group) else {
        return;
    };
    let rows = rows(session, group, &TimeZone::system());
    if rows.is_empty() {
        return model.say(Severity::Info, "nothing is recorded of this group yet");
    }
    model.compare.history = rows;
    model.overlay = Some(Overlay::history());
}

/// The group's events, newest first: when and who, what. Of a blind group that is not revealed only
/// one's own, so that nobody else's ranking is seen; of known rankings nobody is told.
fn rows(session: &ReviewSession, group: usize, zone: &TimeZone) -> Vec<(String, String)> {
    let Some(data) = session.group(group) else {
        return Vec::new();
    };
    let me = session.identity().annotator.as_str();
    let hides = session.is_hidden(group);
    let id = data.id.as_str();
    let is_shown = |event: &&Event| {
        event.group_id.as_deref() == Some(id)
            && (!hides || event.annotator == me)
            && event.body.kind() != "gold.set"
    };
    let events: Vec<&Event> = session.log().iter().filter(is_shown).collect();
    let name = |_: &str, wanted: &str| {
        let mut all = 0..data.trajectories.len();
        let found = all.find(|&index| session.true_id(group, index).as_deref() == Some(wanted));
        match found.and_then(|index| data.trajectories.get(index)) {
            Some(trajectory) => trajectory.id.as_str().to_owned(),
            None if hides => "a candidate that is gone".to_owned(),
            None => wanted.to_owned(),
        }
    };
    let entries = history(&events, &name);
    entries.iter().rev().map(|entry| row(entry, zone)).collect()
}

fn row(entry: &HistoryEntry, zone: &TimeZone) -> (String, String) {
    let at = Timestamp::from_millisecond(entry.at_ms).unwrap_or_default();
    let at = at.to_zoned_datetime(zone.clone()).strftime("%m-%d %H:%M");
    (format!("{at} {}", entry.annotator), entry.line())
}
