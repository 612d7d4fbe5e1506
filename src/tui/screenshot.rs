//! A picture of any screen: keys pressed without a terminal, through the real update and drawing.
//!
//! Nothing is written: judgements are made in memory, the clock stands still, so the same input
//! gives the same bytes. What is *not* here: what a picture's file looks like ([`super::svg`]).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ratatui::buffer::Buffer;

use super::colour_depth::ColourDepth;
use super::guidelines::Guide;
use super::key::parse_keys;
use super::keymap::Keymap;
use super::message::Message;
use super::model::{Model, OpensFirst};
use super::settings::{ThemeChoice, choose_theme, config_folder, read_themes};
use super::svg::{Palette, svg};
use super::testing::{Harness, text_of};
use super::workers::LoadInput;
use crate::formats::{LoadOptions, LoadedSet};
use crate::review::{BlindPlan, Identity, Settings};
use crate::scope::Rules;
use crate::store::{EventStore, MemoryStore, SqliteStore};

/// What to draw.
#[derive(Debug, Clone)]
pub struct ScreenshotOptions {
    /// Files and folders with rollouts.
    pub paths: Vec<PathBuf>,
    /// How they are loaded.
    pub load: LoadOptions,
    /// What advantages are computed with.
    pub settings: Settings,
    /// A file with judgements, which is only read.
    pub db: Option<PathBuf>,
    /// Whose judgements.
    pub annotator: String,
    /// Which groups are shown blind.
    pub blind: BlindPlan,
    /// Keys to press, as a key file writes them; may be empty.
    pub keys: String,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Name of the theme.
    pub theme: String,
    /// How many colours the terminal has that is drawn.
    pub depth: ColourDepth,
    /// The rubric and the guidelines.
    pub guide: Guide,
    /// The rules for out-of-scope edits.
    pub rules: Rules,
}

impl ScreenshotOptions {
    /// The first screen over these paths, 160x48, with nobody's judgements, in the dark theme.
    #[must_use]
    pub fn of(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            load: LoadOptions::default(),
            settings: Settings::default(),
            db: None,
            annotator: "ann".to_owned(),
            blind: BlindPlan::review(false, 0),
            keys: String::new(),
            size: (160, 48),
            theme: "dark".to_owned(),
            depth: ColourDepth::True,
            guide: Guide::default(),
            rules: Rules::default(),
        }
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum ScreenshotError {
    /// The keys are not keys.
    #[error("--keys: {0}")]
    Keys(String),
    /// The keys end the program.
    #[error("--keys: {0} leaves gagar, there is no screen to draw")]
    Left(String),
    /// No such theme.
    #[error("{0}")]
    Unknown(String),
    /// Theme files, default keys or judgements cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

impl ScreenshotError {
    /// Whether the command line is at fault.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        !matches!(self, Self::Unreadable(_))
    }
}

/// A drawn screen.
#[derive(Debug)]
pub struct Screenshot {
    buffer: Buffer,
    palette: Palette,
    /// What was loaded; `None` when there was nothing to load.
    pub set: Option<Arc<LoadedSet>>,
}

impl Screenshot {
    /// The picture as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        svg(&self.buffer, &self.palette)
    }

    /// The text alone, a line a row.
    #[must_use]
    pub fn text(&self) -> String {
        text_of(&self.buffer)
    }
}

/// Loads, presses the keys and draws.
///
/// # Errors
/// See [`ScreenshotError`].
pub fn take(options: ScreenshotOptions) -> Result<Screenshot, ScreenshotError> {
    let keys = match options.keys.as_str() {
        "" => Vec::new(),
        keys => parse_keys(keys).map_err(ScreenshotError::Keys)?,
    };
    let unreadable = |error: String| ScreenshotError::Unreadable(error);
    let found =
        read_themes(config_folder().as_deref()).map_err(|error| unreadable(error.to_string()))?;
    let mut themes = found.themes;
    let chosen = ThemeChoice::One(options.theme.clone());
    let theme = choose_theme(&themes, Some(&chosen), || true)
        .map_err(|error| ScreenshotError::Unknown(error.to_string()))?;
    let palette = Palette::of(&themes[theme]);
    themes = themes
        .into_iter()
        .map(|theme| theme.at_depth(options.depth))
        .collect();
    let keymap = Keymap::new(None).map_err(|errors| unreadable(errors.join("; ")))?;
    let names = themes.iter().map(|theme| theme.name.clone()).collect();
    let title = super::settings::title(&options.paths);
    let mut model = Model::new(title.clone(), options.settings.clone(), keymap, names);
    model.theme = theme;
    model.size = options.size;
    model.starts_blind = options.blind.all;
    model.guide = options.guide;
    model.rules = options.rules.into();
    model.opens_first = OpensFirst::Only;
    let input = LoadInput {
        paths: options.paths,
        load: options.load,
        identity: Identity {
            annotator: options.annotator,
            session_id: "screenshot".to_owned(),
            source: title,
            blind: options.blind,
        },
        settings: options.settings,
        seed: 1,
    };
    let store = match options.db {
        Some(file) => Box::new(copy_of(&file).map_err(unreadable)?),
        None => Box::new(MemoryStore::default()),
    };
    let mut harness = Harness::loaded(model, input, store).map_err(unreadable)?;
    for key in keys {
        harness.send(Message::Key(key));
        if harness.has_left() {
            return Err(ScreenshotError::Left(key.to_string()));
        }
    }
    let session = harness.model.session.as_ref();
    let set = session.map(|session| Arc::clone(session.set()));
    let theme = themes.get(harness.model.theme).or(themes.first());
    let theme = theme.ok_or_else(|| unreadable("there is no theme".to_owned()))?;
    Ok(Screenshot {
        buffer: harness.draw(theme),
        palette,
        set,
    })
}

/// The judgements of a file in memory: what the keys add never reaches the file.
fn copy_of(file: &Path) -> Result<MemoryStore, String> {
    let events = SqliteStore::at(file)
        .events_since(0)
        .map_err(|error| error.to_string())?;
    Ok(MemoryStore::holding(events))
}
