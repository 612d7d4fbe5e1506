//! Colours of the files that are printed next, made by other threads while one prints.
//!
//! Threads take files in the order of the printing and wait when they are far ahead of it, so that
//! memory does not follow the number of files. What is *not* here: how a line is coloured
//! ([`crate::tui::highlight`]).

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::diff::{BaseText, Patch};
use crate::tui::highlight::{FileColours, Highlighter};

/// Files that a thread colours ahead of the printing.
const AHEAD: usize = 4;
/// Threads at most: printing is the bound beyond.
const THREADS: usize = 8;

/// A file to colour.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The patch.
    pub patch: Arc<Patch>,
    /// The file (0-based).
    pub file: usize,
    /// Its base text, when known.
    pub base: Option<Arc<BaseText>>,
}

impl Wanted {
    fn is(&self, patch: &Arc<Patch>, file: usize) -> bool {
        self.file == file && Arc::ptr_eq(&self.patch, patch)
    }
}

/// The colours of files, asked for in the order of the printing.
pub struct Ahead<'a> {
    wanted: &'a [Wanted],
    /// The first file that was not asked for yet.
    next: usize,
    shared: &'a Shared,
}

#[derive(Default)]
struct Shared {
    progress: Mutex<Progress>,
    changed: Condvar,
    stopped: AtomicBool,
}

#[derive(Default)]
struct Progress {
    /// The first file that no thread has taken.
    untaken: usize,
    /// The first file that is not printed yet.
    unprinted: usize,
    /// What is coloured and not printed yet; a file of which colouring broke off is plain.
    ready: BTreeMap<usize, FileColours>,
}

/// Prints with the colours of these files, which are listed in the order of the printing.
pub fn print_with<T>(wanted: &[Wanted], print: impl FnOnce(&mut Ahead<'_>) -> T) -> T {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = threads.min(THREADS).min(wanted.len());
    let shared = Shared::default();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| shared.work(wanted, threads * AHEAD));
        }
        // However the printing ends, nobody goes on colouring.
        let _stop = Stop(&shared);
        print(&mut Ahead {
            wanted,
            next: 0,
            shared: &shared,
        })
    })
}

/// Tells the threads to end when dropped.
struct Stop<'a>(&'a Shared);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        // Under the lock: a thread that is about to wait would else miss it.
        let _progress = self.0.lock();
        self.0.stopped.store(true, Ordering::Relaxed);
        self.0.changed.notify_all();
    }
}

/// Puts down what became of a file when dropped, also when colouring it panicked: else the printing
/// would wait for it.
struct Done<'a> {
    shared: &'a Shared,
    place: usize,
    colours: FileColours,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        let colours = std::mem::take(&mut self.colours);
        self.shared.lock().ready.insert(self.place, colours);
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Colours file after file, at most so many ahead of the printing.
    fn work(&self, wanted: &[Wanted], ahead: usize) {
        let mut highlighter = Highlighter::default();
        while let Some(place) = self.take(wanted.len(), ahead) {
            let Some(file) = wanted.get(place) else {
                return;
            };
            let mut done = Done {
                shared: self,
                place,
                colours: FileColours::plain(None),
            };
            let mut stop = || self.is_stopped();
            let base = file.base.as_ref();
            done.colours = highlighter.colour_file(&file.patch, file.file, base, &mut stop);
        }
    }

    /// The next file; `None` when there is none or the printing ended.
    fn take(&self, files: usize, ahead: usize) -> Option<usize> {
        let mut progress = self.lock();
        loop {
            if self.is_stopped() || progress.untaken >= files {
                return None;
            }
            if progress.untaken < progress.unprinted + ahead {
                let place = progress.untaken;
                progress.untaken += 1;
                return Some(place);
            }
            let waited = self.changed.wait(progress);
            progress = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Ahead<'_> {
    /// The colours of a file; waits for them. `None` when the file is not among those that were
    /// listed, or was asked for before.
    pub fn colours(&mut self, patch: &Arc<Patch>, file: usize) -> Option<FileColours> {
        let rest = self.wanted.get(self.next..)?;
        let place = self.next + rest.iter().position(|wanted| wanted.is(patch, file))?;
        self.next = place + 1;
        let mut progress = self.shared.lock();
        loop {
            // Files that were passed over are not printed any more.
            progress.unprinted = place;
            progress.ready = progress.ready.split_off(&place);
            self.shared.changed.notify_all();
            if let Some(found) = progress.ready.remove(&place) {
                progress.unprinted = place + 1;
                return Some(found);
            }
            let waited = self.shared.changed.wait(progress);
            progress = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(count: usize) -> Vec<Wanted> {
        let text: String = (0..count)
            .map(|file| {
                format!(
                    "--- a/{file}.py\n+++ b/{file}.py\n@@ -1,1 +1,2 @@\n x = 1\n+def f{file}(): pass\n"
                )
            })
            .collect();
        let patch = Arc::new(Patch::read(Arc::from(text)));
        (0..count)
            .map(|file| Wanted {
                patch: Arc::clone(&patch),
                file,
                base: None,
            })
            .collect()
    }

    #[test]
    fn colours_come_in_order_and_are_those_of_one_thread() {
        let wanted = files(50);
        let mut alone = Highlighter::default();
        print_with(&wanted, |ahead| {
            for file in wanted.iter().filter(|file| file.file % 3 != 1) {
                let found = ahead.colours(&file.patch, file.file).unwrap();
                let expected = alone.colour_file(&file.patch, file.file, None, &mut || false);
                assert_eq!(found, expected);
                let waiting = ahead.shared.lock().ready.len();
                assert!(waiting <= THREADS * AHEAD, "{waiting}");
            }
            assert_eq!(ahead.colours(&wanted[0].patch, 0), None);
        });
    }

    #[test]
    fn threads_end_when_the_printing_does() {
        let wanted = files(400);
        let first = print_with(&wanted, |ahead| ahead.colours(&wanted[0].patch, 0));
        assert!(first.is_some());
        assert!(print_with(&[], |ahead| ahead.colours(&wanted[0].patch, 0)).is_none());
    }
}
