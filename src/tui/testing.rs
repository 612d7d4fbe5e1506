//! A whole interface without a terminal: keys in, screen out. For tests, here and in other crates.
//!
//! Effects run at once, the store is in memory or at a path, clock and seed are fixed: the same
//! keys always give the same screen.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use super::auditing::audit;
use super::effect::Effect;
use super::feed::Feed;
use super::highlight::Highlighter;
use super::key::parse_keys;
use super::keymap::Keymap;
use super::message::{Message, MouseKind};
use super::model::Model;
use super::screens::compare::search_patches;
use super::screens::remarks::Spotted;
use super::screens::{schedules, steps};
use super::theme::{Role, Theme};
use super::update::update;
use super::view;
use super::workers::{
    KnownLog, LoadInput, feed, interdiff_of, look, on_base, open_group, remarks_of, save_file,
    store_events, to_colour,
};
use crate::base::BaseRepos;
use crate::formats::LoadOptions;
use crate::review::spotting;
use crate::review::{BlindPlan, Identity, Settings};
use crate::store::{EventStore, MemoryStore, SqliteStore};

/// The time of every event.
const NOW_MS: i64 = 1_750_000_000_000;

/// An interface without a terminal.
pub struct Harness {
    /// The model; look at it, or set what a test needs.
    pub model: Model,
    store: Box<dyn EventStore>,
    known: KnownLog,
    highlighter: Highlighter,
    effects: Vec<Effect>,
    feed: Option<Feed>,
    left: bool,
}

impl Harness {
    /// Opens the rollouts at these paths in a terminal of this size (columns, rows), with a store in
    /// memory.
    ///
    /// # Errors
    /// The default keys or themes are broken, or the store cannot be read.
    pub fn open(paths: &[impl AsRef<Path>], columns: u16, rows: u16) -> Result<Self, String> {
        Self::open_with_store(paths, columns, rows, Box::new(MemoryStore::default()))
    }

    /// The same with the store in a file.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn open_with_db(
        paths: &[impl AsRef<Path>],
        columns: u16,
        rows: u16,
        db: &Path,
    ) -> Result<Self, String> {
        Self::open_with_store(paths, columns, rows, Box::new(SqliteStore::at(db)))
    }

    /// The same with a store of any kind.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn open_with_store(
        paths: &[impl AsRef<Path>],
        columns: u16,
        rows: u16,
        store: Box<dyn EventStore>,
    ) -> Result<Self, String> {
        Self::open_as("ann", false, paths, (columns, rows), store)
    }

    /// The same for an annotator, blind or not.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn open_as(
        annotator: &str,
        blind: bool,
        paths: &[impl AsRef<Path>],
        (columns, rows): (u16, u16),
        store: Box<dyn EventStore>,
    ) -> Result<Self, String> {
        let mut harness = Self::unloaded(paths, columns, rows, store)?;
        harness.model.starts_blind = blind;
        let input = LoadInput {
            paths: paths
                .iter()
                .map(|path| path.as_ref().to_owned())
                .collect::<Vec<PathBuf>>(),
            load: LoadOptions::default(),
            identity: Identity {
                annotator: annotator.to_owned(),
                session_id: "test".to_owned(),
                source: harness.model.title.clone(),
                blind: BlindPlan::review(blind, 0),
            },
            settings: Settings::default(),
            // Another one at every start, so that ids of events differ.
            seed: 1 + harness
                .store
                .events_since(0)
                .map_or(0, |log| log.len() as u64),
        };
        harness.load(input)
    }

    /// An interface over what is read by this input, with a model made for it.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn loaded(
        model: Model,
        input: LoadInput,
        store: Box<dyn EventStore>,
    ) -> Result<Self, String> {
        Self::over(model, store).load(input)
    }

    fn load(mut self, input: LoadInput) -> Result<Self, String> {
        let harness = &mut self;
        let events = harness
            .store
            .events_since(0)
            .map_err(|error| error.to_string());
        harness.known = KnownLog::of(events.as_deref().unwrap_or_default());
        let mut feed = feed(input, true, || events, Box::new(|| NOW_MS));
        let mut messages = Vec::new();
        feed.read(&|| false, &mut |message| messages.push(message));
        for message in messages {
            match message {
                Message::StoreUnreadable(reason) => return Err(reason),
                // How long a test takes is not for its screen.
                Message::Loading { .. } => {}
                message => drop(harness.send(message)),
            }
        }
        harness.feed = Some(feed);
        Ok(self)
    }

    /// Looks for files that changed, as following does; answers whether there were any.
    pub fn look_again(&mut self) -> bool {
        let Some(mut feed) = self.feed.take() else {
            return false;
        };
        let mut messages = Vec::new();
        let changes = feed.look_again(&mut |message| messages.push(message));
        self.feed = Some(feed);
        for message in messages {
            if !matches!(message, Message::Loading { .. }) {
                self.send(message);
            }
        }
        changes.is_some()
    }

    /// The interface before anything is loaded.
    ///
    /// # Errors
    /// The default keys or themes are broken.
    pub fn unloaded(
        paths: &[impl AsRef<Path>],
        columns: u16,
        rows: u16,
        store: Box<dyn EventStore>,
    ) -> Result<Self, String> {
        let keymap = Keymap::new(None).map_err(|errors| errors.join("; "))?;
        let themes = Theme::embedded()?
            .into_iter()
            .map(|theme| theme.name)
            .collect();
        let titles: Vec<_> = paths
            .iter()
            .filter_map(|path| path.as_ref().file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        let mut model = Model::new(titles.join(" "), Settings::default(), keymap, themes);
        model.size = (columns, rows);
        Ok(Self::over(model, store))
    }

    fn over(model: Model, store: Box<dyn EventStore>) -> Self {
        Self {
            model,
            store,
            known: KnownLog::default(),
            highlighter: Highlighter::default(),
            effects: Vec::new(),
            feed: None,
            left: false,
        }
    }

    /// Presses keys, as a keymap writes them: `jjK<tab>`.
    ///
    /// # Panics
    /// The text is not a sequence of keys.
    #[expect(
        clippy::panic,
        reason = "documented: a test with a wrong key sequence must fail"
    )]
    pub fn press(&mut self, keys: &str) -> &mut Self {
        let keys = parse_keys(keys).unwrap_or_else(|error| panic!("{keys}: {error}"));
        for key in keys {
            self.send(Message::Key(key));
        }
        self
    }

    /// Pastes text.
    pub fn paste(&mut self, text: &str) -> &mut Self {
        self.send(Message::Paste(text.to_owned()))
    }

    /// Uses the mouse at a cell.
    pub fn mouse(&mut self, kind: MouseKind, x: u16, y: u16) -> &mut Self {
        self.send(Message::Mouse { kind, x, y })
    }

    /// Measures time from now on, and lets so many milliseconds pass.
    pub fn wait(&mut self, ms: u64) -> &mut Self {
        self.model.now_ms = Some(self.model.now_ms.unwrap_or(0) + ms);
        self
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.send(Message::Resize(columns, rows))
    }

    /// Sends any message and runs what it asks for.
    pub fn send(&mut self, message: Message) -> &mut Self {
        let effects = update(&mut self.model, message);
        self.catch_up(effects)
    }

    /// Sends a message and draws a frame, as the interface does between a key and its frame; answers
    /// how long that took. What the message asks for is done afterwards, as workers do it.
    pub fn timed(&mut self, message: Message, theme: &Theme) -> Duration {
        let start = Instant::now();
        let effects = update(&mut self.model, message);
        std::hint::black_box(self.draw(theme));
        let took = start.elapsed();
        self.catch_up(effects);
        took
    }

    /// Runs effects, and those that their answers ask for.
    fn catch_up(&mut self, effects: Vec<Effect>) -> &mut Self {
        let mut waiting = std::collections::VecDeque::from(effects);
        while let Some(effect) = waiting.pop_front() {
            let mut messages = Vec::new();
            if let Effect::Save(events) = &effect {
                messages.extend(store_events(&mut *self.store, &mut self.known, events));
            }
            messages.extend(self.run(&effect));
            self.effects.push(effect);
            for message in messages {
                if matches!(message, Message::SaveFailed(_)) {
                    // As the storing thread: what was queued before a failure is not stored.
                    waiting.retain(|effect| !matches!(effect, Effect::Save(_)));
                }
                waiting.extend(update(&mut self.model, message));
            }
        }
        self
    }

    /// Every effect so far, oldest first.
    #[must_use]
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &dyn EventStore {
        &*self.store
    }

    /// Looks for what others wrote to the store, as the store's thread does from time to time.
    pub fn look(&mut self) -> &mut Self {
        if let Ok(Some(message)) = look(&mut *self.store, &mut self.known) {
            self.send(message);
        }
        self
    }

    /// Whether the person left.
    #[must_use]
    pub fn has_left(&self) -> bool {
        self.left
    }

    /// The screen as text, without blanks at the ends of lines.
    #[must_use]
    pub fn screen(&self) -> String {
        text_of(&self.render())
    }

    /// The screen as text, each line followed by its runs that are not plain text:
    /// `columns: role`.
    #[must_use]
    pub fn styled(&self) -> String {
        let buffer = self.render();
        let mut text = String::new();
        for y in 0..buffer.area.height {
            text.push_str(&line(&buffer, y));
            text.push('\n');
            let runs = runs(&buffer, y);
            if !runs.is_empty() {
                text.push_str(&format!("    ~ {}\n", runs.join(", ")));
            }
        }
        text
    }

    /// Draws a frame with a theme, as a terminal would get it; for measuring.
    #[must_use]
    pub fn draw(&self, theme: &Theme) -> Buffer {
        let (width, height) = self.model.size;
        let mut buffer = Buffer::empty(Rect {
            x: 0,
            y: 0,
            width,
            height,
        });
        view::draw(&self.model, theme, &mut buffer);
        buffer
    }

    fn render(&self) -> Buffer {
        self.draw(&tagged())
    }

    fn run(&mut self, effect: &Effect) -> Option<Message> {
        match effect {
            Effect::OpenGroup { group } => {
                let set = Arc::clone(self.model.session.as_ref()?.set());
                let group = *group;
                let opened = open_group(&set, group).inspect(|opened| {
                    opened.put_on_base(on_base(&set, opened, &BaseRepos::default()));
                    opened.put_remarks(remarks_of(&set, opened, &self.model.rules));
                });
                Some(match opened {
                    Err(problem) if problem.is_changed_file() => Message::GroupChanged {
                        group,
                        reason: problem.to_string(),
                    },
                    result => Message::GroupOpened {
                        group,
                        result: result.map_err(|problem| problem.to_string()),
                    },
                })
            }
            Effect::Highlight {
                group,
                of,
                file,
                units,
                ..
            } => {
                let (group, of, file) = (*group, *of, *file);
                let (patch, base) = to_colour(&self.model, group, of, file)?;
                let base = base.as_ref();
                let never = &mut || false;
                let colours = self.highlighter.colour(&patch, file, base, units, never);
                Some(Message::Highlighted {
                    group,
                    of,
                    file,
                    units: units.clone(),
                    colours: Some(colours),
                })
            }
            Effect::Interdiff { group, from, to } => {
                let opened = self.model.opened(*group)?;
                Some(Message::Interdiffed {
                    group: *group,
                    from: *from,
                    to: *to,
                    result: Ok(interdiff_of(opened, *from, *to)?),
                })
            }
            Effect::SearchSteps { group, trajectory } => {
                let (group, trajectory) = (*group, *trajectory);
                let hits = steps::request(&self.model, (group, trajectory))?.run(&|| false)?;
                let hits = Box::new(hits);
                Some(Message::StepsSearched {
                    group,
                    trajectory,
                    hits,
                })
            }
            Effect::SearchGroup { group, query } => {
                let found = search_patches(self.model.opened(*group)?, query);
                Some(Message::GroupSearched {
                    group: *group,
                    query: query.clone(),
                    found,
                })
            }
            Effect::CompareSchemes { number } => {
                let request = schedules::request(&self.model, *number)?;
                let answer = request.run(&|| false, &mut |_, _| ())?;
                Some(Message::SchemesCompared {
                    number: *number,
                    result: Ok(Box::new(answer)),
                })
            }
            Effect::Audit(wanted) => {
                let session = self.model.session.as_ref()?;
                Some(Message::Audited {
                    revision: session.revision(),
                    audit: wanted.clone(),
                    result: Ok(audit(wanted, &session.snapshot(), &|| true)),
                })
            }
            Effect::SaveFile {
                path,
                text,
                overwrite,
            } => Some(save_file(path.clone(), text, *overwrite)),
            Effect::Spot { number, groups } => {
                let set = Arc::clone(self.model.session.as_ref()?.set());
                let found = std::sync::Mutex::new(Vec::new());
                spotting::look(&set, groups, &self.model.rules, &|of| {
                    let mut found = found.lock();
                    found.as_mut().is_ok_and(|found| {
                        found.push(of);
                        true
                    })
                });
                Some(Message::Spotted(Spotted {
                    number: *number,
                    done: groups.len(),
                    found: found.into_inner().unwrap_or_default(),
                    elapsed: Duration::ZERO,
                    ended: true,
                }))
            }
            Effect::StopSpotting => None,
            // Answered in `send`: a save may have several answers.
            Effect::Save(_) => None,
            Effect::Quit => {
                self.left = true;
                None
            }
            Effect::Copy(_)
            | Effect::RunProgram(_)
            | Effect::Suspend
            | Effect::Redraw
            | Effect::StopLoading
            | Effect::Reload => None,
        }
    }
}

/// A theme whose colours say which role they are: foreground = text, background = what lies under.
fn tagged() -> Theme {
    Theme::from_styles("tagged", true, |role| {
        let place = Role::ALL.iter().position(|other| *other == role);
        let number = place
            .and_then(|place| u8::try_from(place).ok())
            .unwrap_or(0);
        let under = matches!(
            role,
            Role::Cursor
                | Role::Match
                | Role::FileHeader
                | Role::Added
                | Role::Removed
                | Role::AddedWord
                | Role::RemovedWord
        );
        match (role, under) {
            (Role::Text, _) => Style::new().fg(Color::Rgb(0, 0, 0)),
            (_, true) => Style::new().bg(Color::Rgb(0, 0, number)),
            (_, false) => Style::new().fg(Color::Rgb(0, 0, number)),
        }
    })
}

fn role(colour: Color) -> Option<&'static str> {
    match colour {
        Color::Rgb(_, _, number) => Role::ALL
            .get(usize::from(number))
            .filter(|role| **role != Role::Text)
            .map(|r| r.name()),
        _ => None,
    }
}

/// What stands in a buffer, a line a row, without blanks at the ends of lines.
#[must_use]
pub fn text_of(buffer: &Buffer) -> String {
    (0..buffer.area.height)
        .map(|y| line(buffer, y) + "\n")
        .collect()
}

fn line(buffer: &Buffer, y: u16) -> String {
    let mut text = String::new();
    let mut x = 0;
    while x < buffer.area.width {
        let symbol = buffer[(x, y)].symbol();
        text.push_str(symbol);
        let width = unicode_width::UnicodeWidthStr::width(symbol).max(1);
        x = x.saturating_add(u16::try_from(width).unwrap_or(1));
    }
    text.trim_end().to_owned()
}

fn runs(buffer: &Buffer, y: u16) -> Vec<String> {
    let mut runs: Vec<(u16, u16, String)> = Vec::new();
    for x in 0..buffer.area.width {
        let cell = &buffer[(x, y)];
        let fg = role(cell.fg);
        let names: Vec<_> = [fg, role(cell.bg)].into_iter().flatten().collect();
        let name = names.join("+");
        match runs.last_mut() {
            Some((_, end, last)) if *last == name && *end == x => *end = x + 1,
            _ => runs.push((x, x + 1, name)),
        }
    }
    runs.iter()
        .filter(|(_, _, name)| !name.is_empty())
        .map(|(start, end, name)| format!("{start}-{}: {name}", end - 1))
        .collect()
}
