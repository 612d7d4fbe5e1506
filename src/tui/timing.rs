//! Focused time on the open group: fed by what the person does, handed to the judgement.
//!
//! What is *not* here: how time is counted ([`crate::domain::Stopwatch`]) and the clock, which the
//! runtime sets before each message ([`Model::now_ms`]).

use super::effect::Effect;
use super::message::Message;
use super::model::{Model, Screen};
use super::update::save;
use crate::domain::Stopwatch;
use crate::review::{Change, EventBody, LoadedSet, NewEvent};

/// Which group is timed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Timing {
    /// The group on screen, by index and id.
    group: Option<(usize, String)>,
    watch: Stopwatch,
}

/// Counts the time until a message, before what it does: a submission holds it.
pub fn before(model: &mut Model, message: &Message) {
    let Some(now) = model.now_ms.filter(|_| model.timing.group.is_some()) else {
        return;
    };
    match message {
        Message::Key(_) | Message::Paste(_) | Message::Mouse { .. } => {
            model.timing.watch.touch(now);
        }
        Message::Focus(false) => model.timing.watch.stop(now),
        Message::Focus(true) => model.timing.watch.skip_to(now),
        _ => return,
    }
    let counted = model.timing.watch.elapsed_ms(now);
    if let Some(session) = model.session.as_mut() {
        session.set_stretch_ms(counted);
    }
}

/// Begins to time another group when one is on screen now; what was spent on the one before and is
/// in no submission is saved, if anything is recorded of that group.
pub fn after(model: &mut Model) -> Vec<Effect> {
    let Some(now) = model.now_ms else {
        return Vec::new();
    };
    let is_reading = matches!(
        model.screen,
        Screen::Compare | Screen::Steps | Screen::Grader | Screen::Schedule
    );
    let session = model.session.as_ref();
    let open = session
        .zip(model.compare.group.filter(|_| is_reading))
        .and_then(|(session, index)| Some((index, session.group(index)?.id.as_str().to_owned())));
    if open == model.timing.group {
        return Vec::new();
    }
    let effects = leave(model);
    if open.is_some() {
        model.timing.watch = Stopwatch::started(now);
    }
    model.timing.group = open;
    effects
}

/// Saves the time spent on the open group as it was, before it is another one: a later state of the
/// set has other data of it.
pub fn before_change(model: &mut Model, later: &LoadedSet) -> Vec<Effect> {
    let timed = model.timing.group.as_ref().map(|(index, _)| *index);
    let now = model
        .session
        .as_ref()
        .zip(timed)
        .and_then(|(session, index)| session.set().groups.get(index));
    let then = timed.and_then(|index| later.groups.get(index));
    match now.zip(then) {
        Some((now, then)) if now.fingerprint != then.fingerprint => leave(model),
        _ => Vec::new(),
    }
}

/// Saves the time that no submission holds, before the person goes elsewhere or leaves.
pub fn leave(model: &mut Model) -> Vec<Effect> {
    let Some((now, (_, id))) = model.now_ms.zip(model.timing.group.take()) else {
        return Vec::new();
    };
    let spent = model.timing.watch.take(now);
    let Some(session) = model.session.as_mut() else {
        return Vec::new();
    };
    session.set_stretch_ms(0);
    let group = session.find(&id);
    let group = group.filter(|&group| session.judgement(group).is_some());
    let proposal = match group {
        Some(group) if spent > 0 => session.propose(group, Change::Spend(spent)),
        _ => return Vec::new(),
    };
    match proposal {
        Ok(proposal) => {
            session.apply(&proposal);
            save(model, proposal.events)
        }
        // The group is gone, and with it what the time was spent on.
        Err(_) => Vec::new(),
    }
}

/// Begins at zero when the events hold a submission: it has the time until now.
pub fn submitted(model: &mut Model, events: &[NewEvent]) {
    let is_submission = |event: &NewEvent| {
        matches!(
            event.body,
            EventBody::RankSubmit { .. } | EventBody::Adjudicate { .. }
        )
    };
    if !events.iter().any(is_submission) {
        return;
    }
    if let Some(now) = model.now_ms {
        model.timing.watch.take(now);
    }
    if let Some(session) = model.session.as_mut() {
        session.set_stretch_ms(0);
    }
}

/// The person is back from another program or the shell: that time does not count.
pub fn back(model: &mut Model, now_ms: u64) {
    model.now_ms = Some(now_ms);
    model.timing.watch.skip_to(now_ms);
}
