//! `gagar check`: every record that could not be read.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::Ending;
use super::args::Input;
use super::error::CliError;
use super::inputs::{describe, load_set};
use super::made::{self, MOST_LINES, counted};
use super::output::Io;
use crate::formats::{LoadedSet, Problem};

#[derive(Serialize)]
struct Line<'a> {
    kind: &'static str,
    path: std::borrow::Cow<'a, str>,
    line: Option<u64>,
    record: Option<&'a str>,
    reason: &'a str,
}

#[derive(Serialize)]
struct Summary {
    kind: &'static str,
    groups: usize,
    trajectories: usize,
    problems: usize,
}

#[derive(Serialize)]
struct Guessed<'a> {
    kind: &'static str,
    path: std::borrow::Cow<'a, str>,
    map: String,
    left_over: &'a [String],
}

/// Tells the maps that were guessed: a JSON line a file, or a note on stderr for all files with the
/// same one.
fn tell_guessed(set: &LoadedSet, json: bool, io: &mut Io<'_>) -> Result<(), CliError> {
    let mut same: BTreeMap<String, Vec<&Path>> = BTreeMap::new();
    for guessed in &set.guessed {
        if json {
            io.json(&Guessed {
                kind: "guessed",
                path: guessed.path.to_string_lossy(),
                map: guessed.map.to_string(),
                left_over: &guessed.left_over,
            })?;
        } else {
            let paths = same.entry(guessed.to_string()).or_default();
            paths.push(&guessed.path);
        }
    }
    for (said, paths) in same {
        let first = paths.first().map(|path| path.display().to_string());
        let more = match paths.len() {
            0 | 1 => String::new(),
            files => format!(" and {}", counted(files - 1, "more file", "more files")),
        };
        let first = first.unwrap_or_default();
        io.note(&format!("note: {first}{more}: {said}"))?;
    }
    Ok(())
}

/// Opens every group: steps, logs and base files are read only then.
fn unreadable_texts(set: &LoadedSet, input: &Input) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, group) in set.groups.iter().enumerate() {
        let reasons = match set.open(index) {
            Ok(content) => content.problems,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        problems.extend(reasons.into_iter().map(|reason| Problem {
            path: input.paths.first().cloned().unwrap_or_default(),
            line: None,
            record: Some(group.id.as_str().to_owned()),
            reason,
        }));
    }
    problems
}

/// Tells what was made of each file, then the problems; files that hold no rollouts are told on
/// stderr, as notes.
///
/// # Errors
/// When a path does not exist or the output cannot be written.
pub fn run(input: &Input, json: bool, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let set = load_set(&input.paths, &input.common)?;
    let texts = unreadable_texts(&set, input);
    let summary = Summary {
        kind: "summary",
        groups: set.groups.len(),
        trajectories: set
            .groups
            .iter()
            .map(|group| group.trajectories.len())
            .sum(),
        problems: set.problems.len() + texts.len(),
    };
    if json {
        for file in made::json(&set.made) {
            io.json(&file)?;
        }
    } else {
        for line in made::lines(&set.made, MOST_LINES) {
            io.line(&line)?;
        }
    }
    for problem in set.problems.iter().chain(&texts) {
        if json {
            io.json(&Line {
                kind: "problem",
                path: problem.path.to_string_lossy(),
                line: problem.line,
                record: problem.record.as_deref(),
                reason: &problem.reason,
            })?;
        } else {
            io.line(&format!("problem: {}", describe(problem)))?;
        }
    }
    tell_guessed(&set, json, io)?;
    for folder in &set.foreign {
        if json {
            io.json(&Line {
                kind: "foreign",
                path: folder.path.to_string_lossy(),
                line: None,
                record: None,
                reason: &folder.reason,
            })?;
        } else {
            io.note(&format!("note: {}", describe(folder)))?;
        }
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
