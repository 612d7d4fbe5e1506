//! Reads the rows of a Parquet file as records: of every column when a format knows the records, else
//! of those that the map of the file needs.
//!
//! What is *not* here: Parquet itself (`source::parquet`).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rayon::prelude::*;

use super::files::{self, Place, Record};
use super::found::{Found, GroupSource};
use super::mapped::{self, FileMap};
use super::open::RowTexts;
use super::scan::{self, Job, Sink};
use super::source::Candidate;
use super::source::parquet::{Table, TableError};
use super::{LoadOptions, Problem};

/// Reads a file and hands over what is found in it, some row groups at a time; what can be told only
/// at the end of the file is gathered in `whole`. Answers whether to go on.
pub(super) fn read(
    candidate: &Candidate,
    job: Job,
    empty: &(dyn Fn() -> Found + Sync),
    whole: &mut Found,
    sink: Sink<'_>,
) -> bool {
    let told = |whole: &mut Found, error: &TableError| {
        let problem = Problem::new(&candidate.path, error.to_string());
        whole.problems.push(problem);
    };
    let table = match Table::open(candidate) {
        Ok(table) => table,
        Err(error) => {
            told(whole, &error);
            return true;
        }
    };
    let groups = table.groups();
    if table.rows() == 0 {
        let problem = Problem::new(&candidate.path, "the file has no rows");
        whole.problems.push(problem);
        return true;
    }
    let choice = match choose(&table, job, &whole.options) {
        Ok(choice) => choice,
        Err(error) => {
            told(whole, &error);
            return true;
        }
    };
    whole.map.clone_from(&choice.map);
    whole.columns.clone_from(&choice.told);
    let mut first = 0;
    let starts: Vec<(usize, u64)> = groups
        .iter()
        .enumerate()
        .map(|(group, rows)| {
            first += rows;
            (group, first - rows)
        })
        .collect();
    for batch in starts.chunks(rayon::current_num_threads().max(1)) {
        let parts: Vec<(Found, Result<(), TableError>)> = batch
            .par_iter()
            .map(|&(group, start)| {
                let mut part = empty();
                part.map.clone_from(&choice.map);
                let mut row = start;
                let mut take = |text: &str| {
                    read_row(text, row, job, choice.by_map, &mut part);
                    row += 1;
                    true
                };
                let done = table.read(group, &|name| choice.wants(name), &mut take);
                (part, done)
            })
            .collect();
        let mut found = empty();
        for ((part, done), (group, start)) in parts.into_iter().zip(batch) {
            found.merge(part);
            if let Err(error) = done {
                let rows = groups.get(*group).copied().unwrap_or(0);
                let reason = format!("rows {} to {}: {error}", start + 1, start + rows);
                found.problems.push(Problem::new(&candidate.path, reason));
            }
        }
        whole.keep_for_the_end(&mut found);
        let done = batch.last().map_or(0, |(group, _)| group + 1);
        let share = candidate.bytes as f64 * done as f64 / groups.len() as f64;
        if !sink(found, share as u64) {
            return false;
        }
    }
    true
}

/// The texts of the rows that a group's texts are in; each file is gone through once.
pub(super) fn texts(source: &GroupSource, files: &[Candidate]) -> RowTexts {
    let mut wanted: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
    for place in source.places().filter(|place| place.is_row()) {
        wanted.entry(place.file).or_default().insert(place.start);
    }
    wanted
        .par_iter()
        .flat_map_iter(|(&file, rows)| {
            let mut texts = RowTexts::new();
            let mut take = |row: u64, text: &str| {
                texts.insert((file, row), Ok(text.to_owned()));
            };
            let done = match files.get(file) {
                Some(candidate) => {
                    Table::open(candidate).and_then(|table| table.rows_at(rows, &mut take))
                }
                None => Ok(()),
            };
            if let Err(error) = done {
                for &row in rows {
                    let failed = || Err(error.to_string());
                    texts.entry((file, row)).or_insert_with(failed);
                }
            }
            texts
        })
        .collect()
}

/// How the rows of a file are read.
struct Choice {
    /// The map of the file.
    map: Option<FileMap>,
    /// Whether every row is read through it.
    by_map: bool,
    /// The columns read; `None`: all.
    columns: Option<HashSet<String>>,
    /// The columns of the first rows, when they may have to be told.
    told: Option<mapped::Columns>,
}

impl Choice {
    fn wants(&self, column: &str) -> bool {
        self.columns.as_ref().is_none_or(|all| all.contains(column))
    }
}

/// Looks at the first rows.
fn choose(table: &Table, job: Job, options: &LoadOptions) -> Result<Choice, TableError> {
    let (mut texts, mut bytes) = (Vec::new(), 0);
    for group in 0..table.groups().len() {
        table.read(group, &|_| true, &mut |text| {
            bytes += text.len() as u64;
            texts.push(text.to_owned());
            texts.len() < mapped::SAMPLE && bytes < mapped::SAMPLE_BYTES
        })?;
        if texts.len() >= mapped::SAMPLE || bytes >= mapped::SAMPLE_BYTES {
            break;
        }
    }
    let mut holders = vec![String::new(); texts.len()];
    let sample: Vec<Record<'_>> = (0..)
        .zip(texts.iter().zip(&mut holders))
        .filter_map(|(row, (text, holder))| record(text, holder, row, job))
        .collect();
    let is_known = |record: &Record<'_>| scan::detect(record).is_some();
    let chosen = mapped::choose(&sample, options, is_known);
    let map = chosen.map;
    let by_map = map.as_ref().is_some_and(|map| {
        let is_first = |record: &Record<'_>| map.is_first_for(record);
        sample.iter().any(is_first) || (map.is_guessed() && !sample.iter().any(is_known))
    });
    let columns = map.as_ref().filter(|_| by_map).map(|map| {
        let columns = table.columns().into_iter();
        let rows = table.rows();
        columns
            .filter(|column| map.needs(&column.name, column.bytes, rows))
            .map(|column| column.name)
            .collect()
    });
    Ok(Choice {
        map,
        by_map,
        columns,
        told: chosen.columns,
    })
}

/// A row as a record; it has no bytes of its own in the file.
fn record<'a>(text: &'a str, holder: &'a mut String, row: u64, job: Job) -> Option<Record<'a>> {
    let split = files::split(text.as_bytes(), holder).ok()?;
    Some(Record {
        place: Place::of_row(job.file, row),
        line: Some(row + 1),
        key: None,
        text: split.text,
        mended: true,
        body: split.body,
    })
}

fn read_row(text: &str, row: u64, job: Job, by_map: bool, found: &mut Found) {
    let mut holder = String::new();
    let Some(record) = record(text, &mut holder, row, job) else {
        scan::problem_at(found, Some(row + 1), "the row cannot be read");
        return;
    };
    if by_map && !job.rankings_only {
        scan::read_as(mapped::FORMAT, &record, found);
    } else if !scan::read_record(&record, job.rankings_only, found) {
        scan::problem_at(found, Some(row + 1), scan::NO_FORMAT);
    }
}
