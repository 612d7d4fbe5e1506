//! Real patches, where they are at hand, against the counts of git.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gagar::diff::summarize;
use serde_json::Value;

use super::read;

/// Real predictions: `GAGAR_REAL_DATA`, or a folder beside the checkout.
pub fn real_patches() -> Vec<String> {
    let root = std::env::var_os("GAGAR_REAL_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real-data/groups"),
        PathBuf::from,
    );
    let mut folders = vec![root];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("all_preds.jsonl") {
                let text = fs::read_to_string(path).unwrap_or_default();
                let records = text
                    .lines()
                    .filter_map(|line| serde_json::from_str::<Value>(line).ok());
                found.extend(records.filter_map(|r| r["model_patch"].as_str().map(str::to_owned)));
            }
        }
    }
    found
}

/// Files, added and removed lines as git counts them; `None` when git refuses the patch.
fn git_counts(text: &str) -> Option<(usize, u32, u32)> {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new("git")
        .args(["apply", "--numstat", "-"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let written = input.write_all(text.as_bytes());
    drop(input);
    let output = child.wait_with_output().ok()?;
    if written.is_err() || !output.status.success() {
        return None;
    }
    let mut total = (0, 0, 0);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut fields = line.split('\t');
        let mut number = || {
            fields
                .next()
                .and_then(|field| field.parse().ok())
                .unwrap_or(0)
        };
        total = (total.0 + 1, total.1 + number(), total.2 + number());
    }
    Some(total)
}

#[test]
fn real_patches_count_as_git_counts() {
    let patches = real_patches();
    if patches.is_empty() {
        println!("skipped: no real patches (set GAGAR_REAL_DATA)");
        return;
    }
    let step = (patches.len() / 1_000).max(1);
    let sample: Vec<_> = patches.iter().step_by(step).collect();
    for text in &sample {
        if text.len() < 200_000 {
            read(text);
        }
    }
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: git is not there");
        return;
    }
    let (mut compared, mut refused) = (0, 0);
    for text in patches
        .iter()
        .filter(|t| !t.trim().is_empty())
        .step_by((patches.len() / 200).max(1))
    {
        let Some(want) = git_counts(text) else {
            refused += 1;
            continue;
        };
        let summary = summarize(Some(text));
        let got = (summary.files as usize, summary.added, summary.removed);
        assert_eq!(
            got,
            want,
            "{}",
            text.chars().take(2_000).collect::<String>()
        );
        compared += 1;
    }
    println!(
        "{} read, {compared} compared with git, {refused} refused by git",
        sample.len()
    );
}
