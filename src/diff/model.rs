//! What a patch is made of: files, hunks and lines, as plain data.
//!
//! Not here: how text becomes these (`parse`), what is asked of a whole patch (`patch`).

use std::fmt;
use std::ops::Range;

use super::repair::Repair;

/// What a hunk's line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineKind {
    /// On both sides.
    Context,
    /// On the new side only.
    Added,
    /// On the old side only.
    Removed,
    /// `\ No newline at end of file`, about the line before.
    NoNewline,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkLine {
    /// What it is.
    pub kind: LineKind,
    /// 1-based line number on the old side, when it is there.
    pub old_no: Option<u32>,
    /// 1-based line number on the new side, when it is there.
    pub new_no: Option<u32>,
    /// Bytes of the patch's text, without sign and newline (a trailing CR is kept).
    pub range: Range<usize>,
}

/// Lines of one side of a hunk, as `@@` writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineSpan {
    /// First line, 1-based; 0 when there is none.
    pub start: u32,
    /// Number of lines.
    pub count: u32,
}

impl fmt::Display for LineSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.start, self.count)
    }
}

/// What a hunk of a combined diff (`diff --cc`, `--combined`) has on top: several old sides.
///
/// The hunk's own old side is the first parent. A line's kind tells whether it is in the result
/// (`Removed` is not; `Added` differs from at least one parent); its old number is its place in the
/// first parent, also for an `Added` line that only other parents lack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Combined {
    /// The old side of each parent, as counted.
    pub parents: Vec<LineSpan>,
    /// Line numbers, 1-based, 0 for not there: parents of the first line, of the second line …
    pub(super) numbers: Vec<u32>,
}

impl Combined {
    /// The 1-based number of a line (index in the hunk) in a parent; `None` when it is not there.
    #[must_use]
    pub fn old_no(&self, line: usize, parent: usize) -> Option<u32> {
        let place = line.checked_mul(self.parents.len())?.checked_add(parent)?;
        let known = parent < self.parents.len();
        let number = self.numbers.get(place).copied().filter(|_| known)?;
        (number > 0).then_some(number)
    }
}

/// A hunk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hunk {
    /// First line on the old side, 1-based (0 for a new file).
    pub old_start: u32,
    /// Lines on the old side, as counted.
    pub old_count: u32,
    /// First line on the new side, 1-based (0 for a deleted file).
    pub new_start: u32,
    /// Lines on the new side, as counted.
    pub new_count: u32,
    /// Bytes of the text behind the second `@@`.
    pub section: Range<usize>,
    /// The lines.
    pub lines: Vec<HunkLine>,
    /// The parents, when this is a hunk of a combined diff.
    pub combined: Option<Box<Combined>>,
}

impl Hunk {
    /// The header as a person reads it, without the section: `@@ −1,2 +1,3 @@`, for a combined diff
    /// with every parent.
    #[must_use]
    pub fn header(&self) -> String {
        let new = LineSpan {
            start: self.new_start,
            count: self.new_count,
        };
        let old = LineSpan {
            start: self.old_start,
            count: self.old_count,
        };
        let parents = self.combined.as_deref().map(|combined| &combined.parents);
        let parents = parents.map_or(std::slice::from_ref(&old), Vec::as_slice);
        let marks = "@".repeat(parents.len() + 1);
        let old: String = parents.iter().map(|span| format!(" −{span}")).collect();
        format!("{marks}{old} +{new} {marks}")
    }
}

/// One direction of a `GIT binary patch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryData {
    /// The whole content.
    Literal {
        /// Bytes of the content.
        bytes: u64,
    },
    /// A delta against the other side.
    Delta {
        /// Bytes of the delta; the content's own size is not told.
        bytes: u64,
    },
}

impl fmt::Display for BinaryData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal { bytes: 1 } => write!(f, "1 byte"),
            Self::Literal { bytes } => write!(f, "{bytes} bytes"),
            Self::Delta { bytes } => write!(f, "a delta of {bytes} bytes"),
        }
    }
}

/// Sizes of a `GIT binary patch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BinarySizes {
    /// What makes the new content.
    pub new: BinaryData,
    /// What makes the old content again, when given.
    pub old: Option<BinaryData>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum FileStatus {
    /// Content changed.
    #[default]
    Modified,
    /// New file.
    Added,
    /// File removed.
    Deleted,
    /// Renamed, maybe edited.
    Renamed,
    /// Copied, maybe edited.
    Copied,
    /// Only the mode changed.
    ModeChanged,
    /// Became another kind of thing: a file a symbolic link, a folder's submodule a file …
    TypeChanged,
}

impl FileStatus {
    /// One letter, as git prints it.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Modified | Self::ModeChanged => 'M',
            Self::Added => 'A',
            Self::Deleted => 'D',
            Self::Renamed => 'R',
            Self::Copied => 'C',
            Self::TypeChanged => 'T',
        }
    }

    /// A word for what is not a plain change of text; no word is a single letter, which names
    /// candidates.
    #[must_use]
    pub fn mark(self, binary: bool) -> Option<&'static str> {
        match self {
            Self::Modified => binary.then_some("bin"),
            Self::ModeChanged => Some("mode"),
            Self::Added => Some("new"),
            Self::Deleted => Some("del"),
            Self::Renamed => Some("ren"),
            Self::Copied => Some("copy"),
            Self::TypeChanged => Some("type"),
        }
    }

    /// The mark and the lines added and removed, as a file matrix shows them: `new +3 −0`.
    #[must_use]
    pub fn words(self, binary: bool, (added, removed): (u32, u32)) -> String {
        let counts = format!("+{added} −{removed}");
        match (self.mark(binary), added.saturating_add(removed)) {
            (None, _) => counts,
            (Some("bin"), 0) => "bin".to_owned(),
            (Some(mark), 0) if binary => format!("{mark} bin"),
            (Some(mark), 0) => mark.to_owned(),
            (Some(mark), _) => format!("{mark} {counts}"),
        }
    }
}

/// One file of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilePatch {
    /// Path before, without `a/`; `None` for a new file.
    pub old_path: Option<String>,
    /// Path after, without `b/`; `None` for a deleted file.
    pub new_path: Option<String>,
    /// What happened.
    pub status: FileStatus,
    /// Mode before, when given (octal text).
    pub old_mode: Option<String>,
    /// Mode after, when given (octal text).
    pub new_mode: Option<String>,
    /// Whether the content is binary.
    pub binary: bool,
    /// Similarity in percent, for renames and copies.
    pub similarity: Option<u8>,
    /// Dissimilarity in percent, when git tells that the file was rewritten.
    pub dissimilarity: Option<u8>,
    /// Bytes of the new and of the old content of binary data, when the patch has it.
    pub binary_sizes: Option<BinarySizes>,
    /// Parents of a combined diff; 0 for an ordinary one.
    pub parents: usize,
    /// The hunks.
    pub hunks: Vec<Hunk>,
    /// What is worth knowing, one sentence each.
    pub notes: Vec<String>,
    /// What had to be mended to read it.
    pub repairs: Vec<Repair>,
    /// Bytes of text that belongs to the file but is no hunk that can be read.
    pub raw: Vec<Range<usize>>,
    /// Added lines.
    pub added: u32,
    /// Removed lines.
    pub removed: u32,
}

impl FilePatch {
    /// The path to show: the new one, `old → new` for renames and copies.
    #[must_use]
    pub fn display_path(&self) -> String {
        match (&self.old_path, &self.new_path) {
            (Some(old), Some(new)) if old != new => format!("{old} → {new}"),
            (_, Some(path)) | (Some(path), None) => path.clone(),
            (None, None) => "(no file name)".to_owned(),
        }
    }

    /// The path on the new side, or the old one when there is none.
    #[must_use]
    pub fn path(&self) -> &str {
        self.new_path
            .as_deref()
            .or(self.old_path.as_deref())
            .unwrap_or("")
    }
}
