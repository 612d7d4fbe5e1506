//! `gagar schedules` and `gagar report` as a person runs them.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with a file of groups and a file of rankings.
struct Desk {
    folder: TempDir,
}

#[derive(Debug)]
struct Answer {
    code: i32,
    out: String,
    err: String,
}

/// A group of six rollouts of which the first `passing` pass.
fn group(id: &str, passing: usize) -> Value {
    let rollouts: Vec<Value> = (0..6)
        .map(|i| {
            json!({
                "trajectory_id": format!("{id}-t{i}"),
                "reward": f64::from(u8::from(i < passing)),
                "tokens": {"output": 100 * (i + 1)},
                "patch": format!(
                    "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1 +1 @@\n-old\n+new {i} ``` <script>alert({i})</script>\n"
                ),
            })
        })
        .collect();
    json!({"schema": "gagar.group/1", "group_id": id, "task": {"statement": "fix it"}, "trajectories": rollouts})
}

fn ranking(id: &str, order: &[usize]) -> Value {
    let tiers: Vec<Vec<String>> = order.iter().map(|i| vec![format!("{id}-t{i}")]).collect();
    json!({"schema": "gagar.ranking/1", "group_id": id, "grader": {"name": "judge"}, "status": "ok", "tiers": tiers})
}

impl Desk {
    fn of(groups: &[Value], rankings: &[Value]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let lines = |values: &[Value]| -> String {
            values.iter().map(|value| format!("{value}\n")).collect()
        };
        std::fs::write(folder.path().join("groups.jsonl"), lines(groups)).unwrap();
        std::fs::write(folder.path().join("rankings.jsonl"), lines(rankings)).unwrap();
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self, args: &[&str]) -> Answer {
        let output = Command::new(env!("CARGO_BIN_EXE_gagar"))
            .args(args)
            .env_clear()
            .env("HOME", self.path())
            .env("USER", "tester")
            .current_dir(self.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Answer {
            code: output.status.code().unwrap(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    fn out(&self, args: &[&str]) -> String {
        let answer = self.run(args);
        assert_eq!(answer.code, 0, "{args:?}: {answer:?}");
        answer.out
    }

    /// Submits a ranking of a group's rollouts as somebody.
    fn rank(&self, who: &str, id: &str, order: &[usize]) {
        let tiers: Vec<Vec<String>> = order.iter().map(|i| vec![format!("{id}-t{i}")]).collect();
        let tiers = json!(tiers).to_string();
        self.out(&[
            "rank",
            "groups.jsonl",
            "--group",
            id,
            "--tiers",
            &tiers,
            "--annotator",
            who,
        ]);
    }
}

fn judged() -> Desk {
    let groups = [
        group("g1", 4),
        group("g2", 2),
        group("g3", 3),
        group("g4", 6),
    ];
    let rankings = [ranking("g1", &[0, 1, 2, 3]), ranking("g2", &[0, 1])];
    Desk::of(&groups, &rankings)
}

#[test]
fn schemes_are_compared_over_the_groups_whose_ranking_moves_credit() {
    let desk = judged();
    let text = desk.out(&["schedules", "groups.jsonl", "--rankings", "rankings.jsonl"]);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert!(
        text.contains("4 groups, 2 of them with a ranking"),
        "{text}"
    );
    assert!(
        text.contains("left out 1: dropped by dynamic sampling"),
        "{text}"
    );
    assert!(text.contains("left out 1: nobody ranked it"), "{text}");
    assert!(text.contains("not measured"), "{text}");
    let linear = text.lines().find(|line| line.starts_with("•linear 0.5"));
    // Mean of 1/9 (m = 4) and 1/6 (m = 2).
    assert!(linear.unwrap().contains(" 0.139 "), "{text}");

    let json = desk.out(&[
        "schedules",
        "groups.jsonl",
        "--rankings",
        "rankings.jsonl",
        "--json",
        "--scheme",
        "linear:floor=0",
        "--scheme",
        "top:k=3",
        "--top",
        "1",
    ]);
    let found: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(found["movable"], 2);
    assert_eq!(found["schemes"][0]["scheme"], "linear:floor=0");
    assert_eq!(
        found["schemes"][1]["moves"], 1,
        "two candidates keep what they have"
    );
    assert_eq!(found["schemes"].as_array().unwrap().len(), 11);
    let affected = &found["schemes"][0]["most_affected"];
    assert_eq!(affected.as_array().unwrap().len(), 1);
    assert_eq!(
        affected[0]["group_id"], "g2",
        "half of the credit against a third"
    );
    assert!(found["grader_accuracy"].is_null() && found["schemes"][0]["misplaced"].is_null());
}

#[test]
fn the_misplaced_share_uses_the_measured_accuracy() {
    let desk = judged();
    // One of six pairs the other way round, and one of one.
    desk.rank("ann", "g1", &[1, 0, 2, 3]);
    desk.rank("bob", "g2", &[1, 0]);
    let json = desk.out(&[
        "schedules",
        "groups.jsonl",
        "--rankings",
        "rankings.jsonl",
        "--json",
    ]);
    let found: Value = serde_json::from_str(&json).unwrap();
    let accuracy = &found["grader_accuracy"];
    assert_eq!(accuracy["pairs"], 7);
    assert!((accuracy["share"].as_f64().unwrap() - 5.0 / 7.0).abs() < 1e-12);
    let named = |found: &Value, name: &str| {
        let mut schemes = found["schemes"].as_array().unwrap().iter();
        schemes.find(|row| row["scheme"] == name).unwrap().clone()
    };
    let uniform = named(&found, "uniform");
    assert_eq!(uniform["misplaced"], 0.0);
    assert!(uniform["misplaced_per_moved"].is_null(), "it moves nothing");
    let per_moved = named(&found, "linear:floor=0.5")["misplaced_per_moved"]
        .as_f64()
        .unwrap();
    assert!((0.5..0.95).contains(&per_moved), "{per_moved}");
    // A share of all the credit is never above what is moved and what could be there together.
    for scheme in found["schemes"].as_array().unwrap() {
        let share = scheme["misplaced"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&share), "{scheme}");
    }
    // The other way round everywhere: more is misplaced than moved, and still less than everything.
    let desk = judged();
    desk.rank("ann", "g1", &[3, 2, 1, 0]);
    let args = ["schedules", "groups.jsonl", "--rankings", "rankings.jsonl"];
    let found = desk.out(&[&args[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&found).unwrap();
    let linear = named(&found, "linear:floor=0.5");
    assert_eq!(
        found["schemes"][0]["scheme"], "linear:floor=0.5",
        "in use, so first"
    );
    assert!(linear["misplaced_per_moved"].as_f64().unwrap() > 1.0);
    let share = linear["misplaced"].as_f64().unwrap();
    assert!(share < 0.5, "{share}");
    let table = desk.out(&args);
    assert!(table.contains(&format!("{share:.3}")), "{table}");
    assert!(table.contains("\n•linear 0.5"), "{table}");
    assert!(
        table.contains("pooled over 6 pairs of 1 submission"),
        "{table}"
    );
}

#[test]
fn one_scheme_is_enough_elsewhere() {
    let desk = judged();
    let answer = desk.run(&[
        "groups",
        "groups.jsonl",
        "--scheme",
        "dcg",
        "--scheme",
        "uniform",
    ]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.err.contains("more than once"), "{answer:?}");
}

/// Ids that no page and no table may take at their word.
const NASTY: &str = "g<script>alert(1)</script>\u{1b}[2J|x\n``` ,\"";

fn nasty() -> Desk {
    let groups = [group(NASTY, 4), group("g2", 3)];
    let rankings = [ranking(NASTY, &[0, 1, 2, 3]), ranking("g2", &[0, 1, 2])];
    let desk = Desk::of(&groups, &rankings);
    desk.rank("ann<b>", NASTY, &[3, 2, 1, 0]);
    desk.rank("bob", NASTY, &[3, 2, 0, 1]);
    desk.rank("bob", "g2", &[0, 1, 2]);
    desk
}

impl Desk {
    fn report(&self, name: &str, more: &[&str]) -> String {
        let args = [
            "report",
            "groups.jsonl",
            "--rankings",
            "rankings.jsonl",
            "-o",
            name,
        ];
        self.out(&[&args, more].concat());
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// A file of rows, as its names and values.
    fn rows(&self, name: &str) -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(self.path().join("rows").join(name)).unwrap();
        let rows = csv(&text);
        for row in &rows {
            assert_eq!(row.len(), rows[0].len(), "{name}: {row:?}");
        }
        rows
    }

    /// The value of a column in the first row that holds `key` in its first column.
    fn value(&self, name: &str, key: &[&str], column: &str) -> String {
        let rows = self.rows(name);
        let at = rows[0].iter().position(|found| found == column).unwrap();
        let found = rows
            .iter()
            .find(|row| key.iter().all(|key| row.contains(&(*key).to_owned())));
        found.unwrap_or_else(|| panic!("{name}: {key:?}: {rows:?}"))[at].clone()
    }
}

/// Reads CSV as RFC 4180 says.
fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut value) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut rest = text.chars().peekable();
    while let Some(found) = rest.next() {
        match found {
            '"' if quoted && rest.peek() == Some(&'"') => value.extend(rest.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut value)),
            '\r' if !quoted && rest.peek() == Some(&'\n') => {
                rest.next();
                row.push(std::mem::take(&mut value));
                rows.push(std::mem::take(&mut row));
            }
            found => value.push(found),
        }
    }
    assert!(
        row.is_empty() && value.is_empty() && !quoted,
        "ends in the middle"
    );
    rows
}

/// Checks that every element of a page that is opened is closed, in order.
fn check_balance(page: &str) {
    const VOID: [&str; 1] = ["meta"];
    let mut open: Vec<&str> = Vec::new();
    let body = page.strip_prefix("<!doctype html>").unwrap();
    for piece in body.split('<').skip(1) {
        let (tag, _) = piece
            .split_once('>')
            .unwrap_or_else(|| panic!("not ended: {piece}"));
        let name = tag
            .trim_start_matches('/')
            .split([' ', '/'])
            .next()
            .unwrap();
        assert!(
            name.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "{tag}"
        );
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "{open:?}");
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0]);
}

fn check_page(page: &str) {
    check_balance(page);
    assert!(!page.contains("<script"), "a script");
    let control = page
        .chars()
        .find(|found| found.is_control() && !"\n\t".contains(*found));
    assert_eq!(control, None);
    for outside in ["http:", "https:", "src=", "url(", "@import", "<link"] {
        let own = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!own.contains(outside), "{outside}");
    }
    assert!(page.contains("prefers-color-scheme:dark") && page.contains("@media print"));
}

#[test]
fn a_report_without_judgements_says_so() {
    let desk = Desk::of(
        &[group("g1", 4), group("g2", 6)],
        &[ranking("g1", &[0, 1, 2, 3])],
    );
    let page = desk.report("report.html", &[]);
    check_page(&page);
    assert!(
        page.contains("Nobody has submitted a ranking of these groups"),
        "{page}"
    );
    assert!(page.contains("the log holds no event"), "{page}");
    let none = Desk::of(&[], &[]);
    let answer = none.run(&["report", "groups.jsonl", "-o", "empty.html"]);
    assert_eq!(answer.code, 1, "an empty file is a problem: {answer:?}");
    check_page(&std::fs::read_to_string(none.path().join("empty.html")).unwrap());
    let again = desk.report("again.html", &[]);
    assert_eq!(page, again);
    // What stands beside the rollouts is no input.
    std::fs::write(desk.path().join("README.md"), "# Rollouts\n").unwrap();
    let answer = desk.run(&["report", ".", "-o", "beside.md"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let text = std::fs::read_to_string(desk.path().join("beside.md")).unwrap();
    assert!(
        text.contains("groups.jsonl") && !text.contains("README.md"),
        "{text}"
    );
}

#[test]
fn a_report_holds_figures_flipped_pairs_and_patches_and_trusts_no_text() {
    let desk = nasty();
    let page = desk.report("report.html", &["--csv", "rows", "--date", "2026-11-30"]);
    check_page(&page);
    assert!(page.contains("2026-11-30 (as given)"), "{page}");
    assert!(
        page.contains("g&lt;script&gt;alert(1)&lt;/script&gt;\\u{1b}[2J|x"),
        "{page}"
    );
    assert!(
        page.contains("<ins>+new 3 ``` &lt;script&gt;alert(3)&lt;/script&gt;</ins>"),
        "{page}"
    );
    assert_eq!(
        page.matches("Flipped pair: people put").count(),
        5,
        "Borda ties the last two"
    );
    assert_eq!(
        page.matches("<svg").count(),
        3,
        "accuracy, tau-b, credit moved"
    );
    assert_eq!(page.matches("<svg").count(), page.matches("<desc>").count());
    // Grader against ann: all six pairs wrong, so tau-b is -1.
    let tau = desk.value("agreement.csv", &["pair", "ann<b>", "tau_b"], "mean");
    assert_eq!(tau.parse::<f64>().unwrap(), -1.0);
    // Grader against bob: five of six pairs wrong in one group, none in the other.
    let accuracy = desk.value(
        "agreement.csv",
        &["pair", "bob", "pairwise_accuracy"],
        "mean",
    );
    let grader_rows = desk.rows("agreement.csv");
    let with_grader = grader_rows
        .iter()
        .find(|row| row[1] == "bob" && row[2] == "grader judge" && row[3] == "pairwise_accuracy");
    let mean: f64 = with_grader.unwrap_or_else(|| panic!("{accuracy}"))[4]
        .parse()
        .unwrap();
    assert!((mean - (1.0 / 6.0 + 1.0) / 2.0).abs() < 1e-12, "{mean}");
    // Linear 0.5, m = 4: weights 1, 5/6, 2/3, 1/2 of 3; people tie the two that the grader has on
    // top: |2/6 - 3.5/18| and so on, half of the sum.
    let credit = desk.value("disagreements.csv", &[NASTY], "credit_disagreement");
    let grader: [f64; 4] = [6.0, 5.0, 4.0, 3.0].map(|w| w / 18.0);
    let people: [f64; 4] = [3.5, 3.5, 5.0, 6.0].map(|w| w / 18.0);
    let expected: f64 = grader
        .iter()
        .zip(people)
        .map(|(a, b)| (a - b).abs())
        .sum::<f64>()
        / 2.0;
    assert!(
        (credit.parse::<f64>().unwrap() - expected).abs() < 1e-9,
        "{credit} {expected}"
    );
    assert_eq!(desk.rows("pairs.csv").len(), 1 + 5);
    assert_eq!(desk.rows("judgements.csv").len(), 1 + 3);
    assert_eq!(desk.rows("groups.csv").len(), 1 + 2);
    // Seven of the twelve candidates pass, and every one has a diff.
    assert_eq!(desk.value("rules.csv", &["stray_file"], "of_passing"), "7");
    assert_eq!(
        desk.value("judgements.csv", &["ann<b>"], "state"),
        "submitted"
    );
    assert_eq!(
        desk.value("scheme_groups.csv", &["dcg", "g2"], "moves"),
        "true"
    );
    assert_eq!(
        page,
        desk.report("again.html", &["--date", "2026-11-30"]),
        "same input, same bytes"
    );
}

#[test]
fn markdown_fences_what_it_quotes() {
    let desk = nasty();
    let text = desk.report("report.md", &["--top", "1"]);
    assert!(text.contains("````diff\n--- a/src/lib.rs"), "{text}");
    assert!(
        text.contains("+new 3 ``` <script>alert(3)</script>\n````"),
        "{text}"
    );
    let outside: String = text
        .split("````")
        .enumerate()
        .filter(|(place, _)| place % 2 == 0)
        .map(|(_, piece)| piece)
        .collect();
    assert!(!outside.replace("\\<", "").contains("<script"), "{outside}");
    assert!(outside.contains("g\\<script\\>"), "{outside}");
    assert!(!text.contains('\u{1b}'));
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        assert!(row.ends_with(" |"), "{row}");
    }
}

#[test]
fn a_report_is_html_or_markdown_and_spares_its_inputs() {
    let desk = judged();
    let answer = desk.run(&["report", "groups.jsonl", "-o", "report.pdf"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    std::fs::create_dir(desk.path().join("in.html")).unwrap();
    let answer = desk.run(&["report", "groups.jsonl", "-o", "in.html"]);
    assert_eq!(answer.code, 2, "{answer:?}");
}

#[test]
fn the_readme_names_every_file_of_rows_and_its_columns() {
    let desk = nasty();
    desk.report("report.md", &["--csv", "rows"]);
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    for entry in std::fs::read_dir(desk.path().join("rows")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let columns = desk.rows(&name)[0].join("`, `");
        let line = readme
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")));
        let line = line.unwrap_or_else(|| panic!("{name} is not in the README: `{columns}`"));
        assert!(
            line.contains(&format!("`{columns}`")),
            "{name}: `{columns}`"
        );
    }
}
