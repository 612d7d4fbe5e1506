//! Blind review: what is hidden, in which order candidates are shown, and what is recorded of it.

use std::sync::Arc;

use gagar::domain::{
    Extra, Finding, Grader, GraderAnswer, GroupId, Move, Outcome, Ranking, RolloutGroup,
    TaskSummary, Trajectory,
};
use gagar::export::ExportSource;
use gagar::formats::LoadedSet;
use gagar::review::{
    BlindPlan, Change, Identity, ReviewError, ReviewSession, Settings, blind_order,
};
use gagar::store::{EventBody, EventStore, MemoryStore};
use proptest::prelude::*;

/// Stands in every name, in the grader's texts and in what is recorded of it.
const SECRET: &str = "zebra";

fn set_of(names: &[(String, bool)], fingerprint: &str) -> Arc<LoadedSet> {
    let trajectories = names.iter().map(|(name, passes)| {
        let outcome = if *passes {
            Outcome::Pass
        } else {
            Outcome::Fail
        };
        let mut trajectory = Trajectory::new(name.clone(), outcome);
        trajectory.policy = Some(format!("{SECRET}-policy"));
        trajectory.recorded_advantage = Some(0.25);
        trajectory.meta = Extra(vec![("run".to_owned(), format!("\"{SECRET}\""))]);
        trajectory
    });
    let group = RolloutGroup {
        id: GroupId("g".to_owned()),
        step: None,
        task: TaskSummary::default(),
        trajectories: trajectories.collect(),
        fingerprint: fingerprint.to_owned(),
        meta: Extra(vec![("model".to_owned(), format!("\"{SECRET}\""))]),
    };
    let passing = (0..names.len()).filter(|&index| names[index].1);
    let answer = GraderAnswer {
        grader: Grader {
            name: format!("{SECRET}-judge"),
            ..Grader::default()
        },
        status: "ok".to_owned(),
        ranking: Some(Ranking::new(passing.map(|index| vec![index]).collect()).unwrap()),
        shown_order: (0..names.len()).collect(),
        summaries: vec![(0, format!("{SECRET} summary"))],
        findings: vec![Finding {
            trajectory: 0,
            code: "out_of_scope".to_owned(),
            severity: None,
            file: None,
            side: None,
            lines: None,
            note: Some(SECRET.to_owned()),
        }],
        ..GraderAnswer::default()
    };
    let mut set = LoadedSet::default();
    set.groups.push(Arc::new(group));
    set.answers.push([answer].into());
    Arc::new(set)
}

/// Four passing and two failing ones.
fn names() -> Vec<(String, bool)> {
    (0..6)
        .map(|index| (format!("{SECRET}-{index}"), index < 4))
        .collect()
}

fn session_of(
    set: Arc<LoadedSet>,
    annotator: &str,
    plan: BlindPlan,
    store: &MemoryStore,
) -> ReviewSession {
    let identity = Identity {
        annotator: annotator.to_owned(),
        session_id: "s".to_owned(),
        source: "test".to_owned(),
        blind: plan,
    };
    let events = store.events_since(0).unwrap();
    let seed = 7 + events.len() as u64;
    let clock = Box::new(|| 1_796_000_000_000);
    ReviewSession::new(set, &events, identity, Settings::default(), seed, clock)
}

fn blind(store: &MemoryStore) -> ReviewSession {
    let plan = BlindPlan::review(true, 0);
    session_of(set_of(&names(), "f"), "ann", plan, store)
}

fn true_ids(session: &ReviewSession) -> Vec<String> {
    let count = session.group(0).unwrap().trajectories.len();
    (0..count)
        .map(|index| session.true_id(0, index).unwrap())
        .collect()
}

#[track_caller]
fn make(session: &mut ReviewSession, store: &mut MemoryStore, change: Change) {
    let proposal = session.propose(0, change).unwrap();
    let leaks = session.is_hidden(0) && proposal.summary.contains(SECRET);
    assert!(!leaks, "{}", proposal.summary);
    session.apply(&proposal);
    store.append(&proposal.events).unwrap();
}

fn submitted(store: &mut MemoryStore) -> ReviewSession {
    let mut session = blind(store);
    make(&mut session, store, Change::Move(Move::ToPlace(0, 1)));
    make(&mut session, store, Change::Submit);
    session
}

fn first_passing(session: &ReviewSession) -> usize {
    let group = session.group(0).unwrap();
    let mut all = group.trajectories.iter();
    all.position(|t| t.outcome.is_pass()).unwrap()
}

#[test]
fn names_grader_and_advantages_are_hidden_until_a_submission_is_revealed() {
    let mut store = MemoryStore::default();
    let mut session = blind(&store);
    let shown = format!("{:?}", session.group(0).unwrap());
    assert!(!shown.contains(SECRET), "{shown}");
    assert!(session.answers(0).is_empty() && session.answer(0).is_none());
    assert!(session.shown_ranking(0).ranking.is_empty());
    let row = format!("{:?}", session.rows()[0]);
    assert!(!row.contains(SECRET) && row.contains("credit_moved: None"));
    assert!(session.reviewed(0).unwrap().baseline.is_err());
    assert_eq!(session.hidden_groups(), 1);
    let letters = session.group(0).unwrap().trajectories.iter();
    let letters: Vec<_> = letters.map(|t| t.id.as_str()).collect();
    assert_eq!(letters, ["A", "B", "C", "D", "E", "F"]);

    let accept = session.propose(0, Change::AcceptGrader);
    assert_eq!(accept, Err(ReviewError::Hidden));
    assert!(session.propose(0, Change::Reveal).is_err(), "not submitted");

    let first = first_passing(&session);
    make(
        &mut session,
        &mut store,
        Change::Move(Move::ToPlace(first, 1)),
    );
    assert!(session.propose(0, Change::Reveal).is_err(), "not submitted");
    make(&mut session, &mut store, Change::Submit);
    let before = true_ids(&session);
    make(&mut session, &mut store, Change::Reveal);
    assert!(!session.is_hidden(0) && session.is_blind(0));
    assert_eq!(true_ids(&session), before, "letters stay");
    let group = session.group(0).unwrap();
    assert_eq!(group.trajectories[0].id.as_str(), before[0]);
    let answer = session.answer(0).unwrap();
    let ranked: Vec<_> = answer.ranking.as_ref().unwrap().order();
    let ranked: Vec<_> = ranked.iter().map(|&index| before[index].clone()).collect();
    assert_eq!(ranked, ["zebra-0", "zebra-1", "zebra-2", "zebra-3"]);
    assert_eq!(before[answer.findings[0].trajectory], "zebra-0");
    assert_eq!(before[answer.summaries[0].0], "zebra-0");
    let order: Vec<_> = answer.shown_order.iter().map(|&i| &before[i]).collect();
    assert_eq!(order[5], "zebra-5");
    assert!(session.reviewed(0).unwrap().redistributed.is_ok());
}

#[test]
fn the_order_is_the_same_at_every_start_and_another_for_another_person() {
    let store = MemoryStore::default();
    let first = true_ids(&blind(&store));
    assert_eq!(true_ids(&blind(&store)), first);
    let plan = BlindPlan::review(true, 0);
    let mut names = names();
    names.reverse();
    let turned = session_of(set_of(&names, "f"), "ann", plan.clone(), &store);
    assert_eq!(true_ids(&turned), first, "whatever the order of the files");
    let orders: std::collections::BTreeSet<_> = ["ann", "bob", "cem", "dia"]
        .map(|name| true_ids(&session_of(set_of(&names, "f"), name, plan.clone(), &store)))
        .into_iter()
        .collect();
    assert!(orders.len() > 2, "{orders:?}");
    // Stored orders refer to it: it must never change.
    let ids = ["t0", "t1", "t2", "t3"];
    assert_eq!(blind_order(7, "ann", "g", &ids), FIXED);
}

/// Computed outside: `sorted(range(4), key=sha256(seed u64 LE, then each of annotator, group, id with
/// its length as u64 LE))`.
const FIXED: [usize; 4] = [1, 3, 2, 0];

#[test]
fn events_hold_true_ids_the_order_shown_and_the_seed() {
    let mut store = MemoryStore::default();
    let mut session = blind(&store);
    let ids = true_ids(&session);
    let first = first_passing(&session);
    make(
        &mut session,
        &mut store,
        Change::Move(Move::ToPlace(first, 1)),
    );
    make(&mut session, &mut store, Change::Submit);
    make(&mut session, &mut store, Change::Reveal);
    let second = (first + 1..6)
        .find(|&index| {
            session.group(0).unwrap().trajectories[index]
                .outcome
                .is_pass()
        })
        .unwrap();
    make(
        &mut session,
        &mut store,
        Change::Move(Move::ToPlace(second, 1)),
    );
    make(&mut session, &mut store, Change::Submit);
    let events = store.events_since(0).unwrap();
    let EventBody::GroupOpen {
        shown_order,
        blind,
        seed,
    } = &events[0].body
    else {
        panic!("{events:?}");
    };
    assert_eq!((shown_order, *blind, *seed), (&ids, true, Some(0)));
    let submissions: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::RankSubmit {
                tiers,
                shown_order,
                blind,
                after_reveal,
                unranked,
                ..
            } => Some((tiers, shown_order, *blind, *after_reveal, unranked)),
            _ => None,
        })
        .collect();
    assert_eq!(submissions.len(), 2);
    assert_eq!(submissions[0].0[0], [ids[first].clone()]);
    assert_eq!(submissions[0].1, &ids);
    assert!(submissions[0].4.iter().all(|id| id.starts_with(SECRET)));
    assert_eq!((submissions[0].2, submissions[0].3), (true, false));
    assert_eq!((submissions[1].2, submissions[1].3), (true, true));
    assert_eq!(submissions[1].0[0], [ids[second].clone()]);
}

#[test]
fn undo_stops_at_the_reveal_also_after_a_restart() {
    let mut store = MemoryStore::default();
    let mut session = submitted(&mut store);
    make(&mut session, &mut store, Change::Reveal);
    let second = (0..6).rev().find(|&index| {
        let group = session.group(0).unwrap();
        group.trajectories[index].outcome.is_pass()
    });
    let edit = Change::Move(Move::ToPlace(second.unwrap(), 1));
    make(&mut session, &mut store, edit);
    let mut session = blind(&store);
    make(&mut session, &mut store, Change::Undo);
    for session in [&mut session, &mut blind(&store)] {
        let stands = session.propose(0, Change::Undo);
        assert_eq!(stands, Err(ReviewError::Sealed));
        let judgement = session.judgement(0).unwrap();
        assert!(judgement.blind_submission().is_some());
    }
    // An undo that another process wrote at the same time changes nothing either.
    let sent = session.judgement(0).unwrap().submissions[0]
        .event_id
        .clone();
    let undo = EventBody::Undo { event_id: sent };
    let mut late = session.propose(0, Change::Redo).unwrap();
    late.events[0].body = undo;
    session.apply(&late);
    assert!(session.judgement(0).unwrap().blind_submission().is_some());
    let log: Vec<_> = session.log().iter().collect();
    let told = gagar::review::history(&log, &|_, id| id.to_owned());
    let submission = told.iter().find(|entry| entry.kind == "rank.submit");
    assert!(!submission.unwrap().undone);
}

#[test]
fn what_is_said_after_the_reveal_is_no_part_of_what_was_said_blind() {
    let mut store = MemoryStore::default();
    let mut session = blind(&store);
    make(&mut session, &mut store, Change::Note("early".to_owned()));
    make(&mut session, &mut store, Change::Move(Move::ToPlace(0, 1)));
    make(&mut session, &mut store, Change::Submit);
    make(&mut session, &mut store, Change::Reveal);
    let late = || Some("late".to_owned());
    for change in [
        Change::Note("late".to_owned()),
        Change::Flag(late()),
        Change::Confidence(Some(3)),
        Change::Skip(late()),
    ] {
        make(&mut session, &mut store, change);
    }
    let mut labels_of = |blind_only: bool| {
        let settings = Settings {
            blind_only,
            ..session.settings().clone()
        };
        session.set_settings(settings);
        session.labels()
    };
    let labels = labels_of(true);
    assert_eq!(labels.len(), 1);
    let label = &labels[0];
    assert_eq!(label.note, "early");
    assert_eq!(
        (&label.flag_reason, &label.skip_reason, label.confidence),
        (&None, &None, None)
    );
    let label = &labels_of(false)[0];
    assert_eq!((label.note.as_str(), &label.flag_reason), ("late", &late()));
}

#[test]
fn what_was_begun_blind_stays_blind_without_the_flag_and_commands_hide_nothing() {
    let mut store = MemoryStore::default();
    let before = true_ids(&submitted(&mut store));
    let set = || set_of(&names(), "f");
    let later = session_of(set(), "ann", BlindPlan::review(false, 9), &store);
    assert!(later.is_hidden(0));
    assert_eq!(true_ids(&later), before, "the recorded order counts");
    let other = session_of(set(), "bob", BlindPlan::review(false, 0), &store);
    assert!(!other.is_blind(0));
    let command = session_of(set(), "ann", BlindPlan::default(), &store);
    assert!(!command.is_blind(0));
}

#[test]
fn what_was_seen_before_is_hidden_and_not_recorded_as_blind() {
    let mut store = MemoryStore::default();
    let set = || set_of(&names(), "f");
    let mut open = session_of(set(), "ann", BlindPlan::review(false, 0), &store);
    make_open(&mut open, &mut store);
    let mut session = blind(&store);
    assert!(session.is_hidden(0));
    make(&mut session, &mut store, Change::Submit);
    let events = store.events_since(0).unwrap();
    let EventBody::RankSubmit { blind, .. } = &events.last().unwrap().body else {
        panic!("{events:?}");
    };
    assert!(!blind);
}

fn make_open(session: &mut ReviewSession, store: &mut MemoryStore) {
    let proposal = session.propose(0, Change::AcceptGrader).unwrap();
    session.apply(&proposal);
    store.append(&proposal.events).unwrap();
}

#[test]
fn undo_goes_on_after_a_restart_and_hides_as_before() {
    let mut store = MemoryStore::default();
    submitted(&mut store);
    let mut session = blind(&store);
    make(&mut session, &mut store, Change::Undo);
    make(&mut session, &mut store, Change::Undo);
    assert!(session.draft(0).is_none() && session.is_hidden(0));
    let mut session = blind(&store);
    make(&mut session, &mut store, Change::Redo);
    make(&mut session, &mut store, Change::Redo);
    make(&mut session, &mut store, Change::Reveal);
    assert!(!blind(&store).is_hidden(0), "revealed stays revealed");
}

#[test]
fn a_group_that_grows_is_shuffled_anew_and_stays_hidden() {
    let mut store = MemoryStore::default();
    let mut session = submitted(&mut store);
    let mut more = names();
    more.push((format!("{SECRET}-6"), true));
    let changed = session.replace_set(set_of(&more, "f2"), None);
    assert_eq!(changed, [0]);
    assert!(session.is_hidden(0) && session.answers(0).is_empty());
    assert_eq!(session.group(0).unwrap().trajectories.len(), 7);
    let shown = format!("{:?}", session.group(0).unwrap());
    assert!(!shown.contains(SECRET), "{shown}");
    let plan = BlindPlan::review(true, 0);
    let again = session_of(set_of(&more, "f2"), "ann", plan, &store);
    assert_eq!(true_ids(&session), true_ids(&again));
}

proptest! {
    /// The same moves on the same candidates store the same tiers, whatever order and names they are
    /// shown with.
    #[test]
    fn the_same_moves_store_the_same_blind_or_not(
        passes in proptest::collection::vec(any::<bool>(), 2..9),
        moves in proptest::collection::vec((0_usize..9, 0_usize..5, 1_usize..9), 1..12),
        seed in any::<u64>(),
    ) {
        let names: Vec<_> = passes
            .iter()
            .enumerate()
            .map(|(index, passes)| (format!("{SECRET}-{index}"), *passes))
            .collect();
        let mut set = set_of(&names, "f").as_ref().clone();
        // Without a grader both start from nothing.
        set.answers = vec![Arc::default()];
        let set = Arc::new(set);
        let store = MemoryStore::default();
        let plans = [BlindPlan::default(), BlindPlan::review(true, seed)];
        let mut stored = plans.map(|plan| {
            let mut session = session_of(Arc::clone(&set), "ann", plan, &store);
            let mut events = Vec::new();
            for (candidate, kind, place) in &moves {
                let id = &names[candidate % names.len()].0;
                let ids = true_ids(&session);
                let index = ids.iter().position(|other| other == id).unwrap();
                let edit = match kind {
                    0 | 1 => Move::ToPlace(index, *place),
                    2 => Move::Split(index),
                    _ => Move::Unrank(index),
                };
                if let Ok(proposal) = session.propose(0, Change::Move(edit)) {
                    session.apply(&proposal);
                    events.extend(proposal.events);
                }
            }
            let bodies = events.into_iter().filter_map(|event| match event.body {
                // Members of a tier stand in the order shown; the tier is a set.
                EventBody::RankSet { after, .. } => Some((sorted(after), event.group)),
                _ => None,
            });
            bodies.collect::<Vec<_>>()
        });
        let [open, blind] = &mut stored;
        prop_assert_eq!(open, blind);
    }
}

fn sorted(mut tiers: Vec<Vec<String>>) -> Vec<Vec<String>> {
    for tier in &mut tiers {
        tier.sort();
    }
    tiers
}
