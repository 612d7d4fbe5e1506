//! Sections of a patch that are about one file, read as one.
//!
//! Not here: how a section is read (`parse`), what is told of a whole file (`facts`).

use std::collections::HashMap;

use super::facts::kind_of;
use super::model::{FilePatch, FileStatus, Hunk, LineKind};
use super::repair::Repair;

/// Joins the two sections of a type change, and the sections that edit one file. Sections of one path
/// that cannot be joined (a file added and then edited) stay apart and are told.
pub(super) fn join(text: &str, files: Vec<FilePatch>) -> Vec<FilePatch> {
    let mut joined = join_repeated(join_type_changes(files));
    for file in &mut joined {
        if file.repairs.iter().any(is_repeated) {
            note_repeated_hunks(text, file);
        }
    }
    joined
}

/// Git writes a type change as two entries of one path: the old thing removed, the new one added.
fn join_type_changes(files: Vec<FilePatch>) -> Vec<FilePatch> {
    let mut joined: Vec<FilePatch> = Vec::with_capacity(files.len());
    for mut file in files {
        let same = joined.last_mut().filter(|before| {
            let kinds = (kind_of(&before.old_mode), kind_of(&file.new_mode));
            before.status == FileStatus::Deleted
                && file.status == FileStatus::Added
                && before.old_path == file.new_path
                && matches!(kinds, (Some(old), Some(new)) if old != new)
        });
        let Some(before) = same else {
            joined.push(file);
            continue;
        };
        before.status = FileStatus::TypeChanged;
        before.new_path = file.new_path.take();
        before.new_mode = file.new_mode.take();
        append(before, file);
    }
    joined
}

/// Joins the sections that edit one file; each is taken to stand on the base.
fn join_repeated(files: Vec<FilePatch>) -> Vec<FilePatch> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    let places = files.iter().enumerate();
    let earlier: Vec<Option<usize>> = places
        .map(|(index, file)| match file.path() {
            "" => None,
            path => Some(*first.entry(path).or_insert(index)).filter(|&first| first != index),
        })
        .collect();
    if earlier.iter().all(Option::is_none) {
        return files;
    }
    let mut joined: Vec<FilePatch> = Vec::with_capacity(files.len());
    // Where each section went.
    let mut went: Vec<usize> = Vec::with_capacity(files.len());
    for (mut file, earlier) in files.into_iter().zip(earlier) {
        let place = earlier.and_then(|earlier| went.get(earlier).copied());
        match place.and_then(|place| Some((place, joined.get_mut(place)?))) {
            Some((place, before)) if is_edit(before) && is_edit(&file) => {
                went.push(place);
                let hunk = before.hunks.len();
                let repair = before.repairs.iter_mut().find(|repair| is_repeated(repair));
                match repair {
                    Some(Repair::RepeatedFile { sections, .. }) => *sections += 1,
                    _ => before.repairs.push(Repair::RepeatedFile {
                        path: file.path().to_owned(),
                        hunk,
                        sections: 2,
                    }),
                }
                append(before, file);
            }
            found => {
                if found.is_some() {
                    let path = file.path();
                    file.notes.push(format!(
                        "⚠ {path} is there more than once in this patch: this section is about what an \
                         earlier one leaves behind, not about the base"
                    ));
                }
                went.push(joined.len());
                joined.push(file);
            }
        }
    }
    joined
}

fn is_repeated(repair: &Repair) -> bool {
    matches!(repair, Repair::RepeatedFile { .. })
}

/// Whether a section changes lines of a file that stays where it is.
fn is_edit(file: &FilePatch) -> bool {
    matches!(file.status, FileStatus::Modified | FileStatus::ModeChanged)
        && file.old_path == file.new_path
        && file.parents == 0
        && !file.binary
}

/// Puts what a further section has behind what is there.
fn append(before: &mut FilePatch, mut file: FilePatch) {
    before.binary |= file.binary;
    before.binary_sizes = before.binary_sizes.or(file.binary_sizes);
    before.added = before.added.saturating_add(file.added);
    before.removed = before.removed.saturating_add(file.removed);
    before.new_mode = file.new_mode.take().or(before.new_mode.take());
    before.old_mode = before.old_mode.take().or(file.old_mode.take());
    let (hunks, raws) = (before.hunks.len(), before.raw.len());
    let repairs = file.repairs.into_iter();
    let shifted = repairs.map(|repair| shifted(repair, hunks, raws));
    before.repairs.extend(shifted);
    before.hunks.append(&mut file.hunks);
    before.raw.append(&mut file.raw);
    before.notes.append(&mut file.notes);
}

/// The repair of a file whose hunks were put behind others.
fn shifted(mut repair: Repair, by_hunks: usize, by_raws: usize) -> Repair {
    match &mut repair {
        Repair::CountsCorrected { hunk, .. }
        | Repair::Truncated { hunk, .. }
        | Repair::StrippedContext { hunk, .. }
        | Repair::RepeatedFile { hunk, .. }
        | Repair::OddHeader { hunk } => *hunk += by_hunks,
        Repair::UnreadableHunk { raw } => *raw += by_raws,
        Repair::NoFileHeader
        | Repair::UnclearPaths { .. }
        | Repair::CrlfPatch
        | Repair::ByteOrderMark
        | Repair::NoFinalNewline
        | Repair::Fenced { .. } => {}
    }
    repair
}

/// Tells of hunks that a further section has once more.
fn note_repeated_hunks(text: &str, file: &mut FilePatch) {
    let mut known = HashMap::new();
    let mut notes = Vec::new();
    for (index, hunk) in file.hunks.iter().enumerate() {
        let first = *known.entry(content(text, hunk)).or_insert(index);
        if first != index {
            notes.push(format!(
                "⚠ hunk {} is hunk {} once more: it does not apply twice",
                index + 1,
                first + 1
            ));
        }
    }
    file.notes.append(&mut notes);
}

/// Where a hunk says that it stands, and its lines with their signs.
fn content<'a>(text: &'a str, hunk: &Hunk) -> (u32, Vec<(char, &'a str)>) {
    let line = |range: &std::ops::Range<usize>| text.get(range.clone()).unwrap_or("");
    let lines = hunk.lines.iter();
    let lines = lines.map(|of| (sign(of.kind), line(&of.range))).collect();
    (hunk.old_start, lines)
}

fn sign(kind: LineKind) -> char {
    match kind {
        LineKind::Context => ' ',
        LineKind::Added => '+',
        LineKind::Removed => '-',
        LineKind::NoNewline => '\\',
    }
}
