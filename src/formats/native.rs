//! gagar's own input: `gagar.group/1` and `gagar.trajectory/1`.
//!
//! Beside what the schema has always had, a writer may say what the texts do not tell by themselves
//! (`gagar convert` does):
//!
//! - `marks` of a trajectory: exactly these phrases are shown, none is derived;
//! - `step_count` (a number or null): the number of steps, whatever the length of `steps`;
//! - `test_counts` (`{"passed", "failed"}` or null): the counts, whatever `tests` holds;
//! - `reward_is_verdict` false: outcome and reward are told apart, neither contradicts the other;
//! - `tokens`, `cost_usd`, `time`, `truncated`, `failed` of a step, and `args_text` for arguments that are no
//!   JSON;
//! - `title` and `has_reference` of a task.
//!
//! What is *not* here: rankings inside a group record ([`super::rankings`] reads them).

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::diff::summarize;
use crate::domain::{
    Extra, Outcome, Step, StepKind, TaskContent, TaskSummary, TestCounts, TestResult, TestStatus,
    Trajectory, TrajectoryContent,
};

use super::files::Record;
use super::found::{
    Again, At, Found, FoundGroup, FoundTask, FoundTrajectory, RecordAt, TaskSource,
    TrajectorySource,
};
use super::json::{self, Fields, JsonError, Raw};
use super::rankings;
use super::rollout::Verdict;

const GROUP_KEYS: &[&str] = &[
    "schema",
    "group_id",
    "step",
    "task",
    "base_files",
    "trajectories",
    "rankings",
    "meta",
];

const TRAJECTORY_KEYS: &[&str] = &[
    "schema",
    "group_id",
    "step",
    "task",
    "base_files",
    "trajectory_id",
    "policy",
    "outcome",
    "reward",
    "advantage",
    "masked",
    "truncated",
    "reward_is_verdict",
    "marks",
    "patch",
    "steps",
    "step_count",
    "tests",
    "test_counts",
    "test_log",
    "tokens",
    "cost_usd",
    "wall_ms",
    "exit_status",
    "meta",
];

/// A record with `group_id` and a list of `trajectories`, or one that says so.
pub(crate) fn is_group(record: &Record<'_>) -> bool {
    match record.schema() {
        Some(schema) => schema == "gagar.group/1",
        None => record.has("group_id") && record.has_list("trajectories"),
    }
}

/// A record with `group_id` and `trajectory_id`, or one that says so.
pub(crate) fn is_trajectory(record: &Record<'_>) -> bool {
    match record.schema() {
        Some(schema) => schema == "gagar.trajectory/1",
        None => record.has("group_id") && record.has("trajectory_id"),
    }
}

/// Reads a `gagar.group/1` record.
pub(crate) fn read_group(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let Some(id) = required(record, found, fields, "group_id", None) else {
        return;
    };
    report_duplicates(record, found, fields, &id);
    let items = match fields.list("trajectories") {
        Ok(Some(items)) => items,
        Ok(None) => {
            found.problem(record, Some(&id), "trajectories: the key is missing");
            return;
        }
        Err(error) => {
            found.problem(record, Some(&id), error.to_string());
            return;
        }
    };
    let mut trajectories = Vec::with_capacity(items.len());
    for (index, raw) in items.into_iter().enumerate() {
        let name = format!("{id}/#{}", index + 1);
        match Fields::of("trajectories", raw) {
            Ok(inner) => {
                if let Some(trajectory) = trajectory(record, found, &inner, &id, &name) {
                    let at = if record.in_file() {
                        RecordAt::Trajectory(record.place_of(raw, index))
                    } else {
                        RecordAt::InGroup(record.place, index)
                    };
                    trajectories.push(found_trajectory(record, trajectory, at));
                }
            }
            Err(error) => found.problem(record, Some(&name), error.to_string()),
        }
    }
    if let Some(items) = found.note(record, &id, fields.list("rankings")) {
        for raw in items {
            rankings::read_nested(record, raw, &id, found);
        }
    }
    let meta = extra(record, found, fields, GROUP_KEYS, &id);
    push_group(record, found, fields, id, trajectories, meta);
}

/// Reads a `gagar.trajectory/1` record.
pub(crate) fn read_trajectory(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let Some(id) = required(record, found, fields, "group_id", None) else {
        return;
    };
    let Some(trajectory) = trajectory(record, found, fields, &id, &id) else {
        return;
    };
    let at = RecordAt::Trajectory(record.place);
    let trajectories = vec![found_trajectory(record, trajectory, at)];
    push_group(record, found, fields, id, trajectories, Extra::default());
}

fn found_trajectory(record: &Record<'_>, trajectory: Trajectory, at: RecordAt) -> FoundTrajectory {
    FoundTrajectory {
        trajectory,
        source: TrajectorySource {
            record: Some(at),
            ..TrajectorySource::default()
        },
        order: None,
        again: Again::Refuse,
        at: At::of(record),
    }
}

fn push_group(
    record: &Record<'_>,
    found: &mut Found,
    fields: &Fields<'_>,
    id: String,
    trajectories: Vec<FoundTrajectory>,
    meta: Extra,
) {
    let step = found.note(record, &id, fields.integer("step"));
    let task = task(record, found, fields, &id);
    found.groups.push(FoundGroup {
        id,
        scope: None,
        step,
        task,
        trajectories,
        meta,
        at: At::of(record),
    });
}

/// A required text that is not empty; a problem when it is missing.
fn required(
    record: &Record<'_>,
    found: &mut Found,
    fields: &Fields<'_>,
    key: &str,
    name: Option<&str>,
) -> Option<String> {
    let reason = match found.id(record, fields, key) {
        Ok(Some(id)) if !id.is_empty() => return Some(id),
        Ok(Some(_)) => format!("{key}: the text is empty"),
        Ok(None) => format!("{key}: the key is missing"),
        Err(error) => error.to_string(),
    };
    found.problem(record, name, reason);
    None
}

fn report_duplicates(record: &Record<'_>, found: &mut Found, fields: &Fields<'_>, name: &str) {
    for key in fields.duplicates() {
        found.problem(
            record,
            Some(name),
            format!("{key}: the key occurs twice, the last counts"),
        );
    }
}

/// Unknown keys and what stands under `meta`; of a key that occurs twice the last counts.
fn extra(
    record: &Record<'_>,
    found: &mut Found,
    fields: &Fields<'_>,
    known: &[&str],
    name: &str,
) -> Extra {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    // Answers whether the key was there already.
    let mut add = |pairs: &mut Vec<(String, String)>, key: &str, json: String| {
        let known = places.get(key).copied();
        match known.and_then(|place| pairs.get_mut(place)) {
            Some(before) => before.1 = json,
            None => {
                places.insert(key.to_owned(), pairs.len());
                pairs.push((key.to_owned(), json));
            }
        }
        known.is_some()
    };
    for (key, json) in fields.extra(known) {
        // Told with the record's other keys that occur twice.
        add(&mut pairs, &key, json);
    }
    let Some(meta) = fields.some("meta") else {
        return Extra(pairs);
    };
    match Fields::of("meta", meta) {
        Ok(inner) => {
            for (key, raw) in inner.pairs() {
                if add(&mut pairs, key, raw.strict().into_owned()) {
                    let reason = format!("meta: {key:?}: the key occurs twice, the last counts");
                    found.problem(record, Some(name), reason);
                }
            }
        }
        Err(_) => {
            add(&mut pairs, "meta", meta.strict().into_owned());
        }
    }
    Extra(pairs)
}

fn task(
    record: &Record<'_>,
    found: &mut Found,
    fields: &Fields<'_>,
    id: &str,
) -> Option<FoundTask> {
    let has_base = fields.some("base_files").is_some();
    let task = found.note(record, id, fields.object("task"));
    if task.is_none() && !has_base {
        return None;
    }
    let task = task.unwrap_or_default();
    let summary = TaskSummary {
        title: if task.has("title") {
            found.note(record, id, task.text("title"))
        } else {
            let text = found.note(record, id, task.text("text"));
            text.and_then(|text| title(&text))
        },
        repo: found.note(record, id, task.text("repo")),
        base_commit: found.note(record, id, task.text("base_commit")),
        has_reference: found
            .note(record, id, task.boolean("has_reference"))
            .unwrap_or_else(|| task.some("reference_patch").is_some()),
    };
    let mut hasher = DefaultHasher::new();
    fields.some("task").map(Raw::get).hash(&mut hasher);
    fields.some("base_files").map(Raw::get).hash(&mut hasher);
    Some(FoundTask {
        summary,
        source: TaskSource::Native(record.place),
        digest: hasher.finish(),
    })
}

/// The first line of a text that is not blank.
pub(crate) fn title(text: &str) -> Option<String> {
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map(str::to_owned)
}

/// Reads the scalars of a trajectory object; `None` (and a problem) without an id.
fn trajectory(
    record: &Record<'_>,
    found: &mut Found,
    fields: &Fields<'_>,
    group: &str,
    unnamed: &str,
) -> Option<Trajectory> {
    let id = required(record, found, fields, "trajectory_id", Some(unnamed))?;
    let name = format!("{group}/{id}");
    report_duplicates(record, found, fields, &name);
    let mut trajectory = Trajectory::new(id, Outcome::Unscored);
    verdict(record, found, fields, &name, &mut trajectory);
    let t = &mut trajectory;
    t.policy = found.note(record, &name, fields.text("policy"));
    t.recorded_advantage = finite(record, found, fields, &name, "advantage");
    t.masked = found
        .note(record, &name, fields.boolean("masked"))
        .unwrap_or(false);
    t.truncated = found
        .note(record, &name, fields.boolean("truncated"))
        .unwrap_or(false);
    let patch = found.note(record, &name, fields.text("patch"));
    t.patch = summarize(patch.as_deref());
    if let Some(steps) = found.note(record, &name, fields.list_len("steps")) {
        t.steps = Some(u32::try_from(steps).unwrap_or(u32::MAX));
    }
    if fields.has("step_count") {
        let count = found.note(record, &name, fields.count("step_count"));
        t.steps = count.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    }
    if let Some(tokens) = found.note(record, &name, fields.object("tokens")) {
        t.input_tokens = found.note(record, &name, tokens.count("input"));
        t.output_tokens = found.note(record, &name, tokens.count("output"));
    }
    t.cost_usd = finite(record, found, fields, &name, "cost_usd");
    t.wall_ms = found.note(record, &name, fields.count("wall_ms"));
    t.exit_status = found.note(record, &name, fields.text("exit_status"));
    if let Some(items) = found.note(record, &name, fields.list("tests")) {
        let results: Result<Vec<TestResult>, JsonError> = items
            .into_iter()
            .enumerate()
            .map(|(index, raw)| json::element("tests", index, raw, test))
            .collect();
        t.tests = found.note(record, &name, results.map(|all| Some(counts(&all))));
    }
    if fields.has("test_counts") {
        let told = found.note(record, &name, fields.object("test_counts"));
        t.tests = told.map(|told| {
            let mut count = |key| {
                let count = found.note(record, &name, told.count(key)).unwrap_or(0);
                u32::try_from(count).unwrap_or(u32::MAX)
            };
            TestCounts {
                passed: count("passed"),
                failed: count("failed"),
            }
        });
    }
    t.meta = extra(record, found, fields, TRAJECTORY_KEYS, &name);
    match found.note(record, &name, fields.texts("marks")) {
        Some(marks) => {
            t.marks = marks;
            Verdict::mask(t);
        }
        None => {
            Verdict::mask(t);
            super::assemble::mark_patch(t);
        }
    }
    Some(trajectory)
}

/// Counts of test results.
pub(crate) fn counts(tests: &[TestResult]) -> TestCounts {
    TestCounts::of(tests.iter().map(|test| test.status))
}

fn finite(
    record: &Record<'_>,
    found: &mut Found,
    fields: &Fields<'_>,
    name: &str,
    key: &str,
) -> Option<f64> {
    let value = found.note(record, name, fields.number(key))?;
    if !value.is_finite() {
        found.problem(
            record,
            Some(name),
            format!("{key}: {value} is not a finite number"),
        );
        return None;
    }
    Some(value)
}

/// Reads outcome and reward. A NaN reward is unscored; when the two contradict each other, the
/// outcome counts.
fn verdict(
    record: &Record<'_>,
    found: &mut Found,
    fields: &Fields<'_>,
    name: &str,
    trajectory: &mut Trajectory,
) {
    let mut reward = found.note(record, name, fields.number("reward"));
    if reward.is_some_and(f64::is_nan) {
        // Unlike null, which says that nothing was measured.
        found.problem(record, Some(name), "reward: NaN is not a finite number");
        trajectory.marks.push("the reward is NaN".to_owned());
        reward = None;
    } else if let Some(value) = reward.filter(|value| !value.is_finite()) {
        found.problem(
            record,
            Some(name),
            format!("reward: {value} is not a finite number"),
        );
        trajectory.marks.push("the reward is infinite".to_owned());
        reward = None;
    }
    let by_reward = match reward {
        Some(value) if value >= found.options.pass_at => Outcome::Pass,
        Some(_) => Outcome::Fail,
        None => Outcome::Unscored,
    };
    let word = found.note(record, name, fields.text("outcome"));
    let outcome = match word.as_deref() {
        // What is no text is told above; it says that the reward is no verdict.
        None if fields.some("outcome").is_some() => Outcome::Unscored,
        None => by_reward,
        Some("pass") => Outcome::Pass,
        Some("fail") => Outcome::Fail,
        Some("unscored") => Outcome::Unscored,
        Some(other) => {
            let reason = format!("outcome: \"{other}\" is not pass, fail or unscored");
            found.problem(record, Some(name), reason);
            // "cancelled" and the like are no failures, whatever the reward.
            Outcome::Unscored
        }
    };
    let is_verdict = found.note(record, name, fields.boolean("reward_is_verdict"));
    if let Some(value) = reward
        && outcome != by_reward
        && matches!(word.as_deref(), Some("pass" | "fail" | "unscored"))
        && is_verdict.unwrap_or(true)
    {
        let reason = format!(
            "outcome {} contradicts reward {value} (passes from {}); the outcome counts",
            outcome.word(),
            found.options.pass_at
        );
        found.problem(record, Some(name), reason);
    }
    trajectory.outcome = outcome;
    trajectory.reward = match (outcome, reward) {
        (Outcome::Unscored, _) => None,
        (_, Some(value)) => Some(value),
        (Outcome::Pass, None) => Some(1.0),
        (Outcome::Fail, None) => Some(0.0),
    };
}

/// Values as they are read, and the errors of those that cannot be.
#[derive(Default)]
struct Reading {
    errors: Vec<JsonError>,
}

impl Reading {
    /// The value; nothing and a note of the error when it cannot be read.
    fn take<T: Default>(&mut self, result: Result<T, JsonError>) -> T {
        result.unwrap_or_else(|error| {
            self.errors.push(error);
            T::default()
        })
    }

    /// Takes over the errors inside an element or key.
    fn inside(&mut self, name: &str, inner: Self) {
        let errors = inner.errors.into_iter();
        self.errors
            .extend(errors.map(|error| JsonError::Inside(name.to_owned(), Box::new(error))));
    }

    fn tell(self, problems: &mut Vec<String>) {
        problems.extend(self.errors.iter().map(ToString::to_string));
    }
}

/// Opens the texts of a task from a group or trajectory record. What cannot be read is told in
/// `problems`.
pub(crate) fn task_content(fields: &Fields<'_>, problems: &mut Vec<String>) -> TaskContent {
    let mut all = Reading::default();
    let base_files = all.take(fields.object("base_files")).unwrap_or_default();
    let files = base_files.pairs().filter_map(|(path, raw)| {
        let text = json::text(&format!("base_files: {path}"), raw.get());
        Some((path.to_owned(), all.take(text.map(Some))?))
    });
    let base_files = files.collect();
    let task = all.take(fields.object("task")).unwrap_or_default();
    let mut inner = Reading::default();
    let tests = inner.take(task.object("tests")).unwrap_or_default();
    let mut names = |key: &str| {
        let (names, errors) = inner.take(tests.texts_among(key));
        inner.inside("tests", Reading { errors });
        names
    };
    let (fail_to_pass, pass_to_pass) = (names("fail_to_pass"), names("pass_to_pass"));
    let content = TaskContent {
        text: inner.take(task.text("text")),
        reference_patch: inner.take(task.text("reference_patch")),
        fail_to_pass,
        pass_to_pass,
        base_files,
    };
    all.inside("task", inner);
    all.tell(problems);
    content
}

/// Opens the texts of a trajectory object. What cannot be read is told in `problems`.
pub(crate) fn trajectory_content(
    fields: &Fields<'_>,
    problems: &mut Vec<String>,
) -> TrajectoryContent {
    let mut all = Reading::default();
    let mut content = TrajectoryContent {
        patch: all.take(fields.text("patch")),
        test_log: all.take(fields.text("test_log")),
        ..TrajectoryContent::default()
    };
    let steps = all.take(fields.list("steps")).unwrap_or_default();
    for (index, raw) in steps.into_iter().enumerate() {
        let mut inner = Reading::default();
        let read = json::element("steps", index, raw, |fields| Ok(step(fields, &mut inner)));
        all.inside(&json::element_name("steps", index), inner);
        // The raw text is better than a gap in the numbering.
        content
            .steps
            .push(all.take(read.map(Some)).unwrap_or_else(|| Step {
                text: raw.get().to_owned(),
                ..Step::default()
            }));
    }
    let tests = all.take(fields.list("tests")).unwrap_or_default();
    for (index, raw) in tests.into_iter().enumerate() {
        let read = json::element("tests", index, raw, test);
        content.tests.extend(all.take(read.map(Some)));
    }
    all.tell(problems);
    content
}

/// Reads a step; a field that cannot be read is left out and noted, a text of another type is kept
/// as JSON.
fn step(fields: &Fields<'_>, all: &mut Reading) -> Step {
    let kind = all.take(fields.text("kind"));
    let args = fields.some("args");
    let text = match fields.some("text") {
        Some(raw) => all
            .take(json::text("text", raw.get()).map(Some))
            .unwrap_or_else(|| raw.get().to_owned()),
        None => args.map_or_else(String::new, call_text),
    };
    Step {
        kind: kind.as_deref().and_then(StepKind::from_word),
        role: all.take(fields.text("role")),
        text,
        tool: all.take(fields.text("tool")),
        args: match args {
            Some(raw) => Some(raw.strict().into_owned()),
            None => all.take(fields.text("args_text")),
        },
        call_id: all.take(fields.text_or_number("id")),
        exit_code: all.take(fields.integer("exit_code")),
        ms: all.take(fields.count("ms")),
        tokens: all.take(fields.count("tokens")),
        cost_usd: all
            .take(fields.number("cost_usd"))
            .filter(|cost| cost.is_finite()),
        time: all.take(fields.text_or_number("time")),
        truncated: all.take(fields.boolean("truncated")).unwrap_or(false),
        failed: all.take(fields.boolean("failed")).unwrap_or(false),
    }
}

/// What to show of a tool call's arguments: the command when they hold one, else all of them.
pub(crate) fn call_text(args: Raw<'_>) -> String {
    let command = Fields::of("args", args).ok().and_then(|fields| {
        ["command", "cmd", "code", "keystrokes"]
            .into_iter()
            .find_map(|key| fields.text(key).ok().flatten())
    });
    command
        .or_else(|| json::text("args", args.get()).ok())
        .unwrap_or_else(|| args.get().to_owned())
}

fn test(fields: &Fields<'_>) -> Result<TestResult, JsonError> {
    let status = fields.text("status")?.unwrap_or_default();
    Ok(TestResult {
        name: fields.text("name")?.unwrap_or_default(),
        group: fields.text("group")?.unwrap_or_default(),
        status: match status.to_ascii_lowercase().as_str() {
            "pass" | "passed" | "xfail" => TestStatus::Pass,
            "fail" | "failed" => TestStatus::Fail,
            "error" => TestStatus::Error,
            "skip" | "skipped" => TestStatus::Skip,
            _ => TestStatus::Unknown,
        },
        message: fields.text("message")?,
    })
}
