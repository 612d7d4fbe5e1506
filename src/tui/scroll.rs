//! Scroll positions in documents whose rows may be several lines high (wrapped).
//!
//! Pure arithmetic: every function looks at no more rows than a window holds, whatever the
//! document's length. What is *not* here: what a row is and how high it is.

/// The first visible line of a window: a row and how many of the row's lines are above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// 0-based row of the document.
    pub row: usize,
    /// Lines of that row above the window.
    pub line: usize,
}

impl Position {
    /// The first line of a row.
    #[must_use]
    pub fn at(row: usize) -> Self {
        Self { row, line: 0 }
    }

    /// Moves down by `lines`. `height` gives a row's lines (at least 1 counts).
    #[must_use]
    pub fn down(self, lines: usize, rows: usize, height: impl Fn(usize) -> usize) -> Self {
        let mut at = self;
        let mut left = lines;
        while left > 0 && at.row < rows {
            let rest = height(at.row).max(1).saturating_sub(at.line);
            if left < rest {
                at.line += left;
                return at;
            }
            if at.row + 1 >= rows {
                at.line += rest.saturating_sub(1);
                return at;
            }
            left -= rest.max(1).min(left);
            at = Self::at(at.row + 1);
        }
        at
    }

    /// Moves up by `lines`.
    #[must_use]
    pub fn up(self, lines: usize, height: impl Fn(usize) -> usize) -> Self {
        let mut at = self;
        let mut left = lines;
        loop {
            if left <= at.line {
                at.line -= left;
                return at;
            }
            left -= at.line + 1;
            let Some(row) = at.row.checked_sub(1) else {
                return Self::default();
            };
            at = Self {
                row,
                line: height(row).max(1) - 1,
            };
        }
    }

    /// The nearest position whose window of `window` lines is filled, when the document is long
    /// enough.
    #[must_use]
    pub fn clamp(self, window: usize, rows: usize, height: impl Fn(usize) -> usize) -> Self {
        if rows == 0 || window == 0 {
            return Self::default();
        }
        let last = Self {
            row: rows - 1,
            line: height(rows - 1).max(1) - 1,
        };
        let lowest = last.up(window - 1, &height);
        if self.row < rows {
            let fitted = Self {
                row: self.row,
                line: self.line.min(height(self.row).max(1) - 1),
            };
            fitted.min(lowest)
        } else {
            lowest
        }
    }
}

/// The first visible row of a list in which `cursor` is to be seen, as near to `first` as can be.
#[must_use]
pub fn reveal(first: usize, cursor: usize, window: usize, rows: usize) -> usize {
    if window == 0 {
        return cursor;
    }
    let first = first.min(rows.saturating_sub(window));
    first.clamp(
        (cursor + 1).saturating_sub(window),
        cursor.max((cursor + 1).saturating_sub(window)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEIGHTS: [usize; 5] = [1, 3, 1, 2, 1];

    fn height(row: usize) -> usize {
        HEIGHTS[row]
    }

    #[test]
    fn down_and_up_are_mirror_images() {
        let all: Vec<_> = (0..8)
            .map(|n| Position::default().down(n, 5, height))
            .collect();
        let expected = [
            (0, 0),
            (1, 0),
            (1, 1),
            (1, 2),
            (2, 0),
            (3, 0),
            (3, 1),
            (4, 0),
        ];
        assert_eq!(all, expected.map(|(row, line)| Position { row, line }));
        for (n, at) in all.iter().enumerate() {
            assert_eq!(at.up(n, height), Position::default());
        }
        assert_eq!(Position::default().down(100, 5, height), Position::at(4));
        assert_eq!(Position::at(4).up(100, height), Position::default());
    }

    #[test]
    fn the_last_window_is_filled() {
        let lowest = Position::at(4).clamp(3, 5, height);
        assert_eq!(lowest, Position::at(3));
        assert_eq!(Position::at(99).clamp(3, 5, height), Position::at(3));
        assert_eq!(Position::at(4).clamp(20, 5, height), Position::default());
        assert_eq!(Position::at(4).clamp(3, 0, height), Position::default());
    }

    #[test]
    fn a_list_scrolls_no_further_than_the_cursor_needs() {
        assert_eq!(reveal(0, 9, 5, 20), 5);
        assert_eq!(reveal(7, 9, 5, 20), 7);
        assert_eq!(reveal(9, 3, 5, 20), 3);
        assert_eq!(reveal(19, 3, 5, 4), 0);
    }
}
