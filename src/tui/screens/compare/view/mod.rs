//! Drawing the compare screen: where its parts stand, and the columns of patches.

mod files;
mod header;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::candidates::{Candidate, candidates, hide_ranks, letter};
use super::comparing;
use super::layout::Column;
use super::pairs;
use super::panel;
use super::places;
use super::reading::Window;
use super::rule_remarks;
use super::selecting::selected;
use super::state::Body;
use super::update::{focused, layout, mark, opened, shown_order};
use crate::domain::{PatchPresence, RolloutGroup};
use crate::review::{ReviewSession, ReviewedGroup};
use crate::tui::action::Action;
use crate::tui::area::Area;
use crate::tui::blind;
use crate::tui::colouring::ColourOf;
use crate::tui::document::{Document, Shape};
use crate::tui::highlight::ColouredSpan;
use crate::tui::model::Model;
use crate::tui::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::widgets::diff_lines::{self, Flag, Look};
use crate::tui::widgets::line::{paint, put, put_line, put_right};
use crate::tui::widgets::ranking_strip;
use crate::tui::workers::patch_of;

/// Draws the screen into `area`.
pub fn draw(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let (Some(session), Some((group, reviewed))) = (&model.session, &model.reviewed) else {
        put_line(buffer, area, "loading …", theme.style(Role::Dim));
        return;
    };
    let Some(data) = session.group(*group) else {
        return;
    };
    let screen = Area {
        x: area.x,
        y: area.y,
        width: area.width,
        height: area.height,
    };
    if data.trajectories.is_empty() {
        return gone(model, theme, buffer, screen, data);
    }
    let layout = layout(model);
    let mut candidates = candidates(session, *group, reviewed);
    mark(model, &mut candidates);
    if model.compare.body == Body::Pairs {
        hide_ranks(&mut candidates, &shown_order(model));
    }
    let page = Page {
        model,
        theme,
        session,
        data,
        reviewed,
        group: *group,
        candidates: &candidates,
    };
    page.header(buffer, layout.header);
    let shown = (candidates.as_slice(), session.is_hidden(*group));
    ranking_strip::draw(buffer, theme, shown, model.compare.focus(), &layout);
    if let Some(area) = layout.pair_head {
        pairs::draw_head(model, theme, buffer, area);
    }
    if let Some(area) = layout.panel {
        panel::draw(model, theme, buffer, area);
    }
    if let Some(files) = layout.files {
        page.files(buffer, files);
    }
    for (place, column) in layout.columns.iter().enumerate() {
        page.column(buffer, column);
        if place > 0 {
            page.separator(buffer, column);
        }
    }
}

/// What stands where a group was whose rollouts no file holds any more.
fn gone(model: &Model, theme: &Theme, buffer: &mut Buffer, area: Area, data: &RolloutGroup) {
    let judged = model
        .session
        .as_ref()
        .zip(model.compare.group)
        .is_some_and(|(session, group)| session.any_judgement(group).is_some());
    let mut lines = vec![
        (text::sanitize_line(data.id.as_str()), Role::Title),
        (String::new(), Role::Text),
        (
            "The rollouts of this group are gone: no file holds them any more.".to_owned(),
            Role::Text,
        ),
    ];
    if judged {
        let said = "What you judged stays stored, and counts when the same rollouts come back.";
        lines.push((said.to_owned(), Role::Text));
    }
    let key = model.keymap.key_of(Action::Back).unwrap_or_default();
    lines.push((
        format!("{key} leads back to the list of groups."),
        Role::Dim,
    ));
    for ((line, role), y) in lines.iter().zip(area.y..area.y + area.height) {
        put(
            buffer,
            (area.x + 1, y),
            area.width,
            line,
            theme.style(*role),
        );
    }
}

struct Page<'a> {
    model: &'a Model,
    theme: &'a Theme,
    session: &'a ReviewSession,
    data: &'a RolloutGroup,
    reviewed: &'a ReviewedGroup,
    group: usize,
    candidates: &'a [Candidate],
}

impl Page<'_> {
    fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    fn separator(&self, buffer: &mut Buffer, column: &Column) {
        let style = self.style(Role::Border);
        let bottom = column.text.y + column.text.height;
        if let Some(x) = column.title.x.checked_sub(1) {
            for y in column.title.y..bottom {
                put(buffer, (x, y), 1, "│", style);
            }
        }
    }

    fn column(&self, buffer: &mut Buffer, column: &Column) {
        let document = self.model.compare.document(column.slot);
        self.title(buffer, column, document.map(AsRef::as_ref));
        match self.instead(column) {
            Some(words) => {
                let at = (column.file.x, column.file.y);
                for (line, y) in words.lines().zip(at.1..column.text.y + column.text.height) {
                    put(
                        buffer,
                        (at.0, y),
                        column.file.width,
                        line,
                        self.style(Role::Dim),
                    );
                }
            }
            None => {
                if let Some(window) = Window::of(self.model, column) {
                    self.diff(buffer, column, &window);
                }
            }
        }
    }

    fn title(&self, buffer: &mut Buffer, column: &Column, document: Option<&Document>) {
        let area = column.title;
        let focused = column.slot.is_some() && column.slot == self.model.compare.focus();
        let style = self.style(if focused {
            Role::FocusedBorder
        } else {
            Role::Header
        });
        paint(buffer, (area.x, area.y), area.width, style);
        let mut said = if focused {
            "▸ ".to_owned()
        } else {
            "  ".to_owned()
        };
        // Before the name, which may be cut.
        let hidden = match document.map_or(0, Document::hidden) {
            0 => String::new(),
            n => format!(" · {n} white-space-only hidden"),
        };
        let interdiff = self.model.compare.interdiff_shown();
        let interdiff = interdiff.filter(|(_, to, _)| *to == column.slot);
        if let Some((from, to, found)) = interdiff {
            said.push_str(&comparing::title(from, to, found.map(AsRef::as_ref)));
        }
        match column.slot {
            _ if interdiff.is_some() => said.push_str(&hidden),
            None => said.push_str(&format!("reference patch{hidden}")),
            Some(index) => {
                said.push_str(&letter(index));
                if let Some(found) = self.candidates.iter().find(|found| found.index == index) {
                    said.push_str(&format!(" {}", ranking_strip::outcome(found.outcome)));
                    if let Some(rank) = found.rank {
                        let tie = if found.tied { "=" } else { "" };
                        said.push_str(&format!(" · rank {rank}{tie}"));
                    }
                    said.push_str(&hidden);
                    if !found.name.is_empty() {
                        said.push_str(&format!(" · {}", text::cut(&found.name, 80)));
                    }
                }
            }
        }
        let right =
            document
                .filter(|document| !document.is_empty())
                .map_or(String::new(), |document| {
                    let place = self.model.compare.place(column.slot);
                    let files = document.file_starts().len();
                    let above = document.file_at(place.top.row).is_some_and(|file| file > 0);
                    let file = match document.file_at(place.cursor) {
                        Some(file) if files > 1 => {
                            let mark = if above { "▲ " } else { "" };
                            format!(" {mark}file {}/{files}", file + 1)
                        }
                        _ => String::new(),
                    };
                    let mode = match document.shape() {
                        _ if !focused => "",
                        Shape::Aligned => " aligned ·",
                        Shape::Split => " side by side ·",
                        Shape::Unified if interdiff.is_some() => "",
                        Shape::Unified => " own ·",
                    };
                    format!("{mode}{file} {}/{}", place.cursor + 1, document.len())
                });
        let taken = u16::try_from(right.chars().count())
            .unwrap_or(0)
            .min(area.width);
        put(buffer, (area.x, area.y), area.width - taken, &said, style);
        put_right(buffer, (area.x, area.y), area.width, &right, style);
    }

    /// What a column says when there is no diff to show.
    fn instead(&self, column: &Column) -> Option<String> {
        if opened(self.model).is_none() {
            return Some(match &self.model.open_failed {
                Some((group, reason)) if *group == self.group => {
                    format!(
                        "the patches cannot be read:\n{}",
                        text::sanitize_line(reason)
                    )
                }
                _ => "opening the patches …".to_owned(),
            });
        }
        if let Some((_, to, Some(found))) = self.model.compare.interdiff_shown()
            && to == column.slot
        {
            let said = found.sentences();
            return found.patch.files.is_empty().then(|| {
                let said = said.iter().map(|sentence| text::sanitize_line(sentence));
                said.collect::<Vec<_>>().join("\n")
            });
        }
        let index = column.slot?;
        let presence = self.data.trajectories.get(index)?.patch.presence;
        match presence {
            PatchPresence::Missing => Some("no patch is recorded for this trajectory".to_owned()),
            PatchPresence::Empty => Some("the patch is empty: nothing was changed".to_owned()),
            PatchPresence::NotADiff | PatchPresence::Diff => {
                let content = &opened(self.model)?.content;
                let read = content.trajectories.get(index)?.patch.is_some();
                let reason = content.problems.first().filter(|_| !read)?;
                let reason = blind::sentence(self.model, Some(self.group), reason);
                let lines = text::wrap(&reason, usize::from(column.file.width).max(1));
                let lines: Vec<_> = lines.into_iter().map(|range| &reason[range]).collect();
                Some(format!("the patch cannot be read:\n{}", lines.join("\n")))
            }
        }
    }

    fn diff(&self, buffer: &mut Buffer, column: &Column, window: &Window) {
        let document = window.document.as_ref();
        let place = self.model.compare.place(column.slot);
        let file_area = column.file;
        let header = self.style(Role::FileHeader);
        paint(buffer, (file_area.x, file_area.y), file_area.width, header);
        if document.patch().presence == PatchPresence::NotADiff {
            let said = "the text as it is recorded";
            put_line(buffer, file_area, said, header);
        }
        if let Some(file) = document.file_at(place.top.row) {
            let mut said = text::sanitize_line(&document.file_title(file));
            let of = comparing::colours_of(self.model, column.slot);
            let of_patch = document.patch_file(file).unwrap_or(file);
            let colours = self.model.colours.get(&(self.group, of, of_patch));
            if let Some(reason) = colours.and_then(|colours| colours.plain.as_deref()) {
                said.push_str(&format!(" · {reason}"));
            }
            let counts = document.file_counts(file);
            let taken = u16::try_from(counts.chars().count() + 1)
                .unwrap_or(0)
                .min(file_area.width);
            put(
                buffer,
                (file_area.x, file_area.y),
                file_area.width - taken,
                &said,
                header,
            );
            put_right(
                buffer,
                (file_area.x, file_area.y),
                file_area.width,
                &counts,
                header,
            );
        }
        let rules = rule_remarks::of_slot(self.model, column.slot);
        let flags: Vec<Flag<'_>> = places::remarks(self.model, column.slot)
            .into_iter()
            .map(|(flag, _)| flag)
            .chain(rules.iter().map(|remark| rule_remarks::flag(remark)))
            .collect();
        let recorded = opened(self.model).and_then(|opened| patch_of(opened, column.slot));
        let is_recorded = recorded.is_some_and(|patch| Arc::ptr_eq(patch, document.patch()));
        let share = |row| {
            let opened = opened(self.model).filter(|_| is_recorded)?;
            places::share_at(document, opened, row)
        };
        let moved = |at| {
            let opened = opened(self.model).filter(|_| is_recorded)?;
            places::moved_look(opened, document, column.slot, at)
        };
        let of = comparing::colours_of(self.model, column.slot);
        let colours = |file| self.model.colours.get(&(self.group, of, file));
        let base_colours = |row| self.base_colours(document, of, row);
        let focused = column.slot == focused(self.model);
        let look = Look {
            flags: &flags,
            selected: selected(self.model, column.slot),
            theme: self.theme,
            wrap: self.model.compare.wrap,
            shift: self.model.compare.shift,
            search: self.model.compare.query.as_ref(),
            cursor: Some((place.cursor, focused)),
            height: &|row| window.height(row),
            moved: &moved,
            share_width: column.share,
            share: &share,
            colours: &colours,
            base_colours: &base_colours,
        };
        diff_lines::draw(buffer, column.text, document, place.top, &look);
    }

    /// The colours of a line of the base that a column does not quote: its own where the base is
    /// known, else those of a column that quotes it.
    fn base_colours(&self, document: &Document, of: ColourOf, row: usize) -> &[ColouredSpan] {
        let Some((file, line)) = document.base_line(row) else {
            return &[];
        };
        let colours = |of, file| self.model.colours.get(&(self.group, of, file));
        let own = document.patch_file(file).and_then(|file| colours(of, file));
        let own = own.map_or(&[][..], |colours| colours.of_base(line));
        let Some(grid) = document.grid().filter(|_| own.is_empty()) else {
            return own;
        };
        let last = opened(self.model).map_or(0, |opened| opened.patches.len());
        for &candidate in grid.shown() {
            let slot = (candidate < last).then_some(candidate);
            let Some(other) = self.model.compare.document(slot) else {
                continue;
            };
            let other_of = ColourOf::Patch(slot);
            let quoted = other.sources(row)[0].and_then(|(file, hunk, line)| {
                colours(other_of, file).map(|colours| colours.of(hunk, line))
            });
            let known = || {
                let colours = colours(other_of, other.patch_file(file)?)?;
                Some(colours.of_base(line))
            };
            if let Some(spans) = quoted.or_else(known).filter(|spans| !spans.is_empty()) {
                return spans;
            }
        }
        &[]
    }
}
