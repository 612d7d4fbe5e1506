//! `result.json` of a Harbor trial, `result.json` of its job, and `config.json` of a trial.
//!
//! What is *not* here: what else lies in a trial's folder (`join`).

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::diff::summarize;
use crate::domain::{Extra, Outcome, Step, StepKind, Trajectory, TrajectoryContent};
use crate::formats::atif::policy;
use crate::formats::files::{Body, Place, Record};
use crate::formats::found::{At, FormatId, Found};
use crate::formats::json::{self, Fields, JsonError, Kind, Raw, number};
use crate::formats::rollout::{self, Opened, Verdict};

/// Keys that are read, or repeat what other keys tell.
const KEYS: &[&str] = &[
    "schema_version",
    "id",
    "task_name",
    "trial_name",
    "trial_uri",
    "task_id",
    "source",
    "task_checksum",
    "config",
    "agent_info",
    "agent_result",
    "verifier_result",
    "exception_info",
    "started_at",
    "finished_at",
    "environment_setup",
    "agent_setup",
    "agent_execution",
    "verifier",
    "step_results",
    "reward_valid",
];

/// Longest value of an unknown key that is kept in the index, in bytes.
const EXTRA_BYTES: usize = 4096;

/// One trial.
#[derive(Debug, Clone)]
pub(crate) struct Trial {
    /// The format whose `open` reads it.
    pub format: FormatId,
    /// Where the record is.
    pub place: Place,
    /// 0-based element of a job's `trial_results`.
    pub part: Option<u32>,
    /// File.
    pub at: At,
    /// `task_name`: the group.
    pub task: String,
    /// `source`: the data set the task is of.
    pub source: Option<String>,
    /// `task_checksum`.
    pub checksum: Option<String>,
    /// The index entry; its id is `trial_name`.
    pub trajectory: Trajectory,
    /// Why there is no verdict, when the verifier's files may still tell one.
    pub unjudged: Option<String>,
    /// Reward from which a trial passes.
    pub pass_at: f64,
    /// `exception_info.exception_type`.
    pub exception: Option<String>,
}

/// What a job tells of its trials.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// File.
    pub at: At,
    /// `n_total_trials`.
    pub expected: Option<u64>,
    /// The trials it names.
    pub names: Vec<String>,
}

/// That a trial was started.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// `trial_name`.
    pub name: String,
    /// File.
    pub at: At,
}

/// `trial_name` and `task_name` beside what only a result has.
pub(crate) fn is_trial(record: &Record<'_>) -> bool {
    record.has("trial_name")
        && record.has("task_name")
        && (record.has("verifier_result") || record.has("agent_info"))
}

/// `n_total_trials` and `stats`.
pub(crate) fn is_job(record: &Record<'_>) -> bool {
    record.has("n_total_trials") && record.has("stats")
}

/// A trial's configuration: `trial_name` beside the task and where trials go; or a job's.
pub(crate) fn is_config(record: &Record<'_>) -> bool {
    let is_trial = record.has("trial_name") && record.has("task") && record.has("trials_dir");
    is_trial || (record.has("job_name") && record.has("jobs_dir"))
}

/// Reads the configuration of a trial; a job's tells nothing that its result does not.
pub(crate) fn read_config(record: &Record<'_>, found: &mut Found) {
    if let Some(fields) = record.fields()
        && let Some(name) = fields.text("trial_name").ok().flatten()
    {
        found.harbor.configs.push(Config {
            name,
            at: At::of(record),
        });
    }
}

/// Reads a job's result and, when it holds them, its trials.
pub(crate) fn read_job(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let expected = found.note(record, "job", fields.count("n_total_trials"));
    let mut names = Vec::new();
    let stats = fields.object("stats").ok().flatten().unwrap_or_default();
    let evals = stats.object("evals").ok().flatten().unwrap_or_default();
    for (name, raw) in evals.pairs() {
        let Ok(eval) = Fields::of(name, raw) else {
            continue;
        };
        for key in ["reward_stats", "exception_stats"] {
            if let Some(lists) = eval.raw(key) {
                collect_names(&mut names, lists);
            }
        }
    }
    let trials = found.note(record, "job", fields.list("trial_results"));
    for (index, raw) in trials.unwrap_or_default().into_iter().enumerate() {
        let part = u32::try_from(index).ok();
        match Fields::of("trial_results", raw) {
            Ok(fields) => read_fields(record, &fields, part, found),
            Err(error) => found.problem(record, None, error.to_string()),
        }
    }
    found.harbor.jobs.push(Job {
        at: At::of(record),
        expected,
        names,
    });
}

/// Collects the texts in nested lists and objects: the names of trials by reward or exception.
fn collect_names(names: &mut Vec<String>, raw: Raw<'_>) {
    match raw.kind() {
        Kind::Text => names.extend(json::text("", raw.get())),
        Kind::List => {
            for raw in json::list("", raw).unwrap_or_default() {
                collect_names(names, raw);
            }
        }
        Kind::Object => {
            for (_, raw) in Fields::of("", raw).unwrap_or_default().pairs() {
                collect_names(names, raw);
            }
        }
        Kind::Number | Kind::Word => {}
    }
}

/// Reads a trial's result.
pub(crate) fn read_trial(record: &Record<'_>, found: &mut Found) {
    if let Some(fields) = record.fields() {
        read_fields(record, fields, None, found);
    }
}

fn read_fields(record: &Record<'_>, fields: &Fields<'_>, part: Option<u32>, found: &mut Found) {
    let mut ids = Vec::new();
    for key in ["task_name", "trial_name"] {
        match found.id(record, fields, key) {
            Ok(Some(id)) if !id.is_empty() => ids.push(id),
            Ok(_) => return found.problem(record, None, format!("{key}: missing or empty")),
            Err(error) => return found.problem(record, None, error.to_string()),
        }
    }
    let [task, name] = ids.as_slice() else {
        return;
    };
    let exception = found.note(record, name, fields.object("exception_info"));
    let exception = exception.as_ref().map(exception_type);
    let mut trajectory = Trajectory::new(name.clone(), Outcome::Unscored);
    trajectory.patch = summarize(None);
    let unjudged = verdict(record, fields, exception.as_deref(), &mut trajectory, found);
    if let Some(agent) = found.note(record, name, fields.object("agent_info")) {
        let model = agent.object("model_info").ok().flatten();
        let model = model.and_then(|model| model.text("name").ok().flatten());
        let agent = agent.text("name").ok().flatten();
        trajectory.policy = policy(agent.as_deref(), model.as_deref());
    }
    if let Some(result) = found.note(record, name, fields.object("agent_result")) {
        trajectory.input_tokens = found.note(record, name, result.count("n_input_tokens"));
        trajectory.output_tokens = found.note(record, name, result.count("n_output_tokens"));
        let cost = found.note(record, name, result.number("cost_usd"));
        trajectory.cost_usd = cost.filter(|cost| cost.is_finite());
    }
    let time = |key: &str| {
        fields
            .object(key)
            .ok()
            .flatten()
            .and_then(|of| elapsed(&of))
    };
    trajectory.wall_ms = time("agent_execution").or_else(|| elapsed(fields));
    trajectory.truncated = exception.as_deref() == Some("AgentTimeoutError");
    trajectory.exit_status.clone_from(&exception);
    // What cannot be read of them is told when they are opened.
    let own = own_steps(fields, &mut Vec::new()).len();
    trajectory.steps = u32::try_from(own).ok().filter(|own| *own > 0);
    let mut extra = fields.extra(KEYS);
    extra.retain(|(_, json)| json.len() <= EXTRA_BYTES && json != "null");
    trajectory.meta = Extra(extra);
    let text = |key: &str| fields.text(key).ok().flatten();
    found.harbor.trials.push(Trial {
        format: found.format,
        place: record.place,
        part,
        at: At::of(record),
        task: task.clone(),
        source: text("source"),
        checksum: text("task_checksum"),
        trajectory,
        unjudged,
        pass_at: found.options.pass_at,
        exception,
    });
}

/// A traceback without the line of its exception (and the module before its name) at the end, which
/// is shown above it.
fn without_last<'a>(traceback: &'a str, line: &str) -> &'a str {
    let Some(before) = traceback.trim_end().strip_suffix(line) else {
        return traceback;
    };
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let is_module = before[start..]
        .chars()
        .all(|c| c.is_alphanumeric() || "._".contains(c));
    if is_module {
        &before[..start]
    } else {
        traceback
    }
}

fn exception_type(info: &Fields<'_>) -> String {
    let name = info.text("exception_type").ok().flatten();
    name.filter(|name| !name.is_empty())
        .unwrap_or_else(|| "exception".to_owned())
}

/// Writes the verdict into the trajectory. Answers why there is none when the verifier's files may
/// tell one.
fn verdict(
    record: &Record<'_>,
    fields: &Fields<'_>,
    exception: Option<&str>,
    trajectory: &mut Trajectory,
    found: &mut Found,
) -> Option<String> {
    let name = trajectory.id.0.clone();
    let result = found.note(record, &name, fields.object("verifier_result"));
    let rewards = result.and_then(|result| {
        let rewards = found.note(record, &name, result.object("rewards"));
        rewards.filter(|rewards| rewards.keys().next().is_some())
    });
    let cancelled = exception.is_some_and(|name| name.contains("Cancelled"));
    let valid = fields.boolean("reward_valid").ok().flatten() != Some(false);
    let Some(rewards) = rewards else {
        if cancelled {
            Verdict::unscored("cancelled").put(trajectory);
            return None;
        }
        return Some(match exception {
            Some(exception) => format!("no verifier result: {exception}"),
            None => "no verifier result".to_owned(),
        });
    };
    let verdict = of_rewards(&rewards, found.options.pass_at);
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(reason) => {
            found.problem(record, Some(&name), format!("rewards: {reason}"));
            Verdict::unscored("the rewards cannot be read")
        }
    };
    let shown = verdict.reward.map(|reward| reward.to_string());
    match (cancelled, valid) {
        (true, _) => {
            let shown = shown.unwrap_or_else(|| "none".to_owned());
            Verdict::unscored(format!("cancelled (recorded reward: {shown})")).put(trajectory);
        }
        (false, false) => {
            let shown = shown.unwrap_or_else(|| "none".to_owned());
            Verdict::unscored(format!("reward not valid (recorded: {shown})")).put(trajectory);
        }
        (false, true) => {
            verdict.put(trajectory);
            if let Some(exception) = exception {
                trajectory
                    .marks
                    .push(format!("{exception} beside the reward"));
            }
        }
    }
    None
}

/// The verdict that rewards tell: `reward`, or the only one.
pub(super) fn of_rewards(rewards: &Fields<'_>, pass_at: f64) -> Result<Verdict, String> {
    let all: Vec<(&str, &str)> = rewards.pairs().map(|(key, raw)| (key, raw.get())).collect();
    let (raw, rest) = match (rewards.raw("reward"), all.as_slice()) {
        (Some(raw), _) => (Some(raw), all.len() - 1),
        (None, [(key, _)]) => (rewards.raw(key), 0),
        (None, _) => (None, all.len()),
    };
    let shown = || {
        let shown: Vec<String> = all
            .iter()
            .map(|(key, raw)| format!("{key} {raw}"))
            .collect();
        shown.join(", ")
    };
    if raw.is_none() {
        return Ok(Verdict::unscored(format!("several rewards: {}", shown())));
    }
    let mut verdict = Verdict::of(raw, pass_at)?;
    if rest > 0 && verdict.mark.is_none() {
        verdict.mark = Some(format!("rewards: {}", shown()));
    }
    Ok(verdict)
}

/// The reward in a text file: one number.
pub(super) fn of_text(text: &str, pass_at: f64) -> Option<Verdict> {
    number(text.trim()).map(|reward| Verdict::of_reward(Some(reward), pass_at))
}

/// Milliseconds between `started_at` and `finished_at`.
pub(super) fn elapsed(fields: &Fields<'_>) -> Option<u64> {
    elapsed_between(fields, "started_at", "finished_at")
}

/// Milliseconds between two times, with or without an offset.
pub(super) fn elapsed_between(fields: &Fields<'_>, from: &str, to: &str) -> Option<u64> {
    let millis = |key: &str| {
        let text = fields.text(key).ok().flatten()?;
        if let Ok(time) = text.parse::<jiff::Timestamp>() {
            return Some(time.as_millisecond());
        }
        let time: DateTime = text.parse().ok()?;
        let time = TimeZone::UTC.to_timestamp(time).ok()?;
        Some(time.as_millisecond())
    };
    u64::try_from(millis(to)?.checked_sub(millis(from)?)?).ok()
}

/// Opens a trial: how it ended. What its folder holds is opened beside it.
///
/// # Errors
/// When the trial is not there any more.
pub(crate) fn open(
    body: &Body<'_>,
    part: Option<u32>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let fields = rollout::object(body)?;
    let element;
    let fields = match part {
        None => fields,
        Some(part) => {
            let list = fields.list("trial_results")?.unwrap_or_default();
            element = rollout::element(&list, "trial_results", part)?;
            &element
        }
    };
    let steps = own_steps(fields, problems);
    Ok(Opened {
        content: TrajectoryContent {
            steps,
            ..TrajectoryContent::default()
        },
        ..Opened::default()
    })
}

/// What a trial's record itself shows beside the agent's traces: its steps, and how it ended.
fn own_steps(fields: &Fields<'_>, problems: &mut Vec<String>) -> Vec<Step> {
    let mut steps = Vec::new();
    match fields.list("step_results") {
        Ok(results) => {
            for raw in results.unwrap_or_default() {
                let Ok(step) = Fields::of("step_results", raw) else {
                    problems.push("step_results: an element is no object".to_owned());
                    continue;
                };
                let name = step.text("step_name").ok().flatten();
                let name = name.or_else(|| step.text("name").ok().flatten());
                let reward = step.some("verifier_result").map_or("null", |raw| raw.get());
                steps.push(Step {
                    kind: Some(StepKind::Other),
                    text: format!(
                        "[step {} of the trial: verifier {reward}]",
                        name.unwrap_or_default()
                    ),
                    ..Step::default()
                });
                steps.extend(exception_step(&step, problems));
            }
        }
        Err(error) => problems.push(error.to_string()),
    }
    steps.extend(exception_step(fields, problems));
    steps
}

/// The exception that ended a trial or a step of it.
fn exception_step(fields: &Fields<'_>, problems: &mut Vec<String>) -> Option<Step> {
    let info = match fields.object("exception_info") {
        Ok(info) => info?,
        Err(error) => {
            problems.push(error.to_string());
            return None;
        }
    };
    let text = |key: &str| info.text(key).ok().flatten().unwrap_or_default();
    let line = format!("{}: {}", exception_type(&info), text("exception_message"));
    let traceback = text("exception_traceback");
    Some(Step {
        kind: Some(StepKind::Other),
        text: format!("{line}\n\n{}", without_last(&traceback, line.trim_end())),
        time: info.text("occurred_at").ok().flatten(),
        ..Step::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_is_shown_once() {
        let shown = |traceback: &str| {
            let json = serde_json::json!({"exception_info": {"exception_type": "E",
                "exception_message": "too\nslow", "exception_traceback": traceback}});
            let json = json.to_string();
            let fields = Fields::parse(json.as_bytes()).expect("JSON");
            exception_step(&fields, &mut Vec::new()).map(|step| step.text)
        };
        let once = Some("E: too\nslow\n\nTraceback:\n  a\n".to_owned());
        assert_eq!(shown("Traceback:\n  a\nharbor.trial.E: too\nslow\n"), once);
        assert_eq!(shown("Traceback:\n  a\nE: too\nslow"), once);
        let other = Some("E: too\nslow\n\nTraceback:\nF: x".to_owned());
        assert_eq!(shown("Traceback:\nF: x"), other);
    }
}
