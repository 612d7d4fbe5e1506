//! Work beside the interface: loading, opening texts, colouring, storing.
//!
//! One thread each, so that none waits for another; answers are [`Message`]s. A worker that panics
//! answers with an error instead of dying silently.

use std::any::Any;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::highlight::{FileColours, Highlighter};
use super::message::Message;
use super::model::OpenedGroup;
use super::settings::TuiOptions;
use crate::diff::Patch;
use crate::formats::{LoadOptions, LoadedSet, Progress, load};
use crate::review::{Identity, ReviewSession, Settings};
use crate::store::{Event, EventStore, NewEvent, SqliteStore};

/// Time between two messages on the loading's progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// How workers hand messages to the interface.
pub type Post = Arc<dyn Fn(Message) + Send + Sync>;

/// The worker threads.
pub struct Workers {
    post: Post,
    stop_loading: Arc<AtomicBool>,
    set: Option<Arc<LoadedSet>>,
    open: Sender<(Arc<LoadedSet>, usize)>,
    colour: Sender<ColourRequest>,
    store: Option<(Sender<StoreRequest>, JoinHandle<()>)>,
    /// Counts failed saves: what was queued before a failure is not stored after it.
    epoch: u64,
}

struct ColourRequest {
    group: usize,
    trajectory: Option<usize>,
    file: usize,
    patch: Arc<Patch>,
}

struct StoreRequest {
    epoch: u64,
    events: Vec<NewEvent>,
}

impl Workers {
    /// Starts the threads; loading begins at once.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn start(options: &TuiOptions, post: Post) -> std::io::Result<Self> {
        let stop_loading = Arc::new(AtomicBool::new(false));
        let (open, opens) = channel();
        let (colour, colours) = channel();
        let (save, saves) = channel();
        let loaded = Arc::new(OnceLock::new());
        spawn("load", {
            let (options, stop, post) = (options.clone(), stop_loading.clone(), post.clone());
            let loaded = Arc::clone(&loaded);
            move || run_load(&options, &stop, &loaded, &post)
        })?;
        spawn("open", {
            let post = post.clone();
            move || run_open(&opens, &post)
        })?;
        spawn("colour", {
            let post = post.clone();
            move || run_colour(&colours, &post)
        })?;
        let storing = spawn("store", {
            let (post, store) = (post.clone(), SqliteStore::at(&options.db));
            move || run_store(&saves, store, &loaded, &post)
        })?;
        let store = Some((save, storing));
        Ok(Self {
            post,
            stop_loading,
            set: None,
            open,
            colour,
            store,
            epoch: 0,
        })
    }

    /// Tells the workers what was loaded.
    pub fn loaded(&mut self, set: Arc<LoadedSet>) {
        self.set = Some(set);
    }

    /// Tells the workers that the interface knows of a failed save.
    pub fn save_failed(&mut self) {
        self.epoch += 1;
    }

    /// Asks for a group's texts; only the newest request is sure to be answered.
    pub fn open(&self, group: usize) {
        if let Some(set) = &self.set
            && self.open.send((set.clone(), group)).is_err()
        {
            (self.post)(Message::GroupOpened {
                group,
                result: Err(gone("open")),
            });
        }
    }

    /// Asks for the colours of one file.
    pub fn colour(&self, group: usize, trajectory: Option<usize>, file: usize, patch: Arc<Patch>) {
        // Without an answer the file stays plain.
        let _ = self.colour.send(ColourRequest {
            group,
            trajectory,
            file,
            patch,
        });
    }

    /// Stores events in one transaction, after those handed over before.
    pub fn save(&self, events: Vec<NewEvent>) {
        let request = StoreRequest {
            epoch: self.epoch,
            events,
        };
        let sent = self
            .store
            .as_ref()
            .is_some_and(|(save, _)| save.send(request).is_ok());
        if !sent {
            (self.post)(Message::SaveFailed(gone("store")));
        }
    }

    /// Stops loading and waits until everything handed to the store is stored or has failed.
    pub fn finish(&mut self) {
        self.stop_loading.store(true, Ordering::Relaxed);
        if let Some((save, thread)) = self.store.take() {
            drop(save);
            // The thread's panics are caught inside.
            let _ = thread.join();
        }
    }
}

/// Loads the groups and the judgements stored for them.
///
/// `report` is told of progress and of a store that cannot be read (reviewing goes on without it);
/// loading ends early when `stop` is set.
#[must_use]
pub fn load_session(
    input: &LoadInput,
    read_events: impl FnOnce() -> Result<Vec<Event>, String>,
    clock: Box<dyn Fn() -> i64 + Send>,
    stop: &AtomicBool,
    report: &mut dyn FnMut(Message),
) -> ReviewSession {
    let start = Instant::now();
    let mut last: Option<Instant> = None;
    let set = load(&input.paths, &input.load, &mut |progress: Progress| {
        if last.is_none_or(|last| last.elapsed() >= PROGRESS_EVERY) {
            last = Some(Instant::now());
            report(Message::Loading {
                progress,
                elapsed: start.elapsed(),
            });
        }
        !stop.load(Ordering::Relaxed)
    });
    let events = match read_events() {
        Ok(events) => events,
        Err(reason) => {
            report(Message::StoreUnreadable(reason));
            Vec::new()
        }
    };
    let (identity, settings) = (input.identity.clone(), input.settings.clone());
    ReviewSession::new(
        Arc::new(set),
        &events,
        identity,
        settings,
        input.seed,
        clock,
    )
}

/// What a session is made from.
#[derive(Debug, Clone)]
pub struct LoadInput {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// How they are loaded.
    pub load: LoadOptions,
    /// Who reviews.
    pub identity: Identity,
    /// What advantages are computed with.
    pub settings: Settings,
    /// Makes event ids unique.
    pub seed: u64,
}

/// Opens the texts of a group and reads its patches.
///
/// # Errors
/// One sentence naming the file that cannot be read.
pub fn open_group(set: &LoadedSet, group: usize) -> Result<Arc<OpenedGroup>, String> {
    let content = set.open(group).map_err(|problem| {
        let line = problem
            .line
            .map(|line| format!(":{line}"))
            .unwrap_or_default();
        format!("{}{line}: {}", problem.path.display(), problem.reason)
    })?;
    let read = |text: Option<&String>| match text {
        Some(text) => Arc::new(Patch::read(Arc::from(text.as_str()))),
        None => Arc::new(Patch::missing()),
    };
    let patches = content
        .trajectories
        .iter()
        .map(|t| read(t.patch.as_ref()))
        .collect();
    let reference = content
        .task
        .reference_patch
        .as_ref()
        .map(|text| read(Some(text)));
    Ok(Arc::new(OpenedGroup {
        group,
        content,
        patches,
        reference,
    }))
}

/// The patch of a candidate, or the reference patch (`None`), of an opened group.
#[must_use]
pub fn patch_of(opened: &OpenedGroup, trajectory: Option<usize>) -> Option<&Arc<Patch>> {
    match trajectory {
        Some(index) => opened.patches.get(index),
        None => opened.reference.as_ref(),
    }
}

fn run_load(options: &TuiOptions, stop: &AtomicBool, loaded: &OnceLock<KnownLog>, post: &Post) {
    let seed = RandomState::new().build_hasher().finish();
    let source: Vec<_> = options
        .paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let input = LoadInput {
        paths: options.paths.clone(),
        load: options.load.clone(),
        identity: Identity {
            annotator: options.annotator.clone(),
            session_id: format!("{seed:016x}"),
            source: source.join(" "),
        },
        settings: options.settings.clone(),
        seed,
    };
    let read_events = || {
        let store = SqliteStore::at(&options.db);
        let events = store.events_since(0).map_err(|error| error.to_string())?;
        // Loading happens once, so nothing is there yet.
        let _ = loaded.set(KnownLog::of(&events));
        Ok(events)
    };
    let session = caught(|| {
        load_session(
            &input,
            read_events,
            Box::new(now_ms),
            stop,
            &mut |message| post(message),
        )
    });
    match session {
        Ok(session) => post(Message::Loaded(Box::new(session))),
        Err(reason) => post(Message::LoadFailed(reason)),
    }
}

fn run_open(requests: &Receiver<(Arc<LoadedSet>, usize)>, post: &Post) {
    while let Ok(mut request) = requests.recv() {
        while let Ok(newer) = requests.try_recv() {
            request = newer;
        }
        let (set, group) = request;
        let result = caught(|| open_group(&set, group)).and_then(|result| result);
        post(Message::GroupOpened { group, result });
    }
}

fn run_colour(requests: &Receiver<ColourRequest>, post: &Post) {
    let highlighter = Highlighter::default();
    let mut waiting = Vec::new();
    while let Ok(request) = requests.recv() {
        waiting.push(request);
        loop {
            waiting.extend(requests.try_iter());
            // What was asked for last is on screen now.
            let Some(ColourRequest {
                group,
                trajectory,
                file,
                patch,
            }) = waiting.pop()
            else {
                break;
            };
            let colours =
                caught(|| highlighter.highlight_file(&patch, file)).unwrap_or_else(|reason| {
                    FileColours {
                        plain: Some(reason),
                        ..FileColours::default()
                    }
                });
            let colours = Arc::new(colours);
            post(Message::Highlighted {
                group,
                trajectory,
                file,
                colours,
            });
        }
    }
}

/// What this run of the program knows of the log.
#[derive(Debug, Clone, Default)]
pub struct KnownLog {
    /// Last known sequence number by store.
    ends: BTreeMap<String, u64>,
    /// Ids of the events this run stored.
    own: HashSet<String>,
}

impl KnownLog {
    /// Knows these events, a whole log.
    #[must_use]
    pub fn of(log: &[Event]) -> Self {
        let mut known = Self::default();
        known.extend(log);
        known
    }

    fn extend(&mut self, events: &[Event]) {
        for event in events {
            let end = self.ends.entry(event.store_id.clone()).or_default();
            *end = event.seq.max(*end);
        }
    }

    fn end(&self, store_id: &str) -> u64 {
        self.ends.get(store_id).copied().unwrap_or(0)
    }
}

/// Stores events and answers what the interface is to be told: also when somebody else wrote since
/// the log was last looked at.
pub fn store_events(
    store: &mut dyn EventStore,
    known: &mut KnownLog,
    events: &[NewEvent],
) -> Vec<Message> {
    let stored = match store.append(events) {
        Ok(stored) => stored,
        Err(error) => return vec![Message::SaveFailed(error.to_string())],
    };
    known
        .own
        .extend(events.iter().map(|event| event.event_id.clone()));
    let follows = stored
        .first()
        .is_none_or(|first| first.seq == known.end(&first.store_id) + 1);
    if follows {
        known.extend(&stored);
        return vec![Message::Saved];
    }
    // A log that cannot be read now is read after the next save: what is known stays as it was.
    let Ok(log) = store.events_since(0) else {
        return vec![Message::Saved];
    };
    let foreign = log.iter().any(|event| {
        event.group_id.is_some()
            && event.seq > known.end(&event.store_id)
            && !known.own.contains(&event.event_id)
    });
    known.extend(&log);
    if foreign {
        vec![Message::Saved, Message::LogChanged(log)]
    } else {
        vec![Message::Saved]
    }
}

fn run_store(
    requests: &Receiver<StoreRequest>,
    mut store: impl EventStore,
    loaded: &OnceLock<KnownLog>,
    post: &Post,
) {
    let mut known = None;
    let mut failed_in = None;
    while let Ok(StoreRequest { epoch, events }) = requests.recv() {
        if failed_in == Some(epoch) {
            // The interface keeps these with the failed ones and sends them again in order.
            continue;
        }
        // There is nothing to save before the log is read; a log that could not be is all new.
        let known = known.get_or_insert_with(|| loaded.get().cloned().unwrap_or_default());
        let answers = caught(|| store_events(&mut store, known, &events))
            .unwrap_or_else(|reason| vec![Message::SaveFailed(reason)]);
        for answer in answers {
            if matches!(answer, Message::SaveFailed(_)) {
                failed_in = Some(epoch);
            }
            post(answer);
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
}

/// Runs work and turns a panic into one sentence.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|panic| format!("a bug in gagar stopped this work: {}", panic_text(&*panic)))
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

fn gone(name: &str) -> String {
    format!("the {name} thread is gone")
}

#[expect(
    clippy::disallowed_methods,
    reason = "the clock that is passed on from here"
)]
fn now_ms() -> i64 {
    // A clock before 1970 gives 0: order never depends on it.
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::store::{EventBody, StoreError};

    struct Flaky(Vec<bool>);

    impl EventStore for Flaky {
        fn append(&mut self, _: &[NewEvent]) -> Result<Vec<Event>, StoreError> {
            if self.0.remove(0) {
                Ok(Vec::new())
            } else {
                let (path, reason) = ("db".to_owned(), "disk full".to_owned());
                Err(StoreError::Unusable { path, reason })
            }
        }

        fn events_since(&self, _: u64) -> Result<Vec<Event>, StoreError> {
            Ok(Vec::new())
        }
    }

    fn event(id: &str) -> NewEvent {
        NewEvent {
            event_id: id.to_owned(),
            at_ms: 0,
            annotator: "a".to_owned(),
            session_id: "s".to_owned(),
            group: None,
            body: EventBody::Undo {
                event_id: String::new(),
            },
        }
    }

    #[test]
    fn nothing_is_stored_past_a_failure_until_it_is_known() {
        let (save, saves) = channel();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let post: Post = {
            let seen = seen.clone();
            Arc::new(move |message| seen.lock().unwrap().push(matches!(message, Message::Saved)))
        };
        for (epoch, id) in [(0, "a"), (0, "b"), (0, "c"), (1, "d")] {
            save.send(StoreRequest {
                epoch,
                events: vec![event(id)],
            })
            .unwrap();
        }
        drop(save);
        run_store(
            &saves,
            Flaky(vec![true, false, true]),
            &OnceLock::new(),
            &post,
        );
        assert_eq!(*seen.lock().unwrap(), [true, false, true]);
    }

    #[test]
    fn a_panic_becomes_a_sentence() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let caught = caught(|| panic!("oh"));
        std::panic::set_hook(hook);
        assert_eq!(
            caught,
            Err::<(), _>("a bug in gagar stopped this work: oh".to_owned())
        );
    }
}
