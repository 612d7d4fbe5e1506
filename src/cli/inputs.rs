//! From PATHs and `--db` to a review session; what could not be read is told on the way.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::annotator::user_name;
use super::args::{Common, Input};
use super::config;
use super::error::CliError;
use super::output::Io;
use super::progress::ProgressLine;
use crate::domain::counted;
use crate::formats::{LoadOptions, LoadedSet, Problem, load};
use crate::review::{BlindPlan, Identity, RankingSource, ReviewSession};
use crate::store::{Event, EventBody, EventStore, SqliteStore};

/// Problems named on stderr before the rest is only counted.
const PROBLEMS_SHOWN: usize = 10;

/// How the paths are loaded.
///
/// # Errors
/// When a configuration file or `--map` means nothing.
pub fn load_options(paths: &[PathBuf], common: &Common) -> Result<LoadOptions, CliError> {
    let maps = config::named_maps(paths)?;
    let map = common.map.as_deref();
    let map = map.map(|text| config::map_of(text, &maps)).transpose()?;
    let (map, map_title) = map.unzip();
    Ok(LoadOptions {
        pass_at: common.pass_at,
        rankings: common.rankings.clone(),
        unscored_as_fail: common.unscored_as_fail,
        map,
        map_title: map_title.flatten(),
        maps,
        cache: cache_folder().filter(|_| !common.no_cache),
    })
}

/// The folder in which the index of long files is kept: `$GAGAR_CACHE_DIR`, else `gagar/index` in
/// `$XDG_CACHE_HOME` or `~/.cache`.
fn cache_folder() -> Option<PathBuf> {
    let set = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    set("GAGAR_CACHE_DIR").or_else(|| {
        let caches = set("XDG_CACHE_HOME")
            .filter(|folder| folder.is_absolute())
            .or_else(|| Some(std::env::home_dir()?.join(".cache")))?;
        Some(caches.join("gagar").join("index"))
    })
}

/// Refuses paths that lead nowhere: a mistyped path is not an empty data set.
///
/// # Errors
/// The first such path.
pub fn check_paths<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), CliError> {
    for path in paths {
        if let Err(error) = crate::formats::check_path(path) {
            return Err(CliError::failed(format!("{}: {error}", path.display())));
        }
    }
    Ok(())
}

/// Loads the paths.
///
/// # Errors
/// When a path does not exist: a mistyped path is not an empty data set.
pub fn load_set(paths: &[PathBuf], common: &Common) -> Result<LoadedSet, CliError> {
    check_paths(paths.iter().chain(&common.rankings))?;
    let options = load_options(paths, common)?;
    let mut line = ProgressLine::on_stderr();
    Ok(load(paths, &options, &mut |progress| {
        line.tell(progress);
        true
    }))
}

/// Tells the problems of a load on stderr, the first ones in full, and returns whether there were
/// any.
///
/// # Errors
/// When stderr cannot be written.
pub fn tell_problems(set: &LoadedSet, io: &mut Io<'_>) -> Result<bool, CliError> {
    tell_all(set.problems.iter(), io)?;
    Ok(!set.problems.is_empty())
}

/// Tells problems on stderr, the first ones in full.
///
/// # Errors
/// When stderr cannot be written.
pub fn tell_all<'a>(
    problems: impl Iterator<Item = &'a Problem>,
    io: &mut Io<'_>,
) -> Result<(), CliError> {
    let mut rest = 0;
    for (index, problem) in problems.enumerate() {
        if index < PROBLEMS_SHOWN {
            io.note(&format!("problem: {}", describe(problem)))?;
        } else {
            rest += 1;
        }
    }
    if rest > 0 {
        let rest = counted(rest, "more problem", "more problems");
        io.note(&format!("and {rest}; `gagar check` lists them"))?;
    }
    Ok(())
}

/// A problem in one line: `path:line: record: reason`.
#[must_use]
pub fn describe(problem: &Problem) -> String {
    problem.to_string()
}

/// A session over the paths, with the store that its events go to.
pub struct Opened {
    /// The session.
    pub session: ReviewSession,
    /// The store.
    pub store: SqliteStore,
    /// Whether something could not be read (told already).
    pub problems: bool,
}

impl Opened {
    /// Lets only rankings count from now on that were submitted blind and before a reveal, when
    /// that is wanted.
    pub fn count_blind_only(&mut self, wanted: bool) {
        if wanted {
            let mut settings = self.session.settings().clone();
            settings.blind_only = true;
            self.session.set_settings(settings);
        }
    }
}

/// Whose judgements a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The one named, else the user.
    User,
    /// The one named, else the user when the log knows the user, else the only annotator in the log.
    Known,
    /// The same, and the user where the log knows several others: for figures over everybody.
    Likely,
}

/// Loads the paths and the log, and tells what could not be read.
///
/// # Errors
/// Those of [`open_untold`], and when stderr cannot be written.
pub fn open(
    input: &Input,
    source: RankingSource,
    whose: Whose,
    io: &mut Io<'_>,
) -> Result<Opened, CliError> {
    let (session, store) = open_untold(input, source, whose)?;
    let problems = tell_problems(session.set(), io)?;
    Ok(Opened {
        session,
        store,
        problems,
    })
}

/// Loads the paths and the log; what could not be read is left to the caller to tell.
///
/// # Errors
/// A path that does not exist, a log that cannot be read, or several annotators to choose from.
pub fn open_untold(
    input: &Input,
    source: RankingSource,
    whose: Whose,
) -> Result<(ReviewSession, SqliteStore), CliError> {
    let store = SqliteStore::at(input.common.db());
    let events = store.events_since(0)?;
    let set = load_set(&input.paths, &input.common)?;
    let annotator = match (&input.common.annotator, whose) {
        (Some(name), _) => name.clone(),
        (None, Whose::User) => user_name(),
        (None, Whose::Known) => known_annotator(&events, &set)?,
        (None, Whose::Likely) => known_annotator(&events, &set).unwrap_or_else(|_| user_name()),
    };
    let seed = rand::random();
    let paths: Vec<_> = input
        .paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let identity = Identity {
        annotator,
        session_id: format!("{:032x}", rand::random::<u128>()),
        source: paths.join(" "),
        // Commands show nothing to judge by.
        blind: BlindPlan::default(),
    };
    let session = ReviewSession::new(
        Arc::new(set),
        &events,
        identity,
        input.common.settings(source),
        seed,
        Box::new(|| jiff::Timestamp::now().as_millisecond()),
    );
    Ok((session, store))
}

/// Refuses a database that does not exist, for commands that only read it.
///
/// # Errors
/// When there is no such file.
pub fn require_db(db: &Path) -> Result<(), CliError> {
    if db.exists() {
        return Ok(());
    }
    // Judgements may lie beside the name of a file that is gone.
    SqliteStore::reading(db).verify()?;
    Err(
        CliError::failed(format!("{}: no such database", db.display())).hint(
            "it is made by the first judgement, in the terminal interface or by `gagar rank`",
        ),
    )
}

/// Refuses `-` as the name of a database that is written.
///
/// # Errors
/// When it is `-`.
pub fn refuse_stdout(output: &Path) -> Result<(), CliError> {
    match output == Path::new("-") {
        true => Err(
            CliError::usage("-o -: a database is a file, it cannot go to stdout")
                .hint("-o ./- makes a file of that name; `gagar export events -o -` prints events"),
        ),
        false => Ok(()),
    }
}

/// The one who judged what was loaded: what else the log holds does not matter.
fn known_annotator(events: &[Event], set: &LoadedSet) -> Result<String, CliError> {
    let user = user_name();
    let loaded: BTreeSet<&str> = set.groups.iter().map(|group| group.id.as_str()).collect();
    let is_loaded = |group: &str| loaded.contains(group);
    let names: BTreeSet<&str> = events
        .iter()
        .filter(|event| matches!(event.body, EventBody::RankSubmit { .. }))
        .filter(|event| event.group_id.as_deref().is_some_and(is_loaded))
        .map(|event| event.annotator.as_str())
        .collect();
    if names.is_empty() || names.contains(user.as_str()) {
        return Ok(user);
    }
    match names.iter().copied().collect::<Vec<_>>().as_slice() {
        [only] => Ok((*only).to_owned()),
        several => Err(
            CliError::usage("several annotators have submitted rankings")
                .hint(format!("name one: --annotator {}", several.join("|"))),
        ),
    }
}
