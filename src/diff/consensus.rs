//! How many of the passing candidates touch a place of the base, equal ones counted once.
//!
//! What is *not* here: the places themselves ([`super::Region`]).

use super::aligned::{Aligned, Region};
use super::results::Results;

/// The candidates that count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Consensus {
    counted: Vec<usize>,
    /// Failing ones too; empty where enough pass.
    wide: Vec<usize>,
}

/// From so many different passing results on nobody need look at failing ones.
const ENOUGH: usize = 2;

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
        Self {
            counted,
            wide: Vec::new(),
        }
    }

    /// The same with failing candidates as weaker evidence of where a fix may be, where fewer than two
    /// different results pass. Only the first `candidates` count: the reference is none.
    #[must_use]
    pub fn or_failing(mut self, aligned: &Aligned, results: &Results, candidates: usize) -> Self {
        if self.counted.len() >= ENOUGH {
            return self;
        }
        let all = aligned.candidates().iter().enumerate().take(candidates);
        for (index, candidate) in all {
            let known = |other: &usize| results.overall.are_equal(*other, index);
            if !candidate.patch.files.is_empty() && !self.wide.iter().any(known) {
                self.wide.push(index);
            }
        }
        self
    }

    /// Candidates that count as evidence, and whether failing ones are among them.
    #[must_use]
    pub fn evidence(&self) -> (&[usize], bool) {
        match self.wide.is_empty() {
            true => (&self.counted, false),
            false => (&self.wide, true),
        }
    }

    /// How many of the evidence touch a region, and whether failing ones are among it; a share of the
    /// passing ones alone where enough pass.
    #[must_use]
    pub fn evident_share(&self, region: &Region) -> (Share, bool) {
        let (among, is_weak) = self.evidence();
        let touching = among.iter().filter(|index| region.is_touched_by(**index));
        let share = Share {
            touching: touching.count(),
            passing: among.len(),
        };
        (share, is_weak)
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
        let region = &aligned.files[0].regions[1];
        let share = |passing, touching| Share { touching, passing };
        assert_eq!(consensus.evident_share(region), (share(2, 1), false));
        // Where one result passes the failing ones tell where a fix may be.
        let few: Vec<_> = candidates
            .into_iter()
            .enumerate()
            .map(|(index, candidate)| CandidatePatch {
                passing: index == 0,
                ..candidate
            })
            .collect();
        let aligned = Aligned::of(&few, &Bases::default());
        let results = Results::of(&aligned);
        let consensus = Consensus::of(&aligned, &results).or_failing(&aligned, &results, 4);
        let region = &aligned.files[0].regions[1];
        assert_eq!(consensus.evident_share(region), (share(2, 1), true));
        assert_eq!(consensus.share(region), share(1, 0));
    }
}
