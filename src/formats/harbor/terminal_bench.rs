//! Terminal-Bench 0.2: `results.json` of a trial and of a run, and `run_metadata.json`.
//!
//! What is *not* here: how trials become rollouts (`join`).

use crate::diff::summarize;
use crate::domain::{
    Extra, Outcome, TaskContent, TestCounts, TestResult, TestStatus, Trajectory, TrajectoryContent,
};
use crate::formats::atif::policy;
use crate::formats::files::{Body, Place, Record};
use crate::formats::found::{At, FormatId, Found};
use crate::formats::json::{Fields, JsonError, text};
use crate::formats::rollout::{self, Opened, Verdict};

use super::trials::elapsed_between;
use super::verifier::status;

/// Keys that are read.
const KEYS: &[&str] = &[
    "id",
    "trial_name",
    "task_id",
    "instruction",
    "is_resolved",
    "failure_mode",
    "parser_results",
    "total_input_tokens",
    "total_output_tokens",
    "trial_started_at",
    "trial_ended_at",
    "agent_started_at",
    "agent_ended_at",
    "test_started_at",
    "test_ended_at",
    "recording_path",
];

/// One trial.
#[derive(Debug, Clone)]
pub(crate) struct Trial {
    /// The format whose `open` reads it.
    pub format: FormatId,
    /// Where the record is.
    pub place: Place,
    /// 0-based element of a run's `results`.
    pub part: Option<u32>,
    /// File.
    pub at: At,
    /// `task_id`: the group.
    pub task: String,
    /// First line of the instruction.
    pub title: Option<String>,
    /// The index entry; its id is `trial_name`.
    pub trajectory: Trajectory,
}

/// Who a run sampled from.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// Agent and model.
    pub policy: Option<String>,
    /// File.
    pub at: At,
}

fn is_trial_fields(fields: &Fields<'_>) -> bool {
    ["trial_name", "task_id", "is_resolved"]
        .iter()
        .all(|key| fields.has(key))
}

/// A trial, or a run that lists its trials under `results`.
pub(crate) fn is_trial(record: &Record<'_>) -> bool {
    record.fields().is_some_and(|fields| {
        is_trial_fields(fields)
            || fields
                .list("results")
                .ok()
                .flatten()
                .and_then(|list| Fields::of("results", *list.first()?).ok())
                .is_some_and(|first| is_trial_fields(&first))
    })
}

/// `run_metadata.json`.
pub(crate) fn is_run(record: &Record<'_>) -> bool {
    record.has("run_id") && record.has("agent_name") && record.has("dataset_name")
}

/// Reads who a run sampled from.
pub(crate) fn read_run(record: &Record<'_>, found: &mut Found) {
    if let Some(fields) = record.fields() {
        let text = |key: &str| fields.text(key).ok().flatten();
        let (agent, model) = (text("agent_name"), text("model_name"));
        found.harbor.runs.push(Run {
            policy: policy(agent.as_deref(), model.as_deref()),
            at: At::of(record),
        });
    }
}

/// Reads a trial, or the trials of a run.
pub(crate) fn read_trial(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    if is_trial_fields(fields) {
        return read_fields(record, fields, None, found);
    }
    let list = found.note(record, "results", fields.list("results"));
    for (index, raw) in list.unwrap_or_default().into_iter().enumerate() {
        match Fields::of("results", raw) {
            Ok(fields) => read_fields(record, &fields, u32::try_from(index).ok(), found),
            Err(error) => found.problem(record, None, error.to_string()),
        }
    }
}

fn read_fields(record: &Record<'_>, fields: &Fields<'_>, part: Option<u32>, found: &mut Found) {
    let mut ids = Vec::new();
    for key in ["task_id", "trial_name"] {
        match found.id(record, fields, key) {
            Ok(Some(id)) if !id.is_empty() => ids.push(id),
            Ok(_) => return found.problem(record, None, format!("{key}: missing or empty")),
            Err(error) => return found.problem(record, None, error.to_string()),
        }
    }
    let [task, name] = ids.as_slice() else {
        return;
    };
    let mut trajectory = Trajectory::new(name.clone(), Outcome::Unscored);
    trajectory.patch = summarize(None);
    let failure = found.note(record, name, fields.text("failure_mode"));
    let failure = failure.filter(|mode| !["unset", "none"].contains(&mode.as_str()));
    match found.note(record, name, fields.boolean("is_resolved")) {
        Some(resolved) => {
            let reward = if resolved { 1.0 } else { 0.0 };
            Verdict::of_reward(Some(reward), found.options.pass_at).put(&mut trajectory);
            if let Some(mode) = &failure {
                trajectory.marks.push(format!("{mode} beside the verdict"));
            }
        }
        None => {
            let mark = match &failure {
                Some(mode) => format!("no verdict: {mode}"),
                None => "no verdict".to_owned(),
            };
            Verdict::unscored(mark).put(&mut trajectory);
        }
    }
    trajectory.truncated = failure.as_deref() == Some("agent_timeout");
    trajectory.exit_status = failure;
    trajectory.input_tokens = found.note(record, name, fields.count("total_input_tokens"));
    trajectory.output_tokens = found.note(record, name, fields.count("total_output_tokens"));
    trajectory.wall_ms = elapsed_between(fields, "agent_started_at", "agent_ended_at")
        .or_else(|| elapsed_between(fields, "trial_started_at", "trial_ended_at"));
    let tests = found.note(record, name, tests(fields).map(Some));
    if let Some(tests) = tests.filter(|tests| !tests.is_empty()) {
        let count = |wanted: &[TestStatus]| {
            let number = tests
                .iter()
                .filter(|test| wanted.contains(&test.status))
                .count();
            u32::try_from(number).unwrap_or(u32::MAX)
        };
        trajectory.tests = Some(TestCounts {
            passed: count(&[TestStatus::Pass]),
            failed: count(&[TestStatus::Fail, TestStatus::Error]),
        });
    }
    let mut extra = fields.extra(KEYS);
    extra.retain(|(_, json)| json.len() <= 4096 && json != "null");
    trajectory.meta = Extra(extra);
    let instruction = fields.text("instruction").ok().flatten();
    let title = instruction.and_then(|text| {
        let mut lines = text.lines().map(str::trim);
        lines.find(|line| !line.is_empty()).map(str::to_owned)
    });
    found.harbor.old.push(Trial {
        format: found.format,
        place: record.place,
        part,
        at: At::of(record),
        task: task.clone(),
        title,
        trajectory,
    });
}

/// Opens a trial.
///
/// # Errors
/// When the trial is not there any more.
pub(crate) fn open(
    body: &Body<'_>,
    part: Option<u32>,
    _problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let fields = rollout::object(body)?;
    let element;
    let fields = match part {
        None => fields,
        Some(part) => {
            let list = fields.list("results")?.unwrap_or_default();
            element = rollout::element(&list, "results", part)?;
            &element
        }
    };
    Ok(Opened {
        content: TrajectoryContent {
            tests: tests(fields)?,
            ..TrajectoryContent::default()
        },
        task: TaskContent {
            text: fields.text("instruction")?,
            ..TaskContent::default()
        },
    })
}

fn tests(fields: &Fields<'_>) -> Result<Vec<TestResult>, JsonError> {
    let results = fields.object("parser_results")?.unwrap_or_default();
    results
        .pairs()
        .map(|(name, raw)| {
            Ok(TestResult {
                name: name.to_owned(),
                group: String::new(),
                status: status(&text(name, raw.get())?),
                message: None,
            })
        })
        .collect()
}
