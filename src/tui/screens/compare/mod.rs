//! The candidates of one group side by side, and their ranking.
//!
//! The most used screen: read the patches, put the candidates in order, submit. Only `view.rs`
//! knows the terminal library; `layout.rs` says where things stand to all of them.

mod applies;
mod candidates;
mod colouring;
mod comparing;
mod copy;
mod finding_targets;
mod folding;
mod grid;
mod judging;
mod labels;
mod layout;
mod looking;
mod matrix;
mod mouse;
mod of_group;
mod pairs;
mod panel;
mod patch_notes;
mod place_list;
mod places;
mod rankings;
mod reading;
mod rule_remarks;
mod search;
mod search_group;
mod selecting;
mod spot;
mod state;
mod task;
#[cfg(test)]
pub(in crate::tui::screens) mod tests;
mod tests_panel;
mod update;
mod view;
mod window;

pub use applies::applies;
pub use candidates::{Candidate, candidates, letter, order};
pub use copy::{named as patch_named, saved as patch_saved};
pub use finding_targets::{Target, targets, whole_candidate};
pub use labels::{PRESETS, flagged, preset, skipped};
pub use layout::{Layout, Slot};
pub use mouse::mouse;
pub use panel::mark_found;
pub use patch_notes::PatchNotes;
pub use place_list::{Listed, choose as choose_place};
pub use places::{has_remarks, said};
pub use rankings::{
    carry_over as carry_settlement, settled as rankings_settled, show as show_rankings,
};
pub use reading::go_to_row;
pub use rule_remarks::{judge as judge_remark, show as show_remark};
pub use search::searched;
pub use search_group::{found as group_searched, search_patches, searched as searched_group};
pub use spot::{PatchSpot, show_hunk, show_lines, show_place};
pub use state::{Body, Place, State};
pub use update::{enter, focused_candidate, settle, update};
pub use view::draw;
