//! Drawing the list of groups.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Block, Widget};
use unicode_width::UnicodeWidthStr;

use super::columns::{Column, Placed, place};
use super::rows::{Parts, cell, counts, preview};
use super::state::Layout;
use super::update::{first_row, layout};
use crate::domain::counted;
use crate::review::ReviewSession;
use crate::tui::action::Action;
use crate::tui::area::Area;
use crate::tui::blind;
use crate::tui::layout::inside;
use crate::tui::loading;
use crate::tui::model::Model;
use crate::tui::screens::schedule;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::view::rect;
use crate::tui::widgets::fitting::{Part, fitting};
use crate::tui::widgets::line::{paint, put, put_parts, put_right};

/// Cells of the cursor's mark before the first column.
pub const MARK: u16 = 2;

/// Draws the screen.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, _: Rect) {
    let layout = layout(model);
    draw_title(model, theme, buffer, layout.title);
    Block::bordered()
        .title(format!(" {} ", list_title(model)))
        .title_style(theme.style(Role::Title))
        .border_style(theme.style(Role::FocusedBorder))
        .render(rect(layout.list), buffer);
    match &model.session {
        None => draw_loading(model, theme, buffer, layout.rows),
        Some(_) if model.groups.visible().is_empty() => {
            draw_nothing(model, theme, buffer, layout.rows);
        }
        Some(session) => {
            draw_rows(model, session, theme, buffer, layout);
            if let Some(area) = layout.preview {
                draw_preview(model, session, theme, buffer, area);
            }
        }
    }
}

/// Columns from which the word before the estimator has room.
const ESTIMATOR_FROM: usize = 100;

fn draw_title(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    let dim = theme.style(Role::Dim);
    let right = match &model.session {
        Some(session) => schedule::in_short(session.settings()),
        None => loading_text(model),
    };
    // Some estimators are called like formats: the word says which of both it is.
    let has_room = usize::from(area.width) >= ESTIMATOR_FROM;
    let right = match &model.session {
        Some(_) if has_room => format!("estimator {right} "),
        _ => format!("{right} "),
    };
    let right_width = u16::try_from(right.width())
        .unwrap_or(u16::MAX)
        .min(area.width);
    put_right(buffer, (area.x, area.y), area.width, &right, dim);
    let name = [
        (" gagar ".to_owned(), theme.style(Role::Title)),
        (
            format!(" {} ", blind::title(model)),
            theme.style(Role::Text),
        ),
    ];
    let room = area.width.saturating_sub(right_width + 1);
    let used = put_parts(buffer, (area.x, area.y), room, &name);
    let Some(session) = &model.session else {
        return;
    };
    let mut parts = counts(session, &model.groups);
    let problems = session.set().problems.len() + model.groups.problems.len();
    if problems > 0 {
        let key = model.keymap.key_of(Action::Problems).unwrap_or_default();
        let word = if problems == 1 { "problem" } else { "problems" };
        let text = format!("{problems} {word}: {key}");
        parts.insert(0, Part::new(0, text, Role::Warning));
    }
    let parts = |width: u16| styled(&fitting(&parts, usize::from(width), Role::Dim), theme);
    if area.height > 1 {
        let width = area.width.saturating_sub(1);
        put_parts(buffer, (area.x + 1, area.y + 1), width, &parts(width));
    } else {
        let width = room.saturating_sub(used + 2);
        put_parts(buffer, (area.x + used + 2, area.y), width, &parts(width));
    }
}

/// How far loading is, and how long it may still take.
fn loading_text(model: &Model) -> String {
    let progress = model.progress;
    if model.load_failed.is_some() {
        return "loading failed".to_owned();
    }
    if progress.bytes_total == 0 {
        return "◐ looking for rollouts".to_owned();
    }
    let groups = counted(progress.groups, "group", "groups");
    format!("◐ loading {} · {groups}", loading::how_far(model))
}

fn list_title(model: &Model) -> String {
    let state = &model.groups;
    let arrow = if state.is_descending() { '▾' } else { '▴' };
    let mut title = if state.by_match {
        "Groups ── best match first".to_owned()
    } else if let Some(queue) = state.queue {
        format!("Groups ── queue: {queue}")
    } else {
        format!("Groups ── sort: {} {arrow}", state.sort.name())
    };
    let mut filters = Vec::new();
    if state.kept_only {
        filters.push("kept only".to_owned());
    }
    if !state.filter.is_empty() {
        filters.push(text::sanitize_line(state.filter.text()));
    }
    if !filters.is_empty() {
        title.push_str(&format!(" ── filter: {}", filters.join(" ")));
    }
    if !state.search.is_empty() {
        title.push_str(&format!(
            " ── search: {}",
            text::sanitize_line(&state.search)
        ));
    }
    title
}

fn draw_loading(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    let (line, role) = match &model.load_failed {
        Some(reason) => (text::sanitize_line(reason), Role::Error),
        None => (loading_text(model), Role::Dim),
    };
    put(
        buffer,
        (area.x + 1, area.y),
        area.width.saturating_sub(1),
        &line,
        theme.style(role),
    );
}

fn draw_nothing(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    let key = |action| model.keymap.key_of(action).unwrap_or_default();
    let told = model.session.as_ref().is_some_and(|session| {
        let set = session.set();
        !(set.problems.is_empty() && set.foreign.is_empty())
    });
    let line = if model.groups.totals.groups == 0 && !told {
        let follows = model.loading.follow.is_some();
        let waits = if follows {
            " yet; what comes is shown"
        } else {
            ""
        };
        format!("No file here holds a whole rollout{waits}.")
    } else if model.groups.totals.groups == 0 {
        format!(
            "No rollout group was found. {} tells why.",
            key(Action::Problems)
        )
    } else {
        format!("No group matches. {} shows all again.", key(Action::Back))
    };
    put(
        buffer,
        (area.x + 1, area.y),
        area.width.saturating_sub(1),
        &line,
        theme.style(Role::Dim),
    );
}

fn draw_rows(
    model: &Model,
    session: &ReviewSession,
    theme: &Theme,
    buffer: &mut Buffer,
    layout: Layout,
) {
    let width = layout.rows.width.saturating_sub(MARK);
    let table = place(width, model.groups.needs);
    for placed in &table.columns {
        let style = theme.style(Role::Header);
        let at = (layout.header.x + MARK + placed.x, layout.header.y);
        if placed.column.is_number() {
            put_right(buffer, at, placed.width, placed.column.header(), style);
        } else {
            put(buffer, at, placed.width, placed.column.header(), style);
        }
    }
    let first = first_row(model, layout);
    let cursor = model.groups.cursor();
    let rows = model.groups.visible().iter().enumerate().skip(first);
    for (y, (place, &group)) in (layout.rows.y..layout.rows.y + layout.rows.height).zip(rows) {
        if place == cursor {
            put(
                buffer,
                (layout.rows.x, y),
                MARK,
                "▸",
                theme.style(Role::Key),
            );
        }
        if session
            .rows()
            .get(group)
            .is_some_and(|row| row.flagged.is_some())
        {
            put(
                buffer,
                (layout.rows.x + 1, y),
                1,
                "*",
                theme.style(Role::Strong),
            );
        }
        for placed in &table.columns {
            let parts = cell(session, group, placed.column, &table);
            let at = (layout.rows.x + MARK + placed.x, y);
            draw_cell(buffer, at, placed, &parts, theme);
        }
        if place == cursor {
            paint(
                buffer,
                (layout.rows.x, y),
                layout.rows.width,
                theme.style(Role::Cursor),
            );
        }
    }
}

fn draw_cell(buffer: &mut Buffer, at: (u16, u16), placed: &Placed, parts: &Parts, theme: &Theme) {
    match parts.as_slice() {
        [(one, role)] if placed.column.is_number() => {
            put_right(buffer, at, placed.width, one, theme.style(*role));
        }
        [(one, role)] => {
            // Ids of one repository differ at their ends.
            let width = usize::from(placed.width);
            let line = match placed.column {
                Column::Task => text::cut_middle(one, width),
                _ => text::cut(one, width),
            };
            put(buffer, at, placed.width, &line, theme.style(*role));
        }
        _ => {
            put_parts(buffer, at, placed.width, &styled(parts, theme));
        }
    }
}

fn draw_preview(
    model: &Model,
    session: &ReviewSession,
    theme: &Theme,
    buffer: &mut Buffer,
    area: Area,
) {
    let Some(group) = model.groups.selected() else {
        return;
    };
    let name = session
        .group(group)
        .map(|group| group.id.as_str())
        .unwrap_or_default();
    let title = text::cut_middle(name, usize::from(area.width.saturating_sub(4)));
    Block::bordered()
        .title(format!(" {title} "))
        .title_style(theme.style(Role::Title))
        .border_style(theme.style(Role::Border))
        .render(rect(area), buffer);
    let inner = inside(area);
    let lines = preview(session, group, usize::from(inner.width));
    let height = usize::from(inner.height);
    let cut = lines.len() > height;
    for (y, parts) in (inner.y..inner.y + inner.height).zip(&lines) {
        put_parts(buffer, (inner.x, y), inner.width, &styled(parts, theme));
    }
    if cut && inner.height > 0 {
        let y = inner.y + inner.height - 1;
        let more = format!("⋯ {} more", lines.len() + 1 - height);
        paint(buffer, (inner.x, y), inner.width, Style::reset());
        put(
            buffer,
            (inner.x, y),
            inner.width,
            &" ".repeat(usize::from(inner.width)),
            Style::reset(),
        );
        put(
            buffer,
            (inner.x, y),
            inner.width,
            &more,
            theme.style(Role::Dim),
        );
    }
}

fn styled(parts: &Parts, theme: &Theme) -> Vec<(String, Style)> {
    parts
        .iter()
        .map(|(text, role)| (text.clone(), theme.style(*role)))
        .collect()
}
