//! What is shown of a group while it is hidden: letters for ids, and nothing that tells whose its
//! trajectories are and what was made of them.
//!
//! What is *not* here: which groups are hidden, and until when (`blind.rs`).

use crate::domain::{Extra, GraderAnswer, Outcome, RolloutGroup, Trajectory, TrajectoryId, letter};
use crate::formats::SAME_PATCH;

/// Stands for a mark, or a word on how a run ended, that holds a name.
pub(super) const NAMES: &str = "hidden: it holds a name";

/// Characters from which on a part of a policy's or grader's name is a name of its own.
const PART: usize = 4;

/// The group without what is hidden; `answers` are the graders' about it.
pub(super) fn masked(truth: &RolloutGroup, answers: &[GraderAnswer]) -> RolloutGroup {
    let mut group = truth.clone();
    group.meta = Extra::default();
    // A reward beyond pass and fail may be a grader's.
    let tells_more = [Outcome::Pass, Outcome::Fail].into_iter().any(|outcome| {
        let of = truth.trajectories.iter().filter(|t| t.outcome == outcome);
        let mut rewards = of.map(|t| t.reward.map(f64::to_bits));
        let first = rewards.next();
        rewards.any(|reward| Some(reward) != first)
    });
    let names = names(truth, answers);
    for (index, trajectory) in group.trajectories.iter_mut().enumerate() {
        trajectory.id = TrajectoryId(letter(index));
        trajectory.policy = None;
        trajectory.recorded_advantage = None;
        trajectory.meta = Extra::default();
        trajectory.reward = trajectory.reward.filter(|_| !tells_more);
        for mark in &mut trajectory.marks {
            *mark = masked_mark(mark, truth, &names);
        }
        if let Some(status) = &mut trajectory.exit_status
            && names.iter().any(|name| holds(status, name))
        {
            NAMES.clone_into(status);
        }
    }
    group
}

/// The mark with a letter for the other trajectory that it names; one that holds any other name is
/// not shown at all.
fn masked_mark(mark: &str, truth: &RolloutGroup, names: &[String]) -> String {
    if let Some(id) = mark.strip_prefix(SAME_PATCH) {
        let is_it = |other: &Trajectory| other.id.as_str() == id;
        return match truth.trajectories.iter().position(is_it) {
            Some(index) => format!("{SAME_PATCH}{}", letter(index)),
            None => NAMES.to_owned(),
        };
    }
    match names.iter().any(|name| holds(mark, name)) {
        true => NAMES.to_owned(),
        false => mark.to_owned(),
    }
}

/// Ids, policies and graders of a group in lower case, with the longer parts of the latter two:
/// `alder` of `alder-7b`.
fn names(truth: &RolloutGroup, answers: &[GraderAnswer]) -> Vec<String> {
    let ids = truth.trajectories.iter().map(|t| t.id.as_str());
    let policies = truth
        .trajectories
        .iter()
        .filter_map(|t| t.policy.as_deref());
    let graders = answers.iter().map(|answer| answer.grader.name.as_str());
    let mut names: Vec<String> = ids.map(str::to_lowercase).collect();
    for name in policies.chain(graders) {
        let name = name.to_lowercase();
        let parts = name.split(|c: char| !c.is_alphanumeric());
        let parts = parts.filter(|part| part.chars().count() >= PART);
        names.extend(parts.map(ToOwned::to_owned));
        names.push(name);
    }
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether a text holds a name (in lower case) that is no part of a longer word.
fn holds(text: &str, name: &str) -> bool {
    let text = text.to_lowercase();
    let is_in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(name).any(|(at, _)| {
        let (before, from) = text.split_at(at);
        let behind = from.get(name.len()..).unwrap_or_default();
        !is_in_word(before.chars().next_back()) && !is_in_word(behind.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Grader, GroupId, TaskSummary};

    #[test]
    fn marks_that_hold_a_name_are_hidden_and_ids_become_letters() {
        let trajectory = |id: &str, marks: &[&str]| {
            let mut found = Trajectory::new(id, Outcome::Pass);
            found.policy = Some("org/alder-7b@120".to_owned());
            found.marks = marks.iter().map(|mark| (*mark).to_owned()).collect();
            found
        };
        let mut last = trajectory(
            "r1",
            &["alderman", "made by Alder", "like r1.", "r10 tests"],
        );
        last.exit_status = Some("ended by org/alder-7b@120".to_owned());
        let group = RolloutGroup {
            id: GroupId("g".to_owned()),
            step: None,
            task: TaskSummary::default(),
            trajectories: vec![
                trajectory("r0", &["= same patch as r1", "context overflow"]),
                last,
                trajectory("r2", &["= same patch as gone", "the judge likes it"]),
            ],
            fingerprint: String::new(),
            meta: Extra::default(),
        };
        let answer = GraderAnswer {
            grader: Grader {
                name: "judge".to_owned(),
                ..Grader::default()
            },
            ..GraderAnswer::default()
        };
        let shown = masked(&group, &[answer]);
        let marks: Vec<Vec<&str>> = shown
            .trajectories
            .iter()
            .map(|t| t.marks.iter().map(String::as_str).collect())
            .collect();
        assert_eq!(marks[0], ["= same patch as B", "context overflow"]);
        assert_eq!(marks[1], ["alderman", NAMES, NAMES, "r10 tests"]);
        // Of an id that is not in the group nobody can tell whose it is.
        assert_eq!(marks[2], [NAMES, NAMES]);
        let ended = shown.trajectories[1].exit_status.as_deref();
        assert_eq!(ended, Some(NAMES));
    }
}
