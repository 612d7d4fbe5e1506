//! The rubric: what a finding may say of a candidate, as data.
//!
//! What is *not* here: the findings (events of [`crate::store`]) and the configuration file that a
//! rubric may be read from ([`crate::cli`]).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How bad a finding is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth a word, no fault.
    Info,
    /// A reviewer would ask for a change.
    #[default]
    Minor,
    /// A reviewer would not merge it.
    Major,
}

impl Severity {
    /// Every severity, mildest first.
    pub const ALL: [Self; 3] = [Self::Info, Self::Minor, Self::Major];

    /// The word in files and on screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Severity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|known| known.word() == text);
        found.ok_or_else(|| format!("`{text}` is no severity: info, minor or major"))
    }
}

/// One entry of the rubric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// The name in files (`out_of_scope`).
    pub code: String,
    /// The key that chooses it.
    pub key: char,
    /// What it means, one line.
    pub title: String,
}

/// The codes that findings may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rubric {
    /// Stamped into every finding.
    pub version: String,
    /// The entries, in the order shown; codes and keys are unique.
    pub codes: Vec<Code>,
}

/// Version of the built-in rubric.
const BUILT_IN: &str = "gagar-1";

/// Code, key and meaning (`annotation.md` 3.3).
const CODES: [(&str, char, &str); 15] = [
    ("out_of_scope", 'o', "changes what the task did not ask for"),
    (
        "unneeded_change",
        'u',
        "formatting churn, renames, reordering",
    ),
    (
        "debug_leftover",
        'd',
        "scratch files, prints, reproduction scripts left behind",
    ),
    (
        "test_tampering",
        't',
        "a test was weakened, skipped or deleted",
    ),
    ("special_casing", 's', "hard-codes what the tests look at"),
    ("dead_code", 'x', "code that is never used"),
    ("overengineered", 'e', "more machinery than the task needs"),
    ("convention", 'c', "against the conventions of the codebase"),
    ("readability", 'r', "hard to read or wrongly named"),
    ("missing_test", 'm', "no test for the new behaviour"),
    (
        "incomplete_beyond_tests",
        'i',
        "passes the tests and leaves part of the task undone",
    ),
    ("risk", 'k', "may break other code"),
    (
        "dependency_or_config",
        'p',
        "touches dependencies, lock files or configuration",
    ),
    (
        "generated_file",
        'g',
        "a generated or vendored file was edited or added",
    ),
    ("security", 'y', "opens a hole"),
];

impl Default for Rubric {
    fn default() -> Self {
        let code = |(code, key, title): (&str, char, &str)| Code {
            code: code.to_owned(),
            key,
            title: title.to_owned(),
        };
        Self {
            version: BUILT_IN.to_owned(),
            codes: CODES.map(code).to_vec(),
        }
    }
}

impl Rubric {
    /// The entry of this code.
    #[must_use]
    pub fn find(&self, code: &str) -> Option<&Code> {
        self.codes.iter().find(|known| known.code == code)
    }

    /// The entry that this key chooses.
    #[must_use]
    pub fn by_key(&self, key: char) -> Option<&Code> {
        self.codes.iter().find(|known| known.key == key)
    }

    /// Checks that no code and no key occurs twice or is empty.
    ///
    /// # Errors
    /// One sentence on the first contradiction.
    pub fn check(&self) -> Result<(), String> {
        for (place, code) in self.codes.iter().enumerate() {
            if code.code.is_empty() || code.code.contains(char::is_whitespace) {
                return Err(format!("`{}` is no code: one word is needed", code.code));
            }
            if !code.key.is_alphanumeric() {
                // Other keys lead through the editor of findings.
                let (code, key) = (&code.code, code.key);
                return Err(format!(
                    "the key of `{code}` is {key:?}: a letter or digit is needed"
                ));
            }
            let before = self.codes.get(..place).unwrap_or_default();
            if before.iter().any(|other| other.code == code.code) {
                return Err(format!("the code `{}` stands there twice", code.code));
            }
            if let Some(other) = before.iter().find(|other| other.key == code.key) {
                let (a, b, key) = (&other.code, &code.code, code.key);
                return Err(format!("`{a}` and `{b}` have the same key {key}"));
            }
        }
        if self.codes.is_empty() {
            return Err("the rubric has no code".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_rubric_is_sound_and_contradictions_are_told() {
        let mut rubric = Rubric::default();
        rubric.check().unwrap();
        assert_eq!(rubric.by_key('o').unwrap().code, "out_of_scope");
        rubric.codes[1].key = '/';
        assert!(rubric.check().unwrap_err().contains("a letter or digit"));
        rubric.codes[1].key = 'o';
        assert!(rubric.check().unwrap_err().contains("same key o"));
        rubric.codes[1] = rubric.codes[0].clone();
        assert!(rubric.check().unwrap_err().contains("twice"));
    }
}
