//! `gagar agreement`: how much grader and annotators agree, as tables or JSON.

use std::collections::BTreeSet;

use unicode_width::UnicodeWidthStr;

use super::Ending;
use super::args::AgreementArgs;
use super::error::CliError;
use super::inputs::{Whose, open};
use super::open::cut_names;
use super::output::{Io, columns, visible};
use crate::raters::{Agreement, GroupEvidence, Options, Table, TableKind};
use crate::review::RankingSource;

/// Cells that a name keeps however wide the rest is.
const LEAST: usize = 12;

/// Prints every figure of agreement.
///
/// # Errors
/// When the paths or the log cannot be read, or the output cannot be written.
pub fn run(args: &AgreementArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let mut opened = open(&args.input, RankingSource::Best, Whose::User, io)?;
    opened.count_blind_only(args.blind_only);
    let session = &opened.session;
    if !args.input.common.db().exists() {
        // Graders alone can be compared without it.
        let db = args.input.common.db().display();
        io.note(&format!("note: {db}: no such database, no judgements"))?;
    }
    let chosen = args.which.chosen(session);
    let options = Options {
        aggregate: args.aggregate,
        seed: args.seed,
        blind_only: args.blind_only,
    };
    let evidence = GroupEvidence::gather(
        session.set(),
        &chosen,
        session.projection(),
        args.blind_only,
    );
    let found = Agreement::of(&evidence, options, &|| true);
    let found = found.ok_or_else(|| CliError::failed("interrupted"))?;
    if args.json {
        io.json(&found)?;
    } else {
        print(&found, columns(), io)?;
    }
    Ok(Ending::of(opened.problems))
}

/// Every table that has a line, with its notes.
fn print(found: &Agreement, width: usize, io: &mut Io<'_>) -> Result<(), CliError> {
    for (at, kind) in TableKind::ALL.into_iter().enumerate() {
        let table = found.table(kind);
        // The first one tells what is missing, also when there is nothing else.
        if table.rows.is_empty() && at > 0 {
            continue;
        }
        if at > 0 {
            io.line("")?;
        }
        io.line(kind.title())?;
        if !table.rows.is_empty() {
            io.table(table.header, table.right, &fitted(&table, width))?;
        }
        for note in &table.notes {
            note_line(note, width, io)?;
        }
    }
    Ok(())
}

/// The cells with the names of the first column shortened so that a line fits in `columns` cells;
/// where that would make two names one, they stay as they are.
fn fitted(table: &Table, columns: usize) -> Vec<Vec<String>> {
    let width = |column: usize| {
        let cells = table.rows.iter().filter_map(|row| row.cells.get(column));
        let widest = cells.map(|cell| visible(cell).width()).max().unwrap_or(0);
        let header = table.header.get(column).map_or(0, |name| name.width());
        widest.max(header)
    };
    let rest: usize = (1..table.header.len()).map(|at| width(at) + 2).sum();
    let room = columns.saturating_sub(rest).max(LEAST);
    let names: BTreeSet<String> = table
        .rows
        .iter()
        .filter_map(|row| row.cells.first().map(|name| visible(name)))
        .collect();
    let shortened: BTreeSet<String> = names.iter().map(|name| cut_names(name, room)).collect();
    let are_distinct = shortened.len() == names.len();
    let rows = table.rows.iter().map(|row| {
        let cells = row.cells.iter().enumerate();
        cells
            .map(|(column, cell)| match column {
                0 if are_distinct => cut_names(cell, room),
                _ => cell.clone(),
            })
            .collect()
    });
    rows.collect()
}

/// A note below a table, broken between words.
fn note_line(text: &str, columns: usize, io: &mut Io<'_>) -> Result<(), CliError> {
    let text = visible(text);
    let mut line = String::from(" ");
    for word in text.split(' ') {
        if line.width() + 1 + word.width() > columns && line.trim() != "" {
            io.line(&line)?;
            line = String::from("   ");
        }
        line.push(' ');
        line.push_str(word);
    }
    io.line(&line)?;
    Ok(())
}
