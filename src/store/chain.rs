//! The hash chain over events: each row's hash covers the row and the hash before it, so that a
//! changed, missing or re-ordered row shows. It proves no authorship.

use sha2::{Digest as _, Sha256};

use super::{Event, NewEvent};

/// Returns the event as stored after `prev`, and its body's JSON text.
///
/// # Errors
/// When the body cannot be written as JSON.
pub(super) fn link(
    new: &NewEvent,
    store_id: &str,
    seq: u64,
    prev: &str,
) -> Result<(Event, String), serde_json::Error> {
    let body = new.body.body_json()?;
    let mut event = Event {
        event_id: new.event_id.clone(),
        store_id: store_id.to_owned(),
        seq,
        at_ms: new.at_ms,
        annotator: new.annotator.clone(),
        session_id: new.session_id.clone(),
        group_id: new.group.as_ref().map(|group| group.group_id.clone()),
        fingerprint: new.group.as_ref().map(|group| group.fingerprint.clone()),
        body: new.body.clone(),
        prev: prev.to_owned(),
        hash: String::new(),
    };
    event.hash = hash(&event, &body)?;
    Ok((event, body))
}

/// The hash of a row: SHA-256, lower-case hex, over a JSON array of `prev` and every column, the
/// body as its stored text.
///
/// # Errors
/// When the row cannot be written as JSON.
pub(super) fn hash(event: &Event, body: &str) -> Result<String, serde_json::Error> {
    let row = serde_json::to_vec(&(
        &event.prev,
        &event.event_id,
        &event.store_id,
        event.seq,
        event.at_ms,
        &event.annotator,
        &event.session_id,
        &event.group_id,
        &event.fingerprint,
        event.body.kind(),
        body,
    ))?;
    Ok(Sha256::digest(row)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
