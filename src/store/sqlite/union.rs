//! Whole logs out of a file and into one: what merging and importing do.
//!
//! What is *not* here: which files ([`super::merge`]), what a line of text holds
//! ([`super::super::jsonl`]).

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::super::log::{BrokenChain, Log, StoredEvent};
use super::super::{GroupRecord, StoreError};
use super::SqliteStore;
use super::file::is_blank;
use super::rows::{insert, insert_group, read};

/// What adding a log to a file did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Added {
    /// Events that were not there.
    pub new: u64,
    /// Events that were there already, with the same hash.
    pub known: u64,
}

/// Reads everything a file holds; events by store and sequence number.
pub(super) fn read_log(connection: &Connection) -> rusqlite::Result<Log> {
    if is_blank(connection)? {
        return Ok(Log::default());
    }
    let events = read(connection, 0, "store_id, seq")?
        .into_iter()
        .map(|(event, body)| StoredEvent { event, body })
        .collect();
    let mut groups: BTreeMap<(String, String), GroupRecord> = connection
        .prepare("SELECT group_id, fingerprint, task, source FROM grp")?
        .query_map([], |row| {
            let group = GroupRecord {
                group_id: row.get(0)?,
                fingerprint: row.get(1)?,
                task: row.get(2)?,
                source: row.get(3)?,
                trajectories: Vec::new(),
            };
            Ok(((group.group_id.clone(), group.fingerprint.clone()), group))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut statement = connection.prepare(
        "SELECT group_id, fingerprint, traj_id, patch_sha256, reward FROM traj
         ORDER BY group_id, fingerprint, place",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(group) = groups.get_mut(&(row.get(0)?, row.get(1)?)) {
            group
                .trajectories
                .push((row.get(2)?, row.get(3)?, row.get(4)?));
        }
    }
    let annotators = connection
        .prepare("SELECT annotator_id, display FROM annotator ORDER BY annotator_id")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Log {
        events,
        groups: groups.into_values().collect(),
        annotators,
    })
}

/// The hash of an event that is stored.
pub(super) fn hash_of(
    connection: &Connection,
    store_id: &str,
    seq: u64,
) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT hash FROM event WHERE store_id = ?1 AND seq = ?2")?
        .query_row(params![store_id, seq as i64], |row| row.get(0))
        .optional()
}

/// Whether the group is stored with the same trajectories; title and source may differ.
fn is_same(connection: &Connection, group: &GroupRecord) -> rusqlite::Result<bool> {
    let mut stored: Vec<(String, String, Option<f64>)> = connection
        .prepare_cached(
            "SELECT traj_id, patch_sha256, reward FROM traj WHERE group_id = ?1 AND fingerprint = ?2",
        )?
        .query_map([&group.group_id, &group.fingerprint], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut told = group.trajectories.clone();
    // Files may list a group's trajectories in any order.
    stored.sort_by(|a, b| a.0.cmp(&b.0));
    told.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(stored == told)
}

/// Adds what is not there, inside the caller's transaction. The chains of the log must hold.
///
/// # Errors
/// [`StoreError::OtherGroup`] when a group is there with other trajectories;
/// [`StoreError::Conflict`] when an event is there with another content, or another one in its
/// place; [`StoreError::Unusable`] when the file cannot be written.
pub(super) fn add(
    store: &SqliteStore,
    connection: &Connection,
    log: &Log,
) -> Result<Added, StoreError> {
    let fail = |error: rusqlite::Error| store.fail(&error);
    let mut added = Added::default();
    for (annotator, display) in &log.annotators {
        connection
            .execute(
                "INSERT OR IGNORE INTO annotator VALUES(?1, ?2)",
                params![annotator, display],
            )
            .map_err(fail)?;
    }
    for group in &log.groups {
        if !insert_group(connection, group).map_err(fail)?
            && !is_same(connection, group).map_err(fail)?
        {
            return Err(StoreError::OtherGroup {
                path: store.shown.display().to_string(),
                group_id: group.group_id.clone(),
            });
        }
    }
    for StoredEvent { event, body } in &log.events {
        let found: Option<(String, String)> = connection
            .prepare_cached("SELECT store_id, hash FROM event WHERE event_id = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([&event.event_id], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()
            })
            .map_err(fail)?;
        match found {
            Some((_, hash)) if hash == event.hash => {
                added.known += 1;
                continue;
            }
            Some((other, _)) => {
                let reason = format!(
                    "{} holds an event of this id with another content (store {other})",
                    store.shown.display()
                );
                return Err(StoreError::Conflict(Box::new(BrokenChain::at(
                    event, reason,
                ))));
            }
            None => {}
        }
        if hash_of(connection, &event.store_id, event.seq)
            .map_err(fail)?
            .is_some()
        {
            let reason = format!(
                "{} holds another event in its place: copies of one file were both written to",
                store.shown.display()
            );
            return Err(StoreError::Conflict(Box::new(BrokenChain::at(
                event, reason,
            ))));
        }
        insert(connection, event, body).map_err(fail)?;
        added.new += 1;
    }
    Ok(added)
}
