//! How the lines of moved blocks are marked, on the screen and on paper.
//!
//! Not here: finding the blocks (`crate::diff::moves`).

use super::diff_lines::Moved;
use crate::diff::{Moves, Patch, emphasis};
use crate::tui::text;

/// The mark of a line (file, hunk, line) of a patch that was moved: the first line of either end names
/// the other one, an edited line has the words that differ from the line at the other end.
#[must_use]
pub fn mark(moves: &Moves, patch: &Patch, at: (usize, usize, usize)) -> Option<Moved> {
    let (file, hunk, line) = at;
    let (block, (to_file, to_hunk, to_line)) = moves.of_line(file, hunk, line)?;
    let of = |(file, hunk, line): (usize, usize, usize)| {
        patch.files.get(file)?.hunks.get(hunk)?.lines.get(line)
    };
    let here = of(at)?;
    let there = of((to_file, to_hunk, to_line));
    // A removed line has no number on the new side.
    let is_from = here.new_no.is_none();
    let pair = match is_from {
        true => (line, to_line),
        false => (to_line, line),
    };
    let edited = block.edited.contains(&pair).then(|| {
        let (this, other) = (
            patch.line_text(here),
            there.map_or("", |line| patch.line_text(line)),
        );
        match is_from {
            true => emphasis(this, other).0,
            false => emphasis(other, this).1,
        }
    });
    let end = if is_from { &block.from } else { &block.to };
    let number = there.and_then(|line| if is_from { line.new_no } else { line.old_no });
    let number = number.map_or(String::new(), |number| format!(":{number}"));
    let note = if end.lines.start == line {
        let path = patch.files.get(to_file).map_or("", |file| file.path());
        let path = text::sanitize_line(path.rsplit('/').next().unwrap_or(path));
        let word = if is_from { "to" } else { "from" };
        Some(format!("↦ moved {word} {path}{number}"))
    } else {
        edited.is_some().then(|| match is_from {
            true => format!("± moved, edited, now{number}"),
            false => format!("± moved, edited, was{number}"),
        })
    };
    Some(Moved { note, edited })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::diff::moves;

    #[test]
    fn an_edited_line_of_a_moved_block_names_its_words() {
        let patch = Patch::read(Arc::from(
            "--- a/x\n+++ b/x\n@@ -1,5 +0,0 @@\n-first line\n-second line\n-limit = 10\n-third \
             line\n-fourth line\n@@ -20,1 +15,6 @@\n here\n+first line\n+second line\n+limit = 20\n\
             +third line\n+fourth line\n",
        ));
        let found = moves(&patch);
        let old = mark(&found, &patch, (0, 0, 2)).unwrap();
        assert_eq!(old.edited.as_deref(), Some(std::slice::from_ref(&(8..10))));
        assert_eq!(old.note.as_deref(), Some("± moved, edited, now:18"));
        let new = mark(&found, &patch, (0, 1, 3)).unwrap();
        assert_eq!(new.edited.as_deref(), Some(std::slice::from_ref(&(8..10))));
        let plain = mark(&found, &patch, (0, 0, 1)).unwrap();
        assert_eq!(
            plain,
            Moved {
                note: None,
                edited: None
            }
        );
        let first = mark(&found, &patch, (0, 0, 0)).unwrap();
        assert_eq!(first.note.as_deref(), Some("↦ moved to x:16"));
    }
}
