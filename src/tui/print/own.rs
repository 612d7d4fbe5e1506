//! Candidates one after the other, each as its own patch.
//!
//! What is *not* here: candidates side by side ([`super::aligned`]).

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::Arc;

use super::paper::Paper;
use super::{PrintOptions, Printed};
use crate::diff::{Aligned, Patch};
use crate::domain::PatchPresence;
use crate::tui::document::{Change, Document, Row};
use crate::tui::highlight::{FileColours, Highlighter};
use crate::tui::theme::Role;
use crate::tui::widgets::diff_lines::{self, Look};

/// Prints the candidates.
///
/// # Errors
/// When the output cannot be written.
pub fn print(
    aligned: &Aligned,
    files: &[usize],
    candidates: &[Printed],
    options: &PrintOptions,
    paper: &mut Paper<'_>,
) -> io::Result<()> {
    let highlighter = RefCell::new(Highlighter::default());
    for (place, candidate) in candidates.iter().enumerate() {
        let Some(found) = aligned.candidates().get(candidate.index) else {
            continue;
        };
        if place > 0 {
            paper.blank()?;
        }
        let of = |file: &usize| aligned.files.get(*file)?.file_of(candidate.index);
        let wanted = files.iter().filter_map(of).map(|found| found.file);
        let pages = Pages {
            wanted: wanted.collect(),
            all: files.len() == aligned.files.len(),
            options,
            highlighter: &highlighter,
        };
        paper.banner(&candidate.title, &counts(&found.patch), Role::Title)?;
        let said = match found.patch.presence {
            PatchPresence::Missing => Some("no patch is recorded"),
            PatchPresence::Empty => Some("the patch is empty"),
            PatchPresence::NotADiff => Some("no diff; what is recorded:"),
            PatchPresence::Diff => None,
        };
        if let Some(said) = said {
            paper.say(said, Role::Dim)?;
        }
        pages.print(&found.patch, paper)?;
    }
    Ok(())
}

/// Lines that a patch adds and removes.
pub fn counts(patch: &Patch) -> String {
    format!("+{} −{}", patch.added(), patch.removed())
}

/// How the files of one patch are printed.
pub struct Pages<'a> {
    /// The files, by their place in the patch.
    pub wanted: BTreeSet<usize>,
    /// Whether nothing is left out, so that what belongs to no file is printed as well.
    pub all: bool,
    /// How.
    pub options: &'a PrintOptions,
    /// Colours code.
    pub highlighter: &'a RefCell<Highlighter>,
}

impl Pages<'_> {
    /// Prints them.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn print(&self, patch: &Arc<Patch>, paper: &mut Paper<'_>) -> io::Result<()> {
        let split = self.options.side_by_side;
        let document = Document::own(Arc::clone(patch), split, &BTreeSet::new());
        let mut printer = Printer {
            pages: self,
            document: &document,
            colours: None,
            waiting: VecDeque::new(),
            folded: 0,
            left: 0,
            paper,
        };
        // The document leaves the first file's header to a line above it.
        if !patch.files.is_empty() && self.wanted.contains(&0) {
            printer.draw(&Row::File { file: 0 }, 1)?;
        }
        for row in 0..document.len() {
            let file = document.file_at(row).filter(|_| !patch.files.is_empty());
            let is_wanted = file.map_or(self.all, |file| self.wanted.contains(&file));
            if is_wanted {
                printer.row(row, file)?;
            }
        }
        printer.fold()
    }
}

struct Printer<'a, 'p> {
    pages: &'a Pages<'a>,
    document: &'a Document,
    /// The colours of the file that is printed.
    colours: Option<(usize, FileColours)>,
    /// Unchanged rows of which it is not known yet whether a change follows.
    waiting: VecDeque<usize>,
    /// Unchanged rows before them that are left out.
    folded: usize,
    /// Unchanged rows that still follow the last change.
    left: usize,
    paper: &'a mut Paper<'p>,
}

impl Printer<'_, '_> {
    fn row(&mut self, at: usize, file: Option<usize>) -> io::Result<()> {
        if let Some(file) = file {
            self.learn_colours(file);
        }
        let Some(row) = self.document.row(at) else {
            return Ok(());
        };
        let Some(context) = self.pages.options.context else {
            return self.draw_at(at, &row);
        };
        let change = match &row {
            Row::Code(code) => Some(code.change),
            Row::Split(old, new) => {
                let sides = old.iter().chain(new).map(|code| code.change);
                sides.max_by_key(|change| *change != Change::Context)
            }
            _ => None,
        };
        match change {
            Some(Change::Context | Change::Untouched) if self.left > 0 => {
                self.left -= 1;
                self.draw_at(at, &row)
            }
            Some(Change::Context | Change::Untouched) => {
                self.waiting.push_back(at);
                if self.waiting.len() > context {
                    self.waiting.pop_front();
                    self.folded += 1;
                }
                Ok(())
            }
            Some(Change::Added | Change::Removed) => {
                let waiting = std::mem::take(&mut self.waiting);
                self.fold()?;
                for at in waiting {
                    if let Some(row) = self.document.row(at) {
                        self.draw_at(at, &row)?;
                    }
                }
                self.left = context;
                self.draw_at(at, &row)
            }
            None => {
                // The end of a file without a newline belongs to the line above it.
                if !matches!(row, Row::NoNewline { .. }) {
                    self.left = 0;
                    self.fold()?;
                } else if !self.waiting.is_empty() {
                    return Ok(());
                }
                self.draw_at(at, &row)
            }
        }
    }

    /// Tells how many unchanged rows were left out.
    fn fold(&mut self) -> io::Result<()> {
        let lines = self.folded + self.waiting.len();
        self.waiting.clear();
        self.folded = 0;
        if lines == 0 {
            return Ok(());
        }
        let what = if lines == 1 {
            "unchanged line"
        } else {
            "unchanged lines"
        };
        self.draw(&Row::Fold(format!("⋯ {lines} {what}")), 1)
    }

    fn learn_colours(&mut self, file: usize) {
        let wanted = self.pages.options.syntax && self.paper.is_coloured();
        let known = self.colours.as_ref().is_some_and(|(of, _)| *of == file);
        if wanted && !known {
            let patch = self.document.patch();
            let mut highlighter = self.pages.highlighter.borrow_mut();
            let colours = highlighter.colour_file(patch, file, None);
            self.colours = Some((file, colours));
        }
    }

    fn draw_at(&mut self, at: usize, row: &Row<'_>) -> io::Result<()> {
        // A column of the screen has a scroll bar beside its text.
        let column = self.paper.width.saturating_add(1);
        let width = self.document.text_width(column);
        let height = self.document.height(at, width, self.pages.options.wrap);
        self.draw(row, height.max(1))
    }

    fn draw(&mut self, row: &Row<'_>, height: usize) -> io::Result<()> {
        let colours = self.colours.as_ref();
        let look = Look {
            theme: self.paper.theme,
            wrap: self.pages.options.wrap,
            shift: 0,
            search: None,
            flags: &[],
            cursor: None,
            quiet_whitespace: false,
            moved: &|_| None,
            share_width: 0,
            share: &|_| None,
            height: &|_| 1,
            colours: &|file| {
                let found = colours.filter(|(of, _)| *of == file);
                found.map(|(_, colours)| colours)
            },
        };
        let document = self.document;
        self.paper.lines(height, |buffer, skip, area| {
            diff_lines::draw_row(buffer, area, document, (row, skip), &look);
        })
    }
}
