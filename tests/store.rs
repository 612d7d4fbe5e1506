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
        after_reveal: false,
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
        blind: false,
        after_reveal: false,
        confidence: None,
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
fn what_was_said_before_a_reveal_stands_in_whatever_order_the_log_is_given() {
    let shown = || EventBody::Reveal {
        what: "names".to_owned(),
    };
    let opened = EventBody::GroupOpen {
        shown_order: vec!["b".to_owned(), "a".to_owned()],
        blind: true,
        seed: None,
    };
    let mut sent = submit("4", "a>b");
    if let EventBody::RankSubmit { blind, .. } = &mut sent.body {
        *blind = true;
    }
    let skip = EventBody::SkipSet {
        reason: Some("too large".to_owned()),
        before: None,
    };
    let events = [
        event("0", "f", opened),
        set("1", "a>b"),
        set("2", "b>a"),
        undo("3", "2"),
        sent,
        event("5", "f", shown()),
        undo("6", "4"),
        redo("7", "2"),
        undo("8", "1"),
        set("9", "b>a"),
        undo("10", "9"),
        // Another process reveals what is revealed: what was said between is not sealed.
        set("11", "b>a"),
        event("12", "f", shown()),
        undo("13", "11"),
        event("14", "f", skip),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::at(&at(&folder));
    store.append(&events).unwrap();
    let log = SqliteStore::at(&at(&folder)).events_since(0).unwrap();
    let projection = Projection::of(&log);
    let judgement = &projection.judgements[&key()];
    let blind = judgement.blind_submission().unwrap();
    assert_eq!(
        (blind.event_id.as_str(), &blind.tiers),
        ("4", &tiers("a>b"))
    );
    assert_eq!(judgement.draft, Some(tiers("a>b")));
    assert_eq!(judgement.undo, ["14"]);
    assert_eq!(judgement.redo, [""; 0]);
    assert!(judgement.skipped.is_some() && judgement.has_sealed(true));
    let mut turned = log.clone();
    turned.reverse();
    assert_eq!(Projection::of(&turned), projection);
    turned.rotate_left(4);
    assert_eq!(Projection::of(&turned), projection);
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
    assert!(error.contains("event 1 (1 of ada)"), "{error}");
}

#[test]
fn files_that_cannot_be_used_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder);
    let messages = |path: &Path| {
        let mut store = SqliteStore::at(path);
        [
            store.events_since(0).unwrap_err().to_string(),
            store.append(&[set("9", "a>b")]).unwrap_err().to_string(),
            store.verify().unwrap_err().to_string(),
        ]
    };
    std::fs::write(&path, "{\"not\": \"a database\"}\n".repeat(100)).unwrap();
    for message in messages(&path) {
        assert!(message.contains("not an SQLite file"), "{message}");
    }
    std::fs::remove_file(&path).unwrap();
    raw(&path).execute_batch("CREATE TABLE other(x)").unwrap();
    for message in messages(&path) {
        assert!(message.contains("of another program"), "{message}");
    }
    for message in messages(folder.path()) {
        assert!(message.contains("not a file"), "{message}");
    }
    std::fs::remove_file(&path).unwrap();
    SqliteStore::at(&path).append(&[set("1", "a>b")]).unwrap();
    raw(&path)
        .execute_batch("PRAGMA user_version = 99")
        .unwrap();
    for message in messages(&path) {
        assert!(message.contains("newer gagar (schema 99"), "{message}");
    }
}

#[test]
fn a_damaged_file_is_an_error_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder);
    let events: Vec<_> = (0..300).map(|n| set(&format!("e{n}"), "a>b")).collect();
    SqliteStore::at(&path).append(&events).unwrap();
    let whole = std::fs::read(&path).unwrap();
    assert!(!folder.path().join("judgements.db-wal").exists());
    let mut noticed = 0;
    let pages = whole.len() / 4096;
    for page in 0..pages {
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096]
            .iter_mut()
            .for_each(|byte| *byte ^= 0x5a);
        std::fs::write(&path, &bytes).unwrap();
        noticed += usize::from(SqliteStore::at(&path).verify().is_err());
        let _ = SqliteStore::at(&path).append(&[set("x", "a>b")]);
        for side in ["judgements.db-wal", "judgements.db-shm"] {
            let _ = std::fs::remove_file(folder.path().join(side));
        }
    }
    assert_eq!(noticed, pages);
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(
        SqliteStore::at(&path).events_since(0),
        Err(gagar::store::StoreError::Damaged { .. })
    ));
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_read_and_not_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder);
    SqliteStore::at(&path).append(&[set("1", "a>b")]).unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o400)).unwrap();
    let before = std::fs::read(&path).unwrap();
    let mut store = SqliteStore::at(&path);
    assert_eq!(store.events_since(0).unwrap().len(), 1);
    let message = store.append(&[set("2", "b>a")]).unwrap_err().to_string();
    assert!(message.contains("read-only"), "{message}");
    assert_eq!(store.events_since(0).unwrap().len(), 1);
    drop(store);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn a_read_only_file_gets_no_side_files_and_can_be_made_writable_again() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let folder = tempfile::tempdir().unwrap();
    // Characters that mean something in a URI.
    let path = folder.path().join("my 50% judge#ments?.db");
    SqliteStore::at(&path).append(&[set("1", "a>b")]).unwrap();
    mode(&path, 0o444);
    mode(folder.path(), 0o555);
    let mut store = SqliteStore::at(&path);
    assert_eq!(store.events_since(0).unwrap().len(), 1);
    assert_eq!(store.verify().unwrap().events, 1);
    assert!(store.append(&[set("2", "b>a")]).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    mode(folder.path(), 0o755);
    mode(&path, 0o644);
    assert_eq!(store.append(&[set("2", "b>a")]).unwrap()[0].seq, 2);
}

fn ids(path: &Path) -> Vec<String> {
    let events = SqliteStore::at(path).events_since(0).unwrap();
    events.into_iter().map(|event| event.event_id).collect()
}

#[cfg(unix)]
#[test]
fn a_file_removed_while_in_use_is_noticed_and_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder);
    let mut store = SqliteStore::at(&path);
    store.append(&[set("1", "a>b")]).unwrap();
    store
        .append(&[set("2", "b>a"), submit("3", "b>a")])
        .unwrap();
    for side in ["judgements.db", "judgements.db-wal", "judgements.db-shm"] {
        let _ = std::fs::remove_file(folder.path().join(side));
    }
    let error = store.append(&[undo("4", "3")]).unwrap_err().to_string();
    assert!(
        error.contains("removed or replaced while in use"),
        "{error}"
    );
    assert!(!path.exists());
    store.append(&[undo("4", "3")]).unwrap();
    store.append(&[redo("5", "3")]).unwrap();
    drop(store);
    assert_eq!(ids(&path), ["1", "2", "3", "4", "5"]);
    SqliteStore::at(&path).verify().unwrap();
}

#[cfg(unix)]
#[test]
fn a_file_replaced_while_in_use_keeps_both_logs() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (at(&folder), folder.path().join("other.db"));
    let mut store = SqliteStore::at(&path);
    store.append(&[set("1", "a>b")]).unwrap();
    SqliteStore::at(&other).append(&[set("x", "a=b")]).unwrap();
    for side in ["judgements.db-wal", "judgements.db-shm"] {
        let _ = std::fs::remove_file(folder.path().join(side));
    }
    std::fs::rename(&other, &path).unwrap();
    assert!(store.append(&[set("2", "b>a")]).is_err());
    assert_eq!(ids(&path), ["x"]);
    assert_eq!(store.append(&[set("2", "b>a")]).unwrap()[0].seq, 3);
    drop(store);
    assert_eq!(ids(&path), ["x", "1", "2"]);
    SqliteStore::at(&path).verify().unwrap();
}

#[cfg(unix)]
#[test]
fn a_file_emptied_while_in_use_is_noticed_and_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder);
    let mut store = SqliteStore::at(&path);
    store.append(&[set("1", "a>b")]).unwrap();
    std::fs::write(&path, "").unwrap();
    assert!(store.append(&[set("2", "b>a")]).is_err());
    store.append(&[set("2", "b>a")]).unwrap();
    drop(store);
    assert_eq!(ids(&path), ["1", "2"]);
    SqliteStore::at(&path).verify().unwrap();
}

#[test]
fn a_locked_file_is_waited_for_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder);
    SqliteStore::at(&path).append(&[set("1", "a>b")]).unwrap();
    let other = raw(&path);
    other
        .execute_batch("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; PRAGMA user_version=1;")
        .unwrap();
    let start = std::time::Instant::now();
    let error = SqliteStore::at(&path)
        .append(&[set("2", "b>a")])
        .unwrap_err();
    let waited = start.elapsed().as_secs_f64();
    assert!(error.to_string().contains("locked it for 5 s"), "{error}");
    assert!((4.0..7.0).contains(&waited), "{waited}");
}

#[test]
fn a_clock_going_backwards_changes_no_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::at(&at(&folder));
    for (id, at_ms, after) in [("1", 50, "a>b"), ("2", -7, "b>a"), ("3", 20, "a=b")] {
        let mut new = set(id, after);
        new.at_ms = at_ms;
        store.append(&[new]).unwrap();
    }
    let events = store.events_since(1).unwrap();
    let ids: Vec<_> = events.iter().map(|event| event.event_id.as_str()).collect();
    assert_eq!(ids, ["2", "3"]);
    let all = Projection::of(&store.events_since(0).unwrap());
    assert_eq!(all.judgements[&key()].draft, Some(tiers("a=b")));
    store.verify().unwrap();
}

/// Not a test by itself: the process that the next two tests start, again this test binary.
#[test]
fn writer_process() {
    use std::io::Write as _;
    let (Ok(path), Ok(name)) = (std::env::var("STORE_FILE"), std::env::var("STORE_WRITER")) else {
        return;
    };
    let count = std::env::var("STORE_COUNT").map_or(u64::MAX, |n| n.parse().unwrap());
    let mut store = SqliteStore::at(Path::new(&path));
    for n in 0..count {
        let id = format!("{name}-{n}");
        store.append(&[set(&id, "a>b")]).unwrap();
        // Past the test harness, which would hold the text back; at once, so that a kill cannot cut
        // the line.
        let line = format!("stored {id}\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
}

fn writer(path: &Path, name: &str, count: Option<u64>) -> std::process::Child {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "writer_process", "--nocapture"])
        .env("STORE_FILE", path)
        .env("STORE_WRITER", name)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped());
    if let Some(count) = count {
        command.env("STORE_COUNT", count.to_string());
    }
    command.spawn().unwrap()
}

/// Moments of a kill, in microseconds after the start of the process: reproducible, spread over its
/// start, the opening of the file and its writing.
fn moments() -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % 60_000
    })
}

#[test]
fn two_hundred_kills_lose_nothing_that_was_acknowledged() {
    use std::io::{BufRead as _, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder);
    let mut acknowledged = Vec::new();
    let mut writing = 0;
    for (round, moment) in (0..200).zip(moments()) {
        let mut child = writer(&path, &format!("r{round}"), None);
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let before = acknowledged.len();
        // Every other one is killed while it surely writes.
        if round % 2 == 0 {
            let line = lines
                .by_ref()
                .map_while(Result::ok)
                .find(|line| line.starts_with("stored"));
            let id = line
                .as_deref()
                .and_then(|line| line.strip_prefix("stored "));
            acknowledged.push(id.unwrap().to_owned());
        }
        std::thread::sleep(std::time::Duration::from_micros(moment));
        child.kill().unwrap();
        child.wait().unwrap();
        // What it said before the signal arrived counts too.
        for line in lines.map_while(Result::ok) {
            acknowledged.extend(line.strip_prefix("stored ").map(str::to_owned));
        }
        writing += usize::from(acknowledged.len() > before);
        if round % 25 == 24 {
            SqliteStore::at(&path).verify().unwrap();
        }
    }
    assert!(
        writing >= 100,
        "only {writing} were killed while they wrote"
    );
    let store = SqliteStore::at(&path);
    let verified = store.verify().unwrap();
    let events = store.events_since(0).unwrap();
    assert_eq!(verified.events, events.len() as u64);
    let stored: std::collections::HashSet<_> = events.iter().map(|e| &e.event_id).collect();
    for id in &acknowledged {
        assert!(stored.contains(id), "{id} was acknowledged and is lost");
    }
    // At most the one on its way was stored and not acknowledged.
    assert!(events.len() - acknowledged.len() <= 200);
    println!(
        "{} acknowledged, {} stored",
        acknowledged.len(),
        events.len()
    );
}

#[test]
fn two_writers_of_two_thousand_events_each_lose_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder);
    let writers = ["p", "q"].map(|name| writer(&path, name, Some(2000)));
    for child in writers {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
    }
    let store = SqliteStore::at(&path);
    assert_eq!(store.verify().unwrap().events, 4000);
    let events = store.events_since(0).unwrap();
    for name in ["p", "q"] {
        let own = events
            .iter()
            .filter_map(|e| e.event_id.strip_prefix(&format!("{name}-")));
        assert!(own.map(|n| n.parse::<u64>().unwrap()).eq(0..2000));
    }
}

#[test]
fn a_network_file_system_gets_a_journal_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder);
    let nfs = |path: &Path| SqliteStore::at(path).with_probe(|_| Some("NFS"));
    assert_eq!(nfs(&path).network(), Some("NFS"));
    nfs(&path).append(&[set("1", "a>b")]).unwrap();
    assert_eq!(nfs(&path).survey().unwrap().journal, "delete");
    // The same file, moved to a local disk and back.
    SqliteStore::at(&path).append(&[set("2", "a>b")]).unwrap();
    assert_eq!(SqliteStore::at(&path).survey().unwrap().journal, "wal");
    let mut store = nfs(&path);
    store.append(&[set("3", "a>b")]).unwrap();
    assert!(!folder.path().join("judgements.db-wal").exists());
    assert_eq!(store.survey().unwrap().journal, "delete");
    assert_eq!(store.verify().unwrap().events, 3);
    assert_eq!(SqliteStore::at(&path).network(), None);
}

#[test]
fn what_another_process_wrote_is_noticed_cheaply() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder);
    let mut store = SqliteStore::at(&path);
    assert!(!store.is_changed_elsewhere().unwrap());
    let mut other = SqliteStore::at(&path);
    let first = other.append(&[set("1", "a>b"), set("2", "b>a")]).unwrap();
    assert!(store.is_changed_elsewhere().unwrap());
    let known = [(first[0].store_id.clone(), 1)].into();
    assert_eq!(store.events_beyond(&known).unwrap(), first[1..]);
    assert!(!store.is_changed_elsewhere().unwrap());
    store.append(&[set("3", "a>b")]).unwrap();
    assert!(!store.is_changed_elsewhere().unwrap(), "its own write");
    other.append(&[set("4", "a>b")]).unwrap();
    assert!(store.is_changed_elsewhere().unwrap());
    let start = std::time::Instant::now();
    for _ in 0..1000 {
        assert!(!store.is_changed_elsewhere().unwrap());
    }
    println!("a look: {:?}", start.elapsed() / 1000);
    std::fs::remove_file(&path).unwrap();
    assert!(!store.is_changed_elsewhere().unwrap());
    assert!(
        store.append(&[set("5", "a>b")]).is_err(),
        "the next append says so"
    );
    store.append(&[set("5", "a>b")]).unwrap();
    assert_eq!(ids(&path), ["3", "5"]);
}

#[test]
fn processes_that_write_at_once_queue() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(&folder);
    // Both make the file, too.
    let writers = ["p", "q", "r"].map(|name| writer(&path, name, Some(60)));
    for child in writers {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let store = SqliteStore::at(&path);
    assert_eq!(store.verify().unwrap().events, 180);
    let seqs = store.events_since(0).unwrap().into_iter().map(|e| e.seq);
    assert!(seqs.eq(1..=180));
}
