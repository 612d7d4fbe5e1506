//! gagar in a real terminal that tests read and type into.

#![allow(dead_code, reason = "each test crate uses a part of it")]

use std::ffi::OsString;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

const PATIENCE: Duration = Duration::from_secs(20);

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

/// How gagar is started.
pub struct Start {
    /// Options and paths.
    pub arguments: Vec<OsString>,
    /// The database; `None` = one of its own.
    pub db: Option<PathBuf>,
    /// Columns and rows.
    pub size: (u16, u16),
}

impl Default for Start {
    fn default() -> Self {
        Self {
            arguments: Vec::new(),
            db: None,
            size: (100, 30),
        }
    }
}

/// A run of gagar in a terminal of its own.
pub struct Session {
    child: Box<dyn Child + Send + Sync>,
    pub screen: Arc<Mutex<vt100::Parser>>,
    writer: Box<dyn Write + Send>,
    reading: std::thread::JoinHandle<()>,
    /// Bytes drawn so far.
    pub received: Arc<AtomicUsize>,
    pub master: Box<dyn MasterPty + Send>,
    _folder: tempfile::TempDir,
}

impl Session {
    /// Starts it on the native sample data, with a database and a configuration of its own.
    pub fn start(variables: &[(&str, &str)]) -> Self {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data/native");
        Self::start_on(&samples, variables)
    }

    /// Starts it on these rollouts.
    pub fn start_on(path: &Path, variables: &[(&str, &str)]) -> Self {
        Self::start_with(
            Start {
                arguments: vec![path.into()],
                ..Start::default()
            },
            variables,
        )
    }

    /// Starts it as told.
    pub fn start_with(start: Start, variables: &[(&str, &str)]) -> Self {
        let (columns, rows) = start.size;
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_gagar"));
        command.arg("--db");
        let own = || folder.path().join("judgements.db");
        command.arg(start.db.unwrap_or_else(own));
        command.args(start.arguments);
        command.env("TERM", "xterm-256color");
        command.env("XDG_CONFIG_HOME", folder.path());
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let screen = vt100::Parser::new(cells(rows), cells(columns), 0);
        let screen = Arc::new(Mutex::new(screen));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let seen = screen.clone();
        let received = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&received);
        let reading = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                counted.fetch_add(count, Ordering::Relaxed);
                seen.lock().unwrap().process(&bytes[..count]);
            }
        });
        Self {
            child,
            screen,
            writer,
            reading,
            received,
            master: pair.master,
            _folder: folder,
        }
    }

    /// Waits until the text is on screen.
    pub fn wait_for(&self, what: &str) {
        self.wait_until(what, |screen| screen.contents().contains(what));
    }

    /// Waits until the screen is as it should be.
    pub fn wait_until(&self, what: &str, reached: impl Fn(&vt100::Screen) -> bool) {
        let start = Instant::now();
        loop {
            let parser = self.screen.lock().unwrap();
            if reached(parser.screen()) {
                return;
            }
            let contents = parser.screen().contents();
            drop(parser);
            assert!(start.elapsed() < PATIENCE, "no {what:?} in:\n{contents}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Sends a signal (`-TERM`).
    pub fn signal(&self, signal: &str) {
        let pid = self.child.process_id().unwrap().to_string();
        let sent = std::process::Command::new("kill")
            .args([signal, &pid])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Types.
    pub fn write(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Submits the open group and, asked for a second look, submits again; waits for what then
    /// stands on screen.
    pub fn submit(&mut self, then: &str) {
        let asked = "again submits";
        self.write("\r");
        self.wait_until(then, |screen| {
            let contents = screen.contents();
            contents.contains(then) || contents.contains(asked)
        });
        let contents = self.screen.lock().unwrap().screen().contents();
        if contents.contains(asked) {
            self.write("\r");
            self.wait_for(then);
        }
    }

    /// Waits for the end and checks that the terminal is as it was; returns what stands there.
    pub fn end(mut self) -> (ExitStatus, String) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        drop(self.writer);
        self.reading.join().unwrap();
        let parser = self.screen.lock().unwrap();
        let screen = parser.screen();
        assert!(!screen.alternate_screen(), "still on the alternate screen");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "bracketed paste is on");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        (status, screen.contents())
    }
}
