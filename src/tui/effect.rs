//! Work that an update asks for; the runtime does it and answers with a [`super::message::Message`].

use crate::review::NewEvent;

/// Work to run outside the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Open the texts of a group (0-based) and parse its patches.
    OpenGroup {
        /// The group.
        group: usize,
    },
    /// Colour one file of one candidate's patch.
    Highlight {
        /// The group.
        group: usize,
        /// The candidate; `None` = the reference patch.
        trajectory: Option<usize>,
        /// 0-based file of the patch.
        file: usize,
    },
    /// Search the steps of a trajectory for what the steps screen is to find.
    SearchSteps {
        /// The group.
        group: usize,
        /// The trajectory.
        trajectory: usize,
    },
    /// Store events in one transaction.
    Save(Vec<NewEvent>),
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
