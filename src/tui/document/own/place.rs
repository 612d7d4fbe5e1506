//! From rows to places of the patch and of its base, and back.

use super::build::old_lines;
use super::{Anchor, Entry, Line, NONE, Own};
use crate::diff::{Hunk, HunkLine, LineKind};

impl Own {
    /// The line that a row shows; none for headers, notes and folds.
    #[must_use]
    pub fn line(&self, row: usize) -> Option<Line<'_>> {
        let (place, line) = self.line_of(row)?;
        let &(file, hunk) = self.hunks.get(place as usize)?;
        let found = self.hunk_line(place, line)?;
        Some(Line {
            file,
            hunk,
            line: line as usize,
            path: self.file_path(file),
            old_no: found.old_no,
            new_no: found.new_no,
            text: self.patch.line_text(found),
        })
    }

    /// The line of the base that a row shows though the patch does not quote it.
    #[must_use]
    pub fn base_line(&self, row: usize) -> Option<(usize, u32)> {
        match *self.entries.get(row)? {
            Entry::Base { file, line } => Some((file as usize, line)),
            _ => None,
        }
    }

    /// The number on the new side of a base line that no hunk quotes.
    pub(super) fn new_number(&self, file: u32, line: u32) -> u32 {
        let hunks = self.patch.files.get(file as usize);
        let hunks = hunks.map_or(&[][..], |file| &file.hunks);
        let before = hunks.partition_point(|hunk| old_lines(hunk).1 <= line);
        let Some(hunk) = before.checked_sub(1).and_then(|place| hunks.get(place)) else {
            return line;
        };
        let start = match hunk.new_count {
            0 => hunk.new_start.saturating_add(1),
            _ => hunk.new_start.max(1),
        };
        let end = start.saturating_add(hunk.new_count);
        end.saturating_add(line - old_lines(hunk).1)
    }

    /// The row between hunks that shows a base line or folds it, among the rows from `from` on.
    fn row_between(&self, from: usize, line: u32) -> Option<usize> {
        let rows = self.entries.get(from..)?.iter();
        let mut rows = rows.take_while(|entry| !matches!(entry, Entry::File(_)));
        let at = rows.position(|entry| match *entry {
            Entry::Base { line: shown, .. } => shown == line,
            Entry::Gap { from, to, .. } => (from..=to).contains(&line),
            _ => false,
        })?;
        Some(from + at)
    }

    /// The hunk that a row belongs to: its file, its place in the file.
    #[must_use]
    pub fn hunk_at(&self, row: usize) -> Option<(usize, usize)> {
        let place = match *self.entries.get(row)? {
            Entry::Hunk(hunk)
            | Entry::Line { hunk, .. }
            | Entry::Pair { hunk, .. }
            | Entry::Hidden { hunk, .. } => hunk,
            _ => return None,
        };
        self.hunks.get(place as usize).copied()
    }

    /// The lines of the patch that a row shows, as file, hunk and line.
    #[must_use]
    pub fn sources(&self, row: usize) -> [Option<(usize, usize, usize)>; 2] {
        let of = |place: u32, line: u32| {
            let &(file, hunk) = self.hunks.get(place as usize)?;
            self.hunk_line(place, line)?;
            Some((file, hunk, line as usize))
        };
        match self.entries.get(row) {
            Some(&Entry::Line { hunk, line }) => [of(hunk, line), None],
            Some(&Entry::Pair { hunk, old, new }) => [of(hunk, old), of(hunk, new)],
            _ => [None, None],
        }
    }

    /// The line that a row shows by its hunk's place in `hunks` and its own, the new one first.
    fn line_of(&self, row: usize) -> Option<(u32, u32)> {
        match *self.entries.get(row)? {
            Entry::Line { hunk, line } => Some((hunk, line)),
            Entry::Pair { hunk, old, new } => {
                let line = if new == NONE { old } else { new };
                (line != NONE).then_some((hunk, line))
            }
            _ => None,
        }
    }

    /// The row that shows a line of a file of the patch, when it is shown.
    #[must_use]
    pub fn row_of(&self, file: usize, hunk: usize, line: usize) -> Option<usize> {
        let place = self.hunks.binary_search(&(file, hunk)).ok()?;
        let start = *self.hunk_starts.get(place)?;
        if let Some(Entry::Hidden { .. }) = self.entries.get(start) {
            return Some(start);
        }
        let first = start + 1;
        let rows = self.entries.get(first..)?;
        let wanted = u32::try_from(line).ok()?;
        if !self.quiet && matches!(rows.first(), Some(Entry::Line { .. })) {
            return (line < self.hunk(place)?.lines.len()).then_some(first + line);
        }
        let here = |entry: &&Entry| match entry {
            Entry::Pair { hunk, .. } | Entry::Line { hunk, .. } => *hunk as usize == place,
            _ => false,
        };
        let at = rows
            .iter()
            .take_while(here)
            .position(|entry| match *entry {
                Entry::Pair { old, new, .. } => old == wanted || new == wanted,
                Entry::Line { line, .. } => line == wanted,
                _ => false,
            })?;
        Some(first + at)
    }

    /// The row of a line (0-based) of a file's text that is no hunk.
    #[must_use]
    pub fn row_of_raw(&self, file: usize, line: usize) -> Option<usize> {
        let from = self.file_from.get(file).copied().unwrap_or(0);
        let rows = self.entries.iter().enumerate().skip(from);
        let mut raws = rows.filter(|(_, entry)| matches!(entry, Entry::Raw(_)));
        raws.nth(line).map(|(row, _)| row)
    }

    /// The 0-based line of the file's text that is no hunk which a row shows.
    #[must_use]
    pub fn raw_at(&self, row: usize) -> Option<usize> {
        let is_raw = |entry: &Entry| matches!(entry, Entry::Raw(_));
        self.entries.get(row).filter(|entry| is_raw(entry))?;
        let file = self.file_at(row).unwrap_or(0);
        let from = self.file_from.get(file).copied().unwrap_or(0);
        let before = self.entries.get(from..row)?;
        Some(before.iter().filter(|entry| is_raw(entry)).count())
    }

    fn hunk(&self, place: usize) -> Option<&Hunk> {
        let &(file, hunk) = self.hunks.get(place)?;
        self.patch.files.get(file)?.hunks.get(hunk)
    }

    /// The place of the base that a row shows.
    #[must_use]
    pub fn anchor(&self, row: usize) -> Option<Anchor<'_>> {
        let file = self.file_at(row)?;
        let patch = self.patch.files.get(file)?;
        let path = patch.old_path.as_deref().unwrap_or_else(|| patch.path());
        let of = |line, after, header| {
            Some(Anchor {
                path,
                line,
                after,
                header,
            })
        };
        match *self.entries.get(row)? {
            Entry::Hunk(hunk) | Entry::Hidden { hunk, .. } => {
                of(self.hunk(hunk as usize)?.old_start, 0, true)
            }
            Entry::Base { line, .. } | Entry::Gap { from: line, .. } => of(line, 0, false),
            Entry::Line { hunk, .. } | Entry::Pair { hunk, .. } => {
                let hunk = self.hunk(hunk as usize)?;
                let (_, line) = self.line_of(row)?;
                if hunk.old_count == 0 {
                    // Nothing of the base is quoted.
                    return of(hunk.old_start, line + 1, false);
                }
                let before = hunk.lines.get(..=line as usize)?.iter().rev();
                let mut after = 0;
                for line in before {
                    if let Some(number) = line.old_no {
                        return of(number, after, false);
                    }
                    after += u32::from(line.kind == LineKind::Added);
                }
                of(hunk.old_start, after, false)
            }
            _ => of(0, 0, false),
        }
    }

    /// The row that shows a place of the base, or what comes next after it in that file; `None`
    /// when the patch does not touch the file.
    #[must_use]
    pub fn find_anchor(&self, anchor: Anchor<'_>) -> Option<usize> {
        let files = &self.patch.files;
        let file = files.iter().position(|file| {
            file.old_path.as_deref().or(file.new_path.as_deref()) == Some(anchor.path)
        })?;
        let start = self.file_starts.get(file).copied()?;
        if anchor.line == 0 && anchor.after == 0 {
            return Some(start);
        }
        let hunks = &files.get(file)?.hunks;
        let covers = |hunk: &Hunk| {
            let end = hunk.old_start.saturating_add(hunk.old_count.max(1));
            end > anchor.line
        };
        let place = hunks.iter().position(covers);
        let first = self.hunks.partition_point(|&(other, _)| other < file);
        let Some(place) = place else {
            // Behind the last hunk.
            let last = first + hunks.len().checked_sub(1)?;
            let last = self.hunk_starts.get(last).copied();
            let between = last.and_then(|from| self.row_between(from, anchor.line));
            return between.or(last).or(Some(start));
        };
        let header = self.hunk_starts.get(first + place).copied();
        let Some(header) = header.filter(|_| self.hunks.get(first + place) == Some(&(file, place)))
        else {
            // Its hunks are folded.
            return Some(start);
        };
        let hunk = hunks.get(place)?;
        if hunk.old_start > anchor.line && !anchor.header {
            let before = (first + place).checked_sub(1);
            let before = before.filter(|_| place > 0);
            let from = before.and_then(|place| self.hunk_starts.get(place).copied());
            let between = self.row_between(from.unwrap_or(start), anchor.line);
            return between.or(Some(header));
        }
        if hunk.old_start > anchor.line || anchor.header {
            return Some(header);
        }
        let reached = |line: &HunkLine| line.old_no.is_some_and(|no| no >= anchor.line);
        let base = hunk.lines.iter().position(reached);
        let from = base.map_or(0, |base| base + 1);
        // As many added lines behind it as there are.
        let added = hunk.lines.iter().skip(from);
        let added = added.take_while(|line| line.old_no.is_none());
        let within = added.take(anchor.after as usize).count();
        let line = (from + within).checked_sub(1);
        line.and_then(|line| self.row_of(file, place, line))
            .or(Some(header))
    }
}
