//! Taking text out of the screen: to the clipboard, to a file, to the editor and the pager.
//!
//! What is *not* here: programs and files themselves ([`crate::tui::programs`],
//! [`crate::tui::patch_file`]); this says what is handed to them.

use std::path::PathBuf;
use std::sync::Arc;

use super::candidates::letter;
use super::spot::{PatchSpot, Spot, current};
use super::update::opened;
use crate::diff::{Patch, hunk_patch};
use crate::domain::{PatchPresence, TrajectoryIndex};
use crate::tui::action::Action;
use crate::tui::effect::{Effect, Outside};
use crate::tui::model::{Model, Severity};
use crate::tui::overlays::{Overlay, PromptKind};
use crate::tui::patch_file::SaveError;

/// Most bytes that are copied: many terminals drop an OSC 52 text of more than 100,000 characters
/// in base 64.
const MOST_COPIED: usize = 75_000;
/// Longest part of a proposed file name.
const NAME_PART: usize = 60;

/// A patch that is being saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saving {
    group: usize,
    candidate: TrajectoryIndex,
    /// The name of which was told that a file has it already.
    told: Option<String>,
}

impl Saving {
    /// The same patch after the indices of a group's candidates changed; `None` when it is gone.
    pub(super) fn moved(
        self,
        group: usize,
        place: &dyn Fn(TrajectoryIndex) -> Option<TrajectoryIndex>,
    ) -> Option<Self> {
        let candidate = match self.group == group {
            true => place(self.candidate)?,
            false => self.candidate,
        };
        Some(Self { candidate, ..self })
    }
}

/// Performs an action of this file; `None` for the others.
pub fn act(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    Some(match action {
        Action::CopyLine => copy(model, "line", line),
        Action::CopyHunk => copy(model, "hunk", hunk),
        Action::CopyPath => copy(model, "path", path),
        Action::CopyPatch => copy(model, "patch", |patch, _| Some(patch.text.to_string())),
        Action::OpenEditor => editor(model),
        Action::OpenPager => pager(model),
        Action::SavePatch => {
            ask_name(model);
            Vec::new()
        }
        _ => return None,
    })
}

/// The focused candidate and its patch, or the interdiff in its place; says so when there is none.
fn patch(model: &mut Model) -> Option<(TrajectoryIndex, Arc<Patch>)> {
    let candidate = model.compare.focus()?;
    let patch = opened(model).and_then(|opened| opened.patches.get(candidate).cloned());
    let patch = patch.filter(|patch| patch.presence != PatchPresence::Missing);
    if patch.is_none() {
        let said = match opened(model) {
            Some(_) => format!("there is no patch of {}", letter(candidate)),
            None => "the patches are not open yet".to_owned(),
        };
        model.say(Severity::Info, said);
    }
    let patch = patch?;
    match model.compare.interdiff_shown() {
        Some((_, _, Some(found))) => Some((candidate, Arc::clone(&found.patch))),
        _ => Some((candidate, patch)),
    }
}

fn copy(
    model: &mut Model,
    what: &str,
    text: impl Fn(&Patch, PatchSpot) -> Option<String>,
) -> Vec<Effect> {
    let Some((candidate, patch)) = patch(model) else {
        return Vec::new();
    };
    let at = place(model, candidate);
    let Some(text) = text(&patch, at) else {
        model.say(Severity::Info, format!("there is no {what} at the cursor"));
        return Vec::new();
    };
    let bytes = text.len();
    if bytes > MOST_COPIED {
        let key = model.keymap.key_of(Action::SavePatch);
        let instead = key.map(|key| format!("; {key} saves the patch to a file"));
        let said = format!(
            "not copied: the {what} has {bytes} bytes, terminals take about {MOST_COPIED}{}",
            instead.unwrap_or_default()
        );
        model.say(Severity::Warning, said);
        return Vec::new();
    }
    let said = format!("{what} copied: {bytes} bytes (OSC 52; the terminal must allow it)");
    model.say(Severity::Info, said);
    vec![Effect::Copy(text)]
}

/// The place of the cursor; the top of the patch when it is nowhere.
fn place(model: &Model, candidate: TrajectoryIndex) -> PatchSpot {
    let here = current(model).filter(|place| place.candidate == candidate);
    here.map_or(PatchSpot::file(0), |Spot { at, .. }| at)
}

/// The line at a place as it stands in the file, without sign.
fn line(patch: &Patch, at: PatchSpot) -> Option<String> {
    let Some(file) = patch.files.get(at.file) else {
        let mut lines = patch.text.split('\n');
        return lines.nth(at.line.unwrap_or(0)).map(str::to_owned);
    };
    match (at.hunk, at.line) {
        (None, None) => Some(file.display_path()),
        (None, Some(line)) => {
            let raw = file
                .raw
                .iter()
                .filter_map(|range| patch.text.get(range.clone()));
            raw.flat_map(str::lines).nth(line).map(str::to_owned)
        }
        (Some(hunk), None) => {
            let section = file.hunks.get(hunk)?.section.clone();
            let before = patch.text.get(..section.start)?;
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            patch.text.get(start..section.end).map(str::to_owned)
        }
        (Some(hunk), Some(line)) => {
            let line = file.hunks.get(hunk)?.lines.get(line)?;
            Some(patch.line_text(line).to_owned())
        }
    }
}

/// The hunk at a place, or the first of its file.
fn hunk(patch: &Patch, at: PatchSpot) -> Option<String> {
    hunk_patch(patch, at.file, at.hunk.unwrap_or(0))
}

fn path(patch: &Patch, at: PatchSpot) -> Option<String> {
    let file = patch.files.get(at.file)?;
    Some(file.path().to_owned()).filter(|path| !path.is_empty())
}

/// 1-based line of the patch's text that a place stands on.
fn line_number(patch: &Patch, at: PatchSpot) -> usize {
    let Some(file) = patch.files.get(at.file) else {
        return at.line.map_or(1, |line| line + 1);
    };
    let hunk = file.hunks.get(at.hunk.unwrap_or(0));
    let line = hunk.zip(at.line.filter(|_| at.hunk.is_some()));
    let line = line.and_then(|(hunk, line)| hunk.lines.get(line));
    let offset = line.map(|line| line.range.start);
    let offset = offset.or_else(|| hunk.map(|hunk| hunk.section.start));
    let offset = offset.or_else(|| file.raw.first().map(|range| range.start));
    let before = patch.text.as_bytes().get(..offset.unwrap_or(0));
    before.map_or(1, |before| memchr::memchr_iter(b'\n', before).count() + 1)
}

fn editor(model: &mut Model) -> Vec<Effect> {
    let Some((candidate, patch)) = patch(model) else {
        return Vec::new();
    };
    vec![Effect::RunProgram(Outside::Editor {
        text: Arc::clone(&patch.text),
        name: file_name(model, candidate),
        line: line_number(&patch, place(model, candidate)),
    })]
}

fn pager(model: &mut Model) -> Vec<Effect> {
    let Some((_, patch)) = patch(model) else {
        return Vec::new();
    };
    vec![Effect::RunProgram(Outside::Pager {
        text: Arc::clone(&patch.text),
    })]
}

fn ask_name(model: &mut Model) {
    let Some((candidate, _)) = patch(model) else {
        return;
    };
    let Some(group) = model.compare.group else {
        return;
    };
    model.compare.saving = Some(Saving {
        group,
        candidate,
        told: None,
    });
    let name = file_name(model, candidate);
    model.overlay = Some(Overlay::prompt(PromptKind::SavePatch, &name));
}

/// Saves the patch under the name that the prompt gave.
///
/// # Errors
/// There is no name, or no patch any more; one sentence.
pub fn named(model: &mut Model, text: &str) -> Result<Vec<Effect>, String> {
    if text.trim().is_empty() {
        return Err("a file name is needed".to_owned());
    }
    let saving = model.compare.saving.clone();
    let patch = saving.as_ref().and_then(|saving| {
        let opened = model.opened(saving.group)?;
        opened.patches.get(saving.candidate)
    });
    match patch {
        Some(patch) => Ok(vec![Effect::SaveFile {
            path: text.to_owned(),
            text: Arc::clone(&patch.text),
            overwrite: saving.and_then(|saving| saving.told).as_deref() == Some(text),
        }]),
        None => Err("the patch is not open any more".to_owned()),
    }
}

/// Tells how saving went; a file that is there already is asked about.
pub fn saved(model: &mut Model, typed: &str, result: Result<(PathBuf, usize), SaveError>) {
    match result {
        Ok((path, bytes)) => {
            model.compare.saving = None;
            let said = format!("saved: {bytes} bytes in {}", path.display());
            model.say(Severity::Info, said);
        }
        Err(SaveError::Exists) if model.overlay.is_none() && model.compare.saving.is_some() => {
            if let Some(saving) = &mut model.compare.saving {
                saving.told = Some(typed.to_owned());
            }
            model.overlay = Some(Overlay::Prompt {
                kind: PromptKind::SavePatch,
                entry: crate::tui::overlays::Entry::new(typed),
                initial: typed.to_owned(),
                error: Some("this file exists: Enter once more replaces it".to_owned()),
            });
        }
        Err(error) => model.say(Severity::Error, format!("not saved: {error}")),
    }
}

/// A file name of group and candidate; nothing in it leads out of the folder.
fn file_name(model: &Model, candidate: TrajectoryIndex) -> String {
    let session = model.session.as_ref().zip(model.compare.group);
    let group = session.and_then(|(session, group)| session.group(group));
    let id = group.and_then(|group| group.trajectories.get(candidate));
    let group = group.map_or("", |group| group.id.as_str());
    let id = id.map_or("", |found| found.id.as_str());
    format!(
        "{}-{}.patch",
        harmless(group, "group"),
        harmless(id, "candidate")
    )
}

/// A text as part of a file name: letters, digits and `._-` stay, no dot in front.
fn harmless(text: &str, instead: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let kept = text.chars().map(|c| if keep(c) { c } else { '_' });
    let kept: String = kept.take(NAME_PART).collect();
    let kept = kept.trim_start_matches(['.', '-']);
    if kept.is_empty() { instead } else { kept }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str =
        "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,1 @@ def f\n-a\n+b\n";

    #[test]
    fn names_of_rollouts_never_leave_the_folder() {
        assert_eq!(harmless("../../etc/passwd", "x"), "_.._etc_passwd");
        assert_eq!(harmless("-rf é\u{1b}[31m", "x"), "rf____31m");
        assert_eq!(harmless("...", "x"), "x");
        assert!(harmless(&"a".repeat(500), "x").len() <= NAME_PART);
    }

    #[test]
    fn lines_and_their_numbers_are_those_of_the_patch() {
        let patch = Patch::read(Arc::from(PATCH));
        let all = [
            (PatchSpot::line(0, 0, 1), "b", 6),
            (PatchSpot::hunk(0, 0), "@@ -1,1 +1,1 @@ def f", 4),
            (PatchSpot::file(0), "x.py", 4),
        ];
        for (at, text, number) in all {
            assert_eq!(line(&patch, at).as_deref(), Some(text));
            assert_eq!(line_number(&patch, at), number);
        }
        let prose = Patch::read(Arc::from("no\ndiff"));
        assert_eq!(line(&prose, PatchSpot::raw(0, 1)).as_deref(), Some("diff"));
        assert_eq!(line_number(&prose, PatchSpot::raw(0, 1)), 2);
        assert_eq!(hunk(&prose, PatchSpot::raw(0, 1)), None);
    }
}
