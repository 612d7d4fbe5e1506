//! Which step made which hunk: edits that steps are known to make, matched with a patch by path and
//! lines.
//!
//! Nothing runs here: an edit is known by what the call says, so what a script does in other ways is
//! not. How calls are read is in `calls` and `shell`; where the reader goes then is the screens'.

mod calls;
mod shell;

use std::collections::HashSet;

use crate::diff::{FilePatch, Hunk, LineKind, Patch};
use crate::domain::{Step, StepKind};

/// A change of one file that a step asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edit {
    /// The file as the call names it: absolute, or relative to a folder that is not known; empty when
    /// only earlier steps say which. Untrusted text.
    pub path: String,
    /// Lines that it writes.
    pub added: Vec<String>,
    /// Lines that it takes away.
    pub removed: Vec<String>,
    /// Parts of lines that it writes.
    pub parts: Vec<String>,
}

impl Edit {
    fn of(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            ..Self::default()
        }
    }

    fn adding(mut self, text: &str) -> Self {
        if !text.contains('\n') {
            self.parts.push(text.to_owned());
        }
        self.added.extend(text.lines().map(ToOwned::to_owned));
        self
    }

    fn removing(mut self, text: &str) -> Self {
        self.removed.extend(text.lines().map(ToOwned::to_owned));
        self
    }
}

/// How sure it is that a step made a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It edits the file; which lines cannot be told.
    EditsFile,
    /// It takes away so many lines that the hunk takes away.
    RemovesLines(usize),
    /// It writes so many lines that the hunk adds.
    WritesLines(usize),
}

impl std::fmt::Display for Certainty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (verb, count) = match self {
            Self::EditsFile => return f.write_str("edits this file, which lines cannot be told"),
            Self::RemovesLines(count) => ("removes", count),
            Self::WritesLines(count) => ("writes", count),
        };
        let lines = if *count == 1 { "line" } else { "lines" };
        write!(f, "{verb} {count} {lines} of this hunk")
    }
}

/// Why a step and a hunk cannot be brought together. Paths are untrusted text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoLink {
    /// The step is not known to edit a file.
    #[error("this step is not known to edit a file")]
    NoEdit,
    /// None of the edited files is in the patch.
    #[error("{0} is not in the patch: what this step did to it did not stay")]
    NotInPatch(String),
    /// No step is known to edit the file.
    #[error("no step is known to edit {0}: a command may have")]
    NoStep(String),
    /// There is no such hunk.
    #[error("there is no change here")]
    NoHunk,
}

/// A hunk of a patch, 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HunkPlace {
    /// The file.
    pub file: usize,
    /// The hunk; `None` when the file has none.
    pub hunk: Option<usize>,
    /// How sure it is.
    pub certainty: Certainty,
}

/// A step, 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepPlace {
    /// The step.
    pub step: usize,
    /// How sure it is.
    pub certainty: Certainty,
    /// How many steps are as sure or less.
    pub others: usize,
}

/// The edits that a step is known to ask for; none for a step that is no tool call.
#[must_use]
pub fn of_step(step: &Step) -> Vec<Edit> {
    if step.kind() != StepKind::ToolCall {
        return Vec::new();
    }
    calls::edits(step)
}

/// The hunk that a step made: the one with the most lines in common, the first of equals.
///
/// # Errors
/// The step is not known to edit a file, or no file of the patch.
pub fn hunk_of(step: &Step, patch: &Patch) -> Result<HunkPlace, NoLink> {
    let edits = of_step(step);
    let first = edits.first().ok_or(NoLink::NoEdit)?;
    let mut best: Option<HunkPlace> = None;
    let files = edits.iter().flat_map(|edit| {
        let files = 0..patch.files.len();
        let here = files.filter(|file| may_be_of(edit, patch, *file));
        here.map(move |file| (edit, file))
    });
    for (edit, file) in files {
        let found = &patch.files[file];
        let hunks = found.hunks.iter().enumerate();
        let places = hunks.map(|(index, hunk)| (Some(index), certainty(edit, patch, hunk, None)));
        let file_only = (!edit.path.is_empty()).then_some(Certainty::EditsFile);
        for (hunk, certainty) in places.chain([(None, file_only)]) {
            let Some(certainty) = certainty else { continue };
            if best.is_none_or(|best| best.certainty < certainty) {
                let hunk = hunk.or((!found.hunks.is_empty()).then_some(0));
                best = Some(HunkPlace {
                    file,
                    hunk,
                    certainty,
                });
            }
        }
    }
    best.ok_or_else(|| match first.path.as_str() {
        "" => NoLink::NotInPatch("the file that is open".to_owned()),
        path => NoLink::NotInPatch(path.to_owned()),
    })
}

/// The step that made a hunk, or its `line`: the one that writes the most of its lines, the last of
/// equals; edits whose observation reports a failure come only when there is no other.
///
/// # Errors
/// There is no such hunk, or no step is known to edit the file.
pub fn step_of(
    steps: &[Step],
    patch: &Patch,
    (file, hunk, line): (usize, Option<usize>, Option<usize>),
) -> Result<StepPlace, NoLink> {
    let found = patch.files.get(file).ok_or(NoLink::NoHunk)?;
    let hunk = hunk.and_then(|hunk| found.hunks.get(hunk));
    let mut places: Vec<(bool, Certainty, usize)> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let edits = of_step(step).into_iter();
        let here = edits.filter(|edit| may_be_of(edit, patch, file));
        let sure = here.filter_map(|edit| {
            let lines = hunk.and_then(|hunk| certainty(&edit, patch, hunk, line));
            lines.or((!edit.path.is_empty()).then_some(Certainty::EditsFile))
        });
        if let Some(certainty) = sure.max() {
            places.push((!has_failed(steps, index), certainty, index));
        }
    }
    match (places.iter().max(), line) {
        (Some((_, Certainty::EditsFile, _)), Some(_)) => {
            // No step writes this very line: the one that writes the lines around it.
            step_of(steps, patch, (file, hunk_index(found, hunk), None))
        }
        (Some(&(_, certainty, step)), _) => Ok(StepPlace {
            step,
            certainty,
            others: places.len() - 1,
        }),
        (None, Some(_)) if hunk.is_some() => {
            step_of(steps, patch, (file, hunk_index(found, hunk), None))
        }
        (None, _) => Err(NoLink::NoStep(found.path().to_owned())),
    }
}

fn hunk_index(file: &FilePatch, hunk: Option<&Hunk>) -> Option<usize> {
    let hunk = hunk?;
    file.hunks
        .iter()
        .position(|other| std::ptr::eq(other, hunk))
}

/// Whether the observation of a call reports a failure.
fn has_failed(steps: &[Step], call: usize) -> bool {
    let id = steps[call].call_id.as_deref().filter(|id| !id.is_empty());
    let mut after = steps[call + 1..].iter();
    let answer = match id {
        Some(id) => after.find(|step| {
            step.kind() == StepKind::Observation && step.call_id.as_deref() == Some(id)
        }),
        None => after
            .next()
            .filter(|step| step.kind() == StepKind::Observation),
    };
    answer.is_some_and(Step::is_failure)
}

/// Whether an edit may be of a file of the patch; one without a path may be of each.
fn may_be_of(edit: &Edit, patch: &Patch, file: usize) -> bool {
    edit.path.is_empty() || file_of(edit, patch) == Some(file)
}

/// The file of the patch that an edit is of: the one whose path has the most folders in common.
fn file_of(edit: &Edit, patch: &Patch) -> Option<usize> {
    let files = patch.files.iter().enumerate();
    let common = files.filter_map(|(index, file)| {
        let paths = [&file.new_path, &file.old_path].into_iter().flatten();
        let common = paths
            .filter_map(|path| folders_in_common(&edit.path, path))
            .max()?;
        Some((common, std::cmp::Reverse(index)))
    });
    common.max().map(|(_, index)| index.0)
}

/// Parts that two paths end in, when one of them is the end of the other.
fn folders_in_common(a: &str, b: &str) -> Option<usize> {
    let parts = |path: &str| -> Vec<String> {
        let parts = path
            .split('/')
            .filter(|part| !matches!(*part, "" | "." | "~"));
        parts.map(ToOwned::to_owned).collect()
    };
    let (a, b) = (parts(a), parts(b));
    let shorter = a.len().min(b.len());
    let same = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b);
    (same.count() == shorter && shorter > 0).then_some(shorter)
}

/// How sure it is that an edit made a hunk, or its `line`; `None` when no line is in common.
fn certainty(edit: &Edit, patch: &Patch, hunk: &Hunk, line: Option<usize>) -> Option<Certainty> {
    let lines = |kind: LineKind| {
        let lines = hunk.lines.iter().enumerate();
        let lines = lines.filter(move |(index, _)| line.is_none_or(|line| line == *index));
        let lines = lines.filter(move |(_, line)| line.kind == kind);
        lines.filter_map(|(_, line)| telling(&patch.text[line.range.clone()]))
    };
    let known = |texts: &[String]| -> HashSet<String> {
        let texts = texts.iter().filter_map(|text| telling(text));
        texts.map(ToOwned::to_owned).collect()
    };
    let written = known(&edit.added);
    let in_part = |line: &str| {
        let mut parts = edit.parts.iter().filter_map(|part| telling(part));
        parts.any(|part| part.len() >= SHORTEST_PART && line.contains(part))
    };
    let writes = |line: &&str| written.contains(*line) || in_part(line);
    let count = lines(LineKind::Added).filter(writes).count();
    if count > 0 {
        return Some(Certainty::WritesLines(count));
    }
    let removed = known(&edit.removed);
    let count = lines(LineKind::Removed)
        .filter(|line| removed.contains(*line))
        .count();
    (count > 0).then_some(Certainty::RemovesLines(count))
}

/// Shortest part of a line that tells it, in bytes.
const SHORTEST_PART: usize = 6;

/// A line without its indentation, when it says more than a bracket.
fn telling(line: &str) -> Option<&str> {
    let line = line.trim();
    (line.chars().filter(|c| c.is_alphanumeric()).count() >= 2).then_some(line)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn patch() -> Patch {
        let text = "\
diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,4 @@
 import os
-old = 1
+new = 1
+other = 2
 end
@@ -10,2 +11,1 @@
 keep
-gone()
diff --git a/setup.py b/setup.py
--- a/setup.py
+++ b/setup.py
@@ -1 +1 @@
-version = 1
+version = 2
";
        Patch::read(Arc::from(text))
    }

    fn call(args: &str) -> Step {
        Step {
            kind: Some(StepKind::ToolCall),
            args: Some(args.to_owned()),
            ..Step::default()
        }
    }

    fn replace(path: &str, old: &str, new: &str) -> Step {
        let args = serde_json::json!({
            "command": "str_replace", "path": path, "old_str": old, "new_str": new,
        });
        call(&args.to_string())
    }

    #[test]
    fn a_step_leads_to_its_hunk() {
        let patch = patch();
        let of = |step: &Step| hunk_of(step, &patch).map(|p| (p.file, p.hunk, p.certainty));
        let new = replace("/testbed/src/a.py", "old = 1", "new = 1\nother = 2");
        assert_eq!(of(&new), Ok((0, Some(0), Certainty::WritesLines(2))));
        let gone = replace("/testbed/src/a.py", "keep\ngone()", "keep");
        assert_eq!(of(&gone), Ok((0, Some(1), Certainty::RemovesLines(1))));
        let elsewhere = replace("src/a.py", "x = 1", "y = 1");
        assert_eq!(of(&elsewhere), Ok((0, Some(0), Certainty::EditsFile)));
        let setup = call(r#"{"command":"sed -i 's/version = 1/version = 2/' setup.py"}"#);
        assert_eq!(of(&setup), Ok((1, Some(0), Certainty::WritesLines(1))));
        let none = replace("/testbed/src/b.py", "", "b");
        let not = NoLink::NotInPatch("/testbed/src/b.py".to_owned());
        assert_eq!(of(&none), Err(not));
        assert_eq!(of(&call(r#"{"command":"ls"}"#)), Err(NoLink::NoEdit));
    }

    #[test]
    fn a_hunk_leads_to_the_last_step_that_wrote_it() {
        let patch = patch();
        let seen = |code| Step {
            kind: Some(StepKind::Observation),
            exit_code: Some(code),
            ..Step::default()
        };
        let both = "new = 1\nother = 2";
        let steps = [
            replace("/testbed/src/a.py", "old = 1", both),
            seen(0),
            replace("/testbed/src/a.py", "other = 2", "other = 3"),
            seen(0),
            replace("/testbed/src/a.py", "other = 3", "other = 2"),
            seen(0),
            replace("/testbed/src/a.py", "x", both),
            seen(1),
        ];
        let of = |place| step_of(&steps, &patch, place).map(|p| (p.step, p.certainty));
        assert_eq!(of((0, Some(0), None)), Ok((0, Certainty::WritesLines(2))));
        // The line `other = 2` was written last by the third edit.
        assert_eq!(
            of((0, Some(0), Some(3))),
            Ok((4, Certainty::WritesLines(1)))
        );
        // A context line: its hunk.
        assert_eq!(
            of((0, Some(0), Some(0))),
            Ok((0, Certainty::WritesLines(2)))
        );
        assert_eq!(of((0, Some(1), None)), Ok((4, Certainty::EditsFile)));
        let none = NoLink::NoStep("setup.py".to_owned());
        assert_eq!(of((1, Some(0), None)), Err(none));
        assert_eq!(of((7, None, None)), Err(NoLink::NoHunk));
    }

    #[test]
    fn paths_agree_by_their_ends() {
        assert_eq!(folders_in_common("/testbed/a/b.py", "a/b.py"), Some(2));
        assert_eq!(folders_in_common("./b.py", "a/b.py"), Some(1));
        assert_eq!(folders_in_common("a/c.py", "b/c.py"), None);
        assert_eq!(folders_in_common("", "b/c.py"), None);
    }
}
