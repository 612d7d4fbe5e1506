//! The command line's grammar.

use std::path::{Path, PathBuf};

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::assign::AssignArgs;
use super::backup::BackupArgs;
use super::events::ImportArgs;
use super::gold::GoldArgs;
use super::log::LogArgs;
use super::merge::MergeArgs;
use crate::domain::redistribution::{TieRule, UnrankedPolicy};
use crate::domain::scope::Level;
use crate::domain::{Estimator, Scheme};
use crate::raters::Aggregate;
use crate::review::{Filter, QueueOrder, RankingSource, ReviewSession, Selection, Settings};

/// Examples at the end of `gagar --help`.
const EXAMPLES: &str = "\
Examples:
  gagar sample-data                          review the groups of a folder
  gagar runs --rankings grader.jsonl         beside a grader's rankings
  gagar groups sample-data --json            one JSON line a group
  gagar check runs                           what could not be read, and why
  gagar convert runs -o groups.jsonl         all of it as gagar.group/1
  gagar advantages runs --source human       rows for a trainer (gagar.advantage/1)
  gagar runs --map group=task,reward=ok      records with columns of your own
  gagar rank runs --group G --tiers '[[\"t1\"],[\"t2\",\"t3\"]]' --annotator ann
  gagar assign runs --annotators ada,bob --overlap 2 -o assign.jsonl
  gagar runs --assignment assign.jsonl --annotator ada
  gagar export sft runs --db gagar.db -o sft.jsonl
  gagar merge ada.db bob.db -o all.db        the judgements of several people in one file
  gagar diff runs --group G --candidates A,B  patches side by side on their base
  gagar agreement runs --db gagar.db         how much grader and annotators agree
  gagar scope runs --level check --passing   edits that may not belong to the task
  gagar screenshot runs --keys '<enter>' -o compare.svg
  gagar schedules runs                       what each scheme would do
  gagar report runs --db all.db -o report.html   the audit as one page

Exit codes: 0 fine, 1 done with problems reported, 2 wrong usage, 3 could not be done.";

/// Review, re-rank and audit groups of code-agent rollouts.
#[derive(Debug, Parser)]
#[command(
    name = "gagar",
    version,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// A headless command; without one the terminal interface opens.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Files and folders with rollouts.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What to load, whose judgements, how advantages are computed.
    #[command(flatten)]
    pub common: Common,
    /// The terminal interface's own options.
    #[command(flatten)]
    pub screen: Screen,
}

/// Options of the terminal interface.
#[derive(Debug, Args)]
pub struct Screen {
    /// Open this group at once; a set of one group opens it without being asked.
    #[arg(long, value_name = "ID")]
    pub group: Option<String>,
    /// The order in which groups are worked on: given, random:seed=7, disagreement, flags, credit,
    /// unseen.
    #[arg(long, value_name = "NAME", value_parser = parse_order)]
    pub order: Option<QueueOrder>,
    /// Only the groups that were assigned to --annotator, in that order (`gagar assign`).
    #[arg(long, value_name = "FILE")]
    pub assignment: Option<PathBuf>,
    /// Theme: a name of `gagar doctor`'s list, for example nord or colour-blind-light; default by the
    /// terminal's background.
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// How many colours are used; default what the terminal says it has.
    #[arg(long, alias = "color", value_enum, value_name = "DEPTH")]
    pub colour: Option<Colour>,
    /// Key overrides.
    #[arg(long, value_name = "FILE")]
    pub keys: Option<PathBuf>,
    /// Hide names, grader and advantages, and show candidates in an order of your own, until you
    /// submit a group and reveal it.
    #[arg(long)]
    pub blind: bool,
    /// Read what is written to the files while they are reviewed (the default).
    #[arg(long, overrides_with = "no_follow")]
    pub follow: bool,
    /// Show the files as they are at the start.
    #[arg(long, overrides_with = "follow")]
    pub no_follow: bool,
}

/// How many colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// What the environment says.
    Auto,
    /// None.
    None,
    /// The terminal's sixteen.
    #[value(name = "16")]
    Sixteen,
    /// The 256 of xterm.
    #[value(name = "256")]
    Indexed,
    /// 24 bits.
    True,
}

/// Options that every command with PATHs takes.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Further grader rankings (gagar.ranking/1); repeatable.
    #[arg(long, value_name = "FILE")]
    pub rankings: Vec<PathBuf>,
    /// The file with the judgements [default: gagar.db].
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Whose judgements; where it must be one person's, the user's unless named.
    #[arg(long, value_name = "NAME", value_parser = parse_annotator)]
    pub annotator: Option<String>,
    /// How rewards become baseline advantages (`gagar doctor` lists the names).
    #[arg(long, value_name = "NAME", value_parser = parse_estimator)]
    pub estimator: Option<Estimator>,
    /// Weight by rank: linear:floor=0.5 (default), uniform, geometric:gamma=0.8, dcg, ...
    #[arg(long, value_name = "NAME", value_parser = parse_scheme, action = ArgAction::Append)]
    pub scheme: Vec<Scheme>,
    /// How tied candidates share the weights of their places.
    #[arg(long, value_enum, default_value_t = Ties::Share)]
    pub ties: Ties,
    /// What happens to a passing candidate that is not ranked.
    #[arg(long, value_enum, default_value_t = Unranked::Keep)]
    pub unranked: Unranked,
    /// Reward from which a trajectory passes, when the record has only a reward.
    #[arg(long, value_name = "REWARD", default_value_t = 0.5, value_parser = parse_finite, allow_negative_numbers = true)]
    pub pass_at: f64,
    /// Count unscored outcomes (no reward, infrastructure failures) as failures with reward 0.
    #[arg(long)]
    pub unscored_as_fail: bool,
    /// Which columns of chat records are what, paths with dots, or the name of a map in gagar.toml:
    /// group=instance_id,reward=resolved,patch=model_patch,steps=messages,id=run
    #[arg(long, value_name = "MAP")]
    pub map: Option<String>,
    /// Read long files anew instead of using the index kept of them in GAGAR_CACHE_DIR (or
    /// XDG_CACHE_HOME/gagar/index, ~/.cache/gagar/index).
    #[arg(long)]
    pub no_cache: bool,
}

impl Common {
    /// The file with the judgements.
    #[must_use]
    pub fn db(&self) -> &Path {
        db_or_default(self.db.as_deref())
    }

    /// What advantages are computed with.
    #[must_use]
    pub fn settings(&self, source: RankingSource) -> Settings {
        let mut settings = Settings {
            source,
            ..Settings::default()
        };
        if let Some(estimator) = &self.estimator {
            settings.estimator = estimator.clone();
        }
        if let Some(scheme) = self.scheme.first() {
            settings.scheme = scheme.clone();
        }
        settings.policies.ties = match self.ties {
            Ties::Share => TieRule::Share,
            Ties::Dense => TieRule::Dense,
            Ties::Min => TieRule::Min,
        };
        settings.policies.unranked = match self.unranked {
            Unranked::Keep => UnrankedPolicy::Keep,
            Unranked::Last => UnrankedPolicy::Last,
            Unranked::Error => UnrankedPolicy::Error,
        };
        settings
    }
}

/// PATHs and the options that go with them.
#[derive(Debug, Args)]
pub struct Input {
    /// Files and folders with rollouts.
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// What to load, whose judgements, how advantages are computed.
    #[command(flatten)]
    pub common: Common,
}

/// Which groups a command is about.
#[derive(Debug, Clone, Default, Args)]
pub struct Which {
    /// Only groups that meet every term: kept class:mixed passing>=2 '!masked' task~text ...
    #[arg(long, value_name = "EXPR", value_parser = Filter::read)]
    pub filter: Option<Filter>,
}

impl Which {
    /// The chosen groups (0-based indices).
    #[must_use]
    pub fn chosen(&self, session: &ReviewSession) -> Vec<usize> {
        match &self.filter {
            Some(filter) => filter.select(session),
            None => (0..session.rows().len()).collect(),
        }
    }

    /// The chosen groups as the source of an export; `None` without a filter.
    #[must_use]
    pub fn selection<'a>(&self, session: &'a ReviewSession) -> Option<Selection<'a>> {
        let filter = self.filter.as_ref()?;
        Some(Selection::of(session, filter))
    }
}

/// The headless commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the groups: counts, class, who ranked them, state
    Groups {
        /// What to load.
        #[command(flatten)]
        input: Input,
        /// Which groups.
        #[command(flatten)]
        which: Which,
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Tell what was made of each file, and every record that could not be read
    ///
    /// A line a file (a line a folder when there are many): records by format, trajectories,
    /// problems. Then every problem with path, line, record and reason. Files that hold no rollouts
    /// are told by folder on stderr.
    ///
    /// With --json one object a line, told apart by "kind": "file" (path, bytes, formats with name
    /// and records, groups, trajectories, problems; every file that holds records or had problems),
    /// "problem" and "note" (path, line, record, reason), "guessed" (path, map, left_over, missing:
    /// columns that were guessed, not used, not found), "map" (path, title: a map of gagar.toml that
    /// was used), "foreign" (path; the first 1000), and last "summary" (groups, trajectories,
    /// problems, notes, foreign). A note tells what is worth a word although nothing is wrong; only
    /// problems make the exit code 1. The trajectories of the files add up to the total; what does
    /// not count among them stands beside: copies, repeated (refused), references, joined (with
    /// records of other files).
    #[command(verbatim_doc_comment)]
    Check {
        /// What to load.
        #[command(flatten)]
        input: Input,
        /// One JSON object a line, a summary last.
        #[arg(long)]
        json: bool,
    },
    /// Print baseline and redistributed advantages (gagar.advantage/1 rows)
    Advantages(AdvantagesArgs),
    /// Submit a ranking of one group
    Rank(RankArgs),
    /// Write training records, labels or advantages to a file
    Export(ExportArgs),
    /// Say who judges which groups, or how far they are
    Assign(AssignArgs),
    /// Set, list or remove groups whose ranking is known, to see how well annotators find it
    Gold(GoldArgs),
    /// Tell who judged what, when, before and after
    Log(LogArgs),
    /// Put the judgements of several databases into one
    Merge(MergeArgs),
    /// Read judgements from lines of text into a database
    Import(ImportArgs),
    /// Copy the database while it is in use, and check the copy
    Backup(BackupArgs),
    /// Write everything loaded as gagar.group/1, one group a line, with all texts
    Convert(ConvertArgs),
    /// Print the patches of a group: side by side on their shared base, or each on its own
    Diff(DiffArgs),
    /// Write the audit as one file: what was looked at, agreement, schemes, worst disagreements
    Report(ReportArgs),
    /// Compare schemes over all groups: boosts, credit moved, length, what is misplaced
    Schedules(SchedulesArgs),
    /// Point at edits that may not belong to the task, and tell how often each rule does
    Scope(ScopeArgs),
    /// Draw any screen into a picture (SVG) or a text: press keys, see what they show
    Screenshot(ScreenshotArgs),
    /// Tell how much grader and annotators agree, with intervals
    Agreement(AgreementArgs),
    /// List the formats that can be read: what is a group, a rollout, a verdict in each
    Formats {
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Print the rubric: the codes that findings may have, with their keys
    ///
    /// Examples:
    ///   gagar rubric                 the built-in one, or that of gagar.toml
    ///   gagar rubric runs --json     that of runs/gagar.toml, as one JSON object
    #[command(verbatim_doc_comment)]
    Rubric {
        /// Files and folders whose gagar.toml counts too; may be left out.
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// One JSON object: version, codes (code, key, title), guidelines.
        #[arg(long)]
        json: bool,
    },
    /// Print the key table
    Keys {
        /// Key overrides.
        #[arg(long, value_name = "FILE")]
        keys: Option<PathBuf>,
    },
    /// Print shell completions
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Say what is found here: versions, terminal, database, themes, keys, data
    Doctor {
        /// Files and folders with rollouts; may be left out.
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// What to load.
        #[command(flatten)]
        common: Common,
        /// The terminal interface's own options.
        #[command(flatten)]
        screen: Screen,
    },
}

/// Arguments of `gagar advantages`.
#[derive(Debug, Args)]
pub struct AdvantagesArgs {
    /// What to load.
    #[command(flatten)]
    pub input: Input,
    /// Which groups.
    #[command(flatten)]
    pub which: Which,
    /// Which rows.
    #[command(flatten)]
    pub rows: AdvantageRows,
    /// Accepted for symmetry: the rows are JSON lines always.
    #[arg(long, hide = true)]
    pub json: bool,
}

/// Options of advantage rows.
#[derive(Debug, Args)]
pub struct AdvantageRows {
    /// Whose ranking; left out: the submitted one when there is one, else the grader's.
    #[arg(long, value_enum)]
    pub source: Option<Source>,
    /// Also groups that dynamic sampling drops.
    #[arg(long)]
    pub all: bool,
    /// Only rankings submitted blind, and before the group was revealed: of each person and group the
    /// last such one. Advantages: nobody else's ranking, as --source human.
    #[arg(long)]
    pub blind_only: bool,
    /// Id of this export; left out: derived from the data and the options.
    #[arg(long, value_name = "ID")]
    pub export_id: Option<String>,
}

impl AdvantageRows {
    /// Whose ranking: that of a person when only blind ones are wanted.
    #[must_use]
    pub fn whose(&self) -> Option<Source> {
        self.source.or(self.blind_only.then_some(Source::Human))
    }

    /// What is asked for twice, one sentence.
    #[must_use]
    pub fn contradiction(&self) -> Option<&'static str> {
        let others = matches!(
            self.source,
            Some(Source::Consensus | Source::Grader | Source::None)
        );
        (self.blind_only && others)
            .then_some("--blind-only takes rankings of people: leave --source out, or say human")
    }
}

/// Arguments of `gagar rank`.
#[derive(Debug, Args)]
pub struct RankArgs {
    /// What to load.
    #[command(flatten)]
    pub input: Input,
    /// The group's id.
    #[arg(long, value_name = "GROUP")]
    pub group: String,
    /// The ranking: a JSON list of tiers of trajectory ids, best first.
    #[arg(long, value_name = "JSON")]
    pub tiers: String,
    /// Print what was stored as JSON.
    #[arg(long)]
    pub json: bool,
}

/// What `gagar export` calls the event log.
pub const EVENTS: &str = "events";

/// Everything that can be exported, with a line on each.
fn exports() -> impl Iterator<Item = clap::builder::PossibleValue> {
    let targets = crate::export::EXPORTS.iter();
    let targets =
        targets.map(|export| clap::builder::PossibleValue::new(export.name()).help(export.doc()));
    let events = clap::builder::PossibleValue::new(EVENTS)
        .help("the whole event log of --db, without a PATH (gagar.event/1): see `gagar import`");
    targets.chain([events])
}

/// Arguments of `gagar export`.
#[derive(Debug, Args)]
#[command(mut_arg("paths", |paths| paths.required(false).required_if_eq_any(
    crate::export::EXPORTS.iter().map(|export| ("what", export.name()))
)))]
pub struct ExportArgs {
    /// What to write: sft, annotations, findings, advantages or events.
    #[arg(value_name = "WHAT", value_parser = clap::builder::PossibleValuesParser::new(exports()))]
    pub what: String,
    /// What to load.
    #[command(flatten)]
    pub input: Input,
    /// Which groups.
    #[command(flatten)]
    pub which: Which,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Which advantage rows.
    #[command(flatten)]
    pub rows: AdvantageRows,
    /// sft: rows per ranking with the candidates shuffled; 0 = one row, as shown.
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub permute: u32,
    /// sft: the annotator's findings are part of the reasoning, before the note.
    #[arg(long)]
    pub reason_from_findings: bool,
    /// findings: also those of the grader.
    #[arg(long)]
    pub grader: bool,
}

/// Examples at the end of `gagar report --help`.
const REPORT_EXAMPLES: &str = "\
Examples:
  gagar report runs --db all.db -o report.html             one page, nothing loaded from elsewhere
  gagar report runs --db all.db -o report.md --csv rows    and every row behind it as CSV
  gagar report runs --db all.db -o report.html --filter kept --top 20 --date 2026-11-30

The schemes are compared with the grader's rankings; with --annotator with those that this person
submitted, else the grader's. The report bears the date given, else that of the newest event of the
log: the same files, log, options and version give the same bytes.";

/// Arguments of `gagar report`.
#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub struct ReportArgs {
    /// What to load; --scheme may be given several times here.
    #[command(flatten)]
    pub input: Input,
    /// Which groups.
    #[command(flatten)]
    pub which: Which,
    /// Of people only rankings submitted blind, and before the group was revealed: of each person and
    /// group the last such one.
    #[arg(long)]
    pub blind_only: bool,
    /// The file to write: .html or .md.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// A folder for the rows behind every table and figure, one CSV file each.
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// The worst disagreements shown with their patches.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// The date that the report bears, as it is to be written.
    #[arg(long, value_name = "DATE")]
    pub date: Option<String>,
    /// How annotators' rankings become a consensus: borda, kemeny, bradley-terry:prior=0.1.
    #[arg(long, value_name = "HOW", default_value_t = Aggregate::default())]
    pub aggregate: Aggregate,
    /// Seed of the resamples behind the intervals.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Examples at the end of `gagar schedules --help`.
const SCHEDULES_EXAMPLES: &str = "\
Examples:
  gagar schedules runs                                   every kind of scheme, usual parameters
  gagar schedules runs --scheme linear:floor=0.2 --scheme top:k=2   two of your own first
  gagar schedules runs --db gagar.db --filter state:submitted
  gagar schedules runs --json | jq '.schemes[] | [.scheme, .credit_moved.mean]'

The ranking of a group is the one submitted, else the grader's. All figures are means over the groups
whose ranking can move credit. Columns: groups in which the scheme changes an advantage; largest
multiplier; n_eff/m, effective number of credited candidates over their number; share of the credit
that is moved; variance of the group's advantages, after over before; change of the length pressure
(1/n) sum A (L - mean L) in tokens; token credit sum L A' / sum L A; misp.: share of the credit
(0 to 1) expected at the wrong candidates at the grader's measured pairwise accuracy. In JSON also
misplaced_per_moved: the same over the credit moved, above 1 where more is misplaced than moved.";

/// Arguments of `gagar schedules`.
#[derive(Debug, Args)]
#[command(after_help = SCHEDULES_EXAMPLES)]
pub struct SchedulesArgs {
    /// What to load; --scheme may be given several times here.
    #[command(flatten)]
    pub input: Input,
    /// Which groups.
    #[command(flatten)]
    pub which: Which,
    /// Of people only rankings submitted blind, and before the group was revealed: of each person and
    /// group the last such one.
    #[arg(long)]
    pub blind_only: bool,
    /// Groups listed with the most credit moved.
    #[arg(long, value_name = "K", default_value_t = 5)]
    pub top: usize,
    /// Print everything as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// The database when none is named.
#[must_use]
pub fn db_or_default(db: Option<&Path>) -> &Path {
    db.unwrap_or(Path::new("gagar.db"))
}

/// Examples at the end of `gagar agreement --help`.
const AGREEMENT_EXAMPLES: &str = "\
Examples:
  gagar agreement runs --db gagar.db                     every table
  gagar agreement runs --db all.db --aggregate kemeny    another consensus of the annotators
  gagar agreement runs --db all.db --filter 'passing>=4' some of the groups
  gagar agreement runs --db all.db --blind-only          nothing that was changed after a reveal
  gagar agreement runs --db all.db --json | jq '.pairs[] | {reference, prediction, tau_b}'

One JSON object: options (aggregate, seed, blind_only), resamples, groups, stale, after_reveal, provenance, raters, pairs, pairs_apart,
alphas, positions, kappas, people, reveals, missing. Raters are written grader:NAME, annotator:NAME,
consensus, settlement, gold. A figure is {mean, interval: [2.5 %, 97.5 %], groups, undefined: [{reason,
groups}]}; mean null = undefined in every group, interval null = fewer than two groups. Undefined
values are in no mean and never 0.";

/// Arguments of `gagar agreement`.
#[derive(Debug, Args)]
#[command(after_help = AGREEMENT_EXAMPLES)]
pub struct AgreementArgs {
    /// What to load.
    #[command(flatten)]
    pub input: Input,
    /// Which groups.
    #[command(flatten)]
    pub which: Which,
    /// Of people only rankings submitted blind, and before the group was revealed: of each person and
    /// group the last such one.
    #[arg(long)]
    pub blind_only: bool,
    /// How annotators' rankings become a consensus: borda, kemeny, bradley-terry:prior=0.1.
    #[arg(long, value_name = "HOW", default_value_t = Aggregate::default())]
    pub aggregate: Aggregate,
    /// Seed of the resamples behind the intervals.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print everything as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `gagar convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// What to load.
    #[command(flatten)]
    pub input: Input,
    /// Which groups.
    #[command(flatten)]
    pub which: Which,
    /// The file to write; - for stdout.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace the file when it exists.
    #[arg(long)]
    pub force: bool,
    /// Print what was written as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Examples at the end of `gagar diff --help`.
const DIFF_EXAMPLES: &str = "\
Examples:
  gagar diff runs --group django-1234                       all candidates on their base
  gagar diff runs --group django-1234 --candidates A,C      two of them
  gagar diff runs --group django-1234 --candidates 1 --own  the first by rank, as a patch
  gagar diff runs --group django-1234 --candidates A,B --interdiff
  gagar diff runs --group django-1234 --stat                files by candidates
  gagar diff a.patch b.patch --files '*.py' --color always | less -R
  gagar diff runs --group django-1234 --json | jq 'select(.kind==\"region\")'

JSON lines have a \"kind\": group (candidates with letter, trajectory_id, outcome, rank), then per file
file (path, rows, counts by letter), row (at: line|inserted|gap, base lines from 1, cells by letter:
what, new, text) and region (rows from..to, base lines, how many passing candidates touch it, results:
equal numbers leave the same text).";

/// Arguments of `gagar diff`.
#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub struct DiffArgs {
    /// What to load.
    #[command(flatten)]
    pub input: Input,
    /// The group's id, or a part of it that no other one has; may be left out when there is one.
    #[arg(long, value_name = "GROUP")]
    pub group: Option<String>,
    /// Which candidates, in which order: letters, ids or places in the ranking (1 = best), between
    /// commas; left out: all, by rank.
    #[arg(long, value_name = "LIST")]
    pub candidates: Vec<String>,
    /// How they are laid out; left out: aligned when there are several.
    #[command(flatten)]
    pub layout: DiffLayout,
    /// Show the reference patch as well.
    #[arg(long)]
    pub reference: bool,
    /// Only files whose path matches: * within a folder, ** across folders; repeatable.
    #[arg(long, value_name = "GLOB")]
    pub files: Vec<String>,
    /// Unchanged lines shown around a change; left out: as many as the patches quote.
    #[arg(long, value_name = "LINES")]
    pub context: Option<usize>,
    /// Whether changes of white space alone stand out.
    #[arg(long, value_enum, default_value_t = Whitespace::Show)]
    pub whitespace: Whitespace,
    /// Old and new side beside each other; each candidate as its own patch (--own).
    #[arg(long)]
    pub side_by_side: bool,
    /// Cut long lines instead of wrapping them.
    #[arg(long)]
    pub no_wrap: bool,
    /// Do not colour code.
    #[arg(long)]
    pub no_syntax: bool,
    /// Columns; left out: the terminal's, 160 in a pipe.
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..=2000))]
    pub width: Option<u16>,
    /// When to colour.
    #[arg(long, alias = "colour", value_enum, default_value_t = When::Auto)]
    pub color: When,
    /// Theme, for example nord or light: see `gagar doctor` for the list; left out: by the
    /// terminal's background.
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
}

/// How the candidates of a diff are laid out.
#[derive(Debug, Clone, Copy, Default, Args)]
#[group(multiple = false)]
pub struct DiffLayout {
    /// Side by side, a row a line of the base.
    #[arg(long)]
    pub aligned: bool,
    /// One after the other, each as the patch that it is, with its own line numbers.
    #[arg(long)]
    pub own: bool,
    /// From the result of the first to the result of the second
    #[arg(long)]
    pub interdiff: bool,
    /// Only the files and how many lines each candidate changes.
    #[arg(long)]
    pub stat: bool,
    /// The aligned rows as JSON lines.
    #[arg(long)]
    pub json: bool,
}

/// What becomes of lines of which only white space changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Whitespace {
    /// They are changes like others
    Show,
    /// They look like unchanged lines
    Ignore,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Examples at the end of `gagar scope --help`.
const SCOPE_EXAMPLES: &str = "\
Examples:
  gagar scope runs                                  every remark, what is worth most first
  gagar scope runs --level check --passing          what passed and is worth a look
  gagar scope runs --rule stray_file --json         one rule, one JSON object a line
  gagar scope runs --stats                          how often each rule says something here
  gagar scope runs --stats --db gagar.db            with what people said of the remarks

A remark is a place to look at, never a verdict and never a rank. Levels: check (worth a look), info
(a fact or a habit that may be fine), artefact (the harness left it in the whole group; told once).
Rates differ by scaffold by a factor of twenty: look at --stats before you trust a rule. Rules are
switched and tuned in gagar.toml:

  [scope.rule.stray_file]
  on = true
  patterns = [\"repro*\", \"scratch*\"]
  [scope.rule.size_outlier]
  threshold = 3.0";

/// Arguments of `gagar scope`.
#[derive(Debug, Args)]
#[command(after_help = SCOPE_EXAMPLES)]
pub struct ScopeArgs {
    /// What to load.
    #[command(flatten)]
    pub input: Input,
    /// Which groups.
    #[command(flatten)]
    pub which: Which,
    /// Only these rules, also ones that are off; repeatable.
    #[arg(long, value_name = "ID")]
    pub rule: Vec<String>,
    /// Only remarks that are meant so: check, info or artefact.
    #[arg(long, value_name = "LEVEL", value_parser = parse_level)]
    pub level: Option<Level>,
    /// Only passing candidates.
    #[arg(long)]
    pub passing: bool,
    /// Figures about the rules instead of remarks: all rules, also those that are off. Figures are
    /// about every level and every candidate.
    #[arg(long, conflicts_with_all = ["level", "passing"])]
    pub stats: bool,
    /// Every remark on a line of its own, also where one rule has many about one candidate.
    #[arg(long)]
    pub all: bool,
    /// One JSON object a line, one for each remark.
    #[arg(long)]
    pub json: bool,
}

fn parse_level(text: &str) -> Result<Level, String> {
    let found = Level::ALL.into_iter().find(|level| level.word() == text);
    found.ok_or_else(|| format!("`{text}` is no level: check, info or artefact"))
}

/// Examples at the end of `gagar screenshot --help`.
const SCREENSHOT_EXAMPLES: &str = "\
Examples:
  gagar screenshot sample-data -o groups.svg
  gagar screenshot sample-data --keys '/textkit<enter><enter>J' -o compare.svg
  gagar screenshot runs --keys '<enter>s' --size 200x60 --theme light -o steps.svg
  gagar screenshot runs --keys '<enter>' -o - --format txt | less

Keys are written as in key files: j, J, <enter>, <esc>, <ctrl-r>, <tab>, <space>, <lt> for <.
The default keys hold. Judgements are made in memory only; --db shows those of a file, which is
never written. The clock stands still: the same input always gives the same bytes.";

/// Arguments of `gagar screenshot`.
#[derive(Debug, Args)]
#[command(after_help = SCREENSHOT_EXAMPLES)]
pub struct ScreenshotArgs {
    /// What to load.
    #[command(flatten)]
    pub input: Input,
    /// The keys to press before the picture is taken.
    #[arg(
        long,
        value_name = "KEYS",
        default_value = "",
        allow_hyphen_values = true
    )]
    pub keys: String,
    /// Hide names, grader and advantages, as a blind review does.
    #[arg(long)]
    pub blind: bool,
    /// Columns and rows.
    #[arg(long, value_name = "WxH", default_value = "160x48", value_parser = parse_size)]
    pub size: (u16, u16),
    /// Theme: a name of the list of `gagar doctor`.
    #[arg(long, value_name = "NAME", default_value = "dark")]
    pub theme: String,
    /// How many colours the terminal has that is drawn.
    #[arg(long, alias = "color", value_enum, value_name = "DEPTH", default_value_t = Colour::True)]
    pub colour: Colour,
    /// The file to write (.svg or .txt); - for stdout.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace the file when it exists.
    #[arg(long)]
    pub force: bool,
    /// What to write; left out: what the file's name ends with, SVG on stdout.
    #[arg(long, value_enum)]
    pub format: Option<PictureFormat>,
}

/// What a picture of a screen is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PictureFormat {
    /// Scalable vector graphics
    Svg,
    /// The text alone
    Txt,
}

/// Whose ranking moves the advantages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Source {
    /// The grader's
    Grader,
    /// The annotator's submitted one
    Human,
    /// All annotators': settled, else one's or what several agree on, else put together by Borda
    Consensus,
    /// Nobody's: plain group-relative advantages
    None,
}

impl Source {
    /// The source of this choice; without a choice, what counts.
    #[must_use]
    pub fn of(choice: Option<Self>) -> RankingSource {
        match choice {
            None => RankingSource::Counted,
            Some(Self::Grader) => RankingSource::Grader,
            Some(Self::Human) => RankingSource::Human,
            Some(Self::Consensus) => RankingSource::Consensus,
            Some(Self::None) => RankingSource::None,
        }
    }
}

/// How tied candidates share weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ties {
    /// The mean weight of the places covered
    Share,
    /// Tiers are the places
    Dense,
    /// The weight of the best place covered
    Min,
}

/// What happens to a passing candidate that is not ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Unranked {
    /// Keeps its advantage
    Keep,
    /// One tier below the last
    Last,
    /// The group is reported as a problem
    Error,
}

fn parse_estimator(text: &str) -> Result<Estimator, String> {
    text.parse().map_err(|error| {
        let names: Vec<_> = Estimator::TABLE.iter().map(|info| info.name).collect();
        format!("{error}; known: {}", names.join(", "))
    })
}

fn parse_scheme(text: &str) -> Result<Scheme, String> {
    text.parse::<Scheme>().map_err(|error| error.to_string())
}

fn parse_order(text: &str) -> Result<QueueOrder, String> {
    text.parse::<QueueOrder>()
        .map_err(|error| error.to_string())
}

fn parse_annotator(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("a name needs at least one character and no control characters".to_owned());
    }
    Ok(name.to_owned())
}

/// Columns and rows, written `160x48`.
fn parse_size(text: &str) -> Result<(u16, u16), String> {
    /// A picture beyond this is a slip.
    const LARGEST: u16 = 2000;
    let wrong = || format!("not a size like 160x48, up to {LARGEST}x{LARGEST}");
    let (columns, rows) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
    let number = |text: &str| {
        let number = text.trim().parse::<u16>().ok();
        number.filter(|number| (1..=LARGEST).contains(number))
    };
    number(columns).zip(number(rows)).ok_or_else(wrong)
}

fn parse_finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("not a finite number".to_owned()),
    }
}
