//! The part of the report about the out-of-scope rules: how often each speaks, and how often people
//! agree.

use super::Findings;
use super::csv::{CsvTable, number};
use super::document::{Document, Table};
use crate::domain::counted;
use crate::scope::{RULES, RuleId};

/// Writes the section.
pub fn write(found: &Findings<'_>, document: &mut Document, rows: &mut Vec<CsvTable>) {
    let stats = &found.rules;
    let rules = found.inputs.rules;
    document.section("Out-of-scope rules");
    document.text(format!(
        "What {} said of {} passing and {} failing candidates with a diff and of {} in {}. A remark \
         is a place to look at, never a verdict.",
        counted(RULES.len(), "rule", "rules"),
        stats.all.passing,
        stats.all.failing,
        counted(stats.all.reference, "reference patch", "reference patches"),
        counted(stats.groups, "group", "groups"),
    ));
    let mut table = Table::new(
        "Rules: candidates that each speaks of, of those it could speak of",
        &[
            "rule",
            "level",
            "in use",
            ">passing",
            ">failing",
            ">reference",
            ">groups",
            ">remarks",
            ">confirmed",
            ">dismissed",
            ">precision",
        ],
    );
    let mut csv = CsvTable::new(
        "rules",
        "an out-of-scope rule, counted over candidates",
        &[
            "rule",
            "version",
            "level",
            "on",
            "passing",
            "of_passing",
            "failing",
            "of_failing",
            "reference",
            "of_reference",
            "groups",
            "remarks",
            "confirmed",
            "dismissed",
            "precision",
        ],
    );
    let mut silent = 0;
    for (rule, of) in RULES.iter().zip(&stats.rules) {
        // A rule that compares says nothing of a reference.
        let tells_reference = !rule.compares || rule.id == RuleId::FileNotInIssue;
        csv.rows.push(vec![
            rule.name.to_owned(),
            rules.version().to_owned(),
            rule.level.word().to_owned(),
            rules.is_on(rule.id).to_string(),
            of.candidates.passing.to_string(),
            of.of.passing.to_string(),
            of.candidates.failing.to_string(),
            of.of.failing.to_string(),
            if tells_reference {
                of.candidates.reference.to_string()
            } else {
                String::new()
            },
            if tells_reference {
                of.of.reference.to_string()
            } else {
                String::new()
            },
            of.groups.to_string(),
            of.remarks.to_string(),
            of.confirmed.to_string(),
            of.dismissed.to_string(),
            number(of.precision()),
        ]);
        if of.remarks == 0 && of.candidates.reference == 0 && of.precision().is_none() {
            silent += 1;
            continue;
        }
        let reference = match tells_reference {
            true => share(of.candidates.reference, of.of.reference),
            false => "—".to_owned(),
        };
        table.row([
            rule.name.to_owned(),
            rule.level.word().to_owned(),
            if rules.is_on(rule.id) { "yes" } else { "no" }.to_owned(),
            share(of.candidates.passing, of.of.passing),
            share(of.candidates.failing, of.of.failing),
            reference,
            of.groups.to_string(),
            of.remarks.to_string(),
            of.confirmed.to_string(),
            of.dismissed.to_string(),
            of.precision()
                .map_or_else(|| "—".to_owned(), |share| format!("{share:.2}")),
        ]);
    }
    table.notes.push(format!("rules {}", rules.version()));
    if silent > 0 {
        let silent = counted(silent, "rule is", "rules are");
        table
            .notes
            .push(format!("{silent} silent here and only in rules.csv"));
    }
    table.notes.push(
        "precision: confirmed over all verdicts, each person counted; rules that are off are asked, too"
            .to_owned(),
    );
    document.table(table);
    if found.rule_problems > 0 {
        let groups = counted(found.rule_problems, "text", "texts");
        document.text(format!(
            "{groups} could not be read for the rules; `gagar scope` tells which."
        ));
    }
    rows.push(csv);
}

/// `12 of 40 (30.0 %)`.
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn share(count: usize, of: usize) -> String {
    match of {
        0 => "—".to_owned(),
        of => format!(
            "{count} of {of} ({:.1} %)",
            count as f64 * 100.0 / of as f64
        ),
    }
}
