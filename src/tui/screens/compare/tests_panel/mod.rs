//! The tests panel: a row per test, a column per candidate; its state and what keys do in it.

mod log;
mod naming;
mod table;
mod view;

use std::sync::Arc;

use super::candidates::letter;
use super::grid::{Grid, Needs};
use super::of_group::OfGroup;
use super::reading::Go;
use super::spot::{PatchSpot, Spot, show};
use super::update::{opened, shown_order};
use super::{place_list, search};
use crate::diff::Patch;
use crate::domain::TrajectoryIndex;
use crate::tui::action::Action;
use crate::tui::area::Area;
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Severity};
use crate::tui::scroll::reveal;
use log::Log;
use naming::Naming;
use table::{Row, Table};

pub use view::draw;

/// Lines at the bottom that say all of the test under the cursor.
const DETAIL: u16 = 3;

/// What the panel remembers.
#[derive(Debug, Default)]
pub struct State {
    /// The tests of the group it was opened on; headings count as lines.
    at: OfGroup<Table>,
    /// The log that is read in place of the table.
    log: Option<Log>,
}

/// The tests of the group on screen, when they are built.
fn table(model: &Model) -> Option<&Arc<Table>> {
    model.compare.tests.at.table(opened(model)?)
}

/// The test under the cursor.
fn chosen(model: &Model) -> Option<&Row> {
    table(model)?.rows.get(model.compare.tests.at.cursor)
}

/// Where the columns stand.
fn grid(model: &Model, table: &Table, area: Area, order: &[TrajectoryIndex]) -> Grid {
    let most = table.sections.iter().map(|section| section.count).max();
    let digits = most.unwrap_or(0).to_string().len();
    let needs = Needs {
        name: table.longest + 2,
        cell: (2 * digits + 1).max(4),
        tail: 0,
        columns: order.len(),
    };
    let focus = order.iter().position(|&i| Some(i) == model.compare.focus());
    Grid::of(
        area,
        needs,
        model.compare.tests.at.first_column,
        focus.unwrap_or(0),
    )
}

/// Lines of the table that are seen.
fn window(area: Area) -> usize {
    usize::from(area.height.saturating_sub(1 + DETAIL)).max(1)
}

/// The line of the table that a test stands on: every purpose has a heading.
fn line_of(table: &Table, row: usize) -> usize {
    let headings = table
        .sections
        .partition_point(|section| section.first <= row);
    row + headings
}

/// Builds the table when it is first shown, and fits the positions.
pub fn settle(model: &mut Model, area: Area) {
    let Some(opened) = opened(model).cloned() else {
        return;
    };
    let state = &mut model.compare.tests;
    if state.at.build(&opened, || Table::of(&opened.content)) {
        state.log = None;
    }
    let focus = model.compare.focus();
    let log_of = model.compare.tests.log.as_ref().map(|log| log.candidate);
    if log_of.is_some() && log_of != focus {
        open_log(model);
    }
    if model.compare.tests.log.is_some() {
        log::settle(model, area);
        return;
    }
    let Some(table) = table(model).cloned() else {
        return;
    };
    let order = shown_order(model);
    let grid = grid(model, &table, area, &order);
    let state = &mut model.compare.tests.at;
    state.first_column = grid.first;
    state.cursor = state.cursor.min(table.rows.len().saturating_sub(1));
    let line = line_of(&table, state.cursor);
    let lines = table.rows.len() + table.sections.len();
    // The heading above a first test is seen with it.
    let heads = table
        .sections
        .iter()
        .any(|section| section.first == state.cursor);
    let first = state.first.min(line.saturating_sub(usize::from(heads)));
    state.first = reveal(first, line, window(area), lines);
}

/// Moves the cursor, or scrolls the log.
pub fn scroll(model: &mut Model, area: Area, go: Go) {
    if model.compare.tests.log.is_some() {
        return log::scroll(model, area, go);
    }
    let count = table(model).map_or(0, |table| table.rows.len());
    let state = &mut model.compare.tests.at;
    state.cursor = go.line(state.cursor, count);
}

/// What an action means here; `None` when it means what it does on the rest of the screen.
pub fn act(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Back if model.compare.tests.log.is_some() => model.compare.tests.log = None,
        Action::TestLog if model.compare.tests.log.is_some() => model.compare.tests.log = None,
        Action::TestLog => open_log(model),
        Action::NextFailing => next_failing(model, true),
        Action::PreviousFailing => next_failing(model, false),
        Action::TestPlaces => places(model),
        Action::Left => return Some(super::update::update(model, Action::FocusPrevious, None)),
        Action::Right => return Some(super::update::update(model, Action::FocusNext, None)),
        _ => return None,
    }
    Some(Vec::new())
}

/// Chooses the test under the mouse.
pub fn click(model: &mut Model, area: Area, y: u16) {
    let Some(line) = usize::from(y.saturating_sub(area.y)).checked_sub(1) else {
        return;
    };
    let Some(table) = table(model).filter(|_| line < window(area)) else {
        return;
    };
    let line = model.compare.tests.at.first + line;
    let row = (0..table.sections.len() + 1)
        .filter_map(|headings| line.checked_sub(headings))
        .find(|&row| row < table.rows.len() && line_of(table, row) == line);
    if let Some(row) = row.filter(|_| model.compare.tests.log.is_none()) {
        model.compare.tests.at.cursor = row;
    }
}

/// Goes to the next test whose name is searched for, or to the next line of the log.
pub fn find(model: &mut Model, forward: bool, here: bool) {
    if model.compare.tests.log.is_some() {
        return log::find(model, forward, here);
    }
    let Some(table) = table(model).cloned() else {
        return;
    };
    let names = table.rows.iter().map(|row| row.name.as_str());
    let (at, what) = (model.compare.tests.at.cursor, "no name of a test");
    if let Some(row) = search::find_line(model, names, at, (forward, here), what) {
        model.compare.tests.at.cursor = row;
    }
}

fn next_failing(model: &mut Model, forward: bool) {
    let (Some(table), Some(focus)) = (table(model), model.compare.focus()) else {
        return;
    };
    // A log is read of one test; the next one is another test's.
    let at = model.compare.tests.at.cursor;
    let found = table.next_failing(focus, at, forward);
    let fails = |row: &Row| {
        let cell = row.cells.get(focus).and_then(Option::as_ref);
        cell.is_some_and(|cell| table::is_failure(cell.status))
    };
    let here = table.rows.get(at).is_some_and(fails);
    match found {
        Some(row) => {
            let reads_log = model.compare.tests.log.is_some();
            model.compare.tests.at.cursor = row;
            if reads_log {
                open_log(model);
            }
        }
        None => {
            let (which, candidate) = (if forward { "last" } else { "first" }, letter(focus));
            let said = if here {
                format!("this is the {which} test that failed on {candidate}")
            } else if table.without.contains(&focus) {
                format!("no result per test is recorded for {candidate}")
            } else {
                let side = if forward { "below" } else { "above" };
                format!("no test {side} failed on {candidate}")
            };
            model.say(Severity::Info, said);
        }
    }
}

/// Opens the focused candidate's log at the test under the cursor.
fn open_log(model: &mut Model) {
    model.compare.tests.log = None;
    let Some(focus) = model.compare.focus() else {
        return;
    };
    let name = chosen(model)
        .map(|row| row.name.clone())
        .unwrap_or_default();
    let texts = opened(model).and_then(|opened| opened.content.trajectories.get(focus));
    let log = texts.and_then(|texts| texts.test_log.as_deref());
    let Some(log) = log.map(|text| Log::open(focus, text, &name, &naming::read(&name))) else {
        let said = format!("no log of the test run of {} is recorded", letter(focus));
        model.say(Severity::Info, said);
        return;
    };
    if !log.names_test() && !name.is_empty() {
        model.say(Severity::Info, "the log does not name this test");
    }
    model.compare.tests.log = Some(log);
}

/// Goes to the lines that name the test under the cursor.
fn places(model: &mut Model) {
    let (Some(name), Some(focus)) = (
        chosen(model).map(|row| row.name.clone()),
        model.compare.focus(),
    ) else {
        return;
    };
    let Some(opened) = opened(model).cloned() else {
        return;
    };
    let naming = naming::read(&name);
    let others = shown_order(model)
        .into_iter()
        .filter(|&index| index != focus);
    let of = |index| named_places(index, opened.patches.get(index), &naming);
    let mut found: Vec<_> = of(focus);
    let own = !found.is_empty();
    if !own {
        found = others.flat_map(of).collect();
    }
    let whose = if own {
        format!("{}'s patch", letter(focus))
    } else {
        "others' patches".to_owned()
    };
    match found.as_slice() {
        [] => model.say(Severity::Info, "no patch has a line that names this test"),
        [place] => {
            show(model, place);
            let whose = format!("{}'s patch", letter(place.candidate));
            model.say(
                Severity::Info,
                format!("the only place in {whose} that names the test"),
            );
        }
        places => {
            let count = places.len();
            let title = format!("{count} places of {whose} that name the test");
            let words = naming.words.clone();
            place_list::open(model, title, places, &|line| line.find(&words));
        }
    }
}

/// The lines of a patch that name a test; when there is none, its file.
fn named_places(candidate: usize, patch: Option<&Arc<Patch>>, naming: &Naming) -> Vec<Spot> {
    let files = patch
        .iter()
        .flat_map(|patch| patch.files.iter().enumerate());
    let (mut lines, mut heads) = (Vec::new(), Vec::new());
    for (file, found) in files {
        if naming.is_file(found.path()) {
            heads.push(PatchSpot::file(file));
        }
        for (nth, hunk) in found.hunks.iter().enumerate() {
            let texts = hunk
                .lines
                .iter()
                .map(|line| patch.map_or("", |patch| patch.line_text(line)));
            let named = texts.enumerate().filter(|(_, text)| naming.is_in(text));
            let before = lines.len();
            lines.extend(named.map(|(line, _)| PatchSpot::line(file, nth, line)));
            let section = patch.and_then(|patch| patch.text.get(hunk.section.clone()));
            if lines.len() == before && section.is_some_and(|section| naming.is_in(section)) {
                lines.push(PatchSpot::hunk(file, nth));
            }
        }
    }
    let places = if lines.is_empty() { heads } else { lines };
    places
        .into_iter()
        .map(|at| Spot { candidate, at })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_name_a_test_come_before_its_file() {
        let text = "--- a/t/test_x.py\n+++ b/t/test_x.py\n@@ -1,1 +1,3 @@\n a\n+def test_y():\n+    test_yy()\n\
            @@ -20,1 +22,2 @@ def test_z():\n b\n+c\n";
        let patch = Arc::new(Patch::read(Arc::from(text)));
        let places = |id: &str| -> Vec<_> {
            let found = named_places(3, Some(&patch), &naming::read(id));
            found.into_iter().map(|place| place.at).collect()
        };
        assert_eq!(places("t/test_x.py::test_y"), [PatchSpot::line(0, 0, 1)]);
        assert_eq!(places("t/test_x.py::test_z[1]"), [PatchSpot::hunk(0, 1)]);
        assert_eq!(places("t/test_x.py::test_other"), [PatchSpot::file(0)]);
        assert_eq!(places("t/other.py::test_other"), []);
    }
}
