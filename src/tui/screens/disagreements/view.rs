//! Drawing this screen: the rows that are seen, nothing else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::update::rows_area;
use crate::domain::counted;
use crate::review::Disagreement;
use crate::tui::action::Action;
use crate::tui::model::Model;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put, put_right};

/// Cells of the columns behind the group's name: credit, tau-b, flipped, tied, state.
const TAIL: [u16; 5] = [8, 7, 8, 6, 10];

/// Draws the screen.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let state = &model.disagreements;
    let room = area.width.saturating_sub(2);
    let key = model.keymap.key_of(Action::NextPairing);
    let others = key.map_or_else(String::new, |key| format!(" · {key} other raters"));
    let pairing = state.list().and_then(|list| list.pairing.as_ref());
    let who = pairing.map(|(a, b)| text::sanitize_line(&format!("{a} ~ {b}")));
    let doing = match state.is_waiting() {
        true => " · computing …",
        false => "",
    };
    let said = match &who {
        Some(who) => format!(
            "Disagreements: {who} · {} ranked by both{others}{doing}",
            counted(state.rows().len(), "group", "groups")
        ),
        None => format!("Disagreements{doing}"),
    };
    put(
        buffer,
        (area.x + 1, area.y),
        room,
        &said,
        theme.style(Role::Title),
    );
    if who.is_none() && !state.is_waiting() && state.list().is_some() {
        let said = "No two raters have ranked a group: load a grader's rankings, or submit one.";
        let at = (area.x + 1, area.y + 2);
        put(buffer, at, room, said, theme.style(Role::Dim));
        return;
    }
    let header = theme.style(Role::Header);
    paint(buffer, (area.x, area.y + 1), area.width, header);
    let tail: u16 = TAIL.iter().map(|width| width + 1).sum();
    let wanted = u16::try_from(state.name_width).unwrap_or(u16::MAX);
    let name = room.saturating_sub(tail).min(wanted).max(12);
    let mut line = |y: u16, cells: [&str; 6], role: Role| {
        let mut x = area.x + 1;
        put(buffer, (x, y), name, cells[0], theme.style(role));
        x += name + 1;
        for ((cell, width), at) in cells[1..].iter().zip(TAIL).zip(0..) {
            match at {
                4 => {
                    put(buffer, (x + 1, y), width, cell, theme.style(role));
                }
                _ => put_right(buffer, (x, y), width, cell, theme.style(role)),
            }
            x += width + 1;
        }
    };
    let names = ["group", "credit", "tau-b", "flipped", "tied", "state"];
    line(area.y + 1, names, Role::Header);
    let place = rows_area(model);
    let rows = state.rows().iter().enumerate().skip(state.at.first);
    for ((_, row), y) in rows.zip(place.y..place.y + place.height) {
        let cells = cells(model, row);
        let [group, credit, tau, flipped, tied, word] = &cells;
        let role = match row.flipped {
            0 => Role::Dim,
            _ => Role::Text,
        };
        line(y, [group, credit, tau, flipped, tied, word], role);
    }
    if let Some(y) = state
        .at
        .cursor
        .checked_sub(state.at.first)
        .and_then(|at| u16::try_from(at).ok())
        .map(|at| place.y + at)
        .filter(|y| *y < place.y + place.height && !state.rows().is_empty())
    {
        paint(buffer, (place.x, y), place.width, theme.style(Role::Cursor));
        put(buffer, (place.x, y), 1, "▸", theme.style(Role::Cursor));
    }
}

fn cells(model: &Model, row: &Disagreement) -> [String; 6] {
    let session = model.session.as_ref();
    let data = session.and_then(|session| session.group(row.group));
    let state = session.map(|session| session.state(row.group).word());
    [
        data.map_or_else(String::new, |data| text::sanitize_line(data.id.as_str())),
        match &row.credit {
            Ok(credit) => format!("{credit:.2}"),
            Err(_) => "-".to_owned(),
        },
        match row.tau_b {
            Ok(tau) => format!("{tau:.2}"),
            Err(_) => "undef.".to_owned(),
        },
        row.flipped.to_string(),
        row.tied.to_string(),
        state.unwrap_or_default().to_owned(),
    ]
}
