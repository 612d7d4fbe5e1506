//! The ranking strip: one row per candidate, or one line for all of them.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::advantage_bar;
use super::line::{paint, put, put_parts, put_right};
use crate::domain::{Outcome, TrajectoryIndex};
use crate::tui::area::Area;
use crate::tui::number;
use crate::tui::screens::compare::{Candidate, Layout};
use crate::tui::text;
use crate::tui::theme::{Role, Theme};

/// Glyph and word of an outcome: neither colour nor glyph is the only sign.
#[must_use]
pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "● pass",
        Outcome::Fail => "○ fail",
        Outcome::Unscored => "? unscored",
    }
}

fn outcome_role(outcome: Outcome) -> Role {
    match outcome {
        Outcome::Pass => Role::Pass,
        Outcome::Fail => Role::Fail,
        Outcome::Unscored => Role::Unscored,
    }
}

/// A column of the strip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Rank,
    Grader,
    Candidate,
    Outcome,
    Advantage,
    Bar,
    Multiplier,
    Share,
    Files,
    Lines,
    Steps,
    Findings,
    Marks,
}

impl Field {
    /// Left to right.
    const ALL: [Self; 13] = [
        Self::Rank,
        Self::Grader,
        Self::Candidate,
        Self::Outcome,
        Self::Advantage,
        Self::Bar,
        Self::Multiplier,
        Self::Share,
        Self::Files,
        Self::Lines,
        Self::Steps,
        Self::Findings,
        Self::Marks,
    ];

    /// Without a cell while the group is hidden.
    const HIDDEN: [Self; 5] = [
        Self::Grader,
        Self::Advantage,
        Self::Bar,
        Self::Multiplier,
        Self::Share,
    ];

    /// Given up first to last when the width is short.
    const DISPENSABLE: [Self; 6] = [
        Self::Share,
        Self::Bar,
        Self::Steps,
        Self::Files,
        Self::Lines,
        Self::Multiplier,
    ];

    fn title(self) -> &'static str {
        match self {
            Self::Rank => "rank",
            Self::Grader => "grader",
            Self::Candidate => "candidate",
            Self::Outcome => "outcome",
            Self::Advantage => "advantage",
            Self::Bar => "",
            Self::Multiplier => "×",
            Self::Share => "share",
            Self::Files => "files",
            Self::Lines => "+/−",
            Self::Steps => "steps",
            Self::Findings => "⚑",
            Self::Marks => "marks",
        }
    }

    fn is_number(self) -> bool {
        matches!(
            self,
            Self::Multiplier | Self::Share | Self::Files | Self::Steps | Self::Findings
        )
    }
}

/// Cells of one name or mark at most, however long the text is.
const LONGEST_TEXT: usize = 120;
/// Cells of an advantage before and after the ranking.
const ADVANTAGE: u16 = 16;
/// Cells between columns.
const GAP: u16 = 1;

/// Cells of the longest text of a column.
fn widest(candidates: &[Candidate], field: Field) -> u16 {
    let widths = candidates
        .iter()
        .map(|found| text::width(&words(found, field)));
    u16::try_from(widths.max().unwrap_or(0)).unwrap_or(u16::MAX)
}

/// Whether no candidate has anything in this column before somebody ranked.
fn is_blank(candidates: &[Candidate], field: Field) -> bool {
    match field {
        Field::Multiplier => candidates.iter().all(|found| found.multiplier.is_none()),
        Field::Share => candidates.iter().all(|found| found.share.is_none()),
        Field::Bar => candidates
            .iter()
            .all(|found| found.after.is_none_or(|after| after <= 0.0)),
        _ => false,
    }
}

/// The columns that fit, with their widths; the marks take what is left, and the cells of columns
/// that are blank when they need them. `is_hidden` = grader and advantages are hidden.
fn fields(candidates: &[Candidate], width: u16, is_hidden: bool) -> Vec<(Field, u16)> {
    let differs = candidates.iter().any(|found| found.grader_rank.is_some());
    let unscored = candidates
        .iter()
        .any(|found| found.outcome == Outcome::Unscored);
    let marked = candidates.iter().any(Candidate::is_marked);
    let name = candidates
        .iter()
        .map(|found| found.name.chars().count())
        .max()
        .unwrap_or(0);
    let letters = candidates
        .iter()
        .map(|found| found.letter.len())
        .max()
        .unwrap_or(1);
    let limit = (usize::from(width) / 5).clamp(6, 28);
    let candidate = u16::try_from(letters + 1 + name.min(limit)).unwrap_or(10);
    let wide = |field| match field {
        Field::Rank => 5,
        Field::Grader => 7,
        Field::Candidate => candidate.max(9),
        Field::Outcome => {
            if unscored {
                10
            } else {
                7
            }
        }
        Field::Advantage => ADVANTAGE,
        Field::Bar => 9,
        Field::Multiplier | Field::Files | Field::Share | Field::Steps => 5,
        Field::Lines => widest(candidates, field).clamp(5, 11),
        Field::Findings => 2,
        Field::Marks => {
            if marked {
                16
            } else {
                5
            }
        }
    };
    let mut shown: Vec<Field> = Field::ALL
        .into_iter()
        .filter(|&field| differs || field != Field::Grader)
        .filter(|field| !is_hidden || !Field::HIDDEN.contains(field))
        .collect();
    let total = |shown: &[Field]| shown.iter().map(|&field| wide(field) + GAP).sum::<u16>();
    for field in Field::DISPENSABLE {
        if total(&shown) <= width {
            break;
        }
        shown.retain(|&other| other != field);
    }
    // Columns stay where they are, unless marks would be cut for blank cells.
    let wanted = widest(candidates, Field::Marks);
    let short = |shown: &[Field]| {
        let others = total(shown) - wide(Field::Marks);
        wanted > width.saturating_sub(others - GAP)
    };
    for field in Field::DISPENSABLE {
        if short(&shown) && is_blank(candidates, field) {
            shown.retain(|&other| other != field);
        }
    }
    let advantage = if short(&shown) {
        widest(candidates, Field::Advantage).clamp(9, ADVANTAGE)
    } else {
        ADVANTAGE
    };
    let wide = |field| match field {
        Field::Advantage => advantage,
        field => wide(field),
    };
    let mut left = width;
    let mut placed = Vec::with_capacity(shown.len());
    for field in shown {
        let wanted = if field == Field::Marks {
            left
        } else {
            wide(field).min(left)
        };
        placed.push((field, wanted));
        left = left.saturating_sub(wanted + GAP);
    }
    placed
}

/// Draws the strip where the layout says; without grader and advantages when they are hidden.
pub fn draw(
    buffer: &mut Buffer,
    theme: &Theme,
    (candidates, is_hidden): (&[Candidate], bool),
    focus: Option<TrajectoryIndex>,
    layout: &Layout,
) {
    if layout.strip_head.height == 0 {
        folded(buffer, theme, candidates, focus, layout.strip);
        return;
    }
    // Two cells for the cursor, one at the right edge for the scroll mark.
    let fields = fields(candidates, layout.strip.width.saturating_sub(3), is_hidden);
    let head = layout.strip_head;
    let style = theme.style(Role::Header);
    paint(buffer, (head.x, head.y), head.width, style);
    let mut x = head.x + 2;
    for &(field, width) in &fields {
        if field.is_number() {
            put_right(buffer, (x, head.y), width, field.title(), style);
        } else {
            put(buffer, (x, head.y), width, field.title(), style);
        }
        x += width + GAP;
    }
    let rows = usize::from(layout.strip.height);
    let largest = candidates
        .iter()
        .filter_map(|found| found.after)
        .fold(0.0, f64::max);
    let visible = candidates.iter().skip(layout.strip_first).take(rows);
    for (candidate, y) in visible.zip(layout.strip.y..) {
        let focused = Some(candidate.index) == focus;
        Line {
            buffer,
            theme,
            candidate,
            focused,
            largest,
        }
        .draw(layout.strip, y, &fields);
    }
    let hidden_below = candidates.len().saturating_sub(layout.strip_first + rows);
    let edge = layout.strip.x + layout.strip.width.saturating_sub(1);
    if layout.strip_first > 0 {
        put(
            buffer,
            (edge, layout.strip.y),
            1,
            "▲",
            theme.style(Role::Dim),
        );
    }
    if hidden_below > 0 && rows > 0 {
        let y = layout.strip.y + layout.strip.height - 1;
        put(buffer, (edge, y), 1, "▼", theme.style(Role::Dim));
    }
}

struct Line<'a> {
    buffer: &'a mut Buffer,
    theme: &'a Theme,
    candidate: &'a Candidate,
    focused: bool,
    largest: f64,
}

impl Line<'_> {
    fn draw(self, area: Area, y: u16, fields: &[(Field, u16)]) {
        let Self {
            buffer,
            theme,
            candidate,
            focused,
            largest,
        } = self;
        let ranked = candidate.outcome.is_pass();
        let base = theme.style(if ranked { Role::Text } else { Role::Dim });
        if focused {
            paint(buffer, (area.x, y), area.width, theme.style(Role::Cursor));
            put(buffer, (area.x, y), 2, "▸ ", theme.style(Role::Cursor));
        }
        // The cursor's background stays under the colours of the cells.
        let on = |style: Style| {
            if focused {
                style.patch(theme.style(Role::Cursor))
            } else {
                style
            }
        };
        let mut x = area.x + 2;
        for &(field, width) in fields {
            let at = (x, y);
            x += width + GAP;
            let style = on(match field {
                Field::Outcome => theme.style(outcome_role(candidate.outcome)),
                Field::Grader if candidate.differs => theme.style(Role::Warning),
                Field::Findings => theme.style(Role::Finding),
                Field::Bar => theme.style(Role::Bar),
                Field::Multiplier => theme.style(trend(candidate.multiplier)),
                Field::Marks => theme.style(Role::Warning),
                _ => base,
            });
            if field == Field::Bar {
                let value = candidate.after.unwrap_or(0.0);
                advantage_bar::draw(buffer, at, width, (value, largest), style);
            } else if field.is_number() {
                put_right(buffer, at, width, &words(candidate, field), style);
            } else {
                put(buffer, at, width, &words(candidate, field), style);
            }
        }
    }
}

fn trend(multiplier: Option<f64>) -> Role {
    match multiplier {
        Some(multiplier) if multiplier > 1.0005 => Role::Up,
        Some(multiplier) if multiplier < 0.9995 => Role::Down,
        _ => Role::Text,
    }
}

fn rank(rank: Option<usize>) -> String {
    rank.map_or_else(|| "·".to_owned(), |rank| rank.to_string())
}

fn advantage(value: Option<f64>) -> String {
    // Room for a sign, so that the points stand below each other.
    let said = value.map_or_else(|| "—".to_owned(), number::advantage);
    format!("{said:>6}")
}

fn words(candidate: &Candidate, field: Field) -> String {
    match field {
        Field::Rank => {
            let tie = if candidate.tied { " =" } else { "" };
            format!("{}{tie}", rank(candidate.rank))
        }
        Field::Grader => match candidate.grader_rank {
            None => String::new(),
            Some(other) => {
                let tie = if candidate.grader_tied { " =" } else { "" };
                let mark = if candidate.differs { " ≠" } else { "" };
                format!("{}{tie}{mark}", rank(other))
            }
        },
        Field::Candidate => format!(
            "{} {}",
            candidate.letter,
            text::cut(&candidate.name, LONGEST_TEXT)
        ),
        Field::Outcome => outcome(candidate.outcome).to_owned(),
        Field::Advantage if candidate.base == candidate.after => advantage(candidate.base),
        Field::Advantage => {
            let after = advantage(candidate.after);
            format!("{} → {}", advantage(candidate.base), after.trim_start())
        }
        Field::Bar => String::new(),
        Field::Multiplier => candidate
            .multiplier
            .map_or_else(String::new, |value| format!("{value:.3}")),
        Field::Share => candidate
            .share
            .map_or_else(String::new, |share| format!("{:.0}%", share * 100.0)),
        Field::Files => candidate.files.to_string(),
        Field::Lines => format!("+{} −{}", candidate.added, candidate.removed),
        Field::Steps => candidate
            .steps
            .map_or_else(|| "—".to_owned(), |steps| steps.to_string()),
        Field::Findings if candidate.findings == 0 => String::new(),
        Field::Findings => candidate.findings.to_string(),
        Field::Marks => {
            let marks: Vec<_> = candidate
                .brief_marks()
                .map(|mark| text::cut(mark, LONGEST_TEXT))
                .collect();
            marks.join(" · ")
        }
    }
}

fn folded(
    buffer: &mut Buffer,
    theme: &Theme,
    candidates: &[Candidate],
    focus: Option<TrajectoryIndex>,
    area: Area,
) {
    let is_ranked = candidates.iter().any(|found| found.rank.is_some());
    let brief = |found: &Candidate| match is_ranked {
        true => format!("{} {}", place(found), glyph(found)),
        false => glyph(found),
    };
    let width = |found: &Candidate| brief(found).chars().count() + 2;
    let at = candidates
        .iter()
        .position(|found| Some(found.index) == focus)
        .unwrap_or(0);
    // Starts late enough that the focus fits.
    let mut first = at;
    let mut used = candidates.get(at).map_or(0, width);
    while let Some(before) = first.checked_sub(1) {
        used += width(&candidates[before]);
        if used > usize::from(area.width) {
            break;
        }
        first = before;
    }
    let parts: Vec<_> = candidates
        .iter()
        .skip(first)
        .map(|found| {
            let role = if Some(found.index) == focus {
                Role::Cursor
            } else {
                outcome_role(found.outcome)
            };
            [
                (brief(found), theme.style(role)),
                ("  ".to_owned(), theme.style(Role::Text)),
            ]
        })
        .collect();
    put_parts(buffer, (area.x, area.y), area.width, parts.as_flattened());
}

fn place(candidate: &Candidate) -> String {
    let tie = if candidate.tied { "=" } else { "" };
    format!("{}{tie}", rank(candidate.rank))
}

fn glyph(candidate: &Candidate) -> String {
    let glyph = outcome(candidate.outcome).chars().next().unwrap_or(' ');
    format!("{}{glyph}", candidate.letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(index: usize) -> Candidate {
        Candidate {
            index,
            letter: crate::tui::screens::compare::letter(index),
            name: format!("trajectory-{index}"),
            rank: Some(index + 1),
            tied: false,
            outcome: Outcome::Pass,
            base: Some(0.5),
            after: Some(0.75),
            multiplier: Some(1.5),
            share: Some(0.25),
            files: 2,
            added: 10,
            removed: 3,
            steps: Some(30),
            findings: 1,
            grader_rank: None,
            grader_tied: false,
            differs: false,
            marks: vec!["= same patch as B".to_owned()],
            not_utf8: Vec::new(),
            patch: None,
        }
    }

    #[test]
    fn narrow_strips_keep_rank_advantage_and_marks() {
        let candidates: Vec<_> = (0..4).map(candidate).collect();
        for width in [57, 77, 117, 197] {
            let fields = fields(&candidates, width, false);
            let names: Vec<_> = fields.iter().map(|(field, _)| *field).collect();
            for field in [
                Field::Rank,
                Field::Candidate,
                Field::Outcome,
                Field::Advantage,
            ] {
                assert!(names.contains(&field), "{field:?} at {width}");
            }
            let total: u16 = fields.iter().map(|(_, width)| width + GAP).sum();
            assert!(total <= width + GAP, "{total} at {width}");
        }
        assert_eq!(fields(&candidates, 197, false).len(), 12);
    }

    #[test]
    fn marks_get_the_cells_of_what_is_hidden() {
        let candidates: Vec<_> = (0..4).map(candidate).collect();
        let marks = |is_hidden| {
            let fields = fields(&candidates, 117, is_hidden);
            let names: Vec<_> = fields.iter().map(|(field, _)| *field).collect();
            assert_eq!(names.contains(&Field::Advantage), !is_hidden);
            assert_eq!(names.contains(&Field::Share), !is_hidden);
            fields[fields.len() - 1].1
        };
        assert!(marks(true) >= marks(false) + 30);
    }

    #[test]
    fn marks_get_the_cells_of_blank_columns() {
        let mark = "patch cut from the text of the answer";
        let unranked = |index| Candidate {
            multiplier: None,
            share: None,
            after: Some(0.5),
            marks: vec![mark.to_owned()],
            ..candidate(index)
        };
        let candidates: Vec<_> = (0..4).map(unranked).collect();
        let fields = fields(&candidates, 117, false);
        let (last, cells) = fields[fields.len() - 1];
        assert_eq!(last, Field::Marks);
        assert!(usize::from(cells) >= mark.len(), "{cells}");
    }

    #[test]
    fn what_is_not_known_is_not_a_number() {
        let mut unscored = candidate(0);
        unscored.base = None;
        unscored.after = None;
        unscored.rank = None;
        unscored.multiplier = None;
        assert_eq!(words(&unscored, Field::Advantage).trim(), "—");
        assert_eq!(words(&unscored, Field::Rank), "·");
        assert_eq!(words(&unscored, Field::Multiplier), "");
    }
}
