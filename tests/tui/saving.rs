use gagar::store::{Event, EventStore, MemoryStore, NewEvent, StoreError};
use gagar::tui::effect::Effect;
use gagar::tui::message::Message;
use gagar::tui::testing::Harness;

use crate::{native, sample};

#[test]
fn a_judgement_is_stored_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("judgements.db");
    let mut harness = Harness::open_with_db(&[sample("native")], 80, 24, &db).unwrap();
    harness.press("<enter>");
    assert!(!db.exists(), "looking stores nothing");
    harness.press("aJ");
    assert!(harness.screen().contains("saved"), "{}", harness.screen());
    let group = harness.model.compare.group.unwrap();
    let draft = harness.model.session.as_ref().unwrap().draft(group);
    let again = Harness::open_with_db(&[sample("native")], 80, 24, &db).unwrap();
    assert_eq!(again.model.session.as_ref().unwrap().draft(group), draft);
}

#[test]
fn a_failed_save_is_kept_told_and_tried_again_in_order() {
    let mut harness = native(80, 24);
    harness.press("<enter>");
    harness.press("a");
    // The store answered already; what follows is a failure of the next save.
    harness.model.saves.pending.clear();
    harness.press("J");
    let events = match harness.effects().last() {
        Some(Effect::Save(events)) => events.clone(),
        other => panic!("{other:?}"),
    };
    harness.model.saves.pending.push_back(events.clone());
    harness.send(Message::SaveFailed("disk full".to_owned()));
    assert!(
        harness.screen().contains("NOT SAVED: disk full"),
        "{}",
        harness.screen()
    );
    harness.press("q");
    assert!(!harness.has_left());
    assert!(
        harness.screen().contains("could not be stored"),
        "{}",
        harness.screen()
    );
    for keys in ["q", "<ctrl-c><ctrl-c>", "n<enter>x", "<ctrl-y><ctrl-s>"] {
        harness.press(keys);
        assert!(
            !harness.has_left() && harness.model.overlay.is_some(),
            "{keys}"
        );
    }
    harness.press("<esc>q");
    harness.press("y");
    assert!(harness.has_left());
}

#[derive(Default)]
struct Failing(MemoryStore);

impl EventStore for Failing {
    fn append(&mut self, _: &[NewEvent]) -> Result<Vec<Event>, StoreError> {
        Err(StoreError::Unusable {
            path: "db".to_owned(),
            reason: "disk full".to_owned(),
        })
    }

    fn events_since(&self, seq: u64) -> Result<Vec<Event>, StoreError> {
        self.0.events_since(seq)
    }
}

#[test]
fn nothing_is_lost_while_the_store_fails() {
    let mut harness =
        Harness::open_with_store(&[sample("native")], 80, 24, Box::new(Failing::default()))
            .unwrap();
    harness.press("<enter>aJK");
    let unsaved: usize = harness.model.saves.unsaved.iter().map(Vec::len).sum();
    let asked: std::collections::BTreeSet<String> = harness
        .effects()
        .iter()
        .filter_map(|effect| match effect {
            Effect::Save(events) => Some(events.iter().map(|event| event.event_id.clone())),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(unsaved, asked.len());
    assert_eq!(harness.model.saves.unsaved_changes(), 3);
    let screen = harness.press("q").screen();
    assert!(screen.contains("3 judgement changes could not"), "{screen}");
    harness.press("<esc>");
    harness.press("J");
    for columns in [60, 80, 120] {
        let screen = harness.resize(columns, 24).screen();
        let said = &harness.model.status.text;
        assert!(
            screen.contains("NOT SAVED") && screen.contains(said),
            "{screen}"
        );
    }
}

#[test]
fn a_submission_that_is_not_stored_stays_on_its_group() {
    let mut harness =
        Harness::open_with_store(&[sample("native")], 80, 24, Box::new(Failing::default()))
            .unwrap();
    harness.press("<enter>");
    let group = harness.model.compare.group;
    // The first failure is known only after the next group was opened.
    for keys in ["a<enter>", "J<enter>", "<ctrl-s>"] {
        harness.press(keys);
        assert_eq!(harness.model.compare.group, group, "{keys}");
        let screen = harness.screen();
        assert!(screen.contains("NOT SAVED"), "{screen}");
        assert!(screen.contains("submission is not stored"), "{screen}");
        assert!(!screen.contains("next unfinished"), "{screen}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_removed_while_in_use_is_told_and_a_retry_writes_everything() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("judgements.db");
    let mut harness = Harness::open_with_db(&[sample("native")], 120, 24, &db).unwrap();
    harness.press("<enter>aJ");
    let group = harness.model.compare.group.unwrap();
    std::fs::remove_file(&db).unwrap();
    let screen = harness.press("K").screen();
    assert!(screen.contains("NOT SAVED"), "{screen}");
    assert!(screen.contains("removed or replaced"), "{screen}");
    let screen = harness.press("<ctrl-s>").screen();
    assert!(!screen.contains("NOT SAVED"), "{screen}");
    assert!(screen.contains("everything is saved"), "{screen}");
    let again = Harness::open_with_db(&[sample("native")], 80, 24, &db).unwrap();
    let judgement = |harness: &Harness| {
        let session = harness.model.session.as_ref().unwrap();
        session.judgement(group).cloned().unwrap()
    };
    assert_eq!(judgement(&again), judgement(&harness));
}

#[test]
fn what_another_gagar_wrote_meanwhile_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("judgements.db");
    let open = || Harness::open_with_db(&[sample("native")], 120, 24, &db).unwrap();
    let (mut one, mut two) = (open(), open());
    let draft = |harness: &Harness| {
        let group = harness.model.compare.group.unwrap();
        harness.model.session.as_ref().unwrap().draft(group)
    };
    // Event ids come from the seed, which both have: take other ones.
    for _ in 0..9 {
        let body = gagar::store::EventBody::Undo {
            event_id: String::new(),
        };
        two.model.session.as_mut().unwrap().note_event(body);
    }
    let screen = one.press("<enter>a").screen();
    assert!(!screen.contains("another gagar"), "{screen}");
    let screen = two.press("<enter>J").screen();
    assert!(screen.contains("another gagar wrote"), "{screen}");
    let screen = two.press("K").screen();
    assert!(!screen.contains("another gagar"), "{screen}");
    one.press("J");
    assert!(one.screen().contains("another gagar"), "{}", one.screen());
    assert_eq!(draft(&one), draft(&open_on(&db)));
}

fn open_on(db: &std::path::Path) -> Harness {
    let mut harness = Harness::open_with_db(&[sample("native")], 120, 24, db).unwrap();
    harness.press("<enter>");
    harness
}

#[cfg(unix)]
#[test]
fn a_submission_that_fails_first_comes_back_to_its_group() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("judgements.db");
    let mut harness = Harness::open_with_db(&[sample("native")], 120, 24, &db).unwrap();
    harness.press("<enter>a");
    let group = harness.model.compare.group;
    std::fs::remove_file(&db).unwrap();
    let screen = harness.press("<enter>").screen();
    assert!(screen.contains("submission is not stored"), "{screen}");
    assert_eq!(harness.model.compare.group, group);
    harness.press("<ctrl-s>");
    let again = open_on(&db);
    let session = again.model.session.as_ref().unwrap();
    assert_eq!(
        session.state(group.unwrap()),
        gagar::review::ReviewState::Submitted
    );
}

#[test]
fn a_database_that_cannot_be_read_is_told_at_the_start() {
    let mut harness = native(120, 24);
    harness.send(Message::StoreUnreadable(
        "j.db: not an SQLite file".to_owned(),
    ));
    let screen = harness.screen();
    assert!(screen.contains("cannot be read, none is shown"), "{screen}");
    assert!(screen.contains("j.db: not an SQLite file"), "{screen}");
}

#[test]
fn what_others_submit_is_told_without_a_key_and_never_over_an_error_or_a_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("judgements.db");
    let mut me = Harness::open_with_db(&[sample("native")], 120, 24, &db).unwrap();
    let group = "fetcher__retry-58";
    let mut other = gagar::store::SqliteStore::at(&db);
    let mut n = 0;
    let mut write = |annotator: &str, submit: bool| {
        n += 1;
        let session = me_session(&db);
        let body = if submit {
            gagar::store::EventBody::RankSubmit {
                tiers: vec![vec!["a".to_owned()]],
                unranked: Vec::new(),
                shown_order: Vec::new(),
                active_ms: 1,
                origin: "scratch".to_owned(),
                blind: false,
                after_reveal: false,
                confidence: None,
            }
        } else {
            gagar::store::EventBody::NoteSet {
                text: "hm".to_owned(),
                before: String::new(),
            }
        };
        let event = NewEvent {
            event_id: format!("other-{n}"),
            at_ms: n,
            annotator: annotator.to_owned(),
            session_id: "s".to_owned(),
            group: Some(gagar::store::GroupRecord {
                group_id: group.to_owned(),
                fingerprint: session,
                task: String::new(),
                source: String::new(),
                trajectories: Vec::new(),
            }),
            body,
        };
        other.append(&[event]).unwrap();
    };
    let before = me.screen();
    assert_eq!(me.look().screen(), before, "nobody wrote");
    write("bob", false);
    assert_eq!(me.look().screen(), before, "drafts of others are not told");
    write("bob", true);
    let screen = me.look().screen();
    assert!(
        screen.contains(&format!("bob submitted {group}")),
        "{screen}"
    );
    assert_eq!(me.look().screen(), screen);
    write("bob", true);
    write("eve", true);
    let screen = me.look().screen();
    assert!(screen.contains("and 1 more were submitted"), "{screen}");
    // A line is being typed.
    me.press("/ab");
    let typing = me.screen();
    write("bob", true);
    assert_eq!(me.look().screen(), typing);
    me.press("<esc><esc>");
    me.model
        .say(gagar::tui::model::Severity::Error, "something is wrong");
    write("bob", true);
    let screen = me.look().screen();
    assert!(screen.contains("something is wrong"), "{screen}");
}

/// The fingerprint of the group that the test above writes about.
fn me_session(db: &std::path::Path) -> String {
    let harness = Harness::open_with_db(&[sample("native")], 120, 24, db).unwrap();
    let session = harness.model.session.as_ref().unwrap();
    let group = session.find("fetcher__retry-58").unwrap();
    session.group(group).unwrap().fingerprint.clone()
}

/// A store that fails for a while.
struct Recovering {
    store: MemoryStore,
    failing: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

impl EventStore for Recovering {
    fn append(&mut self, events: &[NewEvent]) -> Result<Vec<Event>, StoreError> {
        if self.failing.load(std::sync::atomic::Ordering::Relaxed) {
            let (path, reason) = ("db".to_owned(), "the disk is full".to_owned());
            return Err(StoreError::Unusable { path, reason });
        }
        self.store.append(events)
    }

    fn events_since(&self, seq: u64) -> Result<Vec<Event>, StoreError> {
        self.store.events_since(seq)
    }
}

#[test]
fn what_could_not_be_saved_is_tried_again_quietly() {
    let failing = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let store = Recovering {
        store: MemoryStore::default(),
        failing: failing.clone(),
    };
    let mut harness =
        Harness::open_with_store(&[sample("native")], 120, 24, Box::new(store)).unwrap();
    harness.press("<enter>aJ");
    let (screen, draft) = (harness.screen(), format!("{:?}", harness.model.reviewed));
    assert!(screen.contains("NOT SAVED"), "{screen}");
    for _ in 0..3 {
        harness.send(Message::RetryDue);
        assert_eq!(
            harness.screen(),
            screen,
            "a retry that fails says nothing new"
        );
    }
    failing.store(false, std::sync::atomic::Ordering::Relaxed);
    let screen = harness.send(Message::RetryDue).screen();
    assert!(!screen.contains("NOT SAVED"), "{screen}");
    assert!(screen.contains("everything is saved"), "{screen}");
    assert_eq!(format!("{:?}", harness.model.reviewed), draft);
    assert_eq!(harness.model.saves.unsaved_changes(), 0);
    let stored = harness.store().events_since(0).unwrap().len();
    harness.send(Message::RetryDue);
    assert_eq!(harness.store().events_since(0).unwrap().len(), stored);
    assert!(stored >= 2);
}
