//! `gagar check`: every record that could not be read.

use serde::Serialize;

use super::Ending;
use super::args::Input;
use super::error::CliError;
use super::inputs::{describe, load_set};
use super::output::Io;

#[derive(Serialize)]
struct Line<'a> {
    path: std::borrow::Cow<'a, str>,
    line: Option<u64>,
    record: Option<&'a str>,
    reason: &'a str,
}

#[derive(Serialize)]
struct Summary {
    groups: usize,
    trajectories: usize,
    problems: usize,
}

/// Lists the problems of a load; files that hold no rollouts are told on stderr, as notes.
///
/// # Errors
/// When a path does not exist or the output cannot be written.
pub fn run(input: &Input, json: bool, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let set = load_set(&input.paths, &input.common)?;
    let summary = Summary {
        groups: set.groups.len(),
        trajectories: set
            .groups
            .iter()
            .map(|group| group.trajectories.len())
            .sum(),
        problems: set.problems.len(),
    };
    for problem in &set.problems {
        if json {
            io.json(&Line {
                path: problem.path.to_string_lossy(),
                line: problem.line,
                record: problem.record.as_deref(),
                reason: &problem.reason,
            })?;
        } else {
            io.line(&describe(problem))?;
        }
    }
    for folder in &set.foreign {
        io.note(&format!("note: {}", describe(folder)))?;
    }
    if json {
        io.json(&summary)?;
    } else {
        io.line(&format!(
            "{} groups, {} trajectories, {} problems",
            summary.groups, summary.trajectories, summary.problems
        ))?;
    }
    Ok(Ending::of(summary.problems > 0))
}
