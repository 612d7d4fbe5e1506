//! SWE-bench reports of every vintage: task reports, run summaries, old reports, verdict maps.
//!
//! What is *not* here: to which run a report belongs (`runs`).

use std::collections::BTreeMap;

use crate::domain::{Outcome, TestCounts, TestResult, TestStatus};
use crate::formats::files::{Place, Record};
use crate::formats::found::{At, Found};
use crate::formats::json::{self, Fields, JsonError, Kind, Raw};
use crate::formats::mapped;
use crate::formats::native;

use super::metrics::Metrics;

/// What a report says about one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Pass when resolved.
    pub outcome: Outcome,
    /// What is odd about it.
    pub mark: Option<String>,
    /// Whether the environment, not the patch, may be to blame: then a bare `false` elsewhere says
    /// nothing new.
    pub infra: bool,
}

impl Verdict {
    fn new(outcome: Outcome, mark: Option<&str>) -> Self {
        Self {
            outcome,
            mark: mark.map(str::to_owned),
            infra: false,
        }
    }

    /// No verdict, since the environment may be to blame.
    pub(crate) fn infra(kind: &str, reason: Option<&str>) -> Self {
        let mark = match reason {
            Some(reason) => format!("{kind}: {reason}"),
            None => kind.to_owned(),
        };
        Self {
            outcome: Outcome::Unscored,
            mark: Some(mark),
            infra: true,
        }
    }

    /// No verdict.
    pub(crate) fn none(mark: &str) -> Self {
        Self::new(Outcome::Unscored, Some(mark))
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

/// `patch_exists` with `resolved`; under an id also `resolved` alone or beside a cost (the index of
/// OpenHands). In line formats a report has to name its task. Multi-SWE-bench says `valid`.
pub(crate) fn is_task_report(record: &Record<'_>) -> bool {
    if is_multi_report(record) {
        return true;
    }
    record.has("resolved")
        && (record.line.is_none() || record.has("instance_id") || record.key.is_some())
        && !record.has_list("resolved")
        && !record.fields().is_some_and(mapped::is_row)
        && (record.has("patch_exists")
            || record.has("patch_is_None")
            || record.has("tests_status")
            || record.has("instance_id")
            || record
                .key
                .as_deref()
                .is_some_and(|key| key.contains("__") || record.has("cost")))
}

/// Multi-SWE-bench's report about one pull request.
fn is_multi_report(record: &Record<'_>) -> bool {
    ["org", "repo", "number", "valid", "fix_patch_result"]
        .iter()
        .all(|key| record.has(key))
}

/// Reads a task report.
pub(crate) fn read_task_report(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let named = fields.text("instance_id").ok().flatten();
    let instance = named
        .or_else(|| pull_request(fields))
        .or_else(|| record.key.clone());
    let name = instance.clone().unwrap_or_else(|| "report".to_owned());
    let flag = |key: &str| fields.boolean(key).ok().flatten();
    let key = if is_multi_report(record) {
        "valid"
    } else {
        "resolved"
    };
    let resolved = match fields.boolean(key) {
        Ok(resolved) => resolved,
        Err(error) => {
            // 0 and 1 are flags, too.
            match fields.number(key) {
                Ok(Some(value)) if value == 0.0 || value == 1.0 => Some(value == 1.0),
                _ => {
                    found.problem(record, Some(&name), error.to_string());
                    None
                }
            }
        }
    };
    // The reason alone, without the flag, stands for failures that a bad patch can cause as well.
    let reason = fields.text("infra_failure_reason").ok().flatten();
    let verdict = if flag("infra_failure") == Some(true) {
        Verdict::infra("infrastructure failure", reason.as_deref())
    } else {
        match resolved {
            Some(true) => Verdict::of_flag(true),
            Some(false) if reason.is_some() => {
                Verdict::infra("ambiguous failure", reason.as_deref())
            }
            Some(false)
                if flag("patch_successfully_applied") == Some(false)
                    && flag("patch_exists") == Some(true) =>
            {
                Verdict::new(Outcome::Fail, Some("the patch did not apply"))
            }
            Some(false) => Verdict::of_flag(false),
            None => Verdict::none("the report has no verdict"),
        }
    };
    // The index of OpenHands has the cost beside the flag.
    if let (Some(instance), Some(cost)) = (&instance, fields.number("cost").ok().flatten())
        && cost.is_finite()
    {
        found
            .swebench
            .metrics
            .push(Metrics::of_cost(instance, cost, record));
    }
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

/// SWE-bench Pro's `{instance_id: bool}`; `null` stands for no verdict.
fn is_flag_map(record: &Record<'_>) -> bool {
    record.fields().is_some_and(|fields| {
        let is_flag = |raw: Raw<'_>| matches!(raw.get(), "true" | "false");
        fields.pairs().any(|(_, raw)| is_flag(raw))
            && fields
                .pairs()
                .all(|(key, raw)| key.contains("__") && (is_flag(raw) || raw.get() == "null"))
    })
}

/// Multi-SWE-bench's name of a pull request in the form of an `instance_id`.
pub(crate) fn pull_request(fields: &Fields<'_>) -> Option<String> {
    let part = |key: &str| fields.text_or_number(key).ok().flatten();
    let (org, repo, number) = (part("org")?, part("repo")?, part("number")?);
    Some(format!("{org}__{repo}-{number}"))
}

/// The same from an id of its final report, `org/repo:pr-number`.
pub(super) fn of_final_report(id: &str) -> Option<String> {
    let (path, number) = id.split_once(":pr-")?;
    let (org, repo) = path.split_once('/')?;
    Some(format!("{org}__{repo}-{number}"))
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
    // sb-cli: the run on its servers failed, not the patch.
    (
        "failed_ids",
        Outcome::Unscored,
        Some("the evaluation run failed"),
    ),
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
            let verdict = match raw.get() {
                "null" => Verdict::none("the report has no verdict"),
                flag => Verdict::of_flag(flag == "true"),
            };
            verdicts.insert(key.to_owned(), verdict);
        }
    }
    let reasons = fields.object("failure_reasons").ok().flatten();
    let reasons = reasons.unwrap_or_default();
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
            let verdict = match *mark {
                Some(kind) if key.ends_with("_failure_ids") => {
                    let reason = reasons.text(&id).ok().flatten();
                    Verdict::infra(kind, reason.as_deref())
                }
                mark => Verdict::new(*outcome, mark),
            };
            verdicts.insert(id, verdict);
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
    let rest_failed = fields.has("resolved")
        && !["generated", "unresolved", "unresolved_ids"]
            .iter()
            .any(|key| fields.has(key));
    found.swebench.run_reports.push(RunReport {
        verdicts,
        rest_failed,
        at: At::of(record),
    });
}
