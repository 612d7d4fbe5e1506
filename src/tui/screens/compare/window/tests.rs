//! Every way of scrolling comes past every line, however high rows and window are.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::diff::{Aligned, Bases, CandidatePatch, Patch};
use crate::tui::document::{Grid, Revealed};

/// A patch whose new lines have these lengths; every third one takes the place of an old one.
fn patch(lengths: &[usize]) -> Arc<Patch> {
    let old = lengths.len().div_ceil(3);
    let mut text = format!(
        "--- a/x\n+++ b/x\n@@ -1,{old} +1,{} @@ section\n",
        lengths.len()
    );
    for (place, &length) in lengths.iter().enumerate() {
        if place % 3 == 0 {
            let _ = writeln!(text, "-{}", "o".repeat(length / 2));
        }
        let _ = writeln!(text, "+{}", "n".repeat(length));
    }
    Arc::new(Patch::read(Arc::from(text)))
}

fn documents(lengths: &[usize]) -> [Document; 3] {
    let patch = patch(lengths);
    let candidates = [CandidatePatch {
        patch: Arc::clone(&patch),
        passing: true,
    }];
    let aligned = Arc::new(Aligned::of(&candidates, &Bases::default()));
    let grid = Grid::of(aligned, vec![0], Revealed::default(), false);
    let none = BTreeSet::new();
    [
        Document::own(Arc::clone(&patch), false, &none),
        Document::own(patch, true, &none),
        Document::aligned(Arc::new(grid), 0),
    ]
}

fn all_lines(window: &Window) -> BTreeSet<Position> {
    let rows = 0..window.rows();
    let lines =
        rows.flat_map(|row| (0..window.height(row)).map(move |line| Position { row, line }));
    lines.collect()
}

/// The lines in a window.
fn seen(window: &Window, top: Position) -> BTreeSet<Position> {
    let lines = 0..window.lines;
    let at = lines.map(|line| top.down(line, window.rows(), |row| window.height(row)));
    at.collect()
}

/// Moves until nothing changes; every line that was seen, and where that ends.
fn go_on(
    window: &Window,
    from: Place,
    step: impl Fn(Place) -> Place,
) -> (BTreeSet<Position>, Place) {
    let most = 2 * all_lines(window).len() + window.rows() + 9;
    let mut place = from;
    let mut all = seen(window, place.top);
    for _ in 0..most {
        let next = step(place);
        all.extend(seen(window, next.top));
        let cursor_end = window.end_of(next.cursor);
        let in_sight =
            cursor_end >= next.top && Position::at(next.cursor) <= window.bottom(next.top);
        assert!(in_sight, "{next:?} after {place:?}");
        if next == place {
            return (all, place);
        }
        place = next;
    }
    panic!("scrolling does not end: {place:?}");
}

/// A way through a document.
type Way = fn(&Window, Place, Go) -> Place;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_line_is_come_past(
        lengths in prop::collection::vec(prop_oneof![4 => 0..30usize, 1 => 0..900usize], 1..40),
        lines in 1..30usize,
        page in 1..30usize,
        wrap in any::<bool>(),
    ) {
        let page = page.min(lines);
        for document in documents(&lengths) {
            let window = Window { document: Arc::new(document), lines, width: 20, wrap };
            let all = all_lines(&window);
            let (last, lowest) = (window.rows() - 1, window.lowest());
            let ways: [(&str, Way, usize); 3] =
                [("j", Window::step, 1), ("page", Window::leaf, page), ("wheel", Window::roll, 3.min(lines))];
            for (name, way, by) in ways {
                let down = |place| way(&window, place, Go::Down(by));
                let (passed, end) = go_on(&window, Place::default(), down);
                prop_assert_eq!(&passed, &all, "{} down", name);
                prop_assert_eq!(end.top, lowest, "{} down", name);
                let bottom = window.step(Place::default(), Go::Bottom);
                prop_assert_eq!(bottom, Place { top: lowest, cursor: last });
                let up = |place| way(&window, place, Go::Up(by));
                let (passed, end) = go_on(&window, bottom, up);
                prop_assert_eq!(&passed, &all, "{} up", name);
                prop_assert_eq!(end.top, Position::default(), "{} up", name);
                if name != "wheel" {
                    prop_assert_eq!(end.cursor, 0);
                }
            }
        }
    }

    #[test]
    fn ways_can_be_mixed(
        lengths in prop::collection::vec(0..400usize, 1..20),
        lines in 1..20usize,
        moves in prop::collection::vec(0..6usize, 0..60),
    ) {
        for document in documents(&lengths) {
            let window = Window { document: Arc::new(document), lines, width: 20, wrap: true };
            let mut place = Place::default();
            let mut moves: VecDeque<usize> = moves.iter().copied().collect();
            while let Some(wanted) = moves.pop_front() {
                let page = lines.saturating_sub(2).max(1);
                let next = match wanted {
                    0 => window.step(place, Go::Down(1)),
                    1 => window.step(place, Go::Up(1)),
                    2 => window.leaf(place, Go::Down(page)),
                    3 => window.leaf(place, Go::Up(page)),
                    4 => window.roll(place, Go::Down(3)),
                    _ => window.jump(place, lengths.len() / 2),
                };
                if wanted == 2 {
                    prop_assert!(next.top > place.top || place.top >= window.lowest());
                }
                if wanted == 3 {
                    prop_assert!(next.top < place.top || place.top == Position::default());
                }
                place = next;
            }
            let down = |place| window.leaf(place, Go::Down(lines.saturating_sub(2).max(1)));
            let (_, end) = go_on(&window, place, down);
            prop_assert!(end.top >= window.lowest());
            prop_assert_eq!(end.cursor, window.rows() - 1);
        }
    }
}
