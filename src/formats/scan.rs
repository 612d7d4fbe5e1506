//! Reads the files: lists them, splits them into records and hands each record to its format.
//!
//! What is *not* here: the formats, and how what they find is joined.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::assemble::Assembler;
use super::cache::{Cache, Writer};
use super::files::{self, Line, Place, Record, Split};
use super::found::{FormatId, Found};
use super::indexed::Indexed;
use super::json::{self, JsonError};
use super::lines::{self, Block, Cursor, End};
use super::shape::{self, Shape};
use super::source::{self, Candidate};
#[cfg(feature = "parquet")]
use super::table;
use super::{FORMATS, Format, LoadOptions, Problem, Progress, mapped, patch_files, rankings};

/// Bytes handed to the workers between two calls of `progress`.
const BATCH_BYTES: u64 = 16 << 20;
/// Files at least this long (bytes) are judged by their heads, and their lines read in blocks.
const LONG: u64 = 1 << 20;
/// Problems of one kind told one by one in a file; the rest is counted.
const TOLD: usize = 20;

/// Said of a record that no format knows.
pub(super) const NO_FORMAT: &str = "the record is of no known format";

const CHANGED_INSIDE: &str =
    "the file changed while it was read: what was read may be of its old and of its new state";

/// Names that are texts, logs and diffs beside the data, by extension.
const BESIDE: &[&str] = &[
    "md",
    "txt",
    "rst",
    "yaml",
    "yml",
    "toml",
    "log",
    "diff",
    "patch",
    "out",
    "err",
    "sha256",
    "py",
    "sh",
    "html",
    "pred_backup",
];

/// Lists the files under the paths, then those of the rankings asked for. Returns how many are no
/// ranking file.
pub(crate) fn list(
    paths: &[PathBuf],
    options: &LoadOptions,
    problems: &mut Vec<Problem>,
) -> (Vec<Candidate>, usize) {
    let mut files = source::list(paths, problems);
    let data_files = files.len();
    let more: Vec<PathBuf> = options
        .rankings
        .iter()
        .filter(|path| !files.iter().any(|file| is_same_file(file.origin(), path)))
        .cloned()
        .collect();
    files.extend(source::list(&more, problems));
    (files, data_files)
}

/// Lists the same again: all files on the disk, and what is in those that are not known.
pub(crate) fn list_again(
    paths: &[PathBuf],
    options: &LoadOptions,
    is_known: &dyn Fn(&Candidate) -> bool,
    problems: &mut Vec<Problem>,
) -> (BTreeSet<PathBuf>, Vec<Candidate>) {
    let mut all = paths.to_vec();
    all.extend_from_slice(&options.rankings);
    source::list_again(&all, is_known, problems)
}

/// A file to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job {
    /// Index into the assembler's files.
    pub file: usize,
    /// Whether only rankings are wanted of it.
    pub rankings_only: bool,
    /// How far its lines were read before: only what is behind is read.
    pub from: Option<Indexed>,
    /// Whether a last line that is not whole waits for its end: it is read later and not told.
    pub wait: bool,
}

/// Where reading stopped, for the next call to go on.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// The file of lines that was being read.
    pub begun: Option<Begun>,
    /// Bytes of the files before it.
    bytes: u64,
    /// Number of the files before it.
    files: usize,
}

impl Standing {
    /// Number of files that were read to their end.
    pub(crate) fn files(&self) -> usize {
        self.files
    }
}

/// A file of lines of which a part was read.
#[derive(Debug)]
pub(crate) struct Begun {
    /// Index into the assembler's files.
    pub file: usize,
    at: Cursor,
    /// What tells that this part is still there, of a file that can be read again.
    read: Option<Indexed>,
    whole: Found,
    map: Option<mapped::FileMap>,
    writer: Option<Writer>,
    /// How far it was read before, when only what was appended is read.
    before: Option<Indexed>,
}

impl Begun {
    /// Whether what was read of the file is still there.
    pub(crate) fn holds(&self, candidate: &Candidate) -> bool {
        let grew = |read: Indexed| read.only_grew(candidate, candidate.bytes);
        !candidate.changed() || self.read.is_some_and(grew)
    }
}

/// Reads files into the assembler, in this order. `progress` is called now and then, whenever the
/// assembler holds everything up to there, and answers whether to go on. Returns how many files were
/// read to their end; `standing` tells the next call where to go on in the one behind them. A file that
/// cannot be gone on with is read anew, and held until it is there.
pub(crate) fn read_all(
    jobs: &[Job],
    options: &Arc<LoadOptions>,
    assembler: &mut Assembler,
    standing: &mut Standing,
    progress: &mut dyn FnMut(&mut Assembler, Progress) -> bool,
) -> usize {
    let files = Arc::clone(assembler.files());
    let bytes_of = |job: &Job| files.get(job.file).map_or(0, |file| file.bytes);
    // What is unpacked of so many bytes is long: how far it is is told.
    let is_long = |job: &Job| {
        let file = files.get(job.file);
        file.is_some_and(|file| file.is_packed() && file.bytes >= LONG)
    };
    let mut state = Progress {
        bytes_total: standing.bytes + jobs.iter().map(bytes_of).sum::<u64>(),
        bytes_done: standing.bytes,
        files_total: standing.files + jobs.len(),
        files_done: standing.files,
        groups: assembler.groups(),
    };
    let mut next = 0;
    let begun = match (&standing.begun, jobs.first()) {
        // All of it is unpacked.
        (Some(_), Some(job)) if is_long(job) => bytes_of(job) - bytes_of(job) / 10,
        (Some(begun), Some(job)) => begun.at.byte.min(bytes_of(job)),
        _ => 0,
    };
    let mut go_on = progress(
        assembler,
        Progress {
            bytes_done: state.bytes_done + begun,
            ..state
        },
    );
    while go_on && next < jobs.len() {
        // One long file, or a batch of short ones.
        let mut end = next + 1;
        let mut bytes = bytes_of(&jobs[next]);
        while end < jobs.len()
            && standing.begun.is_none()
            && !is_long(&jobs[next])
            && !is_long(&jobs[end])
            && bytes + bytes_of(&jobs[end]) <= BATCH_BYTES
        {
            bytes += bytes_of(&jobs[end]);
            end += 1;
        }
        let before = state;
        if let [job] = jobs[next..end] {
            let begun = &mut standing.begun;
            // Unpacking tells nothing yet.
            let mut is_begun = false;
            go_on = read_file(&files, job, options, begun, &mut |found, done| {
                is_begun |= !found.is_empty();
                assembler.take(job.file, found);
                state.bytes_done = before.bytes_done + done.min(bytes);
                state.groups = assembler.groups();
                progress(assembler, state)
            });
            if !go_on && begun.is_none() && is_begun {
                assembler.hold(&HashSet::from([job.file]));
            }
        } else {
            let found: Vec<(usize, Found)> = jobs[next..end]
                .par_iter()
                .map(|&job| {
                    let mut all = Found::default();
                    read_file(&files, job, options, &mut None, &mut |found, _| {
                        all.merge(found);
                        true
                    });
                    (job.file, all)
                })
                .collect();
            for (file, found) in found {
                assembler.take(file, found);
            }
        }
        if go_on {
            next = end;
            state.bytes_done = before.bytes_done + bytes;
            state.files_done = standing.files + next;
            state.groups = assembler.groups();
            go_on = progress(assembler, state);
        }
    }
    if next < jobs.len() {
        standing.bytes += jobs[..next].iter().map(bytes_of).sum::<u64>();
        standing.files += next;
    } else {
        *standing = Standing::default();
    }
    next
}

/// Takes over what was found in the next part of a file and the bytes read so far (at its end more than
/// there are); answers whether to go on.
pub(super) type Sink<'a> = &'a mut dyn FnMut(Found, u64) -> bool;

/// Reads one file and hands over what is found in it part by part; answers whether it came to its
/// end. `begun` tells where a call before was stopped, and where this one is.
fn read_file(
    files: &[Candidate],
    job: Job,
    options: &Arc<LoadOptions>,
    begun: &mut Option<Begun>,
    sink: Sink<'_>,
) -> bool {
    let Job {
        file,
        rankings_only,
        from,
        wait,
    } = job;
    let Some(candidate) = files.get(file).filter(|file| !file.is_told()) else {
        return true;
    };
    let for_rankings = rankings_only
        || is_ranking_name(&candidate.path)
        || options
            .rankings
            .iter()
            .any(|path| is_same_file(path, candidate.origin()));
    let empty = || Found {
        path: candidate.path.clone(),
        options: Arc::clone(options),
        for_rankings,
        ..Found::default()
    };
    // What can be told only at the end of the file.
    let mut whole = empty();
    let named = candidate.named || rankings_only;
    let plain = candidate.content_path();
    let extension = plain.extension().or(candidate.path.extension());
    let extension = extension.and_then(|extension| extension.to_str());
    if !named && (extension.is_none() || is_beside(&plain)) {
        return true;
    }
    // Of compressed bytes, unpacking is nearly all of the work.
    let unpacking = candidate.bytes - candidate.bytes / 10;
    let is_packed = candidate.is_packed();
    let mut tell = |read: u64| sink(empty(), read.min(candidate.bytes) * 9 / 10);
    if !candidate.prepare(&mut tell) {
        return false;
    }
    let unpacked = match is_packed {
        true => candidate.len().unwrap_or(0),
        false => 0,
    };
    let mut scaled = |found: Found, done: u64| {
        let done = match unpacked {
            0 => done,
            _ if done >= unpacked => candidate.bytes,
            _ => {
                let share = u128::from(candidate.bytes - unpacking) * u128::from(done);
                unpacking + u64::try_from(share / u128::from(unpacked)).unwrap_or(0)
            }
        };
        sink(found, done)
    };
    let sink: Sink<'_> = &mut scaled;
    if let Some(last) = begun.take_if(|begun| begun.file == file) {
        let before = last.before;
        let empty = || Found {
            map: last.map.clone(),
            ..empty()
        };
        let length = match candidate.len() {
            Ok(length) => length,
            Err(error) => {
                whole = last.whole;
                let problem = Problem::of_file(&candidate.path, &error);
                whole.problems.push(problem);
                sink(whole, 0);
                return true;
            }
        };
        whole = last.whole;
        let rest = Rest {
            from: last.at,
            length,
            before,
            map: last.map.clone(),
            writer: last.writer,
        };
        if !read_rest((candidate, job), rest, &empty, &mut whole, begun, sink) {
            return false;
        }
        match before {
            Some(_) => shorten(&candidate.path, &mut whole.problems),
            None => conclude(
                candidate,
                rankings_only,
                is_json_name(extension),
                &mut whole,
            ),
        }
        sink(whole, u64::MAX);
        return true;
    }
    if candidate.named && !rankings_only && patch_files::is_named(&plain) {
        match candidate.whole() {
            Ok(bytes) if patch_files::is_one(&plain, &bytes) => {
                patch_files::read_file(&plain, &bytes, file, &mut whole);
                sink(whole, u64::MAX);
                return true;
            }
            Ok(_) => {}
            Err(error) => {
                let problem = Problem::of_file(&candidate.path, &error);
                whole.problems.push(problem);
                sink(whole, 0);
                return true;
            }
        }
    }
    #[cfg(feature = "parquet")]
    if extension == Some("parquet")
        || (!is_json_name(extension) && source::parquet::Table::is_one(candidate))
    {
        if !table::read(candidate, job, &empty, &mut whole, sink) {
            return false;
        }
        conclude(candidate, rankings_only, true, &mut whole);
        sink(whole, u64::MAX);
        return true;
    }
    #[cfg(not(feature = "parquet"))]
    if extension == Some("parquet") {
        let reason = "this gagar was built without Parquet";
        whole.problems.push(Problem::new(&candidate.path, reason));
        sink(whole, u64::MAX);
        return true;
    }
    if let Some(from) = from {
        let map = match from.mapped {
            true => map_of_head(candidate, file, from.end, options).and_then(|choice| choice.map),
            false => None,
        };
        let empty = || Found {
            map: map.clone(),
            ..empty()
        };
        return read_appended((candidate, job), (from, map.clone()), &empty, begun, sink);
    }
    let shape = candidate.len().and_then(|length| {
        let shape = match length {
            LONG.. => Some(shape::of_long(candidate, length)?),
            _ => None,
        };
        Ok((length, shape))
    });
    let (length, shape) = match shape {
        Ok(shape) => shape,
        Err(error) => {
            whole
                .problems
                .push(Problem::of_file(&candidate.path, &error));
            sink(whole, 0);
            return true;
        }
    };
    if let Some(damage) = candidate.damage() {
        whole.problems.push(Problem::new(&candidate.path, damage));
    }
    match shape {
        Some(Shape::Lines) => {
            let folder = options.cache.as_deref().filter(|_| candidate.is_plain());
            let how = [for_rankings, rankings_only, candidate.named];
            let cache = folder.and_then(|folder| Cache::of(folder, candidate, options, how));
            let at = (candidate, job);
            if !read_kept_lines(at, (length, cache), &empty, &mut whole, begun, sink) {
                return false;
            }
        }
        Some(Shape::Neither) if !named && !is_json_name(extension) => {
            whole.foreign.push(candidate.path.clone());
            sink(whole, 0);
            return true;
        }
        Some(Shape::Neither) => {
            let reason = "not valid JSON: it does not begin with an object or a list";
            whole.problems.push(Problem::new(&candidate.path, reason));
        }
        Some(Shape::Whole) | None => {
            let bytes = match candidate.whole() {
                Ok(bytes) => bytes,
                Err(error) => {
                    whole
                        .problems
                        .push(Problem::of_file(&candidate.path, &error));
                    sink(whole, 0);
                    return true;
                }
            };
            if bytes.trim_ascii().is_empty() && (named || is_json_name(extension)) {
                whole
                    .problems
                    .push(Problem::new(&candidate.path, "the file is empty"));
                sink(whole, 0);
                return true;
            }
            // A file that does not begin like JSON holds no rollouts.
            let head = bytes[files::bom(&bytes)..].trim_ascii_start();
            if !matches!(head.first(), Some(b'{' | b'[')) && !is_json_name(extension) && !named {
                whole.foreign.push(candidate.path.clone());
                sink(whole, 0);
                return true;
            }
            let last = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
            let end = match wait && is_being_written(&bytes[last..]) {
                true => last,
                false => bytes.len(),
            };
            let lines = files::lines(&bytes[..end]);
            if end < bytes.len() && lines.is_empty() {
                // The first line is still being written.
                sink(whole, 0);
                return true;
            }
            let is_lines = |lines: &[Line<'_>]| shape.is_none() && shape::is_lines(head, lines);
            let reached = || {
                let ends = memchr::memchr_iter(b'\n', &bytes[..end]).count() as u64;
                let at = Cursor {
                    byte: end as u64,
                    lines: ends,
                };
                reached(candidate, at)
            };
            // The line that is being written tells as well that there are lines.
            if is_lines(&lines) || (end < bytes.len() && is_lines(&files::lines(&bytes))) {
                let choice = map_of_lines(&lines, file, options);
                (whole.map, whole.columns) = (choice.map, choice.columns);
                for (index, line) in lines.iter().enumerate() {
                    let is_last = index + 1 == lines.len();
                    read_line(*line, file, is_last, rankings_only, &mut whole);
                }
                whole.indexed = reached().map(|indexed| Indexed {
                    mapped: whole.map.is_some(),
                    ..indexed
                });
            } else {
                // A line format with one line still has line numbers.
                let line = lines
                    .first()
                    .filter(|_| lines.len() == 1 && extension == Some("jsonl"));
                let line = line.map(|line| line.number);
                read_whole(&bytes, file, line, rankings_only, &mut whole);
                if line.is_some() && whole.recognised > 0 {
                    whole.indexed = reached().map(|indexed| Indexed {
                        mapped: whole.map.is_some(),
                        ..indexed
                    });
                }
            }
        }
    }
    conclude(
        candidate,
        rankings_only,
        is_json_name(extension),
        &mut whole,
    );
    // Whoever has enough says so again before the next file.
    sink(whole, u64::MAX);
    true
}

/// Tells at the end of a file what only then can be told. `is_data` tells whether its name says that
/// it holds data.
fn conclude(candidate: &Candidate, rankings_only: bool, is_data: bool, whole: &mut Found) {
    let own = match rankings_only {
        true => None,
        false => tell_absent(candidate, whole),
    };
    if whole.recognised == 0 {
        if candidate.named || rankings_only {
            let reason = match own {
                _ if rankings_only => "no gagar.ranking/1 record in this file".to_owned(),
                None => "no rollouts in a known format in this file".to_owned(),
                // Once for the file.
                Some((columns, _)) => {
                    whole.problems.retain(|problem| problem.reason != NO_FORMAT);
                    format!("no rollouts in a known format in this file; {columns}")
                }
            };
            // One cause is one problem: what stands in it says more than that nothing was found.
            if whole.problems.is_empty() {
                whole.problems.push(Problem::new(&candidate.path, reason));
            }
        } else {
            whole.problems.retain(|problem| problem.reason != NO_FORMAT);
            if whole.problems.is_empty() || !is_data {
                // Said once for the whole folder instead.
                whole.problems.clear();
                whole.foreign.push(candidate.path.clone());
                whole.own_columns = own.filter(|_| is_data);
            }
        }
    }
    if let Some((id, line)) = whole.number_id.take() {
        let reason = format!("ids should be strings: {id} is a number and is read as text");
        problem_at(whole, line, reason);
    }
    shorten(&candidate.path, &mut whole.problems);
}

/// Tells the columns that the map of a file names and no record has, when something was read through
/// it or nothing was read at all. Answers what to say of the columns of a file in which nothing is
/// known, and whether something in them looks like a part of a rollout.
fn tell_absent(candidate: &Candidate, whole: &mut Found) -> Option<(String, bool)> {
    let columns = whole.columns.as_ref()?;
    let Some(map) = whole.map.as_ref().filter(|map| !map.is_guessed()) else {
        return Some((columns.to_string(), columns.are_of_rollouts()));
    };
    let absent = map.absent(whole.seen, columns);
    if whole.recognised == 0 {
        let said = match absent.is_empty() {
            true => columns.to_string(),
            false => absent.join("; "),
        };
        return Some((said, columns.are_of_rollouts()));
    }
    let lacks_group = !whole.seen.has(mapped::MapKey::Group) && !absent.is_empty();
    let of_each = [NO_FORMAT.to_owned(), map.no_group()];
    let is_told = |problem: &Problem| of_each.contains(&problem.reason);
    if lacks_group {
        // Records that other formats know need no map.
        if !whole.problems.iter().any(is_told) {
            return None;
        }
        whole.problems.retain(|problem| !is_told(problem));
    }
    let told = absent.into_iter();
    let told = told.map(|reason| Problem::new(&candidate.path, reason));
    whole.problems.extend(told);
    None
}

/// The map that the first lines of a file choose, of which the first `end` bytes are read.
fn map_of_head(
    candidate: &Candidate,
    file: usize,
    end: u64,
    options: &LoadOptions,
) -> Option<mapped::Choice> {
    // One byte more, so that a line that was too long for the sample still is.
    let mut sample = end.min(mapped::SAMPLE_BYTES + 1);
    let mut head = candidate.read(0, sample).ok()?;
    if memchr::memchr(b'\n', &head).is_none() && sample < end {
        // The first line is part of every sample.
        sample = shape::line_end(candidate, sample, end).ok()??;
        head = candidate.read(0, sample).ok()?;
    }
    Some(map_of_lines(&files::lines(&head), file, options))
}

/// Reads the lines of a long file, as far as their index was not kept, and keeps it; else as
/// [`read_lines`].
fn read_kept_lines(
    (candidate, job): (&Candidate, Job),
    (length, cache): (u64, Option<Cache>),
    empty: &(dyn Fn() -> Found + Sync),
    whole: &mut Found,
    begun: &mut Option<Begun>,
    sink: Sink<'_>,
) -> bool {
    let mut kept = cache
        .as_ref()
        .and_then(|cache| cache.read(candidate, job.file));
    let choice = match &kept {
        Some(kept) if !kept.indexed.mapped => None,
        _ => map_of_head(candidate, job.file, length, &whole.options),
    };
    let mapped::Choice { map, columns } = choice.unwrap_or_default();
    whole.map.clone_from(&map);
    whole.columns = columns;
    let empty = || Found {
        map: map.clone(),
        ..empty()
    };
    let mut from = Cursor::default();
    let mut is_all = false;
    let writer = match &kept {
        Some(kept) if kept.indexed.end >= length => None,
        _ => cache.and_then(|cache| cache.write(kept.as_ref())),
    };
    if let Some(kept) = &mut kept {
        from = Cursor {
            byte: kept.indexed.end,
            lines: kept.indexed.lines,
        };
        is_all = kept.indexed.end >= length;
        whole.indexed = Some(kept.indexed);
        whole.keep_for_the_end(&mut kept.whole);
        for part in std::mem::take(&mut kept.parts) {
            let mut found = empty();
            found.merge(part);
            if !sink(found, from.byte) {
                return false;
            }
        }
    }
    if is_all {
        return true;
    }
    whole.indexed = None;
    let rest = Rest {
        from,
        length,
        before: None,
        map: map.clone(),
        writer,
    };
    read_rest((candidate, job), rest, &empty, whole, begun, sink)
}

/// What is to be read of a file of lines.
struct Rest {
    from: Cursor,
    /// The file's length in bytes.
    length: u64,
    /// How far it was read before, when only what was appended is read.
    before: Option<Indexed>,
    map: Option<mapped::FileMap>,
    /// Keeps what is found.
    writer: Option<Writer>,
}

/// Reads lines from a place on; answers whether it came to the end. Else `begun` tells where the next
/// call goes on.
fn read_rest(
    (candidate, job): (&Candidate, Job),
    rest: Rest,
    empty: &(dyn Fn() -> Found + Sync),
    whole: &mut Found,
    begun: &mut Option<Begun>,
    sink: Sink<'_>,
) -> bool {
    let Rest {
        from,
        length,
        before,
        map,
        mut writer,
    } = rest;
    let mut keeping = |found: Found, done: u64| {
        if let Some(writer) = &mut writer {
            writer.add(&found);
        }
        sink(found, done)
    };
    let end = Cursor {
        byte: length,
        lines: 0,
    };
    let there = reached(candidate, end);
    if let Err(at) = read_lines((candidate, job), from, length, empty, whole, &mut keeping) {
        *begun = Some(Begun {
            file: job.file,
            at,
            read: reached(candidate, at),
            whole: std::mem::take(whole),
            map,
            writer,
            before,
        });
        return false;
    }
    // What a writer changed while the lines were read may be in them by half.
    if whole.indexed.is_some() && there.is_some() && there != reached(candidate, end) {
        whole
            .problems
            .push(Problem::new(&candidate.path, CHANGED_INSIDE));
        whole.indexed = None;
        return true;
    }
    whole.indexed = whole.indexed.map(|indexed| Indexed {
        mapped: match before {
            Some(before) => before.mapped,
            None => map.is_some(),
        },
        ..indexed
    });
    if let (Some(writer), Some(indexed)) = (writer, whole.indexed) {
        writer.finish(candidate, whole, indexed);
    }
    whole.indexed = whole.indexed.or(before);
    true
}

/// Reads what was appended to a file of lines.
fn read_appended(
    (candidate, job): (&Candidate, Job),
    (from, map): (Indexed, Option<mapped::FileMap>),
    empty: &(dyn Fn() -> Found + Sync),
    begun: &mut Option<Begun>,
    sink: Sink<'_>,
) -> bool {
    let mut whole = empty();
    let length = match candidate.len() {
        Ok(length) => length,
        Err(error) => {
            whole
                .problems
                .push(Problem::of_file(&candidate.path, &error));
            sink(whole, 0);
            return true;
        }
    };
    let rest = Rest {
        from: Cursor {
            byte: from.end,
            lines: from.lines,
        },
        length,
        before: Some(from),
        map,
        writer: None,
    };
    if !read_rest((candidate, job), rest, empty, &mut whole, begun, sink) {
        return false;
    }
    shorten(&candidate.path, &mut whole.problems);
    sink(whole, u64::MAX);
    true
}

/// Whether the last line of a file has no end yet and is no whole value.
fn is_being_written(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let error = files::split(line, &mut String::new()).err();
    !line.is_empty() && error.is_some_and(|error| is_early_end(&error))
}

/// How far a file of lines is read.
fn reached(candidate: &Candidate, at: Cursor) -> Option<Indexed> {
    if !candidate.is_plain() {
        return None;
    }
    // A file that cannot be read again is read whole when it changes.
    Indexed::of(candidate, at.byte, at.lines).ok()
}

/// Reads the lines of one file from a place on and hands over what they hold; what can be told only
/// at the end of the file is gathered in `whole`.
///
/// # Errors
/// The place reached when the sink had enough.
fn read_lines(
    (candidate, job): (&Candidate, Job),
    from: Cursor,
    length: u64,
    empty: &(dyn Fn() -> Found + Sync),
    whole: &mut Found,
    sink: Sink<'_>,
) -> Result<(), Cursor> {
    let read = |block: Block<'_>| {
        let mut part = empty();
        let mut lines = block.lines().peekable();
        while let Some(line) = lines.next() {
            let is_last = block.is_last && lines.peek().is_none();
            read_line(line, job.file, is_last, job.rankings_only, &mut part);
        }
        part
    };
    let mut take = |parts: Vec<Found>, at: Cursor| {
        let mut found = empty();
        for part in parts {
            found.merge(part);
        }
        whole.keep_for_the_end(&mut found);
        sink(found, at.byte)
    };
    let waits = |line: &[u8]| job.wait && is_being_written(line);
    match lines::read(candidate, from, length, &waits, &read, &mut take) {
        Ok(End {
            is_whole: false,
            at,
        }) => return Err(at),
        Ok(End { at, .. }) => whole.indexed = reached(candidate, at),
        Err(error) => {
            let problem = Problem::of_file(&candidate.path, &error);
            whole.problems.push(problem);
        }
    }
    Ok(())
}

fn read_line(line: Line<'_>, file: usize, is_last: bool, rankings_only: bool, found: &mut Found) {
    let place = Place {
        file,
        start: line.start,
        len: line.bytes.len() as u64,
        element: None,
        digest: files::digest(line.bytes),
    };
    let number = Some(line.number);
    if let Err(error) = read_value(line.bytes, place, number, rankings_only, found) {
        read_pieces(
            line.bytes,
            place,
            number,
            (error, is_last),
            rankings_only,
            found,
        );
    }
}

/// Reads a value that ought to be a record.
fn read_value(
    bytes: &[u8],
    place: Place,
    line: Option<u64>,
    rankings_only: bool,
    found: &mut Found,
) -> Result<(), JsonError> {
    let mut holder = String::new();
    let split = files::split(bytes, &mut holder)?;
    let record = record_of(split, place, line, found);
    if !read_record(&record, rankings_only, found) {
        problem_at(found, line, NO_FORMAT);
    }
    Ok(())
}

/// Reads what cannot be read as one value: several, one behind another, as a writer that lost a
/// line's end leaves them. Else the error counts. Returns whether there were several.
fn read_pieces(
    bytes: &[u8],
    place: Place,
    line: Option<u64>,
    (error, is_last): (JsonError, bool),
    rankings_only: bool,
    found: &mut Found,
) -> bool {
    let Some((pieces, behind)) = files::pieces(bytes) else {
        problem_at(found, line, cut_off(&error, is_last));
        return false;
    };
    for (start, piece) in pieces {
        let place = Place {
            start: place.start + start as u64,
            len: piece.len() as u64,
            digest: files::digest(piece),
            ..place
        };
        if let Err(error) = read_value(piece, place, line, rankings_only, found) {
            problem_at(found, line, error.to_string());
        }
    }
    if let Some(error) = behind {
        problem_at(found, line, cut_off(&error, is_last));
    }
    true
}

/// A split text as a record; replaced bytes are told.
fn record_of<'a>(
    split: Split<'a>,
    place: Place,
    line: Option<u64>,
    found: &mut Found,
) -> Record<'a> {
    if split.not_utf8 {
        problem_at(found, line, "bytes that are not UTF-8 were replaced");
    }
    Record {
        place,
        line,
        key: None,
        text: split.text,
        mended: split.mended,
        body: split.body,
    }
}

fn read_whole(
    bytes: &[u8],
    file: usize,
    line: Option<u64>,
    rankings_only: bool,
    found: &mut Found,
) {
    let lead = files::bom(bytes);
    let lead = lead + bytes[lead..].len() - bytes[lead..].trim_ascii_start().len();
    let content = bytes[lead..].trim_ascii_end();
    let place = Place {
        file,
        start: lead as u64,
        len: content.len() as u64,
        element: None,
        digest: files::digest(content),
    };
    let mut holder = String::new();
    let split = match files::split(content, &mut holder) {
        Ok(split) => split,
        Err(error) => {
            let error = (error, line.is_some());
            if !read_pieces(content, place, line, error, rankings_only, found) {
                read_broken(content, place, rankings_only, found);
            }
            return;
        }
    };
    let record = record_of(split, place, line, found);
    let known = |record: &Record<'_>| detect(record).is_some();
    let choice = mapped::choose(std::slice::from_ref(&record), &found.options, known);
    (found.map, found.columns) = (choice.map, choice.columns);
    if read_record(&record, rankings_only, found) {
        return;
    }
    let nested = record.nested();
    let sample = &nested[..nested.len().min(mapped::SAMPLE)];
    let choice = mapped::choose(sample, &found.options, known);
    found.map = choice.map;
    // An object with one value that is none is a record itself.
    if record.fields().is_none_or(|fields| {
        fields.keys().count() > 1
            && fields
                .pairs()
                .all(|(_, raw)| raw.kind() == json::Kind::Object)
    }) {
        found.columns = choice.columns;
    }
    let unknown = nested
        .iter()
        .filter(|inner| !read_record(inner, rankings_only, found))
        .count();
    if unknown > 0 && found.recognised > 0 {
        problem_at(
            found,
            None,
            format!(
                "{unknown} of {} records are of no known format",
                nested.len()
            ),
        );
    }
}

/// Reads the elements of a JSON list or object before the place where it breaks off.
fn read_broken(content: &[u8], place: Place, rankings_only: bool, found: &mut Found) {
    let mended = json::mend(content);
    // What had nothing to mend is UTF-8.
    let text = mended.as_deref().or(json::utf8(content).ok()).unwrap_or("");
    let (elements, _) = json::split_whole(text);
    for (index, (key, raw)) in elements.into_iter().enumerate() {
        let outer = Record {
            place,
            line: None,
            key: None,
            text,
            mended: mended.is_some(),
            body: files::Body::List(Vec::new()),
        };
        if let Ok(body) = files::Body::split(raw.get()) {
            let record = Record {
                place: outer.place_of(raw, index),
                line: None,
                key,
                text: raw.get(),
                mended: mended.is_some(),
                body,
            };
            read_record(&record, rankings_only, found);
        }
    }
}

/// Reads a record as the first format that knows it; false when none does.
pub(super) fn read_record(record: &Record<'_>, rankings_only: bool, found: &mut Found) -> bool {
    let first = found
        .map
        .as_ref()
        .is_some_and(|map| map.is_first_for(record));
    let detected = if first { None } else { detect(record) };
    let by_map = || {
        let map = found.map.as_ref().filter(|map| first || map.is_guessed());
        map.and_then(|_| Some((mapped::FORMAT, FORMATS.get(mapped::FORMAT)?)))
    };
    let Some((id, format)) = detected.or_else(by_map) else {
        if found.for_rankings && rankings::is_list_of_ids(record) {
            found.recognised += 1;
            rankings::read_ranking(record, found);
            return true;
        }
        let own = |schema: &String| {
            ["gagar.group/", "gagar.trajectory/", "gagar.ranking/"]
                .iter()
                .any(|start| schema.starts_with(start))
        };
        let Some(schema) = record.schema().filter(own) else {
            return false;
        };
        // A later major number, not a foreign file.
        found.recognised += 1;
        found.problem(
            record,
            None,
            format!("schema \"{schema}\" is not known to this version"),
        );
        return true;
    };
    if rankings_only && format.name != "gagar.ranking/1" {
        return false;
    }
    read_as(id, record, found);
    true
}

/// Reads a record as one of a format.
pub(super) fn read_as(id: FormatId, record: &Record<'_>, found: &mut Found) {
    let Some(format) = FORMATS.get(id) else {
        return;
    };
    found.recognised += 1;
    *found.records.entry(id).or_default() += 1;
    found.format = id;
    let before = found.problems.len();
    (format.read)(record, found);
    if let Some(fields) = record.fields() {
        found.contradictions(record, fields, before);
    }
}

/// The first format that recognises a record.
pub(super) fn detect(record: &Record<'_>) -> Option<(FormatId, &'static Format)> {
    FORMATS
        .iter()
        .enumerate()
        .find(|(_, format)| (format.detect)(record))
}

/// The map for a file of one record a line, from its first lines.
fn map_of_lines(lines: &[Line<'_>], file: usize, options: &LoadOptions) -> mapped::Choice {
    let mut bytes = 0;
    let sample: Vec<&Line<'_>> = lines
        .iter()
        .take(mapped::SAMPLE)
        .take_while(|line| {
            bytes += line.bytes.len() as u64;
            bytes <= mapped::SAMPLE_BYTES || line.start == lines[0].start
        })
        .collect();
    let mut holders = vec![String::new(); sample.len()];
    let records: Vec<Record<'_>> = sample
        .into_iter()
        .zip(&mut holders)
        .filter_map(|(line, holder)| {
            let split = files::split(line.bytes, holder).ok()?;
            Some(Record {
                place: Place {
                    file,
                    start: line.start,
                    len: line.bytes.len() as u64,
                    element: None,
                    digest: 0,
                },
                line: Some(line.number),
                key: None,
                text: split.text,
                mended: split.mended,
                body: split.body,
            })
        })
        .collect();
    mapped::choose(&records, options, |record| detect(record).is_some())
}

/// The reason of a syntax error; a last line that ends too early was not written to its end.
fn cut_off(error: &JsonError, is_last: bool) -> String {
    if is_last && is_early_end(error) {
        format!("the last line is cut off: {error}")
    } else {
        error.to_string()
    }
}

/// Whether a file is a text, a log or a diff beside the data, by its name.
pub(crate) fn is_beside(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| BESIDE.contains(&extension))
}

/// Whether a text ends before its value does.
fn is_early_end(error: &JsonError) -> bool {
    error.to_string().contains("EOF")
}

fn is_json_name(extension: Option<&str>) -> bool {
    matches!(
        extension,
        Some("json" | "jsonl" | "ndjson" | "traj" | "pred")
    )
}

/// Whether two paths lead to one file. Names are compared first: that asks no file system.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    one == other
        || (one.file_name() == other.file_name()
            && matches!(
                (std::fs::canonicalize(one), std::fs::canonicalize(other)),
                (Ok(one), Ok(other)) if one == other
            ))
}

/// Whether a file beside the data is meant to hold rankings, by its name.
fn is_ranking_name(path: &Path) -> bool {
    path.file_name().is_some_and(|name| {
        let name = name.to_string_lossy().to_ascii_lowercase();
        name.contains("ranking")
    })
}

/// Notes a problem at a line of the file that is being read.
pub(super) fn problem_at(found: &mut Found, line: Option<u64>, reason: impl Into<String>) {
    let problem = Problem {
        path: found.path.clone(),
        line,
        record: None,
        reason: reason.into(),
    };
    found.problems.push(problem);
}

/// Keeps the first problems of each reason and counts the rest, so that a file of another kind does
/// not bury the others.
fn shorten(path: &Path, problems: &mut Vec<Problem>) {
    let mut counts: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    // What is said of the whole file is met in each part of it.
    let mut of_file = std::collections::BTreeSet::new();
    problems.retain(|problem| {
        problem.line.is_some() || problem.record.is_some() || of_file.insert(problem.reason.clone())
    });
    problems.retain(|problem| {
        let count = counts.entry(problem.reason.clone()).or_default();
        *count += 1;
        *count <= TOLD
    });
    for (reason, count) in counts {
        if count > TOLD {
            problems.push(Problem::new(
                path,
                format!("{} times more: {reason}", count - TOLD),
            ));
        }
    }
}
