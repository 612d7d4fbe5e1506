//! What reaches the model: keys, the mouse, and answers of work.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::auditing::{Audit, Audited};
use super::colouring::ColourOf;
use super::highlight::{ColourUnit, FileColours};
use super::key::Key;
use super::loading::Follow;
use super::model::{OnBase, OpenedGroup};
use super::patch_file::SaveError;
use super::query::Query;
use super::screens::compare::PatchSpot;
use super::screens::remarks::Spotted;
use super::screens::schedules::Answer as SchemesAnswer;
use super::screens::steps::Hits;
use crate::diff::Interdiff;
use crate::domain::scope::Remark;
use crate::review::Event;
use crate::review::Progress;
use crate::review::{LoadedSet, Prepared, ReviewSession};

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
    /// The terminal's window has the person's attention, or no longer.
    Focus(bool),
    /// Loading goes on.
    Loading {
        /// How far it is.
        progress: Progress,
        /// How long it has taken so far.
        elapsed: Duration,
    },
    /// The review can begin: a first state of the set is there.
    Loaded(Box<ReviewSession>),
    /// A later state of the set, with the rows computed for it.
    Snapshot {
        /// The set.
        set: Arc<LoadedSet>,
        /// Rows of the groups that differ from the state before.
        prepared: Option<Box<Prepared>>,
    },
    /// Everything that was listed is read, or reading was stopped.
    LoadEnded {
        /// Whether everything is read.
        complete: bool,
    },
    /// The files were looked at for changes.
    Followed(Follow),
    /// Files were replaced, and so many groups are others now.
    Rewritten(usize),
    /// A group's texts were not opened, as its file changed; it is being read again.
    GroupChanged {
        /// The group.
        group: usize,
        /// What opening said.
        reason: String,
    },
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
    /// The patches of an opened group are laid on their base.
    GroupAligned {
        /// The group.
        opened: Arc<OpenedGroup>,
        /// Its patches on their base.
        on_base: OnBase,
    },
    /// The out-of-scope rules were asked about an opened group.
    GroupRemarked {
        /// The group.
        opened: Arc<OpenedGroup>,
        /// What they say.
        remarks: Vec<Remark>,
    },
    /// Some groups of the set were asked about by the rules.
    Spotted(Spotted),
    /// A file is coloured.
    Highlighted {
        /// The group.
        group: usize,
        /// Which patch of it.
        of: ColourOf,
        /// The file.
        file: usize,
        /// The units that this answers.
        units: Vec<ColourUnit>,
        /// Their colours; `None` = dropped, to be asked for again when they are wanted.
        colours: Option<FileColours>,
    },
    /// What turns one result into another; `None` is the reference patch.
    Interdiffed {
        /// The group.
        group: usize,
        /// The result before.
        from: Option<usize>,
        /// The result after.
        to: Option<usize>,
        /// What was found, or why not.
        result: Result<Arc<Interdiff>, String>,
    },
    /// Schemes are being compared.
    SchemesProgress {
        /// Which comparison.
        number: u64,
        /// Groups done.
        done: usize,
        /// Of how many.
        all: usize,
    },
    /// Schemes were compared.
    SchemesCompared {
        /// Which comparison.
        number: u64,
        /// The figures, or why there are none.
        result: Result<Box<SchemesAnswer>, String>,
    },
    /// The steps of a trajectory are searched.
    StepsSearched {
        /// The group.
        group: usize,
        /// The trajectory.
        trajectory: usize,
        /// What was found.
        hits: Box<Hits>,
    },
    /// The patches of a group are searched.
    GroupSearched {
        /// The group.
        group: usize,
        /// What for.
        query: Query,
        /// The places found, per candidate in group order.
        found: Vec<Vec<PatchSpot>>,
    },
    /// Figures over all groups are computed.
    Audited {
        /// [`ReviewSession::revision`] of what they are over.
        revision: u64,
        /// What was asked for.
        audit: Audit,
        /// What was found; nothing when a newer request came, or why not.
        result: Result<Option<Audited>, String>,
    },
    /// A text is saved to a file, or why not.
    FileSaved {
        /// The path as typed.
        typed: String,
        /// Where it is now and how many bytes it has.
        result: Result<(PathBuf, usize), SaveError>,
    },
    /// The editor ended on a text of the person's own.
    TextEdited {
        /// What the text is now; `None` = as it was.
        text: Option<String>,
        /// Why the editor did not end well.
        problem: Option<String>,
    },
    /// The oldest outstanding save is stored.
    Saved,
    /// Somebody else wrote to the store.
    LogChanged {
        /// The whole log as it is now; `None` when what is new can be folded in as it is.
        whole: Option<Vec<Event>>,
        /// What they wrote.
        foreign: Vec<Event>,
    },
    /// Some time has passed since a save failed.
    RetryDue,
    /// Something about the store that is worth a word.
    StoreNote(String),
    /// The oldest outstanding save failed, with the reason.
    SaveFailed(String),
}
