//! What the diff model costs: reading, the index's counts, pairs and words of a window, moves.
//!
//! `python3 tests/diff-cases/perf-workload/gen.py FOLDER`, then
//! `GAGAR_BENCH_DIFFS=FOLDER cargo bench --bench diff --no-default-features`. Prints medians; the
//! ratios compare numbers of one run.

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gagar::diff::{Patch, emphasis, moves, summarize};

const RUNS: usize = 15;

fn median<T>(mut work: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            let made = black_box(work());
            let took = start.elapsed();
            drop(made);
            took
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}

fn tell(what: &str, took: Duration) {
    println!("{what:<44} {:>10.3} ms", took.as_secs_f64() * 1e3);
}

/// Pairs of the hunks from the middle on and the words of their first 60 pairs: what a window asks.
fn window(patch: &Patch) -> usize {
    let mut left = 60;
    let mut marks = 0;
    let middle = patch.files.len() / 2;
    for (index, file) in patch.files.iter().enumerate().skip(middle) {
        for hunk in 0..file.hunks.len() {
            let lines = &file.hunks[hunk].lines;
            for (at, other) in patch.pairs(index, hunk).into_iter().enumerate() {
                let Some(other) = other.filter(|&other| other > at) else {
                    continue;
                };
                let (old, new) = (&lines[at], &lines[other]);
                marks += emphasis(patch.line_text(old), patch.line_text(new)).0.len();
                left -= 1;
                if left == 0 {
                    return marks;
                }
            }
        }
    }
    marks
}

/// A block in which all of `lines` lines changed; with `alike` every line has a twin, else none has.
fn block(lines: usize, alike: bool) -> Patch {
    use std::fmt::Write as _;
    let mut text = format!("--- a/x\n+++ b/x\n@@ -1,{lines} +1,{lines} @@\n");
    for line in 0..lines {
        let _ = writeln!(
            text,
            "-    let value_{line} = compute(first, second, {line});"
        );
    }
    for line in 0..lines {
        let _ = match alike {
            true => writeln!(
                text,
                "+    let value_{line} = compute(first, third, {line});"
            ),
            false => writeln!(text, "+    other.{line}: [{line}] {{ \"a\" }} -> {line}"),
        };
    }
    Patch::read(Arc::from(text))
}

fn main() {
    let Some(folder) = std::env::var_os("GAGAR_BENCH_DIFFS").map(PathBuf::from) else {
        println!("skipped: set GAGAR_BENCH_DIFFS to the folder that gen.py wrote");
        return;
    };
    let mut windows = Vec::new();
    for name in ["small", "mid", "big", "minjs"] {
        let path = folder.join(format!("{name}.patch"));
        let text = std::fs::read_to_string(&path).expect("a patch of gen.py");
        let text: Arc<str> = Arc::from(text);
        println!(
            "{name}: {} bytes, {} lines",
            text.len(),
            text.lines().count()
        );
        tell("  read", median(|| Patch::read(Arc::clone(&text))));
        tell("  summarize (index)", median(|| summarize(Some(&text))));
        let strict = || {
            let options = diffy::patch_set::ParseOptions::gitdiff();
            diffy::patch_set::PatchSet::parse(&text, options)
                .map(|file| file.map(|_| ()))
                .collect::<Result<Vec<_>, _>>()
        };
        println!("  diffy reads it: {}", strict().is_ok());
        tell("  the same by diffy", median(strict));
        let patch = Patch::read(Arc::clone(&text));
        let took = median(|| window(&patch));
        windows.push(took);
        tell("  pairs and words of a window of 60", took);
        tell("  moves", median(|| moves(&patch)));
    }
    let ratio = windows[2].as_secs_f64() / windows[0].as_secs_f64();
    println!("window of big against small: {ratio:.2}");
    for alike in [true, false] {
        let patch = block(2_000, alike);
        let took = median(|| patch.pairs(0, 0));
        tell(
            &format!("pairs of 2,000 x 2,000 lines, alike {alike}"),
            took,
        );
    }
    let half = "x=f(1,2);".repeat(60_000);
    let (old, new) = (format!("{half}one;{half}"), format!("{half}two;{half}"));
    tell("words of a pair of 1 MB", median(|| emphasis(&old, &new)));
}
