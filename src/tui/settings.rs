//! What a person chose before the start: paths, keys, themes.

use std::ffi::OsString;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use super::colour_depth::ColourDepth;
use super::guidelines::Guide;
use super::keymap::Keymap;
use super::theme::{Schemes, Theme};
use crate::base::BaseRepos;
use crate::domain::assignment::Assigned;
use crate::formats::LoadOptions;
use crate::review::{BlindPlan, QueueOrder, Settings};
use crate::scope::Rules;

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
    /// Which groups are reviewed blind.
    pub blind: BlindPlan,
    /// The order that groups are listed in at first; `None` = as assigned, else by name.
    pub order: Option<QueueOrder>,
    /// What the annotator was given; `None` = everything is shown.
    pub assigned: Option<Vec<Assigned>>,
    /// Whether files are looked at for changes while they are reviewed.
    pub follow: bool,
    /// Id of the group to open at once.
    pub group: Option<String>,
    /// The theme; `None` = by the terminal's background.
    pub theme: Option<ThemeChoice>,
    /// How many colours are used; `None` = what the environment says.
    pub depth: Option<ColourDepth>,
    /// The repositories that patches apply to.
    pub base_repos: BaseRepos,
    /// The rubric and the guidelines.
    pub guide: Guide,
    /// The rules for out-of-scope edits.
    pub rules: Rules,
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

/// The themes there are, and what is wrong with the person's own.
#[derive(Debug, Default)]
pub struct FoundThemes {
    /// The embedded ones and the person's; one of the same name takes the embedded one's place.
    pub themes: Vec<Theme>,
    /// What is wrong in the person's files, `PATH:LINE: what`; such a file is left out.
    pub problems: Vec<String>,
}

/// Reads the embedded themes and those of `config`'s `themes` folder. A file that cannot be used is
/// told and left out.
///
/// # Errors
/// An embedded theme is broken.
pub fn read_themes(config: Option<&Path>) -> std::io::Result<FoundThemes> {
    let mut found = FoundThemes {
        themes: Theme::embedded().map_err(invalid)?,
        problems: Vec::new(),
    };
    let folder = config.map(|folder| folder.join("themes"));
    let files = folder.as_deref().map(theme_files).unwrap_or_default();
    let (own, schemes): (Vec<_>, Vec<_>) = files
        .iter()
        .partition(|path| path.extension().is_some_and(|end| end == "toml"));
    let mut known = Schemes::default();
    for path in schemes {
        let read = std::fs::read(path).map_err(|error| error.to_string());
        if let Err(error) = read.and_then(|text| known.add(path, &text)) {
            found.problems.push(format!("{}: {error}", path.display()));
        }
    }
    let mut read: Vec<Theme> = known.themes(&found.themes);
    for path in own {
        let shown = path.display();
        match std::fs::read_to_string(path) {
            Err(error) => found.problems.push(format!("{shown}: {error}")),
            Ok(text) => match Theme::read_with(&text, &known) {
                Ok(theme) => read.push(theme),
                Err(errors) => {
                    let lines = errors.lines().map(|line| format!("{shown}:{line}"));
                    found.problems.extend(lines);
                }
            },
        }
    }
    for theme in read {
        match found
            .themes
            .iter_mut()
            .find(|known| known.name == theme.name)
        {
            Some(known) => *known = theme,
            None => found.themes.push(theme),
        }
    }
    Ok(found)
}

/// Which theme a person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThemeChoice {
    /// This one.
    One(String),
    /// One for each kind of background.
    Pair {
        /// On a dark background.
        dark: String,
        /// On a light one.
        light: String,
    },
}

/// The theme to start with: the one chosen, else the first for this background. `is_dark` tells
/// whether the background is dark, and is asked only when that matters.
///
/// # Errors
/// No theme has the chosen name; the text lists those there are.
pub fn choose_theme(
    themes: &[Theme],
    chosen: Option<&ThemeChoice>,
    is_dark: impl FnOnce() -> bool,
) -> std::io::Result<usize> {
    let place = |name: &str| {
        let found = themes.iter().position(|theme| theme.name == name);
        found.ok_or_else(|| {
            let names: Vec<_> = themes.iter().map(|theme| theme.name.as_str()).collect();
            invalid(format!(
                "no theme is called {name}; there are {}",
                names.join(", ")
            ))
        })
    };
    match chosen {
        Some(ThemeChoice::One(name)) => place(name),
        Some(ThemeChoice::Pair { dark, light }) => {
            // Both names are looked up, so that a wrong one is told on any background.
            let (dark, light) = (place(dark)?, place(light)?);
            Ok(if is_dark() { dark } else { light })
        }
        None => {
            let dark = is_dark();
            let fitting = themes.iter().position(|theme| theme.dark == dark);
            Ok(fitting.unwrap_or(0))
        }
    }
}

fn theme_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|end| end == "toml" || end == "tmTheme")
        })
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
        write("keys.toml", "[groups]\nsort=['Z']");
        let found = read_themes(Some(folder.path())).unwrap();
        assert!(found.problems.is_empty());
        assert!(found.themes.iter().any(|theme| theme.name == "mine"));
        assert!(read_keys(None, Some(folder.path())).is_ok());
        write("themes/bad.toml", "name='bad'\ndark=true\n[roles]\nglow={}");
        write("themes/worse.toml", "name=");
        let found = read_themes(Some(folder.path())).unwrap();
        assert!(found.themes.iter().any(|theme| theme.name == "mine"));
        let text = found.problems.join("\n");
        assert!(text.contains("bad.toml:4: `glow`"), "{text}");
        assert!(text.contains("worse.toml:1: "), "{text}");
        write("keys.toml", "[groups]\nfly=['o']\nsort=['<no>']");
        let text = read_keys(None, Some(folder.path()))
            .unwrap_err()
            .to_string();
        assert!(text.contains("fly") && text.contains("<no>"), "{text}");
    }

    #[test]
    fn a_theme_that_is_not_there_is_told_with_those_that_are() {
        let themes = Theme::embedded().unwrap();
        let chosen = |choice: Option<ThemeChoice>, dark| {
            choose_theme(&themes, choice.as_ref(), || dark).map(|place| themes[place].name.clone())
        };
        assert_eq!(chosen(None, true).unwrap(), "dark");
        assert_eq!(chosen(None, false).unwrap(), "light");
        let pair = |light: &str| {
            let (dark, light) = ("nord".to_owned(), light.to_owned());
            Some(ThemeChoice::Pair { dark, light })
        };
        assert_eq!(chosen(pair("github-light"), true).unwrap(), "nord");
        assert_eq!(chosen(pair("github-light"), false).unwrap(), "github-light");
        for wrong in [pair("mauve"), Some(ThemeChoice::One("mauve".to_owned()))] {
            let text = chosen(wrong, true).unwrap_err().to_string();
            assert!(text.contains("mauve") && text.contains("plain"), "{text}");
        }
    }
}
