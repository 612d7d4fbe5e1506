//! Judgements of several people: merging files, events as lines, backups, as a person runs them.
#![cfg(feature = "cli")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gagar::store::projection::Projection;
use gagar::store::{
    Event, EventBody, EventStore, GroupRecord, NewEvent, SqliteStore, StoredEvent, jsonl,
};
use serde_json::Value;

struct Desk {
    folder: tempfile::TempDir,
}

struct Answer {
    code: i32,
    out: String,
    err: String,
}

impl Desk {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, args: &[&str]) -> Answer {
        self.run_with(args, Stdio::null())
    }

    fn run_with(&self, args: &[&str], input: Stdio) -> Answer {
        let output = Command::new(env!("CARGO_BIN_EXE_gagar"))
            .args(args)
            .env_clear()
            .env("HOME", self.folder.path())
            .env("USER", "tester")
            .current_dir(self.folder.path())
            .stdin(input)
            .output()
            .unwrap();
        Answer {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn fine(&self, args: &[&str]) -> Answer {
        let answer = self.run(args);
        assert_eq!(answer.code, 0, "{args:?}: {}{}", answer.out, answer.err);
        answer
    }

    fn json(&self, code: i32, args: &[&str]) -> Value {
        let answer = self.run(args);
        assert_eq!(answer.code, code, "{}{}", answer.out, answer.err);
        serde_json::from_str(&answer.out).unwrap()
    }

    /// A database with `count` events of one person, of group g and of groups of their own.
    fn db(&self, annotator: &str, count: i64) -> PathBuf {
        let path = self.path(&format!("{annotator}.db"));
        let mut store = SqliteStore::at(&path);
        for n in 0..count {
            store.append(&[event(annotator, n)]).unwrap();
        }
        path
    }
}

fn event(annotator: &str, n: i64) -> NewEvent {
    let body = match n % 3 {
        0 => EventBody::RankSet {
            before: Vec::new(),
            after: vec![vec!["a".to_owned()], vec!["b".to_owned()]],
            origin: "scratch".to_owned(),
            after_reveal: false,
        },
        1 => EventBody::NoteSet {
            text: format!("n\u{f6}te {n} of {annotator}"),
            before: String::new(),
        },
        // Text that this version would write in another way.
        _ => EventBody::from_parts("later.kind", "{ \"n\": 1.50,  \"n\": 2 }"),
    };
    NewEvent {
        event_id: format!("{annotator}-{n}"),
        // Every other clock goes backwards now and then.
        at_ms: 1000 + n * 10 - (n % 4) * 25,
        annotator: "same person".to_owned(),
        session_id: annotator.to_owned(),
        group: Some(GroupRecord {
            group_id: "g".to_owned(),
            fingerprint: "f".to_owned(),
            task: "t".to_owned(),
            source: format!("{annotator}'s folder"),
            trajectories: vec![
                ("a".to_owned(), "00".to_owned(), Some(0.1 + 0.2)),
                ("b".to_owned(), "01".to_owned(), None),
            ],
        }),
        body,
    }
}

fn events(path: &Path) -> Vec<Event> {
    SqliteStore::at(path).events_since(0).unwrap()
}

/// The projection of a file as bytes.
fn projection(path: &Path) -> String {
    format!("{:#?}", Projection::of(&events(path)))
}

fn tamper(path: &Path, statement: &str) {
    let raw = rusqlite::Connection::open(path).unwrap();
    raw.execute_batch(&format!(
        "DROP TRIGGER event_no_update; DROP TRIGGER event_no_delete; {statement}"
    ))
    .unwrap();
}

#[test]
fn merging_in_any_order_and_again_gives_the_same() {
    let desk = Desk::new();
    let (ada, bob, eve) = (desk.db("ada", 30), desk.db("bob", 25), desk.db("eve", 1));
    let before = std::fs::read(&ada).unwrap();
    let report = desk.json(0, &["merge", "ada.db", "bob.db", "-o", "one.db", "--json"]);
    assert_eq!(report["events"], 55);
    assert_eq!(report["annotators"]["same person"], 55);
    assert_eq!(report["inputs"][1]["new"], 25);
    assert_eq!(report["inputs"][1]["known"], 0);
    desk.fine(&["merge", "eve.db", "-o", "one.db"]);
    desk.fine(&["merge", "eve.db", "bob.db", "-o", "two.db"]);
    desk.fine(&["merge", "ada.db", "two.db", "ada.db", "-o", "two.db"]);
    let (one, two) = (desk.path("one.db"), desk.path("two.db"));
    assert_eq!(events(&one), events(&two));
    assert_eq!(projection(&one), projection(&two));
    let again = desk.fine(&["merge", "ada.db", "eve.db", "bob.db", "-o", "one.db"]);
    assert!(
        again.out.contains("ada.db: 30 events: 0 new, 30 known"),
        "{}",
        again.out
    );
    assert_eq!(events(&one), events(&two));
    assert_eq!(std::fs::read(&ada).unwrap(), before, "an input was changed");
    // Each store by its own order, whatever its clock did.
    for (name, path) in [("ada", &ada), ("bob", &bob), ("eve", &eve)] {
        let own = events(path);
        let merged = events(&one);
        let merged: Vec<_> = merged
            .into_iter()
            .filter(|e| e.session_id == name)
            .collect();
        assert_eq!(merged, own);
    }
    // The merged file takes events of its own, with a chain of their own.
    SqliteStore::at(&one).append(&[event("zoe", 0)]).unwrap();
    assert_eq!(SqliteStore::at(&one).verify().unwrap().events, 57);
    assert!(
        !std::fs::read_dir(desk.folder.path()).unwrap().any(|entry| {
            let name = entry.unwrap().file_name();
            name.to_string_lossy().ends_with(".part")
        })
    );
}

#[test]
fn inputs_may_be_in_use_and_read_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    desk.db("ada", 3);
    let bob = desk.db("bob", 2);
    let mut open = SqliteStore::at(&desk.path("ada.db"));
    open.append(&[event("ada", 3)]).unwrap();
    std::fs::set_permissions(&bob, std::fs::Permissions::from_mode(0o400)).unwrap();
    let report = desk.json(0, &["merge", "ada.db", "bob.db", "-o", "all.db", "--json"]);
    assert_eq!(
        report["inputs"][0]["events"], 4,
        "what lies in the WAL counts"
    );
    assert_eq!(report["events"], 6);
    open.append(&[event("ada", 4)]).unwrap();
    let mode = std::fs::metadata(desk.path("all.db"))
        .unwrap()
        .permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
}

#[test]
fn what_was_tampered_with_is_named_and_refused() {
    for (statement, said) in [
        (
            "UPDATE event SET at_ms = 5 WHERE seq = 4",
            "event 4 (ada-3 of same person): it is not what was written",
        ),
        (
            "DELETE FROM event WHERE seq = 4",
            "event 5 (ada-4 of same person): event 4 before it is missing",
        ),
        (
            "UPDATE event SET seq = 99 WHERE seq = 4; UPDATE event SET seq = 4 WHERE seq = 5;
             UPDATE event SET seq = 5 WHERE seq = 99",
            "event 4 (ada-4 of same person): it is not what was written",
        ),
        (
            "DELETE FROM event WHERE seq <= 4",
            "event 5 (ada-4 of same person): events 1 to 4 before it are missing",
        ),
    ] {
        let desk = Desk::new();
        desk.db("bob", 3);
        tamper(&desk.db("ada", 9), statement);
        let refused = desk.run(&["merge", "bob.db", "ada.db", "-o", "all.db"]);
        assert_eq!(refused.code, 3, "{}", refused.err);
        assert!(refused.err.contains(said), "{}", refused.err);
        assert!(refused.err.contains("ada.db: store "), "{}", refused.err);
        assert!(!desk.path("all.db").exists());
        let args = [
            "merge",
            "ada.db",
            "bob.db",
            "-o",
            "all.db",
            "--json",
            "--skip-damaged",
        ];
        let taken = desk.json(1, &args);
        let (first, kept) = (
            &taken["inputs"][0],
            events(&desk.path("all.db")).len() as u64,
        );
        assert_eq!(
            first["events"].as_u64().unwrap(),
            first["new"].as_u64().unwrap() + first["skipped"].as_u64().unwrap()
        );
        assert_eq!(first["broken"][0]["annotator"], "same person");
        assert_eq!(kept, 3 + first["new"].as_u64().unwrap());
        assert!(SqliteStore::at(&desk.path("all.db")).verify().is_ok());
        let doctor = desk.run(&["doctor", "--db", "ada.db"]);
        assert_eq!(doctor.code, 1);
        assert!(doctor.out.contains(said), "{}", doctor.out);
    }
}

#[test]
fn copies_that_were_both_written_to_are_refused() {
    let desk = Desk::new();
    let ada = desk.db("ada", 3);
    std::fs::copy(&ada, desk.path("copy.db")).unwrap();
    SqliteStore::at(&ada).append(&[event("ada", 3)]).unwrap();
    SqliteStore::at(&desk.path("copy.db"))
        .append(&[event("bob", 3)])
        .unwrap();
    let refused = desk.run(&["merge", "ada.db", "copy.db", "-o", "all.db"]);
    assert_eq!(refused.code, 3);
    assert!(
        refused
            .err
            .contains("copies of one file were both written to"),
        "{}",
        refused.err
    );
    // One event id with two contents.
    SqliteStore::at(&desk.path("x.db"))
        .append(&[event("ada", 0)])
        .unwrap();
    let mut changed = event("ada", 0);
    changed.at_ms += 1;
    SqliteStore::at(&desk.path("y.db"))
        .append(&[changed])
        .unwrap();
    let refused = desk.run(&["merge", "x.db", "y.db", "-o", "all.db"]);
    assert_eq!(refused.code, 3);
    assert!(
        refused.err.contains("of this id with another content"),
        "{}",
        refused.err
    );
    assert!(!desk.path("all.db").exists());
}

#[test]
fn events_go_to_lines_and_back_without_loss() {
    let desk = Desk::new();
    desk.db("ada", 9);
    desk.db("bob", 4);
    desk.fine(&["merge", "ada.db", "bob.db", "-o", "all.db"]);
    desk.fine(&["export", "events", "--db", "all.db", "-o", "all.jsonl"]);
    let text = std::fs::read_to_string(desk.path("all.jsonl")).unwrap();
    let piped = desk.fine(&["export", "events", "--db", "all.db", "-o", "-"]);
    assert_eq!(piped.out, text);
    let file = std::fs::File::open(desk.path("all.jsonl")).unwrap();
    let imported = desk.run_with(
        &["import", "events", "-", "--db", "back.db", "--json"],
        file.into(),
    );
    assert_eq!(
        imported.out, "{\"events\":13,\"new\":13,\"known\":0}\n",
        "{}",
        imported.err
    );
    let again = desk.fine(&["import", "events", "all.jsonl", "--db", "back.db"]);
    assert!(again.out.contains("0 new, 13 known"), "{}", again.out);
    let (all, back) = (desk.path("all.db"), desk.path("back.db"));
    assert_eq!(
        SqliteStore::reading(&all).log().unwrap(),
        SqliteStore::reading(&back).log().unwrap()
    );
    let log = SqliteStore::reading(&back).log().unwrap();
    assert!(
        log.events
            .iter()
            .any(|StoredEvent { body, .. }| body == "{ \"n\": 1.50,  \"n\": 2 }")
    );
    assert_eq!(log.groups[0].trajectories[0].2, Some(0.1 + 0.2));
    assert_eq!(projection(&all), projection(&back));
    desk.fine(&["export", "events", "--db", "back.db", "-o", "back.jsonl"]);
    assert_eq!(
        std::fs::read_to_string(desk.path("back.jsonl")).unwrap(),
        text
    );
    // One more event is one more line at the end; only that is to be imported.
    SqliteStore::at(&desk.path("ada.db"))
        .append(&[event("ada", 9)])
        .unwrap();
    desk.fine(&["export", "events", "--db", "ada.db", "-o", "ada.jsonl"]);
    let last = std::fs::read_to_string(desk.path("ada.jsonl")).unwrap();
    let group = last.lines().next().unwrap();
    let tail = format!("{group}\n{}\n", last.lines().last().unwrap());
    std::fs::write(desk.path("tail.jsonl"), tail).unwrap();
    desk.fine(&["import", "events", "tail.jsonl", "--db", "back.db"]);
    assert_eq!(events(&back).len(), 14);
}

#[test]
fn a_changed_line_is_refused_with_its_number() {
    let desk = Desk::new();
    desk.db("ada", 6);
    desk.fine(&["export", "events", "--db", "ada.db", "-o", "ada.jsonl"]);
    let text = std::fs::read_to_string(desk.path("ada.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let without = |n: usize| [&lines[..n], &lines[n + 1..]].concat().join("\n");
    for (changed, said) in [
        (
            text.replace("n\u{f6}te 4", "n\u{f6}te 5"),
            "line 6: event 5 of store",
        ),
        (
            text.replacen("\"at_ms\":", "\"at_ms\":1", 1),
            "line 2: event 1 of store",
        ),
        (without(3), "line 4: store"),
        (without(0), "line 1: no row says what group g was like"),
        (
            text.replacen("event/1", "event/2", 1),
            "line 1: its schema is",
        ),
        (text.replace("}\n", "\n"), "line 1: "),
        (
            text.replacen("\"row\":\"event\"", "\"row\":\"evil\"", 1),
            "line 2: no row is called",
        ),
    ] {
        std::fs::write(desk.path("bad.jsonl"), changed).unwrap();
        let refused = desk.run(&["import", "events", "bad.jsonl", "--db", "x.db"]);
        assert_eq!(refused.code, 3, "{said}");
        assert!(refused.err.contains(said), "{said}: {}", refused.err);
        assert!(!desk.path("x.db").exists());
    }
    assert!(jsonl::read(&b"\n \n"[..]).unwrap().log.events.is_empty());
}

#[test]
fn a_backup_is_whole_private_and_replaces_nothing_unasked() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let ada = desk.db("ada", 5);
    let mut open = SqliteStore::at(&ada);
    open.append(&[event("ada", 5)]).unwrap();
    let made = desk.json(0, &["backup", "--db", "ada.db", "-o", "copy.db", "--json"]);
    assert_eq!(made["events"], 6);
    let mode = std::fs::metadata(desk.path("copy.db"))
        .unwrap()
        .permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    open.append(&[event("ada", 6)]).unwrap();
    let refused = desk.run(&["backup", "--db", "ada.db", "-o", "copy.db"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--force"), "{}", refused.err);
    assert_eq!(events(&desk.path("copy.db")).len(), 6);
    desk.fine(&["backup", "--db", "ada.db", "-o", "copy.db", "--force"]);
    assert_eq!(events(&desk.path("copy.db")), events(&ada));
    tamper(
        &desk.path("copy.db"),
        "UPDATE event SET at_ms = 5 WHERE seq = 1",
    );
    let damaged = desk.run(&["backup", "--db", "copy.db", "-o", "second.db"]);
    assert_eq!(damaged.code, 3);
    assert!(!desk.path("second.db").exists());
    assert_eq!(
        desk.run(&["backup", "--db", "no.db", "-o", "third.db"])
            .code,
        3
    );
    assert_eq!(
        desk.run(&["backup", "--db", "ada.db", "-o", "ada.db", "--force"])
            .code,
        2
    );
}

/// What a killed gagar leaves: a database whose last two judgements lie in the `-wal` beside it.
fn killed(desk: &Desk, name: &str) -> PathBuf {
    let elsewhere = tempfile::tempdir().unwrap();
    let mut open = SqliteStore::at(&elsewhere.path().join("open.db"));
    open.append(&[event("zoe", 0)]).unwrap();
    open.append(&[event("zoe", 1)]).unwrap();
    for side in ["", "-wal"] {
        let from = elsewhere.path().join(format!("open.db{side}"));
        std::fs::copy(from, desk.path(&format!("{name}{side}"))).unwrap();
    }
    let (path, wal) = (desk.path(name), desk.path(&format!("{name}-wal")));
    assert!(std::fs::metadata(wal).unwrap().len() > 0);
    path
}

fn verified(path: &Path) -> u64 {
    SqliteStore::reading(path).verify().unwrap().events
}

#[test]
fn a_backup_over_what_a_killed_gagar_left_is_whole() {
    let desk = Desk::new();
    desk.db("ada", 40);
    let target = killed(&desk, "target.db");
    desk.fine(&["backup", "--db", "ada.db", "-o", "target.db", "--force"]);
    assert_eq!(verified(&target), 40);
    assert_eq!(events(&target), events(&desk.path("ada.db")));
    // Merging into such a file keeps what lies beside it.
    let other = killed(&desk, "other.db");
    desk.fine(&["merge", "ada.db", "-o", "other.db"]);
    assert_eq!(verified(&other), 42);
}

#[test]
fn a_backup_never_replaces_a_file_that_is_in_use() {
    let desk = Desk::new();
    desk.db("ada", 4);
    let used = desk.path("used.db");
    let mut open = SqliteStore::at(&used);
    open.append(&[event("bob", 0)]).unwrap();
    let args = ["backup", "--db", "ada.db", "-o", "used.db", "--force"];
    let refused = desk.run(&args);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("has it open"), "{}", refused.err);
    open.append(&[event("bob", 1)]).unwrap();
    assert_eq!(verified(&used), 2);
    drop(open);
    desk.fine(&args);
    assert_eq!(verified(&used), 4);
}

#[test]
fn changes_of_a_file_that_is_gone_are_never_played_into_a_new_one() {
    let desk = Desk::new();
    desk.db("ada", 4);
    desk.fine(&["export", "events", "--db", "ada.db", "-o", "ada.jsonl"]);
    let rank = r#"[["a"],["b"]]"#;
    std::fs::write(
        desk.path("g.jsonl"),
        r#"{"schema":"gagar.group/1","group_id":"g","trajectories":[{"trajectory_id":"a","reward":1.0,"patch":"x"},{"trajectory_id":"b","reward":1.0,"patch":"y"}]}"#,
    )
    .unwrap();
    for emptied in [false, true] {
        for side in ["-wal", "-journal"] {
            if emptied && side == "-journal" {
                continue;
            }
            for args in [
                &["backup", "--db", "ada.db", "-o", "gone.db", "--force"][..],
                &["merge", "ada.db", "-o", "gone.db"],
                &["import", "events", "ada.jsonl", "--db", "gone.db"],
                &[
                    "rank", "g.jsonl", "--group", "g", "--tiers", rank, "--db", "gone.db",
                ],
                &[
                    "export",
                    "annotations",
                    "g.jsonl",
                    "-o",
                    "j.jsonl",
                    "--db",
                    "gone.db",
                ],
                &["doctor", "--db", "gone.db"],
            ] {
                let gone = killed(&desk, "gone.db");
                let wal = desk.path("gone.db-wal");
                let left = desk.path(&format!("gone.db{side}"));
                std::fs::rename(&wal, &left).unwrap();
                std::fs::remove_file(&gone).unwrap();
                if emptied {
                    std::fs::write(&gone, "").unwrap();
                }
                let before = std::fs::read(&left).unwrap();
                let refused = desk.run(args);
                assert_ne!(refused.code, 0, "{args:?}");
                let said = refused.out + &refused.err;
                assert!(
                    said.contains(&format!("gone.db{side} of")),
                    "{args:?}: {said}"
                );
                assert!(std::fs::read(&left).unwrap() == before, "{args:?}");
                assert_eq!(gone.exists(), emptied, "{args:?}");
                std::fs::remove_file(&left).unwrap();
            }
        }
    }
    // A file of anything with a journal beside it.
    std::fs::write(desk.path("text.db"), "text").unwrap();
    std::fs::write(desk.path("text.db-wal"), "more").unwrap();
    let refused = desk.run(&["backup", "--db", "ada.db", "-o", "text.db", "--force"]);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("text.db-wal"), "{}", refused.err);
    assert_eq!(std::fs::read(desk.path("text.db")).unwrap(), b"text");
    std::fs::remove_file(desk.path("text.db-wal")).unwrap();
    desk.fine(&["backup", "--db", "ada.db", "-o", "text.db", "--force"]);
}

#[test]
fn advice_and_names_fit_what_is_wrong() {
    let desk = Desk::new();
    let ada = desk.db("ada", 300);
    let said = |args: &[&str]| {
        let answer = desk.run(args);
        assert_ne!(answer.code, 0, "{args:?}");
        let said = answer.out + &answer.err;
        assert!(!said.contains(".part"), "{said}");
        said
    };
    for command in ["backup", "merge"] {
        let args = match command {
            "backup" => &["backup", "--db", "ada.db", "-o", "-"][..],
            _ => &["merge", "ada.db", "-o", "-"],
        };
        assert!(said(args).contains("cannot go to stdout"));
    }
    let set = |statement: &str| {
        let raw = rusqlite::Connection::open(&ada).unwrap();
        raw.execute_batch(statement).unwrap();
    };
    let doctor = ["doctor", "--db", "ada.db"];
    set("PRAGMA user_version = 99");
    let newer = said(&doctor);
    assert!(
        newer.contains("update gagar") && !newer.contains("skip-damaged"),
        "{newer}"
    );
    set("PRAGMA user_version = -1");
    assert!(said(&doctor).contains("schema version -1"));
    set("PRAGMA user_version = 1");
    desk.fine(&doctor);
    tamper(&ada, "UPDATE event SET at_ms = 5 WHERE seq = 4");
    assert!(said(&doctor).contains("skip-damaged"));
    let copy = said(&["backup", "--db", "ada.db", "-o", "copy.db"]);
    assert!(copy.contains("ada.db is damaged: store"), "{copy}");
    let bytes = std::fs::read(&ada).unwrap();
    std::fs::write(&ada, &bytes[..bytes.len() / 2]).unwrap();
    let cut = said(&doctor);
    assert!(
        cut.contains("newest `gagar backup`") && !cut.contains("skip-damaged"),
        "{cut}"
    );
    std::fs::write(&ada, "text").unwrap();
    assert!(said(&doctor).contains("no database of gagar"));
}

#[test]
fn a_group_that_is_told_otherwise_is_refused() {
    let desk = Desk::new();
    desk.db("ada", 3);
    desk.fine(&["export", "events", "--db", "ada.db", "-o", "ada.jsonl"]);
    let text = std::fs::read_to_string(desk.path("ada.jsonl")).unwrap();
    let changed = text.replace("0.30000000000000004", "0.5");
    assert_ne!(changed, text);
    std::fs::write(desk.path("changed.jsonl"), changed).unwrap();
    let refused = desk.run(&["import", "events", "changed.jsonl", "--db", "ada.db"]);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("group g: other"), "{}", refused.err);
    desk.fine(&["import", "events", "ada.jsonl", "--db", "ada.db"]);
}
