//! `gagar doctor`: what is found here, and what is wrong with it.

use std::io::IsTerminal;
use std::path::PathBuf;

use super::Ending;
use super::annotator::user_name;
use super::args::{Common, Screen};
use super::error::{CliError, advice};
use super::inputs::load_set;
use super::open::{ColourDepth, face_report};
use super::output::Io;
use crate::domain::Estimator;
use crate::domain::counted;
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
        ("sqlite", sqlite_version()),
        ("terminal", Ok(terminal())),
        (
            "annotator",
            Ok(common.annotator.clone().unwrap_or_else(user_name)),
        ),
        ("database", database(common)),
    ];
    lines.extend(journal(common));
    lines.extend(counts(common));
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

/// SQLite 3.7.0 to 3.51.2 may damage a file that two processes write to.
const OLDEST_SQLITE: i32 = 3_051_003;

fn sqlite_version() -> Result<String, String> {
    let version = rusqlite::version();
    match rusqlite::version_number() < OLDEST_SQLITE {
        true => Err(format!(
            "{version} has a known fault that damages files of several writers (mended in 3.51.3)"
        )),
        false => Ok(version.to_owned()),
    }
}

fn database(common: &Common) -> Result<String, String> {
    let path = common.db().display();
    match SqliteStore::reading(common.db()).verify() {
        Ok(_) if !common.db().exists() => {
            Ok(format!("{path}: none yet; the first judgement makes it"))
        }
        Ok(found) => Ok(format!(
            "{path}: {} events, whole (schema {}; integrity, foreign keys and hash chains checked)",
            found.events, found.schema
        )),
        Err(error) => Err(match advice(&error) {
            Some(advice) => format!("{error}\n{advice}"),
            None => error.to_string(),
        }),
    }
}

/// How the database is kept: nothing when there is none.
fn journal(common: &Common) -> Option<(&'static str, Result<String, String>)> {
    if !common.db().exists() {
        return None;
    }
    let store = SqliteStore::reading(common.db());
    // What is wrong stands in the line of the database.
    let survey = store.survey().ok()?;
    let mut text = survey.journal;
    if survey.schema < survey.newest_schema {
        text.push_str(&format!(
            "; the first judgement takes schema {} to {}, with a copy beside",
            survey.schema, survey.newest_schema
        ));
    }
    if let Some(network) = store.network() {
        text.push_str(&format!(
            "; on a network file system ({network}), where WAL is not used and locks may fail: \
             keep a file of your own on a local disk and put them together with `gagar merge`"
        ));
    }
    Some(("journal", Ok(text)))
}

/// What the database holds, by annotator, kind and store.
fn counts(common: &Common) -> Vec<(&'static str, Result<String, String>)> {
    let survey = match common.db().exists() {
        true => SqliteStore::reading(common.db()).survey(),
        false => return Vec::new(),
    };
    let Ok(survey) = survey else {
        return Vec::new();
    };
    let listed = |counts: &[(String, u64)]| {
        let counts: Vec<_> = counts
            .iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        counts.join(", ")
    };
    let mut lines = Vec::new();
    if !survey.kinds.is_empty() {
        lines.push(("annotators", Ok(listed(&survey.annotators))));
        if !survey.exporters.is_empty() {
            lines.push(("exported by", Ok(listed(&survey.exporters))));
        }
        lines.push(("events", Ok(listed(&survey.kinds))));
    }
    if survey.stores.len() > 1 {
        lines.push(("stores", Ok(listed(&survey.stores))));
    }
    lines
}
