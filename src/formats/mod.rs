//! Files to rollout groups: one file per format, one row each in [`FORMATS`].
//!
//! A loader hands over an *index* (ids, outcome, scalars, where the bytes are); texts are opened on
//! demand through [`LoadedSet::open`]. What is *not* here: rankings' arithmetic, storage, screens.
//!
//! The way of a file: `source` lists it and reads its bytes, `files` splits them into records, the first row of [`FORMATS`]
//! that recognises a record reads it into `Found`, and `assemble` joins what was found in all files
//! into groups.

mod areal;
mod assemble;
mod atif;
mod cache;
mod chat;
mod cut_patch;
mod decoded_chat;
mod files;
mod follow;
mod found;
mod harbor;
mod indexed;
mod inspect;
mod json;
mod lines;
pub mod listing;
mod loader;
mod mapped;
mod mini_swe_agent;
mod native;
mod nemo_gym;
mod nemo_rl;
mod open;
mod openhands;
mod patch_list;
mod prime_rl;
mod prompt_answer;
mod quotes;
mod rankings;
mod responses;
mod rllm;
mod rollout;
mod scan;
mod shape;
mod skyrl;
mod slime;
mod source;
mod split;
mod step_in_path;
mod swe_agent;
mod swebench;
#[cfg(feature = "parquet")]
mod table;
mod trl;
mod verifiers;
mod verl;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::domain::{Content, GraderAnswer, RolloutGroup};

pub use follow::Watch;
pub use loader::{Changes, Loader, News};
pub use mapped::{FieldMap, FieldPath, GuessedMap, MapError, MapKey, NamedMap};

use files::Record;
use found::Found;
use json::JsonError;
use rollout::Opened;

const CHANGED: &str =
    "the file changed since it was loaded; start again to judge what is there now";

/// Something that could not be read, where, and why; the rest was loaded.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Problem {
    /// The file (or folder).
    pub path: PathBuf,
    /// 1-based line, for line formats.
    pub line: Option<u64>,
    /// Key of the record (`instance_id`, `group_id/trajectory_id`) or field, when known.
    pub record: Option<String>,
    /// The reason, one sentence.
    pub reason: String,
}

impl Problem {
    /// A problem of a whole file.
    fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self {
            path: path.to_path_buf(),
            line: None,
            record: None,
            reason: reason.into(),
        }
    }

    /// Whether a file changed since it was read: what stands in it now has to be read first.
    #[must_use]
    pub fn is_changed_file(&self) -> bool {
        self.reason == CHANGED
    }

    /// A file that cannot be read.
    fn of_file(path: &Path, error: &std::io::Error) -> Self {
        Self::new(path, format!("cannot be read: {error}"))
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(record) = &self.record {
            write!(f, ": {record}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// Options of a load.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadOptions {
    /// Reward from which a trajectory counts as passing when only a reward is given.
    pub pass_at: f64,
    /// Further `gagar.ranking/1` files.
    pub rankings: Vec<PathBuf>,
    /// Whether an unscored outcome counts as a failure with reward 0.
    pub unscored_as_fail: bool,
    /// The map given for records with columns of any name; it goes before the formats.
    pub map: Option<FieldMap>,
    /// Maps of the configuration file, for records that have their columns.
    pub maps: Vec<NamedMap>,
    /// The folder in which the index of long files is kept between loads; `None`: it is not kept.
    pub cache: Option<PathBuf>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            pass_at: 0.5,
            rankings: Vec::new(),
            unscored_as_fail: false,
            map: None,
            maps: Vec::new(),
            cache: None,
        }
    }
}

/// How far a load has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Bytes read so far.
    pub bytes_done: u64,
    /// Bytes in all files to read (0 while they are still being listed).
    pub bytes_total: u64,
    /// Groups found so far.
    pub groups: usize,
    /// Files read so far.
    pub files_done: usize,
    /// Files to read (0 while they are still being listed).
    pub files_total: usize,
}

/// What a format made of a file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FormatRecords {
    /// The format's name.
    pub name: &'static str,
    /// Records that it read.
    pub records: usize,
}

/// What was made of one file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// Its length in bytes when it was listed.
    pub bytes: u64,
    /// The formats found in it, in the order of [`FORMATS`]; empty when it holds nothing known.
    pub formats: Vec<FormatRecords>,
    /// Groups that it gave a trajectory to.
    pub groups: usize,
    /// Trajectories and predictions found in it.
    pub trajectories: usize,
    /// Problems met while it was read.
    pub problems: usize,
}

/// A file format: how it is recognised (by content, never by name) and read.
#[derive(Clone, Copy)]
pub struct Format {
    /// Name, as shown.
    pub name: &'static str,
    /// What it is and who writes it, one sentence.
    pub doc: &'static str,
    /// What puts rollouts into one group.
    pub group: &'static str,
    /// What tells the rollouts of a group apart.
    pub rollout: &'static str,
    /// Where the verdict comes from.
    pub reward: &'static str,
    /// Where the patch comes from.
    pub patch: &'static str,
    /// Whether a record is of this format.
    detect: fn(&Record<'_>) -> bool,
    /// Reads what the index needs of a record of this format.
    read: fn(&Record<'_>, &mut Found),
    /// Opens the texts in a record of this format, or in one element of it; what cannot be read
    /// inside it is told in the last argument. `None` for formats that are joined into runs.
    open: Option<Open>,
}

/// How a format opens the texts of a record.
type Open = fn(&files::Body<'_>, Option<u32>, &mut Vec<String>) -> Result<Opened, JsonError>;

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Format")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Every format, the more specific ones first: the first that recognises a record reads it.
pub const FORMATS: &[Format] = &[
    Format {
        name: "gagar.group/1",
        doc: "One rollout group a line.",
        group: "group_id",
        rollout: "trajectory_id",
        reward: "outcome, else reward",
        patch: "patch",
        detect: native::is_group,
        read: native::read_group,
        open: None,
    },
    Format {
        name: "gagar.trajectory/1",
        doc: "One trajectory a line.",
        group: "group_id",
        rollout: "trajectory_id",
        reward: "outcome, else reward",
        patch: "patch",
        detect: native::is_trajectory,
        read: native::read_trajectory,
        open: None,
    },
    Format {
        name: "gagar.ranking/1",
        doc: "One grader's answer about one group a line.",
        group: "group_id",
        rollout: "—",
        reward: "—",
        patch: "—",
        detect: rankings::is_ranking,
        read: rankings::read_ranking,
        open: None,
    },
    Format {
        name: "NeMo Gym rollout",
        doc: "Rollouts of NeMo Gym agents, one a line, with the messages as Responses items.",
        group: "metadata.instance_id, else _ng_task_index; within one agent and file",
        rollout: "_ng_rollout_index",
        reward: "resolved, else reward; mask_sample: unscored",
        patch: "model_patch",
        detect: nemo_gym::is_rollout,
        read: nemo_gym::read,
        open: Some(nemo_gym::open),
    },
    Format {
        name: "Harbor trial",
        doc: "Result of one trial, with what lies in its folder: trace, tests, log, artifacts.",
        group: "task_name within its source",
        rollout: "trial_name",
        reward: "verifier_result.rewards, else the verifier's reward file",
        patch: "a patch among the artifacts, or one that the trace shows",
        detect: harbor::trials::is_trial,
        read: harbor::trials::read_trial,
        open: Some(harbor::trials::open),
    },
    Format {
        name: "Harbor job",
        doc: "Result of a job: how many trials there should be, and their results in some versions.",
        group: "task_name within its source",
        rollout: "trial_name",
        reward: "trial_results, for trials without a folder",
        patch: "—",
        detect: harbor::trials::is_job,
        read: harbor::trials::read_job,
        open: Some(harbor::trials::open),
    },
    Format {
        name: "Harbor configuration",
        doc: "What a trial or job was started with: tells of trials that left no result.",
        group: "—",
        rollout: "trial_name",
        reward: "—",
        patch: "—",
        detect: harbor::trials::is_config,
        read: harbor::trials::read_config,
        open: None,
    },
    Format {
        name: "ATIF trajectory",
        doc: "Agent trajectory of versions 1.0 to 1.8, with continuations and sub-agents.",
        group: "the trial's task, else extra, session_id or the folder",
        rollout: "the trial, else trajectory_id or the file",
        reward: "—",
        patch: "extra, or the last git diff that the trace shows",
        detect: atif::is_document,
        read: atif::read_document,
        open: Some(atif::open),
    },
    Format {
        name: "CTRF test report",
        doc: "Tests of a Harbor trial (`verifier/ctrf.json`).",
        group: "—",
        rollout: "the trial's folder",
        reward: "—",
        patch: "—",
        detect: harbor::verifier::is_report,
        read: harbor::verifier::read_report,
        open: Some(harbor::verifier::open),
    },
    Format {
        name: "Terminal-Bench trial",
        doc: "`results.json` of a trial or a run of Terminal-Bench 0.2.",
        group: "task_id",
        rollout: "trial_name",
        reward: "is_resolved",
        patch: "—",
        detect: harbor::terminal_bench::is_trial,
        read: harbor::terminal_bench::read_trial,
        open: Some(harbor::terminal_bench::open),
    },
    Format {
        name: "Terminal-Bench run",
        doc: "`run_metadata.json`: agent and model of a run.",
        group: "—",
        rollout: "—",
        reward: "—",
        patch: "—",
        detect: harbor::terminal_bench::is_run,
        read: harbor::terminal_bench::read_run,
        open: None,
    },
    Format {
        name: "Inspect log",
        doc: "An Inspect evaluation: a whole JSON log, or a header beside samples.",
        group: "sample id, within one log",
        rollout: "epoch",
        reward: "the first scorer with a binary value",
        patch: "model_patch and the like in score metadata, store or metadata",
        detect: inspect::is_log,
        read: inspect::read_log,
        open: Some(inspect::open_in_log),
    },
    Format {
        name: "Inspect sample",
        doc: "One sample of an Inspect log in one epoch.",
        group: "sample id, within one log",
        rollout: "epoch",
        reward: "the first scorer with a binary value",
        patch: "model_patch and the like in score metadata, store or metadata",
        detect: inspect::is_sample,
        read: inspect::read_sample,
        open: Some(inspect::open),
    },
    Format {
        name: "Inspect summaries",
        doc: "Summaries, reductions and listings beside Inspect logs.",
        group: "—",
        rollout: "—",
        reward: "—",
        patch: "—",
        detect: inspect::is_beside,
        read: inspect::read_beside,
        open: None,
    },
    Format {
        name: "verl rollout dump",
        doc: "A line per sample with decoded prompt and answer and the score, a file per step.",
        group: "uid up to its last two numbers, else equal input; within one step",
        rollout: "the rest of the uid, request_id, else the line",
        reward: "score",
        patch: "cut from the output",
        detect: verl::is_sample,
        read: verl::read,
        open: Some(verl::open),
    },
    Format {
        name: "AReaL rollout dump",
        doc: "A file per task under a folder per weights version, a line per sample.",
        group: "task_id and version",
        rollout: "sample_idx",
        reward: "reward",
        patch: "cut from the completion",
        detect: areal::is_sample,
        read: areal::read,
        open: Some(areal::open),
    },
    Format {
        name: "SkyRL evaluation dump",
        doc: "A line per sample with prompt, response and score.",
        group: "env_extras.instance_id, else equal input_prompt; within one step",
        rollout: "the line",
        reward: "score, summed when it is per token",
        patch: "cut from the response",
        detect: skyrl::is_sample,
        read: skyrl::read,
        open: Some(skyrl::open),
    },
    Format {
        name: "slime samples",
        doc: "slime's samples exported as JSON (its own dumps are torch pickles).",
        group: "group_index within one file",
        rollout: "index",
        reward: "reward; aborted samples: unscored",
        patch: "metadata.model_patch, else cut from the response",
        detect: slime::is_samples,
        read: slime::read,
        open: Some(slime::open),
    },
    Format {
        name: "TRL completions",
        doc: "Rows of TRL's completion log, as Parquet or JSON.",
        group: "equal prompt within one step",
        rollout: "the line",
        reward: "reward, else the sum of the reward columns",
        patch: "cut from the completion",
        detect: trl::is_row,
        read: trl::read,
        open: Some(trl::open),
    },
    Format {
        name: "patch list",
        doc: "All candidates of one task in one record: trae's patch selection, Augment's ensembler.",
        group: "instance_id or id",
        rollout: "the place in the list",
        reward: "success_id or eval_outcomes",
        patch: "patches or diffs",
        detect: patch_list::is_list,
        read: patch_list::read,
        open: Some(patch_list::open),
    },
    Format {
        name: "verifier training data",
        doc: "Passing and failing conversations by task (SWE-Gym, moatless).",
        group: "the task's key",
        rollout: "the place in the list",
        reward: "the list: true or false",
        patch: "cut from the messages",
        detect: patch_list::is_conversations,
        read: patch_list::read_conversations,
        open: Some(patch_list::open_conversation),
    },
    Format {
        name: "verifiers results",
        doc: "`results.jsonl` of an evaluation, or the rollouts of prime-rl before its episodes.",
        group: "example_id within environment, step and file",
        rollout: "the line",
        reward: "reward; an error: unscored",
        patch: "cut from the completion",
        detect: verifiers::is_result,
        read: verifiers::read,
        open: Some(verifiers::open),
    },
    Format {
        name: "verifiers run",
        doc: "`metadata.json`: environment and model of the results beside it.",
        group: "—",
        rollout: "—",
        reward: "—",
        patch: "—",
        detect: verifiers::is_run,
        read: verifiers::read_run,
        open: None,
    },
    Format {
        name: "prime-rl episode",
        doc: "An episode a line, with its traces as trees of messages.",
        group: "group.id and step; by agent when there are several",
        rollout: "id of the episode",
        reward: "sum of score times weight; not ok: unscored",
        patch: "info.model_patch, else cut from the messages",
        detect: prime_rl::is_episode,
        read: prime_rl::read,
        open: Some(prime_rl::open),
    },
    Format {
        name: "rLLM episode",
        doc: "A file per episode with its trajectories.",
        group: "task_hash and training_step; by name when there are several trajectories",
        rollout: "id of the episode, else the file's name",
        reward: "the trajectory's reward, else the episode's or is_correct",
        patch: "cut from the messages",
        detect: rllm::is_episode,
        read: rllm::read,
        open: Some(rllm::open),
    },
    Format {
        name: "NeMo RL training data",
        doc: "`train_data_step<N>.jsonl`: lists of contents, rewards and advantages.",
        group: "equal prompt within one step",
        rollout: "idx, else the place in the lists",
        reward: "rewards",
        patch: "cut from the content",
        detect: nemo_rl::is_columns,
        read: nemo_rl::read,
        open: Some(nemo_rl::open),
    },
    Format {
        name: "OpenHands output",
        doc: "Rows of `output.jsonl`: instances of a benchmark with all attempts, or resolved issues.",
        group: "instance_id, else owner/repo#number",
        rollout: "the run's folder, with the attempt when it was not chosen",
        reward: "report.resolved, reports beside it; the agent's own success is none",
        patch: "test_result.git_patch or git_patch",
        detect: openhands::rows::is_row,
        read: openhands::rows::read,
        open: Some(openhands::rows::open),
    },
    Format {
        name: "OpenHands events",
        doc: "A conversation: events as lines, as a list, or as files beside `base_state.json`.",
        group: "the conversation",
        rollout: "the folder or file",
        reward: "—",
        patch: "—",
        detect: openhands::conversations::is_events,
        read: openhands::conversations::read_events,
        open: Some(openhands::conversations::open),
    },
    Format {
        name: "OpenHands state",
        doc: "`base_state.json`: model, status and usage of a conversation.",
        group: "—",
        rollout: "the folder",
        reward: "—",
        patch: "—",
        detect: openhands::conversations::is_state,
        read: openhands::conversations::read_state,
        open: None,
    },
    Format {
        name: "SWE-bench task",
        doc: "Task rows with problem statement, reference patch and test lists.",
        group: "instance_id",
        rollout: "—",
        reward: "—",
        patch: "patch is the reference",
        detect: swebench::tasks::is_task,
        read: swebench::tasks::read_task,
        open: None,
    },
    Format {
        name: "mini-swe-agent trajectory",
        doc: "Messages of mini-swe-agent, v0 (a bare list) to v2.",
        group: "instance_id, else the file's name",
        rollout: "the run's folder",
        reward: "reports and summaries beside it",
        patch: "the run's predictions, else info.submission",
        detect: mini_swe_agent::is_mini_swe_agent,
        read: mini_swe_agent::read,
        open: Some(mini_swe_agent::open),
    },
    Format {
        name: "SWE-agent trajectory",
        doc: "Thoughts, actions and observations of SWE-agent 0.x and 1.x, and its retries.",
        group: "instance_id, else the file's name",
        rollout: "the run's folder, with the attempt when there are several",
        reward: "reports and summaries beside it, for the attempt that was chosen",
        patch: "the run's predictions, else info.submission",
        detect: swe_agent::is_swe_agent,
        read: swe_agent::read,
        open: Some(swe_agent::open),
    },
    Format {
        name: "agent trace",
        doc: "A plain list of chat messages, or typed model and tool calls, beside predictions.",
        group: "instance_id, else the file's name",
        rollout: "the run's folder",
        reward: "—",
        patch: "—",
        detect: swebench::traces::is_trace,
        read: swebench::traces::read_trace,
        open: Some(swebench::traces::open),
    },
    Format {
        name: "SWE-bench prediction",
        doc: "A patch per task of one run: JSONL, JSON list or JSON object.",
        group: "instance_id",
        rollout: "the run's folder",
        reward: "reports and summaries beside it",
        patch: "model_patch, patch or fix_patch",
        detect: swebench::predictions::is_prediction,
        read: swebench::predictions::read_prediction,
        open: None,
    },
    Format {
        name: "SWE-bench task report",
        doc: "The verdict about one patch (`report.json`).",
        group: "instance_id, else the folder",
        rollout: "the run's folder",
        reward: "resolved",
        patch: "patch.diff beside it",
        detect: swebench::reports::is_task_report,
        read: swebench::reports::read_task_report,
        open: None,
    },
    Format {
        name: "SWE-bench run summary",
        doc: "Lists of resolved and unresolved tasks of a run, of every vintage.",
        group: "the listed ids",
        rollout: "the run's folder",
        reward: "resolved_ids or resolved",
        patch: "—",
        detect: swebench::reports::is_run_report,
        read: swebench::reports::read_run_report,
        open: None,
    },
    Format {
        name: "run metrics",
        doc: "Cost, turns and tokens per task of a run.",
        group: "instance_id",
        rollout: "the run's folder",
        reward: "—",
        patch: "—",
        detect: swebench::metrics::is_metrics,
        read: swebench::metrics::read_metrics,
        open: None,
    },
    Format {
        name: "chat messages",
        doc: "Records with messages and columns of any name, read through a map given or guessed.",
        group: "instance_id, task_id, problem_id, id, or as mapped",
        rollout: "trajectory_id, traj_id, run_id, or as mapped; else the line",
        reward: "resolved, target, reward, score, success, or as mapped",
        patch: "model_patch, generated_patch, git_patch, patch, or as mapped",
        detect: mapped::by_file,
        read: mapped::read_as_mapped,
        open: None,
    },
];

/// Everything loaded from the paths given: a state of it, when loading goes on.
#[derive(Debug, Default, Clone)]
pub struct LoadedSet {
    /// The groups: sorted by id when they come from [`load`], else in order of arrival. Later states
    /// of one load only append groups or replace one in its place, and share those that did not
    /// change.
    pub groups: Vec<Arc<RolloutGroup>>,
    /// Grader answers per group (same length and order as `groups`), in file order.
    pub answers: Vec<Arc<[GraderAnswer]>>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Files that hold no rollouts, one entry a folder: listed, but nothing is wrong with them. Empty
    /// when no group was found: then they stand among the problems.
    pub foreign: Vec<Problem>,
    /// What was made of each file, in the order they were listed; empty while loading goes on.
    pub made: Vec<FileReport>,
    /// The maps that were guessed for files of messages with columns of other names.
    pub guessed: Vec<GuessedMap>,
    /// Where the texts of each group are (same length and order as `groups`).
    sources: Vec<Arc<found::GroupSource>>,
    /// The files that places refer to.
    files: Arc<Vec<source::Candidate>>,
    /// How far files of lines were read, by index.
    indexed: Arc<HashMap<usize, indexed::Indexed>>,
    /// The maps of files read through one, by the file's index.
    maps: Arc<BTreeMap<usize, Arc<FieldMap>>>,
}

impl LoadedSet {
    /// Whether texts may be read from this file while the set is in use.
    #[must_use]
    pub fn reads(&self, path: &Path) -> bool {
        let Ok(wanted) = std::fs::canonicalize(path) else {
            return false;
        };
        // An archive is the origin of many files.
        let mut origins: Vec<&Path> = self.files.iter().map(source::Candidate::origin).collect();
        origins.dedup();
        let is_it = |path: &Path| std::fs::canonicalize(path).is_ok_and(|real| real == wanted);
        origins.into_iter().any(is_it)
    }

    /// Names of the formats that tell of one group (0-based index into `groups`), sorted.
    #[must_use]
    pub fn formats(&self, group: usize) -> Vec<&'static str> {
        let mut names: Vec<_> = self
            .sources
            .get(group)
            .map(|source| source.formats())
            .unwrap_or_default();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Opens the texts of one group (0-based index into `groups`). A text that cannot be read is
    /// reported in [`Content::problems`]; the rest of the group is opened.
    ///
    /// # Errors
    /// When there is no group of this index, or a file of the group was written to since it was
    /// loaded in another way than that lines were appended: what stands in it now may be another
    /// group's.
    pub fn open(&self, group: usize) -> Result<Content, Problem> {
        let (Some(source), Some(of)) = (self.sources.get(group), self.groups.get(group)) else {
            let reason = format!("there is no group {group}");
            return Err(Problem::new(Path::new(""), reason));
        };
        let unchanged = || match open::changed(source, &self.files, &self.indexed) {
            None => Ok(()),
            Some(path) => Err(Problem {
                record: Some(of.id.0.clone()),
                ..Problem::new(path, CHANGED)
            }),
        };
        unchanged()?;
        #[cfg(feature = "parquet")]
        let rows = table::texts(source, &self.files);
        #[cfg(not(feature = "parquet"))]
        let rows = open::RowTexts::default();
        let files = open::Files {
            list: &self.files,
            maps: &self.maps,
            rows: &rows,
        };
        let content = open::content(of, source, files);
        // A writer may have come while the texts were read.
        unchanged()?;
        Ok(content)
    }
}

/// Whether there is anything at a path that is given to be loaded. Addresses (`s3://`, `gs://`,
/// `az://`, `https://`) are not looked at before they are read.
///
/// # Errors
/// When the path leads nowhere, or is an address and this build reads none.
pub fn check_path(path: &Path) -> std::io::Result<()> {
    source::check_path(path)
}

/// Loads every rollout group found under `paths`. `progress` is called now and then and answers
/// whether to go on; when it answers false, what was read so far is returned.
#[must_use]
pub fn load(
    paths: &[PathBuf],
    options: &LoadOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> LoadedSet {
    let mut loader = Loader::new(paths, options, false);
    loader.read_only(progress);
    loader.into_set()
}
