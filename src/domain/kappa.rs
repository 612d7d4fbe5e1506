//! Cohen's kappa for yes/no verdicts of two raters (`annotation.md` 1.5).
//!
//! For flags only: on rankings it is a trap, because everybody's canonical order is nearly the
//! ranking.

use super::agreement::Undefined;

/// How two raters' yes/no verdicts on the same units fall together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdicts {
    /// Units on which both say yes.
    pub both: usize,
    /// Units on which only the first says yes.
    pub only_first: usize,
    /// Units on which only the second says yes.
    pub only_second: usize,
    /// Units on which both say no.
    pub neither: usize,
}

impl Verdicts {
    /// Counts one unit.
    pub fn add(&mut self, first: bool, second: bool) {
        *match (first, second) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.only_first,
            (false, true) => &mut self.only_second,
            (false, false) => &mut self.neither,
        } += 1;
    }

    /// Number of units.
    #[must_use]
    pub fn units(&self) -> usize {
        self.both + self.only_first + self.only_second + self.neither
    }

    /// Cohen's kappa, at most 1.
    ///
    /// # Errors
    /// [`Undefined::NothingCommon`] without units, [`Undefined::OneValue`] when both say the same of
    /// every unit, so that chance alone explains it.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a quotient needs no more digits than it has"
    )]
    pub fn kappa(&self) -> Result<f64, Undefined> {
        if self.units() == 0 {
            return Err(Undefined::NothingCommon);
        }
        // Everything times units², in whole numbers: no agreement beyond chance is exactly 0.
        let units = self.units() as i128;
        let first = (self.both + self.only_first) as i128;
        let second = (self.both + self.only_second) as i128;
        let agreed = (self.both + self.neither) as i128 * units;
        let chance = first * second + (units - first) * (units - second);
        let all = units * units;
        if chance == all {
            return Err(Undefined::OneValue);
        }
        Ok((agreed - chance) as f64 / (all - chance) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_of_a_textbook_table() {
        let verdicts = Verdicts {
            both: 20,
            only_first: 5,
            only_second: 10,
            neither: 15,
        };
        assert!((verdicts.kappa().unwrap() - 0.4).abs() < 1e-12);
    }

    #[test]
    fn one_value_everywhere_is_undefined_not_perfect() {
        let mut verdicts = Verdicts::default();
        assert_eq!(verdicts.kappa(), Err(Undefined::NothingCommon));
        verdicts.add(false, false);
        assert_eq!(verdicts.kappa(), Err(Undefined::OneValue));
        verdicts.add(true, false);
        assert_eq!(verdicts.kappa(), Ok(0.0));
    }

    #[test]
    fn chance_agreement_is_exactly_nothing() {
        for (first, second, units) in [(3, 1, 10), (7, 3, 49), (5, 11, 77), (1, 6, 23)] {
            // Marginals without an association: every cell is a product of them.
            let verdicts = Verdicts {
                both: first * second,
                only_first: first * (units - second),
                only_second: (units - first) * second,
                neither: (units - first) * (units - second),
            };
            assert_eq!(verdicts.kappa(), Ok(0.0), "{verdicts:?}");
        }
    }
}
