//! What a person searches for: a regular expression, or a plain text.
//!
//! Letter case counts only when an upper-case letter is wanted. What is *not* here: where texts are
//! searched, and lists of places.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

/// Most memory that a compiled pattern may take, in bytes.
const MOST_MEMORY: usize = 4 << 20;

/// A pattern that lines are searched for. It never matches across lines, nor an empty text.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    regex: Option<Regex>,
    plain: bool,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, self.plain) == (&other.text, other.plain)
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// Reads a regular expression.
    ///
    /// # Errors
    /// One sentence: what is wrong with it.
    pub fn regex(text: &str) -> Result<Self, String> {
        let regex = compile(text, text)?;
        Ok(Self {
            text: text.to_owned(),
            regex: Some(regex),
            plain: false,
        })
    }

    /// A text that stands for itself.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            // Too long a text is found nowhere.
            regex: compile(&regex::escape(text), text).ok(),
            plain: true,
        }
    }

    /// What was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The places of a line that match.
    #[must_use]
    pub fn places(&self, line: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        self.each_of_line(line, |range| found.push(range));
        found
    }

    /// Whether a place of a line matches.
    #[must_use]
    pub fn is_in(&self, line: &str) -> bool {
        let Some(regex) = &self.regex else {
            return false;
        };
        match regex.find(line) {
            // An empty place is none; behind it there may be another.
            Some(hit) if hit.is_empty() => regex.find_iter(line).any(|hit| !hit.is_empty()),
            hit => hit.is_some(),
        }
    }

    /// How many places of a line match.
    #[must_use]
    pub fn count(&self, line: &str) -> usize {
        let mut count = 0;
        self.each_of_line(line, |_| count += 1);
        count
    }

    fn each_of_line(&self, line: &str, mut found: impl FnMut(Range<usize>)) {
        let Some(regex) = &self.regex else { return };
        for hit in regex.find_iter(line) {
            if !hit.is_empty() {
                found(hit.range());
            }
        }
    }

    /// Hands over the places of a text of many lines that match, in order; each is inside one line.
    pub fn each(&self, text: &str, mut found: impl FnMut(Range<usize>)) {
        let Some(regex) = &self.regex else { return };
        let mut at = 0;
        while let Some(hit) = regex.find_at(text, at) {
            match memchr::memchr(b'\n', &text.as_bytes()[hit.range()]) {
                None if hit.is_empty() => {
                    let next = text[hit.end()..].chars().next();
                    let Some(next) = next else { return };
                    at = hit.end() + next.len_utf8();
                }
                None => {
                    found(hit.range());
                    at = hit.end();
                }
                // It would go on in the next line: this one is searched by itself.
                Some(end) => {
                    let end = hit.start() + end;
                    let start = text[..hit.start()].rfind('\n').map_or(0, |at| at + 1);
                    let line = &text[start..end];
                    let mut from = at.max(start) - start;
                    while let Some(hit) = regex.find_at(line, from) {
                        from = hit.end();
                        if hit.is_empty() {
                            let next = line[from..].chars().next();
                            let Some(next) = next else { break };
                            from += next.len_utf8();
                        } else {
                            found(start + hit.start()..start + hit.end());
                        }
                    }
                    at = end + 1;
                }
            }
            if at > text.len() {
                return;
            }
        }
    }
}

/// Compiles an expression for what a person `typed`.
fn compile(expression: &str, typed: &str) -> Result<Regex, String> {
    RegexBuilder::new(expression)
        .case_insensitive(!typed.chars().any(char::is_uppercase) || only_classes(typed))
        .multi_line(true)
        .size_limit(MOST_MEMORY)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it needs too much memory".to_owned(),
            error => {
                // The last line says what is wrong; those before it draw the place.
                let said = error.to_string();
                let last = said.lines().last().unwrap_or_default().trim();
                last.strip_prefix("error: ").unwrap_or(last).to_owned()
            }
        })
}

/// Whether the only upper-case letters are those of classes such as `\S` and `\W`.
fn only_classes(typed: &str) -> bool {
    let mut before = ' ';
    typed.chars().all(|c| {
        let fine = !c.is_uppercase() || before == '\\';
        before = if before == '\\' { ' ' } else { c };
        fine
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &Pattern, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        pattern.each(text, |range| found.push(text[range].to_owned()));
        found
    }

    #[test]
    fn expressions_match_inside_lines_only() {
        let regex = |text| Pattern::regex(text).unwrap();
        assert_eq!(found(&regex(r"a\s+b"), "a\nb a b"), ["a b"]);
        assert_eq!(found(&regex(r"a\s+b|c"), "a\nb c"), ["c"]);
        assert_eq!(found(&regex(r"x[^y]*"), "axb\ncxd\n"), ["xb", "xd"]);
        assert_eq!(found(&regex("^b$"), "a\nb\nab\n"), ["b"]);
        assert_eq!(found(&regex("z*"), "azz\nz"), ["zz", "z"]);
        assert_eq!(found(&regex(r"\n"), "a\nb"), [""; 0]);
        for pattern in [r"a\s+b", "x[^y]*", "^b$", "z*", r"\bfoo|o\s"] {
            let text = "foo a b\nxx\nb\n\nzz o \nfoo";
            let lines = text.lines().map(|line| regex(pattern).count(line));
            assert_eq!(
                found(&regex(pattern), text).len(),
                lines.sum::<usize>(),
                "{pattern}"
            );
        }
    }

    #[test]
    fn case_counts_when_asked_for() {
        let count = |text: &str| Pattern::regex(text).unwrap().count("Foo foo FOO");
        assert_eq!((count("foo"), count("Foo"), count(r"\Soo")), (3, 1, 3));
        assert_eq!(Pattern::plain("a.c").count("abc a.c A.C"), 2);
        assert_eq!(Pattern::plain("É").count("é É"), 1);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = Pattern::regex("a(b").unwrap_err();
        assert_eq!(said, "unclosed group");
        let said = Pattern::regex(r"\w{1000}{100}").unwrap_err();
        assert_eq!(said, "it needs too much memory");
        assert_eq!(Pattern::plain("a(b").count("xa(bx"), 1);
    }
}
