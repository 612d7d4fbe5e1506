//! The map from gagar's fields to the columns of a record: its syntax, and how a path is followed.
//!
//! `group=instance_id,reward=resolved,steps=info.messages`: keys of [`MapKey`], values are dotted
//! paths. A backslash takes the next character as it is (`a\.b` is one column). A path goes on inside
//! a text that holds JSON. What is *not* here: which map applies to a file (`guess`, `scan`).

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::formats::json::{self, Fields, Kind, Raw};

/// What a map can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MapKey {
    /// What puts rollouts into one group.
    Group,
    /// What tells the rollouts of a group apart.
    Id,
    /// Reward or verdict.
    Reward,
    /// The patch.
    Patch,
    /// The messages.
    Steps,
    /// Training step.
    Step,
    /// Policy, model or run name.
    Policy,
    /// The advantage the trainer used.
    Advantage,
    /// The issue text or prompt.
    Task,
    /// Repository.
    Repo,
    /// Commit the patches apply to.
    BaseCommit,
    /// Whether generation was cut off.
    Truncated,
    /// Whether the rollout is masked out of the loss.
    Masked,
    /// Cost in US dollars.
    Cost,
    /// Input tokens.
    TokensIn,
    /// Output tokens.
    TokensOut,
    /// How the agent ended.
    ExitStatus,
    /// Position within the group.
    Order,
}

impl MapKey {
    /// Every key.
    pub const ALL: [Self; 18] = [
        Self::Group,
        Self::Id,
        Self::Reward,
        Self::Patch,
        Self::Steps,
        Self::Step,
        Self::Policy,
        Self::Advantage,
        Self::Task,
        Self::Repo,
        Self::BaseCommit,
        Self::Truncated,
        Self::Masked,
        Self::Cost,
        Self::TokensIn,
        Self::TokensOut,
        Self::ExitStatus,
        Self::Order,
    ];

    /// The word used in a map.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Id => "id",
            Self::Reward => "reward",
            Self::Patch => "patch",
            Self::Steps => "steps",
            Self::Step => "step",
            Self::Policy => "policy",
            Self::Advantage => "advantage",
            Self::Task => "task",
            Self::Repo => "repo",
            Self::BaseCommit => "base_commit",
            Self::Truncated => "truncated",
            Self::Masked => "masked",
            Self::Cost => "cost",
            Self::TokensIn => "tokens_in",
            Self::TokensOut => "tokens_out",
            Self::ExitStatus => "exit_status",
            Self::Order => "order",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.word() == word)
    }
}

/// Where a field is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldPath {
    /// Columns and list indices, from the outermost one on.
    Columns(Vec<String>),
    /// `@prompt`: a hash of the first user message, for records that name no task.
    Prompt,
    /// `@key`: the key the record stands under in a JSON object.
    RecordKey,
}

impl FieldPath {
    /// The path of one column.
    #[must_use]
    pub fn column(name: &str) -> Self {
        Self::Columns(vec![name.to_owned()])
    }

    /// The outermost column, when the path has one.
    #[must_use]
    pub fn first(&self) -> Option<&str> {
        match self {
            Self::Columns(columns) => columns.first().map(String::as_str),
            _ => None,
        }
    }

    fn parse(text: &str) -> Result<Self, PathError> {
        match text {
            "" => return Err(PathError::Empty),
            "@prompt" => return Ok(Self::Prompt),
            "@key" => return Ok(Self::RecordKey),
            _ if text.starts_with('@') => return Err(PathError::Special(text.to_owned())),
            _ => {}
        }
        let columns: Vec<String> = split(text, '.').iter().map(|part| plain(part)).collect();
        if columns.iter().any(String::is_empty) {
            return Err(PathError::Empty);
        }
        Ok(Self::Columns(columns))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prompt => f.write_str("@prompt"),
            Self::RecordKey => f.write_str("@key"),
            Self::Columns(columns) => {
                for (index, column) in columns.iter().enumerate() {
                    if index > 0 {
                        f.write_str(".")?;
                    }
                    for (at, c) in column.char_indices() {
                        if matches!(c, '.' | ',' | '\\') || (index == 0 && at == 0 && c == '@') {
                            f.write_str("\\")?;
                        }
                        write!(f, "{c}")?;
                    }
                }
                Ok(())
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum PathError {
    Empty,
    Special(String),
}

/// Why a map cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// A part without `=`.
    #[error("`{0}` is not `key=path`; known keys: {known}", known = known())]
    Part(String),
    /// No such key.
    #[error("`{0}` is no key of a map; known keys: {known}", known = known())]
    Key(String),
    /// A key that occurs twice.
    #[error("`{0}` occurs twice in the map")]
    Twice(&'static str),
    /// A path, or a part of one, without a name.
    #[error("`{0}` has an empty path; known keys: {known}", known = known())]
    Empty(&'static str),
    /// A word with `@` that means nothing.
    #[error(
        "`{0}` means nothing: only @prompt and @key do; a column of this name is written `\\{0}`"
    )]
    Special(String),
    /// No `group`.
    #[error("the map does not say what makes a group: add `group=COLUMN` (or `group=@prompt`)")]
    NoGroup,
}

fn known() -> String {
    MapKey::ALL.map(MapKey::word).join(", ")
}

/// Which columns of a record are what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldMap {
    fields: Vec<(MapKey, FieldPath)>,
}

impl FieldMap {
    /// A map of pairs of key and path, as they stand in a configuration file.
    ///
    /// # Errors
    /// An unknown key, a key that occurs twice, an empty path, or no `group`.
    pub fn of_pairs<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, MapError> {
        let mut map = Self::default();
        for (word, path) in pairs {
            let key = MapKey::from_word(word).ok_or_else(|| MapError::Key(word.to_owned()))?;
            if map.get(key).is_some() {
                return Err(MapError::Twice(key.word()));
            }
            let path = FieldPath::parse(path).map_err(|error| match error {
                PathError::Empty => MapError::Empty(key.word()),
                PathError::Special(word) => MapError::Special(word),
            })?;
            map.fields.push((key, path));
        }
        if map.get(MapKey::Group).is_none() {
            return Err(MapError::NoGroup);
        }
        Ok(map)
    }

    /// Where a field is; `None` when the map does not name it.
    #[must_use]
    pub fn get(&self, key: MapKey) -> Option<&FieldPath> {
        let (_, path) = self.fields.iter().find(|(known, _)| *known == key)?;
        Some(path)
    }

    /// The fields with their paths, in the order given.
    pub fn fields(&self) -> impl Iterator<Item = (MapKey, &FieldPath)> {
        self.fields.iter().map(|(key, path)| (*key, path))
    }

    /// Names a field, in place of what was named before.
    pub(super) fn set(&mut self, key: MapKey, path: FieldPath) {
        self.remove(key);
        self.fields.push((key, path));
    }

    /// Names a field no longer.
    pub(super) fn remove(&mut self, key: MapKey) {
        self.fields.retain(|(known, _)| *known != key);
    }

    /// The JSON text of a field in a record; `None` when the map does not name it, or it is absent
    /// or null there.
    pub(super) fn value<'a>(&self, fields: &Fields<'a>, key: MapKey) -> Option<Cow<'a, str>> {
        match self.get(key)? {
            FieldPath::Columns(columns) => follow(fields, columns),
            _ => None,
        }
    }
}

impl FromStr for FieldMap {
    type Err = MapError;

    fn from_str(text: &str) -> Result<Self, MapError> {
        let parts = split(text, ',');
        let pairs: Vec<(&str, &str)> = parts
            .iter()
            .map(|part| {
                let (key, path) = part
                    .split_once('=')
                    .ok_or_else(|| MapError::Part(part.trim().to_owned()))?;
                Ok((key.trim(), path.trim()))
            })
            .collect::<Result<_, MapError>>()?;
        Self::of_pairs(pairs)
    }
}

impl fmt::Display for FieldMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, path)) in self.fields().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{}={path}", key.word())?;
        }
        Ok(())
    }
}

/// Splits at a character that no backslash stands before; the backslashes stay.
fn split(text: &str, at: char) -> Vec<&str> {
    let (mut parts, mut start, mut escaped) = (Vec::new(), 0, false);
    for (index, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == at {
            parts.push(&text[start..index]);
            start = index + c.len_utf8();
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A text without the backslashes that take the next character as it is.
fn plain(text: &str) -> String {
    let (mut out, mut escaped) = (String::new(), false);
    for c in text.chars() {
        if c == '\\' && !escaped {
            escaped = true;
        } else {
            out.push(c);
            escaped = false;
        }
    }
    out
}

/// The JSON text at a path; `None` when it is absent or null.
pub(super) fn follow<'a>(fields: &Fields<'a>, path: &[String]) -> Option<Cow<'a, str>> {
    let (first, rest) = path.split_first()?;
    let value = inside(fields.some(first)?, rest)?;
    (value != "null").then_some(value)
}

/// Whether a record has the column at a path, be it null.
pub(super) fn has(fields: &Fields<'_>, path: &[String]) -> bool {
    let Some((first, rest)) = path.split_first() else {
        return true;
    };
    fields.raw(first).is_some_and(|raw| has_inside(raw, rest))
}

fn has_inside(raw: Raw<'_>, path: &[String]) -> bool {
    if path.is_empty() || raw.get() == "null" {
        return true;
    }
    match raw.kind() {
        Kind::Object => Fields::of("", raw).is_ok_and(|fields| has(&fields, path)),
        Kind::Text => {
            json::text("", raw.get()).is_ok_and(|text| has_inside(Raw::known(text.trim()), path))
        }
        _ => inside(raw, path).is_some(),
    }
}

fn inside<'a>(raw: Raw<'a>, path: &[String]) -> Option<Cow<'a, str>> {
    let Some((first, rest)) = path.split_first() else {
        return Some(Cow::Borrowed(raw.get()));
    };
    match raw.kind() {
        Kind::Object => inside(Fields::of("", raw).ok()?.some(first)?, rest),
        Kind::List => {
            let index: usize = first.parse().ok()?;
            inside(*json::list("", raw).ok()?.get(index)?, rest)
        }
        // A text that holds JSON, as exporters of tables write nested values.
        Kind::Text => {
            let text = json::text("", raw.get()).ok()?;
            inside(Raw::known(text.trim()), path).map(|value| Cow::Owned(value.into_owned()))
        }
        Kind::Number | Kind::Word => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_written_as_it_is_read() {
        let text = r"group=info.instance_id,id=a\.b,patch=x\,y.0,steps=\@m";
        let map: FieldMap = text.parse().expect("map");
        assert_eq!(map.to_string(), text);
        let columns = |key| match map.get(key) {
            Some(FieldPath::Columns(columns)) => columns.clone(),
            _ => Vec::new(),
        };
        assert_eq!(columns(MapKey::Id), ["a.b"]);
        assert_eq!(columns(MapKey::Patch), ["x,y", "0"]);
        assert_eq!(columns(MapKey::Steps), ["@m"]);
    }

    #[test]
    fn what_is_wrong_in_a_map_is_told() {
        let error = |text: &str| text.parse::<FieldMap>().expect_err("wrong").to_string();
        assert!(error("grup=x").contains("`grup` is no key of a map; known keys: group, id"));
        assert!(error("group=x,group=y").contains("`group` occurs twice"));
        assert!(error("group=").contains("`group` has an empty path; known keys: group"));
        assert!(error("group=a..b").contains("empty path"));
        assert!(error("group").contains("`group` is not `key=path`"));
        assert!(error("").contains("is not `key=path`"));
        assert!(error("id=x").contains("add `group=COLUMN`"));
        assert!(error("group=@x").contains("@prompt and @key"));
    }

    #[test]
    fn paths_go_through_lists_and_texts_that_hold_json() {
        let json = br#"{"a":{"b":[1,{"c":"x"}]},"s":"{\"k\":[{\"d\":NaN},\"e\"]}","n":null}"#;
        let fields = Fields::parse(json).expect("fields");
        let at = |path: &str| {
            let map: FieldMap = format!("group={path}").parse().expect("map");
            map.value(&fields, MapKey::Group).map(Cow::into_owned)
        };
        assert_eq!(at("a.b.0").as_deref(), Some("1"));
        assert_eq!(at("a.b.1.c").as_deref(), Some("\"x\""));
        assert_eq!(at("s.k.0.d").as_deref(), Some("NaN"));
        assert_eq!(at("s.k.1").as_deref(), Some("\"e\""));
        assert_eq!(at("n"), None);
        assert_eq!(at("a.b.7"), None);
        assert_eq!(at("a.x.y"), None);
    }
}
