//! A line of untrusted text, wrapped, with the places found marked.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::line::put;
use crate::tui::area::Area;
use crate::tui::long_text;
use crate::tui::text;

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
    let shown = long_text::shown(line);
    let found = long_text::find(&shown, search);
    let width = usize::from(area.width).max(1);
    let mut y = area.y;
    for part in long_text::wrapped(&shown, width, skip, usize::from(area.height)) {
        let mut column: u16 = 0;
        for cell in text::cells(&shown[part.clone()], 0, width) {
            let at = part.start + cell.source.start;
            let mut style = styles.base;
            if cell.stand_in {
                style = style.patch(styles.control);
            }
            let after = found.partition_point(|range| range.end <= at);
            if found.get(after).is_some_and(|range| range.contains(&at)) {
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
