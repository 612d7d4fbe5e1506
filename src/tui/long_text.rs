//! Long texts line by line: where lines start is found once, all else is done for visible lines.
//!
//! What is *not* here: cells and their safety ([`super::text`]) and scrolling ([`super::scroll`]).

use std::borrow::Cow;
use std::ops::Range;

use super::text;

/// A longer line is broken into rows of at most this many bytes, so that no row is expensive.
const LONGEST_ROW: usize = 4096;

/// The rows of a text; holds no text itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LongText {
    rows: Vec<Range<usize>>,
}

impl LongText {
    /// Finds the rows of a text: its lines, very long ones in pieces. An empty text has no row.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut rows = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            let line = &rest[..length];
            // A line that overwrites itself is shown by its last state, so it stays whole.
            if length > LONGEST_ROW && text::last_state(line).1 == 0 {
                let mut from = 0;
                while from < length {
                    let to = line.floor_char_boundary((from + LONGEST_ROW).min(length));
                    let to = from + text::before_colour(&line[from..to]);
                    rows.push(at + from..at + to);
                    from = to;
                }
            } else {
                rows.push(at..at + length);
            }
            at += length + 1;
        }
        Self { rows }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A row of `text`, the text that the rows were found in.
    #[must_use]
    pub fn line<'a>(&self, text: &'a str, row: usize) -> &'a str {
        self.rows
            .get(row)
            .and_then(|range| text.get(range.clone()))
            .unwrap_or("")
    }

    /// The rows that hold what is searched for, see [`find`].
    #[must_use]
    pub fn hits(&self, text: &str, wanted: &str) -> Vec<usize> {
        (0..self.len())
            .filter(|&row| !find(&shown(self.line(text, row)), wanted).is_empty())
            .collect()
    }
}

/// What is shown of a line: of one that overwrote itself the last state, behind a mark with the
/// number of states before it; no colours, and what backspaces leave.
#[must_use]
pub fn shown(line: &str) -> Cow<'_, str> {
    match text::last_state(line) {
        (last, 0) => text::printed(last),
        (last, states) => Cow::Owned(format!("⟲{states} {}", text::printed(last))),
    }
}

fn is_plain(line: &str) -> bool {
    line.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

/// Display lines that a line takes at a width when it wraps between words, at least 1.
#[must_use]
pub fn height(line: &str, width: usize) -> usize {
    let shown = shown(line);
    if is_plain(&shown) && shown.len() <= width {
        return 1;
    }
    wrapped(&shown, width, 0, usize::MAX).len()
}

/// Byte ranges of the display lines of a line that wraps between words where it can, from display
/// line `skip` on, at most `count`.
#[must_use]
pub fn wrapped(line: &str, width: usize, skip: usize, count: usize) -> Vec<Range<usize>> {
    let width = width.max(1);
    let mut found = Vec::new();
    let (mut start, mut place) = (0, 0);
    loop {
        let rest = &line[start..];
        // More bytes than this in one display line are marks without a width.
        let reach = rest.floor_char_boundary(width.saturating_mul(8).max(64));
        let most = text::wrap(&rest[..reach], width)
            .first()
            .map_or(reach, |range| range.end);
        let all = most >= rest.len();
        let length = if all {
            most
        } else {
            break_at(rest, most.max(1))
        };
        if place >= skip {
            if found.len() >= count {
                break;
            }
            found.push(start..start + length);
        }
        if all {
            break;
        }
        start += length;
        place += 1;
    }
    found
}

/// Where a line of which `most` bytes fit is broken: behind the last blank of its second half.
fn break_at(line: &str, most: usize) -> usize {
    let most = line.ceil_char_boundary(most);
    let blank = line[..most].rfind(' ').map(|at| at + 1);
    blank.filter(|&at| at > most / 2).unwrap_or(most)
}

/// Byte ranges of the display lines of a line that is cut into equal pieces, as code is: from
/// display line `skip` on, at most `count`.
#[must_use]
pub fn pieces(line: &str, width: usize, skip: usize, count: usize) -> Vec<Range<usize>> {
    let width = width.max(1);
    if is_plain(line) {
        let lines = line.len().div_ceil(width).max(1);
        return (skip..lines.min(skip.saturating_add(count)))
            .map(|at| at * width..((at + 1) * width).min(line.len()))
            .collect();
    }
    text::wrap(line, width)
        .into_iter()
        .skip(skip)
        .take(count)
        .collect()
}

/// Byte ranges of every place that holds `wanted`. Letter case counts only when `wanted` has an
/// upper-case letter.
#[must_use]
pub fn find(line: &str, wanted: &str) -> Vec<Range<usize>> {
    let (hay, needle) = (line.as_bytes(), wanted.as_bytes());
    let Some(&first) = needle.first() else {
        return Vec::new();
    };
    let exact = wanted.chars().any(char::is_uppercase);
    let mut found = Vec::new();
    let mut at = 0;
    while at + needle.len() <= hay.len() {
        let rest = &hay[at..];
        let next = if exact {
            memchr::memchr(first, rest)
        } else {
            memchr::memchr2(first.to_ascii_lowercase(), first.to_ascii_uppercase(), rest)
        };
        let Some(next) = next else { break };
        let start = at + next;
        let Some(piece) = hay.get(start..start + needle.len()) else {
            break;
        };
        let same = if exact {
            piece == needle
        } else {
            piece.eq_ignore_ascii_case(needle)
        };
        if same {
            found.push(start..start + needle.len());
            at = start + needle.len();
        } else {
            at = start + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(range: Range<usize>) -> Vec<Range<usize>> {
        vec![range; 1]
    }

    #[test]
    fn lines_are_found_once_and_long_ones_broken() {
        let text = format!("a\n\n{}\nlast", "é".repeat(3000));
        let lines = LongText::of(&text);
        assert_eq!(lines.len(), 5);
        assert_eq!(lines.line(&text, 1), "");
        assert_eq!(
            lines.line(&text, 2).len() + lines.line(&text, 3).len(),
            6000
        );
        assert_eq!(lines.line(&text, 4), "last");
        assert!(LongText::of("").is_empty());
        assert_eq!(LongText::of("a\n").len(), 1);
    }

    #[test]
    fn progress_lines_are_one_row_with_a_mark() {
        let text = "1%\r2%\r".repeat(2000) + "100%";
        let lines = LongText::of(&text);
        assert_eq!(lines.len(), 1);
        assert_eq!(shown(lines.line(&text, 0)), "⟲4000 100%");
        assert_eq!(shown("plain\r"), "plain");
    }

    #[test]
    fn colours_are_dropped_and_never_cut_in_two() {
        let text = "\u{1b}[31mred\u{1b}[0m\n".to_owned() + &"\u{1b}[1;32mx\u{1b}[0m".repeat(2000);
        let lines = LongText::of(&text);
        let all: Vec<_> = (0..lines.len()).map(|row| lines.line(&text, row)).collect();
        let all: String = all.into_iter().map(shown).collect();
        assert_eq!(all, "red".to_owned() + &"x".repeat(2000));
        // Found is what is seen.
        let text = "\u{1b}[31mre\u{1b}[0md";
        assert_eq!(LongText::of(text).hits(text, "red"), [0]);
    }

    #[test]
    fn heights_agree_with_what_is_drawn() {
        for line in ["", "abc", "abcdefgh", "日本語日本語", "a\tb\tc", "1\r2"] {
            for width in [1, 2, 3, 8] {
                let lines = wrapped(&shown(line), width, 0, usize::MAX);
                assert_eq!(height(line, width), lines.len(), "{line:?} {width}");
            }
        }
    }

    #[test]
    fn prose_breaks_between_words_and_code_anywhere() {
        assert_eq!(wrapped("one two three", 8, 0, 9), [0..8, 8..13]);
        assert_eq!(wrapped("one two three", 8, 1, 9), one(8..13));
        assert_eq!(wrapped("unbreakable", 4, 0, 9), [0..4, 4..8, 8..11]);
        assert_eq!(pieces("one two three", 5, 0, 9), [0..5, 5..10, 10..13]);
        assert_eq!(pieces("one two three", 5, 1, 1), one(5..10));
    }

    #[test]
    fn case_counts_when_asked_for() {
        assert_eq!(find("Foo foo", "foo"), [0..3, 4..7]);
        assert_eq!(find("Foo foo", "Foo"), one(0..3));
        assert!(find("foo", "").is_empty());
        assert!(find("fo", "foo").is_empty());
    }
}
