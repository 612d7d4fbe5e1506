//! Records of chat messages with columns of any name, read through a map from fields to columns: one
//! given, one of the configuration file, or one guessed from the first records of a file.
//!
//! What is *not* here: the dialects of messages (`chat`) and Parquet.

mod columns;
mod field_map;
mod guess;
mod read;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::LoadOptions;
use super::files::Record;
use super::found::{FormatId, Found};

pub(crate) use columns::Columns;
pub use field_map::{FieldMap, FieldPath, MapError, MapKey};
pub(crate) use guess::is_row;
pub(crate) use read::open;

/// The row of [`super::FORMATS`] for records read through the map of their file: the last one.
pub(crate) const FORMAT: FormatId = super::FORMATS.len() - 1;
/// Records of a file that a guess is made from, at most.
pub(crate) const SAMPLE: usize = 64;
/// Bytes of a file that a guess is made from, at most.
pub(crate) const SAMPLE_BYTES: u64 = 8 << 20;

/// Messages that take at most so many bytes in a table are read to count them.
#[cfg(feature = "parquet")]
const COUNTED_BYTES: u64 = 64 << 20;

/// A map with a name, of the configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedMap {
    /// Its name.
    pub name: String,
    /// The file that names it.
    pub file: PathBuf,
    /// Columns; records that have them all are read through the map. Empty: only when it is asked for.
    pub matches: Vec<String>,
    /// The map.
    pub map: FieldMap,
}

impl NamedMap {
    /// Where the map stands: `[map.mine] of gagar.toml`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("[map.{}] of {}", self.name, self.file.display())
    }
}

/// A map with a name that a file was read through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedMap {
    /// The file.
    pub path: PathBuf,
    /// Where the map stands, as [`NamedMap::title`].
    pub title: String,
}

impl std::fmt::Display for UsedMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "read through {}", self.title)
    }
}

/// A map that was guessed for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuessedMap {
    /// The file.
    pub path: PathBuf,
    /// The map; its text can be given as `--map`.
    pub map: FieldMap,
    /// Columns that the map does not use, in file order.
    pub left_over: Vec<String>,
    /// A column not used that looks like a verdict, when the map has none: too unsure to be taken.
    pub perhaps_reward: Option<FieldPath>,
}

impl GuessedMap {
    /// What no column was found for, of what a rollout should have.
    #[must_use]
    pub fn missing(&self) -> Vec<MapKey> {
        let wanted = [MapKey::Reward, MapKey::Patch, MapKey::Steps];
        let missing = wanted
            .into_iter()
            .filter(|&key| self.map.get(key).is_none());
        missing.collect()
    }
}

impl std::fmt::Display for GuessedMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "columns were guessed: --map {}", self.map)?;
        if !self.left_over.is_empty() {
            write!(f, "; not used: {}", self.left_over.join(", "))?;
        }
        for key in self.missing() {
            match (key, &self.perhaps_reward) {
                (MapKey::Reward, Some(path)) => write!(
                    f,
                    "; no verdict was found: all are unscored (perhaps reward={path})"
                )?,
                (MapKey::Reward, None) => {
                    f.write_str("; no verdict was found: all are unscored")?
                }
                (MapKey::Patch, _) => f.write_str("; no patch was found")?,
                _ => f.write_str("; no messages were found")?,
            }
        }
        if self.map.get(MapKey::Group) == Some(&FieldPath::Prompt) {
            f.write_str("; no task's name was found: equal first user messages make a group")?;
        }
        Ok(())
    }
}

/// The map of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileMap {
    /// The map.
    pub map: Arc<FieldMap>,
    /// Where it comes from.
    pub origin: Origin,
    /// How the file is called that has it, when it has a name.
    pub title: Option<Arc<str>>,
    /// The fields whose columns are there in the first records.
    pub seen: Seen,
}

/// The fields of a map whose columns were there in a record, be they null: a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Seen(u32);

impl Seen {
    /// Adds a field.
    pub(crate) fn add(&mut self, key: MapKey) {
        self.0 |= 1 << (key as u32);
    }

    /// Adds what another part saw.
    pub(crate) fn merge(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether a field was there.
    pub(crate) fn has(self, key: MapKey) -> bool {
        self.0 & (1 << (key as u32)) != 0
    }
}

/// Where a map comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Given by the user, for every record that has the group's column.
    Given,
    /// Of the configuration file, for records with these columns.
    Columns(Vec<String>),
    /// Guessed; for what no other format recognises.
    Guessed {
        /// The columns not used.
        left_over: Vec<String>,
        /// A column that looks like a verdict.
        perhaps_reward: Option<FieldPath>,
    },
}

impl FileMap {
    /// Whether it was guessed.
    pub(crate) fn is_guessed(&self) -> bool {
        matches!(self.origin, Origin::Guessed { .. })
    }

    /// What is told of it when it was guessed for the file at this path.
    pub(crate) fn guessed(&self, path: &Path) -> Option<GuessedMap> {
        let Origin::Guessed {
            left_over,
            perhaps_reward,
        } = &self.origin
        else {
            return None;
        };
        Some(GuessedMap {
            path: path.to_owned(),
            map: self.map.as_ref().clone(),
            left_over: left_over.clone(),
            perhaps_reward: perhaps_reward.clone(),
        })
    }

    /// What is told of it when it has a name.
    pub(crate) fn used(&self, path: &Path) -> Option<UsedMap> {
        Some(UsedMap {
            path: path.to_owned(),
            title: self.title.as_deref()?.to_owned(),
        })
    }

    /// What to say of columns that the map names and no record of the file has; `seen` are the ones
    /// that were there. The group's column alone when it is missing: then nothing was read.
    pub(crate) fn absent(&self, seen: Seen, columns: &Columns) -> Vec<String> {
        let is_absent = |key: MapKey| !seen.has(key) && !self.seen.has(key);
        let fields = self.map.fields();
        let mut absent: Vec<(MapKey, &FieldPath)> = fields
            .filter(|(key, path)| path.first().is_some() && is_absent(*key))
            .collect();
        if let Some(&group) = absent.iter().find(|(key, _)| *key == MapKey::Group) {
            absent = vec![group];
        }
        let shown = columns.shown();
        let absent = absent.into_iter().map(|(key, path)| {
            let key = key.word();
            format!("no record has a column `{path}` ({key}); the columns: {shown}")
        });
        absent.collect()
    }

    /// What is said of each record without the group that the map names.
    pub(crate) fn no_group(&self) -> String {
        let whose = match self.is_guessed() {
            true => "the map guessed for this file",
            false => "the map",
        };
        let path = self.map.get(MapKey::Group).map(FieldPath::to_string);
        let path = path.unwrap_or_default();
        format!("no group: {whose} says group={path}, which the record lacks")
    }

    /// Whether the index needs a column that takes so many bytes unpacked in a file of so many rows.
    #[cfg(feature = "parquet")]
    pub(crate) fn needs(&self, column: &str, bytes: u64, rows: u64) -> bool {
        let is_prompt = |path: &FieldPath| *path == FieldPath::Prompt;
        let mut keys = self
            .map
            .fields()
            .filter(|(_, path)| path.first() == Some(column))
            .map(|(key, _)| key)
            .peekable();
        if keys.peek().is_none() {
            // What is longer is not kept.
            return bytes / rows.max(1) <= read::KEPT as u64;
        }
        // Of the messages only their number is wanted.
        keys.any(|key| key != MapKey::Steps)
            || bytes <= COUNTED_BYTES
            || self.map.get(MapKey::Group).is_some_and(is_prompt)
    }

    /// Whether it goes before the other formats for a record.
    pub(crate) fn is_first_for(&self, record: &Record<'_>) -> bool {
        match &self.origin {
            Origin::Given => read::has_group(&self.map, record),
            Origin::Columns(columns) => columns.iter().all(|column| record.has(column)),
            Origin::Guessed { .. } => false,
        }
    }
}

/// What the first records of a file tell.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// The map of the file.
    pub map: Option<FileMap>,
    /// The columns of its records, when they may have to be told.
    pub columns: Option<Columns>,
}

/// The map for a file that begins with these records: the one given, else the first of the
/// configuration files whose columns a record has, else a guess. `is_known` tells whether another
/// format reads a record.
pub(crate) fn choose(
    sample: &[Record<'_>],
    options: &LoadOptions,
    is_known: impl Fn(&Record<'_>) -> bool,
) -> Choice {
    let file_map = |map: &FieldMap, origin: Origin, title: Option<String>| FileMap {
        seen: read::seen(map, sample),
        map: Arc::new(map.clone()),
        origin,
        title: title.map(Arc::from),
    };
    let all: Vec<&Record<'_>> = sample.iter().collect();
    if let Some(map) = &options.map {
        return Choice {
            map: Some(file_map(map, Origin::Given, options.map_title.clone())),
            columns: Columns::of(&all),
        };
    }
    let configured = options.maps.iter().find(|named| {
        let has_all = |record: &Record<'_>| named.matches.iter().all(|column| record.has(column));
        !named.matches.is_empty() && sample.iter().any(has_all)
    });
    if let Some(named) = configured {
        let origin = Origin::Columns(named.matches.clone());
        return Choice {
            map: Some(file_map(&named.map, origin, Some(named.title()))),
            columns: Columns::of(&all),
        };
    }
    let unknown: Vec<&Record<'_>> = all.into_iter().filter(|record| !is_known(record)).collect();
    match guess::guess(&unknown) {
        Some(guessed) => {
            let origin = Origin::Guessed {
                left_over: guessed.left_over,
                perhaps_reward: guessed.perhaps_reward,
            };
            Choice {
                map: Some(file_map(&guessed.map, origin, None)),
                columns: None,
            }
        }
        None => Choice {
            map: None,
            columns: Columns::of(&unknown),
        },
    }
}

/// Never: a record alone does not tell which map its file has (see [`choose`]).
pub(crate) fn by_file(_: &Record<'_>) -> bool {
    false
}

/// Reads what the index needs of a record through the map of its file.
pub(crate) fn read_as_mapped(record: &Record<'_>, found: &mut Found) {
    let Some(map) = found.map.clone() else { return };
    read::read(record, &map, found);
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use super::*;

    #[test]
    fn only_long_columns_that_nothing_needs_are_left_out() {
        let map = |text: &str| FileMap {
            map: Arc::new(text.parse().expect("map")),
            origin: Origin::Given,
            title: None,
            seen: Seen::default(),
        };
        let plain = map("group=g,steps=m,patch=p.d");
        let long = 1 << 30;
        assert!(plain.needs("p", long, 100));
        assert!(!plain.needs("m", long, 100));
        assert!(plain.needs("m", 1 << 20, 100));
        assert!(!plain.needs("logs", long, 100));
        assert!(plain.needs("label", 800, 100));
        // The prompt is among the messages.
        assert!(map("group=@prompt,steps=m").needs("m", long, 100));
    }
}
