//! The place in a list: what the keys that walk and the mouse do to it.
//!
//! What is *not* here: what the rows are and what a choice does.

use super::action::Action;
use super::area::Area;
use super::message::MouseKind;
use super::scroll::reveal;

/// Rows that a turn of the wheel moves by.
const WHEEL: usize = 3;

/// Where an action that walks leads from `at` (0-based; too far down is allowed: the end); `page` is
/// the number of rows seen. `None` = it does not walk.
#[must_use]
pub fn walked(at: usize, action: Action, page: usize) -> Option<usize> {
    Some(match action {
        Action::Down => at.saturating_add(1),
        Action::Up => at.saturating_sub(1),
        Action::PageDown => at.saturating_add(page),
        Action::PageUp => at.saturating_sub(page),
        Action::HalfPageDown => at.saturating_add(page / 2),
        Action::HalfPageUp => at.saturating_sub(page / 2),
        Action::Top => 0,
        Action::Bottom => usize::MAX,
        _ => return None,
    })
}

/// The row of the cursor and the first one seen, both 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListPlace {
    /// The row of the cursor.
    pub cursor: usize,
    /// The first row wanted on screen; the cursor comes first.
    pub first: usize,
}

impl ListPlace {
    /// Walks, if the action does.
    pub fn walk(&mut self, action: Action, page: usize) {
        self.cursor = walked(self.cursor, action, page).unwrap_or(self.cursor);
    }

    /// Follows the mouse over the rows in `area`; answers whether the row of the cursor was clicked,
    /// which opens it.
    pub fn mouse(&mut self, kind: MouseKind, area: Area, (x, y): (u16, u16)) -> bool {
        match kind {
            MouseKind::ScrollDown => self.cursor = self.cursor.saturating_add(WHEEL),
            MouseKind::ScrollUp => self.cursor = self.cursor.saturating_sub(WHEEL),
            MouseKind::Down if area.contains(x, y) => {
                let row = self.first + usize::from(y - area.y);
                if row == self.cursor {
                    return true;
                }
                self.cursor = row;
            }
            MouseKind::Down | MouseKind::Drag | MouseKind::Up => {}
        }
        false
    }

    /// Fits the place to `count` rows of which `window` are seen.
    pub fn settle(&mut self, window: usize, count: usize) {
        self.cursor = self.cursor.min(count.saturating_sub(1));
        self.first = reveal(self.first, self.cursor, window, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walking_and_clicking_stay_in_the_list() {
        let mut place = ListPlace::default();
        place.walk(Action::Bottom, 5);
        place.settle(5, 12);
        assert_eq!((place.cursor, place.first), (11, 7));
        place.walk(Action::Help, 5);
        assert_eq!(place.cursor, 11);
        let area = Area {
            x: 0,
            y: 2,
            width: 10,
            height: 5,
        };
        assert!(!place.mouse(MouseKind::Down, area, (1, 3)));
        assert_eq!(place.cursor, 8);
        assert!(place.mouse(MouseKind::Down, area, (1, 3)));
        place.walk(Action::Down, 5);
        place.mouse(MouseKind::ScrollDown, area, (0, 0));
        place.settle(5, 10);
        assert_eq!((place.cursor, place.first), (9, 5));
    }
}
