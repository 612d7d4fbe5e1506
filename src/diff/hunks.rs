//! The hunks of one file: lines driven by the counts of the header, lenient where they are wrong.
//!
//! Not here: hunks of combined diffs (`combined`), file headers (`parse`).

use super::model::{FilePatch, Hunk, HunkLine, LineKind, LineSpan};
use super::parse::{Open, Reader};
use super::repair::Repair;

impl Reader<'_> {
    /// Reads a hunk from its header on; a header without numbers makes it raw text of its file.
    pub(super) fn read_hunk(&mut self, header: &str) {
        let range = self.lines[self.at].clone();
        let strict = hunk_header(header);
        let odd = strict.is_none();
        let Some((old, new, section)) = strict.or_else(|| odd_header(header)) else {
            self.read_raw_hunk();
            return;
        };
        if self.open.is_none() {
            let repairs = vec![Repair::NoFileHeader];
            self.begin(
                FilePatch {
                    repairs,
                    ..FilePatch::default()
                },
                Open::Body,
            );
        }
        self.open = Some(Open::Body);
        self.crlf |= self.text.as_bytes().get(range.end.wrapping_sub(1)) == Some(&b'\r');
        self.at += 1;
        let section = range.start + section..range.start + header.len();
        let mut hunk = Hunk {
            old_start: old.start,
            old_count: old.count,
            new_start: new.start,
            new_count: new.count,
            section,
            ..Hunk::default()
        };
        let index = self.files.last().map_or(0, |file| file.hunks.len());
        let mut repairs = Vec::new();
        if odd {
            repairs.push(Repair::OddHeader { hunk: index });
        }
        let (added, removed) = self.read_lines(&mut hunk, index, &mut repairs);
        if let Some(file) = self.files.last_mut() {
            file.added = file.added.saturating_add(added);
            file.removed = file.removed.saturating_add(removed);
            file.repairs.append(&mut repairs);
            file.hunks.push(hunk);
        }
    }

    /// Keeps a hunk without line numbers as raw text of the open file.
    pub(super) fn read_raw_hunk(&mut self) {
        if self.open.is_none() {
            self.take_outside();
            return;
        }
        let from = self.lines[self.at].start;
        self.at += 1;
        while let Some(line) = self.line(self.at) {
            let signed = matches!(
                line.as_bytes().first(),
                None | Some(b' ' | b'+' | b'-' | b'\\')
            );
            if !signed || self.begins_plain_file() {
                break;
            }
            self.at += 1;
        }
        let to = self.lines[self.at - 1].end;
        if let Some(file) = self.files.last_mut() {
            file.repairs.push(Repair::UnreadableHunk {
                raw: file.raw.len(),
            });
            file.raw.push(from..to);
        }
        self.open = Some(Open::Body);
    }

    /// Reads the lines of a hunk; returns how many are added and removed.
    fn read_lines(
        &mut self,
        hunk: &mut Hunk,
        index: usize,
        repairs: &mut Vec<Repair>,
    ) -> (u32, u32) {
        let claimed = (hunk.old_count, hunk.new_count);
        let expected = claimed.0.max(claimed.1) as usize;
        // A header may claim anything.
        hunk.lines
            .reserve(expected.min(self.lines.len().saturating_sub(self.at)));
        let (mut added, mut removed, mut stripped) = (0u32, 0u32, 0u32);
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
                    stripped += 1;
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
            added += u32::from(kind == LineKind::Added);
            removed += u32::from(kind == LineKind::Removed);
            let sign = usize::from(!matches!(line.as_bytes().first(), None | Some(b'\r')));
            hunk.lines.push(HunkLine {
                kind,
                // A side without lines has number 0; surplus lines of it are its first.
                old_no: (on_old == 1).then(|| hunk.old_start.max(1).saturating_add(taken.0)),
                new_no: (on_new == 1).then(|| hunk.new_start.max(1).saturating_add(taken.1)),
                range: range.start + sign..range.end,
            });
            taken = (taken.0 + on_old, taken.1 + on_new);
            left = (left.0.saturating_sub(on_old), left.1.saturating_sub(on_new));
            self.at += 1;
        }
        if stripped > 0 {
            let lines = stripped;
            repairs.push(Repair::StrippedContext { hunk: index, lines });
        }
        if taken != claimed {
            let spans = |(old, new): (u32, u32)| {
                let span = |start, count| LineSpan { start, count };
                (span(hunk.old_start, old), span(hunk.new_start, new))
            };
            let (claimed, found) = (spans(claimed), spans(taken));
            let short = left.0 > 0 || left.1 > 0;
            let hunk = index;
            repairs.push(if short && self.ends_here() {
                Repair::Truncated {
                    hunk,
                    claimed,
                    found,
                }
            } else {
                Repair::CountsCorrected {
                    hunk,
                    claimed,
                    found,
                }
            });
        }
        (hunk.old_count, hunk.new_count) = taken;
        (added, removed)
    }

    /// Whether nothing but blank lines and a closing fence follows.
    fn ends_here(&self) -> bool {
        let rest = self.lines.get(self.at..).unwrap_or(&[]);
        // A patch's tail is short; only a text with much behind the patch is looked at further.
        rest.iter().take(8).all(|range| {
            let line = self.text.get(range.clone()).unwrap_or("").trim();
            line.is_empty() || line.starts_with("```")
        }) && rest.len() <= 8
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

/// What a hunk's header says: old side, new side, offset of the section.
type Header = (LineSpan, LineSpan, usize);

/// Reads `12,3` or `12`, whose count is 1.
pub(super) fn span(text: &str) -> Option<LineSpan> {
    let (start, count) = match text.split_once(',') {
        Some((start, count)) => (start, count.trim().parse().ok()?),
        None => (text, 1),
    };
    let start = start.trim().parse().ok()?;
    Some(LineSpan { start, count })
}

/// Reads `@@ -a,b +c,d @@ section`.
fn hunk_header(line: &str) -> Option<Header> {
    let rest = line.strip_prefix("@@ -")?;
    let end = rest.find(" @@")?;
    let (old, new) = rest.get(..end)?.split_once(" +")?;
    let section = "@@ -".len() + end + " @@".len();
    let section = section + usize::from(line.get(section..)?.starts_with(' '));
    Some((span(old)?, span(new)?, section))
}

/// Reads a header with blanks lost or added, or without its closing `@@`.
fn odd_header(line: &str) -> Option<Header> {
    let rest = line.strip_prefix("@@")?;
    let (numbers, section) = match rest.find("@@") {
        Some(end) => (rest.get(..end)?, 2 + end + 2),
        None => (rest, line.len()),
    };
    let (old, new) = numbers.trim().strip_prefix('-')?.split_once('+')?;
    Some((span(old.trim())?, span(new.trim())?, section))
}
