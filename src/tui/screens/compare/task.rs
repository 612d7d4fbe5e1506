//! The task's text, in place of the patches.

use ratatui::buffer::Buffer;

use super::reading::Go;
use super::update::opened;
use crate::tui::area::Area;
use crate::tui::long_text::{self, LongText};
use crate::tui::model::Model;
use crate::tui::scroll::Position;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put};
use crate::tui::widgets::text_lines;

/// Fits the scroll position to what is shown.
pub fn settle(model: &mut Model, area: Area) {
    let Some(opened) = opened(model) else { return };
    let Some(text) = opened.content.task.text.as_deref() else {
        return;
    };
    let lines = LongText::of(text);
    let width = usize::from(area.width);
    let window = usize::from(area.height.saturating_sub(1));
    model.compare.task_at = model.compare.task_at.clamp(window, lines.len(), |line| {
        long_text::height(lines.line(text, line), width)
    });
}

/// Scrolls the text.
pub fn scroll(model: &mut Model, area: Area, go: Go) {
    let Some(opened) = opened(model) else { return };
    let Some(text) = opened.content.task.text.as_deref() else {
        return;
    };
    let lines = LongText::of(text);
    let width = usize::from(area.width);
    let height = |line| long_text::height(lines.line(text, line), width);
    model.compare.task_at = go.from(model.compare.task_at, lines.len(), height);
}

/// Draws the text into `area`.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    let (head, body) = area.split_top(1);
    let header = theme.style(Role::Header);
    paint(buffer, (head.x, head.y), head.width, header);
    put(buffer, (head.x, head.y), head.width, "task", header);
    let Some(opened) = opened(model) else {
        put(
            buffer,
            (body.x, body.y),
            body.width,
            "opening the task …",
            theme.style(Role::Dim),
        );
        return;
    };
    let Some(task) = opened.content.task.text.as_deref() else {
        let said = "no task text is recorded";
        put(
            buffer,
            (body.x, body.y),
            body.width,
            said,
            theme.style(Role::Dim),
        );
        return;
    };
    let styles = text_lines::Styles {
        base: theme.style(Role::Text),
        control: theme.style(Role::Control),
        found: theme.style(Role::Match),
    };
    let lines = LongText::of(task);
    let bottom = body.y + body.height;
    let mut at = model.compare.task_at;
    let mut y = body.y;
    while y < bottom && at.row < lines.len() {
        let place = Area {
            y,
            height: bottom - y,
            ..body
        };
        let line = lines.line(task, at.row);
        y += text_lines::draw(buffer, place, line, at.line, "", &styles).max(1);
        at = Position::at(at.row + 1);
    }
}
