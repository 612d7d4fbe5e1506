//! The rows of one patch as they are drawn.

use super::{Change, Code, Entry, Mark, NONE, Own, Row, Shape, Side};
use crate::diff::{HunkLine, LineKind, WhitespaceChange};

impl Own {
    /// A row; nothing behind the last one.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<Row<'_>> {
        Some(match *self.entries.get(row)? {
            Entry::Blank => Row::Blank,
            Entry::Note(note) => Row::Warning(
                self.patch
                    .notes
                    .get(note as usize)
                    .cloned()
                    .unwrap_or_default(),
            ),
            Entry::File(file) => Row::File {
                file: file as usize,
            },
            Entry::FileNote { file, note } => {
                let mut notes = self.patch.file_notes(file as usize).into_iter();
                Row::Fact(notes.nth(note as usize).unwrap_or_default())
            }
            Entry::Folded(file) => {
                let hunks = self.patch.files.get(file as usize).map(|file| &file.hunks);
                let hunks = hunks.map_or(&[][..], Vec::as_slice);
                let lines: usize = hunks.iter().map(|hunk| hunk.lines.len()).sum();
                Row::Fold(format!("⋯ {lines} lines folded"))
            }
            Entry::Hunk(hunk) => Row::Hunk(self.hunk_title(hunk)),
            Entry::Raw(raw) => Row::Raw(self.raw(raw).unwrap_or("")),
            Entry::Line { hunk, line } => {
                let found = self.hunk_line(hunk, line)?;
                match found.kind {
                    LineKind::NoNewline => {
                        let side = self.side_without_newline(hunk, line);
                        Row::NoNewline {
                            old: side != Some(Side::New),
                            new: side != Some(Side::Old),
                        }
                    }
                    _ => Row::Code(self.code(hunk, line, found)),
                }
            }
            Entry::Hidden { changes, .. } => Row::Fold(match changes {
                1 => "⋯ 1 white-space-only change hidden".to_owned(),
                n => format!("⋯ {n} white-space-only changes hidden"),
            }),
            Entry::Gap { from, to, .. } => {
                let lines = (to + 1).saturating_sub(from);
                Row::Fold(format!("⋯ {lines} unchanged"))
            }
            Entry::Base { file, line } => Row::Code(Code {
                change: Change::Untouched,
                old_no: Some(line),
                new_no: Some(self.new_number(file, line)),
                text: self.base_text(file, line).unwrap_or(""),
                words: Vec::new(),
                whitespace: WhitespaceChange::None,
                source: None,
                base: Some(row),
                mark: None,
                note: None,
                no_newline: false,
            }),
            Entry::Pair { hunk, old, new } if self.shape == Shape::Unified => {
                let mut code = self.code(hunk, new, self.hunk_line(hunk, new)?);
                code.old_no = self.hunk_line(hunk, old)?.old_no;
                Row::Code(code)
            }
            Entry::Pair { hunk, old, new } => {
                let of = |line: u32| {
                    let found = self.hunk_line(hunk, line);
                    found.filter(|_| line != NONE)
                };
                let (left, right) = (of(old), of(new));
                let ends = |line: Option<&HunkLine>| {
                    line.is_some_and(|line| line.kind == LineKind::NoNewline)
                };
                if ends(left) || ends(right) {
                    return Some(Row::NoNewline {
                        old: ends(left),
                        new: ends(right),
                    });
                }
                Row::Split(
                    left.map(|line| self.code(hunk, old, line)),
                    right.map(|line| self.code(hunk, new, line)),
                )
            }
        })
    }

    /// The side that a "no newline" mark is about; `None` for both.
    fn side_without_newline(&self, hunk: u32, line: u32) -> Option<Side> {
        match self.hunk_line(hunk, line.checked_sub(1)?)?.kind {
            LineKind::Removed => Some(Side::Old),
            LineKind::Added => Some(Side::New),
            LineKind::Context | LineKind::NoNewline => None,
        }
    }

    fn code<'a>(&'a self, hunk: u32, line: u32, found: &HunkLine) -> Code<'a> {
        let quiet = self.is_quiet(hunk, line);
        let change = match found.kind {
            LineKind::Added | LineKind::Removed if quiet => Change::Context,
            LineKind::Added => Change::Added,
            LineKind::Removed => Change::Removed,
            LineKind::Context | LineKind::NoNewline => Change::Context,
        };
        let words = match change {
            Change::Context | Change::Untouched => Vec::new(),
            Change::Added | Change::Removed => self.changed_words(hunk, line),
        };
        let (file, hunk) = self.hunks.get(hunk as usize).copied().unwrap_or_default();
        Code {
            change,
            old_no: found.old_no,
            new_no: found.new_no,
            text: self.patch.line_text(found),
            words,
            whitespace: self.pairs.whitespace((file, hunk, line as usize)),
            source: Some((file, hunk, line as usize)),
            base: None,
            mark: match self.pairs.is_conflict((file, hunk, line as usize)) {
                true => Some(Mark::Conflict),
                false => quiet.then_some(Mark::Whitespace),
            },
            note: self.pairs.shift_note((file, hunk, line as usize)),
            no_newline: false,
        }
    }

    fn hunk_title(&self, place: u32) -> String {
        let found = self.hunks.get(place as usize).and_then(|&(file, hunk)| {
            let file = self.patch.files.get(file)?;
            file.hunks.get(hunk)
        });
        let Some(hunk) = found else {
            return String::new();
        };
        let section = self.section(place).unwrap_or("").trim();
        format!("{} {section}", hunk.header())
    }
}
