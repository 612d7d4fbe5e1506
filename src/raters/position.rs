//! Whether the order in which a grader saw the candidates predicts its ranking.
//!
//! It tells a bias only where the order shown was shuffled: an order that says something of the
//! candidates (best policy first) agrees with a good ranking.

use serde::Serialize;

use super::bootstrap::Figure;
use super::evidence::GroupEvidence;
use crate::domain::Ranking;
use crate::domain::agreement::compare;

/// The position score of one grader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PositionRow {
    /// The grader.
    pub grader: String,
    /// Groups it ranked.
    pub ranked: usize,
    /// Of those, groups with a recorded order.
    pub with_order: usize,
    /// Mean tau-b of the order shown and the ranking: 0 when the order does not matter, 1 when the
    /// ranking repeats it.
    pub tau_b: Figure,
    /// Share of the groups in which the candidate shown first is in the best tier.
    pub first_on_top: Figure,
    /// The same share less what chance gives (members of the best tier over candidates).
    pub first_above_chance: Figure,
    /// What chance gives; `None` = no order is recorded.
    pub chance: Option<f64>,
}

impl PositionRow {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(super) fn of(name: &str, groups: &[GroupEvidence], seed: u64) -> Self {
        let graded = groups.iter().flat_map(|group| &group.graders);
        let ranked = graded
            .filter(|grader| grader.name == name)
            .filter_map(|grader| Some((grader, grader.ranking.as_ref()?)));
        let (mut count, mut with_order) = (0, 0);
        let (mut taus, mut tops, mut chances) = (Vec::new(), Vec::new(), Vec::new());
        for (grader, ranking) in ranked {
            count += 1;
            let order = grader.shown_order.iter().copied();
            let order = order.filter(|index| ranking.tier_of(*index).is_some());
            let shown = Ranking::new(order.map(|index| vec![index]).collect()).ok();
            let shown = shown.filter(|shown| !shown.is_empty());
            with_order += usize::from(shown.is_some());
            let Some(shown) = shown else {
                taus.push(Err("the order shown is not recorded".to_owned()));
                tops.push(Err("the order shown is not recorded".to_owned()));
                continue;
            };
            let found = compare(&shown, ranking);
            taus.push(found.tau_b.map_err(|reason| reason.to_string()));
            let best = ranking.tiers().first().map_or(0, Vec::len);
            if shown.ranked() != ranking.ranked() {
                tops.push(Err(
                    "the order shown leaves ranked candidates out".to_owned()
                ));
            } else if best == ranking.ranked() {
                tops.push(Err("the ranking ties everything".to_owned()));
            } else {
                let first = shown.order().first().copied();
                let on_top = first.and_then(|first| ranking.tier_of(first)) == Some(0);
                tops.push(Ok(if on_top { 1.0 } else { 0.0 }));
                chances.push(best as f64 / ranking.ranked() as f64);
            }
        }
        let mut chance = chances.iter();
        let above = tops.iter().map(|top| match top {
            Ok(top) => Ok(top - chance.next().copied().unwrap_or(0.0)),
            Err(reason) => Err(reason.clone()),
        });
        let above: Vec<Result<f64, String>> = above.collect();
        Self {
            grader: name.to_owned(),
            ranked: count,
            with_order,
            tau_b: Figure::of(taus, seed),
            first_on_top: Figure::of(tops, seed),
            first_above_chance: Figure::of(above, seed),
            chance: Figure::of(chances.into_iter().map(Ok::<_, String>), seed).mean,
        }
    }
}
