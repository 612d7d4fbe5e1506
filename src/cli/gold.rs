//! `gagar gold`: groups whose ranking is known, to see how well annotators find it.
//!
//! Annotators are never told which groups these are. What is *not* here: how well they did
//! (`gagar agreement`).

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::Ending;
use super::args::{Common, Input};
use super::error::CliError;
use super::inputs::{Whose, load_set, open, require_db};
use super::output::Io;
use super::rank::{parse_tiers, to_ranking, unknown_group};
use crate::domain::counted;
use crate::domain::{GraderAnswer, Ranking, RolloutGroup};
use crate::review::{Change, RankingSource};
use crate::store::projection::Projection;
use crate::store::{EventStore, NewEvent, SqliteStore};

/// Examples at the end of `gagar gold --help`.
const EXAMPLES: &str = "\
Examples:
  gagar gold runs --rankings known.jsonl --annotator lead       one for each group of the file
  gagar gold runs --group G --tiers '[[\"t1\"],[\"t2\"]]' --reason 'planted edit in t2'
  gagar gold --list                                             which groups are known
  gagar gold runs --group G --remove                            no longer

The file holds gagar.ranking/1 lines. Annotators see nothing of it on any screen.";

/// Arguments of `gagar gold`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct GoldArgs {
    /// Files and folders with rollouts; not needed for --list.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What to load; --rankings names the known rankings here.
    #[command(flatten)]
    pub common: Common,
    /// The one group that is meant.
    #[arg(long, value_name = "GROUP")]
    pub group: Option<String>,
    /// Its ranking: a JSON list of tiers of trajectory ids, best first.
    #[arg(
        long,
        value_name = "JSON",
        requires = "group",
        conflicts_with = "remove"
    )]
    pub tiers: Option<String>,
    /// Why it is known.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// List the groups whose ranking is known.
    #[arg(long, conflicts_with_all = ["group", "tiers", "remove"])]
    pub list: bool,
    /// The group's ranking is not known any more.
    #[arg(long, requires = "group")]
    pub remove: bool,
    /// One JSON object a group.
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    group_id: &'a str,
    tiers: &'a [Vec<String>],
    reason: &'a str,
    annotator: &'a str,
    at: String,
    fingerprint: &'a str,
}

/// Sets, removes or lists known rankings.
///
/// # Errors
/// An unknown group or trajectory, no ranking at all, or a log that cannot be read or written.
pub fn run(args: &GoldArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    if args.list {
        return list(args, io);
    }
    if args.paths.is_empty() {
        return Err(
            CliError::usage("known rankings of which groups? name files or folders")
                .hint("gagar gold runs --rankings known.jsonl, or gagar gold --list"),
        );
    }
    if args.group.is_none() && args.common.rankings.is_empty() {
        return Err(CliError::usage("no known ranking is given")
            .hint("--rankings FILE, or --group G --tiers JSON"));
    }
    if args.group.is_some() && !args.common.rankings.is_empty() {
        return Err(CliError::usage("either --rankings or --group, not both"));
    }
    if args.group.is_some() && args.tiers.is_none() && !args.remove {
        return Err(CliError::usage(
            "--group is given without --tiers or --remove",
        ));
    }
    let input = Input {
        paths: args.paths.clone(),
        common: args.common.clone(),
    };
    let mut opened = open(&input, RankingSource::Best, Whose::User, io)?;
    let session = &mut opened.session;
    let mut problems = opened.problems;
    let known: Vec<(usize, Ranking)> = match &args.group {
        Some(id) => {
            let group = session
                .position(id)
                .ok_or_else(|| unknown_group(session, id))?;
            let data = session
                .group(group)
                .ok_or_else(|| unknown_group(session, id))?;
            let ranking = match &args.tiers {
                Some(tiers) => to_ranking(data, &parse_tiers(tiers)?)?,
                None => Ranking::default(),
            };
            vec![(group, ranking)]
        }
        None => {
            // Beside the rankings of the file stand those that the rollouts come with: the known
            // ones are those that are not there without the file.
            let mut without = args.common.clone();
            without.rankings.clear();
            let before = load_set(&args.paths, &without)?;
            let groups = session.set().groups.iter().enumerate();
            let found = groups.filter_map(|(group, data)| {
                let place = before.groups.iter().position(|other| other.id == data.id);
                let own = place.and_then(|place| before.answers.get(place));
                let own: &[GraderAnswer] = own.map_or(&[], AsRef::as_ref);
                let new = session
                    .answers(group)
                    .iter()
                    .filter(|answer| !own.contains(answer));
                let ranking = new
                    .filter_map(|answer| answer.ranking.as_ref())
                    .next_back()?;
                Some((group, passing_only(data, ranking)))
            });
            found.collect()
        }
    };
    if known.is_empty() {
        return Err(CliError::failed(
            "the file holds no ranking of a group of these paths that is not \
                                     among the rollouts already",
        ));
    }
    let mut events: Vec<NewEvent> = Vec::new();
    let mut set = 0;
    for (group, ranking) in known {
        let reason = args.reason.clone();
        match session.propose(group, Change::Gold { ranking, reason }) {
            Ok(proposal) => {
                session.apply(&proposal);
                events.extend(proposal.events);
                set += 1;
            }
            Err(error) => {
                let id = session.group(group).map_or("", |group| group.id.as_str());
                io.note(&format!("problem: {id}: {error}"))?;
                problems = true;
            }
        }
    }
    opened.store.append(&events)?;
    let what = if args.remove {
        "no longer known"
    } else {
        "known"
    };
    io.line(&format!(
        "{}: {} {what}",
        args.common.db().display(),
        counted(set, "ranking", "rankings")
    ))?;
    Ok(Ending::of(problems))
}

/// A ranking without the trajectories that do not pass.
fn passing_only(group: &RolloutGroup, ranking: &Ranking) -> Ranking {
    let passes = |index: &usize| {
        group
            .trajectories
            .get(*index)
            .is_some_and(|t| t.outcome.is_pass())
    };
    let tiers = ranking.tiers().iter();
    let tiers = tiers.map(|tier| tier.iter().copied().filter(passes).collect());
    // A part of a ranking holds nothing twice.
    Ranking::new(tiers.collect()).unwrap_or_default()
}

fn list(args: &GoldArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    require_db(args.common.db())?;
    let events = SqliteStore::at(args.common.db()).events_since(0)?;
    let projection = Projection::of(&events);
    let by = args.common.annotator.as_deref();
    let gold = projection.gold.iter();
    let gold: Vec<_> = gold
        .filter(|(_, gold)| by.is_none_or(|name| gold.annotator == name))
        .collect();
    let at = |ms: i64| {
        jiff::Timestamp::from_millisecond(ms)
            .unwrap_or_default()
            .to_string()
    };
    if args.json {
        for (group_id, gold) in gold {
            io.json(&Line {
                group_id,
                tiers: &gold.tiers,
                reason: &gold.reason,
                annotator: &gold.annotator,
                at: at(gold.at_ms),
                fingerprint: &gold.fingerprint,
            })?;
        }
        return Ok(Ending::Fine);
    }
    if gold.is_empty() {
        io.note("no ranking is known")?;
        return Ok(Ending::Fine);
    }
    let rows: Vec<Vec<String>> = gold
        .into_iter()
        .map(|(group_id, gold)| {
            let tiers: Vec<_> = gold.tiers.iter().map(|tier| tier.join(" = ")).collect();
            vec![
                group_id.clone(),
                tiers.join(" > "),
                gold.annotator.clone(),
                gold.reason.clone(),
            ]
        })
        .collect();
    io.table(&["group", "ranking", "set by", "reason"], &[], &rows)?;
    Ok(Ending::Fine)
}
