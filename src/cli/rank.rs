//! `gagar rank`: submits a ranking through the same use case as the terminal.

use serde::Serialize;

use super::Ending;
use super::args::RankArgs;
use super::error::CliError;
use super::inputs::{Whose, open};
use super::output::Io;
use crate::domain::{Ranking, RolloutGroup};
use crate::review::{Change, RankingSource, ReviewSession};
use crate::store::{EventBody, EventStore};

#[derive(Serialize)]
struct Stored<'a> {
    group_id: &'a str,
    annotator: &'a str,
    annotation_id: &'a str,
    tiers: &'a [Vec<String>],
    unranked: &'a [String],
}

/// Sets and submits the ranking; both are stored in one transaction.
///
/// # Errors
/// An unknown group or trajectory, a ranking that is not one, or a log that cannot be written.
pub fn run(args: &RankArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let tiers = parse_tiers(&args.tiers)?;
    let mut opened = open(&args.input, RankingSource::Best, Whose::User, io)?;
    let session = &mut opened.session;
    let index = session
        .position(&args.group)
        .ok_or_else(|| unknown_group(session, &args.group))?;
    let group = session
        .group(index)
        .ok_or_else(|| unknown_group(session, &args.group))?;
    let ranking = to_ranking(group, &tiers)?;
    let mut events = Vec::new();
    for change in [Change::Set(ranking), Change::Submit] {
        let proposal = session
            .propose(index, change)
            .map_err(|error| CliError::failed(format!("group {}: {error}", args.group)))?;
        session.apply(&proposal);
        events.extend(proposal.events);
    }
    opened.store.append(&events)?;
    for event in &events {
        if let EventBody::RankSubmit {
            tiers, unranked, ..
        } = &event.body
        {
            let stored = Stored {
                group_id: &args.group,
                annotator: &event.annotator,
                annotation_id: &event.event_id,
                tiers,
                unranked,
            };
            tell(&stored, args, io)?;
        }
    }
    Ok(Ending::of(opened.problems))
}

fn tell(stored: &Stored<'_>, args: &RankArgs, io: &mut Io<'_>) -> Result<(), CliError> {
    if args.json {
        return io.json(stored);
    }
    let ranked: usize = stored.tiers.iter().map(Vec::len).sum();
    io.line(&format!(
        "{}: {ranked} ranked by {} in {} tiers, stored in {} as {}",
        stored.group_id,
        stored.annotator,
        stored.tiers.len(),
        args.input.common.db().display(),
        stored.annotation_id,
    ))?;
    if !stored.unranked.is_empty() {
        io.note(&format!(
            "passing, left unranked: {}",
            stored.unranked.join(", ")
        ))?;
    }
    Ok(())
}

pub(super) fn parse_tiers(text: &str) -> Result<Vec<Vec<String>>, CliError> {
    let tiers: Vec<Vec<String>> = serde_json::from_str(text).map_err(|error| {
        CliError::usage(format!(
            "--tiers is not a list of tiers of trajectory ids: {error}"
        ))
        .hint("for example --tiers '[[\"t1\"],[\"t2\",\"t3\"]]': t1 best, t2 and t3 tied")
    })?;
    if tiers.is_empty() || tiers.iter().any(Vec::is_empty) {
        return Err(CliError::usage("--tiers has an empty tier, or none"));
    }
    Ok(tiers)
}

/// The tiers as indices of the group's trajectories, with errors that name id and group.
pub(super) fn to_ranking(group: &RolloutGroup, tiers: &[Vec<String>]) -> Result<Ranking, CliError> {
    let mut seen = std::collections::BTreeSet::new();
    let mut indices = Vec::with_capacity(tiers.len());
    for tier in tiers {
        let mut places = Vec::with_capacity(tier.len());
        for id in tier {
            let found = group.trajectories.iter().position(|t| t.id.as_str() == id);
            let place = found.ok_or_else(|| unknown_trajectory(group, id))?;
            if !seen.insert(place) {
                return Err(CliError::usage(format!(
                    "trajectory {id} stands in the ranking of group {} twice",
                    group.id
                )));
            }
            let trajectory = group.trajectories.get(place);
            if let Some(t) = trajectory.filter(|t| !t.outcome.is_pass()) {
                return Err(CliError::usage(format!(
                    "trajectory {id} of group {} is ranked but does not pass ({})",
                    group.id,
                    t.outcome.word()
                ))
                .hint(format!("passing: {}", passing_ids(group))));
            }
            places.push(place);
        }
        indices.push(places);
    }
    Ranking::new(indices).map_err(|error| CliError::usage(format!("group {}: {error}", group.id)))
}

fn unknown_trajectory(group: &RolloutGroup, id: &str) -> CliError {
    CliError::usage(format!("trajectory {id} is not in group {}", group.id))
        .hint(format!("passing: {}", passing_ids(group)))
}

fn passing_ids(group: &RolloutGroup) -> String {
    let passing = group.trajectories.iter().filter(|t| t.outcome.is_pass());
    let ids: Vec<_> = passing.map(|t| t.id.as_str()).collect();
    if ids.is_empty() {
        "none".to_owned()
    } else {
        ids.join(", ")
    }
}

pub(super) fn unknown_group(session: &ReviewSession, id: &str) -> CliError {
    let ids: Vec<&str> = session
        .set()
        .groups
        .iter()
        .map(|group| group.id.as_str())
        .collect();
    let error = CliError::usage(format!("no group {id} in the paths given"));
    let close = similar::get_close_matches(id, &ids, 5, 0.6);
    if close.is_empty() {
        return error.hint(format!("`gagar groups` lists the {} groups", ids.len()));
    }
    error.hint(format!("close: {}", close.join(", ")))
}
