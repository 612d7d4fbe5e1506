//! The configuration file: `gagar.toml` in the current folder, else `config.toml` beside the keys and
//! themes. It names maps from fields to columns.
//!
//! ```toml
//! [map.mine]
//! match = ["instance_id", "final_diff"]   # optional: for every record with these columns
//! group = "instance_id"
//! patch = "final_diff"
//! ```
//!
//! What is *not* here: what a map means ([`crate::formats::FieldMap`]), keys and themes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::error::CliError;
use super::open::config_folder;
use crate::formats::{FieldMap, NamedMap};

/// Name of the file in the current folder.
const HERE: &str = "gagar.toml";
/// Name of the file in the configuration folder.
const IN_FOLDER: &str = "config.toml";
/// The key of a map's table that lists columns.
const MATCH: &str = "match";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    map: BTreeMap<String, Spanned<BTreeMap<Spanned<String>, Value>>>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a path (text) or, for `match`, a list of columns"
)]
enum Value {
    Path(String),
    Columns(Vec<String>),
}

/// The maps of the configuration file; none when there is no file.
///
/// # Errors
/// When the file cannot be read, or says something that means nothing; the text names file and line.
pub(super) fn named_maps() -> Result<Vec<NamedMap>, CliError> {
    let Some(path) = config_file() else {
        return Ok(Vec::new());
    };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| CliError::usage(format!("{}: {error}", path.display())))?;
    read(&text).map_err(|reason| CliError::usage(format!("{}: {reason}", path.display())))
}

/// The map that `--map` asks for: itself, or one of the configuration file by its name.
///
/// # Errors
/// When it is neither; the text lists the keys or names that are known.
pub(super) fn map_of(text: &str, named: &[NamedMap]) -> Result<FieldMap, CliError> {
    if text.contains('=') {
        return text
            .parse()
            .map_err(|error| CliError::usage(format!("--map: {error}")));
    }
    if let Some(found) = named.iter().find(|map| map.name == text) {
        return Ok(found.map.clone());
    }
    let names: Vec<&str> = named.iter().map(|map| map.name.as_str()).collect();
    let hint = if names.is_empty() {
        format!("a map is written `group=COLUMN,...`; a name needs [map.{text}] in {HERE}")
    } else {
        format!("maps of the configuration file: {}", names.join(", "))
    };
    Err(CliError::usage(format!("--map: there is no map named `{text}`")).hint(hint))
}

fn config_file() -> Option<PathBuf> {
    let here = Path::new(HERE);
    if here.is_file() {
        return Some(here.to_owned());
    }
    config_folder()
        .map(|folder| folder.join(IN_FOLDER))
        .filter(|path| path.is_file())
}

fn read(text: &str) -> Result<Vec<NamedMap>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let line = |at: usize| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
    let mut maps = Vec::new();
    for (name, table) in file.map {
        let start = line(table.span().start);
        let (mut matches, mut pairs) = (Vec::new(), Vec::new());
        for (key, value) in table.get_ref() {
            let at = line(key.span().start);
            match (key.get_ref().as_str(), value) {
                (MATCH, Value::Columns(columns)) => matches.clone_from(columns),
                (MATCH, Value::Path(_)) => {
                    return Err(format!("line {at}: `match` is a list of columns"));
                }
                (key, Value::Path(path)) => pairs.push((key, path.as_str(), at)),
                (key, Value::Columns(_)) => {
                    return Err(format!("line {at}: `{key}` is one path, not a list"));
                }
            }
        }
        // One pair at a time tells which line is wrong.
        for (key, path, at) in &pairs {
            let alone = [("group", "x"), (*key, *path)];
            let alone = &alone[usize::from(*key == "group")..];
            FieldMap::of_pairs(alone.iter().copied())
                .map_err(|error| format!("line {at}: [map.{name}]: {error}"))?;
        }
        let map = FieldMap::of_pairs(pairs.iter().map(|(key, path, _)| (*key, *path)))
            .map_err(|error| format!("line {start}: [map.{name}]: {error}"))?;
        maps.push(NamedMap { name, matches, map });
    }
    Ok(maps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_have_names_and_columns() {
        let text = "[map.mine]\nmatch = [\"a\", \"b\"]\ngroup = \"a\"\nsteps = \"b.c\"\n[map.two]\ngroup='x'\n";
        let maps = read(text).expect("maps");
        assert_eq!(maps.len(), 2);
        assert_eq!(maps[0].matches, ["a", "b"]);
        assert_eq!(maps[0].map.to_string(), "group=a,steps=b.c");
        assert_eq!(map_of("two", &maps).expect("map").to_string(), "group=x");
        assert!(map_of("three", &maps).is_err());
    }

    #[test]
    fn what_means_nothing_is_told_with_its_line() {
        let error = |text: &str| read(text).expect_err("wrong");
        assert!(
            error("[map.a]\ngroup = \"x\"\n\nrewrad = \"y\"")
                .starts_with("line 4: [map.a]: `rewrad`")
        );
        assert!(error("[map.a]\nid = \"x\"").contains("line 1: [map.a]: the map does not say"));
        assert!(error("[map.a]\ngroup = \"x\"\nmatch = \"x\"").starts_with("line 3:"));
        assert!(error("\n[theme]\nx = 1").contains("line 2"));
        assert!(error("[map.a]\ngroup = 5").contains("line 2"));
    }
}
