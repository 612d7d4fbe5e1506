//! The one order in which the events of several stores are folded.
//!
//! A merged file holds the logs of several stores. Within a store the order is `seq`, whatever the
//! clock did. Between stores it is time: each event counts as written no earlier than those before
//! it in its own store, so that a clock that went backwards re-orders nothing; at equal times the
//! smaller store id comes first. The order depends on the events alone, not on how or in which
//! sequence the files were merged.

use std::collections::HashMap;

use super::Event;

/// The events in the canonical order: by time made monotone per store, then store id, then `seq`.
#[must_use]
pub fn in_order(mut events: Vec<Event>) -> Vec<Event> {
    events.sort_by(|a, b| (&a.store_id, a.seq).cmp(&(&b.store_id, b.seq)));
    if is_one_store(&events) {
        return events;
    }
    let mut timed = Vec::with_capacity(events.len());
    let mut latest = i64::MIN;
    for event in events {
        let before: Option<&(i64, Event)> = timed.last();
        if before.is_none_or(|(_, before)| before.store_id != event.store_id) {
            latest = i64::MIN;
        }
        latest = latest.max(event.at_ms);
        timed.push((latest, event));
    }
    // The sort is stable: at equal times store id and seq decide, as sorted above.
    timed.sort_by_key(|(time, _)| *time);
    timed.into_iter().map(|(_, event)| event).collect()
}

/// Whether the events are in the canonical order already.
#[must_use]
pub fn is_in_order(events: &[Event]) -> bool {
    let mut latest: HashMap<&str, (i64, u64)> = HashMap::new();
    let mut before = (i64::MIN, "", 0);
    let single = is_one_store(events);
    for event in events {
        let (time, seq) = latest
            .entry(event.store_id.as_str())
            .or_insert((i64::MIN, 0));
        if event.seq < *seq {
            return false;
        }
        *time = event.at_ms.max(*time);
        *seq = event.seq;
        let key = (*time, event.store_id.as_str(), event.seq);
        if !single && key < before {
            return false;
        }
        before = key;
    }
    true
}

fn is_one_store(events: &[Event]) -> bool {
    events
        .windows(2)
        .all(|pair| pair[0].store_id == pair[1].store_id)
}

#[cfg(test)]
mod tests {
    use super::super::EventBody;
    use super::*;

    fn event(store: &str, seq: u64, at_ms: i64) -> Event {
        Event {
            event_id: format!("{store}{seq}"),
            store_id: store.to_owned(),
            seq,
            at_ms,
            annotator: "ada".to_owned(),
            session_id: "s".to_owned(),
            group_id: None,
            fingerprint: None,
            body: EventBody::TimeAdd { active_ms: 1 },
            prev: String::new(),
            hash: String::new(),
        }
    }

    #[test]
    fn stores_are_ordered_by_time_that_never_goes_back() {
        let a = [event("a", 1, 50), event("a", 2, 10), event("a", 3, 60)];
        let b = [event("b", 1, 40), event("b", 2, 50), event("b", 3, 55)];
        let expected = ["b1", "a1", "a2", "b2", "b3", "a3"];
        for events in [
            [a.to_vec(), b.to_vec()].concat(),
            [b.to_vec(), a.to_vec()].concat(),
            a.iter()
                .zip(&b)
                .rev()
                .flat_map(|(a, b)| [b.clone(), a.clone()])
                .collect(),
        ] {
            assert!(!is_in_order(&events));
            let events = in_order(events);
            assert!(events.iter().map(|e| &e.event_id).eq(&expected));
            assert!(is_in_order(&events));
        }
        assert!(is_in_order(&a));
        assert!(is_in_order(&[]));
    }
}
