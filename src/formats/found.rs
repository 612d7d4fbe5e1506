//! What readers find in one file, before everything is joined into groups.
//!
//! What is *not* here: how it is joined (`assemble`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::domain::{Extra, TaskSummary, Trajectory};

use super::files::{Place, Record};
use super::indexed::Indexed;
use super::json::{Fields, JsonError};
use super::mapped::{Columns, FileMap, Seen};
use super::rankings::Answer;
use super::{LoadOptions, Problem};
use super::{harbor, inspect, openhands, swebench};

/// Where the texts of a group are.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct GroupSource {
    /// Where the task's texts are; the first one that has a text counts.
    pub tasks: Vec<TaskSource>,
    /// One entry per trajectory.
    pub trajectories: Vec<KeptSource>,
}

/// Where a task's texts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum TaskSource {
    /// A `gagar.group/1` or `gagar.trajectory/1` record.
    Native(Place),
    /// A SWE-bench task row.
    Row(Place),
    /// A prediction of a reference run.
    Reference(Place),
    /// A record of a format, and the element of it.
    Of(FormatId, Place, Option<u32>),
}

/// 0-based row of [`super::FORMATS`].
pub(crate) type FormatId = usize;

impl TaskSource {
    /// The place, whatever the record is.
    pub(crate) fn at(&self) -> Place {
        match *self {
            Self::Native(place)
            | Self::Row(place)
            | Self::Reference(place)
            | Self::Of(_, place, _) => place,
        }
    }
}

impl TaskSource {
    /// Where the record is.
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Native(place)
            | Self::Row(place)
            | Self::Reference(place)
            | Self::Of(_, place, _) => *place,
        }
    }

    fn place_mut(&mut self) -> &mut Place {
        match self {
            Self::Native(place)
            | Self::Row(place)
            | Self::Reference(place)
            | Self::Of(_, place, _) => place,
        }
    }
}

/// The record that holds a trajectory's patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum RecordAt {
    /// A trajectory object.
    Trajectory(Place),
    /// An element of a group record's `trajectories`.
    InGroup(Place, usize),
    /// A SWE-bench prediction.
    Prediction(Place),
    /// A file that is the patch (`patch.diff` beside a task report), by its index.
    PatchFile(usize),
    /// A file that the caller named, which is a patch.
    WholeFile(usize),
    /// A record of a format, and the element of it when it holds several rollouts.
    Of(FormatId, Place, Option<u32>),
}

/// Where a trajectory's texts are.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct TrajectorySource {
    /// The record with the patch.
    pub record: Option<RecordAt>,
    /// Further records with texts of it, in the order in which they are shown.
    pub beside: Vec<Beside>,
    /// The task report with the tests' status.
    pub report: Option<Place>,
    /// The file that is the log of the test run, by its index.
    pub log: Option<usize>,
    /// Logs in plain text, by file: each is shown behind the other steps.
    pub texts: Vec<usize>,
    /// The file that is the patch, when the record holds none.
    pub patch_file: Option<usize>,
}

/// A trajectory's source as it is kept: most have one record and nothing beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeptSource {
    /// One record.
    Record(RecordAt),
    /// Whatever else.
    More(Box<TrajectorySource>),
}

impl From<TrajectorySource> for KeptSource {
    fn from(source: TrajectorySource) -> Self {
        match source.record {
            Some(record) if source == TrajectorySource::of(record) => Self::Record(record),
            _ => Self::More(Box::new(source)),
        }
    }
}

impl KeptSource {
    /// The source.
    pub(crate) fn get(&self) -> Cow<'_, TrajectorySource> {
        match self {
            Self::Record(record) => Cow::Owned(TrajectorySource::of(*record)),
            Self::More(source) => Cow::Borrowed(source),
        }
    }
}

impl TrajectorySource {
    /// A record, and nothing beside it.
    fn of(record: RecordAt) -> Self {
        Self {
            record: Some(record),
            ..Self::default()
        }
    }
}

/// A record that holds texts of a trajectory beside the one it was found in: a trace, the tests.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Beside {
    /// Its format.
    pub format: FormatId,
    /// Where it is.
    pub place: Place,
    /// 0-based element, when it holds several.
    pub part: Option<u32>,
    /// A line that stands before its steps, when they are not the trajectory's only ones.
    pub title: Option<String>,
}

impl Beside {
    /// A record without a title.
    pub(crate) fn new(format: FormatId, place: Place, part: Option<u32>) -> Self {
        Self {
            format,
            place,
            part,
            title: None,
        }
    }
}

/// A task as a record tells it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct FoundTask {
    /// In one line.
    pub summary: TaskSummary,
    /// Where its texts are.
    pub source: TaskSource,
    /// Hash of the record's task, to notice contradictions.
    pub digest: u64,
}

/// A trajectory with its texts' place.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct FoundTrajectory {
    /// The index entry.
    pub trajectory: Trajectory,
    /// Where its texts are.
    pub source: TrajectorySource,
    /// Position within the group, when the format tells it; else the order of the files counts.
    pub order: Option<i64>,
    /// What happens when the id is taken.
    pub again: Again,
    /// File and line, for problems.
    pub at: At,
}

/// What happens to a trajectory whose id is taken within its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Again {
    /// It is refused and told: ids of such records are promised to be unique.
    Refuse,
    /// It is kept under a numbered id and told.
    Number,
    /// It is the same rollout again and left out; its reader tells so once for the file.
    Copy,
}

/// Within what a group's id means one task.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Scope {
    /// How it is called behind the id of a group when another scope has a group of that id, too.
    pub name: String,
    /// What tells it from scopes of the same name: a file or a folder.
    pub place: PathBuf,
}

impl Scope {
    /// A file or a folder, called by the last part of its path.
    pub(crate) fn of(place: &Path) -> Self {
        let last = place.file_name().unwrap_or(place.as_os_str());
        Self {
            name: last.to_string_lossy().into_owned(),
            place: place.to_path_buf(),
        }
    }

    /// The folder that a file lies in.
    pub(crate) fn folder_of(file: &Path) -> Self {
        Self::of(file.parent().unwrap_or(file))
    }

    /// The same place under another name, when there is one.
    pub(crate) fn named(self, name: Option<String>) -> Self {
        Self {
            name: name.unwrap_or(self.name),
            ..self
        }
    }
}

/// A group, or a part of one.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct FoundGroup {
    /// Its id.
    pub id: String,
    /// Within what the id means one task; `None`: within everything loaded.
    pub scope: Option<Scope>,
    /// Training step.
    pub step: Option<i64>,
    /// The task.
    pub task: Option<FoundTask>,
    /// The trajectories in file order.
    pub trajectories: Vec<FoundTrajectory>,
    /// Unknown keys.
    pub meta: Extra,
    /// File and line, for problems.
    pub at: At,
}

/// File and line of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct At {
    /// Index into the list of files.
    pub file: usize,
    /// 1-based line, in line formats.
    pub line: Option<u64>,
}

impl GroupSource {
    /// The files that the texts are in, by index; a file occurs once per text.
    pub(crate) fn files(&self) -> impl Iterator<Item = usize> {
        let others = self.trajectories.iter().flat_map(|source| {
            let source = source.get();
            let patch = match source.record {
                Some(RecordAt::PatchFile(file) | RecordAt::WholeFile(file)) => Some(file),
                _ => None,
            };
            let files = [patch, source.log, source.patch_file];
            let texts = source.texts.clone();
            files.into_iter().flatten().chain(texts)
        });
        self.places().map(|place| place.file).chain(others)
    }

    /// The records that the texts are in; a record occurs once per text.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> {
        let tasks = self.tasks.iter().map(TaskSource::at);
        let trajectories = self.trajectories.iter().flat_map(|source| {
            let source = source.get();
            let record = source.record.and_then(RecordAt::place);
            let beside = source.beside.iter().map(|beside| beside.place);
            let places: Vec<Place> = record.into_iter().chain(beside).collect();
            places.into_iter().chain(source.report)
        });
        tasks.chain(trajectories)
    }
}

impl RecordAt {
    /// The place, unless it is a file of its own.
    fn place(self) -> Option<Place> {
        match self {
            Self::Trajectory(place)
            | Self::InGroup(place, _)
            | Self::Prediction(place)
            | Self::Of(_, place, _) => Some(place),
            Self::PatchFile(_) | Self::WholeFile(_) => None,
        }
    }

    fn place_mut(&mut self) -> Option<&mut Place> {
        match self {
            Self::Trajectory(place)
            | Self::InGroup(place, _)
            | Self::Prediction(place)
            | Self::Of(_, place, _) => Some(place),
            Self::PatchFile(_) | Self::WholeFile(_) => None,
        }
    }
}

impl GroupSource {
    /// Names of the formats of the records; one occurs as often as it has records.
    pub(crate) fn formats(&self) -> Vec<&'static str> {
        let named = |format: FormatId| super::FORMATS.get(format).map(|format| format.name);
        let tasks = self.tasks.iter().filter_map(|task| match task {
            TaskSource::Native(_) => Some("gagar.group/1"),
            TaskSource::Row(_) => Some("SWE-bench task"),
            TaskSource::Reference(_) => Some("SWE-bench prediction"),
            TaskSource::Of(format, ..) => named(*format),
        });
        let trajectories = self.trajectories.iter().flat_map(|source| {
            let source = source.get();
            let record = source.record.and_then(|record| match record {
                RecordAt::Trajectory(_) | RecordAt::InGroup(..) => Some("gagar.group/1"),
                RecordAt::Prediction(_) => Some("SWE-bench prediction"),
                RecordAt::PatchFile(_) => Some("SWE-bench task report"),
                RecordAt::WholeFile(_) => Some(super::patch_files::NAME),
                RecordAt::Of(format, ..) => named(format),
            });
            let beside = source.beside.iter().map(|beside| beside.format);
            let beside: Vec<FormatId> = beside.collect();
            let beside = beside.into_iter().filter_map(named);
            record.into_iter().chain(beside)
        });
        tasks.chain(trajectories).collect()
    }
}

impl At {
    /// Where a record is.
    pub(crate) fn of(record: &Record<'_>) -> Self {
        Self {
            file: record.place.file,
            line: record.line,
        }
    }
}

/// What readers found in one file or a part of it.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Found {
    /// The file read.
    #[serde(skip)]
    pub path: PathBuf,
    /// Whether the file is meant to hold rankings.
    #[serde(skip)]
    pub for_rankings: bool,
    /// What the caller asked for.
    #[serde(skip)]
    pub options: Arc<LoadOptions>,
    /// The format of the record being read.
    #[serde(skip)]
    pub format: FormatId,
    /// Parts of groups.
    pub groups: Vec<FoundGroup>,
    /// Answers of graders.
    pub answers: Vec<Answer>,
    /// Predictions, reports, tasks, traces of SWE-bench runs.
    #[serde(skip)]
    pub swebench: swebench::Parts,
    /// Trials, jobs, traces and test reports of Harbor.
    #[serde(skip)]
    pub harbor: harbor::Parts,
    /// Logs and samples of Inspect.
    #[serde(skip)]
    pub inspect: inspect::Parts,
    /// Rows and conversations of OpenHands.
    #[serde(skip)]
    pub openhands: openhands::Parts,
    /// Problems.
    pub problems: Vec<Problem>,
    /// What is worth a word although nothing is wrong.
    pub notes: Vec<Problem>,
    /// Number of records that a format recognised.
    pub recognised: usize,
    /// How far the file was read, for files of lines.
    #[serde(skip)]
    pub indexed: Option<Indexed>,
    /// Number of records by the format that read them.
    pub records: BTreeMap<FormatId, usize>,
    /// Files that hold nothing of a known format.
    pub foreign: Vec<PathBuf>,
    /// The bytes of the file read last by [`Found::beside`], and its name.
    #[serde(skip)]
    pub beside: Option<(&'static str, Option<Vec<u8>>)>,
    /// The first id that was a number, and its record's line.
    pub number_id: Option<(String, Option<u64>)>,
    /// The map of the file being read.
    #[serde(skip)]
    pub map: Option<FileMap>,
    /// The fields of the map whose columns a record had.
    pub seen: Seen,
    /// The columns of the file's records, when they may have to be told.
    pub columns: Option<Columns>,
    /// What is said of the columns of a file that holds nothing of a known format, and whether
    /// something in them looks like a part of a rollout.
    #[serde(skip)]
    pub own_columns: Option<(String, bool)>,
}

impl Found {
    /// Takes over what another part found.
    pub(crate) fn merge(&mut self, other: Self) {
        self.groups.extend(other.groups);
        self.answers.extend(other.answers);
        self.swebench.merge(other.swebench);
        self.inspect.merge(other.inspect);
        self.harbor.merge(other.harbor);
        self.openhands.merge(other.openhands);
        self.problems.extend(other.problems);
        self.notes.extend(other.notes);
        self.recognised += other.recognised;
        self.indexed = other.indexed.or(self.indexed);
        for (format, count) in other.records {
            *self.records.entry(format).or_default() += count;
        }
        self.foreign.extend(other.foreign);
        self.map = self.map.take().or(other.map);
        self.seen.merge(other.seen);
        self.columns = self.columns.take().or(other.columns);
        self.own_columns = self.own_columns.take().or(other.own_columns);
        self.number_id = self.number_id.take().or(other.number_id);
    }

    /// Takes over from a part of a file what can be told only at the file's end.
    pub(crate) fn keep_for_the_end(&mut self, part: &mut Self) {
        self.problems.append(&mut part.problems);
        self.notes.append(&mut part.notes);
        self.foreign.append(&mut part.foreign);
        self.recognised += std::mem::take(&mut part.recognised);
        self.seen.merge(part.seen);
        let columns = self.columns.take();
        self.columns = columns.or(part.columns.take());
        let first = self.number_id.take();
        self.number_id = first.or(part.number_id.take());
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
            && self.answers.is_empty()
            && self.problems.is_empty()
            && self.records.is_empty()
            && self.foreign.is_empty()
    }

    /// Whether it was found without a look at other files and needs none to be joined.
    pub(crate) fn is_alone(&self) -> bool {
        let is_own = |source: &TrajectorySource| {
            let beside = source.log.or(source.patch_file);
            beside.is_none()
                && source.texts.is_empty()
                && !matches!(
                    source.record,
                    Some(RecordAt::PatchFile(_) | RecordAt::WholeFile(_))
                )
        };
        let mut trajectories = self.groups.iter().flat_map(|group| &group.trajectories);
        self.swebench.is_empty()
            && self.harbor.is_empty()
            && self.inspect.is_empty()
            && self.openhands.is_empty()
            && trajectories.all(|trajectory| is_own(&trajectory.source))
    }

    /// Has everything found in the file of this index, when nothing else [was](Found::is_alone).
    pub(crate) fn set_file(&mut self, file: usize) {
        for answer in &mut self.answers {
            if let Some(at) = &mut answer.at {
                at.file = file;
            }
        }
        for group in &mut self.groups {
            group.at.file = file;
            if let Some(task) = &mut group.task {
                task.source.place_mut().file = file;
            }
            for trajectory in &mut group.trajectories {
                trajectory.at.file = file;
                let source = &mut trajectory.source;
                let record = source.record.as_mut().and_then(RecordAt::place_mut);
                let beside = source.beside.iter_mut().map(|beside| &mut beside.place);
                for place in record.into_iter().chain(beside).chain(&mut source.report) {
                    place.file = file;
                }
            }
        }
    }

    /// The id under a key; a number is read as text and remembered.
    pub(crate) fn id(
        &mut self,
        record: &Record<'_>,
        fields: &Fields<'_>,
        key: &str,
    ) -> Result<Option<String>, JsonError> {
        let Some((id, is_number)) = fields.id(key, record.mended)? else {
            return Ok(None);
        };
        if is_number {
            self.number_id
                .get_or_insert_with(|| (format!("{key} {id}"), record.line));
        }
        Ok(Some(id))
    }

    /// The bytes of a small file beside the one being read, when there is such; it is read once for
    /// many records.
    pub(crate) fn beside(&mut self, name: &'static str) -> Option<&[u8]> {
        if self.beside.as_ref().is_none_or(|(read, _)| *read != name) {
            let bytes = std::fs::read(self.path.with_file_name(name)).ok();
            self.beside = Some((name, bytes));
        }
        self.beside.as_ref()?.1.as_deref()
    }

    /// Notes a problem of the whole file, once however often it is met.
    pub(crate) fn problem_of_file(&mut self, reason: &str) {
        let is_told = |told: &Problem| told.line.is_none() && told.reason == reason;
        if !self.problems.iter().any(is_told) {
            self.problems.push(Problem::new(&self.path, reason));
        }
    }

    /// Says of the whole file what is worth a word although nothing is wrong, once however often it
    /// is met.
    pub(crate) fn note_of_file(&mut self, reason: &str) {
        if self.notes.iter().all(|told| told.reason != reason) {
            self.notes.push(Problem::new(&self.path, reason));
        }
    }

    /// Tells the keys of an object in a record that occur with different values, unless one of the
    /// problems from the one at `since` on tells so already.
    pub(crate) fn contradictions(
        &mut self,
        record: &Record<'_>,
        fields: &Fields<'_>,
        since: usize,
    ) {
        for key in fields.contradictions() {
            let reason = format!("{key}: the key occurs twice");
            let told = self.problems.get(since..).unwrap_or_default();
            if !told.iter().any(|problem| problem.reason.contains(&reason)) {
                self.problem(record, None, format!("{reason}, the last counts"));
            }
        }
    }

    /// Notes a problem of a record.
    pub(crate) fn problem(
        &mut self,
        record: &Record<'_>,
        name: Option<&str>,
        reason: impl Into<String>,
    ) {
        self.problems.push(Problem {
            path: self.path.clone(),
            line: record.line,
            record: name.map(str::to_owned).or_else(|| record.key.clone()),
            reason: reason.into(),
        });
    }

    /// The value, or nothing and a problem.
    pub(crate) fn note<T>(
        &mut self,
        record: &Record<'_>,
        name: &str,
        result: Result<Option<T>, JsonError>,
    ) -> Option<T> {
        result.unwrap_or_else(|error| {
            self.problem(record, Some(name), error.to_string());
            None
        })
    }
}
