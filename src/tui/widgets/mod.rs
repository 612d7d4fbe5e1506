//! Parts that several screens draw with. Stateless: everything comes in as arguments.

pub mod advantage_bar;
pub mod diff_lines;
pub mod fitting;
pub mod line;
pub mod moved;
pub mod ranking_strip;
pub mod status_line;
pub mod text_lines;
