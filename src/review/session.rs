//! The loaded set, the judgements of one annotator, and the settings that advantages follow.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::assigned::Assignment;
use super::blind::{BlindPlan, Face, HIDDEN};
use super::change::Proposal;
use super::row::{GroupRow, ReviewState};
use super::view::{RankingSource, ReviewedGroup};
use crate::domain::redistribution::FailingRankPolicy;
use crate::domain::{
    Estimator, GraderAnswer, GroupRewards, Policies, Ranking, RolloutGroup, Scheme, TrajectoryIndex,
};
use crate::formats::LoadedSet;
use crate::store::projection::{IdTiers, Judgement, Projection, Submission};
use crate::store::{Event, EventBody, NewEvent};

/// Who reviews, in which run of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The annotator's name.
    pub annotator: String,
    /// This run of the program.
    pub session_id: String,
    /// The paths that were given, for the record.
    pub source: String,
    /// Which groups are reviewed blind.
    pub blind: BlindPlan,
}

/// What advantages are computed with.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How rewards become baseline advantages.
    pub estimator: Estimator,
    /// Weight by place.
    pub scheme: Scheme,
    /// The rules beside the scheme.
    pub policies: Policies,
    /// Whose ranking moves the advantages on screen.
    pub source: RankingSource,
    /// Whether only submissions made blind and before the reveal count.
    pub blind_only: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            estimator: Estimator::default(),
            scheme: Scheme::Linear { floor: 0.5 },
            policies: Policies {
                failing_rank: FailingRankPolicy::Drop,
                ..Policies::default()
            },
            source: RankingSource::Best,
            blind_only: false,
        }
    }
}

/// A review of one loaded set by one annotator.
pub struct ReviewSession {
    /// The set as it was loaded.
    pub(super) raw: Arc<LoadedSet>,
    /// The set with the trajectories of blind groups in the order shown.
    pub(super) set: Arc<LoadedSet>,
    /// How blind groups are shown, by group.
    pub(super) faces: BTreeMap<usize, Face>,
    /// How many of them hide something.
    pub(super) hidden: usize,
    /// Shared with work that takes longer than a key may wait.
    pub(super) projection: Arc<Projection>,
    /// Counts what changes a figure over all groups: set, judgements, settings.
    revision: u64,
    /// Every event, stored or about to be, in order.
    log: Vec<Event>,
    pub(super) identity: Identity,
    settings: Settings,
    /// Baseline advantages of every group under a batch-level estimator, else empty.
    batch: Vec<Result<Vec<f64>, String>>,
    rows: Vec<GroupRow>,
    /// Place of every group in the order of the ids.
    places: Vec<usize>,
    /// Focused time since the open group was opened or submitted, in milliseconds.
    stretch_ms: u64,
    /// What the annotator was given, when not everything.
    pub(super) assignment: Option<Assignment>,
    ids: ChaCha8Rng,
    clock: Box<dyn Fn() -> i64 + Send>,
}

impl std::fmt::Debug for ReviewSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReviewSession")
            .field("groups", &self.set.groups.len())
            .finish_non_exhaustive()
    }
}

impl ReviewSession {
    /// Starts a review of `set` with the judgements that `events` (a whole log) hold. `seed` makes
    /// event ids unique; `clock` gives milliseconds since the Unix epoch.
    #[must_use]
    pub fn new(
        set: Arc<LoadedSet>,
        events: &[Event],
        identity: Identity,
        settings: Settings,
        seed: u64,
        clock: Box<dyn Fn() -> i64 + Send>,
    ) -> Self {
        let mut session = Self {
            raw: Arc::clone(&set),
            set,
            faces: BTreeMap::new(),
            hidden: 0,
            projection: Arc::new(Projection::of(events)),
            revision: 0,
            log: events.to_vec(),
            identity,
            settings,
            batch: Vec::new(),
            rows: Vec::new(),
            places: Vec::new(),
            stretch_ms: 0,
            assignment: None,
            ids: ChaCha8Rng::seed_from_u64(seed),
            clock,
        };
        session.face_all();
        session.recompute();
        session.place();
        session
    }

    /// Takes a later state of the set; projection and settings stay. `prepared` are rows computed
    /// elsewhere for what differs between the two states. Returns the groups that changed or came
    /// (0-based, ascending).
    pub fn replace_set(&mut self, set: Arc<LoadedSet>, prepared: Option<Prepared>) -> Vec<usize> {
        let before = std::mem::replace(&mut self.raw, set);
        let changed = changed_groups(&before, &self.raw);
        self.face_all();
        let prepared = prepared.filter(|prepared| prepared.settings == self.settings);
        let is_batch = self.settings.estimator.is_batch_level();
        match prepared {
            None if is_batch => self.recompute(),
            None => {
                for &group in &changed {
                    self.refresh(group);
                }
            }
            Some(prepared) => {
                self.batch = prepared.batch;
                for (group, advantages) in self.batch.iter_mut().enumerate() {
                    let order = self.faces.get(&group).map(Face::order);
                    if let (Some(order), Ok(advantages)) = (order, advantages) {
                        let picked = order.iter().filter_map(|&at| advantages.get(at));
                        *advantages = picked.copied().collect();
                    }
                }
                for (group, row) in prepared.rows {
                    if self.is_judged(group) || self.is_blind(group) {
                        // What was prepared knows of no judgement, and hides nothing.
                        self.refresh(group);
                    } else {
                        self.put_row(group, row);
                    }
                }
            }
        }
        if self.places.len() != self.set.groups.len() {
            self.place();
        }
        changed
    }

    /// Takes a later state of the set as [`Self::replace_set`] does, and hands over the rows that
    /// it gave, for another session over the same states without a judgement of its own.
    #[must_use]
    pub fn prepare(&mut self, set: Arc<LoadedSet>) -> Prepared {
        let mut changed = self.replace_set(set, None);
        if self.settings.estimator.is_batch_level() {
            changed = (0..self.rows.len()).collect();
        }
        Prepared {
            settings: self.settings.clone(),
            rows: changed
                .into_iter()
                .filter_map(|group| Some((group, self.rows.get(group)?.clone())))
                .collect(),
            batch: self.batch.clone(),
        }
    }

    /// The place of every group (0-based index) in the order of the ids.
    #[must_use]
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    fn place(&mut self) {
        let groups = &self.set.groups;
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by(|&a, &b| groups[a].id.cmp(&groups[b].id));
        self.places = vec![0; groups.len()];
        for (place, group) in order.into_iter().enumerate() {
            self.places[group] = place;
        }
    }

    /// Whether anybody judged the group, as it is or as it was.
    fn is_judged(&self, group: usize) -> bool {
        let Some(id) = self.group(group).map(|group| group.id.as_str()) else {
            return false;
        };
        let first = (id.to_owned(), String::new());
        let mut from = self.projection.judgements.range(first..);
        from.next().is_some_and(|((of, _), _)| of == id)
    }

    /// The loaded set; the trajectories of blind groups are in the order shown, under their true names.
    #[must_use]
    pub fn set(&self) -> &Arc<LoadedSet> {
        &self.set
    }

    /// Who reviews.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// What advantages are computed with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Every judgement, by (group id, annotator).
    #[must_use]
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// Another number whenever the set, a judgement or the settings changed.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn batch(&self) -> &[Result<Vec<f64>, String>] {
        &self.batch
    }

    /// Every event that is known, in log order; the latest ones may not be stored yet.
    #[must_use]
    pub fn log(&self) -> &[Event] {
        &self.log
    }

    /// One summary row per group, same order as the set's groups.
    #[must_use]
    pub fn rows(&self) -> &[GroupRow] {
        &self.rows
    }

    /// Changes the settings; every advantage follows.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = settings;
        self.recompute();
    }

    /// The group at this 0-based index as it is shown: a blind one in its shuffled order and, until it
    /// is revealed, with letters for ids and without what is hidden.
    #[must_use]
    pub fn group(&self, group: usize) -> Option<&RolloutGroup> {
        if let Some(face) = self.faces.get(&group) {
            return Some(face.shown());
        }
        self.set.groups.get(group).map(AsRef::as_ref)
    }

    /// Whether no file holds a rollout of the group at this index any more; see
    /// [`GroupRow::is_gone`].
    #[must_use]
    pub fn is_gone(&self, group: usize) -> bool {
        self.rows.get(group).is_some_and(GroupRow::is_gone)
    }

    /// The 0-based index of the group with this id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.set
            .groups
            .iter()
            .position(|group| group.id.as_str() == id)
    }

    /// Every grader answer about a group, in file order; none while they are hidden.
    #[must_use]
    pub fn answers(&self, group: usize) -> &[GraderAnswer] {
        if self.is_hidden(group) {
            return &[];
        }
        self.set.answers.get(group).map_or(&[], AsRef::as_ref)
    }

    /// The grader answer that is shown: the first one with a ranking, else the first one.
    #[must_use]
    pub fn answer(&self, group: usize) -> Option<&GraderAnswer> {
        let answers = self.answers(group);
        answers
            .iter()
            .find(|answer| answer.ranking.is_some())
            .or_else(|| answers.first())
    }

    /// This annotator's judgement of a group as it is now; `None` when there is none or it is
    /// stale.
    #[must_use]
    pub fn judgement(&self, group: usize) -> Option<&Judgement> {
        let data = self.group(group)?;
        self.any_judgement(group)?.at(&data.fingerprint)
    }

    /// This annotator's judgement, stale or not.
    #[must_use]
    pub fn any_judgement(&self, group: usize) -> Option<&Judgement> {
        let id = self.group(group)?.id.as_str().to_owned();
        self.projection
            .judgements
            .get(&(id, self.identity.annotator.clone()))
    }

    /// The submission of a judgement that counts under the settings.
    pub(super) fn counting<'a>(&self, judgement: &'a Judgement) -> Option<&'a Submission> {
        judgement.counting(self.settings.blind_only)
    }

    /// Where this annotator's work on a group stands.
    #[must_use]
    pub fn state(&self, group: usize) -> ReviewState {
        match (self.judgement(group), self.any_judgement(group)) {
            (None, None) => ReviewState::Unseen,
            (None, Some(judgement)) => {
                let mut all = std::iter::successors(Some(judgement), |at| at.stale.as_deref());
                match all.any(Judgement::is_touched) {
                    true => ReviewState::Stale,
                    // Opened as it was, and nothing judged that could be stale.
                    false => ReviewState::Opened,
                }
            }
            (Some(judgement), _) if judgement.skipped.is_some() => ReviewState::Skipped,
            (Some(judgement), _) => match (&judgement.submitted, judgement.edited_since_submit) {
                (Some(_), false) => ReviewState::Submitted,
                (Some(_), true) => ReviewState::Edited,
                (None, _) if judgement.draft.is_some() => ReviewState::Draft,
                (None, _) => ReviewState::Opened,
            },
        }
    }

    /// Whether a blind group's names, grader and advantages are shown by now, so that what is said
    /// from now on is said knowing them.
    #[must_use]
    pub fn is_revealed(&self, group: usize) -> bool {
        let judgement = self.judgement(group);
        judgement.is_some_and(|judgement| judgement.blind && judgement.revealed)
    }

    /// The trajectory's id as it stands in the data and in events, also where another name is shown.
    #[must_use]
    pub fn true_id(&self, group: usize, index: TrajectoryIndex) -> Option<String> {
        let group = self.set.groups.get(group)?;
        let found = group.trajectories.get(index)?;
        Some(found.id.as_str().to_owned())
    }

    /// Focused time since the open group was opened or submitted, in milliseconds.
    #[must_use]
    pub fn stretch_ms(&self) -> u64 {
        self.stretch_ms
    }

    /// Says how long the open group has had the person's attention since it was opened or
    /// submitted, in milliseconds; the next submission holds it.
    pub fn set_stretch_ms(&mut self, stretch_ms: u64) {
        self.stretch_ms = stretch_ms;
    }

    /// The event that records that a group is opened now.
    pub(super) fn opening(&self, group: usize) -> EventBody {
        EventBody::GroupOpen {
            shown_order: self.shown_order(group),
            blind: self.begins_blind(group),
            seed: self.is_blind(group).then_some(self.identity.blind.seed),
        }
    }

    /// The draft of a group as indices; `None` when there is none.
    #[must_use]
    pub fn draft(&self, group: usize) -> Option<Ranking> {
        let judgement = self.judgement(group)?;
        self.to_ranking(group, judgement.draft.as_ref()?)
    }

    /// Everything that is computed for one group.
    #[must_use]
    pub fn reviewed(&self, group: usize) -> Option<ReviewedGroup> {
        ReviewedGroup::of(self, group)
    }

    /// Applies a proposal to the state on screen. The caller stores its events.
    pub fn apply(&mut self, proposal: &Proposal) {
        for event in &proposal.events {
            let event = as_event(event);
            Arc::make_mut(&mut self.projection).apply(&event);
            self.log.push(event);
        }
        self.follow_reveal(proposal.group);
        self.refresh(proposal.group);
    }

    /// Takes a whole log in the place of what was known, and on top of it those events
    /// `waiting` to be stored that are not in it.
    pub fn replace_log<'a>(
        &mut self,
        log: &[Event],
        waiting: impl IntoIterator<Item = &'a NewEvent>,
    ) {
        self.projection = Arc::new(Projection::of(log));
        self.log = log.to_vec();
        let stored: HashSet<&str> = log.iter().map(|event| event.event_id.as_str()).collect();
        for event in waiting {
            if !stored.contains(event.event_id.as_str()) {
                let event = as_event(event);
                Arc::make_mut(&mut self.projection).apply(&event);
                self.log.push(event);
            }
        }
        self.follow_reveals();
        self.refresh_all();
    }

    /// Folds in events that others wrote, and computes their groups anew. None of them is about a
    /// judgement of this annotator, and all of them are later than what was folded of their authors.
    pub fn fold_in(&mut self, foreign: &[Event]) {
        let mut groups = std::collections::BTreeSet::new();
        for event in foreign {
            Arc::make_mut(&mut self.projection).apply(event);
            groups.extend(event.group_id.as_deref());
        }
        for group in groups {
            if let Some(group) = self.find(group) {
                self.refresh(group);
            }
        }
    }

    /// Baseline advantages of a group, one per trajectory.
    ///
    /// # Errors
    /// Why the estimator cannot be used here, or that they are hidden, one sentence.
    pub fn baseline(&self, group: usize) -> Result<Vec<f64>, String> {
        if self.is_hidden(group) {
            return Err(HIDDEN.to_owned());
        }
        let data = self.group(group).ok_or("no such group")?;
        baseline_of(data, self.batch.get(group), &self.settings)
    }

    /// Names of the estimators that reproduce the advantages the file holds for a group, to 2e-5;
    /// empty when it has none.
    #[must_use]
    pub fn reproducing(&self, group: usize) -> Vec<&'static str> {
        let parts = self.group(group).map(RewardParts::of);
        parts.map_or_else(Vec::new, |parts| Estimator::reproducing(&[parts.view()]))
    }

    /// Turns tiers of true trajectory ids into a ranking of this group's indices; `None` when an id is
    /// not in the group or stands twice.
    #[must_use]
    pub fn to_ranking(&self, group: usize, tiers: &IdTiers) -> Option<Ranking> {
        let group = self.truth(group)?;
        let index = |id: &String| group.trajectories.iter().position(|t| t.id.as_str() == id);
        let tiers = tiers
            .iter()
            .map(|tier| tier.iter().map(index).collect::<Option<Vec<_>>>());
        Ranking::new(tiers.collect::<Option<Vec<_>>>()?).ok()
    }

    /// Turns a ranking of this group's indices into tiers of true trajectory ids.
    #[must_use]
    pub fn to_ids(&self, group: usize, ranking: &Ranking) -> IdTiers {
        let Some(group) = self.truth(group) else {
            return Vec::new();
        };
        let name = |&i: &usize| group.trajectories.get(i).map(|t| t.id.as_str().to_owned());
        ranking
            .tiers()
            .iter()
            .map(|tier| tier.iter().filter_map(name).collect())
            .collect()
    }

    /// Describes a session-level event (an export), ready to be stored.
    pub fn note_event(&mut self, body: crate::store::EventBody) -> NewEvent {
        NewEvent {
            event_id: self.next_id(),
            at_ms: self.now_ms(),
            annotator: self.identity.annotator.clone(),
            session_id: self.identity.session_id.clone(),
            group: None,
            body,
        }
    }

    pub(super) fn next_id(&mut self) -> String {
        format!("{:032x}", self.ids.random::<u128>())
    }

    pub(super) fn now_ms(&self) -> i64 {
        (self.clock)()
    }

    pub(super) fn recompute(&mut self) {
        self.batch.clear();
        if self.settings.estimator.is_batch_level() {
            let parts: Vec<_> = self
                .set
                .groups
                .iter()
                .map(|group| RewardParts::of(group))
                .collect();
            let views: Vec<_> = parts.iter().map(RewardParts::view).collect();
            self.batch = match self.settings.estimator.batch_advantages(&views) {
                Ok(all) => all.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error.to_string()); views.len()],
            };
        }
        self.refresh_all();
    }

    fn refresh_all(&mut self) {
        self.revision += 1;
        self.rows = (0..self.set.groups.len())
            .filter_map(|group| GroupRow::of(self, group))
            .collect();
    }

    fn refresh(&mut self, group: usize) {
        if let Some(row) = GroupRow::of(self, group) {
            self.put_row(group, row);
        }
    }

    /// Puts a row in its place; new ones come in order.
    fn put_row(&mut self, group: usize, row: GroupRow) {
        self.revision += 1;
        match self.rows.get_mut(group) {
            Some(place) => *place = row,
            None => self.rows.push(row),
        }
    }
}

/// Rows that another session computed for a state of the set.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    settings: Settings,
    /// Row by group, ascending.
    rows: Vec<(usize, GroupRow)>,
    batch: Vec<Result<Vec<f64>, String>>,
}

/// The groups (0-based) that are others in a later state of a set, or new.
fn changed_groups(before: &LoadedSet, after: &LoadedSet) -> Vec<usize> {
    let is_same = |group: usize| {
        let groups = before.groups.get(group).zip(after.groups.get(group));
        let answers = before.answers.get(group).zip(after.answers.get(group));
        groups.is_some_and(|(before, after)| Arc::ptr_eq(before, after))
            && answers.is_none_or(|(before, after)| Arc::ptr_eq(before, after))
    };
    (0..after.groups.len())
        .filter(|&group| !is_same(group))
        .collect()
}

/// The text of an error about one group, with the trajectory's id in the place of its index.
pub(super) fn sentence(
    error: &impl std::fmt::Display,
    trajectory: Option<usize>,
    group: &RolloutGroup,
) -> String {
    let text = error.to_string();
    match trajectory.and_then(|index| Some((index, group.trajectories.get(index)?))) {
        Some((index, found)) => text.replacen(
            &format!("trajectory {index}"),
            &format!("trajectory {}", found.id),
            1,
        ),
        None => text,
    }
}

fn as_event(new: &NewEvent) -> Event {
    Event {
        event_id: new.event_id.clone(),
        store_id: String::new(),
        seq: 0,
        at_ms: new.at_ms,
        annotator: new.annotator.clone(),
        session_id: new.session_id.clone(),
        group_id: new.group.as_ref().map(|group| group.group_id.clone()),
        fingerprint: new.group.as_ref().map(|group| group.fingerprint.clone()),
        body: new.body.clone(),
        prev: String::new(),
        hash: String::new(),
    }
}

/// Baseline advantages of a group; `batch` has them under a batch-level estimator.
pub(super) fn baseline_of(
    group: &RolloutGroup,
    batch: Option<&Result<Vec<f64>, String>>,
    settings: &Settings,
) -> Result<Vec<f64>, String> {
    if let Some(row) = batch {
        return row.clone();
    }
    let parts = RewardParts::of(group);
    settings
        .estimator
        .advantages(&parts.view())
        .map_err(|error| sentence(&error, error.trajectory(), group))
}

/// A group's rewards in the shape the estimators take.
struct RewardParts {
    rewards: Vec<Option<f64>>,
    lengths: Option<Vec<f64>>,
    recorded: Vec<Option<f64>>,
}

impl RewardParts {
    fn of(group: &RolloutGroup) -> Self {
        Self {
            rewards: group.trajectories.iter().map(|t| t.reward).collect(),
            lengths: super::view::lengths(group),
            recorded: group
                .trajectories
                .iter()
                .map(|t| t.recorded_advantage)
                .collect(),
        }
    }

    fn view(&self) -> GroupRewards<'_> {
        GroupRewards {
            rewards: &self.rewards,
            lengths: self.lengths.as_deref(),
            recorded: &self.recorded,
        }
    }
}
