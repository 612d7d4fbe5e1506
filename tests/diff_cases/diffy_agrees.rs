//! Our reader against another one: wherever `diffy` reads a patch and ours has nothing to mend, both
//! must find the same hunks and lines.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diffy::patch_set::{ParseOptions, PatchKind, PatchSet};
use gagar::diff::{FileStatus, LineKind, Patch};
use proptest::prelude::*;

use super::cases;
use super::mutants::{mutate, mutation};
use super::real::real_patches;

/// Old start and count, new start and count, signed lines.
type HunkText = ([usize; 4], Vec<(char, String)>);

/// What both readers tell: number of entries that are text, the hunks of all of them.
type Reading = (usize, Vec<HunkText>);

#[derive(Debug, PartialEq)]
enum Verdict {
    /// Both read the same.
    Agreed,
    /// `diffy` reads no patch there.
    Refused,
    /// Ours had something to mend, or leaves text outside.
    Mended,
}

fn by_diffy(text: &str, options: ParseOptions) -> Option<Reading> {
    let mut reading = (0, Vec::new());
    for file in PatchSet::parse(text, options) {
        let file = file.ok()?;
        let PatchKind::Text(patch) = file.patch() else {
            continue;
        };
        reading.0 += 1;
        for hunk in patch.hunks() {
            let (old, new) = (hunk.old_range(), hunk.new_range());
            let lines = hunk.lines().iter().map(|line| match line {
                diffy::Line::Context(text) => (' ', *text),
                diffy::Line::Delete(text) => ('-', *text),
                diffy::Line::Insert(text) => ('+', *text),
            });
            let bare = |(sign, text): (char, &str)| {
                (sign, text.strip_suffix('\n').unwrap_or(text).to_owned())
            };
            let numbers = [old.start(), old.len(), new.start(), new.len()];
            reading.1.push((numbers, lines.map(bare).collect()));
        }
    }
    (reading.0 > 0).then_some(reading)
}

fn by_us(patch: &Patch) -> Reading {
    let mut reading = (0, Vec::new());
    for file in patch.files.iter().filter(|file| !file.binary) {
        // One thing that became another is two entries of the patch.
        let entries = if file.status == FileStatus::TypeChanged && file.hunks.len() > 1 {
            2
        } else {
            1
        };
        reading.0 += entries;
        for hunk in &file.hunks {
            let numbers = [
                hunk.old_start,
                hunk.old_count,
                hunk.new_start,
                hunk.new_count,
            ];
            let lines = hunk.lines.iter().filter_map(|line| {
                let sign = match line.kind {
                    LineKind::Context => ' ',
                    LineKind::Removed => '-',
                    LineKind::Added => '+',
                    LineKind::NoNewline => return None,
                };
                Some((sign, patch.line_text(line).to_owned()))
            });
            reading
                .1
                .push((numbers.map(|n| n as usize), lines.collect()));
        }
    }
    reading
}

/// Compares both readings of a text.
///
/// # Panics
/// When they differ although ours had nothing to mend.
fn judge(text: &str, mutant: bool) -> Verdict {
    let git = by_diffy(text, ParseOptions::gitdiff());
    let Some(theirs) = git.or_else(|| by_diffy(text, ParseOptions::unidiff())) else {
        return Verdict::Refused;
    };
    let patch = Patch::read(Arc::from(text));
    let whole = patch.repairs.is_empty() && patch.notes.is_empty();
    let combined = patch.files.iter().any(|file| file.parents > 0);
    if !whole || combined || patch.files.iter().any(|file| !file.repairs.is_empty()) {
        return Verdict::Mended;
    }
    let ours = by_us(&patch);
    // Behind a broken header diffy drops hunks without a word: only what both have can be compared.
    let dropped = mutant && theirs.1.len() != ours.1.len();
    let same = dropped || (ours.0 == theirs.0 || mutant) && ours.1 == theirs.1;
    assert!(same, "ours {ours:?}\n\ndiffy {theirs:?}\n\n{text}");
    Verdict::Agreed
}

/// Every patch file of the cases and of the sample data.
fn patch_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("sample-data")];
    folders.extend(cases());
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|end| end == "patch" || end == "diff")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn cases_samples_and_real_patches_are_read_alike() {
    let files = patch_files();
    let mut texts: Vec<String> = files
        .iter()
        .map(|path| {
            gagar::diff::decode(&fs::read(path).unwrap())
                .text
                .into_owned()
        })
        .collect();
    let real = real_patches();
    let step = (real.len() / 2_000).max(1);
    texts.extend(real.into_iter().step_by(step));
    texts.retain(|text| !text.trim().is_empty());
    let verdicts: Vec<_> = texts.iter().map(|text| judge(text, false)).collect();
    let count = |wanted: Verdict| {
        verdicts
            .iter()
            .filter(|verdict| **verdict == wanted)
            .count()
    };
    let (agreed, refused) = (count(Verdict::Agreed), count(Verdict::Refused));
    println!(
        "{} patches: {agreed} alike, {refused} refused by diffy",
        texts.len()
    );
    assert!(agreed >= 15);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutants_are_read_alike(which in 0usize..1000, edits in prop::collection::vec(mutation(), 1..3)) {
        let files: Vec<_> = patch_files()
            .into_iter()
            .filter(|path| fs::metadata(path).unwrap().len() < 20_000)
            .collect();
        let bytes = fs::read(&files[which % files.len()]).unwrap();
        judge(&mutate(&gagar::diff::decode(&bytes).text, &edits), true);
    }
}
