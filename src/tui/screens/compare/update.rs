//! What keys do on the compare screen; the mouse has a file of its own (`mouse.rs`).

use std::sync::Arc;

use super::candidates::{Candidate, candidates, mark_results, note_patches, order};
use super::colouring;
use super::comparing;
use super::folding;
use super::judging::judge;
use super::layout::{Layout, MOST_COLUMNS, Slot, automatic};
use super::places::{self, Wanted};
use super::reading::{self, Go, Mark, Motion, Window, document_of, jump};
use super::rule_remarks;
use super::state::Body;
use super::{copy, labels, looking, pairs, panel, search, search_group, selecting, spot};
use crate::domain::{Ranking, TrajectoryIndex};
use crate::review::Verdict;
use crate::tui::action::Action;
use crate::tui::area;
use crate::tui::document::{Document, Shape};
use crate::tui::effect::Effect;
use crate::tui::model::{Model, OpenedGroup, Screen, Severity};
use crate::tui::overlays::Overlay;
use crate::tui::screens::{groups, remarks, steps};
use crate::tui::scroll::Position;
use crate::tui::update::{go_to, open_group, shown_ranking};

/// Cells that one step to the side scrolls.
const SIDE_STEP: usize = 8;

/// Prepares the screen for a group: its best candidate has the focus when it is opened first.
pub fn enter(model: &mut Model, group: usize) {
    model.compare.group = Some(group);
    model.compare.body = Body::Diff;
    model.compare.pairs_done = false;
    model.compare.came_from = Screen::Groups;
    model.compare.drag = None;
    looking::enter(model, group);
    model.compare.is_spotting = false;
    if model.compare.focus().is_none()
        && let Some(&first) = shown_order(model).first()
    {
        model.compare.focus_on(group, first);
        model.compare.first_column = 0;
        model.compare.strip_first = 0;
    }
}

/// Performs an action; `digit` is the digit of the key that asked for it.
pub fn update(model: &mut Model, action: Action, digit: Option<usize>) -> Vec<Effect> {
    let mut effects = act(model, action, digit);
    if model.screen == Screen::Compare {
        effects.extend(settle(model));
        selecting::settle(model);
        if model.status.text.is_empty() && model.compare.body.has_columns() {
            places::tell_remark(model);
        }
    }
    effects
}

/// Whether no file holds a rollout of the open group any more.
#[must_use]
pub fn is_gone(model: &Model) -> bool {
    let session = model.session.as_ref();
    session
        .zip(model.compare.group)
        .is_some_and(|(session, group)| session.is_gone(group))
}

fn act(model: &mut Model, action: Action, digit: Option<usize>) -> Vec<Effect> {
    let leads_out = matches!(
        action,
        Action::Back | Action::NextGroup | Action::PreviousGroup
    );
    if is_gone(model) && !leads_out {
        model.say(Severity::Info, "the rollouts of this group are gone");
        return Vec::new();
    }
    if action == Action::Back && (let_go(model) || selecting::end(model) || search::take_off(model))
    {
        return Vec::new();
    }
    if let Some(effects) = panel::act(model, action, digit) {
        return effects;
    }
    if let Some(effects) = copy::act(model, action) {
        return effects;
    }
    let page = page(model);
    match action {
        Action::Back if model.compare.body != Body::Diff => model.compare.body = Body::Diff,
        Action::Back if model.compare.interdiff.is_some() => comparing::toggle(model),
        Action::Back => {
            let back = std::mem::take(&mut model.compare.came_from);
            model.compare.is_spotting = false;
            return go_to(model, back);
        }
        Action::NextListed => return remarks::walk(model, true),
        Action::PreviousListed => return remarks::walk(model, false),
        Action::ConfirmRemark => return rule_remarks::judge_here(model, Verdict::Confirmed),
        Action::DismissRemark => return rule_remarks::judge_here(model, Verdict::Dismissed),
        Action::Down => scroll(model, Motion::Step, Go::Down(1)),
        Action::Up => scroll(model, Motion::Step, Go::Up(1)),
        Action::PageDown => scroll(model, Motion::Leaf, Go::Down(page)),
        Action::PageUp => scroll(model, Motion::Leaf, Go::Up(page)),
        Action::HalfPageDown => scroll(model, Motion::Leaf, Go::Down((page / 2).max(1))),
        Action::HalfPageUp => scroll(model, Motion::Leaf, Go::Up((page / 2).max(1))),
        Action::Top => scroll(model, Motion::Step, Go::Top),
        Action::Bottom => scroll(model, Motion::Step, Go::Bottom),
        Action::Left => model.compare.shift = model.compare.shift.saturating_sub(SIDE_STEP),
        Action::Right if !model.compare.wrap => model.compare.shift += SIDE_STEP,
        Action::FocusNext => focus_by(model, 1),
        Action::FocusUnplaced => focus_unplaced(model),
        Action::FocusPrevious => focus_by(model, -1),
        Action::Columns => next_columns(model),
        Action::ScrollMode => toggle_together(model),
        Action::Wrap => {
            model.compare.wrap = !model.compare.wrap;
            model.compare.shift = 0;
        }
        Action::NextRemark => places::jump_to_remark(model, true),
        Action::PreviousRemark => places::jump_to_remark(model, false),
        Action::NextDifference => places::jump_to_place(model, Wanted::Difference, true),
        Action::PreviousDifference => places::jump_to_place(model, Wanted::Difference, false),
        Action::NextUnique => places::jump_to_place(model, Wanted::Unique, true),
        Action::PreviousUnique => places::jump_to_place(model, Wanted::Unique, false),
        Action::ColumnsRight => move_columns(model, true),
        Action::ColumnsLeft => move_columns(model, false),
        Action::Interdiff => comparing::toggle(model),
        Action::InterdiffOther => comparing::next(model),
        Action::OtherEnd => places::other_end(model),
        Action::Whitespace => toggle_whitespace(model),
        Action::Aligned => toggle_aligned(model),
        Action::Fold => folding::fold(model),
        Action::Folds => folding::folds(model),
        Action::SideBySide => toggle_side_by_side(model),
        Action::FoldStrip => model.compare.strip_folded = !model.compare.strip_folded,
        Action::FileList => model.compare.file_list = !model.compare.file_list,
        Action::Task => toggle_body(model, Body::Task),
        Action::Rankings => toggle_body(model, Body::Rankings),
        Action::Reference => toggle_reference(model),
        Action::Marks => match focused_candidate(model) {
            Some(found) if found.is_marked() => model.overlay = Some(Overlay::marks()),
            _ => model.say(Severity::Info, "this candidate has no mark"),
        },
        Action::NextHunk => jump(model, Mark::Hunk, true),
        Action::PreviousHunk => jump(model, Mark::Hunk, false),
        Action::NextFile => jump(model, Mark::File, true),
        Action::PreviousFile => jump(model, Mark::File, false),
        Action::Pairwise => pairs::toggle(model),
        Action::Matrix => toggle_body(model, Body::Matrix),
        Action::Tests => toggle_body(model, Body::Tests),
        Action::Search => search::ask(model),
        Action::SearchGroup => search_group::ask(model),
        Action::NextMatch => search::find(model, true),
        Action::PreviousMatch => search::find(model, false),
        Action::OpenSteps => return go_to(model, Screen::Steps),
        Action::OpenStepOfHunk => {
            if model.compare.interdiff_shown().is_some() {
                model.say(Severity::Info, "no step made an interdiff");
                return Vec::new();
            }
            let here = spot::current(model);
            let here = here.filter(|here| is_in_patch(model, here));
            return match here {
                Some(here) => steps::open_step_of(model, here.at),
                None => {
                    model.say(Severity::Info, "there is no change here");
                    Vec::new()
                }
            };
        }
        Action::OpenGrader => return go_to(model, Screen::Grader),
        Action::OpenSchedule => return go_to(model, Screen::Schedule),
        Action::NextGroup => return neighbour(model, true),
        Action::PreviousGroup => return neighbour(model, false),
        Action::SelectLines => selecting::toggle(model),
        Action::AddFinding => add_finding(model),
        Action::ListFindings => list_findings(model),
        Action::EditNote => model.overlay = Some(Overlay::note(model)),
        Action::Skip => return labels::skip(model),
        Action::Flag => return labels::flag(model),
        Action::History => labels::open_history(model),
        _ => return judge(model, action, digit),
    }
    Vec::new()
}

/// Opens the editor of a new finding at the cursor.
fn add_finding(model: &mut Model) {
    if model.compare.interdiff_shown().is_some() {
        let key = model.keymap.key_of(Action::Interdiff).unwrap_or_default();
        let said = format!("a finding has no place in an interdiff: {key} leaves it");
        return model.say(Severity::Info, said);
    }
    match Overlay::new_finding(model) {
        Some(overlay) => model.overlay = Some(overlay),
        None => model.say(Severity::Info, "there is no candidate to find anything in"),
    }
}

/// Lists the findings of the group.
fn list_findings(model: &mut Model) {
    let session = model.session.as_ref().zip(model.compare.group);
    if session.is_none_or(|(session, group)| session.findings(group).is_empty()) {
        let key = model.keymap.key_of(Action::AddFinding).unwrap_or_default();
        let said = format!("no finding in this group yet: {key} adds one at the cursor");
        return model.say(Severity::Info, said);
    }
    model.overlay = Some(Overlay::findings());
}

/// Lets go of what the mouse drags; answers whether it held something.
fn let_go(model: &mut Model) -> bool {
    let dragged = model.compare.drag.take();
    let bar = model.compare.dragged_bar.take();
    if let Some(dragged) = dragged {
        let said = format!("{} stays where it is", super::letter(dragged));
        model.say(Severity::Info, said);
    }
    dragged.is_some() || bar.is_some()
}

/// Whether the patch of a place has the file.
fn is_in_patch(model: &Model, spot: &spot::Spot) -> bool {
    let document = model.compare.document(Some(spot.candidate));
    document.is_some_and(|document| spot.at.file < document.patch().files.len())
}

/// Marks the candidates with what their opened patches tell.
pub(super) fn mark(model: &Model, candidates: &mut [Candidate]) {
    let Some(opened) = opened(model) else { return };
    if let Some(on_base) = opened.on_base() {
        mark_results(candidates, &on_base.results);
        note_patches(candidates, &on_base.notes);
    }
    for found in candidates {
        let marks = rule_remarks::marks(model, found.index);
        found.marks.extend(marks);
    }
}

/// The focused candidate as the strip shows it.
#[must_use]
pub fn focused_candidate(model: &Model) -> Option<Candidate> {
    let session = model.session.as_ref()?;
    let (group, reviewed) = model.reviewed.as_ref()?;
    let focus = model.compare.focus()?;
    let mut all = candidates(session, *group, reviewed);
    mark(model, &mut all);
    all.into_iter().find(|found| found.index == focus)
}

/// The candidates of the open group in the order shown.
#[must_use]
pub fn shown_order(model: &Model) -> Vec<TrajectoryIndex> {
    let group = model.compare.group;
    let data = model
        .session
        .as_ref()
        .zip(group)
        .and_then(|(session, group)| session.group(group));
    let nobody = Ranking::default();
    let ranking = match model.compare.body {
        Body::Pairs => Some(&nobody),
        _ => shown_ranking(model),
    };
    data.zip(ranking)
        .map(|(data, ranking)| order(data, ranking))
        .unwrap_or_default()
}

/// Where things stand now.
#[must_use]
pub fn layout(model: &Model) -> Layout {
    let has_reference = opened(model).is_some_and(|opened| opened.reference.is_some());
    let mut layout = Layout::of(
        area::screen(model.size),
        &model.compare,
        &shown_order(model),
        has_reference,
    );
    let on_base = opened(model).is_some_and(|opened| opened.aligned().is_some());
    let alone = model.compare.interdiff_shown().is_some();
    if model.compare.aligned && on_base && !alone && layout.columns.len() > 1 {
        layout.shape = Shape::Aligned;
    }
    let narrowest = layout.columns.iter().map(|column| column.text.width).min();
    layout.keep_shares(places::share_width(model, narrowest.unwrap_or(0)));
    layout
}

/// The opened texts of the group on screen.
#[must_use]
pub fn opened(model: &Model) -> Option<&Arc<OpenedGroup>> {
    model.opened(model.compare.group?)
}

/// Fits positions to what is shown and asks for the colours of the visible files.
pub fn settle(model: &mut Model) -> Vec<Effect> {
    let Some(group) = model.compare.group else {
        return Vec::new();
    };
    if model.compare.body == Body::Pairs {
        pairs::settle(model);
    }
    let order = shown_order(model);
    if let Some(&first) = order.first()
        && model
            .compare
            .focus()
            .is_none_or(|focus| !order.contains(&focus))
    {
        model.compare.focus_on(group, first);
    }
    rule_remarks::show_wanted(model, group);
    let kept: Vec<usize> = model.opened.iter().map(|opened| opened.group).collect();
    model
        .compare
        .documents
        .retain(|(group, _), _| kept.contains(group));
    let layout = layout(model);
    model.compare.shape = layout.shape;
    model.compare.strip_first = layout.strip_first;
    if model.compare.interdiff_shown().is_none()
        && layout.pair_head.is_none()
        && let Some(first) = layout.columns.first().and_then(|column| column.slot)
    {
        model.compare.first_column = order.iter().position(|&i| i == first).unwrap_or(0);
    }
    let shown: Vec<_> = layout
        .columns
        .iter()
        .filter_map(|column| column.slot)
        .collect();
    looking::notice(model, group, shown.into_iter().chain(focused(model)));
    if let Some(area) = layout.panel {
        panel::settle(model, area);
        return Vec::new();
    }
    settle_columns(model, group, &layout)
}

fn settle_columns(model: &mut Model, group: usize, layout: &Layout) -> Vec<Effect> {
    let Some(opened) = opened(model).cloned() else {
        return Vec::new();
    };
    reading::share_rows(model, &opened, layout);
    let mut effects: Vec<Effect> = comparing::request(model, group).into_iter().collect();
    for column in &layout.columns {
        let key = (group, column.slot);
        let Some(document) = document_of(model, &opened, column.slot) else {
            continue;
        };
        if !model.compare.places.contains_key(&key) {
            let start = reading::follow(model, layout, column.slot, &document);
            model.compare.places.insert(key, start.unwrap_or_default());
        }
        let Some(window) = Window::of(model, column) else {
            continue;
        };
        // A jump may put the last hunk at the top, so only the last row is a limit here.
        let place = window.fit(model.compare.place(column.slot));
        let (first, lines) = (place.top.row, window.lines);
        model.compare.places.insert(key, place);
        if column.slot != focused(model) && document.grid().is_some() {
            // Shared rows are read at one place.
            let leading = model.compare.place(focused(model));
            model.compare.places.insert(key, leading);
        }
        let of = comparing::colours_of(model, column.slot);
        effects.extend(colouring::wanted(
            model,
            &opened,
            of,
            &document,
            first..first + lines,
        ));
    }
    effects
}

/// Whose patch the keys are about.
pub(super) fn focused(model: &Model) -> Slot {
    model.compare.focus()
}

fn page(model: &Model) -> usize {
    let layout = layout(model);
    let height = layout
        .panel
        .or_else(|| layout.columns.first().map(|column| column.text));
    usize::from(height.map_or(1, |area| area.height))
        .saturating_sub(2)
        .max(1)
}

pub(super) fn scroll(model: &mut Model, motion: Motion, go: Go) {
    let layout = layout(model);
    if let Some(area) = layout.panel {
        panel::scroll(model, area, go);
        return;
    }
    let slot = focused(model);
    reading::scroll(model, &layout, slot, motion, go);
}

pub(super) fn focus_by(model: &mut Model, step: isize) {
    let order = shown_order(model);
    let at = order
        .iter()
        .position(|&i| Some(i) == model.compare.focus())
        .unwrap_or(0);
    let to = at
        .saturating_add_signed(step)
        .min(order.len().saturating_sub(1));
    if let Some(&index) = order.get(to) {
        focus(model, index);
    }
}

/// Focuses the next candidate to be placed: with a digit for each, a whole ranking takes two keys a
/// candidate.
fn focus_unplaced(model: &mut Model) {
    let order = shown_order(model);
    match looking::next_unplaced(model, &order) {
        Some(index) => focus(model, index),
        None => focus_by(model, 1),
    }
}

pub(super) fn focus(model: &mut Model, index: TrajectoryIndex) {
    let Some(group) = model.compare.group else {
        return;
    };
    let opened = opened(model).cloned();
    let layout = layout(model);
    // A candidate first seen now, or one of a set that scrolls together, shows the same place.
    let known = model.compare.places.contains_key(&(group, Some(index)));
    if let Some(opened) = opened
        && (model.compare.together || !known)
        && let Some(document) = document_of(model, &opened, Some(index))
        && let Some(place) = reading::follow(model, &layout, Some(index), &document)
    {
        model.compare.places.insert((group, Some(index)), place);
    }
    model.compare.focus_on(group, index);
}

/// Shows something else below the strip, or the patches again.
fn toggle_body(model: &mut Model, body: Body) {
    model.compare.body = match model.compare.body {
        shown if shown == body => Body::Diff,
        _ => body,
    };
}

fn next_columns(model: &mut Model) {
    let width = model.size.0;
    let now = model.compare.columns.unwrap_or_else(|| automatic(width));
    // After the most comes "by width" again, unless that is what was just shown.
    model.compare.columns = Some(if now >= MOST_COLUMNS { 1 } else { now + 1 });
    let now = model.compare.columns.unwrap_or(1);
    let plural = if now == 1 { "" } else { "s" };
    model.say(Severity::Info, format!("{now} column{plural}"));
}

fn toggle_together(model: &mut Model) {
    model.compare.together = !model.compare.together;
    reading::lead(model);
    let said = if model.compare.together {
        "columns scroll together, by the line of the base"
    } else {
        "each column scrolls alone"
    };
    model.say(Severity::Info, said);
}

/// Shows other columns of the ranking; the focus moves only when it would get out of sight.
fn move_columns(model: &mut Model, right: bool) {
    let order = shown_order(model);
    let columns = layout(model).columns;
    let shown = columns
        .iter()
        .filter(|column| column.slot.is_some())
        .count();
    let last = order.len().saturating_sub(shown);
    let before = model.compare.first_column.min(last);
    let first = if right {
        (before + 1).min(last)
    } else {
        before.saturating_sub(1)
    };
    if first == before || shown == 0 {
        let end = if right { "last" } else { "first" };
        return model.say(Severity::Info, format!("this is the {end} candidate"));
    }
    model.compare.first_column = first;
    let at = order
        .iter()
        .position(|&index| Some(index) == model.compare.focus());
    let nearest = at.unwrap_or(first).clamp(first, first + shown - 1);
    if Some(nearest) != at
        && let Some(&index) = order.get(nearest)
    {
        focus(model, index);
    }
}

fn toggle_whitespace(model: &mut Model) {
    model.compare.quiet_whitespace = !model.compare.quiet_whitespace;
    let said = if model.compare.quiet_whitespace {
        "changes of white space only are hidden, counted over each column"
    } else {
        "changes of white space are shown like others"
    };
    model.say(Severity::Info, said);
}

fn toggle_aligned(model: &mut Model) {
    let was = layout(model).shape == Shape::Aligned;
    model.compare.aligned = !was;
    model.compare.before_split = None;
    let said = if was {
        "each column on its own"
    } else if layout(model).shape == Shape::Aligned {
        "rows aligned by the lines of the base"
    } else if layout(model).columns.len() < 2 {
        "rows are aligned once two columns fit"
    } else {
        "rows are aligned once the patches are laid on their base"
    };
    model.say(Severity::Info, said);
}

/// Old and new side by side or not; the second press leads back to what the first one left.
fn toggle_side_by_side(model: &mut Model) {
    let compare = &mut model.compare;
    let now = (compare.side_by_side, compare.aligned);
    if let Some(before) = compare.before_split.take() {
        (compare.side_by_side, compare.aligned) = before;
    } else {
        let split = layout(model).shape == Shape::Split;
        let compare = &mut model.compare;
        compare.before_split = Some(now);
        compare.side_by_side = Some(!split);
        compare.aligned &= split;
        if !split && layout(model).shape != Shape::Split {
            let compare = &mut model.compare;
            (compare.side_by_side, compare.aligned) = now;
            compare.before_split = None;
            let said = "the columns are too narrow for old and new side by side";
            return model.say(Severity::Info, said);
        }
    }
    let said = match layout(model).shape {
        Shape::Aligned => "rows aligned by the lines of the base",
        Shape::Split => "old and new side by side",
        Shape::Unified => "each column its own patch, old and new one below the other",
    };
    model.say(Severity::Info, said);
}

fn toggle_reference(model: &mut Model) {
    if opened(model).is_some_and(|opened| opened.reference.is_none()) {
        model.say(
            Severity::Info,
            "no reference patch is recorded for this task",
        );
        return;
    }
    model.compare.reference = !model.compare.reference;
    let said = if model.compare.reference {
        "reference patch shown, in the last column"
    } else {
        "reference patch hidden"
    };
    model.say(Severity::Info, said);
}

fn neighbour(model: &mut Model, forward: bool) -> Vec<Effect> {
    let Some(group) = model.compare.group else {
        return Vec::new();
    };
    let shown = groups::visible(model);
    let place = shown.iter().position(|&other| other == group);
    let next = match place {
        Some(place) if forward => shown.get(place + 1),
        Some(place) => place.checked_sub(1).and_then(|place| shown.get(place)),
        None => shown.first(),
    };
    match next.copied() {
        Some(next) => {
            // Whoever reads the tests of one group wants those of the next.
            let body = model.compare.body;
            let effects = open_group(model, next);
            model.compare.body = body;
            model.compare.task_at = Position::default();
            effects
        }
        None => {
            let end = if forward { "last" } else { "first" };
            model.say(
                Severity::Info,
                format!("this is the {end} group of the list"),
            );
            Vec::new()
        }
    }
}

/// First visible line of the list of files: the file on screen is always in view.
#[must_use]
pub fn first_listed(model: &Model, document: &Document, window: usize) -> usize {
    let current = document
        .file_at(model.compare.place(focused(model)).cursor)
        .unwrap_or(0);
    crate::tui::scroll::reveal(
        current.saturating_sub(window / 2),
        current,
        window,
        document.file_starts().len(),
    )
}
