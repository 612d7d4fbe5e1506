//! The text of a line of code in its cells: syntax colours, changed words, wrapped or cut.
//!
//! What is *not* here: numbers, signs and what is painted under a whole line.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::line::put;
use crate::tui::area::Area;
use crate::tui::highlight::ColouredSpan;
use crate::tui::long_text;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};

/// What gives a line's text its style, as byte ranges of the line in order.
pub struct Layers<'a> {
    /// The style of everything else.
    pub base: Style,
    /// Syntax: colours the letters.
    pub syntax: &'a [ColouredSpan],
    /// Changed words.
    pub words: &'a [Range<usize>],
    /// Their style.
    pub word: Style,
    /// What the line, and a changed word of it, is: what code lies on.
    pub grounds: (Role, Role),
}

/// Display lines of a text in `width` columns, at least 1.
#[must_use]
pub fn height(text: &str, width: usize, wrap: bool) -> usize {
    if !wrap {
        1
    } else if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        text.len().div_ceil(width.max(1)).max(1)
    } else {
        text::wrap(text, width.max(1)).len().max(1)
    }
}

/// Draws a text from its display line `skip` on, as many as `area` has room for.
pub fn draw(
    buffer: &mut Buffer,
    area: Area,
    (text, skip): (&str, usize),
    wrap: bool,
    theme: &Theme,
    layers: &Layers<'_>,
) {
    let width = usize::from(area.width);
    if width == 0 {
        return;
    }
    if !wrap {
        if skip == 0 {
            cells(buffer, area, (text, 0), theme, layers);
        }
        return;
    }
    let parts = long_text::pieces(text, width, skip, usize::from(area.height));
    for (part, y) in parts.into_iter().zip(area.y..) {
        let line = Area {
            y,
            height: 1,
            ..area
        };
        cells(
            buffer,
            line,
            (&text[part.clone()], part.start),
            theme,
            layers,
        );
    }
}

/// Draws the cells of a text whose first byte is byte `offset` of the line.
fn cells(
    buffer: &mut Buffer,
    area: Area,
    (text, offset): (&str, usize),
    theme: &Theme,
    layers: &Layers<'_>,
) {
    let width = usize::from(area.width);
    let (mut column, mut end) = (0, 0);
    for cell in text::cells(text, 0, width) {
        let at = offset + cell.source.start;
        let mut style = layers.base;
        let in_word = covering(layers.words, at, Range::clone).is_some();
        if in_word {
            style = style.patch(layers.word);
        }
        if let Some(span) = covering(layers.syntax, at, ColouredSpan::range) {
            let (line, word) = layers.grounds;
            let ground = if in_word { word } else { line };
            style = style.patch(theme.syntax(span.style, ground));
        }
        if cell.stand_in {
            style = style.patch(theme.style(Role::Control));
        }
        let place = area.x + u16::try_from(column).unwrap_or(0);
        let room = u16::try_from(width - column).unwrap_or(0);
        put(buffer, (place, area.y), room, &cell.symbol, style);
        column += cell.width;
        end = cell.source.end;
    }
    if column >= width && end < text.len() {
        let edge = area.x + area.width - 1;
        put(buffer, (edge, area.y), 1, "›", theme.style(Role::Control));
    }
}

/// The entry whose range holds a byte; the ranges are in order.
fn covering<T>(all: &[T], at: usize, range: impl Fn(&T) -> Range<usize>) -> Option<&T> {
    let after = all.partition_point(|entry| range(entry).end <= at);
    all.get(after).filter(|entry| range(entry).contains(&at))
}
