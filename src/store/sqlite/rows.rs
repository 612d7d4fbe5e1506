//! Events to rows and back.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};

use super::super::{Event, EventBody, GroupRecord};

/// This file's store id; made with the first event.
pub(super) fn store_id(connection: &Connection, made_ms: i64) -> rusqlite::Result<String> {
    connection.execute(
        "INSERT INTO store SELECT 1, ?1, ?2 WHERE NOT EXISTS(SELECT 1 FROM store)",
        params![format!("{:032x}", rand::random::<u128>()), made_ms],
    )?;
    connection.query_row("SELECT store_id FROM store", [], |row| row.get(0))
}

/// Sequence number and hash of the store's last event.
pub(super) fn last(connection: &Connection, store_id: &str) -> rusqlite::Result<(u64, String)> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, hash FROM event WHERE store_id = ?1 ORDER BY seq DESC LIMIT 1",
    )?;
    let mut rows = statement.query([store_id])?;
    rows.next()?.map_or(Ok((0, String::new())), |row| {
        Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?))
    })
}

/// Adds a group as it was seen, unless it is there: returns whether it was added.
pub(super) fn insert_group(connection: &Connection, group: &GroupRecord) -> rusqlite::Result<bool> {
    let new = connection.execute(
        "INSERT OR IGNORE INTO grp VALUES(?1, ?2, ?3, ?4)",
        params![group.group_id, group.fingerprint, group.task, group.source],
    )?;
    if new == 0 {
        return Ok(false);
    }
    for (place, (id, patch, reward)) in group.trajectories.iter().enumerate() {
        connection.execute(
            "INSERT INTO traj VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                group.group_id,
                group.fingerprint,
                id,
                place as i64,
                patch,
                reward
            ],
        )?;
    }
    Ok(true)
}

pub(super) fn insert(connection: &Connection, event: &Event, body: &str) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT OR IGNORE INTO annotator VALUES(?1, ?1)",
        [&event.annotator],
    )?;
    connection
        .prepare_cached(
            "INSERT INTO event VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            event.event_id,
            event.store_id,
            signed(event.seq),
            event.at_ms,
            event.annotator,
            event.session_id,
            event.group_id,
            event.fingerprint,
            event.body.kind(),
            body,
            event.prev,
            event.hash,
        ])?;
    Ok(())
}

/// The columns of an event, in the order [`as_event`] reads them.
const COLUMNS: &str = "event_id, store_id, seq, at_ms, annotator_id, session_id, group_id,
                       fingerprint, kind, body, prev, hash";

/// Reads events above `seq` with their body texts, in this order of columns.
pub(super) fn read(
    connection: &Connection,
    seq: u64,
    order: &str,
) -> rusqlite::Result<Vec<(Event, String)>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM event WHERE seq > ?1 ORDER BY {order}"
    ))?;
    statement.query_map([signed(seq)], as_event)?.collect()
}

/// Reads the events beyond the last known ones, by store and sequence number; looks at nothing else.
pub(super) fn read_beyond(
    connection: &Connection,
    known: &BTreeMap<String, u64>,
) -> rusqlite::Result<Vec<Event>> {
    let mut next =
        connection.prepare_cached("SELECT min(store_id) FROM event WHERE store_id > ?1")?;
    let mut rows = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM event WHERE store_id = ?1 AND seq > ?2 ORDER BY seq"
    ))?;
    let mut events = Vec::new();
    let mut store_id = String::new();
    while let Some(found) = next.query_row([&store_id], |row| row.get::<_, Option<String>>(0))? {
        let seq = known.get(&found).copied().unwrap_or(0);
        for row in rows.query_map(params![found, signed(seq)], as_event)? {
            events.push(row?.0);
        }
        store_id = found;
    }
    Ok(events)
}

/// Reads one event, if it is stored.
pub(super) fn find(connection: &Connection, event_id: &str) -> rusqlite::Result<Option<Event>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM event WHERE event_id = ?1"))?;
    let mut found = statement.query_map([event_id], as_event)?;
    found
        .next()
        .map(|row| row.map(|(event, _)| event))
        .transpose()
}

/// SQLite's integers are signed; no log reaches the end of them.
fn signed(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

fn as_event(row: &Row<'_>) -> rusqlite::Result<(Event, String)> {
    let kind: String = row.get(8)?;
    let body: String = row.get(9)?;
    let event = Event {
        event_id: row.get(0)?,
        store_id: row.get(1)?,
        seq: row.get::<_, i64>(2)?.unsigned_abs(),
        at_ms: row.get(3)?,
        annotator: row.get(4)?,
        session_id: row.get(5)?,
        group_id: row.get(6)?,
        fingerprint: row.get(7)?,
        body: EventBody::from_parts(&kind, &body),
        prev: row.get(10)?,
        hash: row.get(11)?,
    };
    Ok((event, body))
}
