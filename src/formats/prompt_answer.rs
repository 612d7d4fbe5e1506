//! A rollout told as a prompt and an answer, each a decoded text or a list of chat messages: its
//! steps, its task, its patch, and the name of a task that has none.
//!
//! What is *not* here: which keys hold them, and rewards.

use crate::diff::summarize;
use crate::domain::{PatchPresence, Step, StepKind, TaskContent, TaskSummary, Trajectory};

use super::assemble::mark_patch;
use super::decoded_chat::{Speaker, split};
use super::files::Body;
use super::json::{self, Fields, JsonError, Kind, Raw};
use super::native::title;
use super::rollout::{self, Opened, short_hash};
use super::{chat, cut_patch};

/// What prompt and answer say.
#[derive(Debug, Default)]
pub(crate) struct PromptAnswer {
    steps: Vec<Step>,
    task: Option<String>,
    patch: Option<String>,
    /// Whether the patch was cut from the answer.
    cut: bool,
}

impl PromptAnswer {
    /// Reads both sides; a patch that has a key of its own (see [`recorded_patch`]) is taken as it
    /// is, else it is cut from the answer (see [`cut_patch::cut`]).
    ///
    /// # Errors
    /// When a side is a list with an element that is no message, or a text cannot be decoded.
    pub(crate) fn read(
        prompt: Option<Raw<'_>>,
        answer: Option<Raw<'_>>,
        patch: Option<String>,
    ) -> Result<Self, JsonError> {
        let (mut steps, mut asked) = (Vec::new(), false);
        if let Some(raw) = prompt {
            side("prompt", raw, Speaker::User, &mut asked, &mut steps)?;
        }
        let asked_in = steps.len();
        let whole = match answer {
            Some(raw) => side("answer", raw, Speaker::Assistant, &mut asked, &mut steps)?,
            None => None,
        };
        Ok(Self::of_steps(steps, asked_in, whole.as_deref(), patch))
    }

    /// Reads a conversation that is one list of messages; the patch as in [`PromptAnswer::read`].
    ///
    /// # Errors
    /// When an element is no message.
    pub(crate) fn of_messages(
        messages: &[Raw<'_>],
        patch: Option<String>,
    ) -> Result<Self, JsonError> {
        let (mut steps, mut asked) = (Vec::new(), false);
        for (index, raw) in messages.iter().enumerate() {
            let name = json::element_name("messages", index);
            chat::message(&Fields::of(&name, *raw)?, &mut asked, &mut steps)?;
        }
        Ok(Self::of_steps(steps, 0, None, patch))
    }

    /// From steps, of which those from `answer` on were answered; `whole` is the answer as one text.
    pub(crate) fn of_steps(
        mut steps: Vec<Step>,
        answer: usize,
        whole: Option<&str>,
        patch: Option<String>,
    ) -> Self {
        chat::settle(&mut steps);
        // A conversation in one list is an answer that begins with what was asked.
        let of_user = |step: &&Step| step.kind == Some(StepKind::User);
        let task = steps.iter().find(of_user).map(|step| step.text.clone());
        let cut = patch.is_none();
        let patch = patch.or_else(|| {
            let said = steps.iter().skip(answer).rev();
            // What is asked holds other people's patches, a call's text is a command.
            let mut said = said.filter(|step| {
                !matches!(
                    step.kind(),
                    StepKind::System | StepKind::User | StepKind::ToolCall
                )
            });
            let patch = match whole {
                Some(text) => cut_patch::cut(text),
                None => said.find_map(|step| cut_patch::cut(&step.text)),
            };
            patch.map(str::to_owned)
        });
        Self {
            steps,
            task,
            patch,
            cut,
        }
    }

    /// Writes what is known of patch and steps into the index entry; answers the task in one line.
    pub(crate) fn describe(&self, trajectory: &mut Trajectory) -> TaskSummary {
        trajectory.patch = summarize(self.patch.as_deref());
        trajectory.steps = Some(u32::try_from(self.steps.len()).unwrap_or(u32::MAX));
        match (self.cut, trajectory.patch.presence) {
            (true, PatchPresence::Missing) => trajectory.marks.push(cut_patch::NONE.to_owned()),
            (true, _) => trajectory.marks.push(cut_patch::CUT.to_owned()),
            (false, _) => mark_patch(trajectory),
        }
        TaskSummary {
            title: self.task.as_deref().and_then(title),
            ..TaskSummary::default()
        }
    }

    /// The texts.
    pub(crate) fn opened(self) -> Opened {
        let mut opened = Opened {
            task: TaskContent {
                text: self.task,
                ..TaskContent::default()
            },
            ..Opened::default()
        };
        opened.content.patch = self.patch;
        opened.content.steps = self.steps;
        opened
    }
}

/// One side's steps; answers the whole text when it is one.
fn side(
    name: &str,
    raw: Raw<'_>,
    first: Speaker,
    asked: &mut bool,
    out: &mut Vec<Step>,
) -> Result<Option<String>, JsonError> {
    match raw.kind() {
        Kind::Text => {
            let text = json::text(name, raw.get())?;
            split(&text, first, asked, out);
            Ok(Some(text))
        }
        Kind::List => {
            for (index, raw) in json::list(name, raw)?.into_iter().enumerate() {
                let name = json::element_name(name, index);
                if raw.kind() == Kind::Text {
                    split(&json::text(&name, raw.get())?, first, asked, out);
                } else {
                    chat::message(&Fields::of(&name, raw)?, asked, out)?;
                }
            }
            Ok(None)
        }
        Kind::Object => {
            chat::message(&Fields::of(name, raw)?, asked, out)?;
            Ok(None)
        }
        Kind::Number | Kind::Word => Err(json::wrong(name, "a text or messages", raw.get())),
    }
}

impl PromptAnswer {
    /// From the columns `prompt` and `completion`, and the patch beside them.
    ///
    /// # Errors
    /// When a text cannot be decoded or a message is none.
    pub(crate) fn of_columns(fields: &Fields<'_>) -> Result<Self, JsonError> {
        let patch = recorded_patch(fields)?;
        Self::read(fields.some("prompt"), fields.some("completion"), patch)
    }
}

/// Opens the texts of a record with the columns `prompt` and `completion`.
///
/// # Errors
/// As [`PromptAnswer::of_columns`].
pub(crate) fn open_columns(
    body: &Body<'_>,
    _part: Option<u32>,
    _problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    PromptAnswer::of_columns(rollout::object(body)?).map(PromptAnswer::opened)
}

/// The patch under a key of its own, where a reward function or an environment left one.
///
/// # Errors
/// When it is no text.
pub(crate) fn recorded_patch(fields: &Fields<'_>) -> Result<Option<String>, JsonError> {
    for key in PATCH_KEYS {
        if let Some(patch) = fields.text(key)? {
            return Ok(Some(patch));
        }
    }
    Ok(None)
}

/// The keys [`recorded_patch`] looks at.
pub(crate) const PATCH_KEYS: &[&str] = &["model_patch", "git_patch", "output_patch", "patch"];

/// The name of a task that only its prompt tells: the step and a hash of the prompt.
pub(crate) fn prompt_name(step: Option<i64>, prompt: &str) -> String {
    let hash = short_hash(prompt);
    match step {
        Some(step) => format!("step {step} · {hash}"),
        None => format!("prompt {hash}"),
    }
}
