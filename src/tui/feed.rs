//! From a loader to the interface: states of the set, with the rows of the list already computed.
//!
//! What is *not* here: threads and waiting (`workers`), and what the model makes of a state.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::message::Message;
use crate::formats::{Changes, LoadedSet, Loader, News};
use crate::review::{BlindPlan, Identity, ReviewSession, Settings};

/// Time between two messages on the progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// Begins the review with the first state of the set.
pub type Begin = Box<dyn FnOnce(Arc<LoadedSet>, &mut dyn FnMut(Message)) -> ReviewSession + Send>;

/// Hands what a loader tells to the interface.
pub struct Feed {
    loader: Loader,
    told: Told,
}

/// What was told so far.
struct Told {
    begin: Option<Begin>,
    settings: Settings,
    last: Arc<LoadedSet>,
    /// A session without judgements, in which the rows of later states are computed.
    ahead: Option<ReviewSession>,
}

impl Feed {
    /// Hands over what this loader tells; `begin` makes the session of the first state, with these
    /// settings.
    #[must_use]
    pub fn new(loader: Loader, settings: Settings, begin: Begin) -> Self {
        let told = Told {
            begin: Some(begin),
            settings,
            last: Arc::default(),
            ahead: None,
        };
        Self { loader, told }
    }

    /// Whether everything that was listed is read.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.loader.is_complete()
    }

    /// Reads what is not read yet. `report` gets the messages; reading ends early, to be gone on
    /// with by the next call, when `is_stopped` says so.
    pub fn read(&mut self, is_stopped: &dyn Fn() -> bool, report: &mut dyn FnMut(Message)) {
        let Self { loader, told } = self;
        let mut pace = Pace::default();
        let complete = loader.read(&mut |news| {
            told.take(news, &mut pace, report);
            !is_stopped()
        });
        report(Message::LoadEnded { complete });
    }

    /// Looks for changes and reads what is new; `None` when nothing is.
    pub fn look_again(&mut self, report: &mut dyn FnMut(Message)) -> Option<Changes> {
        let Self { loader, told } = self;
        let mut pace = Pace::default();
        loader.look_again(&mut |news| {
            told.take(news, &mut pace, report);
            true
        })
    }

    /// Hands over the last state once more.
    pub fn tell_again(&mut self, report: &mut dyn FnMut(Message)) {
        self.told.tell(Arc::clone(&self.told.last), report);
    }
}

impl Told {
    fn take(&mut self, news: News, pace: &mut Pace, report: &mut dyn FnMut(Message)) {
        match news {
            News::Progress(progress) => {
                if let Some(elapsed) = pace.due() {
                    report(Message::Loading { progress, elapsed });
                }
            }
            News::Set(set) => self.tell(Arc::new(set), report),
        }
    }

    fn tell(&mut self, set: Arc<LoadedSet>, report: &mut dyn FnMut(Message)) {
        let before = std::mem::replace(&mut self.last, Arc::clone(&set));
        if let Some(begin) = self.begin.take() {
            let session = begin(set, report);
            report(Message::Loaded(Box::new(session)));
            return;
        }
        let settings = &self.settings;
        let ahead = self
            .ahead
            .get_or_insert_with(|| without_judgements(before, settings.clone()));
        let prepared = ahead.prepare(Arc::clone(&set));
        report(Message::Snapshot {
            set,
            prepared: Some(Box::new(prepared)),
        });
    }
}

/// A session that only computes rows.
fn without_judgements(set: Arc<LoadedSet>, settings: Settings) -> ReviewSession {
    let nobody = Identity {
        annotator: String::new(),
        session_id: String::new(),
        source: String::new(),
        blind: BlindPlan::default(),
    };
    ReviewSession::new(set, &[], nobody, settings, 0, Box::new(|| 0))
}

/// When the next message on the progress is due.
struct Pace {
    start: Instant,
    last: Option<Instant>,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            last: None,
        }
    }
}

impl Pace {
    /// The time since the start, when a message is due.
    fn due(&mut self) -> Option<Duration> {
        if self
            .last
            .is_some_and(|last| last.elapsed() < PROGRESS_EVERY)
        {
            return None;
        }
        self.last = Some(Instant::now());
        Some(self.start.elapsed())
    }
}
