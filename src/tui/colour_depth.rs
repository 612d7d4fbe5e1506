//! How many colours the terminal shows, and a theme's colours in fewer of them.
//!
//! ssh does not pass `COLORTERM` on, so a terminal that does not say it shows 24-bit colours gets
//! the 256 that every one of them knows.

use ratatui::style::Color;

use super::theme::contrast::{Rgb, luminance};

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColourDepth {
    /// None: `NO_COLOR`, or a dumb terminal.
    None,
    /// The sixteen that every colour terminal has.
    Sixteen,
    /// The 256 of xterm.
    Indexed,
    /// 24 bits.
    True,
}

impl ColourDepth {
    /// Reads it from the environment; `get` returns a variable's value.
    #[must_use]
    pub fn of(get: impl Fn(&str) -> Option<String>) -> Self {
        let term = get("TERM").unwrap_or_default();
        let says = get("COLORTERM").unwrap_or_default();
        let known = ["direct", "kitty", "alacritty", "ghostty", "wezterm", "foot"];
        if get("NO_COLOR").is_some_and(|value| !value.is_empty()) || term == "dumb" {
            Self::None
        } else if says == "truecolor"
            || says == "24bit"
            || known.iter().any(|name| term.contains(name))
        {
            Self::True
        } else if SIXTEEN.contains(&term.as_str()) || term.ends_with("-16color") {
            Self::Sixteen
        } else {
            Self::Indexed
        }
    }
}

/// Terminals known to have no more than sixteen colours.
const SIXTEEN: [&str; 5] = ["linux", "ansi", "vt220", "cygwin", "putty"];

/// Levels of a channel in xterm's colour cube.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
/// Colours with less spread than this between their channels are greys.
const GREY_SPREAD: u8 = 24;

/// The colour among xterm's 256 that stands for an RGB colour; others stay as they are.
#[must_use]
pub fn indexed(colour: Color) -> Color {
    let Color::Rgb(r, g, b) = colour else {
        return colour;
    };
    let (low, high) = (r.min(g).min(b), r.max(g).max(b));
    if high - low < GREY_SPREAD {
        let mean = (u16::from(r) + u16::from(g) + u16::from(b)) / 3;
        return Color::Indexed(grey(mean));
    }
    let place = |channel: u8| -> u8 {
        let nearest = LEVELS
            .iter()
            .enumerate()
            .min_by_key(|(_, level)| channel.abs_diff(**level));
        let place = nearest.map_or(0, |(place, _)| u8::try_from(place).unwrap_or(0));
        // A dark tint keeps its hue: its strongest channel never becomes black.
        if channel == high { place.max(1) } else { place }
    };
    Color::Indexed(16 + 36 * place(r) + 6 * place(g) + place(b))
}

/// The colour among xterm's 256 that stands for a tint of a background: the palest of the tint's hue,
/// the next stronger one for a `strong` tint. The nearest colour may be the background itself.
#[must_use]
pub fn indexed_tint(tint: Rgb, ground: Rgb, strong: bool) -> Color {
    let away = [
        i16::from(tint.0) - i16::from(ground.0),
        i16::from(tint.1) - i16::from(ground.1),
        i16::from(tint.2) - i16::from(ground.2),
    ];
    let low = away.iter().min().copied().unwrap_or(0);
    let spread = away.iter().max().copied().unwrap_or(0) - low;
    if spread < i16::from(GREY_SPREAD) / 4 {
        return indexed(Color::Rgb(tint.0, tint.1, tint.2));
    }
    let (on, off) = match (luminance(ground) < 0.18, strong) {
        (true, false) => (1, 0),
        (true, true) => (2, 0),
        (false, false) => (5, 4),
        (false, true) => (5, 3),
    };
    let [r, g, b] = away.map(|away| {
        if (away - low) * 5 >= spread * 3 {
            on
        } else {
            off
        }
    });
    Color::Indexed(16 + 36 * r + 6 * g + b)
}

/// The nearest of the 24 greys, black and white.
fn grey(mean: u16) -> u8 {
    match mean {
        0..4 => 16,
        247.. => 231,
        _ => {
            232 + u8::try_from(mean.saturating_sub(3) / 10)
                .unwrap_or(23)
                .min(23)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_is_what_the_environment_says() {
        let depth = |pairs: &[(&str, &str)]| {
            ColourDepth::of(|name| {
                let found = pairs.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        let xterm = ("TERM", "xterm-256color");
        assert_eq!(depth(&[xterm]), ColourDepth::Indexed);
        assert_eq!(
            depth(&[xterm, ("COLORTERM", "truecolor")]),
            ColourDepth::True
        );
        assert_eq!(depth(&[("TERM", "xterm-kitty")]), ColourDepth::True);
        assert_eq!(depth(&[("TERM", "dumb")]), ColourDepth::None);
        assert_eq!(depth(&[("TERM", "linux")]), ColourDepth::Sixteen);
        assert_eq!(depth(&[("TERM", "xterm-16color")]), ColourDepth::Sixteen);
        assert_eq!(depth(&[xterm, ("NO_COLOR", "1")]), ColourDepth::None);
        assert_eq!(depth(&[xterm, ("NO_COLOR", "")]), ColourDepth::Indexed);
    }

    #[test]
    fn dark_tints_keep_their_hue_and_greys_stay_grey() {
        assert_eq!(indexed(Color::Rgb(0x16, 0x30, 0x1f)), Color::Indexed(22));
        assert_eq!(indexed(Color::Rgb(0x3a, 0x1a, 0x20)), Color::Indexed(52));
        assert_eq!(indexed(Color::Rgb(255, 255, 255)), Color::Indexed(231));
        assert_eq!(indexed(Color::Rgb(0, 0, 0)), Color::Indexed(16));
        assert_eq!(indexed(Color::Rgb(0x80, 0x80, 0x80)), Color::Indexed(244));
        assert_eq!(indexed(Color::Red), Color::Red);
    }
}
