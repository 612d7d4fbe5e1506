//! The task's text, in place of the patches.

use ratatui::buffer::Buffer;

use super::reading::Go;
use super::search;
use super::state::Body;
use super::update::opened;
use crate::tui::action::Action;
use crate::tui::area::Area;
use crate::tui::effect::Effect;
use crate::tui::long_text::{self, LongText};
use crate::tui::model::Model;
use crate::tui::scroll::Position;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put_line};
use crate::tui::widgets::text_lines;

/// Fits the scroll position to what is shown.
pub fn settle(model: &mut Model, area: Area) {
    let Some(opened) = opened(model) else { return };
    let Some(text) = opened.content.task.text.as_deref() else {
        return;
    };
    let lines = LongText::of(text);
    let width = usize::from(area.width);
    let window = usize::from(area.height.saturating_sub(1));
    model.compare.task_at = model.compare.task_at.clamp(window, lines.len(), |line| {
        long_text::height(lines.line(text, line), width)
    });
}

/// Scrolls the text.
pub fn scroll(model: &mut Model, area: Area, go: Go) {
    let Some(opened) = opened(model) else { return };
    let Some(text) = opened.content.task.text.as_deref() else {
        return;
    };
    let lines = LongText::of(text);
    let width = usize::from(area.width);
    let height = |line| long_text::height(lines.line(text, line), width);
    model.compare.task_at = go.from(model.compare.task_at, lines.len(), height);
}

/// What an action means here: the issue text alone is searched.
pub fn act(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    let reference = opened(model).is_some_and(|opened| opened.reference.is_some());
    match action {
        // The reference has a column beside the candidates, so they come back.
        Action::Reference if reference && !model.compare.reference => {
            model.compare.body = Body::Diff;
            None
        }
        _ => None,
    }
}

/// Goes to the next line that holds what is searched for; `here` = the first line on screen counts.
pub fn find(model: &mut Model, forward: bool, here: bool) {
    let Some(opened) = opened(model).cloned() else {
        return;
    };
    let text = opened.content.task.text.as_deref().unwrap_or_default();
    let Some(query) = search::query(model) else {
        return;
    };
    let lines = LongText::of(text);
    let holds = |&row: &usize| query.is_in(&long_text::shown(lines.line(text, row)));
    let hits: Vec<_> = (0..lines.len()).filter(holds).collect();
    let top = model.compare.task_at.row;
    if let Some(row) = search::pick_line(
        model,
        &query,
        &hits,
        top,
        (forward, here),
        "no line of the task",
    ) {
        model.compare.task_at = Position::at(row);
    }
}

/// Draws the text into `area`.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    let (head, body) = area.split_top(1);
    let header = theme.style(Role::Header);
    paint(buffer, (head.x, head.y), head.width, header);
    put_line(buffer, head, &title(model), header);
    let Some(opened) = opened(model) else {
        put_line(buffer, body, "opening the task …", theme.style(Role::Dim));
        return;
    };
    let Some(task) = opened.content.task.text.as_deref() else {
        let said = "no task text is recorded";
        put_line(buffer, body, said, theme.style(Role::Dim));
        return;
    };
    let styles = text_lines::Styles {
        base: theme.style(Role::Text),
        control: theme.style(Role::Control),
        found: theme.style(Role::Match),
    };
    let find = |shown: &str| {
        let query = model.compare.query.as_ref();
        query.map_or(Vec::new(), |query| query.find(shown))
    };
    let lines = LongText::of(task);
    let bottom = body.y + body.height;
    let mut at = model.compare.task_at;
    let mut y = body.y;
    while y < bottom && at.row < lines.len() {
        let place = Area {
            y,
            height: bottom - y,
            ..body
        };
        let line = lines.line(task, at.row);
        let drawn = text_lines::draw_found(buffer, place, line, at.line, &find, &styles);
        y += drawn.max(1);
        at = Position::at(at.row + 1);
    }
}

/// What stands above the text: also whether there is a reference patch to read beside it.
fn title(model: &Model) -> String {
    let reference = opened(model).map(|opened| opened.reference.is_some());
    let key = model.keymap.key_of(Action::Reference);
    match (reference, key) {
        (Some(true), Some(key)) => format!("task · {key} shows the reference patch"),
        (Some(true), None) => "task · there is a reference patch".to_owned(),
        (Some(false), _) => "task · no reference patch is recorded".to_owned(),
        (None, _) => "task".to_owned(),
    }
}
