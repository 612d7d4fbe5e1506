//! What could not be read, where, and why.
//!
//! What is *not* here: what is told of a person's input that is wrong ([`crate::cli`]).

use std::path::{Path, PathBuf};

pub(super) const CHANGED: &str =
    "the file changed since it was loaded; start again to judge what is there now";

/// Something that could not be read, where, and why; the rest was loaded.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Problem {
    /// The file (or folder).
    pub path: PathBuf,
    /// 1-based line, for line formats.
    pub line: Option<u64>,
    /// Key of the record (`instance_id`, `group_id/trajectory_id`) or field, when known.
    pub record: Option<String>,
    /// The reason, one sentence.
    pub reason: String,
}

impl Problem {
    /// A problem of a whole file.
    pub(super) fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self {
            path: path.to_path_buf(),
            line: None,
            record: None,
            reason: reason.into(),
        }
    }

    /// Whether a file changed since it was read: what stands in it now has to be read first.
    #[must_use]
    pub fn is_changed_file(&self) -> bool {
        self.reason == CHANGED
    }

    /// A file that cannot be read.
    pub(super) fn of_file(path: &Path, error: &std::io::Error) -> Self {
        Self::new(path, format!("cannot be read: {error}"))
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(record) = &self.record {
            write!(f, ": {record}")?;
        }
        write!(f, ": {}", self.reason)
    }
}
