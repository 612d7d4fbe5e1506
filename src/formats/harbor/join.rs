//! Joins trials with what lies in their folders, and tells of trials that are missing.
//!
//! What is *not* here: reading of records.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::diff::{decode, summarize};
use crate::domain::{Outcome, PatchPresence, TaskSummary, TestCounts, Trajectory};
use crate::formats::assemble::Joining;
use crate::formats::atif::chains::{Chain, chains};
use crate::formats::found::{
    Again, At, Beside, FoundTask, FoundTrajectory, RecordAt, TaskSource, TrajectorySource,
};
use crate::formats::json::Fields;
use crate::formats::openhands::Conversation;
use crate::formats::rollout::Verdict;
use crate::formats::source::Candidate;
use crate::formats::swebench::traces::Trace;

use super::trials::{Trial, of_rewards, of_text};
use super::verifier::Report;
use super::{Parts, logs, terminal_bench};

/// Logs longer than this (bytes) are not read to count their steps.
const COUNTED: u64 = 32 << 20;
/// Names of missing trials told one by one.
const TOLD: usize = 5;

/// Where trials and jobs lie, to tell what belongs to one.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    trials: BTreeSet<PathBuf>,
    jobs: BTreeSet<PathBuf>,
}

impl Jobs {
    /// Whether a file lies in a trial's folder, or beside a job's result.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        self.trial(path).is_some()
            || path
                .parent()
                .is_some_and(|folder| self.jobs.contains(folder))
    }

    /// The folder of the trial that a file lies in.
    fn trial(&self, path: &Path) -> Option<&Path> {
        path.ancestors()
            .skip(1)
            .find_map(|folder| self.trials.get(folder))
            .map(PathBuf::as_path)
    }
}

/// What lies in a trial's folder.
#[derive(Debug, Default)]
struct Folder {
    /// Every file, by index, with its path inside the folder.
    files: Vec<(PathBuf, usize)>,
    /// ATIF runs.
    chains: Vec<Chain>,
    /// Traces of other formats, with their path.
    traces: Vec<(PathBuf, Trace)>,
    /// Conversations of OpenHands.
    talks: Vec<Conversation>,
    /// Test reports, with their path.
    reports: Vec<(PathBuf, Report)>,
}

/// Joins everything into the joining and tells where the trials lie.
pub(crate) fn join(
    parts: Parts,
    traces: &mut Vec<Trace>,
    talks: &mut Vec<Conversation>,
    joining: &mut Joining,
) -> Jobs {
    let folder_of = |at: At, joining: &Joining| {
        let path = joining.path(at.file);
        path.parent().map_or_else(PathBuf::new, Path::to_path_buf)
    };
    let own = |part: Option<u32>, at: At, joining: &Joining| {
        part.is_none().then(|| folder_of(at, joining))
    };
    let mut jobs = Jobs::default();
    for trial in &parts.trials {
        jobs.trials.extend(own(trial.part, trial.at, joining));
    }
    for trial in &parts.old {
        jobs.trials.extend(own(trial.part, trial.at, joining));
    }
    let finished = jobs.trials.clone();
    for config in &parts.configs {
        jobs.trials.insert(folder_of(config.at, joining));
    }
    for job in &parts.jobs {
        jobs.jobs.insert(folder_of(job.at, joining));
    }
    for run in &parts.runs {
        jobs.jobs.insert(folder_of(run.at, joining));
    }
    tell_missing(&parts, &finished, joining);
    let mut folders = sort_files(&jobs, joining);
    let mut lone = Vec::new();
    let tasks: BTreeMap<PathBuf, String> = parts
        .trials
        .iter()
        .filter_map(|trial| Some((own(trial.part, trial.at, joining)?, trial.task.clone())))
        .collect();
    for chain in chains(parts.documents, joining) {
        let trial = jobs.trial(&chain.path).map(Path::to_path_buf);
        let is_its = |folder: &PathBuf| {
            let task = tasks.get(folder);
            task.is_none_or(|task| chain.path.parent() != Some(folder) || may_be_of(&chain, task))
        };
        match trial.filter(is_its) {
            Some(folder) => folders.entry(folder).or_default().chains.push(chain),
            None => lone.push(chain),
        }
    }
    let (inside, outside) = std::mem::take(traces)
        .into_iter()
        .partition(|trace| jobs.trial(&joining.path(trace.at.file)).is_some());
    *traces = outside;
    for trace in inside as Vec<Trace> {
        let path = joining.path(trace.at.file);
        if let Some(folder) = jobs.trial(&path) {
            let folder = folders.entry(folder.to_path_buf()).or_default();
            folder.traces.push((path, trace));
        }
    }
    for talk in std::mem::take(talks) {
        match jobs.trial(&talk.path) {
            Some(folder) => {
                let folder = folders.entry(folder.to_path_buf()).or_default();
                folder.talks.push(talk);
            }
            None => talks.push(talk),
        }
    }
    for report in parts.reports {
        let path = joining.path(report.at.file);
        match jobs.trial(&path) {
            Some(folder) => {
                let folder = folders.entry(folder.to_path_buf()).or_default();
                folder.reports.push((path, report));
            }
            None => joining.problem(report.at, "tests", "the test report belongs to no trial"),
        }
    }
    let mut checksums = BTreeMap::new();
    let mut sources = BTreeMap::new();
    let mut names: BTreeSet<(PathBuf, String)> = BTreeSet::new();
    let (listed, alone): (Vec<Trial>, Vec<Trial>) = parts
        .trials
        .into_iter()
        .partition(|trial| trial.part.is_some());
    for trial in alone.into_iter().chain(listed) {
        let folder = folder_of(trial.at, joining);
        let job = match trial.part {
            Some(_) => folder.clone(),
            None => folder.parent().map_or_else(PathBuf::new, Path::to_path_buf),
        };
        // A job may repeat the results that lie in its trials' folders.
        if !names.insert((job, trial.trajectory.id.0.clone())) && trial.part.is_some() {
            continue;
        }
        check_task(&trial, &mut checksums, joining);
        let inside = match trial.part {
            None => folders.remove(&folder).unwrap_or_default(),
            Some(_) => Folder::default(),
        };
        let group = group_of(&trial, &mut sources);
        add_trial(trial, (&folder, &inside), &group, joining);
    }
    add_old(parts.old, &parts.runs, folders, joining);
    for chain in lone {
        add_lone(&chain, joining);
    }
    jobs
}

/// Whether a trace right beside a result, where Harbor puts none, may be of that trial: it tells the
/// trial's task, or no task at all.
fn may_be_of(chain: &Chain, task: &str) -> bool {
    let first = &chain.documents[0];
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
    match first.task.as_ref().or(first.session.as_ref()) {
        Some(told) if first.task.is_some() => last(told) == last(task),
        Some(_) => {
            let name = chain.path.file_stem().unwrap_or_default();
            name.to_string_lossy().starts_with("trajectory")
        }
        None => true,
    }
}

/// The files in each trial's folder.
fn sort_files(jobs: &Jobs, joining: &Joining) -> BTreeMap<PathBuf, Folder> {
    let mut folders: BTreeMap<PathBuf, Folder> = BTreeMap::new();
    if jobs.trials.is_empty() {
        return folders;
    }
    for (index, file) in joining.files.iter().enumerate() {
        if let Some(folder) = jobs.trial(&file.path)
            && let Ok(inside) = file.path.strip_prefix(folder)
        {
            let inside = inside.to_path_buf();
            let folder = folders.entry(folder.to_path_buf()).or_default();
            folder.files.push((inside, index));
        }
    }
    folders
}

/// Tells of trials that were started or counted and have no result.
fn tell_missing(parts: &Parts, finished: &BTreeSet<PathBuf>, joining: &mut Joining) {
    for config in &parts.configs {
        let path = joining.path(config.at.file);
        if path
            .parent()
            .is_some_and(|folder| !finished.contains(folder))
        {
            let reason = "the trial has no result.json: it crashed or is still running";
            joining.problem(config.at, &config.name, reason);
        }
    }
    for job in &parts.jobs {
        let path = joining.path(job.at.file);
        let Some(folder) = path.parent() else {
            continue;
        };
        let here: BTreeSet<&str> = parts
            .trials
            .iter()
            .filter(|trial| {
                let of = joining.path(trial.at.file);
                match trial.part {
                    Some(_) => of == path,
                    None => of.parent().and_then(Path::parent) == Some(folder),
                }
            })
            .map(|trial| trial.trajectory.id.as_str())
            .collect();
        let gone: BTreeSet<&str> = job
            .names
            .iter()
            .map(String::as_str)
            .filter(|name| !here.contains(name))
            .collect();
        let expected = job.expected.unwrap_or(0);
        let missing = expected
            .saturating_sub(here.len() as u64)
            .max(gone.len() as u64);
        if missing == 0 {
            continue;
        }
        let mut reason = format!("{missing} of {expected} trials of the job are not there");
        if !gone.is_empty() {
            let shown: Vec<&str> = gone.iter().copied().take(TOLD).collect();
            reason.push_str(": ");
            reason.push_str(&shown.join(", "));
            if gone.len() > TOLD {
                reason.push_str(", …");
            }
        }
        let name = folder.file_name().map(|name| name.to_string_lossy());
        let name = name.unwrap_or_default().into_owned();
        joining.problem(job.at, &name, reason);
    }
}

/// The group of a trial: its task; of a further source, with the source's name behind it.
fn group_of(trial: &Trial, sources: &mut BTreeMap<String, Option<String>>) -> String {
    let first = sources
        .entry(trial.task.clone())
        .or_insert_with(|| trial.source.clone());
    match &trial.source {
        Some(source) if *first != trial.source => format!("{} ({source})", trial.task),
        _ => trial.task.clone(),
    }
}

/// Tells when two trials of one task were judged by different tests.
fn check_task(
    trial: &Trial,
    checksums: &mut BTreeMap<(String, Option<String>), String>,
    joining: &mut Joining,
) {
    let Some(checksum) = &trial.checksum else {
        return;
    };
    let key = (trial.task.clone(), trial.source.clone());
    let before = checksums.entry(key).or_insert_with(|| checksum.clone());
    if before != checksum {
        let name = format!("{}/{}", trial.task, trial.trajectory.id);
        let reason = format!(
            "task_checksum {} differs from {} of another trial: the task was changed in between",
            short(checksum),
            short(before)
        );
        joining.problem(trial.at, &name, reason);
    }
}

fn short(checksum: &str) -> String {
    checksum.chars().take(12).collect()
}

/// The step of a multi-step trial that a file belongs to, and its path inside that step.
fn step_of(inside: &Path) -> (Option<String>, &Path) {
    let mut parts = inside.components();
    if parts.next().is_some_and(|part| part.as_os_str() == "steps")
        && let Some(name) = parts.next()
        && parts.clone().next().is_some()
    {
        let name = name.as_os_str().to_string_lossy().into_owned();
        return (Some(name), parts.as_path());
    }
    (None, inside)
}

fn has_extension(path: &Path, wanted: &[&str]) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| wanted.contains(&extension))
}

/// Adds a trial, `inside` of whose folder its traces and tests lie, to a group.
fn add_trial(
    mut trial: Trial,
    (folder, inside): (&Path, &Folder),
    group: &str,
    joining: &mut Joining,
) {
    read_reward(&mut trial, inside, joining);
    let mut source = TrajectorySource {
        record: Some(RecordAt::Of(trial.format, trial.place, trial.part)),
        ..TrajectorySource::default()
    };
    let trajectory = &mut trial.trajectory;
    if trial.exception.is_none()
        && let Some((_, file)) = find(inside, |path| path == Path::new("exception.txt"))
    {
        trajectory
            .marks
            .push("exception.txt beside the result".to_owned());
        source.texts.push(file);
        if let Some(log) = joining.files.get(file) {
            add_log(log, trajectory);
        }
    }
    let (title, task) = attach_traces(trajectory, &mut source, folder, inside, joining);
    attach_tests(trajectory, &mut source, inside);
    attach_patch(trajectory, &mut source, inside, joining);
    let task = task.map(|source| FoundTask {
        summary: TaskSummary {
            title,
            ..TaskSummary::default()
        },
        source,
        // Prompts differ between agents; the checksum tells whether the task does.
        digest: 0,
    });
    let attempt = FoundTrajectory {
        trajectory: trial.trajectory,
        source,
        order: None,
        again: Again::Number,
        at: trial.at,
    };
    add(group.to_owned(), attempt, task, joining);
}

/// Adds a rollout to its group.
fn add(group: String, attempt: FoundTrajectory, task: Option<FoundTask>, joining: &mut Joining) {
    if let Some(task) = task {
        joining.told.entry(group.clone()).or_insert(task);
    }
    joining.attempts.entry(group).or_default().push(attempt);
}

fn find(inside: &Folder, is: impl Fn(&Path) -> bool) -> Option<(&Path, usize)> {
    inside
        .files
        .iter()
        .find(|(path, _)| is(path))
        .map(|(path, file)| (path.as_path(), *file))
}

/// Reads the reward that the verifier wrote: it counts when the result has none, and is told when
/// it says something else.
fn read_reward(trial: &mut Trial, inside: &Folder, joining: &mut Joining) {
    let pass_at = trial.pass_at;
    let written = ["reward.txt", "reward.json"].into_iter().find_map(|name| {
        let path = Path::new("verifier").join(name);
        let (_, file) = find(inside, |inside| inside == path)?;
        let bytes = joining.files.get(file)?.whole().ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let verdict = match Fields::parse(text.as_bytes()) {
            Ok(fields) => of_rewards(&fields, pass_at).ok()?,
            Err(_) => of_text(&text, pass_at)?,
        };
        Some((format!("verifier/{name}"), verdict))
    });
    let trajectory = &mut trial.trajectory;
    match (trial.unjudged.take(), written) {
        (Some(_), Some((name, verdict))) => {
            verdict.put(trajectory);
            trajectory
                .marks
                .push(format!("reward from {name}: the result has none"));
            if let Some(exception) = &trial.exception {
                trajectory
                    .marks
                    .push(format!("{exception} beside the reward"));
            }
        }
        (Some(mark), None) => Verdict::unscored(mark).put(trajectory),
        (None, Some((name, verdict))) => {
            if let (Some(told), Some(written)) = (trajectory.reward, verdict.reward)
                && told != written
            {
                let reason =
                    format!("reward {told} contradicts {written} in {name}; {told} counts");
                let id = trajectory.id.0.clone();
                joining.problem(trial.at, &id, reason);
            }
        }
        (None, None) => {}
    }
}

/// Attaches what tells how the agent went: ATIF runs, else traces of other formats, else logs.
/// Returns the task's title and where its text is.
fn attach_traces(
    trajectory: &mut Trajectory,
    source: &mut TrajectorySource,
    folder: &Path,
    inside: &Folder,
    joining: &Joining,
) -> (Option<String>, Option<TaskSource>) {
    let titled = |mut beside: Beside, path: &Path| {
        let relative = path.strip_prefix(folder).unwrap_or(path);
        if let (Some(step), _) = step_of(relative) {
            beside.title = Some(format!("[step {step} of the trial]"));
        }
        beside
    };
    for chain in &inside.chains {
        chain.describe(trajectory);
        for (index, beside) in chain.beside(joining).into_iter().enumerate() {
            source.beside.push(match index {
                0 => titled(beside, &chain.path),
                _ => beside,
            });
        }
        let first = &chain.documents[0];
        if let Some((patch, place)) = &first.patch {
            trajectory.patch = patch.clone();
            trajectory.marks.push(format!("patch from {place}"));
        }
    }
    if let Some(chain) = inside.chains.first() {
        let first = &chain.documents[0];
        let task = TaskSource::Of(first.format, first.place, None);
        return (first.title.clone(), Some(task));
    }
    let mut told = None;
    for (path, trace) in &inside.traces {
        let beside = Beside::new(trace.format, trace.place, trace.part);
        source.beside.push(titled(beside, path));
        add_trace(trace, trajectory);
        if let (None, Some(task)) = (&told, &trace.task) {
            told = Some((task.summary.title.clone(), task.source));
        }
    }
    for talk in &inside.talks {
        talk.describe(trajectory);
        source.beside.extend(talk.beside());
    }
    if !inside.traces.is_empty() || !inside.talks.is_empty() {
        let said = inside.talks.first().and_then(Conversation::task);
        let said = said.map(|(title, source)| (Some(title), source));
        let (title, task) = told.or(said).unzip();
        return (title.flatten(), task);
    }
    for (path, file) in &inside.files {
        let (_, relative) = step_of(path);
        let is_log = relative.parent() == Some(Path::new("agent"))
            && has_extension(relative, &["txt", "log", "jsonl"]);
        let Some(candidate) = joining.files.get(*file).filter(|file| file.bytes > 0) else {
            continue;
        };
        if !is_log {
            continue;
        }
        source.texts.push(*file);
        add_log(candidate, trajectory);
    }
    (None, None)
}

/// Counts the steps of a log that is shown with a trial.
fn add_log(log: &Candidate, trajectory: &mut Trajectory) {
    let read = (log.bytes <= COUNTED).then(|| log.whole().ok()).flatten();
    let count = read.map_or(1, |bytes| {
        logs::steps("", &String::from_utf8_lossy(&bytes)).len()
    });
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    trajectory.steps = Some(trajectory.steps.unwrap_or(0).saturating_add(count));
}

/// Writes what a trace of another format tells into a trial; what is known already stays.
fn add_trace(trace: &Trace, trajectory: &mut Trajectory) {
    let steps = trajectory.steps.unwrap_or(0);
    trajectory.steps = Some(steps.saturating_add(trace.steps));
    trajectory.truncated |= trace.truncated;
    trajectory.cost_usd = trajectory.cost_usd.or(trace.cost_usd);
    trajectory.input_tokens = trajectory.input_tokens.or(trace.tokens.0);
    trajectory.output_tokens = trajectory.output_tokens.or(trace.tokens.1);
    if trajectory.exit_status.is_none() {
        trajectory.exit_status.clone_from(&trace.exit_status);
    }
    if trajectory.policy.is_none() {
        trajectory.policy.clone_from(&trace.model);
    }
    if let Some(patch) = &trace.submission
        && patch.presence == PatchPresence::Diff
    {
        trajectory.patch = patch.clone();
        let mark = "patch from the submission in the trace";
        trajectory.marks.push(mark.to_owned());
    }
}

/// Attaches test reports and the test run's log.
fn attach_tests(trajectory: &mut Trajectory, source: &mut TrajectorySource, inside: &Folder) {
    for (_, report) in &inside.reports {
        let before = trajectory.tests.unwrap_or_default();
        trajectory.tests = Some(TestCounts {
            passed: before.passed.saturating_add(report.counts.passed),
            failed: before.failed.saturating_add(report.counts.failed),
        });
        source
            .beside
            .push(Beside::new(report.format, report.place, None));
    }
    let logs = inside.files.iter().filter(|(path, _)| {
        let (_, relative) = step_of(path);
        relative == Path::new("verifier/test-stdout.txt")
    });
    for (_, file) in logs {
        if source.log.is_none() {
            source.log = Some(*file);
        } else {
            // A trial of several steps has a log for each.
            source.texts.push(*file);
        }
    }
}

/// Attaches the patch that lies among the artifacts, when there is one.
fn attach_patch(
    trajectory: &mut Trajectory,
    source: &mut TrajectorySource,
    inside: &Folder,
    joining: &Joining,
) {
    let patches: Vec<&(PathBuf, usize)> = inside
        .files
        .iter()
        .filter(|(path, _)| {
            let (_, relative) = step_of(path);
            relative.starts_with("artifacts") && has_extension(relative, &["patch", "diff"])
        })
        .collect();
    match patches.as_slice() {
        [] => {}
        [(path, file)] => {
            // A patch that cannot be read is told when the group is opened.
            let text = joining.files.get(*file).and_then(|file| file.whole().ok());
            let text = text.as_deref().map(|bytes| decode(bytes).text);
            trajectory.patch = summarize(text.as_deref());
            trajectory
                .marks
                .retain(|mark| !mark.starts_with("patch from "));
            trajectory
                .marks
                .push(format!("patch from {}", path.display()));
            source.patch_file = Some(*file);
        }
        several => {
            let mark = format!("{} patches among the artifacts, none taken", several.len());
            trajectory.marks.push(mark);
        }
    }
}

/// Adds the trials of Terminal-Bench; a run repeats the results of its trials.
fn add_old(
    trials: Vec<terminal_bench::Trial>,
    runs: &[terminal_bench::Run],
    mut folders: BTreeMap<PathBuf, Folder>,
    joining: &mut Joining,
) {
    let policies: BTreeMap<PathBuf, &terminal_bench::Run> = runs
        .iter()
        .map(|run| (joining.path(run.at.file), run))
        .filter_map(|(path, run)| Some((path.parent()?.to_path_buf(), run)))
        .collect();
    // Trials by run: of the same name in the same run is the same trial.
    let run_of = |path: &Path| {
        let known = path
            .ancestors()
            .find(|folder| policies.contains_key(*folder));
        known.map(Path::to_path_buf)
    };
    let mut seen: BTreeMap<String, Vec<(PathBuf, Option<usize>)>> = BTreeMap::new();
    let (listed, alone): (Vec<_>, Vec<_>) =
        trials.into_iter().partition(|trial| trial.part.is_some());
    for mut trial in alone.into_iter().chain(listed) {
        let path = joining.path(trial.at.file);
        let folder = path.parent().unwrap_or(&path).to_path_buf();
        let before = seen.entry(trial.trajectory.id.0.clone()).or_default();
        // Twice in one list they are two trials.
        let list = trial.part.map(|_| trial.at.file);
        let mut before_it = before.iter().filter(|(_, of)| *of != list);
        if list.is_some() && before_it.any(|(other, _)| other.starts_with(&folder)) {
            continue;
        }
        before.push((folder.clone(), list));
        if let Some(run) = run_of(&folder) {
            trial.trajectory.policy = policies.get(&run).and_then(|run| run.policy.clone());
        }
        let mut source = TrajectorySource {
            record: Some(RecordAt::Of(trial.format, trial.place, trial.part)),
            ..TrajectorySource::default()
        };
        if trial.part.is_none()
            && let Some(inside) = folders.remove(&folder)
        {
            attach_traces(
                &mut trial.trajectory,
                &mut source,
                &folder,
                &inside,
                joining,
            );
        }
        let task = FoundTask {
            summary: TaskSummary {
                title: trial.title,
                ..TaskSummary::default()
            },
            source: TaskSource::Of(trial.format, trial.place, trial.part),
            digest: 0,
        };
        let attempt = FoundTrajectory {
            trajectory: trial.trajectory,
            source,
            order: None,
            again: Again::Number,
            at: trial.at,
        };
        add(trial.task, attempt, Some(task), joining);
    }
}

/// Adds a trajectory that belongs to no trial as an unscored rollout.
fn add_lone(chain: &Chain, joining: &mut Joining) {
    let first = &chain.documents[0];
    let name = |path: Option<&std::ffi::OsStr>| {
        path.map_or_else(
            || "trajectory".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        )
    };
    let file = name(chain.path.file_stem());
    let group = first.task.clone().or_else(|| first.session.clone());
    let group = group.unwrap_or_else(|| {
        let folder = chain.path.parent().and_then(Path::file_name);
        folder.map_or_else(|| file.clone(), |folder| name(Some(folder)))
    });
    let id = first
        .id
        .clone()
        .unwrap_or_else(|| match (&first.key, first.at.line) {
            (Some(key), _) => format!("{file}.{key}"),
            (None, Some(line)) => format!("{file}:{line}"),
            (None, None) => file.clone(),
        });
    let mut trajectory = Trajectory::new(id, Outcome::Unscored);
    trajectory.patch = summarize(None);
    trajectory
        .marks
        .push("a trace without a verdict".to_owned());
    chain.describe(&mut trajectory);
    if let Some((patch, place)) = &first.patch {
        trajectory.patch = patch.clone();
        trajectory.marks.push(format!("patch from {place}"));
    }
    let task = FoundTask {
        summary: TaskSummary {
            title: first.title.clone(),
            ..TaskSummary::default()
        },
        source: TaskSource::Of(first.format, first.place, None),
        digest: 0,
    };
    let attempt = FoundTrajectory {
        trajectory,
        source: TrajectorySource {
            beside: chain.beside(joining),
            ..TrajectorySource::default()
        },
        order: None,
        again: Again::Number,
        at: first.at,
    };
    add(group, attempt, Some(task), joining);
}
