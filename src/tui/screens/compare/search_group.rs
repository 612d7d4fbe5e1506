//! Searching the patches of all candidates: asked for here, done beside the interface, listed.

use super::candidates::letter;
use super::place_list::{self, MOST_LISTED, first_match};
use super::search::{is_shown, places};
use super::spot::{PatchSpot, Spot};
use super::update::{opened, shown_order};
use crate::tui::effect::Effect;
use crate::tui::model::{Model, OpenedGroup, Severity};
use crate::tui::overlays::{Overlay, PromptKind};
use crate::tui::query::Query;

/// The places of every patch of a group that hold what is searched for, in group order.
#[must_use]
pub fn search_patches(opened: &OpenedGroup, query: &Query) -> Vec<Vec<PatchSpot>> {
    let patches = opened.patches.iter();
    patches.map(|patch| places(patch, query)).collect()
}

/// Asks what to search for.
pub fn ask(model: &mut Model) {
    let typed = model.compare.query.as_ref().map_or("", Query::typed);
    model.overlay = Some(Overlay::prompt(PromptKind::SearchGroup, typed));
}

/// Searches for what the prompt gave; the answer opens the list.
///
/// # Errors
/// It cannot be searched for; one sentence.
pub fn searched(model: &mut Model, text: &str) -> Result<Vec<Effect>, String> {
    let query = Query::read(text).map_err(|error| error.to_string())?;
    model.compare.query.clone_from(&query);
    let (Some(query), Some(group)) = (query, model.compare.group) else {
        return Ok(Vec::new());
    };
    if opened(model).is_none() {
        model.say(Severity::Info, "the patches are not open yet");
        return Ok(Vec::new());
    }
    model.say(Severity::Info, "searching the patches of all candidates …");
    Ok(vec![Effect::SearchGroup { group, query }])
}

/// Lists what was found, unless something else is searched for or shown by now.
pub fn found(model: &mut Model, group: usize, query: &Query, found: &[Vec<PatchSpot>]) {
    let wanted = model.compare.query.as_ref() == Some(query);
    if !wanted || model.compare.group != Some(group) || model.overlay.is_some() {
        return;
    }
    let order = shown_order(model);
    let shape = model.compare.shape;
    let found: Vec<Vec<PatchSpot>> = found
        .iter()
        .map(|places| {
            let places = places.iter().copied();
            places.filter(|place| is_shown(*place, shape)).collect()
        })
        .collect();
    let of = |&index: &usize| found.get(index).map_or(&[][..], Vec::as_slice);
    let count: usize = order.iter().map(|index| of(index).len()).sum();
    if count == 0 {
        let said = format!("{:?} is in no patch of the group", query.typed());
        model.say(Severity::Info, said);
        return;
    }
    let counts = order
        .iter()
        .map(|index| format!("{} {}", letter(*index), of(index).len()));
    let counts: Vec<_> = counts.collect();
    let files = order.iter().flat_map(of).filter(|place| place.is_file());
    let files = files.count();
    let mut sums = Vec::new();
    for (count, one, many) in [(count - files, "line", "lines"), (files, "path", "paths")] {
        match count {
            0 => {}
            1 => sums.push(format!("1 {one}")),
            _ => sums.push(format!("{count} {many}")),
        }
    }
    let mut title = format!(
        "{:?}: {} · {}",
        query.typed(),
        sums.join(", "),
        counts.join(" · ")
    );
    if count > MOST_LISTED {
        title = format!("the first {MOST_LISTED} · {title}");
    }
    let all = order.iter().flat_map(|index| {
        let candidate = *index;
        of(index).iter().map(move |&at| Spot { candidate, at })
    });
    let all: Vec<_> = all.take(MOST_LISTED).collect();
    model.status = crate::tui::model::Status::default();
    place_list::open(model, title, &all, &first_match(query));
}
