//! OpenHands: rows of `output.jsonl` (benchmarks and issue resolver) and conversations of the agent
//! SDK.
//!
//! A row of a benchmark is a prediction with its own trace: reports and runs are those of
//! SWE-bench. What is *not* here: how predictions become runs (`swebench`).

pub(crate) mod conversations;
mod events;
mod join;
pub(crate) mod rows;

use std::collections::HashSet;

pub(crate) use conversations::Conversation;
pub(crate) use join::{attempts, prepare};

/// What was found of OpenHands, before it is joined.
#[derive(Debug, Default, Clone)]
pub(crate) struct Parts {
    /// Rows of benchmarks.
    pub rows: Vec<rows::Row>,
    /// Events, one a record or many.
    pub events: Vec<conversations::Events>,
    /// States of conversations.
    pub states: Vec<conversations::State>,
}

impl Parts {
    /// Takes over what another part found.
    pub(crate) fn merge(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.events.extend(other.events);
        self.states.extend(other.states);
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets what files told; answers whether they told anything.
    pub(crate) fn withdraw(&mut self, files: &HashSet<usize>) -> bool {
        let before = self.len();
        self.rows.retain(|part| !files.contains(&part.at.file));
        self.events.retain(|part| !files.contains(&part.at.file));
        self.states.retain(|part| !files.contains(&part.at.file));
        self.len() != before
    }

    /// Puts everything into the order of the files, whatever order it came in.
    pub(crate) fn sort(&mut self) {
        self.rows.sort_by_key(|part| part.at.file);
        self.events.sort_by_key(|part| part.at.file);
        self.states.sort_by_key(|part| part.at.file);
    }

    fn len(&self) -> usize {
        self.rows.len() + self.events.len() + self.states.len()
    }
}
