//! What a schedule does: to the candidates of the open group, and on average over all groups.

use super::figures;
use crate::domain::RolloutGroup;
use crate::domain::counted;
use crate::domain::metrics::{equivalent_reward, metrics};
use crate::domain::redistribution::Status;
use crate::review::{ReviewSession, ReviewedGroup, Settings, passing};
use crate::tui::number;
use crate::tui::screens::compare::{letter, order};
use crate::tui::text;
use crate::tui::theme::Role;

/// Text in roles.
pub type Parts = Vec<(String, Role)>;

/// Means over the groups whose advantages are moved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// Groups whose advantages are moved.
    pub groups: usize,
    /// Mean of the largest multiplier.
    pub top_boost: f64,
    /// Mean of the effective number of credited trajectories as a share of all credited ones.
    pub effective_share: f64,
    /// Mean share of the credit that is moved.
    pub credit_moved: f64,
}

impl Summary {
    /// The means over every group of the session.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    pub fn of(session: &ReviewSession) -> Self {
        let mut sum = Self::default();
        for (group, row) in session.rows().iter().enumerate() {
            if row.credit_moved.is_none() {
                continue;
            }
            let Some((data, reviewed)) = session.group(group).zip(session.reviewed(group)) else {
                continue;
            };
            let (Ok(before), Ok(after)) = (&reviewed.baseline, &reviewed.redistributed) else {
                continue;
            };
            let figures = metrics(before, &after.advantages, &passing(data), None);
            let Some(credit) = figures.credit else {
                continue;
            };
            let holders = credit.share_after.iter().flatten().count();
            sum.groups += 1;
            sum.top_boost += credit.max_boost;
            sum.effective_share += credit.n_eff.1 / holders.max(1) as f64;
            sum.credit_moved += credit.credit_moved;
        }
        let count = sum.groups.max(1) as f64;
        sum.top_boost /= count;
        sum.effective_share /= count;
        sum.credit_moved /= count;
        sum
    }

    /// The summary in one line.
    #[must_use]
    pub fn line(&self) -> String {
        if self.groups == 0 {
            return "no group's advantages are moved".to_owned();
        }
        format!(
            "{} moved · top boost ×{:.3} · n_eff/m {:.3} · credit moved {:.3} (means)",
            counted(self.groups, "group", "groups"),
            self.top_boost,
            self.effective_share,
            self.credit_moved
        )
    }
}

/// Estimator and scheme in a few words.
#[must_use]
pub fn in_short(settings: &Settings) -> String {
    format!("{} · {}", settings.estimator, settings.scheme)
}

/// The effect on the open group, one line per candidate in the order shown.
#[must_use]
pub fn effect(session: &ReviewSession, group: usize, reviewed: &ReviewedGroup) -> Vec<Parts> {
    let Some(data) = session.group(group) else {
        return Vec::new();
    };
    let (before, after) = match (&reviewed.baseline, &reviewed.redistributed) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(reason), _) | (_, Err(reason)) => {
            return vec![vec![(text::sanitize_line(reason), Role::Warning)]];
        }
    };
    let head = format!(
        "{:<4} {:>5} {:>8} {:>9}    {:>9} {:>8} {:>6}",
        "", "rank", "weight", "baseline", "after", "×", "as r"
    );
    let mut lines = vec![vec![(head, Role::Header)]];
    for index in order(data, &reviewed.shown.ranking) {
        let (Some(base), Some(now)) = (before.get(index), after.advantages.get(index)) else {
            continue;
        };
        let rank = reviewed.shown.ranking.rank_of(index);
        let rank = rank.map_or_else(|| "·".to_owned(), |rank| rank.to_string());
        let weight = after.weights.get(index).copied().flatten();
        let weight = weight
            .map(|weight| format!("{weight:.3}"))
            .unwrap_or_default();
        let multiplier = after.multipliers.get(index).copied().unwrap_or(1.0);
        let role = match now.total_cmp(base) {
            std::cmp::Ordering::Greater => Role::Up,
            std::cmp::Ordering::Less => Role::Down,
            std::cmp::Ordering::Equal => Role::Text,
        };
        lines.push(vec![
            (format!("{:<4}", letter(index)), Role::Strong),
            (
                format!(" {rank:>5} {weight:>8} {:>9}  → ", number::advantage(*base)),
                Role::Text,
            ),
            (
                format!("{:>9} {multiplier:>8.3}", number::advantage(*now)),
                role,
            ),
            (as_reward(data, index, multiplier), Role::Dim),
        ]);
    }
    if after.status != Status::Redistributed {
        lines.push(vec![(after.status.word().to_owned(), Role::Dim)]);
    }
    let found = figures::of(data, before, after);
    lines.push(Vec::new());
    for line in figures::lines(data, &found, &reviewed.shown.ranking) {
        lines.push(vec![(line, Role::Text)]);
    }
    lines.extend(figures::recorded(session, group).map(|line| vec![(line, Role::Text)]));
    for warning in figures::warnings(&found, &session.settings().scheme, after) {
        lines.push(vec![(
            format!("! {}", text::sanitize_line(&warning)),
            Role::Warning,
        )]);
    }
    lines
}

/// The reward that would have given the redistributed advantage ("as if it had scored 0.83").
fn as_reward(data: &RolloutGroup, index: usize, multiplier: f64) -> String {
    let reward = data.trajectories.get(index).and_then(|t| t.reward);
    match reward.zip(figures::mean_reward(data)) {
        Some((reward, mean)) => format!(" {:>6.3}", equivalent_reward(reward, mean, multiplier)),
        None => String::new(),
    }
}
