//! A ranking of the passing trajectories as tiers: validity, moves, difference of two rankings.

use super::trajectory::TrajectoryIndex;

/// A weak order, best tier first; members of a tier tie; trajectories in no tier are unranked.
///
/// Invariant: no tier is empty, no trajectory occurs twice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Ranking {
    tiers: Vec<Vec<TrajectoryIndex>>,
}

/// Why tiers are not a ranking of a group's passing trajectories.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RankingError {
    /// A trajectory index is outside the group.
    #[error("trajectory {0} is not in the group")]
    Unknown(TrajectoryIndex),
    /// A trajectory stands in more than one place.
    #[error("trajectory {0} stands in the ranking twice")]
    Duplicate(TrajectoryIndex),
    /// A trajectory that does not pass is ranked.
    #[error("trajectory {0} is ranked but does not pass")]
    NotPassing(TrajectoryIndex),
}

/// One edit of a ranking, about one trajectory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// One tier up: out of a tie to a tier of its own above it, else past the tier above.
    Up(TrajectoryIndex),
    /// One tier down, mirror image of `Up`.
    Down(TrajectoryIndex),
    /// To a tier of its own such that its rank is this place (1 = best, clamped).
    ToPlace(TrajectoryIndex, usize),
    /// Joins the tier above.
    TieAbove(TrajectoryIndex),
    /// Leaves its tie: to a tier of its own directly below the rest of the tier.
    Split(TrajectoryIndex),
    /// Out of the ranking.
    Unrank(TrajectoryIndex),
}

/// What changed between two rankings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RankingDifference {
    /// Trajectories whose 1-based rank differs: (trajectory, rank before, rank after); `None` =
    /// unranked. In trajectory order.
    pub moved: Vec<(TrajectoryIndex, Option<usize>, Option<usize>)>,
    /// Pairs (a, b), a < b, that the two rankings order strictly and oppositely.
    pub flipped: Vec<(TrajectoryIndex, TrajectoryIndex)>,
}

impl Ranking {
    /// Returns the ranking with these tiers, empty tiers dropped.
    ///
    /// # Errors
    /// [`RankingError::Duplicate`] when a trajectory occurs twice.
    pub fn new(tiers: Vec<Vec<TrajectoryIndex>>) -> Result<Self, RankingError> {
        let mut seen = std::collections::BTreeSet::new();
        for &index in tiers.iter().flatten() {
            if !seen.insert(index) {
                return Err(RankingError::Duplicate(index));
            }
        }
        Ok(Self {
            tiers: tiers.into_iter().filter(|tier| !tier.is_empty()).collect(),
        })
    }

    /// Checks that every ranked trajectory is in the group and passes.
    ///
    /// # Errors
    /// [`RankingError::Unknown`] or [`RankingError::NotPassing`], the first in ranking order.
    pub fn validate(&self, passing: &[bool]) -> Result<(), RankingError> {
        for &index in self.tiers.iter().flatten() {
            match passing.get(index) {
                None => return Err(RankingError::Unknown(index)),
                Some(false) => return Err(RankingError::NotPassing(index)),
                Some(true) => {}
            }
        }
        Ok(())
    }

    /// The tiers, best first.
    #[must_use]
    pub fn tiers(&self) -> &[Vec<TrajectoryIndex>] {
        &self.tiers
    }

    /// Whether nothing is ranked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tiers.is_empty()
    }

    /// Number of ranked trajectories.
    #[must_use]
    pub fn ranked(&self) -> usize {
        self.tiers.iter().map(Vec::len).sum()
    }

    /// 0-based tier of a trajectory; `None` when unranked.
    #[must_use]
    pub fn tier_of(&self, index: TrajectoryIndex) -> Option<usize> {
        self.tiers.iter().position(|tier| tier.contains(&index))
    }

    /// 1-based rank: 1 + the number of trajectories in better tiers; `None` when unranked.
    #[must_use]
    pub fn rank_of(&self, index: TrajectoryIndex) -> Option<usize> {
        let tier = self.tier_of(index)?;
        Some(1 + self.tiers.iter().take(tier).map(Vec::len).sum::<usize>())
    }

    /// Ranked trajectories, best first.
    #[must_use]
    pub fn order(&self) -> Vec<TrajectoryIndex> {
        self.tiers.iter().flatten().copied().collect()
    }

    /// Passing trajectories that are not ranked, in group order. `passing` has one flag per
    /// trajectory of the group.
    #[must_use]
    pub fn unranked(&self, passing: &[bool]) -> Vec<TrajectoryIndex> {
        (0..passing.len())
            .filter(|&i| passing[i] && self.tier_of(i).is_none())
            .collect()
    }

    /// Returns the ranking after a move, or `None` when the move changes nothing. A trajectory that
    /// is not ranked enters at the bottom on `Up`, `Down`, `TieAbove` (tied with the last tier), or
    /// at the place asked for.
    #[must_use]
    pub fn apply(&self, edit: Move) -> Option<Self> {
        let _ = edit;
        todo!("helper A")
    }

    /// Returns what changed from `self` to `after`.
    #[must_use]
    pub fn difference(&self, after: &Self) -> RankingDifference {
        let _ = after;
        todo!("helper A")
    }
}
