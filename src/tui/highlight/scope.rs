//! Scopes of code, numbered: what a theme gives a style to.
//!
//! A [`SyntaxStyle`] is the number of a stack of scopes. It says nothing of colours, so a change of
//! themes needs no new parse. Numbers hold for the whole process, like syntect's own scope names.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::{OnceLock, PoisonError, RwLock};

use syntect::highlighting::ScopeSelectors;
use syntect::parsing::{Scope, ScopeStack};

/// Of deeper stacks the outermost scope and the innermost ones are kept.
const DEPTH: usize = 32;
/// No more stacks than this are numbered; text that has more stays plain from there on.
const STACKS: usize = 65_536;

/// What a piece of code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SyntaxRole {
    /// Keywords and storage.
    Keyword,
    /// Strings.
    String,
    /// Comments.
    Comment,
    /// Numbers.
    Number,
    /// Function names.
    Function,
    /// Types and classes.
    Type,
    /// Constants.
    Constant,
    /// Variables.
    Variable,
    /// Operators.
    Operator,
    /// Punctuation.
    Punctuation,
    /// Tags of markup.
    Tag,
    /// Attributes of markup, decorators.
    Attribute,
}

/// A stack of scopes, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SyntaxStyle(u32);

#[derive(Default)]
struct Table {
    stacks: Vec<(Box<[Scope]>, Option<SyntaxRole>)>,
    numbers: HashMap<Box<[Scope]>, u32>,
}

fn table() -> &'static RwLock<Table> {
    static TABLE: OnceLock<RwLock<Table>> = OnceLock::new();
    TABLE.get_or_init(RwLock::default)
}

impl SyntaxStyle {
    /// The number of a stack; `None` for text of no kind, or when there are too many.
    pub(super) fn of(stack: &ScopeStack) -> Option<Self> {
        let all = stack.as_slice();
        let (outer, inner) = all.split_first()?;
        if inner.is_empty() {
            return None;
        }
        let kept: Box<[Scope]> = std::iter::once(*outer)
            .chain(inner[inner.len().saturating_sub(DEPTH)..].iter().copied())
            .collect();
        let read = table().read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = read.numbers.get(&kept) {
            return Some(Self(number));
        }
        drop(read);
        let role = role_of(all);
        let mut table = table().write().unwrap_or_else(PoisonError::into_inner);
        if table.stacks.len() >= STACKS {
            return None;
        }
        let number = u32::try_from(table.stacks.len()).ok()?;
        let number = *table.numbers.entry(kept.clone()).or_insert(number);
        if number as usize == table.stacks.len() {
            table.stacks.push((kept, role));
        }
        Some(Self(number))
    }

    /// The number, from 0 on.
    #[must_use]
    pub fn number(self) -> usize {
        self.0 as usize
    }

    /// The scopes, the outermost first, and what they are in one word.
    #[must_use]
    pub fn scopes(self) -> (Box<[Scope]>, Option<SyntaxRole>) {
        let table = table().read().unwrap_or_else(PoisonError::into_inner);
        table.stacks.get(self.number()).cloned().unwrap_or_default()
    }

    /// What it is in one word, for themes that have no more.
    #[must_use]
    pub fn role(self) -> Option<SyntaxRole> {
        let table = table().read().unwrap_or_else(PoisonError::into_inner);
        table.stacks.get(self.number()).and_then(|(_, role)| *role)
    }
}

struct Rule {
    selectors: ScopeSelectors,
    role: SyntaxRole,
}

fn rules() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        const TABLE: [(&str, SyntaxRole); 16] = [
            ("comment", SyntaxRole::Comment),
            ("string, constant.character.escape", SyntaxRole::String),
            ("constant.numeric", SyntaxRole::Number),
            ("constant", SyntaxRole::Constant),
            ("keyword.operator", SyntaxRole::Operator),
            ("keyword, storage", SyntaxRole::Keyword),
            (
                "entity.name.function, support.function, variable.function",
                SyntaxRole::Function,
            ),
            (
                "meta.annotation, entity.other.attribute-name",
                SyntaxRole::Attribute,
            ),
            ("entity.name.tag", SyntaxRole::Tag),
            (
                "entity.name.type, entity.name.class, support.type",
                SyntaxRole::Type,
            ),
            (
                "entity.name, support.class, entity.other.inherited-class",
                SyntaxRole::Type,
            ),
            ("variable.language", SyntaxRole::Keyword),
            ("variable.parameter", SyntaxRole::Variable),
            ("variable", SyntaxRole::Variable),
            ("markup.heading", SyntaxRole::Keyword),
            ("punctuation", SyntaxRole::Punctuation),
        ];
        TABLE
            .iter()
            .filter_map(|(text, role)| {
                let selectors = ScopeSelectors::from_str(text).ok()?;
                Some(Rule {
                    selectors,
                    role: *role,
                })
            })
            .collect()
    })
}

/// The role of the innermost scope that has one.
fn role_of(scopes: &[Scope]) -> Option<SyntaxRole> {
    let strongest = |scope: &Scope| {
        let one = [*scope];
        rules()
            .iter()
            .find(|rule| rule.selectors.does_match(&one).is_some())
            .map(|rule| rule.role)
    };
    // The quotes of a string and the marks of a comment belong to them.
    let outer = scopes.iter().find_map(|scope| {
        strongest(scope).filter(|role| matches!(role, SyntaxRole::Comment | SyntaxRole::String))
    });
    outer.or_else(|| scopes.iter().rev().find_map(strongest))
}
