//! How many of the passing candidates touch a place of the base; patches that are equal count once.

use std::collections::HashSet;

use crate::diff::{Aligned, Region};

/// The passing candidates of a group, one of each set of equal patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consensus {
    distinct: Vec<usize>,
}

impl Consensus {
    /// Finds them.
    #[must_use]
    pub fn of(aligned: &Aligned) -> Self {
        let mut seen = HashSet::new();
        let passing = aligned.candidates().iter().enumerate();
        let distinct = passing
            .filter(|(_, candidate)| candidate.passing && seen.insert(&*candidate.patch.text))
            .map(|(index, _)| index)
            .collect();
        Self { distinct }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.distinct.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.distinct.is_empty()
    }

    /// How many of them change something in a region.
    #[must_use]
    pub fn touching(&self, region: &Region) -> usize {
        let touching = self.distinct.iter();
        touching
            .filter(|&&index| region.is_touched_by(index))
            .count()
    }
}
