//! Conversations of the agent SDK and of the old agent: events as files, lines or lists, and the
//! state beside them.
//!
//! What is *not* here: rows that hold their history themselves (`rows`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::diff::summarize;
use crate::domain::{
    Outcome, Step, StepKind, TaskContent, TaskSummary, Trajectory, TrajectoryContent,
};
use crate::formats::assemble::Joining;
use crate::formats::files::{Body, Place, Record};
use crate::formats::found::{
    Again, At, Beside, FormatId, Found, FoundTask, FoundTrajectory, TaskSource, TrajectorySource,
};
use crate::formats::json::{Fields, JsonError};
use crate::formats::native::title;
use crate::formats::rollout::Opened;
use crate::formats::source;

use super::events;

/// One record that holds events: a single one, or a list.
#[derive(Debug, Clone)]
pub(crate) struct Events {
    /// The format whose `open` reads it.
    pub format: FormatId,
    /// Where it is.
    pub place: Place,
    /// File and line.
    pub at: At,
    /// Whether it is a list of events.
    pub list: bool,
    /// Number of steps.
    pub steps: u32,
    /// First line of the first message of the user.
    pub title: Option<String>,
    /// What the record tells of the model: name, input and output tokens, cost. Later ones count.
    pub usage: Usage,
}

/// Model, tokens and cost of a conversation so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Usage {
    model: Option<String>,
    input: Option<u64>,
    output: Option<u64>,
    cost: Option<f64>,
}

/// `base_state.json` beside the events.
#[derive(Debug, Clone)]
pub(crate) struct State {
    /// File.
    pub at: At,
    id: Option<String>,
    status: Option<String>,
    usage: Usage,
}

/// A conversation: its events in order, and what they tell together.
#[derive(Debug)]
pub(crate) struct Conversation {
    /// The folder, or the file of all events.
    pub path: PathBuf,
    events: Vec<Events>,
    state: Option<State>,
}

/// An event of the SDK, or a list of events.
pub(crate) fn is_events(record: &Record<'_>) -> bool {
    match &record.body {
        Body::Object(fields) => record.key.is_none() && events::is_sdk(fields),
        Body::List(items) => {
            record.key.is_none()
                && items
                    .first()
                    .and_then(|raw| Fields::of("", *raw).ok())
                    .is_some_and(|first| events::is_sdk(&first) || events::is_old(&first))
        }
    }
}

/// `base_state.json`: agent and workspace of a conversation.
pub(crate) fn is_state(record: &Record<'_>) -> bool {
    record.has("execution_status") && record.has("agent") && record.has("workspace")
}

/// Reads what the index needs of events.
pub(crate) fn read_events(record: &Record<'_>, found: &mut Found) {
    let mut problems = Vec::new();
    let steps = steps(&record.body, &mut problems);
    for problem in problems {
        found.problem(record, None, problem);
    }
    let asked = steps.iter().find(|step| step.kind() == StepKind::User);
    let mut usage = Usage::default();
    match &record.body {
        Body::Object(fields) => usage.add(fields),
        Body::List(items) => items
            .iter()
            .filter_map(|raw| Fields::of("", *raw).ok())
            .for_each(|fields| usage.add(&fields)),
    }
    found.openhands.events.push(Events {
        format: found.format,
        place: record.place,
        at: At::of(record),
        list: matches!(record.body, Body::List(_)),
        steps: u32::try_from(steps.len()).unwrap_or(u32::MAX),
        title: asked.and_then(|step| title(&step.text)),
        usage,
    });
}

impl Usage {
    /// Takes over what an event tells of tokens and cost.
    fn add(&mut self, event: &Fields<'_>) {
        let text = |key: &str| event.text(key).ok().flatten();
        if text("kind").as_deref() == Some("ConversationStateUpdateEvent") {
            if text("key").as_deref() == Some("stats")
                && let Some(stats) = event.object("value").ok().flatten()
            {
                *self = Self::of_stats(&stats);
            }
        } else if let Some(metrics) = event.object("llm_metrics").ok().flatten() {
            *self = Self::of_metrics(&metrics);
        }
    }

    /// The sum over every use of a model.
    fn of_stats(stats: &Fields<'_>) -> Self {
        let mut sum = Self::default();
        let uses = stats.object("usage_to_metrics").ok().flatten();
        for (name, raw) in uses.unwrap_or_default().pairs() {
            let Ok(metrics) = Fields::of(name, raw) else {
                continue;
            };
            let one = Self::of_metrics(&metrics);
            let plus = |sum: Option<u64>, one: Option<u64>| {
                one.map(|one| sum.unwrap_or(0).saturating_add(one)).or(sum)
            };
            sum.input = plus(sum.input, one.input);
            sum.output = plus(sum.output, one.output);
            sum.cost = one
                .cost
                .map(|one| sum.cost.unwrap_or(0.0) + one)
                .or(sum.cost);
            sum.model = sum.model.or(one.model);
        }
        sum
    }

    fn of_metrics(metrics: &Fields<'_>) -> Self {
        let usage = metrics.object("accumulated_token_usage").ok().flatten();
        let usage = usage.unwrap_or_default();
        let model = |fields: &Fields<'_>, key: &str| {
            let name = fields.text(key).ok().flatten();
            name.filter(|name| name != "default")
        };
        let cost = metrics.number("accumulated_cost").ok().flatten();
        Self {
            model: model(metrics, "model_name").or_else(|| model(&usage, "model")),
            input: usage.count("prompt_tokens").ok().flatten(),
            output: usage.count("completion_tokens").ok().flatten(),
            cost: cost.filter(|cost| cost.is_finite()),
        }
    }

    /// Takes over what a later event tells.
    fn later(&mut self, later: &Self) {
        if let Some(model) = &later.model {
            self.model = Some(model.clone());
        }
        self.input = later.input.or(self.input);
        self.output = later.output.or(self.output);
        self.cost = later.cost.or(self.cost);
    }
}

/// Reads the state of a conversation.
pub(crate) fn read_state(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let agent = fields.object("agent").ok().flatten().unwrap_or_default();
    let llm = agent.object("llm").ok().flatten().unwrap_or_default();
    let stats = fields.object("stats").ok().flatten();
    let mut usage = Usage::of_stats(&stats.unwrap_or_default());
    usage.model = llm.text("model").ok().flatten().or(usage.model);
    let id = found.id(record, fields, "id");
    let id = found.note(record, "base_state", id);
    found.openhands.states.push(State {
        at: At::of(record),
        id,
        status: fields.text("execution_status").ok().flatten(),
        usage,
    });
}

fn steps(body: &Body<'_>, problems: &mut Vec<String>) -> Vec<Step> {
    match body {
        Body::List(items) => events::history(items, problems),
        Body::Object(fields) => {
            let mut out = Vec::new();
            if let Err(error) = events::event(fields, &mut None, &mut out) {
                problems.push(error.to_string());
            }
            out
        }
    }
}

/// Opens events.
///
/// # Errors
/// Never: an event that cannot be read is told and shown as it is.
pub(crate) fn open(
    body: &Body<'_>,
    _part: Option<u32>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let steps = steps(body, problems);
    let asked = steps.iter().find(|step| step.kind() == StepKind::User);
    let task = TaskContent {
        text: asked.map(|step| step.text.clone()),
        ..TaskContent::default()
    };
    Ok(Opened {
        content: TrajectoryContent {
            steps,
            ..TrajectoryContent::default()
        },
        task,
    })
}

/// Sorts events into conversations: those in one file, or in one folder with a file each.
pub(super) fn gather(
    events: Vec<Events>,
    states: Vec<State>,
    joining: &Joining,
) -> Vec<Conversation> {
    let mut by_file: BTreeMap<usize, Vec<Events>> = BTreeMap::new();
    for event in events {
        by_file.entry(event.at.file).or_default().push(event);
    }
    let mut states: BTreeMap<PathBuf, State> = states
        .into_iter()
        .filter_map(|state| {
            let path = joining.path(state.at.file);
            Some((path.parent()?.to_path_buf(), state))
        })
        .collect();
    let mut found: BTreeMap<PathBuf, Vec<Events>> = BTreeMap::new();
    for (file, events) in by_file {
        let path = joining.path(file);
        let single = matches!(events.as_slice(), [one] if one.at.line.is_none());
        let folder = path.parent().filter(|_| single).map(|folder| {
            let is_inner = folder.file_name().is_some_and(|name| name == "events");
            match folder.parent() {
                Some(outer) if is_inner => outer,
                _ => folder,
            }
        });
        // A list of events is a conversation of its own.
        let alone = events.iter().any(|events| events.list);
        let path = match folder {
            Some(folder) if !alone => folder.to_path_buf(),
            _ => path,
        };
        found.entry(path).or_default().extend(events);
    }
    found
        .into_iter()
        .map(|(path, mut events)| {
            events.sort_by_cached_key(|event| (joining.path(event.at.file), event.place.start));
            let state = states.remove(&path).or_else(|| {
                let folder = path.parent()?;
                states.remove(folder)
            });
            Conversation {
                path,
                events,
                state,
            }
        })
        .collect()
}

impl Conversation {
    /// Writes what the events tell into a trajectory; what it already knows stays.
    pub(crate) fn describe(&self, trajectory: &mut Trajectory) {
        let steps = self
            .events
            .iter()
            .fold(0_u32, |sum, event| sum.saturating_add(event.steps));
        trajectory.steps = Some(trajectory.steps.unwrap_or(0).saturating_add(steps));
        let mut usage = Usage::default();
        for event in &self.events {
            usage.later(&event.usage);
        }
        if let Some(state) = &self.state {
            usage.later(&state.usage);
            if trajectory.exit_status.is_none() {
                trajectory.exit_status.clone_from(&state.status);
            }
        }
        trajectory.input_tokens = trajectory.input_tokens.or(usage.input);
        trajectory.output_tokens = trajectory.output_tokens.or(usage.output);
        trajectory.cost_usd = trajectory.cost_usd.or(usage.cost);
        if trajectory.policy.is_none() {
            trajectory.policy = usage.model;
        }
    }

    /// Where the texts are.
    pub(crate) fn beside(&self) -> impl Iterator<Item = Beside> {
        self.events
            .iter()
            .map(|event| Beside::new(event.format, event.place, None))
    }

    /// The task's title and where its text is: the first message of the user.
    pub(crate) fn task(&self) -> Option<(String, TaskSource)> {
        self.events.iter().find_map(|event| {
            let title = event.title.clone()?;
            Some((title, TaskSource::Of(event.format, event.place, None)))
        })
    }

    /// Adds the conversation as an unscored rollout of its own.
    pub(super) fn add_alone(&self, joining: &mut Joining) {
        let Some(first) = self.events.first() else {
            return;
        };
        let name = |path: &Path| source::folder_name(path);
        let is_file = joining.path(first.at.file) == self.path;
        let stem = self.path.file_stem();
        let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
        let own = if is_file { stem } else { name(&self.path) };
        let own = own.unwrap_or_else(|| "conversation".to_owned());
        let outer = self.path.parent().and_then(name);
        let id = self.state.as_ref().and_then(|state| state.id.clone());
        let group = match (&id, is_file) {
            (Some(id), _) => id.clone(),
            (None, true) => outer.unwrap_or_else(|| own.clone()),
            (None, false) => own.clone(),
        };
        let mut trajectory = Trajectory::new(own, Outcome::Unscored);
        trajectory.patch = summarize(None);
        trajectory
            .marks
            .push("a trace without a verdict".to_owned());
        self.describe(&mut trajectory);
        if let Some((title, source)) = self.task() {
            let task = FoundTask {
                summary: TaskSummary {
                    title: Some(title),
                    ..TaskSummary::default()
                },
                source,
                digest: 0,
            };
            joining.told.entry(group.clone()).or_insert(task);
        }
        let attempt = FoundTrajectory {
            trajectory,
            source: TrajectorySource {
                beside: self.beside().collect(),
                ..TrajectorySource::default()
            },
            order: None,
            again: Again::Number,
            at: first.at,
        };
        joining.attempts.entry(group).or_default().push(attempt);
    }
}
