//! `gagar doctor`: what is found here, and what is wrong with it.

use std::io::IsTerminal;
use std::path::PathBuf;

use super::Ending;
use super::annotator::user_name;
use super::args::{Common, Screen};
use super::error::CliError;
use super::inputs::load_set;
use super::made::counted;
use super::open::{ColourDepth, face_report};
use super::output::Io;
use crate::domain::Estimator;
use crate::store::SqliteStore;

/// Prints one line a finding; what is wrong is marked.
///
/// # Errors
/// When a path does not exist or the output cannot be written.
pub fn run(
    paths: &[PathBuf],
    common: &Common,
    screen: &Screen,
    io: &mut Io<'_>,
) -> Result<Ending, CliError> {
    let mut lines: Vec<(&str, Result<String, String>)> = vec![
        ("gagar", Ok(env!("CARGO_PKG_VERSION").to_owned())),
        ("sqlite", Ok(rusqlite::version().to_owned())),
        ("terminal", Ok(terminal())),
        (
            "annotator",
            Ok(common.annotator.clone().unwrap_or_else(user_name)),
        ),
        ("database", database(common)),
    ];
    let [keys, themes] = face_report(screen, paths);
    lines.push(("keys", keys));
    lines.push(("themes", themes));
    let names: Vec<_> = Estimator::TABLE.iter().map(|info| info.name).collect();
    lines.push(("estimators", Ok(names.join(", "))));
    if !paths.is_empty() {
        let set = load_set(paths, common)?;
        let kept = set
            .groups
            .iter()
            .filter(|group| crate::domain::GroupClass::of(&group.trajectories).is_kept())
            .count();
        let found = format!(
            "{} ({kept} kept), {}",
            counted(set.groups.len(), "group", "groups"),
            counted(set.problems.len(), "problem", "problems")
        );
        let checked = if set.problems.is_empty() {
            Ok(found)
        } else {
            Err(format!("{found}; `gagar check` lists them"))
        };
        lines.push(("data", checked));
    }
    let mut wrong = false;
    for (name, found) in &lines {
        match found {
            Ok(text) => io.line(&format!("{name:<11} {text}"))?,
            Err(text) => {
                wrong = true;
                let mut parts = text.lines();
                io.line(&format!(
                    "{name:<11} PROBLEM: {}",
                    parts.next().unwrap_or_default()
                ))?;
                for part in parts {
                    io.line(&format!("{:<11} {part}", ""))?;
                }
            }
        }
    }
    Ok(Ending::of(wrong))
}

fn terminal() -> String {
    let set = |name: &str| {
        std::env::var(name)
            .ok()
            .filter(|value: &String| !value.is_empty())
    };
    let kind = set("TERM").unwrap_or_else(|| "TERM not set".to_owned());
    if !std::io::stdout().is_terminal() {
        return format!("{kind}; output is not a terminal");
    }
    let size = crossterm::terminal::size().map_or_else(
        |_| "unknown size".to_owned(),
        |(columns, rows)| format!("{columns}x{rows}"),
    );
    let colours = match ColourDepth::of(set) {
        ColourDepth::None if set("NO_COLOR").is_some() => "no colours (NO_COLOR)",
        ColourDepth::None => "no colours",
        ColourDepth::Sixteen => "16 colours",
        ColourDepth::Indexed => "256 colours (COLORTERM does not say truecolor)",
        ColourDepth::True => "24-bit colours",
    };
    format!("{kind}; {size}; {colours}")
}

fn database(common: &Common) -> Result<String, String> {
    let path = common.db().display();
    if !common.db().exists() {
        return Ok(format!("{path}: none yet; the first judgement makes it"));
    }
    match SqliteStore::at(common.db()).verify() {
        Ok(found) => Ok(format!(
            "{path}: {} events, whole (schema {})",
            found.events, found.schema
        )),
        Err(error) => Err(error.to_string()),
    }
}
