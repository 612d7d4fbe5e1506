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
