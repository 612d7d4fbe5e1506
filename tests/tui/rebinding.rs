//! What is typed or chosen while the data of the open group changes belongs to what it was begun for.

use std::fs;
use std::path::PathBuf;

use gagar::store::{FindingRecord, MemoryStore};
use gagar::tui::testing::Harness;
use serde_json::json;

/// A group `m` with the passing candidates b, c, d behind a failing one, a file for each: the failing
/// one has index 0, and when it goes every other index moves.
struct Group {
    harness: Harness,
    root: tempfile::TempDir,
}

fn file(root: &tempfile::TempDir, id: &str) -> PathBuf {
    root.path().join(format!("{id}.jsonl"))
}

fn put(root: &tempfile::TempDir, id: &str, reward: u8, text: &str) {
    let patch = format!("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+{id}{text}\n");
    let line =
        json!({"group_id": "m", "trajectory_id": id, "reward": reward, "patch": patch}).to_string();
    fs::write(file(root, id), line + "\n").unwrap();
}

fn open() -> Group {
    let root = tempfile::tempdir().unwrap();
    put(&root, "a", 0, "");
    for id in ["b", "c", "d"] {
        put(&root, id, 1, "");
    }
    let folder = [root.path()];
    let store = Box::new(MemoryStore::default());
    let mut harness = Harness::open_as("lead", false, &folder, (120, 30), store).unwrap();
    if harness.model.compare.group.is_none() {
        harness.press("<enter>");
    }
    Group { harness, root }
}

impl Group {
    /// Takes the file of a candidate away, and has that noticed.
    fn lose(&mut self, id: &str) {
        fs::write(file(&self.root, id), "").unwrap();
        assert!(self.harness.look_again());
    }

    fn findings(&self) -> Vec<FindingRecord> {
        let session = self.harness.model.session.as_ref().unwrap();
        let judgement = session.judgement(0);
        let findings = judgement.map_or(Vec::new(), |judgement| judgement.findings.clone());
        findings.into_iter().map(|(_, finding)| finding).collect()
    }

    fn settled(&self) -> Option<Vec<Vec<String>>> {
        let session = self.harness.model.session.as_ref().unwrap();
        let judgement = session.judgement(0)?;
        let settled = judgement.adjudication.as_ref()?;
        Some(settled.tiers.clone())
    }
}

#[test]
fn a_settlement_under_way_stays_with_its_candidates() {
    let mut group = open();
    group.harness.press("JgaaJ");
    group.lose("a");
    let screen = group.harness.screen();
    assert!(screen.contains("settlement under way is kept"), "{screen}");
    group.harness.press("<enter>fine<enter>");
    let settled = group.settled().unwrap_or_default();
    assert_eq!(settled.concat(), ["b"], "{settled:?}");

    let mut group = open();
    group.harness.press("KgaaJ");
    group.harness.press("<enter>because");
    put(&group.root, "b", 0, "");
    assert!(group.harness.look_again());
    // The words stay where they were typed, and say why they are not taken.
    let screen = group.harness.press("<enter>").screen();
    assert!(screen.contains("because"), "{screen}");
    assert!(screen.contains("nothing to settle with"), "{screen}");
    assert_eq!(group.settled(), None);
}

#[test]
fn a_finding_stays_with_its_candidate() {
    let mut group = open();
    group.harness.press("nn+o,odd");
    group.lose("a");
    let screen = group.harness.screen();
    assert!(
        screen.contains("candidate and place are the same"),
        "{screen}"
    );
    group.harness.press("<enter>");
    let found = group.findings();
    assert_eq!(found[0].trajectory, "b", "{found:?}");
    assert_eq!(found[0].note, "odd");

    // One's own, changed while another rollout comes.
    group.harness.press("g+e");
    put(&group.root, "0", 1, "");
    assert!(group.harness.look_again());
    group.harness.press(",er<enter>");
    let found = group.findings();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].trajectory.as_str(), found[0].note.as_str()),
        ("b", "odder")
    );
}

#[test]
fn a_finding_asks_for_its_place_again_when_the_patch_changed() {
    let mut group = open();
    group.harness.press("nn+o,odd");
    put(&group.root, "b", 1, " anew");
    assert!(group.harness.look_again());
    let screen = group.harness.press("<enter>").screen();
    assert!(screen.contains("choose the place again"), "{screen}");
    assert!(screen.contains("odd"), "{screen}");
    assert!(group.findings().is_empty());
    group.harness.press("<tab><enter>");
    let found = group.findings();
    assert_eq!((found.len(), found[0].note.as_str()), (1, "odd"));

    let mut group = open();
    group.harness.press("nn+o,odd");
    group.lose("b");
    let screen = group.harness.press("<enter>").screen();
    assert!(screen.contains("its candidate is gone"), "{screen}");
    assert!(group.findings().is_empty());
}

#[test]
fn the_list_of_findings_keeps_the_chosen_one() {
    let mut group = open();
    group.harness.press("nn+o<enter>l+c<enter>");
    group.harness.press("g+j");
    let before = format!("{:?}", group.harness.model.overlay);
    put(&group.root, "e", 1, "");
    assert!(group.harness.look_again());
    // The findings were about the group as it was: the list has neither of them.
    assert!(before.contains("Findings(1)"), "{before}");
    assert!(group.harness.model.overlay.is_none());
    let said = &group.harness.model.status.text;
    assert!(said.contains("not in the list any more"), "{said}");
}

#[test]
fn nothing_is_stored_about_a_group_without_rollouts() {
    let mut group = open();
    group.harness.press("Nwords");
    for id in ["a", "b", "c", "d"] {
        fs::write(file(&group.root, id), "").unwrap();
    }
    assert!(group.harness.look_again());
    let events = group.harness.store().events_since(0).unwrap().len();
    let screen = group.harness.press("<enter>").screen();
    assert!(
        screen.contains("nothing can be stored about it"),
        "{screen}"
    );
    assert!(screen.contains("words"), "{screen}");
    // Left, it is copied instead of stored.
    group.harness.press("<esc>");
    assert!(
        group
            .harness
            .model
            .status
            .text
            .contains("the note was copied")
    );
    assert_eq!(group.harness.store().events_since(0).unwrap().len(), events);
    // The rollouts are back: it can be said.
    for id in ["b", "c", "d"] {
        put(&group.root, id, 1, "");
    }
    assert!(group.harness.look_again());
    group.harness.press("Nwords<enter>");
    assert!(group.harness.store().events_since(0).unwrap().len() > events);
}

#[test]
fn time_before_the_data_changed_is_kept_with_the_data_it_was_spent_on() {
    let mut group = open();
    group.harness.wait(0).press("J").wait(5000).press("K");
    group.lose("a");
    let session = group.harness.model.session.as_ref().unwrap();
    let mut judgement = session.any_judgement(0);
    let mut spent = 0;
    while let Some(one) = judgement {
        spent += one.spent_ms;
        judgement = one.stale.as_deref();
    }
    assert!(spent >= 5000, "{spent}");
}
