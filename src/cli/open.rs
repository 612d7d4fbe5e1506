//! The one door to the terminal interface: starting it, and its tables for the headless commands.

use std::collections::BTreeSet;
use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};

use clap::CommandFactory;

use super::Ending;
use super::annotator::user_name;
use super::args::{Cli, Colour, Screen};
use super::config::{base_repos, guide, scope_rules};
use super::error::CliError;
use super::inputs::load_options;
use crate::domain::assignment::Assigned;
use crate::review::{BlindPlan, RankingSource};
use crate::tui::TuiOptions;
pub(super) use crate::tui::colour_depth::ColourDepth;
pub(super) use crate::tui::guidelines::Guide;
pub(super) use crate::tui::model::{OnBase, OpenedGroup};
pub(super) use crate::tui::print::{Layout, PrintError, PrintOptions, Printed, When, print};
pub(super) use crate::tui::screens::compare::{candidates, letter, order};
pub(super) use crate::tui::screenshot::{ScreenshotError, ScreenshotOptions, take};
pub(super) use crate::tui::settings::{ThemeChoice, config_folder};
use crate::tui::settings::{choose_theme, read_keys, read_themes};
pub(super) use crate::tui::text::{cut_names, sanitize_line};
pub(super) use crate::tui::workers::{on_base, open_group};

/// Opens the terminal interface.
///
/// # Errors
/// A path that does not exist, or what [`crate::tui::run`] reports.
pub(super) fn run(cli: &Cli) -> Result<Ending, CliError> {
    if cli.paths.is_empty() {
        return Err(
            CliError::usage("nothing to review: name files or folders with rollouts")
                .hint("for example `gagar sample-data`; `gagar --help` shows more"),
        );
    }
    for path in cli.paths.iter().chain(&cli.common.rankings) {
        if let Err(error) = crate::formats::check_path(path) {
            let name = path.display();
            if Some(path) == cli.paths.first()
                && let Some(command) = close_command(path)
            {
                return Err(CliError::usage(format!(
                    "{name}: no such file; did you mean the command `{command}`?"
                )));
            }
            let failed = CliError::failed(format!("{name}: {error}"));
            let is_command = Cli::command()
                .get_subcommands()
                .any(|c| path.as_os_str() == c.get_name());
            return Err(failed.hint(if is_command {
                format!("options stand after the command: `gagar {name} PATH... OPTIONS`")
            } else {
                "`gagar --help` lists the commands".to_owned()
            }));
        }
    }
    if let Some(folder) = cli.common.db().parent()
        && !(folder.as_os_str().is_empty() || folder.is_dir())
    {
        let (db, folder) = (cli.common.db().display(), folder.display());
        let text = format!("{db}: judgements cannot be stored there: {folder} is no folder");
        return Err(CliError::usage(text));
    }
    let annotator = cli.common.annotator.clone().unwrap_or_else(user_name);
    let assigned = assigned(&cli.screen, &annotator)?;
    let theme = theme_choice(&cli.screen, &cli.paths)?;
    check_theme(theme.as_ref())?;
    let options = TuiOptions {
        paths: cli.paths.clone(),
        load: load_options(&cli.paths, &cli.common)?,
        settings: cli.common.settings(RankingSource::Best),
        db: cli.common.db().to_owned(),
        annotator,
        order: cli.screen.order,
        blind: blind_plan(cli.screen.blind, assigned.as_deref()),
        assigned,
        follow: !cli.screen.no_follow,
        group: cli.screen.group.clone(),
        theme,
        depth: cli.screen.colour.and_then(depth),
        keys: cli.screen.keys.clone(),
        base_repos: base_repos(&cli.paths)?,
        guide: guide(&cli.paths)?,
        rules: scope_rules(&cli.paths)?,
    };
    crate::tui::run(options).map_err(|error| {
        let failed = CliError::failed(error);
        if stdin().is_terminal() && stdout().is_terminal() {
            failed
        } else {
            failed.hint("`gagar groups PATH...` and the other commands need no terminal")
        }
    })?;
    Ok(Ending::Fine)
}

/// What is hidden: every group with `--blind`, or when some were assigned so; then those assigned
/// openly are shown, and nothing else: whoever judges blind sees no group that is not theirs.
fn blind_plan(all: bool, assigned: Option<&[Assigned]>) -> BlindPlan {
    let rows = assigned.unwrap_or_default();
    let seed = rows.first().map_or(0, |row| row.seed);
    let mut plan = BlindPlan::review(all || rows.iter().any(|row| row.blind), seed);
    if !all {
        let open = rows.iter().filter(|row| !row.blind);
        plan.open = open.map(|row| row.group_id.clone()).collect();
    }
    plan
}

/// The rows of `--assignment` that are this annotator's.
///
/// # Errors
/// The file cannot be used, or nothing in it is for them.
fn assigned(screen: &Screen, annotator: &str) -> Result<Option<Vec<Assigned>>, CliError> {
    let Some(file) = &screen.assignment else {
        return Ok(None);
    };
    let mut rows = super::assign::read(file)?;
    let names: BTreeSet<String> = rows.iter().map(|row| row.annotator.clone()).collect();
    rows.retain(|row| row.annotator == annotator);
    if rows.is_empty() {
        let names: Vec<_> = names.into_iter().collect();
        let name = file.display();
        return Err(
            CliError::usage(format!("{name}: nothing is assigned to {annotator}"))
                .hint(format!("name one: --annotator {}", names.join("|"))),
        );
    }
    Ok(Some(rows))
}

/// The command that a path which leads nowhere may have been meant for: it is spelled almost alike.
fn close_command(path: &Path) -> Option<String> {
    let typed = path.to_str()?;
    let cli = Cli::command();
    let names: Vec<&str> = cli.get_subcommands().map(|c| c.get_name()).collect();
    let close = similar::get_close_matches(typed, &names, 1, 0.7);
    let close = close.into_iter().find(|name| *name != typed)?;
    Some(close.to_owned())
}

/// Looks for a theme that is named before a terminal is needed.
///
/// # Errors
/// A theme file cannot be used, or there is no theme of this name: a usage error that lists those
/// there are.
fn check_theme(chosen: Option<&ThemeChoice>) -> Result<(), CliError> {
    if chosen.is_some() {
        let found = read_themes(config_folder().as_deref()).map_err(CliError::failed)?;
        choose_theme(&found.themes, chosen, || true).map_err(|error| {
            // A theme that is missing may be one whose file is wrong.
            let usage = CliError::usage(error);
            if found.problems.is_empty() {
                usage
            } else {
                usage.hint(found.problems.join("\n"))
            }
        })?;
    }
    Ok(())
}

/// The depth that is asked for; `None` = what the environment says.
pub(super) fn depth(asked: Colour) -> Option<ColourDepth> {
    match asked {
        Colour::Auto => None,
        Colour::None => Some(ColourDepth::None),
        Colour::Sixteen => Some(ColourDepth::Sixteen),
        Colour::Indexed => Some(ColourDepth::Indexed),
        Colour::True => Some(ColourDepth::True),
    }
}

/// The theme that `--theme` names, else the one of the configuration files.
///
/// # Errors
/// A configuration file cannot be used.
fn theme_choice(screen: &Screen, paths: &[PathBuf]) -> Result<Option<ThemeChoice>, CliError> {
    diff_theme(screen.theme.as_deref(), paths)
}

/// The theme that a diff is printed with, see [`theme_choice`].
///
/// # Errors
/// A configuration file cannot be used.
pub(super) fn diff_theme(
    named: Option<&str>,
    paths: &[PathBuf],
) -> Result<Option<ThemeChoice>, CliError> {
    match named {
        Some(name) => Ok(Some(ThemeChoice::One(name.to_owned()))),
        None => super::config::theme(paths),
    }
}

/// The key table, with the person's overrides.
///
/// # Errors
/// When the key file cannot be used.
pub(super) fn key_table(keys: Option<&Path>) -> Result<String, CliError> {
    let keymap = read_keys(keys, config_folder().as_deref()).map_err(CliError::failed)?;
    Ok(keymap.markdown())
}

/// One line on the keys and one on the themes: what is found, or what is wrong.
pub(super) fn face_report(screen: &Screen, paths: &[PathBuf]) -> [Result<String, String>; 2] {
    let config = config_folder();
    let keys = read_keys(screen.keys.as_deref(), config.as_deref());
    let themes = theme_choice(screen, paths)
        .map_err(|error| error.to_string())
        .and_then(|chosen| {
            let found = read_themes(config.as_deref()).map_err(|error| error.to_string())?;
            let names: Vec<_> = found
                .themes
                .iter()
                .map(|theme| theme.name.as_str())
                .collect();
            let mut problems = found.problems.clone();
            let wrong = choose_theme(&found.themes, chosen.as_ref(), || true).err();
            problems.extend(wrong.map(|error| error.to_string()));
            if problems.is_empty() {
                Ok(names.join(", "))
            } else {
                let known = format!("those that can be used: {}", names.join(", "));
                Err(format!("{}\n{known}", problems.join("\n")))
            }
        });
    [
        keys.map(|_| "fine".to_owned())
            .map_err(|error| error.to_string()),
        themes,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_was_assigned_a_blind_group_sees_no_other_but_those_assigned_openly() {
        let row = |group_id: &str, blind: bool| Assigned {
            annotator: "ann".to_owned(),
            group_id: group_id.to_owned(),
            position: 1,
            blind,
            seed: 7,
            fingerprint: String::new(),
        };
        let hidden = |all: bool, rows: &[Assigned]| {
            let plan = blind_plan(all, Some(rows));
            ["blind", "open", "other"].map(|id| plan.names(id))
        };
        let both = [row("blind", true), row("open", false)];
        assert_eq!(hidden(false, &both), [true, false, true]);
        assert_eq!(hidden(true, &both), [true; 3], "--blind hides all");
        assert_eq!(hidden(false, &both[1..]), [false; 3]);
        assert_eq!(blind_plan(false, Some(&both)).seed, 7);
    }
}
