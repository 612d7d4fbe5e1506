//! What the list of remarks holds: what was found so far, what of it is shown, and in which order.

use std::sync::Arc;
use std::time::Duration;

use super::filter::RemarkFilter;
use crate::domain::RolloutGroup;
use crate::domain::scope::{Level, Remark};
use crate::review::spotting::GroupRemarks;
use crate::review::{ReviewSession, Verdict};
use crate::scope::triage;

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
    /// Everything found.
    pub rows: Vec<Row>,
    /// The rows shown, in order.
    pub shown: Vec<usize>,
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
    /// The chosen remark.
    #[must_use]
    pub fn selected(&self) -> Option<&Row> {
        self.rows.get(*self.shown.get(self.cursor)?)
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
    pub(super) fn take(&mut self, found: Vec<GroupRemarks>) {
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
            let rows = of.remarks.into_iter();
            self.rows.extend(rows.map(|remark| Row { group, remark }));
        }
    }

    /// Chooses and orders the rows anew; the cursor stays at its remark where that is still shown,
    /// else at its place.
    pub fn refresh(&mut self, session: &ReviewSession) {
        let before = self.selected().cloned();
        let mut totals = Totals::default();
        let mut shown: Vec<(u8, bool, usize, usize)> = Vec::with_capacity(self.rows.len());
        for (index, row) in self.rows.iter().enumerate() {
            let verdict = session.remark_verdict(row.group, &row.remark);
            let is_artefact = row.remark.level == Level::Artefact;
            match (is_artefact, verdict) {
                (true, _) => totals.artefacts += 1,
                (_, Some(Verdict::Confirmed)) => totals.confirmed += 1,
                (_, Some(Verdict::Dismissed)) => totals.dismissed += 1,
                (_, None) => {}
            }
            totals.remarks += usize::from(!is_artefact);
            let Some(group) = session.group(row.group) else {
                continue;
            };
            let of = group.trajectories.get(row.remark.trajectory);
            let passes = of.is_some_and(|of| of.outcome.is_pass());
            let is_shown = (self.artefacts || !is_artefact)
                && (passes || !self.passing_only)
                && (verdict.is_none() || !self.open_only)
                && (self.filter.text().is_empty()
                    || self
                        .filter
                        .takes(group.id.as_str(), &row.remark, passes, verdict));
            if is_shown {
                let class = triage(row.remark.rule, row.remark.level);
                shown.push((class, !passes, row.group, index));
            }
        }
        shown.sort_unstable();
        self.shown = shown.into_iter().map(|(.., index)| index).collect();
        self.totals = totals;
        let last = self.shown.len().saturating_sub(1);
        // At the top the list begins anew: what comes first may have just been found.
        let kept = before.filter(|_| self.cursor > 0).and_then(|before| {
            let rows = self.shown.iter();
            let mut rows = rows.map(|&index| self.rows.get(index));
            rows.position(|row| row == Some(&before))
        });
        self.cursor = kept.unwrap_or(self.cursor).min(last);
    }

    /// The nearest remark without a verdict behind the cursor, or before it.
    #[must_use]
    pub fn open_beside(&self, session: &ReviewSession, forward: bool) -> Option<usize> {
        let is_open = |place: &usize| {
            let row = self.shown.get(*place).and_then(|&row| self.rows.get(row));
            row.is_some_and(|row| session.remark_verdict(row.group, &row.remark).is_none())
        };
        match forward {
            true => (self.cursor + 1..self.shown.len()).find(is_open),
            false => (0..self.cursor.min(self.shown.len())).rev().find(is_open),
        }
    }
}
