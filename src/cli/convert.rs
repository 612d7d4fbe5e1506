//! `gagar convert`: whatever was loaded as `gagar.group/1`, one group a line, one group in memory.
//!
//! What is *not* here: what a line holds ([`crate::export::write_group`]).

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::Ending;
use super::args::ConvertArgs;
use super::error::CliError;
use super::inputs::{Whose, load_set, open, tell_all, tell_problems};
use super::made::{self, FileLine};
use super::out_file::OutFile;
use super::output::Io;
use crate::domain::RolloutGroup;
use crate::export::write_group;
use crate::formats::{FORMATS_KEY, LoadedSet, Problem};
use crate::review::RankingSource;

/// Lines of the summary that say what was read, as far as folders can be told together.
const LINES: usize = 12;

/// Time between two notes on how far the work is.
const BETWEEN_NOTES: Duration = Duration::from_secs(2);

#[derive(Serialize)]
struct Summary<'a> {
    output: std::borrow::Cow<'a, str>,
    groups: usize,
    trajectories: usize,
    problems: usize,
    files: Vec<FileLine<'a>>,
}

/// What was written, and what could not be.
#[derive(Default)]
struct Converted {
    groups: usize,
    trajectories: usize,
    problems: Vec<Problem>,
}

/// Converts everything under the paths.
///
/// # Errors
/// When a path does not exist, the output stands there already, would replace an input, or cannot
/// be written; a file that stood there before is then untouched.
pub fn run(args: &ConvertArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let to_stdout = args.output == Path::new("-");
    if to_stdout && args.json {
        return Err(CliError::usage("the groups go to stdout already")
            .hint("leave out --json, or name a file with -o"));
    }
    let out = (!to_stdout).then(|| OutFile::new(&args.output, &args.input));
    let out = out.transpose()?;
    if out.is_some() {
        refuse_existing(args)?;
    }
    // Only a filter asks who judged what.
    let (set, indices) = if args.which.filter.is_some() {
        let session = open(&args.input, RankingSource::Best, Whose::User, io)?.session;
        (Arc::clone(session.set()), args.which.chosen(&session))
    } else {
        let set = load_set(&args.input.paths, &args.input.common)?;
        tell_problems(&set, io)?;
        let indices = (0..set.groups.len()).collect();
        (Arc::new(set), indices)
    };
    let converted = match out {
        None => write_groups(&set, &indices, args, io.out, io.err)?,
        Some(out) => {
            let write = |out: &mut dyn Write| write_groups(&set, &indices, args, out, io.err);
            out.write(Some(&set), write)?.0
        }
    };
    tell_all(converted.problems.iter(), io)?;
    let summary = Summary {
        output: args.output.to_string_lossy(),
        groups: converted.groups,
        trajectories: converted.trajectories,
        problems: set.problems.len() + converted.problems.len(),
        files: made::json(&set.made).collect(),
    };
    if args.json {
        io.json(&summary)?;
    } else {
        for line in made::lines(&set.made, LINES) {
            io.note(&line)?;
        }
        let output = if to_stdout {
            "standard output"
        } else {
            &summary.output
        };
        let counts = made::in_all(summary.groups, summary.trajectories, summary.problems);
        io.note(&format!("{output}: {counts}"))?;
    }
    if !to_stdout && lies_in_input(args) {
        io.note("note: the file lies in a folder that was loaded; loading it again reads both")?;
    }
    Ok(Ending::of(summary.problems > 0))
}

/// Whether the output lies in one of the folders given.
fn lies_in_input(args: &ConvertArgs) -> bool {
    let Ok(output) = args.output.canonicalize() else {
        return false;
    };
    let mut folders = args.input.paths.iter().filter(|path| path.is_dir());
    folders.any(|folder| {
        folder
            .canonicalize()
            .is_ok_and(|folder| output.starts_with(folder))
    })
}

/// A file that stands there is replaced only when that was asked for.
fn refuse_existing(args: &ConvertArgs) -> Result<(), CliError> {
    let name = args.output.display();
    match std::fs::metadata(&args.output) {
        Ok(found) if found.is_file() && !args.force => {
            Err(CliError::usage(format!("{name} exists")).hint("--force replaces it"))
        }
        _ => Ok(()),
    }
}

/// The group with the formats that it was read from, which the filter `format:` asks for later.
fn with_formats<'a>(
    set: &LoadedSet,
    index: usize,
    group: &'a RolloutGroup,
) -> Cow<'a, RolloutGroup> {
    let formats = set.formats(index);
    let is_told = group.meta.0.iter().any(|(key, _)| key == FORMATS_KEY);
    let is_own = formats.iter().all(|name| name.starts_with("gagar."));
    let json = serde_json::to_string(&formats);
    match json {
        Ok(json) if !is_told && !is_own => {
            let mut group = group.clone();
            group.meta.0.push((FORMATS_KEY.to_owned(), json));
            Cow::Owned(group)
        }
        _ => Cow::Borrowed(group),
    }
}

/// Writes these groups (0-based indices), one at a time.
fn write_groups(
    set: &LoadedSet,
    indices: &[usize],
    args: &ConvertArgs,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Converted> {
    let mut converted = Converted::default();
    let told = io::stderr().is_terminal();
    let mut next_note = Instant::now() + BETWEEN_NOTES;
    for (done, &index) in indices.iter().enumerate() {
        let Some(group) = set.groups.get(index) else {
            continue;
        };
        if told && Instant::now() >= next_note {
            writeln!(err, "{done} of {} groups written", indices.len())?;
            next_note = Instant::now() + BETWEEN_NOTES;
        }
        let content = match set.open(index) {
            Ok(content) => content,
            Err(problem) => {
                converted.problems.push(problem);
                continue;
            }
        };
        let group = &with_formats(set, index, group);
        let answers = set.answers.get(index).map_or(&[][..], AsRef::as_ref);
        let lost = write_group(out, group, &content, answers)?;
        let reasons = content.problems.into_iter().chain(lost);
        converted.problems.extend(reasons.map(|reason| Problem {
            path: args.input.paths.first().cloned().unwrap_or_default(),
            line: None,
            record: Some(group.id.as_str().to_owned()),
            reason,
        }));
        converted.groups += 1;
        converted.trajectories += group.trajectories.len();
    }
    Ok(converted)
}
