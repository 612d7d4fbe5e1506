//! What a typed filter of the list of remarks means.

use crate::domain::scope::{Level, Remark};
use crate::review::Verdict;
use crate::review::remark_list::Said;
use crate::scope::rule;

/// A term of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Term {
    Rule(String),
    Level(Level),
    Group(String),
    Path(String),
    Text(String),
    Passing(bool),
    Verdict(Option<Verdict>),
    /// Anybody's verdict.
    Judged,
}

/// A filter: all terms must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemarkFilter {
    text: String,
    /// Whether the term must hold, and the term.
    terms: Vec<(bool, Term)>,
}

impl RemarkFilter {
    /// Reads `rule:stray_file path~tests level:check passing open text~...`; `!` before a term turns
    /// it around.
    ///
    /// # Errors
    /// What is wrong, one sentence.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        for word in text.split_whitespace() {
            let (holds, word) = match word.strip_prefix('!') {
                Some(rest) => (false, rest),
                None => (true, word),
            };
            terms.push((holds, term(word)?));
        }
        let text = text.trim().to_owned();
        Ok(Self { text, terms })
    }

    /// As it was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a remark meets every term.
    #[must_use]
    pub fn takes(&self, group: &str, remark: &Remark, is_passing: bool, said: &Said) -> bool {
        let meets = |term: &Term| match term {
            Term::Rule(name) => remark.rule == name,
            Term::Level(level) => remark.level == *level,
            Term::Group(part) => group.contains(part.as_str()),
            Term::Path(part) => remark.path.contains(part.as_str()),
            Term::Text(part) => remark.reason.contains(part.as_str()),
            Term::Passing(passes) => is_passing == *passes,
            Term::Verdict(wanted) => said.own == *wanted,
            Term::Judged => said.is_judged(),
        };
        self.terms.iter().all(|(holds, term)| meets(term) == *holds)
    }
}

fn term(word: &str) -> Result<Term, String> {
    let text = |part: &str| part.to_owned();
    if let Some((key, part)) = word.split_once('~') {
        return match key {
            "path" => Ok(Term::Path(text(part))),
            "text" => Ok(Term::Text(text(part))),
            "group" => Ok(Term::Group(text(part))),
            _ => Err(format!("`{key}~` is no term: path~ text~ group~")),
        };
    }
    match (word, word.split_once(':')) {
        (_, Some(("rule", name))) => match rule(name) {
            Some(rule) => Ok(Term::Rule(rule.name.to_owned())),
            None => Err(format!("there is no rule `{name}`")),
        },
        (_, Some(("level", name))) => {
            let level = Level::ALL.into_iter().find(|level| level.word() == name);
            let level =
                level.ok_or_else(|| format!("`{name}` is no level: check info artefact"))?;
            Ok(Term::Level(level))
        }
        ("passing", _) => Ok(Term::Passing(true)),
        ("failing", _) => Ok(Term::Passing(false)),
        ("open", _) => Ok(Term::Verdict(None)),
        ("judged", _) => Ok(Term::Judged),
        ("confirmed", _) => Ok(Term::Verdict(Some(Verdict::Confirmed))),
        ("dismissed", _) => Ok(Term::Verdict(Some(Verdict::Dismissed))),
        _ => Err(format!(
            "`{word}` is no term: rule:x level:x group~x path~x text~x passing failing open \
             confirmed dismissed judged"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remark() -> Remark {
        Remark {
            rule: "stray_file",
            level: Level::Check,
            trajectory: 0,
            also: Vec::new(),
            file: Some(0),
            path: "src/repro.py".to_owned(),
            hunk: None,
            lines: None,
            is_old: false,
            reason: "added".to_owned(),
        }
    }

    #[test]
    fn every_term_must_hold() {
        let said = Said {
            own: None,
            others: vec![("lead".to_owned(), Verdict::Confirmed)],
        };
        for (text, expected) in [
            ("", true),
            ("rule:stray_file level:check passing open", true),
            ("rule:todo", false),
            ("!rule:todo path~repro text~add group~g1", true),
            ("failing", false),
            ("confirmed", false),
            ("!open", false),
            ("judged", true),
            ("!judged", false),
        ] {
            let filter = RemarkFilter::read(text).unwrap();
            assert_eq!(
                filter.takes("g1", &remark(), true, &said),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_term_is_told() {
        for text in ["rule:x", "level:x", "size~3", "what"] {
            assert!(RemarkFilter::read(text).is_err(), "{text}");
        }
    }
}
