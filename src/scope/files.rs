//! Rules that look at which files a patch touches and in what way.

use std::collections::HashSet;

use super::Input;
use super::kinds::is_test;
use super::report::{At, Report};
use super::rule::RuleId;
use crate::diff::{FilePatch, FileStatus, LineKind, Patch, matches_glob};
use crate::domain::scope::Level;

/// Lines at the head of a file in which it says that it is generated.
const HEAD: u32 = 20;

/// Whether one of these globs matches a path, upper and lower case alike.
pub(super) fn is_one_of(patterns: &[String], path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    patterns.iter().any(|glob| matches_glob(glob, &path))
}

/// Asks the rules about files.
pub(super) fn look(input: &Input<'_>, report: &mut Report<'_>) {
    let patch = report.patch;
    for (index, file) in patch.files.iter().enumerate() {
        if !report.skipped.has_file(index, file) {
            look_at(input, report, index, file);
        }
    }
}

fn look_at(input: &Input<'_>, report: &mut Report<'_>, index: usize, file: &FilePatch) {
    let (path, rules) = (file.path(), report.rules);
    let at = At::file(index);
    let is_added = matches!(file.status, FileStatus::Added | FileStatus::Copied);
    let is = |id: RuleId| is_one_of(rules.patterns(id), path);
    let is_junk = is_added && is(RuleId::JunkFile);
    let is_manifest = is(RuleId::DepOrLock);
    let is_config = !is_manifest && is(RuleId::ConfigCi);
    if is_junk && report.asks(RuleId::JunkFile) {
        report.odd_files.insert(index);
        report.add(
            RuleId::JunkFile,
            at,
            "left behind by a build, a test run or an editor",
        );
    }
    if is_added && !is_junk && !is_manifest && !is_config && !input.is_added_by_all(path) {
        let reason = match (path.contains('/'), is(RuleId::StrayFile)) {
            (_, true) => Some("added with the name of a scratch file"),
            (false, _) => Some("added in the root folder"),
            _ => None,
        };
        if let Some(reason) = reason.filter(|_| report.asks(RuleId::StrayFile)) {
            report.odd_files.insert(index);
            report.add(RuleId::StrayFile, at, reason);
        }
    }
    if is_manifest {
        let (level, reason) = match input.issue_speaks_of_dependencies(path) {
            true => (
                Level::Info,
                "manifest or lock file; the issue speaks of dependencies",
            ),
            false => (Level::Check, "manifest or lock file"),
        };
        report.add_as(RuleId::DepOrLock, level, at, reason);
    }
    if is_config {
        report.add(
            RuleId::ConfigCi,
            at,
            "configuration of builds, checks or tests",
        );
    }
    let patch = report.patch;
    if is(RuleId::GeneratedVendored) {
        report.add(
            RuleId::GeneratedVendored,
            at,
            "generated or vendored, by its path",
        );
    } else if says_generated(patch, file) {
        report.add(
            RuleId::GeneratedVendored,
            at,
            "its head says that it is generated",
        );
    }
    facts(report, at, file);
    if let Some(gold) = input.reference
        && report.asks(RuleId::FileNotInGold)
        && !is_test(path)
        && !touches(gold, file)
    {
        report.add(
            RuleId::FileNotInGold,
            at,
            "the reference patch does not touch this file",
        );
    }
    if report.asks(RuleId::FileNotInIssue)
        && !is_test(path)
        && let Some(issue) = input.issue
        && !names(issue, path)
    {
        report.add(
            RuleId::FileNotInIssue,
            at,
            "the issue text does not name this file",
        );
    }
}

/// What the headers of a file tell.
fn facts(report: &mut Report<'_>, at: At, file: &FilePatch) {
    let has_mode = |mode: &str| {
        [&file.old_mode, &file.new_mode]
            .into_iter()
            .any(|known| known.as_deref() == Some(mode))
    };
    let (is_link, is_module) = (has_mode("120000"), has_mode("160000"));
    if file.binary {
        report.add(RuleId::Binary, at, "binary file");
    }
    if is_link {
        report.add(RuleId::Symlink, at, "symbolic link");
    }
    if is_module {
        report.add(RuleId::Submodule, at, "submodule");
    }
    if !(is_link || is_module)
        && let (Some(old), Some(new)) = (&file.old_mode, &file.new_mode)
        && old != new
    {
        report.add(RuleId::ModeChange, at, format!("mode {old} → {new}"));
    }
    match file.status {
        FileStatus::Renamed => {
            let old = file.old_path.as_deref().unwrap_or("");
            report.add(RuleId::Rename, at, format!("renamed from {old}"));
        }
        FileStatus::Deleted => report.add(RuleId::FileDeleted, at, "file deleted"),
        _ => {}
    }
}

/// Whether the quoted head of a file says that it is generated.
fn says_generated(patch: &Patch, file: &FilePatch) -> bool {
    let Some(hunk) = file.hunks.first() else {
        return false;
    };
    let number = |line: &crate::diff::HunkLine| line.new_no.or(line.old_no).unwrap_or(0);
    let head = hunk.lines.iter().take_while(|line| number(line) <= HEAD);
    let head = head.filter(|line| line.kind != LineKind::NoNewline);
    let mut generated = false;
    let mut hands_off = false;
    for line in head.take(HEAD as usize) {
        let text = patch.line_text(line).to_ascii_lowercase();
        generated |= text.contains("generated");
        hands_off |= [
            "do not edit",
            "do not modify",
            "not be edited",
            "@generated",
        ]
        .iter()
        .any(|words| text.contains(words));
    }
    generated && hands_off
}

/// Whether a patch touches a file under its old or new name.
pub(super) fn touches(patch: &Patch, file: &FilePatch) -> bool {
    let names: HashSet<&str> = [&file.old_path, &file.new_path]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let of = |other: &FilePatch| {
        let mut paths = [&other.old_path, &other.new_path].into_iter().flatten();
        paths.any(|path| names.contains(path.as_str()))
    };
    patch.files.iter().any(of)
}

/// Whether a text names a file: its path, its name, its module.
fn names(text: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let module = path.rsplit_once('.').map_or(path, |(module, _)| module);
    let module = module.replace('/', ".");
    let short = module.rsplitn(3, '.').take(2).collect::<Vec<_>>();
    let short = short.into_iter().rev().collect::<Vec<_>>().join(".");
    text.contains(path)
        || text.contains(name)
        || text.contains(&module)
        || (short.contains('.') && text.contains(&short))
        || (stem.len() > 3 && !stem.starts_with("__") && has_word(text, stem))
}

/// Whether a name stands in the text on its own, not as a part of a longer one.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + word.len()..);
        let after = after.and_then(|text| text.chars().next());
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}
