//! Three small patches on one base.

use std::sync::Arc;

use super::*;
use crate::diff::{Aligned, Bases, CandidatePatch, Patch};
use crate::tui::document::{Anchor, Change, Document, Revealed, Row};

const FIRST: &str = "--- a/x\n+++ b/x\n@@ -2,3 +2,4 @@\n b\n-c\n+C\n+CC\n d\n";
const SECOND: &str = "--- a/x\n+++ b/x\n@@ -3,2 +3,1 @@\n c\n-d\n@@ -40,1 +39,2 @@\n z\n+end\n";
const OTHER: &str = "--- a/y\n+++ b/y\n@@ -1,1 +1,1 @@\n-1\n+2\n";

fn grid(shown: &[usize], revealed: Revealed) -> Arc<Grid> {
    let candidates = [FIRST, SECOND, OTHER].map(|text| CandidatePatch {
        patch: Arc::new(Patch::read(Arc::from(text))),
        passing: true,
    });
    let aligned = Arc::new(Aligned::of(&candidates, &Bases::default()));
    Arc::new(Grid::of(aligned, shown.to_vec(), revealed, false))
}

fn shown(document: &Document) -> Vec<String> {
    let said = |row: usize| match document.row(row) {
        Some(Row::Code(code)) => {
            let sign = match code.change {
                Change::Untouched => '.',
                Change::Context => ' ',
                Change::Added => '+',
                Change::Removed => '-',
            };
            format!("{sign}{}", code.text)
        }
        Some(Row::Filler) => "/".to_owned(),
        Some(Row::Fold(said)) => said,
        Some(Row::File { file }) => document.file_title(file),
        _ => String::new(),
    };
    (0..document.len()).map(said).collect()
}

#[test]
fn columns_share_their_rows() {
    let grid = grid(&[0, 1], Revealed::default());
    let first = Document::aligned(Arc::clone(&grid), 0);
    let second = Document::aligned(Arc::clone(&grid), 1);
    let gap = "⋯ 35 lines not quoted";
    let head = "⋯ 1 line not quoted";
    let closed = "⋯ changed by one candidate without a column";
    assert_eq!(
        shown(&first),
        [
            head, " b", "-c", "+C", "+CC", " d", gap, ".z", "/", "", "· y", closed
        ]
    );
    assert_eq!(
        shown(&second),
        [
            head, ".b", " c", "/", "/", "-d", gap, " z", "+end", "", "· y", closed
        ]
    );
    assert_eq!(first.change_starts(), [2]);
    assert_eq!(second.change_starts(), [5, 8]);
}

#[test]
fn places_are_found_again() {
    let grid = grid(&[0, 1], Revealed::default());
    let first = Document::aligned(grid, 0);
    for row in [1, 2, 3, 4, 5] {
        let line = first.line(row).unwrap();
        assert_eq!(first.row_of(line.file, line.hunk, line.line), Some(row));
        assert_eq!(first.find_anchor(first.anchor(row).unwrap()), Some(row));
    }
    let behind = Anchor {
        path: "x",
        line: 20,
        after: 0,
        header: false,
    };
    assert_eq!(first.find_anchor(behind), Some(6), "in the fold");
    assert_eq!(first.line(7), None);
    assert_eq!(first.base_line(7), Some((0, 40)));
    assert_eq!((first.base_line(1), first.base_line(6)), (None, None));
    assert_eq!(first.texts(7), [Some("z"), None]);
}

#[test]
fn files_and_known_lines_fold() {
    let mut revealed = Revealed::default();
    revealed.folded.insert(0);
    let first = Document::aligned(grid(&[0, 2], revealed), 0);
    assert_eq!(shown(&first), ["⋯ folded", "", "· y", ".1", "/"]);
    let mut revealed = Revealed::default();
    revealed.unfold(0, (10, 60));
    assert!(revealed.shows(0, 19) && !revealed.shows(0, 20) && revealed.shows(0, 51));
    assert!(revealed.fold(0, 12) && !revealed.shows(0, 12) && !revealed.fold(0, 12));
}

#[test]
fn lines_that_differ_in_white_space_only_share_a_row() {
    let texts = [
        "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+  b\n c\n",
        "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B!\n c\n",
    ];
    let candidates = texts.map(|text| CandidatePatch {
        patch: Arc::new(Patch::read(Arc::from(text))),
        passing: true,
    });
    let aligned = Arc::new(Aligned::of(&candidates, &Bases::default()));
    let quiet = |columns: &[usize]| {
        let grid = Grid::of(
            Arc::clone(&aligned),
            columns.to_vec(),
            Revealed::default(),
            true,
        );
        Document::aligned(Arc::new(grid), 0)
    };
    let alone = quiet(&[0]);
    assert_eq!(shown(&alone), [" a", "   b", " c"]);
    assert_eq!(alone.hidden(), 1);
    assert!(alone.change_starts().is_empty());
    assert_eq!(alone.row_of(0, 0, 2), Some(1));
    let beside = quiet(&[0, 1]);
    assert_eq!(shown(&beside), [" a", "   b", "/", " c"]);
}

#[test]
fn lines_stay_in_the_order_of_the_new_file() {
    let text = "--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n a\n-b\n+with\n+  b\n c\n";
    let candidates = [CandidatePatch {
        patch: Arc::new(Patch::read(Arc::from(text))),
        passing: true,
    }];
    let aligned = Arc::new(Aligned::of(&candidates, &Bases::default()));
    let grid = Grid::of(aligned, vec![0], Revealed::default(), true);
    let document = Document::aligned(Arc::new(grid), 0);
    assert_eq!(shown(&document), [" a", " b", "+with", "   b", " c"]);
    assert_eq!(document.row_of(0, 0, 3), Some(3));
    assert_eq!(document.change_starts(), [2]);
}
