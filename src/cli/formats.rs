//! `gagar formats`: what can be read, from the table that the reader itself goes through.

use serde::Serialize;

use super::Ending;
use super::error::CliError;
use super::output::Io;
use crate::formats::{FORMATS, listing};

#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    doc: &'a str,
    group: &'a str,
    rollout: &'a str,
    reward: &'a str,
    patch: &'a str,
}

/// Lists the formats.
///
/// # Errors
/// When the output cannot be written.
pub fn run(json: bool, io: &mut Io<'_>) -> Result<Ending, CliError> {
    if !json {
        io.out.write_all(listing::text().as_bytes())?;
        return Ok(Ending::Fine);
    }
    for format in FORMATS {
        io.json(&Line {
            name: format.name,
            doc: format.doc,
            group: format.group,
            rollout: format.rollout,
            reward: format.reward,
            patch: format.patch,
        })?;
    }
    Ok(Ending::Fine)
}
