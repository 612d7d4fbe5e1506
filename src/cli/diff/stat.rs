//! The file matrix of `gagar diff --stat`: files by candidates, lines added and removed.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Chosen;
use crate::cli::error::CliError;
use crate::cli::output::{Io, visible};
use crate::diff::{Aligned, AlignedFile, FileOf, FileStatus};

/// Columns that a path keeps, however narrow the paper.
const LEAST_PATH: usize = 12;

/// Prints a line a file, a column a candidate, and the sums. Where it would be wider than `width`
/// columns, paths lose their beginnings.
///
/// # Errors
/// When the output cannot be written.
pub fn print(
    aligned: &Aligned,
    files: &[usize],
    chosen: &[Chosen],
    width: Option<u16>,
    io: &mut Io<'_>,
) -> Result<(), CliError> {
    let mut header = vec!["file".to_owned(), "touched by".to_owned()];
    header.extend(chosen.iter().map(|candidate| candidate.short()));
    let mut right = vec![false];
    right.resize(header.len(), true);
    let mut sums = vec![(0, 0); chosen.len()];
    let mut rows = Vec::new();
    let candidates = chosen.iter().filter(|c| !c.is_reference()).count();
    for file in files.iter().filter_map(|&file| aligned.files.get(file)) {
        let of = |candidate: &Chosen| file.file_of(candidate.index);
        let touching = chosen
            .iter()
            .filter(|c| !c.is_reference() && of(c).is_some());
        let touched = format!("{}/{candidates}", touching.count());
        let mut row = vec![visible_path(&file.path), touched];
        for (candidate, sum) in chosen.iter().zip(&mut sums) {
            row.push(match of(candidate) {
                None => "·".to_owned(),
                Some(found) => {
                    sum.0 += u64::from(found.added);
                    sum.1 += u64::from(found.removed);
                    words(aligned, (file, found), candidate.index)
                }
            });
        }
        rows.push(row);
    }
    let counted = match rows.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let mut last = vec![counted, String::new()];
    last.extend(
        sums.iter()
            .map(|(added, removed)| format!("+{added} −{removed}")),
    );
    rows.push(last);
    if let Some(width) = width {
        // The other columns, each behind a gap of two.
        let others = (1..header.len()).map(|column| {
            let cells = std::iter::once(&header).chain(&rows);
            let widths = cells
                .filter_map(|row| row.get(column))
                .map(|cell| cell.width());
            2 + widths.max().unwrap_or(0)
        });
        let room = usize::from(width).saturating_sub(others.sum());
        for path in rows.iter_mut().filter_map(|row| row.first_mut()) {
            *path = end_of(path, room.max(LEAST_PATH));
        }
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    io.table(&header, &right, &rows)?;
    Ok(())
}

/// What a candidate does to a file, in the words of the compare screen's file matrix; a file with
/// another path than the base's is told with it.
fn words(aligned: &Aligned, (file, of): (&AlignedFile, &FileOf), candidate: usize) -> String {
    let candidate = aligned.candidates().get(candidate);
    let Some(found) = candidate.and_then(|candidate| candidate.patch.files.get(of.file)) else {
        return "changed".to_owned();
    };
    let counts = (of.added, of.removed);
    let mut words = match (of.opaque && !found.binary, counts) {
        (true, (0, 0)) => "changed".to_owned(),
        _ => found.status.words(found.binary, counts),
    };
    let modes = [&found.old_mode, &found.new_mode];
    if let (FileStatus::ModeChanged, [Some(old), Some(new)]) = (found.status, modes) {
        words.push_str(&format!(" {old} → {new}"));
    }
    match (&found.old_path, &found.new_path) {
        (Some(old), Some(new)) if old != new && *new == file.path => {
            words.push_str(&format!(" from {old}"));
        }
        (Some(old), Some(new)) if old != new => words.push_str(&format!(" to {new}")),
        _ => {}
    }
    words
}

fn visible_path(path: &str) -> String {
    visible(&path.replace('\t', "␉"))
}

/// A path cut to so many columns: its end says most.
fn end_of(path: &str, columns: usize) -> String {
    if path.width() <= columns {
        return path.to_owned();
    }
    let mut taken = 1;
    let mut from = path.len();
    for (at, c) in path.char_indices().rev() {
        taken += c.width().unwrap_or(0);
        if taken > columns {
            break;
        }
        from = at;
    }
    format!("…{}", path.get(from..).unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_keeps_its_end_and_shows_its_tabs() {
        assert_eq!(end_of("src/a.rs", 8), "src/a.rs");
        assert_eq!(end_of("src/long/a.rs", 8), "…ng/a.rs");
        assert_eq!(end_of("日本日本", 5), "…日本");
        assert_eq!(visible_path("a\tb"), "a␉b");
    }
}
