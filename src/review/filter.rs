//! Filter expressions: `kept class:mixed state:unseen passing>=2 task~text findings>0`.
//!
//! One evaluator for the list of groups and the commands. What is *not* here: where the expression
//! is typed, and searching by likeness.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::row::GroupRow;
use super::session::ReviewSession;
use crate::domain::{RolloutGroup, Trajectory};
use crate::formats::LoadedSet;
use crate::raters::Provenance;

/// Terms that a group must all meet; empty = everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    text: String,
    terms: Vec<Term>,
}

/// What a filter looks at.
struct Subject<'a> {
    group: &'a RolloutGroup,
    row: &'a GroupRow,
    /// Names of the formats; empty when the filter does not ask.
    formats: Vec<&'static str>,
    /// Number of problems; 0 when the filter does not ask.
    problems: usize,
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
    /// From the first to the last number, both included.
    Range(NumberField, f64, f64),
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
    Word {
        Kept "kept",
        Dropped "dropped",
        Rankable "rankable",
        Ranked "ranked",
        Masked "masked",
        Truncated "truncated",
        Flagged "flagged",
        Settled "settled",
    }
}

names! {
    /// A field that is text.
    TextField {
        Task "task",
        Class "class",
        State "state",
        Provenance "provenance",
        RankedBy "ranked_by",
        Policy "policy",
        Format "format",
        Mark "mark",
        Exit "exit",
    }
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
        Tokens "tokens",
        Cost "cost",
        Problems "problems",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    /// Equal, whatever the case.
    Is,
    /// Holds it, whatever the case.
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
const STATES: [&str; 7] = [
    "unseen",
    "opened",
    "draft",
    "skipped",
    "submitted",
    "edited",
    "stale",
];

const PROVENANCES: [&str; 5] = {
    let [a, b, c, d, e] = Provenance::ALL;
    [a.word(), b.word(), c.word(), d.word(), e.word()]
};

impl Filter {
    /// Reads an expression: terms between blanks, a `!` (or `-`) before a term turns it around, a
    /// text with blanks stands in double quotes.
    ///
    /// # Errors
    /// One sentence per term that cannot be read, all of them.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        let mut errors = Vec::new();
        for word in words(text) {
            match Term::read(&word) {
                Ok(term) => terms.push(term),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            let text = text.trim().to_owned();
            Ok(Self { text, terms })
        } else {
            Err(errors.join("; "))
        }
    }

    /// The expression as it was read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether nothing is filtered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The groups (0-based indices, ascending) that meet every term.
    #[must_use]
    pub fn select(&self, session: &ReviewSession) -> Vec<usize> {
        let set = session.set();
        let asks_text = |field| self.tests().any(|test| test.text_field() == Some(field));
        let asks_number = |field| self.tests().any(|test| test.number_field() == Some(field));
        let asks_formats = asks_text(TextField::Format);
        let problems = if asks_number(NumberField::Problems) {
            problems_by_group(set)
        } else {
            Vec::new()
        };
        // As shown: what is hidden cannot be found out by a filter.
        let rows = session.rows().iter().enumerate();
        rows.filter_map(|(index, row)| Some((index, (session.group(index)?, row))))
            .filter(|(index, (_, row))| !row.is_gone() && session.is_given(*index))
            .filter(|(index, (group, row))| {
                self.accepts(&Subject {
                    group,
                    row,
                    formats: if asks_formats {
                        set.formats(*index)
                    } else {
                        Vec::new()
                    },
                    problems: problems.get(*index).copied().unwrap_or(0),
                })
            })
            .map(|(index, _)| index)
            .collect()
    }

    fn tests(&self) -> impl Iterator<Item = &Test> {
        self.terms.iter().map(|term| &term.test)
    }

    fn accepts(&self, subject: &Subject<'_>) -> bool {
        self.terms
            .iter()
            .all(|term| term.test.accepts(subject) != term.negated)
    }
}

/// How many problems of a load name each group, or a trajectory of it.
fn problems_by_group(set: &LoadedSet) -> Vec<usize> {
    let ids = set.groups.iter().enumerate();
    let ids: BTreeMap<&str, usize> = ids
        .map(|(index, group)| (group.id.as_str(), index))
        .collect();
    let mut counts = vec![0; set.groups.len()];
    let records = set.problems.iter().filter_map(|p| p.record.as_deref());
    for record in records {
        // `group`, or `group/trajectory`; ids may hold a slash themselves.
        let slashes = record.match_indices('/').map(|(at, _)| at).rev();
        let mut names = std::iter::once(record.len()).chain(slashes);
        if let Some(&index) = names.find_map(|end| ids.get(&record[..end])) {
            counts[index] += 1;
        }
    }
    counts
}

/// The words of an expression; blanks between double quotes belong to their word, the quotes do not.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in text.chars() {
        if c == '"' {
            quoted = !quoted;
            word.get_or_insert_default();
        } else if c.is_whitespace() && !quoted {
            words.extend(word.take());
        } else {
            word.get_or_insert_default().push(c);
        }
    }
    words.extend(word);
    words
}

impl Term {
    fn read(text: &str) -> Result<Self, String> {
        let (negated, body) = match text.strip_prefix(['!', '-']) {
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
        let Some(end) = text.find(['>', '<', '=', ':', '~']) else {
            if let Some(field) = TextField::named(text) {
                return Err(field.needs_text());
            }
            if NumberField::named(text).is_some() {
                return Err(format!("{text} is a number: {text}>=2"));
            }
            return Err(unknown(text));
        };
        let (name, rest) = text.split_at(end);
        if let Some(field) = TextField::named(name) {
            return Self::read_text(field, rest);
        }
        if Word::named(name).is_some() {
            return Err(format!("{name} stands alone: {name} or !{name}"));
        }
        let field = NumberField::named(name).ok_or_else(|| unknown(name))?;
        let (operator, comparison) = OPERATORS
            .into_iter()
            .find(|(operator, _)| rest.starts_with(operator))
            .ok_or_else(|| format!("{name} is a number: {name}>=2"))?;
        let value = &rest[operator.len()..];
        let number = |value: &str| match value.parse::<f64>() {
            Ok(number) if !number.is_nan() => Ok(number),
            _ => Err(format!("{text}: “{value}” is not a number")),
        };
        match value.split_once("..") {
            Some((first, last)) if comparison == Comparison::Equal => {
                Ok(Self::Range(field, number(first)?, number(last)?))
            }
            _ => Ok(Self::Number(field, comparison, number(value)?)),
        }
    }

    fn read_text(field: TextField, rest: &str) -> Result<Self, String> {
        let contains = rest.starts_with('~');
        let value = rest.strip_prefix(['~', ':', '=']);
        let value = value
            .filter(|value| !value.is_empty())
            .ok_or_else(|| field.needs_text())?;
        let words = field.words();
        if !contains && !words.is_empty() && !words.contains(&value) {
            return Err(format!("{value} is none of {}", words.join(", ")));
        }
        // Nobody types the whole name of a format.
        let matching = if contains || field == TextField::Format {
            Match::Contains
        } else {
            Match::Is
        };
        Ok(Self::Text(field, matching, value.to_lowercase()))
    }

    fn text_field(&self) -> Option<TextField> {
        match self {
            Self::Text(field, ..) => Some(*field),
            Self::Word(_) | Self::Number(..) | Self::Range(..) => None,
        }
    }

    fn number_field(&self) -> Option<NumberField> {
        match self {
            Self::Number(field, ..) | Self::Range(field, ..) => Some(*field),
            Self::Word(_) | Self::Text(..) => None,
        }
    }

    fn accepts(&self, subject: &Subject<'_>) -> bool {
        match self {
            Self::Word(word) => word.holds(subject),
            Self::Text(field, matching, wanted) => {
                let is = |value: &str| match matching {
                    Match::Is => value.to_lowercase() == *wanted,
                    Match::Contains => value.to_lowercase().contains(wanted.as_str()),
                };
                field.any(subject, is)
            }
            Self::Number(field, comparison, wanted) => {
                number(*field, subject).is_some_and(|value| comparison.holds(value, *wanted))
            }
            Self::Range(field, first, last) => {
                number(*field, subject).is_some_and(|value| (*first..=*last).contains(&value))
            }
        }
    }
}

impl Word {
    fn holds(self, subject: &Subject<'_>) -> bool {
        let row = subject.row;
        let any = |is: fn(&Trajectory) -> bool| subject.group.trajectories.iter().any(is);
        match self {
            Self::Kept => row.class.is_kept(),
            Self::Dropped => !row.class.is_kept(),
            Self::Rankable => row.class.is_kept() && row.passing >= 2,
            Self::Ranked => row.ranked_by.is_some(),
            Self::Masked => any(|t| t.masked),
            Self::Truncated => any(|t| t.truncated),
            Self::Flagged => row.flagged.is_some(),
            Self::Settled => row.provenance == Some(Provenance::Adjudicated),
        }
    }
}

impl TextField {
    /// The words that can stand there; empty when any text can.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Class => &CLASSES,
            Self::State => &STATES,
            Self::Provenance => &PROVENANCES,
            Self::Task | Self::RankedBy | Self::Policy | Self::Format | Self::Mark | Self::Exit => {
                &[]
            }
        }
    }

    fn needs_text(self) -> String {
        let name = Self::NAMES.iter().find(|(_, field)| *field == self);
        let name = name.map_or("", |(name, _)| name);
        match self.words() {
            [] => format!("{name} is compared with a text: {name}~part or {name}:whole"),
            words => format!("{name} is one of {}: {name}:{}", words.join(", "), words[0]),
        }
    }

    /// Whether the field's text, or one of its texts, is the one looked for.
    fn any(self, subject: &Subject<'_>, is: impl Fn(&str) -> bool) -> bool {
        let (group, row) = (subject.group, subject.row);
        let mut all = group.trajectories.iter();
        match self {
            Self::Task => is(group.id.as_str()) || group.task.title.as_deref().is_some_and(is),
            Self::Class => is(row.class.word()),
            Self::State => is(row.state.word()),
            Self::Provenance => row.provenance.is_some_and(|how| is(how.word())),
            Self::RankedBy => row.ranked_by.as_deref().is_some_and(is),
            Self::Policy => all.any(|t| t.policy.as_deref().is_some_and(&is)),
            Self::Format => subject.formats.iter().any(|name| is(name)),
            Self::Mark => all.any(|t| t.marks.iter().any(|mark| is(mark))),
            Self::Exit => all.any(|t| t.exit_status.as_deref().is_some_and(&is)),
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

/// A group's number; `None` when it is not known. Of tokens and costs it is the largest of a
/// trajectory.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts and steps stay below 2^53"
)]
fn number(field: NumberField, subject: &Subject<'_>) -> Option<f64> {
    let (group, row) = (subject.group, subject.row);
    let all = group.trajectories.iter();
    match field {
        NumberField::N => Some(row.n as f64),
        NumberField::Passing => Some(row.passing as f64),
        NumberField::Failing => Some(row.failing as f64),
        NumberField::Unscored => Some(row.unscored as f64),
        NumberField::Credit => row.credit_moved,
        NumberField::Disagreement => row.disagreement,
        NumberField::Findings => Some(row.findings as f64),
        NumberField::Step => group.step.map(|step| step as f64),
        NumberField::Tokens => all
            .filter_map(|t| t.output_tokens)
            .max()
            .map(|most| most as f64),
        NumberField::Cost => all.filter_map(|t| t.cost_usd).max_by(f64::total_cmp),
        NumberField::Problems => Some(subject.problems as f64),
    }
}

/// The names that an expression may hold.
fn names() -> impl Iterator<Item = &'static str> {
    let words = Word::NAMES.iter().map(|(name, _)| *name);
    let texts = TextField::NAMES.iter().map(|(name, _)| *name);
    let numbers = NumberField::NAMES.iter().map(|(name, _)| *name);
    words.chain(texts).chain(numbers)
}

fn unknown(name: &str) -> String {
    let begun: Vec<_> = names()
        .filter(|known| !name.is_empty() && known.starts_with(name))
        .collect();
    if begun.is_empty() {
        let all: Vec<_> = names().collect();
        format!("“{name}” is none of {}", all.join(", "))
    } else {
        format!("“{name}” is not a whole name: {}", begun.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Extra, GroupClass, GroupId, Outcome, TaskSummary};
    use crate::review::ReviewState;

    fn accepts(text: &str) -> bool {
        let mut cut_off = Trajectory::new("a", Outcome::Pass);
        cut_off.truncated = true;
        cut_off.policy = Some("Qwen-7b@120".to_owned());
        cut_off.output_tokens = Some(21_000);
        cut_off.exit_status = Some("exit cost".to_owned());
        cut_off.marks = vec!["infrastructure failure".to_owned()];
        let mut cheap = Trajectory::new("b", Outcome::Fail);
        cheap.cost_usd = Some(0.5);
        let group = RolloutGroup {
            id: GroupId("django__django-11999".to_owned()),
            step: Some(120),
            task: TaskSummary {
                title: Some("Cannot override".to_owned()),
                ..Default::default()
            },
            trajectories: vec![cut_off, cheap],
            fingerprint: String::new(),
            meta: Extra::default(),
        };
        let row = GroupRow {
            step: group.step,
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
            skipped: None,
            flagged: Some(String::new()),
            remarked: 2,
            at_stake: 0.1,
            spent_ms: 0,
            provenance: Some(Provenance::Unresolved),
        };
        Filter::read(text).unwrap().accepts(&Subject {
            group: &group,
            row: &row,
            formats: vec!["verl rollout dump"],
            problems: 1,
        })
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
        assert!(accepts("flagged") && !accepts("!flagged"));
        assert!(accepts("!settled provenance:unresolved") && !accepts("provenance:single"));
        assert!(!accepts("-kept"));
        assert!(!accepts("!kept") && accepts("!dropped"));
        assert!(
            !accepts("disagreement>=0") && accepts("!disagreement>=0"),
            "what is not known meets no comparison"
        );
    }

    #[test]
    fn trajectories_formats_and_problems_are_asked_for() {
        assert!(accepts("truncated !masked policy~qwen format:VERL"));
        assert!(accepts("tokens>20000 cost<=0.5 problems>0 mark~infra"));
        assert!(accepts("exit:\"exit cost\" task~\"cannot over\""));
        assert!(!accepts("policy:qwen") && !accepts("format:nemo") && !accepts("exit:exit"));
        assert!(!accepts("tokens<=20000") && !accepts("problems>1"));
    }

    #[test]
    fn a_range_holds_both_its_ends() {
        assert!(accepts("step:120") && accepts("step:120..140") && accepts("step:100..120"));
        assert!(!accepts("step:121..140") && !accepts("step:119"));
        assert!(Filter::read("step>1..2").is_err() && Filter::read("step:1..x").is_err());
    }

    #[test]
    fn all_errors_are_told() {
        let error = Filter::read("fly class:mixd passing>=two kept n~3").unwrap_err();
        for part in ["“fly”", "mixd", "“two”", "n is a number"] {
            assert!(error.contains(part), "{error}");
        }
        let told = |text: &str| Filter::read(text).unwrap_err();
        assert!(names().all(|name| told("fly").contains(name)));
        assert!(told("pas").contains("passing") && !told("pas").contains("kept"));
        assert!(told("state").contains("unseen"));
        assert!(told("provenance:settled").contains("adjudicated"));
        assert!(told("task").contains("task~"));
        assert!(told("kept:1").contains("stands alone"));
        assert!(told("!").contains("is none of"));
    }
}
