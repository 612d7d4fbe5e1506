//! What annotators are to read: the rubric with the project's guidelines, or a page of our own.
//!
//! What is *not* here: the configuration files that name them, and how the page is drawn
//! (`overlays/reader.rs`).

use std::fmt::Write as _;
use std::sync::Arc;

use crate::domain::rubric::Rubric;

/// The page where a project has no guidelines of its own.
const PAGE: &str = "\
# Guidelines

The hidden tests have been run: they say who passes. You say which passing candidates are better: what the tests cannot see.

## What to look at

1. Is it the fix of the cause, and whole? A patch may pass the tests and leave part of the task undone.
2. Is it only that? Every changed line should be needed for the task.
3. Could it break something else: other callers, other inputs, other platforms?
4. Would a maintainer merge it as it is: names, structure, the conventions of the code around it?
5. Did it touch tests: weakened, skipped, or written to fit its own code?

Length is no virtue: of two patches that do the same, the one that is easier to read is better.

## The tie rule

Tie two candidates when you would merge either without a preference, not when the choice is hard. Byte-identical patches are always tied. Leave a candidate unranked only when you cannot judge it.

## What out of scope means

A change is out of scope when the task can be done as well without it: reformatting, renames, other fixes by the way, dependencies, documentation of something else, files of the harness or the editor. A test of the new behaviour is in scope. A change that the fix needs is in scope, wherever it is.

## How to say it

A finding names what is wrong at a place: a code, how bad it is, a few words if the code is not enough. info: worth a word. minor: a reviewer would ask for a change. major: would not be merged. Say how sure you are when you are not: it is kept with the ranking.
";

/// The rubric and what annotators are to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guide {
    /// The codes that findings may have.
    pub rubric: Rubric,
    /// The file of the guidelines as the configuration names it; `None` = the page of our own.
    pub file: Option<String>,
    /// The whole page, with the codes at its end. Lines as written.
    pub text: Arc<str>,
}

impl Default for Guide {
    fn default() -> Self {
        Self::new(Rubric::default(), None)
    }
}

impl Guide {
    /// A rubric with the project's guidelines (name and text), when there are any.
    #[must_use]
    pub fn new(rubric: Rubric, guidelines: Option<(String, String)>) -> Self {
        let (file, text) = guidelines.unzip();
        let mut text = text.unwrap_or_else(|| PAGE.to_owned());
        text.truncate(text.trim_end().len());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n\n## Codes of the rubric {}\n", rubric.version);
        let codes = rubric.codes.iter().map(|code| code.code.chars().count());
        let width = codes.max().unwrap_or(0);
        for code in &rubric.codes {
            let (key, name, title) = (code.key, &code.code, &code.title);
            let _ = writeln!(text, "  {key}  {name:<width$}  {title}");
        }
        Self {
            rubric,
            file,
            text: text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_ends_with_the_codes() {
        let own = Guide::default();
        for part in [
            "tie rule",
            "out of scope means",
            "  o  out_of_scope",
            "gagar-1",
        ] {
            assert!(own.text.contains(part), "{part}");
        }
        let file = ("G.md".to_owned(), "# Ours\n\n".to_owned());
        let guide = Guide::new(Rubric::default(), Some(file));
        assert!(guide.text.starts_with("# Ours\n\n## Codes of the rubric"));
        assert!(!guide.text.contains("tie rule"));
    }
}
