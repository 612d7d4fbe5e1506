use crate::native;

#[test]
fn two_columns() {
    insta::assert_snapshot!(native(120, 40).press("<enter>").screen());
}

#[test]
fn moving_a_candidate_moves_credit_at_once() {
    let mut harness = native(120, 40);
    harness.press("<enter>");
    let before = harness.screen();
    harness.press("J");
    assert_ne!(before, harness.screen());
    insta::assert_snapshot!(
        harness
            .screen()
            .lines()
            .take(14)
            .collect::<Vec<_>>()
            .join("\n")
    );
}

#[test]
fn the_steps_of_a_candidate() {
    insta::assert_snapshot!(native(120, 40).press("<enter>s").screen());
}

#[test]
fn all_marks_of_a_candidate_can_be_read_on_a_narrow_screen() {
    let mut harness = native(80, 24);
    harness.press("<enter>");
    let screen = harness.press("lllll").screen();
    assert!(!screen.contains("truncated"), "{screen}");
    assert!(screen.contains("gk marks"), "{screen}");
    let screen = harness.press("gk").screen();
    assert!(screen.contains("no patch recorded"), "{screen}");
    assert!(screen.contains("truncated"), "{screen}");
    harness.press("<esc>");
    assert!(harness.model.overlay.is_none());
}

#[test]
fn a_key_that_means_something_else_here_is_not_told_of_the_global_action() {
    let mut harness = native(120, 60);
    let reload = |screen: &str| {
        let mut lines = screen.lines();
        let row = lines.find(|line| line.contains("reload — "));
        row.map(|row| row.contains("R <f5>"))
    };
    assert_eq!(reload(&harness.press("?").screen()), Some(true));
    assert_eq!(
        reload(&harness.press("<esc><enter>?reload").screen()),
        Some(false)
    );
}
