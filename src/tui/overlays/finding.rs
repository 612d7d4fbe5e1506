//! The editor of one finding: what it is about, its code, how bad it is, the words.
//!
//! What is *not* here: what can be aimed at (`compare/finding_targets.rs`), how the box is drawn
//! (`finding_view.rs`), and what a finding is in the log ([`crate::store`]).

use super::{Entry, Overlay};
use crate::domain::rubric::{Code as RubricCode, Rubric, Severity as Degree};
use crate::domain::{PatchHash, RolloutGroup, TrajectoryIndex};
use crate::review::{Change, FindingRecord};
use crate::tui::action::Action;
use crate::tui::effect::{Effect, Outside};
use crate::tui::key::{Code, Key};
use crate::tui::model::{Model, Severity};
use crate::tui::screens::compare::{self, Target};
use crate::tui::update::change;

/// What keys are typed into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Typing {
    /// Nothing: a key chooses.
    #[default]
    Keys,
    /// What codes are looked for.
    Filter,
    /// The words.
    Note,
}

/// Said when there is nothing left that the finding could be about.
const GONE: &str = "its candidate is gone: the finding cannot be stored, its words can be copied";
/// Said when the places known are those of another patch.
const UNPLACED: &str = "the patch changed: choose the place again (Tab)";

/// A finding that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The group, 0-based.
    pub group: usize,
    /// Whose patch, by its true id: indices change with the data.
    pub trajectory: String,
    /// Where that candidate stands now; `None` = it is gone.
    pub candidate: Option<TrajectoryIndex>,
    /// Whether the patch became another one, so that a place in it must be chosen again.
    pub is_unplaced: bool,
    /// The finding that is changed: its id and what it is.
    pub edited: Option<(String, FindingRecord)>,
    /// What it can be about, the narrowest first; never empty.
    pub targets: Vec<Target>,
    /// Which of them.
    pub target: usize,
    /// The code chosen, which the rubric may not know.
    pub code: Option<String>,
    /// How bad it is.
    pub severity: Degree,
    /// The words.
    pub note: Entry,
    /// What codes are looked for.
    pub filter: Entry,
    /// What keys are typed into.
    pub typing: Typing,
    /// Why it was not taken.
    pub error: Option<String>,
    /// Whether the next key that leaves drops the words.
    pub drops: bool,
}

impl Form {
    /// A new finding at the cursor of the compare screen.
    #[must_use]
    pub fn at_cursor(model: &Model) -> Option<Self> {
        let (targets, target) = compare::targets(model);
        let (group, candidate) = (model.compare.group?, model.compare.focus()?);
        Some(Self {
            group,
            trajectory: model.session.as_ref()?.true_id(group, candidate)?,
            candidate: Some(candidate),
            is_unplaced: false,
            edited: None,
            targets,
            target,
            code: None,
            severity: Degree::default(),
            note: Entry::default(),
            filter: Entry::default(),
            typing: Typing::Keys,
            error: None,
            drops: false,
        })
    }

    /// One's own finding of this id, to be changed.
    #[must_use]
    pub fn of(model: &Model, group: usize, id: &str) -> Option<Self> {
        let session = model.session.as_ref()?;
        let record = session.judgement(group)?.finding(id)?.clone();
        let found = session.findings(group);
        let candidate = found.iter().find(|found| found.id == Some(id))?.trajectory;
        let place = |word, file: &Option<String>, side, lines| Target {
            file: file.clone(),
            side,
            lines,
            word,
        };
        let mut targets = Vec::new();
        if record.lines.is_some() {
            targets.push(place("lines", &record.file, record.side, record.lines));
        }
        if record.file.is_some() {
            targets.push(place("file", &record.file, None, None));
        }
        targets.push(place("whole candidate", &None, None, None));
        Some(Self {
            group,
            trajectory: record.trajectory.clone(),
            candidate: Some(candidate),
            is_unplaced: false,
            targets,
            target: 0,
            code: Some(record.code.clone()),
            severity: record.severity,
            note: Entry::new(&record.note),
            edited: Some((id.to_owned(), record)),
            filter: Entry::default(),
            typing: Typing::Keys,
            error: None,
            drops: false,
        })
    }

    /// Whether words were typed that leaving would drop.
    fn has_words(&self) -> bool {
        let before = self.edited.as_ref().map(|(_, before)| before.note.as_str());
        self.note.text().trim() != before.unwrap_or_default().trim()
    }

    /// The codes that hold what is looked for.
    pub fn codes<'r>(&self, rubric: &'r Rubric) -> Vec<&'r RubricCode> {
        let wanted = self.filter.text().to_lowercase();
        let holds = |code: &&RubricCode| {
            let text = format!("{} {}", code.code, code.title).to_lowercase();
            text.contains(&wanted)
        };
        rubric.codes.iter().filter(holds).collect()
    }

    /// What it is about.
    #[must_use]
    pub fn aim(&self) -> Option<&Target> {
        self.targets.get(self.target)
    }

    /// Stays with its candidate when the group's data changed, and says what that means for it.
    pub(super) fn carry_over(&mut self, was: &RolloutGroup, is: &RolloutGroup) {
        let patch = |group: &RolloutGroup| -> Option<(TrajectoryIndex, PatchHash)> {
            let mut all = group.trajectories.iter().enumerate();
            let (index, found) = all.find(|(_, found)| found.id.as_str() == self.trajectory)?;
            Some((index, found.patch.sha256))
        };
        let (before, now) = (patch(was), patch(is));
        self.candidate = now.map(|(index, _)| index);
        if now.is_some() && before.map(|(_, patch)| patch) != now.map(|(_, patch)| patch) {
            self.is_unplaced = true;
            self.targets = vec![compare::whole_candidate()];
            self.target = 0;
        }
        self.error = match self.candidate {
            None => Some(GONE.to_owned()),
            Some(_) if self.is_unplaced => Some(UNPLACED.to_owned()),
            Some(_) if was.fingerprint == is.fingerprint => return,
            Some(_) => Some("the data changed: candidate and place are the same".to_owned()),
        };
    }

    /// Reads again what the finding can be about, in the patch as it is now.
    fn place_again(&mut self, model: &Model) {
        if model.opened(self.group).is_none() {
            self.error = Some("the patch is being read again: once more".to_owned());
            return;
        }
        let is_at_cursor =
            model.compare.group == Some(self.group) && model.compare.focus() == self.candidate;
        if is_at_cursor {
            (self.targets, self.target) = compare::targets(model);
        }
        self.is_unplaced = false;
    }

    /// Chooses another of the codes shown.
    fn step(&mut self, rubric: &Rubric, step: isize) {
        let codes = self.codes(rubric);
        let chosen = self.code.as_deref();
        let at = codes
            .iter()
            .position(|code| Some(code.code.as_str()) == chosen);
        let last = codes.len().saturating_sub(1);
        let to = at.map_or(0, |at| at.saturating_add_signed(step).min(last));
        self.code = codes.get(to).map(|code| code.code.clone());
    }

    /// The finding as it would be stored.
    fn record(&self, model: &Model) -> Result<FindingRecord, String> {
        if self.candidate.is_none() {
            return Err(GONE.to_owned());
        }
        if self.is_unplaced {
            return Err(UNPLACED.to_owned());
        }
        let code = self.code.clone();
        let code = code.ok_or("choose a code first: its key, or / and a word")?;
        let before = self.edited.as_ref().map(|(_, before)| before);
        let same_code = before.filter(|before| before.code == code);
        let aim = self.aim().cloned().unwrap_or_default();
        Ok(FindingRecord {
            trajectory: self.trajectory.clone(),
            rubric: match same_code {
                Some(before) => before.rubric.clone(),
                None => model.guide.rubric.version.clone(),
            },
            code,
            severity: self.severity,
            file: aim.file,
            side: aim.side,
            lines: aim.lines,
            note: self.note.text().trim().to_owned(),
            rule: before.and_then(|before| before.rule.clone()),
            after_reveal: before.is_some_and(|before| before.after_reveal),
        })
    }
}

/// Handles a key.
pub(super) fn key(model: &mut Model, mut form: Box<Form>, key: Key) -> Vec<Effect> {
    form.error = None;
    let drops = std::mem::take(&mut form.drops);
    if key.ctrl && key.code == Code::Char('o') {
        let text = form.note.text().into();
        let name = "finding.txt".to_owned();
        model.overlay = Some(Overlay::Finding(form));
        return vec![Effect::RunProgram(Outside::Text { text, name })];
    }
    let leaves = key.ctrl && key.code == Code::Char('c');
    match form.typing {
        Typing::Keys | Typing::Filter | Typing::Note
            if leaves || (form.typing == Typing::Keys && key.code == Code::Esc) =>
        {
            if drops || !form.has_words() {
                return Vec::new();
            }
            form.drops = true;
            form.error = Some("the words are not stored: once more drops them".to_owned());
        }
        Typing::Keys => match key.code {
            Code::Enter => return take(model, form),
            _ => choose(model, &mut form, key),
        },
        Typing::Filter => filter(model, &mut form, key),
        Typing::Note => match key.code {
            Code::Enter => return take(model, form),
            Code::Tab if form.is_unplaced => {
                form.typing = Typing::Keys;
                form.place_again(model);
            }
            Code::Esc | Code::Tab => form.typing = Typing::Keys,
            _ => drop(form.note.key(key)),
        },
    }
    model.overlay = Some(Overlay::Finding(form));
    Vec::new()
}

fn choose(model: &Model, form: &mut Form, key: Key) {
    let rubric = &model.guide.rubric;
    let count = form.targets.len().max(1);
    match key.code {
        Code::Tab | Code::BackTab if form.is_unplaced => form.place_again(model),
        Code::Tab => form.target = (form.target + 1) % count,
        Code::BackTab => form.target = (form.target + count - 1) % count,
        Code::Down => form.step(rubric, 1),
        Code::Up => form.step(rubric, -1),
        Code::Char(' ') => {
            form.severity = match form.severity {
                Degree::Info => Degree::Minor,
                Degree::Minor => Degree::Major,
                Degree::Major => Degree::Info,
            };
        }
        Code::Char(',') => form.typing = Typing::Note,
        Code::Char('/') => {
            form.filter = Entry::default();
            form.typing = Typing::Filter;
        }
        Code::Char(c) if !key.ctrl && !key.alt => match rubric.by_key(c) {
            Some(code) => {
                form.filter = Entry::default();
                form.code = Some(code.code.clone());
            }
            None => form.error = Some(format!("no code of the rubric has the key {c}")),
        },
        _ => {}
    }
}

fn filter(model: &Model, form: &mut Form, key: Key) {
    let rubric = &model.guide.rubric;
    match key.code {
        Code::Esc => {
            form.filter = Entry::default();
            form.typing = Typing::Keys;
        }
        Code::Enter | Code::Tab => form.typing = Typing::Keys,
        Code::Down => form.step(rubric, 1),
        Code::Up => form.step(rubric, -1),
        _ => {
            form.filter.key(key);
            let first = form.codes(rubric).first().map(|code| code.code.clone());
            form.code = first;
        }
    }
}

/// Stores the finding; the editor stays open when that is not possible.
fn take(model: &mut Model, mut form: Box<Form>) -> Vec<Effect> {
    let mut effects = Vec::new();
    let record = match form.record(model) {
        Ok(record) => record,
        Err(error) => {
            form.error = Some(error);
            model.overlay = Some(Overlay::Finding(form));
            return effects;
        }
    };
    let wanted = match &form.edited {
        Some((_, before)) if *before == record => {
            model.say(Severity::Info, "the finding is as it was");
            return effects;
        }
        Some((id, _)) => Change::ChangeFinding(id.clone(), record),
        None => Change::AddFinding(record),
    };
    if change(model, form.group, wanted, &mut effects) {
        model.compare.selecting = None;
        if let Some(key) = model.keymap.key_of(Action::Undo) {
            model.status.text.push_str(&format!("; {key} undoes"));
        }
    } else {
        form.error = Some(model.status.text.clone());
        model.overlay = Some(Overlay::Finding(form));
    }
    effects
}
