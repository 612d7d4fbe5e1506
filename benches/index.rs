//! How fast a long file of rollouts is indexed, and with how much memory, against what scanning its
//! lines and fields can reach at all.
//!
//! Writes `GAGAR_BENCH_MB` (256) megabytes of `gagar.trajectory/1` and of NeMo Gym lines, each 20 to
//! 500 kB, and lets every contender read them in a process of its own, so that each has its own peak
//! memory. `GAGAR_BENCH_DIR` keeps the files there for the next time; `GAGAR_BENCH_THREADS` (2)
//! bounds the workers. What is *not* here: the screens (`frame`).
//!
//! On a machine that others use too, the time on the cores tells more than the time that passed: the
//! column `2 cores` is what two cores reach that do nothing else and never wait.
//!
//! The contenders scan lines that already lie in memory; gagar reads its file (from the system's
//! cache) and keeps nothing of it, so its figure includes the reading.

#![allow(
    unsafe_code,
    reason = "the unchecked scan of sonic-rs is one of the contenders"
)]

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use gagar::formats::{LoadOptions, load};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Name of the environment variable by which a child knows its contender.
const CONTENDER: &str = "GAGAR_BENCH_CONTENDER";
/// Times each contender runs within its process; the best and the median count.
const RUNS: usize = 5;
/// Rollouts of a group.
const GROUP: usize = 8;

const CONTENDERS: &[&str] = &[
    "lines: memchr",
    "lines + sonic-rs, unchecked",
    "lines + sonic-rs, checked",
    "lines + serde_json, raw values",
    "lines + simd-json, tape",
    "gagar, cold index",
    "gagar, index kept",
];

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(contender) = std::env::var_os(CONTENDER) {
        let path = std::env::args().nth(1).ok_or("no file")?;
        return run(&contender.to_string_lossy(), Path::new(&path));
    }
    let megabytes: u64 = number("GAGAR_BENCH_MB", 256)?;
    let folder = tempfile::tempdir()?;
    let kept = std::env::var_os("GAGAR_BENCH_DIR").map(PathBuf::from);
    let folder = kept.as_deref().unwrap_or(folder.path());
    fs::create_dir_all(folder)?;
    for (name, line) in [
        ("native", native as fn(&mut Text, usize, &mut String)),
        ("nemo", nemo),
    ] {
        let path = folder.join(format!("{name}-{megabytes}.jsonl"));
        if !path.exists() {
            generate(&path, megabytes << 20, line)?;
        }
        let bytes = fs::metadata(&path)?.len();
        println!("\n{name}: {:.1} MB", bytes as f64 / 1e6);
        println!(
            "{:<32} {:>9} {:>9} {:>9} {:>9}",
            "", "best GB/s", "median", "2 cores", "peak MB"
        );
        for contender in CONTENDERS {
            let output = Command::new(std::env::current_exe()?)
                .arg(&path)
                .env(CONTENDER, contender)
                .output()?;
            print!("{}", String::from_utf8_lossy(&output.stdout));
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    Ok(())
}

fn number(name: &str, default: u64) -> Result<u64, Box<dyn Error>> {
    match std::env::var(name) {
        Ok(text) => Ok(text.parse()?),
        Err(_) => Ok(default),
    }
}

/// Runs one contender on one file and prints its row.
fn run(contender: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    let threads = usize::try_from(number("GAGAR_BENCH_THREADS", 2)?)?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()?;
    let mut notes = String::new();
    let mut times = Times::default();
    let is_nemo = path.to_string_lossy().contains("nemo-");
    let bytes = fs::metadata(path)?.len();
    if contender.starts_with("gagar") {
        let folder = tempfile::tempdir()?;
        let mut options = LoadOptions::default();
        if contender == "gagar, index kept" {
            options.cache = Some(folder.path().to_path_buf());
            black_box(load(&[path.to_path_buf()], &options, &mut |_| true));
        }
        for run in 0..RUNS {
            let set = times.of(|| load(&[path.to_path_buf()], &options, &mut |_| true));
            if run == 0 {
                let rollouts: usize = set
                    .groups
                    .iter()
                    .map(|group| group.trajectories.len())
                    .sum();
                write!(notes, "{} groups, {rollouts} rollouts", set.groups.len())?;
                write!(notes, ", {} problems", set.problems.len())?;
                if let Some(problem) = set.problems.first() {
                    write!(notes, " ({problem})")?;
                }
                let mut slowest = 0.0_f64;
                for group in 0..set.groups.len().min(20) {
                    let start = Instant::now();
                    let content = set.open(group).map_err(|problem| problem.to_string())?;
                    slowest = slowest.max(start.elapsed().as_secs_f64());
                    black_box(content);
                }
                write!(
                    notes,
                    ", slowest of 20 groups opened in {:.1} ms",
                    slowest * 1e3
                )?;
            }
        }
    } else {
        let text = fs::read(path)?;
        for run in 0..RUNS {
            let found = times.of(|| scan(contender, &text, is_nemo, threads))?;
            if run == 0 {
                write!(notes, "{found} found")?;
            }
        }
    }
    times.passed.sort_by(f64::total_cmp);
    times.on_cores.sort_by(f64::total_cmp);
    write!(notes, ", {:.0} ms", times.passed[0] * 1e3)?;
    let rate = |seconds: f64| bytes as f64 / seconds / 1e9;
    println!(
        "{contender:<32} {:>9.2} {:>9.2} {:>9} {:>9}  {notes}",
        rate(times.passed[0]),
        rate(times.passed[RUNS / 2]),
        times.on_cores.first().map_or_else(
            || "-".to_owned(),
            |time| format!("{:.2}", 2.0 * rate(*time))
        ),
        peak_megabytes().map_or_else(|| "-".to_owned(), |peak| format!("{peak:.0}")),
    );
    Ok(())
}

/// What runs took, in seconds.
#[derive(Default)]
struct Times {
    passed: Vec<f64>,
    on_cores: Vec<f64>,
}

impl Times {
    fn of<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let (start, before) = (Instant::now(), seconds_on_cores());
        let result = run();
        self.passed.push(start.elapsed().as_secs_f64());
        let after = seconds_on_cores();
        self.on_cores
            .extend(after.zip(before).map(|(after, before)| after - before));
        result
    }
}

/// Time that this process's threads spent on cores, in seconds.
fn seconds_on_cores() -> Option<f64> {
    let mut nanoseconds = 0.0;
    for task in fs::read_dir("/proc/self/task").ok()? {
        let stat = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        let time: f64 = stat.split_whitespace().next()?.parse().ok()?;
        nanoseconds += time;
    }
    Some(nanoseconds / 1e9)
}

/// Peak resident memory of this process, in MB of 1e6 bytes.
fn peak_megabytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}

/// Whether a contender finds all fields in a line.
type PerLine = Box<dyn Fn(&[u8]) -> bool + Sync>;

/// Scans all lines on all workers; returns how many lines (or lines with all fields) were found.
fn scan(contender: &str, text: &[u8], nemo: bool, threads: usize) -> Result<usize, String> {
    // Equal parts, each to the next line's end.
    let mut parts = Vec::new();
    let mut start = 0;
    for part in 1..=threads * 8 {
        let until = text.len() * part / (threads * 8);
        let end = memchr::memchr(b'\n', &text[until.max(start)..])
            .map_or(text.len(), |at| until.max(start) + at + 1);
        parts.push(&text[start..end]);
        start = end;
    }
    let tree = pointers(nemo);
    let per_line: PerLine = match contender {
        "lines: memchr" => {
            return Ok(parts
                .par_iter()
                .map(|part| memchr::memchr_iter(b'\n', part).count())
                .sum());
        }
        "lines + sonic-rs, unchecked" => Box::new(move |line| {
            // SAFETY: the generator wrote the line as valid JSON.
            unsafe { sonic_rs::get_many_unchecked(line, &tree) }
                .is_ok_and(|found| found.iter().all(Option::is_some))
        }),
        "lines + sonic-rs, checked" => Box::new(move |line| {
            sonic_rs::get_many(line, &tree).is_ok_and(|found| found.iter().all(Option::is_some))
        }),
        "lines + serde_json, raw values" => Box::new(|line| {
            serde_json::from_slice::<std::collections::BTreeMap<&str, &serde_json::value::RawValue>>(line)
                .is_ok_and(|fields| fields.contains_key("reward"))
        }),
        "lines + simd-json, tape" => Box::new(|line| {
            let mut line = line.to_vec();
            simd_json::to_tape(&mut line).is_ok_and(|tape| black_box(tape.0.len()) > 0)
        }),
        other => return Err(format!("no contender {other}")),
    };
    Ok(parts
        .par_iter()
        .map(|part| {
            let (mut start, mut found) = (0, 0);
            for end in memchr::memchr_iter(b'\n', part) {
                found += usize::from(per_line(&part[start..end]));
                start = end + 1;
            }
            found
        })
        .sum())
}

/// The fields that the index needs, as paths; the last one stands at the end of the line.
fn pointers(nemo: bool) -> sonic_rs::PointerTree {
    let mut tree = sonic_rs::PointerTree::new();
    let paths: &[&[&'static str]] = if nemo {
        &[
            &["responses_create_params", "metadata", "instance_id"],
            &["response", "output"],
            &["reward"],
            &["model_patch"],
            &["mask_sample"],
            &["_ng_task_index"],
            &["_ng_rollout_index"],
        ]
    } else {
        &[
            &["group_id"],
            &["trajectory_id"],
            &["reward"],
            &["patch"],
            &["steps"],
            &["tokens", "input"],
            &["wall_ms"],
        ]
    };
    for path in paths {
        tree.add_path(path.iter());
    }
    tree
}

/// Writes lines until the file is that long.
fn generate(
    path: &Path,
    bytes: u64,
    line: fn(&mut Text, usize, &mut String),
) -> Result<(), Box<dyn Error>> {
    let mut text = Text::new();
    let partial = path.with_extension("partial");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&partial)?);
    let (mut written, mut number, mut buffer) = (0, 0, String::new());
    // Whole groups only.
    while written < bytes || number % GROUP != 0 {
        buffer.clear();
        line(&mut text, number, &mut buffer);
        buffer.push('\n');
        out.write_all(buffer.as_bytes())?;
        written += buffer.len() as u64;
        number += 1;
    }
    out.into_inner()?.sync_all()?;
    fs::rename(partial, path)?;
    Ok(())
}

/// Escaped text as agents leave it behind.
struct Text {
    random: ChaCha8Rng,
    /// Pieces of text, escaped for a JSON string.
    pieces: Vec<String>,
    /// Pieces of a patch's hunk, escaped.
    hunks: Vec<String>,
}

const CODE: &[&str] = &[
    "def resolve_lookup(self, path, allow_joins=True):",
    "    \"\"\"Return the field at the end of the path.\"\"\"",
    "    if not isinstance(value, (str, bytes)):",
    "        raise ValueError(f\"cannot read {value!r}: expected 'a' or \\\"b\\\"\")",
    "    return {\"name\": name, \"args\": [1, 2, 3], \"ok\": True}",
    "\tfor (size_t i = 0; i < length; i++) {",
    "\t\tprintf(\"%s\\t%d\\n\", names[i], counts[i]);",
    "FAILED tests/test_parser.py::test_nested[case-3] - AssertionError: assert 3 == 4",
    "  File \"/testbed/acme/parser.py\", line 118, in parse",
    "============================= test session starts =============================",
    "The parser drops the last element when the list ends with a comma; I will look at how `split`",
    "handles it and then write a test that fails before the change and passes after it.",
    "größere Änderung: prüfe die Überläufe — naïve Lösung, 日本語のコメント",
    "\u{1b}[32mPASSED\u{1b}[0m tests/test_lexer.py::test_strings \u{2713}",
    "",
    "-rw-r--r-- 1 root root 18244 Jan  3 11:02 setup.cfg",
    "{\"cmd\": \"grep -rn \\\"split\\\" acme/ | head -20\", \"timeout\": 30}",
];

impl Text {
    fn new() -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut piece = |sign: bool| {
            let mut text = String::new();
            for _ in 0..random.random_range(10..40) {
                if sign {
                    text.push_str([" ", " ", "+", "-"][random.random_range(0..4)]);
                } else if random.random_bool(0.3) {
                    let _ = write!(text, "{:5}\t", random.random_range(1..4000));
                }
                text.push_str(CODE[random.random_range(0..CODE.len())]);
                text.push('\n');
            }
            let quoted = serde_json::to_string(&text).unwrap_or_default();
            // Some writers escape whatever is not ASCII.
            let mut escaped = String::new();
            let ascii = random.random_bool(0.3);
            for c in quoted[1..quoted.len() - 1].chars() {
                if ascii && !c.is_ascii() {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        let _ = write!(escaped, "\\u{unit:04x}");
                    }
                } else {
                    escaped.push(c);
                }
            }
            escaped
        };
        let pieces = (0..512).map(|_| piece(false)).collect();
        let hunks = (0..64).map(|_| piece(true)).collect();
        Self {
            random,
            pieces,
            hunks,
        }
    }

    /// Adds about this many bytes of text.
    fn add(&mut self, bytes: usize, out: &mut String) {
        let end = out.len() + bytes;
        while out.len() < end {
            let index = self.random.random_range(0..self.pieces.len());
            out.push_str(&self.pieces[index]);
        }
    }

    /// Adds a patch of one or two files.
    fn patch(&mut self, out: &mut String) {
        for file in 0..self.random.random_range(1..3) {
            let _ = write!(
                out,
                "diff --git a/acme/f{file}.py b/acme/f{file}.py\\n--- a/acme/f{file}.py\\n\
                 +++ b/acme/f{file}.py\\n"
            );
            for hunk in 0..self.random.random_range(1..4) {
                let index = self.random.random_range(0..self.hunks.len());
                let body = &self.hunks[index];
                let count = |signs: [&str; 2]| {
                    body.split("\\n")
                        .filter(|line| signs.iter().any(|sign| line.starts_with(sign)))
                        .count()
                };
                let (old, new) = (count([" ", "-"]), count([" ", "+"]));
                let at = hunk * 200 + 10;
                let _ = write!(out, "@@ -{at},{old} +{at},{new} @@\\n{body}");
            }
        }
    }

    /// Length of the next line: every order of magnitude is as likely.
    fn length(&mut self) -> usize {
        (20_000.0 * 25_f64.powf(self.random.random::<f64>())) as usize
    }
}

fn native(text: &mut Text, number: usize, out: &mut String) {
    let (group, index) = (number / GROUP, number % GROUP);
    let length = text.length();
    let reward = u8::from(text.random.random_bool(0.5));
    let _ = write!(
        out,
        "{{\"schema\":\"gagar.trajectory/1\",\"group_id\":\"acme__parser-{group}\",\
         \"trajectory_id\":\"{index}\",\"step\":{},\"reward\":{reward},\"patch\":\"",
        group / 64
    );
    text.patch(out);
    out.push_str("\",\"task\":{\"text\":\"Task ");
    let _ = write!(out, "{group}\",\"repo\":\"acme/parser\"}},\"steps\":[");
    let (mut step, start) = (0, out.len());
    while out.len() - start < length {
        if step > 0 {
            out.push(',');
        }
        let kind = ["message", "tool_call", "observation"][step % 3];
        let _ = write!(out, "{{\"kind\":\"{kind}\",\"text\":\"");
        let bytes = text.random.random_range(100..8000);
        text.add(bytes, out);
        out.push_str("\",\"ms\":1234,\"tokens\":456}");
        step += 1;
    }
    let _ = write!(
        out,
        "],\"tokens\":{{\"input\":{},\"output\":{}}},\"cost_usd\":0.25,\"wall_ms\":90210}}",
        length / 2,
        length / 9
    );
}

fn nemo(text: &mut Text, number: usize, out: &mut String) {
    let (group, index) = (number / GROUP, number % GROUP);
    let length = text.length();
    let pass = text.random.random_bool(0.5);
    let _ = write!(
        out,
        "{{\"responses_create_params\": {{\"input\": [], \"metadata\": {{\"instance_id\": \
         \"acme__lexer-{group}\", \"problem_statement\": \"Task {group}\\n"
    );
    let mut task = Text {
        random: ChaCha8Rng::seed_from_u64(group as u64),
        pieces: std::mem::take(&mut text.pieces),
        hunks: Vec::new(),
    };
    task.add(3000, out);
    text.pieces = task.pieces;
    out.push_str("\"}, \"tools\": []}, \"response\": {\"id\": \"r1\", \"output\": [");
    let (mut step, start) = (0, out.len());
    while out.len() - start < length {
        if step > 0 {
            out.push_str(", ");
        }
        let bytes = text.random.random_range(100..8000);
        match step % 3 {
            0 => {
                out.push_str(
                    "{\"type\": \"message\", \"role\": \"assistant\", \"content\": [{\"type\": \
                     \"output_text\", \"text\": \"",
                );
                text.add(bytes / 4, out);
                out.push_str("\", \"annotations\": []}]}");
            }
            1 => {
                let _ = write!(
                    out,
                    "{{\"type\": \"function_call\", \"call_id\": \"c{step}\", \"name\": \"bash\", \
                     \"arguments\": \"{{\\\"cmd\\\": \\\"ls -la acme\\\"}}\"}}"
                );
            }
            _ => {
                let _ = write!(
                    out,
                    "{{\"type\": \"function_call_output\", \"call_id\": \"c{}\", \"output\": \"",
                    step - 1
                );
                text.add(bytes, out);
                out.push_str("\"}");
            }
        }
        step += 1;
    }
    let _ = write!(
        out,
        "], \"usage\": {{\"input_tokens\": {}, \"output_tokens\": {}, \"total_tokens\": {}}}}}, \
         \"reward\": {}, \"resolved\": {pass}, \"model_patch\": \"",
        length / 2,
        length / 9,
        length / 2 + length / 9,
        if pass { "1.0" } else { "0.0" }
    );
    text.patch(out);
    let _ = write!(
        out,
        "\", \"mask_sample\": false, \"_ng_task_index\": {group}, \"_ng_rollout_index\": {index}}}"
    );
}
