//! Joins predictions, reports, task rows, traces and metrics into runs, and runs into groups.
//!
//! What is *not* here: reading.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::domain::{Outcome, Trajectory};
use crate::formats::Problem;
use crate::formats::assemble::{Joining, mark_patch};
use crate::formats::found::{
    Again, At, Beside, FoundGroup, FoundTask, FoundTrajectory, RecordAt, TaskSource,
    TrajectorySource,
};

use super::Parts;
use super::gather::{Run, evaluated, gather, instance_of, name_runs, submissions};
use super::predictions::{PatchSource, Prediction};
use super::reports::{RunReport, TaskReport, Verdict, of_final_report};
use super::traces::Trace;

/// Where runs lie, to tell what belongs to one.
#[derive(Debug, Default)]
pub(crate) struct Known {
    folders: BTreeSet<PathBuf>,
    names: BTreeMap<PathBuf, String>,
}

impl Known {
    /// Adds the places of runs of another format.
    pub(crate) fn add(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        self.folders.extend(folders);
    }

    /// The name of the run in a folder; the first one's when there are several.
    pub(crate) fn name_of(&self, folder: &Path) -> Option<&str> {
        self.names.get(folder).map(String::as_str)
    }

    /// Whether a file lies in a run's folder of logs or traces.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| {
            path.strip_prefix(folder)
                .is_ok_and(|inside| inside.components().count() > 1)
        })
    }
}

/// What joining tells beside the attempts.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    /// Where the runs lie.
    pub known: Known,
    /// Reference patches by task.
    pub references: HashMap<String, Vec<TaskSource>>,
    /// What traces tell of their tasks, by task.
    pub told: HashMap<String, FoundTask>,
}

/// Joins everything into attempts by task. Task rows are not used: they may be about any group.
pub(crate) fn join(parts: Parts, joining: &mut Joining) -> Joined {
    let mut predictions = parts.predictions;
    let traces = parts.traces;
    predictions.extend(submissions(&predictions, &traces, joining));
    let mut runs = gather(predictions, joining);
    let bare = evaluated(&parts.task_reports, &runs, joining);
    runs.extend(gather(bare, joining));
    name_runs(&mut runs);
    for report in parts.run_reports {
        attach_run_report(report, &mut runs, joining);
    }
    let mut stray: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for report in parts.task_reports {
        attach_task_report(report, &mut runs, &mut stray, joining);
    }
    for (path, count) in std::mem::take(&mut stray) {
        let reason = if count == 1 {
            "the report belongs to no run with predictions".to_owned()
        } else {
            format!("{count} reports belong to no run with predictions")
        };
        joining.problems.push(Problem::new(&path, reason));
    }
    let mut told: HashMap<String, FoundTask> = HashMap::new();
    for mut trace in traces {
        let path = joining.path(trace.at.file);
        let id = trace.instance.clone().or_else(|| instance_of(&path));
        match (find_run(&path, &runs, id.as_deref()), id) {
            (Some(run), Some(id)) => {
                if let Some(task) = trace.task.take() {
                    told.entry(id.clone()).or_insert(task);
                }
                runs[run].traces.entry(id).or_insert(trace);
            }
            _ => *stray.entry(path).or_insert(0_usize) += 1,
        }
    }
    for group in parts.conversations {
        attach_conversation(group, &mut runs, &mut told, joining);
    }
    for metrics in parts.metrics {
        let path = joining.path(metrics.at.file);
        match find_run(&path, &runs, Some(&metrics.instance)) {
            Some(run) => {
                runs[run].metrics.insert(metrics.instance.clone(), metrics);
            }
            None => *stray.entry(path).or_insert(0) += 1,
        }
    }
    for (path, count) in stray {
        let reason = format!("{count} traces or metrics belong to no run with predictions");
        joining.problems.push(Problem::new(&path, reason));
    }
    let known = Known {
        folders: runs.iter().map(|run| run.folder.clone()).collect(),
        names: runs
            .iter()
            .rev()
            .map(|run| (run.folder.clone(), run.name.clone()))
            .collect(),
    };
    let (reference, attempts): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(Run::is_reference);
    for run in attempts {
        add_run(run, joining);
    }
    if joining.attempts.is_empty() {
        for run in &reference {
            let reason = format!(
                "{} patches are the tasks' references by the run's name ({}), and no attempt is \
                 beside them: nothing to group",
                run.predictions.len(),
                run.name
            );
            joining.problems.push(Problem::new(&run.folder, reason));
        }
    }
    let mut references: HashMap<String, Vec<TaskSource>> = HashMap::new();
    for prediction in reference.into_iter().flat_map(|run| run.predictions) {
        let of = references.entry(prediction.instance).or_default();
        of.push(TaskSource::Reference(prediction.place));
    }
    Joined {
        known,
        references,
        told,
    }
}

/// The run a file belongs to: the nearest folder above it that is a run; several runs in it are
/// told apart by their names in the path.
pub(super) fn find_run(path: &Path, runs: &[Run], instance: Option<&str>) -> Option<usize> {
    for folder in path.ancestors().skip(1) {
        let here: Vec<usize> = (0..runs.len())
            .filter(|&index| runs[index].folder == folder)
            .collect();
        match here.as_slice() {
            [] => {}
            [only] => return Some(*only),
            several => {
                let inside = path.strip_prefix(folder).unwrap_or(path);
                return of_several(several, runs, (path, inside), instance);
            }
        }
    }
    let mut named = (0..runs.len()).filter(|&index| {
        runs[index].named_by(path).is_some()
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

/// Which of several runs in a folder a file belongs to: the only one whose predictions stand in it,
/// else the one that its path names best, else the only one with its task.
fn of_several(
    several: &[usize],
    runs: &[Run],
    (path, inside): (&Path, &Path),
    instance: Option<&str>,
) -> Option<usize> {
    let only = |mut found: Vec<usize>| found.pop().filter(|_| found.is_empty());
    let all = || several.iter().copied();
    let has_task = |&index: &usize| {
        let mut predictions = runs[index].predictions.iter();
        predictions.any(|prediction| instance == Some(prediction.instance.as_str()))
    };
    let owners = all().filter(|&index| runs[index].files.contains(path));
    if let Some(owner) = only(owners.collect()) {
        return Some(owner);
    }
    let best = all().filter_map(|index| runs[index].named_by(inside)).max();
    if best.is_none() {
        return only(all().filter(has_task).collect());
    }
    let named: Vec<usize> = all()
        .filter(|&index| runs[index].named_by(inside) == best)
        .collect();
    only(named.clone()).or_else(|| only(named.into_iter().filter(has_task).collect()))
}

fn attach_run_report(report: RunReport, runs: &mut [Run], joining: &mut Joining) {
    let path = joining.path(report.at.file);
    let Some(index) = find_run(&path, runs, None) else {
        let reason = "the report belongs to no run with predictions";
        joining.problems.push(Problem::new(&path, reason));
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
        let id = match of_final_report(&id) {
            Some(name) if !known.contains(id.as_str()) => name,
            _ => id,
        };
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
        joining.problem(
            report.at,
            &id,
            "listed as resolved but has no prediction; left out",
        );
    }
    for (id, before, now) in contradictions {
        tell_contradiction(joining, report.at, &id, before, now);
    }
}

/// Gives messages to the prediction of their task in the run around them; without one they are a
/// rollout of their own.
fn attach_conversation(
    group: FoundGroup,
    runs: &mut [Run],
    told: &mut HashMap<String, FoundTask>,
    joining: &mut Joining,
) {
    let path = joining.path(group.at.file);
    let run = find_run(&path, runs, Some(&group.id)).map(|run| &mut runs[run]);
    let free = run.filter(|run| {
        !run.conversations.contains_key(&group.id)
            && !run.traces.contains_key(&group.id)
            && run.predictions.iter().any(|one| one.instance == group.id)
    });
    if let Some(task) = group.task {
        told.entry(group.id.clone()).or_insert(task);
    }
    match free {
        Some(run) => {
            let conversations = group.trajectories.into_iter();
            run.conversations
                .extend(conversations.map(|one| (group.id.clone(), one)));
        }
        None => {
            let attempts = joining.attempts.entry(group.id).or_default();
            attempts.extend(group.trajectories);
        }
    }
}

/// Whether two verdicts say pass and fail.
fn contradicts(before: &Verdict, now: &Verdict) -> bool {
    before.outcome != now.outcome
        && before.outcome != Outcome::Unscored
        && now.outcome != Outcome::Unscored
}

fn tell_contradiction(joining: &mut Joining, at: At, id: &str, before: Outcome, now: Outcome) {
    let reason = format!(
        "{} here contradicts {} told elsewhere; {0} counts",
        now.word(),
        before.word()
    );
    joining.problem(at, id, reason);
}

fn attach_task_report(
    mut report: TaskReport,
    runs: &mut [Run],
    stray: &mut BTreeMap<PathBuf, usize>,
    joining: &mut Joining,
) {
    let path = joining.path(report.at.file);
    let Some(id) = report.instance.take().or_else(|| instance_of(&path)) else {
        return;
    };
    let Some(index) = find_run(&path, runs, Some(&id)) else {
        *stray.entry(path).or_default() += 1;
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
            joining.problem(
                report.at,
                &id,
                "reported as resolved but has no prediction; left out",
            );
        }
        return;
    }
    let now = report.verdict.clone();
    let before = run.verdicts.get(&id).cloned();
    // The summary knows the logs; a bare failure beside its doubt says nothing new.
    let doubted = before.as_ref().is_some_and(|(before, _)| before.infra);
    if !(doubted && now.outcome == Outcome::Fail) {
        run.verdicts.insert(id.clone(), (now.clone(), report.at));
    }
    let at = report.at;
    run.reports.insert(id.clone(), report);
    if let Some((before, _)) = before
        && contradicts(&before, &now)
    {
        tell_contradiction(joining, at, &id, before.outcome, now.outcome);
    }
}

/// Adds a run's attempts to their groups.
fn add_run(mut run: Run, joining: &mut Joining) {
    let judges =
        |prediction: &Prediction| prediction.row.is_some() && prediction.resolved.is_some();
    if !run.has_report && run.verdicts.is_empty() && !run.predictions.iter().any(judges) {
        let mut predictions = run.predictions.iter();
        let has_records = predictions.any(|one| one.source == PatchSource::Record);
        let what = if has_records { "predictions" } else { "traces" };
        let reason = match run.predictions.len() {
            1 => format!("no report beside the {what}: 1 trajectory is unscored"),
            count => format!("no report beside the {what}: {count} trajectories are unscored"),
        };
        let told = Problem::new(&run.folder, reason);
        // Traces alone are no run of a harness: nobody expects reports beside them.
        if has_records {
            joining.problems.push(told);
        } else {
            joining.notes.push(told);
        }
    }
    for prediction in std::mem::take(&mut run.predictions) {
        let id = prediction.instance.clone();
        let found = match prediction.row.clone() {
            Some(row) => vec![of_row(&run, prediction, row)],
            None => rollouts(&mut run, prediction, joining),
        };
        joining.attempts.entry(id).or_default().extend(found);
    }
    if !run.traces.is_empty() {
        let reason = match run.traces.len() {
            1 => "1 trace is of a task that the run has no prediction for; left out".to_owned(),
            count => {
                format!("{count} traces are of tasks that the run has no prediction for; left out")
            }
        };
        joining.problems.push(Problem::new(&run.folder, reason));
    }
}

/// The rollouts behind one prediction: itself, or the attempts of which it is one.
fn rollouts(run: &mut Run, prediction: Prediction, joining: &Joining) -> Vec<FoundTrajectory> {
    let trace = run.traces.remove(&prediction.instance);
    let attempts = trace
        .as_ref()
        .map(|trace| trace.attempts.as_slice())
        .unwrap_or_default();
    if attempts.is_empty() {
        return vec![rollout(run, prediction, trace.as_ref(), joining)];
    }
    let none_of_its_own = prediction.source == PatchSource::Attempts;
    let is_it = |attempt: &&Trace| {
        let submitted = attempt.submission.as_ref();
        none_of_its_own || submitted.is_some_and(|patch| patch.sha256 == prediction.patch.sha256)
    };
    // The top level repeats the attempt that was chosen; without its number the same patch tells.
    let named = trace.as_ref().and_then(|trace| trace.chosen);
    let of_number = |index| attempts.iter().find(|attempt| attempt.part == Some(index));
    let chosen = match named.and_then(of_number) {
        Some(attempt) => Some(attempt).filter(is_it),
        None if none_of_its_own => None,
        None => attempts.iter().find(is_it),
    };
    let chosen = chosen.and_then(|attempt| attempt.part);
    let judged = run.verdicts.contains_key(&prediction.instance);
    let mut out = Vec::with_capacity(attempts.len() + 1);
    let name = |part: u32| format!("{}/attempt-{}", run.name, part + 1);
    let names: Vec<String> = attempts.iter().filter_map(|a| a.part).map(name).collect();
    let mut own = Some(prediction).filter(|_| chosen.is_some() || !none_of_its_own);
    for (attempt, name) in attempts.iter().zip(names) {
        if attempt.part == chosen
            && let Some(mut prediction) = own.take()
        {
            if prediction.source != PatchSource::Record {
                // The top level has the cost of all attempts.
                prediction.cost_usd = None;
            }
            let mut found = rollout(run, prediction, Some(attempt), joining);
            found.trajectory.id.0 = name;
            found.trajectory.marks.push("the attempt chosen".to_owned());
            out.push(found);
            continue;
        }
        let mut trajectory = Trajectory::new(name, Outcome::Unscored);
        let mark = match chosen {
            None if judged && none_of_its_own => "which attempt the report is about is not told",
            None => "an attempt; none is known to be chosen",
            Some(_) => "an attempt that was not chosen",
        };
        trajectory.marks.push(mark.to_owned());
        if let Some(patch) = &attempt.submission {
            trajectory.patch = patch.clone();
        }
        attempt.put(&mut trajectory);
        mark_patch(&mut trajectory);
        out.push(FoundTrajectory {
            trajectory,
            source: TrajectorySource {
                record: Some(RecordAt::Of(attempt.format, attempt.place, attempt.part)),
                ..TrajectorySource::default()
            },
            order: None,
            again: Again::Number,
            at: attempt.at,
        });
    }
    if let Some(prediction) = own {
        out.push(rollout(run, prediction, None, joining));
    }
    out
}

/// The rollout that one of several judged records of a task is: only its own verdict is about it.
fn of_row(run: &Run, prediction: Prediction, row: String) -> FoundTrajectory {
    let verdict = match prediction.resolved {
        Some(flag) => Verdict::of_flag(flag),
        None if run.verdicts.contains_key(&prediction.instance) => {
            Verdict::none("which record of the task the report is about is not told")
        }
        None => Verdict::none("no verdict"),
    };
    let mut trajectory = Trajectory::new(row, verdict.outcome);
    trajectory.marks.extend(verdict.mark);
    trajectory.marks.extend(prediction.marks);
    trajectory.policy = prediction.model;
    trajectory.patch = prediction.patch;
    trajectory.cost_usd = prediction.cost_usd;
    trajectory.meta = prediction.meta;
    mark_patch(&mut trajectory);
    FoundTrajectory {
        trajectory,
        source: TrajectorySource {
            record: Some(RecordAt::Prediction(prediction.place)),
            ..TrajectorySource::default()
        },
        order: None,
        again: Again::Number,
        at: prediction.at,
    }
}

/// The rollout that a prediction is.
fn rollout(
    run: &mut Run,
    prediction: Prediction,
    trace: Option<&Trace>,
    joining: &Joining,
) -> FoundTrajectory {
    let id = prediction.instance;
    let verdict = match run.verdicts.remove(&id) {
        Some((verdict, _)) => verdict,
        None if run.rest_failed => Verdict::of_flag(false),
        None if run.has_report => Verdict::none("in no list of the report"),
        None => Verdict::none("no report"),
    };
    let mut trajectory = Trajectory::new(run.name.clone(), verdict.outcome);
    trajectory.marks.extend(verdict.mark);
    trajectory.marks.extend(prediction.marks);
    trajectory.policy = prediction.model;
    trajectory.patch = prediction.patch;
    trajectory.cost_usd = prediction.cost_usd;
    trajectory.meta = prediction.meta;
    let part = trace.and_then(|trace| trace.part);
    let mut source = TrajectorySource {
        record: Some(match prediction.source {
            PatchSource::File => RecordAt::PatchFile(prediction.place.file),
            PatchSource::Record => RecordAt::Prediction(prediction.place),
            PatchSource::Trace(format) => RecordAt::Of(format, prediction.place, part),
            PatchSource::Attempts => match trace {
                Some(trace) => RecordAt::Of(trace.format, trace.place, part),
                None => RecordAt::Prediction(prediction.place),
            },
        }),
        ..TrajectorySource::default()
    };
    if let Some(report) = run.reports.remove(&id) {
        trajectory.tests = report.tests;
        source.report = Some(report.place);
        let log = joining
            .path(report.at.file)
            .with_file_name("test_output.txt");
        source.log = joining.file_at(&log);
    }
    if let Some(trace) = trace {
        trace.put(&mut trajectory);
        if prediction.source == PatchSource::Attempts
            && let Some(patch) = &trace.submission
        {
            trajectory.patch = patch.clone();
        }
        // A trace that holds the patch as well is opened once.
        if !matches!(source.record, Some(RecordAt::Of(_, place, _)) if place == trace.place) {
            source
                .beside
                .push(Beside::new(trace.format, trace.place, trace.part));
        }
    }
    if let Some(FoundTrajectory {
        trajectory: told,
        source: at,
        ..
    }) = run.conversations.remove(&id)
        && let Some(RecordAt::Of(format, place, part)) = at.record
        && trajectory.steps.is_none()
    {
        trajectory.steps = told.steps;
        trajectory.exit_status = told.exit_status;
        trajectory.cost_usd = trajectory.cost_usd.or(told.cost_usd);
        trajectory.input_tokens = told.input_tokens;
        trajectory.output_tokens = told.output_tokens;
        source.beside.push(Beside::new(format, place, part));
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
        order: None,
        again: Again::Refuse,
        at: prediction.at,
    }
}
