//! `gagar advantages`: rows for a trainer on stdout.

use super::Ending;
use super::args::{AdvantagesArgs, Source};
use super::error::CliError;
use super::inputs::{Whose, open, require_db};
use super::output::Io;
use crate::export::{self, ExportSource};
use crate::review::{ReviewSession, ReviewState};

/// Prints `gagar.advantage/1` rows.
///
/// # Errors
/// When the paths or the log cannot be read, or the output cannot be written.
pub fn run(args: &AdvantagesArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    if let Some(reason) = args.rows.contradiction() {
        return Err(CliError::usage(reason));
    }
    let whose_ranking = args.rows.whose();
    if matches!(whose_ranking, Some(Source::Human | Source::Consensus)) {
        require_db(args.input.common.db())?;
    }
    let whose = match whose_ranking {
        None | Some(Source::Human) => Whose::Known,
        Some(Source::Consensus | Source::Grader | Source::None) => Whose::User,
    };
    let mut opened = open(&args.input, Source::of(whose_ranking), whose, io)?;
    opened.count_blind_only(args.rows.blind_only);
    let mut options = opened.session.export_options();
    options.all = args.rows.all;
    options.export_id.clone_from(&args.rows.export_id);
    let target = export::find("advantages").ok_or_else(|| CliError::failed("no such export"))?;
    let session = &opened.session;
    let selection = args.which.selection(session);
    let source = selection
        .as_ref()
        .map_or(session as &dyn ExportSource, |selection| selection);
    let written = target.write(source, &options, io.out)?;
    super::export::tell(&written, io)?;
    if whose_ranking == Some(Source::Human) {
        tell_unjudged(session, &args.which.chosen(session), io)?;
    }
    Ok(Ending::of(opened.problems || !written.problems.is_empty()))
}

/// Says how many kept groups have no submitted ranking, so that nobody takes their rows for judged.
fn tell_unjudged(
    session: &ReviewSession,
    chosen: &[usize],
    io: &mut Io<'_>,
) -> std::io::Result<()> {
    let rows = || chosen.iter().filter_map(|&index| session.rows().get(index));
    let kept = || rows().filter(|row| row.class.is_kept());
    let stale = kept().filter(|row| row.state == ReviewState::Stale).count();
    let open = kept()
        .filter(|row| {
            matches!(
                row.state,
                ReviewState::Unseen
                    | ReviewState::Opened
                    | ReviewState::Draft
                    | ReviewState::Skipped
            )
        })
        .count();
    let annotator = &session.identity().annotator;
    if open > 0 {
        io.note(&format!(
            "note: {open} kept groups have no ranking submitted by {annotator}; their rows hold the baseline"
        ))?;
    }
    if stale > 0 {
        io.note(&format!(
            "note: {annotator} judged {stale} kept groups on other data (stale); their rows hold the baseline"
        ))?;
    }
    Ok(())
}
