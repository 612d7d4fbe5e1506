//! `gagar diff`: the patches of a group on standard output, as the compare screen shows them.
//!
//! What is *not* here: how rows are drawn ([`crate::tui::print`] by way of `cli/open.rs`).

mod files;
mod json;
mod select;
mod stat;

use std::collections::HashSet;

use super::Ending;
use super::args::{DiffArgs, When as ColourWhen, Whitespace};
use super::config::base_repos;
use super::error::CliError;
use super::inputs::{Whose, open_untold, tell_all, tell_problems};
use super::open::{
    Layout, OpenedGroup, PrintError, PrintOptions, Printed, When, candidates, diff_theme, on_base,
    open_group, print,
};
use super::output::Io;
use crate::domain::TrajectoryIndex;
use crate::formats::{LoadedSet, Problem};
use crate::review::{RankingSource, ReviewSession};

/// What the reference patch is called.
const REFERENCE: &str = "reference";

/// A candidate that is printed, or the reference patch.
struct Chosen {
    /// Its place among the group's patches; the reference patch is the one behind the last.
    index: usize,
    letter: String,
    /// The trajectory's id. Untrusted text.
    id: String,
    outcome: &'static str,
    /// 1-based rank; `None` = unranked.
    rank: Option<usize>,
    /// What stands over its column. Untrusted text.
    title: String,
}

impl Chosen {
    fn is_reference(&self) -> bool {
        self.outcome == REFERENCE
    }

    /// Letter, outcome and rank.
    fn short(&self) -> String {
        match self.rank {
            Some(rank) => format!("{} {} {rank}", self.letter, self.outcome),
            None if self.letter == self.outcome => self.letter.clone(),
            None => format!("{} {}", self.letter, self.outcome),
        }
    }
}

/// Prints the diff.
///
/// # Errors
/// Groups or candidates that do not exist, a width that is too small (exit code 2), texts that cannot
/// be read, an output that cannot be written.
pub fn run(args: &DiffArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let (session, _) = open_untold(&args.input, RankingSource::Best, Whose::User)?;
    let session = &session;
    let group = match select::group(session, args.group.as_deref()) {
        Ok(group) => group,
        Err(error) => {
            // What could not be read may be what is looked for.
            tell_problems(session.set(), io)?;
            return Err(error);
        }
    };
    let mut problems = tell_concerning(session.set(), group, io)?;
    let indices = select::candidates(session, group, &args.candidates)?;
    let texts = open_group(session.set(), group)
        .map_err(|problem| CliError::failed(problem.to_string()))?;
    for problem in &texts.content.problems {
        io.note(&format!("problem: {problem}"))?;
        problems = true;
    }
    let mut chosen = chosen(session, group, &indices);
    if args.reference {
        chosen.push(reference(&texts)?);
    }
    let repos = base_repos(&args.input.paths)?;
    let on_base = on_base(session.set(), &texts, &repos);
    for problem in &on_base.problems {
        io.note(&format!("note: {problem}"))?;
    }
    let aligned = &*on_base.aligned;
    let is_wanted = |file: &usize| {
        aligned.files.get(*file).is_some_and(|file| {
            let touched = chosen.iter().any(|c| file.file_of(c.index).is_some());
            touched && files::wanted(&args.files, &file.path)
        })
    };
    let wanted: Vec<usize> = (0..aligned.files.len()).filter(is_wanted).collect();
    if wanted.is_empty() && !args.files.is_empty() {
        let globs = args.files.join(" ");
        io.note(&format!(
            "no file that these candidates touch matches {globs}"
        ))?;
    }
    let id = session.group(group).map_or("", |group| group.id.as_str());
    let layout = &args.layout;
    if layout.json {
        json::print((id, &on_base), &wanted, &chosen, io)?;
    } else if layout.stat {
        stat::print(aligned, &wanted, &chosen, args.width, io)?;
    } else {
        let printed: Vec<Printed> = chosen
            .into_iter()
            .map(|candidate| Printed {
                index: candidate.index,
                is_reference: candidate.is_reference(),
                title: candidate.title,
            })
            .collect();
        let options = options(args, printed.len())?;
        print(&on_base, &wanted, &printed, &options, io.out).map_err(failure)?;
    }
    Ok(Ending::of(problems))
}

/// Tells the problems of a load that may concern a group, and returns whether there were any: those
/// of records that name another group do not.
fn tell_concerning(set: &LoadedSet, group: usize, io: &mut Io<'_>) -> Result<bool, CliError> {
    let names = |record: &str, id: &str| {
        let rest = record.strip_prefix(id);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let own = set.groups.get(group).map(|group| group.id.as_str());
    let others: HashSet<&str> = set.groups.iter().map(|group| group.id.as_str()).collect();
    let concerns = |problem: &&Problem| {
        let Some(record) = problem.record.as_deref() else {
            return true;
        };
        let ends = record.match_indices('/').map(|(at, _)| at);
        let mut heads = ends.chain([record.len()]).map(|end| &record[..end]);
        own.is_some_and(|own| names(record, own)) || !heads.any(|head| others.contains(head))
    };
    let found: Vec<&Problem> = set.problems.iter().filter(concerns).collect();
    tell_all(found.iter().copied(), io)?;
    Ok(!found.is_empty())
}

fn chosen(session: &ReviewSession, group: usize, indices: &[TrajectoryIndex]) -> Vec<Chosen> {
    let Some(reviewed) = session.reviewed(group) else {
        return Vec::new();
    };
    let all = candidates(session, group, &reviewed);
    let found = indices
        .iter()
        .filter_map(|index| all.iter().find(|candidate| candidate.index == *index));
    found
        .map(|candidate| {
            let trajectory = session
                .group(group)
                .and_then(|group| group.trajectories.get(candidate.index));
            let rank = match candidate.rank {
                Some(rank) if candidate.tied => format!(" · rank {rank}="),
                Some(rank) => format!(" · rank {rank}"),
                None => String::new(),
            };
            let outcome = candidate.outcome.word();
            Chosen {
                index: candidate.index,
                letter: candidate.letter.clone(),
                id: trajectory.map_or_else(String::new, |t| t.id.to_string()),
                outcome,
                rank: candidate.rank,
                title: format!("{} {outcome}{rank} · {}", candidate.letter, candidate.name),
            }
        })
        .collect()
}

fn reference(texts: &OpenedGroup) -> Result<Chosen, CliError> {
    if texts.reference.is_none() {
        return Err(CliError::usage(
            "--reference: the group has no reference patch",
        ));
    }
    Ok(Chosen {
        index: texts.patches.len(),
        letter: REFERENCE.to_owned(),
        id: REFERENCE.to_owned(),
        outcome: REFERENCE,
        rank: None,
        title: "reference patch".to_owned(),
    })
}

fn options(args: &DiffArgs, count: usize) -> Result<PrintOptions, CliError> {
    let layout = if args.layout.interdiff {
        Layout::Interdiff
    } else if args.layout.own || args.side_by_side || (count < 2 && !args.layout.aligned) {
        Layout::Own
    } else {
        Layout::Aligned
    };
    Ok(PrintOptions {
        layout,
        width: args.width,
        colour: match args.color {
            ColourWhen::Auto => When::Auto,
            ColourWhen::Always => When::Always,
            ColourWhen::Never => When::Never,
        },
        theme: diff_theme(args.theme.as_deref(), &args.input.paths)?,
        some_files: !args.files.is_empty(),
        syntax: !args.no_syntax,
        wrap: !args.no_wrap,
        side_by_side: args.side_by_side,
        quiet_whitespace: args.whitespace == Whitespace::Ignore,
        context: args.context,
    })
}

fn failure(error: PrintError) -> CliError {
    match error {
        PrintError::Output(error) => error.into(),
        PrintError::Theme(_) => CliError::usage(error),
        PrintError::NotTwo(_) => {
            CliError::usage(error).hint("name them: --candidates A,B; or one and --reference")
        }
        PrintError::Narrow { .. } => CliError::usage(error)
            .hint("name fewer: --candidates A,B; or --width, or --own: one after the other"),
    }
}
