//! Blind mode on screen: a marker that stands in every name and grader's text is on no screen before
//! the reveal, and is there after it.

use std::path::{Path, PathBuf};

use gagar::domain::assignment::Assigned;
use gagar::formats::LoadOptions;
use gagar::review::Settings;
use gagar::store::{EventBody, EventStore, MemoryStore, SqliteStore};
use gagar::tui::action::Action;
use gagar::tui::model::Screen;
use gagar::tui::screens::compare::Body;
use gagar::tui::testing::Harness;
use gagar::tui::workers::LoadInput;

use crate::sample;

/// Stands in every trajectory id, policy, grader's text and path.
const MARKER: &str = "zebra";

/// The native sample with the marker in it, in a folder of that name with a file that is broken.
fn marked(folder: &Path) -> PathBuf {
    let folder = folder.join(format!("{MARKER}-runs"));
    std::fs::create_dir(&folder).unwrap();
    for name in ["groups.jsonl", "rankings.jsonl"] {
        let text = std::fs::read_to_string(sample("native").join(name)).unwrap();
        let lines = text.lines().map(|line| {
            let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
            mark(&mut record);
            record.to_string() + "\n"
        });
        let lines: String = lines.collect();
        std::fs::write(folder.join(format!("{MARKER}-{name}")), lines).unwrap();
    }
    let broken = folder.join(format!("{MARKER}-broken.jsonl"));
    std::fs::write(broken, "{\"schema\": \"gagar.group/1\", \"group_id\": 3}\n").unwrap();
    folder
}

/// Puts the marker into a record of a group or a ranking.
fn mark(record: &mut serde_json::Value) {
    let named = |id: &serde_json::Value| format!("{MARKER}-{}", id.as_str().unwrap()).into();
    let Some(object) = record.as_object_mut() else {
        return;
    };
    if let Some(all) = object.get_mut("trajectories") {
        for trajectory in all.as_array_mut().unwrap() {
            let trajectory = trajectory.as_object_mut().unwrap();
            trajectory["trajectory_id"] = named(&trajectory["trajectory_id"]);
            trajectory.insert("policy".to_owned(), format!("{MARKER}-7b").into());
            trajectory.insert("run".to_owned(), MARKER.into());
        }
        object.insert("model".to_owned(), MARKER.into());
        return;
    }
    object["grader"]["name"] = format!("{MARKER}-judge").into();
    object.insert("reasoning".to_owned(), format!("{MARKER} says").into());
    for key in ["shown_order", "unranked", "not_eligible"] {
        if let Some(ids) = object.get_mut(key).and_then(|ids| ids.as_array_mut()) {
            ids.iter_mut().for_each(|id| *id = named(id));
        }
    }
    if let Some(tiers) = object.get_mut("tiers").and_then(|all| all.as_array_mut()) {
        let ids = tiers
            .iter_mut()
            .flat_map(|tier| tier.as_array_mut().unwrap());
        ids.for_each(|id| *id = named(id));
    }
    for key in ["findings", "summaries"] {
        if let Some(all) = object.get_mut(key).and_then(|all| all.as_array_mut()) {
            for one in all {
                one["trajectory_id"] = named(&one["trajectory_id"]);
                for text in ["note", "summary", "text"] {
                    if one.get(text).is_some() {
                        one[text] = format!("{MARKER} note").into();
                    }
                }
            }
        }
    }
}

fn blind(runs: &Path, size: (u16, u16), store: Box<dyn EventStore>) -> Harness {
    Harness::open_as("ann", true, &[runs], size, store).unwrap()
}

fn fresh(runs: &Path, size: (u16, u16)) -> Harness {
    blind(runs, size, Box::new(MemoryStore::default()))
}

#[track_caller]
fn assert_hidden(harness: &Harness, keys: &str) {
    let screen = harness.screen();
    let leaks = screen.to_lowercase().contains(MARKER);
    assert!(!leaks, "after {keys}:\n{screen}");
}

/// Every screen and body, by the keys that open it from the list of groups.
const SCREENS: [&str; 12] = [
    "",
    "<enter>",
    "<enter>t",
    "<enter>m",
    "<enter>gp",
    "<enter>ga",
    "<enter>s",
    "<enter>r",
    "w",
    "<enter>J1",
    "<enter>J",
    "<enter>A",
];

#[test]
fn no_key_on_any_screen_shows_what_is_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let runs = marked(folder.path());
    for opens in SCREENS {
        let mut harness = fresh(&runs, (120, 40));
        open(&mut harness, opens);
        for size in [(80, 24), (200, 60), (120, 40)] {
            harness.resize(size.0, size.1);
            assert_hidden(&harness, opens);
        }
        let place = (harness.model.screen, harness.model.compare.body);
        for &action in Action::ALL {
            // Revealing needs a submission; leaving and suspending show nothing.
            let skipped = [Action::Submit, Action::Quit, Action::Suspend];
            let Some(keys) = harness.model.keymap.key_of(action) else {
                continue;
            };
            if skipped.contains(&action) || keys == "<enter>" {
                continue;
            }
            harness.press(&keys);
            assert_hidden(&harness, &format!("{opens} and {keys}"));
            let now = (harness.model.screen, harness.model.compare.body);
            if now != place || harness.model.overlay.is_some() || harness.has_left() {
                open(&mut harness, opens);
            }
        }
    }
}

/// Goes to a screen from wherever the interface is.
fn open(harness: &mut Harness, keys: &str) {
    harness.model.overlay = None;
    harness.model.pending_keys.clear();
    harness.model.compare.body = Body::Diff;
    gagar::tui::update::go_to(&mut harness.model, Screen::Groups);
    if !keys.is_empty() {
        harness.press(keys);
    }
}

#[test]
fn everything_is_shown_after_the_reveal_and_later_changes_are_recorded_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let runs = marked(folder.path());
    let mut harness = fresh(&runs, (200, 60));
    harness.press("<enter>");
    assert!(harness.screen().contains(" blind "), "{}", harness.screen());
    harness.press("a");
    assert!(harness.screen().contains("hidden in blind mode"));
    harness.press("E");
    assert!(harness.screen().contains("submit your ranking first"));
    harness.press("1<enter>");
    let first = awaiting(&harness);
    assert_ne!(harness.model.compare.group, first, "the next one is open");
    assert_hidden(&harness, "1<enter>");
    harness.press("E");
    assert_ne!(harness.model.compare.group, first, "it asks");
    assert_hidden(&harness, "1<enter>E");
    harness.press("E");
    assert_eq!(harness.model.compare.group, first, "back to reveal it");
    let screen = harness.screen();
    assert!(
        screen.contains("revealed: changes count as after reveal"),
        "{screen}"
    );
    assert!(screen.contains(MARKER), "{screen}");
    harness.press("l1<enter>");
    let events = harness.store().events_since(0).unwrap();
    let told: Vec<bool> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::RankSubmit { after_reveal, .. } => Some(*after_reveal),
            _ => None,
        })
        .collect();
    assert_eq!(told, [false, true]);
}

/// The group that was submitted and is not revealed.
fn awaiting(harness: &Harness) -> Option<usize> {
    let session = harness.model.session.as_ref().unwrap();
    let mut all = 0..session.rows().len();
    all.find(|&group| session.awaits_reveal(group))
}

#[test]
fn only_the_group_just_submitted_is_revealed_from_another_one_and_only_when_asked_twice() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("judgements.db");
    let runs = marked(folder.path());
    let store = || Box::new(SqliteStore::at(&db));
    let mut harness = blind(&runs, (120, 40), store());
    harness.press("<enter>1<enter>");
    let first = awaiting(&harness).unwrap();
    harness.press("1<enter>");
    let second = harness.model.session.as_ref().unwrap();
    let second = (0..second.rows().len()).find(|&g| g != first && second.awaits_reveal(g));
    let open = harness.model.compare.group;
    let screen = harness.press("E").screen();
    let id = harness.model.session.as_ref().unwrap();
    let id = id.group(second.unwrap()).unwrap().id.clone();
    assert!(
        screen.contains(&format!("E again reveals {id}")),
        "{screen}"
    );
    // Another key is no answer.
    harness.press("lE");
    assert_eq!(harness.model.compare.group, open);
    harness.press("E");
    assert_eq!(harness.model.compare.group, second);
    assert_eq!(awaiting(&harness), Some(first), "no other is revealed");
    // From a third one no earlier group is revealed, however often the key is pressed.
    harness.press(">EEE");
    assert_eq!(harness.model.compare.group, open);
    assert_eq!(awaiting(&harness), Some(first));
    // Nor one of an earlier session.
    let mut again = blind(&runs, (120, 40), store());
    again.press(">EEE");
    assert_eq!(again.model.compare.group, open);
    assert!(again.screen().contains("submit your ranking first"));
    assert_eq!(awaiting(&again), Some(first));
}

#[test]
fn the_remarks_of_all_groups_are_those_of_the_assigned_ones() {
    let runs = sample("swebench");
    let all = Harness::open(&[&runs], 120, 40).unwrap();
    let session = all.model.session.as_ref().unwrap();
    let given = session.group(0).unwrap();
    let row = Assigned {
        annotator: session.identity().annotator.clone(),
        group_id: given.id.as_str().to_owned(),
        position: 1,
        blind: true,
        seed: 0,
        fingerprint: given.fingerprint.clone(),
    };
    let store = || Box::new(MemoryStore::default());
    let mut model = Harness::unloaded(&[&runs], 120, 40, store()).unwrap().model;
    model.assigned = Some(vec![row].into());
    let input = LoadInput {
        paths: vec![runs.clone()],
        load: LoadOptions::default(),
        identity: session.identity().clone(),
        settings: Settings::default(),
        seed: 1,
    };
    let mut harness = Harness::loaded(model, input, store()).unwrap();
    harness.press("O");
    assert_eq!(harness.model.remarks.asking.groups, 1);
    let mut rows = harness.model.remarks.rows.iter();
    assert!(rows.all(|row| row.group == 0));
}

#[test]
fn an_opened_group_is_recorded_once_and_judges_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("judgements.db");
    let runs = marked(folder.path());
    let store = || Box::new(SqliteStore::at(&db));
    let mut harness = blind(&runs, (80, 24), store());
    harness.press("<enter><esc><enter><esc>");
    let screen = harness.screen();
    assert!(screen.contains("opened"), "{screen}");
    let kinds: Vec<_> = harness.store().events_since(0).unwrap();
    let kinds: Vec<_> = kinds.iter().map(|event| event.body.kind()).collect();
    assert_eq!(kinds, ["group.open"]);
    let again = blind(&runs, (80, 24), store());
    assert!(again.screen().contains("opened"), "{}", again.screen());
    assert_eq!(again.model.screen, Screen::Groups);
    // Without the flag what was begun blind stays so.
    let mut without = Harness::open_as("ann", false, &[&runs], (120, 40), store()).unwrap();
    without.press("<enter>");
    assert_hidden(&without, "<enter>");
    // For somebody else it is another review.
    let mut other = Harness::open_as("bob", false, &[&runs], (200, 60), store()).unwrap();
    other.press("<enter>");
    assert!(other.screen().contains(MARKER), "{}", other.screen());
}

#[test]
fn others_rankings_and_names_of_before_are_hidden_too() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("judgements.db");
    let runs = marked(folder.path());
    let store = || Box::new(SqliteStore::at(&db));
    let open = |name: &str, blind: bool| {
        let mut harness = Harness::open_as(name, blind, &[&runs], (200, 60), store()).unwrap();
        harness.press("<enter>");
        harness
    };
    open(&format!("{MARKER}-bob"), false).press("a<enter>");
    // Judged openly before, then blind.
    open("ann", false).press("1");
    let mut ann = open("ann", true);
    for action in [Action::History, Action::Rankings, Action::OpenAgreement] {
        gagar::tui::update::perform(&mut ann.model, action, None);
        assert_hidden(&ann, action.name());
        ann.model.overlay = None;
    }
    // The same group with other rollouts: what was said of those that are gone names none of them.
    let file = runs.join(format!("{MARKER}-groups.jsonl"));
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        text.replace(&format!("{MARKER}-r"), &format!("{MARKER}-s")),
    )
    .unwrap();
    let mut ann = open("ann", true);
    gagar::tui::update::perform(&mut ann.model, Action::History, None);
    assert!(ann.model.overlay.is_some(), "{}", ann.screen());
    assert_hidden(&ann, "history of a group that changed");
}

#[test]
fn a_group_that_grows_while_it_is_open_stays_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let runs = marked(folder.path());
    let mut harness = fresh(&runs, (200, 60));
    harness.press("<enter>1");
    let file = runs.join(format!("{MARKER}-groups.jsonl"));
    let text = std::fs::read_to_string(&file).unwrap();
    let grown = text.replace(&format!("{MARKER}-r7"), &format!("{MARKER}-r9"));
    std::fs::write(&file, grown).unwrap();
    assert!(harness.look_again());
    assert_hidden(&harness, "following");
    let session = harness.model.session.as_ref().unwrap();
    let group = harness.model.compare.group.unwrap();
    let opened = harness.model.opened(group).unwrap();
    // Texts and index are in one order.
    for (index, trajectory) in session.set().groups[group].trajectories.iter().enumerate() {
        let text = opened.content.trajectories[index].patch.as_ref();
        assert_eq!(
            text.map_or(0, |text| text.len() as u64),
            trajectory.patch.bytes
        );
    }
}
