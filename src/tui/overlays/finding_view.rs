//! Drawing the editor of one finding: a box at the bottom, so that the place above stays in sight.

use ratatui::buffer::Buffer;

use super::finding::{Form, Typing};
use super::view::{draw_entry, draw_entry_lines, entry_lines};
use crate::domain::rubric::Code;
use crate::review::Side;
use crate::tui::area::Area;
use crate::tui::model::Model;
use crate::tui::screens::compare::{Target, letter};
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put, put_parts};

/// Most lines of the note.
const MOST_NOTE: usize = 6;
/// Lines beside note and codes: place, severity, what the code means, keys.
const OTHERS: usize = 4;
/// Cells before the values.
const LABEL: u16 = 6;

/// Rows that the box needs inside, when it is `width` cells wide.
pub(super) fn height(model: &Model, form: &Form, width: u16) -> usize {
    let note = entry_lines(&form.note, width.saturating_sub(LABEL)).len();
    let grid = Grid::of(&model.guide.rubric.codes.iter().collect::<Vec<_>>(), width);
    OTHERS + note.clamp(1, MOST_NOTE) + grid.rows
}

/// Codes in columns, read downwards.
struct Grid {
    cell: u16,
    rows: usize,
}

impl Grid {
    fn of(codes: &[&Code], width: u16) -> Self {
        let widest = codes.iter().map(|code| text::width(&code.code));
        let widest = widest.max().unwrap_or(0).min(usize::from(width));
        let cell = u16::try_from(widest).unwrap_or(width).saturating_add(6);
        let columns = usize::from((width / cell.max(1)).max(1));
        Self {
            cell,
            rows: codes.len().div_ceil(columns).max(1),
        }
    }
}

/// Draws the editor into the box.
pub(super) fn draw(model: &Model, form: &Form, theme: &Theme, buffer: &mut Buffer, inner: Area) {
    let dim = theme.style(Role::Dim);
    let label = |buffer: &mut Buffer, y, word| put(buffer, (inner.x, y), LABEL, word, dim);
    let x = inner.x + LABEL;
    let width = inner.width.saturating_sub(LABEL);
    let mut y = inner.y;
    label(buffer, y, "at");
    let aim = match form.candidate {
        None => "a candidate that is gone".to_owned(),
        Some(_) if form.is_unplaced => "choose the place again".to_owned(),
        Some(candidate) => {
            let aim = form.aim().map(place).unwrap_or_default();
            format!("{aim} of {}", letter(candidate))
        }
    };
    put(
        buffer,
        (x, y),
        width,
        &text::cut(&aim, usize::from(width)),
        theme.style(Role::Strong),
    );
    y += 1;
    label(buffer, y, "how");
    put(
        buffer,
        (x, y),
        width,
        form.severity.word(),
        theme.style(Role::Strong),
    );
    y += 1;
    label(buffer, y, "note");
    let lines = entry_lines(&form.note, width).len().clamp(1, MOST_NOTE);
    let lines = u16::try_from(lines).unwrap_or(1);
    let place = Area {
        x,
        y,
        width,
        height: lines.min((inner.y + inner.height).saturating_sub(y)),
    };
    let typing = form.typing == Typing::Note;
    draw_entry_lines(&form.note, theme, buffer, place, typing);
    y += lines;
    label(buffer, y, "code");
    let rubric = &model.guide.rubric;
    match (&form.code, form.typing) {
        (_, Typing::Filter) => draw_entry(&form.filter, theme, buffer, (x, y), width),
        (None, _) => drop(put(buffer, (x, y), width, "none yet: press its key", dim)),
        (Some(code), _) => {
            let title = rubric.find(code).map(|code| code.title.as_str());
            let title = title.unwrap_or("the rubric does not know this code");
            let code = text::cut(code, usize::from(width));
            let title = text::cut(&format!("  {title}"), usize::from(width));
            let parts = [(code, theme.style(Role::Strong)), (title, dim)];
            put_parts(buffer, (x, y), width, &parts);
        }
    }
    y += 1;
    let bottom = (inner.y + inner.height).saturating_sub(1);
    codes(
        model,
        form,
        theme,
        buffer,
        Area {
            y,
            height: bottom.saturating_sub(y),
            ..inner
        },
    );
    let (said, role) = match &form.error {
        Some(error) => (text::sanitize_line(error), Role::Error),
        None => (keys(form), Role::Dim),
    };
    put(
        buffer,
        (inner.x, bottom),
        inner.width,
        &said,
        theme.style(role),
    );
}

fn codes(model: &Model, form: &Form, theme: &Theme, buffer: &mut Buffer, area: Area) {
    let codes = form.codes(&model.guide.rubric);
    if codes.is_empty() {
        let said = "no code holds this";
        put(
            buffer,
            (area.x, area.y),
            area.width,
            said,
            theme.style(Role::Dim),
        );
        return;
    }
    let grid = Grid::of(&codes, area.width);
    let chosen = |code: &Code| form.code.as_deref() == Some(code.code.as_str());
    let at = codes.iter().position(|code| chosen(code)).unwrap_or(0);
    let window = usize::from(area.height);
    // The chosen one is always in sight.
    let first = (at % grid.rows + 1).saturating_sub(window);
    for (place, code) in codes.iter().enumerate() {
        let (column, row) = (place / grid.rows, place % grid.rows);
        let column = u16::try_from(column).unwrap_or(u16::MAX);
        let x = area.x.saturating_add(column.saturating_mul(grid.cell));
        let visible = row.checked_sub(first).filter(|row| *row < window);
        let right = area.x + area.width;
        let Some(row) = visible.filter(|_| x < right) else {
            continue;
        };
        let y = area.y + u16::try_from(row).unwrap_or(0);
        let mark = if chosen(code) { "▸ " } else { "  " };
        let parts = [
            (mark.to_owned(), theme.style(Role::Key)),
            (code.key.to_string(), theme.style(Role::Key)),
            (
                format!(" {}", text::cut(&code.code, usize::from(area.width))),
                theme.style(Role::Text),
            ),
        ];
        let width = grid.cell.min(right - x);
        put_parts(buffer, (x, y), width, &parts);
        if chosen(code) {
            paint(
                buffer,
                (x, y),
                width.saturating_sub(1),
                theme.style(Role::Cursor),
            );
        }
    }
}

/// A place in words.
pub(super) fn place(target: &Target) -> String {
    let Some(file) = &target.file else {
        return target.word.to_owned();
    };
    let lines = match target.lines {
        None => String::new(),
        Some((first, last)) if first == last => format!(" line {first}"),
        Some((first, last)) => format!(" lines {first}–{last}"),
    };
    let side = match (target.side, target.lines) {
        (Some(Side::Old), Some(_)) => " of the base",
        _ => "",
    };
    format!("{}: {file}{lines}{side}", target.word)
}

fn keys(form: &Form) -> String {
    let done = match form.edited {
        Some(_) => "Enter changes it",
        None => "Enter adds it",
    };
    match form.typing {
        Typing::Keys => {
            format!("{done} · Tab place · Space severity · , note · Ctrl-o editor · / code")
        }
        Typing::Filter => "Enter or arrows choose · Esc shows all codes".to_owned(),
        Typing::Note => format!("{done} · Ctrl-o opens $EDITOR · Esc to the codes"),
    }
}
