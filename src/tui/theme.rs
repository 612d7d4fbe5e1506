//! What a colour is for, and the themes that say which colour that is.
//!
//! A screen names a [`Role`], never a colour. Themes are the TOML files of `themes/`.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

macro_rules! roles {
    ($($variant:ident $name:literal $fallback:ident;)*) => {
        /// What a style is for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role { $(#[doc = concat!("`", $name, "` in a theme.")] $variant,)* }

        impl Role {
            /// Every role.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The role's name in a theme file.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The role whose style is taken when a theme does not set this one.
            #[must_use]
            pub fn fallback(self) -> Self {
                match self { $(Self::$variant => Self::$fallback,)* }
            }
        }
    };
}

roles! {
    Text "text" Text;
    Dim "dim" Text;
    Strong "strong" Text;
    Title "title" Strong;
    Border "border" Dim;
    FocusedBorder "focused_border" Strong;
    Cursor "cursor" Strong;
    Header "header" Strong;
    Key "key" Strong;
    Pass "pass" Text;
    Fail "fail" Text;
    Unscored "unscored" Dim;
    Up "up" Pass;
    Down "down" Fail;
    Bar "bar" Text;
    Info "info" Text;
    Warning "warning" Strong;
    Error "error" Fail;
    Finding "finding" Warning;
    Match "match" Cursor;
    FileHeader "file_header" Strong;
    HunkHeader "hunk_header" Dim;
    LineNumber "line_number" Dim;
    Added "added" Text;
    Removed "removed" Text;
    AddedWord "added_word" Added;
    RemovedWord "removed_word" Removed;
    Control "control" Warning;
    SyntaxKeyword "syntax.keyword" Text;
    SyntaxString "syntax.string" Text;
    SyntaxComment "syntax.comment" Dim;
    SyntaxNumber "syntax.number" Text;
    SyntaxFunction "syntax.function" Text;
    SyntaxType "syntax.type" Text;
    SyntaxConstant "syntax.constant" SyntaxNumber;
    SyntaxVariable "syntax.variable" Text;
    SyntaxOperator "syntax.operator" Text;
    SyntaxPunctuation "syntax.punctuation" Text;
    SyntaxTag "syntax.tag" SyntaxKeyword;
    SyntaxAttribute "syntax.attribute" SyntaxFunction;
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct StyleEntry {
    fg: Option<Color>,
    bg: Option<Color>,
    #[serde(default)]
    bold: bool,
    #[serde(default)]
    dim: bool,
    #[serde(default)]
    italic: bool,
    #[serde(default)]
    underline: bool,
    #[serde(default)]
    reverse: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ThemeFile {
    name: String,
    dark: bool,
    roles: BTreeMap<String, StyleEntry>,
}

/// A set of styles, one per role.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// Its name.
    pub name: String,
    /// Whether it is made for a dark background.
    pub dark: bool,
    styles: BTreeMap<Role, Style>,
}

/// The themes shipped with gagar; the first dark and the first light one are the defaults.
pub const EMBEDDED: [&str; 3] = [
    include_str!("../../themes/dark.toml"),
    include_str!("../../themes/light.toml"),
    include_str!("../../themes/plain.toml"),
];

impl Theme {
    /// Reads a theme file's text.
    ///
    /// # Errors
    /// One sentence: bad TOML (with its line), an unknown role.
    pub fn read(text: &str) -> Result<Self, String> {
        let file: ThemeFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut set = BTreeMap::new();
        for (name, entry) in file.roles {
            let role = Role::ALL
                .iter()
                .find(|role| role.name() == name)
                .ok_or_else(|| format!("theme {}: {name} is not a role", file.name))?;
            set.insert(*role, style_of(&entry));
        }
        let resolve = |role: Role| {
            let mut at = role;
            loop {
                if let Some(style) = set.get(&at) {
                    return *style;
                }
                if at.fallback() == at {
                    return Style::default();
                }
                at = at.fallback();
            }
        };
        let styles = Role::ALL
            .iter()
            .map(|&role| (role, resolve(role)))
            .collect();
        Ok(Self {
            name: file.name,
            dark: file.dark,
            styles,
        })
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
        let styles = Role::ALL.iter().map(|&role| (role, style(role))).collect();
        Self {
            name: name.to_owned(),
            dark,
            styles,
        }
    }

    /// The same theme without colours (`NO_COLOR`): bold, underline and reverse remain, the name
    /// says so.
    #[must_use]
    pub fn without_colour(mut self) -> Self {
        self.name.push_str(" (no colour)");
        for style in self.styles.values_mut() {
            style.fg = None;
            style.bg = None;
            style.underline_color = None;
        }
        let mark = |styles: &mut BTreeMap<Role, Style>, role, modifier| {
            styles
                .entry(role)
                .and_modify(|style: &mut Style| *style = style.add_modifier(modifier));
        };
        mark(&mut self.styles, Role::Cursor, Modifier::REVERSED);
        mark(&mut self.styles, Role::Match, Modifier::REVERSED);
        mark(&mut self.styles, Role::AddedWord, Modifier::UNDERLINED);
        mark(&mut self.styles, Role::RemovedWord, Modifier::UNDERLINED);
        mark(&mut self.styles, Role::FocusedBorder, Modifier::BOLD);
        self
    }

    /// The same theme in xterm's 256 colours.
    #[must_use]
    pub fn indexed(mut self) -> Self {
        for style in self.styles.values_mut() {
            style.fg = style.fg.map(super::colour_depth::indexed);
            style.bg = style.bg.map(super::colour_depth::indexed);
        }
        self
    }

    /// The style of a role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(&role).copied().unwrap_or_default()
    }
}

fn style_of(entry: &StyleEntry) -> Style {
    let StyleEntry {
        fg,
        bg,
        bold,
        dim,
        italic,
        underline,
        reverse,
    } = entry;
    let mut style = Style {
        fg: *fg,
        bg: *bg,
        ..Style::default()
    };
    for (on, modifier) in [
        (bold, Modifier::BOLD),
        (dim, Modifier::DIM),
        (italic, Modifier::ITALIC),
        (underline, Modifier::UNDERLINED),
        (reverse, Modifier::REVERSED),
    ] {
        if *on {
            style = style.add_modifier(modifier);
        }
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_themes_set_every_role_they_should() {
        for text in EMBEDDED {
            let theme = Theme::read(text).unwrap();
            if theme.name == "plain" {
                continue;
            }
            let file: ThemeFile = toml::from_str(text).unwrap();
            for role in Role::ALL {
                assert!(
                    file.roles.contains_key(role.name()),
                    "{}: {}",
                    theme.name,
                    role.name()
                );
            }
        }
    }

    #[test]
    fn an_unknown_role_is_named() {
        let error = Theme::read("name='x'\ndark=true\n[roles]\nglow={bold=true}").unwrap_err();
        assert!(error.contains("glow"), "{error}");
    }
}
