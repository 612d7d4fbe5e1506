//! Hunks of combined diffs: one sign column per parent, `@@@ -a,b -c,d +e,f @@@`.
//!
//! Not here: ordinary hunks (`hunks`).

use super::hunks::span;
use super::model::{Combined, Hunk, HunkLine, LineKind, LineSpan};
use super::parse::{Open, Reader};
use super::repair::Repair;

/// More parents than this are no merge that anyone made.
const MOST_PARENTS: usize = 64;

impl Reader<'_> {
    /// Reads a hunk of a combined diff; one that gives no numbers becomes raw text of its file.
    pub(super) fn read_combined_hunk(&mut self, header: &str) {
        let range = self.lines[self.at].clone();
        let Some((parents, new, section)) = combined_header(header).filter(|_| self.open.is_some())
        else {
            self.read_raw_hunk();
            return;
        };
        self.open = Some(Open::Body);
        self.at += 1;
        let claimed_old = parents.first().copied().unwrap_or_default();
        let mut hunk = Hunk {
            old_start: claimed_old.start,
            new_start: new.start,
            section: range.start + section..range.start + header.len(),
            ..Hunk::default()
        };
        let mut numbers = Vec::new();
        let mut taken = vec![0u32; parents.len()];
        let mut taken_new = 0u32;
        let (mut added, mut removed) = (0u32, 0u32);
        while let Some(range) = self.lines.get(self.at).cloned() {
            let line = self.text.get(range.clone()).unwrap_or("");
            let done = taken_new >= new.count
                && parents.iter().zip(&taken).all(|(span, n)| *n >= span.count);
            if line.starts_with('\\') {
                hunk.lines.push(HunkLine {
                    kind: LineKind::NoNewline,
                    old_no: None,
                    new_no: None,
                    range: range.start + 1..range.end,
                });
                numbers.extend(std::iter::repeat_n(0, parents.len()));
                self.at += 1;
                continue;
            }
            let signs = line.as_bytes().get(..parents.len()).unwrap_or(b"");
            let readable = !signs.is_empty() && signs.iter().all(|s| b" +-".contains(s));
            // An editor may have taken the blanks of an empty line.
            let blank = line.trim().is_empty();
            if done || !(readable || blank) {
                break;
            }
            let signs = if readable { signs } else { b"" };
            let gone = signs.contains(&b'-');
            let mut old_no = None;
            for (parent, (span, n)) in parents.iter().zip(&mut taken).enumerate() {
                let sign = signs.get(parent).copied().unwrap_or(b' ');
                let there = if gone { sign == b'-' } else { sign != b'+' };
                let number = span.start.saturating_add(*n);
                numbers.push(if there { number } else { 0 });
                *n += u32::from(there);
                if there && parent == 0 {
                    old_no = Some(number);
                }
            }
            let new_no = (!gone).then(|| new.start.saturating_add(taken_new));
            taken_new += u32::from(!gone);
            let kind = match (gone, signs.contains(&b'+')) {
                (true, _) => LineKind::Removed,
                (false, true) => LineKind::Added,
                (false, false) => LineKind::Context,
            };
            added += u32::from(kind == LineKind::Added);
            removed += u32::from(kind == LineKind::Removed);
            hunk.lines.push(HunkLine {
                kind,
                old_no,
                new_no,
                range: range.start + signs.len()..range.end,
            });
            self.at += 1;
        }
        let counted: Vec<LineSpan> = parents
            .iter()
            .zip(&taken)
            .map(|(span, &count)| LineSpan { count, ..*span })
            .collect();
        let found = counted.first().copied().unwrap_or_default();
        let found_new = LineSpan {
            count: taken_new,
            ..new
        };
        (hunk.old_count, hunk.new_count) = (found.count, taken_new);
        let wrong = counted != parents || taken_new != new.count;
        let width = parents.len();
        hunk.combined = Some(Box::new(Combined {
            parents: counted,
            numbers,
        }));
        if let Some(file) = self.files.last_mut() {
            file.parents = file.parents.max(width);
            file.added = file.added.saturating_add(added);
            file.removed = file.removed.saturating_add(removed);
            if wrong {
                file.repairs.push(Repair::CountsCorrected {
                    hunk: file.hunks.len(),
                    claimed: (claimed_old, new),
                    found: (found, found_new),
                });
            }
            file.hunks.push(hunk);
        }
    }
}

/// Reads `@@@ -a,b -c,d +e,f @@@ section`: parents, new side, offset of the section.
fn combined_header(line: &str) -> Option<(Vec<LineSpan>, LineSpan, usize)> {
    let marks = line.bytes().take_while(|&byte| byte == b'@').count();
    if !(3..=MOST_PARENTS + 1).contains(&marks) {
        return None;
    }
    let rest = line.get(marks..)?;
    let end = rest.find(line.get(..marks)?)?;
    let mut parents = Vec::new();
    let mut new = None;
    for word in rest.get(..end)?.split_whitespace() {
        match (word.strip_prefix('-'), word.strip_prefix('+')) {
            (Some(old), _) => parents.push(span(old)?),
            (_, Some(text)) => new = Some(span(text)?),
            _ => return None,
        }
    }
    let section = marks + end + marks;
    let section = section + usize::from(line.get(section..)?.starts_with(' '));
    (parents.len() + 1 == marks).then_some((parents, new?, section))
}
