//! Places of a patch and of its base, as rows are asked for them.

use crate::diff::{Hunk, HunkLine, Patch};

/// A side of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Before.
    Old,
    /// After.
    New,
}

/// The line that a row shows; of two sides the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// The file, 0-based place in the patch.
    pub file: usize,
    /// The hunk, 0-based place in the file.
    pub hunk: usize,
    /// The line, 0-based place in the hunk.
    pub line: usize,
    /// Its path. Untrusted text.
    pub path: &'a str,
    /// 1-based number on the old side.
    pub old_no: Option<u32>,
    /// 1-based number on the new side.
    pub new_no: Option<u32>,
    /// Its text, without sign and newline. Untrusted.
    pub text: &'a str,
}

/// A place of the base, to find the same one in another patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor<'a> {
    /// Path in the base. Untrusted text.
    pub path: &'a str,
    /// 1-based line; 0 for the top of the file.
    pub line: u32,
    /// Added lines behind it up to here.
    pub after: u32,
    /// Whether this is the header of the hunk that begins with the line.
    pub header: bool,
}

/// The first of the lines numbered `first` to `last` on one side of a file, as file, hunk and line of
/// the patch; `None` when it quotes none of them.
#[must_use]
pub fn find_line(
    patch: &Patch,
    path: &str,
    side: Side,
    (first, last): (u32, u32),
) -> Option<(usize, usize, usize)> {
    let file = patch.files.iter().position(|file| {
        let there = match side {
            Side::Old => file.old_path.as_deref(),
            Side::New => file.new_path.as_deref(),
        };
        there == Some(path) || file.path() == path
    })?;
    let hunks = &patch.files.get(file)?.hunks;
    let number = |line: &HunkLine| match side {
        Side::Old => line.old_no,
        Side::New => line.new_no,
    };
    let ends_before = |hunk: &Hunk| {
        let end = match side {
            Side::Old => hunk.old_start.saturating_add(hunk.old_count),
            Side::New => hunk.new_start.saturating_add(hunk.new_count),
        };
        end <= first
    };
    let hunk = hunks.partition_point(ends_before);
    let within = |line: &HunkLine| number(line).is_some_and(|no| (first..=last).contains(&no));
    let line = hunks.get(hunk)?.lines.iter().position(within)?;
    Some((file, hunk, line))
}
