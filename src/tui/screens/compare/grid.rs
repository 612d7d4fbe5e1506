//! Where the cells of a table stand that has a column per candidate: pure geometry.
//!
//! The file matrix and the tests panel share it; what stands in the cells is theirs.

use crate::tui::area::Area;
use crate::tui::scroll::reveal;

/// Narrowest column of names.
const NARROWEST_NAME: u16 = 12;

/// What a table needs, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// The longest name of a row.
    pub name: usize,
    /// The widest cell of a candidate.
    pub cell: usize,
    /// What follows the candidates.
    pub tail: usize,
    /// Number of candidates.
    pub columns: usize,
}

/// Where the columns of a table stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Left edge.
    pub x: u16,
    /// Cells of the names.
    pub name: u16,
    /// Cells of a candidate, the gap before it included.
    pub cell: u16,
    /// Cells of what follows the candidates, the gap before it included; 0 when there is no room.
    pub tail: u16,
    /// First candidate that is seen, by its place in the order shown.
    pub first: usize,
    /// How many candidates are seen.
    pub shown: usize,
}

impl Grid {
    /// Lays a table out so that the candidate at place `focus` is seen, as near to `first` as can
    /// be.
    #[must_use]
    pub fn of(area: Area, needs: Needs, first: usize, focus: usize) -> Self {
        let cells = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        let cell = cells(needs.cell).saturating_add(1).max(2);
        let longest = cells(needs.name).max(NARROWEST_NAME);
        let all = cell.saturating_mul(cells(needs.columns));
        let mut tail = cells(needs.tail);
        if tail > 0 {
            tail = tail.saturating_add(2);
        }
        // On a narrow screen the candidates are worth more than what sums them up.
        if NARROWEST_NAME.saturating_add(tail).saturating_add(cell) > area.width {
            tail = 0;
        }
        let rest = area.width.saturating_sub(tail);
        let least = (area.width * 2 / 5).max(NARROWEST_NAME).min(longest);
        let name = rest.saturating_sub(all).clamp(least, longest);
        let fit = usize::from(rest.saturating_sub(name) / cell).max(1);
        let shown = fit.min(needs.columns);
        Self {
            x: area.x,
            name,
            cell,
            tail,
            first: reveal(first, focus, shown, needs.columns),
            shown,
        }
    }

    /// Left edge of the cells of the candidate at a place of the order, without the gap.
    #[must_use]
    pub fn column(&self, place: usize) -> u16 {
        let nth = u16::try_from(place.saturating_sub(self.first)).unwrap_or(u16::MAX);
        (self.x + self.name).saturating_add(self.cell.saturating_mul(nth)) + 1
    }

    /// Left edge of what follows the candidates, without the gap.
    #[must_use]
    pub fn tail_at(&self) -> u16 {
        self.column(self.first + self.shown) + 1
    }

    /// How many candidates are left and right of those that are seen; `None` when all are.
    #[must_use]
    pub fn hidden(&self, columns: usize) -> Option<String> {
        let right = columns.saturating_sub(self.first + self.shown);
        let left = (self.first > 0).then(|| format!("◂{}", self.first));
        let right = (right > 0).then(|| format!("{right}▸"));
        let parts: Vec<_> = left.into_iter().chain(right).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(width: u16) -> Area {
        Area {
            x: 0,
            y: 0,
            width,
            height: 20,
        }
    }

    #[test]
    fn all_candidates_show_when_there_is_room() {
        let needs = Needs {
            name: 30,
            cell: 9,
            tail: 12,
            columns: 4,
        };
        let grid = Grid::of(area(120), needs, 0, 0);
        assert_eq!((grid.name, grid.shown, grid.hidden(4)), (30, 4, None));
        assert!(grid.tail_at() + 12 <= 120);
    }

    #[test]
    fn the_focused_candidate_is_always_seen() {
        let needs = Needs {
            name: 60,
            cell: 9,
            tail: 12,
            columns: 16,
        };
        for width in [60, 80, 120] {
            for focus in 0..16 {
                let grid = Grid::of(area(width), needs, 0, focus);
                assert!((grid.first..grid.first + grid.shown).contains(&focus));
                assert!(grid.column(focus) + 9 <= width);
            }
        }
        let grid = Grid::of(area(80), needs, 0, 15);
        assert!(
            grid.hidden(16)
                .is_some_and(|said| said.starts_with('◂') && !said.ends_with('▸'))
        );
    }
}
