//! What reaches the model: keys, the mouse, and answers of work.

use std::sync::Arc;
use std::time::Duration;

use super::highlight::FileColours;
use super::key::Key;
use super::model::OpenedGroup;
use crate::review::Event;
use crate::review::Progress;
use crate::review::ReviewSession;

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// Button pressed.
    Down,
    /// Moved with the button held.
    Drag,
    /// Button released.
    Up,
    /// Wheel up.
    ScrollUp,
    /// Wheel down.
    ScrollDown,
}

/// Something that happened.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The mouse was used at this cell (0-based).
    Mouse {
        /// What it did.
        kind: MouseKind,
        /// Column.
        x: u16,
        /// Row.
        y: u16,
    },
    /// The terminal has this size now (columns, rows).
    Resize(u16, u16),
    /// Loading goes on.
    Loading {
        /// How far it is.
        progress: Progress,
        /// How long it has taken so far.
        elapsed: Duration,
    },
    /// Loading is done.
    Loaded(Box<ReviewSession>),
    /// Loading stopped for this reason.
    LoadFailed(String),
    /// The store could not be read: reviewing goes on without saved judgements.
    StoreUnreadable(String),
    /// A group's texts are open, or why not.
    GroupOpened {
        /// The group.
        group: usize,
        /// Its texts.
        result: Result<Arc<OpenedGroup>, String>,
    },
    /// A file is coloured.
    Highlighted {
        /// The group.
        group: usize,
        /// The candidate; `None` = the reference.
        trajectory: Option<usize>,
        /// The file.
        file: usize,
        /// Its colours.
        colours: Arc<FileColours>,
    },
    /// The oldest outstanding save is stored.
    Saved,
    /// Somebody else wrote to the store between two saves: the whole log as it is now.
    LogChanged(Vec<Event>),
    /// The oldest outstanding save failed, with the reason.
    SaveFailed(String),
}
