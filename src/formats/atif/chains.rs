//! Documents that are one run: a trajectory, its continuations, and its sub-agents in files of
//! their own.
//!
//! What is *not* here: the trial that a run belongs to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::domain::Trajectory;
use crate::formats::assemble::Joining;
use crate::formats::found::Beside;

use super::{Document, Usage};

/// One run: its documents in the order in which they are shown.
#[derive(Debug)]
pub(crate) struct Chain {
    /// File of the first document.
    pub path: PathBuf,
    /// The first document and its continuations.
    pub documents: Vec<Document>,
    /// Trajectories of sub-agents in files of their own.
    pub agents: Vec<Document>,
    /// What is odd about it.
    pub marks: Vec<String>,
}

/// Number of `<stem>.cont-<number>.json`, and the name of the file it continues.
fn continues(path: &Path) -> Option<(PathBuf, u32)> {
    let name = path.file_name()?.to_str()?;
    let (stem, end) = name.rsplit_once(".cont-")?;
    let number = end.strip_suffix(".json")?.parse().ok()?;
    Some((path.with_file_name(format!("{stem}.json")), number))
}

/// Sorts documents into runs.
pub(crate) fn chains(documents: Vec<Document>, joining: &Joining) -> Vec<Chain> {
    let paths: Vec<PathBuf> = documents
        .iter()
        .map(|document| joining.path(document.at.file))
        .collect();
    // To which document (by index) each belongs; the roots belong to none.
    let mut follows: BTreeMap<usize, Vec<(u32, usize)>> = BTreeMap::new();
    let mut agents: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut marks: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let by_path: BTreeMap<&Path, usize> = paths
        .iter()
        .enumerate()
        .filter(|(index, _)| {
            let document = &documents[*index];
            document.key.is_none() && document.at.line.is_none()
        })
        .map(|(index, path)| (path.as_path(), index))
        .collect();
    let mut by_folder: BTreeMap<Option<&Path>, Vec<usize>> = BTreeMap::new();
    for (index, path) in paths.iter().enumerate() {
        by_folder.entry(path.parent()).or_default().push(index);
    }
    for (index, path) in paths.iter().enumerate() {
        let Some((first, number)) = continues(path) else {
            continue;
        };
        if documents[index].at.line.is_some() {
            continue;
        }
        match by_path.get(first.as_path()) {
            Some(&root) if root != index => {
                follows.entry(root).or_default().push((number, index));
                taken.insert(index);
            }
            _ => marks
                .entry(index)
                .or_default()
                .push("continues a file that is not there".to_owned()),
        }
    }
    for (index, document) in documents.iter().enumerate() {
        // By another name than the usual one.
        if let Some(target) = &document.continued
            && !follows.contains_key(&index)
            && continues(&paths[index]).is_none()
        {
            let path = paths[index].with_file_name(last_part(target));
            match by_path.get(path.as_path()) {
                Some(&next) if next != index && taken.insert(next) => {
                    follows.entry(index).or_default().push((1, next));
                }
                _ => marks
                    .entry(index)
                    .or_default()
                    .push(format!("continued in {target}, which is not there")),
            }
        }
        let here = by_folder.get(&paths[index].parent());
        let here = here.map_or(&[][..], Vec::as_slice);
        let mut missing = 0_usize;
        for target in &document.refers {
            let path = paths[index].with_file_name(last_part(target));
            let named = here.iter().copied().find(|&other| {
                let of = &documents[other];
                other != index
                    && !taken.contains(&other)
                    && [&of.id, &of.session]
                        .into_iter()
                        .any(|id| id.as_deref() == Some(target))
            });
            let at_path = by_path.get(path.as_path()).copied();
            match at_path.filter(|other| *other != index).or(named) {
                Some(other) => {
                    if taken.insert(other) {
                        agents.entry(index).or_default().push(other);
                    }
                }
                None => missing += 1,
            }
        }
        if missing > 0 {
            let mark = format!("{missing} sub-agent trajectories are not there");
            marks.entry(index).or_default().push(mark);
        }
        // A file that wraps a run and its sub-agent without a reference.
        if document.key.as_deref() == Some("parent") {
            let child = here.iter().copied().find(|&other| {
                documents[other].at.file == document.at.file
                    && documents[other].key.as_deref() == Some("child")
            });
            if let Some(child) = child
                && taken.insert(child)
            {
                agents.entry(index).or_default().push(child);
            }
        }
    }
    gather(documents, paths, &taken, (follows, agents, marks))
}

type Ties = (
    BTreeMap<usize, Vec<(u32, usize)>>,
    BTreeMap<usize, Vec<usize>>,
    BTreeMap<usize, Vec<String>>,
);

fn gather(
    documents: Vec<Document>,
    paths: Vec<PathBuf>,
    taken: &BTreeSet<usize>,
    (mut follows, mut agents, mut marks): Ties,
) -> Vec<Chain> {
    let count = documents.len();
    let mut slots: Vec<Option<Document>> = documents.into_iter().map(Some).collect();
    let mut out = Vec::new();
    // Documents that only refer to each other are roots as well, so that none is lost.
    let order = (0..count)
        .filter(|index| !taken.contains(index))
        .chain(taken.iter().copied());
    for root in order {
        let Some(first) = slots[root].take() else {
            continue;
        };
        let mut chain = Chain {
            path: paths[root].clone(),
            documents: vec![first],
            agents: Vec::new(),
            marks: marks.remove(&root).unwrap_or_default(),
        };
        let mut open = agents.remove(&root).unwrap_or_default();
        let mut next = follows.remove(&root).unwrap_or_default();
        next.sort_unstable();
        let mut next: std::collections::VecDeque<usize> =
            next.into_iter().map(|(_, index)| index).collect();
        while let Some(index) = next.pop_front() {
            chain.documents.extend(slots[index].take());
            chain.marks.extend(marks.remove(&index).unwrap_or_default());
            open.extend(agents.remove(&index).unwrap_or_default());
            let more = follows.remove(&index).unwrap_or_default();
            next.extend(more.into_iter().map(|(_, index)| index));
        }
        let mut open = std::collections::VecDeque::from(open);
        while let Some(index) = open.pop_front() {
            chain.agents.extend(slots[index].take());
            chain.marks.extend(marks.remove(&index).unwrap_or_default());
            open.extend(agents.remove(&index).unwrap_or_default());
        }
        out.push(chain);
    }
    out
}

fn last_part(target: &str) -> &str {
    target.rsplit('/').next().unwrap_or(target)
}

impl Chain {
    /// Writes what the documents tell into a trajectory; what it already knows stays.
    pub(crate) fn describe(&self, trajectory: &mut Trajectory) {
        let documents = self.documents.iter().chain(&self.agents);
        let titles = self.documents.len() - 1 + self.agents.len();
        let steps = documents.fold(0_u32, |sum, document| sum.saturating_add(document.steps));
        let steps = steps.saturating_add(u32::try_from(titles).unwrap_or(u32::MAX));
        trajectory.steps = Some(trajectory.steps.unwrap_or(0).saturating_add(steps));
        let usage = self.usage();
        trajectory.input_tokens = trajectory.input_tokens.or(usage.input);
        trajectory.output_tokens = trajectory.output_tokens.or(usage.output);
        trajectory.cost_usd = trajectory.cost_usd.or(usage.cost);
        if trajectory.policy.is_none() {
            trajectory.policy.clone_from(&self.documents[0].policy);
        }
        for document in &self.documents {
            trajectory.marks.extend(document.marks.iter().cloned());
        }
        trajectory.marks.extend(self.marks.iter().cloned());
    }

    /// The tokens of the whole run. `final_metrics` of a continuation counts the run so far with
    /// some writers and its own steps with others: it counts when it is no less than the steps.
    fn usage(&self) -> Usage {
        if let [only] = self.documents.as_slice() {
            // A total that is the sum over copied steps as well counts them twice.
            let twice = only.own != only.all
                && only.told.input == only.all.input
                && only.told.output == only.all.output;
            return if twice || only.told == Usage::default() {
                only.own
            } else {
                only.told
            };
        }
        let own = self
            .documents
            .iter()
            .fold(Usage::default(), |sum, document| sum.plus(document.own));
        let last = self.documents.last().map(|document| document.told);
        match last {
            Some(last) if last.input >= own.input && last.output >= own.output => last,
            _ if own != Usage::default() => own,
            _ => self
                .documents
                .iter()
                .fold(Usage::default(), |sum, document| sum.plus(document.told)),
        }
    }

    /// Where the texts are, with a line before every document but the first.
    pub(crate) fn beside(&self, joining: &Joining) -> Vec<Beside> {
        let name = |document: &Document| {
            let path = joining.path(document.at.file);
            let name = path.file_name().map(|name| name.to_string_lossy());
            let name = name.unwrap_or_default().into_owned();
            match &document.key {
                Some(key) => format!("{name}: {key}"),
                None => name,
            }
        };
        let titled = |document: &Document, title: Option<String>| Beside {
            title,
            ..Beside::new(document.format, document.place, None)
        };
        let documents = self.documents.iter().enumerate().map(|(index, document)| {
            let title = (index > 0).then(|| format!("[continued in {}]", name(document)));
            titled(document, title)
        });
        let agents = self
            .agents
            .iter()
            .map(|document| titled(document, Some(format!("[sub-agent in {}]", name(document)))));
        documents.chain(agents).collect()
    }
}
