//! What the compare screen remembers: focus, positions and choices of view.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::copy::Saving;
use super::layout::Slot;
use super::looking::Look;
use super::place_list::PlaceList;
use super::selecting::Selecting;
use super::{matrix, rankings, search, tests_panel};
use crate::diff::Interdiff;
use crate::domain::TrajectoryIndex;
use crate::domain::scope::Remark;
use crate::tui::document::{Document, Grid, Revealed, Shape};
use crate::tui::model::Screen;
use crate::tui::query::Query;
use crate::tui::scroll::Position;

/// What stands below the ranking strip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Body {
    /// The patches in columns.
    #[default]
    Diff,
    /// The task's text.
    Task,
    /// Which candidate touches which file.
    Matrix,
    /// The candidates test by test.
    Tests,
    /// Two candidates to be compared.
    Pairs,
    /// Every ranking of the group.
    Rankings,
}

impl Body {
    /// Whether patches stand in columns.
    #[must_use]
    pub fn has_columns(self) -> bool {
        matches!(self, Self::Diff | Self::Pairs)
    }
}

/// Where a column is: what its window shows and the line that keys act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// The first visible line.
    pub top: Position,
    /// The row of the cursor.
    pub cursor: usize,
}

/// State of the compare screen.
#[derive(Debug)]
pub struct State {
    /// The open group.
    pub group: Option<usize>,
    /// The focused candidate of every group seen.
    focus: BTreeMap<usize, TrajectoryIndex>,
    /// Number of columns; `None` = by width.
    pub columns: Option<usize>,
    /// First candidate column wanted; the focus comes first.
    pub first_column: usize,
    /// First row of the strip wanted; the focus comes first.
    pub strip_first: usize,
    /// Whether the strip is one line.
    pub strip_folded: bool,
    /// Whether long lines wrap.
    pub wrap: bool,
    /// Whether the other columns follow the focused one.
    pub together: bool,
    /// Whether the reference patch has a column.
    pub reference: bool,
    /// What stands below the strip.
    pub body: Body,
    /// Whether the group was opened from the list of remarks, so that keys walk through that.
    pub is_spotting: bool,
    /// A remark that is shown as soon as the group's texts are open.
    pub wanted_remark: Option<(usize, Remark)>,
    /// Scroll position of the task's text.
    pub task_at: Position,
    /// Whether the list of files is shown.
    pub file_list: bool,
    /// Cells scrolled to the right.
    pub shift: usize,
    /// Where each patch is.
    pub places: BTreeMap<(usize, Slot), Place>,
    /// Display rows of the patches looked at, of the opened groups only.
    pub documents: BTreeMap<(usize, Slot), Arc<Document>>,
    /// Files of which only the header is shown, by their place in the patch.
    pub folded: BTreeMap<(usize, Slot), BTreeSet<usize>>,
    /// Lines of the base that each patch on its own shows between its hunks.
    pub unfolded: BTreeMap<(usize, Slot), Revealed>,
    /// Whether columns share the rows of their base, where they can.
    pub aligned: bool,
    /// The rows that the columns share now, and the group they are of.
    pub grid: Option<(usize, Arc<Grid>)>,
    /// What is folded in the shared rows.
    pub revealed: BTreeMap<usize, Revealed>,
    /// Whether old and new stand side by side; `None` = when one column is wide enough.
    pub side_by_side: Option<bool>,
    /// What is shown again when old and new no longer stand side by side, or do again:
    /// [`Self::side_by_side`] and [`Self::aligned`].
    pub before_split: Option<(Option<bool>, bool)>,
    /// Whether changes of white space only are not shown as changes.
    pub quiet_whitespace: bool,
    /// Against whose result the focused one is compared; `None` = the patches are shown.
    pub interdiff: Option<Slot>,
    /// What turns one result into another, by group, before and after.
    pub interdiffs: BTreeMap<(usize, Slot, Slot), Arc<Interdiff>>,
    /// Interdiffs that are asked for.
    pub interdiffing: BTreeSet<(usize, Slot, Slot)>,
    /// How patches are laid out now.
    pub shape: Shape,
    /// What is searched for.
    pub query: Option<Query>,
    /// The places of the focused patch that hold it.
    pub found: search::Found,
    /// The places that the list over the screen shows.
    pub listed: PlaceList,
    /// The patch that is being saved to a file.
    pub saving: Option<Saving>,
    /// The file matrix.
    pub matrix: matrix::State,
    /// The tests panel.
    pub tests: tests_panel::State,
    /// The two candidates that are compared, left and right.
    pub pair: Option<(TrajectoryIndex, TrajectoryIndex)>,
    /// Whether the last pair is decided, so that keys for pairs mean nothing until the person leaves:
    /// a digit too many would move a candidate.
    pub pairs_done: bool,
    /// The selection of lines.
    pub selecting: Option<Selecting>,
    /// How each group was looked at.
    pub looks: BTreeMap<usize, Look>,
    /// The events of the open group in words, for the list over the screen.
    pub history: Vec<(String, String)>,
    /// Every ranking of the group.
    pub rankings: rankings::State,
    /// The screen that the way back leads to.
    pub came_from: Screen,
    /// The candidate that the mouse drags.
    pub drag: Option<TrajectoryIndex>,
    /// The column whose scroll bar the mouse holds.
    pub dragged_bar: Option<Slot>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            group: None,
            focus: BTreeMap::new(),
            columns: None,
            first_column: 0,
            strip_first: 0,
            strip_folded: false,
            wrap: false,
            together: true,
            reference: false,
            body: Body::Diff,
            is_spotting: false,
            wanted_remark: None,
            task_at: Position::default(),
            file_list: false,
            shift: 0,
            places: BTreeMap::new(),
            documents: BTreeMap::new(),
            folded: BTreeMap::new(),
            unfolded: BTreeMap::new(),
            aligned: true,
            grid: None,
            revealed: BTreeMap::new(),
            side_by_side: None,
            before_split: None,
            quiet_whitespace: false,
            interdiff: None,
            interdiffs: BTreeMap::new(),
            interdiffing: BTreeSet::new(),
            shape: Shape::default(),
            query: None,
            found: search::Found::default(),
            listed: PlaceList::default(),
            saving: None,
            matrix: matrix::State::default(),
            tests: tests_panel::State::default(),
            pair: None,
            pairs_done: false,
            selecting: None,
            looks: BTreeMap::new(),
            history: Vec::new(),
            rankings: rankings::State::default(),
            came_from: Screen::default(),
            drag: None,
            dragged_bar: None,
        }
    }
}

impl State {
    /// The focused candidate.
    #[must_use]
    pub fn focus(&self) -> Option<TrajectoryIndex> {
        self.focus.get(&self.group?).copied()
    }

    /// Whether a candidate of the group ever had the focus.
    #[must_use]
    pub fn remembers(&self, group: usize) -> bool {
        self.focus.contains_key(&group)
    }

    /// Opens a group, if it is another one, and focuses a candidate of it.
    pub fn focus_on(&mut self, group: usize, candidate: TrajectoryIndex) {
        self.group = Some(group);
        self.focus.insert(group, candidate);
    }

    /// Moves what is remembered of a group's candidates when their indices changed; `place` gives
    /// the new index of an old one.
    pub fn reindex(
        &mut self,
        group: usize,
        place: &dyn Fn(TrajectoryIndex) -> Option<TrajectoryIndex>,
    ) {
        if let Some(focus) = self.focus.remove(&group).and_then(place) {
            self.focus.insert(group, focus);
        }
        let places = std::mem::take(&mut self.places).into_iter();
        self.places = places
            .filter_map(|((of, slot), at)| {
                let slot = match slot {
                    Some(index) if of == group => Some(place(index)?),
                    slot => slot,
                };
                Some(((of, slot), at))
            })
            .collect();
        // A patch with other files has other places.
        self.folded.retain(|(of, _), _| *of != group);
        self.unfolded.retain(|(of, _), _| *of != group);
        self.revealed.remove(&group);
        self.interdiffs.retain(|(of, ..), _| *of != group);
        self.interdiffing.retain(|(of, ..)| *of != group);
        self.documents.retain(|(of, _), _| *of != group);
        if self.group == Some(group) {
            // Chosen anew where one of them is gone.
            self.pair = self.pair.and_then(|(a, b)| Some((place(a)?, place(b)?)));
            self.interdiff = match self.interdiff {
                Some(Some(from)) => place(from).map(Some),
                other => other,
            };
        }
        self.saving = self
            .saving
            .take()
            .and_then(|saving| saving.moved(group, place));
        self.wanted_remark.take_if(|(of, _)| *of == group);
        // What was seen is known by index.
        self.looks.remove(&group);
        self.drag = None;
    }

    /// Where a patch of the open group is.
    #[must_use]
    pub fn place(&self, slot: Slot) -> Place {
        self.group
            .and_then(|group| self.places.get(&(group, slot)).copied())
            .unwrap_or_default()
    }

    /// Sets where a patch of the open group is.
    pub fn put(&mut self, slot: Slot, place: Place) {
        if let Some(group) = self.group {
            self.places.insert((group, slot), place);
        }
    }

    /// What is shown in place of the focused patch: before, after, and the result once it is there.
    #[must_use]
    pub fn interdiff_shown(&self) -> Option<(Slot, Slot, Option<&Arc<Interdiff>>)> {
        let from = self.interdiff?;
        let to = Some(self.focus()?);
        let found = self.interdiffs.get(&(self.group?, from, to));
        (from != to).then_some((from, to, found))
    }

    /// The display rows of a patch of the open group, once they are built.
    #[must_use]
    pub fn document(&self, slot: Slot) -> Option<&Arc<Document>> {
        self.documents.get(&(self.group?, slot))
    }
}
