//! What must hold for every shipped theme: every role is set, everything can be read, and what
//! differs in meaning differs to the eye, at every colour depth.

use std::collections::BTreeSet;
use std::sync::Arc;

use ratatui::style::{Color, Modifier, Style};

use super::contrast::{Rgb, linear, ratio, rgb};
use super::{EMBEDDED, Role, Theme};
use crate::diff::Patch;
use crate::tui::colour_depth::ColourDepth;
use crate::tui::highlight::{Highlighter, SyntaxRole, SyntaxStyle};

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

/// The kinds of code in a few lines of four languages.
fn code() -> BTreeSet<SyntaxStyle> {
    let files = [
        (
            "x.py",
            "@wraps(f)\ndef go(self, a: int = 1) -> None:\n    \"\"\"Text.\"\"\"\n    return f'{a!r}\\n' + len(b)  # why\n",
        ),
        (
            "x.rs",
            "#[derive(Debug)]\npub struct A<'a> { b: &'a str }\nimpl A<'_> { fn go(&self) -> u8 { 3_u8 } } // why\n",
        ),
        (
            "x.ts",
            "export class A extends B<C> { private x = `a${1}`; go(): void { return this.x ?? null } }\n",
        ),
        ("x.html", "<!-- why --><a href=\"x\">text &amp;</a>\n"),
        ("x.md", "# Head\n**bold** `code` [a](b)\n- item\n"),
    ];
    let mut found = BTreeSet::new();
    for (path, text) in files {
        let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
        let count = text.lines().count();
        let patch = format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{count} @@\n{lines}");
        let patch = Arc::new(Patch::read(Arc::from(patch)));
        let colours = Highlighter::default().colour_file(&patch, 0, None, &mut || false);
        for line in 0..count {
            found.extend(colours.of(0, line).iter().map(|span| span.style));
        }
    }
    assert!(found.len() > 40, "{}", found.len());
    found
}

#[test]
fn code_of_every_scheme_can_be_read_on_every_ground() {
    let code = code();
    let schemes = two_face::theme::EmbeddedLazyThemeSet::theme_names();
    let with_scheme = |dark: bool, name: &str| {
        let ground = if dark { "#1a1b26" } else { "#ffffff" };
        let roles = "[roles]\nadded={bg='#245f42'}\nremoved={bg='#ffb8be'}";
        let head = format!("name='{name}'\ndark={dark}\nbackground='{ground}'\nsyntax='{name}'");
        Theme::read(&format!("{head}\n{roles}")).unwrap()
    };
    let any = || {
        let both = |name: &two_face::theme::EmbeddedThemeName| {
            [true, false].map(|dark| with_scheme(dark, name.as_name()))
        };
        schemes.iter().flat_map(both)
    };
    for depth in [ColourDepth::True, ColourDepth::Indexed] {
        for theme in coloured().chain(any()).map(|theme| theme.at_depth(depth)) {
            let mut colours = BTreeSet::new();
            for &style in &code {
                for ground in Role::GROUNDS {
                    let found = theme.syntax(style, ground);
                    let under = theme.style(ground).bg.or(theme.background);
                    if let Some(text) = found.fg.and_then(rgb) {
                        colours.insert(text);
                        let what = format!("{:?} over {}", style.scopes().0, ground.name());
                        assert_readable(&theme, &what, (text, channels(&theme, under)), GUIDE);
                    }
                }
            }
            let terminals_own = theme.name.starts_with("ansi") || theme.name == "base16";
            let own = terminals_own || theme.name == "base16-256";
            assert!(
                own || colours.len() >= 4,
                "{}: {}",
                theme.name,
                colours.len()
            );
        }
    }
}

#[test]
fn code_leaves_the_letters_of_changes_alone_in_sixteen_colours() {
    let code = code();
    for theme in themes() {
        let theme = theme.at_depth(ColourDepth::Sixteen);
        for &style in &code {
            for ground in [Role::Added, Role::Removed] {
                if theme.style(ground).fg.is_some() {
                    assert_eq!(theme.syntax(style, ground), Style::default());
                }
            }
        }
        let plain = code
            .iter()
            .filter(|code| theme.syntax(**code, Role::Text).fg.is_some());
        assert!(theme.name == "plain" || plain.count() > 5, "{}", theme.name);
    }
}

#[test]
fn a_schemes_own_colour_stands_where_it_can_be_read() {
    let nord = themes()
        .into_iter()
        .find(|theme| theme.name == "nord")
        .unwrap();
    let blue = Color::Rgb(0x81, 0xa1, 0xc1);
    let keywords: Vec<_> = (code().into_iter())
        .filter(|code| code.role() == Some(SyntaxRole::Keyword))
        .collect();
    assert!(
        keywords
            .iter()
            .any(|code| nord.syntax(*code, Role::Text).fg == Some(blue))
    );
    // A theme's own role wins over the scheme.
    let text = "name='x'\ndark=true\nsyntax='Nord'\n[roles]\n'syntax.keyword'={fg='#ff0000'}";
    let own = Theme::read(text).unwrap();
    let red = Some(Color::Rgb(255, 0, 0));
    assert!(
        keywords
            .iter()
            .all(|code| own.syntax(*code, Role::Text).fg == red)
    );
}
