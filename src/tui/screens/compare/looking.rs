//! What was looked at in each group, and the question before a submission that may be a slip.
//!
//! What is *not* here: what is doubtful ([`crate::review::doubts`]).

use std::collections::BTreeSet;

use super::candidates::letter;
use super::update::opened;
use crate::domain::{Ranking, TrajectoryIndex};
use crate::review::{Looked, doubts};
use crate::tui::action::Action;
use crate::tui::model::{Model, Severity};

/// How a group was looked at in this session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    /// Whether it was judged in an earlier session.
    earlier: bool,
    /// When it was last opened; `None` = time is not measured.
    opened_ms: Option<u64>,
    /// The candidates that had a column or the focus.
    seen: BTreeSet<TrajectoryIndex>,
    /// The candidates that a key put somewhere in the ranking.
    placed: BTreeSet<TrajectoryIndex>,
    /// The draft that was asked about last.
    asked: Option<Ranking>,
}

/// Notes that the group is opened now.
pub(super) fn enter(model: &mut Model, group: usize) {
    let judged = model
        .session
        .as_ref()
        .and_then(|session| session.judgement(group))
        .is_some_and(|judgement| judgement.is_touched());
    let now = model.now_ms;
    let look = model.compare.looks.entry(group);
    let look = look.or_insert_with(|| Look {
        earlier: judged,
        ..Look::default()
    });
    look.opened_ms = now;
}

/// Notes what is on the screen.
pub(super) fn notice(
    model: &mut Model,
    group: usize,
    shown: impl Iterator<Item = TrajectoryIndex>,
) {
    let look = model.compare.looks.entry(group).or_default();
    look.seen.extend(shown);
}

/// Notes that a candidate was put somewhere in the ranking.
pub(super) fn place(model: &mut Model, group: usize, candidate: TrajectoryIndex) {
    let look = model.compare.looks.entry(group).or_default();
    look.placed.insert(candidate);
}

/// The next passing candidate behind the focused one (at the end from the top) that was not put
/// anywhere yet; `None` when none was, or all were.
pub(super) fn next_unplaced(model: &Model, order: &[TrajectoryIndex]) -> Option<TrajectoryIndex> {
    let group = model.compare.group?;
    let data = model.session.as_ref()?.group(group)?;
    let placed = &model.compare.looks.get(&group)?.placed;
    let focus = model.compare.focus();
    let from = order.iter().position(|&index| Some(index) == focus)?;
    let (before, behind) = order.split_at(from + 1);
    let mut rotated = behind.iter().chain(before).copied();
    let is_left = |&index: &TrajectoryIndex| {
        let trajectory = data.trajectories.get(index);
        trajectory.is_some_and(|t| t.outcome.is_pass()) && !placed.contains(&index)
    };
    rotated.find(is_left).filter(|_| !placed.is_empty())
}

/// Asks once about what may be a slip in the draft of a group; answers whether it did. The same
/// draft is not asked about again. Where no time is measured there is nobody who looks: pictures of
/// screens are not asked.
pub(super) fn asks(model: &mut Model, group: usize) -> bool {
    let found = question(model, group);
    let Some((draft, said)) = found else {
        return false;
    };
    model.compare.looks.entry(group).or_default().asked = Some(draft);
    let key = model.keymap.key_of(Action::Submit).unwrap_or_default();
    // What to do comes first: a long list of doubts is cut at its end.
    let text = format!("{key} again submits: {said}");
    model.say(Severity::Warning, text);
    true
}

/// The draft of a group with what is doubtful in it, if that was not asked yet.
fn question(model: &Model, group: usize) -> Option<(Ranking, String)> {
    let now = model.now_ms?;
    let session = model.session.as_ref()?;
    let data = session.group(group)?;
    let judgement = session.judgement(group)?;
    let draft = session.draft(group).filter(|draft| !draft.is_empty())?;
    if judgement.submitted.is_some() && !judgement.edited_since_submit {
        // Nothing is to be submitted.
        return None;
    }
    let look = model.compare.looks.get(&group).cloned().unwrap_or_default();
    if look.asked.as_ref() == Some(&draft) {
        return None;
    }
    let results = opened(model).and_then(|opened| opened.on_base());
    let is_same_result =
        |a, b| results.is_some_and(|on_base| on_base.results.overall.are_equal(a, b));
    let since = look.opened_ms.map(|opened| now.saturating_sub(opened));
    let found = doubts(
        data,
        &draft,
        &Looked {
            seen: &look.seen,
            earlier: look.earlier,
            since_open_ms: since,
            is_same_result: &is_same_result,
        },
    );
    let said: Vec<_> = found.iter().map(|doubt| doubt.sentence(&letter)).collect();
    (!said.is_empty()).then(|| (draft, said.join(" · ")))
}
