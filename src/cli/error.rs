//! Why a command could not do its work, with hints, and the exit codes.

use std::fmt;
use std::io;

use super::output::visible;
use crate::store::StoreError;

/// What kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command line asks for something that does not exist or does not fit (exit code 2).
    Usage,
    /// The command could not be carried out (exit code 3).
    Failed,
    /// The reader of the output went away: not an error of ours (exit code 0).
    BrokenPipe,
}

/// Why a command failed. The text may hold ids from rollouts: it is printed with control
/// characters made visible.
#[derive(Debug)]
pub struct CliError {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// The cause.
    pub source: Box<dyn std::error::Error + Send + Sync>,
    /// What to try, one sentence each.
    pub hints: Vec<String>,
}

impl CliError {
    /// A wrong command line (exit code 2).
    pub fn usage(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(ErrorKind::Usage, source)
    }

    /// A command that could not be carried out (exit code 3).
    pub fn failed(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(ErrorKind::Failed, source)
    }

    fn new(kind: ErrorKind, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            kind,
            source: source.into(),
            hints: Vec::new(),
        }
    }

    /// The same error with a further hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The exit code.
    #[must_use]
    pub fn code(&self) -> u8 {
        match self.kind {
            ErrorKind::Usage => 2,
            ErrorKind::Failed => 3,
            ErrorKind::BrokenPipe => 0,
        }
    }

    /// Whether only the reader of the output went away.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        self.kind == ErrorKind::BrokenPipe
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.source.to_string();
        let mut lines = text.lines();
        writeln!(f, "gagar: {}", visible(lines.next().unwrap_or_default()))?;
        for line in lines {
            writeln!(f, "  {}", visible(line.trim_start()))?;
        }
        for hint in &self.hints {
            writeln!(f, "  hint: {}", visible(hint))?;
        }
        Ok(())
    }
}

impl std::error::Error for CliError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.source.as_ref())
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::new(ErrorKind::BrokenPipe, error)
        } else {
            Self::failed(error)
        }
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        if error.io_error_kind() == Some(io::ErrorKind::BrokenPipe) {
            Self::new(ErrorKind::BrokenPipe, error)
        } else {
            Self::failed(error)
        }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let advice = advice(&error);
        let failed = Self::failed(error);
        match advice {
            Some(advice) => failed.hint(advice),
            None => failed,
        }
    }
}

/// What to do about a database that cannot be used.
#[must_use]
pub fn advice(error: &StoreError) -> Option<String> {
    match error {
        StoreError::Newer { .. } => Some("update gagar: this one cannot tell what it holds".into()),
        StoreError::Foreign { .. } => {
            Some("it is no database of gagar: another file was meant, or restore a backup".into())
        }
        StoreError::Tampered { path, .. } => Some(format!(
            "`gagar merge --skip-damaged {path} -o NEW.db` takes the events of that store before \
             it; a `gagar backup` may have the rest"
        )),
        StoreError::Damaged { path, .. } => Some(format!(
            "take the newest `gagar backup`, and keep {path} as it is: `gagar merge` cannot read it, \
             a tool that salvages SQLite files may"
        )),
        StoreError::Unusable { .. }
        | StoreError::Broken(..)
        | StoreError::OtherGroup { .. }
        | StoreError::Conflict(_) => None,
    }
}
