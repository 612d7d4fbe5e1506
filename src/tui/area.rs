//! Rectangles of cells for the code that lays screens out and follows the mouse without a terminal.

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Area {
    /// Leftmost column.
    pub x: u16,
    /// Top row.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl Area {
    /// Whether a cell lies inside.
    #[must_use]
    pub fn contains(self, x: u16, y: u16) -> bool {
        (self.x..self.x.saturating_add(self.width)).contains(&x)
            && (self.y..self.y.saturating_add(self.height)).contains(&y)
    }

    /// Cuts `rows` off the top: (the top, the rest).
    #[must_use]
    pub fn split_top(self, rows: u16) -> (Self, Self) {
        let rows = rows.min(self.height);
        let top = Self {
            height: rows,
            ..self
        };
        (
            top,
            Self {
                y: self.y + rows,
                height: self.height - rows,
                ..self
            },
        )
    }

    /// Cuts `columns` off the left: (the left, the rest).
    #[must_use]
    pub fn split_left(self, columns: u16) -> (Self, Self) {
        let columns = columns.min(self.width);
        let left = Self {
            width: columns,
            ..self
        };
        (
            left,
            Self {
                x: self.x + columns,
                width: self.width - columns,
                ..self
            },
        )
    }
}

/// Rows under every screen: the status line and the footer with the keys.
const BOTTOM_ROWS: u16 = 2;

/// The part of a terminal of this size (columns, rows) that a screen draws in.
#[must_use]
pub fn screen((width, height): (u16, u16)) -> Area {
    Area {
        x: 0,
        y: 0,
        width,
        height: height.saturating_sub(BOTTOM_ROWS),
    }
}
