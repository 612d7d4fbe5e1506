//! Working through groups: which comes next, in which order.
//!
//! What is *not* here: the orders themselves ([`crate::review::QueueOrder`]) and what the list
//! shows.

use super::effect::Effect;
use super::model::{Model, Screen, Severity};
use super::screens::groups;
use super::update::open_group;
use crate::review::QueueOrder;

/// Goes to the next unfinished group of the list.
pub fn go_on(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    if go_to_next(model, "", &mut effects) {
        model.say(Severity::Info, "next unfinished group");
    }
    effects
}

/// Goes to the next unfinished group after something was done that is told before; stays, and says
/// that nothing is left, when there is none. Answers whether there was one.
pub fn go_to_next(model: &mut Model, done: &str, effects: &mut Vec<Effect>) -> bool {
    let before = match done {
        "" => String::new(),
        done => format!("{done}; "),
    };
    match next_unfinished(model) {
        Some(next) => {
            effects.extend(open_group(model, next));
            model.say(Severity::Info, format!("{before}next unfinished group"));
            true
        }
        None => {
            let (shown, all) = (model.groups.visible().len(), model.groups.totals.groups);
            let left = match shown == all {
                true => "no unfinished group is left".to_owned(),
                false => format!("no unfinished group is left of the {shown} of {all} listed"),
            };
            model.say(Severity::Info, format!("{before}{left}"));
            false
        }
    }
}

/// The next group of the list to work on: behind the open one, or from the selected one on; at the
/// end of the list from its top.
fn next_unfinished(model: &Model) -> Option<usize> {
    let session = model.session.as_ref()?;
    let shown = groups::visible(model);
    let in_group = matches!(
        model.screen,
        Screen::Compare | Screen::Steps | Screen::Grader | Screen::Schedule
    );
    let open = model.compare.group.filter(|_| in_group);
    let from = match open {
        Some(open) => shown
            .iter()
            .position(|&other| other == open)
            .map_or(0, |place| place + 1),
        None => model.groups.cursor(),
    };
    let (before, behind) = shown.split_at(from.min(shown.len()));
    let mut rotated = behind.iter().chain(before).copied();
    rotated.find(|&other| {
        Some(other) != open && session.is_to_judge(other) && !session.state(other).is_finished()
    })
}

/// Shows the groups in this order from now on.
pub fn choose(model: &mut Model, order: QueueOrder) -> Vec<Effect> {
    model.groups.queue = Some(order);
    model.groups.by_match = false;
    let effects = groups::reload(model);
    model.groups.move_to(0);
    model.say(Severity::Info, format!("queue: {order}"));
    effects
}
