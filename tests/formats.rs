//! Loading: the real group sets row by row, gagar's own files, and inputs that are broken.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gagar::domain::Outcome;
use gagar::formats::{LoadOptions, LoadedSet, load};

fn load_all(paths: &[PathBuf]) -> LoadedSet {
    load(paths, &LoadOptions::default(), &mut |_| true)
}

fn real_data() -> Option<PathBuf> {
    let folder = std::env::var_os("GAGAR_REAL_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real-data"),
        PathBuf::from,
    );
    if folder.join("groups/GROUPS.tsv").is_file() {
        return Some(folder);
    }
    println!("skipped: no real data (set GAGAR_REAL_DATA)");
    None
}

/// Checks every row of one set against what is loaded.
fn check_set(set: &str, folder: &str) {
    let Some(data) = real_data() else { return };
    let loaded = load_all(&[data.join("groups").join(folder)]);
    for problem in &loaded.problems {
        println!("{problem}");
    }
    let table = fs::read_to_string(data.join("groups/GROUPS.tsv")).expect("table");
    let mut rows = 0;
    for line in table.lines().skip(1) {
        let row: Vec<&str> = line.split('\t').collect();
        if row[0] != set {
            continue;
        }
        rows += 1;
        let group = loaded
            .groups
            .iter()
            .find(|group| group.id.as_str() == row[1]);
        let group = group.unwrap_or_else(|| panic!("{} is missing", row[1]));
        let count = |outcome| {
            group
                .trajectories
                .iter()
                .filter(|t| t.outcome == outcome)
                .count()
        };
        let (pass, fail) = (count(Outcome::Pass), count(Outcome::Fail));
        assert_eq!(
            group.trajectories.len().to_string(),
            row[2],
            "rollouts of {}",
            row[1]
        );
        assert_eq!(pass.to_string(), row[3], "passing of {}", row[1]);
        assert_eq!(fail.to_string(), row[4], "failing of {}", row[1]);
        let kind = match (pass, fail) {
            (0, _) => "all-fail",
            (_, 0) => "all-pass",
            _ => "mixed",
        };
        assert_eq!(kind, row[5], "kind of {}", row[1]);
        let traced = group
            .trajectories
            .iter()
            .filter(|t| t.steps.is_some())
            .count();
        assert_eq!(traced.to_string(), row[6], "traces of {}", row[1]);
        let outcomes: BTreeMap<&str, &str> = row[8]
            .split(',')
            .filter_map(|part| part.split_once('='))
            .collect();
        for trajectory in &group.trajectories {
            let expected = outcomes.get(trajectory.id.as_str()).copied();
            let word = if trajectory.outcome.is_pass() {
                "P"
            } else {
                "F"
            };
            assert_eq!(Some(word), expected, "{}/{}", row[1], trajectory.id);
        }
    }
    assert_eq!(loaded.groups.len(), rows, "groups of {set}");
    for (index, group) in loaded.groups.iter().enumerate() {
        let content = loaded.open(index).expect("open");
        assert_eq!(content.problems, Vec::<String>::new(), "{}", group.id);
        let start = format!("{set}\t{}\t", group.id);
        let row = table.lines().find(|line| line.starts_with(&start));
        let row: Vec<&str> = row.expect("row").split('\t').collect();
        let largest = content
            .trajectories
            .iter()
            .filter_map(|t| t.patch.as_ref().map(|patch| patch.chars().count()))
            .max()
            .unwrap_or(0);
        // Redaction changed one patch by three characters after the table was made.
        let told: usize = row[7].parse().expect("number");
        assert!(
            largest.abs_diff(told) <= 3,
            "largest patch of {}: {largest}",
            row[1]
        );
        for (trajectory, content) in group.trajectories.iter().zip(&content.trajectories) {
            let steps = trajectory.steps.unwrap_or(0) as usize;
            assert_eq!(
                content.steps.len(),
                steps,
                "steps of {}/{}",
                group.id,
                trajectory.id
            );
        }
    }
}

#[test]
fn swebench_lite_equals_its_table() {
    check_set("lite", "swebench-lite");
}

#[test]
fn swebench_verified_equals_its_table() {
    check_set("verified", "swebench-verified");
}
