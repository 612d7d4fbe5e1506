//! What is worth a second look before a ranking is submitted: facts, one sentence each.
//!
//! Nothing here stops anybody. What is *not* here: when it is asked, and that it is not asked again
//! (the compare screen).

use std::collections::BTreeSet;

use super::view::passing;
use crate::domain::{Ranking, RolloutGroup, TrajectoryIndex};

/// A submission faster than this after the group was opened is asked about, in milliseconds.
pub const FAST_MS: u64 = 2_000;

/// What is known about how the group was looked at.
pub struct Looked<'a> {
    /// The candidates that were shown or focused.
    pub seen: &'a BTreeSet<TrajectoryIndex>,
    /// Whether the group was judged in an earlier session, so that what was seen is not known.
    pub earlier: bool,
    /// Milliseconds since the group was opened in this session; `None` = not measured.
    pub since_open_ms: Option<u64>,
    /// Whether two candidates are known to leave the same behind.
    pub is_same_result: &'a dyn Fn(TrajectoryIndex, TrajectoryIndex) -> bool,
}

/// Something worth a second look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// Two candidates with the same patch, or the same result, are ranked in different tiers.
    Apart {
        /// The better ranked one.
        better: TrajectoryIndex,
        /// The other.
        worse: TrajectoryIndex,
        /// Whether the patches are the same byte by byte, not only their results.
        same_patch: bool,
    },
    /// Passing candidates that are not ranked, though others are.
    Unranked(Vec<TrajectoryIndex>),
    /// Passing candidates that were never shown.
    Unseen(Vec<TrajectoryIndex>),
    /// So many milliseconds after the group was opened.
    Fast(u64),
}

impl Doubt {
    /// One sentence; `name` gives what a candidate is called on screen.
    #[must_use]
    pub fn sentence(&self, name: &dyn Fn(TrajectoryIndex) -> String) -> String {
        match self {
            Self::Apart {
                better,
                worse,
                same_patch,
            } => {
                let what = if *same_patch { "patch" } else { "result" };
                format!(
                    "{} and {} have the same {what} but different ranks",
                    name(*better),
                    name(*worse)
                )
            }
            Self::Unranked(unranked) => {
                let verb = if unranked.len() == 1 { "is" } else { "are" };
                format!("{} {verb} left unranked", list(unranked, name))
            }
            Self::Unseen(unseen) => {
                let verb = if unseen.len() == 1 { "was" } else { "were" };
                format!("{} {verb} never looked at", list(unseen, name))
            }
            Self::Fast(_) => "opened less than 2 seconds ago".to_owned(),
        }
    }
}

fn list(all: &[TrajectoryIndex], name: &dyn Fn(TrajectoryIndex) -> String) -> String {
    let names: Vec<_> = all.iter().map(|&index| name(index)).collect();
    names.join(", ")
}

/// What is worth a second look before this ranking of a group is submitted.
#[must_use]
pub fn doubts(group: &RolloutGroup, draft: &Ranking, looked: &Looked<'_>) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let order = draft.order();
    let hash = |index: TrajectoryIndex| {
        let patch = group.trajectories.get(index).map(|t| &t.patch)?;
        // Nothing is no patch to compare.
        (patch.bytes > 0).then_some(patch.sha256)
    };
    let same_patch = |a, b| hash(a).is_some() && hash(a) == hash(b);
    let is_same = |a, b| same_patch(a, b) || (looked.is_same_result)(a, b);
    let apart = order.iter().enumerate().find_map(|(place, &better)| {
        let behind = order.iter().skip(place + 1).copied();
        let mut apart = behind.filter(|&worse| draft.tier_of(worse) != draft.tier_of(better));
        apart
            .find(|&worse| is_same(better, worse))
            .map(|worse| Doubt::Apart {
                better,
                worse,
                same_patch: same_patch(better, worse),
            })
    });
    doubts.extend(apart);
    let passing = passing(group);
    let unranked = draft.unranked(&passing);
    if !unranked.is_empty() && !draft.is_empty() {
        doubts.push(Doubt::Unranked(unranked));
    }
    if !looked.earlier {
        let known = |index: TrajectoryIndex| {
            looked.seen.contains(&index) || looked.seen.iter().any(|&seen| is_same(seen, index))
        };
        let all = passing.iter().enumerate();
        let unseen: Vec<_> = all
            .filter(|&(index, &passes)| passes && !known(index))
            .map(|(index, _)| index)
            .collect();
        if !unseen.is_empty() {
            doubts.push(Doubt::Unseen(unseen));
        }
    }
    if let Some(since) = looked.since_open_ms.filter(|&since| since < FAST_MS) {
        doubts.push(Doubt::Fast(since));
    }
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Extra, GroupId, Outcome, PatchHash, TaskSummary, Trajectory};

    fn group(patches: &[u8]) -> RolloutGroup {
        let trajectories = patches.iter().enumerate().map(|(index, patch)| {
            let mut trajectory = Trajectory::new(format!("t{index}"), Outcome::Pass);
            trajectory.patch.sha256 = PatchHash::new([*patch; 32]);
            trajectory.patch.bytes = 1;
            trajectory
        });
        RolloutGroup {
            id: GroupId("g".to_owned()),
            step: None,
            task: TaskSummary::default(),
            trajectories: trajectories.collect(),
            fingerprint: String::new(),
            meta: Extra::default(),
        }
    }

    fn told(tiers: &[&[usize]], seen: &[usize], since_open_ms: Option<u64>) -> Vec<Doubt> {
        let tiers = tiers.iter().map(|tier| tier.to_vec()).collect();
        let looked = Looked {
            seen: &seen.iter().copied().collect(),
            earlier: false,
            since_open_ms,
            is_same_result: &|a, b| (a, b) == (0, 3) || (a, b) == (3, 0),
        };
        doubts(
            &group(&[1, 2, 2, 3]),
            &Ranking::new(tiers).unwrap(),
            &looked,
        )
    }

    #[test]
    fn facts_are_told_and_nothing_else() {
        assert!(told(&[&[0, 3], &[1, 2]], &[0, 1, 2, 3], Some(2_000)).is_empty());
        let apart = |better, worse, same_patch| Doubt::Apart {
            better,
            worse,
            same_patch,
        };
        assert_eq!(
            told(&[&[1], &[0, 3], &[2]], &[0, 1, 2, 3], None),
            [apart(1, 2, true)]
        );
        assert_eq!(
            told(&[&[3], &[1, 2], &[0]], &[0, 1, 2, 3], None),
            [apart(3, 0, false)]
        );
        // Who read one of two equal ones knows the other.
        assert!(told(&[&[0, 3], &[1, 2]], &[0, 1], None).is_empty());
        assert_eq!(
            told(&[&[0, 3]], &[0], Some(1_999)),
            [
                Doubt::Unranked(vec![1, 2]),
                Doubt::Unseen(vec![1, 2]),
                Doubt::Fast(1_999)
            ]
        );
        assert_eq!(
            told(&[&[0, 3], &[2]], &[0, 1, 2, 3], None),
            [Doubt::Unranked(vec![1])]
        );
    }

    #[test]
    fn sentences_use_the_names_on_screen() {
        let name = |index: usize| ["A", "B", "C"][index].to_owned();
        let doubt = Doubt::Unseen(vec![1, 2]);
        assert_eq!(doubt.sentence(&name), "B, C were never looked at");
        let doubt = Doubt::Unranked(vec![1]);
        assert_eq!(doubt.sentence(&name), "B is left unranked");
        let doubt = Doubt::Apart {
            better: 0,
            worse: 2,
            same_patch: true,
        };
        let said = "A and C have the same patch but different ranks";
        assert_eq!(doubt.sentence(&name), said);
    }
}
