//! `gagar diff --json`: the patches on their base as JSON lines, for scripts.
//!
//! Lines are told apart by `kind`: one `group`, then per file one `file`, its `row`s and its
//! `region`s. Candidates are named by their letters.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Chosen;
use crate::cli::error::CliError;
use crate::cli::open::OnBase;
use crate::cli::output::Io;
use crate::diff::{Aligned, AlignedFile, AlignedRow, Cell, Consensus};

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line<'a> {
    Group {
        group_id: &'a str,
        files: usize,
        candidates: Vec<Candidate<'a>>,
    },
    File {
        path: &'a str,
        rows: usize,
        base_known: bool,
        contradictions: usize,
        candidates: BTreeMap<&'a str, Counts>,
    },
    Row {
        row: usize,
        #[serde(flatten)]
        place: Place<'a>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        cells: BTreeMap<&'a str, Change<'a>>,
    },
    Region {
        rows: (usize, usize),
        base: (u32, u32),
        passing: usize,
        of_passing: usize,
        results: BTreeMap<&'a str, u32>,
    },
}

#[derive(Serialize)]
struct Candidate<'a> {
    letter: &'a str,
    trajectory_id: &'a str,
    outcome: &'static str,
    rank: Option<usize>,
}

#[derive(Serialize)]
struct Counts {
    added: u32,
    removed: u32,
    no_lines: bool,
}

/// Where a row stands. Base lines are 1-based.
#[derive(Serialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Place<'a> {
    Line {
        base: u32,
        text: Option<&'a str>,
    },
    Inserted {
        after: u32,
    },
    Gap {
        from: u32,
        to: Option<u32>,
        known: bool,
    },
}

#[derive(Serialize)]
struct Change<'a> {
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

/// Prints the lines.
///
/// # Errors
/// When the output cannot be written.
pub fn print(
    (group_id, on_base): (&str, &OnBase),
    files: &[usize],
    chosen: &[Chosen],
    io: &mut Io<'_>,
) -> Result<(), CliError> {
    let (aligned, consensus): (&Aligned, _) = (&on_base.aligned, &on_base.consensus);
    io.json(&Line::Group {
        group_id,
        files: files.len(),
        candidates: chosen
            .iter()
            .map(|candidate| Candidate {
                letter: &candidate.letter,
                trajectory_id: &candidate.id,
                outcome: candidate.outcome,
                rank: candidate.rank,
            })
            .collect(),
    })?;
    for (index, file) in files
        .iter()
        .filter_map(|&i| Some((i, aligned.files.get(i)?)))
    {
        print_file((index, file), (aligned, consensus), chosen, io)?;
    }
    Ok(())
}

fn print_file(
    (index, file): (usize, &AlignedFile),
    (aligned, consensus): (&Aligned, &Consensus),
    chosen: &[Chosen],
    io: &mut Io<'_>,
) -> Result<(), CliError> {
    let counts = |candidate: &Chosen| {
        let found = file.file_of(candidate.index)?;
        Some(Counts {
            added: found.added,
            removed: found.removed,
            no_lines: found.opaque,
        })
    };
    io.json(&Line::File {
        path: &file.path,
        rows: file.len(),
        base_known: file.base.is_some(),
        contradictions: file.contradictions.len(),
        candidates: named(chosen, counts),
    })?;
    for (row, &at) in file.rows().iter().enumerate() {
        let place = match at {
            AlignedRow::Line { base } => Place::Line {
                base,
                text: aligned.base_of_row(index, row).map(|line| line.text),
            },
            AlignedRow::Inserted { after } => Place::Inserted { after },
            AlignedRow::Gap { from, to, known } => Place::Gap { from, to, known },
        };
        let cells = match at {
            AlignedRow::Gap { .. } => BTreeMap::new(),
            _ => named(chosen, |candidate| {
                change(aligned, (index, file), row, candidate.index)
            }),
        };
        io.json(&Line::Row { row, place, cells })?;
    }
    for region in &file.regions {
        io.json(&Line::Region {
            rows: (region.rows.start, region.rows.end),
            base: region.base,
            passing: consensus.share(region).touching,
            of_passing: consensus.share(region).passing,
            results: named(chosen, |candidate| {
                let touched = region.is_touched_by(candidate.index);
                touched.then(|| region.result_of(candidate.index))
            }),
        })?;
    }
    Ok(())
}

/// What a candidate does in a row; nothing where its patch is silent.
fn change<'a>(
    aligned: &'a Aligned,
    (index, file): (usize, &AlignedFile),
    row: usize,
    candidate: usize,
) -> Option<Change<'a>> {
    let (what, hunk, line) = match file.cell(row, candidate) {
        Cell::Context { hunk, line } => ("context", hunk, line),
        Cell::Removed { hunk, line } => ("removed", hunk, line),
        Cell::Added { hunk, line } => ("added", hunk, line),
        Cell::Untouched | Cell::Filler | Cell::Absent | Cell::Opaque => return None,
    };
    let of = file.file_of(candidate)?.file;
    let patch = &aligned.candidates().get(candidate)?.patch;
    let hunk = patch.files.get(of)?.hunks.get(hunk as usize)?;
    let found = hunk.lines.get(line as usize)?;
    let text = patch.line_text(found);
    // A quote that contradicts the others is told, one that agrees stands in the row already.
    let base = aligned.base_of_row(index, row).map(|line| line.text);
    Some(Change {
        what,
        new: found.new_no,
        text: (what == "added" || base != Some(text)).then_some(text),
    })
}

fn named<'a, T>(
    chosen: &'a [Chosen],
    of: impl Fn(&'a Chosen) -> Option<T>,
) -> BTreeMap<&'a str, T> {
    let found = chosen.iter();
    found
        .filter_map(|candidate| Some((candidate.letter.as_str(), of(candidate)?)))
        .collect()
}
