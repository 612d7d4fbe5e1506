//! The list of files beside the columns.

use ratatui::buffer::Buffer;

use super::super::candidates::letter;
use super::super::update::{first_listed, opened};
use super::Page;
use crate::tui::area::Area;
use crate::tui::document::Document;
use crate::tui::text;
use crate::tui::theme::Role;
use crate::tui::widgets::line::{paint, put, put_line, put_right};

impl Page<'_> {
    pub(super) fn files(&self, buffer: &mut Buffer, area: Area) {
        let header = self.style(Role::Header);
        paint(buffer, (area.x, area.y), area.width, header);
        let Some(slot) = self.model.compare.focus() else {
            return;
        };
        let Some(document) = self.model.compare.document(Some(slot)) else {
            return;
        };
        let count = document.file_starts().len();
        let interdiff = self.model.compare.interdiff_shown();
        let interdiff = interdiff.is_some_and(|(_, to, found)| to == Some(slot) && found.is_some());
        let title = if interdiff {
            format!("files of the interdiff: {count}")
        } else if document.grid().is_some() {
            let own = (0..count).filter(|&file| document.patch_file(file).is_some());
            let (own, whose) = (own.count(), letter(slot));
            let whole = format!("files of the group: {count}, {whose} touches {own}");
            match text::width(&whole) < usize::from(area.width) {
                true => whole,
                false => format!("files: {count}, {whose}: {own}"),
            }
        } else {
            format!("files of {}: {count}", letter(slot))
        };
        put_line(buffer, area, &title, header);
        let window = usize::from(area.height).saturating_sub(1);
        let first = first_listed(self.model, document, window);
        let current = document.file_at(self.model.compare.place(Some(slot)).cursor);
        for (file, y) in (first..count.min(first + window)).zip(area.y + 1..) {
            let here = Some(file) == current;
            let style = self.style(if here { Role::Cursor } else { Role::Text });
            paint(buffer, (area.x, y), area.width.saturating_sub(1), style);
            let mut right = format!(" {}", document.file_counts(file));
            if !interdiff {
                // An interdiff is between two; how many of all touch the file says nothing there.
                right.push_str(&format!(" {}", self.touched_by(document, file)));
            }
            let taken = u16::try_from(right.chars().count()).unwrap_or(0);
            let width = area.width.saturating_sub(1);
            let taken = taken.min(width);
            let mark = if here { "▸" } else { " " };
            let path = text::sanitize_line(document.file_path(file));
            let free = usize::from(width - taken).saturating_sub(1);
            put(
                buffer,
                (area.x, y),
                width - taken,
                &format!("{mark}{}", tail(&path, free)),
                style,
            );
            put_right(buffer, (area.x, y), width, &right, style);
        }
        for y in area.y..area.y + area.height {
            put(
                buffer,
                (area.x + area.width.saturating_sub(1), y),
                1,
                "│",
                self.style(Role::Border),
            );
        }
    }

    /// How many passing candidates touch a file, e.g. `5/5`; equal ones are counted once.
    fn touched_by(&self, document: &Document, file: usize) -> String {
        let Some(on_base) = opened(self.model).and_then(|opened| opened.on_base()) else {
            return String::new();
        };
        let counted = on_base.consensus.counted();
        let path = document.anchor_path(file);
        let files = &on_base.aligned.files;
        let Some(found) = files.iter().find(|found| Some(found.path.as_str()) == path) else {
            return String::new();
        };
        let touching = counted
            .iter()
            .filter(|&&candidate| found.file_of(candidate).is_some());
        format!("{}/{}", touching.count(), counted.len())
    }
}

/// The end of a path that fits: what tells two files apart is mostly there.
fn tail(path: &str, width: usize) -> String {
    let count = path.chars().count();
    if count <= width {
        return path.to_owned();
    }
    let skipped = count - width.saturating_sub(1);
    format!("…{}", path.chars().skip(skipped).collect::<String>())
}
