//! What the harness left in whole groups: listed once for the group, taken out of what is said of each
//! candidate.
//!
//! What is *not* here: the rules that such places would break otherwise (`files`, `lines`).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::Input;
use super::config::Rules;
use super::files::{is_one_of, touches};
use super::report::Skipped;
use super::rule::RuleId;
use crate::diff::{FilePatch, FileStatus, Hunk, HunkLine, LineKind, Patch};
use crate::domain::counted;
use crate::domain::scope::{Level, Remark};
use crate::domain::{RolloutGroup, TrajectoryIndex};

/// From how many candidates with a diff on something can be in "nearly all" of them.
const LEAST: usize = 3;

/// Changes of manifests and configuration in other tasks, by repository and changed lines: what occurs
/// in several tasks is the harness's own set-up, whichever run it is from. Small: it keeps hashes of
/// such hunks only.
#[derive(Debug, Clone, Default)]
pub struct Elsewhere {
    /// The first group that has the hunk, and whether another one has it too.
    seen: HashMap<u64, (usize, bool)>,
}

impl Elsewhere {
    /// Takes the hunks of a group at its place in the set; answers whether there were any.
    pub fn note(
        &mut self,
        place: usize,
        group: &RolloutGroup,
        patches: &[Arc<Patch>],
        rules: &Rules,
    ) -> bool {
        let keys = config_hunks(group, patches, rules);
        for &key in &keys {
            let seen = self.seen.entry(key).or_insert((place, false));
            seen.1 |= seen.0 != place;
        }
        !keys.is_empty()
    }

    /// Takes over what another one knows.
    pub fn join(&mut self, other: Self) {
        for (key, (place, several)) in other.seen {
            let seen = self.seen.entry(key).or_insert((place, several));
            seen.1 |= several || seen.0 != place;
        }
    }

    fn has_beside(&self, place: usize, key: u64) -> bool {
        let seen = self.seen.get(&key);
        seen.is_some_and(|(first, several)| *several || *first != place)
    }
}

/// The repository of a task: as recorded, else what stands before the number of its id
/// (`django__django` of `django__django-11848`).
#[must_use]
pub fn repository(group: &RolloutGroup) -> &str {
    let id = group.id.as_str();
    let of_id = || id.rsplit_once('-').map_or(id, |(repo, _)| repo);
    group.task.repo.as_deref().unwrap_or_else(of_id)
}

fn is_config(rules: &Rules, file: &FilePatch) -> bool {
    let is = |id: RuleId| is_one_of(rules.patterns(id), file.path());
    is(RuleId::DepOrLock) || is(RuleId::ConfigCi)
}

fn config_hunks(group: &RolloutGroup, patches: &[Arc<Patch>], rules: &Rules) -> HashSet<u64> {
    let mut keys = HashSet::new();
    for patch in patches {
        for file in patch.files.iter().filter(|file| is_config(rules, file)) {
            let hunks = file.hunks.iter();
            keys.extend(hunks.map(|hunk| key(group, patch, file, hunk)));
        }
    }
    keys
}

/// Names a hunk by repository and what it changes: not where.
fn key(group: &RolloutGroup, patch: &Patch, file: &FilePatch, hunk: &Hunk) -> u64 {
    let mut hash = DefaultHasher::new();
    repository(group).hash(&mut hash);
    hash_changes(patch, file, hunk, &mut hash);
    hash.finish()
}

fn hash_changes(patch: &Patch, file: &FilePatch, hunk: &Hunk, hash: &mut DefaultHasher) {
    file.path().hash(hash);
    for line in changed_lines(hunk) {
        (line.kind == LineKind::Added, patch.line_text(line)).hash(hash);
    }
}

/// Hashes what a file's changes say, byte for byte.
fn hash_exactly(patch: &Patch, file: &FilePatch, hash: &mut DefaultHasher) {
    for hunk in &file.hunks {
        hash_changes(patch, file, hunk, hash);
    }
    hash_raw(patch, file, hash);
}

/// Hashes bytes that have no lines.
fn hash_raw(patch: &Patch, file: &FilePatch, hash: &mut DefaultHasher) {
    for raw in &file.raw {
        patch.text.get(raw.clone()).hash(hash);
    }
}

fn changed_lines(hunk: &Hunk) -> impl Iterator<Item = &HunkLine> {
    let lines = hunk.lines.iter();
    lines.filter(|line| matches!(line.kind, LineKind::Added | LineKind::Removed))
}

/// Hashes what an added file says, with each word that has a digit in it as one sign: a scaffold writes
/// the number, the port and the id of its own run into such a file.
fn hash_template(patch: &Patch, file: &FilePatch, hash: &mut DefaultHasher) {
    for line in file.hunks.iter().flat_map(changed_lines) {
        let words = patch.line_text(line);
        for word in words.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            match word.bytes().any(|byte| byte.is_ascii_digit()) {
                true => (
                    "#",
                    word.trim_start_matches(|c: char| c.is_ascii_alphanumeric()),
                ),
                false => (word, ""),
            }
            .hash(hash);
        }
        '\n'.hash(hash);
    }
    hash_raw(patch, file, hash);
}

/// Artefacts of a group, and what they leave out of each candidate's patch.
pub(super) fn look(input: &Input<'_>, rules: &Rules) -> (Vec<Remark>, Vec<Skipped>) {
    let mut skipped = vec![Skipped::default(); input.patches.len()];
    let mut found = Vec::new();
    let with_diff: Vec<TrajectoryIndex> = (0..input.patches.len())
        .filter(|&index| !input.patches[index].files.is_empty())
        .collect();
    let signatures = signatures(input);
    let among = (with_diff.as_slice(), signatures.as_slice());
    if rules.is_on(RuleId::ScaffoldArtefact) {
        scaffold(input, rules, among, &mut skipped, &mut found);
    }
    if rules.is_on(RuleId::EnvArtefact) {
        environment(input, rules, among, &mut skipped, &mut found);
    }
    (found, skipped)
}

/// A place that several candidates share: (candidate, file, hunk).
type Places = Vec<(TrajectoryIndex, usize, usize)>;

fn candidates(places: &Places) -> Vec<TrajectoryIndex> {
    let mut all: Vec<_> = places.iter().map(|(candidate, ..)| *candidate).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What each patch changes, a scaffold's numbers in added files aside.
fn signatures(input: &Input<'_>) -> Vec<u64> {
    let of = |patch: &Arc<Patch>| {
        let mut hash = DefaultHasher::new();
        for file in &patch.files {
            file.path().hash(&mut hash);
            match file.status {
                FileStatus::Added => hash_template(patch, file, &mut hash),
                _ => hash_exactly(patch, file, &mut hash),
            }
        }
        hash.finish()
    };
    input.patches.iter().map(of).collect()
}

/// Whether candidates with different patches are among these: equal patches agree on everything.
fn differ(signatures: &[u64], among: &[TrajectoryIndex]) -> bool {
    let mut found = among.iter().filter_map(|&index| signatures.get(index));
    let first = found.next();
    first.is_some_and(|first| found.any(|other| other != first))
}

fn scaffold(
    input: &Input<'_>,
    rules: &Rules,
    (with_diff, signatures): (&[TrajectoryIndex], &[u64]),
    skipped: &mut [Skipped],
    found: &mut Vec<Remark>,
) {
    // Beside the places: each exact text among them.
    let mut same: BTreeMap<(&str, u64), (Places, HashSet<u64>)> = BTreeMap::new();
    for &candidate in with_diff {
        let patch = &input.patches[candidate];
        for (index, file) in patch.files.iter().enumerate() {
            if file.status != FileStatus::Added || file.path().is_empty() {
                continue;
            }
            let mut hash = DefaultHasher::new();
            hash_template(patch, file, &mut hash);
            let mut exact = DefaultHasher::new();
            hash_exactly(patch, file, &mut exact);
            let (places, texts) = same.entry((file.path(), hash.finish())).or_default();
            places.push((candidate, index, 0));
            texts.insert(exact.finish());
        }
    }
    let share = rules.threshold(RuleId::ScaffoldArtefact);
    for ((path, _), (places, texts)) in same {
        let has = candidates(&places);
        let enough = has.len() as f64 >= share * with_diff.len() as f64;
        if has.len() < LEAST || !enough || !differ(signatures, &has) {
            continue;
        }
        let Some(&(first, index, _)) = places.first() else {
            continue;
        };
        let file = input.patches[first].files.get(index);
        let is_wanted = |gold: &Patch| file.is_some_and(|file| touches(gold, file));
        if input.reference.is_some_and(is_wanted) {
            continue;
        }
        for &(candidate, index, _) in &places {
            skipped[candidate].files.insert(index);
        }
        let of = counted(with_diff.len(), "candidate", "candidates");
        let aside = if texts.len() > 1 {
            ", but for numbers"
        } else {
            ""
        };
        let reason = format!("the same added file in {} of {of}{aside}", has.len());
        let id = RuleId::ScaffoldArtefact;
        found.push(artefact(id, (path, index, None), &has, reason));
    }
}

fn environment(
    input: &Input<'_>,
    rules: &Rules,
    (with_diff, signatures): (&[TrajectoryIndex], &[u64]),
    skipped: &mut [Skipped],
    found: &mut Vec<Remark>,
) {
    // By what is changed, whoever's run it is.
    let mut same: BTreeMap<(&str, u64), Places> = BTreeMap::new();
    for &candidate in with_diff {
        let patch = &input.patches[candidate];
        for (index, file) in patch.files.iter().enumerate() {
            if !is_config(rules, file) {
                continue;
            }
            for (place, hunk) in file.hunks.iter().enumerate() {
                let mut hash = DefaultHasher::new();
                hash_changes(patch, file, hunk, &mut hash);
                let key = (file.path(), hash.finish());
                let places = same.entry(key).or_default();
                places.push((candidate, index, place));
            }
        }
    }
    for ((path, _), places) in same {
        let has = candidates(&places);
        let in_all = has.len() == with_diff.len() && has.len() >= LEAST && differ(signatures, &has);
        let beside = |&(candidate, index, place): &(usize, usize, usize)| {
            let patch = &input.patches[candidate];
            let file = patch.files.get(index)?;
            let hunk = file.hunks.get(place)?;
            let (elsewhere, own) = input.elsewhere?;
            let key = key(input.group, patch, file, hunk);
            elsewhere.has_beside(own, key).then_some(())
        };
        let made: Places = match in_all {
            true => places.clone(),
            false => {
                let found = places.iter().filter(|place| beside(place).is_some());
                found.copied().collect()
            }
        };
        let Some(&(first, index, place)) = made.first() else {
            continue;
        };
        let has = candidates(&made);
        for &(candidate, index, place) in &made {
            skipped[candidate].hunks.insert((index, place));
        }
        let reason = match in_all {
            true => format!("the same change in all {} candidates", has.len()),
            false => "the same change in other tasks of this repository".to_owned(),
        };
        let mut remark = artefact(
            RuleId::EnvArtefact,
            (path, index, Some(place)),
            &has,
            reason,
        );
        let hunk = input.patches[first].files.get(index);
        let hunk = hunk.and_then(|file| file.hunks.get(place));
        if let Some(hunk) = hunk {
            let at = super::report::At::hunk(index, place, hunk);
            remark.lines = at.lines.map(|(lines, _)| lines);
            remark.is_old = at.lines.is_some_and(|(_, is_old)| is_old);
        }
        found.push(remark);
    }
}

fn artefact(
    id: RuleId,
    (path, file, hunk): (&str, usize, Option<usize>),
    has: &[TrajectoryIndex],
    reason: String,
) -> Remark {
    let (first, also) = has.split_first().unwrap_or((&0, &[]));
    Remark {
        rule: id.rule().name,
        level: Level::Artefact,
        trajectory: *first,
        also: also.to_vec(),
        file: Some(file),
        path: path.to_owned(),
        hunk,
        lines: None,
        is_old: false,
        reason,
    }
}
