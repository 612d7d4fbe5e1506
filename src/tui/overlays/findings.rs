//! The list of a group's findings: read, gone to, changed, removed.

use ratatui::buffer::Buffer;

use super::Overlay;
use super::finding::Form;
use crate::review::{Change, FoundBy, GroupFinding};
use crate::tui::action::Action;
use crate::tui::area::Area;
use crate::tui::effect::Effect;
use crate::tui::key::{Code, Key};
use crate::tui::model::{Model, Severity, Status};
use crate::tui::screens::compare::{self, letter};
use crate::tui::scroll::reveal;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::update::change;
use crate::tui::widgets::line::{paint, put};

/// Most lines for the chosen finding, whole.
const WHOLE: u16 = 5;

/// The findings of the open group.
fn all(model: &Model) -> Vec<GroupFinding<'_>> {
    let session = model.session.as_ref().zip(model.compare.group);
    session.map_or(Vec::new(), |(session, group)| session.findings(group))
}

/// By what the chosen finding is found again when the list changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// A person's, by its id.
    OfPerson(String),
    /// A grader's: who, the trajectory's true id, code, file, lines, words.
    OfGrader(Box<[String; 6]>),
}

fn known(model: &Model, found: &GroupFinding<'_>) -> Option<Chosen> {
    if let Some(id) = found.id {
        return Some(Chosen::OfPerson(id.to_owned()));
    }
    let (session, group) = model.session.as_ref().zip(model.compare.group)?;
    Some(Chosen::OfGrader(Box::new([
        compare::said(found),
        session.true_id(group, found.trajectory)?,
        found.code.to_owned(),
        found.file.unwrap_or_default().to_owned(),
        at(found),
        found.note.to_owned(),
    ])))
}

/// The finding that is chosen in the list, when that lies over the screen: to be called before the
/// data or the log changes.
#[must_use]
pub fn chosen(model: &Model) -> Option<Chosen> {
    let Some(Overlay::Findings(cursor)) = model.overlay else {
        return None;
    };
    all(model).get(cursor).and_then(|found| known(model, found))
}

/// Chooses that finding again where it stands now; closes the list when it is gone, so that no key
/// meant for it takes another one.
pub fn choose_again(model: &mut Model, chosen: Option<Chosen>) {
    let Some(chosen) = chosen.filter(|_| matches!(model.overlay, Some(Overlay::Findings(_))))
    else {
        return;
    };
    let is_it = |found: &GroupFinding<'_>| known(model, found).as_ref() == Some(&chosen);
    model.overlay = all(model).iter().position(is_it).map(Overlay::Findings);
    if model.overlay.is_none() {
        let said = "the finding that was chosen is not in the list any more";
        let said = match model.status.text.is_empty() {
            true => said.to_owned(),
            false => format!("{} · {said}", model.status.text),
        };
        model.say(Severity::Warning, said);
    }
}

/// Handles a key.
pub(super) fn key(model: &mut Model, cursor: usize, key: Key) -> Vec<Effect> {
    let count = all(model).len();
    let last = count.saturating_sub(1);
    let to = match (key.code, key.ctrl) {
        (Code::Esc | Code::Char('q'), _) | (Code::Char('c'), true) => return Vec::new(),
        (Code::Enter, _) => return go(model, cursor),
        (Code::Char('d') | Code::Delete, false) => return remove(model, cursor),
        (Code::Char('e'), false) => return edit(model, cursor),
        (Code::Char('j'), _) | (Code::Down, _) => (cursor + 1).min(last),
        (Code::Char('k'), _) | (Code::Up, _) => cursor.saturating_sub(1),
        (Code::Home | Code::Char('g'), _) => 0,
        (Code::End | Code::Char('G'), _) => last,
        (Code::PageDown, _) => (cursor + super::view::PAGE).min(last),
        (Code::PageUp, _) => cursor.saturating_sub(super::view::PAGE),
        _ => cursor,
    };
    model.overlay = Some(Overlay::Findings(to));
    Vec::new()
}

/// Goes to the place of a finding.
fn go(model: &mut Model, cursor: usize) -> Vec<Effect> {
    let found = all(model);
    let Some(found) = found.get(cursor) else {
        return Vec::new();
    };
    let said = compare::said(found);
    let (candidate, file) = (found.trajectory, found.file.map(str::to_owned));
    let (old, lines) = (found.is_old_side, found.lines);
    model.status = Status::default();
    let effects = compare::show_lines(model, candidate, file.as_deref(), old, lines);
    if model.status.text.is_empty() {
        model.say(Severity::Info, said);
    }
    effects
}

/// The id of a finding of one's own, else says why nothing is done.
fn own(model: &mut Model, cursor: usize) -> Option<String> {
    let found = all(model).get(cursor).copied();
    let id = found.filter(|found| found.by == FoundBy::You);
    let id = id.and_then(|found| found.id).map(str::to_owned);
    if id.is_none() {
        model.say(Severity::Info, "only your own findings can be changed");
        model.overlay = Some(Overlay::Findings(cursor));
    }
    id
}

fn remove(model: &mut Model, cursor: usize) -> Vec<Effect> {
    let mut effects = Vec::new();
    let Some((id, group)) = own(model, cursor).zip(model.compare.group) else {
        return effects;
    };
    let removed = change(model, group, Change::RemoveFinding(id), &mut effects);
    if let Some(key) = model.keymap.key_of(Action::Undo).filter(|_| removed) {
        let hint = format!("; {key} brings it back");
        model.status.text.push_str(&hint);
    }
    let left = all(model).len();
    if left > 0 {
        model.overlay = Some(Overlay::Findings(cursor.min(left - 1)));
    }
    effects
}

fn edit(model: &mut Model, cursor: usize) -> Vec<Effect> {
    let Some((id, group)) = own(model, cursor).zip(model.compare.group) else {
        return Vec::new();
    };
    if let Some(form) = Form::of(model, group, &id) {
        model.overlay = Some(Overlay::Finding(Box::new(form)));
    }
    Vec::new()
}

/// Draws the list and, below it, the chosen one whole.
pub(super) fn draw(model: &Model, cursor: usize, theme: &Theme, buffer: &mut Buffer, inner: Area) {
    let found = all(model);
    let bottom = (inner.y + inner.height).saturating_sub(1);
    let whole = WHOLE.min(inner.height / 3);
    let window = usize::from(inner.height.saturating_sub(whole + 2));
    let first = reveal(
        cursor.saturating_sub(window / 2),
        cursor,
        window,
        found.len(),
    );
    let visible = found.iter().enumerate().skip(first).take(window);
    for ((place, found), y) in visible.zip(inner.y..) {
        let mark = if place == cursor { "▸" } else { " " };
        let left = format!("{mark} {} {}", letter(found.trajectory), at(found));
        let half = inner.width * 2 / 5;
        let left = text::cut_middle(&left, usize::from(half).saturating_sub(1));
        put(buffer, (inner.x, y), half, &left, theme.style(Role::Key));
        let right = inner.width - half;
        let said = text::cut(&compare::said(found), usize::from(right));
        put(
            buffer,
            (inner.x + half, y),
            right,
            &said,
            theme.style(Role::Text),
        );
        if place == cursor {
            paint(buffer, (inner.x, y), inner.width, theme.style(Role::Cursor));
        }
    }
    if let Some(chosen) = found.get(cursor) {
        let lines = whole_lines(chosen, usize::from(inner.width));
        let top = bottom.saturating_sub(whole);
        for (line, y) in lines.iter().zip(top..bottom) {
            put(
                buffer,
                (inner.x, y),
                inner.width,
                line,
                theme.style(Role::Text),
            );
        }
    }
    let keys = "Enter goes there · e edits · d removes · Esc";
    let said = format!("{} of {} · {keys}", cursor + 1, found.len());
    put(
        buffer,
        (inner.x, bottom),
        inner.width,
        &said,
        theme.style(Role::Dim),
    );
}

/// Where a finding is.
fn at(found: &GroupFinding<'_>) -> String {
    let file = found.file.map(text::sanitize_line);
    let mut said = file.unwrap_or_else(|| "whole candidate".to_owned());
    if let Some((first, last)) = found.lines {
        let minus = if found.is_old_side { "−" } else { "" };
        said.push_str(&format!(":{minus}{first}"));
        if last > first {
            said.push_str(&format!("–{last}"));
        }
    }
    said
}

/// A finding with every line of its note, wrapped.
fn whole_lines(found: &GroupFinding<'_>, width: usize) -> Vec<String> {
    let head = GroupFinding { note: "", ..*found };
    let mut lines = vec![format!("{} at {}", compare::said(&head), at(found))];
    // More of them than has room is not laid out.
    let most = usize::from(WHOLE);
    let of_note = found.note.lines().take(most);
    lines.extend(of_note.map(|line| text::cut(line, width.max(1) * most)));
    let wrapped = lines.iter().flat_map(|line| {
        let ranges = text::wrap(line, width.max(1));
        ranges.into_iter().map(|range| line[range].to_owned())
    });
    wrapped.collect()
}
