//! Where rules put what they notice about one candidate.

use std::collections::HashSet;

use super::config::Rules;
use super::rule::RuleId;
use crate::diff::{FilePatch, Hunk, LineKind, Patch};
use crate::domain::TrajectoryIndex;
use crate::domain::scope::{Level, Remark};

/// What artefacts of the whole group leave out of a candidate's patch.
#[derive(Debug, Clone, Default)]
pub(super) struct Skipped {
    /// Files, 0-based.
    pub files: HashSet<usize>,
    /// (file, hunk), 0-based.
    pub hunks: HashSet<(usize, usize)>,
}

impl Skipped {
    /// Whether a hunk is left out.
    pub fn has(&self, file: usize, hunk: usize) -> bool {
        self.files.contains(&file) || self.hunks.contains(&(file, hunk))
    }

    /// Whether all of a file is left out.
    pub fn has_file(&self, index: usize, file: &FilePatch) -> bool {
        let hunks = file.hunks.len();
        self.files.contains(&index)
            || (hunks > 0 && (0..hunks).all(|hunk| self.hunks.contains(&(index, hunk))))
    }
}

/// The remarks about one candidate, as they are found.
pub(super) struct Report<'a> {
    /// Which rules are asked.
    pub rules: &'a Rules,
    /// The candidate.
    pub trajectory: TrajectoryIndex,
    /// Its patch.
    pub patch: &'a Patch,
    /// What is left out of it.
    pub skipped: &'a Skipped,
    /// Files that are out of place as a whole, 0-based: their lines are nobody's concern.
    pub odd_files: HashSet<usize>,
    /// What was found.
    pub found: Vec<Remark>,
}

/// A place of a patch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct At {
    /// 0-based file; `None` = the whole patch.
    pub file: Option<usize>,
    /// 0-based hunk.
    pub hunk: Option<usize>,
    /// First and last line (1-based), and whether they are lines of the old text.
    pub lines: Option<((u32, u32), bool)>,
}

impl At {
    pub fn file(file: usize) -> Self {
        Self {
            file: Some(file),
            ..Self::default()
        }
    }

    pub fn hunk(file: usize, index: usize, hunk: &Hunk) -> Self {
        Self {
            file: Some(file),
            hunk: Some(index),
            lines: changed_lines(hunk),
        }
    }

    pub fn line(file: usize, hunk: usize, line: u32, is_old: bool) -> Self {
        Self {
            file: Some(file),
            hunk: Some(hunk),
            lines: Some(((line, line), is_old)),
        }
    }
}

/// First and last changed line of a hunk: added ones, removed ones (`true`) where none was added.
fn changed_lines(hunk: &Hunk) -> Option<((u32, u32), bool)> {
    let span = |kind: LineKind| {
        let numbers = hunk.lines.iter().filter(|line| line.kind == kind);
        let mut numbers = numbers.filter_map(|line| match kind {
            LineKind::Removed => line.old_no,
            _ => line.new_no,
        });
        let first = numbers.next()?;
        Some((first, numbers.next_back().unwrap_or(first)))
    };
    let added = span(LineKind::Added).map(|lines| (lines, false));
    added.or_else(|| span(LineKind::Removed).map(|lines| (lines, true)))
}

impl Report<'_> {
    /// Whether a rule is asked.
    pub fn asks(&self, id: RuleId) -> bool {
        self.rules.is_on(id)
    }

    /// Takes a remark of a rule that is on.
    pub fn add(&mut self, id: RuleId, at: At, reason: impl Into<String>) {
        self.add_as(id, id.rule().level, at, reason);
    }

    /// Takes a remark that is meant milder than the rule's are.
    pub fn add_as(&mut self, id: RuleId, level: Level, at: At, reason: impl Into<String>) {
        if !self.asks(id) {
            return;
        }
        let file = at.file.and_then(|file| self.patch.files.get(file));
        // A place that has no name is none that anybody could go to.
        if file.is_some_and(|file| file.path().is_empty()) {
            return;
        }
        self.found.push(Remark {
            rule: id.rule().name,
            level,
            trajectory: self.trajectory,
            also: Vec::new(),
            file: at.file,
            path: file.map_or(String::new(), |file| file.path().to_owned()),
            hunk: at.hunk,
            lines: at.lines.map(|(lines, _)| lines),
            is_old: at.lines.is_some_and(|(_, is_old)| is_old),
            reason: reason.into(),
        });
    }
}

/// A line of a patch as it is quoted in a reason: without indentation, cut where it is long.
pub(super) fn quoted(line: &str) -> String {
    const MOST: usize = 60;
    let line = line.trim();
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or(line)),
        None => line.to_owned(),
    }
}
