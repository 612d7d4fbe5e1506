//! Groups and judgements to files: one file per target, one row each in [`EXPORTS`].
//!
//! A target sees the loaded groups, the labels and the computed advantages through
//! [`ExportSource`] and writes JSON lines; the same source and options give the same bytes. What is
//! *not* here: where labels are stored, how advantages are computed, files and paths.

mod advantages;
mod annotations;
mod findings;
mod groups;
mod sft;

use std::io::{self, Write};
use std::sync::Arc;

use crate::domain::rubric::Severity;
use crate::domain::{Content, GraderAnswer, Ranking, Redistribution, RolloutGroup};

pub use groups::write_group;

/// Name and version written into files.
pub const TOOL: &str = concat!("gagar ", env!("CARGO_PKG_VERSION"));

/// Where a label stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelState {
    /// Begun, counts for nothing yet.
    Draft,
    /// Submitted: counts.
    Submitted,
    /// The group was settled so by a person who saw every ranking: counts before submissions.
    Adjudicated,
    /// Set aside without a ranking.
    Skipped,
    /// Flagged for another look, and nothing ranked.
    Flagged,
}

impl LabelState {
    /// Whether a ranking in this state counts.
    #[must_use]
    pub fn counts(self) -> bool {
        matches!(self, Self::Submitted | Self::Adjudicated)
    }

    /// The word used in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Submitted => "submitted",
            Self::Adjudicated => "adjudicated",
            Self::Skipped => "skipped",
            Self::Flagged => "flagged",
        }
    }
}

/// One annotator's ranking of one group, as the log holds it. Tiers are trajectory ids, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// Id of the event that made it.
    pub annotation_id: String,
    /// The group's id.
    pub group_id: String,
    /// 0-based index of the group in [`ExportSource::groups`]; `None` when it is not loaded.
    pub group: Option<usize>,
    /// Who.
    pub annotator: String,
    /// Where it stands.
    pub state: LabelState,
    /// Why the group was set aside; may be empty.
    pub skip_reason: Option<String>,
    /// Why it is flagged for another look; may be empty.
    pub flag_reason: Option<String>,
    /// How sure the annotator is: 1 low, 2 medium, 3 high.
    pub confidence: Option<u8>,
    /// The annotator's findings in effect, oldest first.
    pub findings: Vec<LabelFinding>,
    /// The ranking; `None` when nothing is ranked.
    pub tiers: Option<Vec<Vec<String>>>,
    /// Passing trajectories left unranked (submitted labels only; empty for drafts).
    pub unranked: Vec<String>,
    /// The order shown when the judgement began; empty when not recorded.
    pub shown_order: Vec<String>,
    /// `scratch`, `edited_grader` or `accepted_grader`; empty when there is only a note.
    pub origin: String,
    /// The group's note, or empty.
    pub note: String,
    /// Focused time in milliseconds, 0 when not measured.
    pub active_ms: u64,
    /// Time of the annotator's first event on the group, in milliseconds since the Unix epoch.
    pub created_ms: i64,
    /// Time of the submission, in milliseconds since the Unix epoch.
    pub submitted_ms: Option<i64>,
    /// Fingerprint of the group that was judged.
    pub fingerprint: String,
    /// How the ranking of the group by all people came about (`single`, `unanimous`, `adjudicated`,
    /// `aggregate` or `unresolved`); empty for drafts, stale labels and groups that are not loaded.
    pub provenance: &'static str,
    /// Whether the loaded group has another fingerprint; false when the group is not loaded.
    pub stale: bool,
    /// Whether names, grader and advantages were hidden until then, or until the reveal.
    pub blind: bool,
    /// Whether they had been revealed by then.
    pub after_reveal: bool,
}

/// A finding of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelFinding {
    /// Its id.
    pub id: String,
    /// Id of the trajectory.
    pub trajectory: String,
    /// Code of the rubric.
    pub code: String,
    /// Version of the rubric.
    pub rubric: String,
    /// How bad it is.
    pub severity: Severity,
    /// The file; `None` = the whole trajectory.
    pub file: Option<String>,
    /// `old` or `new`: which side the lines are on.
    pub side: Option<&'static str>,
    /// First and last line (1-based, inclusive); `None` = the whole file.
    pub lines: Option<(u32, u32)>,
    /// The words; may be empty.
    pub note: String,
    /// Id and version of the rule whose remark it was.
    pub rule: Option<(String, String)>,
    /// Whether a blind group had been revealed by then.
    pub after_reveal: bool,
}

/// What was computed for one group. Indices are positions in the group's trajectories.
#[derive(Debug, Clone, PartialEq)]
pub struct Computed {
    /// Whether dynamic sampling keeps the group.
    pub kept: bool,
    /// The ranking that moved the advantages, passing trajectories only; empty when nobody ranked.
    pub ranking: Ranking,
    /// `human:NAME`, `consensus:PROVENANCE`, `grader:NAME` or `none:`.
    pub source: String,
    /// Id of the submitted label, or empty.
    pub annotation_id: String,
    /// Baseline advantages, one per trajectory.
    pub baseline: Vec<f64>,
    /// Redistributed advantages.
    pub redistributed: Redistribution,
}

/// What an export reads.
pub trait ExportSource {
    /// The loaded groups.
    fn groups(&self) -> &[Arc<RolloutGroup>];
    /// Every label of every annotator, by group id, annotator, then adjudicated before submitted before draft.
    fn labels(&self) -> Vec<Label>;
    /// The grader's answer about the group at this 0-based index.
    fn answer(&self, group: usize) -> Option<&GraderAnswer>;
    /// What was computed for the group at this 0-based index.
    ///
    /// # Errors
    /// Why it cannot be computed, one sentence.
    fn computed(&self, group: usize) -> Result<Computed, String>;
    /// The texts of the group at this 0-based index.
    ///
    /// # Errors
    /// Which file cannot be read, one sentence.
    fn open(&self, group: usize) -> Result<Content, String>;
}

/// Options of an export.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportOptions {
    /// Name of the estimator, as printed.
    pub estimator: String,
    /// Name of the scheme, as printed.
    pub scheme: String,
    /// Every further choice that the numbers depend on, as text.
    pub choices: String,
    /// Also groups that dynamic sampling drops.
    pub all: bool,
    /// Id of the export; derived from the source and the options when not given.
    pub export_id: Option<String>,
    /// Rows per label with the candidates permuted; 0 = one row, candidates as shown.
    pub permute: u32,
    /// Also the grader's findings.
    pub grader_findings: bool,
    /// Reasoning of training records from the annotator's findings, before the note.
    pub reason_from_findings: bool,
}

/// What an export wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Written {
    /// Rows.
    pub rows: u64,
    /// Groups that have a row.
    pub groups: u64,
    /// Id written into every row, for exports that have one; their file gets a manifest beside it.
    pub export_id: Option<String>,
    /// What was left out for a known, harmless reason, one sentence each.
    pub notes: Vec<String>,
    /// What could not be written, one sentence each.
    pub problems: Vec<String>,
}

/// Writes one kind of file.
pub trait Export: Sync {
    /// The name, as typed.
    fn name(&self) -> &'static str;
    /// One line of help.
    fn doc(&self) -> &'static str;
    /// Writes the rows and returns what was written and what was left out.
    ///
    /// # Errors
    /// When `out` cannot be written.
    fn write(
        &self,
        source: &dyn ExportSource,
        options: &ExportOptions,
        out: &mut dyn Write,
    ) -> io::Result<Written>;
}

/// Every export, in the order of the help.
pub static EXPORTS: &[&dyn Export] = &[
    &sft::GraderSft,
    &annotations::Annotations,
    &findings::Findings,
    &advantages::Advantages,
];

/// The export of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Export> {
    EXPORTS.iter().copied().find(|export| export.name() == name)
}

/// Writes one row and its newline.
fn write_row(out: &mut dyn Write, row: &impl serde::Serialize) -> io::Result<()> {
    out.write_all(json_line(row)?.as_bytes())
}

/// One row of JSON with its newline. Characters that would drive a terminal or hide in it (C1
/// controls, DEL, bidirectional and zero-width ones) are written as `\u` escapes: the same JSON,
/// safe to look at.
///
/// # Errors
/// When the row cannot be written as JSON.
pub fn json_line(row: &impl serde::Serialize) -> serde_json::Result<String> {
    use std::fmt::Write as _;
    let plain = serde_json::to_string(row)?;
    let mut line = String::with_capacity(plain.len() + 1);
    for c in plain.chars() {
        if drives_terminals(c) {
            // Such characters stand in strings only; all of them are below U+10000. Writing to a
            // string cannot fail.
            let _ = write!(line, "\\u{:04x}", u32::from(c));
        } else {
            line.push(c);
        }
    }
    line.push('\n');
    Ok(line)
}

fn drives_terminals(c: char) -> bool {
    matches!(c,
        '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Lower-case hex of a SHA-256 digest.
#[must_use]
pub fn hex(digest: &[u8]) -> String {
    use std::fmt::Write as _;
    digest.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::json_line;

    #[test]
    fn a_row_holds_no_character_that_drives_a_terminal_and_stays_the_same_json() {
        let text = "a\u{1b}\u{7f}\u{9b}\u{202e}\u{200b}\u{feff}é日😀\u{0}";
        let line = json_line(&text).unwrap();
        assert!(
            !line
                .trim_end()
                .chars()
                .any(|c| c.is_control() || super::drives_terminals(c))
        );
        assert!(line.contains("é日😀"));
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
