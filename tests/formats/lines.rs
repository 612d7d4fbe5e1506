//! Long files and broken lines: what is read of them, and from where.

use std::fmt::Write as _;

use super::{has_problem, load_folder, problems};

/// A trajectory with a patch of its own, as the inside of a JSON object.
fn trajectory(group: &str, id: &str) -> String {
    format!(
        "\"group_id\":\"{group}\",\"trajectory_id\":\"{id}\",\"reward\":1,\"patch\":\"patch of \
         {group}/{id}\",\"steps\":[{{\"kind\":\"message\",\"text\":\"hi\"}}]"
    )
}

fn patch(loaded: &gagar::formats::LoadedSet, group: usize, trajectory: usize) -> String {
    let content = loaded.open(group).expect("opens");
    assert_eq!(content.problems, Vec::<String>::new());
    content.trajectories[trajectory]
        .patch
        .clone()
        .expect("a patch")
}

#[test]
fn values_that_lost_the_line_end_between_them_are_all_read() {
    let (a, b, c) = (
        trajectory("g", "a"),
        trajectory("g", "b"),
        trajectory("g", "c"),
    );
    let text = format!("{{{a}}}{{{b}}} {{{c}}}\n{{{}}}\n", trajectory("h", "a"));
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(loaded.groups.len(), 2);
    for (index, id) in ["a", "b", "c"].iter().enumerate() {
        assert_eq!(patch(&loaded, 0, index), format!("patch of g/{id}"));
    }
    // As the only line, and with a broken one behind.
    let text = format!("{{{a}}}{{{b}}}{{{}", &c[..c.len() - 4]);
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(loaded.groups[0].trajectories.len(), 2);
    assert_eq!(patch(&loaded, 0, 1), "patch of g/b");
    has_problem(&loaded, Some(1), "EOF");
    // What is no value behind a value is an error of the line, as ever.
    let text = format!("{{{a}}}\n{{{b}}} oops\n");
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(loaded.groups[0].trajectories.len(), 1);
    has_problem(&loaded, Some(2), "trailing characters");
}

#[test]
fn what_is_broken_inside_a_value_is_told_when_the_group_is_opened() {
    let text = format!(
        "{{{},\"other\":[1,oops]}}\n{{{},\"other\":[NaN,\"\\ud800\"]}}\n",
        trajectory("g", "a"),
        trajectory("h", "a")
    );
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(loaded.groups.len(), 2);
    let content = loaded.open(0).expect("opens");
    assert_eq!(
        content.trajectories[0].patch.as_deref(),
        Some("patch of g/a")
    );
    assert_eq!(content.problems.len(), 1, "{:?}", content.problems);
    assert!(content.problems[0].contains("not valid JSON"));
    assert_eq!(patch(&loaded, 1, 0), "patch of h/a");
}

#[test]
fn deep_values_cost_no_stack() {
    let mut text = format!("{{{},\"deep\":", trajectory("g", "a"));
    let _ = write!(text, "{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let (loaded, _root) = load_folder(&[("x.jsonl", text.as_bytes())]);
    assert_eq!(problems(&loaded), []);
    assert_eq!(patch(&loaded, 0, 0), "patch of g/a");
}

/// Every file of the sample data with at most 64 kB.
fn samples() -> Vec<(String, Vec<u8>)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-data");
    let mut open = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(bytes) = std::fs::read(&path)
                && bytes.len() <= 64 << 10
                && !bytes.is_empty()
            {
                let name = path.strip_prefix(&root).expect("below").display();
                found.push((name.to_string(), bytes));
            }
        }
    }
    found.sort();
    found
}

/// Whatever is written over the samples, in one byte or by cutting, nothing panics: what cannot be
/// read is told.
#[test]
fn damaged_files_of_every_format_are_loaded_and_opened() {
    let samples = samples();
    assert!(samples.len() > 50);
    let mut random = 1_u64;
    let mut below = |bound: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % bound
    };
    for _ in 0..4 {
        let damaged: Vec<(&str, Vec<u8>)> = samples
            .iter()
            .map(|(name, bytes)| {
                let mut bytes = bytes.clone();
                for _ in 0..below(4) {
                    let at = below(bytes.len());
                    bytes[at] = b"\"{}[],:\\0nN\x00\xff\n"[below(14)];
                }
                if below(4) == 0 {
                    bytes.truncate(below(bytes.len()) + 1);
                }
                (name.as_str(), bytes)
            })
            .collect();
        let files: Vec<(&str, &[u8])> = damaged
            .iter()
            .map(|(name, bytes)| (*name, bytes.as_slice()))
            .collect();
        let (loaded, _root) = load_folder(&files);
        assert!(!loaded.groups.is_empty());
        for group in 0..loaded.groups.len() {
            let _ = loaded.open(group);
        }
    }
}
