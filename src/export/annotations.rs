//! `gagar.annotation/1`: every label of every annotator, drafts and stale ones too, for audit and
//! backup (`grader-and-scope.md` 5.2).
//!
//! A settlement of a group has the state `adjudicated`. `provenance` tells how the ranking of the
//! group by all people came about. A row has `"stale": true` when the loaded group is not the one that was judged.

use std::io::{self, Write};

use serde::Serialize;

use super::findings::FindingFields;
use super::{Export, ExportOptions, ExportSource, TOOL, Written, write_row};
use crate::domain::counted;

/// Every label.
#[derive(Debug, Clone, Copy)]
pub struct Annotations;

#[derive(Serialize)]
struct Row<'a> {
    schema: &'static str,
    annotation_id: &'a str,
    group_id: &'a str,
    annotator: &'a str,
    state: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    shown_order: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    tiers: Option<&'a [Vec<String>]>,
    unranked: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    origin: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    flagged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    flag_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingFields<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Note<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    active_ms: Option<u64>,
    created_ms: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    submitted_ms: Option<i64>,
    blind: bool,
    after_reveal: bool,
    group_sha256: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    provenance: &'a str,
    stale: bool,
    tool: &'static str,
}

#[derive(Serialize)]
struct Note<'a> {
    text: &'a str,
}

impl Export for Annotations {
    fn name(&self) -> &'static str {
        "annotations"
    }

    fn doc(&self) -> &'static str {
        "every label of every annotator, for audit and backup (gagar.annotation/1)"
    }

    fn write(
        &self,
        source: &dyn ExportSource,
        _: &ExportOptions,
        out: &mut dyn Write,
    ) -> io::Result<Written> {
        let mut written = Written::default();
        let (mut stale, mut absent) = (0usize, 0usize);
        let mut last_group = None;
        for label in source.labels() {
            let row = Row {
                schema: "gagar.annotation/1",
                annotation_id: &label.annotation_id,
                group_id: &label.group_id,
                annotator: &label.annotator,
                state: label.state.word(),
                shown_order: &label.shown_order,
                tiers: label.tiers.as_deref(),
                unranked: &label.unranked,
                origin: &label.origin,
                skip_reason: label.skip_reason.as_deref(),
                flagged: label.flag_reason.is_some(),
                flag_reason: label.flag_reason.as_deref().filter(|why| !why.is_empty()),
                confidence: label.confidence.map(|level| match level {
                    1 => "low",
                    2 => "medium",
                    _ => "high",
                }),
                findings: label.findings.iter().map(FindingFields::of).collect(),
                notes: Some(label.note.as_str())
                    .filter(|text| !text.is_empty())
                    .map(|text| Note { text })
                    .into_iter()
                    .collect(),
                active_ms: Some(label.active_ms).filter(|&ms| ms > 0),
                created_ms: label.created_ms,
                submitted_ms: label.submitted_ms,
                blind: label.blind,
                after_reveal: label.after_reveal,
                group_sha256: &label.fingerprint,
                provenance: label.provenance,
                stale: label.stale,
                tool: TOOL,
            };
            write_row(out, &row)?;
            written.rows += 1;
            stale += usize::from(label.stale);
            absent += usize::from(label.group.is_none());
            if last_group.as_ref() != Some(&label.group_id) {
                written.groups += 1;
                last_group = Some(label.group_id.clone());
            }
        }
        if stale > 0 {
            written.notes.push(format!(
                "{} stale: the group has changed since it was judged",
                counted(stale, "row is", "rows are")
            ));
        }
        if absent > 0 {
            written.notes.push(format!(
                "{} about groups that the paths given do not hold",
                counted(absent, "row is", "rows are")
            ));
        }
        Ok(written)
    }
}
