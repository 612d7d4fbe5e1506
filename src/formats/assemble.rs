//! Joins what was found in all files into groups, binds the answers, and tells what contradicts.
//!
//! What is *not* here: reading.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::domain::{
    Extra, GraderAnswer, GroupId, Outcome, PatchPresence, RolloutGroup, TaskSummary, Trajectory,
};

use super::found::{
    Again, At, Found, FoundGroup, FoundTask, FoundTrajectory, GroupSource, TaskSource,
};
use super::rankings::{self, Answer};
use super::source::Candidate;
use super::{LoadedSet, Problem, swebench};

/// A group while it is being joined.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    step: Option<i64>,
    task: TaskSummary,
    tasks: Vec<TaskSource>,
    digest: Option<u64>,
    meta: Extra,
    trajectories: Vec<FoundTrajectory>,
    ids: BTreeSet<String>,
    /// Where the group was told of first, by a record of its own.
    at: Option<At>,
    /// Within what its id means one task.
    scope: Option<String>,
}

impl Draft {
    /// Adds what a record tells of the task; what is known already stays. Answers whether the
    /// record agrees with the one before it.
    pub(crate) fn add_task(&mut self, task: FoundTask) -> bool {
        let first = self.digest.is_none();
        let agrees = self.digest.is_none_or(|digest| digest == task.digest);
        self.digest.get_or_insert(task.digest);
        let TaskSummary {
            title,
            repo,
            base_commit,
            has_reference,
        } = task.summary;
        if self.task.title.is_none() {
            self.task.title = title;
        }
        if self.task.repo.is_none() {
            self.task.repo = repo;
        }
        if self.task.base_commit.is_none() {
            self.task.base_commit = base_commit;
        }
        self.task.has_reference |= has_reference;
        // Trajectory lines repeat their task; one place of it is enough.
        if first || !agrees {
            self.tasks.push(task.source);
        }
        agrees
    }

    /// Whether a record told the task.
    pub(crate) fn has_task(&self) -> bool {
        self.digest.is_some()
    }

    /// Adds a reference patch.
    pub(crate) fn add_reference(&mut self, source: TaskSource) {
        self.task.has_reference = true;
        self.tasks.push(source);
    }

    /// Adds a trajectory; when its id is taken it gets a numbered one or is refused, as its format
    /// has it. Answers whether the id was free.
    pub(crate) fn add(&mut self, mut trajectory: FoundTrajectory) -> bool {
        let id = trajectory.trajectory.id.0.clone();
        let new = self.ids.insert(id.clone());
        if !new && trajectory.again == Again::Number {
            let free = (2_u32..)
                .map(|number| format!("{id}#{number}"))
                .find(|id| self.ids.insert(id.clone()));
            trajectory.trajectory.id.0 = free.unwrap_or_default();
            trajectory
                .trajectory
                .marks
                .push("id occurs twice".to_owned());
        } else if !new {
            return false;
        }
        self.trajectories.push(trajectory);
        new
    }
}

/// The groups being joined, by id, and the problems on the way.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    /// By id.
    pub groups: BTreeMap<String, Draft>,
    /// Problems.
    pub problems: Vec<Problem>,
    /// The files, by index.
    pub files: Vec<Candidate>,
    /// The files' indices by their paths, made when first asked for.
    indices: OnceCell<HashMap<PathBuf, usize>>,
}

impl Drafts {
    /// The index of the file at a path, among those listed.
    pub(crate) fn file_at(&self, path: &Path) -> Option<usize> {
        let indices = self.indices.get_or_init(|| {
            let files = self.files.iter().enumerate();
            files
                .map(|(index, file)| (file.path.clone(), index))
                .collect()
        });
        indices.get(path).copied()
    }

    /// The path of a file.
    pub(crate) fn path(&self, file: usize) -> PathBuf {
        self.files
            .get(file)
            .map(|file| file.path.clone())
            .unwrap_or_default()
    }

    /// Notes a problem.
    pub(crate) fn problem(&mut self, at: At, record: &str, reason: impl Into<String>) {
        self.problems.push(Problem {
            path: self.path(at.file),
            line: at.line,
            record: Some(record.to_owned()),
            reason: reason.into(),
        });
    }

    /// Tells of groups without a trajectory.
    fn tell_empty(&mut self) {
        let empty: Vec<(String, At)> = self
            .groups
            .iter()
            .filter(|(_, draft)| draft.trajectories.is_empty())
            .filter_map(|(id, draft)| Some((id.clone(), draft.at?)))
            .collect();
        for (id, at) in empty {
            self.problem(at, &id, "trajectories: the group has none");
        }
    }

    /// The id under which a group's parts are gathered: its own, with the scope behind it when the
    /// id alone already belongs to another scope.
    fn id_in_scope(&self, group: &FoundGroup) -> String {
        let (id, scope) = (&group.id, &group.scope);
        match (self.groups.get(id), scope) {
            (Some(draft), _) if draft.scope == *scope || draft.trajectories.is_empty() => {
                id.clone()
            }
            (Some(_), Some(scope)) => format!("{id} ({scope})"),
            _ => id.clone(),
        }
    }

    fn add_group(&mut self, mut group: FoundGroup) {
        group.id = self.id_in_scope(&group);
        let draft = self.groups.entry(group.id.clone()).or_default();
        draft.scope.clone_from(&group.scope);
        let mut reasons = Vec::new();
        draft.at.get_or_insert(group.at);
        match (draft.step, group.step) {
            (Some(before), Some(now)) if before != now => {
                reasons.push(format!(
                    "step {now} contradicts step {before}; the first counts"
                ));
            }
            (None, step) => draft.step = step,
            _ => {}
        }
        if let Some(task) = group.task
            && !draft.add_task(task)
        {
            reasons.push("the task differs from the one told before; the first counts".to_owned());
        }
        for pair in group.meta.0 {
            if draft.meta.0.iter().all(|(key, _)| *key != pair.0) {
                draft.meta.0.push(pair);
            }
        }
        let mut twice = Vec::new();
        for trajectory in group.trajectories {
            let (id, at) = (trajectory.trajectory.id.0.clone(), trajectory.at);
            let again = trajectory.again;
            if !draft.add(trajectory) {
                twice.push((id, at, again));
            }
        }
        for reason in reasons {
            self.problem(group.at, &group.id, reason);
        }
        for (id, at, again) in twice {
            let name = format!("{}/{id}", group.id);
            let reason = match again {
                Again::Refuse => "the trajectory occurs twice; the first counts",
                Again::Number => "the id occurs twice; the later one is kept under a numbered id",
            };
            self.problem(at, &name, reason);
        }
    }
}

/// Joins everything.
pub(crate) fn assemble(mut found: Found, files: Vec<Candidate>) -> LoadedSet {
    let problems = std::mem::take(&mut found.problems);
    let mut drafts = Drafts {
        problems,
        files,
        ..Drafts::default()
    };
    for group in std::mem::take(&mut found.groups) {
        drafts.add_group(group);
    }
    let known = swebench::join(std::mem::take(&mut found.swebench), &mut drafts);
    let mut foreign = Vec::new();
    tell_foreign(&found.foreign, &known, &mut foreign);

    drafts.tell_empty();

    let mut groups = Vec::with_capacity(drafts.groups.len());
    let mut sources = Vec::with_capacity(drafts.groups.len());
    for (id, mut draft) in std::mem::take(&mut drafts.groups) {
        // Stable: without a position the order of the files stays.
        draft.trajectories.sort_by_key(|found| found.order);
        let (trajectories, places): (Vec<Trajectory>, Vec<_>) = draft
            .trajectories
            .into_iter()
            .map(|t| (t.trajectory, t.source))
            .unzip();
        let mut group = RolloutGroup {
            id: GroupId(id),
            step: draft.step,
            task: draft.task,
            trajectories,
            fingerprint: String::new(),
            meta: draft.meta,
        };
        group.fingerprint = fingerprint(&group);
        groups.push(group);
        sources.push(GroupSource {
            tasks: draft.tasks,
            trajectories: places,
        });
    }
    let answers = bind_answers(&found.answers, &groups, &mut drafts);
    let Drafts {
        mut problems,
        files,
        ..
    } = drafts;
    problems.dedup();
    if groups.is_empty() {
        // Nothing was found: what stands there instead is the news.
        problems.append(&mut foreign);
    }
    LoadedSet {
        groups,
        answers,
        problems,
        foreign,
        sources,
        files,
    }
}

fn bind_answers(
    answers: &[Answer],
    groups: &[RolloutGroup],
    drafts: &mut Drafts,
) -> Vec<Vec<GraderAnswer>> {
    let mut bound = vec![Vec::new(); groups.len()];
    for answer in answers {
        let at = answer.at.unwrap_or(At {
            file: usize::MAX,
            line: None,
        });
        match groups.binary_search_by(|group| group.id.as_str().cmp(&answer.group)) {
            Err(_) => {
                let reason = "ranking refused: no group of this id was loaded";
                drafts.problem(at, &answer.group, reason);
            }
            Ok(index) => match rankings::bind(answer, &groups[index]) {
                Ok(answer) => bound[index].push(answer),
                Err(error) => {
                    drafts.problem(at, &answer.group, format!("ranking refused: {error}"));
                }
            },
        }
    }
    bound
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
        feed(trajectory.patch.sha256.as_bytes());
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

/// One entry a folder about files that hold no rollouts, except what lies inside a known run; one
/// for all when there are many folders.
fn tell_foreign(foreign: &[PathBuf], known: &swebench::Known, told: &mut Vec<Problem>) {
    let mut folders: BTreeMap<&Path, usize> = BTreeMap::new();
    for path in foreign.iter().filter(|path| !known.covers(path)) {
        *folders.entry(path.parent().unwrap_or(path)).or_default() += 1;
    }
    if folders.len() > FOLDERS_TOLD {
        let files: usize = folders.values().sum();
        let reason = format!(
            "{files} files in {} folders are not rollout files",
            folders.len()
        );
        let mut common = folders.keys().next().copied().unwrap_or(Path::new(""));
        while !folders.keys().all(|folder| folder.starts_with(common)) {
            let Some(outer) = common.parent() else { break };
            common = outer;
        }
        told.push(Problem::new(common, reason));
        return;
    }
    for (folder, count) in folders {
        let reason = if count == 1 {
            "1 file is not a rollout file".to_owned()
        } else {
            format!("{count} files are not rollout files")
        };
        told.push(Problem::new(folder, reason));
    }
}
