use gagar::tui::message::MouseKind;
use gagar::tui::model::Screen;

use crate::{native, sample};
use gagar::tui::testing::Harness;

#[test]
fn the_list_and_its_preview() {
    insta::assert_snapshot!(native(120, 40).styled());
}

#[test]
fn the_list_of_runs() {
    let harness = Harness::open(&[sample("swebench")], 120, 40).unwrap();
    insta::assert_snapshot!(harness.screen());
}

#[test]
fn sorting_keeps_the_selection_and_puts_the_unknown_last() {
    let mut harness = native(80, 24);
    harness.press("j");
    let selected = harness.model.groups.selected();
    for _ in 0..9 {
        harness.press("s");
        assert_eq!(harness.model.groups.selected(), selected);
        harness.press("r");
        assert_eq!(harness.model.groups.selected(), selected);
    }
    let session = harness.model.session.as_ref().unwrap();
    harness.model.groups.sort = gagar::tui::screens::groups::Column::Credit;
    for reversed in [false, true] {
        harness.model.groups.reversed = reversed;
        harness.model.groups.refresh(session);
        let credits: Vec<_> = harness
            .model
            .groups
            .visible()
            .iter()
            .map(|&g| session.rows()[g].credit_moved)
            .collect();
        let known = credits.iter().take_while(|credit| credit.is_some()).count();
        assert!(credits[known..].iter().all(Option::is_none), "{credits:?}");
        let ordered = credits[..known]
            .windows(2)
            .all(|pair| (pair[0] >= pair[1]) != reversed || pair[0] == pair[1]);
        assert!(ordered, "{credits:?}");
    }
}

#[test]
fn a_filter_keeps_the_group_it_hides_in_mind() {
    let mut harness = native(80, 24);
    harness.press("ge");
    let selected = harness.model.groups.selected();
    harness.press("fclass:mixed<space>passing>=99<enter>");
    assert!(
        harness.screen().contains("No group matches"),
        "{}",
        harness.screen()
    );
    harness.press("<esc>");
    assert_eq!(harness.model.groups.selected(), selected);
}

#[test]
fn a_filter_that_cannot_be_read_is_told_where_it_is_typed() {
    let mut harness = native(80, 24);
    harness.press("fclass:mixd<enter>");
    assert!(
        harness.screen().contains("mixd is none of mixed"),
        "{}",
        harness.screen()
    );
    harness.press("<backspace>ed<enter>");
    assert!(harness.model.overlay.is_none());
    assert!(
        harness.screen().contains("filter: class:mixed"),
        "{}",
        harness.screen()
    );
}

#[test]
fn kept_only_leaves_out_what_is_dropped() {
    let mut harness = native(80, 24);
    let all = harness.model.groups.visible().len();
    harness.press("K");
    let session = harness.model.session.as_ref().unwrap();
    let shown = harness.model.groups.visible();
    assert!(shown.len() < all);
    assert!(
        shown
            .iter()
            .all(|&group| session.rows()[group].class.is_kept())
    );
}

#[test]
fn the_search_narrows_while_it_is_typed_and_escape_takes_it_back() {
    let mut harness = native(80, 24);
    let all = harness.model.groups.visible().len();
    harness.press("/tabular");
    assert!(harness.model.groups.visible().len() < all);
    harness.press("<esc>");
    assert_eq!(harness.model.groups.visible().len(), all);
    harness.press("/tabular<enter>");
    assert!(harness.screen().contains("best match first"));
    harness.press("<esc>");
    assert_eq!(harness.model.groups.visible().len(), all);
}

#[test]
fn the_mouse_selects_opens_and_sorts() {
    let mut harness = native(80, 24);
    harness.mouse(MouseKind::Down, 10, 5);
    assert_eq!(harness.model.groups.cursor(), 1);
    harness.mouse(MouseKind::Down, 10, 5);
    assert_eq!(harness.model.screen, Screen::Compare);
    harness.press("<esc>");
    assert_eq!(harness.model.groups.cursor(), 1);
    harness.mouse(MouseKind::Down, 5, 3);
    assert!(
        harness.screen().contains("sort: task ▾"),
        "{}",
        harness.screen()
    );
}

#[test]
fn the_list_follows_the_group_of_the_compare_screen() {
    let mut harness = native(80, 24);
    harness.press("<enter>)<esc>");
    assert_eq!(harness.model.groups.cursor(), 1);
    harness.press("k").resize(100, 30);
    assert_eq!(harness.model.groups.cursor(), 0);
}

#[test]
fn no_column_is_sorted_by_that_is_not_shown() {
    for columns in [60, 80, 120, 200] {
        let mut harness = native(columns, 24);
        for _ in 0..9 {
            harness.press("s");
            let name = harness.model.groups.sort.header();
            let header = harness.screen().lines().nth(3).unwrap().to_owned();
            let header = if columns < 150 {
                header
            } else {
                harness.screen().lines().nth(2).unwrap().to_owned()
            };
            assert!(header.contains(name), "{columns} {name}: {header}");
        }
    }
}

#[test]
fn why_a_group_is_dropped_shows_at_every_width() {
    for columns in [60, 80, 100, 120, 200] {
        let screen = native(columns, 24).screen();
        for class in ["all_pass", "all_fail"] {
            let rows = screen.lines().filter(|line| line.contains("__"));
            let told = rows.map(|row| row.matches(class).count());
            // Once: in the class column, else in the place of the credit.
            assert_eq!(told.sum::<usize>(), 1, "{columns} {screen}");
        }
    }
}

#[test]
fn outcomes_are_dots_beside_the_preview_too() {
    for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
        let screen = native(columns, rows).screen();
        assert!(screen.contains("●●●●●○○? 5/8 1?"), "{columns} {screen}");
    }
}

#[test]
fn an_estimator_that_does_not_fit_is_told_in_list_header_and_preview() {
    let mut harness = Harness::open(&[sample("swebench")], 120, 40).unwrap();
    let session = harness.model.session.as_mut().unwrap();
    let mut settings = session.settings().clone();
    settings.estimator = "verl-opo".parse().unwrap();
    session.set_settings(settings);
    harness.resize(120, 40);
    let screen = harness.screen();
    for said in [" error ", "3 without advantages", "no advantages: "] {
        assert!(screen.contains(said), "{said} {screen}");
    }
}

#[test]
fn the_list_follows_a_filter_while_it_is_typed() {
    let mut harness = native(80, 24);
    let all = harness.model.groups.visible().len();
    harness.press("fdropped");
    let dropped = harness.model.groups.visible().len();
    assert!(dropped > 0 && dropped < all);
    let note = format!("{dropped} of {all} groups");
    assert!(harness.screen().contains(&note), "{}", harness.screen());
    // Half a term changes nothing, and what it may become is told.
    harness.press("<space>pas");
    assert_eq!(harness.model.groups.visible().len(), dropped);
    assert!(harness.screen().contains("passing"), "{}", harness.screen());
    harness.press("<esc>");
    assert_eq!(harness.model.groups.visible().len(), all);
}

#[test]
fn a_folder_without_rollouts_does_not_send_to_an_empty_list() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("x.jsonl"), "{\"group_id\":\"m\",\"traj").unwrap();
    let harness = Harness::open(&[root.path()], 80, 24).unwrap();
    let set = harness.model.session.as_ref().unwrap().set();
    let told = !(set.problems.is_empty() && set.foreign.is_empty());
    let screen = harness.screen();
    assert_eq!(screen.contains("! tells why"), told, "{screen}");
    assert_eq!(screen.contains("No file here holds"), !told, "{screen}");
}
