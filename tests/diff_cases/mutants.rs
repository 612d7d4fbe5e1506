//! Patches with lines dropped, repeated, swapped, cut and put in: nothing may panic.

use std::fs;
use std::ops::Range;

use proptest::prelude::*;

use super::{cases, read};

/// An edit of a patch's lines.
#[derive(Debug, Clone)]
pub enum Mutation {
    Drop(Range<usize>),
    Repeat(usize),
    Swap(usize, usize),
    Cut(usize),
    Insert(usize, String),
}

pub fn mutation() -> impl Strategy<Value = Mutation> {
    let place = 0usize..4_000;
    let noise = prop_oneof![
        Just("@@ -1,3 +1,4 @@".to_owned()),
        Just("@@ -4294967295,4294967295 +4294967295,4294967295 @@".to_owned()),
        Just("--- a/x".to_owned()),
        Just("+++ b/x".to_owned()),
        Just("diff --git \"a/\\3".to_owned()),
        Just("GIT binary patch".to_owned()),
        Just("\\ No newline".to_owned()),
        Just("diff --cc x".to_owned()),
        "\\PC{0,20}",
    ];
    prop_oneof![
        (place.clone(), 1usize..6).prop_map(|(from, n)| Mutation::Drop(from..from + n)),
        place.clone().prop_map(Mutation::Repeat),
        (place.clone(), place.clone()).prop_map(|(a, b)| Mutation::Swap(a, b)),
        place.clone().prop_map(Mutation::Cut),
        (place, noise).prop_map(|(at, text)| Mutation::Insert(at, text)),
    ]
}

pub fn mutate(text: &str, mutations: &[Mutation]) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for mutation in mutations {
        let count = lines.len().max(1);
        match mutation {
            Mutation::Drop(range) => {
                let from = range.start % count;
                lines.drain(from..(from + range.len()).min(lines.len()));
            }
            Mutation::Repeat(at) => {
                let line = lines.get(at % count).cloned().unwrap_or_default();
                lines.insert((at % count).min(lines.len()), line);
            }
            Mutation::Swap(a, b) if !lines.is_empty() => lines.swap(a % count, b % count),
            Mutation::Swap(..) => {}
            Mutation::Cut(at) => {
                if let Some(line) = lines.get_mut(at % count) {
                    line.truncate(line.floor_char_boundary(at % 13));
                }
            }
            Mutation::Insert(at, text) => lines.insert((at % count).min(lines.len()), text.clone()),
        }
    }
    lines.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_patches_never_panic(which in 0usize..1000, edits in prop::collection::vec(mutation(), 1..6)) {
        let folders: Vec<_> = cases()
            .into_iter()
            // One line of a megabyte only makes each try slow.
            .filter(|path| !path.ends_with("12-minified-line"))
            .collect();
        let folder = &folders[which % folders.len()];
        let bytes = fs::read(folder.join("change.patch")).unwrap();
        read(&mutate(&String::from_utf8_lossy(&bytes), &edits));
    }

    #[test]
    fn any_text_never_panics(text in "(?s).{0,400}") {
        read(&text);
    }
}
