//! What the mouse does on the steps screen.

use super::panels;
use super::state::Panel;
use super::update::{
    columns, focused, height, layout, settle, shown, text_width, transcript_of, update,
};
use crate::domain::StepKind;
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::message::MouseKind;
use crate::tui::model::Model;
use crate::tui::scroll::{Position, reveal};

/// Lines that one turn of the wheel scrolls.
const WHEEL: usize = 3;

/// First visible row of a list with its cursor in the middle where that can be.
#[must_use]
pub fn first_listed(cursor: usize, window: usize, rows: usize) -> usize {
    reveal(cursor.saturating_sub(window / 2), cursor, window, rows)
}

/// What the mouse does.
pub fn mouse(model: &mut Model, kind: MouseKind, x: u16, y: u16) -> Vec<Effect> {
    let layout = layout(model);
    if layout.list.contains(x, y) {
        let mut effects = on_list(model, kind, usize::from(y - layout.list.y));
        effects.extend(settle(model));
        return effects;
    }
    let keys = columns(model);
    let areas = layout.columns().iter();
    let Some((&key, _)) = keys.iter().zip(areas).find(|(_, area)| area.contains(x, y)) else {
        return Vec::new();
    };
    if kind == MouseKind::Down && Some(key) != shown(model) {
        return update(model, Action::OtherColumn);
    }
    let width = text_width(model, key);
    let Some((transcript, steps, at)) = transcript_of(model, key) else {
        return Vec::new();
    };
    let tall = |row| height(transcript, steps, row, width);
    let to = match kind {
        MouseKind::ScrollDown => at.down(WHEEL, transcript.len(), tall),
        MouseKind::ScrollUp => at.up(WHEEL, tall),
        MouseKind::Down | MouseKind::Drag | MouseKind::Up => return Vec::new(),
    };
    model.steps.positions.insert(key, to);
    settle(model)
}

/// What the mouse does in the list on the left, at a line of it.
fn on_list(model: &mut Model, kind: MouseKind, line: usize) -> Vec<Effect> {
    let window = usize::from(layout(model).list.height);
    let (Some(of), Some((transcript, _, at))) = (shown(model), focused(model)) else {
        return Vec::new();
    };
    match (model.steps.panel, kind) {
        (Panel::Steps, MouseKind::Down) => {
            let visible = transcript.visible();
            let step = transcript.step_at(at.row);
            let current = visible.partition_point(|&other| other < step);
            let row = first_listed(current, window, visible.len()) + line;
            if let Some(&step) = visible.get(row) {
                let to = Position::at(transcript.start(step));
                model.steps.positions.insert(of, to);
            }
            Vec::new()
        }
        (Panel::Steps, MouseKind::ScrollDown) => update(model, Action::NextStep),
        (Panel::Steps, MouseKind::ScrollUp) => update(model, Action::PreviousStep),
        (Panel::Hits, MouseKind::Down) => {
            let current = panels::current_hit(model, of).unwrap_or(0);
            let found = model.steps.hits(of).map(|hits| &hits.found);
            let row = found.and_then(|found| {
                // The first line says how many there are.
                let first = first_listed(current, window.saturating_sub(1), found.len());
                found.get((first + line).checked_sub(1)?)
            });
            if let Some((row, _)) = row.copied() {
                panels::go_to_hit(model, of, row);
            }
            Vec::new()
        }
        (Panel::Kinds(_), MouseKind::Down) => match line.checked_sub(1) {
            Some(kind) if kind < StepKind::ALL.len() => {
                model.steps.panel = Panel::Kinds(kind);
                update(model, Action::FoldStep)
            }
            _ => Vec::new(),
        },
        (Panel::Hits | Panel::Kinds(_), MouseKind::ScrollDown) => update(model, Action::Down),
        (Panel::Hits | Panel::Kinds(_), MouseKind::ScrollUp) => update(model, Action::Up),
        (_, MouseKind::Drag | MouseKind::Up) => Vec::new(),
    }
}
