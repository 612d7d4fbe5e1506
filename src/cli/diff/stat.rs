//! The file matrix of `gagar diff --stat`: files by candidates, lines added and removed.

use super::Chosen;
use crate::cli::error::CliError;
use crate::cli::output::Io;
use crate::diff::Aligned;

/// Prints a line a file, a column a candidate, and the sums.
///
/// # Errors
/// When the output cannot be written.
pub fn print(
    aligned: &Aligned,
    files: &[usize],
    chosen: &[Chosen],
    io: &mut Io<'_>,
) -> Result<(), CliError> {
    let mut header = vec!["file".to_owned(), "touched by".to_owned()];
    header.extend(chosen.iter().map(|candidate| candidate.short()));
    let mut right = vec![false];
    right.resize(header.len(), true);
    let mut sums = vec![(0, 0); chosen.len()];
    let mut rows = Vec::new();
    for file in files.iter().filter_map(|&file| aligned.files.get(file)) {
        let of = |candidate: &Chosen| file.file_of(candidate.index);
        let touching = chosen.iter().filter(|c| of(c).is_some()).count();
        let mut row = vec![file.path.clone(), format!("{touching}/{}", chosen.len())];
        for (candidate, sum) in chosen.iter().zip(&mut sums) {
            row.push(match of(candidate) {
                None => "·".to_owned(),
                Some(found) if found.opaque => "changed".to_owned(),
                Some(found) => {
                    sum.0 += u64::from(found.added);
                    sum.1 += u64::from(found.removed);
                    format!("+{} −{}", found.added, found.removed)
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
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    io.table(&header, &right, &rows)?;
    Ok(())
}
