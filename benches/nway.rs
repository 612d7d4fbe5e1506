//! What it costs to lay the patches of a group side by side, to find equal results and to make an
//! interdiff; the reading of the patches is not counted.
//!
//! Inputs are made here: sixteen candidates of 2,000 changed lines each (edits of the same places, and
//! the same with a known base), sixteen that insert 2,000 lines at one place, one patch of 206,000
//! lines. Prints the median and the worst of several runs.

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gagar::diff::{
    Aligned, BaseOrigin, Bases, CandidatePatch, Consensus, Patch, Results, interdiff,
};

const RUNS: usize = 15;

/// A number from a number: every run makes the same inputs.
fn mix(seed: usize) -> usize {
    let mixed = (seed as u64 ^ 0x9e37_79b9).wrapping_mul(0x2545_f491_4f6c_dd1d);
    (mixed >> 33) as usize
}

fn base_line(at: usize) -> String {
    format!(
        "    total_{at} = self.lookup(order_{}, limit={at})",
        mix(at) % 97
    )
}

/// Hunks of five changed lines each, in files of 500 changed lines.
fn edits(changed: usize, seed: usize) -> String {
    let mut text = String::new();
    for file in 0..changed.div_ceil(500) {
        let path = format!("src/module_{file}.py");
        let _ = writeln!(
            text,
            "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}"
        );
        for hunk in 0..100 {
            // A candidate leaves out some places.
            if mix(hunk + file * 100 + seed * 7919).is_multiple_of(8) {
                continue;
            }
            let at = 1 + hunk * 20;
            let _ = writeln!(text, "@@ -{at},11 +{at},11 @@");
            for line in at..at + 11 {
                let base = base_line(line);
                if (3..8).contains(&(line - at)) {
                    let new = base.replace("lookup", &format!("find_{}", mix(line + seed) % 4));
                    let _ = writeln!(text, "-{base}\n+{new}");
                } else {
                    let _ = writeln!(text, " {base}");
                }
            }
        }
    }
    text
}

/// 2,000 lines put in at one place, a third of them the same for all.
fn insertion(seed: usize) -> String {
    let mut text = String::from("--- a/src/new.py\n+++ b/src/new.py\n@@ -1,1 +1,2001 @@\n head\n");
    for line in 0..2_000usize {
        let own = if line.is_multiple_of(3) {
            0
        } else {
            mix(line + seed * 31) % 1000
        };
        let _ = writeln!(text, "+    value_{line} = compute({line}, {own})");
    }
    text
}

fn group(texts: impl Iterator<Item = String>) -> Vec<CandidatePatch> {
    texts
        .map(|text| CandidatePatch {
            patch: Arc::new(Patch::read(Arc::from(text))),
            passing: true,
        })
        .collect()
}

fn measure(name: &str, mut work: impl FnMut() -> usize) {
    let mut took: Vec<Duration> = Vec::with_capacity(RUNS);
    let mut size = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        size = black_box(work());
        took.push(start.elapsed());
    }
    took.sort();
    let ms = |at: usize| took.get(at).map_or(0.0, |took| took.as_secs_f64() * 1e3);
    println!(
        "{name:<48} median {:8.2} ms   worst {:8.2} ms   ({size})",
        ms(RUNS / 2),
        ms(RUNS - 1)
    );
}

fn main() {
    let mut known = Bases::default();
    for file in 0..4 {
        let text: String = (1..=2_100).map(|at| base_line(at) + "\n").collect();
        known.insert(
            format!("src/module_{file}.py"),
            Arc::from(text),
            BaseOrigin::Record,
        );
    }
    let none = Bases::default();
    let sixteen = group((0..16).map(|seed| edits(2_000, seed)));
    let inserting = group((0..16).map(insertion));
    // 206,000 lines of text: 16 lines and a header per hunk of five changed lines.
    let big = group(std::iter::once(edits(69_500, 1)));
    let lines = |group: &[CandidatePatch]| -> usize {
        group.iter().map(|one| one.patch.text.lines().count()).sum()
    };
    println!(
        "patch lines: sixteen {}, inserting {}, big {}",
        lines(&sixteen),
        lines(&inserting),
        lines(&big)
    );
    for (name, group, bases) in [
        ("sixteen", &sixteen, &none),
        ("sixteen, known base", &sixteen, &known),
        ("inserting", &inserting, &none),
        ("big", &big, &none),
    ] {
        measure(&format!("{name}: side by side (rows)"), || {
            Aligned::of(group, bases).rows()
        });
        let aligned = Aligned::of(group, bases);
        measure(&format!("{name}: results and consensus (classes)"), || {
            let results = Results::of(&aligned);
            black_box(Consensus::of(&aligned, &results));
            results.overall.count()
        });
        if let [a, b, ..] = &group[..] {
            measure(&format!("{name}: interdiff of two (lines)"), || {
                let found = interdiff(&a.patch, &b.patch, bases);
                found.patch.text.lines().count()
            });
        }
        if let Some(differing) = group.len().checked_sub(1).filter(|last| *last > 0) {
            let all: Vec<usize> = (0..=differing).collect();
            measure(&format!("{name}: every next difference (places)"), || {
                let mut at = (0, 0);
                let mut places = 0;
                while let Some(next) = aligned.next_difference(at, &all) {
                    (at, places) = (next, places + 1);
                }
                places
            });
        }
    }
}
