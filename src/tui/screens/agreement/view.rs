//! Drawing this screen: tabs, the open table, its notes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::state::{notes, widths};
use super::update::rows_area;
use crate::raters::TableKind;
use crate::tui::action::Action;
use crate::tui::model::Model;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put, put_parts, put_right};

/// Draws the screen.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let state = &model.agreement;
    tabs(model, theme, buffer, area);
    let room = area.width.saturating_sub(2);
    let key = model.keymap.key_of(Action::NextAggregate);
    let by = key.map_or_else(String::new, |key| format!(" ({key})"));
    let doing = match state.asked {
        Some(_) => " · computing …",
        None => "",
    };
    // The others are not about the consensus.
    let consensus = match state.kind {
        TableKind::Raters | TableKind::Pairs => {
            format!(" · consensus by {}{by}", state.aggregate)
        }
        _ => String::new(),
    };
    let said = format!("{}{consensus}{doing}", state.kind.title());
    put(
        buffer,
        (area.x + 1, area.y + 1),
        room,
        &said,
        theme.style(Role::Dim),
    );
    let Some(table) = &state.table else {
        let said = "computing …";
        let at = (area.x + 1, area.y + 3);
        put(buffer, at, room, said, theme.style(Role::Dim));
        return;
    };
    let widths = widths(table, usize::from(room));
    let header = theme.style(Role::Header);
    paint(buffer, (area.x, area.y + 2), area.width, header);
    let place = rows_area(model);
    let columns = |cells: &[String], y: u16, role: Role, buffer: &mut Buffer| {
        let mut x = place.x + 1;
        let right = place.x + place.width;
        for (at, ((cell, width), aligned)) in cells.iter().zip(&widths).zip(table.right).enumerate()
        {
            if x >= right {
                break;
            }
            let width = u16::try_from(*width).unwrap_or(u16::MAX).min(right - x);
            let cell = match at {
                0 => text::cut_names(cell, usize::from(width)),
                _ => text::sanitize_line(cell),
            };
            let style = theme.style(match cell == "undefined" {
                true => Role::Warning,
                false => role,
            });
            match aligned {
                true => put_right(buffer, (x, y), width, &cell, style),
                false => {
                    put(buffer, (x, y), width, &cell, style);
                }
            }
            x = x.saturating_add(width).saturating_add(2);
        }
    };
    let names: Vec<String> = table.header.iter().map(|name| (*name).to_owned()).collect();
    columns(&names, area.y + 2, Role::Header, buffer);
    let count = table.rows.len();
    // Notes are few and short: breaking them all costs less than a frame's text.
    let notes = notes(table, usize::from(area.width.saturating_sub(3)));
    for (line, y) in (state.at.first..).zip(place.y..place.y + place.height) {
        if let Some(row) = table.rows.get(line) {
            columns(&row.cells, y, Role::Text, buffer);
        } else if let Some(note) = line.checked_sub(count + 1).and_then(|at| notes.get(at)) {
            put(buffer, (place.x + 1, y), room, note, theme.style(Role::Dim));
        } else if line > count + notes.len() {
            break;
        }
        if line == state.at.cursor {
            paint(buffer, (place.x, y), place.width, theme.style(Role::Cursor));
            put(buffer, (place.x, y), 1, "▸", theme.style(Role::Cursor));
        }
    }
}

fn tabs(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let parts: Vec<_> = TableKind::ALL
        .into_iter()
        .map(|kind| match kind == model.agreement.kind {
            true => (format!("[{}]", kind.word()), theme.style(Role::Key)),
            false => (format!(" {} ", kind.word()), theme.style(Role::Dim)),
        })
        .collect();
    let at = (area.x, area.y);
    put_parts(buffer, at, area.width, &parts);
}
