//! Which unchanged lines of the base are shown, and which files are folded: what a person opened.

use std::collections::{BTreeMap, BTreeSet};

/// Lines that one step unfolds at either end of a fold.
const STEP: u32 = 10;

/// What is folded and what is not: unchanged lines are folded unless they are revealed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Revealed {
    /// Whether all lines that are known are shown.
    pub all: bool,
    /// Files of which only the header is shown, by their place among those shown.
    pub folded: BTreeSet<usize>,
    /// Base lines that are shown, first and last, by file.
    lines: BTreeMap<usize, Vec<(u32, u32)>>,
}

impl Revealed {
    /// Nothing is shown that else is folded.
    pub const NONE: Self = Self {
        all: false,
        folded: BTreeSet::new(),
        lines: BTreeMap::new(),
    };

    pub(super) fn shows(&self, file: usize, line: u32) -> bool {
        let ranges = self.lines.get(&file).map_or(&[][..], Vec::as_slice);
        self.all || ranges.iter().any(|&(from, to)| (from..=to).contains(&line))
    }

    /// Whether no line of a file is shown that else is folded.
    pub(super) fn is_closed(&self, file: usize) -> bool {
        !self.all && self.lines.get(&file).is_none_or(Vec::is_empty)
    }

    /// Reveals some lines at both ends of a fold.
    pub fn unfold(&mut self, file: usize, (from, to): (u32, u32)) {
        let ranges = self.lines.entry(file).or_default();
        let head = from.saturating_add(STEP - 1).min(to);
        let tail = to.saturating_sub(STEP - 1).max(from);
        ranges.extend([(from, head), (tail, to)]);
    }

    /// Hides what was revealed around a line; answers whether something was.
    pub fn fold(&mut self, file: usize, line: u32) -> bool {
        let Some(ranges) = self.lines.get_mut(&file) else {
            return false;
        };
        let before = ranges.len();
        ranges.retain(|&(from, to)| !(from..=to).contains(&line));
        ranges.len() < before
    }
}
