//! What lies over a screen: key sheet, palette, problems, a question, a line to type. One at a time.

mod entry;
mod finding;
mod finding_view;
mod findings;
mod matching;
mod reader;
mod rows;
mod view;

use super::action::Action;
use super::effect::{Effect, Outside};
use super::help;
use super::key::{Code, Key};
use super::message::MouseKind;
use super::model::{Model, Screen, Severity};
use super::queue;
use super::screens::{compare, groups, remarks, schedule, steps};
use super::update::{change, perform};
use crate::domain::RolloutGroup;
use crate::review::{Change, ReviewError};

pub use entry::Entry;
pub use finding::{Form, Typing};
pub use findings::{Chosen, choose_again, chosen};
pub use reader::Reader;
pub use rows::{Row, rows};
pub use view::draw;

/// What a typed line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    /// Searching on the open screen.
    Search,
    /// Searching the steps of a trajectory.
    SearchSteps,
    /// Searching the focused patch, or the panel in its place.
    SearchPatch,
    /// Searching the patches of all candidates.
    SearchGroup,
    /// The file that a patch is saved to.
    SavePatch,
    /// Filtering the list of groups.
    Filter,
    /// Filtering the list of remarks.
    RemarkFilter,
    /// The open group's note.
    Note,
    /// Why the open group is settled so.
    Settle,
    /// The value of a line of the schedule screen.
    Value,
    /// Why the open group is skipped.
    Skip,
    /// Why the open group is flagged.
    Flag,
}

impl PromptKind {
    /// What the prompt asks for.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Search | Self::SearchSteps | Self::SearchPatch => "search",
            Self::SearchGroup => "search the patches of all candidates",
            Self::SavePatch => "save the patch to a file",
            Self::Filter | Self::RemarkFilter => "filter",
            Self::Note => "note on this group",
            Self::Settle => "settle the group; a note, or none",
            Self::Value => "value",
            Self::Skip => "skip this group: why?",
            Self::Flag => "flag this group: why?",
        }
    }

    /// Whether the line begins with the last one, though mostly another one is wanted.
    fn is_asked_anew(self) -> bool {
        match self {
            Self::Search
            | Self::SearchSteps
            | Self::SearchPatch
            | Self::SearchGroup
            | Self::Filter
            | Self::RemarkFilter => true,
            Self::SavePatch | Self::Note | Self::Settle | Self::Value | Self::Skip | Self::Flag => {
                false
            }
        }
    }

    /// Whether the line is stored as something said of the open group.
    fn is_about_group(self) -> bool {
        matches!(self, Self::Note | Self::Settle | Self::Skip | Self::Flag)
    }

    /// What becomes of the line, when that is not plain.
    #[must_use]
    pub fn purpose(self) -> Option<String> {
        let purpose = match self {
            Self::Note => "goes into SFT exports as reasoning · Ctrl-o opens $EDITOR",
            Self::Settle => "everybody's rankings were seen: it counts before single ones",
            Self::SavePatch => "the patch as it is recorded, byte for byte",
            Self::Skip => {
                let presets = compare::PRESETS.iter().enumerate();
                let presets: Vec<_> = presets
                    .map(|(place, reason)| format!("{} {reason}", place + 1))
                    .collect();
                return Some(format!("{}, or type one", presets.join(" · ")));
            }
            Self::Flag => "for another look; may be empty",
            Self::SearchSteps | Self::SearchPatch | Self::SearchGroup => {
                "small letters stand for both cases, re: begins a regular expression"
            }
            Self::RemarkFilter => {
                "rule:x level:check group~x path~x text~x passing failing open confirmed \
                 dismissed, ! before a term turns it around"
            }
            Self::Search | Self::Filter | Self::Value => return None,
        };
        Some(purpose.to_owned())
    }
}

/// What lies over the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overlay {
    /// The keys of this screen, searchable.
    Help(Picker),
    /// Every action that can be run here, searchable.
    Palette(Picker),
    /// Records that could not be read.
    Problems(Picker),
    /// The marks of the focused candidate.
    Marks(Picker),
    /// Places of the candidates' patches; see [`compare::State::listed`].
    Places(Picker),
    /// A finding that is being written.
    Finding(Box<Form>),
    /// The findings of the open group, and which of them is chosen.
    Findings(usize),
    /// The guidelines and the rubric.
    Guidelines(Reader),
    /// The orders that groups can be worked on in.
    Orders(Picker),
    /// Who judged the open group; see [`compare::State::history`].
    History(Picker),
    /// Leave although something is not saved?
    ConfirmQuit,
    /// A line to type.
    Prompt {
        /// What for.
        kind: PromptKind,
        /// What stands there so far.
        entry: Entry,
        /// What stood there at first, to go back to.
        initial: String,
        /// Why the line was not taken.
        error: Option<String>,
    },
}

/// A searchable list: what was typed, and which of the rows found is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Picker {
    /// What was typed.
    pub entry: Entry,
    /// Position in the rows found.
    pub cursor: usize,
}

impl Overlay {
    /// The key sheet.
    #[must_use]
    pub fn help() -> Self {
        Self::Help(Picker::default())
    }

    /// The palette.
    #[must_use]
    pub fn palette() -> Self {
        Self::Palette(Picker::default())
    }

    /// The records that could not be read.
    #[must_use]
    pub fn problems() -> Self {
        Self::Problems(Picker::default())
    }

    /// The marks of the focused candidate.
    #[must_use]
    pub fn marks() -> Self {
        Self::Marks(Picker::default())
    }

    /// The places of the candidates' patches that the compare screen lists.
    #[must_use]
    pub fn places() -> Self {
        Self::Places(Picker::default())
    }

    /// A new finding at the cursor; `None` when no candidate has the focus.
    #[must_use]
    pub fn new_finding(model: &Model) -> Option<Self> {
        Form::at_cursor(model).map(|form| Self::Finding(Box::new(form)))
    }

    /// The findings of the open group.
    #[must_use]
    pub fn findings() -> Self {
        Self::Findings(0)
    }

    /// The guidelines, from their beginning.
    #[must_use]
    pub fn guidelines() -> Self {
        Self::Guidelines(Reader::default())
    }

    /// The orders that groups can be worked on in.
    #[must_use]
    pub fn orders() -> Self {
        Self::Orders(Picker::default())
    }

    /// What is recorded of the open group.
    #[must_use]
    pub fn history() -> Self {
        Self::History(Picker::default())
    }

    /// The question before leaving with unsaved judgements.
    #[must_use]
    pub fn confirm_quit() -> Self {
        Self::ConfirmQuit
    }

    /// A line to type.
    #[must_use]
    pub fn prompt(kind: PromptKind, initial: &str) -> Self {
        Self::Prompt {
            kind,
            entry: match kind.is_asked_anew() {
                true => Entry::selected(initial),
                false => Entry::new(initial),
            },
            initial: initial.to_owned(),
            error: None,
        }
    }

    /// The open group's note, to be edited.
    #[must_use]
    pub fn note(model: &Model) -> Self {
        let judgement = model
            .session
            .as_ref()
            .zip(model.compare.group)
            .and_then(|(session, group)| session.judgement(group));
        Self::prompt(
            PromptKind::Note,
            judgement.map_or("", |judgement| &judgement.note),
        )
    }
}

/// Handles a key while an overlay is open.
pub fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(overlay) = model.overlay.take() else {
        return Vec::new();
    };
    match overlay {
        Overlay::ConfirmQuit => confirm(model, key),
        Overlay::Guidelines(reader) => reader::key(model, reader, key),
        Overlay::Finding(form) => finding::key(model, form, key),
        Overlay::Findings(cursor) => findings::key(model, cursor, key),
        Overlay::Prompt {
            kind,
            entry,
            initial,
            error,
        } => prompt_key(
            model,
            Prompt {
                kind,
                entry,
                initial,
                error,
            },
            key,
        ),
        Overlay::Help(picker) => pick(model, picker, key, Overlay::Help),
        Overlay::Palette(picker) => pick(model, picker, key, Overlay::Palette),
        Overlay::Problems(picker) => pick(model, picker, key, Overlay::Problems),
        Overlay::Marks(picker) => pick(model, picker, key, Overlay::Marks),
        Overlay::Places(picker) => pick(model, picker, key, Overlay::Places),
        Overlay::Orders(picker) => pick(model, picker, key, Overlay::Orders),
        Overlay::History(picker) => pick(model, picker, key, Overlay::History),
    }
}

/// Puts pasted text into the line that is being typed.
pub fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    let one_line = text.replace("\r\n", "\n").replace(['\r', '\n', '\t'], " ");
    match &mut model.overlay {
        Some(Overlay::Prompt { kind, entry, .. }) => {
            entry.insert(&one_line);
            let (kind, typed) = (*kind, entry.text().to_owned());
            while_typing(model, kind, &typed)
        }
        Some(
            Overlay::Help(picker)
            | Overlay::Palette(picker)
            | Overlay::Problems(picker)
            | Overlay::Marks(picker)
            | Overlay::Places(picker)
            | Overlay::Orders(picker)
            | Overlay::History(picker),
        ) => {
            picker.entry.insert(&one_line);
            picker.cursor = 0;
            Vec::new()
        }
        Some(Overlay::Guidelines(reader)) => {
            reader::paste(reader, &one_line);
            Vec::new()
        }
        Some(Overlay::Finding(form)) => {
            match form.typing {
                Typing::Note => form
                    .note
                    .insert(&text.replace("\r\n", "\n").replace('\r', "\n")),
                Typing::Filter => form.filter.insert(&one_line),
                Typing::Keys => {}
            }
            Vec::new()
        }
        Some(Overlay::Findings(_) | Overlay::ConfirmQuit) | None => Vec::new(),
    }
}

/// Takes what the person's editor made of a text: the words of a finding, or the group's note, which
/// is stored at once.
pub fn edited(model: &mut Model, text: Option<String>, problem: Option<String>) -> Vec<Effect> {
    let mut effects = Vec::new();
    match (&mut model.overlay, text) {
        (Some(Overlay::Finding(form)), Some(text)) => form.note = Entry::new(&text),
        (
            Some(Overlay::Prompt {
                kind: kind @ PromptKind::Note,
                entry,
                ..
            }),
            Some(text),
        ) => {
            let kind = *kind;
            *entry = Entry::new(&text);
            match typed(model, kind, &text) {
                Ok(stored) => {
                    effects.extend(stored);
                    model.overlay = None;
                }
                Err(why) => {
                    if let Some(Overlay::Prompt { error, .. }) = &mut model.overlay {
                        *error = Some(why);
                    }
                }
            }
        }
        (_, Some(text)) => {
            // Nothing waits for it any more; it is not thrown away.
            effects.push(Effect::Copy(text));
            model.say(
                Severity::Warning,
                "the text was copied: nothing waits for it",
            );
        }
        (_, None) if problem.is_none() => {
            model.say(Severity::Info, "the text is as it was");
        }
        (_, None) => {}
    }
    if let Some(problem) = problem {
        model.say(Severity::Error, problem);
    }
    effects
}

/// Handles the mouse while an overlay is open: the wheel moves the choice, a click outside closes.
pub fn mouse(model: &mut Model, kind: MouseKind, x: u16, y: u16) -> Vec<Effect> {
    match kind {
        MouseKind::ScrollUp => key(model, Key::plain(Code::Up)),
        MouseKind::ScrollDown => key(model, Key::plain(Code::Down)),
        MouseKind::Down if !view::area(model).is_some_and(|area| area.contains(x, y)) => {
            key(model, Key::plain(Code::Esc))
        }
        MouseKind::Down | MouseKind::Drag | MouseKind::Up => Vec::new(),
    }
}

fn confirm(model: &mut Model, key: Key) -> Vec<Effect> {
    match (key.code, key.ctrl || key.alt) {
        (Code::Char('y' | 'Y'), false) => {
            model.saves.unsaved.clear();
            vec![Effect::Quit]
        }
        (Code::Char('s' | 'S'), false) => perform(model, Action::RetrySave, None),
        (Code::Esc, _) => Vec::new(),
        // A second press of the key that leaves is no answer.
        _ => {
            model.overlay = Some(Overlay::ConfirmQuit);
            Vec::new()
        }
    }
}

struct Prompt {
    kind: PromptKind,
    entry: Entry,
    initial: String,
    error: Option<String>,
}

impl Prompt {
    fn reopen(self) -> Overlay {
        let Self {
            kind,
            entry,
            initial,
            error,
        } = self;
        Overlay::Prompt {
            kind,
            entry,
            initial,
            error,
        }
    }
}

fn prompt_key(model: &mut Model, mut prompt: Prompt, key: Key) -> Vec<Effect> {
    match key.code {
        Code::Esc => leave(model, prompt),
        Code::Char('c') if key.ctrl => leave(model, prompt),
        Code::Char('o') if key.ctrl && prompt.kind == PromptKind::Note => {
            let text = prompt.entry.text().into();
            let name = "note.txt".to_owned();
            model.overlay = Some(prompt.reopen());
            vec![Effect::RunProgram(Outside::Text { text, name })]
        }
        Code::Enter => {
            let line = prompt.entry.text().to_owned();
            take_line(model, prompt, &line)
        }
        Code::Char(digit)
            if prompt.kind == PromptKind::Skip
                && prompt.entry.text().is_empty()
                && !key.ctrl
                && !key.alt
                && compare::preset(digit).is_some() =>
        {
            take_line(model, prompt, compare::preset(digit).unwrap_or_default())
        }
        _ => {
            let before = prompt.entry.text().to_owned();
            prompt.entry.key(key);
            let (kind, now) = (prompt.kind, prompt.entry.text().to_owned());
            let changed = before != now;
            if changed {
                prompt.error = None;
            }
            model.overlay = Some(prompt.reopen());
            if changed {
                while_typing(model, kind, &now)
            } else {
                Vec::new()
            }
        }
    }
}

/// Takes a line for a prompt, which stays with what was typed and the reason when that is not
/// possible.
fn take_line(model: &mut Model, mut prompt: Prompt, line: &str) -> Vec<Effect> {
    match typed(model, prompt.kind, line) {
        Ok(effects) => effects,
        Err(error) => {
            prompt.error = Some(error);
            model.overlay = Some(prompt.reopen());
            Vec::new()
        }
    }
}

/// Leaves a prompt without its line. A note is a judgement: what was typed is kept all the same, and
/// taken back by undo.
fn leave(model: &mut Model, prompt: Prompt) -> Vec<Effect> {
    if prompt.kind != PromptKind::Note || prompt.entry.text() == prompt.initial {
        return while_typing(model, prompt.kind, &prompt.initial);
    }
    let mut effects = Vec::new();
    if let Some(why) = gone(model) {
        // It is not thrown away.
        effects.push(Effect::Copy(prompt.entry.text().to_owned()));
        model.say(Severity::Warning, format!("{why}; the note was copied"));
        return effects;
    }
    if let Some(group) = model.compare.group
        && change(
            model,
            group,
            Change::Note(prompt.entry.text().to_owned()),
            &mut effects,
        )
    {
        let undo = model.keymap.key_of(Action::Undo).unwrap_or_default();
        let said = match undo.is_empty() {
            true => "note saved".to_owned(),
            false => format!("note saved; {undo} takes it back"),
        };
        model.say(Severity::Info, said);
    }
    effects
}

/// Why nothing can be said of the open group, when its rollouts went while something was typed.
fn gone(model: &Model) -> Option<String> {
    let (session, group) = model.session.as_ref().zip(model.compare.group)?;
    session
        .is_gone(group)
        .then(|| ReviewError::Gone.to_string())
}

/// Binds what lies over the screen to the data of a group that changed: by ids, never by places in
/// it as it was.
pub fn carry_over(model: &mut Model, group: usize, (was, is): (&RolloutGroup, &RolloutGroup)) {
    let is_open = model.compare.group == Some(group);
    match &mut model.overlay {
        Some(Overlay::Finding(form)) if form.group == group => form.carry_over(was, is),
        // They are places in the patches as they were.
        Some(Overlay::Places(_)) if is_open => model.overlay = None,
        _ => {}
    }
}

/// Takes a line; the error is one sentence for the prompt.
fn typed(model: &mut Model, kind: PromptKind, text: &str) -> Result<Vec<Effect>, String> {
    if let Some(why) = gone(model).filter(|_| kind.is_about_group()) {
        return Err(why);
    }
    match kind {
        PromptKind::Search => Ok(match model.screen {
            Screen::Groups => groups::searched(model, text),
            Screen::Steps
            | Screen::Compare
            | Screen::Grader
            | Screen::Schedule
            | Screen::Remarks
            | Screen::Agreement
            | Screen::Disagreements
            | Screen::Schedules => {
                model.say(Severity::Info, "there is no search here");
                Vec::new()
            }
        }),
        PromptKind::SearchSteps => steps::searched(model, text),
        PromptKind::SearchPatch => compare::searched(model, text),
        PromptKind::SearchGroup => compare::searched_group(model, text),
        PromptKind::SavePatch => compare::patch_named(model, text),
        PromptKind::Filter => groups::filtered(model, text),
        PromptKind::RemarkFilter => remarks::filtered(model, text),
        PromptKind::Value => schedule::typed(model, text),
        PromptKind::Skip => Ok(compare::skipped(model, text)),
        PromptKind::Flag => Ok(compare::flagged(model, text)),
        PromptKind::Settle => compare::rankings_settled(model, text),
        PromptKind::Note => {
            let mut effects = Vec::new();
            if let Some(group) = model.compare.group {
                change(model, group, Change::Note(text.to_owned()), &mut effects);
            }
            Ok(effects)
        }
    }
}

/// The list of groups follows a search or a filter while it is typed; so cheap is nothing else.
fn while_typing(model: &mut Model, kind: PromptKind, text: &str) -> Vec<Effect> {
    match kind {
        PromptKind::Search if model.screen == Screen::Groups => groups::searched(model, text),
        // Half a term is no filter yet; what is wrong with it stands below the line.
        PromptKind::Filter => groups::filtered(model, text).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn pick(
    model: &mut Model,
    mut picker: Picker,
    key: Key,
    reopen: fn(Picker) -> Overlay,
) -> Vec<Effect> {
    let overlay = reopen(picker.clone());
    let found = rows(model, &overlay);
    let page = view::PAGE;
    let last = found.len().saturating_sub(1);
    match (key.code, key.ctrl) {
        (Code::Esc, _) | (Code::Char('c'), true) => return Vec::new(),
        (Code::Enter, _) => {
            let Some(row) = found.into_iter().nth(picker.cursor) else {
                return Vec::new();
            };
            if let Some(text) = row.copied {
                model.overlay = Some(reopen(picker));
                model.say(Severity::Info, "entry copied");
                return vec![Effect::Copy(text)];
            }
            if let (Some(place), Overlay::Orders(picker)) = (row.place, &overlay) {
                let order = rows::orders(picker).into_iter().nth(place);
                return order.map_or_else(Vec::new, |order| queue::choose(model, order));
            }
            if let Some(place) = row.place {
                return compare::choose_place(model, place);
            }
            let action = row.action.map(|action| perform(model, action, None));
            return action.unwrap_or_default();
        }
        (Code::Down, _) | (Code::Char('n'), true) => picker.cursor = (picker.cursor + 1).min(last),
        (Code::Up, _) | (Code::Char('p'), true) => {
            picker.cursor = picker.cursor.saturating_sub(1);
        }
        (Code::Home, _) => picker.cursor = 0,
        (Code::End, _) => picker.cursor = last,
        (Code::PageDown, _) => picker.cursor = (picker.cursor + page).min(last),
        (Code::PageUp, _) => picker.cursor = picker.cursor.saturating_sub(page),
        _ => {
            let before = picker.entry.text().to_owned();
            picker.entry.key(key);
            if picker.entry.text() != before {
                picker.cursor = 0;
            }
        }
    }
    model.overlay = Some(reopen(picker));
    Vec::new()
}

/// Whether a palette shows this action: what is bound to a digit makes no sense without it.
fn can_be_run(model: &Model, action: Action) -> bool {
    action != Action::PlaceDigit && help::applies(model, action)
}
