//! A real terminal: it starts, leaves, and gives the terminal back whatever happens.

#![cfg(all(unix, feature = "cli", feature = "tui"))]

mod pty;

use std::io::Write;
use std::time::Duration;

use portable_pty::PtySize;

use gagar::store::{EventBody, EventStore as _, SqliteStore};
use pty::{Session, Start};

#[test]
fn it_shows_the_groups_opens_one_and_leaves() {
    let mut session = Session::start(&[]);
    session.wait_for("fetcher__retry-58");
    session.write("\r");
    session.wait_for("Σ passing");
    session.write("q");
    let (status, contents) = session.end();
    assert!(status.success(), "{status:?}");
    assert!(contents.trim().is_empty(), "{contents}");
}

#[test]
fn it_follows_the_size_of_the_terminal() {
    let mut session = Session::start(&[]);
    session.wait_for("fetcher__retry-58");
    let size = PtySize {
        rows: 15,
        cols: 50,
        pixel_width: 0,
        pixel_height: 0,
    };
    session.master.resize(size).unwrap();
    session.wait_for("this terminal has 50x15");
    session.write("q");
    assert!(session.end().0.success());
}

#[test]
fn it_stops_and_goes_on() {
    let mut session = Session::start(&[]);
    session.wait_for("fetcher__retry-58");
    session.write("\x1a");
    session.wait_until("the shell's screen", |screen| !screen.alternate_screen());
    session.signal("-CONT");
    session.wait_for("fetcher__retry-58");
    session.write("\r");
    session.wait_for("Σ passing");
    session.write("q");
    assert!(session.end().0.success());
}

#[test]
fn a_panic_restores_the_terminal_first() {
    let mut session = Session::start(&[("GAGAR_TEST_PANIC", "1")]);
    session.wait_for("fetcher__retry-58");
    session.write("j");
    let (status, contents) = session.end();
    assert!(!status.success());
    assert!(contents.contains("a panic was asked for"), "{contents}");
}

#[test]
fn sigterm_restores_the_terminal() {
    let session = Session::start(&[]);
    session.wait_for("fetcher__retry-58");
    session.signal("-TERM");
    let (status, contents) = session.end();
    assert!(!status.success());
    assert!(contents.trim().is_empty(), "{contents}");
}

#[test]
fn time_on_a_group_is_stored_when_a_signal_ends_it() {
    for signal in ["-TERM", "-HUP"] {
        let folder = tempfile::tempdir().unwrap();
        let db = folder.path().join("x.db");
        let mut session = Session::start_with(
            Start {
                arguments: vec![concat!(env!("CARGO_MANIFEST_DIR"), "/sample-data/native").into()],
                db: Some(db.clone()),
                ..Start::default()
            },
            &[],
        );
        session.wait_for("fetcher__retry-58");
        session.write("\r");
        session.wait_for("rank  candidate");
        session.write("C");
        session.wait_for("low confidence");
        std::thread::sleep(Duration::from_millis(300));
        session.signal(signal);
        assert!(!session.end().0.success());
        let events = SqliteStore::at(&db).events_since(0).unwrap();
        let spent = events.iter().find_map(|event| match event.body {
            EventBody::TimeAdd { active_ms } => Some(active_ms),
            _ => None,
        });
        assert!(
            spent.is_some_and(|spent| spent >= 300),
            "{signal}: {spent:?}"
        );
    }
}

#[test]
fn what_is_written_while_it_runs_comes_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.jsonl");
    let line = |group: &str| {
        format!(
            "{{\"group_id\":\"{group}\",\"trajectory_id\":\"a\",\"reward\":1,\"patch\":\"\"}}\n"
        )
    };
    std::fs::write(&path, line("acme__first-1")).unwrap();
    let mut session = Session::start_on(folder.path(), &[]);
    // The only group is opened; its list is one key away.
    session.wait_for("singleton, only one scored");
    session.write("\u{1b}");
    session.wait_for("following");
    let second = line("acme__second-2");
    let mut file = std::fs::File::options().append(true).open(&path).unwrap();
    file.write_all(&second.as_bytes()[..20]).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    file.write_all(&second.as_bytes()[20..]).unwrap();
    session.wait_for("acme__second-2");
    session.wait_for("following · +1 rollout");
    std::fs::write(folder.path().join("y.jsonl"), line("acme__third-3")).unwrap();
    session.wait_for("acme__third-3");
    session.write("q");
    assert!(session.end().0.success());
}

/// A script that can be run, in a folder of its own.
fn script(text: &str) -> (tempfile::TempDir, String) {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program");
    std::fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn the_editor_has_the_terminal_for_itself_and_gives_it_back() {
    let text = "stty -a | grep -q -- '-icanon' && echo raw || echo cooked\n\
        head -1 \"$2\"; echo \"at $1\"; read line; echo \"got $line\" > \"$0.out\"; cat \"$2\" >/dev/null";
    let (folder, editor) = script(text);
    let mut session = Session::start(&[("VISUAL", &editor), ("EDITOR", "no-such-program")]);
    session.wait_for("fetcher__retry-58");
    session.write("\r");
    session.wait_for("@@ −12,7");
    session.write("e");
    session.wait_for("diff --git");
    session.wait_for("cooked");
    session.wait_for("at +");
    session.wait_until("the shell's screen", |screen| !screen.alternate_screen());
    // Keys typed now are the editor's.
    session.write("qqq\n");
    session.wait_for("the recorded one stays as it is");
    session.wait_until("the screen back", vt100::Screen::alternate_screen);
    let got = std::fs::read_to_string(folder.path().join("program.out")).unwrap();
    assert_eq!(got, "got qqq\n");
    session.write("q");
    assert!(session.end().0.success());
}

#[test]
fn the_pager_gets_the_patch_and_a_failure_is_told() {
    let (_folder, pager) = script("echo page; cat | head -1; read line < /dev/tty; exit 3");
    let pager = format!("'{pager}' -x");
    let mut session = Session::start(&[("GAGAR_PAGER", &pager), ("EDITOR", "no-such-program")]);
    session.wait_for("fetcher__retry-58");
    session.write("\r");
    session.wait_for("@@ −12,7");
    session.write("P");
    session.wait_for("page");
    session.wait_for("diff --git");
    session.write("\n");
    session.wait_for("ended with exit status: 3");
    session.write("e");
    session.wait_for("no-such-program was not found (from $EDITOR)");
    session.write("q");
    assert!(session.end().0.success());
}

#[test]
fn a_key_for_the_editor_that_interrupts_does_not_end_gagar() {
    let (_folder, editor) = script("trap 'echo cut; exit 0' INT; echo waiting; sleep 30 & wait");
    let mut session = Session::start(&[("VISUAL", &editor)]);
    session.wait_for("fetcher__retry-58");
    session.write("\r");
    session.wait_for("@@ −12,7");
    session.write("e");
    session.wait_for("waiting");
    session.write("\x03");
    session.wait_for("the recorded one stays as it is");
    session.write("q");
    assert!(session.end().0.success());
}
