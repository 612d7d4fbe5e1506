//! What a person says of a group beside its ranking: findings, verdicts on remarks, skips, flags,
//! confidence, settlements, known rankings, time.
//!
//! What is *not* here: the ranking's own changes (`change.rs`).

use super::change::{Change, RemarkChange, ReviewError};
use super::session::ReviewSession;
use super::view::passing;
use crate::domain::Ranking;
use crate::store::{EventBody, FindingRecord, Verdict};

impl ReviewSession {
    /// Describes a change that is not about the ranking, and tells it in one line; `id` will be the
    /// event's id.
    pub(super) fn propose_label(
        &self,
        group: usize,
        change: Change,
        id: &str,
    ) -> Result<(EventBody, String), ReviewError> {
        let judgement = self.judgement(group);
        match change {
            Change::Open if self.any_judgement(group).is_some() => {
                Err(ReviewError::Nothing("opened already"))
            }
            Change::Open => Ok((self.opening(group), String::new())),
            Change::Skip(reason) => {
                let before = judgement.and_then(|judgement| judgement.skipped.clone());
                if before == reason {
                    return Err(ReviewError::Nothing("it is so already"));
                }
                let mut summary = match &reason {
                    Some(reason) if reason.is_empty() => "skipped".to_owned(),
                    Some(reason) => format!("skipped: {reason}"),
                    None => "no longer skipped".to_owned(),
                };
                let counted = judgement.is_some_and(|judgement| judgement.submitted.is_some());
                if counted && reason.is_some() {
                    summary.push_str("; its submission no longer counts");
                }
                Ok((EventBody::SkipSet { reason, before }, summary))
            }
            Change::Flag(reason) => {
                let before = judgement.and_then(|judgement| judgement.flagged.clone());
                if before == reason {
                    return Err(ReviewError::Nothing("it is so already"));
                }
                let summary = match &reason {
                    Some(reason) if reason.is_empty() => "flagged".to_owned(),
                    Some(reason) => format!("flagged: {reason}"),
                    None => "no longer flagged".to_owned(),
                };
                Ok((EventBody::FlagSet { reason, before }, summary))
            }
            Change::Confidence(level) => {
                let before = judgement.and_then(|judgement| judgement.confidence);
                if before == level {
                    return Err(ReviewError::Nothing("it is so already"));
                }
                let summary = match level {
                    Some(1) => "confidence: low",
                    Some(2) => "confidence: medium",
                    Some(3) => "confidence: high",
                    None => "confidence: not said",
                    Some(_) => {
                        let text = "confidence is 1, 2 or 3".to_owned();
                        return Err(ReviewError::Invalid(text));
                    }
                };
                Ok((
                    EventBody::ConfidenceSet { level, before },
                    summary.to_owned(),
                ))
            }
            Change::AddFinding(finding) => self.propose_finding(group, id, Some(finding)),
            Change::ChangeFinding(id, finding) => self.propose_finding(group, &id, Some(finding)),
            Change::RemoveFinding(id) => self.propose_finding(group, &id, None),
            Change::Remark(remark) => self.propose_remark(group, remark),
            Change::Pair {
                first,
                second,
                verdict,
                after,
            } => {
                self.check(group, &after)?;
                let name = |index| self.true_id(group, index).ok_or(ReviewError::NoGroup);
                let before = self.draft(group).unwrap_or_default();
                let body = EventBody::PairSet {
                    first: name(first)?,
                    second: name(second)?,
                    verdict,
                    before: self.to_ids(group, &before),
                    after: self.to_ids(group, &after),
                };
                Ok((body, "verdict recorded".to_owned()))
            }
            Change::Adjudicate { ranking, note } => self.propose_settling(group, &ranking, note),
            Change::Gold { ranking, reason } => {
                self.check(group, &ranking)?;
                let id = self.group(group).ok_or(ReviewError::NoGroup)?.id.as_str();
                if ranking.is_empty() && !self.projection().gold.contains_key(id) {
                    return Err(ReviewError::Nothing("its ranking is not known"));
                }
                let summary = match ranking.is_empty() {
                    true => "no known ranking any more",
                    false => "known ranking set",
                };
                let tiers = self.to_ids(group, &ranking);
                Ok((EventBody::GoldSet { tiers, reason }, summary.to_owned()))
            }
            Change::Reveal => self.propose_reveal(group),
            Change::Spend(active_ms) => Ok((EventBody::TimeAdd { active_ms }, String::new())),
            Change::Move(_)
            | Change::Set(_)
            | Change::AcceptGrader
            | Change::KeepDraft
            | Change::Submit
            | Change::Note(_)
            | Change::Undo
            | Change::Redo => Err(ReviewError::NoGroup),
        }
    }

    fn propose_finding(
        &self,
        group: usize,
        id: &str,
        after: Option<FindingRecord>,
    ) -> Result<(EventBody, String), ReviewError> {
        let before = self
            .judgement(group)
            .and_then(|judgement| judgement.finding(id).cloned());
        if before == after {
            return Err(ReviewError::Nothing("the finding is the same"));
        }
        if let Some(finding) = &after {
            self.check_trajectory(group, &finding.trajectory)?;
        }
        let after = after.map(|finding| FindingRecord {
            after_reveal: self.is_revealed(group),
            ..finding
        });
        let summary = match (&before, &after) {
            (None, Some(new)) => format!("finding added: {}", new.code),
            (Some(_), Some(new)) => format!("finding changed: {}", new.code),
            (Some(old), None) => format!("finding removed: {}", old.code),
            (None, None) => return Err(ReviewError::Nothing("there is no such finding")),
        };
        let finding_id = id.to_owned();
        let body = EventBody::FindingSet {
            finding_id,
            before,
            after,
        };
        Ok((body, summary))
    }

    fn check_trajectory(&self, group: usize, id: &str) -> Result<(), ReviewError> {
        let count = self.group(group).map_or(0, |data| data.trajectories.len());
        let known = (0..count).any(|index| self.true_id(group, index).as_deref() == Some(id));
        known.then_some(()).ok_or(ReviewError::NoGroup)
    }

    fn propose_remark(
        &self,
        group: usize,
        change: RemarkChange,
    ) -> Result<(EventBody, String), ReviewError> {
        self.check_trajectory(group, &change.trajectory)?;
        let before = self
            .judgement(group)
            .and_then(|judgement| judgement.remarks.get(&change.remark))
            .map(|(_, verdict)| *verdict);
        if before == change.verdict {
            return Err(ReviewError::Nothing("that is said already"));
        }
        let rule = &change.rule.id;
        let summary = match change.verdict {
            Some(Verdict::Confirmed) => format!("{rule} confirmed: it is a finding"),
            Some(Verdict::Dismissed) => format!("{rule} dismissed"),
            None => format!("{rule} is open again"),
        };
        let confirmed = change.verdict == Some(Verdict::Confirmed);
        let finding = change.finding.filter(|_| confirmed);
        let body = EventBody::RemarkSet {
            finding: finding.map(|finding| FindingRecord {
                after_reveal: self.is_revealed(group),
                rule: Some(change.rule.clone()),
                ..finding
            }),
            remark: change.remark,
            rule: change.rule,
            trajectory: change.trajectory,
            file: change.file,
            lines: change.lines,
            verdict: change.verdict,
            before,
        };
        Ok((body, summary))
    }

    fn propose_settling(
        &self,
        group: usize,
        ranking: &Ranking,
        note: String,
    ) -> Result<(EventBody, String), ReviewError> {
        self.check(group, ranking)?;
        let data = self.group(group).ok_or(ReviewError::NoGroup)?;
        let judgement = self.judgement(group);
        let before = judgement.and_then(|judgement| judgement.adjudication.as_ref());
        let tiers = self.to_ids(group, ranking);
        let same = match before {
            Some(before) => before.tiers == tiers && before.note == note,
            None => tiers.is_empty(),
        };
        if same {
            return Err(ReviewError::Nothing("it is settled so already"));
        }
        let id = data.id.as_str();
        let submissions = self.projection().judgements.iter();
        let sources = submissions
            .filter(|((of, _), _)| of == id)
            .filter_map(|(_, judgement)| judgement.at(&data.fingerprint)?.submitted.as_ref())
            .map(|submission| submission.event_id.clone())
            .collect();
        let unranked = match ranking.is_empty() {
            true => Vec::new(),
            false => ranking.unranked(&passing(data)),
        };
        let summary = match ranking.is_empty() {
            true => "settlement taken back",
            false => "group settled",
        };
        let body = EventBody::Adjudicate {
            unranked: unranked
                .into_iter()
                .filter_map(|index| self.true_id(group, index))
                .collect(),
            tiers,
            sources,
            note,
            active_ms: self.stretch_ms(),
        };
        Ok((body, summary.to_owned()))
    }

    fn propose_reveal(&self, group: usize) -> Result<(EventBody, String), ReviewError> {
        let judgement = self.judgement(group);
        let is_blind = judgement.is_some_and(|judgement| judgement.blind);
        if judgement.is_some_and(|judgement| judgement.revealed) {
            return Err(ReviewError::Nothing("everything is shown already"));
        }
        if !is_blind && !self.is_hidden(group) {
            return Err(ReviewError::Nothing("nothing is hidden here"));
        }
        if judgement.is_none_or(|judgement| judgement.submissions.is_empty()) {
            return Err(ReviewError::Nothing("submit your ranking first"));
        }
        let what = "grader, advantages, names".to_owned();
        let summary = match is_blind {
            true => "revealed: changes count as after reveal".to_owned(),
            false => format!("revealed: {what}"),
        };
        Ok((EventBody::Reveal { what }, summary))
    }
}
