//! The thread that colours code: what was asked for last comes first, what nobody waits for any more
//! is dropped and said to be.
//!
//! What is *not* here: how a line is coloured ([`super::highlight`]).

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::highlight::{ColourUnit, FileColours, Highlighter};
use super::message::Message;
use super::workers::{Post, caught};
use crate::diff::{BaseText, Patch};

/// Whose lines are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColourOf {
    /// A candidate's patch; `None` = the reference patch.
    Patch(Option<usize>),
    /// What turns the first result into the second one's; `None` = that of the reference patch.
    Interdiff(Option<usize>, Option<usize>),
}

/// Requests that wait; older ones are dropped.
const WAITING: usize = 64;

/// Units of a file that are to be coloured.
#[derive(Debug, Clone)]
pub(super) struct ColourRequest {
    pub(super) group: usize,
    /// Whose lines.
    pub(super) of: ColourOf,
    /// 0-based file of the patch.
    pub(super) file: usize,
    pub(super) patch: Arc<Patch>,
    /// The known base text of the file.
    pub(super) base: Option<Arc<BaseText>>,
    /// In the order in which they are wanted.
    pub(super) units: Vec<ColourUnit>,
    /// So many of the first units are on screen; the others may be soon.
    pub(super) urgent: usize,
}

impl ColourRequest {
    /// Splits off what is not on screen.
    fn later(&mut self) -> Option<Self> {
        let units = self.units.split_off(self.urgent.min(self.units.len()));
        (!units.is_empty()).then(|| Self {
            units,
            urgent: 0,
            ..self.clone()
        })
    }

    fn answer(&self, units: Vec<ColourUnit>, colours: Option<FileColours>) -> Message {
        Message::Highlighted {
            group: self.group,
            of: self.of,
            file: self.file,
            units,
            colours,
        }
    }
}

/// The requests that wait: on screen first, the newest first.
#[derive(Debug, Default)]
struct Queue {
    /// The last one is taken next.
    waiting: VecDeque<ColourRequest>,
}

impl Queue {
    /// Takes requests in; answers those that nobody waits for any more.
    fn take_in(&mut self, requests: impl IntoIterator<Item = ColourRequest>) -> Vec<ColourRequest> {
        let mut dropped = Vec::new();
        for mut request in requests {
            let group = request.group;
            let (kept, stale) = std::mem::take(&mut self.waiting)
                .into_iter()
                .partition(|waiting| waiting.group == group);
            self.waiting = kept;
            let stale: VecDeque<ColourRequest> = stale;
            dropped.extend(stale);
            if let Some(later) = request.later() {
                self.waiting.push_front(later);
            }
            if !request.units.is_empty() {
                self.waiting.push_back(request);
            }
        }
        while self.waiting.len() > WAITING {
            dropped.extend(self.waiting.pop_front());
        }
        dropped
    }
}

/// Colours until nobody can ask any more.
pub(super) fn run(requests: &Receiver<ColourRequest>, post: &Post) {
    let mut highlighter = Highlighter::default();
    // While the first frame is drawn.
    highlighter.load();
    let mut queue = Queue::default();
    loop {
        let mut arrived: Vec<ColourRequest> = requests.try_iter().collect();
        if arrived.is_empty() && queue.waiting.is_empty() {
            match requests.recv() {
                Ok(request) => arrived.push(request),
                Err(_) => return,
            }
        }
        for dropped in queue.take_in(arrived) {
            let units = dropped.units.clone();
            post(dropped.answer(units, None));
        }
        let Some(mut request) = queue.waiting.pop_back() else {
            continue;
        };
        let mut newer = Vec::new();
        let mut stop = || {
            newer.extend(requests.try_iter());
            !newer.is_empty()
        };
        let base = request.base.as_ref();
        let result = caught(|| {
            highlighter.colour(
                &request.patch,
                request.file,
                base,
                &request.units,
                &mut stop,
            )
        });
        let colours = result.unwrap_or_else(|reason| {
            // What it kept may be half done.
            highlighter = Highlighter::default();
            FileColours::plain(Some(reason))
        });
        let units = std::mem::take(&mut request.units);
        let (done, left) = units
            .into_iter()
            .partition(|unit| colours.has(*unit, false));
        let done: Vec<ColourUnit> = done;
        if !done.is_empty() {
            post(request.answer(done, Some(colours)));
        }
        request.units = left;
        if !request.units.is_empty() {
            queue.waiting.push_back(request);
        }
        for dropped in queue.take_in(newer) {
            let units = dropped.units.clone();
            post(dropped.answer(units, None));
        }
    }
}
