//! The remarks of the out-of-scope rules: at the patches, and as a list over the set.

use gagar::tui::effect::Effect;
use gagar::tui::model::Screen;
use gagar::tui::testing::Harness;
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
    assert_eq!(finding.file.as_deref(), Some("src/a.py"));
    assert_eq!(finding.lines, Some((4, 4)));
    assert_eq!(finding.rule.as_ref().unwrap().id, "debug_output");
    harness.press("kU");
    assert!(harness.screen().contains("0 confirmed · 1 dismissed"));
    // The same verdict again takes it back.
    harness.press("kU");
    assert!(harness.screen().contains("0 confirmed · 0 dismissed"));
    harness.press("kU");
    harness.press("gg").press("u");
    assert!(harness.model.remarks.open_only);
    let shown = harness.model.remarks.shown.len();
    harness.press("u");
    assert_eq!(harness.model.remarks.shown.len(), shown + 1);
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
