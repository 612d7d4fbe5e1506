//! Makes the files, rows and cells of the side-by-side view.

use std::collections::HashMap;
use std::iter::Peekable;

use super::insertions::{self, Run};
use super::regions::{self, Texts};
use super::{
    AlignedFile, AlignedRow, CandidatePatch, Column, FileOf, LineText, Packed, PackedKind,
};
use crate::diff::base::{self, Anchor, Bases, Contradiction};
use crate::diff::{FilePatch, FileStatus, LineKind};

/// What makes two files of two patches one: the base path (the new path where there is none), whether
/// it is the target of a copy, and the how-manieth of its patch under this name.
type Key<'a> = (&'a str, Option<&'a str>, usize);

pub(super) fn files(candidates: &[CandidatePatch], bases: &Bases) -> Vec<AlignedFile> {
    let mut order: Vec<(Key<'_>, Vec<Option<usize>>)> = Vec::new();
    let mut known: HashMap<Key<'_>, usize> = HashMap::new();
    for (candidate, of) in candidates.iter().enumerate() {
        let mut seen: HashMap<(&str, Option<&str>), usize> = HashMap::new();
        for (index, file) in of.patch.files.iter().enumerate() {
            let (path, copy) = name(file);
            let times = seen.entry((path, copy)).or_insert(0);
            let key = (path, copy, *times);
            *times += 1;
            let place = *known.entry(key).or_insert_with(|| {
                order.push((key, vec![None; candidates.len()]));
                order.len() - 1
            });
            if let Some(cell) = order
                .get_mut(place)
                .and_then(|(_, files)| files.get_mut(candidate))
            {
                *cell = Some(index);
            }
        }
    }
    order
        .into_iter()
        .map(|(key, files)| file(key, &files, candidates, bases))
        .collect()
}

fn name(file: &FilePatch) -> (&str, Option<&str>) {
    let old = file.old_path.as_deref();
    let new = file.new_path.as_deref();
    let copy = new.filter(|_| file.status == FileStatus::Copied);
    (old.or(new).unwrap_or(""), copy)
}

fn file(
    (path, copy, _): Key<'_>,
    indices: &[Option<usize>],
    candidates: &[CandidatePatch],
    bases: &Bases,
) -> AlignedFile {
    let base = bases.get(path).cloned();
    let mut columns = Vec::new();
    let mut scripts = Vec::new();
    let mut ends = false;
    let mut is_old = false;
    let mut of_candidates = Vec::with_capacity(indices.len());
    for (candidate, index) in indices.iter().enumerate() {
        let patch = candidates.get(candidate).map(|of| &of.patch);
        let (Some(index), Some(patch)) = (*index, patch) else {
            of_candidates.push(None);
            continue;
        };
        let Some(file) = patch.files.get(index) else {
            of_candidates.push(None);
            continue;
        };
        is_old |= file.old_path.is_some();
        // The signs of a merge tell of several parents: they are no edits of one base.
        let merge = file.parents > 0;
        let anchors = if merge {
            Vec::new()
        } else {
            base::anchors(patch, file, base.as_deref())
        };
        let script = match merge {
            true => Script::default(),
            false => Script::of(file, &anchors),
        };
        ends |= file.status == FileStatus::Deleted || script.ends;
        let opaque = merge || file.hunks.is_empty() && (file.binary || !file.raw.is_empty());
        of_candidates.push(Some(FileOf {
            file: index,
            added: file.added,
            removed: file.removed,
            anchors: anchors.into_iter().map(|(_, anchor)| anchor).collect(),
            opaque,
            column: columns.len(),
        }));
        columns.push(Column {
            candidate,
            file: index,
            hunk_starts: script.hunk_starts.clone(),
            shifts: script.shifts.clone(),
            opaque,
        });
        scripts.push(script);
    }
    if copy.is_none() && (is_old || base.is_some()) {
        tell_existing(&mut of_candidates, candidates);
    }
    let mut made = AlignedFile {
        path: copy.unwrap_or(path).to_owned(),
        base_path: (is_old || base.is_some()).then(|| path.to_owned()),
        is_copy: copy.is_some(),
        candidates: of_candidates,
        base,
        contradictions: Vec::new(),
        regions: Vec::new(),
        rows: Vec::new(),
        cells: Vec::new(),
        columns,
    };
    if scripts.iter().any(|script| !script.is_empty()) {
        let end = match &made.base {
            Some(base) => End::At(base.lines()),
            None if ends || !is_old => End::Here,
            None => End::Unknown,
        };
        merge(&mut made, &scripts, candidates, end);
    }
    made.regions = regions::regions(&made, candidates);
    made
}

/// Marks the hunks of candidates that add a file anew although the base has it.
fn tell_existing(of_candidates: &mut [Option<FileOf>], candidates: &[CandidatePatch]) {
    for (of, candidate) in of_candidates.iter_mut().zip(candidates) {
        let Some(of) = of else { continue };
        let file = candidate.patch.files.get(of.file);
        if file.is_some_and(|file| file.status == FileStatus::Added) {
            of.anchors.fill(Anchor::FileExists);
        }
    }
}

/// What is known of the end of the base file.
#[derive(Clone, Copy)]
enum End {
    /// It has so many lines.
    At(u32),
    /// It ends behind the last quoted line.
    Here,
    Unknown,
}

/// What one candidate does to the base file, in order of base lines.
#[derive(Default)]
struct Script {
    /// Quoted base lines, strictly ascending.
    old: Vec<(u32, Packed)>,
    /// Inserted lines by the base line before them, ascending.
    added: Vec<(u32, Packed)>,
    hunk_starts: Vec<u32>,
    shifts: Vec<(u32, i64)>,
    /// Whether the last line of the base is quoted, as its missing newline tells.
    ends: bool,
}

impl Script {
    fn of(file: &FilePatch, anchors: &[(u32, Anchor)]) -> Self {
        let total = file.hunks.iter().map(|hunk| hunk.lines.len()).sum();
        let mut script = Self {
            old: Vec::with_capacity(total),
            added: Vec::new(),
            hunk_starts: Vec::with_capacity(file.hunks.len()),
            shifts: Vec::with_capacity(file.hunks.len()),
            ends: false,
        };
        let mut flat = 0u32;
        for hunk in &file.hunks {
            script.hunk_starts.push(flat);
            flat = flat.saturating_add(u32::try_from(hunk.lines.len()).unwrap_or(u32::MAX));
        }
        // Models write hunks out of order.
        let mut order: Vec<usize> = (0..file.hunks.len()).collect();
        let start = |hunk: usize| anchors.get(hunk).map_or(1, |(start, _)| *start);
        if !order.is_sorted_by_key(|hunk| start(*hunk)) {
            order.sort_by_key(|hunk| start(*hunk));
        }
        let mut shift = 0i64;
        for index in order {
            let Some(hunk) = file.hunks.get(index) else {
                continue;
            };
            let mut line = script.hunk_starts.get(index).copied().unwrap_or(0);
            let mut next = start(index);
            let mut pending = script.added.len();
            let mut before = None;
            for of in &hunk.lines {
                match of.kind {
                    LineKind::Context => {
                        script.settle(pending, next);
                        script.quote(next, Packed::new(PackedKind::Context, line));
                        next = next.saturating_add(1);
                        pending = script.added.len();
                    }
                    LineKind::Removed => {
                        script.quote(next, Packed::new(PackedKind::Removed, line));
                        next = next.saturating_add(1);
                        shift -= 1;
                    }
                    LineKind::Added => {
                        let place = next.saturating_sub(1);
                        script
                            .added
                            .push((place, Packed::new(PackedKind::Added, line)));
                        shift += 1;
                    }
                    LineKind::NoNewline => {
                        script.ends |=
                            matches!(before, Some(LineKind::Context | LineKind::Removed));
                    }
                }
                before = Some(of.kind);
                line = line.saturating_add(1);
            }
            script.settle(pending, next);
            script.shifts.push((next, shift));
        }
        if !script.added.is_sorted_by_key(|(after, _)| *after) {
            script.added.sort_by_key(|(after, _)| *after);
        }
        script
    }

    fn is_empty(&self) -> bool {
        self.old.is_empty() && self.added.is_empty()
    }

    /// Puts the lines that a change block adds behind all lines that it removes.
    fn settle(&mut self, pending: usize, next: u32) {
        for (after, cell) in self.added.get_mut(pending..).unwrap_or(&mut []) {
            // A removed line that was quoted twice keeps its place.
            if cell.kind() == PackedKind::Added {
                *after = next.saturating_sub(1);
            }
        }
    }

    /// Takes over a quoted line. Where hunks overlap, a change counts more than context, and a line
    /// that is removed twice gets a row of its own, so that no changed line is lost.
    fn quote(&mut self, base: u32, cell: Packed) {
        if self.old.last().is_none_or(|(last, _)| *last < base) {
            self.old.push((base, cell));
            return;
        }
        match self.old.binary_search_by_key(&base, |(line, _)| *line) {
            Err(place) => self.old.insert(place, (base, cell)),
            Ok(place) => {
                let Some((_, taken)) = self.old.get_mut(place) else {
                    return;
                };
                match (taken.is_change(), cell.is_change()) {
                    (_, false) => {}
                    (false, true) => *taken = cell,
                    (true, true) => self.added.push((base, cell)),
                }
            }
        }
    }
}

/// Makes rows and cells of a file from what its candidates do.
fn merge(file: &mut AlignedFile, scripts: &[Script], candidates: &[CandidatePatch], end: End) {
    let width = scripts.len();
    let columns = std::mem::take(&mut file.columns);
    let base = file.base.clone();
    let texts = Texts {
        columns: &columns,
        candidates,
        base: base.as_deref(),
    };
    let lines = union(scripts.iter().map(|script| &script.old));
    let places = union(scripts.iter().map(|script| &script.added));
    file.rows.reserve(lines.len());
    file.cells.reserve(lines.len() * width);
    let mut old: Vec<_> = scripts.iter().map(|s| s.old.iter().peekable()).collect();
    let mut added: Vec<_> = scripts.iter().map(|s| s.added.iter().peekable()).collect();
    let mut places = places.into_iter().peekable();
    let mut rows = RowsOf {
        file,
        width,
        next: 1,
    };
    for line in lines {
        while let Some(after) = places.next_if(|after| *after < line) {
            rows.insert(after, &mut added, &texts);
        }
        rows.line(line, &mut old, &texts);
    }
    for after in places {
        rows.insert(after, &mut added, &texts);
    }
    rows.end(end);
    file.columns = columns;
}

/// The distinct base lines of several ascending lists, ascending.
fn union<'a>(lists: impl Iterator<Item = &'a Vec<(u32, Packed)>>) -> Vec<u32> {
    let mut all: Vec<u32> = lists.flatten().map(|(line, _)| *line).collect();
    // Stable: it makes use of runs that are in order.
    all.sort();
    all.dedup();
    all
}

type Cells<'a> = [Peekable<std::slice::Iter<'a, (u32, Packed)>>];

struct RowsOf<'f> {
    file: &'f mut AlignedFile,
    width: usize,
    /// The first base line that no row tells of yet.
    next: u32,
}

impl RowsOf<'_> {
    /// Tells of the base lines before `line`.
    fn gap(&mut self, line: u32) {
        if self.next < line {
            let lines = self.file.base.as_ref().map_or(0, |base| base.lines());
            // A hunk that does not apply may stand behind the end of the known text.
            let known = line.min(lines.saturating_add(1));
            for (end, known) in [(known, true), (line, false)] {
                if self.next < end {
                    let (from, to) = (self.next, Some(end - 1));
                    self.file.rows.push(AlignedRow::Gap { from, to, known });
                    self.silent();
                    self.next = end;
                }
            }
        }
    }

    fn silent(&mut self) {
        let cells = std::iter::repeat_n(Packed::UNTOUCHED, self.width);
        self.file.cells.extend(cells);
    }

    fn line(&mut self, line: u32, old: &mut Cells<'_>, texts: &Texts<'_>) {
        self.gap(line);
        self.next = line.saturating_add(1);
        self.file.rows.push(AlignedRow::Line { base: line });
        let from = self.file.cells.len();
        for column in old {
            let cell = column.next_if(|(at, _)| *at == line);
            self.file
                .cells
                .push(cell.map_or(Packed::UNTOUCHED, |(_, cell)| *cell));
        }
        let cells = self.file.cells.get(from..).unwrap_or(&[]);
        let found = contradiction(line, cells, texts);
        self.file.contradictions.extend(found);
    }

    fn insert(&mut self, after: u32, added: &mut Cells<'_>, texts: &Texts<'_>) {
        self.gap(after.saturating_add(1));
        let row = AlignedRow::Inserted { after };
        let runs: Vec<Vec<Packed>> = added
            .iter_mut()
            .map(|column| {
                let mut run = Vec::new();
                while let Some((_, cell)) = column.next_if(|(at, _)| *at == after) {
                    run.push(*cell);
                }
                run
            })
            .collect();
        let mut inserting = (0..runs.len()).filter(|index| !runs[*index].is_empty());
        if let (Some(only), None) = (inserting.next(), inserting.next()) {
            for cell in &runs[only] {
                self.file.rows.push(row);
                let cells = (0..self.width).map(|column| match column == only {
                    true => *cell,
                    false => Packed::FILLER,
                });
                self.file.cells.extend(cells);
            }
            return;
        }
        let mut ids: HashMap<LineText<'_>, u32> = HashMap::new();
        let of: Vec<Run<'_>> = runs
            .iter()
            .enumerate()
            .map(|(column, run)| {
                let lines = run.iter().map(|cell| {
                    let line = texts.line(column, *cell).unwrap_or(LineText {
                        text: "",
                        no_newline: false,
                    });
                    let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
                    (*ids.entry(line).or_insert(next), line.text)
                });
                Run {
                    lines: lines.collect(),
                }
            })
            .collect();
        for lines in insertions::align(&of) {
            self.file.rows.push(row);
            let cells = lines.iter().zip(&runs).map(|(line, run)| {
                let cell = line.and_then(|line| run.get(line as usize));
                cell.copied().unwrap_or(Packed::FILLER)
            });
            self.file.cells.extend(cells);
        }
    }

    fn end(&mut self, end: End) {
        let (to, known) = match end {
            End::Here => return,
            End::At(lines) if lines < self.next => return,
            End::At(lines) => (Some(lines), true),
            End::Unknown => (None, false),
        };
        let from = self.next;
        self.file.rows.push(AlignedRow::Gap { from, to, known });
        self.silent();
    }
}

/// Whether the quotes of a base line (and the known text) say two things.
fn contradiction(line: u32, cells: &[Packed], texts: &Texts<'_>) -> Option<Contradiction> {
    let quotes = || {
        let quoting = cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| matches!(cell.kind(), PackedKind::Context | PackedKind::Removed));
        quoting.filter_map(|(column, cell)| {
            let candidate = texts.columns.get(column)?.candidate;
            Some((candidate, texts.line(column, *cell)?.text))
        })
    };
    let (taken, text) = match texts.base {
        Some(base) => (None, base.line(line)),
        None if cells.len() < 2 => return None,
        None => quotes()
            .next()
            .map(|(first, text)| (Some(first), Some(text)))?,
    };
    let differs = |quote: &&str| !text.is_some_and(|text| base::same(text, quote));
    if quotes().all(|(_, quote)| !differs(&quote)) {
        return None;
    }
    let others = quotes().filter(|(_, quote)| differs(quote));
    Some(Contradiction {
        line,
        taken,
        others: others.map(|(candidate, _)| candidate).collect(),
    })
}
