//! Which removed line became which added one.
//!
//! Not here: the words that changed (`words`).

use super::model::{Hunk, LineKind};
use std::collections::BTreeMap;

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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Patch;

    #[test]
    fn uneven_blocks_are_paired_by_likeness() {
        let patch = Patch::read(Arc::from(
            "--- a/x\n+++ b/x\n@@ -1,1 +1,3 @@\n-let total = price * count;\n+// a remark\n+check();\n+let total = price * count + tax;\n",
        ));
        assert_eq!(patch.pairs(0, 0), [Some(3), None, None, Some(0)]);
    }
}
