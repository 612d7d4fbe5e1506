//! Schedule.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen};
use crate::tui::theme::Theme;
use crate::tui::update::go_to;

/// State of the screen.
#[derive(Debug, Default)]
pub struct State {}

/// Performs an action.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Back => go_to(model, Screen::Compare),
        _ => Vec::new(),
    }
}

/// Handles the mouse.
pub fn mouse(_model: &mut Model, _kind: MouseKind, _x: u16, _y: u16) -> Vec<Effect> {
    Vec::new()
}

/// Draws the screen.
pub fn draw(_model: &Model, _theme: &Theme, _buffer: &mut Buffer, _area: Rect) {}

/// Takes a typed value.
///
/// # Errors
/// Why it is not a value, one sentence.
pub fn typed(_model: &mut Model, _text: &str) -> Result<Vec<Effect>, String> {
    Ok(Vec::new())
}
