//! The use cases that the terminal and the command line share: open, reorder, accept, submit, undo.
//!
//! A change is described first ([`ReviewSession::propose`]), then applied
//! ([`ReviewSession::apply`]) and its events handed to the store by the caller. Nothing here prints,
//! draws or touches a database.

mod assigned;
mod blind;
mod change;
mod checks;
pub mod edits;
mod export;
mod filter;
mod findings;
mod history;
mod labels;
mod masked;
mod queue;
pub mod remark_list;
mod row;
mod selection;
mod session;
mod snapshot;
pub mod spotting;
mod view;

pub use assigned::Assignment;
pub use blind::{BlindPlan, HIDDEN, blind_order};
pub use change::{Change, Proposal, RemarkChange, ReviewError};
pub use checks::{Doubt, FAST_MS, Looked, doubts};
pub use filter::Filter;
pub use findings::{FoundBy, GroupFinding};
pub use history::{HistoryEntry, duration, history};
pub use queue::{OrderError, Progress as WorkProgress, QueueOrder};
pub use row::{GroupRow, ReviewState};
pub use selection::Selection;
pub use session::{Identity, Prepared, ReviewSession, Settings};
pub use snapshot::{Disagreement, Snapshot};
pub use view::{Origin, RankingSource, ReviewedGroup, ShownRanking, lengths, passing};

// What a face hands through without knowing the layers below.
pub use crate::formats::{LoadedSet, Progress};
pub use crate::store::{
    Event, EventBody, FindingRecord, NewEvent, PairVerdict, RuleStamp, Side, Verdict,
};
