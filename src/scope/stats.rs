//! How often each rule says something in a set of groups, and how often people agreed: rates differ by
//! scaffold by a factor of twenty, so a rule is worth what it is worth in one's own data.

use std::collections::HashSet;

use super::config::Rules;
use super::rule::{RULES, RuleId, rule};
use crate::domain::scope::Remark;
use crate::domain::{Outcome, RolloutGroup};

/// Candidates: how many there are, or how many a rule speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Passing candidates with a diff.
    pub passing: usize,
    /// Failing candidates with a diff.
    pub failing: usize,
    /// Reference patches.
    pub reference: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.passing += other.passing;
        self.failing += other.failing;
        self.reference += other.reference;
    }
}

/// What is known of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RuleStats {
    /// Candidates that it speaks of, each once.
    pub candidates: Counts,
    /// Candidates that it could speak of: those with a diff, where what the rule compares with is
    /// known (enough others, a reference patch, an issue text).
    pub of: Counts,
    /// Remarks over all candidates and groups, the reference's left out.
    pub remarks: usize,
    /// Groups in which it speaks of a candidate, or of the whole group.
    pub groups: usize,
    /// Remarks that people confirmed, each person counted.
    pub confirmed: usize,
    /// Remarks that people dismissed, each person counted.
    pub dismissed: usize,
}

impl RuleStats {
    /// The share of the verdicts that confirm, 0 to 1; `None` without verdicts.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        let all = self.confirmed + self.dismissed;
        (all > 0).then(|| self.confirmed as f64 / all as f64)
    }
}

/// What is known of a group beside its remarks.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Which trajectories have a diff.
    pub has_diff: &'a [bool],
    /// Whether the issue text is known.
    pub has_issue: bool,
    /// What the rules say of the reference patch; `None` = none is known.
    pub reference: Option<&'a [Remark]>,
}

/// Figures over a set of groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// Groups looked at.
    pub groups: usize,
    /// Candidates looked at.
    pub all: Counts,
    /// One per entry of [`RULES`].
    pub rules: Vec<RuleStats>,
}

impl Default for Stats {
    fn default() -> Self {
        Self {
            groups: 0,
            all: Counts::default(),
            rules: vec![RuleStats::default(); RULES.len()],
        }
    }
}

impl Stats {
    /// Counts a group: its remarks, and those about its reference patch when it has one. `rules` are
    /// those that were asked.
    pub fn count(
        &mut self,
        group: &RolloutGroup,
        remarks: &[Remark],
        known: &Known<'_>,
        rules: &Rules,
    ) {
        let reference = known.reference;
        self.groups += 1;
        let mut own = Counts::default();
        for (trajectory, has) in group.trajectories.iter().zip(known.has_diff) {
            if *has {
                *part(&mut own, trajectory.outcome) += 1;
            }
        }
        own.reference = usize::from(reference.is_some());
        self.all.add(own);
        for (rule, stats) in RULES.iter().zip(&mut self.rules) {
            let threshold = rules.threshold(rule.id);
            let can_speak = match rule.id {
                RuleId::SizeOutlier => own.passing >= 3,
                RuleId::FileUnique | RuleId::RegionUnique | RuleId::ExtraRegion => {
                    own.passing as f64 >= threshold
                }
                RuleId::ExtraRegionWeak => {
                    own.passing < 3 && (own.passing + own.failing) as f64 >= threshold
                }
                RuleId::FileNotInGold | RuleId::RegionNotInGold => reference.is_some(),
                RuleId::FileNotInIssue => known.has_issue,
                _ => true,
            };
            if can_speak {
                stats.of.add(own);
            }
        }
        let mut candidates: HashSet<(&str, usize)> = HashSet::new();
        let mut groups: HashSet<&str> = HashSet::new();
        for remark in remarks {
            let Some(stats) = self.of(remark.rule) else {
                continue;
            };
            stats.remarks += 1;
            stats.groups += usize::from(groups.insert(remark.rule));
            let all = std::iter::once(remark.trajectory).chain(remark.also.iter().copied());
            for index in all {
                let outcome = group.trajectories.get(index).map(|of| of.outcome);
                if let Some(outcome) = outcome
                    && candidates.insert((remark.rule, index))
                {
                    *part(&mut stats.candidates, outcome) += 1;
                }
            }
        }
        let Some(reference) = reference else { return };
        let mut told = HashSet::new();
        for remark in reference {
            if told.insert(remark.rule)
                && let Some(stats) = self.of(remark.rule)
            {
                stats.candidates.reference += 1;
            }
        }
    }

    /// Counts a person's verdict on a remark of the rule of this name.
    pub fn judge(&mut self, name: &str, is_confirmed: bool) {
        if let Some(stats) = self.of(name) {
            match is_confirmed {
                true => stats.confirmed += 1,
                false => stats.dismissed += 1,
            }
        }
    }

    fn of(&mut self, name: &str) -> Option<&mut RuleStats> {
        let place = rule(name)?.id as usize;
        self.rules.get_mut(place)
    }
}

/// Unscored candidates count with the failing ones: nothing says that they pass.
fn part(counts: &mut Counts, outcome: Outcome) -> &mut usize {
    match outcome {
        Outcome::Pass => &mut counts.passing,
        Outcome::Fail | Outcome::Unscored => &mut counts.failing,
    }
}
