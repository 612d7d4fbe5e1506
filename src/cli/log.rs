//! `gagar log`: who judged what, when, before and after.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::Ending;
use super::args::Common;
use super::error::CliError;
use super::inputs::{load_set, require_db, tell_problems};
use super::output::Io;
use crate::review::{Event, history};
use crate::store::{EventStore, SqliteStore};

/// Examples at the end of `gagar log --help`.
const EXAMPLES: &str = "\
Examples:
  gagar log --db gagar.db                          everything, oldest first
  gagar log --group django-1234 --annotator ada    what ada did in one group
  gagar log runs --since 2026-11-30                of the groups in these files, from that day on
  gagar log --json | jq 'select(.kind==\"rank.submit\")'

Focused time is summed up; under a second it is left out. Times are local; with --json they are RFC 3339 in UTC. An event that was undone afterwards says so.";

/// Arguments of `gagar log`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LogArgs {
    /// Only groups of these files and folders; may be left out.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Which database; --annotator tells only what that person did.
    #[command(flatten)]
    pub common: Common,
    /// Only this group.
    #[arg(long, value_name = "GROUP")]
    pub group: Option<String>,
    /// Only from this time on: 2026-11-30, 2026-11-30T14:00 (local) or with a zone (…Z, …+02:00).
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    pub since: Option<Timestamp>,
    /// One JSON object an event.
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    at: String,
    annotator: &'a str,
    group_id: Option<&'a str>,
    kind: &'a str,
    what: &'a str,
    before: Option<&'a str>,
    after: Option<&'a str>,
    undone: bool,
    event_id: &'a str,
}

/// Prints the log.
///
/// # Errors
/// The paths or the database cannot be read, or the output cannot be written.
pub fn run(args: &LogArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    require_db(args.common.db())?;
    let events = SqliteStore::at(args.common.db()).events_since(0)?;
    let unknown = unknown(args, &events);
    let mut problems = false;
    let mut groups: Option<BTreeSet<String>> = None;
    if !args.paths.is_empty() {
        let set = load_set(&args.paths, &args.common)?;
        problems = tell_problems(&set, io)?;
        let ids = set.groups.iter().map(|group| group.id.as_str().to_owned());
        groups = Some(ids.collect());
    }
    let is_wanted = |event: &&Event| {
        let group = event.group_id.as_deref();
        let named = args
            .group
            .as_deref()
            .is_none_or(|wanted| group == Some(wanted));
        let loaded = groups
            .as_ref()
            .is_none_or(|ids| group.is_some_and(|group| ids.contains(group)));
        named && loaded
    };
    // What was undone, and what a submission changed, may lie outside the part that is asked for.
    let events: Vec<&Event> = events.iter().filter(is_wanted).collect();
    let entries = history(&events, &|_, id| id.to_owned());
    let since = args.since.map(Timestamp::as_millisecond);
    let by = args.common.annotator.as_deref();
    let entries = entries.iter().filter(|entry| {
        since.is_none_or(|since| entry.at_ms >= since)
            && by.is_none_or(|name| entry.annotator == name)
    });
    let zone = TimeZone::system();
    let mut none = true;
    for entry in entries {
        none = false;
        let at = Timestamp::from_millisecond(entry.at_ms).unwrap_or_default();
        if args.json {
            io.json(&Line {
                at: at.to_string(),
                annotator: &entry.annotator,
                group_id: entry.group_id.as_deref(),
                kind: &entry.kind,
                what: &entry.what,
                before: entry.before.as_deref(),
                after: entry.after.as_deref(),
                undone: entry.undone,
                event_id: &entry.event_id,
            })?;
        } else {
            let at = at
                .to_zoned_datetime(zone.clone())
                .strftime("%Y-%m-%d %H:%M:%S");
            let group = entry.group_id.as_deref().unwrap_or("-");
            io.line(&format!(
                "{at}  {}  {group}  {}",
                entry.annotator,
                entry.line()
            ))?;
        }
    }
    if none {
        io.note("nothing is recorded")?;
        for missing in unknown {
            io.note(&format!("note: {missing}"))?;
        }
    }
    Ok(Ending::of(problems))
}

/// What is asked for and is nowhere in the log: a slip, probably.
fn unknown(args: &LogArgs, events: &[Event]) -> Vec<String> {
    let db = args.common.db().display();
    let group = args.group.as_deref().filter(|wanted| {
        let mut groups = events.iter().filter_map(|event| event.group_id.as_deref());
        !groups.any(|group| group == *wanted)
    });
    let annotator = args.common.annotator.as_deref();
    let annotator = annotator.filter(|name| !events.iter().any(|event| event.annotator == *name));
    let group = group.map(|group| format!("{db} knows no group {group}"));
    let annotator = annotator.map(|name| format!("{db} knows no annotator {name}"));
    group.into_iter().chain(annotator).collect()
}

fn parse_since(text: &str) -> Result<Timestamp, String> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    let local: DateTime = text.parse().map_err(|_| {
        format!("“{text}” is no time like 2026-11-30, 2026-11-30T14:00 or 2026-11-30T14:00Z")
    })?;
    let zoned = local.to_zoned_datetime(TimeZone::system());
    zoned
        .map(|zoned| zoned.timestamp())
        .map_err(|error| error.to_string())
}
