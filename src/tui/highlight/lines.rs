//! One line parsed from the state before it, and remembered: the same line after the same state is
//! parsed once, in whichever candidate, side or file it stands.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::rc::Rc;

use syntect::parsing::{ParseState, ScopeStack, SyntaxReference, SyntaxSet};

use super::colours::{ColouredLine, ColouredSpan};
use super::scope::SyntaxStyle;

/// Of longer lines only this much is parsed, in bytes.
pub(super) const LINE_CAP: usize = 4_096;
/// Remembered lines of one generation; when so many are there, the generation before is forgotten.
const LINES_KEPT: usize = 60_000;
/// Remembered states; when so many are there, all is forgotten.
const STATES_KEPT: usize = 20_000;
/// Text nested deeper than this is plain from there on.
const NESTING: usize = 400;

/// What a parser knows between two lines. Equal states are one object as long as they are remembered.
#[derive(Debug)]
pub(super) struct State {
    id: u64,
    parse: ParseState,
    stack: ScopeStack,
}

impl State {
    /// Whether two states are known to be equal.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// State before the line, hash of its bytes, their number.
type Key = (u64, u64, usize);
type Known = (ColouredLine, Rc<State>);

/// The remembered lines and states.
#[derive(Debug, Default)]
pub(super) struct Lines {
    hasher: RandomState,
    ids: u64,
    /// By a hash of the scopes.
    states: HashMap<u64, Vec<Rc<State>>>,
    recent: HashMap<Key, Known>,
    older: HashMap<Key, Known>,
}

impl Lines {
    /// The state before the first line of a text.
    pub(super) fn start(&mut self, syntax: &SyntaxReference) -> Rc<State> {
        self.state(ParseState::new(syntax), ScopeStack::new())
    }

    /// The colours of a line (without newline) and the state after it.
    pub(super) fn line(
        &mut self,
        syntaxes: &SyntaxSet,
        state: &Rc<State>,
        text: &str,
    ) -> (ColouredLine, Rc<State>) {
        let text = &text[..text.floor_char_boundary(LINE_CAP)];
        let key = (state.id, self.hasher.hash_one(text), text.len());
        if let Some(known) = self.recent.get(&key) {
            return known.clone();
        }
        let known = match self.older.remove(&key) {
            Some(known) => known,
            None => self.parse(syntaxes, state, text),
        };
        if self.recent.len() >= LINES_KEPT {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(key, known.clone());
        known
    }

    fn parse(&mut self, syntaxes: &SyntaxSet, state: &Rc<State>, text: &str) -> Known {
        let nothing = || (ColouredLine::from([]), Rc::clone(state));
        if state.stack.len() > NESTING {
            return nothing();
        }
        let (mut parse, mut stack) = (state.parse.clone(), state.stack.clone());
        let with_newline = format!("{text}\n");
        let Ok(ops) = parse.parse_line(&with_newline, syntaxes) else {
            return nothing();
        };
        let mut spans: Vec<ColouredSpan> = Vec::new();
        let mut from = 0;
        let mut add = |to: usize, stack: &ScopeStack| {
            let bytes = from..to.min(text.len());
            from = to;
            if bytes.is_empty() {
                return;
            }
            let style = SyntaxStyle::of(stack);
            let span = style.and_then(|style| ColouredSpan::new(bytes, style));
            if let Some(span) = span
                && !spans.last_mut().is_some_and(|last| last.extend(&span))
            {
                spans.push(span);
            }
        };
        for (at, op) in ops {
            add(at, &stack);
            if stack.apply(&op).is_err() {
                return nothing();
            }
        }
        add(text.len(), &stack);
        (spans.into(), self.state(parse, stack))
    }

    fn state(&mut self, parse: ParseState, stack: ScopeStack) -> Rc<State> {
        if self.ids % STATES_KEPT as u64 == STATES_KEPT as u64 - 1 {
            self.states.clear();
            self.recent.clear();
            self.older.clear();
        }
        let alike = self.hasher.hash_one(stack.as_slice());
        let alike = self.states.entry(alike).or_default();
        let known = alike
            .iter()
            .find(|known| known.parse == parse && known.stack == stack);
        if let Some(known) = known {
            return Rc::clone(known);
        }
        self.ids += 1;
        let id = self.ids;
        let state = Rc::new(State { id, parse, stack });
        alike.push(Rc::clone(&state));
        state
    }
}
