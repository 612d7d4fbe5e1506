//! What a person searches patches and steps for, read once: plain text, or a regular expression behind `re:`.
//!
//! Code is full of signs that mean something in expressions, so plain text is what is typed without
//! more. What is *not* here: matching ([`super::pattern`]), and where places are kept and shown.

use std::ops::Range;

use super::pattern::Pattern;

/// What stands before a regular expression.
pub const REGEX: &str = "re:";

/// Something to search for; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    typed: String,
    pattern: Pattern,
}

/// Why something typed cannot be searched for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The regular expression cannot be read, with what is wrong with it.
    #[error("this regular expression cannot be read: {0}")]
    Regex(String),
}

impl Query {
    /// Reads what was typed; `None` when that is nothing.
    ///
    /// # Errors
    /// What follows `re:` is no regular expression, or too large a one.
    pub fn read(typed: &str) -> Result<Option<Self>, QueryError> {
        let pattern = match typed.strip_prefix(REGEX) {
            _ if typed.is_empty() || typed == REGEX => return Ok(None),
            Some(expression) => Pattern::regex(expression).map_err(QueryError::Regex)?,
            None => Pattern::plain(typed),
        };
        let typed = typed.to_owned();
        Ok(Some(Self { typed, pattern }))
    }

    /// What was typed.
    #[must_use]
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// What lines are matched with.
    #[must_use]
    pub fn into_pattern(self) -> Pattern {
        self.pattern
    }

    /// Whether a line holds it.
    #[must_use]
    pub fn is_in(&self, line: &str) -> bool {
        self.pattern.is_in(line)
    }

    /// Byte ranges of every place of a line that holds it; an empty place is none.
    #[must_use]
    pub fn find(&self, line: &str) -> Vec<Range<usize>> {
        self.pattern.places(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(typed: &str) -> Query {
        Query::read(typed).unwrap().unwrap()
    }

    #[test]
    fn case_counts_when_an_upper_case_letter_is_typed() {
        assert_eq!(query("foo").find("Foo foo"), [0..3, 4..7]);
        assert_eq!(
            query("Foo").find("Foo foo"),
            vec![Range { start: 0, end: 3 }]
        );
        assert!(query(r"re:\Soo").is_in("FOO"));
    }

    #[test]
    fn plain_text_is_no_pattern() {
        assert!(query("a.b(").is_in("xa.b(y"));
        assert!(!query("a.b").is_in("axb"));
        assert_eq!(Query::read("").unwrap(), None);
        assert_eq!(Query::read("re:").unwrap(), None);
    }

    #[test]
    fn a_broken_pattern_says_what_is_wrong() {
        let error = Query::read("re:a(").unwrap_err().to_string();
        assert!(error.contains("unclosed group"), "{error}");
        assert!(query("re:x*").find("aaa").is_empty());
    }
}
