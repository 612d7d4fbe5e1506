//! The screen that compares schemes.

use gagar::store::MemoryStore;
use gagar::tui::model::Screen;
use gagar::tui::testing::Harness;

use crate::{native, sample};

#[test]
fn schemes_side_by_side() {
    let mut harness = native(80, 24);
    harness.press("C");
    assert_eq!(harness.model.screen, Screen::Schedules);
    insta::assert_snapshot!(harness.screen());
    let mut harness = native(120, 40);
    harness.press("C");
    insta::assert_snapshot!(harness.screen());
}

#[test]
fn a_scheme_is_used_from_now_on_and_its_groups_are_opened() {
    let mut harness = native(80, 24);
    harness.press("Cjjn");
    let selected = harness.model.schedules.selected().unwrap();
    let scheme = selected.scheme.clone();
    let second = selected.most_affected[1].group;
    harness.press("<enter>");
    let screen = harness.screen();
    assert!(
        screen.contains("is used in this session from now on"),
        "{screen}"
    );
    let session = harness.model.session.as_ref().unwrap();
    assert_eq!(session.settings().scheme, scheme);
    assert!(
        screen.contains(&format!("•{}", scheme.in_short())),
        "{screen}"
    );
    harness.press("o");
    assert_eq!(harness.model.screen, Screen::Compare);
    assert_eq!(harness.model.compare.group, Some(second));
}

#[test]
fn sorting_keeps_the_selection_and_goes_round() {
    let mut harness = native(80, 24);
    harness.press("Cj");
    let before = harness.model.schedules.selected().unwrap().scheme.clone();
    harness.press("ss");
    let state = &harness.model.schedules;
    assert_eq!(state.selected().unwrap().scheme, before);
    assert!(
        harness.screen().contains("by boost, largest first"),
        "{}",
        harness.screen()
    );
    let found = &harness.model.schedules.answer.as_ref().unwrap().found;
    let boost: Vec<f64> = harness
        .model
        .schedules
        .order
        .iter()
        .map(|&row| found.schemes[row].top_boost.unwrap().mean)
        .collect();
    assert!(boost.windows(2).all(|two| two[0] >= two[1]), "{boost:?}");
    harness.press("sssssss");
    assert_eq!(harness.model.schedules.order[0], 0);
}

#[test]
fn figures_follow_the_estimator_and_the_judgements() {
    let mut harness = native(80, 24);
    harness.press("C");
    let first = harness.model.schedules.answer.clone().unwrap();
    assert_eq!(first.accuracy, None);
    // The next estimator on the schedule screen, which the compare screen opens.
    harness.press("oSl<esc>gC");
    let second = harness.model.schedules.answer.clone().unwrap();
    assert!(!std::sync::Arc::ptr_eq(&first, &second), "computed anew");
    harness.press("oa<enter>gC");
    let third = harness.model.schedules.answer.clone().unwrap();
    assert!(third.accuracy.is_some(), "{}", harness.screen());
}

#[test]
fn nothing_is_compared_while_a_group_is_blind() {
    let store = Box::new(MemoryStore::default());
    let mut harness = Harness::open_as("ann", true, &[sample("native")], (80, 24), store).unwrap();
    harness.press("Cjs");
    assert_eq!(harness.model.screen, Screen::Schedules);
    assert_eq!(harness.model.schedules.answer, None);
    let screen = harness.screen();
    assert!(screen.contains("hidden in blind mode"), "{screen}");
}
