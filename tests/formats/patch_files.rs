//! Plain patch files named on the command line.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gagar::diff::{LineKind, Patch, emphasis};
use gagar::domain::Outcome;

use super::{load_all, problems};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn files_named_one_by_one_are_candidates_of_one_group() {
    let folder = here("sample-data/formats/patch-files");
    let loaded = load_all(&[folder.join("clamp.patch"), folder.join("raise.diff")]);
    assert_eq!(problems(&loaded), []);
    let [group] = loaded.groups.as_slice() else {
        panic!("{:?}", loaded.groups)
    };
    let shown: Vec<_> = group
        .trajectories
        .iter()
        .map(|t| (t.id.as_str(), t.outcome, t.patch.added, t.patch.removed))
        .collect();
    assert_eq!(
        shown,
        [
            ("clamp", Outcome::Unscored, 1, 1),
            ("raise", Outcome::Unscored, 2, 0)
        ]
    );
    let content = loaded.open(0).expect("open");
    assert_eq!(content.problems, Vec::<String>::new());
    for (t, content) in group.trajectories.iter().zip(&content.trajectories) {
        assert_eq!(
            content.patch.as_ref().map(|p| p.len() as u64),
            Some(t.patch.bytes)
        );
    }
    // In a folder they may belong to anything.
    assert!(load_all(&[folder]).groups.is_empty());
}

#[test]
fn bytes_that_are_not_utf8_stay_apart() {
    let loaded = load_all(&[here("tests/diff-cases/20-invalid-utf8/change.patch")]);
    let rollout = &loaded.groups[0].trajectories[0];
    assert!(
        rollout.marks.iter().any(|mark| mark.contains("not UTF-8")),
        "{:?}",
        rollout.marks
    );
    let content = loaded.open(0).expect("open");
    let text = content.trajectories[0].patch.clone().expect("a patch");
    assert_eq!(text.len() as u64, rollout.patch.bytes);
    let patch = Patch::read(Arc::from(text));
    let pairs = patch.pairs(0, 0);
    let lines = &patch.files[0].hunks[0].lines;
    assert_eq!(lines[0].kind, LineKind::Removed);
    let new = pairs[0].expect("a partner");
    let (old, new) = (patch.line_text(&lines[0]), patch.line_text(&lines[new]));
    assert!(old.starts_with("café price"), "{old}");
    let (gone, come) = emphasis(old, new);
    assert_eq!((gone.len(), come.len()), (1, 1));
    assert_eq!(
        (&old[gone[0].clone()], &new[come[0].clone()]),
        ("price", "cost")
    );
}
