//! Colours that a tool's output asks for (SGR, `ESC [ … m`), read as data.
//!
//! What is *not* here: the colours themselves (roles `ansi.*` of [`super::theme`]) and every other
//! escape sequence, which [`super::text`] makes visible.

use std::borrow::Cow;

use super::text;

/// A colour asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// One of the 16 that a terminal's palette gives: 0-7 and their bright forms 8-15.
    Named(u8),
    /// One of xterm's fixed colours, 16-255.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// How text looks from some place on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sgr {
    /// Colour of the text.
    pub ink: Option<Ink>,
    /// Colour behind the text.
    pub paper: Option<Ink>,
    /// Bold.
    pub bold: bool,
    /// Faint; hidden text too, which stays readable.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Ink and paper swapped.
    pub reverse: bool,
}

impl Sgr {
    /// Takes the parameters of one sequence, what stands between `ESC [` and `m`.
    pub fn take(&mut self, parameters: &str) {
        let mut numbers = parameters.split(';');
        while let Some(part) = numbers.next() {
            // `38:2::1:2:3` keeps its arguments in one parameter.
            let mut inner = part.split(':');
            let number = inner.next().and_then(value);
            match number {
                Some(0) => *self = Self::default(),
                Some(1) => self.bold = true,
                Some(2 | 8) => self.dim = true,
                Some(3) => self.italic = true,
                Some(4) => self.underline = inner.next() != Some("0"),
                Some(7) => self.reverse = true,
                Some(21) => self.underline = true,
                Some(22) => (self.bold, self.dim) = (false, false),
                Some(28) => self.dim = false,
                Some(23) => self.italic = false,
                Some(24) => self.underline = false,
                Some(27) => self.reverse = false,
                Some(n @ 30..=37) => self.ink = Some(Ink::Named(n - 30)),
                Some(n @ 90..=97) => self.ink = Some(Ink::Named(n - 90 + 8)),
                Some(n @ 40..=47) => self.paper = Some(Ink::Named(n - 40)),
                Some(n @ 100..=107) => self.paper = Some(Ink::Named(n - 100 + 8)),
                Some(39) => self.ink = None,
                Some(49) => self.paper = None,
                Some(n @ (38 | 48)) => {
                    let colour = if part.contains(':') {
                        let mut rest: Vec<&str> = inner.collect();
                        // The colour space may be given, or left out with its colon.
                        if rest.len() > 4 {
                            rest.remove(1);
                        }
                        direct(&mut rest.into_iter())
                    } else {
                        direct(&mut numbers)
                    };
                    match (n, colour) {
                        (_, None) => {}
                        (38, colour) => self.ink = colour,
                        (_, colour) => self.paper = colour,
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes every colour sequence of a text.
    pub fn pass(&mut self, text: &str) {
        for at in memchr::memchr_iter(b'\x1b', text.as_bytes()) {
            if let Some(length) = text::colour(&text[at..]) {
                self.take(&text[at + 2..at + length - 1]);
            }
        }
    }
}

/// A parameter; an empty one is 0.
fn value(part: &str) -> Option<u8> {
    if part.is_empty() {
        Some(0)
    } else {
        part.parse().ok()
    }
}

/// The arguments of 38 and 48.
fn direct<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<Ink> {
    match parts.next().and_then(value)? {
        5 => Some(match parts.next().and_then(value)? {
            n @ 0..16 => Ink::Named(n),
            n => Ink::Indexed(n),
        }),
        2 => {
            let mut channel = || parts.next().and_then(value);
            Some(Ink::Rgb(channel()?, channel()?, channel()?))
        }
        _ => None,
    }
}

/// What a line leaves on paper, see [`text::printed`], and from which bytes of it on it looks how.
/// `start` is how text looks where the line begins; without a mark at 0 nothing is asked for.
#[must_use]
pub fn printed(line: &str, start: Sgr) -> (Cow<'_, str>, Vec<(usize, Sgr)>) {
    let mut marks = Vec::new();
    if start != Sgr::default() {
        marks.push((0, start));
    }
    if memchr::memchr2(b'\x1b', b'\x08', line.as_bytes()).is_none() {
        return (Cow::Borrowed(line), marks);
    }
    let mut now = start;
    let printed = text::print(line, |at, sequence| {
        if let Some(parameters) = sequence {
            now.take(parameters);
        }
        // What was written further right is overwritten.
        while marks.last().is_some_and(|(from, _)| *from >= at) {
            marks.pop();
        }
        let before = marks.last().map_or(Sgr::default(), |(_, sgr)| *sgr);
        if before != now {
            marks.push((at, now));
        }
    });
    (Cow::Owned(printed), marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(sequence: &str) -> Sgr {
        let mut sgr = Sgr::default();
        sgr.take(sequence);
        sgr
    }

    #[test]
    fn sequences_are_read() {
        assert_eq!(after("31").ink, Some(Ink::Named(1)));
        assert_eq!(after("1;91;44").paper, Some(Ink::Named(4)));
        assert_eq!(after("1;91;44").ink, Some(Ink::Named(9)));
        assert_eq!(after("38;5;9").ink, Some(Ink::Named(9)));
        assert_eq!(after("48;5;200;1").paper, Some(Ink::Indexed(200)));
        assert!(after("48;5;200;1").bold);
        for rgb in ["38;2;1;2;3", "38:2:1:2:3", "38:2::1:2:3"] {
            assert_eq!(after(rgb).ink, Some(Ink::Rgb(1, 2, 3)), "{rgb}");
        }
        assert_eq!(after("31;"), Sgr::default());
        assert_eq!(after("31;999;38;5"), after("31"));
        assert!(after("8").dim);
    }

    #[test]
    fn what_is_printed_knows_where_it_changes() {
        let (text, marks) = printed("a\u{1b}[31mb\u{1b}[0mc", Sgr::default());
        assert_eq!(text, "abc");
        assert_eq!(marks, [(1, after("31")), (2, Sgr::default())]);
        let (text, marks) = printed("plain", after("32"));
        assert_eq!((text.as_ref(), marks), ("plain", vec![(0, after("32"))]));
        // Backspaces take colours along.
        let (text, marks) = printed("\u{1b}[31mab\u{8}\u{8}\u{1b}[32mc", Sgr::default());
        assert_eq!(text, "cb");
        assert_eq!(marks, [(0, after("32"))]);
    }
}
