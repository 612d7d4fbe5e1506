//! Work beside the interface: loading, opening texts, colouring, storing.
//!
//! One thread each, so that none waits for another; answers are [`Message`]s. A worker that panics
//! answers with an error instead of dying silently.

use std::any::Any;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::auditing::{self, Audit, AuditRequest};
use super::colouring::{self, ColourOf, ColourRequest};
use super::feed::{Begin, Feed};
use super::loading::Follow;
use super::message::Message;
use super::model::{Model, OnBase, OpenedGroup};
use super::patch_file::{self, SaveError};
use super::query::Query;
use super::screens::compare::{PatchNotes, search_patches};
use super::screens::remarks::Spotted;
use super::screens::schedules;
use super::screens::steps::SearchRequest;
use super::settings::TuiOptions;
use super::update::OPENED_KEPT;
use crate::base::{BaseRepos, base_paths, bases_of};
use crate::diff::{
    Aligned, BaseText, CandidatePatch, Consensus, Interdiff, Patch, Results, interdiff, moves,
};
use crate::domain::Outcome;
use crate::domain::scope::Remark;
use crate::formats::{LoadOptions, LoadedSet, Loader, Problem, Watch};
use crate::review::spotting;
use crate::review::{Identity, ReviewSession, Settings, Snapshot};
use crate::scope::{Input, Rules, remarks};
use crate::store::{Event, EventBody, EventStore, NewEvent, SqliteStore, StoreError};

/// Time between two looks for changes where notices of changes come.
const LOOK_HEARING: Duration = Duration::from_secs(10);
/// The same where none come.
const LOOK_DEAF: Duration = Duration::from_secs(2);
/// Looking may take one part in this many of the time.
const LOOK_SHARE: u32 = 20;
/// Changes further apart are told apart.
const BURST_PAUSE: Duration = Duration::from_secs(60);
/// A writer that is silent for so long may be done.
const QUIET: Duration = Duration::from_millis(200);

/// Time between two looks for what other processes stored.
const LOOK_STORE: Duration = Duration::from_millis(400);
/// The same while the store cannot be read.
const LOOK_FAILING: Duration = Duration::from_secs(10);
/// Time after a failed save until it is tried again.
const RETRY: Duration = Duration::from_secs(3);
/// Time between two answers while the rules are asked about many groups.
const SPOT_PAUSE: Duration = Duration::from_millis(100);

/// Patches of so many bytes are laid on their base within a frame.
const QUICK_BYTES: usize = 256 << 10;

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

/// Why the loading thread wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wake {
    /// There is a notice of a change.
    Changed,
    /// Somebody wants it to go on, or to look.
    GoOn,
}

struct GroupSearch {
    opened: Arc<OpenedGroup>,
    query: Query,
}

/// The opened group and the two results; `None` is the reference patch.
type InterdiffRequest = (Arc<OpenedGroup>, Option<usize>, Option<usize>);

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

/// Reads files for a review: the session begins with the first state of the set, and with the
/// judgements stored. A store that cannot be read is reported, and reviewing goes on without it.
#[must_use]
pub fn feed(
    input: LoadInput,
    follow: bool,
    read_events: impl FnOnce() -> Result<Vec<Event>, String> + Send + 'static,
    clock: Box<dyn Fn() -> i64 + Send>,
) -> Feed {
    let loader = Loader::new(&input.paths, &input.load, follow);
    let settings = input.settings.clone();
    let begin: Begin = Box::new(move |set, report| {
        let events = read_events().unwrap_or_else(|reason| {
            report(Message::StoreUnreadable(reason));
            Vec::new()
        });
        ReviewSession::new(
            set,
            &events,
            input.identity,
            input.settings,
            input.seed,
            clock,
        )
    });
    Feed::new(loader, settings, begin)
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
/// The file that cannot be read, or that changed since it was read.
pub fn open_group(set: &LoadedSet, group: usize) -> Result<Arc<OpenedGroup>, Problem> {
    let content = set.open(group)?;
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
    Ok(Arc::new(OpenedGroup::new(
        group, content, patches, reference,
    )))
}

/// Lays the patches of an opened group on their base.
#[must_use]
pub fn on_base(set: &LoadedSet, opened: &OpenedGroup, repos: &BaseRepos) -> OnBase {
    let group = set.groups.get(opened.group);
    let patches = || opened.patches.iter().chain(&opened.reference);
    let (bases, problems) = match group {
        Some(group) => {
            let paths = base_paths(patches().map(Arc::as_ref));
            bases_of(&group.task, &opened.content, repos, paths)
        }
        None => Default::default(),
    };
    let passes = |index: usize| {
        let trajectory = group.and_then(|group| group.trajectories.get(index));
        trajectory.is_some_and(|trajectory| trajectory.outcome == Outcome::Pass)
    };
    let candidates: Vec<_> = patches()
        .enumerate()
        .map(|(index, patch)| CandidatePatch {
            patch: Arc::clone(patch),
            passing: passes(index),
        })
        .collect();
    let aligned = Aligned::of(&candidates, &bases);
    let results = Results::of(&aligned);
    let notes = patches().enumerate();
    OnBase {
        notes: notes
            .map(|(index, patch)| Arc::new(PatchNotes::of(patch, index, &aligned)))
            .collect(),
        consensus: Consensus::of(&aligned, &results).or_failing(
            &aligned,
            &results,
            opened.patches.len(),
        ),
        moves: patches().map(|patch| moves(patch)).collect(),
        results,
        aligned: Arc::new(aligned),
        bases: Arc::new(bases),
        problems,
    }
}

/// Whether the patches of a group are on their base so soon that nobody need see them without it.
fn is_quick(opened: &OpenedGroup, repos: &BaseRepos) -> bool {
    let bytes = opened.patches.iter().map(|patch| patch.text.len());
    repos.is_empty() && bytes.sum::<usize>() <= QUICK_BYTES
}

/// The patch of a candidate, or the reference patch (`None`), of an opened group.
#[must_use]
pub fn patch_of(opened: &OpenedGroup, trajectory: Option<usize>) -> Option<&Arc<Patch>> {
    match trajectory {
        Some(index) => opened.patches.get(index),
        None => opened.reference.as_ref(),
    }
}

/// The known base text of a file (0-based) of a patch.
#[must_use]
pub fn base_of<'a>(
    opened: &'a OpenedGroup,
    patch: &Patch,
    file: usize,
) -> Option<&'a Arc<BaseText>> {
    let path = patch.files.get(file)?.old_path.as_deref()?;
    opened.bases()?.get(path)
}

/// The patch that is to be coloured, and the known base text of one of its files (0-based); `None`
/// when it is not there any more.
#[must_use]
pub fn to_colour(
    model: &Model,
    group: usize,
    of: ColourOf,
    file: usize,
) -> Option<(Arc<Patch>, Option<Arc<BaseText>>)> {
    let opened = model.opened(group)?;
    match of {
        ColourOf::Patch(trajectory) => {
            let patch = patch_of(opened, trajectory)?;
            Some((Arc::clone(patch), base_of(opened, patch, file).cloned()))
        }
        // Its lines are those of results, which are not the base.
        ColourOf::Interdiff(from, to) => {
            let found = model.compare.interdiffs.get(&(group, from, to))?;
            Some((Arc::clone(&found.patch), None))
        }
    }
}

fn run_load(
    options: &TuiOptions,
    stop: &AtomicBool,
    loaded: &Arc<OnceLock<KnownLog>>,
    (wake, wakes): (&Sender<Wake>, &Receiver<Wake>),
    post: &Post,
) {
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
            blind: options.blind.clone(),
        },
        settings: options.settings.clone(),
        seed,
    };
    let db = options.db.clone();
    let known = Arc::clone(loaded);
    let (annotator, tell) = (options.annotator.clone(), post.clone());
    let read_events = move || {
        let store = SqliteStore::at(&db);
        if let Some(network) = store.network() {
            let name = db.display();
            tell(Message::StoreNote(format!(
                "{name} lies on a network file system ({network}): better a file of your own, \
                 and `gagar merge`"
            )));
        }
        let events = store.events_since(0).map_err(|error| error.to_string())?;
        // The session begins once, so nothing is there yet.
        let _ = known.set(KnownLog::of(&events).for_annotator(&annotator));
        Ok(events)
    };
    let mut report = |message| post(message);
    let work = caught(|| {
        // Notices of what is written while the files are read are not missed.
        let watch = options.follow.then(|| {
            let wake = wake.clone();
            Watch::start(&options.paths, move || {
                // Nobody waits any more when the program ends.
                let _ = wake.send(Wake::Changed);
            })
        });
        let mut feed = feed(input, options.follow, read_events, Box::new(now_ms));
        feed.read(&|| stop.load(Ordering::Relaxed), &mut report);
        let hears = watch.as_ref().is_some_and(Option::is_some);
        keep_up(&mut feed, options.follow, hears, wakes, stop, &mut report);
    });
    if let Err(reason) = work {
        post(Message::LoadFailed(reason));
    }
}

/// Looks for changes when there is a notice, and from time to time without one: network file systems
/// send none.
fn keep_up(
    feed: &mut Feed,
    follow: bool,
    mut hears: bool,
    wakes: &Receiver<Wake>,
    stop: &AtomicBool,
    report: &mut dyn FnMut(Message),
) {
    let mut burst: Option<Burst> = None;
    let mut took = Duration::ZERO;
    loop {
        let every = if hears { LOOK_HEARING } else { LOOK_DEAF };
        let wake = if follow {
            wakes.recv_timeout(every.max(took * LOOK_SHARE))
        } else {
            wakes.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match wake {
            Err(RecvTimeoutError::Disconnected) => return,
            Ok(Wake::GoOn) if !feed.is_complete() => {
                stop.store(false, Ordering::Relaxed);
                feed.read(&|| stop.load(Ordering::Relaxed), report);
                continue;
            }
            // What was stopped stays as it is.
            _ if !feed.is_complete() => continue,
            Ok(Wake::Changed) if !follow => continue,
            Ok(Wake::Changed) => wait_for_quiet(wakes),
            Ok(Wake::GoOn) | Err(RecvTimeoutError::Timeout) => {}
        }
        let start = Instant::now();
        let changes = feed.look_again(report);
        took = start.elapsed();
        match (&changes, &wake) {
            (None, Ok(Wake::GoOn)) => feed.tell_again(report),
            // A change of which there was no notice: this file system sends none.
            (Some(_), Err(_)) => hears = false,
            _ => {}
        }
        if let Some(changes) = changes.filter(|changes| changes.replaced > 0 && changes.groups > 0)
        {
            report(Message::Rewritten(changes.groups));
        }
        if let Some(changes) = changes.filter(|changes| changes.files > 0 || changes.rollouts != 0)
        {
            burst = Some(Burst::after(burst, changes.rollouts, Instant::now()));
        }
        if follow {
            let now = Instant::now();
            let told = burst.map_or_else(Follow::default, |burst| burst.seen_at(now));
            report(Message::Followed(told));
        }
    }
}

/// Changes of which each came soon after the one before: rollouts that arrive one by one are told
/// together.
#[derive(Debug, Clone, Copy)]
struct Burst {
    rollouts: i64,
    first: Instant,
    last: Instant,
}

impl Burst {
    /// What a change at `now` makes of the burst before.
    fn after(before: Option<Self>, rollouts: i64, now: Instant) -> Self {
        let open = before.filter(|before| now.duration_since(before.last) <= BURST_PAUSE);
        Self {
            rollouts: open.map_or(0, |open| open.rollouts) + rollouts,
            first: open.map_or(now, |open| open.first),
            last: now,
        }
    }

    /// What is told of it at `now`.
    fn seen_at(self, now: Instant) -> Follow {
        Follow {
            rollouts: self.rollouts,
            over: self.last.duration_since(self.first),
            ago: Some(now.duration_since(self.last)),
        }
    }
}

/// Waits until no notice comes for a moment, but not for ever.
fn wait_for_quiet(wakes: &Receiver<Wake>) {
    let start = Instant::now();
    while start.elapsed() < QUIET * 5 && wakes.recv_timeout(QUIET).is_ok() {}
}

fn run_open(
    requests: &Receiver<(Arc<LoadedSet>, usize)>,
    (repos, rules): (&BaseRepos, &Rules),
    wake: &Sender<Wake>,
    post: &Post,
) {
    let mut waiting: VecDeque<(Arc<LoadedSet>, Arc<OpenedGroup>)> = VecDeque::new();
    loop {
        let request = match waiting.is_empty() {
            true => requests.recv().ok(),
            false => requests.try_iter().last(),
        };
        match (request, waiting.pop_back()) {
            (None, None) => return,
            // Texts come before what is made of them.
            (Some(request), last) => {
                waiting.extend(last);
                let (set, group) = requests.try_iter().last().unwrap_or(request);
                let opened = open_one(&set, group, repos, wake, post);
                waiting.extend(opened.map(|opened| (set, opened)));
                // The interface has let go of older ones.
                while waiting.len() > OPENED_KEPT {
                    waiting.pop_front();
                }
            }
            (None, Some((set, opened))) => {
                // Without an answer the patches stay as each is on its own.
                if opened.on_base().is_some() {
                    look_for_remarks(&set, opened, rules, post);
                } else if let Ok(on_base) = caught(|| on_base(&set, &opened, repos)) {
                    let aligned = Arc::clone(&opened);
                    post(Message::GroupAligned { opened, on_base });
                    // What the rules compare stands on the base, which the interface takes over.
                    waiting.push_back((set, aligned));
                }
            }
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

/// Asks the rules about a group that lies on its base.
fn look_for_remarks(set: &LoadedSet, opened: Arc<OpenedGroup>, rules: &Rules, post: &Post) {
    // Without an answer there is no remark.
    if let Ok(remarks) = caught(|| remarks_of(set, &opened, rules)) {
        post(Message::GroupRemarked { opened, remarks });
    }
}

/// What the out-of-scope rules say of an opened group whose patches are on their base; nothing of one
/// whose are not. Opens other groups of the repository where configuration is changed.
#[must_use]
pub fn remarks_of(set: &LoadedSet, opened: &OpenedGroup, rules: &Rules) -> Vec<Remark> {
    let Some((group, on_base)) = set.groups.get(opened.group).zip(opened.on_base()) else {
        return Vec::new();
    };
    let elsewhere = spotting::elsewhere(set, opened.group, &opened.patches, rules);
    let input = Input {
        group,
        patches: &opened.patches,
        on_base: Some((&on_base.aligned, &on_base.results)),
        reference: opened.reference.as_deref(),
        issue: opened.content.task.text.as_deref(),
        elsewhere: elsewhere.as_ref().map(|known| (known, opened.group)),
    };
    remarks(&input, rules)
}

/// Opens one group; answers it when its patches are still to be laid on their base or looked at.
fn open_one(
    set: &Arc<LoadedSet>,
    group: usize,
    repos: &BaseRepos,
    wake: &Sender<Wake>,
    post: &Post,
) -> Option<Arc<OpenedGroup>> {
    let opened = caught(|| {
        let opened = open_group(set, group)?;
        if is_quick(&opened, repos) {
            opened.put_on_base(on_base(set, &opened, repos));
        }
        Ok(opened)
    });
    match opened {
        Ok(Err(problem)) if Problem::is_changed_file(&problem) => {
            // What stands in it now is read; then the interface asks again.
            let _ = wake.send(Wake::GoOn);
            let reason = problem.to_string();
            post(Message::GroupChanged { group, reason });
            None
        }
        result => {
            let result = result.and_then(|result| result.map_err(|error| error.to_string()));
            let later = result.as_ref().ok().cloned();
            post(Message::GroupOpened { group, result });
            later
        }
    }
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

/// What this run of the program knows of the log.
#[derive(Debug, Clone, Default)]
pub struct KnownLog {
    /// Last known sequence number by store.
    ends: BTreeMap<String, u64>,
    /// Ids of the events this run stored.
    own: HashSet<String>,
    /// Whose judgements this run makes; `None` = somebody's.
    annotator: Option<String>,
}

impl KnownLog {
    /// Knows these events, a whole log.
    #[must_use]
    pub fn of(log: &[Event]) -> Self {
        let mut known = Self::default();
        known.extend(log);
        known
    }

    /// The same, for a run that judges for this annotator only.
    #[must_use]
    pub fn for_annotator(mut self, annotator: &str) -> Self {
        self.annotator = Some(annotator.to_owned());
        self
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

    /// Whether folding these events on top gives what folding the whole log would: they are others',
    /// of the one store there is, and change nothing that is shared.
    fn is_continued_by(&self, foreign: &[Event]) -> bool {
        let one_store = |event: &Event| self.ends.keys().all(|store| *store == event.store_id);
        foreign.iter().all(|event| {
            one_store(event)
                && self
                    .annotator
                    .as_ref()
                    .is_some_and(|own| *own != event.annotator)
                && !matches!(event.body, EventBody::GoldSet { .. })
        }) && foreign
            .windows(2)
            .all(|pair| pair[0].store_id == pair[1].store_id)
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
    let foreign = read_foreign(store, known).unwrap_or_default();
    [Message::Saved].into_iter().chain(foreign).collect()
}

/// Answers what the interface is to be told of what somebody else wrote since the log was last
/// looked at. Costs next to nothing when nobody did.
///
/// # Errors
/// When the store cannot be read.
pub fn look(
    store: &mut dyn EventStore,
    known: &mut KnownLog,
) -> Result<Option<Message>, StoreError> {
    match store.is_changed_elsewhere()? {
        true => read_foreign(store, known),
        false => Ok(None),
    }
}

fn read_foreign(
    store: &mut dyn EventStore,
    known: &mut KnownLog,
) -> Result<Option<Message>, StoreError> {
    let new = store.events_beyond(&known.ends)?;
    let is_foreign = |event: &&Event| !known.own.contains(&event.event_id);
    let foreign: Vec<Event> = new.iter().filter(is_foreign).cloned().collect();
    let message = if !foreign.iter().any(|event| event.group_id.is_some()) {
        None
    } else if known.is_continued_by(&foreign) {
        Some(Message::LogChanged {
            whole: None,
            foreign,
        })
    } else {
        Some(Message::LogChanged {
            whole: Some(store.events_since(0)?),
            foreign,
        })
    };
    known.extend(&new);
    Ok(message)
}

/// Stores what is handed over, tries again after a failure, and looks for what others write.
fn run_store(
    requests: &Receiver<StoreRequest>,
    mut store: impl EventStore,
    (loaded, begun): (&OnceLock<KnownLog>, &AtomicBool),
    post: &Post,
) {
    let mut known = None;
    let mut failed_in = None;
    let mut failed_at: Option<Instant> = None;
    let mut next_look = Instant::now() + LOOK_STORE;
    loop {
        match requests.recv_timeout(LOOK_STORE) {
            // The interface keeps these with the failed ones and sends them again in order.
            Ok(StoreRequest { epoch, .. }) if failed_in == Some(epoch) => {}
            Ok(StoreRequest { events, epoch }) => {
                // There is nothing to save before the log is read; a log that could not be is all
                // new.
                let known = known.get_or_insert_with(|| loaded.get().cloned().unwrap_or_default());
                let answers = caught(|| store_events(&mut store, known, &events))
                    .unwrap_or_else(|reason| vec![Message::SaveFailed(reason)]);
                for answer in answers {
                    if matches!(answer, Message::SaveFailed(_)) {
                        failed_in = Some(epoch);
                        failed_at = Some(Instant::now());
                    }
                    post(answer);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if failed_at.is_some_and(|at| at.elapsed() >= RETRY) {
            failed_at = None;
            post(Message::RetryDue);
        }
        // A session that has not begun would not hear of it.
        if Instant::now() < next_look || !begun.load(Ordering::Acquire) {
            continue;
        }
        next_look = Instant::now() + LOOK_STORE;
        if known.is_none() {
            known = loaded.get().cloned();
        }
        let Some(known) = known.as_mut() else {
            continue;
        };
        match caught(|| look(&mut store, known)) {
            Ok(Ok(Some(message))) => post(message),
            Ok(Ok(None)) => {}
            // What is wrong with the file is told when something is to be stored in it.
            Ok(Err(_)) | Err(_) => next_look = Instant::now() + LOOK_FAILING,
        }
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
            (&OnceLock::new(), &AtomicBool::new(false)),
            &post,
        );
        assert_eq!(*seen.lock().unwrap(), [true, false, true]);
    }

    #[test]
    fn rollouts_that_come_one_by_one_are_told_together() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut burst = None;
        for seconds in [0, 10, 40] {
            burst = Some(Burst::after(burst, 2, at(seconds)));
        }
        let told = burst.unwrap().seen_at(at(42));
        assert_eq!((told.rollouts, told.over.as_secs()), (6, 40));
        assert_eq!(told.ago, Some(Duration::from_secs(2)));
        let later = Burst::after(burst, 1, at(200)).seen_at(at(200));
        assert_eq!((later.rollouts, later.over), (1, Duration::ZERO));
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
