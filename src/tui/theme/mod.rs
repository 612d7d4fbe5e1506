//! The themes: which style each [`Role`] has, and in which colours a terminal shows it.
//!
//! A screen names a [`Role`], never a colour. Themes are the TOML files of `themes/` and of the
//! person's `themes` folder. What is *not* here: where the files lie ([`super::settings`]), which
//! depth a terminal has ([`super::colour_depth`]).

pub mod contrast;
mod file;
mod output;
mod role;
mod sixteen;
mod syntax;

#[cfg(test)]
mod checks;

use std::collections::BTreeSet;

use ratatui::style::{Color, Modifier, Style};

use super::colour_depth::{ColourDepth, indexed, indexed_tint};

pub use file::Schemes;
pub use role::Role;
use syntax::{Remembered, Source};

/// A set of styles, one per role.
#[derive(Debug)]
pub struct Theme {
    /// Its name.
    pub name: String,
    /// Whether it is made for a dark background.
    pub dark: bool,
    /// The background it is made for; `None` = any.
    pub background: Option<Color>,
    /// By the order of [`Role::ALL`].
    styles: Vec<Style>,
    /// Where the styles of code come from that the theme does not set itself.
    source: Source,
    /// The `syntax.*` roles that the theme sets itself.
    own_syntax: BTreeSet<Role>,
    /// How many colours it may use.
    depth: ColourDepth,
    remembered: Remembered,
}

/// Least contrast of coloured text on a tint.
const LEAST_ON_TINT: f64 = 3.0;

/// The themes shipped with gagar; the first dark and the first light one are the defaults.
pub const EMBEDDED: [&str; 16] = [
    include_str!("../../../themes/dark.toml"),
    include_str!("../../../themes/light.toml"),
    include_str!("../../../themes/github-dark.toml"),
    include_str!("../../../themes/github-light.toml"),
    include_str!("../../../themes/catppuccin-mocha.toml"),
    include_str!("../../../themes/catppuccin-latte.toml"),
    include_str!("../../../themes/gruvbox-dark.toml"),
    include_str!("../../../themes/gruvbox-light.toml"),
    include_str!("../../../themes/solarized-dark.toml"),
    include_str!("../../../themes/solarized-light.toml"),
    include_str!("../../../themes/nord.toml"),
    include_str!("../../../themes/dracula.toml"),
    include_str!("../../../themes/colour-blind-dark.toml"),
    include_str!("../../../themes/colour-blind-light.toml"),
    include_str!("../../../themes/ansi.toml"),
    include_str!("../../../themes/plain.toml"),
];

impl Theme {
    /// Reads a theme file's text.
    ///
    /// # Errors
    /// What is wrong in it, one line each, with the line it is in: bad TOML, an unknown role.
    pub fn read(text: &str) -> Result<Self, String> {
        file::read(text, &Schemes::default())
    }

    /// Reads a theme file's text that may name one of a person's `.tmTheme` files.
    ///
    /// # Errors
    /// See [`Self::read`].
    pub fn read_with(text: &str, schemes: &Schemes) -> Result<Self, String> {
        file::read(text, schemes)
    }

    /// The embedded themes.
    ///
    /// # Errors
    /// See [`Theme::read`]; a test reads them all.
    pub fn embedded() -> Result<Vec<Self>, String> {
        EMBEDDED.iter().map(|text| Self::read(text)).collect()
    }

    /// A theme that takes every style from a function.
    #[must_use]
    pub fn from_styles(name: &str, dark: bool, style: impl Fn(Role) -> Style) -> Self {
        Self {
            name: name.to_owned(),
            dark,
            background: None,
            styles: Role::ALL.iter().map(|&role| style(role)).collect(),
            source: Source::Roles,
            own_syntax: BTreeSet::new(),
            depth: ColourDepth::True,
            remembered: Remembered::default(),
        }
    }

    /// The same theme as a terminal of this depth shows it.
    #[must_use]
    pub fn at_depth(mut self, depth: ColourDepth) -> Self {
        self.depth = depth;
        self.remembered = Remembered::default();
        match depth {
            ColourDepth::None => self.without_colour(),
            ColourDepth::Sixteen => sixteen::reduce(self),
            ColourDepth::Indexed => self.indexed(),
            ColourDepth::True => self,
        }
    }

    /// The same theme without colours (`NO_COLOR`): bold, underline and reverse remain, the name
    /// says so.
    #[must_use]
    pub fn without_colour(mut self) -> Self {
        self.name.push_str(" (no colour)");
        self.depth = ColourDepth::None;
        self.remembered = Remembered::default();
        self.background = None;
        for style in &mut self.styles {
            style.fg = None;
            style.bg = None;
            style.underline_color = None;
        }
        for (role, modifier) in [
            (Role::Cursor, Modifier::REVERSED),
            (Role::Match, Modifier::REVERSED),
            (Role::AddedWord, Modifier::UNDERLINED),
            (Role::RemovedWord, Modifier::UNDERLINED),
            (Role::FocusedBorder, Modifier::BOLD),
            (Role::CursorLine, Modifier::UNDERLINED),
        ] {
            let style = self.style_mut(role);
            *style = style.add_modifier(modifier);
        }
        // A moved line and a conflict are told by their marks.
        self
    }

    fn indexed(mut self) -> Self {
        let ground = self.background.and_then(contrast::rgb);
        for &role in Role::ALL {
            let style = self.style_mut(role);
            style.fg = style.fg.map(indexed);
            let strong = matches!(role, Role::AddedWord | Role::RemovedWord);
            let is_change = strong
                || matches!(
                    role,
                    Role::Added | Role::Removed | Role::MovedFrom | Role::MovedTo
                );
            style.bg = style.bg.map(|bg| match (contrast::rgb(bg), ground) {
                (Some(tint), Some(ground)) if is_change => indexed_tint(tint, ground, strong),
                _ => indexed(bg),
            });
        }
        self.background = self.background.map(indexed);
        let text = self.style(Role::Text).fg.and_then(contrast::rgb);
        for role in Role::GROUNDS {
            let style = self.style_mut(role);
            if let (None, Some(text), Some(bg)) = (style.fg, text, style.bg.and_then(contrast::rgb))
            {
                // The cube's tints are stronger than the theme's.
                let fg = contrast::readable(text, bg, LEAST_ON_TINT, indexed);
                style.fg = (contrast::rgb(fg) != Some(text)).then_some(fg);
            }
        }
        self
    }

    /// The style of a role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    fn style_mut(&mut self, role: Role) -> &mut Style {
        &mut self.styles[role as usize]
    }
}
