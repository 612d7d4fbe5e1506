//! Who judged what, when, before and after, in words: from the event log.
//!
//! What is *not* here: what the log says now ([`crate::store::projection`]) and how times are
//! written.

use std::collections::{BTreeMap, BTreeSet};

use crate::store::{Event, EventBody, FindingRecord, PairVerdict, Verdict};

/// Focused time below this is not told.
const BRIEF_MS: u64 = 1000;

/// One event in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The event's id.
    pub event_id: String,
    /// Milliseconds since the Unix epoch.
    pub at_ms: i64,
    /// Who.
    pub annotator: String,
    /// The group, when it is about one.
    pub group_id: Option<String>,
    /// The name under which the kind is stored (`rank.set`, …).
    pub kind: String,
    /// What was done.
    pub what: String,
    /// What stood there before, when something is changed.
    pub before: Option<String>,
    /// What stands there since, when something is changed.
    pub after: Option<String>,
    /// Whether it was undone afterwards.
    pub undone: bool,
}

impl HistoryEntry {
    /// What was done with before and after, in one line.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = self.what.clone();
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => line.push_str(&format!(": {before} → {after}")),
            (None, Some(after)) => line.push_str(&format!(": {after}")),
            (Some(before), None) => line.push_str(&format!(": {before} → nothing")),
            (None, None) => {}
        }
        if self.undone {
            line.push_str(" (undone)");
        }
        line
    }
}

/// Events in words, in log order. `name` gives what a trajectory of a group is called: (group id,
/// trajectory id). Focused time with nothing between is one entry, and none when it is brief.
#[must_use]
pub fn history(events: &[&Event], name: &dyn Fn(&str, &str) -> String) -> Vec<HistoryEntry> {
    let undone = undone(events);
    let known: BTreeMap<&str, &Event> = events
        .iter()
        .map(|event| (event.event_id.as_str(), *event))
        .collect();
    let mut last: BTreeMap<(&str, &str), &[Vec<String>]> = BTreeMap::new();
    let mut entries: Vec<HistoryEntry> = Vec::with_capacity(events.len());
    // (place of the entry, milliseconds) of times with nothing of that person and group since.
    let mut times: BTreeMap<(&str, &str), (usize, u64)> = BTreeMap::new();
    let is_brief = |(_, ms): &(usize, u64)| *ms < BRIEF_MS;
    let mut brief = BTreeSet::new();
    for event in events {
        let group = event.group_id.as_deref().unwrap_or_default();
        let whose = (event.annotator.as_str(), group);
        let words = Words { group, name };
        let (what, before, after) = match &event.body {
            EventBody::Undo { event_id } => (
                words.taken("undid", known.get(event_id.as_str())),
                None,
                None,
            ),
            EventBody::Redo { event_id } => (
                words.taken("redid", known.get(event_id.as_str())),
                None,
                None,
            ),
            EventBody::RankSubmit { tiers, .. } => {
                let before = last.insert(whose, tiers).map(|tiers| words.tiers(tiers));
                (
                    words.submission(&event.body),
                    before,
                    Some(words.tiers(tiers)),
                )
            }
            body => words.of(body),
        };
        if let EventBody::TimeAdd { active_ms } = &event.body {
            let (place, sum) = times.entry(whose).or_insert((entries.len(), 0));
            *sum += active_ms;
            if let Some(entry) = entries.get_mut(*place) {
                let time = EventBody::TimeAdd { active_ms: *sum };
                entry.what = words.of(&time).0;
                continue;
            }
        } else {
            let done = times.remove(&whose);
            brief.extend(done.filter(is_brief).map(|(place, _)| place));
        }
        entries.push(HistoryEntry {
            event_id: event.event_id.clone(),
            at_ms: event.at_ms,
            annotator: event.annotator.clone(),
            group_id: event.group_id.clone(),
            kind: event.body.kind().to_owned(),
            what,
            before,
            after,
            undone: undone.contains(event.event_id.as_str()),
        });
    }
    brief.extend(times.into_values().filter(is_brief).map(|(place, _)| place));
    let mut place = 0;
    entries.retain(|_| {
        place += 1;
        !brief.contains(&(place - 1))
    });
    entries
}

/// Ids of the events that are not in effect. What was said before a reveal stays what it was then.
fn undone<'a>(events: &[&'a Event]) -> BTreeSet<&'a str> {
    let whose = |event: &'a Event| {
        let group = event.group_id.as_deref();
        (
            event.annotator.as_str(),
            group,
            event.fingerprint.as_deref(),
        )
    };
    let mut of = BTreeMap::new();
    let mut revealed = BTreeSet::new();
    let mut sealed = BTreeSet::new();
    let mut undone = BTreeSet::new();
    for event in events {
        match &event.body {
            EventBody::Undo { event_id } if !sealed.contains(event_id.as_str()) => {
                undone.insert(event_id.as_str());
            }
            EventBody::Redo { event_id } if !sealed.contains(event_id.as_str()) => {
                undone.remove(event_id.as_str());
            }
            EventBody::Reveal { .. } if revealed.insert(whose(event)) => {
                let before: Vec<&str> = of.remove(&whose(event)).unwrap_or_default();
                sealed.extend(before);
            }
            _ => of
                .entry(whose(event))
                .or_insert_with(Vec::new)
                .push(event.event_id.as_str()),
        }
    }
    undone
}

type Said = (String, Option<String>, Option<String>);

struct Words<'a> {
    group: &'a str,
    name: &'a dyn Fn(&str, &str) -> String,
}

impl Words<'_> {
    fn name(&self, id: &str) -> String {
        (self.name)(self.group, id)
    }

    /// Tiers as `a > b = c`.
    fn tiers(&self, tiers: &[Vec<String>]) -> String {
        if tiers.is_empty() {
            return "nothing ranked".to_owned();
        }
        let tier = |tier: &Vec<String>| {
            let names: Vec<_> = tier.iter().map(|id| self.name(id)).collect();
            names.join(" = ")
        };
        let tiers: Vec<_> = tiers.iter().map(tier).collect();
        tiers.join(" > ")
    }

    fn finding(&self, finding: &FindingRecord) -> String {
        let mut said = format!("{} on {}", finding.code, self.name(&finding.trajectory));
        if let Some(file) = &finding.file {
            said.push_str(&format!(" in {file}"));
        }
        if let Some((first, last)) = finding.lines {
            said.push_str(&match first == last {
                true => format!(" line {first}"),
                false => format!(" lines {first}-{last}"),
            });
        }
        if !finding.note.is_empty() {
            said.push_str(&format!(" “{}”", finding.note));
        }
        said
    }

    fn taken(&self, verb: &str, event: Option<&&Event>) -> String {
        match event {
            Some(event) => {
                let what = match &event.body {
                    body @ EventBody::RankSubmit { .. } => self.submission(body),
                    body => self.of(body).0,
                };
                format!("{verb} “{what}”")
            }
            None => format!("{verb} an event that is not here"),
        }
    }

    fn submission(&self, body: &EventBody) -> String {
        let EventBody::RankSubmit {
            active_ms,
            origin,
            blind,
            after_reveal,
            confidence,
            unranked,
            ..
        } = body
        else {
            return String::new();
        };
        let mut facts = Vec::new();
        match origin.as_str() {
            "accepted_grader" => facts.push("accepted from the grader".to_owned()),
            "pairs" => facts.push("by pairs".to_owned()),
            _ => {}
        }
        if *blind {
            facts.push(
                if *after_reveal {
                    "after reveal"
                } else {
                    "blind"
                }
                .to_owned(),
            );
        }
        if let Some(level) = confidence {
            facts.push(format!("confidence {}", confidence_word(*level)));
        }
        if !unranked.is_empty() {
            facts.push(format!("{} left unranked", unranked.len()));
        }
        if *active_ms > 0 {
            facts.push(duration(*active_ms));
        }
        match facts.is_empty() {
            true => "submitted".to_owned(),
            false => format!("submitted ({})", facts.join(", ")),
        }
    }

    fn of(&self, body: &EventBody) -> Said {
        let plain = |what: String| (what, None, None);
        match body {
            EventBody::GroupOpen { blind: true, .. } => plain("opened blind".to_owned()),
            EventBody::GroupOpen { .. } => plain("opened".to_owned()),
            EventBody::Reveal { what } => plain(format!("revealed {what}")),
            EventBody::RankSet {
                before,
                after,
                origin,
                ..
            } => {
                let what = match origin.as_str() {
                    "accepted_grader" => "accepted the grader's order",
                    _ => "ranked",
                };
                let before = (!before.is_empty()).then(|| self.tiers(before));
                (what.to_owned(), before, Some(self.tiers(after)))
            }
            EventBody::PairSet {
                first,
                second,
                verdict,
                ..
            } => {
                let sign = match verdict {
                    PairVerdict::First => ">",
                    PairVerdict::Second => "<",
                    PairVerdict::Tie => "=",
                };
                let said = format!("{} {sign} {}", self.name(first), self.name(second));
                ("compared".to_owned(), None, Some(said))
            }
            EventBody::RankSubmit { .. } => plain(self.submission(body)),
            EventBody::SkipSet { reason, before } => set("skipped", reason, before),
            EventBody::FlagSet { reason, before } => set("flagged", reason, before),
            EventBody::ConfidenceSet { level, before } => {
                let word = |level: &Option<u8>| {
                    let word = level.map_or("not said", confidence_word);
                    word.to_owned()
                };
                (
                    "confidence".to_owned(),
                    Some(word(before)),
                    Some(word(level)),
                )
            }
            EventBody::FindingSet { before, after, .. } => {
                let what = match (before, after) {
                    (None, _) => "finding added",
                    (Some(_), Some(_)) => "finding changed",
                    (Some(_), None) => "finding removed",
                };
                let said = |finding: &Option<FindingRecord>| {
                    finding.as_ref().map(|finding| self.finding(finding))
                };
                (what.to_owned(), said(before), said(after))
            }
            EventBody::RemarkSet {
                rule,
                trajectory,
                file,
                verdict,
                ..
            } => {
                let what = match verdict {
                    Some(Verdict::Confirmed) => "confirmed",
                    Some(Verdict::Dismissed) => "dismissed",
                    None => "left open again",
                };
                let place = file.as_ref().map(|file| format!(" in {file}"));
                let trajectory = self.name(trajectory);
                let place = place.unwrap_or_default();
                plain(format!("remark {} on {trajectory}{place} {what}", rule.id))
            }
            EventBody::Adjudicate { tiers, note, .. } => {
                let mut what = match tiers.is_empty() {
                    true => "took the settlement back".to_owned(),
                    false => "settled".to_owned(),
                };
                if !note.is_empty() {
                    what.push_str(&format!(" “{note}”"));
                }
                let after = (!tiers.is_empty()).then(|| self.tiers(tiers));
                (what, None, after)
            }
            EventBody::GoldSet { tiers, reason } => {
                let mut what = match tiers.is_empty() {
                    true => "known ranking taken back".to_owned(),
                    false => "known ranking".to_owned(),
                };
                if !reason.is_empty() {
                    what.push_str(&format!(" “{reason}”"));
                }
                let after = (!tiers.is_empty()).then(|| self.tiers(tiers));
                (what, None, after)
            }
            EventBody::TimeAdd { active_ms } => {
                plain(format!("{} of focused time", duration(*active_ms)))
            }
            EventBody::NoteSet { text, before } => {
                let quoted = |text: &String| (!text.is_empty()).then(|| format!("“{text}”"));
                ("note".to_owned(), quoted(before), quoted(text))
            }
            EventBody::DraftKeep { .. } => {
                plain("kept the draft made before the data changed".to_owned())
            }
            EventBody::Undo { .. } => plain("undo".to_owned()),
            EventBody::Redo { .. } => plain("redo".to_owned()),
            EventBody::Export { format, rows, .. } => {
                let plural = if *rows == 1 { "" } else { "s" };
                plain(format!("exported {rows} row{plural} of {format}"))
            }
            EventBody::Unknown { kind, .. } => {
                plain(format!("{kind}: this version cannot read it"))
            }
        }
    }
}

/// Something that has a reason (maybe an empty one) or is not so.
fn set(word: &str, reason: &Option<String>, before: &Option<String>) -> Said {
    let quoted = |text: &String| (!text.is_empty()).then(|| format!("“{text}”"));
    match reason {
        Some(reason) => (
            word.to_owned(),
            before.as_ref().and_then(quoted),
            quoted(reason),
        ),
        None => (format!("no longer {word}"), None, None),
    }
}

fn confidence_word(level: u8) -> &'static str {
    match level {
        1 => "low",
        2 => "medium",
        _ => "high",
    }
}

/// A time in words: `42 s`, `3 min 05 s`, `1 h 20 min`.
#[must_use]
pub fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: &str, body: EventBody) -> Event {
        Event {
            event_id: id.to_owned(),
            store_id: String::new(),
            seq: 1,
            at_ms: 5,
            annotator: "ann".to_owned(),
            session_id: String::new(),
            group_id: Some("g".to_owned()),
            fingerprint: Some(String::new()),
            body,
            prev: String::new(),
            hash: String::new(),
        }
    }

    fn tiers(text: &str) -> Vec<Vec<String>> {
        let tiers = text.split('>').filter(|tier| !tier.is_empty());
        tiers
            .map(|tier| tier.split('=').map(ToOwned::to_owned).collect())
            .collect()
    }

    fn lines(events: &[Event]) -> Vec<String> {
        let events: Vec<&Event> = events.iter().collect();
        let entries = history(&events, &|_, id| id.to_uppercase());
        entries.iter().map(HistoryEntry::line).collect()
    }

    fn submit(text: &str) -> EventBody {
        EventBody::RankSubmit {
            tiers: tiers(text),
            unranked: Vec::new(),
            shown_order: Vec::new(),
            active_ms: 65_000,
            origin: "scratch".to_owned(),
            blind: true,
            after_reveal: false,
            confidence: Some(3),
        }
    }

    #[test]
    fn before_and_after_are_told_in_words() {
        let set = EventBody::RankSet {
            before: tiers("a>b"),
            after: tiers("b>a=c"),
            origin: "scratch".to_owned(),
            after_reveal: false,
        };
        let skip = |reason: Option<&str>| EventBody::SkipSet {
            reason: reason.map(ToOwned::to_owned),
            before: None,
        };
        assert_eq!(
            lines(&[
                event("1", set),
                event("2", submit("b>a=c")),
                event("3", submit("a>b>c")),
                event("4", skip(Some("broken"))),
                event("5", skip(None)),
                event("6", EventBody::TimeAdd { active_ms: 700 }),
                event("7", EventBody::TimeAdd { active_ms: 3_500 }),
                event("8", skip(Some("again"))),
                event("9", EventBody::TimeAdd { active_ms: 900 }),
            ]),
            [
                "ranked: A > B → B > A = C",
                "submitted (blind, confidence high, 1 min 05 s): B > A = C",
                "submitted (blind, confidence high, 1 min 05 s): B > A = C → A > B > C",
                "skipped: “broken”",
                "no longer skipped",
                "4 s of focused time",
                "skipped: “again”",
            ]
        );
    }

    #[test]
    fn what_was_undone_says_so_until_it_is_redone() {
        let note = |text: &str| EventBody::NoteSet {
            text: text.to_owned(),
            before: String::new(),
        };
        let id = |id: &str| id.to_owned();
        let undo = event("2", EventBody::Undo { event_id: id("1") });
        let mut events = vec![event("1", note("x")), undo];
        assert_eq!(lines(&events), ["note: “x” (undone)", "undid “note”"]);
        events.push(event("3", EventBody::Redo { event_id: id("1") }));
        assert_eq!(lines(&events)[0], "note: “x”");
    }
}
