//! How the lines of moved blocks are marked on paper.

use crate::diff::{Moves, Patch};
use crate::tui::text;
use crate::tui::widgets::diff_lines::Moved;

/// The mark of a line (file, hunk, line) of a patch: the first line of either end names the other
/// one.
#[must_use]
pub fn mark(moves: &Moves, patch: &Patch, at: (usize, usize, usize)) -> Option<Moved> {
    let (file, hunk, line) = at;
    let (block, (to_file, to_hunk, to_line)) = moves.of_line(file, hunk, line)?;
    let of = |(file, hunk, line): (usize, usize, usize)| {
        patch.files.get(file)?.hunks.get(hunk)?.lines.get(line)
    };
    // A removed line has no number on the new side.
    let is_from = of(at).is_some_and(|line| line.new_no.is_none());
    let end = if is_from { &block.from } else { &block.to };
    let note = (end.lines.start == line).then(|| {
        let there = of((to_file, to_hunk, to_line));
        let number = there.and_then(|line| if is_from { line.new_no } else { line.old_no });
        let number = number.map_or(String::new(), |number| format!(":{number}"));
        let path = patch.files.get(to_file).map_or("", |file| file.path());
        let path = text::sanitize_line(path.rsplit('/').next().unwrap_or(path));
        let word = if is_from { "to" } else { "from" };
        format!("↦ moved {word} {path}{number}")
    });
    Some(Moved { note })
}
