//! Files of a repository at a commit, read with one run of `git cat-file --batch`.
//!
//! The repository may be anybody's: git runs without configuration of the person or the system,
//! without hooks, prompts and network. Commit and paths come with the data and reach git only as lines
//! of its input.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::repos::Folder;

/// Larger files are not read (bytes).
const BLOB_CAP: u64 = 8 << 20;
/// Paths named in one sentence.
const NAMED: usize = 3;

/// Why a repository cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum GitError {
    /// A repository is named for the task, and the task names no commit.
    #[error("the task names no base commit")]
    NoCommit,
    /// What the task has as commit cannot be one.
    #[error("`{0}` is no commit id")]
    BadCommit(String),
    /// The repository's name cannot be part of a path.
    #[error("`{0}` is no repository name")]
    BadName(String),
    /// The place named in the configuration.
    #[error("{}: there is nothing", .0.display())]
    NoPlace(PathBuf),
    /// The commit is not in the repository.
    #[error("{}: commit {commit} is not there", .place.display())]
    NoSuchCommit {
        /// The repository.
        place: PathBuf,
        /// The commit.
        commit: String,
    },
    /// Git said so, first line.
    #[error("{}: {reason}", .place.display())]
    Git {
        /// The repository.
        place: PathBuf,
        /// The first line of what it said.
        reason: String,
    },
    /// Git cannot be run, or ended early.
    #[error("git: {0}")]
    Io(#[from] io::Error),
}

/// What a repository had.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Path and text. Bytes that are no UTF-8 became U+FFFD.
    pub texts: Vec<(String, String)>,
    /// What was not possible, one sentence each.
    pub problems: Vec<String>,
}

/// Reads the files of a commit.
///
/// # Errors
/// The repository cannot be read or has no such commit. A file that is not there, is no text or is
/// too large is a sentence in [`Found::problems`].
pub(super) fn read(folder: &Folder, commit: &str, paths: &[&str]) -> Result<Found, GitError> {
    let is_id = (7..=64).contains(&commit.len()) && commit.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_id {
        let shown = commit.chars().filter(|c| !c.is_control()).take(40);
        return Err(GitError::BadCommit(shown.collect()));
    }
    let place = folder.path();
    let mut child = Running(
        command(place, "none")
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?,
    );
    let (asked, unusable): (Vec<&str>, Vec<&str>) =
        paths.iter().partition(|path| !path.contains(['\n', '\0']));
    let mut input = format!("{commit}^{{commit}}\n");
    for path in &asked {
        input.push_str(&format!("{commit}:{path}\n"));
    }
    let stdin = child.0.stdin.take();
    // Written beside the reading, so that neither side waits for the other. An error is git's end,
    // which the reader sees as well.
    let writer = std::thread::spawn(move || {
        stdin.is_some_and(|mut stdin| stdin.write_all(input.as_bytes()).is_ok())
    });
    let read = child.0.stdout.take().map(|stdout| {
        let mut answers = BufReader::new(stdout);
        read_answers(&mut answers, &asked)
    });
    let mut said = String::new();
    if let Some(stderr) = &mut child.0.stderr {
        stderr.take(4096).read_to_string(&mut said)?;
    }
    let _ = writer.join();
    let status = child.0.wait()?;
    let first = said.lines().map(str::trim).find(|line| !line.is_empty());
    if let (false, Some(reason)) = (status.success(), first) {
        return Err(GitError::Git {
            place: place.to_owned(),
            reason: reason.to_owned(),
        });
    }
    match read {
        None => Err(io::Error::other("no output").into()),
        Some(Err(error)) => Err(error.into()),
        Some(Ok(None)) => Err(GitError::NoSuchCommit {
            place: place.to_owned(),
            commit: commit.to_owned(),
        }),
        Some(Ok(Some(mut answers))) => {
            answers
                .missing
                .extend(unusable.into_iter().map(str::to_owned));
            Ok(answers.found(commit))
        }
    }
}

/// A process that does not outlive its use.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already unless something failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Unpacks a bundle into a bare repository in a temporary folder.
///
/// # Errors
/// It is no bundle, or there is no room.
pub(super) fn unpack(bundle: &Path) -> Result<TempDir, GitError> {
    let folder = tempfile::Builder::new().prefix("gagar-base-").tempdir()?;
    let bundle = std::path::absolute(bundle)?;
    let output = command(folder.path(), "file")
        .args([
            "clone",
            "--bare",
            "--quiet",
            "--no-hardlinks",
            "--template=",
            "--",
        ])
        .arg(&bundle)
        .arg(folder.path())
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(folder);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines = said.lines().map(str::trim);
    // The warnings that come first say less.
    let reason = lines.clone().find(|line| line.starts_with("fatal:"));
    let reason = reason.or_else(|| lines.clone().find(|line| !line.is_empty()));
    Err(GitError::Git {
        place: bundle,
        reason: reason.unwrap_or("no bundle").to_owned(),
    })
}

/// Git in a folder, cut off from everything but it.
fn command(folder: &Path, protocols: &str) -> Command {
    let mut command = Command::new("git");
    let inherited = std::env::vars_os().map(|(name, _)| name);
    for name in inherited.filter(|name| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    command
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", protocols)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .args(["--no-pager", "-c", "core.hooksPath=/dev/null"]);
    command
}

#[derive(Default)]
struct Answers {
    texts: Vec<(String, String)>,
    missing: Vec<String>,
    no_text: Vec<String>,
    large: Vec<String>,
}

impl Answers {
    fn found(self, commit: &str) -> Found {
        let short = commit.get(..12).unwrap_or(commit);
        let problems = [
            (self.missing, format!("not in commit {short}")),
            (self.no_text, "no text".to_owned()),
            (self.large, format!("larger than {} MB", BLOB_CAP >> 20)),
        ];
        let sentence = |(paths, what): (Vec<String>, String)| {
            let named = paths.iter().take(NAMED).cloned().collect::<Vec<_>>();
            let more = paths.len().saturating_sub(NAMED);
            let more = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let named = named.join(", ");
            (!paths.is_empty()).then(|| format!("base not known, {what}: {named}{more}"))
        };
        Found {
            texts: self.texts,
            problems: problems.into_iter().filter_map(sentence).collect(),
        }
    }
}

/// Reads the answers to the commit and then to each path; `None` when the commit is not there.
fn read_answers(from: &mut impl BufRead, paths: &[&str]) -> io::Result<Option<Answers>> {
    let mut answers = Answers::default();
    match header(from)? {
        None => return Ok(None),
        Some((_, size)) => skip(from, size + 1)?,
    }
    for path in paths {
        let path = (*path).to_owned();
        match header(from)? {
            None => answers.missing.push(path),
            Some((kind, size)) if kind != "blob" => {
                skip(from, size + 1)?;
                answers.no_text.push(path);
            }
            Some((_, size)) if size > BLOB_CAP => {
                skip(from, size + 1)?;
                answers.large.push(path);
            }
            Some((_, size)) => {
                let mut bytes = Vec::new();
                from.by_ref().take(size).read_to_end(&mut bytes)?;
                skip(from, 1)?;
                if memchr::memchr(0, &bytes).is_some() {
                    answers.no_text.push(path);
                } else {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    answers.texts.push((path, text));
                }
            }
        }
    }
    Ok(Some(answers))
}

/// Reads `<id> <kind> <size>`; `None` for an object that is missing (or ambiguous, or a submodule's).
fn header(from: &mut impl BufRead) -> io::Result<Option<(String, u64)>> {
    let mut line = Vec::new();
    if from.read_until(b'\n', &mut line)? == 0 {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
    }
    let line = String::from_utf8_lossy(&line);
    let mut words = line.trim_end_matches('\n').rsplitn(3, ' ');
    let (size, kind, id) = (words.next(), words.next(), words.next());
    let is_id = id.is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let size = size.and_then(|size| size.parse().ok());
    Ok(match (is_id, kind, size) {
        (true, Some(kind), Some(size)) => Some((kind.to_owned(), size)),
        _ => None,
    })
}

fn skip(from: &mut impl BufRead, bytes: u64) -> io::Result<()> {
    let skipped = io::copy(&mut from.take(bytes), &mut io::sink())?;
    match skipped == bytes {
        true => Ok(()),
        false => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
    }
}
