//! Joins what was found in all files into groups, binds the answers, and tells what contradicts.
//!
//! An [`Assembler`] takes what was found file by file and hands over a set at any time: a group keeps
//! its index and, while nothing about it changed, its place in memory. What a file told can be
//! withdrawn and told anew. What is *not* here: reading.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use crate::domain::{
    Extra, GraderAnswer, GroupId, Outcome, PatchHash, PatchPresence, RolloutGroup, TaskSummary,
    Trajectory,
};

use super::found::{
    Again, At, Found, FoundGroup, FoundTask, FoundTrajectory, GroupSource, KeptSource, Scope,
};
use super::indexed::Indexed;
use super::mapped::{self, FieldMap, GuessedMap, UsedMap};
use super::rankings::{self, Answer};
use super::source::Candidate;
use super::{
    FORMATS, FileReport, FormatRecords, LoadOptions, LoadedSet, Problem, harbor, inspect,
    openhands, swebench,
};

/// Said of an outcome that [`LoadOptions::unscored_as_fail`] turned into a failure.
const COUNTED_AS_FAIL: &str = "unscored, counted as fail";
pub(crate) const SAME_PATCH: &str = "= same patch as ";
const TASK_DIFFERS: &str = "the task differs from the one told before; the first counts";

/// What a record told about its group.
#[derive(Debug)]
struct Telling {
    step: Option<i64>,
    task: Option<FoundTask>,
    meta: Extra,
    at: At,
}

/// What is remembered of a trajectory beside its index entry, to build the group again. There is one
/// for every trajectory loaded, so it is small.
#[derive(Debug)]
struct Member {
    line: Option<NonZeroU64>,
    order: Option<i64>,
    /// Its id in the file, when it had to be numbered.
    numbered: Option<Box<str>>,
    file: u32,
    /// Place among what its file told, or [`JOINED`].
    seq: u32,
    again: Again,
    /// Marks at the end that building added.
    marks_added: u8,
}

/// In the place of the number of a trajectory that was joined from several files.
const JOINED: u32 = u32::MAX;

impl Member {
    fn at(&self) -> At {
        At {
            file: usize::try_from(self.file).unwrap_or(usize::MAX),
            line: self.line.map(NonZeroU64::get),
        }
    }

    /// Whether a record of its own told it.
    fn is_own(&self) -> bool {
        self.seq != JOINED
    }

    /// Whether one of these files told it, alone.
    fn is_of(&self, files: &HashSet<usize>) -> bool {
        self.is_own() && files.contains(&self.at().file)
    }
}

/// A trajectory that is not built in.
#[derive(Debug)]
struct Piece {
    trajectory: Trajectory,
    source: KeptSource,
    member: Member,
}

/// A verdict in words.
fn verdict(trajectory: &Trajectory) -> String {
    let word = trajectory.outcome.word();
    match trajectory.reward {
        Some(reward) => format!("{word} (reward {reward})"),
        None => word.to_owned(),
    }
}

impl Piece {
    fn of(found: FoundTrajectory, seq: u32) -> Self {
        Self {
            trajectory: found.trajectory,
            source: found.source.into(),
            member: Member {
                line: found.at.line.and_then(NonZeroU64::new),
                order: found.order,
                numbered: None,
                // More files than that do not fit into memory.
                file: u32::try_from(found.at.file).unwrap_or(u32::MAX),
                seq,
                again: found.again,
                marks_added: 0,
            },
        }
    }
}

/// One group: what was told about it, and what was made of that.
#[derive(Debug)]
struct Slot {
    /// Within what its id means one task.
    scope: Option<Scope>,
    /// The group of another step that has the id which the records tell.
    of_another_step: Option<String>,
    tellings: Vec<Telling>,
    /// Trajectories that are not built in yet.
    fresh: Vec<Piece>,
    /// Trajectories whose id was taken: one of them counts when the first is withdrawn.
    refused: Vec<Piece>,
    /// One per trajectory of `group`.
    members: Vec<Member>,
    group: Arc<RolloutGroup>,
    source: Arc<GroupSource>,
    answers: Arc<[GraderAnswer]>,
    problems: Vec<Problem>,
}

/// What is known of a file beside its groups.
#[derive(Debug, Default)]
struct FileNotes {
    problems: Vec<Problem>,
    notes: Vec<Problem>,
    foreign: bool,
    records: BTreeMap<usize, usize>,
    trajectories: usize,
    /// Next place among what the file told.
    seq: u32,
    /// The map that was guessed for it.
    guessed: Option<GuessedMap>,
    /// The map with a name that it was read through.
    used: Option<UsedMap>,
    /// What is said of its columns when it holds nothing known, and whether they look like a
    /// rollout's.
    own_columns: Option<(String, bool)>,
}

/// Gathers what was found and builds groups of it.
#[derive(Debug)]
pub(crate) struct Assembler {
    options: Arc<LoadOptions>,
    files: Arc<Vec<Candidate>>,
    notes: Vec<FileNotes>,
    listing: Vec<Problem>,
    /// What is gone of what was listed.
    gone: Vec<Problem>,
    indexed: Arc<HashMap<usize, Indexed>>,
    index: HashMap<String, usize>,
    slots: Vec<Slot>,
    dirty: BTreeSet<usize>,
    parts: swebench::Parts,
    harbor: harbor::Parts,
    logs: inspect::Parts,
    openhands: openhands::Parts,
    parts_changed: bool,
    /// Task rows by task, as indices into `parts.tasks`.
    rows: HashMap<String, Vec<usize>>,
    joined: swebench::Joined,
    jobs: harbor::Jobs,
    joined_problems: Vec<Problem>,
    joined_notes: Vec<Problem>,
    answers: Vec<Answer>,
    answers_of: HashMap<String, Vec<usize>>,
    /// The maps of files read through one.
    maps: Arc<BTreeMap<usize, Arc<FieldMap>>>,
    /// Files of which a record was not as indexed when it was opened.
    differing: Arc<Mutex<HashSet<usize>>>,
    /// Files that are read anew: what they told before counts until all of it is there.
    held: HashSet<usize>,
    /// What was found in them so far.
    gathered: Vec<(usize, Found)>,
}

impl Assembler {
    /// Nothing found yet.
    pub(crate) fn new(options: Arc<LoadOptions>) -> Self {
        Self {
            options,
            files: Arc::default(),
            notes: Vec::new(),
            listing: Vec::new(),
            gone: Vec::new(),
            indexed: Arc::default(),
            index: HashMap::new(),
            slots: Vec::new(),
            dirty: BTreeSet::new(),
            parts: swebench::Parts::default(),
            logs: inspect::Parts::default(),
            harbor: harbor::Parts::default(),
            openhands: openhands::Parts::default(),
            parts_changed: false,
            rows: HashMap::new(),
            joined: swebench::Joined::default(),
            jobs: harbor::Jobs::default(),
            joined_problems: Vec::new(),
            joined_notes: Vec::new(),
            answers: Vec::new(),
            answers_of: HashMap::new(),
            maps: Arc::default(),
            differing: Arc::default(),
            held: HashSet::new(),
            gathered: Vec::new(),
        }
    }

    /// The files, by index.
    pub(crate) fn files(&self) -> &Arc<Vec<Candidate>> {
        &self.files
    }

    /// Adds a file; answers its index, which places and problems refer to.
    pub(crate) fn add_file(&mut self, file: Candidate) -> usize {
        Arc::make_mut(&mut self.files).push(file);
        self.notes.push(FileNotes::default());
        self.files.len() - 1
    }

    /// Takes over what listing met, when it is not known yet.
    pub(crate) fn add_listing(&mut self, problems: Vec<Problem>) {
        for problem in problems {
            if !self.listing.contains(&problem) {
                self.listing.push(problem);
            }
        }
    }

    /// Drops what listing met and is settled.
    pub(crate) fn drop_listing(&mut self, is_settled: &dyn Fn(&Problem) -> bool) {
        self.listing.retain(|problem| !is_settled(problem));
    }

    /// Takes over what is gone of what was listed.
    pub(crate) fn set_gone(&mut self, problems: Vec<Problem>) {
        self.gone = problems;
    }

    /// How far a file of lines was read.
    pub(crate) fn indexed(&self, file: usize) -> Option<Indexed> {
        self.indexed.get(&file).copied()
    }

    /// Files of which a record was not as indexed when it was opened; they are told once.
    pub(crate) fn take_differing(&self) -> HashSet<usize> {
        let noted = self.differing.lock();
        std::mem::take(&mut *noted.unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes another state of a file in the place of the one known.
    pub(crate) fn set_file(&mut self, index: usize, file: Candidate) {
        // Runs are judged by patches in files of their own, which hold no record.
        self.parts_changed |= file.content_path().ends_with("patch.diff");
        if let Some(place) = Arc::make_mut(&mut self.files).get_mut(index) {
            *place = file;
        }
    }

    /// Number of groups with rollouts of their own so far.
    pub(crate) fn groups(&self) -> usize {
        self.slots.len()
    }

    /// Number of rollouts taken over so far.
    pub(crate) fn trajectories(&self) -> usize {
        self.notes.iter().map(|notes| notes.trajectories).sum()
    }

    /// Whether a record of a known format was read in one of these files.
    pub(crate) fn told(&self, files: &[usize]) -> bool {
        let mut notes = files.iter().filter_map(|&file| self.notes.get(file));
        notes.any(|notes| !notes.records.is_empty())
    }

    /// From now on what these files tell is gathered and put in the place of what they told before by
    /// [`Assembler::release`]. What was gathered of them already is forgotten.
    pub(crate) fn hold(&mut self, files: &HashSet<usize>) {
        self.gathered.retain(|(file, _)| !files.contains(file));
        self.held.extend(files);
    }

    /// Whether what this file tells is gathered.
    pub(crate) fn is_held(&self, file: usize) -> bool {
        self.held.contains(&file)
    }

    /// Whether what some files tell is gathered.
    pub(crate) fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// Puts what was gathered in the place of what the files told before.
    pub(crate) fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return;
        }
        self.withdraw(&held);
        for (file, found) in std::mem::take(&mut self.gathered) {
            self.take(file, found);
        }
    }

    /// The groups as they were built last.
    pub(crate) fn built(&self) -> Vec<Arc<RolloutGroup>> {
        self.slots.iter().map(|s| Arc::clone(&s.group)).collect()
    }

    /// Takes over what was found in one file, or in the next part of it.
    pub(crate) fn take(&mut self, file: usize, found: Found) {
        if self.is_held(file) {
            self.gathered.push((file, found));
            return;
        }
        let mut trajectories = found.swebench.predictions.len()
            + found.harbor.rollouts()
            + found.inspect.rollouts()
            + found.openhands.rows.len();
        // Rankings inside a record are about the group that the record became.
        let mut moved: HashMap<(At, String), String> = HashMap::new();
        for group in found.groups {
            trajectories += group.trajectories.len();
            let (at, told) = (group.at, group.id.clone());
            let id = self.take_group(file, group);
            if id != told {
                moved.insert((at, told), id);
            }
        }
        for mut answer in found.answers {
            let at = answer.at.filter(|_| !moved.is_empty());
            if let Some(id) = at.and_then(|at| moved.get(&(at, answer.group.clone()))) {
                answer.group.clone_from(id);
            }
            let place = self.answers.len();
            let of = self.answers_of.entry(answer.group.clone()).or_default();
            of.push(place);
            self.dirty.extend(self.index.get(&answer.group));
            self.answers.push(answer);
        }
        if !found.swebench.is_empty() {
            self.parts_changed = true;
            self.parts.merge(found.swebench);
        }
        if !found.inspect.is_empty() {
            self.parts_changed = true;
            self.logs.merge(found.inspect);
        }
        if !found.harbor.is_empty() {
            self.parts_changed = true;
            self.harbor.merge(found.harbor);
        }
        if !found.openhands.is_empty() {
            self.parts_changed = true;
            self.openhands.merge(found.openhands);
        }
        if let Some(indexed) = found.indexed {
            Arc::make_mut(&mut self.indexed).insert(file, indexed);
        }
        if let Some(notes) = self.notes.get_mut(file) {
            notes.problems.extend(found.problems);
            notes.notes.extend(found.notes);
            notes.foreign |= !found.foreign.is_empty();
            notes.own_columns = found.own_columns.or(notes.own_columns.take());
            notes.trajectories += trajectories;
            if let Some(map) = found.map
                && found.records.contains_key(&mapped::FORMAT)
            {
                Arc::make_mut(&mut self.maps).insert(file, Arc::clone(&map.map));
                let path = self.files.get(file).map(|file| file.path.as_path());
                notes.guessed = path.and_then(|path| map.guessed(path));
                notes.used = path.and_then(|path| map.used(path));
            }
            for (format, count) in found.records {
                *notes.records.entry(format).or_default() += count;
            }
        }
    }

    /// Forgets everything that files told; their indices stay.
    pub(crate) fn withdraw(&mut self, files: &HashSet<usize>) {
        for (index, slot) in self.slots.iter_mut().enumerate() {
            let told = |telling: &Telling| files.contains(&telling.at.file);
            let touched = slot.tellings.iter().any(told)
                || slot.all_members().any(|member| member.is_of(files));
            if touched {
                slot.take_apart();
                slot.tellings.retain(|telling| !told(telling));
                slot.fresh.retain(|piece| !piece.member.is_of(files));
                self.dirty.insert(index);
            }
        }
        self.parts_changed |= self.parts.withdraw(files);
        self.parts_changed |= self.logs.withdraw(files);
        self.parts_changed |= self.harbor.withdraw(files);
        self.parts_changed |= self.openhands.withdraw(files);
        let before = self.answers.len();
        self.answers
            .retain(|answer| answer.at.is_none_or(|at| !files.contains(&at.file)));
        if self.answers.len() != before {
            let touched = self.answers_of.keys();
            self.dirty
                .extend(touched.filter_map(|id| self.index.get(id)));
            self.index_answers();
        }
        for &file in files {
            Arc::make_mut(&mut self.indexed).remove(&file);
            if let Some(notes) = self.notes.get_mut(file) {
                *notes = FileNotes::default();
            }
        }
    }

    fn index_answers(&mut self) {
        self.answers_of.clear();
        for (place, answer) in self.answers.iter().enumerate() {
            let of = self.answers_of.entry(answer.group.clone()).or_default();
            of.push(place);
        }
    }

    /// The set as it is now; groups that did not change keep their place in memory. Runs of several
    /// files are joined only when reading is `complete`: before, a verdict may still come.
    pub(crate) fn snapshot(&mut self, complete: bool) -> LoadedSet {
        if complete && self.parts_changed {
            self.parts.sort();
            self.harbor.sort();
            self.logs.sort();
            self.openhands.sort();
            let (logs, openhands) = (self.logs.clone(), self.openhands.clone());
            self.join(self.parts.clone(), self.harbor.clone(), logs, openhands);
        }
        self.build_dirty();
        self.set(complete)
    }

    /// The whole set, sorted by the groups' ids.
    pub(crate) fn finish(mut self) -> LoadedSet {
        if self.parts_changed {
            let tasks = std::mem::take(&mut self.parts.tasks);
            let parts = std::mem::take(&mut self.parts);
            self.parts.tasks = tasks;
            let harbor = std::mem::take(&mut self.harbor);
            let logs = std::mem::take(&mut self.logs);
            let openhands = std::mem::take(&mut self.openhands);
            self.join(parts, harbor, logs, openhands);
        }
        self.build_dirty();
        self.slots.sort_by(|a, b| a.group.id.cmp(&b.group.id));
        self.set(true)
    }

    /// Takes over a group, or a part of one; answers the id it is gathered under.
    fn take_group(&mut self, file: usize, group: FoundGroup) -> String {
        let of_any_step = self.id_in_scope(&group);
        let id = self.id_at_step(of_any_step.clone(), group.step);
        let index = self.slot(id.clone());
        self.dirty.insert(index);
        let Some(slot) = self.slots.get_mut(index) else {
            return id;
        };
        slot.of_another_step = (id != of_any_step).then_some(of_any_step);
        slot.scope.clone_from(&group.scope);
        let telling = Telling {
            step: group.step,
            task: group.task,
            meta: group.meta,
            at: group.at,
        };
        // Lines of one file repeat their task; one of them is enough.
        let told = slot.tellings.iter().rev().any(|before| {
            before.at.file == file
                && before.step == telling.step
                && before.meta == telling.meta
                && {
                    let digest = |telling: &Telling| telling.task.as_ref().map(|task| task.digest);
                    digest(before) == digest(&telling)
                }
        });
        if !told {
            if slot.tellings.is_empty() {
                // Most groups have one; a vector would make room for four.
                slot.tellings.reserve_exact(1);
            }
            slot.tellings.push(telling);
        }
        let notes = self.notes.get_mut(file);
        let mut spare = 0;
        let seq = notes.map_or(&mut spare, |notes| &mut notes.seq);
        for trajectory in group.trajectories {
            slot.fresh.push(Piece::of(trajectory, *seq));
            *seq = (*seq + 1).min(JOINED - 1);
        }
        id
    }

    /// The id with the step behind it when the group of that id is of another step: the policy has
    /// changed in between, its rollouts are not comparable.
    fn id_at_step(&self, mut id: String, step: Option<i64>) -> String {
        let Some(step) = step else { return id };
        let is_of_another = |id: &String| {
            let slot = self.index.get(id).and_then(|&index| self.slots.get(index));
            let told = slot.and_then(Slot::step);
            told.is_some_and(|told| told != step)
        };
        while is_of_another(&id) {
            let _ = write!(id, "@{step}");
        }
        id
    }

    /// The index of the group with this id, new when there is none.
    fn slot(&mut self, id: String) -> usize {
        if let Some(&index) = self.index.get(&id) {
            return index;
        }
        let index = self.slots.len();
        self.index.insert(id.clone(), index);
        self.slots.push(Slot::new(id));
        index
    }

    /// The id under which a group's parts are gathered: its own, with the scope's name behind it when
    /// the id alone already belongs to another scope, and with the scope's place when that does, too.
    fn id_in_scope(&self, group: &FoundGroup) -> String {
        let id = &group.id;
        let Some(scope) = &group.scope else {
            return id.clone();
        };
        let is_free = |id: &String| {
            let slot = self.index.get(id).and_then(|&index| self.slots.get(index));
            slot.is_none_or(|slot| slot.scope.as_ref() == Some(scope) || slot.is_without_own())
        };
        let Scope { name, place } = scope;
        [id.clone(), format!("{id} ({name})")]
            .into_iter()
            .find(is_free)
            .unwrap_or_else(|| format!("{id} ({name}, {})", place.display()))
    }

    /// Joins the parts of runs and marks every group that they touch.
    fn join(
        &mut self,
        mut parts: swebench::Parts,
        harbor: harbor::Parts,
        logs: inspect::Parts,
        openhands: openhands::Parts,
    ) {
        self.parts_changed = false;
        let mut joining = Joining {
            files: Arc::clone(&self.files),
            ..Joining::default()
        };
        // What lies in a trial's folder belongs to it, whatever format it is of.
        let (beside, mut talks) = openhands::prepare(openhands, &mut parts, &mut joining);
        self.jobs = harbor::join(harbor, &mut parts.traces, &mut talks, &mut joining);
        self.joined = swebench::join(parts, &mut joining);
        openhands::attempts(beside, &talks, &self.joined.known, &mut joining);
        self.joined.known.add(inspect::join(logs, &mut joining));
        for (id, task) in std::mem::take(&mut joining.told) {
            self.joined.told.entry(id).or_insert(task);
        }
        self.joined_problems = joining.problems;
        self.joined_notes = joining.notes;
        self.rows.clear();
        for (place, row) in self.parts.tasks.iter().enumerate() {
            let of = self.rows.entry(row.instance.clone()).or_default();
            of.push(place);
        }
        for (index, slot) in self.slots.iter_mut().enumerate() {
            let joined = slot.all_members().any(|member| !member.is_own());
            if joined {
                slot.take_apart();
                slot.fresh.retain(|piece| piece.member.is_own());
            }
            let id = slot.group.id.as_str();
            let about = self.rows.contains_key(id)
                || self.joined.references.contains_key(id)
                || self.joined.told.contains_key(id);
            if joined || about {
                self.dirty.insert(index);
            }
        }
        for (id, attempts) in joining.attempts {
            let index = self.slot(id);
            self.dirty.insert(index);
            if let Some(slot) = self.slots.get_mut(index) {
                let attempts = attempts.into_iter();
                let attempts = attempts.map(|attempt| Piece::of(attempt, JOINED));
                slot.fresh.extend(attempts);
            }
        }
    }

    fn build_dirty(&mut self) {
        for index in std::mem::take(&mut self.dirty) {
            let Some(slot) = self.slots.get_mut(index) else {
                continue;
            };
            let id = slot.group.id.as_str();
            let rows = self.rows.get(id).into_iter().flatten();
            let rows = rows.filter_map(|&row| self.parts.tasks.get(row));
            let about = About {
                rows: rows.collect(),
                told: self.joined.told.get(id),
                references: self.joined.references.get(id).map_or(&[], Vec::as_slice),
                unscored_as_fail: self.options.unscored_as_fail,
                files: &self.files,
            };
            slot.build(&about);
            let answers = self.answers_of.get(slot.group.id.as_str());
            let answers = answers.into_iter().flatten();
            let answers = answers.filter_map(|&answer| self.answers.get(answer));
            slot.bind(answers, &self.files);
        }
    }

    fn set(&self, complete: bool) -> LoadedSet {
        let mut problems = self.listing.clone();
        problems.extend_from_slice(&self.gone);
        for notes in &self.notes {
            problems.extend_from_slice(&notes.problems);
        }
        for slot in &self.slots {
            problems.extend_from_slice(&slot.problems);
        }
        problems.extend_from_slice(&self.joined_problems);
        let noted = self.notes.iter().flat_map(|notes| &notes.notes);
        let mut notes: Vec<Problem> = noted.chain(&self.joined_notes).cloned().collect();
        let mut left_out = Vec::new();
        let mut foreign = Vec::new();
        let mut made = Vec::new();
        if complete {
            for answer in &self.answers {
                if !self.index.contains_key(&answer.group) {
                    let at = answer.at.unwrap_or(NOWHERE);
                    let reason = "ranking refused: no group of this id was loaded";
                    problems.push(problem(&self.files, at, &answer.group, reason));
                }
            }
            let files = self.files.iter().zip(&self.notes);
            // What has a problem is told already.
            let of_others: Vec<(&Path, &FileNotes)> = files
                .filter(|(_, notes)| notes.foreign && notes.problems.is_empty())
                .map(|(file, notes)| (file.path.as_path(), notes))
                .filter(|(path, _)| !self.jobs.covers(path))
                .collect();
            let (own, others): (Vec<_>, Vec<_>) = of_others.into_iter().partition(|(_, notes)| {
                let own = notes.own_columns.as_ref();
                own.is_some_and(|(_, of_rollouts)| *of_rollouts || self.slots.is_empty())
            });
            let others = others.into_iter().map(|(path, _)| path);
            let mut paths: Vec<&Path> = others
                .filter(|path| !self.joined.known.covers(path))
                .collect();
            let all = own
                .iter()
                .map(|(path, _)| *path)
                .chain(paths.iter().copied());
            foreign = all.map(Path::to_path_buf).collect();
            tell_columns(own, &mut left_out, &mut paths);
            left_out.extend(tell_foreign(&paths));
            made = self.reports();
        }
        problems.dedup();
        if self.slots.is_empty() {
            // Nothing was found: what stands there instead is the news.
            problems.append(&mut left_out);
        }
        notes.append(&mut left_out);
        LoadedSet {
            groups: self.slots.iter().map(|s| Arc::clone(&s.group)).collect(),
            answers: self.slots.iter().map(|s| Arc::clone(&s.answers)).collect(),
            problems,
            notes,
            foreign,
            made,
            guessed: self
                .notes
                .iter()
                .filter_map(|notes| notes.guessed.clone())
                .collect(),
            used: self
                .notes
                .iter()
                .filter_map(|notes| notes.used.clone())
                .collect(),
            maps: Arc::clone(&self.maps),
            sources: self.slots.iter().map(|s| Arc::clone(&s.source)).collect(),
            files: Arc::clone(&self.files),
            indexed: Arc::clone(&self.indexed),
            differing: Arc::clone(&self.differing),
            cache: self.options.cache.clone(),
        }
    }

    /// What was made of each file.
    fn reports(&self) -> Vec<FileReport> {
        let mut counts: Vec<Counts> = vec![Counts::default(); self.files.len()];
        for slot in &self.slots {
            let mut files = HashSet::new();
            for member in &slot.members {
                let file = member.at().file;
                if let Some(counts) = counts.get_mut(file) {
                    counts.trajectories += 1;
                    counts.groups += usize::from(files.insert(file));
                }
            }
            for piece in &slot.refused {
                if let Some(counts) = counts.get_mut(piece.member.at().file) {
                    match piece.member.again {
                        Again::Copy => counts.copies += 1,
                        Again::Refuse | Again::Number => counts.repeated += 1,
                    }
                }
            }
        }
        for reference in self.joined.references.values().flatten() {
            if let Some(counts) = counts.get_mut(reference.place().file) {
                counts.references += 1;
            }
        }
        let files = self.files.iter().zip(&self.notes).zip(counts);
        files
            .map(|((file, notes), counts)| {
                let Counts {
                    groups,
                    trajectories,
                    copies,
                    repeated,
                    references,
                } = counts;
                let accounted = trajectories + copies + repeated + references;
                FileReport {
                    path: file.path.clone(),
                    bytes: file.bytes,
                    formats: notes
                        .records
                        .iter()
                        .filter_map(|(&format, &records)| {
                            let name = FORMATS.get(format)?.name;
                            Some(FormatRecords { name, records })
                        })
                        .collect(),
                    groups,
                    trajectories,
                    copies,
                    repeated,
                    references,
                    joined: notes.trajectories.saturating_sub(accounted),
                    problems: notes.problems.len(),
                }
            })
            .collect()
    }
}

/// What became of the rollouts of one file.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    groups: usize,
    trajectories: usize,
    copies: usize,
    repeated: usize,
    references: usize,
}

/// Most different sets of columns told, of files that no format knows.
const COLUMNS_TOLD: usize = 10;

/// Where an answer without a place stands.
const NOWHERE: At = At {
    file: usize::MAX,
    line: None,
};

fn problem(files: &[Candidate], at: At, record: &str, reason: impl Into<String>) -> Problem {
    Problem {
        path: files
            .get(at.file)
            .map(|f| f.path.clone())
            .unwrap_or_default(),
        line: at.line,
        record: Some(record.to_owned()),
        reason: reason.into(),
    }
}

/// What a group is built with beside what was told about it.
struct About<'a> {
    rows: Vec<&'a swebench::tasks::TaskRow>,
    told: Option<&'a FoundTask>,
    references: &'a [super::found::TaskSource],
    unscored_as_fail: bool,
    files: &'a [Candidate],
}

impl Slot {
    fn new(id: String) -> Self {
        Self {
            scope: None,
            of_another_step: None,
            tellings: Vec::new(),
            fresh: Vec::new(),
            refused: Vec::new(),
            members: Vec::new(),
            group: Arc::new(RolloutGroup {
                id: GroupId(id),
                step: None,
                task: TaskSummary::default(),
                trajectories: Vec::new(),
                fingerprint: String::new(),
                meta: Extra::default(),
            }),
            source: Arc::default(),
            answers: Arc::default(),
            problems: Vec::new(),
        }
    }

    /// The training step that records told.
    fn step(&self) -> Option<i64> {
        self.tellings.iter().find_map(|telling| telling.step)
    }

    /// Whether no record of its own gave it a trajectory.
    fn is_without_own(&self) -> bool {
        let mut members = self.members.iter();
        members.all(|member| !member.is_own())
            && self.fresh.iter().all(|piece| !piece.member.is_own())
    }

    /// What is remembered of every trajectory: built in, not yet, refused.
    fn all_members(&self) -> impl Iterator<Item = &Member> {
        let waiting = self.fresh.iter().chain(&self.refused);
        self.members
            .iter()
            .chain(waiting.map(|piece| &piece.member))
    }

    /// Turns the built trajectories back into what was found, as if nothing were built.
    fn take_apart(&mut self) {
        let members = std::mem::take(&mut self.members);
        // A set on screen holds the group as it was: then its trajectories are copied.
        let trajectories = match Arc::get_mut(&mut self.group) {
            Some(group) => std::mem::take(&mut group.trajectories),
            None => self.group.trajectories.clone(),
        };
        let sources = match Arc::get_mut(&mut self.source) {
            Some(source) => std::mem::take(&mut source.trajectories),
            None => self.source.trajectories.clone(),
        };
        let fresh = std::mem::take(&mut self.fresh);
        let built = members.into_iter().zip(trajectories).zip(sources);
        self.fresh = built
            .map(|((mut member, mut trajectory), source)| {
                let marks = &mut trajectory.marks;
                marks.truncate(marks.len().saturating_sub(usize::from(member.marks_added)));
                member.marks_added = 0;
                if let Some(id) = member.numbered.take() {
                    trajectory.id.0 = id.into();
                }
                Piece {
                    trajectory,
                    source,
                    member,
                }
            })
            .chain(self.refused.drain(..))
            .chain(fresh)
            .collect();
    }

    /// Builds the group from everything told about it; the one built before stays when it is equal.
    fn build(&mut self, about: &About<'_>) {
        // What no set holds is taken apart in place: there is nothing to keep.
        let held = |count: usize| count > 1;
        let before = held(Arc::strong_count(&self.group)).then(|| Arc::clone(&self.group));
        let source_before = held(Arc::strong_count(&self.source)).then(|| Arc::clone(&self.source));
        let group_id = self.group.id.clone();
        self.take_apart();
        self.problems.clear();
        self.tellings.sort_by_key(|telling| telling.at.file);
        // What records told of one by one comes first, file by file; then what was joined.
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.sort_by_key(|piece| {
            let member = &piece.member;
            let place = member.is_own().then_some((member.file, member.seq));
            (place.is_none(), place)
        });

        let id = group_id.as_str();
        let mut task = Task::default();
        let step = self.step();
        if let (Some(other), Some(first), Some(step)) =
            (&self.of_another_step, self.tellings.first(), step)
        {
            let reason = format!(
                "{other} is of another step than {step}: these rollouts are a group of their own"
            );
            self.problems
                .push(problem(about.files, first.at, id, reason));
        }
        let mut meta = Extra::default();
        for telling in &self.tellings {
            if let Some(told) = &telling.task
                && !task.add(told)
            {
                self.problems
                    .push(problem(about.files, telling.at, id, TASK_DIFFERS));
            }
            for pair in &telling.meta.0 {
                if meta.0.iter().all(|(key, _)| *key != pair.0) {
                    meta.0.push(pair.clone());
                }
            }
        }
        for row in &about.rows {
            if !task.add(&row.task) {
                self.problems
                    .push(problem(about.files, row.at, id, TASK_DIFFERS));
            }
        }
        // Records of tasks know more than what an agent was told.
        if let Some(told) = about.told
            && task.digest.is_none()
        {
            task.add(told);
        }
        for reference in about.references {
            task.summary.has_reference = true;
            task.sources.push(*reference);
        }

        let mut kept: Vec<Piece> = Vec::with_capacity(fresh.len());
        let mut ids: HashSet<String> = HashSet::with_capacity(fresh.len());
        for mut piece in fresh {
            let Piece {
                trajectory, member, ..
            } = &mut piece;
            // What is masked counts nowhere.
            let counts = trajectory.outcome == Outcome::Unscored && !trajectory.masked;
            if about.unscored_as_fail && counts {
                trajectory.outcome = Outcome::Fail;
                trajectory.reward = Some(0.0);
                trajectory.marks.push(COUNTED_AS_FAIL.to_owned());
            }
            if !ids.insert(trajectory.id.0.clone()) {
                if member.again == Again::Copy {
                    let own = &trajectory.id;
                    let first = kept.iter().map(|piece| &piece.trajectory);
                    if let Some(first) = first.into_iter().find(|first| first.id == *own)
                        && (first.outcome, first.reward) != (trajectory.outcome, trajectory.reward)
                    {
                        let reason = format!(
                            "{} here, {} where it was found first, which counts",
                            verdict(trajectory),
                            verdict(first)
                        );
                        let name = format!("{id}/{own}");
                        let told = problem(about.files, member.at(), &name, reason);
                        self.problems.push(told);
                    }
                    self.refused.push(piece);
                    continue;
                }
                let own = &mut trajectory.id.0;
                let name = format!("{id}/{own}");
                let reason = match member.again {
                    Again::Refuse => "the trajectory occurs twice; the first counts",
                    Again::Number | Again::Copy => {
                        "the id occurs twice; the later one is kept under a numbered id"
                    }
                };
                self.problems
                    .push(problem(about.files, member.at(), &name, reason));
                if member.again == Again::Refuse {
                    self.refused.push(piece);
                    continue;
                }
                let free = (2_u32..)
                    .map(|number| format!("{own}#{number}"))
                    .find(|id| ids.insert(id.clone()));
                let numbered = std::mem::replace(own, free.unwrap_or_default());
                member.numbered = Some(numbered.into());
                trajectory.marks.push("id occurs twice".to_owned());
                member.marks_added += 1;
            }
            kept.push(piece);
        }
        if kept.is_empty()
            && let Some(first) = self.tellings.first()
        {
            let reason = "trajectories: the group has none";
            self.problems
                .push(problem(about.files, first.at, id, reason));
        }
        // Stable: without a position the order of the files stays.
        kept.sort_by_key(|piece| piece.member.order);
        mark_same_patches(&mut kept);

        let mut group = RolloutGroup {
            id: group_id.clone(),
            step,
            task: task.summary,
            trajectories: Vec::with_capacity(kept.len()),
            fingerprint: String::new(),
            meta,
        };
        let mut source = GroupSource {
            tasks: task.sources,
            trajectories: Vec::with_capacity(kept.len()),
        };
        self.members.reserve_exact(kept.len());
        for piece in kept {
            group.trajectories.push(piece.trajectory);
            source.trajectories.push(piece.source);
            self.members.push(piece.member);
        }
        group.fingerprint = fingerprint(&group);
        self.group = match before {
            Some(before) if *before == group => before,
            _ => Arc::new(group),
        };
        self.source = match source_before {
            Some(before) if *before == source => before,
            _ => Arc::new(source),
        };
    }

    /// Binds the answers about this group.
    fn bind<'a>(&mut self, answers: impl Iterator<Item = &'a Answer>, files: &[Candidate]) {
        let mut bound = Vec::new();
        for answer in answers {
            match rankings::bind(answer, &self.group) {
                Ok(answer) => bound.push(answer),
                Err(error) => {
                    let at = answer.at.unwrap_or(NOWHERE);
                    let reason = format!("ranking refused: {error}");
                    self.problems
                        .push(problem(files, at, &answer.group, reason));
                }
            }
        }
        if *self.answers != *bound {
            self.answers = bound.into();
        }
    }
}

/// A task while it is put together.
#[derive(Default)]
struct Task {
    summary: TaskSummary,
    sources: Vec<super::found::TaskSource>,
    digest: Option<u64>,
}

impl Task {
    /// Adds what a record tells of the task; what is known already stays. Answers whether the
    /// record agrees with the one before it.
    fn add(&mut self, task: &FoundTask) -> bool {
        let first = self.digest.is_none();
        let agrees = self.digest.is_none_or(|digest| digest == task.digest);
        self.digest.get_or_insert(task.digest);
        let (known, told) = (&mut self.summary, &task.summary);
        for (known, told) in [
            (&mut known.title, &told.title),
            (&mut known.repo, &told.repo),
            (&mut known.base_commit, &told.base_commit),
        ] {
            if known.is_none() {
                known.clone_from(told);
            }
        }
        known.has_reference |= told.has_reference;
        // Trajectory lines repeat their task; one place of it is enough.
        if first || !agrees {
            self.sources.push(task.source);
        }
        agrees
    }
}

/// Marks every trajectory whose diff is byte for byte that of an earlier one.
fn mark_same_patches(kept: &mut [Piece]) {
    let mut first: HashMap<PatchHash, String> = HashMap::new();
    for piece in kept {
        let Piece {
            trajectory, member, ..
        } = piece;
        if trajectory.patch.presence != PatchPresence::Diff {
            continue;
        }
        match first.get(&trajectory.patch.sha256) {
            None => {
                first.insert(trajectory.patch.sha256, trajectory.id.0.clone());
            }
            Some(id) => {
                if !trajectory.marks.iter().any(|m| m.starts_with(SAME_PATCH)) {
                    trajectory.marks.push(format!("{SAME_PATCH}{id}"));
                    member.marks_added += 1;
                }
            }
        }
    }
}

/// The runs of several files while they are joined: what they give to groups, and the problems.
#[derive(Debug, Default)]
pub(crate) struct Joining {
    /// The files, by index.
    pub files: Arc<Vec<Candidate>>,
    /// Problems.
    pub problems: Vec<Problem>,
    /// What is worth a word although nothing is wrong.
    pub notes: Vec<Problem>,
    /// Trajectories by group.
    pub attempts: BTreeMap<String, Vec<FoundTrajectory>>,
    /// What is told of tasks, by group.
    pub told: HashMap<String, FoundTask>,
    /// The files' indices by their paths, made when first asked for.
    indices: OnceCell<HashMap<PathBuf, usize>>,
}

impl Joining {
    /// The index of the file at a path, among those listed.
    pub(crate) fn file_at(&self, path: &Path) -> Option<usize> {
        let indices = self.indices.get_or_init(|| {
            let files = self.files.iter().enumerate();
            files
                .map(|(index, file)| (file.content_path(), index))
                .collect()
        });
        indices.get(path).copied()
    }

    /// The path of a file, as it tells what the file holds: without the ending of a compressed file.
    pub(crate) fn path(&self, file: usize) -> PathBuf {
        self.files
            .get(file)
            .map(Candidate::content_path)
            .unwrap_or_default()
    }

    /// Notes a problem.
    pub(crate) fn problem(&mut self, at: At, record: &str, reason: impl Into<String>) {
        self.problems.push(problem(&self.files, at, record, reason));
    }
}

/// SHA-256, lower-case hex, over the group's id and every (trajectory id, patch hash, outcome word,
/// reward bits), sorted by trajectory id, so that the order of files does not matter.
fn fingerprint(group: &RolloutGroup) -> String {
    let mut order: Vec<&Trajectory> = group.trajectories.iter().collect();
    order.sort_by(|a, b| a.id.cmp(&b.id));
    let mut hasher = Sha256::new();
    let mut feed = |text: &[u8]| {
        // Lengths keep neighbouring texts apart.
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    };
    feed(group.id.as_str().as_bytes());
    for trajectory in order {
        feed(trajectory.id.as_str().as_bytes());
        feed(trajectory.patch.sha256.to_string().as_bytes());
        feed(trajectory.outcome.word().as_bytes());
        // -0.0 and 0.0 are the same reward.
        match trajectory.reward {
            Some(reward) => feed(&(reward + 0.0).to_bits().to_le_bytes()),
            None => feed(b""),
        }
    }
    let mut hex = String::with_capacity(64);
    for byte in hasher.finalize() {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// Marks what is odd about a trajectory's patch.
pub(crate) fn mark_patch(trajectory: &mut Trajectory) {
    let mark = match (trajectory.patch.presence, trajectory.outcome) {
        (PatchPresence::Diff, _) => return,
        (PatchPresence::Missing, _) => "no patch recorded",
        (PatchPresence::Empty, _) => "empty patch",
        (PatchPresence::NotADiff, _) => "text instead of a diff",
    };
    trajectory.marks.push(mark.to_owned());
    if trajectory.outcome == Outcome::Pass {
        trajectory.marks.push("passes without a diff".to_owned());
    }
}

/// Folders of foreign files told one by one; more are told as one.
const FOLDERS_TOLD: usize = 5;
/// Foreign files of a folder told by name; more are counted.
const FILES_NAMED: usize = 3;

/// Tells the columns of files that no format knows, once for files with the same; those for which
/// there is no room are left in `rest`.
fn tell_columns<'a>(
    own: Vec<(&'a Path, &FileNotes)>,
    told: &mut Vec<Problem>,
    rest: &mut Vec<&'a Path>,
) {
    let mut same: Vec<(&str, Vec<&Path>)> = Vec::new();
    for (path, notes) in own {
        let Some((said, _)) = &notes.own_columns else {
            continue;
        };
        let has_room = same.len() < COLUMNS_TOLD;
        match same.iter_mut().find(|(known, _)| known == said) {
            Some((_, paths)) => paths.push(path),
            None if has_room => same.push((said, vec![path])),
            None => rest.push(path),
        }
    }
    for (said, paths) in same {
        let Some(first) = paths.first() else { continue };
        let reason = match paths.len() - 1 {
            0 => said.to_owned(),
            1 => format!("{said} (the same in 1 more file)"),
            more => format!("{said} (the same in {more} more files)"),
        };
        told.push(Problem::new(first, reason));
    }
}

/// One entry a folder about files that hold no rollouts; one for all when there are many folders.
fn tell_foreign(foreign: &[&Path]) -> Vec<Problem> {
    let mut folders: BTreeMap<&Path, Vec<&Path>> = BTreeMap::new();
    for path in foreign {
        let files = folders.entry(path.parent().unwrap_or(path)).or_default();
        files.push(path);
    }
    if folders.len() > FOLDERS_TOLD {
        let reason = format!(
            "{} files in {} folders are not rollout files",
            foreign.len(),
            folders.len()
        );
        let mut common = folders.keys().next().copied().unwrap_or(Path::new(""));
        while !folders.keys().all(|folder| folder.starts_with(common)) {
            let Some(outer) = common.parent() else { break };
            common = outer;
        }
        return vec![Problem::new(common, reason)];
    }
    let folders = folders.into_iter();
    folders
        .map(|(folder, files)| {
            let mut reason = match files.len() {
                1 => "1 file is not a rollout file".to_owned(),
                count => format!("{count} files are not rollout files"),
            };
            if files.len() <= FILES_NAMED {
                let names = files.iter().filter_map(|file| file.file_name());
                let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
                let _ = write!(reason, ": {}", names.join(", "));
            }
            Problem::new(folder, reason)
        })
        .collect()
}
