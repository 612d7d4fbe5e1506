//! Drawing this screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::model::Model;
use crate::tui::theme::Theme;

/// Draws the screen.
pub fn draw(_: &Model, _: &Theme, _: &mut Buffer, _: Rect) {}
