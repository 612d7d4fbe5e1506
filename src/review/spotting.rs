//! Asking the out-of-scope rules about the groups of a loaded set, on all cores, and what a verdict
//! on one of their remarks changes.
//!
//! What is *not* here: the rules ([`crate::scope`]).

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::{Change, RemarkChange, ReviewSession};
use crate::base::{BaseRepos, bases_of};
use crate::diff::{Aligned, CandidatePatch, Patch, Results};
use crate::domain::rubric::{Rubric, Severity};
use crate::domain::scope::Remark;
use crate::domain::{Content, RolloutGroup};
use crate::formats::LoadedSet;
use crate::scope::{Elsewhere, Input, Rules, remarks, remarks_of_reference, repository, rule};
use crate::store::{FindingRecord, RuleStamp, Side, Verdict};

/// Other groups of a repository that are opened to see whether a change is the harness's.
const OTHERS_OPENED: usize = 200;

/// What the rules say of one group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupRemarks {
    /// The group, 0-based.
    pub group: usize,
    /// What they say of its candidates: artefacts first, then candidate by candidate.
    pub remarks: Vec<Remark>,
    /// What they say of the reference patch; `None` = none is known.
    pub reference: Option<Vec<Remark>>,
    /// Whether the issue text is known.
    pub has_issue: bool,
    /// Which trajectories have a diff.
    pub has_diff: Vec<bool>,
    /// What could not be read, one sentence each.
    pub problems: Vec<String>,
}

/// Asks the rules about these groups (0-based); `tell` gets each group when it is done, in no order,
/// and answers whether to go on.
pub fn look(
    set: &LoadedSet,
    groups: &[usize],
    rules: &Rules,
    tell: &(dyn Fn(GroupRemarks) -> bool + Sync),
) {
    let stopped = AtomicBool::new(false);
    let elsewhere = Mutex::new(Elsewhere::default());
    let waiting = Mutex::new(Vec::new());
    let hand_over = |found: GroupRemarks| {
        if !tell(found) {
            stopped.store(true, Ordering::Relaxed);
        }
    };
    let is_stopped = || stopped.load(Ordering::Relaxed);
    groups.par_iter().for_each(|&group| {
        if is_stopped() {
            return;
        }
        match Texts::open(set, group) {
            Err(problem) => hand_over(GroupRemarks {
                group,
                problems: vec![problem],
                ..GroupRemarks::default()
            }),
            Ok(texts) => {
                // Whether a change of configuration is the harness's is known when all were seen.
                if texts.note(&elsewhere, rules) {
                    lock(&waiting).push(group);
                } else {
                    hand_over(texts.remarks(rules, None));
                }
            }
        }
    });
    let mut waiting = waiting.into_inner().unwrap_or_else(PoisonError::into_inner);
    waiting.sort_unstable();
    if waiting.is_empty() || is_stopped() {
        return;
    }
    note_others(set, groups, &waiting, rules, &elsewhere);
    let elsewhere = elsewhere
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    waiting.par_iter().for_each(|&group| {
        if is_stopped() {
            return;
        }
        hand_over(match Texts::open(set, group) {
            Ok(texts) => texts.remarks(rules, Some(&elsewhere)),
            Err(problem) => GroupRemarks {
                group,
                problems: vec![problem],
                ..GroupRemarks::default()
            },
        });
    });
}

/// What other groups of the same repository change in manifests and configuration; `None` when this
/// group changes nothing there, so that nobody need look.
///
/// Reads files: for a worker thread.
#[must_use]
pub fn elsewhere(
    set: &LoadedSet,
    group: usize,
    patches: &[Arc<Patch>],
    rules: &Rules,
) -> Option<Elsewhere> {
    let data = set.groups.get(group)?;
    let mut own = Elsewhere::default();
    if !own.note(group, data, patches, rules) {
        return None;
    }
    let all = Mutex::new(own);
    note_others(set, &[group], &[group], rules, &all);
    Some(all.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Notes the groups that were not asked for but are of the repository of one that waits.
fn note_others(
    set: &LoadedSet,
    asked: &[usize],
    waiting: &[usize],
    rules: &Rules,
    elsewhere: &Mutex<Elsewhere>,
) {
    let asked: HashSet<usize> = asked.iter().copied().collect();
    let of = |group: &usize| Some(repository(set.groups.get(*group)?.as_ref()));
    let wanted: HashSet<&str> = waiting.iter().filter_map(of).collect();
    let others: Vec<usize> = (0..set.groups.len())
        .filter(|group| !asked.contains(group))
        .filter(|group| of(group).is_some_and(|repo| wanted.contains(repo)))
        .take(OTHERS_OPENED)
        .collect();
    others.par_iter().for_each(|&group| {
        // One that cannot be read tells nothing of others.
        if let Ok(texts) = Texts::open(set, group) {
            texts.note(elsewhere, rules);
        }
    });
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A group with its patches parsed.
struct Texts {
    group: usize,
    data: Arc<RolloutGroup>,
    content: Content,
    patches: Vec<Arc<Patch>>,
    reference: Option<Arc<Patch>>,
}

impl Texts {
    fn open(set: &LoadedSet, group: usize) -> Result<Self, String> {
        let mut content = set.open(group).map_err(|problem| problem.to_string())?;
        let data = set.groups.get(group).cloned();
        let data = data.ok_or_else(|| format!("there is no group {group}"))?;
        let read = |text: Option<&String>| match text {
            Some(text) => Arc::new(Patch::read(Arc::from(text.as_str()))),
            None => Arc::new(Patch::missing()),
        };
        let all = content.trajectories.iter();
        let patches = all.map(|of| read(of.patch.as_ref())).collect();
        let gold = content.task.reference_patch.as_ref();
        let reference = gold.map(|text| read(Some(text)));
        // Traces are large and nobody looks at them here.
        content.trajectories.clear();
        Ok(Self {
            group,
            data,
            content,
            patches,
            reference,
        })
    }

    /// Notes changes of configuration; answers whether there were any.
    fn note(&self, elsewhere: &Mutex<Elsewhere>, rules: &Rules) -> bool {
        let mut own = Elsewhere::default();
        let has = own.note(self.group, &self.data, &self.patches, rules);
        if has {
            lock(elsewhere).join(own);
        }
        has
    }

    fn remarks(self, rules: &Rules, elsewhere: Option<&Elsewhere>) -> GroupRemarks {
        let task = &self.data.task;
        let (bases, _) = bases_of(task, &self.content, &BaseRepos::default(), []);
        let passes = |index: usize| {
            let trajectory = self.data.trajectories.get(index);
            trajectory.is_some_and(|trajectory| trajectory.outcome.is_pass())
        };
        let all = self.patches.iter().chain(&self.reference).enumerate();
        let candidates: Vec<_> = all
            .map(|(index, patch)| CandidatePatch {
                patch: Arc::clone(patch),
                passing: passes(index),
            })
            .collect();
        let aligned = Aligned::of(&candidates, &bases);
        let results = Results::of(&aligned);
        let input = Input {
            group: &self.data,
            patches: &self.patches,
            on_base: Some((&aligned, &results)),
            reference: self.reference.as_deref(),
            issue: self.content.task.text.as_deref(),
            elsewhere: elsewhere.map(|elsewhere| (elsewhere, self.group)),
        };
        let reference = self.reference.is_some();
        GroupRemarks {
            group: self.group,
            remarks: remarks(&input, rules),
            reference: reference.then(|| remarks_of_reference(&input, rules)),
            has_issue: self.content.task.text.is_some(),
            has_diff: self.patches.iter().map(|p| !p.files.is_empty()).collect(),
            problems: self.content.problems,
        }
    }
}

impl ReviewSession {
    /// What this annotator said of a remark about a group; `None` = nothing.
    #[must_use]
    pub fn remark_verdict(&self, group: usize, remark: &Remark) -> Option<Verdict> {
        let said = &self.judgement(group)?.remarks;
        if said.is_empty() {
            return None;
        }
        let id = self.true_id(group, remark.trajectory)?;
        said.get(&remark.key(&id)).map(|(_, verdict)| *verdict)
    }

    /// The change that a verdict on a remark is. A confirmed one becomes a finding with the rule's
    /// code; an artefact, and a rule whose code the rubric does not have, leave the verdict alone.
    #[must_use]
    pub fn remark_change(
        &self,
        group: usize,
        remark: &Remark,
        (rules, rubric): (&Rules, &Rubric),
        verdict: Option<Verdict>,
    ) -> Option<Change> {
        let trajectory = self.true_id(group, remark.trajectory)?;
        let stamp = RuleStamp {
            id: remark.rule.to_owned(),
            version: rules.version().to_owned(),
        };
        let file = remark.file.map(|_| remark.path.clone());
        let side = match remark.is_old {
            true => Side::Old,
            false => Side::New,
        };
        let code = rule(remark.rule).and_then(|rule| rule.code);
        let finding = code
            .filter(|code| rubric.find(code).is_some())
            .map(|code| FindingRecord {
                trajectory: trajectory.clone(),
                code: code.to_owned(),
                rubric: rubric.version.clone(),
                severity: Severity::Minor,
                file: file.clone(),
                side: remark.lines.map(|_| side),
                lines: remark.lines,
                note: remark.reason.clone(),
                rule: Some(stamp.clone()),
                after_reveal: false,
            });
        Some(Change::Remark(RemarkChange {
            remark: remark.key(&trajectory),
            rule: stamp,
            trajectory,
            file,
            lines: remark.lines,
            verdict,
            finding,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::formats::{LoadOptions, load};

    #[test]
    fn a_remark_has_the_same_key_with_base_texts_and_without() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data/native/groups.jsonl");
        let set = load(&[path], &LoadOptions::default(), &mut |_| true);
        let rules = Rules::default().all_on();
        let keys = |group: usize, with_base: bool| -> BTreeSet<String> {
            let mut texts = Texts::open(&set, group).unwrap();
            if !with_base {
                texts.content.task.base_files.clear();
            }
            let found = texts.remarks(&rules, None).remarks;
            let keys = found.iter().map(|of| of.key(&of.trajectory.to_string()));
            keys.collect()
        };
        let mut compared = 0;
        for group in 0..set.groups.len() {
            let texts = Texts::open(&set, group).unwrap();
            if !texts.content.task.base_files.is_empty() {
                compared += keys(group, true).len();
                assert_eq!(keys(group, true), keys(group, false), "group {group}");
            }
        }
        assert!(compared > 0);
    }
}
