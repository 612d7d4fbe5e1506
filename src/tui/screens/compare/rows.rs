//! A patch as the rows of a column: headers, notes and lines, with what jumps and scrolling need.
//!
//! Built once per patch that is looked at; a frame looks only at the rows it shows.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::diff::{DiffRow, HunkLine, Patch, emphasis};
use crate::tui::long_text;
use crate::tui::text;

/// The rows of one patch.
#[derive(Debug)]
pub struct Rows {
    patch: Arc<Patch>,
    rows: Vec<DiffRow>,
    /// Row that shows the beginning of each file.
    file_starts: Vec<usize>,
    /// Row from which on each file is the current one.
    file_from: Vec<usize>,
    /// Header row of every hunk.
    hunk_starts: Vec<usize>,
    /// (file, hunk) of every entry of `hunk_starts`.
    hunks: Vec<(usize, usize)>,
    /// Which removed and added lines belong together, per hunk, found when first shown.
    pairs: Vec<OnceLock<Vec<Option<usize>>>>,
    digits: usize,
}

/// Whether a patch touches a file.
#[must_use]
pub fn touches(patch: &Patch, path: &str) -> bool {
    patch.files.iter().any(|file| {
        file.new_path.as_deref() == Some(path) || file.old_path.as_deref() == Some(path)
    })
}

impl Rows {
    /// The rows of a patch.
    #[must_use]
    pub fn of(patch: Arc<Patch>) -> Self {
        let mut rows = patch.rows();
        // The line above the text names the first file already.
        if let Some(first) = rows
            .iter()
            .position(|row| matches!(row, DiffRow::FileHeader { .. }))
        {
            rows.remove(first);
        }
        let mut built = Self {
            rows: Vec::new(),
            file_starts: Vec::new(),
            file_from: Vec::new(),
            hunk_starts: Vec::new(),
            hunks: Vec::new(),
            pairs: Vec::new(),
            digits: digits(&patch),
            patch,
        };
        if !built.patch.files.is_empty() {
            built.file_starts.push(0);
            built.file_from.push(0);
        }
        for (at, row) in rows.iter().enumerate() {
            match *row {
                DiffRow::FileHeader { .. } => {
                    // The header stands above the text, so a jump shows what follows it.
                    let next = rows.get(at + 1);
                    let bare = next.is_none_or(|next| *next == DiffRow::Blank);
                    built.file_from.push(at);
                    built.file_starts.push(if bare { at } else { at + 1 });
                }
                DiffRow::HunkHeader { file, hunk } => {
                    built.hunk_starts.push(at);
                    built.hunks.push((file, hunk));
                }
                _ => {}
            }
        }
        built.pairs.resize_with(built.hunks.len(), OnceLock::new);
        built.rows = rows;
        built
    }

    /// The patch.
    #[must_use]
    pub fn patch(&self) -> &Patch {
        &self.patch
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A row.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<&DiffRow> {
        self.rows.get(row)
    }

    /// The row at which each file begins.
    #[must_use]
    pub fn file_starts(&self) -> &[usize] {
        &self.file_starts
    }

    /// The header row of each hunk.
    #[must_use]
    pub fn hunk_starts(&self) -> &[usize] {
        &self.hunk_starts
    }

    /// The file that a row belongs to.
    #[must_use]
    pub fn file_at(&self, row: usize) -> Option<usize> {
        self.file_from
            .partition_point(|&from| from <= row)
            .checked_sub(1)
    }

    /// The files that have a row in a range.
    #[must_use]
    pub fn files_between(&self, first: usize, end: usize) -> Range<usize> {
        match (
            self.file_at(first),
            self.file_at(end.saturating_sub(1).max(first)),
        ) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        }
    }

    /// Path of a file, as shown. Untrusted text.
    #[must_use]
    pub fn file_path(&self, file: usize) -> &str {
        self.patch.files.get(file).map_or("", |file| file.path())
    }

    /// Status letter and path of a file (both paths of a rename). Untrusted text.
    #[must_use]
    pub fn file_title(&self, file: usize) -> String {
        self.patch.files.get(file).map_or_else(String::new, |file| {
            format!("{} {}", file.status.letter(), file.display_path())
        })
    }

    /// Lines added and removed in a file, as shown.
    #[must_use]
    pub fn file_counts(&self, file: usize) -> String {
        self.patch.files.get(file).map_or_else(String::new, |file| {
            format!("+{} −{}", file.added, file.removed)
        })
    }

    /// Columns of a line number in a column of this width; narrow columns cut large numbers.
    #[must_use]
    pub fn digits(&self, column: u16) -> usize {
        self.digits
            .min(usize::from(column.saturating_sub(12) / 2))
            .max(1)
    }

    /// Columns left of a line's text: two numbers, the sign, gaps. The same for every row.
    #[must_use]
    pub fn gutter(&self, column: u16) -> usize {
        2 * self.digits(column) + 4
    }

    /// Columns for a line's text in a column of this width: without gutter and scroll bar.
    #[must_use]
    pub fn text_width(&self, column: u16) -> usize {
        let text = column.saturating_sub(1);
        usize::from(text).saturating_sub(self.gutter(text)).max(1)
    }

    /// Display lines of a row when its text has `width` columns.
    #[must_use]
    pub fn height(&self, row: usize, width: usize, wrap: bool) -> usize {
        if !wrap {
            return 1;
        }
        match self.rows.get(row) {
            Some(row @ (DiffRow::Line { .. } | DiffRow::Raw(_))) => {
                let text = self.text(row);
                if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
                    text.len().div_ceil(width).max(1)
                } else {
                    text::wrap(text, width).len()
                }
            }
            _ => 1,
        }
    }

    /// The line of a hunk.
    #[must_use]
    pub fn line(&self, file: usize, hunk: usize, line: usize) -> Option<&HunkLine> {
        self.patch.files.get(file)?.hunks.get(hunk)?.lines.get(line)
    }

    /// The text of a row that comes from the patch itself; empty for headers and notes. Untrusted.
    #[must_use]
    pub fn text(&self, row: &DiffRow) -> &str {
        match row {
            DiffRow::Line { file, hunk, line } => self
                .line(*file, *hunk, *line)
                .map_or("", |line| self.patch.line_text(line)),
            DiffRow::Raw(range) => self.patch.text.get(range.clone()).unwrap_or(""),
            _ => "",
        }
    }

    /// The changed words of a line that is paired with another one; empty for the others.
    #[must_use]
    pub fn changed_words(&self, file: usize, hunk: usize, line: usize) -> Vec<Range<usize>> {
        let Ok(place) = self.hunks.binary_search(&(file, hunk)) else {
            return Vec::new();
        };
        let pairs = self.pairs[place].get_or_init(|| self.patch.pairs(file, hunk));
        let Some(other) = pairs.get(line).copied().flatten() else {
            return Vec::new();
        };
        let (Some(this), Some(other)) = (self.line(file, hunk, line), self.line(file, hunk, other))
        else {
            return Vec::new();
        };
        let (text, other_text) = (self.patch.line_text(this), self.patch.line_text(other));
        if this.new_no.is_none() {
            emphasis(text, other_text).0
        } else {
            emphasis(other_text, text).1
        }
    }

    /// The place of the base that a row shows: path and 1-based line, 0 for the top of the file.
    #[must_use]
    pub fn anchor(&self, row: usize) -> Option<(&str, u32)> {
        let file = self.file_at(row)?;
        let patch = self.patch.files.get(file)?;
        let path = patch.old_path.as_deref().unwrap_or_else(|| patch.path());
        let line = match self.rows.get(row)? {
            DiffRow::HunkHeader { hunk, .. } => patch.hunks.get(*hunk)?.old_start,
            DiffRow::Line { hunk, line, .. } => {
                let hunk = patch.hunks.get(*hunk)?;
                let before = hunk
                    .lines
                    .get(..=*line)?
                    .iter()
                    .rev()
                    .find_map(|line| line.old_no);
                before.unwrap_or(hunk.old_start)
            }
            _ => 0,
        };
        Some((path, line))
    }

    /// The row that shows a place of the base, or what comes next after it in that file; `None`
    /// when the patch does not touch the file.
    #[must_use]
    pub fn find_anchor(&self, path: &str, line: u32) -> Option<usize> {
        let file =
            self.patch.files.iter().position(|file| {
                file.old_path.as_deref().or(file.new_path.as_deref()) == Some(path)
            })?;
        let start = self.file_starts.get(file).copied()?;
        if line == 0 {
            return Some(start);
        }
        let first = self.hunks.partition_point(|&(other, _)| other < file);
        let mut nearest = start;
        for (place, &(_, hunk)) in self
            .hunks
            .iter()
            .enumerate()
            .skip(first)
            .take_while(|(_, (other, _))| *other == file)
        {
            let header = self.hunk_starts[place];
            nearest = header;
            let hunk = self.patch.files[file].hunks.get(hunk)?;
            if hunk.old_start >= line {
                return Some(header);
            }
            if hunk.old_start.saturating_add(hunk.old_count) > line
                && let Some(at) = hunk
                    .lines
                    .iter()
                    .position(|found| found.old_no.is_some_and(|no| no >= line))
            {
                return Some(header + 1 + at);
            }
        }
        Some(nearest)
    }

    /// The rows that hold what is searched for.
    #[must_use]
    pub fn hits(&self, wanted: &str) -> Vec<usize> {
        let holds = |row: &DiffRow| match row {
            DiffRow::FileHeader { file } => {
                !long_text::find(self.file_path(*file), wanted).is_empty()
            }
            DiffRow::HunkHeader { file, hunk } => self.patch.files[*file]
                .hunks
                .get(*hunk)
                .and_then(|hunk| self.patch.text.get(hunk.section.clone()))
                .is_some_and(|section| !long_text::find(section, wanted).is_empty()),
            row => !long_text::find(self.text(row), wanted).is_empty(),
        };
        (0..self.rows.len())
            .filter(|&row| holds(&self.rows[row]))
            .collect()
    }
}

/// Digits of the largest line number, at least 3.
fn digits(patch: &Patch) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "\
--- a/one.py
+++ b/one.py
@@ -1,3 +1,3 @@ def f
 a
-let b = 1
+let b = 2
 c
@@ -100,2 +100,3 @@
 x
+new
 y
--- a/two.py
+++ b/two.py
@@ -7,1 +7,1 @@
-old
+new
";

    fn rows() -> Rows {
        Rows::of(Arc::new(Patch::read(Arc::from(PATCH))))
    }

    #[test]
    fn files_and_hunks_have_their_rows() {
        let rows = rows();
        assert_eq!(rows.hunk_starts(), [0, 5, 11]);
        assert_eq!(rows.file_starts(), [0, 11]);
        assert_eq!(rows.file_at(9), Some(0));
        assert_eq!(rows.file_at(10), Some(1));
        assert_eq!(rows.files_between(8, 12), 0..2);
        assert_eq!((rows.digits(80), rows.digits(14)), (3, 1));
    }

    #[test]
    fn anchors_lead_to_the_same_place() {
        let rows = rows();
        assert_eq!(rows.anchor(0), Some(("one.py", 1)));
        assert_eq!(rows.anchor(7), Some(("one.py", 100)));
        assert_eq!(rows.anchor(11), Some(("two.py", 7)));
        assert_eq!(rows.find_anchor("one.py", 2), Some(2));
        assert_eq!(rows.find_anchor("one.py", 50), Some(5));
        assert_eq!(rows.find_anchor("one.py", 5000), Some(5));
        assert_eq!(rows.find_anchor("two.py", 0), Some(11));
        assert_eq!(rows.find_anchor("three.py", 1), None);
    }

    #[test]
    fn changed_words_are_those_of_the_paired_line() {
        let rows = rows();
        let word = 8..9;
        assert_eq!(rows.changed_words(0, 0, 1), vec![word.clone(); 1]);
        assert_eq!(rows.changed_words(0, 0, 2), vec![word; 1]);
        assert!(rows.changed_words(0, 0, 0).is_empty());
    }

    #[test]
    fn search_finds_lines_and_sections() {
        let rows = rows();
        assert_eq!(rows.hits("new").len(), 2);
        assert_eq!(rows.hits("def F").len(), 0);
        assert_eq!(rows.hits("def f"), [0]);
    }

    #[test]
    fn no_patch_has_no_rows() {
        let rows = Rows::of(Arc::new(Patch::missing()));
        assert!(rows.is_empty());
        assert_eq!(rows.file_at(0), None);
        assert_eq!(rows.files_between(0, 40), 0..0);
    }
}
