use gagar::store::{Event, EventStore, MemoryStore, NewEvent, StoreError};
use gagar::tui::effect::Effect;
use gagar::tui::message::Message;
use gagar::tui::testing::Harness;

use crate::{native, sample};

#[test]
fn a_judgement_is_stored_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("judgements.db");
    let mut harness = Harness::open_with_db(&[sample("native")], 80, 24, &db).unwrap();
    harness.press("<enter>");
    assert!(!db.exists(), "looking stores nothing");
    harness.press("aJ");
    assert!(harness.screen().contains("saved"), "{}", harness.screen());
    let group = harness.model.compare.group.unwrap();
    let draft = harness.model.session.as_ref().unwrap().draft(group);
    let again = Harness::open_with_db(&[sample("native")], 80, 24, &db).unwrap();
    assert_eq!(again.model.session.as_ref().unwrap().draft(group), draft);
}

#[test]
fn a_failed_save_is_kept_told_and_tried_again_in_order() {
    let mut harness = native(80, 24);
    harness.press("<enter>");
    harness.press("a");
    // The store answered already; what follows is a failure of the next save.
    harness.model.saves.pending.clear();
    harness.press("J");
    let events = match harness.effects().last() {
        Some(Effect::Save(events)) => events.clone(),
        other => panic!("{other:?}"),
    };
    harness.model.saves.pending.push_back(events.clone());
    harness.send(Message::SaveFailed("disk full".to_owned()));
    assert!(
        harness.screen().contains("NOT SAVED: disk full"),
        "{}",
        harness.screen()
    );
    harness.press("q");
    assert!(!harness.has_left());
    assert!(
        harness.screen().contains("could not be stored"),
        "{}",
        harness.screen()
    );
    for keys in ["q", "<ctrl-c><ctrl-c>", "n<enter>x", "<ctrl-y><ctrl-s>"] {
        harness.press(keys);
        assert!(
            !harness.has_left() && harness.model.overlay.is_some(),
            "{keys}"
        );
    }
    harness.press("<esc>q");
    harness.press("y");
    assert!(harness.has_left());
}

#[derive(Default)]
struct Failing(MemoryStore);

impl EventStore for Failing {
    fn append(&mut self, _: &[NewEvent]) -> Result<Vec<Event>, StoreError> {
        Err(StoreError::Unusable {
            path: "db".to_owned(),
            reason: "disk full".to_owned(),
        })
    }

    fn events_since(&self, seq: u64) -> Result<Vec<Event>, StoreError> {
        self.0.events_since(seq)
    }
}

#[test]
fn nothing_is_lost_while_the_store_fails() {
    let mut harness =
        Harness::open_with_store(&[sample("native")], 80, 24, Box::new(Failing::default()))
            .unwrap();
    harness.press("<enter>aJK");
    let unsaved: usize = harness.model.saves.unsaved.iter().map(Vec::len).sum();
    let asked: std::collections::BTreeSet<String> = harness
        .effects()
        .iter()
        .filter_map(|effect| match effect {
            Effect::Save(events) => Some(events.iter().map(|event| event.event_id.clone())),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(unsaved, asked.len());
    assert_eq!(harness.model.saves.unsaved_changes(), 3);
    let screen = harness.press("q").screen();
    assert!(screen.contains("3 judgement changes could not"), "{screen}");
    harness.press("<esc>");
    harness.press("J");
    for columns in [60, 80, 120] {
        let screen = harness.resize(columns, 24).screen();
        let said = &harness.model.status.text;
        assert!(
            screen.contains("NOT SAVED") && screen.contains(said),
            "{screen}"
        );
    }
}
