//! Out-of-scope edits: rules that point at places of patches which may not belong to the task.
//!
//! A remark is a place to look at, never a verdict and never a rank: about half of what the best rules
//! point at is the same fix in another place (`grader-and-scope.md` 4). Pure: patches in, remarks out.
//! What is *not* here: what people say of remarks ([`crate::store`]), reading the configuration, and
//! walking over a loaded set ([`crate::review`]).

mod artefacts;
mod config;
mod files;
mod kinds;
mod lines;
mod places;
mod report;
mod rule;
mod stats;
mod weakened;

use std::collections::HashSet;
use std::sync::Arc;

use crate::diff::{Aligned, FileStatus, Patch, Results};
use crate::domain::RolloutGroup;
use crate::domain::scope::Remark;

pub use artefacts::{Elsewhere, repository};
pub use config::{RuleConfig, Rules, RulesError, VERSION};
pub use kinds::is_test;
pub use rule::{RULES, Rule, RuleId, rule, triage};
pub use stats::{Counts, Known, RuleStats, Stats};

use report::{Report, Skipped};

/// What the rules look at: one group.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The group.
    pub group: &'a RolloutGroup,
    /// The parsed patch of each trajectory, in group order.
    pub patches: &'a [Arc<Patch>],
    /// The patches on their base (as far as they quote it) and what they leave behind; the reference
    /// patch, when known, is the last candidate. `None`: rules about places say nothing.
    pub on_base: Option<(&'a Aligned, &'a Results)>,
    /// The reference patch, when known.
    pub reference: Option<&'a Patch>,
    /// The issue text, when known.
    pub issue: Option<&'a str>,
    /// What other groups of the set change in manifests and configuration, with this group's place in
    /// it; `None`: nothing is known of others.
    pub elsewhere: Option<(&'a Elsewhere, usize)>,
}

impl Input<'_> {
    /// Whether every candidate with a diff adds this file.
    fn is_added_by_all(&self, path: &str) -> bool {
        let mut with_diff = self.patches.iter().filter(|patch| !patch.files.is_empty());
        let adds = |patch: &Arc<Patch>| {
            let mut files = patch.files.iter();
            files.any(|file| file.status == FileStatus::Added && file.path() == path)
        };
        let several = self.patches.iter().filter(|p| !p.files.is_empty()).count() > 1;
        several && with_diff.all(adds)
    }

    /// Whether the issue names a manifest or speaks of dependencies.
    fn issue_speaks_of_dependencies(&self, path: &str) -> bool {
        let Some(issue) = self.issue else {
            return false;
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let issue_lower = issue.to_ascii_lowercase();
        issue.contains(name)
            || ["dependency", "dependencies", "requirements", "lockfile"]
                .iter()
                .any(|word| issue_lower.contains(word))
    }
}

/// The remarks of the rules about a group: artefacts first, then candidate by candidate, file by file.
#[must_use]
pub fn remarks(input: &Input<'_>, rules: &Rules) -> Vec<Remark> {
    let (mut found, skipped) = artefacts::look(input, rules);
    let places = places::Places::of(input, &skipped);
    let none = Skipped::default();
    for (trajectory, patch) in input.patches.iter().enumerate() {
        let mut report = Report {
            rules,
            trajectory,
            patch,
            skipped: skipped.get(trajectory).unwrap_or(&none),
            odd_files: HashSet::new(),
            found: Vec::new(),
        };
        alone(input, &mut report);
        places.look(input, &mut report);
        let mut about = report.found;
        about.sort_by_key(|remark| (remark.file, remark.lines.map(|(first, _)| first)));
        found.extend(about);
    }
    found
}

/// What the rules that need no other candidates say of the reference patch; its trajectory is the one
/// behind the last. How often that happens is how often a rule is wrong.
#[must_use]
pub fn remarks_of_reference(input: &Input<'_>, rules: &Rules) -> Vec<Remark> {
    let Some(patch) = input.reference else {
        return Vec::new();
    };
    let mut report = Report {
        rules,
        trajectory: input.patches.len(),
        patch,
        skipped: &Skipped::default(),
        odd_files: HashSet::new(),
        found: Vec::new(),
    };
    // The reference is no candidate: nobody else need have its files.
    let alone_input = Input {
        patches: &[],
        reference: None,
        ..*input
    };
    alone(&alone_input, &mut report);
    report.found
}

/// The rules that look at one patch.
fn alone(input: &Input<'_>, report: &mut Report<'_>) {
    files::look(input, report);
    lines::look(report);
    weakened::look(report);
}

#[cfg(test)]
mod tests;
