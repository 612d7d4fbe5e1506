//! Parts that several screens draw with. Stateless: everything comes in as arguments.

pub mod line;
pub mod status_line;
