//! The loop: wait for something, take everything that is there, update, run effects, draw once.
//!
//! Nothing is polled here: without input and answers the loop sleeps. (The store's thread looks from
//! time to time for what other processes wrote, and says nothing when there is nothing.)

use std::io::{Error, IsTerminal, stdin, stdout};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::colour_depth::ColourDepth;
use super::colouring::ColourRequest;
use super::effect::{Effect, Outside};
use super::input::message_of;
use super::message::Message;
use super::model::{Model, OpensFirst, Severity};
use super::programs;
use super::screens::{schedules, steps};
use super::settings::{
    FoundThemes, TuiOptions, choose_theme, config_folder, read_keys, read_themes,
};
use super::terminal::{Tty, background_is_dark, restore_on_panic};
use super::theme::Theme;
use super::timing;
use super::update::update;
use super::view;
use super::workers::{Workers, to_colour};
use crate::review::QueueOrder;

/// Most events of the input that are taken at once.
const MOST_AT_ONCE: usize = 256;

/// How long after another program ended an interrupt may still be one of its keys.
const ECHO: Duration = Duration::from_secs(1);
/// The signal of Ctrl-C where the terminal does not hand keys over as they are.
#[cfg(unix)]
const INTERRUPT: i32 = signal_hook::consts::SIGINT;
#[cfg(not(unix))]
const INTERRUPT: i32 = 2;

/// What the loop waits for.
enum Incoming {
    Message(Message),
    /// What keys and mouse did; the input is read on when the loop says so.
    Input(Vec<Message>),
    /// The terminal's input ended or cannot be read.
    InputEnded(Error),
    /// The process is to end by this signal.
    Signal(i32),
}

/// How the loop ended.
enum Ending {
    /// The person left.
    Left,
    /// A signal asked.
    Signal(i32),
}

/// Runs the interface until the person leaves. See [`super::run`].
///
/// # Errors
/// See [`super::run`].
pub fn run(options: TuiOptions) -> std::io::Result<()> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(Error::other("standard input and output must be a terminal"));
    }
    let config = config_folder();
    let keymap = read_keys(options.keys.as_deref(), config.as_deref())?;
    let FoundThemes { themes, problems } = read_themes(config.as_deref())?;
    let chosen = choose_theme(&themes, options.theme.as_ref(), background_is_dark)?;
    let depth = options
        .depth
        .unwrap_or_else(|| ColourDepth::of(|name| std::env::var(name).ok()));
    let themes: Vec<Theme> = themes
        .into_iter()
        .map(|theme| theme.at_depth(depth))
        .collect();
    let names = themes.iter().map(|theme| theme.name.clone()).collect();
    let mut model = Model::new(options.title(), options.settings.clone(), keymap, names);
    model.theme = chosen;
    model.starts_blind = options.blind.all;
    model.records_openings = options.db.exists();
    model.groups.queue = options
        .order
        .or_else(|| options.assigned.is_some().then_some(QueueOrder::Given));
    model.assigned = options.assigned.clone().map(Arc::from);
    model.guide = options.guide.clone();
    model.rules = options.rules.clone().into();
    if let Some(first) = problems.first() {
        let more = match problems.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more: `gagar doctor`)"),
        };
        model.say(Severity::Warning, format!("{first}{more}"));
    }
    model.opens_first = options
        .group
        .clone()
        .map_or(OpensFirst::Only, OpensFirst::Named);

    restore_on_panic();
    let mut tty = Tty::enter()?;
    model.size = tty.size()?;
    draw(&mut tty, &model, &themes)?;

    let (post, incoming) = channel();
    let (read_on, may_read) = channel();
    read_input(post.clone(), may_read)?;
    watch_signals(post.clone())?;
    let workers = Workers::start(
        &options,
        // The loop outlives the workers; a message to a loop that ended is for nobody.
        Arc::new(move |message| drop(post.send(Incoming::Message(message)))),
    )?;
    let mut runtime = Runtime {
        model,
        themes,
        tty,
        workers,
        read_on,
        started: Instant::now(),
        given_back: None,
    };
    let ending = runtime.run(&incoming);
    if !matches!(ending, Ok(Ending::Left)) {
        runtime.save_time();
    }
    runtime.workers.finish();
    let lost = runtime.after(&incoming);
    drop(runtime);
    match ending? {
        Ending::Signal(signal) => {
            #[cfg(unix)]
            signal_hook::low_level::emulate_default_handler(signal)?;
            Err(Error::other(format!("ended by signal {signal}")))
        }
        Ending::Left => match lost {
            Some(reason) => Err(Error::other(format!(
                "the last changes are not saved: {reason}"
            ))),
            None => Ok(()),
        },
    }
}

struct Runtime {
    model: Model,
    themes: Vec<Theme>,
    tty: Tty,
    workers: Workers,
    /// Lets the input be read on.
    read_on: Sender<()>,
    /// When the interface began.
    started: Instant,
    /// When another program last gave the terminal back.
    given_back: Option<Instant>,
}

impl Runtime {
    fn run(&mut self, incoming: &Receiver<Incoming>) -> std::io::Result<Ending> {
        let mut leaving = false;
        loop {
            let Ok(first) = incoming.recv() else {
                return Ok(Ending::Left);
            };
            let mut next = Some(first);
            while let Some(event) = next {
                match event {
                    Incoming::Message(message) => leaving |= self.take(message)?,
                    Incoming::Input(messages) => {
                        for message in messages {
                            leaving |= self.take(message)?;
                        }
                        // The input thread may be gone; the loop learns that by its last message.
                        let _ = self.read_on.send(());
                    }
                    Incoming::InputEnded(error) => return Err(error),
                    Incoming::Signal(signal) if self.is_for_another(signal) => {}
                    Incoming::Signal(signal) => return Ok(Ending::Signal(signal)),
                }
                next = incoming.try_recv().ok();
            }
            // Leaving waits for what is being saved; a save that fails meanwhile asks again.
            if leaving && self.model.saves.pending.is_empty() {
                // Openings and times alone are nobody's judgement.
                if self.model.saves.unsaved_changes() == 0 {
                    return Ok(Ending::Left);
                }
                leaving = false;
                self.model.overlay = Some(super::overlays::Overlay::confirm_quit());
            }
            draw(&mut self.tty, &self.model, &self.themes)?;
        }
    }

    /// Takes a message; answers whether the person wants to leave.
    #[expect(
        clippy::panic,
        reason = "a test asks for a panic to see the screen restored"
    )]
    fn take(&mut self, message: Message) -> std::io::Result<bool> {
        match &message {
            Message::Loaded(session) => self.workers.loaded(session.set().clone()),
            Message::SaveFailed(_) => self.workers.save_failed(),
            Message::Key(_) if std::env::var_os("GAGAR_TEST_PANIC").is_some() => {
                panic!("a panic was asked for");
            }
            _ => {}
        }
        self.model.now_ms = Some(self.now_ms());
        let is_snapshot = matches!(message, Message::Snapshot { .. });
        let effects = update(&mut self.model, message);
        // The session has the set in the order in which blind groups are shown.
        if let Some(session) = self.model.session.as_ref().filter(|_| is_snapshot) {
            self.workers.loaded(Arc::clone(session.set()));
        }
        let mut leave = false;
        for effect in effects {
            match effect {
                Effect::OpenGroup { group } => self.workers.open(group),
                Effect::Highlight {
                    group,
                    of,
                    file,
                    units,
                    urgent,
                } => {
                    if let Some((patch, base)) = to_colour(&self.model, group, of, file) {
                        self.workers.colour(ColourRequest {
                            group,
                            of,
                            file,
                            base,
                            patch,
                            units,
                            urgent,
                        });
                    }
                }
                Effect::Spot { number, groups } => {
                    self.workers
                        .spot(number, groups, Arc::clone(&self.model.rules));
                }
                Effect::StopSpotting => self.workers.stop_spotting(),
                Effect::Interdiff { group, from, to } => {
                    if let Some(opened) = self.model.opened(group) {
                        self.workers.interdiff(Arc::clone(opened), from, to);
                    }
                }
                Effect::SearchSteps { group, trajectory } => {
                    if let Some(request) = steps::request(&self.model, (group, trajectory)) {
                        self.workers.search(group, request);
                    }
                }
                Effect::Audit(audit) => {
                    if let Some(session) = &self.model.session {
                        let snapshot = session.snapshot();
                        self.workers.audit(session.revision(), audit, snapshot);
                    }
                }
                Effect::Save(events) => self.workers.save(events),
                Effect::Copy(text) => {
                    if let Err(error) = self.tty.copy(&text) {
                        self.model
                            .say(Severity::Error, format!("not copied: {error}"));
                    }
                }
                Effect::SearchGroup { group, query } => {
                    if let Some(opened) = self.model.opened(group) {
                        self.workers.search_group(Arc::clone(opened), query);
                    }
                }
                Effect::CompareSchemes { number } => {
                    if let Some(request) = schedules::request(&self.model, number) {
                        self.workers.compare_schemes(request);
                    }
                }
                Effect::SaveFile {
                    path,
                    text,
                    overwrite,
                } => self.workers.save_file(path, text, overwrite),
                Effect::RunProgram(outside) => leave |= self.run_program(&outside)?,
                Effect::StopLoading => self.workers.stop_loading(),
                Effect::Reload => self.workers.reload(),
                Effect::Suspend => self.suspend()?,
                Effect::Redraw => self.tty.clear()?,
                Effect::Quit => leave = true,
            }
        }
        Ok(leave)
    }

    /// Saves the time spent on the open group when nobody said goodbye: a signal ends the program, or
    /// the terminal is gone.
    fn save_time(&mut self) {
        self.model.now_ms = Some(self.now_ms());
        for effect in timing::leave(&mut self.model) {
            if let Effect::Save(events) = effect {
                self.workers.save(events);
            }
        }
    }

    /// Lets a program of the person's have the terminal until it ends; says why when it failed.
    /// Answers whether the person wants to leave.
    fn run_program(&mut self, outside: &Outside) -> std::io::Result<bool> {
        let variable = |name: &str| std::env::var(name).ok();
        let ran = match programs::prepare(outside, &variable) {
            Ok(prepared) if matches!(outside, Outside::Text { .. }) => {
                let mut edited = None;
                self.tty.hand_over(|| edited = Some(prepared.edit()))?;
                self.given_back = Some(Instant::now());
                self.fit_window()?;
                let Some(edited) = edited else {
                    return Ok(false);
                };
                return self.take(Message::TextEdited {
                    text: edited.text,
                    problem: edited.problem.map(|problem| problem.to_string()),
                });
            }
            Ok(prepared) => {
                // The input thread waits meanwhile, so that no key is taken from the program.
                let ran = self.tty.hand_over(|| prepared.run());
                self.given_back = Some(Instant::now());
                let now = self.now_ms();
                timing::back(&mut self.model, now);
                self.fit_window()?;
                ran?
            }
            Err(error) => Err(error),
        };
        match (ran, outside) {
            (Ok(()), Outside::Editor { .. }) => {
                let said = "a copy of the patch was open: the recorded one stays as it is";
                self.model.say(Severity::Info, said);
            }
            (Ok(()), Outside::Pager { .. } | Outside::Text { .. }) => {}
            (Err(error), _) => self.model.say(Severity::Error, error.to_string()),
        }
        Ok(false)
    }

    /// Whether a signal was meant for a program that had the terminal just now: Ctrl-C there goes to
    /// every program of the terminal, and is heard here when that one has ended.
    fn is_for_another(&self, signal: i32) -> bool {
        let lately = |given_back: Instant| given_back.elapsed() < ECHO;
        signal == INTERRUPT && self.given_back.is_some_and(lately)
    }

    /// Milliseconds since the start.
    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn suspend(&mut self) -> std::io::Result<()> {
        self.tty.suspend()?;
        let now = self.now_ms();
        timing::back(&mut self.model, now);
        self.fit_window()
    }

    fn fit_window(&mut self) -> std::io::Result<()> {
        // The window may have another size now.
        let (columns, rows) = self.tty.size()?;
        update(&mut self.model, Message::Resize(columns, rows));
        Ok(())
    }

    /// Takes what the workers answered at the end; answers why something could not be saved.
    fn after(&mut self, incoming: &Receiver<Incoming>) -> Option<String> {
        let mut lost = None;
        while let Ok(event) = incoming.try_recv() {
            if let Incoming::Message(Message::SaveFailed(reason)) = event {
                lost = Some(reason);
            }
        }
        lost
    }
}

fn draw(tty: &mut Tty, model: &Model, themes: &[Theme]) -> std::io::Result<()> {
    let Some(theme) = themes.get(model.theme) else {
        return Ok(());
    };
    let (width, height) = model.size;
    let mut buffer = Buffer::empty(Rect {
        x: 0,
        y: 0,
        width,
        height,
    });
    view::draw(model, theme, &mut buffer);
    tty.show(buffer)
}

/// Reads the input in batches: all that is there, then nothing until the loop has taken it. So
/// another program that is run for a key has the input for itself.
fn read_input(post: Sender<Incoming>, may_read: Receiver<()>) -> std::io::Result<()> {
    std::thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || {
            loop {
                let mut batch = Vec::new();
                let ended = read_batch(&mut batch).err();
                if !batch.is_empty() {
                    let posted = post.send(Incoming::Input(batch)).is_ok();
                    if !posted || may_read.recv().is_err() {
                        return;
                    }
                }
                if let Some(error) = ended {
                    // Nobody waits for it when the loop has ended.
                    let _ = post.send(Incoming::InputEnded(error));
                    return;
                }
            }
        })?;
    Ok(())
}

/// Waits for an event and takes those that are there with it.
fn read_batch(batch: &mut Vec<Message>) -> std::io::Result<()> {
    loop {
        batch.extend(message_of(crossterm::event::read()?));
        let more = crossterm::event::poll(Duration::ZERO)?;
        if !more || batch.len() >= MOST_AT_ONCE {
            return Ok(());
        }
    }
}

#[cfg(unix)]
fn watch_signals(post: Sender<Incoming>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in &mut signals {
                if post.send(Incoming::Signal(signal)).is_err() {
                    return;
                }
            }
        })?;
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same shape as on unix")]
fn watch_signals(_: Sender<Incoming>) -> std::io::Result<()> {
    Ok(())
}
