//! What exports read of a review: labels of every annotator, computed advantages, texts.

use super::change::restrict;
use super::session::ReviewSession;
use super::view::{RankingSource, passing};
use std::sync::Arc;

use crate::domain::{Content, GraderAnswer, RolloutGroup};
use crate::export::{Computed, ExportOptions, ExportSource, Label, LabelFinding, LabelState};
use crate::raters::{Aggregate, GroupEvidence, Provenance};
use crate::store::projection::{Judgement, Submission};
use crate::store::{FindingRecord, Side};

impl RankingSource {
    /// The word used on the command line and in export options.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Counted => "counted",
            Self::Human => "human",
            Self::Consensus => "consensus",
            Self::Grader => "grader",
            Self::None => "none",
        }
    }
}

impl ReviewSession {
    /// The options of an export under the current settings: names of estimator and scheme, and
    /// every further choice that the numbers depend on.
    #[must_use]
    pub fn export_options(&self) -> ExportOptions {
        let settings = self.settings();
        ExportOptions {
            estimator: settings.estimator.to_string(),
            scheme: settings.scheme.to_string(),
            choices: format!(
                "source={}{} {:?}",
                settings.source.word(),
                if settings.blind_only {
                    " blind_only"
                } else {
                    ""
                },
                settings.policies
            ),
            ..ExportOptions::default()
        }
    }

    /// What people said of a group, without the grader.
    pub(super) fn evidence_of(&self, group: usize) -> Option<GroupEvidence> {
        let data = self.set().groups.get(group)?;
        let blind_only = self.settings().blind_only;
        let projection = self.projection();
        Some(GroupEvidence::of(group, data, &[], projection, blind_only))
    }

    /// How the ranking of a group by people came about; `None` when no person ranked it.
    #[must_use]
    pub fn provenance(&self, group: usize) -> Option<Provenance> {
        let found = self.evidence_of(group)?;
        found.consensus(Aggregate::default()).provenance
    }

    /// 0-based index of the group with this id.
    #[must_use]
    pub fn position(&self, group_id: &str) -> Option<usize> {
        self.set()
            .groups
            .iter()
            .position(|group| group.id.as_str() == group_id)
    }
}

impl ExportSource for ReviewSession {
    fn groups(&self) -> &[Arc<RolloutGroup>] {
        &self.set().groups
    }

    fn labels(&self) -> Vec<Label> {
        let by_id: std::collections::BTreeMap<&str, usize> = self
            .groups()
            .iter()
            .enumerate()
            .map(|(index, group)| (group.id.as_str(), index))
            .collect();
        let provenances: Vec<&'static str> = (0..self.groups().len())
            .map(|group| self.provenance(group).map_or("", Provenance::word))
            .collect();
        let mut labels = Vec::new();
        let blind_only = self.settings().blind_only;
        for ((group_id, annotator), newest) in &self.projection().judgements {
            let group = by_id.get(group_id.as_str()).copied();
            let current = group.and_then(|index| self.groups().get(index));
            // Judgements of the group as it was before its data changed stand behind the newest.
            for judgement in std::iter::successors(Some(newest), |at| at.stale.as_deref()) {
                let said = judgement.said(blind_only);
                let template = Label {
                    annotation_id: String::new(),
                    group_id: group_id.clone(),
                    group,
                    annotator: annotator.clone(),
                    state: LabelState::Draft,
                    skip_reason: said.skipped.clone(),
                    flag_reason: said.flagged.clone(),
                    confidence: said.confidence,
                    findings: said
                        .findings
                        .iter()
                        .filter(|(_, finding)| !(blind_only && finding.after_reveal))
                        .map(label_finding)
                        .collect(),
                    tiers: None,
                    unranked: Vec::new(),
                    shown_order: judgement.opened_order.clone(),
                    origin: String::new(),
                    note: said.note.clone(),
                    active_ms: 0,
                    created_ms: judgement.created_ms,
                    submitted_ms: None,
                    fingerprint: judgement.fingerprint.clone(),
                    stale: false,
                    provenance: "",
                    blind: judgement.blind,
                    after_reveal: judgement.blind && judgement.revealed,
                };
                // Whoever settles a group has seen everything.
                let settled = settled(judgement, &template).filter(|_| !blind_only);
                let sent = self.counting(judgement);
                let sent = sent.map(|sent| submitted(sent, &template));
                let begun = draft(judgement, &template).filter(|_| !blind_only);
                let all = [settled, sent, begun];
                labels.extend(all.into_iter().flatten().map(|label| {
                    let stale = current.is_some_and(|now| now.fingerprint != label.fingerprint);
                    let of = group.and_then(|group| provenances.get(group).copied());
                    // A draft counts for nothing, and what is stale is no part of what counts now.
                    let counts = label.tiers.is_some() && label.state.counts() && !stale;
                    Label {
                        stale,
                        provenance: of.filter(|_| counts).unwrap_or_default(),
                        ..label
                    }
                }));
            }
        }
        labels
    }

    fn answer(&self, group: usize) -> Option<&GraderAnswer> {
        Self::answer(self, group)
    }

    fn computed(&self, group: usize) -> Result<Computed, String> {
        let missing = || "no such group".to_owned();
        let data = self.group(group).ok_or_else(missing)?;
        let reviewed = self.reviewed(group).ok_or_else(missing)?;
        Ok(Computed {
            kept: reviewed.class.is_kept(),
            ranking: restrict(&reviewed.shown.ranking, &passing(data)),
            source: reviewed.shown.source,
            annotation_id: reviewed.shown.annotation_id,
            baseline: reviewed.baseline?,
            redistributed: reviewed.redistributed?,
        })
    }

    fn open(&self, group: usize) -> Result<Content, String> {
        let opened = self.set().open(group);
        opened.map_err(|problem| format!("{}: {}", problem.path.display(), problem.reason))
    }
}

/// How a person who saw every ranking settled the group.
fn settled(judgement: &Judgement, template: &Label) -> Option<Label> {
    let settled = judgement.adjudication.as_ref()?;
    Some(Label {
        annotation_id: settled.event_id.clone(),
        state: LabelState::Adjudicated,
        tiers: Some(settled.tiers.clone()),
        unranked: settled.unranked.clone(),
        origin: "adjudicated".to_owned(),
        blind: false,
        after_reveal: false,
        note: settled.note.clone(),
        active_ms: settled.active_ms,
        submitted_ms: Some(settled.at_ms),
        ..template.clone()
    })
}

fn submitted(submission: &Submission, template: &Label) -> Label {
    Label {
        annotation_id: submission.event_id.clone(),
        state: LabelState::Submitted,
        tiers: Some(submission.tiers.clone()),
        unranked: submission.unranked.clone(),
        shown_order: submission.shown_order.clone(),
        origin: submission.origin.clone(),
        confidence: submission.confidence,
        active_ms: submission.active_ms,
        submitted_ms: Some(submission.at_ms),
        fingerprint: submission.fingerprint.clone(),
        blind: submission.blind,
        after_reveal: submission.after_reveal,
        ..template.clone()
    }
}

fn label_finding((id, finding): &(String, FindingRecord)) -> LabelFinding {
    let rule = finding.rule.as_ref();
    LabelFinding {
        id: id.clone(),
        trajectory: finding.trajectory.clone(),
        code: finding.code.clone(),
        rubric: finding.rubric.clone(),
        severity: finding.severity,
        file: finding.file.clone(),
        side: finding.side.map(|side| match side {
            Side::Old => "old",
            Side::New => "new",
        }),
        lines: finding.lines,
        note: finding.note.clone(),
        rule: rule.map(|rule| (rule.id.clone(), rule.version.clone())),
        after_reveal: finding.after_reveal,
    }
}

/// What is begun and not submitted: a draft, or what was said beside a ranking.
fn draft(judgement: &Judgement, template: &Label) -> Option<Label> {
    let counts = judgement.submitted.is_some();
    let begun = if counts {
        judgement.edited_since_submit && judgement.draft.is_some()
    } else {
        let says_how = judgement.flagged.is_some() || judgement.confidence.is_some();
        let says_what = !judgement.note.is_empty() || !judgement.findings.is_empty();
        judgement.draft.is_some() || judgement.skipped.is_some() || says_how || says_what
    };
    let state = match (&judgement.skipped, &judgement.flagged, &judgement.draft) {
        (Some(_), _, _) => LabelState::Skipped,
        (None, Some(_), None) => LabelState::Flagged,
        _ => LabelState::Draft,
    };
    begun.then(|| Label {
        state,
        annotation_id: judgement.undo.last().cloned().unwrap_or_default(),
        tiers: judgement.draft.clone(),
        origin: judgement.origin.clone(),
        ..template.clone()
    })
}
