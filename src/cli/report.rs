//! `gagar report`: the audit as one file, and the rows behind it.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Ending;
use super::args::ReportArgs;
use super::config::scope_rules;
use super::error::CliError;
use super::inputs::{Whose, open};
use super::out_file::OutFile;
use super::output::Io;
use crate::audit::report::csv::CsvTable;
use crate::audit::report::{InputFile, Inputs, Report, html, markdown};
use crate::domain::counted;
use crate::export::hex;
use crate::formats::LoadedSet;
use crate::raters::Options;
use crate::review::{Event, RankingSource};
use crate::store::EventStore;

/// Writes the report.
///
/// # Errors
/// When the paths or the log cannot be read, or a file cannot be written.
pub fn run(args: &ReportArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let write = writer(&args.output)?;
    let out = OutFile::new(&args.output, &args.input)?;
    let common = &args.input.common;
    let rules = scope_rules(&args.input.paths)?;
    // The user's name is no part of the answer unless it was asked for.
    let source = match common.annotator {
        Some(_) => RankingSource::Counted,
        None => RankingSource::Grader,
    };
    let mut opened = open(&args.input, source, Whose::Likely, io)?;
    opened.count_blind_only(args.blind_only);
    let session = &opened.session;
    out.check(session.set())?;
    if !common.db().exists() {
        let db = common.db().display();
        io.note(&format!("note: {db}: no such database, no judgements"))?;
    }
    let events = opened.store.events_since(0)?;
    let chosen = args.which.chosen(session);
    let report = Report::of(&Inputs {
        session,
        chosen: &chosen,
        events: &events,
        files: &files(session.set()),
        version: env!("CARGO_PKG_VERSION"),
        options: options(args),
        date: date(args.date.as_deref(), &events),
        schemes: &common.scheme,
        agreement: Options {
            aggregate: args.aggregate,
            seed: args.seed,
            blind_only: args.blind_only,
        },
        rules: &rules,
        top: args.top,
    });
    let report = report.ok_or_else(|| CliError::failed("interrupted"))?;
    let text = write(&report.document);
    // Everything is looked at before anything is written.
    let tables = args
        .csv
        .as_deref()
        .map(|folder| table_files(folder, &report.rows, args, session.set()));
    let tables = tables.transpose()?.unwrap_or_default();
    out.write(None, |out| out.write_all(text.as_bytes()))?;
    for (out, table) in tables.iter().zip(&report.rows) {
        out.write(None, |out| out.write_all(table.text().as_bytes()))?;
    }
    io.note(&format!(
        "{}: {} kB, {}",
        args.output.display(),
        text.len().div_ceil(1000),
        counted(chosen.len(), "group", "groups")
    ))?;
    if let Some(folder) = &args.csv {
        let tables = counted(report.rows.len(), "table", "tables");
        io.note(&format!("{}: {tables}", folder.display()))?;
    }
    Ok(Ending::of(opened.problems))
}

/// What a file with this ending holds.
fn writer(
    output: &Path,
) -> Result<fn(&crate::audit::report::document::Document) -> String, CliError> {
    let ending = output.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("html" | "htm") => Ok(html::html),
        Some("md" | "markdown") => Ok(markdown::markdown),
        _ => Err(CliError::usage(format!(
            "{}: a report is .html or .md",
            output.display()
        ))),
    }
}

/// The files of the tables, in a folder that is made when it is not there.
fn table_files(
    folder: &Path,
    rows: &[CsvTable],
    args: &ReportArgs,
    set: &LoadedSet,
) -> Result<Vec<OutFile>, CliError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| CliError::failed(format!("{}: {error}", folder.display())))?;
    rows.iter()
        .map(|table| {
            let out = OutFile::new(&folder.join(format!("{}.csv", table.name)), &args.input)?;
            out.check(set)?;
            Ok(out)
        })
        .collect()
}

fn options(args: &ReportArgs) -> Vec<(String, String)> {
    let common = &args.input.common;
    let list = |paths: &[PathBuf]| {
        let paths = paths.iter().map(|path| path.display().to_string());
        paths.collect::<Vec<_>>().join(" ")
    };
    let mut options = vec![("paths", list(&args.input.paths))];
    if !common.rankings.is_empty() {
        options.push(("rankings", list(&common.rankings)));
    }
    options.push(("judgements", common.db().display().to_string()));
    if let Some(filter) = &args.which.filter {
        options.push(("filter", filter.text().to_owned()));
    }
    options.push(("pass at", common.pass_at.to_string()));
    if common.unscored_as_fail {
        options.push(("unscored", "count as failing".to_owned()));
    }
    if let Some(map) = &common.map {
        options.push(("map", map.clone()));
    }
    if args.blind_only {
        let which = "only those submitted blind, before the reveal";
        options.push(("rankings of people", which.to_owned()));
    }
    let ranked_by = match &common.annotator {
        Some(name) => format!("those that {name} submitted, else the grader's"),
        None => "the grader's".to_owned(),
    };
    options.push(("rankings behind the schemes", ranked_by));
    let options = options.into_iter();
    options
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The date that the report bears: the one given, else that of the newest event, so that the same
/// input gives the same report.
fn date(given: Option<&str>, events: &[Event]) -> (String, String) {
    if let Some(given) = given {
        return (given.to_owned(), "as given".to_owned());
    }
    let newest = events.iter().map(|event| event.at_ms).max();
    let newest = newest.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    match newest {
        Some(newest) => (
            newest.to_string(),
            "of the newest event of the log".to_owned(),
        ),
        None => (
            "unknown".to_owned(),
            "the log holds no event; --date names one".to_owned(),
        ),
    }
}

fn files(set: &LoadedSet) -> Vec<InputFile> {
    // What stands beside the rollouts and holds no record is no input of the figures.
    let made = set.made.iter().filter(|file| file.is_told());
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    for file in made {
        // A member of an archive is told by the archive, once.
        let archive = file.path.ancestors().skip(1).find(|above| above.is_file());
        let (path, bytes) = match archive {
            Some(archive) => {
                let bytes = std::fs::metadata(archive).map_or(0, |found| found.len());
                (archive, bytes)
            }
            None => (file.path.as_path(), file.bytes),
        };
        if seen.insert(path) {
            files.push(InputFile {
                path: path.display().to_string(),
                bytes,
                sha256: hash(path).map_err(|error| error.to_string()),
            });
        }
    }
    files
}

/// SHA-256 of a file, read piece by piece.
fn hash(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hex(&hash.finalize())),
            read => hash.update(piece.get(..read).unwrap_or_default()),
        }
    }
}
