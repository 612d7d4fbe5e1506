//! The headless face: arguments, dispatch, exit codes.
//!
//! Each command is one file. What is *not* here: what a change of a ranking means
//! ([`crate::review`]), what an export holds ([`crate::export`]).

mod advantages;
mod agreement;
mod annotator;
mod args;
mod assign;
mod backup;
mod check;
mod config;
mod convert;
mod diff;
mod doctor;
mod error;
mod events;
mod export;
mod formats;
mod gold;
mod groups;
mod inputs;
mod log;
mod made;
mod merge;
mod open;
mod out_file;
mod output;
mod progress;
mod rank;
mod report;
mod rubric;
mod schedules;
mod scope;
mod screenshot;
mod whole_file;

use std::ffi::OsString;

use clap::{ArgMatches, CommandFactory, FromArgMatches};

pub use args::Cli;
pub use error::{CliError, ErrorKind};
pub use output::{Io, visible};

use crate::domain::Scheme;
use args::Command;

/// How a command ended that could do its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing to report (exit code 0).
    Fine,
    /// Done, with problems reported (exit code 1).
    Problems,
    /// The command line was wrong and that was told already (exit code 2).
    Usage,
}

impl Ending {
    /// The ending of a command that did or did not report problems.
    #[must_use]
    pub fn of(problems: bool) -> Self {
        if problems { Self::Problems } else { Self::Fine }
    }

    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Problems => 1,
            Self::Usage => 2,
        }
    }
}

/// Runs one command line.
///
/// # Errors
/// Why the command could not do its work.
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let parsed = Cli::command()
        .try_get_matches_from(args)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let cli = match parsed {
        Ok((cli, matches)) => {
            refuse_several_schemes(&matches)?;
            cli
        }
        Err(error) => return tell_usage(&error, io),
    };
    match &cli.command {
        None => open::run(&cli),
        Some(Command::Groups { input, which, json }) => groups::run(input, which, *json, io),
        Some(Command::Check { input, json }) => check::run(input, *json, io),
        Some(Command::Advantages(args)) => advantages::run(args, io),
        Some(Command::Rank(args)) => rank::run(args, io),
        Some(Command::Export(args)) => export::run(args, io),
        Some(Command::Assign(args)) => assign::run(args, io),
        Some(Command::Gold(args)) => gold::run(args, io),
        Some(Command::Log(args)) => log::run(args, io),
        Some(Command::Merge(args)) => merge::run(args, io),
        Some(Command::Import(args)) => events::import(args, io),
        Some(Command::Backup(args)) => backup::run(args, io),
        Some(Command::Convert(args)) => convert::run(args, io),
        Some(Command::Diff(args)) => diff::run(args, io),
        Some(Command::Report(args)) => report::run(args, io),
        Some(Command::Schedules(args)) => schedules::run(args, io),
        Some(Command::Scope(args)) => scope::run(args, io),
        Some(Command::Screenshot(args)) => screenshot::run(args, io),
        Some(Command::Agreement(args)) => agreement::run(args, io),
        Some(Command::Formats { json }) => formats::run(*json, io),
        Some(Command::Rubric { paths, json }) => rubric::run(paths, *json, io),
        Some(Command::Keys { keys }) => {
            let table = open::key_table(keys.as_deref())?;
            io.out.write_all(table.as_bytes())?;
            Ok(Ending::Fine)
        }
        Some(Command::Completions { shell }) => {
            // Into memory first: the generator panics when it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "gagar", &mut script);
            io.out.write_all(&script)?;
            Ok(Ending::Fine)
        }
        Some(Command::Doctor {
            paths,
            common,
            screen,
        }) => doctor::run(paths, common, screen, io),
    }
}

/// Refuses a second `--scheme` where one is used: it would be dropped silently.
fn refuse_several_schemes(matches: &ArgMatches) -> Result<(), CliError> {
    let (name, matches) = matches.subcommand().unwrap_or(("", matches));
    let given = matches.try_get_many::<Scheme>("scheme").ok().flatten();
    if given.is_some_and(|given| given.len() > 1) && !["schedules", "report"].contains(&name) {
        return Err(CliError::usage("--scheme is given more than once")
            .hint("`gagar schedules` and `gagar report` compare several"));
    }
    Ok(())
}

/// Help and version go to stdout, wrong usage to stderr, as clap prints them.
fn tell_usage(error: &clap::Error, io: &mut Io<'_>) -> Result<Ending, CliError> {
    if error.exit_code() == 0 {
        error.print()?;
        return Ok(Ending::Fine);
    }
    // The message quotes what was typed, which a script may have taken from a rollout.
    for line in error.render().to_string().lines() {
        io.note(line)?;
    }
    Ok(Ending::Usage)
}
