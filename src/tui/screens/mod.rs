//! The screens. Each has its state, an update, and a drawing; only its own update changes its state.

pub mod agreement;
pub mod compare;
pub mod disagreements;
pub mod grader;
pub mod groups;
pub mod remarks;
pub mod schedule;
pub mod schedules;
pub mod steps;
