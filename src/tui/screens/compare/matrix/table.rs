//! Which candidate touches which file, and how: built once per opened group.
//!
//! Pure: what of it is seen, and how it looks, is `view.rs`.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::diff::{FilePatch, FileStatus, Hunk, Patch};
use crate::domain::TrajectoryIndex;
use crate::tui::text;

/// What one patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// 0-based file of the patch.
    pub file: usize,
    /// What happened.
    pub status: FileStatus,
    /// Whether the content is binary.
    pub binary: bool,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// The first candidate of the group that does the very same to the file, when that is another
    /// one.
    pub same_as: Option<TrajectoryIndex>,
}

impl Cell {
    /// A word for what is not a plain change of text.
    #[must_use]
    pub fn mark(&self) -> Option<&'static str> {
        self.status.mark(self.binary)
    }

    /// The cell as text, without what it is the same as.
    #[must_use]
    pub fn words(&self) -> String {
        self.status.words(self.binary, (self.added, self.removed))
    }
}

/// A file that at least one patch of the group touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Path on the base, or the new one of an added file. Untrusted text.
    pub path: String,
    /// A cell per candidate, in group order; `None` = untouched.
    pub cells: Vec<Option<Cell>>,
    /// What the reference patch does.
    pub reference: Option<Cell>,
}

/// The files of a group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// In the order in which they are first touched, candidates in group order; those that only the
    /// reference touches come last.
    pub rows: Vec<Row>,
    /// Columns of the longest path.
    pub longest: usize,
    /// Columns of the widest cell.
    pub widest: usize,
}

impl Table {
    /// The files that these patches touch.
    #[must_use]
    pub fn of(patches: &[Arc<Patch>], reference: Option<&Patch>) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut classes: HashMap<(usize, u64), Vec<(TrajectoryIndex, usize)>> = HashMap::new();
        let mut row_of = |rows: &mut Vec<Row>, path| {
            *places.entry(path).or_insert_with(|| {
                rows.push(Row {
                    path: str::to_owned(path),
                    cells: vec![None; patches.len()],
                    reference: None,
                });
                rows.len() - 1
            })
        };
        for (index, patch) in patches.iter().enumerate() {
            for (file, found) in patch.files.iter().enumerate() {
                let row = row_of(&mut rows, base_path(found));
                let class = classes.entry((row, fingerprint(patch, found))).or_default();
                let same_as = class.iter().find(|&&(other, file)| {
                    patches.get(other).is_some_and(|other| {
                        let files = &other.files;
                        files
                            .get(file)
                            .is_some_and(|file| same(other, file, patch, found))
                    })
                });
                let same_as = same_as
                    .map(|&(other, _)| other)
                    .filter(|&other| other != index);
                if same_as.is_none() {
                    class.push((index, file));
                }
                let cell = &mut rows[row].cells[index];
                // A patch that names a file twice shows its first part, with the lines of both.
                match cell {
                    Some(cell) => {
                        cell.added = cell.added.saturating_add(found.added);
                        cell.removed = cell.removed.saturating_add(found.removed);
                        cell.same_as = None;
                    }
                    None => *cell = Some(cell_of(file, found, same_as)),
                }
            }
        }
        for (file, found) in reference
            .iter()
            .flat_map(|patch| patch.files.iter().enumerate())
        {
            let row = row_of(&mut rows, base_path(found));
            rows[row]
                .reference
                .get_or_insert_with(|| cell_of(file, found, None));
        }
        let longest = rows.iter().map(|row| text::width(&row.path)).max();
        let cells = rows
            .iter()
            .flat_map(|row| row.cells.iter().chain([&row.reference]));
        let widest = cells.flatten().map(|cell| {
            let same = cell
                .same_as
                .map_or(0, |other| super::same_word(other).chars().count());
            cell.words().chars().count() + same
        });
        Self {
            longest: longest.unwrap_or(0),
            widest: widest.max().unwrap_or(1),
            rows,
        }
    }
}

impl Row {
    /// How many of these candidates touch the file.
    #[must_use]
    pub fn touched_by(&self, mut candidates: impl Iterator<Item = TrajectoryIndex>) -> usize {
        let mut count = 0;
        for index in &mut candidates {
            count += usize::from(self.cells.get(index).is_some_and(Option::is_some));
        }
        count
    }

    /// The only candidate that touches the file, if it is one.
    #[must_use]
    pub fn only(&self) -> Option<TrajectoryIndex> {
        let mut touching = self
            .cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell.is_some());
        let first = touching.next().map(|(index, _)| index);
        first.filter(|_| touching.next().is_none())
    }
}

/// The path that all candidates know a file by.
fn base_path(file: &FilePatch) -> &str {
    let old = file.old_path.as_deref();
    // A copy leaves its source as it is.
    let old = old.filter(|_| file.status != FileStatus::Copied);
    old.unwrap_or_else(|| file.path())
}

fn cell_of(file: usize, found: &FilePatch, same_as: Option<TrajectoryIndex>) -> Cell {
    Cell {
        file,
        status: found.status,
        binary: found.binary,
        added: found.added,
        removed: found.removed,
        same_as,
    }
}

/// Equal for files that [`same`] calls the same.
fn fingerprint(patch: &Patch, file: &FilePatch) -> u64 {
    let mut hasher = DefaultHasher::new();
    file.new_path.hash(&mut hasher);
    for line in file.hunks.iter().flat_map(|hunk| &hunk.lines) {
        line.old_no.hash(&mut hasher);
        patch.line_text(line).hash(&mut hasher);
    }
    hasher.finish()
}

/// Whether two patches do the same to a file: status, modes, and every line of every hunk. Binary
/// content is compared as text of the patch, which may hold none of it: then nothing is claimed.
fn same(a: &Patch, one: &FilePatch, b: &Patch, two: &FilePatch) -> bool {
    let heads = (
        &one.old_path,
        &one.new_path,
        one.status,
        &one.old_mode,
        &one.new_mode,
    ) == (
        &two.old_path,
        &two.new_path,
        two.status,
        &two.old_mode,
        &two.new_mode,
    );
    let raw = |patch: &Patch, file: &FilePatch| -> Vec<Option<String>> {
        let ranges = file.raw.iter().cloned();
        ranges
            .map(|range| patch.text.get(range).map(str::to_owned))
            .collect()
    };
    let same_hunk = |x: &Hunk, y: &Hunk| {
        x.old_start == y.old_start
            && x.lines.len() == y.lines.len()
            && x.lines.iter().zip(&y.lines).all(|(x, y)| {
                x.kind == y.kind && x.old_no == y.old_no && a.line_text(x) == b.line_text(y)
            })
    };
    heads
        && !(one.binary || two.binary)
        && one.hunks.len() == two.hunks.len()
        && one
            .hunks
            .iter()
            .zip(&two.hunks)
            .all(|(x, y)| same_hunk(x, y))
        && raw(a, one) == raw(b, two)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(text: &str) -> Arc<Patch> {
        Arc::new(Patch::read(Arc::from(text)))
    }

    const ONE: &str = "--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,1 @@\n-a\n+b\n";

    #[test]
    fn files_come_in_the_order_of_their_first_touch() {
        let two = "--- a/y.py\n+++ b/y.py\n@@ -1,1 +1,2 @@\n a\n+b\n";
        let patches = [patch(ONE), patch(&format!("{two}{ONE}")), patch("")];
        let table = Table::of(&patches, Some(&patch(two)));
        let paths: Vec<_> = table.rows.iter().map(|row| row.path.as_str()).collect();
        assert_eq!(paths, ["x.py", "y.py"]);
        let words: Vec<_> = table.rows[0]
            .cells
            .iter()
            .flatten()
            .map(Cell::words)
            .collect();
        assert_eq!(words, ["+1 −1", "+1 −1"]);
        assert_eq!(table.rows[0].cells[1].as_ref().unwrap().same_as, Some(0));
        assert_eq!(table.rows[1].only(), Some(1));
        assert_eq!(table.rows[1].touched_by([0, 2].into_iter()), 0);
        assert!(table.rows[1].reference.is_some());
    }

    #[test]
    fn the_same_change_is_one_of_equal_lines_at_equal_places() {
        let moved = ONE.replace("-1,1 +1,1", "-7,1 +7,1");
        let longer = ONE.replace("+b\n", "+b\n+c\n").replace("+1,1", "+1,2");
        let patches = [patch(ONE), patch(&moved), patch(&longer), patch(ONE)];
        let table = Table::of(&patches, None);
        let same = table.rows[0].cells.iter().flatten();
        let same: Vec<_> = same.map(|cell| cell.same_as).collect();
        assert_eq!(same, [None, None, None, Some(0)]);
    }

    #[test]
    fn what_is_no_plain_change_has_a_mark() {
        let text = "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\n\
            rename to new.py\ndiff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n\
            diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n\
            diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n\
            @@ -0,0 +1,1 @@\n+x\n";
        let table = Table::of(&[patch(text), patch(text)], None);
        let cells: Vec<_> = table
            .rows
            .iter()
            .map(|row| row.cells[0].clone().unwrap())
            .collect();
        let words: Vec<_> = cells.iter().map(Cell::words).collect();
        assert_eq!(words, ["ren", "mode", "bin", "new +1 −0"]);
        assert_eq!(table.rows[0].path, "old.py");
        // Whether two binary changes are the same cannot be told.
        assert_eq!(table.rows[2].cells[1].as_ref().unwrap().same_as, None);
        assert_eq!(table.rows[3].cells[1].as_ref().unwrap().same_as, Some(0));
    }
}
