//! Edits in the arguments of tool calls: editors, patch tools, shells.

use serde_json::{Map, Value};

use super::{Edit, shell};
use crate::domain::Step;

/// Arguments that name the file.
const PATHS: [&str; 8] = [
    "path",
    "file_path",
    "filePath",
    "filepath",
    "file",
    "filename",
    "file_name",
    "target_file",
];

/// Arguments that hold what is written.
const NEW: [&str; 12] = [
    "new_str",
    "new_string",
    "newString",
    "new_text",
    "file_text",
    "insert_text",
    "content",
    "contents",
    "replacement",
    "replacement_text",
    "replace",
    "code_edit",
];

/// Arguments that hold what is replaced.
const OLD: [&str; 5] = ["old_str", "old_string", "oldString", "old_text", "search"];

/// Arguments that hold what a shell runs.
const COMMANDS: [&str; 5] = ["command", "cmd", "code", "keystrokes", "script"];

/// What editors are told to do with a file when it is changed.
const VERBS: [&str; 6] = [
    "create",
    "str_replace",
    "insert",
    "undo_edit",
    "write",
    "edit",
];

/// The edits of a tool call.
pub(super) fn edits(step: &Step) -> Vec<Edit> {
    let args = step.args.as_deref().unwrap_or_default();
    match object(args).or_else(|| object(&step.text)) {
        Some(map) => of_arguments(&map),
        None if args.trim().is_empty() => shell::edits(&step.text),
        // A patch tool takes its patch bare, or as a JSON text.
        None => match serde_json::from_str::<String>(args) {
            Ok(text) => shell::edits(&text),
            Err(_) => shell::edits(args),
        },
    }
}

fn object(text: &str) -> Option<Map<String, Value>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Some(map),
        _ => None,
    }
}

fn text_of<'a>(map: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| map.get(*key)?.as_str())
}

fn of_arguments(map: &Map<String, Value>) -> Vec<Edit> {
    if let Some(path) = text_of(map, &PATHS) {
        let verb = text_of(map, &["command", "action"]);
        // An editor that is told to look at a file may be given empty texts as well.
        if verb.is_some_and(|verb| !verb.contains(' ') && !VERBS.contains(&verb)) {
            return Vec::new();
        }
        let several = map.get("edits").and_then(Value::as_array);
        let several = several.into_iter().flatten().filter_map(Value::as_object);
        let mut found: Vec<Edit> = several.filter_map(|one| replacement(path, one)).collect();
        found.extend(replacement(path, map));
        if found.is_empty() && verb.is_some_and(|verb| VERBS.contains(&verb)) {
            found.push(Edit::of(path));
        }
        if !found.is_empty() {
            return found;
        }
    }
    // Editors with one open file: an earlier step says which.
    let (old, new) = (text_of(map, &OLD), text_of(map, &NEW));
    let has_lines = ["start_line", "end_line"]
        .iter()
        .all(|key| map.contains_key(*key));
    if new.is_some() && (old.is_some() || has_lines) && text_of(map, &PATHS).is_none() {
        return replacement("", map).into_iter().collect();
    }
    if let Some(patch) = text_of(map, &["patch", "diff", "input"]) {
        let found = shell::of_patch(patch);
        if !found.is_empty() {
            return found;
        }
    }
    let commands = COMMANDS.iter().filter_map(|key| map.get(*key));
    commands
        .flat_map(|command| match command {
            Value::String(text) => shell::edits(text),
            // `bash -lc SCRIPT`, or a tool with its input: the last word is what counts.
            Value::Array(words) => words
                .last()
                .and_then(Value::as_str)
                .map_or_else(Vec::new, shell::edits),
            _ => Vec::new(),
        })
        .collect()
}

/// What replaces what in a file.
fn replacement(path: &str, map: &Map<String, Value>) -> Option<Edit> {
    let (old, new) = (text_of(map, &OLD), text_of(map, &NEW));
    if old.is_none() && new.is_none() {
        return None;
    }
    let edit = Edit::of(path).removing(old.unwrap_or_default());
    Some(edit.adding(new.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::StepKind;

    fn found(args: &str) -> Vec<(String, Vec<String>)> {
        let step = Step {
            kind: Some(StepKind::ToolCall),
            args: Some(args.to_owned()),
            ..Step::default()
        };
        let edits = edits(&step).into_iter();
        edits.map(|edit| (edit.path, edit.added)).collect()
    }

    #[test]
    fn editors_are_understood() {
        let one = |path: &str, added: &[&str]| {
            let added = added.iter().map(|line| (*line).to_owned()).collect();
            vec![(path.to_owned(), added)]
        };
        for (args, wanted) in [
            (
                r#"{"command":"str_replace","path":"/r/a.py","old_str":"x","new_str":"y\nz"}"#,
                one("/r/a.py", &["y", "z"]),
            ),
            (
                r#"{"command":"create","path":"/r/a.py","file_text":"x\n"}"#,
                one("/r/a.py", &["x"]),
            ),
            (
                r#"{"command":"view","path":"/r/a.py","new_str":""}"#,
                vec![],
            ),
            (
                r#"{"command":"undo_edit","path":"/r/a.py"}"#,
                one("/r/a.py", &[]),
            ),
            (
                r#"{"file_path":"a.py","old_string":"x","new_string":"y"}"#,
                one("a.py", &["y"]),
            ),
            (r#"{"file_path":"a.py","content":"y"}"#, one("a.py", &["y"])),
            (r#"{"path":"a.py"}"#, vec![]),
            (
                r#"{"filePath":"a.py","oldString":"x","newString":"y"}"#,
                one("a.py", &["y"]),
            ),
            (
                r#"{"path":"a.py","edits":[{"old_text":"x","new_text":"y"}]}"#,
                one("a.py", &["y"]),
            ),
            (
                r#"{"input":"*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"}"#,
                one("a.py", &["y"]),
            ),
            (
                r#"{"command":["bash","-lc","cat > a.py <<'EOF'\ny\nEOF"]}"#,
                one("a.py", &["y"]),
            ),
            (
                r#""*** Begin Patch\n*** Add File: a.py\n+y\n*** End Patch""#,
                one("a.py", &["y"]),
            ),
            (
                r#"{"search":"def f()","replace":"def f():"}"#,
                one("", &["def f():"]),
            ),
            (
                r#"{"start_line":3,"end_line":4,"replacement_text":"y"}"#,
                one("", &["y"]),
            ),
            (r#"{"search":"def f()"}"#, vec![]),
            (r#"{"command":"grep -r new_str ."}"#, vec![]),
        ] {
            assert_eq!(found(args), wanted, "{args}");
        }
    }
}
