//! Figures over all groups, computed beside the interface: the newest request of a kind wins.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;

use super::message::Message;
use super::workers::Post;
use crate::raters::{Aggregate, Agreement, Options, Rater, pairings};
use crate::review::{Disagreement, Snapshot};

/// Two raters: reference and compared.
pub type Pairing = (Rater, Rater);

/// What is to be computed.
#[derive(Debug, Clone, PartialEq)]
pub enum Audit {
    /// Every figure of agreement.
    Agreement(Aggregate),
    /// The groups that two raters rank differently.
    Disagreements {
        /// Who; `None` = this annotator and the grader, or what there is instead.
        pairing: Option<Pairing>,
        /// Whose rankings are wanted first.
        annotator: String,
        /// How the consensus is made.
        aggregate: Aggregate,
    },
}

/// What was computed.
#[derive(Debug, Clone)]
pub enum Audited {
    /// Every figure of agreement.
    Agreement(Arc<Agreement>),
    /// The groups that two raters rank differently.
    Disagreements(Arc<Disagreements>),
}

/// The groups that two raters rank differently.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Disagreements {
    /// Who; `None` = no two raters ranked anything.
    pub pairing: Option<Pairing>,
    /// Every pairing there is.
    pub pairings: Vec<Pairing>,
    /// The groups ranked by both.
    pub rows: Vec<Disagreement>,
}

/// A request: what, over what, and its number among all.
#[derive(Debug)]
pub struct AuditRequest {
    /// Its number; a newer one ends it.
    pub number: u64,
    /// [`crate::review::ReviewSession::revision`] of what it is over.
    pub revision: u64,
    /// What.
    pub audit: Audit,
    /// Over what.
    pub snapshot: Snapshot,
}

/// Computes it; `None` when `go_on` says no meanwhile.
#[must_use]
pub fn audit(what: &Audit, snapshot: &Snapshot, go_on: &dyn Fn() -> bool) -> Option<Audited> {
    let mut evidence = snapshot.evidence();
    // Which groups test annotators is on no screen: the commands tell how they were found.
    for group in &mut evidence {
        group.gold = None;
    }
    match what {
        Audit::Agreement(aggregate) => {
            let options = Options {
                aggregate: *aggregate,
                blind_only: snapshot.blind_only(),
                seed: 0,
            };
            let found = Agreement::of(&evidence, options, go_on)?;
            Some(Audited::Agreement(Arc::new(found)))
        }
        Audit::Disagreements {
            pairing,
            annotator,
            aggregate,
        } => {
            let pairings = pairings(&evidence, *aggregate);
            let pairing = pairing.clone().or_else(|| first(&pairings, annotator));
            let rows = match &pairing {
                Some((a, b)) => snapshot.disagreements(&evidence, (a, b), *aggregate, go_on)?,
                None => Vec::new(),
            };
            Some(Audited::Disagreements(Arc::new(Disagreements {
                pairing,
                pairings,
                rows,
            })))
        }
    }
}

/// The pairing that is shown first: the annotator against a grader, else the consensus, else any.
fn first(pairings: &[Pairing], annotator: &str) -> Option<Pairing> {
    let is_grader = |rater: &Rater| matches!(rater, Rater::Grader(_));
    let own = Rater::Annotator(annotator.to_owned());
    let by = |wanted: &dyn Fn(&Pairing) -> bool| pairings.iter().find(|pair| wanted(pair)).cloned();
    by(&|(a, b)| *a == own && is_grader(b))
        .or_else(|| by(&|(a, b)| *a == Rater::Consensus && is_grader(b)))
        .or_else(|| pairings.first().cloned())
}

/// Computes requests until nobody asks any more. What was given up is answered with nothing.
pub fn run(requests: &Receiver<AuditRequest>, newest: &AtomicU64, post: &Post) {
    while let Ok(request) = requests.recv() {
        let is_newest = || newest.load(Ordering::Relaxed) == request.number;
        let compute = || match is_newest() {
            true => audit(&request.audit, &request.snapshot, &is_newest),
            false => None,
        };
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(compute));
        post(Message::Audited {
            revision: request.revision,
            audit: request.audit.clone(),
            result: found.map_err(|_| "the figures could not be computed".to_owned()),
        });
    }
}
