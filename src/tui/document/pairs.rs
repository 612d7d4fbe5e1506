//! Which removed and added lines of a patch belong together, and the words that changed in them: found
//! when first asked for.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::diff::{Hunk, HunkLine, LineKind, Patch, Reindented, WhitespaceChange, emphasis};

/// Patches with more changed lines than this are paired line by line in order when old and new stand
/// side by side, or white space is hidden: finding the most alike ones would keep the key waiting.
const LIKENESS_LIMIT: u32 = 20_000;

/// The pairs of a patch's lines.
#[derive(Debug)]
pub struct Pairs {
    patch: Arc<Patch>,
    /// Place of each file's first hunk in `hunks`.
    firsts: Vec<usize>,
    hunks: Vec<OnceLock<Vec<Option<usize>>>>,
    /// How lines changed when only white space did, by hunk.
    blanks: Vec<OnceLock<Vec<WhitespaceChange>>>,
    /// Added lines that may share a row with the line that they replace, by hunk.
    joined: Vec<OnceLock<Vec<bool>>>,
    /// Blocks that were only shifted, by hunk.
    shifted: Vec<OnceLock<Vec<Reindented>>>,
    /// Lines that are markers of a merge conflict, by hunk.
    conflicts: Vec<OnceLock<Vec<usize>>>,
}

impl Pairs {
    /// Of a patch; nothing is paired yet.
    #[must_use]
    pub fn of(patch: Arc<Patch>) -> Self {
        let mut count = 0;
        let firsts = patch.files.iter().map(|file| {
            let first = count;
            count += file.hunks.len();
            first
        });
        let firsts = firsts.collect();
        let mut hunks = Vec::new();
        hunks.resize_with(count, OnceLock::new);
        let mut blanks = Vec::new();
        blanks.resize_with(count, OnceLock::new);
        let mut joined = Vec::new();
        joined.resize_with(count, OnceLock::new);
        let mut shifted = Vec::new();
        shifted.resize_with(count, OnceLock::new);
        let mut conflicts = Vec::new();
        conflicts.resize_with(count, OnceLock::new);
        Self {
            patch,
            firsts,
            hunks,
            blanks,
            joined,
            shifted,
            conflicts,
        }
    }

    /// Pairs the lines of each block in order when the patch has too many for likeness: for views
    /// that ask for the pairs of all hunks at once.
    pub fn keep_order_of_many(&self) {
        if self.patch.added() + self.patch.removed() <= LIKENESS_LIMIT {
            return;
        }
        for (place, file) in self.patch.files.iter().enumerate() {
            for (number, hunk) in file.hunks.iter().enumerate() {
                if let Some(cell) = self.cell(place, number) {
                    cell.get_or_init(|| pairs_in_order(hunk));
                }
            }
        }
    }

    fn cell(&self, file: usize, hunk: usize) -> Option<&OnceLock<Vec<Option<usize>>>> {
        self.hunks.get(self.firsts.get(file)? + hunk)
    }

    /// For each line of a hunk the one it is paired with, see [`Patch::pairs`].
    #[must_use]
    pub fn hunk(&self, file: usize, hunk: usize) -> &[Option<usize>] {
        let cell = self.cell(file, hunk);
        cell.map_or(&[], |cell| {
            cell.get_or_init(|| self.patch.pairs(file, hunk))
        })
    }

    /// How a line (file, hunk, line) changed when only its white space did.
    #[must_use]
    pub fn whitespace(&self, (file, hunk, line): (usize, usize, usize)) -> WhitespaceChange {
        let cell = self
            .firsts
            .get(file)
            .and_then(|first| self.blanks.get(first + hunk));
        let found = cell.map(|cell| {
            cell.get_or_init(|| self.patch.whitespace(file, hunk, self.hunk(file, hunk)))
        });
        found
            .and_then(|found| found.get(line).copied())
            .unwrap_or_default()
    }

    /// The line that a line (file, hunk, line) is paired with.
    #[must_use]
    pub fn partner(&self, (file, hunk, line): (usize, usize, usize)) -> Option<usize> {
        self.hunk(file, hunk).get(line).copied().flatten()
    }

    /// Whether a line, and the one it is paired with, changed in white space only.
    #[must_use]
    pub fn is_blank(&self, at: (usize, usize, usize)) -> bool {
        let (file, hunk, _) = at;
        self.whitespace(at) != WhitespaceChange::None
            && self.partner(at).is_none_or(|partner| {
                self.whitespace((file, hunk, partner)) != WhitespaceChange::None
            })
    }

    /// The line of the other side whose row a line shares when removed lines come first: both changed
    /// in white space only, and no added line of a row of its own stands before them in their block.
    #[must_use]
    pub fn joined(&self, at: (usize, usize, usize)) -> Option<usize> {
        let (file, hunk, line) = at;
        let partner = self.partner(at)?;
        let lines = &self.patch.files.get(file)?.hunks.get(hunk)?.lines;
        let cell = self.joined.get(self.firsts.get(file)? + hunk)?;
        let joined = cell.get_or_init(|| {
            let mut in_order = true;
            let joined = lines.iter().enumerate().map(|(at, line)| match line.kind {
                LineKind::Added => {
                    let at = (file, hunk, at);
                    in_order &= self.partner(at).is_some() && self.is_blank(at);
                    in_order
                }
                LineKind::Context | LineKind::Removed => {
                    in_order = true;
                    false
                }
                LineKind::NoNewline => false,
            });
            joined.collect()
        });
        let is_added = lines.get(line)?.kind == LineKind::Added;
        let added = if is_added { line } else { partner };
        joined.get(added).copied()?.then_some(partner)
    }

    /// Changes of a hunk in white space only, two lines that are paired counted once; and whether
    /// the hunk changes nothing else.
    #[must_use]
    pub fn blanks(&self, file: usize, hunk: usize) -> (usize, bool) {
        let found = self.patch.files.get(file);
        let found = found.and_then(|file| file.hunks.get(hunk));
        let lines = found.map_or(&[][..], |hunk| &hunk.lines);
        let (mut blanks, mut others) = (0, false);
        for (line, found) in lines.iter().enumerate() {
            let at = (file, hunk, line);
            match found.kind {
                LineKind::Context | LineKind::NoNewline => {}
                LineKind::Added | LineKind::Removed if !self.is_blank(at) => others = true,
                LineKind::Removed if self.partner(at).is_some() => {}
                LineKind::Added | LineKind::Removed => blanks += 1,
            }
        }
        (blanks, blanks > 0 && !others)
    }

    /// What is said at the first line of a block that was only shifted.
    #[must_use]
    pub fn shift_note(&self, at: (usize, usize, usize)) -> Option<String> {
        let (file, hunk, line) = at;
        if self.whitespace(at) != WhitespaceChange::Indent {
            return None;
        }
        let cell = self.shifted.get(self.firsts.get(file)? + hunk)?;
        let blocks = cell.get_or_init(|| self.patch.reindented(file, hunk, self.hunk(file, hunk)));
        let block = blocks.iter().find(|block| block.new.start == line)?;
        let blanks = block.blanks.chars().count();
        let unit = match (block.blanks.chars().next(), blanks) {
            (Some('\t'), 1) => "tab",
            (Some('\t'), _) => "tabs",
            (_, 1) => "blank",
            _ => "blanks",
        };
        let way = if block.deeper { "deeper" } else { "less deep" };
        Some(format!(
            "↹ {} lines re-indented, {blanks} {unit} {way}",
            block.new.len()
        ))
    }

    /// Whether a line (file, hunk, line) is a marker of a merge conflict.
    #[must_use]
    pub fn is_conflict(&self, at: (usize, usize, usize)) -> bool {
        let (file, hunk, line) = at;
        let Some(text) = self.line(at).map(|line| self.patch.line_text(line)) else {
            return false;
        };
        let looks_so = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]
            .iter()
            .any(|start| text.starts_with(start));
        let cell = self
            .firsts
            .get(file)
            .and_then(|first| self.conflicts.get(first + hunk));
        looks_so
            && cell.is_some_and(|cell| {
                let markers = cell.get_or_init(|| {
                    let markers = self.patch.conflict_markers(file, hunk);
                    markers.into_iter().map(|(line, _)| line).collect()
                });
                markers.contains(&line)
            })
    }

    fn line(&self, (file, hunk, line): (usize, usize, usize)) -> Option<&HunkLine> {
        self.patch.files.get(file)?.hunks.get(hunk)?.lines.get(line)
    }

    /// The changed words of a line (file, hunk, line) that is paired with another one, as bytes of its
    /// text; empty for the others.
    #[must_use]
    pub fn changed_words(&self, at: (usize, usize, usize)) -> Vec<Range<usize>> {
        let (file, hunk, line) = at;
        let partner = self.hunk(file, hunk).get(line).copied().flatten();
        let lines =
            partner.and_then(|partner| Some((self.line(at)?, self.line((file, hunk, partner))?)));
        let Some((this, other)) = lines else {
            return Vec::new();
        };
        let (text, other_text) = (self.patch.line_text(this), self.patch.line_text(other));
        if this.new_no.is_none() {
            emphasis(text, other_text).0
        } else {
            emphasis(other_text, text).1
        }
    }
}

/// Pairs the removed and added lines of each block in order.
fn pairs_in_order(hunk: &Hunk) -> Vec<Option<usize>> {
    let mut pairs = vec![None; hunk.lines.len()];
    let mut removed = std::collections::VecDeque::new();
    for (at, line) in hunk.lines.iter().enumerate() {
        match line.kind {
            LineKind::Removed => removed.push_back(at),
            LineKind::Added => {
                if let Some(old) = removed.pop_front() {
                    (pairs[old], pairs[at]) = (Some(at), Some(old));
                }
            }
            LineKind::Context => removed.clear(),
            LineKind::NoNewline => {}
        }
    }
    pairs
}
