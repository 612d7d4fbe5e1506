//! Blocks of lines that a patch takes away in one place and puts in another, with the lines edited
//! on the way.
//!
//! Lines are compared without the blanks around them, so a block may be shifted by its move. Lines
//! that say nothing (blank, brackets) or that occur often never begin a block and count nothing:
//! a file of equal comment lines has no moves, and costs little. Work is bounded by the number of
//! lines.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use super::model::LineKind;
use super::pairing::are_alike;
use super::patch::Patch;

/// A block counts as moved from this many lines that say something.
const LEAST_LINES: usize = 3;
/// A text that stands at more places than this on a side says nothing.
const OFTEN: usize = 6;
/// Letters and digits from which on a line says something.
const LEAST_LETTERS: usize = 3;
/// Comparisons per changed line, over all.
const STEPS_PER_LINE: usize = 64;

/// One end of a move. Indices are 0-based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveEnd {
    /// The file.
    pub file: usize,
    /// The hunk of the file.
    pub hunk: usize,
    /// Lines of the hunk, from the first to behind the last.
    pub lines: Range<usize>,
}

impl MoveEnd {
    fn holds(&self, file: usize, hunk: usize, line: usize) -> bool {
        (self.file, self.hunk) == (file, hunk) && self.lines.contains(&line)
    }
}

/// A moved block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// Where it was: removed lines.
    pub from: MoveEnd,
    /// Where it is: added lines.
    pub to: MoveEnd,
    /// Every line of the old end with its line of the new end, as indices in their hunks.
    pub lines: Vec<(usize, usize)>,
    /// Those of [`Self::lines`] whose text differs in more than the blanks around it.
    pub edited: Vec<(usize, usize)>,
}

/// The moved blocks of a patch, in the order of their old ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moves {
    blocks: Vec<Move>,
    /// Both ends by (file, hunk, first line), with the block and whether it is the old end.
    ends: Vec<((usize, usize, usize), usize, bool)>,
}

impl Moves {
    /// The blocks.
    #[must_use]
    pub fn blocks(&self) -> &[Move] {
        &self.blocks
    }

    /// The move that a line is part of, and its line at the other end: `(move, file, hunk, line)`.
    #[must_use]
    pub fn of_line(
        &self,
        file: usize,
        hunk: usize,
        line: usize,
    ) -> Option<(&Move, (usize, usize, usize))> {
        let behind = self
            .ends
            .partition_point(|(start, ..)| *start <= (file, hunk, line));
        // Ends do not overlap, but an old and a new one may be interleaved in a hunk.
        let near = self.ends.get(behind.saturating_sub(2)..behind)?;
        near.iter().rev().find_map(|&(_, block, is_old)| {
            let block = self.blocks.get(block)?;
            let (this, other) = if is_old {
                (&block.from, &block.to)
            } else {
                (&block.to, &block.from)
            };
            if !this.holds(file, hunk, line) {
                return None;
            }
            let place = block.lines.binary_search_by_key(
                &line,
                |&(old, new)| {
                    if is_old { old } else { new }
                },
            );
            let (old, new) = *block.lines.get(place.ok()?)?;
            let there = if is_old { new } else { old };
            Some((block, (other.file, other.hunk, there)))
        })
    }
}

/// A changed line.
struct Entry<'a> {
    file: usize,
    hunk: usize,
    line: usize,
    /// Without the blanks around it.
    text: &'a str,
    key: u64,
    /// Removed and added lines without context between them; an edit in place is no move.
    block: usize,
    /// Lines of one kind that follow each other.
    run: usize,
    says: bool,
}

/// Finds the moved blocks of a patch.
#[must_use]
pub fn moves(patch: &Patch) -> Moves {
    let (mut removed, mut added) = entries(patch);
    let places = weigh(&mut removed, &mut added);
    let mut used = vec![false; added.len()];
    let mut steps = STEPS_PER_LINE * (removed.len() + added.len());
    let mut found = Moves::default();
    let mut at = 0;
    while at < removed.len() {
        let mut best: Option<Chain> = None;
        let starts = places.get(&removed[at].key).filter(|_| removed[at].says);
        for &start in starts.into_iter().flatten() {
            let new = &added[start];
            if used[start] || new.block == removed[at].block || new.text != removed[at].text {
                continue;
            }
            let chain = Chain::from(&removed, &added, (at, start), &used, &mut steps);
            if chain.says >= LEAST_LINES && best.as_ref().is_none_or(|b| chain.says > b.says) {
                best = Some(chain);
            }
        }
        let Some(chain) = best else {
            at += 1;
            continue;
        };
        for &(_, new) in &chain.pairs {
            used[new] = true;
        }
        at += chain.pairs.len();
        found.blocks.extend(chain.block(&removed, &added));
        if steps == 0 {
            break;
        }
    }
    for (index, block) in found.blocks.iter().enumerate() {
        for (end, is_old) in [(&block.from, true), (&block.to, false)] {
            let start = (end.file, end.hunk, end.lines.start);
            found.ends.push((start, index, is_old));
        }
    }
    found.ends.sort_unstable();
    found
}

/// The removed and the added lines of a patch in order.
fn entries(patch: &Patch) -> (Vec<Entry<'_>>, Vec<Entry<'_>>) {
    let hasher = RandomState::new();
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let (mut block, mut run) = (0, 0);
    for (f, file) in patch.files.iter().enumerate() {
        // The signs of a merge tell of several parents.
        if file.parents > 0 {
            continue;
        }
        for (h, hunk) in file.hunks.iter().enumerate() {
            (block, run) = (block + 1, run + 1);
            let mut before = LineKind::Context;
            for (at, line) in hunk.lines.iter().enumerate() {
                if line.kind == LineKind::NoNewline {
                    continue;
                }
                if line.kind == LineKind::Context || before == LineKind::Context {
                    block += 1;
                }
                run += usize::from(line.kind != before);
                before = line.kind;
                let side = match line.kind {
                    LineKind::Removed => &mut removed,
                    LineKind::Added => &mut added,
                    LineKind::Context | LineKind::NoNewline => continue,
                };
                let text = patch.line_text(line).trim();
                side.push(Entry {
                    file: f,
                    hunk: h,
                    line: at,
                    text,
                    key: hasher.hash_one(text),
                    block,
                    run,
                    says: false,
                });
            }
        }
    }
    (removed, added)
}

/// Marks the lines that say something; returns the places of the added ones by key.
fn weigh(removed: &mut [Entry<'_>], added: &mut [Entry<'_>]) -> HashMap<u64, Vec<usize>> {
    let mut counts: HashMap<u64, (usize, usize)> = HashMap::new();
    for entry in removed.iter() {
        counts.entry(entry.key).or_default().0 += 1;
    }
    for entry in added.iter() {
        // Only what was removed too can have moved.
        if let Some(count) = counts.get_mut(&entry.key) {
            count.1 += 1;
        }
    }
    let says = |entry: &Entry<'_>| {
        let often = counts.get(&entry.key);
        let rare = often.is_some_and(|&(gone, come)| gone <= OFTEN && (1..=OFTEN).contains(&come));
        let letters = entry.text.chars().filter(|c| c.is_alphanumeric());
        rare && letters.take(LEAST_LETTERS).count() == LEAST_LETTERS
    };
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for entry in removed.iter_mut() {
        entry.says = says(entry);
    }
    for (at, entry) in added.iter_mut().enumerate() {
        entry.says = says(entry);
        if entry.says {
            places.entry(entry.key).or_default().push(at);
        }
    }
    places
}

/// A block that grows from one pair of equal lines.
struct Chain {
    /// Indices of removed and added entries.
    pairs: Vec<(usize, usize)>,
    /// Equal lines that say something.
    says: usize,
}

impl Chain {
    fn from(
        removed: &[Entry<'_>],
        added: &[Entry<'_>],
        (old, new): (usize, usize),
        used: &[bool],
        steps: &mut usize,
    ) -> Self {
        let (old_run, new_run) = (removed[old].run, added[new].run);
        let pair = |ahead: usize| {
            let a = removed.get(old + ahead).filter(|a| a.run == old_run)?;
            let free = used.get(new + ahead).is_some_and(|used| !used);
            let b = added
                .get(new + ahead)
                .filter(|b| free && b.run == new_run)?;
            Some((a, b, a.key == b.key && a.text == b.text))
        };
        let mut chain = Self {
            pairs: Vec::new(),
            says: 0,
        };
        // Pairs up to the last equal line with text; what follows it may be an edited tail.
        let (mut ahead, mut whole) = (0, 0);
        while let Some((a, b, equal)) = pair(ahead) {
            *steps = steps.saturating_sub(1);
            if *steps == 0 {
                break;
            }
            if equal {
                chain.says += usize::from(a.says);
                if !a.text.is_empty() {
                    whole = ahead + 1;
                }
            } else {
                // One edited line may stand between lines that moved.
                let goes_on = pair(ahead + 1).is_some_and(|(_, _, equal)| equal);
                if !goes_on || !are_alike(a.text, b.text) {
                    break;
                }
            }
            ahead += 1;
        }
        chain.pairs = (0..whole).map(|step| (old + step, new + step)).collect();
        chain
    }

    fn block(&self, removed: &[Entry<'_>], added: &[Entry<'_>]) -> Option<Move> {
        let (&(first_old, first_new), &(last_old, last_new)) =
            (self.pairs.first()?, self.pairs.last()?);
        let end = |entries: &[Entry<'_>], first: usize, last: usize| {
            let (first, last) = (entries.get(first)?, entries.get(last)?);
            Some(MoveEnd {
                file: first.file,
                hunk: first.hunk,
                lines: first.line..last.line + 1,
            })
        };
        let lines = |&(old, new): &(usize, usize)| (removed[old].line, added[new].line);
        let edited = |&&(old, new): &&(usize, usize)| removed[old].text != added[new].text;
        Some(Move {
            from: end(removed, first_old, last_old)?,
            to: end(added, first_new, last_new)?,
            lines: self.pairs.iter().map(lines).collect(),
            edited: self.pairs.iter().filter(edited).map(lines).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn repeated_lines_are_no_move() {
        let old = "-// ----- a remark\n".repeat(20_000);
        let new = "+// ----- a remark\n".repeat(20_000);
        let patch = Patch::read(Arc::from(format!(
            "--- a/x\n+++ b/x\n@@ -1,20000 +0,0 @@\n{old}--- a/y\n+++ b/y\n@@ -0,0 +1,20000 @@\n{new}"
        )));
        assert!(moves(&patch).blocks().is_empty());
    }

    #[test]
    fn an_edit_in_place_is_no_move() {
        let patch = Patch::read(Arc::from(
            "--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n-one()\n-two()\n-three()\n+if a:\n+  one()\n+  two()\n+  three()\n",
        ));
        assert!(moves(&patch).blocks().is_empty());
    }
}
