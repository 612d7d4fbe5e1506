//! `gagar screenshot`: any screen as a picture or a text.
//!
//! What is *not* here: how a screen is drawn; the terminal interface does that.

use std::path::Path;

use super::Ending;
use super::annotator::user_name;
use super::args::{PictureFormat, ScreenshotArgs};
use super::config::{guide, scope_rules};
use super::error::CliError;
use super::inputs::{check_paths, load_options, require_db, tell_problems};
use super::open::{ColourDepth, ScreenshotError, ScreenshotOptions, depth, take};
use super::out_file::OutFile;
use super::output::Io;
use crate::review::{BlindPlan, RankingSource};

/// Draws one screen.
///
/// # Errors
/// Keys, theme or file ending that mean nothing (exit code 2), paths or judgements that cannot be
/// read, a file that cannot be written.
pub fn run(args: &ScreenshotArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let to_stdout = args.output == Path::new("-");
    let format = format_of(args)?;
    let input = &args.input;
    check_paths(input.paths.iter().chain(&input.common.rankings))?;
    if let Some(db) = &input.common.db {
        require_db(db)?;
    }
    let out = (!to_stdout).then(|| OutFile::new(&args.output, input));
    let out = out.transpose()?;
    if out.is_some() && args.output.exists() && !args.force {
        let name = args.output.display();
        return Err(CliError::usage(format!("{name} exists")).hint("--force replaces it"));
    }
    let annotator = input.common.annotator.clone();
    let picture = take(ScreenshotOptions {
        paths: input.paths.clone(),
        load: load_options(&input.paths, &input.common)?,
        settings: input.common.settings(RankingSource::Best),
        db: input.common.db.clone(),
        annotator: annotator.unwrap_or_else(user_name),
        blind: BlindPlan::review(args.blind, 0),
        keys: args.keys.clone(),
        size: args.size,
        theme: args.theme.clone(),
        depth: depth(args.colour).unwrap_or(ColourDepth::True),
        guide: guide(&input.paths)?,
        rules: scope_rules(&input.paths)?,
    })
    .map_err(failure)?;
    let set = picture.set.as_deref();
    let problems = set.map_or(Ok(false), |set| tell_problems(set, io))?;
    let text = match format {
        PictureFormat::Svg => picture.svg(),
        PictureFormat::Txt => picture.text(),
    };
    match out {
        Some(out) => {
            out.write(set, |out| out.write_all(text.as_bytes()))?;
        }
        None => io.out.write_all(text.as_bytes())?,
    }
    Ok(Ending::of(problems))
}

fn failure(error: ScreenshotError) -> CliError {
    if !error.is_usage() {
        return CliError::failed(error);
    }
    let about_keys = matches!(error, ScreenshotError::Keys(_));
    let usage = CliError::usage(error);
    if about_keys {
        usage.hint("keys are written j, J, <enter>, <esc>, <ctrl-r>, <lt>; `gagar keys` lists them")
    } else {
        usage
    }
}

/// The format that is named, else what the file's name ends with; SVG on stdout.
fn format_of(args: &ScreenshotArgs) -> Result<PictureFormat, CliError> {
    if let Some(format) = args.format {
        return Ok(format);
    }
    if args.output == Path::new("-") {
        return Ok(PictureFormat::Svg);
    }
    match args.output.extension().and_then(|end| end.to_str()) {
        Some("svg") => Ok(PictureFormat::Svg),
        Some("txt") => Ok(PictureFormat::Txt),
        _ => Err(CliError::usage(format!(
            "-o {}: a picture's file ends with .svg or .txt",
            args.output.display()
        ))
        .hint("or say it: --format svg, --format txt")),
    }
}
