//! Loading in steps: list, read, hand over states of the set on the way, look again for what changed.
//!
//! What is *not* here: threads and waiting (`follow` tells when to look), and what a record means.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::assemble::Assembler;
use super::scan::{self, Job, Standing};
use super::source::{Candidate, Stamp};
use super::{LoadOptions, LoadedSet, Problem, Progress};

/// The first state is handed over after this time, when a group is there.
const FIRST_AFTER: Duration = Duration::from_millis(50);
/// Least time between two states.
const EVERY: Duration = Duration::from_millis(250);
/// Making a state may take one part in this many of the time.
const SHARE: u32 = 10;

const GONE: &str = "the file is gone; what was read of it is still shown";

/// What a loader tells while it reads.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one at a time, and most are sets"
)]
pub enum News {
    /// How far it is.
    Progress(Progress),
    /// A state of the set; later ones share the groups that did not change.
    Set(LoadedSet),
}

/// What a look for changes found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes {
    /// Files that are new, longer or other ones, of those that tell something: a log that grows is
    /// none of them.
    pub files: usize,
    /// Of these, files that were replaced or changed inside: they were read anew.
    pub replaced: usize,
    /// Files that are gone.
    pub gone: usize,
    /// Groups that were there before and are others now.
    pub groups: usize,
    /// Rollouts that came; fewer than none when rollouts went with a replaced file.
    pub rollouts: i64,
}

/// A file on the disk as it was last listed.
#[derive(Debug)]
struct Listed {
    stamp: Stamp,
    bytes: u64,
    /// What is in it: itself, or the members of an archive.
    files: Vec<usize>,
    rankings_only: bool,
    gone: bool,
}

/// Loads the paths in steps.
#[derive(Debug)]
pub struct Loader {
    paths: Vec<PathBuf>,
    options: Arc<LoadOptions>,
    /// Whether a last line that is not whole waits for its end instead of being told.
    follow: bool,
    assembler: Assembler,
    listed: BTreeMap<PathBuf, Listed>,
    unread: Vec<Job>,
    /// Where reading was stopped.
    standing: Standing,
    pace: Pace,
}

impl Loader {
    /// Lists what is under the paths; nothing is read yet. With `follow`, files are expected to be
    /// written to while they are read.
    #[must_use]
    pub fn new(paths: &[PathBuf], options: &LoadOptions, follow: bool) -> Self {
        let options = Arc::new(options.clone());
        let mut loader = Self {
            paths: paths.to_vec(),
            assembler: Assembler::new(Arc::clone(&options)),
            options,
            follow,
            listed: BTreeMap::new(),
            unread: Vec::new(),
            standing: Standing::default(),
            pace: Pace::new(),
        };
        let mut problems = Vec::new();
        let (files, data_files) = scan::list(paths, &loader.options, &mut problems);
        loader.assembler.add_listing(problems);
        for (origin, found) in by_origin(files, |index, _| index >= data_files) {
            loader.add(origin, found);
        }
        loader
    }

    /// Whether everything that was listed is read.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unread.is_empty()
    }

    /// Reads what is not read yet. `tell` is told how far it is, and now and then a state of the
    /// set; it answers whether to go on. The last thing told is always the set of all that was read.
    /// Answers whether everything is read; else the next call goes on.
    pub fn read(&mut self, tell: &mut dyn FnMut(News) -> bool) -> bool {
        let mut jobs = std::mem::take(&mut self.unread);
        self.check_begun(&mut jobs);
        let held_jobs = jobs
            .iter()
            .rposition(|job| self.assembler.is_held(job.file));
        let released_after = self.standing.files() + held_jobs.map_or(0, |last| last + 1);
        let (pace, mut stopped) = (&mut self.pace, false);
        let done = scan::read_all(
            &jobs,
            &self.options,
            &mut self.assembler,
            &mut self.standing,
            &mut |assembler, progress| {
                if progress.files_done >= released_after {
                    assembler.release();
                }
                stopped = !tell(News::Progress(progress));
                // Nothing is half the old state of a file and half the new one.
                let is_whole = assembler.groups() > 0 && !assembler.is_holding();
                if !stopped && is_whole && pace.is_due() {
                    let start = Instant::now();
                    stopped = !tell(News::Set(assembler.snapshot(false)));
                    pace.told(start.elapsed());
                }
                !stopped
            },
        );
        self.unread = jobs.get(done..).unwrap_or_default().to_vec();
        if self.unread.is_empty() {
            self.assembler.release();
        }
        let start = Instant::now();
        tell(News::Set(self.assembler.snapshot(true)));
        self.pace.told(start.elapsed());
        self.unread.is_empty()
    }

    /// Goes on with the file that was being read only while what was read of it is still there; else
    /// it is read anew.
    fn check_begun(&mut self, jobs: &mut [Job]) {
        let Some(begun) = &self.standing.begun else {
            return;
        };
        let file = begun.file;
        let is_next = jobs.first().is_some_and(|job| job.file == file);
        let candidate = self.assembler.files().get(file);
        if is_next && candidate.is_some_and(|candidate| begun.holds(candidate)) {
            return;
        }
        self.standing.begun = None;
        self.assembler.hold(&HashSet::from([file]));
        for job in jobs.iter_mut().filter(|job| job.file == file) {
            job.from = None;
        }
    }

    /// Reads everything that is listed without handing over states of the set; `progress` answers
    /// whether to go on.
    pub(crate) fn read_only(&mut self, progress: &mut dyn FnMut(Progress) -> bool) {
        let jobs = std::mem::take(&mut self.unread);
        scan::read_all(
            &jobs,
            &self.options,
            &mut self.assembler,
            &mut Standing::default(),
            &mut |_, state| progress(state),
        );
    }

    /// Everything in one set, sorted by the groups' ids.
    #[must_use]
    pub fn into_set(self) -> LoadedSet {
        let is_complete = self.unread.is_empty();
        let mut set = self.assembler.finish();
        if is_complete && set.groups.is_empty() && set.problems.is_empty() {
            // A folder that was meant to hold rollouts and holds none is no success.
            let nothing = |path: &PathBuf| Problem::new(path, "no rollouts were found in it");
            set.problems.extend(self.paths.iter().map(nothing));
        }
        set
    }

    /// Lists again and reads what is new: files that came, what was appended to files of lines, and
    /// files that are other ones now, whose old rollouts count until all new ones are read. The rollouts of a file that
    /// is gone stay. Tells a set only when something changed. `None`: nothing did.
    pub fn look_again(&mut self, tell: &mut dyn FnMut(News) -> bool) -> Option<Changes> {
        let mut changes = Changes::default();
        let mut withdrawn = HashSet::new();
        let differing = self.assembler.take_differing();
        let differs = |listed: &Listed| {
            !differing.is_empty() && listed.files.iter().any(|file| differing.contains(file))
        };
        let is_known = |file: &Candidate| {
            let listed = self.listed.get(&file.path);
            listed.is_some_and(|listed| {
                file.is_stream() || (listed.stamp == file.stamp && !differs(listed))
            })
        };
        let mut problems = Vec::new();
        let (there, files) = scan::list_again(&self.paths, &self.options, &is_known, &mut problems);
        // What could not be listed before and is to be read now is no problem any more.
        let listed: HashSet<&Path> = files
            .iter()
            .flat_map(|file| [file.path.as_path(), file.origin()])
            .collect();
        self.assembler
            .drop_listing(&|problem| listed.contains(problem.path.as_path()));
        let now = by_origin(files, |_, file| {
            self.options
                .rankings
                .iter()
                .any(|path| scan::is_same_file(path, file.origin()))
        });
        self.assembler.add_listing(problems);
        let mut is_changed = false;
        for (origin, listed) in &mut self.listed {
            let gone = !there.contains(origin);
            is_changed |= gone != listed.gone;
            changes.gone += usize::from(gone && !listed.gone);
            listed.gone = gone;
        }
        for (origin, found) in now {
            let Some(listed) = self.listed.get_mut(&origin) else {
                self.add(origin, found);
                continue;
            };
            let Some(stamp) = found.first().map(|found| found.file.stamp) else {
                continue;
            };
            let before = std::mem::replace(&mut listed.bytes, origin_bytes(&found));
            listed.stamp = stamp;
            let differs = differs(listed);
            let indexed = match (listed.files.as_slice(), found.as_slice()) {
                ([file], [found]) if !differs => self
                    .assembler
                    .indexed(*file)
                    .filter(|indexed| indexed.only_grew(&found.file, before)),
                _ => None,
            };
            let mut places = listed.files.clone().into_iter();
            if indexed.is_none() {
                changes.replaced += usize::from(self.assembler.told(&listed.files));
                withdrawn.extend(places.clone());
                self.unread.retain(|job| !listed.files.contains(&job.file));
                listed.files.clear();
            }
            for found in found {
                let file = match places.next() {
                    Some(place) => {
                        self.assembler.set_file(place, found.file);
                        place
                    }
                    None => self.assembler.add_file(found.file),
                };
                if indexed.is_none() {
                    listed.files.push(file);
                }
                self.unread.push(Job {
                    file,
                    rankings_only: listed.rankings_only,
                    from: indexed,
                    wait: self.follow,
                });
            }
        }
        if !withdrawn.is_empty() {
            self.assembler.hold(&withdrawn);
            // They are put in place together, before new files are shown.
            let assembler = &self.assembler;
            self.unread.sort_by_key(|job| !assembler.is_held(job.file));
        }
        if self.unread.is_empty() && !is_changed {
            return None;
        }
        let read: Vec<usize> = self.unread.iter().map(|job| job.file).collect();
        changes.files = changes.replaced;
        let gone = self.listed.iter().filter(|(_, listed)| listed.gone);
        self.assembler
            .set_gone(gone.map(|(path, _)| Problem::new(path, GONE)).collect());
        let count = |assembler: &Assembler| i64::try_from(assembler.trajectories());
        let (before, groups) = (count(&self.assembler), self.assembler.built());
        self.read(tell);
        let after = count(&self.assembler);
        changes.rollouts = after.unwrap_or(i64::MAX) - before.unwrap_or(i64::MAX);
        let built = self.assembler.built();
        let others = groups
            .iter()
            .zip(&built)
            .filter(|(a, b)| !Arc::ptr_eq(a, b));
        changes.groups = others.count();
        // What was replaced by nothing known counts as well.
        let told = read.iter().filter(|&&file| self.assembler.told(&[file]));
        changes.files = changes.files.max(told.count());
        Some(changes)
    }

    /// Takes over a file on the disk that was not known.
    fn add(&mut self, origin: PathBuf, found: Vec<Found>) {
        let Some(first) = found.first() else { return };
        let mut listed = Listed {
            stamp: first.file.stamp,
            bytes: origin_bytes(&found),
            files: Vec::with_capacity(found.len()),
            rankings_only: first.rankings_only,
            gone: false,
        };
        for Found {
            file,
            rankings_only,
        } in found
        {
            let file = self.assembler.add_file(file);
            listed.files.push(file);
            self.unread.push(Job {
                file,
                rankings_only,
                from: None,
                wait: self.follow,
            });
        }
        self.listed.insert(origin, listed);
    }
}

/// A candidate that was listed.
#[derive(Debug)]
struct Found {
    file: Candidate,
    rankings_only: bool,
}

/// Gathers candidates by the file on the disk they are in, in order.
fn by_origin(
    files: Vec<Candidate>,
    rankings_only: impl Fn(usize, &Candidate) -> bool,
) -> Vec<(PathBuf, Vec<Found>)> {
    let mut order: Vec<(PathBuf, Vec<Found>)> = Vec::new();
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    for (index, file) in files.into_iter().enumerate() {
        let origin = file.origin().to_path_buf();
        let rankings_only = rankings_only(index, &file);
        let place = *places.entry(origin.clone()).or_insert_with(|| {
            order.push((origin, Vec::new()));
            order.len() - 1
        });
        if let Some((_, found)) = order.get_mut(place) {
            found.push(Found {
                file,
                rankings_only,
            });
        }
    }
    order
}

fn origin_bytes(found: &[Found]) -> u64 {
    found.iter().map(|found| found.file.bytes).sum()
}

/// When the next state of the set is due.
#[derive(Debug)]
struct Pace {
    last: Instant,
    wait: Duration,
}

impl Pace {
    fn new() -> Self {
        Self {
            last: Instant::now(),
            wait: FIRST_AFTER,
        }
    }

    fn is_due(&self) -> bool {
        self.last.elapsed() >= self.wait
    }

    fn told(&mut self, took: Duration) {
        self.last = Instant::now();
        self.wait = (took * (SHARE - 1)).max(EVERY);
    }
}
