//! Which words of a changed line changed.
//!
//! Not here: which lines belong together (`pairing`).

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::anchors::anchors;

/// Longer stretches between the common start and the common end are not compared word by word
/// (bytes): a minified file of 60 kB is, a line of a megabyte is one range.
const WORD_CAP: usize = 96 * 1024;
/// Lines with more words are first cut at words that occur once on each side.
const FEW_TOKENS: usize = 400;
/// The time after which a comparison takes what it has. Only long stretches without such words and
/// with thousands of changes need as much.
const DEADLINE: Duration = Duration::from_millis(4);
/// Lines that share less than this many percent get no marks.
const ALIKE_PERCENT: usize = 35;

/// Byte ranges of the old and of the new line.
type Marks = (Vec<Range<usize>>, Vec<Range<usize>>);

/// Returns the byte ranges of `old` and of `new` that changed, word by word; no range cuts a
/// grapheme cluster. Both are empty when the lines are too unlike for marks to help. Where more
/// than 96 kB lie between the common start and the common end, all of that is one range.
#[must_use]
pub fn emphasis(old: &str, new: &str) -> Marks {
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
        if 200 * (start + end) < ALIKE_PERCENT * (old.len() + new.len()) {
            return nothing;
        }
        return (
            snapped(std::iter::once(start..old_end), old),
            snapped(std::iter::once(start..new_end), new),
        );
    }
    let (olds, news) = (tokens(old_middle), tokens(new_middle));
    let (old_ranges, new_ranges) = changed(&olds, &news, start);
    let marks = (
        snapped(old_ranges.into_iter(), old),
        snapped(new_ranges.into_iter(), new),
    );
    let (gone, old_total) = (visible_in(old, &marks.0), visible(old));
    let (come, new_total) = (visible_in(new, &marks.1), visible(new));
    let total = old_total + new_total;
    let shared = total.saturating_sub(gone + come);
    if 100 * shared < ALIKE_PERCENT * total {
        return nothing;
    }
    marks
}

/// The ranges of bytes of the tokens that changed; both sequences begin at byte `start` of their
/// lines.
fn changed(olds: &[&str], news: &[&str], start: usize) -> Marks {
    let deadline = Instant::now().checked_add(DEADLINE);
    let fixed = if olds.len().max(news.len()) > FEW_TOKENS {
        anchors(olds, news)
    } else {
        Vec::new()
    };
    let (mut old_ranges, mut new_ranges) = (Vec::new(), Vec::new());
    // Places in tokens and in bytes.
    let (mut old, mut new) = ((0, start), (0, start));
    let length = |tokens: &[&str]| -> usize { tokens.iter().map(|token| token.len()).sum() };
    for (old_to, new_to) in fixed
        .into_iter()
        .chain(std::iter::once((olds.len(), news.len())))
    {
        let from = olds.get(old.0..old_to).unwrap_or(&[]);
        let to = news.get(new.0..new_to).unwrap_or(&[]);
        let mut put = |gone: &[&str], come: &[&str], equal: bool| {
            let (gone, come) = (length(gone), length(come));
            if !equal {
                old_ranges.push(old.1..old.1 + gone);
                new_ranges.push(new.1..new.1 + come);
            }
            (old.1, new.1) = (old.1 + gone, new.1 + come);
        };
        if from == to {
            put(from, to, true);
        } else {
            for op in capture_diff_slices_deadline(Algorithm::Myers, from, to, deadline) {
                let gone = from.get(op.old_range()).unwrap_or(&[]);
                let come = to.get(op.new_range()).unwrap_or(&[]);
                put(gone, come, op.tag() == DiffTag::Equal);
            }
        }
        (old.0, new.0) = (old_to, new_to);
    }
    (old_ranges, new_ranges)
}

/// Bytes that are no blanks.
fn visible(text: &str) -> usize {
    text.bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .count()
}

fn visible_in(text: &str, ranges: &[Range<usize>]) -> usize {
    let part = |range: &Range<usize>| text.get(range.clone()).map_or(0, visible);
    ranges.iter().map(part).sum()
}

/// Words, runs of blanks, and every other character alone. Words of other scripts than ASCII are
/// split as Unicode splits them.
fn tokens(text: &str) -> Vec<&str> {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Word,
        Wide,
        Blank,
        Sign,
    }
    let class = |byte: u8| match byte {
        b'_' => Class::Word,
        b' ' | b'\t' => Class::Blank,
        byte if byte.is_ascii_alphanumeric() => Class::Word,
        byte if byte.is_ascii() => Class::Sign,
        _ => Class::Wide,
    };
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(text.len() / 4);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let from = at;
        let first = class(byte);
        let mut wide = first == Class::Wide;
        at += 1;
        if first != Class::Sign {
            while let Some(&byte) = bytes.get(at) {
                let next = class(byte);
                let is_word = |class| matches!(class, Class::Word | Class::Wide);
                if next != first && !(is_word(next) && is_word(first)) {
                    break;
                }
                wide |= next == Class::Wide;
                at += 1;
            }
        }
        let token = text.get(from..at).unwrap_or("");
        if wide {
            found.extend(token.split_word_bounds());
        } else {
            found.push(token);
        }
    }
    found
}

/// Bytes of the common start and of the common end of two lines. Neither cuts a word, and they do
/// not overlap.
fn common_ends(old: &str, new: &str) -> (usize, usize) {
    let outside = |c: char| !(c.is_alphanumeric() || c == '_') && c.is_ascii();
    let start = common_prefix(old.as_bytes(), new.as_bytes());
    // Back to behind an ASCII character that is no part of a word: no cluster is cut there either.
    let head = old.get(..old.floor_char_boundary(start)).unwrap_or("");
    let start = head.rfind(outside).map_or(0, |at| at + 1);
    let room = old.len().min(new.len()) - start;
    let same = |(a, b): &(u8, u8)| a == b;
    let backwards = old.bytes().rev().zip(new.bytes().rev());
    let end = backwards.take(room).take_while(same).count();
    let from = old.ceil_char_boundary(old.len() - end);
    let tail = old.get(from..).unwrap_or("");
    let end = tail.find(outside).map_or(0, |at| tail.len() - at);
    (start, end)
}

/// Length of the common start; compares blocks, which is many times faster on long lines.
fn common_prefix(old: &[u8], new: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = old.chunks_exact(BLOCK).zip(new.chunks_exact(BLOCK));
    let whole = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let rest = old.iter().zip(new).skip(whole);
    whole + rest.take_while(|(a, b)| a == b).count()
}

/// Ranges widened to whole grapheme clusters, empty ones left out, joined where only blanks lie
/// between.
fn snapped(ranges: impl Iterator<Item = Range<usize>>, text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for range in ranges.filter(|range| !range.is_empty()) {
        let mut range = range;
        while !is_boundary(text, range.start) {
            range.start -= 1;
        }
        while !is_boundary(text, range.end) {
            range.end += 1;
        }
        if let Some(last) = found.last_mut() {
            let gap = text.get(last.end..range.start);
            if range.start <= last.end || gap.is_some_and(|gap| gap.trim().is_empty()) {
                last.end = last.end.max(range.end);
                continue;
            }
        }
        found.push(range);
    }
    found
}

fn is_boundary(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let (Some(before), Some(after)) = (
        at.checked_sub(1).and_then(|at| bytes.get(at)),
        bytes.get(at),
    ) else {
        return true;
    };
    if before.is_ascii() && after.is_ascii() {
        return true;
    }
    text.is_char_boundary(at)
        && GraphemeCursor::new(at, text.len(), true)
            .is_boundary(text, 0)
            .unwrap_or(true)
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

    #[test]
    fn no_cluster_is_cut() {
        // A joined emoji whose last part changed, a letter that gained an accent.
        let (old, new) = (
            "some_value = first('👩\u{200d}🔬') + other_value(cafe, third_value)",
            "some_value = first('👩\u{200d}🚀') + other_value(cafe\u{301}, third_value)",
        );
        let (gone, come) = emphasis(old, new);
        let part = |text: &str, ranges: &[Range<usize>]| -> Vec<String> {
            ranges.iter().map(|r| text[r.clone()].to_owned()).collect()
        };
        assert_eq!(part(old, &gone), ["👩\u{200d}🔬", "cafe"]);
        assert_eq!(part(new, &come), ["👩\u{200d}🚀", "cafe\u{301}"]);
    }

    #[test]
    fn far_edits_of_a_long_line_are_apart() {
        let filler = |from: usize, to: usize| {
            (from..to)
                .map(|i| format!("f{i}(a,b);"))
                .collect::<String>()
        };
        let (first, second, third) = (filler(0, 9), filler(9, 2_500), filler(2_500, 4_500));
        let line = |a, b, c| format!("{first}{a}{second}{b}{third}{c}g();");
        let (gone, come) = emphasis(&line("one;", "two;", "three;"), &line("1;", "2;", "3;"));
        assert_eq!((gone.len(), come.len()), (3, 3));
    }
}
