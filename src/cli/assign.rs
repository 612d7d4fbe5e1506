//! `gagar assign`: who judges which groups, and who has done how much.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::Ending;
use super::args::{Common, Input, Which};
use super::error::CliError;
use super::inputs::{Whose, open};
use super::out_file::OutFile;
use super::output::Io;
use crate::domain::assignment::{Assigned, Plan};
use crate::domain::counted;
use crate::formats::{assignment_line, read_assignment};
use crate::review::{RankingSource, duration};
use crate::store::projection::{Projection, State};
use crate::store::{EventStore, SqliteStore};

/// Examples at the end of `gagar assign --help`.
const EXAMPLES: &str = "\
Examples:
  gagar assign runs --annotators ada,bob,carl --overlap 2 --seed 7 -o assign.jsonl
  gagar assign runs --annotators ada,bob --blind --limit 20 -o assign.jsonl
  gagar runs --assignment assign.jsonl --annotator ada     ada's groups in ada's order
  gagar assign --status assign.jsonl --db gagar.db         who has done how much

Every group goes to exactly --overlap annotators; how many they get differs by at most one, and every
two of them share about as many groups as any other two. The same input and seed give the same file.
Without --filter the groups are those in which a ranking counts: kept, two or more passing.";

/// Arguments of `gagar assign`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct AssignArgs {
    /// Files and folders with rollouts; with a bare --status the assignment.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What to load, whose judgements.
    #[command(flatten)]
    pub common: Common,
    /// Which groups.
    #[command(flatten)]
    pub which: Which,
    /// Who judges, between commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// How many of them judge each group.
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub overlap: usize,
    /// What groups and orders are shuffled with.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// At most so many groups, drawn by the seed.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Names, grader and advantages are hidden from them until they submit.
    #[arg(long)]
    pub blind: bool,
    /// The file to write; - for stdout.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Tell how far each annotator of an assignment is.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub status: Option<Option<PathBuf>>,
    /// One JSON object an annotator.
    #[arg(long)]
    pub json: bool,
}

/// Assigns groups, or tells how far an assignment is.
///
/// # Errors
/// No plan is possible, or something cannot be read or written.
pub fn run(args: &AssignArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    match &args.status {
        Some(file) => {
            let named = file.as_deref().or(args.paths.first().map(PathBuf::as_path));
            let named = named.ok_or_else(|| {
                CliError::usage("--status of which assignment?")
                    .hint("gagar assign --status assign.jsonl --db gagar.db")
            })?;
            status(named, args, io)
        }
        None => assign(args, io),
    }
}

/// Reads an assignment, with its path in the error.
///
/// # Errors
/// It cannot be used.
pub fn read(path: &Path) -> Result<Vec<Assigned>, CliError> {
    let said = |error| CliError::failed(format!("{}: {error}", path.display()));
    read_assignment(path).map_err(said)
}

fn assign(args: &AssignArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    if args.paths.is_empty() {
        return Err(CliError::usage(
            "assign which groups? name files or folders with rollouts",
        ));
    }
    let output = args
        .output
        .as_deref()
        .ok_or_else(|| CliError::usage("-o FILE is missing: where the assignment is written"))?;
    let input = Input {
        paths: args.paths.clone(),
        common: args.common.clone(),
    };
    let out = OutFile::new(output, &input)?;
    let opened = open(&input, RankingSource::Best, Whose::User, io)?;
    let session = &opened.session;
    let chosen = args.which.chosen(session).into_iter();
    let is_chosen = |group: &usize| args.which.filter.is_some() || session.is_to_judge(*group);
    let groups = chosen
        .filter(is_chosen)
        .filter_map(|group| session.group(group));
    let mut groups: Vec<_> = groups
        .map(|group| (group.id.as_str().to_owned(), group.fingerprint.clone()))
        .collect();
    // The order in which files are read must not decide.
    groups.sort();
    if let Some(limit) = args.limit {
        let seed = crate::domain::seed_of(&[&args.seed.to_string(), "limit"]);
        groups = crate::domain::shuffled(groups, seed);
        groups.truncate(limit);
        groups.sort();
    }
    if groups.is_empty() {
        return Err(CliError::failed("no group is to be assigned")
            .hint("without --filter only groups that are kept and have two or more passing"));
    }
    let plan = Plan {
        annotators: args
            .annotators
            .iter()
            .map(|name| name.trim().to_owned())
            .collect(),
        overlap: args.overlap,
        blind: args.blind,
        seed: args.seed,
    };
    let rows = plan.assign(&groups).map_err(|error| {
        CliError::usage(error.to_string()).hint("for example --annotators ada,bob,carl --overlap 2")
    })?;
    let lines = rows
        .iter()
        .map(assignment_line)
        .collect::<Result<Vec<_>, _>>();
    let mut text = lines.map_err(CliError::failed)?.join("\n");
    text.push('\n');
    if output == Path::new("-") {
        io.out.write_all(text.as_bytes())?;
        return Ok(Ending::of(opened.problems));
    }
    out.write(Some(session.set()), |out| out.write_all(text.as_bytes()))?;
    tell(&rows, groups.len(), args, output, io)?;
    Ok(Ending::of(opened.problems))
}

#[derive(Serialize)]
struct Load<'a> {
    annotator: &'a str,
    groups: usize,
    /// Groups shared with each other annotator.
    shared: BTreeMap<&'a str, usize>,
}

fn tell(
    rows: &[Assigned],
    groups: usize,
    args: &AssignArgs,
    output: &Path,
    io: &mut Io<'_>,
) -> Result<(), CliError> {
    let mut by_group: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in rows {
        by_group
            .entry(&row.group_id)
            .or_default()
            .push(&row.annotator);
    }
    let names = args.annotators.iter().map(|name| name.trim());
    let loads: Vec<Load<'_>> = names
        .map(|annotator| {
            let mut shared = BTreeMap::new();
            let theirs = by_group.values().filter(|who| who.contains(&annotator));
            for other in theirs
                .clone()
                .flatten()
                .filter(|other| **other != annotator)
            {
                *shared.entry(*other).or_default() += 1;
            }
            Load {
                annotator,
                groups: theirs.count(),
                shared,
            }
        })
        .collect();
    if args.json {
        return loads.iter().try_for_each(|load| io.json(load));
    }
    io.line(&format!(
        "{}: {}, {} each",
        output.display(),
        counted(groups, "group", "groups"),
        counted(args.overlap, "annotator", "annotators")
    ))?;
    let rows: Vec<Vec<String>> = loads
        .iter()
        .map(|load| {
            let shared = load.shared.iter().map(|(other, n)| format!("{other} {n}"));
            let shared: Vec<_> = shared.collect();
            vec![
                load.annotator.to_owned(),
                load.groups.to_string(),
                shared.join(", "),
            ]
        })
        .collect();
    io.table(
        &["annotator", "groups", "shared with"],
        &[false, true],
        &rows,
    )?;
    Ok(())
}

#[derive(Serialize, Default)]
struct Done<'a> {
    annotator: &'a str,
    assigned: usize,
    submitted: usize,
    skipped: usize,
    draft: usize,
    opened: usize,
    unseen: usize,
    /// Judged on other data than what was assigned.
    stale: usize,
    flagged: usize,
    /// Focused time in milliseconds.
    active_ms: u64,
}

fn status(file: &Path, args: &AssignArgs, io: &mut Io<'_>) -> Result<Ending, CliError> {
    let rows = read(file)?;
    let db = args.common.db();
    let events = SqliteStore::at(db).events_since(0)?;
    // Nobody has begun; or another file was meant.
    if !db.exists() {
        let db = db.display();
        io.note(&format!("note: {db}: no such database, no judgements"))?;
    }
    let projection = Projection::of(&events);
    let mut all: Vec<Done<'_>> = Vec::new();
    for row in &rows {
        let place = all.iter().position(|done| done.annotator == row.annotator);
        let place = place.unwrap_or_else(|| {
            all.push(Done {
                annotator: &row.annotator,
                ..Done::default()
            });
            all.len() - 1
        });
        count(&mut all[place], row, &projection);
    }
    if args.json {
        all.iter().try_for_each(|done| io.json(done))?;
        return Ok(Ending::Fine);
    }
    let header = [
        "annotator",
        "assigned",
        "submitted",
        "skipped",
        "draft",
        "opened",
        "unseen",
        "stale",
        "flagged",
        "focused time",
    ];
    let table: Vec<Vec<String>> = all
        .iter()
        .map(|done| {
            let numbers = [
                done.assigned,
                done.submitted,
                done.skipped,
                done.draft,
                done.opened,
                done.unseen,
                done.stale,
                done.flagged,
            ];
            let numbers = numbers.iter().map(usize::to_string);
            let name = std::iter::once(done.annotator.to_owned());
            name.chain(numbers)
                .chain([duration(done.active_ms)])
                .collect()
        })
        .collect();
    let right: Vec<bool> = (0..header.len()).map(|column| column > 0).collect();
    io.table(&header, &right, &table)?;
    Ok(Ending::Fine)
}

fn count(done: &mut Done<'_>, row: &Assigned, projection: &Projection) {
    done.assigned += 1;
    let key = (row.group_id.clone(), row.annotator.clone());
    let Some(judgement) = projection.judgements.get(&key) else {
        done.unseen += 1;
        return;
    };
    let Some(judgement) = judgement.at(&row.fingerprint) else {
        done.stale += 1;
        return;
    };
    match judgement.state() {
        State::Unseen => done.unseen += 1,
        State::Opened => done.opened += 1,
        State::Draft => done.draft += 1,
        State::Skipped => done.skipped += 1,
        State::Submitted => done.submitted += 1,
    }
    done.flagged += usize::from(judgement.flagged.is_some());
    done.active_ms += judgement.spent_ms;
}
