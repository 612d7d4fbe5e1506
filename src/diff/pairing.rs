//! Which removed line became which added one, and which words of it changed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::{Hunk, LineKind};

/// Blocks up to this many pairs of lines are aligned by likeness, larger ones by position.
const ALIGNED_PAIRS: usize = 2_500;
/// Lines less alike than this are not paired, and their words are not marked.
const ALIKE: f64 = 0.35;
/// Longer stretches are not compared word by word (bytes).
const WORD_CAP: usize = 4_096;

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
        let of = |from: usize, len: usize, kind: LineKind| -> Vec<usize> {
            (from..from + len)
                .filter(|&i| hunk.lines[i].kind == kind)
                .collect()
        };
        let removed = of(at, removed_len, LineKind::Removed);
        let added = of(at + removed_len, added_len, LineKind::Added);
        for (old, new) in align(text, hunk, &removed, &added) {
            (partner[old], partner[new]) = (Some(new), Some(old));
        }
        at += removed_len + added_len;
    }
    partner
}

fn align(text: &str, hunk: &Hunk, removed: &[usize], added: &[usize]) -> Vec<(usize, usize)> {
    if removed.len() * added.len() > ALIGNED_PAIRS {
        return removed.iter().copied().zip(added.iter().copied()).collect();
    }
    let tokens = |index: &usize| {
        tokens(
            hunk.lines
                .get(*index)
                .and_then(|l| text.get(l.range.clone()))
                .unwrap_or(""),
        )
    };
    let old: Vec<_> = removed.iter().map(tokens).collect();
    let new: Vec<_> = added.iter().map(tokens).collect();
    let (p, q) = (old.len(), new.len());
    let likeness: Vec<Vec<f64>> = old
        .iter()
        .map(|a| new.iter().map(|b| alike(a, b)).collect())
        .collect();
    // best[i][j]: the largest sum of likeness over the lines from i and j on, in order.
    let mut best = vec![vec![0.0f64; q + 1]; p + 1];
    for i in (0..p).rev() {
        for j in (0..q).rev() {
            let skip = best[i + 1][j].max(best[i][j + 1]);
            let gain = likeness[i][j];
            best[i][j] = if gain >= ALIKE {
                skip.max(gain + best[i + 1][j + 1])
            } else {
                skip
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < p && j < q {
        let gain = likeness[i][j];
        if gain >= ALIKE && best[i][j] <= gain + best[i + 1][j + 1] + f64::EPSILON {
            found.push((removed[i], added[j]));
            (i, j) = (i + 1, j + 1);
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// Words and punctuation of a line with their counts.
fn tokens(line: &str) -> BTreeMap<&str, u32> {
    let mut counts = BTreeMap::new();
    let line = line
        .get(..line.floor_char_boundary(WORD_CAP))
        .unwrap_or(line);
    let mut start = 0;
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut previous: Option<char> = None;
    for (at, c) in line
        .char_indices()
        .chain(std::iter::once((line.len(), ' ')))
    {
        let cut = previous.is_some_and(|p| !(word(p) && word(c)));
        if cut || at == line.len() {
            if let Some(token) = line.get(start..at).filter(|token| !token.trim().is_empty()) {
                *counts.entry(token).or_insert(0) += 1;
            }
            start = at;
        }
        previous = Some(c);
    }
    counts
}

/// Twice the shared tokens over all tokens, 0..=1.
fn alike(a: &BTreeMap<&str, u32>, b: &BTreeMap<&str, u32>) -> f64 {
    let total: u32 = a.values().chain(b.values()).sum();
    if total == 0 {
        return 0.0;
    }
    let shared: u32 = a
        .iter()
        .map(|(token, n)| (*n).min(b.get(token).copied().unwrap_or(0)))
        .sum();
    2.0 * f64::from(shared) / f64::from(total)
}

/// Returns the byte ranges of `old` and of `new` that changed, word by word. Both are empty when the
/// lines are too unlike for marks to help. Where more than 4 kB lie between the common start and
/// the common end, all of that is one range.
#[must_use]
pub fn emphasis(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let nothing = (Vec::new(), Vec::new());
    if old == new {
        return nothing;
    }
    let (start, end) = common_ends(old, new);
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    let (Some(old_middle), Some(new_middle)) = (old.get(start..old_end), new.get(start..new_end))
    else {
        return nothing;
    };
    if old_middle.len() > WORD_CAP || new_middle.len() > WORD_CAP {
        // No words are compared here; the share of the common ends stands for likeness.
        let shared = 2 * (start + end) * 100;
        if shared < 35 * (old.len() + new.len()) {
            return nothing;
        }
        let range = |end: usize| Some(start..end).filter(|range| !range.is_empty());
        return (
            range(old_end).into_iter().collect(),
            range(new_end).into_iter().collect(),
        );
    }
    let diff = TextDiff::configure()
        .timeout(Duration::from_millis(4))
        .diff_unicode_words(old_middle, new_middle);
    let (mut old_at, mut new_at, mut equal) = (start, start, start + end);
    let (mut old_ranges, mut new_ranges) = nothing;
    for change in diff.iter_all_changes() {
        let length = change.value().len();
        match change.tag() {
            ChangeTag::Equal => {
                old_at += length;
                new_at += length;
                equal += length;
            }
            ChangeTag::Delete => {
                push(&mut old_ranges, old_at..old_at + length, old);
                old_at += length;
            }
            ChangeTag::Insert => {
                push(&mut new_ranges, new_at..new_at + length, new);
                new_at += length;
            }
        }
    }
    // 35 % of the bytes, the same bound as for pairing.
    if 2 * equal * 100 < 35 * (old.len() + new.len()) {
        return (Vec::new(), Vec::new());
    }
    (old_ranges, new_ranges)
}

/// Bytes of the common start and of the common end of two lines. Neither cuts a word, and they do
/// not overlap.
fn common_ends(old: &str, new: &str) -> (usize, usize) {
    let outside = |c: char| !(c.is_alphanumeric() || c == '_') && c.is_ascii();
    let same = |(a, b): &(u8, u8)| a == b;
    let start = old.bytes().zip(new.bytes()).take_while(same).count();
    // Back to behind an ASCII character that is no part of a word: no cluster is cut there either.
    let head = old.get(..old.floor_char_boundary(start)).unwrap_or("");
    let start = head.rfind(outside).map_or(0, |at| at + 1);
    let room = old.len().min(new.len()) - start;
    let backwards = old.bytes().rev().zip(new.bytes().rev());
    let end = backwards.take(room).take_while(same).count();
    let from = old.ceil_char_boundary(old.len() - end);
    let tail = old.get(from..).unwrap_or("");
    let end = tail.find(outside).map_or(0, |at| tail.len() - at);
    (start, end)
}

/// Adds a range, joined to the one before when only blanks lie between.
fn push(ranges: &mut Vec<Range<usize>>, range: Range<usize>, text: &str) {
    if let Some(last) = ranges.last_mut()
        && text
            .get(last.end..range.start)
            .is_some_and(|gap| gap.trim().is_empty())
    {
        last.end = range.end;
        return;
    }
    ranges.push(range);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Patch;
    use super::*;

    #[test]
    fn uneven_blocks_are_paired_by_likeness() {
        let patch = Patch::read(Arc::from(
            "--- a/x\n+++ b/x\n@@ -1,1 +1,3 @@\n-let total = price * count;\n+// a remark\n+check();\n+let total = price * count + tax;\n",
        ));
        assert_eq!(patch.pairs(0, 0), [Some(3), None, None, Some(0)]);
    }

    fn one(range: Range<usize>) -> Vec<Range<usize>> {
        std::iter::once(range).collect()
    }

    #[test]
    fn words_are_marked() {
        let (old, new) = emphasis("let a = b + 1;", "let a = c + 1;");
        assert_eq!((old, new), (one(8..9), one(8..9)));
        let long = "x, ".repeat(3_000);
        let (old, new) = emphasis(&format!("{long}a, {long}"), &format!("{long}b, {long}"));
        assert_eq!((old, new), (one(9_000..9_001), one(9_000..9_001)));
        let (old, new) = emphasis("completely different", "xyz 123 456 789 !!");
        assert!(old.is_empty() && new.is_empty());
    }
}
