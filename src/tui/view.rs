//! Drawing a frame: the open screen, the lines under it, what lies over it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::area::{self, Area};
use super::blind;
use super::layout;
use super::model::{Model, Screen};
use super::overlays;
use super::screens::{
    agreement, compare, disagreements, grader, groups, remarks, schedule, schedules, steps,
};
use super::theme::{Role, Theme};
use super::widgets::{line::put, status_line};

/// Draws the whole frame. A terminal that is too small gets one sentence instead.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer) {
    buffer.set_style(*buffer.area(), theme.style(Role::Text));
    if layout::too_small(model.size) {
        draw_too_small(model, theme, buffer);
        return;
    }
    let area = rect(area::screen(model.size));
    match blind::withheld(model) {
        Some(lines) => blind::draw_withheld(&lines, theme, buffer, area),
        None => draw_screen(model, theme, buffer, area),
    }
    status_line::draw(model, theme, buffer);
    if let Some(overlay) = &model.overlay {
        overlays::draw(model, overlay, theme, buffer);
    }
}

fn draw_screen(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    match model.screen {
        Screen::Groups => groups::draw(model, theme, buffer, area),
        Screen::Compare => compare::draw(model, theme, buffer, area),
        Screen::Steps => steps::draw(model, theme, buffer, area),
        Screen::Grader => grader::draw(model, theme, buffer, area),
        Screen::Schedule => schedule::draw(model, theme, buffer, area),
        Screen::Remarks => remarks::draw(model, theme, buffer, area),
        Screen::Agreement => agreement::draw(model, theme, buffer, area),
        Screen::Disagreements => disagreements::draw(model, theme, buffer, area),
        Screen::Schedules => schedules::draw(model, theme, buffer, area),
    }
}

impl From<Area> for Rect {
    fn from(area: Area) -> Self {
        rect(area)
    }
}

/// The same rectangle for the terminal.
#[must_use]
pub fn rect(area: Area) -> Rect {
    Rect {
        x: area.x,
        y: area.y,
        width: area.width,
        height: area.height,
    }
}

fn draw_too_small(model: &Model, theme: &Theme, buffer: &mut Buffer) {
    let (width, height) = layout::SMALLEST;
    let lines = [
        format!("gagar needs {width}x{height} cells,"),
        format!("this terminal has {}x{}.", model.size.0, model.size.1),
        "Make it larger, or leave with q.".to_owned(),
    ];
    for (y, line) in (0..).zip(&lines) {
        put(
            buffer,
            (0, y),
            model.size.0,
            line,
            theme.style(Role::Strong),
        );
    }
}
