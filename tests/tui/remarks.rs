//! The remarks of the out-of-scope rules: at the patches, and as a list over the set.

use std::collections::BTreeSet;

use gagar::domain::scope::Remark;
use gagar::review::spotting::GroupRemarks;
use gagar::store::{EventStore, MemoryStore, SqliteStore};
use gagar::tui::effect::Effect;
use gagar::tui::key::parse_keys;
use gagar::tui::message::Message;
use gagar::tui::model::Screen;
use gagar::tui::screens::remarks::Spotted;
use gagar::tui::testing::Harness;
use gagar::tui::theme::Theme;
use serde_json::json;
use tempfile::TempDir;

fn added(path: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 \
         @@\n+x\n"
    )
}

fn fix(value: &str) -> String {
    format!("--- a/src/a.py\n+++ b/src/a.py\n@@ -3,2 +3,3 @@\n-a\n+{value}\n+print({value})\n b\n")
}

/// Two groups: stray files, debugging output, a file that every candidate has.
fn harness(columns: u16, rows: u16) -> (TempDir, Harness) {
    let folder = tempfile::tempdir().unwrap();
    let group = |id: &str, patches: &[(bool, String)]| {
        let rollouts: Vec<_> = patches
            .iter()
            .enumerate()
            .map(|(index, (passed, patch))| {
                json!({"trajectory_id": format!("t{index}"), "reward": f64::from(u8::from(*passed)),
                       "passed": passed, "patch": patch})
            })
            .collect();
        json!({"schema": "gagar.group/1", "group_id": id, "task": {"text": "fix a"},
               "trajectories": rollouts})
    };
    let plain = |value: &str| {
        let body = format!("--- a/src/a.py\n+++ b/src/a.py\n@@ -3,2 +3,2 @@\n-a\n+{value}\n b\n");
        format!("{body}{}", added("agent.json"))
    };
    let groups = [
        group(
            "one",
            &[
                (true, format!("{}{}", fix("b"), added("repro.py"))),
                (false, fix("c")),
                (
                    true,
                    "--- a/src/a.py\n+++ b/src/a.py\n@@ -3,2 +3,2 @@\n-a\n+d\n b\n".to_owned(),
                ),
            ],
        ),
        group(
            "two",
            &[(true, plain("b")), (true, plain("c")), (false, plain("d"))],
        ),
    ];
    let lines: String = groups.iter().map(|group| format!("{group}\n")).collect();
    let path = folder.path().join("groups.jsonl");
    std::fs::write(&path, lines).unwrap();
    let harness = Harness::open(&[path], columns, rows).unwrap();
    (folder, harness)
}

#[test]
fn the_list_shows_what_is_worth_most_first() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let (_folder, mut harness) = harness(columns, rows);
        harness.press("O");
        assert_eq!(harness.model.screen, Screen::Remarks);
        insta::assert_snapshot!(format!("remarks_{columns}x{rows}"), harness.screen());
    }
}

#[test]
fn the_list_is_filtered_and_artefacts_are_told() {
    let (_folder, mut harness) = harness(120, 40);
    harness.press("O");
    let count = |harness: &Harness| harness.model.remarks.shown.len();
    let all = count(&harness);
    assert!(
        harness.screen().contains("1 artefacts hidden"),
        "{}",
        harness.screen()
    );
    harness.press("a");
    assert_eq!(count(&harness), all + 1);
    harness.press("aP");
    assert!(count(&harness) < all);
    harness.press("Pfrule:stray_file<enter>");
    assert_eq!(count(&harness), 1);
    assert!(harness.screen().contains("filter: rule:stray_file"));
    harness.press("frule:nothing<enter>");
    assert!(
        harness.screen().contains("there is no rule"),
        "{}",
        harness.screen()
    );
    harness.press("<esc>fpath~nowhere<enter>");
    assert!(harness.screen().contains("none of"), "{}", harness.screen());
}

#[test]
fn a_verdict_in_the_list_is_stored_shown_and_undone() {
    let (_folder, mut harness) = harness(120, 40);
    harness.press("OY");
    assert!(
        harness.screen().contains("1 confirmed"),
        "{}",
        harness.screen()
    );
    assert_eq!(harness.model.remarks.cursor, 1);
    assert!(matches!(harness.effects().last(), Some(Effect::Save(_))));
    let session = harness.model.session.as_ref().unwrap();
    let judgement = session.judgement(0).unwrap();
    let (_, finding) = &judgement.findings[0];
    assert_eq!(finding.code, "debug_leftover");
    assert_eq!(finding.file.as_deref(), Some("repro.py"));
    assert_eq!(finding.lines, None);
    assert_eq!(finding.rule.as_ref().unwrap().id, "stray_file");
    harness.press("kU");
    assert!(harness.screen().contains("0 confirmed · 1 dismissed"));
    // The same verdict again takes it back.
    harness.press("kU");
    assert!(harness.screen().contains("0 confirmed · 0 dismissed"));
    harness.press("kU");
    harness.press("gg").press("o");
    assert!(harness.model.remarks.open_only);
    let shown = harness.model.remarks.shown.len();
    harness.press("o");
    assert_eq!(harness.model.remarks.shown.len(), shown + 1);
}

#[test]
fn undo_takes_the_last_verdict_back_and_goes_to_its_row() {
    let (_folder, mut harness) = harness(120, 40);
    harness.press("OYYge").press("u");
    let screen = harness.screen();
    assert!(screen.contains("1 confirmed"), "{screen}");
    assert!(screen.contains("undone: the verdict on"), "{screen}");
    assert_eq!(harness.model.remarks.cursor, 1);
    assert!(!harness.model.remarks.open_only);
    harness.press("<ctrl-r>");
    assert!(
        harness.screen().contains("2 confirmed"),
        "{}",
        harness.screen()
    );
    harness.press("uu");
    assert!(
        harness.screen().contains("0 confirmed"),
        "{}",
        harness.screen()
    );
    assert_eq!(harness.model.remarks.cursor, 0);
    harness.press("u");
    assert!(harness.screen().contains("no verdict to take back"));
    let session = harness.model.session.as_ref().unwrap();
    assert!(session.judgement(0).unwrap().findings.is_empty());
}

#[test]
fn undo_while_walking_goes_back_to_the_judged_remark() {
    let (_folder, mut harness) = harness(120, 40);
    harness.press("O<enter>Y");
    assert_eq!(harness.model.remarks.cursor, 1);
    harness.press("u");
    assert_eq!(harness.model.screen, Screen::Compare);
    assert_eq!(harness.model.remarks.cursor, 0);
    assert_eq!(harness.model.remarks.totals.confirmed, 0);
}

#[test]
fn a_verdict_given_in_the_group_shows_in_the_list() {
    let (_folder, mut harness) = harness(120, 40);
    harness.press("O<esc><enter>mYO");
    assert_eq!(harness.model.screen, Screen::Remarks);
    assert!(
        harness.screen().contains("1 confirmed"),
        "{}",
        harness.screen()
    );
    // Undone here, as the last verdict about the group.
    harness.press("u");
    assert!(
        harness.screen().contains("0 confirmed"),
        "{}",
        harness.screen()
    );
}

#[test]
fn a_list_filtered_to_nothing_says_so_and_esc_takes_the_filter_off() {
    let (_folder, mut harness) = harness(120, 40);
    harness.press("O").press("fpath~nowhere<enter>");
    let all = harness.model.remarks.all();
    let screen = harness.screen();
    assert!(screen.contains(&format!("0 of {all} remarks")), "{screen}");
    assert!(
        screen.contains(&format!("none of {all} is shown")),
        "{screen}"
    );
    for key in ["<enter>", "Y", "U"] {
        harness.press(key);
        let screen = harness.screen();
        assert!(screen.contains("no remark is shown"), "{screen}");
    }
    harness.press("<esc>");
    assert_eq!(harness.model.screen, Screen::Remarks);
    assert_eq!(harness.model.remarks.listed.len(), all);
    harness.press("<esc>");
    assert_eq!(harness.model.screen, Screen::Groups);
}

/// A group whose first candidate leaves a folder of a build behind.
fn littered(
    columns: u16,
    rows: u16,
    store: Box<dyn EventStore>,
    who: (&str, bool),
) -> (TempDir, Harness) {
    let folder = tempfile::tempdir().unwrap();
    let litter: String = (0..6)
        .map(|at| added(&format!("build/lib/a{at}.py")))
        .collect();
    let rollout = |id: &str, patch: String| json!({"trajectory_id": id, "reward": 1.0, "passed": true, "patch": patch});
    let group = json!({"schema": "gagar.group/1", "group_id": "psf__requests-1142-interval-4",
        "task": {"text": "fix a"}, "trajectories": [
            rollout("t0", format!("{}{litter}", fix("b"))), rollout("t1", fix("c"))]});
    let path = folder.path().join("groups.jsonl");
    std::fs::write(&path, format!("{group}\n")).unwrap();
    let (name, blind) = who;
    let harness = Harness::open_as(name, blind, &[path], (columns, rows), store).unwrap();
    (folder, harness)
}

#[test]
fn many_remarks_of_one_rule_about_one_candidate_are_one_row() {
    let store = Box::new(MemoryStore::default());
    let (_folder, mut harness) = littered(80, 24, store, ("ann", false));
    harness.press("O");
    insta::assert_snapshot!("remarks_folded_80x24", harness.screen());
    let rows = harness.model.remarks.shown.len();
    assert_eq!(harness.model.remarks.listed.len(), rows + 5);
    // Large counts are told in fewer words, not cut.
    let totals = harness.model.remarks.totals;
    harness.model.remarks.totals.remarks = 12_345;
    harness.model.remarks.totals.confirmed = 1_234;
    harness.model.remarks.totals.by_others = 1_234;
    let screen = harness.screen();
    assert!(
        screen.contains("8 of 12345 · 11111 open · ✓ 1234"),
        "{screen}"
    );
    assert!(screen.contains("0 artefacts hidden"), "{screen}");
    harness.model.remarks.totals = totals;
    harness.press("Y");
    assert!(
        harness.screen().contains("6 confirmed"),
        "{}",
        harness.screen()
    );
    harness.press("u");
    assert!(
        harness.screen().contains("0 confirmed"),
        "{}",
        harness.screen()
    );
    assert_eq!(harness.model.remarks.cursor, 0);
    harness.press("zjY");
    assert_eq!(harness.model.remarks.shown.len(), rows + 5);
    assert!(
        harness.screen().contains("1 confirmed"),
        "{}",
        harness.screen()
    );
    harness.press("ggz");
    assert_eq!(harness.model.remarks.shown.len(), rows);
    assert!(harness.screen().contains("~ ◆"), "{}", harness.screen());
}

#[test]
fn what_others_said_is_shown_but_not_in_a_blind_group() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("log.db");
    let open = |who| littered(120, 40, Box::new(SqliteStore::at(&db)), who);
    open(("lead", false)).1.press("OzjY");
    let (_folder, mut second) = open(("ann", false));
    second.press("Oz");
    let screen = second.screen();
    assert!(screen.contains("1 by others"), "{screen}");
    assert!(screen.contains("✓ lead"), "{screen}");
    second.press("fjudged<enter>");
    assert_eq!(second.model.remarks.listed.len(), 1);
    let (_folder, mut blind) = open(("eve", true));
    blind.press("Oz");
    assert!(!blind.screen().contains("lead"), "{}", blind.screen());
}

#[test]
fn a_remark_has_one_key_in_the_list_and_at_its_line() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/sample-data/native/groups.jsonl"
    );
    let mut harness = Harness::open(&[path], 120, 40).unwrap();
    harness.press("O");
    let keys = |all: &mut dyn Iterator<Item = &Remark>| -> BTreeSet<String> {
        all.map(|remark| remark.key(&remark.trajectory.to_string()))
            .collect()
    };
    let rows = harness.model.remarks.rows.clone();
    assert!(!rows.is_empty());
    let groups = harness.model.session.as_ref().unwrap().set().groups.len();
    harness.press("<esc>gg");
    for _ in 0..groups {
        harness.press("<enter>");
        let group = harness.model.compare.group.unwrap();
        let opened = harness.model.opened(group).unwrap();
        let here = keys(&mut opened.remarks().unwrap().iter());
        let of_group = rows.iter().filter(|row| row.group == group);
        let listed = keys(&mut of_group.map(|row| &row.remark));
        assert_eq!(here, listed, "group {group}");
        harness.press("<esc>j");
    }
}

/// Prints how long keys take in a list of 100 000 remarks:
/// `cargo test --release --test tui -- --ignored --nocapture many_remarks`.
#[test]
#[ignore = "measures"]
fn keys_in_many_remarks() {
    let (_folder, mut harness) = harness(120, 40);
    harness.press("O");
    let rows = harness.model.remarks.rows.clone();
    let one = |at: u32| Remark {
        lines: Some((at, at)),
        trajectory: at as usize % 3,
        ..rows[0].remark.clone()
    };
    let of = |group: usize| GroupRemarks {
        group,
        remarks: (0..50_000).map(one).collect(),
        ..GroupRemarks::default()
    };
    harness.model.remarks.asking.runs = true;
    harness.send(Message::Spotted(Spotted {
        number: harness.model.remarks.number,
        found: vec![of(0), of(1)],
        ..Spotted::default()
    }));
    harness.model.remarks.asking.runs = false;
    assert!(harness.model.remarks.rows.len() >= 100_000);
    let themes = Theme::embedded().unwrap();
    harness.press("z");
    for key in parse_keys("YYjUuoYnge").unwrap() {
        let took = harness.timed(Message::Key(key), &themes[0]);
        println!("{key} {took:?}");
    }
}

#[test]
fn keys_walk_through_the_list_in_the_compare_screen() {
    let (_folder, mut harness) = harness(120, 40);
    harness.press("O<enter>");
    assert_eq!(harness.model.screen, Screen::Compare);
    assert_eq!(harness.model.compare.group, Some(0));
    assert!(
        harness.screen().contains("stray_file"),
        "{}",
        harness.screen()
    );
    harness.press("n");
    assert_eq!(harness.model.remarks.cursor, 1);
    assert_eq!(harness.model.screen, Screen::Compare);
    harness.press("p").press("Y");
    // Judged, and on to the next.
    assert_eq!(harness.model.remarks.cursor, 1);
    assert_eq!(harness.model.remarks.totals.confirmed, 1);
    harness.press("<esc>");
    assert_eq!(harness.model.screen, Screen::Remarks);
    assert_eq!(harness.model.remarks.cursor, 1);
}

#[test]
fn a_remark_is_judged_at_its_line() {
    let (_folder, mut harness) = harness(120, 40);
    harness.press("<enter>");
    let screen = harness.screen();
    assert!(screen.contains('◆'), "{screen}");
    harness.press("m").press("Y");
    let session = harness.model.session.as_ref().unwrap();
    assert_eq!(
        session.judgement(0).unwrap().remarks.len(),
        1,
        "{}",
        harness.screen()
    );
    harness.press("u");
    let session = harness.model.session.as_ref().unwrap();
    assert!(session.judgement(0).unwrap().remarks.is_empty());
    assert!(session.judgement(0).unwrap().findings.is_empty());
}
