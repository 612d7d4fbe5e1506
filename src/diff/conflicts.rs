//! Conflict markers that a merge left in a file, told apart from headings underlined with `=`.

use memchr::memmem;

use super::model::{Hunk, LineKind};

/// What a line of a conflict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictMarker {
    /// `<<<<<<<`: one side begins.
    Begin,
    /// `|||||||`: the common ancestor begins.
    Base,
    /// `=======`: the other side begins.
    Middle,
    /// `>>>>>>>`: the conflict ends.
    End,
}

/// Whether a text can hold a conflict at all.
pub(super) fn occur(text: &str) -> bool {
    memmem::find(text.as_bytes(), b"<<<<<<<").is_some()
}

/// The markers of a hunk by index of line. Only lines of one conflict in order count: a row of
/// seven `=` without a beginning before it is a heading.
pub(super) fn markers(text: &str, hunk: &Hunk) -> Vec<(usize, ConflictMarker)> {
    let mut found = Vec::new();
    let mut last = None;
    for (at, line) in hunk.lines.iter().enumerate() {
        let line = text.get(line.range.clone()).unwrap_or("");
        let Some(marker) = marker(line) else { continue };
        use ConflictMarker::{Base, Begin, End, Middle};
        let in_order = match marker {
            Begin => true,
            Base => last == Some(Begin),
            Middle => matches!(last, Some(Begin | Base)),
            End => last == Some(Middle),
        };
        if in_order {
            found.push((at, marker));
            last = Some(marker);
        }
    }
    found
}

/// Conflicts whose beginning is an added line.
pub(super) fn added_blocks(text: &str, hunk: &Hunk) -> usize {
    let added = |at: &usize| {
        hunk.lines
            .get(*at)
            .is_some_and(|l| l.kind == LineKind::Added)
    };
    markers(text, hunk)
        .iter()
        .filter(|(at, marker)| *marker == ConflictMarker::Begin && added(at))
        .count()
}

fn marker(line: &str) -> Option<ConflictMarker> {
    let first = *line.as_bytes().first()?;
    let marker = match first {
        b'<' => ConflictMarker::Begin,
        b'|' => ConflictMarker::Base,
        b'=' => ConflictMarker::Middle,
        b'>' => ConflictMarker::End,
        _ => return None,
    };
    let run = line.bytes().take_while(|&byte| byte == first).count();
    let rest = line.get(run..)?;
    let bare = rest.trim_end().is_empty();
    (run == 7 && (bare || rest.starts_with(' '))).then_some(marker)
}
