//! `gagar.assignment/1`: who judges which group, one line each.
//!
//! What is *not* here: making a plan ([`crate::domain::assignment`]).

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use crate::domain::assignment::Assigned;

/// The schema's name.
const SCHEMA: &str = "gagar.assignment/1";

/// Why an assignment cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AssignmentError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line means nothing.
    #[error("line {line}: {reason}")]
    Line {
        /// 1-based.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no line.
    #[error("holds no {SCHEMA} line")]
    Empty,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Line {
    schema: String,
    #[serde(flatten)]
    row: Assigned,
}

/// Reads an assignment. It is used whole or not at all: a line that was passed over would be a group
/// that nobody judges.
///
/// # Errors
/// The file cannot be read or is empty, a line is no row of this schema, or an annotator has a group
/// twice.
pub fn read_assignment(path: &Path) -> Result<Vec<Assigned>, AssignmentError> {
    let text = std::fs::read_to_string(path)?;
    let mut rows = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |reason: String| AssignmentError::Line {
            line: index + 1,
            reason,
        };
        let read: Line = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        if read.schema != SCHEMA {
            return Err(wrong(format!("schema is {}, not {SCHEMA}", read.schema)));
        }
        let row = read.row;
        if !seen.insert((row.annotator.clone(), row.group_id.clone())) {
            let reason = format!("{} has group {} twice", row.annotator, row.group_id);
            return Err(wrong(reason));
        }
        rows.push(row);
    }
    match rows.is_empty() {
        true => Err(AssignmentError::Empty),
        false => Ok(rows),
    }
}

/// A row as a line, without the newline.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn assignment_line(row: &Assigned) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Line {
        schema: SCHEMA.to_owned(),
        row: row.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Assigned>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, text).unwrap();
        read_assignment(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn a_row_is_read_as_it_was_written_and_nothing_is_passed_over() {
        let row = Assigned {
            annotator: "ann".to_owned(),
            group_id: "g".to_owned(),
            position: 1,
            blind: true,
            seed: u64::MAX,
            fingerprint: "f".to_owned(),
        };
        let line = assignment_line(&row).unwrap();
        assert!(line.starts_with("{\"schema\":\"gagar.assignment/1\",\"annotator\":\"ann\""));
        assert_eq!(read(&format!("{line}\n\n")), Ok(vec![row]));
        assert!(
            read(&format!("{line}\n{line}\n"))
                .unwrap_err()
                .contains("line 2")
        );
        assert!(read("{}\n").unwrap_err().contains("schema"));
        assert!(
            read(&line.replace("assignment/1", "group/1"))
                .unwrap_err()
                .contains("not gagar")
        );
        assert!(read("\n").unwrap_err().contains("no gagar.assignment/1"));
    }
}
