//! The comparison of schemes as texts: columns, cells, and the lines that say what it is over.

use std::cmp::Ordering;

use super::Spread;
use super::accuracy::MeasuredAccuracy;
use super::schedules::{Comparison, SchemeFigures};
use crate::domain::counted;

/// Cells of a scheme's name.
const NAME: usize = 21;

/// A column after the scheme's name, and what rows can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Column {
    /// The scheme, in the order asked for.
    #[default]
    Scheme,
    /// Groups in which it changes an advantage.
    Groups,
    /// Mean of the largest multiplier.
    Boost,
    /// Mean of n_eff/m.
    EffectiveShare,
    /// Mean share of the credit that is moved.
    Moved,
    /// Mean variance inflation.
    Variance,
    /// Mean change of the length pressure.
    Length,
    /// Mean ratio of token credit.
    Tokens,
    /// Expected share of the credit at the wrong candidates.
    Misplaced,
}

impl Column {
    /// All of them, left to right.
    pub const ALL: [Self; 9] = [
        Self::Scheme,
        Self::Groups,
        Self::Boost,
        Self::EffectiveShare,
        Self::Moved,
        Self::Variance,
        Self::Length,
        Self::Tokens,
        Self::Misplaced,
    ];

    /// The heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Groups => "groups",
            Self::Boost => "boost",
            Self::EffectiveShare => "n_eff/m",
            Self::Moved => "moved",
            Self::Variance => "var",
            Self::Length => "Δlength",
            Self::Tokens => "tokens",
            Self::Misplaced => "misp.",
        }
    }

    /// What it says, in a few words.
    #[must_use]
    pub fn doc(self) -> &'static str {
        match self {
            Self::Scheme => "weight by place",
            Self::Groups => "groups in which it changes an advantage",
            Self::Boost => "largest multiplier, mean",
            Self::EffectiveShare => {
                "effective number of credited candidates over their number, mean"
            }
            Self::Moved => "share of the credit moved, mean",
            Self::Variance => "variance of the advantages, after over before, mean",
            Self::Length => "change of the length pressure in tokens, mean",
            Self::Tokens => "token credit after over before, mean",
            Self::Misplaced => "expected share of the credit at the wrong candidates",
        }
    }

    /// Its cells' width.
    #[must_use]
    pub fn width(self) -> usize {
        match self {
            Self::Scheme => NAME,
            Self::EffectiveShare => 7,
            Self::Length => 8,
            Self::Misplaced => 5,
            _ => 6,
        }
    }

    /// The next column; the first one after the last.
    #[must_use]
    pub fn next(self) -> Self {
        let place = Self::ALL.iter().position(|other| *other == self);
        let next = place.map_or(0, |place| (place + 1) % Self::ALL.len());
        Self::ALL[next]
    }

    /// The number that rows are sorted by; `None` where there is none.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    pub fn value(self, row: &SchemeFigures) -> Option<f64> {
        let mean = |spread: Option<Spread>| spread.map(|spread| spread.mean);
        match self {
            Self::Scheme => None,
            Self::Groups => Some(row.moves as f64),
            Self::Boost => mean(row.top_boost),
            Self::EffectiveShare => mean(row.effective_share),
            Self::Moved => mean(row.credit_moved),
            Self::Variance => mean(row.variance_inflation),
            Self::Length => mean(row.pressure_change),
            Self::Tokens => mean(row.token_credit),
            Self::Misplaced => row.misplaced,
        }
    }

    /// The text of a cell; `—` where there is no number.
    #[must_use]
    pub fn cell(self, row: &SchemeFigures) -> String {
        let Some(value) = self.value(row) else {
            return match self {
                Self::Scheme => cut(&row.scheme.in_short()),
                _ => "—".to_owned(),
            };
        };
        match self {
            Self::Groups => row.moves.to_string(),
            Self::Length => format!("{:+.1}", if value.abs() < 0.05 { 0.0 } else { value }),
            _ => format!("{value:.3}"),
        }
    }
}

/// The headings as a line of 79 cells.
#[must_use]
pub fn header() -> String {
    line(|column| column.title().to_owned())
}

/// A scheme as a line of 79 cells.
#[must_use]
pub fn row(figures: &SchemeFigures) -> String {
    line(|column| column.cell(figures))
}

fn line(cell: impl Fn(Column) -> String) -> String {
    let cells = Column::ALL.map(|column| {
        let (text, width) = (cell(column), column.width());
        match column {
            Column::Scheme => format!("{text:<width$}"),
            _ => format!(" {text:>width$}"),
        }
    });
    cells.concat()
}

/// The rows in the order of a column: the largest first, rows without a number last.
#[must_use]
pub fn sorted(found: &Comparison, by: Column) -> Vec<usize> {
    let mut order: Vec<usize> = (0..found.schemes.len()).collect();
    let value = |&row: &usize| found.schemes.get(row).and_then(|row| by.value(row));
    order.sort_by(|a, b| match (value(a), value(b)) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
    order
}

/// How many groups the figures are over.
#[must_use]
pub fn over(found: &Comparison) -> String {
    format!(
        "{}, {} of them with a ranking that can move credit",
        groups(found.groups),
        found.movable
    )
}

/// The groups that are in no figure, and the figures that some groups have not: a sentence each.
#[must_use]
pub fn missing(found: &Comparison) -> Vec<String> {
    let mut lines: Vec<String> = found
        .left_out
        .iter()
        .map(|(reason, groups)| format!("left out {groups}: {reason}"))
        .collect();
    if found.without_lengths > 0 {
        lines.push(format!(
            "no figures about length in {}: not every length is known",
            groups(found.without_lengths)
        ));
    }
    lines
}

/// The grader's measured accuracy in a line.
#[must_use]
pub fn accuracy(measured: Option<MeasuredAccuracy>) -> String {
    let Some(measured) = measured else {
        return "grader's accuracy not measured (nothing judged): no misplaced share".to_owned();
    };
    let accepted = match measured.accepted {
        0 => String::new(),
        accepted => format!(" ({accepted} accepted unchanged)"),
    };
    let after_reveal = match measured.after_reveal {
        0 => String::new(),
        n => format!(", {n} after the reveal"),
    };
    format!(
        "grader's pairwise accuracy {:.3}, pooled over {} of {}{accepted}{after_reveal}",
        measured.share,
        counted(measured.pairs, "pair", "pairs"),
        counted(measured.submissions, "submission", "submissions")
    )
}

/// Rank and length in a line.
#[must_use]
pub fn rank_length(found: &Comparison) -> String {
    match found.rank_length {
        Some(rho) => format!(
            "rank-length ρ under every scheme: mean {:+.2}, median {:+.2} ({})",
            rho.mean,
            rho.median,
            groups(rho.count)
        ),
        None => "rank-length ρ undefined in every group".to_owned(),
    }
}

/// What is odd about schemes: a sentence each.
#[must_use]
pub fn oddities(found: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    for row in &found.schemes {
        for (kind, count) in &row.refused {
            let count = groups(*count);
            lines.push(format!("{}: no advantages in {count} ({kind})", row.scheme));
        }
        if row.scheme.rises() {
            lines.push(format!("{}: a worse place may weigh more", row.scheme));
        }
    }
    lines
}

fn groups(count: usize) -> String {
    counted(count, "group", "groups")
}

fn cut(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_owned();
    }
    let kept: String = name.chars().take(NAME - 1).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_width_of_a_narrow_terminal() {
        assert_eq!(header().chars().count(), 79);
        assert_eq!(Column::Misplaced.next(), Column::Scheme);
    }
}
