//! The table of formats as people read it: plain text and markdown, from [`FORMATS`]; and what files
//! may be packed in.
//!
//! What is *not* here: the table itself.

use std::fmt::Write as _;

use super::{FORMATS, Format};

/// What stands in the table for "has none".
const NONE: &str = "—";

/// Widest line of the plain text.
const WIDTH: usize = 80;

/// What rollout files may be packed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Container {
    /// Name, as shown.
    pub name: &'static str,
    /// What is read of it, one sentence.
    pub doc: &'static str,
}

/// Every container; recognised by the first bytes, never by the name.
pub const CONTAINERS: &[Container] = &[
    Container {
        name: "gzip",
        doc: "A compressed file, or an archive, of one or more members.",
    },
    Container {
        name: "zstd",
        doc: "A compressed file, or an archive, of one or more frames.",
    },
    Container {
        name: "zip",
        doc: "An archive read like a folder; members are stored, deflated or zstd (Inspect's .eval).",
    },
    Container {
        name: "tar",
        doc: "An archive read like a folder, compressed or not.",
    },
    #[cfg(feature = "parquet")]
    Container {
        name: "parquet",
        doc: "A table; a row is a record with the columns as its keys.",
    },
];

impl Format {
    /// What a format says of itself beside name and sentence: (question, answer); only those that
    /// have an answer.
    pub fn answers(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        [
            ("group", self.group),
            ("rollout", self.rollout),
            ("reward", self.reward),
            ("patch", self.patch),
        ]
        .into_iter()
        .filter(|(_, answer)| *answer != NONE)
    }
}

/// Every format in lines of at most 80 characters.
#[must_use]
pub fn text() -> String {
    let mut out = String::new();
    for format in FORMATS {
        out.push_str(format.name);
        out.push('\n');
        wrapped(&mut out, "", format.doc);
        for (question, answer) in format.answers() {
            wrapped(&mut out, question, answer);
        }
    }
    out.push_str("\nAny of them may be packed:\n");
    for container in CONTAINERS {
        wrapped(&mut out, container.name, container.doc);
    }
    out
}

/// Every format as a markdown table.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from(
        "| format | what it is | group | rollout | verdict | patch |\n|---|---|---|---|---|---|\n",
    );
    for format in FORMATS {
        let cells = [
            format.name,
            format.doc,
            format.group,
            format.rollout,
            format.reward,
            format.patch,
        ];
        for cell in cells {
            // Writing to a string cannot fail.
            let _ = write!(out, "| {} ", cell.replace('|', "\\|"));
        }
        out.push_str("|\n");
    }
    out
}

/// A text between words, indented, behind a label when there is one.
fn wrapped(out: &mut String, label: &str, text: &str) {
    let indent = if label.is_empty() { 2 } else { 11 };
    let mut line = match label {
        "" => String::from("  "),
        label => format!("  {label:<9}"),
    };
    let mut room = WIDTH - indent;
    for word in text.split_whitespace() {
        let wide = word.chars().count();
        if room < WIDTH - indent && wide + 1 > room {
            out.push_str(line.trim_end());
            out.push('\n');
            line = " ".repeat(indent);
            room = WIDTH - indent;
        }
        if room < WIDTH - indent {
            line.push(' ');
            room = room.saturating_sub(1);
        }
        line.push_str(word);
        room = room.saturating_sub(wide);
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_says_everything_in_eighty_columns() {
        let text = text();
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let all = words(&text);
        for format in FORMATS {
            for part in [
                format.name,
                format.doc,
                format.group,
                format.rollout,
                format.reward,
                format.patch,
            ] {
                assert!(!part.is_empty(), "{}", format.name);
                assert!(part == NONE || all.contains(&words(part)), "{part}");
            }
        }
    }
}
