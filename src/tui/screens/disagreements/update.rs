//! What keys do on this screen.

use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::message::MouseKind;
use crate::tui::model::{Model, Screen};
use crate::tui::update::go_to;

/// State of the screen.
#[derive(Debug, Default)]
pub struct State {}

/// Performs an action.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Back => go_to(model, Screen::Groups),
        _ => Vec::new(),
    }
}

/// Uses the mouse at a cell.
pub fn mouse(_: &mut Model, _: MouseKind, _: u16, _: u16) -> Vec<Effect> {
    Vec::new()
}

/// Fits the scroll position to what is shown now, and asks for what is needed.
pub fn settle(_: &mut Model) -> Vec<Effect> {
    Vec::new()
}
