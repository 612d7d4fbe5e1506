//! Lists the files under the paths given.
//!
//! What is *not* here: what is in them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Candidate, archive};
use crate::formats::Problem;

/// Lists what may hold rollouts under `paths`: files, and the members of archives among them.
pub(crate) fn list(paths: &[PathBuf], problems: &mut Vec<Problem>) -> Vec<Candidate> {
    let files = walk(paths, problems);
    archive::expand(files, problems)
}

/// Lists again: all files on the disk, and what may hold rollouts in those of them that `is_known`
/// does not know as they are now. Only these are opened.
pub(crate) fn list_again(
    paths: &[PathBuf],
    is_known: &dyn Fn(&Candidate) -> bool,
    problems: &mut Vec<Problem>,
) -> (BTreeSet<PathBuf>, Vec<Candidate>) {
    let files = walk(paths, problems);
    let all = files.iter().map(|file| file.path.clone()).collect();
    let new = files.into_iter().filter(|file| !is_known(file)).collect();
    (all, archive::expand(new, problems))
}

/// Lists the files under `paths`, sorted within each folder. A link is followed only while it
/// stays under its root and leads to a folder not seen yet.
pub(crate) fn walk(paths: &[PathBuf], problems: &mut Vec<Problem>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        if let Some(address) = address(path) {
            if seen.insert(path.clone()) {
                list_remote(path, address, &mut found, problems);
            }
            continue;
        }
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => match fs::canonicalize(path) {
                Ok(root) => list_folder(path, &root, &mut seen, &mut found, problems),
                Err(error) => problems.push(Problem::of_file(path, &error)),
            },
            Ok(meta) => {
                let new = fs::canonicalize(path).is_ok_and(|real| seen.insert(real));
                if new {
                    found.push(Candidate::of_file(path.clone(), &meta, true));
                }
            }
            Err(error) => problems.push(Problem::of_file(path, &error)),
        }
    }
    found
}

fn list_folder(
    folder: &Path,
    root: &Path,
    seen: &mut BTreeSet<PathBuf>,
    found: &mut Vec<Candidate>,
    problems: &mut Vec<Problem>,
) {
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        match fs::canonicalize(&folder) {
            Ok(real) if !real.starts_with(root) => {
                problems.push(Problem::new(
                    &folder,
                    "the link leads out of the folder given",
                ));
                continue;
            }
            Ok(real) if !seen.insert(real.clone()) => continue,
            Ok(_) => {}
            Err(error) => {
                problems.push(Problem::of_file(&folder, &error));
                continue;
            }
        }
        let mut entries: Vec<PathBuf> = match fs::read_dir(&folder) {
            Ok(entries) => entries
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .collect(),
            Err(error) => {
                problems.push(Problem::of_file(&folder, &error));
                continue;
            }
        };
        entries.sort();
        let mut folders = Vec::new();
        for path in entries {
            if path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
            {
                continue;
            }
            let Ok(link) = fs::symlink_metadata(&path) else {
                continue;
            };
            let Ok(meta) = fs::metadata(&path) else {
                problems.push(Problem::new(&path, "the link leads nowhere"));
                continue;
            };
            if meta.is_dir() {
                folders.push(path);
            } else if meta.is_file() {
                if link.is_symlink() {
                    match fs::canonicalize(&path) {
                        Ok(real) if !real.starts_with(root) => {
                            let reason = "the link leads out of the folder given";
                            problems.push(Problem::new(&path, reason));
                            continue;
                        }
                        // The file itself is listed where it lies.
                        Ok(_) => continue,
                        Err(error) => {
                            problems.push(Problem::of_file(&path, &error));
                            continue;
                        }
                    }
                }
                if seen.insert(fs::canonicalize(&path).unwrap_or_else(|_| path.clone())) {
                    found.push(Candidate::of_file(path, &meta, false));
                }
            }
        }
        // A stack gives back the last one first.
        open.extend(folders.into_iter().rev());
    }
}

/// The beginnings of addresses.
const SCHEMES: &[&str] = &["s3://", "gs://", "az://", "http://", "https://"];

/// The path as an address on a server, when it is one.
fn address(path: &Path) -> Option<&str> {
    let path = path.to_str()?;
    SCHEMES
        .iter()
        .any(|scheme| path.starts_with(scheme))
        .then_some(path)
}

/// Whether there is anything at a path. Addresses are not looked at before they are read.
///
/// # Errors
/// When a path leads nowhere, or an address is given to a build that reads none.
pub(crate) fn check_path(path: &Path) -> io::Result<()> {
    match address(path) {
        None => fs::metadata(path).map(|_| ()),
        Some(_) if cfg!(feature = "remote") => Ok(()),
        Some(_) => Err(io::Error::new(io::ErrorKind::Unsupported, NO_REMOTE)),
    }
}

const NO_REMOTE: &str = "this gagar reads no addresses: it was built without the feature `remote`";

#[cfg(feature = "remote")]
fn list_remote(_: &Path, address: &str, found: &mut Vec<Candidate>, problems: &mut Vec<Problem>) {
    found.extend(super::remote::list(address, problems));
}

#[cfg(not(feature = "remote"))]
fn list_remote(path: &Path, _: &str, _: &mut Vec<Candidate>, problems: &mut Vec<Problem>) {
    problems.push(Problem::new(path, NO_REMOTE));
}

/// The path as the file system knows it, as far as it is on the disk: what lies in an archive is
/// not.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    for outer in path.ancestors() {
        if outer.as_os_str().is_empty() {
            break;
        }
        if let (Ok(real), Ok(inside)) = (fs::canonicalize(outer), path.strip_prefix(outer)) {
            return real.join(inside);
        }
    }
    path.to_path_buf()
}
