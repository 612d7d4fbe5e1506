//! The style of a piece of code: from the theme's own `syntax.*` roles, else from a `.tmTheme`, made
//! readable on what it lies on.

use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use ratatui::style::{Color, Modifier, Style};
use syntect::highlighting::{FontStyle, Theme as Scheme, ThemeSet};
use syntect::parsing::Scope;
use two_face::theme::{EmbeddedLazyThemeSet, EmbeddedThemeName, extra};

use super::contrast::{readable, rgb};
use super::{LEAST_ON_TINT, Role, Theme};
use crate::tui::colour_depth::{ColourDepth, indexed};
use crate::tui::highlight::{SyntaxRole, SyntaxStyle};

/// Styles up to this number are looked up once per theme and ground.
const REMEMBERED: usize = 8_192;

/// Where the styles of code come from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// The theme's own roles only.
    Roles,
    /// A theme shipped with two-face, unpacked when it is first needed.
    Embedded(EmbeddedThemeName),
    /// A person's `.tmTheme`.
    File(Arc<Scheme>),
}

impl Source {
    /// The embedded scheme of a name.
    pub(super) fn embedded(name: &str) -> Option<Self> {
        let mut all = EmbeddedLazyThemeSet::theme_names().iter();
        let found = all.find(|known| known.as_name() == name);
        found.map(|found| Self::Embedded(*found))
    }

    fn scheme(&self) -> Option<&Scheme> {
        static EMBEDDED: OnceLock<EmbeddedLazyThemeSet> = OnceLock::new();
        match self {
            Self::Roles => None,
            Self::Embedded(name) => Some(EMBEDDED.get_or_init(extra).get(*name)),
            Self::File(scheme) => Some(scheme),
        }
    }
}

/// Reads a `.tmTheme`'s text.
pub(super) fn read_scheme(text: &[u8]) -> Result<Scheme, String> {
    ThemeSet::load_from_reader(&mut Cursor::new(text)).map_err(|error| error.to_string())
}

/// The name of a `.tmTheme` in a theme file: its file's name without the ending.
pub(super) fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// A colour of a `.tmTheme` over the theme's background.
pub(super) fn channels(colour: syntect::highlighting::Color) -> Color {
    Color::Rgb(colour.r, colour.g, colour.b)
}

type Slot = OnceLock<[Option<Style>; Role::GROUNDS.len()]>;

/// Styles of code that were looked up already. Looking one up again gives the same.
#[derive(Debug, Default)]
pub(super) struct Remembered(OnceLock<Box<[Slot]>>);

impl Theme {
    /// The style of a piece of code on the ground of a role (see [`Role::GROUNDS`]; others count as
    /// text): letters and modifiers, no background. Empty where the ground's own letters say what it
    /// is, in the sixteen colours.
    #[must_use]
    pub fn syntax(&self, code: SyntaxStyle, ground: Role) -> Style {
        let place = Role::GROUNDS.iter().position(|known| *known == ground);
        let place = place.unwrap_or(0);
        let all = self.remembered.0.get_or_init(|| {
            let empty = || (0..REMEMBERED).map(|_| OnceLock::new()).collect();
            empty()
        });
        let Some(slot) = all.get(code.number()) else {
            return self.look_up(code, Role::GROUNDS[place]);
        };
        let styles = slot.get_or_init(|| {
            let (scopes, role) = code.scopes();
            let plain = self.code(&scopes, role);
            Role::GROUNDS.map(|ground| plain.map(|plain| self.on(plain, ground)))
        });
        styles[place].unwrap_or_default()
    }

    fn look_up(&self, code: SyntaxStyle, ground: Role) -> Style {
        let (scopes, role) = code.scopes();
        let found = self.code(&scopes, role);
        found
            .map(|found| self.on(found, ground))
            .unwrap_or_default()
    }

    /// The style of scopes wherever they lie; `None` for plain text.
    fn code(&self, scopes: &[Scope], role: Option<SyntaxRole>) -> Option<Style> {
        let role = role.map(role_of);
        let own = |role: &Role| self.own_syntax.contains(role);
        let of_role = |role: Role| Style {
            bg: None,
            ..self.style(role)
        };
        if let Some(role) = role.filter(own) {
            return Some(of_role(role));
        }
        match self.source.scheme() {
            Some(scheme) if self.depth > ColourDepth::Sixteen => in_scheme(scheme, scopes),
            _ => role.map(of_role),
        }
    }

    fn on(&self, style: Style, ground: Role) -> Style {
        let under = self.style(ground);
        if ground != Role::Text && under.bg.is_none() && under.fg.is_some() {
            return Style::default();
        }
        let behind = under.bg.or(self.style(Role::Text).bg).or(self.background);
        match (style.fg.and_then(rgb), behind.and_then(rgb)) {
            (Some(text), Some(behind)) => {
                let shown = |colour| match self.depth {
                    ColourDepth::Indexed => indexed(colour),
                    _ => colour,
                };
                style.fg(readable(text, behind, LEAST_ON_TINT, shown))
            }
            _ => style,
        }
    }
}

/// What a scheme says of scopes; the strongest match counts, as in TextMate.
fn in_scheme(scheme: &Scheme, scopes: &[Scope]) -> Option<Style> {
    let (mut colour, mut font) = (None, None);
    for item in &scheme.scopes {
        let Some(power) = item.scope.does_match(scopes) else {
            continue;
        };
        if let Some(found) = item.style.foreground
            && colour.is_none_or(|(best, _)| power >= best)
        {
            colour = Some((power, found));
        }
        if let Some(found) = item.style.font_style
            && font.is_none_or(|(best, _)| power >= best)
        {
            font = Some((power, found));
        }
    }
    let default = scheme.settings.foreground;
    let colour = colour
        .map(|(_, found)| found)
        .filter(|found| Some(*found) != default);
    let mut style = Style {
        // Schemes mark the terminal's own colours by a transparent one.
        fg: colour.filter(|found| found.a == u8::MAX).map(channels),
        ..Style::default()
    };
    let font = font.map_or(FontStyle::empty(), |(_, font)| font);
    for (set, modifier) in [
        (FontStyle::BOLD, Modifier::BOLD),
        (FontStyle::ITALIC, Modifier::ITALIC),
        (FontStyle::UNDERLINE, Modifier::UNDERLINED),
    ] {
        if font.contains(set) {
            style = style.add_modifier(modifier);
        }
    }
    (style != Style::default()).then_some(style)
}

fn role_of(role: SyntaxRole) -> Role {
    match role {
        SyntaxRole::Keyword => Role::SyntaxKeyword,
        SyntaxRole::String => Role::SyntaxString,
        SyntaxRole::Comment => Role::SyntaxComment,
        SyntaxRole::Number => Role::SyntaxNumber,
        SyntaxRole::Function => Role::SyntaxFunction,
        SyntaxRole::Type => Role::SyntaxType,
        SyntaxRole::Constant => Role::SyntaxConstant,
        SyntaxRole::Variable => Role::SyntaxVariable,
        SyntaxRole::Operator => Role::SyntaxOperator,
        SyntaxRole::Punctuation => Role::SyntaxPunctuation,
        SyntaxRole::Tag => Role::SyntaxTag,
        SyntaxRole::Attribute => Role::SyntaxAttribute,
    }
}
