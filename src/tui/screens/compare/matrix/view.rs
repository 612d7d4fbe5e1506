//! Drawing the file matrix: the rows that are seen, nothing else.

use ratatui::buffer::Buffer;

use super::table::{Cell, Row};
use super::{grid, reference_width, same_word, table, window};
use crate::domain::{Outcome, TrajectoryIndex};
use crate::tui::area::Area;
use crate::tui::model::Model;
use crate::tui::screens::compare::candidates::letter;
use crate::tui::screens::compare::grid::Grid;
use crate::tui::screens::compare::panel::{Candidates, column_heads};
use crate::tui::screens::compare::update::opened;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put, put_line};

/// Draws the matrix into `area`.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    let (head, body) = area.split_top(1);
    let header = theme.style(Role::Header);
    paint(buffer, (head.x, head.y), head.width, header);
    let Some(table) = table(model) else {
        let said = super::super::panel::not_open(model);
        put_line(buffer, body, &said, theme.style(Role::Dim));
        return;
    };
    let shown = Candidates::of(model);
    let counted = opened(model).and_then(|opened| opened.on_base());
    let counted = counted.map(|on_base| on_base.consensus.counted().to_vec());
    let once = counted.is_some();
    let passing = counted.unwrap_or_else(|| shown.with(Outcome::Pass).collect());
    let grid = grid(model, table, area, &shown.order);
    let count = table.rows.len();
    let files = if count == 1 { "file" } else { "files" };
    let mut title = format!("{count} {files}");
    if let Some(hidden) = grid.hidden(shown.order.len()) {
        title.push_str(&format!("  {hidden}"));
    }
    put(buffer, (head.x, head.y), grid.name, &title, header);
    column_heads(buffer, theme, &grid, head.y, &shown);
    let reference = reference_width(model, table, area, shown.order.len());
    if grid.tail > 0 {
        let word = if reference > 0 { "reference" } else { "" };
        // Of candidates with the same result the first one counts for all.
        let once = match once && passing.len() < shown.with(Outcome::Pass).count() {
            true => "   = once",
            false => "",
        };
        let words = format!("{word:reference$}pass  all{once}");
        put(buffer, (grid.tail_at(), head.y), grid.tail, &words, header);
    }
    if table.rows.is_empty() {
        let said = "no candidate touches a file";
        put_line(buffer, body, said, theme.style(Role::Dim));
    }
    let state = &model.compare.matrix;
    let rows = table
        .rows
        .iter()
        .enumerate()
        .skip(state.first)
        .take(window(area));
    for ((place, row), y) in rows.zip(body.y..) {
        let line = Line {
            model,
            theme,
            grid: &grid,
            shown: &shown,
            passing: &passing,
            y,
            reference,
        };
        line.draw(buffer, row);
        if place == state.cursor {
            paint(buffer, (area.x, y), area.width, theme.style(Role::Cursor));
            put(buffer, (area.x, y), 1, "▸", theme.style(Role::Cursor));
            if let Some(focus) = shown.focus_place() {
                let at = (grid.column(focus), y);
                let style = theme.style(Role::FocusedBorder);
                paint(buffer, at, grid.cell.saturating_sub(1), style);
            }
        }
    }
}

struct Line<'a> {
    model: &'a Model,
    theme: &'a Theme,
    grid: &'a Grid,
    shown: &'a Candidates<'a>,
    /// The passing candidates that count: of equal results the first one, once they are known.
    passing: &'a [TrajectoryIndex],
    y: u16,
    /// Cells of the reference's column, the gap included; 0 = it has none.
    reference: usize,
}

impl Line<'_> {
    fn draw(&self, buffer: &mut Buffer, row: &Row) {
        let grid = self.grid;
        let passing = row.touched_by(self.passing.iter().copied());
        let all = row.touched_by(self.shown.order.iter().copied());
        let rare = self.rare(row, passing, all);
        let role = if rare.is_empty() {
            Role::Text
        } else {
            Role::Warning
        };
        let path = text::sanitize_line(&row.path);
        let width = grid.name.saturating_sub(1);
        let path = text::cut_start(&path, usize::from(width));
        let style = self.theme.style(role);
        put(buffer, (grid.x + 1, self.y), width, &path, style);
        super::super::panel::mark_found(
            self.model,
            self.theme,
            buffer,
            (grid.x + 1, self.y),
            &path,
        );
        let seen = self.shown.order.iter().enumerate();
        for (place, &index) in seen.skip(grid.first).take(grid.shown) {
            let at = (grid.column(place), self.y);
            let cell = row.cells.get(index).and_then(Option::as_ref);
            self.cell(buffer, at, grid.cell.saturating_sub(1), cell);
        }
        if grid.tail == 0 {
            return;
        }
        let mut x = grid.tail_at();
        if self.reference > 0 {
            let width = u16::try_from(self.reference).unwrap_or(u16::MAX);
            self.cell(
                buffer,
                (x, self.y),
                width.saturating_sub(1),
                row.reference.as_ref(),
            );
            x += width;
        }
        let of_passing = format!("{passing}/{}", self.passing.len());
        let of_all = format!("{all}/{}", self.shown.order.len());
        let words = format!("{of_passing:<5} {of_all:<5} {rare}");
        let left = (grid.tail_at() + grid.tail).saturating_sub(x);
        put(buffer, (x, self.y), left, &words, style);
    }

    fn cell(&self, buffer: &mut Buffer, at: (u16, u16), width: u16, cell: Option<&Cell>) {
        let Some(cell) = cell else {
            put(buffer, at, width, "·", self.theme.style(Role::Dim));
            return;
        };
        let role = if cell.mark().is_some() {
            Role::Strong
        } else {
            Role::Text
        };
        let used = put(buffer, at, width, &cell.words(), self.theme.style(role));
        if let Some(other) = cell.same_as {
            let at = (at.0 + used, at.1);
            put(
                buffer,
                at,
                width - used,
                &same_word(other),
                self.theme.style(Role::Dim),
            );
        }
    }

    /// A word on a file that few touch.
    fn rare(&self, row: &Row, passing: usize, all: usize) -> String {
        let many = self.shown.order.len() > 2;
        match (row.only(), passing) {
            (None, 0) if all == 0 => "nobody".to_owned(),
            (Some(only), _) if many => format!("only {}", letter(only)),
            (_, 0) if self.shown.with(Outcome::Pass).next().is_some() => "no pass".to_owned(),
            _ => String::new(),
        }
    }
}
