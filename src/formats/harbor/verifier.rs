//! Test reports in the Common Test Report Format (`verifier/ctrf.json`).
//!
//! What is *not* here: the reward, which a verifier writes on its own.

use crate::domain::{TestCounts, TestResult, TestStatus, TrajectoryContent};
use crate::formats::files::{Body, Place, Record};
use crate::formats::found::{At, FormatId, Found};
use crate::formats::json::{Fields, JsonError, element};
use crate::formats::rollout::Opened;

/// One test report.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    /// The format whose `open` reads it.
    pub format: FormatId,
    /// Where it is.
    pub place: Place,
    /// File.
    pub at: At,
    /// How many tests passed and failed.
    pub counts: TestCounts,
}

/// `results` with a list `tests` and a `summary` or `tool`.
pub(crate) fn is_report(record: &Record<'_>) -> bool {
    record
        .fields()
        .and_then(|fields| fields.object("results").ok().flatten())
        .is_some_and(|results| {
            matches!(results.list("tests"), Ok(Some(_)))
                && (results.has("summary") || results.has("tool"))
        })
}

/// Reads what the index needs of a report.
pub(crate) fn read_report(record: &Record<'_>, found: &mut Found) {
    let Some(fields) = record.fields() else {
        return;
    };
    let mut problems = Vec::new();
    let tests = found.note(record, "results", tests(fields, &mut problems).map(Some));
    for reason in problems {
        found.problem(record, None, reason);
    }
    let Some(tests) = tests else { return };
    let mut counts = TestCounts::default();
    for test in &tests {
        match test.status {
            TestStatus::Pass => counts.passed = counts.passed.saturating_add(1),
            TestStatus::Fail | TestStatus::Error => {
                counts.failed = counts.failed.saturating_add(1);
            }
            TestStatus::Skip | TestStatus::Unknown => {}
        }
    }
    found.harbor.reports.push(Report {
        format: found.format,
        place: record.place,
        at: At::of(record),
        counts,
    });
}

/// Opens a report.
///
/// # Errors
/// When the record is no report any more.
pub(crate) fn open(
    body: &Body<'_>,
    _part: Option<u32>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let tests = match body {
        Body::Object(fields) => tests(fields, problems)?,
        Body::List(_) => Vec::new(),
    };
    Ok(Opened {
        content: TrajectoryContent {
            tests,
            ..TrajectoryContent::default()
        },
        ..Opened::default()
    })
}

/// The tests; those that cannot be read are told.
fn tests(fields: &Fields<'_>, problems: &mut Vec<String>) -> Result<Vec<TestResult>, JsonError> {
    let results = fields.object("results")?.unwrap_or_default();
    let mut out = Vec::new();
    for (index, raw) in results
        .list("tests")?
        .unwrap_or_default()
        .into_iter()
        .enumerate()
    {
        match element("tests", index, raw, test) {
            Ok(test) => out.push(test),
            Err(error) => problems.push(error.to_string()),
        }
    }
    Ok(out)
}

fn test(fields: &Fields<'_>) -> Result<TestResult, JsonError> {
    // What the assertion said says more than the phase it happened in.
    let mut message = fields.text("message").ok().flatten();
    if let Some(trace) = fields.text("trace").ok().flatten() {
        let before = message.map(|message| message + "\n").unwrap_or_default();
        message = Some(before + &trace);
    }
    Ok(TestResult {
        name: fields.text("name")?.unwrap_or_default(),
        group: fields.text("suite").ok().flatten().unwrap_or_default(),
        status: status(&fields.text("status")?.unwrap_or_default()),
        message,
    })
}

/// The status of a test as a report or Terminal-Bench's parser has it.
pub(super) fn status(word: &str) -> TestStatus {
    match word.to_ascii_lowercase().as_str() {
        "passed" | "pass" => TestStatus::Pass,
        "failed" | "fail" => TestStatus::Fail,
        "error" => TestStatus::Error,
        "skipped" | "pending" => TestStatus::Skip,
        _ => TestStatus::Unknown,
    }
}
