//! Candidates one after the other, each as its own patch.
//!
//! What is *not* here: candidates side by side ([`super::aligned`]).

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use super::ahead::{Ahead, Wanted, print_with};
use super::folding::{Folding, Kind, sentence};
use super::paper::Paper;
use super::{PrintOptions, Printed};
use crate::diff::{Bases, Moves, Patch, moves};
use crate::domain::PatchPresence;
use crate::tui::document::{Document, Row, View};
use crate::tui::highlight::FileColours;
use crate::tui::model::OnBase;
use crate::tui::theme::Role;
use crate::tui::widgets::diff_lines::{self, Look};
use crate::tui::widgets::moved;

/// Prints the candidates.
///
/// # Errors
/// When the output cannot be written.
pub fn print(
    on_base: &OnBase,
    files: &[usize],
    candidates: &[Printed],
    options: &PrintOptions,
    paper: &mut Paper<'_>,
) -> io::Result<()> {
    let aligned = &on_base.aligned;
    let files_of = |candidate: &Printed| -> BTreeSet<usize> {
        let of = |file: &usize| aligned.files.get(*file)?.file_of(candidate.index);
        files
            .iter()
            .filter_map(of)
            .map(|found| found.file)
            .collect()
    };
    let patches = candidates.iter().filter_map(|candidate| {
        let found = aligned.candidates().get(candidate.index)?;
        Some((&found.patch, files_of(candidate)))
    });
    let coloured = wanted(patches, &on_base.bases, options, paper);
    print_with(&coloured, |ahead| {
        print_each(on_base, (files, candidates), options, ahead, paper)
    })
}

/// The files that are coloured, in the order in which they are printed.
pub fn wanted<'a>(
    patches: impl Iterator<Item = (&'a Arc<Patch>, BTreeSet<usize>)>,
    bases: &Bases,
    options: &PrintOptions,
    paper: &Paper<'_>,
) -> Vec<Wanted> {
    if !(options.syntax && paper.is_coloured()) {
        return Vec::new();
    }
    let of = |(patch, files): (&Arc<Patch>, BTreeSet<usize>)| {
        let files = files.into_iter().map(|file| {
            let found = patch.files.get(file);
            let base = found.and_then(|found| bases.get(found.old_path.as_deref()?));
            Wanted {
                patch: Arc::clone(patch),
                file,
                base: base.cloned(),
            }
        });
        files.collect::<Vec<_>>()
    };
    patches.flat_map(of).collect()
}

fn print_each(
    on_base: &OnBase,
    (files, candidates): (&[usize], &[Printed]),
    options: &PrintOptions,
    ahead: &mut Ahead<'_>,
    paper: &mut Paper<'_>,
) -> io::Result<()> {
    let aligned = &on_base.aligned;
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
        pages.print(&found.patch, ahead, paper)?;
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
}

impl Pages<'_> {
    /// Prints them.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn print(
        &self,
        patch: &Arc<Patch>,
        ahead: &mut Ahead<'_>,
        paper: &mut Paper<'_>,
    ) -> io::Result<()> {
        let split = self.options.side_by_side;
        let view = View {
            split,
            quiet: self.options.quiet_whitespace,
            ..View::default()
        };
        let document = Document::own_in(Arc::clone(patch), view);
        let files = self.wanted.iter().map(|&file| (&**patch, file));
        super::tell_quiet(files, self.options, paper)?;
        let mut printer = Printer {
            pages: self,
            document: &document,
            moves: moves(patch),
            ahead,
            colours: None,
            paper,
        };
        // The document leaves the first file's header to a line above it.
        if !patch.files.is_empty() && self.wanted.contains(&0) {
            printer.draw(&Row::File { file: 0 }, 1)?;
        }
        let mut folding = Folding::new(self.options.context);
        for row in 0..document.len() {
            let file = document.file_at(row).filter(|_| !patch.files.is_empty());
            let is_wanted = file.map_or(self.all, |file| self.wanted.contains(&file));
            if !is_wanted {
                continue;
            }
            let shown = folding.next(row, printer.kind(row));
            printer.fold(shown.folded)?;
            if let Some(file) = file {
                printer.learn_colours(file);
            }
            for row in shown.rows {
                printer.draw_at(row)?;
            }
        }
        printer.fold(folding.end())
    }
}

struct Printer<'a, 'p, 'h> {
    pages: &'a Pages<'a>,
    document: &'a Document,
    moves: Moves,
    ahead: &'a mut Ahead<'h>,
    /// The colours of the file that is printed.
    colours: Option<(usize, FileColours)>,
    paper: &'a mut Paper<'p>,
}

impl Printer<'_, '_, '_> {
    fn kind(&self, row: usize) -> Kind {
        if self.document.is_change(row) {
            Kind::Changed
        } else if self.document.line(row).is_none() {
            Kind::Other
        } else if matches!(self.document.row(row), Some(Row::NoNewline { .. })) {
            Kind::Tail
        } else {
            Kind::Unchanged
        }
    }

    /// Tells how many unchanged rows were left out.
    fn fold(&mut self, rows: usize) -> io::Result<()> {
        match rows {
            0 => Ok(()),
            rows => self.draw(&Row::Fold(sentence(rows)), 1),
        }
    }

    fn learn_colours(&mut self, file: usize) {
        let known = self.colours.as_ref().is_some_and(|(of, _)| *of == file);
        if known {
            return;
        }
        if let Some(colours) = self.ahead.colours(self.document.patch(), file) {
            self.colours = Some((file, colours));
        }
    }

    fn draw_at(&mut self, at: usize) -> io::Result<()> {
        let Some(row) = self.document.row(at) else {
            return Ok(());
        };
        // A column of the screen has a scroll bar beside its text.
        let column = self.paper.width.saturating_add(1);
        let width = self.document.text_width(column);
        let height = self.document.height(at, width, self.pages.options.wrap);
        self.draw(&row, height.max(1))
    }

    fn draw(&mut self, row: &Row<'_>, height: usize) -> io::Result<()> {
        let colours = self.colours.as_ref();
        let (document, moves) = (self.document, &self.moves);
        let look = Look {
            theme: self.paper.theme,
            wrap: self.pages.options.wrap,
            shift: 0,
            search: None,
            flags: &[],
            selected: None,
            cursor: None,
            height: &|_| 1,
            moved: &|line| moved::mark(moves, document.patch(), line),
            share_width: 0,
            share: &|_| None,
            colours: &|file| {
                let found = colours.filter(|(of, _)| *of == file);
                found.map(|(_, colours)| colours)
            },
            base_colours: &|_| &[],
        };
        self.paper.lines(height, |buffer, skip, area| {
            diff_lines::draw_row(buffer, area, document, (row, skip), &look);
        })
    }
}
