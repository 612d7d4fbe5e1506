//! Which unchanged rows are left out when only so many around a change are wanted.

use std::collections::VecDeque;

/// What a row is to its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An unchanged line.
    Unchanged,
    /// A changed line.
    Changed,
    /// Something that belongs to the line above it.
    Tail,
    /// Anything else: it is always shown.
    Other,
}

/// Rows that are to be shown now.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Unchanged rows that are left out before them.
    pub folded: usize,
    /// The rows, in order.
    pub rows: Vec<usize>,
}

/// Goes through rows from top to bottom.
#[derive(Debug)]
pub struct Folding {
    context: Option<usize>,
    /// Unchanged rows of which it is not known yet whether a change follows.
    waiting: VecDeque<usize>,
    /// Unchanged rows before them that are left out.
    folded: usize,
    /// Unchanged rows that are still shown after the last change.
    left: usize,
}

impl Folding {
    /// Shows `context` unchanged rows around a change; `None` = all of them.
    #[must_use]
    pub fn new(context: Option<usize>) -> Self {
        Self {
            context,
            waiting: VecDeque::new(),
            folded: 0,
            left: 0,
        }
    }

    /// Takes the next row.
    pub fn next(&mut self, row: usize, kind: Kind) -> Shown {
        let Some(context) = self.context else {
            return Shown {
                folded: 0,
                rows: vec![row],
            };
        };
        match kind {
            Kind::Unchanged if self.left > 0 => {
                self.left -= 1;
                Shown {
                    folded: 0,
                    rows: vec![row],
                }
            }
            Kind::Unchanged => {
                self.waiting.push_back(row);
                if self.waiting.len() > context {
                    self.waiting.pop_front();
                    self.folded += 1;
                }
                Shown::default()
            }
            Kind::Changed => {
                self.left = context;
                let mut rows: Vec<usize> = self.waiting.drain(..).collect();
                rows.push(row);
                Shown {
                    folded: std::mem::take(&mut self.folded),
                    rows,
                }
            }
            // The line that it belongs to is left out.
            Kind::Tail if !self.waiting.is_empty() => Shown::default(),
            Kind::Tail => Shown {
                folded: 0,
                rows: vec![row],
            },
            Kind::Other => {
                self.left = 0;
                Shown {
                    folded: self.end(),
                    rows: vec![row],
                }
            }
        }
    }

    /// Unchanged rows that are left out at the end.
    pub fn end(&mut self) -> usize {
        let waiting = self.waiting.len();
        self.waiting.clear();
        std::mem::take(&mut self.folded) + waiting
    }
}

/// What is said in place of rows that are left out.
#[must_use]
pub fn sentence(rows: usize) -> String {
    match rows {
        1 => "⋯ 1 unchanged line".to_owned(),
        rows => format!("⋯ {rows} unchanged lines"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_around_changes_are_shown_and_the_others_counted() {
        use Kind::{Changed, Other, Unchanged};
        let mut folding = Folding::new(Some(1));
        let kinds = [
            Unchanged, Unchanged, Unchanged, Changed, Unchanged, Unchanged, Unchanged, Other,
        ];
        let shown: Vec<(usize, Vec<usize>)> = kinds
            .into_iter()
            .enumerate()
            .map(|(row, kind)| folding.next(row, kind))
            .filter(|shown| !shown.rows.is_empty())
            .map(|shown| (shown.folded, shown.rows))
            .collect();
        assert_eq!(shown, [(2, vec![2, 3]), (0, vec![4]), (2, vec![7])]);
        assert_eq!(folding.end(), 0);
    }
}
