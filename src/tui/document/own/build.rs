//! The rows of a patch, laid out one line below the other or old beside new.

use std::ops::Range;
use std::sync::Arc;

use super::super::pairs::Pairs;
use super::{Entry, NONE, Own, Shape, View};
use crate::diff::{
    Anchor as HunkAnchor, BaseText, Bases, FilePatch, Hunk, LineKind, Patch, anchors,
};
use crate::domain::PatchPresence;

impl Own {
    /// The rows of a patch.
    #[must_use]
    pub fn of(patch: Arc<Patch>, view: View<'_>) -> Self {
        let bases = bases(&patch, view.bases);
        let known = bases.iter().flatten().map(|base| base.lines());
        let longest = known.max().unwrap_or(0).saturating_add(patch.added());
        let most = match bases.iter().any(Option::is_some) {
            true => digits_of(longest),
            false => 0,
        };
        let mut built = Self {
            shape: match view.split {
                true => Shape::Split,
                false => Shape::Unified,
            },
            quiet: view.quiet,
            folded: view.folded.clone(),
            revealed: view.revealed.clone(),
            bases_known: view.bases.map_or(0, Bases::len),
            bases,
            hidden: 0,
            entries: Vec::new(),
            raws: Vec::new(),
            file_starts: Vec::new(),
            file_from: Vec::new(),
            hunks: Vec::new(),
            hunk_starts: Vec::new(),
            change_starts: Vec::new(),
            pairs: Pairs::of(Arc::clone(&patch)),
            digits: digits(&patch).max(most),
            patch: Arc::clone(&patch),
        };
        if view.quiet || view.split {
            built.pairs.keep_order_of_many();
        }
        built
            .entries
            .extend((0..count(patch.notes.len())).map(Entry::Note));
        if patch.presence == PatchPresence::NotADiff {
            built.push_raw(&patch.text, 0..patch.text.len());
            return built;
        }
        for file in 0..patch.files.len() {
            built.push_file(&patch, file, view.folded.contains(&file));
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
            let base = self.bases.get(file).cloned().flatten();
            let mut next = 1;
            for (place, hunk) in found.hunks.iter().enumerate() {
                if base.is_some() {
                    let (start, end) = old_lines(hunk);
                    self.push_gap(number, next, start.saturating_sub(1));
                    next = end;
                }
                self.push_hunk((file, place), hunk);
            }
            if let Some(base) = base.filter(|_| !found.hunks.is_empty()) {
                self.push_gap(number, next, base.lines());
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

    /// Lines of the base that no hunk quotes, from the first to the last.
    fn push_gap(&mut self, file: u32, from: u32, to: u32) {
        let place = file as usize;
        if from > to {
            return;
        }
        if self.revealed.is_closed(place) && from < to {
            self.entries.push(Entry::Gap { file, from, to });
            return;
        }
        let mut open: Option<u32> = None;
        for line in from..=to {
            // One line takes no more room than the words for it.
            if from == to || self.revealed.shows(place, line) {
                self.close_gap(file, open.take(), line.saturating_sub(1));
                self.entries.push(Entry::Base { file, line });
            } else {
                open.get_or_insert(line);
            }
        }
        self.close_gap(file, open, to);
    }

    fn close_gap(&mut self, file: u32, from: Option<u32>, to: u32) {
        match from {
            Some(line) if line == to => self.entries.push(Entry::Base { file, line }),
            Some(from) => self.entries.push(Entry::Gap { file, from, to }),
            None => {}
        }
    }

    /// A hunk that changes nothing but white space, when that is not to be seen.
    fn push_hidden(&mut self, changes: u32) {
        let number = count(self.hunks.len().saturating_sub(1));
        if let Some(Entry::Hidden {
            changes: before, ..
        }) = self.entries.last_mut()
        {
            *before += changes;
        } else {
            self.entries.push(Entry::Hidden {
                hunk: number,
                changes,
            });
        }
        self.hunk_starts.push(self.entries.len() - 1);
    }

    fn push_hunk(&mut self, of: (usize, usize), hunk: &Hunk) {
        let number = count(self.hunks.len());
        self.hunks.push(of);
        if self.quiet {
            let (blanks, only) = self.pairs.blanks(of.0, of.1);
            self.hidden += blanks;
            if only {
                return self.push_hidden(count(blanks));
            }
        }
        let header = self.entries.len();
        self.hunk_starts.push(header);
        self.entries.push(Entry::Hunk(number));
        match self.shape {
            Shape::Unified | Shape::Aligned if self.quiet => {
                let sides = sides(hunk, self.pairs.hunk(of.0, of.1));
                self.push_quietly(number, sides);
                self.push_change_start(header);
            }
            Shape::Unified | Shape::Aligned => {
                let lines = 0..count(hunk.lines.len());
                let lines = lines.map(|line| Entry::Line { hunk: number, line });
                self.entries.extend(lines);
                let first = hunk.lines.iter().position(|line| is_change(line.kind));
                self.change_starts
                    .push(header + first.map_or(0, |at| at + 1));
            }
            Shape::Split => {
                let sides = sides(hunk, self.pairs.hunk(of.0, of.1));
                let rows = sides.into_iter().map(|(old, new)| Entry::Pair {
                    hunk: number,
                    old,
                    new,
                });
                self.entries.extend(rows);
                self.push_change_start(header);
            }
        }
    }

    /// Notes the first changed row behind a header.
    fn push_change_start(&mut self, header: usize) {
        let first = (header + 1..self.entries.len()).find(|&row| self.is_change(row));
        self.change_starts.push(first.unwrap_or(header));
    }

    /// Removed above added lines; two that differ in white space only share a row between them.
    fn push_quietly(&mut self, hunk: u32, sides: Vec<(u32, u32)>) {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for (left, right) in sides {
            let both = left != NONE && right != NONE;
            let is_context = both && left == right;
            let shares = both && !is_context && self.is_quiet(hunk, left);
            let goes_on = left == NONE || new.last().is_none_or(|&last| left < last);
            if is_context || shares || !goes_on {
                let lines = old.drain(..).chain(new.drain(..));
                let lines = lines.map(|line| Entry::Line { hunk, line });
                self.entries.extend(lines);
            }
            if is_context {
                self.entries.push(Entry::Line { hunk, line: left });
            } else if shares {
                self.entries.push(Entry::Pair {
                    hunk,
                    old: left,
                    new: right,
                });
            } else {
                old.extend((left != NONE).then_some(left));
                new.extend((right != NONE).then_some(right));
            }
        }
        let lines = old.into_iter().chain(new);
        let lines = lines.map(|line| Entry::Line { hunk, line });
        self.entries.extend(lines);
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
    digits_of(ends.max().unwrap_or(0).saturating_sub(1))
}

fn digits_of(largest: u32) -> usize {
    let digits = largest.checked_ilog10();
    digits.map_or(1, |log| log as usize + 1).max(3)
}

/// The base texts of the files whose hunks all stand where they say.
fn bases(patch: &Patch, known: Option<&Bases>) -> Vec<Option<Arc<BaseText>>> {
    let Some(known) = known.filter(|known| !known.is_empty()) else {
        return Vec::new();
    };
    let of = |file: &FilePatch| {
        let base = known.get(file.old_path.as_deref()?)?;
        let stands = anchors(patch, file, Some(base))
            .iter()
            .all(|(_, anchor)| *anchor == HunkAnchor::AsWritten);
        let plain = file.hunks.iter().all(|hunk| hunk.combined.is_none());
        (stands && plain).then(|| Arc::clone(base))
    };
    patch.files.iter().map(of).collect()
}

/// The first base line of a hunk and the one behind its last; a hunk without base lines stands
/// before the line that follows it.
pub(super) fn old_lines(hunk: &Hunk) -> (u32, u32) {
    let start = match hunk.old_count {
        0 => hunk.old_start.saturating_add(1),
        _ => hunk.old_start.max(1),
    };
    (start, start.saturating_add(hunk.old_count))
}
