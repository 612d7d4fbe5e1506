//! What a person chose before the start: paths, keys, themes.

use std::ffi::OsString;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use super::keymap::Keymap;
use super::theme::Theme;
use crate::formats::LoadOptions;
use crate::review::Settings;

/// What to review, and how.
#[derive(Debug, Clone)]
pub struct TuiOptions {
    /// Files and folders with rollouts.
    pub paths: Vec<PathBuf>,
    /// How they are loaded.
    pub load: LoadOptions,
    /// What advantages are computed with at the start.
    pub settings: Settings,
    /// The file that judgements are stored in; made by the first judgement.
    pub db: PathBuf,
    /// Who reviews.
    pub annotator: String,
    /// Whether files are looked at for changes while they are reviewed.
    pub follow: bool,
    /// Name of the theme; `None` = by the terminal's background.
    pub theme: Option<String>,
    /// A key file in place of the one in the configuration folder.
    pub keys: Option<PathBuf>,
}

impl TuiOptions {
    /// What the title bar calls the loaded set.
    #[must_use]
    pub fn title(&self) -> String {
        title(&self.paths)
    }
}

/// What the title bar calls the set that is read from these paths.
#[must_use]
pub fn title(paths: &[PathBuf]) -> String {
    let mut names = paths.iter().map(|path| path.display().to_string());
    match (names.next(), names.count()) {
        (None, _) => String::new(),
        (Some(first), 0) => first,
        (Some(first), more) => format!("{first} +{more}"),
    }
}

/// The folder with `keys.toml` and `themes/`: `$XDG_CONFIG_HOME/gagar` or `~/.config/gagar`.
#[must_use]
pub fn config_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
    set("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".config")))
        .map(|folder| folder.join("gagar"))
}

/// Reads the default keys and the person's key file: the one named, else the one in `config`.
///
/// # Errors
/// The named file cannot be read, or what is wrong in it, all in one text.
pub fn read_keys(named: Option<&Path>, config: Option<&Path>) -> std::io::Result<Keymap> {
    let path = match (named, config) {
        (Some(path), _) => Some(path.to_owned()),
        (None, Some(folder)) => Some(folder.join("keys.toml")).filter(|path| path.exists()),
        (None, None) => None,
    };
    let text = path.as_deref().map(read_text).transpose()?;
    Keymap::new(text.as_deref()).map_err(|errors| {
        let shown = path
            .map(|path| path.display().to_string())
            .unwrap_or_default();
        invalid(format!("{shown}:\n  {}", errors.join("\n  ")))
    })
}

/// Reads the embedded themes and those of `config`'s `themes` folder; one of the same name takes
/// the embedded one's place.
///
/// # Errors
/// What is wrong in the files, all in one text.
pub fn read_themes(config: Option<&Path>) -> std::io::Result<Vec<Theme>> {
    let mut themes = Theme::embedded().map_err(invalid)?;
    let mut errors = Vec::new();
    for path in config
        .map(|folder| theme_files(&folder.join("themes")))
        .unwrap_or_default()
    {
        let read = read_text(&path)
            .map_err(|error| error.to_string())
            .and_then(|text| {
                Theme::read(&text).map_err(|error| format!("{}: {error}", path.display()))
            });
        match read {
            Ok(theme) => match themes.iter_mut().find(|known| known.name == theme.name) {
                Some(known) => *known = theme,
                None => themes.push(theme),
            },
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        Ok(themes)
    } else {
        Err(invalid(errors.join("\n")))
    }
}

/// The theme to start with: the one named, else the first for this background.
///
/// # Errors
/// No theme has that name; the text lists those there are.
pub fn choose_theme(themes: &[Theme], named: Option<&str>, dark: bool) -> std::io::Result<usize> {
    let Some(named) = named else {
        return Ok(themes
            .iter()
            .position(|theme| theme.dark == dark)
            .unwrap_or(0));
    };
    themes
        .iter()
        .position(|theme| theme.name == named)
        .ok_or_else(|| {
            let names: Vec<_> = themes.iter().map(|theme| theme.name.as_str()).collect();
            invalid(format!(
                "no theme is called {named}; there are {}",
                names.join(", ")
            ))
        })
}

fn theme_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    files.sort();
    files
}

fn read_text(path: &Path) -> std::io::Result<String> {
    std::fs::read_to_string(path)
        .map_err(|error| Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_and_keys_of_a_folder_are_read_and_errors_told_together() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("themes")).unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "themes/mine.toml",
            "name='mine'\ndark=true\n[roles]\ntext={bold=true}",
        );
        write("keys.toml", "[groups]\nsort=['o']");
        let themes = read_themes(Some(folder.path())).unwrap();
        assert!(themes.iter().any(|theme| theme.name == "mine"));
        assert!(read_keys(None, Some(folder.path())).is_ok());
        write("themes/bad.toml", "name='bad'\ndark=true\n[roles]\nglow={}");
        write("themes/worse.toml", "name=");
        let text = read_themes(Some(folder.path())).unwrap_err().to_string();
        assert!(
            text.contains("glow") && text.contains("worse.toml"),
            "{text}"
        );
        write("keys.toml", "[groups]\nfly=['o']\nsort=['<no>']");
        let text = read_keys(None, Some(folder.path()))
            .unwrap_err()
            .to_string();
        assert!(text.contains("fly") && text.contains("<no>"), "{text}");
    }

    #[test]
    fn a_theme_that_is_not_there_is_told_with_those_that_are() {
        let themes = Theme::embedded().unwrap();
        assert!(themes[choose_theme(&themes, None, true).unwrap()].dark);
        assert!(!themes[choose_theme(&themes, None, false).unwrap()].dark);
        let text = choose_theme(&themes, Some("mauve"), true)
            .unwrap_err()
            .to_string();
        assert!(text.contains("mauve") && text.contains("plain"), "{text}");
    }
}
