//! `gagar diff` as a person runs it: the hard patches of `tests/diff-cases`, groups side by side, what
//! reaches a pipe and what reaches a terminal.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with one file of groups.
struct Desk {
    folder: TempDir,
}

#[derive(Debug)]
struct Answer {
    code: i32,
    out: String,
    err: String,
}

impl Desk {
    /// A group of these patches; each passes.
    fn of(patches: &[&str]) -> Self {
        Self::holding(&[group("g1", patches)])
    }

    fn holding(groups: &[Value]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let lines: String = groups.iter().map(|group| format!("{group}\n")).collect();
        std::fs::write(folder.path().join("groups.jsonl"), lines).unwrap();
        Self { folder }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gagar"));
        command
            .args(["diff", "groups.jsonl"])
            .args(args)
            .env_clear()
            .env("HOME", self.folder.path())
            .env("USER", "tester")
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Answer {
        let output = self.command(args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Answer {
            code: output.status.code().unwrap(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    /// What a command prints that must do its work.
    fn out(&self, args: &[&str]) -> String {
        let answer = self.run(args);
        assert_eq!(answer.code, 0, "{answer:?}");
        answer.out
    }
}

fn group(id: &str, patches: &[&str]) -> Value {
    let trajectories: Vec<Value> = patches
        .iter()
        .enumerate()
        .map(|(index, patch)| {
            json!({"trajectory_id": format!("t{}", index + 1), "outcome": "pass", "reward": 1.0,
                   "patch": patch})
        })
        .collect();
    json!({"schema": "gagar.group/1", "group_id": id, "trajectories": trajectories})
}

/// The names of the cases.
fn cases() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diff-cases");
    let mut names: Vec<String> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("change.patch").is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() >= 15);
    names
}

fn case(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diff-cases");
    let bytes = std::fs::read(root.join(name).join("change.patch")).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// No control character but line ends.
fn assert_plain(text: &str, what: &str) {
    let found = text.chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(found, None, "{what}");
}

/// Takes the colours out and checks that nothing else steers a terminal.
fn without_colours(text: &str, what: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        let sequence = &rest[at + 1..];
        let end = sequence
            .find('m')
            .unwrap_or_else(|| panic!("{what}: no end"));
        let inside = sequence[..end].strip_prefix('[');
        let is_colour =
            inside.is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit() || b == b';'));
        assert!(is_colour, "{what}: {:?}", &sequence[..end]);
        rest = &sequence[end + 1..];
    }
    plain.push_str(rest);
    assert_plain(&plain, what);
    plain
}

/// Compares with the snapshot; of very much text the beginning and the end.
fn assert_kept(name: &str, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let left_out = format!("… {} lines …", lines.len().saturating_sub(40));
    let kept = if lines.len() > 200 {
        [
            &lines[..20],
            &[left_out.as_str()],
            &lines[lines.len() - 20..],
        ]
        .concat()
    } else {
        lines
    };
    insta::assert_snapshot!(name, kept.join("\n"));
}

/// Lines without blanks at their ends: what is painted there differs.
fn trimmed(text: &str) -> String {
    text.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

#[test]
fn the_hard_patches_are_printed_whole() {
    for name in cases() {
        let desk = Desk::of(&[&case(&name)]);
        let plain = desk.out(&["--width", "160"]);
        assert_plain(&plain, &name);
        assert_kept(&format!("own_{name}"), &plain);
        // Colours change nothing that is read.
        let coloured = desk.out(&["--width", "160", "--color", "always"]);
        assert_eq!(
            trimmed(&without_colours(&coloured, &name)),
            trimmed(&plain),
            "{name}"
        );
        let split = desk.out(&["--width", "160", "--side-by-side"]);
        assert_plain(&split, &name);
    }
}

#[test]
fn the_hard_patches_are_aligned_with_an_empty_one() {
    for name in cases() {
        let desk = Desk::of(&[&case(&name), ""]);
        let plain = desk.out(&["--width", "160", "--aligned"]);
        assert_plain(&plain, &name);
        assert_kept(&format!("aligned_{name}"), &plain);
        let coloured = desk.out(&["--width", "160", "--aligned", "--color", "always"]);
        assert_eq!(
            trimmed(&without_colours(&coloured, &name)),
            trimmed(&plain),
            "{name}"
        );
        for line in desk.out(&["--json"]).lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            assert!(value["kind"].is_string(), "{line}");
        }
        assert_plain(&desk.out(&["--stat"]), &name);
    }
}

fn edit(line: &str) -> String {
    format!(
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+{line}\n three\n"
    )
}

#[test]
fn candidates_stand_side_by_side_on_their_base_with_the_consensus() {
    let desk = Desk::of(&[&edit("2"), &edit("zwei"), &edit("2")]);
    let out = desk.out(&["--width", "120"]);
    let line = |part: &str| {
        let found = out.lines().find(|line| line.contains(part));
        found
            .unwrap_or_else(|| panic!("{part} is missing:\n{out}"))
            .to_owned()
    };
    assert_eq!(line("three").matches("three").count(), 3);
    assert!(line("zwei").contains("+ 2"), "{out}");
    // Two of the three are equal and count once.
    assert!(line("− two").ends_with("2/2"), "{out}");
    let two = desk.out(&["--width", "120", "--candidates", "C,1"]);
    assert!(two.starts_with("C pass · t3"), "{two}");
    let stat = desk.out(&["--stat"]);
    assert!(
        stat.contains("a.py") && stat.contains("3/3") && stat.contains("+1 −1"),
        "{stat}"
    );
    let regions = desk.out(&["--json"]);
    let mut regions = regions.lines().filter(|line| line.contains("\"region\""));
    let region: Value = serde_json::from_str(regions.next_back().unwrap()).unwrap();
    assert_eq!(region["passing"], 2);
    assert_eq!(region["results"]["A"], region["results"]["C"]);
    assert_ne!(region["results"]["A"], region["results"]["B"]);
}

#[test]
fn context_folds_and_files_choose() {
    let context: String = (0..20).map(|n| format!(" line {n}\n")).collect();
    let patch = format!(
        "{}diff --git a/b.rs b/b.rs\n--- a/b.rs\n+++ b/b.rs\n@@ -1,21 +1,21 @@\n{context}-x\n+y\n",
        edit("2")
    );
    let desk = Desk::of(&[&patch]);
    let all = desk.out(&[]);
    assert!(all.contains("line 0") && all.contains("a.py"), "{all}");
    for layout in ["--own", "--aligned"] {
        let folded = desk.out(&["--context", "2", "--files", "*.rs", layout]);
        assert!(
            !folded.contains("line 17") && folded.contains("line 18"),
            "{folded}"
        );
        assert!(!folded.contains("a.py") && folded.contains("⋯"), "{folded}");
    }
    let none = desk.run(&["--files", "*.c"]);
    assert!(none.err.contains("no file"), "{none:?}");
}

#[test]
fn wrong_names_are_usage_errors_that_list_the_right_ones() {
    let groups = [group("alpha-1", &["", ""]), group("alpha-2", &[""])];
    let desk = Desk::holding(&groups);
    let wrong: [(&[&str], &str); 6] = [
        (&[], "alpha-1|alpha-2"),
        (&["--group", "alpha"], "alpha-1, alpha-2"),
        (&["--group", "alphb-1"], "close: alpha-1"),
        (
            &["--group", "alpha-1", "--candidates", "A,Q"],
            "no candidate Q",
        ),
        (&["--group", "alpha-1", "--reference"], "no reference patch"),
        (
            &["--group", "alpha-1", "--width", "20", "--aligned"],
            "columns",
        ),
    ];
    for (args, reason) in wrong {
        let answer = desk.run(args);
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.err.contains(reason), "{answer:?}");
    }
    let empty = desk.out(&["--group", "a-2"]);
    assert!(empty.contains("the patch is empty"), "{empty}");
}

#[test]
fn a_pipe_gets_no_colours_and_one_that_closes_is_no_error() {
    let long: String = (0..50_000).map(|n| format!("+line {n}\n")).collect();
    let patch = format!("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1,50000 @@\n{long}");
    let desk = Desk::of(&[&patch]);
    assert_plain(&desk.out(&["--no-wrap"]), "in a pipe");
    let mut child = desk.command(&[]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_interdiff_goes_from_one_result_to_the_other() {
    let desk = Desk::of(&[&edit("2"), &edit("zwei"), &edit("2")]);
    let out = desk.out(&["--interdiff", "--candidates", "A,B"]);
    assert!(out.starts_with("from A pass · t1"), "{out}");
    assert!(out.contains("− 2\n") && out.contains("+ zwei\n"), "{out}");
    let same = desk.out(&["--interdiff", "--candidates", "A,C"]);
    assert!(same.contains("both leave the same behind"), "{same}");
    let three = desk.run(&["--interdiff"]);
    assert_eq!(three.code, 2, "{three:?}");
    assert!(three.err.contains("two candidates, not of 3"), "{three:?}");
}

#[test]
fn white_space_can_be_quiet_and_is_counted_then() {
    let desk = Desk::of(&[&case("18-whitespace-only-change"), ""]);
    for layout in ["--own", "--aligned"] {
        let shown = desk.out(&[layout]);
        assert!(!shown.contains("white-space-only"), "{shown}");
        let quiet = desk.out(&[layout, "--whitespace", "ignore"]);
        assert!(quiet.contains("white-space-only changes hidden"), "{quiet}");
    }
}

#[test]
fn only_problems_of_the_group_that_is_asked_for_are_told() {
    let twice = json!({"schema": "gagar.group/1", "group_id": "beta", "trajectories": [
        {"trajectory_id": "t1", "outcome": "pass", "reward": 1.0, "patch": ""},
        {"trajectory_id": "t1", "outcome": "fail", "reward": 0.0, "patch": ""}]});
    let desk = Desk::holding(&[group("alpha", &[""]), twice]);
    let other = desk.run(&["--group", "beta"]);
    assert!(
        other.code == 1 && other.err.contains("problem"),
        "{other:?}"
    );
    let asked = desk.run(&["--group", "alpha"]);
    assert!(asked.code == 0 && asked.err.is_empty(), "{asked:?}");
}

#[test]
fn denominators_are_named_and_a_sheet_without_a_file_says_so_once() {
    let other = edit("x").replace("a.py", "b.py");
    let desk = Desk::of(&[&edit("2"), &edit("zwei"), &edit("2"), &other]);
    let out = desk.out(&["--width", "80"]);
    let said = "touched by 3 of 4 candidates, 2/3 passing results";
    assert!(out.contains(said), "{out}");
    assert_eq!(out.matches("by none on this sheet").count(), 1, "{out}");
    assert!(!out.contains("without a column"), "{out}");
}

#[test]
fn the_stat_names_what_is_no_plain_change() {
    let patch = "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\n\
        rename to new.py\ndiff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n\
        diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n\
        diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n\
        @@ -0,0 +1,1 @@\n+x\ndiff --git a/d.py b/d.py\ndeleted file mode 100644\n\
        --- a/d.py\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n";
    let stat = Desk::of(&[patch]).out(&["--stat"]);
    for said in [
        "ren to new.py",
        "mode 100644 → 100755",
        "bin",
        "new +1 −0",
        "del +0 −1",
    ] {
        assert!(stat.contains(said), "{said}:\n{stat}");
    }
}

#[test]
fn an_interdiff_tells_what_files_leaves_out() {
    let more = |line: &str| format!("{}{}", edit(line), edit(line).replace("a.py", "b.rs"));
    let desk = Desk::of(&[&more("2"), &more("zwei")]);
    let out = desk.out(&["--interdiff", "--files", "*.py"]);
    assert!(out.contains("1 file is left out by --files"), "{out}");
    let all = desk.out(&["--interdiff"]);
    assert!(!all.contains("left out"), "{all}");
}

#[test]
fn a_text_that_is_no_diff_is_a_problem_and_shown() {
    let desk = Desk::holding(&[]);
    std::fs::write(desk.folder.path().join("bad.patch"), "hello\n").unwrap();
    let mut command = desk.command(&[]);
    let output = command.arg("bad.patch").output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    assert!(err.contains("bad.patch: the text is no diff"), "{err}");
    assert!(out.contains("hello"), "{out}");
}
