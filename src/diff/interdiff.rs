//! What turns one candidate's result into another's, as a patch of its own.
//!
//! What is *not* here: whether two results are equal ([`super::results`] answers that without
//! making a patch).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::aligned::{Aligned, AlignedFile, CandidatePatch, LineText};
use super::base::Bases;
use super::sequence::{self, FileResult, NotComparable, Piece};
use super::{Patch, results::Certainty};

/// Context lines around a change.
const CONTEXT: usize = 3;

/// What turns one result into another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interdiff {
    /// The difference: applied to the first result it gives the second one. Line numbers are those of
    /// the two results.
    pub patch: Arc<Patch>,
    /// Every file that one of the two touches, in the order in which they name them.
    pub files: Vec<InterdiffFile>,
}

/// A file that one of the two touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterdiffFile {
    /// The path in the base, or the new path of a new file.
    pub path: String,
    /// What could be told.
    pub outcome: Compared,
}

/// What could be told of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// Both results are the same.
    Equal(Certainty),
    /// They differ: index of the file in [`Interdiff::patch`].
    Differs {
        /// The file.
        file: usize,
        /// Whether the whole texts were compared.
        certainty: Certainty,
    },
    /// It cannot be told, with the reason.
    NotComparable(NotComparable),
}

impl Interdiff {
    /// Whether both results are the same in every file.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        let equal = |file: &InterdiffFile| matches!(file.outcome, Compared::Equal(_));
        self.files.iter().all(equal)
    }

    /// How sure the whole is: as sure as its least sure file.
    #[must_use]
    pub fn certainty(&self) -> Certainty {
        let of = |file: &InterdiffFile| match file.outcome {
            Compared::Equal(certainty) | Compared::Differs { certainty, .. } => Some(certainty),
            Compared::NotComparable(_) => None,
        };
        self.files
            .iter()
            .filter_map(of)
            .max()
            .unwrap_or(Certainty::Exact)
    }

    /// What a person must know before reading it, one sentence each: equal results, files that are
    /// compared only as far as they are quoted, files that cannot be compared.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let quoted = self.certainty() == Certainty::AsFarAsQuoted;
        match (self.is_equal(), quoted) {
            (true, false) => sentences.push("both leave the same behind".to_owned()),
            (true, true) => {
                sentences
                    .push("both leave the same behind, as far as the base is quoted".to_owned());
            }
            (false, true) => sentences.push(
                "compared as far as the patches quote the base; the rest is taken as untouched"
                    .to_owned(),
            ),
            (false, false) => {}
        }
        for file in &self.files {
            if let Compared::NotComparable(reason) = &file.outcome {
                sentences.push(format!("{}: not comparable: {reason}", file.path));
            }
        }
        sentences
    }
}

/// What turns the result of `a` into the result of `b`. Both apply to the same base; either may be the
/// reference patch.
#[must_use]
pub fn interdiff(a: &Arc<Patch>, b: &Arc<Patch>, bases: &Bases) -> Interdiff {
    let candidate = |patch: &Arc<Patch>| CandidatePatch {
        patch: Arc::clone(patch),
        passing: false,
    };
    let aligned = Aligned::of(&[candidate(a), candidate(b)], bases);
    let mut text = String::new();
    let mut written = 0;
    let mut files = Vec::with_capacity(aligned.files.len());
    for (index, of) in aligned.files.iter().enumerate() {
        let certainty = match of.base.is_some() || of.base_path.is_none() {
            true => Certainty::Exact,
            false => Certainty::AsFarAsQuoted,
        };
        let outcome = match file(&aligned, index, of, certainty) {
            Err(reason) => Compared::NotComparable(reason),
            Ok(None) => Compared::Equal(certainty),
            Ok(Some(section)) => {
                text.push_str(&section);
                written += 1;
                Compared::Differs {
                    file: written - 1,
                    certainty,
                }
            }
        };
        files.push(InterdiffFile {
            path: of.path.clone(),
            outcome,
        });
    }
    Interdiff {
        patch: Arc::new(Patch::read(Arc::from(text))),
        files,
    }
}

/// The section of a file; `None` when both sides are the same.
fn file(
    aligned: &Aligned,
    index: usize,
    of: &AlignedFile,
    certainty: Certainty,
) -> Result<Option<String>, NotComparable> {
    let contradiction = of.contradictions.iter().find(|line| line.taken.is_some());
    if let Some(contradiction) = contradiction {
        return Err(NotComparable::Contradiction(contradiction.line));
    }
    let old = sequence::result(aligned, index, 0)?;
    let new = sequence::result(aligned, index, 1)?;
    let has_hole = |side: &FileResult<'_>| side.pieces.iter().any(|p| matches!(p, Piece::Hole(..)));
    if old.path.is_some() != new.path.is_some()
        && certainty == Certainty::AsFarAsQuoted
        && (has_hole(&old) || has_hole(&new))
    {
        return Err(NotComparable::NotWhole);
    }
    // Only one of them keeps the base: the holes of the other are not the same lines.
    if has_hole(&old) != has_hole(&new) && old.path.is_some() && new.path.is_some() {
        return Err(NotComparable::NotWhole);
    }
    let head = header(&old, &new);
    let body = hunks(&old.pieces, &new.pieces);
    if head.is_none() && body.is_empty() {
        return Ok(None);
    }
    Ok(Some(section(
        &old,
        &new,
        head.as_deref().unwrap_or(""),
        &body,
    )))
}

/// The lines of git's extended header; `None` when nothing but lines may differ.
fn header(old: &FileResult<'_>, new: &FileResult<'_>) -> Option<String> {
    const PLAIN: &str = "100644";
    let mut head = String::new();
    let old_mode = old.mode.unwrap_or(PLAIN);
    let new_mode = new.mode.unwrap_or(PLAIN);
    match (old.path, new.path) {
        (None, None) => return None,
        (None, Some(_)) => head = format!("new file mode {new_mode}\n"),
        (Some(_), None) => head = format!("deleted file mode {old_mode}\n"),
        (Some(from), Some(to)) => {
            if old.mode.is_some() && new.mode.is_some() && old_mode != new_mode {
                head = format!("old mode {old_mode}\nnew mode {new_mode}\n");
            }
            if from != to {
                let (from, to) = (quoted(from), quoted(to));
                head.push_str(&format!("rename from {from}\nrename to {to}\n"));
            }
        }
    }
    (!head.is_empty()).then_some(head)
}

fn section(old: &FileResult<'_>, new: &FileResult<'_>, head: &str, body: &str) -> String {
    let either = old.path.or(new.path).unwrap_or("");
    let old_name = quoted(&format!(
        "a/{}",
        old.path.unwrap_or(new.path.unwrap_or(either))
    ));
    let new_name = quoted(&format!("b/{}", new.path.unwrap_or(either)));
    let mut section = format!("diff --git {old_name} {new_name}\n{head}");
    if !body.is_empty() {
        // A tab behind the name keeps a blank in it from being read as its end.
        let name = |path: Option<&str>, name: &str| match path {
            None => "/dev/null".to_owned(),
            Some(_) if name.contains(' ') && !name.starts_with('"') => format!("{name}\t"),
            Some(_) => name.to_owned(),
        };
        let old_name = name(old.path, &old_name);
        let new_name = name(new.path, &new_name);
        section.push_str(&format!("--- {old_name}\n+++ {new_name}\n{body}"));
    }
    section
}

/// A path as git writes it.
fn quoted(path: &str) -> String {
    let plain = |c: char| !c.is_control() && c != '"' && c != '\\';
    if path.chars().all(plain) {
        return path.to_owned();
    }
    let mut text = String::from("\"");
    for c in path.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    // Writing to a String does not fail.
                    let _ = write!(text, "\\{byte:03o}");
                }
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// The hunks that turn one sequence into the other. Holes stand at the same places of both.
fn hunks(old: &[Piece<'_>], new: &[Piece<'_>]) -> String {
    let mut text = String::new();
    let mut ids = HashMap::new();
    let (mut old, mut new) = (old, new);
    let mut numbers = (1, 1);
    loop {
        let (left, hole, old_rest) = to_hole(old);
        let (right, _, new_rest) = to_hole(new);
        write_hunks(&left, &right, numbers, &mut ids, &mut text);
        let Some(size) = hole else {
            return text;
        };
        numbers.0 += left.len() as u64 + size;
        numbers.1 += right.len() as u64 + size;
        (old, new) = (old_rest, new_rest);
    }
}

/// The lines before the first hole, the number of lines in it, what follows.
fn to_hole<'a, 'p>(pieces: &'p [Piece<'a>]) -> (Vec<LineText<'a>>, Option<u64>, &'p [Piece<'a>]) {
    let mut lines = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Line(line) => lines.push(*line),
            Piece::Hole(from, to) => {
                let size = to.map_or(0, |to| u64::from(to.saturating_sub(*from)) + 1);
                return (lines, Some(size), pieces.get(at + 1..).unwrap_or(&[]));
            }
        }
    }
    (lines, None, &[])
}

fn write_hunks<'a>(
    old: &[LineText<'a>],
    new: &[LineText<'a>],
    (old_no, new_no): (u64, u64),
    ids: &mut HashMap<LineText<'a>, u32>,
    text: &mut String,
) {
    if old == new {
        return;
    }
    let mut of = |lines: &[LineText<'a>]| -> Vec<u32> {
        let id = |line: &LineText<'a>| {
            let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
            *ids.entry(*line).or_insert(next)
        };
        lines.iter().map(id).collect()
    };
    let (old_ids, new_ids) = (of(old), of(new));
    let ops = capture_diff_slices(Algorithm::Histogram, &old_ids, &new_ids);
    for group in group_diff_ops(ops, CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        // Without lines, a hunk names the line before it.
        let span = |range: &std::ops::Range<usize>, from: u64| {
            let start = from + range.start as u64 - u64::from(range.is_empty());
            format!("{start},{}", range.len())
        };
        let spans = (span(&old_range, old_no), span(&new_range, new_no));
        text.push_str(&format!("@@ -{} +{} @@\n", spans.0, spans.1));
        for op in &group {
            if let DiffOp::Equal { .. } = op {
                write_lines(old, op.old_range(), ' ', text);
            } else {
                write_lines(old, op.old_range(), '-', text);
                write_lines(new, op.new_range(), '+', text);
            }
        }
    }
}

fn write_lines(
    lines: &[LineText<'_>],
    range: std::ops::Range<usize>,
    sign: char,
    text: &mut String,
) {
    for line in lines.get(range).unwrap_or(&[]) {
        text.push(sign);
        text.push_str(line.text);
        text.push('\n');
        if line.no_newline {
            text.push_str("\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{BaseOrigin, LineKind};

    const BASE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
    const HEAD: &str = "--- a/x\n+++ b/x\n";

    fn between(a: &str, b: &str, base: Option<&str>) -> Interdiff {
        let mut bases = Bases::default();
        if let Some(base) = base {
            bases.insert("x", Arc::from(base), BaseOrigin::Record);
        }
        let read = |text: &str| Arc::new(Patch::read(Arc::from(text)));
        interdiff(&read(a), &read(b), &bases)
    }

    fn a() -> String {
        format!("{HEAD}@@ -2,3 +2,4 @@\n two\n-three\n+THREE\n+more\n four\n")
    }

    fn b() -> String {
        format!(
            "{HEAD}@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n@@ -9,2 +9,1 @@\n nine\n-ten\n"
        )
    }

    #[test]
    fn a_known_base_gives_the_whole_difference() {
        let found = between(&a(), &b(), Some(BASE));
        assert_eq!(
            &*found.patch.text,
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,11 +1,9 @@\n one\n two\n THREE\n-more\n four\n five\n six\n seven\n eight\n nine\n-ten\n"
        );
        assert_eq!(found.certainty(), Certainty::Exact);
        assert!(found.sentences().is_empty());
    }

    #[test]
    fn without_a_base_the_quoted_places_are_compared() {
        let found = between(&a(), &b(), None);
        assert_eq!(
            &*found.patch.text,
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -2,4 +2,3 @@\n two\n THREE\n-more\n four\n@@ -10,2 +9,1 @@\n nine\n-ten\n"
        );
        assert_eq!(found.certainty(), Certainty::AsFarAsQuoted);
        assert!(found.patch.files[0].repairs.is_empty());
    }

    #[test]
    fn equal_results_are_told() {
        let found = between(&a(), &a(), None);
        assert!(found.is_equal() && found.patch.files.is_empty());
        assert!(found.sentences()[0].starts_with("both leave the same behind"));
    }

    #[test]
    fn a_file_of_one_side_is_new_or_gone() {
        let new = "diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+a\n";
        let found = between("", new, None);
        assert_eq!(&*found.patch.text, new);
        let back = between(new, "", None);
        assert!(back.patch.text.contains("deleted file mode 100755"));
        let lines = &back.patch.files[0].hunks[0].lines;
        assert_eq!(
            lines.iter().filter(|l| l.kind == LineKind::Removed).count(),
            1
        );
    }

    #[test]
    fn renames_modes_and_deletions_are_told() {
        let renamed = "diff --git a/x b/a b\nold mode 100644\nnew mode 100755\nrename from x\nrename to a b\n";
        let found = between("", renamed, Some(BASE));
        let file = &found.patch.files[0];
        assert_eq!(
            (file.old_path.as_deref(), file.new_path.as_deref()),
            (Some("x"), Some("a b"))
        );
        assert_eq!(file.new_mode.as_deref(), Some("100755"));
        assert!(file.hunks.is_empty());
        let deleted = "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-one\n";
        let found = between(
            &format!("{HEAD}@@ -1,1 +1,1 @@\n-one\n+ONE\n"),
            deleted,
            None,
        );
        assert!(
            found.patch.text.ends_with("@@ -1,1 +0,0 @@\n-ONE\n"),
            "{}",
            found.patch.text
        );
    }

    #[test]
    fn what_cannot_be_compared_is_told() {
        let other = a().replace(" four", " vier");
        let reason = |found: &Interdiff| found.files[0].outcome.clone();
        assert_eq!(
            reason(&between(&a(), &other, None)),
            Compared::NotComparable(NotComparable::Contradiction(4))
        );
        assert_eq!(
            reason(&between(&a(), &other, Some(BASE))),
            Compared::NotComparable(NotComparable::DoesNotApply(1))
        );
        let binary = "diff --git a/x b/x\nBinary files a/x and b/x differ\n";
        let found = between(&a(), binary, None);
        assert_eq!(
            reason(&found),
            Compared::NotComparable(NotComparable::Opaque)
        );
        assert!(!found.is_equal());
        assert_eq!(found.sentences().len(), 1);
    }

    #[test]
    fn odd_paths_are_quoted() {
        assert_eq!(quoted("a b/ü"), "a b/ü");
        assert_eq!(quoted("a\n\"b\\"), "\"a\\012\\\"b\\\\\"");
    }
}
