//! Saving a patch to a file that a person named.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Why a file was not saved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SaveError {
    /// There is a file of this name, and nobody said to replace it.
    #[error("the file exists already")]
    Exists,
    /// The name begins with `~/`, and the home folder is unknown.
    #[error("the home folder is not known, so ~ means nothing")]
    NoHome,
    /// A database of judgements, say, stands there: it is never replaced.
    #[error("{0} is a database")]
    Database(String),
    /// The operating system refused.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: String,
        /// What it said.
        reason: String,
    },
}

/// The path that a person typed: `~` is the home folder, all else stays.
///
/// # Errors
/// `~` is used and `home` is not known.
pub fn expand(typed: &str, home: Option<&Path>) -> Result<PathBuf, SaveError> {
    let typed = typed.trim();
    if typed != "~" && !typed.starts_with("~/") {
        return Ok(PathBuf::from(typed));
    }
    let home = home.ok_or(SaveError::NoHome)?;
    Ok(home.join(typed.trim_start_matches('~').trim_start_matches('/')))
}

/// Writes a text, byte for byte, to the file that was typed; a file that is there stays unless
/// `overwrite`. Returns its path.
///
/// # Errors
/// See [`SaveError`].
pub fn save(
    typed: &str,
    text: &str,
    overwrite: bool,
    home: Option<&Path>,
) -> Result<PathBuf, SaveError> {
    let path = expand(typed, home)?;
    if crate::store::is_database(&path) {
        return Err(SaveError::Database(path.display().to_string()));
    }
    let mut options = File::options();
    options.write(true);
    if overwrite {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let written = options.open(&path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    match written {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists && !overwrite => {
            Err(SaveError::Exists)
        }
        Err(error) => Err(SaveError::Io {
            path: path.display().to_string(),
            reason: error.to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_replaced_unless_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let home = Some(folder.path());
        let path = save("~/x.patch", "a\r\n\u{1b}", false, home).unwrap();
        assert_eq!(path, folder.path().join("x.patch"));
        assert_eq!(save("~/x.patch", "b", false, home), Err(SaveError::Exists));
        assert_eq!(std::fs::read(&path).unwrap(), b"a\r\n\x1b");
        save("~/x.patch", "b", true, home).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"b");
        assert_eq!(save("~/x.patch", "b", true, None), Err(SaveError::NoHome));
        std::fs::write(&path, "SQLite format 3\0").unwrap();
        let database = save("~/x.patch", "b", true, home).unwrap_err();
        assert!(database.to_string().ends_with("x.patch is a database"));
        let missing = save("~/no/x.patch", "b", false, home).unwrap_err();
        assert!(missing.to_string().contains("no/x.patch"), "{missing}");
    }
}
