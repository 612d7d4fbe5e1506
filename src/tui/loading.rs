//! What the interface knows of loading and following, says about it, and does when the set changes.
//!
//! What is *not* here: reading itself (`workers`).

use std::sync::Arc;
use std::time::Duration;

use super::action::Action;
use super::effect::Effect;
use super::model::{Model, Screen, Severity};
use super::screens::groups;
use super::update::{after_layout, refresh_reviewed, save};
use crate::domain::{RolloutGroup, TrajectoryIndex};
use crate::review::{Change, LoadedSet, Prepared};

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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loading {
    /// Where it stands.
    pub stage: Stage,
    /// Whether what changed is being read.
    pub rereads: bool,
    /// Changes that came while the files are followed.
    pub follow: Option<Follow>,
    /// The group that is opened again when its changed file is read.
    pub awaited: Option<usize>,
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
pub fn ended(model: &mut Model, complete: bool) {
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
    let Some(session) = model.session.as_mut() else {
        return Vec::new();
    };
    let before = open.and_then(|group| session.set().groups.get(group).cloned());
    let had_draft = open.is_some_and(|group| session.draft(group).is_some());
    let changed = session.replace_set(set, prepared);
    let after = open.and_then(|group| session.set().groups.get(group).cloned());
    let is_changed = |group: usize| changed.binary_search(&group).is_ok();
    let is_gone = open.is_some_and(|group| session.is_gone(group));
    if is_gone && model.loading.awaited == open {
        model.loading.awaited = None;
    }

    model.opened.retain(|opened| !is_changed(opened.group));
    model.colours.retain(|(group, ..), _| !is_changed(*group));
    model.colouring.retain(|(group, ..)| !is_changed(*group));
    let mut effects = Vec::new();
    if let (Some(group), Some(before), Some(after)) = (open, before, after) {
        if is_changed(group) {
            if !Arc::ptr_eq(&before, &after) {
                on_open_group_changed(model, group, (&before, &after), had_draft, &mut effects);
            }
            if is_gone {
                model.open_failed = None;
            } else if model.loading.awaited != Some(group) {
                effects.push(Effect::OpenGroup { group });
            }
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
    effects
}

/// Says what became of the group on screen and keeps focus and draft.
fn on_open_group_changed(
    model: &mut Model,
    group: usize,
    (before, after): (&RolloutGroup, &RolloutGroup),
    had_draft: bool,
    effects: &mut Vec<Effect>,
) {
    let place = |index: TrajectoryIndex| -> Option<TrajectoryIndex> {
        let id = &before.trajectories.get(index)?.id;
        after.trajectories.iter().position(|t| t.id == *id)
    };
    model.compare.reindex(group, &place);
    model.steps.reindex(group, &place);
    if after.trajectories.is_empty() {
        if model.screen == Screen::Steps {
            // There are none to read; the comparison says what happened.
            model.screen = Screen::Compare;
            model.pending_keys.clear();
        }
        return model.say(Severity::Warning, "the rollouts of this group are gone");
    }
    let (was, is) = (before.trajectories.len(), after.trajectories.len());
    let mut text = match is.checked_sub(was) {
        Some(0) => "the data of this group changed".to_owned(),
        Some(1) => "1 more rollout came for this group".to_owned(),
        Some(more) => format!("{more} more rollouts came for this group"),
        None => format!("{} rollouts of this group went", was - is),
    };
    if before.fingerprint != after.fingerprint
        && let Some(session) = model.session.as_mut()
        && session.any_judgement(group).is_some()
        && session.judgement(group).is_none()
    {
        let kept = if had_draft {
            session.propose(group, Change::KeepDraft).ok()
        } else {
            None
        };
        match kept {
            Some(proposal) => {
                session.apply(&proposal);
                effects.extend(save(model, proposal.events));
                text.push_str("; your draft is kept");
            }
            None => text.push_str("; what you judged before is stale now"),
        }
    }
    model.say(Severity::Warning, text);
}
