//! Rows as predictions of SWE-bench runs, attempts that a critic judged, and conversations.
//!
//! `output.jsonl` has one attempt an instance; `output.critic_attempt_N.jsonl` beside it has all
//! attempts of round N, the one in `output.jsonl` among them. What is *not* here: reports.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::domain::{Outcome, Trajectory};
use crate::formats::Problem;
use crate::formats::assemble::{Joining, mark_patch};
use crate::formats::found::{Again, FoundTrajectory, RecordAt, TrajectorySource};
use crate::formats::swebench;
use crate::formats::swebench::predictions::{PatchSource, Prediction};
use crate::formats::swebench::reports::TaskReport;

use super::Parts;
use super::conversations::{Conversation, gather};
use super::rows::Row;

/// The round of a critic's file, by its name.
fn round(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    let (_, end) = name.split_once("critic_attempt_")?;
    end.split('.').next()?.parse().ok()
}

/// Whether a file holds rows as the harness reads them, by its name: the same patches with the text
/// around them cut off.
fn is_converted(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().ends_with(".swebench.jsonl"))
}

/// Hands rows that stand for their instance over to the runs of SWE-bench; returns the attempts
/// beside them, and the conversations.
pub(crate) fn prepare(
    parts: Parts,
    runs: &mut swebench::Parts,
    joining: &mut Joining,
) -> (Vec<Row>, Vec<Conversation>) {
    let mut chosen: BTreeMap<(PathBuf, String), Vec<Row>> = BTreeMap::new();
    let mut judged: BTreeMap<(PathBuf, String), Vec<Row>> = BTreeMap::new();
    for mut row in parts.rows {
        let path = joining.path(row.at.file);
        let round = round(&path);
        row.attempt = row.attempt.or(round);
        let folder = path.parent().unwrap_or(&path).to_path_buf();
        let into = if round.is_some() {
            &mut judged
        } else {
            &mut chosen
        };
        into.entry((folder, row.instance.clone()))
            .or_default()
            .push(row);
    }
    let mut beside = Vec::new();
    for (key, mut rows) in judged {
        let Some(known) = chosen.get(&key) else {
            // The run was stopped before it chose: the last attempt stands for the instance.
            rows.sort_by_key(|row| row.attempt);
            let last = rows.pop();
            chosen.insert(key, last.into_iter().collect());
            beside.extend(rows);
            continue;
        };
        let repeats = |row: &Row| {
            known.iter().any(|known| {
                let same =
                    known.patch.sha256 == row.patch.sha256 && known.trace.steps == row.trace.steps;
                same && (known.attempt.is_none() || known.attempt == row.attempt)
            })
        };
        beside.extend(rows.into_iter().filter(|row| !repeats(row)));
    }
    runs.predictions.retain(|prediction| {
        let path = joining.path(prediction.at.file);
        let folder = path.parent().unwrap_or(&path).to_path_buf();
        !(is_converted(&path) && chosen.contains_key(&(folder, prediction.instance.clone())))
    });
    let mut folders: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for ((folder, _), mut rows) in chosen {
        folders.entry(folder).or_default();
        // A file may hold several attempts: the last stands for the instance, as the harness has
        // it. Rows that tell no attempt are told as repeated by the run.
        let last = rows.iter().filter_map(|row| row.attempt).max();
        let others = rows.extract_if(.., |row| row.attempt.is_some() && row.attempt != last);
        beside.extend(others);
        for row in rows {
            hand_over(row, runs);
        }
    }
    let mut alone = Vec::new();
    for conversation in gather(parts.events, parts.states, joining) {
        let mut outer = conversation.path.ancestors().skip(1);
        let run = outer.find(|folder| folders.contains_key(*folder));
        match run.and_then(|folder| folders.get_mut(folder)) {
            Some(count) => *count += 1,
            None => alone.push(conversation),
        }
    }
    for (folder, count) in folders.into_iter().filter(|(_, count)| *count > 0) {
        let reason = format!(
            "{count} conversations lie in a run whose rows hold their histories; the rows count"
        );
        joining.problems.push(Problem::new(&folder, reason));
    }
    (beside, alone)
}

/// Makes a row a prediction with its trace and, when it has a verdict, its report.
fn hand_over(row: Row, runs: &mut swebench::Parts) {
    let mut trace = row.trace;
    trace.instance = Some(row.instance.clone());
    let mut meta = trace.meta.clone();
    if let Some(attempt) = row.attempt {
        meta.0.push(("attempt".to_owned(), attempt.to_string()));
    }
    if let Some(verdict) = row.verdict {
        runs.task_reports.push(TaskReport {
            instance: Some(row.instance.clone()),
            verdict,
            tests: None,
            place: trace.place,
            at: row.at,
        });
    }
    runs.predictions.push(Prediction {
        instance: row.instance,
        model: trace.model.clone(),
        prefix: None,
        patch: row.patch,
        cost_usd: trace.cost_usd,
        resolved: None,
        place: trace.place,
        source: PatchSource::Trace(trace.format),
        row: None,
        at: row.at,
        marks: row.marks,
        meta,
    });
    runs.traces.push(trace);
}

/// Adds the attempts that were not chosen, and conversations that belong to nothing else.
pub(crate) fn attempts(
    beside: Vec<Row>,
    conversations: &[Conversation],
    known: &swebench::Known,
    joining: &mut Joining,
) {
    for row in beside {
        let path = joining.path(row.at.file);
        let folder = path.parent().unwrap_or(&path);
        let run = known.name_of(folder).unwrap_or("run").to_owned();
        let attempt = row.attempt.unwrap_or(0);
        let mut trajectory = Trajectory::new(format!("{run}@{attempt}"), Outcome::Unscored);
        trajectory
            .marks
            .push(format!("attempt {attempt}, not the one handed in"));
        trajectory.marks.extend(row.marks);
        if let Some(verdict) = row.verdict {
            trajectory.outcome = verdict.outcome;
            trajectory.reward = Trajectory::new("", verdict.outcome).reward;
            trajectory.marks.extend(verdict.mark);
        }
        trajectory.patch = row.patch;
        row.trace.put(&mut trajectory);
        mark_patch(&mut trajectory);
        let found = FoundTrajectory {
            trajectory,
            source: TrajectorySource {
                record: Some(RecordAt::Of(row.trace.format, row.trace.place, None)),
                ..TrajectorySource::default()
            },
            order: None,
            again: Again::Number,
            at: row.at,
        };
        joining
            .attempts
            .entry(row.instance)
            .or_default()
            .push(found);
    }
    for conversation in conversations {
        conversation.add_alone(joining);
    }
}
