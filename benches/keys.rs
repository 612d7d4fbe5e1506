//! Key to frame on the compare screen at 200x60 with four columns: update and draw, without the
//! terminal and without what workers do.
//!
//! Inputs are made here (small, big, a line of a megabyte, sixteen candidates of 2,000 changed
//! lines); the largest recorded patch is taken from `GAGAR_REAL_DATA` when that is set. Prints per
//! input and key the median, the 99th percentile and the worst, and how the medians of big compare
//! with those of small in the same run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gagar::tui::key::parse_keys;
use gagar::tui::message::Message;
use gagar::tui::testing::Harness;
use gagar::tui::theme::Theme;

/// The keys that are measured, with what they do.
const KEYS: [(&str, &str); 14] = [
    ("j", "line down"),
    ("k", "line up"),
    ("<ctrl-d>", "half page down"),
    ("<ctrl-f>", "page down"),
    ("n", "next hunk"),
    ("}", "next file"),
    ("G", "bottom"),
    ("<ctrl-b>", "page up"),
    ("d", "next difference"),
    ("b", "next unique place"),
    ("l", "focus"),
    ("J", "move down"),
    ("<right>", "right"),
    ("w", "wrap"),
];

/// A number from a number: every run makes the same inputs.
fn mix(seed: usize) -> usize {
    let mixed = (seed as u64 ^ 0x9e37_79b9).wrapping_mul(0x2545_f491_4f6c_dd1d);
    (mixed >> 33) as usize
}

/// One hunk that changes `changed` of its lines.
fn hunk(out: &mut String, at: usize, lines: usize, changed: usize, seed: usize) {
    let _ = writeln!(
        out,
        "@@ -{at},{lines} +{at},{lines} @@ def part_{at}(self):"
    );
    for line in 0..lines {
        let base = format!(
            "    total_{} = self.lookup(order_{}, limit={line})",
            at + line,
            mix(at + line) % 97
        );
        if line >= 3 && line < 3 + changed {
            let _ = writeln!(out, "-{base}");
            let _ = writeln!(
                out,
                "+{}",
                base.replace("lookup", &format!("lookup_{}", mix(seed + line) % 5))
            );
        } else {
            let _ = writeln!(out, " {base}");
        }
    }
}

/// A patch of `files` files with `hunks` hunks of `changed` changed lines each.
fn patch(files: usize, hunks: usize, changed: usize, seed: usize) -> String {
    let mut out = String::new();
    for file in 0..files {
        let path = format!("src/part_{}/module_{file}.py", file % 17);
        let _ = writeln!(
            out,
            "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}"
        );
        for place in 0..hunks {
            hunk(
                &mut out,
                1 + place * (changed + 60),
                changed + 6,
                changed,
                seed + file,
            );
        }
    }
    out
}

/// A group of these patches as gagar's own format.
fn write_group(folder: &Path, name: &str, patches: &[String]) -> PathBuf {
    let trajectories: Vec<_> = patches
        .iter()
        .enumerate()
        .map(|(place, patch)| {
            serde_json::json!({
                "trajectory_id": format!("r{place}"),
                "outcome": if place % 3 == 2 { "fail" } else { "pass" },
                "patch": patch,
            })
        })
        .collect();
    let group = serde_json::json!({
        "schema": "gagar.group/1",
        "group_id": name,
        "trajectories": trajectories,
    });
    let path = folder.join(format!("{name}.jsonl"));
    std::fs::write(&path, format!("{group}\n")).expect("the input can be written");
    path
}

/// The median of times.
fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Milliseconds.
fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Opens the first group of the files and measures every key; answers their medians.
fn measure(name: &str, paths: &[PathBuf], way: &str, rounds: usize) -> Vec<Duration> {
    let themes = Theme::embedded().expect("the themes can be read");
    let start = Instant::now();
    let mut harness = Harness::open(paths, 200, 60).expect("the input can be read");
    let loaded = start.elapsed();
    harness.press(way);
    let opened = start.elapsed();
    println!(
        "\n{name}: loaded {:.1} ms, group open and coloured {:.1} ms",
        ms(loaded),
        ms(opened)
    );
    while harness.screen().contains("1 column") {
        harness.press("|");
    }
    harness.press("||||");
    let mut all = Vec::new();
    let mut medians = Vec::new();
    for (keys, said) in KEYS {
        let key = parse_keys(keys).expect("a key")[0];
        let mut times: Vec<_> = (0..rounds)
            .map(|_| harness.timed(Message::Key(key), &themes[0]))
            .collect();
        let middle = median(&mut times);
        println!(
            "  {said:<18} median {:>7.3} ms  worst {:>7.3} ms",
            ms(middle),
            ms(times[times.len() - 1])
        );
        all.extend(times);
        medians.push(middle);
        if keys == "G" {
            harness.press("gg");
        }
    }
    all.sort();
    let p99 = all[(all.len() - 1) * 99 / 100];
    println!(
        "  all keys           p99    {:>7.3} ms  worst {:>7.3} ms ({} keys)",
        ms(p99),
        ms(all[all.len() - 1]),
        all.len()
    );
    medians
}

/// The way to the group with the largest patch of a folder, as keys.
fn largest(folder: &Path) -> Option<String> {
    let harness = Harness::open(&[folder], 200, 60).ok()?;
    let session = harness.model.session.as_ref()?;
    let groups = (0..session.rows().len()).filter_map(|index| Some((index, session.group(index)?)));
    let (_, group) = groups.max_by_key(|(_, group)| {
        let patches = group.trajectories.iter().map(|t| t.patch.bytes);
        patches.max().unwrap_or(0)
    })?;
    Some(format!("/{}<enter><enter>", group.id))
}

fn main() {
    // `cargo test --benches` and `cargo bench -- --list` pass arguments that ask for no work.
    if std::env::args().any(|argument| argument == "--list" || argument == "--test") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let rounds = 40;
    let several = |files, hunks, changed| -> Vec<String> {
        (0..4)
            .map(|seed| patch(files, hunks, changed, seed * 31))
            .collect()
    };
    let small = write_group(folder.path(), "small", &several(12, 6, 4));
    let big = write_group(folder.path(), "big", &several(400, 26, 8));
    let sixteen: Vec<_> = (0..16).map(|seed| patch(20, 10, 5, seed * 7)).collect();
    let sixteen = write_group(folder.path(), "sixteen", &sixteen);
    let line = |edit: &str| "var a=b(c,d);".repeat(80_000) + edit;
    let long = format!(
        "--- a/x.min.js\n+++ b/x.min.js\n@@ -1 +1 @@\n-{}\n+{}\n",
        line("old();"),
        line("new();")
    );
    let long = write_group(
        folder.path(),
        "long-line",
        &[long.clone(), long.replace("new()", "newer()")],
    );
    let small = measure("small, 4 candidates", &[small], "<enter>", rounds);
    let large = measure(
        "big, 4 candidates of 200,000 lines",
        &[big],
        "<enter>",
        rounds,
    );
    measure(
        "16 candidates of 2,000 changed lines",
        &[sixteen],
        "<enter>",
        rounds,
    );
    measure("a line of a megabyte", &[long], "<enter>", rounds);
    match std::env::var_os("GAGAR_REAL_DATA").map(|root| PathBuf::from(root).join("groups")) {
        Some(root) if root.is_dir() => {
            if let Some(way) = largest(&root) {
                measure("the largest recorded patch", &[root], &way, rounds);
            }
        }
        _ => println!("\nskipped: the largest recorded patch (set GAGAR_REAL_DATA)"),
    }
    println!("\nbig / small:");
    for ((_, said), (big, small)) in KEYS.iter().zip(large.iter().zip(&small)) {
        println!(
            "  {said:<18} {:.2}",
            big.as_secs_f64() / small.as_secs_f64()
        );
    }
}
