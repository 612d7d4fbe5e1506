//! What is told of the columns of a file: which there are, and a map that may read them.
//!
//! What is *not* here: the guess that reads a file without being asked (`guess`).

use super::field_map::{FieldMap, FieldPath, MapKey};
use super::guess::{self, Shape};
use crate::formats::files::Record;
use crate::formats::json::{Fields, Kind};

/// Columns named; the others are counted.
const NAMED: usize = 12;
/// Columns named of an object in a column.
const NAMED_INSIDE: usize = 5;
/// Longest name (characters) of a column that is shown whole.
const LONGEST: usize = 40;

/// The columns of a file's first records.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Columns {
    /// The columns with what stands in them.
    shown: String,
    /// A map that may read them, when something in them looks like a part of a rollout.
    proposal: Option<String>,
}

impl Columns {
    /// The columns of these records; `None` when none is an object with columns.
    pub(super) fn of(records: &[&Record<'_>]) -> Option<Self> {
        let rows: Vec<&Fields<'_>> = records.iter().filter_map(|r| r.fields()).collect();
        let columns = guess::columns(&rows);
        if columns.is_empty() {
            return None;
        }
        let mut shown: Vec<String> = columns
            .iter()
            .take(NAMED)
            .map(|column| format!("{} ({})", short(column), kind(&rows, column)))
            .collect();
        if columns.len() > NAMED {
            shown.push(format!("{} more", columns.len() - NAMED));
        }
        Some(Self {
            shown: shown.join(", "),
            proposal: proposal(&rows),
        })
    }

    /// Whether something in them looks like a part of a rollout.
    pub(crate) fn are_of_rollouts(&self) -> bool {
        self.proposal.is_some()
    }

    /// The columns in one line.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }
}

impl std::fmt::Display for Columns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = &self.shown;
        write!(
            f,
            "its columns: {shown}; `--map group=…,steps=…` reads them"
        )?;
        match &self.proposal {
            Some(map) => write!(f, ", here perhaps --map {map}"),
            None => Ok(()),
        }
    }
}

fn short(name: &str) -> String {
    let mut short: String = name.chars().take(LONGEST).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    short
}

/// What stands in a column, in a word or two.
fn kind(rows: &[&Fields<'_>], column: &str) -> String {
    let place = FieldPath::column(column);
    if guess::fits(rows, &place, Shape::Turns) || guess::fits(rows, &place, Shape::Chat) {
        return "messages".to_owned();
    }
    if guess::fits(rows, &place, Shape::Diff) {
        return "diff".to_owned();
    }
    let Some(raw) = rows.iter().find_map(|row| row.some(column)) else {
        return "null".to_owned();
    };
    match raw.kind() {
        Kind::Text => "text".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::List => "list".to_owned(),
        Kind::Word if matches!(raw.get(), "true" | "false") => "true or false".to_owned(),
        Kind::Word => "number".to_owned(),
        Kind::Object => {
            let fields = Fields::of("", raw).unwrap_or_default();
            let mut keys: Vec<String> = fields.keys().take(NAMED_INSIDE).map(short).collect();
            if fields.keys().count() > NAMED_INSIDE {
                keys.push("…".to_owned());
            }
            format!("object: {}", keys.join(", "))
        }
    }
}

/// A map of what can be recognised; `None` when that is no more than a name.
fn proposal(rows: &[&Fields<'_>]) -> Option<String> {
    let mut map = guess::by_columns(rows);
    if map.get(MapKey::Reward).is_none()
        && let Some(place) = guess::likely_verdict(rows, &map)
    {
        map.set(MapKey::Reward, place);
    }
    let told = [MapKey::Steps, MapKey::Patch, MapKey::Reward];
    if told.iter().all(|&key| map.get(key).is_none()) {
        return None;
    }
    let group = map.get(MapKey::Group).cloned();
    let group = group.or_else(|| guess::likely_group(rows, &map));
    let text = |map: &FieldMap| {
        let fields = map.fields().filter(|(key, _)| *key != MapKey::Group);
        let fields = fields.map(|(key, path)| format!(",{}={path}", key.word()));
        fields.collect::<String>()
    };
    let group = group.map_or_else(|| "…".to_owned(), |group| group.to_string());
    Some(format!("group={group}{}", text(&map)))
}
