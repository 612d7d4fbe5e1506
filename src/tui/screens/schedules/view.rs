//! Drawing this screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::state::areas;
use crate::audit::scheme_table::{
    Column, accuracy, header, missing, oddities, over, rank_length, row,
};
use crate::tui::model::Model;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put, put_right};

/// Draws the screen.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let width = area.width.saturating_sub(2);
    let at = |line: u16| (area.x + 1, area.y + line);
    let title = "Schemes compared";
    put(buffer, at(0), width, title, theme.style(Role::Title));
    let Some(session) = &model.session else {
        return;
    };
    let say = |buffer: &mut Buffer, line: u16, text: &str, role: Role| {
        put(
            buffer,
            at(line),
            width,
            &text::sanitize_line(text),
            theme.style(role),
        );
    };
    let state = &model.schedules;
    if let Some((done, all)) = state.under_way {
        let said = format!("comparing: {done} of {all} groups ");
        put_right(
            buffer,
            (area.x, area.y),
            area.width,
            &said,
            theme.style(Role::Dim),
        );
    } else if state.sort != Column::default() {
        let said = format!("by {}, largest first ", state.sort.title());
        put_right(
            buffer,
            (area.x, area.y),
            area.width,
            &said,
            theme.style(Role::Dim),
        );
    }
    let Some(answer) = &state.answer else {
        return;
    };
    let found = &answer.found;
    say(buffer, 1, &over(found), Role::Text);
    let mut apart = missing(found);
    apart.extend(oddities(found));
    say(buffer, 2, &apart.join(" · "), Role::Dim);
    say(buffer, 3, &accuracy(answer.accuracy), Role::Text);
    say(buffer, 4, &rank_length(found), Role::Text);
    let (table, list) = areas(model.size, state.order.len());
    let full = area.width;
    put(
        buffer,
        (table.x + 1, table.y.saturating_sub(1)),
        full,
        &header(),
        theme.style(Role::Header),
    );
    let shown = state.order.iter().enumerate().skip(state.first);
    for (y, (place, &number)) in (table.y..table.y + table.height).zip(shown) {
        let Some(figures) = found.schemes.get(number) else {
            continue;
        };
        let used = figures.scheme == session.settings().scheme;
        let sign = if used { "•" } else { " " };
        put(buffer, (table.x, y), 1, sign, theme.style(Role::Key));
        let role = if used { Role::Strong } else { Role::Text };
        put(
            buffer,
            (table.x + 1, y),
            full,
            &row(figures),
            theme.style(role),
        );
        if place == state.cursor {
            paint(buffer, (table.x, y), table.width, theme.style(Role::Cursor));
        }
    }
    let Some(selected) = state.selected() else {
        return;
    };
    if list.height == 0 {
        return;
    }
    let affected = &selected.most_affected;
    let heading = match affected.is_empty() {
        true => format!("{} changes no group", selected.scheme),
        false => format!("Most credit moved by {}", selected.scheme),
    };
    let y = list.y.saturating_sub(1);
    put(
        buffer,
        (list.x + 1, y),
        width,
        &heading,
        theme.style(Role::Header),
    );
    let shown = affected.iter().enumerate().skip(state.first_group);
    for (y, (place, affected)) in (list.y..list.y + list.height).zip(shown) {
        let name = session.group(affected.group).map(|group| group.id.as_str());
        let name = text::sanitize_line(name.unwrap_or_default());
        let line = format!("{:.3}  {name}", affected.credit_moved);
        let sign = if place == state.group { "▸" } else { " " };
        put(
            buffer,
            (list.x + 1, y),
            width,
            &format!("{sign} {line}"),
            theme.style(Role::Text),
        );
        if place == state.group {
            paint(buffer, (list.x, y), list.width, theme.style(Role::Match));
        }
    }
}
