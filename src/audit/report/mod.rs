//! The audit report: everything the audit finds as one document, with the rows behind every figure.
//!
//! What is *not* here: reading and writing files, hashing them, the clock (the caller hands these
//! over, so that the same input gives the same bytes).

mod agreement;
pub mod csv;
pub mod document;
pub mod html;
pub mod markdown;
mod method;
mod rules;
mod schemes;
mod scope;
mod svg;
mod words;
mod worst;

use std::collections::BTreeMap;

use super::accuracy::MeasuredAccuracy;
use super::rule_rates;
use super::schedules::{Case, Comparison, LeftOut, Question, Row, compare, with_usual};
use crate::domain::Scheme;
use crate::raters::{Agreement, GroupEvidence, Options};
use crate::review::{Event, ReviewSession};
use crate::scope::{Rules, Stats};
use csv::CsvTable;
use document::Document;

/// A file that was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Its path, as found from the paths given.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 in hexadecimal, or why there is none.
    pub sha256: Result<String, String>,
}

/// What a report is made from.
pub struct Inputs<'a> {
    /// The review.
    pub session: &'a ReviewSession,
    /// The groups looked at (0-based).
    pub chosen: &'a [usize],
    /// The log of judgements, whole.
    pub events: &'a [Event],
    /// The files loaded.
    pub files: &'a [InputFile],
    /// The program's version.
    pub version: &'a str,
    /// What was asked for, as (option, value).
    pub options: Vec<(String, String)>,
    /// The date that the report bears, and where it is from.
    pub date: (String, String),
    /// Schemes of one's own.
    pub schemes: &'a [Scheme],
    /// How figures of agreement are computed.
    pub agreement: Options,
    /// The out-of-scope rules as they are configured; all of them are asked.
    pub rules: &'a Rules,
    /// How many of the worst disagreements are shown.
    pub top: usize,
}

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What it says.
    pub document: Document,
    /// The rows behind its tables and figures.
    pub rows: Vec<CsvTable>,
}

/// Everything that is computed for a report, before it is written down.
struct Findings<'a> {
    evidence: Vec<GroupEvidence>,
    agreement: Agreement,
    accuracy: Option<MeasuredAccuracy>,
    schemes: Vec<Scheme>,
    comparison: Comparison,
    scheme_rows: Vec<Row>,
    /// Why groups are in no figure about schemes, by group (0-based).
    left_out: BTreeMap<usize, LeftOut>,
    disagreements: Vec<worst::Disagreement>,
    rules: Stats,
    /// Texts that could not be read for the rules.
    rule_problems: usize,
    inputs: &'a Inputs<'a>,
}

impl Report {
    /// Makes the report; `None` when the work was ended.
    #[must_use]
    pub fn of(inputs: &Inputs<'_>) -> Option<Self> {
        let found = Findings::of(inputs)?;
        let mut document = Document {
            title: "Audit of rollout groups and their grader".to_owned(),
            ..Document::default()
        };
        let mut rows = Vec::new();
        document.text(format!(
            "Made by gagar {}. Date: {} ({}).",
            inputs.version, inputs.date.0, inputs.date.1
        ));
        document.section("In short");
        document.list(words::in_short(&found));
        scope::write(&found, &mut document, &mut rows);
        agreement::write(&found, &mut document, &mut rows);
        schemes::write(&found, &mut document, &mut rows);
        rules::write(&found, &mut document, &mut rows);
        worst::write(&found, &mut document, &mut rows);
        method::write(&found, &mut document);
        Some(Self { document, rows })
    }
}

impl<'a> Findings<'a> {
    fn of(inputs: &'a Inputs<'a>) -> Option<Self> {
        let Inputs {
            session, chosen, ..
        } = *inputs;
        let evidence = GroupEvidence::gather(
            session.set(),
            chosen,
            session.projection(),
            inputs.agreement.blind_only,
        );
        let agreement = Agreement::of(&evidence, inputs.agreement, &|| true)?;
        let accuracy = MeasuredAccuracy::of(session, chosen);
        let cases: Vec<Case> = chosen
            .iter()
            .filter_map(|&group| Case::of(session, group))
            .collect();
        let schemes = with_usual(inputs.schemes, &session.settings().scheme);
        let question = Question {
            schemes: schemes.clone(),
            policies: session.settings().policies,
            accuracy: accuracy.map(|accuracy| accuracy.share),
            top: inputs.top,
        };
        let mut scheme_rows = Vec::new();
        let comparison = compare(
            &cases,
            &question,
            &mut |row| scheme_rows.push(row),
            &mut |_| true,
        )?;
        let policies = question.policies;
        let left_out = cases
            .iter()
            .filter_map(|case| Some((case.group, case.left_out(policies)?)))
            .collect();
        let disagreements = worst::disagreements(session, &evidence, inputs.agreement.aggregate);
        let asked = inputs.rules.clone().all_on();
        let remarks = rule_rates::gather(session, chosen, &asked);
        Some(Self {
            rules: rule_rates::stats(session, &remarks, &asked),
            rule_problems: remarks.iter().map(|of| of.problems.len()).sum(),
            evidence,
            agreement,
            accuracy,
            schemes,
            comparison,
            scheme_rows,
            left_out,
            disagreements,
            inputs,
        })
    }

    /// The id of a group.
    fn group_id(&self, group: usize) -> &str {
        let group = self.inputs.session.group(group);
        group.map_or("", |group| group.id.as_str())
    }
}
