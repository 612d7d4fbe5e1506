//! What a candidate leaves behind of a file: its lines in order, with holes where the base is not
//! known.
//!
//! What is *not* here: comparing two of them ([`super::results`], [`super::interdiff`]).

use super::aligned::{Aligned, AlignedFile, AlignedRow, Cell, LineText};
use super::{FilePatch, FileStatus};

/// A piece of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A line.
    Line(LineText<'a>),
    /// Base lines that nobody quotes, kept as they are: the first and the last; `None` when the end
    /// is not known.
    Hole(u32, Option<u32>),
}

/// Why the result of a candidate cannot be told, one sentence each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotComparable {
    /// The change has no lines.
    #[error("the change has no lines (binary or a merge)")]
    Opaque,
    /// The candidates quote a base line differently.
    #[error("line {0} of the base is quoted in two ways")]
    Contradiction(u32),
    /// A hunk does not stand where it says.
    #[error("hunk {0} does not apply to the base")]
    DoesNotApply(usize),
    /// A file is there on one side only, and the base is not known in whole.
    #[error("one side has no such file, and the whole text of the other is not known")]
    NotWhole,
}

/// What a candidate makes of a file.
#[derive(Debug, Clone)]
pub(super) struct FileResult<'a> {
    /// Its path afterwards; `None` when it is not there.
    pub path: Option<&'a str>,
    /// Its mode afterwards (octal text), when told.
    pub mode: Option<&'a str>,
    /// Its lines; none when it is not there.
    pub pieces: Vec<Piece<'a>>,
}

/// What a candidate makes of a file.
///
/// # Errors
/// It cannot be told.
pub(super) fn result(
    aligned: &Aligned,
    file: usize,
    candidate: usize,
) -> Result<FileResult<'_>, NotComparable> {
    let (path, mode) = facts(aligned, file, candidate)?;
    let pieces = match (path, aligned.files.get(file)) {
        (Some(_), Some(of)) => pieces(aligned, file, of, candidate),
        _ => Vec::new(),
    };
    Ok(FileResult { path, mode, pieces })
}

/// Path (`None`: not there) and mode of a file afterwards.
///
/// # Errors
/// Its lines cannot be told.
pub(super) fn facts(
    aligned: &Aligned,
    file: usize,
    candidate: usize,
) -> Result<(Option<&str>, Option<&str>), NotComparable> {
    let Some(of) = aligned.files.get(file) else {
        return Ok((None, None));
    };
    let touched = of.file_of(candidate);
    if touched.is_some_and(|touched| touched.opaque) {
        return Err(NotComparable::Opaque);
    }
    let anchors = touched.map_or(&[][..], |touched| &touched.anchors);
    if let Some(hunk) = anchors.iter().position(|anchor| !anchor.applies()) {
        return Err(NotComparable::DoesNotApply(hunk + 1));
    }
    let patch_file = patch_file(aligned, of, candidate);
    // A part of the change that has no lines leaves the whole untold.
    if patch_file.is_some_and(|file| file.binary || !file.raw.is_empty()) {
        return Err(NotComparable::Opaque);
    }
    let path = match patch_file {
        None => of.base_path.as_deref().filter(|_| !of.is_copy),
        Some(file) => file.new_path.as_deref(),
    };
    let told = patch_file.and_then(|file| file.new_mode.as_deref());
    let mode = told.or_else(|| {
        // The others tell what it was before.
        let mut others = (0..aligned.candidates().len())
            .filter_map(|candidate| patch_file_mode(aligned, of, candidate));
        others.next()
    });
    Ok((path, mode.filter(|_| path.is_some())))
}

fn patch_file<'a>(
    aligned: &'a Aligned,
    file: &AlignedFile,
    candidate: usize,
) -> Option<&'a FilePatch> {
    let index = file.file_of(candidate)?.file;
    aligned.candidates().get(candidate)?.patch.files.get(index)
}

fn patch_file_mode<'a>(
    aligned: &'a Aligned,
    file: &AlignedFile,
    candidate: usize,
) -> Option<&'a str> {
    patch_file(aligned, file, candidate)?.old_mode.as_deref()
}

fn pieces<'a>(
    aligned: &'a Aligned,
    index: usize,
    file: &'a AlignedFile,
    candidate: usize,
) -> Vec<Piece<'a>> {
    let is_new = |file: &FilePatch| file.status == FileStatus::Added;
    let has_base = !patch_file(aligned, file, candidate).is_some_and(is_new);
    let mut pieces = Vec::with_capacity(file.len());
    if file.is_empty() && has_base {
        match &file.base {
            // No candidate has lines: the base is kept, whatever it says.
            None => pieces.push(Piece::Hole(1, None)),
            Some(base) => {
                let lines = (1..=base.lines()).filter_map(|line| base_line(file, line));
                pieces.extend(lines.map(Piece::Line));
            }
        }
    }
    for (row, kind) in file.rows().iter().enumerate() {
        let cell = file.cell(row, candidate);
        match (*kind, cell) {
            (_, Cell::Added { hunk, line }) => {
                pieces.extend(aligned.line(index, candidate, hunk, line).map(Piece::Line));
            }
            (_, Cell::Removed { .. }) | (AlignedRow::Inserted { .. }, _) => {}
            (AlignedRow::Line { .. }, _) if has_base => {
                pieces.extend(aligned.base_of_row(index, row).map(Piece::Line));
            }
            (AlignedRow::Gap { from, to, known }, _) if has_base => match (known, to) {
                (true, Some(to)) => {
                    let lines = (from..=to).filter_map(|line| base_line(file, line));
                    pieces.extend(lines.map(Piece::Line));
                }
                _ => pieces.push(Piece::Hole(from, to)),
            },
            _ => {}
        }
    }
    pieces
}

/// A line of the known base.
fn base_line(file: &AlignedFile, number: u32) -> Option<LineText<'_>> {
    let base = file.base.as_deref()?;
    Some(LineText {
        text: base.line(number)?,
        no_newline: number == base.lines() && !base.ends_with_newline(),
    })
}
