//! The list's cells and the preview's lines, as text with roles.

use super::columns::Column;
use crate::domain::{Outcome, Trajectory};
use crate::review::{GroupRow, ReviewSession, ReviewState};
use crate::tui::long_text;
use crate::tui::screens::compare::{letter, order};
use crate::tui::text;
use crate::tui::theme::Role;

/// Text in roles.
pub type Parts = Vec<(String, Role)>;

/// Most trajectories that are drawn as one glyph each.
const MOST_GLYPHS: usize = 8;

/// One cell of the list.
#[must_use]
pub fn cell(session: &ReviewSession, group: usize, column: Column, glyphs: bool) -> Parts {
    let (Some(data), Some(row)) = (session.group(group), session.rows().get(group)) else {
        return Vec::new();
    };
    match column {
        Column::Task => vec![(data.id.as_str().to_owned(), Role::Text)],
        Column::N => vec![(row.n.to_string(), Role::Text)],
        Column::Outcome => outcome(row, glyphs),
        Column::Class => {
            let role = if row.class.is_kept() {
                Role::Text
            } else {
                Role::Dim
            };
            vec![(row.class.word().to_owned(), role)]
        }
        Column::RankedBy => match &row.ranked_by {
            Some(name) => vec![(name.clone(), Role::Text)],
            None => unknown(),
        },
        Column::Credit => share(row.credit_moved),
        Column::Disagreement => share(row.disagreement),
        Column::Findings => match row.findings {
            0 => unknown(),
            findings => vec![(findings.to_string(), Role::Finding)],
        },
        Column::State => {
            let role = match row.state {
                ReviewState::Unseen => Role::Dim,
                ReviewState::Draft | ReviewState::Edited => Role::Strong,
                ReviewState::Submitted => Role::Pass,
                ReviewState::Stale => Role::Warning,
            };
            vec![(row.state.word().to_owned(), role)]
        }
    }
}

/// Outcomes as glyphs (when there is room and they are few) and always as numbers.
fn outcome(row: &GroupRow, glyphs: bool) -> Parts {
    let unscored = match row.unscored {
        0 => String::new(),
        unscored => format!(" {unscored}?"),
    };
    let numbers = format!("{}/{}{unscored}", row.passing, row.passing + row.failing);
    let mut parts = Vec::new();
    if glyphs && row.n <= MOST_GLYPHS {
        parts.push(("●".repeat(row.passing), Role::Pass));
        parts.push(("○".repeat(row.failing), Role::Fail));
        parts.push(("?".repeat(row.unscored), Role::Unscored));
        parts.push((" ".repeat(MOST_GLYPHS - row.n + 1), Role::Text));
    }
    parts.push((numbers, Role::Text));
    parts
}

fn share(value: Option<f64>) -> Parts {
    match value {
        Some(value) => vec![(format!("{value:.2}"), Role::Text)],
        None => unknown(),
    }
}

fn unknown() -> Parts {
    vec![("—".to_owned(), Role::Dim)]
}

/// The glyph of an outcome with its role.
#[must_use]
pub fn glyph(outcome: Outcome) -> (&'static str, Role) {
    match outcome {
        Outcome::Pass => ("●", Role::Pass),
        Outcome::Fail => ("○", Role::Fail),
        Outcome::Unscored => ("?", Role::Unscored),
    }
}

/// The preview of a group in lines of at most `width` cells.
#[must_use]
pub fn preview(session: &ReviewSession, group: usize, width: usize) -> Vec<Parts> {
    let (Some(data), Some(reviewed)) = (session.group(group), session.reviewed(group)) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    if let Some(title) = &data.task.title {
        let title = text::sanitize_line(title);
        let wrapped = long_text::wrapped(&title, width.max(1), 0, 3).into_iter();
        lines.extend(wrapped.map(|range| vec![(title[range].to_owned(), Role::Strong)]));
    }
    if let Some(repo) = &data.task.repo {
        lines.push(vec![(text::sanitize_line(repo), Role::Dim)]);
    }
    lines.push(vec![(reviewed.class.reason().to_owned(), Role::Dim)]);
    lines.push(Vec::new());
    for index in order(data, &reviewed.shown.ranking) {
        let Some(trajectory) = data.trajectories.get(index) else {
            continue;
        };
        let (glyph, role) = glyph(trajectory.outcome);
        let mut parts = vec![
            (format!("{:<2}", letter(index)), Role::Strong),
            (format!("{glyph} "), role),
            (facts(trajectory), Role::Text),
        ];
        if let Some(rank) = reviewed.shown.ranking.rank_of(index) {
            parts.push((format!("rank {rank} "), Role::Key));
        }
        if let Ok(after) = &reviewed.redistributed
            && let Some(advantage) = after.advantages.get(index)
        {
            parts.push((format!("{advantage:+.3}"), Role::Text));
        }
        lines.push(parts);
    }
    // Without a baseline this is the baseline's reason.
    if let Err(reason) = &reviewed.redistributed {
        lines.push(vec![(text::sanitize_line(reason), Role::Warning)]);
    }
    if let Some(note) = session
        .judgement(group)
        .map(|j| &j.note)
        .filter(|note| !note.is_empty())
    {
        lines.push(Vec::new());
        lines.push(vec![(
            format!("note: {}", text::sanitize_line(note)),
            Role::Info,
        )]);
    }
    lines
}

fn facts(trajectory: &Trajectory) -> String {
    let patch = &trajectory.patch;
    let files = match patch.files {
        1 => "1 file".to_owned(),
        files => format!("{files} files"),
    };
    let steps = trajectory
        .steps
        .map(|steps| format!("{steps} steps "))
        .unwrap_or_default();
    format!(
        "{files:<7} {:<7} {steps}",
        format!("+{} −{}", patch.added, patch.removed)
    )
}

/// The counts of the title.
#[must_use]
pub fn counts(session: &ReviewSession, state: &super::State) -> String {
    let totals = state.totals;
    let shown = state.visible().len();
    let groups = if shown == totals.groups {
        format!("{} groups", totals.groups)
    } else {
        format!("{shown} of {} groups shown", totals.groups)
    };
    let mut text = format!(
        "{groups} · {} kept · {} rankable",
        totals.kept, totals.rankable
    );
    text.push_str(&format!(
        " · {} submitted by {}",
        totals.submitted,
        text::sanitize_line(&session.identity().annotator)
    ));
    text
}
