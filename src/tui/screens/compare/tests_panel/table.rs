//! The tests of a group with their results per candidate: built once per opened group.
//!
//! Pure: what of it is seen, and how it looks, is `view.rs`.

use std::collections::{HashMap, HashSet};

use crate::domain::{Content, TestStatus, TrajectoryIndex};
use crate::tui::text;

/// What a test is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Fails without the change, has to pass with it.
    FailToPass,
    /// Passes without the change, has to pass still.
    PassToPass,
    /// Another group's name, as recorded; empty when none is. Untrusted text.
    Other(String),
}

impl Purpose {
    /// The heading of its tests.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::FailToPass => "fail to pass".to_owned(),
            Self::PassToPass => "pass to pass".to_owned(),
            Self::Other(name) if name.is_empty() => "other tests".to_owned(),
            Self::Other(name) => text::sanitize_line(name),
        }
    }
}

/// What one candidate's run said of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Status.
    pub status: TestStatus,
    /// 0-based place in the candidate's results.
    pub result: usize,
}

/// A test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Name, as recorded. Untrusted text.
    pub name: String,
    /// Which of the results of this name of a candidate, 0-based: some runs report one twice.
    pub nth: usize,
    /// What it is for.
    pub purpose: Purpose,
    /// A cell per candidate, in group order; `None` = no result.
    pub cells: Vec<Option<Cell>>,
    /// Whether two candidates with results have different ones.
    pub differs: bool,
}

/// The tests of one purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// What they are for.
    pub purpose: Purpose,
    /// Their first row.
    pub first: usize,
    /// Number of rows.
    pub count: usize,
    /// Tests on which the candidates differ; they come first.
    pub differing: usize,
    /// Tests passed, per candidate in group order.
    pub passed: Vec<usize>,
}

/// The tests of a group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// By purpose; within one those that differ first, then as recorded.
    pub rows: Vec<Row>,
    /// The purposes.
    pub sections: Vec<Section>,
    /// Columns of the longest name.
    pub longest: usize,
    /// The candidates without a single result.
    pub without: Vec<TrajectoryIndex>,
}

/// Whether a status is a failure.
#[must_use]
pub fn is_failure(status: TestStatus) -> bool {
    matches!(status, TestStatus::Fail | TestStatus::Error)
}

impl Table {
    /// The tests that the task or a result names.
    #[must_use]
    pub fn of(content: &Content) -> Self {
        let task = &content.task;
        let fail: HashSet<&str> = task.fail_to_pass.iter().map(String::as_str).collect();
        let pass: HashSet<&str> = task.pass_to_pass.iter().map(String::as_str).collect();
        let purpose = |name: &str, group: &str| match group {
            _ if fail.contains(name) => Purpose::FailToPass,
            _ if pass.contains(name) => Purpose::PassToPass,
            "fail_to_pass" | "FAIL_TO_PASS" => Purpose::FailToPass,
            "pass_to_pass" | "PASS_TO_PASS" => Purpose::PassToPass,
            group => Purpose::Other(group.to_owned()),
        };
        let count = content.trajectories.len();
        let mut rows: Vec<Row> = Vec::new();
        let mut places: HashMap<(&str, usize), usize> = HashMap::new();
        let mut row_of = |rows: &mut Vec<Row>, name, group, nth| {
            *places.entry((name, nth)).or_insert_with(|| {
                rows.push(Row {
                    name: str::to_owned(name),
                    nth,
                    purpose: purpose(name, group),
                    cells: vec![None; count],
                    differs: false,
                });
                rows.len() - 1
            })
        };
        for name in task.fail_to_pass.iter().chain(&task.pass_to_pass) {
            row_of(&mut rows, name.as_str(), "", 0);
        }
        for (index, texts) in content.trajectories.iter().enumerate() {
            let mut seen: HashMap<&str, usize> = HashMap::new();
            for (result, test) in texts.tests.iter().enumerate() {
                let nth = seen.entry(test.name.as_str()).or_default();
                let row = row_of(&mut rows, &test.name, &test.group, *nth);
                *nth += 1;
                let status = test.status;
                rows[row].cells[index] = Some(Cell { status, result });
            }
        }
        for row in &mut rows {
            let mut known = row.cells.iter().flatten().map(|cell| cell.status);
            let first = known.next();
            row.differs = known.any(|status| Some(status) != first);
        }
        rows.sort_by(|a, b| (&a.purpose, !a.differs).cmp(&(&b.purpose, !b.differs)));
        let without = content.trajectories.iter().enumerate();
        let without = without.filter(|(_, texts)| texts.tests.is_empty());
        let longest = rows.iter().map(|row| text::width(&row.name));
        Self {
            sections: sections(&rows, count),
            longest: longest.max().unwrap_or(0),
            without: without.map(|(index, _)| index).collect(),
            rows,
        }
    }

    /// Whether there is no result of any test.
    #[must_use]
    pub fn has_no_result(&self) -> bool {
        self.rows
            .iter()
            .all(|row| row.cells.iter().all(Option::is_none))
    }

    /// The next test that failed on a candidate, behind row `at` or before it.
    #[must_use]
    pub fn next_failing(
        &self,
        candidate: TrajectoryIndex,
        at: usize,
        forward: bool,
    ) -> Option<usize> {
        let fails = |&row: &usize| {
            let row = self.rows.get(row);
            let cell = row.and_then(|row| row.cells.get(candidate)?.as_ref());
            cell.is_some_and(|cell| is_failure(cell.status))
        };
        if forward {
            (at + 1..self.rows.len()).find(fails)
        } else {
            (0..at).rev().find(fails)
        }
    }
}

fn sections(rows: &[Row], candidates: usize) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let new = sections
            .last()
            .is_none_or(|last| last.purpose != row.purpose);
        if new {
            sections.push(Section {
                purpose: row.purpose.clone(),
                first: place,
                count: 0,
                differing: 0,
                passed: vec![0; candidates],
            });
        }
        let Some(section) = sections.last_mut() else {
            continue;
        };
        section.count += 1;
        section.differing += usize::from(row.differs);
        for (passed, cell) in section.passed.iter_mut().zip(&row.cells) {
            let is_pass = cell
                .as_ref()
                .is_some_and(|cell| cell.status == TestStatus::Pass);
            *passed += usize::from(is_pass);
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{TaskContent, TestResult, TrajectoryContent};

    fn run(results: &[(&str, TestStatus)]) -> TrajectoryContent {
        let tests = results.iter().map(|&(name, status)| TestResult {
            name: name.to_owned(),
            group: String::new(),
            status,
            message: None,
        });
        TrajectoryContent {
            tests: tests.collect(),
            ..TrajectoryContent::default()
        }
    }

    fn table() -> Table {
        use TestStatus::{Fail, Pass, Skip};
        Table::of(&Content {
            task: TaskContent {
                fail_to_pass: vec!["f1".to_owned(), "f2".to_owned()],
                pass_to_pass: vec!["p1".to_owned()],
                ..TaskContent::default()
            },
            trajectories: vec![
                run(&[("f1", Pass), ("f2", Pass), ("p1", Pass), ("x", Skip)]),
                run(&[("p1", Fail), ("f2", Fail), ("f1", Pass), ("f1", Fail)]),
                run(&[]),
            ],
            problems: Vec::new(),
        })
    }

    #[test]
    fn tests_come_by_purpose_and_those_that_differ_first() {
        let table = table();
        let names: Vec<_> = table
            .rows
            .iter()
            .map(|row| (row.name.as_str(), row.nth))
            .collect();
        assert_eq!(
            names,
            [("f2", 0), ("f1", 0), ("f1", 1), ("p1", 0), ("x", 0)]
        );
        let sections = table.sections.iter();
        let sections: Vec<_> = sections
            .map(|section| {
                (
                    section.first,
                    section.count,
                    section.differing,
                    section.passed.clone(),
                )
            })
            .collect();
        assert_eq!(
            sections,
            [
                (0, 3, 1, vec![2, 1, 0]),
                (3, 1, 1, vec![1, 0, 0]),
                (4, 1, 0, vec![0, 0, 0])
            ]
        );
        assert_eq!(table.without, [2]);
        assert!(!table.has_no_result());
    }

    #[test]
    fn failing_tests_are_found_both_ways() {
        let table = table();
        assert_eq!(table.next_failing(1, 0, true), Some(2));
        assert_eq!(table.next_failing(1, 2, true), Some(3));
        assert_eq!(table.next_failing(1, 3, false), Some(2));
        assert_eq!(table.next_failing(0, 0, true), None);
    }
}
