//! `gagar.finding/1`: one row per finding of a person, and of the grader when asked for.
//!
//! A finding that a person made of a rule's remark has the provenance `rule-confirmed`.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::Serialize;

use super::{Export, ExportOptions, ExportSource, LabelFinding, TOOL, Written, write_row};
use crate::domain::{Finding, GraderAnswer, RolloutGroup};

/// Every finding.
#[derive(Debug, Clone, Copy)]
pub struct Findings;

#[derive(Serialize)]
struct Row<'a> {
    schema: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding_id: Option<&'a str>,
    group_id: &'a str,
    /// The annotator, or the grader's name.
    by: &'a str,
    provenance: &'static str,
    #[serde(flatten)]
    finding: FindingFields<'a>,
    group_sha256: &'a str,
    stale: bool,
    tool: &'static str,
}

/// What is written of a finding, here and in labels.
#[derive(Serialize)]
pub(super) struct FindingFields<'a> {
    trajectory_id: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rubric: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_version: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    after_reveal: bool,
}

impl<'a> FindingFields<'a> {
    pub(super) fn of(finding: &'a LabelFinding) -> Self {
        let rule = finding.rule.as_ref();
        Self {
            trajectory_id: &finding.trajectory,
            code: &finding.code,
            severity: Some(finding.severity.word()),
            file: finding.file.as_deref(),
            side: finding.side,
            lines: finding.lines,
            note: &finding.note,
            rubric: Some(&finding.rubric),
            rule: rule.map(|(id, _)| id.as_str()),
            rule_version: rule.map(|(_, version)| version.as_str()),
            after_reveal: finding.after_reveal,
        }
    }

    fn of_grader(group: &'a RolloutGroup, finding: &'a Finding) -> Option<Self> {
        Some(Self {
            trajectory_id: group.trajectories.get(finding.trajectory)?.id.as_str(),
            code: &finding.code,
            severity: finding.severity.as_deref(),
            file: finding.file.as_deref(),
            side: finding.side.as_deref(),
            lines: finding.lines,
            note: finding.note.as_deref().unwrap_or_default(),
            rubric: None,
            rule: None,
            rule_version: None,
            after_reveal: false,
        })
    }
}

impl Export for Findings {
    fn name(&self) -> &'static str {
        "findings"
    }

    fn doc(&self) -> &'static str {
        "one row per finding of a person; --grader adds the grader's (gagar.finding/1)"
    }

    fn write(
        &self,
        source: &dyn ExportSource,
        options: &ExportOptions,
        out: &mut dyn Write,
    ) -> io::Result<Written> {
        let mut written = Written::default();
        let mut groups = BTreeSet::new();
        // A submission and the draft after it hold the same findings.
        let mut seen = BTreeSet::new();
        for label in source.labels() {
            for finding in &label.findings {
                if !seen.insert(finding.id.clone()) {
                    continue;
                }
                let row = Row {
                    schema: "gagar.finding/1",
                    finding_id: Some(&finding.id),
                    group_id: &label.group_id,
                    by: &label.annotator,
                    provenance: match finding.rule {
                        Some(_) => "rule-confirmed",
                        None => "human",
                    },
                    finding: FindingFields::of(finding),
                    group_sha256: &label.fingerprint,
                    stale: label.stale,
                    tool: TOOL,
                };
                write_row(out, &row)?;
                written.rows += 1;
                groups.insert(label.group_id.clone());
            }
        }
        let answers = source.groups().iter().enumerate();
        let answers = answers.filter_map(|(index, group)| Some((group, source.answer(index)?)));
        let mut left_out = 0;
        for (group, answer) in answers {
            if options.grader_findings {
                let rows = write_grader(group, answer, out)?;
                written.rows += rows;
                if rows > 0 {
                    groups.insert(group.id.as_str().to_owned());
                }
            } else {
                left_out += answer.findings.len();
            }
        }
        if left_out > 0 {
            let note =
                format!("{left_out} findings of the grader are left out: --grader adds them");
            written.notes.push(note);
        }
        written.groups = groups.len() as u64;
        Ok(written)
    }
}

fn write_grader(
    group: &RolloutGroup,
    answer: &GraderAnswer,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let findings = answer.findings.iter();
    let mut rows = 0;
    for finding in findings.filter_map(|finding| FindingFields::of_grader(group, finding)) {
        let row = Row {
            schema: "gagar.finding/1",
            finding_id: None,
            group_id: group.id.as_str(),
            by: &answer.grader.name,
            provenance: "grader",
            finding,
            group_sha256: &group.fingerprint,
            stale: false,
            tool: TOOL,
        };
        write_row(out, &row)?;
        rows += 1;
    }
    Ok(rows)
}
