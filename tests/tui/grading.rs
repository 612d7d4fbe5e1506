use gagar::tui::model::Screen;

use crate::native;

#[test]
fn the_answer_of_the_grader() {
    insta::assert_snapshot!(native(80, 24).press("<enter>r").styled());
}

#[test]
fn the_raw_answer_and_the_next_vote_say_when_there_is_none() {
    let mut harness = native(80, 24);
    harness.press("<enter>rv");
    assert!(!harness.model.status.text.is_empty() || harness.model.grader.place.is_some());
    harness.press("r");
    assert!(harness.model.grader.raw);
    harness.press("<esc>");
    assert_eq!(harness.model.screen, Screen::Compare);
}

#[test]
fn the_schedule_and_what_it_does() {
    insta::assert_snapshot!(native(80, 24).press("<enter>S").styled());
}

#[test]
fn a_value_changes_the_advantages_at_once_and_reset_brings_them_back() {
    let mut harness = native(80, 24);
    harness.press("<enter>S");
    let before = harness.screen();
    let line = before
        .lines()
        .position(|line| line.contains("scheme"))
        .unwrap()
        - 2;
    for _ in 0..line {
        harness.press("j");
    }
    harness.press("l");
    assert_ne!(before, harness.screen());
    assert!(
        harness.screen().contains("geometric"),
        "{}",
        harness.screen()
    );
    harness.press("e<ctrl-u>nothing<enter>");
    assert!(
        harness.screen().contains("no scheme is called"),
        "{}",
        harness.screen()
    );
    harness.press("<ctrl-u>uniform<enter>");
    assert!(
        harness.screen().contains("no group's advantages are moved"),
        "{}",
        harness.screen()
    );
    harness.press("0");
    assert_eq!(
        harness.screen().lines().skip(2).take(8).collect::<Vec<_>>(),
        before.lines().skip(2).take(8).collect::<Vec<_>>()
    );
}
