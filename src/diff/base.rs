//! What is known of the files that the patches of a group apply to: whole texts by path, and where a
//! hunk stands in such a text although its header names another line.
//!
//! What is *not* here: where the texts come from (`crate::base`), and lines known only from the
//! quotes of patches ([`super::Aligned`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{FilePatch, FileStatus, Hunk, LineKind, Patch};

/// A hunk whose header names a wrong line is looked for within so many lines of it.
const NEARBY: u32 = 2_000;

/// Where a base text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BaseOrigin {
    /// The record of the group has it.
    Record,
    /// A repository, at the task's base commit.
    Repository,
}

/// The whole text of a base file, by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseText {
    text: Arc<str>,
    /// Byte at which each line begins.
    starts: Vec<usize>,
    origin: BaseOrigin,
}

impl BaseText {
    /// Takes a text apart into lines.
    #[must_use]
    pub fn new(text: Arc<str>, origin: BaseOrigin) -> Self {
        let mut starts = Vec::new();
        if !text.is_empty() {
            starts.push(0);
        }
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        starts.extend(ends.map(|at| at + 1).filter(|at| *at < text.len()));
        Self {
            text,
            starts,
            origin,
        }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Where it comes from.
    #[must_use]
    pub fn origin(&self) -> BaseOrigin {
        self.origin
    }

    /// Number of lines.
    #[must_use]
    pub fn lines(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// A line by its 1-based number, without newline (a CR stays); `None` behind the last one.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<&str> {
        let index = (number as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied();
        let line = self.text.get(start..end.unwrap_or(self.text.len()))?;
        Some(line.strip_suffix('\n').unwrap_or(line))
    }

    /// Whether the last line ends with a newline; an empty text does.
    #[must_use]
    pub fn ends_with_newline(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }
}

/// The known base texts of a group, by path (as it was before any patch).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bases {
    texts: BTreeMap<String, Arc<BaseText>>,
}

impl Bases {
    /// Takes over a text. The first one for a path stays: texts of the record are put in first.
    pub fn insert(&mut self, path: impl Into<String>, text: Arc<str>, origin: BaseOrigin) {
        self.texts
            .entry(path.into())
            .or_insert_with(|| Arc::new(BaseText::new(text, origin)));
    }

    /// The text of a path.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Arc<BaseText>> {
        self.texts.get(path)
    }

    /// Whether no text is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Number of known texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// The known texts in order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<BaseText>)> {
        self.texts.iter().map(|(path, text)| (path.as_str(), text))
    }
}

/// How a hunk stands to the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Where its header says: the known base says the same there, or the base is not known.
    AsWritten,
    /// The known base has the quoted lines so many lines further down (negative: further up), and
    /// nowhere else nearby.
    Relocated(i64),
    /// The known base does not have the quoted lines, or at several places; or another hunk covers
    /// the same lines.
    DoesNotApply,
    /// The hunk adds a whole new file where the base, or another candidate, has one.
    FileExists,
}

impl Anchor {
    /// The mark that a view puts beside the hunk; `None` when it stands where it says.
    #[must_use]
    pub fn mark(self) -> Option<String> {
        match self {
            Self::AsWritten => None,
            Self::Relocated(by) => Some(format!("relocated by {by:+}")),
            Self::DoesNotApply => Some("does not apply here".to_owned()),
            Self::FileExists => Some("⚠ adds a file that is there already".to_owned()),
        }
    }

    /// Whether the hunk can be put on the base.
    #[must_use]
    pub fn applies(self) -> bool {
        matches!(self, Self::AsWritten | Self::Relocated(_))
    }
}

/// Two texts that are given for one line of a base file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// 1-based line of the base.
    pub line: u32,
    /// The candidate whose quote is shown as the base's line; `None` when the base is known.
    pub taken: Option<usize>,
    /// The candidates that quote the line otherwise.
    pub others: Vec<usize>,
}

/// Where each hunk of a file stands: the 1-based base line of its first old line (for a hunk without
/// old lines, the line that follows the insertion), and how it was found.
#[must_use]
pub fn anchors(patch: &Patch, file: &FilePatch, base: Option<&BaseText>) -> Vec<(u32, Anchor)> {
    let hunks = file.hunks.iter();
    let mut found: Vec<_> = hunks.map(|hunk| anchor(patch, hunk, base)).collect();
    if file.status == FileStatus::TypeChanged {
        behind_the_old_content(file, base, &mut found);
    }
    // A line cannot be changed by two hunks.
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|index| found.get(*index).map(|(start, _)| *start));
    let mut taken = 0;
    for index in order {
        if let (Some(place), Some(hunk)) = (found.get_mut(index), file.hunks.get(index)) {
            if place.0 < taken {
                place.1 = Anchor::DoesNotApply;
            }
            taken = taken.max(place.0.saturating_add(hunk.old_count));
        }
    }
    found
}

/// A type change takes the old content away and adds the new one: its lines stand behind all old ones.
fn behind_the_old_content(file: &FilePatch, base: Option<&BaseText>, found: &mut [(u32, Anchor)]) {
    let is_new = |hunk: &Hunk| hunk.old_count == 0 && hunk.old_start == 0;
    let hunks = file.hunks.iter().zip(&*found);
    let ends = hunks
        .filter(|(hunk, _)| !is_new(hunk))
        .map(|(hunk, (start, _))| start.saturating_add(hunk.old_count));
    let end = ends.max().unwrap_or(1);
    let end = end.max(base.map_or(1, |base| base.lines().saturating_add(1)));
    for (hunk, place) in file.hunks.iter().zip(found) {
        if is_new(hunk) {
            *place = (end, Anchor::AsWritten);
        }
    }
}

fn anchor(patch: &Patch, hunk: &Hunk, base: Option<&BaseText>) -> (u32, Anchor) {
    let old: Vec<&str> = match base {
        None => Vec::new(),
        Some(_) => old_lines(patch, hunk).collect(),
    };
    let stated = match hunk.old_count {
        0 => hunk.old_start.saturating_add(1),
        _ => hunk.old_start.max(1),
    };
    let Some(base) = base else {
        return (stated, Anchor::AsWritten);
    };
    if stands_at(&old, base, stated) {
        return (stated, Anchor::AsWritten);
    }
    let lines = base.lines();
    let from = stated.saturating_sub(NEARBY).max(1);
    let to = stated.saturating_add(NEARBY).min(lines);
    let says_something = old.iter().any(|line| !line.trim().is_empty());
    let mut places = (from..=to).filter(|at| stands_at(&old, base, *at));
    match (says_something, places.next(), places.next()) {
        (true, Some(only), None) => {
            let by = i64::from(only) - i64::from(stated);
            (only, Anchor::Relocated(by))
        }
        _ => (stated, Anchor::DoesNotApply),
    }
}

fn old_lines<'a>(patch: &'a Patch, hunk: &'a Hunk) -> impl Iterator<Item = &'a str> {
    let is_old = |kind| matches!(kind, LineKind::Context | LineKind::Removed);
    let lines = hunk.lines.iter().filter(move |line| is_old(line.kind));
    lines.map(|line| patch.line_text(line))
}

fn stands_at(old: &[&str], base: &BaseText, at: u32) -> bool {
    if old.is_empty() {
        return at.saturating_sub(1) <= base.lines();
    }
    (at..)
        .zip(old)
        .all(|(number, line)| base.line(number).is_some_and(|known| same(known, line)))
}

/// Whether two texts are one line: a patch is often carried through something that adds or takes the
/// CR at its end, which says nothing about the place.
pub(super) fn same(a: &str, b: &str) -> bool {
    a == b || a.strip_suffix('\r').unwrap_or(a) == b.strip_suffix('\r').unwrap_or(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str) -> BaseText {
        BaseText::new(Arc::from(text), BaseOrigin::Record)
    }

    #[test]
    fn lines_are_numbered_from_one() {
        let text = base("a\nb\r\nc");
        assert_eq!(text.lines(), 3);
        assert_eq!(text.line(0), None);
        assert_eq!(text.line(1), Some("a"));
        assert_eq!(text.line(2), Some("b\r"));
        assert_eq!(text.line(3), Some("c"));
        assert_eq!(text.line(4), None);
        assert!(!text.ends_with_newline());
        assert_eq!(base("").lines(), 0);
        assert_eq!(base("\n").lines(), 1);
        assert_eq!(base("a\n\n").line(2), Some(""));
    }

    #[test]
    fn a_hunk_is_found_where_its_lines_are() {
        let text = base("one\ntwo\nthree\nfour\nfive\n");
        let of = |patch: &str| {
            let patch = Patch::read(Arc::from(patch));
            anchors(&patch, &patch.files[0], Some(&text))
        };
        let head = "--- a/x\n+++ b/x\n";
        assert_eq!(
            of(&format!("{head}@@ -3,2 +3,1 @@\n three\n-four\n")),
            [(3, Anchor::AsWritten)]
        );
        assert_eq!(
            of(&format!("{head}@@ -1,2 +1,1 @@\n three\n-four\n")),
            [(3, Anchor::Relocated(2))]
        );
        assert_eq!(
            of(&format!("{head}@@ -1,2 +1,1 @@\n three\n-five\n")),
            [(1, Anchor::DoesNotApply)]
        );
        assert_eq!(
            of(&format!("{head}@@ -5,0 +6,1 @@\n+six\n")),
            [(6, Anchor::AsWritten)]
        );
        assert_eq!(
            Anchor::Relocated(3).mark().as_deref(),
            Some("relocated by +3")
        );
    }

    #[test]
    fn the_first_text_of_a_path_stays() {
        let mut bases = Bases::default();
        bases.insert("x", Arc::from("record"), BaseOrigin::Record);
        bases.insert("x", Arc::from("repository"), BaseOrigin::Repository);
        assert_eq!(bases.len(), 1);
        let text = bases.get("x").map(|base| (base.origin(), &**base.text()));
        assert_eq!(text, Some((BaseOrigin::Record, "record")));
    }
}
