//! Which words of a changed line changed.
//!
//! Not here: which lines belong together (`pairing`).

use std::ops::Range;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// Longer stretches are not compared word by word (bytes).
const WORD_CAP: usize = 4_096;

/// Returns the byte ranges of `old` and of `new` that changed, word by word. Both are empty when the
/// lines are too unlike for marks to help. Where more than 4 kB lie between the common start and
/// the common end, all of that is one range.
#[must_use]
pub fn emphasis(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let nothing = (Vec::new(), Vec::new());
    if old == new {
        return nothing;
    }
    let (start, end) = common_ends(old, new);
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    let (Some(old_middle), Some(new_middle)) = (old.get(start..old_end), new.get(start..new_end))
    else {
        return nothing;
    };
    if old_middle.len() > WORD_CAP || new_middle.len() > WORD_CAP {
        // No words are compared here; the share of the common ends stands for likeness.
        let shared = 2 * (start + end) * 100;
        if shared < 35 * (old.len() + new.len()) {
            return nothing;
        }
        let range = |end: usize| Some(start..end).filter(|range| !range.is_empty());
        return (
            range(old_end).into_iter().collect(),
            range(new_end).into_iter().collect(),
        );
    }
    let diff = TextDiff::configure()
        .timeout(Duration::from_millis(4))
        .diff_unicode_words(old_middle, new_middle);
    let (mut old_at, mut new_at, mut equal) = (start, start, start + end);
    let (mut old_ranges, mut new_ranges) = nothing;
    for change in diff.iter_all_changes() {
        let length = change.value().len();
        match change.tag() {
            ChangeTag::Equal => {
                old_at += length;
                new_at += length;
                equal += length;
            }
            ChangeTag::Delete => {
                push(&mut old_ranges, old_at..old_at + length, old);
                old_at += length;
            }
            ChangeTag::Insert => {
                push(&mut new_ranges, new_at..new_at + length, new);
                new_at += length;
            }
        }
    }
    // 35 % of the bytes, the same bound as for pairing.
    if 2 * equal * 100 < 35 * (old.len() + new.len()) {
        return (Vec::new(), Vec::new());
    }
    (old_ranges, new_ranges)
}

/// Bytes of the common start and of the common end of two lines. Neither cuts a word, and they do
/// not overlap.
fn common_ends(old: &str, new: &str) -> (usize, usize) {
    let outside = |c: char| !(c.is_alphanumeric() || c == '_') && c.is_ascii();
    let same = |(a, b): &(u8, u8)| a == b;
    let start = old.bytes().zip(new.bytes()).take_while(same).count();
    // Back to behind an ASCII character that is no part of a word: no cluster is cut there either.
    let head = old.get(..old.floor_char_boundary(start)).unwrap_or("");
    let start = head.rfind(outside).map_or(0, |at| at + 1);
    let room = old.len().min(new.len()) - start;
    let backwards = old.bytes().rev().zip(new.bytes().rev());
    let end = backwards.take(room).take_while(same).count();
    let from = old.ceil_char_boundary(old.len() - end);
    let tail = old.get(from..).unwrap_or("");
    let end = tail.find(outside).map_or(0, |at| tail.len() - at);
    (start, end)
}

/// Adds a range, joined to the one before when only blanks lie between.
fn push(ranges: &mut Vec<Range<usize>>, range: Range<usize>, text: &str) {
    if let Some(last) = ranges.last_mut()
        && text
            .get(last.end..range.start)
            .is_some_and(|gap| gap.trim().is_empty())
    {
        last.end = range.end;
        return;
    }
    ranges.push(range);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(range: Range<usize>) -> Vec<Range<usize>> {
        std::iter::once(range).collect()
    }

    #[test]
    fn words_are_marked() {
        let (old, new) = emphasis("let a = b + 1;", "let a = c + 1;");
        assert_eq!((old, new), (one(8..9), one(8..9)));
        let long = "x, ".repeat(3_000);
        let (old, new) = emphasis(&format!("{long}a, {long}"), &format!("{long}b, {long}"));
        assert_eq!((old, new), (one(9_000..9_001), one(9_000..9_001)));
        let (old, new) = emphasis("completely different", "xyz 123 456 789 !!");
        assert!(old.is_empty() && new.is_empty());
    }
}
