//! The list of remarks of the out-of-scope rules over the loaded set.

mod filter;
mod state;
mod update;
mod view;

pub use filter::RemarkFilter;
pub use state::{Row, Spotted, State};
pub use update::{
    enter, filtered, judge_and_go_on, mouse, settle, spotted, undo_walking, update, walk,
};
pub use view::draw;
