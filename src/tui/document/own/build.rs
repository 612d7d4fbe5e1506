//! The rows of a patch, laid out one line below the other or old beside new.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::super::pairs::Pairs;
use super::{Entry, NONE, Own, Shape};
use crate::diff::{Hunk, LineKind, Patch};
use crate::domain::PatchPresence;

/// Patches with more changed lines than this are paired line by line in order when old and new stand
/// side by side: finding the most alike ones would keep the first key waiting.
const LIKENESS_LIMIT: u32 = 20_000;

impl Own {
    /// The rows of a patch; `folded` are files of which only the header is shown.
    #[must_use]
    pub fn of(patch: Arc<Patch>, shape: Shape, folded: &BTreeSet<usize>) -> Self {
        let mut built = Self {
            shape,
            folded: folded.clone(),
            entries: Vec::new(),
            raws: Vec::new(),
            file_starts: Vec::new(),
            file_from: Vec::new(),
            hunks: Vec::new(),
            hunk_starts: Vec::new(),
            change_starts: Vec::new(),
            pairs: Pairs::of(Arc::clone(&patch)),
            digits: digits(&patch),
            patch: Arc::clone(&patch),
        };
        built
            .entries
            .extend((0..count(patch.notes.len())).map(Entry::Note));
        if patch.presence == PatchPresence::NotADiff {
            built.push_raw(&patch.text, 0..patch.text.len());
            return built;
        }
        for file in 0..patch.files.len() {
            built.push_file(&patch, file, folded.contains(&file));
        }
        built
    }

    fn push_file(&mut self, patch: &Patch, file: usize, folded: bool) {
        let number = count(file);
        if file > 0 {
            self.entries.push(Entry::Blank);
            // The header also stands above the text, so a jump shows what follows it.
            self.file_from.push(self.entries.len());
            self.entries.push(Entry::File(number));
        } else {
            // The line above the text names the first file already.
            self.file_from.push(0);
        }
        self.file_starts.push(self.entries.len());
        let Some(found) = patch.files.get(file) else {
            return;
        };
        let notes = count(patch.file_notes(file).len());
        let notes = (0..notes).map(|note| Entry::FileNote { file: number, note });
        self.entries.extend(notes);
        if folded {
            self.entries.push(Entry::Folded(number));
        } else {
            for (place, hunk) in found.hunks.iter().enumerate() {
                self.push_hunk(patch, (file, place), hunk);
            }
            for raw in &found.raw {
                self.push_raw(&patch.text, raw.clone());
            }
        }
        // A file without a row of its own is shown by its header.
        if let (Some(start), Some(&from)) = (self.file_starts.last_mut(), self.file_from.last())
            && *start == self.entries.len()
        {
            *start = from;
        }
    }

    fn push_hunk(&mut self, patch: &Patch, of: (usize, usize), hunk: &Hunk) {
        let number = count(self.hunks.len());
        self.hunks.push(of);
        let header = self.entries.len();
        self.hunk_starts.push(header);
        self.entries.push(Entry::Hunk(number));
        match self.shape {
            Shape::Unified | Shape::Aligned => {
                let lines = 0..count(hunk.lines.len());
                let lines = lines.map(|line| Entry::Line { hunk: number, line });
                self.entries.extend(lines);
                let first = hunk.lines.iter().position(|line| is_change(line.kind));
                self.change_starts
                    .push(header + first.map_or(0, |at| at + 1));
            }
            Shape::Split => {
                let likeness = patch.added() + patch.removed() <= LIKENESS_LIMIT;
                if !likeness {
                    self.pairs.set(of.0, of.1, pairs_in_order(hunk));
                }
                let sides = sides(hunk, self.pairs.hunk(of.0, of.1));
                let changed = |&(old, new): &(u32, u32)| old != new || old == NONE;
                let first = sides.iter().position(|pair| {
                    changed(pair)
                        || hunk
                            .lines
                            .get(pair.0 as usize)
                            .is_some_and(|line| is_change(line.kind))
                });
                self.change_starts
                    .push(header + first.map_or(0, |at| at + 1));
                let rows = sides.into_iter().map(|(old, new)| Entry::Pair {
                    hunk: number,
                    old,
                    new,
                });
                self.entries.extend(rows);
            }
        }
    }

    fn push_raw(&mut self, text: &str, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let rest = text.get(at..range.end).unwrap_or("");
            let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            self.entries.push(Entry::Raw(count(self.raws.len())));
            self.raws.push(at..at + length);
            at += length + 1;
        }
    }
}

/// What no patch reaches: a patch's rows are numbered with 32 bits.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}

fn is_change(kind: LineKind) -> bool {
    matches!(kind, LineKind::Added | LineKind::Removed)
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

/// The rows of a hunk as (old line, new line), in an order that keeps both sides in theirs.
fn sides(hunk: &Hunk, pairs: &[Option<usize>]) -> Vec<(u32, u32)> {
    let mut rows = Vec::with_capacity(hunk.lines.len());
    let mut at = 0;
    while at < hunk.lines.len() {
        if !is_change(hunk.lines[at].kind) {
            rows.push((count(at), count(at)));
            at += 1;
            continue;
        }
        // A block: removed and added lines, and the marks behind either.
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let mut on_new = false;
        while let Some(line) = hunk.lines.get(at) {
            match line.kind {
                LineKind::Context => break,
                LineKind::Removed if on_new && !new.is_empty() => break,
                LineKind::Removed => old.push(at),
                LineKind::Added => {
                    on_new = true;
                    new.push(at);
                }
                LineKind::NoNewline if on_new => new.push(at),
                LineKind::NoNewline => old.push(at),
            }
            at += 1;
        }
        let mut new = new.into_iter().peekable();
        for line in old {
            let partner = pairs.get(line).copied().flatten();
            if let Some(partner) = partner {
                while let Some(alone) = new.next_if(|&other| other < partner) {
                    rows.push((NONE, count(alone)));
                }
                new.next_if_eq(&partner);
                rows.push((count(line), count(partner)));
            } else {
                rows.push((count(line), NONE));
            }
        }
        rows.extend(new.map(|line| (NONE, count(line))));
    }
    rows
}

/// Digits of the largest line number, at least 3.
pub(in crate::tui::document) fn digits(patch: &Patch) -> usize {
    let hunks = patch.files.iter().flat_map(|file| &file.hunks);
    let ends = hunks.map(|hunk| {
        let old = hunk.old_start.saturating_add(hunk.old_count);
        old.max(hunk.new_start.saturating_add(hunk.new_count))
    });
    let largest = ends.max().unwrap_or(0).saturating_sub(1);
    largest
        .checked_ilog10()
        .map_or(1, |log| log as usize + 1)
        .max(3)
}
