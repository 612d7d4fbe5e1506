//! The rows of searchable overlays, as plain text.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::{Overlay, Picker, can_be_run, view};
use crate::tui::action::Action;
use crate::tui::help;
use crate::tui::long_text;
use crate::tui::model::Model;

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
        Overlay::Problems(picker) => matching(problem_rows(model), picker),
        Overlay::ConfirmQuit | Overlay::Prompt { .. } => Vec::new(),
    }
}

fn help_rows(model: &Model) -> Vec<Row> {
    help::rows(model)
        .into_iter()
        .map(|row| Row {
            left: row.keys,
            text: format!("{} — {}", row.action.name(), row.action.doc()),
            action: Some(row.action),
            applies: row.applies,
        })
        .collect()
}

/// What words and marks mean; wrapped, unless something is searched for.
fn legend_rows(model: &Model, picker: &Picker) -> Vec<Row> {
    let width = if picker.entry.text().is_empty() {
        view::text_width(model)
    } else {
        usize::MAX
    };
    let legend = help::legend(model.screen.context());
    legend
        .iter()
        .flat_map(|&(word, meaning)| {
            let lines = long_text::wrapped(meaning, width, 0, usize::MAX);
            lines.into_iter().enumerate().map(move |(line, range)| Row {
                left: if line == 0 { word } else { "" }.to_owned(),
                text: meaning[range].trim_end().to_owned(),
                action: None,
                applies: true,
            })
        })
        .collect()
}

fn problem_rows(model: &Model) -> Vec<Row> {
    let set = model.session.as_ref().map(|session| session.set());
    set.into_iter()
        .flat_map(|set| {
            let problems = set.problems.iter().map(|problem| ("", problem));
            problems.chain(set.foreign.iter().map(|file| ("left out: ", file)))
        })
        .map(|(kind, problem)| {
            let name = problem.path.file_name().unwrap_or(problem.path.as_os_str());
            let line = problem
                .line
                .map(|line| format!(":{line}"))
                .unwrap_or_default();
            let record = problem
                .record
                .as_deref()
                .map(|r| format!("{r}: "))
                .unwrap_or_default();
            Row {
                left: format!("{}{line}", name.to_string_lossy()),
                text: format!("{kind}{record}{}", problem.reason),
                action: None,
                applies: true,
            }
        })
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
    let mut scored: Vec<(u32, Row)> = rows
        .into_iter()
        .filter_map(|row| {
            let text = format!("{} {}", row.text, row.left);
            let score = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher)?;
            Some((score, row))
        })
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, row)| row).collect()
}
