//! Filter expressions: `kept class:mixed state:unseen passing>=2 task~text findings>0`.

use std::cmp::Ordering;

use crate::domain::RolloutGroup;
use crate::review::GroupRow;

/// Terms that a group must all meet; empty = everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq)]
struct Term {
    negated: bool,
    test: Test,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    Word(Word),
    Text(TextField, Match, String),
    Number(NumberField, Comparison, f64),
}

macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($variant:ident $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum $type { $($variant,)* }

        impl $type {
            const NAMES: &'static [(&'static str, Self)] = &[$(($name, Self::$variant),)*];

            fn named(name: &str) -> Option<Self> {
                Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, found)| *found)
            }
        }
    };
}

names! {
    /// What a group is or is not.
    Word { Kept "kept", Dropped "dropped", Rankable "rankable", Ranked "ranked", }
}

names! {
    /// A field that is text.
    TextField { Task "task", Class "class", State "state", RankedBy "ranked_by", }
}

names! {
    /// A field that is a number.
    NumberField {
        N "n",
        Passing "passing",
        Failing "failing",
        Unscored "unscored",
        Credit "credit",
        Disagreement "disagreement",
        Findings "findings",
        Step "step",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    /// Equal; for the task and the ranker: contains, whatever the case.
    Is,
    Contains,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    GreaterOrEqual,
    Greater,
}

/// Longer operators first, so that `>=` is not read as `>`.
const OPERATORS: [(&str, Comparison); 6] = [
    (">=", Comparison::GreaterOrEqual),
    ("<=", Comparison::LessOrEqual),
    (">", Comparison::Greater),
    ("<", Comparison::Less),
    ("=", Comparison::Equal),
    (":", Comparison::Equal),
];

const CLASSES: [&str; 5] = ["mixed", "all_pass", "all_fail", "singleton", "unscored"];
const STATES: [&str; 5] = ["unseen", "draft", "submitted", "edited", "stale"];

impl Filter {
    /// Reads an expression: terms between blanks, a `-` before a term turns it around.
    ///
    /// # Errors
    /// One sentence per term that cannot be read, all of them.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        let mut errors = Vec::new();
        for word in text.split_whitespace() {
            match Term::read(word) {
                Ok(term) => terms.push(term),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(Self { terms })
        } else {
            Err(errors.join("; "))
        }
    }

    /// Whether nothing is filtered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether a group meets every term.
    #[must_use]
    pub fn accepts(&self, group: &RolloutGroup, row: &GroupRow) -> bool {
        self.terms
            .iter()
            .all(|term| term.test.accepts(group, row) != term.negated)
    }
}

impl Term {
    fn read(text: &str) -> Result<Self, String> {
        let (negated, body) = match text.strip_prefix('-') {
            Some(body) => (true, body),
            None => (false, text),
        };
        Ok(Self {
            negated,
            test: Test::read(body)?,
        })
    }
}

impl Test {
    fn read(text: &str) -> Result<Self, String> {
        if let Some(word) = Word::named(text) {
            return Ok(Self::Word(word));
        }
        let end = text
            .find(['>', '<', '=', ':', '~'])
            .ok_or_else(|| unknown(text))?;
        let (name, rest) = text.split_at(end);
        if let Some(field) = TextField::named(name) {
            return Self::read_text(field, rest);
        }
        let field = NumberField::named(name).ok_or_else(|| unknown(name))?;
        let (operator, comparison) = OPERATORS
            .into_iter()
            .find(|(operator, _)| rest.starts_with(operator))
            .ok_or_else(|| format!("{name} is a number: {name}>=2"))?;
        let value = &rest[operator.len()..];
        match value.parse::<f64>() {
            Ok(number) if !number.is_nan() => Ok(Self::Number(field, comparison, number)),
            _ => Err(format!("{text}: “{value}” is not a number")),
        }
    }

    fn read_text(field: TextField, rest: &str) -> Result<Self, String> {
        let contains = rest.starts_with('~');
        let value = rest.strip_prefix(['~', ':', '=']);
        let value = value.ok_or_else(|| "text is compared with : or ~".to_owned())?;
        if value.is_empty() {
            return Err("a text is missing behind : or ~".to_owned());
        }
        let words: &[&str] = match field {
            TextField::Class => &CLASSES,
            TextField::State => &STATES,
            TextField::Task | TextField::RankedBy => &[],
        };
        if !contains && !words.is_empty() && !words.contains(&value) {
            return Err(format!("{value} is none of {}", words.join(", ")));
        }
        let matching = if contains { Match::Contains } else { Match::Is };
        Ok(Self::Text(field, matching, value.to_lowercase()))
    }

    fn accepts(&self, group: &RolloutGroup, row: &GroupRow) -> bool {
        match self {
            Self::Word(word) => match word {
                Word::Kept => row.class.is_kept(),
                Word::Dropped => !row.class.is_kept(),
                Word::Rankable => row.class.is_kept() && row.passing >= 2,
                Word::Ranked => row.ranked_by.is_some(),
            },
            Self::Text(field, matching, wanted) => {
                let is = |value: &str| match matching {
                    Match::Is => value.to_lowercase() == *wanted,
                    Match::Contains => value.to_lowercase().contains(wanted.as_str()),
                };
                match field {
                    TextField::Task => {
                        is(group.id.as_str()) || group.task.title.as_deref().is_some_and(is)
                    }
                    TextField::Class => is(row.class.word()),
                    TextField::State => is(row.state.word()),
                    TextField::RankedBy => row.ranked_by.as_deref().is_some_and(is),
                }
            }
            Self::Number(field, comparison, wanted) => {
                number(*field, group, row).is_some_and(|value| comparison.holds(value, *wanted))
            }
        }
    }
}

impl Comparison {
    fn holds(self, value: f64, wanted: f64) -> bool {
        let Some(order) = value.partial_cmp(&wanted) else {
            return false;
        };
        match self {
            Self::Less => order == Ordering::Less,
            Self::LessOrEqual => order != Ordering::Greater,
            Self::Equal => order == Ordering::Equal,
            Self::GreaterOrEqual => order != Ordering::Less,
            Self::Greater => order == Ordering::Greater,
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts and steps stay below 2^53"
)]
fn number(field: NumberField, group: &RolloutGroup, row: &GroupRow) -> Option<f64> {
    match field {
        NumberField::N => Some(row.n as f64),
        NumberField::Passing => Some(row.passing as f64),
        NumberField::Failing => Some(row.failing as f64),
        NumberField::Unscored => Some(row.unscored as f64),
        NumberField::Credit => row.credit_moved,
        NumberField::Disagreement => row.disagreement,
        NumberField::Findings => Some(row.findings as f64),
        NumberField::Step => group.step.map(|step| step as f64),
    }
}

fn unknown(name: &str) -> String {
    let words = Word::NAMES.iter().map(|(name, _)| *name);
    let texts = TextField::NAMES.iter().map(|(name, _)| *name);
    let numbers = NumberField::NAMES.iter().map(|(name, _)| *name);
    let all: Vec<_> = words.chain(texts).chain(numbers).collect();
    format!("“{name}” is none of {}", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Extra, GroupClass, GroupId, TaskSummary};
    use crate::review::ReviewState;

    fn accepts(text: &str) -> bool {
        let group = RolloutGroup {
            id: GroupId("django__django-11999".to_owned()),
            step: Some(120),
            task: TaskSummary {
                title: Some("Cannot override".to_owned()),
                ..Default::default()
            },
            trajectories: Vec::new(),
            fingerprint: String::new(),
            meta: Extra::default(),
        };
        let row = GroupRow {
            step: None,
            n: 8,
            passing: 5,
            failing: 3,
            unscored: 0,
            class: GroupClass::Mixed,
            ranked_by: Some("qwen-ft".to_owned()),
            credit_moved: Some(0.11),
            without_advantages: false,
            disagreement: None,
            findings: 2,
            state: ReviewState::Unseen,
        };
        Filter::read(text).unwrap().accepts(&group, &row)
    }

    #[test]
    fn every_term_must_hold() {
        assert!(accepts(""));
        assert!(accepts(
            "kept class:mixed state:unseen passing>=2 n>=4 task~DJANGO findings>0"
        ));
        assert!(accepts(
            "ranked_by:qwen-ft rankable -dropped step=120 credit<0.2 task~override"
        ));
        assert!(!accepts("kept passing>5"));
        assert!(!accepts("-kept"));
        assert!(
            !accepts("disagreement>=0"),
            "what is not known meets no comparison"
        );
    }

    #[test]
    fn all_errors_are_told() {
        let error = Filter::read("fly class:mixd passing>=two kept n~3").unwrap_err();
        for part in ["“fly”", "mixd", "“two”", "n is a number"] {
            assert!(error.contains(part), "{error}");
        }
    }
}
