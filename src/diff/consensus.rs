//! How many of the passing candidates touch a place of the base, equal ones counted once.
//!
//! What is *not* here: the places themselves ([`super::Region`]).

use super::aligned::{Aligned, Region};
use super::results::Results;

/// The candidates that count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Consensus {
    counted: Vec<usize>,
}

/// A share of the passing candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// Those that touch the place.
    pub touching: usize,
    /// All of them.
    pub passing: usize,
}

impl Consensus {
    /// The passing candidates; of several that leave the same behind the first one counts for all.
    #[must_use]
    pub fn of(aligned: &Aligned, results: &Results) -> Self {
        let mut counted: Vec<usize> = Vec::new();
        for (index, candidate) in aligned.candidates().iter().enumerate() {
            let known = |other: &usize| results.overall.are_equal(*other, index);
            if candidate.passing && !counted.iter().any(known) {
                counted.push(index);
            }
        }
        Self { counted }
    }

    /// The candidates that are counted, ascending.
    #[must_use]
    pub fn counted(&self) -> &[usize] {
        &self.counted
    }

    /// How many of them touch a region.
    #[must_use]
    pub fn share(&self, region: &Region) -> Share {
        let touching = self
            .counted
            .iter()
            .filter(|index| region.is_touched_by(**index));
        Share {
            touching: touching.count(),
            passing: self.counted.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::diff::{Bases, CandidatePatch, Patch};

    #[test]
    fn equal_results_count_once_and_failing_ones_never() {
        let head = "--- a/x\n+++ b/x\n";
        let first = format!("{head}@@ -2,2 +2,2 @@\n-b\n+B\n c\n");
        let again = format!("{head}@@ -1,2 +1,2 @@\n a\n-b\n+B\n");
        let both = format!("{head}@@ -2,1 +2,1 @@\n-b\n+X\n@@ -9,1 +9,1 @@\n-i\n+I\n");
        let of = |text: &str, passing| CandidatePatch {
            patch: Arc::new(Patch::read(Arc::from(text))),
            passing,
        };
        let candidates = [
            of(&first, true),
            of(&again, true),
            of(&both, true),
            of(&both, false),
        ];
        let aligned = Aligned::of(&candidates, &Bases::default());
        let consensus = Consensus::of(&aligned, &Results::of(&aligned));
        assert_eq!(consensus.counted(), [0, 2]);
        let shares: Vec<_> = aligned.files[0]
            .regions
            .iter()
            .map(|region| consensus.share(region))
            .map(|share| (share.touching, share.passing))
            .collect();
        assert_eq!(shares, [(2, 2), (1, 2)]);
    }
}
