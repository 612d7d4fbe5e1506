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
