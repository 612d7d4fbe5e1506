//! A theme in the sixteen colours that every colour terminal has.
//!
//! Tints of a background have no like among them, so what a tint says is said by the letters:
//! changed lines take the tint's hue, changed words are reversed, the cursor too.

use ratatui::style::{Color, Modifier, Style};

use super::contrast::{Rgb, ratio, rgb};
use super::syntax::Source;
use super::{Role, Theme};

/// Colours with less of their strongest channel between the channels than this are greys, in
/// percent.
const GREY: u16 = 18;
/// A grey with less contrast to the background than this is a quiet one.
const QUIET: f64 = 6.5;

/// The theme in sixteen colours, on the terminal's own background.
pub(super) fn reduce(mut theme: Theme) -> Theme {
    let background = theme.background.and_then(rgb);
    let dark = theme.dark;
    for &role in Role::ALL {
        let style = theme.style_mut(role);
        *style = reduced(role, *style, background, dark);
    }
    if !matches!(theme.source, Source::Roles) {
        // A scheme's colours have no like among the sixteen.
        for (role, style) in CODE {
            if !theme.own_syntax.contains(&role) {
                *theme.style_mut(role) = style;
            }
        }
    }
    theme.background = None;
    theme
}

/// Kinds of code in the sixteen colours.
const CODE: [(Role, Style); 6] = [
    (Role::SyntaxKeyword, Style::new().fg(Color::Magenta)),
    (Role::SyntaxString, Style::new().fg(Color::Yellow)),
    (
        Role::SyntaxComment,
        Style::new().add_modifier(Modifier::DIM),
    ),
    (Role::SyntaxNumber, Style::new().fg(Color::Cyan)),
    (Role::SyntaxConstant, Style::new().fg(Color::Cyan)),
    (Role::SyntaxType, Style::new().fg(Color::Cyan)),
];

fn reduced(role: Role, style: Style, background: Option<Rgb>, dark: bool) -> Style {
    if role == Role::Text {
        return Style::default();
    }
    let mut found = Style {
        fg: style.fg.filter(|fg| rgb(*fg).is_none()),
        bg: style.bg.filter(|bg| rgb(*bg).is_none()),
        ..style
    };
    if let Some(channels) = style.fg.and_then(rgb) {
        match hue(channels, dark) {
            Some(colour) => found.fg = Some(colour),
            None if background.is_some_and(|ground| ratio(channels, ground) < QUIET) => {
                found = found.add_modifier(Modifier::DIM);
            }
            None => {}
        }
    }
    let tint = style.bg.and_then(rgb);
    match (role, tint) {
        (Role::Cursor | Role::CursorLine | Role::Match, Some(_)) => {
            found.fg = None;
            found.add_modifier(Modifier::REVERSED)
        }
        (Role::Added | Role::Removed | Role::MovedFrom | Role::MovedTo, Some(tint)) => {
            found.fg = hue(away(tint, background), dark).or(found.fg);
            found
        }
        (Role::AddedWord | Role::RemovedWord, Some(tint)) => {
            found.fg = hue(away(tint, background), dark).or(found.fg);
            found.add_modifier(Modifier::REVERSED)
        }
        (Role::FileHeader, Some(_)) => found.add_modifier(Modifier::UNDERLINED),
        _ => found,
    }
}

/// What a tint adds to the background, as a colour of its own.
fn away(tint: Rgb, background: Option<Rgb>) -> Rgb {
    let Some(ground) = background else {
        return tint;
    };
    let away = [
        i16::from(tint.0) - i16::from(ground.0),
        i16::from(tint.1) - i16::from(ground.1),
        i16::from(tint.2) - i16::from(ground.2),
    ];
    let low = away.iter().min().copied().unwrap_or(0);
    let [r, g, b] = away.map(|away| u8::try_from(away - low).unwrap_or(u8::MAX));
    (r, g, b)
}

/// The colour among the sixteen that has this hue; `None` for a grey.
pub(super) fn hue((r, g, b): Rgb, dark: bool) -> Option<Color> {
    let (low, high) = (r.min(g).min(b), r.max(g).max(b));
    if u16::from(high - low) * 100 < u16::from(high) * GREY {
        return None;
    }
    let (r, g, b) = (f64::from(r), f64::from(g), f64::from(b));
    let spread = f64::from(high - low);
    let high = f64::from(high);
    let sixth = if high <= r {
        ((g - b) / spread).rem_euclid(6.0)
    } else if high <= g {
        (b - r) / spread + 2.0
    } else {
        (r - g) / spread + 4.0
    };
    // Plain blue on black can hardly be read on the consoles that have sixteen colours.
    let blue = if dark { Color::LightBlue } else { Color::Blue };
    Some(match sixth * 60.0 {
        0.0..25.0 | 330.0.. => Color::Red,
        25.0..75.0 => Color::Yellow,
        75.0..165.0 => Color::Green,
        165.0..195.0 => Color::Cyan,
        195.0..260.0 => blue,
        _ => Color::Magenta,
    })
}
