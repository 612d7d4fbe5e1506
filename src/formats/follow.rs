//! Notices of changes under the paths given, where the file system sends any.
//!
//! What is *not* here: what changed (a loader looks for itself), and waiting. Network file systems
//! send nothing, so a follower looks from time to time as well.

use std::path::PathBuf;

/// Watches while it lives.
pub struct Watch {
    #[cfg(feature = "live")]
    _watcher: notify::RecommendedWatcher,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

impl Watch {
    /// Calls `changed` whenever something under the paths is written, made, moved or removed;
    /// reading is no change. `None` when notices cannot be had.
    #[cfg(feature = "live")]
    pub fn start(paths: &[PathBuf], changed: impl Fn() + Send + 'static) -> Option<Self> {
        use notify::{EventKind, RecursiveMode, Watcher as _};

        // A file is watched through its folder: another one may be put in its place.
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.iter().cloned().partition(|path| path.is_dir());
        let named: Vec<PathBuf> = files
            .iter()
            .filter_map(|path| std::fs::canonicalize(path).ok())
            .collect();
        let under: Vec<PathBuf> = folders
            .iter()
            .filter_map(|path| std::fs::canonicalize(path).ok())
            .collect();
        let handler = {
            let (named, under) = (named.clone(), under.clone());
            move |event: notify::Result<notify::Event>| {
                let Ok(event) = event else {
                    // What was missed is found by looking.
                    changed();
                    return;
                };
                let is_ours = |path: &PathBuf| {
                    named.contains(path) || under.iter().any(|folder| path.starts_with(folder))
                };
                let is_change = !matches!(event.kind, EventKind::Access(_));
                if is_change && (event.paths.is_empty() || event.paths.iter().any(is_ours)) {
                    changed();
                }
            }
        };
        let mut watcher = notify::recommended_watcher(handler).ok()?;
        for folder in &under {
            watcher.watch(folder, RecursiveMode::Recursive).ok()?;
        }
        let mut parents: Vec<_> = named.iter().filter_map(|path| path.parent()).collect();
        parents.sort_unstable();
        parents.dedup();
        for folder in parents {
            watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
        }
        Some(Self { _watcher: watcher })
    }

    /// Without the feature `live` there are no notices.
    #[cfg(not(feature = "live"))]
    pub fn start(_paths: &[PathBuf], _changed: impl Fn() + Send + 'static) -> Option<Self> {
        None
    }
}
