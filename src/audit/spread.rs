//! How the values of a figure lie over the groups.

use serde::Serialize;

/// Mean, least, median and most of some values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// Number of values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The smallest.
    pub least: f64,
    /// The middle one, or the mean of the two middle ones.
    pub median: f64,
    /// The largest.
    pub most: f64,
}

impl Spread {
    /// The spread of these values; `None` without any. Values that are not finite are not expected.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (least, most) = (*values.first()?, *values.last()?);
        let (low, high) = (
            values.get((values.len() - 1) / 2)?,
            values.get(values.len() / 2)?,
        );
        Some(Self {
            count: values.len(),
            mean: values.iter().sum::<f64>() / values.len() as f64,
            least,
            median: f64::midpoint(*low, *high),
            most,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        let spread = Spread::of(vec![4.0, 1.0, 2.0, 9.0]).unwrap();
        assert_eq!(
            (
                spread.count,
                spread.mean,
                spread.least,
                spread.median,
                spread.most
            ),
            (4, 4.0, 1.0, 3.0, 9.0)
        );
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
