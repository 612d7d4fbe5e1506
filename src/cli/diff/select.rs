//! Which group and which candidates a diff is of, as a person names them.

use crate::cli::error::CliError;
use crate::cli::open::{letter, order};
use crate::domain::{RolloutGroup, TrajectoryIndex};
use crate::review::ReviewSession;

/// Groups or candidates named in an error.
const NAMED: usize = 8;

/// The group of this name (0-based): its id, or a part of it that no other id has. Without a name
/// the only one.
///
/// # Errors
/// No or several groups: a usage error that names those that are close.
pub fn group(session: &ReviewSession, named: Option<&str>) -> Result<usize, CliError> {
    let groups = &session.set().groups;
    let ids: Vec<&str> = groups.iter().map(|group| group.id.as_str()).collect();
    let Some(named) = named else {
        return match ids.as_slice() {
            [] => Err(CliError::failed("no group was found in the paths given")),
            [_] => Ok(0),
            several => {
                let text = format!("which of the {} groups?", several.len());
                Err(CliError::usage(text).hint(format!("name one: --group {}", list(several, "|"))))
            }
        };
    };
    if let Some(found) = session.position(named) {
        return Ok(found);
    }
    let wanted = named.to_lowercase();
    let holding: Vec<usize> = (0..ids.len())
        .filter(|&index| ids[index].to_lowercase().contains(&wanted))
        .collect();
    match holding.as_slice() {
        [only] => Ok(*only),
        [] => {
            let error = CliError::usage(format!("no group {named} in the paths given"));
            let close = similar::get_close_matches(named, &ids, NAMED, 0.5);
            Err(if close.is_empty() {
                error.hint(format!("`gagar groups` lists the {} groups", ids.len()))
            } else {
                error.hint(format!("close: {}", list(&close, ", ")))
            })
        }
        several => {
            let names: Vec<&str> = several.iter().map(|&index| ids[index]).collect();
            let text = format!("{named} is part of {} groups' names", several.len());
            Err(CliError::usage(text).hint(format!("they are: {}", list(&names, ", "))))
        }
    }
}

/// The candidates of these names, in the order given; without names all of them by rank. A name is a
/// trajectory's id, a letter as the interface shows it, or a 1-based place in the ranking order.
///
/// # Errors
/// An unknown name: a usage error that lists the candidates.
pub fn candidates(
    session: &ReviewSession,
    group: usize,
    named: &[String],
) -> Result<Vec<TrajectoryIndex>, CliError> {
    let Some(data) = session.group(group) else {
        return Ok(Vec::new());
    };
    let order = session.reviewed(group).map_or_else(
        || (0..data.trajectories.len()).collect(),
        |reviewed| order(data, &reviewed.shown.ranking),
    );
    if named.is_empty() {
        return Ok(order);
    }
    let mut chosen = Vec::new();
    for name in named {
        // An id may hold a comma.
        let whole = find(data, &order, name);
        let found = match whole {
            Some(index) => vec![index],
            None => name
                .split(',')
                .map(|part| {
                    let part = part.trim();
                    find(data, &order, part).ok_or_else(|| unknown(data, &order, part))
                })
                .collect::<Result<_, _>>()?,
        };
        for index in found {
            if !chosen.contains(&index) {
                chosen.push(index);
            }
        }
    }
    Ok(chosen)
}

fn find(group: &RolloutGroup, order: &[usize], name: &str) -> Option<TrajectoryIndex> {
    let all = &group.trajectories;
    let by_id = all.iter().position(|t| t.id.as_str() == name);
    let by_letter = || {
        let named = name.to_ascii_uppercase();
        (0..all.len()).find(|&index| letter(index) == named)
    };
    let by_place = || {
        let place: usize = name.parse().ok()?;
        order.get(place.checked_sub(1)?).copied()
    };
    by_id.or_else(by_letter).or_else(by_place)
}

fn unknown(group: &RolloutGroup, order: &[usize], name: &str) -> CliError {
    let names: Vec<String> = order
        .iter()
        .filter_map(|&index| Some((index, group.trajectories.get(index)?)))
        .map(|(index, t)| format!("{} {} ({})", letter(index), t.id, t.outcome.word()))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    CliError::usage(format!("no candidate {name} in group {}", group.id))
        .hint("a candidate is named by its letter, its id or its place in the ranking from 1")
        .hint(format!("by rank: {}", list(&names, ", ")))
}

/// The first names, and how many more there are.
fn list(names: &[&str], between: &str) -> String {
    let mut shown = names[..names.len().min(NAMED)].join(between);
    if names.len() > NAMED {
        shown.push_str(&format!("{between}… ({} more)", names.len() - NAMED));
    }
    shown
}
