//! `gagar backup`: a whole, checked copy of the database while it is in use.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::Ending;
use super::args::db_or_default;
use super::error::CliError;
use super::inputs::{refuse_stdout, require_db};
use super::output::Io;
use crate::store::SqliteStore;

/// Arguments of `gagar backup`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gagar backup --db gagar.db -o gagar-monday.db
  gagar backup -o /mnt/copies/gagar.db --force

A copy of the file alone may lack the latest judgements while a gagar has it open; this one does not.")]
pub struct BackupArgs {
    /// The database to copy [default: gagar.db].
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace the file when it exists.
    #[arg(long)]
    pub force: bool,
    /// Print what was done as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Backup {
    output: String,
    events: u64,
    schema: i64,
}

/// Copies the database.
///
/// # Errors
/// When there is none or it is damaged, or the copy exists already or cannot be written.
pub fn run(args: &BackupArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let db = db_or_default(args.db.as_deref());
    require_db(db)?;
    let output = args.output.display();
    refuse_stdout(&args.output)?;
    if let (Ok(from), Ok(to)) = (db.canonicalize(), args.output.canonicalize())
        && from == to
    {
        return Err(CliError::usage(format!(
            "-o {output} is the database itself"
        )));
    }
    if args.output.exists() && !args.force {
        return Err(CliError::usage(format!("{output} exists already")).hint("--force replaces it"));
    }
    let copied = SqliteStore::reading(db).copy_to(&args.output)?;
    let backup = Backup {
        output: output.to_string(),
        events: copied.events,
        schema: copied.schema,
    };
    if args.json {
        io.json(&backup)?;
    } else {
        io.line(&format!("{output}: {} events, whole", backup.events))?;
    }
    Ok(Ending::Fine)
}
