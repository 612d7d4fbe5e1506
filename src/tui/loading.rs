//! What the interface knows of loading and following, says about it, and does when the set changes.
//!
//! What is *not* here: reading itself (`workers`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::action::Action;
use super::effect::Effect;
use super::model::{Model, OpensFirst, Severity};
use super::overlays;
use super::screens::{compare, groups};
use super::text;
use super::timing;
use super::update::{after_layout, open_group, refresh_reviewed, save};
use crate::domain::{RolloutGroup, TrajectoryIndex};
use crate::review::{Change, LoadedSet, Prepared, ReviewSession};

/// Progress is shown for what takes longer.
const SHOWN_FROM: Duration = Duration::from_millis(500);

/// Where reading stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stage {
    /// Files are read.
    #[default]
    Running,
    /// The person stopped it.
    Stopped,
    /// Everything that was listed is read.
    Complete,
}

/// What is known of loading beside its progress.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loading {
    /// Where it stands.
    pub stage: Stage,
    /// Whether what changed is being read.
    pub rereads: bool,
    /// Changes that came while the files are followed.
    pub follow: Option<Follow>,
    /// The group that is opened again when its changed file is read.
    pub awaited: Option<usize>,
    /// Groups that have no rollout now, as they were before.
    pub left: BTreeMap<usize, Arc<RolloutGroup>>,
}

/// Changes that came while files are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Follow {
    /// Rollouts that the last changes brought; fewer than none when they took some away.
    pub rollouts: i64,
    /// Time from the first of these changes to the last; zero when it is one.
    pub over: Duration,
    /// How long ago it was when it was last looked; `None`: nothing changed yet.
    pub ago: Option<Duration>,
}

/// One short text on what goes on; `None` when nothing does.
#[must_use]
pub fn activity(model: &Model) -> Option<String> {
    let loading = &model.loading;
    match loading.stage {
        Stage::Running if model.session.is_some() && model.loading_for >= SHOWN_FROM => {
            Some(format!("◐ indexing {}", how_far(model)))
        }
        Stage::Running => None,
        Stage::Complete if loading.rereads && model.loading_for >= SHOWN_FROM => {
            Some(format!("◐ reading {}", how_far(model)))
        }
        Stage::Stopped => Some("indexing stopped".to_owned()),
        Stage::Complete => loading.follow.map(|follow| match follow.ago {
            None => "following".to_owned(),
            Some(ago) => {
                let over = match follow.over.as_secs() {
                    0 => String::new(),
                    _ => format!("in {}, ", in_short(follow.over)),
                };
                let when = format!("{over}{} ago", in_short(ago));
                match follow.rollouts {
                    0 => format!("following · changed {when}"),
                    1 => format!("following · +1 rollout {when}"),
                    rollouts => format!("following · {rollouts:+} rollouts {when}"),
                }
            }
        }),
    }
}

/// Percent done and how long it may still take.
#[must_use]
pub fn how_far(model: &Model) -> String {
    let progress = model.progress;
    let done = progress.bytes_done.min(progress.bytes_total);
    let percent = done * 100 / progress.bytes_total.max(1);
    let elapsed = model.loading_for.as_millis();
    // An estimate from the first bytes would jump about.
    if percent < 5 || elapsed < SHOWN_FROM.as_millis() {
        return format!("{percent}%");
    }
    let left = elapsed * u128::from(progress.bytes_total - done) / u128::from(done.max(1));
    format!("{percent}% {}s", left.div_ceil(1000))
}

fn in_short(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}min", seconds / 60),
        seconds => format!("{}h", seconds / 3600),
    }
}

/// Whether it takes so long that the footer tells how it is stopped.
#[must_use]
pub fn tells_stop(model: &Model) -> bool {
    can_stop(model) && model.loading_for >= SHOWN_FROM
}

/// Whether the key that goes back would stop reading.
#[must_use]
pub fn can_stop(model: &Model) -> bool {
    model.loading.stage == Stage::Running && model.load_failed.is_none()
}

/// Notes that reading ended.
pub fn ended(model: &mut Model, complete: bool) -> Vec<Effect> {
    model.loading.stage = if complete {
        Stage::Complete
    } else {
        Stage::Stopped
    };
    if !complete {
        let key = model.keymap.key_of(Action::Reload).unwrap_or_default();
        let text = format!("indexing stopped: what was read stays, {key} goes on");
        model.say(Severity::Warning, text);
    }
    // What was assigned and is not there is known now.
    if model
        .session
        .as_ref()
        .is_some_and(|session| session.assignment().is_some())
    {
        groups::reload(model);
    }
    open_first(model)
}

/// Opens the group that was asked for at the start, or the only one there is.
pub fn open_first(model: &mut Model) -> Vec<Effect> {
    let Some(session) = model.session.as_ref() else {
        return Vec::new();
    };
    let complete = model.loading.stage == Stage::Complete;
    let found = match &model.opens_first {
        OpensFirst::No => None,
        OpensFirst::Named(id) => session.find(id),
        OpensFirst::Only => (complete && session.rows().len() == 1).then_some(0),
    };
    if let Some(group) = found {
        model.opens_first = OpensFirst::No;
        return open_group(model, group);
    }
    if complete && let OpensFirst::Named(id) = &model.opens_first {
        let text = format!("no group is called {id}");
        model.opens_first = OpensFirst::No;
        model.say(Severity::Warning, text);
    }
    Vec::new()
}

/// Says how many groups replaced files changed, unless what became of the group on screen was said.
pub fn rewritten(model: &mut Model, groups: usize) {
    if model.status.text.is_empty() || model.status.severity == Severity::Info {
        let text = match groups {
            1 => "rewritten: 1 group changed".to_owned(),
            _ => format!("rewritten: {groups} groups changed"),
        };
        model.say(Severity::Info, text);
    }
}

/// Asks for more: to go on where reading was stopped, else to look for changes.
pub fn reload(model: &mut Model) -> Vec<Effect> {
    let text = match model.loading.stage {
        Stage::Running => {
            model.say(Severity::Info, "the files are being read already");
            return Vec::new();
        }
        Stage::Stopped => {
            model.loading.stage = Stage::Running;
            "reading goes on"
        }
        Stage::Complete => "looking for changed files",
    };
    model.say(Severity::Info, text);
    vec![Effect::Reload]
}

/// Waits with a group until its file, which changed, is read again. The second time in a row is
/// told instead: the file never rests.
pub fn group_changed(model: &mut Model, group: usize, reason: String) {
    if model.loading.awaited == Some(group) {
        model.loading.awaited = None;
        model.open_failed = Some((group, reason));
        return;
    }
    model.loading.awaited = Some(group);
    model.say(Severity::Info, "the file changed: it is read again");
}

/// Takes a later state of the set. Screens, selection and drafts stay; the texts of an open group
/// that changed are opened anew.
pub fn on_snapshot(
    model: &mut Model,
    set: Arc<LoadedSet>,
    prepared: Option<Prepared>,
) -> Vec<Effect> {
    let open = model.compare.group;
    let chosen = overlays::chosen(model);
    let mut effects = timing::before_change(model, &set);
    let Some(session) = model.session.as_mut() else {
        return effects;
    };
    let before = Arc::clone(session.set());
    let changed = session.replace_set(set, prepared);
    let is_changed = |group: usize| changed.binary_search(&group).is_ok();
    let is_gone = open.is_some_and(|group| session.is_gone(group));
    if is_gone && model.loading.awaited == open {
        model.loading.awaited = None;
    }

    model.opened.retain(|opened| !is_changed(opened.group));
    model.colours.retain(|(group, ..), _| !is_changed(*group));
    model.colouring.retain(|(group, ..)| !is_changed(*group));
    effects.extend(carry_over(model, &before, &changed));
    tell_problems(model, before.problems.len());
    if let Some(group) = open {
        if is_gone {
            model.open_failed = None;
        } else if is_changed(group) && model.loading.awaited != Some(group) {
            effects.push(Effect::OpenGroup { group });
        }
        refresh_reviewed(model, group);
    }
    if let Some(group) = model.loading.awaited
        && model.compare.group == Some(group)
    {
        effects.push(Effect::OpenGroup { group });
    }
    effects.extend(groups::reload(model));
    effects.extend(after_layout(model));
    overlays::choose_again(model, chosen);
    effects
}

/// Keeps what is remembered of groups that changed: focus, scroll positions and drafts. Says what
/// became of the group on screen, and of submissions elsewhere.
fn carry_over(model: &mut Model, before: &LoadedSet, changed: &[usize]) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut said = None;
    let mut stale = Vec::new();
    for &group in changed {
        let Some(session) = model.session.as_ref() else {
            break;
        };
        let (Some(was), Some(is)) = (before.groups.get(group), session.set().groups.get(group))
        else {
            continue;
        };
        let is_open = model.compare.group == Some(group);
        if is.trajectories.is_empty() {
            // A file that is replaced may be read in two parts: what was there may come back.
            if !was.trajectories.is_empty() {
                model.loading.left.insert(group, Arc::clone(was));
            }
            if is_open {
                said = Some("the rollouts of this group are gone".to_owned());
            }
            continue;
        }
        let left = model.loading.left.remove(&group);
        let (was, is) = (left.unwrap_or_else(|| Arc::clone(was)), Arc::clone(is));
        if was.trajectories.is_empty() || Arc::ptr_eq(&was, &is) {
            continue;
        }
        let place = |index: TrajectoryIndex| -> Option<TrajectoryIndex> {
            let id = &was.trajectories.get(index)?.id;
            is.trajectories.iter().position(|t| t.id == *id)
        };
        if model.compare.remembers(group) {
            model.compare.reindex(group, &place);
            model.steps.reindex(group, &place);
        }
        let settling = compare::carry_settlement(model, group, &is, &place);
        overlays::carry_over(model, group, (&was, &is));
        let judged = judgement_after(model, group, (&was, &is), &mut effects);
        if is_open {
            let judged = judged.map_or("", Judged::words);
            said = Some(what_changed(&was, &is) + judged + settling.unwrap_or_default());
        } else if judged == Some(Judged::Stale) {
            stale.push(text::cut(is.id.as_str(), 40));
        }
    }
    let stale = match stale.as_slice() {
        [] => None,
        [one] => Some(format!(
            "what you judged in {one} is stale now: its data changed"
        )),
        many => Some(format!(
            "what you judged in {} groups is stale now: their data changed",
            many.len()
        )),
    };
    let said: Vec<String> = said.into_iter().chain(stale).collect();
    if !said.is_empty() {
        model.say(Severity::Warning, said.join(" · "));
    }
    effects
}

/// Tells problems that came while the files are followed; `before` is how many there were.
fn tell_problems(model: &mut Model, before: usize) {
    let problems = model
        .session
        .as_ref()
        .map(|session| &session.set().problems);
    let Some((new, last)) = problems
        .filter(|_| model.loading.stage == Stage::Complete)
        .and_then(|problems| Some((problems.len().checked_sub(before)?, problems.last()?)))
        .filter(|(new, _)| *new > 0)
    else {
        return;
    };
    let name = last.path.file_name().unwrap_or(last.path.as_os_str());
    let key = model.keymap.key_of(Action::Problems).unwrap_or_default();
    let hidden = model
        .session
        .as_ref()
        .is_some_and(ReviewSession::hides_names);
    let what = match new {
        1 if hidden => "1 new problem".to_owned(),
        1 => format!("{}: {}", name.to_string_lossy(), last.reason),
        new => format!("{new} new problems"),
    };
    let text = match model.status.severity {
        Severity::Warning if !model.status.text.is_empty() => {
            format!("{} · {what} · {key} lists it", model.status.text)
        }
        _ => format!("{what} · {key} lists it"),
    };
    model.say(Severity::Warning, text);
}

fn what_changed(was: &RolloutGroup, is: &RolloutGroup) -> String {
    let (before, now) = (was.trajectories.len(), is.trajectories.len());
    match now.checked_sub(before) {
        Some(0) if was.fingerprint == is.fingerprint => "this group was read again".to_owned(),
        Some(0) => "the data of this group changed".to_owned(),
        Some(1) => "1 more rollout came for this group".to_owned(),
        Some(more) => format!("{more} more rollouts came for this group"),
        None if before - now == 1 => "1 rollout of this group went".to_owned(),
        None => format!("{} rollouts of this group went", before - now),
    }
}

/// What became of a judgement when its group's data changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judged {
    DraftKept,
    Stale,
}

impl Judged {
    fn words(self) -> &'static str {
        match self {
            Self::DraftKept => "; your draft is kept",
            Self::Stale => "; what you judged before is stale now",
        }
    }
}

/// Makes the draft of a group as it was the draft of the group as it is; `None` when there was no
/// judgement of it as it was, or nothing changed for it.
fn judgement_after(
    model: &mut Model,
    group: usize,
    (was, is): (&RolloutGroup, &RolloutGroup),
    effects: &mut Vec<Effect>,
) -> Option<Judged> {
    if was.fingerprint == is.fingerprint {
        return None;
    }
    let session = model.session.as_mut()?;
    // What was only opened is nothing judged.
    let before = session.any_judgement(group)?.at(&was.fingerprint)?;
    if !before.is_touched() {
        return None;
    }
    match session.propose(group, Change::KeepDraft) {
        Ok(proposal) => {
            session.apply(&proposal);
            effects.extend(save(model, proposal.events));
            Some(Judged::DraftKept)
        }
        // There may be a judgement of the group as it is from before.
        Err(_) => session.judgement(group).is_none().then_some(Judged::Stale),
    }
}
