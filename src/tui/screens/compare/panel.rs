//! What stands in place of the columns: which panel gets an action, and what panels share.

use ratatui::buffer::Buffer;

use super::candidates::letter;
use super::grid::Grid;
use super::reading::Go;
use super::state::Body;
use super::update::{layout, shown_order};
use super::{matrix, pairs, rankings, task, tests_panel};
use crate::domain::{Outcome, RolloutGroup, TrajectoryIndex};
use crate::tui::action::Action;
use crate::tui::area::Area;
use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put};
use crate::tui::widgets::ranking_strip;

/// Fits the positions of the open panel to what is shown.
pub fn settle(model: &mut Model, area: Area) {
    match model.compare.body {
        Body::Diff | Body::Pairs => {}
        Body::Rankings => rankings::settle(model, area),
        Body::Task => task::settle(model, area),
        Body::Matrix => matrix::settle(model, area),
        Body::Tests => tests_panel::settle(model, area),
    }
}

/// Scrolls the open panel, or moves its cursor.
pub fn scroll(model: &mut Model, area: Area, go: Go) {
    match model.compare.body {
        Body::Diff | Body::Pairs => {}
        Body::Rankings => rankings::scroll(model, go),
        Body::Task => task::scroll(model, area, go),
        Body::Matrix => matrix::scroll(model, go),
        Body::Tests => tests_panel::scroll(model, area, go),
    }
}

/// What an action means in the open panel; `None` when it means what it does on the rest of the
/// screen.
/// `digit` is the digit of the key that asked for it.
pub fn act(model: &mut Model, action: Action, digit: Option<usize>) -> Option<Vec<Effect>> {
    match model.compare.body {
        Body::Pairs => pairs::act(model, action),
        Body::Rankings => rankings::act(model, action, digit),
        Body::Diff => None,
        Body::Task => task::act(model, action),
        Body::Matrix => matrix::act(model, action),
        Body::Tests => tests_panel::act(model, action),
    }
}

/// Takes a click into the open panel.
pub fn click(model: &mut Model, (x, y): (u16, u16)) {
    let Some(area) = layout(model).panel.filter(|area| area.contains(x, y)) else {
        return;
    };
    match model.compare.body {
        Body::Diff | Body::Pairs | Body::Rankings | Body::Task => {}
        Body::Matrix => matrix::click(model, area, y),
        Body::Tests => tests_panel::click(model, area, y),
    }
}

/// Draws the open panel.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    match model.compare.body {
        Body::Diff | Body::Pairs => {}
        Body::Rankings => rankings::draw(model, theme, buffer, area),
        Body::Task => task::draw(model, theme, buffer, area),
        Body::Matrix => matrix::draw(model, theme, buffer, area),
        Body::Tests => tests_panel::draw(model, theme, buffer, area),
    }
}

/// The candidates of the group on screen, for a table with a column for each.
pub struct Candidates<'a> {
    /// In the order shown.
    pub order: Vec<TrajectoryIndex>,
    data: Option<&'a RolloutGroup>,
    focus: Option<TrajectoryIndex>,
}

impl<'a> Candidates<'a> {
    /// Those of the group on screen.
    #[must_use]
    pub fn of(model: &'a Model) -> Self {
        let session = model.session.as_ref().zip(model.compare.group);
        Self {
            order: shown_order(model),
            data: session.and_then(|(session, group)| session.group(group)),
            focus: model.compare.focus(),
        }
    }

    /// What the hidden tests said of one.
    #[must_use]
    pub fn outcome(&self, index: TrajectoryIndex) -> Outcome {
        let found = self.data.and_then(|data| data.trajectories.get(index));
        found.map_or(Outcome::Unscored, |found| found.outcome)
    }

    /// Those with an outcome, in the order shown.
    pub fn with(&self, outcome: Outcome) -> impl Iterator<Item = TrajectoryIndex> {
        let order = self.order.iter().copied();
        order.filter(move |&index| self.outcome(index) == outcome)
    }

    /// The focused one's place in the order.
    #[must_use]
    pub fn focus_place(&self) -> Option<usize> {
        self.order.iter().position(|&i| Some(i) == self.focus)
    }
}

/// Draws the heads of the candidates' columns: letter and outcome, the focused one marked.
pub fn column_heads(
    buffer: &mut Buffer,
    theme: &Theme,
    grid: &Grid,
    y: u16,
    candidates: &Candidates<'_>,
) {
    let order = candidates.order.iter().enumerate();
    for (place, &index) in order.skip(grid.first).take(grid.shown) {
        let glyph = ranking_strip::outcome(candidates.outcome(index));
        let glyph = glyph.split(' ').next().unwrap_or_default();
        let focused = Some(index) == candidates.focus;
        let role = if focused {
            Role::FocusedBorder
        } else {
            Role::Header
        };
        let said = format!("{} {glyph}", letter(index));
        let x = grid.column(place);
        let (x, width) = (x.saturating_sub(1), grid.cell);
        let mark = if focused { "▸" } else { " " };
        put(
            buffer,
            (x, y),
            width,
            &format!("{mark}{said}"),
            theme.style(role),
        );
    }
}

/// What a panel says while the group's texts are not there.
#[must_use]
pub fn not_open(model: &Model) -> String {
    match &model.open_failed {
        Some((group, reason)) if Some(*group) == model.compare.group => {
            format!("the texts cannot be read: {}", text::sanitize_line(reason))
        }
        _ => "opening the group …".to_owned(),
    }
}

/// Marks what is searched for in a line that stands at `at`.
pub fn mark_found(model: &Model, theme: &Theme, buffer: &mut Buffer, at: (u16, u16), line: &str) {
    let Some(query) = &model.compare.query else {
        return;
    };
    for range in query.find(line) {
        let column = |end| u16::try_from(text::width(&line[..end])).unwrap_or(u16::MAX);
        let (from, to) = (column(range.start), column(range.end));
        let style = theme.style(Role::Match);
        paint(buffer, (at.0.saturating_add(from), at.1), to - from, style);
    }
}
