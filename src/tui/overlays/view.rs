//! Drawing what lies over a screen.

use ratatui::buffer::Buffer;
use ratatui::widgets::{Block, Clear, Widget};
use unicode_width::UnicodeWidthStr;

use super::rows::rows;
use super::{Entry, Overlay, PromptKind, finding_view, findings, reader};
use crate::review::Filter;
use crate::tui::area::{self, Area};
use crate::tui::layout::{centred, inside};
use crate::tui::long_text;
use crate::tui::model::Model;
use crate::tui::screens::compare;
use crate::tui::scroll::reveal;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::view::rect;
use crate::tui::widgets::line::{paint, put, put_line, put_right};

/// Rows that PageUp and PageDown move by.
pub const PAGE: usize = 10;
/// Cells of the left column of lists.
const LEFT: u16 = 20;
/// Most cells of the left column of a list of places: paths are long.
const LEFT_OF_PLACES: u16 = 44;

/// Where the open overlay is drawn; `None` when none is open.
#[must_use]
pub fn area(model: &Model) -> Option<Area> {
    let screen = area::screen(model.size);
    let wide = screen.width.saturating_sub(4).min(110);
    Some(match model.overlay.as_ref()? {
        Overlay::Help(_)
        | Overlay::Palette(_)
        | Overlay::Problems(_)
        | Overlay::Marks(_)
        | Overlay::Places(_)
        | Overlay::Findings(_)
        | Overlay::History(_)
        | Overlay::Guidelines(_) => centred(screen, wide, screen.height.saturating_sub(2)),
        Overlay::Orders(_) => centred(screen, wide.min(76), 9),
        Overlay::ConfirmQuit => centred(screen, wide.min(64), 7),
        Overlay::Finding(form) => {
            at_bottom(screen, finding_view::height(model, form, screen.width - 2))
        }
        Overlay::Prompt {
            kind: PromptKind::Note,
            entry,
            ..
        } => at_bottom(
            screen,
            2 + entry_lines(entry, screen.width.saturating_sub(2)).len(),
        ),
        Overlay::Prompt { .. } => at_bottom(screen, 3),
    })
}

/// A box of so many rows inside, over the lowest rows of the screen.
fn at_bottom(screen: Area, rows: usize) -> Area {
    let rows = u16::try_from(rows + 2).unwrap_or(u16::MAX);
    let height = rows.min(screen.height);
    Area {
        y: screen.y + (screen.height - height),
        height,
        ..screen
    }
}

/// Cells that the text of a list's row has.
#[must_use]
pub fn text_width(model: &Model) -> usize {
    let inner = area(model).map_or(0, |area| inside(area).width);
    usize::from(inner.saturating_sub(LEFT)).max(1)
}

/// Cells of the left column of a list of `width` cells.
fn left_width(overlay: &Overlay, width: u16) -> u16 {
    match overlay {
        Overlay::Places(_) => (width * 2 / 5).clamp(LEFT, LEFT_OF_PLACES),
        _ => LEFT,
    }
}

/// Draws the overlay.
pub fn draw(model: &Model, overlay: &Overlay, theme: &Theme, buffer: &mut Buffer) {
    let Some(area) = area(model) else { return };
    let title = match overlay {
        Overlay::Help(_) => format!(" keys of the {} screen ", model.context().word()),
        Overlay::Palette(_) => " actions ".to_owned(),
        Overlay::Problems(_) => " problems and notes ── Enter copies one ".to_owned(),
        Overlay::Marks(_) => " marks of the focused candidate ".to_owned(),
        Overlay::Places(_) => format!(" {} ", text::sanitize_line(&model.compare.listed.title)),
        Overlay::Guidelines(_) => guidelines_title(model),
        Overlay::Finding(form) if form.edited.is_some() => " change a finding ".to_owned(),
        Overlay::Finding(_) => format!(
            " add a finding ── rubric {} ",
            text::sanitize_line(&model.guide.rubric.version)
        ),
        Overlay::Findings(_) => " findings of this group ".to_owned(),
        Overlay::Orders(_) => " order of the groups ".to_owned(),
        Overlay::History(_) => " history of this group, newest first ".to_owned(),
        Overlay::ConfirmQuit => " not everything is saved ".to_owned(),
        Overlay::Prompt { kind, .. } => format!(" {} ", kind.title()),
    };
    clear(area, buffer);
    buffer.set_style(rect(area), theme.style(Role::Text));
    Block::bordered()
        .title(title)
        .border_style(theme.style(Role::FocusedBorder))
        .title_style(theme.style(Role::Title))
        .render(rect(area), buffer);
    let inner = inside(area);
    match overlay {
        Overlay::Help(picker)
        | Overlay::Palette(picker)
        | Overlay::Problems(picker)
        | Overlay::Marks(picker)
        | Overlay::Places(picker)
        | Overlay::Orders(picker)
        | Overlay::History(picker) => {
            draw_list(model, overlay, picker, theme, buffer, inner);
        }
        Overlay::Finding(form) => finding_view::draw(model, form, theme, buffer, inner),
        Overlay::Findings(cursor) => findings::draw(model, *cursor, theme, buffer, inner),
        Overlay::Guidelines(reader) => reader::draw(model, reader, theme, buffer, inner),
        Overlay::ConfirmQuit => draw_confirm(model, theme, buffer, inner),
        Overlay::Prompt {
            entry, error, kind, ..
        } => {
            let mut top = inner.y + 1;
            if *kind == PromptKind::Note {
                let lines = entry_lines(entry, inner.width).len();
                let most = inner.height.saturating_sub(2).max(1);
                let lines = u16::try_from(lines).unwrap_or(most).min(most);
                let place = Area {
                    height: lines,
                    ..inner
                };
                draw_entry_lines(entry, theme, buffer, place, true);
                top = inner.y + lines;
            } else {
                draw_entry(entry, theme, buffer, (inner.x, inner.y), inner.width);
            }
            let (note, role) = match error {
                Some(error) => (text::sanitize_line(error), Role::Error),
                None if *kind == PromptKind::Filter => filter_note(model, entry.text()),
                None => {
                    let keys = "Enter takes it, Esc goes back";
                    let purpose = kind.purpose();
                    let note = purpose.map(|purpose| format!("{purpose} · {keys}"));
                    (note.unwrap_or_else(|| keys.to_owned()), Role::Dim)
                }
            };
            let width = usize::from(inner.width);
            for (y, range) in
                (top..inner.y + inner.height).zip(long_text::wrapped(&note, width, 0, usize::MAX))
            {
                put(
                    buffer,
                    (inner.x, y),
                    inner.width,
                    &note[range],
                    theme.style(role),
                );
            }
        }
    }
}

/// The name of the guidelines' file, or whose page it is.
fn guidelines_title(model: &Model) -> String {
    match &model.guide.file {
        Some(file) => format!(" guidelines ── {} ", text::sanitize_line(file)),
        None => " guidelines ".to_owned(),
    }
}

/// Blanks what the box covers; also a wide character that it would cut in two at its left edge: half
/// of one cannot stand.
fn clear(area: Area, buffer: &mut Buffer) {
    for y in area.y..area.y + area.height {
        if let Some(x) = area.x.checked_sub(1)
            && let Some(cell) = buffer.cell_mut((x, y))
            && cell.symbol().width() > 1
        {
            cell.set_symbol(" ");
        }
    }
    Clear.render(rect(area), buffer);
}

/// What a filter finds, or what is wrong with it so far.
fn filter_note(model: &Model, typed: &str) -> (String, Role) {
    match Filter::read(typed) {
        Err(error) => (text::sanitize_line(&error), Role::Warning),
        Ok(_) => {
            let (shown, all) = (model.groups.visible().len(), model.groups.totals.groups);
            let note = format!("{shown} of {all} groups · Enter takes it, Esc goes back");
            (note, Role::Dim)
        }
    }
}

fn draw_list(
    model: &Model,
    overlay: &Overlay,
    picker: &super::Picker,
    theme: &Theme,
    buffer: &mut Buffer,
    area: Area,
) {
    let (top, list) = area.split_top(1);
    draw_entry(&picker.entry, theme, buffer, (top.x, top.y), top.width);
    if picker.entry.text().is_empty() {
        let style = theme.style(Role::Dim);
        put(
            buffer,
            (top.x + 2, top.y),
            top.width.saturating_sub(2),
            "type to search",
            style,
        );
    }
    let rows = rows(model, overlay);
    if rows.is_empty() {
        let nothing = "nothing found";
        put_line(buffer, list, nothing, theme.style(Role::Dim));
        return;
    }
    let window = usize::from(list.height);
    let cursor = picker.cursor.min(rows.len() - 1);
    let place = format!(" {} of {}", cursor + 1, rows.len());
    put_right(
        buffer,
        (top.x, top.y),
        top.width,
        &place,
        theme.style(Role::Dim),
    );
    let first = reveal(
        cursor.saturating_sub(window / 2),
        cursor,
        window,
        rows.len(),
    );
    let left = left_width(overlay, list.width);
    for (y, (place, row)) in (list.y..list.y + list.height).zip(rows.iter().enumerate().skip(first))
    {
        let role = if row.applies { Role::Text } else { Role::Dim };
        let key = if row.applies { Role::Key } else { Role::Dim };
        put(
            buffer,
            (list.x, y),
            left - 1,
            &text::cut_middle(&row.left, usize::from(left) - 1),
            theme.style(key),
        );
        let width = list.width.saturating_sub(left);
        let line = text::cut(&row.text, usize::from(width));
        let at = (list.x + left, y);
        put(buffer, at, width, &line, theme.style(role));
        if row.place.is_some() && matches!(overlay, Overlay::Places(_)) {
            compare::mark_found(model, theme, buffer, at, &line);
        }
        if place == cursor {
            paint(buffer, (list.x, y), list.width, theme.style(Role::Cursor));
        }
    }
}

fn draw_confirm(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    let count = model.saves.unsaved_changes();
    let changes = match count {
        1 => "1 judgement change".to_owned(),
        count => format!("{count} judgement changes"),
    };
    let reason = model.saves.failed.as_deref().unwrap_or("");
    let width = usize::from(area.width);
    let lines = [
        (format!("{changes} could not be stored:"), Role::Strong),
        (text::cut(reason, width), Role::Error),
        (String::new(), Role::Text),
        (
            "s try again   y leave without them   Esc stay".to_owned(),
            Role::Key,
        ),
    ];
    for (y, (line, role)) in (area.y..area.y + area.height).zip(&lines) {
        put(buffer, (area.x, y), area.width, line, theme.style(*role));
    }
}

/// Draws a line that is being typed, scrolled so that the cursor shows.
pub(super) fn draw_entry(
    entry: &Entry,
    theme: &Theme,
    buffer: &mut Buffer,
    at: (u16, u16),
    width: u16,
) {
    let (x, y) = at;
    put(buffer, at, width, "› ", theme.style(Role::Key));
    let room = usize::from(width.saturating_sub(3));
    let (nearby, typed_at) = entry.nearby();
    let (before, behind) = nearby.split_at(typed_at);
    let before = text::sanitize_line(before);
    let skip = before.width().saturating_sub(room);
    let shown: String = text::cells(&before, skip, room)
        .into_iter()
        .map(|c| c.symbol)
        .collect();
    let used = put(
        buffer,
        (x + 2, y),
        width.saturating_sub(2),
        &shown,
        theme.style(Role::Text),
    );
    if entry.is_selected() {
        let selected = theme.style(Role::Cursor);
        paint(
            buffer,
            (x + 2, y),
            used,
            selected.add_modifier(ratatui::style::Modifier::REVERSED),
        );
    }
    let left = width.saturating_sub(2 + used);
    let behind = if behind.is_empty() {
        " ".to_owned()
    } else {
        text::sanitize_line(behind)
    };
    put(
        buffer,
        (x + 2 + used, y),
        left,
        &behind,
        theme.style(Role::Text),
    );
    paint(
        buffer,
        (x + 2 + used, y),
        1,
        ratatui::style::Modifier::REVERSED.into(),
    );
}

/// The lines of a text that is being typed, wrapped; of a long one those around the cursor.
pub(super) fn entry_lines(entry: &Entry, width: u16) -> Vec<String> {
    laid_out(entry, width).0
}

/// The wrapped lines, and where the cursor is (line, cells before it).
fn laid_out(entry: &Entry, width: u16) -> (Vec<String>, (usize, usize)) {
    // One cell for "› ", one for a cursor behind the last character.
    let width = usize::from(width.saturating_sub(3)).max(1);
    let (text, typed_at) = entry.nearby();
    let before = &text[..typed_at];
    let (mut lines, mut cursor) = (Vec::new(), (0, 0));
    let mut start = 0;
    for line in text.split('\n') {
        let end = start + line.len();
        let shown = text::sanitize_line(line);
        let ranges = text::wrap(&shown, width);
        if (start..=end).contains(&before.len()) {
            let at = text::sanitize_line(&line[..before.len() - start]).len();
            let row = ranges.iter().rposition(|range| range.start <= at);
            let row = row.unwrap_or(0);
            let from = ranges.get(row).map_or(0, |range| range.start);
            let until = at.clamp(from, shown.len());
            cursor = (lines.len() + row, text::width(&shown[from..until]));
        }
        match ranges.is_empty() {
            true => lines.push(String::new()),
            false => lines.extend(ranges.into_iter().map(|range| shown[range].to_owned())),
        }
        start = end + 1;
    }
    (lines, cursor)
}

/// Draws a text of several lines that is being typed, scrolled so that the cursor shows.
pub(super) fn draw_entry_lines(
    entry: &Entry,
    theme: &Theme,
    buffer: &mut Buffer,
    area: Area,
    typing: bool,
) {
    let (lines, (line, column)) = laid_out(entry, area.width);
    let window = usize::from(area.height);
    let first = (line + 1).saturating_sub(window);
    let key = theme.style(Role::Key);
    for ((place, text), y) in lines
        .iter()
        .enumerate()
        .skip(first)
        .zip(area.y..area.y + area.height)
    {
        let mark = if place == 0 { "› " } else { "  " };
        put(buffer, (area.x, y), area.width, mark, key);
        let width = area.width.saturating_sub(2);
        put(
            buffer,
            (area.x + 2, y),
            width,
            text,
            theme.style(Role::Text),
        );
        if place == line && typing {
            let at = area.x
                + 2
                + u16::try_from(column)
                    .unwrap_or(0)
                    .min(width.saturating_sub(1));
            paint(
                buffer,
                (at, y),
                1,
                ratatui::style::Modifier::REVERSED.into(),
            );
        }
    }
}
