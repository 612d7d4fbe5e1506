//! A row as it is drawn: made up when it is looked at, with borrowed text.

use std::ops::Range;

use crate::diff::WhitespaceChange;

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The patch says nothing of it.
    Untouched,
    /// On both sides.
    Context,
    /// On the new side only.
    Added,
    /// On the old side only.
    Removed,
}

/// A line of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code<'a> {
    /// What became of it.
    pub change: Change,
    /// 1-based number on the old side.
    pub old_no: Option<u32>,
    /// 1-based number on the new side.
    pub new_no: Option<u32>,
    /// Its text. Untrusted.
    pub text: &'a str,
    /// The changed words, as bytes of the text.
    pub words: Vec<Range<usize>>,
    /// How it changed when only its white space did.
    pub whitespace: WhitespaceChange,
    /// Where it stands in the patch: file, hunk, line; `None` when it is the base's.
    pub source: Option<(usize, usize, usize)>,
    /// The row that shows it, when the patch does not quote it.
    pub base: Option<usize>,
    /// What a sign in the gutter tells of it.
    pub mark: Option<Mark>,
    /// What is said beside it.
    pub note: Option<String>,
    /// Whether the file ends behind it without a newline, when no row of its own says so.
    pub no_newline: bool,
}

/// What is odd about a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Others quote the base otherwise here.
    Contradicts,
    /// A marker of a merge conflict that stayed in the file.
    Conflict,
    /// Only white space changed, and such changes are not shown as changes.
    Whitespace,
}

/// What a row shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row<'a> {
    /// Nothing.
    Blank,
    /// A file begins.
    File {
        /// The file, see [`super::Document::file_title`].
        file: usize,
    },
    /// Something to know about a file. Untrusted text.
    Fact(String),
    /// Something to know about the patch. Untrusted text.
    Warning(String),
    /// Lines are folded: how many, and why.
    Fold(String),
    /// Other columns have a line of their own here.
    Filler,
    /// A hunk begins. Untrusted text.
    Hunk(String),
    /// A line over the whole width.
    Code(Code<'a>),
    /// The old and the new side of a row; none where the other side has lines of its own.
    Split(Option<Code<'a>>, Option<Code<'a>>),
    /// The line before has no newline at its end; on which sides.
    NoNewline {
        /// On the old side.
        old: bool,
        /// On the new side.
        new: bool,
    },
    /// Text as it is recorded. Untrusted.
    Raw(&'a str),
}
