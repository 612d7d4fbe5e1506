//! Findings of people, confidence, and the guidelines.

use gagar::tui::guidelines::Guide;
use gagar::tui::model::Screen;

use crate::native;

#[test]
fn the_guidelines_are_read_and_searched_over_any_screen() {
    for size in [(80, 24), (120, 40)] {
        let mut harness = native(size.0, size.1);
        harness.press("<enter>jG");
        insta::assert_snapshot!(format!("guidelines-{}", size.0), harness.screen());
        let screen = harness.press("/tie<space>rule<enter>").screen();
        assert!(
            screen.lines().nth(2).unwrap().contains("tie rule"),
            "{screen}"
        );
        let screen = harness.press("<end>").screen();
        assert!(screen.contains("y  security"), "{screen}");
        harness.press("<esc>");
        assert_eq!(harness.model.screen, Screen::Compare);
        assert!(harness.model.overlay.is_none());
    }
    let mut harness = native(80, 24);
    let ours = ("GUIDE.md".to_owned(), "# Ours\u{1b}[31m\n".to_owned());
    harness.model.guide = Guide::new(harness.model.guide.rubric.clone(), Some(ours));
    let screen = harness.press("G").screen();
    assert!(
        screen.contains("GUIDE.md") && screen.contains("# Ours"),
        "{screen}"
    );
    assert!(!screen.contains('\u{1b}'));
}

#[test]
fn confidence_goes_round_and_into_the_submission() {
    let mut harness = native(80, 24);
    harness.press("<enter>C");
    let screen = harness.screen();
    assert!(screen.contains("low confidence"), "{screen}");
    harness.press("CC");
    assert!(harness.screen().contains("high confidence"));
    harness.press("C");
    assert!(!harness.screen().contains("confidence ·"));
    harness.press("uu");
    assert!(harness.screen().contains("medium confidence"));
    let group = harness.model.compare.group.unwrap();
    harness.press("JK<enter>");
    let session = harness.model.session.as_ref().unwrap();
    let judgement = session.judgement(group).unwrap();
    assert_eq!(judgement.submitted.as_ref().unwrap().confidence, Some(2));
}
