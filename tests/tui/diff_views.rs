//! The diff views by keys: aligned, side by side, folds, interdiff, white space, and the odd patches
//! of `tests/diff-cases`.

use std::path::PathBuf;

use gagar::tui::testing::Harness;

use crate::native;

/// A group of the sample in the compare screen.
fn compare(columns: u16, rows: u16) -> Harness {
    let mut harness = native(columns, rows);
    harness.press("<enter>");
    harness
}

#[test]
fn columns_share_the_rows_of_their_base() {
    insta::assert_snapshot!(compare(200, 60).screen());
}

#[test]
fn each_column_on_its_own() {
    insta::assert_snapshot!(compare(120, 40).press("A").screen());
}

#[test]
fn old_and_new_side_by_side() {
    insta::assert_snapshot!(compare(120, 40).press("|||n").screen());
}

#[test]
fn a_file_folds_to_its_header() {
    let mut harness = compare(80, 24);
    let before = harness.screen();
    let folded = harness.press("j<space>").screen();
    assert!(folded.contains("lines folded"), "{folded}");
    assert_eq!(
        harness.press("<space>").screen().lines().nth(14),
        before.lines().nth(14)
    );
}

#[test]
fn lines_of_the_base_between_hunks_open() {
    let mut harness = compare(80, 24);
    assert!(harness.screen().contains("▸ ⋯ 11 unchanged"));
    let open = harness.press("<space>").screen();
    assert!(open.contains("▸ 1   1"), "{open}");
    let all = harness.press("z").screen();
    assert!(all.contains("all lines of the base are shown"), "{all}");
    assert!(!all.contains("unchanged"), "{all}");
    assert!(harness.press("zgg").screen().contains("▸ ⋯ 11 unchanged"));
}

#[test]
fn changes_of_white_space_only_are_hidden_and_counted() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/diff-cases");
    let patch = root.join("18-whitespace-only-change/change.patch");
    let mut harness = Harness::open(&[&patch, &patch], 120, 40).unwrap();
    harness.press("<enter>");
    assert!(!harness.screen().contains("white-space-only"));
    for keys in ["W", "A", "|||v"] {
        let shown = harness.press(keys).screen();
        assert!(shown.contains("white-space-only hidden"), "{shown}");
    }
    assert!(!harness.press("W").screen().contains("white-space-only"));
}

#[test]
fn an_interdiff_says_between_whom_and_how_sure_it_is() {
    let mut harness = compare(120, 40);
    let same = harness.press("i").screen();
    assert!(same.contains("interdiff F → C: same result"), "{same}");
    let next = harness.press("I").screen();
    assert!(next.contains("interdiff A → C: exact"), "{next}");
    insta::assert_snapshot!(next);
    let back = harness.press("<esc>").screen();
    assert!(!back.contains("interdiff A"), "{back}");
}

#[test]
fn the_cursor_moves_and_the_window_follows_with_a_margin() {
    let mut harness = compare(80, 24);
    let place = |harness: &Harness| {
        let compare = &harness.model.compare;
        compare.place(compare.focus())
    };
    harness.press("jj");
    assert_eq!(place(&harness).cursor, 2);
    assert_eq!(place(&harness).top.row, 0);
    harness.press("jjjjjjj");
    assert!(place(&harness).top.row > 0);
    harness.press("gg");
    assert_eq!(place(&harness).cursor, 0);
    harness.press("ge");
    let document = harness
        .model
        .compare
        .document(harness.model.compare.focus());
    assert_eq!(place(&harness).cursor, document.unwrap().len() - 1);
}

#[test]
fn jumps_lead_to_what_differs_and_to_what_only_one_touches() {
    let mut harness = compare(200, 60);
    let cursor = |harness: &Harness| {
        let compare = &harness.model.compare;
        compare.place(compare.focus()).cursor
    };
    harness.press("d");
    let first = cursor(&harness);
    assert!(first > 0);
    harness.press("d");
    assert!(cursor(&harness) > first);
    harness.press("D");
    assert_eq!(cursor(&harness), first);
    harness.press("bbbbbbbbbbbb");
    assert!(harness.screen().contains("no place that only"));
}

#[test]
fn the_columns_are_scrolled_through_the_ranking() {
    let mut harness = compare(120, 40);
    let first = |harness: &Harness| harness.model.compare.first_column;
    assert_eq!(first(&harness), 0);
    harness.press("]]");
    assert_eq!(first(&harness), 2);
    harness.press("[[");
    assert_eq!(first(&harness), 0);
    assert!(harness.press("[").screen().contains("first candidate"));
}

#[test]
fn odd_patches_are_shown_in_every_view() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/diff-cases");
    let mut seen = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let folder = entry.unwrap().path();
        let patch = folder.join("change.patch");
        if !patch.is_file() {
            continue;
        }
        seen += 1;
        for (columns, rows) in [(120, 40), (80, 24)] {
            let mut harness = Harness::open(&[&patch, &patch], columns, rows).unwrap();
            harness.press("<enter>");
            for keys in [
                "v",
                "A",
                "w",
                "W",
                "n",
                "z",
                "zG",
                "i",
                "<esc>",
                "gg<space>",
            ] {
                let screen = harness.press(keys).screen();
                let safe = screen.chars().all(|c| c == '\n' || !c.is_control());
                assert!(safe && !screen.contains('\u{202e}'), "{keys}: {screen}");
            }
        }
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn side_by_side_comes_back_to_what_it_left() {
    let mut harness = compare(120, 40);
    let mut mode = |keys: &str| {
        let screen = harness.press(keys).screen();
        let modes = ["aligned ·", "side by side ·", "own ·"];
        modes.into_iter().find(|mode| screen.contains(mode))
    };
    assert_eq!(mode("gg"), Some("aligned ·"));
    assert_eq!(mode("v"), Some("side by side ·"));
    assert_eq!(mode("v"), Some("aligned ·"));
    assert_eq!(mode("A"), Some("own ·"));
    assert_eq!(mode("v"), Some("side by side ·"));
    assert_eq!(mode("v"), Some("own ·"));
    assert_eq!(mode("vA"), Some("aligned ·"));
    // With one column old and new stand side by side at first.
    assert_eq!(mode("|||"), Some("side by side ·"));
    assert_eq!(mode("v"), Some("own ·"));
    assert_eq!(mode("v"), Some("side by side ·"));
}

#[test]
fn the_cursor_is_seen_on_rows_of_other_columns() {
    let mut harness = compare(200, 60);
    let mut rows = (0..40).map(|_| harness.press("j").screen().contains("▸╱╱"));
    assert!(rows.any(|seen| seen));
    let mut harness = compare(120, 40);
    harness.press("|||");
    let mut rows = (0..40).map(|_| harness.press("j").screen().contains("▸╱╱"));
    assert!(rows.any(|seen| seen));
}

#[test]
fn jumps_say_what_they_compared() {
    let mut harness = compare(120, 40);
    let screen = harness.press("ged").screen();
    let said = "the columns shown differ nowhere further down (] shows others)";
    assert!(screen.contains(said), "{screen}");
    let screen = harness.press("Aged").screen();
    let said = "the candidates differ nowhere further down this patch";
    assert!(screen.contains(said), "{screen}");
}

#[test]
fn the_list_of_files_tells_whose_they_are() {
    let mut harness = compare(200, 60);
    let screen = harness.press("f").screen();
    assert!(
        screen.contains("files of the group: 3, C touches 1"),
        "{screen}"
    );
    let screen = harness.press("A").screen();
    assert!(screen.contains("files of C: 1"), "{screen}");
    let listed = |screen: &str| {
        let mut lines = screen.lines();
        let line = lines.find(|line| line.starts_with("▸fetcher/retry.py"));
        line.map(|line| line.split('│').next().unwrap_or_default().to_owned())
    };
    assert!(listed(&screen).unwrap().ends_with("4/4"), "{screen}");
    let screen = harness.press("II").screen();
    assert!(screen.contains("files of the interdiff: 1"), "{screen}");
    assert!(listed(&screen).unwrap().ends_with("−9"), "{screen}");
}

#[test]
fn an_unscored_group_has_no_credit_to_speak_of() {
    let folder = tempfile::tempdir().unwrap();
    let patch = |line: &str| format!("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b\n+{line}\n");
    for (name, line) in [("one.patch", "c"), ("two.patch", "d")] {
        std::fs::write(folder.path().join(name), patch(line)).unwrap();
    }
    let files = ["one.patch", "two.patch"].map(|name| folder.path().join(name));
    let mut harness = Harness::open(&files, 120, 40).unwrap();
    let screen = harness.screen();
    assert!(screen.contains("2 candidates, none scored"), "{screen}");
    if harness.model.screen != gagar::tui::model::Screen::Compare {
        assert!(!screen.contains("dropped"), "{screen}");
        harness.press("<enter>");
    }
    let screen = harness.screen();
    assert!(screen.contains("2 candidates, none scored"), "{screen}");
    assert!(
        !screen.contains("dropped") && !screen.contains('Σ'),
        "{screen}"
    );
    assert!(screen.contains("⚕ repaired"), "{screen}");
    let screen = harness.press("gk").screen();
    assert!(screen.contains("x: ⚕ repaired: "), "{screen}");
}

#[test]
fn a_place_in_a_candidate_without_a_column_is_shown_at_its_line() {
    let mut harness = native(160, 50);
    while harness.model.compare.group.is_none() || !harness.screen().contains("textkit__slug-101") {
        let keys = match harness.model.compare.group {
            None => "<enter>",
            Some(_) => ")",
        };
        harness.press(keys);
    }
    harness.press("g/while result in taken<enter><enter>");
    let compare = &harness.model.compare;
    let slot = compare.focus();
    let document = compare.document(slot).unwrap();
    let line = document.line(compare.place(slot).cursor).unwrap();
    assert_eq!(line.text, "    while result in taken:");
}
