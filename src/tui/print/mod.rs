//! The diff of a group on paper: what the compare screen shows, from top to bottom, without a screen.
//!
//! Rows are drawn one by one with the screen's theme and painters and written at once, so that memory
//! does not follow the length. What is *not* here: which candidates are wanted and where they come
//! from.

mod ahead;
mod aligned;
mod coloured_row;
mod folding;
mod interdiff;
mod own;
mod paper;

use std::io::{self, IsTerminal, Write, stdout};

use super::colour_depth::ColourDepth;
use super::model::OnBase;
use super::settings::{ThemeChoice, choose_theme, config_folder, read_themes};
use super::terminal::background_is_dark;
use super::theme::{Role, Theme};
use crate::diff::Patch;
use paper::Paper;

/// Columns where no terminal says how many it has.
const PIPE_WIDTH: u16 = 160;

/// How candidates are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Side by side, a row a line of the base.
    Aligned,
    /// One after the other, each as its own patch.
    Own,
    /// From the result of the first to that of the second.
    Interdiff,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// On a terminal that has colours.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How a diff is printed.
#[derive(Debug, Clone)]
pub struct PrintOptions {
    /// The layout.
    pub layout: Layout,
    /// Columns; `None` = the terminal's.
    pub width: Option<u16>,
    /// When it is coloured.
    pub colour: When,
    /// The theme; `None` = by the terminal's background.
    pub theme: Option<ThemeChoice>,
    /// Whether code is coloured.
    pub syntax: bool,
    /// Whether long lines wrap; else they are cut, with a mark.
    pub wrap: bool,
    /// Whether old and new stand beside each other in patches of their own.
    pub side_by_side: bool,
    /// Whether changes of white space only are not shown as changes.
    pub quiet_whitespace: bool,
    /// Unchanged lines around a change; `None` = those that the patches quote.
    pub context: Option<usize>,
    /// Whether files were chosen by name, so that others are left out.
    pub some_files: bool,
}

/// A candidate that is printed.
#[derive(Debug, Clone)]
pub struct Printed {
    /// Its place in [`crate::diff::Aligned::candidates`].
    pub index: usize,
    /// What stands over it. Untrusted text.
    pub title: String,
    /// Whether it is the reference patch, which is no candidate.
    pub is_reference: bool,
}

/// Why nothing could be printed.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// A theme that cannot be used.
    #[error("{0}")]
    Theme(String),
    /// More columns than there is room for.
    #[error("{candidates} candidates side by side need {needed} columns, there are {width}")]
    Narrow {
        /// Candidates.
        candidates: usize,
        /// The least number of columns.
        needed: usize,
        /// Those there are.
        width: u16,
    },
    /// What turns one result into another needs one and another.
    #[error("an interdiff is of two candidates, not of {0}")]
    NotTwo(usize),
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// Prints candidates; `files` are places in [`crate::diff::Aligned::files`].
///
/// # Errors
/// See [`PrintError`].
pub fn print(
    on_base: &OnBase,
    files: &[usize],
    candidates: &[Printed],
    options: &PrintOptions,
    out: &mut dyn Write,
) -> Result<(), PrintError> {
    let coloured = match options.colour {
        When::Always => true,
        When::Never => false,
        When::Auto => stdout().is_terminal() && depth() != ColourDepth::None,
    };
    let theme = theme(options, coloured)?;
    let mut paper = Paper::new(&theme, width(options), coloured, out);
    match options.layout {
        Layout::Aligned => aligned::print(on_base, files, candidates, options, &mut paper),
        Layout::Own => Ok(own::print(on_base, files, candidates, options, &mut paper)?),
        Layout::Interdiff => match candidates {
            [from, to] => {
                interdiff::print(on_base, files, (from, to), options, &mut paper)?;
                Ok(())
            }
            others => Err(PrintError::NotTwo(others.len())),
        },
    }
}

/// Tells how many changes are not shown as changes because they are of white space only.
fn tell_quiet<'a>(
    patches: impl IntoIterator<Item = (&'a Patch, usize)>,
    options: &PrintOptions,
    paper: &mut Paper<'_>,
) -> io::Result<()> {
    if !options.quiet_whitespace {
        return Ok(());
    }
    let files = patches.into_iter();
    let changes: usize = files
        .map(|(patch, file)| patch.whitespace_changes(file))
        .sum();
    match changes {
        0 => Ok(()),
        1 => paper.say("1 white-space-only change hidden", Role::Info),
        n => {
            let said = format!("{n} white-space-only changes hidden");
            paper.say(&said, Role::Info)
        }
    }
}

fn depth() -> ColourDepth {
    ColourDepth::of(|name| std::env::var(name).ok())
}

/// The theme in the terminal's colours; with none of them on plain paper.
fn theme(options: &PrintOptions, coloured: bool) -> Result<Theme, PrintError> {
    let wrong = |error: io::Error| PrintError::Theme(error.to_string());
    let found = read_themes(config_folder().as_deref()).map_err(wrong)?;
    // The background is asked of a terminal only: nobody else answers.
    let is_dark = || !coloured || !stdout().is_terminal() || background_is_dark();
    let place = choose_theme(&found.themes, options.theme.as_ref(), is_dark).map_err(wrong)?;
    let theme = found.themes.into_iter().nth(place);
    let theme = theme.ok_or_else(|| PrintError::Theme("there is no theme".to_owned()))?;
    // Colours that are asked for in so many words are shown although the environment has none.
    let depth = match depth() {
        _ if !coloured => ColourDepth::None,
        ColourDepth::None => ColourDepth::Indexed,
        depth => depth,
    };
    Ok(theme.at_depth(depth))
}

fn width(options: &PrintOptions) -> u16 {
    let terminal = || {
        let size = stdout().is_terminal().then(crossterm::terminal::size);
        size.and_then(Result::ok).map(|(columns, _)| columns)
    };
    options.width.or_else(terminal).unwrap_or(PIPE_WIDTH).max(1)
}
