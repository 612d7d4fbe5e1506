//! The remarks of the out-of-scope rules at the patches: where they are, what is said of them, going
//! to one and judging it.
//!
//! What is *not* here: findings ([`super::places`]), the list over the whole set
//! ([`crate::tui::screens::remarks`]).

use super::layout::Slot;
use super::spot::{self, PatchSpot, Spot};
use super::update::{focused, opened};
use crate::diff::Patch;
use crate::domain::TrajectoryIndex;
use crate::domain::scope::{Level, Remark};
use crate::review::Verdict;
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Screen, Severity};
use crate::tui::screens::remarks;
use crate::tui::text;
use crate::tui::update::change;
use crate::tui::widgets::diff_lines::{Flag, FlagBy, remark_sign};

/// The remarks about the patch of a column; artefacts are those of every candidate that has them.
pub(super) fn of_slot(model: &Model, slot: Slot) -> Vec<&Remark> {
    let all = opened(model).and_then(|opened| opened.remarks());
    let Some((all, candidate)) = all.zip(slot) else {
        return Vec::new();
    };
    // The lines of an artefact are those of the first candidate that has it.
    let shares = |remark: &Remark| remark.lines.is_none() && remark.also.contains(&candidate);
    let about = |remark: &&Remark| remark.trajectory == candidate || shares(remark);
    all.iter().filter(about).collect()
}

/// Whether a rule says anything of the patch of a column.
pub(super) fn has(model: &Model, slot: Slot) -> bool {
    !of_slot(model, slot).is_empty()
}

/// What stands in the marks of a candidate: each rule that asks for a look, and how many remarks there
/// are beside.
pub(super) fn marks(model: &Model, candidate: TrajectoryIndex) -> Vec<String> {
    let all = of_slot(model, Some(candidate));
    let mut marks: Vec<String> = Vec::new();
    for remark in all.iter().filter(|remark| remark.level == Level::Check) {
        let mark = format!("{} {}", remark_sign(Level::Check), remark.rule);
        if !marks.contains(&mark) {
            marks.push(mark);
        }
    }
    let infos = all.iter().filter(|remark| remark.level == Level::Info);
    match infos.count() {
        0 => {}
        count => marks.push(format!("{} {count}", remark_sign(Level::Info))),
    }
    marks
}

/// Where a remark points; the whole patch is its first file.
pub(super) fn flag(remark: &Remark) -> Flag<'_> {
    Flag {
        path: &remark.path,
        old_side: remark.is_old,
        lines: remark.lines,
        by: FlagBy::Rule(remark.level),
    }
}

/// The remarks at a row of a column: at its line, or about the file whose head it is.
pub(super) fn at_row(model: &Model, slot: Slot, row: usize) -> Vec<&Remark> {
    let Some(document) = model.compare.document(slot) else {
        return Vec::new();
    };
    let line = document.line(row);
    let is_here = |remark: &&Remark| {
        let flag = flag(remark);
        match (flag.lines, &line) {
            (Some(_), Some(line)) => flag.covers_line(line),
            (None, None) => flag.row(document) == Some(row),
            _ => false,
        }
    };
    of_slot(model, slot).into_iter().filter(is_here).collect()
}

/// A remark in one line: level, rule, why, and what was said of it.
pub(super) fn said(model: &Model, remark: &Remark) -> String {
    let verdict = model.session.as_ref().zip(model.compare.group);
    let verdict = verdict.and_then(|(session, group)| session.remark_verdict(group, remark));
    let verdict = match verdict {
        Some(Verdict::Confirmed) => " · confirmed",
        Some(Verdict::Dismissed) => " · dismissed",
        None => "",
    };
    let sign = remark_sign(remark.level);
    let reason = text::sanitize_line(&remark.reason);
    format!("{sign} {}: {reason}{verdict}", remark.rule)
}

/// The remark under the cursor, else the nearest one of the focused candidate.
fn here(model: &Model) -> Option<Remark> {
    let slot = focused(model);
    let document = model.compare.document(slot)?;
    let cursor = model.compare.place(slot).cursor;
    if let Some(found) = at_row(model, slot, cursor).first() {
        return Some((*found).clone());
    }
    let all = of_slot(model, slot).into_iter();
    let near = all.min_by_key(|remark| {
        // What points at no row is about the whole patch.
        flag(remark)
            .row(document)
            .map_or(usize::MAX, |row| row.abs_diff(cursor))
    });
    near.cloned()
}

/// Judges the remark here; where the list of remarks is walked through, the one of the list, and goes
/// on.
pub(super) fn judge_here(model: &mut Model, verdict: Verdict) -> Vec<Effect> {
    if model.compare.is_spotting {
        return remarks::judge_and_go_on(model, verdict);
    }
    let Some(group) = model.compare.group else {
        return Vec::new();
    };
    let Some(remark) = here(model) else {
        let said = match opened(model).and_then(|opened| opened.remarks()) {
            Some(_) => "the rules say nothing of this candidate",
            None => "the rules are still being asked",
        };
        model.say(Severity::Info, said);
        return Vec::new();
    };
    let mut effects = Vec::new();
    judge(model, (group, &remark), verdict, &mut effects);
    effects
}

/// Says that a remark is right or wrong, or takes it back when that is said already; answers whether
/// something changed.
pub fn judge(
    model: &mut Model,
    (group, remark): (usize, &Remark),
    verdict: Verdict,
    effects: &mut Vec<Effect>,
) -> bool {
    let rules = (&*model.rules, &model.guide.rubric);
    let wanted = model.session.as_ref().and_then(|session| {
        let before = session.remark_verdict(group, remark);
        let after = Some(verdict).filter(|_| before != Some(verdict));
        session.remark_change(group, remark, rules, after)
    });
    let Some(wanted) = wanted else { return false };
    let done = change(model, group, wanted, effects);
    if done {
        let key = model.keymap.key_of(Action::Undo);
        if let Some(key) = key.filter(|_| model.screen == Screen::Compare) {
            model.status.text.push_str(&format!(" · {key} undoes it"));
        }
        // The longest part comes last.
        let place = text::sanitize_line(&remark.place());
        if !place.is_empty() {
            model.status.text.push_str(&format!(" · {place}"));
        }
    }
    done
}

/// Goes to a remark of the open group, at once or as soon as its texts are there.
pub fn show(model: &mut Model, group: usize, remark: Remark) {
    model.compare.wanted_remark = Some((group, remark));
    show_wanted(model, group);
}

/// Goes to the remark that is waited for, once the group's texts are open.
pub(super) fn show_wanted(model: &mut Model, group: usize) {
    let Some(opened) = opened(model).cloned() else {
        return;
    };
    let Some((of, remark)) = model.compare.wanted_remark.take() else {
        return;
    };
    if of != group {
        return;
    }
    let patch = opened.patches.get(remark.trajectory);
    let at = patch.map_or(PatchSpot::file(0), |patch| spot_of(patch, &remark));
    let candidate = remark.trajectory;
    spot::show(model, &Spot { candidate, at });
    let said = said(model, &remark);
    if model.status.text.is_empty() {
        model.say(Severity::Info, said);
    }
}

/// The place of a patch that a remark is about.
fn spot_of(patch: &Patch, remark: &Remark) -> PatchSpot {
    let Some(index) = remark.file else {
        return PatchSpot::file(0);
    };
    let Some(file) = patch.files.get(index) else {
        return PatchSpot::file(0);
    };
    if let Some((first, _)) = remark.lines {
        let hunks = file.hunks.iter().enumerate();
        let hunks = hunks.filter(|(place, _)| remark.hunk.is_none_or(|hunk| hunk == *place));
        for (place, hunk) in hunks {
            let mut lines = hunk.lines.iter();
            let line = lines.position(|line| {
                let number = if remark.is_old {
                    line.old_no
                } else {
                    line.new_no
                };
                number == Some(first)
            });
            if let Some(line) = line {
                return PatchSpot::line(index, place, line);
            }
        }
    }
    match remark.hunk {
        Some(hunk) => PatchSpot::hunk(index, hunk),
        None => PatchSpot::file(index),
    }
}
