//! What colouring costs: the first 60 lines of a file, cold and warm, and a second candidate that
//! changes the same base.
//!
//! `cargo bench --bench highlight` prints milliseconds, the least of several runs; cold is a new
//! highlighter with its syntaxes loaded, warm one that has read the file before, with another text
//! of the lines.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gagar::diff::{BaseOrigin, BaseText, Patch};
use gagar::tui::highlight::{ColourUnit, Highlighter};

/// Lines of a window.
const LINES: usize = 60;
/// Runs of which the least counts.
const RUNS: usize = 7;

const CODE: [(&str, &str); 4] = [
    (
        "x.py",
        "def f{i}(self, name: str = 'x{i}') -> dict[str, int]:\n    \"\"\"Says {i}.\"\"\"\n    return {{name: len(self.items) + {i} for _ in range(3)}}  # why\n",
    ),
    (
        "x.rs",
        "pub fn f{i}<'a>(name: &'a str) -> Result<Vec<u8>, Error> {{\n    let all = name.bytes().map(|b| b ^ {i}).collect(); // why\n    Ok(all)\n",
    ),
    (
        "x.ts",
        "export async function f{i}<T>(name: string, all: Map<string, T>): Promise<T | null> {{\n  const found = all.get(`${{name}}-{i}`) ?? null; // why\n  return found;\n",
    ),
    (
        "x.go",
        "func (s *Server) f{i}(name string, all map[string]int) (int, error) {{\n\tif n, ok := all[name]; ok && n > {i} {{ return n, nil }} // why\n\treturn 0, fmt.Errorf(\"no %s in {i}\", name)\n",
    ),
];

fn text(code: &str, salt: usize, lines: usize) -> String {
    let mut text = String::new();
    for i in 0..lines.div_ceil(3) {
        let number = (i + salt).to_string();
        text.push_str(
            &code
                .replace("{i}", &number)
                .replace("{{", "{")
                .replace("}}", "}"),
        );
    }
    text
}

fn added(path: &str, text: &str) -> Arc<Patch> {
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    let head = format!(
        "--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{} @@\n",
        text.lines().count()
    );
    Arc::new(Patch::read(Arc::from(head + &lines)))
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let found = work();
    (start.elapsed(), found)
}

fn least(mut run: impl FnMut(usize) -> Duration) -> f64 {
    let times = (0..RUNS).map(|salt| run(salt * 1_000));
    times.min().unwrap_or_default().as_secs_f64() * 1e3
}

fn main() {
    println!(
        "{:<8} {:>8} {:>8} {:>8}",
        "60 lines", "cold", "warm", "again"
    );
    for (path, code) in CODE {
        let window = |salt| added(path, &text(code, salt, LINES));
        let new = || {
            let highlighter = Highlighter::default();
            highlighter.load();
            highlighter
        };
        let cold = least(|salt| {
            let (mut highlighter, patch) = (new(), window(salt));
            timed(|| highlighter.colour_file(&patch, 0, None, &mut || false)).0
        });
        let mut used = new();
        used.colour_file(&window(999_999), 0, None, &mut || false);
        let warm = least(|salt| {
            let patch = window(salt);
            timed(|| used.colour_file(&patch, 0, None, &mut || false)).0
        });
        let again = least(|salt| {
            let patch = window(salt);
            used.colour_file(&patch, 0, None, &mut || false);
            timed(|| used.colour_file(&window(salt), 0, None, &mut || false)).0
        });
        println!("{path:<8} {cold:>8.2} {warm:>8.2} {again:>8.2}");
    }
    // Two candidates that change line 4,000 of one base.
    let (path, code) = CODE[0];
    let base = text(code, 0, 10_000);
    let base = Arc::new(BaseText::new(Arc::from(base), BaseOrigin::Record));
    let change = |to: &str| {
        let old = base.line(4_000).unwrap_or_default();
        let text = format!("--- a/{path}\n+++ b/{path}\n@@ -4000 +4000 @@\n-{old}\n+{to}\n");
        Arc::new(Patch::read(Arc::from(text)))
    };
    let mut highlighter = Highlighter::default();
    highlighter.load();
    let mut colour = |patch: Arc<Patch>| {
        let units = [ColourUnit::of(0, 0)];
        timed(|| highlighter.colour(&patch, 0, Some(&base), &units, &mut || false)).0
    };
    let first = colour(change("x = 1")).as_secs_f64() * 1e3;
    let second = colour(change("x = 2")).as_secs_f64() * 1e3;
    println!(
        "line 4,000 of a base of 10,000: first candidate {first:.1} ms, second {second:.2} ms"
    );
}
