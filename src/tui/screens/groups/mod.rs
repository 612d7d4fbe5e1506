//! The list of groups: what was loaded, what is worth opening, what is done.
//!
//! Only the rows on screen are built, so that 100,000 groups cost a screenful.

mod columns;
mod rows;
mod state;
mod update;
mod view;

pub use columns::Column;
pub use state::{State, Totals};
pub use update::{filtered, mouse, reload, searched, settle, update, visible};
pub use view::draw;
