use gagar::tui::effect::{Effect, Outside};
use gagar::tui::testing::Harness;

use crate::native;

#[test]
fn the_file_matrix() {
    for (width, height, name) in [(80, 24, "matrix_80"), (120, 40, "matrix_120")] {
        let screen = native(width, height).press("<enter>F").screen();
        insta::assert_snapshot!(name, screen);
    }
    let mut narrow = native(80, 24);
    let screen = narrow.press("<enter>Fllllllge").screen();
    insta::assert_snapshot!("matrix_80_last_column", screen);
}

#[test]
fn a_file_of_the_matrix_is_opened_in_the_candidates_patch() {
    let mut harness = native(120, 40);
    harness.press("<enter>gm}<space>");
    let screen = harness.screen();
    assert!(screen.contains("C does not touch this file"), "{screen}");
    let screen = harness.press("lll<space>").screen();
    assert!(screen.contains("▸ E ● pass"), "{screen}");
    assert!(screen.contains("fetcher/client.py"), "{screen}");
    assert!(screen.contains("file 2/3"), "{screen}");
}

#[test]
fn the_tests_panel() {
    for (width, height, name) in [(80, 24, "tests_80"), (120, 40, "tests_120")] {
        let screen = native(width, height).press("<enter>c").screen();
        insta::assert_snapshot!(name, screen);
    }
}

#[test]
fn the_next_failing_test_and_its_log() {
    let mut harness = native(120, 40);
    let screen = harness.press("<enter>cf").screen();
    assert!(screen.contains("no test below failed on C"), "{screen}");
    let screen = harness.press("lllllf").screen();
    assert!(screen.contains("D: failed"), "{screen}");
    let screen = harness.press("ff").screen();
    assert!(
        screen.contains("this is the last test that failed on D"),
        "{screen}"
    );
    let screen = harness.press("L").screen();
    assert!(screen.contains("log of the test run of D"), "{screen}");
    let screen = harness.press("/fail<enter>").screen();
    assert!(screen.contains("match 1 of 3"), "{screen}");
    let screen = harness.press("<ctrl-n>").screen();
    assert!(screen.contains("match 2 of 3"), "{screen}");
    let screen = harness.press("l").screen();
    assert!(screen.contains("log of the test run of G"), "{screen}");
    let screen = harness.press("<esc>").screen();
    assert!(screen.contains("is taken off"), "{screen}");
    let screen = harness.press("<esc>").screen();
    assert!(screen.contains("fail to pass"), "{screen}");
}

#[test]
fn the_lines_that_name_a_test() {
    let mut harness = native(120, 40);
    harness.press("<enter>c");
    let screen = harness.press("<space>").screen();
    assert!(
        screen.contains("no patch has a line that names"),
        "{screen}"
    );
}

#[test]
fn small_letters_stand_for_both_cases_and_a_broken_pattern_is_told() {
    let mut harness = native(120, 40);
    let screen = harness.press("<enter>/PAUSE<enter>").screen();
    assert!(
        screen.contains("\"PAUSE\" is not in this patch"),
        "{screen}"
    );
    let screen = harness.press("/<ctrl-u>pause<enter>").screen();
    assert!(screen.contains("match 1 of"), "{screen}");
    let screen = harness.press("/<ctrl-u>re:(pause<enter>").screen();
    assert!(screen.contains("unclosed group"), "{screen}");
    let screen = harness.press("<ctrl-u>re:paus[e]\\b<enter>").screen();
    assert!(screen.contains("match 1 of"), "{screen}");
    let screen = harness.press("t/<ctrl-u>limit<enter>").screen();
    assert!(screen.contains("match 1 of"), "{screen}");
    let screen = harness.press("<esc>F/<ctrl-u>client<enter>").screen();
    assert!(screen.contains("match 1 of 1"), "{screen}");
    let screen = harness.press("<esc>c/<ctrl-u>limit<enter>").screen();
    assert!(screen.contains("match 1 of 1"), "{screen}");
    assert!(screen.contains("▸≠test_limit_holds"), "{screen}");
}

/// What was copied last.
fn copied(harness: &Harness) -> &str {
    match harness.effects().last() {
        Some(Effect::Copy(text)) => text,
        other => panic!("nothing was copied last: {other:?}"),
    }
}

#[test]
fn a_line_a_hunk_a_path_and_the_patch_are_copied() {
    let mut harness = native(120, 40);
    let screen = harness.press("<enter>/sleep(<enter>yy").screen();
    assert!(copied(&harness).contains("sleep("), "{}", copied(&harness));
    assert!(screen.contains("line copied: "), "{screen}");
    assert!(screen.contains("the terminal must allow it"), "{screen}");
    harness.press("yf");
    assert_eq!(copied(&harness), "fetcher/retry.py");
    harness.press("yp");
    let patch = copied(&harness).to_owned();
    harness.press("yh");
    let hunk = copied(&harness);
    assert!(hunk.starts_with("diff --git a/fetcher/retry.py b/fetcher/retry.py\n--- a/"));
    assert!(hunk.ends_with('\n') && patch.starts_with("diff --git"));
}

#[test]
fn what_is_too_long_for_a_clipboard_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.jsonl");
    let patch = format!(
        "--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,2 @@\n a\n+{}\n",
        "x".repeat(80_000)
    );
    let row = serde_json::json!({
        "group_id": "g", "trajectory_id": "a", "reward": 1, "patch": patch,
    });
    std::fs::write(&path, row.to_string()).unwrap();
    let mut harness = Harness::open(&[path], 120, 40).unwrap();
    harness.press("<enter><enter>");
    let screen = harness.press("yp").screen();
    assert!(screen.contains("not copied: the patch has 80"), "{screen}");
    assert!(screen.contains("gw saves the patch"), "{screen}");
}

#[test]
fn a_patch_is_saved_and_nothing_is_replaced_by_one_enter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.patch");
    let typed = path.to_str().unwrap();
    let mut harness = native(120, 40);
    let screen = harness.press("<enter>gw").screen();
    assert!(screen.contains("fetcher__retry-58-r2.patch"), "{screen}");
    harness.press("<ctrl-u>").paste(typed);
    let screen = harness.press("<enter>").screen();
    assert!(screen.contains("saved: "), "{screen}");
    let patch = std::fs::read(&path).unwrap();
    std::fs::write(&path, "older").unwrap();
    harness.press("gw<ctrl-u>").paste(typed);
    let screen = harness.press("<enter>").screen();
    assert!(screen.contains("Enter once more replaces it"), "{screen}");
    assert_eq!(std::fs::read(&path).unwrap(), b"older");
    harness.press("<enter>");
    assert_eq!(std::fs::read(&path).unwrap(), patch);
}

#[test]
fn editor_and_pager_get_the_patch_at_the_line() {
    let mut harness = native(120, 40);
    // Aligned rows have no hunk headers, in which the text stands first.
    harness.press("<enter>A/attempts<enter>e");
    let Some(Effect::RunProgram(Outside::Editor { text, name, line })) = harness.effects().last()
    else {
        panic!("{:?}", harness.effects().last());
    };
    assert_eq!(name, "fetcher__retry-58-r2.patch");
    let shown = text.lines().nth(line - 1).unwrap();
    assert!(shown.contains("attempts"), "{line}: {shown}");
    harness.press("P");
    let last = harness.effects().last();
    assert!(
        matches!(last, Some(Effect::RunProgram(Outside::Pager { .. }))),
        "{last:?}"
    );
}

#[test]
fn the_patches_of_all_candidates_are_searched_and_listed() {
    for (width, height, name) in [(80, 24, "group_search_80"), (120, 40, "group_search_120")] {
        let mut harness = native(width, height);
        harness.press("<enter>g/sleep<enter>");
        insta::assert_snapshot!(name, harness.screen());
    }
    let mut harness = native(120, 40);
    let screen = harness.press("<enter>g/nowhere at all<enter>").screen();
    assert!(screen.contains("is in no patch of the group"), "{screen}");
    let screen = harness
        .press("g/<ctrl-u>client<enter><down><enter>")
        .screen();
    assert!(harness.model.overlay.is_none(), "{screen}");
    assert!(screen.contains("▸ E ● pass"), "{screen}");
}
