//! The training step that a dump's path tells.
//!
//! What is *not* here: steps that a record tells itself, and the run (`found::Scope`).

use std::path::Path;

/// The step when the file's name is a number (`120.jsonl`).
pub(crate) fn of_name(path: &Path) -> Option<i64> {
    path.file_stem()?.to_str()?.parse().ok()
}

/// The step when the file's folder is named by a number (`120/task.jsonl`).
pub(crate) fn of_folder(path: &Path) -> Option<i64> {
    path.parent()?.file_name()?.to_str()?.parse().ok()
}

/// The number behind `word` in the path's last part that has one (`step_120`, `global_step_120_evals`).
pub(crate) fn behind(path: &Path, word: &str) -> Option<i64> {
    path.iter().rev().find_map(|part| {
        let (_, rest) = part.to_str()?.split_once(word)?;
        let end = rest.find(|c: char| !c.is_ascii_digit());
        rest[..end.unwrap_or(rest.len())].parse().ok()
    })
}

/// An id within a step.
pub(crate) fn at_step(id: &str, step: Option<i64>) -> String {
    match step {
        Some(step) => format!("{id}@{step}"),
        None => id.to_owned(),
    }
}
