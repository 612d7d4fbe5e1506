//! How often each out-of-scope rule speaks in a review's groups, and what people said of it.

use std::sync::{Mutex, PoisonError};

use crate::review::ReviewSession;
use crate::review::Verdict;
use crate::review::spotting::{GroupRemarks, look};
use crate::scope::{Known, Rules, Stats};

/// Asks the rules about the chosen groups (0-based indices), in the order of the groups.
#[must_use]
pub fn gather(session: &ReviewSession, chosen: &[usize], rules: &Rules) -> Vec<GroupRemarks> {
    let found = Mutex::new(Vec::with_capacity(chosen.len()));
    look(session.set(), chosen, rules, &|remarks| {
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.push(remarks);
        true
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|of| of.group);
    found
}

/// Counts what was found, and the verdicts of people on the data as they are now; `asked` are the
/// rules that were asked.
#[must_use]
pub fn stats(session: &ReviewSession, found: &[GroupRemarks], asked: &Rules) -> Stats {
    let mut stats = Stats::default();
    for of in found {
        let Some(group) = session.group(of.group) else {
            continue;
        };
        let known = Known {
            has_diff: &of.has_diff,
            has_issue: of.has_issue,
            reference: of.reference.as_deref(),
        };
        stats.count(group, &of.remarks, &known, asked);
        let id = group.id.as_str();
        let from = (id.to_owned(), String::new());
        let judgements = session.projection().judgements.range(from..);
        for (_, judgement) in judgements.take_while(|((of, _), _)| of == id) {
            let said = judgement.at(&group.fingerprint);
            for (stamp, verdict) in said.into_iter().flat_map(|of| of.remarks.values()) {
                stats.judge(&stamp.id, *verdict == Verdict::Confirmed);
            }
        }
    }
    stats
}
