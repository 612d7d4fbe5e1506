//! What was found in a group, by graders and by people, as one list.
//!
//! What is *not* here: how findings are added and changed (`labels.rs`), and the remarks of rules
//! that nobody confirmed ([`crate::domain::scope`]).

use std::collections::BTreeMap;

use super::session::ReviewSession;
use crate::domain::TrajectoryIndex;
use crate::store::{FindingRecord, RuleStamp, Side};

/// Who found something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundBy<'a> {
    /// The annotator of this session.
    You,
    /// Another annotator.
    Another(&'a str),
    /// A grader.
    Grader(&'a str),
}

impl FoundBy<'_> {
    /// Whether a person found it.
    #[must_use]
    pub fn is_person(self) -> bool {
        !matches!(self, Self::Grader(_))
    }
}

/// A finding of a grader or of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupFinding<'a> {
    /// Who found it.
    pub by: FoundBy<'a>,
    /// Its id; of a person's finding only.
    pub id: Option<&'a str>,
    /// What it is about.
    pub trajectory: TrajectoryIndex,
    /// Code of a rubric. Untrusted text.
    pub code: &'a str,
    /// How bad it is, when said. Untrusted text.
    pub severity: Option<&'a str>,
    /// The file; `None` = the whole trajectory. Untrusted text.
    pub file: Option<&'a str>,
    /// Whether the lines are those of the base.
    pub is_old_side: bool,
    /// First and last line (1-based, inclusive); `None` = the whole file.
    pub lines: Option<(u32, u32)>,
    /// The words; may be empty. Untrusted text.
    pub note: &'a str,
    /// The rule whose remark it was.
    pub rule: Option<&'a RuleStamp>,
}

impl ReviewSession {
    /// The findings of a group that may be shown: one's own, those of other people, then those of
    /// the grader's answer that is shown. While something is hidden in a blind group, one's own only.
    #[must_use]
    pub fn findings(&self, group: usize) -> Vec<GroupFinding<'_>> {
        let mut all = Vec::new();
        let (own, others) = self.findings_of_people(group);
        all.extend(own);
        if self.is_hidden(group) {
            return all;
        }
        all.extend(others);
        if let Some(answer) = self.answer(group) {
            all.extend(answer.findings.iter().map(|finding| GroupFinding {
                by: FoundBy::Grader(&answer.grader.name),
                id: None,
                trajectory: finding.trajectory,
                code: &finding.code,
                severity: finding.severity.as_deref(),
                file: finding.file.as_deref(),
                is_old_side: finding.side.as_deref() == Some("old"),
                lines: finding.lines,
                note: finding.note.as_deref().unwrap_or_default(),
                rule: None,
            }));
        }
        all
    }

    /// One's own findings in effect, and those of other people about the group as it is.
    fn findings_of_people(&self, group: usize) -> (Vec<GroupFinding<'_>>, Vec<GroupFinding<'_>>) {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        let Some(data) = self.group(group) else {
            return (own, others);
        };
        let you = &self.identity().annotator;
        let first = (data.id.as_str().to_owned(), String::new());
        let judged = self.projection().judgements.range(first..);
        let judged = judged.take_while(|((id, _), _)| id == data.id.as_str());
        let mut places = None;
        for ((_, annotator), newest) in judged {
            let Some(judgement) = newest.at(&data.fingerprint) else {
                continue;
            };
            for (id, finding) in &judgement.findings {
                let places = places.get_or_insert_with(|| self.places_by_id(group));
                let Some(&trajectory) = places.get(&finding.trajectory) else {
                    continue;
                };
                let (by, list) = match annotator == you {
                    true => (FoundBy::You, &mut own),
                    false => (FoundBy::Another(annotator), &mut others),
                };
                list.push(of_person(by, id, trajectory, finding));
            }
        }
        (own, others)
    }

    /// Trajectory index by the id that events hold.
    fn places_by_id(&self, group: usize) -> BTreeMap<String, TrajectoryIndex> {
        let count = self.group(group).map_or(0, |data| data.trajectories.len());
        let ids = (0..count).filter_map(|index| Some((self.true_id(group, index)?, index)));
        ids.collect()
    }
}

fn of_person<'a>(
    by: FoundBy<'a>,
    id: &'a str,
    trajectory: TrajectoryIndex,
    finding: &'a FindingRecord,
) -> GroupFinding<'a> {
    GroupFinding {
        by,
        id: Some(id),
        trajectory,
        code: &finding.code,
        severity: Some(finding.severity.word()),
        file: finding.file.as_deref(),
        is_old_side: finding.side == Some(Side::Old),
        lines: finding.lines,
        note: &finding.note,
        rule: finding.rule.as_ref(),
    }
}
