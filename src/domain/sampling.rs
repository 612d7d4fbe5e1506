//! Dynamic sampling: which groups are kept for training, and why the others are not.
//!
//! The class comes from the pass flags, never from a standard deviation (`advantage-math.md` 1.2).

use super::trajectory::{Outcome, Trajectory};

/// Why a group is kept or dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupClass {
    /// At least one passing and one failing trajectory: the only class kept for training.
    Mixed,
    /// Two or more scored trajectories, all passing.
    AllPass,
    /// Two or more scored trajectories, all failing.
    AllFail,
    /// Exactly one scored trajectory.
    Singleton,
    /// No scored trajectory.
    Unscored,
}

impl GroupClass {
    /// Returns the class of a group from its trajectories' outcomes; unscored ones do not count.
    ///
    /// ```
    /// use gagar::domain::{GroupClass, Outcome::{Fail, Pass, Unscored}};
    /// assert_eq!(GroupClass::of_outcomes([Pass, Fail, Unscored]), GroupClass::Mixed);
    /// assert_eq!(GroupClass::of_outcomes([Pass, Unscored]), GroupClass::Singleton);
    /// assert_eq!(GroupClass::of_outcomes([Unscored]), GroupClass::Unscored);
    /// ```
    #[must_use]
    pub fn of_outcomes(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let (mut pass, mut fail) = (0usize, 0usize);
        for outcome in outcomes {
            match outcome {
                Outcome::Pass => pass += 1,
                Outcome::Fail => fail += 1,
                Outcome::Unscored => {}
            }
        }
        match (pass, fail) {
            (0, 0) => Self::Unscored,
            (1, 0) | (0, 1) => Self::Singleton,
            (_, 0) => Self::AllPass,
            (0, _) => Self::AllFail,
            _ => Self::Mixed,
        }
    }

    /// Returns the class of these trajectories.
    #[must_use]
    pub fn of(trajectories: &[Trajectory]) -> Self {
        Self::of_outcomes(trajectories.iter().map(|t| t.outcome))
    }

    /// Whether dynamic sampling keeps the group for training.
    #[must_use]
    pub fn is_kept(self) -> bool {
        self == Self::Mixed
    }

    /// The word used in files and filters.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Mixed => "mixed",
            Self::AllPass => "all_pass",
            Self::AllFail => "all_fail",
            Self::Singleton => "singleton",
            Self::Unscored => "unscored",
        }
    }

    /// Why the group is kept or dropped, as a short phrase.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Mixed => "kept: passing and failing trajectories",
            Self::AllPass => "dropped: all pass, advantage 0",
            Self::AllFail => "dropped: all fail, advantage 0",
            Self::Singleton => "dropped: singleton, only one scored trajectory",
            Self::Unscored => "dropped: no scored trajectory",
        }
    }
}
