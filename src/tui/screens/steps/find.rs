//! Searching the steps: what is typed, what comes back, and moves between the places.

use std::sync::Arc;

use super::search::{Hits, SearchRequest};
use super::state::{Jump, Key};
use super::transcript::Row;
use super::update::{settle, shown};
use crate::tui::effect::Effect;
use crate::tui::help;
use crate::tui::model::{Model, Severity};
use crate::tui::query::Query;
use crate::tui::scroll::Position;

/// Searches the steps for what the prompt gave.
///
/// # Errors
/// It cannot be searched for; one sentence.
pub fn searched(model: &mut Model, text: &str) -> Result<Vec<Effect>, String> {
    let query = Query::read(text).map_err(|error| error.to_string())?;
    let search = &mut model.steps.search;
    search.waiting = None;
    text.clone_into(&mut search.typed);
    search.pattern = query.map(|query| Arc::new(query.into_pattern()));
    if search.pattern.is_none() {
        return Ok(settle(model));
    }
    let mut effects = find(model, true, true);
    effects.extend(settle(model));
    Ok(effects)
}

/// Moves to the next place that matches, at once or when the search has ended.
pub(super) fn find(model: &mut Model, forward: bool, here: bool) -> Vec<Effect> {
    if model.steps.search.pattern.is_none() {
        model.say(Severity::Info, "nothing is searched for yet");
        return Vec::new();
    }
    let Some(of) = shown(model) else {
        return Vec::new();
    };
    let jump = Jump { forward, here };
    if model.steps.hits(of).is_some() {
        go(model, of, jump);
        return Vec::new();
    }
    if model.steps.transcript(of).is_none() {
        return Vec::new();
    }
    model.steps.search.waiting = Some(jump);
    model.say(Severity::Info, "searching …");
    ask(of)
}

/// Asks for the places of a trajectory.
pub(super) fn ask((group, trajectory): Key) -> Vec<Effect> {
    vec![Effect::SearchSteps { group, trajectory }]
}

/// What a worker needs to search a trajectory's steps for what is searched for now.
#[must_use]
pub fn request(model: &Model, of: Key) -> Option<SearchRequest> {
    Some(SearchRequest {
        opened: Arc::clone(model.opened(of.0)?),
        trajectory: of.1,
        lines: Arc::clone(model.steps.transcript(of)?.lines()),
        pattern: Arc::clone(model.steps.search.pattern.as_ref()?),
    })
}

/// Takes what a search found.
pub fn found(model: &mut Model, of: Key, hits: Hits) -> Vec<Effect> {
    model.steps.search.hits = Some((of, hits));
    if model.steps.hits(of).is_none() {
        // Something else is searched for, or shown, by now.
        return Vec::new();
    }
    if shown(model) == Some(of)
        && let Some(jump) = model.steps.search.waiting.take()
    {
        go(model, of, jump);
        return settle(model);
    }
    Vec::new()
}

/// Moves to a place.
fn go(model: &mut Model, of: Key, jump: Jump) {
    let (Some(hits), Some(transcript)) = (model.steps.hits(of), model.steps.transcript(of)) else {
        return;
    };
    let at = model.steps.positions.get(&of).copied().unwrap_or_default();
    let here = transcript.row(at.row).map_or((0, 0, 0), Row::place);
    let is_shown = |(row, _): &(Row, usize)| transcript.is_visible(row.step());
    let after = hits.found.partition_point(|(row, _)| {
        let place = row.place();
        place < here || (place == here && jump.forward && !jump.here)
    });
    // From here on, then round from the other end.
    let (before, behind) = hits.found.split_at(after);
    let hit = if jump.forward {
        let below = behind.iter().find(|hit| is_shown(hit));
        below.or_else(|| before.iter().find(|hit| is_shown(hit)))
    } else {
        let above = before.iter().rfind(|hit| is_shown(hit));
        above.or_else(|| behind.iter().rfind(|hit| is_shown(hit)))
    };
    match hit.copied() {
        Some((row, _)) => go_to_row(model, of, row),
        None => {
            let said = nothing(model, hits);
            model.say(Severity::Info, said);
        }
    }
}

/// Unfolds a step and puts a row of it at the top; says which match that is.
pub(super) fn go_to_row(model: &mut Model, of: Key, row: Row) {
    if let Some(transcript) = model.steps.transcript_mut(of) {
        transcript.fold(row.step(), false);
        let at = Position::at(transcript.row_of(row));
        model.steps.positions.insert(of, at);
    }
    if let Some(hits) = model.steps.hits(of) {
        let place = hits
            .found
            .partition_point(|(other, _)| other.place() < row.place());
        let said = format!(
            "match {} of {} lines{}{}",
            place + 1,
            hits.found.len(),
            hidden(model, hits),
            help::match_keys(model)
        );
        model.say(Severity::Info, said);
    }
}

/// Takes off the search, and says so; answers whether there was one.
pub(super) fn take_off(model: &mut Model) -> bool {
    let search = &mut model.steps.search;
    let was = search.pattern.take();
    search.waiting = None;
    if let Some(pattern) = &was {
        let said = format!("the search for {:?} is taken off", pattern.text());
        model.say(Severity::Info, said);
    }
    was.is_some()
}

/// How many places are in steps that are hidden.
fn hidden(model: &Model, hits: &Hits) -> String {
    let transcript = shown(model).and_then(|of| model.steps.transcript(of));
    let (Some(transcript), false) = (transcript, model.steps.hidden.is_empty()) else {
        return String::new();
    };
    let lines = hits.found.iter();
    match lines
        .filter(|(row, _)| !transcript.is_visible(row.step()))
        .count()
    {
        0 => String::new(),
        count => format!(" · {count} in hidden kinds of steps"),
    }
}

fn nothing(model: &Model, hits: &Hits) -> String {
    format!(
        "{:?} is not in these steps{}",
        hits.pattern.text(),
        hidden(model, hits)
    )
}
