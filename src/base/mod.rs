//! The texts that the patches of a group apply to: from the group's record and from repositories.
//!
//! What is *not* here: what is made of them ([`crate::diff::Aligned`]), and the file that names the
//! repositories (`crate::cli`).

mod git;
mod repos;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diff::{BaseOrigin, Bases, Patch};
use crate::domain::{Content, TaskSummary};

pub use repos::BaseRepos;

/// The base paths that patches name: what a base text is wanted for.
#[must_use]
pub fn base_paths<'a>(patches: impl IntoIterator<Item = &'a Patch>) -> BTreeSet<&'a str> {
    let files = patches.into_iter().flat_map(|patch| &patch.files);
    files.filter_map(|file| file.old_path.as_deref()).collect()
}

/// The base texts of a group: those that its record has, then those that a repository has for
/// `paths` at the task's base commit. Beside them what was not possible, one sentence each; a group
/// for which no repository is named has none.
///
/// Reads files and runs `git`: for a worker thread.
#[must_use]
pub fn bases_of<'a>(
    task: &TaskSummary,
    content: &Content,
    repos: &BaseRepos,
    paths: impl IntoIterator<Item = &'a str>,
) -> (Bases, Vec<String>) {
    let mut bases = Bases::default();
    for (path, text) in &content.task.base_files {
        bases.insert(path.as_str(), Arc::from(text.as_str()), BaseOrigin::Record);
    }
    let wanted: Vec<&str> = paths
        .into_iter()
        .filter(|path| bases.get(path).is_none())
        .collect();
    let problems = match from_repository(task, repos, &wanted) {
        Ok(None) => Vec::new(),
        Ok(Some(found)) => {
            for (path, text) in found.texts {
                bases.insert(path, Arc::from(text), BaseOrigin::Repository);
            }
            found.problems
        }
        Err(error) => vec![format!("base unusable: {error}")],
    };
    (bases, problems)
}

fn from_repository(
    task: &TaskSummary,
    repos: &BaseRepos,
    wanted: &[&str],
) -> Result<Option<git::Found>, git::GitError> {
    let (Some(repo), false) = (&task.repo, wanted.is_empty()) else {
        return Ok(None);
    };
    let Some(named) = repos.find(repo) else {
        return Ok(None);
    };
    let Some(commit) = &task.base_commit else {
        return Err(git::GitError::NoCommit);
    };
    let folder = repos.folder(&named?)?;
    git::read(&folder, commit, wanted).map(Some)
}

#[cfg(test)]
mod tests;
