//! `gagar groups`: a line a group.

use serde::Serialize;

use super::Ending;
use super::args::{Input, Which};
use super::error::CliError;
use super::inputs::{Whose, open};
use super::output::Io;
use crate::review::RankingSource;

#[derive(Serialize)]
struct Line<'a> {
    group_id: &'a str,
    n: usize,
    passing: usize,
    failing: usize,
    unscored: usize,
    class: &'static str,
    kept: bool,
    ranked_by: Option<&'a str>,
    state: &'static str,
    /// Why it was skipped.
    skipped: Option<&'a str>,
    /// Why it is flagged; may be empty.
    flagged: Option<&'a str>,
    /// How people's ranking came about.
    provenance: Option<&'static str>,
}

impl Line<'_> {
    /// The state with the reasons that go with it.
    fn state(&self) -> String {
        let reason = |reason: &str| match reason {
            "" => String::new(),
            reason => format!(" ({reason})"),
        };
        let mut said = self.state.to_owned();
        said.push_str(&reason(self.skipped.unwrap_or_default()));
        if let Some(flagged) = self.flagged {
            said.push_str(&format!(" * flagged{}", reason(flagged)));
        }
        said
    }
}

/// Lists the groups.
///
/// # Errors
/// When the paths or the log cannot be read, or the output cannot be written.
pub fn run(input: &Input, which: &Which, json: bool, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let opened = open(input, RankingSource::Best, Whose::User, io)?;
    let session = &opened.session;
    let chosen = which.chosen(session).into_iter();
    let lines = chosen
        .filter_map(|index| Some((session.group(index)?, session.rows().get(index)?)))
        .map(|(group, row)| Line {
            group_id: group.id.as_str(),
            n: row.n,
            passing: row.passing,
            failing: row.failing,
            unscored: row.unscored,
            class: row.class.word(),
            kept: row.class.is_kept(),
            ranked_by: row.ranked_by.as_deref(),
            state: row.state.word(),
            skipped: row.skipped.as_deref(),
            flagged: row.flagged.as_deref(),
            provenance: row.provenance.map(|how| how.word()),
        });
    if json {
        for line in lines {
            io.json(&line)?;
        }
        return Ok(Ending::of(opened.problems));
    }
    let rows: Vec<Vec<String>> = lines
        .map(|line| {
            vec![
                line.group_id.to_owned(),
                line.n.to_string(),
                line.passing.to_string(),
                line.failing.to_string(),
                line.unscored.to_string(),
                line.class.to_owned(),
                if line.kept { "yes" } else { "no" }.to_owned(),
                line.ranked_by.unwrap_or("-").to_owned(),
                line.state(),
            ]
        })
        .collect();
    let header = [
        "group",
        "n",
        "pass",
        "fail",
        "unscored",
        "class",
        "kept",
        "ranked by",
        "state",
    ];
    let right = [false, true, true, true, true];
    io.table(&header, &right, &rows)?;
    Ok(Ending::of(opened.problems))
}
