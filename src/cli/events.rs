//! `gagar export events` and `gagar import events`: the event log as lines of text and back.
//!
//! What is *not* here: what a line holds ([`crate::store::jsonl`]).

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::Ending;
use super::args::{EVENTS, ExportArgs, db_or_default};
use super::error::CliError;
use super::inputs::require_db;
use super::merge::now_ms;
use super::out_file::OutFile;
use super::output::Io;
use crate::domain::counted;
use crate::store::jsonl::{self, JsonlError, ReadLog};
use crate::store::{Damage, Log, SqliteStore, StoreError, order};

/// Examples at the end of `gagar import --help`.
const IMPORT_EXAMPLES: &str = "\
Examples:
  gagar export events --db ada.db -o ada.jsonl     lines of text, for git or a bucket
  gagar import events ada.jsonl --db all.db        into another database
  gagar export events --db ada.db -o - | ssh host gagar import events - --db all.db

Each line is a gagar.event/1 object with \"row\": event (every column; body is the JSON text that the
hash covers), group (the group as it was seen) or annotator (a name shown). Importing again adds
nothing. With --json one object: events, new, known.";

/// Arguments of `gagar import`.
#[derive(Debug, Args)]
#[command(after_help = IMPORT_EXAMPLES)]
pub struct ImportArgs {
    /// What the lines hold.
    #[arg(value_name = "WHAT", value_parser = [EVENTS])]
    pub what: String,
    /// The file to read; - for stdin.
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The database to add to; made when it is not there [default: gagar.db].
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Print what was done as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Writes every event of the database.
///
/// # Errors
/// When the database cannot be read or is damaged, or the file cannot be written.
pub fn export(args: &ExportArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    if !args.input.paths.is_empty() || args.which.filter.is_some() {
        return Err(CliError::usage(format!(
            "`gagar export {EVENTS}` writes the whole log of --db: it takes no PATH and no --filter"
        )));
    }
    let db = args.input.common.db();
    require_db(db)?;
    let out = OutFile::new(&args.output, &args.input)?;
    let mut log = SqliteStore::reading(db).log()?;
    let broken = log.broken_chains(|_, _| None);
    if let Some(first) = broken.first() {
        return Err(
            CliError::failed(format!("{}: {first}; nothing was written", db.display()))
                .hint("`gagar merge --skip-damaged` takes what stands before it"),
        );
    }
    put_in_order(&mut log);
    if args.output == Path::new("-") {
        let mut out = BufWriter::new(&mut *io.out);
        jsonl::write(&log, &mut out)?;
        out.flush()?;
        return Ok(Ending::Fine);
    }
    out.write(None, |out| jsonl::write(&log, out))?;
    io.note(&format!(
        "{}: {}, {}",
        args.output.display(),
        counted(log.events.len(), "event", "events"),
        counted(log.groups.len(), "group as seen", "groups as seen")
    ))?;
    Ok(Ending::Fine)
}

/// Puts the events in the order in which they are folded: a log that grew gives lines that grew.
fn put_in_order(log: &mut Log) {
    let events = log.events.iter().map(|stored| stored.event.clone());
    let places: std::collections::HashMap<String, usize> = order::in_order(events.collect())
        .into_iter()
        .enumerate()
        .map(|(place, event)| (event.event_id, place))
        .collect();
    log.events
        .sort_by_key(|stored| places.get(&stored.event.event_id).copied());
}

#[derive(Serialize)]
struct Imported {
    events: u64,
    new: u64,
    known: u64,
}

/// Adds the events of the lines to the database; all of them or none.
///
/// # Errors
/// When a line is no event or not what was written, events are missing before one, the database
/// holds other events in their place, or cannot be written.
pub fn import(args: &ImportArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let named = args.input.display();
    let failed = |error: JsonlError| {
        CliError::failed(format!("{named}: {error}")).hint("nothing was imported")
    };
    let read = if args.input == Path::new("-") {
        jsonl::read(io::stdin().lock()).map_err(failed)?
    } else {
        let file = File::open(&args.input)
            .map_err(JsonlError::from)
            .map_err(failed)?;
        jsonl::read(BufReader::new(file)).map_err(failed)?
    };
    let ReadLog { log, lines } = read;
    let mut store = SqliteStore::at(db_or_default(args.db.as_deref()));
    store.verify()?;
    let absorbed = store
        .absorb([Ok::<_, StoreError>(log)], Damage::Refuse, now_ms())
        .map_err(|error| match &error {
            StoreError::Broken(place, _) | StoreError::Conflict(place) => {
                match lines.get(&place.event_id) {
                    Some(line) => CliError::failed(format!("{named}: line {line}: {error}"))
                        .hint("nothing was imported"),
                    None => error.into(),
                }
            }
            _ => error.into(),
        })?;
    let Some(absorbed) = absorbed.first() else {
        return Ok(Ending::Fine);
    };
    let imported = Imported {
        events: absorbed.events,
        new: absorbed.added.new,
        known: absorbed.added.known,
    };
    if args.json {
        io.json(&imported)?;
    } else {
        io.line(&format!(
            "{}: {}: {} new, {} known",
            store.path().display(),
            counted(imported.events as usize, "event", "events"),
            imported.new,
            imported.known
        ))?;
    }
    Ok(Ending::Fine)
}
