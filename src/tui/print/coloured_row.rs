//! Drawn cells as lines of text, coloured by escape sequences or plain.
//!
//! What reaches the output is only what was drawn: a cell holds no control character (see
//! [`crate::tui::text`]), and one that did would be replaced here. What is *not* here: how many colours
//! there are; a theme is turned into fewer before anything is drawn.

use std::io::{self, Write};

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

/// Writes one row of a buffer and a newline; blanks at its end that show nothing are left out.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_row(
    buffer: &Buffer,
    row: u16,
    coloured: bool,
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    let area = buffer.area;
    let cell = |column: u16| &buffer[(area.x + column, area.y + row)];
    let shows = |cell: &Cell| {
        cell.symbol() != " " || (coloured && (cell.bg != Color::Reset || is_seen_on_blank(cell)))
    };
    let end = (0..area.width)
        .rev()
        .find(|column| shows(cell(*column)))
        .map_or(0, |last| last + 1);
    let mut style = Style::PLAIN;
    let mut column = 0;
    while column < end {
        let cell = cell(column);
        let wanted = Style::of(cell);
        if coloured && wanted != style {
            wanted.write(out)?;
            style = wanted;
        }
        write_symbol(cell.symbol(), out)?;
        let width = u16::try_from(cell.symbol().width()).unwrap_or(1);
        column = column.saturating_add(width.max(1));
    }
    if style != Style::PLAIN {
        out.write_all(b"\x1b[0m")?;
    }
    out.write_all(b"\n")
}

/// Whether a blank shows something by its style alone.
fn is_seen_on_blank(cell: &Cell) -> bool {
    let marks = Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT;
    cell.modifier.intersects(marks)
}

fn write_symbol(symbol: &str, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    if symbol.chars().any(char::is_control) {
        let shown: String = symbol
            .chars()
            .map(|c| if c.is_control() { '\u{fffd}' } else { c })
            .collect();
        return out.write_all(shown.as_bytes());
    }
    out.write_all(symbol.as_bytes())
}

/// What a cell looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Style {
    foreground: Color,
    background: Color,
    modifier: Modifier,
}

impl Style {
    const PLAIN: Self = Self {
        foreground: Color::Reset,
        background: Color::Reset,
        modifier: Modifier::empty(),
    };

    fn of(cell: &Cell) -> Self {
        Self {
            foreground: cell.fg,
            background: cell.bg,
            modifier: cell.modifier,
        }
    }

    /// The sequence (SGR) that sets it, whatever was set before.
    fn write(self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        out.write_all(b"\x1b[0")?;
        for (modifier, number) in [
            (Modifier::BOLD, 1),
            (Modifier::DIM, 2),
            (Modifier::ITALIC, 3),
            (Modifier::UNDERLINED, 4),
            (Modifier::REVERSED, 7),
            (Modifier::CROSSED_OUT, 9),
        ] {
            if self.modifier.contains(modifier) {
                write!(out, ";{number}")?;
            }
        }
        write_colour(self.foreground, 30, out)?;
        write_colour(self.background, 40, out)?;
        out.write_all(b"m")
    }
}

/// The part of a sequence for a colour; `first` is 30 for letters, 40 for what is under them.
fn write_colour(colour: Color, first: u8, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let (place, bright) = match colour {
        Color::Reset => return Ok(()),
        Color::Rgb(r, g, b) => return write!(out, ";{};2;{r};{g};{b}", first + 8),
        Color::Indexed(place) => return write!(out, ";{};5;{place}", first + 8),
        Color::Black => (0, false),
        Color::Red => (1, false),
        Color::Green => (2, false),
        Color::Yellow => (3, false),
        Color::Blue => (4, false),
        Color::Magenta => (5, false),
        Color::Cyan => (6, false),
        Color::Gray => (7, false),
        Color::DarkGray => (0, true),
        Color::LightRed => (1, true),
        Color::LightGreen => (2, true),
        Color::LightYellow => (3, true),
        Color::LightBlue => (4, true),
        Color::LightMagenta => (5, true),
        Color::LightCyan => (6, true),
        Color::White => (7, true),
    };
    write!(out, ";{}", first + place + if bright { 60 } else { 0 })
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style as Drawn;

    use super::*;

    fn written(coloured: bool) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 1));
        let red = Drawn::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(9));
        buffer.set_string(0, 0, "ab", red.add_modifier(Modifier::BOLD));
        buffer.set_string(2, 0, "日本 x", Drawn::new().fg(Color::LightBlue));
        buffer.set_string(12, 0, "  ", Drawn::new().bg(Color::Blue));
        let mut out = Vec::new();
        write_row(&buffer, 0, coloured, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn plain_rows_have_letters_only_and_no_blanks_at_the_end() {
        assert_eq!(written(false), "ab日本 x\n");
    }

    #[test]
    fn coloured_rows_set_each_style_once_and_reset_at_the_end() {
        let expected = "\u{1b}[0;1;38;2;1;2;3;48;5;9mab\u{1b}[0;94m日本 x\u{1b}[0m    \
                        \u{1b}[0;44m  \u{1b}[0m\n";
        assert_eq!(written(true), expected);
    }

    #[test]
    fn no_control_character_gets_out() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
        buffer[(0, 0)].set_symbol("\u{1b}");
        let mut out = Vec::new();
        write_row(&buffer, 0, false, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "\u{fffd}\n");
    }
}
