//! Rows, places and texts of small patches.

use std::collections::BTreeSet;

use super::*;
use crate::tui::document::Document;

const PATCH: &str = "\
--- a/one.py
+++ b/one.py
@@ -1,3 +1,3 @@ def f
 a
-let b = 1
+let b = 2
 c
@@ -100,2 +100,3 @@
 x
+new
 y
--- a/two.py
+++ b/two.py
@@ -7,1 +7,1 @@
-old
+new
";

fn rows() -> Document {
    Document::own(
        Arc::new(Patch::read(Arc::from(PATCH))),
        false,
        &BTreeSet::new(),
    )
}

#[test]
fn files_and_hunks_have_their_rows() {
    let rows = rows();
    assert_eq!(rows.change_starts(), [2, 7, 12]);
    assert_eq!(rows.file_starts(), [0, 11]);
    assert_eq!(rows.file_at(9), Some(0));
    assert_eq!(rows.file_at(10), Some(1));
    assert_eq!(rows.files_between(8, 12), [0, 1]);
    assert_eq!((rows.digits(80), rows.digits(14)), (3, 1));
}

#[test]
fn anchors_lead_to_the_same_place() {
    let rows = rows();
    let at = |path, line, after, header| Anchor {
        path,
        line,
        after,
        header,
    };
    assert_eq!(rows.anchor(0), Some(at("one.py", 1, 0, true)));
    assert_eq!(rows.anchor(7), Some(at("one.py", 100, 1, false)));
    assert_eq!(rows.anchor(11), Some(at("two.py", 7, 0, true)));
    assert_eq!(rows.find_anchor(at("one.py", 2, 0, false)), Some(2));
    assert_eq!(rows.find_anchor(at("one.py", 2, 5, false)), Some(3));
    assert_eq!(rows.find_anchor(at("one.py", 50, 0, false)), Some(5));
    assert_eq!(rows.find_anchor(at("one.py", 5000, 0, false)), Some(5));
    assert_eq!(rows.find_anchor(at("two.py", 0, 0, false)), Some(11));
    assert_eq!(rows.find_anchor(at("three.py", 1, 0, false)), None);
}

#[test]
fn changed_words_are_those_of_the_paired_line() {
    let rows = rows();
    let words = |row: usize| match rows.row(row) {
        Some(Row::Code(code)) => code.words,
        _ => Vec::new(),
    };
    assert_eq!(words(2), vec![8..9; 1]);
    assert_eq!(words(3), vec![8..9; 1]);
    assert!(words(1).is_empty());
}

#[test]
fn no_patch_has_no_rows() {
    let rows = Document::own(Arc::new(Patch::missing()), false, &BTreeSet::new());
    assert!(rows.is_empty());
    assert_eq!(rows.file_at(0), None);
    assert_eq!(rows.files_between(0, 40), Vec::<usize>::new());
}

#[test]
fn old_and_new_lines_that_are_paired_share_a_row() {
    let text = "\
--- a/x
+++ b/x
@@ -1,5 +1,5 @@
 a
-let b = 1
-gone entirely
 c
+let first = 1
+let second = 2
-last
\\ No newline at end of file
+last!
";
    let patch = Arc::new(Patch::read(Arc::from(text)));
    let document = Document::own(patch, true, &BTreeSet::new());
    let sides = |row: usize| -> (Option<u32>, Option<u32>) {
        match document.row(row) {
            Some(Row::Split(old, new)) => (
                old.and_then(|code| code.old_no),
                new.and_then(|code| code.new_no),
            ),
            _ => (None, None),
        }
    };
    let all: Vec<_> = (2..document.len()).map(sides).collect();
    let expected = [
        (Some(1), Some(1)),
        (Some(2), None),
        (Some(3), None),
        (Some(4), Some(2)),
        (None, Some(3)),
        (None, Some(4)),
        (Some(5), Some(5)),
        (None, None),
    ];
    assert_eq!(all, expected);
    assert_eq!(
        document.row(9),
        Some(Row::NoNewline {
            old: true,
            new: false
        })
    );
    assert_eq!(document.change_starts(), [3]);
    assert_eq!(document.row_of(0, 0, 4), Some(6));
    assert_eq!(
        document.anchor(7),
        Some(Anchor {
            path: "x",
            line: 4,
            after: 2,
            header: false
        })
    );
    assert_eq!(document.raw_at(7), None);
}

#[test]
fn lines_of_text_that_is_no_hunk_are_counted_by_file() {
    let patch = Patch::read(Arc::from("no diff\nat all"));
    let document = Document::own(Arc::new(patch), false, &BTreeSet::new());
    let row = document.row_of_raw(0, 1).unwrap();
    assert_eq!(document.texts(row)[0], Some("at all"));
    assert_eq!(document.raw_at(row), Some(1));
    assert_eq!(document.row_of_raw(0, 2), None);
}

#[test]
fn a_combined_diff_has_a_column_of_signs_per_parent() {
    let text = "diff --cc x\nindex 1,2,3,4..5\n--- a/x\n+++ b/x\n\
                @@@@@ -1,1 -1,1 -1,1 -1,1 +1,2 @@@@@\n    a\n++++b\n";
    let merge = Document::own(
        Arc::new(Patch::read(Arc::from(text))),
        false,
        &BTreeSet::new(),
    );
    assert_eq!(merge.signs(), 4);
    assert_eq!(merge.gutter(80), rows().gutter(80) + 3);
}

const BLANKS: &str = "\
--- a/x
+++ b/x
@@ -2,3 +2,3 @@
 b
-c
+ c
 d
@@ -5,4 +5,4 @@
 e
-if a
-  f()
+  if a
+    f()
 h
@@ -20,4 +20,4 @@
 t
-old
-u
+new
+u 
 v
";

fn said(document: &Document) -> Vec<String> {
    let side = |code: Option<Code<'_>>| {
        code.map_or("/".to_owned(), |code| {
            let sign = match (code.change, code.mark) {
                (_, Some(Mark::Whitespace)) => '~',
                (Change::Untouched, _) => '.',
                (Change::Context, _) => ' ',
                (Change::Added, _) => '+',
                (Change::Removed, _) => '-',
            };
            let number = |no: Option<u32>| no.map_or(String::new(), |no| no.to_string());
            let (old, new) = (number(code.old_no), number(code.new_no));
            format!("{old},{new}{sign}{}", code.text)
        })
    };
    let row = |row: usize| match document.row(row) {
        Some(Row::Code(code)) => side(Some(code)),
        Some(Row::Split(old, new)) => format!("{} | {}", side(old), side(new)),
        Some(Row::Fold(said) | Row::Hunk(said)) => said,
        _ => String::new(),
    };
    (0..document.len()).map(row).collect()
}

fn quiet(split: bool) -> Document {
    let view = View {
        split,
        quiet: true,
        ..View::default()
    };
    Document::own_in(Arc::new(Patch::read(Arc::from(BLANKS))), view)
}

#[test]
fn changes_of_white_space_only_are_hidden_and_counted() {
    let unified = quiet(false);
    let hidden = "⋯ 3 white-space-only changes hidden";
    let rows = said(&unified);
    assert_eq!(rows[0], hidden);
    assert!(rows[1].starts_with("@@"), "{rows:?}");
    assert_eq!(
        rows[2..],
        ["20,20 t", "21,-old", ",21+new", "22,22~u ", "23,23 v"]
    );
    assert_eq!(unified.hidden(), 4);
    assert_eq!(unified.change_starts(), [3]);
    assert_eq!(unified.row_of(0, 1, 2), Some(0));
    assert_eq!(unified.row_of(0, 2, 2), Some(5));
    assert_eq!(unified.row_of(0, 2, 4), Some(5));
    assert!(!unified.is_change(5) && unified.is_change(4));
    let split = said(&quiet(true));
    assert!(split.contains(&"22,~u | ,22~u ".to_owned()), "{split:?}");
}

#[test]
fn a_shifted_block_is_said_to_be() {
    let all = Document::own(
        Arc::new(Patch::read(Arc::from(BLANKS))),
        false,
        &BTreeSet::new(),
    );
    let notes = (0..all.len()).filter_map(|row| match all.row(row) {
        Some(Row::Code(code)) => Some((row, code.note?)),
        _ => None,
    });
    let notes: Vec<_> = notes.collect();
    assert_eq!(
        notes,
        [(9, "↹ 2 lines re-indented, 2 blanks deeper".to_owned())]
    );
    assert_eq!(all.hidden(), 0);
}

#[test]
fn lines_between_hunks_open_where_the_base_is_known() {
    let lines: String = (1..=130).map(|line| format!("line {line}\n")).collect();
    let text = "--- a/x\n+++ b/x\n@@ -40,2 +40,3 @@\n line 40\n+new\n line 41\n\
                @@ -43,1 +44,1 @@\n-line 43\n+other\n";
    let patch = Arc::new(Patch::read(Arc::from(text)));
    let mut bases = Bases::default();
    bases.insert("x", Arc::from(lines), crate::diff::BaseOrigin::Record);
    let mut revealed = Revealed::default();
    let show = |revealed: &Revealed| {
        let view = View {
            revealed,
            bases: Some(&bases),
            ..View::default()
        };
        Document::own_in(Arc::clone(&patch), view)
    };
    let folded = show(&revealed);
    let rows = said(&folded);
    assert_eq!(rows[0], "⋯ 39 unchanged");
    assert_eq!(
        rows[2..6],
        ["40,40 line 40", ",41+new", "41,42 line 41", "42,43.line 42"]
    );
    assert_eq!(rows[9], "⋯ 87 unchanged");
    assert_eq!(rows.len(), 10);
    assert!(folded.has_base());
    let anchor = folded.anchor(5).unwrap();
    assert_eq!(folded.find_anchor(anchor), Some(5));
    assert_eq!(folded.base_line(5), Some((0, 42)));
    let (file, fold) = folded.fold_at(9).unwrap();
    revealed.unfold(file, fold);
    let opened = show(&revealed);
    let rows = said(&opened);
    assert_eq!(rows[9], "44,45.line 44");
    assert_eq!(rows[19], "⋯ 67 unchanged");
    assert_eq!(rows[29], "130,131.line 130");
    let anchor = opened.anchor(25).unwrap();
    assert_eq!(opened.find_anchor(anchor), Some(25));
    assert_eq!(folded.find_anchor(anchor), Some(9));
    revealed.all = true;
    assert_eq!(show(&revealed).len(), 134);
}
