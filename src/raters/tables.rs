//! The figures of agreement as tables of text, as both faces show them.
//!
//! Cells hold names from files as they are: a face makes them harmless and cuts the first column to
//! its width.

use super::agreement::Agreement;
use super::bootstrap::{Figure, RESAMPLES};
use super::people::TOO_FAST_MS;
use super::rater::Rater;
use crate::domain::counted;

/// Which table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum TableKind {
    /// Who ranked how much.
    #[default]
    Raters,
    /// Agreement of two raters.
    Pairs,
    /// Alpha by size of group.
    Alpha,
    /// Whether the order shown predicts a grader's ranking.
    Position,
    /// Agreement on findings.
    Findings,
    /// What each annotator did.
    Annotators,
    /// How much each annotator agrees with others.
    Likeness,
    /// What the reveal changed.
    Reveal,
}

impl TableKind {
    /// Every table, in the order shown.
    pub const ALL: [Self; 8] = [
        Self::Raters,
        Self::Pairs,
        Self::Alpha,
        Self::Position,
        Self::Findings,
        Self::Annotators,
        Self::Likeness,
        Self::Reveal,
    ];

    /// A short name, for a tab.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Raters => "raters",
            Self::Pairs => "pairs",
            Self::Alpha => "alpha",
            Self::Position => "position",
            Self::Findings => "findings",
            Self::Annotators => "annotators",
            Self::Likeness => "likeness",
            Self::Reveal => "reveal",
        }
    }

    /// What it tells, one line.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Raters => "Raters: who ranked how many groups",
            Self::Pairs => "Pairs (reference ~ compared)",
            Self::Alpha => "Krippendorff's ordinal alpha, by number of passing candidates",
            Self::Position => "Position: does the order shown predict a grader's ranking?",
            Self::Findings => "Findings: do two raters flag the same trajectories?",
            Self::Annotators => "Annotators: work",
            Self::Likeness => "Annotators: mean tau-b with others",
            Self::Reveal => "Before and after the reveal: mean tau-b",
        }
    }
}

/// One line of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// One cell per column.
    pub cells: Vec<String>,
    /// The raters (reference, compared) that the line is about, when it is about two rankings.
    pub pair: Option<(Rater, Rater)>,
}

/// A table of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Which one.
    pub kind: TableKind,
    /// Names of the columns; the first column may be cut.
    pub header: &'static [&'static str],
    /// Columns that are aligned to the right.
    pub right: &'static [bool],
    /// The lines.
    pub rows: Vec<Row>,
    /// What is to be known beside, one sentence each.
    pub notes: Vec<String>,
}

const FIGURES: &[&str] = &["", "figure", "mean", "95 % interval", "groups", "undef."];
const FIGURES_RIGHT: &[bool] = &[false, false, true, false, true, true];

/// A number with two decimals, or the word that there is none.
fn number(value: Option<f64>) -> String {
    // Rounding must not leave "-0.00".
    let rounded = value.map(|value| (value * 100.0).round() / 100.0 + 0.0);
    rounded.map_or_else(|| "undefined".to_owned(), |value| format!("{value:.2}"))
}

fn interval(figure: &Figure) -> String {
    match figure.interval {
        Some([low, high]) => format!("{} to {}", number(Some(low)), number(Some(high))),
        None => "-".to_owned(),
    }
}

/// The cells of a figure after the name of its line.
fn cells(label: &str, name: &str, figure: &Figure) -> Vec<String> {
    vec![
        label.to_owned(),
        name.to_owned(),
        number(figure.mean),
        interval(figure),
        figure.groups.to_string(),
        figure.left_out().to_string(),
    ]
}

fn plain(cells: Vec<String>) -> Row {
    Row { cells, pair: None }
}

/// How many groups each reason takes out of the figures of a table.
fn reasons<'a>(figures: impl IntoIterator<Item = (&'a str, &'a Figure)>) -> Vec<String> {
    let mut all: Vec<(&str, &str, usize)> = Vec::new();
    for (name, figure) in figures {
        for left in &figure.undefined {
            let known = all
                .iter_mut()
                .find(|(of, reason, _)| *of == name && *reason == left.reason);
            match known {
                Some((_, _, groups)) => *groups += left.groups,
                None => all.push((name, &left.reason, left.groups)),
            }
        }
    }
    let sentence = |(name, reason, groups): (&str, &str, usize)| {
        let times = counted(groups, "time", "times");
        format!("undefined {times}: {name}: {reason}")
    };
    all.into_iter().map(sentence).collect()
}

/// What is to be said of rankings that count and were submitted after a reveal; nothing of none.
#[must_use]
pub fn after_reveal(rankings: usize) -> Option<String> {
    let said = match rankings {
        0 => return None,
        1 => "1 ranking was changed".to_owned(),
        n => format!("{n} rankings were changed"),
    };
    Some(format!(
        "{said} after the reveal, knowing grader and names; --blind-only takes what was submitted before"
    ))
}

impl Agreement {
    /// The figures of one kind as a table.
    #[must_use]
    pub fn table(&self, kind: TableKind) -> Table {
        let (header, right, rows, mut notes) = match kind {
            TableKind::Raters => self.raters_table(),
            TableKind::Pairs => self.pairs_table(),
            TableKind::Alpha => self.alpha_table(),
            TableKind::Position => self.position_table(),
            TableKind::Findings => self.findings_table(),
            TableKind::Annotators => self.annotators_table(),
            TableKind::Likeness => self.likeness_table(),
            TableKind::Reveal => self.reveal_table(),
        };
        let interval = (header == FIGURES).then(|| {
            let seed = self.options.seed;
            format!("interval: percentiles of {RESAMPLES} resamples of the groups, seed {seed}")
        });
        notes.extend(interval);
        Table {
            kind,
            header,
            right,
            rows,
            notes,
        }
    }

    fn raters_table(&self) -> Parts {
        let rows = self.raters.iter().map(|row| {
            plain(vec![
                row.rater.to_string(),
                row.groups.to_string(),
                row.without_ranking.to_string(),
            ])
        });
        let by = self.provenance.iter().filter(|row| row.groups > 0);
        let by: Vec<String> = by
            .map(|row| format!("{} {}", row.groups, row.provenance.word()))
            .collect();
        let people: usize = self.provenance.iter().map(|row| row.groups).sum();
        let groups = counted(self.groups, "group", "groups");
        let mut notes = vec![match by.is_empty() {
            true => format!("{groups}, none ranked by people"),
            false => format!("{groups}, {people} ranked by people: {}", by.join(", ")),
        }];
        notes.push(format!(
            "consensus of the annotators by {}",
            self.options.aggregate
        ));
        if self.options.blind_only {
            notes.push("of people only rankings submitted blind, before a reveal".to_owned());
        }
        notes.extend(after_reveal(self.after_reveal));
        if self.stale > 0 {
            notes.push(format!(
                "left out {}: the group changed since",
                counted(self.stale, "judgement", "judgements")
            ));
        }
        notes.extend(self.spot_checks.iter().map(|row| {
            format!(
                "{} spot-checked {} without ranking: {}",
                row.annotator,
                counted(row.groups, "group", "groups"),
                counted(row.findings, "finding", "findings")
            )
        }));
        notes.extend(self.missing.iter().map(|text| format!("missing: {text}")));
        (
            &["rater", "groups ranked", "without ranking"],
            &[false, true, true],
            rows.collect(),
            notes,
        )
    }

    fn pairs_table(&self) -> Parts {
        let mut rows = Vec::new();
        for pair in &self.pairs {
            let figures = [
                ("tau-b", &pair.tau_b),
                ("accuracy", &pair.pairwise_accuracy),
                ("top-1", &pair.top1),
            ];
            for (at, (name, figure)) in figures.into_iter().enumerate() {
                let label = match at {
                    0 => format!("{} ~ {}", pair.reference, pair.prediction),
                    _ => String::new(),
                };
                rows.push(Row {
                    cells: cells(&label, name, figure),
                    pair: Some((pair.reference.clone(), pair.prediction.clone())),
                });
            }
        }
        let figures = self.pairs.iter().flat_map(|pair| {
            [
                ("tau-b", &pair.tau_b),
                ("accuracy", &pair.pairwise_accuracy),
                ("top-1", &pair.top1),
            ]
        });
        let mut notes = vec![
            "accuracy: share of the pairs that the reference orders which the other orders alike; a tie is half"
                .to_owned(),
            "top-1: what the two best tiers share".to_owned(),
        ];
        if self.pairs_apart > 0 {
            notes.push(format!(
                "without a group in common: {}",
                counted(self.pairs_apart, "pair of raters", "pairs of raters")
            ));
        }
        notes.extend(reasons(figures));
        (FIGURES, FIGURES_RIGHT, rows, notes)
    }

    fn alpha_table(&self) -> Parts {
        let rows = self.alphas.iter().map(|row| {
            plain(vec![
                match row.with_graders {
                    true => "annotators and graders".to_owned(),
                    false => "annotators".to_owned(),
                },
                row.candidates.to_string(),
                row.groups.to_string(),
                row.raters.to_string(),
                number(row.alpha),
            ])
        });
        let mut notes = vec![
            "ranks of groups of different size are not on one scale: sizes are not put together"
                .to_owned(),
        ];
        let why = self.alphas.iter().filter_map(|row| {
            let reason = row.undefined.as_ref()?;
            Some(format!(
                "undefined for {} candidates: {reason}",
                row.candidates
            ))
        });
        notes.extend(why);
        (
            &["raters", "candidates", "groups", "raters", "alpha"],
            &[false, true, true, true, true],
            rows.collect(),
            notes,
        )
    }

    fn position_table(&self) -> Parts {
        let mut rows = Vec::new();
        let mut notes = Vec::new();
        for row in &self.positions {
            rows.push(plain(cells(&row.grader, "tau-b", &row.tau_b)));
            rows.push(plain(cells("", "first on top", &row.first_on_top)));
            rows.push(plain(cells("", "above chance", &row.first_above_chance)));
            notes.push(format!(
                "{}: the order shown is recorded for {} of {}; by chance the first is on top in {}",
                row.grader,
                row.with_order,
                counted(row.ranked, "ranking", "rankings"),
                number(row.chance)
            ));
        }
        notes.push(
            "tau-b of the order shown and the ranking: 0 = the order does not matter, 1 = the ranking repeats it"
                .to_owned(),
        );
        notes.push(
            "it tells a bias only where the order shown was shuffled, not sorted by anything"
                .to_owned(),
        );
        notes.extend(reasons(self.positions.iter().flat_map(|row| {
            [("tau-b", &row.tau_b), ("first on top", &row.first_on_top)]
        })));
        (FIGURES, FIGURES_RIGHT, rows, notes)
    }

    fn findings_table(&self) -> Parts {
        let mut rows = Vec::new();
        for row in &self.kappas {
            rows.push(plain(vec![
                match &row.code {
                    None => format!("{} ~ {}", row.first, row.second),
                    Some(_) => String::new(),
                },
                row.code.clone().unwrap_or_else(|| "any finding".to_owned()),
                row.trajectories.to_string(),
                row.both.to_string(),
                row.only_first.to_string(),
                row.only_second.to_string(),
                number(row.kappa),
            ]));
        }
        let mut notes =
            vec![
                "over the passing trajectories of the groups that both judged; 1st, 2nd: flagged by that one only"
                    .to_owned(),
            ];
        let undefined = self.kappas.iter().filter_map(|row| row.undefined.as_ref());
        let undefined: Vec<&String> = undefined.collect();
        if let Some(reason) = undefined.first() {
            let times = counted(undefined.len(), "time", "times");
            notes.push(format!("undefined {times}: {reason}"));
        }
        let after: usize = self
            .people
            .iter()
            .map(|row| row.findings_after_reveal)
            .sum();
        if after > 0 {
            notes.push(format!(
                "left out {}: made after a reveal, not independent",
                counted(after, "finding", "findings")
            ));
        }
        (
            &["raters", "code", "n", "both", "1st", "2nd", "kappa"],
            &[false, false, true, true, true, true, true],
            rows,
            notes,
        )
    }

    fn annotators_table(&self) -> Parts {
        let rows = self.people.iter().map(|row| {
            let [low, medium, high] = row.confidence;
            plain(vec![
                row.annotator.clone(),
                row.groups.to_string(),
                row.timed.to_string(),
                number(row.per_hour),
                number(row.median_seconds),
                row.too_fast.to_string(),
                number(row.findings_per_group),
                format!("{low}/{medium}/{high}/{}", row.confidence_not_said),
            ])
        });
        let notes = vec![
            format!(
                "time is focused time, without idle stretches; fast: under {} s",
                TOO_FAST_MS / 1000
            ),
            "confidence: submissions with low/medium/high/none said".to_owned(),
        ];
        (
            &[
                "annotator",
                "groups",
                "timed",
                "per hour",
                "median s",
                "fast",
                "findings",
                "confidence",
            ],
            &[false, true, true, true, true, true, true, true],
            rows.collect(),
            notes,
        )
    }

    fn likeness_table(&self) -> Parts {
        let mut rows = Vec::new();
        for row in &self.people {
            rows.push(plain(cells(&row.annotator, "others", &row.with_others)));
            rows.push(plain(cells("", "known", &row.with_gold)));
            rows.push(plain(cells("", "graders", &row.with_graders)));
        }
        let mut notes = vec![
            "others: the other annotators of a group; known: groups with a known ranking; graders: all of them"
                .to_owned(),
        ];
        notes.extend(reasons(self.people.iter().flat_map(|row| {
            [
                ("others", &row.with_others),
                ("known", &row.with_gold),
                ("graders", &row.with_graders),
            ]
        })));
        (FIGURES, FIGURES_RIGHT, rows, notes)
    }

    fn reveal_table(&self) -> Parts {
        let mut rows = Vec::new();
        let mut notes = Vec::new();
        for row in &self.reveals {
            match &row.grader {
                None => {
                    rows.push(plain(cells(&row.annotator, "with itself", &row.after)));
                    notes.push(format!(
                        "{}: {} ranked blind and revealed, {} ranked otherwise after",
                        row.annotator,
                        counted(row.groups, "group", "groups"),
                        row.changed
                    ));
                }
                Some(grader) => {
                    let label = format!("{} ~ {grader}", row.annotator);
                    rows.push(plain(cells(&label, "before", &row.before)));
                    rows.push(plain(cells("", "after", &row.after)));
                    rows.push(plain(cells("", "difference", &row.difference)));
                }
            }
        }
        notes.extend(reasons(
            self.reveals
                .iter()
                .flat_map(|row| [("before", &row.before), ("after", &row.after)]),
        ));
        (FIGURES, FIGURES_RIGHT, rows, notes)
    }
}

type Parts = (
    &'static [&'static str],
    &'static [bool],
    Vec<Row>,
    Vec<String>,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_never_read_as_minus_nothing_and_undefined_is_a_word() {
        assert_eq!(number(Some(-0.001)), "0.00");
        assert_eq!(number(Some(2.0 / 3.0)), "0.67");
        assert_eq!(number(None), "undefined");
    }
}
