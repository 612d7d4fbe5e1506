//! The interface by keys: what a person presses, what stands on the screen.

#![cfg(feature = "tui")]

mod agreement;
mod arbitrary;
mod blind;
mod compare;
mod diff_views;
mod findings;
mod grading;
mod groups;
mod live;
mod overlays;
mod pairs;
mod panels;
mod queue;
mod rebinding;
mod remarks;
mod saving;
mod schedules;
mod sizes;
mod steps;

use std::path::PathBuf;

use gagar::tui::testing::Harness;

/// A folder of the sample data.
fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("sample-data")
        .join(name)
}

/// The native sample, which has grader rankings, in a terminal of this size.
fn native(columns: u16, rows: u16) -> Harness {
    Harness::open(&[sample("native")], columns, rows).unwrap()
}
