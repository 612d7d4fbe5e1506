//! Records of chat messages with columns of any name, read through a map from fields to columns: one
//! given, one of the configuration file, or one guessed from the first records of a file.
//!
//! What is *not* here: the dialects of messages (`chat`) and Parquet.

mod field_map;
mod guess;
mod read;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::LoadOptions;
use super::files::Record;
use super::found::{FormatId, Found};

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
    /// Columns; records that have them all are read through the map. Empty: only when it is asked for.
    pub matches: Vec<String>,
    /// The map.
    pub map: FieldMap,
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
}

impl std::fmt::Display for GuessedMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "columns were guessed: --map {}", self.map)?;
        if !self.left_over.is_empty() {
            write!(f, "; not used: {}", self.left_over.join(", "))?;
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
}

/// Where a map comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Given by the user, for every record that has the group's column.
    Given,
    /// Of the configuration file, for records with these columns.
    Columns(Vec<String>),
    /// Guessed, with the columns not used; for what no other format recognises.
    Guessed(Vec<String>),
}

impl FileMap {
    /// Whether it was guessed.
    pub(crate) fn is_guessed(&self) -> bool {
        matches!(self.origin, Origin::Guessed(_))
    }

    /// What is told of it when it was guessed for the file at this path.
    pub(crate) fn guessed(&self, path: &Path) -> Option<GuessedMap> {
        let Origin::Guessed(left_over) = &self.origin else {
            return None;
        };
        Some(GuessedMap {
            path: path.to_owned(),
            map: self.map.as_ref().clone(),
            left_over: left_over.clone(),
        })
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
            Origin::Guessed(_) => false,
        }
    }
}

/// The map for a file that begins with these records: the one given, else the first of the
/// configuration file whose columns a record has, else a guess. `is_known` tells whether another
/// format reads a record.
pub(crate) fn choose(
    sample: &[Record<'_>],
    options: &LoadOptions,
    is_known: impl Fn(&Record<'_>) -> bool,
) -> Option<FileMap> {
    if let Some(map) = &options.map {
        return Some(FileMap {
            map: Arc::new(map.clone()),
            origin: Origin::Given,
        });
    }
    let configured = options.maps.iter().find(|named| {
        let has_all = |record: &Record<'_>| named.matches.iter().all(|column| record.has(column));
        !named.matches.is_empty() && sample.iter().any(has_all)
    });
    if let Some(named) = configured {
        return Some(FileMap {
            map: Arc::new(named.map.clone()),
            origin: Origin::Columns(named.matches.clone()),
        });
    }
    let unknown: Vec<&Record<'_>> = sample.iter().filter(|record| !is_known(record)).collect();
    let (map, left_over) = guess::guess(&unknown)?;
    Some(FileMap {
        map: Arc::new(map),
        origin: Origin::Guessed(left_over),
    })
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
