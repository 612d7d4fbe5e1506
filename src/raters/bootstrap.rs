//! Means over groups with percentile intervals from resampled groups.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

/// Resamples behind every interval.
pub const RESAMPLES: usize = 2_000;

/// Groups that a mean leaves out, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Why the figure is undefined there.
    pub reason: String,
    /// How many groups.
    pub groups: usize,
}

/// A mean over groups.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Figure {
    /// The mean; `None` = undefined: no group has a value.
    pub mean: Option<f64>,
    /// 2.5 % and 97.5 % percentile of the means of [`RESAMPLES`] resamples of the groups; `None`
    /// below two groups.
    pub interval: Option<[f64; 2]>,
    /// Groups with a value.
    pub groups: usize,
    /// Groups without one, by reason.
    pub undefined: Vec<LeftOut>,
}

impl Figure {
    /// The mean of one value, or a reason why there is none, per group.
    #[must_use]
    pub fn of<E: std::fmt::Display>(
        values: impl IntoIterator<Item = Result<f64, E>>,
        seed: u64,
    ) -> Self {
        let mut figure = Self::default();
        let mut defined = Vec::new();
        for value in values {
            match value {
                Ok(value) => defined.push(value),
                Err(reason) => figure.leave_out(reason.to_string()),
            }
        }
        // Which value is drawn depends on its place, and a sum on the order: the figures must not
        // depend on the order in which groups arrived.
        defined.sort_unstable_by(f64::total_cmp);
        figure.undefined.sort_by(|a, b| a.reason.cmp(&b.reason));
        figure.groups = defined.len();
        figure.mean = mean(&defined);
        figure.interval = interval(&defined, seed);
        figure
    }

    fn leave_out(&mut self, reason: String) {
        let known = self.undefined.iter_mut().find(|left| left.reason == reason);
        match known {
            Some(known) => known.groups += 1,
            None => self.undefined.push(LeftOut { reason, groups: 1 }),
        }
    }

    /// Groups without a value.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.undefined.iter().map(|left| left.groups).sum()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The percentile interval of the mean; the same values and seed give the same one.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn interval(values: &[f64], seed: u64) -> Option<[f64; 2]> {
    let count = u32::try_from(values.len())
        .ok()
        .filter(|count| *count > 1)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || {
        // The bias of a multiplication instead of a rejection is below count / 2^32.
        let place = (u64::from(rng.next_u32()) * u64::from(count)) >> 32;
        values
            .get(usize::try_from(place).unwrap_or(0))
            .copied()
            .unwrap_or(0.0)
    };
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| (0..count).map(|_| draw()).sum::<f64>() / f64::from(count))
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    // Linear between the two neighbours, as most libraries do it.
    let percentile = |share: f64| {
        let at = share * (means.len() - 1) as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the number of resamples"
        )]
        let below = at.floor() as usize;
        let (low, high) = (
            means.get(below)?,
            means.get(below + 1).or(means.get(below))?,
        );
        Some(low + (high - low) * (at - at.floor()))
    };
    Some([percentile(0.025)?, percentile(0.975)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_is_left_out_and_counted_by_reason() {
        let values = [Ok(1.0), Err("ties"), Ok(0.0), Err("ties"), Err("few")];
        let figure = Figure::of(values, 7);
        assert_eq!(figure.mean, Some(0.5));
        assert_eq!((figure.groups, figure.left_out()), (2, 3));
        assert_eq!(figure.undefined[1].groups, 2);
        let none = Figure::of([Err::<f64, _>("ties")], 7);
        assert_eq!((none.mean, none.interval), (None, None));
    }

    #[test]
    fn figures_do_not_depend_on_the_order_of_the_groups() {
        let value = |i: u32| match i % 7 {
            0 => Err(format!("reason {}", i % 2)),
            _ => Ok(f64::from(i * i % 11) / 7.0),
        };
        let there = Figure::of((0..40).map(value), 3);
        assert_eq!(Figure::of((0..40).rev().map(value), 3), there);
    }

    #[test]
    fn intervals_repeat_and_hold_the_mean() {
        let values: Vec<f64> = (0..50).map(|i| f64::from(i % 5) / 4.0).collect();
        let [low, high] = interval(&values, 1).unwrap();
        assert_eq!(interval(&values, 1), Some([low, high]));
        assert_ne!(interval(&values, 2), Some([low, high]));
        // The standard error of this mean is 0.05.
        assert!(
            (0.38..0.42).contains(&low) && (0.58..0.62).contains(&high),
            "{low} {high}"
        );
        assert_eq!(interval(&values[..1], 1), None);
        assert_eq!(interval(&[0.5; 9], 1), Some([0.5, 0.5]));
    }
}
