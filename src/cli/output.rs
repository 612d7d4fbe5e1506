//! Printing: the two streams, aligned tables, JSON lines, text from rollouts made harmless.

use std::io::{self, IsTerminal, Write};

use unicode_width::UnicodeWidthStr;

use super::error::CliError;
use super::open::sanitize_line;

/// The streams of a command: results on `out`, everything else on `err`.
pub struct Io<'a> {
    /// Results.
    pub out: &'a mut dyn Write,
    /// Problems, notes, progress.
    pub err: &'a mut dyn Write,
}

impl Io<'_> {
    /// Prints one JSON value and a newline on `out`.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn json(&mut self, value: &impl serde::Serialize) -> Result<(), CliError> {
        Ok(self
            .out
            .write_all(crate::export::json_line(value)?.as_bytes())?)
    }

    /// Prints a line on `out`, control characters made visible.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", visible(text))
    }

    /// Prints a line on `err`, control characters made visible.
    ///
    /// # Errors
    /// When `err` cannot be written.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.err, "{}", visible(text))
    }

    /// Prints an aligned table on `out`; columns marked in `right` are aligned to the right.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn table(
        &mut self,
        header: &[&str],
        right: &[bool],
        rows: &[Vec<String>],
    ) -> io::Result<()> {
        let header: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
        let rows: Vec<Vec<String>> = std::iter::once(&header)
            .chain(rows)
            .map(|row| row.iter().map(|cell| visible(cell)).collect())
            .collect();
        let widths: Vec<usize> = (0..header.len())
            .map(|column| {
                let cells = rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| cell.width()).max().unwrap_or(0)
            })
            .collect();
        for row in &rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let gap = " ".repeat(width.saturating_sub(cell.width()));
                if column > 0 {
                    line.push_str("  ");
                }
                if right.get(column).copied().unwrap_or(false) {
                    line.push_str(&gap);
                    line.push_str(cell);
                } else {
                    line.push_str(cell);
                    line.push_str(&gap);
                }
            }
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Cells of a line in a pipe.
const PIPE: usize = 100;
/// Cells that a line has at least: no table is legible in less.
const LEAST: usize = 40;

/// Cells that a line of a table may take: what COLUMNS says, else the terminal's width, else
/// [`PIPE`].
#[must_use]
pub fn columns() -> usize {
    let told = std::env::var("COLUMNS").ok();
    let told = told.and_then(|told| told.trim().parse().ok());
    let terminal = || {
        let size = io::stdout().is_terminal().then(crossterm::terminal::size);
        size.and_then(Result::ok)
            .map(|(columns, _)| usize::from(columns))
    };
    told.filter(|told| *told > 0)
        .or_else(terminal)
        .unwrap_or(PIPE)
        .max(LEAST)
}

/// `text` on one line with everything that could steer a terminal made visible.
#[must_use]
pub fn visible(text: &str) -> String {
    sanitize_line(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_not_sent() {
        let shown = visible("a\u{1b}[2Jb\u{202e}\u{9b}é\n");
        assert!(
            !shown.contains(['\u{1b}', '\u{202e}', '\u{9b}', '\n']),
            "{shown:?}"
        );
        assert!(shown.contains('é'));
    }

    #[test]
    fn tables_align_by_width() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut io = Io {
            out: &mut out,
            err: &mut err,
        };
        let rows = [
            vec!["日本".to_owned(), "1".to_owned()],
            vec!["a".to_owned(), "10".to_owned()],
        ];
        io.table(&["id", "n"], &[false, true], &rows).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "id     n\n日本   1\na     10\n"
        );
    }
}
