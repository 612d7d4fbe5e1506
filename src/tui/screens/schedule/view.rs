//! Drawing the schedule screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::rows::effect;
use super::update::lines_area;
use super::values::lines;
use crate::tui::model::Model;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put, put_parts};

/// Cells of the lines' names and values.
const NAME: u16 = 18;
const VALUE: u16 = 18;

/// Draws the screen.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let title = "Schedule: how rewards and ranks become advantages";
    put(
        buffer,
        (area.x + 1, area.y),
        area.width.saturating_sub(1),
        title,
        theme.style(Role::Title),
    );
    let Some(session) = &model.session else {
        return;
    };
    let settings = session.settings();
    let place = lines_area(model);
    for (y, (number, line)) in
        (place.y..place.y + place.height).zip(lines(settings).into_iter().enumerate())
    {
        let x = place.x + 1;
        put(buffer, (x, y), NAME, line.name(), theme.style(Role::Text));
        let value = text::cut(&line.value(settings), usize::from(VALUE) - 1);
        put(buffer, (x + NAME, y), VALUE, &value, theme.style(Role::Key));
        let used = 1 + NAME + VALUE;
        let doc = line.doc(settings);
        let width = place.width.saturating_sub(used);
        put(
            buffer,
            (x + NAME + VALUE, y),
            width,
            doc,
            theme.style(Role::Dim),
        );
        if number == model.schedule.cursor {
            paint(buffer, (place.x, y), place.width, theme.style(Role::Cursor));
        }
    }
    let mut y = place.y + place.height + 1;
    let bottom = area.y + area.height;
    let width = area.width.saturating_sub(2);
    if let Some(summary) = &model.schedule.summary
        && y < bottom
    {
        put(
            buffer,
            (area.x + 1, y),
            width,
            &summary.line(),
            theme.style(Role::Text),
        );
        y += 2;
    }
    let Some((group, reviewed)) = &model.reviewed else {
        return;
    };
    let name = session
        .group(*group)
        .map(|group| text::sanitize_line(group.id.as_str()));
    if let Some(name) = name.filter(|_| y < bottom) {
        put(
            buffer,
            (area.x + 1, y),
            width,
            &name,
            theme.style(Role::Strong),
        );
        y += 1;
    }
    for (y, parts) in (y..bottom).zip(effect(session, *group, reviewed)) {
        let parts: Vec<(String, Style)> = parts
            .into_iter()
            .map(|(text, role)| (text, theme.style(role)))
            .collect();
        put_parts(buffer, (area.x + 1, y), width, &parts);
    }
}
