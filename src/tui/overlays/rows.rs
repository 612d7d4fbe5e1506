//! The rows of searchable overlays, as plain text.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::matching::{DASH, Fit, fit};
use super::{Overlay, Picker, can_be_run, view};
use crate::review::QueueOrder;
use crate::tui::action::Action;
use crate::tui::blind;
use crate::tui::help;
use crate::tui::legend;
use crate::tui::long_text;
use crate::tui::model::Model;
use crate::tui::screens::compare;
use crate::tui::text;

/// Most texts that are wrapped.
const MOST_WRAPPED: usize = 1000;

/// A row of a searchable overlay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The short left column: keys, or a file.
    pub left: String,
    /// What is searched and shown.
    pub text: String,
    /// What Enter runs.
    pub action: Option<Action>,
    /// Whether it would do something now.
    pub applies: bool,
    /// What Enter copies, when it runs nothing.
    pub copied: Option<String>,
    /// The row of the list of places that Enter goes to.
    pub place: Option<usize>,
}

/// The rows of an overlay that match what was typed, best first; empty for other overlays.
#[must_use]
pub fn rows(model: &Model, overlay: &Overlay) -> Vec<Row> {
    match overlay {
        Overlay::Help(picker) => {
            let mut rows = help_rows(model);
            rows.extend(legend_rows(model, picker));
            matching(rows, picker)
        }
        Overlay::Palette(picker) => {
            let mut rows = help_rows(model);
            rows.retain(|row| row.action.is_some_and(|action| can_be_run(model, action)));
            matching(rows, picker)
        }
        Overlay::Problems(picker) => matching(problem_rows(model, picker), picker),
        Overlay::Marks(picker) => matching(mark_rows(model, picker), picker),
        Overlay::Places(picker) => matching(place_rows(model), picker),
        Overlay::Orders(picker) => order_rows(model, picker),
        Overlay::History(picker) => matching(history_rows(model, picker), picker),
        Overlay::Finding(_)
        | Overlay::Findings(_)
        | Overlay::Guidelines(_)
        | Overlay::ConfirmQuit
        | Overlay::Prompt { .. } => Vec::new(),
    }
}

fn help_rows(model: &Model) -> Vec<Row> {
    help::rows(model)
        .into_iter()
        .map(|row| Row {
            left: row.keys,
            text: format!("{}{DASH}{}", row.action.name(), row.action.doc()),
            action: Some(row.action),
            applies: row.applies,
            copied: None,
            place: None,
        })
        .collect()
}

/// What words and marks mean; wrapped, unless something is searched for.
fn legend_rows(model: &Model, picker: &Picker) -> Vec<Row> {
    let legend = legend::legend(model.context());
    let width = wrap_width(model, picker, legend.len());
    legend
        .iter()
        .flat_map(|(word, meaning)| whole(word, meaning, width))
        .collect()
}

/// Where the texts of `count` rows wrap: not while something is searched for, and not when there
/// are so many that wrapping all of them would be felt at every key.
fn wrap_width(model: &Model, picker: &Picker, count: usize) -> Option<usize> {
    let wraps = picker.entry.text().is_empty() && count <= MOST_WRAPPED;
    wraps.then(|| view::text_width(model))
}

/// A text in as many rows of `width` cells as it needs; without a width in one row.
fn whole(left: &str, text: &str, width: Option<usize>) -> Vec<Row> {
    let row = |left: &str, text: &str| Row {
        left: left.to_owned(),
        text: text.to_owned(),
        action: None,
        applies: true,
        copied: None,
        place: None,
    };
    let Some(width) = width else {
        return vec![row(left, text)];
    };
    let text = text::sanitize_line(text);
    long_text::wrapped(&text, width, 0, usize::MAX)
        .into_iter()
        .enumerate()
        .map(|(line, range)| row(if line == 0 { left } else { "" }, text[range].trim_end()))
        .collect()
}

/// The same rows, of which each copies this text.
fn copied(rows: Vec<Row>, text: &str) -> Vec<Row> {
    let rows = rows.into_iter();
    rows.map(|row| Row {
        copied: Some(text.to_owned()),
        ..row
    })
    .collect()
}

/// Problems and notes, each with its path behind it.
fn problem_rows(model: &Model, picker: &Picker) -> Vec<Row> {
    let set = model.session.as_ref().map(|session| session.set());
    let count = set.map_or(0, |set| {
        set.problems.len() + set.notes.len() + set.guessed.len() + set.used.len()
    });
    let width = wrap_width(model, picker, count);
    let Some(set) = set else { return Vec::new() };
    // Groups are named in blind mode, too.
    let assigned = model.groups.problems.iter();
    let assigned = assigned.flat_map(|text| copied(whole("assignment", text, width), text));
    if blind::hides_names(model) {
        // The list counts problems alone.
        let problems = match set.problems.len() {
            1 => "1 problem".to_owned(),
            n => format!("{n} problems"),
        };
        let said = match count - set.problems.len() {
            0 => problems,
            1 => format!("{problems} and 1 note"),
            n => format!("{problems} and {n} notes"),
        };
        let said = format!("hidden in blind mode, since they name files: {said}");
        let cut = model.is_status_cut().then_some(model.status.text.as_str());
        let cut = cut.map(|said| copied(whole("message", said, width), said));
        let said = (count > 0).then(|| whole("blind", &said, width));
        let cut = cut.into_iter().flatten();
        return cut
            .chain(assigned)
            .chain(said.into_iter().flatten())
            .collect();
    }
    let problems = set.problems.iter().map(|problem| ("", problem));
    let told = problems.chain(set.notes.iter().map(|note| ("note: ", note)));
    let told = told.map(|(kind, problem)| {
        let record = problem.record.as_deref();
        let record = record.map(|record| format!("{record}: "));
        let record = record.unwrap_or_default();
        let text = format!("{kind}{record}{}", problem.reason);
        (problem.path.as_path(), problem.line, text)
    });
    let guessed = set.guessed.iter().map(|map| (&map.path, map.to_string()));
    let maps = guessed.chain(set.used.iter().map(|map| (&map.path, map.to_string())));
    let maps = maps.map(|(path, text)| (path.as_path(), None, format!("note: {text}")));
    // A message that the status line has no room for is read here.
    let said = model.status.text.as_str();
    let status = model
        .is_status_cut()
        .then(|| copied(whole("message", said, width), said));
    let told = told.chain(maps);
    let told = told.flat_map(|(path, line, text)| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        let left = format!("{}{line}", name.to_string_lossy());
        // The name alone finds no file; the whole path stands behind what is said of it.
        let place = format!("{}{line}", path.display());
        let rows = whole(&left, &format!("{text} · {place}"), width);
        copied(rows, &format!("{place}: {text}"))
    });
    let status = status.into_iter().flatten();
    status.chain(assigned).chain(told).collect()
}

/// The marks of the focused candidate, whole.
fn mark_rows(model: &Model, picker: &Picker) -> Vec<Row> {
    let found = compare::focused_candidate(model);
    let Some(found) = found else {
        return Vec::new();
    };
    let marks: Vec<&str> = found.whole_marks().collect();
    let letter = &found.letter;
    let width = wrap_width(model, picker, marks.len());
    let lines = marks.iter().enumerate();
    lines
        .flat_map(|(place, mark)| whole(if place == 0 { letter } else { "" }, mark, width))
        .collect()
}

/// The places that the compare screen lists.
fn place_rows(model: &Model) -> Vec<Row> {
    let listed = model.compare.listed.rows.iter().enumerate();
    listed
        .map(|(place, listed)| Row {
            left: listed.left.clone(),
            text: listed.text.clone(),
            action: None,
            applies: true,
            copied: None,
            place: Some(place),
        })
        .collect()
}

/// The orders to choose from: the one that is typed whole, with a seed of its own, or all of them.
pub(super) fn orders(picker: &Picker) -> Vec<QueueOrder> {
    let typed = picker.entry.text().trim();
    match typed.parse() {
        Ok(order) => vec![order],
        Err(_) => {
            let all = QueueOrder::ALL.into_iter();
            all.filter(|order| order.to_string().contains(typed))
                .collect()
        }
    }
}

fn order_rows(model: &Model, picker: &Picker) -> Vec<Row> {
    let orders = orders(picker).into_iter().enumerate();
    orders
        .map(|(place, order)| {
            let is_now = model.groups.queue == Some(order);
            let now = if is_now { " (now)" } else { "" };
            Row {
                left: order.to_string(),
                text: format!("{}{now}", order.doc()),
                action: None,
                applies: true,
                copied: None,
                place: Some(place),
            }
        })
        .collect()
}

/// What is recorded of the open group; Enter copies an entry.
fn history_rows(model: &Model, picker: &Picker) -> Vec<Row> {
    let entries = &model.compare.history;
    let width = wrap_width(model, picker, entries.len());
    let entries = entries.iter();
    entries
        .flat_map(|(left, text)| copied(whole(left, text, width), &format!("{left} {text}")))
        .collect()
}

fn matching(rows: Vec<Row>, picker: &Picker) -> Vec<Row> {
    let typed = picker.entry.text();
    if typed.is_empty() {
        return rows;
    }
    let pattern = Pattern::parse(typed, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut found: Vec<(Fit, u32, Row)> = rows
        .into_iter()
        .filter_map(|row| {
            let text = format!("{} {}", row.text, row.left);
            let score = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher);
            let fit = fit(typed, &row.left, &row.text);
            // An action whose letters merely stand in order is not what somebody looks for.
            let counts = fit < Fit::Scattered || (score.is_some() && row.action.is_none());
            counts.then(|| (fit, score.unwrap_or_default(), row))
        })
        .collect();
    found.sort_by_key(|(fit, score, _)| (*fit, std::cmp::Reverse(*score)));
    // What merely resembles is of use when there is nothing else.
    if found.first().is_some_and(|(fit, ..)| *fit < Fit::Scattered) {
        found.retain(|(fit, ..)| *fit < Fit::Scattered);
    }
    found.into_iter().map(|(_, _, row)| row).collect()
}
