//! Schemes compared over the loaded groups: a table, and the groups that one of them changes most.

mod request;
mod state;
mod update;
mod view;

pub use request::{Answer, Request};
pub use state::State;
pub use update::{answered, forget, mouse, progressed, request, settle, update};
pub use view::draw;
