//! A line of untrusted text, wrapped, with the places found marked.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::line::put;
use crate::tui::ansi::Sgr;
use crate::tui::area::Area;
use crate::tui::long_text;
use crate::tui::text;
use crate::tui::theme::Theme;

/// Styles of a line.
#[derive(Debug, Clone, Copy)]
pub struct Styles {
    /// The text.
    pub base: Style,
    /// Stand-ins for what cannot be drawn.
    pub control: Style,
    /// What is searched for.
    pub found: Style,
}

/// Draws a line from its display line `skip` on, at the top of `area`; returns the lines drawn.
pub fn draw(
    buffer: &mut Buffer,
    area: Area,
    line: &str,
    skip: usize,
    search: &str,
    styles: &Styles,
) -> u16 {
    let find = |shown: &str| long_text::find(shown, search);
    draw_found(buffer, area, line, skip, &find, styles)
}

/// The same; `find` gives the byte ranges to mark of what is shown of the line.
pub fn draw_found(
    buffer: &mut Buffer,
    area: Area,
    line: &str,
    skip: usize,
    find: &dyn Fn(&str) -> Vec<Range<usize>>,
    styles: &Styles,
) -> u16 {
    let shown = long_text::shown(line);
    let found = find(&shown);
    let line = Line {
        text: &shown,
        looks: &[],
        places: &found,
    };
    draw_parts(buffer, area, &line, skip, styles, &|_| Style::default())
}

/// A line as it is shown.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The text, without colour sequences.
    pub text: &'a str,
    /// From which bytes of it on it asks to look how.
    pub looks: &'a [(usize, Sgr)],
    /// Bytes of it that are searched for.
    pub places: &'a [Range<usize>],
}

/// Draws a line with the colours that it asks for; see [`draw`].
pub fn draw_line(
    buffer: &mut Buffer,
    area: Area,
    line: &Line<'_>,
    skip: usize,
    styles: &Styles,
    theme: &Theme,
) -> u16 {
    draw_parts(buffer, area, line, skip, styles, &|sgr| theme.output(sgr))
}

fn draw_parts(
    buffer: &mut Buffer,
    area: Area,
    line: &Line<'_>,
    skip: usize,
    styles: &Styles,
    look: &dyn Fn(Sgr) -> Style,
) -> u16 {
    let width = usize::from(area.width).max(1);
    let mut y = area.y;
    for part in long_text::wrapped(line.text, width, skip, usize::from(area.height)) {
        let mut column: u16 = 0;
        for cell in text::cells(&line.text[part.clone()], 0, width) {
            let at = part.start + cell.source.start;
            let mut style = styles.base;
            let asked = line.looks.partition_point(|(from, _)| *from <= at);
            if let Some((_, sgr)) = asked.checked_sub(1).and_then(|place| line.looks.get(place)) {
                style = style.patch(look(*sgr));
            }
            if cell.stand_in {
                style = style.patch(styles.control);
            }
            let after = line.places.partition_point(|range| range.end <= at);
            if line
                .places
                .get(after)
                .is_some_and(|range| range.contains(&at))
            {
                style = style.patch(styles.found);
            }
            let left = area.width.saturating_sub(column);
            put(buffer, (area.x + column, y), left, &cell.symbol, style);
            column = column.saturating_add(u16::try_from(cell.width).unwrap_or(u16::MAX));
        }
        y += 1;
    }
    y - area.y
}
