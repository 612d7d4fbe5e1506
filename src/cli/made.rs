//! What the loaders made of the files, a line a file; a line a folder when there are many.
//!
//! What is *not* here: problems, which are told one by one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::domain::counted;
use crate::formats::{FORMATS, FileReport};

/// Lines that a report in words has at most, as far as folders can be told together.
pub const MOST_LINES: usize = 40;

/// A file as JSON.
#[derive(Serialize)]
pub struct FileLine<'a> {
    kind: &'static str,
    path: std::borrow::Cow<'a, str>,
    bytes: u64,
    formats: Vec<FormatLine>,
    groups: usize,
    trajectories: usize,
    copies: usize,
    repeated: usize,
    references: usize,
    joined: usize,
    problems: usize,
}

#[derive(Serialize)]
struct FormatLine {
    name: &'static str,
    records: usize,
}

/// The files that hold records, or had problems, as rows of JSON.
pub fn json(made: &[FileReport]) -> impl Iterator<Item = FileLine<'_>> {
    told(made).map(|file| FileLine {
        kind: "file",
        path: file.path.to_string_lossy(),
        bytes: file.bytes,
        formats: file
            .formats
            .iter()
            .map(|format| FormatLine {
                name: format.name,
                records: format.records,
            })
            .collect(),
        groups: file.groups,
        trajectories: file.trajectories,
        copies: file.copies,
        repeated: file.repeated,
        references: file.references,
        joined: file.joined,
        problems: file.problems,
    })
}

/// The same in words: a line a file, or folders as far up as it takes to stay below `most` lines.
#[must_use]
pub fn lines(made: &[FileReport], most: usize) -> Vec<String> {
    let mut parts: BTreeMap<PathBuf, Part> = BTreeMap::new();
    for file in told(made) {
        parts.insert(file.path.clone(), Part::of(file));
    }
    while parts.len() > most {
        let deepest = parts.keys().map(|path| depth(path)).max().unwrap_or(0);
        if deepest <= 1 {
            break;
        }
        let mut above: BTreeMap<PathBuf, Part> = BTreeMap::new();
        for (path, part) in parts {
            let place = match path.parent() {
                Some(folder) if depth(&path) == deepest => folder.to_owned(),
                _ => path,
            };
            above.entry(place).or_default().add(part);
        }
        parts = above;
    }
    parts
        .into_iter()
        .map(|(path, part)| part.line(&path))
        .collect()
}

/// What is worth a line: the rest is told by folder as foreign.
fn told(made: &[FileReport]) -> impl Iterator<Item = &FileReport> {
    made.iter().filter(|file| file.is_told())
}

fn depth(path: &Path) -> usize {
    path.components().count()
}

/// Several files, or one.
#[derive(Default)]
struct Part {
    /// The first file's path: shown in place of the folder when there is no other.
    first: PathBuf,
    files: usize,
    /// Records by format, in the order of the table.
    records: BTreeMap<usize, (&'static str, usize)>,
    trajectories: usize,
    copies: usize,
    repeated: usize,
    references: usize,
    joined: usize,
    problems: usize,
}

impl Part {
    fn of(file: &FileReport) -> Self {
        let place = |name| FORMATS.iter().position(|format| format.name == name);
        let records = file.formats.iter().map(|format| {
            let order = place(format.name).unwrap_or(usize::MAX);
            (order, (format.name, format.records))
        });
        Self {
            first: file.path.clone(),
            files: 1,
            records: records.collect(),
            trajectories: file.trajectories,
            copies: file.copies,
            repeated: file.repeated,
            references: file.references,
            joined: file.joined,
            problems: file.problems,
        }
    }

    fn add(&mut self, other: Self) {
        if self.files == 0 {
            self.first = other.first;
        }
        self.files += other.files;
        for (order, (name, records)) in other.records {
            self.records.entry(order).or_insert((name, 0)).1 += records;
        }
        self.trajectories += other.trajectories;
        self.copies += other.copies;
        self.repeated += other.repeated;
        self.references += other.references;
        self.joined += other.joined;
        self.problems += other.problems;
    }

    fn line(&self, path: &Path) -> String {
        let line = match self.files {
            1 => self.first.display().to_string(),
            files => format!("{} ({files} files)", path.display()),
        };
        let records = self.records.values();
        let records: Vec<_> = records
            .map(|(name, records)| format!("{records} × {name}"))
            .collect();
        let mut facts = if records.is_empty() {
            vec!["nothing known".to_owned()]
        } else {
            vec![records.join(", ")]
        };
        // What does not count among the trajectories says why.
        let rollouts = [
            (self.trajectories, "trajectory", "trajectories"),
            (self.copies, "copy", "copies"),
            (self.repeated, "refused", "refused"),
            (self.references, "reference patch", "reference patches"),
            (self.joined, "joined with others", "joined with others"),
        ];
        let rollouts: Vec<String> = rollouts
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| counted(count, one, many))
            .collect();
        if !rollouts.is_empty() {
            facts.push(rollouts.join(" + "));
        }
        if self.problems > 0 {
            facts.push(counted(self.problems, "problem", "problems"));
        }
        format!("{line}: {}", facts.join("; "))
    }
}

/// The last line of a summary.
#[must_use]
pub fn in_all(groups: usize, trajectories: usize, problems: usize) -> String {
    [
        counted(groups, "group", "groups"),
        counted(trajectories, "trajectory", "trajectories"),
        counted(problems, "problem", "problems"),
    ]
    .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::FormatRecords;

    fn report(path: &str, records: usize, problems: usize) -> FileReport {
        FileReport {
            path: path.into(),
            bytes: 1,
            formats: vec![FormatRecords {
                name: FORMATS[0].name,
                records,
            }],
            groups: 1,
            trajectories: records,
            copies: 0,
            repeated: 0,
            references: 0,
            joined: 0,
            problems,
        }
    }

    #[test]
    fn many_files_are_told_by_folder_and_nothing_is_lost() {
        let mut made: Vec<_> = (0..30_000)
            .map(|n| {
                report(
                    &format!("runs/{}/{n}.jsonl", n % 300),
                    2,
                    usize::from(n == 7),
                )
            })
            .collect();
        made.push(report("runs/one.jsonl", 1, 0));
        let told = lines(&made, 40);
        let name = FORMATS[0].name;
        assert_eq!(
            told,
            [format!(
                "runs (30001 files): 60001 × {name}; 60001 trajectories; 1 problem"
            )]
        );
        let few = lines(&made[29_990..], 40);
        assert_eq!(few.len(), 11);
        assert_eq!(few[10], format!("runs/one.jsonl: 1 × {name}; 1 trajectory"));
        assert_eq!(lines(&made, 400).len(), 301);
    }

    #[test]
    fn what_is_no_trajectory_of_its_own_says_why() {
        let mut file = report("a", 3, 0);
        (file.copies, file.references, file.joined) = (2, 1, 4);
        let name = FORMATS[0].name;
        assert_eq!(
            lines(&[file], 40),
            [format!(
                "a: 3 × {name}; 3 trajectories + 2 copies + 1 reference patch + 4 joined with others"
            )]
        );
    }

    #[test]
    fn files_of_nothing_have_a_line_only_when_they_have_a_problem() {
        let mut silent = report("a", 0, 0);
        silent.formats.clear();
        let mut broken = silent.clone();
        broken.problems = 1;
        assert_eq!(
            lines(&[silent, broken], 40),
            ["a: nothing known; 1 problem"]
        );
    }
}
