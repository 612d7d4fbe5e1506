//! The list's cells and the preview's lines, as text with roles.

use super::columns::{Column, Table};
use crate::domain::counted;
use crate::domain::{GroupClass, Outcome, RolloutGroup};
use crate::review::{GroupRow, ReviewSession, ReviewState, ReviewedGroup};
use crate::tui::long_text;
use crate::tui::number;
use crate::tui::screens::compare::{letter, order};
use crate::tui::text;
use crate::tui::theme::Role;
use crate::tui::widgets::fitting::Part;

/// Text in roles.
pub type Parts = Vec<(String, Role)>;

/// Most trajectories that are drawn as one dot each.
pub const MOST_DOTS: usize = 8;

/// Lines of a preview that the task's title has.
const TITLE_LINES: usize = 3;

/// One cell of the list in a table.
#[must_use]
pub fn cell(session: &ReviewSession, group: usize, column: Column, table: &Table) -> Parts {
    let (Some(data), Some(row)) = (session.group(group), session.rows().get(group)) else {
        return Vec::new();
    };
    match column {
        Column::Task => vec![(data.id.as_str().to_owned(), Role::Text)],
        Column::Step => match row.step {
            Some(step) => vec![(step.to_string(), Role::Text)],
            None => unknown(),
        },
        Column::N => vec![(row.n.to_string(), Role::Text)],
        Column::Outcome => outcome(row, usize::from(table.dots)),
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
        // The class says it already.
        Column::Credit if !row.class.is_kept() && table.has(Column::Class) => Vec::new(),
        Column::Credit if !row.class.is_kept() => {
            vec![(row.class.word().to_owned(), Role::Dim)]
        }
        Column::Disagreement if !row.class.is_kept() => Vec::new(),
        Column::Credit if row.without_advantages => vec![("error".to_owned(), Role::Warning)],
        Column::Credit => share(row.credit_moved),
        Column::Disagreement => share(row.disagreement),
        Column::Findings => match row.findings {
            0 => unknown(),
            findings => vec![(findings.to_string(), Role::Finding)],
        },
        Column::State => {
            let role = match row.state {
                ReviewState::Unseen | ReviewState::Opened | ReviewState::Skipped => Role::Dim,
                ReviewState::Draft | ReviewState::Edited => Role::Strong,
                ReviewState::Submitted => Role::Pass,
                ReviewState::Stale => Role::Warning,
            };
            vec![(row.state.word().to_owned(), role)]
        }
    }
}

/// Outcomes in numbers.
#[must_use]
pub fn in_numbers(row: &GroupRow) -> String {
    let unscored = match row.unscored {
        0 => String::new(),
        all if all == row.n => return format!("{all}?"),
        unscored => format!(" {unscored}?"),
    };
    format!("{}/{}{unscored}", row.passing, row.n)
}

/// Outcomes as dots (when the table has cells for them and they are few) and always as numbers.
fn outcome(row: &GroupRow, dots: usize) -> Parts {
    let mut parts = Vec::new();
    if row.n <= dots {
        parts.push(("●".repeat(row.passing), Role::Pass));
        parts.push(("○".repeat(row.failing), Role::Fail));
        parts.push(("?".repeat(row.unscored), Role::Unscored));
        parts.push((" ".repeat(dots - row.n + 1), Role::Text));
    }
    parts.push((in_numbers(row), Role::Text));
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
        let mut wrapped = in_lines(&title, width, Role::Strong);
        if wrapped.len() > TITLE_LINES {
            wrapped.truncate(TITLE_LINES);
            if let Some((last, _)) = wrapped.last_mut().and_then(|line| line.last_mut()) {
                *last = text::cut(&format!("{last} …"), width);
            }
        }
        lines.extend(wrapped);
    }
    if let Some(repo) = &data.task.repo {
        lines.push(vec![(text::sanitize_line(repo), Role::Dim)]);
    }
    let is_scored = reviewed.class != GroupClass::Unscored;
    let said = match is_scored {
        true => reviewed.class.reason().to_owned(),
        false => format!("{} candidates, none scored", data.trajectories.len()),
    };
    lines.extend(in_lines(&said, width, Role::Dim));
    // Without a baseline this is the baseline's reason.
    if let (Err(reason), true) = (&reviewed.redistributed, is_scored) {
        let said = format!("no advantages: {}", text::sanitize_line(reason));
        lines.extend(in_lines(&said, width, Role::Warning));
    }
    lines.push(Vec::new());
    lines.extend(candidate_lines(data, &reviewed, width));
    if let Some(said) = labels(session, group) {
        lines.push(Vec::new());
        lines.extend(in_lines(&said, width, Role::Strong));
    }
    if let Some(note) = session
        .judgement(group)
        .map(|j| &j.note)
        .filter(|note| !note.is_empty())
    {
        lines.push(Vec::new());
        let note = format!("note: {}", text::sanitize_line(note));
        lines.extend(in_lines(&note, width, Role::Info));
    }
    lines
}

/// Whether the annotator skipped or flagged the group, and why; `None` = neither.
#[must_use]
pub fn labels(session: &ReviewSession, group: usize) -> Option<String> {
    let row = session.rows().get(group)?;
    let said = |word: &str, reason: &Option<String>| {
        let reason = text::sanitize_line(reason.as_ref()?);
        Some(match reason.is_empty() {
            true => word.to_owned(),
            false => format!("{word}: {reason}"),
        })
    };
    let said = [
        said("skipped", &row.skipped),
        said("* flagged", &row.flagged),
    ];
    let said: Vec<_> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(" · "))
}

/// A safe line wrapped between words.
fn in_lines(line: &str, width: usize, role: Role) -> Vec<Parts> {
    long_text::wrapped(line, width.max(1), 0, usize::MAX)
        .into_iter()
        .map(|range| vec![(line[range].trim_end().to_owned(), role)])
        .collect()
}

/// One line per candidate in aligned columns; where room is short the words go before the numbers.
fn candidate_lines(data: &RolloutGroup, reviewed: &ReviewedGroup, width: usize) -> Vec<Parts> {
    /// Rank, advantage, files, lines, steps.
    type Facts = [String; 5];
    let facts = |index: usize, words: bool| -> Facts {
        let Some(trajectory) = data.trajectories.get(index) else {
            return Facts::default();
        };
        let rank = reviewed.shown.ranking.rank_of(index);
        let after = reviewed.redistributed.as_ref().ok();
        let files = trajectory.patch.files;
        [
            rank.map_or_else(String::new, |rank| match words {
                true => format!("rank {rank}"),
                false => format!("#{rank}"),
            }),
            after
                .and_then(|after| after.advantages.get(index))
                .map_or_else(String::new, |advantage| number::advantage(*advantage)),
            match files {
                1 => "1 file".to_owned(),
                files => format!("{files} files"),
            },
            format!("+{} −{}", trajectory.patch.added, trajectory.patch.removed),
            trajectory
                .steps
                .map_or_else(String::new, |steps| format!("{steps} steps")),
        ]
    };
    let order = order(data, &reviewed.shown.ranking);
    let letters = order.iter().map(|&i| letter(i).len()).max().unwrap_or(1);
    // Which facts are shown, most to least.
    let choices: [(bool, &[usize]); 6] = [
        (true, &[0, 1, 2, 3, 4]),
        (false, &[0, 1, 2, 3, 4]),
        (false, &[0, 1, 3, 4]),
        (false, &[0, 1, 3]),
        (false, &[0, 1]),
        (false, &[1]),
    ];
    let widths_of = |words: bool| {
        let mut widths = [0; 5];
        for &index in &order {
            for (widest, fact) in widths.iter_mut().zip(facts(index, words)) {
                *widest = text::width(&fact).max(*widest);
            }
        }
        widths
    };
    let fits = |&(words, shown): &(bool, &[usize])| {
        let widths = widths_of(words);
        let taken: usize = shown.iter().map(|&fact| widths[fact] + 1).sum();
        letters + 2 + taken <= width
    };
    let (words, shown) = choices.into_iter().find(fits).unwrap_or((false, &[1]));
    let widths = widths_of(words);
    order
        .iter()
        .filter_map(|&index| {
            let (glyph, role) = glyph(data.trajectories.get(index)?.outcome);
            let mut parts = vec![
                (format!("{:<letters$} ", letter(index)), Role::Strong),
                (glyph.to_owned(), role),
            ];
            let facts = facts(index, words);
            for &fact in shown {
                let role = if fact == 0 { Role::Key } else { Role::Text };
                let (text, wide) = (&facts[fact], widths[fact]);
                parts.push(match fact {
                    // Nobody has this.
                    _ if wide == 0 => continue,
                    1 => (format!(" {text:>wide$}"), role),
                    _ => (format!(" {text:<wide$}"), role),
                });
            }
            Some(parts)
        })
        .collect()
}

/// How many groups there are and how far the work is: the parts of the line over the list.
#[must_use]
pub fn counts(session: &ReviewSession, state: &super::State) -> Vec<Part<Role>> {
    let style = Role::Text;
    let totals = state.totals;
    let shown = state.visible().len();
    let all = counted(totals.groups, "group", "groups");
    let groups = if shown == totals.groups {
        all
    } else {
        format!("{shown} of {all} shown")
    };
    let mut parts = vec![Part::new(1, groups, style)];
    let classes = match totals.unscored == totals.groups {
        true => "none scored".to_owned(),
        false => format!("{} kept · {} rankable", totals.kept, totals.rankable),
    };
    parts.push(Part::new(4, classes, style));
    if totals.without_advantages > 0 {
        let text = format!("{} without advantages", totals.without_advantages);
        parts.push(Part::new(5, text, style));
    }
    let name = text::sanitize_line(&session.identity().annotator);
    parts.push(match totals.work.total {
        0 => {
            let text = format!("{} submitted by {name}", totals.submitted);
            Part::new(2, text, style)
        }
        _ => {
            let (short, whole) = (totals.work.in_short(), totals.work.in_words());
            Part::new(2, format!("{name}: {short}"), style).or(3, format!("{name}: {whole}"))
        }
    });
    parts
}
