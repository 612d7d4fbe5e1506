//! The terminal face.

pub mod action;
pub mod effect;
pub mod highlight;
pub mod key;
pub mod text;
pub mod theme;
