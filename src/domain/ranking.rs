//! A ranking of the passing trajectories as tiers: validity, moves, difference of two rankings.

use super::trajectory::TrajectoryIndex;

/// A weak order, best tier first; members of a tier tie; trajectories in no tier are unranked.
///
/// Invariant: no tier is empty, no trajectory occurs twice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash, serde::Serialize, serde::Deserialize)]
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
        let mut tiers = self.tiers.clone();
        match edit {
            Move::Up(index) => match self.tier_of(index) {
                Some(at) if tiers[at].len() > 1 => {
                    tiers[at].retain(|&member| member != index);
                    tiers.insert(at, vec![index]);
                }
                Some(0) => return None,
                Some(at) => tiers.swap(at - 1, at),
                None => tiers.push(vec![index]),
            },
            Move::Down(index) => match self.tier_of(index) {
                Some(at) if tiers[at].len() > 1 => {
                    tiers[at].retain(|&member| member != index);
                    tiers.insert(at + 1, vec![index]);
                }
                Some(at) if at + 1 == tiers.len() => return None,
                Some(at) => tiers.swap(at, at + 1),
                None => tiers.push(vec![index]),
            },
            Move::ToPlace(index, place) => {
                remove(&mut tiers, index);
                // A tie is never broken by another trajectory's move: inside one, go below it.
                let mut above = 0;
                let mut at = 0;
                while at < tiers.len() && above + 1 < place {
                    above += tiers[at].len();
                    at += 1;
                }
                tiers.insert(at, vec![index]);
            }
            Move::TieAbove(index) => {
                let target = match self.tier_of(index) {
                    Some(at) => at.checked_sub(1)?,
                    None => tiers.len().saturating_sub(1),
                };
                match tiers.get_mut(target) {
                    Some(tier) => {
                        tier.push(index);
                        tier.sort_unstable();
                    }
                    None => tiers.push(vec![index]),
                }
                // The old place comes after the new one.
                if let Some(old) = tiers
                    .iter()
                    .skip(target + 1)
                    .position(|t| t.contains(&index))
                {
                    tiers[target + 1 + old].retain(|&member| member != index);
                }
            }
            Move::Split(index) => {
                let at = self.tier_of(index)?;
                if tiers[at].len() < 2 {
                    return None;
                }
                tiers[at].retain(|&member| member != index);
                tiers.insert(at + 1, vec![index]);
            }
            Move::Unrank(index) => remove(&mut tiers, index),
        }
        tiers.retain(|tier| !tier.is_empty());
        (tiers != self.tiers).then_some(Self { tiers })
    }

    /// Returns what changed from `self` to `after`.
    #[must_use]
    pub fn difference(&self, after: &Self) -> RankingDifference {
        let mut indices = self.order();
        indices.extend(after.order());
        indices.sort_unstable();
        indices.dedup();
        let moved = indices
            .iter()
            .map(|&index| (index, self.rank_of(index), after.rank_of(index)))
            .filter(|(_, before, now)| before != now)
            .collect();
        let mut flipped = Vec::new();
        for (position, &a) in indices.iter().enumerate() {
            for &b in &indices[position + 1..] {
                let order = |ranking: &Self| Some(ranking.tier_of(a)?.cmp(&ranking.tier_of(b)?));
                if let (Some(before), Some(now)) = (order(self), order(after))
                    && before.is_ne()
                    && before == now.reverse()
                {
                    flipped.push((a, b));
                }
            }
        }
        RankingDifference { moved, flipped }
    }
}

/// Takes a trajectory out of its tier, dropping a tier left empty.
fn remove(tiers: &mut Vec<Vec<TrajectoryIndex>>, index: TrajectoryIndex) {
    for tier in tiers.iter_mut() {
        tier.retain(|&member| member != index);
    }
    tiers.retain(|tier| !tier.is_empty());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(tiers: &[&[usize]]) -> Ranking {
        Ranking::new(tiers.iter().map(|tier| tier.to_vec()).collect()).unwrap()
    }

    #[test]
    fn moves_do_what_the_words_say() {
        let base = ranking(&[&[0], &[1, 2], &[3]]);
        let after = |edit| base.apply(edit);
        assert_eq!(after(Move::Up(2)), Some(ranking(&[&[0], &[2], &[1], &[3]])));
        assert_eq!(after(Move::Up(3)), Some(ranking(&[&[0], &[3], &[1, 2]])));
        assert_eq!(after(Move::Up(0)), None);
        assert_eq!(
            after(Move::Down(1)),
            Some(ranking(&[&[0], &[2], &[1], &[3]]))
        );
        assert_eq!(after(Move::Down(3)), None);
        assert_eq!(
            after(Move::ToPlace(3, 1)),
            Some(ranking(&[&[3], &[0], &[1, 2]]))
        );
        assert_eq!(
            after(Move::ToPlace(0, 99)),
            Some(ranking(&[&[1, 2], &[3], &[0]]))
        );
        assert_eq!(after(Move::TieAbove(3)), Some(ranking(&[&[0], &[1, 2, 3]])));
        assert_eq!(
            after(Move::TieAbove(4)),
            Some(ranking(&[&[0], &[1, 2], &[3, 4]]))
        );
        assert_eq!(
            after(Move::Split(1)),
            Some(ranking(&[&[0], &[2], &[1], &[3]]))
        );
        assert_eq!(after(Move::Split(0)), None);
        assert_eq!(after(Move::Unrank(0)), Some(ranking(&[&[1, 2], &[3]])));
        assert_eq!(after(Move::Unrank(7)), None);
        assert_eq!(
            after(Move::Up(9)),
            Some(ranking(&[&[0], &[1, 2], &[3], &[9]]))
        );
    }

    #[test]
    fn difference_lists_moves_and_flips() {
        let difference = ranking(&[&[0], &[1], &[2]]).difference(&ranking(&[&[1], &[0], &[3]]));
        assert_eq!(difference.flipped, vec![(0, 1)]);
        assert_eq!(
            difference.moved,
            vec![
                (0, Some(1), Some(2)),
                (1, Some(2), Some(1)),
                (2, Some(3), None),
                (3, None, Some(3))
            ]
        );
    }
}
