use gagar::store::MemoryStore;
use gagar::tui::testing::Harness;

use crate::native;

#[test]
fn every_screen_is_usable_at_60x20() {
    let mut harness = native(60, 20);
    let mut screens = vec![harness.screen()];
    for keys in ["<enter>", "r", "<esc>S", "<esc>s"] {
        screens.push(harness.press(keys).screen());
    }
    insta::assert_snapshot!(screens.join("\n────────\n"));
}

#[test]
fn the_list_at_80x24() {
    insta::assert_snapshot!(native(80, 24).screen());
}

#[test]
fn a_terminal_that_is_too_small_says_what_is_needed() {
    insta::assert_snapshot!(native(50, 10).screen());
}

#[test]
fn no_size_panics() {
    let mut harness = native(80, 24);
    for keys in [
        "",
        "?",
        "<esc><enter>",
        "f",
        "s",
        "<esc>r",
        "<esc>S",
        ":",
        "<esc><esc>/",
    ] {
        if !keys.is_empty() {
            harness.press(keys);
        }
        for (columns, rows) in [
            (0, 0),
            (1, 1),
            (59, 20),
            (60, 20),
            (61, 21),
            (100, 24),
            (250, 80),
        ] {
            harness.resize(columns, rows);
            let _ = harness.screen();
        }
    }
}

#[test]
fn the_first_frame_before_anything_is_loaded() {
    let harness = Harness::unloaded(
        &["rollouts/step-0120"],
        80,
        24,
        Box::new(MemoryStore::default()),
    )
    .unwrap();
    insta::assert_snapshot!(harness.screen());
}
