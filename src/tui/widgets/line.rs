//! Writing one line of text into the cells of a row.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

/// Cells that one symbol covers at most, beside its first one.
const WIDEST: u16 = 7;

/// Writes text from a cell on, at most `width` cells; what does not fit ends in `…`. Returns the
/// cells used.
pub fn put(buffer: &mut Buffer, (x, y): (u16, u16), width: u16, text: &str, style: Style) -> u16 {
    let area = *buffer.area();
    if y < area.top() || y >= area.bottom() || x >= area.right() || width == 0 {
        return 0;
    }
    let width = width.min(area.right() - x);
    // Half of a wide character cannot stand: it would push the row to the right. A conjunct of
    // consonants may take three cells and more.
    for back in (1..=WIDEST).take_while(|&back| x >= area.left() + back) {
        if buffer[(x - back, y)].symbol().width() > usize::from(back) {
            buffer[(x - back, y)].set_symbol(" ");
        }
    }
    if text.width() <= usize::from(width) {
        return buffer.set_stringn(x, y, text, usize::from(width), style).0 - x;
    }
    let (end, _) = buffer.set_stringn(x, y, text, usize::from(width) - 1, style);
    buffer.set_stringn(end, y, "…", 1, style).0 - x
}

/// Writes text into the first row of an area, as [`put`] does.
pub fn put_line<A: Into<Rect>>(buffer: &mut Buffer, area: A, text: &str, style: Style) -> u16 {
    let area = area.into();
    put(buffer, (area.x, area.y), area.width, text, style)
}

/// Writes text so that it ends at the right edge of `width` cells.
pub fn put_right(buffer: &mut Buffer, (x, y): (u16, u16), width: u16, text: &str, style: Style) {
    let used = u16::try_from(text.width()).unwrap_or(u16::MAX).min(width);
    put(buffer, (x + (width - used), y), used, text, style);
}

/// Gives `width` cells of a row a style, on top of what is there.
pub fn paint(buffer: &mut Buffer, (x, y): (u16, u16), width: u16, style: Style) {
    buffer.set_style(
        Rect {
            x,
            y,
            width,
            height: 1,
        },
        style,
    );
}

/// Writes parts one after the other; returns the cells used.
pub fn put_parts(
    buffer: &mut Buffer,
    (x, y): (u16, u16),
    width: u16,
    parts: &[(String, Style)],
) -> u16 {
    let mut used = 0;
    for (text, style) in parts {
        if used >= width {
            break;
        }
        used += put(buffer, (x + used, y), width - used, text, *style);
    }
    used
}
