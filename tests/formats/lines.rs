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
