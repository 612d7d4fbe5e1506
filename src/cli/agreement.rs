//! `gagar agreement`: how much grader and annotators agree, as tables or JSON.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Ending;
use super::args::AgreementArgs;
use super::error::CliError;
use super::inputs::{Whose, open};
use super::output::{Io, visible};
use crate::raters::{Agreement, GroupEvidence, Options, Table, TableKind};
use crate::review::RankingSource;

/// Cells that a table may take.
const WIDTH: usize = 80;
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
        print(&found, io)?;
    }
    Ok(Ending::of(opened.problems))
}

/// Every table that has a line, with its notes.
fn print(found: &Agreement, io: &mut Io<'_>) -> Result<(), CliError> {
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
            io.table(table.header, table.right, &fitted(&table))?;
        }
        for note in &table.notes {
            note_line(note, io)?;
        }
    }
    Ok(())
}

/// The cells with the first column cut so that a line fits.
fn fitted(table: &Table) -> Vec<Vec<String>> {
    let width = |column: usize| {
        let cells = table.rows.iter().filter_map(|row| row.cells.get(column));
        let widest = cells.map(|cell| visible(cell).width()).max().unwrap_or(0);
        let header = table.header.get(column).map_or(0, |name| name.width());
        widest.max(header)
    };
    let rest: usize = (1..table.header.len()).map(|at| width(at) + 2).sum();
    let room = WIDTH.saturating_sub(rest).max(LEAST);
    let rows = table.rows.iter().map(|row| {
        let cells = row.cells.iter().enumerate();
        cells
            .map(|(column, cell)| match column {
                0 => cut(&visible(cell), room),
                _ => cell.clone(),
            })
            .collect()
    });
    rows.collect()
}

/// `text` in at most `room` cells; what is cut is marked.
fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut used = 1;
    let mut kept = String::new();
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept
}

/// A note below a table, broken between words.
fn note_line(text: &str, io: &mut Io<'_>) -> Result<(), CliError> {
    let text = visible(text);
    let mut line = String::from(" ");
    for word in text.split(' ') {
        if line.width() + 1 + word.width() > WIDTH && line.trim() != "" {
            io.line(&line)?;
            line = String::from("   ");
        }
        line.push(' ');
        line.push_str(word);
    }
    io.line(&line)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_marked() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("日本語です", 6), "日本…");
    }
}
