//! `gagar check`: every record that could not be read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Ending;
use super::args::Input;
use super::error::CliError;
use super::inputs::{describe, load_set};
use super::made::{self, MOST_LINES, in_all};
use super::output::Io;
use crate::domain::RolloutGroup;
use crate::domain::counted;
use crate::formats::{LoadedSet, Problem};

#[derive(Serialize)]
struct Line<'a> {
    kind: &'static str,
    path: std::borrow::Cow<'a, str>,
    line: Option<u64>,
    record: Option<&'a str>,
    reason: &'a str,
}

impl<'a> Line<'a> {
    fn of(kind: &'static str, told: &'a Problem) -> Self {
        Self {
            kind,
            path: told.path.to_string_lossy(),
            line: told.line,
            record: told.record.as_deref(),
            reason: &told.reason,
        }
    }
}

/// A file that holds no rollouts.
#[derive(Serialize)]
struct Foreign<'a> {
    kind: &'static str,
    path: std::borrow::Cow<'a, str>,
}

/// Most of them listed; the summary counts all.
const MOST_FOREIGN: usize = 1000;

#[derive(Serialize)]
struct Summary {
    kind: &'static str,
    groups: usize,
    trajectories: usize,
    problems: usize,
    notes: usize,
    foreign: usize,
}

#[derive(Serialize)]
struct Guessed<'a> {
    kind: &'static str,
    path: std::borrow::Cow<'a, str>,
    map: String,
    left_over: &'a [String],
    missing: Vec<&'static str>,
}

#[derive(Serialize)]
struct Used<'a> {
    kind: &'static str,
    path: std::borrow::Cow<'a, str>,
    title: &'a str,
}

/// Tells the maps that were guessed, and those of configuration files that were used: a JSON line a
/// file, or a note on stderr for all files with the same one.
fn tell_maps(set: &LoadedSet, json: bool, io: &mut Io<'_>) -> Result<(), CliError> {
    let mut same: BTreeMap<String, Vec<&Path>> = BTreeMap::new();
    for guessed in &set.guessed {
        if json {
            io.json(&Guessed {
                kind: "guessed",
                path: guessed.path.to_string_lossy(),
                map: guessed.map.to_string(),
                left_over: &guessed.left_over,
                missing: guessed.missing().iter().map(|key| key.word()).collect(),
            })?;
        } else {
            let paths = same.entry(guessed.to_string()).or_default();
            paths.push(&guessed.path);
        }
    }
    for used in &set.used {
        if json {
            io.json(&Used {
                kind: "map",
                path: used.path.to_string_lossy(),
                title: &used.title,
            })?;
        } else {
            let paths = same.entry(used.to_string()).or_default();
            paths.push(&used.path);
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
        let first = || input.paths.first().cloned().unwrap_or_default();
        let found = reasons
            .into_iter()
            .map(|reason| placed(&reason, group, set, first));
        // What the index told of a record comes again when it is opened.
        problems.extend(found.filter(|problem| {
            let is_same = |told: &&Problem| {
                told.path == problem.path
                    && told.record == problem.record
                    && told.reason == problem.reason
            };
            !set.problems.iter().any(|told| is_same(&told))
        }));
    }
    problems
}

/// A sentence about a group's texts as a problem: the file and the record that it begins with are
/// taken off, so that they are said once. `path` stands for a file that is not named.
fn placed(
    sentence: &str,
    group: &RolloutGroup,
    set: &LoadedSet,
    path: impl FnOnce() -> PathBuf,
) -> Problem {
    let files = set.made.iter().filter_map(|file| {
        let rest = sentence.strip_prefix(&*file.path.to_string_lossy())?;
        Some((&file.path, rest.strip_prefix(": ")?))
    });
    let (path, rest) = match files.min_by_key(|(_, rest)| rest.len()) {
        Some((path, rest)) => (path.clone(), rest),
        None => (path(), sentence),
    };
    let id = group.id.as_str();
    let rollouts = group.trajectories.iter();
    let records = rollouts.map(|rollout| format!("{id}/{}", rollout.id));
    let records = records.chain([id.to_owned()]).filter_map(|record| {
        let rest = rest.strip_prefix(&record)?.strip_prefix(": ")?;
        Some((record, rest))
    });
    let (record, reason) = records
        .min_by_key(|(_, rest)| rest.len())
        .unwrap_or_else(|| (id.to_owned(), rest));
    Problem {
        path,
        line: None,
        record: Some(record),
        reason: reason.to_owned(),
    }
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
        notes: set.notes.len(),
        foreign: set.foreign.len(),
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
            io.json(&Line::of("problem", problem))?;
        } else {
            io.line(&format!("problem: {}", describe(problem)))?;
        }
    }
    tell_maps(&set, json, io)?;
    for note in &set.notes {
        if json {
            io.json(&Line::of("note", note))?;
        } else {
            io.note(&format!("note: {}", describe(note)))?;
        }
    }
    if json {
        for path in set.foreign.iter().take(MOST_FOREIGN) {
            io.json(&Foreign {
                kind: "foreign",
                path: path.to_string_lossy(),
            })?;
        }
        io.json(&summary)?;
    } else {
        io.line(&in_all(
            summary.groups,
            summary.trajectories,
            summary.problems,
        ))?;
    }
    Ok(Ending::of(summary.problems > 0))
}
