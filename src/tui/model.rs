//! Everything the screen is drawn from.
//!
//! Drawing takes `&Model`; only `update` changes it. No terminal type here.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::action::Context;
use super::blind::Revealing;
use super::colouring::ColourOf;
use super::guidelines::Guide;
use super::highlight::{ColourUnit, FileColours};
use super::key::Key;
use super::keymap::Keymap;
use super::loading::Loading;
use super::overlays::Overlay;
use super::screens::{
    agreement, compare, disagreements, grader, groups, remarks, schedule, schedules, steps,
};
use super::timing::Timing;
use crate::diff::{Aligned, Bases, Consensus, Moves, Patch, Results};
use crate::domain::Content;
use crate::domain::assignment::Assigned;
use crate::domain::scope::Remark;
use crate::review::EventBody;
use crate::review::NewEvent;
use crate::review::Progress;
use crate::review::{ReviewSession, ReviewedGroup, Settings};
use crate::scope::Rules;
use unicode_width::UnicodeWidthStr;

/// Which screen is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Screen {
    /// The list of groups.
    #[default]
    Groups,
    /// The candidates of a group.
    Compare,
    /// One trajectory's steps.
    Steps,
    /// The grader's answer.
    Grader,
    /// Estimator and scheme.
    Schedule,
    /// The list of remarks.
    Remarks,
    /// How much raters agree.
    Agreement,
    /// The groups that are ranked differently.
    Disagreements,
    /// Schemes compared over all groups.
    Schedules,
}

impl Screen {
    /// The keymap section of the screen.
    #[must_use]
    pub fn context(self) -> Context {
        match self {
            Self::Groups => Context::Groups,
            Self::Compare => Context::Compare,
            Self::Steps => Context::Steps,
            Self::Grader => Context::Grader,
            Self::Schedule => Context::Schedule,
            Self::Remarks => Context::Remarks,
            Self::Agreement => Context::Agreement,
            Self::Disagreements => Context::Disagreements,
            Self::Schedules => Context::Schedules,
        }
    }

    /// Whether something can be searched for on the screen.
    #[must_use]
    pub fn has_search(self) -> bool {
        matches!(self, Self::Groups | Self::Compare | Self::Steps)
    }
}

/// How bad a status line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Severity {
    /// For information.
    #[default]
    Info,
    /// Something was not possible.
    Warning,
    /// Something failed.
    Error,
}

/// The one-line message at the bottom.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    /// The text; empty = nothing to say.
    pub text: String,
    /// How bad it is.
    pub severity: Severity,
}

/// Which group is opened without a key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OpensFirst {
    /// The only one, once everything is read and there is no other.
    Only,
    /// The one of this id, as soon as it is read.
    Named(String),
    /// None: the person chooses, or one was opened.
    #[default]
    No,
}

/// A group's texts with its patches parsed.
#[derive(Debug)]
pub struct OpenedGroup {
    /// The group, 0-based.
    pub group: usize,
    /// The texts.
    pub content: Content,
    /// One parsed patch per trajectory, in group order.
    pub patches: Vec<Arc<Patch>>,
    /// The reference patch, when there is one.
    pub reference: Option<Arc<Patch>>,
    /// The patches on their base; not there until a worker has made it.
    on_base: OnceLock<OnBase>,
    /// What the out-of-scope rules say; not there until a worker has asked them.
    remarks: OnceLock<Vec<Remark>>,
}

/// A group's patches on their base.
#[derive(Debug)]
pub struct OnBase {
    /// The known base texts.
    pub bases: Arc<Bases>,
    /// The trajectories' patches side by side; the reference patch, when there is one, is the last
    /// candidate.
    pub aligned: Arc<Aligned>,
    /// Which of its candidates leave the same behind.
    pub results: Results,
    /// The moved blocks of each of its candidates.
    pub moves: Vec<Moves>,
    /// How many of the passing ones touch a place.
    pub consensus: Consensus,
    /// What is odd about the patch of each of its candidates.
    pub notes: Vec<Arc<compare::PatchNotes>>,
    /// Why a base text is not known although a repository is named, one sentence each.
    pub problems: Vec<String>,
}

impl OpenedGroup {
    /// A group whose patches are not laid on their base yet.
    #[must_use]
    pub fn new(
        group: usize,
        content: Content,
        patches: Vec<Arc<Patch>>,
        reference: Option<Arc<Patch>>,
    ) -> Self {
        Self {
            group,
            content,
            patches,
            reference,
            on_base: OnceLock::new(),
            remarks: OnceLock::new(),
        }
    }

    /// Takes over the patches on their base; what is there already stays.
    pub fn put_on_base(&self, on_base: OnBase) {
        // A second answer says the same.
        let _ = self.on_base.set(on_base);
    }

    /// Takes over what the out-of-scope rules say; what is there already stays.
    pub fn put_remarks(&self, remarks: Vec<Remark>) {
        // A second answer says the same.
        let _ = self.remarks.set(remarks);
    }

    /// What the out-of-scope rules say, once they were asked.
    #[must_use]
    pub fn remarks(&self) -> Option<&[Remark]> {
        self.remarks.get().map(Vec::as_slice)
    }

    /// The patches on their base, once they are there.
    #[must_use]
    pub fn on_base(&self) -> Option<&OnBase> {
        self.on_base.get()
    }

    /// The patches side by side, once they are there; see [`OnBase::aligned`].
    #[must_use]
    pub fn aligned(&self) -> Option<&Arc<Aligned>> {
        self.on_base().map(|on_base| &on_base.aligned)
    }

    /// The known base texts, once they are there.
    #[must_use]
    pub fn bases(&self) -> Option<&Arc<Bases>> {
        self.on_base().map(|on_base| &on_base.bases)
    }
}

/// Saves that are on their way.
#[derive(Debug, Default)]
pub struct Saves {
    /// Handed to the store and not answered yet, oldest first.
    pub pending: VecDeque<Vec<NewEvent>>,
    /// Not stored because a save failed, oldest first: kept until a retry works.
    pub unsaved: VecDeque<Vec<NewEvent>>,
    /// Why the last save failed.
    pub failed: Option<String>,
    /// Saves stored since the start.
    pub stored: usize,
    /// Whether the save on its way is a retry that nobody asked for.
    pub quiet: bool,
}

/// Everything the screen is drawn from.
#[derive(Debug)]
pub struct Model {
    /// The review, once loaded.
    pub session: Option<ReviewSession>,
    /// Where loading stands, and what following brought.
    pub loading: Loading,
    /// How far reading is; meaningless once it ended.
    pub progress: Progress,
    /// How long loading has taken so far.
    pub loading_for: Duration,
    /// Why loading stopped, when it did.
    pub load_failed: Option<String>,
    /// Settings at the start, for "reset".
    pub initial_settings: Settings,
    /// What the title bar calls the loaded set.
    pub title: String,
    /// Whether names are hidden before anything is loaded.
    pub starts_blind: bool,
    /// Whether there is a file with judgements already, so that an opened group is recorded.
    pub records_openings: bool,
    /// The open screen.
    pub screen: Screen,
    /// Which group is opened without a key; a key on the list ends that.
    pub opens_first: OpensFirst,
    /// State of the list of groups.
    pub groups: groups::State,
    /// State of the compare screen.
    pub compare: compare::State,
    /// State of the steps screen.
    pub steps: steps::State,
    /// State of the grader screen.
    pub grader: grader::State,
    /// State of the schedule screen.
    pub schedule: schedule::State,
    /// State of the list of remarks.
    pub remarks: remarks::State,
    /// State of the agreement screen.
    pub agreement: agreement::State,
    /// State of the list of disagreements.
    pub disagreements: disagreements::State,
    /// State of the comparison of schemes.
    pub schedules: schedules::State,
    /// The rubric of findings and the guidelines.
    pub guide: Guide,
    /// The rules for out-of-scope edits.
    pub rules: Arc<Rules>,
    /// What lies over the screen.
    pub overlay: Option<Overlay>,
    /// The message at the bottom.
    pub status: Status,
    /// Saves under way and failed.
    pub saves: Saves,
    /// Milliseconds on a clock that only goes on, as of the message that is handled; `None` = time is
    /// not measured.
    pub now_ms: Option<u64>,
    /// Focused time on the open group.
    pub timing: Timing,
    /// Which group the key of revealing is about.
    pub revealing: Revealing,
    /// The rows of an assignment that is reviewed; `None` = everything is.
    pub assigned: Option<Arc<[Assigned]>>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The keys.
    pub keymap: Keymap,
    /// Keys pressed of an unfinished sequence.
    pub pending_keys: Vec<Key>,
    /// Names of the themes that can be chosen.
    pub theme_names: Vec<String>,
    /// The chosen one.
    pub theme: usize,
    /// The group that `compare`, `steps`, `grader` show, computed; refreshed after every change.
    pub reviewed: Option<(usize, ReviewedGroup)>,
    /// Texts of the latest opened groups, at most a few.
    pub opened: Vec<Arc<OpenedGroup>>,
    /// Why the latest group could not be opened.
    pub open_failed: Option<(usize, String)>,
    /// Colours by (group, patch, file); dropped with the opened group.
    pub colours: BTreeMap<(usize, ColourOf, usize), FileColours>,
    /// Highlight requests under way.
    pub colouring: std::collections::BTreeSet<(usize, ColourOf, usize, ColourUnit)>,
}

impl Saves {
    /// The id of the group whose submission is the last thing handed to the store, if it is one.
    #[must_use]
    pub fn submitted_last(&self) -> Option<&str> {
        let events = self.pending.iter().flatten();
        let last = events.rev().find(|event| event.body.is_change())?;
        match last.body {
            EventBody::RankSubmit { .. } => last.group.as_ref().map(|g| g.group_id.as_str()),
            _ => None,
        }
    }

    /// Judgement changes that are not stored because a save failed: opening a group is recorded
    /// with the first change and is none of its own.
    #[must_use]
    pub fn unsaved_changes(&self) -> usize {
        self.unsaved
            .iter()
            .flatten()
            .filter(|event| event.body.is_change())
            .count()
    }
}

impl Model {
    /// Returns the model before anything is loaded.
    #[must_use]
    pub fn new(title: String, settings: Settings, keymap: Keymap, themes: Vec<String>) -> Self {
        Self {
            session: None,
            loading: Loading::default(),
            progress: Progress::default(),
            loading_for: Duration::ZERO,
            load_failed: None,
            initial_settings: settings,
            title,
            starts_blind: false,
            records_openings: false,
            screen: Screen::default(),
            opens_first: OpensFirst::default(),
            groups: groups::State::default(),
            compare: compare::State::default(),
            steps: steps::State::default(),
            grader: grader::State::default(),
            schedule: schedule::State::default(),
            remarks: remarks::State::default(),
            agreement: agreement::State::default(),
            disagreements: disagreements::State::default(),
            schedules: schedules::State::default(),
            guide: Guide::default(),
            rules: Arc::default(),
            overlay: None,
            status: Status::default(),
            saves: Saves::default(),
            now_ms: None,
            timing: Timing::default(),
            revealing: Revealing::default(),
            assigned: None,
            size: (80, 24),
            keymap,
            pending_keys: Vec::new(),
            theme_names: themes,
            theme: 0,
            reviewed: None,
            opened: Vec::new(),
            open_failed: None,
            colours: BTreeMap::new(),
            colouring: std::collections::BTreeSet::new(),
        }
    }

    /// Says something at the bottom of the screen.
    pub fn say(&mut self, severity: Severity, text: impl Into<String>) {
        self.status = Status {
            text: text.into(),
            severity,
        };
    }

    /// The innermost context whose keys apply now.
    #[must_use]
    pub fn context(&self) -> Context {
        match (self.screen, self.compare.body) {
            (Screen::Compare, compare::Body::Tests) => Context::Tests,
            (Screen::Compare, compare::Body::Matrix) => Context::Matrix,
            (Screen::Compare, compare::Body::Pairs) => Context::Pairs,
            (Screen::Compare, compare::Body::Rankings) => Context::Rankings,
            (Screen::Compare, compare::Body::Diff) if self.compare.is_spotting => Context::Spotting,
            (screen, _) => screen.context(),
        }
    }

    /// Whether the line at the bottom has no room for all that is said.
    #[must_use]
    pub fn is_status_cut(&self) -> bool {
        self.status.text.width() + 2 > usize::from(self.size.0)
    }

    /// The opened texts of a group, when they are there.
    #[must_use]
    pub fn opened(&self, group: usize) -> Option<&Arc<OpenedGroup>> {
        self.opened.iter().find(|opened| opened.group == group)
    }
}
