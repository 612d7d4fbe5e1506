//! The columns of the list: names, order of rows, which of them fit a width.

use std::cmp::Ordering;

use crate::review::GroupRow;

/// A column of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Column {
    /// The group's id.
    #[default]
    Task,
    /// Training step; only there when groups are of different ones.
    Step,
    /// Number of trajectories.
    N,
    /// Passing, failing and unscored ones.
    Outcome,
    /// Why it is kept or dropped.
    Class,
    /// Who ranked it.
    RankedBy,
    /// Share of the passing credit that the ranking moves.
    Credit,
    /// Credit disagreement between grader and annotator.
    Disagreement,
    /// Findings of the grader.
    Findings,
    /// Where the annotator's work stands.
    State,
}

/// A column with its place in a table: cells from the left, width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The column.
    pub column: Column,
    /// Cells from the table's left edge.
    pub x: u16,
    /// Its width in cells.
    pub width: u16,
}

/// Cells between columns.
const GAP: u16 = 1;
/// Narrowest task column.
const TASK: u16 = 20;
/// Width that the task column has before further columns are added: SWE-bench ids fit.
const TASK_WANTED: u16 = 32;
/// From this width on outcomes are drawn as glyphs beside the numbers.
const GLYPHS_FROM: u16 = 76;

/// Shown even where ids must be cut. The credit's cells also say why a group is dropped.
const NEEDED: [Column; 3] = [Column::Outcome, Column::State, Column::Credit];
/// Which of the others come first; the outcome also tells the number of trajectories.
const FURTHER: [Column; 6] = [
    Column::Findings,
    Column::N,
    Column::Disagreement,
    Column::Step,
    Column::RankedBy,
    Column::Class,
];

impl Column {
    /// Every column, left to right.
    pub const ALL: [Self; 10] = [
        Self::Task,
        Self::Step,
        Self::N,
        Self::Outcome,
        Self::Class,
        Self::RankedBy,
        Self::Credit,
        Self::Disagreement,
        Self::Findings,
        Self::State,
    ];

    /// The name in the header.
    #[must_use]
    pub fn header(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Step => "step",
            Self::N => "n",
            Self::Outcome => "outcome",
            Self::Class => "class",
            Self::RankedBy => "ranked by",
            Self::Credit => "credit",
            Self::Disagreement => "disagr",
            Self::Findings => "⚑",
            Self::State => "state",
        }
    }

    /// The name in sentences.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Disagreement => "disagreement",
            Self::Findings => "findings",
            other => other.header(),
        }
    }

    /// Whether its cells are numbers, set to the right.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(
            self,
            Self::Step | Self::N | Self::Credit | Self::Disagreement | Self::Findings
        )
    }

    /// Whether the largest comes first unless the sort is reversed.
    #[must_use]
    pub fn is_descending(self) -> bool {
        self.is_number() || self == Self::Outcome
    }

    /// The next column, around the end.
    #[must_use]
    pub fn next(self) -> Self {
        let place = Self::ALL
            .iter()
            .position(|column| *column == self)
            .unwrap_or(0);
        Self::ALL[(place + 1) % Self::ALL.len()]
    }

    /// The column before, around the start.
    #[must_use]
    pub fn previous(self) -> Self {
        let place = Self::ALL
            .iter()
            .position(|column| *column == self)
            .unwrap_or(0);
        Self::ALL[(place + Self::ALL.len() - 1) % Self::ALL.len()]
    }

    /// Orders two rows by this column; what is not known comes last in either direction.
    #[must_use]
    pub fn compare(self, a: &GroupRow, b: &GroupRow, descending: bool) -> Ordering {
        let order = |ordering: Ordering| {
            if descending {
                ordering.reverse()
            } else {
                ordering
            }
        };
        match self {
            // Groups are loaded in the order of their ids; the index decides.
            Self::Task => Ordering::Equal,
            Self::Step => known_first(a.step, b.step, |a, b| order(a.cmp(&b))),
            Self::N => order(a.n.cmp(&b.n)),
            Self::Outcome => order(
                a.passing
                    .cmp(&b.passing)
                    .then_with(|| b.failing.cmp(&a.failing)),
            ),
            Self::Class => order(a.class.cmp(&b.class)),
            Self::RankedBy => known_first(a.ranked_by.as_ref(), b.ranked_by.as_ref(), |a, b| {
                order(a.cmp(b))
            }),
            Self::Credit => known_first(a.credit_moved, b.credit_moved, |a, b| {
                order(a.total_cmp(&b))
            }),
            Self::Disagreement => known_first(a.disagreement, b.disagreement, |a, b| {
                order(a.total_cmp(&b))
            }),
            Self::Findings => order(a.findings.cmp(&b.findings)),
            Self::State => order(a.state.cmp(&b.state)),
        }
    }

    fn width(self, glyphs: bool) -> u16 {
        match self {
            Self::Task => TASK,
            Self::Step => 6,
            Self::N => 4,
            Self::Outcome if glyphs => 16,
            Self::Outcome => 9,
            Self::Class | Self::State => 9,
            Self::RankedBy => 12,
            // "one scored"
            Self::Credit => 10,
            Self::Disagreement => 6,
            Self::Findings => 3,
        }
    }
}

/// Whether outcomes are drawn as glyphs in a table of this width.
#[must_use]
pub fn has_glyphs(width: u16) -> bool {
    width >= GLYPHS_FROM
}

/// The columns that fit into `width` cells, left to right; the task takes what is left. `longest` is
/// the width of the longest task's name: no column is given up for cells that no name needs.
/// `steps` tells whether groups are of different training steps.
#[must_use]
pub fn place(width: u16, longest: u16, steps: bool) -> Vec<Placed> {
    let glyphs = has_glyphs(width);
    let mut left = width.saturating_sub(TASK);
    let mut chosen = vec![Column::Task];
    let needed = NEEDED.map(|column| (column, 0));
    let further = FURTHER.map(|column| (column, longest.clamp(TASK, TASK_WANTED) - TASK));
    for (column, kept_free) in needed.into_iter().chain(further) {
        if column == Column::Step && !steps {
            continue;
        }
        let needed = column.width(glyphs) + GAP;
        if needed + kept_free <= left {
            left -= needed;
            chosen.push(column);
        }
    }
    let mut x = 0;
    Column::ALL
        .into_iter()
        .filter(|column| chosen.contains(column))
        .map(|column| {
            let more = if column == Column::Task { left } else { 0 };
            let width = (column.width(glyphs) + more).min(width);
            let placed = Placed { column, x, width };
            x += width + GAP;
            placed
        })
        .collect()
}

fn known_first<T>(a: Option<T>, b: Option<T>, compare: impl FnOnce(T, T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => compare(a, b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_never_leave_the_table() {
        for width in 20..240 {
            let placed = place(width, TASK_WANTED, false);
            let last = placed.last().unwrap();
            assert_eq!(last.x + last.width, width, "{width}");
            assert_eq!(placed[0].column, Column::Task);
        }
        assert_eq!(place(140, TASK_WANTED, true).len(), Column::ALL.len());
    }

    #[test]
    fn short_names_leave_room_for_more_columns() {
        let columns =
            |longest| -> Vec<_> { place(69, longest, false).iter().map(|p| p.column).collect() };
        assert!(!columns(TASK_WANTED).contains(&Column::Disagreement));
        assert!(columns(12).contains(&Column::Disagreement));
        assert!(place(69, 12, false)[0].width >= TASK);
    }

    #[test]
    fn the_task_comes_before_disagreement_findings_and_number() {
        let columns = |width| -> Vec<_> {
            place(width, TASK_WANTED, false)
                .iter()
                .map(|p| p.column)
                .collect()
        };
        let least = [Column::Task, Column::Outcome, Column::Credit, Column::State];
        assert_eq!(columns(56), least);
        for width in 56..240 {
            let placed = place(width, TASK_WANTED, false);
            assert!(least.iter().all(|c| columns(width).contains(c)), "{width}");
            assert!(
                placed.len() == least.len() || placed[0].width >= TASK_WANTED,
                "{width}"
            );
        }
        assert!(columns(76).contains(&Column::Findings));
        assert!(!columns(76).contains(&Column::Disagreement));
    }

    #[test]
    fn next_and_previous_are_mirror_images() {
        for column in Column::ALL {
            assert_eq!(column.next().previous(), column);
        }
    }
}
