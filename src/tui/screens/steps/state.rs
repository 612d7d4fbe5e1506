//! What the steps screen remembers.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use super::kinds::Kinds;
use super::search::Hits;
use super::transcript::Transcript;
use crate::domain::TrajectoryIndex;
use crate::tui::long_text::Extent;
use crate::tui::model::OpenedGroup;
use crate::tui::pattern::Pattern;
use crate::tui::screens::compare::PatchSpot;
use crate::tui::scroll::Position;

/// A group and a trajectory of it.
pub type Key = (usize, TrajectoryIndex);

/// What stands on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Panel {
    /// The steps.
    #[default]
    Steps,
    /// The places that match the search.
    Hits,
    /// The kinds of steps with a cursor on one of them, 0-based in the order of the schema.
    Kinds(usize),
}

/// The transcript of a trajectory on screen.
#[derive(Debug)]
pub struct Open {
    /// Which trajectory.
    pub of: Key,
    /// The texts it was made from.
    pub texts: Weak<OpenedGroup>,
    /// How much of them it shows.
    pub extent: Extent,
    /// Its rows.
    pub transcript: Transcript,
}

/// A move to a place that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jump {
    /// Down, or up.
    pub forward: bool,
    /// Whether the row where the reader is counts.
    pub here: bool,
}

/// What is searched for, and what was found.
#[derive(Debug, Default)]
pub struct Search {
    /// What is searched for.
    pub pattern: Option<Arc<Pattern>>,
    /// What was found last, and where.
    pub hits: Option<(Key, Hits)>,
    /// What was typed for it.
    pub typed: String,
    /// The move that waits for the search.
    pub waiting: Option<Jump>,
}

/// State of the steps screen.
#[derive(Debug, Default)]
pub struct State {
    /// The transcripts on screen; built when they are opened.
    pub open: Vec<Open>,
    /// Where each trajectory is scrolled to.
    pub positions: BTreeMap<Key, Position>,
    /// The search.
    pub search: Search,
    /// The kinds that are not shown.
    pub hidden: Kinds,
    /// What stands on the left.
    pub panel: Panel,
    /// The trajectory beside the focused one.
    pub other: Option<Key>,
    /// Whether the focused trajectory stands on the right of the other.
    pub is_right: bool,
    /// Whether the other trajectory follows to the step of the same number.
    pub together: bool,
    /// How much of texts is shown.
    pub extent: Extent,
    /// The step that a place of a patch led to, and that place: a step may have made many hunks.
    pub came_from: Option<(Key, usize, PatchSpot)>,
}

impl State {
    /// The transcript of a trajectory, once it is built.
    #[must_use]
    pub fn transcript(&self, of: Key) -> Option<&Transcript> {
        let open = self.open.iter().find(|open| open.of == of)?;
        Some(&open.transcript)
    }

    /// The same, to fold and filter.
    pub fn transcript_mut(&mut self, of: Key) -> Option<&mut Transcript> {
        let open = self.open.iter_mut().find(|open| open.of == of)?;
        Some(&mut open.transcript)
    }

    /// What was found in the transcript of a trajectory, when that was searched.
    #[must_use]
    pub fn hits(&self, of: Key) -> Option<&Hits> {
        let (found_in, hits) = self.search.hits.as_ref()?;
        let pattern = self.search.pattern.as_ref()?;
        let lines = self.transcript(of)?.lines();
        let is_it = *found_in == of && Arc::ptr_eq(lines, &hits.lines);
        (is_it && hits.pattern == *pattern).then_some(hits)
    }

    /// Moves what is remembered of a group's trajectories when their indices changed; `place` gives
    /// the new index of an old one.
    pub fn reindex(
        &mut self,
        group: usize,
        place: &dyn Fn(TrajectoryIndex) -> Option<TrajectoryIndex>,
    ) {
        let moved = |(of, index): Key| {
            let index = if of == group { place(index)? } else { index };
            Some((of, index))
        };
        let positions = std::mem::take(&mut self.positions).into_iter();
        self.positions = positions
            .filter_map(|(key, position)| Some((moved(key)?, position)))
            .collect();
        self.other = self.other.and_then(moved);
        self.came_from = self.came_from.filter(|((of, _), ..)| *of != group);
        // They are built again from the texts that are opened anew.
        self.open.retain(|open| open.of.0 != group);
    }
}
