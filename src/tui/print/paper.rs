//! Where printed rows go: each is drawn into cells and written out at once.

use std::io::{self, Write};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::coloured_row::write_row;
use crate::tui::area::Area;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put, put_right};

/// Display lines that are in memory at first, and at most: one line of a patch may take thousands,
/// and finding where a part of it begins costs more the longer it is.
const LINES: (usize, usize) = (64, 1_024);

/// Paper of a width that is written on from top to bottom.
pub struct Paper<'a> {
    /// What everything looks like.
    pub theme: &'a Theme,
    /// Columns.
    pub width: u16,
    coloured: bool,
    buffer: Buffer,
    out: &'a mut dyn Write,
}

impl<'a> Paper<'a> {
    /// Empty paper; plain unless `coloured`.
    pub fn new(theme: &'a Theme, width: u16, coloured: bool, out: &'a mut dyn Write) -> Self {
        Self {
            theme,
            width,
            coloured,
            buffer: Buffer::empty(Rect::default()),
            out,
        }
    }

    /// Whether colours are seen.
    #[must_use]
    pub fn is_coloured(&self) -> bool {
        self.coloured
    }

    /// Writes `height` display lines. `draw` is given how many of them stand above its part, and the
    /// part's place in the buffer.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn lines(
        &mut self,
        height: usize,
        mut draw: impl FnMut(&mut Buffer, usize, Area),
    ) -> io::Result<()> {
        let (mut skip, mut most) = (0, LINES.0);
        while skip < height {
            let part = u16::try_from((height - skip).min(most)).unwrap_or(1);
            most = (most * 2).min(LINES.1);
            self.buffer.resize(Rect::new(0, 0, self.width, part));
            self.buffer.reset();
            let area = Area {
                x: 0,
                y: 0,
                width: self.width,
                height: part,
            };
            draw(&mut self.buffer, skip, area);
            for row in 0..part {
                write_row(&self.buffer, row, self.coloured, self.out)?;
            }
            skip += usize::from(part);
        }
        Ok(())
    }

    /// An empty line.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn blank(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    /// A sentence over the whole width, wrapped. Untrusted text.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn say(&mut self, said: &str, role: Role) -> io::Result<()> {
        let style = self.theme.style(role);
        let parts = text::wrap(said, usize::from(self.width).max(1));
        for part in parts {
            let line = said.get(part).unwrap_or("");
            self.lines(1, |buffer, _, area| {
                let shown = text::cut(line, usize::from(area.width));
                put(buffer, (0, 0), area.width, &shown, style);
            })?;
        }
        Ok(())
    }

    /// A heading over the whole width, with something at its right end. Untrusted text.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn banner(&mut self, left: &str, right: &str, role: Role) -> io::Result<()> {
        let style = self.theme.style(role);
        let taken = text::width(right) + usize::from(!right.is_empty());
        let room = usize::from(self.width).saturating_sub(taken);
        if text::width(left) > room && taken > 0 {
            // Nothing of a long path is lost.
            self.say(left, role)?;
            return self.banner("", right, role);
        }
        if text::width(left) > room {
            return self.say(left, role);
        }
        self.lines(1, |buffer, _, area| {
            paint(buffer, (0, 0), area.width, style);
            put(buffer, (0, 0), area.width, &text::cut(left, room), style);
            put_right(
                buffer,
                (0, 0),
                area.width,
                &text::sanitize_line(right),
                style,
            );
        })
    }
}
