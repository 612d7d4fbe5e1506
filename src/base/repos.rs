//! Which repository is the base of which task, as the configuration names them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::TempDir;

use super::git::{self, GitError};

/// The name that stands for every repository.
const ANY: &str = "*";

/// Repositories by name (`owner/name`), and patterns for all others.
///
/// A place is a bare repository, a work tree or a bundle. In the place for `*`, `{repo}` stands for
/// `owner/name`, `owner__name` or `name`, whichever is there (with `.git` or `.bundle` as well),
/// `{owner}` and `{name}` for the parts.
#[derive(Debug, Clone, Default)]
pub struct BaseRepos {
    places: BTreeMap<String, PathBuf>,
    /// Bundles that were unpacked, for as long as anybody holds this list.
    unpacked: Arc<Mutex<BTreeMap<PathBuf, Arc<TempDir>>>>,
}

/// Where the objects of a repository can be read; holds what was unpacked for it.
pub(super) struct Folder {
    path: PathBuf,
    _unpacked: Option<Arc<TempDir>>,
}

impl Folder {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl BaseRepos {
    /// Names a repository; the first place for a name counts.
    pub fn insert(&mut self, name: impl Into<String>, place: PathBuf) {
        self.places.entry(name.into()).or_insert(place);
    }

    /// Whether no repository is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The place of a repository; `None` when no name and no pattern covers it.
    pub(super) fn find(&self, repo: &str) -> Option<Result<PathBuf, GitError>> {
        if let Some(place) = self.places.get(repo) {
            return Some(match place.exists() {
                true => Ok(place.clone()),
                false => Err(GitError::NoPlace(place.clone())),
            });
        }
        let pattern = self.places.get(ANY)?;
        // The name comes with the data: it must not lead out of the folder that the pattern names.
        let safe = repo.split('/').all(|part| {
            let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
            !part.is_empty() && !part.starts_with('.') && part.chars().all(plain)
        });
        if !safe {
            return Some(Err(GitError::BadName(repo.to_owned())));
        }
        let found = candidates(&pattern.to_string_lossy(), repo)
            .into_iter()
            .find(|place| place.exists());
        // A pattern covers what it finds; there is no need to have all repositories.
        found.map(Ok)
    }

    /// Makes a place readable: a bundle is unpacked once.
    pub(super) fn folder(&self, place: &Path) -> Result<Folder, GitError> {
        if !place.is_file() {
            return Ok(Folder {
                path: place.to_owned(),
                _unpacked: None,
            });
        }
        let mut unpacked = self.unpacked.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = match unpacked.get(place) {
            Some(folder) => Arc::clone(folder),
            None => {
                let folder = Arc::new(git::unpack(place)?);
                unpacked.insert(place.to_owned(), Arc::clone(&folder));
                folder
            }
        };
        Ok(Folder {
            path: folder.path().to_owned(),
            _unpacked: Some(folder),
        })
    }
}

/// Where a pattern may lead, in the order of trying.
fn candidates(pattern: &str, repo: &str) -> Vec<PathBuf> {
    let (owner, name) = repo.rsplit_once('/').unwrap_or(("", repo));
    let spellings = [repo.to_owned(), repo.replace('/', "__"), name.to_owned()];
    let mut places = Vec::new();
    for spelling in spellings {
        let place = pattern
            .replace("{repo}", &spelling)
            .replace("{owner}", owner)
            .replace("{name}", name);
        for end in ["", ".git", ".bundle"] {
            let place = PathBuf::from(format!("{place}{end}"));
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_tried_in_all_spellings() {
        let places = candidates("repos/{repo}", "django/django");
        let places: Vec<_> = places.iter().map(|place| place.to_string_lossy()).collect();
        assert_eq!(
            places,
            [
                "repos/django/django",
                "repos/django/django.git",
                "repos/django/django.bundle",
                "repos/django__django",
                "repos/django__django.git",
                "repos/django__django.bundle",
                "repos/django",
                "repos/django.git",
                "repos/django.bundle",
            ]
        );
        assert_eq!(candidates("r/{owner}.{name}", "a/b").len(), 3);
    }

    #[test]
    fn names_do_not_lead_out_of_the_folder() {
        let mut repos = BaseRepos::default();
        repos.insert("*", PathBuf::from("/{repo}"));
        for name in ["../tmp", "a/../../b", "", "a//b", "-x/\n"] {
            assert!(matches!(repos.find(name), None | Some(Err(_))), "{name}");
        }
        assert!(matches!(
            repos.find("../tmp"),
            Some(Err(GitError::BadName(_)))
        ));
        assert!(BaseRepos::default().find("a/b").is_none());
    }
}
