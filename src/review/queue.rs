//! The order in which groups are worked on, and how far the work is.
//!
//! What is *not* here: which groups a filter shows ([`super::Filter`]) and which of them one
//! annotator was given ([`super::Assignment`]).

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use super::row::ReviewState;
use super::session::ReviewSession;
use crate::domain::seed_of;

/// An order of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueueOrder {
    /// As assigned, else as loaded.
    #[default]
    Given,
    /// Shuffled by this seed: the same groups always come in the same order.
    Random(u64),
    /// Those that grader and annotator rank most differently first.
    Disagreement,
    /// Flagged ones first, then those with the most findings and remarks.
    Flags,
    /// Those in which a ranking moves the most advantage first.
    Credit,
    /// Those never opened first.
    Unseen,
}

/// The seed when none is given.
const SEED: u64 = 7;

/// Why a text names no order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is no order: given, random, random:seed=7, disagreement, flags, credit, unseen")]
pub struct OrderError(String);

impl QueueOrder {
    /// Every order, as the chooser lists them; the random one with the default seed.
    pub const ALL: [Self; 6] = [
        Self::Given,
        Self::Random(SEED),
        Self::Disagreement,
        Self::Flags,
        Self::Credit,
        Self::Unseen,
    ];

    /// What it does, in one line.
    #[must_use]
    pub fn doc(self) -> &'static str {
        match self {
            Self::Given => "as assigned, else as the files hold them",
            Self::Random(_) => "shuffled; the seed makes it the same again",
            Self::Disagreement => "what grader and you rank most differently first",
            Self::Flags => "flagged groups first, then most findings and remarks",
            Self::Credit => "where a ranking moves the most advantage first",
            Self::Unseen => "never opened first, then drafts, then the rest",
        }
    }

    /// Puts groups (0-based indices of the session) in this order. Groups that it does not tell
    /// apart stay as they are given: as assigned, else as loaded.
    #[must_use]
    pub fn arrange(self, session: &ReviewSession, groups: &[usize]) -> Vec<usize> {
        let mut order = groups.to_vec();
        match session.assignment() {
            Some(_) => order.sort_by_key(|&group| session.assigned_place(group)),
            None => order.sort_unstable(),
        }
        let row = |group: &usize| session.rows().get(*group);
        match self {
            Self::Given => {}
            Self::Random(seed) => {
                // By id, so that groups that come later take a place among the others without
                // moving them.
                let seed = seed.to_string();
                order.sort_by_cached_key(|&group| {
                    let id = session.group(group).map_or("", |group| group.id.as_str());
                    seed_of(&[&seed, id])
                });
            }
            Self::Disagreement => order.sort_by(|a, b| {
                let value = |group| row(group).and_then(|row| row.disagreement).unwrap_or(-1.0);
                value(b).total_cmp(&value(a))
            }),
            Self::Flags => order.sort_by_key(|group| {
                let found = row(group);
                Reverse(found.map_or((false, 0), |row| (row.flagged.is_some(), row.remarked)))
            }),
            Self::Credit => order.sort_by(|a, b| {
                let value = |group| row(group).map_or(0.0, |row| row.at_stake);
                value(b).total_cmp(&value(a))
            }),
            Self::Unseen => order.sort_by_key(|group| {
                row(group).map_or(u8::MAX, |row| match row.state {
                    ReviewState::Unseen => 0,
                    ReviewState::Stale => 1,
                    ReviewState::Opened => 2,
                    ReviewState::Draft | ReviewState::Edited => 3,
                    ReviewState::Skipped => 4,
                    ReviewState::Submitted => 5,
                })
            }),
        }
        order
    }
}

impl fmt::Display for QueueOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => f.write_str("given"),
            Self::Random(seed) => write!(f, "random:seed={seed}"),
            Self::Disagreement => f.write_str("disagreement"),
            Self::Flags => f.write_str("flags"),
            Self::Credit => f.write_str("credit"),
            Self::Unseen => f.write_str("unseen"),
        }
    }
}

impl FromStr for QueueOrder {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Self, OrderError> {
        let text = text.trim();
        let wrong = || OrderError(text.to_owned());
        if let Some(seed) = text.strip_prefix("random:seed=") {
            return seed.parse().map(Self::Random).map_err(|_| wrong());
        }
        match text {
            "random" => return Ok(Self::Random(SEED)),
            _ if text.contains(':') => return Err(wrong()),
            _ => {}
        }
        let known = Self::ALL
            .into_iter()
            .find(|order| order.to_string() == text);
        known.ok_or_else(wrong)
    }
}

/// How far an annotator is with the groups they are to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Groups to judge: all that were assigned, else those of which a ranking counts.
    pub total: usize,
    /// With a submission that counts.
    pub submitted: usize,
    /// Set aside.
    pub skipped: usize,
    /// Finished groups with measured time.
    timed: usize,
    /// Focused time on those, in milliseconds.
    timed_ms: u64,
}

impl Progress {
    /// Counts over the groups of a session.
    #[must_use]
    pub fn of(session: &ReviewSession) -> Self {
        let mut progress = Self::default();
        for (group, row) in session.rows().iter().enumerate() {
            if !session.is_to_judge(group) {
                continue;
            }
            progress.total += 1;
            match row.state {
                // An edited submission counts until the next one, but there is work left.
                ReviewState::Submitted => progress.submitted += 1,
                ReviewState::Skipped => progress.skipped += 1,
                _ => continue,
            }
            if row.spent_ms > 0 {
                progress.timed += 1;
                progress.timed_ms += row.spent_ms;
            }
        }
        progress
    }

    /// Finished groups an hour of focused time; `None` until one with measured time is finished.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts and times stay below 2^53"
    )]
    pub fn per_hour(&self) -> Option<f64> {
        let hours = self.timed_ms as f64 / 3_600_000.0;
        (self.timed > 0 && hours > 0.0).then(|| self.timed as f64 / hours)
    }

    /// Groups left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.total.saturating_sub(self.submitted + self.skipped)
    }

    /// `12/40 done · 3 skipped`, without the rate.
    #[must_use]
    pub fn in_short(&self) -> String {
        let mut said = format!("{}/{} done", self.submitted, self.total);
        if self.skipped > 0 {
            said.push_str(&format!(" · {} skipped", self.skipped));
        }
        said
    }

    /// `14/h · about 2 h left`; empty while no rate is known.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    pub fn rate(&self) -> String {
        let Some(rate) = self.per_hour() else {
            return String::new();
        };
        let shown = match rate {
            rate if rate < 10.0 => format!("{rate:.1}/h"),
            rate => format!("{rate:.0}/h"),
        };
        match self.left() {
            0 => shown,
            left => format!("{shown} · {} left", about(left as f64 / rate * 60.0)),
        }
    }

    /// `12/40 done · 3 skipped · 14/h · about 2 h left`.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self.rate() {
            rate if rate.is_empty() => self.in_short(),
            rate => format!("{} · {rate}", self.in_short()),
        }
    }
}

fn about(minutes: f64) -> String {
    match minutes {
        minutes if minutes < 1.0 => "under a minute".to_owned(),
        minutes if minutes < 90.0 => format!("about {minutes:.0} min"),
        minutes => format!("about {:.0} h", minutes / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for order in QueueOrder::ALL {
            assert_eq!(order.to_string().parse(), Ok(order));
        }
        assert_eq!("random:seed=12".parse(), Ok(QueueOrder::Random(12)));
        assert_eq!("random".parse(), Ok(QueueOrder::Random(SEED)));
        for wrong in ["", "rand", "given:seed=1", "random:seed=x", "random:7"] {
            let told = wrong.parse::<QueueOrder>().unwrap_err().to_string();
            assert!(told.contains("disagreement"), "{told}");
        }
    }

    #[test]
    fn the_rate_is_of_focused_time() {
        let mut progress = Progress {
            total: 40,
            submitted: 12,
            skipped: 3,
            timed: 0,
            timed_ms: 0,
        };
        assert_eq!(progress.in_words(), "12/40 done · 3 skipped");
        (progress.timed, progress.timed_ms) = (14, 3_600_000);
        let said = "12/40 done · 3 skipped · 14/h · about 2 h left";
        assert_eq!(progress.in_words(), said);
        (progress.timed, progress.timed_ms) = (15, 15 * 60_000);
        assert!(progress.in_words().ends_with("60/h · about 25 min left"));
        progress.submitted = 37;
        assert!(
            progress.in_words().ends_with("60/h"),
            "{}",
            progress.in_words()
        );
    }
}
