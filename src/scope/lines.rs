//! Rules that look at the lines of one hunk.
//!
//! Each looks at every line a fixed number of times: a patch of a hundred thousand lines takes no
//! longer per line than a small one.

use std::collections::{HashMap, HashSet};

use super::files::{has_word, is_one_of};
use super::kinds::{comment, comment_marks, is_prose, is_test};
use super::report::{At, Report, quoted};
use super::rule::RuleId;
use crate::diff::{FilePatch, FileStatus, Hunk, LineKind, Patch};
use crate::domain::counted;

/// A line of one side of a hunk.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    /// 1-based number on its side.
    number: u32,
    text: &'a str,
}

/// The changed lines of a hunk.
struct Changes<'a> {
    added: Vec<Line<'a>>,
    removed: Vec<Line<'a>>,
    context: Vec<&'a str>,
}

impl<'a> Changes<'a> {
    fn of(patch: &'a Patch, hunk: &'a Hunk) -> Self {
        let mut changes = Self {
            added: Vec::new(),
            removed: Vec::new(),
            context: Vec::new(),
        };
        for line in &hunk.lines {
            let text = patch.line_text(line);
            let text = text.strip_suffix('\r').unwrap_or(text);
            let of = |number: Option<u32>| Line {
                number: number.unwrap_or(0),
                text,
            };
            match line.kind {
                LineKind::Added => changes.added.push(of(line.new_no)),
                LineKind::Removed => changes.removed.push(of(line.old_no)),
                LineKind::Context => changes.context.push(text),
                LineKind::NoNewline => {}
            }
        }
        changes
    }

    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

/// Asks the rules about lines.
pub(super) fn look(report: &mut Report<'_>) {
    let patch = report.patch;
    for (index, file) in patch.files.iter().enumerate() {
        // The lines of a merge have several old sides; those of links and submodules are no code.
        let is_text = file.parents == 0 && !file.binary && !is_special(file);
        if !is_text || report.odd_files.contains(&index) {
            continue;
        }
        let mut blanks = Blanks::default();
        for (place, hunk) in file.hunks.iter().enumerate() {
            if report.skipped.has(index, place) {
                continue;
            }
            let changes = Changes::of(patch, hunk);
            if changes.is_empty() {
                continue;
            }
            blanks.count(place, &changes);
            look_at(report, (index, file), (place, hunk), &changes);
        }
        blanks.tell(report, index, file.path());
    }
}

fn is_special(file: &FilePatch) -> bool {
    let modes = [&file.old_mode, &file.new_mode].into_iter().flatten();
    modes
        .into_iter()
        .any(|mode| mode == "120000" || mode == "160000")
}

fn look_at(
    report: &mut Report<'_>,
    (index, file): (usize, &FilePatch),
    (place, hunk): (usize, &Hunk),
    changes: &Changes<'_>,
) {
    let path = file.path();
    let at = At::hunk(index, place, hunk);
    let is_whole = file.status == FileStatus::Added || file.status == FileStatus::Deleted;
    if !is_whole {
        if let Some(reason) = only_white_space(changes) {
            return report.add(RuleId::WhitespaceHunk, at, reason);
        }
        if is_import_order(report.rules.patterns(RuleId::ImportReorder), changes) {
            return report.add(
                RuleId::ImportReorder,
                at,
                "only the order of imports changes",
            );
        }
    }
    let marks = comment_marks(path);
    let commented = !marks.is_empty() && commented_code(report, (index, place), marks, changes);
    if !marks.is_empty() && !is_whole && !commented {
        comments_only(report, at, marks, changes);
    }
    added_lines(report, (index, place), path, changes);
}

/// Why a hunk changes nothing but white space; `None` when it changes more.
fn only_white_space(changes: &Changes<'_>) -> Option<String> {
    let squeezed = |lines: &[Line<'_>]| -> String {
        let chars = lines.iter().flat_map(|line| line.text.chars());
        chars.filter(|c| !c.is_whitespace()).collect()
    };
    let (old, new) = (&changes.removed, &changes.added);
    if squeezed(old) != squeezed(new) {
        return None;
    }
    let is_blank = |lines: &[Line<'_>]| lines.iter().all(|line| line.text.trim().is_empty());
    let shifted = |(a, b): (&Line<'_>, &Line<'_>)| {
        a.text.trim_end() != b.text.trim_end() && a.text.trim() == b.text.trim()
    };
    let lines = counted(old.len().max(new.len()), "line", "lines");
    Some(if is_blank(old) && is_blank(new) {
        "only blank lines change".to_owned()
    } else if old.len() == new.len() && old.iter().zip(new).any(shifted) {
        format!("reindent: {lines}, nothing else changes")
    } else {
        format!("only white space changes: {lines}")
    })
}

fn is_import_order(starts: &[String], changes: &Changes<'_>) -> bool {
    let sorted = |lines: &[Line<'_>]| -> Option<Vec<String>> {
        let lines = lines.iter().map(|line| line.text.trim());
        let lines = lines.filter(|line| !line.is_empty());
        let mut imports = Vec::new();
        for line in lines {
            if !starts.iter().any(|start| line.starts_with(start.as_str())) {
                return None;
            }
            imports.push(line.to_owned());
        }
        imports.sort_unstable();
        Some(imports)
    };
    // A list of imports that is no list of imports costs one look.
    let (Some(old), Some(new)) = (sorted(&changes.removed), sorted(&changes.added)) else {
        return false;
    };
    !old.is_empty() && old == new
}

/// Tells of removed lines that come back as comments; answers whether there are any.
fn commented_code(
    report: &mut Report<'_>,
    (file, hunk): (usize, usize),
    marks: &[&str],
    changes: &Changes<'_>,
) -> bool {
    let least = report.rules.threshold(RuleId::CommentedCode);
    let removed: HashSet<&str> = changes
        .removed
        .iter()
        .map(|line| line.text.trim())
        .filter(|line| line.len() as f64 >= least && comment(line, marks).is_none())
        .collect();
    let found = changes.added.iter().find_map(|line| {
        let text = comment(line.text, marks)?;
        removed.contains(text).then_some((line.number, text))
    });
    let Some((number, text)) = found else {
        return false;
    };
    let reason = format!("a removed line comes back as a comment: {}", quoted(text));
    let at = At::line(file, hunk, number, false);
    report.add(RuleId::CommentedCode, at, reason);
    true
}

fn comments_only(report: &mut Report<'_>, at: At, marks: &[&str], changes: &Changes<'_>) {
    let all = changes.added.iter().chain(&changes.removed);
    let mut told = all.filter(|line| !line.text.trim().is_empty());
    if !told.all(|line| comment(line.text, marks).is_some()) {
        return;
    }
    let comments = |lines: &[Line<'_>]| {
        let told = lines.iter().filter(|line| !line.text.trim().is_empty());
        told.count()
    };
    let (removed, added) = (comments(&changes.removed), comments(&changes.added));
    match (removed, added) {
        (0, _) => {
            let lines = counted(added, "line", "lines");
            let reason = format!("only comments are added: {lines}");
            report.add(RuleId::CommentOnlyHunk, at, reason);
        }
        (_, 0) => report.add(
            RuleId::CommentReworded,
            at,
            format!(
                "only comments are removed: {}",
                counted(removed, "line", "lines")
            ),
        ),
        _ => report.add(RuleId::CommentReworded, at, "only comments are reworded"),
    }
}

/// Rules about single added lines; one remark a rule and hunk.
fn added_lines(
    report: &mut Report<'_>,
    (file, hunk): (usize, usize),
    path: &str,
    changes: &Changes<'_>,
) {
    let rules = report.rules;
    let known: HashSet<&str> = changes
        .removed
        .iter()
        .map(|line| line.text.trim())
        .collect();
    let marks = comment_marks(path);
    let fresh = || {
        let added = changes.added.iter();
        added.filter(|line| !known.contains(line.text.trim()))
    };
    let mut tell = |id: RuleId, lines: &[&Line<'_>], what: &str| {
        if let Some(first) = lines.first() {
            let more = match lines.len() - 1 {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            let at = At::line(file, hunk, first.number, false);
            let reason = format!("{what}: {}{more}", quoted(first.text));
            report.add(id, at, reason);
        }
    };
    if rules.is_on(RuleId::DebugOutput) && !is_test(path) {
        let patterns = rules.patterns(RuleId::DebugOutput);
        let (not_in, starts): (Vec<_>, Vec<_>) = patterns
            .iter()
            .partition(|pattern| pattern.starts_with('!'));
        let not_in: Vec<String> = not_in
            .into_iter()
            .map(|pattern| pattern.trim_start_matches('!').to_owned())
            .collect();
        // A hunk that printed before prints on purpose.
        let prints = |line: &str| {
            let line = line.trim_start();
            starts.iter().any(|start| line.starts_with(start.as_str()))
        };
        let removed = changes.removed.iter().map(|line| line.text);
        let on_purpose = changes.context.iter().copied().chain(removed).any(prints);
        if !on_purpose && !is_one_of(&not_in, path) {
            let lines: Vec<_> = fresh().filter(|line| prints(line.text)).collect();
            tell(RuleId::DebugOutput, &lines, "prints");
        }
    }
    let has = |id: RuleId, line: &Line<'_>| {
        let mut patterns = rules.patterns(id).iter();
        patterns.any(|part| line.text.contains(part.as_str()))
    };
    // The same part in a removed line: the line was only edited.
    let was = |id: RuleId| changes.removed.iter().any(|line| has(id, line));
    if rules.is_on(RuleId::Todo) && !was(RuleId::Todo) && !is_prose(path) {
        let is_todo = |line: &&Line<'_>| {
            let text = comment_part(line.text, marks);
            let words = rules.patterns(RuleId::Todo);
            text.is_some_and(|text| words.iter().any(|word| has_word(text, word)))
        };
        let lines: Vec<_> = fresh().filter(is_todo).collect();
        tell(RuleId::Todo, &lines, "puts something off");
    }
    for (id, what) in [
        (RuleId::Suppression, "silences a checker"),
        (RuleId::BroadExcept, "catches every error"),
    ] {
        if rules.is_on(id) && !was(id) && !is_prose(path) {
            let code = |line: &&Line<'_>| {
                has(id, line) && (id == RuleId::Suppression || comment(line.text, marks).is_none())
            };
            let lines: Vec<_> = fresh().filter(code).collect();
            tell(id, &lines, what);
        }
    }
}

/// The part of a line behind the first comment mark.
fn comment_part<'a>(line: &'a str, marks: &[&str]) -> Option<&'a str> {
    let starts = marks.iter().filter_map(|mark| line.find(mark));
    line.get(starts.min()?..)
}

/// Added lines of a file that end in blanks.
#[derive(Default)]
struct Blanks {
    count: usize,
    /// (hunk, line number) of the first.
    first: Option<(usize, u32)>,
    last: u32,
}

impl Blanks {
    fn count(&mut self, hunk: usize, changes: &Changes<'_>) {
        // A line that ended so before and was moved is no new fault.
        let mut known: Option<HashMap<&str, usize>> = None;
        for line in &changes.added {
            if !line.text.ends_with([' ', '\t']) {
                continue;
            }
            let known = known.get_or_insert_with(|| {
                let mut known = HashMap::new();
                for line in &changes.removed {
                    *known.entry(line.text).or_default() += 1;
                }
                known
            });
            match known.get_mut(line.text) {
                Some(left) if *left > 0 => *left -= 1,
                _ => {
                    self.count += 1;
                    self.first.get_or_insert((hunk, line.number));
                    self.last = line.number;
                }
            }
        }
    }

    fn tell(&self, report: &mut Report<'_>, file: usize, path: &str) {
        let Some((hunk, first)) = self.first else {
            return;
        };
        if is_one_of(report.rules.patterns(RuleId::AddsTrailingWs), path) {
            return;
        }
        let at = At::line(file, hunk, first, false);
        let reason = match self.count {
            1 => "an added line ends in blanks".to_owned(),
            count => format!(
                "{count} added lines end in blanks, the last is line {}",
                self.last
            ),
        };
        report.add(RuleId::AddsTrailingWs, at, reason);
    }
}
