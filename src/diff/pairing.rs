//! Which removed line became which added one.
//!
//! Small blocks are aligned by likeness. Large ones are first cut at lines that occur once on each
//! side (as patience diff does), then the pieces are aligned by likeness while a budget lasts, and
//! by position after it: work grows with the lines of a block, never with their product.
//!
//! Not here: the words that changed (`words`).

use std::ops::Range;

use super::anchors::anchors;
use super::model::{Hunk, LineKind};

/// Pieces of a block up to this many pairs of lines are aligned by likeness.
const ALIGNED_PAIRS: usize = 2_500;
/// Pairs of lines of one block that are compared at most.
const BLOCK_PAIRS: usize = 20_000;
/// Lines less alike than this are not paired.
const ALIKE: f64 = 0.35;
/// What two blank lines are worth: less than any text that is alike.
const BLANKS: f64 = 0.36;
/// Bytes of a line that are looked at.
const LINE_CAP: usize = 4_096;

/// For each line of the hunk its partner, see [`super::Patch::pairs`].
pub(super) fn pairs(text: &str, hunk: &Hunk) -> Vec<Option<usize>> {
    let mut partner = vec![None; hunk.lines.len()];
    let mut at = 0;
    while at < hunk.lines.len() {
        let run = |from: usize, kind: LineKind| {
            let rest = hunk.lines.get(from..).unwrap_or(&[]);
            rest.iter()
                .take_while(|l| l.kind == kind || l.kind == LineKind::NoNewline)
                .count()
        };
        let removed_len = run(at, LineKind::Removed);
        if removed_len == 0 || hunk.lines[at].kind != LineKind::Removed {
            at += 1;
            continue;
        }
        let added_len = run(at + removed_len, LineKind::Added);
        let of = |from: usize, len: usize, kind: LineKind| -> Vec<Line<'_>> {
            (from..from + len)
                .filter(|&i| hunk.lines[i].kind == kind)
                .map(|i| Line::new(i, text.get(hunk.lines[i].range.clone()).unwrap_or("")))
                .collect()
        };
        let removed = of(at, removed_len, LineKind::Removed);
        let added = of(at + removed_len, added_len, LineKind::Added);
        let mut block = Block {
            budget: BLOCK_PAIRS,
            found: Vec::new(),
        };
        block.align(&removed, &added);
        for (old, new) in block.found {
            (partner[old], partner[new]) = (Some(new), Some(old));
        }
        at += removed_len + added_len;
    }
    partner
}

/// A line of a block.
struct Line<'a> {
    /// Index in the hunk.
    at: usize,
    /// Without the blanks around it, at most [`LINE_CAP`] bytes.
    text: &'a str,
}

impl<'a> Line<'a> {
    fn new(at: usize, text: &'a str) -> Self {
        let text = text.trim();
        let text = text
            .get(..text.floor_char_boundary(LINE_CAP))
            .unwrap_or(text);
        Self { at, text }
    }
}

struct Block {
    /// Pairs of lines that may still be compared.
    budget: usize,
    /// Pairs of indices in the hunk.
    found: Vec<(usize, usize)>,
}

impl Block {
    fn align<'a>(&mut self, removed: &[Line<'a>], added: &[Line<'a>]) {
        if removed.len() * added.len() <= ALIGNED_PAIRS {
            return self.by_likeness(removed, added);
        }
        let (mut old, mut new) = (0, 0);
        let texts = |lines: &[Line<'a>]| lines.iter().map(|line| line.text).collect::<Vec<_>>();
        for (i, j) in anchors(&texts(removed), &texts(added)) {
            self.piece(removed, old..i, added, new..j);
            self.found.push((removed[i].at, added[j].at));
            (old, new) = (i + 1, j + 1);
        }
        self.piece(removed, old..removed.len(), added, new..added.len());
    }

    fn piece(
        &mut self,
        removed: &[Line<'_>],
        old: Range<usize>,
        added: &[Line<'_>],
        new: Range<usize>,
    ) {
        let (removed, added) = (
            removed.get(old).unwrap_or(&[]),
            added.get(new).unwrap_or(&[]),
        );
        let product = removed.len() * added.len();
        if product == 0 {
            return;
        }
        if product <= ALIGNED_PAIRS.min(self.budget) {
            self.budget -= product;
            return self.by_likeness(removed, added);
        }
        for (old, new) in removed.iter().zip(added) {
            if likeness((&tokens(old.text), old), (&tokens(new.text), new)) >= ALIKE {
                self.found.push((old.at, new.at));
            }
        }
    }

    /// The pairing in order with the largest sum of likeness.
    fn by_likeness(&mut self, removed: &[Line<'_>], added: &[Line<'_>]) {
        let of = |lines: &[Line<'_>]| lines.iter().map(|l| tokens(l.text)).collect::<Vec<_>>();
        let (old, new) = (of(removed), of(added));
        let (p, q) = (old.len(), new.len());
        let mut likes = Vec::with_capacity(p * q);
        for (a, old_line) in old.iter().zip(removed) {
            for (b, new_line) in new.iter().zip(added) {
                likes.push(likeness((a, old_line), (b, new_line)));
            }
        }
        let like = |i: usize, j: usize| likes.get(i * q + j).copied().unwrap_or(0.0);
        // best[i * (q + 1) + j]: the largest sum over the lines from i and j on.
        let mut best = vec![0.0f64; (p + 1) * (q + 1)];
        let place = |i: usize, j: usize| i * (q + 1) + j;
        for i in (0..p).rev() {
            for j in (0..q).rev() {
                let skip = best[place(i + 1, j)].max(best[place(i, j + 1)]);
                let gain = like(i, j);
                best[place(i, j)] = if gain >= ALIKE {
                    skip.max(gain + best[place(i + 1, j + 1)])
                } else {
                    skip
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < p && j < q {
            let gain = like(i, j);
            let taken = gain + best[place(i + 1, j + 1)] + f64::EPSILON;
            if gain >= ALIKE && best[place(i, j)] <= taken {
                self.found.push((removed[i].at, added[j].at));
                (i, j) = (i + 1, j + 1);
            } else if best[place(i + 1, j)] >= best[place(i, j + 1)] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
}

/// Hashes of the words and signs of a line, in order of hash.
fn tokens(line: &str) -> Vec<u32> {
    let mut found = Vec::new();
    let mut hash = 0u32;
    let mut open = false;
    for byte in line.bytes() {
        let word = byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
        if word {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            open = true;
            continue;
        }
        if open {
            found.push(hash);
            (hash, open) = (0, false);
        }
        if !byte.is_ascii_whitespace() {
            found.push(u32::from(byte).wrapping_mul(0x9e37_79b1));
        }
    }
    if open {
        found.push(hash);
    }
    found.sort_unstable();
    found
}

/// Whether two lines are alike enough to be one line that was edited.
pub(super) fn are_alike(old: &str, new: &str) -> bool {
    let (old, new) = (Line::new(0, old), Line::new(0, new));
    likeness((&tokens(old.text), &old), (&tokens(new.text), &new)) >= ALIKE
}

/// Twice the shared tokens over all tokens, 0..=1; a little more for the same text.
fn likeness((a, old): (&[u32], &Line<'_>), (b, new): (&[u32], &Line<'_>)) -> f64 {
    if a.is_empty() && b.is_empty() {
        let blank = old.text.is_empty() && new.text.is_empty();
        return if blank { BLANKS } else { 0.0 };
    }
    let (mut i, mut j, mut shared) = (0, 0, 0u32);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                (i, j) = (i + 1, j + 1);
                shared += 1;
            }
        }
    }
    let total = u32::try_from(a.len() + b.len()).unwrap_or(u32::MAX);
    let alike = 2.0 * f64::from(shared) / f64::from(total);
    if old.text == new.text {
        alike + 0.01
    } else {
        alike
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use super::super::Patch;

    #[test]
    fn uneven_blocks_are_paired_by_likeness() {
        let patch = Patch::read(Arc::from(
            "--- a/x\n+++ b/x\n@@ -1,1 +1,3 @@\n-let total = price * count;\n+// a remark\n+check();\n+let total = price * count + tax;\n",
        ));
        assert_eq!(patch.pairs(0, 0), [Some(3), None, None, Some(0)]);
    }

    #[test]
    fn large_uneven_blocks_are_cut_at_equal_lines() {
        let mut text = "--- a/x\n+++ b/x\n@@ -1,2000 +1,2100 @@\n".to_owned();
        for line in 0..2_000 {
            let _ = writeln!(text, "-    call_{line}(first, second)");
        }
        for line in 0..2_100 {
            // A hundred new lines before, every seventh edited, all deeper.
            let old = i64::from(line) - 100;
            let tail = if old % 7 == 0 { ", third" } else { "" };
            let _ = writeln!(text, "+        call_{old}(first, second{tail})");
        }
        let patch = Patch::read(Arc::from(text));
        let pairs = patch.pairs(0, 0);
        assert_eq!(pairs[10], Some(2_000 + 100 + 10));
        assert_eq!(pairs[14], Some(2_000 + 100 + 14));
        assert_eq!(pairs[1_999], Some(4_099));
        assert_eq!(pairs[2_000], None);
    }
}
