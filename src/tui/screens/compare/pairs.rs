//! Ranking by pairs: two candidates side by side, a key for each verdict.
//!
//! The columns are those of the patches, restricted to two. What is *not* here: which pair comes next
//! ([`crate::domain::pairwise`]).

use ratatui::buffer::Buffer;

use super::candidates::letter;
use super::state::Body;
use crate::domain::counted;
use crate::domain::pairwise::{Better, Standing};
use crate::domain::{PatchPresence, TrajectoryIndex};
use crate::review::{Change, PairVerdict};
use crate::tui::action::Action;
use crate::tui::area::Area;
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Severity};
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::update::change;
use crate::tui::widgets::line::{paint, put};

/// The passing candidates of the open group; those with the very same patch stand together.
fn classes(model: &Model) -> Vec<Vec<TrajectoryIndex>> {
    let session = model.session.as_ref().zip(model.compare.group);
    let data = session.and_then(|(session, group)| session.group(group));
    let mut classes: Vec<Vec<TrajectoryIndex>> = Vec::new();
    let Some(data) = data else { return classes };
    for (index, found) in data.trajectories.iter().enumerate() {
        if !found.outcome.is_pass() {
            continue;
        }
        let same = classes.iter_mut().find(|class| {
            let other = class
                .first()
                .and_then(|&other| data.trajectories.get(other));
            found.patch.presence != PatchPresence::Missing
                && other.is_some_and(|other| {
                    other.patch.presence == found.patch.presence
                        && other.patch.sha256 == found.patch.sha256
                })
        });
        match same {
            Some(class) => class.push(index),
            None => classes.push(vec![index]),
        }
    }
    classes
}

/// Where the ranking by pairs of the open group is, with one more verdict when there is one.
fn standing(
    model: &Model,
    more: Option<(TrajectoryIndex, TrajectoryIndex, PairVerdict)>,
) -> Option<Standing> {
    let (session, group) = model.session.as_ref().zip(model.compare.group)?;
    let count = session.group(group)?.trajectories.len();
    let ids: Vec<_> = (0..count)
        .map(|index| session.true_id(group, index))
        .collect();
    let place = |id: &String| ids.iter().position(|other| other.as_ref() == Some(id));
    let pairs = session.judgement(group).map(|judgement| &judgement.pairs);
    let known = pairs.into_iter().flatten();
    let known = known.filter_map(|(a, b, verdict)| Some((place(a)?, place(b)?, *verdict)));
    let verdicts = known.chain(more).map(|(a, b, verdict)| {
        let better = match verdict {
            PairVerdict::First => Better::First,
            PairVerdict::Second => Better::Second,
            PairVerdict::Tie => Better::Neither,
        };
        (a, b, better)
    });
    let verdicts: Vec<_> = verdicts.collect();
    Some(Standing::of(&classes(model), &verdicts))
}

/// Begins to rank by pairs, or leaves off.
pub(super) fn toggle(model: &mut Model) {
    if model.compare.body == Body::Pairs {
        model.compare.body = Body::Diff;
        model.say(Severity::Info, "what was decided by pairs is your draft");
        return;
    }
    let Some(standing) = standing(model, None) else {
        return;
    };
    model.compare.pairs_done = false;
    if standing.next.is_some() {
        model.compare.interdiff = None;
        model.compare.selecting = None;
        model.compare.body = Body::Pairs;
        return;
    }
    let said = match (classes(model).len(), standing.given) {
        (0, _) => "nobody passes: there is nothing to rank".to_owned(),
        (1, _) if classes(model).concat().len() == 1 => {
            "there is no pair to compare: only one candidate passes".to_owned()
        }
        (1, _) => "there is no pair to compare: all passing candidates are the same".to_owned(),
        (_, given) => done(model, given),
    };
    model.say(Severity::Info, said);
}

/// What is said when every candidate is placed.
fn done(model: &Model, given: usize) -> String {
    let key = |action| model.keymap.key_of(action).unwrap_or_default();
    let (submit, undo) = (key(Action::Submit), key(Action::Undo));
    let given = counted(given, "verdict", "verdicts");
    format!("ranked by {given}: {submit} submits, {undo} undoes, or edit the ranking")
}

/// Chooses the pair that is shown; goes back to the patches when there is none.
pub(super) fn settle(model: &mut Model) {
    let Some((group, standing)) = model.compare.group.zip(standing(model, None)) else {
        return;
    };
    let Some(pair) = standing.next else {
        // The last pair stays, so that a key too many changes nothing.
        if !model.compare.pairs_done {
            model.compare.body = Body::Diff;
        }
        return;
    };
    model.compare.pairs_done = false;
    let is_new = model.compare.pair != Some(pair);
    model.compare.pair = Some(pair);
    let (first, second) = pair;
    let focus = model.compare.focus();
    if is_new || (focus != Some(first) && focus != Some(second)) {
        model.compare.focus_on(group, first);
    }
}

/// What an action means here; `None` when it means what it does beside the patches.
pub(super) fn act(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    let verdict = match action {
        Action::PairFirst => PairVerdict::First,
        Action::PairSecond => PairVerdict::Second,
        Action::PairTie => PairVerdict::Tie,
        Action::FocusNext | Action::FocusPrevious => {
            let (group, (first, second)) = model.compare.group.zip(model.compare.pair)?;
            let other = if model.compare.focus() == Some(first) {
                second
            } else {
                first
            };
            model.compare.focus_on(group, other);
            return Some(Vec::new());
        }
        Action::Submit if model.compare.pairs_done => {
            model.compare.body = Body::Diff;
            if let Some(standing) = standing(model, None) {
                let said = done(model, standing.given);
                model.say(Severity::Info, said);
            }
            return Some(Vec::new());
        }
        Action::MoveUp
        | Action::MoveDown
        | Action::PlaceDigit
        | Action::TieAbove
        | Action::Split
        | Action::Unrank
        | Action::AcceptGrader
        | Action::Submit
        | Action::Columns
        | Action::ColumnsLeft
        | Action::ColumnsRight
        | Action::Reference
        | Action::Interdiff
        | Action::InterdiffOther => {
            let key = model.keymap.key_of(Action::Back).unwrap_or_default();
            let said = format!("not while pairs are compared: {key} leaves, what is decided stays");
            model.say(Severity::Info, said);
            return Some(Vec::new());
        }
        _ => return None,
    };
    Some(decide(model, verdict))
}

/// Records a verdict on the pair shown, with the draft that follows.
fn decide(model: &mut Model, verdict: PairVerdict) -> Vec<Effect> {
    let mut effects = Vec::new();
    let (Some(group), Some((first, second))) = (model.compare.group, model.compare.pair) else {
        return effects;
    };
    let Some(after) = standing(model, Some((first, second, verdict))) else {
        return effects;
    };
    if model.compare.pairs_done {
        let said = "every candidate is placed";
        model.say(Severity::Info, said);
        return effects;
    }
    let is_last = after.next.is_none();
    let wanted = Change::Pair {
        first,
        second,
        verdict,
        after: after.ranking,
    };
    if change(model, group, wanted, &mut effects) {
        model.compare.pairs_done = is_last;
        let (first, second) = (letter(first), letter(second));
        let said = match verdict {
            PairVerdict::First => format!("{first} is better than {second}"),
            PairVerdict::Second => format!("{second} is better than {first}"),
            PairVerdict::Tie => format!("{first} and {second} are equal"),
        };
        let undo = model.keymap.key_of(Action::Undo).unwrap_or_default();
        model.say(Severity::Info, format!("{said}; {undo} takes it back"));
    }
    effects
}

/// Draws the line over the two columns: how far one is, the keys, who was joined.
pub(super) fn draw_head(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    let (Some(standing), Some((first, second))) = (standing(model, None), model.compare.pair)
    else {
        return;
    };
    let key = |action| model.keymap.key_of(action).unwrap_or_default();
    let style = theme.style(Role::Header);
    paint(buffer, (area.x, area.y), area.width, style);
    if model.compare.pairs_done {
        let said = format!(
            " all decided by {} · {} shows the ranking · {} undoes the last",
            counted(standing.given, "verdict", "verdicts"),
            key(Action::Submit),
            key(Action::Undo),
        );
        let said = text::cut(&said, usize::from(area.width));
        put(buffer, (area.x, area.y), area.width, &said, style);
        return;
    }
    let (at, all) = (standing.given + 1, standing.given + standing.left);
    let mut said = format!(
        " pair {at} of about {all} · better: {} {}  {} {}  {} neither",
        key(Action::PairFirst),
        letter(first),
        key(Action::PairSecond),
        letter(second),
        key(Action::PairTie),
    );
    let joined: Vec<String> = classes(model)
        .iter()
        .filter(|class| class.len() > 1)
        .map(|class| {
            let letters: Vec<_> = class.iter().map(|&index| letter(index)).collect();
            letters.join("=")
        })
        .collect();
    if !joined.is_empty() {
        said.push_str(&format!(" · the same patch, tied: {}", joined.join(" ")));
    }
    let said = text::cut(&said, usize::from(area.width));
    put(buffer, (area.x, area.y), area.width, &said, style);
}
