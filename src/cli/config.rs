//! The configuration files: `gagar.toml` in the current folder, `gagar.toml` beside the data, and
//! `config.toml` beside the keys and themes. They name a theme, maps from fields to columns, the
//! repositories that patches apply to, the rubric with its guidelines, and the rules for out-of-scope
//! edits; of two entries with one name the first counts.
//!
//! ```toml
//! theme = "nord"                          # or { dark = "nord", light = "github-light" }
//!
//! [map.mine]
//! match = ["instance_id", "final_diff"]   # optional: for every record with these columns
//! group = "instance_id"
//! patch = "final_diff"
//!
//! [base_repos]                            # paths relative to this file
//! "django/django" = "../django"           # a work tree, a bare repository or a bundle
//! "*" = "repos/{repo}"                    # owner/name, owner__name or name, with .git or .bundle
//!
//! guidelines = "GUIDE.md"                 # what annotators are to read (before the first table)
//!
//! [rubric]                                # the codes that findings may have
//! version = "acme-3"
//! [[rubric.code]]                         # the first of these replaces the built-in list
//! code = "naming"
//! key = "n"
//! title = "names that mislead"
//!
//! [scope.rule.stray_file]                 # a rule for out-of-scope edits: all three are optional
//! on = true
//! patterns = ["repro*", "scratch*"]       # instead of the built-in ones
//! [scope.rule.size_outlier]
//! threshold = 3.0
//! ```
//!
//! What is *not* here: what a map means ([`crate::formats::FieldMap`]), keys and themes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::error::CliError;
use super::open::{Guide, ThemeChoice, config_folder};
use crate::base::BaseRepos;
use crate::domain::rubric::{Code, Rubric};
use crate::formats::{FieldMap, NamedMap};
use crate::scope::{RuleConfig, Rules};

/// Name of the file in the current folder and beside the data.
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
    theme: Option<Spanned<toml::Value>>,
    #[serde(default)]
    base_repos: BTreeMap<String, String>,
    rubric: Option<Spanned<RubricTable>>,
    scope: Option<Spanned<ScopeTable>>,
    guidelines: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RubricTable {
    version: Option<String>,
    #[serde(default)]
    code: Vec<Spanned<Code>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScopeTable {
    version: Option<String>,
    #[serde(default)]
    rule: BTreeMap<Spanned<String>, RuleTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    on: Option<bool>,
    patterns: Option<Vec<String>>,
    threshold: Option<f64>,
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

/// The maps of the configuration files for data at these paths, the first file's first; none when
/// there is no file.
///
/// # Errors
/// When a file cannot be read, or says something that means nothing; the text names file and line.
pub(super) fn named_maps(paths: &[PathBuf]) -> Result<Vec<NamedMap>, CliError> {
    let mut maps: Vec<NamedMap> = Vec::new();
    for path in config_files(paths) {
        let more = read_file(&path, read)?;
        for map in more {
            if !maps.iter().any(|known| known.name == map.name) {
                maps.push(map);
            }
        }
    }
    Ok(maps)
}

/// The repositories that the configuration files name for data at these paths.
///
/// # Errors
/// As [`named_maps`].
pub(super) fn base_repos(paths: &[PathBuf]) -> Result<BaseRepos, CliError> {
    let mut repos = BaseRepos::default();
    for path in config_files(paths) {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let places = read_file(&path, |text, _| {
            let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
            Ok(file.base_repos)
        })?;
        for (name, place) in places {
            repos.insert(name, folder.join(place));
        }
    }
    Ok(repos)
}

fn read_file<T>(
    path: &Path,
    read: impl FnOnce(&str, &Path) -> Result<T, String>,
) -> Result<T, CliError> {
    let wrong = |reason: String| CliError::usage(format!("{}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    read(&text, path).map_err(wrong)
}

/// The map that `--map` asks for: itself, or one of the configuration files by its name, then with
/// its title.
///
/// # Errors
/// When it is neither; the text lists the keys or names that are known.
pub(super) fn map_of(
    text: &str,
    named: &[NamedMap],
) -> Result<(FieldMap, Option<String>), CliError> {
    if text.contains('=') {
        return text
            .parse()
            .map(|map| (map, None))
            .map_err(|error| CliError::usage(format!("--map: {error}")));
    }
    if let Some(found) = named.iter().find(|map| map.name == text) {
        return Ok((found.map.clone(), Some(found.title())));
    }
    let names: Vec<&str> = named.iter().map(|map| map.name.as_str()).collect();
    let hint = if names.is_empty() {
        format!("a map is written `group=COLUMN,...`; a name needs [map.{text}] in {HERE}")
    } else {
        format!("maps of the configuration files: {}", names.join(", "))
    };
    Err(CliError::usage(format!("--map: there is no map named `{text}`")).hint(hint))
}

/// The theme of the first configuration file that names one.
///
/// # Errors
/// When a file cannot be read, or says something that means nothing; the text names file and line.
pub(super) fn theme(paths: &[PathBuf]) -> Result<Option<ThemeChoice>, CliError> {
    for path in config_files(paths) {
        let wrong = |reason: String| CliError::usage(format!("{}: {reason}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
        if let Some(choice) = read_theme(&text).map_err(wrong)? {
            return Ok(Some(choice));
        }
    }
    Ok(None)
}

/// The theme a file's text names.
fn read_theme(text: &str) -> Result<Option<ThemeChoice>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let Some(theme) = file.theme else {
        return Ok(None);
    };
    let wrong = || {
        let line = line_of(text, theme.span().start);
        format!("line {line}: `theme` is a name or {{ dark = \"NAME\", light = \"NAME\" }}")
    };
    match theme.get_ref() {
        toml::Value::String(name) => Ok(Some(ThemeChoice::One(name.clone()))),
        toml::Value::Table(table) if table.len() == 2 => {
            let name = |key| {
                table
                    .get(key)
                    .and_then(toml::Value::as_str)
                    .map(str::to_owned)
            };
            let (dark, light) = (name("dark"), name("light"));
            match (dark, light) {
                (Some(dark), Some(light)) => Ok(Some(ThemeChoice::Pair { dark, light })),
                _ => Err(wrong()),
            }
        }
        _ => Err(wrong()),
    }
}

/// The out-of-scope rules as the configuration files want them: a rule that several files name is as
/// the first says, the first name of a version counts.
///
/// # Errors
/// As [`named_maps`].
pub(super) fn scope_rules(paths: &[PathBuf]) -> Result<Rules, CliError> {
    let mut version: Option<String> = None;
    let mut changes = BTreeMap::new();
    for path in config_files(paths) {
        let Some((named, more)) = read_file(&path, |text, _| read_scope(text))? else {
            continue;
        };
        version = version.or(named);
        for (name, change) in more {
            changes.entry(name).or_insert(change);
        }
    }
    Rules::with(version.as_deref(), &changes).map_err(CliError::usage)
}

/// A version's name and changes by rule.
type ScopeChanges = (Option<String>, BTreeMap<String, RuleConfig>);

/// What a file's text changes in the out-of-scope rules.
fn read_scope(text: &str) -> Result<Option<ScopeChanges>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let Some(table) = file.scope else {
        return Ok(None);
    };
    let table = table.into_inner();
    let mut lines = BTreeMap::new();
    let changes = table.rule.into_iter().map(|(name, rule)| {
        let line = line_of(text, name.span().start);
        let name = name.into_inner();
        lines.insert(name.clone(), line);
        let change = RuleConfig {
            on: rule.on,
            patterns: rule.patterns,
            threshold: rule.threshold,
        };
        (name, change)
    });
    let changes: BTreeMap<_, _> = changes.collect();
    // Each on its own, so that an error is told at its line.
    for (name, change) in &changes {
        let one = BTreeMap::from([(name.clone(), change.clone())]);
        let line = lines.get(name).copied().unwrap_or(1);
        Rules::with(None, &one).map_err(|error| format!("line {line}: [scope]: {error}"))?;
    }
    Ok(Some((table.version, changes)))
}

/// The rubric and the guidelines of the first configuration file that says any, each.
///
/// # Errors
/// As [`named_maps`]; also when the guidelines cannot be read.
pub(super) fn guide(paths: &[PathBuf]) -> Result<Guide, CliError> {
    let (mut rubric, mut guidelines) = (None, None);
    for path in config_files(paths) {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let (own, file) = read_file(&path, |text, _| {
            Ok((read_rubric(text)?, read_guidelines(text, &folder)?))
        })?;
        rubric = rubric.or(own);
        guidelines = guidelines.or(file);
    }
    Ok(Guide::new(rubric.unwrap_or_default(), guidelines))
}

/// The rubric that a file's text gives.
fn read_rubric(text: &str) -> Result<Option<Rubric>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let Some(table) = file.rubric else {
        return Ok(None);
    };
    let start = line_of(text, table.span().start);
    let table = table.into_inner();
    let version = table.version.filter(|version| !version.trim().is_empty());
    let Some(version) = version else {
        let why = "[rubric] needs `version = \"NAME\"`: it is stamped into every finding";
        return Err(format!("line {start}: {why}"));
    };
    let mut rubric = Rubric {
        version,
        ..Rubric::default()
    };
    if !table.code.is_empty() {
        rubric.codes.clear();
    }
    for code in table.code {
        let line = line_of(text, code.span().start);
        rubric.codes.push(code.into_inner());
        // One at a time tells which line is wrong.
        let wrong = |error| format!("line {line}: [[rubric.code]]: {error}");
        rubric.check().map_err(wrong)?;
    }
    Ok(Some(rubric))
}

/// The guidelines that a file's text names, with their name; relative to the file's folder.
fn read_guidelines(text: &str, folder: &Path) -> Result<Option<(String, String)>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let Some(named) = file.guidelines else {
        return Ok(None);
    };
    let line = line_of(text, named.span().start);
    let name = named.into_inner();
    let read = std::fs::read_to_string(folder.join(&name));
    let read = read.map_err(|error| format!("line {line}: guidelines {name}: {error}"))?;
    Ok(Some((name, read)))
}

/// The line of a byte, 1-based.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// The configuration files there are, the first to count first.
fn config_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let beside = paths.iter().filter_map(|path| match path.is_dir() {
        true => Some(path.join(HERE)),
        false => Some(path.parent()?.join(HERE)),
    });
    let own = config_folder().map(|folder| folder.join(IN_FOLDER));
    let mut seen = BTreeSet::new();
    std::iter::once(PathBuf::from(HERE))
        .chain(beside)
        .chain(own)
        .filter(|path| path.is_file())
        .filter(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())))
        .collect()
}

fn read(text: &str, path: &Path) -> Result<Vec<NamedMap>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    // A theme, a rubric or a rule that is wrong is told by every command.
    read_theme(text)?;
    read_rubric(text)?;
    read_scope(text)?;
    let line = |at: usize| line_of(text, at);
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
        maps.push(NamedMap {
            name,
            file: path.to_owned(),
            matches,
            map,
        });
    }
    Ok(maps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_have_names_and_columns() {
        let text = "[map.mine]\nmatch = [\"a\", \"b\"]\ngroup = \"a\"\nsteps = \"b.c\"\n[map.two]\ngroup='x'\n";
        let maps = read(text, Path::new("gagar.toml")).expect("maps");
        assert_eq!(maps.len(), 2);
        assert_eq!(maps[0].matches, ["a", "b"]);
        assert_eq!(maps[0].map.to_string(), "group=a,steps=b.c");
        let (two, title) = map_of("two", &maps).expect("map");
        assert_eq!(two.to_string(), "group=x");
        assert_eq!(title.as_deref(), Some("[map.two] of gagar.toml"));
        assert!(map_of("three", &maps).is_err());
    }

    #[test]
    fn a_theme_is_a_name_or_one_for_each_background() {
        let one = ThemeChoice::One("nord".to_owned());
        assert_eq!(read_theme("theme = 'nord'"), Ok(Some(one)));
        let (dark, light) = ("a".to_owned(), "b".to_owned());
        let pair = ThemeChoice::Pair { dark, light };
        let text = "theme = { dark = 'a', light = 'b' }\n[map.x]\ngroup='x'";
        assert_eq!(read_theme(text), Ok(Some(pair)));
        assert_eq!(read_theme("[map.x]\ngroup='x'"), Ok(None));
    }

    #[test]
    fn a_rubric_has_a_version_and_may_replace_the_codes() {
        let read = |text: &str| read_rubric(text);
        assert_eq!(read("theme = 'x'"), Ok(None));
        let own = read("[rubric]\nversion = 'acme-3'").unwrap().unwrap();
        assert_eq!(own.version, "acme-3");
        assert_eq!(own.codes, Rubric::default().codes);
        let code = |code: &str, key: &str| {
            format!("[[rubric.code]]\ncode = '{code}'\nkey = '{key}'\ntitle = 't'\n")
        };
        let head = "[rubric]\nversion = 'acme-3'\n";
        let own = read(&format!("{head}{}", code("naming", "n")))
            .unwrap()
            .unwrap();
        assert_eq!(own.codes.len(), 1);
        assert_eq!(own.by_key('n').unwrap().code, "naming");
        let twice = format!("{head}{}{}", code("naming", "n"), code("nesting", "n"));
        let error = read(&twice).unwrap_err();
        assert!(error.starts_with("line 7: [[rubric.code]]:"), "{error}");
        assert!(error.contains("same key n"), "{error}");
        assert!(
            read("\n[rubric]\n")
                .unwrap_err()
                .starts_with("line 2: [rubric]")
        );
        let long = format!("{head}{}", code("naming", "nn"));
        assert!(read(&long).unwrap_err().contains("line 5"));
    }

    #[test]
    fn guidelines_are_read_beside_the_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("G.md"), "# Read this").unwrap();
        let found = read_guidelines("guidelines = 'G.md'", folder.path()).unwrap();
        assert_eq!(found.unwrap().1, "# Read this");
        let error = read_guidelines("\nguidelines = 'X.md'", folder.path()).unwrap_err();
        assert!(error.starts_with("line 2: guidelines X.md:"), "{error}");
    }

    #[test]
    fn what_means_nothing_is_told_with_its_line() {
        let error = |text: &str| read(text, Path::new("x")).expect_err("wrong");
        assert!(
            error("[map.a]\ngroup = \"x\"\n\nrewrad = \"y\"")
                .starts_with("line 4: [map.a]: `rewrad`")
        );
        assert!(error("[map.a]\nid = \"x\"").contains("line 1: [map.a]: the map does not say"));
        assert!(error("[map.a]\ngroup = \"x\"\nmatch = \"x\"").starts_with("line 3:"));
        assert!(error("\n[theme]\nx = 1").starts_with("line 2: `theme`"));
        assert!(error("theme = 3").starts_with("line 1: `theme`"));
        assert!(error("[map.a]\ngroup = 5").contains("line 2"));
    }
}
