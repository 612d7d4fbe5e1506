//! ATIF trajectories (`trajectory.json` of Harbor and others), versions 1.0 to 1.8: what the index
//! needs of a document, and its texts.
//!
//! A document names no task and no reward: it is the trace of a trial when it lies in a trial's
//! folder, and an unscored rollout by itself otherwise. What is *not* here: which documents are one
//! run (`chains`) and the steps themselves (`steps`).

pub(crate) mod chains;
mod steps;

use crate::diff::summarize;
use crate::domain::{PatchSummary, TaskContent, TrajectoryContent};

use super::files::{Body, Place, Record};
use super::found::{At, FormatId, Found};
use super::json::{Fields, JsonError, Kind};
use super::rollout::Opened;

use steps::Converted;

/// Keys of `extra` that name the task, in order of preference.
const TASK: [&str; 5] = [
    "task_name",
    "task_id",
    "instance_id",
    "task",
    "trial_task_name",
];

/// What the index knows of one document.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// The format whose `open` reads it.
    pub format: FormatId,
    /// Where it is.
    pub place: Place,
    /// File and line.
    pub at: At,
    /// The key it stands under, in a file that wraps several (`parent`, `child`).
    pub key: Option<String>,
    /// `session_id`.
    pub session: Option<String>,
    /// `trajectory_id` (since 1.7).
    pub id: Option<String>,
    /// The task, when `extra` names it.
    pub task: Option<String>,
    /// Agent and model.
    pub policy: Option<String>,
    /// First line of the task.
    pub title: Option<String>,
    /// Number of steps shown.
    pub steps: u32,
    /// What `final_metrics` tells.
    pub told: Usage,
    /// The sum over the document's own steps; copied context is left out.
    pub own: Usage,
    /// The sum over all its steps.
    pub all: Usage,
    /// `continued_trajectory_ref`.
    pub continued: Option<String>,
    /// Trajectories of sub-agents that are referred to and not embedded: path or id.
    pub refers: Vec<String>,
    /// The patch that the document plainly holds, and where it does.
    pub patch: Option<(PatchSummary, String)>,
    /// What is odd about it.
    pub marks: Vec<String>,
}

/// Tokens and cost.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Usage {
    /// Input tokens.
    pub input: Option<u64>,
    /// Output tokens.
    pub output: Option<u64>,
    /// US dollars.
    pub cost: Option<f64>,
}

impl Usage {
    /// Reads tokens and cost under these keys; what is of another type is left out.
    fn of(fields: &Fields<'_>, keys: [&str; 3]) -> Self {
        Self {
            input: fields.count(keys[0]).ok().flatten(),
            output: fields.count(keys[1]).ok().flatten(),
            cost: fields
                .number(keys[2])
                .ok()
                .flatten()
                .filter(|cost| cost.is_finite()),
        }
    }

    /// The sum; what only one of them tells counts.
    pub(crate) fn plus(self, other: Self) -> Self {
        let sum = |one: Option<u64>, two: Option<u64>| match (one, two) {
            (Some(one), Some(two)) => Some(one.saturating_add(two)),
            _ => one.or(two),
        };
        Self {
            input: sum(self.input, other.input),
            output: sum(self.output, other.output),
            cost: match (self.cost, other.cost) {
                (Some(one), Some(two)) => Some(one + two),
                _ => self.cost.or(other.cost),
            },
        }
    }
}

/// `schema_version` begins with `ATIF-`, or is a bare number beside an agent and steps.
pub(crate) fn is_document(record: &Record<'_>) -> bool {
    record.fields().is_some_and(is_atif)
}

fn is_atif(fields: &Fields<'_>) -> bool {
    let version = fields.text_or_number("schema_version").ok().flatten();
    version.is_some_and(|version| {
        version.starts_with("ATIF-")
            || (version.starts_with(|c: char| c.is_ascii_digit() || c == 'v')
                && fields
                    .raw("steps")
                    .is_some_and(|raw| raw.kind() == Kind::List)
                && fields
                    .raw("agent")
                    .is_some_and(|raw| raw.kind() == Kind::Object))
    })
}

/// Agent and model, as far as they are told.
pub(crate) fn policy(agent: Option<&str>, model: Option<&str>) -> Option<String> {
    match (agent, model) {
        (Some(agent), Some(model)) => Some(format!("{agent} {model}")),
        (one, other) => one.or(other).map(str::to_owned),
    }
}

/// Reads what the index needs of a document.
pub(crate) fn read_document(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let converted = match steps::convert(fields) {
        Ok(converted) => converted,
        Err(error) => {
            found.problem(record, None, format!("the trace cannot be read: {error}"));
            return;
        }
    };
    let name = fields.text("trajectory_id").ok().flatten();
    for reason in &converted.problems {
        found.problem(record, name.as_deref(), reason);
    }
    let mut ids = Vec::new();
    for key in ["session_id", "trajectory_id"] {
        ids.push(match fields.id(key, record.mended) {
            Ok(id) => id.map(|(id, _)| id),
            Err(error) => {
                found.problem(record, None, error.to_string());
                None
            }
        });
    }
    let agent = fields.object("agent").ok().flatten().unwrap_or_default();
    let text = |fields: &Fields<'_>, key: &str| fields.text(key).ok().flatten();
    let extra = fields.object("extra").ok().flatten().unwrap_or_default();
    let model = text(&agent, "model_name").or(converted.model);
    let metrics = fields
        .object("final_metrics")
        .ok()
        .flatten()
        .unwrap_or_default();
    let mut marks = Vec::new();
    if converted.copied > 0 {
        marks.push(format!("{} copied steps shown as one", converted.copied));
    }
    if converted.out_of_order {
        marks.push("step ids are not 1, 2, 3, …".to_owned());
    }
    let document = Document {
        format: found.format,
        place: record.place,
        at: At::of(record),
        key: record.key.clone(),
        id: ids.pop().flatten(),
        session: ids.pop().flatten(),
        task: TASK.iter().find_map(|key| text(&extra, key)),
        policy: policy(text(&agent, "name").as_deref(), model.as_deref()),
        title: converted.task.as_deref().and_then(steps::title),
        steps: u32::try_from(converted.steps.len()).unwrap_or(u32::MAX),
        told: Usage::of(
            &metrics,
            [
                "total_prompt_tokens",
                "total_completion_tokens",
                "total_cost_usd",
            ],
        ),
        own: converted.own,
        all: converted.all,
        continued: text(fields, "continued_trajectory_ref"),
        refers: converted.refers,
        patch: converted
            .patch
            .map(|(patch, place)| (summarize(Some(&patch)), place)),
        marks,
    };
    found.harbor.documents.push(document);
}

/// Opens a document.
///
/// # Errors
/// When its steps are no list.
pub(crate) fn open(
    body: &Body<'_>,
    _part: Option<u32>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let Body::Object(fields) = body else {
        return Err(JsonError::Syntax(
            "the record is not there any more".to_owned(),
        ));
    };
    let Converted {
        steps,
        task,
        patch,
        problems: inner,
        ..
    } = steps::convert(fields)?;
    problems.extend(inner);
    Ok(Opened {
        content: TrajectoryContent {
            patch: patch.map(|(patch, _)| patch),
            steps,
            ..TrajectoryContent::default()
        },
        task: TaskContent {
            text: task,
            ..TaskContent::default()
        },
    })
}
