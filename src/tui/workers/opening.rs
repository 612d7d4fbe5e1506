//! Opening the texts of a group: patches parsed, laid on their base, asked about by the rules.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use super::reading::Wake;
use super::{Post, caught};
use crate::base::{BaseRepos, base_paths, bases_of};
use crate::diff::{Aligned, BaseText, CandidatePatch, Consensus, Patch, Results, moves};
use crate::domain::Outcome;
use crate::domain::scope::Remark;
use crate::formats::{LoadedSet, Problem};
use crate::review::spotting;
use crate::scope::{Input, Rules, remarks};
use crate::tui::colouring::ColourOf;
use crate::tui::message::Message;
use crate::tui::model::{Model, OnBase, OpenedGroup};
use crate::tui::screens::compare::PatchNotes;
use crate::tui::update::OPENED_KEPT;

/// Patches of so many bytes are laid on their base within a frame.
pub(super) const QUICK_BYTES: usize = 256 << 10;

/// Opens the texts of a group and reads its patches.
///
/// # Errors
/// The file that cannot be read, or that changed since it was read.
pub fn open_group(set: &LoadedSet, group: usize) -> Result<Arc<OpenedGroup>, Problem> {
    let content = set.open(group)?;
    let read = |text: Option<&String>| match text {
        Some(text) => Arc::new(Patch::read(Arc::from(text.as_str()))),
        None => Arc::new(Patch::missing()),
    };
    let patches = content
        .trajectories
        .iter()
        .map(|t| read(t.patch.as_ref()))
        .collect();
    let reference = content
        .task
        .reference_patch
        .as_ref()
        .map(|text| read(Some(text)));
    Ok(Arc::new(OpenedGroup::new(
        group, content, patches, reference,
    )))
}

/// Lays the patches of an opened group on their base.
#[must_use]
pub fn on_base(set: &LoadedSet, opened: &OpenedGroup, repos: &BaseRepos) -> OnBase {
    let group = set.groups.get(opened.group);
    let patches = || opened.patches.iter().chain(&opened.reference);
    let (bases, problems) = match group {
        Some(group) => {
            let paths = base_paths(patches().map(Arc::as_ref));
            bases_of(&group.task, &opened.content, repos, paths)
        }
        None => Default::default(),
    };
    let passes = |index: usize| {
        let trajectory = group.and_then(|group| group.trajectories.get(index));
        trajectory.is_some_and(|trajectory| trajectory.outcome == Outcome::Pass)
    };
    let candidates: Vec<_> = patches()
        .enumerate()
        .map(|(index, patch)| CandidatePatch {
            patch: Arc::clone(patch),
            passing: passes(index),
        })
        .collect();
    let aligned = Aligned::of(&candidates, &bases);
    let results = Results::of(&aligned);
    let notes = patches().enumerate();
    OnBase {
        notes: notes
            .map(|(index, patch)| Arc::new(PatchNotes::of(patch, index, &aligned)))
            .collect(),
        consensus: Consensus::of(&aligned, &results).or_failing(
            &aligned,
            &results,
            opened.patches.len(),
        ),
        moves: patches().map(|patch| moves(patch)).collect(),
        results,
        aligned: Arc::new(aligned),
        bases: Arc::new(bases),
        problems,
    }
}

/// Whether the patches of a group are on their base so soon that nobody need see them without it.
pub(super) fn is_quick(opened: &OpenedGroup, repos: &BaseRepos) -> bool {
    let bytes = opened.patches.iter().map(|patch| patch.text.len());
    repos.is_empty() && bytes.sum::<usize>() <= QUICK_BYTES
}

/// The patch of a candidate, or the reference patch (`None`), of an opened group.
#[must_use]
pub fn patch_of(opened: &OpenedGroup, trajectory: Option<usize>) -> Option<&Arc<Patch>> {
    match trajectory {
        Some(index) => opened.patches.get(index),
        None => opened.reference.as_ref(),
    }
}

/// The known base text of a file (0-based) of a patch.
#[must_use]
pub fn base_of<'a>(
    opened: &'a OpenedGroup,
    patch: &Patch,
    file: usize,
) -> Option<&'a Arc<BaseText>> {
    let path = patch.files.get(file)?.old_path.as_deref()?;
    opened.bases()?.get(path)
}

/// The patch that is to be coloured, and the known base text of one of its files (0-based); `None`
/// when it is not there any more.
#[must_use]
pub fn to_colour(
    model: &Model,
    group: usize,
    of: ColourOf,
    file: usize,
) -> Option<(Arc<Patch>, Option<Arc<BaseText>>)> {
    let opened = model.opened(group)?;
    match of {
        ColourOf::Patch(trajectory) => {
            let patch = patch_of(opened, trajectory)?;
            Some((Arc::clone(patch), base_of(opened, patch, file).cloned()))
        }
        // Its lines are those of results, which are not the base.
        ColourOf::Interdiff(from, to) => {
            let found = model.compare.interdiffs.get(&(group, from, to))?;
            Some((Arc::clone(&found.patch), None))
        }
    }
}

pub(super) fn run_open(
    requests: &Receiver<(Arc<LoadedSet>, usize)>,
    (repos, rules): (&BaseRepos, &Rules),
    wake: &Sender<Wake>,
    post: &Post,
) {
    let mut waiting: VecDeque<(Arc<LoadedSet>, Arc<OpenedGroup>)> = VecDeque::new();
    loop {
        let request = match waiting.is_empty() {
            true => requests.recv().ok(),
            false => requests.try_iter().last(),
        };
        match (request, waiting.pop_back()) {
            (None, None) => return,
            // Texts come before what is made of them.
            (Some(request), last) => {
                waiting.extend(last);
                let (set, group) = requests.try_iter().last().unwrap_or(request);
                let opened = open_one(&set, group, repos, wake, post);
                waiting.extend(opened.map(|opened| (set, opened)));
                // The interface has let go of older ones.
                while waiting.len() > OPENED_KEPT {
                    waiting.pop_front();
                }
            }
            (None, Some((set, opened))) => {
                // Without an answer the patches stay as each is on its own.
                if opened.on_base().is_some() {
                    look_for_remarks(&set, opened, rules, post);
                } else if let Ok(on_base) = caught(|| on_base(&set, &opened, repos)) {
                    let aligned = Arc::clone(&opened);
                    post(Message::GroupAligned { opened, on_base });
                    // What the rules compare stands on the base, which the interface takes over.
                    waiting.push_back((set, aligned));
                }
            }
        }
    }
}

/// Asks the rules about a group that lies on its base.
pub(super) fn look_for_remarks(
    set: &LoadedSet,
    opened: Arc<OpenedGroup>,
    rules: &Rules,
    post: &Post,
) {
    // Without an answer there is no remark.
    if let Ok(remarks) = caught(|| remarks_of(set, &opened, rules)) {
        post(Message::GroupRemarked { opened, remarks });
    }
}

/// What the out-of-scope rules say of an opened group whose patches are on their base; nothing of one
/// whose are not. Opens other groups of the repository where configuration is changed.
#[must_use]
pub fn remarks_of(set: &LoadedSet, opened: &OpenedGroup, rules: &Rules) -> Vec<Remark> {
    let Some((group, on_base)) = set.groups.get(opened.group).zip(opened.on_base()) else {
        return Vec::new();
    };
    let elsewhere = spotting::elsewhere(set, opened.group, &opened.patches, rules);
    let input = Input {
        group,
        patches: &opened.patches,
        on_base: Some((&on_base.aligned, &on_base.results)),
        reference: opened.reference.as_deref(),
        issue: opened.content.task.text.as_deref(),
        elsewhere: elsewhere.as_ref().map(|known| (known, opened.group)),
    };
    remarks(&input, rules)
}

/// Opens one group; answers it when its patches are still to be laid on their base or looked at.
pub(super) fn open_one(
    set: &Arc<LoadedSet>,
    group: usize,
    repos: &BaseRepos,
    wake: &Sender<Wake>,
    post: &Post,
) -> Option<Arc<OpenedGroup>> {
    let opened = caught(|| {
        let opened = open_group(set, group)?;
        if is_quick(&opened, repos) {
            opened.put_on_base(on_base(set, &opened, repos));
        }
        Ok(opened)
    });
    match opened {
        Ok(Err(problem)) if Problem::is_changed_file(&problem) => {
            // What stands in it now is read; then the interface asks again.
            let _ = wake.send(Wake::GoOn);
            let reason = problem.to_string();
            post(Message::GroupChanged { group, reason });
            None
        }
        result => {
            let result = result.and_then(|result| result.map_err(|error| error.to_string()));
            let later = result.as_ref().ok().cloned();
            post(Message::GroupOpened { group, result });
            later
        }
    }
}
