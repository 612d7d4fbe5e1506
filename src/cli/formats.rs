//! `gagar formats`: what can be read, from the table that the reader itself goes through.

use serde::Serialize;

use super::Ending;
use super::error::CliError;
use super::output::Io;
use crate::formats::FORMATS;
use crate::formats::listing::{self, CONTAINERS};

#[derive(Serialize)]
struct Line<'a> {
    kind: &'static str,
    name: &'a str,
    doc: &'a str,
    group: &'a str,
    rollout: &'a str,
    reward: &'a str,
    patch: &'a str,
}

#[derive(Serialize)]
struct ContainerLine<'a> {
    kind: &'static str,
    name: &'a str,
    doc: &'a str,
}

/// Lists the formats and the containers.
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
            kind: "format",
            name: format.name,
            doc: format.doc,
            group: format.group,
            rollout: format.rollout,
            reward: format.reward,
            patch: format.patch,
        })?;
    }
    for container in CONTAINERS {
        io.json(&ContainerLine {
            kind: "container",
            name: container.name,
            doc: container.doc,
        })?;
    }
    Ok(Ending::Fine)
}
