//! A file of a patch that is being coloured: what the parser knew at the beginning of each unit, on
//! the old and on the new side.
//!
//! With a known base text the old side is that text parsed from its top, and the new side is the same
//! until a hunk leaves the parser elsewhere; then the lines between hunks are parsed until both agree
//! again. Without it each hunk begins as [`super::opening`] guesses.

use std::rc::Rc;
use std::sync::Arc;

use syntect::parsing::{SyntaxReference, SyntaxSet};

use super::colours::{ColourUnit, ColouredLine, UNIT};
use super::lines::{LINE_CAP, Lines, State};
use super::opening::line_before;
use crate::diff::{Anchor, BaseText, LineKind, Patch, anchors};

/// Asked between units: whether something else is wanted now.
pub(super) type Stop<'a> = &'a mut dyn FnMut() -> bool;

/// What parsing needs at hand.
pub(super) struct Parser<'a> {
    pub(super) syntaxes: &'a SyntaxSet,
    pub(super) syntax: &'a SyntaxReference,
    pub(super) lines: &'a mut Lines,
}

impl Parser<'_> {
    fn start(&mut self) -> Rc<State> {
        self.lines.start(self.syntax)
    }

    fn line(&mut self, state: &Rc<State>, text: &str) -> (ColouredLine, Rc<State>) {
        let text = text.strip_suffix('\r').unwrap_or(text);
        self.lines.line(self.syntaxes, state, text)
    }
}

/// A base text and the states at its units, shared by all candidates that change it.
#[derive(Debug)]
pub(super) struct OpenedBase {
    text: Arc<BaseText>,
    language: String,
    /// Before line `unit * UNIT` (0-based).
    states: Vec<Rc<State>>,
}

impl OpenedBase {
    pub(super) fn new(text: Arc<BaseText>, language: String) -> Self {
        let states = Vec::new();
        Self {
            text,
            language,
            states,
        }
    }

    pub(super) fn is(&self, text: &Arc<BaseText>, language: &str) -> bool {
        Arc::ptr_eq(&self.text, text) && self.language == language
    }

    /// The colours of a unit; `None` when it was stopped.
    pub(super) fn unit(
        &mut self,
        parser: &mut Parser<'_>,
        unit: usize,
        stop: Stop<'_>,
    ) -> Option<Vec<ColouredLine>> {
        let mut state = self.at(parser, unit * UNIT, stop)?;
        let mut found = Vec::with_capacity(UNIT);
        for line in self.lines(unit * UNIT..(unit + 1) * UNIT) {
            let (coloured, after) = parser.line(&state, line);
            state = after;
            found.push(coloured);
        }
        Some(found)
    }

    /// The state before a line (0-based); the end of the text when there are fewer.
    fn at(&mut self, parser: &mut Parser<'_>, line: usize, stop: Stop<'_>) -> Option<Rc<State>> {
        if self.states.is_empty() {
            self.states.push(parser.start());
        }
        let line = line.min(self.text.lines() as usize);
        while self.states.len() <= line / UNIT {
            let last = self.states.len() - 1;
            let next = self.walk(parser, last * UNIT..(last + 1) * UNIT, last)?;
            self.states.push(next);
            if stop() {
                return None;
            }
        }
        let unit = line / UNIT;
        self.walk(parser, unit * UNIT..line, unit)
    }

    fn walk(
        &self,
        parser: &mut Parser<'_>,
        lines: std::ops::Range<usize>,
        unit: usize,
    ) -> Option<Rc<State>> {
        let mut state = Rc::clone(self.states.get(unit)?);
        for line in self.lines(lines) {
            state = parser.line(&state, line).1;
        }
        Some(state)
    }

    fn lines(&self, lines: std::ops::Range<usize>) -> impl Iterator<Item = &str> {
        let number = |line: usize| u32::try_from(line + 1).unwrap_or(u32::MAX);
        lines.map_while(move |line| self.text.line(number(line)))
    }
}

/// States on the old and on the new side.
type Pair = (Rc<State>, Rc<State>);

/// A file that is being coloured.
#[derive(Debug)]
pub(super) struct OpenedFile {
    patch: Arc<Patch>,
    file: usize,
    /// The known base.
    base: Option<Arc<BaseText>>,
    /// Whether every hunk stands in the base.
    stands: bool,
    /// Per hunk the 0-based base line of its first old line; with a base only.
    places: Vec<usize>,
    /// Per hunk the states before its units, as far as they were reached; behind the last unit one
    /// more.
    hunks: Vec<Vec<Pair>>,
    /// What is to be told of the file.
    pub(super) note: Option<String>,
}

impl OpenedFile {
    pub(super) fn new(patch: Arc<Patch>, file: usize, base: Option<Arc<BaseText>>) -> Self {
        let found = patch.files.get(file);
        let places = match (found, &base) {
            (Some(found), Some(base)) => {
                let anchors = anchors(&patch, found, Some(base));
                let stands = |(line, anchor): (u32, Anchor)| {
                    let place = line.saturating_sub(1) as usize;
                    anchor.applies().then_some(place)
                };
                anchors.into_iter().map(stands).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        let places = places.filter(|places| places.is_sorted());
        let hunks = found.map_or(&[][..], |found| &found.hunks);
        let is_long = hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
            .any(|line| line.range.len() > LINE_CAP);
        Self {
            file,
            base,
            stands: places.is_some(),
            places: places.unwrap_or_default(),
            hunks: vec![Vec::new(); hunks.len()],
            note: is_long.then(|| format!("long lines: plain behind {LINE_CAP} bytes")),
            patch,
        }
    }

    pub(super) fn is(&self, patch: &Arc<Patch>, file: usize, base: Option<&Arc<BaseText>>) -> bool {
        let same_base = match (&self.base, base) {
            (Some(own), Some(base)) => Arc::ptr_eq(own, base),
            (own, base) => own.is_none() && base.is_none(),
        };
        Arc::ptr_eq(&self.patch, patch) && self.file == file && same_base
    }

    /// Every unit of the file's hunks, in order.
    pub(super) fn units(patch: &Patch, file: usize) -> Vec<ColourUnit> {
        let hunks = patch.files.get(file).map_or(&[][..], |file| &file.hunks);
        let units = hunks.iter().enumerate().flat_map(|(hunk, found)| {
            (0..found.lines.len().div_ceil(UNIT)).map(move |unit| ColourUnit::Hunk { hunk, unit })
        });
        units.collect()
    }

    /// The colours of a unit of a hunk; `None` when it was stopped.
    pub(super) fn unit(
        &mut self,
        parser: &mut Parser<'_>,
        mut base: Option<&mut OpenedBase>,
        (hunk, unit): (usize, usize),
        stop: Stop<'_>,
    ) -> Option<Vec<ColouredLine>> {
        if hunk >= self.hunks.len() {
            return Some(Vec::new());
        }
        // On the new side the hunks before may leave the parser elsewhere.
        let first = if self.stands { 0 } else { hunk };
        for before in first..=hunk {
            if self.hunks[before].is_empty() {
                let pair = self.begin(parser, base.as_deref_mut(), before, stop)?;
                self.hunks[before].push(pair);
            }
            let wanted = if before == hunk {
                unit
            } else {
                self.unit_count(before)
            };
            while self.hunks[before].len() <= wanted {
                self.walk(parser, before, self.hunks[before].len() - 1);
                if stop() {
                    return None;
                }
            }
        }
        Some(self.walk(parser, hunk, unit))
    }

    fn unit_count(&self, hunk: usize) -> usize {
        let hunk = self
            .patch
            .files
            .get(self.file)
            .and_then(|file| file.hunks.get(hunk));
        hunk.map_or(0, |hunk| hunk.lines.len().div_ceil(UNIT))
    }

    /// The states before a hunk.
    fn begin(
        &self,
        parser: &mut Parser<'_>,
        base: Option<&mut OpenedBase>,
        hunk: usize,
        stop: Stop<'_>,
    ) -> Option<Pair> {
        let (Some(base), Some(&place)) = (base, self.places.get(hunk)) else {
            return Some(self.guess(parser, hunk));
        };
        let old = base.at(parser, place, stop)?;
        let Some(before) = hunk.checked_sub(1) else {
            return Some((Rc::clone(&old), old));
        };
        let Some((left_old, left_new)) = self.hunks[before].last() else {
            return Some((Rc::clone(&old), old));
        };
        if left_old.is(left_new) {
            return Some((Rc::clone(&old), old));
        }
        let mut new = Rc::clone(left_new);
        let mut at = self.places[before] + self.old_lines(before);
        while at < place {
            let next = (at / UNIT + 1) * UNIT;
            for line in base.lines(at..next.min(place)) {
                new = parser.line(&new, line).1;
            }
            at = next.min(place);
            if base.at(parser, at, stop)?.is(&new) {
                return Some((Rc::clone(&old), old));
            }
        }
        Some((old, new))
    }

    fn old_lines(&self, hunk: usize) -> usize {
        let hunk = self
            .patch
            .files
            .get(self.file)
            .and_then(|file| file.hunks.get(hunk));
        let is_old = |kind| matches!(kind, LineKind::Context | LineKind::Removed);
        hunk.map_or(0, |hunk| {
            hunk.lines.iter().filter(|line| is_old(line.kind)).count()
        })
    }

    fn guess(&self, parser: &mut Parser<'_>, hunk: usize) -> Pair {
        let hunk = self
            .patch
            .files
            .get(self.file)
            .and_then(|file| file.hunks.get(hunk));
        let mut side = |kind: LineKind| {
            let start = parser.start();
            let Some(hunk) = hunk else { return start };
            let lines = hunk
                .lines
                .iter()
                .filter(|line| line.kind == kind || line.kind == LineKind::Context);
            let texts: Vec<&str> = lines.map(|line| self.patch.line_text(line)).collect();
            match line_before(&texts, &parser.syntax.name) {
                Some(line) => parser.line(&start, &line).1,
                None => start,
            }
        };
        (side(LineKind::Removed), side(LineKind::Added))
    }

    /// Colours a unit whose states before are known, and keeps those after it. A context line has
    /// the colours of the new side.
    fn walk(&mut self, parser: &mut Parser<'_>, hunk: usize, unit: usize) -> Vec<ColouredLine> {
        let found = self
            .patch
            .files
            .get(self.file)
            .and_then(|file| file.hunks.get(hunk));
        let (Some(found), Some((mut old, mut new))) = (found, self.hunks[hunk].get(unit).cloned())
        else {
            return Vec::new();
        };
        let from = (unit * UNIT).min(found.lines.len());
        let to = (from + UNIT).min(found.lines.len());
        let mut coloured = Vec::with_capacity(to - from);
        for line in &found.lines[from..to] {
            let text = self.patch.line_text(line);
            coloured.push(match line.kind {
                LineKind::NoNewline => ColouredLine::from([]),
                LineKind::Removed => {
                    let (colours, after) = parser.line(&old, text);
                    old = after;
                    colours
                }
                LineKind::Added => {
                    let (colours, after) = parser.line(&new, text);
                    new = after;
                    colours
                }
                LineKind::Context => {
                    let (colours, after) = parser.line(&new, text);
                    old = if old.is(&new) {
                        Rc::clone(&after)
                    } else {
                        parser.line(&old, text).1
                    };
                    new = after;
                    colours
                }
            });
        }
        if self.hunks[hunk].len() == unit + 1 {
            self.hunks[hunk].push((old, new));
        }
        coloured
    }
}
