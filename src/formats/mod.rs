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
mod assignments;
mod atif;
mod cache;
mod chat;
mod cut_patch;
mod decoded_chat;
mod files;
mod follow;
mod format;
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
mod patch_files;
mod patch_list;
mod prime_rl;
mod problem;
mod prompt_answer;
mod quotes;
mod rankings;
mod responses;
mod rllm;
mod rollout;
mod scan;
mod set;
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

use std::path::{Path, PathBuf};

pub(crate) use assemble::SAME_PATCH;
pub use assignments::{AssignmentError, assignment_line, read_assignment};
pub use follow::Watch;
pub use format::{FORMATS, Format};
pub use loader::{Changes, Loader, News};
pub use mapped::{FieldMap, FieldPath, GuessedMap, MapError, MapKey, NamedMap, UsedMap};
pub use problem::Problem;
pub use set::{FORMATS_KEY, LoadedSet, TextPlaces};

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
    /// Where the map given stands ([`NamedMap::title`]), when it was given by its name.
    pub map_title: Option<String>,
    /// Maps of the configuration files, the first that fits counts, for records that have their columns.
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
            map_title: None,
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
    /// Trajectories of groups whose first record is in it: over all files they add up to the total.
    pub trajectories: usize,
    /// Rollouts that are those of another file again, and left out.
    pub copies: usize,
    /// Rollouts whose id occurs twice, refused and told as problems.
    pub repeated: usize,
    /// Reference patches of tasks.
    pub references: usize,
    /// Records of rollouts that were joined with those of other files, or repeat one of this file.
    pub joined: usize,
    /// Problems met while it was read.
    pub problems: usize,
}

impl FileReport {
    /// Whether it is worth a line: it holds records, or something was wrong with it.
    #[must_use]
    pub fn is_told(&self) -> bool {
        !self.formats.is_empty() || self.problems > 0
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
