//! What was loaded: groups, answers, problems, and how the texts of a group are opened.
//!
//! What is *not* here: how it is put together (`assemble`) and kept up to date (`loader`).

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::cache;
use super::problem::CHANGED;
#[cfg(feature = "parquet")]
use super::table;
use super::{
    FORMATS, FieldMap, FileReport, GuessedMap, Problem, UsedMap, found, indexed, open, source,
};
use crate::domain::{Content, GraderAnswer, RolloutGroup};

/// The key in a group's `meta` under which `gagar convert` keeps the names of the formats it was read
/// from, as a JSON list.
pub const FORMATS_KEY: &str = "gagar.formats";

/// Everything loaded from the paths given: a state of it, when loading goes on.
#[derive(Debug, Default, Clone)]
pub struct LoadedSet {
    /// The groups: sorted by id when they come from [`load`](super::load), else in order of arrival. Later states
    /// of one load only append groups or replace one in its place, and share those that did not
    /// change.
    pub groups: Vec<Arc<RolloutGroup>>,
    /// Grader answers per group (same length and order as `groups`), in file order.
    pub answers: Vec<Arc<[GraderAnswer]>>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// What is worth a word although nothing is wrong and nothing is lost: files that hold no rollouts
    /// (one entry a folder), rollouts found twice, traces that no verdict can be beside of. The first
    /// of these stand among the problems when no group was found.
    pub notes: Vec<Problem>,
    /// Every file that holds no rollouts, in the order they were listed.
    pub foreign: Vec<PathBuf>,
    /// What was made of each file, in the order they were listed; empty while loading goes on.
    pub made: Vec<FileReport>,
    /// The maps that were guessed for files of messages with columns of other names.
    pub guessed: Vec<GuessedMap>,
    /// The maps with a name that files were read through.
    pub used: Box<[UsedMap]>,
    /// Where the texts of each group are (same length and order as `groups`).
    pub(super) sources: Vec<Arc<found::GroupSource>>,
    /// The files that places refer to.
    pub(super) files: Arc<Vec<source::Candidate>>,
    /// How far files of lines were read, by index.
    pub(super) indexed: Arc<HashMap<usize, indexed::Indexed>>,
    /// The maps of files read through one, by the file's index.
    pub(super) maps: Arc<BTreeMap<usize, Arc<FieldMap>>>,
    /// Files found to differ from what was read of them, by index: shared by all states of a load,
    /// which reads them anew when it looks again.
    pub(super) differing: Arc<Mutex<HashSet<usize>>>,
    /// The folder in which indices are kept.
    pub(super) cache: Option<PathBuf>,
}

/// Where the texts of a group are, in another order of its trajectories.
#[derive(Debug)]
pub struct TextPlaces {
    /// As loaded.
    of: Arc<found::GroupSource>,
    ordered: Arc<found::GroupSource>,
}

impl LoadedSet {
    /// Whether texts may be read from this file while the set is in use.
    #[must_use]
    pub fn reads(&self, path: &Path) -> bool {
        let Ok(wanted) = std::fs::canonicalize(path) else {
            return false;
        };
        // An archive is the origin of many files.
        let mut origins: Vec<&Path> = self.files.iter().map(source::Candidate::origin).collect();
        origins.dedup();
        let is_it = |path: &Path| std::fs::canonicalize(path).is_ok_and(|real| real == wanted);
        origins.into_iter().any(is_it)
    }

    /// Names of the formats that tell of one group (0-based index into `groups`), sorted.
    #[must_use]
    pub fn formats(&self, group: usize) -> Vec<&'static str> {
        let told = self.groups.get(group).and_then(|group| {
            let mut pairs = group.meta.0.iter();
            pairs.find(|(key, _)| key == FORMATS_KEY)
        });
        let told = told.map_or("", |(_, json)| json.as_str());
        // What was converted knows from what.
        let before = FORMATS
            .iter()
            .map(|format| format.name)
            .filter(|name| told.contains(&format!("\"{name}\"")));
        let mut names: Vec<_> = self
            .sources
            .get(group)
            .map(|source| source.formats())
            .unwrap_or_default();
        names.extend(before);
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Where the texts of a group are, for its trajectories in another order: `order` holds the 0-based
    /// index of each in the order wanted. `None` when it is not known where they are.
    #[must_use]
    pub fn places_in_order(&self, group: usize, order: &[usize]) -> Option<TextPlaces> {
        let of = self.sources.get(group)?;
        let trajectories = order.iter().map(|&index| of.trajectories.get(index));
        let ordered = found::GroupSource {
            tasks: of.tasks.clone(),
            trajectories: trajectories
                .map(|one| one.cloned())
                .collect::<Option<_>>()?,
        };
        Some(TextPlaces {
            of: Arc::clone(of),
            ordered: Arc::new(ordered),
        })
    }

    /// Whether the places are those of this group as the set has it.
    #[must_use]
    pub fn has_places(&self, group: usize, places: &TextPlaces) -> bool {
        self.sources
            .get(group)
            .is_some_and(|source| Arc::ptr_eq(source, &places.of))
    }

    /// Puts a group, the answers about it and its texts' places into the set in another order of its
    /// trajectories than it was loaded in; all three are in that order.
    pub fn put_in_order(
        &mut self,
        group: usize,
        ordered: &Arc<RolloutGroup>,
        answers: &Arc<[GraderAnswer]>,
        places: Option<&TextPlaces>,
    ) {
        if let Some(place) = self.groups.get_mut(group) {
            *place = Arc::clone(ordered);
        }
        if let Some(place) = self.answers.get_mut(group) {
            *place = Arc::clone(answers);
        }
        if let (Some(place), Some(places)) = (self.sources.get_mut(group), places) {
            *place = Arc::clone(&places.ordered);
        }
    }

    /// Opens the texts of one group (0-based index into `groups`). A text that cannot be read is
    /// reported in [`Content::problems`]; the rest of the group is opened.
    ///
    /// # Errors
    /// When there is no group of this index, or a file of the group was written to since it was
    /// loaded in another way than that lines were appended: what stands in it now may be another
    /// group's.
    pub fn open(&self, group: usize) -> Result<Content, Problem> {
        let (Some(source), Some(of)) = (self.sources.get(group), self.groups.get(group)) else {
            let reason = format!("there is no group {group}");
            return Err(Problem::new(Path::new(""), reason));
        };
        let unchanged = || match open::changed(source, &self.files, &self.indexed) {
            None => Ok(()),
            Some(path) => Err(Problem {
                record: Some(of.id.0.clone()),
                ..Problem::new(path, CHANGED)
            }),
        };
        unchanged()?;
        #[cfg(feature = "parquet")]
        let rows = table::texts(source, &self.files);
        #[cfg(not(feature = "parquet"))]
        let rows = open::RowTexts::default();
        let differs = Cell::new(None);
        let files = open::Files {
            list: &self.files,
            maps: &self.maps,
            rows: &rows,
            differs: &differs,
        };
        let content = open::content(of, source, files);
        if let Some(file) = differs.get() {
            return Err(self.differing(file, of));
        }
        // A writer may have come while the texts were read.
        unchanged()?;
        Ok(content)
    }

    /// Notes that a record of a file is not the one that was indexed, so that the file is read anew
    /// the next time, whatever its stamp says.
    fn differing(&self, file: usize, group: &RolloutGroup) -> Problem {
        let noted = self.differing.lock();
        noted.unwrap_or_else(PoisonError::into_inner).insert(file);
        let candidate = self.files.get(file);
        if let (Some(folder), Some(candidate)) = (&self.cache, candidate) {
            cache::forget(folder, candidate);
        }
        let path = candidate.map_or(Path::new(""), |file| &file.path);
        Problem {
            record: Some(group.id.0.clone()),
            ..Problem::new(path, CHANGED)
        }
    }
}
