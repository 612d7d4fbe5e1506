//! What a file's coloured lines are kept in: units of [`UNIT`] lines, each there or not yet.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::scope::SyntaxStyle;

/// Lines that are coloured together.
pub const UNIT: usize = 64;

/// A coloured piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColouredSpan {
    start: u16,
    end: u16,
    /// What it is.
    pub style: SyntaxStyle,
}

impl ColouredSpan {
    /// A piece of a line; `None` behind what is coloured of a line.
    pub(super) fn new(bytes: Range<usize>, style: SyntaxStyle) -> Option<Self> {
        Some(Self {
            start: u16::try_from(bytes.start).ok()?,
            end: u16::try_from(bytes.end).ok()?,
            style,
        })
    }

    /// Bytes of the line's text.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        usize::from(self.start)..usize::from(self.end)
    }

    pub(super) fn extend(&mut self, next: &Self) -> bool {
        let joins = self.style == next.style && self.end == next.start;
        if joins {
            self.end = next.end;
        }
        joins
    }
}

/// The coloured pieces of a line, in order.
pub type ColouredLine = Arc<[ColouredSpan]>;

/// Lines that are coloured together. Indices are 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColourUnit {
    /// Lines `unit * UNIT` on of a hunk.
    Hunk {
        /// The hunk.
        hunk: usize,
        /// The unit.
        unit: usize,
    },
    /// Lines `unit * UNIT` on of the known base text.
    Base {
        /// The unit.
        unit: usize,
    },
}

impl ColourUnit {
    /// The unit of a line (0-based) of a hunk (0-based).
    #[must_use]
    pub fn of(hunk: usize, line: usize) -> Self {
        let unit = line / UNIT;
        Self::Hunk { hunk, unit }
    }

    /// The unit of a base line (1-based).
    #[must_use]
    pub fn of_base(line: u32) -> Self {
        let unit = line.saturating_sub(1) as usize / UNIT;
        Self::Base { unit }
    }
}

/// The colours of a file of a patch, as far as they are there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileColours {
    pub(super) units: BTreeMap<ColourUnit, Vec<ColouredLine>>,
    /// No language is known for the file: all of it is as coloured as it gets.
    pub(super) is_plain: bool,
    /// Whether the base text was known.
    pub(super) on_base: bool,
    /// Why the file, or a part of it, is plain, when there is a reason to tell.
    pub plain: Option<String>,
}

impl FileColours {
    /// The coloured pieces of a line of a hunk (0-based); empty when there are none, or not yet.
    #[must_use]
    pub fn of(&self, hunk: usize, line: usize) -> &[ColouredSpan] {
        self.line(ColourUnit::of(hunk, line), line % UNIT)
    }

    /// The coloured pieces of a base line (1-based) that need not stand in a hunk.
    #[must_use]
    pub fn of_base(&self, line: u32) -> &[ColouredSpan] {
        let place = line.saturating_sub(1) as usize % UNIT;
        self.line(ColourUnit::of_base(line), place)
    }

    /// Whether a unit is as coloured as it gets with, or without, a base text.
    #[must_use]
    pub fn has(&self, unit: ColourUnit, base_is_known: bool) -> bool {
        self.is_plain || (self.on_base || !base_is_known) && self.units.contains_key(&unit)
    }

    /// Takes over what arrived.
    ///
    /// With a base text the colours are better than without: they take the others' place.
    pub fn merge(&mut self, arrived: Self) {
        if arrived.on_base && !self.on_base {
            *self = arrived;
            return;
        }
        if self.on_base && !arrived.on_base {
            return;
        }
        self.units.extend(arrived.units);
        self.is_plain |= arrived.is_plain;
        self.plain = arrived.plain.or(self.plain.take());
    }

    /// A file that stays plain, for this reason.
    #[must_use]
    pub fn plain(reason: Option<String>) -> Self {
        Self {
            units: BTreeMap::new(),
            is_plain: true,
            on_base: false,
            plain: reason,
        }
    }

    fn line(&self, unit: ColourUnit, place: usize) -> &[ColouredSpan] {
        let lines = self.units.get(&unit);
        lines
            .and_then(|lines| lines.get(place))
            .map_or(&[], |line| line)
    }
}
