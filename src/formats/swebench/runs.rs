//! Joins predictions, reports, task rows, traces and metrics into runs, and runs into groups.
//!
//! What is *not* here: reading.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::domain::{Outcome, Trajectory};
use crate::formats::Problem;
use crate::formats::assemble::{Drafts, mark_patch};
use crate::formats::found::{At, FoundTrajectory, RecordAt, TaskSource, TrajectorySource};

use super::Parts;
use super::metrics::Metrics;
use super::predictions::Prediction;
use super::reports::{RunReport, TaskReport, Verdict};
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

/// Where runs lie, to tell what belongs to one.
#[derive(Debug, Default)]
pub(crate) struct Known {
    folders: BTreeSet<PathBuf>,
}

impl Known {
    /// Whether a file lies in a run's folder of logs or traces.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| {
            path.strip_prefix(folder)
                .is_ok_and(|inside| inside.components().count() > 1)
        })
    }
}

/// One run.
#[derive(Debug, Default)]
struct Run {
    name: String,
    folder: PathBuf,
    /// Stem of the predictions file, when several runs share the folder.
    stem: Option<String>,
    models: BTreeSet<String>,
    predictions: Vec<Prediction>,
    verdicts: BTreeMap<String, (Verdict, At)>,
    rest_failed: bool,
    has_report: bool,
    reports: BTreeMap<String, TaskReport>,
    traces: BTreeMap<String, Trace>,
    metrics: BTreeMap<String, Metrics>,
}

impl Run {
    /// Whether it holds the tasks' reference patches instead of attempts.
    fn is_reference(&self) -> bool {
        let says = |name: &str| {
            name.split(|c: char| !c.is_ascii_alphanumeric())
                .any(|word| ["gold", "golden"].contains(&word.to_ascii_lowercase().as_str()))
        };
        says(&self.name) || (!self.models.is_empty() && self.models.iter().all(|model| says(model)))
    }

    /// Whether a path names this run: its model, its stem or its folder.
    fn is_named_by(&self, path: &Path) -> bool {
        let mut names: Vec<String> = self
            .models
            .iter()
            .map(|model| model.replace('/', "__"))
            .collect();
        names.extend(self.stem.clone());
        names.push(last_name(&self.folder));
        path.components().any(|part| {
            let part = part.as_os_str().to_string_lossy();
            names.iter().any(|name| {
                !name.is_empty()
                    && part
                        .strip_prefix(name.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        })
    }
}

fn last_name(path: &Path) -> String {
    match path.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        // `.` and `..` have no name of their own.
        None => std::fs::canonicalize(path)
            .ok()
            .and_then(|real| {
                real.file_name()
                    .map(|name| name.to_string_lossy().into_owned())
            })
            .unwrap_or_else(|| "run".to_owned()),
    }
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
fn instance_of(path: &Path) -> Option<String> {
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

/// Joins everything into the drafts and tells where the runs lie.
pub(crate) fn join(parts: Parts, drafts: &mut Drafts) -> Known {
    let mut predictions = parts.predictions;
    let mut traces = parts.traces;
    predictions.extend(submissions(&predictions, &mut traces, drafts));
    let mut runs = gather(predictions, drafts);
    name_runs(&mut runs);
    for report in parts.run_reports {
        attach_run_report(report, &mut runs, drafts);
    }
    for report in parts.task_reports {
        attach_task_report(report, &mut runs, drafts);
    }
    let mut stray = BTreeMap::new();
    for trace in traces {
        let path = drafts.path(trace.at.file);
        let id = trace.instance.clone().or_else(|| instance_of(&path));
        match (find_run(&path, &runs, id.as_deref()), id) {
            (Some(run), Some(id)) => {
                runs[run].traces.entry(id).or_insert(trace);
            }
            _ => *stray.entry(path).or_insert(0_usize) += 1,
        }
    }
    for metrics in parts.metrics {
        let path = drafts.path(metrics.at.file);
        match find_run(&path, &runs, Some(&metrics.instance)) {
            Some(run) => {
                runs[run].metrics.insert(metrics.instance.clone(), metrics);
            }
            None => *stray.entry(path).or_insert(0) += 1,
        }
    }
    for (path, count) in stray {
        let reason = format!("{count} traces or metrics belong to no run with predictions");
        drafts.problems.push(Problem::new(&path, reason));
    }
    let known = Known {
        folders: runs.iter().map(|run| run.folder.clone()).collect(),
    };
    let (reference, attempts): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(Run::is_reference);
    for run in attempts {
        add_run(run, drafts);
    }
    for row in parts.tasks {
        let Some(draft) = drafts.groups.get_mut(&row.instance) else {
            continue;
        };
        if !draft.add_task(row.task) {
            let reason = "the task differs from the one told before; the first counts";
            drafts.problem(row.at, &row.instance, reason);
        }
    }
    for prediction in reference.into_iter().flat_map(|run| run.predictions) {
        if let Some(draft) = drafts.groups.get_mut(&prediction.instance) {
            draft.add_reference(TaskSource::Reference(prediction.place));
        }
    }
    known
}

/// Predictions made of the submissions that traces record, for runs without a predictions file.
fn submissions(
    predictions: &[Prediction],
    traces: &mut [Trace],
    drafts: &Drafts,
) -> Vec<Prediction> {
    let folders: BTreeSet<PathBuf> = predictions
        .iter()
        .map(|prediction| run_folder(&drafts.path(prediction.at.file), &prediction.instance))
        .collect();
    let mut out = Vec::new();
    for trace in traces {
        let path = drafts.path(trace.at.file);
        let Some(id) = trace.instance.clone().or_else(|| instance_of(&path)) else {
            continue;
        };
        let in_run = path.ancestors().any(|folder| folders.contains(folder));
        if let (false, Some(patch)) = (in_run, trace.submission.clone()) {
            out.push(Prediction {
                instance: id,
                model: None,
                patch,
                cost_usd: trace.cost_usd,
                resolved: None,
                place: trace.place,
                at: trace.at,
                meta: crate::domain::Extra::default(),
            });
        }
    }
    out
}

/// Sorts predictions into runs: one a folder, unless files of a folder contradict each other or
/// one file holds several models.
fn gather(predictions: Vec<Prediction>, drafts: &mut Drafts) -> Vec<Run> {
    let mut folders: BTreeMap<PathBuf, BTreeMap<usize, Vec<Prediction>>> = BTreeMap::new();
    for prediction in predictions {
        let folder = run_folder(&drafts.path(prediction.at.file), &prediction.instance);
        let files = folders.entry(folder).or_default();
        files
            .entry(prediction.at.file)
            .or_default()
            .push(prediction);
    }
    let mut runs = Vec::new();
    for (folder, files) in folders {
        let apart = files_contradict(&files);
        let mut whole: Vec<Prediction> = Vec::new();
        // Files with many predictions first: per-task copies follow them.
        let mut files: Vec<(usize, Vec<Prediction>)> = files.into_iter().collect();
        files.sort_by_key(|(file, predictions)| (predictions.len() == 1, *file));
        for (file, predictions) in files {
            if apart && predictions.len() > 1 {
                let stem = drafts
                    .path(file)
                    .file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned())
                    .unwrap_or_default();
                by_model(&folder, Some(stem), predictions, &mut runs, drafts);
            } else {
                whole.extend(predictions);
            }
        }
        if !whole.is_empty() {
            by_model(&folder, None, whole, &mut runs, drafts);
        }
    }
    runs
}

/// Whether two files with several predictions give different patches for one task.
fn files_contradict(files: &BTreeMap<usize, Vec<Prediction>>) -> bool {
    let mut last: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (file, predictions) in files
        .iter()
        .filter(|(_, predictions)| predictions.len() > 1)
    {
        let mut own: BTreeMap<&str, &str> = BTreeMap::new();
        for prediction in predictions {
            own.insert(&prediction.instance, &prediction.patch.sha256);
        }
        for (id, hash) in own {
            match last.get(id) {
                Some((_, before)) if *before != hash => return true,
                _ => {
                    last.insert(id, (*file, hash));
                }
            }
        }
    }
    false
}

/// Splits by model when a task occurs with several models, and settles duplicates.
fn by_model(
    folder: &Path,
    stem: Option<String>,
    predictions: Vec<Prediction>,
    runs: &mut Vec<Run>,
    drafts: &mut Drafts,
) {
    let mut models: BTreeMap<(&str, usize), BTreeSet<Option<&str>>> = BTreeMap::new();
    for prediction in &predictions {
        let key = (prediction.instance.as_str(), prediction.at.file);
        models
            .entry(key)
            .or_default()
            .insert(prediction.model.as_deref());
    }
    let several = models.values().any(|models| models.len() > 1);
    let mut parts: BTreeMap<Option<String>, Vec<Prediction>> = BTreeMap::new();
    for prediction in predictions {
        let key = if several {
            prediction.model.clone()
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
        settle(predictions, &mut run, drafts);
        runs.push(run);
    }
}

/// Keeps one prediction a task: of one file the last (as the harness reads it), of several files
/// the first.
fn settle(predictions: Vec<Prediction>, run: &mut Run, drafts: &mut Drafts) {
    let mut place: BTreeMap<String, usize> = BTreeMap::new();
    let mut others = 0_usize;
    for prediction in predictions {
        run.models.extend(prediction.model.clone());
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
            drafts.problem(at, &id, reason);
            continue;
        }
        if !same {
            // What such a record tells is about another patch.
            others += 1;
            continue;
        }
        run.verdicts.extend(told.map(|told| (id, told)));
        before.cost_usd = before.cost_usd.or(prediction.cost_usd);
        if before.meta.0.is_empty() {
            before.meta = prediction.meta;
        }
    }
    if others > 0 {
        let reason = format!(
            "{others} per-task files hold another patch than the run's predictions file; the \
             predictions file counts"
        );
        drafts.problems.push(Problem::new(&run.folder, reason));
    }
}

/// Gives every run its name: the folder's, with the file's stem or outer folders as far as needed
/// to tell runs apart.
fn name_runs(runs: &mut [Run]) {
    for run in runs.iter_mut() {
        let folder = last_name(&run.folder);
        run.name = match &run.stem {
            Some(stem) => format!("{folder}/{stem}"),
            None => folder,
        };
    }
    let mut outer: Vec<PathBuf> = runs
        .iter()
        .map(|run| std::fs::canonicalize(&run.folder).unwrap_or_else(|_| run.folder.clone()))
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

/// The run a file belongs to: the nearest folder above it that is a run; several runs in it are
/// told apart by their names in the path.
fn find_run(path: &Path, runs: &[Run], instance: Option<&str>) -> Option<usize> {
    for folder in path.ancestors().skip(1) {
        let here: Vec<usize> = (0..runs.len())
            .filter(|&index| runs[index].folder == folder)
            .collect();
        match here.as_slice() {
            [] => {}
            [only] => return Some(*only),
            several => {
                let inside = path.strip_prefix(folder).unwrap_or(path);
                let mut named = several
                    .iter()
                    .copied()
                    .filter(|&i| runs[i].is_named_by(inside));
                return named.next();
            }
        }
    }
    let mut named = (0..runs.len()).filter(|&index| {
        runs[index].is_named_by(path)
            && instance.is_none_or(|id| {
                runs[index]
                    .predictions
                    .iter()
                    .any(|prediction| prediction.instance == id)
            })
    });
    match (named.next(), named.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

fn attach_run_report(report: RunReport, runs: &mut [Run], drafts: &mut Drafts) {
    let path = drafts.path(report.at.file);
    let Some(index) = find_run(&path, runs, None) else {
        let reason = "the report belongs to no run with predictions";
        drafts.problems.push(Problem::new(&path, reason));
        return;
    };
    let run = &mut runs[index];
    run.has_report = true;
    run.rest_failed |= report.rest_failed;
    let known: BTreeSet<&str> = run
        .predictions
        .iter()
        .map(|prediction| prediction.instance.as_str())
        .collect();
    let mut orphans = Vec::new();
    let mut contradictions = Vec::new();
    for (id, verdict) in report.verdicts {
        if !known.contains(id.as_str()) {
            if verdict.outcome == Outcome::Pass {
                orphans.push(id);
            }
            continue;
        }
        if let Some((before, _)) = run.verdicts.get(&id)
            && contradicts(before, &verdict)
        {
            contradictions.push((id.clone(), before.outcome, verdict.outcome));
        }
        run.verdicts.insert(id, (verdict, report.at));
    }
    for id in orphans {
        drafts.problem(
            report.at,
            &id,
            "listed as resolved but has no prediction; left out",
        );
    }
    for (id, before, now) in contradictions {
        tell_contradiction(drafts, report.at, &id, before, now);
    }
}

/// Whether two verdicts say pass and fail.
fn contradicts(before: &Verdict, now: &Verdict) -> bool {
    before.outcome != now.outcome
        && before.outcome != Outcome::Unscored
        && now.outcome != Outcome::Unscored
}

fn tell_contradiction(drafts: &mut Drafts, at: At, id: &str, before: Outcome, now: Outcome) {
    let reason = format!(
        "{} here contradicts {} told elsewhere; {0} counts",
        now.word(),
        before.word()
    );
    drafts.problem(at, id, reason);
}

fn attach_task_report(mut report: TaskReport, runs: &mut [Run], drafts: &mut Drafts) {
    let path = drafts.path(report.at.file);
    let Some(id) = report.instance.take().or_else(|| instance_of(&path)) else {
        return;
    };
    let Some(index) = find_run(&path, runs, Some(&id)) else {
        drafts.problem(
            report.at,
            &id,
            "the report belongs to no run with predictions",
        );
        return;
    };
    let run = &mut runs[index];
    run.has_report = true;
    if run
        .predictions
        .iter()
        .all(|prediction| prediction.instance != id)
    {
        if report.verdict.outcome == Outcome::Pass {
            drafts.problem(
                report.at,
                &id,
                "reported as resolved but has no prediction; left out",
            );
        }
        return;
    }
    let before = run
        .verdicts
        .insert(id.clone(), (report.verdict.clone(), report.at));
    let now = report.verdict.clone();
    let at = report.at;
    run.reports.insert(id.clone(), report);
    if let Some((before, _)) = before
        && contradicts(&before, &now)
    {
        tell_contradiction(drafts, at, &id, before.outcome, now.outcome);
    }
}

/// Adds a run's attempts to their groups.
fn add_run(mut run: Run, drafts: &mut Drafts) {
    if !run.has_report && run.verdicts.is_empty() {
        let reason = format!(
            "no report beside the predictions: {} trajectories are unscored",
            run.predictions.len()
        );
        drafts.problems.push(Problem::new(&run.folder, reason));
    }
    for prediction in std::mem::take(&mut run.predictions) {
        let (id, at) = (prediction.instance.clone(), prediction.at);
        let found = attempt(&mut run, prediction, drafts);
        if !drafts.groups.entry(id.clone()).or_default().add(found) {
            let name = format!("{id}/{}", run.name);
            drafts.problem(at, &name, "the trajectory occurs twice; the first counts");
        }
    }
}

fn attempt(run: &mut Run, prediction: Prediction, drafts: &Drafts) -> FoundTrajectory {
    let id = prediction.instance;
    let verdict = match run.verdicts.remove(&id) {
        Some((verdict, _)) => verdict,
        None if run.rest_failed => Verdict::of_flag(false),
        None => Verdict {
            outcome: Outcome::Unscored,
            mark: Some(
                if run.has_report {
                    "in no list of the report"
                } else {
                    "no report"
                }
                .to_owned(),
            ),
        },
    };
    let mut trajectory = Trajectory::new(run.name.clone(), verdict.outcome);
    trajectory.marks.extend(verdict.mark);
    trajectory.policy = prediction.model;
    trajectory.patch = prediction.patch;
    trajectory.cost_usd = prediction.cost_usd;
    trajectory.meta = prediction.meta;
    let mut source = TrajectorySource {
        record: Some(RecordAt::Prediction(prediction.place)),
        ..TrajectorySource::default()
    };
    if let Some(report) = run.reports.remove(&id) {
        trajectory.tests = report.tests;
        source.report = Some(report.place);
        let log = drafts
            .path(report.at.file)
            .with_file_name("test_output.txt");
        source.log = log.is_file().then_some(log);
    }
    if let Some(trace) = run.traces.remove(&id) {
        trajectory.steps = Some(trace.steps);
        trajectory.exit_status = trace.exit_status;
        trajectory.cost_usd = trajectory.cost_usd.or(trace.cost_usd);
        trajectory.input_tokens = trace.tokens.0;
        trajectory.output_tokens = trace.tokens.1;
        source.trace = Some(trace.place);
    }
    if let Some(metrics) = run.metrics.remove(&id) {
        trajectory.cost_usd = trajectory.cost_usd.or(metrics.cost_usd);
        trajectory.input_tokens = trajectory.input_tokens.or(metrics.input_tokens);
        trajectory.output_tokens = trajectory.output_tokens.or(metrics.output_tokens);
        trajectory.wall_ms = metrics.wall_ms;
    }
    mark_patch(&mut trajectory);
    FoundTrajectory {
        trajectory,
        source,
        at: prediction.at,
    }
}
