//! A part of a review as the source of an export: the groups that a filter accepts.
//!
//! What is *not* here: filters themselves ([`super::Filter`]).

use std::sync::Arc;

use super::filter::Filter;
use super::session::ReviewSession;
use crate::domain::{Content, GraderAnswer, RolloutGroup};
use crate::export::{Computed, ExportSource, Label};

/// The chosen groups of a session; indices count within them.
pub struct Selection<'a> {
    session: &'a ReviewSession,
    /// Which groups of the session, ascending.
    indices: Vec<usize>,
    groups: Vec<Arc<RolloutGroup>>,
}

impl std::fmt::Debug for Selection<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Selection")
            .field("groups", &self.groups.len())
            .finish_non_exhaustive()
    }
}

impl<'a> Selection<'a> {
    /// The groups that the filter accepts. What was computed stays what it was: estimators that
    /// look at a whole batch looked at all of it.
    #[must_use]
    pub fn of(session: &'a ReviewSession, filter: &Filter) -> Self {
        let indices = filter.select(session);
        let groups = indices
            .iter()
            .filter_map(|&index| session.set().groups.get(index).map(Arc::clone))
            .collect();
        Self {
            session,
            indices,
            groups,
        }
    }

    fn whole(&self, group: usize) -> Option<usize> {
        self.indices.get(group).copied()
    }
}

impl ExportSource for Selection<'_> {
    fn groups(&self) -> &[Arc<RolloutGroup>] {
        &self.groups
    }

    fn labels(&self) -> Vec<Label> {
        let labels = self.session.labels().into_iter();
        labels
            .filter_map(|label| {
                let group = self.indices.binary_search(&label.group?).ok()?;
                Some(Label {
                    group: Some(group),
                    ..label
                })
            })
            .collect()
    }

    fn answer(&self, group: usize) -> Option<&GraderAnswer> {
        self.session.answer(self.whole(group)?)
    }

    fn computed(&self, group: usize) -> Result<Computed, String> {
        let whole = self.whole(group).ok_or("no such group")?;
        self.session.computed(whole)
    }

    fn open(&self, group: usize) -> Result<Content, String> {
        let whole = self.whole(group).ok_or("no such group")?;
        ExportSource::open(self.session, whole)
    }
}
