//! Opens the texts of one group from their places.
//!
//! What is *not* here: the index.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use crate::diff::decode;
use crate::domain::{
    Content, PatchPresence, RolloutGroup, Step, StepKind, TaskContent, Trajectory,
    TrajectoryContent,
};

use super::files::{self, Body, Place, digest};
use super::found::{Beside, FormatId, GroupSource, RecordAt, TaskSource, TrajectorySource};
use super::indexed::Indexed;
use super::json::{self, Fields, JsonError};
use super::mapped::FieldMap;
use super::rollout::Opened;
use super::source::{Bytes, Candidate};
use super::{FORMATS, harbor, mapped, native, swebench};

/// The files that places refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Files<'s> {
    /// The files, by index.
    pub list: &'s [Candidate],
    /// The maps of those that are read through one.
    pub maps: &'s BTreeMap<usize, Arc<FieldMap>>,
    /// The rows of tables that are opened.
    pub rows: &'s RowTexts,
    /// Takes the file of a record that is not the one indexed any more.
    pub differs: &'s Cell<Option<usize>>,
}

/// The JSON texts of rows, or why they cannot be read, by file and row.
pub(crate) type RowTexts = BTreeMap<(usize, u64), Result<String, String>>;

impl<'s> Files<'s> {
    fn get(&self, file: usize) -> Option<&'s Candidate> {
        self.list.get(file)
    }
}

/// Why a text cannot be opened.
#[derive(Debug, thiserror::Error)]
enum OpenError {
    /// The file is unknown, gone or shorter.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// The record cannot be read any more.
    #[error("{path}: {error}")]
    Json {
        /// The file.
        path: String,
        /// Why.
        error: JsonError,
    },
    /// The file was written to since it was loaded.
    #[error("{0}: the file changed since it was loaded")]
    Changed(String),
}

/// The first file of a group that is another one now than when it was loaded: places in it may lead
/// to other texts.
pub(crate) fn changed<'a>(
    source: &GroupSource,
    files: &'a [Candidate],
    indexed: &HashMap<usize, Indexed>,
) -> Option<&'a Path> {
    let indices: BTreeSet<usize> = source.files().collect();
    indices
        .into_iter()
        .filter_map(|index| Some((index, files.get(index)?)))
        .filter(|(_, file)| file.changed())
        // Places before the end of what was read hold while a file only grows.
        .find(|(index, file)| {
            let indexed = indexed.get(index);
            !indexed.is_some_and(|indexed| indexed.only_grew(file, file.bytes))
        })
        .map(|(_, file)| file.path.as_path())
}

/// Opens everything of a group; what cannot be read becomes a sentence in `problems`.
pub(crate) fn content(group: &RolloutGroup, source: &GroupSource, files: Files<'_>) -> Content {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    let mut task = TaskContent::default();
    for place in &source.tasks {
        let mut inner = Vec::new();
        match open_task(*place, group, files, &mut inner) {
            Ok(found) => {
                name_all(&mut inner, place.at(), files, group.id.as_str());
                problems.extend(inner.into_iter().filter(|text| seen.insert(text.clone())));
                fill(&mut task, found);
            }
            Err(error) => note(&mut problems, &mut seen, &error),
        }
    }
    let trajectories = source
        .trajectories
        .iter()
        .zip(&group.trajectories)
        .map(|(source, of)| {
            let source = source.get();
            open_trajectory(&source, (group, of), files, &mut problems, &mut seen)
        })
        .collect();
    problems.extend(broken(group, source, files));
    Content {
        task,
        trajectories,
        problems,
    }
}

/// What is broken inside the records of a group. The index does not look inside values, and what
/// is not shown is never decoded.
fn broken(group: &RolloutGroup, source: &GroupSource, files: Files<'_>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    source
        .places()
        // A row was made into JSON by us.
        .filter(|place| !place.is_row() && seen.insert((place.file, place.start)))
        .filter_map(|place| {
            // One that cannot be read has been told where its texts were opened.
            let bytes = files.get(place.file)?.read(place.start, place.len).ok()?;
            let error = json::broken_inside(&String::from_utf8_lossy(&bytes))?;
            let mut problem = [error.to_string()];
            name_all(&mut problem, place, files, group.id.as_str());
            Some(problem)
        })
        .flatten()
        .collect()
}

fn note(problems: &mut Vec<String>, seen: &mut BTreeSet<String>, error: &OpenError) {
    let text = error.to_string();
    if seen.insert(text.clone()) {
        problems.push(text);
    }
}

/// Puts the file and the record before each problem.
fn name_all(problems: &mut [String], place: Place, files: Files<'_>, record: &str) {
    let path = files.get(place.file).map(|file| shown(&file.path));
    for problem in problems {
        *problem = match &path {
            Some(path) => format!("{path}: {record}: {problem}"),
            None => format!("{record}: {problem}"),
        };
    }
}

/// Takes over what is not known yet.
fn fill(task: &mut TaskContent, more: TaskContent) {
    task.text = task.text.take().or(more.text);
    task.reference_patch = task.reference_patch.take().or(more.reference_patch);
    if task.fail_to_pass.is_empty() {
        task.fail_to_pass = more.fail_to_pass;
    }
    if task.pass_to_pass.is_empty() {
        task.pass_to_pass = more.pass_to_pass;
    }
    if task.base_files.is_empty() {
        task.base_files = more.base_files;
    }
}

fn open_task(
    source: TaskSource,
    group: &RolloutGroup,
    files: Files<'_>,
    problems: &mut Vec<String>,
) -> Result<TaskContent, OpenError> {
    let id = group.id.as_str();
    match source {
        TaskSource::Native(place) => at(place, files, |body| {
            let fields = of(fields(body)?, "group_id", id)?;
            Ok(native::task_content(fields, problems))
        }),
        TaskSource::Row(place) => at(place, files, |body| {
            swebench::tasks::task_content(of(fields(body)?, "instance_id", id)?)
        }),
        TaskSource::Reference(place) => at(place, files, |body| {
            let fields = of(fields(body)?, "instance_id", id)?;
            Ok(TaskContent {
                reference_patch: swebench::predictions::patch(fields)?,
                ..TaskContent::default()
            })
        }),
        TaskSource::Of(format, place, part) => {
            open_of(format, place, part, files, problems).map(|opened| opened.task)
        }
    }
}

fn open_trajectory(
    source: &TrajectorySource,
    (group, trajectory): (&RolloutGroup, &Trajectory),
    files: Files<'_>,
    problems: &mut Vec<String>,
    seen: &mut BTreeSet<String>,
) -> TrajectoryContent {
    let mut content = TrajectoryContent::default();
    let mut inner = Vec::new();
    let opened = match source.record {
        None => Ok(()),
        Some(RecordAt::Trajectory(place)) => at(place, files, |body| {
            let fields = of(fields(body)?, "group_id", group.id.as_str())?;
            let fields = of(fields, "trajectory_id", trajectory.id.as_str())?;
            content = native::trajectory_content(fields, &mut inner);
            Ok(())
        }),
        Some(RecordAt::InGroup(place, index)) => at(place, files, |body| {
            let fields = of(fields(body)?, "group_id", group.id.as_str())?;
            let items = fields.list("trajectories")?.unwrap_or_default();
            let raw = items.get(index).ok_or_else(|| gone("trajectories"))?;
            let fields = Fields::of("trajectories", *raw)?;
            let fields = of(&fields, "trajectory_id", trajectory.id.as_str())?;
            content = native::trajectory_content(fields, &mut inner);
            Ok(())
        }),
        Some(RecordAt::Prediction(place)) => at(place, files, |body| {
            let fields = of(fields(body)?, "instance_id", group.id.as_str())?;
            content.patch = swebench::predictions::patch(fields)?;
            Ok(())
        }),
        Some(RecordAt::PatchFile(file) | RecordAt::WholeFile(file)) => {
            whole_patch(file, files).map(|patch| content.patch = Some(patch))
        }
        Some(RecordAt::Of(format, place, part)) => {
            open_of(format, place, part, files, &mut inner).map(|opened| content = opened.content)
        }
    };
    if let Err(error) = opened {
        note(problems, seen, &error);
    }
    if let Some(
        RecordAt::Trajectory(place) | RecordAt::InGroup(place, _) | RecordAt::Of(_, place, _),
    ) = source.record
    {
        let name = format!("{}/{}", group.id, trajectory.id);
        name_all(&mut inner, place, files, &name);
    }
    problems.append(&mut inner);
    // What a record beside its traces tells is how it ended.
    let end = std::mem::take(&mut content.steps);
    for beside in &source.beside {
        open_beside(beside, trajectory, files, problems, seen, &mut content);
    }
    for &file in &source.texts {
        let name = files.get(file).and_then(|file| file.path.file_name());
        let name = name.unwrap_or_default().to_string_lossy();
        match whole_text(file, files) {
            Ok(text) => content.steps.extend(harbor::logs::steps(&name, &text)),
            Err(error) => note(problems, seen, &error),
        }
    }
    content.steps.extend(end);
    if let Some(file) = source.patch_file {
        match whole_patch(file, files) {
            Ok(patch) => content.patch = Some(patch),
            Err(error) => note(problems, seen, &error),
        }
    }
    if let Some(place) = source.report {
        match at(place, files, |body| swebench::reports::tests(fields(body)?)) {
            Ok(tests) => content.tests = tests,
            Err(error) => note(problems, seen, &error),
        }
    }
    if let Some(log) = source.log {
        match whole_text(log, files) {
            Ok(text) => content.test_log = Some(text),
            Err(error) => note(problems, seen, &error),
        }
    }
    content
}

/// Adds what a further record tells of a trajectory.
fn open_beside(
    beside: &Beside,
    trajectory: &Trajectory,
    files: Files<'_>,
    problems: &mut Vec<String>,
    seen: &mut BTreeSet<String>,
    content: &mut TrajectoryContent,
) {
    let opened = open_of(beside.format, beside.place, beside.part, files, problems);
    let more = match opened {
        Ok(opened) => opened.content,
        Err(error) => return note(problems, seen, &error),
    };
    if let Some(title) = &beside.title {
        content.steps.push(Step {
            kind: Some(StepKind::Other),
            text: title.clone(),
            ..Step::default()
        });
    }
    content.steps.extend(more.steps);
    content.tests.extend(more.tests);
    // A trace may hold a patch that is not what was handed in: the index tells whether it counts.
    if trajectory.patch.presence != PatchPresence::Missing {
        content.patch = content.patch.take().or(more.patch);
    }
}

/// Opens a record through its format.
fn open_of(
    format: FormatId,
    place: Place,
    part: Option<u32>,
    files: Files<'_>,
    problems: &mut Vec<String>,
) -> Result<Opened, OpenError> {
    at(place, files, |body| {
        match FORMATS.get(format).and_then(|format| format.open) {
            Some(open) => open(body, part, problems),
            // Such formats are read through the map of the file.
            None => {
                let map = files.maps.get(&place.file).ok_or_else(|| gone("map"))?;
                mapped::open(map, body, problems)
            }
        }
    })
}

/// Reads a file that is a log, lossily.
fn whole_text(file: usize, files: Files<'_>) -> Result<String, OpenError> {
    whole_bytes(file, files).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a file that is a patch; bytes that are not UTF-8 stay apart from each other.
fn whole_patch(file: usize, files: Files<'_>) -> Result<String, OpenError> {
    whole_bytes(file, files).map(|bytes| decode(&bytes).text.into_owned())
}

fn whole_bytes(file: usize, files: Files<'_>) -> Result<Bytes, OpenError> {
    let Some(file) = files.get(file) else {
        return Err(OpenError::Changed(String::new()));
    };
    file.whole().map_err(|error| OpenError::Read {
        path: shown(&file.path),
        error,
    })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn gone(field: &str) -> JsonError {
    JsonError::Syntax(format!("{field}: the record is not there any more"))
}

/// The fields again when the record is the one expected: it says so, or does not name itself.
fn of<'b, 'a>(
    fields: &'b Fields<'a>,
    key: &str,
    expected: &str,
) -> Result<&'b Fields<'a>, JsonError> {
    match fields.text_or_number(key)? {
        Some(id) if id != expected => Err(gone(key)),
        _ => Ok(fields),
    }
}

fn fields<'b, 'a>(body: &'b Body<'a>) -> Result<&'b Fields<'a>, JsonError> {
    match body {
        Body::Object(fields) => Ok(fields),
        Body::List(_) => Err(gone("record")),
    }
}

/// Reads the record at a place and hands it over.
fn at<T>(
    place: Place,
    files: Files<'_>,
    read: impl FnOnce(&Body<'_>) -> Result<T, JsonError>,
) -> Result<T, OpenError> {
    let Some(file) = files.get(place.file) else {
        return Err(OpenError::Changed(String::new()));
    };
    let path = shown(&file.path);
    let failed = |error| OpenError::Read {
        path: path.clone(),
        error,
    };
    let bytes = match files.rows.get(&(place.file, place.start)) {
        Some(Ok(text)) if place.is_row() => Ok(text.as_bytes().to_vec()),
        Some(Err(reason)) if place.is_row() => Err(std::io::Error::other(reason.clone())),
        _ => file.read(place.start, place.len),
    };
    let bytes = bytes.map_err(failed)?;
    if !place.is_row() && digest(&bytes) != place.digest {
        files.differs.set(Some(place.file));
        return Err(OpenError::Changed(path));
    }
    let mut holder = String::new();
    let result = files::split(&bytes, &mut holder).and_then(|split| match place.element {
        None => read(&split.body),
        Some(index) => {
            let raw = match &split.body {
                Body::Object(fields) => fields.pairs().nth(index).map(|(_, raw)| raw),
                Body::List(items) => items.get(index).copied(),
            };
            let raw = raw.ok_or_else(|| gone("record"))?;
            read(&Body::split(raw.get())?)
        }
    });
    match result {
        Ok(value) => Ok(value),
        Err(_) if file.changed() => Err(OpenError::Changed(path)),
        Err(error) => Err(OpenError::Json { path, error }),
    }
}
