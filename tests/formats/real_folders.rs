//! Every folder of the real data: its numbers as a snapshot, and that no file of it goes unaccounted.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use gagar::domain::Outcome;

use super::{load_all, real_data};

/// The folders that hold one format or one set of groups each.
fn folders(data: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for part in ["constructed", "formats", "groups"] {
        let entries = fs::read_dir(data.join(part)).expect("the real data has this part");
        let entries = entries.map(|entry| entry.expect("entry").path());
        found.extend(entries.filter(|path| path.is_dir()));
    }
    found.sort();
    found
}

#[test]
fn the_numbers_of_every_folder() {
    let Some(data) = real_data() else { return };
    let mut table = String::new();
    for folder in folders(&data) {
        let set = load_all(std::slice::from_ref(&folder));
        let count = |outcome| {
            let all = set.groups.iter().flat_map(|group| &group.trajectories);
            all.filter(|t| t.outcome == outcome).count()
        };
        let with_steps = set.groups.iter().flat_map(|group| &group.trajectories);
        let with_steps = with_steps.filter(|t| t.steps.is_some()).count();
        let name = folder.strip_prefix(&data).expect("inside");
        writeln!(
            table,
            "{}: {} groups, {} pass, {} fail, {} unscored, {with_steps} with steps, {} problems, {} notes",
            name.display(),
            set.groups.len(),
            count(Outcome::Pass),
            count(Outcome::Fail),
            count(Outcome::Unscored),
            set.problems.len(),
            set.notes.len(),
        )
        .expect("text");
        for problem in set.problems.iter().take(3) {
            let text = problem.to_string();
            let text = text.replace(&format!("{}/", data.display()), "");
            writeln!(table, "  {text}").expect("text");
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn every_file_is_read_or_told() {
    let Some(data) = real_data() else { return };
    for folder in folders(&data) {
        let set = load_all(std::slice::from_ref(&folder));
        let told: BTreeSet<&Path> = set
            .problems
            .iter()
            .chain(&set.notes)
            .map(|problem| problem.path.as_path())
            .collect();
        for report in &set.made {
            let is_told = report
                .path
                .ancestors()
                .any(|path| path.starts_with(&folder) && told.contains(path));
            // Texts, logs and patches beside the data are opened with the rollout they belong to.
            let is_text = report.path.extension().is_none_or(|extension| {
                ["txt", "log", "diff", "md", "patch", "yaml"]
                    .iter()
                    .any(|text| extension == *text)
            });
            assert!(
                !report.formats.is_empty() || is_told || is_text,
                "{} is neither read nor told",
                report.path.display()
            );
        }
        // Opening finds nothing that the index did not.
        for (index, group) in set.groups.iter().enumerate() {
            let opened = set.open(index);
            assert!(opened.is_ok(), "{}: {:?}", group.id, opened.err());
        }
    }
}
