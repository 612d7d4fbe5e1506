//! SWE-bench reports of every vintage: task reports, run summaries, old reports, verdict maps.
//!
//! What is *not* here: to which run a report belongs (`runs`).

use std::collections::BTreeMap;

use crate::domain::{Outcome, TestCounts, TestResult, TestStatus};
use crate::formats::files::{Place, Record};
use crate::formats::found::{At, Found};
use crate::formats::json::{self, Fields, JsonError, Kind};
use crate::formats::native;

/// What a report says about one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Pass when resolved.
    pub outcome: Outcome,
    /// What is odd about it.
    pub mark: Option<String>,
}

impl Verdict {
    fn new(outcome: Outcome, mark: Option<&str>) -> Self {
        Self {
            outcome,
            mark: mark.map(str::to_owned),
        }
    }

    /// The verdict of a bare flag.
    pub(crate) fn of_flag(resolved: bool) -> Self {
        Self::new(
            if resolved {
                Outcome::Pass
            } else {
                Outcome::Fail
            },
            None,
        )
    }
}

/// A report about a whole run.
#[derive(Debug, Clone)]
pub(crate) struct RunReport {
    /// Verdicts by task.
    pub verdicts: BTreeMap<String, Verdict>,
    /// Whether a task in no list failed: reports that list only what was resolved and what could
    /// not be judged.
    pub rest_failed: bool,
    /// File.
    pub at: At,
}

/// A report about one task.
#[derive(Debug, Clone)]
pub(crate) struct TaskReport {
    /// Task, when the record names it; else the folder does.
    pub instance: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// Counts of tests, when told.
    pub tests: Option<TestCounts>,
    /// Where the record is.
    pub place: Place,
    /// File.
    pub at: At,
}

/// `patch_exists` with `resolved`; under an id also `resolved` alone. In line formats a report has
/// to name its task.
pub(crate) fn is_task_report(record: &Record<'_>) -> bool {
    record.has("resolved")
        && (record.line.is_none() || record.has("instance_id") || record.key.is_some())
        && !record.has_list("resolved")
        && (record.has("patch_exists")
            || record.has("patch_is_None")
            || record.has("tests_status")
            || record.has("instance_id")
            || record.key.as_deref().is_some_and(|key| key.contains("__")))
}

/// Reads a task report.
pub(crate) fn read_task_report(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let instance = fields
        .text("instance_id")
        .ok()
        .flatten()
        .or_else(|| record.key.clone());
    let name = instance.clone().unwrap_or_else(|| "report".to_owned());
    let flag = |key: &str| fields.boolean(key).ok().flatten();
    let resolved = match fields.boolean("resolved") {
        Ok(resolved) => resolved,
        Err(error) => {
            // 0 and 1 are flags, too.
            match fields.number("resolved") {
                Ok(Some(value)) if value == 0.0 || value == 1.0 => Some(value == 1.0),
                _ => {
                    found.problem(record, Some(&name), error.to_string());
                    None
                }
            }
        }
    };
    let verdict = if flag("infra_failure") == Some(true) {
        Verdict::new(Outcome::Unscored, Some("infrastructure failure"))
    } else {
        match resolved {
            Some(true) => Verdict::of_flag(true),
            Some(false)
                if flag("patch_successfully_applied") == Some(false)
                    && flag("patch_exists") == Some(true) =>
            {
                Verdict::new(Outcome::Fail, Some("the patch did not apply"))
            }
            Some(false) => Verdict::of_flag(false),
            None => Verdict::new(Outcome::Unscored, Some("the report has no verdict")),
        }
    };
    let counted = tests(fields).map(|tests| (!tests.is_empty()).then(|| native::counts(&tests)));
    let tests = found.note(record, &name, counted);
    found.swebench.task_reports.push(TaskReport {
        instance,
        verdict,
        tests,
        place: record.place,
        at: At::of(record),
    });
}

/// The tests of a task report with their status.
pub(crate) fn tests(fields: &Fields<'_>) -> Result<Vec<TestResult>, JsonError> {
    let mut out = Vec::new();
    let groups = fields.object("tests_status")?.unwrap_or_default();
    for (group, raw) in groups.pairs() {
        let lists = Fields::of(group, raw)?;
        for (key, status) in [("success", TestStatus::Pass), ("failure", TestStatus::Fail)] {
            for name in lists.texts(key)?.unwrap_or_default() {
                let group = group.to_ascii_lowercase();
                out.push(TestResult {
                    name,
                    group,
                    status,
                    message: None,
                });
            }
        }
    }
    Ok(out)
}

/// `resolved_ids`; a list `resolved` beside another list of such reports; or a map of flags.
pub(crate) fn is_run_report(record: &Record<'_>) -> bool {
    record.key.is_none()
        && (record.has_list("resolved_ids")
            || (record.has_list("resolved")
                && [
                    "no_generation",
                    "generated",
                    "no_logs",
                    "applied",
                    "unresolved",
                ]
                .iter()
                .any(|key| record.has(key)))
            || is_flag_map(record))
}

/// SWE-bench Pro's `{instance_id: bool}`.
fn is_flag_map(record: &Record<'_>) -> bool {
    record.fields().is_some_and(|fields| {
        fields.keys().next().is_some()
            && fields
                .pairs()
                .all(|(key, raw)| key.contains("__") && matches!(raw.get(), "true" | "false"))
    })
}

/// (list, outcome, mark), the weaker first: a later list overrides an earlier one.
const LISTS: &[(&str, Outcome, Option<&str>)] = &[
    (
        "submitted_ids",
        Outcome::Unscored,
        Some("submitted, in no list of verdicts"),
    ),
    ("generated", Outcome::Fail, None),
    ("with_logs", Outcome::Fail, None),
    ("applied", Outcome::Fail, None),
    ("completed_ids", Outcome::Fail, None),
    (
        "incomplete_ids",
        Outcome::Unscored,
        Some("evaluation incomplete"),
    ),
    ("pending_ids", Outcome::Unscored, Some("evaluation pending")),
    ("no_logs", Outcome::Fail, Some("no test log")),
    ("no_generation", Outcome::Fail, None),
    ("no_apply", Outcome::Fail, Some("the patch did not apply")),
    ("test_errored", Outcome::Fail, Some("the test run errored")),
    (
        "test_timeout",
        Outcome::Fail,
        Some("the test run timed out"),
    ),
    (
        "install_fail",
        Outcome::Unscored,
        Some("infrastructure failure: install failed"),
    ),
    (
        "reset_failed",
        Outcome::Unscored,
        Some("infrastructure failure: reset failed"),
    ),
    ("failed_ids", Outcome::Fail, None),
    ("empty_patch_ids", Outcome::Fail, None),
    ("error_ids", Outcome::Fail, Some("the evaluation errored")),
    ("unresolved_ids", Outcome::Fail, None),
    ("unresolved", Outcome::Fail, None),
    (
        "ambiguous_failure_ids",
        Outcome::Unscored,
        Some("ambiguous failure"),
    ),
    (
        "infra_failure_ids",
        Outcome::Unscored,
        Some("infrastructure failure"),
    ),
    ("resolved_ids", Outcome::Pass, None),
    ("resolved", Outcome::Pass, None),
];

/// Reads a run summary, an old report, or a map of flags.
pub(crate) fn read_run_report(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let mut verdicts = BTreeMap::new();
    if is_flag_map(record) {
        for (key, raw) in fields.pairs() {
            verdicts.insert(key.to_owned(), Verdict::of_flag(raw.get() == "true"));
        }
    }
    for (key, outcome, mark) in LISTS {
        let Some(raw) = fields.some(key) else {
            continue;
        };
        if json::kind(raw.get()) != Kind::List {
            // Some summaries give counts under these names.
            continue;
        }
        let (ids, errors) = fields.texts_among(key).unwrap_or_default();
        for error in errors {
            found.problem(record, None, error.to_string());
        }
        for id in ids {
            verdicts.insert(id, Verdict::new(*outcome, *mark));
        }
    }
    let both = |key: &str| fields.texts_among(key).unwrap_or_default().0;
    let unresolved = both("unresolved_ids");
    for id in both("resolved_ids")
        .iter()
        .filter(|id| unresolved.contains(id))
    {
        let reason = "listed as resolved and as unresolved; resolved counts";
        found.problem(record, Some(id), reason);
    }
    // `{no_generation, no_logs, resolved}` names no failures.
    let rest_failed = fields.has("resolved") && !fields.has("generated");
    found.swebench.run_reports.push(RunReport {
        verdicts,
        rest_failed,
        at: At::of(record),
    });
}
