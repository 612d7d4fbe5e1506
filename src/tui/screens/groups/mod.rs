//! The list of groups.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::message::MouseKind;
use crate::tui::model::Model;
use crate::tui::theme::Theme;

/// State of the screen.
#[derive(Debug, Default)]
pub struct State {
    visible: Vec<usize>,
}

impl State {
    /// The selected group.
    #[must_use]
    pub fn selected(&self) -> Option<usize> {
        self.visible.first().copied()
    }
}

/// The groups shown, in order.
#[must_use]
pub fn visible(model: &Model) -> &[usize] {
    &model.groups.visible
}

/// Performs an action.
pub fn update(_model: &mut Model, _action: Action) -> Vec<Effect> {
    Vec::new()
}

/// Lists anew.
pub fn reload(model: &mut Model) -> Vec<Effect> {
    model.groups.visible = model
        .session
        .as_ref()
        .map(|s| (0..s.rows().len()).collect())
        .unwrap_or_default();
    Vec::new()
}

/// Fits the state to what is shown.
pub fn settle(_model: &mut Model) -> Vec<Effect> {
    Vec::new()
}

/// Searches.
pub fn searched(_model: &mut Model, _text: &str) -> Vec<Effect> {
    Vec::new()
}

/// Filters.
///
/// # Errors
/// What is wrong in the filter.
pub fn filtered(_model: &mut Model, _text: &str) -> Result<Vec<Effect>, String> {
    Ok(Vec::new())
}

/// Handles the mouse.
pub fn mouse(_model: &mut Model, _kind: MouseKind, _x: u16, _y: u16) -> Vec<Effect> {
    Vec::new()
}

/// Draws the screen.
pub fn draw(_model: &Model, _theme: &Theme, _buffer: &mut Buffer, _area: Rect) {}
