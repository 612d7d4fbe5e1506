//! Where things stand on the compare screen: a pure function of the size and the state, so that
//! drawing, scrolling and the mouse agree.

use super::state::{Body, State};
use crate::domain::TrajectoryIndex;
use crate::tui::area::Area;
use crate::tui::document::Shape;
use crate::tui::scroll::reveal;

/// Whose patch a column shows; `None` = the reference patch.
pub type Slot = Option<TrajectoryIndex>;

/// One column of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Whose patch.
    pub slot: Slot,
    /// The line that says whose patch it is.
    pub title: Area,
    /// The line that names the file at the top of the text; it stays while the text scrolls.
    pub file: Area,
    /// The diff's lines.
    pub text: Area,
    /// Columns at the right of the text kept for shares.
    pub share: u16,
}

/// Where things stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Group, grader, figures: one line, or two on narrow screens.
    pub header: Area,
    /// The column names of the strip; no rows when it is folded.
    pub strip_head: Area,
    /// The strip's rows, one per candidate, or one line when it is folded.
    pub strip: Area,
    /// First visible row of the strip.
    pub strip_first: usize,
    /// The list of the focused candidate's files.
    pub files: Option<Area>,
    /// What stands in place of the columns (with its title line), see [`Body`].
    pub panel: Option<Area>,
    /// The line over a pair of candidates that is compared.
    pub pair_head: Option<Area>,
    /// The columns, left to right.
    pub columns: Vec<Column>,
    /// Whether old and new stand side by side in the columns.
    pub shape: Shape,
}

/// Narrowest diff column that is chosen without being asked.
const COMFORTABLE: u16 = 60;
/// Narrowest diff column there is.
const NARROWEST: u16 = 24;
/// Most columns.
pub const MOST_COLUMNS: usize = 4;
/// Below this many rows (30 with the two lines at the bottom) the strip is short.
const SHORT: u16 = 28;
/// Most candidates of a short strip.
const SHORT_STRIP: u16 = 5;
/// From this width on the header is one line.
const WIDE_HEADER: u16 = 190;

impl Layout {
    /// Lays the screen out. `order` is the candidates in the order shown.
    #[must_use]
    pub fn of(screen: Area, state: &State, order: &[TrajectoryIndex], has_reference: bool) -> Self {
        let header_rows = if screen.width >= WIDE_HEADER { 1 } else { 2 };
        let (header, rest) = screen.split_top(header_rows);
        let pair = state.pair.filter(|_| state.body == Body::Pairs);
        // A pair needs the room.
        let folded = state.strip_folded || pair.is_some();
        let (strip_head, rest) = rest.split_top(u16::from(!folded));
        let most = match screen.height {
            rows if rows < SHORT => SHORT_STRIP,
            rows => (rows * 2 / 5).saturating_sub(1).max(3),
        };
        let wanted = u16::try_from(order.len()).unwrap_or(u16::MAX);
        let strip_rows = if folded { 1 } else { wanted.clamp(1, most) };
        let (strip, body) = rest.split_top(strip_rows);
        let cursor = order
            .iter()
            .position(|&i| Some(i) == state.focus())
            .unwrap_or(0);
        let strip_first = if folded {
            0
        } else {
            reveal(
                state.strip_first,
                cursor,
                usize::from(strip.height),
                order.len(),
            )
        };
        let mut layout = Self {
            header,
            strip_head,
            strip,
            strip_first,
            files: None,
            panel: None,
            pair_head: None,
            columns: Vec::new(),
            shape: state.shape,
        };
        if !state.body.has_columns() {
            layout.panel = Some(body);
            return layout;
        }
        let body = match pair {
            Some(_) => {
                let (head, rest) = body.split_top(1);
                layout.pair_head = Some(head);
                rest
            }
            None => body,
        };
        let columns_area = if state.file_list {
            let (files, rest) = body.split_left((body.width / 3).clamp(20, 48));
            layout.files = Some(files);
            rest
        } else {
            body
        };
        let slots = match pair {
            Some((first, second)) => vec![Some(first), Some(second)],
            None => slots(columns_area.width, state, order, cursor, has_reference),
        };
        layout.columns = place(columns_area, &slots, 0);
        layout.shape = shape(state.side_by_side, &layout.columns);
        layout
    }

    /// Keeps columns for shares: beside the first column only where rows are shared, which all
    /// columns make room for, so that lines are cut and wrapped alike.
    pub fn keep_shares(&mut self, share: u16) {
        let (Some(first), Some(last)) = (self.columns.first(), self.columns.last()) else {
            return;
        };
        if self.shape != Shape::Aligned {
            for column in &mut self.columns {
                column.share = share;
            }
            return;
        }
        let area = Area {
            width: last.title.x + last.title.width - first.title.x,
            height: first.title.height + first.file.height + first.text.height,
            ..first.title
        };
        let slots: Vec<Slot> = self.columns.iter().map(|column| column.slot).collect();
        self.columns = place(area, &slots, share);
    }

    /// The column of a patch.
    #[must_use]
    pub fn column(&self, slot: Slot) -> Option<&Column> {
        self.columns.iter().find(|column| column.slot == slot)
    }
}

/// How many columns a width shows when nobody chose.
#[must_use]
pub fn automatic(width: u16) -> usize {
    usize::from(width / COMFORTABLE).clamp(1, MOST_COLUMNS)
}

fn shape(wanted: Option<bool>, columns: &[Column]) -> Shape {
    let width = columns.iter().map(|column| column.text.width).min();
    let width = width.unwrap_or(0);
    let split = match wanted {
        None => columns.len() == 1 && width >= COMFORTABLE * 2,
        Some(wanted) => wanted && width >= NARROWEST * 2,
    };
    if split { Shape::Split } else { Shape::Unified }
}

fn slots(
    width: u16,
    state: &State,
    order: &[TrajectoryIndex],
    cursor: usize,
    has_reference: bool,
) -> Vec<Slot> {
    let wanted = state.columns.unwrap_or_else(|| automatic(width));
    let wanted = wanted.min(usize::from(width / NARROWEST)).max(1);
    let reference = state.reference && has_reference;
    // The reference comes beside a candidate, never instead of all of them.
    let candidates = if reference {
        wanted.saturating_sub(1).max(1)
    } else {
        wanted
    };
    let candidates = candidates.min(order.len());
    let first = reveal(state.first_column, cursor, candidates, order.len());
    let mut slots: Vec<Slot> = order
        .iter()
        .skip(first)
        .take(candidates)
        .copied()
        .map(Some)
        .collect();
    if reference {
        slots.push(None);
    }
    if let Some(from) = state.interdiff {
        keep_beside(&mut slots, from, state.focus());
    }
    slots
}

/// The other end of an interdiff stays beside the focused candidate, in place of another column.
fn keep_beside(slots: &mut Vec<Slot>, from: Slot, focus: Slot) {
    let at = |slots: &[Slot], wanted| slots.iter().position(|&slot| slot == wanted);
    let (Some(to), true) = (at(slots, focus), slots.len() > 1 && from != focus) else {
        return;
    };
    let given = match at(slots, from) {
        Some(other) if other.abs_diff(to) == 1 => return,
        Some(other) => other,
        None if to > 0 => to - 1,
        None => slots.len() - 1,
    };
    slots.remove(given);
    let to = at(slots, focus).unwrap_or(0);
    slots.insert(to, from);
}

/// Columns of the same width; the first one has `share` columns more.
fn place(area: Area, slots: &[Slot], share: u16) -> Vec<Column> {
    let count = u16::try_from(slots.len()).unwrap_or(1).max(1);
    // One cell between columns.
    let free = area.width.saturating_sub(count - 1 + share);
    let mut x = area.x;
    let mut columns = Vec::with_capacity(slots.len());
    for (place, &slot) in (0..count).zip(slots) {
        let share = if place == 0 { share } else { 0 };
        let wide = free / count + share;
        // Cells that are left over are nobody's text: the same line is cut alike in all columns.
        let width = wide + u16::from(place < free % count);
        let whole = Area { x, width, ..area };
        let (title, rest) = whole.split_top(1);
        let (file, text) = rest.split_top(1);
        let text = Area {
            width: wide,
            ..text
        };
        columns.push(Column {
            slot,
            title,
            file,
            text,
            share,
        });
        x = x.saturating_add(width + 1);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(width: u16, height: u16) -> Area {
        Area {
            x: 0,
            y: 0,
            width,
            height,
        }
    }

    #[test]
    fn columns_fill_the_width_and_show_the_focus() {
        let order: Vec<_> = (0..8).rev().collect();
        let mut state = State::default();
        state.focus_on(0, 0);
        for (width, count) in [(200, 3), (120, 2), (80, 1), (60, 1), (260, 4)] {
            let layout = Layout::of(screen(width, 40), &state, &order, false);
            assert_eq!(layout.columns.len(), count);
            assert!(layout.column(Some(0)).is_some(), "{width}");
            let last = layout.columns[count - 1].title;
            assert_eq!(last.x + last.width, width);
            for share in [0, 4] {
                let mut layout = layout.clone();
                layout.shape = Shape::Aligned;
                layout.keep_shares(share);
                let texts = layout.columns.iter();
                let texts: Vec<_> = texts.map(|c| c.text.width - c.share).collect();
                assert!(texts.iter().all(|&text| text == texts[0]), "{texts:?}");
                let last = layout.columns[count - 1].title;
                assert_eq!(last.x + last.width, width);
            }
        }
    }

    #[test]
    fn the_strip_takes_at_most_two_fifths() {
        let order: Vec<_> = (0..32).collect();
        let mut state = State::default();
        state.focus_on(0, 31);
        let layout = Layout::of(screen(80, 28), &state, &order, false);
        assert_eq!(layout.strip.height, 10);
        assert_eq!(layout.strip_first, 32 - 10);
        let layout = Layout::of(screen(80, 22), &state, &order, false);
        assert_eq!(layout.strip.height, SHORT_STRIP);
        assert!(layout.columns[0].text.height >= 12);
        state.strip_folded = true;
        assert_eq!(
            Layout::of(screen(80, 24), &state, &order, false)
                .strip
                .height,
            1
        );
    }

    #[test]
    fn the_reference_is_the_last_column_beside_a_candidate() {
        let order = [2, 1, 0];
        let mut state = State::default();
        state.reference = true;
        let narrow = Layout::of(screen(80, 24), &state, &order, true);
        let slots: Vec<_> = narrow.columns.iter().map(|column| column.slot).collect();
        assert_eq!(slots, [Some(2), None]);
        let without = Layout::of(screen(80, 24), &state, &order, false);
        assert_eq!(without.columns.len(), 1);
    }
}
