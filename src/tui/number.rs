//! How a figure is written: one style for every screen.
//!
//! What is *not* here: columns and padding (each screen's own), and how a figure is computed
//! ([`crate::domain`]).

/// An advantage (or a sum of advantages) with three decimals: a real minus sign, no plus sign, and
/// no sign at all for what rounds to zero.
#[must_use]
pub fn advantage(value: f64) -> String {
    signed(value, 3)
}

/// A figure with so many decimals in the style of [`advantage`].
#[must_use]
pub fn signed(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let is_zero = digits.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if value < 0.0 && !is_zero {
        format!("−{digits}")
    } else {
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign_and_minus_is_a_minus() {
        for zero in [0.0, -0.0, -0.000_4, 0.000_4] {
            assert_eq!(advantage(zero), "0.000");
        }
        assert_eq!(advantage(-0.000_6), "−0.001");
        assert_eq!(advantage(-1.4642), "−1.464");
        assert_eq!(advantage(0.5856), "0.586");
    }
}
