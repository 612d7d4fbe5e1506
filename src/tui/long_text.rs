//! Long texts line by line: where lines start is found once, all else is done for visible lines.
//!
//! What is *not* here: cells and their safety ([`super::text`]) and scrolling ([`super::scroll`]).

use std::borrow::Cow;
use std::ops::Range;

use super::ansi::{self, Sgr};
use super::pattern::Pattern;
use super::text;

/// A longer line is broken into rows of at most this many bytes, so that no row is expensive.
const LONGEST_ROW: usize = 4096;

/// A run without blanks of at least so many bytes is data when it looks like base64.
const SHORTEST_DATA: usize = 1024;

/// Bytes of data that are shown.
const DATA_SHOWN: usize = 48;

/// How much of a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// A line that overwrote itself by its last state, encoded data by its start and size.
    #[default]
    Gist,
    /// Every state, all data.
    Whole,
}

/// The rows of a text; holds no text itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LongText {
    rows: Vec<Range<usize>>,
    /// Rows at whose start text looks otherwise than at the start of the row before.
    looks: Vec<(usize, Sgr)>,
    /// Rows that overwrote themselves: where the last state begins, how many came before it.
    overwritten: Vec<(usize, usize, usize)>,
    /// Rows of encoded data.
    data: Vec<usize>,
    /// Whether rows are shown as they stand.
    plain: bool,
}

/// A row as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// From which bytes of the text on it looks how.
    pub looks: Vec<(usize, Sgr)>,
}

impl LongText {
    /// Finds the rows of a text: its lines, very long ones in pieces. An empty text has no row.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::with(text, Extent::Gist)
    }

    /// The same, of as much of the text as is wanted.
    #[must_use]
    pub fn with(text: &str, extent: Extent) -> Self {
        let bytes = text.as_bytes();
        let has_escape = memchr::memchr(b'\x1b', bytes).is_some();
        let mut found = Self {
            plain: !has_escape && memchr::memchr2(b'\r', b'\x08', bytes).is_none(),
            ..Self::default()
        };
        let mut at = 0;
        while at < text.len() {
            let length = memchr::memchr(b'\n', &bytes[at..]).unwrap_or(text.len() - at);
            found.line_at(text, at..at + length, extent);
            at += length + 1;
        }
        if has_escape {
            found.looks = looks(text, &found.rows);
        }
        found
    }

    /// Adds the rows of the line at `range`.
    fn line_at(&mut self, text: &str, range: Range<usize>, extent: Extent) {
        let line = &text[range.clone()];
        let (last, states) = text::last_state(line);
        if states > 0 && extent == Extent::Gist {
            let last = range.start + (last.as_ptr() as usize - line.as_ptr() as usize);
            self.overwritten.push((self.rows.len(), last, states));
            self.rows.push(range);
        } else if states > 0 {
            let mut at = range.start;
            for state in line.split('\r') {
                if !state.is_empty() {
                    self.pieces(text, at..at + state.len());
                }
                at += state.len() + 1;
            }
        } else if range.len() <= SHORTEST_DATA || extent == Extent::Whole {
            self.pieces(text, range);
        } else {
            let mut from = range.start;
            for run in data_runs(line) {
                let run = range.start + run.start..range.start + run.end;
                if from < run.start {
                    self.pieces(text, from..run.start);
                }
                from = run.end;
                self.data.push(self.rows.len());
                self.rows.push(run);
                self.plain = false;
            }
            if from < range.end || from == range.start {
                self.pieces(text, from..range.end);
            }
        }
    }

    /// Adds a line in pieces that are cheap to draw.
    fn pieces(&mut self, text: &str, range: Range<usize>) {
        if range.len() <= LONGEST_ROW {
            self.rows.push(range);
            return;
        }
        let mut from = range.start;
        while from < range.end {
            let to = text.floor_char_boundary((from + LONGEST_ROW).min(range.end));
            let to = from + text::before_colour(&text[from..to]);
            self.rows.push(from..to);
            from = to;
        }
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

    /// A row of `text` as it is shown.
    #[must_use]
    pub fn shown<'a>(&self, text: &'a str, row: usize) -> Shown<'a> {
        let line = self.line(text, row);
        let before = self.looks.partition_point(|(at, _)| *at <= row);
        let start = before
            .checked_sub(1)
            .and_then(|place| self.looks.get(place));
        let mut start = start.map_or(Sgr::default(), |(_, sgr)| *sgr);
        if self.data.binary_search(&row).is_ok() {
            let first = &line[..line.floor_char_boundary(DATA_SHOWN)];
            let text = format!("{first}… ⧉ encoded data, {}", size(line.len()));
            let looks = Vec::new();
            return Shown {
                text: text.into(),
                looks,
            };
        }
        let Ok(place) = self.overwritten.binary_search_by_key(&row, |(at, ..)| *at) else {
            let (text, looks) = ansi::printed(line.trim_end_matches('\r'), start);
            return Shown { text, looks };
        };
        let (_, last, states) = self.overwritten[place];
        let last = self.rows.get(row).map_or(0, |range| last - range.start);
        start.pass(&line[..last]);
        let (text, mut looks) = ansi::printed(line[last..].trim_end_matches('\r'), start);
        let mark = format!("⟲{states} ");
        for (from, _) in &mut looks {
            *from += mark.len();
        }
        Shown {
            text: (mark + &text).into(),
            looks,
        }
    }

    /// The rows in which a pattern matches what is shown, with the number of matches in each.
    #[must_use]
    pub fn matches(&self, text: &str, wanted: &Pattern) -> Vec<(usize, usize)> {
        let mut hits: Vec<(usize, usize)> = Vec::new();
        if !self.plain {
            let counts =
                (0..self.len()).map(|row| (row, wanted.count(&self.shown(text, row).text)));
            hits.extend(counts.filter(|(_, count)| *count > 0));
            return hits;
        }
        // Where rows are shown as they stand the whole text is searched at once: far faster.
        let mut row = 0;
        wanted.each(text, |range| {
            row += self.rows[row..].partition_point(|line| line.end <= range.start);
            match hits.last_mut() {
                Some((last, count)) if *last == row => *count += 1,
                _ => hits.push((row, 1)),
            }
        });
        hits
    }
}

/// How text looks at the start of the rows that begin otherwise than the row before.
fn looks(text: &str, rows: &[Range<usize>]) -> Vec<(usize, Sgr)> {
    let mut now = Sgr::default();
    let mut found = Vec::new();
    let (mut last, mut at) = (now, 0);
    for (row, range) in rows.iter().enumerate() {
        now.pass(&text[at..range.start]);
        at = range.start;
        if now != last {
            found.push((row, now));
            last = now;
        }
    }
    found
}

/// The runs of a line that look like encoded data: no blanks, letters of both cases and digits.
fn data_runs(line: &str) -> Vec<Range<usize>> {
    const IS_CODE: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 128_u8 {
            let other = matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
            table[byte as usize] = byte.is_ascii_alphanumeric() || other;
            byte += 1;
        }
        table
    };
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        // A run so long covers the byte that far behind, too: most texts are skipped in big steps.
        let far = at + SHORTEST_DATA - 1;
        let Some(window) = bytes.get(at..=far) else {
            break;
        };
        let stop = window.iter().rposition(|byte| !IS_CODE[usize::from(*byte)]);
        if let Some(stop) = stop {
            at += stop + 1;
            continue;
        }
        let rest = bytes[far..].iter();
        let length = rest.take_while(|byte| IS_CODE[usize::from(**byte)]).count() + far - at;
        let sample = &bytes[at..at + SHORTEST_DATA];
        let tests: [fn(&u8) -> bool; 3] = [
            u8::is_ascii_uppercase,
            u8::is_ascii_lowercase,
            u8::is_ascii_digit,
        ];
        if tests
            .into_iter()
            .all(|test| sample.iter().filter(|byte| test(byte)).count() > 32)
        {
            found.push(at..at + length);
        }
        at += length + 1;
    }
    found
}

/// A number of bytes in words.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
#[must_use]
pub fn size(bytes: usize) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..1_000_000 => format!("{:.0} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
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
    height_of(&shown(line), width)
}

/// The same of a line as it is shown.
#[must_use]
pub fn height_of(shown: &str, width: usize) -> usize {
    if is_plain(shown) && shown.len() <= width {
        return 1;
    }
    wrapped(shown, width, 0, usize::MAX).len()
}

/// Byte ranges of the display lines of a line that wraps between words where it can, from display
/// line `skip` on, at most `count`.
#[must_use]
pub fn wrapped(line: &str, width: usize, skip: usize, count: usize) -> Vec<Range<usize>> {
    let width = width.max(1);
    let plain = is_plain(line);
    let mut found = Vec::new();
    let (mut start, mut place) = (0, 0);
    loop {
        let rest = &line[start..];
        // More bytes than this in one display line are marks without a width.
        let reach = rest.floor_char_boundary(width.saturating_mul(8).max(64));
        let most = if plain {
            rest.len().min(width)
        } else {
            text::first_wrapped(&rest[..reach], width)
        };
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
    let mut start = 0;
    let starts = std::iter::from_fn(|| {
        // An empty line is one display line too.
        (start < line.len() || start == 0 && line.is_empty()).then(|| {
            let end = start + text::first_wrapped(&line[start..], width);
            let piece = start..end;
            start = end.max(1);
            piece
        })
    });
    starts.skip(skip).take(count).collect()
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
        let red = Pattern::plain("red");
        assert_eq!(LongText::of(text).matches(text, &red), [(0, 1)]);
    }

    #[test]
    fn colours_go_on_over_lines() {
        let text = "a\u{1b}[31mb\nc\n\u{1b}[32m1%\r2%\u{1b}[0m\nd\n";
        let lines = LongText::of(text);
        let looks = |row| lines.shown(text, row).looks;
        let of = |parameters: &str| {
            let mut sgr = Sgr::default();
            sgr.take(parameters);
            sgr
        };
        assert_eq!(looks(0), [(1, of("31"))]);
        assert_eq!(looks(1), [(0, of("31"))]);
        let shown = lines.shown(text, 2);
        assert_eq!(shown.text, "⟲1 2%");
        let mark = "⟲1 ".len();
        assert_eq!(shown.looks, [(mark, of("32")), (mark + 2, of(""))]);
        assert!(looks(3).is_empty());
    }

    #[test]
    fn states_and_data_are_all_there_when_asked_for() {
        let text = "1%\r2%\r3%\nend\n";
        let whole = LongText::with(text, Extent::Whole);
        let rows: Vec<_> = (0..whole.len()).map(|row| whole.shown(text, row)).collect();
        let rows: Vec<_> = rows.iter().map(|row| row.text.as_ref()).collect();
        assert_eq!(rows, ["1%", "2%", "3%", "end"]);
        let text = format!(
            "img: data:image/png;base64,{} end",
            "iVBORw0KGgo9a/+".repeat(1000)
        );
        let gist = LongText::of(&text);
        assert_eq!(gist.len(), 3);
        let shown = gist.shown(&text, 1).text;
        assert!(shown.ends_with("⧉ encoded data, 15 kB"), "{shown}");
        let whole = LongText::with(&text, Extent::Whole);
        let all: String = (0..whole.len()).map(|row| whole.line(&text, row)).collect();
        assert_eq!(all, text);
        // A long word of one letter, and long prose, are none.
        assert!(data_runs(&"a".repeat(5000)).is_empty());
        assert!(data_runs(&"Ab1 ".repeat(5000)).is_empty());
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
