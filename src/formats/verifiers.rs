//! verifiers results: a line per rollout of an evaluation, and the same lines as prime-rl wrote them
//! per training step.
//!
//! What is *not* here: prime-rl's later episodes (`prime_rl`).

use crate::domain::{Outcome, Trajectory};

use super::files::Record;
use super::found::{Found, Scope};
use super::json::{Fields, Kind, Raw};
use super::prompt_answer::{PATCH_KEYS, PromptAnswer};
use super::rollout::{Rollout, Verdict, extra, place_name};
use super::step_in_path::{at_step, behind};

const KNOWN: &[&str] = &[
    "advantage",
    "completion",
    "error",
    "example_id",
    "info",
    "is_completed",
    "is_truncated",
    "metrics",
    "prompt",
    "reward",
    "stop_condition",
    "timing",
    "token_usage",
    "tool_defs",
    "trajectory",
];

/// A rollout of an example.
pub(crate) fn is_result(record: &Record<'_>) -> bool {
    ["example_id", "completion", "reward"]
        .iter()
        .all(|key| record.has(key))
}

/// What a run says of itself in `metadata.json` beside its results.
pub(crate) fn is_run(record: &Record<'_>) -> bool {
    record.has("env_id") && (record.has("rollouts_per_example") || record.has("num_examples"))
}

/// Nothing: the run is read with its results.
pub(crate) fn read_run(_record: &Record<'_>, _found: &mut Found) {}

/// Environment and model of the run, from the file beside the results, else from the folders
/// `<env>--<model>/<run>`.
fn run(found: &mut Found) -> (Option<String>, Option<String>) {
    let told = found.beside("metadata.json").and_then(|bytes| {
        let fields = Fields::parse(bytes).ok()?;
        let text = |key: &str| fields.text(key).ok().flatten();
        Some((text("env_id"), text("model")))
    });
    told.unwrap_or_else(|| {
        let names = found.path.iter().rev().skip(1).take(2);
        let name = names
            .filter_map(|name| name.to_str()?.split_once("--"))
            .next();
        let own = |text: &str| Some(text.to_owned());
        name.map_or((None, None), |(env, model)| (own(env), own(model)))
    })
}

/// Reads what the index needs of a result.
pub(crate) fn read(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    // Examples are numbered by the environment.
    let example = match fields.text_or_number("example_id") {
        Ok(Some(id)) => id,
        Ok(None) => return found.problem(record, None, "example_id: the key is missing"),
        Err(error) => return found.problem(record, None, error.to_string()),
    };
    let (env, model) = run(found);
    let text = |key: &str| fields.text(key).ok().flatten();
    // Several environments in one file number their examples alike.
    let env = text("env_id")
        .or_else(|| text("env_name"))
        .or_else(|| text("task"))
        .or(env);
    let step = behind(&found.path, "step_");
    let group = match &env {
        Some(env) => at_step(&format!("{env}/{example}"), step),
        None => at_step(&format!("example-{example}"), step),
    };
    let id = place_name(record);
    let name = format!("{group}/{id}");
    let mut trajectory = Trajectory::new(id, Outcome::Unscored);
    match verdict(fields, found.options.pass_at) {
        Ok(verdict) => verdict.put(&mut trajectory),
        Err(reason) => found.problem(record, Some(&name), reason),
    }
    trajectory.policy = text("model").or(model);
    let flag = |key: &str| fields.boolean(key).ok().flatten();
    trajectory.truncated = flag("is_truncated") == Some(true);
    if flag("is_completed") == Some(false) {
        trajectory.marks.push("not completed".to_owned());
    }
    trajectory.exit_status = text("stop_condition");
    let advantage = found.note(record, &name, fields.number("advantage"));
    trajectory.recorded_advantage = advantage.filter(|value| value.is_finite());
    let usage = fields
        .object("token_usage")
        .ok()
        .flatten()
        .unwrap_or_default();
    trajectory.input_tokens = found.note(record, &name, usage.count("input_tokens"));
    trajectory.output_tokens = found.note(record, &name, usage.count("output_tokens"));
    trajectory.wall_ms = wall(fields);
    let task = match PromptAnswer::of_columns(fields) {
        Ok(texts) => Some(texts.describe(&mut trajectory)),
        Err(error) => {
            found.problem(record, Some(&name), error.to_string());
            None
        }
    };
    trajectory.meta = extra(fields, &[KNOWN, PATCH_KEYS].concat());
    let metrics = fields.object("metrics").ok().flatten().unwrap_or_default();
    let metrics = extra(&metrics, &[]).0.into_iter();
    trajectory
        .meta
        .0
        .extend(metrics.map(|(key, value)| (format!("metrics.{key}"), value)));
    found.rollout(
        record,
        Rollout {
            scope: Some(Scope::of(&found.path)),
            step,
            task,
            ..Rollout::new(group, trajectory)
        },
    );
}

/// The reward, unless the rollout broke down: its 0 is no failure of the policy.
fn verdict(fields: &Fields<'_>, pass_at: f64) -> Result<Verdict, String> {
    let reward =
        Verdict::of(fields.raw("reward"), pass_at).map_err(|reason| format!("reward: {reason}"))?;
    let Some(error) = fields
        .some("error")
        .filter(|raw| !matches!(raw.get(), "\"\"" | "false"))
    else {
        return Ok(reward);
    };
    let shown: String = said(error).chars().take(80).collect();
    let told = reward
        .reward
        .map_or("no reward".to_owned(), |reward| format!("reward {reward}"));
    Ok(Verdict::unscored(format!("error: {shown} ({told})")))
}

/// An error in a few words: its text, or what its object names.
fn said(raw: Raw<'_>) -> String {
    let of_object = || {
        let fields = Fields::of("error", raw).ok()?;
        ["error", "type", "message", "error_chain_str"]
            .into_iter()
            .find_map(|key| fields.text(key).ok().flatten())
    };
    let text = match raw.kind() {
        Kind::Text => super::json::text("error", raw.get()).ok(),
        _ => of_object(),
    };
    text.unwrap_or_else(|| raw.get().to_owned())
}

/// Wall time: `timing.total` in seconds, `timing.total_ms` before.
fn wall(fields: &Fields<'_>) -> Option<u64> {
    let timing = fields.object("timing").ok().flatten()?;
    let number = |key: &str| {
        let value = timing.number(key).ok().flatten()?;
        (value.is_finite() && value > 0.0).then_some(value)
    };
    let ms = number("total_ms").or_else(|| Some(number("total")? * 1000.0))?;
    // The cast saturates.
    Some(ms.round() as u64)
}
