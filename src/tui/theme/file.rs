//! A theme file's text: TOML with a name, the background it is made for, and a style per role.
//!
//! ```toml
//! name = "mine"
//! dark = true
//! background = "#1a1b26"   # optional: what contrast is reckoned with
//! paint = true             # optional: fill the screen with it
//! [roles]
//! added = { bg = "#1e3832" }
//! "syntax.keyword" = { fg = "#bb9af7", bold = true }
//! ```

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use toml::Spanned;

use super::{Role, Theme};
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
pub(super) fn read(text: &str) -> Result<Theme, String> {
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
        depth: ColourDepth::True,
    })
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

    #[test]
    fn every_unknown_role_is_told_with_its_line() {
        let text = "name='x'\ndark=true\n[roles]\nglow={bold=true}\ntext={}\nshine={}";
        let error = read(text).unwrap_err();
        assert_eq!(error, "4: `glow` is not a role\n6: `shine` is not a role");
        let error = read("name='x'\ndark=true\n[roles]\ntext={fg='#12'}").unwrap_err();
        assert!(error.starts_with("4: "), "{error}");
    }

    #[test]
    fn what_a_theme_does_not_set_falls_back() {
        let theme = read("name='x'\ndark=true\n[roles]\nadded={bg='#102030'}").unwrap();
        assert_eq!(theme.style(Role::MovedTo), theme.style(Role::Added));
        assert_eq!(theme.style(Role::AnsiRed).fg, Some(Color::Indexed(1)));
        assert_eq!(theme.style(Role::Border), Style::default());
    }
}
