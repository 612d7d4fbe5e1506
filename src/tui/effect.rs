//! Work that an update asks for; the runtime does it and answers with a [`super::message::Message`].

use std::sync::Arc;

use super::auditing::Audit;
use super::colouring::ColourOf;
use super::highlight::ColourUnit;
use super::query::Query;
use crate::review::NewEvent;

/// A program of the person's that works on a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outside {
    /// The editor, on a copy that cannot be changed.
    Editor {
        /// The text.
        text: Arc<str>,
        /// The copy's file name.
        name: String,
        /// 1-based line to show.
        line: usize,
    },
    /// The editor, on a text of the person's own: what it becomes is taken over.
    Text {
        /// The text.
        text: Arc<str>,
        /// The file's name.
        name: String,
    },
    /// The pager.
    Pager {
        /// The text.
        text: Arc<str>,
    },
}

/// Work to run outside the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Open the texts of a group (0-based) and parse its patches.
    OpenGroup {
        /// The group.
        group: usize,
    },
    /// Colour lines of one file of a patch.
    Highlight {
        /// The group.
        group: usize,
        /// Which patch of it.
        of: ColourOf,
        /// 0-based file of the patch.
        file: usize,
        /// The lines, in the order in which they are wanted.
        units: Vec<ColourUnit>,
        /// So many of the first units are on screen.
        urgent: usize,
    },
    /// Search the steps of a trajectory for what the steps screen is to find.
    SearchSteps {
        /// The group.
        group: usize,
        /// The trajectory.
        trajectory: usize,
    },
    /// Find what turns one result into another; `None` is the reference patch.
    Interdiff {
        /// The group.
        group: usize,
        /// The result before.
        from: Option<usize>,
        /// The result after.
        to: Option<usize>,
    },
    /// Compute figures over all groups.
    Audit(Audit),
    /// Ask the out-of-scope rules about groups (0-based), in place of what is being asked.
    Spot {
        /// Tells the answers of this request from those of older ones.
        number: u64,
        /// The groups.
        groups: Vec<usize>,
    },
    /// Stop asking the out-of-scope rules.
    StopSpotting,
    /// Store events in one transaction.
    Save(Vec<NewEvent>),
    /// Search the patches of all candidates of a group.
    SearchGroup {
        /// The group.
        group: usize,
        /// What for.
        query: Query,
    },
    /// Compare schemes over all groups.
    CompareSchemes {
        /// Which comparison; a newer one replaces it.
        number: u64,
    },
    /// Save a text to a file.
    SaveFile {
        /// The path as typed; `~` is the home folder.
        path: String,
        /// The text.
        text: Arc<str>,
        /// Whether a file that is there is replaced.
        overwrite: bool,
    },
    /// Hand the terminal to another program until it ends.
    RunProgram(Outside),
    /// Put text on the clipboard (OSC 52).
    Copy(String),
    /// Stop the program to the shell (Ctrl-Z).
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// Stop reading files; what was read stays.
    StopLoading,
    /// Go on reading where it was stopped, or look for files that changed.
    Reload,
    /// Leave.
    Quit,
}
