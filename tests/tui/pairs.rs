//! Ranking by pairs.

use gagar::tui::screens::compare::Body;
use gagar::tui::testing::Harness;

use crate::native;

/// The draft of the open group, tiers of ids.
fn draft(harness: &Harness) -> Option<Vec<Vec<String>>> {
    let session = harness.model.session.as_ref().unwrap();
    let group = harness.model.compare.group.unwrap();
    session.judgement(group)?.draft.clone()
}

/// Answers so that the candidate of the lower index is the better one; returns the verdicts.
fn answer_all(harness: &mut Harness) -> usize {
    let mut verdicts = 0;
    while !harness.model.compare.pairs_done {
        let (first, second) = harness.model.compare.pair.unwrap();
        harness.press(if first < second { "1" } else { "2" });
        verdicts += 1;
        assert!(verdicts < 40, "{}", harness.screen());
    }
    verdicts
}

#[test]
fn two_candidates_side_by_side() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut harness = native(columns, rows);
        harness.press("<enter>gp");
        insta::assert_snapshot!(format!("pair-{columns}"), harness.screen());
        harness.press("1");
        insta::assert_snapshot!(format!("second-pair-{columns}"), harness.screen());
    }
}

#[test]
fn verdicts_make_the_draft_and_are_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("gagar.db");
    let open = || Harness::open_with_db(&[crate::sample("native")], 120, 40, &db).unwrap();
    let mut harness = open();
    harness.press("<enter>gp");
    let first = harness.model.compare.pair;
    harness.press("1");
    let second = harness.model.compare.pair;
    assert_ne!(first, second);
    let after_one = draft(&harness);
    assert!(after_one.is_some());
    harness.press("2u");
    assert_eq!(harness.model.compare.pair, second);
    assert_eq!(draft(&harness), after_one);
    // Other keys of the ranking wait.
    harness.press("J<enter>");
    assert_eq!(draft(&harness), after_one);
    assert_eq!(harness.model.compare.body, Body::Pairs);
    // Half-way: what is decided stays, also over a restart.
    harness.press("<esc>");
    assert_eq!(harness.model.compare.body, Body::Diff);
    drop(harness);
    let mut harness = open();
    harness.press("<enter>gp");
    assert_eq!(harness.model.compare.pair, second);
    let verdicts = answer_all(&mut harness);
    // Five pass, two of them with the same patch: four classes, five verdicts at most, one given.
    assert!(verdicts <= 4);
    let decided = draft(&harness);
    assert!(
        harness.screen().contains("all decided by"),
        "{}",
        harness.screen()
    );
    // A key too many moves nobody.
    harness.press("12=J");
    assert_eq!(draft(&harness), decided);
    harness.press("<enter>");
    assert_eq!(harness.model.compare.body, Body::Diff);
    assert!(
        harness.model.status.text.starts_with("ranked by"),
        "{}",
        harness.model.status.text
    );
    let tiers = draft(&harness).unwrap();
    assert_eq!(tiers.iter().map(Vec::len).sum::<usize>(), 5);
    assert!(tiers.iter().any(|tier| tier.len() == 2));
    let group = harness.model.compare.group.unwrap();
    let session = harness.model.session.as_ref().unwrap();
    assert_eq!(session.judgement(group).unwrap().origin, "pairs");
    // The ranking can be edited and submitted.
    harness.press("gp");
    assert_eq!(harness.model.compare.body, Body::Diff);
    harness.press("J<enter>");
    let session = harness.model.session.as_ref().unwrap();
    assert!(session.judgement(group).unwrap().submitted.is_some());
}

#[test]
fn ties_and_focus() {
    let mut harness = native(120, 40);
    harness.press("<enter>gp");
    let (first, second) = harness.model.compare.pair.unwrap();
    assert_eq!(harness.model.compare.focus(), Some(first));
    harness.press("l");
    assert_eq!(harness.model.compare.focus(), Some(second));
    harness.press("=");
    let tiers = draft(&harness).unwrap();
    assert_eq!(tiers.len(), 1, "{tiers:?}");
    // Findings are added here, too.
    harness.press("+o<enter>");
    assert!(harness.screen().contains('✎'), "{}", harness.screen());
    assert_eq!(harness.model.compare.body, Body::Pairs);
}

#[test]
fn a_verdict_is_given_without_seeing_ranks() {
    for size in [(80, 24), (120, 40)] {
        let mut harness = native(size.0, size.1);
        harness.press("<enter>agp");
        for _ in 0..2 {
            let screen = harness.screen();
            assert!(!screen.contains("rank "), "{screen}");
            let strip = screen.lines().nth(2).unwrap();
            let letters: String = strip.chars().filter(char::is_ascii_uppercase).collect();
            assert_eq!(letters, "ACEFHDGB", "by outcome, in the order of the group");
            assert!(!strip.chars().any(|c| c.is_ascii_digit()), "{screen}");
            harness.press("1");
        }
        harness.press("<esc>");
        assert!(harness.screen().contains("rank "), "{}", harness.screen());
    }
}
