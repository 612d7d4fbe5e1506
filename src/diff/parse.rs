//! Text to [`Patch`]: driven by the counts of the hunk headers, lenient where they are wrong.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use super::paths::{read_path, split_git_header, strip_pair};
use super::{FilePatch, FileStatus, Hunk, HunkLine, LineKind, Patch, line_ranges};
use crate::domain::PatchPresence;

const COUNTS_NOTE: &str = "hunk counts corrected: the header says";

/// Reads a patch; never fails.
pub(super) fn parse(text: Arc<str>) -> Patch {
    if text.trim().is_empty() {
        return Patch {
            text,
            files: Vec::new(),
            notes: Vec::new(),
            presence: PatchPresence::Empty,
        };
    }
    let mut reader = Reader {
        lines: line_ranges(&text, 0..text.len()).collect(),
        text: &text,
        at: 0,
        files: Vec::new(),
        open: None,
        outside: Vec::new(),
        combined: false,
        text_from: Cell::new(0),
    };
    reader.run();
    let Reader {
        mut files,
        outside,
        lines,
        ..
    } = reader;
    for file in &mut files {
        finish(file);
        note_line_ends(&text, file);
    }
    let mut notes = Vec::new();
    if files.is_empty() {
        notes.push("this text is not a diff; shown as it is".to_owned());
        return Patch {
            text,
            files,
            notes,
            presence: PatchPresence::NotADiff,
        };
    }
    if let Some(first) = outside.first() {
        let sample: String = text
            .get(first.clone())
            .unwrap_or("")
            .trim()
            .chars()
            .take(60)
            .collect();
        let count = outside.len();
        let plural = if count == 1 { "line" } else { "lines" };
        notes.push(format!(
            "{count} {plural} of text around the diff: “{sample}”"
        ));
    }
    let header_crlf = lines.iter().any(|range| {
        text.get(range.clone())
            .is_some_and(|line| line.starts_with("@@ ") && line.ends_with('\r'))
    });
    if header_crlf {
        notes.push("the patch itself has CRLF line ends".to_owned());
    }
    if !text.ends_with('\n') {
        notes.push("the patch does not end with a newline".to_owned());
    }
    Patch {
        text,
        files,
        notes,
        presence: PatchPresence::Diff,
    }
}

struct Reader<'a> {
    text: &'a str,
    lines: Vec<Range<usize>>,
    at: usize,
    files: Vec<FilePatch>,
    /// Whether the last file still takes headers; `None` before the first file.
    open: Option<Open>,
    outside: Vec<Range<usize>>,
    combined: bool,
    /// The first line that is not blank, as found by the last look ahead.
    text_from: Cell<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Open {
    /// A git header was read, no `---` yet.
    Header,
    /// `---`/`+++` were read, or a hunk.
    Body,
}

impl Reader<'_> {
    fn line(&self, index: usize) -> Option<&str> {
        self.text.get(self.lines.get(index)?.clone())
    }

    fn run(&mut self) {
        while self.at < self.lines.len() {
            let line = self.line(self.at).unwrap_or("").to_owned();
            let line = line.strip_suffix('\r').unwrap_or(&line);
            if let Some(rest) = line.strip_prefix("diff --git ") {
                self.begin_git(rest);
            } else if let Some(rest) = line
                .strip_prefix("diff --cc ")
                .or_else(|| line.strip_prefix("diff --combined "))
            {
                self.begin_combined(rest);
            } else if self.combined {
                self.take_raw();
            } else if self.begins_plain_file() {
                self.read_paths();
            } else if line.starts_with("@@ -") {
                self.read_hunk(line);
            } else if line == "GIT binary patch" && self.open.is_some() {
                self.read_binary_data();
            } else if self.open == Some(Open::Header) && self.read_extended(line) {
                self.at += 1;
            } else if line.starts_with("Binary files ") && line.ends_with(" differ") {
                self.read_binary_line(line);
            } else {
                self.take_outside();
            }
        }
    }

    fn begin(&mut self, file: FilePatch, open: Open) {
        self.files.push(file);
        self.open = Some(open);
        self.combined = false;
    }

    fn begin_git(&mut self, rest: &str) {
        let mut file = FilePatch::default();
        match split_git_header(rest) {
            Some((old, new)) => {
                (file.old_path, file.new_path) = strip_pair(Some(old), Some(new));
            }
            None => file
                .notes
                .push(format!("the header's paths cannot be told apart: {rest}")),
        }
        self.begin(file, Open::Header);
        self.at += 1;
    }

    fn begin_combined(&mut self, rest: &str) {
        let path = read_path(rest);
        let file = FilePatch {
            old_path: Some(path.clone()),
            new_path: Some(path),
            notes: vec!["combined diff of a merge, shown as it is".to_owned()],
            ..FilePatch::default()
        };
        self.begin(file, Open::Body);
        self.combined = true;
        self.at += 1;
    }

    fn take_raw(&mut self) {
        let range = self.lines[self.at].clone();
        let line = self.text.get(range.clone()).unwrap_or("").to_owned();
        if let Some(file) = self.files.last_mut() {
            // The first columns tell the parents apart; a line with a sign in any of them counts.
            let signs: String = line.chars().take(2).collect();
            if !line.starts_with("---") && !line.starts_with("+++") && !line.starts_with("@@@") {
                file.added += u32::from(signs.contains('+'));
                file.removed += u32::from(signs.contains('-'));
            }
            file.raw.push(range);
        }
        self.at += 1;
    }

    /// `---` and `+++` that belong to a git header, or that a hunk follows.
    fn begins_plain_file(&self) -> bool {
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
            match rest.split(' ').nth(1) {
                Some("160000") => file.notes.push("submodule".to_owned()),
                Some("120000") => file.notes.push("symbolic link".to_owned()),
                _ => {}
            }
        } else {
            return line.starts_with("dissimilarity index ");
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

    /// Skips the encoded data: it ends where the next file begins.
    fn read_binary_data(&mut self) {
        self.at += 1;
        let from = self.at;
        while self
            .line(self.at)
            .is_some_and(|line| !line.starts_with("diff --git "))
        {
            self.at += 1;
        }
        if let Some(file) = self.files.last_mut() {
            file.binary = true;
            file.notes
                .push(format!("binary data: {} lines, not shown", self.at - from));
        }
        self.open = Some(Open::Body);
    }

    fn take_outside(&mut self) {
        let range = self.lines[self.at].clone();
        if !self.text.get(range.clone()).unwrap_or("").trim().is_empty() {
            self.outside.push(range);
        }
        self.at += 1;
    }

    fn read_hunk(&mut self, header: &str) {
        let range = self.lines[self.at].clone();
        let Some((old, new, section)) = hunk_header(header) else {
            self.take_outside();
            return;
        };
        if self.open.is_none() {
            let notes = vec!["no file header".to_owned()];
            self.begin(
                FilePatch {
                    notes,
                    ..FilePatch::default()
                },
                Open::Body,
            );
        }
        self.open = Some(Open::Body);
        self.at += 1;
        let section = range.start + section..range.start + header.len();
        let mut hunk = Hunk {
            old_start: old.0,
            old_count: old.1,
            new_start: new.0,
            new_count: new.1,
            section,
            lines: Vec::new(),
        };
        let mut notes = Vec::new();
        self.read_lines(&mut hunk, &mut notes);
        if let Some(file) = self.files.last_mut() {
            let count = |kind| hunk.lines.iter().filter(|line| line.kind == kind).count();
            file.added += u32::try_from(count(LineKind::Added)).unwrap_or(u32::MAX);
            file.removed += u32::try_from(count(LineKind::Removed)).unwrap_or(u32::MAX);
            for note in notes {
                if !file.notes.contains(&note) {
                    file.notes.push(note);
                }
            }
            file.hunks.push(hunk);
        }
    }

    fn read_lines(&mut self, hunk: &mut Hunk, notes: &mut Vec<String>) {
        let claimed = (hunk.old_count, hunk.new_count);
        let mut left = claimed;
        let mut taken = (0u32, 0u32);
        while let Some(range) = self.lines.get(self.at).cloned() {
            let line = self.text.get(range.clone()).unwrap_or("");
            let counting = left.0 > 0 || left.1 > 0;
            let kind = match line.as_bytes().first() {
                Some(b'\\') => LineKind::NoNewline,
                Some(b'+') => LineKind::Added,
                Some(b'-') => LineKind::Removed,
                Some(b' ') => LineKind::Context,
                // An editor or a model took the blank context line's only space.
                None | Some(b'\r') if counting && self.goes_on() => {
                    let note = "blank context lines have lost their leading space";
                    notes.push(note.to_owned());
                    LineKind::Context
                }
                _ => break,
            };
            if kind != LineKind::NoNewline && self.ends_hunk(line, left, counting) {
                break;
            }
            let (on_old, on_new) = match kind {
                LineKind::Context => (1, 1),
                LineKind::Added => (0, 1),
                LineKind::Removed => (1, 0),
                LineKind::NoNewline => (0, 0),
            };
            let sign = usize::from(!matches!(line.as_bytes().first(), None | Some(b'\r')));
            hunk.lines.push(HunkLine {
                kind,
                old_no: (on_old == 1).then(|| hunk.old_start.saturating_add(taken.0)),
                new_no: (on_new == 1).then(|| hunk.new_start.saturating_add(taken.1)),
                range: range.start + sign..range.end,
            });
            taken = (taken.0 + on_old, taken.1 + on_new);
            left = (left.0.saturating_sub(on_old), left.1.saturating_sub(on_new));
            self.at += 1;
        }
        if taken != claimed {
            notes.push(format!(
                "{COUNTS_NOTE} -{},{} +{},{}, there are -{},{} +{},{}",
                hunk.old_start,
                claimed.0,
                hunk.new_start,
                claimed.1,
                hunk.old_start,
                taken.0,
                hunk.new_start,
                taken.1
            ));
            (hunk.old_count, hunk.new_count) = taken;
        }
    }

    /// Whether a line with a sign does not belong to the hunk.
    fn ends_hunk(&self, line: &str, left: (u32, u32), counting: bool) -> bool {
        let next = |ahead: usize, prefix: &str| {
            self.line(self.at + ahead)
                .is_some_and(|line| line.starts_with(prefix))
        };
        let header = line.starts_with("--- ") && next(1, "+++ ") && next(2, "@@ ");
        if counting {
            // A header only when the counts are wrong: taking both lines must not fulfil them.
            return header && left != (1, 1);
        }
        // Past the counts: a file header or a mail signature ends the hunk, the rest is surplus.
        let signature = matches!(line.trim_end(), "--" | "-") && line.starts_with("--");
        header || signature || (line.starts_with("--- ") && next(1, "+++ "))
    }

    /// Whether a hunk line follows somewhere behind the blank lines from here.
    fn goes_on(&self) -> bool {
        let blank = |index: usize| {
            self.line(index)
                .is_some_and(|line| line.trim_end_matches('\r').is_empty())
        };
        // Kept, so that a run of blank lines is walked once and not once per line.
        if self.text_from.get() < self.at {
            let found = (self.at..self.lines.len()).find(|&index| !blank(index));
            self.text_from.set(found.unwrap_or(self.lines.len()));
        }
        let next = self.line(self.text_from.get());
        next.is_some_and(|line| matches!(line.as_bytes().first(), Some(b' ' | b'+' | b'-' | b'\\')))
    }
}

type Span = (u32, u32);

/// Reads `@@ -a,b +c,d @@ section`; the counts default to 1. Returns old, new, offset of the
/// section.
fn hunk_header(line: &str) -> Option<(Span, Span, usize)> {
    let rest = line.strip_prefix("@@ -")?;
    let end = rest.find(" @@")?;
    let (old, new) = rest.get(..end)?.split_once(" +")?;
    let span = |text: &str| -> Option<Span> {
        match text.split_once(',') {
            Some((start, count)) => Some((start.trim().parse().ok()?, count.trim().parse().ok()?)),
            None => Some((text.trim().parse().ok()?, 1)),
        }
    };
    let section = "@@ -".len() + end + " @@".len();
    let section = section + usize::from(line.get(section..)?.starts_with(' '));
    Some((span(old)?, span(new)?, section))
}

/// Tells when nothing but the line ends changed: the rows of both sides look the same then.
fn note_line_ends(text: &str, file: &mut FilePatch) {
    let side = |kind: LineKind| -> Vec<&str> {
        let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines
            .filter(|line| line.kind == kind)
            .filter_map(|line| text.get(line.range.clone()))
            .collect()
    };
    let (old, new) = (side(LineKind::Removed), side(LineKind::Added));
    let bare = |line: &&str| line.trim_end_matches('\r').len();
    let same = |(a, b): (&&str, &&str)| a.get(..bare(a)) == b.get(..bare(b));
    if old.len() != new.len() || old == new || !old.iter().zip(&new).all(same) {
        return;
    }
    let crlf = |lines: &[&str]| lines.iter().filter(|line| line.ends_with('\r')).count();
    let (before, after) = (crlf(&old), crlf(&new));
    file.notes.push(format!(
        "only the line ends changed: {before} of {} lines ended in CRLF before, {after} after",
        old.len()
    ));
}

fn finish(file: &mut FilePatch) {
    let content = !file.hunks.is_empty() || file.binary || !file.raw.is_empty();
    let mode = file.old_mode.is_some() && file.new_mode.is_some();
    if file.status == FileStatus::Modified && mode && !content {
        file.status = FileStatus::ModeChanged;
    }
    match file.status {
        FileStatus::Added => file.old_path = None,
        FileStatus::Deleted => file.new_path = None,
        _ => {}
    }
    if file.new_mode.as_deref() == Some("160000") || file.old_mode.as_deref() == Some("160000") {
        let note = "submodule".to_owned();
        if !file.notes.contains(&note) {
            file.notes.push(note);
        }
    }
    let ends: Vec<bool> = {
        let signs = [LineKind::Removed, LineKind::Added];
        let has = |kind: LineKind| {
            file.hunks.iter().any(|hunk| {
                hunk.lines.windows(2).any(|pair| {
                    pair[1].kind == LineKind::NoNewline
                        && (pair[0].kind == kind || pair[0].kind == LineKind::Context)
                })
            })
        };
        signs.into_iter().map(has).collect()
    };
    match ends.as_slice() {
        [true, false] => file
            .notes
            .push("a newline was added at the end of the file".to_owned()),
        [false, true] if file.status == FileStatus::Modified => {
            file.notes
                .push("the newline at the end of the file was removed".to_owned());
        }
        _ => {}
    }
}
