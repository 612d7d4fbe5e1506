//! NeMo Gym rollouts: one a line, with reward, patch, mask and usage beside the messages, which are
//! Responses items.
//!
//! What is *not* here: the items (`responses`).

use crate::diff::summarize;
use crate::domain::{
    Outcome, PatchPresence, Step, StepKind, TaskContent, TaskSummary, TestCounts, TestStatus,
    Trajectory, TrajectoryContent,
};

use super::assemble::mark_patch;
use super::files::{Body, Record};
use super::found::{Found, Scope};
use super::json::{Fields, JsonError, Raw};
use super::native::title;
use super::rollout::{self, Opened, Rollout, Verdict, extra, place_name, short_hash};
use super::{chat, responses, swebench};

/// Keys that are read, or that repeat what another key says.
const KNOWN: &[&str] = &[
    "_ng_attempt_index",
    "_ng_rollout_index",
    "_ng_task_index",
    "agent_ref",
    "agent_run_time",
    "error_kind",
    "instance_id",
    "mask_sample",
    "metadata",
    "model_patch",
    "model_patch_bytes",
    "patch_exists",
    "resolved",
    "response",
    "responses_create_params",
    "reward",
];

/// An object with the request, and an answer or a reward.
pub(crate) fn is_rollout(record: &Record<'_>) -> bool {
    record.has("responses_create_params") && (record.has("reward") || record.has("response"))
}

/// What a record says, split but not decoded.
struct Parts<'a> {
    record: &'a Fields<'a>,
    params: Fields<'a>,
    /// `responses_create_params.metadata`: the task.
    task: Fields<'a>,
    response: Fields<'a>,
    /// `metadata`: what the agent's own run says.
    run: Fields<'a>,
}

impl<'a> Parts<'a> {
    fn of(record: &'a Fields<'a>) -> Result<Self, JsonError> {
        let response = record.object("response")?.unwrap_or_default();
        Self::with(record, response)
    }

    /// The parts with this response.
    fn with(record: &'a Fields<'a>, response: Fields<'a>) -> Result<Self, JsonError> {
        let params = record.object("responses_create_params")?;
        let params = params.unwrap_or_default();
        Ok(Self {
            task: params.object("metadata")?.unwrap_or_default(),
            params,
            response,
            run: record.object("metadata")?.unwrap_or_default(),
            record,
        })
    }

    /// The task's SWE-bench row, a JSON text.
    fn row(&self) -> Option<String> {
        self.task.text("instance_dict").ok().flatten()
    }

    /// The patch; mini-swe-agent's is among what its run says.
    fn patch(&self) -> Result<Option<String>, JsonError> {
        match self.record.text("model_patch")? {
            None => self.run.text("model_patch"),
            patch => Ok(patch),
        }
    }

    /// The SWE-bench report of the run, when it kept one.
    fn report(&self) -> Option<Fields<'a>> {
        let reports = self.run.object("eval_report").ok().flatten()?;
        let (name, raw) = reports.pairs().next()?;
        Fields::of(name, raw).ok()
    }

    fn steps(&self) -> Result<Vec<Step>, JsonError> {
        let mut steps = Vec::new();
        if let Some(text) = self.params.text("instructions").ok().flatten() {
            chat::push(&mut steps, StepKind::System, text);
        }
        if let Some(raw) = self.params.some("input") {
            responses::input(raw, &mut steps)?;
        }
        let output = self.response.list("output")?.unwrap_or_default();
        responses::items(&output, &mut steps)?;
        Ok(steps)
    }
}

/// Reads what the index needs of a rollout.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    // Nearly all of a record is texts of the response, of which the index keeps nothing.
    let brief = fields.some("response").map(|raw| chat::brief(raw.get()));
    let response = match &brief {
        Some(brief) => Fields::of("response", Raw::known(brief)),
        None => Ok(Fields::default()),
    };
    let parts = match response.and_then(|response| Parts::with(fields, response)) {
        Ok(parts) => parts,
        Err(error) => return found.problem(record, None, error.to_string()),
    };
    let group = match group(record, &parts, found) {
        Ok(group) => group,
        Err(error) => return found.problem(record, None, error.to_string()),
    };
    let order = found.note(record, &group, fields.integer("_ng_rollout_index"));
    let attempt = found.note(record, &group, fields.integer("_ng_attempt_index"));
    let id = match (order, attempt.unwrap_or(0)) {
        (None, _) => place_name(record),
        (Some(index), 0) => format!("rollout-{index}"),
        (Some(index), attempt) => format!("rollout-{index}.{attempt}"),
    };
    let name = format!("{group}/{id}");
    let mut trajectory = Trajectory::new(id, Outcome::Unscored);
    if let Err(reason) = verdict(&parts, found.options.pass_at, &mut trajectory) {
        found.problem(record, Some(&name), reason);
    }
    match parts.patch() {
        Ok(patch) => trajectory.patch = summarize(patch.as_deref()),
        Err(error) => found.problem(record, Some(&name), error.to_string()),
    }
    let hash = fields.text("model_patch_sha256").ok().flatten();
    match (trajectory.patch.presence, hash) {
        (PatchPresence::Missing, Some(_)) => {
            let mark = match fields.count("model_patch_bytes").ok().flatten() {
                Some(bytes) => format!("only the patch's hash is recorded ({bytes} bytes)"),
                None => "only the patch's hash is recorded".to_owned(),
            };
            trajectory.marks.push(mark);
        }
        _ => mark_patch(&mut trajectory),
    }
    let exists = found.note(record, &name, fields.boolean("patch_exists"));
    if exists == Some(false) && trajectory.patch.presence == PatchPresence::Diff {
        let mark = "patch_exists is false, yet there is a diff";
        trajectory.marks.push(mark.to_owned());
    }
    match parts.steps() {
        Ok(steps) if steps.is_empty() => trajectory.marks.push("no messages recorded".to_owned()),
        Ok(steps) => trajectory.steps = Some(u32::try_from(steps.len()).unwrap_or(u32::MAX)),
        Err(error) => found.problem(record, Some(&name), error.to_string()),
    }
    scalars(&parts, &mut trajectory);
    let mut rollout = Rollout::new(group, trajectory);
    rollout.scope = Some(Scope::of(&found.path).named(agent(&parts)));
    rollout.order = order;
    rollout.task = Some(summary(&parts));
    found.rollout(record, rollout);
}

/// The task's id: its SWE-bench id, else its number, else a hash of what was asked.
fn group(record: &Record<'_>, parts: &Parts<'_>, found: &mut Found) -> Result<String, JsonError> {
    let verifier = parts.record.object("verifier_metadata").ok().flatten();
    let verifier = verifier.unwrap_or_default();
    for (fields, key) in [
        (&parts.task, "instance_id"),
        (parts.record, "instance_id"),
        (&parts.run, "instance_id"),
        (parts.record, "task_id"),
        (&verifier, "task_id"),
    ] {
        if let Some(id) = found.id(record, fields, key)? {
            return Ok(id);
        }
    }
    if let Some(index) = parts.record.integer("_ng_task_index")? {
        return Ok(format!("task-{index}"));
    }
    let asked = parts.params.some("input").map_or("", Raw::get);
    Ok(format!("prompt {}", short_hash(asked)))
}

/// The agent's name; the reference is an object, in some rows a text.
fn agent(parts: &Parts<'_>) -> Option<String> {
    let reference = parts.record.object("agent_ref").ok().flatten();
    reference
        .and_then(|reference| reference.text("name").ok().flatten())
        .or_else(|| parts.record.text("agent_ref").ok().flatten())
}

/// `resolved` decides, else the report, else the reward; masked and unevaluated rollouts have no
/// verdict, whatever their reward.
fn verdict(parts: &Parts<'_>, pass_at: f64, trajectory: &mut Trajectory) -> Result<(), String> {
    let flag = |key: &str| parts.record.boolean(key).map_err(|error| error.to_string());
    let reward = Verdict::of(parts.record.raw("reward"), pass_at)
        .map_err(|error| format!("reward: {error}"))?;
    let told = match reward.reward {
        Some(value) => format!("reward {value}"),
        None => "no reward".to_owned(),
    };
    if flag("mask_sample")? == Some(true) {
        trajectory.masked = true;
        Verdict::unscored(format!("masked by its environment ({told})")).put(trajectory);
        return Ok(());
    }
    if flag("evaluation_completed")? == Some(false) {
        Verdict::unscored(format!("the evaluation did not complete ({told})")).put(trajectory);
        return Ok(());
    }
    let report = parts.report();
    let report = report.and_then(|report| report.boolean("resolved").ok().flatten());
    let resolved = flag("resolved")?.or(report);
    // Null says that nobody knows, whatever number stands beside it.
    if resolved.is_none() && parts.record.has("resolved") {
        Verdict::unscored(format!("resolved is null ({told})")).put(trajectory);
        return Ok(());
    }
    let outcome = match resolved {
        Some(true) => Outcome::Pass,
        Some(false) => Outcome::Fail,
        None => reward.outcome,
    };
    if reward.reward.is_some() && reward.outcome != outcome {
        let mark = format!("resolved contradicts the reward ({told}); resolved counts");
        trajectory.marks.push(mark);
    }
    let value = reward.reward;
    reward.put(trajectory);
    trajectory.outcome = outcome;
    // A rollout with a verdict but no number has the reward the verdict stands for.
    trajectory.reward = value.or(match resolved {
        Some(true) => Some(1.0),
        Some(false) => Some(0.0),
        None => None,
    });
    Ok(())
}

/// Everything of a rollout that is a plain value.
fn scalars(parts: &Parts<'_>, trajectory: &mut Trajectory) {
    let record = parts.record;
    let flag = |key: &str| record.boolean(key).ok().flatten() == Some(true);
    let name = |fields: &Fields<'_>| {
        let name = fields.text("model").ok().flatten();
        name.filter(|name| !name.is_empty())
    };
    trajectory.policy = name(&parts.response).or_else(|| name(&parts.params));
    let usage = parts.response.object("usage").ok().flatten();
    let usage = usage.unwrap_or_default();
    let tokens = |key: &str| usage.count(key).ok().flatten();
    let (input, output) = (tokens("input_tokens"), tokens("output_tokens"));
    // Agents that do not count write zeros.
    if input.unwrap_or(0) + output.unwrap_or(0) > 0 {
        (trajectory.input_tokens, trajectory.output_tokens) = (input, output);
    }
    let incomplete = parts.response.some("incomplete_details").is_some()
        || parts.response.text("status").ok().flatten().as_deref() == Some("incomplete");
    trajectory.truncated = incomplete || flag("agent_timed_out");
    for (key, mark) in [
        ("agent_timed_out", "the agent timed out"),
        ("eval_timed_out", "the evaluation timed out"),
        ("apply_failed", "the patch did not apply"),
    ] {
        if flag(key) {
            trajectory.marks.push(mark.to_owned());
        }
    }
    trajectory.exit_status = record.text("error_kind").ok().flatten();
    let seconds = record.number("agent_run_time").ok().flatten();
    trajectory.wall_ms = seconds
        .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
        // The cast saturates.
        .map(|seconds| (seconds * 1000.0).round() as u64);
    trajectory.tests = counts(parts);
    trajectory.meta = extra(record, KNOWN);
}

/// Test counts: as the row has them, else of the report.
fn counts(parts: &Parts<'_>) -> Option<TestCounts> {
    let count = |key: &str| {
        let count = parts.record.count(key).ok().flatten()?;
        u32::try_from(count).ok()
    };
    if let (Some(f2p), Some(p2p)) = (count("f2p_total"), count("p2p_total")) {
        let passed = count("f2p_passed")?.saturating_add(count("p2p_passed")?);
        let failed = f2p.saturating_add(p2p).checked_sub(passed)?;
        return Some(TestCounts { passed, failed });
    }
    let tests = swebench::reports::tests(&parts.report()?).ok()?;
    let with = |status| {
        let count = tests.iter().filter(|test| test.status == status).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    (!tests.is_empty()).then(|| TestCounts {
        passed: with(TestStatus::Pass),
        failed: with(TestStatus::Fail),
    })
}

/// The task in one line: from its row, its statement, or the last thing the user said.
fn summary(parts: &Parts<'_>) -> TaskSummary {
    let row = parts.row();
    let row = row
        .as_deref()
        .and_then(|row| Fields::parse(row.as_bytes()).ok());
    let of_row = |key: &str| row.as_ref()?.text(key).ok().flatten();
    TaskSummary {
        title: statement(parts).as_deref().and_then(title),
        repo: of_row("repo"),
        base_commit: of_row("base_commit"),
        has_reference: of_row("patch").is_some(),
    }
}

/// What was asked.
fn statement(parts: &Parts<'_>) -> Option<String> {
    let told = parts.task.text("problem_statement").ok().flatten();
    told.or_else(|| {
        let mut asked = Vec::new();
        responses::input(parts.params.some("input")?, &mut asked).ok()?;
        let of_user = |step: &Step| step.kind == Some(StepKind::User);
        asked.into_iter().find(of_user).map(|step| step.text)
    })
}

/// Opens the texts of a rollout.
///
/// # Errors
/// When the patch or the messages are of another shape.
pub(crate) fn open(
    body: &Body<'_>,
    _part: Option<u32>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let parts = Parts::of(rollout::object(body)?)?;
    let mut told = |error: JsonError| problems.push(error.to_string());
    let tests = parts
        .report()
        .map(|report| swebench::reports::tests(&report));
    let row = parts.row();
    let row = row.as_deref().map(|row| Fields::parse(row.as_bytes()));
    let task = row.map(|row| swebench::tasks::task_content(&row?));
    let mut task = task
        .unwrap_or_else(|| Ok(TaskContent::default()))
        .unwrap_or_else(|error| {
            told(error);
            TaskContent::default()
        });
    task.text = task.text.or_else(|| statement(&parts));
    let content = TrajectoryContent {
        patch: parts.patch().unwrap_or_else(|error| {
            told(error);
            None
        }),
        steps: parts.steps().unwrap_or_else(|error| {
            told(error);
            Vec::new()
        }),
        tests: tests
            .unwrap_or_else(|| Ok(Vec::new()))
            .unwrap_or_else(|error| {
                told(error);
                Vec::new()
            }),
        test_log: None,
    };
    Ok(Opened { content, task })
}
