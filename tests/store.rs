//! The stores and the projection, from outside.
#![cfg(feature = "sqlite")]

use std::path::Path;

use gagar::store::projection::{Projection, State};
use gagar::store::{EventBody, EventStore, GroupRecord, MemoryStore, NewEvent, SqliteStore};

fn event(id: &str, fingerprint: &str, body: EventBody) -> NewEvent {
    NewEvent {
        event_id: id.to_owned(),
        at_ms: 1000,
        annotator: "ada".to_owned(),
        session_id: "s".to_owned(),
        group: Some(GroupRecord {
            group_id: "g".to_owned(),
            fingerprint: fingerprint.to_owned(),
            task: "t".to_owned(),
            source: "a.jsonl".to_owned(),
            trajectories: vec![
                ("a".to_owned(), "00".to_owned(), Some(1.0)),
                ("b".to_owned(), "01".to_owned(), None),
            ],
        }),
        body,
    }
}

fn tiers(text: &str) -> Vec<Vec<String>> {
    text.split('>')
        .map(|tier| tier.split('=').map(str::to_owned).collect())
        .collect()
}

fn set(id: &str, after: &str) -> NewEvent {
    set_on(id, "f", after)
}

fn set_on(id: &str, fingerprint: &str, after: &str) -> NewEvent {
    let body = EventBody::RankSet {
        before: Vec::new(),
        after: tiers(after),
        origin: "scratch".to_owned(),
    };
    event(id, fingerprint, body)
}

fn submit(id: &str, ranking: &str) -> NewEvent {
    let body = EventBody::RankSubmit {
        tiers: tiers(ranking),
        unranked: Vec::new(),
        shown_order: vec!["a".to_owned(), "b".to_owned()],
        active_ms: 7,
        origin: "scratch".to_owned(),
    };
    event(id, "f", body)
}

fn undo(id: &str, event_id: &str) -> NewEvent {
    let event_id = event_id.to_owned();
    event(id, "f", EventBody::Undo { event_id })
}

fn redo(id: &str, event_id: &str) -> NewEvent {
    let event_id = event_id.to_owned();
    event(id, "f", EventBody::Redo { event_id })
}

fn key() -> (String, String) {
    ("g".to_owned(), "ada".to_owned())
}

fn at(folder: &tempfile::TempDir) -> std::path::PathBuf {
    folder.path().join("judgements.db")
}

fn raw(path: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(path).unwrap()
}

#[test]
fn undo_and_redo_survive_a_reopening_and_equal_the_memory_store() {
    let folder = tempfile::tempdir().unwrap();
    let events = [
        set("1", "a>b"),
        submit("2", "a>b"),
        set("3", "b>a"),
        submit("4", "b>a"),
        undo("5", "4"),
        undo("6", "3"),
        undo("7", "2"),
        redo("8", "2"),
        redo("9", "3"),
    ];
    let expected = [
        (State::Draft, "a>b", None),
        (State::Submitted, "a>b", Some("2")),
        (State::Draft, "b>a", Some("2")),
        (State::Submitted, "b>a", Some("4")),
        (State::Draft, "b>a", Some("2")),
        (State::Submitted, "a>b", Some("2")),
        (State::Draft, "a>b", None),
        (State::Submitted, "a>b", Some("2")),
        (State::Draft, "b>a", Some("2")),
    ];
    let mut memory = MemoryStore::default();
    let mut live = Projection::default();
    for (new, (state, draft, submitted)) in events.iter().zip(expected) {
        // A store per event: each one is a restart.
        let mut store = SqliteStore::at(&at(&folder));
        let stored = store.append(std::slice::from_ref(new)).unwrap();
        live.apply(&stored[0]);
        memory.append(std::slice::from_ref(new)).unwrap();
        let replayed = Projection::of(&store.events_since(0).unwrap());
        assert_eq!(replayed, live);
        assert_eq!(replayed, Projection::of(&memory.events_since(0).unwrap()));
        let judgement = &replayed.judgements[&key()];
        assert_eq!(judgement.state(), state, "{}", new.event_id);
        assert_eq!(judgement.draft, Some(tiers(draft)), "{}", new.event_id);
        let id = judgement.submitted.as_ref().map(|s| s.event_id.as_str());
        assert_eq!(id, submitted, "{}", new.event_id);
    }
    let judgement = &live.judgements[&key()];
    assert_eq!(judgement.undo, ["1", "2", "3"]);
    assert_eq!(judgement.redo, ["4"]);
    let store = SqliteStore::at(&at(&folder));
    assert_eq!(store.verify().unwrap().events, 9);
}

#[test]
fn a_missing_file_is_empty_and_is_not_made_by_reading() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::at(&at(&folder));
    assert!(store.events_since(0).unwrap().is_empty());
    assert_eq!(store.verify().unwrap().events, 0);
    assert!(store.append(&[]).unwrap().is_empty());
    assert!(!at(&folder).exists());
    assert_eq!(store.append(&[set("1", "a>b")]).unwrap()[0].seq, 1);
    assert!(at(&folder).exists());
}

#[test]
fn a_duplicate_event_fails_the_whole_append() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = MemoryStore::default();
    let mut file = SqliteStore::at(&at(&folder));
    let stores: [&mut dyn EventStore; 2] = [&mut memory, &mut file];
    for store in stores {
        store.append(&[set("1", "a>b")]).unwrap();
        assert!(store.append(&[set("2", "a>b"), set("1", "b>a")]).is_err());
        assert!(store.append(&[set("2", "a>b"), set("2", "b>a")]).is_err());
        assert_eq!(store.events_since(0).unwrap().len(), 1);
        assert_eq!(store.append(&[set("2", "b>a")]).unwrap()[0].seq, 2);
    }
}

#[test]
fn sqlite_has_no_wal_reset_bug() {
    assert!(rusqlite::version_number() >= 3_051_003);
}

#[test]
fn changed_data_starts_a_fresh_judgement_and_keeps_the_old() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::at(&at(&folder));
    store
        .append(&[
            set("1", "a>b"),
            submit("2", "a>b"),
            set_on("3", "new", "b>a"),
        ])
        .unwrap();
    let projection = Projection::of(&store.events_since(0).unwrap());
    let judgement = &projection.judgements[&key()];
    assert_eq!(judgement.fingerprint, "new");
    assert_eq!(judgement.state(), State::Draft);
    assert_eq!(judgement.at("f").unwrap().state(), State::Submitted);
    // The data came back as it was: so does the judgement.
    store.append(&[undo("4", "2")]).unwrap();
    let projection = Projection::of(&store.events_since(0).unwrap());
    let judgement = &projection.judgements[&key()];
    assert_eq!(judgement.fingerprint, "f");
    assert_eq!(judgement.state(), State::Draft);
    assert_eq!(judgement.at("new").unwrap().draft, Some(tiers("b>a")));
}

#[test]
fn rows_are_never_changed_and_tampering_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::at(&at(&folder));
    store.append(&[set("1", "a>b"), set("2", "b>a")]).unwrap();
    let other = raw(&at(&folder));
    for statement in [
        "UPDATE event SET at_ms = 0",
        "DELETE FROM event",
        "INSERT OR REPLACE INTO event SELECT * FROM event",
        "UPDATE grp SET task = ''",
        "DELETE FROM traj",
    ] {
        assert!(other.execute(statement, []).is_err(), "{statement}");
    }
    store.verify().unwrap();
    other
        .execute_batch("DROP TRIGGER event_no_update; UPDATE event SET at_ms = 5 WHERE seq = 1")
        .unwrap();
    let error = store.verify().unwrap_err().to_string();
    assert!(error.contains("is damaged: event 1"), "{error}");
}
