//! The thread that reads files, and reads on while they grow.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::storing::KnownLog;
use super::{Post, caught};
use crate::formats::{LoadOptions, Loader, Watch};
use crate::review::{Identity, ReviewSession, Settings};
use crate::store::{Event, EventStore, SqliteStore};
use crate::tui::feed::{Begin, Feed};
use crate::tui::loading::Follow;
use crate::tui::message::Message;
use crate::tui::settings::TuiOptions;

/// Time between two looks for changes where notices of changes come.
pub(super) const LOOK_HEARING: Duration = Duration::from_secs(10);

/// The same where none come.
pub(super) const LOOK_DEAF: Duration = Duration::from_secs(2);

/// Looking may take one part in this many of the time.
pub(super) const LOOK_SHARE: u32 = 20;

/// Changes further apart are told apart.
pub(super) const BURST_PAUSE: Duration = Duration::from_secs(60);

/// A writer that is silent for so long may be done.
pub(super) const QUIET: Duration = Duration::from_millis(200);

/// Why the loading thread wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wake {
    /// There is a notice of a change.
    Changed,
    /// Somebody wants it to go on, or to look.
    GoOn,
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

pub(super) fn run_load(
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
pub(super) fn keep_up(
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
pub(super) struct Burst {
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
pub(super) fn wait_for_quiet(wakes: &Receiver<Wake>) {
    let start = Instant::now();
    while start.elapsed() < QUIET * 5 && wakes.recv_timeout(QUIET).is_ok() {}
}

#[expect(
    clippy::disallowed_methods,
    reason = "the clock that is passed on from here"
)]
pub(super) fn now_ms() -> i64 {
    // A clock before 1970 gives 0: order never depends on it.
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
