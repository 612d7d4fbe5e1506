//! What the list of remarks holds: what was found so far, what of it is shown, and in which order.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::filter::RemarkFilter;
use crate::domain::RolloutGroup;
use crate::domain::scope::{Level, Remark};
use crate::review::remark_list::{self, GroupSaid, RemarkOrder, Said};
use crate::review::spotting::GroupRemarks;
use crate::review::{ReviewSession, Verdict};

/// Some answers of the rules, as they come.
#[derive(Debug, Clone, Default)]
pub struct Spotted {
    /// Which request they answer.
    pub number: u64,
    /// What was found since the last time.
    pub found: Vec<GroupRemarks>,
    /// Groups of the request that are done.
    pub done: usize,
    /// How long the request has taken so far.
    pub elapsed: Duration,
    /// Whether nothing more comes.
    pub ended: bool,
}

/// A remark of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The group, 0-based.
    pub group: usize,
    /// The remark.
    pub remark: Remark,
    /// Its place among all.
    pub order: RemarkOrder,
    /// What people said of it.
    pub said: Said,
}

impl Row {
    /// Whether both are the same remark, whatever was said of it.
    fn is(&self, other: &Self) -> bool {
        self.order == other.order && self.remark == other.remark
    }
}

/// Verdicts that one key gave, so that another takes them back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    /// The group, 0-based.
    pub group: usize,
    /// Ids of the events, oldest first.
    pub events: Vec<String>,
    /// The first remark that it was about.
    pub row: Row,
}

/// How many remarks there are of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// All, artefacts left out.
    pub remarks: usize,
    /// Confirmed ones.
    pub confirmed: usize,
    /// Dismissed ones.
    pub dismissed: usize,
    /// Those that others judged.
    pub by_others: usize,
    /// Artefacts.
    pub artefacts: usize,
}

/// Where the asking stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asking {
    /// Groups of the request.
    pub groups: usize,
    /// Those that are done.
    pub done: usize,
    /// How long it has taken so far.
    pub elapsed: Duration,
    /// Whether the person stopped it.
    pub stopped: bool,
    /// Whether answers are still to come.
    pub runs: bool,
}

/// State of the screen.
#[derive(Debug, Default)]
pub struct State {
    /// The newest request.
    pub number: u64,
    /// Where it stands.
    pub asking: Asking,
    /// The groups as they were when the rules answered about them; `None` = not yet.
    pub(super) answered: Vec<Option<Arc<RolloutGroup>>>,
    /// Groups of the running request, as they were.
    pub(super) asked: Vec<(usize, Arc<RolloutGroup>)>,
    /// Everything found, in order.
    pub rows: Vec<Row>,
    /// The remarks that the filters let through: 0-based places in [`Self::rows`], ascending.
    pub listed: Vec<usize>,
    /// The rows shown: ranges of [`Self::listed`], of more than one remark where they are folded.
    pub shown: Vec<Range<usize>>,
    /// The rules and candidates whose remarks are not folded; of each the first remark's place.
    pub(super) unfolded: Vec<RemarkOrder>,
    /// Revision of the session that [`Row::said`] is as of.
    said_at: u64,
    /// Verdicts given on this screen, oldest first.
    pub(super) given: Vec<Given>,
    /// Those that were taken back, the next one last.
    pub(super) taken_back: Vec<Given>,
    /// The last change of the group that was opened from here, as it was then.
    pub(super) last_change: Option<String>,
    /// The chosen one of [`Self::shown`].
    pub cursor: usize,
    /// The first one on screen wanted; the cursor comes first.
    pub first: usize,
    /// The typed filter.
    pub filter: RemarkFilter,
    /// Whether only passing candidates are shown.
    pub passing_only: bool,
    /// Whether only remarks without a verdict are shown.
    pub open_only: bool,
    /// Whether artefacts are shown.
    pub artefacts: bool,
    /// Counts over everything found.
    pub totals: Totals,
    /// Groups that could not be read.
    pub problems: usize,
}

impl State {
    /// The chosen remark; of a folded row the first one.
    #[must_use]
    pub fn selected(&self) -> Option<&Row> {
        self.remarks(self.cursor).next()
    }

    /// The remarks of a row (0-based place in [`Self::shown`]).
    pub fn remarks(&self, place: usize) -> impl Iterator<Item = &Row> + Clone {
        let range = self.shown.get(place).cloned().unwrap_or(0..0);
        let listed = self.listed.get(range).unwrap_or(&[]).iter();
        listed.filter_map(|&index| self.rows.get(index))
    }

    /// How many remarks there are to list, artefacts with them where they are shown.
    #[must_use]
    pub fn all(&self) -> usize {
        let artefacts = if self.artefacts {
            self.totals.artefacts
        } else {
            0
        };
        self.totals.remarks + artefacts
    }

    /// Unfolds the chosen row, or folds the remarks that it was one of again.
    pub(super) fn toggle_fold(&mut self) {
        let Some(order) = self.selected().map(|row| row.order) else {
            return;
        };
        let before = self.unfolded.len();
        self.unfolded.retain(|other| !other.is_alike(&order));
        if self.unfolded.len() == before {
            self.unfolded.push(order);
        }
        self.fold();
    }

    /// The groups (0-based) about which the rules are to be asked: those that the annotator sees
    /// and that are new or were replaced since.
    #[must_use]
    pub fn unanswered(&self, session: &ReviewSession) -> Vec<usize> {
        let is_answered = |(index, group): &(usize, &Arc<RolloutGroup>)| {
            let known = self.answered.get(*index).and_then(Option::as_ref);
            known.is_some_and(|known| Arc::ptr_eq(known, group))
        };
        let all = session.set().groups.iter().enumerate();
        let open = all.filter(|group| !is_answered(group) && session.is_given(group.0));
        open.map(|(index, _)| index).collect()
    }

    /// Takes answers over; those about a group take the place of earlier ones.
    pub(super) fn take(&mut self, found: Vec<GroupRemarks>, session: &ReviewSession) {
        let before = self.selected().cloned();
        let replaced: std::collections::HashSet<usize> = found
            .iter()
            .map(|of| of.group)
            .filter(|group| self.answered.get(*group).is_some_and(Option::is_some))
            .collect();
        if !replaced.is_empty() {
            self.rows.retain(|row| !replaced.contains(&row.group));
        }
        for of in found {
            let asked = self
                .asked
                .binary_search_by_key(&of.group, |(group, _)| *group);
            let asked = asked.ok().and_then(|place| self.asked.get(place));
            if let Some((group, data)) = asked {
                if self.answered.len() <= *group {
                    self.answered.resize(group + 1, None);
                }
                self.answered[*group] = Some(Arc::clone(data));
            }
            self.problems += usize::from(!of.problems.is_empty());
            let group = of.group;
            let said = session.remarks_said(group);
            let rows = of.remarks.into_iter();
            self.rows.extend(rows.map(|remark| Row {
                group,
                order: session.remark_order(group, &remark),
                said: said.of(&remark),
                remark,
            }));
        }
        // Stable: nearly all of them are in order already.
        self.rows.sort_by_key(|row| row.order);
        self.arrange(session, before);
    }

    /// Takes over what was said since, wherever it was.
    pub fn refresh(&mut self, session: &ReviewSession) {
        if self.said_at != session.revision() {
            let mut known: HashMap<usize, GroupSaid<'_>> = HashMap::new();
            for row in &mut self.rows {
                let said = known.entry(row.group);
                let said = said.or_insert_with(|| session.remarks_said(row.group));
                row.said = said.of(&row.remark);
            }
            self.said_at = session.revision();
        }
        let before = self.selected().cloned();
        self.arrange(session, before);
    }

    /// Takes over what was just said of the remarks about one group.
    pub(super) fn judged(&mut self, session: &ReviewSession, group: usize) {
        let before = self.selected().cloned();
        let said = session.remarks_said(group);
        for row in self.rows.iter_mut().filter(|row| row.group == group) {
            row.said = said.of(&row.remark);
        }
        self.said_at = session.revision();
        self.arrange(session, before);
    }

    /// Whether something was said since the rows were arranged.
    pub(super) fn is_behind(&self, session: &ReviewSession) -> bool {
        self.said_at != session.revision()
    }

    /// Chooses the rows anew; the cursor stays at the remark of `before` where that is still shown,
    /// else at its place.
    fn arrange(&mut self, session: &ReviewSession, before: Option<Row>) {
        let mut totals = Totals::default();
        self.listed.clear();
        let is_filtered = !self.filter.text().is_empty();
        for (index, row) in self.rows.iter().enumerate() {
            let is_artefact = row.remark.level == Level::Artefact;
            match (is_artefact, row.said.own) {
                (true, _) => totals.artefacts += 1,
                (_, Some(Verdict::Confirmed)) => totals.confirmed += 1,
                (_, Some(Verdict::Dismissed)) => totals.dismissed += 1,
                (_, None) => {}
            }
            totals.remarks += usize::from(!is_artefact);
            totals.by_others += usize::from(!is_artefact && !row.said.others.is_empty());
            let passes = row.order.is_passing();
            let is_shown = (self.artefacts || !is_artefact)
                && (passes || !self.passing_only)
                && (row.said.own.is_none() || !self.open_only)
                && (!is_filtered
                    || session.group(row.group).is_some_and(|group| {
                        let id = group.id.as_str();
                        self.filter.takes(id, &row.remark, passes, &row.said)
                    }));
            if is_shown {
                self.listed.push(index);
            }
        }
        self.totals = totals;
        self.fold();
        // At the top the list begins anew: what comes first may have just been found.
        let before = before.filter(|_| self.cursor > 0);
        let kept = before.and_then(|before| self.find(&before));
        let last = self.shown.len().saturating_sub(1);
        self.cursor = kept.unwrap_or(self.cursor).min(last);
    }

    /// The row (0-based) in which a remark stands.
    pub(super) fn find(&self, wanted: &Row) -> Option<usize> {
        let order = |place: &usize| self.rows.get(*place).map(|row| row.order);
        let from = self
            .listed
            .partition_point(|place| order(place) < Some(wanted.order));
        let near = self.listed.get(from..)?.iter();
        let mut near = near.take_while(|place| order(place) == Some(wanted.order));
        let same = near.position(|&place| self.rows.get(place).is_some_and(|row| row.is(wanted)));
        let place = from + same?;
        Some(self.shown.partition_point(|range| range.end <= place))
    }

    fn fold(&mut self) {
        let (rows, listed) = (&self.rows, &self.listed);
        let order = |at: usize| &rows[listed[at]].order;
        let is_unfolded = |at: usize| {
            let own = order(at);
            self.unfolded.iter().any(|other| other.is_alike(own))
        };
        self.shown = remark_list::rows(listed.len(), order, is_unfolded);
    }

    /// The nearest row with a remark without a verdict behind the cursor, or before it.
    #[must_use]
    pub fn open_beside(&self, forward: bool) -> Option<usize> {
        let is_open = |place: &usize| self.remarks(*place).any(|row| row.said.own.is_none());
        match forward {
            true => (self.cursor + 1..self.shown.len()).find(is_open),
            false => (0..self.cursor.min(self.shown.len())).rev().find(is_open),
        }
    }
}
