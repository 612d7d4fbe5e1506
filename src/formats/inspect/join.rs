//! Joins samples with the headers of their logs, and names the groups.
//!
//! What is *not* here: reading.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::Parts;
use super::header::Log;
use crate::formats::Problem;
use crate::formats::assemble::Joining;
use crate::formats::found::{Again, FoundTrajectory, TrajectorySource};

/// Samples told one by one when their records are missing; the rest is counted.
const TOLD: usize = 5;

/// Joins everything into rollouts by group. Returns where the logs lie.
pub(crate) fn join(parts: Parts, joining: &mut Joining) -> BTreeSet<PathBuf> {
    let mut logs: BTreeMap<PathBuf, Log> = BTreeMap::new();
    for log in parts.logs {
        // The header knows how it ended, the journal's start does not.
        match logs.get(&log.path) {
            Some(before) if before.status.is_some() || log.status.is_none() => {}
            _ => {
                logs.insert(log.path.clone(), log);
            }
        }
    }
    let mut known: BTreeMap<PathBuf, BTreeSet<(String, i64)>> = BTreeMap::new();
    for sample in &parts.samples {
        let here = known.entry(sample.path.clone()).or_default();
        here.insert((sample.id.clone(), sample.epoch));
    }
    tell_unfinished(&logs, &known, joining);
    let mut lost: BTreeMap<PathBuf, BTreeMap<(String, i64), Option<String>>> = BTreeMap::new();
    for summary in parts.summaries {
        let key = (summary.id, summary.epoch);
        let here = known.get(&summary.path);
        // The journal and the summaries list the same samples.
        if here.is_none_or(|here| !here.contains(&key)) {
            let lost = lost.entry(summary.path).or_default();
            lost.insert(key, summary.error);
        }
    }
    for (path, samples) in &lost {
        tell_lost(path, samples, joining);
    }

    let numbers: BTreeSet<(PathBuf, String)> = parts
        .samples
        .iter()
        .filter(|sample| sample.is_number)
        .map(|sample| (sample.path.clone(), sample.id.clone()))
        .collect();
    let mut owners: HashMap<String, PathBuf> = HashMap::new();
    for mut sample in parts.samples {
        // 1 and "1" are two samples.
        if !sample.is_number && numbers.contains(&(sample.path.clone(), sample.id.clone())) {
            sample.id = format!("\"{}\"", sample.id);
        }
        let mut trajectory = sample.trajectory;
        if let Some(log) = logs.get(&sample.path) {
            let model = log.model.clone().filter(|model| model != "none/none");
            trajectory.policy = model.or(trajectory.policy);
            let words = [("inspect.task", &log.task), ("inspect.status", &log.status)];
            for (key, word) in words {
                let json = word.as_ref().and_then(|w| serde_json::to_string(w).ok());
                let pair = json.map(|json| (key.to_owned(), json));
                trajectory.meta.0.extend(pair);
            }
        }
        // An id means one task within one log.
        let names = names(&sample.id, &sample.path, logs.get(&sample.path));
        let is_free = |name: &String| owners.get(name).is_none_or(|owner| *owner == sample.path);
        let group = names.into_iter().find(is_free).unwrap_or(sample.id);
        owners
            .entry(group.clone())
            .or_insert_with(|| sample.path.clone());
        joining.told.entry(group.clone()).or_insert(sample.task);
        joining
            .attempts
            .entry(group)
            .or_default()
            .push(FoundTrajectory {
                trajectory,
                source: TrajectorySource {
                    record: Some(sample.record),
                    ..TrajectorySource::default()
                },
                order: Some(sample.epoch),
                again: Again::Number,
                at: sample.at,
            });
    }
    logs.into_keys().chain(known.into_keys()).collect()
}

/// Names that a sample's group may have, shortest first; the last one is no other log's. An id that is
/// only a number says nothing without the task.
fn names(id: &str, path: &Path, log: Option<&Log>) -> Vec<String> {
    let mut names = Vec::new();
    let is_number = id.bytes().all(|byte| byte.is_ascii_digit());
    let task = log.and_then(|log| log.task.as_deref());
    // The package of a task does not tell tasks apart.
    let task = task.map(|task| task.rsplit('/').next().unwrap_or(task));
    let of_task = task.map(|task| format!("{task}/{id}"));
    if !is_number || of_task.is_none() {
        names.push(id.to_owned());
    }
    names.extend(of_task.clone());
    let base = of_task.unwrap_or_else(|| id.to_owned());
    let model = log.and_then(|log| log.model.as_deref());
    let model = model.filter(|model| *model != "none/none");
    names.extend(model.map(|model| {
        let model = model.rsplit('/').next().unwrap_or(model);
        format!("{base} ({model})")
    }));
    let parts = path.components().rev();
    let mut place = String::new();
    for part in parts {
        let part = part.as_os_str().to_string_lossy();
        place = if place.is_empty() {
            part.into_owned()
        } else {
            format!("{part}/{place}")
        };
        names.push(format!("{base} ({place})"));
    }
    names
}

/// Tells of logs that were not written to their end, and of those without a sample.
fn tell_unfinished(
    logs: &BTreeMap<PathBuf, Log>,
    known: &BTreeMap<PathBuf, BTreeSet<(String, i64)>>,
    joining: &mut Joining,
) {
    for (path, log) in logs {
        let reason = match (&log.status, &log.error) {
            (None, _) => Some("the log has no header.json: the run did not come to its end".into()),
            (Some(_), error) if !known.contains_key(path) => {
                let status = log.status.as_deref().unwrap_or_default();
                let behind = error.as_ref().map(|error| format!(": {error}"));
                let behind = behind.unwrap_or_default();
                Some(format!("the log has no samples (status {status}{behind})"))
            }
            _ => None,
        };
        if let Some(reason) = reason {
            joining.problems.push(Problem::new(path, reason));
        }
    }
    for path in known.keys().filter(|path| !logs.contains_key(*path)) {
        let reason = "no header.json and no _journal/start.json: task and model are not known";
        joining.problems.push(Problem::new(path, reason));
    }
}

fn tell_lost(
    path: &Path,
    samples: &BTreeMap<(String, i64), Option<String>>,
    joining: &mut Joining,
) {
    for ((id, epoch), error) in samples.iter().take(TOLD) {
        let behind = error.as_ref().map(|error| format!(" ({error})"));
        let reason = format!(
            "listed in the summaries only, its record is missing{}",
            behind.unwrap_or_default()
        );
        let problem = Problem {
            record: Some(format!("{id}/epoch {epoch}")),
            ..Problem::new(path, reason)
        };
        joining.problems.push(problem);
    }
    if samples.len() > TOLD {
        let reason = format!(
            "{} more samples are listed in the summaries only",
            samples.len() - TOLD
        );
        joining.problems.push(Problem::new(path, reason));
    }
}
