//! What must hold for every shipped theme: every role is set, everything can be read, and what
//! differs in meaning differs to the eye, at every colour depth.

use std::collections::BTreeSet;

use ratatui::style::{Color, Modifier, Style};

use super::contrast::{Rgb, linear, ratio, rgb};
use super::{EMBEDDED, Role, Theme};
use crate::tui::colour_depth::ColourDepth;

/// Least contrast of text that is read.
const TEXT: f64 = 4.5;
/// Least contrast of what guides the eye: borders, numbers, quiet remarks, and of text on a tint.
const GUIDE: f64 = 3.0;

fn themes() -> Vec<Theme> {
    Theme::embedded().unwrap()
}

/// Themes that name their colours; the others use the terminal's.
fn coloured() -> impl Iterator<Item = Theme> {
    let own = ["ansi", "plain"];
    themes()
        .into_iter()
        .filter(move |theme| !own.contains(&theme.name.as_str()))
}

fn channels(theme: &Theme, colour: Option<Color>) -> Rgb {
    let colour = colour.unwrap_or_else(|| panic!("{}: a colour is missing", theme.name));
    rgb(colour).unwrap_or_else(|| panic!("{}: {colour} has no channels", theme.name))
}

fn is_guide(role: Role) -> bool {
    matches!(
        role,
        Role::Dim
            | Role::Border
            | Role::Unscored
            | Role::LineNumber
            | Role::Whitespace
            | Role::Filler
            | Role::Untouched
            | Role::SyntaxComment
            | Role::AnsiBlack
            | Role::AnsiBrightBlack
    )
}

/// Text and ground of a role as they are drawn: over the theme's text, maybe reversed.
fn drawn(theme: &Theme, style: Style) -> (Rgb, Rgb) {
    let style = theme.style(Role::Text).patch(style);
    let ground = channels(theme, style.bg.or(theme.background));
    let text = channels(theme, style.fg);
    if style.add_modifier.contains(Modifier::REVERSED) {
        (ground, text)
    } else {
        (text, ground)
    }
}

fn assert_readable(theme: &Theme, what: &str, (text, ground): (Rgb, Rgb), least: f64) {
    let found = ratio(text, ground);
    assert!(
        found >= least,
        "{}: {what}: contrast {found:.2}, least {least} ({text:?} on {ground:?})",
        theme.name
    );
}

#[test]
fn shipped_themes_set_every_role() {
    for (text, theme) in EMBEDDED.iter().zip(themes()) {
        let file: toml::Table = toml::from_str(text).unwrap();
        let roles = file["roles"].as_table().unwrap();
        let own = matches!(theme.name.as_str(), "ansi" | "plain");
        for role in Role::ALL {
            let name = role.name();
            let from_scheme = name.starts_with("syntax.") && file.contains_key("syntax");
            assert!(
                own || from_scheme || roles.contains_key(name),
                "{}: {name}",
                theme.name
            );
        }
    }
    let names: BTreeSet<_> = themes().into_iter().map(|theme| theme.name).collect();
    assert_eq!(names.len(), EMBEDDED.len());
}

#[test]
fn every_role_can_be_read_on_its_ground() {
    for theme in coloured() {
        for &role in Role::ALL {
            let least = if is_guide(role) { GUIDE } else { TEXT };
            let style = theme.style(role);
            assert_readable(&theme, role.name(), drawn(&theme, style), least);
        }
    }
}

#[test]
fn coloured_text_can_be_read_over_changed_lines_and_the_cursor() {
    let over = [Role::Added, Role::Removed, Role::MovedFrom, Role::MovedTo];
    let cursor = [Role::Cursor, Role::CursorLine];
    for theme in coloured() {
        for ground in over.into_iter().chain(cursor) {
            let under = theme.style(ground);
            assert_readable(&theme, ground.name(), drawn(&theme, under), TEXT);
            let mut lying: Vec<Role> = vec![Role::LineNumber, Role::Dim, Role::Finding];
            lying.extend(
                Role::ALL
                    .iter()
                    .filter(|role| role.name().starts_with("syntax.")),
            );
            if cursor.contains(&ground) {
                lying.extend([Role::Pass, Role::Fail, Role::Key, Role::Unscored, Role::Bar]);
                lying.extend([Role::Warning, Role::Header, Role::Info]);
            }
            for role in lying {
                let style = Style {
                    bg: None,
                    ..theme.style(role)
                };
                let what = format!("{} over {}", role.name(), ground.name());
                assert_readable(&theme, &what, drawn(&theme, under.patch(style)), GUIDE);
            }
        }
    }
}

#[test]
fn changes_differ_from_each_other_at_every_depth() {
    let pairs = [
        (Role::Added, Role::Removed),
        (Role::Added, Role::AddedWord),
        (Role::Removed, Role::RemovedWord),
        (Role::AddedWord, Role::RemovedWord),
        (Role::Pass, Role::Fail),
        (Role::Text, Role::Cursor),
        (Role::Text, Role::Added),
        (Role::Text, Role::Removed),
    ];
    for depth in [
        ColourDepth::True,
        ColourDepth::Indexed,
        ColourDepth::Sixteen,
    ] {
        for theme in themes().into_iter().filter(|theme| theme.name != "plain") {
            let theme = theme.at_depth(depth);
            for (one, other) in pairs {
                let (a, b) = (theme.style(one), theme.style(other));
                assert_ne!(
                    a,
                    b,
                    "{} at {depth:?}: {} and {}",
                    theme.name,
                    one.name(),
                    other.name()
                );
            }
        }
    }
}

#[test]
fn changed_text_can_be_read_in_256_colours() {
    for theme in coloured().map(|theme| theme.at_depth(ColourDepth::Indexed)) {
        for ground in Role::GROUNDS {
            assert_readable(
                &theme,
                ground.name(),
                drawn(&theme, theme.style(ground)),
                GUIDE,
            );
        }
    }
}

#[test]
fn sixteen_colours_are_only_the_sixteen() {
    for theme in themes() {
        let theme = theme.at_depth(ColourDepth::Sixteen);
        for &role in Role::ALL {
            let style = theme.style(role);
            for colour in [style.fg, style.bg].into_iter().flatten() {
                assert_eq!(rgb(colour), None, "{}: {}", theme.name, role.name());
            }
        }
    }
}

/// What a reader without one kind of cones sees, as CIE L*a*b* (D65).
///
/// Source: Viénot, Brettel, Mollon 1999, "Digital video colourmaps for checking the legibility of
/// displays by dichromats": in linear RGB red and green fall together.
fn seen(colour: Rgb, protan: bool) -> [f64; 3] {
    let (r, g, b) = (linear(colour.0), linear(colour.1), linear(colour.2));
    let (r, g, b) = if protan {
        let both = 0.112_38 * r + 0.887_62 * g;
        (both, both, 0.004_01 * r - 0.004_01 * g + b)
    } else {
        let both = 0.292_75 * r + 0.707_25 * g;
        (both, both, -0.022_34 * r + 0.022_34 * g + b)
    };
    let x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.950_47;
    let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.088_83;
    let f = |t: f64| {
        if t > 0.008_856 {
            t.cbrt()
        } else {
            7.787 * t + 16.0 / 116.0
        }
    };
    [
        116.0 * f(y) - 16.0,
        500.0 * (f(x) - f(y)),
        200.0 * (f(y) - f(z)),
    ]
}

fn distance(one: Rgb, other: Rgb, protan: bool) -> f64 {
    let (one, other) = (seen(one, protan), seen(other, protan));
    one.iter()
        .zip(other)
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

#[test]
fn colour_blind_themes_tell_changes_and_outcomes_apart() {
    // 2.3 is a just noticeable difference.
    let pairs = [
        (Role::Added, Role::Removed, 12.0),
        (Role::AddedWord, Role::RemovedWord, 20.0),
        (Role::Added, Role::Text, 6.0),
        (Role::Removed, Role::Text, 6.0),
        (Role::MovedFrom, Role::MovedTo, 6.0),
        (Role::Pass, Role::Fail, 30.0),
    ];
    let mut checked = 0;
    for theme in coloured().filter(|theme| theme.name.starts_with("colour-blind")) {
        for (one, other, least) in pairs {
            let colour = |role| {
                let (text, ground) = drawn(&theme, theme.style(role));
                if role == Role::Pass || role == Role::Fail {
                    text
                } else {
                    ground
                }
            };
            for protan in [false, true] {
                let found = distance(colour(one), colour(other), protan);
                assert!(
                    found >= least,
                    "{}: {} and {}: {found:.1}, least {least}",
                    theme.name,
                    one.name(),
                    other.name()
                );
            }
        }
        checked += 1;
    }
    assert_eq!(checked, 2);
}
