//! Two people at one file at once, each in a terminal of their own.

#![cfg(all(unix, feature = "cli", feature = "tui"))]

mod pty;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use gagar::store::{EventBody, EventStore as _, SqliteStore};
use pty::{Session, Start};

const USERS: [&str; 2] = ["ann", "bob"];

/// Processor time of a process so far, in ticks of 10 ms.
#[cfg(target_os = "linux")]
fn ticks(session: &Session) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", session.pid())).unwrap();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
fn two_on_one_file_see_what_the_other_submits() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data/native");
    let shared = tempfile::tempdir().unwrap();
    let db = shared.path().join("judgements.db");
    let start = |user: &str| {
        let start = Start {
            arguments: vec![samples.clone().into()],
            db: Some(db.clone()),
            ..Start::default()
        };
        Session::start_with(start, &[("USER", user), ("LOGNAME", user)])
    };
    let mut both = USERS.map(start);
    for session in &both {
        session.wait_for("fetcher__retry-58");
    }
    let mut waits = Vec::new();
    for (user, other) in [(0, 1), (1, 0)] {
        let one = &mut both[user];
        one.write("\r");
        one.wait_for("Σ passing");
        one.write("a");
        one.wait_for("saved");
        let start = Instant::now();
        one.submit("submitted");
        both[other].wait_for(&format!("{} submitted ", USERS[user]));
        waits.push(start.elapsed());
    }
    let [ann, bob] = both;
    println!("seen after {waits:?}");
    assert!(
        waits.iter().all(|wait| *wait < Duration::from_secs(5)),
        "{waits:?}"
    );
    // Nobody writes: nothing is drawn, and next to nothing is done.
    std::thread::sleep(Duration::from_millis(600));
    let before = bob.received.load(Ordering::Relaxed);
    #[cfg(target_os = "linux")]
    let busy = ticks(&bob);
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(
        bob.received.load(Ordering::Relaxed),
        before,
        "drawn while idle"
    );
    #[cfg(target_os = "linux")]
    {
        let busy = ticks(&bob) - busy;
        println!("{busy} ticks of 10 ms in 3 s");
        assert!(busy <= 6, "{busy} ticks");
    }
    for mut session in [ann, bob] {
        session.write("q");
        // From the comparison it may be one more.
        std::thread::sleep(Duration::from_millis(100));
        session.signal("-TERM");
        session.end();
    }
    let store = SqliteStore::at(&db);
    store.verify().unwrap();
    let events = store.events_since(0).unwrap();
    let submitted: Vec<_> = events
        .iter()
        .filter(|event| matches!(event.body, EventBody::RankSubmit { .. }))
        .map(|event| event.annotator.as_str())
        .collect();
    assert_eq!(submitted, ["ann", "bob"]);
}
