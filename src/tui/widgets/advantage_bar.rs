//! An advantage as a bar, in eighths of a cell.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The bar of `value` when a bar of `largest` fills `width` cells; empty for values of 0 or less.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 <= share <= 1 and a width is at most 65535"
)]
pub fn bar(value: f64, largest: f64, width: u16) -> String {
    if !value.is_finite() || value <= 0.0 || largest <= 0.0 {
        return String::new();
    }
    let share = (value / largest).min(1.0);
    // What is not nothing is seen.
    let eighths = ((share * f64::from(width) * 8.0).round() as usize).max(1);
    let mut bar = "█".repeat(eighths / 8);
    bar.push_str(EIGHTHS[eighths % 8]);
    bar
}

/// Draws the bar at a cell.
pub fn draw(buffer: &mut Buffer, (x, y): (u16, u16), width: u16, share: (f64, f64), style: Style) {
    super::line::put(buffer, (x, y), width, &bar(share.0, share.1, width), style);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_the_length_of_its_share() {
        assert_eq!(bar(1.0, 1.0, 4), "████");
        assert_eq!(bar(0.5, 1.0, 4), "██");
        assert_eq!(bar(0.53125, 1.0, 4), "██▏");
        assert_eq!(bar(0.0001, 1.0, 4), "▏");
        assert_eq!(bar(-1.0, 1.0, 4), "");
        assert_eq!(bar(f64::NAN, 1.0, 4), "");
    }
}
