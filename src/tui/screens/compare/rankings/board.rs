//! What the body of rankings shows: a column per rater, and how each differs from the focused one.

use std::collections::BTreeSet;

use super::super::candidates::letter;
use super::{draft, is_hidden};
use crate::domain::agreement::compare;
use crate::domain::{Ranking, TrajectoryIndex};
use crate::raters::{GroupEvidence, Rater};
use crate::tui::model::Model;

/// One ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Whose; the settlement under way is [`Rater::Settlement`] too.
    pub rater: Rater,
    /// What stands above it.
    pub title: String,
    /// The ranking; `None` = there is none.
    pub ranking: Option<Ranking>,
    /// Candidates in a pair that the focused column orders the other way.
    pub flipped: BTreeSet<TrajectoryIndex>,
}

/// A line of the list of differences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// A rater, with figures.
    Rater(String),
    /// A pair ordered oppositely.
    Flipped(String),
    /// A rater who orders no pair oppositely.
    None(String),
}

/// Everything that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    /// One column per rater, the settlement last.
    pub columns: Vec<Column>,
    /// How the ranking of people came about, in words; that a settlement is under way, when one is.
    pub provenance: String,
    /// Against the focused column.
    pub differences: Vec<Difference>,
    /// The settlement there is.
    pub settled: Option<Ranking>,
}

impl Column {
    /// What it is called within a sentence.
    fn name(&self) -> &str {
        match self.rater {
            Rater::Settlement => "the settlement",
            Rater::Consensus => "the consensus",
            Rater::Grader(_) | Rater::Annotator(_) | Rater::Gold => &self.title,
        }
    }
}

impl Board {
    /// The column of a rater.
    pub fn find(&self, rater: &Rater) -> Option<usize> {
        self.columns
            .iter()
            .position(|column| column.rater == *rater)
    }

    /// Reads what was said of the open group; `None` when it is hidden or nothing is open.
    pub fn of(model: &Model) -> Option<Self> {
        if is_hidden(model) {
            return None;
        }
        let (session, group) = model.session.as_ref().zip(model.compare.group)?;
        let set = session.set();
        let data = set.groups.get(group)?;
        let found = GroupEvidence::of(
            group,
            data,
            session.answers(group),
            session.projection(),
            false,
        );
        let aggregate = model.agreement.aggregate;
        let consensus = found.consensus(aggregate);
        let mut columns: Vec<Column> = Vec::new();
        let mut put = |rater: Rater, title: String, ranking: Option<Ranking>| {
            columns.push(Column {
                rater,
                title,
                ranking,
                flipped: BTreeSet::new(),
            });
        };
        let are_hidden = model.compare.rankings.are_names_hidden;
        let named = |rater: &Rater, number: usize| match are_hidden {
            true => format!("rater {number}"),
            false => rater.to_string(),
        };
        let graders = found.graders.iter();
        let graders =
            graders.map(|grader| (Rater::Grader(grader.name.clone()), &grader.ranking, ""));
        let people = found.people.iter();
        let people = people
            .map(|person| {
                let rater = Rater::Annotator(person.annotator.clone());
                let when = match person.is_after_reveal {
                    true => " (after reveal)",
                    false => "",
                };
                (rater, &person.ranking, when)
            })
            .filter(|(_, ranking, _)| ranking.is_some());
        for ((rater, ranking, when), number) in graders.chain(people).zip(1..) {
            let title = named(&rater, number) + when;
            put(rater, title, ranking.clone());
        }
        if found.submitted().count() > 1 {
            let title = format!("consensus ({aggregate})");
            put(Rater::Consensus, title, consensus.ranking.clone().ok());
        }
        let settlement = found.settlement.as_ref();
        let under_way = draft(model).cloned();
        let title = match (&under_way, settlement) {
            (Some(_), _) => "settlement, not stored yet".to_owned(),
            (None, Some(_)) if are_hidden => "settlement".to_owned(),
            (None, Some(settled)) => format!("settled by {}", settled.annotator),
            (None, None) => "settlement: none yet".to_owned(),
        };
        let settled = settlement.map(|settled| settled.ranking.clone());
        put(
            Rater::Settlement,
            title,
            under_way.or_else(|| settled.clone()),
        );
        let mut provenance = match consensus.provenance {
            _ if draft(model).is_some() => "settlement not stored yet".to_owned(),
            Some(provenance) => format!("provenance: {}", provenance.word()),
            None => "no person has ranked this group".to_owned(),
        };
        if let (Err(reason), true) = (&consensus.ranking, found.submitted().count() > 1) {
            provenance.push_str(&format!(" · no consensus: {reason}"));
        }
        let note = settlement
            .filter(|_| draft(model).is_none())
            .map(|settled| settled.note.as_str());
        if let Some(note) = note.filter(|note| !note.is_empty()) {
            provenance.push_str(&format!(" · {note}"));
        }
        let mut board = Self {
            columns,
            provenance,
            differences: Vec::new(),
            settled,
        };
        board.compare(model, group);
        Some(board)
    }

    /// Marks and lists what the columns order otherwise than the focused one.
    fn compare(&mut self, model: &Model, group: usize) {
        let session = model.session.as_ref();
        let at = model
            .compare
            .rankings
            .focused
            .min(self.columns.len().saturating_sub(1));
        let focused = self.columns.get(at);
        let Some((here, own)) =
            focused.and_then(|column| Some((column.name().to_owned(), column.ranking.clone()?)))
        else {
            return;
        };
        for (place, column) in self.columns.iter_mut().enumerate() {
            let Some(other) = column.ranking.as_ref().filter(|_| place != at) else {
                continue;
            };
            let pair = compare(&own, other);
            let mut said = format!("{} against {here}: ", column.name());
            said.push_str(&match pair.tau_b {
                Ok(tau) => format!("tau-b {tau:.2}"),
                Err(reason) => format!("tau-b undefined ({reason})"),
            });
            let moved = session.map(|session| session.credit_between(group, (&own, other)));
            if let Some(Ok(moved)) = moved {
                said.push_str(&format!(" · credit moved {moved:.2}"));
            }
            self.differences.push(Difference::Rater(said));
            for &(better, worse) in &pair.inversions {
                column.flipped.extend([better, worse]);
                let (better, worse) = (letter(better), letter(worse));
                let said = format!(
                    "{better} above {worse} in {here}, below in {}",
                    column.name()
                );
                self.differences.push(Difference::Flipped(said));
            }
            let tied = pair.tied_reference + pair.tied_prediction;
            if pair.inversions.is_empty() {
                let said = match tied {
                    0 => "no pair is ordered otherwise".to_owned(),
                    n => format!("no pair is flipped; {n} tied by one of them only"),
                };
                self.differences.push(Difference::None(said));
            }
        }
    }
}
