//! Drawing the tests panel: the tests that are seen, and all of the one under the cursor.

use ratatui::buffer::Buffer;

use super::table::{Section, Table, is_failure};
use super::{DETAIL, chosen, grid, log, table, window};
use crate::domain::{TestResult, TestStatus, TrajectoryIndex};
use crate::tui::area::Area;
use crate::tui::long_text;
use crate::tui::model::Model;
use crate::tui::screens::compare::candidates::letter;
use crate::tui::screens::compare::grid::Grid;
use crate::tui::screens::compare::panel::{Candidates, column_heads, mark_found, not_open};
use crate::tui::screens::compare::update::opened;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put};
use crate::tui::widgets::ranking_strip;

/// Draws the panel into `area`.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    if model.compare.tests.log.is_some() {
        log::draw(model, theme, buffer, area);
        return;
    }
    let header = theme.style(Role::Header);
    paint(buffer, (area.x, area.y), area.width, header);
    let Some(table) = table(model) else {
        let said = not_open(model);
        let style = theme.style(Role::Dim);
        put(buffer, (area.x, area.y + 1), area.width, &said, style);
        return;
    };
    let page = Page {
        model,
        theme,
        table,
        shown: Candidates::of(model),
        area,
    };
    if table.has_no_result() {
        page.counts_only(buffer);
    } else {
        page.results(buffer);
    }
}

/// Glyph of a status: a sign or a letter, never colour alone.
fn glyph(status: TestStatus) -> (&'static str, Role) {
    match status {
        TestStatus::Pass => ("✓", Role::Pass),
        TestStatus::Fail => ("✗", Role::Fail),
        TestStatus::Error => ("E", Role::Error),
        TestStatus::Skip => ("S", Role::Dim),
        TestStatus::Unknown => ("?", Role::Unscored),
    }
}

/// Word of a status.
fn word(status: TestStatus) -> &'static str {
    match status {
        TestStatus::Pass => "passed",
        TestStatus::Fail => "failed",
        TestStatus::Error => "error",
        TestStatus::Skip => "skipped",
        TestStatus::Unknown => "status unknown",
    }
}

struct Page<'a> {
    model: &'a Model,
    theme: &'a Theme,
    table: &'a Table,
    shown: Candidates<'a>,
    area: Area,
}

impl Page<'_> {
    fn results(&self, buffer: &mut Buffer) {
        let (area, table) = (self.area, self.table);
        let grid = grid(self.model, table, area, &self.shown.order);
        let count = table.rows.len();
        let mut title = format!("{count} {}", if count == 1 { "test" } else { "tests" });
        if let Some(hidden) = grid.hidden(self.shown.order.len()) {
            title.push_str(&format!("  {hidden}"));
        }
        let header = self.theme.style(Role::Header);
        put(buffer, (area.x, area.y), grid.name, &title, header);
        column_heads(buffer, self.theme, &grid, area.y, &self.shown);
        let first = self.model.compare.tests.at.first;
        let lines = count + table.sections.len();
        let bottom = area.y + 1 + u16::try_from(window(area)).unwrap_or(u16::MAX);
        for (y, line) in (area.y + 1..bottom).zip(first..lines) {
            self.line(buffer, &grid, line, y);
        }
        self.detail(buffer, bottom);
    }

    /// Line `line` of the table: a heading, or a test.
    fn line(&self, buffer: &mut Buffer, grid: &Grid, line: usize, y: u16) {
        let sections = &self.table.sections;
        // The heading of section `n` stands on line `first + n`.
        let nth = (0..sections.len())
            .rev()
            .find(|&nth| sections[nth].first + nth <= line);
        let Some(nth) = nth else { return };
        let section = &sections[nth];
        match line - (section.first + nth) {
            0 => self.heading(buffer, grid, section, y),
            within => self.test(buffer, grid, section.first + within - 1, y),
        }
    }

    fn heading(&self, buffer: &mut Buffer, grid: &Grid, section: &Section, y: u16) {
        let style = self.theme.style(Role::Title);
        let mut said = format!(
            "{} · {} · {} differ",
            section.purpose.words(),
            section.count,
            section.differing
        );
        // Of the others it is unknown.
        let all = section.passed.len();
        if !self.table.without.is_empty() {
            let recorded = all.saturating_sub(self.table.without.len());
            said.push_str(&format!(" ({recorded}/{all} known)"));
        }
        put(buffer, (self.area.x, y), grid.name, &said, style);
        let style = self.theme.style(Role::Info);
        for (place, index) in self.columns(grid) {
            if self.table.without.contains(&index) {
                continue;
            }
            let passed = section.passed.get(index).copied().unwrap_or(0);
            let said = format!("{passed}/{}", section.count);
            put(buffer, (grid.column(place), y), grid.cell - 1, &said, style);
        }
    }

    fn test(&self, buffer: &mut Buffer, grid: &Grid, row: usize, y: u16) {
        let Some(test) = self.table.rows.get(row) else {
            return;
        };
        let x = self.area.x;
        let at_cursor = row == self.model.compare.tests.at.cursor;
        let mark = if test.differs { "≠" } else { " " };
        put(buffer, (x + 1, y), 1, mark, self.theme.style(Role::Warning));
        let width = grid.name.saturating_sub(3);
        let name = text::cut_middle(&name_of(&test.name, test.nth), usize::from(width));
        put(
            buffer,
            (x + 2, y),
            width,
            &name,
            self.theme.style(Role::Text),
        );
        mark_found(self.model, self.theme, buffer, (x + 2, y), &name);
        for (place, index) in self.columns(grid) {
            let cell = test.cells.get(index).and_then(Option::as_ref);
            let (glyph, role) = cell.map_or(("·", Role::Dim), |cell| glyph(cell.status));
            let at = (grid.column(place), y);
            put(buffer, at, grid.cell - 1, glyph, self.theme.style(role));
        }
        if at_cursor {
            let style = self.theme.style(Role::Cursor);
            paint(buffer, (x, y), self.area.width, style);
            put(buffer, (x, y), 1, "▸", style);
            if let Some(focus) = self.shown.focus_place() {
                let style = self.theme.style(Role::FocusedBorder);
                paint(buffer, (grid.column(focus), y), grid.cell - 1, style);
            }
        }
    }

    fn columns(&self, grid: &Grid) -> impl Iterator<Item = (usize, TrajectoryIndex)> {
        let order = self.shown.order.iter().copied().enumerate();
        order.skip(grid.first).take(grid.shown)
    }

    /// Name, the focused candidate's result and what its run said, at the bottom.
    fn detail(&self, buffer: &mut Buffer, top: u16) {
        let bottom = (self.area.y + self.area.height).min(top + DETAIL);
        let (x, width) = (self.area.x, self.area.width);
        if top < bottom {
            paint(buffer, (x, top), width, self.theme.style(Role::Border));
            let line = "─".repeat(usize::from(width));
            put(
                buffer,
                (x, top),
                width,
                &line,
                self.theme.style(Role::Border),
            );
        }
        let mut y = top + 1;
        let Some(row) = chosen(self.model) else {
            return;
        };
        let name = text::sanitize_line(&name_of(&row.name, row.nth));
        let said = self.result();
        // The result has the last line; a long name takes those before it.
        let lines = usize::from(bottom.saturating_sub(y + 1)).max(1);
        let parts = long_text::wrapped(&name, usize::from(width), 0, lines);
        for range in parts {
            put(
                buffer,
                (x, y),
                width,
                &name[range],
                self.theme.style(Role::Strong),
            );
            y += 1;
        }
        if y < bottom {
            let (said, role) = said;
            put(buffer, (x, y), width, &said, self.theme.style(role));
        }
    }

    /// What the focused candidate's run said of the test under the cursor.
    fn result(&self) -> (String, Role) {
        let (Some(focus), Some(row)) = (self.model.compare.focus(), chosen(self.model)) else {
            return (String::new(), Role::Text);
        };
        let candidate = letter(focus);
        if self.table.without.contains(&focus) {
            let counts = self.counts(focus).unwrap_or("no count either".to_owned());
            let said = format!("{candidate}: no result per test is recorded · {counts}");
            return (said, Role::Dim);
        }
        let Some(cell) = row.cells.get(focus).and_then(Option::as_ref) else {
            return (
                format!("{candidate}: · no result of this test is recorded"),
                Role::Dim,
            );
        };
        let role = if is_failure(cell.status) {
            Role::Fail
        } else {
            Role::Text
        };
        let message = self.message(focus, cell.result);
        let message = message.map(|message| format!(" · {}", text::sanitize_line(message)));
        let said = format!(
            "{candidate}: {}{}",
            word(cell.status),
            message.unwrap_or_default()
        );
        (said, role)
    }

    fn message(&self, candidate: TrajectoryIndex, result: usize) -> Option<&str> {
        let texts = opened(self.model)?.content.trajectories.get(candidate)?;
        let found: &TestResult = texts.tests.get(result)?;
        found
            .message
            .as_deref()
            .filter(|message| !message.is_empty())
    }

    /// The counts of a candidate's tests, when they are recorded.
    fn counts(&self, candidate: TrajectoryIndex) -> Option<String> {
        let session = self.model.session.as_ref()?;
        let group = session.group(self.model.compare.group?)?;
        let counts = group.trajectories.get(candidate)?.tests?;
        Some(format!(
            "{} passed, {} failed",
            counts.passed, counts.failed
        ))
    }

    /// What stands here when no candidate has a result per test.
    fn counts_only(&self, buffer: &mut Buffer) {
        let (x, width) = (self.area.x, self.area.width);
        let header = self.theme.style(Role::Header);
        put(buffer, (x, self.area.y), width, "tests", header);
        let named = self.table.rows.len();
        let mut lines = vec!["No result per test is recorded for this group.".to_owned()];
        if named > 0 {
            lines.push(format!("The task names {named} tests."));
        }
        let counts = self.shown.order.iter().map(|&index| {
            let verdict = ranking_strip::outcome(self.shown.outcome(index));
            let counts = self
                .counts(index)
                .unwrap_or("no counts recorded".to_owned());
            format!("{:<3} {verdict:<10} {counts}", letter(index))
        });
        lines.extend(counts);
        let bottom = self.area.y + self.area.height;
        for (y, line) in (self.area.y + 1..bottom).zip(&lines) {
            put(buffer, (x, y), width, line, self.theme.style(Role::Text));
        }
    }
}

/// A test's name; a further result of the same name has its number behind it.
fn name_of(name: &str, nth: usize) -> String {
    match nth {
        0 => name.to_owned(),
        nth => format!("{name} (result {})", nth + 1),
    }
}
