//! One rollout of a format whose records stand alone: how its verdict is read and how it enters the
//! groups.
//!
//! What is *not* here: any format's keys, and rollouts that are joined from several files.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::domain::{Extra, Outcome, TaskContent, TaskSummary, Trajectory, TrajectoryContent};

use super::files::{Body, Record};
use super::found::{
    Again, At, Found, FoundGroup, FoundTask, FoundTrajectory, RecordAt, Scope, TaskSource,
    TrajectorySource,
};
use super::json::{self, Fields, JsonError, Kind, Raw};

/// What a format's `open` hands over: the texts of one rollout and of its task as its record has
/// them.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    /// The rollout's texts.
    pub content: TrajectoryContent,
    /// The task's texts.
    pub task: TaskContent,
}

/// A rollout as its record tells it.
#[derive(Debug)]
pub(crate) struct Rollout {
    /// The format's group key as text: the id of the group.
    pub group: String,
    /// Within what the group key means one task: rollouts of another scope never join this group,
    /// theirs gets the scope's name behind its id. `None`: within everything loaded.
    pub scope: Option<Scope>,
    /// Training step.
    pub step: Option<i64>,
    /// Position within the group, for files in order of completion.
    pub order: Option<i64>,
    /// 0-based element of the record, when the record holds several rollouts.
    pub part: Option<u32>,
    /// The index entry; its id is the format's rollout key.
    pub trajectory: Trajectory,
    /// The task in one line, when the record tells it; its texts come from the format's `open`.
    pub task: Option<TaskSummary>,
    /// Keys of the group's own that are kept.
    pub meta: Extra,
}

impl Rollout {
    /// A rollout of a group about which nothing else is known.
    pub(crate) fn new(group: impl Into<String>, trajectory: Trajectory) -> Self {
        Self {
            group: group.into(),
            scope: None,
            step: None,
            order: None,
            part: None,
            trajectory,
            task: None,
            meta: Extra::default(),
        }
    }
}

impl Found {
    /// Takes over a rollout of the format that is being read. Ids that occur twice are both kept:
    /// the later one is numbered.
    pub(crate) fn rollout(&mut self, record: &Record<'_>, rollout: Rollout) {
        self.rollout_again(record, rollout, Again::Number);
    }

    /// Takes over a rollout; `again` says what happens when its id is taken.
    pub(crate) fn rollout_again(&mut self, record: &Record<'_>, rollout: Rollout, again: Again) {
        let (format, part) = (self.format, rollout.part);
        let task = rollout.task.map(|summary| {
            let mut hasher = DefaultHasher::new();
            (&summary.title, &summary.repo, &summary.base_commit).hash(&mut hasher);
            FoundTask {
                summary,
                source: TaskSource::Of(format, record.place, part),
                digest: hasher.finish(),
            }
        });
        self.groups.push(FoundGroup {
            id: rollout.group,
            scope: rollout.scope,
            step: rollout.step,
            task,
            trajectories: vec![FoundTrajectory {
                trajectory: rollout.trajectory,
                source: TrajectorySource {
                    record: Some(RecordAt::Of(format, record.place, part)),
                    ..TrajectorySource::default()
                },
                order: rollout.order,
                again,
                at: At::of(record),
            }],
            meta: rollout.meta,
            at: At::of(record),
        });
    }
}

/// Longest value (bytes of JSON) that the index keeps of a key that no format reads.
const KEPT: usize = 4096;

/// The keys of a record that no format reads, as far as the index keeps them: scalars that are
/// short enough, `null` left out.
pub(crate) fn extra(fields: &Fields<'_>, known: &[&str]) -> Extra {
    let kept = |raw: Raw<'_>| {
        raw.get().len() <= KEPT
            && raw.get() != "null"
            && !matches!(raw.kind(), Kind::Object | Kind::List)
    };
    Extra(
        fields
            .pairs()
            .filter(|(key, raw)| !known.contains(key) && kept(*raw))
            .map(|(key, raw)| (key.to_owned(), raw.strict().into_owned()))
            .collect(),
    )
}

/// What a rollout without a key of its own is called: by its key in the file, its line, or its
/// place in bytes.
pub(crate) fn place_name(record: &Record<'_>) -> String {
    match (&record.key, record.line, record.place.element) {
        (Some(key), _, _) => key.clone(),
        (None, Some(line), _) => format!("line {line}"),
        (None, None, Some(element)) => format!("element {}", element + 1),
        (None, None, None) => format!("byte {}", record.place.start),
    }
}

/// The first twelve hex digits of a text's SHA-256: a short name for a task that has none, long
/// enough for the prompts of a whole run.
pub(crate) fn short_hash(text: &str) -> String {
    use sha2::{Digest as _, Sha256};
    Sha256::digest(text.as_bytes())
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The value of an enum as Python writes it (`Status.ABORTED`, `ABORTED`, `aborted`): the last word
/// in lower case.
pub(crate) fn last_word(text: &str) -> String {
    let word = text.rsplit('.').next().unwrap_or(text);
    word.trim().to_ascii_lowercase()
}

/// The fields of a record that is an object.
///
/// # Errors
/// When it is a list.
pub(crate) fn object<'b, 'a>(body: &'b Body<'a>) -> Result<&'b Fields<'a>, JsonError> {
    match body {
        Body::Object(fields) => Ok(fields),
        Body::List(_) => Err(json::wrong("record", "an object", "a list")),
    }
}

/// The element of a list that holds a rollout.
///
/// # Errors
/// When it is no object or not there any more.
pub(crate) fn element<'a>(
    list: &[Raw<'a>],
    name: &str,
    part: u32,
) -> Result<Fields<'a>, JsonError> {
    let name = json::element_name(name, part as usize);
    let raw = list.get(part as usize).copied();
    let raw = raw.ok_or_else(|| json::wrong(&name, "an object", "nothing"))?;
    Fields::of(&name, raw)
}

/// What the tests said, as a record has it: three-valued, never guessed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    /// Pass, fail or no verdict.
    pub outcome: Outcome,
    /// The reward; `None` when unscored.
    pub reward: Option<f64>,
    /// Why there is none, when that is worth a word.
    pub mark: Option<String>,
}

impl Verdict {
    /// No verdict.
    pub(crate) fn unscored(mark: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Unscored,
            reward: None,
            mark: Some(mark.into()),
        }
    }

    /// From a reward: passes from `pass_at` on; none, NaN and the infinities are unscored.
    pub(crate) fn of_reward(reward: Option<f64>, pass_at: f64) -> Self {
        match reward {
            None => Self {
                outcome: Outcome::Unscored,
                reward: None,
                mark: None,
            },
            Some(value) if value.is_nan() => Self::unscored("the reward is NaN"),
            Some(value) if value.is_infinite() => Self::unscored("the reward is infinite"),
            Some(value) => Self {
                outcome: if value >= pass_at {
                    Outcome::Pass
                } else {
                    Outcome::Fail
                },
                reward: Some(value),
                mark: None,
            },
        }
    }

    /// From what stands under a reward's or verdict's key: a number, a boolean, `null` (unscored),
    /// or a number or word as text (`"1.0"`, `"true"`, `"pass"`, Inspect's `"C"`/`"I"`).
    ///
    /// # Errors
    /// A value that is none of these, shown in the sentence.
    pub(crate) fn of(raw: Option<Raw<'_>>, pass_at: f64) -> Result<Self, String> {
        let Some(raw) = raw.filter(|raw| raw.get() != "null") else {
            return Ok(Self::of_reward(None, pass_at));
        };
        if let Some(value) = json::number(raw.get()) {
            return Ok(Self::of_reward(Some(value), pass_at));
        }
        let text = match raw.kind() {
            Kind::Text => json::text("", raw.get()).unwrap_or_default(),
            _ => String::new(),
        };
        let word = text.trim().to_ascii_lowercase();
        match word.as_str() {
            "true" | "pass" | "passed" | "resolved" | "success" | "c" | "correct" => {
                Ok(Self::of_reward(Some(1.0), pass_at))
            }
            "false" | "fail" | "failed" | "unresolved" | "failure" | "i" | "incorrect" => {
                Ok(Self::of_reward(Some(0.0), pass_at))
            }
            "" | "none" | "null" | "unscored" if raw.kind() == Kind::Text => {
                Ok(Self::of_reward(None, pass_at))
            }
            word => word
                .parse::<f64>()
                .map(|value| Self::of_reward(Some(value), pass_at))
                .map_err(|_| {
                    let shown: String = raw.get().chars().take(40).collect();
                    format!("{shown} is no reward and no verdict")
                }),
        }
    }

    /// From the parts that a reward is the sum of, by name. A part without a number may be the one
    /// that decides, so then there is no verdict; no parts at all are no reward.
    pub(crate) fn of_sum(parts: &[(&str, Option<f64>)], pass_at: f64) -> Self {
        let numbers = parts.iter().filter_map(|(_, number)| *number);
        let sum = numbers.reduce(|sum, number| sum + number);
        let missing: Vec<&str> = parts
            .iter()
            .filter(|(_, number)| number.is_none_or(f64::is_nan))
            .map(|(name, _)| *name)
            .collect();
        // A single NaN says so itself.
        let is_whole = missing.is_empty() || parts.len() == 1;
        match sum {
            Some(_) if !is_whole => {
                Self::unscored(format!("no reward from {}", missing.join(" + ")))
            }
            sum => Self::of_reward(sum, pass_at),
        }
    }

    /// Takes the verdict back from a rollout that is masked out of the loss, and marks what it was.
    /// A rollout that is not masked, or has no verdict, stays as it is.
    pub(crate) fn mask(trajectory: &mut Trajectory) {
        if !trajectory.masked || trajectory.outcome == Outcome::Unscored {
            return;
        }
        let word = trajectory.outcome.word();
        let told = match trajectory.reward {
            Some(reward) => format!("masked ({word}, reward {reward})"),
            None => format!("masked ({word})"),
        };
        Self::unscored(told).put(trajectory);
    }

    /// Writes outcome, reward and mark into a trajectory.
    pub(crate) fn put(self, trajectory: &mut Trajectory) {
        trajectory.outcome = self.outcome;
        trajectory.reward = self.reward;
        trajectory.marks.extend(self.mark);
    }
}
