//! Changes that are only white space: of a pair of lines, of a hunk, and whole blocks shifted.

use std::ops::Range;

use super::model::{Hunk, LineKind};

/// How two lines, or a line and nothing, differ in white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub enum WhitespaceChange {
    /// They are equal, or they differ in more than white space.
    #[default]
    None,
    /// Only CR LF against LF.
    LineEnd,
    /// Only behind the last visible character.
    Trailing,
    /// Before the first visible character, and maybe behind the last.
    Indent,
    /// Between visible characters too.
    Inner,
    /// A blank line came, went or changed its blanks.
    BlankLine,
}

/// Returns how an old and a new line differ in white space; neither has its newline, both may end
/// in a CR.
#[must_use]
pub fn whitespace_change(old: &str, new: &str) -> WhitespaceChange {
    let bare = |line: &'_ str| line.strip_suffix('\r').map_or(line.len(), str::len);
    let visible = |line: &str| line.bytes().filter(|b| !b.is_ascii_whitespace()).count();
    if old == new {
        WhitespaceChange::None
    } else if old.get(..bare(old)) == new.get(..bare(new)) {
        WhitespaceChange::LineEnd
    } else if old.trim().is_empty() && new.trim().is_empty() {
        WhitespaceChange::BlankLine
    } else if old.trim_end() == new.trim_end() {
        WhitespaceChange::Trailing
    } else if old.trim() == new.trim() {
        WhitespaceChange::Indent
    } else if visible(old) == visible(new) && squeezed(old).eq(squeezed(new)) {
        WhitespaceChange::Inner
    } else {
        WhitespaceChange::None
    }
}

fn squeezed(line: &str) -> impl Iterator<Item = char> {
    line.chars().filter(|c| !c.is_whitespace())
}

/// A block of lines that was only shifted: all by the same leading blanks. Line indices of the hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reindented {
    /// The removed lines, from the first to behind the last.
    pub old: Range<usize>,
    /// The added lines, from the first to behind the last.
    pub new: Range<usize>,
    /// The blanks that came before each line, or that went.
    pub blanks: String,
    /// Whether the lines went deeper.
    pub deeper: bool,
}

/// How each line of a hunk changed in white space, against its partner; `partners` as
/// [`super::Patch::pairs`] gives them. `None` for lines of other changes and for context.
pub(super) fn of_hunk(
    text: &str,
    hunk: &Hunk,
    partners: &[Option<usize>],
) -> Vec<WhitespaceChange> {
    let line = |at: usize| {
        let line = hunk.lines.get(at);
        line.and_then(|line| text.get(line.range.clone()))
            .unwrap_or("")
    };
    let changed = |kind| matches!(kind, LineKind::Added | LineKind::Removed);
    let mut changes = vec![WhitespaceChange::None; hunk.lines.len()];
    for (at, found) in hunk.lines.iter().enumerate() {
        if !changed(found.kind) {
            continue;
        }
        if line(at).trim().is_empty() {
            changes[at] = WhitespaceChange::BlankLine;
            continue;
        }
        changes[at] = match partners.get(at).copied().flatten() {
            Some(other) if found.kind == LineKind::Removed => {
                whitespace_change(line(at), line(other))
            }
            Some(other) => whitespace_change(line(other), line(at)),
            None => WhitespaceChange::None,
        };
    }
    changes
}

/// Blocks of at least two lines that were shifted as one. Blank lines may lie between.
pub(super) fn reindented(text: &str, hunk: &Hunk, partners: &[Option<usize>]) -> Vec<Reindented> {
    let line = |at: usize| {
        let line = hunk.lines.get(at);
        line.and_then(|line| text.get(line.range.clone()))
            .unwrap_or("")
    };
    let mut found = Vec::new();
    let mut open: Option<(Reindented, usize)> = None;
    let mut close = |open: &mut Option<(Reindented, usize)>| {
        if let Some((block, lines)) = open.take()
            && lines >= 2
        {
            found.push(block);
        }
    };
    for (at, removed) in hunk.lines.iter().enumerate() {
        match removed.kind {
            LineKind::Removed => {}
            LineKind::NoNewline | LineKind::Added => continue,
            LineKind::Context => {
                close(&mut open);
                continue;
            }
        }
        if line(at).trim().is_empty() {
            continue;
        }
        let partner = partners.get(at).copied().flatten();
        let Some((partner, blanks, deeper)) = partner.and_then(|partner| {
            let (blanks, deeper) = shift(line(at), line(partner))?;
            Some((partner, blanks, deeper))
        }) else {
            close(&mut open);
            continue;
        };
        let blank_gap = |from: usize, to: usize| (from..to).all(|at| line(at).trim().is_empty());
        match &mut open {
            Some((block, lines))
                if block.blanks == blanks
                    && block.deeper == deeper
                    && block.new.end <= partner
                    && blank_gap(block.old.end, at)
                    && blank_gap(block.new.end, partner) =>
            {
                block.old.end = at + 1;
                block.new.end = partner + 1;
                *lines += 1;
            }
            _ => {
                close(&mut open);
                let block = Reindented {
                    old: at..at + 1,
                    new: partner..partner + 1,
                    blanks: blanks.to_owned(),
                    deeper,
                };
                open = Some((block, 1));
            }
        }
    }
    close(&mut open);
    found
}

/// The blanks by which a line was shifted, and whether it went deeper; `None` when more changed.
fn shift<'a>(old: &'a str, new: &'a str) -> Option<(&'a str, bool)> {
    if old.trim() != new.trim() || old.trim_end().len() == new.trim_end().len() {
        return None;
    }
    let indent = |line: &'a str| line.get(..line.len() - line.trim_start().len());
    let (was, is) = (indent(old)?, indent(new)?);
    if let Some(blanks) = is.strip_prefix(was) {
        Some((blanks, true))
    } else {
        was.strip_prefix(is).map(|blanks| (blanks, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told() {
        use WhitespaceChange::{BlankLine, Indent, Inner, LineEnd, None, Trailing};
        for (old, new, want) in [
            ("a", "a", None),
            ("a", "b", None),
            ("a\r", "a", LineEnd),
            ("a ", "a", Trailing),
            ("a", "\ta", Indent),
            ("f( a )", "f(a)", Inner),
            ("  ", "", BlankLine),
            ("a b", "ac", None),
        ] {
            assert_eq!(whitespace_change(old, new), want, "{old:?} {new:?}");
        }
    }
}
