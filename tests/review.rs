//! The use cases: a change is proposed, applied, and the advantages and the state follow.

use std::sync::Arc;

use gagar::domain::{
    Grader, GraderAnswer, GroupId, Move, Outcome, Ranking, RolloutGroup, TaskSummary, Trajectory,
};
use gagar::formats::LoadedSet;
use gagar::review::{
    BlindPlan, Change, Identity, RankingSource, ReviewError, ReviewSession, ReviewState, Settings,
};
use gagar::store::{Event, EventBody, EventStore, MemoryStore};

/// A group of four passing (t0-t3) and two failing (t4, t5) trajectories, ranked t1 > t0 = t2 > t3
/// by a grader.
fn loaded_set(fingerprint: &str) -> Arc<LoadedSet> {
    let outcome = |i| if i < 4 { Outcome::Pass } else { Outcome::Fail };
    let group = RolloutGroup {
        id: GroupId("g".to_owned()),
        step: None,
        task: TaskSummary::default(),
        trajectories: (0..6)
            .map(|i| Trajectory::new(format!("t{i}"), outcome(i)))
            .collect(),
        fingerprint: fingerprint.to_owned(),
        meta: gagar::domain::Extra::default(),
    };
    let answer = GraderAnswer {
        grader: Grader {
            name: "judge".to_owned(),
            ..Grader::default()
        },
        status: "ok".to_owned(),
        ranking: Some(Ranking::new(vec![vec![1], vec![0, 2], vec![3]]).unwrap()),
        ..GraderAnswer::default()
    };
    let mut set = LoadedSet::default();
    set.groups.push(Arc::new(group));
    set.answers.push([answer].into());
    Arc::new(set)
}

fn session(fingerprint: &str, events: &[Event]) -> ReviewSession {
    let identity = Identity {
        annotator: "ann".to_owned(),
        session_id: "s".to_owned(),
        source: "test".to_owned(),
        blind: BlindPlan::default(),
    };
    let seed = 7 + events.len() as u64;
    let clock = Box::new(|| 1_796_000_000_000);
    ReviewSession::new(
        loaded_set(fingerprint),
        events,
        identity,
        Settings::default(),
        seed,
        clock,
    )
}

fn tiers(session: &ReviewSession) -> Vec<Vec<usize>> {
    session.shown_ranking(0).ranking.tiers().to_vec()
}

#[track_caller]
fn make(session: &mut ReviewSession, store: &mut MemoryStore, change: Change) {
    let proposal = session.propose(0, change).unwrap();
    session.apply(&proposal);
    store.append(&proposal.events).unwrap();
}

#[test]
fn the_grader_s_ranking_moves_advantages_and_keeps_their_sum() {
    let session = session("f", &[]);
    let reviewed = session.reviewed(0).unwrap();
    let baseline = reviewed.baseline.unwrap();
    let after = reviewed.redistributed.unwrap().advantages;
    assert!(after[1] > after[0] && after[0] > after[3]);
    assert_eq!(
        after[0].to_bits(),
        after[2].to_bits(),
        "tied candidates are bit-equal"
    );
    let sum = |values: &[f64]| values[..4].iter().sum::<f64>();
    assert!((sum(&after) - sum(&baseline)).abs() < 1e-12);
    assert_eq!(after[4..], baseline[4..]);
    assert_eq!(session.rows()[0].ranked_by.as_deref(), Some("judge"));
    assert_eq!(session.state(0), ReviewState::Unseen);
}

#[test]
fn a_move_starts_a_draft_from_the_grader_s_order_and_nothing_counts_before_submit() {
    let (mut session, mut store) = (session("f", &[]), MemoryStore::default());
    make(&mut session, &mut store, Change::Move(Move::Up(3)));
    assert_eq!(session.state(0), ReviewState::Draft);
    assert_ne!(tiers(&session), [vec![1], vec![0, 2], vec![3]]);
    let mut settings = session.settings().clone();
    settings.source = RankingSource::Human;
    session.set_settings(settings.clone());
    assert!(
        session.shown_ranking(0).ranking.is_empty(),
        "a draft does not count"
    );
    make(&mut session, &mut store, Change::Submit);
    assert_eq!(session.state(0), ReviewState::Submitted);
    assert!(!session.shown_ranking(0).ranking.is_empty());
    assert!(!session.shown_ranking(0).annotation_id.is_empty());
    let kinds: Vec<_> = store
        .events_since(0)
        .unwrap()
        .into_iter()
        .map(|e| e.body)
        .collect();
    assert!(matches!(
        kinds.as_slice(),
        [
            EventBody::GroupOpen { .. },
            EventBody::RankSet { .. },
            EventBody::RankSubmit { .. }
        ]
    ));
}

#[test]
fn undo_and_redo_survive_a_restart_and_reach_through_a_submit() {
    let (mut first, mut store) = (session("f", &[]), MemoryStore::default());
    make(&mut first, &mut store, Change::Move(Move::ToPlace(3, 1)));
    let moved = tiers(&first);
    make(&mut first, &mut store, Change::Submit);
    let mut second = session("f", &store.events_since(0).unwrap());
    assert_eq!(second.state(0), ReviewState::Submitted);
    make(&mut second, &mut store, Change::Undo);
    assert_eq!(second.state(0), ReviewState::Draft);
    assert_eq!(tiers(&second), moved);
    make(&mut second, &mut store, Change::Undo);
    assert_eq!(second.state(0), ReviewState::Opened);
    assert_eq!(
        tiers(&second),
        [vec![1], vec![0, 2], vec![3]],
        "back to the grader's order"
    );
    let mut third = session("f", &store.events_since(0).unwrap());
    make(&mut third, &mut store, Change::Redo);
    assert_eq!(tiers(&third), moved);
    make(&mut third, &mut store, Change::Redo);
    assert_eq!(third.state(0), ReviewState::Submitted);
    assert!(matches!(
        third.propose(0, Change::Redo),
        Err(ReviewError::Nothing(_))
    ));
}

#[test]
fn a_judgement_of_other_data_is_stale_and_never_attached() {
    let (mut old, mut store) = (session("before", &[]), MemoryStore::default());
    make(&mut old, &mut store, Change::AcceptGrader);
    make(&mut old, &mut store, Change::Submit);
    let mut new = session("after", &store.events_since(0).unwrap());
    assert_eq!(new.state(0), ReviewState::Stale);
    assert!(new.draft(0).is_none());
    assert!(matches!(
        new.propose(0, Change::Undo),
        Err(ReviewError::Nothing(_))
    ));
    make(&mut new, &mut store, Change::Move(Move::Unrank(3)));
    assert_eq!(new.state(0), ReviewState::Draft);
    assert_eq!(
        session("before", &store.events_since(0).unwrap()).state(0),
        ReviewState::Submitted
    );
}

#[test]
fn only_passing_candidates_are_ranked() {
    let mut session = session("f", &[]);
    assert!(matches!(
        session.propose(0, Change::Move(Move::Up(4))),
        Err(ReviewError::NotPassing(id)) if id == "t4"
    ));
    let failing = Ranking::new(vec![vec![0], vec![5]]).unwrap();
    assert!(matches!(
        session.propose(0, Change::Set(failing)),
        Err(ReviewError::Invalid(_))
    ));
    assert!(matches!(
        session.propose(0, Change::Submit),
        Err(ReviewError::NoDraft)
    ));
    assert!(matches!(
        session.propose(9, Change::Submit),
        Err(ReviewError::NoGroup)
    ));
}

#[test]
fn a_change_after_the_submit_is_a_draft_again_while_the_submission_still_counts() {
    let (mut session, mut store) = (session("f", &[]), MemoryStore::default());
    make(&mut session, &mut store, Change::AcceptGrader);
    make(&mut session, &mut store, Change::Submit);
    make(&mut session, &mut store, Change::Move(Move::Unrank(0)));
    assert_eq!(session.state(0), ReviewState::Edited);
    let mut settings = session.settings().clone();
    settings.source = RankingSource::Human;
    session.set_settings(settings);
    assert_eq!(tiers(&session), [vec![1], vec![0, 2], vec![3]]);
    make(&mut session, &mut store, Change::Submit);
    assert_eq!(tiers(&session), [vec![1], vec![2], vec![3]]);
    let last = store.events_since(0).unwrap().pop().unwrap();
    assert!(matches!(last.body, EventBody::RankSubmit { unranked, .. } if unranked == ["t0"]));
}

#[test]
fn a_dropped_group_has_no_advantage_and_a_draft_is_nobody_s_ranking() {
    let mut set = LoadedSet::default();
    let first = loaded_set("f");
    let mut group = (*first.groups[0]).clone();
    group.trajectories.truncate(4);
    group.trajectories[0].reward = Some(0.7);
    set.groups.push(Arc::new(group));
    set.answers.push(Arc::default());
    let identity = Identity {
        annotator: "ann".to_owned(),
        session_id: "s".to_owned(),
        source: "test".to_owned(),
        blind: BlindPlan::default(),
    };
    let clock = Box::new(|| 1_796_000_000_000);
    let settings = Settings::default();
    let mut session = ReviewSession::new(Arc::new(set), &[], identity, settings, 7, clock);
    assert_eq!(session.reviewed(0).unwrap().baseline.unwrap(), [0.0; 4]);
    let proposal = session.propose(0, Change::Move(Move::Up(2))).unwrap();
    session.apply(&proposal);
    assert_eq!(session.rows()[0].ranked_by, None);
    let proposal = session.propose(0, Change::Submit).unwrap();
    assert!(proposal.summary.contains("dropped"), "{}", proposal.summary);
    session.apply(&proposal);
    assert_eq!(session.rows()[0].ranked_by.as_deref(), Some("ann"));
}

#[test]
fn a_log_that_changed_is_taken_over_below_what_waits_to_be_stored() {
    let mut other = session("f", &[]);
    let accepted = other.propose(0, Change::AcceptGrader).unwrap();
    let log = MemoryStore::default().append(&accepted.events).unwrap();
    // Another seed, so other event ids.
    let mut mine = ReviewSession::new(
        loaded_set("f"),
        &[],
        other.identity().clone(),
        Settings::default(),
        99,
        Box::new(|| 0),
    );
    let note = mine.propose(0, Change::Note("look".to_owned())).unwrap();
    mine.apply(&note);
    mine.replace_log(&log, accepted.events.iter().chain(&note.events));
    let judgement = mine.judgement(0).unwrap();
    assert_eq!(judgement.note, "look");
    assert_eq!(judgement.undo.len(), 2);
    assert_eq!(mine.state(0), ReviewState::Draft);
    assert_eq!(mine.rows()[0].state, ReviewState::Draft);
}
