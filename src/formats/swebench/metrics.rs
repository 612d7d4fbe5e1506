//! Cost, turns and tokens per task of a run, as run scripts write them beside the predictions.
//!
//! What is *not* here: verdicts; a run script's own `success` is no test outcome.

use crate::formats::files::Record;
use crate::formats::found::{At, Found};
use crate::formats::json::Fields;

/// What a record tells of a task's attempt.
#[derive(Debug, Clone)]
pub(crate) struct Metrics {
    /// Task.
    pub instance: String,
    /// Cost in US dollars.
    pub cost_usd: Option<f64>,
    /// Input tokens, cached ones included.
    pub input_tokens: Option<u64>,
    /// Output tokens.
    pub output_tokens: Option<u64>,
    /// Wall time in milliseconds.
    pub wall_ms: Option<u64>,
    /// File and line.
    pub at: At,
}

impl Metrics {
    /// A cost in US dollars and nothing else.
    pub(super) fn of_cost(instance: &str, cost: f64, record: &Record<'_>) -> Self {
        Self {
            instance: instance.to_owned(),
            cost_usd: Some(cost),
            input_tokens: None,
            output_tokens: None,
            wall_ms: None,
            at: At::of(record),
        }
    }
}

/// A record with an instance id and metrics, nested or beside it.
pub(crate) fn is_metrics(record: &Record<'_>) -> bool {
    (record.has("instance_id") && record.has("metrics"))
        || (record.has("instanceId") && (record.has("costUsd") || record.has("numTurns")))
}

/// Reads metrics; values that are no numbers are left out, they decide nothing.
pub(crate) fn read_metrics(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let id = ["instance_id", "instanceId"]
        .into_iter()
        .find_map(|key| fields.text(key).ok().flatten());
    let Some(instance) = id else {
        found.problem(record, None, "instance_id: missing or not a text");
        return;
    };
    let nested = fields.object("metrics").ok().flatten();
    let inner = nested.as_ref().unwrap_or(fields);
    let seconds = number(inner, &["duration_sec"]).map(|seconds| seconds * 1000.0);
    let millis = number(inner, &["durationMs", "duration_ms", "wall_ms"]).or(seconds);
    let fresh = count(inner, &["input_tokens", "inputTokens"]);
    let cached = count(inner, &["cacheReadTokens"]).unwrap_or(0)
        + count(inner, &["cacheCreationTokens"]).unwrap_or(0);
    // Run scripts write 0 for what they do not know.
    found.swebench.metrics.push(Metrics {
        instance,
        cost_usd: number(inner, &["cost_usd", "costUsd", "cost"]),
        input_tokens: fresh
            .map(|fresh| fresh + cached)
            .filter(|tokens| *tokens > 0),
        output_tokens: count(inner, &["output_tokens", "outputTokens"])
            .filter(|tokens| *tokens > 0),
        wall_ms: millis.map(|millis| millis.round() as u64),
        at: At::of(record),
    });
}

fn number(fields: &Fields<'_>, keys: &[&str]) -> Option<f64> {
    keys.iter()
        .find_map(|key| fields.number(key).ok().flatten())
        .filter(|value| value.is_finite() && *value >= 0.0)
}

fn count(fields: &Fields<'_>, keys: &[&str]) -> Option<u64> {
    keys.iter().find_map(|key| fields.count(key).ok().flatten())
}
