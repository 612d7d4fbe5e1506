//! The field's nouns and arithmetic: rollout groups, outcomes, rankings, advantages, agreement.
//!
//! Knows no file, SQL, clock, environment or terminal; `tests/architecture.rs` checks that.
//!
//! | word | meaning |
//! |---|---|
//! | rollout group | the N attempts at one task |
//! | trajectory, step | one attempt, one turn of it |
//! | reward, outcome | what the trainer saw; pass, fail or unscored |
//! | ranking, tier, rank | weak order of the passing trajectories; its classes; 1 = best |
//! | baseline advantage | group-relative, before grading |
//! | redistributed advantage | after weighting by rank and rescaling to the same sum over passing |
//! | weight, multiplier | factor from the rank; redistributed / baseline |
//! | grader, annotator | a program that ranks; a person who ranks |
//! | finding | what a grader or a person says of a trajectory and possibly of lines |
//! | rubric, code, severity | the list of what findings may say; one entry of it; how bad it is |
//! | remark | what a rule noticed; a person confirms it (then it is a finding) or dismisses it |

pub mod advantage;
pub mod agreement;
pub mod assignment;
mod counted;
mod grading;
mod group;
pub mod kappa;
pub mod metrics;
pub mod pairwise;
pub mod ranking;
pub mod redistribution;
pub mod rubric;
mod sampling;
pub mod scheme;
pub mod scope;
mod shuffle;
mod stopwatch;
mod summation;
mod trajectory;

pub use advantage::{AdvantageError, Estimator, GroupRewards};
pub use counted::counted;
pub use grading::{Finding, Grader, GraderAnswer};
pub use group::{
    Content, Extra, GroupId, RolloutGroup, TaskContent, TaskSummary, TrajectoryContent,
};
pub use ranking::{Move, Ranking, RankingDifference, RankingError};
pub use redistribution::{Policies, RedistributeError, Redistribution, redistribute};
pub use sampling::GroupClass;
pub use scheme::Scheme;
pub use shuffle::{seed_of, shuffled};
pub use stopwatch::{IDLE_MS, Stopwatch};
pub use trajectory::{
    Outcome, PatchHash, PatchPresence, PatchSummary, Step, StepKind, TestCounts, TestResult,
    TestStatus, Trajectory, TrajectoryId, TrajectoryIndex, letter,
};
