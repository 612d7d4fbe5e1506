//! Sorts predictions into runs and names the runs.
//!
//! What is *not* here: what is attached to runs afterwards (`runs`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::diff::{decode, summarize};
use crate::domain::Extra;
use crate::formats::Problem;
use crate::formats::assemble::Joining;
use crate::formats::files::Place;
use crate::formats::found::{At, FoundTrajectory};
use crate::formats::source;

use super::metrics::Metrics;
use super::predictions::{PatchSource, Prediction};
use super::reports::{TaskReport, Verdict};
use super::runs::find_run;
use super::traces::Trace;

/// Folders of a run that hold one file or folder per task.
const PER_TASK: [&str; 6] = [
    "trajs",
    "trajectories",
    "logs",
    "patches",
    "preds",
    "results",
];

/// One run.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    /// Stem of the predictions file, when several runs share the folder.
    pub(super) stem: Option<String>,
    /// The files that its predictions stand in.
    pub(super) files: BTreeSet<PathBuf>,
    pub(super) models: BTreeSet<String>,
    pub(super) prefixes: BTreeSet<String>,
    pub(super) predictions: Vec<Prediction>,
    pub(super) verdicts: BTreeMap<String, (Verdict, At)>,
    pub(super) rest_failed: bool,
    pub(super) has_report: bool,
    pub(super) reports: BTreeMap<String, TaskReport>,
    pub(super) traces: BTreeMap<String, Trace>,
    pub(super) metrics: BTreeMap<String, Metrics>,
    /// Messages from files of columns, by task.
    pub(super) conversations: BTreeMap<String, FoundTrajectory>,
}

impl Run {
    /// Whether it holds the tasks' reference patches instead of attempts: the name of its folder, its
    /// file or all its models is `gold` or `golden`, or ends in `_golden`. Models may have such a word
    /// in their names.
    pub(super) fn is_reference(&self) -> bool {
        let says = |name: &str| {
            let name = name.to_ascii_lowercase();
            ["gold", "golden"].contains(&name.as_str()) || name.ends_with("_golden")
        };
        says(&last_name(&self.folder))
            || says(self.name.rsplit('/').next().unwrap_or_default())
            || self.stem.as_deref().is_some_and(says)
            || (!self.models.is_empty() && self.models.iter().all(|model| says(model)))
    }

    /// Length of the longest name of this run that a part of the path begins with: its model, its
    /// stem or its folder. `None`: the path does not name it.
    pub(super) fn named_by(&self, path: &Path) -> Option<usize> {
        let mut names: Vec<String> = self
            .models
            .iter()
            .map(|model| model.replace('/', "__"))
            .collect();
        names.extend(self.stem.clone());
        names.extend(self.prefixes.iter().cloned());
        names.push(last_name(&self.folder));
        let named = |name: &&String| {
            !name.is_empty()
                && path.components().any(|part| {
                    let part = part.as_os_str().to_string_lossy();
                    let rest = part.strip_prefix(name.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                })
        };
        names.iter().filter(named).map(String::len).max()
    }
}

fn last_name(path: &Path) -> String {
    source::folder_name(path)
        // `.` and `..` have no name of their own.
        .or_else(|| source::folder_name(&source::real_path(path)))
        .unwrap_or_else(|| "run".to_owned())
}

/// The folder of the run that a per-task file belongs to.
fn run_folder(path: &Path, instance: &str) -> PathBuf {
    let mut folder = path.parent().unwrap_or(path);
    if last_name(folder) == instance
        && let Some(outer) = folder.parent()
    {
        folder = outer;
        if PER_TASK.contains(&last_name(folder).as_str())
            && let Some(outer) = folder.parent()
        {
            folder = outer;
        }
    }
    folder.to_path_buf()
}

/// The task a file is about by its name: `<id>.json`, `<id>/report.json`, `<id>/<id>.traj.json`.
pub(super) fn instance_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    for suffix in [".traj.json", ".traj", ".json", ".jsonl"] {
        if let Some(stem) = name.strip_suffix(suffix)
            && !["report", "trajectory", "traj", "messages"].contains(&stem)
        {
            return Some(stem.to_owned());
        }
    }
    path.parent()?
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
}

/// Predictions made of the submissions that traces record, for runs without a predictions file.
pub(super) fn submissions(
    predictions: &[Prediction],
    traces: &[Trace],
    joining: &Joining,
) -> Vec<Prediction> {
    let folders: BTreeSet<PathBuf> = predictions
        .iter()
        .map(|prediction| run_folder(&joining.path(prediction.at.file), &prediction.instance))
        .collect();
    let mut out = Vec::new();
    for trace in traces {
        let path = joining.path(trace.at.file);
        let Some(id) = trace.instance.clone().or_else(|| instance_of(&path)) else {
            continue;
        };
        let in_run = path.ancestors().any(|folder| folders.contains(folder));
        if in_run || !(trace.alone || trace.submission.is_some()) {
            continue;
        }
        let source = match &trace.submission {
            None if !trace.attempts.is_empty() => PatchSource::Attempts,
            _ => PatchSource::Trace(trace.format),
        };
        out.push(Prediction {
            instance: id,
            model: trace.model.clone(),
            prefix: None,
            patch: trace.submission.clone().unwrap_or_else(|| summarize(None)),
            cost_usd: trace.cost_usd,
            resolved: None,
            place: trace.place,
            source,
            row: None,
            at: trace.at,
            marks: Vec::new(),
            meta: Extra::default(),
        });
    }
    out
}

/// Predictions made of the patches beside task reports (`patch.diff`), for log trees of runs
/// whose predictions are not at hand.
pub(super) fn evaluated(
    reports: &[TaskReport],
    runs: &[Run],
    joining: &Joining,
) -> Vec<Prediction> {
    let mut out = Vec::new();
    for report in reports {
        let path = joining.path(report.at.file);
        let Some(id) = report.instance.clone().or_else(|| instance_of(&path)) else {
            continue;
        };
        let patch = path.with_file_name("patch.diff");
        let Some(file) = joining.file_at(&patch) else {
            continue;
        };
        if find_run(&path, runs, Some(&id)).is_some() {
            continue;
        }
        // A patch that cannot be read is told when the group is opened.
        let text = joining.files.get(file).and_then(|file| file.whole().ok());
        let text = text.as_deref().map(|bytes| decode(bytes).text);
        out.push(Prediction {
            instance: id,
            model: None,
            prefix: None,
            patch: summarize(text.as_deref()),
            cost_usd: None,
            resolved: None,
            place: Place {
                file,
                start: 0,
                len: 0,
                element: None,
                digest: 0,
            },
            source: PatchSource::File,
            row: None,
            at: At { file, line: None },
            marks: Vec::new(),
            meta: Extra::default(),
        });
    }
    out
}

/// The predictions of one file.
struct OfFile {
    path: PathBuf,
    predictions: Vec<Prediction>,
}

impl OfFile {
    /// Whether it holds one task, whose name it or the folder around it has: files beside a run's
    /// predictions repeat these one by one.
    fn is_per_task(&self, folder: &Path) -> bool {
        let [only] = self.predictions.as_slice() else {
            return false;
        };
        self.path.parent() != Some(folder)
            || instance_of(&self.path).as_deref() == Some(&only.instance)
    }

    /// The name of its run, when there are others in the folder.
    fn stem(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match name.strip_suffix(".traj.json") {
            Some(stem) => stem.to_owned(),
            None => self
                .path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
        }
    }
}

/// Sorts predictions into runs: one a folder, unless files of a folder contradict each other or
/// one file holds several models.
pub(super) fn gather(predictions: Vec<Prediction>, joining: &mut Joining) -> Vec<Run> {
    let mut folders: BTreeMap<PathBuf, BTreeMap<usize, OfFile>> = BTreeMap::new();
    for prediction in predictions {
        let path = joining.path(prediction.at.file);
        let folder = run_folder(&path, &prediction.instance);
        let files = folders.entry(folder).or_default();
        let file = files.entry(prediction.at.file).or_insert_with(|| OfFile {
            path,
            predictions: Vec::new(),
        });
        file.predictions.push(prediction);
    }
    let mut runs = Vec::new();
    for (folder, files) in folders {
        let apart = apart(&folder, &files);
        let mut whole: Vec<Prediction> = Vec::new();
        let mut named: Vec<(String, Vec<Prediction>)> = Vec::new();
        // Files with many predictions first: per-task copies follow them.
        let mut files: Vec<(usize, OfFile)> = files.into_iter().collect();
        files.sort_by_key(|(index, file)| (file.is_per_task(&folder), *index));
        for (index, mut file) in files {
            name_rows(&mut file);
            if !apart.contains(&index) {
                whole.extend(file.predictions);
                continue;
            }
            // Attempts at several tasks, numbered in a folder for each task, are a run by number.
            let stem = file.stem();
            let is_new = |before: &[Prediction]| {
                let own = &file.predictions;
                let has = |one: &Prediction| before.iter().any(|b| b.instance == one.instance);
                file.is_per_task(&folder) && !own.iter().any(has)
            };
            match named.iter_mut().find(|(name, _)| *name == stem) {
                Some((_, before)) if is_new(before) => before.extend(file.predictions),
                Some(_) => {
                    let inside = file.path.strip_prefix(&folder).unwrap_or(&file.path);
                    named.push((inside.display().to_string(), file.predictions));
                }
                None => named.push((stem, file.predictions)),
            }
        }
        for (stem, predictions) in named {
            by_model(&folder, Some(stem), predictions, &mut runs, joining);
        }
        if !whole.is_empty() {
            by_model(&folder, None, whole, &mut runs, joining);
        }
    }
    runs
}

/// The files of a folder that are runs of their own: those that give another patch for a task than
/// another file, are of another model, or are another trace of it. Files that repeat a run's
/// predictions task by task only contradict each other.
fn apart(folder: &Path, files: &BTreeMap<usize, OfFile>) -> BTreeSet<usize> {
    let mut by_task: BTreeMap<(&str, bool), BTreeMap<usize, &Prediction>> = BTreeMap::new();
    for (index, file) in files {
        let is_per_task = file.is_per_task(folder);
        for prediction in &file.predictions {
            // The last of a task counts.
            let of_task = by_task
                .entry((&prediction.instance, is_per_task))
                .or_default();
            of_task.insert(*index, prediction);
        }
    }
    let mut apart = BTreeSet::new();
    for of_task in by_task.values() {
        for ((a, before), (b, now)) in of_task.iter().zip(of_task.iter().skip(1)) {
            if are_two_rollouts(before, now) {
                apart.extend([*a, *b]);
            }
        }
        // One that differs from its neighbour differs from those that equal the neighbour, too.
        if of_task.keys().any(|file| apart.contains(file)) {
            apart.extend(of_task.keys());
        }
    }
    let is_list = |index: &usize| {
        files
            .get(index)
            .is_some_and(|file| !file.is_per_task(folder))
    };
    if apart.iter().any(is_list) {
        apart.extend(files.keys().filter(|index| is_list(index)));
    }
    apart
}

/// Whether predictions for one task in two files cannot be the same one.
fn are_two_rollouts(a: &Prediction, b: &Prediction) -> bool {
    let differ = |a: Option<&str>, b: Option<&str>| a.zip(b).is_some_and(|(a, b)| a != b);
    let is_trace =
        |one: &Prediction| !matches!(one.source, PatchSource::Record | PatchSource::File);
    let is_whole_file = |one: &Prediction| is_trace(one) && one.at.line.is_none();
    a.patch.sha256 != b.patch.sha256
        || differ(a.label(), b.label())
        || (is_whole_file(a) && is_whole_file(b))
        || (is_trace(a) && is_trace(b) && a.cost_usd != b.cost_usd)
}

/// Names the records of a file in which a task has several that are judged: each is a rollout.
fn name_rows(file: &mut OfFile) {
    let mut records: BTreeMap<(&str, Option<&str>), (usize, bool)> = BTreeMap::new();
    for prediction in &file.predictions {
        let key = (prediction.instance.as_str(), prediction.label());
        let (count, judged) = records.entry(key).or_default();
        *count += 1;
        *judged |= prediction.resolved.is_some();
    }
    if !records
        .values()
        .any(|(count, judged)| *count > 1 && *judged)
    {
        return;
    }
    let stem = file.stem();
    for prediction in &mut file.predictions {
        let place = &prediction.place;
        let number = match (prediction.at.line, place.element) {
            (Some(line), _) => line,
            (None, Some(element)) => element as u64 + 1,
            (None, None) => place.start,
        };
        prediction.row = Some(format!("{stem}:{number}"));
    }
}

/// Whether predictions are of several models, each with a run of its own: every record names its
/// model, a task occurs with several, and none twice with the same. Otherwise the folder is the run
/// and the names are only labels, which some writers leave out or spell in several ways.
fn several_models(predictions: &[Prediction]) -> bool {
    let mut models: BTreeMap<(&str, usize), BTreeSet<&str>> = BTreeMap::new();
    for prediction in predictions {
        let Some(model) = prediction.label() else {
            return false;
        };
        let key = (prediction.instance.as_str(), prediction.at.file);
        if !models.entry(key).or_default().insert(model) {
            return false;
        }
    }
    models.values().any(|models| models.len() > 1)
}

/// Splits by model when there are several, and settles duplicates.
fn by_model(
    folder: &Path,
    stem: Option<String>,
    predictions: Vec<Prediction>,
    runs: &mut Vec<Run>,
    joining: &mut Joining,
) {
    let several = several_models(&predictions);
    let mut parts: BTreeMap<Option<String>, Vec<Prediction>> = BTreeMap::new();
    for prediction in predictions {
        let key = if several {
            prediction.label().map(str::to_owned)
        } else {
            None
        };
        parts.entry(key).or_default().push(prediction);
    }
    for (model, predictions) in parts {
        let stem = match (&stem, model) {
            (stem, None) => stem.clone(),
            (None, Some(model)) => Some(model.replace('/', "__")),
            (Some(stem), Some(model)) => Some(format!("{stem}.{}", model.replace('/', "__"))),
        };
        let mut run = Run {
            folder: folder.to_path_buf(),
            stem,
            ..Run::default()
        };
        settle(predictions, &mut run, joining);
        runs.push(run);
    }
}

/// Keeps one prediction a task: of one file the last (as the harness reads it), of several files
/// the first.
fn settle(predictions: Vec<Prediction>, run: &mut Run, joining: &mut Joining) {
    let mut place: BTreeMap<String, usize> = BTreeMap::new();
    let mut others: Vec<(At, String)> = Vec::new();
    for prediction in predictions {
        run.files.insert(joining.path(prediction.at.file));
        run.models.extend(prediction.model.clone());
        run.prefixes.extend(prediction.prefix.clone());
        if prediction.row.is_some() {
            run.predictions.push(prediction);
            continue;
        }
        let told = prediction
            .resolved
            .map(|flag| (Verdict::of_flag(flag), prediction.at));
        let Some(&index) = place.get(&prediction.instance) else {
            place.insert(prediction.instance.clone(), run.predictions.len());
            run.verdicts
                .extend(told.map(|told| (prediction.instance.clone(), told)));
            run.predictions.push(prediction);
            continue;
        };
        let before = &mut run.predictions[index];
        let same = before.patch.sha256 == prediction.patch.sha256
            && before.patch.presence == prediction.patch.presence;
        let (at, id) = (prediction.at, prediction.instance.clone());
        if before.at.file == at.file {
            *before = prediction;
            run.verdicts.extend(told.map(|told| (id.clone(), told)));
            let reason = if same {
                "the task occurs twice with the same patch"
            } else {
                "the task occurs twice with different patches; the last counts"
            };
            joining.problem(at, &id, reason);
            continue;
        }
        if !same {
            // What such a record tells is about another patch.
            others.push((at, id));
            continue;
        }
        run.verdicts.extend(told.map(|told| (id, told)));
        before.cost_usd = before.cost_usd.or(prediction.cost_usd);
        if before.meta.0.is_empty() {
            before.meta = prediction.meta;
        }
    }
    match others.as_slice() {
        [] => {}
        [(at, id)] => joining.problem(
            *at,
            id,
            "the file holds another patch than the run's predictions file, which counts",
        ),
        [(at, id), ..] => {
            let first = joining.path(at.file);
            let first = first.file_name().unwrap_or_default().to_string_lossy();
            let reason = format!(
                "{} per-task files hold another patch than the run's predictions file, which \
                 counts; the first is {first} ({id})",
                others.len()
            );
            joining.problems.push(Problem::new(&run.folder, reason));
        }
    }
}

/// Gives every run its name: its prefix where the format has one, else the folder's, with the
/// file's stem or outer folders as far as needed to tell runs apart.
pub(super) fn name_runs(runs: &mut [Run]) {
    let mut prefixes: BTreeMap<(PathBuf, String), usize> = BTreeMap::new();
    for run in runs.iter() {
        for prefix in &run.prefixes {
            let key = (run.folder.clone(), prefix.clone());
            *prefixes.entry(key).or_default() += 1;
        }
    }
    for run in runs.iter_mut() {
        let folder = last_name(&run.folder);
        let mut own = run.prefixes.iter();
        let own = match (own.next(), own.next()) {
            // Two files of a folder with the same prefix need their stems.
            (Some(prefix), None) => Some(prefix).filter(|prefix| {
                prefixes.get(&(run.folder.clone(), (*prefix).clone())) == Some(&1)
            }),
            _ => None,
        };
        run.name = match (own, &run.stem) {
            (Some(prefix), _) => prefix.clone(),
            (None, Some(stem)) => format!("{folder}/{stem}"),
            (None, None) => folder,
        };
    }
    let mut outer: Vec<PathBuf> = runs
        .iter()
        .map(|run| source::real_path(&run.folder))
        .collect();
    loop {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for run in runs.iter() {
            *counts.entry(run.name.clone()).or_default() += 1;
        }
        let mut changed = false;
        for (run, folder) in runs.iter_mut().zip(&mut outer) {
            if counts.get(&run.name).is_some_and(|count| *count > 1)
                && folder.pop()
                && let Some(name) = folder.file_name()
            {
                run.name = format!("{}/{}", name.to_string_lossy(), run.name);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}
