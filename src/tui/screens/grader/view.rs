//! Drawing the grader's answer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::rows::title;
use super::update::{shown, text_area};
use crate::tui::model::Model;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{put, put_parts, put_right};

/// Draws the screen.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let strong = theme.style(Role::Title);
    let group = model.reviewed.as_ref().and_then(|(group, _)| {
        model
            .session
            .as_ref()
            .and_then(|session| session.group(*group))
    });
    let name = group
        .map(|group| text::sanitize_line(group.id.as_str()))
        .unwrap_or_default();
    put(
        buffer,
        (area.x + 1, area.y),
        area.width.saturating_sub(1),
        &name,
        strong,
    );
    let Some((_, place, count, answer)) = shown(model) else {
        let nothing = "no grader answered about this group";
        let style = theme.style(Role::Dim);
        put(
            buffer,
            (area.x + 1, area.y + 1),
            area.width.saturating_sub(1),
            nothing,
            style,
        );
        return;
    };
    let line = title(answer, place, count);
    let style = theme.style(Role::Text);
    put(
        buffer,
        (area.x + 1, area.y + 1),
        area.width.saturating_sub(1),
        &line,
        style,
    );
    let text = text_area(model);
    let state = &model.grader;
    for (y, line) in (text.y..text.y + text.height).zip(state.lines.iter().skip(state.first)) {
        let parts: Vec<(String, Style)> = line
            .iter()
            .map(|(text, role)| (text.clone(), theme.style(*role)))
            .collect();
        put_parts(buffer, (text.x, y), text.width, &parts);
    }
    let below = state
        .lines
        .len()
        .saturating_sub(state.first + usize::from(text.height));
    if below > 0 {
        let style = theme.style(Role::Dim);
        put_right(
            buffer,
            (area.x, area.y),
            area.width,
            &format!("{below} lines below "),
            style,
        );
    }
}
