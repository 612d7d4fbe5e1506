//! Plain patch files named by the caller: `gagar a.patch b.diff` is one group with a candidate per
//! file.
//!
//! What is *not* here: diffs beside other data (a folder's `.patch` files belong to what lies with
//! them), and reading a patch (`crate::diff`).

use std::path::Path;

use crate::diff::{decode, summarize};
use crate::domain::{Extra, Outcome, PatchPresence, Trajectory};

use super::assemble::mark_patch;
use super::files::Record;
use super::format::FORMATS;
use super::found::{Again, At, Found, FoundGroup, FoundTrajectory, RecordAt, TrajectorySource};
use super::problem::Problem;

/// The name of the format's row.
pub(crate) const NAME: &str = "patch file";
/// The id of the one group that they make.
const GROUP: &str = "patches";

/// Whether a file that the caller named is a patch: by its name, unless it holds JSON.
pub(crate) fn is_one(path: &Path, bytes: &[u8]) -> bool {
    is_named(path) && !matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Whether a name is that of a patch.
pub(crate) fn is_named(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|ext| {
        ["patch", "diff"]
            .iter()
            .any(|end| ext.eq_ignore_ascii_case(end))
    })
}

/// No record is one: a patch is a whole file.
pub(crate) fn is_record(_: &Record<'_>) -> bool {
    false
}

/// Reads nothing: see [`read_file`].
pub(crate) fn read_record(_: &Record<'_>, _: &mut Found) {}

/// Takes a whole file as one unscored candidate called by its name without the ending. `path` is
/// that of the bytes, without the ending of a compression.
pub(crate) fn read_file(path: &Path, bytes: &[u8], file: usize, found: &mut Found) {
    let name = path.file_stem().unwrap_or(path.as_os_str());
    let mut trajectory = Trajectory::new(name.to_string_lossy(), Outcome::Unscored);
    let decoded = decode(bytes);
    trajectory.patch = summarize(Some(&decoded.text));
    mark_patch(&mut trajectory);
    if trajectory.patch.presence == PatchPresence::NotADiff {
        let said = "the text is no diff; it is shown as it is";
        found.problems.push(Problem::new(&found.path, said));
    }
    trajectory.marks.extend(decoded.note());
    let at = At { file, line: None };
    found.recognised += 1;
    if let Some(id) = FORMATS.iter().position(|format| format.name == NAME) {
        *found.records.entry(id).or_default() += 1;
        found.format = id;
    }
    found.groups.push(FoundGroup {
        id: GROUP.to_owned(),
        scope: None,
        step: None,
        task: None,
        trajectories: vec![FoundTrajectory {
            trajectory,
            source: TrajectorySource {
                record: Some(RecordAt::WholeFile(file)),
                ..TrajectorySource::default()
            },
            order: None,
            again: Again::Number,
            at,
        }],
        meta: Extra::default(),
        at,
    });
}
