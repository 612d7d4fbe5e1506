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
/// From this width on outcomes are drawn as dots beside the numbers whatever else must go.
const DOTS_FROM: u16 = 76;
/// Cells of the outcomes without dots.
const NUMBERS: u16 = 9;

/// What the cells of the groups listed need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Cells of the longest group id.
    pub task: u16,
    /// Whether groups are of different training steps.
    pub steps: bool,
    /// Whether grader and annotator disagree about any group.
    pub disagrees: bool,
    /// Dots of the group with the most trajectories among those drawn as dots.
    pub dots: u16,
    /// Cells of the longest outcome in numbers.
    pub numbers: u16,
    /// Whether grader and advantages of every group are hidden.
    pub are_hidden: bool,
}

impl Needs {
    /// Cells of an outcome as dots and numbers.
    fn outcome(self) -> u16 {
        let gap = if self.dots > 0 { 1 } else { 0 };
        (self.dots + gap + self.numbers).max(NUMBERS)
    }
}

/// What a table has room for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its columns, left to right.
    pub columns: Vec<Placed>,
    /// Cells that the dots of an outcome take; 0 = only numbers are drawn.
    pub dots: u16,
}

impl Table {
    /// Whether it has this column.
    #[must_use]
    pub fn has(&self, column: Column) -> bool {
        self.columns.iter().any(|placed| placed.column == column)
    }
}

/// Shown even where ids must be cut. The credit's cells also say why a group is dropped.
const NEEDED: [Column; 3] = [Column::Outcome, Column::State, Column::Credit];
/// The same while grader and advantages are hidden: the class says why a group is dropped then.
const NEEDED_HIDDEN: [Column; 3] = [Column::Outcome, Column::State, Column::Class];
/// Columns without a cell while grader and advantages are hidden.
const HIDDEN: [Column; 3] = [Column::Credit, Column::Disagreement, Column::RankedBy];
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

    fn width(self) -> u16 {
        match self {
            Self::Task => TASK,
            Self::Step => 6,
            Self::N => 4,
            Self::Outcome => NUMBERS,
            Self::Class | Self::State => 9,
            Self::RankedBy => 12,
            Self::Credit => 10,
            Self::Disagreement => 6,
            Self::Findings => 3,
        }
    }
}

/// The columns that fit into `width` cells; the task takes what is left. No column is given up for
/// cells that no name needs, and the dots come where such cells are left.
#[must_use]
pub fn place(width: u16, needs: Needs) -> Table {
    let mut left = width.saturating_sub(TASK);
    let mut outcome = if width >= DOTS_FROM {
        needs.outcome()
    } else {
        NUMBERS
    };
    let mut chosen = vec![Column::Task];
    let needed = match needs.are_hidden {
        true => NEEDED_HIDDEN,
        false => NEEDED,
    };
    let needed = needed.map(|column| (column, 0));
    let name = needs.task.clamp(TASK, TASK_WANTED) - TASK;
    let further = FURTHER.map(|column| (column, name));
    for (column, kept_free) in needed.into_iter().chain(further) {
        let is_left_out =
            column == Column::Step && !needs.steps || needs.are_hidden && HIDDEN.contains(&column);
        if is_left_out || chosen.contains(&column) {
            continue;
        }
        let cells = match column {
            Column::Outcome => outcome,
            other => other.width(),
        };
        if cells + GAP + kept_free <= left {
            left -= cells + GAP;
            chosen.push(column);
        }
    }
    let more = needs.outcome() - outcome;
    // The dots come before what the numbers beside them tell, and before a column that is blank.
    let blank = (!needs.disagrees).then_some(Column::Disagreement);
    let given = [Some(Column::N), blank].into_iter().flatten();
    let given: Vec<_> = given.filter(|column| chosen.contains(column)).collect();
    for count in 0..=given.len() {
        let given = given.iter().take(count);
        let freed: u16 = given.clone().map(|column| column.width() + GAP).sum();
        if more + name <= left + freed {
            chosen.retain(|column| !given.clone().any(|other| other == column));
            left += freed;
            break;
        }
    }
    let spare = left.saturating_sub(name);
    if chosen.contains(&Column::Outcome) && more <= spare {
        outcome += more;
        left -= more;
    }
    let mut x = 0;
    let columns = Column::ALL
        .into_iter()
        .filter(|column| chosen.contains(column))
        .map(|column| {
            let cells = match column {
                Column::Task => TASK + left,
                Column::Outcome => outcome,
                other => other.width(),
            };
            let width = cells.min(width);
            let placed = Placed { column, x, width };
            x += width + GAP;
            placed
        })
        .collect();
    let has_dots = outcome >= needs.outcome();
    Table {
        columns,
        dots: if has_dots { needs.dots } else { 0 },
    }
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

    const LONG: Needs = Needs {
        task: TASK_WANTED,
        steps: false,
        disagrees: true,
        dots: 8,
        numbers: 7,
        are_hidden: false,
    };

    #[test]
    fn dots_come_where_cells_are_left() {
        assert_eq!(place(76, LONG).dots, 8);
        assert_eq!(place(68, LONG).dots, 0);
        // Four dots fit beside short numbers in any case.
        let few = Needs {
            dots: 4,
            numbers: 3,
            ..LONG
        };
        assert_eq!(place(56, few).dots, 4);
        let short = Needs { task: 12, ..LONG };
        assert_eq!(place(62, short).dots, 8);
    }

    #[test]
    fn columns_never_leave_the_table() {
        for width in 20..240 {
            let placed = place(width, LONG).columns;
            let last = placed.last().unwrap();
            assert_eq!(last.x + last.width, width, "{width}");
            assert_eq!(placed[0].column, Column::Task);
        }
        let with_steps = Needs {
            steps: true,
            ..LONG
        };
        assert_eq!(place(140, with_steps).columns.len(), Column::ALL.len());
    }

    #[test]
    fn short_names_leave_room_for_more_columns() {
        let short = Needs { task: 12, ..LONG };
        assert!(!place(69, LONG).has(Column::Disagreement));
        assert!(place(69, short).has(Column::Disagreement));
        // The number stands in the outcome too, so the dots come in its place.
        assert_eq!(place(69, short).dots, 8);
        assert!(!place(69, short).has(Column::N));
        assert!(place(69, short).columns[0].width >= TASK);
    }

    #[test]
    fn the_task_comes_before_disagreement_findings_and_number() {
        let columns = |width| -> Vec<_> {
            place(width, LONG)
                .columns
                .iter()
                .map(|p| p.column)
                .collect()
        };
        let least = [Column::Task, Column::Outcome, Column::Credit, Column::State];
        assert_eq!(columns(56), least);
        for width in 56..240 {
            let placed = place(width, LONG).columns;
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
    fn what_is_hidden_takes_no_cell_and_the_class_says_what_is_dropped() {
        let hidden = Needs {
            are_hidden: true,
            ..LONG
        };
        for width in 56..240 {
            let placed = place(width, hidden);
            assert!(HIDDEN.iter().all(|column| !placed.has(*column)), "{width}");
            assert!(placed.has(Column::Class), "{width}");
        }
    }

    #[test]
    fn next_and_previous_are_mirror_images() {
        for column in Column::ALL {
            assert_eq!(column.next().previous(), column);
        }
    }
}
