//! What the steps screen remembers.

use std::collections::BTreeMap;

use super::transcript::Transcript;
use crate::domain::TrajectoryIndex;
use crate::tui::scroll::Position;

/// State of the steps screen.
#[derive(Debug, Default)]
pub struct State {
    /// The transcript on screen, of (group, trajectory); built when it is opened.
    pub transcript: Option<((usize, TrajectoryIndex), Transcript)>,
    /// Where each trajectory is scrolled to.
    pub positions: BTreeMap<(usize, TrajectoryIndex), Position>,
    /// What is searched for; empty = nothing.
    pub search: String,
}

impl State {
    /// Moves what is remembered of a group's trajectories when their indices changed; `place` gives
    /// the new index of an old one.
    pub fn reindex(
        &mut self,
        group: usize,
        place: &dyn Fn(TrajectoryIndex) -> Option<TrajectoryIndex>,
    ) {
        let positions = std::mem::take(&mut self.positions).into_iter();
        self.positions = positions
            .filter_map(|((of, index), position)| {
                let index = if of == group { place(index)? } else { index };
                Some(((of, index), position))
            })
            .collect();
        // It is built again from the texts that are opened anew.
        self.transcript = self.transcript.take().filter(|((of, _), _)| *of != group);
    }
}
