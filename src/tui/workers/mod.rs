//! Work beside the interface: loading, opening texts, colouring, storing.
//!
//! One thread each, so that none waits for another; answers are [`Message`]s. A worker that panics
//! answers with an error instead of dying silently.

mod opening;
mod reading;
mod storing;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::auditing::{self, Audit, AuditRequest};
use super::colouring::{self, ColourRequest};
use super::message::Message;
use super::model::OpenedGroup;
use super::patch_file::{self, SaveError};
use super::query::Query;
use super::screens::compare::search_patches;
use super::screens::remarks::Spotted;
use super::screens::schedules;
use super::screens::steps::SearchRequest;
use super::settings::TuiOptions;
use crate::diff::{Interdiff, interdiff};
use crate::formats::LoadedSet;
use crate::review::Snapshot;
use crate::review::spotting;
use crate::scope::Rules;
use crate::store::{NewEvent, SqliteStore};
use opening::run_open;
use reading::{Wake, run_load};
use storing::{StoreRequest, run_store};

pub use opening::{base_of, on_base, open_group, patch_of, remarks_of, to_colour};
pub use reading::{LoadInput, feed};
pub use storing::{KnownLog, look, store_events};

/// Time between two answers while the rules are asked about many groups.
const SPOT_PAUSE: Duration = Duration::from_millis(100);

/// How workers hand messages to the interface.
pub type Post = Arc<dyn Fn(Message) + Send + Sync>;

/// The worker threads.
pub struct Workers {
    post: Post,
    stop_loading: Arc<AtomicBool>,
    wake: Sender<Wake>,
    set: Option<Arc<LoadedSet>>,
    open: Sender<(Arc<LoadedSet>, usize)>,
    colour: Sender<ColourRequest>,
    interdiff: Sender<InterdiffRequest>,
    search: Sender<(u64, usize, SearchRequest)>,
    /// Number of the newest search; older ones are given up.
    newest_search: Arc<AtomicU64>,
    search_group: Sender<GroupSearch>,
    schemes: Sender<schedules::Request>,
    /// Number of the newest comparison of schemes; older ones are given up.
    newest_schemes: Arc<AtomicU64>,
    audit: Sender<AuditRequest>,
    /// Number of the newest request for figures; older ones are given up.
    newest_audit: Arc<AtomicU64>,
    /// Number of the newest request of remarks; 0 = none is wanted.
    newest_spot: Arc<AtomicU64>,
    store: Option<(Sender<StoreRequest>, JoinHandle<()>)>,
    /// Whether the session has begun, so that it can be told what others store.
    begun: Arc<AtomicBool>,
    /// Counts failed saves: what was queued before a failure is not stored after it.
    epoch: u64,
}

struct GroupSearch {
    opened: Arc<OpenedGroup>,
    query: Query,
}

/// The opened group and the two results; `None` is the reference patch.
type InterdiffRequest = (Arc<OpenedGroup>, Option<usize>, Option<usize>);

impl Workers {
    /// Starts the threads; loading begins at once.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn start(options: &TuiOptions, post: Post) -> std::io::Result<Self> {
        let stop_loading = Arc::new(AtomicBool::new(false));
        let (open, opens) = channel();
        let (colour, colours) = channel();
        let (interdiff, interdiffs) = channel();
        let (search, searches) = channel();
        let newest_search = Arc::new(AtomicU64::new(0));
        let (search_group, group_searches) = channel();
        let (schemes, scheme_requests) = channel();
        let newest_schemes = Arc::new(AtomicU64::new(0));
        let (audit, audits) = channel();
        let newest_audit = Arc::new(AtomicU64::new(0));
        let (save, saves) = channel();
        let loaded = Arc::new(OnceLock::new());
        let begun = Arc::new(AtomicBool::new(false));
        let (wake, wakes) = channel();
        spawn("load", {
            let (options, stop, post) = (options.clone(), stop_loading.clone(), post.clone());
            let (loaded, wake) = (Arc::clone(&loaded), wake.clone());
            move || run_load(&options, &stop, &loaded, (&wake, &wakes), &post)
        })?;
        spawn("open", {
            let (post, wake) = (post.clone(), wake.clone());
            let (repos, rules) = (options.base_repos.clone(), options.rules.clone());
            move || run_open(&opens, (&repos, &rules), &wake, &post)
        })?;
        spawn("colour", {
            let post = post.clone();
            move || colouring::run(&colours, &post)
        })?;
        spawn("interdiff", {
            let post = post.clone();
            move || run_interdiff(&interdiffs, &post)
        })?;
        spawn("search", {
            let (post, newest) = (post.clone(), Arc::clone(&newest_search));
            move || run_search(&searches, &newest, &post)
        })?;
        spawn("search group", {
            let post = post.clone();
            move || run_group_search(&group_searches, &post)
        })?;
        spawn("schemes", {
            let (post, newest) = (post.clone(), Arc::clone(&newest_schemes));
            move || run_schemes(&scheme_requests, &newest, &post)
        })?;
        spawn("audit", {
            let (post, newest) = (post.clone(), Arc::clone(&newest_audit));
            move || auditing::run(&audits, &newest, &post)
        })?;
        let storing = spawn("store", {
            let (post, store) = (post.clone(), SqliteStore::at(&options.db));
            let begun = Arc::clone(&begun);
            move || run_store(&saves, store, (&loaded, &begun), &post)
        })?;
        let store = Some((save, storing));
        Ok(Self {
            post,
            stop_loading,
            wake,
            set: None,
            open,
            colour,
            interdiff,
            search,
            newest_search,
            search_group,
            schemes,
            newest_schemes,
            audit,
            newest_audit,
            newest_spot: Arc::default(),
            store,
            begun,
            epoch: 0,
        })
    }

    /// Stops reading files; what was read stays.
    pub fn stop_loading(&self) {
        self.stop_loading.store(true, Ordering::Relaxed);
    }

    /// Goes on reading where it was stopped, else looks for files that changed.
    pub fn reload(&self) {
        // A thread that failed said so.
        let _ = self.wake.send(Wake::GoOn);
    }

    /// Tells the workers what was loaded.
    pub fn loaded(&mut self, set: Arc<LoadedSet>) {
        self.set = Some(set);
        self.begun.store(true, Ordering::Release);
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

    /// Asks for colours.
    pub(super) fn colour(&self, request: ColourRequest) {
        // Without an answer the file stays plain.
        let _ = self.colour.send(request);
    }

    /// Asks what turns one result of a group into another.
    pub fn interdiff(&self, opened: Arc<OpenedGroup>, from: Option<usize>, to: Option<usize>) {
        let group = opened.group;
        if self.interdiff.send((opened, from, to)).is_err() {
            (self.post)(Message::Interdiffed {
                group,
                from,
                to,
                result: Err(gone("interdiff")),
            });
        }
    }

    /// Asks the out-of-scope rules about groups, on a thread of its own and all cores; a newer request
    /// ends this one.
    pub fn spot(&self, number: u64, groups: Vec<usize>, rules: Arc<Rules>) {
        self.newest_spot.store(number, Ordering::Relaxed);
        let Some(set) = self.set.clone() else { return };
        let (post, newest) = (self.post.clone(), Arc::clone(&self.newest_spot));
        let work = move || run_spot(&set, (number, &groups), &rules, &newest, &post);
        // Without a thread the list says that the rules are being asked.
        let _ = spawn("spot", work);
    }

    /// Ends what is being asked of the out-of-scope rules.
    pub fn stop_spotting(&self) {
        self.newest_spot.store(0, Ordering::Relaxed);
    }

    /// Searches the steps of a trajectory of a group; a newer search ends this one.
    pub fn search(&self, group: usize, request: SearchRequest) {
        let number = self.newest_search.fetch_add(1, Ordering::Relaxed) + 1;
        // Without an answer nothing is found; the thread that failed said why.
        let _ = self.search.send((number, group, request));
    }

    /// Asks for the places of a group's patches that hold something; only the newest request is
    /// sure to be answered.
    pub fn search_group(&self, opened: Arc<OpenedGroup>, query: Query) {
        // Without an answer the list does not open; the thread's panics are caught inside.
        let _ = self.search_group.send(GroupSearch { opened, query });
    }

    /// Compares schemes; a newer comparison ends this one.
    pub fn compare_schemes(&self, request: schedules::Request) {
        let number = request.number;
        self.newest_schemes.store(number, Ordering::Relaxed);
        if self.schemes.send(request).is_err() {
            (self.post)(Message::SchemesCompared {
                number,
                result: Err(gone("schemes")),
            });
        }
    }

    /// Asks for figures over all groups; a newer request ends this one.
    pub fn audit(&self, revision: u64, audit: Audit, snapshot: Snapshot) {
        let number = self.newest_audit.fetch_add(1, Ordering::Relaxed) + 1;
        // Without an answer the screen says that it computes; the thread's panics are caught inside.
        let _ = self.audit.send(AuditRequest {
            number,
            revision,
            audit,
            snapshot,
        });
    }

    /// Saves a text to a file, on a thread of its own: the disk may be slow.
    pub fn save_file(&self, typed: String, text: Arc<str>, overwrite: bool) {
        let post = self.post.clone();
        let path = typed.clone();
        let work = move || post(save_file(typed, &text, overwrite));
        if let Err(error) = spawn("save", work) {
            let reason = error.to_string();
            (self.post)(Message::FileSaved {
                typed: path.clone(),
                result: Err(SaveError::Io { path, reason }),
            });
        }
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

/// Asks the rules about groups and hands over what they say ten times a second.
fn run_spot(
    set: &LoadedSet,
    (number, groups): (u64, &[usize]),
    rules: &Rules,
    newest: &AtomicU64,
    post: &Post,
) {
    let start = Instant::now();
    let is_newest = || newest.load(Ordering::Relaxed) == number;
    // What was found since the last time, how many groups are done, and when it was told last.
    let state = Mutex::new((Vec::new(), 0, start));
    let tell = |remarks| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.push(remarks);
        state.1 += 1;
        if state.2.elapsed() >= SPOT_PAUSE {
            state.2 = Instant::now();
            let spotted = Spotted {
                number,
                found: std::mem::take(&mut state.0),
                done: state.1,
                elapsed: start.elapsed(),
                ended: false,
            };
            post(Message::Spotted(spotted));
        }
        is_newest()
    };
    // What a group of odd data does to a rule ends the asking, not the program.
    let _ = caught(|| spotting::look(set, groups, rules, &tell));
    let (found, done, _) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    post(Message::Spotted(Spotted {
        number,
        found,
        done,
        elapsed: start.elapsed(),
        ended: true,
    }));
}

/// Saves a text to a file that a person named.
#[must_use]
pub fn save_file(typed: String, text: &str, overwrite: bool) -> Message {
    let home = std::env::home_dir();
    let saved = patch_file::save(&typed, text, overwrite, home.as_deref());
    let result = saved.map(|path| (path, text.len()));
    Message::FileSaved { typed, result }
}

fn run_group_search(requests: &Receiver<GroupSearch>, post: &Post) {
    while let Ok(mut request) = requests.recv() {
        while let Ok(newer) = requests.try_recv() {
            request = newer;
        }
        let GroupSearch { opened, query } = request;
        // A panic finds nothing, which is said.
        let found = caught(|| search_patches(&opened, &query)).unwrap_or_default();
        let group = opened.group;
        post(Message::GroupSearched {
            group,
            query,
            found,
        });
    }
}

/// What turns the result of `from` into that of `to` (`None` = the reference patch); `None` when one
/// of them is not there.
#[must_use]
pub fn interdiff_of(
    opened: &OpenedGroup,
    from: Option<usize>,
    to: Option<usize>,
) -> Option<Arc<Interdiff>> {
    let (a, b) = (patch_of(opened, from)?, patch_of(opened, to)?);
    let bases = opened.bases().cloned().unwrap_or_default();
    Some(Arc::new(interdiff(a, b, &bases)))
}

fn run_interdiff(requests: &Receiver<InterdiffRequest>, post: &Post) {
    while let Ok((opened, from, to)) = requests.recv() {
        let found = caught(|| interdiff_of(&opened, from, to));
        let result =
            found.and_then(|found| found.ok_or_else(|| "there is no such patch".to_owned()));
        post(Message::Interdiffed {
            group: opened.group,
            from,
            to,
            result,
        });
    }
}

fn run_search(requests: &Receiver<(u64, usize, SearchRequest)>, newest: &AtomicU64, post: &Post) {
    while let Ok((number, group, request)) = requests.recv() {
        let is_stale = || newest.load(Ordering::Relaxed) != number;
        let Ok(Some(hits)) = caught(|| request.run(&is_stale)) else {
            continue;
        };
        post(Message::StepsSearched {
            group,
            trajectory: request.trajectory,
            hits: Box::new(hits),
        });
    }
}

fn run_schemes(requests: &Receiver<schedules::Request>, newest: &AtomicU64, post: &Post) {
    while let Ok(request) = requests.recv() {
        let number = request.number;
        let is_stale = || newest.load(Ordering::Relaxed) != number;
        let mut progress = |done, all| post(Message::SchemesProgress { number, done, all });
        let result = match caught(|| request.run(&is_stale, &mut progress)) {
            Ok(Some(answer)) => Ok(Box::new(answer)),
            // A newer one is asked for.
            Ok(None) => continue,
            Err(reason) => Err(reason),
        };
        post(Message::SchemesCompared { number, result });
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
}

/// Runs work and turns a panic into one sentence.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
