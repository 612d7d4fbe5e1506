//! The log of a candidate's test run, in place of the table: where it opens, how it scrolls.

use std::sync::Arc;

use ratatui::buffer::Buffer;

use super::naming::Naming;
use crate::domain::TrajectoryIndex;
use crate::tui::area::Area;
use crate::tui::long_text::{self, LongText};
use crate::tui::model::Model;
use crate::tui::screens::compare::candidates::letter;
use crate::tui::screens::compare::reading::Go;
use crate::tui::screens::compare::search;
use crate::tui::screens::compare::update::opened;
use crate::tui::scroll::Position;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::line::{paint, put_line, put_right};
use crate::tui::widgets::text_lines;

/// An open log.
#[derive(Debug, Clone)]
pub struct Log {
    /// Whose.
    pub candidate: TrajectoryIndex,
    lines: Arc<LongText>,
    at: Position,
    /// The line that names the test it was opened for.
    named: Option<usize>,
}

/// Words next to a test's name that begin what a runner says about a failure.
const FAILURES: [&str; 8] = [
    "FAIL", "ERROR", "Error", "failed", "panicked", "____", "----", "●",
];

impl Log {
    /// Opens a log at the part that tells of a test's failure, else where the test is named first,
    /// else at its top.
    #[must_use]
    pub fn open(candidate: TrajectoryIndex, text: &str, name: &str, naming: &Naming) -> Self {
        let lines = LongText::of(text);
        let names = |row: &usize| {
            let line = long_text::shown(lines.line(text, *row));
            line.contains(name) || naming.is_in(&line)
        };
        let named: Vec<_> = (0..lines.len()).filter(names).collect();
        let tells = |row: &&usize| {
            let line = lines.line(text, **row);
            FAILURES.iter().any(|word| line.contains(word))
        };
        let row = named.iter().find(tells).or(named.first()).copied();
        Self {
            candidate,
            lines: Arc::new(lines),
            at: Position::at(row.map_or(0, |row| row.saturating_sub(1))),
            named: row,
        }
    }

    /// Whether the log names the test.
    #[must_use]
    pub fn names_test(&self) -> bool {
        self.named.is_some()
    }
}

/// The open log with its text.
fn shown(model: &Model) -> Option<(&Log, &str)> {
    let log = model.compare.tests.log.as_ref()?;
    let texts = opened(model)?.content.trajectories.get(log.candidate)?;
    Some((log, texts.test_log.as_deref()?))
}

/// Fits the position to what is shown.
pub fn settle(model: &mut Model, area: Area) {
    let (width, window) = (usize::from(area.width), area.height.saturating_sub(1));
    let Some((log, text)) = shown(model) else {
        return;
    };
    let height = |row| long_text::height(log.lines.line(text, row), width);
    let at = log.at.clamp(usize::from(window), log.lines.len(), height);
    if let Some(log) = &mut model.compare.tests.log {
        log.at = at;
    }
}

/// Scrolls.
pub fn scroll(model: &mut Model, area: Area, go: Go) {
    let width = usize::from(area.width);
    let Some((log, text)) = shown(model) else {
        return;
    };
    let height = |row| long_text::height(log.lines.line(text, row), width);
    let at = go.from(log.at, log.lines.len(), height);
    if let Some(log) = &mut model.compare.tests.log {
        log.at = at;
    }
}

/// Goes to the next line that holds what is searched for.
pub fn find(model: &mut Model, forward: bool, here: bool) {
    let Some(query) = search::query(model) else {
        return;
    };
    let Some((log, text)) = shown(model) else {
        return;
    };
    let holds = |&row: &usize| query.is_in(&long_text::shown(log.lines.line(text, row)));
    let hits: Vec<_> = (0..log.lines.len()).filter(holds).collect();
    let (top, what) = (log.at.row, "no line of the log");
    let row = search::pick_line(model, &query, &hits, top, (forward, here), what);
    if let (Some(row), Some(log)) = (row, &mut model.compare.tests.log) {
        log.at = Position::at(row);
    }
}

/// Draws the log into `area`.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area) {
    let Some((log, text)) = shown(model) else {
        return;
    };
    let (head, body) = area.split_top(1);
    let header = theme.style(Role::Header);
    paint(buffer, (head.x, head.y), head.width, header);
    let said = format!("log of the test run of {}", letter(log.candidate));
    put_line(buffer, head, &said, header);
    let count = log.lines.len();
    let place = format!("{}/{count}", (log.at.row + 1).min(count));
    put_right(buffer, (head.x, head.y), head.width, &place, header);
    let styles = |named: bool| text_lines::Styles {
        base: theme.style(if named { Role::Strong } else { Role::Text }),
        control: theme.style(Role::Control),
        found: theme.style(Role::Match),
    };
    let find = |shown: &str| {
        let query = model.compare.query.as_ref();
        query.map_or(Vec::new(), |query| query.find(shown))
    };
    let bottom = body.y + body.height;
    let (mut at, mut y) = (log.at, body.y);
    while y < bottom && at.row < count {
        let place = Area {
            y,
            height: bottom - y,
            ..body
        };
        let line = log.lines.line(text, at.row);
        let styles = styles(log.named == Some(at.row));
        let drawn = text_lines::draw_found(buffer, place, line, at.line, &find, &styles);
        y += drawn.max(1);
        at = Position::at(at.row + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::naming;
    use super::*;

    #[test]
    fn a_log_opens_where_it_tells_of_the_failure() {
        let text = "test_a ... ok\ntest_b ... fail\n\n_____ test_b _____\nassert 1 == 2\n";
        let log = |name| Log::open(0, text, name, &naming::read(name));
        assert_eq!(log("test_b").named, Some(3));
        assert_eq!(log("test_b").at, Position::at(2));
        assert_eq!(log("test_a").named, Some(0));
        assert!(!log("test_c").names_test());
    }
}
