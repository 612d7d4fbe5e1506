//! A day of annotating: orders, states, time, questions, history, and how many keys it takes.

use gagar::domain::assignment::Assigned;
use gagar::formats::LoadOptions;
use gagar::review::{EventBody, QueueOrder, Settings};
use gagar::store::{Event, MemoryStore};
use gagar::tui::message::Message;
use gagar::tui::testing::Harness;
use gagar::tui::workers::LoadInput;

use crate::{native, sample};

fn events(harness: &Harness) -> Vec<Event> {
    harness.store().events_since(0).unwrap()
}

fn kinds(harness: &Harness) -> Vec<String> {
    let events = events(harness);
    events
        .iter()
        .map(|event| event.body.kind().to_owned())
        .collect()
}

/// The ids of the groups listed, in order.
fn listed(harness: &Harness) -> Vec<String> {
    let session = harness.model.session.as_ref().unwrap();
    let visible = harness.model.groups.visible().iter();
    visible
        .map(|&group| session.group(group).unwrap().id.as_str().to_owned())
        .collect()
}

#[test]
fn the_list_and_the_next_group_follow_the_order_chosen() {
    let mut harness = native(120, 40);
    let screen = harness.press("o").screen();
    insta::assert_snapshot!(screen);
    harness.press("random<down><up><enter>");
    let screen = harness.screen();
    assert!(screen.contains("queue: random:seed=7"), "{screen}");
    let order = listed(&harness);
    let mut sorted = order.clone();
    sorted.sort();
    assert_ne!(order, sorted);
    harness.press("orandom:seed=8<enter>");
    assert_ne!(listed(&harness), order);
    harness.press("orandom:seed=7<enter>");
    assert_eq!(listed(&harness), order, "the same seed, the same order");
    // Only what is to be ranked is work.
    let session = harness.model.session.as_ref().unwrap();
    let visible = harness.model.groups.visible().to_vec();
    let work: Vec<usize> = visible
        .into_iter()
        .filter(|&g| session.is_to_judge(g))
        .collect();
    for &group in &work {
        harness.press(">");
        assert_eq!(harness.model.compare.group, Some(group));
    }
    harness.press(">");
    assert_eq!(
        harness.model.compare.group,
        Some(work[0]),
        "from the top again"
    );
    harness.press("<esc>s");
    assert!(harness.screen().contains("sort:"), "{}", harness.screen());
}

#[test]
fn a_skipped_group_says_why_and_is_work_again_when_taken_back() {
    let mut harness = native(200, 40);
    harness.press(">");
    let first = harness.model.compare.group;
    let screen = harness.press("X").screen();
    assert!(screen.contains("1 cannot judge"), "{screen}");
    let screen = harness.press("2").screen();
    assert_ne!(harness.model.compare.group, first, "it goes on");
    assert!(
        screen.contains("skipped: task unclear; next unfinished group"),
        "{screen}"
    );
    harness.press("<esc>fstate:skipped<enter>");
    assert_eq!(listed(&harness).len(), 1);
    assert!(harness.screen().contains("skipped: task unclear"));
    let screen = harness.press("<enter>").screen();
    assert!(screen.contains("you: skipped (task unclear)"), "{screen}");
    assert!(screen.contains("0/5 done · 1 skipped"), "{screen}");
    harness.press("X");
    assert!(
        harness.screen().contains("you: opened"),
        "{}",
        harness.screen()
    );
    harness.press("u");
    assert!(
        harness.screen().contains("you: skipped"),
        "{}",
        harness.screen()
    );
    // A reason of one's own, or none.
    harness.press("X").press("Xtoo large<enter>");
    assert!(
        harness.screen().contains("skipped: too large"),
        "{}",
        harness.screen()
    );
    let skips = events(&harness)
        .into_iter()
        .filter_map(|event| match event.body {
            EventBody::SkipSet { reason, .. } => Some(reason),
            _ => None,
        });
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(
        skips.collect::<Vec<_>>(),
        [said("task unclear"), None, None, said("too large")]
    );
}

#[test]
fn a_flag_is_seen_everywhere_and_taken_back_by_the_same_key() {
    let mut harness = native(160, 40);
    harness.press("<enter>*").press("odd task<enter>");
    assert!(
        harness
            .screen()
            .contains("you: opened * flagged (odd task)")
    );
    let screen = harness.press("<esc>fflagged<enter>").screen();
    assert!(screen.contains("▸*"), "{screen}");
    assert!(screen.contains("* flagged: odd task"), "{screen}");
    harness.press("<enter>*");
    assert!(
        !harness.screen().contains("* flagged"),
        "{}",
        harness.screen()
    );
    assert_eq!(kinds(&harness), ["group.open", "flag.set", "flag.set"]);
}

#[test]
fn focused_time_is_in_the_submission_and_idle_time_is_not() {
    let mut harness = native(160, 40);
    harness.wait(0).press("<enter>");
    harness.wait(5_000).press("a");
    // Ten minutes away count one.
    harness.wait(600_000).press("j");
    // The window behind another one.
    harness.wait(1_000).send(Message::Focus(false));
    harness.wait(50_000).send(Message::Focus(true));
    harness.wait(2_000).press("<enter>").press("<enter>");
    let submitted = events(&harness)
        .into_iter()
        .find_map(|event| match event.body {
            EventBody::RankSubmit { active_ms, .. } => Some(active_ms),
            _ => None,
        });
    assert_eq!(submitted, Some(5_000 + 60_000 + 1_000 + 2_000));
    // The next group was opened; time on it is kept when it is left unfinished.
    let next = harness.model.compare.group.unwrap();
    harness.wait(7_000).press("<esc>");
    harness.wait(30_000).press("<enter>");
    harness.wait(4_000).press("as").wait(1_000).press("q");
    let session = harness.model.session.as_ref().unwrap();
    assert_eq!(session.judgement(next).unwrap().spent_ms, 12_000);
    let times: Vec<_> = events(&harness)
        .into_iter()
        .filter_map(|event| match event.body {
            EventBody::TimeAdd { active_ms } => Some(active_ms),
            _ => None,
        })
        .collect();
    assert_eq!(times, [7_000, 5_000]);
    assert!(harness.has_left());
}

#[test]
fn looking_writes_nothing_until_somebody_annotates() {
    let mut harness = native(120, 40);
    harness
        .wait(0)
        .press("<enter>")
        .wait(9_000)
        .press("<esc>j<enter><esc>");
    assert!(kinds(&harness).is_empty());
    harness.press("<enter>a<esc>jj<enter>");
    let kinds = kinds(&harness);
    let opened = kinds.iter().filter(|kind| *kind == "group.open").count();
    assert_eq!(opened, 2, "{kinds:?}");
    assert!(
        harness.screen().contains("you: opened"),
        "{}",
        harness.screen()
    );
}

#[test]
fn a_slip_is_asked_about_once() {
    let mut harness = native(80, 24);
    harness.wait(0).press("<enter>a");
    let group = harness.model.compare.group;
    let screen = harness.wait(500).press("<enter>").screen();
    assert!(screen.contains("never looked at"), "{screen}");
    assert_eq!(harness.model.compare.group, group);
    // Another key takes the question away; the same draft is not asked about again.
    let screen = harness.press("j").screen();
    assert!(!screen.contains("never looked at"), "{screen}");
    harness.press("<enter>");
    assert_ne!(harness.model.compare.group, group, "submitted");

    // Everything was read, slowly: no question.
    let mut harness = native(80, 24);
    harness.wait(0).press("<enter>a");
    let group = harness.model.compare.group;
    harness.wait(3_000).press("lllllll<enter>");
    assert_ne!(harness.model.compare.group, group);

    // The same patch on two ranks.
    let mut harness = native(80, 24);
    harness.wait(0).press("<enter>a-");
    let screen = harness.wait(3_000).press("lllllll<enter>").screen();
    assert!(
        screen.contains("have the same patch but different ranks"),
        "{screen}"
    );
}

#[test]
fn the_history_of_a_group_is_read_over_it() {
    let mut harness = native(120, 24);
    harness.press("<enter>gh");
    assert!(
        harness.screen().contains("nothing is recorded"),
        "{}",
        harness.screen()
    );
    harness.press("aJu<enter>(gh");
    let screen = harness.screen();
    assert!(screen.contains("history of this group"), "{screen}");
    for said in [
        "accepted the grader's order",
        "(undone)",
        "undid “ranked”",
        "submitted",
        "ann",
    ] {
        assert!(screen.contains(said), "{said}: {screen}");
    }
    let submitted = screen.find("submitted").unwrap();
    assert!(
        submitted < screen.find("accepted the").unwrap(),
        "newest first: {screen}"
    );
}

#[test]
fn an_assignment_shows_its_groups_in_its_order_and_tells_what_is_wrong() {
    let everything = native(120, 40);
    let session = everything.model.session.as_ref().unwrap();
    let row = |group_id: &str, position: usize, fingerprint: &str| Assigned {
        annotator: "ann".to_owned(),
        group_id: group_id.to_owned(),
        position,
        blind: false,
        seed: 7,
        fingerprint: fingerprint.to_owned(),
    };
    let known = |id: &str| {
        let group = session.find(id).and_then(|group| session.group(group));
        group.unwrap().fingerprint.clone()
    };
    let rows = [
        row("ringbuf__ringbuf-7", 3, "as it was"),
        row("textkit__slug-101", 1, &known("textkit__slug-101")),
        row("fetcher__retry-58", 2, &known("fetcher__retry-58")),
        row("not__there-1", 4, ""),
        Assigned {
            annotator: "bob".to_owned(),
            ..row("listings__paging-19", 1, "")
        },
    ];
    let paths = [sample("native")];
    let store = || Box::new(MemoryStore::default());
    let mut model = Harness::unloaded(&paths, 160, 40, store()).unwrap().model;
    model.assigned = Some(rows.to_vec().into());
    model.groups.queue = Some(QueueOrder::Given);
    let input = LoadInput {
        paths: paths.to_vec(),
        load: LoadOptions::default(),
        identity: session.identity().clone(),
        settings: Settings::default(),
        seed: 1,
    };
    let mut harness = Harness::loaded(model, input, store()).unwrap();
    let order = [
        "textkit__slug-101",
        "fetcher__retry-58",
        "ringbuf__ringbuf-7",
    ];
    assert_eq!(listed(&harness), order);
    let screen = harness.screen();
    assert!(screen.contains("3 groups"), "{screen}");
    assert!(screen.contains("ann: 0/3 done"), "{screen}");
    let screen = harness.press("!").screen();
    assert!(
        screen.contains("not__there-1: assigned as group 4"),
        "{screen}"
    );
    assert!(
        screen.contains("ringbuf__ringbuf-7: its data is not"),
        "{screen}"
    );
    harness.press("<esc>>").press("X").press("1");
    let session = harness.model.session.as_ref().unwrap();
    assert_eq!(harness.model.compare.group, session.find(order[1]));
    // Opened by somebody with an assignment: that is recorded at once.
    assert_eq!(kinds(&harness), ["group.open", "skip.set", "group.open"]);
}

#[test]
fn a_full_reorder_of_eight_takes_two_keys_a_move_and_one_to_submit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("eight.jsonl");
    let rollout = |n: usize| {
        let patch =
            format!("diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n-a\n+b{n}\n");
        serde_json::json!({ "trajectory_id": format!("t{n}"), "reward": 1.0, "patch": patch })
    };
    // A failing one makes the group count; the eight that pass are ranked.
    let mut all: Vec<_> = (0..8).map(rollout).collect();
    all.push(serde_json::json!({ "trajectory_id": "bad", "reward": 0.0, "patch": "" }));
    let group = serde_json::json!({
        "schema": "gagar.group/1", "group_id": "g", "trajectories": all,
    });
    std::fs::write(&path, format!("{group}\n")).unwrap();
    let mut harness = Harness::open(&[path], 200, 60).unwrap();
    if harness.model.compare.group.is_none() {
        harness.press("<enter>");
    }
    let mut keys = 0;
    let mut press = |harness: &mut Harness, key: &str| {
        keys += 1;
        harness.press(key);
    };
    // To the reverse: each candidate gets its place among those placed before it.
    press(&mut harness, "1");
    for place in 1..8 {
        press(&mut harness, "<tab>");
        press(&mut harness, "1");
        assert_eq!(harness.model.compare.focus(), Some(place));
    }
    press(&mut harness, "<enter>");
    let submitted = events(&harness)
        .into_iter()
        .find_map(|event| match event.body {
            EventBody::RankSubmit { tiers, .. } => Some(tiers.concat()),
            _ => None,
        });
    let wanted: Vec<String> = (0..8).rev().map(|n| format!("t{n}")).collect();
    assert_eq!(submitted, Some(wanted));
    assert!(keys <= 2 * 8 + 1, "{keys} keys");
}

#[test]
fn the_header_shows_whole_words_and_what_matters_first() {
    for columns in [80, 100, 120, 200] {
        let mut harness = native(columns, 24);
        harness.press("<enter>CXcannot<space>tell<enter>");
        harness.press("(*another<space>look<enter>");
        let screen = harness.screen();
        let header = screen.lines().next().unwrap();
        assert!(header.contains("you: skipped"), "{screen}");
        assert!(header.contains("* flagged"), "{screen}");
        assert!(header.contains("low confidence"), "{screen}");
        let (_, behind_the_name) = header.split_once(" · ").unwrap();
        assert!(!behind_the_name.contains('…'), "{screen}");
        let screen = harness.press("<esc>").screen();
        let header: Vec<_> = screen.lines().take(2).collect();
        assert!(!header.concat().contains('…'), "{screen}");
    }
}
