//! Searching what is on screen: the focused patch, or the open panel.
//!
//! The places of a patch are found once per search and kept. What is *not* here: how a search is
//! read ([`crate::tui::query`]) and the search over all candidates (`search_group.rs`).

use std::sync::{Arc, Weak};

use super::spot::{PatchSpot, Spot, current, show};
use super::state::Body;
use super::update::{opened, settle};
use super::{matrix, task, tests_panel};
use crate::diff::Patch;
use crate::domain::PatchPresence;
use crate::tui::document::Shape;
use crate::tui::effect::Effect;
use crate::tui::help;
use crate::tui::model::{Model, Severity};
use crate::tui::overlays::{Overlay, PromptKind};
use crate::tui::query::Query;

/// The places of one patch that hold what is searched for.
#[derive(Debug, Default)]
pub struct Found {
    typed: String,
    patch: Weak<Patch>,
    /// The view they are those of.
    shape: Shape,
    places: Arc<Vec<PatchSpot>>,
    /// The place gone to last, by its position in the list, and the cursor's row there: a row may
    /// show two lines.
    last: Option<(usize, usize)>,
    /// The line of a text that was found last: the end of a text cannot be scrolled to the top.
    line: usize,
}

/// Asks what to search for.
pub fn ask(model: &mut Model) {
    let typed = model.compare.query.as_ref().map_or("", Query::typed);
    model.overlay = Some(Overlay::prompt(PromptKind::SearchPatch, typed));
}

/// Searches the focused patch, or the open panel, for what the prompt gave.
///
/// # Errors
/// It cannot be searched for; one sentence.
pub fn searched(model: &mut Model, text: &str) -> Result<Vec<Effect>, String> {
    model.compare.query = Query::read(text).map_err(|error| error.to_string())?;
    if model.compare.query.is_some() {
        find_from(model, true, true);
    }
    Ok(settle(model))
}

/// Goes to the next place, or the one before.
pub fn find(model: &mut Model, forward: bool) {
    find_from(model, forward, false);
}

/// Takes off the search, and says so; answers whether there was one.
pub fn take_off(model: &mut Model) -> bool {
    let was = model.compare.query.take();
    if let Some(query) = &was {
        let said = format!("the search for {:?} is taken off", query.typed());
        model.say(Severity::Info, said);
    }
    was.is_some()
}

fn find_from(model: &mut Model, forward: bool, here: bool) {
    match model.compare.body {
        Body::Diff | Body::Pairs => in_patch(model, forward, here),
        Body::Rankings => {}
        Body::Task => task::find(model, forward, here),
        Body::Matrix => matrix::find(model, forward, here),
        Body::Tests => tests_panel::find(model, forward, here),
    }
}

/// What is searched for; says so when that is nothing.
pub fn query(model: &mut Model) -> Option<Query> {
    let query = model.compare.query.clone();
    if query.is_none() {
        model.say(Severity::Info, "nothing is searched for yet");
    }
    query
}

/// The entry of a list of places next to `at` for a search that wraps around: `before` counts those
/// in front of `at`, `same` tells whether one is at it.
fn next(count: usize, before: usize, same: bool, forward: bool, here: bool) -> Option<usize> {
    if count == 0 {
        return None;
    }
    Some(if forward {
        let skipped = before + usize::from(same && !here);
        skipped % count
    } else {
        before.checked_sub(1).unwrap_or(count - 1)
    })
}

fn in_patch(model: &mut Model, forward: bool, here: bool) {
    let Some(query) = query(model) else { return };
    let Some(candidate) = model.compare.focus() else {
        return;
    };
    let patch = opened(model).and_then(|opened| opened.patches.get(candidate).cloned());
    let Some(patch) = patch else { return };
    let places = found(model, &query, &patch);
    let cursor = |model: &Model| model.compare.place(Some(candidate)).cursor;
    let last = model.compare.found.last.filter(|_| !here);
    let target = match last.filter(|&(_, row)| row == cursor(model)) {
        Some((last, _)) => next(places.len(), last, true, forward, false),
        None => {
            let at = current(model).map(|spot| spot.at);
            let before = at.map_or(0, |at| places.partition_point(|place| *place < at));
            let same = at.is_some() && places.get(before).copied() == at;
            next(places.len(), before, same, forward, here)
        }
    };
    let found = target.and_then(|target| Some((target, *places.get(target)?)));
    let said = match found {
        Some((target, at)) => {
            show(model, &Spot { candidate, at });
            model.compare.found.last = Some((target, cursor(model)));
            {
                let keys = help::match_keys(model);
                format!("match {} of {} lines{keys}", target + 1, places.len())
            }
        }
        None => format!("{:?} is not in this patch", query.typed()),
    };
    model.say(Severity::Info, said);
}

/// The places of a patch, found when they are first asked for.
fn found(model: &mut Model, query: &Query, patch: &Arc<Patch>) -> Arc<Vec<PatchSpot>> {
    let shape = model.compare.shape;
    let kept = &mut model.compare.found;
    let known = kept.typed == query.typed()
        && kept.shape == shape
        && Weak::ptr_eq(&kept.patch, &Arc::downgrade(patch));
    if !known {
        let mut all = places(patch, query);
        all.retain(|place| is_shown(*place, shape));
        *kept = Found {
            typed: query.typed().to_owned(),
            patch: Arc::downgrade(patch),
            shape,
            places: Arc::new(all),
            last: None,
            line: 0,
        };
    }
    Arc::clone(&kept.places)
}

/// Whether a view shows a place: rows that columns share have no headers of hunks.
pub fn is_shown(place: PatchSpot, shape: Shape) -> bool {
    let is_header = place.hunk.is_some() && place.line.is_none();
    !(is_header && shape == Shape::Aligned)
}

/// Every place of a patch that holds what is searched for: paths, sections of hunks, lines; in the
/// order of the patch.
#[must_use]
pub fn places(patch: &Patch, query: &Query) -> Vec<PatchSpot> {
    let mut found = Vec::new();
    if patch.presence == PatchPresence::NotADiff {
        let lines = patch.text.split('\n').enumerate();
        let lines = lines.filter(|(_, line)| query.is_in(line));
        found.extend(lines.map(|(line, _)| PatchSpot::raw(0, line)));
        return found;
    }
    for (at, file) in patch.files.iter().enumerate() {
        if query.is_in(&file.display_path()) {
            found.push(PatchSpot::file(at));
        }
        let raw = file
            .raw
            .iter()
            .filter_map(|range| patch.text.get(range.clone()));
        let raw = raw.flat_map(str::lines).enumerate();
        let raw = raw.filter(|(_, line)| query.is_in(line));
        found.extend(raw.map(|(line, _)| PatchSpot::raw(at, line)));
        for (nth, hunk) in file.hunks.iter().enumerate() {
            let section = patch.text.get(hunk.section.clone());
            if section.is_some_and(|section| query.is_in(section)) {
                found.push(PatchSpot::hunk(at, nth));
            }
            let lines = hunk.lines.iter().enumerate();
            let lines = lines.filter(|(_, line)| query.is_in(patch.line_text(line)));
            found.extend(lines.map(|(line, _)| PatchSpot::line(at, nth, line)));
        }
    }
    found
}

/// The next of some lines that holds what is searched for, from line `at` on, wrapping around;
/// `here` = line `at` itself counts. Says which of how many it is, or that `what` holds it.
pub fn find_line<'a>(
    model: &mut Model,
    lines: impl Iterator<Item = &'a str>,
    at: usize,
    (forward, here): (bool, bool),
    what: &str,
) -> Option<usize> {
    let query = query(model)?;
    let lines = lines.enumerate().filter(|(_, line)| query.is_in(line));
    let hits: Vec<_> = lines.map(|(row, _)| row).collect();
    pick(model, &query, &hits, at, (forward, here), what)
}

/// The next of some rows that hold what is searched for, see [`find_line`].
pub fn pick(
    model: &mut Model,
    query: &Query,
    hits: &[usize],
    at: usize,
    (forward, here): (bool, bool),
    what: &str,
) -> Option<usize> {
    let before = hits.partition_point(|&row| row < at);
    let same = hits.get(before) == Some(&at);
    let place = next(hits.len(), before, same, forward, here);
    let said = match place {
        Some(place) => format!(
            "match {} of {} lines{}",
            place + 1,
            hits.len(),
            help::match_keys(model)
        ),
        None => format!("{:?} is in {what}", query.typed()),
    };
    model.say(Severity::Info, said);
    hits.get(place?).copied()
}

/// The next line of a text that is scrolled to line `top`, see [`find_line`].
pub fn pick_line(
    model: &mut Model,
    query: &Query,
    hits: &[usize],
    top: usize,
    (forward, here): (bool, bool),
    what: &str,
) -> Option<usize> {
    let at = if here { top } else { model.compare.found.line };
    let row = pick(model, query, hits, at, (forward, here), what)?;
    model.compare.found.line = row;
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(typed: &str) -> Query {
        Query::read(typed).unwrap().unwrap()
    }

    #[test]
    fn paths_sections_and_lines_are_searched() {
        let text = "--- a/new.py\n+++ b/new.py\n@@ -1,2 +1,2 @@ def f\n a\n-let\n+New\n";
        let patch = Patch::read(Arc::from(text));
        let all = [PatchSpot::file(0), PatchSpot::line(0, 0, 2)];
        assert_eq!(places(&patch, &query("new")), all);
        assert_eq!(places(&patch, &query("def f")), [PatchSpot::hunk(0, 0)]);
        assert_eq!(places(&patch, &query("def F")), []);
        assert_eq!(
            places(&patch, &query("re:^l.t$")),
            [PatchSpot::line(0, 0, 1)]
        );
        let prose = Patch::read(Arc::from("no patch\nnew words"));
        assert_eq!(places(&prose, &query("new")), [PatchSpot::raw(0, 1)]);
    }

    #[test]
    fn the_search_wraps_around() {
        assert_eq!(next(0, 0, false, true, true), None);
        assert_eq!(next(3, 1, true, true, true), Some(1));
        assert_eq!(next(3, 1, true, true, false), Some(2));
        assert_eq!(next(3, 2, true, true, false), Some(0));
        assert_eq!(next(3, 3, false, true, false), Some(0));
        assert_eq!(next(3, 0, true, false, false), Some(2));
        assert_eq!(next(3, 2, true, false, false), Some(1));
    }
}
