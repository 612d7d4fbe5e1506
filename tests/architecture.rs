//! The direction of dependencies: each layer mentions only what it may use.
//!
//! Read from the text of the sources, comments and test modules left out.

use std::fs;
use std::path::{Path, PathBuf};

/// A part of `src` and what its files must not mention.
struct Rule {
    /// Which files, by their path below `src`.
    covers: fn(&str) -> bool,
    /// The words, in lists that rules share.
    forbidden: &'static [&'static [&'static str]],
}

const SCREEN_STATE: &[&str] = &[
    "action", "keymap", "key", "model", "update", "layout", "effect", "message", "help",
];

/// `tui` files that hold state and meaning, not drawing.
fn is_screen_state(path: &str) -> bool {
    let Some(inner) = path.strip_prefix("tui/") else {
        return false;
    };
    let name = inner.rsplit('/').next().unwrap_or(inner);
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    if inner.contains('/') {
        matches!(stem, "state" | "update" | "rows")
    } else {
        SCREEN_STATE.contains(&stem)
    }
}

/// The two faces and what only they use.
const FACES: &[&str] = &["crate::cli", "crate::tui", "ratatui", "crossterm", "clap"];

/// What is neither pure nor the same twice.
const WORLD: &[&str] = &["println!", "rusqlite", "std::fs", "std::env", "SystemTime"];

const RULES: &[Rule] = &[
    Rule {
        covers: |path| path.starts_with("domain/"),
        forbidden: &[
            FACES,
            WORLD,
            &[
                "crate::diff",
                "crate::scope",
                "crate::base",
                "crate::formats",
                "crate::export",
                "crate::store",
                "crate::review",
                "Instant::now",
                "serde_json",
                "syntect",
                "jiff",
            ],
        ],
    },
    Rule {
        covers: |path| path.starts_with("diff/"),
        forbidden: &[
            FACES,
            &[
                "crate::scope",
                "crate::base",
                "std::process",
                "crate::formats",
                "crate::export",
                "crate::store",
                "crate::review",
                "std::fs",
                "std::env",
                "rusqlite",
            ],
        ],
    },
    Rule {
        covers: |path| path.starts_with("scope/"),
        forbidden: &[
            FACES,
            &[
                "crate::base",
                "crate::formats",
                "crate::export",
                "crate::store",
                "crate::review",
                "std::fs",
                "std::env",
                "std::process",
                "SystemTime",
                "Instant::now",
                "serde_json",
                "rusqlite",
            ],
        ],
    },
    Rule {
        covers: |path| path.starts_with("base/"),
        forbidden: &[
            FACES,
            &[
                "crate::formats",
                "crate::export",
                "crate::store",
                "crate::review",
                "rusqlite",
            ],
        ],
    },
    Rule {
        covers: |path| path.starts_with("formats/") || path.starts_with("export/"),
        forbidden: &[
            FACES,
            &[
                "crate::audit",
                "crate::raters",
                "crate::base",
                "crate::store",
                "crate::review",
                "rusqlite",
            ],
        ],
    },
    Rule {
        covers: |path| path.starts_with("store/"),
        forbidden: &[
            FACES,
            &[
                "crate::audit",
                "crate::raters",
                "crate::formats",
                "crate::export",
                "crate::review",
            ],
        ],
    },
    Rule {
        covers: |path| path.starts_with("raters/"),
        forbidden: &[
            FACES,
            WORLD,
            &[
                "crate::audit",
                "crate::base",
                "crate::export",
                "crate::review",
            ],
        ],
    },
    Rule {
        covers: |path| path.starts_with("review/"),
        forbidden: &[FACES, &["println!", "rusqlite", "std::fs"]],
    },
    Rule {
        covers: |path| path.starts_with("audit/"),
        forbidden: &[FACES, WORLD, &["Instant::now"]],
    },
    Rule {
        covers: is_screen_state,
        forbidden: &[&[
            "ratatui",
            "crossterm",
            "std::fs",
            "crate::store",
            "crate::formats",
            "crate::cli",
        ]],
    },
    Rule {
        covers: |path| path.starts_with("tui/"),
        forbidden: &[&["crate::cli", "clap"]],
    },
    Rule {
        covers: |path| path.starts_with("cli/"),
        forbidden: &[&["ratatui"]],
    },
    Rule {
        covers: |path| path.starts_with("cli/") && path != "cli/open.rs",
        forbidden: &[&["crate::tui"]],
    },
];

/// What stands for now although a rule says otherwise: (file, word).
const EXCEPTIONS: &[(&str, &str)] = &[];

fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path
                .strip_prefix(&root)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect()
}

/// The code lines with their numbers: without comments and without what follows `#[cfg(test)]`
/// at the start of a line.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"))
        .map(|(index, line)| (index + 1, line.split("//").next().unwrap_or(line)))
}

/// Whether `word` stands in `line` as a path or name of its own.
fn mentions(line: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(is_name) && (word.ends_with('!') || !after.is_some_and(is_name))
    })
}

#[test]
fn layers_use_only_what_is_below_them() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        for rule in RULES.iter().filter(|rule| (rule.covers)(&path)) {
            for (number, line) in code(&text) {
                for word in rule
                    .forbidden
                    .iter()
                    .copied()
                    .flatten()
                    .filter(|word| mentions(line, word))
                {
                    if !EXCEPTIONS.contains(&(path.as_str(), word)) {
                        wrong.push(format!("src/{path}:{number} mentions {word}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_doc_comment_is_empty() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (index, line) in lines.iter().enumerate() {
            // A blank `///` between two paragraphs is fine; one that stands alone says nothing.
            let is_doc = |at: Option<usize>| {
                at.and_then(|at| lines.get(at))
                    .is_some_and(|other| other.starts_with("///") && *other != "///")
            };
            if *line == "///" && !(is_doc(index.checked_sub(1)) && is_doc(Some(index + 1))) {
                wrong.push(format!("src/{path}:{}", index + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "empty doc comments: {}", wrong.join(", "));
}

#[test]
fn modules_are_named_by_what_they_hold() {
    for (path, _) in sources() {
        for part in path.trim_end_matches(".rs").split('/') {
            assert!(
                !matches!(
                    part,
                    "util" | "utils" | "helper" | "helpers" | "common" | "manager" | "misc"
                ),
                "src/{path}"
            );
        }
    }
}

#[test]
fn main_is_a_door_only() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/main.rs")).unwrap();
    assert!(text.lines().count() <= 60);
}

#[test]
fn words_are_found_as_names_only() {
    assert!(mentions("use crate::tui::text;", "crate::tui"));
    assert!(!mentions("use crate::tuition;", "crate::tui"));
    assert!(mentions("    println!(\"x\")", "println!"));
    assert!(!mentions("eprintln!(\"x\")", "println!"));
}
