//! `gagar merge`: the judgements of several databases in one.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::Ending;
use super::error::CliError;
use super::inputs::{refuse_stdout, require_db};
use super::output::Io;
use crate::domain::counted;
use crate::store::{Absorbed, BrokenChain, Damage, EventStore, SqliteStore, StoreError};

/// Examples at the end of `gagar merge --help`.
const MERGE_EXAMPLES: &str = "\
Examples:
  gagar merge ada.db bob.db -o all.db          the judgements of both
  gagar merge carl.db -o all.db                and of a third person
  gagar merge ada.db bob.db -o all.db --json   what was new, for a script
  gagar runs --db all.db                       review with all of them

Every event is kept once, whichever order the files are given in; merging again adds nothing. The
hash chain of each file is checked first. With --json one object: output, events (in it now) and
inputs: path, events, new, known, skipped, broken (store_id, seq, event_id, annotator, reason).";

/// Arguments of `gagar merge`.
#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub struct MergeArgs {
    /// Databases to read; they stay as they are and may be in use.
    #[arg(value_name = "DB", required = true)]
    pub inputs: Vec<PathBuf>,
    /// The database to add to; made when it is not there.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Of a chain with an event that is not what was written, take the events before it.
    #[arg(long)]
    pub skip_damaged: bool,
    /// Print what was done as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    output: String,
    /// In the output now.
    events: usize,
    /// By annotator, in the output now.
    annotators: BTreeMap<&'a str, usize>,
    inputs: Vec<InputReport<'a>>,
}

#[derive(Serialize)]
struct InputReport<'a> {
    path: String,
    events: u64,
    new: u64,
    known: u64,
    skipped: u64,
    broken: Vec<BrokenReport<'a>>,
}

#[derive(Serialize)]
struct BrokenReport<'a> {
    store_id: &'a str,
    seq: u64,
    event_id: &'a str,
    annotator: &'a str,
    reason: &'a str,
}

impl<'a> From<&'a BrokenChain> for BrokenReport<'a> {
    fn from(broken: &'a BrokenChain) -> Self {
        Self {
            store_id: &broken.store_id,
            seq: broken.seq,
            event_id: &broken.event_id,
            annotator: &broken.annotator,
            reason: &broken.reason,
        }
    }
}

/// Merges; everything or nothing.
///
/// # Errors
/// When a database cannot be read, a chain is broken (unless such ones are skipped), two databases
/// contradict each other, or the output cannot be written.
pub fn run(args: &MergeArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    refuse_stdout(&args.output)?;
    for input in &args.inputs {
        require_db(input)?;
    }
    let mut output = SqliteStore::at(&args.output);
    output.verify()?;
    let at = Cell::new(0);
    let logs = args.inputs.iter().enumerate().map(|(place, input)| {
        at.set(place);
        SqliteStore::reading(input).log().map_err(CliError::from)
    });
    let damage = match args.skip_damaged {
        true => Damage::Skip,
        false => Damage::Refuse,
    };
    let absorbed = output
        .absorb(logs.map(|log| log.map_err(Failure::Read)), damage, now_ms())
        .map_err(|failure| tell(failure, args.inputs.get(at.get()).map(AsRef::as_ref)))?;
    let events = output.events_since(0)?;
    let mut annotators = BTreeMap::new();
    for event in &events {
        *annotators.entry(event.annotator.as_str()).or_default() += 1;
    }
    let problems = absorbed.iter().any(|answer| !answer.broken.is_empty());
    if args.json {
        let inputs = args.inputs.iter().zip(&absorbed);
        io.json(&Report {
            output: args.output.display().to_string(),
            events: events.len(),
            annotators,
            inputs: inputs.map(|(path, answer)| report(path, answer)).collect(),
        })?;
        return Ok(Ending::of(problems));
    }
    for (path, answer) in args.inputs.iter().zip(&absorbed) {
        let path = path.display();
        for broken in &answer.broken {
            io.note(&format!("problem: {path}: {broken}"))?;
        }
        let skipped = match answer.skipped {
            0 => String::new(),
            count => format!(", {count} left out: damaged, or after a damaged one"),
        };
        let (new, known) = (answer.added.new, answer.added.known);
        io.line(&format!(
            "{path}: {}: {new} new, {known} known{skipped}",
            counted(answer.events as usize, "event", "events")
        ))?;
    }
    let people: Vec<_> = annotators
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    io.line(&format!(
        "{}: {} ({})",
        args.output.display(),
        counted(events.len(), "event", "events"),
        people.join(", ")
    ))?;
    Ok(Ending::of(problems))
}

fn report<'a>(path: &Path, answer: &'a Absorbed) -> InputReport<'a> {
    InputReport {
        path: path.display().to_string(),
        events: answer.events,
        new: answer.added.new,
        known: answer.added.known,
        skipped: answer.skipped,
        broken: answer.broken.iter().map(BrokenReport::from).collect(),
    }
}

/// Why a merge failed.
enum Failure {
    /// An input could not be read; says which.
    Read(CliError),
    /// The rest.
    Store(StoreError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn tell(failure: Failure, input: Option<&Path>) -> CliError {
    let input = input.unwrap_or(Path::new("")).display();
    match failure {
        Failure::Read(error) => error,
        Failure::Store(error @ StoreError::Broken(..)) => CliError::failed(format!(
            "{input}: {error}; nothing was merged"
        ))
        .hint(
            "--skip-damaged takes the events of that store before it; a backup may have the rest",
        ),
        Failure::Store(error @ (StoreError::Conflict(_) | StoreError::OtherGroup { .. })) => {
            CliError::failed(format!("{input}: {error}; nothing was merged"))
        }
        Failure::Store(error) => error.into(),
    }
}

/// The time that is written into a database that is made here.
pub fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
