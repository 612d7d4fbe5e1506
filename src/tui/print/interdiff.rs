//! From the result of one candidate to that of another, as a patch.
//!
//! What is *not* here: how results are compared ([`crate::diff::interdiff`]).

use std::collections::BTreeSet;
use std::io;

use super::ahead::print_with;
use super::own::{self, Pages, counts};
use super::paper::Paper;
use super::{PrintOptions, Printed};
use crate::diff::{Bases, Compared, interdiff};
use crate::tui::model::OnBase;
use crate::tui::theme::Role;

/// Prints what turns the first candidate's result into the second one's.
///
/// # Errors
/// When the output cannot be written.
pub fn print(
    on_base: &OnBase,
    files: &[usize],
    (from, to): (&Printed, &Printed),
    options: &PrintOptions,
    paper: &mut Paper<'_>,
) -> io::Result<()> {
    let aligned = &on_base.aligned;
    let patch = |candidate: &Printed| aligned.candidates().get(candidate.index);
    let (Some(old), Some(new)) = (patch(from), patch(to)) else {
        return Ok(());
    };
    let found = interdiff(&old.patch, &new.patch, &on_base.bases);
    let paths: BTreeSet<&str> = files
        .iter()
        .filter_map(|&file| Some(aligned.files.get(file)?.path.as_str()))
        .collect();
    let named = found
        .files
        .iter()
        .filter(|file| paths.contains(&*file.path));
    let wanted = named.filter_map(|file| match file.outcome {
        Compared::Differs { file, .. } => Some(file),
        Compared::Equal(_) | Compared::NotComparable(_) => None,
    });
    paper.banner(&format!("from {}", from.title), "", Role::Title)?;
    let counts = counts(&found.patch);
    paper.banner(&format!("to   {}", to.title), &counts, Role::Title)?;
    for said in found.sentences() {
        paper.say(&said, Role::Info)?;
    }
    let left_out = found
        .files
        .iter()
        .filter(|file| !paths.contains(&*file.path))
        .count();
    if options.some_files && left_out > 0 {
        let said = match left_out {
            1 => "1 file is left out by --files".to_owned(),
            count => format!("{count} files are left out by --files"),
        };
        paper.say(&said, Role::Warning)?;
    }
    let pages = Pages {
        wanted: wanted.collect(),
        all: false,
        options,
    };
    // The patch is of results, not of the base.
    let bases = Bases::default();
    let patches = std::iter::once((&found.patch, pages.wanted.clone()));
    let coloured = own::wanted(patches, &bases, options, paper);
    print_with(&coloured, |ahead| pages.print(&found.patch, ahead, paper))
}
