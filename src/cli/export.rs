//! `gagar export`: one file, written whole or not at all, and recorded in the log.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Ending;
use super::args::{EVENTS, ExportArgs, Source};
use super::error::CliError;
use super::inputs::{Whose, open, require_db};
use super::out_file::OutFile;
use super::output::Io;
use super::whole_file::Hashing;
use crate::export::{self, ExportSource, Written};
use crate::store::{EventBody, EventStore};

/// Writes one export.
///
/// # Errors
/// When the paths or the log cannot be read, or the file cannot be written; the file that stood
/// there before is then untouched.
pub fn run(args: &ExportArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    if args.what == EVENTS {
        return super::events::export(args, io);
    }
    let target = export::find(&args.what)
        .ok_or_else(|| CliError::usage(format!("no export {}", args.what)))?;
    let out = OutFile::new(&args.output, &args.input)?;
    if let Some(reason) = args.rows.contradiction() {
        return Err(CliError::usage(reason));
    }
    let whose_ranking = args.rows.whose();
    let advantages = target.name() == "advantages";
    if !advantages || matches!(whose_ranking, Some(Source::Human | Source::Consensus)) {
        require_db(args.input.common.db())?;
    }
    let whose = if advantages && matches!(whose_ranking, None | Some(Source::Human)) {
        Whose::Known
    } else {
        Whose::User
    };
    let mut opened = open(&args.input, Source::of(whose_ranking), whose, io)?;
    opened.count_blind_only(args.rows.blind_only);
    let (mut session, mut store) = (opened.session, opened.store);
    let to_stdout = args.output == Path::new("-");
    let beside = OutFile::new(&Manifest::path(&args.output), &args.input)?;
    if !to_stdout {
        out.check(session.set())?;
        beside.check(session.set())?;
    }
    let mut options = session.export_options();
    options.all = args.rows.all;
    options.export_id.clone_from(&args.rows.export_id);
    options.permute = args.permute;
    options.grader_findings = args.grader;
    options.reason_from_findings = args.reason_from_findings;

    let selection = args.which.selection(&session);
    let source = selection
        .as_ref()
        .map_or(&session as &dyn ExportSource, |selection| selection);
    let (written, sha256) = if to_stdout {
        let mut out = Hashing::new(&mut *io.out);
        let written = target.write(source, &options, &mut out)?;
        (written, out.hex())
    } else {
        out.write(Some(session.set()), |out| {
            target.write(source, &options, out)
        })?
    };
    tell(&written, io)?;
    let rows = if written.rows == 1 { "row" } else { "rows" };
    if !to_stdout {
        io.note(&format!(
            "{}: {} {rows}",
            args.output.display(),
            written.rows
        ))?;
    }

    let mut config = format!(
        "estimator={} scheme={} {} all={} permute={}",
        options.estimator, options.scheme, options.choices, options.all, options.permute
    );
    for (is_set, option) in [
        (args.grader, "grader"),
        (args.reason_from_findings, "reason_from_findings"),
    ] {
        if is_set {
            config.push_str(&format!(" {option}=true"));
        }
    }
    if let Some(filter) = &args.which.filter {
        config.push_str(&format!(" filter={}", filter.text()));
    }
    if let Some(export_id) = written
        .export_id
        .as_ref()
        .filter(|_| !to_stdout && args.output.is_file())
    {
        let manifest = Manifest {
            export_id,
            tool: export::TOOL,
            config: &config,
            groups: written.groups,
            rows: written.rows,
            sha256: &sha256,
        };
        manifest.write(&beside)?;
    }

    let mut problems = opened.problems || !written.problems.is_empty();
    // Without a log there is nothing to add to: a judgement creates it, never an export.
    if args.input.common.db().exists() {
        let event = session.note_event(EventBody::Export {
            format: target.name().to_owned(),
            options: config,
            sha256,
            rows: written.rows,
        });
        let (who, db) = (event.annotator.clone(), args.input.common.db().display());
        match store.append(&[event]) {
            Ok(_) => io.note(&format!("recorded in {db} as an export by {who}"))?,
            Err(error) => {
                io.note(&format!("the export is written, but not recorded: {error}"))?;
                problems = true;
            }
        }
    }
    Ok(Ending::of(problems))
}

/// What stands beside a file for trainers, as `FILE.manifest.json` (`grader-and-scope.md` 5.3).
#[derive(Serialize)]
struct Manifest<'a> {
    export_id: &'a str,
    tool: &'a str,
    config: &'a str,
    groups: u64,
    rows: u64,
    sha256: &'a str,
}

impl Manifest<'_> {
    fn path(output: &Path) -> PathBuf {
        let mut name = output.as_os_str().to_owned();
        name.push(".manifest.json");
        PathBuf::from(name)
    }

    fn write(&self, out: &OutFile) -> Result<(), CliError> {
        let write = |out: &mut dyn io::Write| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        };
        out.write(None, write).map(|_| ())
    }
}

/// Tells what was left out.
///
/// # Errors
/// When stderr cannot be written.
pub fn tell(written: &Written, io: &mut Io<'_>) -> io::Result<()> {
    for note in &written.notes {
        io.note(&format!("note: {note}"))?;
    }
    for problem in &written.problems {
        io.note(&format!("problem: {problem}"))?;
    }
    Ok(())
}
