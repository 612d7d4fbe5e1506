//! Text to files and hunks: driven by the counts of the hunk headers, lenient where they are wrong.
//!
//! This is the only reader. The crate `diffy` was tried as a strict first pass: it reads the same
//! lines where a patch is clean, but costs as much again (26 to 43 ms against 27 to 42 ms for a patch
//! of 206,000 lines, 66 µs against 43 µs for one of 1,500, on a busy machine), refuses 98 of 1,090
//! real patches and samples, and drops the hunks behind a blank line in a header without a word. So
//! it judges this reader in `tests/diff_cases` instead.
//!
//! Not here: the lines of hunks (`hunks`, `combined`), what is told of a whole file (`facts`).

use std::cell::Cell;
use std::ops::Range;

use super::facts;
use super::model::{BinaryData, BinarySizes, FilePatch, FileStatus};
use super::patch::line_ranges;
use super::paths::{read_path, split_git_header, strip_pair};
use super::repair::Repair;
use crate::domain::PatchPresence;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// What was read from a text; every range points into it.
pub(super) struct Parsed {
    pub(super) files: Vec<FilePatch>,
    pub(super) notes: Vec<String>,
    pub(super) repairs: Vec<Repair>,
    pub(super) presence: PatchPresence,
}

impl Parsed {
    fn nothing(presence: PatchPresence, note: Option<&str>) -> Self {
        Self {
            files: Vec::new(),
            notes: note.map(str::to_owned).into_iter().collect(),
            repairs: Vec::new(),
            presence,
        }
    }
}

/// Reads a patch; never fails.
pub(super) fn parse(text: &str) -> Parsed {
    if text.trim().is_empty() {
        return Parsed::nothing(PatchPresence::Empty, None);
    }
    // Source lines have about 40 bytes: one growth at most for most patches.
    let mut lines = Vec::with_capacity(text.len().min(64 << 20) / 40);
    lines.extend(line_ranges(text, 0..text.len()));
    // An editor's mark, no part of the first line.
    let mark = text.starts_with(BYTE_ORDER_MARK);
    if let Some(first) = lines.first_mut().filter(|_| mark) {
        first.start += BYTE_ORDER_MARK.len_utf8();
    }
    let mut reader = Reader {
        lines,
        crlf: false,
        text,
        at: 0,
        files: Vec::new(),
        open: None,
        outside: Vec::new(),
        text_from: Cell::new(0),
    };
    reader.run();
    let Reader {
        files,
        outside,
        crlf,
        ..
    } = reader;
    if files.is_empty() {
        let note = "this text is not a diff; shown as it is";
        return Parsed::nothing(PatchPresence::NotADiff, Some(note));
    }
    let files = facts::finish(text, files);
    let line = |range: &Range<usize>| text.get(range.clone()).unwrap_or("");
    let (fences, prose): (Vec<_>, Vec<_>) = outside
        .iter()
        .map(|range| line(range).trim())
        .partition(|line| line.starts_with("```"));
    let mut notes = Vec::new();
    if let Some(first) = prose.first() {
        let sample: String = first.chars().take(60).collect();
        let plural = if prose.len() == 1 { "line" } else { "lines" };
        notes.push(format!(
            "{} {plural} of text around the diff: “{sample}”",
            prose.len()
        ));
    }
    let mut repairs = Vec::new();
    if !fences.is_empty() {
        let lines = fences.len();
        repairs.push(Repair::Fenced { lines });
    }
    if mark {
        repairs.push(Repair::ByteOrderMark);
    }
    if crlf {
        repairs.push(Repair::CrlfPatch);
    }
    if !text.ends_with('\n') {
        repairs.push(Repair::NoFinalNewline);
    }
    notes.extend(repairs.iter().map(Repair::note));
    Parsed {
        files,
        notes,
        repairs,
        presence: PatchPresence::Diff,
    }
}

/// Where the reading stands.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) lines: Vec<Range<usize>>,
    /// The next line.
    pub(super) at: usize,
    pub(super) files: Vec<FilePatch>,
    /// Whether the last file still takes headers; `None` before the first file.
    pub(super) open: Option<Open>,
    /// Whether a hunk's header ends in CRLF.
    pub(super) crlf: bool,
    /// Lines that belong to no file.
    outside: Vec<Range<usize>>,
    /// The first line that is not blank, as found by the last look ahead.
    pub(super) text_from: Cell<usize>,
}

/// What the last file still takes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Open {
    /// A git header was read, no `---` yet.
    Header,
    /// `---`/`+++` were read, or a hunk.
    Body,
}

impl<'a> Reader<'a> {
    pub(super) fn line(&self, index: usize) -> Option<&'a str> {
        self.text.get(self.lines.get(index)?.clone())
    }

    fn run(&mut self) {
        while self.at < self.lines.len() {
            let line = self.line(self.at).unwrap_or("");
            let line = line.strip_suffix('\r').unwrap_or(line);
            if let Some(rest) = line.strip_prefix("diff --git ") {
                self.begin_git(rest);
            } else if let Some(rest) = line
                .strip_prefix("diff --cc ")
                .or_else(|| line.strip_prefix("diff --combined "))
            {
                self.begin_combined(rest);
            } else if line.starts_with("@@@") {
                self.read_combined_hunk(line);
            } else if self.begins_plain_file() {
                self.read_paths();
            } else if line.starts_with("@@") {
                self.read_hunk(line);
            } else if line == "GIT binary patch" && self.open.is_some() {
                self.read_binary_data();
            } else if self.open == Some(Open::Header) && self.read_extended(line) {
                self.at += 1;
            } else if line.starts_with("Binary files ") && line.ends_with(" differ") {
                self.read_binary_line(line);
            } else if let Some(submodule) = submodule_line(line) {
                self.read_submodule_log(&submodule);
            } else {
                self.take_outside();
            }
        }
    }

    pub(super) fn begin(&mut self, file: FilePatch, open: Open) {
        self.files.push(file);
        self.open = Some(open);
    }

    fn begin_git(&mut self, rest: &str) {
        let mut file = FilePatch::default();
        match split_git_header(rest) {
            Some((old, new)) => {
                (file.old_path, file.new_path) = strip_pair(Some(old), Some(new));
            }
            None => file.repairs.push(Repair::UnclearPaths {
                header: rest.to_owned(),
            }),
        }
        self.begin(file, Open::Header);
        self.at += 1;
    }

    fn begin_combined(&mut self, rest: &str) {
        let path = read_path(rest);
        let file = FilePatch {
            old_path: Some(path.clone()),
            new_path: Some(path),
            // Until a hunk tells; a merge has at least two.
            parents: 2,
            ..FilePatch::default()
        };
        self.begin(file, Open::Header);
        self.at += 1;
    }

    /// `---` and `+++` that belong to a git header, or that a hunk follows.
    pub(super) fn begins_plain_file(&self) -> bool {
        let starts = |index: usize, prefix: &str| {
            self.line(index)
                .is_some_and(|line| line.starts_with(prefix))
        };
        starts(self.at, "--- ")
            && starts(self.at + 1, "+++ ")
            && (self.open == Some(Open::Header) || starts(self.at + 2, "@@ "))
    }

    fn read_paths(&mut self) {
        let path = |line: Option<&str>| {
            let path = read_path(line?.get(4..)?);
            (path != "/dev/null").then_some(path)
        };
        let old = path(self.line(self.at));
        let new = path(self.line(self.at + 1));
        let (old_gone, new_gone) = (old.is_none(), new.is_none());
        let (old, new) = strip_pair(old, new);
        if self.open != Some(Open::Header) {
            self.begin(FilePatch::default(), Open::Body);
        }
        self.open = Some(Open::Body);
        if let Some(file) = self.files.last_mut() {
            let renamed = matches!(file.status, FileStatus::Renamed | FileStatus::Copied);
            if !renamed {
                (file.old_path, file.new_path) = (old, new);
            }
            if old_gone {
                file.status = FileStatus::Added;
            } else if new_gone {
                file.status = FileStatus::Deleted;
            }
        }
        self.at += 2;
    }

    /// Reads a line of git's extended header; answers whether it was one.
    fn read_extended(&mut self, line: &str) -> bool {
        let Some(file) = self.files.last_mut() else {
            return false;
        };
        let percent = |text: &str| text.trim_end_matches('%').parse().ok();
        if let Some(mode) = line.strip_prefix("old mode ") {
            file.old_mode = Some(mode.to_owned());
        } else if let Some(mode) = line.strip_prefix("new mode ") {
            file.new_mode = Some(mode.to_owned());
        } else if let Some(mode) = line.strip_prefix("new file mode ") {
            (file.status, file.new_mode) = (FileStatus::Added, Some(mode.to_owned()));
            file.old_path = None;
        } else if let Some(mode) = line.strip_prefix("deleted file mode ") {
            (file.status, file.old_mode) = (FileStatus::Deleted, Some(mode.to_owned()));
            file.new_path = None;
        } else if let Some(text) = line.strip_prefix("similarity index ") {
            file.similarity = percent(text);
        } else if let Some(path) = line.strip_prefix("rename from ") {
            (file.status, file.old_path) = (FileStatus::Renamed, Some(read_path(path)));
        } else if let Some(path) = line.strip_prefix("rename to ") {
            (file.status, file.new_path) = (FileStatus::Renamed, Some(read_path(path)));
        } else if let Some(path) = line.strip_prefix("copy from ") {
            (file.status, file.old_path) = (FileStatus::Copied, Some(read_path(path)));
        } else if let Some(path) = line.strip_prefix("copy to ") {
            (file.status, file.new_path) = (FileStatus::Copied, Some(read_path(path)));
        } else if let Some(rest) = line.strip_prefix("index ") {
            if let Some(parents) = rest.split("..").next().filter(|_| file.parents > 0) {
                file.parents = file.parents.max(parents.split(',').count());
            }
            // The mode stands here when it did not change.
            if let Some(mode) = rest.split(' ').nth(1).filter(|_| file.new_mode.is_none()) {
                file.old_mode = Some(mode.to_owned());
                file.new_mode = Some(mode.to_owned());
            }
        } else if let Some(text) = line.strip_prefix("dissimilarity index ") {
            file.dissimilarity = percent(text);
        } else if let Some((old, new)) = line
            .strip_prefix("mode ")
            .filter(|_| file.parents > 0)
            .and_then(|modes| modes.split_once(".."))
        {
            (file.old_mode, file.new_mode) = (Some(old.to_owned()), Some(new.to_owned()));
        } else {
            return false;
        }
        true
    }

    fn read_binary_line(&mut self, line: &str) {
        if self.open.is_none() || self.open == Some(Open::Body) {
            let inner = line
                .trim_start_matches("Binary files ")
                .trim_end_matches(" differ");
            let (old, new) = inner.split_once(" and ").unwrap_or((inner, inner));
            let path = |text: &str| (text != "/dev/null").then(|| read_path(text));
            let (old_path, new_path) = strip_pair(path(old), path(new));
            self.begin(
                FilePatch {
                    old_path,
                    new_path,
                    ..FilePatch::default()
                },
                Open::Body,
            );
        }
        if let Some(file) = self.files.last_mut() {
            file.binary = true;
        }
        self.at += 1;
    }

    /// Skips the encoded data, keeps its sizes: it ends where something else begins.
    fn read_binary_data(&mut self) {
        let begin = self.at;
        self.at += 1;
        let mut sizes = Vec::new();
        while let Some(line) = self.line(self.at) {
            let line = line.trim_end_matches('\r');
            // A line of data begins with a letter, its length, and holds no blank.
            let size = line.starts_with("literal ") || line.starts_with("delta ");
            let first = line
                .bytes()
                .next()
                .is_none_or(|byte| byte.is_ascii_alphabetic());
            if !size && (!first || line.contains(' ')) {
                break;
            }
            if let Some(bytes) = line.strip_prefix("literal ").and_then(|n| n.parse().ok()) {
                sizes.push(BinaryData::Literal { bytes });
            } else if let Some(bytes) = line.strip_prefix("delta ").and_then(|n| n.parse().ok()) {
                sizes.push(BinaryData::Delta { bytes });
            }
            self.at += 1;
        }
        let text = |line: &str| line.starts_with("@@") || line.starts_with("--- ");
        if sizes.is_empty() && self.line(self.at).is_some_and(text) {
            // The words alone make no binary file of one whose text follows.
            self.outside.push(self.lines[begin].clone());
            return;
        }
        if let Some(file) = self.files.last_mut() {
            file.binary = true;
            let old = sizes.get(1).copied();
            file.binary_sizes = sizes.first().map(|&new| BinarySizes { new, old });
        }
        self.open = Some(Open::Body);
    }

    /// A change of a submodule as `--submodule=log` writes it, with the commits' titles behind.
    fn read_submodule_log(&mut self, of: &SubmoduleLine<'_>) {
        self.at += 1;
        let first = self.at;
        while self
            .line(self.at)
            .is_some_and(|line| line.starts_with("  > ") || line.starts_with("  < "))
        {
            self.at += 1;
        }
        let mode = Some("160000".to_owned());
        let (path, from, to) = (of.path, of.from, of.to);
        let (status, note) = match of.what {
            Some("new submodule") => (FileStatus::Added, format!("submodule added at commit {to}")),
            Some("submodule deleted") => (
                FileStatus::Deleted,
                format!("submodule removed, was at commit {from}"),
            ),
            Some(what) => (
                FileStatus::Modified,
                format!("submodule: commit {from} → {to} ({what})"),
            ),
            None => (
                FileStatus::Modified,
                format!("submodule: commit {from} → {to}"),
            ),
        };
        let mut file = FilePatch {
            status,
            old_path: Some(path.to_owned()),
            new_path: Some(path.to_owned()),
            old_mode: mode.clone().filter(|_| status != FileStatus::Added),
            new_mode: mode.filter(|_| status != FileStatus::Deleted),
            notes: vec![note],
            ..FilePatch::default()
        };
        if self.at > first {
            file.raw
                .push(self.lines[first].start..self.lines[self.at - 1].end);
        }
        self.begin(file, Open::Body);
    }

    pub(super) fn take_outside(&mut self) {
        let range = self.lines[self.at].clone();
        if !self.text.get(range.clone()).unwrap_or("").trim().is_empty() {
            self.outside.push(range);
        }
        self.at += 1;
    }
}

/// A line of `--submodule=log`.
struct SubmoduleLine<'a> {
    path: &'a str,
    from: &'a str,
    to: &'a str,
    /// What stands in brackets behind the commits: `new submodule`, `submodule deleted` …
    what: Option<&'a str>,
}

/// Reads `Submodule PATH FROM..TO:` and `Submodule PATH FROM...TO (new submodule)`.
fn submodule_line(line: &str) -> Option<SubmoduleLine<'_>> {
    let rest = line.strip_prefix("Submodule ")?;
    let rest = rest.strip_suffix(':').unwrap_or(rest);
    let bracket = rest
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once(" ("));
    let (rest, what) = match bracket {
        Some((rest, what)) => (rest, Some(what)),
        None => (rest, None),
    };
    let (path, commits) = rest.rsplit_once(' ')?;
    let (from, to) = commits.trim_end_matches(':').split_once("..")?;
    let to = to.trim_start_matches('.');
    let hex = |text: &str| text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (hex(from) && hex(to)).then_some(SubmoduleLine {
        path,
        from,
        to,
        what,
    })
}
