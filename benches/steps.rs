//! The steps reader on one observation of 100,000 lines (5.2 MB) and on one line of 5.2 MB, beside a
//! trace of ten lines: what opening, a frame, a scrolled page and a search cost, and peak memory.
//!
//! All cases in one run, each beside the small one: the ratios hold on a noisy machine. The traces are
//! made here; nothing is read from outside.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use gagar::tui::testing::Harness;
use gagar::tui::theme::Theme;

/// Names the case that a child process opens to tell its peak memory.
const CHILD: &str = "GAGAR_BENCH_STEPS_CHILD";
/// Samples per figure; the middle one counts.
const SAMPLES: usize = 41;

/// The cases: name, observation.
fn cases() -> Vec<(&'static str, String)> {
    let lines = |count: usize| {
        let mut text = String::new();
        for line in 0..count {
            // 52 bytes with the newline.
            writeln!(
                text,
                "src/module_{:05}.py:{:06}: value = compute({:08})",
                line % 99_999,
                line,
                line * 37 % 99_999_999
            )
            .expect("a string takes everything");
        }
        text
    };
    let coloured = lines(100_000).replace(": value", ": \u{1b}[32mvalue\u{1b}[0m");
    let one_line = lines(100_000).replace('\n', " ");
    let progress: String = (0..200_000)
        .map(|n| format!("\r{n:>8} of 200000 files"))
        .collect();
    vec![
        ("10 lines", lines(10)),
        ("100,000 lines, 5.2 MB", lines(100_000)),
        ("the same, coloured", coloured),
        ("one line of 5.2 MB", one_line),
        ("one line overwritten 200,000 times", progress),
    ]
}

/// Writes a group of one trajectory with this observation.
fn write_case(folder: &Path, number: usize, observation: &str) -> PathBuf {
    let observation = serde_json::to_string(observation).expect("text is JSON");
    let record = format!(
        r#"{{"schema":"gagar.group/1","group_id":"g","task":{{"text":"t"}},"trajectories":[{{"trajectory_id":"a","outcome":"pass","reward":1.0,"patch":"","steps":[{{"kind":"user","text":"look"}},{{"kind":"tool_call","tool":"bash","text":"make","id":"1"}},{{"kind":"observation","text":{observation},"id":"1"}},{{"kind":"message","text":"done"}}]}},{{"trajectory_id":"b","outcome":"fail","reward":0.0,"patch":""}}]}}"#
    );
    let path = folder.join(format!("{number}.jsonl"));
    std::fs::write(&path, record + "\n").expect("the folder takes a file");
    path
}

/// The screen with the group open, at its first candidate.
fn group(path: &Path) -> Harness {
    let mut harness = Harness::open(&[path], 200, 60).expect("the case can be read");
    harness.press("<enter>");
    harness
}

/// The middle of several runs.
fn middle(mut run: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..SAMPLES).map(|_| run()).collect();
    times.sort();
    times[times.len() / 2]
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// Peak memory of this process so far, in kB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Opens a case, reads it to its end and searches it, as a person would; tells the peak.
fn child(path: &Path) {
    let theme = &Theme::embedded().expect("the themes can be read")[0];
    let mut harness = group(path);
    for keys in ["s", "n", "n", "<pagedown>", "/99,?99<enter>", "G", "gg"] {
        harness.press(keys);
        std::hint::black_box(harness.draw(theme));
    }
    println!("{}", peak());
}

fn child_peak(path: &Path) -> u64 {
    let exe = std::env::current_exe().expect("the bench runs");
    let said = Command::new(exe)
        .env(CHILD, path)
        .output()
        .expect("the bench runs again");
    String::from_utf8_lossy(&said.stdout)
        .trim()
        .parse()
        .unwrap_or(0)
}

fn main() {
    if let Some(path) = std::env::var_os(CHILD) {
        return child(Path::new(&path));
    }
    let theme = &Theme::embedded().expect("the themes can be read")[0];
    let folder = tempfile::tempdir().expect("a folder");
    let mut first: Option<([Duration; 4], u64)> = None;
    println!(
        "median of {SAMPLES}, at 200x60; ×: beside the first case; peak: beside the first case"
    );
    println!(
        "{:<36}{:>16}{:>16}{:>16}{:>16}{:>12}",
        "", "open + frame", "frame", "page + frame", "search", "peak +MB"
    );
    for (number, (name, text)) in cases().into_iter().enumerate() {
        let path = write_case(folder.path(), number, &text);
        let mut harness = group(&path);
        // Leaving the screen and a group's reload drop the transcript: each sample builds it anew.
        let open = middle(|| {
            harness.model.steps.open.clear();
            let time = timed(|| {
                harness.press("s");
                std::hint::black_box(harness.draw(theme));
            });
            harness.press("<esc>");
            time
        });
        harness.press("snn");
        let frame = middle(|| timed(|| drop(std::hint::black_box(harness.draw(theme)))));
        let mut down = true;
        let page = middle(|| {
            down = !down;
            timed(|| {
                harness.press(if down { "<pagedown>" } else { "<pageup>" });
                std::hint::black_box(harness.draw(theme));
            })
        });
        let search = middle(|| {
            harness.model.steps.search.hits = None;
            timed(|| {
                harness.press("/value = compute\\(0+3[0-9]7\\)<enter>");
            })
        });
        let peak = child_peak(&path);
        let all = [open, frame, page, search];
        let (before, least) = *first.get_or_insert((all, peak));
        print!("{name:<36}");
        for (now, before) in all.into_iter().zip(before) {
            let ratio = now.as_secs_f64() / before.as_secs_f64();
            print!("{:>9.2}ms{:>4.0}×", now.as_secs_f64() * 1e3, ratio);
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "a figure of a few digits is shown"
        )]
        let extra = peak.saturating_sub(least) as f64 / 1e3;
        println!("{extra:>12.1}");
    }
}
