//! Syntax colours of a patch's lines, as numbers of scopes: themes decide what they look like.
//!
//! Slow work: called from a worker thread or for a print, never while drawing. No terminal type here.
//! What is *not* here: who wants which lines coloured (`crate::tui::colouring`).

mod colours;
mod language;
mod lines;
mod opened;
mod opening;
mod scope;

use std::sync::{Arc, OnceLock};

use syntect::parsing::SyntaxSet;

use crate::diff::{BaseText, Patch};

pub use colours::{ColourUnit, ColouredLine, ColouredSpan, FileColours, UNIT};
use lines::Lines;
use opened::{OpenedBase, OpenedFile, Parser};
pub use scope::{SyntaxRole, SyntaxStyle};

/// Files whose states are kept.
const FILES_KEPT: usize = 32;
/// Base texts whose states are kept.
const BASES_KEPT: usize = 32;

/// Colours patches; loads its syntaxes on first use.
#[derive(Debug, Default)]
pub struct Highlighter {
    syntaxes: OnceLock<SyntaxSet>,
    lines: Lines,
    /// The last one was used last.
    files: Vec<OpenedFile>,
    bases: Vec<OpenedBase>,
}

impl Highlighter {
    /// Loads the syntaxes, which else the first colouring does.
    pub fn load(&self) {
        self.syntaxes.get_or_init(two_face::syntax::extra_newlines);
    }

    /// Colours units of one file (0-based) of a patch, in the order given. With the file's base text
    /// the colours are right wherever a hunk begins, when all hunks stand in it; else each hunk's
    /// beginning is guessed. `stop` is asked between pieces of work: when it says so, what is
    /// coloured by then is returned, and asking again goes on from there.
    pub fn colour(
        &mut self,
        patch: &Arc<Patch>,
        file: usize,
        base: Option<&Arc<BaseText>>,
        units: &[ColourUnit],
        stop: &mut dyn FnMut() -> bool,
    ) -> FileColours {
        let syntaxes = self.syntaxes.get_or_init(two_face::syntax::extra_newlines);
        let Some(found) = patch.files.get(file) else {
            return FileColours::plain(None);
        };
        let first_hunk = found.hunks.first().filter(|hunk| hunk.new_start <= 1);
        let first_line = match base.and_then(|base| base.line(1)) {
            Some(line) => line,
            None => first_hunk
                .and_then(|hunk| hunk.lines.last())
                .and_then(|_| first_hunk.and_then(|hunk| hunk.lines.first()))
                .map_or("", |line| patch.line_text(line)),
        };
        let Some(syntax) = language::of(syntaxes, found.path(), first_line) else {
            return FileColours::plain(None);
        };
        let opened = take(
            &mut self.files,
            FILES_KEPT,
            |known| known.is(patch, file, base),
            || OpenedFile::new(Arc::clone(patch), file, base.cloned()),
        );
        let mut opened_base = base.map(|base| {
            take(
                &mut self.bases,
                BASES_KEPT,
                |known| known.is(base, &syntax.name),
                || OpenedBase::new(Arc::clone(base), syntax.name.clone()),
            )
        });
        let mut parser = Parser {
            syntaxes,
            syntax,
            lines: &mut self.lines,
        };
        let mut colours = FileColours {
            plain: opened.note.clone(),
            on_base: base.is_some(),
            ..FileColours::default()
        };
        for &unit in units {
            let base = opened_base.as_deref_mut();
            let coloured = match unit {
                ColourUnit::Hunk { hunk, unit } => {
                    opened.unit(&mut parser, base, (hunk, unit), stop)
                }
                ColourUnit::Base { unit } => match base {
                    Some(base) => base.unit(&mut parser, unit, stop),
                    None => Some(Vec::new()),
                },
            };
            let Some(coloured) = coloured else {
                return colours;
            };
            colours.units.insert(unit, coloured);
            if stop() {
                return colours;
            }
        }
        colours
    }

    /// Colours all hunks of one file (0-based) of a patch, until `stop` says so.
    pub fn colour_file(
        &mut self,
        patch: &Arc<Patch>,
        file: usize,
        base: Option<&Arc<BaseText>>,
        stop: &mut dyn FnMut() -> bool,
    ) -> FileColours {
        let units = OpenedFile::units(patch, file);
        self.colour(patch, file, base, &units, stop)
    }
}

/// The kept entry that is meant, or a new one; the one that was not used for longest gives way.
fn take<T>(
    kept: &mut Vec<T>,
    most: usize,
    is: impl Fn(&T) -> bool,
    new: impl FnOnce() -> T,
) -> &mut T {
    let entry = match kept.iter().position(is) {
        Some(place) => kept.remove(place),
        None => {
            if kept.len() >= most {
                kept.remove(0);
            }
            new()
        }
    };
    kept.push(entry);
    let last = kept.len() - 1;
    &mut kept[last]
}

#[cfg(test)]
mod tests;
