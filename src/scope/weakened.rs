//! Rules about tests: what was there and is asked no more, what is asked in addition.

use std::collections::HashSet;

use super::kinds::is_test;
use super::report::{At, Report, quoted};
use super::rule::RuleId;
use crate::diff::{FilePatch, FileStatus, Hunk, HunkLine, LineKind, Patch};
use crate::domain::counted;

/// Asks the rules about tests.
pub(super) fn look(report: &mut Report<'_>) {
    let patch = report.patch;
    for (index, file) in patch.files.iter().enumerate() {
        let is_stray = file.status == FileStatus::Added && !file.path().contains('/');
        if !is_test(file.path())
            || is_stray
            || file.parents > 0
            || report.skipped.has_file(index, file)
        {
            continue;
        }
        if file.status == FileStatus::Deleted {
            let at = At::file(index);
            report.add(RuleId::TestWeakened, at, "a file of tests is deleted");
            continue;
        }
        weakened(report, index, file);
        extended(report, index, file);
    }
}

/// What a pattern of the rule looks at.
struct Patterns<'a> {
    /// Starts of removed lines, in lower case.
    removed: Vec<&'a str>,
    /// Parts of added lines, in lower case.
    added: Vec<&'a str>,
}

fn weakened(report: &mut Report<'_>, index: usize, file: &FilePatch) {
    let all = report.rules.patterns(RuleId::TestWeakened);
    let patterns = Patterns {
        removed: all
            .iter()
            .filter_map(|text| text.strip_prefix('-'))
            .collect(),
        added: all
            .iter()
            .filter_map(|text| text.strip_prefix('+'))
            .collect(),
    };
    let patch = report.patch;
    // A line that comes back anywhere in the file was moved or shifted.
    let lines = |kind: LineKind| {
        let hunks = file.hunks.iter().flat_map(|hunk| &hunk.lines);
        hunks
            .filter(move |line| line.kind == kind)
            .map(|line| patch.line_text(line))
    };
    let back: HashSet<&str> = lines(LineKind::Added).map(key).collect();
    let before: HashSet<&str> = lines(LineKind::Removed).map(key).collect();
    for (place, hunk) in file.hunks.iter().enumerate() {
        if !report.skipped.has(index, place) {
            look_at(report, (index, place, hunk), &patterns, (&back, &before));
        }
    }
}

/// What makes a line the same when it comes back: its text, of the head of a function its name.
fn key(line: &str) -> &str {
    let line = line.trim();
    let is_head = ["def ", "async def ", "func ", "fn "]
        .iter()
        .any(|start| line.starts_with(start));
    match line.split_once('(') {
        Some((head, _)) if is_head => head,
        _ => line,
    }
}

fn look_at(
    report: &mut Report<'_>,
    (file, place, hunk): (usize, usize, &Hunk),
    patterns: &Patterns<'_>,
    (back, before): (&HashSet<&str>, &HashSet<&str>),
) {
    let patch: &Patch = report.patch;
    let mut gone: Vec<&HunkLine> = Vec::new();
    let mut skips: Option<&HunkLine> = None;
    for line in &hunk.lines {
        let text = patch.line_text(line).trim();
        match line.kind {
            LineKind::Removed => {
                let lower = text.to_ascii_lowercase();
                let is_asked = patterns
                    .removed
                    .iter()
                    .any(|start| lower.starts_with(start));
                if is_asked && !back.contains(key(text)) {
                    gone.push(line);
                }
            }
            LineKind::Added if skips.is_none() => {
                let lower = text.to_ascii_lowercase();
                let is_skip = patterns.added.iter().any(|part| lower.contains(part));
                if is_skip && !before.contains(key(text)) {
                    skips = Some(line);
                }
            }
            _ => {}
        }
    }
    if let Some(first) = gone.first() {
        let text = patch.line_text(first);
        let what = match key(text).len() < text.trim().len() {
            true => "a test is deleted or renamed",
            false => "an assertion is removed or changed",
        };
        let more = match gone.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        let at = At::line(file, place, first.old_no.unwrap_or(0), true);
        let reason = format!("{what}: {}{more}", quoted(text));
        report.add(RuleId::TestWeakened, at, reason);
    }
    if let Some(line) = skips {
        let at = At::line(file, place, line.new_no.unwrap_or(0), false);
        let reason = format!("a test is skipped: {}", quoted(patch.line_text(line)));
        report.add(RuleId::TestWeakened, at, reason);
    }
}

fn extended(report: &mut Report<'_>, index: usize, file: &FilePatch) {
    let only_adds = |hunk: &&Hunk| {
        let has = |kind| hunk.lines.iter().any(|line| line.kind == kind);
        has(LineKind::Added) && !has(LineKind::Removed)
    };
    let hunks = file.hunks.iter().filter(only_adds).count();
    if hunks > 0 {
        let at = At::file(index);
        let reason = format!(
            "{} only add lines to tests",
            counted(hunks, "hunk", "hunks")
        );
        let reason = reason.replace("1 hunk only add ", "1 hunk only adds ");
        report.add(RuleId::TestExtended, at, reason);
    }
}
