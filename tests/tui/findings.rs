//! Findings of people, confidence, and the guidelines.

use gagar::review::ReviewState;
use gagar::store::FindingRecord;
use gagar::tui::effect::{Effect, Outside};
use gagar::tui::guidelines::Guide;
use gagar::tui::message::Message;
use gagar::tui::model::Screen;
use gagar::tui::testing::Harness;

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

#[test]
fn another_confidence_is_an_edit_until_it_is_submitted() {
    let mut harness = native(120, 40);
    harness.press("<enter>aC");
    let group = harness.model.compare.group.unwrap();
    let state = |harness: &Harness| harness.model.session.as_ref().unwrap().state(group);
    harness.press("<enter>(");
    assert_eq!(harness.model.compare.group, Some(group));
    assert_eq!(state(&harness), ReviewState::Submitted);
    harness.press("C");
    assert_eq!(state(&harness), ReviewState::Edited);
    assert!(harness.screen().contains("you: edited"));
    harness.press("u");
    assert_eq!(state(&harness), ReviewState::Submitted, "as it was");
    harness.press("C<enter>");
    assert_eq!(state(&harness), ReviewState::Submitted);
    let session = harness.model.session.as_ref().unwrap();
    let submitted = session.judgement(group).unwrap().submitted.clone();
    assert_eq!(submitted.unwrap().confidence, Some(2));
}

fn own_findings(harness: &Harness) -> Vec<FindingRecord> {
    let group = harness.model.compare.group.unwrap();
    let session = harness.model.session.as_ref().unwrap();
    let judgement = session.judgement(group);
    let findings = judgement.map_or(Vec::new(), |judgement| judgement.findings.clone());
    findings.into_iter().map(|(_, finding)| finding).collect()
}

#[test]
fn a_finding_on_the_hunk_takes_three_keys() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut harness = native(columns, rows);
        harness.press("<enter>nn+");
        insta::assert_snapshot!(format!("form-{columns}"), harness.screen());
        harness.press("o<enter>");
        let found = own_findings(&harness);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].code, "out_of_scope");
        assert_eq!(found[0].rubric, "gagar-1");
        assert!(found[0].lines.is_some() && found[0].file.is_some());
        insta::assert_snapshot!(format!("found-{columns}"), harness.screen());
        harness.press("u");
        assert!(own_findings(&harness).is_empty());
        assert!(!harness.screen().contains('✎'));
        harness.press("<ctrl-r>");
        assert_eq!(own_findings(&harness), found);
    }
}

#[test]
fn a_finding_has_place_severity_code_and_words() {
    let mut harness = native(120, 40);
    harness.press("<enter>nn+/tamper<enter><space>,it skips<enter>");
    let found = own_findings(&harness);
    assert_eq!(found[0].code, "test_tampering");
    assert_eq!(found[0].severity.word(), "major");
    assert_eq!(found[0].note, "it skips");
    // Wider: the file, then the candidate.
    harness.press("+d<tab><enter>+d<tab><tab><enter>");
    let found = own_findings(&harness);
    assert!(found[1].file.is_some() && found[1].lines.is_none());
    assert_eq!(found[2].file, None);
    assert!(harness.screen().contains("✎ 3"), "{}", harness.screen());
    // Without a code nothing is stored, and it says what is missing.
    let screen = harness.press("+<enter>").screen();
    assert!(screen.contains("choose a code first"), "{screen}");
    harness.press("<esc>");
    assert_eq!(own_findings(&harness).len(), 3);
}

#[test]
fn lines_are_selected_in_every_view() {
    for view in ["", "A", "v"] {
        let mut harness = native(200, 60);
        harness.press(&format!("<enter>{view}nnVjj"));
        let said = harness.model.status.text.clone();
        let bars = harness
            .screen()
            .lines()
            .filter(|line| line.contains("┃"))
            .count();
        assert!(bars >= 3, "{view}: {}", harness.screen());
        harness.press("+c<enter>");
        let found = own_findings(&harness);
        let (first, last) = found[0].lines.unwrap();
        let bound = match last - first {
            0 => format!("1 line selected: {first} ·"),
            more => format!("{} lines selected: {first}–{last} ·", more + 1),
        };
        assert!(said.starts_with(&bound), "{view}: {said}, {found:?}");
        assert!(harness.model.compare.selecting.is_none());
        harness.press("V<esc>");
        assert!(harness.model.compare.selecting.is_none());
        assert_eq!(harness.model.screen, Screen::Compare);
    }
    let mut harness = native(120, 40);
    harness.press("<enter>nnVj");
    insta::assert_snapshot!("selection-120", harness.styled());
}

#[test]
fn an_interdiff_has_no_place_for_a_finding() {
    let mut harness = native(120, 40);
    harness.press("<enter>i+");
    assert!(harness.model.overlay.is_none());
    let said = &harness.model.status.text;
    assert!(said.contains("no place in an interdiff"), "{said}");
}

#[test]
fn the_findings_of_a_group_are_listed_changed_and_removed() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut harness = native(columns, rows);
        harness.press("<enter>nn+o,first line<enter>+s<tab><enter>g+");
        insta::assert_snapshot!(format!("list-{columns}"), harness.screen());
        harness.press("e,<space>changed<enter>");
        assert_eq!(own_findings(&harness)[0].note, "first line changed");
        harness.press("g+jd");
        assert_eq!(own_findings(&harness).len(), 1);
        harness.press("<esc>u");
        assert_eq!(own_findings(&harness).len(), 2);
        // The grader's cannot be removed.
        harness.press("g+<end>d");
        let said = &harness.model.status.text;
        assert!(said.contains("only your own"), "{said}");
        harness.press("<home><enter>");
        assert!(harness.model.overlay.is_none());
        let said = &harness.model.status.text;
        assert!(said.contains("✎ you: out_of_scope"), "{said}");
    }
}

#[test]
fn m_walks_through_findings_of_everybody() {
    let mut harness = native(120, 40);
    harness.press("<enter>nn+o<enter>ggm");
    let mut seen = vec![harness.model.status.text.clone()];
    for _ in 0..4 {
        harness.press("m");
        seen.push(harness.model.status.text.clone());
    }
    let all = seen.join("\n");
    assert!(all.contains("✎ you: out_of_scope (minor)"), "{all}");
}

#[test]
fn what_an_editor_makes_of_a_text_is_taken_over() {
    let mut harness = native(80, 24);
    harness.press("<enter>nn+o,one<ctrl-o>");
    let ran = harness.effects().last().cloned();
    let text = Outside::Text {
        text: "one".into(),
        name: "finding.txt".to_owned(),
    };
    assert_eq!(ran, Some(Effect::RunProgram(text)));
    let edited = |text: Option<&str>, problem: Option<&str>| Message::TextEdited {
        text: text.map(str::to_owned),
        problem: problem.map(str::to_owned),
    };
    harness.send(edited(None, Some("vi ended with 1")));
    assert!(harness.screen().contains("› one"), "{}", harness.screen());
    harness.send(edited(Some("one\ntwo"), None));
    insta::assert_snapshot!("form-with-lines-80", harness.screen());
    harness.press("<enter>");
    assert_eq!(own_findings(&harness)[0].note, "one\ntwo");

    // The note on the group is stored when the editor ends, and shown with its lines.
    harness.press("N<ctrl-o>");
    harness.send(edited(Some("first\nsecond"), None));
    assert!(harness.model.overlay.is_none());
    let screen = harness.press("N").screen();
    assert!(
        screen.contains("› first\n") || screen.contains("› first "),
        "{screen}"
    );
    assert!(screen.contains("  second"), "{screen}");
}

#[test]
fn findings_survive_a_restart_and_those_of_unknown_rubrics_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("gagar.db");
    let open = || Harness::open_with_db(&[crate::sample("native")], 120, 40, &db).unwrap();
    let mut harness = open();
    harness.press("<enter>nn+o<enter>");
    let found = own_findings(&harness);
    drop(harness);
    let mut harness = open();
    harness
        .model
        .guide
        .rubric
        .codes
        .retain(|code| code.code != "out_of_scope");
    harness.press("<enter>");
    assert_eq!(own_findings(&harness), found);
    let screen = harness.press("g+").screen();
    assert!(screen.contains("✎ you: out_of_scope"), "{screen}");
    let screen = harness.press("e").screen();
    assert!(
        screen.contains("the rubric does not know this code"),
        "{screen}"
    );
    harness.press("<space><enter>");
    assert_eq!(own_findings(&harness)[0].rubric, "gagar-1");
    assert_eq!(own_findings(&harness)[0].severity.word(), "major");
}

#[test]
fn a_huge_note_is_typed_on() {
    let mut harness = native(120, 40);
    harness.press("<enter>nn+o,");
    harness.paste(&"wide ".repeat(600_000));
    harness.press("x<left><left>y");
    assert!(harness.screen().contains("y x"), "{}", harness.screen());
    harness.press("<enter>g+");
    assert!(harness.screen().contains("findings of this group"));
    let found = own_findings(&harness);
    assert!(
        found[0].note.ends_with("widey x"),
        "{}",
        found[0].note.len()
    );
}

#[test]
fn a_selection_says_how_many_lines_will_be_bound() {
    let mut harness = native(200, 60);
    harness.press("<enter>");
    // Rows that are no lines, at the beginning of the file, and what follows them.
    for rows in ["V", "Vj", "Vjj", "Vjjj", "Vjjjj"] {
        harness.press(rows);
        let said = harness.model.status.text.clone();
        harness.press("+c<enter>");
        let bound = own_findings(&harness).last().and_then(|found| found.lines);
        let count = bound.map_or(0, |(first, last)| last - first + 1);
        assert!(
            said.starts_with(&format!("{count} line")),
            "{said}: {bound:?}"
        );
        harness.press("<esc>");
        if harness.model.screen == Screen::Groups {
            harness.press("<enter>");
        }
    }
}

#[test]
fn words_of_a_finding_are_dropped_only_when_asked_twice() {
    let mut harness = native(80, 24);
    harness.press("<enter>nn+o,looks<space>wrong<esc><esc>");
    let screen = harness.screen();
    assert!(screen.contains("once more drops them"), "{screen}");
    assert!(screen.contains("looks wrong"), "{screen}");
    // Another key takes the question away.
    let screen = harness.press("<space><esc>").screen();
    assert!(screen.contains("once more drops them"), "{screen}");
    harness.press("<esc>");
    assert!(harness.model.overlay.is_none());
    assert!(own_findings(&harness).is_empty());
    // Without words there is nothing to ask about.
    harness.press("+o<esc>");
    assert!(harness.model.overlay.is_none());
}
