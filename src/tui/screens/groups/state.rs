//! What the list of groups remembers, and which groups it shows in which order.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::columns::{Column, Needs};
use crate::domain::GroupClass;
use crate::review::{Filter, QueueOrder, ReviewSession, ReviewState, WorkProgress};
use crate::tui::area::Area;

/// Counts over all groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Groups.
    pub groups: usize,
    /// Kept for training.
    pub kept: usize,
    /// Kept with two or more passing trajectories.
    pub rankable: usize,
    /// Kept, but the estimator gives no advantages.
    pub without_advantages: usize,
    /// Without any scored trajectory.
    pub unscored: usize,
    /// With a submission that counts.
    pub submitted: usize,
    /// How far the annotator's work is.
    pub work: WorkProgress,
}

/// State of the list of groups.
#[derive(Debug)]
pub struct State {
    /// The order that groups are worked on in; `None` = they are sorted by a column.
    pub queue: Option<QueueOrder>,
    /// The column sorted by.
    pub sort: Column,
    /// Whether the sort is turned around.
    pub reversed: bool,
    /// Whether the best match of the search comes first; a sort chosen later wins.
    pub by_match: bool,
    /// The filter.
    pub filter: Filter,
    /// What the cells of the groups need.
    pub needs: Needs,
    /// Whether only kept groups are shown.
    pub kept_only: bool,
    /// What is searched for; empty = nothing.
    pub search: String,
    /// Whether the preview is wanted.
    pub preview: bool,
    /// What is wrong with the assignment, one sentence each.
    pub problems: Vec<String>,
    /// First visible row wanted; the cursor comes first.
    pub first: usize,
    /// Counts over all groups.
    pub totals: Totals,
    visible: Vec<usize>,
    cursor: usize,
    /// The group last chosen; comes back when a filter that hid it is gone.
    wanted: Option<usize>,
    /// The group of the compare screen that the list last followed.
    pub followed: Option<usize>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            queue: None,
            sort: Column::default(),
            reversed: false,
            by_match: false,
            filter: Filter::default(),
            needs: Needs::default(),
            kept_only: false,
            search: String::new(),
            preview: true,
            problems: Vec::new(),
            first: 0,
            totals: Totals::default(),
            visible: Vec::new(),
            cursor: 0,
            wanted: None,
            followed: None,
        }
    }
}

impl State {
    /// The groups shown, in order.
    #[must_use]
    pub fn visible(&self) -> &[usize] {
        &self.visible
    }

    /// Position of the cursor in the groups shown.
    #[must_use]
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The selected group.
    #[must_use]
    pub fn selected(&self) -> Option<usize> {
        self.visible.get(self.cursor).copied()
    }

    /// Puts the cursor on a position, at most the last one.
    pub fn move_to(&mut self, position: usize) {
        self.cursor = position.min(self.visible.len().saturating_sub(1));
        self.wanted = self.selected();
    }

    /// Puts the cursor on a group, when it is shown.
    pub fn select(&mut self, group: usize) {
        self.wanted = Some(group);
        if let Some(position) = self.visible.iter().position(|&other| other == group) {
            self.cursor = position;
        }
    }

    /// Whether the largest comes first.
    #[must_use]
    pub fn is_descending(&self) -> bool {
        self.sort.is_descending() != self.reversed
    }

    /// Filters, searches and sorts anew; the selection stays.
    pub fn refresh(&mut self, session: &ReviewSession) {
        let rows = session.rows();
        let mut shown = self.filter.select(session);
        if self.kept_only {
            shown.retain(|&index| rows.get(index).is_some_and(|row| row.class.is_kept()));
        }
        // Groups that are equal stand in the order of their ids.
        let places = session.places();
        shown.sort_by_key(|&index| places.get(index));
        let descending = self.is_descending();
        if let Some(queue) = self.queue {
            shown = queue.arrange(session, &shown);
        } else if self.sort == Column::Task && descending {
            shown.reverse();
        } else if self.sort != Column::Task {
            shown.sort_by(|&a, &b| self.sort.compare(&rows[a], &rows[b], descending));
        }
        if !self.search.is_empty() {
            shown = self.matching(session, &shown);
        }
        self.visible = shown;
        let place = self
            .wanted
            .and_then(|wanted| self.visible.iter().position(|&g| g == wanted));
        self.cursor = place.unwrap_or(self.cursor.min(self.visible.len().saturating_sub(1)));
        self.count(session);
    }

    /// Counts anew.
    pub fn count(&mut self, session: &ReviewSession) {
        let rows = || {
            let rows = session.rows().iter().enumerate();
            let rows = rows.filter(|(group, row)| !row.is_gone() && session.is_given(*group));
            rows.map(|(_, row)| row)
        };
        let kept = || rows().filter(|row| row.class.is_kept());
        self.totals = Totals {
            groups: rows().count(),
            kept: kept().count(),
            rankable: kept().filter(|row| row.passing >= 2).count(),
            without_advantages: kept().filter(|row| row.without_advantages).count(),
            unscored: rows()
                .filter(|row| row.class == GroupClass::Unscored)
                .count(),
            submitted: rows()
                .filter(|row| row.state >= ReviewState::Submitted)
                .filter(|row| row.state != ReviewState::Stale)
                .count(),
            work: WorkProgress::of(session),
        };
    }

    fn matching(&self, session: &ReviewSession, shown: &[usize]) -> Vec<usize> {
        let pattern = Pattern::parse(&self.search, CaseMatching::Smart, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut text = String::new();
        let mut scored: Vec<(u32, usize)> = shown
            .iter()
            .filter_map(|&index| {
                let group = session.group(index)?;
                text.clear();
                text.push_str(group.id.as_str());
                text.push(' ');
                text.push_str(group.task.title.as_deref().unwrap_or(""));
                let score = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher)?;
                Some((score, index))
            })
            .collect();
        if self.by_match {
            scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        }
        scored.into_iter().map(|(_, index)| index).collect()
    }
}

/// Where things stand on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Title, counts, settings: one line or two.
    pub title: Area,
    /// The box of the list.
    pub list: Area,
    /// The names of the columns.
    pub header: Area,
    /// The rows.
    pub rows: Area,
    /// The box of the preview.
    pub preview: Option<Area>,
}

/// From this width on there is a preview.
pub const PREVIEW_FROM: u16 = 100;
/// From this width on the title is one line.
const WIDE_TITLE: u16 = 150;

impl Layout {
    /// Lays the screen out.
    #[must_use]
    pub fn of(screen: Area, preview: bool) -> Self {
        let (title, body) = screen.split_top(if screen.width >= WIDE_TITLE { 1 } else { 2 });
        let with_preview = preview && screen.width >= PREVIEW_FROM;
        let preview_width = if with_preview {
            (screen.width * 2 / 5).clamp(40, 72)
        } else {
            0
        };
        let (list, rest) = body.split_left(body.width - preview_width);
        let (header, rows) = crate::tui::layout::inside(list).split_top(1);
        Self {
            title,
            list,
            header,
            rows,
            preview: with_preview.then_some(rest),
        }
    }
}
