//! Searching all steps of a trajectory, beside the interface.

use std::sync::Arc;

use super::transcript::{Lines, Row};
use crate::domain::TrajectoryIndex;
use crate::tui::model::OpenedGroup;
use crate::tui::pattern::Pattern;

/// A search of one trajectory's steps.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// The group's texts.
    pub opened: Arc<OpenedGroup>,
    /// Whose steps.
    pub trajectory: TrajectoryIndex,
    /// Their lines.
    pub lines: Arc<Lines>,
    /// What is searched for.
    pub pattern: Arc<Pattern>,
}

/// The lines that match.
#[derive(Debug)]
pub struct Hits {
    /// What was searched.
    pub lines: Arc<Lines>,
    /// What was searched for.
    pub pattern: Arc<Pattern>,
    /// The lines with a match, in order, folded and hidden steps too, with the number of matches in
    /// each.
    pub found: Vec<(Row, usize)>,
}

impl SearchRequest {
    /// Searches every step; nothing once `is_stale` says that nobody waits for it any more.
    #[must_use]
    pub fn run(&self, is_stale: &dyn Fn() -> bool) -> Option<Hits> {
        let trajectory = self.opened.content.trajectories.get(self.trajectory);
        let steps = trajectory.map_or(&[][..], |trajectory| &trajectory.steps);
        let mut found = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            if is_stale() {
                return None;
            }
            found.extend(self.lines.matches(index, step, &self.pattern));
        }
        Some(Hits {
            lines: Arc::clone(&self.lines),
            pattern: Arc::clone(&self.pattern),
            found,
        })
    }
}
