//! Lines that several candidates insert at one place, laid side by side: equal lines in one row, then
//! similar ones, the rest by position.
//!
//! Progressive: one candidate after the other is laid against the rows made so far.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Stretches without an equal line are paired by likeness up to so many pairs.
const ALIGNED_PAIRS: usize = 2_500;
/// Share of a line's bytes at its start and end that must agree for two lines to be similar.
const ALIKE: f64 = 0.5;

/// The lines that one candidate inserts: an id per distinct text, and the text.
pub(super) struct Run<'a> {
    pub lines: Vec<(u32, &'a str)>,
}

/// For every row the index of the line of each run that stands in it.
pub(super) fn align(runs: &[Run<'_>]) -> Vec<Vec<Option<u32>>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        if let Some(same) = runs[..index].iter().position(|other| equal(other, run)) {
            for row in &mut rows {
                row.lines[index] = row.lines[same];
            }
            continue;
        }
        rows = lay(rows, index, run, runs.len());
    }
    rows.into_iter().map(|row| row.lines).collect()
}

struct Row<'a> {
    /// The first line that was put here stands for the row.
    first: (u32, &'a str),
    lines: Vec<Option<u32>>,
}

fn equal(a: &Run<'_>, b: &Run<'_>) -> bool {
    a.lines.len() == b.lines.len() && a.lines.iter().zip(&b.lines).all(|(x, y)| x.0 == y.0)
}

/// Lays a run against the rows so far.
fn lay<'a>(rows: Vec<Row<'a>>, index: usize, run: &Run<'a>, width: usize) -> Vec<Row<'a>> {
    let old: Vec<u32> = rows.iter().map(|row| row.first.0).collect();
    let new: Vec<u32> = run.lines.iter().map(|line| line.0).collect();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for op in capture_diff_slices(Algorithm::Histogram, &old, &new) {
        match op {
            DiffOp::Equal {
                old_index,
                new_index,
                len,
            } => pairs.extend((0..len).map(|at| (old_index + at, new_index + at))),
            DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            } => {
                let left = rows.get(old_index..old_index + old_len).unwrap_or(&[]);
                let right = run.lines.get(new_index..new_index + new_len).unwrap_or(&[]);
                let inner = pair_unequal(left, right);
                pairs.extend(
                    inner
                        .into_iter()
                        .map(|(p, q)| (old_index + p, new_index + q)),
                );
            }
            DiffOp::Delete { .. } | DiffOp::Insert { .. } => {}
        }
    }
    let mut laid = Vec::with_capacity(rows.len() + run.lines.len());
    let mut pairs = pairs.into_iter().peekable();
    let mut next = 0;
    let alone = |line: usize| -> Option<Row<'a>> {
        let mut lines = vec![None; width];
        lines[index] = u32::try_from(line).ok();
        Some(Row {
            first: *run.lines.get(line)?,
            lines,
        })
    };
    for (at, mut row) in rows.into_iter().enumerate() {
        if let Some((_, line)) = pairs.next_if(|(p, _)| *p == at) {
            laid.extend((next..line).filter_map(alone));
            row.lines[index] = u32::try_from(line).ok();
            next = line + 1;
        }
        laid.push(row);
    }
    laid.extend((next..run.lines.len()).filter_map(alone));
    laid
}

/// Pairs (row, line) of a stretch in which nothing is equal: similar lines, and between two of them
/// by position. Ascending in both.
fn pair_unequal(rows: &[Row<'_>], lines: &[(u32, &str)]) -> Vec<(usize, usize)> {
    let (p, q) = (rows.len(), lines.len());
    if p * q > ALIGNED_PAIRS {
        return (0..p.min(q)).map(|at| (at, at)).collect();
    }
    let alike: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| {
            lines
                .iter()
                .map(|line| alike(row.first.1, line.1))
                .collect()
        })
        .collect();
    // best[i][j]: the largest sum of likeness from row i and line j on.
    let mut best = vec![vec![0.0f64; q + 1]; p + 1];
    for i in (0..p).rev() {
        for j in (0..q).rev() {
            let skip = best[i + 1][j].max(best[i][j + 1]);
            let gain = alike[i][j];
            best[i][j] = match gain >= ALIKE {
                true => skip.max(gain + best[i + 1][j + 1]),
                false => skip,
            };
        }
    }
    let mut pairs = Vec::new();
    let (mut i, mut j, mut from) = (0, 0, (0, 0));
    let fill = |pairs: &mut Vec<(usize, usize)>, from: (usize, usize), to: (usize, usize)| {
        let count = (to.0 - from.0).min(to.1 - from.1);
        pairs.extend((0..count).map(|at| (from.0 + at, from.1 + at)));
    };
    while i < p && j < q {
        let gain = alike[i][j];
        if gain >= ALIKE && best[i][j] <= gain + best[i + 1][j + 1] + f64::EPSILON {
            fill(&mut pairs, from, (i, j));
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
            from = (i, j);
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    fill(&mut pairs, from, (p, q));
    pairs
}

/// Share of the longer line that the common start and the common end make up, indentation left out.
fn alike(a: &str, b: &str) -> f64 {
    let (a, b) = (a.trim().as_bytes(), b.trim().as_bytes());
    let longer = a.len().max(b.len());
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let ends = a.iter().rev().zip(b.iter().rev());
    let shorter = a.len().min(b.len());
    let end = ends
        .take(shorter - start)
        .take_while(|(x, y)| x == y)
        .count();
    #[expect(clippy::cast_precision_loss, reason = "a share; lines are short")]
    let share = (start + end) as f64 / longer as f64;
    share
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn rows(texts: &[&[&'static str]]) -> Vec<Vec<Option<&'static str>>> {
        let mut ids = BTreeMap::new();
        let runs: Vec<Run<'_>> = texts
            .iter()
            .map(|run| Run {
                lines: run
                    .iter()
                    .map(|text| {
                        let next = u32::try_from(ids.len()).unwrap();
                        (*ids.entry(*text).or_insert(next), *text)
                    })
                    .collect(),
            })
            .collect();
        align(&runs)
            .into_iter()
            .map(|row| {
                row.iter()
                    .enumerate()
                    .map(|(run, line)| line.map(|line| runs[run].lines[line as usize].1))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn equal_lines_share_a_row() {
        let got = rows(&[&["a", "b", "c"], &["b"], &["x", "b", "c", "d"]]);
        assert_eq!(
            got,
            [
                vec![Some("a"), None, Some("x")],
                vec![Some("b"), Some("b"), Some("b")],
                vec![Some("c"), None, Some("c")],
                vec![None, None, Some("d")],
            ]
        );
    }

    #[test]
    fn similar_lines_share_a_row() {
        let got = rows(&[
            &["if count > 1:"],
            &["total = 0", "if count >= 1:", "    pass"],
        ]);
        assert_eq!(
            got,
            [
                vec![None, Some("total = 0")],
                vec![Some("if count > 1:"), Some("if count >= 1:")],
                vec![None, Some("    pass")],
            ]
        );
    }

    #[test]
    fn copies_are_laid_as_the_first() {
        let got = rows(&[&["p", "q"], &["r"], &["p", "q"]]);
        assert!(got.iter().all(|row| row[0] == row[2]));
    }
}
