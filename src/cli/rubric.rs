//! `gagar rubric`: the codes that findings may have, as the configuration files give them.
//!
//! What is *not* here: the built-in codes ([`crate::domain::rubric`]).

use std::path::PathBuf;

use serde::Serialize;

use super::Ending;
use super::config::guide;
use super::error::CliError;
use super::inputs::check_paths;
use super::open::sanitize_line;
use super::output::Io;
use crate::domain::rubric::Code;

#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    version: &'a str,
    codes: &'a [Code],
    guidelines: Option<&'a str>,
}

/// Prints the rubric.
///
/// # Errors
/// A path does not exist, a configuration file cannot be used, or the output cannot be written.
pub fn run(paths: &[PathBuf], json: bool, io: &mut Io<'_>) -> Result<Ending, CliError> {
    check_paths(paths)?;
    let guide = guide(paths)?;
    let rubric = &guide.rubric;
    if json {
        io.json(&Line {
            schema: "gagar.rubric/1",
            version: &rubric.version,
            codes: &rubric.codes,
            guidelines: guide.file.as_deref(),
        })?;
        return Ok(Ending::Fine);
    }
    writeln!(io.out, "rubric {}", sanitize_line(&rubric.version))?;
    let codes = rubric.codes.iter().map(|code| code.code.chars().count());
    let width = codes.max().unwrap_or(0);
    for code in &rubric.codes {
        let (name, title) = (sanitize_line(&code.code), sanitize_line(&code.title));
        writeln!(io.out, "  {}  {name:<width$}  {title}", code.key)?;
    }
    if let Some(file) = &guide.file {
        writeln!(io.out, "guidelines {}", sanitize_line(file))?;
    }
    Ok(Ending::Fine)
}
