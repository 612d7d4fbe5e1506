//! One trajectory's steps.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen};
use crate::tui::theme::Theme;
use crate::tui::update::go_to;

/// State of the steps screen.
#[derive(Debug, Default)]
pub struct State {
}


/// Performs an action.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Back => go_to(model, Screen::Compare),
        _ => Vec::new(),
    }
}

/// Fits the state to what is shown.
pub fn settle(_model: &mut Model) -> Vec<Effect> {
    Vec::new()
}

/// Handles the mouse.
pub fn mouse(_model: &mut Model, _kind: MouseKind, _x: u16, _y: u16) -> Vec<Effect> {
    Vec::new()
}

/// Searches.
pub fn searched(_model: &mut Model, _text: &str) -> Vec<Effect> {
    Vec::new()
}

/// Draws the screen.
pub fn draw(_model: &Model, _theme: &Theme, _buffer: &mut Buffer, _area: Rect) {}
