//! The two lines under every screen: what happened and what is saved; which keys work here.

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

use super::fitting::SEPARATOR;
use super::line::{put, put_parts, put_right};
use crate::tui::action::Action;
use crate::tui::help;
use crate::tui::layout;
use crate::tui::loading;
use crate::tui::model::{Model, Severity};
use crate::tui::text;
use crate::tui::theme::{Role, Theme};

/// A reason of fewer cells tells nothing.
const LEAST_REASON: usize = 6;

/// Draws both lines.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer) {
    if !model.pending_keys.is_empty() {
        return draw_continuations(model, theme, buffer);
    }
    let area = layout::status(model.size);
    let (message, message_role) = message(model);
    let message = text::sanitize_line(&message);
    // What the action did comes first: the reason of a failed save is cut for it.
    let room = usize::from(area.width).saturating_sub(message.width() + 3);
    let (mut saves, role) = saves(model, room);
    if let Some(activity) = loading::activity(model) {
        // Whole, or as much of it as stands for itself: half a word tells nothing.
        let room = room.saturating_sub(saves.width() + 3);
        let first = activity.split(SEPARATOR).next().unwrap_or_default();
        let mut forms = [activity.as_str(), first].into_iter();
        let activity = forms.find(|form| form.width() <= room);
        let activity = activity.unwrap_or_default();
        saves = match saves.trim_end() {
            _ if activity.is_empty() => saves,
            "" => format!("{activity} "),
            saves => format!("{activity} · {saves} "),
        };
    }
    let saves_width = u16::try_from(saves.width())
        .unwrap_or(u16::MAX)
        .min(area.width);
    put_right(
        buffer,
        (area.x, area.y),
        area.width,
        &saves,
        theme.style(role),
    );
    let left = area.width.saturating_sub(saves_width + 2);
    let mut message = message;
    if message.width() > usize::from(left)
        && let Some(key) = model.keymap.key_of(Action::Problems)
    {
        let more = format!(" {key} shows all");
        let room = usize::from(left).saturating_sub(more.width());
        message = format!("{}{more}", text::cut(&message, room));
    }
    put(
        buffer,
        (area.x + 1, area.y),
        left,
        &message,
        theme.style(message_role),
    );
    draw_keys(model, theme, buffer);
}

fn draw_keys(model: &Model, theme: &Theme, buffer: &mut Buffer) {
    let area = layout::footer(model.size);
    let mut parts = Vec::new();
    let mut used = 1;
    for (key, word) in help::footer(model) {
        let width = key.width() + 1 + word.width() + 2;
        if used + width > usize::from(area.width) {
            break;
        }
        used += width;
        parts.push((key, theme.style(Role::Key)));
        parts.push((format!(" {word}  "), theme.style(Role::Dim)));
    }
    put_parts(
        buffer,
        (area.x + 1, area.y),
        area.width.saturating_sub(1),
        &parts,
    );
}

/// What may follow the keys that were pressed, in both lines and as many above them as that takes:
/// nothing else can be done now.
fn draw_continuations(model: &Model, theme: &Theme, buffer: &mut Buffer) {
    let (key, dim) = (theme.style(Role::Key), theme.style(Role::Dim));
    let footer = layout::footer(model.size);
    let pressed: String = model.pending_keys.iter().map(ToString::to_string).collect();
    let begin = format!("{pressed} … ");
    let indent = begin.width();
    let mut parts = vec![(begin, key)];
    let mut lines = Vec::new();
    let mut used = indent + 1;
    for (keys, word) in help::continuations(model) {
        let cells = keys.width() + 1 + word.width();
        if used + cells > usize::from(footer.width) {
            let next = vec![(" ".repeat(indent), dim)];
            lines.push(std::mem::replace(&mut parts, next));
            used = indent + 1;
        }
        used += cells + 3;
        if parts.len() > 1 {
            parts.push((" · ".to_owned(), dim));
        }
        parts.push((keys, key));
        parts.push((format!(" {word}"), theme.style(Role::Text)));
    }
    lines.push(parts);
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).max(2);
    let first = (footer.y + 1).saturating_sub(height);
    let blank = " ".repeat(usize::from(footer.width));
    for y in first..=footer.y {
        let place = (footer.x, y);
        put(buffer, place, footer.width, &blank, theme.style(Role::Text));
    }
    for (y, line) in (first..).zip(&lines) {
        let width = footer.width.saturating_sub(1);
        put_parts(buffer, (footer.x + 1, y), width, line);
    }
}

fn message(model: &Model) -> (String, Role) {
    let role = match model.status.severity {
        Severity::Info => Role::Info,
        Severity::Warning => Role::Warning,
        Severity::Error => Role::Error,
    };
    (model.status.text.clone(), role)
}

/// Where the saves stand, with a reason as long as `room` cells allow. Nothing is said before the
/// first one.
fn saves(model: &Model, room: usize) -> (String, Role) {
    let saves = &model.saves;
    match &saves.failed {
        Some(reason) => {
            let key = model.keymap.key_of(Action::RetrySave).unwrap_or_default();
            let short = format!("NOT SAVED · {key} tries again ");
            let most = room.saturating_sub(short.width() + 2);
            let said = if most < LEAST_REASON {
                short
            } else {
                let reason = text::cut(reason, most);
                format!("NOT SAVED: {reason} · {key} tries again ")
            };
            (said, Role::Error)
        }
        None if !saves.pending.is_empty() => ("saving … ".to_owned(), Role::Dim),
        None if saves.stored > 0 => ("saved ".to_owned(), Role::Dim),
        None => (String::new(), Role::Dim),
    }
}
