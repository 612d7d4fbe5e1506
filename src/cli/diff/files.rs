//! Which files of a diff are wanted.

use crate::diff::matches_glob;

/// Whether a path is wanted: no globs, or one that it matches.
#[must_use]
pub fn wanted(globs: &[String], path: &str) -> bool {
    globs.is_empty() || globs.iter().any(|glob| matches_glob(glob, path))
}
