//! Raters: who ranked a group and how, how much raters agree, what counts as settled.
//!
//! Works on a loaded set and the judgements of its log. What is *not* here: files, the log itself,
//! advantages and settings (`crate::review`), what is typed and drawn (`crate::cli`, `crate::tui`).
//!
//! A figure that is not defined says why; it is left out of means and counted, and is never 0 or
//! NaN.

mod agreement;
mod bootstrap;
mod consensus;
mod evidence;
mod findings;
mod pairs;
mod people;
mod position;
mod rater;
mod reveal;
mod tables;

pub use agreement::{Agreement, AlphaRow, Options, RaterRow, pairings};
pub use bootstrap::{Figure, LeftOut, RESAMPLES};
pub use consensus::{Aggregate, Consensus, NoConsensus, Provenance};
pub use evidence::{Graded, GroupEvidence, Judged, Settlement};
pub use findings::KappaRow;
pub use pairs::PairRow;
pub use people::{PersonRow, SpotCheckRow, TOO_FAST_MS};
pub use position::PositionRow;
pub use rater::Rater;
pub use reveal::RevealRow;
pub use tables::{Row, Table, TableKind, after_reveal};
