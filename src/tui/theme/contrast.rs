//! Contrast of two colours, and a colour made readable on another.
//!
//! Source: WCAG 2.2, "relative luminance" and "contrast ratio" (success criterion 1.4.3).

use ratatui::style::Color;

/// Channels of a 24-bit colour.
pub type Rgb = (u8, u8, u8);

/// Steps in which a colour moves towards white or black until it can be read.
const STEPS: u8 = 20;

/// The channels of a colour; `None` for one that only the terminal knows.
///
/// The 240 colours of xterm behind the first 16 have fixed channels.
#[must_use]
pub fn rgb(colour: Color) -> Option<Rgb> {
    match colour {
        Color::Rgb(r, g, b) => Some((r, g, b)),
        Color::Indexed(number @ 16..=231) => {
            let level = |place: u8| if place == 0 { 0 } else { 55 + 40 * place };
            let at = number - 16;
            Some((level(at / 36), level(at / 6 % 6), level(at % 6)))
        }
        Color::Indexed(number @ 232..) => {
            let grey = 8 + 10 * (number - 232);
            Some((grey, grey, grey))
        }
        _ => None,
    }
}

/// A channel (0 to 255) in linear light, 0 to 1.
pub(super) fn linear(channel: u8) -> f64 {
    let value = f64::from(channel) / 255.0;
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

/// Relative luminance, 0 (black) to 1 (white).
#[must_use]
pub fn luminance((r, g, b): Rgb) -> f64 {
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// Contrast ratio of two colours, 1 (the same) to 21 (black and white).
#[must_use]
pub fn ratio(one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The nearest colour to `text` that has at least this contrast on `ground`, as `shown` by the
/// terminal: lighter on a dark ground, darker on a light one. When nothing has it, the farthest.
#[must_use]
pub fn readable(text: Rgb, ground: Rgb, least: f64, shown: impl Fn(Color) -> Color) -> Color {
    let target: u8 = if ratio((255, 255, 255), ground) >= ratio((0, 0, 0), ground) {
        255
    } else {
        0
    };
    let mut found = Color::Rgb(text.0, text.1, text.2);
    for step in 0..=STEPS {
        let mix = |from: u8| {
            let (from, to, step) = (i16::from(from), i16::from(target), i16::from(step));
            u8::try_from(from + (to - from) * step / i16::from(STEPS)).unwrap_or(target)
        };
        found = shown(Color::Rgb(mix(text.0), mix(text.1), mix(text.2)));
        if rgb(found).is_none_or(|found| ratio(found, ground) >= least) {
            return found;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_on_white_is_21_and_the_same_is_1() {
        assert!((ratio((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 1e-9);
        assert!((ratio((9, 80, 7), (9, 80, 7)) - 1.0).abs() < 1e-9);
        // WebAIM's published value for #777777 on white.
        assert!((ratio((0x77, 0x77, 0x77), (255, 255, 255)) - 4.48).abs() < 0.01);
    }

    #[test]
    fn what_cannot_be_read_becomes_lighter_or_darker() {
        for (text, ground) in [
            ((40, 40, 60), (20, 20, 30)),
            ((250, 240, 200), (255, 255, 255)),
        ] {
            let found = rgb(readable(text, ground, 3.0, |colour| colour)).unwrap();
            assert!(ratio(found, ground) >= 3.0, "{found:?}");
        }
        let fine = readable((200, 10, 10), (255, 255, 255), 3.0, |colour| colour);
        assert_eq!(fine, Color::Rgb(200, 10, 10));
    }

    #[test]
    fn the_cube_and_the_greys_of_xterm() {
        assert_eq!(rgb(Color::Indexed(22)), Some((0, 95, 0)));
        assert_eq!(rgb(Color::Indexed(231)), Some((255, 255, 255)));
        assert_eq!(rgb(Color::Indexed(232)), Some((8, 8, 8)));
        assert_eq!(rgb(Color::Indexed(3)), None);
    }
}
