//! What the screen remembers, and which rows it shows.

use std::sync::{Arc, Weak};

use super::request::Answer;
use crate::audit::schedules::{SchemeFigures, with_usual};
use crate::audit::scheme_table::{Column, sorted};
use crate::domain::{Estimator, Policies, Scheme};
use crate::review::{LoadedSet, RankingSource, ReviewSession, Settings};
use crate::tui::area::{self, Area};

/// Lines above the table: title, what is left out, accuracy, rank and length, an empty one.
const ABOVE: u16 = 5;
/// Rows that the list of groups keeps below the table, with its empty line and heading.
const LIST_LEAST: u16 = 5;

/// State of the screen.
#[derive(Debug, Default)]
pub struct State {
    /// Selected row of the table, 0-based in the order shown.
    pub cursor: usize,
    /// First row of the table that is seen.
    pub first: usize,
    /// The column sorted by.
    pub sort: Column,
    /// Selected group of the list below, 0-based.
    pub group: usize,
    /// First group of the list that is seen.
    pub first_group: usize,
    /// The newest comparison made; another one may be under way.
    pub answer: Option<Arc<Answer>>,
    /// Groups done, of how many, while a comparison is under way.
    pub under_way: Option<(usize, usize)>,
    /// Rows in the order shown.
    pub order: Vec<usize>,
    /// Number of the newest request.
    pub(super) number: u64,
    /// What the newest request was for.
    pub(super) asked: Option<Asked>,
}

/// What a comparison depends on; it is made anew when that differs.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    set: Weak<LoadedSet>,
    estimator: Estimator,
    policies: Policies,
    source: RankingSource,
    pub schemes: Vec<Scheme>,
    /// Judgements change rankings and the measured accuracy.
    saves: usize,
}

impl PartialEq for Asked {
    fn eq(&self, other: &Self) -> bool {
        Weak::ptr_eq(&self.set, &other.set)
            && self.estimator == other.estimator
            && self.policies == other.policies
            && self.source == other.source
            && self.schemes == other.schemes
            && self.saves == other.saves
    }
}

impl Asked {
    pub fn of(session: &ReviewSession, initial: &Settings, saves: usize) -> Self {
        let settings = session.settings();
        let mut schemes = with_usual(&[], &initial.scheme);
        // At the end, so that rows stay where they are when another scheme is used.
        if !schemes.contains(&settings.scheme) {
            schemes.push(settings.scheme.clone());
        }
        Self {
            set: Arc::downgrade(session.set()),
            estimator: settings.estimator.clone(),
            policies: settings.policies,
            source: settings.source,
            schemes,
            saves,
        }
    }
}

impl State {
    /// The figures of the selected scheme.
    #[must_use]
    pub fn selected(&self) -> Option<&SchemeFigures> {
        let row = *self.order.get(self.cursor)?;
        self.answer.as_ref()?.found.schemes.get(row)
    }

    /// Sorts the rows; the selected scheme stays selected.
    pub fn sort_rows(&mut self) {
        let Some(answer) = &self.answer else {
            self.order.clear();
            return;
        };
        let selected = self.order.get(self.cursor).copied();
        self.order = sorted(&answer.found, self.sort);
        let place = selected.and_then(|row| self.order.iter().position(|&other| other == row));
        self.cursor = place.unwrap_or(0);
    }

    /// Keeps cursors and windows inside what there is.
    pub fn clamp(&mut self, size: (u16, u16)) {
        let (table, list) = areas(size, self.order.len());
        self.cursor = self.cursor.min(self.order.len().saturating_sub(1));
        self.first = window(self.first, self.cursor, self.order.len(), table.height);
        let groups = self.selected().map_or(0, |row| row.most_affected.len());
        self.group = self.group.min(groups.saturating_sub(1));
        self.first_group = window(self.first_group, self.group, groups, list.height);
    }
}

/// The first row of a window of `height` rows that shows the cursor and is filled.
fn window(first: usize, cursor: usize, rows: usize, height: u16) -> usize {
    let height = usize::from(height).max(1);
    let least = (cursor + 1).saturating_sub(height);
    first
        .clamp(least, cursor.max(least))
        .min(rows.saturating_sub(height).max(least))
}

/// Where the rows of the table and of the list of groups are drawn, in a terminal of this size.
#[must_use]
pub fn areas(size: (u16, u16), rows: usize) -> (Area, Area) {
    let (_, below) = area::screen(size).split_top(ABOVE + 1);
    let most = below.height.saturating_sub(LIST_LEAST).max(1);
    let rows = u16::try_from(rows).unwrap_or(u16::MAX).min(most);
    let (table, rest) = below.split_top(rows);
    let (_, list) = rest.split_top(2);
    (table, list)
}
