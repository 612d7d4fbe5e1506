//! A log as lines of text, `gagar.event/1`: lossless, so that logs can lie in git or a bucket.
//!
//! Every line is a JSON object with `schema` and `row`. `"event"` rows hold every column; `body` is
//! the body's JSON text as a string, because the hash covers its very characters. A `"group"` row
//! (the group as it was seen) stands before the first event about it, an `"annotator"` row before
//! the first event of somebody who is shown by another name. Hashes cover event rows only.
//!
//! What is *not* here: chains ([`super::Log::broken_chains`]), files.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Event, EventBody, GroupRecord, Log, StoredEvent};

/// The schema's name.
pub const SCHEMA: &str = "gagar.event/1";

/// Longest line read, in bytes: a guard, not a format limit anybody meets.
const LONGEST: u64 = 256 << 20;

/// What a line is, before it is read whole.
#[derive(Deserialize)]
struct Head {
    schema: String,
    row: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventRow {
    schema: String,
    row: String,
    event_id: String,
    store_id: String,
    seq: u64,
    at_ms: i64,
    annotator: String,
    session_id: String,
    group_id: Option<String>,
    fingerprint: Option<String>,
    kind: String,
    body: String,
    prev: String,
    hash: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupRow {
    schema: String,
    row: String,
    group_id: String,
    fingerprint: String,
    task: String,
    source: String,
    trajectories: Vec<TrajectoryRow>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrajectoryRow {
    trajectory_id: String,
    patch_sha256: String,
    /// As text: serde_json's own numbers may differ in the last digit.
    reward: Option<Box<RawValue>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnnotatorRow {
    schema: String,
    row: String,
    annotator: String,
    display: String,
}

/// Why lines are no log.
#[derive(Debug, thiserror::Error)]
pub enum JsonlError {
    /// A line is not what was written, or no line of this schema.
    #[error("line {line}: {reason}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The lines cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A log that was read, and where its events stood.
#[derive(Debug, Default)]
pub struct ReadLog {
    /// The log, in the order of the lines; lines that repeat an event are left out.
    pub log: Log,
    /// The line (from 1) of each event, by event id.
    pub lines: HashMap<String, usize>,
}

/// Writes a log; events in the order they have. Returns how many lines were written.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(log: &Log, out: &mut dyn Write) -> io::Result<u64> {
    let mut groups: HashMap<(&str, &str), &GroupRecord> = log
        .groups
        .iter()
        .map(|group| ((group.group_id.as_str(), group.fingerprint.as_str()), group))
        .collect();
    let mut shown: HashMap<&str, &str> = log
        .annotators
        .iter()
        .filter(|(annotator, display)| annotator != display)
        .map(|(annotator, display)| (annotator.as_str(), display.as_str()))
        .collect();
    let mut lines = 0;
    for stored in &log.events {
        let event = &stored.event;
        if let Some((annotator, display)) = shown.remove_entry(event.annotator.as_str()) {
            put(out, &annotator_row(annotator, display), &mut lines)?;
        }
        if let (Some(group_id), Some(fingerprint)) = (&event.group_id, &event.fingerprint)
            && let Some(group) = groups.remove(&(group_id.as_str(), fingerprint.as_str()))
        {
            put(out, &group_row(group)?, &mut lines)?;
        }
        put(out, &event_row(stored), &mut lines)?;
    }
    // What no event refers to is kept as well.
    for group in &log.groups {
        if groups.contains_key(&(group.group_id.as_str(), group.fingerprint.as_str())) {
            put(out, &group_row(group)?, &mut lines)?;
        }
    }
    for (annotator, display) in &log.annotators {
        if shown.contains_key(annotator.as_str()) {
            put(out, &annotator_row(annotator, display), &mut lines)?;
        }
    }
    Ok(lines)
}

fn put(out: &mut dyn Write, row: &impl Serialize, lines: &mut u64) -> io::Result<()> {
    serde_json::to_writer(&mut *out, row)?;
    *lines += 1;
    out.write_all(b"\n")
}

fn event_row(stored: &StoredEvent) -> EventRow {
    let event = &stored.event;
    EventRow {
        schema: SCHEMA.to_owned(),
        row: "event".to_owned(),
        event_id: event.event_id.clone(),
        store_id: event.store_id.clone(),
        seq: event.seq,
        at_ms: event.at_ms,
        annotator: event.annotator.clone(),
        session_id: event.session_id.clone(),
        group_id: event.group_id.clone(),
        fingerprint: event.fingerprint.clone(),
        kind: event.body.kind().to_owned(),
        body: stored.body.clone(),
        prev: event.prev.clone(),
        hash: event.hash.clone(),
    }
}

fn group_row(group: &GroupRecord) -> io::Result<GroupRow> {
    let trajectories = group.trajectories.iter().map(|(id, patch, reward)| {
        let reward = reward.map(|reward| {
            // Only a finite number is JSON.
            RawValue::from_string(format!("{reward:?}")).map_err(io::Error::from)
        });
        Ok(TrajectoryRow {
            trajectory_id: id.clone(),
            patch_sha256: patch.clone(),
            reward: reward.transpose()?,
        })
    });
    Ok(GroupRow {
        schema: SCHEMA.to_owned(),
        row: "group".to_owned(),
        group_id: group.group_id.clone(),
        fingerprint: group.fingerprint.clone(),
        task: group.task.clone(),
        source: group.source.clone(),
        trajectories: trajectories.collect::<io::Result<_>>()?,
    })
}

fn annotator_row(annotator: &str, display: &str) -> AnnotatorRow {
    AnnotatorRow {
        schema: SCHEMA.to_owned(),
        row: "annotator".to_owned(),
        annotator: annotator.to_owned(),
        display: display.to_owned(),
    }
}

/// Reads a log. Empty lines mean nothing; files put behind each other are one log. Each event's own
/// hash is checked here, its chain is not.
///
/// # Errors
/// The first line that is no row of the schema, whose hash does not fit, or that repeats an event
/// id with another content; an event about a group without a row.
pub fn read(mut lines: impl BufRead) -> Result<ReadLog, JsonlError> {
    let mut read = ReadLog::default();
    let mut hashes: HashMap<String, String> = HashMap::new();
    let mut groups: HashSet<(String, String)> = HashSet::new();
    let mut shown: HashSet<String> = HashSet::new();
    let mut text = Vec::new();
    let mut line = 0;
    loop {
        line += 1;
        text.clear();
        if io::Read::take(&mut lines, LONGEST).read_until(b'\n', &mut text)? == 0 {
            break;
        }
        let wrong = |reason: String| JsonlError::Line { line, reason };
        if text.trim_ascii().is_empty() {
            continue;
        }
        let json = |error: serde_json::Error| wrong(sentence(&error));
        let head: Head = serde_json::from_slice(&text).map_err(json)?;
        if head.schema != SCHEMA {
            let reason = format!("its schema is {:?}, not {SCHEMA:?}", head.schema);
            return Err(wrong(reason));
        }
        match head.row.as_str() {
            "event" => {
                let row: EventRow = serde_json::from_slice(&text).map_err(json)?;
                let stored = as_event(row);
                let event = &stored.event;
                if !stored.is_intact() {
                    return Err(wrong(format!(
                        "event {} of store {} ({} of {}) is not what was written: its hash does \
                         not fit",
                        event.seq, event.store_id, event.event_id, event.annotator
                    )));
                }
                match hashes.get(&event.event_id) {
                    Some(hash) if *hash == event.hash => continue,
                    Some(_) => {
                        let id = &event.event_id;
                        return Err(wrong(format!("event {id} stands there twice, differently")));
                    }
                    None => {}
                }
                hashes.insert(event.event_id.clone(), event.hash.clone());
                read.lines.insert(event.event_id.clone(), line);
                if shown.insert(event.annotator.clone()) {
                    let name = event.annotator.clone();
                    read.log.annotators.push((name.clone(), name));
                }
                read.log.events.push(stored);
            }
            "group" => {
                let row: GroupRow = serde_json::from_slice(&text).map_err(json)?;
                if groups.insert((row.group_id.clone(), row.fingerprint.clone())) {
                    read.log.groups.push(as_group(row).map_err(wrong)?);
                }
            }
            "annotator" => {
                let row: AnnotatorRow = serde_json::from_slice(&text).map_err(json)?;
                if shown.insert(row.annotator.clone()) {
                    read.log.annotators.push((row.annotator, row.display));
                }
            }
            other => return Err(wrong(format!("no row is called {other:?}"))),
        }
    }
    for StoredEvent { event, .. } in &read.log.events {
        if let (Some(group_id), Some(fingerprint)) = (&event.group_id, &event.fingerprint)
            && !groups.contains(&(group_id.clone(), fingerprint.clone()))
        {
            return Err(JsonlError::Line {
                line: read.lines.get(&event.event_id).copied().unwrap_or(0),
                reason: format!("no row says what group {group_id} was like (row \"group\")"),
            });
        }
    }
    Ok(read)
}

fn as_event(row: EventRow) -> StoredEvent {
    StoredEvent {
        event: Event {
            event_id: row.event_id,
            store_id: row.store_id,
            seq: row.seq,
            at_ms: row.at_ms,
            annotator: row.annotator,
            session_id: row.session_id,
            group_id: row.group_id,
            fingerprint: row.fingerprint,
            body: EventBody::from_parts(&row.kind, &row.body),
            prev: row.prev,
            hash: row.hash,
        },
        body: row.body,
    }
}

fn as_group(row: GroupRow) -> Result<GroupRecord, String> {
    let trajectories = row.trajectories.into_iter().map(|t| {
        let number = |raw: Box<RawValue>| {
            let parsed = raw.get().parse::<f64>();
            parsed.map_err(|_| format!("reward {} is no number", raw.get()))
        };
        let reward = t.reward.map(number).transpose()?;
        Ok((t.trajectory_id, t.patch_sha256, reward))
    });
    Ok(GroupRecord {
        trajectories: trajectories.collect::<Result<_, String>>()?,
        group_id: row.group_id,
        fingerprint: row.fingerprint,
        task: row.task,
        source: row.source,
    })
}

/// What serde_json says, without its own line number: a line is read alone.
fn sentence(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line 1 column ") {
        Some((said, column)) => format!("{said} (column {column})"),
        None => text,
    }
}
