use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use gagar::formats::Progress;
use gagar::store::MemoryStore;
use gagar::tui::effect::Effect;
use gagar::tui::loading::{Follow, Stage};
use gagar::tui::message::Message;
use gagar::tui::model::Screen;
use gagar::tui::testing::Harness;

fn line(group: &str, id: &str, reward: u8) -> String {
    format!(
        "{{\"group_id\":\"{group}\",\"trajectory_id\":\"{id}\",\"reward\":{reward},\"patch\":\"--- a/f\\n+++ b/f\\n@@ -1 +1 @@\\n-a\\n+{group}{id}\\n\"}}\n"
    )
}

fn append(path: &Path, text: &str) {
    let file = fs::File::options().append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .unwrap();
}

/// Groups m (three pass, one fails) and z, and the file they stand in.
fn reviewing() -> (Harness, tempfile::TempDir) {
    let root = tempfile::tempdir().unwrap();
    let text: String = [("a", 1), ("b", 1), ("c", 1), ("d", 0)]
        .iter()
        .map(|(id, reward)| line("m", id, *reward))
        .collect();
    fs::write(root.path().join("x.jsonl"), text + &line("z", "a", 1)).unwrap();
    let harness = Harness::open(&[root.path()], 120, 30).unwrap();
    (harness, root)
}

fn focused(harness: &Harness) -> String {
    let session = harness.model.session.as_ref().unwrap();
    let group = harness.model.compare.group.unwrap();
    let focus = harness.model.compare.focus().unwrap();
    session.group(group).unwrap().trajectories[focus]
        .id
        .0
        .clone()
}

/// The ranking on screen.
fn strip(harness: &Harness) -> Vec<Vec<usize>> {
    let (_, reviewed) = harness.model.reviewed.as_ref().unwrap();
    reviewed.shown.ranking.tiers().to_vec()
}

#[test]
fn another_group_growing_leaves_the_one_on_screen_alone() {
    let (mut harness, root) = reviewing();
    harness.press("<enter>lJ");
    let (focus, reviewed) = (focused(&harness), strip(&harness));
    let opens = harness.effects().len();
    append(
        &root.path().join("x.jsonl"),
        &(line("z", "b", 0) + &line("a", "a", 1)),
    );
    assert!(harness.look_again());
    assert_eq!(harness.model.screen, Screen::Compare);
    assert_eq!(focused(&harness), focus);
    assert_eq!(strip(&harness), reviewed);
    let asked = &harness.effects()[opens..];
    assert!(
        !asked.iter().any(|e| matches!(e, Effect::OpenGroup { .. })),
        "{asked:?}"
    );
    // The list holds the new group, in the order of the ids, and the selection stays.
    harness.press("<esc>");
    let session = harness.model.session.as_ref().unwrap();
    let shown: Vec<&str> = harness
        .model
        .groups
        .visible()
        .iter()
        .map(|&group| session.group(group).unwrap().id.as_str())
        .collect();
    assert_eq!(shown, ["a", "m", "z"]);
    let selected = harness.model.groups.selected().unwrap();
    assert_eq!(session.group(selected).unwrap().id.as_str(), "m");
    assert_eq!(session.rows().len(), 3);
    assert_eq!(session.rows()[1].n, 2);
}

#[test]
fn a_group_that_grows_on_the_screen_keeps_draft_and_focus() {
    let (mut harness, root) = reviewing();
    harness.press("<enter>lJ");
    let group = harness.model.compare.group.unwrap();
    let focus = focused(&harness);
    let draft = |harness: &Harness| {
        let session = harness.model.session.as_ref().unwrap();
        let draft = session.draft(group).unwrap();
        session.to_ids(group, &draft)
    };
    let before = draft(&harness);
    // A file that is read before the others: indices within the group move.
    fs::write(root.path().join("a.jsonl"), line("m", "0", 1)).unwrap();
    append(&root.path().join("x.jsonl"), &line("m", "e", 1));
    assert!(harness.look_again());
    let session = harness.model.session.as_ref().unwrap();
    assert_eq!(session.group(group).unwrap().trajectories.len(), 6);
    assert_eq!(focused(&harness), focus);
    assert_eq!(draft(&harness), before);
    let screen = harness.screen();
    assert!(
        screen.contains("2 more rollouts came for this group; your draft is kept"),
        "{screen}"
    );
    let opened = harness.model.opened(group).unwrap();
    assert_eq!(opened.patches.len(), 6);
    assert!(harness.model.open_failed.is_none());
}

#[test]
fn a_submission_of_the_group_as_it_was_is_stale() {
    let (mut harness, root) = reviewing();
    harness.press("<enter>lJ<enter>");
    // Submitting goes on to another group.
    harness.press("<esc>gg<enter>");
    let group = harness.model.compare.group.unwrap();
    append(&root.path().join("x.jsonl"), &line("m", "e", 1));
    assert!(harness.look_again());
    let session = harness.model.session.as_ref().unwrap();
    if session.group(group).unwrap().id.as_str() == "m" {
        assert!(
            harness.screen().contains("stale now"),
            "{}",
            harness.screen()
        );
    }
    let m = session.find("m").unwrap();
    assert_eq!(session.state(m).word(), "stale");
    assert_eq!(session.rows()[m].state.word(), "stale");
}

#[test]
fn a_file_that_changed_is_read_again_before_its_group_is_opened() {
    let (mut harness, root) = reviewing();
    let path = root.path().join("x.jsonl");
    fs::write(&path, line("m", "other", 1) + &line("z", "a", 0)).unwrap();
    harness.press("<enter>");
    let group = harness.model.compare.group.unwrap();
    assert_eq!(harness.model.loading.awaited, Some(group));
    assert!(harness.model.open_failed.is_none());
    assert!(harness.look_again());
    assert_eq!(harness.model.loading.awaited, None);
    let opened = harness.model.opened(group).unwrap();
    let text = opened.content.trajectories[0].patch.as_deref().unwrap();
    assert!(text.contains("mother"), "{text}");
}

#[test]
fn a_file_that_grows_is_opened_as_it_is() {
    let (mut harness, root) = reviewing();
    append(&root.path().join("x.jsonl"), "{\"group_id\":\"m\",\"traj");
    harness.press("<enter>");
    let group = harness.model.compare.group.unwrap();
    assert_eq!(harness.model.opened(group).unwrap().patches.len(), 4);
    // Half a line is no problem.
    assert!(harness.look_again());
    let session = harness.model.session.as_ref().unwrap();
    assert_eq!(session.set().problems, []);
}

#[test]
fn reading_tells_how_far_it_is_and_is_stopped_by_escape() {
    let (mut harness, _root) = reviewing();
    harness.model.loading.stage = Stage::Running;
    let progress = Progress {
        bytes_done: 61,
        bytes_total: 100,
        ..Progress::default()
    };
    harness.send(Message::Loading {
        progress,
        elapsed: Duration::from_secs(6),
    });
    let screen = harness.screen();
    assert!(screen.contains("◐ indexing 61% 4s"), "{screen}");
    assert!(screen.contains("<esc> stop reading"), "{screen}");
    harness.press("<esc>");
    assert_eq!(harness.effects().last(), Some(&Effect::StopLoading));
    harness.send(Message::LoadEnded { complete: false });
    let screen = harness.screen();
    assert!(screen.contains("indexing stopped"), "{screen}");
    assert!(screen.contains("R goes on"), "{screen}");
    harness.press("R");
    assert_eq!(harness.effects().last(), Some(&Effect::Reload));
    assert_eq!(harness.model.loading.stage, Stage::Running);
    harness.send(Message::LoadEnded { complete: true });
    assert!(!harness.screen().contains("indexing"));
}

#[test]
fn reading_can_be_stopped_before_there_is_a_group() {
    let store = Box::new(MemoryStore::default());
    let mut harness = Harness::unloaded(&["x"], 80, 24, store).unwrap();
    harness.press("<esc>");
    assert_eq!(harness.effects(), [Effect::StopLoading]);
}

#[test]
fn following_tells_what_came() {
    let (mut harness, _root) = reviewing();
    harness.send(Message::Followed(Follow {
        rollouts: 12,
        over: Duration::ZERO,
        ago: Some(Duration::from_secs(3)),
    }));
    let screen = harness.screen();
    assert!(
        screen.contains("following · +12 rollouts 3s ago"),
        "{screen}"
    );
}

#[test]
fn replaced_files_are_told_by_what_they_changed() {
    let (mut harness, _root) = reviewing();
    harness.send(Message::Rewritten(2));
    let screen = harness.screen();
    assert!(screen.contains("rewritten: 2 groups changed"), "{screen}");
}

#[test]
fn a_group_whose_rollouts_are_gone_leaves_the_list() {
    let (mut harness, root) = reviewing();
    // Judged, and then read step by step.
    harness.press("<enter>lJ");
    let group = harness.model.compare.group.unwrap();
    harness.press("s");
    assert_eq!(harness.model.screen, Screen::Steps);
    let path = root.path().join("x.jsonl");
    fs::write(&path, line("n", "a", 1) + &line("z", "a", 1)).unwrap();
    assert!(harness.look_again());
    let screen = harness.screen();
    assert!(screen.contains("gone; <esc> leads back"), "{screen}");
    let screen = harness.press("<esc>").screen();
    assert_eq!(harness.model.screen, Screen::Compare);
    assert!(
        screen.contains("The rollouts of this group are gone"),
        "{screen}"
    );
    assert!(screen.contains("stays stored"), "{screen}");
    assert!(!screen.contains("opening"), "{screen}");
    for key in ["s", "J", "a", "<enter>", "r", "t", "|"] {
        harness.press(key);
        assert_eq!(harness.model.screen, Screen::Compare, "{key}");
        assert_eq!(harness.model.compare.group, Some(group), "{key}");
    }
    let screen = harness.press("<esc>").screen();
    assert!(screen.contains("2 groups"), "{screen}");
    assert!(!screen.contains("0/0"), "{screen}");
    assert!(!harness.model.groups.visible().contains(&group));
    let session = harness.model.session.as_ref().unwrap();
    assert!(session.any_judgement(group).is_some());
    // The same rollouts again: the judgement counts again.
    let text: String = [("a", 1), ("b", 1), ("c", 1), ("d", 0)]
        .iter()
        .map(|(id, reward)| line("m", id, *reward))
        .collect();
    append(&path, &text);
    assert!(harness.look_again());
    let session = harness.model.session.as_ref().unwrap();
    assert_eq!(session.state(group).word(), "draft");
    assert!(harness.model.groups.visible().contains(&group));
}

#[test]
fn rollouts_that_come_one_by_one_are_told_together() {
    let (mut harness, _root) = reviewing();
    harness.send(Message::Followed(Follow {
        rollouts: 7,
        over: Duration::from_secs(40),
        ago: Some(Duration::from_secs(3)),
    }));
    let screen = harness.screen();
    assert!(
        screen.contains("following · +7 rollouts in 40s, 3s ago"),
        "{screen}"
    );
}

#[test]
fn with_nothing_ranked_a_move_ranks_the_passing_as_shown() {
    for (keys, wanted) in [
        ("lJ", vec![vec![0], vec![2], vec![1]]),
        ("lK", vec![vec![1], vec![0], vec![2]]),
        ("l=", vec![vec![0, 1], vec![2]]),
        ("K", vec![vec![0], vec![1], vec![2]]),
        ("1", vec![vec![0]]),
    ] {
        let (mut harness, _root) = reviewing();
        let screen = harness.press("<enter>").press(keys).screen();
        assert_eq!(strip(&harness), wanted, "{keys}");
        if keys.starts_with('l') {
            assert!(
                screen.contains("the others are ranked as shown"),
                "{screen}"
            );
        }
        harness.press("u");
        assert!(strip(&harness).is_empty(), "{keys}");
    }
    let (mut harness, _root) = reviewing();
    let screen = harness.press("<enter>x").screen();
    assert!(screen.contains("it is not ranked"), "{screen}");
}

fn draft(harness: &Harness, id: &str) -> Option<Vec<Vec<String>>> {
    let session = harness.model.session.as_ref().unwrap();
    let group = session.find(id).unwrap();
    let draft = session.draft(group)?;
    Some(session.to_ids(group, &draft))
}

fn ids(tiers: &[&str]) -> Option<Vec<Vec<String>>> {
    Some(tiers.iter().map(|id| vec![(*id).to_owned()]).collect())
}

#[test]
fn a_draft_is_kept_when_its_group_grows_elsewhere_and_undone_move_by_move() {
    let (mut harness, root) = reviewing();
    // a b c → a c b → c a b
    harness.press("<enter>lJhhlK");
    assert_eq!(draft(&harness, "m"), ids(&["c", "a", "b"]));
    harness.press(")");
    let path = root.path().join("x.jsonl");
    append(&path, &line("m", "e", 1));
    assert!(harness.look_again());
    assert_eq!(draft(&harness, "m"), ids(&["c", "a", "b"]));
    harness.press("(");
    harness.press("u");
    assert_eq!(draft(&harness, "m"), ids(&["a", "c", "b"]));
    append(&path, &line("m", "f", 0));
    assert!(harness.look_again());
    assert_eq!(draft(&harness, "m"), ids(&["a", "c", "b"]));
    harness.press("<ctrl-r>");
    assert_eq!(draft(&harness, "m"), ids(&["c", "a", "b"]));
    harness.press("uu");
    assert_eq!(draft(&harness, "m"), None);
}

#[test]
fn a_replaced_file_keeps_draft_candidate_and_place() {
    let (mut harness, root) = reviewing();
    harness.press("<enter>lJ");
    let (focus, kept) = (focused(&harness), draft(&harness, "m"));
    harness.press("s");
    let path = root.path().join("x.jsonl");
    let other = root.path().join("other.tmp");
    let text = fs::read_to_string(&path).unwrap() + &line("m", "e", 1);
    // In two parts, as a slow writer would.
    fs::write(&path, "").unwrap();
    harness.look_again();
    fs::write(&other, text).unwrap();
    fs::rename(&other, &path).unwrap();
    assert!(harness.look_again());
    assert_eq!(harness.model.screen, Screen::Steps);
    assert_eq!(focused(&harness), focus);
    assert_eq!(draft(&harness, "m"), kept);
    let screen = harness.screen();
    assert!(!screen.contains("opening the steps"), "{screen}");
    assert!(!screen.contains("are gone"), "{screen}");
}

#[test]
fn a_submission_that_goes_stale_elsewhere_is_told() {
    let (mut harness, root) = reviewing();
    harness.press("<enter>lJ<enter>").press("<esc>");
    append(&root.path().join("x.jsonl"), &line("m", "e", 1));
    assert!(harness.look_again());
    // Submitting went on or stayed: either way it is told.
    let screen = harness.screen();
    assert!(screen.contains("stale now"), "{screen}");
}

#[test]
fn a_file_that_is_deleted_is_told() {
    let (mut harness, root) = reviewing();
    harness.send(Message::LoadEnded { complete: true });
    fs::remove_file(root.path().join("x.jsonl")).unwrap();
    assert!(harness.look_again());
    let screen = harness.screen();
    assert!(screen.contains("! lists it"), "{screen}");
    let screen = harness.press("<enter>").screen();
    assert!(screen.contains("cannot be read"), "{screen}");
    let screen = harness.press("s").screen();
    assert!(!screen.contains("no trace is recorded"), "{screen}");
}

#[test]
fn the_only_group_or_the_one_named_is_opened_without_a_key() {
    use gagar::tui::message::Message;
    use gagar::tui::model::{OpensFirst, Screen};
    let opened = |path: &str, first: OpensFirst| {
        let mut harness = Harness::open(&[crate::sample(path)], 120, 40).unwrap();
        harness.model.opens_first = first;
        harness.send(Message::LoadEnded { complete: true });
        let session = harness.model.session.as_ref().unwrap();
        let group = harness.model.compare.group;
        let id = group.and_then(|group| session.group(group));
        let id = id.map_or(String::new(), |group| group.id.to_string());
        (harness.model.screen, id, harness.model.status.text.clone())
    };
    let named = |id: &str| OpensFirst::Named(id.to_owned());
    assert_eq!(opened("native", OpensFirst::Only).0, Screen::Groups);
    let (screen, id, _) = opened("native", named("tabular__csv-33"));
    assert_eq!((screen, id.as_str()), (Screen::Compare, "tabular__csv-33"));
    let (screen, _, said) = opened("native", named("nothing"));
    assert_eq!(
        (screen, said.as_str()),
        (Screen::Groups, "no group is called nothing")
    );
    assert_eq!(opened("formats/skyrl", OpensFirst::Only).0, Screen::Compare);
    assert_eq!(opened("formats/skyrl", OpensFirst::No).0, Screen::Groups);
}
