//! The screens. Each has its state, an update, and a drawing; only its own update changes its state.

pub mod compare;
pub mod grader;
pub mod groups;
pub mod schedule;
pub mod steps;
