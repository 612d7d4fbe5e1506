//! Reads and opens a record through a map.
//!
//! What is *not* here: which map a file has.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

use super::field_map::{self, FieldMap, FieldPath, MapKey, follow};
use super::{FileMap, Seen, guess};
use crate::diff::summarize;
use crate::domain::{
    Extra, Outcome, Step, TaskContent, TaskSummary, Trajectory, TrajectoryContent,
};
use crate::formats::assemble::mark_patch;
use crate::formats::chat;
use crate::formats::decoded_chat::{self, Speaker};
use crate::formats::files::{Body, Record};
use crate::formats::found::Found;
use crate::formats::json::{self, Fields, JsonError, Kind, Raw};
use crate::formats::rollout::{Opened, Rollout, Verdict};

/// Longest value (bytes of JSON text) of an unused column that is kept in the index.
pub(super) const KEPT: usize = 4096;
/// Hex digits of a prompt's hash that make a group's id.
const HASH_DIGITS: usize = 12;

/// Whether a record has what the map says makes a group.
pub(super) fn has_group(map: &FieldMap, record: &Record<'_>) -> bool {
    let Some(fields) = record.fields() else {
        return false;
    };
    match map.get(MapKey::Group) {
        Some(FieldPath::Columns(columns)) => follow(fields, columns).is_some(),
        Some(FieldPath::RecordKey) => record.key.is_some(),
        Some(FieldPath::Prompt) => prompt(map, fields).is_some(),
        None => false,
    }
}

/// The fields whose columns are there in a record.
pub(super) fn seen(map: &FieldMap, sample: &[Record<'_>]) -> Seen {
    let mut seen = Seen::default();
    for fields in sample.iter().filter_map(|record| record.fields()) {
        note_seen(map, fields, &mut seen);
    }
    seen
}

fn note_seen(map: &FieldMap, fields: &Fields<'_>, seen: &mut Seen) {
    for (key, path) in map
        .fields()
        .filter(|(key, _)| !seen.has(*key))
        .collect::<Vec<_>>()
    {
        let is_there = match path {
            FieldPath::Columns(columns) => field_map::has(fields, columns),
            FieldPath::Prompt | FieldPath::RecordKey => true,
        };
        if is_there {
            seen.add(key);
        }
    }
}

/// Reads what the index needs of a record.
pub(crate) fn read(record: &Record<'_>, file_map: &FileMap, found: &mut Found) {
    let map = file_map.map.as_ref();
    let Some(fields) = record.fields() else {
        found.problem(
            record,
            None,
            "the record is a list, not an object with columns",
        );
        return;
    };
    note_seen(map, fields, &mut found.seen);
    let group = match group_id(record, map, fields) {
        Ok(Some(group)) => group,
        Ok(None) => {
            found.problem(record, None, file_map.no_group());
            return;
        }
        Err(error) => {
            found.problem(record, None, error.to_string());
            return;
        }
    };
    let mut reader = Reader {
        map,
        fields,
        problems: Vec::new(),
    };
    let id = reader
        .id_text(MapKey::Id, record)
        .unwrap_or_else(|| row_name(record, found));
    let mut trajectory = Trajectory::new(id, Outcome::Unscored);
    reader.scalars(&mut trajectory);
    reader.verdict(&mut trajectory, found.options.pass_at);
    Verdict::mask(&mut trajectory);
    let patch = reader.patch();
    trajectory.patch = summarize(patch.as_deref());
    trajectory.steps = reader.count_steps();
    trajectory.meta = extra(map, fields);
    let step = reader.whole(MapKey::Step);
    let order = reader.whole(MapKey::Order);
    let task = reader.task_summary();
    let name = format!("{group}/{}", trajectory.id);
    for problem in std::mem::take(&mut reader.problems) {
        found.problem(record, Some(&name), problem);
    }
    let is_bare = [MapKey::Patch, MapKey::Reward, MapKey::Step]
        .iter()
        .all(|&key| map.get(key).is_none());
    if map.get(MapKey::Patch).is_some() {
        mark_patch(&mut trajectory);
    }
    found.rollout(
        record,
        Rollout {
            step,
            order,
            task,
            ..Rollout::new(group, trajectory)
        },
    );
    // Messages alone may belong to a prediction beside them.
    if is_bare {
        found.swebench.conversations.extend(found.groups.pop());
    }
}

/// Opens the texts of a record.
///
/// # Errors
/// When the record is no object.
pub(crate) fn open(
    map: &FieldMap,
    body: &Body<'_>,
    problems: &mut Vec<String>,
) -> Result<Opened, JsonError> {
    let Body::Object(fields) = body else {
        return Err(json::wrong("record", "an object", "a list"));
    };
    let mut reader = Reader {
        map,
        fields,
        problems: Vec::new(),
    };
    let steps = reader.steps();
    let opened = Opened {
        content: TrajectoryContent {
            patch: reader.patch(),
            steps,
            ..TrajectoryContent::default()
        },
        task: TaskContent {
            text: reader.task_text(),
            ..TaskContent::default()
        },
    };
    problems.append(&mut reader.problems);
    Ok(opened)
}

/// What tells a rollout from others when its record does not: the file and the line or element.
fn row_name(record: &Record<'_>, found: &Found) -> String {
    let stem = found.path.file_stem().unwrap_or_default().to_string_lossy();
    match (record.line, record.place.element) {
        (Some(line), _) => format!("{stem}:{line}"),
        (None, Some(element)) => format!("{stem}:{}", element + 1),
        (None, None) => match record.place.start {
            0 => stem.into_owned(),
            start => format!("{stem}@{start}"),
        },
    }
}

fn group_id(
    record: &Record<'_>,
    map: &FieldMap,
    fields: &Fields<'_>,
) -> Result<Option<String>, JsonError> {
    match map.get(MapKey::Group) {
        Some(FieldPath::RecordKey) => Ok(record.checked_key("group")?.map(str::to_owned)),
        Some(FieldPath::Prompt) => Ok(prompt(map, fields).map(|text| {
            let hash = Sha256::digest(text.as_bytes());
            let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("prompt-{}", &hex[..HASH_DIGITS])
        })),
        Some(FieldPath::Columns(_)) => match map.value(fields, MapKey::Group) {
            None => Ok(None),
            Some(text) => id_of("group", &text, record.mended),
        },
        None => Ok(None),
    }
}

/// An id: a text that is not blank, or a number or boolean as written.
fn id_of(field: &str, json_text: &str, mended: bool) -> Result<Option<String>, JsonError> {
    match json::kind(json_text) {
        Kind::Text => {
            let id = json::text(field, json_text)?;
            let is_lossy = (mended && id.contains(char::REPLACEMENT_CHARACTER))
                || serde_json::from_str::<String>(json_text).is_err();
            if is_lossy {
                return Err(JsonError::Id(field.to_owned()));
            }
            Ok(Some(id).filter(|id| !id.trim().is_empty()))
        }
        Kind::Number | Kind::Word => Ok(Some(json_text.to_owned())),
        Kind::Object | Kind::List => Err(json::wrong(field, "a text", json_text)),
    }
}

/// The first user message, else the task's text.
fn prompt(map: &FieldMap, fields: &Fields<'_>) -> Option<String> {
    map.value(fields, MapKey::Steps)
        .and_then(|text| chat::first_user_text(&text))
        .or_else(|| {
            let text = map.value(fields, MapKey::Task)?;
            task_of(&text)
        })
        .filter(|text| !text.trim().is_empty())
}

/// A task's text: a text, or the first user message of a list of messages.
fn task_of(json_text: &str) -> Option<String> {
    match json::kind(json_text) {
        Kind::Text => json::text("task", json_text).ok(),
        Kind::List => chat::first_user_text(json_text),
        _ => None,
    }
}

/// A text that stands where messages should and holds no JSON.
fn plain_text(json_text: &str) -> Option<String> {
    if json::kind(json_text) != Kind::Text {
        return None;
    }
    let text = json::text("", json_text).ok()?;
    let trimmed = text.trim();
    let is_json = trimmed.starts_with(['[', '{']) && Body::split(trimmed).is_ok();
    (!is_json).then_some(text)
}

/// The columns that no path of the map begins with, as far as they are short.
fn extra(map: &FieldMap, fields: &Fields<'_>) -> Extra {
    let is_used = |key: &str| map.fields().any(|(_, path)| path.first() == Some(key));
    Extra(
        fields
            .pairs()
            .filter(|(key, raw)| !is_used(key) && raw.get() != "null" && raw.get().len() <= KEPT)
            .map(|(key, raw)| (key.to_owned(), raw.strict().into_owned()))
            .collect(),
    )
}

/// The fields of one record; what cannot be read is told, and missing then.
struct Reader<'m, 'r, 'a> {
    map: &'m FieldMap,
    fields: &'r Fields<'a>,
    problems: Vec<String>,
}

impl<'a> Reader<'_, '_, 'a> {
    fn value(&self, key: MapKey) -> Option<Cow<'a, str>> {
        self.map.value(self.fields, key)
    }

    /// How a field is called in problems: its key and its path.
    fn name(&self, key: MapKey) -> String {
        match self.map.get(key) {
            Some(path) => format!("{} ({path})", key.word()),
            None => key.word().to_owned(),
        }
    }

    fn wrong(&mut self, key: MapKey, expected: &'static str, found: &str) {
        let error = json::wrong(&self.name(key), expected, found);
        self.problems.push(error.to_string());
    }

    fn id_text(&mut self, key: MapKey, record: &Record<'_>) -> Option<String> {
        if self.map.get(key) == Some(&FieldPath::RecordKey) {
            return record.key.clone();
        }
        let text = self.value(key)?;
        id_of(&self.name(key), &text, record.mended).unwrap_or_else(|error| {
            self.problems.push(error.to_string());
            None
        })
    }

    /// A text; numbers and booleans as they are written.
    fn text(&mut self, key: MapKey) -> Option<String> {
        let text = self.value(key)?;
        match json::kind(&text) {
            Kind::Text => json::text("", &text).ok(),
            Kind::Number | Kind::Word => Some(text.into_owned()),
            Kind::List | Kind::Object => {
                self.wrong(key, "a text", &text);
                None
            }
        }
    }

    /// A finite number; one written as a text, too.
    fn number(&mut self, key: MapKey) -> Option<f64> {
        let text = self.value(key)?;
        let inner = text.trim_matches('"').trim();
        match json::number(&text).or_else(|| inner.parse().ok()) {
            Some(number) if number.is_finite() => Some(number),
            _ if inner.is_empty() => None,
            _ => {
                self.wrong(key, "a finite number", &text);
                None
            }
        }
    }

    fn whole(&mut self, key: MapKey) -> Option<i64> {
        let number = self.number(key)?;
        if number.fract() != 0.0 {
            self.wrong(key, "a whole number", &number.to_string());
            return None;
        }
        // The cast saturates.
        Some(number as i64)
    }

    fn count(&mut self, key: MapKey) -> Option<u64> {
        let number = self.number(key)?;
        if number < 0.0 {
            self.wrong(key, "a count", &number.to_string());
            return None;
        }
        // The cast saturates.
        Some(number.round() as u64)
    }

    /// `true`, `false`, or a number that is 0 or not.
    fn flag(&mut self, key: MapKey) -> Option<bool> {
        let text = self.value(key)?;
        match text.trim_matches('"').to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            word => match word.parse::<f64>() {
                Ok(number) if !number.is_nan() => Some(number != 0.0),
                _ => {
                    self.wrong(key, "true or false", &text);
                    None
                }
            },
        }
    }

    fn scalars(&mut self, trajectory: &mut Trajectory) {
        trajectory.policy = self.text(MapKey::Policy);
        trajectory.recorded_advantage = self.number(MapKey::Advantage);
        trajectory.truncated = self.flag(MapKey::Truncated).unwrap_or(false);
        trajectory.masked = self.flag(MapKey::Masked).unwrap_or(false);
        trajectory.cost_usd = self.number(MapKey::Cost);
        trajectory.input_tokens = self.count(MapKey::TokensIn);
        trajectory.output_tokens = self.count(MapKey::TokensOut);
        trajectory.exit_status = self.text(MapKey::ExitStatus);
    }

    fn verdict(&mut self, trajectory: &mut Trajectory, pass_at: f64) {
        let text = self.value(MapKey::Reward);
        let raw = text.as_deref().map(Raw::known);
        match Verdict::of(raw, pass_at) {
            Ok(verdict) => verdict.put(trajectory),
            Err(reason) => {
                self.problems
                    .push(format!("{}: {reason}", self.name(MapKey::Reward)));
                Verdict::unscored("no readable verdict").put(trajectory);
            }
        }
    }

    fn patch(&mut self) -> Option<String> {
        let text = self.value(MapKey::Patch)?;
        match json::text("", &text) {
            Ok(patch) => Some(patch),
            Err(_) => {
                self.wrong(MapKey::Patch, "a text", &text);
                None
            }
        }
    }

    /// The number of steps; `None` when there is no trace.
    fn count_steps(&mut self) -> Option<u32> {
        let text = self.trace()?;
        let count = match plain_text(&text) {
            Some(text) => self.text_steps(&text).len(),
            None => match chat::count_turns(&text) {
                Ok(steps) => steps,
                Err(error) => {
                    self.no_chat(&error);
                    return None;
                }
            },
        };
        Some(u32::try_from(count).unwrap_or(u32::MAX))
    }

    fn steps(&mut self) -> Vec<Step> {
        let Some(text) = self.trace() else {
            return Vec::new();
        };
        match plain_text(&text) {
            Some(text) => self.text_steps(&text),
            None => chat::turns(&text).unwrap_or_else(|error| {
                self.no_chat(&error);
                Vec::new()
            }),
        }
    }

    /// What stands where the messages should, unless it is empty: such a record has no trace. A list
    /// without a message is told.
    fn trace(&mut self) -> Option<Cow<'a, str>> {
        let text = self.value(MapKey::Steps)?;
        if guess::is_empty(&text) {
            return None;
        }
        let is_bare = |raw: &Raw<'_>| raw.kind() != Kind::Object;
        if json::kind(&text) == Kind::List
            && json::elements(&text).is_ok_and(|items| items.iter().all(is_bare))
        {
            self.wrong(MapKey::Steps, "a list of messages", &text);
        }
        Some(text)
    }

    fn no_chat(&mut self, error: &JsonError) {
        let name = self.name(MapKey::Steps);
        self.problems.push(format!("{name}: {error}"));
    }

    /// The steps of a text that holds no JSON: a conversation as a chat template writes it. What is
    /// none is told, and shown as one message.
    fn text_steps(&mut self, text: &str) -> Vec<Step> {
        let mut steps = Vec::new();
        decoded_chat::split(text, Speaker::Assistant, &mut false, &mut steps);
        if steps.len() < 2 {
            let shown: String = text.trim().chars().take(40).collect();
            let name = self.name(MapKey::Steps);
            let reason = format!("{name}: {shown:?} is no list of messages; shown as one message");
            self.problems.push(reason);
        }
        steps
    }

    fn task_text(&self) -> Option<String> {
        let text = self.value(MapKey::Task)?;
        task_of(&text).filter(|text| !text.trim().is_empty())
    }

    fn task_summary(&mut self) -> Option<TaskSummary> {
        let title = self.task_text().and_then(|text| {
            let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
            Some(line.to_owned())
        });
        let (repo, base_commit) = (self.text(MapKey::Repo), self.text(MapKey::BaseCommit));
        (title.is_some() || repo.is_some() || base_commit.is_some()).then_some(TaskSummary {
            title,
            repo,
            base_commit,
            has_reference: false,
        })
    }
}
