//! `gagar export`: one file, written whole or not at all, and recorded in the log.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::Ending;
use super::args::{ExportArgs, Source};
use super::error::CliError;
use super::inputs::{Whose, open, require_db};
use super::output::Io;
use crate::export::{self, Written, hex};
use crate::store::{EventBody, EventStore};

/// Writes one export.
///
/// # Errors
/// When the paths or the log cannot be read, or the file cannot be written; the file that stood
/// there before is then untouched.
pub fn run(args: &ExportArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let target = export::find(&args.what)
        .ok_or_else(|| CliError::usage(format!("no export {}", args.what)))?;
    refuse_inputs(args)?;
    let advantages = target.name() == "advantages";
    if !advantages || args.rows.source == Some(Source::Human) {
        require_db(&args.input.common.db)?;
    }
    let whose = if advantages && matches!(args.rows.source, None | Some(Source::Human)) {
        Whose::Known
    } else {
        Whose::User
    };
    let opened = open(&args.input, Source::of(args.rows.source), whose, io)?;
    let (mut session, mut store) = (opened.session, opened.store);
    let mut options = session.export_options();
    options.all = args.rows.all;
    options.export_id.clone_from(&args.rows.export_id);
    options.permute = args.permute;

    let to_stdout = args.output == Path::new("-");
    let (written, sha256) = if to_stdout {
        let mut out = Hashing {
            inner: &mut *io.out,
            hash: Sha256::new(),
        };
        let written = target.write(&session, &options, &mut out)?;
        (written, hex(&out.hash.finalize()))
    } else {
        write_whole(&args.output, |out| target.write(&session, &options, out))
            .map_err(|error| CliError::failed(format!("{}: {error}", args.output.display())))?
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

    let config = format!(
        "estimator={} scheme={} {} all={} permute={}",
        options.estimator, options.scheme, options.choices, options.all, options.permute
    );
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
        manifest.write(&args.output)?;
    }

    let mut problems = opened.problems || !written.problems.is_empty();
    // Without a log there is nothing to add to: a judgement creates it, never an export.
    if args.input.common.db.exists() {
        let event = session.note_event(EventBody::Export {
            format: target.name().to_owned(),
            options: config,
            sha256,
            rows: written.rows,
        });
        if let Err(error) = store.append(&[event]) {
            io.note(&format!("the export is written, but not recorded: {error}"))?;
            problems = true;
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
    fn write(&self, output: &Path) -> Result<(), CliError> {
        let mut name = output.as_os_str().to_owned();
        name.push(".manifest.json");
        let path = PathBuf::from(name);
        write_whole(&path, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        })
        .map_err(|error| CliError::failed(format!("{}: {error}", path.display())))?;
        Ok(())
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

/// An output that would overwrite the log or an input is a slip.
fn refuse_inputs(args: &ExportArgs) -> Result<(), CliError> {
    let Ok(output) = args.output.canonicalize() else {
        return Ok(());
    };
    if output.is_dir() {
        return Err(CliError::usage(format!(
            "-o {} is a folder",
            args.output.display()
        )));
    }
    let common = &args.input.common;
    let mut inputs = args
        .input
        .paths
        .iter()
        .chain(&common.rankings)
        .chain([&common.db]);
    match inputs.find(|path| path.canonicalize().is_ok_and(|path| path == output)) {
        Some(path) => Err(CliError::usage(format!(
            "-o would overwrite {}",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Writes to a file beside `path` and renames it, so that nobody sees half a file. Returns what
/// `write` returned and the SHA-256 of the bytes.
fn write_whole<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> io::Result<(T, String)> {
    // A link stays a link: the file it names is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if std::fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
        // A device or a pipe is written to, never replaced.
        let file = File::options().write(true).open(&path)?;
        let mut out = Hashing {
            inner: BufWriter::new(file),
            hash: Sha256::new(),
        };
        let result = write(&mut out)?;
        out.flush()?;
        return Ok((result, hex(&out.hash.finalize())));
    }
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.tmp", std::process::id()));
    let temporary = Temporary(path.with_file_name(beside));
    let file = File::create_new(&temporary.0)?;
    let mut out = Hashing {
        inner: BufWriter::new(file),
        hash: Sha256::new(),
    };
    let result = write(&mut out)?;
    let file = out
        .inner
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    std::fs::rename(&temporary.0, &path)?;
    Ok((result, hex(&out.hash.finalize())))
}

/// A file that is removed when it was not renamed.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Gone already when it was renamed; and a leftover does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Hashes what goes through.
struct Hashing<W> {
    inner: W,
    hash: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hash.update(bytes.get(..count).unwrap_or(bytes));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
