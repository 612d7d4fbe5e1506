//! Where things stand on the steps screen: a pure function of the size and of what is shown.

use crate::tui::area::Area;

/// The narrowest screen on which two trajectories leave room for a list.
const LIST_BESIDE_TWO: u16 = 150;

/// Where things stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Whose steps, how many.
    pub title: Area,
    /// The list of steps, of places or of kinds; may be without width.
    pub list: Area,
    /// The one or two transcripts, from the left.
    columns: [Area; 2],
    count: usize,
}

impl Layout {
    /// Lays the screen out for one or two transcripts; `needs_list` says that the list must be seen.
    #[must_use]
    pub fn of(screen: Area, columns: usize, needs_list: bool) -> Self {
        let (title, body) = screen.split_top(1);
        let none = Area { width: 0, ..body };
        if columns < 2 {
            let (list, text) = body.split_left((body.width * 2 / 5).clamp(18, 60));
            // One cell between the two.
            let (_, text) = text.split_left(1);
            return Self {
                title,
                list,
                columns: [text, none],
                count: 1,
            };
        }
        let width = if body.width >= LIST_BESIDE_TWO || needs_list {
            (body.width / 4).clamp(18, 44)
        } else {
            0
        };
        let (list, rest) = body.split_left(width);
        let rest = if width > 0 {
            rest.split_left(1).1
        } else {
            rest
        };
        let (left, right) = rest.split_left(rest.width / 2);
        let (_, right) = right.split_left(1);
        Self {
            title,
            list,
            columns: [left, right],
            count: 2,
        }
    }

    /// The areas of the transcripts, from the left; of two the first row says whose it is.
    #[must_use]
    pub fn columns(&self) -> &[Area] {
        &self.columns[..self.count]
    }

    /// The lines of a transcript.
    #[must_use]
    pub fn text(&self, column: usize) -> Area {
        let area = self.columns[column.min(self.count - 1)];
        if self.count > 1 {
            area.split_top(1).1
        } else {
            area
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fill_the_screen_and_never_overlap() {
        for width in [60, 80, 120, 200] {
            let screen = Area {
                x: 0,
                y: 0,
                width,
                height: 20,
            };
            for (columns, list) in [(1, false), (2, false), (2, true)] {
                let layout = Layout::of(screen, columns, list);
                let mut x = layout.list.x + layout.list.width;
                for column in layout.columns() {
                    assert!(column.x >= x && column.width >= 18, "{width} {columns}");
                    x = column.x + column.width;
                }
                assert_eq!(x, width);
                assert!(!list || layout.list.width > 0);
            }
        }
    }
}
