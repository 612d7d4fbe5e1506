//! The screens that audit the grader: agreement, disagreements, every ranking of a group.

use std::path::PathBuf;

use gagar::tui::testing::Harness;
use serde_json::json;

/// Two groups of three passing candidates and a failing one: the grader ranks both, three people the
/// first, `ann` alone the second.
struct Judged {
    _folder: tempfile::TempDir,
    path: PathBuf,
    db: PathBuf,
}

/// Runs a command.
fn run(command: [&str; 4], options: [&str; 6]) {
    let args = ["gagar"].into_iter().chain(command).chain(options);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = gagar::cli::Io {
        out: &mut out,
        err: &mut err,
    };
    gagar::cli::run(args.map(Into::into), &mut io).unwrap();
}

fn judged() -> Judged {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("groups.jsonl");
    let patch = |text: &str| format!("--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n-x = 0\n+x = {text}\n");
    let group = |id: &str, best: [&str; 3]| {
        let mut trajectories: Vec<_> = ["one", "two", "three"]
            .into_iter()
            .map(|id| {
                json!({"trajectory_id": id, "outcome": "pass", "reward": 1.0, "patch": patch(id)})
            })
            .collect();
        trajectories.push(json!({
            "trajectory_id": "bad", "outcome": "fail", "reward": 0.0, "patch": patch("bad")
        }));
        let tiers = best.map(|id| vec![id]);
        json!({
            "schema": "gagar.group/1", "group_id": id, "task": {"text": "Fix it"},
            "trajectories": trajectories,
            "rankings": [{
                "grader": {"name": "listwise"}, "status": "ok", "tiers": tiers,
                "shown_order": ["one", "two", "three"],
            }],
        })
    };
    let text = format!(
        "{}\n{}\n",
        group("g1", ["one", "two", "three"]),
        group("g2", ["three", "two", "one"])
    );
    std::fs::write(&path, text).unwrap();
    let db = folder.path().join("x.db");
    for (who, id, tiers) in [
        ("ann", "g1", r#"[["one"],["two"],["three"]]"#),
        ("ben", "g1", r#"[["two"],["one"],["three"]]"#),
        ("cho", "g1", r#"[["two"],["one","three"]]"#),
        ("ann", "g2", r#"[["one"],["two","three"]]"#),
    ] {
        run(
            ["rank", path.to_str().unwrap(), "--db", db.to_str().unwrap()],
            ["--annotator", who, "--group", id, "--tiers", tiers],
        );
    }
    Judged {
        _folder: folder,
        path,
        db,
    }
}

fn open(judged: &Judged, columns: u16, rows: u16) -> Harness {
    Harness::open_with_db(&[&judged.path], columns, rows, &judged.db).unwrap()
}

#[test]
fn no_screen_tells_which_groups_test_annotators() {
    let judged = judged();
    let without = |keys: &str| open(&judged, 160, 50).press(keys).screen();
    let screens = ["A", "A<tab>", "D", "Dv", "Dvv", "Dvvv", "<enter>ga"];
    let before = screens.map(without);
    let (path, db) = (judged.path.to_str().unwrap(), judged.db.to_str().unwrap());
    let tiers = r#"[["two"],["one"],["three"]]"#;
    run(
        ["gold", path, "--db", db],
        ["--annotator", "lead", "--group", "g1", "--tiers", tiers],
    );
    assert_eq!(screens.map(without), before);
}

#[test]
fn agreement_is_told_in_tabs() {
    let judged = judged();
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut tui = open(&judged, columns, rows);
        tui.press("A");
        insta::assert_snapshot!(format!("agreement_raters_{columns}"), tui.screen());
        tui.press("<tab>");
        insta::assert_snapshot!(format!("agreement_pairs_{columns}"), tui.screen());
    }
    let mut tui = open(&judged, 80, 24);
    tui.press("A<tab>m");
    assert!(
        tui.screen().contains("consensus by kemeny"),
        "{}",
        tui.screen()
    );
    tui.press("<backtab><backtab>");
    let screen = tui.screen();
    assert!(screen.contains("[reveal]"), "{screen}");
    assert!(!screen.contains("their disagreements"), "{screen}");
    tui.press("<enter>");
    let screen = tui.screen();
    assert!(screen.contains("not about two rankings"), "{screen}");
}

#[test]
fn a_pair_leads_to_its_disagreements_and_those_to_the_rankings() {
    let judged = judged();
    let mut tui = open(&judged, 80, 24);
    tui.press("A<tab><enter>");
    let screen = tui.screen();
    assert!(screen.contains("Disagreements:"), "{screen}");
    assert!(screen.contains("consensus ~ grader listwise"), "{screen}");
    tui.press("<esc>D");
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut tui = open(&judged, columns, rows);
        tui.press("D");
        insta::assert_snapshot!(format!("disagreements_{columns}"), tui.screen());
        tui.press("<enter>");
        insta::assert_snapshot!(format!("rankings_{columns}"), tui.screen());
        tui.press("<esc><esc>");
        assert!(tui.screen().contains("Disagreements:"), "{}", tui.screen());
    }
    let mut tui = open(&judged, 80, 24);
    tui.press("D");
    let before = tui.screen();
    tui.press("v");
    assert_ne!(tui.screen(), before);
}

#[test]
fn a_group_is_settled_and_the_settlement_can_be_undone() {
    let judged = judged();
    let mut tui = open(&judged, 120, 40);
    tui.press("D<enter>");
    // Nothing is settled by opening.
    let events = |tui: &Harness| tui.store().events_since(0).unwrap().len();
    let before = events(&tui);
    tui.press("<enter>");
    assert!(
        tui.screen().contains("nothing to settle with"),
        "{}",
        tui.screen()
    );
    tui.press("aJ");
    assert!(
        tui.screen().contains("settlement, not stored yet"),
        "{}",
        tui.screen()
    );
    assert_eq!(events(&tui), before);
    tui.press("<enter>");
    tui.paste("read both again");
    tui.press("<enter>");
    let screen = tui.screen();
    assert!(screen.contains("settled by ann"), "{screen}");
    assert!(
        screen.contains("provenance: adjudicated · read both again"),
        "{screen}"
    );
    assert_eq!(events(&tui), before + 1);
    tui.press("n");
    let screen = tui.screen();
    assert!(
        screen.contains("▸rater 2") && !screen.contains("▸ann"),
        "{screen}"
    );
    tui.press("u");
    assert!(!tui.screen().contains("adjudicated"), "{}", tui.screen());
}

#[test]
fn the_settlement_is_in_sight_whatever_is_scrolled_and_says_when_it_is_not_stored() {
    let judged = judged();
    let mut tui = open(&judged, 80, 24);
    tui.press("<enter>ga");
    assert!(tui.screen().contains("raters 1-3 of 5"), "{}", tui.screen());
    assert!(
        tui.screen().contains("settlement: none"),
        "{}",
        tui.screen()
    );
    tui.press("aJ");
    for _ in 0..5 {
        let screen = tui.screen();
        assert!(screen.contains("settlement, not"), "{screen}");
        let header = "rankings · settlement not stored yet";
        assert!(screen.contains(header), "{screen}");
        // The focused candidate is marked in every column that is seen.
        let (_, columns) = screen.split_once(header).unwrap();
        assert_eq!(columns.matches("▸ ").count(), 4, "{screen}");
        tui.press("n");
    }
}
