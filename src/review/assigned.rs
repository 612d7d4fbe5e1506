//! The groups that one annotator was given, found again among those that are loaded.
//!
//! What is *not* here: making a plan ([`crate::domain::assignment`]) and reading its file
//! ([`crate::formats`]).

use std::collections::BTreeMap;

use super::session::ReviewSession;
use crate::domain::assignment::Assigned;

/// What one annotator was given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Assignment {
    /// By position.
    rows: Vec<Assigned>,
    places: BTreeMap<String, usize>,
}

impl Assignment {
    /// The part of a plan that is about one annotator, in the order of its positions.
    #[must_use]
    pub fn of(rows: &[Assigned], annotator: &str) -> Self {
        let theirs = rows.iter().filter(|row| row.annotator == annotator);
        let mut rows: Vec<Assigned> = theirs.cloned().collect();
        rows.sort_by_key(|row| row.position);
        let places = rows.iter().enumerate();
        let places = places
            .map(|(place, row)| (row.group_id.clone(), place))
            .collect();
        Self { rows, places }
    }

    /// Its rows, by position.
    #[must_use]
    pub fn rows(&self) -> &[Assigned] {
        &self.rows
    }

    /// The row about a group.
    #[must_use]
    pub fn row(&self, group_id: &str) -> Option<&Assigned> {
        self.rows.get(*self.places.get(group_id)?)
    }

    /// Whether the group is to be judged blind.
    #[must_use]
    pub fn is_blind(&self, group_id: &str) -> bool {
        self.row(group_id).is_some_and(|row| row.blind)
    }

    /// Place of a group in the order of the annotator, from 0.
    #[must_use]
    pub fn place(&self, group_id: &str) -> Option<usize> {
        self.places.get(group_id).copied()
    }
}

impl ReviewSession {
    /// Shows only what was assigned from now on; `None` = everything.
    pub fn set_assignment(&mut self, assignment: Option<Assignment>) {
        self.assignment = assignment;
    }

    /// What the annotator was given; `None` = nothing in particular.
    #[must_use]
    pub fn assignment(&self) -> Option<&Assignment> {
        self.assignment.as_ref()
    }

    /// Place of a group in the assignment, from 0; `None` = it is not assigned.
    #[must_use]
    pub fn assigned_place(&self, group: usize) -> Option<usize> {
        let id = self.group(group)?.id.as_str();
        self.assignment()?.place(id)
    }

    /// Whether the annotator sees the group: all of them, unless some were assigned.
    #[must_use]
    pub fn is_given(&self, group: usize) -> bool {
        self.assignment().is_none() || self.assigned_place(group).is_some()
    }

    /// Whether a judgement of the group is wanted: what was assigned, else what is kept and has two
    /// or more passing candidates.
    #[must_use]
    pub fn is_to_judge(&self, group: usize) -> bool {
        let Some(row) = self.rows().get(group).filter(|row| !row.is_gone()) else {
            return false;
        };
        match self.assignment() {
            Some(_) => self.assigned_place(group).is_some(),
            None => row.class.is_kept() && row.passing >= 2,
        }
    }

    /// What is wrong with the assignment, one sentence each: groups that were not found (only when
    /// everything is loaded), and groups whose data is not what was assigned.
    #[must_use]
    pub fn assignment_problems(&self, complete: bool) -> Vec<String> {
        let Some(assignment) = self.assignment() else {
            return Vec::new();
        };
        let groups = self.set().groups.iter();
        let groups = groups.filter(|group| !group.trajectories.is_empty());
        let loaded: BTreeMap<&str, &str> = groups
            .map(|group| (group.id.as_str(), group.fingerprint.as_str()))
            .collect();
        let mut problems = Vec::new();
        if assignment.rows.is_empty() {
            let name = &self.identity().annotator;
            problems.push(format!("nothing is assigned to {name}"));
        }
        for row in &assignment.rows {
            let id = &row.group_id;
            match loaded.get(id.as_str()) {
                None if complete => problems.push(format!(
                    "{id}: assigned as group {}, but it is not in the files loaded",
                    row.position
                )),
                Some(now) if *now != row.fingerprint => problems.push(format!(
                    "{id}: its data is not what was assigned (it changed since)"
                )),
                _ => {}
            }
        }
        problems
    }
}
