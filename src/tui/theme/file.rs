//! A theme file's text: TOML with a name, the background it is made for, and a style per role.
//!
//! ```toml
//! name = "mine"
//! dark = true
//! background = "#1a1b26"   # optional: what contrast is reckoned with
//! paint = true             # optional: fill the screen with it
//! syntax = "Nord"          # optional: colours of code from bat's themes, or mine.tmTheme's name
//! [roles]
//! added = { bg = "#1e3832" }
//! "syntax.keyword" = { fg = "#bb9af7", bold = true }
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use toml::Spanned;

use super::syntax::{Remembered, Source, channels, name_of, read_scheme};
use super::{Role, Theme, contrast};
use crate::tui::colour_depth::ColourDepth;

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
    background: Option<Color>,
    syntax: Option<Spanned<String>>,
    #[serde(default)]
    paint: bool,
    #[serde(default)]
    roles: BTreeMap<Spanned<String>, StyleEntry>,
}

/// Reads a theme; errors are lines `LINE: what is wrong`.
pub(super) fn read(text: &str, schemes: &Schemes) -> Result<Theme, String> {
    let line = |at: usize| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
    let file: ThemeFile = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(1, |span| line(span.start));
        format!("{at}: {}", error.message())
    })?;
    let mut set = vec![None; Role::ALL.len()];
    let mut errors = Vec::new();
    for (name, entry) in &file.roles {
        match Role::ALL.iter().find(|role| role.name() == name.get_ref()) {
            Some(&role) => set[role as usize] = Some(style_of(entry)),
            None => errors.push((
                line(name.span().start),
                format!("`{}` is not a role", name.get_ref()),
            )),
        }
    }
    let source = match &file.syntax {
        None => Source::Roles,
        Some(name) => schemes.find(name.get_ref()).unwrap_or_else(|| {
            let said = format!("no syntax colours are called `{}`", name.get_ref());
            errors.push((line(name.span().start), said));
            Source::Roles
        }),
    };
    if file.paint && file.background.is_none() {
        errors.push((1, "`paint` needs a `background`".to_owned()));
    }
    if !errors.is_empty() {
        errors.sort();
        let lines: Vec<_> = errors
            .iter()
            .map(|(at, said)| format!("{at}: {said}"))
            .collect();
        return Err(lines.join("\n"));
    }
    let mut styles: Vec<Style> = Role::ALL.iter().map(|&role| resolve(&set, role)).collect();
    if file.paint {
        styles[Role::Text as usize].bg = file.background;
    }
    Ok(Theme {
        name: file.name,
        dark: file.dark,
        background: file.background,
        styles,
        source,
        own_syntax: (Role::ALL.iter())
            .filter(|role| role.name().starts_with("syntax.") && set[**role as usize].is_some())
            .copied()
            .collect(),
        depth: ColourDepth::True,
        remembered: Remembered::default(),
    })
}

/// A person's `.tmTheme` files, by name.
#[derive(Debug, Clone, Default)]
pub struct Schemes(BTreeMap<String, Arc<syntect::highlighting::Theme>>);

impl Schemes {
    /// Reads a `.tmTheme`; its name is the file's without the ending.
    ///
    /// # Errors
    /// What is wrong in it.
    pub fn add(&mut self, path: &Path, text: &[u8]) -> Result<(), String> {
        let scheme = read_scheme(text)?;
        self.0.insert(name_of(path), Arc::new(scheme));
        Ok(())
    }

    /// A theme for every file: the shipped theme for its background, with its background and its
    /// colours of code.
    #[must_use]
    pub fn themes(&self, shipped: &[Theme]) -> Vec<Theme> {
        let theme = |(name, scheme): (&String, &Arc<syntect::highlighting::Theme>)| {
            let settings = &scheme.settings;
            let background = settings.background.map(channels);
            let ground = background.and_then(contrast::rgb);
            let dark = ground.is_none_or(|ground| contrast::luminance(ground) < 0.18);
            let like = shipped.iter().find(|theme| theme.dark == dark)?;
            let mut styles = like.styles.clone();
            let text = settings.foreground.map(channels).and_then(contrast::rgb);
            if let (Some(text), Some(ground)) = (text, ground) {
                let text = contrast::readable(text, ground, 4.5, |colour| colour);
                styles[Role::Text as usize] = Style::new().fg(text).bg(background?);
            }
            Some(Theme {
                name: name.clone(),
                dark,
                background: background.or(like.background),
                styles,
                source: Source::File(Arc::clone(scheme)),
                own_syntax: BTreeSet::new(),
                depth: ColourDepth::True,
                remembered: Remembered::default(),
            })
        };
        self.0.iter().filter_map(theme).collect()
    }

    fn find(&self, name: &str) -> Option<Source> {
        let own = self
            .0
            .get(name)
            .map(|scheme| Source::File(Arc::clone(scheme)));
        own.or_else(|| Source::embedded(name))
    }
}

/// The style of a role or of the nearest one it falls back to. The sixteen colours of programs fall
/// back to the terminal's own.
fn resolve(set: &[Option<Style>], role: Role) -> Style {
    let mut at = role;
    loop {
        if let Some(style) = set[at as usize] {
            return style;
        }
        if let Some(number) = Role::ANSI.iter().position(|ansi| *ansi == at) {
            let number = u8::try_from(number).unwrap_or(0);
            return Style::new().fg(Color::Indexed(number));
        }
        if at.fallback() == at {
            return Style::default();
        }
        at = at.fallback();
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

    fn with(text: &str) -> Result<Theme, String> {
        read(text, &Schemes::default())
    }

    #[test]
    fn every_unknown_role_is_told_with_its_line() {
        let text = "name='x'\ndark=true\n[roles]\nglow={bold=true}\ntext={}\nshine={}";
        let error = with(text).unwrap_err();
        assert_eq!(error, "4: `glow` is not a role\n6: `shine` is not a role");
        let error = with("name='x'\ndark=true\n[roles]\ntext={fg='#12'}").unwrap_err();
        assert!(error.starts_with("4: "), "{error}");
        let error = with("name='x'\ndark=true\nsyntax='Nrod'").unwrap_err();
        assert_eq!(error, "3: no syntax colours are called `Nrod`");
    }

    #[test]
    fn what_a_theme_does_not_set_falls_back() {
        let theme = with("name='x'\ndark=true\n[roles]\nadded={bg='#102030'}").unwrap();
        assert_eq!(theme.style(Role::MovedTo), theme.style(Role::Added));
        assert_eq!(theme.style(Role::AnsiRed).fg, Some(Color::Indexed(1)));
        assert_eq!(theme.style(Role::Border), Style::default());
    }
}
