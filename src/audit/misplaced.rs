//! How much of the credit a scheme puts at the wrong candidates when the ranking is wrong as often as it was measured to be (`advantage-math.md` 2.7, "noise floor").
//!
//! The model (Thurstone's): a candidate's quality is a standard normal number; the grader sees it
//! with normal noise, as much of it as makes it order a pair of candidates right with probability
//! *p*, the measured pairwise accuracy. With *m* candidates of equal advantage, ranked strictly, a
//! scheme gives the place *k* the share *s(k)* of the credit. Then
//!
//! - credit moved = ½ Σ |s(k) − 1/m|,
//! - credit misplaced = the mean over rankings of ½ Σ |s(true place) − s(place seen)|,
//! - expected misplaced share = misplaced: of all the credit, 0 to 1; 0 when the grader is always
//!   right,
//! - misplaced per moved = misplaced / moved: above 1 where more is misplaced than moved, so that
//!   moving nothing would be nearer to what the true ranking gives.
//!
//! It is a property of scheme, *m* and *p*, not of a group's own numbers: ties and unequal
//! advantages of the real groups are not in it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::domain::Scheme;

/// Rankings drawn for each number of candidates; the figure is good to about 0.01.
const DRAWS: usize = 4000;
/// Where the draws begin, so that the same question has the same answer.
const SEED: u64 = 0x6761_6761;

/// Rankings of m candidates as a grader of some accuracy sees them.
#[derive(Debug, Clone)]
pub struct NoisyRankings {
    /// Place seen by true place (both 0-based), one ranking after the other, `places` entries each.
    seen: Vec<usize>,
    places: usize,
}

impl NoisyRankings {
    /// Draws rankings of `places` candidates (0 and 1 have nothing to misplace) under a pairwise
    /// accuracy, 0.5 (chance; less counts as that) to 1.
    #[must_use]
    pub fn draw(places: usize, accuracy: f64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let noise = noise_of(accuracy);
        let mut seen = Vec::with_capacity(places * DRAWS);
        for _ in 0..DRAWS {
            let mut quality: Vec<f64> = (0..places).map(|_| normal(&mut random)).collect();
            quality.sort_by(|a, b| b.total_cmp(a));
            // By true place, how good each one looks.
            let looks: Vec<f64> = quality
                .iter()
                .map(|quality| match noise {
                    Some(noise) => quality + noise * normal(&mut random),
                    // As bad as chance: what is seen has nothing to do with quality.
                    None => normal(&mut random),
                })
                .collect();
            let mut order: Vec<usize> = (0..places).collect();
            order.sort_by(|&a, &b| looks[b].total_cmp(&looks[a]));
            let mut place_seen = vec![0; places];
            for (place, &candidate) in order.iter().enumerate() {
                place_seen[candidate] = place;
            }
            seen.extend(place_seen);
        }
        Self { seen, places }
    }

    /// Credit moved by the scheme and the mean of the credit misplaced, both as shares of all the
    /// credit (0..=1); see the module's text. `None` when the scheme gives nothing to any place.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "small whole numbers")]
    pub fn moved_and_misplaced(&self, scheme: &Scheme) -> Option<(f64, f64)> {
        let weights: Vec<f64> = (0..self.places)
            .map(|place| scheme.weight(place, self.places))
            .collect();
        let sum: f64 = weights.iter().sum();
        if sum <= 0.0 {
            return None;
        }
        let shares: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
        let even = 1.0 / self.places as f64;
        let moved = shares.iter().map(|share| (share - even).abs()).sum::<f64>() / 2.0;
        let misplaced: f64 = self
            .seen
            .chunks_exact(self.places)
            .flat_map(|ranking| ranking.iter().zip(&shares))
            .map(|(&seen, share)| (share - shares[seen]).abs())
            .sum();
        Some((moved, misplaced / 2.0 / DRAWS as f64))
    }
}

/// The deviation of the noise under which a pair of standard normal qualities is ordered right with
/// this probability; `None` where no finite one is large enough (chance).
fn noise_of(accuracy: f64) -> Option<f64> {
    // The differences of quality and of what is seen correlate by r = 1/sqrt(1 + noise²) and agree
    // in sign with probability 1/2 + arcsin(r)/π.
    let r = ((accuracy.clamp(0.5, 1.0) - 0.5) * std::f64::consts::PI).sin();
    (r > 1e-9).then(|| (1.0 / (r * r) - 1.0).max(0.0).sqrt())
}

/// A standard normal number (Box and Muller).
fn normal(random: &mut ChaCha8Rng) -> f64 {
    // 1 - x lies in (0, 1]: its logarithm is finite.
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.random::<f64>()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(scheme: &str, accuracy: f64) -> f64 {
        let scheme = scheme.parse().unwrap();
        let drawn = NoisyRankings::draw(4, accuracy);
        let (moved, misplaced) = drawn.moved_and_misplaced(&scheme).unwrap();
        assert!((0.0..=1.0).contains(&misplaced));
        misplaced / moved
    }

    #[test]
    fn the_noise_floor_is_that_of_the_literature() {
        // advantage-math.md 2.7, m = 4.
        for (accuracy, linear, median, top) in [
            (0.95, 0.16, 0.11, 0.13),
            (0.84, 0.45, 0.32, 0.39),
            (0.66, 0.91, 0.70, 0.74),
        ] {
            for (scheme, expected) in [
                ("linear:floor=0.5", linear),
                ("below_median:factor=0.5", median),
                ("top:k=1,rest=0", top),
            ] {
                let found = share(scheme, accuracy);
                assert!(
                    (found - expected).abs() < 0.04,
                    "{scheme} {accuracy}: {found}"
                );
            }
        }
    }

    #[test]
    fn a_grader_that_is_always_right_misplaces_nothing() {
        assert_eq!(share("linear:floor=0.5", 1.0), 0.0);
        assert_eq!(share("dcg", 0.8), share("dcg", 0.8));
        let uniform = NoisyRankings::draw(4, 0.7).moved_and_misplaced(&Scheme::Uniform);
        assert_eq!(uniform, Some((0.0, 0.0)));
    }

    #[test]
    fn two_candidates_are_misplaced_as_often_as_a_pair_is_wrong() {
        // m = 2, linear 0.5: shares 2/3 and 1/3; moved 1/6, misplaced (1 - p) * 1/3.
        let (moved, misplaced) = NoisyRankings::draw(2, 0.8)
            .moved_and_misplaced(&Scheme::default())
            .unwrap();
        assert!((moved - 1.0 / 6.0).abs() < 1e-12);
        assert!((misplaced - 0.2 / 3.0).abs() < 0.01, "{misplaced}");
    }
}
