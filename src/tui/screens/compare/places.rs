//! Jumps to places: remarks, where candidates differ, what only one of them touches; and how many
//! candidates touch the place of a row.

use super::comparing;
use super::layout::Slot;
use super::reading::{candidate, go_to_row};
use super::rule_remarks;
use super::update::{focused, opened};
use crate::diff::{Region, Share};
use crate::review::{FoundBy, GroupFinding};
use crate::tui::action::Action;
use crate::tui::document::{Anchor, Document};
use crate::tui::model::{Model, OnBase, OpenedGroup, Severity};
use crate::tui::text;
use crate::tui::widgets::diff_lines::{Flag, FlagBy, Moved};
use crate::tui::workers::patch_of;

/// The findings of people and of the grader at a patch: at lines of it, or at a file as a whole.
pub(super) fn remarks(model: &Model, slot: Slot) -> Vec<(Flag<'_>, GroupFinding<'_>)> {
    let session = model.session.as_ref().zip(model.compare.group);
    let findings = session.map_or(Vec::new(), |(session, group)| session.findings(group));
    findings
        .into_iter()
        .filter(|finding| Some(finding.trajectory) == slot)
        .filter_map(|finding| {
            let flag = Flag {
                path: finding.file?,
                old_side: finding.is_old_side,
                lines: finding.lines,
                by: match finding.by.is_person() {
                    true => FlagBy::Person,
                    false => FlagBy::Grader,
                },
            };
            Some((flag, finding))
        })
        .collect()
}

/// Whether anybody remarked on a patch.
#[must_use]
pub fn has_remarks(model: &Model, slot: Slot) -> bool {
    !remarks(model, slot).is_empty() || !rule_remarks::of_slot(model, slot).is_empty()
}

/// A finding in one line: whose, code, how bad, the words.
#[must_use]
pub fn said(finding: &GroupFinding<'_>) -> String {
    let (sign, by) = match finding.by {
        FoundBy::You => (Flag::OF_PERSON, "you"),
        FoundBy::Another(name) => (Flag::OF_PERSON, name),
        FoundBy::Grader(name) => (Flag::OF_GRADER, name),
    };
    let code = text::sanitize_line(finding.code);
    let mut said = format!("{sign} {}: {code}", text::sanitize_line(by));
    if let Some(severity) = finding.severity {
        said.push_str(&format!(" ({})", text::sanitize_line(severity)));
    }
    if let Some(rule) = finding.rule {
        said.push_str(&format!(" by rule {}", text::sanitize_line(&rule.id)));
    }
    if !finding.note.is_empty() {
        said.push_str(&format!(": {}", text::sanitize_line(finding.note)));
    }
    said
}

/// Says what was remarked on the line of the cursor, or on the file whose head it is at.
pub(super) fn tell_remark(model: &mut Model) {
    let slot = focused(model);
    let cursor = model.compare.place(slot).cursor;
    let Some(document) = model.compare.document(slot) else {
        return;
    };
    let line = document.line(cursor);
    let all = remarks(model, slot);
    let is_here = |flag: &Flag<'_>| match (flag.lines, &line) {
        (Some(_), Some(line)) => flag.covers_line(line),
        (None, None) => flag.row(document) == Some(cursor),
        _ => false,
    };
    let here: Vec<_> = all
        .iter()
        .filter(|(flag, _)| is_here(flag))
        .map(|(_, finding)| said(finding))
        .collect();
    let rules = rule_remarks::at_row(model, slot, cursor).into_iter();
    let rules = rules.map(|remark| rule_remarks::said(model, remark));
    let here: Vec<_> = here.into_iter().chain(rules).collect();
    if !here.is_empty() {
        model.say(Severity::Info, here.join(" · "));
    }
}

/// Goes to the next or the last remark.
pub(super) fn jump_to_remark(model: &mut Model, forward: bool) {
    let slot = focused(model);
    let Some(document) = model.compare.document(slot).cloned() else {
        return;
    };
    let all = remarks(model, slot);
    let rules = rule_remarks::of_slot(model, slot);
    let flags = rules.iter().map(|remark| rule_remarks::flag(remark));
    let flags = all.iter().map(|(flag, _)| *flag).chain(flags);
    let rows: Vec<usize> = flags.filter_map(|flag| flag.row(&document)).collect();
    let hidden = all.len() + rules.len() - rows.len();
    if !jump(model, slot, rows, forward) {
        let end = match (forward, hidden) {
            (true, 0) => "no remark further down".to_owned(),
            (false, 0) => "no remark further up".to_owned(),
            (_, n) => format!("no further remark at a line that is shown; {n} at others"),
        };
        model.say(Severity::Info, end);
    }
}

/// What place is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Candidates do not leave the same behind: those of the columns where rows are shared, else all.
    Difference,
    /// Only the focused candidate touches it.
    Unique,
}

/// Goes to the next or the last place of the base that is looked for.
pub(super) fn jump_to_place(model: &mut Model, wanted: Wanted, forward: bool) {
    let slot = focused(model);
    let found = model
        .compare
        .document(slot)
        .cloned()
        .zip(opened(model).cloned());
    let Some((document, opened)) = found else {
        return;
    };
    let Some(on_base) = opened.on_base() else {
        let said = "the patches are not laid on their base yet";
        return model.say(Severity::Info, said);
    };
    let own = candidate(&opened, slot);
    let is_wanted = is_wanted(model, &opened, wanted);
    let rows = rows_of_regions(&document, on_base, own, is_wanted);
    if !jump(model, slot, rows, forward) {
        let side = if forward { "down" } else { "up" };
        let said = match wanted {
            Wanted::Difference if document.grid().is_none() => {
                format!("the candidates differ nowhere further {side} this patch")
            }
            Wanted::Difference => {
                let (all, shown) = (opened.patches.len(), shown(model).unwrap_or_default());
                let others = (0..all).any(|index| !shown.contains(&index));
                let keys = [Action::ColumnsRight, Action::ColumnsLeft];
                // Those of the last columns are further to the left.
                let at_end = all.saturating_sub(shown.len()) <= model.compare.first_column;
                let key = model.keymap.key_of(keys[usize::from(at_end)]);
                let more = key.filter(|_| others);
                let more = more.map_or(String::new(), |key| format!(" ({key} shows others)"));
                format!("the columns shown differ nowhere further {side}{more}")
            }
            Wanted::Unique => {
                let whose = comparing::name(slot);
                format!("no place that only {whose} of all candidates touches further {side}")
            }
        };
        model.say(Severity::Info, said);
    }
}

/// The candidates whose columns share rows; `None` where each column is its own patch.
fn shown(model: &Model) -> Option<Vec<usize>> {
    let document = model.compare.document(focused(model))?;
    document.grid().map(|grid| grid.shown().to_vec())
}

/// Whether a place of the base is one that is looked for.
pub(super) fn is_wanted(
    model: &Model,
    opened: &OpenedGroup,
    wanted: Wanted,
) -> impl Fn(&Region) -> bool + use<> {
    let own = candidate(opened, focused(model));
    // The reference is no candidate.
    let all: Vec<usize> = (0..opened.patches.len()).collect();
    let shown = shown(model).unwrap_or_else(|| all.clone());
    move |region| match wanted {
        Wanted::Difference => region.differs(&shown),
        Wanted::Unique => region.touched_only_by(own, &all),
    }
}

fn rows_of_regions(
    document: &Document,
    on_base: &OnBase,
    own: usize,
    wanted: impl Fn(&Region) -> bool,
) -> Vec<usize> {
    if let Some(grid) = document.grid() {
        return grid.regions(wanted).collect();
    }
    let mut rows = Vec::new();
    for file in &on_base.aligned.files {
        let regions = file.regions.iter();
        for region in regions.filter(|region| wanted(region) && region.is_touched_by(own)) {
            let (from, to) = region.base;
            let inserts = to < from;
            let anchor = Anchor {
                path: &file.path,
                line: if inserts {
                    from.saturating_sub(1)
                } else {
                    from
                },
                after: u32::from(inserts),
                header: false,
            };
            rows.extend(document.find_anchor(anchor));
        }
    }
    rows
}

/// Goes to the nearest of some rows; answers whether there is one.
fn jump(model: &mut Model, slot: Slot, mut rows: Vec<usize>, forward: bool) -> bool {
    let cursor = model.compare.place(slot).cursor;
    rows.sort_unstable();
    let target = if forward {
        rows.iter().find(|&&row| row > cursor)
    } else {
        rows.iter().rev().find(|&&row| row < cursor)
    };
    let Some(&row) = target else { return false };
    go_to_row(model, slot, row);
    true
}

/// How many passing candidates touch the place that a row begins; `None` for all other rows.
///
/// Where few pass, of all candidates (`true`).
pub(super) fn share_at(
    document: &Document,
    opened: &OpenedGroup,
    row: usize,
) -> Option<(Share, bool)> {
    let on_base = opened.on_base()?;
    if let Some(grid) = document.grid() {
        let region = grid.region_beginning(row)?;
        return Some(on_base.consensus.evident_share(region));
    }
    let changed = |row: usize| document.is_change(row);
    let begins = changed(row) && !row.checked_sub(1).is_some_and(changed);
    let anchor = begins.then(|| document.anchor(row)).flatten()?;
    let files = &on_base.aligned.files;
    let file = files.iter().find(|file| file.path == anchor.path)?;
    let line = anchor.line + u32::from(anchor.after > 0);
    let behind = file.regions.partition_point(|region| region.base.0 <= line);
    let region = file.regions.get(behind.checked_sub(1)?)?;
    let (from, to) = region.base;
    (line <= to.max(from)).then(|| on_base.consensus.evident_share(region))
}

/// Columns for the shares beside the lines of columns of this width; 0 when there are none to show.
#[must_use]
pub(super) fn share_width(model: &Model, column: u16) -> u16 {
    const LEAST: u16 = 56;
    let on_base = opened(model).and_then(|opened| opened.on_base());
    let evidence = on_base.map(|found| found.consensus.evidence());
    let (among, is_weak) = evidence.unwrap_or_default();
    let among = among.len();
    if among < 2 || column < LEAST {
        return 0;
    }
    let digits = u16::try_from(among.to_string().len()).unwrap_or(1);
    2 * digits + 2 + u16::from(is_weak)
}

/// The move that a line of a column's patch is part of.
pub(super) fn moved<'m>(
    opened: &'m OpenedGroup,
    document: &Document,
    slot: Slot,
    (file, hunk, line): (usize, usize, usize),
) -> Option<(&'m crate::diff::Move, (usize, usize, usize))> {
    let is_recorded =
        patch_of(opened, slot).is_some_and(|patch| std::sync::Arc::ptr_eq(patch, document.patch()));
    let moves = opened.on_base()?.moves.get(candidate(opened, slot))?;
    moves.of_line(file, hunk, line).filter(|_| is_recorded)
}

/// How a line of a moved block is drawn: the first line of either end names the other one.
pub(super) fn moved_look(
    opened: &OpenedGroup,
    document: &Document,
    slot: Slot,
    at: (usize, usize, usize),
) -> Option<Moved> {
    moved(opened, document, slot, at)?;
    let moves = opened.on_base()?.moves.get(candidate(opened, slot))?;
    crate::tui::widgets::moved::mark(moves, document.patch(), at)
}

/// Whether the cursor is on a line of a moved block.
pub(super) fn is_moved_here(model: &Model) -> bool {
    let slot = focused(model);
    let found = model.compare.document(slot).zip(opened(model));
    found.is_some_and(|(document, opened)| {
        let line = document.line(model.compare.place(slot).cursor);
        line.is_some_and(|line| {
            moved(opened, document, slot, (line.file, line.hunk, line.line)).is_some()
        })
    })
}

/// Goes to the other end of the moved block at the cursor.
pub(super) fn other_end(model: &mut Model) {
    let slot = focused(model);
    let found = model
        .compare
        .document(slot)
        .cloned()
        .zip(opened(model).cloned());
    let Some((document, opened)) = found else {
        return;
    };
    let line = document.line(model.compare.place(slot).cursor);
    let there = line.and_then(|line| {
        let at = (line.file, line.hunk, line.line);
        let (_, (file, hunk, line)) = moved(&opened, &document, slot, at)?;
        document.row_of(file, hunk, line)
    });
    match there {
        Some(row) => go_to_row(model, slot, row),
        None => model.say(Severity::Info, "this line is not part of a moved block"),
    }
}
