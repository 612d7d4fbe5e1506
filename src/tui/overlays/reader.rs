//! The guidelines over the screen: read, scrolled, searched.
//!
//! What is *not* here: the text ([`crate::tui::guidelines`]).

use ratatui::buffer::Buffer;

use super::{Entry, Overlay, view};
use crate::tui::area::Area;
use crate::tui::effect::Effect;
use crate::tui::key::{Code, Key};
use crate::tui::layout::inside;
use crate::tui::long_text::{self, LongText};
use crate::tui::model::{Model, Severity};
use crate::tui::query::Query;
use crate::tui::scroll::Position;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::put;
use crate::tui::widgets::text_lines;

/// Where the guidelines are read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reader {
    /// The first visible line.
    top: Position,
    /// What is searched for.
    query: Option<Query>,
    /// The search that is being typed.
    typing: Option<Entry>,
}

/// Handles a key.
pub(super) fn key(model: &mut Model, mut reader: Reader, key: Key) -> Vec<Effect> {
    let leaves = matches!(
        (key.code, key.ctrl),
        (Code::Esc, _) | (Code::Char('c'), true) | (Code::Char('q' | 'G'), false)
    );
    if reader.typing.is_some() {
        type_search(model, &mut reader, key);
    } else if leaves {
        return Vec::new();
    } else {
        // Where the box stands follows from what is open.
        model.overlay = Some(Overlay::Guidelines(reader.clone()));
        read_on(model, &mut reader, key);
    }
    model.overlay = Some(Overlay::Guidelines(reader));
    Vec::new()
}

/// Puts pasted text into the search that is being typed.
pub(super) fn paste(reader: &mut Reader, text: &str) {
    if let Some(entry) = &mut reader.typing {
        entry.insert(text);
    }
}

fn type_search(model: &mut Model, reader: &mut Reader, key: Key) {
    let Some(entry) = &mut reader.typing else {
        return;
    };
    match (key.code, key.ctrl) {
        (Code::Esc, _) | (Code::Char('c'), true) => reader.typing = None,
        (Code::Enter, _) => match Query::read(entry.text()) {
            Ok(query) => {
                reader.query = query;
                reader.typing = None;
                find(model, reader, true, true);
            }
            Err(error) => model.say(Severity::Warning, error.to_string()),
        },
        _ => drop(entry.key(key)),
    }
}

fn read_on(model: &mut Model, reader: &mut Reader, key: Key) {
    let Some(area) = text_area(model) else {
        return;
    };
    let text = model.guide.text.clone();
    let lines = LongText::of(&text);
    let (width, window) = (usize::from(area.width), usize::from(area.height));
    let height = |row| long_text::height(lines.line(&text, row), width);
    let (rows, page) = (lines.len(), window.saturating_sub(2).max(1));
    let top = reader.top;
    let to = match (key.code, key.ctrl) {
        (Code::Char('j'), false) | (Code::Down, _) => top.down(1, rows, height),
        (Code::Char('k'), false) | (Code::Up, _) => top.up(1, height),
        (Code::PageDown | Code::Char(' '), _) | (Code::Char('f'), true) => {
            top.down(page, rows, height)
        }
        (Code::PageUp, _) | (Code::Char('b'), true) => top.up(page, height),
        (Code::Char('d'), true) => top.down(page / 2, rows, height),
        (Code::Char('u'), true) => top.up(page / 2, height),
        (Code::Home | Code::Char('g'), _) => Position::default(),
        (Code::End | Code::Char('e'), false) => Position::at(rows),
        (Code::Char('/'), false) => {
            reader.typing = Some(Entry::default());
            top
        }
        (Code::Char('n'), _) => return find(model, reader, true, false),
        (Code::Char('N' | 'p'), _) => return find(model, reader, false, false),
        _ => top,
    };
    reader.top = to.clamp(window, rows, height);
}

/// Goes to the next line that holds what is searched for; `here` = the first one on screen counts.
fn find(model: &mut Model, reader: &mut Reader, forward: bool, here: bool) {
    let Some(query) = &reader.query else { return };
    let text = model.guide.text.clone();
    let lines = LongText::of(&text);
    let holds = |&row: &usize| query.is_in(&long_text::shown(lines.line(&text, row)));
    let hits: Vec<usize> = (0..lines.len()).filter(holds).collect();
    let top = reader.top.row;
    let hit = match (forward, here) {
        (true, true) => hits.iter().find(|&&row| row >= top).or(hits.first()),
        (true, false) => hits.iter().find(|&&row| row > top).or(hits.first()),
        (false, _) => hits.iter().rev().find(|&&row| row < top).or(hits.last()),
    };
    match hit {
        Some(&row) => reader.top = Position::at(row),
        None => {
            let said = format!("no line of the guidelines holds {}", query.typed());
            model.say(Severity::Info, said);
        }
    }
}

/// Where the text stands: the last line of the box tells the keys.
fn text_area(model: &Model) -> Option<Area> {
    let inner = inside(view::area(model)?);
    Some(Area {
        height: inner.height.saturating_sub(1),
        ..inner
    })
}

/// Draws text and keys into the box.
pub(super) fn draw(
    model: &Model,
    reader: &Reader,
    theme: &Theme,
    buffer: &mut Buffer,
    inner: Area,
) {
    let text = &model.guide.text;
    let lines = LongText::of(text);
    let find = |shown: &str| {
        let query = reader.query.as_ref();
        query.map_or(Vec::new(), |query| query.find(shown))
    };
    let bottom = inner.y + inner.height.saturating_sub(1);
    let (mut y, mut at) = (inner.y, reader.top);
    while y < bottom && at.row < lines.len() {
        let line = lines.line(text, at.row);
        let base = match line.starts_with('#') {
            true => Role::Title,
            false => Role::Text,
        };
        let styles = text_lines::Styles {
            base: theme.style(base),
            control: theme.style(Role::Control),
            found: theme.style(Role::Match),
        };
        let place = Area {
            y,
            height: bottom - y,
            ..inner
        };
        let drawn = text_lines::draw_found(buffer, place, line, at.line, &find, &styles);
        y += drawn.max(1);
        at = Position::at(at.row + 1);
    }
    if let Some(entry) = &reader.typing {
        view::draw_entry(entry, theme, buffer, (inner.x, bottom), inner.width);
        return;
    }
    let keys = match at.row < lines.len() {
        true => "j k scroll · / search · n N matches · Esc goes back · more below",
        false => "j k scroll · / search · n N matches · Esc goes back · end",
    };
    put(
        buffer,
        (inner.x, bottom),
        inner.width,
        keys,
        theme.style(Role::Dim),
    );
}
