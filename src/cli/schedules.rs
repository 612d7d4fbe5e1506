//! `gagar schedules`: schemes side by side over the loaded groups.

use serde::Serialize;

use super::Ending;
use super::args::SchedulesArgs;
use super::error::CliError;
use super::inputs::{Whose, open};
use super::output::Io;
use crate::audit::Spread;
use crate::audit::accuracy::MeasuredAccuracy;
use crate::audit::schedules::{
    Case, Comparison, LeftOut, Question, SchemeFigures, compare, with_usual,
};
use crate::audit::scheme_table;
use crate::review::{RankingSource, ReviewSession};

/// Compares schemes.
///
/// # Errors
/// When the paths or the log cannot be read, or the output cannot be written.
pub fn run(args: &SchedulesArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let mut opened = open(&args.input, RankingSource::Counted, Whose::Likely, io)?;
    opened.count_blind_only(args.blind_only);
    let session = &opened.session;
    let chosen = args.which.chosen(session);
    let cases: Vec<Case> = chosen
        .iter()
        .filter_map(|&group| Case::of(session, group))
        .collect();
    let accuracy = MeasuredAccuracy::of(session, &chosen);
    let question = Question {
        schemes: with_usual(&args.input.common.scheme, &session.settings().scheme),
        policies: session.settings().policies,
        accuracy: accuracy.map(|accuracy| accuracy.share),
        top: args.top,
    };
    let found = compare(&cases, &question, &mut |_| (), &mut |_| true);
    let found = found.ok_or_else(|| CliError::failed("the comparison was ended"))?;
    if args.json {
        io.json(&Answer::of(session, &found, accuracy))?;
    } else {
        print(session, &found, accuracy, io)?;
    }
    Ok(Ending::of(opened.problems))
}

#[derive(Serialize)]
struct Answer<'a> {
    annotator: &'a str,
    blind_only: bool,
    estimator: String,
    ties: &'static str,
    unranked: &'static str,
    groups: usize,
    movable: usize,
    left_out: Vec<Left>,
    without_lengths: usize,
    rank_length_rho: Option<Spread>,
    grader_accuracy: Option<MeasuredAccuracy>,
    schemes: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Left {
    reason: String,
    groups: usize,
}

#[derive(Serialize)]
struct Line<'a> {
    scheme: String,
    moves: usize,
    leaves: usize,
    refused: &'a std::collections::BTreeMap<&'static str, usize>,
    top_boost: Option<Spread>,
    effective_share: Option<Spread>,
    credit_moved: Option<Spread>,
    variance_inflation: Option<Spread>,
    pressure_change: Option<Spread>,
    token_credit: Option<Spread>,
    misplaced: Option<f64>,
    misplaced_per_moved: Option<f64>,
    most_affected: Vec<AffectedLine<'a>>,
}

#[derive(Serialize)]
struct AffectedLine<'a> {
    group_id: &'a str,
    credit_moved: f64,
}

impl<'a> Answer<'a> {
    fn of(
        session: &'a ReviewSession,
        found: &'a Comparison,
        accuracy: Option<MeasuredAccuracy>,
    ) -> Self {
        let settings = session.settings();
        let left = |(reason, groups): (&LeftOut, &usize)| Left {
            reason: reason.to_string(),
            groups: *groups,
        };
        Self {
            annotator: &session.identity().annotator,
            blind_only: settings.blind_only,
            estimator: settings.estimator.to_string(),
            ties: settings.policies.ties.word(),
            unranked: settings.policies.unranked.word(),
            groups: found.groups,
            movable: found.movable,
            left_out: found.left_out.iter().map(left).collect(),
            without_lengths: found.without_lengths,
            rank_length_rho: found.rank_length,
            grader_accuracy: accuracy,
            schemes: found
                .schemes
                .iter()
                .map(|row| Line {
                    scheme: row.scheme.to_string(),
                    moves: row.moves,
                    leaves: row.leaves,
                    refused: &row.refused,
                    top_boost: row.top_boost,
                    effective_share: row.effective_share,
                    credit_moved: row.credit_moved,
                    variance_inflation: row.variance_inflation,
                    pressure_change: row.pressure_change,
                    token_credit: row.token_credit,
                    misplaced: row.misplaced,
                    misplaced_per_moved: row.misplaced_per_moved,
                    most_affected: affected(session, row)
                        .map(|(group_id, credit_moved)| AffectedLine {
                            group_id,
                            credit_moved,
                        })
                        .collect(),
                })
                .collect(),
        }
    }
}

fn affected<'a>(
    session: &'a ReviewSession,
    row: &'a SchemeFigures,
) -> impl Iterator<Item = (&'a str, f64)> {
    row.most_affected.iter().filter_map(|affected| {
        let group = session.group(affected.group)?;
        Some((group.id.as_str(), affected.credit_moved))
    })
}

fn print(
    session: &ReviewSession,
    found: &Comparison,
    accuracy: Option<MeasuredAccuracy>,
    io: &mut Io<'_>,
) -> Result<(), CliError> {
    let settings = session.settings();
    io.line(&scheme_table::over(found))?;
    io.line(&format!(
        "estimator {}; rankings that {} submitted{}, else the grader's",
        settings.estimator,
        session.identity().annotator,
        if settings.blind_only { " blind" } else { "" }
    ))?;
    for line in scheme_table::missing(found) {
        io.line(&format!("  {line}"))?;
    }
    io.line(&scheme_table::accuracy(accuracy))?;
    io.line(&scheme_table::rank_length(found))?;
    io.line("")?;
    io.line(&format!(" {}", scheme_table::header()))?;
    for row in &found.schemes {
        let sign = if row.scheme == settings.scheme {
            "•"
        } else {
            " "
        };
        io.line(&format!("{sign}{}", scheme_table::row(row)))?;
    }
    io.line("• the scheme in use; --scheme names another")?;
    for line in scheme_table::oddities(found) {
        io.line(&line)?;
    }
    let mut rows = found.schemes.iter();
    let Some(first) = rows.find(|row| row.scheme == settings.scheme) else {
        return Ok(());
    };
    if !first.most_affected.is_empty() {
        io.line("")?;
        io.line(&format!("most credit moved by {}:", first.scheme))?;
        for (group, moved) in affected(session, first) {
            io.line(&format!("  {moved:.3}  {group}"))?;
        }
    }
    Ok(())
}
